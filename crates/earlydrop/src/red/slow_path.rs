//! Arrivals that are not plain: under a flow policy, an adaptation that looks at
//! each, or byte mode; and the first arrival after an idle time.

use super::variants::choke;
use super::{Policy, Red, Treatment, View};
use crate::aqm::{Backlog, DropReason, Verdict};
use crate::curve::in_steps;
use crate::packet::{FlowKey, PacketInfo};
use crate::random::Pcg32;
use crate::units::Nanos;

impl Red {
    /// The verdict for any arrival.
    #[inline(never)]
    pub(super) fn on_arrival_slow_path<Q: Backlog>(
        &mut self,
        now: Nanos,
        packet: &PacketInfo,
        queue: &Q,
        random: &mut Pcg32,
    ) -> Verdict {
        if self.plain && self.measure.cautious {
            self.cautious = self.average.fast_path();
        } else if self.plain {
            self.quick = self.average.fast_path();
        }
        if self.policy.remembers_flows() {
            return self.arrive_under_policy(now, packet, queue, random);
        }
        let length = self.measure.length_of(queue);
        self.average.update(now, length);
        let strength = self.climbing_strength(now);
        if self.measure.cautious && length <= 1 {
            return self.below();
        }
        if matches!(self.policy, Policy::Choke)
            && self.average.in_steps() > self.band.0
            && let Some(slot) = choke::match_waiting(packet, queue, random)
        {
            return Verdict::DropBoth(slot, DropReason::Policy);
        }
        self.judge_current_average(strength, packet, random)
    }

    /// The verdict for the average as it is.
    #[inline]
    fn judge_current_average(
        &mut self,
        strength: Option<f64>,
        packet: &PacketInfo,
        random: &mut Pcg32,
    ) -> Verdict {
        if strength.is_some() || self.measure.by_size {
            return self.judge(self.average.value(), strength, packet, random);
        }
        let avg = self.average.in_steps();
        if self.measure.cautious {
            self.judge_cautiously(avg, packet, random)
        } else {
            self.judge_plain(avg, packet, random)
        }
    }

    /// Tells the adaptation of the average; the strength it asks for this packet.
    #[inline]
    fn climbing_strength(&mut self, now: Nanos) -> Option<f64> {
        let climbing = self
            .adaptation
            .on_average(now, &self.average, &mut self.curve);
        climbing.filter(|_| self.average.value() < self.curve.shape().max)
    }

    /// The verdict for an arrival that a policy with a memory has a say in.
    #[inline]
    fn arrive_under_policy<Q: Backlog>(
        &mut self,
        now: Nanos,
        packet: &PacketInfo,
        queue: &Q,
        random: &mut Pcg32,
    ) -> Verdict {
        let length = self.measure.length_of(queue);
        let sample_later = length > 0 && self.policy.follows_packets();
        if !sample_later {
            self.average.update(now, length);
        }
        let strength = self.climbing_strength(now);
        let view = View {
            avg: self.average.value(),
            first: self.curve.first(),
            max: self.curve.shape().max,
        };
        let treatment = self.policy.treat(now, packet, &view, random);
        let verdict = if self.measure.cautious && length <= 1 {
            self.below()
        } else {
            self.judge_treated(treatment, strength, packet, random)
        };
        if sample_later && matches!(verdict, Verdict::Keep | Verdict::Mark) {
            self.average.update(now, length);
        }
        self.policy.on_verdict(packet, verdict);
        verdict
    }

    /// A packet of `flow` leaves a queue whose policy follows it.
    #[inline(never)]
    pub(super) fn depart_under_policy<Q: Backlog>(&mut self, now: Nanos, flow: FlowKey, queue: &Q) {
        let length = self.measure.length_of(queue);
        self.average.update(now, length);
        self.policy.on_left(flow);
    }

    /// The verdict as a policy wants it, or an adaptation that asks for `strength`.
    #[inline]
    fn judge_treated(
        &mut self,
        treatment: Treatment,
        strength: Option<f64>,
        packet: &PacketInfo,
        random: &mut Pcg32,
    ) -> Verdict {
        let (avg, first) = (self.average.value(), self.curve.first());
        match treatment {
            Treatment::Normal => self.judge_current_average(strength, packet, random),
            Treatment::Scaled(factor) => {
                let strength = strength.unwrap_or_else(|| self.curve.strength());
                let strength = self.capped(strength * factor);
                self.judge(avg, Some(strength), packet, random)
            }
            // Between both first thresholds: neither counted nor reason to count afresh.
            Treatment::Raised(by) if avg >= first && avg - by < first => Verdict::Keep,
            Treatment::Raised(by) => self.judge(avg - by, strength, packet, random),
            Treatment::Spared => self.spare(avg, packet),
            Treatment::Admitted => {
                self.in_band = true;
                self.gap.restart(0);
                Verdict::Keep
            }
            Treatment::Refused => Verdict::Drop(DropReason::Policy),
        }
    }

    /// A strength is a probability, but for a curve given as numbers: there it is a
    /// factor.
    fn capped(&self, strength: f64) -> f64 {
        match self.law {
            Some(_) => strength.min(1.0),
            None => strength,
        }
    }

    /// The verdict for an average, and perhaps a strength, of this packet's own.
    fn judge(
        &mut self,
        avg: f64,
        strength: Option<f64>,
        packet: &PacketInfo,
        random: &mut Pcg32,
    ) -> Verdict {
        if avg < self.curve.first() {
            return self.below();
        }
        let step = self.measure.step_of(packet);
        let was_in_band = core::mem::replace(&mut self.in_band, true);
        if self.measure.cautious && !was_in_band {
            self.gap.restart(step);
            return Verdict::Keep;
        }
        if avg >= self.curve.last() {
            return self.above(packet);
        }
        let pb = in_steps(match strength {
            Some(strength) => self.curve.probability_at(avg, strength),
            None => self.curve.probability(avg),
        });
        let (spent, own) = self.measure.shares(pb, self.gap.count(), step);
        self.draw([pb, spent, own], step, packet, random)
    }

    /// The verdict for a packet that only the curve's last threshold concerns. In the
    /// random region it counts for the spacing all the same.
    fn spare(&mut self, avg: f64, packet: &PacketInfo) -> Verdict {
        if avg < self.curve.first() {
            return self.below();
        }
        self.in_band = true;
        if avg >= self.curve.last() {
            return self.above(packet);
        }
        self.gap.pass(self.measure.step_of(packet));
        Verdict::Keep
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::{Limit, Outcome, QueueDiscipline, SingleQueue};
    use crate::testing::{mbps, packet, settings};

    #[test]
    fn a_strength_is_a_probability_but_for_numbers() {
        let capped = |text: &str| Red::from_settings(&settings(text)).unwrap().capped(3.0);
        assert_eq!(capped("sfred"), 1.0);
        assert_eq!(capped("clred:policy=lru"), 1.0);
        assert_eq!(capped("sfred:curve=numbers,segments=1: 0.1"), 3.0);
    }

    #[test]
    fn the_average_goes_on_decaying_while_arrivals_are_turned_away() {
        let mut queue = crate::testing::queue("red:min=1,max=2,weight=0.01", mbps(10));
        for _ in 0..500 {
            queue.enqueue(Nanos::ZERO, packet(1));
        }
        while queue.dequeue(Nanos::ZERO).is_some() {}
        let refused = queue.enqueue(Nanos::from_millis(1), packet(1));
        assert_ne!(refused, Outcome::Queued, "the average is far above max");
        // A thousand packet times later it is not: 0.99^1250 of it is left.
        let later = queue.enqueue(Nanos::from_millis(1001), packet(1));
        assert_eq!(later, Outcome::Queued);
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
