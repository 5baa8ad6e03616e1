//! A ledger of a queue: the packets offered, those in the queue, and the fate of the rest.

use std::collections::{BTreeMap, HashMap};

use earlydrop::aqm::DropReason;
use earlydrop::counters::Tally;
use earlydrop::packet::{Ecn, FlowKey, Packet};
use earlydrop::queue::{AnyQueue, ChangeError, Limit, Outcome, QueueDiscipline};
use earlydrop::registry::Plan;
use earlydrop::units::{BitsPerSec, Nanos};

/// A packet with an identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tagged {
    pub(crate) id: u64,
    pub(crate) flow: u64,
    pub(crate) size: u32,
    pub(crate) ecn: Ecn,
    pub(crate) class: u8,
    /// How often this queue marked it.
    pub(crate) marks: u8,
}

impl Packet for Tagged {
    fn size(&self) -> u32 {
        self.size
    }
    fn flow(&self) -> FlowKey {
        FlowKey(self.flow)
    }
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    fn mark(&mut self) {
        assert!(self.ecn.is_capable(), "marked {self:?}");
        self.ecn = Ecn::Ce;
        self.marks += 1;
    }
    fn class(&self) -> u8 {
        self.class
    }
}

/// What a queue did with a packet; times without the clock's offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Offered(u64, Outcome),
    Left(u64, Ecn, Nanos),
    Lost(u64, DropReason),
    Nothing,
}

/// A packet in the queue: as it was enqueued, when, and whether it was marked then.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    offered: Tagged,
    at: Nanos,
    marked: bool,
}

/// Probes that are a probability.
const PROBABILITIES: [&str; 12] = [
    "pb",
    "pa",
    "probability",
    "mean_probability",
    "max_p",
    "pb_least",
    "hits",
    "base",
    "dropping",
    "p",
    "p_c",
    "p_cl",
];

/// A queue with its ledger, which checks every call.
pub(crate) struct Audited {
    pub(crate) queue: AnyQueue<Tagged>,
    /// The clock's time at the start of the test.
    pub(crate) offset: Nanos,
    /// The plan of the queue.
    pub(crate) plan: Plan,
    /// Every event, in order.
    pub(crate) events: Vec<Event>,
    name: String,
    limit: Limit,
    memory: usize,
    waiting: BTreeMap<u64, Waiting>,
    /// The last packet of each flow to leave (of each lane, where flows have two).
    last_left: HashMap<(u64, u8), u64>,
    arrived: Tally,
    departed: Tally,
    marked: Tally,
    dropped: [Tally; DropReason::ALL.len()],
}

impl Audited {
    pub(crate) fn new(name: &str, plan: &Plan, offset: Nanos) -> Audited {
        let queue = plan.queue(7);
        Audited {
            memory: queue.memory(),
            queue,
            offset,
            plan: plan.clone(),
            events: Vec::new(),
            name: name.to_string(),
            limit: plan.limit(),
            waiting: BTreeMap::new(),
            last_left: HashMap::new(),
            arrived: Tally::default(),
            departed: Tally::default(),
            marked: Tally::default(),
            dropped: [Tally::default(); DropReason::ALL.len()],
        }
    }

    pub(crate) fn offer(&mut self, now: Nanos, packet: Tagged) -> Outcome {
        let mut lost = Vec::new();
        let mut losses = |packet: Tagged, reason| lost.push((packet, reason));
        let outcome = self
            .queue
            .enqueue_with(now + self.offset, packet, &mut losses);
        self.arrived.add(packet.size);
        let marked = outcome == Outcome::Marked;
        if marked {
            self.marked.add(packet.size);
        }
        let entry = Waiting {
            offered: packet,
            at: now,
            marked,
        };
        self.waiting.insert(packet.id, entry);
        self.events.push(Event::Offered(packet.id, outcome));
        let own = lost.iter().find(|(lost, _)| lost.id == packet.id);
        let reported = own.map(|(_, reason)| Outcome::Dropped(*reason));
        let dropped = matches!(outcome, Outcome::Dropped(_)).then_some(outcome);
        assert_eq!(dropped, reported, "{}", self.name);
        for (packet, reason) in lost {
            self.lose(packet, reason);
        }
        self.check();
        outcome
    }

    pub(crate) fn take(&mut self, now: Nanos) -> Option<Tagged> {
        let mut lost = Vec::new();
        let mut losses = |packet: Tagged, reason| lost.push((packet, reason));
        let departure = self.queue.dequeue_with(now + self.offset, &mut losses);
        for (packet, reason) in lost {
            self.lose(packet, reason);
        }
        match departure {
            None => {
                assert_eq!(self.queue.packets(), 0, "{}: kept back", self.name);
                self.events.push(Event::Nothing);
            }
            Some(departure) => {
                let arrived = departure.arrived - self.offset;
                self.leave(departure.packet, arrived);
            }
        }
        self.check();
        departure.map(|departure| departure.packet)
    }

    pub(crate) fn poll(&mut self, now: Nanos) {
        self.queue.poll(now + self.offset);
        self.check();
    }

    pub(crate) fn set_rate(&mut self, now: Nanos, rate: BitsPerSec) {
        self.queue.set_link_rate(now + self.offset, rate);
        self.check();
    }

    /// Changes to `plan`; the limit and the memory of the larger one hold from then on.
    pub(crate) fn change(&mut self, now: Nanos, plan: &Plan) -> Result<(), ChangeError> {
        let waiting = (self.queue.packets(), self.queue.bytes());
        let changed = self.queue.change(now + self.offset, plan);
        if changed.is_ok() {
            let limit = plan.limit();
            self.limit.packets = self.limit.packets.max(limit.packets);
            self.limit.bytes = self.limit.bytes.max(limit.bytes);
            self.memory = self.queue.memory();
        }
        assert_eq!(waiting, (self.queue.packets(), self.queue.bytes()));
        self.check();
        changed
    }

    fn lose(&mut self, packet: Tagged, reason: DropReason) {
        let entry = self.remove(&packet);
        // Marked and dropped within one call, it counts as dropped only.
        let known = u8::from(entry.marked);
        let own = self.events.last();
        let at_once = matches!(own, Some(Event::Offered(id, _)) if *id == packet.id);
        assert!(
            packet.marks == known || at_once,
            "{}: {packet:?}",
            self.name
        );
        self.dropped[reason as usize].add(packet.size);
        self.events.push(Event::Lost(packet.id, reason));
    }

    fn leave(&mut self, packet: Tagged, arrived: Nanos) {
        let entry = self.remove(&packet);
        assert_eq!(arrived, entry.at, "{}: {packet:?}", self.name);
        let on_the_way_out = packet.marks - u8::from(entry.marked);
        assert!(on_the_way_out <= 1, "{}: {packet:?}", self.name);
        if on_the_way_out == 1 {
            self.marked.add(packet.size);
        }
        let by_class = ["by=class", "drr", "cake"];
        let by_class = by_class.iter().any(|name| self.name.contains(name));
        // A flow's packets overtake each other only where they go to different queues.
        let lane = match self.queue {
            AnyQueue::Dual(_) => u8::from(entry.offered.ecn.is_l4s()),
            AnyQueue::RuledFair(_) | AnyQueue::Cake(_) if by_class => entry.offered.class,
            _ => 0,
        };
        let before = self.last_left.insert((packet.flow, lane), packet.id);
        // Flows of CAKE that collide may get another queue while packets wait.
        let collide = matches!(self.queue, AnyQueue::Cake(_)) && self.name.contains("queues=");
        let in_order = before < Some(packet.id) || collide;
        assert!(in_order, "{}: {packet:?}", self.name);
        self.departed.add(packet.size);
        self.events
            .push(Event::Left(packet.id, packet.ecn, arrived));
    }

    /// Removes the entry of a packet that has left, which may differ only by its marks.
    fn remove(&mut self, packet: &Tagged) -> Waiting {
        let entry = self.waiting.remove(&packet.id);
        let entry = entry.unwrap_or_else(|| panic!("{}: {packet:?} again", self.name));
        let ecn = match packet.marks {
            0 => entry.offered.ecn,
            _ => Ecn::Ce,
        };
        let expected = Tagged {
            ecn,
            marks: packet.marks,
            ..entry.offered
        };
        assert_eq!(*packet, expected, "{}", self.name);
        entry
    }

    fn check(&self) {
        let name = &self.name;
        let counters = self.queue.counters();
        assert_eq!(counters.arrived, self.arrived, "{name}");
        assert_eq!(counters.departed, self.departed, "{name}");
        assert_eq!(counters.marked, self.marked, "{name}");
        let mut gone = self.departed;
        for reason in DropReason::ALL {
            let dropped = self.dropped[reason as usize];
            assert_eq!(counters.dropped_for(reason), dropped, "{name}: {reason:?}");
            gone.packets += dropped.packets;
            gone.bytes += dropped.bytes;
        }
        let (packets, bytes) = (self.queue.packets(), self.queue.bytes());
        assert_eq!(self.arrived.packets, gone.packets + u64::from(packets));
        assert_eq!(self.arrived.bytes, gone.bytes + bytes, "{name}");
        assert_eq!(packets as usize, self.waiting.len(), "{name}");
        assert!(packets <= self.limit.packets, "{name}: {packets}");
        assert!(bytes <= self.limit.bytes.0, "{name}: {bytes} bytes");
    }

    /// Checks that are too slow for every packet.
    pub(crate) fn check_probes_and_memory(&self) {
        let name = &self.name;
        assert_eq!(self.queue.memory(), self.memory, "{name}: memory");
        self.queue.probes(&mut |probe, value| {
            assert!(value.is_finite(), "{name}: {probe} = {value}");
            assert!(
                value >= 0.0 || probe == "credit",
                "{name}: {probe} = {value}"
            );
            let bounded = PROBABILITIES.contains(&probe);
            assert!(value <= 1.0 || !bounded, "{name}: {probe} = {value}");
        });
        if let Some(due) = self.queue.next_deadline() {
            assert!(due > Nanos::ZERO, "{name}");
        }
    }
}
