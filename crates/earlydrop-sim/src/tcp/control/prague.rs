//! TCP Prague: a scalable sender for L4S queues that is safe to use on the Internet.
//!
//! # Reference
//! K. De Schepper, O. Tilmans, B. Briscoe, V. Goel, "Prague Congestion Control",
//! draft-briscoe-iccrg-prague-congestion-control-04, 2024 (sections below are its); K. De
//! Schepper, B. Briscoe, "The ECN Protocol for L4S", RFC 9331, 2023, section 4.3, for what such a
//! sender must do. B. Briscoe, A. S. Ahmed, "TCP Prague Fall-back on Detection of a Classic ECN
//! AQM", arXiv:1911.00710, 2021, for the fallback.
//!
//! # Equations
//! `cwnd` in segments, times in seconds; R is SRTT, T is 25 ms.
//! - `RTT_virt = max(R, T)`, once the flow has been for D = 500 rounds in congestion avoidance;
//!   R before (2.4.4).
//! - After each round trip and RTT_virt, M being the fraction of segments marked in it:
//!   `alpha = alpha + (M - alpha) / 16` (2.3.2). alpha is 1 until the first mark.
//! - A mark: `cwnd = ssthresh = (1 - alpha / 2) cwnd`, at most once in RTT_virt (2.4.2).
//! - A loss: `cwnd = ssthresh = cwnd / 2`, at most once a round trip. `cwnd` is the one before a
//!   mark that reduced it less than RTT_virt ago, so that both together halve it (2.4.1).
//! - Congestion avoidance: each segment acknowledged *unmarked* adds `(R / RTT_virt)^2 / cwnd`,
//!   also in the round trip of a reduction by a mark (2.4.3, 2.4.4).
//! - Slow start: each segment acknowledged unmarked adds 1, an acknowledgment 2 at most (2.4.5).
//! - Pacing rate: `cwnd / R`; twice that while `cwnd < ssthresh / 2` (2.4.6).
//!
//! With marking probability p the equilibrium is `cwnd = 2 (1 - p) / p` for R above T, and
//! `cwnd = 2 (1 - p) / p * R / T` below: flows with any two round trips below T get the same rate.
//!
//! # Our readings
//! - The draft leaves the factor after a loss open between Reno's and CUBIC's; 0.5 is Reno's.
//! - D counts rounds by which alpha was updated, as in Linux.
//! - `cwnd` is at least 2 segments; the draft leaves fractional windows to future work (3.5).
//! - The first mark ends slow start and halves `cwnd`, as alpha is 1 then (2.3.2).
//! - The sender notifies a mark once a window of data, which RTT_virt may end within. So while
//!   RTT_virt is longer than R, the controller looks at the marks of each acknowledgment itself.
//! - A loss in the round trip of a mark is answered with selective acknowledgments only.
//!
//! # How other tools differ
//! | aspect | Linux (L4STeam) | here |
//! |---|---|---|
//! | reduction | one segment an acknowledgment, down to the new `cwnd` | at once |
//! | alpha, `cwnd` | fixed point, with remainders carried | floating point |
//! | what of `cwnd` is sent | whole segments, rounded up | whole segments, rounded down |
//! | pacing | bursts of 250 us | segment by segment |
//! | RTT independence | three rules; this is `RTT_CONTROL_RATE`; D is 4 in later versions | one rule |
//! | minimum RTT of the fallback | of some minutes | of the connection |
//!
//! [`scalable`](super::scalable) is what remains without RTT independence, fallback and a loss's
//! share in a mark's round trip.
//!
//! # Validated against
//! Nothing outside: Linux's TCP Prague is in no released kernel. What the draft asks for is tested:
//! equal shares beside CUBIC over DualPI2, and a rate that does not depend on short round trips.

mod classic_ecn;
#[cfg(test)]
mod tests;

use super::aimd::Aimd;
use super::dctcp::{self, Marks};
use super::events::{AckSample, CongestionEvent, Control, Signal, Windows};
use classic_ecn::ClassicEcnDetector;
use earlydrop::units::Nanos;

/// RTT independence: flows with shorter round trips share as if they had this one (2.4.4).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RttIndependence {
    /// T, the least RTT_virt; above 0.
    pub target: Nanos,
    /// D: rounds of congestion avoidance before it begins, so that short transfers are not slowed.
    pub after_rounds: u32,
}

/// Prague's parameters; the defaults are the draft's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// The gain of alpha and the first alpha; 1/16 and 1 (2.3.2).
    pub marks: dctcp::Parameters,
    /// RTT independence; 25 ms after 500 rounds (2.4.4).
    pub rtt_independence: Option<RttIndependence>,
    /// The factor of a reduction by a loss; 0.5 (2.4.1).
    pub loss_factor: f64,
    /// Whether marks are answered as CUBIC does once the queue seems to mark as RFC 3168 says;
    /// false, as in Linux (3.3).
    pub classic_ecn_fallback: bool,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters {
            marks: dctcp::Parameters::default(),
            rtt_independence: Some(RttIndependence {
                target: Nanos::from_millis(25),
                after_rounds: 500,
            }),
            loss_factor: 0.5,
            classic_ecn_fallback: false,
        }
    }
}

/// A reduction of `cwnd` by a mark.
#[derive(Clone, Copy, Debug)]
struct MarkReduction {
    at: Nanos,
    /// By how much, segments.
    by: f64,
}

/// Prague's state for one flow.
///
/// ```
/// use earlydrop_sim::tcp::control::Control;
/// use earlydrop_sim::tcp::control::prague::{Parameters, Prague};
/// let prague = Prague::new(10.0, None, Parameters::default());
/// assert_eq!((prague.cwnd(), prague.alpha()), (10.0, 1.0));
/// ```
#[derive(Clone, Debug)]
pub struct Prague {
    parameters: Parameters,
    marks: Marks,
    /// Whether a mark arrived yet.
    marked_before: bool,
    aimd: Aimd,
    /// Rounds of congestion avoidance.
    rounds: u32,
    /// When a round last ended.
    averaged_at: Nanos,
    last_reduction: Option<MarkReduction>,
    srtt: Nanos,
    /// Segments that a window of unmarked acknowledgments adds: (R / RTT_virt)^2.
    increase: f64,
    classic_ecn: Option<ClassicEcnDetector>,
}

impl Prague {
    /// A flow's controller with its initial `cwnd` and `ssthresh`, segments; `None` for slow
    /// start until congestion.
    pub fn new(initial_cwnd: f64, initial_ssthresh: Option<f64>, parameters: Parameters) -> Prague {
        Prague {
            parameters,
            marks: Marks::new(parameters.marks),
            marked_before: false,
            aimd: Aimd::new(initial_cwnd, initial_ssthresh),
            rounds: 0,
            averaged_at: Nanos::ZERO,
            last_reduction: None,
            srtt: Nanos::ZERO,
            increase: 1.0,
            classic_ecn: parameters
                .classic_ecn_fallback
                .then(ClassicEcnDetector::new),
        }
    }

    /// alpha, the estimated fraction of segments that is marked.
    pub fn alpha(&self) -> f64 {
        self.marks.alpha
    }

    /// How much the queue seems to mark as RFC 3168 says: 0 for an L4S queue to 1 for a classic
    /// one. `None` without the fallback.
    pub fn classic_ecn(&self) -> Option<f64> {
        self.classic_ecn.as_ref().map(ClassicEcnDetector::weight)
    }

    /// RTT_virt (2.4.4).
    fn virtual_rtt(&self) -> Nanos {
        match self.parameters.rtt_independence {
            Some(rule) if !self.aimd.in_slow_start() && self.rounds >= rule.after_rounds => {
                self.srtt.max(rule.target)
            }
            _ => self.srtt,
        }
    }

    /// The last reduction of `cwnd` by a mark, if it was less than RTT_virt before `now`.
    fn recent_reduction(&self, now: Nanos) -> Option<MarkReduction> {
        self.last_reduction
            .filter(|last| now.since(last.at) < self.virtual_rtt())
    }

    /// Ends a round, as a window of data was acknowledged, unless RTT_virt has not passed yet.
    fn end_round(&mut self, ack: &AckSample) {
        let virtual_rtt = self.virtual_rtt();
        if virtual_rtt > self.srtt && ack.now.since(self.averaged_at) < virtual_rtt {
            return;
        }
        self.averaged_at = ack.now;
        if self.marked_before {
            self.marks.average(ack);
            if let Some(detector) = &mut self.classic_ecn {
                detector.end_round();
            }
        } else {
            self.marks.begin(ack);
        }
        if !self.aimd.in_slow_start() {
            self.rounds = self.rounds.saturating_add(1);
        }
        let virtual_rtt = self.virtual_rtt().as_secs_f64();
        self.increase = if virtual_rtt > 0.0 && self.srtt > Nanos::ZERO {
            (self.srtt.as_secs_f64() / virtual_rtt).powi(2)
        } else {
            1.0
        };
    }

    /// Reduces `cwnd` by a mark (2.4.2), with the fallback by the queue's kind (3.3).
    fn reduce_by_mark(&mut self, now: Nanos) {
        self.marked_before = true;
        let virtual_rtt = self.virtual_rtt();
        if virtual_rtt > self.srtt && self.recent_reduction(now).is_some() {
            return;
        }
        let alpha = match &self.classic_ecn {
            Some(detector) => self.marks.alpha.max(detector.least_alpha()),
            None => self.marks.alpha,
        };
        let before = self.aimd.cwnd;
        self.aimd.reduce(1.0 - 0.5 * alpha);
        self.last_reduction = Some(MarkReduction {
            at: now,
            by: before - self.aimd.cwnd,
        });
    }

    /// Reduces `cwnd` by a loss (2.4.1).
    fn reduce_by_loss(&mut self, now: Nanos) {
        // A mark of this round trip has reduced cwnd already, and the loss reduces what cwnd was
        // before: mark and loss together leave loss_factor of it.
        let by_mark = self.recent_reduction(now).map_or(0.0, |last| last.by);
        let before = self.aimd.cwnd + by_mark.max(0.0);
        let factor = self.parameters.loss_factor * before / self.aimd.cwnd;
        self.aimd.reduce(factor.min(1.0));
        self.last_reduction = None;
    }
}

impl Control for Prague {
    fn cwnd(&self) -> f64 {
        self.aimd.cwnd
    }

    fn ssthresh(&self) -> f64 {
        self.aimd.ssthresh
    }

    fn on_ack(&mut self, ack: &AckSample) {
        self.srtt = ack.srtt;
        self.marked_before |= ack.marked > 0;
        if let (Some(detector), Some(rtt)) = (&mut self.classic_ecn, ack.rtt) {
            detector.measure(rtt, self.aimd.ssthresh);
        }
        if self.marks.count(ack) {
            self.end_round(ack);
        }
        if ack.cwnd_limited && !ack.recovering {
            let unmarked = f64::from(ack.segments.saturating_sub(ack.marked));
            self.aimd.grow(unmarked, self.increase);
        }
        let responds_itself = self.virtual_rtt() > self.srtt;
        if responds_itself && ack.marked > 0 && !ack.recovering {
            self.reduce_by_mark(ack.now);
        }
    }

    fn on_congestion(&mut self, congestion: &CongestionEvent) {
        match congestion.signal {
            Signal::Loss => self.reduce_by_loss(congestion.now),
            Signal::Mark => self.reduce_by_mark(congestion.now),
        }
    }

    fn on_timeout(&mut self, _now: Nanos, _in_flight: u32, again: bool) {
        self.last_reduction = None;
        self.aimd.time_out(again);
    }

    fn undo(&mut self, before: &Windows) {
        self.aimd.undo(before);
    }

    fn on_restart(&mut self, _now: Nanos, initial_window: f64) {
        self.aimd.restart(initial_window);
    }

    fn reduces_for_loss_after_mark(&self) -> bool {
        true
    }

    fn paces(&self) -> bool {
        true
    }

    fn pacing_rate(&self) -> Option<f64> {
        if self.srtt == Nanos::ZERO {
            return None;
        }
        let in_slow_start = self.aimd.cwnd < 0.5 * self.aimd.ssthresh;
        let gain = if in_slow_start { 2.0 } else { 1.0 };
        Some(gain * self.aimd.cwnd / self.srtt.as_secs_f64())
    }
}
