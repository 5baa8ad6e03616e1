//! A window that was cut comes into force over a round trip: proportional rate reduction
//! (RFC 9937).
//!
//! ```text
//! F      segments on their way when the window was cut to W
//! D, S   segments delivered and sent since
//! more than W on their way     up to D W / F - S may be sent (rounded up)
//! less                         up to the larger of D - S and what was just delivered,
//!                              and one more when the acknowledgment advanced without
//!                              telling of losses; but no more than to W
//! ```
//! The RFC is about losses; Linux and ns-3 do it after marks too, and so it is here.

/// A reduction that is going on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Proportion {
    /// F.
    flight: u32,
    /// D.
    delivered: u32,
    /// What the sender had sent, in all, before the cut.
    sent_before: u32,
    /// Delivered by the acknowledgment that is being answered.
    news: u32,
    /// Whether that one advanced and told of no further loss.
    safe: bool,
}

impl Proportion {
    /// Begins with `flight` on their way and `delivered` told of by the acknowledgment
    /// that brought the cut; `sent` is everything sent before.
    pub(super) fn begin(flight: u32, delivered: u32, sent: u32) -> Proportion {
        Proportion {
            flight: flight.max(1),
            delivered,
            sent_before: sent,
            news: delivered,
            safe: false,
        }
    }

    /// An acknowledgment arrived.
    pub(super) fn on_ack(&mut self, delivered: u32, safe: bool) {
        self.delivered += delivered;
        self.news = delivered;
        self.safe = safe;
    }

    /// How much may be sent now: of `sent` in all, `pipe` are on their way.
    pub(super) fn grant(&self, window: u32, pipe: u32, sent: u32) -> u32 {
        let since = sent - self.sent_before;
        if self.news == 0 {
            0
        } else if pipe > window {
            let product = u64::from(self.delivered) * u64::from(window);
            let share = product.div_ceil(u64::from(self.flight));
            share.saturating_sub(u64::from(since)) as u32
        } else {
            let limit = self.delivered.saturating_sub(since).max(self.news);
            (limit + u32::from(self.safe)).min(window - pipe)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_second_delivery_lets_one_leave_when_a_window_is_halved() {
        let mut reduction = Proportion::begin(20, 1, 100);
        let (mut pipe, mut sent) = (19, 100);
        let mut grants = Vec::new();
        for _ in 0..20 {
            let grant = reduction.grant(10, pipe, sent);
            grants.push(grant);
            sent += grant;
            pipe += grant;
            pipe -= 1;
            reduction.on_ack(1, false);
        }
        assert_eq!(grants[..6], [1, 0, 1, 0, 1, 0]);
        assert_eq!((pipe, sent), (9, 110));
    }

    #[test]
    fn a_flight_that_lost_much_grows_back_without_bursts() {
        let mut reduction = Proportion::begin(20, 1, 100);
        // Fifteen of them were lost: less than the window is on its way.
        assert_eq!(reduction.grant(10, 4, 100), 1);
        reduction.on_ack(1, true);
        assert_eq!(reduction.grant(10, 4, 101), 2);
        // Not beyond the window, and nothing for an acknowledgment of nothing.
        reduction.on_ack(5, true);
        assert_eq!(reduction.grant(10, 8, 103), 2);
        reduction.on_ack(0, false);
        assert_eq!(reduction.grant(10, 4, 103), 0);
    }
}
