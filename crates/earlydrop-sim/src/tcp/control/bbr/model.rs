//! BBR's model of a path: its bandwidth, its empty round trip, and the rounds passed.

use crate::tcp::control::Delivery;
use earlydrop::units::Nanos;

/// Round trips over which the bandwidth is the maximum.
const BANDWIDTH_ROUNDS: u64 = 10;

/// The largest delivery rate of the last rounds, as a maximum for each.
#[derive(Clone, Copy, Debug, Default)]
struct MaxRate {
    rounds: [f64; BANDWIDTH_ROUNDS as usize],
    newest: u64,
    most: f64,
}

impl MaxRate {
    fn add(&mut self, round: u64, rate: f64) {
        if round > self.newest {
            let passed = (round - self.newest).min(BANDWIDTH_ROUNDS);
            for old in 0..passed {
                self.rounds[((round - old) % BANDWIDTH_ROUNDS) as usize] = 0.0;
            }
            self.newest = round;
            self.most = self.rounds.iter().copied().fold(0.0, f64::max);
        }
        let slot = &mut self.rounds[(round % BANDWIDTH_ROUNDS) as usize];
        *slot = slot.max(rate);
        self.most = self.most.max(rate);
    }
}

/// What is known of the path.
#[derive(Clone, Debug)]
pub(super) struct Model {
    rates: MaxRate,
    round: u64,
    /// Whether the last acknowledgment began a round.
    pub(super) round_start: bool,
    /// What is to have been delivered when a segment is sent that ends the round.
    round_end: u64,
    pub(super) delivered: u64,
    /// NEVER for none.
    least_rtt: Nanos,
    least_rtt_at: Option<Nanos>,
    /// What had been delivered when the first and the last of the segments were sent
    /// that the controller itself held back.
    held_back: (u64, u64),
}

impl Model {
    pub(super) fn new() -> Model {
        Model {
            rates: MaxRate::default(),
            round: 0,
            round_start: false,
            round_end: 0,
            delivered: 0,
            least_rtt: Nanos::NEVER,
            least_rtt_at: None,
            held_back: (1, 0),
        }
    }

    /// Segments a second; 0 for none yet.
    pub(super) fn bandwidth(&self) -> f64 {
        self.rates.most
    }

    pub(super) fn least_rtt(&self) -> Option<Nanos> {
        (self.least_rtt < Nanos::NEVER).then_some(self.least_rtt)
    }

    /// The segments that fill the path, once a round trip was measured.
    pub(super) fn fill(&self) -> Option<f64> {
        let rtt = self.least_rtt()?;
        Some(self.rates.most * rtt.as_secs_f64())
    }

    /// Counts a round from here on.
    pub(super) fn begin_round(&mut self) {
        self.round_end = self.delivered;
    }

    /// Holds segments back from here on, until [`Model::hold_back`] is no longer told.
    pub(super) fn begin_to_hold_back(&mut self) {
        self.held_back = (self.delivered, self.delivered);
    }

    /// What is on its way is held back still.
    pub(super) fn hold_back(&mut self, in_flight: f64) {
        self.held_back.1 = self.delivered + in_flight as u64;
    }

    /// Takes in how fast segments were delivered; true when something
    /// other than the path was the limit.
    pub(super) fn take_delivery(&mut self, delivery: &Delivery) -> bool {
        let earlier = delivery.delivered_when_sent;
        self.delivered = delivery.delivered;
        self.round_start = earlier >= self.round_end;
        if self.round_start {
            self.begin_round();
            self.round += 1;
        }
        let held_back = (self.held_back.0..=self.held_back.1).contains(&earlier);
        let limited = delivery.application_limited || held_back;
        let segments = delivery.delivered.saturating_sub(earlier);
        let too_short = self.least_rtt < Nanos::NEVER && delivery.interval < self.least_rtt;
        if segments > 0 && delivery.interval > Nanos::ZERO && !too_short {
            let rate = segments as f64 / delivery.interval.as_secs_f64();
            if rate >= self.rates.most || !limited {
                self.rates.add(self.round, rate);
            }
        }
        limited
    }

    /// Takes in a round trip; true when the one known was older than `age`.
    pub(super) fn take_rtt(&mut self, now: Nanos, rtt: Option<Nanos>, age: Nanos) -> bool {
        let since = *self.least_rtt_at.get_or_insert(now);
        let expired = now > since + age;
        if let Some(rtt) = rtt
            && (rtt <= self.least_rtt || expired)
        {
            self.least_rtt = rtt;
            self.least_rtt_at = Some(now);
        }
        expired
    }

    /// When the round trip known was last seen.
    #[cfg(test)]
    pub(super) fn renewed(&self) -> Option<Nanos> {
        self.least_rtt_at
    }

    /// The round trip known is as good as new.
    pub(super) fn renew_rtt(&mut self, now: Nanos) {
        self.least_rtt_at = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Nanos = Nanos::from_millis;

    #[test]
    fn the_bandwidth_is_the_most_of_ten_rounds() {
        let mut rates = MaxRate::default();
        rates.add(1, 70.0);
        rates.add(1, 50.0);
        for round in 2..=10 {
            rates.add(round, 40.0 + round as f64);
            assert_eq!(rates.most, 70.0);
        }
        rates.add(11, 10.0);
        assert_eq!(rates.most, 50.0);
        rates.add(500, 3.0);
        assert_eq!(rates.most, 3.0);
    }

    fn sample(delivered: u64, earlier: u64, interval: Nanos) -> Delivery {
        Delivery {
            delivered,
            delivered_when_sent: earlier,
            interval,
            application_limited: false,
            lost: 0,
        }
    }

    #[test]
    fn a_round_ends_with_a_segment_sent_after_it_began() {
        let mut model = Model::new();
        for (delivered, earlier, starts) in [
            (1, 0, true),
            (2, 0, false),
            (10, 0, false),
            (11, 1, true),
            (12, 10, false),
            (13, 11, true),
        ] {
            model.take_delivery(&sample(delivered, earlier, MS(40)));
            assert_eq!(model.round_start, starts, "{delivered}");
        }
    }

    #[test]
    fn low_rates_count_unless_something_else_was_the_limit() {
        let mut model = Model::new();
        assert!(!model.take_delivery(&sample(40, 0, MS(40))));
        assert_eq!(model.bandwidth(), 1000.0);
        // Ten rounds on, one slow sample says that the path is slow ...
        model.round = 20;
        let mut other = model.clone();
        assert!(!model.take_delivery(&sample(50, 40, MS(40))));
        assert_eq!(model.bandwidth(), 250.0);
        // ... but not if the application had no more, nor if the controller held back.
        let idle = Delivery {
            application_limited: true,
            ..sample(50, 40, MS(40))
        };
        assert!(other.take_delivery(&idle));
        other.begin_to_hold_back();
        other.hold_back(4.0);
        assert!(other.take_delivery(&sample(54, 50, MS(40))));
        assert!(other.take_delivery(&sample(58, 54, MS(40))));
        assert_eq!(other.bandwidth(), 1000.0);
        assert!(!other.take_delivery(&sample(59, 55, MS(40))));
        assert_eq!(other.bandwidth(), 100.0);
    }

    #[test]
    fn a_sample_shorter_than_any_round_trip_is_not_believed() {
        let mut model = Model::new();
        model.take_rtt(MS(40), Some(MS(40)), MS(10_000));
        model.take_delivery(&sample(40, 0, Nanos(39_999_999)));
        assert_eq!(model.bandwidth(), 0.0);
        model.take_delivery(&sample(40, 0, MS(40)));
        assert_eq!((model.bandwidth(), model.fill()), (1000.0, Some(40.0)));
    }

    #[test]
    fn the_least_round_trip_ages() {
        let mut model = Model::new();
        let age = MS(10_000);
        assert!(!model.take_rtt(MS(40), Some(MS(40)), age));
        assert!(!model.take_rtt(MS(10_040), Some(MS(50)), age));
        assert_eq!(model.least_rtt(), Some(MS(40)));
        assert!(model.take_rtt(Nanos(10_040_000_001), Some(MS(50)), age));
        assert_eq!(model.least_rtt(), Some(MS(50)));
    }
}
