//! Flow lists, sizes by points, several shortest routes, and slowdown.

use std::sync::Arc;

use earlydrop::random::Pcg32;
use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_sim::Run;
use earlydrop_sim::distribution::Distribution;
use earlydrop_sim::network::{Change, Fabric, FabricLinks, Link, Network, Node};
use earlydrop_sim::paths::TransferPaths;
use earlydrop_sim::spread::Spread;
use earlydrop_sim::tcp::{Algorithm, Profile};
use earlydrop_sim::traffic::{Application, Flow, FlowId, ListedTransfer, Ports};

/// Two hosts with a router between them.
fn path(rate: BitsPerSec, delay: Nanos) -> (Network, Node, Node) {
    let mut network = Network::new();
    let (server, router, client) = (
        network.node("server"),
        network.node("router"),
        network.node("client"),
    );
    let fast = Link::new(BitsPerSec(10 * rate.0), delay);
    let slow = Link::new(rate, delay).queue("droptail:limit=10000".parse().unwrap());
    network.duplex(server, router, fast);
    network.duplex(router, client, slow);
    (network, server, client)
}

/// A sender that fills any path from its first round-trip time on.
fn eager() -> Arc<Profile> {
    let mut profile = Profile::modern(Algorithm::Reno);
    profile.initial_window = 100_000;
    profile.receiver_window = 100_000;
    profile.delayed_acks = None;
    Arc::new(profile)
}

/// The slowdowns of a flow's transfers, alone in a network.
fn alone(application: Application) -> Vec<f64> {
    let (network, server, client) = path(BitsPerSec::from_mbps(100), Nanos::from_millis(1));
    let mut run = Run::new(network, Nanos::from_secs(20));
    run.add(Flow::tcp(server, client, &eager(), application));
    let results = run.results().unwrap();
    assert!(results.completions.len() > 50);
    results
        .completions
        .iter()
        .filter_map(|c| c.slowdown())
        .collect()
}

#[test]
fn slowdown_in_an_empty_network_is_one() {
    let sizes: Distribution = "1 20\n1448 30\n50000 70\n500000 100".parse().unwrap();
    let size = || Spread::of(sizes.clone());
    let pause = || Spread::constant(Nanos::from_millis(50));
    let request = Bytes(400);
    for application in [
        Application::Web {
            ports: Ports::Same,
            size: size(),
            pause: pause(),
        },
        Application::Web {
            ports: Ports::New,
            size: size(),
            pause: pause(),
        },
        Application::Arrivals {
            every: Spread::constant(Nanos::from_millis(200)),
            size: size(),
            at_most: 10,
        },
        Application::Pages {
            request,
            size: size(),
            pause: pause(),
        },
        // What is uploaded before an answer goes in many segments.
        Application::Pages {
            request: Bytes(50_000),
            size: size(),
            pause: pause(),
        },
        Application::Requests {
            request,
            response: size(),
            think: pause(),
        },
    ] {
        let what = format!("{application:?}");
        let slowdowns = alone(application);
        let (least, most) = slowdowns
            .iter()
            .fold((f64::MAX, 0.0_f64), |(a, b), x| (a.min(*x), b.max(*x)));
        // Times are whole nanoseconds at each link; a SYN or a request may be larger than it is
        // taken for by the bytes of its headers.
        assert!((0.999..1.01).contains(&least), "{least} {what}");
        assert!((0.999..1.01).contains(&most), "{most} {what}");
    }
}

fn listed(start: u64, from: Node, to: Node, size: u64) -> ListedTransfer {
    ListedTransfer {
        start: Nanos::from_millis(start),
        from,
        to,
        size: Bytes(size),
    }
}

#[test]
fn listed_transfers_start_when_and_where_the_list_says() {
    let (network, server, client) = path(BitsPerSec::from_mbps(100), Nanos::from_millis(1));
    let list = [
        listed(10, server, client, 1000),
        listed(10, client, server, 3000),
        listed(2000, server, client, 500_000),
        listed(9000, client, server, 1),
    ];
    let mut run = Run::new(network, Nanos::from_secs(10));
    let application = Application::flow_list(list.to_vec());
    run.add(Flow::tcp(server, client, &eager(), application));
    let results = run.results().unwrap();
    let mut seen: Vec<(Nanos, u64)> = results
        .completions
        .iter()
        .map(|c| (c.began, c.bytes.0))
        .collect();
    seen.sort();
    let mut expected: Vec<_> = list.iter().map(|t| (t.start, t.size.0)).collect();
    expected.sort();
    assert_eq!(seen, expected);
    assert!(
        results
            .completions
            .iter()
            .all(|c| c.slowdown().unwrap() < 1.01)
    );
    assert_eq!(results.flows.len(), 1);
    // Each has a SYN before its segments of 1448 bytes.
    assert_eq!(results.flows[0].received, 4 + 1 + 3 + 346 + 1);
}

#[test]
fn lists_out_of_order_are_refused() {
    let (network, server, client) = path(BitsPerSec::from_mbps(100), Nanos::from_millis(1));
    let mut run = Run::new(network, Nanos::from_secs(10));
    let list = [listed(20, server, client, 1), listed(10, server, client, 1)];
    let application = Application::flow_list(list.to_vec());
    run.add(Flow::tcp(server, client, &eager(), application));
    let problem = run.results().unwrap_err().to_string();
    assert!(
        problem.contains("transfer 2 of its list starts"),
        "{problem}"
    );
}

#[test]
fn a_list_has_at_most_so_many_transfers_in_progress() {
    let (network, left, right) = two_leaves();
    // Six at once, and six more when all of these are over: to two hosts over several routes.
    let list: Vec<ListedTransfer> = (0..12)
        .map(|number| {
            let to = right[number as usize % 2];
            listed(500 * (number / 6), left[number as usize % 6], to, 100_000)
        })
        .collect();
    for (at_most, completed) in [(4, 8), (5, 10), (6, 12), (u32::MAX, 12)] {
        let mut run = Run::new(network.clone(), Nanos::from_secs(1));
        let application = Application::FlowList {
            transfers: list.clone().into(),
            at_most,
        };
        run.add(Flow::tcp(left[0], right[0], &eager(), application));
        let results = run.results().unwrap();
        assert_eq!(results.completions.len(), completed, "{at_most}");
        assert_eq!(results.flows[0].left_out, 12 - completed as u64);
    }
}

/// A leaf with eight hosts, four spines, a leaf with eight hosts.
fn two_leaves() -> (Network, Vec<Node>, Vec<Node>) {
    let mut network = Network::new();
    network.multipath = true;
    let link = || Link::new(BitsPerSec::from_mbps(1000), Nanos::from_micros(1));
    let queued = || link().queue("droptail:limit=1000".parse().unwrap());
    let (left, right) = (network.node("leaf 0"), network.node("leaf 1"));
    for spine in 0..4 {
        let spine = network.node(format!("spine {spine}"));
        network.duplex(left, spine, queued());
        network.duplex(spine, right, queued());
    }
    let mut hosts = |leaf: Node| {
        let host = |number| {
            let host = network.node(format!("host {number} of {}", leaf.0));
            network.link(host, leaf, link());
            network.link(leaf, host, queued());
            host
        };
        (0..8).map(host).collect::<Vec<Node>>()
    };
    let (a, b) = (hosts(left), hosts(right));
    (network, a, b)
}

/// Each link carries what the paths of the transfers say.
#[test]
fn records_say_which_links_a_transfer_took() {
    let (network, left, right) = two_leaves();
    let list: Vec<ListedTransfer> = (0..40)
        .map(|number| {
            let host = number as usize % 8;
            listed(
                number / 3,
                left[host],
                right[7 - host],
                14_480 * (1 + number % 3),
            )
        })
        .collect();
    let mut run = Run::new(network, Nanos::from_secs(1));
    run.add(Flow::tcp(
        left[0],
        right[0],
        &eager(),
        Application::flow_list(list.clone()),
    ));
    let results = run.results().unwrap();
    let mut numbers: Vec<u64> = results
        .completions
        .iter()
        .map(|one| one.record.number)
        .collect();
    let mut paths = TransferPaths::new(&run);
    let mut segments = vec![0; run.network.links().len()];
    for one in &results.completions {
        let transfer = list[one.record.number as usize];
        assert_eq!((one.began, one.bytes), (transfer.start, transfer.size));
        let path = paths.of(one.flow, one.record.number, one.began).unwrap();
        assert_eq!(
            (path.from, path.to, path.links.len()),
            (transfer.from, transfer.to, 4)
        );
        for link in path.links {
            // And the SYN.
            segments[link.0 as usize] +=
                one.bytes.0 / 1448 + 1 + u64::from(one.record.retransmissions);
        }
    }
    for queue in results
        .queues
        .iter()
        .filter(|queue| queue.name.starts_with("leaf 0 to spine"))
    {
        assert_eq!(
            queue.counters.departed.packets, segments[queue.link.0 as usize],
            "{}",
            queue.name
        );
    }
    numbers.sort();
    assert!(numbers.into_iter().eq(0..40));
    assert_eq!(paths.of(FlowId(0), 40, Nanos::ZERO), None);
    assert_eq!(paths.of(FlowId(1), 0, Nanos::ZERO), None);
    let retransmitted: u32 = results
        .completions
        .iter()
        .map(|one| one.record.retransmissions)
        .sum();
    assert_eq!(retransmitted, results.flows[0].sender.retransmissions);
}

#[test]
fn flows_are_spread_over_all_shortest_routes() {
    let (network, left, right) = two_leaves();
    let mut random = Pcg32::new(7, 7);
    let list: Vec<ListedTransfer> = (0..2000)
        .map(|number| {
            let (from, to) = (random.next_u32() % 8, random.next_u32() % 8);
            listed(number, left[from as usize], right[to as usize], 15_000)
        })
        .collect();
    let mut run = Run::new(network, Nanos::from_secs(4));
    let application = Application::flow_list(list);
    run.add(Flow::tcp(left[0], right[0], &eager(), application));
    let results = run.results().unwrap();
    assert_eq!(results.completions.len(), 2000);
    // 500 transfers on each spine, with a deviation of 19: 4 deviations are 78.
    for spine in 0..4 {
        let name = format!("leaf 0 to spine {spine}");
        let queue = results.queues.iter().find(|q| q.name == name).unwrap();
        let transfers = queue.counters.departed.bytes as f64 / 16_000.0;
        assert!((420.0..580.0).contains(&transfers), "{name}: {transfers}");
    }
    // The reference engine sees the same.
    let reference = run.start().unwrap().reference_engine().finish();
    assert_eq!(results.completions.len(), reference.completions.len());
    let times = |results: &earlydrop_sim::results::Results| {
        let mut times: Vec<_> = results
            .completions
            .iter()
            .map(|c| (c.began, c.span()))
            .collect();
        times.sort();
        times
    };
    assert_eq!(times(&results), times(&reference));
}

/// Transfers of 1 MB, alone in a network, over four uplinks of a tenth of a host's rate each.
#[test]
fn slowdown_over_sprayed_routes_counts_all_of_them() {
    let link = |mbps| Link::new(BitsPerSec::from_mbps(mbps), Nanos::from_micros(1));
    let links = FabricLinks {
        to_host: link(1000),
        between_switches: link(100),
        from_host: link(1000),
    };
    for spraying in [false, true] {
        let mut fabric = Fabric::leaf_spine(2, 4, 1, &links);
        fabric.network.spraying = spraying;
        let (from, to) = (fabric.hosts[0], fabric.hosts[1]);
        let mut run = Run::new(fabric.network, Nanos::from_secs(2));
        let web = Application::Web {
            ports: Ports::Same,
            size: Spread::constant(Bytes(1_000_000)),
            pause: Spread::constant(Nanos::from_millis(10)),
        };
        run.add(Flow::tcp(from, to, &eager(), web));
        let results = run.results().unwrap();
        assert!(results.completions.len() > 10);
        for completion in &results.completions {
            let slowdown = completion.slowdown().unwrap();
            // Which of the four a packet takes is drawn, so they are not equally busy.
            assert!((1.0..1.5).contains(&slowdown), "{slowdown}");
        }
    }
}

#[test]
fn there_is_no_slowdown_over_links_that_change() {
    let second = Nanos::from_secs(1);
    for change in [
        Change::Rate(BitsPerSec::from_mbps(100)),
        Change::Delay(Nanos(1000)),
    ] {
        let link = Link::new(BitsPerSec::from_mbps(1), Nanos::from_millis(1));
        let mut network = Network::new();
        let (server, client) = (network.node("server"), network.node("client"));
        network.link(server, client, link.clone().changing(second, change));
        network.link(client, server, link);
        let mut run = Run::new(network, Nanos::from_secs(10));
        let web = Application::Web {
            ports: Ports::Same,
            size: Spread::constant(Bytes(10_000)),
            pause: Spread::constant(Nanos::from_millis(10)),
        };
        run.add(Flow::tcp(server, client, &eager(), web));
        let results = run.results().unwrap();
        assert!(results.completions.len() > 10);
        assert!(results.completions.iter().all(|c| c.slowdown().is_none()));
    }
}
