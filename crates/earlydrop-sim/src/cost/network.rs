//! What nodes, links and their queues take before the first packet.

use std::collections::HashSet;

use earlydrop::registry::Plan;
use earlydrop::units::Nanos;

use crate::network::{Change, Link, MAX_SPRAYED, Network, Node, Routes};
use crate::packet::Packet;
use crate::traffic::Flow;

/// Bytes of a link and of the share of its nodes: its description, with names and the scheme's
/// parameters, and a wire.
const BYTES_OF_LINK: f64 = 850.0;

/// Bytes of what stands around a queue: transmitter, meters and their results.
const BYTES_OF_PORT: f64 = 1_600.0;

/// Bytes of a change: twice as much as is described, and as many for its event, each in a list
/// that doubles when it is full.
const BYTES_OF_CHANGE: usize = 4 * size_of::<(Nanos, Change)>() + 96;

/// Bytes of one of the routes that the packets of a flow are sprayed over: its links there and back.
const BYTES_OF_SPRAYED: f64 = 130.0;

/// Bytes of its hops, which flows between the same hosts share.
const BYTES_OF_SPRAYED_HOPS: f64 = 450.0;

/// So many flows stand for all where their routes are counted.
const COUNTED: usize = 64;

/// Bytes of the routes that packets are sprayed over; 0 where they are not.
pub(super) fn bytes_of_sprayed_routes(network: &Network, flows: &[Flow]) -> f64 {
    if !network.spraying {
        return 0.0;
    }
    let mut routes = Routes::new(network);
    let some: Vec<&Flow> = flows
        .iter()
        .step_by(flows.len().div_ceil(COUNTED).max(1))
        .collect();
    let found = some
        .iter()
        .map(|flow| routes.find_all(flow.from, flow.to, MAX_SPRAYED).len());
    // A single route is not sprayed over.
    let sprayed: usize = found.filter(|routes| *routes > 1).sum();
    let of_flow = sprayed as f64 / some.len().max(1) as f64;
    let pairs: HashSet<(Node, Node)> = flows.iter().map(|flow| (flow.from, flow.to)).collect();
    of_flow * (flows.len() as f64 * BYTES_OF_SPRAYED + pairs.len() as f64 * BYTES_OF_SPRAYED_HOPS)
}

/// Bytes of so many links, without their queues.
pub fn bytes_of_links(links: usize) -> f64 {
    BYTES_OF_LINK * links as f64
}

/// Bytes of the changes of links, in their descriptions and as events to come.
pub(super) fn bytes_of_changes(network: &Network) -> f64 {
    let changes: usize = network.links().map(|(.., link)| link.changes.len()).sum();
    (changes * BYTES_OF_CHANGE) as f64
}

/// Bytes of a link's queue and port before the first packet; 0 where it has none. A scheme's flows
/// and sub-queues have their places from the start.
pub fn bytes_of_queue(link: &Link) -> f64 {
    let Some(spec) = link.queue_in_front() else {
        return 0.0;
    };
    let later = link.changes.iter().filter_map(|(_, change)| match change {
        Change::Scheme(plan) => Some(plan.memory::<Packet>()),
        _ => None,
    });
    // A later scheme waits in its plan, and takes as much again when its time has come.
    let planned: usize = later.clone().sum();
    // A queue that cannot be planned is refused.
    let first = spec
        .plan(&link.facts())
        .as_ref()
        .map_or(0, Plan::memory::<Packet>);
    BYTES_OF_PORT + (planned + later.fold(first, usize::max)) as f64
}

/// Bytes of all queues of a network. Those of links that are alike take the same.
pub(super) fn bytes_of_queues(network: &Network) -> f64 {
    let mut known: Vec<(&Link, f64)> = Vec::new();
    let links = network.links().filter(|(.., link)| link.has_queue());
    let bytes = links.map(|(.., link)| {
        let is_alike = |(other, _): &&(&Link, f64)| has_the_same_queue(link, other);
        if let Some((_, bytes)) = known.iter().find(is_alike) {
            return *bytes;
        }
        let bytes = bytes_of_queue(link);
        // Networks have few kinds of links.
        if known.len() < 16 {
            known.push((link, bytes));
        }
        bytes
    });
    bytes.sum()
}

fn has_the_same_queue(one: &Link, other: &Link) -> bool {
    one.queue == other.queue
        && one.facts() == other.facts()
        && one.changes.is_empty()
        && other.changes.is_empty()
}
