//! BBRv3's response to marks, as deployed: the draft leaves it open.

use super::{Bbr3, Parameters, State};
use crate::tcp::control::{AckSample, CongestionEvent};
use earlydrop::units::Nanos;

/// Marks counted over rounds.
#[derive(Clone, Debug)]
pub(super) struct Marks {
    /// The average share of segments marked (ecn_alpha).
    alpha: f64,
    delivered: u32,
    marked: u32,
    /// Rounds of Startup in a row with too many marks (startup_ecn_rounds).
    startup_rounds: u32,
    /// Whether marks are counted one by one.
    pub(super) counted: bool,
    /// Whether a segment of this round was marked.
    pub(super) in_round: bool,
    /// The share of the last round.
    share: f64,
}

impl Marks {
    pub(super) fn new() -> Marks {
        Marks {
            alpha: 1.0,
            delivered: 0,
            marked: 0,
            startup_rounds: 0,
            counted: false,
            in_round: false,
            share: 0.0,
        }
    }

    /// Counts an acknowledgment.
    pub(super) fn count(&mut self, ack: &AckSample) {
        let marked = ack.marked.min(ack.segments);
        self.counted |= marked > 0;
        self.in_round |= marked > 0;
        self.delivered += ack.segments;
        self.marked += marked;
    }

    /// A round ends: averages the share of marks.
    pub(super) fn end_round(&mut self, gain: f64) {
        if self.delivered > 0 {
            self.share = f64::from(self.marked) / f64::from(self.delivered);
            self.alpha += gain * (self.share - self.alpha);
        }
        (self.delivered, self.marked) = (0, 0);
    }

    /// Whether a path with round trip `min_rtt` is short enough for the response.
    pub(super) fn apply(&self, min_rtt: Nanos, parameters: &Parameters) -> bool {
        self.counted && min_rtt <= parameters.ecn_max_rtt
    }

    /// The factor for the short-term volume after a round with marks.
    pub(super) fn cut(&self, factor: f64) -> f64 {
        if self.in_round {
            1.0 - self.alpha * factor
        } else {
            1.0
        }
    }

    /// Whether the last round had more marks than `threshold`, a share.
    pub(super) fn are_too_many(&self, threshold: f64) -> bool {
        self.share > threshold
    }

    /// Whether `rounds` rounds of Startup in a row had too many marks; called once a round.
    pub(super) fn end_startup(&mut self, parameters: &Parameters) -> bool {
        self.startup_rounds = if self.share >= parameters.ecn_threshold {
            self.startup_rounds + 1
        } else {
            0
        };
        self.startup_rounds >= parameters.full_ecn_rounds
    }
}

impl Bbr3 {
    /// Whether marks are answered by their share, not as losses.
    pub(super) fn marks_apply(&self) -> bool {
        self.marks.apply(self.model.min_rtt, &self.parameters)
    }

    /// Whether the last round had so many marks that what was in flight was too much.
    pub(super) fn has_marked_too_many(&self) -> bool {
        self.marks.are_too_many(match self.marks_apply() {
            true => self.parameters.ecn_threshold,
            false => self.parameters.loss_threshold,
        })
    }

    /// The echo of a mark, where marks are not counted.
    pub(super) fn on_echo(&mut self, congestion: &CongestionEvent) {
        self.model.note_loss();
        if !self.full_bw_reached {
            self.end_startup();
        } else if self.bw_probe_samples || self.state == State::Refill {
            self.on_inflight_too_high(congestion.in_flight.into(), false, congestion.now);
        }
    }
}
