//! Whole runs: the kernel's TCP over the bottleneck.
//!
//! Every test reports that it is skipped if this process may not create namespaces or devices.

use std::thread;

use super::bottleneck::{Bottleneck, BottleneckReport};
use super::testing::{hosts, missing};
use super::topology::Topology;
use super::traffic::TrafficReport;
use super::*;
use crate::device::{Device, Offloads};
use crate::namespace::enter_new_namespace;
use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_sim::network::{Dumbbell, Link};
use earlydrop_sim::results::Totals;
use earlydrop_sim::tcp::{Algorithm, EcnMode, Profile};
use earlydrop_sim::traffic::{Flow, Pattern};

/// Whether real hosts are available here; reports why not.
fn hosts_available() -> bool {
    let created =
        thread::spawn(|| enter_new_namespace().and_then(|()| Device::new(Offloads::None))).join();
    match created.expect("it answers") {
        Ok(_) => true,
        Err(problem) if missing(&problem) => {
            let test = thread::current();
            println!("skipped: {}: {problem}", test.name().unwrap_or(""));
            false
        }
        Err(problem) => panic!("{problem}"),
    }
}

/// Two Reno flows to the right, one and a datagram flow to the left, over 10 Mbps, with RTTs
/// of 24 and 36 ms.
fn run_of(seconds: u64, queue: &str, ecn: EcnMode) -> (Run, LinkId) {
    let rate = BitsPerSec::from_mbps(10);
    let link = Link::new(rate, Nanos::from_millis(10)).queue(queue.parse().unwrap());
    let mut dumbbell = Dumbbell::new(link.clone(), link);
    let profile = Profile {
        ecn,
        ..Profile::modern(Algorithm::Reno)
    };
    let profile = Arc::new(profile);
    let near = BitsPerSec::from_mbps(100);
    let [a, b] = [1, 4].map(|delay| dumbbell.pair(near, Nanos::from_millis(delay)));
    let rate = BitsPerSec::from_mbps(1);
    let mut run = Run::new(dumbbell.network, Nanos::from_secs(seconds));
    run.flows = vec![
        Flow::bulk(a.0, a.1, &profile),
        Flow::bulk(b.0, b.1, &profile),
        Flow::bulk(b.1, b.0, &profile),
        Flow::datagrams(a.1, a.0, Bytes(500), rate, Pattern::Constant),
    ];
    run.measure.delays = true;
    (run, dumbbell.bottleneck)
}

fn threads<T>(
    run: &Run,
    watched: LinkId,
    then: impl FnOnce(&Topology, TrafficReport, BottleneckReport) -> T,
) -> T {
    let (topology, addresses) = check_all(run, watched).expect("live can do it");
    let threads = Threads {
        run,
        topology: &topology,
        addresses: &Arc::new(addresses),
        stop: &AtomicBool::new(false),
        ended: AtomicBool::new(false),
    };
    let ended = threads.run().expect("nothing goes wrong");
    let (seen, report) = ended.expect("nobody stops it");
    then(&topology, seen, report)
}

#[test]
fn devices_queues_and_flows_count_the_same_packets() {
    if !hosts_available() {
        return;
    }
    let (run, watched) = run_of(2, "red:min=5,max=15", EcnMode::Off);
    threads(&run, watched, |topology, seen, mut report| {
        for (index, path) in report.paths.iter().enumerate() {
            let meter = &path.meter;
            let [from, to] = [report.devices[index], report.devices[1 - index]];
            assert_eq!(from.sent, meter.sent.packets + meter.unmatched);
            assert_eq!(to.received, meter.delivered.packets);
            let ended = meter.delivered.packets + meter.dropped.packets;
            assert_eq!(meter.sent.packets, ended + path.in_flight().packets);
            assert!(meter.delivered.packets > 0, "packets cross");
            let dropped = path.counters().dropped().packets;
            assert_eq!(meter.dropped.packets, dropped, "only queues drop");
        }
        check_timing(&report.timing());
        let results = results(&run, topology, seen, &mut report.paths);
        check_results(&run, &results);
    });
}

fn check_timing(timing: &TimingQuality) {
    assert!(timing.lateness.is_sorted(), "more packets, more time");
    assert_eq!(timing.lateness.first().map(|(share, _)| *share), Some(0.0));
    assert_eq!(timing.lateness.last().map(|(share, _)| *share), Some(1.0));
    // Half the transmission time of 1,500 bytes at 10 Mbps.
    let tolerated = Nanos::from_secs_f64(timing.tolerated);
    assert_eq!(tolerated, Nanos::from_micros(600));
    assert!(timing.cpu > 0.0 && timing.cpu <= 1.0, "{}", timing.cpu);
}

/// Checks sums that hold whatever the packets met. The run has no warm-up.
fn check_results(run: &Run, results: &Results) {
    let totals = &results.totals;
    for sum in [
        |tally: &Totals| {
            [tally.sent, tally.delivered, tally.dropped, tally.in_flight].map(|t| t.packets)
        },
        |tally: &Totals| {
            [tally.sent, tally.delivered, tally.dropped, tally.in_flight].map(|t| t.bytes)
        },
    ] {
        let [sent, delivered, dropped, in_flight] = sum(totals);
        assert_eq!(sent, delivered + dropped + in_flight);
    }
    let queues = results.queues.iter();
    let dropped: u64 = queues.map(|queue| queue.counters.dropped().packets).sum();
    // Totals also count what is dropped between the end of the measured time and of the traffic.
    assert!(dropped <= totals.dropped.packets && dropped > 0);
    let lost: u64 = results.flows.iter().map(|flow| flow.lost).sum();
    assert!(lost <= dropped, "losses of flows are drops of their data");
    let received: u64 = results.flows.iter().map(|flow| flow.received).sum();
    assert!(received <= totals.delivered.packets);
    assert_eq!(results.flows.len(), run.flows.len());
    for flow in &results.flows {
        assert!(flow.received > 0, "{flow:?}");
        assert!(
            flow.goodput > 0.0 && flow.goodput <= flow.throughput,
            "{flow:?}"
        );
        let delays = flow.delays.as_ref().expect("they were asked for");
        assert_eq!(delays.count(), flow.received);
        // Propagation delay of the bottleneck and of the nearer hosts' links.
        let of_group = results
            .delays_of(&flow.group)
            .expect("its group's are, too");
        assert!(of_group.quantile(0.0) > Nanos::from_millis(11));
    }
}

#[test]
fn marks_reach_ecn_flows() {
    if !hosts_available() {
        return;
    }
    let (run, watched) = run_of(2, "red:min=2,max=6,ecn=on", EcnMode::Classic);
    let outcome = super::run(&run, watched, &AtomicBool::new(false)).unwrap();
    let results = outcome.expect("nobody stops it").results;
    let marked: u64 = results.flows.iter().map(|flow| flow.marked).sum();
    let queues = results.queues.iter();
    let by_queues: u64 = queues.map(|queue| queue.counters.marked.packets).sum();
    assert!(marked > 0 && marked <= by_queues, "{marked} of {by_queues}");
}

#[test]
fn a_run_that_is_stopped_has_no_results() {
    if !hosts_available() {
        return;
    }
    let (run, watched) = run_of(3600, "red", EcnMode::Off);
    // The flag is looked at while packets are forwarded, so a run may find it set as it starts.
    let outcome = super::run(&run, watched, &AtomicBool::new(true));
    assert!(outcome.expect("nothing goes wrong").is_none());
}

#[test]
fn a_bottleneck_ends_with_its_traffic() {
    let (run, watched) = run_of(3600, "red", EcnMode::Off);
    let (topology, _) = check_all(&run, watched).expect("live can do it");
    let Some((_hosts, devices, addresses)) = hosts(&run) else {
        return;
    };
    let mut bottleneck = Bottleneck::new(&run, &topology, &Arc::new(addresses), devices).unwrap();
    let (closes, traffic_ends) = nix::unistd::pipe().unwrap();
    bottleneck.start();
    drop(traffic_ends);
    let report = bottleneck.run(&AtomicBool::new(false), closes);
    let report = report.expect("nothing goes wrong");
    assert_eq!(report.paths[0].meter.sent.packets, 0, "nobody sends");
}

#[test]
fn what_the_simulator_refuses_is_refused() {
    let (mut run, watched) = run_of(2, "red", EcnMode::Off);
    run.flows[2].to = run.flows[2].from;
    let refused = check(&run, watched).expect_err("a flow to itself");
    assert_eq!(refused.flow, Some(2), "{refused}");
}

#[test]
fn captures_are_refused_by_name() {
    let (mut run, watched) = run_of(2, "red", EcnMode::Off);
    run.measure.captures = vec![watched];
    let refused = check(&run, watched).expect_err("no packets are recorded");
    assert!(refused.message.contains("records no packets"), "{refused}");
    assert!(refused.help.contains("shell --pcap"), "{refused}");
}
