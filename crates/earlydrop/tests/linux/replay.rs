//! Arrivals through a queue and a link of fixed rate, as the kernel's runs were made.

use earlydrop::packet::{Ecn, FlowKey, Hosts, Packet};
use earlydrop::queue::{AnyQueue, QueueDiscipline};
use earlydrop::registry::{LinkFacts, Spec};
use earlydrop::units::{BitsPerSec, Nanos};

use super::traces::Arrival;

/// What became of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Passed,
    Marked,
    Dropped,
}

impl Fate {
    /// `.` passed, `m` marked, `d` dropped.
    pub(crate) fn letter(self) -> u8 {
        match self {
            Fate::Passed => b'.',
            Fate::Marked => b'm',
            Fate::Dropped => b'd',
        }
    }

    /// The fate that a letter stands for.
    pub(crate) fn from_letter(letter: u8) -> Option<Fate> {
        match letter {
            b'.' => Some(Fate::Passed),
            b'm' => Some(Fate::Marked),
            b'd' => Some(Fate::Dropped),
            _ => None,
        }
    }
}

/// A packet's fate, and when it left or was dropped, in ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) fate: Fate,
    pub(crate) left: u64,
}

#[derive(Clone, Copy, Debug)]
struct Numbered {
    number: usize,
    size: u32,
    flow: u16,
    ecn: Ecn,
    class: u8,
    marked: bool,
}

impl Packet for Numbered {
    fn size(&self) -> u32 {
        self.size
    }
    fn flow(&self) -> FlowKey {
        FlowKey(u64::from(self.flow) + 1)
    }
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    fn mark(&mut self) {
        self.marked |= self.ecn != Ecn::Ce;
        self.ecn = Ecn::Ce;
    }
    fn class(&self) -> u8 {
        self.class
    }
    /// Each flow comes from an address of its own; all go to one.
    fn hosts(&self) -> Hosts {
        Hosts {
            source: u64::from(self.flow),
            destination: 0,
        }
    }
}

/// The link behind the queue, or a qdisc's own shaper.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkModel {
    /// In bit/s.
    pub(crate) rate: u64,
    /// A transmission into an idle link begins at a multiple of this, in ns.
    pub(crate) ticks: u64,
    /// How much later it begins, in ns: timers of the kernel's arrivals are 1 ns late, and a shaper
    /// counts from then.
    pub(crate) late: u64,
}

/// The queue and the link; the link has sent its packet at `free`, `None` while idle.
struct Device {
    queue: AnyQueue<Numbered>,
    link: LinkModel,
    free: Option<u64>,
    records: Vec<Record>,
}

impl Device {
    /// Sends the next packet, whose transmission starts at `start`.
    fn send(&mut self, now: u64, start: u64) {
        let records = &mut self.records;
        let left = self
            .queue
            .dequeue_with(Nanos(ORIGIN + now), &mut |lost: Numbered, _| {
                records[lost.number] = Record {
                    fate: Fate::Dropped,
                    left: now,
                };
            });
        self.free = left.map(|left| {
            let packet = left.packet;
            let fate = if packet.marked {
                Fate::Marked
            } else {
                Fate::Passed
            };
            records[packet.number] = Record { fate, left: now };
            start + u64::from(packet.size) * 8 * 1_000_000_000 / self.link.rate
        });
    }

    /// Sends until the link is idle or the next packet would leave after `until`.
    fn run(&mut self, until: u64) {
        while let Some(free) = self.free.filter(|free| *free <= until) {
            self.send(free, free);
        }
    }

    fn arrive(&mut self, number: usize, arrival: &Arrival) {
        let packet = Numbered {
            number,
            size: arrival.size,
            flow: arrival.flow,
            ecn: Ecn::from_bits(arrival.ecn),
            class: arrival.class,
            marked: false,
        };
        let LinkModel { ticks, late, .. } = self.link;
        // A shaper that is free at the same ns as the arrival sends what waits first.
        if let Some(free) = self.free
            && free <= arrival.at + late
            && self.queue.packets() > 0
        {
            self.send(arrival.at, free);
        }
        let records = &mut self.records;
        self.queue.enqueue_with(
            Nanos(ORIGIN + arrival.at),
            packet,
            &mut |lost: Numbered, _| {
                records[lost.number] = Record {
                    fate: Fate::Dropped,
                    left: arrival.at,
                };
            },
        );
        match self.free {
            None => self.send(arrival.at, arrival.at.next_multiple_of(ticks) + late),
            Some(free) if free <= arrival.at + late => self.send(arrival.at, free),
            Some(_) => {}
        }
    }
}

/// The time at which the replay's arrivals begin: a multiple of every clock tick of a queue, as
/// where the kernel's runs begin.
const ORIGIN: u64 = 1 << 34;

/// Sends `trace` through the queue that `spec` describes, and over `link`. The queue's periodic
/// updates start as if it had been built `before` ns ahead.
pub(crate) fn replay(
    spec: &str,
    seed: u64,
    link: LinkModel,
    before: u64,
    trace: &[Arrival],
) -> Vec<Record> {
    let parsed: Spec = spec
        .parse()
        .unwrap_or_else(|error| panic!("{spec}: {error}"));
    let plan = parsed.plan(&LinkFacts::at(BitsPerSec(link.rate)));
    let plan = plan.unwrap_or_else(|error| panic!("{spec}: {error}"));
    let mut device = Device {
        queue: plan.queue(seed),
        link,
        free: None,
        records: vec![
            Record {
                fate: Fate::Passed,
                left: 0
            };
            trace.len()
        ],
    };
    device.queue.poll(Nanos(ORIGIN - before));
    for (number, arrival) in trace.iter().enumerate() {
        device.run(arrival.at);
        device.arrive(number, arrival);
    }
    device.run(u64::MAX);
    device.records
}
