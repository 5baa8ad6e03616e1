//! Which wires become access links, kept with their flow.

use std::collections::HashMap;

use super::super::Simulation;
use super::super::access::{AccessLink, AccessLinks, Place};
use super::super::route::Stage;
use super::routes::{FlowRoutes, LinkStages, opens_connections};
use crate::link::{SendTimes, Transmitter};
use crate::prefetch::use_huge_pages;
use crate::traffic::Flow;

/// What links have become, once the wires between a flow's ends and the network that no other flow
/// uses are access links.
///
/// Of an access link only its rate is a stage. So flows whose access links are equally fast share
/// one route.
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
    let own = &mut simulation.flows.access;
    for routes in routes {
        let [there, back] = [&routes.forward, &routes.backward];
        let near = Stage::Access as fn(u32) -> Stage;
        let ends = [
            (there.first(), Place::near(true), near),
            (back.last(), Place::near(false), near),
            (there.last(), Place::far(true), Stage::FarAccess),
            (back.first(), Place::far(false), Stage::FarAccess),
        ];
        for (link, place, stage) in ends {
            let Some(link) = link.map(|link| link.0 as usize) else {
                continue;
            };
            if let Stage::Wire(wire) = links[link].0
                && users[link] == 1
                && !opens_connections(&flows[routes.flow])
            {
                let params = simulation.links.wires[wire as usize].params();
                let Some(access_link) = AccessLink::of_delay(params.delay) else {
                    continue;
                };
                if own.is_empty() {
                    own.resize(flows.len(), AccessLinks::default());
                    use_huge_pages(own);
                }
                own[routes.flow][place] = access_link;
                // A rate caches the times of the last sizes, and sizes differ forward and backward.
                let rates = &mut simulation.links.access_rates;
                links[link].0 = stage(*known.entry((params.rate(), place)).or_insert_with(|| {
                    rates.push(SendTimes::at(params.rate()));
                    rates.len() as u32 - 1
                }));
            }
        }
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
