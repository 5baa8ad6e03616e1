//! What became of every packet.

use earlydrop::aqm::DropReason;
use earlydrop::packet::Packet as _;
use earlydrop::queue::Losses;
use earlydrop::units::Nanos;

use super::flow::Flow;
use crate::measure::Timing;
use crate::measure::port::PortMeter;
use crate::packet::{Notes, Packet};
use crate::results::Totals;

/// What is kept of packets beside themselves.
#[derive(Clone, Debug)]
pub(super) struct Accounts {
    pub(super) notes: Notes,
    pub(super) totals: Totals,
    pub(super) timing: Timing,
    /// Length of a loss event, or zero when they are not counted.
    pub(super) loss_event: Nanos,
}

impl Accounts {
    /// Receives what is lost at `at`.
    #[inline]
    pub(super) fn loss<'a>(&'a mut self, flows: &'a mut [Flow], at: Nanos) -> Loss<'a> {
        Loss {
            accounts: self,
            flows,
            at,
            lost: 0,
            hit: None,
        }
    }
}

/// Receives packets that are lost at a given time.
pub(super) struct Loss<'a> {
    accounts: &'a mut Accounts,
    flows: &'a mut [Flow],
    at: Nanos,
    /// How many packets were lost.
    lost: u32,
    /// The loss event, and how many flows it hit that it had not hit before.
    hit: Option<(u64, u32)>,
}

impl Loss<'_> {
    /// Tells the queue's meter which loss event this was, if any; answers how many
    /// packets were lost.
    #[inline]
    pub(super) fn tell(self, meter: &mut PortMeter) -> u32 {
        if let Some((event, flows)) = self.hit {
            meter.loss_event(event, flows);
        }
        self.lost
    }

    /// Takes a packet that is lost.
    pub(super) fn take(&mut self, packet: Packet) {
        self.lost += 1;
        if let Some(place) = packet.note() {
            self.accounts.notes.take(place);
        }
        self.accounts.totals.dropped.add(packet.size());
        if packet.is_forward() && self.accounts.timing.counts(self.at) {
            self.count(&packet);
        }
    }

    fn count(&mut self, packet: &Packet) {
        let meter = &mut self.flows[packet.flow_index() as usize].meter;
        meter.lost += 1;
        // Counted from 1, so that a meter that was hit by none holds 0.
        if let Some(event) = (self.at.0).checked_div(self.accounts.loss_event.0) {
            let event = event + 1;
            let hit = self.hit.get_or_insert((event, 0));
            if meter.last_loss_event != event {
                meter.last_loss_event = event;
                hit.1 += 1;
            }
        }
    }
}

impl Losses<Packet> for Loss<'_> {
    fn lost(&mut self, packet: Packet, _reason: DropReason) {
        self.take(packet);
    }
}
