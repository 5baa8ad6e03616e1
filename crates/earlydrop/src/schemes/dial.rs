//! Dial: a probability that is set from outside.
//!
//! # Reference
//! None: it is the actuator of a controller outside the queue, such as a learning agent. Left
//! alone it signals at a constant rate, the setting of S. Floyd, K. Fall, "Promoting the Use
//! of End-to-End Congestion Control in the Internet", IEEE/ACM Transactions on Networking
//! 7(4), 1999, and of M. Mathis et al., "The Macroscopic Behavior of the TCP Congestion
//! Avoidance Algorithm", ACM CCR 27(3), 1997.
//!
//! # Equations
//! Each arrival carries a congestion signal with probability
//! `Pa = P`, or as the law `spacing` makes Pa of Pb = P.
//!
//! P is `probability` until a program sets another while the queue is in use: `steering`
//! says how.
//!
//! # Our readings
//! - By default each packet is judged independently (`spacing=geometric`), so that P is the
//!   share of packets that are signalled. The laws of RED have other long-run rates: about
//!   2 P with `uniform`, and 2/3 P with `wait`.
//! - At P = 0 nothing is signalled and a new gap starts, as below RED's first threshold.
//! - At P = 1 ECN-capable packets are still marked, not dropped.
//! - A gap continues where P changes.
//!
//! # How other tools differ
//! | aspect | ns-2, ns-3 | Linux | here |
//! |---|---|---|---|
//! | a probability set at run time | `ErrorModel`, on the link rather than the queue | `tc qdisc change ... netem loss P ecn` | yes |

use crate::aqm::{Aqm, Backlog, Verdict, WaitingPackets};
use crate::curve::in_steps;
use crate::explanation::numbers;
use crate::packet::PacketInfo;
use crate::red::{Gap, Shares, Spacing, probability};
use crate::registry::{Descriptor, ECN, Kind, LIMIT, Parameter, Plan, Probe, Range, Settings};
use crate::schemes::common::signal;
use crate::steering::{Setting, SteerError};
use crate::trace::{Case, Rule, Trace, by_rule};
use crate::units::Nanos;

const PARAMETERS: &[Parameter] = &[
    LIMIT,
    ECN,
    Parameter::new(
        "probability",
        "P: the probability of a drop or mark until another is set",
        Kind::Number(Range::PROBABILITY, "probability"),
    )
    .with_default("0", "no signals until a controller sets a probability"),
    Parameter::new(
        "spacing",
        "the law of the gaps between drops: the actual probability Pa from P",
        Kind::Choice(Spacing::CHOICES),
    )
    .with_default("geometric", "P is then the share of packets signalled"),
];

/// The scheme.
pub const SCHEME: Descriptor = Descriptor::new(
    "dial",
    "drops at random with a probability that is set from outside, for controllers and learning agents",
    "the actuator of a controller outside the queue",
    &[PARAMETERS],
    |s| Ok(Plan::single(Dial::from_settings(s), s.limit())),
)
.with_probes(&[
        Probe::new("probability", "P, as set"),
        Probe::new("count", "packets passed since the last drop or mark"),
    ]);

/// A probability set from outside.
#[derive(Clone, Debug)]
pub struct Dial {
    probability: f64,
    /// The probability in steps of 2^-32.
    steps: u64,
    gap: Gap,
    ecn: bool,
}

impl Dial {
    pub(crate) fn from_settings(s: &Settings) -> Dial {
        let probability = s.number("probability");
        Dial {
            probability,
            steps: in_steps(probability),
            gap: Gap::new(Spacing::named(s.choice("spacing")), 1),
            ecn: s.flag("ecn"),
        }
    }
}

impl Rule for Dial {
    #[inline]
    fn arrive<Q: Backlog, T: Trace>(&mut self, case: Case<'_, Q, T>) -> Verdict {
        let trace = case.trace;
        trace.source("the probability is set from outside");
        trace.given("the probability as set", ("P", ""), self.probability);
        if self.steps == 0 {
            trace.by("no signals at P = 0", || "P is 0".into());
            self.gap.restart(0);
            return Verdict::Keep;
        }
        let set = self.probability;
        trace.step(
            "the initial probability",
            ("p_b", ""),
            "p_b = P",
            || numbers!("{}", set),
            probability(self.steps),
        );
        let shares = Shares::alike(self.steps, self.gap.count());
        if self.gap.is_over(shares, case.random, trace) {
            self.gap.restart_after_signal();
            return signal(self.ecn, case.packet);
        }
        self.gap.pass(1);
        Verdict::Keep
    }
}

impl Aqm for Dial {
    by_rule!(on_arrival);

    fn on_refused(&mut self, _now: Nanos, _packet: &PacketInfo) {
        self.gap.restart_after_full_buffer();
    }

    fn steer(&mut self, _now: Nanos, setting: &Setting) -> Result<(), SteerError> {
        setting.check()?;
        let Setting::Probability(probability) = *setting else {
            return Err(SteerError::not_steerable(setting));
        };
        self.probability = probability;
        self.steps = in_steps(probability);
        Ok(())
    }

    fn continue_from(&mut self, _now: Nanos, old: Self, _waiting: WaitingPackets<'_>) {
        self.gap.continue_from(old.gap, 1.0);
    }

    fn probes(&self, show: &mut dyn FnMut(&'static str, f64)) {
        show("probability", self.probability);
        show("count", self.gap.count() as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Ecn;
    use crate::queue::{Outcome, QueueDiscipline};
    use crate::random::Pcg32;
    use crate::testing::{TestPacket, mbps, packet, queue};
    use alloc::format;
    use alloc::vec::Vec;

    /// The fates of packets that arrive at a queue that is emptied by each second of them.
    fn fates(spec: &str, packets: u64) -> Vec<Outcome> {
        let mut queue = queue(spec, mbps(10));
        let mut fates = Vec::new();
        for number in 0..packets {
            let ecn = Ecn::from_bits((number % 3) as u8);
            let arriving = TestPacket { ecn, ..packet(1) };
            fates.push(queue.enqueue(Nanos(number), arriving));
            if number % 2 == 1 {
                while queue.dequeue(Nanos(number)).is_some() {}
            }
        }
        fates
    }

    #[test]
    fn a_constant_probability_is_a_flat_curve_of_red_packet_for_packet() {
        for (spacing, _) in Spacing::CHOICES {
            let dial = format!("dial:probability=0.07,limit=2000,spacing={spacing}");
            let flat =
                format!("red:curve=numbers,segments=0: 0.07; 1000: 1,limit=2000,spacing={spacing}");
            let (dial, flat) = (fates(&dial, 20_000), fates(&flat, 20_000));
            assert_eq!(dial, flat, "{spacing}");
            let signals = dial.iter().filter(|fate| **fate != Outcome::Queued);
            assert!(signals.count() > 500, "{spacing}");
        }
    }

    #[test]
    fn the_share_of_signals_is_the_probability_that_was_set_last() {
        let mut queue = queue("dial:ecn=off", mbps(10));
        let mut random = Pcg32::new(7, 7);
        for probability in [0.0, 0.3, 0.05, 1.0, 0.0] {
            queue
                .steer(Nanos::ZERO, &Setting::Probability(probability))
                .unwrap();
            assert_eq!(queue.probe("probability"), Some(probability));
            let packets = 40_000;
            let mut dropped = 0;
            for _ in 0..packets {
                let arriving = packet(u64::from(random.below(3)));
                dropped += u32::from(queue.enqueue(Nanos::ZERO, arriving) != Outcome::Queued);
                queue.dequeue(Nanos::ZERO);
            }
            // Five standard deviations: a false alarm in 1.7 million.
            let (n, p) = (f64::from(packets), probability);
            let off = f64::from(dropped) - n * p;
            assert!(
                off.abs() <= 5.0 * libm::sqrt(n * p * (1.0 - p)),
                "{p}: {off}"
            );
        }
    }

    #[test]
    fn only_the_probability_can_be_set() {
        let mut queue = queue("dial:probability=0.5", mbps(10));
        for wrong in [Setting::MaxP(0.1), Setting::Probability(1.5)] {
            assert!(queue.steer(Nanos::ZERO, &wrong).is_err());
            assert_eq!(queue.probe("probability"), Some(0.5));
        }
    }
}
