//! PI: a proportional-integral controller of the queue's length.
//!
//! # Reference
//! C. V. Hollot, V. Misra, D. Towsley, W. Gong, "On Designing Improved Controllers
//! for AQM Routers Supporting TCP Flows", INFOCOM 2001.
//!
//! # Equations
//! At each sample, q being the queue and q_old that of the sample before:
//! `p <- p + a (q - q_ref) - b (q_old - q_ref)`, kept within [0, 1].
//! Each arrival carries a congestion signal with probability p, independently.
//!
//! The paper's a and b stand for a link of 3,750 packets/s, 60 flows and 246 ms; its
//! controller `9.64e-6 (s/0.53 + 1)/s` becomes them at 160 samples a second.
//!
//! # Our readings
//! - The paper samples 160 times a second, ns-2 170 times with the same a and b. The default
//!   is ns-2's, which most comparisons in the literature use; `as=paper` is 160.
//! - The queue counts packets whatever their size. `unit=bytes` counts bytes over the mean
//!   packet, and scales p by a packet's size over the mean.
//! - An arrival is judged by p of the last sample.
//!
//! # How other tools differ
//! | aspect | ns-2 `Queue/PI` | ns-3, Linux | here |
//! |---|---|---|---|
//! | sampling | 170 Hz | no PI | 170 Hz; 160 Hz with `as=paper` |
//! | q_ref | 50 packets | | 50 packets; 200 with `as=paper` |
//! | ECN | off (`setbit_`) | | on |
//! | bytes | queue and probability apart (`queue_in_bytes_`, `bytes_`) | | together |

use alloc::format;

use crate::aqm::{Aqm, Backlog, Ticker, Verdict, WaitingPackets};
use crate::explanation::{bounded, numbers};
use crate::registry::{
    ConfigError, Descriptor, ECN, Kind, LIMIT, MEAN_PACKET, Parameter, Plan, Preset, Probe, Range,
    Settings, UNIT,
};
use crate::schemes::common::{Counting, check_within_buffer, signal};
use crate::schemes::pi_controller::Gains;
use crate::trace::{Case, Rule, Trace, by_rule};
use crate::units::Nanos;

const ORIGIN: &str = "Hollot, Misra, Towsley, Gong 2001";
const NS2: &str = "ns-2 2.35, Queue/PI";

const PARAMETERS: &[Parameter] = &[
    LIMIT,
    ECN,
    Parameter::new(
        "q_ref",
        "the reference queue length",
        Kind::Length(Range::NOT_NEGATIVE),
    )
    .with_default("50 packets", NS2),
    Parameter::new(
        "a",
        "weight of this sample's error, q - q_ref",
        Kind::Number(Range::POSITIVE, "per packet"),
    )
    .with_default("0.00001822", ORIGIN),
    Parameter::new(
        "b",
        "weight of the last sample's error; below a",
        Kind::Number(Range::POSITIVE, "per packet"),
    )
    .with_default("0.00001816", ORIGIN),
    Parameter::new(
        "rate",
        "samples of the queue a second",
        Kind::Number(Range::closed(0.001, 1e6), "Hz"),
    )
    .fixed()
    .with_default("170", NS2),
    UNIT,
    MEAN_PACKET,
];

/// The scheme.
pub const SCHEME: Descriptor = Descriptor::new(
    "pi",
    "a proportional-integral controller holds the queue at a reference length",
    "Hollot, Misra, Towsley, Gong 2001",
    &[PARAMETERS],
    |settings| Ok(Plan::single(Pi::from_settings(settings)?, settings.limit())),
)
.with_presets(&[
    Preset {
        name: "paper",
        meaning: "Hollot et al. 2001: 160 samples a second, 200 packets of 500 bytes in 800",
        values: &[
            ("rate", "160"),
            ("q_ref", "200 packets"),
            ("limit", "800 packets"),
            ("mean_packet", "500 bytes"),
        ],
    },
    Preset {
        name: "ns2",
        meaning: "ns-2 2.35's Queue/PI: 170 samples a second, 50 packets, drops only",
        values: &[
            ("rate", "170"),
            ("q_ref", "50 packets"),
            ("limit", "50 packets"),
            ("mean_packet", "500 bytes"),
            ("ecn", "off"),
        ],
    },
])
.with_probes(&[Probe::new(
    "probability",
    "p, for a packet of the mean size",
)]);

/// The controller of Hollot et al.
#[derive(Clone, Debug)]
pub struct Pi {
    gains: Gains,
    counting: Counting,
    ecn: bool,
    ticker: Ticker,
    probability: f64,
    /// The queue at the last sample, in packets.
    last: f64,
    /// The probability and the two queues that the last sample started from; `None` before the
    /// first with these parameters.
    last_update: Option<[f64; 3]>,
}

impl Pi {
    pub(crate) fn from_settings(s: &Settings) -> Result<Pi, ConfigError> {
        check_within_buffer(s, "q_ref")?;
        let (a, b) = (s.number("a"), s.number("b"));
        if b >= a {
            return Err(s.contradiction(
                "b",
                alloc::format!("b = {b} is not below a = {a}, so p has no equilibrium"),
                alloc::format!("nearest: b = {} (0.997 a, as in the paper)", 0.997 * a),
            ));
        }
        Ok(Pi {
            gains: Gains {
                alpha: a - b,
                beta: b,
                reference: s.packets("q_ref"),
            },
            counting: Counting::from_settings(s),
            ecn: s.flag("ecn"),
            ticker: Ticker::every(Nanos::from_secs_f64(1.0 / s.number("rate"))),
            probability: 0.0,
            last: 0.0,
            last_update: None,
        })
    }

    fn sample(&mut self, length: f64) -> bool {
        let update = [self.probability, length, self.last];
        self.last_update = Some(update);
        let next = self.updated(update, &mut ());
        let changed = next != self.probability || length != self.last;
        (self.probability, self.last) = (next, length);
        changed
    }

    /// p after a sample of `length`, from p and the sample before.
    fn updated(&self, [before, length, last]: [f64; 3], trace: &mut impl Trace) -> f64 {
        let gains = self.gains;
        let ideal = before + gains.step(length, last);
        let after = ideal.clamp(0.0, 1.0);
        trace.given("the queue at the last sample", ("q", "packets"), length);
        let says = "the queue at the sample before";
        trace.given(says, ("q_old", "packets"), last);
        trace.note(|why| {
            let text = numbers!(
                "{} + {} * ({} - {}) - {} * ({} - {})",
                before,
                gains.alpha + gains.beta,
                length,
                gains.reference,
                gains.beta,
                last,
                gains.reference
            );
            let equation = "p = p' + a (q - q_ref) - b (q_old - q_ref)";
            let (equation, text) = match ideal > 1.0 {
                true => (format!("{equation}, at most 1"), format!("min(1, {text})")),
                false => bounded(equation, text, ideal, 1.0),
            };
            let says = "the probability since the last sample";
            why.step(says, ("p", ""), equation, text, after);
        });
        after
    }
}

impl Rule for Pi {
    #[inline]
    fn arrive<Q: Backlog, T: Trace>(&mut self, case: Case<'_, Q, T>) -> Verdict {
        let trace = case.trace;
        trace.source("Hollot, Misra, Towsley, Gong 2001");
        trace.note(|why| match self.last_update {
            Some(update) => {
                self.updated(update, why);
            }
            None => why.given("the probability", ("p", ""), self.probability),
        });
        let p = self.counting.scaled(self.probability, case.packet, trace);
        if trace.chance("a random signal with p", case.random, p) {
            signal(self.ecn, case.packet)
        } else {
            Verdict::Keep
        }
    }
}

impl Aqm for Pi {
    by_rule!(on_arrival);

    #[inline]
    fn poll<Q: Backlog>(&mut self, now: Nanos, queue: &Q) {
        if self.ticker.is_due(now) {
            let length = self.counting.length_of(queue);
            let mut ticker = self.ticker.clone();
            ticker.catch_up(now, |_| self.sample(length));
            self.ticker = ticker;
        }
    }

    fn next_deadline(&self) -> Option<Nanos> {
        self.ticker.next()
    }

    fn continue_from(&mut self, now: Nanos, old: Self, _waiting: WaitingPackets<'_>) {
        self.ticker.continue_from(now, &old.ticker);
        (self.probability, self.last) = (old.probability, old.last);
    }

    fn probes(&self, show: &mut dyn FnMut(&'static str, f64)) {
        show("probability", self.probability);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::QueueDiscipline;
    use crate::registry::{LinkFacts, Spec};
    use crate::testing::{mbps, packet, queue};

    fn pi(text: &str) -> Pi {
        let spec: Spec = text.parse().unwrap();
        Pi::from_settings(&spec.settings(&LinkFacts::at(mbps(10))).unwrap()).unwrap()
    }

    #[test]
    fn follows_the_hand_computed_trajectory() {
        let mut pi = pi("pi");
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-15, "{a} {b}");
        // a (100-50) - b (0-50) = 50 (1.822e-5 + 1.816e-5)
        pi.sample(100.0);
        close(pi.probability, 50.0 * 3.638e-5);
        // + a (150-50) - b (100-50)
        pi.sample(150.0);
        close(pi.probability, 50.0 * 3.638e-5 + 1.822e-3 - 0.908e-3);
        // + a (50-50) - b (150-50)
        pi.sample(50.0);
        close(pi.probability, 50.0 * 3.638e-5 + 0.914e-3 - 1.816e-3);
        // At the reference p is constant from the second sample on.
        pi.sample(50.0);
        assert!(!pi.sample(50.0));
        close(pi.probability, 917e-6);
        // Emptied: - 50 a = -911e-6 at once, then 50 (a-b) = 3e-6 a sample.
        pi.sample(0.0);
        close(pi.probability, 6e-6);
        pi.sample(0.0);
        close(pi.probability, 3e-6);
        pi.sample(0.0);
        assert!(pi.probability < 1e-15);
    }

    #[test]
    fn late_samples_are_exact() {
        let mut eager = queue("pi:q_ref=5", mbps(10));
        let mut lazy = queue("pi:q_ref=5", mbps(10));
        for queue in [&mut eager, &mut lazy] {
            queue.poll(Nanos::ZERO);
            for flow in 0..40 {
                queue.enqueue(Nanos::ZERO, packet(flow));
            }
        }
        for millis in 0..5000 {
            eager.poll(Nanos::from_millis(millis));
        }
        lazy.poll(Nanos::from_millis(4999));
        let probability = eager.probe("probability");
        assert!(probability > Some(0.0));
        assert_eq!(probability, lazy.probe("probability"));
    }

    #[test]
    fn a_long_calm_ends_at_zero_and_is_skipped() {
        let mut pi = pi("pi");
        pi.probability = 0.5;
        let mut samples = 0;
        let mut ticker = pi.ticker.clone();
        ticker.catch_up(Nanos::ZERO, |_| unreachable!());
        ticker.catch_up(Nanos::from_secs(1_000_000), |_| {
            samples += 1;
            pi.sample(0.0)
        });
        assert_eq!(pi.probability, 0.0);
        // 0.5/(50 (a-b)) = 166,667 samples of the 170 million.
        assert!((166_667..166_680).contains(&samples), "{samples}");
    }

    #[test]
    fn bytes_count_in_mean_packets_and_scale_the_probability() {
        let mut queue = queue("pi:unit=bytes,mean_packet=500 bytes,q_ref=10", mbps(10));
        queue.poll(Nanos::ZERO);
        for flow in 0..20 {
            queue.enqueue(Nanos::ZERO, packet(flow));
        }
        queue.poll(Nanos::from_millis(6));
        // 20 packets of 1,000 bytes are 40 mean ones: a (40-10) + b 10.
        let expected = 30.0 * 1.822e-5 + 10.0 * 1.816e-5;
        assert!((queue.probe("probability").unwrap() - expected).abs() < 1e-15);
    }

    #[test]
    fn gains_without_an_equilibrium_are_refused() {
        let spec: Spec = "pi:a=0.1,b=0.2".parse().unwrap();
        let error = spec.plan(&LinkFacts::at(mbps(10))).unwrap_err();
        assert_eq!(error.parameter(), Some("b"));
    }
}
