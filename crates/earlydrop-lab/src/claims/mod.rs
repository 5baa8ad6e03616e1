//! What papers claim, as data, and what runs say of it.
//!
//! ```text
//! claims.toml --Paper--> claims --judge(claim, Measured)--> Verdict
//! ```

mod comparisons;
mod measured;
mod paper;
mod told;
mod verdict;

pub use comparisons::Comparison;
pub use measured::{Measured, Selector};
pub use paper::{Claim, Paper, Test};
pub use told::{Told, counted};
pub use verdict::{Judged, Verdict, judge};
