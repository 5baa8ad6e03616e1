//! Congestion state: where a sender stands in loss recovery.

use earlydrop::units::Nanos;

use super::{Control, SackState, Sender};

/// The last congestion event; compare Linux's `tcp_ca_state`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tcp) enum CongestionState {
    /// None since the connection began.
    Open,
    /// `cwnd` was reduced for a loss, which is being repaired.
    FastRecovery,
    /// Fast recovery has ended. Tahoe, which has none, is here as soon as it retransmits.
    Recovered,
    /// The retransmission timer expired.
    Timeout,
    /// `cwnd` was reduced for a mark (ECE).
    Cwr,
}

impl Sender {
    /// The last congestion event.
    #[inline]
    pub(in crate::tcp) fn state(&self) -> CongestionState {
        self.state
    }

    /// Whether a loss is being repaired (RFC 5681, 3.2).
    #[inline]
    pub(in crate::tcp) fn in_fast_recovery(&self) -> bool {
        self.state == CongestionState::FastRecovery
    }

    /// Whether the scoreboard chooses what is sent (RFC 6675).
    #[inline]
    pub(in crate::tcp) fn in_sack_recovery(&self) -> bool {
        self.sack_recovery
    }

    /// Whether the SYN is not acknowledged yet (RFC 9293, SYN-SENT).
    #[inline]
    pub(in crate::tcp) fn in_syn_sent(&self) -> bool {
        self.syn_sent
    }

    /// Whether an acknowledgment up to `next` covers a segment sent after the last reduction,
    /// so that another may follow (RFC 6582, 3.2, step 2: "covers more than recover").
    #[inline]
    pub(in crate::tcp) fn covers_more_than_recover(&self, next: u32) -> bool {
        next >= self.recover
    }

    /// Whether an acknowledgment up to `next` covers all that was sent before the last
    /// reduction: a full acknowledgment (RFC 6582, 3.2, step 3).
    #[inline]
    pub(in crate::tcp) fn covers_recover(&self, next: u32) -> bool {
        next + 1 >= self.recover
    }

    /// Sets `recover` from the highest number sent (RFC 6582, 3.2, step 2), in the numbering of
    /// the field `recover`.
    #[inline]
    pub(in crate::tcp) fn set_recover(&mut self) {
        self.recover = self.snd_max + 1;
    }

    /// Begins a reduction for a mark: one for each window of data (RFC 3168, 6.1.2).
    pub(in crate::tcp) fn enter_cwr(&mut self) {
        self.set_recover();
        self.state = CongestionState::Cwr;
        self.counts.marks += 1;
    }

    /// Enters fast recovery: `snd_una` is retransmitted next (RFC 5681, 3.2, step 3).
    #[inline]
    pub(in crate::tcp) fn enter_recovery(&mut self, now: Nanos) {
        self.fast_retransmit(now);
        self.state = CongestionState::FastRecovery;
        self.retransmit_una = true;
    }

    /// Lets the oldest segment, or a probe, be retransmitted now, whatever the window is.
    pub(in crate::tcp) fn retransmit_una_now(&mut self) {
        self.retransmit_una = self.snd_una < self.snd_max;
    }

    /// Takes back [`Sender::retransmit_una_now`].
    pub(in crate::tcp) fn cancel_retransmit_una(&mut self) {
        self.retransmit_una = false;
    }

    /// Takes note of a loss that is repaired already, for which `cwnd` was reduced.
    pub(in crate::tcp) fn note_repaired_loss(&mut self, now: Nanos) {
        self.set_recover();
        self.counts.recoveries += 1;
        self.exit_recovery(now);
    }

    /// Enters recovery by the scoreboard (RFC 6675, 5, step 4).
    pub(in crate::tcp) fn enter_sack_recovery(&mut self, now: Nanos) {
        self.set_recover();
        self.enter_recovery(now);
        self.sack_recovery = true;
    }

    /// Retransmits from `snd_una` on in slow start, without fast recovery: Tahoe.
    pub(in crate::tcp) fn enter_tahoe_slow_start(&mut self, now: Nanos) {
        self.fast_retransmit(now);
        self.state = CongestionState::Recovered;
        self.rewind_to_una();
    }

    /// Counts a loss detected without the timer, and restarts the timer.
    fn fast_retransmit(&mut self, now: Nanos) {
        self.counts.recoveries += 1;
        self.rtt_pending = false;
        self.rearm_rto(now);
    }

    /// Leaves fast recovery: the loss is repaired.
    #[inline]
    pub(in crate::tcp) fn exit_recovery(&mut self, now: Nanos) {
        self.state = CongestionState::Recovered;
        self.control.on_recovery_end(now);
    }

    /// Leaves fast recovery as ns-2's Sack1, which allows the next reduction at once.
    pub(in crate::tcp) fn exit_recovery_as_ns2(&mut self) {
        self.state = CongestionState::Recovered;
        self.recover = self.iss;
    }

    /// Sets whether the scoreboard chooses what is sent.
    pub(in crate::tcp) fn set_sack_recovery(&mut self, on: bool) {
        self.sack_recovery = on;
    }

    /// Takes note of a partial acknowledgment (RFC 6582): the segment it expects is
    /// retransmitted next. Answers whether it is the first of this recovery.
    #[inline]
    pub(in crate::tcp) fn note_partial_ack(&mut self) -> bool {
        self.retransmit_una = true;
        !core::mem::replace(&mut self.partial_ack_seen, true)
    }

    /// Deflates `cwnd`: what was sent before recovery is acknowledged (RFC 6582, 3.2, step 3).
    #[inline]
    pub(in crate::tcp) fn end_inflation(&mut self) {
        self.inflation = 0;
        self.partial_ack_seen = false;
    }

    /// Duplicate acknowledgments in a row.
    #[inline(always)]
    pub(in crate::tcp) fn dupacks(&self) -> u32 {
        self.dupacks.into()
    }

    #[inline]
    pub(in crate::tcp) fn set_dupacks(&mut self, dupacks: u32) {
        self.dupacks = dupacks.min(u16::MAX.into()) as u16;
    }

    /// Counts a duplicate acknowledgment; answers how many came in a row.
    #[inline(always)]
    pub(in crate::tcp) fn count_dupack(&mut self) -> u32 {
        self.dupacks = self.dupacks.saturating_add(1);
        self.dupacks()
    }

    /// Forgets duplicates, inflation and timed segment: the retransmission timer expired.
    pub(in crate::tcp) fn enter_timeout(&mut self) {
        self.rtt_pending = false;
        self.dupacks = 0;
        self.end_inflation();
        self.retransmit_una = false;
        self.set_recover();
        self.state = CongestionState::Timeout;
    }

    /// Counts a timeout with segments outstanding; answers whether the timer expired before for
    /// the same `snd_una`.
    pub(in crate::tcp) fn count_timeout(&mut self) -> bool {
        self.counts.timeouts += 1;
        self.first_segment_lost |= self.snd_una == self.iss;
        core::mem::replace(&mut self.rto_repeats, true)
    }

    /// Whether nothing was acknowledged since the retransmission timer expired.
    #[inline]
    pub(in crate::tcp) fn awaits_ack_after_timeout(&self) -> bool {
        self.rto_repeats
    }

    /// Notes whether an ECE found `cwnd` at 1; answers whether the acknowledgment before did (ns-2).
    #[inline]
    pub(in crate::tcp) fn note_ece_at_cwnd_one(&mut self, at_one: bool) -> bool {
        core::mem::replace(&mut self.ece_at_cwnd_one, at_one)
    }

    /// Decides whether acknowledgments of new data may take the fast path from here on.
    #[inline]
    pub(in crate::tcp) fn choose_ack_path(&mut self) {
        let sack = self.sack.as_ref();
        let by_sack = sack.is_some_and(|sack| self.sack_recovery || sack.must_see_acks());
        self.ack_slow_path = self.syn_sent || self.in_fast_recovery() || by_sack;
    }

    /// Whether acknowledgments of new data must take the slow path.
    #[inline(always)]
    pub(in crate::tcp) fn ack_slow_path(&self) -> bool {
        self.ack_slow_path
    }

    #[inline(always)]
    pub(in crate::tcp) fn has_sack(&self) -> bool {
        self.sack.is_some()
    }

    /// Calls `f` with the scoreboard's state taken out, where there is one.
    #[inline(always)]
    pub(in crate::tcp) fn with_sack(
        &mut self,
        f: impl FnOnce(&mut Sender, &mut SackState),
    ) -> bool {
        let Some(mut sack) = self.sack.take() else {
            return false;
        };
        f(self, &mut sack);
        self.sack = Some(sack);
        true
    }
}
