//! Whether each of several shortest routes is as likely as any other: chi-squared tests.
//!
//! A switch with `n` next hops that `m` transfers choose from sends `m/n` over each; the sum of
//! `(o - m/n)^2 / (m/n)` over the observed numbers `o` has a chi-squared distribution with `n - 1`
//! degrees of freedom. Sums over switches and seeds add their degrees of freedom. Over many, it is
//! close to normal: `sqrt(2 chi2) - sqrt(2 df - 1)` has mean 0 and deviation 1 (R. A. Fisher). A
//! test allows 4 on both sides, which a fair choice exceeds once in 16,000 tests. Seeds are fixed.

use std::collections::BTreeMap;
use std::sync::Arc;

use earlydrop::units::{BitsPerSec, Bytes, Nanos};

use super::super::routes::{Routed, find_routes};
use super::*;
use crate::network::{Fabric, FabricLinks, Link};
use crate::tcp::{Profile, Recovery};

const SEEDS: u64 = 10;

fn links() -> FabricLinks {
    let link = Link::new(BitsPerSec::from_mbps(1000), Nanos::ZERO);
    FabricLinks::equal(link.clone(), link)
}

/// So many transfers between hosts in turn, over switches that have several next hops.
fn transfers(fabric: &Fabric, count: usize) -> Flow {
    let hosts = &fabric.hosts;
    let transfer = |number: usize| {
        let from = number % hosts.len();
        // Half of all hosts away: in another rack and in another pod.
        let to = (from + hosts.len() / 2) % hosts.len();
        ListedTransfer {
            start: Nanos(number as u64),
            from: hosts[from],
            to: hosts[to],
            size: Bytes(1000),
        }
    };
    let list: Vec<ListedTransfer> = (0..count).map(transfer).collect();
    let profile = Arc::new(Profile::ns2(Recovery::Reno));
    let application = Application::flow_list(list);
    Flow::tcp(hosts[0], hosts[hosts.len() / 2], &profile, application)
}

/// The deviation of the choices of all switches of this kind from even ones, over all seeds; each
/// has so many next hops.
fn deviation(fabric: &Fabric, kind: &str, hops: usize, transfers_of_a_run: usize) -> f64 {
    let network = &fabric.network;
    let flows = [transfers(fabric, transfers_of_a_run)];
    let ends: Vec<_> = network.links().map(|(_, from, to, _)| (from, to)).collect();
    let (mut chi2, mut freedom) = (0.0, 0.0);
    for seed in 0..SEEDS {
        let listed = routes(network, &flows, seed);
        let found = find_routes(network, &flows, &listed.routed).unwrap();
        let mut chosen: BTreeMap<Node, BTreeMap<Node, f64>> = BTreeMap::new();
        for number in &listed.numbers[&0] {
            let hop = found[*number as usize].forward.iter().find_map(|link| {
                let (from, to) = ends[link.0 as usize];
                network.name(from).starts_with(kind).then_some((from, to))
            });
            let (from, to) = hop.unwrap();
            *chosen.entry(from).or_default().entry(to).or_default() += 1.0;
        }
        for of_switch in chosen.values() {
            assert!(of_switch.len() <= hops);
            let expected = of_switch.values().sum::<f64>() / hops as f64;
            assert!(expected >= 5.0, "too few transfers for the statistic");
            let unseen = (hops - of_switch.len()) as f64 * expected;
            let seen = of_switch
                .values()
                .map(|o| (o - expected).powi(2) / expected);
            chi2 += unseen + seen.sum::<f64>();
            freedom += hops as f64 - 1.0;
        }
    }
    (2.0 * chi2).sqrt() - (2.0 * freedom - 1.0).sqrt()
}

#[test]
fn each_spine_is_as_likely_as_any_other() {
    for spines in [8, 64] {
        let fabric = Fabric::leaf_spine(4, spines, 4, &links());
        let deviation = deviation(&fabric, "leaf", spines as usize, 4000);
        assert!(deviation.abs() < 4.0, "{spines} spines: {deviation}");
    }
}

#[test]
fn each_switch_of_a_fat_tree_is_as_likely_as_any_other() {
    let fabric = Fabric::fat_tree(16, &links());
    for kind in ["edge", "aggregation"] {
        let deviation = deviation(&fabric, kind, 8, 8192);
        assert!(deviation.abs() < 4.0, "{kind}: {deviation}");
    }
}

#[test]
fn transfers_over_the_same_links_share_a_route() {
    let fabric = Fabric::leaf_spine(2, 2, 1, &links());
    let listed = routes(&fabric.network, &[transfers(&fabric, 100)], 1);
    // Two spines there and two back, between two hosts in each direction.
    assert_eq!(listed.routed.len(), 8);
    let Routed { from, to, .. } = listed.routed[0];
    assert_eq!((from, to), (fabric.hosts[0], fabric.hosts[1]));
}
