//! Drop-tail as arithmetic.
//!
//! A packet let into a first-in first-out queue of at most L packets leaves when those
//! before it have, whatever comes after: its departure is known on arrival. All that
//! must be kept is when each packet that waits will begin to be sent.

use earlydrop::aqm::DropReason;
use earlydrop::counters::Counters;
use earlydrop::units::Nanos;

/// A drop-tail queue of a number of packets over a link whose rate does not change.
#[derive(Clone, Debug)]
pub(super) struct Fifo {
    /// A ring of a power of two.
    waiting: Box<[Waiting]>,
    limit: u32,
    /// Packets whose sending has begun, and packets let in, since the start.
    begun: u64,
    entered: u64,
    bytes: u64,
    counters: Counters,
}

/// A packet that waits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Waiting {
    /// When it came, when it begins to be sent, and how long that takes.
    pub(super) came: Nanos,
    pub(super) begins: Nanos,
    pub(super) takes: Nanos,
    pub(super) size: u32,
}

impl Fifo {
    pub(super) fn new(limit: u32) -> Fifo {
        Fifo {
            waiting: vec![Waiting::default(); limit.next_power_of_two() as usize].into(),
            limit,
            begun: 0,
            entered: 0,
            bytes: 0,
            counters: Counters::default(),
        }
    }

    #[inline]
    fn place(&self, number: u64) -> usize {
        number as usize & (self.waiting.len() - 1)
    }

    /// When the next packet begins to be sent, if it does by `at`.
    #[inline]
    pub(super) fn next_begins(&self, at: Nanos) -> Option<Nanos> {
        let begins = self.waiting[self.place(self.begun)].begins;
        (self.begun < self.entered && begins <= at).then_some(begins)
    }

    /// Takes that packet.
    #[inline]
    pub(super) fn take_begun(&mut self) -> Waiting {
        let next = self.waiting[self.place(self.begun)];
        self.begun += 1;
        self.bytes -= u64::from(next.size);
        self.counters.departed.add(next.size);
        next
    }

    /// Whether a packet of `size` that comes now is let in. What has begun to be sent
    /// must have been [taken](Fifo::take_begun).
    #[inline]
    pub(super) fn admits(&mut self, size: u32) -> bool {
        self.counters.arrived.add(size);
        let room = self.entered - self.begun < u64::from(self.limit);
        if !room {
            self.counters.drop(DropReason::Forced, size);
        }
        room
    }

    /// Lets a packet in.
    #[inline]
    pub(super) fn enter(&mut self, packet: Waiting) {
        let place = self.place(self.entered);
        self.waiting[place] = packet;
        self.entered += 1;
        self.bytes += u64::from(packet.size);
    }

    /// Packets waiting.
    #[inline]
    pub(super) fn packets(&self) -> u32 {
        (self.entered - self.begun) as u32
    }

    /// Bytes waiting.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Packets it holds at most.
    pub(super) fn limit(&self) -> u32 {
        self.limit
    }

    pub(super) fn counters(&self) -> &Counters {
        &self.counters
    }
}
