//! A discrete-event packet simulator made for queue disciplines, driving the schemes
//! of [`earlydrop`] unchanged.
//!
//! The contract: integer nanoseconds, no global state, no clock; a run is a value, and
//! the same value gives the same bytes on any machine.
//!
//! So far there is the queue of events; links, hosts and senders come next.

#![forbid(unsafe_code)]

pub mod events;
pub mod tcp;
