//! What comparisons with other simulators have in common: reference figures, runs of
//! ours that stand for their cases, and the table of both.
//!
//! Shared by the tests `ns2` and `ns3` and the example `validation`, which use a part
//! each.

mod case;
mod compare;
mod figures;
mod settings;

pub(crate) use case::{Case, Measured, Seen, loss_percent};
pub(crate) use compare::{Comparison, by_case, compare, markdown, plain, unexplained};
pub(crate) use figures::{Figure, Tolerance, figures};
pub(crate) use settings::{Change, Setting, table_of_settings};

/// Another simulator.
pub(crate) struct Witness {
    /// Its name.
    pub(crate) name: &'static str,
    /// Figures known to lie outside their tolerance, by case and metric, each with the
    /// reason in a few words; `docs/explanation/validation.md` has the experiments. A `*` stands for
    /// any part of a case's name between points, `|` is between alternatives.
    pub(crate) explained: &'static [(&'static str, &'static str, &'static str)],
}

impl Witness {
    /// What is known of a figure outside its tolerance.
    pub(crate) fn explanation(&self, figure: &Figure) -> Option<&'static str> {
        let mut known = self.explained.iter();
        known
            .find(|(case, metric, _)| {
                fits(case, &figure.case) && metric.split('|').any(|one| one == figure.metric)
            })
            .map(|(_, _, why)| *why)
    }
}

/// Whether a case's name is one that `pattern` stands for.
fn fits(pattern: &str, name: &str) -> bool {
    let (patterns, parts) = (pattern.split('.'), name.split('.'));
    let count = patterns.clone().count() == parts.clone().count();
    count
        && patterns
            .zip(parts)
            .all(|(wanted, part)| wanted == "*" || wanted.split('|').any(|one| one == part))
}
