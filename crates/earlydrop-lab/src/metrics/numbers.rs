//! Numbers of a run that schemes are compared by.

use super::{METRICS, Metric, index_of, index_of_group, of_groups};
use crate::document::suggestion;

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
    /// The metric of this name, of a group of flows; of the link and all flows where that is empty.
    pub(crate) fn named(group: &str, name: &str) -> Result<Number, Unknown> {
        let (what, index, known): (_, _, Vec<&str>) = match group {
            "" => {
                let known = METRICS.iter().map(|metric| metric.name);
                ("metric", index_of(name), known.collect())
            }
            _ => {
                let known = of_groups().map(|metric| metric.name);
                ("metric of groups", index_of_group(name), known.collect())
            }
        };
        let index = index.ok_or_else(|| unknown(what, name, &known))?;
        Ok(match group {
            "" => Number::OfLink(index),
            _ => Number::OfGroup(index, group.to_string()),
        })
    }

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

/// The numbers of a list, "loss,call.end_to_end_p99", in its order: metrics of the link and all flows,
/// and of one of these groups. The error says which name is unknown or repeated, and which are known.
pub(crate) fn parse_numbers(text: &str, groups: &[&str]) -> Result<Vec<Number>, String> {
    let in_one = |(message, help): Unknown| format!("{message}; {help}");
    let mut numbers = Vec::new();
    let names = text.split(',').map(str::trim);
    for name in names.filter(|name| !name.is_empty()) {
        let (group, metric) = match name.split_once('.') {
            Some((group, metric)) if !groups.is_empty() => {
                check_group(group, groups).map_err(in_one)?;
                (group, metric)
            }
            _ => ("", name),
        };
        let number = Number::named(group, metric).map_err(in_one)?;
        if numbers.contains(&number) {
            return Err(format!("\"{name}\" is listed twice; keep one"));
        }
        numbers.push(number);
    }
    match numbers.is_empty() {
        true => Err("no metric is named; allowed: a list such as \"delay_mean,loss\"".to_string()),
        false => Ok(numbers),
    }
}

/// Refuses a group of flows that is none of those known.
pub(crate) fn check_group(name: &str, known: &[&str]) -> Result<(), Unknown> {
    match known.contains(&name) {
        true => Ok(()),
        false => Err(unknown("group of flows", name, known)),
    }
}

/// What is wrong with a name that is not known, and which are.
type Unknown = (String, String);

fn unknown(what: &str, name: &str, known: &[&str]) -> Unknown {
    let help = suggestion(name, known, '"');
    (format!("no {what} is called \"{name}\""), help)
}
