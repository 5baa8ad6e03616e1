//! The quantity that a claim or a figure measures in each run.

use std::fmt;
use std::str::FromStr;

use earlydrop::registry::nearest;
use earlydrop_lab::metrics::{self, METRICS};

use super::detection::Detection;

/// The quantity that is measured in a run.
///
/// ```
/// use earlydrop_papers::claims::Selector;
///
/// let selector: Selector = "group:ftp:goodput".parse()?;
/// assert_eq!(selector.to_string(), "goodput of ftp");
/// # Ok::<(), earlydrop_papers::claims::SelectorError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Selector {
    /// A metric: "queue_mean".
    Metric(String),
    /// A metric of a group of flows: "group:ftp:goodput".
    Group(String, String),
    /// The ratio of one group's metric to another's: "groups:udp:tcp:loss".
    Ratio(String, String, String),
    /// The sum of a metric over two groups: "sum:cbr-near:cbr-far:throughput".
    Sum(String, String, String),
    /// The square root of a metric: "root:queue_loss".
    Root(String),
    /// How often something happened in the time measured, of a metric that is a number a second:
    /// "count:timeouts". A table that prints counts is compared with this, whatever the length of
    /// the run.
    Count(String),
    /// The constant of the rate of TCP, sqrt(p) R T, of a group: "mathis:ftp". p is its loss, R the
    /// segments per second of a flow, T its mean round-trip time, which must be measured. M. Mathis
    /// et al., "The Macroscopic Behavior of the TCP Congestion Avoidance Algorithm", 1997,
    /// equation (3).
    Mathis(String),
    /// The mean over all samples of |a - b| / (a + b), for two series a and b:
    /// "apart:arrivals of near:arrivals of far".
    Apart(String, String),
    /// The share of a series' increases that fall into sampling intervals in which a second
    /// series is above a third: "rises:max_p:arrivals of udp:arrivals of tcp".
    Rises(String, String, String),
    /// The share of a series' samples, after the warm-up, that lie between two bounds:
    /// "within:average:40:120".
    Within(String, Bounds),
    /// The seconds from a time of the run on, or from the end of the warm-up where that is later,
    /// until two series of events have together had so many: "until:drops:marks:20:10". A run without
    /// so many has none.
    Until(String, String, Wait),
    /// A rate of a detector: "detects:max_p:arrivals of udp above arrivals of tcp:hits".
    Detection(Detection),
    /// A statistic of a series sampled at the watched link, after the warm-up:
    /// "series:average:deviation".
    Series(String, SeriesStatistic),
}

/// Two bounds of a series, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    low: String,
    high: String,
}

impl Bounds {
    fn parse(low: &str, high: &str) -> Result<Bounds, SelectorError> {
        for bound in [low, high] {
            let number = bound
                .parse::<f64>()
                .ok()
                .filter(|number| number.is_finite());
            number.ok_or_else(|| SelectorError::Bound(bound.to_string()))?;
        }
        Ok(Bounds {
            low: low.to_string(),
            high: high.to_string(),
        })
    }

    /// Whether a value lies between both, or at one.
    pub(crate) fn contain(&self, value: f64) -> bool {
        let number = |bound: &str| bound.parse::<f64>().unwrap_or(f64::NAN);
        (number(&self.low)..=number(&self.high)).contains(&value)
    }
}

/// How many events are waited for, and from when on, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    from: String,
    count: String,
}

impl Wait {
    fn parse(from: &str, count: &str) -> Result<Wait, SelectorError> {
        for number in [from, count] {
            let read = number.parse::<u32>();
            read.map_err(|_| SelectorError::Wait(number.to_string()))?;
        }
        Ok(Wait {
            from: from.to_string(),
            count: count.to_string(),
        })
    }

    /// The seconds that two series, sampled at an interval from the end of the warm-up on, take to
    /// have so many events.
    pub(crate) fn seconds(
        &self,
        interval: f64,
        warm_up: f64,
        [one, other]: [&[f64]; 2],
    ) -> Option<f64> {
        let number = |text: &str| text.parse::<f64>().ok();
        let (from, count) = (number(&self.from)?, number(&self.count)?);
        let begins = ((from - warm_up).max(0.0) / interval).round() as usize;
        let mut events = one.iter().zip(other).skip(begins);
        let mut seen = 0.0;
        let after = events.position(|(one, other)| {
            seen += one + other;
            seen >= count
        })?;
        Some((after + 1) as f64 * interval)
    }
}

/// A statistic of the samples of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeriesStatistic {
    /// Their mean.
    Mean,
    /// Their standard deviation, of the samples as a population.
    Deviation,
    /// The standard deviation of the second half of them.
    LaterDeviation,
    /// The largest.
    Largest,
    /// The seconds until one is within 10% of the mean of the second half.
    Settling,
}

/// Why a text is no [`Selector`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectorError {
    /// There is no such metric.
    #[error("no metric is called {name}{}", did_you_mean(.nearest))]
    Metric {
        /// The name.
        name: String,
        /// The metric whose name is closest, if one is close.
        nearest: Option<&'static str>,
    },
    /// The metric of two groups together is not the sum of both.
    #[error("{name} of two groups is not the sum of both: allowed are {}", ADDITIVE.join(", "))]
    Sum {
        /// The metric.
        name: String,
    },
    /// The metric is no number of events a second.
    #[error("{name} is no number of events a second: allowed are {}", counted().join(", "))]
    Count {
        /// The metric.
        name: String,
    },
    /// There is no such statistic.
    #[error("series have no statistic {0}: allowed are {names}", names = statistic_names())]
    Statistic(String),
    /// Detectors have no such rate.
    #[error("detectors have no rate {0}: allowed are hits, false-alarms, advantage and precision")]
    Rate(String),
    /// It is no condition on series.
    #[error(
        "\"{0}\" is no condition: allowed are \"SERIES above SERIES\", \"SERIES rise\" \
         and \"SERIES and SERIES rise\""
    )]
    Condition(String),
    /// A bound of a series is no number.
    #[error("{0} is no number: after a series come its low and its high bound")]
    Bound(String),
    /// A time or a number of events is no whole number.
    #[error("{0} is no whole number: after two series come seconds and a number of events")]
    Wait(String),
    /// It has another form than all selectors.
    #[error(
        "\"{0}\" is neither METRIC, root:METRIC, count:METRIC, group:NAME:METRIC, groups:NAME:NAME:METRIC, \
         sum:NAME:NAME:METRIC, mathis:NAME, series:SERIES:STATISTIC, apart:SERIES:SERIES, \
         rises:SERIES:SERIES:SERIES, within:SERIES:LOW:HIGH, until:SERIES:SERIES:SECONDS:COUNT nor detects:SERIES:CONDITION:RATE (and :SERIES:LOW:HIGH)"
    )]
    Form(String),
}

fn did_you_mean(nearest: &Option<&'static str>) -> String {
    nearest.map_or(String::new(), |name| format!("; did you mean {name}?"))
}

impl FromStr for SeriesStatistic {
    type Err = SelectorError;

    fn from_str(text: &str) -> Result<SeriesStatistic, SelectorError> {
        let known = STATISTICS.iter().find(|(name, _)| *name == text);
        known
            .map(|(_, statistic)| *statistic)
            .ok_or_else(|| SelectorError::Statistic(text.to_string()))
    }
}

const STATISTICS: [(&str, SeriesStatistic); 5] = [
    ("mean", SeriesStatistic::Mean),
    ("deviation", SeriesStatistic::Deviation),
    ("later-deviation", SeriesStatistic::LaterDeviation),
    ("largest", SeriesStatistic::Largest),
    ("settling", SeriesStatistic::Settling),
];

fn statistic_names() -> String {
    STATISTICS.map(|(name, _)| name).join(", ")
}

impl FromStr for Selector {
    type Err = SelectorError;

    fn from_str(text: &str) -> Result<Selector, SelectorError> {
        let parts: Vec<&str> = text.split(':').collect();
        let name = |part: &str| part.to_string();
        match *parts.as_slice() {
            [metric] => Ok(Selector::Metric(known_metric(metric)?)),
            ["group", group, metric] => Ok(Selector::Group(name(group), known_metric(metric)?)),
            ["groups", one, other, metric] => Ok(Selector::Ratio(
                name(one),
                name(other),
                known_metric(metric)?,
            )),
            ["sum", one, other, metric] => Ok(Selector::Sum(
                name(one),
                name(other),
                additive_metric(metric)?,
            )),
            ["count", metric] => Ok(Selector::Count(counted_metric(metric)?)),
            ["root", metric] => Ok(Selector::Root(known_metric(metric)?)),
            ["mathis", group] => Ok(Selector::Mathis(name(group))),
            ["apart", one, other] => Ok(Selector::Apart(name(one), name(other))),
            ["rises", series, one, other] => {
                Ok(Selector::Rises(name(series), name(one), name(other)))
            }
            ["within", series, low, high] => {
                Ok(Selector::Within(name(series), Bounds::parse(low, high)?))
            }
            ["until", one, other, from, count] => Ok(Selector::Until(
                name(one),
                name(other),
                Wait::parse(from, count)?,
            )),
            ["detects", ref parts @ ..] => match Detection::parse(parts) {
                Some(detection) => detection.map(Selector::Detection),
                None => Err(SelectorError::Form(text.to_string())),
            },
            ["series", series, statistic] => Ok(Selector::Series(name(series), statistic.parse()?)),
            _ => Err(SelectorError::Form(text.to_string())),
        }
    }
}

impl Selector {
    /// Its text, where it is no statistic of a series: "goodput", "count:timeouts", "group:tcp:loss".
    pub fn name(&self) -> Option<String> {
        match self {
            Selector::Metric(name) => Some(name.clone()),
            Selector::Count(name) => Some(format!("count:{name}")),
            Selector::Root(name) => Some(format!("root:{name}")),
            Selector::Group(group, name) => Some(format!("group:{group}:{name}")),
            Selector::Ratio(one, other, name) => Some(format!("groups:{one}:{other}:{name}")),
            _ => None,
        }
    }
}

fn known_metric(name: &str) -> Result<String, SelectorError> {
    if metrics::index_of(name).is_some() {
        return Ok(name.to_string());
    }
    Err(SelectorError::Metric {
        name: name.to_string(),
        nearest: nearest(name, METRICS.iter().map(|metric| metric.name)),
    })
}

/// The unit of a metric that counts events.
pub(crate) const EVENTS: &str = "/s";

/// The metrics that are numbers of events a second.
fn counted() -> Vec<&'static str> {
    let counted = METRICS.iter().filter(|metric| metric.unit == EVENTS);
    counted.map(|metric| metric.name).collect()
}

fn counted_metric(name: &str) -> Result<String, SelectorError> {
    let name = known_metric(name)?;
    match counted().contains(&name.as_str()) {
        true => Ok(name),
        false => Err(SelectorError::Count { name }),
    }
}

/// The metrics of which two groups together have the sum of both.
const ADDITIVE: [&str; 5] = [
    "goodput",
    "throughput",
    "timeouts",
    "retransmissions",
    "transfers",
];

fn additive_metric(name: &str) -> Result<String, SelectorError> {
    let name = known_metric(name)?;
    match ADDITIVE.contains(&name.as_str()) {
        true => Ok(name),
        false => Err(SelectorError::Sum { name }),
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Selector::Metric(name) => f.write_str(name),
            Selector::Group(group, name) => write!(f, "{name} of {group}"),
            Selector::Ratio(one, other, name) => write!(f, "{name} of {one} over that of {other}"),
            Selector::Sum(one, other, name) => write!(f, "{name} of {one} and {other} together"),
            Selector::Root(name) => write!(f, "square root of {name}"),
            Selector::Count(name) => write!(f, "number of {name}"),
            Selector::Mathis(group) => write!(f, "constant of TCP's rate of {group}"),
            Selector::Apart(one, other) => write!(f, "{one} apart from {other}"),
            Selector::Rises(name, one, other) => {
                write!(f, "rises of {name} while {one} is above {other}")
            }
            Selector::Within(name, Bounds { low, high }) => {
                write!(f, "share of the time with {name} from {low} to {high}")
            }
            Selector::Until(one, other, Wait { from, count }) => {
                write!(f, "seconds from {from} s until {count} {one} and {other}")
            }
            Selector::Detection(detection) => detection.fmt(f),
            Selector::Series(name, statistic) => match statistic {
                SeriesStatistic::Mean => write!(f, "mean {name}"),
                SeriesStatistic::Deviation => write!(f, "deviation of {name}"),
                SeriesStatistic::LaterDeviation => write!(f, "deviation of {name}, second half"),
                SeriesStatistic::Largest => write!(f, "largest {name}"),
                SeriesStatistic::Settling => write!(f, "settling time of {name}"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_adds_up_is_summed() {
        let sum: Selector = "sum:near:far:throughput".parse().unwrap();
        assert_eq!(sum.to_string(), "throughput of near and far together");
        let error = "sum:near:far:loss".parse::<Selector>().unwrap_err();
        let expected = "loss of two groups is not the sum of both: allowed are goodput, ";
        assert!(error.to_string().starts_with(expected), "{error}");
        assert!("sum:near:far:los".parse::<Selector>().is_err());
    }

    #[test]
    fn bounds_are_numbers_and_belong_to_them() {
        let within: Selector = "within:average:40:120".parse().unwrap();
        let said = "share of the time with average from 40 to 120";
        assert_eq!(within.to_string(), said);
        assert!("within:average:40:much".parse::<Selector>().is_err());
        let bounds = Bounds::parse("40", "120").unwrap();
        let inside = [39.9, 40.0, 120.0, 120.1].map(|value| bounds.contain(value));
        assert_eq!(inside, [false, true, true, false]);
    }

    #[test]
    fn events_are_waited_for_from_a_time_on() {
        let until: Selector = "until:drops:marks:2:5".parse().unwrap();
        assert_eq!(
            until.to_string(),
            "seconds from 2 s until 5 drops and marks"
        );
        assert!("until:drops:marks:2:few".parse::<Selector>().is_err());
        let Selector::Until(_, _, wait) = until else {
            panic!("{until:?}");
        };
        let (drops, marks) = (
            [9.0, 9.0, 9.0, 9.0, 1.0, 0.0, 2.0],
            [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 2.0],
        );
        // Half seconds: from the fifth on 2, 2 and 6.
        assert_eq!(wait.seconds(0.5, 0.0, [&drops, &marks]), Some(1.5));
        assert_eq!(wait.seconds(0.5, 0.0, [&drops[..6], &marks[..6]]), None);
        // The time is the run's: after a warm-up of 2 s the same events are the first samples.
        assert_eq!(
            wait.seconds(0.5, 2.0, [&drops[4..], &marks[4..]]),
            Some(1.5)
        );
    }

    #[test]
    fn only_what_happens_is_counted() {
        let count: Selector = "count:timeouts".parse().unwrap();
        assert_eq!(count.to_string(), "number of timeouts");
        let error = "count:goodput".parse::<Selector>().unwrap_err();
        let expected = "goodput is no number of events a second: allowed are timeouts";
        assert!(error.to_string().starts_with(expected), "{error}");
    }
}
