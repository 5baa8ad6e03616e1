//! How well rises of a series detect a condition on other series: hits and false alarms.

use std::fmt;
use std::str::FromStr;

use super::selector::SelectorError;

/// A detector's rate: a series that rises is an alarm, a condition on other series is what it is
/// to detect. Both are read in each sampling interval.
///
/// ```
/// use earlydrop_papers::claims::Selector;
///
/// let text = "detects:max_p:arrivals of udp above arrivals of tcp:advantage";
/// let selector: Selector = text.parse()?;
/// assert_eq!(
///     selector.to_string(),
///     "rate of rises of max_p where arrivals of udp above arrivals of tcp, less the rate elsewhere"
/// );
/// # Ok::<(), earlydrop_papers::claims::SelectorError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detection {
    /// What is an alarm.
    pub alarm: Alarm,
    /// What is to be detected.
    pub condition: Condition,
    /// The rate.
    pub rate: DetectionRate,
    /// Only intervals at whose end this series lies strictly between the bounds count.
    pub within: Option<(String, Bound, Bound)>,
}

/// A movement of a series in one sampling interval that is an alarm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Alarm {
    /// The series is above its value in the interval before: "max_p".
    Rise(String),
    /// Its change is above that of the interval before, its second difference positive:
    /// "queue quickens".
    Quickening(String),
}

/// A condition on the series of a run in one sampling interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The first series is above the second: "arrivals of udp above arrivals of tcp".
    Above(String, String),
    /// The series is above its value in the interval before: "arrivals of udp rise".
    Rise(String),
    /// The sum of both is above its value in the interval before:
    /// "arrivals of udp and arrivals of tcp rise".
    SumRise(String, String),
}

/// A rate of a detector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DetectionRate {
    /// The share of the intervals with the condition that have an alarm.
    Hits,
    /// The share of the intervals without the condition that have an alarm.
    FalseAlarms,
    /// Hits less false alarms (Youden's J): 1 for a perfect detector, 0 for alarms at random.
    Advantage,
    /// The share of the alarms that come with the condition.
    Precision,
}

/// A number as written, which can be compared for equality.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound(String);

impl Bound {
    fn parse(text: &str) -> Result<Bound, SelectorError> {
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Bound(text.to_string())),
            _ => Err(SelectorError::Bound(text.to_string())),
        }
    }

    fn value(&self) -> f64 {
        self.0.parse().unwrap_or(f64::NAN)
    }
}

impl Alarm {
    fn parse(text: &str) -> Alarm {
        match text.strip_suffix(" quickens") {
            Some(series) => Alarm::Quickening(series.to_string()),
            None => Alarm::Rise(text.to_string()),
        }
    }

    fn series(&self) -> &String {
        match self {
            Alarm::Rise(series) | Alarm::Quickening(series) => series,
        }
    }

    /// The first interval that can have it.
    fn first(&self) -> usize {
        match self {
            Alarm::Rise(_) => 1,
            Alarm::Quickening(_) => 2,
        }
    }

    fn is_given(&self, values: &[f64], end: usize) -> bool {
        let change = |end: usize| values[end] - values[end - 1];
        match self {
            Alarm::Rise(_) => change(end) > 0.0,
            Alarm::Quickening(_) => change(end) > change(end - 1),
        }
    }
}

impl FromStr for Condition {
    type Err = SelectorError;

    fn from_str(text: &str) -> Result<Condition, SelectorError> {
        if let Some((one, other)) = text.split_once(" above ") {
            return Ok(Condition::Above(one.to_string(), other.to_string()));
        }
        let Some(series) = text.strip_suffix(" rise") else {
            return Err(SelectorError::Condition(text.to_string()));
        };
        Ok(match series.split_once(" and ") {
            Some((one, other)) => Condition::SumRise(one.to_string(), other.to_string()),
            None => Condition::Rise(series.to_string()),
        })
    }
}

impl FromStr for DetectionRate {
    type Err = SelectorError;

    fn from_str(text: &str) -> Result<DetectionRate, SelectorError> {
        match text {
            "hits" => Ok(DetectionRate::Hits),
            "false-alarms" => Ok(DetectionRate::FalseAlarms),
            "advantage" => Ok(DetectionRate::Advantage),
            "precision" => Ok(DetectionRate::Precision),
            _ => Err(SelectorError::Rate(text.to_string())),
        }
    }
}

impl Detection {
    /// Reads what follows "detects:", split at colons; `None` where the number of parts is wrong.
    pub(super) fn parse(parts: &[&str]) -> Option<Result<Detection, SelectorError>> {
        let within = match parts {
            [_, _, _] => Ok(None),
            [_, _, _, series, low, high] => Bound::parse(low)
                .and_then(|low| Ok(Some((series.to_string(), low, Bound::parse(high)?)))),
            _ => return None,
        };
        let read = || {
            Ok(Detection {
                alarm: Alarm::parse(parts[0]),
                condition: parts[1].parse()?,
                rate: parts[2].parse()?,
                within: within?,
            })
        };
        Some(read())
    }

    /// The series that it needs: the alarm's, two of the condition, and the one that bounds the
    /// intervals. Where it needs fewer, one is named twice.
    pub(super) fn series(&self) -> [&String; 4] {
        let (one, other) = match &self.condition {
            Condition::Above(one, other) | Condition::SumRise(one, other) => (one, other),
            Condition::Rise(series) => (series, series),
        };
        let bounded = self.within.as_ref().map_or(one, |(series, ..)| series);
        [self.alarm.series(), one, other, bounded]
    }

    /// The rate in samples of [`Detection::series`]; `None` where it is a share of none.
    pub(super) fn rate_of(&self, [alarm, one, other, bounded]: [&[f64]; 4]) -> Option<f64> {
        let bounds = self.within.as_ref();
        let bounds = bounds.map(|(_, low, high)| (low.value(), high.value()));
        let length = [alarm, one, other, bounded].map(<[f64]>::len);
        // Intervals and alarms, without the condition and with it.
        let mut counts = [(0_u32, 0_u32); 2];
        for end in self.alarm.first()..length.into_iter().min()? {
            if bounds.is_some_and(|(low, high)| bounded[end] <= low || bounded[end] >= high) {
                continue;
            }
            let holds = match self.condition {
                Condition::Above(..) => one[end] > other[end],
                Condition::Rise(_) => one[end] > one[end - 1],
                Condition::SumRise(..) => one[end] + other[end] > one[end - 1] + other[end - 1],
            };
            let (intervals, alarms) = &mut counts[usize::from(holds)];
            *intervals += 1;
            *alarms += u32::from(self.alarm.is_given(alarm, end));
        }
        let [(without, false_alarms), (with, hits)] = counts;
        match self.rate {
            DetectionRate::Hits => share(hits, with),
            DetectionRate::FalseAlarms => share(false_alarms, without),
            DetectionRate::Advantage => Some(share(hits, with)? - share(false_alarms, without)?),
            DetectionRate::Precision => share(hits, hits + false_alarms),
        }
    }
}

fn share(part: u32, whole: u32) -> Option<f64> {
    (whole > 0).then(|| f64::from(part) / f64::from(whole))
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::Above(one, other) => write!(f, "{one} above {other}"),
            Condition::Rise(series) => write!(f, "{series} rise"),
            Condition::SumRise(one, other) => write!(f, "{one} and {other} rise"),
        }
    }
}

impl fmt::Display for Alarm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Alarm::Rise(series) => write!(f, "rises of {series}"),
            Alarm::Quickening(series) => write!(f, "quickenings of {series}"),
        }
    }
}

impl fmt::Display for Detection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (alarm, condition) = (&self.alarm, &self.condition);
        match self.rate {
            DetectionRate::Hits => write!(f, "rate of {alarm} where {condition}"),
            DetectionRate::FalseAlarms => {
                write!(f, "rate of {alarm} except where {condition}")
            }
            DetectionRate::Advantage => write!(
                f,
                "rate of {alarm} where {condition}, less the rate elsewhere"
            ),
            DetectionRate::Precision => {
                write!(f, "share of {alarm} that come where {condition}")
            }
        }?;
        match &self.within {
            Some((series, low, high)) => write!(f, " ({series} in {}..{})", low.0, high.0),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::claims::Selector;

    fn rate(text: &str, series: [&[f64]; 4]) -> Option<f64> {
        match text.parse().unwrap() {
            Selector::Detection(detection) => detection.rate_of(series),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn hits_and_false_alarms_are_shares_of_intervals() {
        // Alarms in intervals 1 and 4.
        let alarm = [1.0, 2.0, 2.0, 1.0, 3.0, 3.0];
        // Above 5 in intervals 1, 2 and 5: one alarm of 3, and one of the other 2.
        let one = [0.0, 9.0, 9.0, 4.0, 1.0, 8.0];
        let (five, avg) = ([5.0; 6], [0.0, 2.0, 2.0, 2.0, 7.0, 7.0]);
        let all: [&[f64]; 4] = [&alarm, &one, &five, &avg];
        assert_eq!(rate("detects:a:b above c:hits", all), Some(1.0 / 3.0));
        assert_eq!(rate("detects:a:b above c:false-alarms", all), Some(0.5));
        assert_eq!(
            rate("detects:a:b above c:advantage", all),
            Some(1.0 / 3.0 - 0.5)
        );
        assert_eq!(rate("detects:a:b above c:precision", all), Some(0.5));
        // b rises in intervals 1 and 5.
        assert_eq!(rate("detects:a:b rise:hits", all), Some(0.5));
        // Interval 4 and 5 are out: one alarm of 2, none of 1.
        let within = "detects:a:b above c:advantage:d:0:7";
        assert_eq!(rate(within, all), Some(0.5));
        let never: [&[f64]; 4] = [&alarm, &[0.0; 6], &five, &avg];
        assert_eq!(rate("detects:a:b above c:hits", never), None);
        let still: [&[f64]; 4] = [&five, &one, &five, &avg];
        assert_eq!(rate("detects:a:b rise:precision", still), None);
        assert_eq!(rate("detects:a:b rise:advantage", still), Some(0.0));
    }

    #[test]
    fn a_quickening_is_a_positive_second_difference() {
        // Changes of 1, 3, 3 and -1: it quickens in interval 2 only.
        let alarm = [0.0, 1.0, 4.0, 7.0, 6.0];
        // Sums of 5, 5, 7, 6 and 7: they rise in intervals 2 and 4.
        let (one, other) = ([5.0, 1.0, 3.0, 3.0, 3.0], [0.0, 4.0, 4.0, 3.0, 4.0]);
        let all: [&[f64]; 4] = [&alarm, &one, &other, &alarm];
        assert_eq!(rate("detects:a quickens:b and c rise:hits", all), Some(0.5));
        let precision = rate("detects:a quickens:b and c rise:precision", all);
        assert_eq!(precision, Some(1.0));
        let text = "detects:queue quickens:a and b rise:precision";
        let selector: Selector = text.parse().unwrap();
        let said = "share of quickenings of queue that come where a and b rise";
        assert_eq!(selector.to_string(), said);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let error = |text: &str| text.parse::<Selector>().unwrap_err().to_string();
        assert_eq!(
            error("detects:a:b above c:recall"),
            "detectors have no rate recall: allowed are hits, false-alarms, advantage and precision"
        );
        assert_eq!(
            error("detects:a:b:hits"),
            "\"b\" is no condition: allowed are \"SERIES above SERIES\", \"SERIES rise\" \
             and \"SERIES and SERIES rise\""
        );
        assert_eq!(
            error("detects:a:b rise:hits:average:150:max"),
            "max is no number: after a series come its low and its high bound"
        );
        assert!(error("detects:a:b").contains("detects:SERIES:CONDITION:RATE"));
    }
}
