//! What papers claim, as data, and what runs say of it.
//!
//! ```text
//! claims.toml --Paper--> claims --judge(claim, Measured)--> Verdict
//! Store --Runs--> Measured
//! ```

mod claimed;
mod comparisons;
mod ideas;
mod measured;
mod paper;
mod places;
mod report;
mod runs;
mod trial;
mod verdict;

pub use comparisons::Comparison;
pub use ideas::{Concluded, Conclusion, Idea, Reading, Today, conclude, ideas_page};
pub use measured::{Measured, Selector};
pub use paper::{Claim, Paper, Test};
pub(crate) use places::is_same;
pub use report::{Told, counted};
pub use runs::Runs;
pub use trial::{Shown, Trial, trials};
pub use verdict::{Judged, Verdict, judge};
