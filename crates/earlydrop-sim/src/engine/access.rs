//! Access links: wires between the network and an end of a flow that no other flow uses.
//!
//! When each of a flow's four is free, and its delay, are in one cache line beside the flow. Rates
//! are shared. So flows whose access links differ in their delays alone take the same route, which
//! stays in the caches.

use std::ops::{Index, IndexMut};

use earlydrop::packet::Packet as _;
use earlydrop::units::Nanos;

use crate::fine_time::FineTime;
use crate::link::SendTimes;
use crate::packet::Packet;

/// One access link of a flow.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AccessLink {
    /// When the transmission of the packet sent last ends.
    free_at: FineTime,
    /// The propagation delay, nanoseconds.
    delay: u32,
}

/// The access links of a flow; those that it does not have are of no use.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct AccessLinks([AccessLink; 4]);

/// One of the four access links that a flow may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place(u8);

impl Place {
    /// Of the sender's two, the one that packets of this direction cross.
    #[inline(always)]
    pub(super) fn near(is_forward: bool) -> Place {
        Place(u8::from(!is_forward))
    }

    /// Of the receiver's two, the one that packets of this direction cross.
    #[inline(always)]
    pub(super) fn far(is_forward: bool) -> Place {
        Place(2 + u8::from(!is_forward))
    }
}

impl AccessLink {
    /// A link of this delay, which is free; `None` if the delay is longer than four seconds.
    pub(super) fn of_delay(delay: Nanos) -> Option<AccessLink> {
        let (free_at, delay) = (FineTime::default(), u32::try_from(delay.0).ok()?);
        Some(AccessLink { free_at, delay })
    }

    /// Sends `packet` that arrives at `at`; returns when it arrives at the far end.
    #[inline(always)]
    pub(super) fn transmit(&mut self, times: &mut SendTimes, packet: &Packet, at: Nanos) -> Nanos {
        let sent = times.send(&mut self.free_at, at, packet.size());
        Nanos(sent.0 + u64::from(self.delay))
    }
}

impl Index<Place> for AccessLinks {
    type Output = AccessLink;

    #[inline(always)]
    fn index(&self, place: Place) -> &AccessLink {
        &self.0[usize::from(place.0 & 3)]
    }
}

impl IndexMut<Place> for AccessLinks {
    #[inline(always)]
    fn index_mut(&mut self, place: Place) -> &mut AccessLink {
        &mut self.0[usize::from(place.0 & 3)]
    }
}
