//! Recorded links: when packets could be sent, or at which rate.
//!
//! A file whose first line has a comma holds `time,rate` lines: see `rates.rs`. Any other is in
//! Mahimahi's format (Netravali et al., "Mahimahi: Accurate Record-and-Replay for HTTP", USENIX
//! ATC 2015, section 3.2). There each line is a time in milliseconds at which 1,500 bytes may leave; a time on several lines
//! gives as many opportunities. At the end the trace repeats, shifted by the last line's time. The
//! unused rest of an opportunity is lost if nothing waits, and a packet may take several
//! opportunities.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use earlydrop::units::{BitsPerSec, Nanos};

use super::rates::RateTrace;
use crate::fine_time::FineTime;

/// The largest mean rate. The times of packets are exact up to it.
const MOST_RATE: BitsPerSec = BitsPerSec(2_000_000_000_000);

/// Bytes that one opportunity can send.
const OPPORTUNITY: u32 = 1500;

/// A recording of a link's opportunities to send, or of its rate. Clones share it.
///
/// ```
/// use earlydrop_sim::network::Trace;
/// let trace: Trace = "0\n0\n5\n10".parse()?;
/// // Four opportunities in 10 ms.
/// assert_eq!(trace.mean_rate().to_string(), "4.8 Mbps");
/// assert!("10\n5".parse::<Trace>().is_err());
/// // 10 Mbps for half a second, 2 Mbps for another.
/// let trace: Trace = "time,rate\n0,10 Mbps\n0.5,2 Mbps\n1,".parse()?;
/// assert_eq!(trace.mean_rate().to_string(), "6 Mbps");
/// # Ok::<(), earlydrop_sim::network::TraceError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Opportunities(OpportunityTrace),
    Rates(RateTrace),
}

/// Recorded opportunities to send.
#[derive(Clone, Debug, PartialEq, Eq)]
struct OpportunityTrace {
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
    pub problem: String,
}

impl TraceError {
    /// The error in a line of this number.
    pub(super) fn new(line: usize, text: &str, problem: impl Into<String>) -> TraceError {
        /// A longer line is no number: it may be the whole of another file.
        const LONGEST: usize = 60;
        let text = match text.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}...", &text[..end]),
            None => text.to_string(),
        };
        TraceError {
            line,
            text,
            problem: problem.into(),
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
        let first = text.lines().find(|line| !line.trim().is_empty());
        let kind = match first.is_some_and(|line| line.contains(',')) {
            true => Kind::Rates(RateTrace::read(text)?),
            false => Kind::Opportunities(text.parse()?),
        };
        Ok(Trace(kind))
    }
}

impl FromStr for OpportunityTrace {
    type Err = TraceError;

    fn from_str(text: &str) -> Result<OpportunityTrace, TraceError> {
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
        let trace = OpportunityTrace {
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
        match &self.0 {
            Kind::Opportunities(trace) => trace.period(),
            Kind::Rates(trace) => trace.period(),
        }
    }

    /// The mean rate.
    pub fn mean_rate(&self) -> BitsPerSec {
        match &self.0 {
            Kind::Opportunities(trace) => trace.mean_rate(),
            Kind::Rates(trace) => trace.mean_rate(),
        }
    }
}

impl OpportunityTrace {
    fn period(&self) -> Nanos {
        self.times[self.times.len() - 1]
    }

    fn mean_rate(&self) -> BitsPerSec {
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

    /// Bytes that the opportunities before `at` could send.
    fn bytes_before(&self, at: Nanos) -> u64 {
        self.first_from(at) * u64::from(OPPORTUNITY)
    }

    fn place(&self, number: u64) -> (u64, usize) {
        let count = self.times.len() as u64;
        (number / count, (number % count) as usize)
    }
}

/// The state of a link that follows a trace.
#[derive(Clone, Debug)]
pub struct Opportunities(State);

#[derive(Clone, Debug)]
enum State {
    Opportunities {
        trace: OpportunityTrace,
        /// The number of the opportunity being used.
        number: u64,
        /// Bytes it can still send.
        left: u32,
    },
    Rates {
        trace: RateTrace,
        /// When the transmission of the last packet ends.
        free_at: Nanos,
    },
}

impl Opportunities {
    /// At the beginning of `trace`, which is time zero.
    pub fn new(trace: Trace) -> Opportunities {
        Opportunities(match trace.0 {
            Kind::Opportunities(trace) => State::Opportunities {
                trace,
                number: 0,
                left: OPPORTUNITY,
            },
            Kind::Rates(trace) => State::Rates {
                trace,
                free_at: Nanos::ZERO,
            },
        })
    }

    /// Sends `size` bytes that are ready at `at`, after everything before; returns when the last
    /// of them leaves. Times must not decrease from one call to the next.
    pub fn send(&mut self, at: Nanos, size: u32) -> Nanos {
        let at = match &self.0 {
            State::Opportunities { .. } => at,
            State::Rates { free_at, .. } => at.max(*free_at),
        };
        at + self.transmission_time(at, size).nanos()
    }

    /// How long `size` bytes take to be sent whose transmission begins at `at`, at or after the
    /// end of the one before.
    pub(crate) fn transmission_time(&mut self, at: Nanos, size: u32) -> FineTime {
        match &mut self.0 {
            State::Opportunities {
                trace,
                number,
                left,
            } => {
                if trace.opportunity(*number) < at {
                    *number = trace.first_from(at);
                    *left = OPPORTUNITY;
                }
                let mut size = size;
                while size > *left {
                    size -= *left;
                    *left = OPPORTUNITY;
                    *number += 1;
                }
                *left -= size;
                trace.opportunity(*number).since(at).into()
            }
            State::Rates { trace, free_at } => {
                let time = trace.transmission_time(at, size);
                *free_at = at + time.nanos();
                time
            }
        }
    }

    /// What could be sent before `at`, in units of the trace: see [`work_of`](Self::work_of).
    pub(crate) fn possible_before(&self, at: Nanos) -> i128 {
        match &self.0 {
            State::Opportunities { trace, .. } => i128::from(trace.bytes_before(at)),
            State::Rates { trace, .. } => trace.possible_before(at) as i128,
        }
    }

    /// What is already used at or after `at`, by packets that were ready before `at`.
    pub(crate) fn used_from(&self, at: Nanos) -> i128 {
        match &self.0 {
            State::Opportunities {
                trace,
                number,
                left,
            } => {
                // Such packets skip none of these opportunities.
                let used = number * u64::from(OPPORTUNITY) + u64::from(OPPORTUNITY - left);
                i128::from(used.saturating_sub(trace.bytes_before(at)))
            }
            State::Rates { trace, free_at } => {
                let used = trace.possible_before(*free_at) as i128;
                (used - trace.possible_before(at) as i128).max(0)
            }
        }
    }

    /// The work of sending `bytes`, in units of the trace: bytes of opportunities, or billionths
    /// of a bit at a rate.
    pub(crate) fn work_of(&self, bytes: u64) -> i128 {
        match &self.0 {
            State::Opportunities { .. } => i128::from(bytes),
            State::Rates { .. } => RateTrace::work_of(u128::from(bytes)) as i128,
        }
    }
}

#[cfg(test)]
#[path = "csv_trace_tests.rs"]
mod csv_tests;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opportunities_repeat() {
        let trace: OpportunityTrace = "0\n3\n3\n10\n".parse().unwrap();
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
