//! Tests of the list and of how flows are classified.

use super::*;
use crate::aqm::DropReason;
use crate::queue::{Outcome, QueueDiscipline};
use crate::registry::{LinkFacts, Spec};
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
            sfred: Sfred::from_settings(&s, &RedConfig::from_settings(&s)),
            random: Pcg32::new(1, 0),
            now: Nanos::ZERO,
        }
    }

    /// A packet of `flow` arrives and is not dropped.
    fn arrive(&mut self, flow: u64) -> Treatment {
        let packet = info(flow, self.now);
        self.sfred
            .treat(self.now, &packet, &mut self.random, &mut ())
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
    let literal = one_fast("sfred:as=literal,eta=0").1;
    assert_eq!(literal, Treatment::Scaled(2.5 / 4.0));
    // 4 is not above 1.6 * 2.5.
    assert_eq!(one_fast("sfred:eta=0,sfred_alpha=0.6").1, Treatment::Normal);
}

#[test]
fn a_fast_flow_that_loses_more_than_others_is_dropped() {
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
fn drops_at_a_full_buffer_count_and_a_marked_packet_counts_one_signal() {
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
fn totals_of_all_traffic_keep_the_counts_of_flows_that_have_left() {
    let third = |text: &str| {
        let mut bench = Bench::of(text);
        for flow in [1, 2, 2, 3, 3] {
            bench.arrive(flow);
        }
        (bench.arrive(3), bench.totals())
    };
    // T_3 = 3 > 1.1 * (2+3)/2, and 3 < 1.1 * (1+2+3)/2.
    let listed = (Treatment::Scaled(3.0 / 2.5), (5.0, 0.0, 0.0));
    assert_eq!(third("sfred:flows=2,eta=0"), listed);
    let all = (Treatment::Normal, (6.0, 0.0, 0.0));
    assert_eq!(third("sfred:flows=2,eta=0,totals=all"), all);
    let mut bench = Bench::of("sfred:flows=1,eta=0,totals=all,horizon=10s");
    bench.arrive_and(1, DROP);
    bench.now = Nanos::from_secs(10);
    bench.arrive(2);
    assert_eq!(bench.totals(), (1.5, 0.5, 0.5), "they age, too");
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
fn an_evicted_flow_takes_its_aged_counts_out_of_the_totals() {
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
    // With the spacing of ns-2 it is the other flows that end up dropped.
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
        spec.plan(&LinkFacts::at(mbps(10))).unwrap_err().to_string()
    };
    assert!(error("sfred:flows=0").contains("nearest: flows = 1"));
    assert!(error("sfred:flows=2000000").contains("nearest: flows = 1048576"));
    assert!(error("sfred:horizon=0").contains("or never"));
}
