//! Selective acknowledgments: which hole to fill when (RFC 6675).
//!
//! ```text
//! a hole is lost   when 3 segments beyond it arrived, or 3 duplicates told of it
//! pipe             segments neither arrived nor lost, and those sent again
//! while pipe < W   send the first lost hole not sent again yet; else new data;
//!                  else the next hole, lost or not; else once the last segment
//! ```
//! A segment sent again is lost again when 3 sent after it for the first time arrived:
//! the part of RFC 8985 that does without timestamps. The window is not cut again for it.
//! After a timeout all that is not known to have arrived counts as lost, and is sent
//! again in slow start by the same rule. What the receiver reported is kept: it does
//! not renege here.
//!
//! ns-2's Sack1 differs: every hole below the highest segment that arrived is sent
//! again; `pipe` starts at what is outstanding less 3 and goes down by 1 with each
//! duplicate and by 2 with an acknowledgment of a part; a timeout, and any new
//! acknowledgment outside recovery, clear the scoreboard, and after a timeout
//! duplicates tell nothing; the window does not grow when recovery ends.

use earlydrop::units::Nanos;

use super::Ack;
use super::control::{Acked, Control, Signal};
use super::delivery::Deliveries;
use super::profile::{EcnMode, Growth, Profile, Reduction, Rules};
use super::reduction::Proportion;
use super::scoreboard::Scoreboard;
use super::sender::{Last, Sender};

/// What only senders with selective acknowledgments need, and among them those whose
/// controller measures the delivery rate.
#[derive(Clone, Debug)]
pub(super) struct Extra {
    pub(super) board: Scoreboard,
    pub(super) deliveries: Option<Deliveries>,
    /// While a window that was cut comes into force little by little.
    pub(super) reduction: Option<Proportion>,
}

impl Extra {
    /// Nothing known yet; with records of deliveries when they are to be `measured`.
    pub(super) fn boxed(measured: bool, now: Nanos) -> Box<Extra> {
        Box::new(Extra {
            board: Scoreboard::default(),
            deliveries: measured.then(|| Deliveries::new(now)),
            reduction: None,
        })
    }

    /// A new connection: everything is forgotten, but not the memory it took.
    pub(super) fn restart(&mut self, now: Nanos) {
        self.board.clear();
        self.reduction = None;
        if let Some(deliveries) = &mut self.deliveries {
            deliveries.restart(now);
        }
    }
}

/// What an acknowledgment says, compared with what was known.
struct News {
    /// Segments delivered, in turn or out of it.
    delivered: u32,
    /// Segments among them that arrived out of turn.
    out_of_turn: u32,
    in_flight: u32,
    window_limited: bool,
    rtt: Option<Nanos>,
    /// Holes that became lost.
    lost: u32,
}

impl Sender {
    /// An acknowledgment arrived, of a sender with selective acknowledgments.
    pub(super) fn on_selective_ack(
        &mut self,
        profile: &Profile,
        extra: &mut Extra,
        ack: &Ack,
        now: Nanos,
    ) {
        if let Some(deliveries) = &mut extra.deliveries {
            for number in self.acknowledged..ack.next {
                deliveries.on_delivered(number, now);
            }
        }
        let in_flight = self.pipe(&extra.board);
        let known = extra.board.acknowledge(ack.next);
        let out_of_turn = self.take_ranges(profile, extra, ack, now);
        let mut news = News {
            delivered: ack.next - self.acknowledged - known + out_of_turn,
            out_of_turn,
            in_flight,
            window_limited: in_flight >= self.control.window() as u32,
            rtt: None,
            lost: 0,
        };
        match profile.rules {
            Rules::Standard => self.on_selective(profile, extra, ack, &mut news, now),
            Rules::Ns2 => self.on_selective_as_ns2(profile, extra, ack, &news, now),
        }
    }

    /// Takes down the ranges an acknowledgment reports; how many segments are new.
    fn take_ranges(&self, profile: &Profile, extra: &mut Extra, ack: &Ack, now: Nanos) -> u32 {
        let Extra {
            board, deliveries, ..
        } = extra;
        if self.timed_out && profile.rules == Rules::Ns2 {
            return 0;
        }
        let mut new = 0;
        for range in ack.sacked {
            if range.from > ack.next && range.from < range.to && range.to <= self.sent {
                new += board.add(*range, |number| {
                    if let Some(deliveries) = deliveries {
                        deliveries.on_delivered(number, now);
                    }
                });
            }
        }
        new
    }

    /// Segments on their way, as far as can be told.
    pub(super) fn pipe(&self, board: &Scoreboard) -> u32 {
        if self.selective {
            board.pipe.max(0) as u32
        } else {
            (self.next - self.acknowledged).saturating_sub(board.sacked())
        }
    }

    fn on_selective(
        &mut self,
        profile: &Profile,
        extra: &mut Extra,
        ack: &Ack,
        news: &mut News,
        now: Nanos,
    ) {
        let covered = ack.next - self.acknowledged;
        let in_turn = covered > 0;
        if in_turn {
            self.acknowledged = ack.next;
            self.next = self.next.max(ack.next);
            self.duplicates = 0;
            self.timed_out = false;
            news.rtt = self.measure(profile, ack, now);
            self.rearm_after_news(profile, now);
        } else if news.out_of_turn > 0 {
            self.duplicates += 1;
        }
        let board = &mut extra.board;
        board.repaired = board.repaired.max(ack.next);
        let edge = board.lost_edge(profile.duplicate_threshold);
        if edge > board.lost_below {
            news.lost = board.holes(board.lost_below.max(ack.next), edge);
            board.lost_below = edge;
        }
        if profile.lost_retransmissions {
            news.lost += board.find_lost_again(ack.next, edge);
        }
        if let Some(reduction) = &mut extra.reduction {
            reduction.on_ack(news.delivered, in_turn && news.lost == 0);
        }
        let repairing = self.last == Last::FastRecovery;
        let ends = ack.next + 1 >= self.bar;
        let as_ns3 = profile.growth == Growth::CountedAsNs3;
        let reducing = extra.reduction.is_some() && !ends;
        let echoed = ack.ece && profile.ecn == EcnMode::Classic;
        if repairing && ends && as_ns3 {
            news.delivered = covered;
            self.report(profile, extra, ack, news, false, now);
        } else {
            let frozen = repairing || reducing || !in_turn || echoed;
            self.report(profile, extra, ack, news, frozen, now);
        }
        if self.selective && ends {
            self.selective = false;
            if repairing {
                self.last = Last::Recovered;
                self.control.on_recovered(now);
            }
        }
        if ends {
            extra.reduction = None;
        }
        let lost = self.duplicates >= profile.duplicate_threshold || edge > ack.next;
        if lost && !self.selective {
            self.repair(profile, extra, news.delivered, now);
        }
        self.refresh_selective(profile, extra);
    }

    /// Tells the controller what was delivered.
    fn report(
        &mut self,
        profile: &Profile,
        extra: &mut Extra,
        ack: &Ack,
        news: &News,
        recovering: bool,
        now: Nanos,
    ) {
        if news.delivered == 0 {
            return;
        }
        let delivery = extra.deliveries.as_mut();
        self.control.on_acked(&Acked {
            now,
            segments: news.delivered,
            marked: self.marked(profile, ack, news.delivered),
            in_flight: news.in_flight,
            rtt: news.rtt,
            smoothed_rtt: self.smoothed_rtt(profile),
            window_limited: news.window_limited,
            recovering,
            delivery: delivery.and_then(|deliveries| deliveries.take(news.lost)),
        });
    }

    /// The first unacknowledged segment is lost: cuts the window where this is news,
    /// and begins to fill holes.
    fn repair(&mut self, profile: &Profile, extra: &mut Extra, delivered: u32, now: Nanos) {
        let outstanding = self.outstanding();
        // RFC 6675, section 5.1: as soon as the recovery point is reached.
        if self.acknowledged + 1 >= self.bar {
            self.cut(profile, Signal::Loss, outstanding, now);
        } else if self.last != Last::Mark {
            return;
        }
        self.bar = self.sent + 1;
        self.begin_repair(now);
        self.selective = true;
        if profile.reduction == Reduction::Proportional {
            let flight = outstanding - extra.board.sacked() + delivered;
            let reduction = Proportion::begin(flight, delivered, self.segments());
            extra.reduction = Some(reduction);
        }
        let board = &mut extra.board;
        board.begin_repair(self.acknowledged);
        board.lost_below = board.lost_below.max(self.acknowledged + 1);
    }

    pub(super) fn refresh_selective(&mut self, profile: &Profile, extra: &mut Extra) {
        self.refresh(profile);
        let board = &mut extra.board;
        if self.selective {
            board.count_pipe(self.acknowledged, self.sent);
        }
        if let Some(reduction) = &extra.reduction {
            let pipe = self.pipe(board);
            let window = self.control.window() as u32;
            let grant = reduction.grant(window, pipe, self.segments());
            self.allowed = (pipe + grant).min(profile.receiver_window);
            let out = self.allowed + board.sacked();
            self.stop = self.stop_at(out.min(profile.receiver_window));
        } else if profile.limited_transmit && !self.selective {
            let out = self.allowed.saturating_add(board.sacked());
            self.stop = self.stop_at(out.min(profile.receiver_window));
            self.limit_burst(profile.max_burst.unwrap_or(u32::MAX));
        }
    }

    /// The segment to send next while holes are being filled.
    pub(super) fn choose(&self, profile: &Profile, board: &Scoreboard) -> Option<u32> {
        if board.pipe >= self.allowed as i32 {
            return None;
        }
        let ns2 = profile.rules == Rules::Ns2;
        let from = board.repaired.max(self.acknowledged);
        let lost_below = if ns2 {
            board.highest()
        } else {
            board.lost_below.min(self.sent)
        };
        let lost = board.lost_again().or_else(|| board.hole(from, lost_below));
        let within = self.stop_at(profile.receiver_window);
        let new = (self.next < within).then_some(self.next);
        let chosen = lost.or(new);
        if chosen.is_some() || ns2 || self.last != Last::FastRecovery {
            return chosen;
        }
        let rescue = || board.last_hole(self.sent).filter(|last| *last >= from);
        board
            .hole(from, board.highest())
            .or_else(|| match board.rescued {
                false => rescue(),
                true => None,
            })
    }

    /// `number` is sent while holes are being filled.
    pub(super) fn on_chosen(&mut self, board: &mut Scoreboard, number: u32) {
        board.pipe += 1;
        if number < board.highest().max(board.lost_below) {
            board.on_resent(number, self.sent);
        } else if number < self.next {
            board.rescued = true;
        }
        self.next = self.next.max(number + 1);
    }

    /// The first hole is sent again, at the start of recovery and whatever the pipe.
    pub(super) fn on_first_repair(&mut self, profile: &Profile, board: &mut Scoreboard) {
        board.on_resent(self.acknowledged, self.sent);
        if profile.rules == Rules::Standard {
            board.pipe += 1;
        }
    }

    /// The retransmission timer ran out.
    pub(super) fn on_timeout_selective(&mut self, profile: &Profile, extra: &mut Extra) {
        extra.reduction = None;
        let board = &mut extra.board;
        if profile.rules == Rules::Ns2 {
            board.clear();
            self.selective = false;
            return;
        }
        self.next = self.sent;
        self.selective = self.acknowledged < self.sent;
        board.lost_below = self.sent;
        board.begin_repair(self.acknowledged);
        board.count_pipe(self.acknowledged, self.sent);
    }

    fn on_selective_as_ns2(
        &mut self,
        profile: &Profile,
        extra: &mut Extra,
        ack: &Ack,
        news: &News,
        now: Nanos,
    ) {
        let board = &mut extra.board;
        board.pipe -= 1;
        let in_turn = ack.next > self.acknowledged;
        if self.selective && in_turn && ack.next + 1 < self.bar {
            self.acknowledged = ack.next;
            self.next = self.next.max(ack.next);
            board.pipe -= 1;
            self.rearm(now);
            self.timer.end_backoff(&profile.timer, profile.rules);
        } else if in_turn {
            let told_otherwise = ack.ece && profile.ecn == EcnMode::Classic;
            let repairing = self.selective;
            self.advance(profile, ack, now, repairing || told_otherwise);
            self.selective = false;
            if repairing {
                self.last = Last::Recovered;
                self.bar = self.first;
            }
            board.clear();
        } else if news.out_of_turn > 0 {
            self.duplicates += 1;
            return self.on_duplicate_as_ns2(profile, board, now);
        } else if !self.selective {
            return;
        }
        self.refresh(profile);
    }

    fn on_duplicate_as_ns2(&mut self, profile: &Profile, board: &mut Scoreboard, now: Nanos) {
        let threshold = profile.duplicate_threshold;
        if self.selective || self.duplicates > threshold {
            return;
        }
        if self.duplicates < threshold {
            if profile.limited_transmit {
                self.transmit_one_more(profile);
            }
            return;
        }
        let fresh = self.acknowledged >= self.bar || self.acknowledged == self.first + 1;
        if fresh {
            self.bar = self.sent + 1;
            self.cut(profile, Signal::Loss, self.outstanding(), now);
        } else if self.last != Last::Mark {
            return;
        }
        self.begin_repair(now);
        self.selective = true;
        board.begin_repair(self.acknowledged);
        board.pipe = (self.sent - self.acknowledged) as i32 - threshold as i32;
        self.refresh(profile);
    }
}
