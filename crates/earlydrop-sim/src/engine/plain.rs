//! Flows whose ends only answer what comes and run a timer, as most do: what their packets
//! cost is what a simulation costs.

use earlydrop::units::Nanos;

use super::accounts::Accounts;
use super::flow::{Ends, Flow};
use crate::measure::{FlowMeter, Timing};
use crate::packet::{Kind, Packet};
use crate::results::Totals;
use crate::tcp::{Ack, Echo, Profile, RoundTrips, Say, Sender};

/// Packets of such flows. They are all of one size, and so only counted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counted {
    /// Segments sent.
    pub(super) sent: u64,
    /// Segments that arrived and were answered.
    answered: u64,
    /// Acknowledgments that arrived.
    acknowledged: u64,
}

/// What a receiver does about a segment.
#[derive(Clone, Copy, Debug)]
pub(super) enum Answer {
    /// It waits for another, or for its timer.
    Later,
    /// It sends this.
    Now(Packet),
}

/// A sender takes an acknowledgment that is not simply of the next segments.
#[inline(never)]
fn take_any_ack(sender: &mut Sender, profile: &Profile, packet: Packet, at: Nanos) {
    let (next, echo) = (packet.number(), packet.stamp(at));
    if sender.on_plain_duplicate(profile, next, echo, at) {
        return;
    }
    let ack = Ack {
        next,
        echo,
        echo_retransmitted: packet.is_retransmission(),
        ece: false,
        sacked: &[],
    };
    sender.on_unusual_ack(profile, &ack, at);
}

/// Takes note of a segment that comes then, whose payload is new or not.
#[inline(always)]
fn note_arrival(
    meter: &mut FlowMeter,
    profile: &Profile,
    timing: &Timing,
    (packet, at): (Packet, Nanos),
    new: bool,
) {
    if timing.counts(at) {
        meter.arrived(&packet, at);
        if new {
            meter.goodput_bytes += u64::from(profile.payload());
        }
    }
}

/// Takes note of how long an acknowledgment that comes at `at`, and its segment, were on
/// their way, where flows' times are asked for in detail.
#[inline(never)]
fn note_round_trip(meter: &mut FlowMeter, timing: &Timing, packet: Packet, at: Nanos) {
    if !packet.is_retransmission() && timing.counts(at) {
        meter.went_round(packet.stamp(at), at);
    }
}

impl Flow {
    /// The rules of its ends, where they only answer.
    #[inline(always)]
    pub(super) fn plain_profile<'a>(&self, profiles: &'a [Profile]) -> Option<&'a Profile> {
        match &self.ends {
            Ends::Tcp(connection) if self.plain => Some(&profiles[connection.profile as usize]),
            _ => None,
        }
    }

    /// What its receiver sends in return for `packet`, which comes at `at`, where that is
    /// all it does. `None`: this did nothing.
    #[inline(always)]
    pub(super) fn answer_plainly(
        &mut self,
        profile: &Profile,
        timing: &Timing,
        packet: Packet,
        at: Nanos,
    ) -> Option<Packet> {
        let Ends::Tcp(connection) = &mut self.ends else {
            return None;
        };
        if !packet.is_plain_segment() {
            return None;
        }
        let new = connection.receiver.take(profile, packet.number())?;
        self.counted.answered += 1;
        note_arrival(&mut self.meter, profile, timing, (packet, at), new);
        Some(packet.answer(connection.receiver.expected(), profile.ack_size))
    }

    /// The same of a receiver that delays acknowledgments.
    #[inline(always)]
    pub(super) fn answer_in_time(
        &mut self,
        profile: &Profile,
        timing: &Timing,
        packet: Packet,
        at: Nanos,
    ) -> Option<Answer> {
        let Ends::Tcp(connection) = &mut self.ends else {
            return None;
        };
        let receiver = &mut connection.receiver;
        if !packet.is_usual_segment() || at >= receiver.deadline() {
            return None;
        }
        let of_it = Echo {
            sent: packet.stamp(at),
            again: packet.is_retransmission(),
        };
        let say = receiver.take_in_turn(profile, packet.number(), of_it, at)?;
        note_arrival(&mut self.meter, profile, timing, (packet, at), true);
        let Say::Acknowledge(echo) = say else {
            return Some(Answer::Later);
        };
        self.counted.answered += 1;
        let next = receiver.expected();
        let ack = Packet::new(Kind::Ack, packet.flow_index(), next, profile.ack_size);
        let ack = ack.stamped(echo.sent).with_class(self.class);
        Some(Answer::Now(ack.retransmitted(echo.again)))
    }

    /// Takes an acknowledgment that comes to its sender at `at`, where there is nothing
    /// else to do before. `false`: this did nothing.
    #[inline(always)]
    pub(super) fn take_ack(
        &mut self,
        profile: &Profile,
        accounts: &mut Accounts,
        packet: Packet,
        at: Nanos,
    ) -> bool {
        let Ends::Tcp(connection) = &mut self.ends else {
            return false;
        };
        let timing = &accounts.timing;
        let waits = at < connection.sender.deadline() && at <= timing.end;
        if !(waits && packet.is_plain_ack()) {
            return false;
        }
        self.counted.acknowledged += 1;
        if self.meter.more.is_some() {
            note_round_trip(&mut self.meter, timing, packet, at);
        }
        if !self.noted && timing.warmed_up_by(at) {
            self.noted = true;
            accounts.note_before(packet.flow_index(), connection.sender.counts());
        }
        let (next, sender) = (packet.number(), &mut connection.sender);
        let echo = match profile.round_trips {
            RoundTrips::Every => packet.stamp(at),
            // What is timed says so itself.
            RoundTrips::OneAtATime => Nanos::ZERO,
        };
        if !sender.on_plain_ack(profile, next, echo, at) {
            take_any_ack(sender, profile, packet, at);
        }
        true
    }

    /// Adds what was only counted to the totals.
    pub(super) fn add_counted(&self, totals: &mut Totals, profiles: &[Profile]) {
        let Ends::Tcp(connection) = &self.ends else {
            return;
        };
        let profile = &profiles[connection.profile as usize];
        let (segment, ack) = (profile.segment_size, profile.ack_size);
        totals.sent.add_all(self.counted.sent, segment);
        totals.delivered.add_all(self.counted.answered, segment);
        totals.sent.add_all(self.counted.answered, ack);
        totals.delivered.add_all(self.counted.acknowledged, ack);
    }
}
