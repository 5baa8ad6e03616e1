//! The spacing: from the initial probability Pb to the actual probability Pa,
//! and so how drops lie apart. With `c` packets let through since the last drop:
//!
//! | law | Pa | gaps at constant Pb | long-run rate at Pb = 0.02 |
//! |---|---|---|---|
//! | geometric | Pb | geometric, mean 1/Pb | 1.00 Pb |
//! | uniform | Pb/(1 - c Pb) | uniform on 1..1/Pb | 1.96 Pb |
//! | uniform2 | Pb/(2 - c Pb) | uniform on 1..2/Pb | 0.99 Pb |
//! | wait | 0 while (c+1) Pb < 1, then Pb/(2 - (c+1) Pb) | uniform on 1/Pb..2/Pb | 0.67 Pb |
//!
//! Uniform is Floyd and Jacobson's method 2 (1993, section VIII), by which a gap
//! of n has probability Pb for every n up to 1/Pb: c counts the packets before
//! this one, as their text needs, not this one too, as their pseudo-code does.
//! Linux draws a threshold R once a gap and drops when c Pb reaches it, the same
//! law at constant Pb. Uniform2 is DPDK's. Wait is the default of ns-2 and ns-3,
//! which count the arriving packet itself.

/// How drops are spaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// Each packet for itself.
    Geometric,
    /// Gaps uniform on 1..1/Pb (1993, Linux).
    Uniform,
    /// Gaps uniform on 1..2/Pb (DPDK).
    Uniform2,
    /// Gaps uniform on 1/Pb..2/Pb (ns-2, ns-3).
    Wait,
}

impl Spacing {
    /// Names for configuration, each with what it means.
    pub(crate) const CHOICES: &'static [(&'static str, &'static str)] = &[
        ("geometric", "each packet for itself: rate Pb"),
        (
            "uniform",
            "gaps uniform on 1..1/Pb, as 1993 and Linux: about 2 Pb",
        ),
        ("uniform2", "gaps uniform on 1..2/Pb, as DPDK: about Pb"),
        (
            "wait",
            "gaps uniform on 1/Pb..2/Pb, as ns-2 and ns-3: about 2/3 Pb",
        ),
    ];

    pub(crate) fn named(name: &str) -> Spacing {
        match name {
            "geometric" => Spacing::Geometric,
            "uniform2" => Spacing::Uniform2,
            "wait" => Spacing::Wait,
            _ => Spacing::Uniform,
        }
    }

    /// The actual probability Pa after `count` packets let through.
    pub fn probability(self, pb: f64, count: f64) -> f64 {
        let divisor = match self {
            Spacing::Geometric => 1.0,
            Spacing::Uniform => 1.0 - count * pb,
            Spacing::Uniform2 => 2.0 - count * pb,
            Spacing::Wait if (count + 1.0) * pb < 1.0 => return 0.0,
            Spacing::Wait => 2.0 - (count + 1.0) * pb,
        };
        if pb >= divisor { 1.0 } else { pb / divisor }
    }

    /// Whether a drawn number falls below the actual probability, everything in
    /// steps of 2^-32: Pb, `spent` = count Pb, and `own`, this packet's share of Pb
    /// (Pb itself, but for packets scaled by size).
    ///
    /// `draw/2^32 < own/divisor` without the division, a bit of the draw given up so
    /// that the product fits. Where nothing is left to divide by, it always does.
    #[inline]
    pub(crate) fn hits(self, spent: u64, own: u64, draw: u32) -> bool {
        let divisor = match self {
            Spacing::Geometric => ONE,
            Spacing::Uniform => ONE.saturating_sub(spent),
            Spacing::Uniform2 => (2 * ONE).saturating_sub(spent),
            Spacing::Wait if spent + own < ONE => return false,
            Spacing::Wait => (2 * ONE).saturating_sub(spent + own),
        };
        u64::from(draw >> 1) * divisor < own << 31
    }
}

/// Probability 1 in the steps of 2^-32 that verdicts are reached in.
pub(crate) const ONE: u64 = 1 << 32;

/// `p` in steps of 2^-32, rounded.
#[inline]
pub(crate) fn in_steps(p: f64) -> u64 {
    (p * ONE as f64 + 0.5) as i64 as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Pcg32;
    use alloc::vec;
    use alloc::vec::Vec;

    const PB: f64 = 0.02;

    /// Numbers of gaps of each length in `drops` drops at constant Pb.
    fn gaps(law: Spacing, drops: u32) -> Vec<u32> {
        let mut random = Pcg32::new(1993, 0);
        let mut seen = vec![0; 1000];
        for _ in 0..drops {
            let pb = in_steps(PB);
            let mut count = 0;
            while !law.hits(count * pb, pb, random.next_u32()) {
                count += 1;
            }
            seen[(count as usize + 1).min(999)] += 1;
        }
        seen
    }

    /// Chi-squared of `seen` against equal numbers on `from..=to`; none elsewhere.
    fn chi_squared_uniform(seen: &[u32], from: usize, to: usize) -> f64 {
        let inside = &seen[from..=to];
        let total: u32 = inside.iter().sum();
        assert_eq!(
            total,
            seen.iter().sum::<u32>(),
            "gaps outside {from}..={to}"
        );
        let expected = f64::from(total) / inside.len() as f64;
        let square = |n: &u32| (f64::from(*n) - expected) * (f64::from(*n) - expected);
        inside.iter().map(square).sum::<f64>() / expected
    }

    // False alarms: each chi-squared bound is the 99.9% point of its
    // distribution, so one seed in a thousand would fail; the seed is fixed.
    #[test]
    fn gap_distributions_are_the_closed_forms() {
        let seen = gaps(Spacing::Uniform, 100_000);
        assert!(
            chi_squared_uniform(&seen, 1, 50) < 85.4,
            "49 degrees of freedom"
        );
        let seen = gaps(Spacing::Uniform2, 100_000);
        assert!(
            chi_squared_uniform(&seen, 1, 100) < 148.2,
            "99 degrees of freedom"
        );
        let seen = gaps(Spacing::Wait, 100_000);
        assert!(
            chi_squared_uniform(&seen, 50, 99) < 85.4,
            "49 degrees of freedom"
        );
        let seen = gaps(Spacing::Geometric, 100_000);
        let mut chi_squared = 0.0;
        for (gap, n) in seen.iter().enumerate().take(201).skip(1) {
            let expected = 100_000.0 * PB * libm::pow(1.0 - PB, gap as f64 - 1.0);
            chi_squared += (f64::from(*n) - expected) * (f64::from(*n) - expected) / expected;
        }
        assert!(chi_squared < 267.6, "200 degrees of freedom: {chi_squared}");
    }

    // The mean of 100,000 gaps has a standard error below 0.32% (geometric, the
    // widest law); the 2% allowed is over six of them: a false alarm in 1e9 seeds.
    #[test]
    fn long_run_rates_are_196_099_100_and_067() {
        for (law, exact) in [
            (Spacing::Uniform, 1.0 / (25.5 * PB)),
            (Spacing::Uniform2, 1.0 / (50.5 * PB)),
            (Spacing::Geometric, 1.0),
            (Spacing::Wait, 1.0 / (74.5 * PB)),
        ] {
            let seen = gaps(law, 100_000);
            let packets: u64 = (0..).zip(&seen).map(|(gap, n)| gap * u64::from(*n)).sum();
            let rate = 100_000.0 / packets as f64 / PB;
            assert!(
                (rate / exact - 1.0).abs() < 0.02,
                "{law:?}: {rate} for {exact}"
            );
        }
        let rounded = |rate: f64| libm::round(rate * 100.0) / 100.0;
        assert_eq!(rounded(1.0 / (25.5 * PB)), 1.96);
        assert_eq!(rounded(1.0 / (50.5 * PB)), 0.99);
        assert_eq!(rounded(1.0 / (74.5 * PB)), 0.67);
    }

    // 200,000 draws each: a standard error of at most 0.0011, and five of them
    // allowed, a false alarm in a million seeds.
    #[test]
    fn verdicts_come_with_the_probability_of_the_law() {
        let mut random = Pcg32::new(5, 0);
        for law in [
            Spacing::Geometric,
            Spacing::Uniform,
            Spacing::Uniform2,
            Spacing::Wait,
        ] {
            for (pb, count) in [(0.3, 0_u32), (0.3, 2), (0.3, 4), (0.01, 120), (0.9, 1)] {
                let steps = in_steps(pb);
                let hit = |_: &u32| law.hits(u64::from(count) * steps, steps, random.next_u32());
                let share = (0..200_000).filter(hit).count() as f64 / 200_000.0;
                let pa = law.probability(pb, f64::from(count));
                assert!(
                    (share - pa).abs() < 0.0056,
                    "{law:?} {pb} {count}: {share} {pa}"
                );
            }
        }
    }

    #[test]
    fn probability_is_the_law_and_ends_at_one() {
        assert_eq!(Spacing::Geometric.probability(0.1, 1e9), 0.1);
        assert_eq!(Spacing::Uniform.probability(0.1, 5.0), 0.1 / 0.5);
        assert_eq!(Spacing::Uniform.probability(0.1, 10.0), 1.0);
        assert_eq!(Spacing::Uniform.probability(0.1, 50.0), 1.0);
        assert_eq!(Spacing::Uniform2.probability(0.1, 5.0), 0.1 / 1.5);
        assert_eq!(Spacing::Wait.probability(0.1, 8.0), 0.0);
        assert_eq!(Spacing::Wait.probability(0.1, 9.0), 0.1);
        assert_eq!(Spacing::Wait.probability(0.1, 25.0), 1.0);
        assert_eq!(Spacing::Wait.probability(0.0, 25.0), 0.0);
    }
}
