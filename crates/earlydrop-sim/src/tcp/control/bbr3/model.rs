//! BBRv3's model of a path (draft-ietf-ccwg-bbr-06, section "Updating Network Path Model
//! Parameters"): bandwidth, round trips, and the bounds that congestion sets.

use super::super::windowed_max::WindowedMax;
use super::Parameters;
use crate::tcp::control::{AckSample, RateSample};
use earlydrop::units::Nanos;

/// What a delivery-rate sample says.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sample {
    /// RS.delivery_rate, segments a second; 0 for none.
    pub(super) rate: f64,
    /// RS.delivered, segments.
    pub(super) delivered: f64,
    /// RS.tx_in_flight, segments.
    pub(super) tx_in_flight: f64,
    /// RS.lost, segments.
    pub(super) lost: f64,
    /// Whether something other than the path limited it: the application, or ProbeRTT.
    pub(super) limited: bool,
}

/// The model of a path: volumes in segments, rates in segments a second.
#[derive(Clone, Debug)]
pub(super) struct Model {
    /// C.delivered.
    pub(super) delivered: u64,
    next_round_delivered: u64,
    pub(super) round_count: u64,
    /// Whether the last acknowledgment began a round.
    pub(super) round_start: bool,
    /// BBR.rounds_since_probe_up.
    pub(super) rounds_since_probe: u32,
    /// The greatest rates of the ProbeBW cycle before this one, and of this one
    /// (BBR.max_bw_filter).
    max_bw: [f64; 2],
    /// BBR.bw.
    pub(super) bw: f64,
    /// BBR.min_rtt; NEVER for none.
    pub(super) min_rtt: Nanos,
    min_rtt_stamp: Nanos,
    /// BBR.probe_rtt_min_delay.
    probe_rtt_min_delay: Nanos,
    /// BBR.probe_rtt_min_stamp.
    probe_rtt_min_stamp: Option<Nanos>,
    loss_round_delivered: u64,
    /// Whether the last acknowledgment ended a round of the loss signals.
    pub(super) loss_round_start: bool,
    /// Whether a segment was lost in this round.
    pub(super) loss_in_round: bool,
    bw_latest: f64,
    pub(super) inflight_latest: f64,
    /// BBR.bw_shortterm, `bw_lo` in deployed code; infinite for none.
    pub(super) bw_shortterm: f64,
    /// BBR.inflight_shortterm, `inflight_lo`; infinite for none.
    pub(super) inflight_shortterm: f64,
    /// BBR.inflight_longterm, `inflight_hi`; infinite for none.
    pub(super) inflight_longterm: f64,
    extra_acked_interval_start: Nanos,
    extra_acked_delivered: f64,
    extra_acked_filter: WindowedMax,
    /// BBR.extra_acked.
    pub(super) extra_acked: f64,
    /// What had been delivered when the first and the last segment were sent that ProbeRTT limits.
    self_limited: (u64, u64),
}

impl Model {
    pub(super) fn new() -> Model {
        Model {
            delivered: 0,
            next_round_delivered: 0,
            round_count: 0,
            round_start: false,
            rounds_since_probe: 0,
            max_bw: [0.0; 2],
            bw: 0.0,
            min_rtt: Nanos::NEVER,
            min_rtt_stamp: Nanos::ZERO,
            probe_rtt_min_delay: Nanos::NEVER,
            probe_rtt_min_stamp: None,
            loss_round_delivered: 0,
            loss_round_start: false,
            loss_in_round: false,
            bw_latest: 0.0,
            inflight_latest: 0.0,
            bw_shortterm: f64::INFINITY,
            inflight_shortterm: f64::INFINITY,
            inflight_longterm: f64::INFINITY,
            extra_acked_interval_start: Nanos::ZERO,
            extra_acked_delivered: 0.0,
            extra_acked_filter: WindowedMax::default(),
            extra_acked: 0.0,
            self_limited: (1, 0),
        }
    }

    /// BBR.max_bw, the greatest rate of two cycles of ProbeBW.
    pub(super) fn max_bw(&self) -> f64 {
        self.max_bw[0].max(self.max_bw[1])
    }

    /// BBR.bdp with the bandwidth `bw`; `None` before a round trip was measured.
    pub(super) fn bdp(&self, bw: f64) -> Option<f64> {
        (self.min_rtt != Nanos::NEVER).then(|| bw * self.min_rtt.as_secs_f64())
    }

    /// Begins a round (BBRStartRound).
    pub(super) fn start_round(&mut self) {
        self.next_round_delivered = self.delivered;
    }

    /// Takes a sample as far as rounds and the maximum of the rate go (BBRUpdateRound,
    /// BBRUpdateMaxBw, the first half of BBRUpdateLatestDeliverySignals).
    pub(super) fn take_rate_sample(&mut self, sample: &RateSample) -> Sample {
        let earlier = sample.delivered_when_sent;
        self.delivered = sample.delivered;
        let segments = sample.delivered.saturating_sub(earlier);
        let too_short = self.min_rtt != Nanos::NEVER && sample.interval < self.min_rtt;
        let rate = match sample.interval {
            Nanos::ZERO => 0.0,
            _ if too_short => 0.0,
            interval => segments as f64 / interval.as_secs_f64(),
        };
        let by_probe_rtt = (self.self_limited.0..=self.self_limited.1).contains(&earlier);
        let taken = Sample {
            rate,
            delivered: segments as f64,
            tx_in_flight: sample.tx_in_flight.into(),
            lost: sample.lost_since_sent.into(),
            limited: sample.application_limited || by_probe_rtt,
        };
        self.bw_latest = self.bw_latest.max(rate);
        self.inflight_latest = self.inflight_latest.max(taken.delivered);
        self.loss_round_start = earlier >= self.loss_round_delivered;
        if self.loss_round_start {
            self.loss_round_delivered = self.delivered;
        }
        self.round_start = earlier >= self.next_round_delivered;
        if self.round_start {
            self.start_round();
            self.round_count += 1;
            self.rounds_since_probe = self.rounds_since_probe.saturating_add(1);
        }
        if rate > 0.0 && (rate >= self.max_bw() || !taken.limited) {
            self.max_bw[1] = self.max_bw[1].max(rate);
        }
        taken
    }

    /// A cycle of ProbeBW ends (BBRAdvanceMaxBwFilter). A cycle without a sample counts for
    /// nothing.
    pub(super) fn advance_max_bw_filter(&mut self) {
        if self.max_bw[1] > 0.0 {
            self.max_bw = [self.max_bw[1], 0.0];
        }
    }

    /// A segment was lost (BBRNoteLoss).
    pub(super) fn note_loss(&mut self) {
        if !self.loss_in_round {
            self.loss_round_delivered = self.delivered;
        }
        self.loss_in_round = true;
    }

    /// BBRResetCongestionSignals.
    pub(super) fn reset_congestion_signals(&mut self) {
        self.loss_in_round = false;
        self.bw_latest = 0.0;
        self.inflight_latest = 0.0;
    }

    /// BBRResetShortTermModel.
    pub(super) fn reset_short_term_model(&mut self) {
        self.bw_shortterm = f64::INFINITY;
        self.inflight_shortterm = f64::INFINITY;
    }

    /// Lowers the short-term bounds for losses of a round by no more than `beta`, and the volume
    /// for marks by the factor `ecn_cut` (BBRInitLowerBounds, BBRLossLowerBounds).
    pub(super) fn adapt_lower_bounds(&mut self, beta: f64, ecn_cut: f64, cwnd: f64) {
        if !self.loss_in_round && ecn_cut >= 1.0 {
            return;
        }
        if self.inflight_shortterm.is_infinite() {
            self.inflight_shortterm = cwnd;
        }
        let after_marks = self.inflight_shortterm * ecn_cut;
        if self.loss_in_round {
            if self.bw_shortterm.is_infinite() {
                self.bw_shortterm = self.max_bw();
            }
            self.bw_shortterm = self.bw_latest.max(beta * self.bw_shortterm);
            self.inflight_shortterm = self.inflight_latest.max(beta * self.inflight_shortterm);
        }
        self.inflight_shortterm = self.inflight_shortterm.min(after_marks);
    }

    /// BBRAdvanceLatestDeliverySignals and BBRBoundBWForModel: the end of an acknowledgment.
    pub(super) fn end_ack(&mut self, sample: &Sample) {
        if self.loss_round_start {
            self.bw_latest = sample.rate;
            self.inflight_latest = sample.delivered;
        }
        self.bw = self.max_bw().min(self.bw_shortterm);
    }

    /// Estimates how much more than expected is acknowledged at once (BBRUpdateACKAggregation).
    pub(super) fn update_ack_aggregation(&mut self, ack: &AckSample, full: bool, cwnd: f64) {
        let interval = ack.now.since(self.extra_acked_interval_start.min(ack.now));
        let mut expected = self.bw * interval.as_secs_f64();
        if self.extra_acked_delivered <= expected {
            self.extra_acked_delivered = 0.0;
            self.restart_ack_aggregation(ack.now);
            expected = 0.0;
        }
        self.extra_acked_delivered += f64::from(ack.segments);
        let extra = (self.extra_acked_delivered - expected).min(cwnd);
        // In Startup only one round is remembered.
        if !full && self.round_start {
            self.extra_acked_filter = WindowedMax::default();
        }
        self.extra_acked_filter.add(self.round_count, extra);
        self.extra_acked = self.extra_acked_filter.max();
    }

    /// Begins a new interval of acknowledgments.
    pub(super) fn restart_ack_aggregation(&mut self, now: Nanos) {
        self.extra_acked_interval_start = now;
    }

    /// Takes a round trip; returns whether ProbeRTT is due (BBRUpdateMinRTT).
    pub(super) fn update_min_rtt(
        &mut self,
        now: Nanos,
        rtt: Option<Nanos>,
        parameters: &Parameters,
    ) -> bool {
        let stamp = *self.probe_rtt_min_stamp.get_or_insert(now);
        let expired = now > stamp + parameters.probe_rtt_interval;
        if let Some(rtt) = rtt.filter(|rtt| *rtt < self.probe_rtt_min_delay || expired) {
            self.probe_rtt_min_delay = rtt;
            self.probe_rtt_min_stamp = Some(now);
        }
        let min_rtt_expired = now > self.min_rtt_stamp + parameters.min_rtt_filter;
        if self.probe_rtt_min_delay < self.min_rtt || min_rtt_expired {
            self.min_rtt = self.probe_rtt_min_delay;
            self.min_rtt_stamp = self.probe_rtt_min_stamp.unwrap_or(now);
        }
        expired
    }

    /// The next ProbeRTT is an interval away.
    pub(super) fn schedule_probe_rtt(&mut self, now: Nanos) {
        self.probe_rtt_min_stamp = Some(now);
    }

    /// Begins to count segments as limited by ProbeRTT.
    pub(super) fn begin_self_limit(&mut self) {
        self.self_limited = (self.delivered, self.delivered);
    }

    /// Counts what is in flight as limited by ProbeRTT (MarkConnectionAppLimited).
    pub(super) fn extend_self_limit(&mut self, in_flight: f64) {
        self.self_limited.1 = self.delivered + in_flight as u64;
    }
}
