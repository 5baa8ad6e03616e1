//! Streams of random numbers, one for each purpose and each who draws for it, so that more
//! draws for one change no other's. Whoever does the same [`Run`](crate::Run) elsewhere,
//! with real hosts, draws the same starts and sizes.

use earlydrop::packet::FlowKey;
use earlydrop::random::Pcg32;

/// What random numbers are for; each purpose has streams of its own.
#[derive(Clone, Copy, Debug)]
pub enum Purpose {
    /// Verdicts of queues.
    Queue = 1,
    /// Losses and reordering on links.
    Link,
    /// When flows start.
    Start,
    /// How long hosts take before each packet.
    Overhead,
    /// Sizes, pauses and bursts of a flow.
    Application,
    /// Sizes of transfers that a flow starts over connections of their own.
    Spawned,
    /// How long hosts take before each packet of these.
    SpawnedOverhead,
}

/// The stream for a purpose and an index.
pub fn stream(seed: u64, purpose: Purpose, index: u64) -> Pcg32 {
    Pcg32::new(FlowKey(seed).hash(purpose as u64), index)
}

/// The index of one of the connections over which a flow's transfers go.
pub fn spawned(flow: u32, connection: u64) -> u64 {
    u64::from(flow) << 32 | connection
}
