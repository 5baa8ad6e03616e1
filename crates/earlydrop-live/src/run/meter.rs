//! Measures one direction of a run with the simulator's own meters: the queue, and the flows
//! whose data goes this way.

use std::sync::Arc;

use earlydrop::counters::Tally;
use earlydrop::packet::{Ecn, Packet as _};
use earlydrop::units::Nanos;
use earlydrop_sim::Run;
use earlydrop_sim::fine_time::FineTime;
use earlydrop_sim::link::QueuedLink;
use earlydrop_sim::measure::{FlowMeter, GroupDelays, Groups, QueueMeter, Timing};
use earlydrop_sim::network::LinkId;

use super::addresses::AddressPlan;
use crate::pool::Frame;

#[derive(Debug)]
pub(crate) struct Meter {
    addresses: Arc<AddressPlan>,
    pub(crate) queue: QueueMeter,
    /// The groups of all flows of the run.
    pub(crate) groups: Groups,
    /// For each flow whose data goes this way, its meter.
    pub(crate) flows: Vec<Option<MeteredFlow>>,
    /// The distributions of the delays of all groups.
    pub(crate) delays: GroupDelays,
    timing: Timing,
    /// For each buffer, what is known of the packet in it.
    records: Vec<PacketRecord>,
    /// Packets read from the device.
    pub(crate) sent: Tally,
    /// Packets written to the other device.
    pub(crate) delivered: Tally,
    /// Packets lost in the queue or after it.
    pub(crate) dropped: Tally,
    /// Packets read that belong to no flow, and are dropped.
    pub(crate) unmatched: u64,
}

/// The data of a flow.
#[derive(Clone, Debug, Default)]
pub(crate) struct MeteredFlow {
    /// What arrived.
    pub(crate) meter: FlowMeter,
    /// Packets lost, in the queue or after it.
    pub(crate) lost: u64,
}

/// What the meter knows of a packet.
#[derive(Clone, Copy, Debug, Default)]
struct PacketRecord {
    read: Nanos,
    flow: u32,
    /// Whether it carries the flow's data: a datagram, or a segment with payload.
    is_data: bool,
}

impl Meter {
    /// A meter for packets in so many buffers. `ours` holds for each flow whether its data goes
    /// this way.
    pub(crate) fn new(
        run: &Run,
        link: LinkId,
        addresses: &Arc<AddressPlan>,
        ours: impl Iterator<Item = bool>,
        buffers: u32,
    ) -> Meter {
        let measure = &run.measure;
        let groups: Vec<Arc<str>> = run.flows.iter().map(|flow| flow.group.clone()).collect();
        let mut delays = GroupDelays::default();
        let flow = |(is_ours, group): (bool, &Arc<str>)| {
            let delays_of = measure.delays.then(|| delays.number_of(group));
            is_ours.then(|| MeteredFlow {
                meter: FlowMeter::new(delays_of, false),
                lost: 0,
            })
        };
        let flows = ours.zip(&groups).map(flow).collect();
        Meter {
            addresses: addresses.clone(),
            queue: QueueMeter::new(measure, link, run.duration),
            groups: Groups::of_flows(&groups),
            flows,
            delays,
            timing: Timing::new(measure.warm_up, run.duration),
            records: vec![PacketRecord::default(); buffers as usize],
            sent: Tally::default(),
            delivered: Tally::default(),
            dropped: Tally::default(),
            unmatched: 0,
        }
    }

    /// Records that a packet was read at `now`; returns its flow, if it belongs to one.
    pub(crate) fn read(&mut self, now: Nanos, frame: &Frame, packet: &[u8]) -> Option<u32> {
        let is_v4 = packet[0] >> 4 == 4;
        let Some(flow) = self.addresses.flow(packet).filter(|_| is_v4) else {
            self.unmatched += 1;
            return None;
        };
        self.sent.add(frame.header.length);
        self.records[frame.slot as usize] = PacketRecord {
            read: now,
            flow,
            is_data: self.flows[flow as usize].is_some() && carries_data(packet),
        };
        Some(flow)
    }

    /// Flow of a packet that was read.
    pub(crate) fn flow(&self, frame: &Frame) -> u32 {
        self.records[frame.slot as usize].flow
    }

    /// Records that a packet reaches the queue.
    pub(crate) fn reached_queue(&mut self, at: Nanos, frame: &Frame) {
        let record = &self.records[frame.slot as usize];
        if record.is_data {
            self.queue
                .on_data_arrival(&self.groups, record.flow, frame.header.length, at);
        }
    }

    /// Observes the queue of `link`, which has not changed since the last event, up to `at`.
    pub(crate) fn observe_queue(&mut self, at: Nanos, link: &mut QueuedLink<Frame>) {
        self.queue.observe(at, link.waiting(), link);
    }

    /// Records a dequeue at `at`: the packet waited for `sojourn`, and its transmission takes
    /// `time`.
    pub(crate) fn dequeued(&mut self, at: Nanos, frame: &Frame, sojourn: Nanos, time: FineTime) {
        self.queue.sent(sojourn, time);
        let record = &self.records[frame.slot as usize];
        if record.is_data {
            self.queue
                .on_data_departure(&self.groups, record.flow, frame.header.length, at);
        }
    }

    /// Records the loss of a packet, in the queue or after it.
    pub(crate) fn lost(&mut self, at: Nanos, frame: &Frame, in_queue: bool) {
        self.dropped.add(frame.header.length);
        let record = &self.records[frame.slot as usize];
        if record.is_data && self.timing.counts(at) {
            if in_queue {
                self.queue.data_lost(record.flow, at);
            }
            if let Some(flow) = &mut self.flows[record.flow as usize] {
                flow.lost += 1;
            }
        }
    }

    /// Records that a packet was written at `at`, or that the device refused it.
    pub(crate) fn written(&mut self, at: Nanos, frame: &Frame, accepted: bool) {
        let size = frame.header.length;
        if !accepted {
            return self.lost(at, frame, false);
        }
        self.delivered.add(size);
        let record = &self.records[frame.slot as usize];
        if record.is_data
            && self.timing.counts(at)
            && let Some(flow) = &mut self.flows[record.flow as usize]
        {
            let marked = frame.ecn() == Ecn::Ce;
            flow.meter
                .record_data(&mut self.delays, size, marked, || at.since(record.read));
        }
    }
}

/// Whether an IPv4 packet carries data: a datagram, or a segment with payload.
fn carries_data(packet: &[u8]) -> bool {
    const PROTOCOL: usize = 9;
    const TCP: u8 = 6;
    const UDP: u8 = 17;
    /// Offset of TCP's data offset field, which counts 32-bit words.
    const WORDS: usize = 12;
    let header = usize::from(packet[0] & 15) * 4;
    match packet[PROTOCOL] {
        UDP => true,
        TCP => packet
            .get(header + WORDS)
            .is_some_and(|words| header + usize::from(words >> 4) * 4 < packet.len()),
        _ => false,
    }
}
