//! The links of hosts, before the bottleneck and after it: no queue that could be full, so
//! when a packet leaves one is known when it comes.

use std::collections::HashMap;

use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_sim::network::{LinkId, Network};

/// The links on one side of the bottleneck, in one direction.
#[derive(Clone, Debug, Default)]
pub(crate) struct AccessLinks {
    links: Vec<AccessLink>,
    /// Which of them each flow's packets cross, one after the other.
    routes: Vec<Vec<u32>>,
}

#[derive(Clone, Debug)]
struct AccessLink {
    rate: BitsPerSec,
    delay: Nanos,
    /// When what was sent last is through.
    free_at: Nanos,
}

impl AccessLinks {
    /// The links that each flow's packets cross, one after the other. Packets must come to
    /// each in the order of time: from one place.
    pub(crate) fn new(network: &Network, routes: &[Vec<LinkId>]) -> AccessLinks {
        let mut access = AccessLinks::default();
        let mut known = HashMap::new();
        for route in routes {
            let links = route.iter().map(|link| {
                *known.entry(*link).or_insert_with(|| {
                    let described = network.get(*link);
                    access.links.push(AccessLink {
                        rate: described.rate,
                        delay: described.delay,
                        free_at: Nanos::ZERO,
                    });
                    access.links.len() as u32 - 1
                })
            });
            let route = links.collect();
            access.routes.push(route);
        }
        access
    }

    /// When a packet of `flow`, of `size` bytes, that comes at `at` is through.
    pub(crate) fn transit(&mut self, flow: u32, at: Nanos, size: u32) -> Nanos {
        let mut at = at;
        for index in &self.routes[flow as usize] {
            let link = &mut self.links[*index as usize];
            let transmission = link.rate.transmission_time(Bytes(u64::from(size)));
            link.free_at = link.free_at.max(at) + transmission;
            at = link.free_at + link.delay;
        }
        at
    }

    /// No packet is through sooner than this after it has come.
    pub(crate) fn min_delay(&self) -> Nanos {
        let delay = |index: &u32| self.links[*index as usize].delay;
        let delays = |route: &Vec<u32>| Nanos(route.iter().map(|index| delay(index).0).sum());
        self.routes.iter().map(delays).min().unwrap_or(Nanos::ZERO)
    }

    /// How many packets of `size` may be on the wires at once.
    pub(crate) fn packets_in_flight(&self, size: Bytes) -> f64 {
        let packets =
            |link: &AccessLink| link.rate.packets_per_sec(size) * link.delay.as_secs_f64();
        self.links.iter().map(packets).sum()
    }
}
