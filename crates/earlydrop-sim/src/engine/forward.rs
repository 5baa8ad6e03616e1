//! Packets on their routes: from hop to hop, as far as can be computed now.
//!
//! A packet is put on its route by a host ([`forward`](Simulation::forward),
//! [`forward_segment`](Simulation::forward_segment)), by the transmitter of a port
//! ([`forward_departure`](Simulation::forward_departure)) or by its event
//! ([`resume`](Simulation::resume)). A packet that is next at a port is put into its queue at once;
//! every other goes into one loop, [`forward_hops`](Simulation::forward_hops). It stops where the
//! packet must wait: at a port, as an event, or at an end whose state at that time is not known yet.
//! The loop handles frequent stages itself, and leaves the others to
//! [`arrive`](Simulation::arrive).
//!
//! A packet that arrives now waits as an event, too: packets sent before it may be due now.

use earlydrop::packet::Packet as _;
use earlydrop::units::Nanos;

use super::access::Place;
use super::event::Task;
use super::route::{Stage, Wire};
use super::simulation::Simulation;
use crate::network::Change;
use crate::packet::Packet;

impl Simulation {
    /// The event of a waiting packet is due.
    #[inline(always)]
    pub(super) fn resume(&mut self, packet: Packet, now: Nanos) {
        let place = self.routes.next_hop(&packet);
        if let Some(port) = self.routes.hops[place].port_alone() {
            self.enqueue(port, packet.at_next_hop(), now);
        } else {
            self.forward_from(place, packet, now);
        }
    }

    /// A packet arrives at a port at `at`. Its next hop is the one behind the port.
    #[inline(always)]
    fn enqueue(&mut self, index: u32, packet: Packet, at: Nanos) {
        if self.links.ports[index as usize].shared.is_some() {
            return self.enqueue_shared(index, packet);
        }
        self.enqueue_admitted(index, packet, at);
    }

    /// A packet arrives at a port that shares a buffer.
    #[inline(never)]
    fn enqueue_shared(&mut self, index: u32, packet: Packet) {
        let at = self.scheduler.now;
        let measured = self.accounts.timing.counts(at);
        if let Some(member) = self.links.ports[index as usize].shared {
            let buffer = member.buffer as usize;
            for member in 0..self.links.buffers[buffer].members() {
                if let Some(port) = self.links.buffers[buffer].to_drain(member, at) {
                    self.drain(port, at);
                    self.links.count_shared(port, measured);
                }
            }
        }
        if self.links.admits(index, &mut self.accounts, packet, at) {
            self.enqueue_admitted(index, packet, at);
            self.links.count_shared(index, measured);
        }
    }

    /// A packet arrives at a port at `at`; a buffer that the port shares has room for it.
    #[inline(always)]
    fn enqueue_admitted(&mut self, index: u32, packet: Packet, at: Nanos) {
        self.transmit_until(index, at);
        let port = &mut self.links.ports[index as usize];
        if port.dropped.is_some() {
            return self.enqueue_held(index, packet, at);
        }
        if port.enqueue(&mut self.accounts, packet, at) {
            self.drain(index, at);
        }
        self.schedule_drain(index);
    }

    /// [`enqueue_admitted`](Simulation::enqueue_admitted) at a switch with flow control.
    #[inline(never)]
    fn enqueue_held(&mut self, index: u32, packet: Packet, at: Nanos) {
        self.hold(&packet);
        let drains = self.links.ports[index as usize].enqueue(&mut self.accounts, packet, at);
        self.release_dropped(index);
        self.request_of(&packet);
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
        loop {
            let port = &mut self.links.ports[index as usize];
            let Some((packet, arrives)) = port.poll_transmit(&mut self.accounts, until) else {
                return;
            };
            self.flows.prefetch_of(port.link.queue());
            let (is_nic, holds) = (port.is_nic, port.dropped.is_some());
            self.forward_departure(packet, arrives);
            if is_nic {
                self.on_left_nic(&packet);
            }
            if holds {
                self.release(&packet);
                self.release_dropped(index);
            }
        }
    }

    /// Schedules the event that drains a port, unless one is due early enough.
    #[inline(always)]
    pub(super) fn schedule_drain(&mut self, index: u32) {
        if let Some(at) = self.links.ports[index as usize].next_drain() {
            self.scheduler.schedule(at, Task::Drain(index));
        }
    }

    /// [`Task::Drain`] is due.
    pub(super) fn on_drain(&mut self, index: u32) {
        let (now, port) = (self.scheduler.now, &mut self.links.ports[index as usize]);
        if port.drain_at == now {
            port.drain_at = Nanos::NEVER;
            self.drain(index, now);
            self.schedule_drain(index);
        }
    }

    /// [`Task::Change`] is due. A link that changes is always a port, and its packets arrive by
    /// events.
    pub(super) fn on_change(&mut self, index: u32) {
        let (index, change) = self.links.changes[index as usize].clone();
        let now = self.scheduler.now;
        self.drain(index, now);
        self.links.change(index, now, &change);
        if matches!(change, Change::Up) {
            self.drain(index, now);
        }
        self.links
            .count_shared(index, self.accounts.timing.counts(now));
        self.schedule_drain(index);
    }

    /// A host sends a packet at `at`, now or ahead of time.
    #[inline(always)]
    pub(super) fn forward(&mut self, packet: Packet, at: Nanos) {
        let place = self.routes.next_hop(&packet);
        self.forward_from(place, packet, at);
    }

    /// A packet that has left a port arrives at its next hop at `at`.
    #[inline(always)]
    fn forward_departure(&mut self, packet: Packet, at: Nanos) {
        let place = self.routes.next_hop(&packet);
        self.forward_hops(place, packet, at);
    }

    /// A sender sends a segment at `at`. Most segments cross an access link and become events.
    #[inline(always)]
    pub(super) fn forward_segment(&mut self, segment: Packet, at: Nanos) {
        let place = self.routes.begin(&segment);
        let Some(rate) = self.routes.hops[place].access_to_event() else {
            return self.forward_from(place, segment, at);
        };
        let link = &mut self.flows.access[segment.flow_index() as usize][Place::near(true)];
        let rate = &mut self.links.access_rates[rate as usize];
        let at = link.transmit(rate, &segment, at);
        if at < self.scheduler.now {
            return self.arrive(place + 1, segment, at);
        }
        self.scheduler.resume_sent(at, segment.at_next_hop());
    }

    /// [`forward_hops`](Simulation::forward_hops), called instead of inlined.
    #[inline(never)]
    pub(super) fn forward_from(&mut self, place: usize, packet: Packet, at: Nanos) {
        self.forward_hops(place, packet, at);
    }

    /// Takes a packet over the hops from `place` on, until it must wait or a stage is not one of
    /// the frequent cases.
    #[inline(always)]
    fn forward_hops(&mut self, mut place: usize, mut packet: Packet, mut at: Nanos) {
        let flow = &mut self.flows.flows[packet.flow_index() as usize];
        // On the fast path: see the table in `fast_path.rs`.
        let fast = flow.fast_path_profile(&self.flows.profiles);
        loop {
            let hop = self.routes.hops[place];
            place += 1;
            match hop.wire() {
                Wire::None => {}
                Wire::Shared(wire) => {
                    at = self.links.wires[wire as usize].transmit(at, packet.size())
                }
                Wire::Access(rate) => {
                    let links = &mut self.flows.access[packet.flow_index() as usize];
                    let link = &mut links[Place::near(packet.is_forward())];
                    at = link.transmit(&mut self.links.access_rates[rate as usize], &packet, at);
                }
                Wire::FarAccess(rate) => {
                    let links = &mut self.flows.access[packet.flow_index() as usize];
                    let link = &mut links[Place::far(packet.is_forward())];
                    at = link.transmit(&mut self.links.access_rates[rate as usize], &packet, at);
                }
            }
            match hop.end() {
                None => {}
                Some(Stage::Receiver) => {
                    let accounts = &mut self.accounts;
                    let ack =
                        fast.and_then(|profile| flow.ack_at_once(profile, accounts, packet, at));
                    let Some(ack) = ack else {
                        return self.arrive_at_delaying_receiver(place, packet, at);
                    };
                    if at > self.accounts.timing.end {
                        self.accounts.totals.late += 1;
                    }
                    debug_assert_eq!(place, self.routes.begin(&ack), "the route back follows");
                    packet = ack;
                }
                Some(Stage::Fifo(fifo)) => {
                    let fifo = &mut self.links.fifos[fifo as usize];
                    let Some(arrives) = fifo.transmit_if_free(at, packet.size()) else {
                        return self.arrive(place, packet, at);
                    };
                    at = arrives;
                }
                Some(Stage::Sender) => {
                    let accounts = &mut self.accounts;
                    return match fast {
                        Some(profile) if flow.on_bare_ack(profile, accounts, packet, at) => {
                            self.send_new_segments(packet.flow_index(), at)
                        }
                        _ => self.arrive_at_waiting_sender(place, packet, at),
                    };
                }
                Some(Stage::Event) if at >= self.scheduler.now => {
                    let hop = place - self.routes.begin(&packet);
                    return self.scheduler.resume_forwarded(at, packet.at_hop(hop));
                }
                Some(_) => return self.arrive(place, packet, at),
            }
        }
    }

    /// A packet arrives at the end of the hop before `place`. Handles every stage and every flow:
    /// the slow path of the loop.
    #[inline(never)]
    pub(super) fn arrive(&mut self, place: usize, packet: Packet, at: Nanos) {
        let next = |begin: usize| packet.at_hop(place - begin);
        match self.routes.hops[place - 1].end() {
            Some(Stage::Port(port)) => {
                let packet = next(self.routes.begin(&packet));
                self.enqueue(port, packet, at);
            }
            Some(Stage::Receiver) => self.arrive_at_receiver(packet, at),
            Some(Stage::Sender) => self.arrive_at_sender(packet, at),
            Some(Stage::Event) if at >= self.scheduler.now => {
                let packet = next(self.routes.begin(&packet));
                self.scheduler.resume(at, packet);
            }
            Some(Stage::Impairments(index)) => {
                let payload = self.flows[packet.flow_index()].payload(&self.flows.profiles);
                let impairments = &mut self.links.impairments[index as usize];
                let arrives = impairments.cross(&mut self.accounts, packet, payload, at);
                if let Some(arrives) = arrives {
                    self.forward_from(place, packet, arrives);
                }
            }
            Some(Stage::Fifo(fifo)) => {
                let fifo = &mut self.links.fifos[fifo as usize];
                if let Some(arrives) = fifo.transmit(&mut self.accounts, packet, at) {
                    self.forward_from(place, packet, arrives);
                }
            }
            Some(Stage::Event | Stage::Wire(_) | Stage::Access(_) | Stage::FarAccess(_)) | None => {
                self.forward_from(place, packet, at);
            }
        }
    }
}
