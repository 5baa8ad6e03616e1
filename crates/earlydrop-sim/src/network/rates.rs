//! Links whose rate is recorded: a rate from each time on.
//!
//! The transmitter sends at the rate of each moment, so a packet may begin at one rate and end at
//! another. A rate of zero is an outage: what is being sent waits.

use std::sync::Arc;

use earlydrop::units::{BitsPerSec, Nanos};

use super::TraceError;
use super::steps::{Quantity, Steps};
use crate::fine_time::FineTime;

/// The largest rate.
const MOST: f64 = 2e12;

/// The unit of work: a bit takes 10^9 of them, so that R bit/s do R of them in a nanosecond.
const BIT: u128 = 1_000_000_000;

const RATE: Quantity = Quantity {
    name: "rate",
    read: |text| {
        let rate = match text.parse::<f64>() {
            Ok(rate) => (0.0..=MOST).contains(&rate).then(|| rate.round() as u64),
            Err(_) => text.parse::<BitsPerSec>().ok().map(|rate| rate.0),
        };
        let rate = rate.filter(|rate| *rate as f64 <= MOST);
        rate.ok_or("has no rate; allowed: bit/s such as 10000000, or 10 Mbps, up to 2000 Gbps")
    },
};

/// A recorded rate. Clones share it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RateTrace {
    rates: Steps,
    /// The work that is possible before each piece, and in a whole period.
    possible: Arc<[u128]>,
}

impl RateTrace {
    /// Reads `time,rate` lines.
    pub(super) fn read(text: &str) -> Result<RateTrace, TraceError> {
        let rates = Steps::read(text, &RATE)?;
        let mut possible = vec![0];
        let mut sum: u128 = 0;
        for (begin, end, rate) in rates.pieces() {
            sum += u128::from(rate) * u128::from(end.0 - begin.0);
            possible.push(sum);
        }
        let trace = RateTrace {
            rates,
            possible: possible.into(),
        };
        if trace.mean_rate().0 == 0 {
            let line = text.lines().count().max(1);
            let last = text.lines().last().unwrap_or_default();
            let problem = "ends a trace of less than one bit per second";
            return Err(TraceError::new(line, last.trim(), problem));
        }
        Ok(trace)
    }

    pub(super) fn period(&self) -> Nanos {
        self.rates.period()
    }

    /// The work that is possible in a period.
    fn in_period(&self) -> u128 {
        self.possible[self.possible.len() - 1]
    }

    pub(super) fn mean_rate(&self) -> BitsPerSec {
        BitsPerSec((self.in_period() / u128::from(self.period().0)) as u64)
    }

    /// The work that is possible from time zero until `at`.
    pub(super) fn possible_before(&self, at: Nanos) -> u128 {
        let period = self.period().0;
        let (rounds, within) = (at.0 / period, Nanos(at.0 % period));
        let index = self.rates.index_at(within);
        let (begin, rate) = self.rates.piece(index);
        let in_piece = u128::from(rate) * u128::from(within.0 - begin.0);
        u128::from(rounds) * self.in_period() + self.possible[index] + in_piece
    }

    /// The work of sending `bytes`.
    pub(super) fn work_of(bytes: u128) -> u128 {
        bytes * 8 * BIT
    }

    /// The time from `at` until `size` bytes are sent, whose transmission begins then.
    pub(super) fn transmission_time(&self, at: Nanos, size: u32) -> FineTime {
        let needed = self.possible_before(at) + RateTrace::work_of(u128::from(size));
        if size == 0 {
            return FineTime::default();
        }
        let rounds = (needed - 1) / self.in_period();
        let rest = needed - rounds * self.in_period();
        let index = self.possible.partition_point(|before| *before < rest) - 1;
        let (begin, rate) = self.rates.piece(index);
        let (rest, rate) = (rest - self.possible[index], u128::from(rate));
        // Whole nanoseconds, and what remains in units of 2^-32 ns, rounded up.
        let whole = rounds * u128::from(self.period().0) + u128::from(begin.0) + rest / rate;
        let fraction = ((rest % rate) << 32).div_ceil(rate);
        FineTime::of_fractions(((whole - u128::from(at.0)) << 32) + fraction)
    }
}
