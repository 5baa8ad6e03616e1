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
mod finish;
mod flow;
mod link;
mod order;
mod session;
mod tcp_flow;

pub(crate) use build::prepare;

use std::sync::Arc;

use earlydrop::packet::Packet as _;
use earlydrop::queue::QueueDiscipline;
use earlydrop::units::Nanos;

use self::accounts::Accounts;
use self::flow::{Ends, Flow};
use self::link::{Extras, Link, NONE, Port};
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

/// What a packet meets next on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hop {
    /// A link whose packets come in order: it is worked out ahead of time.
    Ahead(u32),
    /// A link where a packet waits for its turn.
    InTurn(u32),
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
    links: Vec<Link>,
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
    /// Links' names and flows' groups, for the results.
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

    /// Packets whose event has come.
    #[inline]
    fn come(&mut self, packet: Packet) {
        let now = self.now;
        match self.hops[packet.next as usize] {
            Hop::Ahead(link) | Hop::InTurn(link) => self.enter(link, packet, now),
            Hop::ReceiverAhead | Hop::Receiver => self.receive(packet, now),
            Hop::Sender => self.acknowledged(packet),
        }
    }

    /// A packet gets to its next hop at `at`, now or later: what can be worked out ahead
    /// of time is, the rest becomes an event.
    #[inline]
    fn travel(&mut self, packet: Packet, at: Nanos) {
        match self.hops[packet.next as usize] {
            Hop::Ahead(link) => self.enter(link, packet, at),
            Hop::InTurn(link) if at <= self.now => self.enter(link, packet, at),
            Hop::ReceiverAhead => self.receive(packet, at),
            _ => self.events.push(at, Event::Come(packet)),
        }
    }

    /// A packet enters a link at `at`.
    #[inline]
    fn enter(&mut self, index: u32, packet: Packet, at: Nanos) {
        let link = &mut self.links[index as usize];
        if link.port != NONE {
            let port = link.port;
            return self.offer(port, packet, at);
        }
        let leave = link.send(at, packet.size());
        self.launch(index, packet, leave);
    }

    /// A packet has left its link's transmitter at `leave` and flies.
    #[inline]
    fn launch(&mut self, index: u32, mut packet: Packet, leave: Nanos) {
        let link = &self.links[index as usize];
        let mut arrive = leave + link.delay;
        if link.extras != NONE {
            let extras = &mut self.extras[link.extras as usize];
            if let Some(capture) = &mut extras.capture {
                capture.record(leave, &packet, &self.accounts.notes);
            }
            match extras.carry(leave, link.delay) {
                Some(at) => arrive = at,
                None => return self.accounts.loss(&mut self.flows, leave).take(packet),
            }
        }
        packet.next += 1;
        self.travel(packet, arrive);
    }

    /// A packet comes to a queue at `at`.
    fn offer(&mut self, index: u32, packet: Packet, at: Nanos) {
        self.drain(index, at);
        let port = &mut self.ports[index as usize];
        port.observe(at);
        let mut loss = self.accounts.loss(&mut self.flows, at);
        port.queue.enqueue_with(at, packet, &mut loss);
        loss.tell(&mut port.meter);
        if port.idle && !port.down && port.queue.packets() > 0 {
            port.idle = false;
            let link = &mut self.links[port.link as usize];
            link.free_at = link.free_at.max(at);
            self.drain(index, at);
        }
        self.arm(index);
    }

    /// Works out what has left a queue up to `until`.
    fn drain(&mut self, index: u32, until: Nanos) {
        loop {
            let port = &mut self.ports[index as usize];
            let link = &mut self.links[port.link as usize];
            let at = link.free_at;
            if port.idle || port.down || at > until {
                return;
            }
            port.observe(at);
            let mut loss = self.accounts.loss(&mut self.flows, at);
            let departure = port.queue.dequeue_with(at, &mut loss);
            loss.tell(&mut port.meter);
            let Some(departure) = departure else {
                port.idle = true;
                return;
            };
            let size = departure.packet.size();
            let leave = match self.extras.get_mut(link.extras as usize) {
                Some(extras) if extras.trace.is_some() => extras.follow_trace(at, size),
                _ => at + link.time(size),
            };
            link.free_at = leave;
            port.meter.sent(at.since(departure.arrived), leave.since(at));
            let link = port.link;
            self.launch(link, departure.packet, leave);
        }
    }

    /// Sets up the event that drains a queue, unless it is early enough already: before
    /// the next packet to leave can have arrived at the far end.
    #[inline]
    fn arm(&mut self, index: u32) {
        let port = &mut self.ports[index as usize];
        if port.queue.packets() > 0 && !port.down {
            let link = &self.links[port.link as usize];
            let by = link.free_at + link.delay;
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
        let (link, change) = self.changes[index as usize];
        let now = self.now;
        let port_index = self.links[link as usize].port;
        self.drain(port_index, now);
        let port = &mut self.ports[port_index as usize];
        port.observe(now);
        let link = &mut self.links[link as usize];
        match change {
            Change::Rate(rate) => {
                link.set_rate(rate);
                port.queue.set_link_rate(now, rate);
            }
            Change::Delay(delay) => link.delay = delay,
            Change::Down => port.down = true,
            Change::Up => {
                port.down = false;
                port.idle = port.queue.packets() == 0;
                link.free_at = link.free_at.max(now);
                self.drain(port_index, now);
            }
        }
        self.arm(port_index);
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
