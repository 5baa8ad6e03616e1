//! LRU-RED: RED that drops more from flows that stay in a small cache.
//!
//! # Reference
//! Smitha, A. L. N. Reddy, "LRU-RED: An active queue management scheme to contain high
//! bandwidth flows at congested routers", IEEE GLOBECOM 2001.
//!
//! # Equations
//! A cache holds N flows; the least recently used one is evicted. A packet of
//! - a flow in the cache: `count_i <- count_i + 1`, and the flow becomes the most recent;
//! - another flow: with probability p the flow enters, with `count_i = 1`.
//!
//! With `count_i > threshold`, flow i is a high-bandwidth flow: `max_p <- factor max_p`, at
//! most 1. RED decides on all other packets.
//!
//! A flow of many packets enters soon and is used too often to be evicted. A short flow
//! rarely enters. A flow that slows down is evicted and loses its count.
//!
//! # Our readings
//! The paper defines the cache, the random entry, the threshold, the larger drop
//! probability and the constant time a packet. The numbers are ours, and so are these:
//! - The larger probability is a fixed factor on max_p. `lru_scaling=count` makes it
//!   count_i/threshold. That restrains an unresponsive flow ever more, but also any
//!   long-lived flow where the cache is not smaller than the number of flows.
//! - Cache and counts are updated at every arrival, congested or not. Below min nothing is
//!   dropped anyway.
//! - Dropped packets count too.
//!
//! # How other tools differ
//! None of ns-2, ns-3, Linux and DPDK has it.

use crate::explanation::numbers;
use crate::flow_table::{FlowTable, MOST_FLOWS};
use crate::packet::PacketInfo;
use crate::random::Pcg32;
use crate::red::Treatment;
use crate::red::parameters::scheme;
use crate::registry::{Descriptor, Extent, Kind, Parameter, Range, Settings};
use crate::trace::Trace;

const OURS: &str = "ours, not the paper's";
const FROM_ONE: Range = Range {
    low: 1.0,
    ..Range::NOT_NEGATIVE
};

pub(crate) const PARAMETERS: &[Parameter] = &[
    Parameter::new(
        "lru_flows",
        "the most flows in the cache; keep it below the number of flows, or all count as \
         high-bandwidth",
        Kind::Count(Range::closed(1.0, MOST_FLOWS as f64), "flows"),
    )
    .with_default("16", OURS)
    .only_with("policy", &["lru"]),
    Parameter::new(
        "lru_probability",
        "the probability that a packet enters its flow into the cache",
        Kind::Number(Range::POSITIVE_PROBABILITY, "probability"),
    )
    .with_extent(Extent::Multiple)
    .with_default("0.02", OURS)
    .only_with("policy", &["lru"]),
    Parameter::new(
        "lru_threshold",
        "a flow is a high-bandwidth flow once it has sent more packets than this while in \
         the cache",
        Kind::Count(FROM_ONE, "packets"),
    )
    .with_default("100", OURS)
    .only_with("policy", &["lru"]),
    Parameter::new(
        "lru_scaling",
        "what max_p is multiplied by for a high-bandwidth flow",
        Kind::Choice(&[
            ("fixed", "lru_factor"),
            ("count", "packets counted over lru_threshold"),
        ]),
    )
    .with_default("fixed", "our reading of Smitha and Reddy 2001")
    .only_with("policy", &["lru"]),
    Parameter::new(
        "lru_factor",
        "the fixed factor on max_p for a high-bandwidth flow",
        Kind::Number(FROM_ONE, "ratio"),
    )
    .with_default("5", OURS)
    .only_with("lru_scaling", &["fixed"]),
];

/// The scheme.
pub const SCHEME: Descriptor = scheme(
    "lru-red",
    "RED that drops more from flows with so many packets that they stay in a small cache",
    "Smitha and Reddy, IEEE GLOBECOM 2001",
    &[("policy", "lru", "Smitha and Reddy 2001")],
    &[],
);

/// The cache and its rules.
#[derive(Clone, Debug)]
pub struct LruRed {
    /// Packets of each flow since it entered.
    cache: FlowTable<u32>,
    entry: f64,
    threshold: u32,
    /// `None`: packets over the threshold.
    factor: Option<f64>,
}

impl LruRed {
    /// Heap bytes a flow in the cache costs at most.
    pub const BYTES_PER_FLOW: usize = FlowTable::<u32>::BYTES_PER_FLOW;

    pub(crate) fn from_settings(s: &Settings) -> LruRed {
        let fixed = s.choice("lru_scaling") == "fixed";
        LruRed {
            cache: FlowTable::with_room_for(s.count("lru_flows")),
            entry: s.number("lru_probability"),
            threshold: s.count("lru_threshold"),
            factor: fixed.then(|| s.number("lru_factor")),
        }
    }

    /// Counts an arriving packet and classifies its flow.
    pub(crate) fn treat(
        &mut self,
        packet: &PacketInfo,
        random: &mut Pcg32,
        trace: &mut impl Trace,
    ) -> Treatment {
        self.cache.salt_once(random);
        let Some(slot) = self.cache.find(packet.flow) else {
            let says = "the flow's packets in the cache: it was not in it";
            trace.given(says, ("count_i", "packets"), 0.0);
            if random.chance(self.entry) {
                self.cache.insert(packet.flow, 1);
            }
            return Treatment::Normal;
        };
        self.cache.touch(slot);
        let seen = self.cache.value_mut(slot);
        *seen = seen.saturating_add(1);
        let says = "the flow's packets since it entered the cache, this one among them";
        let (count, threshold) = (f64::from(*seen), f64::from(self.threshold));
        trace.given(says, ("count_i", "packets"), count);
        let says = "above this it is a high-bandwidth flow";
        trace.given(says, ("threshold", "packets"), threshold);
        if *seen <= self.threshold {
            return Treatment::Normal;
        }
        let factor = self.factor.unwrap_or(count / threshold);
        trace.note(|why| {
            let (equation, text) = match self.factor {
                Some(fixed) => ("factor", numbers!("{}", fixed)),
                None => (
                    "factor = count_i / threshold",
                    numbers!("{} / {}", count, threshold),
                ),
            };
            let says = "the factor on max_p of a high-bandwidth flow";
            why.step(says, ("factor", ""), equation, text, factor);
        });
        Treatment::Scaled(factor)
    }

    /// Goes on with the cache of `old`.
    pub(crate) fn continue_from(&mut self, old: LruRed) {
        self.cache.continue_from(old.cache, |_| {});
    }

    /// Flows in the cache.
    pub(crate) fn flows(&self) -> u32 {
        self.cache.flows()
    }

    /// Heap bytes held.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.cache.heap_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::{Outcome, QueueDiscipline};
    use crate::testing::{info, mbps, packet, queue, settings};
    use crate::units::Nanos;

    struct Bench {
        lru: LruRed,
        random: Pcg32,
    }

    impl Bench {
        fn of(text: &str) -> Bench {
            Bench {
                lru: LruRed::from_settings(&settings(text)),
                random: Pcg32::new(2001, 0),
            }
        }

        fn arrive(&mut self, flow: u64) -> Treatment {
            let packet = info(flow, Nanos::ZERO);
            self.lru.treat(&packet, &mut self.random, &mut ())
        }
    }

    #[test]
    fn a_flow_with_more_packets_than_the_threshold_is_scaled() {
        let mut bench = Bench::of("lru-red:lru_probability=1,lru_threshold=3,lru_factor=7");
        for _ in 0..3 {
            assert_eq!(bench.arrive(1), Treatment::Normal);
        }
        assert_eq!(bench.arrive(1), Treatment::Scaled(7.0));
        assert_eq!(bench.arrive(1), Treatment::Scaled(7.0));
        assert_eq!(bench.arrive(2), Treatment::Normal);
    }

    #[test]
    fn scaled_by_count_the_factor_grows() {
        let mut bench = Bench::of("lru-red:lru_probability=1,lru_threshold=2,lru_scaling=count");
        let treatments = [(); 4].map(|()| bench.arrive(1));
        assert_eq!(treatments[1], Treatment::Normal);
        assert_eq!(treatments[2], Treatment::Scaled(1.5));
        assert_eq!(treatments[3], Treatment::Scaled(2.0));
    }

    #[test]
    fn the_least_recently_used_flow_leaves_and_loses_its_count() {
        let mut bench = Bench::of("lru-red:lru_flows=2,lru_probability=1,lru_threshold=1");
        bench.arrive(1);
        bench.arrive(2);
        assert_eq!(bench.arrive(1), Treatment::Scaled(5.0));
        bench.arrive(3);
        assert_eq!(bench.arrive(1), Treatment::Scaled(5.0), "2 left, not 1");
        assert_eq!(bench.arrive(2), Treatment::Normal, "it enters afresh");
        assert_eq!(bench.lru.flows(), 2);
    }

    // Entries are binomial, n = 10,000 and p = 0.02: mean 200, standard deviation 14. Two
    // seeds in a billion lie more than six deviations off.
    #[test]
    fn a_flow_enters_with_the_probability_given() {
        let mut bench = Bench::of("lru-red:lru_flows=20000,lru_probability=0.02");
        for flow in 0..10_000 {
            bench.arrive(flow);
        }
        let entered = bench.lru.flows();
        assert!((116..=284).contains(&entered), "{entered}");
    }

    #[test]
    fn the_queue_drops_the_flood_more_often_than_the_rest() {
        let mut queue = queue("lru-red:weight=1,limit=100", mbps(10));
        let (mut lost, mut sent) = ([0.0; 2], [0.0; 2]);
        for step in 0..40_000_u64 {
            let of_flood = step % 2 == 0;
            let flow = if of_flood { 0 } else { 1 + step % 199 };
            let outcome = queue.enqueue(Nanos(step), packet(flow));
            let dropped = matches!(outcome, Outcome::Dropped(_));
            sent[usize::from(of_flood)] += 1.0;
            lost[usize::from(of_flood)] += f64::from(u8::from(dropped));
            if queue.packets() > 9 {
                queue.dequeue(Nanos(step));
            }
        }
        let rates = [lost[0] / sent[0], lost[1] / sent[1]];
        assert!(rates[1] > 3.0 * rates[0], "{rates:?}");
    }
}
