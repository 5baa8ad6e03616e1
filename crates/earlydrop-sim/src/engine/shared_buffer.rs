//! Buffers that the ports of a switch share: what waits in all of them, and the dynamic threshold
//! (Choudhury & Hahne, IEEE/ACM Trans. Networking 6(2), 1998).
//!
//! Classes that a switch pauses, each alone, have reserved room in its buffer: XOFF and headroom of each
//! link. Packets of other classes find the buffer smaller by what is left of it, and those of these
//! classes are taken as long as they fit.
//!
//! Whether a port may take a packet depends on the queues of all ports at that time. So packets
//! arrive at such ports by events (`setup/routes.rs`), and what the other ports have sent by then
//! is computed before.

use earlydrop::counters::Tally;
use earlydrop::packet::Packet as _;
use earlydrop::queue::{AnyQueue, QueueDiscipline};
use earlydrop::units::{Bytes, Nanos};

use crate::network::{self, Classes};
use crate::packet::Packet;
use crate::results::SharedBufferResult;

/// A buffer and the ports that share it.
#[derive(Clone, Debug)]
pub(super) struct SharedBuffer {
    limits: network::SharedBuffer,
    ports: Vec<Member>,
    /// Classes with reserved room, and its size.
    reserved: (Classes, Bytes),
    /// Bytes that wait at all ports, as far as is known, and those of them in reserved room.
    used: u64,
    used_reserved: u64,
    /// The most that was used in the time measured.
    peak: u64,
}

/// A port of a [`SharedBuffer`].
#[derive(Clone, Debug)]
struct Member {
    port: u32,
    /// No departure from it is unknown that begins before this time.
    next: Nanos,
    /// Bytes that wait there, as far as is known, and those of classes with reserved room.
    bytes: u64,
    reserved: u64,
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
            reserved: (Classes::default(), Bytes(0)),
            used: 0,
            used_reserved: 0,
            peak: 0,
        }
    }

    /// Adds a port; `number` is that of the buffer.
    pub(super) fn add(&mut self, number: u32, port: u32) -> Membership {
        self.ports.push(Member {
            port,
            next: Nanos::NEVER,
            bytes: 0,
            reserved: 0,
            refused: Tally::default(),
        });
        Membership {
            buffer: number,
            member: self.ports.len() as u32 - 1,
        }
    }

    /// Reserves room for packets of some classes.
    pub(super) fn reserve(&mut self, classes: Classes, room: Bytes) {
        self.reserved = (classes, room);
    }

    /// Whether the port of a queue takes a packet: the queue is shorter than alpha (B - Q), or the
    /// packet's class has reserved room, and the packet fits. The queue is the port's; where each class
    /// has one, that of the packet's class. Counts a refusal, if `measured`: in the time measured.
    pub(super) fn admits(
        &mut self,
        place: Membership,
        packet: Packet,
        queue: &AnyQueue<Packet>,
        measured: bool,
    ) -> bool {
        let size = u64::from(packet.size());
        let port = &mut self.ports[place.member as usize];
        let (classes, reserved) = self.reserved;
        let free = self.limits.size.0.saturating_sub(self.used);
        let admits = if classes.contain(packet.class()) {
            size <= free
        } else {
            let free = free.saturating_sub(reserved.0.saturating_sub(self.used_reserved));
            let length = queue.bytes_of_class(packet.class()).unwrap_or(port.bytes);
            (length as f64) < self.limits.alpha * free as f64 && size <= free
        };
        if measured && !admits {
            port.refused.add(packet.size());
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

    /// Counts what waits in the queue of a port, which sends the next packet at `next`.
    pub(super) fn count(
        &mut self,
        place: Membership,
        queue: &AnyQueue<Packet>,
        next: Nanos,
        measured: bool,
    ) {
        let of_class = |class| queue.bytes_of_class(class).unwrap_or(0);
        let reserved = self.reserved.0.iter().map(of_class).sum::<u64>();
        let port = &mut self.ports[place.member as usize];
        self.used = self.used + queue.bytes() - port.bytes;
        self.used_reserved = self.used_reserved + reserved - port.reserved;
        (port.bytes, port.reserved, port.next) = (queue.bytes(), reserved, next);
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
