//! HyStart as in Linux's CUBIC: ends slow start when acknowledgments of a round trip come in a
//! train as long as half of the least round trip, or when round trips grow longer.
//!
//! ```text
//! a round      until all sent before it began, and one more, is acknowledged
//! train        acknowledgments within 2 ms of the one before; longer than
//!              (min rtt + min(1 ms, the time of 4 x 64 kB at the pacing rate)) / 2
//! delay        the least round trip of the round, from the ninth sample on, is above
//!              min rtt + min rtt / 8, which is at least 4 and at most 16 ms
//! only with a cwnd of 16 at least; then ssthresh = cwnd
//! ```
//! S. Ha, I. Rhee, "Hybrid Slow Start for High-Bandwidth and Long-Distance Networks", PFLDnet 2008;
//! Linux 6.1's `hystart_update`. The pacing rate is twice `cwnd` over SRTT.

use earlydrop::units::Nanos;

use crate::tcp::control::events::AckSample;
use crate::tcp::control::round::Round;

/// The least `cwnd` with which slow start ends.
const LOW_WINDOW: f64 = 16.0;
/// Acknowledgments that far apart belong to a train, us.
const ACK_DELTA: u64 = 2000;
/// Samples of a round that come before its least round trip counts.
const SAMPLES: u32 = 8;
/// Four times the largest aggregate, bytes.
const BURSTS: f64 = 4.0 * 65_215.0;

/// HyStart's state.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinuxHyStart {
    round: Round,
    /// When the round began, us.
    began: u64,
    /// The last acknowledgment of the train, us.
    last_ack: u64,
    /// The least round trip of this round, us.
    least: u64,
    samples: u32,
}

impl LinuxHyStart {
    /// The state before the first acknowledgment.
    pub(super) fn new() -> LinuxHyStart {
        LinuxHyStart {
            round: Round::default(),
            began: 0,
            last_ack: 0,
            least: u64::MAX,
            samples: 0,
        }
    }

    /// Counts an acknowledgment of slow start that measured the round trip `rtt`; returns whether
    /// slow start ends. `min_rtt` is the least of the connection, `payload` the bytes of a segment.
    pub(super) fn on_ack(
        &mut self,
        ack: &AckSample,
        rtt: Nanos,
        min_rtt: Nanos,
        (cwnd, payload): (f64, f64),
    ) -> bool {
        let now = ack.now.0 / 1000;
        if self.round.ends_with(ack) {
            // One more than what is in flight: `after(snd_una, end_seq)`.
            self.round
                .begin(ack.in_flight.saturating_sub(ack.segments) + 1);
            (self.began, self.last_ack) = (now, now);
            (self.least, self.samples) = (u64::MAX, 0);
        }
        if cwnd < LOW_WINDOW {
            return false;
        }
        let min_rtt = min_rtt.0 / 1000;
        let mut found = false;
        if now - self.last_ack <= ACK_DELTA {
            self.last_ack = now;
            let rate = 2.0 * cwnd * payload / ack.srtt.as_secs_f64();
            let bursts = (1e6 * BURSTS / rate).min(1000.0) as u64;
            found = now - self.began > (min_rtt + bursts) / 2;
        }
        self.least = self.least.min((rtt.0 / 1000).max(1));
        if self.samples < SAMPLES {
            self.samples += 1;
        } else {
            found |= self.least > min_rtt + (min_rtt / 8).clamp(4000, 16_000);
        }
        found
    }
}
