//! The analytic side: what queue, delay and loss to expect of a scheme's parameters, which
//! parameters to choose, and what other tools' knobs mean.
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
//! let expected = predict(&load, &gateway)?;
//! assert!((100.0..300.0).contains(&expected.queue));
//! # Ok::<(), earlydrop_model::ModelError>(())
//! ```

#![forbid(unsafe_code)]

mod balance;
pub mod batch;
pub mod closed_loop;
pub mod configure;
mod error;
pub mod explain;
pub mod fluid;
mod load;
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
pub use load::Load;
pub use response::Gateway;
pub use signal::SignalRate;
pub use tcp::{Control, Tcp};
