//! What became of every packet.

use earlydrop::aqm::DropReason;
use earlydrop::packet::Packet as _;
use earlydrop::queue::Losses;
use earlydrop::units::Nanos;

use super::flow::Flow;
use crate::measure::queue::LossEvents;
use crate::measure::{QueueMeter, Timing};
use crate::packet::{Notes, Packet};
use crate::results::Totals;

/// What is kept of packets beside themselves.
#[derive(Clone, Debug)]
pub(super) struct Accounts {
    pub(super) notes: Notes,
    pub(super) totals: Totals,
    pub(super) timing: Timing,
}

impl Accounts {
    /// Receives what is lost at `at`, in a queue with this meter or on a link.
    #[inline]
    pub(super) fn loss<'a>(
        &'a mut self,
        flows: &'a mut [Flow],
        at: Nanos,
        meter: Option<&'a mut QueueMeter>,
    ) -> Loss<'a> {
        Loss {
            accounts: self,
            flows,
            at,
            lost: 0,
            events: meter.and_then(QueueMeter::losses),
        }
    }
}

/// Receives packets that are lost at a given time.
pub(super) struct Loss<'a> {
    accounts: &'a mut Accounts,
    flows: &'a mut [Flow],
    at: Nanos,
    /// How many packets were lost.
    pub(super) lost: u32,
    /// Loss events of the queue, when they are counted.
    events: Option<&'a mut LossEvents>,
}

impl Loss<'_> {
    /// Takes a packet that is lost.
    pub(super) fn take(&mut self, packet: Packet) {
        self.lost += 1;
        if let Some(place) = packet.note() {
            self.accounts.notes.take(place);
        }
        self.accounts.totals.dropped.add(packet.size());
        if packet.is_forward() && self.accounts.timing.counts(self.at) {
            self.flows[packet.flow_index() as usize].meter.lost += 1;
            if let Some(events) = &mut self.events {
                events.hit(packet.flow_index(), self.at);
            }
        }
    }
}

impl Losses<Packet> for Loss<'_> {
    fn lost(&mut self, packet: Packet, _reason: DropReason) {
        self.take(packet);
    }
}
