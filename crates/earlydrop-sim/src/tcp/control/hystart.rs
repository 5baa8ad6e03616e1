//! HyStart++: ends the first slow start when round trips grow longer, before a loss.
//!
//! # Reference
//! P. Balasubramanian, Y. Huang, M. Olson, "HyStart++: Modified Slow Start for TCP",
//! RFC 9406, 2023, section 4.
//!
//! # Equations
//! Times in seconds, `cwnd` in segments; a round is one window of data.
//! - Slow start adds `min(N, L)` for N segments acknowledged.
//! - With n samples in this round, m its least round-trip time and m' the last round's:
//!   when n >= 8 and `m >= m' + max(4 ms, min(m' / 8, 16 ms))`, conservative slow start
//!   (CSS) begins with baseline m: growth is divided by 4.
//! - In CSS, with 8 samples in a round and m below the baseline: the increase was
//!   spurious, and slow start resumes.
//! - After 5 rounds of CSS, the one in which it began counted: congestion avoidance.
//!
//! # Our readings
//! - A round is counted in segments, since a controller gets no sequence numbers.
//! - Acknowledgments without a round-trip time count for growth, not as samples.
//! - The RFC limits growth to L = 8 segments an acknowledgment for senders that do not pace;
//!   `limit` is that L, infinite for one that does.
//! - Only the first slow start is observed, as the RFC advises in section 4.3.
//!
//! # How other tools differ
//! Linux's CUBIC has the older HyStart: it also measures trains of acknowledgments, and goes
//! straight to congestion avoidance. ns-3's TcpCubic has the older one too.
//!
//! # Validated against
//! Nothing outside but the equations: the RFC's HyStart++ is in neither Linux nor ns-3. Linux's older
//! HyStart, of the profile `linux`, is compared on the page of CUBIC.

use super::events::AckSample;
use super::round::Round;
use earlydrop::units::Nanos;

/// HyStart++'s parameters; the defaults are RFC 9406's recommendations, section 4.3.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// Least increase of the round-trip time that ends slow start; 4 ms (MIN_RTT_THRESH).
    pub min_increase: Nanos,
    /// Greatest increase that it waits for; 16 ms (MAX_RTT_THRESH).
    pub max_increase: Nanos,
    /// The increase between those bounds is a round-trip time divided by this; 8, at least 1
    /// (MIN_RTT_DIVISOR).
    pub divisor: u32,
    /// Round-trip samples needed in a round; 8 (N_RTT_SAMPLE).
    pub samples: u32,
    /// Divisor of growth in conservative slow start; 4, at least 1 (CSS_GROWTH_DIVISOR).
    pub css_growth_divisor: f64,
    /// Rounds of conservative slow start; 5 (CSS_ROUNDS).
    pub css_rounds: u32,
    /// Most segments an acknowledgment adds; 8, or infinity when pacing (L).
    pub limit: f64,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters {
            min_increase: Nanos::from_millis(4),
            max_increase: Nanos::from_millis(16),
            divisor: 8,
            samples: 8,
            css_growth_divisor: 4.0,
            css_rounds: 5,
            limit: 8.0,
        }
    }
}

/// What an acknowledgment does to `cwnd` in slow start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// `cwnd` grows by so many segments.
    Grow(f64),
    /// Slow start ends, with `cwnd` as it is.
    Leave,
}

/// Conservative slow start (CSS) in progress.
#[derive(Clone, Copy, Debug)]
struct Conservative {
    baseline: Nanos,
    rounds_left: u32,
}

/// HyStart++'s state for one flow's first slow start.
#[derive(Clone, Copy, Debug)]
pub struct HyStart {
    parameters: Parameters,
    round: Round,
    begun: bool,
    /// Least round-trip time of the last round (lastRoundMinRTT); NEVER for none.
    last_min_rtt: Nanos,
    /// Least round-trip time of this round (currentRoundMinRTT); NEVER for none.
    current_min_rtt: Nanos,
    samples: u32,
    css: Option<Conservative>,
}

impl HyStart {
    /// The state before the first acknowledgment.
    pub fn new(parameters: Parameters) -> HyStart {
        HyStart {
            parameters,
            round: Round::default(),
            begun: false,
            last_min_rtt: Nanos::NEVER,
            current_min_rtt: Nanos::NEVER,
            samples: 0,
            css: None,
        }
    }

    /// Processes an ACK of new data in slow start.
    pub fn on_ack(&mut self, ack: &AckSample) -> Step {
        if !self.begun {
            self.begun = true;
            self.round.begin(ack.in_flight);
        }
        let growth = f64::from(ack.segments).min(self.parameters.limit.max(1.0));
        if let Some(rtt) = ack.rtt {
            self.current_min_rtt = self.current_min_rtt.min(rtt);
            self.samples = self.samples.saturating_add(1);
        }
        self.compare_rtts();
        let step = match self.css {
            Some(_) => Step::Grow(growth / self.parameters.css_growth_divisor.max(1.0)),
            None => Step::Grow(growth),
        };
        if self.round.ends_with(ack) && self.end_of_round(ack) {
            return Step::Leave;
        }
        step
    }

    /// Enters or leaves conservative slow start by the round's least round-trip time (RFC 9406,
    /// 4.2).
    fn compare_rtts(&mut self) {
        let both_known = self.last_min_rtt < Nanos::NEVER && self.current_min_rtt < Nanos::NEVER;
        if self.samples < self.parameters.samples {
            return;
        }
        match self.css {
            Some(css) if self.current_min_rtt < css.baseline => self.css = None,
            None if both_known && self.current_min_rtt >= self.last_min_rtt + self.increase() => {
                self.css = Some(Conservative {
                    baseline: self.current_min_rtt,
                    rounds_left: self.parameters.css_rounds,
                });
            }
            _ => {}
        }
    }

    /// The increase of the round-trip time that counts as delay (RttThresh).
    fn increase(&self) -> Nanos {
        let part = Nanos(self.last_min_rtt.0 / u64::from(self.parameters.divisor.max(1)));
        let capped = part.min(self.parameters.max_increase);
        capped.max(self.parameters.min_increase)
    }

    /// Begins the next round; returns whether slow start ends.
    fn end_of_round(&mut self, ack: &AckSample) -> bool {
        self.round.begin(ack.in_flight.saturating_sub(ack.segments));
        self.last_min_rtt = self.current_min_rtt;
        self.current_min_rtt = Nanos::NEVER;
        self.samples = 0;
        let Some(css) = &mut self.css else {
            return false;
        };
        css.rounds_left = css.rounds_left.saturating_sub(1);
        css.rounds_left == 0
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    const MS: fn(u64) -> Nanos = Nanos::from_millis;

    /// Acknowledgments of one segment each, with 11 in flight, all after `rtt`. The first round
    /// has those 11 segments, the others the 10 that were left when they began.
    fn round(start: &mut HyStart, acks: u32, rtt: Nanos) -> Vec<Step> {
        let one = testing::sample(Nanos::ZERO, 1, 11, rtt);
        (0..acks).map(|_| start.on_ack(&one)).collect()
    }

    #[test]
    fn an_eighth_longer_begins_css_with_the_eighth_sample() {
        let mut start = HyStart::new(Parameters::default());
        // An eighth of 80 ms is 10 ms.
        assert_eq!(round(&mut start, 11, MS(80)), [Step::Grow(1.0); 11]);
        assert_eq!(
            round(&mut start, 10, Nanos(89_999_999)),
            [Step::Grow(1.0); 10]
        );
        // An eighth of the 90 ms just seen is 11.25 ms.
        let steps = round(&mut start, 10, MS(102));
        assert_eq!(steps[..7], [Step::Grow(1.0); 7]);
        assert_eq!(steps[7..], [Step::Grow(0.25); 3]);
    }

    #[test]
    fn leaves_after_five_rounds_with_the_first_counted() {
        let mut start = HyStart::new(Parameters::default());
        round(&mut start, 11, MS(20));
        // An eighth of 20 ms is 2.5 ms: 4 ms are needed.
        assert_eq!(round(&mut start, 10, Nanos(23_999_999))[9], Step::Grow(1.0));
        assert_eq!(round(&mut start, 10, MS(28))[9], Step::Grow(0.25));
        for _ in 0..3 {
            assert_eq!(round(&mut start, 10, MS(30)), [Step::Grow(0.25); 10]);
        }
        assert_eq!(round(&mut start, 10, MS(30))[9], Step::Leave);
    }

    #[test]
    fn resumes_when_the_delay_was_spurious() {
        let mut start = HyStart::new(Parameters::default());
        round(&mut start, 11, MS(20));
        assert_eq!(round(&mut start, 10, MS(24))[9], Step::Grow(0.25));
        let steps = round(&mut start, 10, MS(23));
        assert_eq!(steps[6..8], [Step::Grow(0.25), Step::Grow(1.0)]);
    }

    #[test]
    fn a_stretched_acknowledgment_adds_eight_at_most() {
        let mut start = HyStart::new(Parameters::default());
        let many = testing::sample(Nanos::ZERO, 20, 60, MS(20));
        assert_eq!(start.on_ack(&many), Step::Grow(8.0));
    }
}
