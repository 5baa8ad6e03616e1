//! Access links: wires that a single flow uses, kept with the flow.

use std::collections::HashMap;

use super::super::Simulation;
use super::super::route::Stage;
use super::routes::{FlowRoutes, LinkStages, opens_connections};
use crate::link::Transmitter;
use crate::traffic::Flow;

/// The directions of packets, whose sizes differ.
const FORWARD: usize = 0;
const BACKWARD: usize = 1;

/// What links have become, once the wires between a flow's ends and the network that no other flow
/// uses are access links.
///
/// Of an access link only its parameters are a stage. So flows with equal access links share one
/// route, which stays in the caches.
pub(super) fn make_access_links(
    simulation: &mut Simulation,
    links: &[LinkStages],
    flows: &[Flow],
    routes: &[FlowRoutes],
) -> Vec<LinkStages> {
    let mut users = vec![0_u32; links.len()];
    for route in routes.iter().flat_map(FlowRoutes::pairs).flatten() {
        for link in route {
            users[link.0 as usize] += 1;
        }
    }
    let mut links = links.to_vec();
    let mut known = HashMap::new();
    for routes in routes {
        let flow = &flows[routes.flow];
        let ends = [
            (
                routes.forward.first(),
                FORWARD,
                Stage::Access as fn(u32) -> Stage,
            ),
            (routes.backward.last(), BACKWARD, Stage::Access),
            (routes.forward.last(), FORWARD, Stage::FarAccess),
            (routes.backward.first(), BACKWARD, Stage::FarAccess),
        ];
        for (link, direction, stage) in ends {
            let Some(link) = link.map(|link| link.0 as usize) else {
                continue;
            };
            if let Stage::Wire(wire) = links[link].0
                && users[link] == 1
                && !opens_connections(flow)
            {
                let params = simulation.links.wires[wire as usize].params.clone();
                // The parameters cache the last size, and sizes differ forward and backward.
                let key = (params.rate().0, params.delay, direction);
                let access_links = &mut simulation.links.access;
                links[link].0 = stage(*known.entry(key).or_insert_with(|| {
                    access_links.push(params);
                    access_links.len() as u32 - 1
                }));
            }
        }
    }
    let has_far = |(stage, _): &LinkStages| matches!(stage, Stage::FarAccess(_));
    if links.iter().any(has_far) {
        simulation.flows.far_free_at = vec![Default::default(); flows.len()];
    }
    links
}

/// Drops the wires that no route crosses, and orders the others as routes cross them.
pub(super) fn compact_wires(wires: &mut Vec<Transmitter>, stages: &mut [Stage]) {
    let mut moved = vec![None; wires.len()];
    let mut used = Vec::new();
    for stage in stages {
        if let Stage::Wire(wire) = stage {
            let old = *wire as usize;
            *wire = *moved[old].get_or_insert_with(|| {
                used.push(wires[old].clone());
                used.len() as u32 - 1
            });
        }
    }
    used.shrink_to_fit();
    *wires = used;
}
