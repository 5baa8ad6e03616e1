//! Checks a run for features that real hosts cannot provide.

use earlydrop_sim::network::LinkId;
use earlydrop_sim::{Run, RunError};

use super::addresses::AddressPlan;
use super::hosts;
use super::topology::Topology;
use crate::error::Unsupported;

/// Checks a run with results about `watched`; returns its topology and address plan.
pub(crate) fn check_all(
    run: &Run,
    watched: LinkId,
) -> Result<(Topology, AddressPlan), Unsupported> {
    if let Some(first) = unsupported(run, watched).into_iter().next() {
        return Err(first);
    }
    Ok((Topology::new(run, watched)?, AddressPlan::new(&run.flows)?))
}

/// Lists unsupported features: at most one of the network, one of the flows, and so on.
pub(crate) fn unsupported(run: &Run, watched: LinkId) -> Vec<Unsupported> {
    if let Err(problem) = run.start() {
        return vec![invalid_run(&problem)];
    }
    let captures = (!run.measure.captures.is_empty()).then(|| Unsupported {
        flow: None,
        message: "live records no packets of a run".to_string(),
        help: "`earlydrop shell --pcap FILE` writes those of a session".to_string(),
    });
    let unsupported = [
        captures,
        Topology::new(run, watched).err(),
        AddressPlan::new(&run.flows).err(),
        hosts::check(run).err(),
    ];
    unsupported.into_iter().flatten().collect()
}

/// A run that the simulator refuses as well.
fn invalid_run(problem: &RunError) -> Unsupported {
    let flow = match problem {
        RunError::NoRoute { flow, .. }
        | RunError::Profile { flow, .. }
        | RunError::Flow { flow, .. } => Some(*flow),
        _ => None,
    };
    Unsupported {
        flow,
        message: problem.to_string(),
        help: "the simulator refuses it, too".to_string(),
    }
}
