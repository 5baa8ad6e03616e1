//! Access links: the links of hosts, before and after the bottleneck. They have no queue that
//! can overflow, so the time at which a packet leaves one is known when it arrives.

use std::collections::HashMap;

use earlydrop::units::{Bytes, Nanos};
use earlydrop_sim::link::Transmitter;
use earlydrop_sim::network::{LinkId, Network};

/// Access links on one side of the bottleneck, in one direction.
#[derive(Clone, Debug, Default)]
pub(crate) struct AccessLinks {
    links: Vec<Transmitter>,
    /// For each flow, the indices of the links that its packets cross, in order.
    routes: Vec<Vec<u32>>,
}

impl AccessLinks {
    /// Access links with each flow's route over them. All packets of a link must come from one
    /// place, so that they arrive in the order of time.
    pub(crate) fn new(network: &Network, routes: &[Vec<LinkId>]) -> AccessLinks {
        let mut access = AccessLinks::default();
        let mut known = HashMap::new();
        for route in routes {
            let links = route.iter().map(|link| {
                *known.entry(*link).or_insert_with(|| {
                    let described = network.get(*link);
                    let link = Transmitter::new(described.rate, described.delay);
                    access.links.push(link);
                    access.links.len() as u32 - 1
                })
            });
            let route = links.collect();
            access.routes.push(route);
        }
        access
    }

    /// Time at which a packet of `flow`, `size` bytes long, that arrives at `at` has crossed.
    pub(crate) fn transit(&mut self, flow: u32, at: Nanos, size: u32) -> Nanos {
        let mut at = at;
        for index in &self.routes[flow as usize] {
            at = self.links[*index as usize].transmit(at, size);
        }
        at
    }

    /// Shortest time that a packet takes: the smallest propagation delay of a route.
    pub(crate) fn min_delay(&self) -> Nanos {
        let delay = |index: &u32| self.links[*index as usize].params().delay;
        let delays = |route: &Vec<u32>| Nanos(route.iter().map(|index| delay(index).0).sum());
        self.routes.iter().map(delays).min().unwrap_or(Nanos::ZERO)
    }

    /// Number of packets of `size` that may be in flight on the links.
    pub(crate) fn packets_in_flight(&self, size: Bytes) -> f64 {
        let params = self.links.iter().map(Transmitter::params);
        let packets =
            params.map(|link| link.rate().packets_per_sec(size) * link.delay.as_secs_f64());
        packets.sum()
    }
}
