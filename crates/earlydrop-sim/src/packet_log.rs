//! What happens to each packet at a queue: arrivals, drops and departures, with the queue's length and
//! the scheme's probes after each.

use earlydrop::Explanation;
use earlydrop::aqm::DropReason;
use earlydrop::packet::{Ecn, Packet as _};
use earlydrop::queue::AnyQueue;
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
    /// Records made since the start of the run, also those taken.
    made: u64,
    asked: Option<Asked>,
}

/// Why did what one record of a queue's packets shows happen?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    /// The records of that queue before this one, from the start of the run.
    pub record: u64,
}

/// A question, and the answer once the run has passed it.
#[derive(Clone, Debug)]
struct Asked {
    question: Question,
    answer: Option<Explanation>,
}

/// A queue before a call that may make the record asked for.
pub(crate) struct Before {
    queue: AnyQueue<Packet>,
    /// How many records of the call come before it.
    skipped: usize,
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
            made: 0,
            asked: None,
        }
    }

    /// Asks why a record will be made that is not made yet.
    pub(crate) fn ask(&mut self, question: Question) {
        self.asked = Some(Asked {
            question,
            answer: None,
        });
    }

    /// The number of records made since the start of the run.
    pub(crate) fn made(&self) -> u64 {
        self.made
    }

    /// The answer, once the record is made.
    pub(crate) fn answer(&self) -> Option<&Explanation> {
        self.asked.as_ref()?.answer.as_ref()
    }

    /// A copy of the queue before a call, if the call may make the record asked for: at most one
    /// of each packet that waits, and one of a packet that arrives.
    pub(crate) fn before(&self, queue: &AnyQueue<Packet>, waiting: u32) -> Option<Before> {
        let record = self.asked.as_ref()?.question.record;
        let skipped = record.checked_sub(self.made)?;
        (skipped <= u64::from(waiting)).then(|| Before {
            queue: queue.clone(),
            skipped: skipped as usize,
        })
    }

    /// Keeps the answer if the call has made the record: `explain` says why each packet met its
    /// fate, in the order of the records.
    pub(crate) fn explain(
        &mut self,
        before: Option<Before>,
        explain: impl FnOnce(&AnyQueue<Packet>) -> Vec<Explanation>,
    ) {
        if let (Some(before), Some(asked)) = (before, &mut self.asked)
            && asked.question.record < self.made
        {
            asked.answer = explain(&before.queue).into_iter().nth(before.skipped);
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
        let is_first = self.made == 0;
        self.made += 1;
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
    fn run(spec: &str, is_logged: bool) -> Run {
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
        run
    }

    fn logged(spec: &str) -> Run {
        run(spec, true)
    }

    fn results(spec: &str, is_logged: bool) -> Results {
        run(spec, is_logged).results().unwrap()
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
    fn a_log_taken_whole_goes_on() {
        let run = logged("red:min=5,max=15,limit=30");
        let mut simulation = run.start().unwrap();
        let link = run.measure.packets[0];
        let mut taken = Vec::new();
        let mut take = |record: &PacketRecord, probes: &[f64]| taken.push((*record, probes.len()));
        while simulation.now() < simulation.end() {
            let next = simulation.now() + Nanos::from_millis(1);
            simulation.run_until(next);
            // All there is, and more than is complete.
            simulation.take_packets(link, Nanos::NEVER, &mut take);
        }
        let whole = run.results().unwrap();
        let whole = whole.packets[0].records();
        let whole: Vec<_> = whole
            .map(|(record, probes)| (*record, probes.len()))
            .collect();
        assert_eq!(taken, whole);
    }

    #[test]
    fn any_record_can_be_asked_for() {
        for spec in [
            "red:min=5,max=15,limit=30",
            "codel:limit=60",
            "droptail:limit=20",
            "choke:min=5,max=15",
            "fq-codel:limit=40,drop_batch=3",
        ] {
            let run = logged(spec);
            let link = run.measure.packets[0];
            let results = run.results().unwrap();
            let records: Vec<_> = results.packets[0].records().collect();
            let is_drop = |at: &usize| records[*at].0.event.name() == "dropped";
            let drops: Vec<usize> = (0..records.len()).filter(is_drop).collect();
            let some = drops.iter().step_by(drops.len() / 6).copied();
            let others = (0..records.len()).step_by(records.len() / 5);
            assert!(drops.len() > 5, "{spec} drops");
            for number in some.chain(others) {
                let mut simulation = run.start().unwrap();
                let record = number as u64;
                assert!(simulation.ask(link, Question { record }));
                while simulation.answer(link).is_none() && simulation.now() < simulation.end() {
                    simulation.run_events(Nanos::NEVER, 100);
                    simulation.take_packets(link, simulation.now(), |_, _| ());
                }
                let answer = simulation.answer(link).expect(spec);
                let fates = match records[number].0.event {
                    PacketEvent::Dropped(_) => ["dropped"; 2],
                    _ => ["kept", "marked"],
                };
                let decision = &answer.decision;
                let fits = fates.iter().any(|fate| decision.ends_with(fate));
                assert!(fits, "{spec}, {:?}: {answer:?}", records[number].0);
                assert!(simulation.recorded(link) > record);
                let answered = simulation.finish();
                assert_eq!(
                    format!("{:?}", answered.flows),
                    format!("{:?}", results.flows),
                    "{spec}: asking changes nothing"
                );
            }
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
