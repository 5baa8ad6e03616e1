//! Two common topologies: the dumbbell and the parking lot.

use earlydrop::units::{BitsPerSec, Nanos};

use super::{Link, LinkId, Network, Node};

/// Two routers with a bottleneck between them, and hosts on both sides.
///
/// ```
/// use earlydrop_sim::network::{Dumbbell, Link};
/// let bottleneck = Link::new("10 Mbps".parse()?, "10 ms".parse()?).queue("red".parse()?);
/// let mut dumbbell = Dumbbell::new(bottleneck.clone(), bottleneck);
/// let (from, to) = dumbbell.pair("100 Mbps".parse()?, "1 ms".parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Dumbbell {
    /// The network, for a [`Run`](crate::Run).
    pub network: Network,
    /// The router of the left side.
    pub left: Node,
    /// The router of the right side.
    pub right: Node,
    /// The bottleneck from left to right.
    pub bottleneck: LinkId,
    /// The link from right to left, for acknowledgments and reverse traffic.
    pub reverse: LinkId,
}

impl Dumbbell {
    /// The two routers, with `bottleneck` from left to right and `reverse` back.
    pub fn new(bottleneck: Link, reverse: Link) -> Dumbbell {
        let mut network = Network::new();
        let (left, right) = (network.node("left"), network.node("right"));
        let bottleneck = network.link(left, right, bottleneck);
        let reverse = network.link(right, left, reverse);
        Dumbbell {
            network,
            left,
            right,
            bottleneck,
            reverse,
        }
    }

    /// Adds a host on the left, with an access link in each direction.
    pub fn left_host(&mut self, rate: BitsPerSec, delay: Nanos) -> Node {
        host(&mut self.network, self.left, rate, delay)
    }

    /// Adds a host on the right, with an access link in each direction.
    pub fn right_host(&mut self, rate: BitsPerSec, delay: Nanos) -> Node {
        host(&mut self.network, self.right, rate, delay)
    }

    /// Adds a host on each side, with equal access links; returns left and right.
    pub fn pair(&mut self, rate: BitsPerSec, delay: Nanos) -> (Node, Node) {
        (self.left_host(rate, delay), self.right_host(rate, delay))
    }
}

/// Routers in a row with a bottleneck between each two. Traffic along the whole row meets cross
/// traffic at each bottleneck.
#[derive(Clone, Debug)]
pub struct ParkingLot {
    /// The network, for a [`Run`](crate::Run).
    pub network: Network,
    /// The routers from left to right, one more than bottlenecks.
    pub routers: Vec<Node>,
    /// The bottlenecks from left to right.
    pub bottlenecks: Vec<LinkId>,
    /// The links from right to left, in the same order.
    pub reverses: Vec<LinkId>,
}

impl ParkingLot {
    /// A row with these bottlenecks, each equal in both directions.
    pub fn new(bottlenecks: impl IntoIterator<Item = Link>) -> ParkingLot {
        let mut network = Network::new();
        let mut lot = ParkingLot {
            routers: vec![network.node("router 0")],
            bottlenecks: Vec::new(),
            reverses: Vec::new(),
            network,
        };
        for (index, link) in bottlenecks.into_iter().enumerate() {
            let next = lot.network.node(format!("router {}", index + 1));
            let (forward, back) = lot.network.duplex(lot.routers[index], next, link);
            lot.routers.push(next);
            lot.bottlenecks.push(forward);
            lot.reverses.push(back);
        }
        lot
    }

    /// Adds a host at the router of this index, with an access link in each direction.
    pub fn host(&mut self, router: usize, rate: BitsPerSec, delay: Nanos) -> Node {
        host(&mut self.network, self.routers[router], rate, delay)
    }
}

fn host(network: &mut Network, router: Node, rate: BitsPerSec, delay: Nanos) -> Node {
    let host = network.node(format!("host {}", network.nodes()));
    network.duplex(host, router, Link::new(rate, delay));
    host
}
