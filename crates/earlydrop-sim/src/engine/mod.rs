//! The engine: what happens when a packet moves, and in which order.
//!
//! Four things keep it fast, and none of them is an approximation:
//! - **A hop without a queue is arithmetic.** When a link's packets all come from one
//!   place in order, it is worked out when a packet leaves it as soon as the packet
//!   enters the link before, ahead of time; only where streams meet must a packet wait
//!   for its turn as an event. `order` finds out which links these are.
//! - **A queue is looked after lazily.** What left it by time t matters to nobody before
//!   the first of it arrives at the far end, one propagation delay later. So departures
//!   are worked out when the next packet comes, or by one event a propagation delay.
//! - **An end of a flow is worked out ahead of time too**, as long as it does nothing of
//!   its own accord before: an acknowledgment that comes before the retransmission timer
//!   runs out can be answered as soon as it is known when it comes. Where it cannot, it
//!   is held until the timer has run out, or has not.
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
mod event;
mod fifo;
mod finish;
mod flow;
mod hop;
mod in_turn;
mod link;
mod order;
mod plain;
mod port;
mod session;
mod tcp_flow;
mod travel;

pub(crate) use build::prepare;

use std::sync::Arc;

use earlydrop::packet::Packet as _;
use earlydrop::queue::{AnyQueue, QueueDiscipline};
use earlydrop::units::Nanos;

use self::accounts::Accounts;
use self::event::{Event, Task};
use self::fifo::FifoPort;
use self::flow::{Ends, Flow};
use self::hop::{Leg, Ways};
use self::link::{Extras, Link, Make};
use self::port::Port;
use crate::ahead;
use crate::events::Events;
use crate::network::Change;
use crate::packet::Packet;
use crate::results::Completion;
use crate::tcp;

/// A run that is going on.
///
/// Built by [`Run::start`](crate::run::Run::start).
#[derive(Clone, Debug)]
pub struct Simulation {
    now: Nanos,
    end: Nanos,
    events: Events<Event>,
    /// Links without a queue, with a drop-tail queue, and with any other.
    wires: Vec<Link>,
    /// What the wires that flows keep themselves are like.
    makes: Vec<Make>,
    fifos: Vec<FifoPort>,
    ports: Vec<Port>,
    extras: Vec<Extras>,
    /// All routes, one after the other, and where each flow's two begin.
    legs: Vec<Leg>,
    ways: Ways,
    flows: Vec<Flow>,
    profiles: Vec<tcp::Profile>,
    changes: Vec<(u32, Change)>,
    accounts: Accounts,
    completions: Vec<Completion>,
    windows: Option<Windows>,
    seed: u64,
    /// Flows' groups, for the results.
    groups: Vec<Arc<str>>,
}

/// From so many flows on, what a packet needs of its flow is asked for ahead of its turn:
/// fewer are in the caches anyway.
const MANY_FLOWS: usize = 2000;

/// Asks for the flow of a packet that will leave a queue soon, and for what that of a nearer
/// one keeps elsewhere. In the time of some packets, a microsecond or two, memory answers.
#[inline(always)]
fn look_ahead(flows: &[Flow], queue: &AnyQueue<Packet>) {
    if let Some(packet) = queue.coming(16) {
        ahead::fetch(&flows[packet.flow_index() as usize]);
    }
    if let Some(packet) = queue.coming(6) {
        flows[packet.flow_index() as usize].look_ahead();
    }
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
            if event.is_packet() {
                self.go_on(event.packet(), now);
            } else {
                self.perform(event);
            }
        }
        self.now = until;
    }

    #[inline(never)]
    fn perform(&mut self, event: Event) {
        if self.flows.len() >= MANY_FLOWS {
            self.look_ahead_of_wakes();
        }
        match event.task() {
            Some(Task::Wake(flow)) => self.wake(flow),
            Some(Task::Drain(port)) => self.drain_event(port),
            Some(Task::Change(index)) => self.change(index),
            Some(Task::Sample) => self.sample(),
            None => {}
        }
    }

    /// Asks for the flow that an event to come will look after.
    #[inline(always)]
    fn look_ahead_of_wakes(&self) {
        if let Some(event) = self.events.coming()
            && !event.is_packet()
            && let Some(Task::Wake(index)) = event.task()
            && let Some(flow) = self.flows.get(index as usize)
        {
            ahead::fetch(flow);
        }
    }

    /// A packet comes to a queue at `at`; it knows its next step beyond.
    #[inline(always)]
    fn offer(&mut self, index: u32, packet: Packet, at: Nanos) {
        self.send_by(index, at);
        let port = &mut self.ports[index as usize];
        port.observe(at);
        port.meter.came(packet, at);
        let meter = Some(&mut port.meter);
        let mut loss = self.accounts.loss(at, meter);
        port.queue.enqueue_with(at, packet, &mut loss);
        port.waiting = port.waiting + 1 - loss.lost;
        if port.wakes(at) {
            self.drain(index, at);
        }
        self.arm(index);
    }

    /// Works out what has left a queue up to `until`.
    #[inline(never)]
    fn drain(&mut self, index: u32, until: Nanos) {
        self.send_by(index, until);
    }

    /// The same where packets come.
    #[inline(always)]
    fn send_by(&mut self, index: u32, until: Nanos) {
        loop {
            let port = &mut self.ports[index as usize];
            if !port.sends_by(until) {
                return;
            }
            let at = port.link.free_at;
            port.observe(at);
            let meter = Some(&mut port.meter);
            let mut loss = self.accounts.loss(at, meter);
            let departure = port.queue.dequeue_with(at, &mut loss);
            port.waiting -= loss.lost;
            let Some(departure) = departure else {
                port.rest();
                return;
            };
            port.waiting -= 1;
            if self.flows.len() >= MANY_FLOWS {
                look_ahead(&self.flows, &port.queue);
            }
            let packet = departure.packet;
            let size = packet.size();
            let takes = match port.extras {
                Some(extras) => self.extras[extras as usize].time(&mut port.link, at, size),
                None => port.link.make.time(size),
            };
            let leave = Nanos(at.0 + takes.0);
            port.link.free_at = leave;
            port.sends_at = leave;
            port.meter.sent(Nanos(at.0 - departure.arrived.0), takes);
            let arrive = Nanos(leave.0 + port.link.make.delay.0);
            self.leave_queue(packet, arrive);
        }
    }

    /// Sets up the event that drains a queue, unless it is early enough already: before
    /// the next packet to leave can have arrived at the far end.
    #[inline(always)]
    fn arm(&mut self, index: u32) {
        let port = &mut self.ports[index as usize];
        if port.waiting > 0 && !port.down {
            let by = Nanos(port.link.free_at.0 + port.slack.0);
            if by < port.drain_at {
                port.drain_at = by;
                self.events.push(by, Task::Drain(index).event());
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
                port.link.make.set_rate(rate);
                port.queue.set_link_rate(now, rate);
            }
            Change::Delay(delay) => {
                port.link.make.delay = delay;
                if port.slack > Nanos::ZERO {
                    port.slack = delay.since(Nanos(1));
                }
                if let Some(extras) = port.extras {
                    self.extras[extras as usize].delay = delay;
                }
            }
            Change::Down => port.switch(false, now),
            Change::Up => {
                port.switch(true, now);
                self.drain(index, now);
            }
        }
        self.arm(index);
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
        self.events
            .push(self.now + windows.interval, Task::Sample.event());
    }
}
