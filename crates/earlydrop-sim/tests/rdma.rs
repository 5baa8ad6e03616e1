//! RDMA's network cards: DCQCN's published behaviour, and go-back-N over a lossy queue.

use std::sync::Arc;

use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_sim::Run;
use earlydrop_sim::network::{Link, LinkId, Network, Node, Pfc};
use earlydrop_sim::results::Results;
use earlydrop_sim::tcp::Profile;
use earlydrop_sim::traffic::{Application, Flow};

/// Hosts on links of 40 Gbps and 1 us at a switch, whose ports to them have `queue`.
fn star(hosts: u32, queue: &str) -> (Network, Vec<Node>, Vec<LinkId>) {
    let mut network = Network::new();
    let switch = network.node("switch");
    let link = || Link::new(BitsPerSec::from_mbps(40_000), Nanos::from_micros(1));
    let (mut nodes, mut ports) = (Vec::new(), Vec::new());
    for host in 0..hosts {
        let node = network.node(format!("host {host}"));
        network.link(node, switch, link().network_card());
        ports.push(network.link(switch, node, link().queue(queue.parse().unwrap())));
        nodes.push(node);
    }
    (network, nodes, ports)
}

fn roce(from: Node, to: Node, application: Application) -> Flow {
    Flow::tcp(from, to, &Arc::new(Profile::roce()), application)
}

/// Zhu et al. 2015, section 4: with the parameters of their testbed a flow that starts second
/// converges to an equal share, and the link stays busy.
#[test]
fn two_flows_converge_to_equal_rates() {
    let (network, hosts, ports) = star(3, "red:as=dcqcn");
    let mut run = Run::new(network, Nanos::from_millis(60));
    run.measure.warm_up = Nanos::from_millis(30);
    run.add(roce(hosts[0], hosts[2], Application::Bulk));
    run.add(roce(hosts[1], hosts[2], Application::Bulk).at(Nanos::from_millis(3)));
    let results = run.results().unwrap();
    let goodput = |flow: usize| results.flows[flow].goodput;
    let share = goodput(0) / (goodput(0) + goodput(1));
    assert!((0.4..0.6).contains(&share), "{share}");
    let port = results.queue(ports[2]).unwrap();
    assert!(port.utilisation > 0.9, "{}", port.utilisation);
    assert_eq!(port.counters.dropped().packets, 0);
}

/// A flow alone sends at the rate of its link from its first segment on: its transfer takes what an
/// empty network allows.
#[test]
fn a_flow_alone_takes_the_ideal_time() {
    let (network, hosts, _) = star(2, "red:as=dcqcn");
    let mut run = Run::new(network, Nanos::from_millis(5));
    let size = Application::Transfer(Bytes(1_024_000));
    run.add(roce(hosts[0], hosts[1], size));
    let results = run.results().unwrap();
    let [transfer] = results.completions[..] else {
        panic!("{} transfers", results.completions.len())
    };
    let taken = transfer.ended.since(transfer.began);
    let slowdown = taken.0 as f64 / transfer.ideal.0 as f64;
    assert!((1.0..1.01).contains(&slowdown), "{slowdown}");
}

/// With a buffer of ten packets and no marks, transfers end all the same, and every byte arrives once.
#[test]
fn go_back_n_repairs_what_a_short_buffer_loses() {
    let (network, hosts, ports) = star(4, "droptail:limit=10 packets");
    let mut run = Run::new(network, Nanos::from_millis(400));
    for host in 0..3 {
        let size = Application::Transfer(Bytes(1_024_000));
        run.add(roce(hosts[host], hosts[3], size));
    }
    let results = run.results().unwrap();
    assert!(results.queue(ports[3]).unwrap().counters.dropped().packets > 10);
    assert_eq!(results.completions.len(), 3);
}

/// Seven hosts send to one over a switch that pauses them, with `room` bytes beside their XOFF in the
/// queue to the one, and no marks.
fn paused(room: impl Fn(Bytes) -> u64) -> (Results, LinkId) {
    let limits = Pfc {
        xoff: Bytes(20_000),
        xon: Bytes(10_000),
        classes: None,
    };
    let (mut network, hosts, ports) = star(8, "droptail:limit=100 MB");
    network.pause(network.ends(ports[0]).0, limits);
    let headroom = network.headroom(LinkId(0), LinkId(1), Bytes(1068));
    let limit = 7 * limits.xoff.0 + room(headroom);
    let queue = format!("droptail:limit={limit} bytes");
    network.get_mut(ports[7]).queue = Some(queue.parse().unwrap());
    let mut run = Run::new(network, Nanos::from_millis(4));
    run.measure.warm_up = Nanos::from_millis(1);
    for host in 0..7 {
        run.add(roce(hosts[host], hosts[7], Application::Bulk));
    }
    (run.results().unwrap(), ports[7])
}

/// With the headroom of each link nothing is lost, and each link may send a seventh of the time.
#[test]
fn with_pauses_nothing_is_lost() {
    let (results, port) = paused(|headroom| 7 * headroom.0);
    let queue = results.queue(port).unwrap();
    assert_eq!(queue.counters.dropped().packets, 0);
    assert!(queue.utilisation > 0.999, "{}", queue.utilisation);
    for link in 0..7 {
        let pauses = results.queue(LinkId(2 * link)).unwrap().pauses.unwrap();
        assert!(pauses.pauses > 10, "{pauses:?}");
        let share = pauses.paused.as_secs_f64() / 3e-3;
        assert!((0.8..0.9).contains(&share), "{share}");
    }
    assert_eq!(results.queue(port).unwrap().pauses, None);
}

#[test]
fn without_headroom_packets_are_lost_in_spite_of_pauses() {
    let (results, _) = paused(|_| 0);
    assert!(results.totals.dropped.packets > 0);
}
