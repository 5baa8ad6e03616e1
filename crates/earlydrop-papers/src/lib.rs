//! Five papers on Random Early Detection, reproduced: experiments, claims with verdicts, figures.
//!
//! The papers' experiments are scenario files, and their claims are data. A claim names an
//! experiment, a quantity and a test; its verdict says what the comparisons of the test show.
//!
//! ```no_run
//! use std::path::Path;
//! use std::sync::atomic::AtomicBool;
//!
//! use earlydrop_papers::catalogue::{Catalogue, Pace};
//! use earlydrop_papers::reproduce::{self, RunOptions};
//!
//! let catalogue = Catalogue::read()?;
//! for entry in &catalogue.papers {
//!     println!("{}: {}", entry.paper.key, entry.paper.name);
//! }
//! let options = RunOptions {
//!     pace: Pace::Quick,
//!     out: Path::new("runs"),
//!     threads: 2,
//!     stop: &AtomicBool::new(false),
//!     universes: None,
//! };
//! let figure_5 = catalogue.select("clred.F5")?;
//! let reproduction = reproduce::run(&catalogue, &figure_5, &options, |_| {})?;
//! for report in reproduction.selected_reports() {
//!     println!("{} {}", report.claim.id, report.judgement.verdict);
//! }
//! # Ok::<(), earlydrop_papers::Error>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | [`catalogue`] | the papers that the crate carries, and the names that select them |
//! | [`claims`] | claims, measurements, verdicts, and conclusions about the papers' ideas |
//! | [`figures`] | descriptions of the papers' figures |
//! | [`falsification`] | whether a claim can fail |
//! | [`findings`] | what a reader of the papers should know |
//! | [`multiverse`] | whether verdicts survive what a paper does not print |
//! | [`pages`] | pages in HTML and Markdown |
//! | [`reproduce`] | runs experiments into folders and writes the pages |
//!
//! The folder `papers/` has a folder for each paper; its README describes the files.

#![forbid(unsafe_code)]

pub mod catalogue;
mod choices;
pub mod claims;
mod error;
pub mod falsification;
pub mod figures;
pub mod findings;
pub mod inference;
pub mod multiverse;
mod pace;
pub mod pages;
pub mod reproduce;
mod toml_file;

pub use error::Error;

/// Compiles and runs the README's examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
