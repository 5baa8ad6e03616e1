//! The result of reading one packet from a device.

use crate::packet::Header;
use crate::pool::Offsets;

/// A packet that was read, or why it is not forwarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// A packet for the queue.
    Packet(Offsets, Header),
    /// A packet that bypasses the scheme; its header holds the length only.
    Bypass(Offsets, Header),
    /// No IPv4 or IPv6 packet.
    Malformed,
    /// Longer than the MTU.
    Oversized,
    /// No packet: the interface has gone down.
    Down,
}
