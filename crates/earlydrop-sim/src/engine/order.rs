//! Where packets must wait for their turn, and the table of all routes.
//!
//! A link can be worked out ahead of time when its packets come in the order in which
//! the engine works them out: when all of them come from one place. Places are
//! - another link: what leaves a link leaves in order, unless it reorders;
//! - an end of a flow that works ahead: what it sends is in order, but not with others;
//! - a host, for ends that act only when their events come, and so in order of time.
//!
//! Two places are already one too many, for one may be worked out further ahead than
//! the other. What a receiver that does nothing of its own accord (no delayed
//! acknowledgments, no requests) sends comes from the link before it.
//!
//! Every flow's way there and back has at least one turn beside that before its first
//! link, where a packet just sent does not wait: or the answer to a packet would be
//! worked out while its sender has more to send, and one would lead to the next without
//! end.

use std::collections::HashMap;

use super::hop::Hop;
use crate::network::{LinkId, Network, Node, Routes};
use crate::traffic::{Application, Flow, Traffic};

/// A place packets come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Ends of flows at this host that act when their events come.
    Host(Node),
    /// The sender of this flow.
    Sender(usize),
    /// Several connections of one flow, each held back by itself: in no order.
    Senders,
    /// The receiver of this flow.
    Receiver(usize),
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
    /// The receiver does nothing of its own accord.
    pub(super) passive: bool,
}

/// Finds the ways of every flow, or says which flow has none.
pub(super) fn find_ways(network: &Network, flows: &[Flow]) -> Result<Vec<Ways>, usize> {
    let mut routes = Routes::new(network);
    let mut find = |flow: &Flow| {
        let there = routes.find(flow.from, flow.to)?;
        let back = routes.find(flow.to, flow.from)?;
        Some(Ways {
            passive: is_passive(network, flow, &there),
            forward: there,
            backward: back,
        })
    };
    let numbered = flows.iter().enumerate();
    numbered
        .map(|(index, flow)| find(flow).ok_or(index))
        .collect()
}

fn is_passive(network: &Network, flow: &Flow, there: &[LinkId]) -> bool {
    let silent = match &flow.traffic {
        Traffic::Datagrams { .. } => true,
        Traffic::Tcp { profile, .. } => profile.delayed_acks.is_none() && works_ahead(flow),
    };
    silent && comes_in_order(network, there)
}

/// Whether the ends of a flow may act before their packets' time has come: not where
/// they share something with others, as connections that one flow makes, or a client
/// and its server.
fn works_ahead(flow: &Flow) -> bool {
    match &flow.traffic {
        Traffic::Datagrams { .. } => false,
        Traffic::Tcp { application, .. } => !matches!(
            application,
            Application::Requests { .. } | Application::Pages { .. } | Application::Arrivals { .. }
        ),
    }
}

/// Whether it is several connections, made as they are needed.
pub(super) fn makes_connections(flow: &Flow) -> bool {
    matches!(
        &flow.traffic,
        Traffic::Tcp {
            application: Application::Arrivals { .. },
            ..
        }
    )
}

/// Whether packets come to the end of `way` in order.
fn comes_in_order(network: &Network, way: &[LinkId]) -> bool {
    way.last()
        .is_some_and(|last| network.get(*last).keeps_order())
}

/// The table of all routes, each once, and where in it each flow's two begin, forward
/// before backward. `places` says which wire or port each link has become.
pub(super) fn lay_out(
    network: &Network,
    places: &[(Hop, Option<Hop>)],
    flows: &[Flow],
    ways: &[Ways],
) -> (Vec<Hop>, Vec<u32>) {
    let feeds = feeds(network, flows, ways);
    let steps = |link: &LinkId| {
        let in_order = feeds[link.0 as usize] != Feed::Mixed && network.get(*link).is_steady();
        let turn = (!in_order).then_some(Hop::Turn);
        let (place, extras) = places[link.0 as usize];
        turn.into_iter().chain([place]).chain(extras)
    };
    let mut hops = Vec::new();
    let mut known: HashMap<Vec<Hop>, u32> = HashMap::new();
    let mut routes = Vec::with_capacity(2 * flows.len());
    for (flow, ways) in flows.iter().zip(ways) {
        let ahead = works_ahead(flow);
        let mut way: Vec<Hop> = ways.forward.iter().flat_map(steps).collect();
        let in_order = comes_in_order(network, &ways.forward);
        if !(ways.passive || ahead && in_order) {
            way.push(Hop::Turn);
        }
        way.push(Hop::Receiver);
        let backward = way.len() as u32;
        way.extend(ways.backward.iter().flat_map(steps));
        let in_order = comes_in_order(network, &ways.backward);
        if !(ahead && in_order && way[1..].contains(&Hop::Turn)) {
            way.push(Hop::Turn);
        }
        way.push(Hop::Sender);
        let begin = *known.entry(way).or_insert_with_key(|way| {
            hops.extend(way);
            (hops.len() - way.len()) as u32
        });
        routes.extend([begin, begin + backward]);
    }
    (hops, routes)
}

fn feeds(network: &Network, flows: &[Flow], ways: &[Ways]) -> Vec<Feed> {
    let mut feeds = vec![Feed::Nothing; network.links().len()];
    let mut follow = |mut place: Place, way: &[LinkId]| {
        for link in way {
            let feed = &mut feeds[link.0 as usize];
            *feed = match *feed {
                _ if place == Place::Senders => Feed::Mixed,
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
        let ahead = works_ahead(flow);
        // What a host holds back is in order by itself only.
        let many = makes_connections(flow);
        let held_back = flow.overhead.0 > 0;
        let sends = if held_back && many {
            Place::Senders
        } else if held_back || ahead {
            Place::Sender(index)
        } else {
            Place::Host(flow.from)
        };
        follow(sends, &ways.forward);
        let answers = match ways.forward.last() {
            Some(last) if ways.passive => Place::Link(*last),
            _ if ahead => Place::Receiver(index),
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

    /// The way of a dumbbell's first flow and back, with so many flows from left to
    /// right and so many from right to left: a dash for a link, a T where a packet waits
    /// for its turn, the ends as R and S.
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
        let places: Vec<_> = (0..bell.network.links().len() as u32)
            .map(|link| (Hop::Wire(link), None))
            .collect();
        let (hops, routes) = lay_out(&bell.network, &places, &flows, &ways);
        let (from, back) = (routes[0], routes[1]);
        let draw = |hop: &Hop| match hop {
            Hop::Turn => 'T',
            Hop::Receiver => 'R',
            Hop::Sender => 'S',
            _ => '-',
        };
        let way = &hops[from as usize..];
        let there = &way[..(back - from) as usize];
        let back = &way[there.len()..];
        let home = back.iter().position(|hop| *hop == Hop::Sender).unwrap();
        let there: String = there.iter().map(draw).collect();
        let back: String = back[..=home].iter().map(draw).collect();
        format!("{there} {back}")
    }

    #[test]
    fn only_where_streams_meet_must_a_packet_wait_for_its_turn() {
        // One flow: nothing meets, and still there is a turn.
        assert_eq!(drawn(1, 0, false), "---R ---TS");
        // Several meet at the bottleneck; their acknowledgments come in one stream.
        assert_eq!(drawn(3, 0, false), "-T--R ---S");
        // With data coming back, acknowledgments meet that where they enter the network.
        assert_eq!(drawn(3, 1, false), "-T--R T---S");
        // Receivers with timers may be worked out further ahead than one another.
        assert_eq!(drawn(3, 0, true), "-T--R T---S");
    }
}
