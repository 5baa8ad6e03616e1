//! Accounts of what became of every packet: totals, losses, baselines of senders.

use std::collections::BTreeMap;

use earlydrop::aqm::DropReason;
use earlydrop::packet::Packet as _;
use earlydrop::queue::Losses;
use earlydrop::units::Nanos;

use crate::measure::queue::LossEvents;
use crate::measure::{FlowMeter, GroupDelays, Groups, QueueMeter, Timing};
use crate::network::Begins;
use crate::packet::{Kind, Notes, Packet};
use crate::prefetch::use_huge_pages;
use crate::results::Totals;
use crate::tcp::SenderCounts;

/// How many lost packets are counted together.
const LOSS_BATCH: usize = 128;

/// Everything kept about packets that is not in packets, links or flows.
#[derive(Clone, Debug)]
pub(super) struct Accounts {
    pub(super) notes: Notes,
    pub(super) totals: Totals,
    pub(super) timing: Timing,
    /// When routes change.
    pub(super) periods: Begins,
    /// The groups by which queues count packets; none where no queue does.
    pub(super) groups: Groups,
    /// The distributions of delays, where they are measured.
    pub(super) delays: GroupDelays,
    /// Data packets of each flow that were lost. They are not with the flow: a lost packet needs
    /// nothing else of it.
    lost: Vec<u64>,
    /// The flows of recently lost packets, to be counted together. With many flows, each count is
    /// a cache miss, and the processor waits for many at once.
    lost_batch: Vec<u32>,
    /// Packets without data that were lost, of the flows that lost some.
    lost_beside_data: BTreeMap<u32, LostBesideData>,
    /// In runs with a warm-up: what each sender had done when it was over, recorded when the
    /// sender first acts after that.
    baselines: Vec<SenderCounts>,
}

/// Packets without data of a flow that were lost.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LostBesideData {
    /// SYNs.
    pub(super) syns: u32,
    /// Acknowledgments, answers to SYNs, and requests.
    pub(super) control: u32,
}

impl Accounts {
    pub(super) fn new(timing: Timing) -> Accounts {
        Accounts {
            notes: Notes::default(),
            totals: Totals::default(),
            timing,
            periods: Begins::default(),
            groups: Groups::default(),
            delays: GroupDelays::default(),
            lost: Vec::new(),
            lost_batch: Vec::with_capacity(LOSS_BATCH),
            lost_beside_data: BTreeMap::new(),
            baselines: Vec::new(),
        }
    }

    /// Reserves memory for so many flows.
    pub(super) fn reserve_flows(&mut self, flows: usize) {
        self.lost.reserve_exact(flows);
        use_huge_pages(&self.lost);
    }

    /// Adds a flow.
    pub(super) fn add_flow(&mut self) {
        self.lost.push(0);
        if self.timing.from > Nanos::ZERO {
            self.baselines.push(SenderCounts::default());
        }
    }

    /// A data packet of the flow at `index` is lost.
    #[inline]
    fn lose(&mut self, index: u32) {
        self.lost_batch.push(index);
        if self.lost_batch.len() == LOSS_BATCH {
            self.count_lost();
        }
    }

    /// Counts the losses of the current batch.
    #[cold]
    #[inline(never)]
    pub(super) fn count_lost(&mut self) {
        for index in self.lost_batch.drain(..) {
            self.lost[index as usize] += 1;
        }
    }

    /// Data packets of the flow at `index` that were lost, once all are
    /// [counted](Accounts::count_lost).
    pub(super) fn lost_of(&self, index: usize) -> u64 {
        self.lost[index]
    }

    /// Packets without data of the flow at `index` that were lost.
    pub(super) fn lost_beside_data(&self, index: usize) -> LostBesideData {
        let lost = self.lost_beside_data.get(&(index as u32));
        lost.copied().unwrap_or_default()
    }

    /// A packet without data is lost.
    #[cold]
    #[inline(never)]
    fn lose_beside_data(&mut self, packet: Packet) {
        let lost = self.lost_beside_data.entry(packet.flow_index());
        let lost = lost.or_default();
        match packet.kind() {
            Kind::Syn => lost.syns = lost.syns.saturating_add(1),
            _ => lost.control = lost.control.saturating_add(1),
        }
    }

    /// Records what the sender of the flow at `index` had done when the warm-up was over.
    #[cold]
    #[inline(never)]
    pub(super) fn set_baseline(&mut self, index: u32, counts: SenderCounts) {
        self.baselines[index as usize] = counts;
    }

    /// What the sender of the flow at `index` had done when the warm-up was over. `now` are its
    /// counts now; `recorded` says whether its baseline was set.
    pub(super) fn baseline(
        &self,
        index: usize,
        recorded: bool,
        now: &SenderCounts,
    ) -> SenderCounts {
        match self.baselines.get(index) {
            Some(baseline) if recorded => *baseline,
            // It has done nothing since.
            _ if self.timing.from > Nanos::ZERO => *now,
            _ => SenderCounts::default(),
        }
    }

    /// A data packet of the flow with this `meter` arrives at the receiving host at `at`; returns
    /// whether it is measured.
    #[inline(always)]
    pub(super) fn arrived(&mut self, meter: &mut FlowMeter, packet: &Packet, at: Nanos) -> bool {
        self.totals.delivered.add(packet.size());
        if at > self.timing.end {
            self.totals.late += 1;
        }
        let counts = self.timing.counts(at);
        if counts {
            meter.record_arrival(&mut self.delays, packet, at, &self.timing);
        }
        counts
    }

    /// A receiver of packets that are lost at `at`, in a queue with this meter or on a wire.
    #[inline]
    pub(super) fn loss<'a>(&'a mut self, at: Nanos, meter: Option<&'a mut QueueMeter>) -> Loss<'a> {
        Loss {
            accounts: self,
            at,
            events: meter.and_then(QueueMeter::losses),
        }
    }
}

/// Accounts for packets that are lost at one time.
pub(super) struct Loss<'a> {
    accounts: &'a mut Accounts,
    at: Nanos,
    /// Loss events of the queue, if they are counted.
    events: Option<&'a mut LossEvents>,
}

impl Loss<'_> {
    /// Accounts for a lost packet.
    pub(super) fn take(&mut self, packet: Packet) {
        if let Some(place) = packet.note() {
            self.accounts.notes.take(place);
        }
        self.accounts.totals.dropped.add(packet.size());
        if !self.accounts.timing.counts(self.at) {
            return;
        }
        if !matches!(packet.kind(), Kind::Data | Kind::Datagram) {
            self.accounts.lose_beside_data(packet);
        }
        if packet.is_forward() {
            self.accounts.lose(packet.flow_index());
            if let Some(events) = &mut self.events {
                events.record(packet.flow_index(), self.at);
            }
        }
    }
}

impl Losses<Packet> for Loss<'_> {
    fn lost(&mut self, packet: Packet, _reason: DropReason) {
        self.take(packet);
    }
}
