//! What the authors of a paper probably ran: which values of its choices reproduce what it prints.
//!
//! ```text
//! choices.toml --draw--> Bank (universes, with what each gives) --+
//! claims.toml  --Printed (numbers and sentences)------------------+--Posterior--> page
//! Bank --one universe's runs as if printed--> Posterior --> Check (is that universe found again?)
//! ```
//!
//! Approximate Bayesian computation: universes are drawn from the prior, each value of each choice as
//! likely as the others; those whose results are nearest to what is printed are a sample of the
//! posterior. D. B. Rubin, "Bayesianly justifiable and relevant frequency calculations for the applied
//! statistician", *Annals of Statistics* 12 (1984), 1151-1172; S. A. Sisson, Y. Fan, M. A. Beaumont
//! (eds.), *Handbook of Approximate Bayesian Computation*, 2018, chapter 1.

mod bank;
mod check;
mod posterior;

pub use bank::{Answer, Bank, BankUniverse, Inference, Item, fill};
pub use check::{Check, check};
pub use posterior::{Identified, Posterior};
