//! Links against figures computed by hand.
//!
//! Most tests send packets of 1,000 bytes over 8 Mbps, so that each takes 1 ms, with a propagation
//! delay of 10 ms.

use std::sync::Arc;

use earlydrop::aqm::DropReason;
use earlydrop::registry::SCHEMES;
use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_sim::Run;
use earlydrop_sim::network::{Change, Link, LinkId, Network, Node};
use earlydrop_sim::results::Results;
use earlydrop_sim::spread::{Law, Spread};
use earlydrop_sim::tcp::{Profile, Recovery};
use earlydrop_sim::traffic::{Flow, FlowId, Pattern};

const fn ms(millis: u64) -> Nanos {
    Nanos::from_millis(millis)
}

const fn us(micros: u64) -> Nanos {
    Nanos::from_micros(micros)
}

fn link() -> Link {
    Link::new(BitsPerSec::from_mbps(8), ms(10))
}

fn behind(queue: &str) -> Link {
    link().queue(queue.parse().unwrap())
}

/// A run of `duration` over `link` and a link back, and the two hosts.
fn over(link: Link, duration: Nanos) -> (Run, Node, Node) {
    let mut network = Network::new();
    let (from, to) = (network.node("from"), network.node("to"));
    network.link(from, to, link);
    network.link(to, from, Link::new(BitsPerSec::from_mbps(100), ms(10)));
    let mut run = Run::new(network, duration);
    run.measure.captures = vec![LinkId(0)];
    run.measure.delays = true;
    run.measure.sojourn = Some(earlydrop_sim::measure::Queues::All);
    (run, from, to)
}

/// Packets of 1,000 bytes, one every `interval`.
fn regular(from: Node, to: Node, interval: Nanos) -> Flow {
    let rate = BitsPerSec(8_000_000_000_000 / interval.0);
    Flow::datagrams(from, to, Bytes(1000), rate, Pattern::Constant)
}

/// Ten packets, a microsecond apart, every 100 ms.
fn bursts(from: Node, to: Node) -> Flow {
    let pattern = Pattern::OnOff {
        on: Spread::constant(us(10)),
        off: Spread::constant(Nanos(100_000_000 - 10_000)),
    };
    let rate = BitsPerSec::from_mbps(8000);
    Flow::datagrams(from, to, Bytes(1000), rate, pattern).at(ms(50))
}

fn left_at(results: &Results) -> Vec<Nanos> {
    results.captures[0].times().collect()
}

fn mean_delay(results: &Results) -> f64 {
    results.flows[0].delays.as_ref().unwrap().mean()
}

fn close(value: f64, expected: f64) {
    let distance = (value - expected).abs();
    assert!(
        distance < 1e-9 * expected.abs().max(1.0),
        "{value}, not {expected}"
    );
}

/// A link without a queue, and with each kind of queue that the engine distinguishes.
fn each_kind() -> [Link; 4] {
    [
        link(),
        behind("droptail"),
        behind("droptail:limit=100000 bytes"),
        behind("fq-codel"),
    ]
}

#[test]
fn a_packet_takes_transmission_time_and_propagation_delay() {
    for link in each_kind() {
        let (mut run, from, to) = over(link, ms(1000));
        run.add(regular(from, to, ms(5)).at(us(250)));
        let results = run.results().unwrap();
        close(mean_delay(&results), 0.011);
        let times = left_at(&results);
        assert_eq!(times[..3], [us(1250), us(6250), us(11250)]);
        // 200 were sent, and the last two had not arrived at the end.
        assert_eq!((times.len(), results.flows[0].received), (200, 198));
        close(results.flows[0].throughput, 198.0 * 8000.0);
    }
}

/// A link of this rate whose queue holds hardly more than a nanosecond's worth of packets.
fn fast(kind: &Link, gbps: u64) -> Link {
    Link {
        rate: BitsPerSec(gbps * 1_000_000_000),
        delay: Nanos(700),
        ..kind.clone()
    }
}

/// Packets of 64 bytes take 51.2 to 0.32 ns. Offered at the link's rate, as many of them arrive as
/// take the measured time, give or take one at each end of it.
#[test]
fn fast_links_send_at_their_whole_rate() {
    const PACKETS: f64 = 200_000.0;
    for (gbps, kind, flows) in [10, 40, 100, 400, 1600]
        .into_iter()
        .flat_map(|gbps| each_kind().map(|kind| (gbps, kind)))
        .flat_map(|(gbps, kind)| [1, 2].map(|flows| (gbps, kind.clone(), flows)))
    {
        let time = 512.0 / gbps as f64;
        let measured = Nanos((PACKETS * time) as u64);
        let link = fast(&kind, gbps);
        let rate = BitsPerSec(link.rate.0 / flows);
        let (mut run, from, to) = over(link, Nanos(2000) + measured);
        run.measure.captures.clear();
        run.measure.warm_up = Nanos(2000);
        for _ in 0..flows {
            run.add(Flow::datagrams(
                from,
                to,
                Bytes(64),
                rate,
                Pattern::Constant,
            ));
        }
        let results = run.results().unwrap();
        let case = format!("{gbps} Gbps, {:?}, {flows} flows", kind.queue);
        let received: u64 = results.flows.iter().map(|flow| flow.received).sum();
        let sent = measured.0 as f64 / time;
        assert!(
            (received as f64 - sent).abs() <= 2.0,
            "{case}: {received} of {sent}"
        );
        for queue in &results.queues {
            assert_eq!(queue.counters.dropped().packets, 0, "{case}");
            let idle = 1.0 - queue.utilisation;
            assert!(idle.abs() <= 2.0 / PACKETS, "{case}: idle {idle}");
        }
    }
}

/// A quarter of the rate, of packets that never wait: each takes 0.32 of 1.28 ns.
#[test]
fn a_fast_link_that_is_idle_between_packets_counts_their_exact_time() {
    for kind in each_kind() {
        let (mut run, from, to) = over(fast(&kind, 1600), us(200));
        run.measure.captures.clear();
        let quarter = BitsPerSec(400_000_000_000);
        run.add(Flow::datagrams(
            from,
            to,
            Bytes(64),
            quarter,
            Pattern::Constant,
        ));
        for queue in run.results().unwrap().queues {
            let off = queue.utilisation - 0.25;
            assert!(off.abs() < 1e-5, "{:?}: {off}", kind.queue);
        }
    }
}

#[test]
fn packets_wait_in_order() {
    for link in each_kind() {
        let (mut run, from, to) = over(link, ms(1000));
        // Three hosts' worth of traffic at 0.9 of the rate: each waits for those before.
        for start in [0, 100, 200] {
            run.add(regular(from, to, us(3200)).at(us(start)));
        }
        let results = run.results().unwrap();
        let times = left_at(&results);
        assert_eq!(times[..4], [ms(1), ms(2), ms(3), us(4200)]);
        let delays = results
            .flows
            .iter()
            .map(|f| f.delays.as_ref().unwrap().mean());
        let delays: Vec<f64> = delays.collect();
        close(delays[0], 0.011);
        close(delays[1], 0.0119);
        close(delays[2], 0.0128);
    }
}

#[test]
fn a_queue_that_is_full_drops_and_what_it_holds_is_measured() {
    // Of ten packets, one is sent at once, five wait, four are dropped. The k-th that waits
    // arrives k us after the burst's first, and its transmission begins k ms after it.
    let waited = 15.0 * 0.999e-3;
    for queue in ["droptail:limit=5", "droptail:limit=5000 bytes"] {
        for (warm_up, counted) in [(Nanos::ZERO, 10), (ms(500), 5)] {
            let (mut run, from, to) = over(behind(queue), ms(1000));
            run.measure.warm_up = warm_up;
            run.add(bursts(from, to));
            let results = run.results().unwrap();
            let queue = &results.queues[0];
            assert_eq!(queue.counters.arrived.packets, 10 * counted);
            assert_eq!(queue.counters.departed.packets, 6 * counted);
            let forced = queue.counters.dropped_for(DropReason::Forced);
            assert_eq!(
                (forced.packets, forced.bytes),
                (4 * counted, 4000 * counted)
            );
            assert_eq!(queue.longest, 5);
            close(queue.mean_packets, waited / 0.1);
            close(queue.utilisation, 0.06);
            assert_eq!(queue.mean_sojourn, Some(Nanos(2_497_500)));
            let sojourn = queue.sojourn.as_ref().unwrap();
            assert_eq!(sojourn.count(), 6 * counted);
            // To three digits.
            assert!(sojourn.quantile(1.0).0.abs_diff(4_995_000) < 5000);
            let flow = &results.flows[0];
            assert_eq!((flow.received, flow.lost), (6 * counted, 4 * counted));
            // A capture includes the warm-up.
            assert_eq!(results.captures[0].len(), 60);
        }
    }
}

#[test]
fn samples_show_the_queue_as_it_was() {
    for queue in ["droptail:limit=5", "droptail:limit=5000 bytes"] {
        let (mut run, from, to) = over(behind(queue), ms(1000));
        run.measure.sample_every = Some(ms(1));
        run.measure.arrivals_every = Some(ms(500));
        run.measure.departures_every = Some(ms(1));
        run.add(bursts(from, to));
        let results = run.results().unwrap();
        let queue = &results.queues[0];
        let arrivals = &queue.arrivals.as_ref().unwrap().groups;
        // Dropped packets have arrived, too.
        let tallies = arrivals.iter().flat_map(|(_, arrived)| arrived);
        let bytes: u64 = tallies.map(|arrived| arrived.bytes).sum();
        assert_eq!(bytes, queue.counters.arrived.bytes);
        // They have not departed.
        let departures = &queue.departures.as_ref().unwrap().groups;
        let tallies = departures.iter().flat_map(|(_, departed)| departed);
        let bytes: u64 = tallies.map(|departed| departed.bytes).sum();
        assert_eq!(bytes, queue.counters.departed.bytes);
        assert!(bytes < queue.counters.arrived.bytes);
        // The burst arrives just after 50 ms and leaves at a packet a millisecond.
        let bytes = departures[0].1[49..57]
            .iter()
            .map(|departed| departed.bytes);
        let expected = [0, 1000, 1000, 1000, 1000, 1000, 1000, 0];
        assert!(bytes.eq(expected), "{:?}", departures[0].1);
        let samples = results.queues[0].samples.as_ref().unwrap();
        // From 0 to 1000 ms. The burst arrives just after the sample at 50 ms.
        assert_eq!(samples.packets.len(), 1001);
        assert_eq!(samples.packets[50..57], [0, 5, 4, 3, 2, 1, 0]);
        assert_eq!(samples.bytes[50..53], [0, 5000, 4000]);
        let dropped_at = |row: usize| samples.dropped[row];
        let total = results.queues[0].counters.dropped().packets;
        assert_eq!((dropped_at(50), dropped_at(1000)), (0, total));
        assert!(dropped_at(51) > 0);
        assert_eq!(samples.marked[1000], 0);
    }
}

#[test]
fn every_probe_is_sampled() {
    for scheme in SCHEMES {
        let (mut run, from, to) = over(behind(scheme.name), ms(300));
        run.measure.sample_every = Some(ms(10));
        run.add(bursts(from, to));
        let results = run.results().unwrap();
        let samples = results.queues[0].samples.as_ref().unwrap();
        for (name, values) in &samples.probes {
            assert_eq!(values.len(), 31, "{} of {}", name, scheme.name);
            assert_eq!(samples.probe(name), Some(values.as_slice()));
        }
        let sampled = samples.probes.len();
        assert!(
            sampled >= scheme.probes.len(),
            "{sampled} of {}",
            scheme.name
        );
    }
}

#[test]
fn cwnd_is_sampled_at_every_interval() {
    let (mut run, from, to) = over(behind("droptail"), ms(1000));
    run.measure.sample_every = Some(ms(10));
    run.measure.windows = vec![FlowId(1)];
    let profile = Arc::new(Profile::ns2(Recovery::Reno));
    run.add(Flow::bulk(from, to, &profile));
    run.add(Flow::bulk(from, to, &profile).at(ms(500)));
    let results = run.results().unwrap();
    let (flow, windows) = &results.windows[0];
    assert_eq!((*flow, windows.len()), (FlowId(1), 101));
    assert!(windows[..50].iter().all(|window| *window == windows[0]));
    assert!(windows[100] > windows[0]);
}

/// M/D/1: packets of equal size at random times, at half the rate, wait for
/// rho / (2 (1 - rho)) = half a transmission time on average.
///
/// A burst of no length is one packet, and pauses are exponential. The mean of 10^6 waiting times
/// has a standard deviation of at most 0.9% (that of exponential sizes; constant ones have less),
/// so 4% fails by chance less than once in 10^5 seeds.
#[test]
fn random_arrivals_wait_as_queueing_theory_says() {
    let (mut run, from, to) = over(behind("droptail"), Nanos::from_secs(2000));
    run.measure.captures.clear();
    // Bursts of one packet, which takes a nanosecond.
    let pattern = Pattern::OnOff {
        on: Spread::constant(Nanos(1)),
        off: Spread::new(ms(2), Law::Exponential),
    };
    let rate = BitsPerSec::from_mbps(8_000_000);
    run.add(Flow::datagrams(from, to, Bytes(1000), rate, pattern));
    let results = run.results().unwrap();
    let queue = &results.queues[0];
    let wait = queue.mean_sojourn.unwrap().as_secs_f64();
    assert!((wait - 0.5e-3).abs() < 0.04 * 0.5e-3, "{wait} s");
    assert!(
        (queue.utilisation - 0.5).abs() < 0.005,
        "{}",
        queue.utilisation
    );
    // Little's law is exact except for packets that wait at the end.
    let arrived = queue.counters.arrived.packets as f64;
    let little = arrived / results.measured.as_secs_f64() * wait;
    assert!((queue.mean_packets - little).abs() < 1e-3 * little);
}

/// Of 20,000 packets a tenth is lost. The standard deviation is 42.4 packets, so a difference of
/// 200 is exceeded by chance less than once in 10^5 seeds.
#[test]
fn packets_are_lost_at_random() {
    for link in each_kind() {
        let (mut run, from, to) = over(link.losing(0.1), Nanos::from_secs(40));
        run.add(regular(from, to, ms(2)).at(us(1)));
        let results = run.results().unwrap();
        let flow = &results.flows[0];
        assert!(flow.lost.abs_diff(2000) < 200, "{}", flow.lost);
        assert_eq!(results.totals.sent.packets, 20_000);
        // Packets in flight at the end are neither.
        assert!(20_000 - flow.lost - flow.received <= 6);
        assert_eq!(results.captures[0].len(), 20_000);
    }
}

/// Half the packets are held back by 5 ms on average: 2.5 ms over all, with a standard deviation
/// of sqrt(100/6 - 2.5^2) = 3.2 ms. That of the mean of 10,000 is 0.032 ms, and 0.15 ms is exceeded
/// by chance less than once in 10^5 seeds.
#[test]
fn reordered_packets_are_held_back() {
    for link in each_kind() {
        let (mut run, from, to) = over(link.reordering(0.5, ms(10)), Nanos::from_secs(20));
        run.add(regular(from, to, ms(2)));
        let results = run.results().unwrap();
        let mean = mean_delay(&results);
        assert!((mean - 0.0135).abs() < 0.15e-3, "{mean}");
        assert_eq!(results.flows[0].lost, 0);
    }
}

#[test]
fn reordering_makes_tcp_retransmit() {
    let retransmissions = |share: f64| {
        let link = behind("droptail").reordering(share, ms(30));
        let (mut run, from, to) = over(link, Nanos::from_secs(10));
        run.add(Flow::bulk(
            from,
            to,
            &Profile::ns2(Recovery::NewReno).into(),
        ));
        let results = run.results().unwrap();
        assert_eq!(results.totals.dropped.packets, 0);
        results.flows[0].sender.retransmissions
    };
    assert_eq!(retransmissions(0.0), 0);
    assert!(retransmissions(0.2) > 10);
}

#[test]
fn a_rate_change_applies_from_the_next_packet_on() {
    let link = behind("droptail:limit=10");
    let link = link.changing(us(100_300), Change::Rate(BitsPerSec::from_mbps(4)));
    let (mut run, from, to) = over(link, ms(200));
    run.add(regular(from, to, us(900)));
    let results = run.results().unwrap();
    let times = left_at(&results);
    // The packet being sent from 100 to 101 ms keeps its time.
    assert_eq!(times[99..103], [ms(100), ms(101), ms(103), ms(105)]);
    assert_eq!(times.len(), 101 + 49);
}

#[test]
fn a_shorter_delay_lets_nothing_overtake() {
    let link = link().changing(us(1_000_500), Change::Delay(ms(2)));
    let (mut run, from, to) = over(link, ms(2000));
    run.add(regular(from, to, ms(2)));
    let results = run.results().unwrap();
    // The packet sent at 1000 ms arrives at 1011. Those sent 2, 4 and 6 ms later would arrive
    // before it, and arrive with it.
    let received = results.flows[0].received;
    let before = 501.0;
    let sum = before * 11.0 + 9.0 + 7.0 + 5.0 + (received as f64 - before - 3.0) * 3.0;
    close(mean_delay(&results), sum / 1000.0 / received as f64);
}

#[test]
fn the_queue_of_a_link_that_is_down_fills_up() {
    let link = behind("droptail:limit=20")
        .changing(us(100_500), Change::Down)
        .changing(us(200_500), Change::Up);
    let (mut run, from, to) = over(link, ms(400));
    run.add(regular(from, to, ms(4)));
    let results = run.results().unwrap();
    // The packet sent at 100 ms is through at 101 ms. 25 arrive until the link is up again.
    let times = left_at(&results);
    assert_eq!(times[25], ms(101));
    let next: Vec<Nanos> = (0..3).map(|k| us(201_500 + 1000 * k)).collect();
    assert_eq!(times[26..29], next);
    assert_eq!(results.queues[0].counters.dropped().packets, 5);
    assert_eq!(results.queues[0].longest, 20);
    assert_eq!(times.len(), 100 - 5);
}

#[test]
fn a_trace_gives_the_times_of_departures() {
    // 12 Mbps: an opportunity for 1,500 bytes each millisecond.
    let left = |size: u64, interval: Nanos| {
        let link = behind("droptail:limit=50").following("1".parse().unwrap());
        let (mut run, from, to) = over(link, ms(1000));
        let rate = BitsPerSec(size * 8_000_000_000 / interval.0);
        run.add(Flow::datagrams(from, to, Bytes(size), rate, Pattern::Constant).at(us(100)));
        left_at(&run.results().unwrap())
    };
    let full = left(1500, us(500));
    assert_eq!(full.len(), 1000);
    assert!(full.iter().zip(1..).all(|(at, k)| *at == ms(k)));
    // Three packets of 500 bytes leave together.
    let small = left(500, us(300));
    assert_eq!(small[3..9], [ms(2), ms(2), ms(2), ms(3), ms(3), ms(3)]);
    // A packet of 2,000 bytes takes the rest of one opportunity and part of the next.
    let large = left(2000, us(900));
    assert_eq!(large[..4], [ms(2), ms(3), ms(4), ms(6)]);
    // Opportunities are lost while nothing waits.
    let seldom = left(1500, ms(10));
    assert_eq!(seldom[..3], [ms(1), ms(11), ms(21)]);
}

#[test]
fn a_trace_repeats() {
    let link = behind("droptail:limit=50").following("2\n3\n3\n7".parse().unwrap());
    let (mut run, from, to) = over(link, ms(1000));
    run.add(Flow::datagrams(
        from,
        to,
        Bytes(1500),
        BitsPerSec::from_mbps(24),
        Pattern::Constant,
    ));
    let times = left_at(&run.results().unwrap());
    assert_eq!(times[..8], [2, 3, 3, 7, 9, 10, 10, 14].map(ms));
}

#[test]
fn loss_events_hit_flows_together_or_alone() {
    // Two flows whose bursts arrive together share their losses. A flow that sends a single packet
    // before the other's bursts loses none.
    let flows_hit = |alone: bool| {
        let (mut run, from, to) = over(behind("droptail:limit=5"), ms(1000));
        run.measure.loss_event = Some(ms(50));
        run.add(bursts(from, to));
        match alone {
            true => run.add(regular(from, to, ms(100)).at(ms(49))),
            false => run.add(bursts(from, to).at(Nanos(50_000_500))),
        };
        run.results().unwrap().queues[0].flows_per_loss_event
    };
    assert_eq!(flows_hit(false), 2.0);
    assert_eq!(flows_hit(true), 1.0);
}

#[test]
fn each_queue_counts_its_own_loss_events() {
    // The same flow loses packets at both queues within the same event.
    let mut network = Network::new();
    let nodes = ["a", "b", "c"].map(|name| network.node(name));
    network.link(nodes[0], nodes[1], behind("droptail:limit=5"));
    let slower = Link::new(BitsPerSec::from_mbps(2), ms(1));
    network.link(
        nodes[1],
        nodes[2],
        slower.queue("droptail:limit=1".parse().unwrap()),
    );
    network.link(nodes[2], nodes[0], link());
    let mut run = Run::new(network, ms(1000));
    run.measure.loss_event = Some(ms(50));
    run.add(bursts(nodes[0], nodes[2]));
    let results = run.results().unwrap();
    for queue in &results.queues {
        assert!(queue.counters.dropped().packets > 0, "{}", queue.name);
        assert_eq!(queue.flows_per_loss_event, 1.0, "{}", queue.name);
    }
}

/// Packets that leave at one opportunity arrive in the same nanosecond, and in order: TCP, which
/// takes reordering for loss, retransmits nothing.
#[test]
fn packets_of_one_opportunity_arrive_in_order() {
    for delay in [Nanos::ZERO, Nanos(1), Nanos(638_525), ms(7)] {
        for recovery in [Recovery::Reno, Recovery::Sack] {
            let trace = "6\n8\n8\n9\n11\n11\n11\n15\n15\n22".parse().unwrap();
            let link = Link::new(BitsPerSec::from_mbps(8), delay).following(trace);
            let mut network = Network::new();
            let (from, to) = (network.node("from"), network.node("to"));
            network.duplex(from, to, link);
            let mut run = Run::new(network, ms(5000));
            let profile = Profile {
                segment_size: 400,
                receiver_window: 15,
                ..Profile::ns2(recovery)
            };
            run.add(Flow::bulk(from, to, &profile.into()).at(Nanos(68_203_752)));
            let results = run.results().unwrap();
            assert!(results.flows[0].received > 1000);
            assert_eq!(
                results.flows[0].sender.retransmissions, 0,
                "{delay}, {recovery:?}"
            );
        }
    }
}
