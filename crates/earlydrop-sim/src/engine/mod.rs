//! The engine: what happens when a packet moves, and in which order.
//!
//! Three things keep it fast, and none of them is an approximation:
//! - **A hop without a queue is arithmetic.** When a link's packets all come from one
//!   place in order, it is worked out when a packet leaves it as soon as the packet
//!   enters the link before, ahead of time; only where streams meet must a packet wait
//!   for its turn as an event. `order` finds out which links these are.
//! - **A queue is looked after lazily.** What left it by time t matters to nobody before
//!   the first of it arrives at the far end, one propagation delay later. So departures
//!   are worked out when the next packet comes, or by one event a propagation delay.
//! - **A flow has one event to be woken by**, for all its timers. A timer that moves
//!   later, as a retransmission timer does with each acknowledgment, touches nothing;
//!   the event finds out that it is early and comes again.
//!
//! Times of events never decrease, events of the same time happen in the order they
//! were set up, and every random number comes from a stream of its own purpose, so a
//! run is a function of its description and seed.

mod accounts;
mod build;
mod datagrams;
mod fifo;
mod finish;
mod flow;
mod in_turn;
mod link;
mod order;
mod port;
mod session;
mod tcp_flow;

pub(crate) use build::prepare;

use std::sync::Arc;

use earlydrop::packet::Packet as _;
use earlydrop::queue::QueueDiscipline;
use earlydrop::units::Nanos;

use self::accounts::Accounts;
use self::fifo::Waiting;
use self::flow::{Ends, Flow};
use self::link::{Crossing, Extras, Link};
use self::port::{Port, Queue};
use crate::events::Events;
use crate::network::Change;
use crate::packet::Packet;
use crate::results::Completion;
use crate::tcp;

/// Something that happens at a time.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// A packet has come to its next hop.
    Come(Packet),
    /// What has left this port by now must be known.
    Drain(u32),
    /// A flow has something to do.
    Wake(u32),
    /// The link change of this index is due.
    Change(u32),
    /// Flows' windows are sampled.
    Sample,
    /// The warm-up is over.
    Begin,
}

/// What a packet meets next on its way. Wires and ports are worked out ahead of time
/// where packets come to them in order, and wait for their turn elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hop {
    /// A link without a queue.
    Wire(u32),
    /// A link with one.
    Port(u32),
    /// A link without a queue where streams meet.
    WireInTurn(u32),
    /// A link with one where streams meet.
    PortInTurn(u32),
    /// Its receiver, worked out ahead of time.
    ReceiverAhead,
    /// Its receiver.
    Receiver,
    /// Its sender: the end of an acknowledgment's way.
    Sender,
}

/// A run that is going on.
///
/// Built by [`Run::start`](crate::run::Run::start).
#[derive(Clone, Debug)]
pub struct Simulation {
    now: Nanos,
    end: Nanos,
    events: Events<Event>,
    /// Links without a queue, and those with one.
    wires: Vec<Link>,
    ports: Vec<Port>,
    extras: Vec<Extras>,
    /// All routes, one after the other; a packet holds an index into them.
    hops: Vec<Hop>,
    flows: Vec<Flow>,
    profiles: Vec<tcp::Profile>,
    changes: Vec<(u32, Change)>,
    accounts: Accounts,
    completions: Vec<Completion>,
    windows: Option<Windows>,
    seed: u64,
    /// Names of the ports' links, and flows' groups, for the results.
    names: Vec<String>,
    groups: Vec<Arc<str>>,
}

/// Flows' windows over time.
#[derive(Clone, Debug)]
struct Windows {
    interval: Nanos,
    /// For each flow that is watched: its index, and its window at each interval.
    flows: Vec<(u32, Vec<f64>)>,
}

impl Simulation {
    /// The time reached.
    pub fn now(&self) -> Nanos {
        self.now
    }

    /// Runs everything that happens up to `until`, but not beyond the run's end.
    pub fn run_until(&mut self, until: Nanos) {
        let until = until.min(self.end);
        while let Some((now, event)) = self.events.pop_until(until) {
            self.now = now;
            self.accounts.totals.events += 1;
            match event {
                Event::Come(packet) => self.come(packet),
                Event::Drain(port) => self.drain_event(port),
                Event::Wake(flow) => self.wake(flow),
                Event::Change(index) => self.change(index),
                Event::Sample => self.sample(),
                Event::Begin => self.begin(),
            }
        }
        self.now = until;
    }

    /// A packet's turn has come.
    #[inline]
    fn come(&mut self, packet: Packet) {
        let now = self.now;
        match self.hops[packet.next as usize] {
            Hop::Wire(wire) | Hop::WireInTurn(wire) => self.cross(wire, packet),
            Hop::Port(port) | Hop::PortInTurn(port) => self.offer(port, packet, now),
            Hop::ReceiverAhead | Hop::Receiver => self.receive(packet, now),
            Hop::Sender => self.acknowledged(packet),
        }
    }

    /// A packet gets to its next hop at `at`, now or later: what can be worked out ahead
    /// of time is, the rest becomes an event.
    fn travel(&mut self, mut packet: Packet, mut at: Nanos) {
        while let Hop::Wire(wire) = self.hops[packet.next as usize] {
            match self.wires[wire as usize].cross(at, packet.size()) {
                Crossing::Plain(arrive) => at = arrive,
                Crossing::Special(extras, leave) => return self.launch(extras, packet, leave),
            }
            packet.next += 1;
        }
        match self.hops[packet.next as usize] {
            Hop::Port(port) => self.offer(port, packet, at),
            Hop::ReceiverAhead => self.receive(packet, at),
            _ if at > self.now => self.events.push(at, Event::Come(packet)),
            _ => self.come(packet),
        }
    }

    /// A packet crosses a link without a queue, from now on.
    fn cross(&mut self, wire: u32, mut packet: Packet) {
        match self.wires[wire as usize].cross(self.now, packet.size()) {
            Crossing::Plain(arrive) => {
                packet.next += 1;
                self.travel(packet, arrive);
            }
            Crossing::Special(extras, leave) => self.launch(extras, packet, leave),
        }
    }

    /// A packet has left at `leave` over a link that records, loses or holds back.
    fn launch(&mut self, extras: u32, mut packet: Packet, leave: Nanos) {
        let extras = &mut self.extras[extras as usize];
        if let Some(capture) = &mut extras.capture {
            let payload = self.flows[packet.flow as usize].payload(&self.profiles);
            capture.record(leave, &packet, payload, &self.accounts.notes);
        }
        match extras.carry(leave) {
            None => self
                .accounts
                .loss(&mut self.flows, leave, None)
                .take(packet),
            Some(arrive) => {
                packet.next += 1;
                self.travel(packet, arrive);
            }
        }
    }

    /// A packet comes to a queue at `at`.
    fn offer(&mut self, index: u32, packet: Packet, at: Nanos) {
        self.drain(index, at);
        let port = &mut self.ports[index as usize];
        port.observe(at);
        let queue = match &mut port.queue {
            Queue::Any(queue) => queue,
            Queue::Fifo(_) => return self.pass_fifo(index, packet, at),
        };
        let meter = Some(&mut port.meter);
        let mut loss = self.accounts.loss(&mut self.flows, at, meter);
        queue.enqueue_with(at, packet, &mut loss);
        port.waiting = port.waiting + 1 - loss.lost;
        if port.idle && !port.down && port.waiting > 0 {
            port.idle = false;
            port.link.free_at = port.link.free_at.max(at);
            self.drain(index, at);
        }
        self.arm(index);
    }

    /// A packet comes to a queue whose departures are known on arrival.
    fn pass_fifo(&mut self, index: u32, mut packet: Packet, at: Nanos) {
        let port = &mut self.ports[index as usize];
        let Queue::Fifo(fifo) = &mut port.queue else {
            return;
        };
        let size = packet.size();
        if !fifo.admits(size) {
            let meter = Some(&mut port.meter);
            self.accounts.loss(&mut self.flows, at, meter).take(packet);
            return;
        }
        let takes = port.link.time(size);
        let begins = port.link.free_at.max(at);
        let leave = begins + takes;
        port.link.free_at = leave;
        fifo.enter(Waiting {
            came: at,
            begins,
            takes,
            size,
        });
        port.waiting = fifo.packets();
        match port.link.over(leave) {
            Crossing::Plain(arrive) => {
                packet.next += 1;
                self.travel(packet, arrive);
            }
            Crossing::Special(extras, leave) => self.launch(extras, packet, leave),
        }
    }

    /// Works out what has left a queue up to `until`.
    fn drain(&mut self, index: u32, until: Nanos) {
        loop {
            let port = &mut self.ports[index as usize];
            let queue = match &mut port.queue {
                Queue::Any(queue) => queue,
                Queue::Fifo(_) => return port.settle(until),
            };
            let at = port.link.free_at;
            if port.idle || port.down || at > until {
                return;
            }
            if at >= port.meter.next_tick {
                port.observe(at);
                continue;
            }
            port.meter.pass(at, port.waiting);
            let meter = Some(&mut port.meter);
            let mut loss = self.accounts.loss(&mut self.flows, at, meter);
            let departure = queue.dequeue_with(at, &mut loss);
            port.waiting -= loss.lost;
            let Some(departure) = departure else {
                port.idle = true;
                return;
            };
            port.waiting -= 1;
            let mut packet = departure.packet;
            let takes = match self.extras.get_mut(port.link.extras as usize) {
                Some(extras) if extras.trace.is_some() => {
                    extras.follow_trace(at, packet.size()).since(at)
                }
                _ => port.link.time(packet.size()),
            };
            let leave = at + takes;
            port.link.free_at = leave;
            port.meter.sent(at.since(departure.arrived), takes);
            match port.link.over(leave) {
                Crossing::Plain(arrive) => {
                    packet.next += 1;
                    self.travel(packet, arrive);
                }
                Crossing::Special(extras, leave) => self.launch(extras, packet, leave),
            }
        }
    }

    /// Sets up the event that drains a queue, unless it is early enough already: before
    /// the next packet to leave can have arrived at the far end.
    #[inline]
    fn arm(&mut self, index: u32) {
        let port = &mut self.ports[index as usize];
        if port.waiting > 0 && !port.down {
            let by = port.link.free_at + port.slack;
            if by < port.drain_at {
                port.drain_at = by;
                self.events.push(by, Event::Drain(index));
            }
        }
    }

    fn drain_event(&mut self, index: u32) {
        let port = &mut self.ports[index as usize];
        if port.drain_at == self.now {
            port.drain_at = Nanos::NEVER;
            self.drain(index, self.now);
            self.arm(index);
        }
    }

    /// Something about a link changes now. Such links have a queue, and packets that
    /// come in turn.
    fn change(&mut self, index: u32) {
        let (index, change) = self.changes[index as usize];
        let now = self.now;
        self.drain(index, now);
        let port = &mut self.ports[index as usize];
        port.observe(now);
        match change {
            Change::Rate(rate) => {
                port.link.set_rate(rate);
                if let Queue::Any(queue) = &mut port.queue {
                    queue.set_link_rate(now, rate);
                }
            }
            Change::Delay(delay) => {
                port.link.delay = delay;
                if port.slack > Nanos::ZERO {
                    port.slack = delay;
                }
                self.extras[port.link.extras as usize].delay = delay;
            }
            Change::Down => port.down = true,
            Change::Up => {
                port.down = false;
                port.idle = port.waiting == 0;
                port.link.free_at = port.link.free_at.max(now);
                self.drain(index, now);
            }
        }
        self.arm(index);
    }

    /// What senders did before is left out from now on.
    fn begin(&mut self) {
        for flow in &mut self.flows {
            if let Ends::Tcp(connection) = &flow.ends {
                flow.meter.sender_before = *connection.sender.counts();
            }
        }
    }

    /// Notes the windows of the flows that are watched.
    fn sample(&mut self) {
        let Some(windows) = &mut self.windows else {
            return;
        };
        for (flow, values) in &mut windows.flows {
            if let Ends::Tcp(connection) = &self.flows[*flow as usize].ends {
                values.push(connection.sender.window());
            }
        }
        self.events.push(self.now + windows.interval, Event::Sample);
    }
}
