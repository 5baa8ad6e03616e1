//! What became of every packet.

use earlydrop::aqm::DropReason;
use earlydrop::packet::Packet as _;
use earlydrop::queue::Losses;
use earlydrop::units::Nanos;

use crate::ahead;
use crate::measure::queue::LossEvents;
use crate::measure::{FlowMeter, QueueMeter, Timing};
use crate::packet::{Notes, Packet};
use crate::results::Totals;
use crate::tcp::SenderCounts;

/// So many lost packets are counted together.
const LATELY: usize = 128;

/// What is kept of packets beside themselves.
#[derive(Clone, Debug)]
pub(super) struct Accounts {
    pub(super) notes: Notes,
    pub(super) totals: Totals,
    pub(super) timing: Timing,
    /// Packets of data lost on the way, of each flow. Not kept with the flow, of which a
    /// packet that is lost needs nothing else.
    lost: Vec<u64>,
    /// The flows of those lost lately, which are counted together: with many flows, each
    /// is a line of memory to wait for, and many can be waited for at once.
    lost_lately: Vec<u32>,
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
            lost_lately: Vec::with_capacity(LATELY),
            before: Vec::new(),
        }
    }

    /// Memory for as many flows.
    pub(super) fn reserve_flows(&mut self, flows: usize) {
        self.lost.reserve_exact(flows);
        ahead::in_large_pages(&self.lost);
    }

    /// One more flow.
    pub(super) fn add_flow(&mut self) {
        self.lost.push(0);
        if self.timing.from > Nanos::ZERO {
            self.before.push(SenderCounts::default());
        }
    }

    /// A packet of data of the flow at `index` was lost.
    #[inline]
    fn lose(&mut self, index: u32) {
        self.lost_lately.push(index);
        if self.lost_lately.len() == LATELY {
            self.count_lost();
        }
    }

    /// Counts the losses that are not counted yet.
    #[cold]
    #[inline(never)]
    pub(super) fn count_lost(&mut self) {
        for index in self.lost_lately.drain(..) {
            self.lost[index as usize] += 1;
        }
    }

    /// How many packets of data of the flow at `index` were lost, once all are
    /// [counted](Accounts::count_lost).
    pub(super) fn lost_of(&self, index: usize) -> u64 {
        self.lost[index]
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
            self.accounts.lose(packet.flow_index());
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
