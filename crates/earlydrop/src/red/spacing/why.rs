//! Why a gap between drops ends with a packet, or goes on.

use super::{Gap, Spacing};
use crate::curve::ONE;
use crate::explanation::{Number, Why, below, numbers};

/// The shares of Pb that end a gap, in steps of 2^-32.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shares {
    /// The initial probability.
    pub(crate) pb: u64,
    /// The count times Pb.
    pub(crate) spent: u64,
    /// This packet's share of Pb.
    pub(crate) own: u64,
    /// The packet's size and the mean size, where Pb is scaled by size.
    pub(crate) sizes: Option<[f64; 2]>,
}

impl Shares {
    /// Where every packet counts alike.
    pub(crate) fn alike(pb: u64, count: u64) -> Shares {
        Shares {
            pb,
            spent: count.wrapping_mul(pb),
            own: pb,
            sizes: None,
        }
    }
}

/// A probability from steps of 2^-32.
pub(crate) fn probability(steps: u64) -> f64 {
    steps as f64 / ONE as f64
}

/// The words and numbers of a gap's shares.
struct Terms {
    /// The packet's own share, and the count times Pb.
    symbols: [&'static str; 2],
    spent: alloc::string::String,
    own: f64,
}

impl Spacing {
    /// The law's name and where it is published.
    pub(super) fn names(self) -> (&'static str, &'static str) {
        match self {
            Spacing::Geometric => (
                "geometric spacing",
                "Floyd and Jacobson 1993, section VIII, method 1",
            ),
            Spacing::Uniform => (
                "uniform spacing",
                "Floyd and Jacobson 1993, section VIII, method 2",
            ),
            Spacing::Pseudocode => (
                "uniform spacing as in the pseudo-code",
                "Floyd and Jacobson 1993, figure 2",
            ),
            Spacing::Uniform2 => ("uniform spacing up to 2/p_b", "DPDK rte_red.h"),
            Spacing::Wait => ("uniform spacing after a wait of 1/p_b", "ns-2 red.cc"),
            Spacing::Drawn => (
                "uniform spacing by one number a gap",
                "Floyd and Jacobson 1993, figure 17; Linux net/red.h",
            ),
        }
    }
}

impl Gap {
    /// Shows how far the gap has come, which waits below 1, and that it waits.
    pub(super) fn show_wait(&self, why: &mut Why, shares: &Shares) {
        let terms = self.terms(shares);
        let [p, used] = terms.symbols;
        let reached = probability(shares.spent + shares.own);
        why.step(
            "how far the gap has come; below 1 it waits",
            ("g", ""),
            alloc::format!("g = {used} + {p}"),
            numbers!("{} + {}", probability(shares.spent), terms.own),
            reached,
        );
        why.by(self.spacing.names().0, below(reached, 1.0));
    }

    /// Shows Pa, a packet's share over `divisor`, and what was drawn: `u` in steps of 2^-31.
    pub(super) fn show_draw(&self, why: &mut Why, shares: &Shares, divisor: u64, u: u64) {
        let own = shares.own;
        let (equation, text) = self.actual(&self.terms(shares), shares, own >= divisor);
        let chance = match own {
            0 => 0.0,
            own if own >= divisor => 1.0,
            own => own as f64 / divisor as f64,
        };
        let says = "the actual probability";
        why.step(says, ("p_a", ""), equation, text, chance);
        why.drawn(self.spacing.names().0, probability(2 * u), chance);
    }

    /// Shows the count, and the shares of Pb where they are scaled by size.
    pub(super) fn show_count(&self, why: &mut Why, shares: &Shares) {
        why.source = self.spacing.names().1;
        let Shares { pb, spent, own, .. } = *shares;
        let (pb, count) = (probability(pb), self.count as f64);
        let Some([size, mean]) = shares.sizes else {
            let says = match self.spacing {
                Spacing::Pseudocode => {
                    "the packets since the last drop or mark, this one among them"
                }
                _ => "the packets passed since the last drop or mark",
            };
            return why.given(says, ("count", "packets"), count);
        };
        why.given(
            "the bytes passed since the last drop or mark",
            ("count", "bytes"),
            count,
        );
        why.step(
            "p_b scaled by the packet's size",
            ("p_s", ""),
            "p_s = min(1, p_b size / mean_packet)",
            numbers!("min(1, {} * {} / {})", pb, size, mean),
            probability(own),
        );
        why.step(
            "the part of the gap that has passed",
            ("s", ""),
            "s = p_b count / mean_packet",
            numbers!("{} * {} / {}", pb, count, mean),
            probability(spent),
        );
    }

    /// The words and numbers of `shares`.
    fn terms(&self, shares: &Shares) -> Terms {
        let (pb, count) = (probability(shares.pb), self.count as f64);
        match shares.sizes {
            None => Terms {
                symbols: ["p_b", "count p_b"],
                spent: numbers!("{} * {}", count, pb),
                own: pb,
            },
            Some(_) => Terms {
                symbols: ["p_s", "s"],
                spent: numbers!("{}", probability(shares.spent)),
                own: probability(shares.own),
            },
        }
    }

    /// The equation of Pa and its numbers; `certain` where it is 1.
    fn actual(
        &self,
        terms: &Terms,
        shares: &Shares,
        certain: bool,
    ) -> (alloc::string::String, alloc::string::String) {
        let (own, spent) = (terms.own, terms.spent.as_str());
        let [p, used] = terms.symbols;
        let own_text = numbers!("{}", own);
        let (equation, text) = match self.spacing {
            _ if shares.own == 0 => ("p_a = {p}", own_text.clone()),
            Spacing::Geometric => ("p_a = {p}", own_text.clone()),
            Spacing::Uniform2 if certain => (
                "p_a = min(1, ({used} + {p}) / 2)",
                alloc::format!("min(1, ({spent} + {own_text}) / 2)"),
            ),
            Spacing::Uniform2 => (
                "p_a = {p} / (2 - {used})",
                alloc::format!("{own_text} / (2 - {spent})"),
            ),
            Spacing::Wait if certain => (
                "p_a = min(1, (g + {p}) / 2)",
                alloc::format!(
                    "min(1, ({} + {own_text}) / 2)",
                    probability(shares.spent + shares.own)
                ),
            ),
            Spacing::Wait => (
                "p_a = {p} / (2 - g)",
                alloc::format!(
                    "{own_text} / (2 - {})",
                    probability(shares.spent + shares.own)
                ),
            ),
            _ if certain => (
                "p_a = min(1, {used} + {p})",
                alloc::format!("min(1, {spent} + {own_text})"),
            ),
            _ => (
                "p_a = {p} / (1 - {used})",
                alloc::format!("{own_text} / (1 - {spent})"),
            ),
        };
        (equation.replace("{p}", p).replace("{used}", used), text)
    }

    /// With one number drawn a gap: shows the probability that it has ended.
    pub(super) fn show_ended(&self, why: &mut Why, shares: &Shares) {
        let terms = self.terms(shares);
        let [p, used] = terms.symbols;
        why.step(
            "the probability that the gap has ended by now",
            ("g", ""),
            alloc::format!("g = min(1, {used} + {p})"),
            alloc::format!("min(1, {} + {})", terms.spent, Number(terms.own)),
            probability(shares.spent + shares.own).min(1.0),
        );
    }

    /// With one number drawn a gap: compares it with what the gap has `reached`.
    pub(super) fn show_goal(&self, why: &mut Why, reached: u64) {
        let drawn = probability(self.goal - 1);
        why.given("the number R drawn for this gap", ("R", ""), drawn);
        why.drawn(self.spacing.names().0, drawn, probability(reached));
    }
}
