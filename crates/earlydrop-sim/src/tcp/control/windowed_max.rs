//! A windowed maximum filter over rounds.

/// Rounds of the window.
const ROUNDS: u64 = 10;

/// The maximum of the last [`ROUNDS`] rounds, exact, with one maximum stored for each round.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WindowedMax {
    rounds: [f64; ROUNDS as usize],
    newest: u64,
    /// The greatest of `rounds`.
    max: f64,
}

impl WindowedMax {
    /// The maximum; 0 without a value.
    #[inline]
    pub(super) fn max(&self) -> f64 {
        self.max
    }

    /// Adds `value` in `round`, which is not before the last one.
    pub(super) fn add(&mut self, round: u64, value: f64) {
        if round > self.newest {
            let passed = (round - self.newest).min(ROUNDS);
            for old in 0..passed {
                self.rounds[((round - old) % ROUNDS) as usize] = 0.0;
            }
            self.newest = round;
            self.max = self.rounds.iter().copied().fold(0.0, f64::max);
        }
        let slot = &mut self.rounds[(round % ROUNDS) as usize];
        *slot = slot.max(value);
        self.max = self.max.max(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_maximum_is_that_of_ten_rounds() {
        let mut rates = WindowedMax::default();
        rates.add(1, 70.0);
        rates.add(1, 50.0);
        for round in 2..=10 {
            rates.add(round, 40.0 + round as f64);
            assert_eq!(rates.max(), 70.0);
        }
        rates.add(11, 10.0);
        assert_eq!(rates.max(), 50.0);
        rates.add(500, 3.0);
        assert_eq!(rates.max(), 3.0);
    }
}
