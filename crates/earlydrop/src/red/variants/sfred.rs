//! SFRED: scalable fair RED, with a list of the flows seen most recently.
//!
//! # Reference
//! Paper 000, section 2. The list is the MRUL, the most recently used list.
//!
//! # Equations
//! The list holds at most N flows. Of flow i it knows the packets received, H_ri, and
//! dropped, H_di; H_r and H_d are their sums over the n flows now in the list.
//! A packet first counts as received, its flow entering the list where it was not in
//! it; then it is judged:
//! - `T_f = (H_r - H_d)/n`, the fair share; `T_i = H_ri`; fast: `T_i > (1+alpha) T_f`.
//! - `L_i = H_di/H_ri`, `L = H_d/H_r`; fast and `L_i > (1+beta) L`, unresponsive:
//!   dropped.
//! - Any other fast flow: `max_p <- max_p T_i/T_f`, at most 1.
//! - Slow: `H_ri < eta` and `H_di = 0`: both thresholds raised by k packets.
//!
//! # Our readings
//! - The paper prints `max_p T_f/T_i`, which favours fast flows, against its own
//!   sentence that their loss increases. `fast_scaling=as-printed` runs the print.
//! - The paper never says how counts age, and then a flow once judged stays judged.
//!   Here every count is halved each horizon from the first packet on, so that what
//!   is remembered spans one to two horizons. The default of 10 s is ours: the paper's
//!   figures average over 10 s, and it spans some hundred round trips, so that even
//!   a flow with 1% loss has been told a few times. `horizon=never` runs the print.
//! - A mark tells a flow as much as a drop, so L_i, L and the slow rule count both; a
//!   marked packet still gets through, so T_f counts drops only. Drops for want of
//!   room count too.
//! - A flow both slow and fast (all flows being new) is slow: it has not been told of
//!   congestion yet. An unresponsive flow is dropped whatever the average is, by the
//!   paper's "all the subsequent packets".
//! - N and k are not printed; 32 flows and 5 packets are ours.
//! - A count that has aged below one is none, as it would be in whole numbers: a flow
//!   told once can become slow again a horizon later.
//! - A slow flow's packet below its own first threshold leaves the spacing of the
//!   other flows' drops as it is.
//!
//! # How other tools differ
//! None of ns-2, ns-3, Linux and DPDK has it.

mod counts;

use self::counts::{Counts, History};
use crate::aqm::Verdict;
use crate::flow_table::{FlowTable, MOST_FLOWS, Slot};
use crate::packet::{FlowKey, PacketInfo};
use crate::random::Pcg32;
use crate::red::parameters::scheme;
use crate::red::{Measure, Treatment};
use crate::registry::{Descriptor, Kind, Parameter, Preset, Range, Settings};
use crate::units::Nanos;

const SFRED: Option<(&str, &[&str])> = Some(("policy", &["sfred"]));

pub(crate) const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "flows",
        meaning: "N, the most flows in the list",
        kind: Kind::Count(Range::closed(1.0, MOST_FLOWS as f64), "flows"),
        default: "32",
        origin: "ours: paper 000 does not print it; swept in the reproductions",
        when: SFRED,
    },
    Parameter {
        name: "sfred_alpha",
        meaning: "a flow is fast above 1 + this times the fair share",
        kind: Kind::Number(Range::NOT_NEGATIVE, "ratio"),
        default: "0.1",
        origin: "paper 000, section 2.2",
        when: SFRED,
    },
    Parameter {
        name: "sfred_beta",
        meaning: "a fast flow is unresponsive above 1 + this times the average loss rate",
        kind: Kind::Number(Range::NOT_NEGATIVE, "ratio"),
        default: "0.1",
        origin: "paper 000, section 2.3",
        when: SFRED,
    },
    Parameter {
        name: "eta",
        meaning: "a flow never dropped nor marked is slow below this many packets received",
        kind: Kind::Number(Range::NOT_NEGATIVE, "packets"),
        default: "10",
        origin: "paper 000, section 2.4",
        when: SFRED,
    },
    Parameter {
        name: "k",
        meaning: "what both thresholds are raised by for a slow flow",
        kind: Kind::Length(Range::NOT_NEGATIVE),
        default: "5 packets",
        origin: "ours: paper 000 does not print it; its min_th",
        when: SFRED,
    },
    Parameter {
        name: "horizon",
        meaning: "the time after which every count is halved; never: counts do not age, as printed",
        kind: Kind::OrNever(&Kind::Time(Range::POSITIVE)),
        default: "10 s",
        origin: "ours: the span paper 000 averages its figures over",
        when: SFRED,
    },
    Parameter {
        name: "fast_scaling",
        meaning: "what a fast flow's max_p is multiplied by",
        kind: Kind::Choice(&[
            ("raised", "T_i/T_f: a fast flow loses more"),
            ("as-printed", "T_f/T_i: a fast flow loses less"),
        ]),
        default: "raised",
        origin: "our reading of paper 000, section 2.2",
        when: SFRED,
    },
];

/// The scheme.
pub const SCHEME: Descriptor = scheme(
    "sfred",
    "RED that lists recent flows: drops unresponsive ones, slows fast ones, spares new ones",
    "paper 000, section 2",
    &[("policy", "sfred", "paper 000, section 2")],
    &[Preset {
        name: "paper",
        meaning: "paper 000, section 3: thresholds 5 and 15, max_p 0.1, weight 0.002, buffer 50; spacing as ns-2, which it ran",
        values: &[
            ("min", "5 packets"),
            ("max", "15 packets"),
            ("max_p", "0.1"),
            ("weight", "0.002"),
            ("limit", "50 packets"),
            ("spacing", "wait"),
        ],
    }],
);

/// Above this every curve has long reached its end; it keeps a fair share of 0 finite.
const LARGEST_FACTOR: f64 = 1e6;

/// The thresholds between slow, fair, fast and unresponsive.
#[derive(Clone, Copy, Debug)]
struct Rules {
    alpha: f64,
    beta: f64,
    eta: f64,
    /// In the average's unit.
    k: f64,
    as_printed: bool,
}

/// The list and its rules.
#[derive(Clone, Debug)]
pub struct Sfred {
    list: FlowTable<History>,
    /// Over the flows now in the list, in the present epoch.
    totals: Counts,
    rules: Rules,
    horizon: Nanos,
    /// When the first packet came.
    since: Option<Nanos>,
    /// Horizons since then.
    epoch: u64,
    epoch_ends: Nanos,
    /// The packet just judged was marked: its flow has been told already.
    marked: bool,
}

impl Sfred {
    /// Heap bytes a flow in the list costs at most.
    pub const BYTES_PER_FLOW: usize = FlowTable::<History>::BYTES_PER_FLOW;

    pub(crate) fn from_settings(s: &Settings, measure: &Measure) -> Sfred {
        let k = s.length_or_auto("k");
        let rules = Rules {
            alpha: s.number("sfred_alpha"),
            beta: s.number("sfred_beta"),
            eta: s.number("eta"),
            k: k.map_or(0.0, |k| measure.length(s, k)),
            as_printed: s.choice("fast_scaling") == "as-printed",
        };
        Sfred::new(s.count("flows"), rules, s.time("horizon"))
    }

    fn new(flows: u32, rules: Rules, horizon: Nanos) -> Sfred {
        let horizon = horizon.max(Nanos(1));
        Sfred {
            list: FlowTable::with_room_for(flows),
            totals: Counts::default(),
            rules,
            horizon,
            since: None,
            epoch: 0,
            epoch_ends: Nanos::ZERO,
            marked: false,
        }
    }

    /// Counts an arriving packet and judges its flow.
    pub(crate) fn treat(
        &mut self,
        now: Nanos,
        packet: &PacketInfo,
        random: &mut Pcg32,
    ) -> Treatment {
        if now >= self.epoch_ends {
            self.age(now);
        }
        self.list.salt_once(random);
        let slot = self.most_recent(packet.flow);
        self.marked = false;
        let own = self.count(slot, |counts| counts.received += 1.0);
        self.judge(&own)
    }

    /// What became of the packet just judged.
    pub(crate) fn on_verdict(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Keep => {}
            Verdict::Mark => {
                self.marked = true;
                self.count_newest(|counts| counts.signals += 1.0);
            }
            Verdict::Drop(_) | Verdict::DropBoth(..) => self.count_newest(|counts| {
                counts.signals += 1.0;
                counts.dropped += 1.0;
            }),
        }
    }

    /// There was no room for the packet just judged.
    pub(crate) fn on_refused(&mut self) {
        let signals = if self.marked { 0.0 } else { 1.0 };
        self.count_newest(|counts| {
            counts.signals += signals;
            counts.dropped += 1.0;
        });
    }

    /// Flows in the list.
    pub(crate) fn flows(&self) -> u32 {
        self.list.flows()
    }

    /// H_d: drops of the flows in the list.
    #[cfg(test)]
    pub(crate) fn dropped(&self) -> f64 {
        self.totals.dropped
    }

    /// Heap bytes held.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.list.heap_bytes()
    }

    #[cold]
    fn age(&mut self, now: Nanos) {
        let since = *self.since.get_or_insert(now);
        let epoch = now.since(since).0 / self.horizon.0;
        self.totals = self.totals.halved(epoch - self.epoch);
        self.epoch = epoch;
        self.epoch_ends = since + Nanos((epoch + 1).saturating_mul(self.horizon.0));
    }

    /// Moves `flow` to the head of the list, or lets it in there.
    fn most_recent(&mut self, flow: FlowKey) -> Slot {
        if let Some(slot) = self.list.find(flow) {
            self.list.touch(slot);
            return slot;
        }
        let (slot, evicted) = self.list.insert(flow, History::from(self.epoch));
        if let Some(evicted) = evicted {
            self.totals = self.totals.without(evicted.at(self.epoch));
        }
        slot
    }

    /// Counts for the flow at `slot` and in the totals; returns the flow's counts.
    fn count(&mut self, slot: Slot, add: impl Fn(&mut Counts)) -> Counts {
        add(&mut self.totals);
        let history = self.list.value_mut(slot);
        let counts = history.bring_to(self.epoch);
        add(counts);
        *counts
    }

    fn count_newest(&mut self, add: impl Fn(&mut Counts)) {
        if let Some(slot) = self.list.newest() {
            self.count(slot, add);
        }
    }

    fn judge(&self, own: &Counts) -> Treatment {
        let rules = &self.rules;
        if own.received < rules.eta && own.signals < 1.0 {
            return Treatment::Raised(rules.k);
        }
        // T_i > (1+alpha) T_f and L_i > (1+beta) L, each without its divisions.
        let through = (self.totals.received - self.totals.dropped).max(0.0);
        let flows = f64::from(self.list.flows());
        if own.received * flows <= (1.0 + rules.alpha) * through {
            return Treatment::Normal;
        }
        let lost = own.signals * self.totals.received;
        if lost > (1.0 + rules.beta) * self.totals.signals * own.received {
            return Treatment::Refused;
        }
        let fair_share = through / flows;
        Treatment::Scaled(if rules.as_printed {
            fair_share / own.received
        } else {
            (own.received / fair_share).min(LARGEST_FACTOR)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aqm::DropReason;
    use crate::queue::{Outcome, QueueDiscipline};
    use crate::registry::{Link, Spec};
    use crate::testing::{info, mbps, packet, queue, settings};
    use alloc::string::ToString;

    const DROP: Verdict = Verdict::Drop(DropReason::Early);

    struct Bench {
        sfred: Sfred,
        random: Pcg32,
        now: Nanos,
    }

    impl Bench {
        fn of(text: &str) -> Bench {
            let s = settings(text);
            Bench {
                sfred: Sfred::from_settings(&s, &Measure::from_settings(&s)),
                random: Pcg32::new(1, 0),
                now: Nanos::ZERO,
            }
        }

        /// A packet of `flow` is judged and let through.
        fn arrive(&mut self, flow: u64) -> Treatment {
            let packet = info(flow, self.now);
            self.sfred.treat(self.now, &packet, &mut self.random)
        }

        fn arrive_and(&mut self, flow: u64, verdict: Verdict) -> Treatment {
            let treatment = self.arrive(flow);
            self.sfred.on_verdict(verdict);
            treatment
        }

        fn totals(&self) -> (f64, f64, f64) {
            let totals = self.sfred.totals;
            (totals.received, totals.signals, totals.dropped)
        }
    }

    /// Flow 1 receives 3, flow 2 receives 1, then one more of flow 1: T_1 = 4,
    /// T_f = 5/2, and 4 > 1.1 * 2.5.
    fn one_fast(text: &str) -> (Bench, Treatment) {
        let mut bench = Bench::of(text);
        for flow in [1, 1, 1, 2] {
            assert_eq!(bench.arrive(flow), Treatment::Normal);
        }
        let fast = bench.arrive(1);
        (bench, fast)
    }

    #[test]
    fn a_fast_flow_has_its_max_p_scaled_by_how_fast_it_is() {
        assert_eq!(one_fast("sfred:eta=0").1, Treatment::Scaled(4.0 / 2.5));
        let as_printed = one_fast("sfred:eta=0,fast_scaling=as-printed").1;
        assert_eq!(as_printed, Treatment::Scaled(2.5 / 4.0));
        // 4 is not above 1.6 * 2.5.
        assert_eq!(one_fast("sfred:eta=0,sfred_alpha=0.6").1, Treatment::Normal);
    }

    #[test]
    fn a_fast_flow_that_loses_more_than_others_is_refused() {
        let next = |text: &str| {
            let (mut bench, _) = one_fast(text);
            bench.sfred.on_verdict(DROP);
            // T_2 = 2, T_f = (6-1)/2.
            assert_eq!(bench.arrive(2), Treatment::Normal);
            // T_1 = 5, T_f = (7-1)/2; L_1 = 1/5, L = 1/7.
            let treatment = bench.arrive_and(1, DROP);
            (bench, treatment)
        };
        let (mut bench, treatment) = next("sfred:eta=0");
        assert_eq!(treatment, Treatment::Refused, "1/5 > 1.1/7");
        // T_1 = 6, T_f = (8-2)/2; L_1 = 2/6, L = 2/8.
        assert_eq!(bench.arrive(1), Treatment::Refused);
        let tolerant = next("sfred:eta=0,sfred_beta=0.5").1;
        assert_eq!(tolerant, Treatment::Scaled(5.0 / 3.0), "1/5 < 1.5/7");
    }

    #[test]
    fn a_mark_is_a_signal_but_gets_through() {
        let next = |text: &str| {
            let (mut bench, _) = one_fast(text);
            bench.sfred.on_verdict(Verdict::Mark);
            [bench.arrive(2), bench.arrive(1)][1]
        };
        assert_eq!(next("sfred:eta=0"), Treatment::Refused, "1/5 > 1.1/7");
        // T_1 = 5, T_f = 7/2, where a drop would have left 6/2.
        let tolerant = next("sfred:eta=0,sfred_beta=9");
        assert_eq!(tolerant, Treatment::Scaled(5.0 / 3.5));
    }

    #[test]
    fn drops_for_want_of_room_count_and_a_marked_packet_is_told_once() {
        let mut bench = Bench::of("sfred");
        bench.arrive_and(1, Verdict::Keep);
        bench.sfred.on_refused();
        assert_eq!(bench.totals(), (1.0, 1.0, 1.0));
        bench.arrive_and(1, Verdict::Mark);
        bench.sfred.on_refused();
        assert_eq!(bench.totals(), (2.0, 2.0, 2.0));
        bench.arrive_and(1, Verdict::Keep);
        bench.sfred.on_refused();
        assert_eq!(bench.totals(), (3.0, 3.0, 3.0));
    }

    #[test]
    fn a_flow_is_slow_until_its_tenth_packet_or_its_first_signal() {
        let mut bench = Bench::of("sfred");
        for _ in 0..9 {
            assert_eq!(bench.arrive(1), Treatment::Raised(5.0));
        }
        assert_eq!(bench.arrive(1), Treatment::Normal);
        assert_eq!(bench.arrive_and(2, Verdict::Mark), Treatment::Raised(5.0));
        assert_eq!(bench.arrive(2), Treatment::Normal);
        let mut bench = Bench::of("sfred:unit=bytes,k=3");
        assert_eq!(bench.arrive(1), Treatment::Raised(3000.0));
        bench.arrive(2);
        bench.arrive(1);
        // T_1 = 3, T_f = 4/2: slow all the same.
        assert_eq!(bench.arrive(1), Treatment::Raised(3000.0));
    }

    #[test]
    fn a_full_list_forgets_the_flow_seen_longest_ago_and_its_counts() {
        let mut bench = Bench::of("sfred:flows=2");
        bench.arrive(1);
        bench.arrive_and(1, DROP);
        bench.arrive_and(1, Verdict::Mark);
        bench.arrive(2);
        assert_eq!(bench.totals(), (4.0, 2.0, 1.0));
        bench.arrive(3);
        assert_eq!(bench.totals(), (2.0, 0.0, 0.0), "flow 1 is gone");
        bench.arrive(2);
        bench.arrive(4);
        assert_eq!(bench.totals(), (3.0, 0.0, 0.0), "flow 3 is gone");
        assert_eq!(bench.sfred.flows(), 2);
    }

    #[test]
    fn counts_are_halved_each_horizon_from_the_first_packet_on() {
        // Days into a clock is as good a start as its origin.
        let start = Nanos(500_000_123_456_789);
        let run = |text: &str| {
            let mut bench = Bench::of(text);
            bench.now = start;
            for flow in [1, 1, 1, 2] {
                bench.arrive(flow);
            }
            bench.arrive_and(1, DROP);
            bench.now = start + Nanos::from_secs(10) - Nanos(1);
            bench.arrive(2);
            let before = bench.totals();
            bench.now = start + Nanos::from_secs(10);
            bench.arrive(2);
            let after = bench.totals();
            bench.now = start + Nanos::from_secs(20);
            bench.arrive(1);
            let newest = bench.sfred.list.newest().unwrap();
            let own = bench
                .sfred
                .list
                .value(newest)
                .at(bench.sfred.epoch)
                .received;
            (before, after, bench.totals(), own)
        };
        let (before, after, last, own) = run("sfred:horizon=10s");
        assert_eq!(before, (6.0, 1.0, 1.0));
        assert_eq!(after, (4.0, 0.5, 0.5), "6/2 and this packet");
        assert_eq!(last, (3.0, 0.25, 0.25), "4/2 and this packet");
        assert_eq!(own, 2.0, "4/2/2 and this packet");
        let (.., last, own) = run("sfred:horizon=never");
        assert_eq!((last, own), ((8.0, 1.0, 1.0), 5.0));
    }

    #[test]
    fn an_evicted_flow_takes_along_what_age_has_left_of_it() {
        let mut bench = Bench::of("sfred:flows=2,horizon=10s");
        for _ in 0..4 {
            bench.arrive_and(1, DROP);
        }
        bench.now = Nanos::from_secs(11);
        bench.arrive(2);
        assert_eq!(bench.totals(), (3.0, 2.0, 2.0));
        bench.now = Nanos::from_secs(21);
        bench.arrive(3);
        // 3/2, less the 4/4 of flow 1, and this packet.
        assert_eq!(bench.totals(), (1.5, 0.0, 0.0));
        bench.now = Nanos::from_secs(1_000_000);
        bench.arrive(4);
        assert_eq!(bench.totals(), (1.0, 0.0, 0.0), "all else has faded to 0");
    }

    #[test]
    fn a_fair_share_of_nothing_stays_finite() {
        let mut bench = Bench::of("sfred:eta=0");
        bench.arrive_and(1, DROP);
        bench.arrive_and(2, DROP);
        bench.sfred.totals.dropped = 3.0;
        assert_eq!(bench.arrive(1), Treatment::Scaled(LARGEST_FACTOR));
    }

    #[test]
    fn the_queue_lets_slow_flows_wait_k_packets_longer() {
        let accepted = |k: &str| {
            let text = alloc::format!("sfred:min=1,max=2,weight=1,k={k}");
            let mut queue = queue(&text, mbps(10));
            let mut arrive = |flow| queue.enqueue(Nanos::ZERO, packet(flow));
            (0..20)
                .take_while(|flow| arrive(*flow) == Outcome::Queued)
                .count()
        };
        // From an average of 2 + k on everything is dropped; at 1 + k, nothing.
        assert_eq!(accepted("0"), 2);
        assert_eq!(accepted("5"), 7);
    }

    #[test]
    fn the_queue_drops_an_unresponsive_flow_by_policy_and_no_other() {
        // With the spacing of ns-2 it is the others that end up refused.
        let mut queue = queue("sfred:as=paper,spacing=uniform", mbps(10));
        let mut lost = [0; 2];
        for millisecond in 0..5000_u64 {
            let now = Nanos::from_millis(millisecond);
            // The flood brings 4 packets in the time of 1.25, flow 1 to 4 together 1.
            for _ in 0..4 {
                let outcome = queue.enqueue(now, packet(0));
                lost[0] += u32::from(outcome == Outcome::Dropped(DropReason::Policy));
            }
            let outcome = queue.enqueue(now, packet(1 + millisecond % 4));
            lost[1] += u32::from(outcome == Outcome::Dropped(DropReason::Policy));
            queue.dequeue(now);
        }
        assert!(lost[0] > 10_000, "{lost:?} of 20,000 and 5,000");
        assert_eq!(lost[1], 0);
    }

    #[test]
    fn a_slow_packet_leaves_the_count_of_the_others_alone() {
        let mut queue = queue("sfred:min=1,max=100,weight=1,max_p=0.0001", mbps(10));
        for _ in 0..14 {
            queue.enqueue(Nanos::ZERO, packet(1));
        }
        for _ in 0..10 {
            queue.dequeue(Nanos::ZERO);
        }
        // 4 wait: above min = 1, below min + k = 6.
        let count = queue.probe("count");
        assert!(count > Some(3.0), "{count:?}");
        assert_eq!(queue.enqueue(Nanos::ZERO, packet(2)), Outcome::Queued);
        assert_eq!(queue.probe("average"), Some(4.0));
        assert_eq!(queue.probe("count"), count);
        assert_eq!(queue.probe("flows"), Some(2.0));
    }

    #[test]
    fn an_empty_list_is_refused_with_the_nearest_that_would_do() {
        let error = |text: &str| {
            let spec: Spec = text.parse().unwrap();
            spec.plan(&Link::at(mbps(10))).unwrap_err().to_string()
        };
        assert!(error("sfred:flows=0").contains("nearest: flows = 1"));
        assert!(error("sfred:flows=2000000").contains("nearest: flows = 1048576"));
        assert!(error("sfred:horizon=0").contains("or never"));
    }
}
