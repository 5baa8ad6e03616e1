//! Which segment is sent next, and when.
//!
//! The fast path sends new data below the send limit. The slow path asks the scoreboard
//! (RFC 6675), retransmits, and paces.

use earlydrop::packet::Ecn;
use earlydrop::units::Nanos;

use super::super::settings::EcnFeedback;
use super::{Control, Profile, Rules, SackState, Scoreboard, Segment, Sender};
use crate::fine_time::FineTime;

impl Sender {
    /// The next segment to send now, if there is one. To be called after every other call,
    /// until there is none.
    #[inline]
    pub fn poll_transmit(&mut self, profile: &Profile, now: Nanos) -> Option<Segment> {
        if self.sends_by_slow_path() {
            return self.poll_transmit_slow(profile, now);
        }
        if self.snd_nxt >= self.snd_limit {
            return None;
        }
        if self.snd_una == self.snd_max {
            self.start_flight(profile, now);
        }
        let number = self.snd_nxt;
        self.snd_nxt += 1;
        let segment = self.emit(profile, number, now);
        self.record_new_data(number, now);
        Some(segment)
    }

    /// Records when new data is sent, if losses are detected by time (RFC 8985, 6.1).
    #[inline(always)]
    fn record_new_data(&mut self, number: u32, now: Nanos) {
        if let Some(sack) = &mut self.sack
            && let Some(rack) = &mut sack.rack
        {
            rack.times.record(self.snd_una, number, false, now);
        }
    }

    /// Fast path: the number of the next segment, of a sender that
    /// [may have more](Sender::may_have_more), if it is new data with no flag to set and a
    /// running retransmission timer. `None` means nothing was done.
    #[inline(always)]
    pub fn poll_transmit_fast(&mut self, now: Nanos) -> Option<u32> {
        let slow = self.sends_by_slow_path() || self.syn_sent | self.cwr_pending;
        let number = self.snd_nxt;
        let continues = number == self.snd_max && number != self.snd_una;
        if slow || !continues || self.rto_expiry == Nanos::NEVER {
            return None;
        }
        self.snd_nxt = number + 1;
        self.snd_max = number + 1;
        self.time_segment(number, now);
        self.last_sent_at = now;
        self.record_new_data(number, now);
        self.arm_probe_for_new_data(now);
        Some(number)
    }

    /// Whether [`Sender::poll_transmit`] may have another segment now; else it has none.
    #[inline]
    pub fn may_have_more(&self) -> bool {
        self.sends_by_slow_path() || self.snd_nxt < self.snd_limit
    }

    /// Whether more than the send limit decides what is sent. The four flags are adjacent, and
    /// are tested by one comparison.
    #[inline(always)]
    fn sends_by_slow_path(&self) -> bool {
        let Sender {
            retransmit_una,
            sack_recovery,
            paced,
            pacing_blocked,
            ..
        } = self;
        let flags = [*retransmit_una, *sack_recovery, *paced, *pacing_blocked];
        u32::from_ne_bytes(flags.map(u8::from)) != 0
    }

    /// The next segment of a sender that repairs a loss, paces, or records deliveries.
    #[cold]
    fn poll_transmit_slow(&mut self, profile: &Profile, now: Nanos) -> Option<Segment> {
        let Some(mut sack) = self.sack.take() else {
            let number = self.next_number(profile, &Scoreboard::default());
            return self.send_number(profile, number?, now);
        };
        let segment = self.poll_transmit_sack(profile, &mut sack, now);
        self.sack = Some(sack);
        segment
    }

    /// The next segment of a sender with a scoreboard, which takes note of it.
    fn poll_transmit_sack(
        &mut self,
        profile: &Profile,
        sack: &mut SackState,
        now: Nanos,
    ) -> Option<Segment> {
        let probe = sack.rack.as_ref().and_then(|rack| rack.probe);
        let probe = probe.and_then(|probe| probe.to_retransmit());
        let next = probe.or_else(|| self.next_number(profile, &sack.board));
        let in_flight = self.pipe(&sack.board);
        let Some(number) = next else {
            if let Some(rate) = &mut sack.rate
                && self.snd_nxt >= self.data_end
                && in_flight < self.send_window
            {
                rate.on_application_limited(in_flight);
            }
            return None;
        };
        let first_retransmission = self.retransmit_una;
        let segment = self.send_number(profile, number, now)?;
        if self.sack_recovery && first_retransmission {
            self.on_una_retransmitted(profile, &mut sack.board);
        } else if self.sack_recovery {
            self.on_sent_in_sack_recovery(&mut sack.board, number);
        }
        if let Some(rack) = &mut sack.rack {
            if let Some(probe) = &mut rack.probe {
                probe.on_sent();
            }
            rack.times
                .record(self.snd_una, number, segment.retransmission, now);
        }
        if let Some(rate) = &mut sack.rate {
            rate.on_sent(self.snd_una, number, in_flight, now);
        }
        Some(segment)
    }

    /// The number to send next, if the window lets one be sent.
    fn next_number(&self, profile: &Profile, board: &Scoreboard) -> Option<u32> {
        if self.retransmit_una {
            Some(self.snd_una)
        } else if self.sack_recovery {
            self.next_seg(profile, board)
        } else {
            (self.snd_nxt < self.snd_limit).then_some(self.snd_nxt)
        }
    }

    /// Sends `number`, unless pacing makes it wait.
    fn send_number(&mut self, profile: &Profile, number: u32, now: Nanos) -> Option<Segment> {
        if self.snd_una == self.snd_max {
            self.start_flight(profile, now);
        }
        if let Some(rate) = self.control.pacing_rate()
            && !self.pace(rate, now)
        {
            return None;
        }
        if !core::mem::take(&mut self.retransmit_una) && !self.sack_recovery {
            self.snd_nxt = number + 1;
        }
        Some(self.emit(profile, number, now))
    }

    /// Whether pacing at `rate` segments a second lets a segment be sent now. If so, the next one
    /// follows a gap later.
    #[inline(never)]
    fn pace(&mut self, rate: f64, now: Nanos) -> bool {
        self.pacing_blocked = now < self.pacing_release.nanos();
        if self.pacing_blocked {
            return false;
        }
        if self.pacing_release.nanos() < now {
            self.pacing_release = now.into();
        }
        self.pacing_release += FineTime::from_secs_f64(1.0 / rate);
        true
    }

    /// Ends what pacing waits for, once it is due.
    pub(in crate::tcp) fn release_pacing(&mut self, now: Nanos) {
        if self.pacing_blocked && now >= self.pacing_release.nanos() {
            self.pacing_blocked = false;
        }
    }

    /// Sending starts with nothing outstanding. After an idle time of more than RTO `cwnd` is
    /// the initial window at most (RFC 5681, 4.1).
    fn start_flight(&mut self, profile: &Profile, now: Nanos) {
        let rto = self.rto.rto();
        let idle = now.since(self.last_sent_at) > rto && self.snd_max > self.iss;
        if idle && profile.slow_start_restart && profile.rules == Rules::Standard {
            let initial = f64::from(profile.initial_window);
            self.control.on_restart(now, initial);
            self.update_send_window(profile);
        }
        self.rto_expiry = Nanos::NEVER;
    }

    /// Starts to time `number`, unless another segment is being timed (RFC 6298, 3).
    #[inline(always)]
    fn time_segment(&mut self, number: u32, now: Nanos) {
        if !self.rtt_pending {
            self.rtt_pending = true;
            self.rtt_seq = number;
            self.rtt_sent_at = now;
        }
    }

    #[inline]
    fn emit(&mut self, profile: &Profile, number: u32, now: Nanos) -> Segment {
        let new = number >= self.snd_max;
        let syn = self.syn_sent && number == self.iss;
        if new {
            self.snd_max = number + 1;
            self.time_segment(number, now);
        } else {
            self.counts.retransmissions += 1;
        }
        self.last_sent_at = now;
        // RFC 6298, 5.1: start the timer if it is not running.
        if self.rto_expiry == Nanos::NEVER {
            self.rto_expiry = now + self.rto.rto();
        }
        if new {
            self.arm_probe_for_new_data(now);
        }
        // RFC 3168, 6.1.5: retransmissions are not ECN-capable; nor are SYNs (6.1.1).
        let capable = !syn && (new || profile.ecn_on_retransmissions);
        // RFC 3168, 6.1.2: CWR on the first new data segment after the reduction.
        let cwr = self.cwr_pending && (new || profile.rules == Rules::Ns2);
        if cwr {
            self.cwr_pending = false;
        }
        Segment {
            number,
            size: if syn {
                profile.ack_size
            } else {
                profile.segment_size
            },
            retransmission: !new,
            ecn: if capable {
                profile.ecn.codepoint()
            } else {
                Ecn::NotCapable
            },
            cwr: cwr && profile.feedback() == Some(EcnFeedback::Classic),
            syn,
        }
    }
}
