//! What happens to each packet at a queue: arrivals, drops and departures, with the queue's length and
//! the scheme's probes after each.

use earlydrop::aqm::DropReason;
use earlydrop::packet::{Ecn, Packet as _};
use earlydrop::units::Nanos;

use crate::measure::MeasuredQueue;
use crate::network::LinkId;
use crate::packet::{Kind, Packet};
use crate::traffic::FlowId;

/// The packets of one queue, in order of time.
#[derive(Clone, Debug)]
pub struct PacketLog {
    link: LinkId,
    name: String,
    probes: Vec<&'static str>,
    records: Vec<PacketRecord>,
    /// The probes after each record, one record after the other.
    values: Vec<f64>,
    /// Packets that the call in progress has dropped.
    lost: Vec<(Packet, DropReason)>,
}

/// What happens to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketEvent {
    /// It has joined the queue.
    Enqueued,
    /// It is dropped, on arrival or later.
    Dropped(DropReason),
    /// Its transmission begins.
    Departed,
}

impl PacketEvent {
    /// "enqueued", "dropped" or "departed".
    pub fn name(self) -> &'static str {
        match self {
            PacketEvent::Enqueued => "enqueued",
            PacketEvent::Dropped(_) => "dropped",
            PacketEvent::Departed => "departed",
        }
    }
}

/// A packet at a queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PacketRecord {
    /// When it happens.
    pub at: Nanos,
    /// The packet's flow.
    pub flow: FlowId,
    /// "data", "ack", "syn", "datagram" or "request".
    pub kind: &'static str,
    /// Its number in the flow: the segment, or the next segment that an acknowledgment expects.
    pub number: u32,
    /// Its size, bytes.
    pub size: u32,
    /// What happens.
    pub event: PacketEvent,
    /// Whether it carries a congestion mark (ECN CE) now; marks set on arrival show when it
    /// departs.
    pub is_marked: bool,
    /// The packets in the queue afterwards.
    pub queue: u32,
}

impl PacketLog {
    pub(crate) fn new(link: LinkId, name: String) -> PacketLog {
        PacketLog {
            link,
            name,
            probes: Vec::new(),
            records: Vec::new(),
            values: Vec::new(),
            lost: Vec::new(),
        }
    }

    /// The link behind the queue.
    pub fn link(&self) -> LinkId {
        self.link
    }

    /// That link's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The names of the scheme's probes.
    pub fn probes(&self) -> &[&'static str] {
        &self.probes
    }

    /// Each record with the probes after it.
    pub fn records(&self) -> impl Iterator<Item = (&PacketRecord, &[f64])> {
        let width = self.probes.len();
        let records = self.records.iter().enumerate();
        records.map(move |(at, record)| (record, &self.values[at * width..(at + 1) * width]))
    }

    /// Gives each record up to `at` to `take`, with the probes after it, and forgets it.
    ///
    /// The queue's time may run ahead of the simulation's, or behind it by a propagation delay:
    /// nothing more happens up to `at` once the simulation is past `at` plus that delay.
    pub(crate) fn take_until(&mut self, at: Nanos, mut take: impl FnMut(&PacketRecord, &[f64])) {
        let taken = self.records.partition_point(|record| record.at <= at);
        for (record, probes) in self.records().take(taken) {
            take(record, probes);
        }
        self.records.drain(..taken);
        self.values.drain(..taken * self.probes.len());
    }

    /// The log without what happened after `end`: the simulation had run ahead.
    pub(crate) fn until(mut self, end: Nanos) -> PacketLog {
        let kept = self.records.partition_point(|record| record.at <= end);
        self.records.truncate(kept);
        self.values.truncate(kept * self.probes.len());
        self
    }

    /// Notes a packet that the call in progress drops.
    pub(crate) fn lose(&mut self, packet: Packet, reason: DropReason) {
        self.lost.push((packet, reason));
    }

    /// Records a packet that has arrived at `at`, and those dropped meanwhile.
    pub(crate) fn arrived(
        &mut self,
        at: Nanos,
        packet: Packet,
        waiting: u32,
        queue: &impl MeasuredQueue,
    ) {
        let is_it = |(lost, _): &(Packet, DropReason)| same(lost, &packet);
        let is_kept = !self.lost.iter().any(is_it);
        self.write_lost(at, waiting, queue);
        if is_kept {
            self.write(at, &packet, PacketEvent::Enqueued, waiting, queue);
        }
    }

    /// Records a packet whose transmission begins at `at`, if any does, and those dropped meanwhile.
    pub(crate) fn departed(
        &mut self,
        at: Nanos,
        packet: Option<Packet>,
        waiting: u32,
        queue: &impl MeasuredQueue,
    ) {
        self.write_lost(at, waiting, queue);
        if let Some(packet) = packet {
            self.write(at, &packet, PacketEvent::Departed, waiting, queue);
        }
    }

    fn write_lost(&mut self, at: Nanos, waiting: u32, queue: &impl MeasuredQueue) {
        for (packet, reason) in std::mem::take(&mut self.lost) {
            self.write(at, &packet, PacketEvent::Dropped(reason), waiting, queue);
        }
    }

    fn write(
        &mut self,
        at: Nanos,
        packet: &Packet,
        event: PacketEvent,
        waiting: u32,
        queue: &impl MeasuredQueue,
    ) {
        // Records are taken away: an empty log need not be a new one.
        let is_first = self.probes.is_empty();
        self.records.push(PacketRecord {
            at,
            flow: FlowId(packet.flow_index()),
            kind: kind(packet),
            number: packet.number(),
            size: packet.size(),
            event,
            is_marked: packet.ecn() == Ecn::Ce,
            queue: waiting,
        });
        let (probes, values) = (&mut self.probes, &mut self.values);
        queue.probes(&mut |name, value| {
            if is_first {
                probes.push(name);
            }
            values.push(value);
        });
    }
}

/// Whether both are one packet: no other of its flow is under way with its kind and number at the
/// same moment.
fn same(one: &Packet, other: &Packet) -> bool {
    let key = |packet: &Packet| (packet.flow_index(), packet.number(), packet.is_forward());
    key(one) == key(other) && kind(one) == kind(other)
}

fn kind(packet: &Packet) -> &'static str {
    match packet.kind() {
        Kind::Ack => "ack",
        Kind::Syn => "syn",
        Kind::Datagram => "datagram",
        Kind::Request => "request",
        _ => "data",
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use earlydrop::units::BitsPerSec;

    use super::*;
    use crate::Run;
    use crate::network::{Dumbbell, Link};
    use crate::results::Results;
    use crate::tcp::{Algorithm, Profile};
    use crate::traffic::Flow;

    /// Three flows over a bottleneck with this scheme; its packets are logged if wanted.
    fn results(spec: &str, is_logged: bool) -> Results {
        let link = Link::new(BitsPerSec::from_mbps(5), Nanos::from_millis(10));
        let mut forward = link.clone();
        forward.queue = Some(spec.parse().unwrap());
        let mut dumbbell = Dumbbell::new(forward, link);
        let (from, to) = dumbbell.pair(BitsPerSec::from_mbps(100), Nanos::from_millis(1));
        let bottleneck = dumbbell.bottleneck;
        let profile = Arc::new(Profile::modern(Algorithm::Reno));
        let mut run = Run::new(dumbbell.network, Nanos::from_secs(3));
        (0..3).for_each(|_| {
            run.add(Flow::bulk(from, to, &profile));
        });
        if is_logged {
            run.measure.packets.push(bottleneck);
        }
        run.results().unwrap()
    }

    #[test]
    fn a_log_changes_nothing_and_agrees_with_the_counters() {
        for spec in [
            "red:min=5,max=15,limit=30",
            "codel:limit=60",
            "droptail:limit=20",
            "choke:min=5,max=15",
        ] {
            let plain = results(spec, false);
            let logged = results(spec, true);
            assert!(plain.packets.is_empty());
            assert_eq!(
                format!("{:?}", plain.flows),
                format!("{:?}", logged.flows),
                "{spec}"
            );
            let log = &logged.packets[0];
            let queue = logged
                .queues
                .iter()
                .find(|queue| queue.link == log.link())
                .unwrap();
            let count = |name: &str| {
                let records = log
                    .records()
                    .filter(|(record, _)| record.event.name() == name);
                records.count() as u64
            };
            let counters = &queue.counters;
            assert_eq!(count("dropped"), counters.dropped().packets, "{spec}");
            assert_eq!(count("departed"), counters.departed.packets, "{spec}");
            assert!(count("dropped") > 5, "{spec} drops");
        }
    }

    #[test]
    fn lengths_follow_from_the_events() {
        for spec in [
            "red:min=5,max=15,limit=30",
            "codel:limit=60",
            "choke:min=5,max=15",
        ] {
            let logged = results(spec, true);
            let mut waiting: Vec<(FlowId, u32)> = Vec::new();
            let mut before = Nanos::ZERO;
            for (record, probes) in logged.packets[0].records() {
                assert!(record.at >= before, "{spec}: {record:?}");
                before = record.at;
                let place = waiting
                    .iter()
                    .position(|key| *key == (record.flow, record.number));
                match (record.event, place) {
                    (PacketEvent::Enqueued, _) => waiting.push((record.flow, record.number)),
                    (PacketEvent::Departed, None) => panic!("{spec}: {record:?} was not there"),
                    (_, Some(place)) => drop(waiting.remove(place)),
                    (PacketEvent::Dropped(_), None) => {}
                }
                if record.event == PacketEvent::Departed {
                    assert_eq!(record.queue as usize, waiting.len(), "{spec}: {record:?}");
                }
                assert_eq!(probes.len(), logged.packets[0].probes().len());
            }
        }
    }
}
