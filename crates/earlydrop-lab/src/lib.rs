//! Experiments with queue disciplines: scenarios, plans, runs, results, statistics, tuning.

#![forbid(unsafe_code)]

pub mod document;
#[cfg(feature = "threads")]
pub mod estimate;
#[cfg(feature = "files")]
pub mod files;
#[cfg(feature = "live")]
pub mod live;
pub mod metrics;
pub mod outcome;
pub mod plan;
pub mod rows;
pub mod run;
pub mod scenario;
pub mod statistics;
pub mod stopping;
#[cfg(feature = "store")]
pub mod store;
pub mod summary;
pub mod sweep;
pub mod trace;
#[cfg(feature = "threads")]
pub mod tune;
#[cfg(feature = "threads")]
pub mod verify;
mod version;

pub use version::version;
