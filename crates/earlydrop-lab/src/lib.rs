//! Experiments with queue disciplines: scenario files, runs of them, statistics and tuning.
//!
//! A scenario is a TOML file with a topology, flows, and the schemes (queue disciplines) to
//! compare. Its [`plan`] has a cell for each scheme, seed and point of a sweep. Cells are
//! simulated by [`earlydrop_sim`], or run on real hosts in real time.
//!
//! ```
//! use earlydrop_lab::metrics::index_of;
//! use earlydrop_lab::plan::{Source, TraceFiles};
//! use earlydrop_lab::rows::Rows;
//! use earlydrop_lab::run::outcomes;
//! use earlydrop_lab::summary::Summary;
//!
//! let text = r#"
//! duration = "4 s"
//! seeds = 3
//! schemes = ["red:min=5,max=15", "codel"]
//! network = { rate = "5 Mbps", rtt = "40 ms" }
//! [flows.bulk]
//! count = 3
//! "#;
//! let plan = Source::new("small.toml", text, TraceFiles::default())?.plan()?;
//! let outcomes: Vec<_> = outcomes(&plan).collect::<Result<_, _>>()?;
//! let summary = Summary::of(&plan, Rows::of_outcomes(&plan, &outcomes));
//! let delay = index_of("delay_mean").unwrap();
//! for row in &summary.rows {
//!     let value = row.values[delay].unwrap();
//!     println!("{}: {} ms", plan.labels()[row.scheme], value.mean.with_interval(1e3));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! A module uses only those above it in this list (`crates/earlydrop-cli/tests/layers.rs` checks the order of all of them):
//!
//! ```text
//! escape     text for a terminal, a shell, a CSV file or Markdown
//! files      read within a limit, written whole, and over nobody else's
//! document   TOML against descriptions of fields, with errors that name the place
//! budget     memory, events and disk of a plan, and their limits
//! scheme_list  schemes as data for other programs
//! scenario   the fields of a scenario, its reader, its JSON Schema and its page
//! plan       Source (a file with the command line's changes) -> Plan (cells)
//! outcome    the figures of one run: metrics, flows, queues, series
//! summary    outcomes -> means with intervals, the best schemes
//! baseline   schemes compared with one of them, by differences paired by seed
//! run        Plan -> outcomes, in memory
//! trace      one cell in depth
//! watch      one cell while it runs, piece by piece
//! store      Plan -> database in a folder; export (feature `store`)
//! live       Plan -> store, on real hosts (feature `live`)
//! environment  simulations with a queue that an agent steers (feature `threads`)
//! verify     the model's load, simulated (feature `threads`)
//! advice     parameters by the model, corrected by simulations (feature `threads`)
//! fabric_advice  marking at the switches of a data centre, simulated (feature `threads`)
//! tune       a scheme's parameters, searched for a goal under limits (feature `threads`)
//! ```
//!
//! Some names mean something else in other crates: [`plan::Plan`] is not
//! `earlydrop::registry::Plan` (the checked parameters of one scheme), and [`document::Place`]
//! is a place in a file.
//!
//! # Schemes of one's own
//!
//! [`plan::Source::with_registry`] takes a registry with a program's own schemes, which need no
//! change to this crate. The example `own_scheme` compares one with RED.
//!
//! # Features
//!
//! | feature | default | adds |
//! |---|---|---|
//! | `files` | on | scenarios and recorded links by path, reports to files |
//! | `threads` | on | cells on several threads; estimates, environments, tuning, verification |
//! | `store` | on | runs in folders (SQLite), export as CSV, JSON and Parquet; needs `files` and `threads` |
//! | `live` | on | cells on real hosts; needs `store`, and Linux to run |
//!
//! Without features the crate neither opens files nor starts threads.

#![forbid(unsafe_code)]

#[cfg(feature = "threads")]
pub mod advice;
pub mod baseline;
pub mod budget;
pub mod document;
#[cfg(feature = "threads")]
pub mod environment;
pub mod escape;
#[cfg(feature = "threads")]
pub mod estimate;
pub mod expect;
#[cfg(feature = "threads")]
pub mod fabric_advice;
#[cfg(feature = "files")]
pub mod files;
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod fuzzing;
pub mod judge;
pub mod lengthening;
#[cfg(feature = "live")]
pub mod live;
pub mod metrics;
pub mod outcome;
pub mod plan;
pub mod records;
pub mod rows;
pub mod run;
pub mod scenario;
pub mod scheme_list;
pub mod settled;
pub mod statistics;
pub mod stopping;
#[cfg(feature = "store")]
pub mod store;
pub mod suite;
pub mod summary;
pub mod sweep;
pub mod timing;
pub mod trace;
#[cfg(feature = "threads")]
pub mod tune;
pub mod values;
#[cfg(feature = "threads")]
pub mod verify;
mod version;
pub mod watch;

pub use earlydrop_model::number;
pub use version::{engine, version};

/// The example of the package's README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
