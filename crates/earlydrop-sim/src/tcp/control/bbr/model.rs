//! BBR's model of a path: bottleneck bandwidth (BtlBw), least round-trip time (RTprop), and
//! rounds.

use super::linux;
use crate::tcp::control::RateSample;
use crate::tcp::control::windowed_max::WindowedMax;
use earlydrop::units::Nanos;

/// The model of a path.
#[derive(Clone, Debug)]
pub(super) struct Model {
    /// Greatest delivery rate of each of the last 10 rounds (BtlBwFilterLen).
    rates: WindowedMax,
    round: u64,
    /// Whether the last acknowledgment began a round.
    pub(super) round_start: bool,
    /// A round ends with a segment that was sent when so many had been delivered
    /// (next_round_delivered).
    next_round_delivered: u64,
    /// Segments delivered so far.
    pub(super) delivered: u64,
    /// RTprop; NEVER for none.
    min_rtt: Nanos,
    /// When RTprop was last seen (rtprop_stamp).
    min_rtt_at: Option<Nanos>,
    /// Segments that the controller itself limited, as ProbeRTT does: what had been delivered
    /// when the first and the last of them were sent.
    self_limited: (u64, u64),
    /// Whether rates are counted as Linux does.
    linux: bool,
}

impl Model {
    pub(super) fn new(linux: bool) -> Model {
        Model {
            linux,
            rates: WindowedMax::default(),
            round: 0,
            round_start: false,
            next_round_delivered: 0,
            delivered: 0,
            min_rtt: Nanos::NEVER,
            min_rtt_at: None,
            self_limited: (1, 0),
        }
    }

    /// BtlBw, segments a second; 0 before the first sample.
    pub(super) fn bandwidth(&self) -> f64 {
        self.rates.max()
    }

    /// RTprop; `None` before the first sample.
    pub(super) fn min_rtt(&self) -> Option<Nanos> {
        (self.min_rtt < Nanos::NEVER).then_some(self.min_rtt)
    }

    /// The bandwidth-delay product BtlBw * RTprop, segments; `None` before a round trip was
    /// measured.
    pub(super) fn bdp(&self) -> Option<f64> {
        let rtt = self.min_rtt()?;
        Some(self.rates.max() * rtt.as_secs_f64())
    }

    /// Begins a round now.
    pub(super) fn begin_round(&mut self) {
        self.next_round_delivered = self.delivered;
    }

    /// Begins to count segments as limited by the controller.
    pub(super) fn begin_self_limit(&mut self) {
        self.self_limited = (self.delivered, self.delivered);
    }

    /// Counts what is in flight as limited by the controller.
    pub(super) fn extend_self_limit(&mut self, in_flight: f64) {
        self.self_limited.1 = self.delivered + in_flight as u64;
    }

    /// Takes a delivery-rate sample; returns whether something other than the path limited it
    /// (BBRUpdateBtlBw).
    pub(super) fn take_rate_sample(&mut self, sample: &RateSample) -> bool {
        let earlier = sample.delivered_when_sent;
        self.delivered = sample.delivered;
        self.round_start = earlier >= self.next_round_delivered;
        if self.round_start {
            self.begin_round();
            self.round += 1;
        }
        let self_limited = (self.self_limited.0..=self.self_limited.1).contains(&earlier);
        let limited = sample.application_limited || self_limited;
        let segments = sample.delivered.saturating_sub(earlier);
        let too_short = self.min_rtt < Nanos::NEVER && sample.interval < self.min_rtt;
        if segments > 0 && sample.interval > Nanos::ZERO && !too_short {
            let rate = match self.linux {
                true => linux::bandwidth(segments, sample.interval),
                false => segments as f64 / sample.interval.as_secs_f64(),
            };
            if rate >= self.rates.max() || !limited {
                self.rates.add(self.round, rate);
            }
        }
        limited
    }

    /// Takes a round trip; returns whether RTprop was older than `age` (BBRUpdateRTprop).
    pub(super) fn take_rtt(&mut self, now: Nanos, rtt: Option<Nanos>, age: Nanos) -> bool {
        let since = *self.min_rtt_at.get_or_insert(now);
        let expired = now > since + age;
        if let Some(rtt) = rtt
            && (rtt < self.min_rtt || (rtt == self.min_rtt && !self.linux) || expired)
        {
            self.min_rtt = rtt;
            self.min_rtt_at = Some(now);
        }
        expired
    }

    /// When RTprop was last seen.
    #[cfg(test)]
    pub(super) fn min_rtt_at(&self) -> Option<Nanos> {
        self.min_rtt_at
    }

    /// Counts RTprop as seen now.
    pub(super) fn renew_min_rtt(&mut self, now: Nanos) {
        self.min_rtt_at = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Nanos = Nanos::from_millis;

    fn sample(delivered: u64, earlier: u64, interval: Nanos) -> RateSample {
        RateSample {
            delivered,
            delivered_when_sent: earlier,
            interval,
            application_limited: false,
            lost: 0,
            tx_in_flight: 40,
            lost_since_sent: 0,
        }
    }

    #[test]
    fn a_round_ends_with_a_segment_sent_after_it_began() {
        let mut model = Model::new(false);
        for (delivered, earlier, starts) in [
            (1, 0, true),
            (2, 0, false),
            (10, 0, false),
            (11, 1, true),
            (12, 10, false),
            (13, 11, true),
        ] {
            model.take_rate_sample(&sample(delivered, earlier, MS(40)));
            assert_eq!(model.round_start, starts, "{delivered}");
        }
    }

    #[test]
    fn low_rates_count_unless_something_else_was_the_limit() {
        let mut model = Model::new(false);
        assert!(!model.take_rate_sample(&sample(40, 0, MS(40))));
        assert_eq!(model.bandwidth(), 1000.0);
        // Ten rounds later one slow sample means that the path is slow ...
        model.round = 20;
        let mut other = model.clone();
        assert!(!model.take_rate_sample(&sample(50, 40, MS(40))));
        assert_eq!(model.bandwidth(), 250.0);
        // ... but not if the application had no more, nor if the controller was the limit.
        let idle = RateSample {
            application_limited: true,
            ..sample(50, 40, MS(40))
        };
        assert!(other.take_rate_sample(&idle));
        other.begin_self_limit();
        other.extend_self_limit(4.0);
        assert!(other.take_rate_sample(&sample(54, 50, MS(40))));
        assert!(other.take_rate_sample(&sample(58, 54, MS(40))));
        assert_eq!(other.bandwidth(), 1000.0);
        assert!(!other.take_rate_sample(&sample(59, 55, MS(40))));
        assert_eq!(other.bandwidth(), 100.0);
    }

    #[test]
    fn a_sample_over_less_than_min_rtt_is_ignored() {
        let mut model = Model::new(false);
        model.take_rtt(MS(40), Some(MS(40)), MS(10_000));
        model.take_rate_sample(&sample(40, 0, Nanos(39_999_999)));
        assert_eq!(model.bandwidth(), 0.0);
        model.take_rate_sample(&sample(40, 0, MS(40)));
        assert_eq!((model.bandwidth(), model.bdp()), (1000.0, Some(40.0)));
    }

    #[test]
    fn min_rtt_ages() {
        let mut model = Model::new(false);
        let age = MS(10_000);
        assert!(!model.take_rtt(MS(40), Some(MS(40)), age));
        assert!(!model.take_rtt(MS(10_040), Some(MS(50)), age));
        assert_eq!(model.min_rtt(), Some(MS(40)));
        assert!(model.take_rtt(Nanos(10_040_000_001), Some(MS(50)), age));
        assert_eq!(model.min_rtt(), Some(MS(50)));
    }
}
