//! The RED family: six small parts, and every published variant a choice in each.
//!
//! 1. [`Average`]: what the queue has been.
//! 2. [`Curve`]: from the average to the initial probability Pb.
//! 3. [`Spacing`]: from Pb to the actual probability Pa.
//! 4. [`Adaptation`]: what moves the curve's strength over time.
//! 5. [`Policy`]: what is done differently for some flows.
//! 6. [`Action`]: drop, or mark.
//!
//! [`Red`] puts them together. The named schemes are in [`crate::schemes`], one
//! file each, beside the part they brought.
//!
//! How other tools differ is told in [`crate::schemes::red`].

mod adaptation;
mod average;
pub(crate) mod parameters;
mod policy;
mod slow_path;
mod spacing;
pub(crate) mod variants;

pub use crate::curve::{Curve, CurveLaw, MOST_PIECES, Piece, Pieces, Shape};
pub use adaptation::Adaptation;
pub use average::{Average, Idle};
pub use parameters::with_curve;
pub use policy::{Policy, Treatment, View};
pub use spacing::Spacing;
pub use variants::CURVES;

pub(crate) use crate::curve::{gentle_piece, linear_piece};

use average::FastPath;
pub(crate) use spacing::Gap;

use core::hint::cold_path;

use crate::aqm::{Aqm, Backlog, DropReason, Verdict};
use crate::curve::{ONE, in_steps};
use crate::packet::PacketInfo;
use crate::random::Pcg32;
use crate::units::{BitsPerSec, Bytes, Nanos};

/// The sixth part: what happens to a packet that is to tell of congestion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Action {
    /// Mark ECN-capable packets instead of dropping them.
    pub ecn: bool,
    /// Mark them even where the curve drops everything.
    pub mark_above_last: bool,
    /// Drop them all the same once Pb exceeds this, in steps of 2^-32.
    mark_limit: u64,
}

impl Action {
    /// Marks under `ecn`; above the last threshold too where `mark_above_last`; not
    /// once Pb exceeds `mark_limit` (ns-2: 0.1; 1 for never).
    pub fn new(ecn: bool, mark_above_last: bool, mark_limit: f64) -> Action {
        Action {
            ecn,
            mark_above_last,
            mark_limit: in_steps(mark_limit),
        }
    }

    #[inline]
    pub(crate) fn signal(&self, packet: &PacketInfo, pb: u64) -> Verdict {
        if self.ecn && packet.ecn.is_capable() && pb <= self.mark_limit {
            Verdict::Mark
        } else {
            Verdict::Drop(DropReason::Early)
        }
    }

    pub(crate) fn signal_above_last(&self, packet: &PacketInfo) -> Verdict {
        if self.mark_above_last {
            self.signal(packet, ONE)
        } else {
            Verdict::Drop(DropReason::Early)
        }
    }
}

/// What is measured how, and what is worked out again when the link changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    /// Average and thresholds are in bytes rather than packets.
    pub in_bytes: bool,
    /// A packet of another size has its probability scaled by size over mean, and
    /// counts towards the spacing by as much.
    pub by_size: bool,
    /// Typical packet.
    pub mean_packet: Bytes,
    /// The packet whose transmission time the idle decay counts in.
    pub idle_packet: Bytes,
    /// The average's weight, or the span in seconds an automatic one forgets over.
    pub weight: Result<f64, f64>,
    /// For automatic thresholds, the queueing delay to aim at, in seconds.
    pub target_delay: Option<f64>,
    /// ns-2's caution: no early drop of the first packet above the first
    /// threshold, nor while at most one packet waits.
    pub cautious: bool,
}

impl Measure {
    /// The queue's length in what the average is kept in.
    #[inline]
    pub(crate) fn length_of<Q: Backlog>(&self, queue: &Q) -> u64 {
        if self.in_bytes {
            queue.bytes().min(average::LONGEST)
        } else {
            u64::from(queue.packets())
        }
    }

    /// What `packet` adds to the count of those let through: 1, or its size.
    #[inline]
    pub(crate) fn step_of(&self, packet: &PacketInfo) -> u32 {
        if self.by_size { packet.size } else { 1 }
    }

    /// What the spacing draws with, for Pb in steps of 2^-32: count times Pb, and the
    /// share of Pb of a packet that counts `step`.
    #[inline]
    pub(crate) fn shares(&self, pb: u64, count: u64, step: u32) -> (u64, u64) {
        let (spent, own) = (count.wrapping_mul(pb), u64::from(step) * pb);
        if self.by_size {
            let mean = self.mean_packet.0;
            (spent / mean, (own / mean).min(ONE))
        } else {
            (spent, own)
        }
    }

    pub(crate) fn weight_at(&self, rate: BitsPerSec) -> f64 {
        self.weight.unwrap_or_else(|span| {
            Average::automatic_weight(rate.packets_per_sec(self.mean_packet), span)
        })
    }

    /// What a typical packet counts in the average: 1, or its size.
    pub(crate) fn packet_unit(&self) -> f64 {
        if self.in_bytes {
            self.mean_packet.0 as f64
        } else {
            1.0
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
    measure: Measure,
    law: Option<&'static CurveLaw>,
    /// Packets are counted, not bytes, and neither an adaptation nor a policy wants to see
    /// each arrival.
    plain: bool,
    /// Open while it is plain, and the queue has not been idle since the last arrival:
    /// without caution the one, with it the other.
    quick: FastPath,
    cautious: FastPath,
    /// The curve's first and last thresholds in the average's steps.
    band: (u64, u64),
    /// Whether the last arrival saw the average above the first threshold; of use to
    /// caution only.
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

    /// The count in packets, mean-sized ones when `by_size`.
    fn packets_since(&self) -> f64 {
        let unit = if self.measure.by_size {
            self.measure.mean_packet.0
        } else {
            1
        };
        self.gap.count() as f64 / unit as f64
    }

    /// Below the first threshold.
    #[inline]
    fn below(&mut self) -> Verdict {
        self.gap.restart(0);
        self.in_band = false;
        Verdict::Keep
    }

    /// From the last threshold on.
    #[inline]
    fn above(&mut self, packet: &PacketInfo) -> Verdict {
        self.gap.restart(0);
        self.action.signal_above_last(packet)
    }

    /// The verdict for Pb where the gap may be over; see [`Gap::is_over`].
    #[inline(always)]
    fn draw(
        &mut self,
        [pb, spent, own]: [u64; 3],
        step: u32,
        packet: &PacketInfo,
        random: &mut Pcg32,
    ) -> Verdict {
        if self.gap.is_over(spent, own, random) {
            return self.end_gap(pb, &{ *packet });
        }
        self.gap.pass(step);
        Verdict::Keep
    }

    /// The verdict that ends a gap at Pb. Apart, and so out of the way of most.
    #[cold]
    fn end_gap(&mut self, pb: u64, packet: &PacketInfo) -> Verdict {
        self.gap.restart(0);
        self.action.signal(packet, pb)
    }

    /// The same with caution's say.
    #[inline(always)]
    fn judge_cautiously(&mut self, avg: u64, packet: &PacketInfo, random: &mut Pcg32) -> Verdict {
        if avg < self.band.0 {
            return self.below();
        }
        if !core::mem::replace(&mut self.in_band, true) {
            self.gap.restart(1);
            return Verdict::Keep;
        }
        self.judge_plain(avg, packet, random)
    }

    /// The verdict of curve and spacing in the plain case, for an average in its own
    /// steps.
    #[inline(always)]
    fn judge_plain(&mut self, avg: u64, packet: &PacketInfo, random: &mut Pcg32) -> Verdict {
        if avg < self.band.0 {
            self.gap.restart(0);
            return Verdict::Keep;
        }
        let pb = match self.curve.steps_on_line(avg - self.band.0) {
            Some(pb) => pb,
            None if avg >= self.band.1 => return self.above(packet),
            None => {
                cold_path();
                let on_second = self.curve.steps_on_second_line(avg - self.band.0);
                on_second.unwrap_or_else(|| self.curve.steps_between(avg))
            }
        };
        // Only while Pb is 0 does a gap outlast 2^32 packets, and the product the word.
        let spent = self.gap.count().wrapping_mul(pb);
        self.draw([pb, spent, pb], 1, packet, random)
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
        if let Some(avg) = self.average.add_on_fast_path(self.quick, length) {
            return self.judge_plain(avg, packet, random);
        }
        let Some(avg) = self.average.add_on_fast_path(self.cautious, length) else {
            cold_path();
            // A copy, so that the facts need lie in memory for these only.
            return self.on_arrival_slow_path(now, &{ *packet }, queue, random);
        };
        if length <= 1 {
            return self.below();
        }
        self.judge_cautiously(avg, packet, random)
    }

    #[inline]
    fn on_accepted(&mut self, _now: Nanos, packet: &PacketInfo) {
        if !self.plain && self.policy.follows_packets() {
            self.policy.on_accepted(packet.flow);
        }
    }

    #[inline]
    fn on_refused(&mut self, _now: Nanos, _packet: &PacketInfo) {
        self.gap.restart(0);
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
        if !self.plain && self.policy.follows_packets() {
            self.depart_under_policy(now, packet.flow, queue);
        }
        Verdict::Keep
    }

    fn on_evicted(&mut self, _now: Nanos, packet: &PacketInfo) {
        self.policy.on_left(packet.flow);
    }

    fn on_empty(&mut self, now: Nanos) {
        self.average.start_idle(now);
        (self.quick, self.cautious) = (FastPath::CLOSED, FastPath::CLOSED);
    }

    fn on_idle(&mut self, now: Nanos) {
        self.on_empty(now);
    }

    #[inline]
    fn poll<Q: Backlog>(&mut self, now: Nanos, queue: &Q) {
        if self.adaptation.is_due(now) {
            let length = self.measure.length_of(queue) as f64;
            let avg = self.average.value();
            self.adaptation.catch_up(now, avg, length, &mut self.curve);
        }
    }

    fn next_deadline(&self) -> Option<Nanos> {
        self.adaptation.next_deadline()
    }

    fn on_link_rate(&mut self, _now: Nanos, rate: BitsPerSec) {
        let weight = self.measure.weight_at(rate);
        self.average.retune(weight, self.measure.packet_time(rate));
        (self.quick, self.cautious) = (FastPath::CLOSED, FastPath::CLOSED);
        if let (Some((min, max)), Some(law)) = (self.measure.automatic_thresholds(rate), self.law) {
            self.curve.move_to(law, min, max);
            self.band = self.average.band_of(&self.curve);
        }
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
