//! Networks that real hosts can represent, and others.

use std::sync::Arc;

use super::*;
use earlydrop::units::{BitsPerSec, Nanos};
use earlydrop_sim::network::{Dumbbell, ParkingLot};
use earlydrop_sim::tcp::{Algorithm, Profile};
use earlydrop_sim::traffic::Flow;

const FAST: BitsPerSec = BitsPerSec::from_mbps(100);

fn link() -> Link {
    Link::new(BitsPerSec::from_mbps(10), Nanos::from_millis(20)).queue("red".parse().unwrap())
}

fn run(network: Network, ends: &[(Node, Node)]) -> Run {
    let profile = Arc::new(Profile::modern(Algorithm::Reno));
    let mut run = Run::new(network, Nanos::from_secs(1));
    for (from, to) in ends {
        run.add(Flow::bulk(*from, *to, &profile));
    }
    run
}

fn refusal(run: &Run, watched: LinkId) -> Unsupported {
    Topology::new(run, watched).expect_err("it is refused")
}

#[test]
fn each_flow_has_the_access_links_of_its_hosts() {
    let mut dumbbell = Dumbbell::new(link(), link());
    let millis = Nanos::from_millis;
    let [a, b] = [3, 7].map(|delay| dumbbell.pair(FAST, millis(delay)));
    // The second flow's data goes the other way.
    let run = run(dumbbell.network, &[a, (b.1, b.0)]);
    let mut topology = Topology::new(&run, dumbbell.bottleneck).unwrap();
    assert_eq!(topology.links, [dumbbell.bottleneck, dumbbell.reverse]);
    assert_eq!(topology.from_near, [true, false]);
    // 1,250 bytes take 0.1 ms.
    let through = |delay| Nanos::from_micros(100) + millis(delay);
    for access in topology.before.iter_mut().chain(&mut topology.after) {
        for (flow, delay) in [(0, 3), (1, 7)] {
            assert_eq!(access.transit(flow, Nanos::ZERO, 1250), through(delay));
        }
        assert_eq!(access.min_delay(), millis(3));
    }
}

#[test]
fn a_watched_link_that_leads_back_is_up() {
    let mut dumbbell = Dumbbell::new(link(), link());
    let pair = dumbbell.pair(FAST, Nanos::ZERO);
    let run = run(dumbbell.network, &[pair]);
    let topology = Topology::new(&run, dumbbell.reverse).unwrap();
    assert_eq!(topology.links, [dumbbell.reverse, dumbbell.bottleneck]);
    assert_eq!(topology.from_near, [false]);
}

#[test]
fn flows_of_one_host_share_its_links() {
    let mut dumbbell = Dumbbell::new(link(), link());
    let pair = dumbbell.pair(FAST, Nanos::ZERO);
    let run = run(dumbbell.network, &[pair, pair]);
    let mut topology = Topology::new(&run, dumbbell.bottleneck).unwrap();
    let micros = Nanos::from_micros;
    let access = &mut topology.before[0];
    assert_eq!(access.transit(0, Nanos::ZERO, 1250), micros(100));
    assert_eq!(access.transit(1, micros(50), 1250), micros(200));
}

#[test]
fn links_in_a_row_add_up() {
    let mut dumbbell = Dumbbell::new(link(), link());
    let (from, to) = dumbbell.pair(FAST, Nanos::ZERO);
    let home = dumbbell.network.node("home");
    let slow = Link::new(BitsPerSec::from_mbps(1), Nanos::from_millis(2));
    dumbbell.network.duplex(home, from, slow);
    let run = run(dumbbell.network, &[(home, to)]);
    let mut topology = Topology::new(&run, dumbbell.bottleneck).unwrap();
    // 1 ms and 2 ms on the first link, 0.01 ms on the second; the next packet waits at the first.
    let crossed = [0, 0].map(|at| topology.before[0].transit(0, Nanos(at), 125));
    assert_eq!(crossed, [3010, 4010].map(Nanos::from_micros));
}

#[test]
fn a_second_bottleneck_is_refused_by_name() {
    let mut lot = ParkingLot::new([link(), link()]);
    let hosts = [0, 2].map(|router| lot.host(router, FAST, Nanos::ZERO));
    let run = run(lot.network, &[(hosts[0], hosts[1])]);
    let refused = refusal(&run, lot.bottlenecks[0]);
    assert!(
        refused.message.contains("`router 1 to router 2`"),
        "{refused}"
    );
}

#[test]
fn a_link_where_streams_meet_is_a_second_bottleneck() {
    let mut dumbbell = Dumbbell::new(link(), link());
    let to = dumbbell.right_host(FAST, Nanos::ZERO);
    let hub = dumbbell.left_host(FAST, Nanos::ZERO);
    let mut ends = Vec::new();
    for name in ["one", "two"] {
        let host = dumbbell.network.node(name);
        let wire = Link::new(FAST, Nanos::ZERO);
        dumbbell.network.duplex(host, hub, wire);
        ends.push((host, to));
    }
    let hub = dumbbell.network.name(hub).to_string();
    let refused = refusal(&run(dumbbell.network, &ends), dumbbell.bottleneck);
    assert!(
        refused.message.contains(&format!("`{hub} to left`")),
        "{refused}"
    );
}

#[test]
fn a_flow_around_the_bottleneck_is_refused() {
    let mut lot = ParkingLot::new([link(), link()]);
    let hosts = [0, 1, 2].map(|router| lot.host(router, FAST, Nanos::ZERO));
    let ends = [(hosts[0], hosts[1]), (hosts[1], hosts[2])];
    let refused = refusal(&run(lot.network, &ends), lot.bottlenecks[0]);
    assert_eq!(refused.flow, Some(1));
    assert!(
        refused.message.contains("`router 0 to router 1`"),
        "{refused}"
    );
}

#[test]
fn access_links_with_losses_are_refused() {
    let mut dumbbell = Dumbbell::new(link(), link());
    let pair = dumbbell.pair(FAST, Nanos::ZERO);
    // The left host's link to its router.
    dumbbell.network.get_mut(LinkId(2)).loss = 0.1;
    let refused = refusal(&run(dumbbell.network, &[pair]), dumbbell.bottleneck);
    assert!(refused.message.contains("loses packets"), "{refused}");
}

#[test]
fn a_link_without_a_link_back_is_refused() {
    let mut network = Network::new();
    let [a, b] = ["a", "b"].map(|name| network.node(name));
    let there = network.link(a, b, link());
    let refused = refusal(&run(network, &[]), there);
    assert!(refused.message.contains("`a to b`"), "{refused}");
}
