//! The RED family: six parts, of which every published variant is a combination.
//!
//! 1. [`Average`]: the average queue.
//! 2. [`Curve`]: the initial probability Pb, from the average.
//! 3. [`Spacing`]: the actual probability Pa, from Pb.
//! 4. [`Adaptation`]: the rule that moves the curve's strength over time.
//! 5. [`Policy`]: how some flows are treated differently.
//! 6. [`Action`]: drop, or mark.
//!
//! [`Red`] combines them. The named schemes are re-exported in [`crate::schemes`], one file
//! each, with the part each brought. For differences between tools, see the scheme `red`
//! there.

mod adaptation;
mod area;
mod average;
mod change;
pub(crate) mod parameters;
mod policy;
pub(crate) mod presets;
mod slow_path;
mod spacing;
mod steer;
pub(crate) mod variants;
mod why;

pub use crate::curve::{Argument, Curve, CurveLaw, MOST_PIECES, Piece, Pieces, Shape, Strength};
pub use adaptation::Adaptation;
pub use average::{Average, Idle, linux_idle_time};
pub use parameters::with_curve;
pub use policy::{AverageView, Policy, Treatment};
pub use spacing::Spacing;
pub use variants::CURVES;

pub(crate) use crate::curve::{gentle_piece, linear_piece};

use average::FastPath;
pub(crate) use spacing::{Gap, Shares, probability};
pub(crate) use why::{show_first_in_band, show_outside, show_short_queue, show_whole};

use core::hint::cold_path;

use crate::aqm::{Aqm, Backlog, DropReason, Verdict, WaitingPackets};
use crate::curve::{ONE, in_steps};
use crate::packet::PacketInfo;
use crate::random::Pcg32;
use crate::steering::{Setting, SteerError};
use crate::trace::{Case, Rule, Trace};
use crate::units::{BitsPerSec, Bytes, Nanos};

/// How a packet signals congestion, by a drop or a mark: the sixth part of the RED family.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Action {
    /// Mark ECN-capable packets instead of dropping them.
    pub ecn: bool,
    /// Mark them even where the curve drops everything.
    pub mark_above_last: bool,
    /// Keep packets that are not ECN-capable: only marks signal congestion.
    pub others_pass: bool,
    /// Drop ECN-capable packets too once Pb exceeds this, in steps of 2^-32.
    mark_limit: u64,
}

impl Action {
    /// Marks ECN-capable packets where `ecn`, above the last threshold only where
    /// `mark_above_last`, and not once Pb exceeds `mark_limit` (ns-2: 0.1; 1: no limit).
    pub fn new(ecn: bool, mark_above_last: bool, mark_limit: f64) -> Action {
        Action {
            ecn,
            mark_above_last,
            others_pass: false,
            mark_limit: in_steps(mark_limit),
        }
    }

    /// Keeps packets that are not ECN-capable where `others_pass`.
    pub fn passing_others(self, others_pass: bool) -> Action {
        Action {
            others_pass,
            ..self
        }
    }

    #[inline]
    pub(crate) fn signal(&self, packet: &PacketInfo, pb: u64, trace: &mut impl Trace) -> Verdict {
        if self.ecn && packet.ecn.is_capable() && pb <= self.mark_limit {
            return Verdict::Mark;
        }
        trace.note(|why| self.show_unmarked(why, packet));
        self.without_mark(packet)
    }

    pub(crate) fn signal_above_last(&self, packet: &PacketInfo, trace: &mut impl Trace) -> Verdict {
        if self.mark_above_last {
            self.signal(packet, ONE, trace)
        } else {
            trace.note(|why| self.show_passed(why, packet));
            self.without_mark(packet)
        }
    }

    /// Whether a packet that would be marked and cannot be is kept.
    fn passes(&self, packet: &PacketInfo) -> bool {
        self.others_pass && !packet.ecn.is_capable()
    }

    /// The verdict about a packet that is signalled and not marked.
    fn without_mark(&self, packet: &PacketInfo) -> Verdict {
        match self.passes(packet) {
            true => Verdict::Keep,
            false => Verdict::Drop(DropReason::Early),
        }
    }
}

/// The units of the average and the packets, and what depends on the link's rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RedConfig {
    /// Average and thresholds are in bytes rather than packets.
    pub in_bytes: bool,
    /// A packet's probability is scaled by its size over the mean, and it counts in the gap
    /// by its size.
    pub by_size: bool,
    /// The typical packet.
    pub mean_packet: Bytes,
    /// The packet whose transmission time the idle decay counts in.
    pub idle_packet: Bytes,
    /// The average's weight, or the time constant in seconds of an automatic one.
    pub weight: Result<f64, f64>,
    /// For automatic thresholds, the queueing delay to aim at, in seconds.
    pub target_delay: Option<f64>,
    /// ns-2's rule: no early drop of the first packet above the first threshold, nor while
    /// at most one packet waits.
    pub cautious: bool,
    /// Average and slope are kept as coarsely as in Linux.
    pub(crate) as_linux: bool,
}

impl RedConfig {
    /// The queue's length in the average's unit.
    #[inline]
    pub(crate) fn length_of<Q: Backlog>(&self, queue: &Q) -> u64 {
        if self.in_bytes {
            queue.bytes().min(average::LONGEST)
        } else {
            u64::from(queue.packets())
        }
    }

    /// What `packet` adds to the count of passed packets: 1, or its size in bytes.
    #[inline]
    pub(crate) fn step_of(&self, packet: &PacketInfo) -> u32 {
        if self.by_size { packet.size } else { 1 }
    }

    /// What a typical packet adds to the count of passed packets: 1, or its size in bytes.
    pub(crate) fn count_unit(&self) -> u32 {
        if self.by_size {
            u32::try_from(self.mean_packet.0).unwrap_or(u32::MAX)
        } else {
            1
        }
    }

    /// What ends a gap at Pb in steps of 2^-32: count times Pb, and the share of `packet`.
    #[inline]
    pub(crate) fn shares(&self, pb: u64, count: u64, packet: &PacketInfo) -> Shares {
        let alike = Shares::alike(pb, count);
        if !self.by_size {
            return alike;
        }
        let mean = self.mean_packet.0;
        Shares {
            pb,
            spent: alike.spent / mean,
            own: (u64::from(packet.size) * pb / mean).min(ONE),
            sizes: Some([f64::from(packet.size), mean as f64]),
        }
    }

    pub(crate) fn weight_at(&self, rate: BitsPerSec) -> f64 {
        self.weight.unwrap_or_else(|span| {
            Average::automatic_weight(rate.packets_per_sec(self.mean_packet), span)
        })
    }

    /// How much a typical packet counts in the average: 1, or its size in bytes.
    pub(crate) fn packet_unit(&self) -> f64 {
        if self.in_bytes {
            self.mean_packet.0 as f64
        } else {
            1.0
        }
    }

    /// An average of 1 in the unit of `old`, in this one's unit.
    pub(crate) fn rescaled(&self, old: &RedConfig) -> f64 {
        match self.in_bytes == old.in_bytes {
            true => 1.0,
            false => self.packet_unit() / old.packet_unit(),
        }
    }

    /// A count of 1 by the rules of `old`, by this one's.
    pub(crate) fn recounted(&self, old: &RedConfig) -> f64 {
        match self.by_size == old.by_size {
            true => 1.0,
            false => f64::from(self.count_unit()) / f64::from(old.count_unit()),
        }
    }

    pub(crate) fn packet_time(&self, rate: BitsPerSec) -> f64 {
        1.0 / rate.packets_per_sec(self.idle_packet)
    }

    /// Floyd 2001, section 3.2: `min = max(5, C delay/2)`, `max = 3 min`, in packets
    /// (bytes when `in_bytes`).
    fn automatic_thresholds(&self, rate: BitsPerSec) -> Option<(f64, f64)> {
        let packets = rate.packets_per_sec(self.mean_packet) * self.target_delay? / 2.0;
        let min = packets.max(5.0) * self.packet_unit();
        Some((min, 3.0 * min))
    }
}

/// A scheme of the RED family.
#[derive(Clone, Debug)]
pub struct Red {
    average: Average,
    curve: Curve,
    gap: Gap,
    adaptation: Adaptation,
    policy: Policy,
    action: Action,
    config: RedConfig,
    law: Option<&'static CurveLaw>,
    /// Whether the fast path may be used: packets are counted, not bytes, neither an adaptation
    /// nor a policy needs every arrival, and nothing is as in Linux.
    fast_eligible: bool,
    /// The fast path without the rule `cautious`: open while eligible and the queue has not
    /// been idle since the last arrival.
    fast: FastPath,
    /// The fast path with the rule `cautious`. At most one of the two is open.
    fast_cautious: FastPath,
    /// The curve's first and last thresholds in the average's steps.
    band: (u64, u64),
    /// Whether the last arrival met an average above the first threshold; used by the rule
    /// `cautious` only.
    in_band: bool,
}

impl Red {
    /// The average queue, in packets or bytes.
    pub fn average(&self) -> f64 {
        self.average.value()
    }

    /// The curve at its present strength.
    pub fn curve(&self) -> &Curve {
        &self.curve
    }

    /// The count in packets; in mean packets when `by_size`.
    fn packets_since(&self) -> f64 {
        self.gap.count() as f64 / f64::from(self.config.count_unit())
    }

    /// The verdict below the first threshold: keep, and start a new gap.
    #[inline]
    fn below(&mut self) -> Verdict {
        self.gap.restart(0);
        self.in_band = false;
        Verdict::Keep
    }

    /// The verdict above the last threshold: drop, or mark where configured.
    #[inline]
    fn above(&mut self, packet: &PacketInfo, trace: &mut impl Trace) -> Verdict {
        self.gap.restart_after_signal();
        self.action.signal_above_last(packet, trace)
    }

    /// The verdict for the gap's shares of Pb.
    #[inline(always)]
    fn draw(
        &mut self,
        shares: Shares,
        step: u32,
        packet: &PacketInfo,
        random: &mut Pcg32,
        trace: &mut impl Trace,
    ) -> Verdict {
        if self.gap.is_over(shares, random, trace) {
            return self.end_gap(shares.pb, &{ *packet }, trace);
        }
        self.gap.pass(step);
        Verdict::Keep
    }

    /// The verdict that ends a gap at Pb. A separate function, off the fast path.
    #[cold]
    fn end_gap(&mut self, pb: u64, packet: &PacketInfo, trace: &mut impl Trace) -> Verdict {
        self.gap.restart_after_signal();
        self.action.signal(packet, pb, trace)
    }

    /// The verdict of curve and spacing on the fast path under the rule `cautious`.
    #[inline(always)]
    fn judge_cautiously(
        &mut self,
        avg: u64,
        packet: &PacketInfo,
        random: &mut Pcg32,
        trace: &mut impl Trace,
    ) -> Verdict {
        if avg < self.band.0 {
            trace.note(|why| self.show_below(why, self.in_units(avg)));
            return self.below();
        }
        if !core::mem::replace(&mut self.in_band, true) {
            trace.note(show_first_in_band);
            self.gap.restart(1);
            return Verdict::Keep;
        }
        self.judge_fast(avg, packet, random, trace)
    }

    /// The verdict of curve and spacing on the fast path, for an average in its own steps.
    #[inline(always)]
    fn judge_fast(
        &mut self,
        avg: u64,
        packet: &PacketInfo,
        random: &mut Pcg32,
        trace: &mut impl Trace,
    ) -> Verdict {
        if avg < self.band.0 {
            trace.note(|why| self.show_below(why, self.in_units(avg)));
            self.gap.restart(0);
            return Verdict::Keep;
        }
        let pb = match self.curve.steps_on_line(avg - self.band.0) {
            Some(pb) => pb,
            None if avg >= self.band.1 => {
                trace.note(|why| self.show_above(why, self.in_units(avg), packet));
                return self.above(packet, trace);
            }
            None => {
                cold_path();
                let on_second = self.curve.steps_on_second_line(avg - self.band.0);
                on_second.unwrap_or_else(|| self.curve.steps_between(avg))
            }
        };
        trace.note(|why| self.show_pb(why, self.in_units(avg), self.curve.strength(), pb));
        // A gap outlasts 2^32 packets only while Pb is 0, so the product does not overflow.
        let shares = Shares::alike(pb, self.gap.count());
        self.draw(shares, 1, packet, random, trace)
    }
}

impl Rule for Red {
    fn arrive<Q: Backlog, T: Trace>(&mut self, case: Case<'_, Q, T>) -> Verdict {
        case.trace.note(|why| self.show_names(why));
        self.on_arrival_slow_path(case)
    }
}

impl Aqm for Red {
    #[inline(always)]
    fn on_arrival<Q: Backlog>(
        &mut self,
        now: Nanos,
        packet: &PacketInfo,
        queue: &Q,
        random: &mut Pcg32,
    ) -> Verdict {
        let length = queue.packets();
        if let Some(avg) = self.average.add_on_fast_path(self.fast, length) {
            return self.judge_fast(avg, packet, random, &mut ());
        }
        let Some(avg) = self.average.add_on_fast_path(self.fast_cautious, length) else {
            cold_path();
            // A copy, so that only the slow path needs the packet's data in memory.
            let packet = &{ *packet };
            return self.on_arrival_slow_path(Case::new(now, packet, queue, random, &mut ()));
        };
        if length <= 1 {
            return self.below();
        }
        self.judge_cautiously(avg, packet, random, &mut ())
    }

    #[inline]
    fn on_accepted(&mut self, _now: Nanos, packet: &PacketInfo) {
        if !self.fast_eligible {
            self.average.on_accepted();
            if self.policy.follows_packets() {
                self.policy.on_accepted(packet.flow);
            }
        }
    }

    #[inline]
    fn on_refused(&mut self, _now: Nanos, _packet: &PacketInfo) {
        self.gap.restart_after_full_buffer();
        self.policy.on_refused();
    }

    #[inline]
    fn on_departure<Q: Backlog>(
        &mut self,
        now: Nanos,
        packet: &PacketInfo,
        queue: &Q,
        _random: &mut Pcg32,
    ) -> Verdict {
        if !self.fast_eligible && self.policy.follows_packets() {
            self.depart_under_policy(now, packet.flow, queue);
        }
        Verdict::Keep
    }

    fn on_evicted(&mut self, _now: Nanos, packet: &PacketInfo) {
        self.policy.on_left(packet.flow);
    }

    fn on_empty(&mut self, now: Nanos) {
        self.average.on_empty(now);
        (self.fast, self.fast_cautious) = (FastPath::CLOSED, FastPath::CLOSED);
    }

    fn on_idle(&mut self, now: Nanos) {
        self.average.start_idle(now);
        (self.fast, self.fast_cautious) = (FastPath::CLOSED, FastPath::CLOSED);
    }

    #[inline]
    fn poll<Q: Backlog>(&mut self, now: Nanos, queue: &Q) {
        if self.adaptation.is_due(now) {
            let length = self.config.length_of(queue) as f64;
            let avg = self.average.value();
            self.adaptation.catch_up(now, avg, length, &mut self.curve);
        }
    }

    fn next_deadline(&self) -> Option<Nanos> {
        self.adaptation.next_deadline()
    }

    fn on_link_rate(&mut self, _now: Nanos, rate: BitsPerSec) {
        let weight = self.config.weight_at(rate);
        self.average.retune(weight, self.config.packet_time(rate));
        (self.fast, self.fast_cautious) = (FastPath::CLOSED, FastPath::CLOSED);
        if let (Some((min, max)), Some(law)) = (self.config.automatic_thresholds(rate), self.law) {
            self.curve.move_to(law, min, max);
            self.band = self.average.band_of(&self.curve);
        }
    }

    fn steer(&mut self, _now: Nanos, setting: &Setting) -> Result<(), SteerError> {
        self.apply(setting)
    }

    fn continue_from(&mut self, now: Nanos, old: Self, waiting: WaitingPackets<'_>) {
        self.take_over(now, old, waiting);
    }

    fn probes(&self, show: &mut dyn FnMut(&'static str, f64)) {
        let avg = self.average.value();
        let pb = self.curve.probability(avg);
        show("average", avg);
        show("pb", pb);
        show(
            "pa",
            self.gap.spacing().probability(pb, self.packets_since()),
        );
        let strength = self.curve.strength();
        show("max_p", self.law.map_or(strength, |law| law.flip(strength)));
        show("count", self.packets_since());
        self.policy.probes(show);
    }

    fn heap_bytes(&self) -> usize {
        self.curve.heap_bytes() + self.policy.heap_bytes()
    }
}
