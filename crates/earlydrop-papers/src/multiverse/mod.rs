//! Whether verdicts survive what a paper does not print.
//!
//! ```text
//! choices.toml --Choice--> design --Universe--> run --judge--> Robustness --> pages
//! ```
//!
//! A paper leaves out rates, delays, run lengths. Each such quantity is a [`Choice`] with its
//! plausible values. A [`Universe`] has one value for each choice; in each the experiment is run and
//! its claims are judged. [`Robustness`] counts the verdicts, and says which choice they depend on
//! most. S. Steegen et al., "Increasing Transparency Through a Multiverse Analysis", *Perspectives
//! on Psychological Science* 11 (2016), 702-712.

mod design;
mod influence;
mod robustness;
mod run;

pub use crate::choices::{Choice, ChoiceFile, ChoiceValue};
pub(crate) use design::at_random;
pub use design::{Universe, design};
pub use influence::Influence;
pub use robustness::{Robustness, UniverseJudgement};
pub(crate) use run::keep_what_is_judged;
pub use run::{Multiverse, UniverseRun, planned, run};
