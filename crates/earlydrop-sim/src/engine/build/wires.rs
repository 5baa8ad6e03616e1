//! Which wires flows keep themselves, and what is left of the others.

use std::collections::HashMap;

use super::super::Simulation;
use super::super::hop::Hop;
use super::super::link::Link;
use super::super::order::{Ways, makes_connections};
use crate::traffic::Flow;

/// What links have become, with the wires changed that a flow keeps: between its sender
/// and the network, and used by nobody else. All that is left of them besides is a make,
/// so that many flows' ways are the same and stay in the cache.
pub(super) fn hand_to_flows(
    simulation: &mut Simulation,
    places: &[(Hop, Option<Hop>)],
    flows: &[Flow],
    ways: &[Ways],
) -> Vec<(Hop, Option<Hop>)> {
    let mut users = vec![0_u32; places.len()];
    for way in ways.iter().flat_map(|ways| [&ways.forward, &ways.backward]) {
        for link in way {
            users[link.0 as usize] += 1;
        }
    }
    let mut places = places.to_vec();
    let mut known = HashMap::new();
    for (flow, ways) in flows.iter().zip(ways) {
        let ends = [ways.forward.first(), ways.backward.last()];
        for (backward, link) in ends.into_iter().enumerate() {
            let Some(link) = link.map(|link| link.0 as usize) else {
                continue;
            };
            if let Hop::Wire(wire) = places[link].0
                && users[link] == 1
                && !makes_connections(flow)
            {
                let make = simulation.wires[wire as usize].make.clone();
                // Sizes differ there and back, and a make remembers the last.
                let key = (make.rate().0, make.delay, backward);
                let makes = &mut simulation.makes;
                places[link].0 = Hop::Own(*known.entry(key).or_insert_with(|| {
                    makes.push(make);
                    makes.len() as u32 - 1
                }));
            }
        }
    }
    places
}

/// Leaves the wires that ways cross, in the order of the ways.
pub(super) fn keep_used(wires: &mut Vec<Link>, hops: &mut [Hop]) {
    let mut moved = vec![None; wires.len()];
    let mut kept = Vec::new();
    for hop in hops {
        if let Hop::Wire(wire) = hop {
            let old = *wire as usize;
            *wire = *moved[old].get_or_insert_with(|| {
                kept.push(wires[old].clone());
                kept.len() as u32 - 1
            });
        }
    }
    kept.shrink_to_fit();
    *wires = kept;
}
