//! What comes to a queue: flows, and the link that they share.

use earlydrop::registry::Link;
use earlydrop::units::{BitsPerSec, Bytes, Nanos};

use crate::{ModelError, Tcp};

/// Long TCP flows that are alike, on one link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// How fast the link sends.
    pub rate: BitsPerSec,
    /// A packet on the wire.
    pub packet: Bytes,
    /// The round trip without any queue.
    pub rtt: Nanos,
    /// How many flows.
    pub flows: f64,
    /// How each behaves.
    pub tcp: Tcp,
}

impl Default for Load {
    /// Twenty flows on 20 Mbps over 50 ms, with packets of 1500 bytes.
    fn default() -> Load {
        Load {
            rate: BitsPerSec::from_mbps(20),
            packet: Bytes(1500),
            rtt: Nanos::from_millis(50),
            flows: 20.0,
            tcp: Tcp::default(),
        }
    }
}

impl Load {
    /// What a scheme must know of the link.
    pub fn link(&self) -> Link {
        Link {
            rate: self.rate,
            mean_packet: self.packet,
        }
    }

    /// mu: how many packets the link sends in a second.
    pub fn service(&self) -> f64 {
        self.rate.packets_per_sec(self.packet)
    }

    /// The round trip in seconds with `queue` packets waiting.
    pub fn round_trip(&self, queue: f64) -> f64 {
        self.rtt.as_secs_f64() + queue / self.service()
    }

    /// Refuses what no formula takes.
    pub fn check(&self) -> Result<(), ModelError> {
        let positive = "above 0";
        let outside = |what, value: String, nearest: &str| {
            Err(ModelError::outside(what, value, positive, nearest))
        };
        if self.rate.0 == 0 {
            return outside("link", self.rate.to_string(), "1 Mbps");
        }
        if self.packet.0 == 0 {
            return outside("packet", self.packet.to_string(), "1 bytes");
        }
        if self.rtt == Nanos::ZERO {
            return outside("rtt", self.rtt.to_string(), "1 us");
        }
        if !(self.flows > 0.0 && self.flows.is_finite()) {
            return outside("flows", self.flows.to_string(), "1");
        }
        Ok(())
    }
}
