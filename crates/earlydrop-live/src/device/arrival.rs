//! What a device has read.

use crate::packet::Header;
use crate::pool::Offsets;

/// What a device has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// A packet for the queue.
    Packet(Offsets, Header),
    /// What the scheme does not judge; a header that says how long it is.
    Bypass(Offsets, Header),
    /// No packet of IPv4 or IPv6.
    Malformed,
    /// Longer than the largest packet that crosses.
    Oversized,
}
