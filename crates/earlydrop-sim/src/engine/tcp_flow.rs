//! TCP connections: segments and acknowledgments that arrive, and what is sent in return.
//!
//! This is the slow path: it handles every packet of every flow. [`fast_path`](super::fast_path)
//! has shortcuts for the most frequent cases.

use earlydrop::packet::Packet as _;
use earlydrop::units::Nanos;

use super::flow::{Connection, Ends};
use super::{Flow, Simulation};
use crate::packet::{Kind, Note, Packet};
use crate::tcp::{Ack, Arrival, Reply, Segment};

/// The acknowledgment that `packet` carries, without SACK blocks; `echo` is the time it echoes.
#[inline]
pub(super) fn ack_of(packet: &Packet, echo: Nanos) -> Ack<'static> {
    Ack {
        next: packet.number(),
        echo,
        echo_retransmitted: packet.is_retransmission(),
        ece: packet.echo(),
        sacked: &[],
        accecn: None,
    }
}

impl Simulation {
    /// An acknowledgment or a request arrives at the sending host at `at`, now or ahead of time.
    pub(super) fn on_backward_packet(&mut self, packet: Packet, at: Nanos) {
        self.accounts.totals.delivered.add(packet.size());
        self.record_baseline(packet.flow_index(), at);
        match packet.kind() {
            Kind::Request => self.on_request(packet, at),
            _ => self.on_ack(packet, at),
        }
    }

    /// An acknowledgment arrives at its sender.
    fn on_ack(&mut self, packet: Packet, now: Nanos) {
        let index = packet.flow_index();
        let Flow { ends, meter, .. } = &mut self.flows[index as usize];
        let Ends::Tcp(connection) = ends else {
            return;
        };
        let profile = &self.profiles[connection.profile as usize];
        if connection.sender.deadline() <= now {
            return self.on_timer_then_ack(packet, now);
        }
        let note = packet.note().map(|place| self.accounts.notes.take(place));
        let echo = note.map_or_else(|| packet.stamp(now), |note| note.stamp);
        let sacked = note
            .as_ref()
            .map_or(&[][..], |note| &note.blocks[..usize::from(note.filled)]);
        let ack = Ack {
            sacked,
            accecn: note.and_then(|note| note.accecn),
            ..ack_of(&packet, echo)
        };
        if !ack.echo_retransmitted && self.accounts.timing.counts(now) {
            meter.record_round_trip(ack.echo, now);
        }
        connection.sender.on_ack(profile, &ack, now);
        if connection.session.is_some() {
            self.end_acknowledged_transfer(index, now);
        }
        self.send_segments(index, now);
        self.ensure_wake(index);
    }

    /// A timer expires at the very moment an acknowledgment arrives: the timer comes first.
    #[cold]
    #[inline(never)]
    fn on_timer_then_ack(&mut self, packet: Packet, now: Nanos) {
        let index = packet.flow_index();
        if let Ends::Tcp(connection) = &mut self.flows[index as usize].ends {
            let profile = &self.profiles[connection.profile as usize];
            connection.sender.on_timer(profile, now);
        }
        self.send_segments(index, now);
        self.on_ack(packet, now);
    }

    /// Sends every segment that the sender may send at `now`.
    pub(super) fn send_segments(&mut self, index: u32, now: Nanos) {
        loop {
            let flow = &mut self.flows[index as usize];
            let Ends::Tcp(connection) = &mut flow.ends else {
                return;
            };
            let profile = &self.profiles[connection.profile as usize];
            let Some(segment) = connection.sender.poll_transmit(profile, now) else {
                return;
            };
            let size = connection.wire_size(&segment);
            let kind = if segment.syn { Kind::Syn } else { Kind::Data };
            let more = connection.sender.may_have_more();
            let leaves_at = flow.leaves_host_at(now);
            let packet = Packet::new(kind, index, segment.number, size)
                .stamped(now)
                .with_ecn(segment.ecn)
                .with_class(flow.class)
                .retransmitted(segment.retransmission)
                .echoing(segment.cwr);
            self.accounts.totals.sent.add(size);
            self.forward_segment(packet, leaves_at);
            if !more {
                return;
            }
        }
    }

    /// A segment or datagram arrives at the receiving host at `at`, now or ahead of time; returns
    /// the acknowledgment sent in return.
    pub(super) fn on_forward_packet(&mut self, packet: Packet, at: Nanos) -> Option<Packet> {
        let flow = &mut self.flows[packet.flow_index() as usize];
        let counts = self.accounts.arrived(&mut flow.meter, &packet, at);
        let Ends::Tcp(connection) = &mut flow.ends else {
            flow.meter.goodput_bytes += u64::from(packet.size()) * u64::from(counts);
            return None;
        };
        let profile = &self.profiles[connection.profile as usize];
        if flow.state.passive {
            connection.restart_receiver_at(packet.number());
            if let Some(new) = connection
                .receiver
                .on_segment_fast(profile, packet.number())
            {
                if counts && new && packet.kind() == Kind::Data {
                    flow.meter.goodput_bytes += u64::from(packet.size() - profile.header_size);
                }
                self.accounts.totals.sent.add(profile.ack_size);
                return Some(packet.acknowledge(connection.receiver.rcv_nxt(), profile.ack_size));
            }
        }
        self.on_segment(packet, at, counts)
    }

    /// A segment arrives at its receiver, whatever its state; `counts`: whether it is measured.
    #[inline(never)]
    fn on_segment(&mut self, packet: Packet, at: Nanos, counts: bool) -> Option<Packet> {
        let index = packet.flow_index();
        let flow = &mut self.flows[index as usize];
        let passive = flow.state.passive;
        let Ends::Tcp(connection) = &mut flow.ends else {
            return None;
        };
        let profile = &self.profiles[connection.profile as usize];
        if !passive
            && connection.receiver.deadline() <= at
            && let Some(reply) = connection.receiver.on_timer(profile, at)
        {
            // A delayed acknowledgment that is due at the same time goes first.
            let ack = self.ack_packet(index, &reply);
            self.forward(ack, at);
            return self.on_segment(packet, at, counts);
        }
        let arrival = Arrival {
            number: packet.number(),
            ecn: packet.ecn(),
            cwr: packet.echo(),
            retransmission: packet.is_retransmission(),
            sent: packet.stamp(at),
        };
        connection.restart_receiver_at(packet.number());
        let before = connection.receiver.received();
        let reply = connection.receiver.on_segment(profile, &arrival, at);
        let new = connection.receiver.received() - before;
        if counts && packet.kind() == Kind::Data {
            let payload = packet.size().saturating_sub(profile.header_size);
            flow.meter.goodput_bytes += u64::from(new) * u64::from(payload);
        }
        let ack = reply.map(|reply| self.ack_packet(index, &reply));
        if !passive {
            self.end_received_response(index, at);
            self.ensure_wake(index);
        }
        ack
    }

    /// The packet of an acknowledgment that a receiver sends.
    #[inline]
    pub(super) fn ack_packet(&mut self, index: u32, reply: &Reply) -> Packet {
        let flow = &self.flows[index as usize];
        let size = match &flow.ends {
            Ends::Tcp(connection) => self.profiles[connection.profile as usize].ack_size,
            _ => 0,
        };
        self.accounts.totals.sent.add(size);
        let packet = Packet::new(Kind::Ack, index, reply.next, size)
            .stamped(reply.echo)
            .with_class(flow.class)
            .retransmitted(reply.echo_retransmitted)
            .echoing(reply.ece);
        if reply.length == 0 && reply.accecn.is_none() {
            return packet;
        }
        packet.with_note(self.accounts.notes.keep(Note {
            stamp: reply.echo,
            blocks: reply.blocks,
            filled: reply.length,
            accecn: reply.accecn,
        }))
    }
}

impl Connection {
    /// The size of a segment on the wire, in bytes: the last of a transfer may be shorter.
    #[inline]
    fn wire_size(&self, segment: &Segment) -> u32 {
        match &self.session {
            Some(session) if segment.number + 1 == session.end && !segment.syn => session.last_size,
            _ => segment.size,
        }
    }

    /// Restarts the receiver if segment `number` is the first of a new connection.
    fn restart_receiver_at(&mut self, number: u32) {
        if let Some(session) = &self.session
            && number == session.first
            && number == self.receiver.rcv_nxt()
        {
            self.receiver.restart(number);
        }
    }
}
