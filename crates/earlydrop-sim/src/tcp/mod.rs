//! TCP as two state machines: a sender and a receiver, without clock, queue or network.
//!
//! Whoever drives them says what arrives and when, carries what they hand out, and
//! calls them again at their [deadlines](Sender::deadline). Segments are numbered, not
//! their bytes: every number is one segment of the profile's size.
//!
//! Three things are kept apart. *Loss recovery* ([`Recovery`]) decides what was lost
//! and what is sent again; *congestion control* ([`control`]) how much may be on its
//! way; the *retransmission timer* ([`timer`]) when to give up waiting. A [`Profile`]
//! holds what many flows have in common, and is passed to every call, so that the state
//! of a flow stays small.
//!
//! ```
//! use earlydrop::units::Nanos;
//! use earlydrop_sim::tcp::{Ack, Arrival, Profile, Receiver, Recovery, Sender};
//! let profile = Profile::ns2(Recovery::NewReno);
//! let mut sender = Sender::new(&profile, Nanos::ZERO);
//! let mut receiver = Receiver::new(0);
//! sender.supply(1 + 100); // the connection request and 100 segments
//! let mut now = Nanos::ZERO;
//! while sender.acknowledged() < 101 {
//!     while let Some(segment) = sender.poll_transmit(&profile, now) {
//!         let arrival = Arrival::of(&segment, now);
//!         let reply = receiver.on_segment(&profile, &arrival, now + Nanos::from_millis(10));
//!         sender.on_ack(&profile, &reply.unwrap().as_ack(), now + Nanos::from_millis(20));
//!     }
//!     now += Nanos::from_millis(20);
//! }
//! assert_eq!(receiver.received(), 101);
//! ```

pub mod control;
mod delivery;
mod held;
mod profile;
mod receiver;
mod recovery;
mod reduction;
mod scoreboard;
mod selective;
mod sender;
#[cfg(test)]
mod testing;
pub mod timer;

#[cfg(test)]
mod properties_tests;
#[cfg(test)]
mod recovery_tests;
#[cfg(test)]
mod sender_tests;

use earlydrop::packet::Ecn;
use earlydrop::units::Nanos;

pub use profile::{
    Algorithm, DelayedAcks, EcnMode, Growth, Handshake, Profile, ProfileError, Recovery, Reduction,
    RenoEstimate, RoundTrips, Rules,
};
pub use receiver::{Arrival, Receiver, Reply};
pub(crate) use receiver::{Echo, Say};
pub use sender::{Sender, SenderCounts};
pub use timer::TimerRules;

/// Segments in a row: `from`, and what follows it up to but not including `to`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// The first number.
    pub from: u32,
    /// The number after the last.
    pub to: u32,
}

/// A segment to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its number.
    pub number: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// Whether this number was sent before.
    pub retransmission: bool,
    /// The ECN field to send it with.
    pub ecn: Ecn,
    /// RFC 3168's "congestion window reduced".
    pub cwr: bool,
    /// Whether it asks for a connection and carries no data.
    pub syn: bool,
}

/// An acknowledgment that arrived.
#[derive(Clone, Copy, Debug)]
pub struct Ack<'a> {
    /// The next number the receiver expects: everything before it arrived.
    pub next: u32,
    /// When the copy whose time it echoes was sent.
    pub echo: Nanos,
    /// Whether that copy was a retransmission.
    pub echo_retransmitted: bool,
    /// RFC 3168's "ECN echo".
    pub ece: bool,
    /// What arrived beyond `next`, the most recent first (RFC 2018).
    pub sacked: &'a [Range],
}
