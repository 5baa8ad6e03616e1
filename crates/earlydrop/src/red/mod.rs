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
use crate::packet::{Facts, FlowKey};
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
    fn tell(&self, packet: &Facts, pb: f64) -> Verdict {
        if self.ecn && packet.ecn.is_capable() && pb <= self.mark_limit {
            Verdict::Mark
        } else {
            Verdict::Drop(DropReason::Early)
        }
    }

    fn tell_above_last(&self, packet: &Facts) -> Verdict {
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
    fn weight_at(&self, rate: BitsPerSec) -> f64 {
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

    fn packet_time(&self, rate: BitsPerSec) -> f64 {
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

    /// The verdict for a packet that only the curve's last threshold concerns. In
    /// the random region it counts for the spacing all the same.
    fn spare(&mut self, avg: f64, packet: &Facts) -> Verdict {
        if avg < self.curve.first() {
            return self.below();
        }
        self.in_band = true;
        if avg >= self.curve.last() {
            self.count = 0.0;
            return self.action.tell_above_last(packet);
        }
        self.count += self.weight_of(packet);
        Verdict::Keep
    }

    /// A strength is a probability, but for a curve given as numbers: there it
    /// is a factor.
    fn capped(&self, strength: f64) -> f64 {
        match self.law {
            Some(_) => strength.min(1.0),
            None => strength,
        }
    }

    /// The verdict for an arrival that a policy has a say in. Kept apart, as are the
    /// others that only policies need, so that a queue without one runs as little
    /// code as it can.
    #[inline(never)]
    fn arrive_under_policy<Q: Backlog>(
        &mut self,
        now: Nanos,
        packet: &Facts,
        queue: &Q,
        random: &mut Pcg32,
    ) -> Verdict {
        let length = self.length_of(queue);
        let sample_later = length > 0.0 && self.policy.follows_packets();
        if !sample_later {
            self.average.update(now, length);
        }
        let avg = self.average.value();
        let climbing = self.adaptation.on_average(now, avg, &mut self.curve);
        let view = View {
            avg,
            first: self.curve.first(),
            max: self.curve.shape().max,
        };
        let treatment = self.policy.treat(now, packet, &view, queue, random);
        let verdict = if self.measure.cautious && length <= 1.0 {
            self.below()
        } else {
            self.judge_specially(treatment, climbing, packet, random)
        };
        if sample_later && matches!(verdict, Verdict::Keep | Verdict::Mark) {
            self.average.update(now, length);
        }
        self.policy.on_verdict(packet, verdict);
        verdict
    }

    /// A packet of `flow` leaves a queue whose policy follows it.
    #[inline(never)]
    fn depart_under_policy<Q: Backlog>(&mut self, now: Nanos, flow: FlowKey, queue: &Q) {
        let length = self.length_of(queue);
        self.average.update(now, length);
        self.policy.on_left(flow);
    }

    /// The verdict where an adaptation or a policy has something to say.
    #[inline(never)]
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
            Treatment::Normal if climbing.is_none() => {
                self.judge(avg, packet, random, Curve::between)
            }
            Treatment::Normal => self.judge(avg, packet, random, |curve, avg| {
                curve.probability_at(avg, strength)
            }),
            Treatment::Scaled(factor) => {
                let strength = self.capped(strength * factor);
                self.judge(avg, packet, random, |curve, avg| {
                    curve.probability_at(avg, strength)
                })
            }
            // Between both first thresholds: neither counted nor reason to count afresh.
            Treatment::Raised(by) if avg >= self.curve.first() && avg - by < self.curve.first() => {
                Verdict::Keep
            }
            Treatment::Raised(by) => self.judge(avg - by, packet, random, |curve, avg| {
                curve.probability_at(avg, strength)
            }),
            Treatment::Spared => self.spare(avg, packet),
            Treatment::Admitted => {
                self.in_band = true;
                self.count = 0.0;
                Verdict::Keep
            }
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
        if !matches!(self.policy, Policy::None) {
            return self.arrive_under_policy(now, packet, queue, random);
        }
        let length = self.length_of(queue);
        let avg = self.average.update(now, length);
        let climbing = self.adaptation.on_average(now, avg, &mut self.curve);
        if self.measure.cautious && length <= 1.0 {
            return self.below();
        }
        if climbing.is_none() {
            self.judge(avg, packet, random, Curve::between)
        } else {
            self.judge_specially(Treatment::Normal, climbing, packet, random)
        }
    }

    #[inline]
    fn on_accepted(&mut self, _now: Nanos, packet: &Facts) {
        if self.policy.follows_packets() {
            self.policy.on_accepted(packet.flow);
        }
    }

    fn on_refused(&mut self, _now: Nanos, _packet: &Facts) {
        self.count = 0.0;
        self.policy.on_refused();
    }

    #[inline]
    fn on_departure<Q: Backlog>(
        &mut self,
        now: Nanos,
        packet: &Facts,
        queue: &Q,
        _random: &mut Pcg32,
    ) -> Verdict {
        if self.policy.follows_packets() {
            self.depart_under_policy(now, packet.flow, queue);
        }
        Verdict::Keep
    }

    fn on_evicted(&mut self, _now: Nanos, packet: &Facts) {
        self.policy.on_left(packet.flow);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::{Limit, QueueDiscipline, SingleQueue};
    use crate::testing::{packet, settings};

    #[test]
    fn a_strength_is_a_probability_but_for_numbers() {
        let capped = |text: &str| Red::from_settings(&settings(text)).unwrap().capped(3.0);
        assert_eq!(capped("sfred"), 1.0);
        assert_eq!(capped("clred:policy=lru"), 1.0);
        assert_eq!(capped("sfred:curve=numbers,segments=1: 0.1"), 3.0);
    }

    #[test]
    fn a_policy_hears_of_packets_that_found_no_room() {
        let red = Red::from_settings(&settings("sfred:min=50,max=100,k=1")).unwrap();
        let mut queue = SingleQueue::new(red, Limit::packets(2), Pcg32::new(1, 0));
        for _ in 0..4 {
            queue.enqueue(Nanos::ZERO, packet(1));
        }
        let Policy::Sfred(sfred) = &queue.aqm().policy else {
            panic!("not SFRED");
        };
        assert_eq!(sfred.dropped(), 2.0);
    }
}
