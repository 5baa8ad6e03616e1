//! Loss recovery by selective acknowledgments (RFC 6675), with section numbers of that RFC.
//!
//! ```text
//! IsLost(n)     3 segments beyond n were received, or 3 duplicates expect n         4
//! pipe          segments neither received nor lost, plus those retransmitted        4, SetPipe
//! NextSeg       while pipe < cwnd: the first lost hole not retransmitted yet;       4, rule 1
//!               else new data;                                                      4, rule 2
//!               else the next hole, lost or not;                                    4, rule 3
//!               else the last segment, once: the rescue retransmission              4, rule 4
//! ```
//! A retransmission is lost when 3 segments sent after it for the first time were received: the
//! part of RFC 8985 that does without timestamps. `cwnd` is not reduced again for it. After a
//! timeout all that was not reported received counts as lost, and is retransmitted in slow
//! start by the same rules. What the receiver reported stays: it does not renege here.
//!
//! With RACK-TLP (RFC 8985) `rack.rs` says what is lost, in place of IsLost and of rules 3 and 4.
//! ns-2's Sack1 is in `ns2.rs`.
//!
//! # Validated against
//! With RACK, Linux 6.1 and packetdrill, by scripts without a difference: Linux `loss`: 10 of 10
//! scripts, Linux `queue`: 3 of 3 scripts, packetdrill `sack-shift`: 3 of 3 scripts. Without, ns-2.35 and
//! ns-3 3.48: figures of whole runs.

use earlydrop::units::Nanos;

use super::prr::Prr;
use super::rack::{AckTime, Rack};
use super::scoreboard::Scoreboard;
use super::segment_times::Delivery;
use super::tlp::Probe;
use super::undo::Undo;
use crate::tcp::accecn::SenderCounters;
use crate::tcp::control::{AckSample, Control};
use crate::tcp::profile::Profile;
use crate::tcp::rate_sample::RateSampler;
use crate::tcp::rto::JIFFY;
use crate::tcp::segment::Ack;
use crate::tcp::sequence::distance;
use crate::tcp::settings::{EcnFeedback, Growth, RttSampling, Rules};
use crate::tcp::tcb::{CongestionState, LossTimer, Tcb};

/// The state only senders with selective acknowledgments have.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct SackState {
    /// RACK-TLP, where losses are detected by time (RFC 8985).
    pub(in crate::tcp) rack: Option<Rack>,
    pub(in crate::tcp) board: Scoreboard,
    /// The tail loss probe, in flight or to be retransmitted (RFC 8985, 7).
    pub(in crate::tcp) probe: Option<Probe>,
    /// Delivery-rate records, where the controller wants samples.
    pub(in crate::tcp) rate: Option<RateSampler>,
    /// While a reduction of `cwnd` is spread over a round trip (RFC 9937).
    pub(in crate::tcp) prr: Option<Prr>,
    /// What the last reduction of `cwnd` for a loss was, while it may be undone.
    pub(in crate::tcp) undo: Undo,
    /// Whether F-RTO asks if the last timeout was spurious.
    pub(super) frto: bool,
    /// Copies of the receiver's counters, with AccECN (RFC 9768).
    accecn: SenderCounters,
}

impl SackState {
    /// An empty scoreboard, with delivery-rate records if `rates` is set, and with RACK-TLP if
    /// `by_time` is.
    pub(in crate::tcp) fn boxed(rates: bool, by_time: bool, now: Nanos) -> Box<SackState> {
        Box::new(SackState {
            rack: by_time.then(Rack::new),
            board: Scoreboard::new(rates),
            probe: None,
            rate: rates.then(|| RateSampler::new(now)),
            prr: None,
            undo: Undo::NONE,
            frto: false,
            accecn: SenderCounters::new(),
        })
    }

    /// Forgets all for a new connection, and keeps the memory.
    pub(in crate::tcp) fn restart(&mut self, now: Nanos) {
        self.board.clear();
        self.probe = None;
        self.prr = None;
        self.undo = Undo::NONE;
        self.frto = false;
        self.accecn = SenderCounters::new();
        if let Some(rack) = &mut self.rack {
            rack.restart();
        }
        if let Some(rate) = &mut self.rate {
            rate.restart(now);
        }
    }

    /// How many of `delivered` segments the counters of `ack` report marked, with AccECN.
    pub(super) fn newly_marked(&mut self, profile: &Profile, ack: &Ack, delivered: u32) -> u32 {
        let counters = &mut self.accecn;
        ack.accecn.map_or(0, |fields| {
            counters.newly_marked(&fields, delivered, profile.payload())
        })
    }

    /// Whether acknowledgments of new data change more here than `snd_una`.
    pub(in crate::tcp) fn must_see_acks(&self) -> bool {
        self.board.sacked() > 0 || self.rate.is_some() || self.prr.is_some() || self.probe.is_some()
    }
}

/// What an acknowledgment adds to what was known.
pub(in crate::tcp) struct AckDelta {
    /// Segments newly acknowledged, cumulatively or selectively (DeliveredData of RFC 9937).
    pub(super) delivered: u32,
    /// How many segments arrived marked, where marks are counted.
    pub(super) marked: u32,
    /// Segments newly reported by SACK blocks.
    pub(in crate::tcp) newly_sacked: u32,
    pub(super) in_flight: u32,
    pub(super) rtt: Option<Nanos>,
    /// The round trip of the newest segment, if nothing acknowledged was retransmitted.
    pub(super) newest_rtt: Option<Nanos>,
    /// When the first segment was sent that measures a round trip for RTO.
    pub(super) first_sent: Option<Nanos>,
    /// Holes newly known to be lost.
    pub(super) lost: u32,
}

impl Tcb {
    /// `pipe` of RFC 6675 during recovery; FlightSize less what is reported received before.
    #[inline]
    pub(in crate::tcp) fn pipe(&self, board: &Scoreboard) -> u32 {
        if self.output.sack_recovery {
            board.pipe.max(0) as u32
        } else {
            self.seq.flight_size().saturating_sub(board.sacked())
        }
    }

    /// Processes an ACK of a sender with selective acknowledgments; returns how many
    /// marks AccECN's counters report, and how many segments were delivered.
    pub(in crate::tcp) fn on_sack(
        &mut self,
        profile: &Profile,
        sack: &mut SackState,
        ack: &Ack,
        now: Nanos,
    ) -> (u32, u32) {
        if let Some(done) = self.on_quiet_ack(profile, sack, ack, now) {
            return done;
        }
        let SackState {
            board, rate, rack, ..
        } = sack;
        let time = AckTime::of(profile, ack, now);
        let mut delivery = Delivery::new(rack, rate, time, profile.stamp(now));
        delivery.begin(self.seq.snd_una, ack.next, board.sacked() > 0);
        board.visit_holes(self.seq.snd_una, ack.next, |from, to| {
            delivery.ack(from, to);
        });
        let in_flight = self.pipe(board);
        // During a reduction Linux's cwnd is what PRR allows (`tcp_cwnd_reduction`).
        let window = match sack.prr {
            Some(_) if profile.follows_linux() => self.congestion.send_window,
            _ => self.congestion.whole_cwnd(),
        };
        self.note_cwnd_use(in_flight, window);
        let known = board.acknowledge(ack.next);
        let newly_sacked = self.take_sack_blocks(profile, board, ack, &mut delivery);
        let times = delivery.times();
        let delivered = distance(self.seq.snd_una, ack.next) - known + newly_sacked;
        let counted = sack.newly_marked(profile, ack, delivered);
        let mut delta = AckDelta {
            delivered,
            marked: counted + ack.marked_segments(profile, delivered),
            newly_sacked,
            in_flight,
            rtt: None,
            newest_rtt: times.newest.map(|sent| now.since(sent)),
            first_sent: times.first,
            lost: 0,
        };
        match profile.rules {
            Rules::Standard => self.on_sack_rfc6675(profile, sack, ack, &mut delta, now),
            Rules::Ns2 => self.on_sack_as_ns2(profile, sack, ack, &delta, now),
        }
        (counted, delta.delivered)
    }

    /// Adds an acknowledgment's SACK blocks to the scoreboard (RFC 6675, 4, Update); returns how
    /// many segments are new.
    fn take_sack_blocks(
        &self,
        profile: &Profile,
        board: &mut Scoreboard,
        ack: &Ack,
        delivery: &mut Delivery,
    ) -> u32 {
        if profile.rules == Rules::Ns2 && self.rto.repeats {
            return 0;
        }
        if profile.rtt_sampling == RttSampling::BySegment {
            // TSecr is that of the last segment in order (RFC 7323, 4.3), which says nothing of one
            // that SACK reports: `tcp_sacktag_one` does not ask for it.
            delivery.time.echo = None;
        }
        let mut new = 0;
        for block in ack.sacked {
            if block.from > ack.next && block.from < block.to && block.to <= self.seq.snd_max {
                new += board.add(*block, |from, to| delivery.sack(from, to));
            }
        }
        new
    }

    fn on_sack_rfc6675(
        &mut self,
        profile: &Profile,
        sack: &mut SackState,
        ack: &Ack,
        delta: &mut AckDelta,
        now: Nanos,
    ) {
        let acked = distance(self.seq.snd_una, ack.next);
        sack.board.holds_retransmissions = false;
        if profile.undoes() {
            let duplicates = self.count_dsack(sack, ack);
            if profile.follows_linux() {
                delta.delivered += duplicates;
            }
        }
        if acked > 0 {
            self.take_cumulative_ack(ack.next);
        } else if delta.newly_sacked > 0 {
            self.congestion.count_dupack();
        }
        delta.rtt = self.sample_sack_rtt(profile, sack, ack, delta.first_sent, acked > 0, now);
        if acked > 0 {
            self.rearm_rto_after_ack(profile, now);
        }
        if profile.undoes() {
            let marked = ack.ece || delta.marked > 0;
            self.undo_if_spurious(profile, sack, ack, (acked, marked), now);
        }
        let lost =
            !sack.board.holds_retransmissions && self.detect_losses(profile, sack, ack, delta, now);
        self.report_losses(sack, now);
        if let Some(prr) = &mut sack.prr {
            prr.on_ack(delta.delivered, acked > 0 && delta.lost == 0);
        }
        let recovering = self.congestion.in_fast_recovery();
        let linux = profile.follows_linux();
        let full_ack = match self.congestion.state {
            // Linux holds CWR until something sent after the reduction is acknowledged.
            CongestionState::Cwr if linux => self.congestion.covers_more_than_recover(ack.next),
            _ => self.congestion.covers_recover(ack.next),
        };
        let ns3_growth = profile.growth == Growth::CountedAsNs3;
        let reducing = sack.prr.is_some() && !full_ack;
        let marks_end_growth = self.ends_growth(profile, ack, delta.marked);
        if recovering && full_ack && ns3_growth {
            delta.delivered = acked;
            self.report_ack(profile, sack, delta, false, now);
        } else {
            // Linux leaves the state Recovery before `tcp_cong_control` asks whether to grow.
            let recovering = recovering && !(full_ack && linux);
            let none_for_growth = acked == 0 && !grows_by_sack(profile, sack, delta);
            let no_growth = recovering || reducing || none_for_growth || marks_end_growth;
            self.report_ack(profile, sack, delta, no_growth, now);
        }
        if full_ack {
            self.on_full_ack(sack, now);
        }
        if lost && !self.output.sack_recovery {
            self.start_sack_recovery(profile, sack, delta.delivered, now);
            if ack.ece {
                sack.undo.forbid();
            }
        }
        self.on_ack_of_probe(profile, &mut sack.probe, &sack.board, ack, acked > 0, now);
        self.update_send_window_sack(profile, sack);
        self.step_frto(profile, sack, ack, (acked, delta.newly_sacked));
        self.choose_loss_timer(sack, acked, now);
    }

    /// Whether marks that `ack` reports keep `cwnd` from growing, `marked` segments where they are
    /// counted.
    pub(super) fn ends_growth(&self, profile: &Profile, ack: &Ack, marked: u32) -> bool {
        // RFC 3168, 6.1.2: "TCP should not react to congestion indications more than once every
        // window of data". CWR goes out with new data only, so ECE stays set while the window of a
        // timeout is retransmitted, which was the reaction.
        let repeats_timeout = self.congestion.state == CongestionState::Timeout
            && !self.ends_timeout(profile, ack.next);
        let classic = profile.feedback() == Some(EcnFeedback::Classic);
        let ece = ack.ece && (classic || profile.is_linux_dctcp());
        let counted =
            ack.accecn.is_some() && marked > 0 && !profile.control.controller().counts_marks;
        (ece && !repeats_timeout) || counted
    }

    /// The round trip that an ACK measures for RTO; `acked`: it moved `snd_una`, as only then a
    /// timestamp measures one (RFC 7323, 4.1). `first_sent` measures one as Linux.
    pub(super) fn sample_sack_rtt(
        &mut self,
        profile: &Profile,
        sack: &SackState,
        ack: &Ack,
        first_sent: Option<Nanos>,
        acked: bool,
        now: Nanos,
    ) -> Option<Nanos> {
        if profile.rtt_sampling != RttSampling::BySegment || sack.rack.is_none() {
            return acked.then(|| self.rto.sample_rtt(profile, ack, now))?;
        }
        let by_timestamp = || {
            let ticks = (now.0 / JIFFY - ack.echo.0 / JIFFY).max(1);
            acked.then_some(Nanos(ticks * JIFFY))
        };
        let rtt = first_sent
            .map(|sent| now.since(sent))
            .or_else(by_timestamp)?;
        self.rto.end_backoff(profile);
        self.rto.measure(profile, rtt, now);
        Some(rtt)
    }

    /// All that was sent before the last reduction is acknowledged: recovery, if there is one, ends.
    fn on_full_ack(&mut self, sack: &mut SackState, now: Nanos) {
        sack.prr = None;
        if !self.output.sack_recovery {
            return;
        }
        self.output.sack_recovery = false;
        if let Some(rack) = &mut sack.rack {
            rack.on_recovery_end();
        }
        match self.congestion.state {
            CongestionState::FastRecovery => self.exit_recovery(now),
            CongestionState::Timeout => self.congestion.control.on_recovery_end(now),
            _ => {}
        }
    }

    /// Finds what an acknowledgment shows to be lost, and counts it in `delta`; returns whether
    /// recovery is due.
    fn detect_losses(
        &mut self,
        profile: &Profile,
        sack: &mut SackState,
        ack: &Ack,
        delta: &mut AckDelta,
        now: Nanos,
    ) -> bool {
        let recovering = self.output.sack_recovery && !self.congestion.covers_recover(ack.next);
        let (snd_una, snd_nxt) = (self.seq.snd_una, self.seq.snd_nxt);
        let Some(rack) = &mut sack.rack else {
            let edge = mark_lost(profile, &mut sack.board, ack.next, delta);
            let dupacks = u32::from(self.congestion.dupacks);
            return dupacks >= profile.dupack_threshold || edge > ack.next;
        };
        sack.board.high_rxt = sack.board.high_rxt.max(snd_una);
        let dsack = ack.dsack().is_some_and(|block| {
            // `tcp_dsack_seen`: only what reordering may have caused, and no probe.
            let of_probe = sack.probe.is_some_and(|probe| probe.ends_with(block));
            !profile.follows_linux() || (rack.reordering_seen && !of_probe)
        });
        rack.adapt_reo_wnd(dsack, snd_una, snd_nxt);
        delta.lost = core::mem::take(&mut rack.lost_by_timer);
        delta.lost += self.detect_losses_by_time(profile, sack, recovering, now);
        sack.board.has_losses(snd_una)
    }

    /// Reports to the controller what was delivered; `cwnd` does not grow while `recovering`.
    pub(super) fn report_ack(
        &mut self,
        profile: &Profile,
        sack: &mut SackState,
        delta: &AckDelta,
        recovering: bool,
        now: Nanos,
    ) {
        if delta.delivered == 0 {
            return;
        }
        let rate = sack.rate.as_mut();
        let cwnd_limited = self.congestion.is_cwnd_limited();
        self.congestion.control.on_ack(&AckSample {
            now,
            segments: delta.delivered,
            marked: delta.marked,
            in_flight: delta.in_flight,
            snd_una: self.seq.snd_una,
            snd_max: self.seq.snd_max,
            rtt: delta.rtt,
            newest_rtt: delta.newest_rtt.or(delta.rtt),
            srtt: self.rto.srtt(profile),
            pacing_wait: self.output.pacing_wait(now),
            cwnd_limited,
            recovering,
            rate_sample: rate.and_then(|rate| rate.take(delta.lost)),
        });
    }

    /// [`Tcb::update_send_window`] with the scoreboard: by `pipe` during a proportional
    /// reduction (RFC 9937), and beyond what SACK blocks report (RFC 3042).
    pub(in crate::tcp) fn update_send_window_sack(
        &mut self,
        profile: &Profile,
        sack: &mut SackState,
    ) {
        self.update_send_window(profile);
        let board = &mut sack.board;
        if self.output.sack_recovery {
            board.count_pipe(self.seq.snd_una, self.seq.snd_max);
        }
        if let Some(prr) = &sack.prr {
            let pipe = self.pipe(board);
            let grant = prr.grant(self.congestion.whole_cwnd(), pipe, self.segments_sent());
            let rwnd = profile.receiver_window;
            let window = (pipe + grant).min(rwnd);
            self.congestion.send_window = window;
            self.seq.limit_to((window + board.sacked()).min(rwnd));
        } else if profile.limited_transmit && !self.output.sack_recovery {
            let window = self.congestion.send_window.saturating_add(board.sacked());
            self.seq.limit_to(window.min(profile.receiver_window));
            self.seq.limit_burst(profile.max_burst.unwrap_or(u32::MAX));
        }
    }

    /// The number to send next during recovery (RFC 6675, 4, NextSeg).
    pub(in crate::tcp) fn next_seg(&self, profile: &Profile, board: &Scoreboard) -> Option<u32> {
        if board.pipe >= self.congestion.send_window as i32 {
            return None;
        }
        if board.holds_retransmissions {
            let limit = self.seq.limit_of(profile.receiver_window);
            return (self.seq.snd_nxt < limit).then_some(self.seq.snd_nxt);
        }
        let ns2 = profile.rules == Rules::Ns2;
        let from = board.high_rxt.max(self.seq.snd_una);
        let lost_below = if ns2 {
            board.highest()
        } else {
            board.lost_below.min(self.seq.snd_max)
        };
        // Rule 1, and retransmissions that were lost.
        let lost = board
            .lost_retransmission()
            .or_else(|| board.hole(from, lost_below));
        // Rule 2.
        let limit = self.seq.limit_of(profile.receiver_window);
        let new = (self.seq.snd_nxt < limit).then_some(self.seq.snd_nxt);
        let next = lost.or(new);
        if next.is_some() || ns2 || profile.uses_rack() || !self.congestion.in_fast_recovery() {
            return next;
        }
        // Rules 3 and 4.
        let rescue = || {
            board
                .last_hole(self.seq.snd_max)
                .filter(|last| *last >= from)
        };
        board
            .hole(from, board.highest())
            .or_else(|| match board.rescue_sent {
                false => rescue(),
                true => None,
            })
    }

    /// Takes note of `number`, sent during recovery.
    pub(in crate::tcp) fn on_sent_in_sack_recovery(&mut self, board: &mut Scoreboard, number: u32) {
        board.pipe += 1;
        if number < board.highest().max(board.lost_below) {
            board.on_retransmitted(number, self.seq.snd_max);
        } else if number < self.seq.snd_nxt {
            board.rescue_sent = true;
        }
        self.seq.advance_nxt(number);
    }

    /// Takes note of the first retransmission of a recovery, which is sent whatever `pipe` is
    /// (RFC 6675, 5, step 4.3).
    pub(in crate::tcp) fn on_una_retransmitted(
        &mut self,
        profile: &Profile,
        board: &mut Scoreboard,
    ) {
        board.on_retransmitted(self.seq.snd_una, self.seq.snd_max);
        if profile.rules == Rules::Standard {
            board.pipe += 1;
        }
    }

    /// The retransmission timer expired: all that was not reported received counts as lost, or
    /// what RACK says.
    pub(in crate::tcp) fn on_rto_sack(
        &mut self,
        profile: &Profile,
        sack: &mut SackState,
        now: Nanos,
    ) {
        sack.prr = None;
        let board = &mut sack.board;
        board.holds_retransmissions = false;
        if profile.rules == Rules::Ns2 {
            board.clear();
            self.output.sack_recovery = false;
            return;
        }
        self.seq.snd_nxt = self.seq.snd_max; // The scoreboard chooses what is retransmitted.
        self.output.sack_recovery = self.seq.snd_una < self.seq.snd_max;
        if sack.rack.is_some() {
            self.loss_timer = LossTimer::OFF;
            return self.on_rto_with_rack(profile, sack, now);
        }
        board.raise_lost_below(self.seq.snd_una, self.seq.snd_max);
        board.begin_repair(self.seq.snd_una);
        board.count_pipe(self.seq.snd_una, self.seq.snd_max);
        self.report_losses(sack, now);
    }

    /// Reports segments newly detected as lost to a controller that wants to know of each.
    pub(in crate::tcp) fn report_losses(&mut self, sack: &mut SackState, now: Nanos) {
        let SackState { board, rate, .. } = sack;
        if let (Some(rate), Some(lost)) = (rate, board.newly_lost()) {
            for number in lost.drain(..) {
                self.congestion.control.on_loss(&rate.on_lost(number, now));
            }
        }
    }
}

/// Whether `cwnd` also grows for segments that only SACK blocks report, as Linux has it once more
/// reordering was seen than DupThresh allows for (`tcp_may_raise_cwnd`).
fn grows_by_sack(profile: &Profile, sack: &SackState, delta: &AckDelta) -> bool {
    let reordered = |rack: &Rack| rack.reordering > profile.dupack_threshold;
    profile.follows_linux()
        && profile.undoes()
        && delta.newly_sacked > 0
        && sack.rack.as_ref().is_some_and(reordered)
}

/// Finds what an acknowledgment up to `next` shows to be lost, and counts it in `delta`; returns
/// the [lost edge](Scoreboard::lost_edge).
fn mark_lost(profile: &Profile, board: &mut Scoreboard, next: u32, delta: &mut AckDelta) -> u32 {
    board.high_rxt = board.high_rxt.max(next);
    let edge = board.lost_edge(profile.dupack_threshold);
    if edge > board.lost_below {
        delta.lost = board.raise_lost_below(next, edge);
    }
    if profile.lost_retransmissions {
        delta.lost += board.detect_lost_retransmissions(next, edge);
    }
    edge
}
