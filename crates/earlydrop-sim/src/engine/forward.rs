//! Packets on their routes: from hop to hop, as far as can be computed now.
//!
//! A packet is put on its route by a host ([`forward`](Simulation::forward),
//! [`forward_segment`](Simulation::forward_segment)), by the transmitter of a port
//! ([`forward_departure`](Simulation::forward_departure)) or by its event
//! ([`resume`](Simulation::resume)). All four end in one loop,
//! [`forward_hops`](Simulation::forward_hops). It stops where the packet must wait: at a port, as
//! an event, or at an end whose state at that time is not known yet. The loop handles frequent
//! stages itself, and leaves the others to [`arrive`](Simulation::arrive).
//!
//! A packet that arrives now waits as an event, too: packets sent before it may be due now.

use earlydrop::packet::Packet as _;
use earlydrop::units::Nanos;

use super::Simulation;
use super::event::Event;
use super::route::{Stage, Wire};
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

    /// A host sends a packet at `at`, now or ahead of time.
    #[inline(always)]
    pub(super) fn forward(&mut self, packet: Packet, at: Nanos) {
        let place = self.routes.next_hop(&packet);
        self.forward_from(place, packet, at);
    }

    /// A packet that has left a port arrives at its next hop at `at`.
    #[inline(always)]
    pub(super) fn forward_departure(&mut self, packet: Packet, at: Nanos) {
        let place = self.routes.next_hop(&packet);
        self.forward_hops(place, packet, at);
    }

    /// A sender sends a segment at `at`. Most segments cross an access link and become events.
    #[inline(always)]
    pub(super) fn forward_segment(&mut self, segment: Packet, at: Nanos) {
        let place = self.routes.begin(&segment);
        let Some(link) = self.routes.hops[place].access_to_event() else {
            return self.forward_from(place, segment, at);
        };
        let free_at = &mut self.flows[segment.flow_index() as usize].access_free_at[0];
        let params = &mut self.access_links[link as usize];
        let at = params.transmit(free_at, at, segment.size());
        if at < self.now {
            return self.arrive(place + 1, segment, at);
        }
        let event = Event::resume(segment.at_next_hop());
        self.events.push_in_stream(at, event);
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
        let flow = &mut self.flows[packet.flow_index() as usize];
        // On the fast path: see the table in `fast_path.rs`.
        let fast = flow.fast_path_profile(&self.profiles);
        loop {
            let hop = self.routes.hops[place];
            place += 1;
            match hop.wire() {
                Wire::None => {}
                Wire::Shared(wire) => at = self.wires[wire as usize].transmit(at, packet.size()),
                Wire::Access(link) => {
                    let free_at = &mut flow.access_free_at[usize::from(!packet.is_forward())];
                    let params = &mut self.access_links[link as usize];
                    at = params.transmit(free_at, at, packet.size());
                }
            }
            match hop.end() {
                None => {}
                Some(Stage::Receiver) => {
                    let timing = &self.accounts.timing;
                    let ack =
                        fast.and_then(|profile| flow.ack_at_once(profile, timing, packet, at));
                    let Some(ack) = ack else {
                        return self.arrive_at_delaying_receiver(place, packet, at);
                    };
                    if at > timing.end {
                        self.accounts.totals.late += 1;
                    }
                    debug_assert_eq!(place, self.routes.begin(&ack), "the route back follows");
                    packet = ack;
                }
                Some(Stage::Fifo(fifo)) => {
                    let fifo = &mut self.fifos[fifo as usize];
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
                        _ => self.arrive(place, packet, at),
                    };
                }
                Some(Stage::Event) if at >= self.now => {
                    let hop = place - self.routes.begin(&packet);
                    return self.events.push(at, Event::resume(packet.at_hop(hop)));
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
            Some(Stage::Event) if at >= self.now => {
                let event = Event::resume(next(self.routes.begin(&packet)));
                self.events.push(at, event);
            }
            Some(Stage::Impairments(index)) => {
                if let Some(arrives) = self.impair(index, packet, at) {
                    self.forward_from(place, packet, arrives);
                }
            }
            Some(Stage::Fifo(fifo)) => match self.fifos[fifo as usize].transmit(at, packet) {
                Some(arrives) => self.forward_from(place, packet, arrives),
                None => self.drop_at_fifo(fifo, packet, at),
            },
            Some(Stage::Event | Stage::Wire(_) | Stage::Access(_)) | None => {
                self.forward_from(place, packet, at);
            }
        }
    }

    /// A segment or datagram arrives at its receiver, or is held for it.
    fn arrive_at_receiver(&mut self, packet: Packet, at: Nanos) {
        let flow = &self.flows[packet.flow_index() as usize];
        if at > self.now && !flow.receiver_waits_until(at) {
            return self.hold(packet, at);
        }
        if let Some(ack) = self.on_forward_packet(packet, at) {
            self.forward(ack, at);
        }
    }

    /// An acknowledgment or a request arrives at its sender, or is held for it.
    fn arrive_at_sender(&mut self, packet: Packet, at: Nanos) {
        let flow = &self.flows[packet.flow_index() as usize];
        let waits = flow.sender_waits_until(at) && at <= self.end;
        if at > self.now && !waits {
            return self.hold(packet, at);
        }
        self.on_backward_packet(packet, at);
    }

    /// Holds a packet for an end that may act of its own accord before the packet arrives at
    /// `at`.
    #[cold]
    #[inline(never)]
    fn hold(&mut self, packet: Packet, at: Nanos) {
        let index = packet.flow_index();
        let held = &mut self.flows[index as usize].rare().held;
        let line = if packet.is_forward() {
            &mut held.data
        } else {
            &mut held.acks
        };
        line.push_back((at, packet));
        self.ensure_wake(index);
    }

    /// A drop-tail queue has no room for a packet.
    #[cold]
    #[inline(never)]
    fn drop_at_fifo(&mut self, fifo: u32, packet: Packet, at: Nanos) {
        let meter = Some(&mut self.fifos[fifo as usize].meter);
        self.accounts.loss(at, meter).take(packet);
    }
}
