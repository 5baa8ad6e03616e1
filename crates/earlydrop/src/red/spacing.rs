//! The spacing law: the actual probability Pa from the initial probability Pb, and so the
//! gaps between drops. With `c` packets passed since the last drop:
//!
//! | law | Pa | gaps at constant Pb | long-run rate at Pb = 0.02 |
//! |---|---|---|---|
//! | geometric | Pb | geometric, mean 1/Pb | 1.00 Pb |
//! | uniform | Pb/(1 - c Pb) | uniform on 1..1/Pb | 1.96 Pb |
//! | pseudocode | Pb/(1 - (c+1) Pb) | uniform on 1..1/Pb - 1 | 2.00 Pb |
//! | uniform2 | Pb/(2 - c Pb) | uniform on 1..2/Pb | 0.99 Pb |
//! | wait | 0 while (c+1) Pb < 1, then Pb/(2 - (c+1) Pb) | uniform on 1/Pb..2/Pb | 0.67 Pb |
//! | drawn | 1 once (c+1) Pb reaches R, uniform on 0..1 and drawn once a gap | uniform on 1..1/Pb | 1.96 Pb |
//!
//! - *Uniform* is Floyd and Jacobson's method 2 (1993, section VIII): a gap of n has
//!   probability Pb for every n up to 1/Pb. c counts the packets before this one, as their
//!   text requires.
//! - *Pseudocode* is their figure 2, and algorithms 2 and 4 of Hassan and Oluwatope. They count
//!   the arriving packet before they compute Pa: the first Pa after a drop is Pb/(1 - Pb), and
//!   at Pb of 1/2 or more every packet after a drop is dropped, too. Below the first threshold
//!   their count is -1, so the first packet above it has Pa = Pb.
//! - *Drawn* is how they suggest to compute it (figure 17), and what Linux does: the gaps
//!   of uniform at constant Pb, for one random number a drop. Where Pb rises within a gap,
//!   the rise applies to all packets of the gap at once.
//! - *Uniform2* is DPDK's.
//! - *Wait* is the default of ns-2 and ns-3, which count the arriving packet.

mod why;

use crate::curve::ONE;
use crate::random::Pcg32;
use crate::trace::Trace;

pub(crate) use why::{Shares, probability};

/// How drops are spaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub enum Spacing {
    /// Gaps uniform on 1..1/Pb (1993).
    Uniform,
    /// Gaps uniform on 1..1/Pb - 1 (1993 figure 2, Hassan and Oluwatope).
    Pseudocode,
    /// Gaps uniform on 1..2/Pb (DPDK).
    Uniform2,
    /// Gaps uniform on 1..1/Pb, by one number drawn a gap (1993 figure 17, Linux).
    Drawn,
    /// Gaps uniform on 1/Pb..2/Pb (ns-2, ns-3).
    Wait,
    /// Each packet independently: geometric gaps.
    Geometric,
}

impl Spacing {
    /// Names for configuration, each with what it means.
    pub(crate) const CHOICES: &'static [(&'static str, &'static str)] = &[
        ("geometric", "each packet independently: rate Pb"),
        (
            "uniform",
            "gaps uniform on 1..1/Pb, as Floyd and Jacobson 1993: about 2 Pb",
        ),
        (
            "pseudocode",
            "gaps uniform on 1..1/Pb - 1: the pseudo-code of 1993 and of CLRED, which counts the arriving packet",
        ),
        ("uniform2", "gaps uniform on 1..2/Pb, as DPDK: about Pb"),
        (
            "wait",
            "gaps uniform on 1/Pb..2/Pb, as ns-2 and ns-3: about 2/3 Pb",
        ),
        ("drawn", "as uniform, with one number drawn a gap, as Linux"),
    ];

    /// The law of this name in configuration; any other name is `uniform`.
    pub fn named(name: &str) -> Spacing {
        match name {
            "geometric" => Spacing::Geometric,
            "pseudocode" => Spacing::Pseudocode,
            "uniform2" => Spacing::Uniform2,
            "wait" => Spacing::Wait,
            "drawn" => Spacing::Drawn,
            _ => Spacing::Uniform,
        }
    }

    /// The count with which a gap starts after a drop: 0, or 1 where the arriving packet counts.
    pub fn first_count(self) -> u32 {
        u32::from(self == Spacing::Pseudocode)
    }

    /// The actual probability Pa after `count` packets passed. For `Pseudocode`, the count after
    /// a drop starts at [`first_count`](Spacing::first_count). For `Drawn`, Pa is that of
    /// `Uniform`: the probability before R is drawn.
    pub fn probability(self, pb: f64, count: f64) -> f64 {
        let divisor = match self {
            Spacing::Geometric => 1.0,
            Spacing::Uniform | Spacing::Pseudocode | Spacing::Drawn => 1.0 - count * pb,
            Spacing::Uniform2 => 2.0 - count * pb,
            Spacing::Wait if (count + 1.0) * pb < 1.0 => return 0.0,
            Spacing::Wait => 2.0 - (count + 1.0) * pb,
        };
        if pb >= divisor { 1.0 } else { pb / divisor }
    }
}

/// The gap since the last drop, and the law that ends it.
///
/// Probabilities are in steps of 2^-32.
#[derive(Clone, Debug)]
pub(crate) struct Gap {
    spacing: Spacing,
    /// Packets passed in this gap, or bytes.
    count: u64,
    /// For `Drawn`, R in this gap; 0 while it has not been drawn.
    goal: u64,
    /// The divisor of the uniform laws at the start of a gap: 1 or 2, in steps of 2^-32.
    top: u64,
    /// The count after a drop.
    first: u32,
    /// For `Drawn`, Linux's rules of where a gap begins and when R is drawn.
    linux: Option<LinuxGap>,
}

/// `red_action` of Linux's net/red.h, beyond the law itself.
///
/// The first packet in the band, also after a drop above it, starts a gap and passes. R is drawn
/// when a gap starts. A full buffer starts none.
#[derive(Clone, Copy, Debug)]
struct LinuxGap {
    /// By how much R falls short of a uniform number, in steps of 2^-32, where it is kept in
    /// whole packets or bytes: the slope of Pb.
    slope: u64,
    /// R of the gap that starts after this signal; 0 if it starts in the band.
    next: u64,
}

impl Gap {
    /// `unit` is what a packet adds to the count: 1, or the mean packet's bytes.
    pub(crate) fn new(spacing: Spacing, unit: u32) -> Gap {
        let halves = spacing == Spacing::Uniform2;
        Gap {
            spacing,
            count: 0,
            goal: 0,
            top: if halves { 2 * ONE } else { ONE },
            first: spacing.first_count() * unit,
            linux: None,
        }
    }

    /// With Linux's rules of where gaps begin, for a Pb that rises by `slope` steps of 2^-32 a
    /// packet or byte; 0 for a Pb of any value.
    pub(crate) fn with_linux_entry(mut self, slope: u64) -> Gap {
        self.linux = Some(LinuxGap { slope, next: 0 });
        self
    }

    /// Changes by how much Pb rises a packet or byte, where Linux's rules apply.
    pub(crate) fn set_linux_slope(&mut self, slope: u64) {
        if let Some(linux) = &mut self.linux {
            linux.slope = slope;
        }
    }

    /// Goes on with the gap of `old`, where a packet counts `scale` times as much.
    pub(crate) fn continue_from(&mut self, old: Gap, scale: f64) {
        let count = match scale == 1.0 {
            true => old.count,
            false => (old.count as f64 * scale) as u64,
        };
        // So few that the count times any Pb is a number of 64 bits.
        self.count = count.min(u64::from(u32::MAX / 2));
        if self.spacing != old.spacing {
            return;
        }
        self.goal = old.goal;
        if let (Some(linux), Some(old)) = (&mut self.linux, &old.linux) {
            linux.next = old.next;
        }
    }

    pub(crate) fn spacing(&self) -> Spacing {
        self.spacing
    }

    /// Packets passed in this gap, or bytes.
    #[inline]
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Starts a new gap with `count` packets (or bytes) passed.
    #[inline]
    pub(crate) fn restart(&mut self, count: u32) {
        self.count = u64::from(count);
        self.goal = 0;
    }

    /// Starts the gap after a drop or mark.
    #[inline]
    pub(crate) fn restart_after_signal(&mut self) {
        self.restart(self.first);
        if let Some(linux) = &mut self.linux {
            self.goal = core::mem::take(&mut linux.next);
        }
    }

    /// Starts the gap after a packet met a full buffer.
    #[inline]
    pub(crate) fn restart_after_full_buffer(&mut self) {
        if self.linux.is_none() {
            self.restart_after_signal();
        }
    }

    /// Counts a passed packet as `step`: 1, or its bytes.
    #[inline]
    pub(crate) fn pass(&mut self, step: u32) {
        self.count = self.count.wrapping_add(u64::from(step));
    }

    /// Whether the gap ends with this packet. The caller then calls [`restart`](Gap::restart) or
    /// [`pass`](Gap::pass).
    ///
    /// The laws are distinguished by comparisons, which cost less than a jump table.
    #[inline(always)]
    pub(crate) fn is_over(
        &mut self,
        shares: Shares,
        random: &mut Pcg32,
        trace: &mut impl Trace,
    ) -> bool {
        trace.note(|why| self.show_count(why, &shares));
        let Shares { spent, own, .. } = shares;
        if self.spacing == Spacing::Drawn {
            trace.note(|why| self.show_ended(why, &shares));
            if spent + own >= self.goal {
                return self.reaches_goal(spent + own, random, trace);
            }
            trace.note(|why| self.show_goal(why, spent + own));
            false
        } else if self.spacing <= Spacing::Uniform2 {
            self.draws(&shares, self.top.saturating_sub(spent), random, trace)
        } else if self.spacing == Spacing::Wait {
            let reached = spent + own;
            trace.note(|why| self.show_wait(why, &shares));
            reached >= ONE && self.draws(&shares, (2 * ONE).saturating_sub(reached), random, trace)
        } else {
            self.draws(&shares, ONE, random, trace)
        }
    }

    /// Whether a random u in [0, 1) is below this packet's share over `divisor`, without the
    /// division: `u divisor < own`. u loses one bit so that the product fits. A divisor of 0
    /// always gives true.
    #[inline(always)]
    fn draws(
        &self,
        shares: &Shares,
        divisor: u64,
        random: &mut Pcg32,
        trace: &mut impl Trace,
    ) -> bool {
        let u = u64::from(random.next_u32() >> 1);
        trace.note(|why| self.show_draw(why, shares, divisor, u));
        u * divisor < shares.own << 31
    }

    /// Whether R is reached, drawing it at the start of a gap.
    #[cold]
    fn reaches_goal(&mut self, reached: u64, random: &mut Pcg32, trace: &mut impl Trace) -> bool {
        let Some(linux) = self.linux else {
            if self.goal == 0 {
                self.goal = u64::from(random.next_u32()) + 1;
            }
            trace.note(|why| self.show_goal(why, reached));
            return reached >= self.goal;
        };
        let drawn = (u64::from(random.next_u32()) + 1).saturating_sub(linux.slope);
        if self.goal == 0 {
            // This packet passes and is not counted: the caller adds it again.
            self.goal = drawn.max(1);
            self.count = self.count.wrapping_sub(1);
            let says = "the number R drawn for the gap that starts";
            trace.given(says, ("R", ""), probability(self.goal - 1));
            let reason = "the first packet in the band starts a gap and passes";
            trace.note(|why| why.by(self.spacing.names().0, reason));
            return false;
        }
        trace.note(|why| self.show_goal(why, reached));
        self.linux = Some(LinuxGap {
            next: drawn.max(1),
            ..linux
        });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::in_steps;
    use crate::random::Pcg32;
    use alloc::vec;
    use alloc::vec::Vec;

    const PB: f64 = 0.02;

    /// Numbers of gaps of each length in `drops` drops at constant Pb.
    fn gaps(law: Spacing, drops: u32) -> Vec<u32> {
        let mut random = Pcg32::new(1993, 0);
        let mut seen = vec![0; 1000];
        let mut gap = Gap::new(law, 1);
        gap.restart_after_signal();
        let first = gap.count();
        let pb = in_steps(PB);
        for _ in 0..drops {
            while !gap.is_over(Shares::alike(pb, gap.count()), &mut random, &mut ()) {
                gap.pass(1);
            }
            seen[((gap.count() - first) as usize + 1).min(999)] += 1;
            gap.restart_after_signal();
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
        let seen = gaps(Spacing::Pseudocode, 100_000);
        assert!(
            chi_squared_uniform(&seen, 1, 49) < 84.1,
            "48 degrees of freedom"
        );
        let seen = gaps(Spacing::Drawn, 100_000);
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
    fn long_run_rates_are_196_200_099_100_and_067() {
        for (law, exact) in [
            (Spacing::Uniform, 1.0 / (25.5 * PB)),
            (Spacing::Pseudocode, 1.0 / (25.0 * PB)),
            (Spacing::Drawn, 1.0 / (25.5 * PB)),
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
            Spacing::Pseudocode,
            Spacing::Uniform2,
            Spacing::Wait,
        ] {
            for (pb, count) in [(0.3, 0_u32), (0.3, 2), (0.3, 4), (0.01, 120), (0.9, 1)] {
                let steps = in_steps(pb);
                let ends = |_: &u32| {
                    let mut gap = Gap::new(law, 1);
                    gap.restart(count);
                    gap.is_over(Shares::alike(steps, gap.count()), &mut random, &mut ())
                };
                let share = (0..200_000).filter(ends).count() as f64 / 200_000.0;
                let pa = law.probability(pb, f64::from(count));
                assert!(
                    (share - pa).abs() < 0.0056,
                    "{law:?} {pb} {count}: {share} {pa}"
                );
            }
        }
    }

    #[test]
    fn a_number_is_drawn_once_a_gap() {
        let mut random = Pcg32::new(17, 0);
        let mut same = random.clone();
        let goal = u64::from(same.next_u32()) + 1;
        let mut gap = Gap::new(Spacing::Drawn, 1);
        let mut ends = |spent, own| {
            let shares = Shares {
                spent,
                ..Shares::alike(own, 0)
            };
            gap.is_over(shares, &mut random, &mut ())
        };
        assert!(!ends(0, goal - 1), "just short of it");
        assert!(ends(goal - 1, 1), "reached");
        assert_eq!(random, same, "nothing more was drawn");
    }

    /// Algorithms 2 and 4 of Hassan and Oluwatope: "Set count <- count + 1" comes before
    /// "P_a <- P_b/(1 - count.P_b)"; count is 0 after a drop and -1 below the first threshold.
    #[test]
    fn the_pseudocode_counts_the_arriving_packet() {
        let law = Spacing::Pseudocode;
        let first = |law: Spacing, pb| law.probability(pb, f64::from(law.first_count()));
        assert_eq!(first(law, 0.2), 0.2 / 0.8);
        assert_eq!(first(law, 0.5), 1.0);
        assert_eq!(first(Spacing::Uniform, 0.2), 0.2);
        assert_eq!(law.probability(0.2, 0.0), 0.2, "the first above min");
        let mut gap = Gap::new(law, 1000);
        gap.restart_after_signal();
        assert_eq!(gap.count(), 1000, "bytes, in byte mode");
        gap.restart(0);
        assert_eq!(gap.count(), 0);
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
