//! Parameters of a bottleneck: one [`Direction`] up, one down.

use earlydrop::queue::AnyQueue;
use earlydrop::registry::{ConfigError, LinkFacts, Spec};
use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_sim::network::Trace;

use crate::pool::{Frame, MAX_BUFFERS};

/// Largest IP packet that is forwarded, in bytes.
pub const MTU: u32 = 1500;

/// Transmission rate of a direction.
#[derive(Clone, Debug, PartialEq)]
pub enum Rate {
    /// A constant rate.
    Constant(BitsPerSec),
    /// The transmission opportunities of a recorded link.
    Recorded(Trace),
}

impl Rate {
    /// The mean rate, in bits per second.
    pub fn mean(&self) -> BitsPerSec {
        match self {
            Rate::Constant(rate) => *rate,
            Rate::Recorded(trace) => trace.mean_rate(),
        }
    }
}

/// Parameters of one direction: a queue, a transmitter, and a wire.
#[derive(Clone, Debug, PartialEq)]
pub struct Direction {
    /// Transmission rate.
    pub rate: Rate,
    /// Propagation delay of the wire.
    pub delay: Nanos,
    /// Probability that a packet is lost on the wire, from 0 to 1.
    pub loss: f64,
    /// Queue discipline with its parameters.
    pub queue: Spec,
}

impl Direction {
    /// Builds the empty queue, or names the parameter that is wrong at this rate.
    pub(crate) fn queue(&self, seed: u64) -> Result<AnyQueue<Frame>, ConfigError> {
        Ok(self.queue.plan(&self.link())?.queue(seed))
    }

    /// Checks whether the queue can be built.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.queue.plan(&self.link()).map(|_| ())
    }

    fn link(&self) -> LinkFacts {
        LinkFacts {
            mean_packet: Bytes(u64::from(MTU)),
            ..LinkFacts::at(self.rate.mean())
        }
    }

    /// Number of 64-byte packets in flight on the wire, limited by the number of buffers.
    pub(crate) fn on_the_wire(&self) -> usize {
        const SMALL: Bytes = Bytes(64);
        let packets = self.rate.mean().packets_per_sec(SMALL) * self.delay.as_secs_f64();
        (packets as usize).min(MAX_BUFFERS)
    }
}

/// Parameters of a bottleneck: both directions.
#[derive(Clone, Debug, PartialEq)]
pub struct Bottleneck {
    /// From the near end, where the command runs, to the far end.
    pub up: Direction,
    /// From the far end to the near end.
    pub down: Direction,
    /// Seed of all random numbers.
    pub seed: u64,
}
