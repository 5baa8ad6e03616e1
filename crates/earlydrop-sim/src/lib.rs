//! A deterministic discrete-event packet simulator for active queue management.
//!
//! It drives the queue disciplines of [`earlydrop`] with TCP and UDP traffic over any topology, and
//! measures queues and flows.
//!
//! ```
#![doc = include_str!("../examples/first_run.rs")]
//! ```
//!
//! # Guarantees
//! - A [`Run`] is a value: network, flows, measurements, duration, seed. Equal runs have equal
//!   [results], to the last bit, on every machine and with any number of threads.
//! - There is no global state, no clock and no I/O. Time is in integer nanoseconds.
//! - Each purpose has its own [stream](streams) of random numbers. So measuring more, or adding a
//!   flow, changes no random number of anything else.
//! - Packets lost, delivered and in flight add up to packets sent: see [`results::Totals`].
//!
//! # Where things are
//!
//! | to | see |
//! |---|---|
//! | describe a topology: nodes, links, changes of links, the dumbbell, the parking lot | [`network`] |
//! | describe traffic: flows, applications over TCP, datagrams; random sizes and pauses | [`traffic`], [`spread`] |
//! | choose a TCP: congestion control, loss recovery, `ssthresh`, timers; or drive one yourself | [`tcp`] |
//! | choose what is measured, and read it | [`measure`], [`results`] |
//! | know before what a run will take | [`cost`] |
//! | steer a queue during a run, as a learning agent does | [`steering`] |
//! | record packets and write pcapng files | [`capture`], [`pcapng`] |
//! | run one simulation, or many on several threads | [`run`] |
//! | build another simulator or emulator from parts | [`link`], [`events`], [`schedule`], [`streams`] |

#![deny(unsafe_code)] // except for the memory hints of `prefetch.rs`

pub mod capture;
pub mod cost;
pub mod distribution;
mod empty_path;
mod engine;
pub mod events;
pub mod fine_time;
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod fuzzing;
pub mod link;
pub mod measure;
pub mod network;
mod packet;
pub mod packet_log;
pub mod paths;
pub mod pcapng;
mod prefetch;
pub mod replay;
pub mod results;
pub mod run;
pub mod schedule;
pub mod spread;
pub mod steering;
pub mod streams;
pub mod tcp;
pub mod traffic;

pub use empty_path::IdealTimes;
pub use engine::Simulation;
pub use run::{Run, RunError};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
