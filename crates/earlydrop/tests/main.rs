//! The crate's integration tests, as one program: a file each.

mod change;
mod compositions;
mod configuration;
mod contract;
mod fuzz;
mod invariants;
mod isolation;
mod linux;
mod linux_figures;
mod ns3_suite;
#[cfg(feature = "manual")]
mod pages;
mod reference;
mod signals;
mod support;
