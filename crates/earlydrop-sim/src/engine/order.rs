//! Which hops can be worked out ahead of time, and the table of all routes.
//!
//! A link's packets can, when they come in the order in which the engine works them out:
//! when all of them come from one place. Places are
//! - another link: what leaves a link leaves in order, unless it reorders;
//! - a host, whose ends act when their events come, and so in order of time.
//!
//! Two places are already one too many, for one may be worked out further ahead than
//! the other. A receiver can be worked out ahead of time too when it does nothing of its
//! own accord (no delayed acknowledgments, no requests); what it sends then comes from
//! the link before it, and not from its host.

use std::collections::HashMap;

use super::Hop;
use crate::network::{LinkId, Network, Node, Routes};
use crate::traffic::{Application, Flow, Traffic};

/// A place packets come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The ends of flows at this host, when their events come.
    Host(Node),
    /// One flow's connection, whose packets are held back in its host.
    Flow(usize),
    /// Several connections of one flow, each held back by itself: in no order.
    Flows,
    /// A link.
    Link(LinkId),
}

/// Where a link's packets come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Feed {
    Nothing,
    One(Place),
    Mixed,
}

/// A flow's ways there and back.
#[derive(Debug)]
pub(super) struct Ways {
    pub(super) forward: Vec<LinkId>,
    pub(super) backward: Vec<LinkId>,
    pub(super) receives_ahead: bool,
}

/// Finds the ways of every flow, or says which flow has none.
pub(super) fn find_ways(network: &Network, flows: &[Flow]) -> Result<Vec<Ways>, usize> {
    let mut routes = Routes::new(network);
    let mut find = |flow: &Flow| {
        let there = routes.find(flow.from, flow.to)?;
        let back = routes.find(flow.to, flow.from)?;
        Some(Ways {
            receives_ahead: receives_ahead(network, flow, &there),
            forward: there,
            backward: back,
        })
    };
    let numbered = flows.iter().enumerate();
    numbered
        .map(|(index, flow)| find(flow).ok_or(index))
        .collect()
}

fn receives_ahead(network: &Network, flow: &Flow, there: &[LinkId]) -> bool {
    let passive = match &flow.traffic {
        Traffic::Datagrams { .. } => true,
        Traffic::Tcp {
            profile,
            application,
        } => profile.delayed_acks.is_none() && !matches!(application, Application::Requests { .. }),
    };
    passive
        && there
            .last()
            .is_some_and(|last| network.get(*last).keeps_order())
}

/// The table of all routes, and where each flow's two begin in it. `places` says which
/// wire or port each link has become.
pub(super) fn lay_out(
    network: &Network,
    places: &[Hop],
    flows: &[Flow],
    ways: &[Ways],
) -> (Vec<Hop>, Vec<(u32, u32)>) {
    let feeds = feeds(network, flows, ways);
    let hop = |link: &LinkId| {
        let in_order = feeds[link.0 as usize] != Feed::Mixed && network.get(*link).is_steady();
        match (places[link.0 as usize], in_order) {
            (Hop::Wire(wire), false) => Hop::WireInTurn(wire),
            (Hop::Port(port), false) => Hop::PortInTurn(port),
            (ahead, _) => ahead,
        }
    };
    let mut hops = Vec::new();
    let mut known: HashMap<(Node, Node, bool), (u32, u32)> = HashMap::new();
    let mut begins = Vec::with_capacity(flows.len());
    for (flow, ways) in flows.iter().zip(ways) {
        let begin = known
            .entry((flow.from, flow.to, ways.receives_ahead))
            .or_insert_with(|| {
                let forward = hops.len() as u32;
                hops.extend(ways.forward.iter().map(hop));
                hops.push(if ways.receives_ahead {
                    Hop::ReceiverAhead
                } else {
                    Hop::Receiver
                });
                let backward = hops.len() as u32;
                hops.extend(ways.backward.iter().map(hop));
                hops.push(Hop::Sender);
                (forward, backward)
            });
        begins.push(*begin);
    }
    (hops, begins)
}

fn feeds(network: &Network, flows: &[Flow], ways: &[Ways]) -> Vec<Feed> {
    let mut feeds = vec![Feed::Nothing; network.links().len()];
    let mut follow = |mut place: Place, way: &[LinkId]| {
        for link in way {
            let feed = &mut feeds[link.0 as usize];
            *feed = match *feed {
                _ if place == Place::Flows => Feed::Mixed,
                Feed::Nothing => Feed::One(place),
                Feed::One(other) if other == place => Feed::One(place),
                _ => Feed::Mixed,
            };
            if let Place::Link(before) = place
                && !network.get(before).keeps_order()
            {
                *feed = Feed::Mixed;
            }
            place = Place::Link(*link);
        }
    };
    for (index, (flow, ways)) in flows.iter().zip(ways).enumerate() {
        let sends = match &flow.traffic {
            _ if flow.overhead.0 == 0 => Place::Host(flow.from),
            Traffic::Tcp {
                application: Application::Arrivals { .. },
                ..
            } => Place::Flows,
            _ => Place::Flow(index),
        };
        follow(sends, &ways.forward);
        let answers = match ways.forward.last() {
            Some(last) if ways.receives_ahead => Place::Link(*last),
            _ => Place::Host(flow.to),
        };
        let sends_back = !matches!(flow.traffic, Traffic::Datagrams { .. });
        if sends_back {
            follow(answers, &ways.backward);
        }
    }
    feeds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Dumbbell, Link};
    use crate::tcp::{Profile, Recovery};
    use earlydrop::units::{BitsPerSec, Nanos};
    use std::sync::Arc;

    fn link() -> Link {
        Link::new(BitsPerSec::from_mbps(10), Nanos::from_millis(1))
    }

    /// The hops of a dumbbell's first flow, of `flows` from left to right and as many
    /// back; A for ahead, T for in turn, capitals for the bottleneck.
    fn drawn(forward: usize, reverse: usize, delayed: bool) -> String {
        let mut bell = Dumbbell::new(link(), link());
        let mut profile = Profile::ns2(Recovery::Reno);
        if delayed {
            profile.delayed_acks = Profile::modern(crate::tcp::Algorithm::Reno).delayed_acks;
        }
        let profile = Arc::new(profile);
        let (rate, delay) = (BitsPerSec::from_mbps(100), Nanos::ZERO);
        let sink = bell.right_host(rate, delay);
        let mut flows = Vec::new();
        for _ in 0..forward {
            flows.push(Flow::bulk(bell.left_host(rate, delay), sink, &profile));
        }
        for _ in 0..reverse {
            flows.push(Flow::bulk(sink, bell.left_host(rate, delay), &profile));
        }
        let ways = find_ways(&bell.network, &flows).unwrap();
        let places: Vec<Hop> = (0..bell.network.links().len() as u32)
            .map(Hop::Wire)
            .collect();
        let (hops, begins) = lay_out(&bell.network, &places, &flows, &ways);
        let (from, back) = begins[0];
        let draw = |hop: &Hop| match hop {
            Hop::Wire(_) | Hop::Port(_) => 'a',
            Hop::WireInTurn(_) | Hop::PortInTurn(_) => 't',
            Hop::ReceiverAhead => 'A',
            Hop::Receiver => 'T',
            Hop::Sender => 'S',
        };
        let first = &hops[from as usize..];
        let length = (back - from) as usize;
        let there: String = first[..length].iter().map(draw).collect();
        let back: String = first[length..2 * length].iter().map(draw).collect();
        format!("{there} {back}")
    }

    #[test]
    fn only_where_streams_meet_must_a_packet_wait_for_its_turn() {
        // One flow: nothing meets.
        assert_eq!(drawn(1, 0, false), "aaaA aaaS");
        // Several meet at the bottleneck; their acknowledgments come in one stream.
        assert_eq!(drawn(3, 0, false), "ataA aaaS");
        // With data coming back, acknowledgments meet that where they enter the network.
        assert_eq!(drawn(3, 1, false), "ataA taaS");
        // Receivers with timers act in turn, and are one place all the same.
        assert_eq!(drawn(3, 0, true), "ataT aaaS");
    }
}
