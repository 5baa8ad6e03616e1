//! What a search is after: a metric as small or as large as can be, others within limits.

use std::cmp::Ordering;
use std::fmt;

use earlydrop::units::{Dimension, Quantity};

use crate::document::suggestion;
use crate::metrics::{self, Better, METRICS, Metric};
use crate::statistics::Mean;

/// What a search is after.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// The metric that is to be small or large.
    pub metric: usize,
    /// Whether small.
    pub minimise: bool,
    /// What other metrics must keep.
    pub limits: Vec<Limit>,
}

/// A bound that a metric must keep.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// The metric.
    pub metric: usize,
    /// Whether it must not fall below the bound; else it must not rise above.
    pub at_least: bool,
    /// The bound, in the unit the metric is stored in.
    pub bound: f64,
}

/// What cannot be a goal.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GoalError {
    /// There is no such metric.
    #[error("no metric is called {name}; {help}")]
    NoMetric {
        /// What was asked for.
        name: String,
        /// What there is.
        help: String,
    },
    /// It does not say what a limit is.
    #[error("{text}: allowed: METRIC>=VALUE or METRIC<=VALUE, as in utilisation>=95%")]
    NoLimit {
        /// What was written.
        text: String,
    },
    /// The value is no value of that metric.
    #[error("{text}: {value} is no {metric}; allowed: {allowed}")]
    NoValue {
        /// What was written.
        text: String,
        /// Its value.
        value: String,
        /// The metric's title.
        metric: &'static str,
        /// What would do.
        allowed: String,
    },
}

impl Goal {
    /// A metric by its name, as small or as large as can be.
    pub fn new(name: &str, minimise: bool) -> Result<Goal, GoalError> {
        let metric = metric(name)?;
        Ok(Goal {
            metric,
            minimise,
            limits: Vec::new(),
        })
    }

    /// The metric beside the goal's own that a front is drawn over: the first limit's, or
    /// else what is usually given up for the goal.
    pub fn price(&self) -> usize {
        let other = |limit: &&Limit| limit.metric != self.metric;
        if let Some(limit) = self.limits.iter().find(other) {
            return limit.metric;
        }
        let usual = ["utilisation", "delay_mean"].map(|name| metrics::index_of(name).unwrap_or(0));
        usual[usize::from(METRICS[self.metric].better == Better::More)]
    }

    /// How good a setting with these metrics is: `None` where something was not measured.
    /// The goal is a mean over points of a sweep; limits must be kept at each, by means, or,
    /// with `caution`, by the worse ends of their intervals.
    pub fn score(&self, points: &[Metrics], caution: bool) -> Option<Score> {
        let sign = if self.minimise { 1.0 } else { -1.0 };
        let mut score = Score {
            violation: 0.0,
            objective: sign * mean_over(points, self.metric)?,
        };
        for limit in &self.limits {
            for point in points {
                let room = limit.room(&point[limit.metric]?, caution);
                score.violation += (-room).max(0.0);
            }
        }
        Some(score)
    }

    /// How far the limit that is nearest is away, by means, as a share of its bound.
    pub(super) fn room(&self, points: &[Metrics]) -> f64 {
        let rooms = self.limits.iter().flat_map(|limit| {
            let values = points.iter().filter_map(|point| point[limit.metric]);
            values.map(|value| limit.room(&value, false))
        });
        rooms.fold(f64::INFINITY, f64::min)
    }
}

/// Every metric of a setting at a point of a sweep, over seeds.
pub type Metrics = Vec<Option<Mean>>;

/// The mean of a metric over points; `None` where one has none.
pub(super) fn mean_over(points: &[Metrics], metric: usize) -> Option<f64> {
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

    /// How far a value is from breaking it, as a share of the bound; below zero where it is
    /// broken. With `caution` by the worse end of the interval.
    fn room(&self, value: &Mean, caution: bool) -> f64 {
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
        (inside - half) / self.bound.abs().max(f64::MIN_POSITIVE)
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
        let shown = (self.bound * metric.scale * 1e6).round() / 1e6;
        write!(f, "{} {sign} {shown}{space}{}", metric.name, metric.unit)
    }
}

/// A metric by its name, its words in any order: "p99_delay" is "delay_p99".
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

/// A value of a metric in the unit it is stored in; the error says what is allowed.
fn value_of(metric: &Metric, text: &str) -> Result<f64, String> {
    let dimension = match metric.base_unit() {
        "s" => Dimension::Time,
        "bit/s" => Dimension::Rate,
        _ => Dimension::Plain,
    };
    let example = match metric.base_unit() {
        "share" => "a share from 0 to 1, or of 100, as 0.95 or 95%",
        "s" => "a time, as 20ms",
        "bit/s" => "a rate, as 9Mbps",
        _ => "a number",
    };
    let refused = || example.to_string();
    if metric.base_unit() == "share" {
        let (number, scale) = match text.strip_suffix('%') {
            Some(percent) => (percent.trim(), 100.0),
            None => (text, 1.0),
        };
        let share = number.parse::<f64>().map_err(|_| refused())? / scale;
        return match share {
            share if (0.0..=1.0).contains(&share) => Ok(share),
            share if (1.0..=100.0).contains(&share) => Err(format!("{example}; nearest: {share}%")),
            _ => Err(refused()),
        };
    }
    let quantity: Quantity = text.parse().map_err(|_| refused())?;
    let value = quantity.of(dimension).map_err(|_| refused())?;
    if value.is_finite() {
        Ok(value)
    } else {
        Err(refused())
    }
}

/// How good a setting is: one that keeps all limits before one that does not, then the one
/// that breaks them less, then the better one (Deb 2000).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// By how much limits are broken, as shares of their bounds; 0 where all are kept.
    pub violation: f64,
    /// The goal's metric, such that less is better.
    pub objective: f64,
}

impl Score {
    /// That of a setting that is none.
    pub const IMPOSSIBLE: Score = Score {
        violation: f64::INFINITY,
        objective: f64::INFINITY,
    };

    /// Better ones first.
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
    fn what_is_no_limit_is_refused_with_what_is_allowed() {
        for (text, told) in [
            ("utilisation", "METRIC>=VALUE"),
            ("utilisation>=95", "nearest: 95%"),
            ("utilisation>=-1", "a share from 0 to 1"),
            ("utilization>=95%", "did you mean `utilisation`"),
            ("delay_p99<=20Mbps", "a time, as 20ms"),
            ("delay_p99<=soon", "a time, as 20ms"),
        ] {
            let error = Limit::parse(text).unwrap_err().to_string();
            assert!(error.contains(told), "{text}: {error}");
        }
    }

    #[test]
    fn limits_come_before_the_goal() {
        let mut goal = Goal::new("delay_p99", true).unwrap();
        goal.limits.push(Limit::parse("utilisation>=0.9").unwrap());
        let measured = |utilisation: f64, half: f64, delay: f64| {
            let mean = |mean, half| {
                let half = Some(half);
                Some(Mean {
                    mean,
                    half,
                    count: 5,
                })
            };
            let mut values = vec![None; METRICS.len()];
            values[index("utilisation")] = mean(utilisation, half);
            values[index("delay_p99")] = mean(delay, 0.0);
            [values]
        };
        let setting = |utilisation, delay| {
            goal.score(&measured(utilisation, 0.0, delay), false)
                .unwrap()
        };
        let mut scores = [
            setting(0.50, 0.001),
            setting(0.95, 0.020),
            setting(0.80, 0.900),
            setting(0.91, 0.010),
        ];
        scores.sort_by(Score::order);
        let delays = scores.map(|score| score.objective);
        assert_eq!(delays, [0.010, 0.020, 0.900, 0.001]);
        assert_eq!(goal.price(), index("utilisation"));
        assert_eq!(goal.score(&[vec![None; METRICS.len()]], false), None);
        let near = measured(0.91, 0.02, 0.01);
        assert_eq!(goal.score(&near, false).unwrap().violation, 0.0);
        let doubted = goal.score(&near, true).unwrap().violation;
        assert!((doubted - 0.01 / 0.9).abs() < 1e-12, "{doubted}");
    }
}
