//! Queue disciplines on real packets: a bottleneck in user space between two network
//! namespaces that the program makes for itself, crossed by what the kernel's own TCP sends.
//!
//! The contract: one thread, no allocation for a packet, no change to the machine's own
//! network, nothing left behind however the program ends. Where time passes late, the
//! results say by how much.
//!
//! # Where things are
//! - [`packet`]: flow, ECN and class of an IP packet, and marks.
//! - [`plan`]: a bottleneck as it is described.
//! - [`stats`]: what is counted and measured.
//! - [`session`]: namespaces, devices and a command between them, from beginning to end.
//! - [`bridge`]: the same between two interfaces that are there.
//! - [`run`]: a run of the simulator's, on real hosts.

#![deny(unsafe_code)] // but for what the kernel's interface leaves no way around, said there

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
