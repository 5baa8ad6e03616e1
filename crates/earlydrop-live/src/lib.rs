//! Queue disciplines on real packets: a bottleneck in user space between two network
//! namespaces, or between two interfaces, for packets of the kernel's own TCP. Linux only, but
//! for [`packet`], [`plan`] and [`stats`].
//!
//! # Example
//! A ping over a bottleneck of 20 Mbps and 25 ms each way, in namespaces of the program's own. It
//! runs as root, or as a user who may create user namespaces.
//!
//! ```no_run
//! # #[cfg(target_os = "linux")]
//! # mod example {
//! use earlydrop::units::{BitsPerSec, Nanos};
//! use earlydrop_live::LiveError;
//! use earlydrop_live::plan::{Bottleneck, Direction, Rate};
//! use earlydrop_live::session::{
//!     Files, InvokingUser, Privilege, Session, SessionObserver, Tcp,
//! };
//! use earlydrop_live::stats::Sample;
//!
//! struct Quiet;
//!
//! impl SessionObserver for Quiet {
//!     fn started(&mut self, _privilege: Privilege, _user: &InvokingUser) {}
//!     fn sampled(&mut self, _samples: &[Sample; 2]) {}
//!     fn far_ended(&mut self, _code: i32) {}
//! }
//!
//! fn main() -> Result<(), LiveError> {
//!     let direction = Direction {
//!         rate: Rate::Constant(BitsPerSec::from_mbps(20)),
//!         delay: Nanos::from_millis(25),
//!         loss: 0.0,
//!         queue: "red:min=10,max=30".parse().expect("a scheme"),
//!     };
//!     let session = Session {
//!         bottleneck: Bottleneck {
//!             up: direction.clone(),
//!             down: direction,
//!             seed: 1,
//!         },
//!         tcp: Tcp::default(),
//!         command: ["ping", "-c", "3", "10.77.0.2"].map(Into::into).to_vec(),
//!         far: None,
//!         files: Files::default(),
//!     };
//!     let outcome = session.run(&mut Quiet)?; // the process must have one thread
//!     println!("{} packets dropped", outcome.summary.up.dropped);
//!     println!("timing can be trusted: {}", outcome.summary.trustworthy);
//!     Ok(())
//! }
//! # }
//! # fn main() {}
//! ```
//!
//! # Guarantees
//! - One thread forwards packets and allocates no memory for a packet.
//! - The rate is exact: departures are computed, so lateness of the thread does not add up.
//! - Every result contains the lateness of packets, and whether timing can be trusted.
//! - The machine's network does not change, and nothing is left behind, however the program ends.
//! - The forwarding process holds no capabilities once it runs.
//!
//! # Modules
//! - [`session`]: a command in a namespace behind the bottleneck.
//! - [`bridge`]: the bottleneck between two existing interfaces.
//! - [`run`]: a run of the simulator ([`earlydrop_sim::Run`]) on real hosts.
//! - [`plan`]: parameters of a bottleneck.
//! - [`stats`]: counters, samples and lateness.
//! - [`packet`]: flow, ECN and class of an IP packet, and marking.
//!
//! # Who calls whom
//!
//! ```text
//! session, bridge -> forwarding --+
//!                                 +-> emulator -> batch_read  -> device, gso, pool
//! run -> run::bottleneck ---------+            -> direction   -> the scheme's queue
//!                                              -> batch_write -> device, gso, pool
//! session, run    -> namespace -> device, netlink
//! session         -> init, privileges
//! ```
//!
//! `emulator` reads packets from both devices, offers them to a `direction` (queue, transmitter,
//! wire), and writes them when they are due. `direction` knows no device and no clock.
//! Errors (`error`) depend on nothing; every module returns [`LiveError`].

#![deny(unsafe_code)] // allowed where the kernel's interface needs it, with the reason

mod direction;
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod fuzzing;
mod gso;
pub mod packet;
pub mod plan;
mod pool;
pub mod stats;

#[cfg(target_os = "linux")]
mod batch_read;
#[cfg(target_os = "linux")]
mod batch_write;
#[cfg(target_os = "linux")]
pub mod bridge;
#[cfg(all(test, target_os = "linux"))]
mod datapath_tests;
#[cfg(target_os = "linux")]
mod device;
#[cfg(target_os = "linux")]
mod emulator;
#[cfg(target_os = "linux")]
mod error;
#[cfg(target_os = "linux")]
mod forwarding;
#[cfg(target_os = "linux")]
mod init;
#[cfg(target_os = "linux")]
mod namespace;
#[cfg(target_os = "linux")]
mod netlink;
#[cfg(target_os = "linux")]
mod privileges;
#[cfg(target_os = "linux")]
pub mod run;
#[cfg(target_os = "linux")]
pub mod session;
#[cfg(target_os = "linux")]
mod timing;

#[cfg(target_os = "linux")]
pub use error::LiveError;
