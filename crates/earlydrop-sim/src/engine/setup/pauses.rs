//! Links that switches pause.

use earlydrop::units::Nanos;

use super::super::Simulation;
use super::super::pauses::{Pausable, problem};
use super::super::route::Stage;
use super::routes::LinkStages;
use crate::network::{Classes, Link, LinkId};
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
                let port = &mut simulation.links.ports[port as usize];
                port.dropped = Some(Vec::new());
                for class in limits.classes.into_iter().flat_map(Classes::iter) {
                    port.link.queue_mut().protect_class(class);
                }
                continue;
            }
            let Some(back) = run.network.way_back(id).and_then(port_of) else {
                let problem = format!("no link leads back along {}", name());
                return Err(wrong(problem));
            };
            let pausable = Pausable::new(*limits, back);
            simulation.links.ports[port as usize].pausable = Some(Box::new(pausable));
        }
        if let Some(classes) = limits.classes {
            let shared = run.network.shared_buffers().iter();
            let number = shared.take_while(|(shares, _)| shares != node).count();
            if let Some(buffer) = simulation.links.buffers.get_mut(number) {
                let sizes = run.flows.iter().map(|flow| flow.traffic.largest_packet());
                let largest = sizes.max().unwrap_or_default();
                let (links, headroom) = run.network.headroom_at(*node, largest);
                buffer.reserve(classes, limits.room(links, headroom));
            }
        }
    }
    Ok(())
}
