//! Every active queue management scheme, once, exactly, ready to leave the laboratory.
//!
//! The contract of this crate:
//! - It is `no_std`, allocates only while something is built, holds no clock, does
//!   no I/O and contains no `unsafe`. Time and packets come in as arguments; packets,
//!   verdicts and counts come out. Nothing in it knows whether it is simulated.
//! - Everything is deterministic: the same seed and the same calls give the same
//!   verdicts, bit for bit, on every machine (`exp` and its kin come from `libm`).
//! - A queue owns its packets generically and moves them by value: hand it handles,
//!   and no payload is ever copied.
//!
//! # A queue over a caller's buffers and clock
//! ```
#![doc = include_str!("../examples/byte_buffers.rs")]
//! ```
//!
//! # Where things are
//! - [`registry`]: names, parameters, presets; from text to a queue.
//! - [`queue`]: queue disciplines, which own packets, ask a scheme, and count.
//! - [`schemes`]: every scheme, one file each.
//! - [`red`]: the six parts of the RED family.
//! - [`aqm`]: the contract between a scheme and its queue.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod aqm;
pub mod counters;
mod flow_table;
#[cfg(feature = "manual")]
pub mod manual;
pub mod packet;
pub mod queue;
pub mod random;
pub mod red;
pub mod registry;
pub mod schemes;
#[cfg(test)]
mod testing;
pub mod units;
