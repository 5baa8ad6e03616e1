//! Comparison with reference figures of other simulators: the figures, the runs that reproduce
//! their cases, and tables of both side by side.
//!
//! Used by the tests `ns2` and `ns3` and the example `validation`.

mod case;
mod compare;
mod figures;
mod settings;

pub(crate) use case::{Case, Measured, Outcome, loss_percent};
pub(crate) use compare::{Comparison, by_case, compare, markdown_table, text_table, unexplained};
pub(crate) use figures::{Figure, Tolerance, figures};
pub(crate) use settings::{Change, Setting, table_of_settings};

/// A simulator whose figures are the reference.
pub(crate) struct ReferenceSimulator {
    /// Its name.
    pub(crate) name: &'static str,
    /// Figures known to lie outside their tolerance: case, metric and reason, whose experiments
    /// are in `docs/explanation/validation.md`. `*` matches a part of a case's name between points, `|`
    /// separates alternatives.
    pub(crate) explained: &'static [(&'static str, &'static str, &'static str)],
}

impl ReferenceSimulator {
    /// The reason why a figure lies outside its tolerance, if it is known.
    pub(crate) fn explanation(&self, figure: &Figure) -> Option<&'static str> {
        let mut known = self.explained.iter();
        known
            .find(|(case, metric, _)| {
                matches(case, &figure.case) && metric.split('|').any(|one| one == figure.metric)
            })
            .map(|(_, _, why)| *why)
    }
}

/// Whether `pattern` matches a case's name.
fn matches(pattern: &str, name: &str) -> bool {
    let (patterns, parts) = (pattern.split('.'), name.split('.'));
    let count = patterns.clone().count() == parts.clone().count();
    count
        && patterns
            .zip(parts)
            .all(|(pattern, part)| pattern == "*" || pattern.split('|').any(|one| one == part))
}
