//! Buffers that the ports of a switch share: what waits in all of them, and the dynamic threshold
//! (Choudhury & Hahne, IEEE/ACM Trans. Networking 6(2), 1998).
//!
//! Whether a port may take a packet depends on the queues of all ports at that time. So packets
//! arrive at such ports by events (`setup/routes.rs`), and what the other ports have sent by then
//! is computed before.

use earlydrop::counters::Tally;
use earlydrop::units::{Bytes, Nanos};

use crate::network;
use crate::results::SharedBufferResult;

/// A buffer and the ports that share it.
#[derive(Clone, Debug)]
pub(super) struct SharedBuffer {
    limits: network::SharedBuffer,
    ports: Vec<Member>,
    /// Bytes that wait at all ports, as far as is known.
    used: u64,
    /// The most that was used in the time measured.
    peak: u64,
}

/// A port of a [`SharedBuffer`].
#[derive(Clone, Debug)]
struct Member {
    port: u32,
    /// No departure from it is unknown that begins before this time.
    next: Nanos,
    /// Bytes that wait there, as far as is known.
    bytes: u64,
    /// Packets refused in the time measured.
    refused: Tally,
}

/// A port's place in a [`SharedBuffer`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Membership {
    pub(super) buffer: u32,
    member: u32,
}

impl SharedBuffer {
    /// An empty buffer that no port shares yet.
    pub(super) fn new(limits: network::SharedBuffer) -> SharedBuffer {
        SharedBuffer {
            limits,
            ports: Vec::new(),
            used: 0,
            peak: 0,
        }
    }

    /// Adds a port; `number` is that of the buffer.
    pub(super) fn add(&mut self, number: u32, port: u32) -> Membership {
        self.ports.push(Member {
            port,
            next: Nanos::NEVER,
            bytes: 0,
            refused: Tally::default(),
        });
        Membership {
            buffer: number,
            member: self.ports.len() as u32 - 1,
        }
    }

    /// Whether a port takes a packet of `size` bytes: its queue, or with `class` that of the packet's
    /// class, is shorter than alpha (B - Q), and the packet fits. Counts a refusal, if `measured`: in
    /// the time measured.
    pub(super) fn admits(
        &mut self,
        place: Membership,
        size: u32,
        class: Option<u64>,
        measured: bool,
    ) -> bool {
        let free = self.limits.size.0.saturating_sub(self.used);
        let threshold = self.limits.alpha * free as f64;
        let port = &mut self.ports[place.member as usize];
        let admits = (class.unwrap_or(port.bytes) as f64) < threshold && u64::from(size) <= free;
        if measured && !admits {
            port.refused.add(size);
        }
        admits
    }

    /// The number of ports that share it.
    pub(super) fn members(&self) -> usize {
        self.ports.len()
    }

    /// The port of a member, if it may have sent something by `at` that is not known.
    pub(super) fn to_drain(&self, member: usize, at: Nanos) -> Option<u32> {
        let port = &self.ports[member];
        (port.next <= at).then_some(port.port)
    }

    /// Counts the `bytes` that wait at a port, which sends the next at `next`.
    pub(super) fn count(&mut self, place: Membership, bytes: u64, next: Nanos, measured: bool) {
        let port = &mut self.ports[place.member as usize];
        self.used = self.used + bytes - port.bytes;
        (port.bytes, port.next) = (bytes, next);
        if measured {
            self.peak = self.peak.max(self.used);
        }
    }
}

impl Membership {
    /// The use of the buffer, one of `buffers`, in the time measured.
    pub(super) fn result(self, buffers: &[SharedBuffer]) -> SharedBufferResult {
        let buffer = &buffers[self.buffer as usize];
        SharedBufferResult {
            peak: Bytes(buffer.peak),
            refused: buffer.ports[self.member as usize].refused,
        }
    }
}
