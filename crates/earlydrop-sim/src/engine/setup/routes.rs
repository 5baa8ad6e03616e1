//! Which routes flows take, and where on them a packet must become an event.
//!
//! A link can be computed ahead of time if its packets arrive in the order in which the engine
//! computes them. They do if all of them come from one source. A source is
//! - another link: packets leave a link in order, unless it reorders;
//! - an end of a flow that acts ahead of time: its packets are in order, but not with others';
//! - a host, for ends that act only at their events, and so in order of time.
//!
//! Where two sources merge, at a network card, or where a port shares a buffer with others, packets
//! wait as events: one source may be computed further ahead than the other. The acknowledgments of a passive receiver (no delayed acknowledgments, no requests)
//! count as coming from the link before it.
//!
//! Each flow's round trip has at least one event besides the one before its first link, where a
//! packet just sent does not wait. Without it, the answer to a packet would be computed while its
//! sender has more to send, and each would cause the next without end.

use std::collections::HashMap;

use super::super::route::Stage;
use crate::empty_path::EmptyPath;
use crate::network::{LinkId, MAX_SPRAYED, Network, Node, Routes};
use crate::streams::path_hash;
use crate::traffic::{Application, Flow, Ports, Traffic};

/// A source of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// Ends of flows at this host that act only at their events.
    Host(Node),
    /// The sender of this flow.
    Sender(usize),
    /// Several connections of one flow, each with its own processing delay: in no order.
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
    One(Source),
    Mixed,
}

/// Two ends that need a route.
#[derive(Clone, Copy, Debug)]
pub(super) struct Routed {
    /// The index of the flow between them.
    pub(super) flow: usize,
    pub(super) from: Node,
    pub(super) to: Node,
    /// A number that chooses between shortest routes.
    pub(super) path: u64,
}

impl Routed {
    /// The ends of each flow. A flow list's own are those of its first transfer.
    pub(super) fn flows(flows: &[Flow], seed: u64) -> Vec<Routed> {
        let ends = |(index, flow): (usize, &Flow)| {
            let first = match &flow.traffic {
                Traffic::Tcp {
                    application: Application::FlowList { transfers, .. },
                    ..
                } => transfers.first(),
                _ => None,
            };
            Routed {
                flow: index,
                from: first.map_or(flow.from, |transfer| transfer.from),
                to: first.map_or(flow.to, |transfer| transfer.to),
                path: path_hash(seed, index as u64),
            }
        };
        flows.iter().enumerate().map(ends).collect()
    }
}

/// The links of the two routes between a flow's ends.
#[derive(Debug)]
pub(super) struct FlowRoutes {
    pub(super) flow: usize,
    pub(super) from: Node,
    pub(super) to: Node,
    pub(super) forward: Vec<LinkId>,
    pub(super) backward: Vec<LinkId>,
    /// What packets choose from in each period between changes of routes, where they are sprayed over
    /// several or routes change; empty where all take the route above.
    pub(super) choices: Vec<Choice>,
    /// The receiver does nothing except when a packet arrives.
    pub(super) passive: bool,
}

/// Routes between a flow's ends that packets choose from: all shortest ones, or one. As many as one
/// direction has; the routes of the other are repeated, so that each route there has one back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) pairs: Vec<[Vec<LinkId>; 2]>,
    /// How many routes differ, forward and backward: the first of the pairs.
    pub(super) distinct: [usize; 2],
}

impl Choice {
    /// The routes of one direction, and of the other; `None` where one has none.
    fn new(forward: &[Vec<LinkId>], backward: &[Vec<LinkId>]) -> Option<Choice> {
        let distinct = [forward.len(), backward.len()];
        let pairs = distinct.into_iter().max()?;
        (!distinct.contains(&0)).then(|| Choice {
            pairs: (0..pairs)
                .map(|n| {
                    [
                        forward[n % distinct[0]].clone(),
                        backward[n % distinct[1]].clone(),
                    ]
                })
                .collect(),
            distinct,
        })
    }
}

impl FlowRoutes {
    /// Whether the sender's host has a network card.
    pub(super) fn begins_at_nic(&self, network: &Network) -> bool {
        begins_at_nic(network, &self.forward)
    }

    /// The links that packets take, there and back.
    pub(super) fn empty_path(&self, network: &Network) -> EmptyPath {
        let path = |choice: &Choice| {
            let [there, back] = [0, 1].map(|direction| -> Vec<&[LinkId]> {
                let pairs = choice.pairs[..choice.distinct[direction]].iter();
                pairs.map(|pair| &*pair[direction]).collect()
            });
            EmptyPath::new(network, &there, &back)
        };
        let mut paths = self.choices.iter().map(path);
        match paths.next() {
            Some(first) => paths.fold(first, |path, later| path.or(&later)),
            None => EmptyPath::new(network, &[&self.forward], &[&self.backward]),
        }
    }

    /// Each route forward with one backward.
    pub(super) fn pairs(&self) -> impl Iterator<Item = [&[LinkId]; 2]> {
        let chosen = self.choices.iter().flat_map(|choice| &choice.pairs);
        let chosen = chosen.map(|[forward, backward]| [&forward[..], &backward[..]]);
        let own = self
            .choices
            .is_empty()
            .then_some([&self.forward[..], &self.backward[..]]);
        own.into_iter().chain(chosen)
    }
}

/// What a link has become: its stage, and that of its impairments.
pub(super) type LinkStages = (Stage, Option<Stage>);

/// Finds the routes between all ends, or returns those without.
pub(super) fn find_routes(
    network: &Network,
    flows: &[Flow],
    routed: &[Routed],
) -> Result<Vec<FlowRoutes>, Routed> {
    let mut periods = network.periods().routes(network);
    let mut find = |ends: &Routed| {
        let back = Routed {
            from: ends.to,
            to: ends.from,
            ..*ends
        };
        let routes = periods.first_mut().ok_or(*ends)?;
        let mut path = |way: &Routed| routes.find_path(way.from, way.to, way.path).ok_or(*way);
        let (forward, backward) = (path(ends)?, path(&back)?);
        Ok(FlowRoutes {
            flow: ends.flow,
            from: ends.from,
            to: ends.to,
            passive: is_passive(network, &flows[ends.flow], &forward),
            choices: match network.changes_routes() {
                true => choices(network, &mut periods, ends).ok_or(*ends)?,
                false => Vec::new(),
            },
            forward,
            backward,
        })
    };
    routed.iter().map(&mut find).collect()
}

/// What packets between two ends choose from in each period, nothing where there is one route in all;
/// `None` without a route in the first. Where a period leaves no route, that of the one before stays:
/// what takes it is lost.
fn choices(network: &Network, periods: &mut [Routes], ends: &Routed) -> Option<Vec<Choice>> {
    let mut choices: Vec<Choice> = Vec::with_capacity(periods.len());
    for routes in periods {
        let mut one_way = |from, to| match network.spraying {
            true => routes.find_all(from, to, MAX_SPRAYED),
            false => routes.find_path(from, to, ends.path).into_iter().collect(),
        };
        let (forward, backward) = (one_way(ends.from, ends.to), one_way(ends.to, ends.from));
        let choice = Choice::new(&forward, &backward).or_else(|| choices.last().cloned());
        choices.push(choice?);
    }
    let has_one = choices
        .iter()
        .all(|one| one.pairs.len() == 1 && one.pairs == choices[0].pairs);
    Some(if has_one { Vec::new() } else { choices })
}

fn is_passive(network: &Network, flow: &Flow, forward: &[LinkId]) -> bool {
    let only_answers = match &flow.traffic {
        // Over several routes datagrams overtake each other, and jitter is of the order of arrival.
        Traffic::Datagrams { .. } => !network.changes_routes(),
        Traffic::Tcp { profile, .. } => {
            profile.delayed_acks.is_none() && acts_ahead(network, flow, forward)
        }
    };
    only_answers && arrives_in_order(network, forward)
}

fn begins_at_nic(network: &Network, forward: &[LinkId]) -> bool {
    let first = forward.first();
    first.is_some_and(|link| network.get(*link).is_nic)
}

/// Whether the ends of a flow may act before their packets' time has come. They may not if they
/// share something with other flows, as the connections of one flow do, or a client and its
/// server. Nor may they where packets are sprayed: these do not arrive in order. Nor where the
/// sender waits for its host's network card.
fn acts_ahead(network: &Network, flow: &Flow, forward: &[LinkId]) -> bool {
    match &flow.traffic {
        Traffic::Datagrams { .. } => false,
        Traffic::Tcp { application, .. } => {
            !network.changes_routes()
                && !begins_at_nic(network, forward)
                && !matches!(
                    application,
                    Application::Requests { .. }
                        | Application::Incast(_)
                        | Application::Pages { .. }
                )
                && !opens_connections(flow)
        }
    }
}

/// Whether it stands for several connections, opened when they are needed.
pub(super) fn opens_connections(flow: &Flow) -> bool {
    matches!(
        &flow.traffic,
        Traffic::Tcp {
            application: Application::Arrivals { .. }
                | Application::FlowList { .. }
                | Application::Web {
                    ports: Ports::New,
                    ..
                },
            ..
        }
    )
}

/// Whether packets arrive at the end of `route` in order.
fn arrives_in_order(network: &Network, route: &[LinkId]) -> bool {
    route
        .last()
        .is_some_and(|last| network.get(*last).keeps_order())
}

/// The stages of all routes, each route once, and where each [pair](FlowRoutes::pairs) of routes
/// begins, forward before backward. `links` says what each link has become.
pub(super) fn lay_out(
    network: &Network,
    links: &[LinkStages],
    flows: &[Flow],
    routes: &[FlowRoutes],
) -> (Vec<Stage>, Vec<u32>) {
    let feeds = feeds(network, flows, routes);
    let ids = network.links().map(|(id, ..)| id);
    let shares_buffer: Vec<bool> = ids.map(|id| network.shares_buffer(id)).collect();
    let ids = network.links().map(|(id, ..)| id);
    let pauses: Vec<bool> = ids.map(|id| network.takes_part_in_pauses(id)).collect();
    let of_link = |link: &LinkId| {
        let in_order = feeds[link.0 as usize] != Feed::Mixed
            && network.get(*link).is_steady()
            && !network.get(*link).is_nic
            && !shares_buffer[link.0 as usize]
            && !pauses[link.0 as usize];
        let event = (!in_order).then_some(Stage::Event);
        let (stage, impairments) = links[link.0 as usize];
        event.into_iter().chain([stage]).chain(impairments)
    };
    let mut stages = Vec::new();
    let mut known: HashMap<Vec<Stage>, u32> = HashMap::new();
    let mut begins = Vec::with_capacity(2 * routes.len());
    let pairs = |routes| FlowRoutes::pairs(routes).map(move |pair| (routes, pair));
    for (routes, [there, back]) in routes.iter().flat_map(pairs) {
        let ahead = acts_ahead(network, &flows[routes.flow], &routes.forward);
        let mut round: Vec<Stage> = there.iter().flat_map(of_link).collect();
        let in_order = arrives_in_order(network, there);
        if !(routes.passive || ahead && in_order) {
            round.push(Stage::Event);
        }
        round.push(Stage::Receiver);
        let backward = round.len() as u32;
        round.extend(back.iter().flat_map(of_link));
        let in_order = arrives_in_order(network, back);
        if !(ahead && in_order && round[1..].contains(&Stage::Event)) {
            round.push(Stage::Event);
        }
        round.push(Stage::Sender);
        let begin = *known.entry(round).or_insert_with_key(|round| {
            stages.extend(round);
            (stages.len() - round.len()) as u32
        });
        begins.extend([begin, begin + backward]);
    }
    (stages, begins)
}

fn feeds(network: &Network, flows: &[Flow], routes: &[FlowRoutes]) -> Vec<Feed> {
    let mut feeds = vec![Feed::Nothing; network.links().len()];
    let mut follow = |mut source: Source, route: &[LinkId]| {
        for link in route {
            let feed = &mut feeds[link.0 as usize];
            *feed = match *feed {
                _ if source == Source::Senders => Feed::Mixed,
                Feed::Nothing => Feed::One(source),
                Feed::One(other) if other == source => Feed::One(source),
                _ => Feed::Mixed,
            };
            if let Source::Link(before) = source
                && !network.get(before).keeps_order()
            {
                *feed = Feed::Mixed;
            }
            source = Source::Link(*link);
        }
    };
    for routes in routes {
        let (index, flow) = (routes.flow, &flows[routes.flow]);
        let ahead = acts_ahead(network, flow, &routes.forward);
        // A host with a processing delay keeps the order of one connection's packets only.
        let many = opens_connections(flow);
        let delays = flow.overhead.0 > 0;
        let data = if delays && many {
            Source::Senders
        } else if delays || ahead {
            Source::Sender(index)
        } else {
            Source::Host(routes.from)
        };
        let answers = match routes.forward.last() {
            Some(last) if routes.passive => Source::Link(*last),
            _ if ahead => Source::Receiver(index),
            _ => Source::Host(routes.to),
        };
        let sends_back = !matches!(flow.traffic, Traffic::Datagrams { .. });
        for [forward, backward] in routes.pairs() {
            follow(data, forward);
            if sends_back {
                follow(answers, backward);
            }
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

    /// The round trip of a dumbbell's first flow, with so many flows from left to right and so
    /// many from right to left: `-` is a link, `E` an event, `R` and `S` are the ends.
    fn drawn(forward: usize, reverse: usize, delayed: bool) -> String {
        let mut dumbbell = Dumbbell::new(link(), link());
        let mut profile = Profile::ns2(Recovery::Reno);
        if delayed {
            profile.delayed_acks = Profile::modern(crate::tcp::Algorithm::Reno).delayed_acks;
        }
        let profile = Arc::new(profile);
        let (rate, delay) = (BitsPerSec::from_mbps(100), Nanos::ZERO);
        let sink = dumbbell.right_host(rate, delay);
        let mut flows = Vec::new();
        for _ in 0..forward {
            let host = dumbbell.left_host(rate, delay);
            flows.push(Flow::bulk(host, sink, &profile));
        }
        for _ in 0..reverse {
            let host = dumbbell.left_host(rate, delay);
            flows.push(Flow::bulk(sink, host, &profile));
        }
        let routed = Routed::flows(&flows, 1);
        let routes = find_routes(&dumbbell.network, &flows, &routed).unwrap();
        let links: Vec<_> = (0..dumbbell.network.links().len() as u32)
            .map(|link| (Stage::Wire(link), None))
            .collect();
        let (stages, begins) = lay_out(&dumbbell.network, &links, &flows, &routes);
        let (from, back) = (begins[0], begins[1]);
        let draw = |stage: &Stage| match stage {
            Stage::Event => 'E',
            Stage::Receiver => 'R',
            Stage::Sender => 'S',
            _ => '-',
        };
        let round = &stages[from as usize..];
        let there = &round[..(back - from) as usize];
        let back = &round[there.len()..];
        let home = back.iter().position(|s| *s == Stage::Sender).unwrap();
        let there: String = there.iter().map(draw).collect();
        let back: String = back[..=home].iter().map(draw).collect();
        format!("{there} {back}")
    }

    #[test]
    fn packets_become_events_only_where_sources_merge() {
        // One flow: nothing merges, and there is one event nevertheless.
        assert_eq!(drawn(1, 0, false), "---R ---ES");
        // Several merge at the bottleneck; their acknowledgments come from one link.
        assert_eq!(drawn(3, 0, false), "-E--R ---S");
        // With data in the reverse direction, acknowledgments merge with that where they enter
        // the network.
        assert_eq!(drawn(3, 1, false), "-E--R E---S");
        // Receivers with timers may be computed further ahead than one another.
        assert_eq!(drawn(3, 0, true), "-E--R E---S");
    }
}
