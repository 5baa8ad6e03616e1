//! Maps a run's network to one bottleneck between two ends, with access links around it, and
//! names what does not fit.

use std::collections::HashMap;

use earlydrop_sim::Run;
use earlydrop_sim::network::{Link, LinkId, Network, Node, Routes};

use super::access_links::AccessLinks;
use crate::error::Unsupported;

/// A bottleneck, and the flows that cross it.
#[derive(Clone, Debug)]
pub(crate) struct Topology {
    /// The link from the near end to the far end, which is the watched one, and the link back.
    pub(crate) links: [LinkId; 2],
    /// For each flow, whether its data starts at the near end.
    pub(crate) from_near: Vec<bool>,
    /// For each direction, the access links before the bottleneck.
    pub(crate) before: [AccessLinks; 2],
    /// For each direction, the access links after the bottleneck.
    pub(crate) after: [AccessLinks; 2],
}

/// For each link, the link from which its packets come; `None` for a host.
type Upstream = HashMap<LinkId, Option<LinkId>>;

impl Topology {
    /// Maps a run with results about `watched`.
    pub(crate) fn new(run: &Run, watched: LinkId) -> Result<Topology, Unsupported> {
        let network = &run.network;
        let links = [watched, link_back(network, watched)?];
        for link in links {
            check_bottleneck(network, link)?;
        }
        let mut routes = Routes::new(network);
        let mut upstream = Upstream::new();
        let mut from_near = Vec::with_capacity(run.flows.len());
        let mut before = [Vec::new(), Vec::new()];
        let mut after = [Vec::new(), Vec::new()];
        for (number, flow) in run.flows.iter().enumerate() {
            let mut paths = [(flow.from, flow.to), (flow.to, flow.from)]
                .map(|(from, to)| routes.find(from, to).unwrap_or_default());
            let data_goes_up = paths[0].contains(&watched);
            if !data_goes_up {
                paths.reverse();
            }
            from_near.push(data_goes_up);
            for (index, path) in paths.into_iter().enumerate() {
                let bottleneck = path.iter().position(|link| *link == links[index]);
                let bottleneck =
                    bottleneck.ok_or_else(|| bypasses_bottleneck(network, number, links[index]))?;
                check_path(network, &path, bottleneck, &mut upstream)?;
                before[index].push(path[..bottleneck].to_vec());
                after[index].push(path[bottleneck + 1..].to_vec());
            }
        }
        Ok(Topology {
            links,
            from_near,
            before: before.map(|routes| AccessLinks::new(network, &routes)),
            after: after.map(|routes| AccessLinks::new(network, &routes)),
        })
    }
}

/// The link back between the same nodes.
fn link_back(network: &Network, watched: LinkId) -> Result<LinkId, Unsupported> {
    let ends = |wanted| {
        let link = network.links().find(|(id, ..)| *id == wanted);
        link.map(|(_, from, to, _)| (from, to))
    };
    let leads_back = |from: Node, to: Node| {
        let link = network.links().find(|(_, a, b, _)| (*a, *b) == (to, from));
        link.map(|(id, ..)| id)
    };
    let back = ends(watched).and_then(|(from, to)| leads_back(from, to));
    back.ok_or_else(|| Unsupported {
        flow: None,
        message: format!(
            "live needs a path back, and no link leads back alongside `{}`",
            network.link_name(watched)
        ),
        help: "describe a link between the same two nodes in the other direction".to_string(),
    })
}

/// Checks that the emulated link can do what a bottleneck does in the simulator.
fn check_bottleneck(network: &Network, link: LinkId) -> Result<(), Unsupported> {
    let described = network.get(link);
    let features = [
        (
            described.delay_trace.is_some(),
            "recorded delay",
            "a constant `delay`, or `changes` of it",
        ),
        (
            described.aggregation.is_some(),
            "aggregation",
            "remove it, or record the link: `trace`",
        ),
        (
            described.slot.is_some(),
            "slot",
            "remove it, or record the link: `trace`",
        ),
    ];
    match features.iter().find(|(is_present, ..)| *is_present) {
        None => Ok(()),
        Some((_, what, instead)) => Err(Unsupported {
            flow: None,
            message: format!(
                "live has no {what}, and `{}` has one",
                network.link_name(link)
            ),
            help: format!("the simulator has it; for live: {instead}"),
        }),
    }
}

fn bypasses_bottleneck(network: &Network, flow: usize, link: LinkId) -> Unsupported {
    let name = network.link_name(link);
    Unsupported {
        flow: Some(flow),
        message: format!("live has one bottleneck, and this flow does not cross `{name}`"),
        help: format!("all flows must go over `{name}` and back over its opposite link"),
    }
}

/// Checks that all links of a path except the bottleneck, which is at index `bottleneck`, are
/// access links whose packets come from one place.
fn check_path(
    network: &Network,
    path: &[LinkId],
    bottleneck: usize,
    upstream: &mut Upstream,
) -> Result<(), Unsupported> {
    let mut before = None;
    for (index, link) in path.iter().enumerate() {
        if index != bottleneck {
            check_access_link(network, *link)?;
            let known = *upstream.entry(*link).or_insert(before);
            if known != before {
                return Err(second_bottleneck(
                    network,
                    *link,
                    "the packets of several links meet there",
                ));
            }
        }
        before = Some(*link);
    }
    Ok(())
}

/// Checks that a link has only a rate and a delay.
fn check_access_link(network: &Network, link: LinkId) -> Result<(), Unsupported> {
    let Link {
        rate: _,
        delay: _,
        queue,
        mean_packet: _,
        loss,
        reorder,
        changes,
        cuts,
        trace,
        delay_trace,
        aggregation,
        slot,
        steered,
        is_nic,
        by_class: _, // Of a network card.
    } = network.get(link);
    if queue.is_some() {
        return Err(second_bottleneck(network, link, "it has a queue"));
    }
    let features = [
        (*loss > 0.0, "loses packets"),
        (reorder.is_some(), "reorders packets"),
        (!changes.is_empty(), "changes"),
        (!cuts.is_empty(), "is cut"),
        (trace.is_some(), "follows a trace"),
        (delay_trace.is_some(), "has a recorded delay"),
        (aggregation.is_some(), "sends in aggregates"),
        (slot.is_some(), "sends in slots"),
        (*steered, "is steered"),
        (*is_nic, "is a network card that holds senders back"),
    ];
    match features.iter().find(|(is_present, _)| *is_present) {
        None => Ok(()),
        Some((_, does)) => Err(Unsupported {
            flow: None,
            message: format!(
                "live has plain access links around the bottleneck, and `{}` {does}",
                network.link_name(link)
            ),
            help: "only the bottleneck can do that".to_string(),
        }),
    }
}

fn second_bottleneck(network: &Network, link: LinkId, why: &str) -> Unsupported {
    Unsupported {
        flow: None,
        message: format!(
            "live has one bottleneck, and `{}` is a second one: {why}",
            network.link_name(link)
        ),
        help: "around the bottleneck there can be hosts' own links, without queues".to_string(),
    }
}

#[cfg(test)]
#[path = "topology_tests.rs"]
mod tests;
