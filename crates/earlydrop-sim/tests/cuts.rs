//! Links that are cut and mended, and switches that take other routes.

use std::sync::Arc;

use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_sim::Run;
use earlydrop_sim::network::{Cut, Fabric, FabricLinks, Link, LinkId, Network, Node};
use earlydrop_sim::results::Results;
use earlydrop_sim::tcp::{Algorithm, Profile};
use earlydrop_sim::traffic::{Application, Flow, Pattern};

const MS: u64 = 1_000_000;

fn cut(from: u64, until: u64) -> Cut {
    Cut {
        from: Nanos(from),
        until: Nanos(until),
    }
}

fn link() -> Link {
    Link::new(BitsPerSec::from_mbps(1000), Nanos::from_micros(1))
}

/// Two leaves with two hosts each, and so many spines.
fn fabric(spines: u32) -> Fabric {
    let queued = link().queue("droptail:limit=1000".parse().unwrap());
    Fabric::leaf_spine(2, spines, 2, &FabricLinks::equal(link(), queued))
}

/// The links of this name and back.
fn both_ways(network: &Network, name: &str) -> [LinkId; 2] {
    let mut links = network.links().map(|(id, ..)| id);
    let there = links.find(|id| network.link_name(*id) == name).unwrap();
    [there, network.way_back(there).unwrap()]
}

fn departed(results: &Results, link: LinkId) -> u64 {
    results.queue(link).unwrap().counters.departed.packets
}

/// 20,000 datagrams of 1000 bytes a second.
fn stream(from: Node, to: Node) -> Flow {
    let rate = BitsPerSec::from_mbps(160);
    Flow::datagrams(from, to, Bytes(1000), rate, Pattern::Constant)
}

/// A run of a stream between two leaves, after a look at which spine it takes.
fn across(spines: u32, cuts: &[Cut], reroute_after: Option<Nanos>) -> (Run, [LinkId; 2]) {
    let fabric = fabric(spines);
    let (from, to) = (fabric.hosts[0], fabric.hosts[2]);
    let mut run = Run::new(fabric.network, Nanos(100 * MS));
    run.add(stream(from, to));
    let before = run.results().unwrap();
    let names = (0..spines).map(|spine| format!("leaf 0 to spine {spine}"));
    let taken = names
        .map(|name| both_ways(&run.network, &name))
        .find(|[there, _]| departed(&before, *there) > 0)
        .unwrap();
    for id in taken {
        run.network.get_mut(id).cuts = cuts.to_vec();
    }
    run.network.reroute_after = reroute_after;
    (run, taken)
}

#[test]
fn what_would_arrive_over_a_cut_link_is_lost() {
    // From 20 to 50 ms: 600 of the 2000 datagrams.
    let (run, [taken, _]) = across(2, &[cut(20 * MS, 50 * MS)], None);
    let results = run.results().unwrap();
    assert_eq!(results.flows[0].lost, 600);
    // Its transmitter goes on.
    assert!(departed(&results, taken) >= 1999);
}

#[test]
fn switches_leave_out_a_cut_link_after_a_time_and_take_it_again() {
    let after = Some(Nanos(5 * MS));
    let (run, [taken, _]) = across(2, &[cut(20 * MS, 50 * MS)], after);
    let results = run.results().unwrap();
    // Until 25 ms.
    assert_eq!(results.flows[0].lost, 100);
    let stayed = departed(&results, taken);
    // Away from 25 to 55 ms.
    assert!((1398..=1400).contains(&stayed), "{stayed}");
    let reference = run.start().unwrap().reference_engine().finish();
    assert_eq!(reference.flows[0].lost, results.flows[0].lost);
    assert_eq!(departed(&reference, taken), stayed);
}

#[test]
fn a_fabric_without_another_route_loses_until_it_is_mended() {
    let (run, _) = across(1, &[cut(20 * MS, 50 * MS)], Some(Nanos::ZERO));
    assert_eq!(run.results().unwrap().flows[0].lost, 600);
    let (run, _) = across(1, &[cut(20 * MS, Nanos::NEVER.0)], Some(Nanos::ZERO));
    assert_eq!(run.results().unwrap().flows[0].lost, 1600);
}

/// Connections in both directions, whose acknowledgments carry SACK blocks once something is lost.
#[test]
fn connections_outlive_a_cut() {
    for control in [Algorithm::Cubic, Algorithm::Dctcp, Algorithm::Prague] {
        let fabric = fabric(2);
        let hosts = fabric.hosts.clone();
        let mut run = Run::new(fabric.network, Nanos(400 * MS));
        let profile = Arc::new(Profile::modern(control));
        for (from, to) in [(0, 2), (1, 3), (2, 1), (3, 0)] {
            let transfer = Application::Transfer(Bytes(4_000_000));
            run.add(Flow::tcp(hosts[from], hosts[to], &profile, transfer));
        }
        for id in both_ways(&run.network, "leaf 0 to spine 0") {
            run.network.get_mut(id).cuts = vec![cut(5 * MS, Nanos::NEVER.0)];
        }
        run.network.reroute_after = Some(Nanos(2 * MS));
        let results = run.results().unwrap();
        assert_eq!(results.completions.len(), 4, "{control:?}");
        let [there, _] = both_ways(&run.network, "leaf 0 to spine 0");
        // Over a link of 1 Gbps 875,000 bytes leave in 7 ms.
        let queue = results.queue(there).unwrap();
        assert!(queue.counters.departed.bytes < 900_000);
        let reference = run.start().unwrap().reference_engine().finish();
        assert_eq!(reference.completions, results.completions);
    }
}

#[test]
fn packets_are_not_sprayed_over_what_is_left_out() {
    let (mut run, [taken, _]) = across(4, &[cut(20 * MS, Nanos::NEVER.0)], Some(Nanos(5 * MS)));
    run.network.spraying = true;
    let results = run.results().unwrap();
    // A quarter of the 2000 in 100 ms, and only for 25 ms.
    let through = departed(&results, taken);
    assert!((95..160).contains(&through), "{through}");
    let lost = results.flows[0].lost;
    assert!((10..45).contains(&lost), "{lost}");
}

#[test]
fn more_changes_than_a_packet_can_tell_apart_are_refused() {
    let cuts = |count: u64| -> Vec<Cut> {
        let cut_at = |n| cut(n * MS, n * MS + MS / 2);
        (0..count).map(cut_at).collect()
    };
    let (run, _) = across(2, &cuts(31), Some(Nanos::ZERO));
    assert!(run.results().is_ok());
    let (run, _) = across(2, &cuts(40), Some(Nanos::ZERO));
    let problem = run.results().unwrap_err().to_string();
    assert!(problem.contains("allowed: 63"), "{problem}");
}
