//! The slow path of an arrival: with a flow policy, an adaptation that needs every arrival,
//! or byte mode; and the first arrival after an idle time.

use super::variants::choke;
use super::why::{show_first_in_band, show_short_queue, show_whole};
use super::{AverageView, Policy, Red, Treatment};
use crate::aqm::{Backlog, DropReason, Verdict};
use crate::curve::in_steps;
use crate::explanation::{below, numbers};
use crate::packet::FlowKey;
use crate::trace::{Case, Trace};
use crate::units::Nanos;

impl Red {
    /// The verdict for any arrival, without the assumptions of the fast path.
    #[inline(never)]
    pub(super) fn on_arrival_slow_path<Q: Backlog, T: Trace>(
        &mut self,
        mut case: Case<'_, Q, T>,
    ) -> Verdict {
        let case = &mut case;
        if self.fast_eligible && self.config.cautious {
            self.fast_cautious = self.average.fast_path();
        } else if self.fast_eligible {
            self.fast = self.average.fast_path();
        }
        if self.policy.remembers_flows() {
            return self.arrive_under_policy(case);
        }
        let length = self.config.length_of(case.queue);
        self.average.update(case.now, length, case.trace);
        let strength = self.climbing_strength(case.now, case.trace);
        if self.config.cautious && length <= 1 {
            case.trace.note(|why| show_short_queue(why, length));
            return self.below();
        }
        if matches!(self.policy, Policy::Choke)
            && self.average.in_steps() > self.band.0
            && let Some(slot) = choke::match_waiting(case)
        {
            return Verdict::DropBoth(slot, DropReason::Policy);
        }
        self.judge_current_average(strength, case)
    }

    /// The verdict for the present average.
    #[inline]
    fn judge_current_average(
        &mut self,
        strength: Option<f64>,
        case: &mut Case<'_, impl Backlog, impl Trace>,
    ) -> Verdict {
        if strength.is_some() || self.config.by_size {
            return self.judge(self.average.value(), strength, case);
        }
        let avg = match self.config.as_linux {
            true => self.average.in_whole_units_above(self.band.0),
            false => self.average.in_steps(),
        };
        case.trace.note(|why| {
            if self.config.as_linux && avg >= self.band.0 {
                let (avg, first) = (self.in_units(avg), self.in_units(self.band.0));
                show_whole(why, avg, first);
            }
        });
        if self.config.cautious {
            self.judge_cautiously(avg, case.packet, case.random, case.trace)
        } else {
            self.judge_fast(avg, case.packet, case.random, case.trace)
        }
    }

    /// Lets the adaptation follow the average; returns the strength it sets for this packet.
    #[inline]
    fn climbing_strength(&mut self, now: Nanos, trace: &mut impl Trace) -> Option<f64> {
        let (average, curve) = (&self.average, &mut self.curve);
        let climbing = self.adaptation.on_average(now, average, curve, trace);
        climbing.filter(|_| self.average.value() < self.curve.shape().max)
    }

    /// The verdict under a policy that keeps a table of flows.
    #[inline]
    fn arrive_under_policy(&mut self, case: &mut Case<'_, impl Backlog, impl Trace>) -> Verdict {
        let length = self.config.length_of(case.queue);
        let sample_later = length > 0 && self.policy.follows_packets();
        if sample_later {
            let says = "the average queue, after the last arrival or departure";
            case.trace
                .note(|why| why.given(says, ("avg", why.unit), self.average.value()));
        } else {
            self.average.update(case.now, length, case.trace);
        }
        let strength = self.climbing_strength(case.now, case.trace);
        let view = AverageView {
            avg: self.average.value(),
            first: self.curve.first(),
            max: self.curve.shape().max,
        };
        let treatment = self.policy.treat(&view, case);
        // The rule `cautious` is about early drops. What a policy refuses is none: it does not
        // depend on the queue.
        let is_spared =
            self.config.cautious && length <= 1 && !matches!(treatment, Treatment::Refused);
        let verdict = if is_spared {
            case.trace.note(|why| show_short_queue(why, length));
            self.below()
        } else {
            self.judge_treated(treatment, strength, case)
        };
        if sample_later && matches!(verdict, Verdict::Keep | Verdict::Mark) {
            self.average.update(case.now, length, &mut ());
        }
        self.policy.on_verdict(case.packet, verdict);
        verdict
    }

    /// A packet of `flow` leaves a queue whose policy follows its packets.
    #[inline(never)]
    pub(super) fn depart_under_policy<Q: Backlog>(&mut self, now: Nanos, flow: FlowKey, queue: &Q) {
        let length = self.config.length_of(queue);
        self.average.update(now, length, &mut ());
        self.policy.on_left(flow);
    }

    /// The verdict under `treatment`, at `strength` where the adaptation sets one.
    #[inline]
    fn judge_treated(
        &mut self,
        treatment: Treatment,
        strength: Option<f64>,
        case: &mut Case<'_, impl Backlog, impl Trace>,
    ) -> Verdict {
        let (avg, first) = (self.average.value(), self.curve.first());
        match treatment {
            Treatment::Normal => self.judge_current_average(strength, case),
            Treatment::Scaled(factor) => {
                let base = strength.unwrap_or_else(|| self.curve.strength());
                let scaled = self.capped(base * factor);
                case.trace
                    .note(|why| self.show_scaled(why, base, factor, scaled));
                self.judge(avg, Some(scaled), case)
            }
            Treatment::Raised(by) => {
                case.trace.note(|why| {
                    let says = "the average against thresholds raised by k";
                    let text = numbers!("{} - {}", avg, by);
                    why.step(says, ("avg", why.unit), "avg = avg - k", text, avg - by);
                });
                // Between the first threshold and the raised one: neither counted in the gap nor
                // the start of a new one.
                if avg >= first && avg - by < first {
                    case.trace.source(self.policy.source());
                    let rule = "raised thresholds of a slow flow";
                    case.trace.by(rule, || below(avg - by, first));
                    return Verdict::Keep;
                }
                self.judge(avg - by, strength, case)
            }
            Treatment::Spared => self.spare(avg, case),
            Treatment::Admitted => {
                case.trace
                    .note(|why| self.show_policy(why, "two packets for each flow"));
                self.in_band = true;
                self.gap.restart(0);
                Verdict::Keep
            }
            Treatment::Refused => {
                case.trace
                    .note(|why| self.show_policy(why, "a rule about the flow"));
                Verdict::Drop(DropReason::Policy)
            }
        }
    }

    /// Caps a strength at 1. The strength of a curve given as numbers is a factor and has no
    /// cap.
    pub(super) fn capped(&self, strength: f64) -> f64 {
        match self.law {
            Some(_) => strength.min(1.0),
            None => strength,
        }
    }

    /// The verdict for an average, and where given a strength, of this packet only.
    fn judge(
        &mut self,
        avg: f64,
        strength: Option<f64>,
        case: &mut Case<'_, impl Backlog, impl Trace>,
    ) -> Verdict {
        if avg < self.curve.first() {
            case.trace.note(|why| self.show_below(why, avg));
            return self.below();
        }
        let step = self.config.step_of(case.packet);
        let was_in_band = core::mem::replace(&mut self.in_band, true);
        if self.config.cautious && !was_in_band {
            case.trace.note(show_first_in_band);
            self.gap.restart(step);
            return Verdict::Keep;
        }
        if avg >= self.curve.last() {
            case.trace
                .note(|why| self.show_above(why, avg, case.packet));
            return self.above(case.packet, case.trace);
        }
        let pb = in_steps(match strength {
            Some(strength) => self.curve.probability_at(avg, strength),
            None => self.curve.probability(avg),
        });
        case.trace.note(|why| {
            let strength = strength.unwrap_or_else(|| self.curve.strength());
            self.show_pb(why, avg, strength, pb);
        });
        let shares = self.config.shares(pb, self.gap.count(), case.packet);
        self.draw(shares, step, case.packet, case.random, case.trace)
    }

    /// The verdict for a packet that is dropped only above the curve's last threshold. In the
    /// random region it still counts in the gap.
    fn spare(&mut self, avg: f64, case: &mut Case<'_, impl Backlog, impl Trace>) -> Verdict {
        if avg < self.curve.first() {
            case.trace.note(|why| self.show_below(why, avg));
            return self.below();
        }
        self.in_band = true;
        if avg >= self.curve.last() {
            case.trace
                .note(|why| self.show_above(why, avg, case.packet));
            return self.above(case.packet, case.trace);
        }
        case.trace
            .note(|why| self.show_policy(why, "no random drops of small flows"));
        self.gap.pass(self.config.step_of(case.packet));
        Verdict::Keep
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::{Limit, Outcome, QueueDiscipline, SingleQueue};
    use crate::random::Pcg32;
    use crate::testing::{mbps, packet, settings};

    #[test]
    fn a_strength_is_capped_unless_the_curve_is_numbers() {
        let capped = |text: &str| Red::from_settings(&settings(text)).unwrap().capped(3.0);
        assert_eq!(capped("sfred"), 1.0);
        assert_eq!(capped("clred:policy=lru"), 1.0);
        assert_eq!(capped("sfred:curve=numbers,segments=1: 0.1"), 3.0);
    }

    #[test]
    fn the_average_decays_while_arrivals_are_dropped() {
        let mut queue = crate::testing::queue("red:min=1,max=2,weight=0.01", mbps(10));
        for _ in 0..500 {
            queue.enqueue(Nanos::ZERO, packet(1));
        }
        while queue.dequeue(Nanos::ZERO).is_some() {}
        let refused = queue.enqueue(Nanos::from_millis(1), packet(1));
        assert_ne!(refused, Outcome::Queued, "the average is far above max");
        // 1250 packet times later it is not: 0.99^1250 of it is left.
        let later = queue.enqueue(Nanos::from_millis(1001), packet(1));
        assert_eq!(later, Outcome::Queued);
    }

    #[test]
    fn an_unresponsive_flow_is_dropped_at_an_empty_queue_too() {
        for cautious in ["off", "on"] {
            let text = alloc::format!("sfred:eta=0,cautious={cautious},min=50,max=100");
            let red = Red::from_settings(&settings(&text)).unwrap();
            let mut queue = SingleQueue::new(red, Limit::packets(3), Pcg32::new(1, 0));
            // Flow 1 is fast, and loses one of its three packets to a full buffer.
            for flow in [2, 1, 1, 1] {
                queue.enqueue(Nanos::ZERO, packet(flow));
            }
            while queue.dequeue(Nanos::ZERO).is_some() {}
            // T_1 = 4 > 1.1 * (5-1)/2, L_1 = 1/4 > 1.1 * 1/5.
            let refused = Outcome::Dropped(DropReason::Policy);
            assert_eq!(queue.enqueue(Nanos::ZERO, packet(1)), refused, "{cautious}");
            assert_eq!(queue.enqueue(Nanos::ZERO, packet(2)), Outcome::Queued);
        }
    }

    #[test]
    fn a_policy_counts_packets_that_met_a_full_buffer() {
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
