//! A network as it is described: nodes, and links between them in one direction each.

mod routes;
mod topology;
mod trace;

pub use routes::Routes;
pub use topology::{Dumbbell, ParkingLot};
pub use trace::{Opportunities, Trace, TraceError};

use earlydrop::registry::Spec;
use earlydrop::units::{BitsPerSec, Bytes, Nanos};

/// A host or a router.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(pub u32);

/// A link, in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub u32);

/// A link as it is described: a queue, a transmitter and a wire.
///
/// ```
/// use earlydrop_sim::network::Link;
/// let uplink = Link::new("10 Mbps".parse()?, "20 ms".parse()?).queue("red:min=10,max=30".parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Link {
    /// How fast it sends.
    pub rate: BitsPerSec,
    /// How long a packet travels once it is sent.
    pub delay: Nanos,
    /// The queue in front of it. Without one, packets wait in order and without limit,
    /// and nothing about the link is measured.
    pub queue: Option<Spec>,
    /// A typical packet, for schemes that measure in packet times.
    pub mean_packet: Bytes,
    /// The share of packets lost at random once sent.
    pub loss: f64,
    /// Packets that fall behind others.
    pub reorder: Option<Reorder>,
    /// What changes while the run goes on, by time.
    pub changes: Vec<(Nanos, Change)>,
    /// Opportunities to send, in place of a rate.
    pub trace: Option<Trace>,
}

/// Packets that are held back once sent, so that later ones overtake them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reorder {
    /// The share of packets held back.
    pub share: f64,
    /// By how much: drawn evenly from zero to this.
    pub delay: Nanos,
}

/// Something about a link that changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    /// It sends at this rate from now on; a packet being sent keeps its time.
    Rate(BitsPerSec),
    /// A packet sent from now on travels this long; none overtakes an earlier one.
    Delay(Nanos),
    /// It sends nothing more; its queue holds what it can.
    Down,
    /// It sends again.
    Up,
}

impl Link {
    /// A link without losses, and without a limit to what waits for it.
    pub fn new(rate: BitsPerSec, delay: Nanos) -> Link {
        Link {
            rate,
            delay,
            queue: None,
            mean_packet: Bytes(1000),
            loss: 0.0,
            reorder: None,
            changes: Vec::new(),
            trace: None,
        }
    }

    /// The rate, on average where it follows a trace.
    pub fn mean_rate(&self) -> BitsPerSec {
        let recorded = self.trace.as_ref().map(Trace::mean_rate);
        recorded.unwrap_or(self.rate)
    }

    /// The same behind the queue of `spec`.
    pub fn queue(self, spec: Spec) -> Link {
        Link {
            queue: Some(spec),
            ..self
        }
    }

    /// The same for packets of typically this size.
    pub fn mean_packet(self, size: Bytes) -> Link {
        Link {
            mean_packet: size,
            ..self
        }
    }

    /// The same losing this share of packets at random.
    pub fn losing(self, share: f64) -> Link {
        Link {
            loss: share,
            ..self
        }
    }

    /// The same holding back a `share` of packets by up to `delay`.
    pub fn reordering(self, share: f64, delay: Nanos) -> Link {
        Link {
            reorder: Some(Reorder { share, delay }),
            ..self
        }
    }

    /// The same with a change at a time. Changes may be given in any order.
    pub fn changing(mut self, at: Nanos, change: Change) -> Link {
        self.changes.push((at, change));
        self
    }

    /// The same sending whenever `trace` gives an opportunity. What it sends travels for a
    /// nanosecond at least.
    pub fn following(self, trace: Trace) -> Link {
        Link {
            trace: Some(trace),
            ..self
        }
    }

    /// Whether packets leave the link in the order they entered it, always.
    pub(crate) fn keeps_order(&self) -> bool {
        self.reorder.is_none()
    }

    /// Whether it can be worked out ahead of time when its packets come in order:
    /// nothing about it depends on the time but its own past.
    pub(crate) fn is_steady(&self) -> bool {
        self.changes.is_empty()
    }
}

/// Nodes and links.
#[derive(Clone, Debug, Default)]
pub struct Network {
    names: Vec<String>,
    links: Vec<(Node, Node, Link)>,
}

impl Network {
    /// Empty.
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

    /// Adds the same link in both directions; answers the one from `a` to `b` first.
    pub fn duplex(&mut self, a: Node, b: Node, link: Link) -> (LinkId, LinkId) {
        (self.link(a, b, link.clone()), self.link(b, a, link))
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.names.len()
    }

    /// A node's name.
    pub fn name(&self, node: Node) -> &str {
        self.names.get(node.0 as usize).map_or("?", String::as_str)
    }

    /// A link, as it is described.
    pub fn get(&self, link: LinkId) -> &Link {
        &self.links[link.0 as usize].2
    }

    /// The same, to change it.
    pub fn get_mut(&mut self, link: LinkId) -> &mut Link {
        &mut self.links[link.0 as usize].2
    }

    /// Every link with its ends.
    pub fn links(&self) -> impl ExactSizeIterator<Item = (LinkId, Node, Node, &Link)> {
        let numbered = self.links.iter().enumerate();
        numbered.map(|(index, (from, to, link))| (LinkId(index as u32), *from, *to, link))
    }

    /// A link's name: "a to b".
    pub fn link_name(&self, link: LinkId) -> String {
        let (from, to, _) = &self.links[link.0 as usize];
        format!("{} to {}", self.name(*from), self.name(*to))
    }
}
