//! The quantity that a claim or a figure measures in each run.

use std::fmt;
use std::str::FromStr;

use earlydrop::registry::nearest;
use earlydrop_lab::metrics::{self, METRICS};

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
    /// The mean over all samples of |a - b| / (a + b), for two series a and b:
    /// "apart:arrivals of near:arrivals of far".
    Apart(String, String),
    /// The share of a series' increases that fall into sampling intervals in which a second
    /// series is above a third: "rises:max_p:arrivals of udp:arrivals of tcp".
    Rises(String, String, String),
    /// A statistic of a series sampled at the watched link, after the warm-up:
    /// "series:average:deviation".
    Series(String, SeriesStatistic),
}

/// A statistic of the samples of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeriesStatistic {
    /// Their mean.
    Mean,
    /// Their standard deviation, of the samples as a population.
    Deviation,
    /// The largest.
    Largest,
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
    /// There is no such statistic.
    #[error("series have no statistic {0}: allowed are mean, deviation and largest")]
    Statistic(String),
    /// It has another form than all selectors.
    #[error(
        "\"{0}\" is neither METRIC, group:NAME:METRIC, groups:NAME:NAME:METRIC, \
         series:SERIES:mean (deviation, largest), apart:SERIES:SERIES nor \
         rises:SERIES:SERIES:SERIES"
    )]
    Form(String),
}

fn did_you_mean(nearest: &Option<&'static str>) -> String {
    nearest.map_or(String::new(), |name| format!("; did you mean {name}?"))
}

impl FromStr for SeriesStatistic {
    type Err = SelectorError;

    fn from_str(text: &str) -> Result<SeriesStatistic, SelectorError> {
        match text {
            "mean" => Ok(SeriesStatistic::Mean),
            "deviation" => Ok(SeriesStatistic::Deviation),
            "largest" => Ok(SeriesStatistic::Largest),
            _ => Err(SelectorError::Statistic(text.to_string())),
        }
    }
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
            ["apart", one, other] => Ok(Selector::Apart(name(one), name(other))),
            ["rises", series, one, other] => {
                Ok(Selector::Rises(name(series), name(one), name(other)))
            }
            ["series", series, statistic] => Ok(Selector::Series(name(series), statistic.parse()?)),
            _ => Err(SelectorError::Form(text.to_string())),
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
            Selector::Series(name, SeriesStatistic::Mean) => write!(f, "mean {name}"),
            Selector::Series(name, SeriesStatistic::Deviation) => write!(f, "deviation of {name}"),
            Selector::Series(name, SeriesStatistic::Largest) => write!(f, "largest {name}"),
        }
    }
}
