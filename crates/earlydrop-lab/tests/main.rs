//! The crate's integration tests, as one program: a file each.

mod analytic;
mod cables;
mod changes;
mod classes;
mod expectations;
#[cfg(feature = "store")]
mod memory;
#[cfg(feature = "store")]
mod pages;
mod run_folder;
#[cfg(feature = "files")]
mod scenarios;
mod schema;
mod settled;
mod sizes;
mod timers;
#[cfg(feature = "store")]
mod tune;
#[cfg(feature = "files")]
mod watch;
mod why;
mod workloads;
