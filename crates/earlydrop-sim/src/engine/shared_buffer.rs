//! Buffers that the ports of a switch share: what waits in all of them, and the dynamic threshold
//! (Choudhury & Hahne, IEEE/ACM Trans. Networking 6(2), 1998).
//!
//! Whether a port may take a packet depends on the queues of all ports at that time. So packets
//! arrive at such ports by events (`setup/routes.rs`), and what the other ports have sent by then
//! is computed before.

use earlydrop::counters::Tally;
use earlydrop::packet::Packet as _;
use earlydrop::queue::QueueDiscipline;
use earlydrop::units::{Bytes, Nanos};

use super::Simulation;
use crate::network;
use crate::packet::Packet;
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
    buffer: u32,
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

    /// Whether a port takes another packet: its queue is shorter than alpha (B - Q), and the
    /// packet fits.
    fn admits(&self, member: u32, size: u32) -> bool {
        let free = self.limits.size.0.saturating_sub(self.used);
        let threshold = self.limits.alpha * free as f64;
        let queue = self.ports[member as usize].bytes;
        (queue as f64) < threshold && u64::from(size) <= free
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

impl Simulation {
    /// A packet arrives at a port that shares a buffer.
    #[inline(never)]
    pub(super) fn enqueue_shared(&mut self, index: u32, member: Membership, packet: Packet) {
        let at = self.now;
        self.drain_members(member.buffer, at);
        let buffer = &self.buffers[member.buffer as usize];
        if buffer.admits(member.member, packet.size()) {
            self.enqueue_admitted(index, packet, at);
            return self.update_member(index, member);
        }
        if self.accounts.timing.counts(at) {
            let buffer = &mut self.buffers[member.buffer as usize];
            buffer.ports[member.member as usize]
                .refused
                .add(packet.size());
        }
        self.ports[index as usize].refuse(&mut self.accounts, packet, at);
    }

    /// Computes what the ports of a buffer have sent by `at`.
    fn drain_members(&mut self, buffer: u32, at: Nanos) {
        for member in 0..self.buffers[buffer as usize].ports.len() {
            let port = &self.buffers[buffer as usize].ports[member];
            if port.next <= at {
                let index = port.port;
                self.drain(index, at);
                let member = member as u32;
                self.update_member(index, Membership { buffer, member });
            }
        }
    }

    /// Counts the bytes that wait at a port, after that has changed.
    pub(super) fn update_member(&mut self, index: u32, member: Membership) {
        let link = &self.ports[index as usize].link;
        let (bytes, next) = (link.queue().bytes(), link.next_transmission());
        let buffer = &mut self.buffers[member.buffer as usize];
        let port = &mut buffer.ports[member.member as usize];
        buffer.used = buffer.used + bytes - port.bytes;
        (port.bytes, port.next) = (bytes, next);
        if self.accounts.timing.counts(self.now) {
            buffer.peak = buffer.peak.max(buffer.used);
        }
    }
}
