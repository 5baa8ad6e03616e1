//! What became of every packet.

use earlydrop::aqm::DropReason;
use earlydrop::packet::Packet as _;
use earlydrop::queue::Losses;
use earlydrop::units::Nanos;

use crate::measure::queue::LossEvents;
use crate::measure::{FlowMeter, QueueMeter, Timing};
use crate::packet::{Notes, Packet};
use crate::results::Totals;
use crate::tcp::SenderCounts;

/// What is kept of packets beside themselves.
#[derive(Clone, Debug)]
pub(super) struct Accounts {
    pub(super) notes: Notes,
    pub(super) totals: Totals,
    pub(super) timing: Timing,
    /// Packets of data lost on the way, of each flow. Not kept with the flow, of which a
    /// packet that is lost needs nothing else.
    pub(super) lost: Vec<u64>,
    /// Where there is a warm-up, what each flow's sender had done when it was over, once it
    /// acts after that.
    before: Vec<SenderCounts>,
}

impl Accounts {
    pub(super) fn new(timing: Timing) -> Accounts {
        Accounts {
            notes: Notes::default(),
            totals: Totals::default(),
            timing,
            lost: Vec::new(),
            before: Vec::new(),
        }
    }

    /// One more flow.
    pub(super) fn add_flow(&mut self) {
        self.lost.push(0);
        if self.timing.from > Nanos::ZERO {
            self.before.push(SenderCounts::default());
        }
    }

    /// Notes what the sender of the flow at `index` had done when the warm-up was over.
    #[cold]
    #[inline(never)]
    pub(super) fn note_before(&mut self, index: u32, counts: SenderCounts) {
        self.before[index as usize] = counts;
    }

    /// What the sender of the flow at `index`, whose counts are `now`, had done when the
    /// warm-up was over; `noted` when that was noted.
    pub(super) fn counts_before(
        &self,
        index: usize,
        noted: bool,
        now: &SenderCounts,
    ) -> SenderCounts {
        match self.before.get(index) {
            Some(before) if noted => *before,
            // It has done nothing since.
            _ if self.timing.from > Nanos::ZERO => *now,
            _ => SenderCounts::default(),
        }
    }

    /// A packet of data of the flow with this `meter` has come to the receiving host at
    /// `at`; answers whether that is measured.
    #[inline(always)]
    pub(super) fn arrived(&mut self, meter: &mut FlowMeter, packet: &Packet, at: Nanos) -> bool {
        self.totals.delivered.add(packet.size());
        if at > self.timing.end {
            self.totals.late += 1;
        }
        let counts = self.timing.counts(at);
        if counts {
            meter.arrived(packet, at);
        }
        counts
    }

    /// Receives what is lost at `at`, in a queue with this meter or on a link.
    #[inline]
    pub(super) fn loss<'a>(&'a mut self, at: Nanos, meter: Option<&'a mut QueueMeter>) -> Loss<'a> {
        Loss {
            accounts: self,
            at,
            lost: 0,
            events: meter.and_then(QueueMeter::losses),
        }
    }
}

/// Receives packets that are lost at a given time.
pub(super) struct Loss<'a> {
    accounts: &'a mut Accounts,
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
            self.accounts.lost[packet.flow_index() as usize] += 1;
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
