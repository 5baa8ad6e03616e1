//! Why a dual queue drops, marks or keeps a packet.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{CLASSIC, DualLaw, DualQueue, LOW_LATENCY, PiControl};
use crate::aqm::Verdict;
use crate::explanation::{Explanation, Why, millis, numbers};
use crate::packet::{Packet, PacketInfo};
use crate::queue::{Buffer, QueueDiscipline, Shadow};
use crate::units::Nanos;

const RFC: &str = "RFC 9332, appendix A";

impl<P: Packet> DualQueue<P> {
    /// A copy that holds shadows of the packets.
    pub(crate) fn shadow(&self) -> DualQueue<Shadow> {
        DualQueue {
            coupling: self.coupling,
            pool: self.pool.map(Shadow::of),
            lanes: self.lanes.clone(),
            ticker: self.ticker.clone(),
            base: self.base,
            last_delay: self.last_delay,
            credit: self.credit,
            last_update: self.last_update,
            random: self.random.clone(),
            counters: self.counters.clone(),
        }
    }

    /// The buffer as an arrival of `size` bytes finds it.
    pub(crate) fn buffer(&self, size: u32) -> Buffer {
        Buffer {
            packets: self.packets(),
            bytes: self.bytes(),
            limit: self.coupling.limit,
            size: u64::from(size),
        }
    }

    /// Which queue an arriving packet goes to; it is judged when it leaves.
    pub(crate) fn why_arrival(&self, packet: &P) -> Why {
        let mut why = Why::unjudged_arrival();
        why.source = RFC;
        let (says, packets) = match packet.ecn().is_l4s() {
            true => (
                "the packets in the low-latency queue, of ECT(1) and CE",
                self.lanes[LOW_LATENCY].chain.packets(),
            ),
            false => (
                "the packets in the Classic queue",
                self.lanes[CLASSIC].chain.packets(),
            ),
        };
        why.given(says, ("q_i", "packets"), f64::from(packets));
        why
    }

    /// Why each packet that a dequeue takes is dropped, marked or kept, as
    /// [`dequeue_with`](QueueDiscipline::dequeue_with) decides it.
    pub(crate) fn explain_dequeue(&self, now: Nanos) -> Vec<Explanation> {
        let mut copy = self.shadow();
        let mut all = Vec::new();
        copy.update(now);
        while let Some(lane) = copy.next_lane() {
            let Some((packet, arrived)) = copy.pool.pop(&mut copy.lanes[lane].chain) else {
                break;
            };
            let info = PacketInfo::of(&packet, arrived);
            let mut why = Why::new(RFC);
            let (fate, leaves) = match copy.judge(lane, now, &info, &mut why) {
                Verdict::Keep => ("kept", true),
                Verdict::Mark => ("marked", true),
                Verdict::Drop(_) | Verdict::DropBoth(..) => ("dropped", false),
            };
            all.push(why.decided(fate));
            if leaves {
                break;
            }
        }
        all
    }

    /// Shows p' as the controller `pi` has updated it.
    pub(super) fn show_base(&self, why: &mut Why, pi: &PiControl) {
        let Some(update) = self.last_update else {
            why.given("the base probability", ("p'", ""), self.base);
            return;
        };
        let [base, delay, before] = update;
        let ideal = pi.step(base, delay, before);
        let gains = [pi.alpha, pi.beta, pi.target.as_secs_f64()];
        why.pi_update(gains, update, ideal, self.largest_base());
    }

    /// Shows p_C, which is `squared`.
    pub(super) fn show_squared(&self, why: &mut Why, squared: f64) {
        let power = self.coupling.law.exponent();
        why.step(
            "the probability of the Classic queue",
            ("p_C", ""),
            format!("p_C = p'^{power}"),
            numbers!("{}^{}", self.base, f64::from(power)),
            squared,
        );
    }

    /// The equation of p_CL, and its numbers.
    pub(super) fn coupled_equation(&self, now: Nanos, quiet: bool) -> (&'static str, String) {
        let factor = self.coupling.factor;
        match self.coupling.law {
            _ if quiet => ("p_CL = 0, as little waits", numbers!("{}", 0.0)),
            DualLaw::CurvyRed(curvy) => {
                let (delay, scale) = (self.classic_delay(now), curvy.scale.as_secs_f64());
                let power = f64::from(curvy.curviness);
                let equation = "p_CL = min(1, k q_C / scale)^U, of the Classic head's delay";
                let text = numbers!("min(1, {} * {} / {})^{}", factor, delay, scale, power);
                (equation, text)
            }
            DualLaw::Pi2(_) => (
                "p_CL = min(1, k p')",
                numbers!("min(1, {} * {})", factor, self.base),
            ),
        }
    }

    /// The equation of p'_L, and its numbers.
    pub(super) fn native_equation(&self, waited: Nanos, native: f64) -> (String, String) {
        let (step, ramp) = (millis(self.coupling.step), millis(self.coupling.ramp));
        if native == 0.0 {
            let behind = self.lanes[LOW_LATENCY].chain.packets();
            let equation = match behind < self.coupling.least_behind {
                true => "p'_L = 0, with so few packets behind".into(),
                false => format!("p'_L = 0 up to {step} ms"),
            };
            return (equation, numbers!("{}", 0.0));
        }
        if ramp == 0.0 {
            return (format!("p'_L = 1 above {step} ms"), numbers!("{}", 1.0));
        }
        let text = numbers!("min(1, ({} - {}) / {})", millis(waited), step, ramp);
        ("p'_L = min(1, (sojourn - step) / ramp)".into(), text)
    }
}
