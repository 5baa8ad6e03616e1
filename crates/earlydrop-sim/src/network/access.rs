//! When a link may begin to send: aggregates of packets, and slots.
//!
//! Wi-Fi and scheduled uplinks do not send packet by packet. They send at *transmit
//! opportunities*. What waits when an opportunity begins is taken from the queue then, up to the
//! limits of an aggregate, and sent back to back after an overhead. What arrives later waits for
//! the next one: gated service, as queueing theory calls it.
//!
//! | | limits of an aggregate | source |
//! |---|---|---|
//! | A-MPDU of IEEE 802.11n and later | 64 frames, the size of a block acknowledgment's bitmap; 65,535 bytes in 802.11n | IEEE 802.11-2016, 9.3.1.9 and 9.4.2.56 |
//! | longest PPDU of 802.11ac | 5.484 ms | IEEE 802.11-2016, aPPDUMaxTime |
//! | LTE and 5G uplinks, DOCSIS | slots: a scheduler's interval, a MAP's | 1 ms in LTE (3GPP TS 36.211) |

use earlydrop::units::Nanos;

use crate::fine_time::FineTime;

/// The aggregate of packets that a link sends in a transmit opportunity.
///
/// Packets are taken while one of the largest size sent so far would still fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aggregation {
    /// The largest number of packets, one at least.
    pub packets: u32,
    /// The largest number of bytes.
    pub bytes: u64,
    /// The longest transmission time of all packets together, without the overhead.
    pub airtime: Nanos,
    /// The time before the first packet of each opportunity: contention, preamble, block
    /// acknowledgment.
    pub overhead: Nanos,
}

impl Default for Aggregation {
    /// No limit and no overhead.
    fn default() -> Aggregation {
        Aggregation {
            packets: u32::MAX,
            bytes: u64::MAX,
            airtime: Nanos::NEVER,
            overhead: Nanos::ZERO,
        }
    }
}

/// The transmit opportunities of a link.
#[derive(Clone, Debug)]
pub(crate) struct MediumAccess {
    aggregation: Aggregation,
    /// Opportunities begin at multiples of this, if at all.
    slot: Option<Nanos>,
    /// The largest packet sent so far, in bytes.
    largest: u32,
    /// What the present opportunity has sent, while it takes packets.
    present: Option<Taken>,
}

/// What an opportunity has taken.
#[derive(Clone, Copy, Debug, Default)]
struct Taken {
    packets: u32,
    bytes: u64,
    /// The transmission time without the overhead.
    airtime: FineTime,
}

impl MediumAccess {
    pub(crate) fn new(aggregation: Option<Aggregation>, slot: Option<Nanos>) -> MediumAccess {
        MediumAccess {
            aggregation: aggregation.unwrap_or_default(),
            slot: slot.filter(|slot| *slot > Nanos::ZERO),
            largest: 0,
            present: None,
        }
    }

    /// When an opportunity begins if the link is free from `at` on.
    pub(crate) fn next_begin(&self, at: Nanos) -> Nanos {
        match self.slot {
            None => at,
            Some(slot) => Nanos(at.0.next_multiple_of(slot.0)),
        }
    }

    /// Takes a packet of this size and transmission time; returns how long it keeps the link.
    pub(crate) fn take(&mut self, size: u32, time: FineTime) -> FineTime {
        let first = self.present.is_none();
        let taken = self.present.get_or_insert_default();
        taken.packets += 1;
        taken.bytes += u64::from(size);
        taken.airtime += time;
        self.largest = self.largest.max(size);
        match first {
            true => time.after(self.aggregation.overhead),
            false => time,
        }
    }

    /// The largest packet sent so far, which one more must fit.
    pub(crate) fn largest(&self) -> u32 {
        self.largest
    }

    /// Whether the present opportunity takes one more of the largest packets, which takes `time`.
    pub(crate) fn takes_another(&self, time: FineTime) -> bool {
        let taken = self.present.unwrap_or_default();
        let mut airtime = taken.airtime;
        airtime += time;
        taken.packets < self.aggregation.packets
            && taken.bytes + u64::from(self.largest) <= self.aggregation.bytes
            && airtime.nanos() <= self.aggregation.airtime
    }

    /// Ends the present opportunity, if there is one.
    pub(crate) fn end(&mut self) {
        self.present = None;
    }
}

#[cfg(test)]
#[path = "access_tests.rs"]
mod tests;
