//! The arithmetic of iproute2's `tc red`: from burst to weight, and what the kernel takes.
//! The rules are those of `tc/tc_red.c` and of the kernel's `red_check_params`.

use earlydrop::units::BitsPerSec;

/// The Wlog from which on tc warns that the burst seems to be too large (`tc/q_red.c`).
pub const LOUD: u32 = 10;

/// The largest rate of the option `bandwidth`: `get_rate` has 32 bits of bytes a second.
pub const MOST_RATE: BitsPerSec = BitsPerSec(8 * u32::MAX as u64);

/// Why tc cannot derive a weight from a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoWeight {
    /// The burst is smaller than min; tc suggests the least valid burst.
    TooSmall {
        /// The least valid burst, in packets.
        least: u32,
    },
    /// Even the weight 2^-31 is too large.
    TooLarge,
}

/// Wlog, for a weight of 2^-Wlog: the least n from 1 to 31 for which
/// `burst + 1 - min/avpkt <= (1 - (1-W)^burst)/W`, W = 2^-n.
///
/// With this weight, a burst of `burst` packets into an empty queue does not raise the average to
/// `min`.
pub fn wlog(min: u32, burst: u32, avpkt: u32) -> Result<u32, NoWeight> {
    let above = f64::from(burst) + 1.0 - f64::from(min) / f64::from(avpkt);
    if above < 1.0 {
        let least = 1 + min / avpkt;
        return Err(NoWeight::TooSmall { least });
    }
    let fits = |n: &u32| {
        let weight = (-f64::from(*n)).exp2();
        above <= (1.0 - (1.0 - weight).powf(f64::from(burst))) / weight
    };
    (1..32).find(fits).ok_or(NoWeight::TooLarge)
}

/// tc's default burst in packets: `(2 min + max)/(3 avpkt)`.
pub fn default_burst(min: u32, max: u32, avpkt: u32) -> u32 {
    let burst = (2 * u64::from(min) + u64::from(max)) / (3 * u64::from(avpkt));
    u32::try_from(burst).unwrap_or(u32::MAX)
}

/// A burst for which [`wlog`] is as near to `wanted` as possible without exceeding `most`.
///
/// Several bursts may give that Wlog; this is the middle one. Wlog grows with the burst, and skips
/// values where min is only a few packets.
pub fn burst_for(wanted: u32, most: u32, min: u32, avpkt: u32) -> u32 {
    let least = min.div_ceil(avpkt).max(1);
    let given = |burst: u32| wlog(min, burst, avpkt).ok().filter(|given| *given <= most);
    let first_with = |n: u32| {
        let (mut low, mut high) = (least, u32::MAX / 2);
        while low < high {
            let middle = low + (high - low) / 2;
            match given(middle) {
                Some(wlog) if wlog < n => low = middle + 1,
                _ => high = middle,
            }
        }
        low
    };
    let above = first_with(wanted);
    let below = above.saturating_sub(1).max(least);
    let distance = |burst: u32| given(burst).map_or(u32::MAX, |given| given.abs_diff(wanted));
    let chosen = if distance(above) <= distance(below) {
        above
    } else {
        below
    };
    let Some(exponent) = given(chosen) else {
        return least;
    };
    let (first, after) = (first_with(exponent), first_with(exponent + 1));
    first + (after - first) / 2
}

/// Plog, the form of max_p for kernels before 3.3: 2^-Plog is the rounded rise of the probability
/// per byte of queue above `min`. `None` if no Plog is small enough.
pub fn plog(min: u32, max: u32, probability: f64) -> Option<u32> {
    if min == max {
        return Some(0);
    }
    let mut slope = probability / f64::from(max.checked_sub(min)?);
    for doublings in 0..32 {
        if slope > 1.0 {
            return Some(doublings);
        }
        slope *= 2.0;
    }
    None
}

/// The probability from which on [`plog`] finds one: 2^-31 for each byte between the thresholds.
pub fn least_probability(min: u32, max: u32) -> f64 {
    f64::from(max.saturating_sub(min)) * (-31_f64).exp2()
}

/// Ticks of the kernel's packet scheduler in a microsecond; see `/proc/net/psched`.
const TICKS: f64 = 15.625;

/// Scell_log: the table of idle times has 512 cells of 2^Scell_log ticks, which must cover 31
/// halvings of the average. At most 31.
pub fn scell_log(wlog: u32, avpkt: u32, bytes_per_sec: u64) -> u32 {
    let micros = (1e6 * f64::from(avpkt) / bytes_per_sec as f64).floor();
    let packet_time = (micros * TICKS).floor();
    let rate = -(-(-f64::from(wlog)).exp2()).ln_1p() / packet_time;
    let longest = 31.0 / rate;
    let reaches = |cell: &u32| longest / f64::from(*cell).exp2() < 512.0;
    (0..31).find(reaches).unwrap_or(31)
}

/// Whether the kernel accepts a threshold of `bytes` with this Wlog: the average is a fixed-point
/// number of 32 bits, Wlog of them fractional.
pub fn fits_kernel(bytes: u32, wlog: u32) -> bool {
    32 - bytes.leading_zeros() + wlog < 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manuals_example_gives_what_tc_sends_to_the_kernel() {
        // From a trace of tc 6.1: limit 400000 min 30000 max 90000 avpkt 1000 burst 55.
        assert_eq!(wlog(30_000, 55, 1000), Ok(5));
        assert_eq!(plog(30_000, 90_000, 0.02), Some(22));
        assert_eq!(scell_log(5, 1000, 1_250_000), 15);
        assert_eq!(scell_log(5, 1000, 12), 31);
        assert_eq!(scell_log(5, 1000, 1_250_000_000), 0);
        assert_eq!(default_burst(30_000, 90_000, 1000), 50);
    }

    #[test]
    fn bursts_without_a_weight_are_errors() {
        let small = NoWeight::TooSmall { least: 31 };
        assert_eq!(wlog(30_000, 5, 1000), Err(small));
        assert_eq!(wlog(30_000, 550_000, 1000), Err(NoWeight::TooLarge));
        assert_eq!(plog(30_000, 20_000, 0.02), None);
        assert_eq!(plog(30_000, 90_000, 0.0), None);
    }

    #[test]
    fn a_burst_for_a_weight_gives_it_or_the_nearest() {
        for wanted in 1..=12 {
            let burst = burst_for(wanted, 31, 30_000, 1000);
            assert_eq!(wlog(30_000, burst, 1000), Ok(wanted));
        }
        // With min of one packet, a burst of 1 gives 1 and a burst of 2 gives 27.
        assert_eq!(wlog(1500, 2, 1500), Ok(27));
        assert_eq!(burst_for(5, 31, 1500, 1500), 1);
        assert_eq!(burst_for(25, 31, 1500, 1500), 2);
        assert_eq!(burst_for(25, 20, 1500, 1500), 1);
    }

    #[test]
    fn the_kernel_keeps_the_average_in_32_bits() {
        assert!(fits_kernel(90_000, 14));
        assert!(!fits_kernel(90_000, 15));
        assert!(fits_kernel(0, 31));
    }
}
