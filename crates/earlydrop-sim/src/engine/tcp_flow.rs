//! TCP connections: segments and acknowledgments that arrive, and what is sent in return.
//!
//! This is the slow path: it handles every packet of every flow. [`fast_path`](super::fast_path)
//! has shortcuts for the most frequent cases.

use earlydrop::packet::{Ecn, Packet as _};
use earlydrop::units::Nanos;

use super::accounts::Accounts;
use super::flow::{Connection, Ends, Flow};
use super::flows::Flows;
use crate::measure::FlowMeter;
use crate::packet::{Kind, Note, Packet};
use crate::tcp::{Ack, Arrival, Profile, Reply, Segment, Sender};

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

/// A sender takes the acknowledgment that arrives in `packet` at `now`, with what its note says, and
/// its round trip is measured.
#[inline(always)]
pub(super) fn take_ack(
    (sender, meter): (&mut Sender, &mut FlowMeter),
    profile: &Profile,
    accounts: &mut Accounts,
    packet: &Packet,
    now: Nanos,
) {
    let note = packet.note().map(|place| accounts.notes.take(place));
    let echo = note.map_or_else(|| packet.stamp(now), |note| note.stamp);
    let sacked = note
        .as_ref()
        .map_or(&[][..], |note| &note.blocks[..usize::from(note.filled)]);
    let ack = Ack {
        sacked,
        accecn: note.and_then(|note| note.accecn),
        ..ack_of(packet, echo)
    };
    if !ack.echo_retransmitted && accounts.timing.counts(now) {
        meter.record_round_trip(ack.echo, now);
    }
    sender.on_ack(profile, &ack, now);
}

impl Flows {
    /// Runs the sender's timer, if it expires by `now`; returns whether it does.
    pub(super) fn on_sender_timer(&mut self, index: u32, now: Nanos) -> bool {
        let Some((connection, profile)) = self.connection(index) else {
            return false;
        };
        let is_due = connection.sender.deadline() <= now;
        if is_due {
            connection.sender.on_timer(profile, now);
        }
        is_due
    }

    /// An acknowledgment arrives at its sender.
    pub(super) fn on_ack(&mut self, accounts: &mut Accounts, packet: Packet, now: Nanos) {
        let flow = &mut self.flows[packet.flow_index() as usize];
        let profile = &self.profiles[flow.profile as usize];
        let Flow { ends, meter, .. } = flow;
        let Ends::Tcp(connection) = ends else {
            return;
        };
        let ends = (&mut connection.sender, meter);
        take_ack(ends, profile, accounts, &packet, now);
    }

    /// The next segment that the sender may send at `now`, when it leaves its host, and whether
    /// the sender may have more.
    #[inline]
    pub(super) fn poll_segment(&mut self, index: u32, now: Nanos) -> Option<(Packet, Nanos, bool)> {
        let flow = &mut self.flows[index as usize];
        let Ends::Tcp(connection) = &mut flow.ends else {
            return None;
        };
        let profile = &self.profiles[flow.profile as usize];
        let segment = connection.sender.poll_transmit(profile, now)?;
        let size = connection.wire_size(&segment);
        let kind = if segment.syn { Kind::Syn } else { Kind::Data };
        let more = connection.sender.may_have_more(profile, now);
        let leaves_at = flow.leaves_host_at(now);
        let packet = Packet::new(kind, index, segment.number, size)
            .stamped(now)
            .with_ecn(segment.ecn)
            .with_class(flow.segment.class())
            .retransmitted(segment.retransmission)
            .echoing(segment.cwr);
        Some((packet, leaves_at, more))
    }

    /// The acknowledgment that a passive receiver returns to a segment, if the segment is one of
    /// the frequent cases; `measured`: its arrival is.
    pub(super) fn ack_passively(
        &mut self,
        accounts: &mut Accounts,
        packet: Packet,
        measured: bool,
    ) -> Option<Packet> {
        let flow = &mut self.flows[packet.flow_index() as usize];
        let Ends::Tcp(connection) = &mut flow.ends else {
            return None;
        };
        if !flow.state.passive {
            return None;
        }
        let profile = &self.profiles[flow.profile as usize];
        connection.restart_receiver_at(packet.number());
        let receiver = &mut connection.receiver;
        let new = receiver.on_segment_fast(profile, packet.number())?;
        if measured && new && packet.kind() == Kind::Data {
            flow.meter.goodput_bytes += u64::from(packet.size() - profile.header_size);
        }
        accounts.totals.sent.add(profile.ack_size);
        let ack = packet.acknowledge(receiver.rcv_nxt(), profile.ack_size);
        Some(ack.with_class(flow.ack_class))
    }

    /// The delayed acknowledgment of a receiver, if it is due by `at`.
    pub(super) fn poll_delayed_ack(
        &mut self,
        accounts: &mut Accounts,
        index: u32,
        at: Nanos,
    ) -> Option<Packet> {
        if self[index].state.passive {
            return None;
        }
        let (connection, profile) = self.connection(index)?;
        if connection.receiver.deadline() > at {
            return None;
        }
        let reply = connection.receiver.on_timer(profile, at)?;
        Some(self.ack_packet(accounts, index, &reply, at))
    }

    /// A segment arrives at its receiver, whatever its state, at `at`; returns the acknowledgment.
    /// `measured`: its arrival is.
    #[inline(never)]
    pub(super) fn on_segment(
        &mut self,
        accounts: &mut Accounts,
        packet: Packet,
        at: Nanos,
        measured: bool,
    ) -> Option<Packet> {
        let index = packet.flow_index();
        let (connection, profile) = self.connection(index)?;
        let arrival = arrival_of(&packet, at);
        connection.restart_receiver_at(packet.number());
        let before = connection.receiver.received();
        let reply = connection.receiver.on_segment(profile, &arrival, at);
        let new = connection.receiver.received() - before;
        if measured && packet.kind() == Kind::Data {
            let payload = packet.size().saturating_sub(profile.header_size);
            self[index].meter.goodput_bytes += u64::from(new) * u64::from(payload);
        }
        reply.map(|reply| self.ack_packet(accounts, index, &reply, at))
    }

    /// The packet of an acknowledgment that a receiver sends.
    fn ack_packet(
        &mut self,
        accounts: &mut Accounts,
        index: u32,
        reply: &Reply,
        now: Nanos,
    ) -> Packet {
        let flow = &self.flows[index as usize];
        let profile = &self.profiles[flow.profile as usize];
        accounts.totals.sent.add(profile.ack_size);
        packet_of(reply, profile, accounts, (index, flow.ack_class), now)
    }
}

/// The packet of an acknowledgment that the receiver of a flow sends, whose acknowledgments have
/// this class.
#[inline]
pub(super) fn packet_of(
    reply: &Reply,
    profile: &Profile,
    accounts: &mut Accounts,
    (flow, class): (u32, u8),
    now: Nanos,
) -> Packet {
    let packet = Packet::new(Kind::Ack, flow, reply.next, profile.ack_size)
        .stamped(reply.echo)
        .with_ecn(profile.control_codepoint())
        .with_class(class)
        .retransmitted(reply.echo_retransmitted)
        .echoing(reply.ece);
    if reply.length == 0 && reply.accecn.is_none() {
        return packet;
    }
    let note = Note {
        stamp: reply.echo,
        blocks: reply.blocks,
        filled: reply.length,
        accecn: reply.accecn,
    };
    noted(packet, accounts, note, now)
}

/// The acknowledgment `packet`, which is sent now, with `note`.
#[inline]
pub(super) fn noted(packet: Packet, accounts: &mut Accounts, note: Note, now: Nanos) -> Packet {
    let noted = packet.with_note(accounts.notes.keep(note));
    match accounts.periods.count() {
        1 => noted,
        _ => noted.in_period(accounts.periods.period(now) as u8),
    }
}

/// A segment as the receiver gets it at `at`.
#[inline]
pub(super) fn arrival_of(packet: &Packet, at: Nanos) -> Arrival {
    Arrival {
        number: packet.number(),
        ecn: match packet.kind() {
            Kind::Syn => Ecn::NotCapable,
            _ => packet.ecn(),
        },
        cwr: packet.echo(),
        retransmission: packet.is_retransmission(),
        sent: packet.stamp(at),
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

    /// Restarts the receiver if segment `number` is the first to arrive of a new connection. Without
    /// a handshake that need not be the first one of its numbers.
    fn restart_receiver_at(&mut self, number: u32) {
        if let Some(session) = &self.session
            && number >= session.first
            && session.first == self.receiver.rcv_nxt()
            && self.receiver.has_no_hole()
        {
            self.receiver.restart(session.first);
        }
    }
}
