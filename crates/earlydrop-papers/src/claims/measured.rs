//! One number of every run of an experiment, by scheme, point and seed.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use earlydrop_lab::metrics;
use earlydrop_lab::statistics::Mean;

/// What is measured of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    /// A metric: "queue_mean".
    Metric(String),
    /// A metric of a group of flows: "group:ftp:goodput".
    Group(String, String),
    /// A metric of one group over that of another: "groups:udp:tcp:loss".
    Ratio(String, String, String),
    /// How far two series lie apart at each sample, as a share of both together, on average:
    /// "apart:arrivals of near:arrivals of far".
    Apart(String, String),
    /// The share of a series' rises that fall into intervals in which a second one is above
    /// a third: "rises:max_p:arrivals of udp:arrivals of tcp".
    Rises(String, String, String),
    /// What was sampled at the watched link, summed up after the warm-up:
    /// "series:average:deviation".
    Series(String, Summing),
}

/// How samples are summed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Summing {
    /// Their mean.
    Mean,
    /// Their standard deviation: how much it swings.
    Deviation,
    /// The largest.
    Largest,
}

impl FromStr for Summing {
    type Err = String;

    fn from_str(text: &str) -> Result<Summing, String> {
        match text {
            "mean" => Ok(Summing::Mean),
            "deviation" => Ok(Summing::Deviation),
            "largest" => Ok(Summing::Largest),
            _ => Err(format!(
                "samples have no {text}: allowed are mean, deviation and largest"
            )),
        }
    }
}

impl FromStr for Selector {
    type Err = String;

    fn from_str(text: &str) -> Result<Selector, String> {
        let parts: Vec<&str> = text.split(':').collect();
        let metric = |name: &str| match metrics::index_of(name) {
            Some(_) => Ok(name.to_string()),
            None => Err(format!("no metric is called {name}")),
        };
        match parts.as_slice() {
            [name] => Ok(Selector::Metric(metric(name)?)),
            ["group", group, name] => Ok(Selector::Group((*group).to_string(), metric(name)?)),
            ["groups", one, other, name] => Ok(Selector::Ratio(
                (*one).to_string(),
                (*other).to_string(),
                metric(name)?,
            )),
            ["apart", one, other] => Ok(Selector::Apart((*one).to_string(), (*other).to_string())),
            ["rises", name, one, other] => Ok(Selector::Rises(
                (*name).to_string(),
                (*one).to_string(),
                (*other).to_string(),
            )),
            ["series", name, summing] => {
                Ok(Selector::Series((*name).to_string(), summing.parse()?))
            }
            _ => Err(format!(
                "\"{text}\" is neither METRIC, group:NAME:METRIC, groups:NAME:NAME:METRIC, series:SERIES:mean (deviation, largest), apart:SERIES:SERIES nor rises:SERIES:SERIES:SERIES"
            )),
        }
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Selector::Metric(name) => f.write_str(name),
            Selector::Group(group, name) => write!(f, "{name} of {group}"),
            Selector::Ratio(one, other, name) => write!(f, "{name} of {one} over that of {other}"),
            Selector::Apart(one, other) => write!(f, "{one} apart from {other}"),
            Selector::Rises(name, one, other) => {
                write!(f, "rises of {name} while {one} is above {other}")
            }
            Selector::Series(name, Summing::Mean) => write!(f, "mean {name}"),
            Selector::Series(name, Summing::Deviation) => write!(f, "deviation of {name}"),
            Selector::Series(name, Summing::Largest) => write!(f, "largest {name}"),
        }
    }
}

/// One number of every run of an experiment.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The schemes' names.
    pub schemes: Vec<String>,
    /// What was swept, with the values as written.
    pub axes: Vec<(String, Vec<String>)>,
    /// The points: for each axis the index of its value.
    pub points: Vec<Vec<usize>>,
    /// The seeds that every scheme has run at every point.
    pub seeds: Vec<u64>,
    /// By scheme, point and seed.
    pub(super) values: HashMap<(usize, usize, u64), f64>,
}

impl Measured {
    /// Of an experiment that cannot be run.
    pub fn nothing() -> Measured {
        Measured {
            schemes: Vec::new(),
            axes: Vec::new(),
            points: Vec::new(),
            seeds: Vec::new(),
            values: HashMap::new(),
        }
    }

    /// Values by a rule, for tests: of a scheme, at coordinates, with a seed.
    #[cfg(test)]
    pub(super) fn made_up(
        axes: Vec<(String, Vec<String>)>,
        points: Vec<Vec<usize>>,
        schemes: &[&str],
        seeds: u64,
        rule: impl Fn(usize, &[usize], u64) -> f64,
    ) -> Measured {
        let mut values = HashMap::new();
        for scheme in 0..schemes.len() {
            for (point, at) in points.iter().enumerate() {
                for seed in 1..=seeds {
                    values.insert((scheme, point, seed), rule(scheme, at, seed));
                }
            }
        }
        Measured {
            schemes: schemes.iter().map(|name| (*name).to_string()).collect(),
            axes,
            points,
            seeds: (1..=seeds).collect(),
            values,
        }
    }

    /// The same with a scheme's values those of another: what would have been measured
    /// had that one run under its name.
    pub(super) fn with_swapped(mut self, scheme: usize, other: usize) -> Measured {
        let of_other: Vec<_> = (self.values.iter())
            .filter(|((index, ..), _)| *index == other)
            .map(|((_, point, seed), value)| ((scheme, *point, *seed), *value))
            .collect();
        self.values.extend(of_other);
        self
    }

    /// The same with a scheme's values at a point moved to another mean; they lie as far
    /// apart from seed to seed as they did, in shares of the mean.
    pub(super) fn move_mean(&mut self, scheme: usize, point: usize, to: f64) {
        let Some(mean) = self.mean(scheme, point) else {
            return;
        };
        for seed in &self.seeds {
            if let Some(value) = self.values.get_mut(&(scheme, point, *seed)) {
                *value = if mean == 0.0 { to } else { *value * to / mean };
            }
        }
    }

    /// The mean of a scheme's values at a point over the seeds.
    pub(super) fn mean(&self, scheme: usize, point: usize) -> Option<f64> {
        Mean::of(&self.values(scheme, point)?).map(|mean| mean.mean)
    }

    /// A scheme's index.
    pub fn scheme(&self, name: &str) -> Option<usize> {
        self.schemes.iter().position(|scheme| scheme == name)
    }

    /// An axis's index.
    pub fn axis(&self, field: &str) -> Option<usize> {
        self.axes.iter().position(|(axis, _)| axis == field)
    }

    /// The values of a scheme at a point by seed; `None` where one is missing.
    pub fn values(&self, scheme: usize, point: usize) -> Option<Vec<f64>> {
        let value = |seed: &u64| self.values.get(&(scheme, point, *seed)).copied();
        self.seeds.iter().map(value).collect()
    }

    /// A point in words: "network.rtt = 50 ms".
    pub fn place(&self, point: usize) -> String {
        let coordinates = self.axes.iter().zip(&self.points[point]);
        let words =
            coordinates.map(|((field, values), index)| format!("{field} = {}", values[*index]));
        words.collect::<Vec<_>>().join(", ")
    }

    /// The points in rows along an axis: in each, only that axis changes.
    pub fn rows(&self, axis: usize) -> Vec<Vec<usize>> {
        let mut rows: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
        for (point, coordinates) in self.points.iter().enumerate() {
            let mut others = coordinates.clone();
            others.remove(axis);
            match rows.iter_mut().find(|(known, _)| *known == others) {
                Some((_, points)) => points.push(point),
                None => rows.push((others, vec![point])),
            }
        }
        let mut rows: Vec<Vec<usize>> = rows.into_iter().map(|(_, points)| points).collect();
        for row in &mut rows {
            row.sort_by_key(|point| self.points[*point][axis]);
        }
        rows
    }
}
