//! Sequential stopping: seeds are added until all 95% intervals of a metric are narrow enough.

use std::str::FromStr;

use earlydrop::registry::nearest;

use crate::metrics::{self, METRICS};
use crate::summary::Summary;

/// No more seeds than these are added, however wide the intervals are.
pub const MAX_SEEDS: usize = 1000;

/// The largest half-width of the intervals of a metric, as a share of the mean: `2%`,
/// `5%:delay_p99`. Without a name, the metric is `delay_mean`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoppingRule {
    /// The largest half-width, as a share of the mean.
    pub share: f64,
    /// The metric, by its index in [`METRICS`].
    pub metric: usize,
}

/// Why a text is not a stopping rule.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StoppingRuleError {
    /// Its share is out of range.
    #[error("{0}: allowed: a share above 0 and below 100%, as in 2% or 2%:goodput")]
    Share(String),
    /// There is no such metric.
    #[error("{text}: no metric is called {metric}; {hint}(known: {known})")]
    Metric {
        /// The text of the rule.
        text: String,
        /// The unknown name.
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

/// How far a run has come by a rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Precision {
    /// All intervals are narrow enough.
    Reached,
    /// The half-width of the widest interval, as a share of the mean.
    NotReached(f64),
    /// The scenario does not measure the metric.
    NotMeasured,
}

impl StoppingRule {
    /// How far the run of `summary` has come.
    pub fn precision(&self, summary: &Summary) -> Precision {
        match summary.widest(self.metric) {
            None => Precision::NotMeasured,
            Some(widest) if widest <= self.share => Precision::Reached,
            Some(widest) => Precision::NotReached(widest),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Mean;
    use crate::summary::{RankedMean, SchemeSummary};

    #[test]
    fn equal_values_are_precise_once_they_are_many() {
        let rule: StoppingRule = "0.1%:loss".parse().unwrap();
        let precision = |values: &[f64]| {
            let mean = Mean::of(values).map(RankedMean::alone);
            let row = SchemeSummary {
                scheme: 0,
                point: 0,
                seeds: values.len(),
                values: vec![mean; METRICS.len()],
                live: None,
            };
            rule.precision(&Summary {
                rows: vec![row],
                links: Vec::new(),
                groups: Vec::new(),
                moving: Vec::new(),
                cells: Vec::new(),
                group_cells: Vec::new(),
            })
        };
        for few in [2, 5] {
            let precision = precision(&vec![0.0; few]);
            assert_eq!(precision, Precision::NotReached(f64::INFINITY));
        }
        assert_eq!(precision(&[0.0; 6]), Precision::Reached);
        assert!(matches!(precision(&[0.0, 1.0]), Precision::NotReached(_)));
    }
}
