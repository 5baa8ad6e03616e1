//! Numbers of a run that schemes are compared by.

use super::{METRICS, Metric, of_groups};

/// A number of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    /// A metric of the link and all flows, by its index in [`METRICS`].
    OfLink(usize),
    /// A metric of a group, by its index in [`of_groups`].
    OfGroup(usize, String),
    /// The goodput of a flow of the first group over that of a flow of the second.
    Ratio(String, String),
}

impl Number {
    /// Its metric; `None` for a ratio.
    pub fn metric(&self) -> Option<&'static Metric> {
        match self {
            Number::OfLink(index) => METRICS.get(*index),
            Number::OfGroup(index, _) => of_groups().nth(*index),
            Number::Ratio(..) => None,
        }
    }

    /// Its name in tables of differences: "delay_mean", "call.end_to_end_p99".
    pub fn name(&self) -> String {
        let name = self.metric().map_or("", |metric| metric.name);
        match self {
            Number::OfLink(_) => name.to_string(),
            Number::OfGroup(_, group) => format!("{group}.{name}"),
            Number::Ratio(one, other) => format!("{one}/{other}"),
        }
    }

    /// What it is, without a unit: "queueing delay", "goodput (tcp)".
    pub fn title(&self) -> String {
        let title = self.metric().map_or("", |metric| metric.title);
        match self {
            Number::OfLink(_) => title.to_string(),
            Number::OfGroup(_, group) => format!("{title} ({group})"),
            Number::Ratio(one, other) => format!("goodput of a flow of {one} over that of {other}"),
        }
    }

    /// The unit that it is shown in, and the factor to it.
    pub fn unit(&self) -> (&'static str, f64) {
        self.metric().map_or(("", 1.0), |one| (one.unit, one.scale))
    }
}
