//! The way of a packet from one queue, or turn, to the next.

use earlydrop::packet::Packet as _;
use earlydrop::units::Nanos;

use super::Simulation;
use super::event::Event;
use super::flow::{Ends, leaves_at};
use super::hop::{Hop, Wire};
use super::plain::Answer;
use crate::packet::Packet;

impl Simulation {
    /// A packet whose turn has come goes on.
    #[inline(always)]
    pub(super) fn go_on(&mut self, packet: Packet, now: Nanos) {
        let place = self.ways.begin(&packet) + packet.hop();
        if let Some(port) = self.legs[place].port_alone() {
            self.offer(port, packet.at_next_hop(), now);
        } else {
            self.cross_from(place, packet, now);
        }
    }

    /// A packet goes on at `at`, now or later, as far as can be worked out.
    #[inline(always)]
    pub(super) fn travel(&mut self, packet: Packet, at: Nanos) {
        let place = self.ways.begin(&packet) + packet.hop();
        self.cross_from(place, packet, at);
    }

    /// The same for a packet that leaves a queue, where most come from: let in there.
    #[inline(always)]
    pub(super) fn leave_queue(&mut self, packet: Packet, at: Nanos) {
        let place = self.ways.begin(&packet) + packet.hop();
        self.cross(place, packet, at);
    }

    #[inline(never)]
    fn cross_from(&mut self, place: usize, packet: Packet, at: Nanos) {
        self.cross(place, packet, at);
    }

    /// A packet leaves its sender at `at`. Mostly it then waits for its turn.
    #[inline(always)]
    pub(super) fn leave_sender(&mut self, packet: Packet, at: Nanos) {
        let place = self.ways.begin(&packet);
        let leg = self.legs[place];
        if let Some(make) = leg.own_wire_to_turn() {
            let free_at = &mut self.flows[packet.flow_index() as usize].own_free_at[0];
            let at = self.makes[make as usize].cross(free_at, at, packet.size());
            if at > self.now {
                return self
                    .events
                    .push_in_stream(at, Event::come(packet.at_next_hop()));
            }
            return self.end_leg(place + 1, packet, at);
        }
        self.cross_from(place, packet, at);
    }

    /// The sender of a plain flow has taken an acknowledgment, and sends what it may.
    #[inline(always)]
    fn send_on(&mut self, index: u32, now: Nanos) {
        let flow = &mut self.flows[index as usize];
        let Ends::Tcp(connection) = &mut flow.ends else {
            return;
        };
        let sender = &mut connection.sender;
        while sender.may_have_more() {
            let place = self.ways.there(index);
            let Some(make) = self.legs[place].own_wire_to_turn() else {
                return self.pump_and_arm(index, now);
            };
            let Some(number) = sender.poll_plain(now) else {
                return self.pump_and_arm(index, now);
            };
            flow.counted.sent += 1;
            let segment = flow.segment.packet(number, now);
            let leaves = leaves_at(flow.lingers, &mut flow.rare, now);
            let make = &mut self.makes[make as usize];
            let at = make.cross(&mut flow.own_free_at[0], leaves, segment.size());
            if at <= self.now {
                self.end_leg(place + 1, segment, at);
                return self.pump_and_arm(index, now);
            }
            self.events
                .push_in_stream(at, Event::come(segment.at_next_hop()));
        }
        if flow.wake_at > sender.deadline() {
            self.set_alarm(index);
        }
    }

    /// The same whatever it sends.
    #[inline(never)]
    fn pump_and_arm(&mut self, index: u32, now: Nanos) {
        self.pump(index, now);
        self.arm_flow(index);
    }

    /// A packet crosses the legs from `place` on, up to where it must wait, or is not in
    /// the usual case.
    #[inline(always)]
    fn cross(&mut self, mut place: usize, mut packet: Packet, mut at: Nanos) {
        let flow = &mut self.flows[packet.flow_index() as usize];
        let plain = flow.plain_profile(&self.profiles);
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
                None => {}
                Some(Hop::Receiver) => {
                    let timing = &self.accounts.timing;
                    let answer =
                        plain.and_then(|profile| flow.answer_plainly(profile, timing, packet, at));
                    let Some(answer) = answer else {
                        return self.answer_later(place, packet, at);
                    };
                    if at > timing.end {
                        self.accounts.totals.late += 1;
                    }
                    debug_assert_eq!(place, self.ways.begin(&answer), "the way back follows");
                    packet = answer;
                }
                Some(Hop::Fifo(fifo)) => {
                    let Some(arrive) = self.fifos[fifo as usize].pass(at, packet.size()) else {
                        return self.end_leg(place, packet, at);
                    };
                    at = arrive;
                }
                Some(Hop::Sender) => {
                    let accounts = &mut self.accounts;
                    return match plain {
                        Some(profile) if flow.take_ack(profile, accounts, packet, at) => {
                            self.send_on(packet.flow_index(), at)
                        }
                        _ => self.end_leg(place, packet, at),
                    };
                }
                Some(Hop::Turn) if at > self.now => {
                    let hop = place - self.ways.begin(&packet);
                    return self.events.push(at, Event::come(packet.at_hop(hop)));
                }
                Some(_) => return self.end_leg(place, packet, at),
            }
        }
    }

    /// A packet is at its receiver, at the end of the leg before `place`, where mostly there
    /// is nothing to do but to wait for the next, or to acknowledge both.
    #[inline(never)]
    fn answer_later(&mut self, place: usize, packet: Packet, at: Nanos) {
        let index = packet.flow_index();
        let flow = &mut self.flows[index as usize];
        let profile = flow.plain_profile(&self.profiles);
        let timing = &self.accounts.timing;
        let Some(answer) = profile.and_then(|p| flow.answer_in_time(p, timing, packet, at)) else {
            return self.end_leg(place, packet, at);
        };
        if at > timing.end {
            self.accounts.totals.late += 1;
        }
        match answer {
            Answer::Now(ack) => {
                debug_assert_eq!(place, self.ways.begin(&ack), "the way back follows");
                self.cross_from(place, ack, at);
            }
            Answer::Later => {
                self.accounts.totals.delivered.add(packet.size());
                self.arm_flow(index);
            }
        }
    }

    /// A packet is at the end of the leg before `place`.
    #[inline(never)]
    fn end_leg(&mut self, place: usize, packet: Packet, at: Nanos) {
        let next = |begin: usize| packet.at_hop(place - begin);
        match self.legs[place - 1].end() {
            Some(Hop::Port(port)) => {
                return self.offer(port, next(self.ways.begin(&packet)), at);
            }
            Some(Hop::Receiver) => return self.reach_receiver(packet, at),
            Some(Hop::Sender) => return self.reach_sender(packet, at),
            Some(Hop::Turn) if at > self.now => {
                let event = Event::come(next(self.ways.begin(&packet)));
                return self.events.push(at, event);
            }
            Some(Hop::Extras(index)) => {
                if let Some(arrive) = self.carry(index, packet, at) {
                    self.cross_from(place, packet, arrive);
                }
                return;
            }
            Some(Hop::Fifo(fifo)) => {
                return match self.fifos[fifo as usize].cross(at, packet) {
                    Some(arrive) => self.cross_from(place, packet, arrive),
                    None => self.refuse(fifo, packet, at),
                };
            }
            Some(Hop::Turn | Hop::Wire(_) | Hop::Own(_)) | None => {}
        }
        self.cross_from(place, packet, at);
    }

    /// A packet of data is at its receiver, which may have more to do than to answer.
    fn reach_receiver(&mut self, packet: Packet, at: Nanos) {
        let flow = &self.flows[packet.flow_index() as usize];
        if at > self.now && !flow.receiver_waits_for(at) {
            return self.hold(packet, at);
        }
        if let Some(reply) = self.receive(packet, at) {
            self.travel(reply, at);
        }
    }

    /// An acknowledgment, or a request, is at its sender, which may have more to do than
    /// to take it.
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
        self.accounts.loss(at, meter).take(packet);
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
            self.accounts.loss(leave, None).take(packet);
        }
        arrive
    }
}
