//! Why REM drops, marks or keeps a packet.

use alloc::format;

use super::{CERTAIN, Rem, Update};
use crate::aqm::Backlog;
use crate::explanation::{Why, numbers};
use crate::packet::PacketInfo;
use crate::random::Pcg32;
use crate::trace::Rule;
use crate::units::Nanos;

impl Rule for Rem {
    fn why_arrival<Q: Backlog>(
        &self,
        _now: Nanos,
        packet: &PacketInfo,
        _queue: &Q,
        random: &mut Pcg32,
    ) -> Option<Why> {
        match self.parameters.at_departure {
            true => Some(Why::unjudged_arrival()),
            false => Some(self.why(packet, random)),
        }
    }

    fn why_departure<Q: Backlog>(
        &self,
        now: Nanos,
        packet: &PacketInfo,
        _queue: &Q,
        random: &mut Pcg32,
    ) -> Option<Why> {
        match self.parameters.at_departure {
            true => Some(self.why(packet, random)),
            false => Some(Why::unjudged_departure(now, packet)),
        }
    }
}

impl Rem {
    /// Follows `judge`.
    fn why(&self, packet: &PacketInfo, random: &mut Pcg32) -> Why {
        let parameters = &self.parameters;
        let mut why = Why::new("Athuraliya, Low, Li, Yin 2001");
        match &self.last_update {
            Some(update) => self.explain_update(&mut why, update),
            None => why.given("the price", ("price", ""), self.price),
        }
        // phi as it was given: its logarithm has lost the last digits.
        let phi = libm::exp(parameters.ln_phi);
        let tidy = libm::round(phi * 1e12) / 1e12;
        let phi = if libm::fabs(tidy - phi) < 1e-14 {
            tidy
        } else {
            phi
        };
        why.step(
            "the probability",
            ("p", ""),
            "p = 1 - phi^(-price)",
            numbers!("1 - {}^(-{})", phi, self.price),
            self.probability,
        );
        if self.probability == 0.0 {
            return why.by("no signals at p = 0", "p is 0");
        }
        let p = parameters
            .counting
            .explain_scaled(&mut why, self.probability, packet);
        let random = random.uniform();
        let why = why.drawn("a random signal with p", random, p);
        match random < p && parameters.signalling.passes(packet) {
            true => why.overruled("packets that cannot be marked pass"),
            false => why,
        }
    }

    /// Shows how the last update has moved the price.
    fn explain_update(&self, why: &mut Why, update: &Update) {
        let parameters = &self.parameters;
        let [arrived, before] = update.arrivals;
        let (equation, text) = match parameters.inw == 1.0 {
            true => ("x", numbers!("{}", arrived)),
            false => (
                "x = (1 - inw) x + inw arrivals",
                numbers!(
                    "(1 - {}) * {} + {} * {}",
                    parameters.inw,
                    before,
                    parameters.inw,
                    arrived
                ),
            ),
        };
        let says = "the packets that arrived in the last interval";
        why.step(
            says,
            ("x", "packets"),
            equation,
            text,
            self.average_arrivals,
        );
        why.given(
            "the packets that the link could send in it",
            ("c", "packets"),
            update.capacity,
        );
        why.given(
            "the queue at the last update",
            ("q", "packets"),
            update.length,
        );
        let excess = parameters.alpha * (update.length - parameters.q_ref) + self.average_arrivals
            - update.capacity;
        let ideal = update.price + parameters.gamma * excess;
        let most = CERTAIN / parameters.ln_phi;
        let text = numbers!(
            "{} + {} * ({} * ({} - {}) + {} - {})",
            update.price,
            parameters.gamma,
            parameters.alpha,
            update.length,
            parameters.q_ref,
            self.average_arrivals,
            update.capacity
        );
        let (equation, text) = match ideal > most {
            true => (
                "price = price + gamma (alpha (q - q_ref) + x - c), where p becomes 1",
                format!("min({text}, {})", crate::explanation::Number(most)),
            ),
            false => (
                "price = max(0, price + gamma (alpha (q - q_ref) + x - c))",
                format!("max(0, {text})"),
            ),
        };
        why.step(
            "the price since the last update",
            ("price", ""),
            equation,
            text,
            self.price,
        );
    }
}
