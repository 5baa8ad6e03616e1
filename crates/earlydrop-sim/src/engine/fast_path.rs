//! The fast path: what the packets of most flows need, and nothing else.
//!
//! A flow takes it while its [`Path`] is [`Fast`](Path::Fast). Its ends then only answer packets
//! and run timers, so most of what the slow path checks cannot be the case. Each shortcut below
//! checks its precondition before it changes anything, and otherwise leaves the packet to the slow
//! path.
//!
//! | event | precondition | shortcut | slow path |
//! |---|---|---|---|
//! | a segment arrives | data, not ECN-capable; the receiver acknowledges each segment at once | [`Flow::ack_at_once`] | [`Simulation::on_forward_packet`] |
//! | a segment arrives | data, not marked, no CWR; next in order; the receiver delays acknowledgments and no timer of it expires before | [`Flow::ack_delayed`] | [`Simulation::on_forward_packet`] |
//! | a segment arrives | data; the receiver delays acknowledgments and no timer of it expires before | [`Flow::ack_any`] | [`Simulation::on_forward_packet`] |
//! | an acknowledgment arrives | no ECE, no SACK ranges; no timer of the sender expires before, nor does the run end | [`Flow::on_bare_ack`] | [`Simulation::on_backward_packet`] |
//! | an acknowledgment arrives | no timer of the sender expires before, nor does the run end | [`Flow::on_any_ack`] | [`Simulation::on_backward_packet`] |
//! | the window opens | the next segment is new, no pacing, no recovery, no CWR; the first hop is an access link that ends in an event | [`Simulation::send_new_segments`] | `send_segments` in `ends.rs` |
//! | a timer expires | it is the sender's | `on_retransmission_timer` in `ends.rs` | `do_due` in `ends.rs` |
//!
//! Test of every row: `shortcuts_change_nothing` in `tests/properties.rs` runs random networks and
//! traffic here and in the [reference engine](super::reference), where no flow is eligible, and
//! compares every figure of the results.

use earlydrop::units::Nanos;

use super::accounts::Accounts;
use super::flow::{Counted, Ends, Flow, Path};
#[cfg(doc)]
use super::simulation::Simulation;
use super::tcp_flow::{ack_of, arrival_of, noted, packet_of, take_ack};
use crate::measure::FlowMeter;
use crate::packet::{Kind, Note, Packet};
use crate::results::Totals;
use crate::tcp::{AckDecision, Echo, Profile, RttSampling, Sender};

/// What a receiver that delays acknowledgments does about a segment.
#[derive(Clone, Copy, Debug)]
pub(super) enum Answer {
    /// It waits for another segment, or for its timer.
    Later,
    /// It sends this acknowledgment.
    Now(Packet),
}

impl Flow {
    /// The profile of its connection, if it is on the fast path.
    #[inline(always)]
    pub(super) fn fast_path_profile<'a>(&self, profiles: &'a [Profile]) -> Option<&'a Profile> {
        match &self.ends {
            Ends::Tcp(_) if self.state.path == Path::Fast => Some(&profiles[self.profile as usize]),
            _ => None,
        }
    }

    /// A segment arrives at `at` at a receiver that acknowledges each at once; returns the
    /// acknowledgment. `None`: precondition not met, nothing done.
    #[inline(always)]
    pub(super) fn ack_at_once(
        &mut self,
        profile: &Profile,
        accounts: &mut Accounts,
        segment: Packet,
        at: Nanos,
    ) -> Option<Packet> {
        let Ends::Tcp(connection) = &mut self.ends else {
            return None;
        };
        if !segment.is_not_ect_segment() {
            return None;
        }
        let new = connection
            .receiver
            .on_segment_fast(profile, segment.number())?;
        self.counted.acknowledged += 1;
        measure_arrival(&mut self.meter, profile, accounts, (segment, at), new);
        let ack = segment.acknowledge(connection.receiver.rcv_nxt(), profile.ack_size);
        Some(ack.with_class(self.ack_class))
    }

    /// A segment arrives at `at` at a receiver that delays acknowledgments. `None`: precondition
    /// not met, nothing done.
    #[inline(always)]
    pub(super) fn ack_delayed(
        &mut self,
        profile: &Profile,
        accounts: &mut Accounts,
        packet: Packet,
        at: Nanos,
    ) -> Option<Answer> {
        let Ends::Tcp(connection) = &mut self.ends else {
            return None;
        };
        let receiver = &mut connection.receiver;
        if !packet.is_unmarked_segment() || at >= receiver.deadline() {
            return None;
        }
        let received = Echo {
            sent: packet.stamp(at),
            retransmission: packet.is_retransmission(),
        };
        let decision = receiver.on_segment_fast_delayed(profile, packet.number(), received, at)?;
        measure_arrival(&mut self.meter, profile, accounts, (packet, at), true);
        let AckDecision::Send(echo) = decision else {
            return Some(Answer::Later);
        };
        self.counted.acknowledged += 1;
        let next = receiver.rcv_nxt();
        let ack = Packet::new(Kind::Ack, packet.flow_index(), next, profile.ack_size);
        let ack = ack.stamped(echo.sent).with_class(self.ack_class);
        let ack = ack.with_ecn(profile.control_codepoint());
        let ack = ack.retransmitted(echo.retransmission);
        Some(Answer::Now(match receiver.report_marks(profile) {
            None => ack,
            marks => noted(ack, accounts, Note::of_marks(echo.sent, marks), at),
        }))
    }

    /// A segment that no shortcut above fits arrives at `at` at a receiver that has nothing to do
    /// before. `None`: precondition not met, nothing done.
    #[inline(always)]
    pub(super) fn ack_any(
        &mut self,
        profile: &Profile,
        accounts: &mut Accounts,
        packet: Packet,
        at: Nanos,
    ) -> Option<Answer> {
        let Ends::Tcp(connection) = &mut self.ends else {
            return None;
        };
        let receiver = &mut connection.receiver;
        if packet.kind() != Kind::Data || at >= receiver.deadline() {
            return None;
        }
        let before = receiver.received();
        let reply = receiver.on_segment(profile, &arrival_of(&packet, at), at);
        let new = receiver.received() != before;
        measure_arrival(&mut self.meter, profile, accounts, (packet, at), new);
        let Some(reply) = reply else {
            return Some(Answer::Later);
        };
        self.counted.acknowledged += 1;
        let of_flow = (packet.flow_index(), self.ack_class);
        let ack = packet_of(&reply, profile, accounts, of_flow, at);
        Some(Answer::Now(ack))
    }

    /// An acknowledgment that is not bare arrives at its sender at `at`. `false`: precondition not
    /// met, nothing done.
    #[inline(always)]
    pub(super) fn on_any_ack(
        &mut self,
        profile: &Profile,
        accounts: &mut Accounts,
        packet: Packet,
        at: Nanos,
    ) -> bool {
        let Ends::Tcp(connection) = &mut self.ends else {
            return false;
        };
        let waits = at < connection.sender.deadline() && at <= accounts.timing.end;
        if !waits || packet.kind() != Kind::Ack {
            return false;
        }
        self.counted.acks += 1;
        let of_flow = (packet.flow_index(), &connection.sender);
        self.state.record_baseline(accounts, of_flow, at);
        let ends = (&mut connection.sender, &mut self.meter);
        take_ack(ends, profile, accounts, &packet, at);
        true
    }

    /// An acknowledgment, new or duplicate, arrives at its sender at `at`. `false`: precondition
    /// not met, nothing done.
    #[inline(always)]
    pub(super) fn on_bare_ack(
        &mut self,
        profile: &Profile,
        accounts: &mut Accounts,
        ack: Packet,
        at: Nanos,
    ) -> bool {
        let Ends::Tcp(connection) = &mut self.ends else {
            return false;
        };
        let timing = &accounts.timing;
        let waits = at < connection.sender.deadline() && at <= timing.end;
        if !(waits && ack.is_bare_ack()) {
            return false;
        }
        self.counted.acks += 1;
        if self.meter.details.is_some() && !ack.is_retransmission() && timing.counts(at) {
            self.meter.record_round_trip(ack.stamp(at), at);
        }
        let of_flow = (ack.flow_index(), &connection.sender);
        self.state.record_baseline(accounts, of_flow, at);
        let (next, sender) = (ack.number(), &mut connection.sender);
        let echo = match profile.rtt_sampling {
            RttSampling::Every | RttSampling::BySegment => ack.stamp(at),
            // The sender remembers when it sent the timed segment.
            RttSampling::OneAtATime => Nanos::ZERO,
        };
        if !sender.on_ack_fast(profile, next, echo, at) {
            on_other_ack(sender, profile, ack, at);
        }
        true
    }

    /// Adds the packets that took the fast path to the totals.
    pub(super) fn add_counted(&self, totals: &mut Totals, profiles: &[Profile]) {
        let Ends::Tcp(_) = &self.ends else {
            return;
        };
        let profile = &profiles[self.profile as usize];
        let (segment, ack) = (profile.segment_size, profile.ack_size);
        let Counted {
            sent,
            acknowledged,
            acks,
        } = self.counted;
        totals.sent.add_all(sent.into(), segment);
        totals.delivered.add_all(acknowledged.into(), segment);
        totals.sent.add_all(acknowledged.into(), ack);
        totals.delivered.add_all(acks.into(), ack);
    }
}

/// A sender receives an acknowledgment that does not simply acknowledge new segments: a duplicate,
/// or one during recovery.
#[inline(never)]
fn on_other_ack(sender: &mut Sender, profile: &Profile, packet: Packet, at: Nanos) {
    let (next, echo) = (packet.number(), packet.stamp(at));
    if !sender.on_dupack_fast(profile, next, echo, at) {
        sender.on_ack_slow(profile, &ack_of(&packet, echo), at);
    }
}

/// Measures a segment that arrives then; `new`: its payload has not arrived before.
#[inline(always)]
fn measure_arrival(
    meter: &mut FlowMeter,
    profile: &Profile,
    accounts: &mut Accounts,
    (segment, at): (Packet, Nanos),
    new: bool,
) {
    let timing = &accounts.timing;
    if timing.counts(at) {
        meter.record_arrival(&mut accounts.delays, &segment, at, timing);
        if new {
            meter.goodput_bytes += u64::from(profile.payload());
        }
    }
}
