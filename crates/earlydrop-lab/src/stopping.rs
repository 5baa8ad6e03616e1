//! Sequential stopping: seeds are added until every 95% interval of a metric is narrow enough.

use std::str::FromStr;

use earlydrop::registry::nearest;

use crate::metrics::{self, METRICS};
use crate::summary::Summary;

/// No rule asks for more seeds than this.
pub const MOST_SEEDS: usize = 1000;

/// How narrow the intervals of which metric must be: `2%`, `5%:delay_p99`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoppingRule {
    /// The widest half-width allowed, as a share of the mean.
    pub share: f64,
    /// The metric, by its index in [`METRICS`].
    pub metric: usize,
}

/// Why a text is no stopping rule.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StoppingRuleError {
    /// It has no share that could be reached.
    #[error("{0}: allowed: a share above 0 and below 100%, as in 2% or 2%:goodput")]
    Share(String),
    /// It names no metric.
    #[error("{text}: no metric is called {metric}; {hint}(known: {known})")]
    Metric {
        /// The rule as given.
        text: String,
        /// The name that no metric has.
        metric: String,
        /// "did you mean ...? ", or nothing.
        hint: String,
        /// All names.
        known: String,
    },
}

impl FromStr for StoppingRule {
    type Err = StoppingRuleError;

    fn from_str(text: &str) -> Result<StoppingRule, StoppingRuleError> {
        let (share, metric) = text.split_once(':').unwrap_or((text, "delay_mean"));
        let number = match share.strip_suffix('%') {
            Some(percent) => percent.trim().parse::<f64>().map(|percent| percent / 100.0),
            None => share.parse(),
        };
        let share = number.ok().filter(|share| *share > 0.0 && *share < 1.0);
        let share = share.ok_or_else(|| StoppingRuleError::Share(text.to_string()))?;
        let metric = metrics::index_of(metric).ok_or_else(|| {
            let names = || METRICS.iter().map(|metric| metric.name);
            let hint = nearest(metric, names());
            StoppingRuleError::Metric {
                text: text.to_string(),
                metric: metric.to_string(),
                hint: hint.map_or(String::new(), |name| format!("did you mean {name}? ")),
                known: names().collect::<Vec<_>>().join(", "),
            }
        })?;
        Ok(StoppingRule { share, metric })
    }
}

impl StoppingRule {
    /// Whether a run with so many seeds may stop.
    pub fn is_met(&self, summary: &Summary, seeds: usize) -> bool {
        summary.widest(self.metric) <= self.share || seeds >= MOST_SEEDS
    }
}
