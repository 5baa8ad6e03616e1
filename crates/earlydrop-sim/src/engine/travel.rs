//! The way of a packet from one queue, or turn, to the next.

use earlydrop::packet::Packet as _;
use earlydrop::units::Nanos;

use super::Simulation;
use super::event::Event;
use super::hop::{Hop, Wire};
use crate::packet::Packet;

impl Simulation {
    /// A packet whose turn has come goes on.
    #[inline(always)]
    pub(super) fn go_on(&mut self, packet: Packet, now: Nanos) {
        let place = self.routes[packet.lane()] as usize + packet.hop();
        if let Some(port) = self.legs[place].port_alone() {
            self.offer(port, packet.at_next_hop(), now);
        } else {
            self.cross_from(place, packet, now);
        }
    }

    /// A packet goes on at `at`, now or later, as far as can be worked out.
    #[inline(always)]
    pub(super) fn travel(&mut self, packet: Packet, at: Nanos) {
        let place = self.routes[packet.lane()] as usize + packet.hop();
        self.cross_from(place, packet, at);
    }

    /// A packet leaves its sender at `at`.
    #[inline(always)]
    pub(super) fn leave_sender(&mut self, packet: Packet, at: Nanos) {
        let place = self.routes[packet.lane()] as usize;
        let leg = self.legs[place];
        if let Wire::Own(make) = leg.wire()
            && leg.ends_in_turn()
        {
            let free_at = &mut self.flows[packet.flow_index() as usize].own_free_at[0];
            let at = self.makes[make as usize].cross(free_at, at, packet.size());
            if at > self.now {
                return self.events.push(at, Event::come(packet.at_next_hop()));
            }
            return self.cross_from(place + 1, packet, at);
        }
        self.cross_from(place, packet, at);
    }

    /// A packet crosses the legs from `place` on, up to where it must wait.
    fn cross_from(&mut self, mut place: usize, mut packet: Packet, mut at: Nanos) {
        let flow = &mut self.flows[packet.flow_index() as usize];
        loop {
            let leg = self.legs[place];
            place += 1;
            match leg.wire() {
                Wire::None => {}
                Wire::Shared(wire) => at = self.wires[wire as usize].cross(at, packet.size()),
                Wire::Own(make) => {
                    let free_at = &mut flow.own_free_at[usize::from(!packet.is_forward())];
                    at = self.makes[make as usize].cross(free_at, at, packet.size());
                }
            }
            match leg.end() {
                Some(Hop::Port(port)) => {
                    let begin = self.routes[packet.lane()] as usize;
                    return self.come_to(port, packet.at_hop(place - begin), at);
                }
                Some(Hop::Receiver) => {
                    match flow.answer(&self.profiles, &mut self.accounts, packet, at) {
                        // Its way back goes on where that there ends.
                        Some(answer) => packet = answer,
                        None => return self.reach_receiver(packet, at),
                    }
                }
                Some(Hop::Fifo(fifo)) => match self.fifos[fifo as usize].cross(at, packet) {
                    Some(arrive) => at = arrive,
                    None => return self.refuse(fifo, packet, at),
                },
                Some(Hop::Sender) => {
                    if !flow.take_ack(&self.profiles, &mut self.accounts, packet, at) {
                        return self.reach_sender(packet, at);
                    }
                    while flow.may_send_more() {
                        let Some(segment) = flow.next_plain(at) else {
                            return self.send_on(packet.flow_index(), at);
                        };
                        self.accounts.totals.sent.add(segment.size());
                        let place = self.routes[segment.lane()] as usize;
                        let leg = self.legs[place];
                        if let Wire::Own(make) = leg.wire()
                            && leg.ends_in_turn()
                        {
                            let make = &mut self.makes[make as usize];
                            let leave = make.cross(&mut flow.own_free_at[0], at, segment.size());
                            if leave > self.now {
                                self.events.push(leave, Event::come(segment.at_next_hop()));
                                continue;
                            }
                            self.cross_from(place + 1, segment, leave);
                        } else {
                            self.cross_from(place, segment, at);
                        }
                        return self.send_on(packet.flow_index(), at);
                    }
                    if flow.wake_at > flow.soonest() {
                        self.set_alarm(packet.flow_index());
                    }
                    return;
                }
                Some(Hop::Turn) => {
                    if at > self.now {
                        let begin = self.routes[packet.lane()] as usize;
                        return self.wait(packet.at_hop(place - begin), at);
                    }
                }
                Some(Hop::Extras(index)) => {
                    return match self.carry(index, packet, at) {
                        Some(arrive) => self.cross_from(place, packet, arrive),
                        None => (),
                    };
                }
                Some(Hop::Wire(_) | Hop::Own(_)) | None => {}
            }
        }
    }

    /// A packet comes to a queue, ahead of time or from another.
    #[inline(never)]
    fn come_to(&mut self, port: u32, packet: Packet, at: Nanos) {
        self.offer(port, packet, at);
    }

    /// A packet waits for its turn.
    #[inline(never)]
    fn wait(&mut self, packet: Packet, at: Nanos) {
        self.events.push(at, Event::come(packet));
    }

    /// A packet of data is at its receiver, which has more to do than to answer.
    #[inline(never)]
    fn reach_receiver(&mut self, packet: Packet, at: Nanos) {
        let flow = &self.flows[packet.flow_index() as usize];
        if at > self.now && !flow.receiver_waits_for(at) {
            return self.hold(packet, at);
        }
        if let Some(reply) = self.receive(packet, at) {
            self.travel(reply, at);
        }
    }

    /// Sends on after an acknowledgment.
    #[inline(never)]
    fn send_on(&mut self, index: u32, at: Nanos) {
        self.pump(index, at);
        self.arm_flow(index);
    }

    /// An acknowledgment, or a request, is at its sender, which may have more to do than
    /// to take it.
    #[inline(never)]
    fn reach_sender(&mut self, packet: Packet, at: Nanos) {
        let flow = &self.flows[packet.flow_index() as usize];
        let ahead = flow.sender_waits_for(at) && at <= self.end;
        if at > self.now && !ahead {
            return self.hold(packet, at);
        }
        self.acknowledged(packet, at);
    }

    /// Keeps a packet for its end, which may act of its own accord before it comes.
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
        self.arm_flow(index);
    }

    /// A drop-tail queue has no room for a packet.
    #[cold]
    #[inline(never)]
    fn refuse(&mut self, fifo: u32, packet: Packet, at: Nanos) {
        let meter = Some(&mut self.fifos[fifo as usize].meter);
        self.accounts.loss(&mut self.flows, at, meter).take(packet);
    }

    /// A packet that would arrive at `at` is recorded, lost, or held back.
    #[inline(never)]
    fn carry(&mut self, extras: u32, packet: Packet, at: Nanos) -> Option<Nanos> {
        let extras = &mut self.extras[extras as usize];
        let leave = at.since(extras.delay);
        if let Some(capture) = &mut extras.capture {
            let payload = self.flows[packet.flow_index() as usize].payload(&self.profiles);
            capture.record(leave, &packet, payload, &self.accounts.notes);
        }
        let arrive = extras.carry(at);
        if arrive.is_none() {
            self.accounts
                .loss(&mut self.flows, leave, None)
                .take(packet);
        }
        arrive
    }
}
