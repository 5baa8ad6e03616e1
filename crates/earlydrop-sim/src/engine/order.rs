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
    /// One flow, whose packets are held back in its host.
    Flow(usize),
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

/// The table of all routes, and where in it each flow's two begin, forward before
/// backward. `places` says which wire or port each link has become.
pub(super) fn lay_out(
    network: &Network,
    places: &[Hop],
    flows: &[Flow],
    ways: &[Ways],
) -> (Vec<Hop>, Vec<u32>) {
    let feeds = feeds(network, flows, ways);
    let steps = |link: &LinkId| {
        let in_order = feeds[link.0 as usize] != Feed::Mixed && network.get(*link).is_steady();
        let turn = (!in_order).then_some(Hop::Turn);
        turn.into_iter().chain([places[link.0 as usize]])
    };
    let mut hops = Vec::new();
    let mut known: HashMap<(Node, Node, bool), (u32, u32)> = HashMap::new();
    let mut routes = Vec::with_capacity(2 * flows.len());
    for (flow, ways) in flows.iter().zip(ways) {
        let begin = known
            .entry((flow.from, flow.to, ways.receives_ahead))
            .or_insert_with(|| {
                let forward = hops.len() as u32;
                hops.extend(ways.forward.iter().flat_map(steps));
                if !ways.receives_ahead {
                    hops.push(Hop::Turn);
                }
                hops.push(Hop::Receiver);
                let backward = hops.len() as u32;
                hops.extend(ways.backward.iter().flat_map(steps));
                hops.extend([Hop::Turn, Hop::Sender]);
                (forward, backward)
            });
        routes.extend([begin.0, begin.1]);
    }
    (hops, routes)
}

fn feeds(network: &Network, flows: &[Flow], ways: &[Ways]) -> Vec<Feed> {
    let mut feeds = vec![Feed::Nothing; network.links().len()];
    let mut follow = |mut place: Place, way: &[LinkId]| {
        for link in way {
            let feed = &mut feeds[link.0 as usize];
            *feed = match *feed {
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
        let held = flow.overhead.0 > 0;
        let sends = if held {
            Place::Flow(index)
        } else {
            Place::Host(flow.from)
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
        let places: Vec<Hop> = (0..bell.network.links().len() as u32)
            .map(Hop::Wire)
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
        // One flow: nothing meets.
        assert_eq!(drawn(1, 0, false), "---R ---TS");
        // Several meet at the bottleneck; their acknowledgments come in one stream.
        assert_eq!(drawn(3, 0, false), "-T--R ---TS");
        // With data coming back, acknowledgments meet that where they enter the network.
        assert_eq!(drawn(3, 1, false), "-T--R T---TS");
        // Receivers with timers act in turn, and are one place all the same.
        assert_eq!(drawn(3, 0, true), "-T--TR ---TS");
    }
}
