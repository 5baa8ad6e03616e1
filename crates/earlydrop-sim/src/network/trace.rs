//! Recorded links: when packets could be sent, in Mahimahi's format.
//!
//! Each line is a time in milliseconds at which 1,500 bytes may leave; a time on several lines
//! gives as many opportunities. At the end the trace repeats, shifted by the last line's time. The
//! unused rest of an opportunity is lost if nothing waits, and a packet may take several
//! opportunities.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use earlydrop::units::{BitsPerSec, Nanos};

/// The largest mean rate. The times of packets are exact up to it.
const MOST_RATE: BitsPerSec = BitsPerSec(2_000_000_000_000);

/// Bytes that one opportunity can send.
const OPPORTUNITY: u32 = 1500;

/// A recording of a link's opportunities to send. Clones share it.
///
/// ```
/// use earlydrop_sim::network::Trace;
/// let trace: Trace = "0\n0\n5\n10".parse()?;
/// // Four opportunities in 10 ms.
/// assert_eq!(trace.mean_rate().to_string(), "4.8 Mbps");
/// assert!("10\n5".parse::<Trace>().is_err());
/// # Ok::<(), earlydrop_sim::network::TraceError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    times: Arc<[Nanos]>,
}

/// Why a text is no trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceError {
    /// The line, counted from 1.
    pub line: usize,
    /// The text of the line, or its beginning and "..." where it is long.
    pub text: String,
    /// What is wrong with the text.
    pub problem: &'static str,
}

impl TraceError {
    /// The error in a line of this number.
    fn new(line: usize, text: &str, problem: &'static str) -> TraceError {
        /// A longer line is no number: it may be the whole of another file.
        const LONGEST: usize = 60;
        let text = match text.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}...", &text[..end]),
            None => text.to_string(),
        };
        TraceError {
            line,
            text,
            problem,
        }
    }
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TraceError {
            line,
            text,
            problem,
        } = self;
        write!(f, "trace, line {line}: \"{text}\" {problem}")
    }
}

impl std::error::Error for TraceError {}

impl FromStr for Trace {
    type Err = TraceError;

    fn from_str(text: &str) -> Result<Trace, TraceError> {
        let mut times: Vec<Nanos> = Vec::new();
        let mut last = (1, "");
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            let wrong = |problem| TraceError::new(index + 1, line, problem);
            if line.is_empty() {
                continue;
            }
            let millis: u32 = line
                .parse()
                .map_err(|_| wrong("is not a whole number of milliseconds"))?;
            let at = Nanos::from_millis(u64::from(millis));
            if times.last().is_some_and(|before| *before > at) {
                return Err(wrong("is earlier than the line before"));
            }
            times.push(at);
            last = (index + 1, line);
        }
        if times.last().is_none_or(|end| *end == Nanos::ZERO) {
            let problem = "ends the trace at time zero; it must last at least 1 ms";
            return Err(TraceError::new(last.0, last.1, problem));
        }
        let trace = Trace {
            times: times.into(),
        };
        let problem = match trace.mean_rate() {
            BitsPerSec(0) => "ends a trace of less than one bit per second",
            rate if rate > MOST_RATE => "ends a trace of more than 2000 Gbps",
            _ => return Ok(trace),
        };
        Err(TraceError::new(last.0, last.1, problem))
    }
}

impl Trace {
    /// How long it lasts before it repeats.
    pub fn period(&self) -> Nanos {
        self.times[self.times.len() - 1]
    }

    /// The mean rate.
    pub fn mean_rate(&self) -> BitsPerSec {
        let bits = self.times.len() as u128 * u128::from(OPPORTUNITY) * 8;
        BitsPerSec((bits * 1_000_000_000 / u128::from(self.period().0)) as u64)
    }

    /// The time of the opportunity of this number.
    fn opportunity(&self, number: u64) -> Nanos {
        let (round, index) = self.place(number);
        Nanos(round * self.period().0) + self.times[index]
    }

    /// The number of the first opportunity at or after `at`.
    fn first_from(&self, at: Nanos) -> u64 {
        let (round, within) = (at.0 / self.period().0, at.0 % self.period().0);
        let index = self.times.partition_point(|time| time.0 < within) as u64;
        let count = self.times.len() as u64;
        // The beginning of a round is the end of the round before, whose last opportunities count.
        if within == 0 && round > 0 {
            let last = self.times.partition_point(|time| *time < self.period()) as u64;
            return (round - 1) * count + last;
        }
        round * count + index
    }

    fn place(&self, number: u64) -> (u64, usize) {
        let count = self.times.len() as u64;
        (number / count, (number % count) as usize)
    }
}

/// The state of a link that follows a trace.
#[derive(Clone, Debug)]
pub struct Opportunities {
    trace: Trace,
    /// The number of the opportunity being used.
    number: u64,
    /// Bytes it can still send.
    left: u32,
}

impl Opportunities {
    /// At the beginning of `trace`, which is time zero.
    pub fn new(trace: Trace) -> Opportunities {
        Opportunities {
            trace,
            number: 0,
            left: OPPORTUNITY,
        }
    }

    /// Sends `size` bytes that are ready at `at`; returns when the last of them leaves. Times must
    /// not decrease from one call to the next.
    pub fn send(&mut self, at: Nanos, size: u32) -> Nanos {
        if self.trace.opportunity(self.number) < at {
            self.number = self.trace.first_from(at);
            self.left = OPPORTUNITY;
        }
        let mut size = size;
        while size > self.left {
            size -= self.left;
            self.left = OPPORTUNITY;
            self.number += 1;
        }
        self.left -= size;
        self.trace.opportunity(self.number)
    }

    /// Bytes that the opportunities before `at` could send.
    pub(crate) fn offered_before(&self, at: Nanos) -> u64 {
        self.trace.first_from(at) * u64::from(OPPORTUNITY)
    }

    /// Bytes of opportunities at or after `at` that are already used, by packets that were ready
    /// before `at`.
    pub(crate) fn used_from(&self, at: Nanos) -> u64 {
        // Such packets skip none of these opportunities.
        let used = self.number * u64::from(OPPORTUNITY) + u64::from(OPPORTUNITY - self.left);
        used.saturating_sub(self.offered_before(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opportunities_repeat() {
        let trace: Trace = "0\n3\n3\n10\n".parse().unwrap();
        let times: Vec<u64> = (0..9).map(|n| trace.opportunity(n).0 / 1_000_000).collect();
        assert_eq!(times, [0, 3, 3, 10, 10, 13, 13, 20, 20]);
        for at in 0..25 {
            let first = trace.first_from(Nanos::from_millis(at));
            let expected = (0..).find(|n| trace.opportunity(*n) >= Nanos::from_millis(at));
            assert_eq!(Some(first), expected, "from {at} ms");
        }
    }

    #[test]
    fn errors_name_line_and_problem() {
        let wrong = |text: &str| text.parse::<Trace>().unwrap_err().to_string();
        assert_eq!(
            wrong("1\nx"),
            "trace, line 2: \"x\" is not a whole number of milliseconds"
        );
        assert_eq!(
            wrong("5\n4"),
            "trace, line 2: \"4\" is earlier than the line before"
        );
        let other_file = "x".repeat(1 << 20);
        let short = format!("\"{}...\" is not a whole number", "x".repeat(60));
        assert!(wrong(&other_file).contains(&short));
        assert!(wrong("4294967295").contains("less than one bit per second"));
        // 12 Mbps for each opportunity in a millisecond.
        assert!("1\n".repeat(166_666).parse::<Trace>().is_ok());
        assert!(wrong(&"1\n".repeat(166_667)).contains("more than 2000 Gbps"));
        assert!(wrong("").contains("time zero"));
        assert!(wrong("0\n0").contains("time zero"));
    }
}
