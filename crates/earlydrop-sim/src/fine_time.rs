//! Times with a fraction of a nanosecond, for links and sources of any rate.
//!
//! The clock of a run counts whole nanoseconds. A packet of 64 bytes takes 5.12 ns at 100 Gbps:
//! transmitters and sources that rounded each packet's time would be up to 36% slow at 400 Gbps.
//! So they add up [`FineTime`]s, and act at the sum rounded up.

use std::fmt;
use std::ops::AddAssign;

use earlydrop::units::{BitsPerSec, Bytes, Nanos};

/// The fractions in a nanosecond.
const FRACTIONS: u128 = 1 << 32;

/// A moment or a span of time in units of 2^-32 ns: [`nanos`](FineTime::nanos), which is rounded
/// up, less a fraction.
///
/// ```
/// use earlydrop::units::{BitsPerSec, Bytes, Nanos};
/// use earlydrop_sim::fine_time::FineTime;
/// // 64 bytes take 5.12 ns at 100 Gbps.
/// let time = FineTime::to_send(Bytes(64), BitsPerSec(100_000_000_000));
/// let mut free_at = FineTime::from(Nanos::ZERO);
/// for nanos in [6, 11, 16, 21, 26, 31, 36, 41] {
///     free_at += time;
///     assert_eq!(free_at.nanos(), Nanos(nanos));
/// }
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[repr(Rust, packed(4))] // 12 bytes instead of 16: each flow has two.
pub struct FineTime {
    nanos: u64,
    /// How much earlier it is than `nanos`, in 2^-32 ns.
    early: u32,
}

impl FineTime {
    /// The transmission time of `size` at `rate`, rounded up to 2^-32 ns; [`Nanos::NEVER`] at a
    /// rate of zero.
    pub fn to_send(size: Bytes, rate: BitsPerSec) -> FineTime {
        let bit_nanos = u128::from(size.0) * 8_000_000_000;
        let Some(fractions) = bit_nanos.checked_mul(FRACTIONS) else {
            return rate.transmission_time(size).into();
        };
        match rate.0 {
            0 => Nanos::NEVER.into(),
            rate => FineTime::of_fractions(fractions.div_ceil(u128::from(rate))),
        }
    }

    /// A span in seconds, rounded to the nearest 2^-32 ns; negative becomes zero.
    pub fn from_secs_f64(secs: f64) -> FineTime {
        let fractions = secs * 1e9 * FRACTIONS as f64;
        let whole = fractions as u64;
        if whole >= 1 << 63 {
            return FineTime::of_fractions(libm::round(fractions) as u128);
        }
        let rounded = whole + u64::from(fractions - whole as f64 >= 0.5);
        let nanos = rounded.div_ceil(FRACTIONS as u64);
        FineTime {
            nanos,
            early: (nanos * FRACTIONS as u64 - rounded) as u32,
        }
    }

    /// A span of so many 2^-32 ns.
    pub(crate) fn of_fractions(fractions: u128) -> FineTime {
        let nanos = fractions.div_ceil(FRACTIONS);
        match u64::try_from(nanos) {
            Ok(whole) => FineTime {
                nanos: whole,
                early: (nanos * FRACTIONS - fractions) as u32,
            },
            Err(_) => Nanos::NEVER.into(),
        }
    }

    /// The time rounded up to whole nanoseconds.
    #[inline(always)]
    pub fn nanos(self) -> Nanos {
        Nanos(self.nanos)
    }

    /// The time in seconds.
    pub fn as_secs_f64(self) -> f64 {
        (self.nanos as f64 - f64::from(self.early) / FRACTIONS as f64) * 1e-9
    }

    /// The time in units of 2^-32 ns.
    pub(crate) fn fractions(self) -> i128 {
        i128::from(self.nanos) * FRACTIONS as i128 - i128::from(self.early)
    }

    /// `at`, if that is later.
    #[inline(always)]
    #[must_use]
    pub fn max(self, at: Nanos) -> FineTime {
        match self.nanos <= at.0 {
            true => at.into(),
            false => self,
        }
    }

    /// The moment `span` later; at most [`Nanos::NEVER`].
    #[must_use]
    pub fn after(self, span: Nanos) -> FineTime {
        FineTime {
            nanos: self.nanos.saturating_add(span.0),
            ..self
        }
    }

    /// `count` times the span.
    #[must_use]
    pub fn times(self, count: u64) -> FineTime {
        let nanos = u128::from(self.nanos) * u128::from(count);
        let early = u128::from(self.early) * u128::from(count);
        // `early` is below `FRACTIONS`: less than a nanosecond for each of `count`.
        FineTime {
            nanos: (nanos - early / FRACTIONS).min(u128::from(u64::MAX)) as u64,
            early: early as u32,
        }
    }
}

impl From<Nanos> for FineTime {
    #[inline(always)]
    fn from(nanos: Nanos) -> FineTime {
        FineTime {
            nanos: nanos.0,
            early: 0,
        }
    }
}

impl AddAssign for FineTime {
    #[inline(always)]
    fn add_assign(&mut self, span: FineTime) {
        let (early, borrow) = self.early.overflowing_add(span.early);
        // Before the borrow, so that a moment of zero takes it.
        self.nanos = self.nanos + span.nanos - u64::from(borrow);
        self.early = early;
    }
}

impl fmt::Debug for FineTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ns - {} / 2^32", { self.nanos }, { self.early })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_packets_take_a_million_times_as_long() {
        for (rate, bytes, fractions_of_a_packet) in [
            (40, 64, 12.8),
            (100, 64, 5.12),
            (400, 64, 1.28),
            (1600, 64, 0.32),
            (1600, 1, 0.005),
            (7, 1500, 12_000.0 / 7.0),
        ] {
            let time = FineTime::to_send(Bytes(bytes), BitsPerSec(rate * 1_000_000_000));
            let mut sum = FineTime::default();
            for _ in 0..1_000_000 {
                sum += time;
            }
            assert_eq!(sum, time.times(1_000_000));
            let expected = fractions_of_a_packet * 1e-3;
            let off = sum.as_secs_f64() / expected - 1.0;
            // Rounded up to 2^-32 ns = 2.3e-10 ns, of 0.005 ns at least.
            assert!((-1e-12..5e-8).contains(&off), "{rate} Gbps: {off}");
        }
    }

    #[test]
    fn rounding_is_up_and_the_later_of_two_is_exact() {
        let time = FineTime::to_send(Bytes(64), BitsPerSec(100_000_000_000));
        assert_eq!(time.nanos(), Nanos(6));
        assert_eq!(time.max(Nanos(5)), time);
        // It is 5.12 ns: 6 ns are later.
        assert_eq!(time.max(Nanos(6)), Nanos(6).into());
        let whole = FineTime::to_send(Bytes(1250), BitsPerSec::from_mbps(10));
        assert_eq!(whole, Nanos::from_millis(1).into());
    }

    #[test]
    fn spans_of_seconds_are_rounded_to_the_nearest_fraction() {
        let per_second = 1e9 * FRACTIONS as f64;
        for fractions in [
            0.49,
            0.5,
            1.5,
            2.5,
            1e9 + 0.5,
            2f64.powi(62),
            2f64.powi(64),
            -3.0,
        ] {
            let secs = fractions / per_second;
            let rounded = libm::round(secs * 1e9 * FRACTIONS as f64) as u128;
            assert_eq!(
                FineTime::from_secs_f64(secs),
                FineTime::of_fractions(rounded)
            );
        }
    }

    #[test]
    fn what_never_ends_is_never() {
        let never = FineTime::from(Nanos::NEVER);
        assert_eq!(FineTime::to_send(Bytes(1500), BitsPerSec(0)), never);
        assert_eq!(FineTime::to_send(Bytes(u64::MAX), BitsPerSec(1)), never);
        assert_eq!(FineTime::from_secs_f64(f64::INFINITY), never);
    }

    #[test]
    fn seconds_are_rounded_to_the_nearest() {
        let gap = FineTime::from_secs_f64(1.28e-9);
        assert_eq!(gap.nanos(), Nanos(2));
        assert!((gap.as_secs_f64() - 1.28e-9).abs() < 1e-18);
        assert_eq!(FineTime::from_secs_f64(-1.0), FineTime::default());
    }
}
