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
//! # How other tools differ
//!
//! | aspect | ns-2, ns-3 | Linux | DPDK | here |
//! |---|---|---|---|---|
//! | spacing | `wait`, 0.67 Pb at Pb = 0.02 | threshold drawn once a gap, 1.96 Pb | uniform on 2/Pb, 0.99 Pb | named, `uniform` by default |
//! | default max_p | 0.1; 0.02 in ns-3 | 0.02 | 1/10 | 0.1 |
//! | gentle | on; off in ns-3 | no | no | `gred`, or `curve=gentle` |
//! | slope above max when max_p adapts | of the first max_p | no such part | no such part | follows; `gentle_slope=initial` for theirs |
//! | average in | bytes in ns-2, packets in ns-3 | bytes | packets | packets, or `unit=bytes` |
//! | idle decay | floor(m) + 1 steps | 256 halvings | floor(m) of 2^22 bytes each | (1-w)^m |
//! | first packet in the band | never dropped | never dropped | may be dropped | may be dropped |
//! | queue of one packet | never dropped early | dropped | dropped unless empty | dropped |
//! | ECN above max | dropped, and from Pb > 0.1 on in ns-2 | marked, unless harddrop | no ECN | dropped; `mark_above_max=on` to mark |

mod adaptation;
mod average;
mod curve;
pub(crate) mod parameters;
mod policy;
mod spacing;

pub use adaptation::Adaptation;
pub use average::{Average, Idle};
pub use curve::{Curve, CurveLaw, Piece, Shape};
pub use policy::{Policy, Treatment, View};
pub use spacing::Spacing;

pub(crate) use curve::{gentle_piece, linear_piece};

use crate::aqm::{Aqm, Backlog, DropReason, Verdict};
use crate::packet::Facts;
use crate::random::Pcg32;
use crate::units::{BitsPerSec, Bytes, Nanos};

/// The sixth part: what happens to a packet that is to tell of congestion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Action {
    /// Mark ECN-capable packets instead of dropping them.
    pub ecn: bool,
    /// Mark them even where the curve drops everything.
    pub mark_above_last: bool,
    /// Drop them all the same once Pb exceeds this (ns-2: 0.1; 1 for never).
    pub mark_limit: f64,
}

impl Action {
    #[inline]
    pub(crate) fn tell(&self, packet: &Facts, pb: f64) -> Verdict {
        if self.ecn && packet.ecn.is_capable() && pb <= self.mark_limit {
            Verdict::Mark
        } else {
            Verdict::Drop(DropReason::Early)
        }
    }

    pub(crate) fn tell_above_last(&self, packet: &Facts) -> Verdict {
        if self.mark_above_last {
            self.tell(packet, 1.0)
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
    pub(crate) fn weight_at(&self, rate: BitsPerSec) -> f64 {
        self.weight.unwrap_or_else(|span| {
            Average::automatic_weight(rate.packets_per_sec(self.mean_packet), span)
        })
    }

    pub(crate) fn packet_time(&self, rate: BitsPerSec) -> f64 {
        1.0 / rate.packets_per_sec(self.idle_packet)
    }

    /// Floyd 2001, section 3.2: `min = max(5, C delay/2)`, `max = 3 min`, in packets
    /// (bytes when `in_bytes`).
    fn automatic_thresholds(&self, rate: BitsPerSec) -> Option<(f64, f64)> {
        let packets = rate.packets_per_sec(self.mean_packet) * self.target_delay? / 2.0;
        let unit = if self.in_bytes {
            self.mean_packet.0 as f64
        } else {
            1.0
        };
        let min = packets.max(5.0) * unit;
        Some((min, 3.0 * min))
    }
}

/// A scheme of the RED family.
#[derive(Clone, Debug)]
pub struct Red {
    average: Average,
    curve: Curve,
    spacing: Spacing,
    adaptation: Adaptation,
    policy: Policy,
    action: Action,
    measure: Measure,
    law: Option<&'static CurveLaw>,
    /// Packets (mean-sized ones when `by_size`) let through since the last drop or
    /// mark, or since the average rose above the first threshold.
    count: f64,
    /// Whether the last arrival saw the average above the first threshold.
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

    #[inline]
    fn length_of<Q: Backlog>(&self, queue: &Q) -> f64 {
        if self.measure.in_bytes {
            queue.bytes() as f64
        } else {
            f64::from(queue.packets())
        }
    }

    /// What `packet` counts for in the spacing: 1, or its size over the mean.
    #[inline]
    fn weight_of(&self, packet: &Facts) -> f64 {
        if self.measure.by_size {
            f64::from(packet.size) / self.measure.mean_packet.0 as f64
        } else {
            1.0
        }
    }

    /// Below the first threshold the count starts afresh.
    #[inline]
    fn below(&mut self) -> Verdict {
        self.count = 0.0;
        self.in_band = false;
        Verdict::Keep
    }

    /// The verdict for Pb in the random region.
    #[inline]
    fn space(&mut self, pb: f64, packet: &Facts, random: &mut Pcg32) -> Verdict {
        let weight = self.weight_of(packet);
        if self.spacing.hits(pb, self.count, weight, random.uniform()) {
            self.count = 0.0;
            self.action.tell(packet, pb)
        } else {
            self.count += weight;
            Verdict::Keep
        }
    }

    /// The verdict of curve and spacing at `avg`, Pb coming from `curve_at`.
    #[inline]
    fn judge(
        &mut self,
        avg: f64,
        packet: &Facts,
        random: &mut Pcg32,
        pb_at: impl FnOnce(&Curve, f64) -> f64,
    ) -> Verdict {
        if avg < self.curve.first() {
            return self.below();
        }
        if self.measure.cautious && !self.in_band {
            self.in_band = true;
            self.count = self.weight_of(packet);
            return Verdict::Keep;
        }
        self.in_band = true;
        if avg >= self.curve.last() {
            self.count = 0.0;
            return self.action.tell_above_last(packet);
        }
        let pb = pb_at(&self.curve, avg);
        self.space(pb, packet, random)
    }

    /// The verdict where an adaptation or a policy has something to say.
    #[cold]
    fn judge_specially(
        &mut self,
        treatment: Treatment,
        climbing: Option<f64>,
        packet: &Facts,
        random: &mut Pcg32,
    ) -> Verdict {
        let avg = self.average.value();
        let strength = climbing.filter(|_| avg < self.curve.shape().max);
        let strength = strength.unwrap_or_else(|| self.curve.strength());
        match treatment {
            Treatment::Normal => self.judge(avg, packet, random, |curve, avg| {
                curve.probability_at(avg, strength)
            }),
            Treatment::Scaled(factor) => self.judge(avg, packet, random, |curve, avg| {
                curve.probability_at(avg, (strength * factor).min(1.0))
            }),
            Treatment::Raised(by) => self.judge(avg - by, packet, random, |curve, avg| {
                curve.probability_at(avg, strength)
            }),
            Treatment::Spared if avg < self.curve.last() => Verdict::Keep,
            Treatment::Spared => self.action.tell_above_last(packet),
            Treatment::Refused => Verdict::Drop(DropReason::Policy),
            Treatment::RefusedWith(place) => Verdict::DropBoth(place, DropReason::Policy),
        }
    }
}

impl Aqm for Red {
    #[inline]
    fn on_arrival<Q: Backlog>(
        &mut self,
        now: Nanos,
        packet: &Facts,
        queue: &Q,
        random: &mut Pcg32,
    ) -> Verdict {
        let length = self.length_of(queue);
        let avg = self.average.update(now, length);
        let climbing = self.adaptation.on_average(now, avg, &mut self.curve);
        if self.measure.cautious && length <= 1.0 {
            return self.below();
        }
        if let Policy::None = self.policy
            && climbing.is_none()
        {
            return self.judge(avg, packet, random, Curve::between);
        }
        let view = View {
            avg,
            first: self.curve.first(),
            max: self.curve.shape().max,
        };
        let treatment = self.policy.treat(now, packet, &view, queue, random);
        let verdict = self.judge_specially(treatment, climbing, packet, random);
        self.policy.on_verdict(packet, verdict);
        verdict
    }

    fn on_accepted(&mut self, now: Nanos, packet: &Facts) {
        self.policy.on_accepted(now, packet);
    }

    fn on_refused(&mut self, now: Nanos, packet: &Facts) {
        self.count = 0.0;
        self.policy.on_refused(now, packet);
    }

    fn on_departure<Q: Backlog>(
        &mut self,
        now: Nanos,
        packet: &Facts,
        queue: &Q,
        _random: &mut Pcg32,
    ) -> Verdict {
        if self.policy.samples_departures() {
            let length = self.length_of(queue);
            self.average.update(now, length);
        }
        self.policy.on_left(packet);
        Verdict::Keep
    }

    fn on_evicted(&mut self, _now: Nanos, packet: &Facts) {
        self.policy.on_left(packet);
    }

    fn on_idle(&mut self, now: Nanos) {
        self.average.start_idle(now);
    }

    #[inline]
    fn poll<Q: Backlog>(&mut self, now: Nanos, queue: &Q) {
        if self.adaptation.is_due(now) {
            let length = self.length_of(queue);
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
        if let (Some((min, max)), Some(law)) = (self.measure.automatic_thresholds(rate), self.law) {
            let strength = self.curve.strength();
            let shape = Shape {
                min,
                max,
                ..*self.curve.shape()
            };
            self.curve = Curve::new(law, shape);
            self.curve.set_strength(strength);
        }
    }

    fn probes(&self, show: &mut dyn FnMut(&'static str, f64)) {
        let avg = self.average.value();
        let pb = self.curve.probability(avg);
        show("average", avg);
        show("pb", pb);
        show("pa", self.spacing.probability(pb, self.count));
        let strength = self.curve.strength();
        show("max_p", self.law.map_or(strength, |law| law.flip(strength)));
        show("count", self.count);
        self.policy.probes(show);
    }

    fn heap_bytes(&self) -> usize {
        self.curve.heap_bytes() + self.policy.heap_bytes()
    }
}
