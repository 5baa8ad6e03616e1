//! Active queue management (AQM) for queues in programs, routers and simulators.
//!
//! The crate holds drop-tail, RED and its family (gentle RED, ARED, NLRED, CLRED, FRED,
//! CHOKe, WRED, ...), BLUE, SFB, REM, PI, PIE, PI2, DualPI2, CoDel, COBALT, FQ-CoDel and
//! others, all behind one interface: name a scheme, then enqueue and dequeue packets.
//!
//! ```
#![doc = include_str!("../examples/first_queue.rs")]
//! ```
//!
//! # Guarantees
//! - `no_std`, no `unsafe`, no clock, no I/O. Time and packets come in as arguments;
//!   packets, verdicts and counts come out.
//! - Memory is allocated when a queue is built or [changed](AnyQueue::change), and never by a
//!   packet.
//! - The same seed and the same calls give the same verdicts on every machine, bit for
//!   bit: random numbers are PCG32, `exp` and its like come from `libm`.
//! - A queue moves packets by value and never looks at a payload. Hand it an index, a
//!   `Box` or an `Arc`, and nothing is copied.
//!
//! # Where things are
//! - [`AnyQueue`] and [`QueueDiscipline`]: a queue and its operations. [`queue`] has the rest.
//! - [`Packet`]: the trait of the packets you enqueue.
//! - [`Spec`], [`Registry`]: from text to a queue; a scheme of your own next to the
//!   built-in ones. [`registry`] has parameters, presets and errors.
//! - [`schemes`]: every scheme with reference, equations and how other tools differ.
//! - [`aqm`]: the contract between a scheme and its queue, for those who write one.
//! - [`explanation`]: why a packet is dropped, marked or kept, as a chain of equations.
//! - [`steering`]: parameters that are set while a queue is in use, as by a learning agent.
//! - [`red`]: the parts of the RED family, for those who write a curve.
//! - [`units`]: time, sizes and rates, read from text such as "10 Mbps".
//!
//! # Features
//! - `manual` (default): carries each scheme's documentation as text in the module
//!   `manual`, for command lines and pages. Embedded programs turn it off.
//!
//! # Order of the modules
//! A module uses those before it in this list, and none after it:
//! `units`, `packet`, `random`, `steering`, `aqm`, `explanation`, `trace`, `counters`, `flow_table`,
//! `curve`, `queue`, `registry`, `red`, `schemes`, `any`, `manual`. The exception is the type
//! [`registry::Plan`], which the constructor in a [`registry::Descriptor`] returns: it is
//! an enum over all schemes. `crates/earlydrop-cli/tests/layers.rs` checks the order.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod any;
pub mod aqm;
pub mod counters;
mod curve;
pub mod explanation;
mod flow_table;
#[cfg(feature = "manual")]
pub mod manual;
pub mod packet;
pub mod queue;
pub mod random;
pub mod red;
pub mod registry;
pub mod schemes;
pub mod steering;
#[cfg(test)]
mod testing;
mod trace;
pub mod units;

pub use any::{AnyAqm, AnyQueue, Plan};
pub use explanation::Explanation;
pub use packet::{Ecn, FlowKey, Packet};
pub use queue::QueueDiscipline;
pub use registry::{ConfigError, LinkFacts, Registry, Spec};
pub use units::{BitsPerSec, Nanos};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
