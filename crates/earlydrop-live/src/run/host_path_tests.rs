//! Datagrams over a path, by a simulated clock: they are due on time, and the measurements equal
//! the simulator's to the last digit.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::addresses::AddressPlan;
use super::super::bottleneck::host_path;
use super::super::topology::Topology;
use super::*;
use crate::packet::Header;
use earlydrop::packet::Ecn;
use earlydrop::units::{BitsPerSec, Bytes};
use earlydrop_sim::Run;
use earlydrop_sim::fine_time::FineTime;
use earlydrop_sim::measure::{Measure, Queues};
use earlydrop_sim::network::{Dumbbell, LinkId, Reorder};
use earlydrop_sim::results::{QueueResult, Results};
use earlydrop_sim::traffic::{Flow, Pattern, Traffic};
use proptest::prelude::*;

const END: Nanos = Nanos::from_millis(1500);
const SLOTS: u32 = 4096;

fn link(queue: &str) -> Link {
    let link = Link::new(BitsPerSec::from_mbps(10), Nanos::from_millis(5));
    link.queue(queue.parse().unwrap())
}

/// Three datagram flows, 15 Mbps together, from hosts at different distances. No two packets
/// reach the queue at the same time.
fn run(bottleneck: Link) -> (Run, LinkId) {
    let mut dumbbell = Dumbbell::new(bottleneck.clone(), bottleneck);
    let hosts = [
        (1_000_001, 1250, 4),
        (7_000_013, 1000, 5),
        (3_000_000, 500, 6),
    ];
    let mut flows = Vec::new();
    for (delay, size, rate) in hosts {
        let (from, to) = dumbbell.pair(BitsPerSec::from_mbps(100), Nanos(delay));
        let rate = BitsPerSec::from_mbps(rate);
        let flow = Flow::datagrams(from, to, Bytes(size), rate, Pattern::Constant);
        flows.push(flow.group(if size == 500 { "small" } else { "large" }));
    }
    if let Traffic::Datagrams { ecn, .. } = &mut flows[0].traffic {
        *ecn = Ecn::Ect0;
    }
    let mut run = Run::new(dumbbell.network, END);
    run.flows = flows;
    run.measure = Measure {
        warm_up: Nanos::from_millis(300),
        delays: true,
        sojourn: Some(Queues::All),
        sample_every: Some(Nanos::from_millis(10)),
        arrivals_every: Some(Nanos::from_millis(100)),
        departures_every: Some(Nanos::from_millis(100)),
        loss_event: Some(Nanos::from_millis(20)),
        ..Measure::default()
    };
    (run, dumbbell.bottleneck)
}

/// Times at which the packets of a run are sent, with their flows.
fn sends(run: &Run) -> BTreeMap<Nanos, Vec<u32>> {
    let mut sends: BTreeMap<Nanos, Vec<u32>> = BTreeMap::new();
    for (number, flow) in run.flows.iter().enumerate() {
        let Traffic::Datagrams { size, rate, .. } = &flow.traffic else {
            panic!("datagrams only");
        };
        let mut at = FineTime::from(Nanos::ZERO);
        while at.nanos() < run.duration {
            sends.entry(at.nanos()).or_default().push(number as u32);
            at += FineTime::to_send(*size, *rate);
        }
    }
    sends
}

/// A datagram of a flow, as bytes.
fn datagram(run: &Run, addresses: &AddressPlan, flow: u32) -> Vec<u8> {
    let Traffic::Datagrams { size, ecn, .. } = &run.flows[flow as usize].traffic else {
        panic!("datagrams only");
    };
    let mut bytes = vec![0; size.0 as usize];
    bytes[0] = 0x45;
    bytes[1] = *ecn as u8;
    bytes[2..4].copy_from_slice(&(size.0 as u16).to_be_bytes());
    bytes[9] = 17;
    let [near, far] = addresses.addresses(flow);
    bytes[12..16].copy_from_slice(&near.octets());
    bytes[16..20].copy_from_slice(&far.octets());
    bytes
}

/// A path after a run, and the times at which packets were written, with their flows.
struct PathRun {
    path: HostPath,
    written: Vec<(Nanos, u32)>,
}

/// Carries a run's packets; the path is advanced at its own events and at `advances`.
fn run_path(run: &Run, watched: LinkId, advances: &[Nanos]) -> PathRun {
    let topology = Topology::new(run, watched).unwrap();
    let addresses = Arc::new(AddressPlan::new(&run.flows).unwrap());
    let mut path = host_path(run, &topology, &addresses, 0, SLOTS).unwrap();
    let mut pool = Pool::new(SLOTS);
    let mut sends = sends(run);
    let mut advances = advances.to_vec();
    advances.sort();
    advances.reverse();
    let mut written = Vec::new();
    loop {
        let sent = sends.first_key_value().map_or(Nanos::NEVER, |(at, _)| *at);
        let advance = advances.last().copied().unwrap_or(Nanos::NEVER);
        let now = path.next_event().min(sent).min(advance);
        if now >= run.duration {
            break;
        }
        advances.pop_if(|advance| *advance <= now);
        let no_capture = &mut |_: usize, _: Nanos, _: &[u8]| {};
        let tap = &mut CaptureTap(0, no_capture);
        for flow in sends.remove(&now).unwrap_or_default() {
            let slot = pool.take().unwrap();
            let bytes = datagram(run, &addresses, flow);
            pool.buffer(slot)[..bytes.len()].copy_from_slice(&bytes);
            let frame = Frame::new(slot, Header::read(&bytes).unwrap());
            path.receive(now, frame, &mut pool, tap);
        }
        path.advance(now, &mut pool, tap);
        while let Some((due, frame)) = path.pop_due(now) {
            assert_eq!(due, now, "written when it is due");
            written.push((due, path.meter.flow(&frame)));
            path.written(due, &frame, true);
            pool.give_back(frame.slot);
        }
    }
    path.finish(run.duration, &mut pool);
    let inside = path.in_flight().packets as usize;
    assert_eq!(pool.free() + inside, SLOTS as usize, "no buffer is lost");
    PathRun { path, written }
}

/// Compares all measurements with the simulator's.
fn check_against_simulator(link: Link) {
    let (run, watched) = run(link);
    let expected = run.results().unwrap();
    let PathRun { mut path, .. } = run_path(&run, watched, &[]);
    let Meter { queue, groups, .. } = &mut path.meter;
    let measured = queue.result(watched, "left to right", groups, run.duration);
    let queue = expected.queue(watched).unwrap();
    assert!(measured.counters.departed.packets > 500, "something report");
    assert_eq!(format!("{measured:#?}"), format!("{queue:#?}"));
    check_flows(&mut path, &expected);
    check_totals(&path, queue, &run);
}

fn check_flows(path: &mut HostPath, expected: &Results) {
    let seconds = expected.measured.as_secs_f64();
    for (metered, flow) in path.meter.flows.iter_mut().zip(&expected.flows) {
        let metered = metered.as_mut().expect("its data goes this way");
        let mut measured = metered.meter.result(&flow.group, seconds);
        measured.lost = metered.lost;
        assert!(measured.delays.is_some() && measured.received > 0);
        // Goodput is measured at the flow's receiver, not on the path.
        (measured.goodput, measured.goodput_halves) = (flow.goodput, flow.goodput_halves);
        assert_eq!(format!("{measured:#?}"), format!("{flow:#?}"));
    }
}

fn check_totals(path: &HostPath, queue: &QueueResult, run: &Run) {
    let meter = &path.meter;
    let in_flight = path.in_flight();
    let sent: usize = sends(run).values().map(Vec::len).sum();
    assert_eq!(meter.sent.packets, sent as u64);
    let ended = meter.delivered.packets + meter.dropped.packets;
    assert_eq!(meter.sent.packets, ended + in_flight.packets);
    let bytes = meter.delivered.bytes + meter.dropped.bytes;
    assert_eq!(meter.sent.bytes, bytes + in_flight.bytes);
    assert!(meter.dropped.packets >= queue.counters.dropped().packets);
}

#[test]
fn a_full_buffer_is_measured_as_the_simulator_does() {
    check_against_simulator(link("droptail:limit=40"));
}

#[test]
fn a_scheme_that_drops_at_the_head_is_measured_as_the_simulator_does() {
    check_against_simulator(link("codel:limit=200"));
}

#[test]
fn marks_are_measured_as_the_simulator_does() {
    check_against_simulator(link("step:threshold=20 packets,limit=100"));
}

#[test]
fn fair_queues_are_measured_as_the_simulator_does() {
    check_against_simulator(link("fq-codel:limit=60"));
}

#[test]
fn changes_are_measured_as_the_simulator_does() {
    let millis = Nanos::from_millis;
    let link = link("droptail:limit=60")
        .changing(millis(400), Change::Rate(BitsPerSec::from_mbps(4)))
        .changing(millis(600), Change::Down)
        .changing(millis(605), Change::Delay(millis(30)))
        .changing(millis(650), Change::Up)
        .changing(millis(900), Change::Delay(millis(1)))
        .changing(millis(1000), Change::Rate(BitsPerSec::from_mbps(40)));
    check_against_simulator(link);
}

#[test]
fn a_recorded_link_is_measured_as_the_simulator_does() {
    let trace = "1\n1\n2\n7\n7\n7\n8\n20\n21\n22\n23".parse().unwrap();
    check_against_simulator(link("droptail:limit=30").following(trace));
}

/// When nothing is read for long, the path must ask to be advanced.
#[test]
fn single_packets_are_written_when_they_are_due() {
    for delay in [Nanos::ZERO, Nanos::from_millis(5)] {
        let slow = Link {
            delay,
            ..link("droptail")
        };
        let (mut run, watched) = run(slow);
        for flow in &mut run.flows {
            if let Traffic::Datagrams { rate, .. } = &mut flow.traffic {
                *rate = BitsPerSec(rate.0 / 50);
            }
        }
        let PathRun { path, written } = run_path(&run, watched, &[]);
        assert!(written.len() > 20);
        assert_eq!(path.meter.delivered.packets, written.len() as u64);
    }
}

#[test]
fn a_link_without_a_queue_loses_nothing() {
    let (mut run, watched) = run(link("droptail"));
    run.network.get_mut(watched).queue = None;
    let PathRun { path, .. } = run_path(&run, watched, &[]);
    assert_eq!(path.meter.dropped.packets, 0);
    assert!(path.in_flight().packets > 500, "15 Mbps into 10");
}

#[test]
fn reordered_packets_are_late_by_at_most_the_delay() {
    let (plain, watched) = run(link("droptail:limit=40"));
    let (late, _) = run(link("droptail:limit=40").reordering(0.5, Nanos::from_millis(20)));
    let [plain, late] = [&plain, &late].map(|run| run_path(run, watched, &[]).written);
    // A packet waits for none on the wire, but on the access link it may for those that arrived
    // together with it: some tenths of a millisecond.
    let slack = Nanos::from_millis(1);
    for flow in 0..3 {
        let of = |written: &[(Nanos, u32)]| -> Vec<Nanos> {
            let of_flow = written.iter().filter(|(_, whose)| *whose == flow);
            of_flow.map(|(at, _)| *at).collect()
        };
        let (plain, late) = (of(&plain), of(&late));
        assert!(late.len() > 100);
        let spans = plain
            .iter()
            .zip(&late)
            .map(|(plain, late)| late.since(*plain));
        // The n-th arrival is no later than the n-th packet sent may be.
        assert!(
            spans
                .clone()
                .all(|span| span <= Nanos::from_millis(20) + slack)
        );
        assert!(spans.max().unwrap() > Nanos::from_millis(1));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Packets are written at the same times however often the path is advanced.
    #[test]
    fn advancing_more_often_changes_nothing(
        advances in prop::collection::vec(0..END.0, 0..60),
        queue in prop::sample::select(vec!["droptail:limit=20", "red:min=5,max=15", "pie", "fq-codel"]),
        share in prop::sample::select(vec![0.0, 0.3]),
        loss in prop::sample::select(vec![0.0, 0.1]),
    ) {
        let (mut run, watched) = run(link(queue));
        let link = run.network.get_mut(watched);
        link.loss = loss;
        link.reorder = Some(Reorder { share, delay: Nanos::from_millis(9) });
        let advances: Vec<Nanos> = advances.into_iter().map(Nanos).collect();
        let [rarely, often] = [&[], &advances[..]].map(|advances| run_path(&run, watched, advances));
        prop_assert_eq!(rarely.written, often.written);
    }
}
