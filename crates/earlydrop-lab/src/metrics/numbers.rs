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
pub fn parse_numbers(text: &str, groups: &[&str]) -> Result<Vec<Number>, String> {
    let mut numbers = Vec::new();
    let names = text.split(',').map(str::trim);
    for name in names.filter(|name| !name.is_empty()) {
        let number = match name.split_once('.') {
            Some((group, metric)) => of_group(group, metric, groups)?,
            None => of_link(name)?,
        };
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

fn of_link(name: &str) -> Result<Number, String> {
    let known: Vec<&str> = METRICS.iter().map(|metric| metric.name).collect();
    let unknown = || {
        let help = suggestion(name, &known, '"');
        format!("no metric is called \"{name}\"; {help}")
    };
    index_of(name).map(Number::OfLink).ok_or_else(unknown)
}

fn of_group(group: &str, name: &str, groups: &[&str]) -> Result<Number, String> {
    if !groups.contains(&group) {
        let help = suggestion(group, groups, '"');
        return Err(format!("no group of flows is called \"{group}\"; {help}"));
    }
    let known: Vec<&str> = of_groups().map(|metric| metric.name).collect();
    let unknown = || {
        let help = suggestion(name, &known, '"');
        format!("no metric of groups is called \"{name}\"; {help}")
    };
    let index = index_of_group(name).ok_or_else(unknown)?;
    Ok(Number::OfGroup(index, group.to_string()))
}
