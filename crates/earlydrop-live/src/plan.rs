//! A bottleneck as it is described, one direction at a time.

use earlydrop::queue::AnyQueue;
use earlydrop::registry::{ConfigError, Link, Spec};
use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_sim::network::Trace;

use crate::pool::{Frame, MAX_BUFFERS};

/// The largest packet that crosses, in bytes.
pub const MTU: u32 = 1500;

/// How fast a direction sends.
#[derive(Clone, Debug, PartialEq)]
pub enum Rate {
    /// Always this fast.
    Constant(BitsPerSec),
    /// Whenever a recorded link could.
    Recorded(Trace),
}

impl Rate {
    /// The rate, on average.
    pub fn mean(&self) -> BitsPerSec {
        match self {
            Rate::Constant(rate) => *rate,
            Rate::Recorded(trace) => trace.mean_rate(),
        }
    }
}

/// One direction: a queue, a transmitter, and a wire.
#[derive(Clone, Debug, PartialEq)]
pub struct Direction {
    /// How fast it sends.
    pub rate: Rate,
    /// How long a packet travels once it is sent.
    pub delay: Nanos,
    /// The share of packets lost at random once sent.
    pub loss: f64,
    /// What waits, and what is dropped or marked.
    pub queue: Spec,
}

impl Direction {
    /// An empty queue, or what is wrong with its parameters at this rate.
    pub(crate) fn queue(&self, seed: u64) -> Result<AnyQueue<Frame>, ConfigError> {
        Ok(self.queue.plan(&self.link())?.queue(seed))
    }

    /// Whether its queue can be built.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.queue.plan(&self.link()).map(|_| ())
    }

    fn link(&self) -> Link {
        Link {
            mean_packet: Bytes(u64::from(MTU)),
            ..Link::at(self.rate.mean())
        }
    }

    /// How many packets may be on the wire at once, were they small, as far as there are
    /// buffers for them.
    pub(crate) fn on_the_wire(&self) -> usize {
        const SMALL: Bytes = Bytes(64);
        let packets = self.rate.mean().packets_per_sec(SMALL) * self.delay.as_secs_f64();
        (packets as usize).min(MAX_BUFFERS)
    }
}

/// Both directions.
#[derive(Clone, Debug, PartialEq)]
pub struct Bottleneck {
    /// From the near end, where the command runs, to the far one.
    pub up: Direction,
    /// From the far end to the near one.
    pub down: Direction,
    /// Seeds everything that is random.
    pub seed: u64,
}
