//! Why a gap between drops ends with a packet, or goes on.

use super::{Gap, Spacing};
use crate::curve::ONE;
use crate::explanation::{Why, below, numbers};
use crate::random::Pcg32;

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
    fn names(self) -> (&'static str, &'static str) {
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
    /// Completes the reasons for whether the gap ends with this packet, as
    /// [`is_over`](Gap::is_over) decides. Pb is shown already.
    pub(crate) fn why(&self, mut why: Why, shares: Shares, random: &mut Pcg32) -> Why {
        let (rule, source) = self.spacing.names();
        why.source = source;
        let terms = self.terms(&mut why, shares);
        let Shares { spent, own, .. } = shares;
        let [p, used] = terms.symbols;
        if self.spacing == Spacing::Drawn {
            return self.why_drawn(why, terms, spent + own, random);
        }
        if self.spacing == Spacing::Wait {
            let reached = probability(spent + own);
            why.step(
                "how far the gap has come; below 1 it waits",
                ("g", ""),
                alloc::format!("g = {used} + {p}"),
                numbers!("{} + {}", probability(spent), terms.own),
                reached,
            );
            if spent + own < ONE {
                return why.by(rule, below(reached, 1.0));
            }
        }
        let divisor = match self.spacing {
            Spacing::Geometric => ONE,
            Spacing::Wait => (2 * ONE).saturating_sub(spent + own),
            _ => self.top.saturating_sub(spent),
        };
        let (equation, text) = self.actual(&terms, shares, own >= divisor);
        let chance = match own {
            0 => 0.0,
            own if own >= divisor => 1.0,
            own => own as f64 / divisor as f64,
        };
        let says = "the actual probability";
        why.step(says, ("p_a", ""), equation, text, chance);
        let drawn = f64::from(random.next_u32() >> 1) / f64::from(1_u32 << 31);
        why.drawn(rule, drawn, chance)
    }

    /// Shows the count, and the shares of Pb where they are scaled by size.
    fn terms(&self, why: &mut Why, shares: Shares) -> Terms {
        let Shares { pb, spent, own, .. } = shares;
        let (pb, count) = (probability(pb), self.count as f64);
        let Some([size, mean]) = shares.sizes else {
            let says = match self.spacing {
                Spacing::Pseudocode => {
                    "the packets since the last drop or mark, this one among them"
                }
                _ => "the packets passed since the last drop or mark",
            };
            why.given(says, ("count", "packets"), count);
            return Terms {
                symbols: ["p_b", "count p_b"],
                spent: numbers!("{} * {}", count, pb),
                own: pb,
            };
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
        Terms {
            symbols: ["p_s", "s"],
            spent: numbers!("{}", probability(spent)),
            own: probability(own),
        }
    }

    /// The equation of Pa and its numbers; `certain` where it is 1.
    fn actual(
        &self,
        terms: &Terms,
        shares: Shares,
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

    /// With one number drawn a gap, as [`reaches_goal`](Gap::reaches_goal) compares it.
    fn why_drawn(&self, mut why: Why, terms: Terms, reached: u64, random: &mut Pcg32) -> Why {
        let (rule, _) = self.spacing.names();
        let [p, used] = terms.symbols;
        let (spent, own) = (&terms.spent, terms.own);
        why.step(
            "the probability that the gap has ended by now",
            ("g", ""),
            alloc::format!("g = min(1, {used} + {p})"),
            alloc::format!("min(1, {spent} + {})", crate::explanation::Number(own)),
            probability(reached).min(1.0),
        );
        let draw = |random: &mut Pcg32| u64::from(random.next_u32()) + 1;
        let goal = match self.linux {
            _ if self.goal > 0 => self.goal,
            None => draw(random),
            Some(linux) => {
                let goal = draw(random).saturating_sub(linux.slope).max(1);
                let next = probability(goal - 1);
                why.given(
                    "the number R drawn for the gap that starts",
                    ("R", ""),
                    next,
                );
                return why.by(rule, "the first packet in the band starts a gap and passes");
            }
        };
        let drawn = probability(goal - 1);
        why.given("the number R drawn for this gap", ("R", ""), drawn);
        why.drawn(rule, drawn, probability(reached))
    }
}
