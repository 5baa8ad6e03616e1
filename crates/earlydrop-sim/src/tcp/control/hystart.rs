//! HyStart++: a first slow start that ends when round trips grow longer, before loss.
//!
//! # Reference
//! P. Balasubramanian, Y. Huang, M. Olson, "HyStart++: Modified Slow Start for TCP",
//! RFC 9406, 2023, section 4.
//!
//! # Equations
//! Times in seconds, windows in segments; a round is one window of data.
//! - Slow start grows by `min(N, L)` for N segments acknowledged.
//! - With n samples in this round, m its least round-trip time and m' the last round's:
//!   when n >= 8 and `m >= m' + max(4 ms, min(m' / 8, 16 ms))`, conservative slow start
//!   (CSS) begins with baseline m: growth is divided by 4.
//! - In CSS, with 8 samples in a round and m below the baseline: the increase was
//!   spurious, and slow start resumes.
//! - After 5 rounds of CSS, the one in which it began counted: congestion avoidance.
//!
//! # Our readings
//! - A round is counted in segments, since a controller is told no sequence numbers.
//! - Acknowledgments without a round-trip time count for growth, not as samples.
//! - The RFC limits growth to L = 8 segments an acknowledgment where the sender does not
//!   pace; `limit` is that L, to be set to infinity for one that does.
//! - Only the first slow start is watched, as the RFC advises in section 4.3.
//!
//! # How other tools differ
//! Linux's CUBIC has the older HyStart: it looks at trains of acknowledgments too, and
//! goes straight to congestion avoidance. ns-3's TcpCubic has the older one as well.

use super::Acked;
use super::round::Round;
use earlydrop::units::Nanos;

/// What HyStart++ goes by; the defaults are RFC 9406's recommendations, section 4.3.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// The least increase that counts as delay; 4 ms.
    pub least_increase: Nanos,
    /// The most that is waited for; 16 ms.
    pub most_increase: Nanos,
    /// The part of a round-trip time, 1 in this many, that counts as delay; 8, at least 1.
    pub divisor: u32,
    /// Samples a round is judged by; 8.
    pub samples: u32,
    /// What growth is divided by in conservative slow start; 4, at least 1.
    pub slower: f64,
    /// Rounds of conservative slow start; 5.
    pub rounds: u32,
    /// Segments an acknowledgment may add at most; 8, or infinity when pacing.
    pub limit: f64,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters {
            least_increase: Nanos::from_millis(4),
            most_increase: Nanos::from_millis(16),
            divisor: 8,
            samples: 8,
            slower: 4.0,
            rounds: 5,
            limit: 8.0,
        }
    }
}

/// What an acknowledgment does to a window in slow start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// It grows by so many segments.
    Grow(f64),
    /// Slow start is over, at the window as it is.
    Leave,
}

/// Conservative slow start.
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
    /// The least round-trip time of the last and of this round; NEVER for none.
    last: Nanos,
    current: Nanos,
    samples: u32,
    conservative: Option<Conservative>,
}

impl HyStart {
    /// Before the first acknowledgment.
    pub fn new(parameters: Parameters) -> HyStart {
        HyStart {
            parameters,
            round: Round::default(),
            begun: false,
            last: Nanos::NEVER,
            current: Nanos::NEVER,
            samples: 0,
            conservative: None,
        }
    }

    /// New data was acknowledged in slow start.
    pub fn on_acked(&mut self, acked: &Acked) -> Step {
        if !self.begun {
            self.begun = true;
            self.round.begin(acked.in_flight);
        }
        let growth = f64::from(acked.segments).min(self.parameters.limit.max(1.0));
        if let Some(rtt) = acked.rtt {
            self.current = self.current.min(rtt);
            self.samples = self.samples.saturating_add(1);
        }
        self.judge();
        let step = match self.conservative {
            Some(_) => Step::Grow(growth / self.parameters.slower.max(1.0)),
            None => Step::Grow(growth),
        };
        if self.round.is_over_with(acked) && self.end_of_round(acked) {
            return Step::Leave;
        }
        step
    }

    fn judge(&mut self) {
        let known = self.last < Nanos::NEVER && self.current < Nanos::NEVER;
        if self.samples < self.parameters.samples {
            return;
        }
        match self.conservative {
            Some(css) if self.current < css.baseline => self.conservative = None,
            None if known && self.current >= self.last + self.increase() => {
                self.conservative = Some(Conservative {
                    baseline: self.current,
                    rounds_left: self.parameters.rounds,
                });
            }
            _ => {}
        }
    }

    /// The longer round trip that counts as delay.
    fn increase(&self) -> Nanos {
        let part = Nanos(self.last.0 / u64::from(self.parameters.divisor.max(1)));
        let capped = part.min(self.parameters.most_increase);
        capped.max(self.parameters.least_increase)
    }

    /// Begins the next round; true when slow start is to be left.
    fn end_of_round(&mut self, acked: &Acked) -> bool {
        self.round
            .begin(acked.in_flight.saturating_sub(acked.segments));
        self.last = self.current;
        self.current = Nanos::NEVER;
        self.samples = 0;
        let Some(css) = &mut self.conservative else {
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

    /// Acknowledgments of one segment each, out of a constant window of 11, all after
    /// `rtt`. The first round is of those 11, the others of the 10 that were left when
    /// they began.
    fn round(start: &mut HyStart, acks: u32, rtt: Nanos) -> Vec<Step> {
        let one = testing::acked(Nanos::ZERO, 1, 11, rtt);
        (0..acks).map(|_| start.on_acked(&one)).collect()
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
        let many = testing::acked(Nanos::ZERO, 20, 60, MS(20));
        assert_eq!(start.on_acked(&many), Step::Grow(8.0));
    }
}
