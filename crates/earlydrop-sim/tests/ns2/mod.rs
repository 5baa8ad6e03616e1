//! Every case of `bench/reference/ns2.csv` as a run of ours, and the comparison.
//!
//! Shared by the test `ns2` and the example `validation`.

mod cases;
mod compare;
mod figures;

pub use cases::{Case, cases};
pub use compare::{Comparison, compare, markdown, plain};
pub use figures::{Figure, figures};
