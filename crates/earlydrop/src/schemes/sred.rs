//! SRED: stabilised RED, which estimates the number of flows.
//!
//! # Reference
//! T. J. Ott, T. V. Lakshman, L. H. Wong, "SRED: Stabilized RED", INFOCOM 1999.
//!
//! # Equations
//! A list holds M recent flows, the zombies. Each arrival is compared with a random zombie.
//! It is a *hit* if both are of the same flow. If not, the packet's flow replaces the zombie
//! with probability r = 0.25. With a = r/M:
//! - `P <- (1 - a) P + a hit`; 1/P estimates the number of flows;
//! - `p_sred(q)` is p_max from B/3 on, p_max/4 from B/6 on, 0 below, B the buffer;
//! - simple: `p_zap = p_sred min(1, 1/(256 P)^2)`;
//! - full: that times `1 + hit/P`, which drops more from flows with many packets.
//!
//! # Our readings
//! - While the list fills, each arrival is added to it as in the paper and is no hit. P does
//!   not change, as nothing is compared.
//! - The hit of an arrival updates P before its own p_zap, which is at most 1. With P = 0,
//!   `p_zap = p_sred`.
//! - Every arrival is compared, dropped or not, as the paper says.
//! - The zombies' counts and time stamps are left out. The paper uses them only to find
//!   misbehaving flows, without acting on them.
//! - q is the queue without the arrival, in the unit of the limit.
//!
//! # How other tools differ
//! None of ns-2, ns-3, Linux and DPDK has it.

use alloc::boxed::Box;
use alloc::vec;

use crate::aqm::{Aqm, Backlog, Verdict, WaitingPackets};
use crate::explanation::{Why, below, numbers};
use crate::packet::FlowKey;
use crate::queue::Limit;
use crate::random::Pcg32;
use crate::registry::{
    Descriptor, ECN, Extent, Kind, LIMIT, Parameter, Plan, Preset, Probe, Range, Settings,
};
use crate::schemes::common::signal;
use crate::trace::{Case, Rule, Trace, by_rule};
use crate::units::Nanos;

const ORIGIN: &str = "Ott, Lakshman, Wong 1999";

const PARAMETERS: &[Parameter] = &[
    LIMIT,
    ECN,
    Parameter::new(
        "zombies",
        "M, how many flows the list holds",
        Kind::Count(Range::closed(1.0, 1_048_576.0), "flows"),
    )
    .with_default("1000", ORIGIN),
    Parameter::new(
        "overwrite",
        "r, the probability that a zombie that is no hit is replaced",
        Kind::Number(Range::POSITIVE_PROBABILITY, "probability"),
    )
    .with_extent(Extent::Multiple)
    .with_default("0.25", ORIGIN),
    Parameter::new(
        "max_p",
        "p_max: p_sred above a third of the buffer; a quarter of it above a sixth",
        Kind::Number(Range::POSITIVE_PROBABILITY, "probability"),
    )
    .with_default("0.15", ORIGIN),
    Parameter::new(
        "flows",
        "from this many flows on, p_zap no longer rises with their number",
        Kind::Number(Range::POSITIVE, "flows"),
    )
    .with_default("256", ORIGIN),
    Parameter::new(
        "full",
        "whether a hit raises an arrival's own probability (full SRED)",
        Kind::Flag,
    )
    .with_default("on", ORIGIN),
];

/// The scheme.
pub const SCHEME: Descriptor = Descriptor::new(
    "sred",
    "drops by the queue and an estimated number of flows, without state per flow",
    "Ott, Lakshman, Wong 1999",
    &[PARAMETERS],
    |s| Ok(Plan::single(Sred::from_settings(s), s.limit())),
)
.with_presets(&[Preset {
    name: "paper",
    meaning: "Ott, Lakshman, Wong 1999: M 1000, r 0.25, p_max 0.15, full",
    values: &[
        ("zombies", "1000"),
        ("overwrite", "0.25"),
        ("max_p", "0.15"),
        ("full", "on"),
    ],
}])
.with_probes(&[
    Probe::new(
        "flows",
        "estimated number of flows, 1/P; 0 while there is no estimate",
    ),
    Probe::new("hits", "P, the rate of hits"),
]);

/// SRED: a list of zombies and an estimate of the number of flows.
#[derive(Clone, Debug)]
pub struct Sred {
    overwrite: f64,
    max_p: f64,
    flows: f64,
    full: bool,
    ecn: bool,
    buffer: Limit,
    zombies: Box<[FlowKey]>,
    /// The number of zombies so far.
    filled: usize,
    /// r/M.
    weight: f64,
    /// P.
    hits: f64,
}

impl Sred {
    pub(crate) fn from_settings(s: &Settings) -> Sred {
        let zombies = s.count("zombies");
        let overwrite = s.number("overwrite");
        Sred {
            overwrite,
            max_p: s.number("max_p"),
            flows: s.number("flows"),
            full: s.flag("full"),
            ecn: s.flag("ecn"),
            buffer: s.limit(),
            zombies: vec![FlowKey(0); zombies as usize].into(),
            filled: 0,
            weight: overwrite / f64::from(zombies),
            hits: 0.0,
        }
    }

    /// Compares an arrival with a random zombie; returns whether it is a hit.
    #[inline]
    fn compare(&mut self, flow: FlowKey, random: &mut Pcg32, trace: &mut impl Trace) -> bool {
        if self.filled < self.zombies.len() {
            self.zombies[self.filled] = flow;
            self.filled += 1;
            let says = "the rate of hits, while the list fills";
            trace.given(says, ("P", ""), self.hits);
            return false;
        }
        let met = random.below(self.zombies.len() as u32) as usize;
        let hit = self.zombies[met] == flow;
        if !hit && random.chance(self.overwrite) {
            self.zombies[met] = flow;
        }
        let (before, met) = (self.hits, f64::from(u8::from(hit)));
        self.hits += self.weight * (met - self.hits);
        let says = "whether a random zombie is of the packet's flow";
        trace.given(says, ("hit", ""), met);
        trace.step(
            "the rate of hits, one over the number of flows",
            ("P", ""),
            "P = P + a (hit - P), a = r / M",
            || numbers!("{} + {} * ({} - {})", before, self.weight, met, before),
            self.hits,
        );
        hit
    }

    #[inline]
    fn p_sred<Q: Backlog>(&self, queue: &Q, trace: &mut impl Trace) -> f64 {
        let (length, buffer, unit) = if self.buffer.bytes.0 == u64::MAX {
            let most = u64::from(self.buffer.packets);
            (u64::from(queue.packets()), most, "packets")
        } else {
            (queue.bytes(), self.buffer.bytes.0, "bytes")
        };
        let says = "the queue that the packet finds";
        trace.given(says, ("q", unit), length as f64);
        trace.given("the buffer", ("B", unit), buffer as f64);
        let says = "the probability by the queue";
        if 3 * length >= buffer {
            let text = || numbers!("{}", self.max_p);
            let equation = "p_sred = p_max, as 3 q >= B";
            trace.step(says, ("p_sred", ""), equation, text, self.max_p);
            self.max_p
        } else if 6 * length >= buffer {
            let text = || numbers!("{} / 4", self.max_p);
            let equation = "p_sred = p_max / 4, as 6 q >= B";
            trace.step(says, ("p_sred", ""), equation, text, self.max_p / 4.0);
            self.max_p / 4.0
        } else {
            let reason = || below(length as f64, buffer as f64 / 6.0);
            trace.by("no drop below a sixth of the buffer", reason);
            0.0
        }
    }

    fn p_zap(&self, p_sred: f64, hit: bool, trace: &mut impl Trace) -> f64 {
        let crowd = self.flows * self.hits;
        let is_crowded = crowd > 1.0;
        let fewer = if is_crowded {
            1.0 / (crowd * crowd)
        } else {
            1.0
        };
        let counts_hit = self.full && hit && self.hits > 0.0;
        let met = if counts_hit {
            1.0 + 1.0 / self.hits
        } else {
            1.0
        };
        let p_zap = (p_sred * fewer * met).min(1.0);
        trace.note(|why| self.show_p_zap(why, p_sred, (is_crowded, counts_hit), p_zap));
        p_zap
    }

    fn show_p_zap(&self, why: &mut Why, p_sred: f64, by: (bool, bool), p_zap: f64) {
        let p = self.hits;
        let (equation, text) = match by {
            (false, false) => ("p_zap = p_sred", numbers!("{}", p_sred)),
            (true, false) => (
                "p_zap = p_sred / (256 P)^2",
                numbers!("{} / ({} * {})^2", p_sred, self.flows, p),
            ),
            (false, true) => (
                "p_zap = min(1, p_sred (1 + 1 / P))",
                numbers!("min(1, {} * (1 + 1 / {}))", p_sred, p),
            ),
            (true, true) => (
                "p_zap = min(1, p_sred / (256 P)^2 (1 + 1 / P))",
                numbers!(
                    "min(1, {} / ({} * {})^2 * (1 + 1 / {}))",
                    p_sred,
                    self.flows,
                    p,
                    p
                ),
            ),
        };
        let equation = equation.replace("256", &numbers!("{}", self.flows));
        let says = "the probability by queue and number of flows";
        why.step(says, ("p_zap", ""), equation, text, p_zap);
    }
}

impl Rule for Sred {
    #[inline]
    fn arrive<Q: Backlog, T: Trace>(&mut self, case: Case<'_, Q, T>) -> Verdict {
        let trace = case.trace;
        trace.source("Ott, Lakshman, Wong 1999");
        let hit = self.compare(case.packet.flow, case.random, trace);
        let p_sred = self.p_sred(case.queue, trace);
        if p_sred == 0.0 {
            return Verdict::Keep;
        }
        let p_zap = self.p_zap(p_sred, hit, trace);
        if trace.chance("a random signal with p_zap", case.random, p_zap) {
            signal(self.ecn, case.packet)
        } else {
            Verdict::Keep
        }
    }
}

impl Aqm for Sred {
    by_rule!(on_arrival);

    fn continue_from(&mut self, _now: Nanos, old: Self, _waiting: WaitingPackets<'_>) {
        self.hits = old.hits;
        if old.zombies.len() == self.zombies.len() {
            (self.zombies, self.filled) = (old.zombies, old.filled);
            return;
        }
        self.filled = old.filled.min(self.zombies.len());
        self.zombies[..self.filled].copy_from_slice(&old.zombies[..self.filled]);
    }

    fn probes(&self, show: &mut dyn FnMut(&'static str, f64)) {
        let flows = if self.hits > 0.0 {
            1.0 / self.hits
        } else {
            0.0
        };
        show("flows", flows);
        show("hits", self.hits);
    }

    fn heap_bytes(&self) -> usize {
        size_of_val::<[FlowKey]>(&self.zombies)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::{Outcome, QueueDiscipline};
    use crate::registry::{LinkFacts, Spec};
    use crate::testing::{mbps, packet, queue};

    fn sred(text: &str) -> Sred {
        let spec: Spec = text.parse().unwrap();
        Sred::from_settings(&spec.settings(&LinkFacts::at(mbps(10))).unwrap())
    }

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }

    #[test]
    fn p_zap_is_the_papers() {
        let mut full = sred("sred");
        let mut simple = sred("sred:full=off");
        // No hit seen yet: the full p_sred, and 1 + hit/P is left out.
        close(full.p_zap(0.15, false, &mut ()), 0.15);
        (full.hits, simple.hits) = (1.0 / 64.0, 1.0 / 64.0);
        // 64 flows: 256/64 = 4, a sixteenth; on a hit 65 times that.
        close(simple.p_zap(0.15, true, &mut ()), 0.15 / 16.0);
        close(full.p_zap(0.15, false, &mut ()), 0.15 / 16.0);
        close(full.p_zap(0.15, true, &mut ()), 0.15 / 16.0 * 65.0);
        // 512 flows: no more than p_sred, and on a hit at most 1.
        full.hits = 1.0 / 512.0;
        close(full.p_zap(0.0375, false, &mut ()), 0.0375);
        close(full.p_zap(0.0375, true, &mut ()), 1.0);
    }

    #[test]
    fn steps_lie_at_a_sixth_and_a_third_of_the_buffer() {
        // zombies=1000 keeps the list filling, so that P = 0 and p_zap = p_sred = 1.
        let steps = |spec: &str| {
            let mut queue = queue(spec, mbps(10));
            let queued = |_: &u32| queue.enqueue(Nanos::ZERO, packet(1)) == Outcome::Queued;
            (0..60).take_while(queued).count()
        };
        assert_eq!(steps("sred:limit=60,max_p=0.0000001"), 60);
        let mut one = queue("sred:limit=60,max_p=1", mbps(10));
        let sred = sred("sred:limit=60,max_p=1");
        for waiting in 0..60 {
            let expected = match waiting {
                0..10 => 0.0,
                10..20 => 0.25,
                _ => 1.0,
            };
            assert_eq!(sred.p_sred(&Waiting(waiting), &mut ()), expected);
        }
        for _ in 0..1000 {
            one.enqueue(Nanos::ZERO, packet(1));
        }
        assert_eq!(one.packets(), 20, "at a third every packet is signalled");
    }

    /// So many packets of 1,000 bytes.
    struct Waiting(u32);

    impl Backlog for Waiting {
        fn packets(&self) -> u32 {
            self.0
        }
        fn bytes(&self) -> u64 {
            1000 * u64::from(self.0)
        }
        fn head_arrival(&self) -> Option<Nanos> {
            None
        }
        fn draw(&self, _: &mut Pcg32) -> Option<(crate::aqm::Slot, FlowKey)> {
            None
        }
    }

    #[test]
    fn a_limit_in_bytes_counts_bytes() {
        let sred = sred("sred:limit=60000 bytes,max_p=1");
        let steps = [9, 10, 19, 20].map(|waiting| sred.p_sred(&Waiting(waiting), &mut ()));
        assert_eq!(steps, [0.0, 0.25, 0.25, 1.0]);
    }

    #[test]
    fn p_follows_the_recursion() {
        let mut sred = sred("sred:zombies=2,overwrite=0.5");
        let mut random = Pcg32::new(1, 0);
        for _ in 0..2 {
            assert!(
                !sred.compare(FlowKey(7), &mut random, &mut ()),
                "the list fills"
            );
        }
        assert_eq!(sred.hits, 0.0);
        assert!(sred.compare(FlowKey(7), &mut random, &mut ()));
        assert_eq!(sred.hits, 0.25);
        assert!(!sred.compare(FlowKey(8), &mut random, &mut ()));
        assert_eq!(sred.hits, 0.1875);
    }

    // P averages hits, 1 in 50, over 4,000 arrivals: its standard deviation is
    // sqrt(0.02 0.98/8000) = 0.00157. 1/P below 70 allows 3.6 of them on one side,
    // above 30 more on the other: a false alarm in 7,000 seeds.
    #[test]
    fn the_number_of_flows_is_estimated() {
        let mut queue = queue("sred", mbps(10));
        for arrival in 0..60_000 {
            queue.enqueue(Nanos::ZERO, packet(arrival * 2_654_435_761 % 50));
            queue.dequeue(Nanos::ZERO);
        }
        let flows = queue.probe("flows").unwrap();
        assert!((flows - 50.0).abs() < 20.0, "{flows}");
    }
}
