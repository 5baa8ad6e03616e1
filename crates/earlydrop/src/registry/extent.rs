//! What a parameter's number is a measure of, and between which values it matters on a link.

use core::fmt;

use super::parameter::{Kind, Parameter};

/// What a parameter's number is a measure of. It bounds the values that matter on a link, and so a
/// search for the best one.
///
/// R is the round-trip time of the path, C the packets per second of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Extent {
    /// A length of the queue: from one packet to the buffer.
    Queue,
    /// A queueing delay: from the transmission time of a packet to that of the buffer.
    Delay,
    /// A time between two actions, or of an average: from the transmission time of a packet to
    /// [`ROUND_TRIPS`](Extent::ROUND_TRIPS) R.
    Period,
    /// The weight w of a packet in an average, whose time constant is 1/(w C): from that many round
    /// trips to 1, the packet alone.
    Weight,
    /// The probability of a congestion signal, or a step of it: from 3/(2 W^2), at which one flow
    /// of Reno fills the path and the buffer, W = R C + buffer, to 1 (Mathis et al. 1997).
    Probability,
    /// The weight of an error of the queue, as time or as packets, in a step of the probability: an
    /// error of R, or of R C packets, moves the probability by [`SMALLEST_STEP`](Extent::SMALLEST_STEP)
    /// to 1.
    Gain,
    /// A factor or a count that the link does not bound: from the value over
    /// [`MULTIPLE`](Extent::MULTIPLE) to this many times the value.
    Multiple,
}

impl Extent {
    /// The most round trips of a period and of an average's time constant. The usual average spans
    /// ten (Floyd, Gummadi, Shenker 2001).
    pub const ROUND_TRIPS: f64 = 100.0;
    /// The smallest step of a probability for an error of a round trip.
    pub const SMALLEST_STEP: f64 = 1e-4;
    /// The factor between a value and its bounds where the link does not bound it.
    pub const MULTIPLE: f64 = 16.0;
}

/// The bounds in words: "one packet to the buffer".
impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Extent::Queue => f.write_str("one packet to the buffer"),
            Extent::Delay => f.write_str("a packet's transmission time to the buffer's"),
            Extent::Period => write!(
                f,
                "a packet's transmission time to {} round trips",
                Extent::ROUND_TRIPS
            ),
            Extent::Weight => {
                write!(
                    f,
                    "an average of {} round trips to none",
                    Extent::ROUND_TRIPS
                )
            }
            Extent::Probability => f.write_str("what one flow needs to all packets"),
            Extent::Gain => write!(
                f,
                "an error of a round trip moves the probability by {} to 1",
                Extent::SMALLEST_STEP
            ),
            Extent::Multiple => write!(
                f,
                "the value over {} to {0} times the value",
                Extent::MULTIPLE
            ),
        }
    }
}

impl Parameter {
    /// What the parameter's number is a measure of: as given by
    /// [`with_extent`](Parameter::with_extent), else by its kind and unit.
    pub fn extent(&self) -> Extent {
        self.extent.unwrap_or_else(|| self.kind.extent())
    }
}

impl Kind {
    fn extent(&self) -> Extent {
        match self {
            Kind::Length(_) | Kind::Count(_, "packets") | Kind::Number(_, "packets") => {
                Extent::Queue
            }
            Kind::Time(_) => Extent::Delay,
            Kind::Number(_, "probability") => Extent::Probability,
            Kind::Number(_, "Hz" | "per packet") => Extent::Gain,
            Kind::OrAuto(kind) | Kind::OrNever(kind) => kind.extent(),
            _ => Extent::Multiple,
        }
    }
}
