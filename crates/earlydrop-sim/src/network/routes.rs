//! Shortest routes: the fewest links; of several, the links described first, or with
//! [multipath](Network::multipath) those that a hash chooses.

use std::collections::{BTreeSet, HashMap, VecDeque};

use earlydrop::packet::FlowKey;

use super::{LinkId, Network, Node};

/// More shortest routes between two hosts than this are not used for spraying.
pub(crate) const MAX_SPRAYED: usize = 256;

/// Finds routes, and caches its searches.
///
/// A host with a single link is skipped: its route leads over its router. So a network of many
/// hosts around few routers needs only as many searches as it has routers.
#[derive(Debug)]
pub struct Routes {
    outgoing: Vec<Vec<(LinkId, Node)>>,
    incoming: Vec<Vec<(LinkId, Node)>>,
    /// For each destination, the next link and node from every node.
    towards: HashMap<Node, Vec<Option<(LinkId, Node)>>>,
    multipath: bool,
    /// For each destination, the number of links to it from every node, with multipath.
    distances: HashMap<Node, Vec<u16>>,
}

impl Routes {
    /// The routes of `network` as it is now.
    pub fn new(network: &Network) -> Routes {
        Routes::without(network, &BTreeSet::new())
    }

    /// The routes that leave these links out.
    pub(crate) fn without(network: &Network, left_out: &BTreeSet<LinkId>) -> Routes {
        let mut outgoing = vec![Vec::new(); network.nodes()];
        let mut incoming = vec![Vec::new(); network.nodes()];
        for (id, from, to, _) in network.links() {
            if left_out.contains(&id) {
                continue;
            }
            outgoing[from.0 as usize].push((id, to));
            incoming[to.0 as usize].push((id, from));
        }
        Routes {
            outgoing,
            incoming,
            towards: HashMap::new(),
            multipath: network.multipath,
            distances: HashMap::new(),
        }
    }

    /// The links from `from` to `to`, or `None` if there is no route.
    pub fn find(&mut self, from: Node, to: Node) -> Option<Vec<LinkId>> {
        self.find_path(from, to, 0)
    }

    /// The links from `from` to `to`, or `None` if there is no route. With multipath, each node
    /// chooses between its shortest continuations by a hash of `path`.
    pub fn find_path(&mut self, from: Node, to: Node, path: u64) -> Option<Vec<LinkId>> {
        let mut route = Vec::new();
        let mut at = from;
        let mut tail = None;
        let mut goal = to;
        if at != goal
            && let [(link, next)] = self.outgoing[at.0 as usize][..]
        {
            route.push(link);
            at = next;
        }
        if at != goal
            && let [(link, before)] = self.incoming[goal.0 as usize][..]
        {
            tail = Some(link);
            goal = before;
        }
        while at != goal {
            let (link, next) = match self.multipath {
                true => self.hashed_step(at, goal, path)?,
                false => self.step(at, goal)?,
            };
            route.push(link);
            at = next;
        }
        route.extend(tail);
        Some(route)
    }

    /// All shortest routes from `from` to `to`, but at most this many; none if there is no route.
    pub(crate) fn find_all(&mut self, from: Node, to: Node, at_most: usize) -> Vec<Vec<LinkId>> {
        let mut found = Vec::new();
        let mut begun = vec![(Vec::new(), from)];
        let incoming = &self.incoming;
        let (goal, tail) = match incoming[to.0 as usize][..] {
            [(link, before)] if from != to => (before, Some(link)),
            _ => (to, None),
        };
        let distances = self
            .distances
            .entry(goal)
            .or_insert_with(|| distances(incoming, goal));
        while let Some((mut route, at)) = begun.pop() {
            if at == goal {
                route.extend(tail);
                found.push(route);
                if found.len() == at_most {
                    break;
                }
                continue;
            }
            let here = u32::from(distances[at.0 as usize]);
            for (link, next) in self.outgoing[at.0 as usize].iter().rev() {
                if u32::from(distances[next.0 as usize]) + 1 == here {
                    begun.push(([&route[..], &[*link]].concat(), *next));
                }
            }
        }
        found
    }

    fn step(&mut self, at: Node, goal: Node) -> Option<(LinkId, Node)> {
        let Routes {
            incoming, towards, ..
        } = self;
        let tree = towards
            .entry(goal)
            .or_insert_with(|| search(incoming, goal));
        tree[at.0 as usize]
    }

    fn hashed_step(&mut self, at: Node, goal: Node, path: u64) -> Option<(LinkId, Node)> {
        let incoming = &self.incoming;
        let distances = self
            .distances
            .entry(goal)
            .or_insert_with(|| distances(incoming, goal));
        let here = distances[at.0 as usize];
        let next = self.outgoing[at.0 as usize].iter().copied();
        let mut shortest =
            next.filter(|(_, node)| u32::from(distances[node.0 as usize]) + 1 == u32::from(here));
        let count = shortest.clone().count() as u64;
        let chosen = FlowKey(path).hash(u64::from(at.0)) % count.max(1);
        shortest.nth(chosen as usize)
    }
}

/// Breadth-first search backwards from `goal`: the number of links from every node, `u16::MAX`
/// where there is no route.
fn distances(incoming: &[Vec<(LinkId, Node)>], goal: Node) -> Vec<u16> {
    let mut distances = vec![u16::MAX; incoming.len()];
    distances[goal.0 as usize] = 0;
    let mut reached = VecDeque::from([goal]);
    while let Some(node) = reached.pop_front() {
        let next = distances[node.0 as usize].saturating_add(1);
        for &(_, before) in &incoming[node.0 as usize] {
            if distances[before.0 as usize] == u16::MAX {
                distances[before.0 as usize] = next;
                reached.push_back(before);
            }
        }
    }
    distances
}

/// Breadth-first search backwards from `goal`: the next link and node from every node.
fn search(incoming: &[Vec<(LinkId, Node)>], goal: Node) -> Vec<Option<(LinkId, Node)>> {
    let mut towards = vec![None; incoming.len()];
    let mut reached = VecDeque::from([goal]);
    while let Some(node) = reached.pop_front() {
        for &(link, before) in &incoming[node.0 as usize] {
            if before != goal && towards[before.0 as usize].is_none() {
                towards[before.0 as usize] = Some((link, node));
                reached.push_back(before);
            }
        }
    }
    towards
}

#[cfg(test)]
mod tests {
    use super::super::{Dumbbell, Link, ParkingLot};
    use super::*;
    use earlydrop::units::{BitsPerSec, Nanos};

    fn link() -> Link {
        Link::new(BitsPerSec::from_mbps(10), Nanos::from_millis(1))
    }

    #[test]
    fn across_a_dumbbell_and_back() {
        let mut dumbbell = Dumbbell::new(link(), link());
        let (from, to) = dumbbell.pair(BitsPerSec::from_mbps(100), Nanos::ZERO);
        let mut routes = Routes::new(&dumbbell.network);
        // Links 0 and 1 are the bottleneck, 2 and 3 the left host's, 4 and 5 the right's.
        let route = |links: [u32; 3]| Some(links.map(LinkId).to_vec());
        assert_eq!(routes.find(from, to), route([2, 0, 5]));
        assert_eq!(routes.find(to, from), route([4, 1, 3]));
        assert_eq!(routes.find(from, from), Some(vec![]));
    }

    #[test]
    fn along_a_parking_lot_and_nowhere() {
        let mut lot = ParkingLot::new([link(), link(), link()]);
        let (rate, delay) = (BitsPerSec::from_mbps(100), Nanos::ZERO);
        let (from, to) = (lot.host(0, rate, delay), lot.host(3, rate, delay));
        let island = lot.network.node("island");
        let mut routes = Routes::new(&lot.network);
        let route = routes.find(from, to).unwrap();
        assert_eq!(route[1..4], lot.bottlenecks[..]);
        assert_eq!(routes.find(from, island), None);
        assert_eq!(routes.find(island, to), None);
    }

    #[test]
    fn the_shorter_of_two_routes_is_found() {
        let mut network = Network::new();
        let nodes: Vec<Node> = (0..4).map(|i| network.node(format!("{i}"))).collect();
        let [a, b, c, d] = nodes[..] else { panic!() };
        for (from, to) in [(a, b), (b, c), (c, d), (a, c), (d, a)] {
            network.link(from, to, link());
        }
        let mut routes = Routes::new(&network);
        assert_eq!(routes.find(a, d), Some(vec![LinkId(3), LinkId(2)]));
        assert_eq!(routes.find(d, b), Some(vec![LinkId(4), LinkId(0)]));
    }
}
