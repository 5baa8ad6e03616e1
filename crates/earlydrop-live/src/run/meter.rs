//! What is measured of a run in one direction: of the queue, and of the flows whose data
//! goes that way. The simulator's own meters, told of packets that lie in buffers.

use std::sync::Arc;

use earlydrop::counters::Tally;
use earlydrop::packet::{Ecn, Packet as _};
use earlydrop::queue::{AnyQueue, QueueDiscipline};
use earlydrop::units::Nanos;
use earlydrop_sim::Run;
use earlydrop_sim::measure::{FlowMeter, QueueMeter, Timing};

use super::addresses::AddressPlan;
use crate::pool::Frame;

#[derive(Debug)]
pub(crate) struct Meter {
    addresses: Arc<AddressPlan>,
    pub(crate) queue: QueueMeter,
    /// For each flow, what became of its data, where that goes this way.
    pub(crate) flows: Vec<Option<FlowMeter>>,
    timing: Timing,
    /// For each buffer, what is known of the packet in it.
    records: Vec<PacketRecord>,
    /// Read from the device.
    pub(crate) sent: Tally,
    /// Written to the other device.
    pub(crate) delivered: Tally,
    /// Lost in the queue or after it.
    pub(crate) dropped: Tally,
    /// Read and left alone: no packets of any flow.
    pub(crate) unmatched: u64,
}

/// What is known of a packet.
#[derive(Clone, Copy, Debug, Default)]
struct PacketRecord {
    read: Nanos,
    flow: u32,
    /// Carries the flow's data: a datagram, or a segment with something in it.
    is_data: bool,
}

impl Meter {
    /// A meter for packets in so many buffers; `ours` says of each flow whether its data
    /// goes this way.
    pub(crate) fn new(
        run: &Run,
        addresses: &Arc<AddressPlan>,
        ours: impl Iterator<Item = bool>,
        buffers: u32,
    ) -> Meter {
        let measure = &run.measure;
        let flow = |is_ours: bool| is_ours.then(|| FlowMeter::new(measure.delays, false));
        Meter {
            addresses: addresses.clone(),
            queue: QueueMeter::new(measure, run.duration),
            flows: ours.map(flow).collect(),
            timing: Timing {
                from: measure.warm_up,
                end: run.duration,
            },
            records: vec![PacketRecord::default(); buffers as usize],
            sent: Tally::default(),
            delivered: Tally::default(),
            dropped: Tally::default(),
            unmatched: 0,
        }
    }

    /// A packet was read at `now`; answers whose it is, if it is anybody's.
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

    /// Whose a packet is that was read.
    pub(crate) fn flow(&self, frame: &Frame) -> u32 {
        self.records[frame.slot as usize].flow
    }

    /// A packet comes to the queue.
    pub(crate) fn reached_queue(&mut self, at: Nanos, frame: &Frame) {
        let record = &self.records[frame.slot as usize];
        if record.is_data {
            self.queue.data_came(record.flow, frame.header.length, at);
        }
    }

    /// Time goes on to `at`, and the queue is still as it was.
    pub(crate) fn comes(&mut self, at: Nanos, queue: &mut AnyQueue<Frame>) {
        let packets = queue.packets();
        self.queue.observe(at, packets, queue);
    }

    /// A packet that has waited for `sojourn` begins to be sent, which takes `time`.
    pub(crate) fn sends(&mut self, sojourn: Nanos, time: Nanos) {
        self.queue.sent(sojourn, time);
    }

    /// A packet is lost, in the queue or after it.
    pub(crate) fn lost(&mut self, at: Nanos, frame: &Frame, in_queue: bool) {
        self.dropped.add(frame.header.length);
        let record = &self.records[frame.slot as usize];
        if record.is_data && self.timing.counts(at) {
            if in_queue {
                self.queue.data_lost(record.flow, at);
            }
            if let Some(flow) = &mut self.flows[record.flow as usize] {
                flow.data_lost();
            }
        }
    }

    /// A packet was written at `at`, or the device would not take it.
    pub(crate) fn written(&mut self, at: Nanos, frame: &Frame, taken: bool) {
        let size = frame.header.length;
        if !taken {
            return self.lost(at, frame, false);
        }
        self.delivered.add(size);
        let record = &self.records[frame.slot as usize];
        if record.is_data
            && self.timing.counts(at)
            && let Some(flow) = &mut self.flows[record.flow as usize]
        {
            let marked = frame.ecn() == Ecn::Ce;
            flow.data_arrived(size, marked, || at.since(record.read));
        }
    }
}

/// Whether a packet of IPv4 carries data: a datagram, or a segment with something in it.
fn carries_data(packet: &[u8]) -> bool {
    const PROTOCOL: usize = 9;
    const TCP: u8 = 6;
    const UDP: u8 = 17;
    /// Where in a segment's header its length is, in words of 32 bits.
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
