//! Streams of random numbers: one for each purpose and each index, so that more draws for one
//! change no other.
//!
//! A program that does the same [`Run`](crate::Run) with real hosts draws the same start times and
//! sizes from them.

use earlydrop::packet::FlowKey;
use earlydrop::random::Pcg32;

/// What random numbers are drawn for. Each purpose has its own streams.
#[derive(Clone, Copy, Debug)]
pub enum Purpose {
    /// Verdicts of queues.
    Queue = 1,
    /// Loss and reordering on links.
    Link,
    /// When flows start.
    Start,
    /// Processing times of hosts before each packet.
    Overhead,
    /// Sizes, pauses and bursts of flows.
    Application,
    /// Sizes of transfers that start whether the last has ended or not: each has a stream by its
    /// number, so that it is as large whatever became of those before it.
    Spawned,
    /// Processing times of hosts before each packet of such connections.
    SpawnedOverhead,
    /// Which of several shortest routes a flow takes.
    Path,
    /// Between which hosts transfers are, and when they start.
    Hosts,
    /// Which of several shortest routes a packet takes, where packets are sprayed.
    Spray,
    /// Times between the rounds of an incast.
    Incast,
}

/// The stream of a run with this seed for a purpose and an index.
pub fn stream(seed: u64, purpose: Purpose, index: u64) -> Pcg32 {
    Pcg32::new(FlowKey(seed).hash(purpose as u64), index)
}

/// The hash value that chooses between shortest routes: of a flow by its index, of a transfer of a
/// flow list by [`spawned`].
pub(crate) fn path_hash(seed: u64, index: u64) -> u64 {
    u64::from(stream(seed, Purpose::Path, index).next_u32())
}

/// The stream of the size of a transfer that `flow` starts, by the transfer's number.
pub fn of_transfer(seed: u64, flow: u32, number: u64) -> Pcg32 {
    stream(seed, Purpose::Spawned, spawned(flow, number))
}

/// The stream index of a transfer that `flow` starts, or of a connection that it opens, by its
/// number.
pub fn spawned(flow: u32, number: u64) -> u64 {
    u64::from(flow) << 32 | number
}
