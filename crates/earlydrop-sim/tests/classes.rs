//! Traffic classes: pauses of one of them, acknowledgments of another, and buffers that they share.

use std::sync::Arc;

use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_sim::network::{Classes, Link, LinkId, Network, Node, Pfc, SharedBuffer};
use earlydrop_sim::results::Results;
use earlydrop_sim::tcp::Profile;
use earlydrop_sim::traffic::{Application, Flow, Pattern};
use earlydrop_sim::{Run, RunError};

const PORT: &str = "drr:by=class,queues=8,strict=1,limit=100 MB,memory_limit=100 MB";

/// Hosts on links of 40 Gbps and 1 us at a switch; link 2i leads from host i to the switch, link
/// 2i + 1 back.
fn star(hosts: u32, by_class: bool) -> (Network, Vec<Node>) {
    let mut network = Network::new();
    let switch = network.node("switch");
    let link = || Link::new(BitsPerSec::from_mbps(40_000), Nanos::from_micros(1));
    let mut nodes = Vec::new();
    for host in 0..hosts {
        let node = network.node(format!("host {host}"));
        let card = Link {
            by_class,
            ..link().network_card()
        };
        network.link(node, switch, card);
        network.link(switch, node, link().queue(PORT.parse().unwrap()));
        nodes.push(node);
    }
    (network, nodes)
}

fn roce(from: Node, to: Node) -> Flow {
    Flow::tcp(from, to, &Arc::new(Profile::roce()), Application::Bulk)
}

/// Seven hosts send to host 7 in class 3 over a switch with pauses; the first of them sends to host 8,
/// too, in class 0.
fn with_victim(classes: Option<Classes>) -> Results {
    let (mut network, hosts) = star(9, classes.is_some());
    let switch = network.ends(LinkId(0)).1;
    let limits = Pfc {
        xoff: Bytes(20_000),
        xon: Bytes(10_000),
        classes,
    };
    network.pause(switch, limits);
    let mut run = Run::new(network, Nanos::from_millis(4));
    run.measure.warm_up = Nanos::from_millis(1);
    for host in 0..7 {
        run.add(roce(hosts[host], hosts[7]).class(3));
    }
    run.add(roce(hosts[0], hosts[8]));
    run.results().unwrap()
}

/// What a pause of the whole link does to a flow that has nothing to do with the congestion, and that a
/// pause of the class does not: the reason for priorities in IEEE 802.1Qbb.
#[test]
fn a_pause_of_a_class_spares_flows_of_another() {
    let of_link = with_victim(None);
    let of_class = with_victim(Classes::new(&[3]));
    let gbps = |results: &Results, flow: usize| results.flows[flow].throughput / 1e9;
    // A seventh of host 7's link is what the link of the first host may send between its pauses, and as
    // much of the victim goes with it.
    let victim = gbps(&of_link, 7);
    assert!((4.0..8.0).contains(&victim), "{victim}");
    // In a pause of class 3 the victim has the link.
    let (own, victim) = (gbps(&of_class, 0), gbps(&of_class, 7));
    assert!(victim > 33.0, "{victim}");
    assert!(own + victim > 39.8, "{own} and {victim}");
    for results in [of_link, of_class] {
        let port = results.queue(LinkId(15)).unwrap();
        assert!(port.utilisation > 0.99, "{}", port.utilisation);
        assert_eq!(results.totals.dropped.packets, 0);
        // Of each class at most XOFF and what is under way, of each link.
        let pauses = results.queue(LinkId(2)).unwrap().pauses.unwrap();
        let share = pauses.paused.as_secs_f64() / 3e-3;
        assert!((0.7..0.9).contains(&share), "{share}");
    }
}

/// Classes that are not named are neither counted nor paused.
#[test]
fn other_classes_are_not_paused() {
    let results = with_victim(Classes::new(&[5]));
    for host in 0..7 {
        let pauses = results.queue(LinkId(2 * host)).unwrap().pauses.unwrap();
        assert_eq!((pauses.pauses, pauses.paused), (0, Nanos::ZERO));
    }
}

#[test]
fn pauses_by_class_need_queues_by_class() {
    let (mut network, hosts) = star(2, true);
    network.get_mut(LinkId(3)).queue = Some("red".parse().unwrap());
    let limits = Pfc {
        xoff: Bytes(20_000),
        xon: Bytes(10_000),
        classes: Classes::new(&[3]),
    };
    let switch = network.ends(LinkId(0)).1;
    network.pause(switch, limits);
    let mut run = Run::new(network, Nanos::from_millis(1));
    run.add(roce(hosts[0], hosts[1]));
    let error = run.results().unwrap_err();
    assert!(matches!(error, RunError::Pauses { .. }), "{error}");
    let said = error.to_string();
    assert!(
        said.contains("switch to host 1") && said.contains("drr:by=class"),
        "{said}"
    );
}

/// Acknowledgments of a class that goes first do not wait behind data in the other direction.
#[test]
fn acknowledgments_of_a_strict_class_do_not_wait() {
    let round_trip = |ack_class: Option<u8>| {
        let (network, hosts) = star(3, true);
        let mut run = Run::new(network, Nanos::from_millis(3));
        run.measure.round_trips = true;
        let flow = roce(hosts[0], hosts[1]);
        run.add(Flow { ack_class, ..flow });
        // 1.25 times what the link to host 0 carries, for 3 ms: 3.75 MB wait in the end.
        let (size, rate) = (Bytes(1000), BitsPerSec::from_mbps(25_000));
        for host in [1, 2] {
            run.add(Flow::datagrams(
                hosts[host],
                hosts[0],
                size,
                rate,
                Pattern::Constant,
            ));
        }
        let results = run.results().unwrap();
        let round_trips = results.flows[0].round_trips.as_ref();
        round_trips.unwrap().mean()
    };
    let (own, strict) = (round_trip(None), round_trip(Some(7)));
    assert!(own > 200e-6, "{own}");
    assert!(strict < 20e-6, "{strict}");
}

/// A class that fills its share of a buffer leaves another what it needs: the threshold is that of each
/// queue.
#[test]
fn classes_of_a_port_have_thresholds_of_their_own() {
    let (mut network, hosts) = star(3, true);
    let switch = network.ends(LinkId(0)).1;
    let size = Bytes(200_000);
    network.share_buffer(switch, SharedBuffer { size, alpha: 1.0 });
    let mut run = Run::new(network, Nanos::from_millis(3));
    let (packet, rate) = (Bytes(1000), BitsPerSec::from_mbps(38_000));
    let few = BitsPerSec::from_mbps(4_000);
    for (host, rate, class) in [(0, rate, 0), (1, few, 3)] {
        let flow = Flow::datagrams(hosts[host], hosts[2], packet, rate, Pattern::Constant);
        run.add(flow.class(class));
    }
    let results = run.results().unwrap();
    let [flood, other] = [0, 1].map(|flow| results.flows[flow].lost);
    assert!(flood > 100, "{flood}");
    assert_eq!(other, 0);
}

/// RDMA of seven hosts to one in class 3 with pauses, and more of class 0 than the port carries: with
/// just the room that pauses need, in the port's own limit or in a shared buffer.
fn beside_a_flood(own_limit: bool) -> Results {
    let (mut network, hosts) = star(9, true);
    let switch = network.ends(LinkId(0)).1;
    let limits = Pfc {
        xoff: Bytes(20_000),
        xon: Bytes(10_000),
        classes: Classes::new(&[3]),
    };
    network.pause(switch, limits);
    let (links, headroom) = network.headroom_at(switch, Bytes(1068));
    let size = Bytes(links * limits.xoff.0 + headroom.0);
    if own_limit {
        let queue = format!("drr:by=class,queues=8,limit={} bytes", size.0);
        network.get_mut(LinkId(15)).queue = Some(queue.parse().unwrap());
    } else {
        let size = Bytes(2 * size.0);
        network.share_buffer(switch, SharedBuffer { size, alpha: 8.0 });
    }
    let mut run = Run::new(network, Nanos::from_millis(3));
    for host in 0..7 {
        run.add(roce(hosts[host], hosts[7]).class(3));
    }
    for class in [0, 1, 2] {
        let rate = BitsPerSec::from_mbps(13_000);
        let flow = Flow::datagrams(hosts[8], hosts[7], Bytes(1000), rate, Pattern::Constant);
        run.add(flow.class(class));
    }
    run.results().unwrap()
}

/// What a class that is paused has room for, others cannot take, as with the reserved buffer of lossless
/// queues in switches.
#[test]
fn a_paused_class_loses_nothing_beside_a_flood_of_others() {
    for own_limit in [true, false] {
        let results = beside_a_flood(own_limit);
        let lost = |flows: std::ops::Range<usize>| -> u64 {
            results.flows[flows].iter().map(|flow| flow.lost).sum()
        };
        assert_eq!(lost(0..7), 0, "own limit: {own_limit}");
        assert!(lost(7..10) > 100, "own limit: {own_limit}, {}", lost(7..10));
        let pauses = results.queue(LinkId(0)).unwrap().pauses.unwrap();
        assert!(pauses.pauses > 10, "{pauses:?}");
    }
}
