//! A discrete-event packet simulator made for queue disciplines, driving the schemes
//! of [`earlydrop`] unchanged.
//!
//! The contract: integer nanoseconds, no global state, no clock, no files; a
//! [`Run`] is a value, and the same value gives the same results on any machine.
//!
//! # From a network to results
//! ```
#![doc = include_str!("../examples/first_run.rs")]
//! ```
//!
//! # Where things are
//! - [`network`]: nodes, links, what changes about them; the dumbbell, the parking lot.
//! - [`traffic`]: flows, applications over TCP, datagrams; [`spread`] is their randomness.
//! - [`tcp`]: senders and receivers, their rules, loss recovery, congestion control.
//! - [`measure`]: what to measure; [`results`]: what was; [`capture`]: recorded packets;
//!   [`pcapng`]: the files that they are written to.
//! - [`run`]: all of it as one value; [`streams`] and [`schedule`]: what of it is random, for
//!   whoever does it elsewhere, too.
//! - [`events`]: the queue of events, for whoever writes another simulator.

#![deny(unsafe_code)] // but for hints about memory: `ahead.rs`

pub mod capture;
mod engine;
pub mod events;
pub mod link;
pub mod measure;
pub mod network;
mod packet;
pub mod pcapng;
mod prefetch;
pub mod results;
pub mod run;
pub mod schedule;
pub mod spread;
pub mod streams;
pub mod tcp;
pub mod traffic;

pub use engine::Simulation;
pub use run::{Run, RunError};
