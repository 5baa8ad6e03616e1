//! FRED: flow random early drop, which counts the packets each flow has in the queue.
//!
//! # Reference
//! D. Lin, R. Morris, "Dynamics of Random Early Detection", ACM SIGCOMM 1997,
//! section 5.
//!
//! # Equations
//! A flow is active while it has packets in the queue. qlen_i is the number of packets flow
//! i has in the queue; strike_i counts how often it overran;
//! `avgcq = max(1, avg/active flows)`. An arriving packet is
//! - dropped, and `strike_i <- strike_i + 1`, where `qlen_i >= maxq`, or `avg >= max`
//!   and `qlen_i > 2 avgcq`, or `qlen_i >= avgcq` and `strike_i > 1`;
//!   `maxq = min`, but 2 for avg >= max;
//! - else, for avg < max, subject to RED where `qlen_i >= max(minq, avgcq)`, and accepted
//!   otherwise;
//! - else, for avg >= max, accepted: every flow may have two packets in the queue.
//!
//! The average is updated at departures, at accepted arrivals, and at arrivals to an empty
//! queue. A flow's state is freed with its last packet.
//!
//! # Our readings
//! - Two packets a flow above max are the paper's support for many flows, which makes its
//!   second rule redundant. `fred_above_max=drop` is FRED without it: `maxq = min` always,
//!   and above max the curve drops the packet.
//! - `min` as maxq is at least minq; otherwise `min=0` would drop everything.
//! - avgcq is computed when a packet is judged. In print it may be one departure old.
//! - A packet accepted without a random draw counts in the spacing of the random drops.
//! - The rules about flows drop ECN-capable packets too: they are penalties, not congestion
//!   signals. Where RED would drop at random, ECN-capable packets are marked.
//! - The table has one entry for each packet the buffer can hold, at most 65,536. RED alone
//!   decides on a flow beyond that until another flow's last packet has left.
//! - qlen_i is in packets even where the average is in bytes.
//!
//! # How other tools differ
//! None of ns-2, ns-3, Linux and DPDK has it in its releases.

mod why;

use alloc::format;

use crate::aqm::{DropReason, Verdict};
use crate::explanation::{amount, below};
use crate::flow_table::FlowTable;
use crate::packet::{FlowKey, PacketInfo};
use crate::random::Pcg32;
use crate::red::parameters::scheme;
use crate::red::{AverageView, RedConfig, Treatment};
use crate::registry::{Descriptor, Kind, Parameter, Preset, Range, Settings};
use crate::trace::Trace;

pub(crate) const PARAMETERS: &[Parameter] = &[
    Parameter::new(
        "minq",
        "a flow with fewer packets in the queue is never dropped at random",
        Kind::Number(Range::NOT_NEGATIVE, "packets"),
    )
    .with_default(
        "2",
        "Lin and Morris 1997, for small buffers; 4 for large ones",
    )
    .only_with("policy", &["fred"]),
    Parameter::new(
        "fred_above_max",
        "what happens to packets above the upper threshold",
        Kind::Choice(&[
            (
                "two-each",
                "every flow may have two packets in the queue: support for many flows",
            ),
            ("drop", "the curve drops them"),
        ]),
    )
    .with_default("two-each", "Lin and Morris 1997")
    .only_with("policy", &["fred"]),
];

/// The scheme.
pub const SCHEME: Descriptor = scheme(
    "fred",
    "RED that keeps each flow to its share of the buffer and spares those below it",
    "Lin and Morris, ACM SIGCOMM 1997",
    &[("policy", "fred", "Lin and Morris 1997")],
    &[Preset {
        name: "paper",
        meaning: "Lin and Morris 1997: min a quarter of the buffer, max twice min, max_p 0.02, weight 0.002; a buffer of 64 is ours",
        values: &[
            ("min", "16 packets"),
            ("max", "32 packets"),
            ("max_p", "0.02"),
            ("weight", "0.002"),
            ("minq", "2"),
            ("limit", "64 packets"),
        ],
    }],
);

/// The most flows with state at once.
const MOST_ACTIVE: u32 = 1 << 16;
/// Packets each flow may have in the queue above the upper threshold.
const MANY_FLOWS_SHARE: f64 = 2.0;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Active {
    waiting: u32,
    strikes: u32,
}

/// The active flows and the rules.
#[derive(Clone, Debug)]
pub struct Fred {
    active: FlowTable<Active>,
    min_waiting: f64,
    two_each: bool,
    /// How much a packet counts in the average: 1, or the mean size.
    unit: f64,
}

impl Fred {
    /// Heap bytes an active flow costs at most.
    pub const BYTES_PER_FLOW: usize = FlowTable::<Active>::BYTES_PER_FLOW;

    pub(crate) fn from_settings(s: &Settings, config: &RedConfig) -> Fred {
        Fred {
            active: FlowTable::with_room_for(s.limit().packets.min(MOST_ACTIVE)),
            min_waiting: s.number("minq"),
            two_each: s.choice("fred_above_max") == "two-each",
            unit: config.packet_unit(),
        }
    }

    /// Classifies the flow of an arriving packet.
    pub(crate) fn treat(
        &mut self,
        packet: &PacketInfo,
        view: &AverageView,
        random: &mut Pcg32,
        trace: &mut impl Trace,
    ) -> Treatment {
        self.active.salt_once(random);
        let flow = match self.active.find(packet.flow) {
            Some(slot) => *self.active.value(slot),
            None if self.active.is_full() => return Treatment::Normal,
            None => Active::default(),
        };
        let waiting = f64::from(flow.waiting);
        let share = self.share(view.avg);
        let above = view.avg >= view.max;
        let most = if above && self.two_each {
            MANY_FLOWS_SHARE
        } else {
            (view.first / self.unit).max(self.min_waiting)
        };
        trace.note(|why| self.show_flow(why, &flow, view, most));
        let (strikes, least) = (flow.strikes, share.max(self.min_waiting));
        if waiting >= most {
            trace.note(|why| {
                why.reason = format!("qlen_i has reached maxq, {}", below(waiting, most));
            });
            Treatment::Refused
        } else if waiting >= share && strikes > 1 {
            trace.note(|why| {
                let reached = below(waiting, share);
                why.reason = format!("the flow overran {strikes} times before, and {reached}");
            });
            Treatment::Refused
        } else if above && waiting > 2.0 * share {
            trace.note(|why| {
                let most = amount(2.0 * share, "packets");
                let reason = "avg has reached max, and qlen_i exceeds twice avgcq";
                why.reason = format!("{reason}, {most}");
            });
            Treatment::Refused
        } else if above && self.two_each {
            trace.note(|why| {
                let reason = "avg has reached max, but a flow may have two packets";
                why.reason = format!("{reason}, {}", below(waiting, most));
            });
            Treatment::Admitted
        } else if above || waiting >= least {
            Treatment::Normal
        } else {
            trace.note(|why| {
                let reason = "the flow has less than its share";
                why.reason = format!("{reason}, {}", below(waiting, least));
            });
            Treatment::Spared
        }
    }

    /// Counts a strike where these rules dropped the packet just judged.
    pub(crate) fn on_verdict(&mut self, packet: &PacketInfo, verdict: Verdict) {
        if verdict == Verdict::Drop(DropReason::Policy)
            && let Some(slot) = self.active.find(packet.flow)
        {
            let flow = self.active.value_mut(slot);
            flow.strikes = flow.strikes.saturating_add(1);
        }
    }

    /// A packet of `flow` has joined the queue.
    pub(crate) fn on_accepted(&mut self, flow: FlowKey) {
        if let Some(slot) = self.active.find(flow) {
            self.active.value_mut(slot).waiting += 1;
        } else if !self.active.is_full() {
            let first = Active {
                waiting: 1,
                strikes: 0,
            };
            self.active.insert(flow, first);
        }
    }

    /// A packet of `flow` has left the queue.
    pub(crate) fn on_left(&mut self, flow: FlowKey) {
        let Some(slot) = self.active.find(flow) else {
            return;
        };
        let state = self.active.value_mut(slot);
        state.waiting = state.waiting.saturating_sub(1);
        if state.waiting == 0 {
            self.active.remove(slot);
        }
    }

    /// Goes on with the active flows of `old`.
    pub(crate) fn continue_from(&mut self, old: Fred) {
        self.active.continue_from(old.active, |_| {});
    }

    /// Active flows.
    pub(crate) fn flows(&self) -> u32 {
        self.active.flows()
    }

    /// Heap bytes held.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.active.heap_bytes()
    }

    /// avgcq, in packets.
    fn share(&self, avg: f64) -> f64 {
        let active = f64::from(self.active.flows().max(1));
        (avg / self.unit / active).max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::{Outcome, QueueDiscipline};
    use crate::testing::{info, mbps, packet, queue, settings};
    use crate::units::Nanos;

    const STRIKE: Verdict = Verdict::Drop(DropReason::Policy);

    /// FRED over thresholds of 4 and 8 packets.
    struct Bench {
        fred: Fred,
        random: Pcg32,
    }

    fn of(flow: u64) -> PacketInfo {
        info(flow, Nanos::ZERO)
    }

    impl Bench {
        fn of(text: &str) -> Bench {
            let settings = settings(text);
            Bench {
                fred: Fred::from_settings(&settings, &RedConfig::from_settings(&settings)),
                random: Pcg32::new(1997, 0),
            }
        }

        /// With these flows' packets waiting.
        fn with(text: &str, waiting: &[(u64, u32)]) -> Bench {
            let mut bench = Bench::of(text);
            for (flow, packets) in waiting {
                for _ in 0..*packets {
                    bench.fred.on_accepted(FlowKey(*flow));
                }
            }
            bench
        }

        fn arrive(&mut self, flow: u64, avg: f64) -> Treatment {
            let view = AverageView {
                avg,
                first: 4.0 * self.fred.unit,
                max: 8.0 * self.fred.unit,
            };
            self.fred.treat(&of(flow), &view, &mut self.random, &mut ())
        }
    }

    #[test]
    fn no_flow_has_more_than_maxq_waiting() {
        let mut bench = Bench::with("fred", &[(1, 3), (2, 4)]);
        assert_eq!(bench.arrive(1, 1.0), Treatment::Normal);
        assert_eq!(bench.arrive(2, 1.0), Treatment::Refused, "maxq = min = 4");
        let mut bench = Bench::with("fred:minq=5", &[(2, 4)]);
        assert_eq!(bench.arrive(2, 1.0), Treatment::Spared, "maxq = minq = 5");
        let mut bench = Bench::with("fred:unit=bytes", &[(2, 4)]);
        assert_eq!(bench.arrive(2, 1000.0), Treatment::Refused, "in packets");
    }

    #[test]
    fn only_flows_above_their_share_are_dropped_at_random() {
        // avgcq = 6/2.
        let mut bench = Bench::with("fred", &[(1, 2), (2, 3)]);
        assert_eq!(bench.arrive(1, 6.0), Treatment::Spared, "2 < 3");
        assert_eq!(bench.arrive(2, 6.0), Treatment::Normal, "3 >= 3");
        assert_eq!(bench.arrive(3, 6.0), Treatment::Spared, "nothing waits");
        // avgcq = max(1, 1/2); minq = 2.
        let mut bench = Bench::with("fred", &[(1, 1), (2, 2)]);
        assert_eq!(bench.arrive(1, 1.0), Treatment::Spared, "1 < minq");
        assert_eq!(bench.arrive(2, 1.0), Treatment::Normal);
        let mut bench = Bench::with("fred:unit=bytes", &[(1, 2), (2, 3)]);
        assert_eq!(bench.arrive(1, 6000.0), Treatment::Spared);
        assert_eq!(bench.arrive(2, 6000.0), Treatment::Normal);
    }

    #[test]
    fn from_max_on_every_flow_may_have_two_waiting() {
        let mut bench = Bench::with("fred", &[(1, 1), (2, 2)]);
        assert_eq!(bench.arrive(3, 8.0), Treatment::Admitted);
        assert_eq!(bench.arrive(1, 80.0), Treatment::Admitted);
        assert_eq!(bench.arrive(2, 8.0), Treatment::Refused);
        assert_ne!(bench.arrive(2, 7.9), Treatment::Refused);
    }

    #[test]
    fn without_support_for_many_flows_twice_the_share_is_the_limit_from_max_on() {
        let waiting: [(u64, u32); 8] =
            core::array::from_fn(|flow| (flow as u64, if flow == 0 { 3 } else { 2 }));
        let mut bench = Bench::with("fred:fred_above_max=drop", &waiting);
        // avgcq = 8/8.
        assert_eq!(bench.arrive(0, 8.0), Treatment::Refused, "3 > 2 * 1");
        assert_eq!(bench.arrive(1, 8.0), Treatment::Normal, "2 is not");
        assert_eq!(bench.arrive(0, 7.9), Treatment::Normal);
        assert_eq!(bench.arrive(99, 8.0), Treatment::Normal, "the curve's");
    }

    #[test]
    fn a_flow_struck_twice_is_held_to_its_share() {
        let mut bench = Bench::with("fred", &[(1, 2)]);
        bench.fred.on_verdict(&of(1), STRIKE);
        assert_eq!(bench.arrive(1, 2.0), Treatment::Normal);
        bench
            .fred
            .on_verdict(&of(1), Verdict::Drop(DropReason::Early));
        assert_eq!(bench.arrive(1, 2.0), Treatment::Normal, "no strike");
        bench.fred.on_verdict(&of(1), STRIKE);
        assert_eq!(bench.arrive(1, 2.0), Treatment::Refused, "2 >= avgcq = 2");
        assert_eq!(bench.arrive(1, 3.0), Treatment::Spared, "2 < avgcq = 3");
    }

    #[test]
    fn a_flow_is_forgotten_with_its_last_packet() {
        let mut bench = Bench::with("fred", &[(1, 2), (2, 1)]);
        bench.fred.on_verdict(&of(1), STRIKE);
        bench.fred.on_verdict(&of(1), STRIKE);
        bench.fred.on_left(FlowKey(1));
        assert_eq!(bench.fred.flows(), 2);
        assert_eq!(bench.arrive(1, 2.0), Treatment::Refused, "1 >= avgcq = 1");
        bench.fred.on_left(FlowKey(1));
        assert_eq!(bench.fred.flows(), 1);
        bench.fred.on_accepted(FlowKey(1));
        assert_eq!(bench.arrive(1, 2.0), Treatment::Spared, "no strikes");
    }

    #[test]
    fn a_flow_without_state_is_left_to_red() {
        let mut bench = Bench::with("fred:limit=15", &[(1, 1)]);
        for flow in 2..=15 {
            bench.fred.on_accepted(FlowKey(flow));
        }
        assert_eq!(bench.arrive(16, 6.0), Treatment::Normal);
        bench.fred.on_accepted(FlowKey(16));
        assert_eq!(bench.fred.flows(), 15);
        assert!(bench.fred.active.find(FlowKey(1)).is_some(), "not evicted");
        bench.fred.on_left(FlowKey(16));
        assert_eq!(bench.arrive(1, 6.0), Treatment::Spared);
        bench.fred.on_left(FlowKey(1));
        assert_eq!(bench.arrive(16, 6.0), Treatment::Spared, "there is room");
    }

    #[test]
    fn the_queue_averages_what_moves_and_not_what_is_dropped() {
        let mut queue = queue("fred:min=2,max=4,weight=1", mbps(10));
        let mut averages = [0.0; 5];
        for average in &mut averages[..3] {
            queue.enqueue(Nanos::ZERO, packet(1));
            *average = queue.probe("average").unwrap();
        }
        assert_eq!(queue.counters().dropped_for(DropReason::Policy).packets, 1);
        for average in &mut averages[3..] {
            queue.dequeue(Nanos::ZERO);
            *average = queue.probe("average").unwrap();
        }
        // Arrivals see 0, 1 and, refused, 2; departures leave 1 and 0.
        assert_eq!(averages, [0.0, 1.0, 1.0, 1.0, 0.0]);
        assert_eq!(queue.probe("flows"), Some(0.0), "no packet, no state");
    }

    #[test]
    fn the_queue_holds_many_flows_or_drops_from_max_on() {
        let accepted = |text: &str| {
            let mut queue = queue(text, mbps(10));
            let mut arrive = |flow| queue.enqueue(Nanos::ZERO, packet(flow));
            (0..30)
                .filter(|flow| arrive(*flow) == Outcome::Queued)
                .count()
        };
        assert_eq!(accepted("fred:min=2,max=4,weight=1"), 30);
        // The sixth packet is the first to be judged at an average of 4.
        assert_eq!(
            accepted("fred:min=2,max=4,weight=1,fred_above_max=drop"),
            6 - 1
        );
    }

    #[test]
    fn packets_let_in_without_a_draw_count_in_the_spacing() {
        let mut queue = queue("fred:min=2,max=400,weight=1,max_p=0.0001", mbps(10));
        for flow in 0..10 {
            queue.enqueue(Nanos::ZERO, packet(flow));
        }
        // Packets 5 to 10 are judged at averages of 3 to 8, packet 4 at 2.
        assert_eq!(queue.probe("count"), Some(7.0));
        assert_eq!(queue.probe("flows"), Some(10.0));
    }
}
