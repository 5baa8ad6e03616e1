//! Conformance vectors of queue disciplines: packets in, each one's fate out.
//!
//! A [`Vector`](vector::Vector) is a list of calls to a queue, `enqueue` and `dequeue` at times in
//! nanoseconds, with what a queue that follows the scheme's reference answers: the packet is
//! queued, marked or dropped; the packet that leaves; the packets that are lost on the way. The
//! random numbers that the scheme draws are given with each call, so that a drop that depends on
//! chance is as exact as any other. Each vector says which [faults](fault::FAULTS) it exposes.
//!
//! The files are in `vectors`, one for each scheme, in lines of JSON that
//! `schema.json` describes. A queue is judged
//! - in Rust, by [`judge::judge`], which wants a [`judge::Queue`];
//! - in C, by a shared library with a table of functions ([`library`]);
//! - in any other language, by a program that answers lines ([`program`]).
//!
//! The vectors are [recorded](record) from the crate `earlydrop`. Where they name a case of Linux'
//! kernel, a test compares the fates with those of the kernel's own qdisc.
//!
//! ```
//! use earlydrop_conformance::catalogue::vectors;
//! use earlydrop_conformance::judge::judge;
//! use earlydrop_conformance::own::OwnQueue;
//!
//! for vector in vectors("codel").unwrap() {
//!     judge(&vector, &mut OwnQueue::of(&vector.header).unwrap()).unwrap();
//! }
//! ```

pub mod catalogue;
pub mod fault;
pub mod judge;
mod kernel;
pub mod library;
pub mod own;
pub mod program;
pub mod record;
pub mod report;
pub mod vector;
