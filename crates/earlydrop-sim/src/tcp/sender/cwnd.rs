//! The congestion window `cwnd`, and the send window that it allows.
//!
//! The controller (`control/`) holds `cwnd` and `ssthresh`. This file has the events that change
//! them, and the window in force: min(cwnd + inflation, rwnd).

use earlydrop::units::Nanos;

use super::{AckSample, CongestionEvent, Control, LostSegment, Profile, Sender, Signal};

/// The congestion window.
impl Sender {
    /// `cwnd`, segments.
    pub fn cwnd(&self) -> f64 {
        self.control.cwnd()
    }

    /// `ssthresh`, segments; infinite before the first congestion.
    pub fn ssthresh(&self) -> f64 {
        self.control.ssthresh()
    }

    /// `cwnd` in whole segments.
    #[inline(always)]
    pub(in crate::tcp) fn whole_cwnd(&self) -> u32 {
        self.control.cwnd() as u32
    }

    /// Lets the controller grow `cwnd` for data newly acknowledged.
    #[inline(always)]
    pub(in crate::tcp) fn grow_cwnd(&mut self, sample: &AckSample) {
        self.control.on_ack(sample);
    }

    /// Lets the controller know of a segment detected as lost.
    pub(in crate::tcp) fn take_loss(&mut self, lost: &LostSegment) {
        self.control.on_loss(lost);
    }

    /// Grows `cwnd` by one acknowledgment with ns-2's rules. `false` means nothing was done.
    #[inline(always)]
    pub(in crate::tcp) fn grow_cwnd_as_ns2(&mut self) -> bool {
        self.control.grow_as_ns2()
    }

    /// Reduces `cwnd` and `ssthresh` for a loss or a mark that was signalled with `in_flight`
    /// segments outstanding (RFC 5681, 3.2, step 2; RFC 3168, 6.1.2). The next segment carries CWR.
    pub(in crate::tcp) fn reduce_cwnd(
        &mut self,
        profile: &Profile,
        signal: Signal,
        in_flight: u32,
        now: Nanos,
    ) {
        let cwnd = self.whole_cwnd().max(1);
        self.control.on_congestion(&CongestionEvent {
            now,
            signal,
            in_flight: in_flight.min(cwnd),
            srtt: self.srtt(profile),
        });
        self.cwr_pending = true;
    }

    /// Whether a loss reduces `cwnd` in the round trip in which a mark has reduced it.
    pub(in crate::tcp) fn reduces_for_loss_after_mark(&self) -> bool {
        self.control.reduces_for_loss_after_mark()
    }

    /// Sets `cwnd` to 1 and `ssthresh` to the controller's share of FlightSize: half (RFC 5681, 3.1,
    /// equation 4), or beta_cubic (RFC 9438, 4.8);
    /// `again`: the timer expired before for the same segment, so `ssthresh` stays.
    pub(in crate::tcp) fn collapse_cwnd(&mut self, again: bool, now: Nanos) {
        self.control.on_timeout(now, self.flight_size(), again);
        self.cwr_pending = true;
    }

    /// Sets `cwnd` to 1, and leaves `ssthresh`.
    pub(in crate::tcp) fn restart_cwnd(&mut self, now: Nanos) {
        self.control.on_restart(now, 1.0);
        self.cwr_pending = true;
    }

    /// Moves `cwnd` itself by `segments`, as ns-2's recovery does in place of inflation.
    #[inline]
    pub(in crate::tcp) fn shift_cwnd(&mut self, segments: f64) {
        self.control.shift(segments);
    }

    /// Segments by which `cwnd` is inflated.
    #[inline]
    pub(in crate::tcp) fn inflation(&self) -> i32 {
        self.inflation
    }

    /// Sets the segments by which `cwnd` is inflated (RFC 5681, 3.2, step 3).
    #[inline]
    pub(in crate::tcp) fn set_inflation(&mut self, segments: i32) {
        self.inflation = segments;
    }
}

/// The send window: how far may be sent.
impl Sender {
    /// Recomputes the send window, min(cwnd + inflation, rwnd), and with it how far may be sent.
    #[inline(always)]
    pub(in crate::tcp) fn update_send_window(&mut self, profile: &Profile) {
        let cwnd = self.control.cwnd() as u32;
        let mut window = cwnd.min(profile.receiver_window);
        if self.inflation != 0 {
            let inflated = window.saturating_add_signed(self.inflation);
            window = inflated.min(profile.receiver_window);
        }
        let window = window.max(1);
        self.send_window = if self.syn_sent { 1 } else { window };
        self.limit_to(self.send_window);
        self.limit_burst(profile.max_burst.unwrap_or(u32::MAX));
    }

    /// Segments that may be outstanding.
    #[inline]
    pub(in crate::tcp) fn send_window(&self) -> u32 {
        self.send_window
    }

    /// Replaces the send window by `window` segments, of which `sacked` beyond `snd_una` have
    /// arrived.
    pub(in crate::tcp) fn set_send_window(&mut self, window: u32, sacked: u32, rwnd: u32) {
        self.send_window = window.min(rwnd);
        let outstanding = self.send_window + sacked;
        self.limit_to(outstanding.min(rwnd));
    }

    /// The number after the last that may be sent with `window` segments outstanding.
    #[inline]
    pub(in crate::tcp) fn limit_of(&self, window: u32) -> u32 {
        self.snd_una.saturating_add(window).min(self.data_end)
    }

    /// Lets `window` segments be outstanding.
    #[inline]
    pub(in crate::tcp) fn limit_to(&mut self, window: u32) {
        self.snd_limit = self.limit_of(window);
    }

    /// Lets at most `burst` segments be sent until the next event.
    #[inline]
    pub(in crate::tcp) fn limit_burst(&mut self, burst: u32) {
        self.snd_limit = self.snd_limit.min(self.snd_nxt.saturating_add(burst));
    }
}
