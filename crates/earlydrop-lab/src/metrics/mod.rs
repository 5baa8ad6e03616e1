//! Metrics: the numbers by which runs are compared, each with a name, a unit and a meaning.
//!
//! [`METRICS`] lists them in the order of every list of values. Some are about the watched
//! queue; the others ([`of_groups`]) are about flows and are computed over all flows and over
//! each group. [`LIVE_METRICS`] are about the timing of runs on real hosts.

mod computed;
mod felt;
mod flows;
mod list;
mod list_of_links;
mod list_of_live;
mod numbers;
mod survival;

use earlydrop_sim::results::{QueueResult, Results};

pub use felt::{FEW_UNFINISHED, Felt, STARVED, better, has_rivals};
pub use flows::{FlowAggregate, LARGE, SMALL, SizeBin};
pub use list::METRICS;
pub use list_of_links::LINK_METRICS;
pub use list_of_live::LIVE_METRICS;
pub use numbers::Number;
pub(crate) use numbers::{check_group, parse_numbers};

use crate::timing::LiveTiming;

/// One number of a run.
pub struct Metric {
    /// Its name in tables: "delay_p99".
    pub name: &'static str,
    /// Its heading: "queueing delay, 99%".
    pub title: &'static str,
    /// The unit it is shown in: "ms".
    pub unit: &'static str,
    /// The factor from its stored value to `unit`.
    pub scale: f64,
    /// Which values are better.
    pub better: Better,
    /// Its definition, in a sentence.
    pub meaning: &'static str,
    /// Whether the summary shows it.
    pub headline: bool,
    compute: Compute,
}

/// Which values of a metric are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Smaller ones.
    Less,
    /// Larger ones.
    More,
    /// Neither: it depends on the question.
    Neither,
}

/// How a metric is computed, and from what.
enum Compute {
    Queue(fn(&QueueResult) -> Option<f64>),
    /// Of all queues of a run.
    Network(fn(&Results) -> Option<f64>),
    Flows(fn(&FlowAggregate) -> Option<f64>),
    Live(fn(&LiveTiming) -> Option<f64>),
}

/// The metrics of flows, which groups of flows have, too.
pub fn of_groups() -> impl Iterator<Item = &'static Metric> {
    METRICS
        .iter()
        .filter(|metric| matches!(metric.compute, Compute::Flows(_)))
}

/// Whether the quantile at a share is a lower bound: quantiles are known up to `known` only. Shares
/// are sums of rounded ones.
pub fn is_beyond(share: f64, known: f64) -> bool {
    known < share - 1e-9
}

/// The share that was meant by one that is none, as it is written: 95 is 95%, and 200% is 100%.
pub(crate) fn nearest_share(share: f64, is_percent: bool) -> Option<String> {
    match share {
        share if (0.0..=1.0).contains(&share) => None,
        share if !is_percent && (1.0..=100.0).contains(&share) => Some(format!("{share}%")),
        share if share > 1.0 => Some("100%".to_string()),
        _ => Some("0%".to_string()),
    }
}

/// The index in [`METRICS`] of the metric of this name.
pub fn index_of(name: &str) -> Option<usize> {
    METRICS.iter().position(|metric| metric.name == name)
}

/// The index in [`of_groups`] of the metric of this name.
pub fn index_of_group(name: &str) -> Option<usize> {
    of_groups().position(|metric| metric.name == name)
}

/// The indices in [`METRICS`] of a list of names, "completion_p50,loss", in its order. The error
/// says which name is unknown or repeated, and which are known.
pub fn parse_list(text: &str) -> Result<Vec<usize>, String> {
    let of_link = |number| match number {
        Number::OfLink(index) => Some(index),
        Number::OfGroup(..) | Number::Ratio(..) => None,
    };
    Ok(parse_numbers(text, &[])?
        .into_iter()
        .filter_map(of_link)
        .collect())
}

impl Metric {
    /// Its value for the queue of a link; `None` where it was not measured, and for a metric of
    /// flows.
    pub fn of_queue(&self, queue: &QueueResult) -> Option<f64> {
        match self.compute {
            Compute::Queue(of) => of(queue),
            Compute::Network(_) | Compute::Flows(_) | Compute::Live(_) => None,
        }
    }

    /// Its value for a run, of which `queue` is watched and `flows` are all flows; `None` where it was
    /// not measured.
    pub fn value(
        &self,
        results: &Results,
        queue: &QueueResult,
        flows: &FlowAggregate,
    ) -> Option<f64> {
        match self.compute {
            Compute::Queue(of) => of(queue),
            Compute::Network(of) => of(results),
            Compute::Flows(of) => of(flows),
            Compute::Live(_) => None,
        }
    }

    /// The unit of its stored values: "s", "bit/s", "share"; empty for plain numbers.
    pub fn base_unit(&self) -> &'static str {
        match self.unit {
            "%" => "share",
            "ms" | "us" => "s",
            "ms²" => "s²",
            "Mbps" => "bit/s",
            "kB" => "bytes",
            unit => unit,
        }
    }

    /// Its value for the timing of a run on real hosts; `None` for any other metric.
    pub fn of_live(&self, live: &LiveTiming) -> Option<f64> {
        match self.compute {
            Compute::Queue(_) | Compute::Network(_) | Compute::Flows(_) => None,
            Compute::Live(of) => of(live),
        }
    }

    /// Whether its value is a lower bound: of the transfers or rounds that it is a quantile or a
    /// mean of, too few have ended. `value_of` gives the value of another metric of the same flows.
    pub fn is_lower_bound(&self, value_of: impl Fn(&str) -> Option<f64>) -> bool {
        let Some((share, known)) = computed::known_by(self.name) else {
            return false;
        };
        value_of(known).is_some_and(|known| is_beyond(share, known))
    }

    /// Its value for a group of flows; `None` for a metric of queues.
    pub fn of_flows(&self, flows: &FlowAggregate) -> Option<f64> {
        match self.compute {
            Compute::Queue(_) | Compute::Network(_) | Compute::Live(_) => None,
            Compute::Flows(of) => of(flows),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_fit_a_database() {
        for (index, metric) in METRICS.iter().enumerate() {
            assert_eq!(index_of(metric.name), Some(index));
            let plain = |letter: char| letter.is_ascii_lowercase() || letter == '_';
            assert!(metric.name.chars().all(|l| plain(l) || l.is_ascii_digit()));
        }
    }
}
