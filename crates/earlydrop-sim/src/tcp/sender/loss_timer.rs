//! The timer of RACK-TLP (RFC 8985): the probe timeout PTO, or the reordering timer. At most one
//! of them runs, and it expires before the retransmission timer does.
//!
//! What happens when it expires is in `rack.rs` and `tlp.rs`.

use earlydrop::units::Nanos;

use super::super::tlp::{MAX_ACK_DELAY, PTO_WITHOUT_RTT};
use super::{Profile, SackState, Sender};

/// Which timer runs, or may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tcp) enum LossTimer {
    /// None, and new data arms none: without RACK, in recovery, while a probe is in flight.
    Off,
    /// None; new data arms PTO.
    Idle,
    /// PTO (RFC 8985, 7.2).
    Probe,
    /// The reordering timer (RFC 8985, 6.2, step 5).
    Reordering,
}

/// The unit of [`Lead`]: 2^4 ns.
const UNIT: u32 = 4;

/// How long before the retransmission timer this one expires, in units of 16 ns; 0: it does not
/// run. A difference takes half of a time's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Lead(u32);

impl Lead {
    /// From `at` to `rto_expiry`, at least one unit and at most 68 s.
    #[inline(always)]
    fn between(at: Nanos, rto_expiry: Nanos) -> Lead {
        let lead = rto_expiry.0.saturating_sub(at.0) >> UNIT;
        Lead(lead.clamp(1, u32::MAX.into()) as u32)
    }

    /// The time so long before `rto_expiry`.
    #[inline(always)]
    pub(super) fn before(self, rto_expiry: Nanos) -> Nanos {
        Nanos(rto_expiry.0 - (u64::from(self.0) << UNIT))
    }
}

impl Sender {
    /// Whether the timer has expired.
    #[inline]
    pub(in crate::tcp) fn loss_timer_expired(&self, now: Nanos) -> bool {
        self.loss_timer_lead != Lead(0) && now >= self.loss_timer_lead.before(self.rto_expiry)
    }

    /// Which timer runs.
    #[inline(always)]
    pub(in crate::tcp) fn loss_timer(&self) -> LossTimer {
        self.loss_timer
    }

    /// Stops the timer.
    #[inline]
    pub(in crate::tcp) fn stop_loss_timer(&mut self, next: LossTimer) {
        self.loss_timer = next;
        self.loss_timer_lead = Lead(0);
    }

    /// Lets new data arm PTO from now on, if losses are detected by time.
    pub(in crate::tcp) fn enable_probes(&mut self) {
        let by_time = self.sack.as_ref().is_some_and(|sack| sack.rack.is_some());
        if by_time && !self.syn_sent {
            self.stop_loss_timer(LossTimer::Idle);
        }
    }

    /// Arms PTO while segments are in flight (RFC 8985, 7.2, TLP_calc_PTO).
    #[inline(always)]
    pub(in crate::tcp) fn arm_probe(&mut self, now: Nanos) {
        let in_flight = self.flight_size();
        if in_flight == 0 {
            return self.stop_loss_timer(LossTimer::Idle);
        }
        let mut pto = self.rto.twice_srtt().unwrap_or(PTO_WITHOUT_RTT);
        if in_flight == 1 && pto != PTO_WITHOUT_RTT {
            pto += MAX_ACK_DELAY;
        }
        self.loss_timer = LossTimer::Probe;
        self.loss_timer_lead = Lead::between(now + pto, self.rto_expiry);
    }

    /// New data is sent at `now`: arms PTO anew, where it may run.
    #[inline(always)]
    pub(super) fn arm_probe_for_new_data(&mut self, now: Nanos) {
        if matches!(self.loss_timer, LossTimer::Idle | LossTimer::Probe) {
            self.arm_probe(now);
        }
    }

    /// Arms the reordering timer to expire `timeout` from now, unless the retransmission timer
    /// expires by then.
    fn arm_reordering_timer(&mut self, timeout: Nanos, now: Nanos) {
        self.loss_timer = LossTimer::Reordering;
        self.loss_timer_lead = Lead::between(now + timeout, self.rto_expiry);
        if self.loss_timer_lead.before(self.rto_expiry) <= now {
            self.stop_loss_timer(LossTimer::Off);
        }
    }

    /// Fast path: new data was acknowledged at `now` with round trip `rtt`, and nothing is lost.
    #[inline(always)]
    pub(in crate::tcp) fn restart_probe(&mut self, rtt: Option<Nanos>, now: Nanos) {
        if let Some(sack) = &mut self.sack
            && let Some(rack) = &mut sack.rack
        {
            rack.min_rtt = rack.min_rtt.min(rtt.unwrap_or(Nanos::NEVER));
        }
        self.arm_probe(now);
    }

    /// Decides which timer runs after an acknowledgment, by which `acked` segments were
    /// acknowledged cumulatively, or after a timer.
    pub(in crate::tcp) fn choose_loss_timer(&mut self, sack: &SackState, acked: u32, now: Nanos) {
        let Some(rack) = &sack.rack else { return };
        let repairs = self.sack_recovery || sack.board.sacked() > 0;
        if repairs && rack.timeout > Nanos::ZERO {
            self.arm_reordering_timer(rack.timeout, now);
        } else if repairs || rack.probe.is_some() {
            self.stop_loss_timer(LossTimer::Off);
        } else if acked > 0 || self.loss_timer != LossTimer::Probe {
            self.arm_probe(now);
        }
    }

    /// Lets one segment of new data be sent now, whatever `cwnd` and pacing say; `false`: there is
    /// none, or `rwnd` does not allow it.
    pub(in crate::tcp) fn allow_one_segment(&mut self, profile: &Profile) -> bool {
        let allowed = self.snd_nxt < self.limit_of(profile.receiver_window);
        if allowed {
            self.snd_limit = self.snd_nxt + 1;
            self.pacing_blocked = false;
            self.pacing_release = Default::default();
        }
        allowed
    }
}
