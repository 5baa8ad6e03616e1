//! What queue, delay and loss to expect of an AQM scheme's parameters, and which parameters to choose.
//!
//! A [`Load`] describes a bottleneck link and the TCP flows that share it. A [`Gateway`] is the
//! steady-state model of a scheme on that link. [`predict`] returns the operating point: the average
//! queue at which the scheme signals congestion exactly as often as the flows require to fill the
//! link.
//!
//! ```
//! use earlydrop::units::{BitsPerSec, Bytes, Nanos};
//! use earlydrop_model::{Gateway, Load, predict};
//!
//! let load = Load {
//!     rate: BitsPerSec::from_mbps(100),
//!     packet: Bytes(1500),
//!     rtt: Nanos::from_millis(50),
//!     flows: 150.0,
//!     ..Load::default()
//! };
//! let gateway = Gateway::of(&"red:min=100,max=300".parse()?, &load)?;
//! let operating_point = predict(&load, &gateway)?;
//! assert!((100.0..300.0).contains(&operating_point.queue));
//! # Ok::<(), earlydrop_model::ModelError>(())
//! ```
//!
//! [`configure`](configure::configure) works in the other direction: it takes an objective, and
//! recommends parameters with their predicted operating point and its caveats.
//!
//! ```
//! use earlydrop::units::Nanos;
//! use earlydrop_model::Load;
//! use earlydrop_model::configure::{Goal, Question, configure};
//!
//! let answer = configure(&Question {
//!     load: Load::default(),
//!     scheme: "red".parse()?,
//!     buffer: None,
//!     goal: Goal::Delay(Nanos::from_millis(10)),
//!     method: None,
//!     open_loop: None,
//! })?;
//! let chosen = &answer.choices[0];
//! println!("{}: {}", chosen.advice.spec, chosen.expected.delay);
//! assert!(chosen.caveats.is_empty());
//! # Ok::<(), earlydrop_model::ModelError>(())
//! ```
//!
//! # Modules
//!
//! | module | contents |
//! |---|---|
//! | [`configure`] | parameters for a load and an objective |
//! | [`methods`] | published methods of choosing RED's parameters, and defaults of tools |
//! | [`thresholds`] | RED's thresholds around a queue, and as a scheme's parameters |
//! | [`fabric`] | Kmin, Kmax and Pmax of a data-centre switch, by published rules |
//! | [`averaging`] | how fast RED's average should follow the queue |
//! | [`validity`] | conditions under which a prediction is inaccurate |
//! | [`stability`], [`fluid`] | margins of the control loop; its transient |
//! | [`tcp`], [`sawtooth`] | throughput of TCP at a signal rate; utilisation of the link |
//! | [`spacing`] | long-run signal rate of each law of gaps between drops |
//! | [`closed_loop`], [`queue`], [`batch`] | the operating point with the queue M^x/M/1/K; that queue; batch sizes |
//! | [`open_loop`] | the mean queue M^x/M/1/K from a known loss rate |
//! | [`tools`], [`explain`] | RED configurations of `tc`, ns-2, ns-3, DPDK, Cisco, Junos, SONiC and INET: read, translated, explained |
//! | [`solve`] | root finding by bracketing |
//! | [`number`] | numbers as text for people, in every crate |
//!
//! Nothing here simulates, reads a file or starts a thread. All functions are deterministic.

#![forbid(unsafe_code)]

pub mod averaging;
mod balance;
pub mod batch;
pub mod closed_loop;
pub mod configure;
mod error;
pub mod explain;
pub mod fabric;
pub mod fluid;
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod fuzzing;
mod load;
pub mod methods;
pub mod number;
pub mod open_loop;
pub mod queue;
mod response;
pub mod sawtooth;
mod signal;
pub mod solve;
pub mod spacing;
pub mod stability;
pub mod tcp;
pub mod thresholds;
pub mod tools;
pub mod validity;

pub use balance::{Prediction, fluid_balance, predict, required_signal_probability};
pub use error::ModelError;
pub use load::{Load, PACKETS_PER_FLOW};
pub use response::Gateway;
pub use signal::SignalRate;
pub use tcp::{Control, Tcp};

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
