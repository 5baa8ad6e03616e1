//! Links that switches pause.

use earlydrop::units::Nanos;

use super::super::Simulation;
use super::super::pauses::{Pausable, problem};
use super::super::route::Stage;
use super::routes::LinkStages;
use crate::network::{Link, LinkId};
use crate::run::{Run, RunError};

/// Whether the queue in front of a link can pause a class.
fn tells_classes_apart(described: &Link) -> bool {
    let plan = described
        .queue_in_front()
        .map(|spec| spec.plan(&described.facts()));
    plan.is_some_and(|plan| plan.is_ok_and(|plan| plan.can_pause_classes()))
}

/// Prepares the ports at both ends of links that are paused.
pub(super) fn add(
    simulation: &mut Simulation,
    run: &Run,
    links: &[LinkStages],
) -> Result<(), RunError> {
    let port_of = |id: LinkId| match links[id.0 as usize].0 {
        Stage::Port(port) => Some(port),
        _ => None,
    };
    for (node, limits) in run.network.pauses() {
        let wrong = |problem| RunError::Pauses {
            node: run.network.name(*node).to_string(),
            problem,
        };
        if let Some(problem) = problem(limits) {
            return Err(wrong(problem));
        }
        for (id, from, to, described) in run.network.links() {
            let name = || run.network.link_name(id);
            if from != *node && to != *node {
                continue;
            }
            let Some(port) = port_of(id) else {
                let problem = format!("{} has no queue, and cannot be paused", name());
                return Err(wrong(problem));
            };
            if !described.changes.is_empty() || described.trace.is_some() {
                let problem = format!("{} changes, which pauses do not allow for", name());
                return Err(wrong(problem));
            }
            if limits.classes.is_some() && !tells_classes_apart(described) {
                let problem = format!(
                    "the queue of {} does not tell classes apart, as drr:by=class does",
                    name()
                );
                return Err(wrong(problem));
            }
            // Departures must be known when they begin.
            simulation.links.ports[port as usize].slack = Nanos::ZERO;
            if from == *node {
                simulation.links.ports[port as usize].dropped = Some(Vec::new());
                continue;
            }
            let Some(back) = run.network.way_back(id).and_then(port_of) else {
                let problem = format!("no link leads back along {}", name());
                return Err(wrong(problem));
            };
            let pausable = Pausable::new(*limits, back);
            simulation.links.ports[port as usize].pausable = Some(Box::new(pausable));
        }
    }
    Ok(())
}
