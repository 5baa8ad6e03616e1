//! The links of hosts, before the bottleneck and after it: no queue that could be full, so
//! when a packet leaves one is known when it comes.

use std::collections::HashMap;

use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_sim::network::{LinkId, Network};

/// The links on one side of the bottleneck, in one direction.
#[derive(Clone, Debug, Default)]
pub(crate) struct AccessLinks {
    wires: Vec<Wire>,
    /// Which of them each flow's packets cross, one after the other.
    rows: Vec<Vec<u32>>,
}

#[derive(Clone, Debug)]
struct Wire {
    rate: BitsPerSec,
    delay: Nanos,
    /// When what was sent last is through.
    free_at: Nanos,
}

impl AccessLinks {
    /// The links that each flow's packets cross, one after the other. Packets must come to
    /// each in the order of time: from one place.
    pub(crate) fn new(network: &Network, rows: &[Vec<LinkId>]) -> AccessLinks {
        let mut access = AccessLinks::default();
        let mut known = HashMap::new();
        for row in rows {
            let wires = row.iter().map(|link| {
                *known.entry(*link).or_insert_with(|| {
                    let described = network.get(*link);
                    access.wires.push(Wire {
                        rate: described.rate,
                        delay: described.delay,
                        free_at: Nanos::ZERO,
                    });
                    access.wires.len() as u32 - 1
                })
            });
            let row = wires.collect();
            access.rows.push(row);
        }
        access
    }

    /// When a packet of `flow`, of `size` bytes, that comes at `at` is through.
    pub(crate) fn cross(&mut self, flow: u32, at: Nanos, size: u32) -> Nanos {
        let mut at = at;
        for index in &self.rows[flow as usize] {
            let wire = &mut self.wires[*index as usize];
            let takes = wire.rate.transmission_time(Bytes(u64::from(size)));
            wire.free_at = wire.free_at.max(at) + takes;
            at = wire.free_at + wire.delay;
        }
        at
    }

    /// No packet is through sooner than this after it has come.
    pub(crate) fn least_delay(&self) -> Nanos {
        let delay = |index: &u32| self.wires[*index as usize].delay;
        let delays = |row: &Vec<u32>| Nanos(row.iter().map(|index| delay(index).0).sum());
        self.rows.iter().map(delays).min().unwrap_or(Nanos::ZERO)
    }

    /// How many packets of `size` may be on the wires at once.
    pub(crate) fn holds(&self, size: Bytes) -> f64 {
        let packets = |wire: &Wire| wire.rate.packets_per_sec(size) * wire.delay.as_secs_f64();
        self.wires.iter().map(packets).sum()
    }
}
