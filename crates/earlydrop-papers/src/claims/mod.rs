//! The papers' claims as data, and their verdicts.
//!
//! ```text
//! claims.toml --Paper::parse--> Claim ---+
//! Store --Runs--> Measurements ----------+--judge--> Judgement --> ClaimReport --conclude--> IdeaReport
//! ```
//!
//! A [`Claim`] is a statement about an experiment, and a [`Test`] makes [`Comparison`]s of its
//! [`Measurements`]. What each comparison shows, [`Evidence`], makes the [`Verdict`].

mod cells;
mod claim;
mod claimed;
mod claims_file;
mod comparisons;
mod counterfactual;
mod counts;
mod detection;
#[cfg(test)]
mod error_rates;
mod evidence;
mod ideas;
mod measurements;
mod missing;
mod report;
mod runs;
mod selector;
mod sentences;
mod statistics;
mod verdict;

pub use cells::ClaimCells;
pub(crate) use cells::points;
pub(crate) use claim::id_matches;
pub use claim::{Claim, Paper, Restriction, RuleSet, Standing, Test};
pub use claimed::{Claimed, Unit};
pub use comparisons::Comparison;
pub(crate) use counterfactual::as_claimed;
pub(crate) use counts::plural;
pub use counts::{Counts, Tally};
pub use detection::{Bound, Condition, Detection, DetectionRate};
pub use evidence::Evidence;
#[cfg(test)]
pub(crate) use ideas::tests as ideas_tests;
pub use ideas::{Conclusion, Idea, IdeaReport, IdeasAndReadings, Reading, Setting, conclude};
pub(crate) use ideas::{KindOfSetting, matching};
pub use measurements::{Measurements, RunOf};
pub(crate) use measurements::{Place, is_same_value};
pub use missing::MissingData;
pub use report::ClaimReport;
pub use runs::Runs;
pub use selector::{Selector, SelectorError, SeriesStatistic};
pub use sentences::{Part, Sentence};
pub(crate) use statistics::seeds_needed;
#[cfg(test)]
pub(crate) use verdict::tests as verdict_tests;
pub use verdict::{Judgement, PrintedNumber, Verdict, judge};
