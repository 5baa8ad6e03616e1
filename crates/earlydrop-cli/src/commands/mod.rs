//! The subcommands, one file each.

#[cfg(target_os = "linux")]
mod bottleneck;
#[cfg(target_os = "linux")]
pub(crate) mod bridge;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod configure;
#[cfg(feature = "conformance")]
pub(crate) mod conformance;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod figure;
pub(crate) mod lab;
#[cfg(target_os = "linux")]
pub(crate) mod live;
pub(crate) mod queue;
pub(crate) mod report;
pub(crate) mod reproduce;
pub(crate) mod run;
mod run_options;
pub(crate) mod schemes;
pub(crate) mod senders;
#[cfg(target_os = "linux")]
pub(crate) mod shell;
pub(crate) mod suite;
pub(crate) mod trace;
pub(crate) mod translate;
pub(crate) mod tune;

/// The number of worker threads: the number of cores unless given.
fn threads(given: Option<u16>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    given.map_or_else(cores, usize::from)
}
