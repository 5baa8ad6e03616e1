//! Times until an end, some of which are only known to be longer: completion times of transfers,
//! where some had not ended when the run did.

/// The distribution of times until an end, estimated by Kaplan and Meier's product limit.
///
/// Of the times at which something ended, S(t) = product over those up to t of (1 - d / n), where d
/// ended at that time and n had lasted that long. Where all ended, S is the share that lasted
/// longer. E. L. Kaplan and P. Meier, "Nonparametric estimation from incomplete observations",
/// *Journal of the American Statistical Association* 53 (1958), 457-481.
#[derive(Clone, Debug, Default)]
pub(super) struct Survival {
    /// The times until an end, sorted.
    ended: Vec<f64>,
    /// How long what has not ended has lasted, sorted.
    going_on: Vec<f64>,
    /// For each time in `ended`, the share that ended by then: 1 - S. Empty where all ended.
    within: Vec<f64>,
}

impl Survival {
    /// What ended after these times, and what has lasted for those.
    pub(super) fn new(
        ended: impl Iterator<Item = f64>,
        going_on: impl Iterator<Item = f64>,
    ) -> Survival {
        let (ended, going_on) = (sorted(ended), sorted(going_on));
        let within = match going_on.is_empty() {
            true => Vec::new(),
            false => product_limit(&ended, &going_on),
        };
        Survival {
            ended,
            going_on,
            within,
        }
    }

    /// How many ended.
    pub(super) fn ended(&self) -> usize {
        self.ended.len()
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.ended.len() + self.going_on.len()
    }

    /// Of all, the share of those that have not ended; `None` where there are none.
    pub(super) fn unfinished_share(&self) -> Option<f64> {
        (self.count() > 0).then(|| self.going_on.len() as f64 / self.count() as f64)
    }

    /// The time that this share does not exceed, by nearest rank; where more than the rest have
    /// not ended, a time that it is longer than: the longest of all. `None` where there are none.
    pub(super) fn quantile(&self, share: f64) -> Option<f64> {
        let rank = match self.going_on.is_empty() {
            true => (share * self.ended.len() as f64).ceil().max(1.0) as usize - 1,
            // Shares are sums of rounded ones.
            false => self
                .within
                .partition_point(|within| *within < share - 1e-12),
        };
        self.ended.get(rank).copied().or_else(|| self.longest())
    }

    /// The share up to which quantiles are known: beyond, they are only known to be longer.
    pub(super) fn known(&self) -> Option<f64> {
        (self.count() > 0).then(|| match self.going_on.is_empty() {
            true => 1.0,
            false => self.within.last().copied().unwrap_or(0.0),
        })
    }

    /// The [`quantile`](Survival::quantile), where it is known.
    pub(super) fn known_quantile(&self, share: f64) -> Option<f64> {
        let is_known = self.known()? >= share;
        self.quantile(share).filter(|_| is_known)
    }

    /// The share that ended before `time`.
    pub(super) fn share_before(&self, time: f64) -> Option<f64> {
        let before = self.ended.partition_point(|ended| *ended < time);
        (self.count() > 0).then(|| match self.going_on.is_empty() {
            true => before as f64 / self.ended.len() as f64,
            false => before.checked_sub(1).map_or(0.0, |last| self.within[last]),
        })
    }

    /// The mean; where some have not ended, at least this: each counts up to the longest of all.
    pub(super) fn mean(&self) -> Option<f64> {
        let count = self.ended.len() as f64;
        if self.going_on.is_empty() {
            return (count > 0.0).then(|| self.ended.iter().sum::<f64>() / count);
        }
        // The integral of S.
        let (mut mean, mut before, mut lasts) = (0.0, 0.0, 1.0);
        for (time, within) in self.ended.iter().zip(&self.within) {
            mean += lasts * (time - before);
            (before, lasts) = (*time, 1.0 - within);
        }
        Some(mean + lasts * (self.longest()? - before))
    }

    /// The sample variance (divisor n - 1); `None` for fewer than two, and where some have not
    /// ended.
    pub(super) fn variance(&self) -> Option<f64> {
        let count = self.ended.len() as f64;
        let mean = self.mean()?;
        let squares = self.ended.iter().map(|time| (time - mean).powi(2));
        let is_known = self.going_on.is_empty() && self.ended.len() > 1;
        is_known.then(|| squares.sum::<f64>() / (count - 1.0))
    }

    fn longest(&self) -> Option<f64> {
        let lasts = [self.ended.last(), self.going_on.last()];
        lasts.into_iter().flatten().copied().reduce(f64::max)
    }
}

/// For each time at which something ended, the share that ended by then.
fn product_limit(ended: &[f64], going_on: &[f64]) -> Vec<f64> {
    let mut lasts = 1.0;
    let of_time = |(index, time): (usize, &f64)| {
        // What has lasted for as long as something took counts as having lasted longer.
        let left = going_on.len() - going_on.partition_point(|lasted| lasted < time);
        let at_risk = ended.len() - index + left;
        lasts *= 1.0 - 1.0 / at_risk as f64;
        1.0 - lasts
    };
    ended.iter().enumerate().map(of_time).collect()
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn survival(ended: &[f64], going_on: &[f64]) -> Survival {
        Survival::new(ended.iter().copied(), going_on.iter().copied())
    }

    #[test]
    fn where_all_ended_quantiles_are_by_nearest_rank() {
        assert_eq!(survival(&[], &[]).quantile(0.5), None);
        let four = survival(&[4.0, 1.0, 3.0, 2.0], &[]);
        assert_eq!(four.quantile(0.5), Some(2.0));
        assert_eq!(four.quantile(0.95), Some(4.0));
        assert_eq!((four.known(), four.mean()), (Some(1.0), Some(2.5)));
        assert_eq!(four.share_before(3.0), Some(0.5));
        assert_eq!(four.variance(), Some(5.0 / 3.0));
        assert_eq!(survival(&[1.0], &[]).variance(), None);
    }

    /// Kaplan and Meier's own example: deaths at 0.8, 3.1, 5.4, 9.2 months, losses at 1.0, 2.7, 7.0,
    /// 12.1. S is 7/8, 7/8 4/5, 7/8 4/5 3/4, and that times 1/2.
    #[test]
    fn the_product_limit_of_its_authors() {
        let eight = survival(&[0.8, 3.1, 5.4, 9.2], &[1.0, 2.7, 7.0, 12.1]);
        let lasts = [7.0 / 8.0, 0.7, 0.525, 0.2625];
        for (within, lasts) in eight.within.iter().zip(lasts) {
            assert!((within + lasts - 1.0).abs() < 1e-12, "{eight:?}");
        }
        assert_eq!(eight.unfinished_share(), Some(0.5));
        assert_eq!(eight.quantile(0.3), Some(3.1));
        assert_eq!(eight.quantile(0.5), Some(9.2));
        assert!((eight.known().unwrap() - 0.7375).abs() < 1e-12);
        // Beyond, as long as the longest of all at least.
        assert_eq!(eight.quantile(0.99), Some(12.1));
        let mean = 0.8 + 2.3 * 7.0 / 8.0 + 2.3 * 0.7 + 3.8 * 0.525 + 2.9 * 0.2625;
        assert!((eight.mean().unwrap() - mean).abs() < 1e-12);
        assert_eq!(eight.variance(), None);
    }

    #[test]
    fn where_none_ended_all_is_a_bound() {
        let none = survival(&[], &[3.0, 5.0]);
        assert_eq!(none.quantile(0.5), Some(5.0));
        assert_eq!(none.known(), Some(0.0));
        assert_eq!(none.mean(), Some(5.0));
        assert_eq!(none.share_before(9.0), Some(0.0));
    }
}
