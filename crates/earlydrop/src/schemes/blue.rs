//! BLUE: the probability rises on overflow and falls on an idle link.
//!
//! # Reference
//! W. Feng, D. D. Kandlur, D. Saha, K. G. Shin, "BLUE: A New Class of Active Queue
//! Management Algorithms", CSE-TR-387-99, University of Michigan, 1999; "The BLUE
//! Active Queue Management Algorithms", IEEE/ACM Trans. Networking 10(4), 2002.
//!
//! # Equations
//! - On a drop at a full buffer, or a queue above L, when freeze_time has passed since the
//!   last change: `p <- min(1, p + d1)`.
//! - On an idle link, when freeze_time has passed since the last change:
//!   `p <- max(0, p - d2)`.
//!
//! Each arrival carries a congestion signal with probability p, independently.
//!
//! # Our readings
//! - An idle link is an event when it becomes idle, and again each freeze_time while it
//!   stays idle. The paper does not say how often an idle period counts.
//! - A link is idle when a dequeue finds no packet, not while the last packet is sent.
//! - "Has passed" includes the exact time. Both directions share the time of the last
//!   change, which is updated even where p is at 0 or 1, as printed.
//! - L (`threshold`) is off by default: the paper's text describes it as a variant.
//!
//! # How other tools differ
//! | aspect | ns-2, ns-3 | Linux | here |
//! |---|---|---|---|
//! | BLUE by itself | not in their releases | no: SFB, and COBALT's BLUE inside cake | yes |

use crate::aqm::{Aqm, Backlog, Verdict, WaitingPackets};
use crate::explanation::{millis, numbers};
use crate::packet::PacketInfo;
use crate::registry::{
    ConfigError, Descriptor, ECN, Extent, Kind, LIMIT, Parameter, Plan, Preset, Probe, Range,
    Settings,
};
use crate::schemes::common::{Threshold, check_within_buffer, signal};
use crate::trace::{Case, Rule, Trace, by_rule};
use crate::units::{BitsPerSec, Nanos};

const ORIGIN: &str = "Feng, Kandlur, Saha, Shin 1999, table 2 (its fourth setting)";

const PARAMETERS: &[Parameter] = &[
    LIMIT,
    ECN,
    Parameter::new(
        "d1",
        "how much p rises on overflow",
        Kind::Number(Range::closed(1e-6, 1.0), "probability"),
    )
    .with_default("0.02", ORIGIN),
    Parameter::new(
        "d2",
        "how much p falls on an idle link; below d1, because overflow is rarer",
        Kind::Number(Range::closed(1e-6, 1.0), "probability"),
    )
    .with_default("0.002", ORIGIN),
    Parameter::new(
        "freeze_time",
        "least time between two changes of p",
        Kind::Time(Range::POSITIVE),
    )
    .with_extent(Extent::Period)
    .with_default("100 ms", ORIGIN),
    Parameter::new(
        "threshold",
        "L: p also rises when an arrival finds a longer queue than this; auto: only on overflow",
        Kind::OrAuto(&Kind::Length(Range::POSITIVE)),
    )
    .with_default("auto", "Feng, Kandlur, Saha, Shin 1999, section 4"),
];

/// The scheme.
pub const SCHEME: Descriptor = Descriptor::new(
    "blue",
    "the probability rises on overflow and falls on an idle link; no queue average",
    "Feng, Kandlur, Saha, Shin 1999",
    &[PARAMETERS],
    |s| Ok(Plan::single(Blue::from_settings(s)?, s.limit())),
)
.with_presets(&[Preset {
    name: "paper",
    meaning: "Feng et al. 1999: d1 0.02, d2 0.002, freeze_time 100 ms",
    values: &[("d1", "0.02"), ("d2", "0.002"), ("freeze_time", "100 ms")],
}])
.with_probes(&[Probe::new("probability", "p")]);

/// BLUE: one probability, moved by overflow and idleness.
#[derive(Clone, Debug)]
pub struct Blue {
    d1: f64,
    d2: f64,
    freeze_time: Nanos,
    threshold: Option<Threshold>,
    ecn: bool,
    probability: f64,
    /// When p may change again.
    thaw: Nanos,
    /// A dequeue has found no packet, and none has arrived since.
    idle: bool,
}

impl Blue {
    pub(crate) fn from_settings(s: &Settings) -> Result<Blue, ConfigError> {
        check_within_buffer(s, "threshold")?;
        Ok(Blue {
            d1: s.number("d1"),
            d2: s.number("d2"),
            freeze_time: s.time("freeze_time"),
            threshold: s
                .length_or_auto("threshold")
                .map(|given| Threshold::new(given, s.link())),
            ecn: s.flag("ecn"),
            probability: 0.0,
            thaw: Nanos::ZERO,
            idle: false,
        })
    }

    /// Raises p unless it is frozen.
    fn raise(&mut self, now: Nanos, trace: &mut impl Trace) {
        trace.given(
            "p may change from then on",
            ("thaw", "ms"),
            millis(self.thaw),
        );
        if now < self.thaw {
            return self.show_probability(trace);
        }
        let before = self.probability;
        self.probability = (before + self.d1).min(1.0);
        self.thaw = now + self.freeze_time;
        trace.step(
            "the probability, raised as the queue exceeds L",
            ("p", ""),
            "p = min(1, p + d1)",
            || numbers!("min(1, {} + {})", before, self.d1),
            self.probability,
        );
    }

    /// Shows p, which this arrival does not raise.
    fn show_probability(&self, trace: &mut impl Trace) {
        let says = "the probability: overflow raises it, an idle link lowers it";
        trace.given(says, ("p", ""), self.probability);
    }

    /// Lowers p at the end of each freeze_time up to `now`, while the link is idle.
    fn lower(&mut self, now: Nanos) {
        while self.probability > 0.0 && now >= self.thaw {
            self.probability = (self.probability - self.d2).max(0.0);
            self.thaw += self.freeze_time;
        }
        if now >= self.thaw {
            let further = now.since(self.thaw).0 / self.freeze_time.0 + 1;
            self.thaw += Nanos(further.saturating_mul(self.freeze_time.0));
        }
    }
}

impl Rule for Blue {
    #[inline]
    fn arrive<Q: Backlog, T: Trace>(&mut self, case: Case<'_, Q, T>) -> Verdict {
        let trace = case.trace;
        trace.source("Feng, Kandlur, Saha, Shin 1999, section 4");
        let mut is_long = false;
        if let Some(threshold) = &self.threshold {
            let (length, most, unit) = threshold.compared_with(case.queue);
            trace.given("the queue that the packet finds", ("q", unit), length);
            trace.given("p rises above this queue", ("L", unit), most);
            is_long = length > most;
        }
        if is_long {
            self.raise(case.now, trace);
        } else {
            self.show_probability(trace);
        }
        if trace.chance("a random signal with p", case.random, self.probability) {
            signal(self.ecn, case.packet)
        } else {
            Verdict::Keep
        }
    }
}

impl Aqm for Blue {
    by_rule!(on_arrival);

    #[inline]
    fn on_accepted(&mut self, _now: Nanos, _packet: &PacketInfo) {
        self.idle = false;
    }

    fn on_refused(&mut self, now: Nanos, _packet: &PacketInfo) {
        self.raise(now, &mut ());
    }

    fn on_idle(&mut self, now: Nanos) {
        self.idle = true;
        if now >= self.thaw {
            self.thaw = now;
            self.lower(now);
        }
    }

    #[inline]
    fn poll<Q: Backlog>(&mut self, now: Nanos, _queue: &Q) {
        if self.idle {
            self.lower(now);
        }
    }

    fn next_deadline(&self) -> Option<Nanos> {
        (self.idle && self.probability > 0.0).then_some(self.thaw)
    }

    fn on_link_rate(&mut self, _now: Nanos, rate: BitsPerSec) {
        if let Some(threshold) = &mut self.threshold {
            threshold.retune(rate);
        }
    }

    fn continue_from(&mut self, now: Nanos, old: Self, _waiting: WaitingPackets<'_>) {
        self.probability = old.probability;
        self.thaw = old.thaw.min(now + self.freeze_time);
        self.idle = old.idle;
    }

    fn probes(&self, show: &mut dyn FnMut(&'static str, f64)) {
        show("probability", self.probability);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::{AnyQueue, QueueDiscipline};
    use crate::testing::{TestPacket, mbps, packet, queue};

    fn at(millis: u64) -> Nanos {
        Nanos::from_millis(millis)
    }

    fn probability(queue: &AnyQueue<TestPacket>) -> f64 {
        queue.probe("probability").unwrap()
    }

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }

    /// Fills a buffer of one packet and overflows it at 0: p is d1.
    fn overflown(spec: &str) -> AnyQueue<TestPacket> {
        let mut queue = queue(spec, mbps(10));
        queue.enqueue(at(0), packet(1));
        queue.enqueue(at(0), packet(1));
        queue
    }

    #[test]
    fn overflow_raises_once_a_freeze() {
        // d1 = 1e-6 keeps early drops away from the test: 5e-6 at most.
        let mut queue = overflown("blue:limit=1,d1=0.000001");
        close(probability(&queue), 1e-6);
        for (millis, expected) in [(0, 1e-6), (99, 1e-6), (100, 2e-6), (150, 2e-6), (250, 3e-6)] {
            queue.enqueue(at(millis), packet(1));
            close(probability(&queue), expected);
        }
    }

    #[test]
    fn an_idle_link_lowers_p_each_freeze_but_sending_the_last_packet_is_not_idle() {
        let mut queue = overflown("blue:limit=1");
        queue.dequeue(at(200)); // the last packet: on its way
        queue.poll(at(900));
        close(probability(&queue), 0.02);
        assert!(queue.dequeue(at(1000)).is_none()); // the link is idle
        close(probability(&queue), 0.018);
        queue.poll(at(1099));
        close(probability(&queue), 0.018);
        assert_eq!(queue.next_deadline(), Some(at(1100)));
        queue.poll(at(1100));
        close(probability(&queue), 0.016);
        queue.poll(at(1450));
        close(probability(&queue), 0.010);
        // An arrival ends it. It is dropped with probability 1%: not with seed 1.
        queue.enqueue(at(1480), packet(1));
        queue.poll(at(3000));
        close(probability(&queue), 0.010);
    }

    #[test]
    fn late_updates_are_exact_and_a_long_calm_ends() {
        let idle = |step: u64| {
            let mut queue = overflown("blue:limit=1,d1=0.5,d2=0.0013");
            queue.dequeue(at(1));
            assert!(queue.dequeue(at(3)).is_none());
            for millis in (3..1_000_000).step_by(step as usize) {
                queue.poll(at(millis));
            }
            queue.poll(at(1_000_000));
            let calm = probability(&queue);
            queue.poll(Nanos::from_secs(1_000_000_000));
            (calm, probability(&queue), queue.next_deadline())
        };
        let eager = idle(1);
        assert_eq!(eager, idle(333_333));
        assert_eq!((eager.1, eager.2), (0.0, None));
    }

    #[test]
    fn a_threshold_raises_before_overflow() {
        let mut queue = queue("blue:limit=10,threshold=2 packets,d1=0.000001", mbps(10));
        for (millis, expected) in [(0, 0.0), (1, 0.0), (2, 0.0), (3, 1e-6), (103, 2e-6)] {
            queue.enqueue(at(millis), packet(1));
            close(probability(&queue), expected);
        }
    }

    #[test]
    fn p_ends_at_one_and_then_every_packet_is_signalled() {
        let mut queue = overflown("blue:limit=1,d1=0.7,freeze_time=1 ms");
        let mut millis = 1;
        while probability(&queue) < 1.0 {
            queue.enqueue(at(millis), packet(1));
            millis += 1;
        }
        assert_eq!(probability(&queue), 1.0);
        queue.dequeue(at(millis));
        queue.enqueue(at(millis), packet(1));
        assert_eq!(queue.packets(), 0);
    }
}
