//! Goals: a metric to minimise or maximise, and limits of other metrics.

use std::cmp::Ordering;
use std::fmt;

use earlydrop::units::{Dimension, Quantity};

use crate::document::suggestion;
use crate::metrics::{self, Better, METRICS, Metric};
use crate::statistics::Mean;

/// A metric to minimise or maximise under limits of other metrics.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// The metric to optimise, by its index in [`METRICS`].
    pub metric: usize,
    /// Whether to minimise it; else it is maximised.
    pub minimise: bool,
    /// The limits.
    pub limits: Vec<Limit>,
}

/// A bound of a metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// The metric, by its index in [`METRICS`].
    pub metric: usize,
    /// Whether the bound is a minimum; else it is a maximum.
    pub at_least: bool,
    /// The bound, in the metric's base unit.
    pub bound: f64,
}

/// Why a text is not a goal or a limit.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GoalError {
    /// There is no such metric.
    #[error("no metric is called {name}; {help}")]
    NoMetric {
        /// The unknown name.
        name: String,
        /// The known names, and the nearest.
        help: String,
    },
    /// It is not a comparison.
    #[error("{text}: allowed: METRIC>=VALUE or METRIC<=VALUE, as in utilisation>=95%")]
    NoLimit {
        /// The text.
        text: String,
    },
    /// The value is not one of that metric.
    #[error("{text}: {value} is not a value of {metric}; allowed: {allowed}")]
    NoValue {
        /// The text.
        text: String,
        /// The value in the text.
        value: String,
        /// The metric's title.
        metric: &'static str,
        /// The allowed values.
        allowed: String,
    },
}

impl Goal {
    /// The goal to minimise or maximise the metric of this name, without limits.
    pub fn new(name: &str, minimise: bool) -> Result<Goal, GoalError> {
        let metric = metric(name)?;
        Ok(Goal {
            metric,
            minimise,
            limits: Vec::new(),
        })
    }

    /// The metric to trade off against the goal, over which a front is drawn: the first
    /// limit's, or else delay for goals that are to be large and utilisation for others.
    pub fn price(&self) -> usize {
        let other = |limit: &&Limit| limit.metric != self.metric;
        if let Some(limit) = self.limits.iter().find(other) {
            return limit.metric;
        }
        let usual = ["utilisation", "delay_mean"].map(|name| metrics::index_of(name).unwrap_or(0));
        usual[usize::from(METRICS[self.metric].better == Better::More)]
    }

    /// The score of a candidate with these metrics at the points of a sweep; `None` where one
    /// was not measured. The objective is a mean over points. Limits must hold at each point,
    /// for means or, with `caution`, for the worse ends of intervals.
    pub fn score(&self, points: &[PointMetrics], caution: bool) -> Option<Score> {
        let sign = if self.minimise { 1.0 } else { -1.0 };
        let mut score = Score {
            violation: 0.0,
            objective: sign * mean_over(points, self.metric)?,
        };
        for limit in &self.limits {
            for point in points {
                let margin = limit.margin(&point[limit.metric]?, caution);
                score.violation += (-margin).max(0.0);
            }
        }
        Some(score)
    }

    /// The smallest margin to a limit over all points, by means, as a share of its bound; infinite
    /// without limits.
    pub(super) fn margin(&self, points: &[PointMetrics]) -> f64 {
        let margins = self.limits.iter().flat_map(|limit| {
            let values = points.iter().filter_map(|point| point[limit.metric]);
            values.map(|value| limit.margin(&value, false))
        });
        margins.fold(f64::INFINITY, f64::min)
    }
}

/// The means of every metric of a candidate at one point of a sweep.
pub type PointMetrics = Vec<Option<Mean>>;

/// The mean of a metric over points; `None` where a point has none.
pub(super) fn mean_over(points: &[PointMetrics], metric: usize) -> Option<f64> {
    let values: Option<Vec<f64>> = points.iter().map(|p| Some(p[metric]?.mean)).collect();
    let values = values.filter(|values| !values.is_empty())?;
    Some(values.iter().sum::<f64>() / values.len() as f64)
}

impl Limit {
    /// "utilisation>=95%", "delay_p99 <= 20 ms".
    pub fn parse(text: &str) -> Result<Limit, GoalError> {
        let split = |sign: &str| text.split_once(sign);
        let (name, at_least, value) = match (split(">="), split("<=")) {
            (Some((name, value)), None) => (name.trim(), true, value.trim()),
            (None, Some((name, value))) => (name.trim(), false, value.trim()),
            _ => return Err(GoalError::NoLimit { text: text.into() }),
        };
        let metric = metric(name)?;
        let bound = value_of(&METRICS[metric], value).map_err(|allowed| GoalError::NoValue {
            text: text.into(),
            value: value.into(),
            metric: METRICS[metric].title,
            allowed,
        })?;
        Ok(Limit {
            metric,
            at_least,
            bound,
        })
    }

    /// The margin of a value to the bound, as a share of the bound, or in the base unit of a bound
    /// of 0; negative where the limit is violated. With `caution`, of the worse end of the interval.
    fn margin(&self, value: &Mean, caution: bool) -> f64 {
        let half = match (caution, value.half) {
            (false, _) => 0.0,
            (true, Some(half)) => half,
            (true, None) => return f64::NEG_INFINITY,
        };
        let inside = if self.at_least {
            value.mean - self.bound
        } else {
            self.bound - value.mean
        };
        // Of a bound of 0, as in `loss<=0`, there are no shares.
        let unit = if self.bound == 0.0 {
            1.0
        } else {
            self.bound.abs()
        };
        (inside - half) / unit
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let metric = &METRICS[self.metric];
        let sign = if self.at_least { ">=" } else { "<=" };
        let space = if metric.unit.chars().all(char::is_alphabetic) && !metric.unit.is_empty() {
            " "
        } else {
            ""
        };
        let value = (self.bound * metric.scale * 1e6).round() / 1e6;
        write!(f, "{} {sign} {value}{space}{}", metric.name, metric.unit)
    }
}

/// The metric of this name, with words in any order: "p99_delay" is "delay_p99".
fn metric(name: &str) -> Result<usize, GoalError> {
    fn words(name: &str) -> Vec<&str> {
        let mut words: Vec<&str> = name.split('_').collect();
        words.sort_unstable();
        words
    }
    let alike = |metric: &Metric| words(metric.name) == words(name);
    metrics::index_of(name)
        .or_else(|| METRICS.iter().position(alike))
        .ok_or_else(|| {
            let known: Vec<&str> = METRICS.iter().map(|metric| metric.name).collect();
            GoalError::NoMetric {
                name: name.to_string(),
                help: suggestion(name, &known, '`'),
            }
        })
}

/// A value of a metric in its base unit; the error names the allowed values.
fn value_of(metric: &Metric, text: &str) -> Result<f64, String> {
    let dimension = match metric.base_unit() {
        "s" => Dimension::Time,
        "bit/s" => Dimension::Rate,
        _ => Dimension::Plain,
    };
    let example = match metric.base_unit() {
        "share" => "a share, as 0.95 or 95%",
        "s" => "a time, as 20ms",
        "bit/s" => "a rate, as 9Mbps",
        _ => "a number",
    };
    let invalid = || example.to_string();
    if metric.base_unit() == "share" {
        let percent = text.strip_suffix('%');
        let number = percent.unwrap_or(text).trim();
        let scale = if percent.is_some() { 100.0 } else { 1.0 };
        let share = number.parse::<f64>().map_err(|_| invalid())? / scale;
        return match metrics::nearest_share(share, percent.is_some()) {
            None => Ok(share),
            Some(nearest) => Err(format!("{example}; nearest: {nearest}")),
        };
    }
    let quantity: Quantity = text.parse().map_err(|_| invalid())?;
    if dimension != Dimension::Plain && quantity.dimension.is_none() && quantity.amount != 0.0 {
        return Err(format!("{example}: it needs a unit"));
    }
    let value = quantity.of(dimension).map_err(|_| invalid())?;
    if value.is_finite() {
        Ok(value)
    } else {
        Err(invalid())
    }
}

/// The score of a candidate by the feasibility rules of Deb (2000): the smaller violation of
/// limits first, then the better objective.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// The sum of violations of limits, as shares of their bounds; 0 where all are met.
    pub violation: f64,
    /// The goal's metric, negated for a goal to maximise: less is better.
    pub objective: f64,
}

impl Score {
    /// The score of a candidate that cannot be run.
    pub const IMPOSSIBLE: Score = Score {
        violation: f64::INFINITY,
        objective: f64::INFINITY,
    };

    /// Compares two scores; the better one is less.
    pub fn order(&self, other: &Score) -> Ordering {
        let violations = self.violation.total_cmp(&other.violation);
        violations.then(self.objective.total_cmp(&other.objective))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(name: &str) -> usize {
        metrics::index_of(name).unwrap()
    }

    #[test]
    fn limits_are_read_in_the_units_people_write() {
        for (text, name, at_least, bound) in [
            ("utilisation>=0.95", "utilisation", true, 0.95),
            ("utilisation >= 95%", "utilisation", true, 0.95),
            ("delay_p99<=20ms", "delay_p99", false, 0.02),
            ("p99_delay <= 20 ms", "delay_p99", false, 0.02),
            ("goodput>=9Mbps", "goodput", true, 9e6),
            ("queue_mean<=30", "queue_mean", false, 30.0),
        ] {
            let metric = index(name);
            let wanted = Limit {
                metric,
                at_least,
                bound,
            };
            assert_eq!(Limit::parse(text), Ok(wanted), "{text}");
        }
    }

    #[test]
    fn an_invalid_limit_is_refused_with_the_allowed_values() {
        for (text, help) in [
            ("utilisation", "METRIC>=VALUE"),
            ("utilisation>=95", "nearest: 95%"),
            ("utilisation>=-1", "a share, as 0.95"),
            ("utilisation>=200%", "nearest: 100%"),
            ("utilization>=95%", "did you mean `utilisation`"),
            ("delay_p99<=20Mbps", "a time, as 20ms"),
            ("delay_p99<=soon", "a time, as 20ms"),
            ("delay_p99<=20", "a time, as 20ms: it needs a unit"),
        ] {
            let error = Limit::parse(text).unwrap_err().to_string();
            assert!(error.contains(help), "{text}: {error}");
        }
    }

    #[test]
    fn a_bound_of_zero_still_tells_small_violations_from_large_ones() {
        let limit = Limit::parse("loss<=0").unwrap();
        let margin = |mean| limit.margin(&Mean::new(mean, Some(0.0), 5), false);
        assert_eq!([margin(0.0), margin(0.01), margin(0.5)], [0.0, -0.01, -0.5]);
    }

    #[test]
    fn limits_come_before_the_goal() {
        let mut goal = Goal::new("delay_p99", true).unwrap();
        goal.limits.push(Limit::parse("utilisation>=0.9").unwrap());
        let measured = |utilisation: f64, half: f64, delay: f64| {
            let mean = |mean, half| Some(Mean::new(mean, Some(half), 5));
            let mut values = vec![None; METRICS.len()];
            values[index("utilisation")] = mean(utilisation, half);
            values[index("delay_p99")] = mean(delay, 0.0);
            [values]
        };
        let score = |utilisation, delay| {
            goal.score(&measured(utilisation, 0.0, delay), false)
                .unwrap()
        };
        let mut scores = [
            score(0.50, 0.001),
            score(0.95, 0.020),
            score(0.80, 0.900),
            score(0.91, 0.010),
        ];
        scores.sort_by(Score::order);
        let delays = scores.map(|score| score.objective);
        assert_eq!(delays, [0.010, 0.020, 0.900, 0.001]);
        assert_eq!(goal.price(), index("utilisation"));
        assert_eq!(goal.score(&[vec![None; METRICS.len()]], false), None);
        let near = measured(0.91, 0.02, 0.01);
        assert_eq!(goal.score(&near, false).unwrap().violation, 0.0);
        let cautious = goal.score(&near, true).unwrap().violation;
        assert!((cautious - 0.01 / 0.9).abs() < 1e-12, "{cautious}");
    }
}
