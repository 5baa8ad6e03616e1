//! The average queue: an exponentially weighted moving average that decays while the queue
//! is empty.
//!
//! At each arrival `avg <- (1-w) avg + w q`, where q is the queue before this packet is
//! added (Floyd and Jacobson 1993, section IV). At the first arrival after an idle time it
//! decays, `avg <- (1-w)^m avg`, where m is the number of packets that could have been sent in
//! that time. How m is rounded, and whether the arrival's own update follows, differs from tool
//! to tool: [`Idle`].

mod why;

use core::hint::cold_path;

use super::Curve;
use crate::trace::Trace;
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
    /// Linux's table of 256 shifts, filled in ticks of 64 ns and read in microseconds: after the
    /// first, halvings come 15.6 times too late. Idle time starts when a dequeue finds no packet.
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
        (
            "linux",
            "as Linux: from when the link has nothing to send, halvings that come 15.6 times too late after the first",
        ),
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
    /// When an arrival ended an idle time, until one is accepted.
    idle_ended: Nanos,
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
            idle_ended: Nanos::NEVER,
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

    /// The average now, in its steps, rounded down to whole packets or bytes above `first`.
    pub(crate) fn in_whole_units_above(&self, first: u64) -> u64 {
        match self.value.checked_sub(first) {
            Some(above) => first + above / self.one * self.one,
            None => self.value,
        }
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

    /// Goes on with the average of `old`; a packet in it is `scale` of the present units.
    pub(crate) fn continue_from(&mut self, old: &Average, scale: f64) {
        self.value = match self.one == old.one && scale == 1.0 {
            true => old.value,
            false => (old.value() * scale * self.one as f64) as u64,
        };
        (self.idle_since, self.idle_ended) = (old.idle_since, old.idle_ended);
    }

    /// The queue is empty from `now` on.
    pub fn start_idle(&mut self, now: Nanos) {
        self.idle_since = now;
    }

    /// Keeps the average in steps of its weight, as Linux does: rounded down, it stays up to a
    /// packet or byte below the queue. A weight other than a power of two changes nothing.
    pub(crate) fn in_steps_of_weight(mut self) -> Average {
        if self.shift < NO_SHIFT {
            self.one = 1 << self.shift.min(BYTE.ilog2());
            self.step = 1.0 / self.one as f64;
        }
        self
    }

    /// The queue is empty from `now` on, but a dequeue has not yet found it so.
    ///
    /// Linux's idle time goes on only if this is due to a drop of the packet that ended one.
    pub(crate) fn on_empty(&mut self, now: Nanos) {
        if self.idle != Idle::Halving || self.idle_ended == now {
            self.start_idle(now);
        }
    }

    /// A packet has joined the queue.
    #[inline]
    pub(crate) fn on_accepted(&mut self) {
        self.idle_ended = Nanos::NEVER;
    }

    /// Whether idle time decays the average as in Linux.
    pub(crate) fn idles_as_linux(&self) -> bool {
        self.idle == Idle::Halving
    }

    /// Updates the average by a queue of `length`, at most 2^32 packets or 2^38 bytes;
    /// returns it in its steps.
    #[inline]
    pub(crate) fn update(&mut self, now: Nanos, length: u64, trace: &mut impl Trace) -> u64 {
        if self.idle_since != Nanos::NEVER {
            cold_path();
            self.end_idle(now, trace);
            if !matches!(self.idle, Idle::FloorPlusOne | Idle::None) {
                return self.value;
            }
        }
        let before = self.value();
        let value = self.add(length * self.one);
        trace.note(|why| self.show_update(why, before, length as f64));
        value
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
    fn end_idle(&mut self, now: Nanos, trace: &mut impl Trace) {
        let (before, since) = (self.value(), self.idle_since);
        let idle = now.since(since);
        self.idle_since = Nanos::NEVER;
        self.idle_ended = now;
        let packets = idle.as_secs_f64() / self.packet_time;
        let left = match self.idle {
            Idle::Exact => self.kept_after(packets),
            Idle::Floor | Idle::FloorPlusOne => self.kept_after(libm::floor(packets)),
            Idle::Halving => {
                self.value = IdleTable::new(self.weight, self.packet_time).decay(self.value, idle);
                return trace.note(|why| self.show_idle(why, [since, now], before));
            }
            Idle::None => 1.0,
        };
        self.value = (self.value as f64 * left) as u64;
        trace.note(|why| self.show_idle(why, [since, now], before));
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

/// The table by which Linux decays an idle average.
///
/// tc (`tc_red_eval_idle_damping` of iproute2) counts time in ticks of 64 ns: cell i holds the
/// halvings of `i 2^log` ticks, with the smallest log for which 512 cells cover 31 halvings, and
/// the last cell, 255, always 31. The kernel (`red_calc_qavg_from_idle_time` of net/red.h) looks
/// up microseconds, as if each were a tick. So halvings come 15.625 times too late; but the first
/// is approached in a straight line over half a cell.
#[derive(Clone, Copy, Debug)]
struct IdleTable {
    /// Decay by exp(-rate) a tick.
    rate: f64,
    log: u32,
}

impl IdleTable {
    const LAST: u64 = 255;
    const MOST: f64 = 31.0;

    #[inline]
    fn new(weight: f64, packet_time: f64) -> IdleTable {
        const TICKS: f64 = 15.625;
        // Whole microseconds, then whole ticks; a product just short of a whole one is one.
        let micros = libm::floor(packet_time * 1e6 + 1e-6);
        let ticks = libm::floor(micros * TICKS);
        if ticks == 0.0 {
            return IdleTable { rate: 0.0, log: 0 };
        }
        let rate = -libm::log(1.0 - weight) / ticks;
        let covered = |log: &u32| IdleTable::MOST / rate / libm::exp2(f64::from(*log)) < 512.0;
        IdleTable {
            rate,
            log: (0..31).find(covered).unwrap_or(31),
        }
    }

    fn halvings(&self, cell: u64) -> u32 {
        if cell >= IdleTable::LAST {
            return IdleTable::MOST as u32;
        }
        ((cell << self.log) as f64 * self.rate).min(IdleTable::MOST) as u32
    }

    /// An average of `value` after an idle time; linear before the first halving.
    fn decay(&self, value: u64, idle: Nanos) -> u64 {
        let micros = (idle.0 / 1000).min(IdleTable::LAST << self.log);
        let shift = self.halvings(micros >> self.log);
        if shift > 0 {
            return value >> shift;
        }
        let lost = (u128::from(value) * u128::from(micros)) >> self.log;
        if lost < u128::from(value >> 1) {
            value - lost as u64
        } else {
            value >> 1
        }
    }
}

/// The idle time after which Linux's RED has `halvings` times halved its average, at least 1.
///
/// Computed as `idle=linux` does, for packets that take `packet_time` seconds.
pub fn linux_idle_time(weight: f64, packet_time: f64, halvings: u32) -> Nanos {
    let table = IdleTable::new(weight, packet_time);
    let cell = (1..=IdleTable::LAST).find(|cell| table.halvings(*cell) >= halvings);
    let micros = match halvings {
        0 | 1 => 1 << table.log >> 1,
        _ => cell.unwrap_or(IdleTable::LAST) << table.log,
    };
    Nanos(1000 * micros)
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
        average.update(later, 0, &mut ());
        average.value() / 20.0
    }

    #[test]
    fn follows_the_recursion() {
        let mut average = Average::new(0.25, Idle::Exact, 0.001, true);
        let values = [8, 8, 0].map(|length| {
            average.update(Nanos::ZERO, length, &mut ());
            average.value()
        });
        assert_eq!(values, [2.0, 3.5, 2.625]);
    }

    #[test]
    fn step_response_is_the_closed_form_for_any_weight() {
        for weight in [W, 1.0 / 512.0, 0.3, 1.0, 1e-5] {
            let mut average = Average::new(weight, Idle::Exact, 0.001, false);
            for _ in 0..500 {
                average.update(Nanos::ZERO, 10, &mut ());
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
            average.update(Nanos::ZERO, 1000, &mut ());
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
    }

    /// Packets of 1 ms and a weight of 0.002: 1/15,625 of 0.002002 a tick, and cells of 2^19 us,
    /// as 31 halvings take 2.4e8 ticks.
    #[test]
    fn linux_reads_its_table_fifteen_times_too_slowly() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a} {b}");
        let cell = 524.288;
        close(idled(Idle::Halving, 1.0), 1.0 - 1.0 / cell);
        // floor(15 * 2^19 * 0.002002/15,625) = 1 halving; 14 cells give 0.
        close(idled(Idle::Halving, 15.0 * cell), 0.5);
        close(idled(Idle::Halving, 14.9 * cell), 0.5);
        close(idled(Idle::Halving, 0.75 * cell), 0.5);
        close(idled(Idle::Halving, 0.25 * cell), 0.75);
        // floor(254 * 2^19 * 0.002002/15,625) = 17, and the last: 31.
        close(idled(Idle::Halving, 254.5 * cell), libm::exp2(-17.0));
        let mut average = average(W, Idle::Halving, 256);
        average.start_idle(Nanos::ZERO);
        average.update(Nanos::from_secs_f64(255.0 * cell * 0.001), 0, &mut ());
        assert_eq!(average.value(), libm::exp2(-23.0), "31 halvings of 2^8");
    }

    /// The example of tc red's manual page: 10 Mbps, 1000 bytes, weight 2^-5. tc prints a
    /// `Scell_log` of 15.
    #[test]
    fn the_table_is_the_one_tc_prints() {
        let table = IdleTable::new(1.0 / 32.0, 0.0008);
        assert_eq!(table.log, 15);
        assert_eq!(table.halvings(255), 31);
        assert_eq!(table.halvings(12), 0);
        assert_eq!(table.halvings(13), 1);
        let times = [1, 2, 3].map(|n| linux_idle_time(1.0 / 32.0, 0.0008, n).0 / 1_000_000);
        assert_eq!(times, [16, 819, 1212], "ms; by (1-w)^m 17, 35 and 52");
        let empty = IdleTable::new(1.0 / 32.0, 0.8e-6);
        assert_eq!((empty.halvings(254), empty.halvings(255)), (0, 31));
    }

    #[test]
    fn linux_starts_its_idle_time_when_a_dequeue_finds_nothing() {
        let mut average = average(W, Idle::Halving, 20);
        average.on_empty(Nanos::from_secs(1));
        average.update(Nanos::from_secs(9), 0, &mut ());
        assert!(average.value() > 19.9, "a sample, no idle time");
        average.start_idle(Nanos::from_secs(10));
        average.update(Nanos::from_secs(11), 0, &mut ());
        average.on_empty(Nanos::from_secs(11));
        assert_eq!(average.idle_since, Nanos::from_secs(11), "still idle");
    }

    #[test]
    fn an_average_in_steps_of_its_weight_is_rounded_down() {
        let mut average = Average::new(0.25, Idle::Exact, 0.001, false).in_steps_of_weight();
        let values = [3; 12].map(|length| {
            average.update(Nanos::ZERO, length, &mut ());
            average.value()
        });
        // 3, 6 - 0, 9 - 1, ... quarters, where floor(avg) leaves each time.
        assert_eq!(values[..4], [0.75, 1.5, 2.0, 2.25]);
        assert_eq!(values[11], 3.0);
    }

    #[test]
    fn only_the_first_arrival_after_idling_decays() {
        let mut average = average(W, Idle::Exact, 20);
        average.start_idle(Nanos::ZERO);
        average.update(Nanos::from_millis(100), 0, &mut ());
        let decayed = 20.0 * libm::pow(1.0 - W, 100.0);
        assert!((average.value() - decayed).abs() < 1e-8);
        average.update(Nanos::from_millis(200), 0, &mut ());
        assert!((average.value() - decayed * (1.0 - W)).abs() < 1e-8);
    }

    #[test]
    fn automatic_weight_matches_floyd_2001() {
        // 15 Mbps of 1000-byte packets: 1875 a second, w = 1 - exp(-1/1875).
        let weight = Average::automatic_weight(1875.0, 1.0);
        assert!((weight - 0.000_533_191_1).abs() < 1e-9, "{weight}");
    }
}
