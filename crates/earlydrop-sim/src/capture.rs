//! Packets recorded at a link, as they leave its transmitter.

use earlydrop::units::Nanos;

use crate::network::LinkId;
use crate::packet::{Note, Notes, Packet};

/// What was recorded at one link.
#[derive(Clone, Debug)]
pub struct Capture {
    link: LinkId,
    name: String,
    packets: Vec<Recorded>,
}

/// A packet, and when it left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recorded {
    pub(crate) at: Nanos,
    pub(crate) packet: Packet,
    /// What an acknowledgment says beyond its number.
    pub(crate) note: Option<Note>,
}

impl Capture {
    pub(crate) fn new(link: LinkId, name: String) -> Capture {
        Capture {
            link,
            name,
            packets: Vec::new(),
        }
    }

    pub(crate) fn record(&mut self, at: Nanos, packet: &Packet, notes: &Notes) {
        self.packets.push(Recorded {
            at,
            packet: *packet,
            note: packet.note().map(|place| *notes.at(place)),
        });
    }

    /// Without what left after `end`: it was worked out ahead of time.
    pub(crate) fn until(mut self, end: Nanos) -> Capture {
        self.packets.retain(|recorded| recorded.at <= end);
        self
    }

    /// The link.
    pub fn link(&self) -> LinkId {
        self.link
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Packets recorded.
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    /// Whether none was.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }
}
