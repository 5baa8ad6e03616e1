//! PI2: a proportional-integral controller whose output is squared.
//!
//! # Reference
//! K. De Schepper, O. Bondarenko, I.-J. Tsang, B. Briscoe, "PI2: A Linearized AQM
//! for both Classic and Scalable TCP", CoNEXT 2016.
//!
//! # Equations
//! Every T = 32 ms, d being the queueing delay and d_old that of T ago:
//! `p' <- p' + alpha (d - target) + beta (d - d_old)`, no less than 0.
//! - Classic packets carry a congestion signal with probability `p'^2`, a mark where they are
//!   ECN-capable;
//! - scalable packets (L4S) are marked with probability `k p'`.
//!
//! The square makes the gains right at every load, so PIE's table of gains and its other
//! heuristics are not needed.
//!
//! # Our readings
//! - p'^2 is computed once an update and compared with one random number. The paper compares
//!   the larger of two numbers with p': the same distribution with twice the draws.
//! - Scalable packets are those of RFC 9331: ECT(1) and CE. In the authors' first queue every
//!   ECN-capable packet is scalable: `scalable=capable`.
//! - p'^2 is capped at `max_p`, by default 1/k^2 = 0.25, where all scalable packets are
//!   marked. Beyond it the two kinds would no longer be signalled in proportion (RFC 9332),
//!   and the longer queue acts instead.
//! - No signal while the queue is at most `floor`: PIE's rule of two packets, which the
//!   paper's text omits and the authors' queue keeps. `floor=0` follows the text.
//! - The delay is the waiting time of the packet at the head.
//!
//! # How other tools differ
//! | aspect | the authors' Linux queue | here |
//! |---|---|---|
//! | delay | the queue over an estimated departure rate | of the head |
//! | rate estimate | bytes over time, from 10,000 bytes on, weight 1/8 | none |
//! | no signal with a queue | below 2 MTUs | up to `floor` |
//! | p' and k | keeps k p', divides it for classic | keeps p' |
//! | random numbers for a classic packet | a second one if the first is below p' | one |
//! | scalable | every ECN-capable packet | ECT(1) and CE; `scalable=capable` |

use crate::aqm::{Aqm, Backlog, Ticker, Verdict, WaitingPackets};
use crate::explanation::{above, numbers};
use crate::packet::PacketInfo;
use crate::registry::{
    ConfigError, Descriptor, ECN, Extent, Kind, LIMIT, Length, Parameter, Plan, Preset, Probe,
    Range, Settings,
};
use crate::schemes::common::{Threshold, check_target, check_within_buffer, signal};
use crate::schemes::pi_controller::{Gains, head_delay};
use crate::trace::{Case, Rule, Trace, by_rule};
use crate::units::{BitsPerSec, Nanos};

const ORIGIN: &str = "De Schepper et al. 2016, table 1";

const PARAMETERS: &[Parameter] = &[
    LIMIT,
    ECN,
    Parameter::new(
        "target",
        "the target queueing delay",
        Kind::Time(Range::POSITIVE),
    )
    .with_default("20 ms", ORIGIN),
    Parameter::new(
        "interval",
        "T, the time between two updates of p'",
        Kind::Time(Range::UPDATE_INTERVAL),
    )
    .with_extent(Extent::Period)
    .with_default("32 ms", ORIGIN),
    Parameter::new(
        "alpha",
        "integral gain, in Hz: weight of the delay's error",
        Kind::Number(Range::POSITIVE, "Hz"),
    )
    .with_default("0.3125", ORIGIN),
    Parameter::new(
        "beta",
        "proportional gain, in Hz: weight of the delay's change since the last update",
        Kind::Number(Range::POSITIVE, "Hz"),
    )
    .with_default("3.125", ORIGIN),
    Parameter::new(
        "k",
        "coupling: scalable packets are marked with probability k p'",
        Kind::Number(Range::POSITIVE, "ratio"),
    )
    .with_default("2", ORIGIN),
    Parameter::new(
        "scalable",
        "which packets are marked by the unsquared probability",
        Kind::Choice(&[
            ("l4s", "ECT(1) and CE, as RFC 9331"),
            ("capable", "every ECN-capable packet"),
            ("none", "no packet"),
        ]),
    )
    .with_default("l4s", "RFC 9331")
    .only_with("ecn", &["on"]),
    Parameter::new(
        "max_p",
        "largest probability for classic packets",
        Kind::Number(Range::POSITIVE_PROBABILITY, "probability"),
    )
    .with_default("0.25", "1/k^2, as RFC 9332"),
    Parameter::new(
        "floor",
        "no congestion signal while the queue is at most this",
        Kind::Length(Range::NOT_NEGATIVE),
    )
    .with_default("2 packets", "RFC 8033; the authors' Linux queue"),
];

/// The scheme.
pub const SCHEME: Descriptor = Descriptor::new(
    "pi2",
    "proportional-integral control of the delay, squared for classic senders",
    "De Schepper, Bondarenko, Tsang, Briscoe 2016",
    &[PARAMETERS],
    |s| Ok(Plan::single(Pi2::from_settings(s)?, s.limit())),
)
.with_presets(&[
    Preset {
        name: "paper",
        meaning: "De Schepper et al. 2016: target 20 ms, T 32 ms, 0.3125 and 3.125, k 2",
        values: &[
            ("target", "20 ms"),
            ("interval", "32 ms"),
            ("alpha", "0.3125"),
            ("beta", "3.125"),
            ("k", "2"),
            ("limit", "40000 packets"),
        ],
    },
    Preset {
        name: "linux",
        meaning: "the authors' sch_pi2 on Ethernet: T 30 ms, every ECN-capable packet scalable",
        values: &[
            ("interval", "30 ms"),
            ("scalable", "capable"),
            ("max_p", "0.25"),
            ("floor", "3027 bytes"),
            ("limit", "1000 packets"),
        ],
    },
])
.with_probes(&[
    Probe::new("probability", "of a classic packet: p'^2"),
    Probe::new("base", "p', before squaring or coupling"),
    Probe::new(
        "qdelay",
        "the queueing delay at the last update, in seconds",
    ),
]);

/// Which packets count as those of scalable senders.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Scalable {
    L4s,
    Capable,
    None,
}

/// PI2: a PI controller whose output is squared for classic packets.
#[derive(Clone, Debug)]
pub struct Pi2 {
    gains: Gains,
    coupling: f64,
    /// The largest p': the square root of `max_p`.
    largest_base: f64,
    scalable: Scalable,
    ecn: bool,
    floor: Threshold,
    ticker: Ticker,
    /// p'.
    base: f64,
    /// At the last update, in seconds.
    delay: f64,
    /// p'^2 and k p', computed once an update.
    classic: f64,
    linear: f64,
    /// p' and the two delays that the last update started from; `None` before the first with
    /// these parameters.
    last_update: Option<[f64; 3]>,
}

impl Pi2 {
    pub(crate) fn from_settings(s: &Settings) -> Result<Pi2, ConfigError> {
        check_target(s)?;
        check_within_buffer(s, "floor")?;
        let ecn = s.flag("ecn");
        let floor = s.length_or_auto("floor");
        Ok(Pi2 {
            gains: Gains {
                alpha: s.number("alpha"),
                beta: s.number("beta"),
                reference: s.time("target").as_secs_f64(),
            },
            coupling: s.number("k"),
            largest_base: libm::sqrt(s.number("max_p")),
            scalable: match s.choice("scalable") {
                _ if !ecn => Scalable::None,
                "capable" => Scalable::Capable,
                "none" => Scalable::None,
                _ => Scalable::L4s,
            },
            ecn,
            floor: Threshold::new(floor.unwrap_or(Length::Packets(0.0)), s.link()),
            ticker: Ticker::every(s.time("interval")),
            base: 0.0,
            delay: 0.0,
            classic: 0.0,
            linear: 0.0,
            last_update: None,
        })
    }

    /// Takes one step of p'; returns whether a further step with the same delay would change
    /// anything.
    fn update(&mut self, delay: f64) -> bool {
        let update = [self.base, delay, self.delay];
        self.last_update = Some(update);
        let base = self.gains.updated(update, self.largest_base, &mut ());
        let changed = base != self.base || delay != self.delay;
        (self.base, self.delay) = (base, delay);
        changed
    }

    #[inline]
    fn is_scalable(&self, packet: &PacketInfo) -> bool {
        match self.scalable {
            Scalable::L4s => packet.ecn.is_l4s(),
            Scalable::Capable => packet.ecn.is_capable(),
            Scalable::None => false,
        }
    }
}

impl Rule for Pi2 {
    #[inline]
    fn arrive<Q: Backlog, T: Trace>(&mut self, case: Case<'_, Q, T>) -> Verdict {
        let trace = case.trace;
        trace.source("De Schepper et al. 2016, section 4");
        trace.note(|why| match self.last_update {
            Some(update) => {
                self.gains.updated(update, self.largest_base, why);
            }
            None => why.given("the base probability", ("p'", ""), self.base),
        });
        if self.base == 0.0 {
            trace.by("no signals at p' = 0", || "p' is 0".into());
            return Verdict::Keep;
        }
        let (length, floor, unit) = self.floor.compared_with(case.queue);
        if length <= floor {
            trace.given("the queue that the packet finds", ("q", unit), length);
            trace.given("the queue without signals", ("floor", unit), floor);
            trace.source("RFC 8033, section 4.1");
            trace.by("no drop from a short queue", || above(length, floor));
            return Verdict::Keep;
        }
        let is_scalable = self.is_scalable(case.packet);
        let (probability, rule) = if is_scalable {
            (self.linear, "a random mark with k p'")
        } else {
            (self.classic, "a random signal with p'^2")
        };
        trace.note(|why| match is_scalable {
            true => why.step(
                "the probability of a scalable packet",
                ("p_L", ""),
                "p_L = k p'",
                numbers!("{} * {}", self.coupling, self.base),
                probability,
            ),
            false => why.step(
                "the probability of a classic packet",
                ("p_C", ""),
                "p_C = p'^2",
                numbers!("{}^2", self.base),
                probability,
            ),
        });
        if trace.chance(rule, case.random, probability) {
            signal(self.ecn, case.packet)
        } else {
            Verdict::Keep
        }
    }
}

impl Aqm for Pi2 {
    by_rule!(on_arrival);

    #[inline]
    fn poll<Q: Backlog>(&mut self, now: Nanos, queue: &Q) {
        if !self.ticker.is_due(now) {
            return;
        }
        let mut ticker = self.ticker.clone();
        // The head grows older from update to update, until p' is at its largest.
        let last = ticker.catch_up(now, |tick| {
            let changed = self.update(head_delay(tick, queue));
            let late = self.delay > self.gains.reference;
            let saturated = self.base == self.largest_base && late;
            !saturated && (changed || queue.packets() > 0)
        });
        if let Some(last) = last {
            self.delay = head_delay(last, queue);
        }
        self.ticker = ticker;
        self.classic = self.base * self.base;
        self.linear = self.coupling * self.base;
    }

    fn next_deadline(&self) -> Option<Nanos> {
        self.ticker.next()
    }

    fn on_link_rate(&mut self, _now: Nanos, rate: BitsPerSec) {
        self.floor.retune(rate);
    }

    fn continue_from(&mut self, now: Nanos, old: Self, _waiting: WaitingPackets<'_>) {
        self.ticker.continue_from(now, &old.ticker);
        (self.base, self.delay) = (old.base.min(self.largest_base), old.delay);
        self.classic = self.base * self.base;
        self.linear = self.coupling * self.base;
    }

    fn probes(&self, show: &mut dyn FnMut(&'static str, f64)) {
        show("probability", self.classic);
        show("base", self.base);
        show("qdelay", self.delay);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Ecn;
    use crate::queue::{AnyQueue, Outcome, QueueDiscipline};
    use crate::registry::{LinkFacts, Spec};
    use crate::testing::{TestPacket, mbps, packet, queue};

    fn pi2(text: &str) -> Pi2 {
        let spec: Spec = text.parse().unwrap();
        Pi2::from_settings(&spec.settings(&LinkFacts::at(mbps(10))).unwrap()).unwrap()
    }

    #[test]
    fn follows_the_hand_computed_trajectory() {
        let mut pi2 = pi2("pi2");
        for (delay, base) in [
            (0.040, 0.131_25),             // .3125 .02 + 3.125 .04
            (0.050, 0.131_25 + 0.0406_25), // .3125 .03 + 3.125 .01
            (0.020, 0.078_125),            // 0 - 3.125 .03
            (0.020, 0.078_125),            // at the target, nothing
            (0.0, 0.009_375),              // -.00625 - .0625
            (0.0, 0.003_125),
            (0.0, 0.0), // not below
        ] {
            pi2.update(delay);
            assert!((pi2.base - base).abs() < 1e-12, "{} {base}", pi2.base);
        }
        assert!(!pi2.update(0.0), "a fixed point");
        for _ in 0..100 {
            pi2.update(1.0);
        }
        assert_eq!(pi2.base, 0.5, "the square root of max_p");
    }

    /// A queue whose head has waited 64 ms: p' = .3125 (.012 + .044) + 3.125 .064.
    fn waiting(spec: &str) -> AnyQueue<TestPacket> {
        let mut queue = queue(spec, mbps(10));
        queue.poll(Nanos::ZERO);
        for flow in 0..10 {
            queue.enqueue(Nanos::ZERO, packet(flow));
        }
        queue.poll(Nanos::from_millis(64));
        queue
    }

    #[test]
    fn probabilities_are_the_square_and_k_times() {
        let queue = waiting("pi2");
        let base = 0.3125 * 0.056 + 0.2;
        assert!((queue.probe("base").unwrap() - base).abs() < 1e-12);
        assert!((queue.probe("probability").unwrap() - base * base).abs() < 1e-12);
    }

    // Of 4,000 packets, 2 p' = 0.435 or p'^2 = 0.0473 are signalled; six standard
    // deviations are 188 and 81: a false alarm in 5e8 seeds.
    #[test]
    fn classic_and_scalable_packets_have_different_probabilities() {
        let signalled = |spec: &str, ecn: Ecn| {
            let mut queue = waiting(spec);
            let offered = TestPacket { ecn, ..packet(1) };
            let mut counts = [0, 0];
            for _ in 0..4000 {
                match queue.enqueue(Nanos::from_millis(64), offered) {
                    Outcome::Queued => {}
                    Outcome::Marked => counts[0] += 1,
                    Outcome::Dropped(_) => counts[1] += 1,
                }
            }
            counts
        };
        let near = |count: i32, expected: i32, within: i32| {
            assert!((count - expected).abs() < within, "{count} {expected}");
        };
        let spec = "pi2:limit=5000";
        let [marked, dropped] = signalled(spec, Ecn::Ect1);
        near(marked, 1740, 188);
        assert_eq!(dropped, 0);
        let [marked, dropped] = signalled(spec, Ecn::Ect0);
        near(marked, 189, 81);
        assert_eq!(dropped, 0);
        let [marked, dropped] = signalled(spec, Ecn::NotCapable);
        near(dropped, 189, 81);
        assert_eq!(marked, 0);
        near(
            signalled("pi2:limit=5000,scalable=capable", Ecn::Ect0)[0],
            1740,
            188,
        );
        let [marked, dropped] = signalled("pi2:limit=5000,ecn=off", Ecn::Ect1);
        near(dropped, 189, 81);
        assert_eq!(marked, 0);
    }

    #[test]
    fn late_updates_are_exact() {
        // Ends before the largest p', and long after.
        for (spec, millis) in [("pi2:target=1 s", 3000), ("pi2", 50_000)] {
            let mut eager = waiting(spec);
            let mut lazy = eager.clone();
            for millis in 64..millis {
                eager.poll(Nanos::from_millis(millis));
            }
            lazy.poll(Nanos::from_millis(millis - 1));
            assert!(eager.probe("base") > Some(0.0));
            assert_eq!(eager.probe("base"), lazy.probe("base"));
            assert_eq!(eager.probe("qdelay"), lazy.probe("qdelay"));
            assert_eq!(eager.next_deadline(), lazy.next_deadline());
        }
    }
}
