//! What besides the send limit decides which segment is sent next, and when: retransmissions and
//! pacing.

use earlydrop::units::Nanos;

use crate::fine_time::FineTime;

/// The sender's output beyond new data below the send limit.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(in crate::tcp) struct Output {
    /// Nothing is sent before this time, where the controller paces.
    pacing_release: FineTime,
    /// Whether `snd_una`, or a probe, is to be retransmitted, whatever the window.
    pub(in crate::tcp) retransmit_una: bool,
    /// Whether the scoreboard chooses what is sent (RFC 6675).
    pub(in crate::tcp) sack_recovery: bool,
    /// Whether the controller paces, or needs a delivery-rate record of each segment.
    paced: bool,
    /// Whether the next segment waits for `pacing_release`.
    pacing_blocked: bool,
}

impl Output {
    /// Sends new data as the send limit says, and asks pacing where it is `paced`.
    pub(in crate::tcp) fn new(paced: bool) -> Output {
        Output {
            pacing_release: FineTime::default(),
            retransmit_una: false,
            sack_recovery: false,
            paced,
            pacing_blocked: false,
        }
    }

    /// Whether more than the send limit decides what is sent. The four flags are adjacent, and
    /// are tested by one comparison.
    #[inline(always)]
    pub(in crate::tcp) fn takes_slow_path(&self) -> bool {
        let flags = [
            self.retransmit_una,
            self.sack_recovery,
            self.paced,
            self.pacing_blocked,
        ];
        u32::from_ne_bytes(flags.map(u8::from)) != 0
    }

    /// When pacing lets the next segment be sent, if it waits.
    #[inline(always)]
    pub(in crate::tcp) fn pacing_deadline(&self) -> Option<Nanos> {
        self.pacing_blocked.then(|| self.pacing_release.nanos())
    }

    /// Whether pacing lets nothing be sent now.
    #[inline(always)]
    pub(in crate::tcp) fn paces_after(&self, now: Nanos) -> bool {
        now < self.pacing_release.nanos()
    }

    /// The next segment waits for pacing.
    #[inline(always)]
    pub(in crate::tcp) fn wait_for_pacing(&mut self) {
        self.pacing_blocked = true;
    }

    /// Whether pacing at `rate` segments a second lets a segment be sent now. If so, the next one
    /// follows a gap later.
    #[inline(never)]
    pub(in crate::tcp) fn pace(&mut self, rate: f64, now: Nanos) -> bool {
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

    /// [`Output::pace`] as Linux's TCP does it (`tcp_update_skb_after_send`): the gap is whole ns, and
    /// a segment sent late shortens the one after it by as much, to half of it at least. The first
    /// ten segments of a connection leave `unpaced`.
    pub(in crate::tcp) fn pace_as_linux(&mut self, rate: f64, unpaced: bool, now: Nanos) -> bool {
        let release = self.pacing_release.nanos();
        self.pacing_blocked = now < release;
        if self.pacing_blocked {
            return false;
        }
        let mut gap = 0;
        if !unpaced {
            gap = (1e9 / rate * (1.0 + 1e-12)) as u64;
            gap -= now.since(release).0.min(gap / 2);
        }
        self.pacing_release = Nanos(now.0.saturating_add(gap)).into();
        true
    }

    /// How long pacing makes the next segment wait.
    pub(in crate::tcp) fn pacing_wait(&self, now: Nanos) -> Nanos {
        Nanos(self.pacing_release.nanos().0.saturating_sub(now.0))
    }

    /// Ends what pacing waits for, once it is due.
    pub(in crate::tcp) fn release_pacing(&mut self, now: Nanos) {
        if self.pacing_blocked && now >= self.pacing_release.nanos() {
            self.pacing_blocked = false;
        }
    }

    /// Lets the next segment be sent now, whatever pacing says.
    pub(in crate::tcp) fn skip_pacing(&mut self) {
        self.pacing_blocked = false;
        self.pacing_release = FineTime::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_linux_what_a_segment_is_late_shortens_the_next_gap() {
        let mut output = Output::new(true);
        let mut pace = |unpaced, us| {
            let sent = output.pace_as_linux(1000.0, unpaced, Nanos::from_micros(us));
            (sent, output.pacing_wait(Nanos::from_micros(us)))
        };
        let us = Nanos::from_micros;
        assert_eq!(pace(true, 5000), (true, us(0)));
        assert_eq!(pace(false, 5000), (true, us(1000)));
        assert_eq!(pace(false, 5999), (false, us(1)));
        // In time, 100 us late, and far too late.
        assert_eq!(pace(false, 6000), (true, us(1000)));
        assert_eq!(pace(false, 7100), (true, us(900)));
        assert_eq!(pace(false, 50_000), (true, us(500)));
    }
}
