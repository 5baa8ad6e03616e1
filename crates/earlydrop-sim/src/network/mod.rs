//! Networks as they are described: nodes, and one-way links between them.
//!
//! A [`Network`] is any topology; [`Dumbbell`], [`ParkingLot`] and [`Fabric`] build common ones.
//! [`Routes`] finds the shortest route between two nodes. A [`Trace`] replaces a link's rate with
//! recorded opportunities to send, and a [`DelayTrace`] its propagation delay.

mod access;
mod cuts;
mod delays;
mod fabric;
mod pauses;
mod rates;
mod routes;
mod steps;
mod topology;
mod trace;

pub use access::Aggregation;
pub(crate) use access::MediumAccess;
pub use cuts::Cut;
pub(crate) use cuts::{Begins, MAX_CHANGES};
pub use delays::DelayTrace;
pub use fabric::{Fabric, FabricLinks};
pub use pauses::{Classes, PAUSE_FRAME, Pfc};
pub(crate) use routes::MAX_SPRAYED;
pub use routes::Routes;
pub use topology::{Dumbbell, ParkingLot};
pub use trace::{Opportunities, Trace, TraceError};

use std::sync::Arc;

use earlydrop::registry::{LinkFacts, Plan, Spec};
use earlydrop::units::{BitsPerSec, Bytes, Nanos};

/// A host or a router, by its index in the [`Network`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(pub u32);

/// A one-way link, by its index in the [`Network`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub u32);

/// The description of a one-way link: a queue, a transmitter and a wire.
///
/// ```
/// use earlydrop_sim::network::Link;
/// let uplink = Link::new("10 Mbps".parse()?, "20 ms".parse()?).queue("red:min=10,max=30".parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Link {
    /// The rate of its transmitter.
    pub rate: BitsPerSec,
    /// The propagation delay.
    pub delay: Nanos,
    /// The queue in front of the transmitter. Without one, packets wait in order and without
    /// limit, and nothing about the link is measured.
    pub queue: Option<Spec>,
    /// The size of a typical packet, for schemes that measure in packet times.
    pub mean_packet: Bytes,
    /// The share of packets lost at random on the wire, 0 to 1.
    pub loss: f64,
    /// Packets that are held back on the wire.
    pub reorder: Option<Reorder>,
    /// Changes during the run, each with its time.
    pub changes: Vec<(Nanos, Change)>,
    /// Times in which nothing crosses it.
    pub cuts: Vec<Cut>,
    /// Recorded opportunities to send or rates, in place of the rate.
    pub trace: Option<Trace>,
    /// A recorded propagation delay, in place of the delay.
    pub delay_trace: Option<DelayTrace>,
    /// Packets that are sent back to back in a transmit opportunity.
    pub aggregation: Option<Aggregation>,
    /// Opportunities to send begin at multiples of this time only, each for all that waits then.
    pub slot: Option<Nanos>,
    /// Whether the link is looked at and steered during the run; see [`crate::steering`].
    pub steered: bool,
    /// Whether it is the network card of the host that it begins at, which loses nothing and holds
    /// senders back: see [`Link::network_card`].
    pub is_nic: bool,
    /// Whether a network card serves traffic classes in turn, by bytes, so that a switch can pause one
    /// of them.
    pub by_class: bool,
}

/// Reordering: packets that are held back on the wire, so that later ones overtake them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reorder {
    /// The share of packets held back, 0 to 1.
    pub share: f64,
    /// The longest extra delay; each is drawn uniformly from zero to this.
    pub delay: Nanos,
}

/// A change of a link during the run.
#[derive(Clone, Debug)]
pub enum Change {
    /// The rate from now on, in place of the old one. A packet being sent keeps its time.
    Rate(BitsPerSec),
    /// The propagation delay of packets sent from now on. None overtakes an earlier one.
    Delay(Nanos),
    /// The link stops sending; its queue fills up.
    Down,
    /// The link sends again.
    Up,
    /// Other parameters for the scheme, or another scheme for the same kind of queue, planned for
    /// the link as it is then. Waiting packets stay, and a scheme of the same kind goes on from
    /// its state: see [`AnyQueue::change`](earlydrop::queue::AnyQueue::change).
    Scheme(Arc<Plan>),
}

impl Change {
    /// Whether it changes the link's rate or its propagation delay.
    pub fn is_of_link(&self) -> bool {
        matches!(self, Change::Rate(_) | Change::Delay(_))
    }
}

impl Link {
    /// A link without a queue limit, losses or changes.
    pub fn new(rate: BitsPerSec, delay: Nanos) -> Link {
        Link {
            rate,
            delay,
            queue: None,
            mean_packet: Bytes(1000),
            loss: 0.0,
            reorder: None,
            changes: Vec::new(),
            cuts: Vec::new(),
            trace: None,
            delay_trace: None,
            aggregation: None,
            slot: None,
            steered: false,
            is_nic: false,
            by_class: false,
        }
    }

    /// The rate; the mean of the trace if the link follows one.
    pub fn mean_rate(&self) -> BitsPerSec {
        self.trace.as_ref().map_or(self.rate, Trace::mean_rate)
    }

    /// What a scheme may know of the link.
    pub(crate) fn facts(&self) -> LinkFacts {
        LinkFacts {
            rate: self.mean_rate(),
            mean_packet: self.mean_packet,
        }
    }

    /// Puts the queue that `spec` describes in front of the link.
    pub fn queue(self, spec: Spec) -> Link {
        Link {
            queue: Some(spec),
            ..self
        }
    }

    /// Sets the size of a typical packet.
    pub fn mean_packet(self, size: Bytes) -> Link {
        Link {
            mean_packet: size,
            ..self
        }
    }

    /// Loses this share of packets at random.
    pub fn losing(self, share: f64) -> Link {
        Link {
            loss: share,
            ..self
        }
    }

    /// Holds back a `share` of packets, each by up to `delay`.
    pub fn reordering(self, share: f64, delay: Nanos) -> Link {
        Link {
            reorder: Some(Reorder { share, delay }),
            ..self
        }
    }

    /// Adds a change at a time. Changes may be added in any order.
    pub fn changing(mut self, at: Nanos, change: Change) -> Link {
        self.changes.push((at, change));
        self
    }

    /// Sends at the opportunities or rates of `trace`, in place of the rate. The propagation delay is then
    /// at least 1 ns.
    pub fn following(self, trace: Trace) -> Link {
        Link {
            trace: Some(trace),
            ..self
        }
    }

    /// Delays packets as `trace` says, in place of the propagation delay: what is known of the
    /// link otherwise is the smallest delay.
    pub fn delayed_by(self, trace: DelayTrace) -> Link {
        Link {
            delay: trace.least(),
            delay_trace: Some(trace),
            ..self
        }
    }

    /// Sends packets in aggregates, one in each transmit opportunity.
    pub fn aggregating(self, aggregation: Aggregation) -> Link {
        Link {
            aggregation: Some(aggregation),
            ..self
        }
    }

    /// Begins to send at multiples of `slot` only.
    pub fn slotted(self, slot: Nanos) -> Link {
        Link {
            slot: Some(slot),
            ..self
        }
    }

    /// Lets the link be looked at and steered during the run; see [`crate::steering`]. Without a
    /// queue it gets a drop-tail one.
    pub fn steered(self) -> Link {
        Link {
            steered: true,
            ..self
        }
    }

    /// Whether its rate or its propagation delay changes during a run. Of a recorded delay the
    /// least is known.
    pub(crate) fn varies(&self) -> bool {
        self.trace.is_some() || self.changes.iter().any(|(_, change)| change.is_of_link())
    }

    /// Whether packets always leave the link in the order in which they entered it.
    pub(crate) fn keeps_order(&self) -> bool {
        self.reorder.is_none()
    }

    /// Whether it sends at transmit opportunities.
    pub(crate) fn has_opportunities(&self) -> bool {
        self.aggregation.is_some() || self.slot.is_some()
    }

    /// Whether its rate changes, or it sends at certain times only.
    pub(crate) fn changes_or_waits(&self) -> bool {
        !self.changes.is_empty() || self.trace.is_some() || self.has_opportunities()
    }

    /// Makes it a host's network card. Its queue has no limit, and no sender at the host has more
    /// than [`MOST_AT_NIC`] segments waiting in it: it sends the next one when one of these leaves
    /// the queue. Linux does so by TCP small queues (`tcp_small_queue_check`) over byte queue
    /// limits. Acknowledgments, requests and datagrams wait without limit.
    ///
    /// As each sender has so few segments in a queue that is first-in first-out, senders share the
    /// link equally, packet by packet.
    pub fn network_card(self) -> Link {
        Link {
            queue: None,
            is_nic: true,
            ..self
        }
    }

    /// Whether packets wait in front of it: it is described with a queue, or cannot do without.
    pub(crate) fn has_queue(&self) -> bool {
        self.queue.is_some() || self.changes_or_waits() || self.steered || self.is_nic
    }

    /// The queue in front of it. One that is described without and must have one has drop-tail.
    pub(crate) fn queue_in_front(&self) -> Option<Spec> {
        let described = self.queue.clone();
        described.or_else(|| match self.has_queue() {
            true if self.is_nic && self.by_class => NIC_BY_CLASS.parse().ok(),
            true if self.is_nic => Spec::new("droptail").ok()?.with("limit", NIC_LIMIT).ok(),
            true => Spec::new("droptail").ok(),
            false => None,
        })
    }

    /// Whether its departures can be computed ahead of time if its packets enter in order: they
    /// depend on nothing but earlier packets.
    pub(crate) fn is_steady(&self) -> bool {
        self.changes.is_empty() && !self.steered
    }
}

/// Segments of one sender that wait in its host's [network card](Link::network_card), at most. Linux
/// allows two, or what the sender paces in a millisecond where that is more.
pub const MOST_AT_NIC: u8 = 2;

/// The limit of a network card's queue, which is never reached: more packets than there are
/// acknowledgments under way.
const NIC_LIMIT: &str = "4194304 packets";

/// The queue of a network card that serves classes in turn.
const NIC_BY_CLASS: &str =
    "drr:by=class,queues=8,limit=4194304 packets,memory_limit=1000 GB,inner=droptail";

/// A topology: nodes and one-way links.
///
/// ```
/// use earlydrop_sim::network::{Link, Network};
/// let mut network = Network::new();
/// let (client, server) = (network.node("client"), network.node("server"));
/// let link = Link::new("10 Mbps".parse()?, "5 ms".parse()?);
/// let (up, _down) = network.duplex(client, server, link);
/// assert_eq!(network.link_name(up), "client to server");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Network {
    names: Vec<String>,
    links: Vec<(Node, Node, Link)>,
    /// Whether flows are spread over all shortest routes (ECMP, equal-cost multipath), each flow
    /// over one by a hash as of its ports. Otherwise all take the route described first.
    pub multipath: bool,
    /// Whether each packet is spread over all shortest routes, whatever its flow (packet
    /// spraying; Dixit et al., "On the Impact of Packet Spraying in Data Center Networks",
    /// INFOCOM 2013). A packet's route is a random function of the run's seed and of the packet.
    pub spraying: bool,
    /// The time after which switches leave a link out of their routes that is [cut](Link::cuts), and
    /// take it again that is mended; `None`: they never learn of it. Packets keep the route that held
    /// when they were sent; an acknowledgment that reports no more than a number, that of the segment
    /// it answers.
    pub reroute_after: Option<Nanos>,
    shared_buffers: Vec<(Node, SharedBuffer)>,
    pauses: Vec<(Node, Pfc)>,
}

/// [`multipath`](Network::multipath), [`spraying`](Network::spraying),
/// [`reroute_after`](Network::reroute_after), the shared buffers and pauses.
type NetworkOptions<'a> = (
    bool,
    bool,
    Option<Nanos>,
    &'a [(Node, SharedBuffer)],
    &'a [(Node, Pfc)],
);

/// A packet buffer that the ports of one switch share, with dynamic thresholds: A. Choudhury,
/// E. Hahne, "Dynamic Queue Length Thresholds for Shared-Memory Packet Switches", IEEE/ACM Trans.
/// Networking 6(2), 1998.
///
/// Before its queue sees a packet, a port drops it if the port's queue in bytes has reached
/// `T = alpha (B - Q)` (equation 1), where `B` is the buffer's size and `Q` are the bytes that
/// wait at all ports, or if the packet does not fit into `B - Q`. With n congested ports each
/// queue gets `alpha B / (1 + alpha n)` (equation 4). A packet being sent has left the buffer. Where a
/// port has a queue for each class (`drr:by=class`), the queue is that of the packet's class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SharedBuffer {
    /// The buffer's size B.
    pub size: Bytes,
    /// The threshold's factor alpha, above zero; switches have powers of two.
    pub alpha: f64,
}

impl Network {
    /// A network without nodes.
    pub fn new() -> Network {
        Network::default()
    }

    /// Adds a node.
    pub fn node(&mut self, name: impl Into<String>) -> Node {
        self.names.push(name.into());
        Node(self.names.len() as u32 - 1)
    }

    /// Adds a link in one direction.
    pub fn link(&mut self, from: Node, to: Node, link: Link) -> LinkId {
        self.links.push((from, to, link));
        LinkId(self.links.len() as u32 - 1)
    }

    /// Adds equal links in both directions; returns the one from `a` to `b` first.
    pub fn duplex(&mut self, a: Node, b: Node, link: Link) -> (LinkId, LinkId) {
        (self.link(a, b, link.clone()), self.link(b, a, link))
    }

    /// Lets the queues of all links from `node` share a buffer. Links without a queue take no part
    /// in it.
    pub fn share_buffer(&mut self, node: Node, buffer: SharedBuffer) {
        self.shared_buffers.retain(|(other, _)| *other != node);
        self.shared_buffers.push((node, buffer));
    }

    /// Nodes whose queues share a buffer.
    pub fn shared_buffers(&self) -> &[(Node, SharedBuffer)] {
        &self.shared_buffers
    }

    /// [`multipath`](Network::multipath), [`spraying`](Network::spraying),
    /// [`reroute_after`](Network::reroute_after), the shared buffers and pauses: all but nodes and
    /// links. Tests that generate every setting learn here of a new one.
    #[doc(hidden)]
    pub fn options(&self) -> NetworkOptions<'_> {
        let Network {
            names: _,
            links: _,
            multipath,
            spraying,
            reroute_after,
            shared_buffers,
            pauses,
        } = self;
        (
            *multipath,
            *spraying,
            *reroute_after,
            shared_buffers,
            pauses,
        )
    }

    /// Whether the link has a queue and shares a buffer with others.
    pub(crate) fn shares_buffer(&self, link: LinkId) -> bool {
        let (from, _, link) = &self.links[link.0 as usize];
        link.queue.is_some() && self.shared_buffers.iter().any(|(node, _)| node == from)
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.names.len()
    }

    /// The name of a node.
    pub fn name(&self, node: Node) -> &str {
        self.names.get(node.0 as usize).map_or("?", String::as_str)
    }

    /// The description of a link.
    pub fn get(&self, link: LinkId) -> &Link {
        &self.links[link.0 as usize].2
    }

    /// The nodes at which a link begins and ends.
    pub fn ends(&self, link: LinkId) -> (Node, Node) {
        let (from, to, _) = self.links[link.0 as usize];
        (from, to)
    }

    /// The first link from where `link` leads to where it begins.
    pub fn way_back(&self, link: LinkId) -> Option<LinkId> {
        let (from, to) = self.ends(link);
        let mut links = self.links();
        links.find_map(|(id, one, other, _)| ((one, other) == (to, from)).then_some(id))
    }

    /// The description of a link, to change it.
    pub fn get_mut(&mut self, link: LinkId) -> &mut Link {
        &mut self.links[link.0 as usize].2
    }

    /// All links, each with its two nodes.
    pub fn links(&self) -> impl ExactSizeIterator<Item = (LinkId, Node, Node, &Link)> {
        let numbered = self.links.iter().enumerate();
        numbered.map(|(index, (from, to, link))| (LinkId(index as u32), *from, *to, link))
    }

    /// The name of a link: "a to b".
    pub fn link_name(&self, link: LinkId) -> String {
        let (from, to, _) = &self.links[link.0 as usize];
        format!("{} to {}", self.name(*from), self.name(*to))
    }
}
