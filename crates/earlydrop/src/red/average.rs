//! The average queue: an exponentially weighted moving average that decays while the queue
//! is empty.
//!
//! At each arrival `avg <- (1-w) avg + w q`, where q is the queue before this packet is
//! added (Floyd and Jacobson 1993, section IV). At the first arrival after an idle time it
//! decays, `avg <- (1-w)^m avg`, where m is the number of packets that could have been sent in
//! that time. How m is rounded, and whether the arrival's own update follows, differs from tool
//! to tool: [`Idle`].

use core::hint::cold_path;

use super::Curve;
use crate::units::Nanos;

/// How the average decays over an idle time of `m` packet transmission times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idle {
    /// `(1-w)^m`, m not rounded (Floyd and Jacobson 1993).
    Exact,
    /// `(1-w)^floor(m)` (DPDK).
    Floor,
    /// `(1-w)^(floor(m)+1)`: in ns-2 and ns-3 the arrival's own update, with an empty
    /// queue, follows the decay.
    FloorPlusOne,
    /// Linux's table of 256 shifts: halved once for each 1/ln(1/(1-w)) packet
    /// times, linear before the first halving, 31 times at the table's end.
    Halving,
    /// No decay: only the arrival's own update.
    None,
}

impl Idle {
    /// Names for configuration, each with what it means.
    pub(crate) const CHOICES: &'static [(&'static str, &'static str)] = &[
        ("exact", "(1-w)^m, m the packets that could have been sent"),
        ("floor", "(1-w)^floor(m), as DPDK"),
        ("ns2", "(1-w)^(floor(m)+1), as ns-2 and ns-3"),
        ("linux", "a table of halvings, as Linux"),
        ("none", "no decay"),
    ];

    pub(crate) fn named(name: &str) -> Idle {
        match name {
            "floor" => Idle::Floor,
            "ns2" => Idle::FloorPlusOne,
            "linux" => Idle::Halving,
            "none" => Idle::None,
            _ => Idle::Exact,
        }
    }
}

/// The average of one queue, in packets or in bytes.
///
/// It is in fixed point: exact on every machine, and with half the latency of a
/// floating-point sum from one packet to the next.
#[derive(Clone, Debug)]
pub struct Average {
    /// The average, in steps of 1/`one`.
    value: u64,
    /// Steps to a packet or byte.
    one: u64,
    /// 1/`one`.
    step: f64,
    /// n where the weight is 2^-n, otherwise [`NO_SHIFT`].
    shift: u32,
    /// The weight in steps of 2^-64.
    share: u64,
    idle_since: Nanos,
    weight: f64,
    /// log2(1 - weight).
    log2_keep: f64,
    idle: Idle,
    /// Seconds a typical packet takes to be sent.
    packet_time: f64,
}

const NO_SHIFT: u32 = 64;

/// The update of an average in packets on the fast path: a shift, a product, or closed.
///
/// One comparison both skips every special case and picks the arithmetic for the weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FastPath(u32);

impl FastPath {
    /// The fast path is closed: a special case applies.
    pub(crate) const CLOSED: FastPath = FastPath(NO_SHIFT + 1);
}

/// Steps of the average to a packet, and to a byte: wide enough for any queue.
const PACKET: u64 = 1 << 30;
const BYTE: u64 = 1 << 24;
/// The longest queue in bytes that fits; longer ones count as this long.
pub(crate) const LONGEST: u64 = 1 << 38;

impl Average {
    /// Starts at zero, with weight `weight` in (0, 1] and packets that take
    /// `packet_time` seconds to be sent.
    pub fn new(weight: f64, idle: Idle, packet_time: f64, in_bytes: bool) -> Average {
        let one = if in_bytes { BYTE } else { PACKET };
        let mut average = Average {
            value: 0,
            one,
            step: 1.0 / one as f64,
            shift: NO_SHIFT,
            share: 0,
            idle_since: Nanos::NEVER,
            weight,
            log2_keep: 0.0,
            idle,
            packet_time,
        };
        average.retune(weight, packet_time);
        average
    }

    /// The weight for a time constant of `span` seconds:
    /// `w = 1 - exp(-1/(C span))`, C packets a second (Floyd 2001: span = 1 s).
    pub fn automatic_weight(packets_per_sec: f64, span: f64) -> f64 {
        -libm::expm1(-1.0 / (packets_per_sec * span))
    }

    /// The average now, without decay since the last update.
    #[inline]
    pub fn value(&self) -> f64 {
        // Below 2^62, so converting a signed number is exact and faster.
        self.value as i64 as f64 * self.step
    }

    /// The average now, in its steps.
    #[inline]
    pub(crate) fn in_steps(&self) -> u64 {
        self.value
    }

    /// How many of its steps make a packet or byte.
    pub(crate) fn one(&self) -> u64 {
        self.one
    }

    /// The curve's first and last thresholds in the average's own steps.
    pub(crate) fn band_of(&self, curve: &Curve) -> (u64, u64) {
        let steps = |threshold: f64| libm::ceil(threshold * self.one as f64) as u64;
        (steps(curve.first()), steps(curve.last()))
    }

    /// The weight.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// Changes weight and packet time, which depend on the link; the average stays.
    pub fn retune(&mut self, weight: f64, packet_time: f64) {
        let (fraction, exponent) = libm::frexp(weight);
        self.shift = if fraction == 0.5 {
            (1 - exponent) as u32
        } else {
            NO_SHIFT
        };
        self.share = libm::ldexp(weight, 64) as u64;
        self.weight = weight;
        self.log2_keep = libm::log2(1.0 - weight);
        self.packet_time = packet_time;
    }

    /// The queue is empty from `now` on.
    pub fn start_idle(&mut self, now: Nanos) {
        self.idle_since = now;
    }

    /// Updates the average by a queue of `length`, at most 2^32 packets or 2^38 bytes;
    /// returns it in its steps.
    #[inline]
    pub(crate) fn update(&mut self, now: Nanos, length: u64) -> u64 {
        if self.idle_since != Nanos::NEVER {
            cold_path();
            self.end_idle(now);
            if !matches!(self.idle, Idle::FloorPlusOne | Idle::None) {
                return self.value;
            }
        }
        self.add(length * self.one)
    }

    /// Updates an average that has not been idle by a sample in its steps.
    #[inline]
    fn add(&mut self, sample: u64) -> u64 {
        if self.shift < NO_SHIFT {
            self.add_shifted(sample, self.shift)
        } else {
            self.add_product(sample)
        }
    }

    /// Updates by a weight of 2^-`shift`.
    #[inline(always)]
    fn add_shifted(&mut self, sample: u64, shift: u32) -> u64 {
        self.value = self.value + (sample >> shift) - (self.value >> shift);
        self.value
    }

    /// Updates by any other weight.
    #[inline(always)]
    fn add_product(&mut self, sample: u64) -> u64 {
        let share = |steps: u64| ((u128::from(steps) * u128::from(self.share)) >> 64) as u64;
        self.value = self.value + share(sample) - share(self.value);
        self.value
    }

    /// The fast path while the queue is not idle.
    pub(crate) fn fast_path(&self) -> FastPath {
        FastPath(self.shift)
    }

    /// Updates an average in packets by `path`; `None` where that is closed.
    #[inline(always)]
    pub(crate) fn add_on_fast_path(&mut self, path: FastPath, length: u32) -> Option<u64> {
        let sample = u64::from(length) * PACKET;
        if path.0 < NO_SHIFT {
            Some(self.add_shifted(sample, path.0))
        } else if path.0 == NO_SHIFT {
            Some(self.add_product(sample))
        } else {
            None
        }
    }

    #[inline(never)]
    fn end_idle(&mut self, now: Nanos) {
        let idle = now.since(self.idle_since).as_secs_f64();
        self.idle_since = Nanos::NEVER;
        let packets = idle / self.packet_time;
        let left = match self.idle {
            Idle::Exact => self.kept_after(packets),
            Idle::Floor | Idle::FloorPlusOne => self.kept_after(libm::floor(packets)),
            Idle::Halving => halvings(-libm::log1p(-self.weight), packets),
            Idle::None => 1.0,
        };
        self.value = (self.value as f64 * left) as u64;
    }

    /// The factor on the average after `packets` updates with an empty queue.
    fn kept_after(&self, packets: f64) -> f64 {
        if packets > 0.0 {
            libm::exp2(packets * self.log2_keep)
        } else {
            1.0
        }
    }
}

/// Linux's factor on the average after `packets` transmission times, each of which decays
/// it by exp(-rate).
///
/// iproute2 fills a table whose cell i holds floor(i * cell * rate) halvings, with
/// the smallest power-of-two cell such that 512 of them cover 31/rate. Longer times
/// fall into the last cell, which always holds 31. Here a
/// cell is 2^k packet times rather than 2^k clock ticks, which shifts cell borders by
/// less than a factor of two.
fn halvings(rate: f64, packets: f64) -> f64 {
    let cell = libm::exp2(libm::ceil(libm::log2(31.0 / rate / 512.0)));
    let cells = packets / cell;
    let shift = if cells < 255.0 {
        libm::floor(libm::floor(cells) * cell * rate).min(31.0)
    } else {
        31.0
    };
    if shift > 0.0 {
        libm::exp2(-shift)
    } else {
        (1.0 - cells).max(0.5)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const W: f64 = 0.002;

    fn average(weight: f64, idle: Idle, value: u64) -> Average {
        let mut average = Average::new(weight, idle, 0.001, false);
        average.value = value * average.one;
        average
    }

    fn idled(idle: Idle, packets: f64) -> f64 {
        let mut average = average(W, idle, 20);
        average.start_idle(Nanos::from_secs(1));
        let later = Nanos::from_secs(1) + Nanos::from_secs_f64(packets * 0.001);
        average.update(later, 0);
        average.value() / 20.0
    }

    #[test]
    fn follows_the_recursion() {
        let mut average = Average::new(0.25, Idle::Exact, 0.001, true);
        let values = [8, 8, 0].map(|length| {
            average.update(Nanos::ZERO, length);
            average.value()
        });
        assert_eq!(values, [2.0, 3.5, 2.625]);
    }

    #[test]
    fn step_response_is_the_closed_form_for_any_weight() {
        for weight in [W, 1.0 / 512.0, 0.3, 1.0, 1e-5] {
            let mut average = Average::new(weight, Idle::Exact, 0.001, false);
            for _ in 0..500 {
                average.update(Nanos::ZERO, 10);
            }
            let expected = 10.0 * (1.0 - libm::pow(1.0 - weight, 500.0));
            // Rounding down loses less than a step of 2^-30 an update each way.
            assert!((average.value() - expected).abs() < 500.0 / 1e9, "{weight}");
        }
    }

    #[test]
    fn rounding_leaves_no_significant_bias() {
        // A weight of 1e-6, as automatic weights are at 8 Gbit/s: at rest the
        // average is within 2^-30/weight = 0.00093 packets of the queue.
        let mut average = average(1e-6, Idle::Exact, 1000);
        for _ in 0..1_000_000 {
            average.update(Nanos::ZERO, 1000);
        }
        assert!((average.value() - 1000.0).abs() < 0.001);
    }

    #[test]
    fn every_name_of_an_idle_rule_means_that_rule() {
        let rules = [
            ("exact", Idle::Exact),
            ("floor", Idle::Floor),
            ("ns2", Idle::FloorPlusOne),
            ("linux", Idle::Halving),
            ("none", Idle::None),
        ];
        assert!(
            Idle::CHOICES
                .iter()
                .map(|(name, _)| *name)
                .eq(rules.map(|(name, _)| name))
        );
        for (name, rule) in rules {
            assert_eq!(Idle::named(name), rule, "{name}");
        }
    }

    #[test]
    fn idle_decay_is_that_of_each_tool() {
        let keep = |m: f64| libm::pow(1.0 - W, m);
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a} {b}");
        close(idled(Idle::Exact, 250.6), keep(250.6));
        close(idled(Idle::Floor, 250.6), keep(250.0));
        close(idled(Idle::FloorPlusOne, 250.6), keep(251.0));
        close(idled(Idle::None, 250.6), keep(1.0));
        // One packet time is less than a cell: linear, 1/32 of a cell of 32.
        close(idled(Idle::Halving, 1.0), 1.0 - 1.0 / 32.0);
        // 600 packet times: floor(floor(600/32) * 32 * 0.002002) = 1 halving.
        close(idled(Idle::Halving, 600.0), 0.5);
        // The last cell but one, floor(254 * 32 * 0.002002) = 16, and the last: 31.
        close(idled(Idle::Halving, 254.5 * 32.0), libm::exp2(-16.0));
        let last = average_after_255_cells();
        assert!(last > 0.0 && last < libm::exp2(-25.0), "{last}");
    }

    /// The factor on an average of 2^8 packets: 2^-23 of a packet is left, the step is 2^-30.
    fn average_after_255_cells() -> f64 {
        let mut average = average(W, Idle::Halving, 256);
        average.start_idle(Nanos::ZERO);
        average.update(Nanos::from_secs_f64(255.0 * 32.0 * 0.001), 0);
        assert_eq!(average.value(), libm::exp2(-23.0));
        average.value() / 256.0
    }

    #[test]
    fn only_the_first_arrival_after_idling_decays() {
        let mut average = average(W, Idle::Exact, 20);
        average.start_idle(Nanos::ZERO);
        average.update(Nanos::from_millis(100), 0);
        let decayed = 20.0 * libm::pow(1.0 - W, 100.0);
        assert!((average.value() - decayed).abs() < 1e-8);
        average.update(Nanos::from_millis(200), 0);
        assert!((average.value() - decayed * (1.0 - W)).abs() < 1e-8);
    }

    #[test]
    fn automatic_weight_matches_floyd_2001() {
        // 15 Mbps of 1000-byte packets: 1875 a second, w = 1 - exp(-1/1875).
        let weight = Average::automatic_weight(1875.0, 1.0);
        assert!((weight - 0.000_533_191_1).abs() < 1e-9, "{weight}");
    }
}
