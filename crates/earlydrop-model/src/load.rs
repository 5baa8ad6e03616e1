//! The load of a queue: a link, and the TCP flows that share it.

use earlydrop::registry::LinkFacts;
use earlydrop::units::{BitsPerSec, Bytes, Nanos};

use crate::{ModelError, Tcp};

/// Packets in flight and in the buffer per flow, below which timeouts are frequent (Morris 1997).
pub const PACKETS_PER_FLOW: f64 = 4.0;

/// Identical long-lived TCP flows on one bottleneck link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// The link rate.
    pub rate: BitsPerSec,
    /// The size of every packet on the wire.
    pub packet: Bytes,
    /// The round-trip time without queueing.
    pub rtt: Nanos,
    /// The number of flows.
    pub flows: f64,
    /// The TCP of every flow.
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
    /// The link, as the registry of schemes needs it.
    pub fn link(&self) -> LinkFacts {
        LinkFacts {
            rate: self.rate,
            mean_packet: self.packet,
        }
    }

    /// mu: the link rate in packets per second.
    pub fn service(&self) -> f64 {
        self.rate.packets_per_sec(self.packet)
    }

    /// The bandwidth-delay product in packets: what the path holds without a queue.
    pub fn bdp(&self) -> f64 {
        self.rtt.as_secs_f64() * self.service()
    }

    /// Whether path and `queue` hold so few packets for each flow that most losses are timeouts.
    pub fn has_small_windows(&self, queue: f64) -> bool {
        self.bdp() + queue < PACKETS_PER_FLOW * self.flows
    }

    /// The round-trip time in seconds with `queue` packets waiting.
    pub fn round_trip(&self, queue: f64) -> f64 {
        self.rtt.as_secs_f64() + queue / self.service()
    }

    /// Fails if a value is zero, negative or infinite.
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
