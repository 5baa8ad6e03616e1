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
//! | an acknowledgment arrives | no ECE, no SACK ranges; no timer of the sender expires before, nor does the run end | [`Flow::on_bare_ack`] | [`Simulation::on_backward_packet`] |
//! | the window opens | the next segment is new, no pacing, no recovery, no CWR; the first hop is an access link that ends in an event | [`Simulation::send_new_segments`] | [`Simulation::send_segments`] |
//! | a timer expires | it is the sender's | [`Simulation::on_retransmission_timer`] | `do_due` in `wake.rs` |
//!
//! Test of every row: `shortcuts_change_nothing` in `tests/properties.rs` runs random networks and
//! traffic here and in the [reference engine](super::reference), where no flow is eligible, and
//! compares every figure of the results.

use earlydrop::packet::Packet as _;
use earlydrop::units::Nanos;

use super::Simulation;
use super::accounts::Accounts;
use super::event::Event;
use super::flow::{Ends, Flow, Path, leaves_host_at};
use super::tcp_flow::ack_of;
use crate::measure::{FlowMeter, Timing};
use crate::packet::{Kind, Packet};
use crate::results::Totals;
use crate::tcp::{AckDecision, Echo, Profile, RttSampling, Sender};

/// How many packets took the fast path. All packets of a kind have the same size, so their bytes
/// follow from their number. A flow numbers its segments with 32 bits, too.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counted {
    /// Segments sent.
    pub(super) sent: u32,
    /// Segments that arrived and were acknowledged.
    acknowledged: u32,
    /// Acknowledgments that arrived.
    acks: u32,
}

/// What a receiver that delays acknowledgments does about a segment.
#[derive(Clone, Copy, Debug)]
enum Answer {
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
            Ends::Tcp(connection) if self.state.path == Path::Fast => {
                Some(&profiles[connection.profile as usize])
            }
            _ => None,
        }
    }

    /// A segment arrives at `at` at a receiver that acknowledges each at once; returns the
    /// acknowledgment. `None`: precondition not met, nothing done.
    #[inline(always)]
    pub(super) fn ack_at_once(
        &mut self,
        profile: &Profile,
        timing: &Timing,
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
        measure_arrival(&mut self.meter, profile, timing, (segment, at), new);
        Some(segment.acknowledge(connection.receiver.rcv_nxt(), profile.ack_size))
    }

    /// A segment arrives at `at` at a receiver that delays acknowledgments. `None`: precondition
    /// not met, nothing done.
    #[inline(always)]
    fn ack_delayed(
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
        if !packet.is_unmarked_segment() || at >= receiver.deadline() {
            return None;
        }
        let received = Echo {
            sent: packet.stamp(at),
            retransmission: packet.is_retransmission(),
        };
        let decision = receiver.on_segment_fast_delayed(profile, packet.number(), received, at)?;
        measure_arrival(&mut self.meter, profile, timing, (packet, at), true);
        let AckDecision::Send(echo) = decision else {
            return Some(Answer::Later);
        };
        self.counted.acknowledged += 1;
        let next = receiver.rcv_nxt();
        let ack = Packet::new(Kind::Ack, packet.flow_index(), next, profile.ack_size);
        let ack = ack.stamped(echo.sent).with_class(self.class);
        Some(Answer::Now(ack.retransmitted(echo.retransmission)))
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
        if self.meter.details.is_some() {
            measure_round_trip(&mut self.meter, timing, ack, at);
        }
        if !self.state.has_baseline && timing.warmed_up_by(at) {
            self.state.has_baseline = true;
            accounts.set_baseline(ack.flow_index(), connection.sender.counts());
        }
        let (next, sender) = (ack.number(), &mut connection.sender);
        let echo = match profile.rtt_sampling {
            RttSampling::Every => ack.stamp(at),
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
        let Ends::Tcp(connection) = &self.ends else {
            return;
        };
        let profile = &profiles[connection.profile as usize];
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
    timing: &Timing,
    (segment, at): (Packet, Nanos),
    new: bool,
) {
    if timing.counts(at) {
        meter.record_arrival(&segment, at);
        if new {
            meter.goodput_bytes += u64::from(profile.payload());
        }
    }
}

/// Measures the round trip that an acknowledgment ends at `at`, in runs that measure round trips
/// or delays.
#[inline(never)]
fn measure_round_trip(meter: &mut FlowMeter, timing: &Timing, ack: Packet, at: Nanos) {
    if !ack.is_retransmission() && timing.counts(at) {
        meter.record_round_trip(ack.stamp(at), at);
    }
}

impl Simulation {
    /// A segment arrives at its receiver, at the end of the hop before `place`. The receiver may
    /// delay its acknowledgment.
    #[inline(never)]
    pub(super) fn arrive_at_delaying_receiver(&mut self, place: usize, segment: Packet, at: Nanos) {
        let index = segment.flow_index();
        let flow = &mut self.flows[index as usize];
        let profile = flow.fast_path_profile(&self.profiles);
        let timing = &self.accounts.timing;
        let Some(answer) = profile.and_then(|p| flow.ack_delayed(p, timing, segment, at)) else {
            return self.arrive(place, segment, at);
        };
        if at > timing.end {
            self.accounts.totals.late += 1;
        }
        match answer {
            Answer::Now(ack) => {
                debug_assert_eq!(place, self.routes.begin(&ack), "the route back follows");
                self.forward_from(place, ack, at);
            }
            Answer::Later => {
                self.accounts.totals.delivered.add(segment.size());
                self.ensure_wake(index);
            }
        }
    }

    /// A sender has received an acknowledgment and sends the segments that its window allows.
    #[inline(always)]
    pub(super) fn send_new_segments(&mut self, index: u32, now: Nanos) {
        let flow = &mut self.flows[index as usize];
        let Ends::Tcp(connection) = &mut flow.ends else {
            return;
        };
        let sender = &mut connection.sender;
        while sender.may_have_more() {
            let place = self.routes.forward_begin(index);
            let Some(link) = self.routes.hops[place].access_to_event() else {
                return self.send_any_segments(index, now);
            };
            let Some(number) = sender.poll_transmit_fast(now) else {
                return self.send_any_segments(index, now);
            };
            flow.counted.sent += 1;
            let segment = flow.segment.packet(number, now);
            let leaves_at = leaves_host_at(flow.state.has_overhead, &mut flow.rare, now);
            let params = &mut self.access_links[link as usize];
            let at = params.transmit(&mut flow.access_free_at[0], leaves_at, segment.size());
            if at < self.now {
                self.arrive(place + 1, segment, at);
                return self.send_any_segments(index, now);
            }
            let event = Event::resume(segment.at_next_hop());
            self.events.push_in_stream(at, event);
        }
        if flow.wake_at > sender.deadline() {
            self.schedule_wake(index);
        }
    }

    /// The slow path of [`send_new_segments`](Simulation::send_new_segments).
    #[inline(never)]
    fn send_any_segments(&mut self, index: u32, now: Nanos) {
        self.send_segments(index, now);
        self.ensure_wake(index);
    }

    /// The sender's timer expires, and no other.
    #[inline(never)]
    pub(super) fn on_retransmission_timer(&mut self, index: u32) {
        let now = self.now;
        self.record_baseline(index, now);
        if let Ends::Tcp(connection) = &mut self.flows[index as usize].ends {
            let profile = &self.profiles[connection.profile as usize];
            connection.sender.on_timer(profile, now);
        }
        self.send_any_segments(index, now);
    }
}
