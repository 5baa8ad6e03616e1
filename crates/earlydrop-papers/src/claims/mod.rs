//! The papers' claims as data, and their verdicts.
//!
//! ```text
//! claims.toml --Paper::parse--> Claim ---+
//! Store --Runs--> Measurements ----------+--judge--> Judgement --> ClaimReport --conclude--> IdeaReport
//! ```
//!
//! A [`Claim`] is a statement about an experiment, and a [`Test`] makes [`Comparison`]s of its
//! [`Measurements`]. A comparison supports the claim where its 95% interval lies above zero; the
//! [`Verdict`] counts how many do.

mod claim;
mod claims_file;
mod comparisons;
mod counterfactual;
mod detection;
mod fields;
mod ideas;
mod measurements;
mod missing;
mod report;
mod runs;
mod selector;
mod statistics;
mod verdict;

pub(crate) use claim::id_matches;
pub use claim::{Claim, Paper, Restriction, Test};
pub use comparisons::Comparison;
pub(crate) use counterfactual::as_claimed;
pub use detection::{Bound, Condition, Detection, DetectionRate};
pub(crate) use ideas::matching;
#[cfg(test)]
pub(crate) use ideas::tests as ideas_tests;
pub use ideas::{Conclusion, Idea, IdeaReport, IdeasAndReadings, Reading, Setting, conclude};
pub use measurements::Measurements;
pub(crate) use measurements::is_same_value;
pub use missing::MissingData;
pub(crate) use report::percent;
pub use report::{ClaimReport, count_verdicts};
pub use runs::Runs;
pub use selector::{Selector, SelectorError, SeriesStatistic};
pub(crate) use statistics::seeds_needed;
#[cfg(test)]
pub(crate) use verdict::tests as verdict_tests;
pub use verdict::{Judgement, Verdict, judge};
