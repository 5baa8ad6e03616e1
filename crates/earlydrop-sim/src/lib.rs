//! A discrete-event packet simulator made for queue disciplines, driving the schemes
//! of [`earlydrop`] unchanged.
//!
//! The contract: integer nanoseconds, no global state, no clock, no files; a
//! [`Run`] is a value, and the same value gives the same results on any machine.

#![forbid(unsafe_code)]

pub mod capture;
mod engine;
pub mod events;
pub mod measure;
pub mod network;
mod packet;
pub mod results;
pub mod run;
pub mod spread;
pub mod tcp;
pub mod traffic;

pub use engine::Simulation;
pub use run::{Run, RunError};
