//! Incasts: which flows are the servers of one client.

use std::collections::BTreeMap;

use super::super::Simulation;
use super::super::application::Partner;
use super::super::barrier::Barrier;
use crate::run::{Run, RunError};
use crate::streams::{Purpose, stream};
use crate::traffic::{Application, Flow, Incast, Traffic};

/// The incast that a flow is a server of.
pub(super) fn of(flow: &Flow) -> Option<&Incast> {
    match &flow.traffic {
        Traffic::Tcp {
            application: Application::Incast(incast),
            ..
        } => Some(incast),
        _ => None,
    }
}

/// For each client its servers' flows, in order.
pub(super) fn clients(flows: &[Flow]) -> Result<BTreeMap<u32, Vec<u32>>, RunError> {
    let mut clients: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (index, flow) in flows.iter().enumerate() {
        let Some(incast) = of(flow) else { continue };
        let servers = clients.entry(incast.client).or_default();
        if let Some(first) = servers.first()
            && flows[*first as usize].start != flow.start
        {
            let client = incast.client;
            return Err(RunError::Flow {
                flow: index,
                problem: format!(
                    "it starts at another time than flow {first}, a server of the same \
                     client {client}; servers of a client start together"
                ),
            });
        }
        servers.push(index as u32);
    }
    Ok(clients)
}

/// Gives the servers of each client their barrier.
pub(super) fn add_barriers(
    simulation: &mut Simulation,
    run: &Run,
    clients: BTreeMap<u32, Vec<u32>>,
) {
    for servers in clients.into_values() {
        let Some(incast) = of(&run.flows[servers[0] as usize]) else {
            continue;
        };
        let number = simulation.flows.barriers.len() as u32;
        for server in &servers {
            simulation
                .flows
                .set_partner(*server, Partner::Barrier(number));
        }
        let random = stream(run.seed, Purpose::Incast, u64::from(incast.client));
        let (think, rounds) = (incast.think.clone(), incast.rounds);
        let barrier = Barrier::new(servers, think, rounds, random);
        simulation.flows.barriers.push(barrier);
    }
}
