//! Links with a queue discipline: arrivals, departures, changes.
//!
//! Departures are computed lazily. Nobody needs to know what left by time t before the first of it
//! can arrive at the far end, one propagation delay later. So they are computed when the next
//! packet arrives, or by one [`Task::Drain`] a propagation delay.

use earlydrop::aqm::DropReason;
use earlydrop::packet::Packet as _;
use earlydrop::queue::{AnyQueue, Losses, QueueDiscipline};
use earlydrop::units::Nanos;

use super::Simulation;
use super::accounts::{Accounts, Loss};
use super::event::Task;
use super::flow::Flow;
use super::shared_buffer::Membership;
use super::steering::Steering;
use crate::link::{QueuedLink, Transmission};
use crate::measure::QueueMeter;
use crate::network::Change;
use crate::packet::Packet;
use crate::packet_log::PacketLog;
use crate::prefetch::prefetch;

/// A link with its queue, and what is measured of both.
#[derive(Clone, Debug)]
pub(super) struct Port {
    /// The link's number and name.
    pub(super) number: u32,
    pub(super) name: String,
    /// The index of the link's impairments, if it has any.
    pub(super) impairments: Option<u32>,
    /// The time of the pending [`Task::Drain`]; such events of any other time are stale.
    pub(super) drain_at: Nanos,
    /// How long after a departure begins it may remain unknown: one nanosecond less than the
    /// propagation delay.
    pub(super) slack: Nanos,
    pub(super) meter: QueueMeter,
    pub(super) link: QueuedLink<Packet>,
    /// What happens to each packet, if it is asked for.
    pub(super) log: Option<Box<PacketLog>>,
    /// What a link that is steered needs.
    pub(super) steering: Option<Box<Steering>>,
    /// The port's place in the buffer that it shares with others, if it shares one.
    pub(super) shared: Option<Membership>,
}

impl Port {
    pub(super) fn new(
        number: u32,
        name: String,
        impairments: Option<u32>,
        link: QueuedLink<Packet>,
        meter: QueueMeter,
    ) -> Port {
        Port {
            number,
            name,
            impairments,
            drain_at: Nanos::NEVER,
            slack: link.delay().since(Nanos(1)),
            meter,
            link,
            log: None,
            steering: None,
            shared: None,
        }
    }

    /// Enqueues a packet and records what happens to it; as [`QueuedLink::enqueue`].
    #[cold]
    #[inline(never)]
    fn enqueue_logged(&mut self, accounts: &mut Accounts, packet: Packet, at: Nanos) -> bool {
        let Some(mut log) = self.log.take() else {
            return false;
        };
        let loss = accounts.loss(at, Some(&mut self.meter));
        let mut losses = Logged {
            loss,
            log: &mut log,
        };
        let before = losses.log.before(self.link.queue(), self.link.waiting());
        let drains = self.link.enqueue(at, packet, &mut losses);
        log.arrived(at, packet, self.link.waiting(), &self.link);
        log.explain(before, |queue| queue.explain_enqueue(at, &packet));
        self.log = Some(log);
        drains
    }

    /// Drops a packet for which the buffer that the port shares has no room.
    #[cold]
    pub(super) fn refuse(&mut self, accounts: &mut Accounts, packet: Packet, at: Nanos) {
        self.observe(at);
        self.meter.on_arrival(packet, at);
        self.link.refuse(packet.size());
        accounts.loss(at, Some(&mut self.meter)).take(packet);
        if let Some(log) = &mut self.log {
            log.lose(packet, DropReason::Forced);
            log.arrived(at, packet, self.link.waiting(), &self.link);
        }
    }

    /// Sends the next packet and records it; as [`QueuedLink::transmit`].
    #[cold]
    #[inline(never)]
    fn transmit_logged(
        &mut self,
        accounts: &mut Accounts,
        at: Nanos,
    ) -> Option<Transmission<Packet>> {
        let mut log = self.log.take()?;
        let loss = accounts.loss(at, Some(&mut self.meter));
        let before = log.before(self.link.queue(), self.link.waiting());
        let sent = self.link.transmit(&mut Logged {
            loss,
            log: &mut log,
        });
        let packet = sent.as_ref().map(|sent| sent.packet);
        log.departed(at, packet, self.link.waiting(), &self.link);
        log.explain(before, |queue| queue.explain_dequeue(at));
        self.log = Some(log);
        sent
    }

    /// Sends the next packet, if its transmission begins by `until`.
    #[inline(always)]
    pub(super) fn transmit_next(
        &mut self,
        accounts: &mut Accounts,
        until: Nanos,
    ) -> Option<Transmission<Packet>> {
        let at = self.link.next_transmission();
        if at > until {
            return None;
        }
        self.observe(at);
        let sent = if self.log.is_some() {
            self.transmit_logged(accounts, at)?
        } else {
            let mut loss = accounts.loss(at, Some(&mut self.meter));
            self.link.transmit(&mut loss)?
        };
        self.meter.sent(sent.sojourn, sent.time);
        self.meter.on_departure(sent.packet, at);
        Some(sent)
    }

    /// Brings measurement up to `at`, before anything happens then.
    #[inline]
    pub(super) fn observe(&mut self, at: Nanos) {
        let waiting = self.link.waiting();
        self.meter.observe(at, waiting, &mut self.link);
    }

    /// Ends measurement at `at`.
    pub(super) fn finish(&mut self, at: Nanos) {
        let waiting = self.link.waiting();
        self.meter.finish(at, waiting, &mut self.link);
    }
}

/// Accounts for lost packets, and notes them for the log.
struct Logged<'a> {
    loss: Loss<'a>,
    log: &'a mut PacketLog,
}

impl Losses<Packet> for Logged<'_> {
    fn lost(&mut self, packet: Packet, reason: DropReason) {
        self.log.lose(packet, reason);
        self.loss.lost(packet, reason);
    }
}

impl Simulation {
    /// A packet arrives at a port at `at`. Its next hop is the one behind the port.
    #[inline(always)]
    pub(super) fn enqueue(&mut self, index: u32, packet: Packet, at: Nanos) {
        if let Some(member) = self.ports[index as usize].shared {
            return self.enqueue_shared(index, member, packet);
        }
        self.enqueue_admitted(index, packet, at);
    }

    /// A packet arrives at a port at `at`; a buffer that the port shares has room for it.
    #[inline(always)]
    pub(super) fn enqueue_admitted(&mut self, index: u32, packet: Packet, at: Nanos) {
        self.transmit_until(index, at);
        let port = &mut self.ports[index as usize];
        port.observe(at);
        port.meter.on_arrival(packet, at);
        let drains = if port.log.is_some() {
            port.enqueue_logged(&mut self.accounts, packet, at)
        } else {
            let mut loss = self.accounts.loss(at, Some(&mut port.meter));
            port.link.enqueue(at, packet, &mut loss)
        };
        if drains {
            self.drain(index, at);
        }
        self.schedule_drain(index);
    }

    /// Takes everything that a port has sent up to `until` to its next hop.
    #[inline(never)]
    pub(super) fn drain(&mut self, index: u32, until: Nanos) {
        self.transmit_until(index, until);
    }

    /// [`drain`](Simulation::drain), inlined for the arrival of a packet.
    #[inline(always)]
    fn transmit_until(&mut self, index: u32, until: Nanos) {
        if self.ports[index as usize].steering.is_some() {
            self.forward_sent(index);
        }
        loop {
            let port = &mut self.ports[index as usize];
            let Some(sent) = port.transmit_next(&mut self.accounts, until) else {
                return;
            };
            if self.flows.len() >= MANY_FLOWS {
                prefetch_flows(&self.flows, port.link.queue());
            }
            self.forward_departure(sent.packet, sent.arrives);
        }
    }

    /// Schedules the event that drains a port, unless one is due early enough: before the next
    /// packet to leave can have arrived at the far end.
    #[inline(always)]
    fn schedule_drain(&mut self, index: u32) {
        let port = &mut self.ports[index as usize];
        if port.link.waiting() > 0 && !port.link.is_down() {
            let by = Nanos(port.link.next_transmission().0 + port.slack.0);
            if by < port.drain_at {
                port.drain_at = by;
                self.events.push(by, Task::Drain(index).event());
            }
        }
    }

    /// [`Task::Drain`] is due.
    pub(super) fn on_drain(&mut self, index: u32) {
        let port = &mut self.ports[index as usize];
        if port.drain_at == self.now {
            port.drain_at = Nanos::NEVER;
            self.drain(index, self.now);
            self.schedule_drain(index);
        }
    }

    /// [`Task::Change`] is due. A link that changes is always a port, and its packets arrive by
    /// events.
    pub(super) fn on_change(&mut self, index: u32) {
        let (index, change) = self.changes[index as usize].clone();
        let now = self.now;
        self.drain(index, now);
        let port = &mut self.ports[index as usize];
        port.observe(now);
        port.link.change(now, &change);
        if let Change::Delay(delay) = change {
            // The reference engine has no slack, and keeps none.
            if port.slack > Nanos::ZERO {
                port.slack = delay.since(Nanos(1));
            }
            if let Some(impairments) = port.impairments {
                self.impairments[impairments as usize].delay = delay;
            }
        }
        if matches!(change, Change::Up) {
            self.drain(index, now);
        }
        if let Some(member) = self.ports[index as usize].shared {
            self.update_member(index, member);
        }
        self.schedule_drain(index);
    }
}

/// From so many flows on, their state does not fit the caches, and a packet's flow is prefetched
/// before the packet leaves its queue.
pub(super) const MANY_FLOWS: usize = 2000;

/// Prefetches the flow of a packet that will leave a queue soon, and what the flow of a nearer one
/// keeps elsewhere. Memory answers within the microsecond or two that some packets take.
#[inline(always)]
fn prefetch_flows(flows: &[Flow], queue: &AnyQueue<Packet>) {
    if let Some(packet) = queue.peek(16) {
        prefetch(&flows[packet.flow_index() as usize]);
    }
    if let Some(packet) = queue.peek(6) {
        flows[packet.flow_index() as usize].prefetch_receiver();
    }
}
