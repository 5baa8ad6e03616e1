//! Priority flow control: which switches pause which links, for which classes, and the room it needs.

use earlydrop::units::Bytes;

use super::{LinkId, Network, Node};

/// Priority flow control of a switch (PFC, IEEE 802.1Qbb): once more than XOFF bytes that came over a
/// link wait in the switch's queues, it asks the other end of the link to pause; once no more than XON
/// do, to go on. So nothing is lost, if the queues have room for what still comes: the
/// [headroom](Network::headroom).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pfc {
    /// A link is paused above so many bytes.
    pub xoff: Bytes,
    /// It goes on at so many, or fewer.
    pub xon: Bytes,
    /// The classes of which each is counted and paused alone; packets of others are not. `None`: a
    /// pause stops all of a link, and all its packets count (IEEE 802.3, annex 31B).
    ///
    /// The queues of all links in question tell classes apart, such as `drr:by=class`.
    pub classes: Option<Classes>,
}

impl Pfc {
    /// The classes that are counted each alone; 1 where a pause stops all of a link.
    pub fn counted(&self) -> u64 {
        self.classes
            .map_or(1, |classes| classes.iter().count() as u64)
    }

    /// The room that a switch needs: XOFF of each of its `links`, and their `headroom` together, for
    /// each class that is counted.
    pub fn room(&self, links: u64, headroom: Bytes) -> Bytes {
        Bytes(self.counted() * (links * self.xoff.0 + headroom.0))
    }
}

/// Some of the traffic classes 0 to 7.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Classes(u8);

impl Classes {
    /// These classes; `None` if one is above 7.
    pub fn new(classes: &[u8]) -> Option<Classes> {
        let bits = classes
            .iter()
            .try_fold(0, |bits, class| (*class <= 7).then(|| bits | 1_u8 << class));
        bits.map(Classes)
    }

    /// Whether a class is one of them.
    pub fn contain(self, class: u8) -> bool {
        class <= 7 && self.0 >> class & 1 != 0
    }

    /// They, from the lowest on.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let class = left.trailing_zeros() as u8;
            left &= left.checked_sub(1)?;
            Some(class)
        })
    }
}

/// A frame that asks for a pause, or ends it: the least of Ethernet's (IEEE 802.1Qbb, figure 31D-1).
pub const PAUSE_FRAME: Bytes = Bytes(64);

impl Network {
    /// Lets `node` pause the links that lead to it. All of these have a queue, or are network cards,
    /// and have a link in the other direction.
    pub fn pause(&mut self, node: Node, limits: Pfc) {
        self.pauses.retain(|(other, _)| *other != node);
        self.pauses.push((node, limits));
    }

    /// Nodes that pause the links that lead to them.
    pub fn pauses(&self) -> &[(Node, Pfc)] {
        &self.pauses
    }

    /// Whether a link is paused or leaves a node that pauses others: its packets take part in flow
    /// control.
    pub(crate) fn takes_part_in_pauses(&self, link: LinkId) -> bool {
        let (from, to, _) = &self.links[link.0 as usize];
        self.pauses
            .iter()
            .any(|(node, _)| node == from || node == to)
    }

    /// What still comes over a link after its queue's switch has asked for a pause, at most, with
    /// packets of `largest` bytes: what the link carries while the frame waits for a packet on the
    /// link `back`, is sent and travels, and one packet being sent then; what is on the way; and the
    /// packet that led beyond XOFF. Headroom as IEEE 802.1Qbb, annex O, without the times that devices
    /// take.
    pub fn headroom(&self, link: LinkId, back: LinkId, largest: Bytes) -> Bytes {
        let (link, back) = (self.get(link), self.get(back));
        let frame = Bytes(largest.0 + PAUSE_FRAME.0);
        let time = back.rate.transmission_time(frame) + back.delay + link.delay;
        let carried = (u128::from(link.rate.0) * u128::from(time.0)).div_ceil(8_000_000_000);
        Bytes(carried as u64 + 2 * largest.0)
    }

    /// The links that lead to a node, and their headroom together.
    pub fn headroom_at(&self, node: Node, largest: Bytes) -> (u64, Bytes) {
        let leading = self.links().filter(|(_, _, to, _)| *to == node);
        leading.fold((0, Bytes(0)), |(links, sum), (id, ..)| {
            let back = self.way_back(id).unwrap_or(id);
            (links + 1, Bytes(sum.0 + self.headroom(id, back, largest).0))
        })
    }
}
