//! Switches of data centres: shared buffers, packet spraying, and incast.

use std::sync::Arc;

use earlydrop::aqm::DropReason;
use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_sim::Run;
use earlydrop_sim::network::{Dumbbell, Link, LinkId, Network, Node, SharedBuffer};
use earlydrop_sim::results::Results;
use earlydrop_sim::spread::Spread;
use earlydrop_sim::tcp::{Algorithm, HyStartKind, LossDetection, Profile};
use earlydrop_sim::traffic::{Application, Flow, Incast, Pattern, Start, Step};

/// A switch with so many hosts on links of 1 Gbps and 1 us, whose ports to them have `queue`.
struct Star {
    network: Network,
    switch: Node,
    hosts: Vec<Node>,
    ports: Vec<LinkId>,
}

fn star(hosts: u32, queue: &str) -> Star {
    let mut network = Network::new();
    let switch = network.node("switch");
    let link = || Link::new(BitsPerSec::from_mbps(1000), Nanos::from_micros(1));
    let (mut nodes, mut ports) = (Vec::new(), Vec::new());
    for host in 0..hosts {
        let node = network.node(format!("host {host}"));
        network.link(node, switch, link());
        ports.push(network.link(switch, node, link().queue(queue.parse().unwrap())));
        nodes.push(node);
    }
    Star {
        network,
        switch,
        hosts: nodes,
        ports,
    }
}

impl Star {
    fn sharing(mut self, size: u64, alpha: f64) -> Star {
        let size = Bytes(size);
        let buffer = SharedBuffer { size, alpha };
        self.network.share_buffer(self.switch, buffer);
        self
    }
}

/// Datagrams of 1000 bytes at 1 Gbps.
fn flood(from: Node, to: Node) -> Flow {
    let rate = BitsPerSec::from_mbps(1000);
    Flow::datagrams(from, to, Bytes(1000), rate, Pattern::Constant)
}

fn refused(results: &Results, port: LinkId) -> u64 {
    let queue = results.queue(port).unwrap();
    let refused = queue.shared_buffer.unwrap().refused;
    // The queue's own limit is never reached.
    assert_eq!(queue.counters.dropped_for(DropReason::Forced), refused);
    refused.packets
}

/// Two hosts send 1 Gbps each to one port of 1 Gbps, for each of n ports: its queue grows until it
/// is `alpha B / (1 + alpha n)` (Choudhury & Hahne, equation 4).
#[test]
fn congested_ports_share_the_buffer_by_the_dynamic_threshold() {
    const BUFFER: u64 = 120_000;
    for (ports, alpha, each) in [
        (1, 1.0, 60),
        (2, 1.0, 40),
        (3, 1.0, 30),
        (1, 2.0, 80),
        (2, 2.0, 48),
        (2, 0.5, 30),
    ] {
        let star = star(9, "droptail:limit=100000").sharing(BUFFER, alpha);
        let mut run = Run::new(star.network.clone(), Nanos::from_millis(20));
        run.measure.warm_up = Nanos::from_millis(10);
        for port in 0..ports {
            for sender in 0..2 {
                let from = star.hosts[3 + 2 * port + sender];
                run.add(flood(from, star.hosts[port]));
            }
        }
        let results = run.results().unwrap();
        let what = format!("{ports} ports, alpha {alpha}");
        for port in 0..ports {
            let queue = results.queue(star.ports[port]).unwrap();
            // A packet is admitted below the threshold, so the queue may exceed it by one.
            let longest = queue.longest;
            assert!((each..=each + 1).contains(&longest), "{longest} {what}");
            let mean = queue.mean_packets;
            assert!((mean - f64::from(each)).abs() < 1.5, "{mean} {what}");
            // 1250 of 2500 packets in 10 ms.
            let lost = refused(&results, star.ports[port]);
            assert!((1248..=1252).contains(&lost), "{lost} {what}");
        }
        let peak = results.queue(star.ports[0]).unwrap().shared_buffer.unwrap();
        let (peak, total) = (peak.peak.0, ports as u64 * u64::from(each) * 1000);
        assert!(
            (total..=total + 1000 * ports as u64).contains(&peak),
            "{peak} {what}"
        );
    }
}

/// Ten packets arrive at once at an idle port with B = 4500 bytes and alpha = 1. The first is sent
/// at once. Then: queue 0 < 4500, 1000 < 3500, 2000 < 2500, but 3000 >= 1500.
#[test]
fn the_first_packet_beyond_the_threshold_is_refused() {
    for (size, alpha, admitted) in [
        (4500, 1.0, 4),
        // 2000 >= 2000: equal is refused.
        (4000, 1.0, 3),
        // 0 < 450, 1000 >= 350.
        (4500, 0.1, 2),
        // Below the threshold up to 4000 bytes, but a fifth packet does not fit into 500.
        (4500, 16.0, 5),
    ] {
        let star = star(11, "droptail:limit=1000").sharing(size, alpha);
        let mut run = Run::new(star.network.clone(), Nanos::from_micros(30));
        for sender in &star.hosts[1..] {
            let flow = flood(*sender, star.hosts[0]);
            run.add(flow.then(Nanos(1), Step::Stop));
        }
        let results = run.results().unwrap();
        assert_eq!(
            refused(&results, star.ports[0]),
            10 - admitted,
            "{size} {alpha}"
        );
    }
}

/// A queue that other ports' packets fill leaves less to a port that has none.
#[test]
fn a_port_sees_what_waits_at_others() {
    let alone = |others: bool| {
        let star = star(9, "droptail:limit=1000").sharing(60_000, 4.0);
        let mut run = Run::new(star.network.clone(), Nanos::from_millis(10));
        for sender in [3, 4] {
            run.add(flood(star.hosts[sender], star.hosts[0]));
        }
        for sender in [5, 6] {
            if others {
                run.add(flood(star.hosts[sender], star.hosts[1]));
            }
        }
        run.results().unwrap().queue(star.ports[0]).unwrap().longest
    };
    // alpha B / (1 + alpha n): 48 packets, and 26.7.
    assert!((48..=49).contains(&alone(false)));
    assert!((26..=28).contains(&alone(true)));
}

#[test]
fn a_buffer_without_room_is_no_buffer() {
    for (size, alpha) in [(0, 1.0), (1000, 0.0), (1000, f64::NAN)] {
        let star = star(2, "droptail").sharing(size, alpha);
        let run = Run::new(star.network, Nanos::from_millis(1));
        let problem = run.results().unwrap_err().to_string();
        assert!(problem.contains("the shared buffer of switch"), "{problem}");
    }
}

/// A link that waits for slots has a queue of its own even where none is described.
#[test]
fn links_without_a_queue_take_no_part() {
    let flows = |sharing: bool| {
        let mut star = star(2, "droptail");
        if sharing {
            star = star.sharing(1500, 0.25);
        }
        for port in star.ports {
            let link = star.network.get_mut(port);
            *link = Link {
                queue: None,
                ..link.clone().slotted(Nanos(1777))
            };
        }
        let mut run = Run::new(star.network, Nanos::from_millis(1));
        run.add(Flow::bulk(star.hosts[0], star.hosts[1], &eager()));
        let results = run.results().unwrap();
        assert!(results.queues.iter().all(|q| q.shared_buffer.is_none()));
        format!("{:?}", results.flows)
    };
    assert_eq!(flows(true), flows(false));
}

/// A sender that sends all of an answer at once.
fn eager() -> Arc<Profile> {
    let mut profile = Profile::modern(Algorithm::Reno);
    profile.initial_window = 100_000;
    profile.receiver_window = 100_000;
    profile.delayed_acks = None;
    // No tail loss probes while answers wait in the client's queue.
    profile.loss_detection = LossDetection::DupAck;
    Arc::new(profile)
}

/// Servers at all hosts but the first, which asks them.
fn incast(star: &Star, profile: &Arc<Profile>, size: u64, rounds: u32) -> Run {
    let mut run = Run::new(star.network.clone(), Nanos::from_secs(2));
    for server in &star.hosts[1..] {
        let application = Application::Incast(Incast {
            client: 0,
            request: Bytes(100),
            response: Spread::constant(Bytes(size)),
            think: Spread::constant(Nanos::from_micros(50)),
            rounds: Some(rounds),
        });
        run.add(Flow::tcp(*server, star.hosts[0], profile, application));
    }
    run
}

#[test]
fn a_round_begins_once_all_servers_have_answered() {
    let star = star(9, "droptail:limit=10000");
    let results = incast(&star, &eager(), 14_480, 20).results().unwrap();
    assert_eq!(results.rounds.len(), 20);
    assert_eq!(results.completions.len(), 8 * 20);
    for (number, round) in results.rounds.iter().enumerate() {
        let answers = &results.completions[8 * number..8 * number + 8];
        assert_eq!((round.answers, round.bytes), (8, Bytes(8 * 14_480)));
        assert!(answers.iter().all(|answer| answer.began == round.began));
        assert_eq!(answers.last().unwrap().ended, round.ended);
        if let Some(next) = results.rounds.get(number + 1) {
            assert_eq!(next.began, round.ended + Nanos::from_micros(50));
        }
    }
    // After the first round, with its SYNs: eight requests of 800 ns follow each other to the
    // switch (1.8 us), and to the servers (1.8 us). The first answer's first segment of 1500 bytes
    // (12 us) is at the client's port 13 us later, and 80 segments are sent there (960 us + 1 us).
    let by_hand = 1800 + 1800 + 13_000 + 80 * 12_000 + 1000;
    for round in &results.rounds[1..] {
        let (span, ideal) = (round.span().0, round.ideal.0);
        assert!(span.abs_diff(by_hand) < 100, "{span} {by_hand}");
        assert!(ideal.abs_diff(by_hand) < 100, "{ideal} {by_hand}");
    }
    let reference = incast(&star, &eager(), 14_480, 20).start().unwrap();
    assert_eq!(reference.reference_engine().finish().rounds, results.rounds);
}

/// Phanishayee et al., FAST 2008: answers of many servers overflow a small buffer, whole windows are
/// lost, and rounds wait for a timeout of 200 ms. A large buffer takes all answers.
#[test]
fn goodput_collapses_where_the_buffer_is_small() {
    let profile = Arc::new(Profile::modern(Algorithm::Reno));
    let goodput = |buffer: u64| {
        let star = star(33, "droptail:limit=10000").sharing(buffer, 1.0);
        let mut run = incast(&star, &profile, 32_000, 10);
        run.duration = Nanos::from_secs(20);
        let results = run.results().unwrap();
        assert_eq!(results.rounds.len(), 10);
        let time: f64 = results
            .rounds
            .iter()
            .map(|round| round.span().as_secs_f64())
            .sum();
        let bytes: u64 = results.rounds.iter().map(|round| round.bytes.0).sum();
        (bytes as f64 * 8.0 / time, refused(&results, star.ports[0]))
    };
    let (small, lost) = goodput(64_000);
    let (big, none) = goodput(16_000_000);
    assert!(lost > 0 && none == 0, "{lost} {none}");
    assert!(small < 0.2e9 && big > 0.85e9, "{small} {big}");
}

/// Servers that are stopped do not answer: the round waits until they resume.
#[test]
fn a_stopped_server_holds_the_barrier() {
    let star = star(5, "droptail:limit=10000");
    let mut run = incast(&star, &eager(), 14_480, 20);
    let (stop, resume) = (Nanos::from_millis(3), Nanos::from_millis(500));
    let stopped = run.flows.remove(2);
    run.flows
        .insert(2, stopped.then(stop, Step::Stop).then(resume, Step::Resume));
    let results = run.results().unwrap();
    assert_eq!(results.rounds.len(), 20);
    let held: Vec<_> = results
        .rounds
        .iter()
        .filter(|round| round.began < resume && round.ended > resume)
        .collect();
    assert_eq!(held.len(), 1);
    assert!(held[0].span() > Nanos::from_millis(490));
    for pair in results.rounds.windows(2) {
        assert_eq!(pair[1].began, pair[0].ended + Nanos::from_micros(50));
    }
}

/// Hosts take random times before each packet, so that no two packets meet in a nanosecond.
#[test]
fn the_reference_engine_sees_the_same_buffer() {
    let profile = Arc::new(Profile::modern(Algorithm::Dctcp));
    let star = star(17, "red:min=5,max=30,ecn=on").sharing(100_000, 0.5);
    let mut run = incast(&star, &profile, 32_000, 5);
    for flow in &mut run.flows {
        flow.overhead = Nanos::from_micros(10);
    }
    let (fast, reference) = (run.start().unwrap(), run.start().unwrap());
    let (fast, reference) = (fast.finish(), reference.reference_engine().finish());
    assert_eq!(fast.rounds, reference.rounds);
    for (a, b) in fast.queues.iter().zip(&reference.queues) {
        assert_eq!(
            (&a.counters, a.shared_buffer),
            (&b.counters, b.shared_buffer)
        );
    }
    assert!(refused_any(&fast) > 0);
}

/// What the buffer refused at all ports.
fn refused_any(results: &Results) -> u64 {
    let queues = results.queues.iter();
    let refused = queues.filter_map(|queue| queue.shared_buffer.map(|b| b.refused.packets));
    refused.sum()
}

#[test]
fn servers_of_a_client_start_together() {
    let star = star(3, "droptail");
    let mut run = incast(&star, &eager(), 1000, 1);
    run.flows[1].start = Start::At(Nanos(5));
    let problem = run.results().unwrap_err().to_string();
    assert!(problem.contains("start together"), "{problem}");
}

/// Four leaves' worth of spines between two leaves with two hosts each.
fn sprayed(spines: u32, spraying: bool) -> (Run, Vec<String>) {
    let mut network = Network::new();
    network.multipath = true;
    network.spraying = spraying;
    let link = || Link::new(BitsPerSec::from_mbps(1000), Nanos::from_micros(1));
    let queued = || link().queue("droptail:limit=1000".parse().unwrap());
    let leaves = [network.node("leaf 0"), network.node("leaf 1")];
    let mut names = Vec::new();
    for spine in 0..spines {
        let node = network.node(format!("spine {spine}"));
        for leaf in leaves {
            network.duplex(leaf, node, queued());
        }
        names.push(format!("leaf 0 to spine {spine}"));
    }
    let mut host = |leaf| {
        let host = network.node("host");
        network.link(host, leaf, link());
        network.link(leaf, host, queued());
        host
    };
    let (from, to) = (host(leaves[0]), host(leaves[1]));
    let mut run = Run::new(network, Nanos::from_millis(500));
    let profile = Arc::new(Profile::modern(Algorithm::Cubic));
    run.add(Flow::tcp(
        from,
        to,
        &profile,
        Application::Transfer(Bytes(28_960_000)),
    ));
    (run, names)
}

/// 20,000 segments of one connection over each number of spines: chi-square of their counts is
/// below its 99.9% quantile.
#[test]
fn packets_are_sprayed_evenly_over_all_shortest_routes() {
    for (spines, quantile) in [(2, 10.83), (4, 16.27), (7, 22.46)] {
        let (run, names) = sprayed(spines, true);
        let results = run.results().unwrap();
        assert_eq!(results.completions.len(), 1);
        let count = |name: &String| {
            let queue = results.queues.iter().find(|queue| queue.name == *name);
            queue.unwrap().counters.departed.packets as f64
        };
        let counts: Vec<f64> = names.iter().map(count).collect();
        let all: f64 = counts.iter().sum();
        assert!(all >= 20_000.0, "{all}");
        let expected = all / f64::from(spines);
        let chi_square: f64 = counts
            .iter()
            .map(|c| (c - expected).powi(2) / expected)
            .sum();
        assert!(chi_square < quantile, "{counts:?}: {chi_square}");
        // Another run of the same seed draws the same routes; one of another seed others.
        let again = run.results().unwrap();
        assert_eq!(again.completions, results.completions);
        assert_eq!(again.totals, results.totals);
        let other = run.clone().seed(2).results().unwrap();
        assert_ne!(
            names
                .iter()
                .map(|name| {
                    other
                        .queues
                        .iter()
                        .find(|q| q.name == *name)
                        .unwrap()
                        .counters
                        .departed
                        .packets as f64
                })
                .collect::<Vec<_>>(),
            counts
        );
        let reference = run.start().unwrap().reference_engine().finish();
        assert_eq!(reference.completions, results.completions);
        // RACK waits for what was overtaken: nothing is lost, and little is retransmitted.
        let flow = &results.flows[0];
        assert_eq!((flow.lost, flow.sender.timeouts), (0, 0));
        let retransmitted = flow.sender.retransmissions;
        assert!(
            f64::from(retransmitted) < 0.01 * all,
            "{retransmitted} of {all}"
        );
    }
}

#[test]
fn without_spraying_a_connection_takes_one_route() {
    let (run, names) = sprayed(4, false);
    let results = run.results().unwrap();
    let carries = |name: &&String| {
        let mut queues = results.queues.iter();
        queues.any(|queue| queue.name == **name && queue.counters.departed.packets > 0)
    };
    assert_eq!(names.iter().filter(carries).count(), 1);
}

/// A step drops what it cannot mark. Handshakes and acknowledgments of DCTCP are ECN-capable, as
/// in Linux, so that every flow gets its share.
#[test]
fn forty_dctcp_flows_share_a_step() {
    let link = Link::new(BitsPerSec::from_mbps(10_000), Nanos::from_micros(25));
    let there = link
        .clone()
        .queue("step:threshold=65 packets".parse().unwrap());
    let mut dumbbell = Dumbbell::new(there, link);
    let profile = Arc::new(Profile::modern(Algorithm::Dctcp));
    let hosts: Vec<_> = (0..40)
        .map(|_| dumbbell.pair(BitsPerSec::from_mbps(100_000), Nanos::from_micros(12)))
        .collect();
    let mut run = Run::new(dumbbell.network, Nanos::from_secs(2)).seed(11);
    run.measure.warm_up = Nanos::from_secs(1);
    for (index, (from, to)) in hosts.into_iter().enumerate() {
        let start = Nanos::from_micros(100 * index as u64);
        run.add(Flow::bulk(from, to, &profile).at(start));
    }
    let goodputs: Vec<f64> = run
        .results()
        .unwrap()
        .flows
        .iter()
        .map(|f| f.goodput)
        .collect();
    let (sum, squares) = goodputs
        .iter()
        .fold((0.0, 0.0), |(sum, squares), &goodput| {
            (sum + goodput, squares + goodput * goodput)
        });
    let jain = sum * sum / (40.0 * squares);
    assert!(jain > 0.99, "{jain}: {goodputs:?}");
}

/// 100 Mbps, 40 ms, a buffer of one BDP. Conservative slow start still grows by a quarter in each of
/// five round trips (RFC 9406, 4.2), so it overflows the buffer, too, by less.
#[test]
fn hystart_of_modern_cubic_loses_a_third_of_what_slow_start_loses() {
    let lost = |hystart| {
        let link = Link::new(BitsPerSec::from_mbps(100), Nanos::from_millis(10));
        let there = link.clone().queue("droptail:limit=333".parse().unwrap());
        let mut dumbbell = Dumbbell::new(there, link);
        let (from, to) = dumbbell.pair(BitsPerSec::from_mbps(10_000), Nanos::from_millis(5));
        let mut profile = Profile::modern(Algorithm::Cubic);
        profile.hystart = hystart;
        let mut run = Run::new(dumbbell.network, Nanos::from_millis(1000)).seed(1);
        run.add(Flow::bulk(from, to, &Arc::new(profile)).at(Nanos::ZERO));
        let flow = run.results().unwrap().flows.remove(0);
        flow.lost as f64 / f64::from(flow.sender.segments)
    };
    let shares = [HyStartKind::Off, HyStartKind::PlusPlus].map(lost);
    assert!(shares[0] > 0.15 && shares[1] < 0.07, "{shares:?}");
}

/// [`star`] whose hosts have network cards.
fn star_with_cards(hosts: u32) -> Star {
    let mut star = star(hosts, "droptail:limit=1000");
    for id in (0..2 * hosts).step_by(2).map(LinkId) {
        let link = star.network.get_mut(id);
        *link = link.clone().network_card();
    }
    star
}

/// The completion times of transfers of these sizes from the first host of `star` to the others.
fn sent_by_one(star: &Star, sizes: &[u64]) -> (Results, Vec<Nanos>) {
    let mut run = Run::new(star.network.clone(), Nanos::from_secs(1));
    let mut profile = Profile::modern(Algorithm::Dctcp);
    profile.delayed_acks = None;
    let profile = Arc::new(profile);
    for (size, to) in sizes.iter().zip(&star.hosts[1..]) {
        let transfer = Application::Transfer(Bytes(*size));
        let flow = Flow::tcp(star.hosts[0], *to, &profile, transfer);
        // The others begin when the first one fills the link.
        let start = Nanos::from_millis(20 * run.flows.len().min(1) as u64);
        run.add(flow.at(start));
    }
    let results = run.results().unwrap();
    let reference = run.start().unwrap().reference_engine().finish();
    assert_eq!(reference.completions, results.completions);
    let mut ended = results.completions.clone();
    ended.sort_by_key(|one| one.flow);
    let times = ended.iter().map(|one| one.span()).collect();
    (results, times)
}

#[test]
fn a_network_card_loses_nothing_and_holds_two_segments_of_each_sender() {
    let star = star_with_cards(4);
    let card = LinkId(0);
    // 10 MB at 1 Gbps: 83 ms with headers.
    let (results, times) = sent_by_one(&star, &[10_000_000]);
    let flow = &results.flows[0];
    assert_eq!((flow.lost, flow.sender.retransmissions), (0, 0));
    assert_eq!(results.queue(card).unwrap().longest, 2);
    assert!(
        results.completions[0].slowdown().unwrap() < 1.01,
        "{times:?}"
    );
    // Three senders share the link equally, packet by packet.
    let (results, times) = sent_by_one(&star, &[30_000_000, 5_000_000, 5_000_000]);
    assert!(results.queue(card).unwrap().longest <= 6);
    assert!(results.flows.iter().all(|flow| flow.lost == 0));
    let [one, other] = [times[1], times[2]].map(|time| time.as_secs_f64());
    assert!(
        (one / other - 1.0).abs() < 0.01 && (0.12..0.13).contains(&one),
        "{times:?}"
    );
}

#[test]
fn a_small_transfer_does_not_wait_behind_a_large_one_of_its_host() {
    // Alone, SYN and segment take two round trips of 4 links of 1 us, and 12 us a link.
    let of = |star: &Star| sent_by_one(star, &[30_000_000, 1000]).1[1];
    let with_cards = of(&star_with_cards(3));
    assert!(with_cards < Nanos::from_micros(120), "{with_cards}");
    let without = of(&star(3, "droptail:limit=1000"));
    assert!(without > Nanos::from_millis(1), "{without}");
}

#[test]
fn routes_over_the_network_card_of_another_host_are_refused() {
    let mut star = star_with_cards(2);
    *star.network.get_mut(star.ports[1]) = star.network.get(LinkId(0)).clone();
    let profile = Arc::new(Profile::modern(Algorithm::Dctcp));
    let mut run = Run::new(star.network, Nanos::from_secs(1));
    run.add(Flow::bulk(star.hosts[0], star.hosts[1], &profile));
    let problem = run.results().unwrap_err().to_string();
    assert!(
        problem.contains("switch to host 1, another host's network card"),
        "{problem}"
    );
}
