//! What a run asks for that real hosts cannot do.

use earlydrop_sim::network::LinkId;
use earlydrop_sim::{Run, RunError};

use super::book::Book;
use super::layout::Layout;
use super::{Refused, hosts};

/// Checks everything about a run whose results are about `watched`.
pub(crate) fn checked(run: &Run, watched: LinkId) -> Result<(Layout, Book), Refused> {
    if let Some(first) = refusals(run, watched).into_iter().next() {
        return Err(first);
    }
    Ok((Layout::new(run, watched)?, Book::new(&run.flows)?))
}

/// What of a run cannot be done: one thing of the network, one of the flows, and so on.
pub(crate) fn refusals(run: &Run, watched: LinkId) -> Vec<Refused> {
    if let Err(problem) = run.start() {
        return vec![senseless(&problem)];
    }
    let captures = (!run.measure.captures.is_empty()).then(|| Refused {
        flow: None,
        message: "live records no packets of a run".to_string(),
        help: "`earlydrop shell --pcap FILE` writes those of a session".to_string(),
    });
    let found = [
        captures,
        Layout::new(run, watched).err(),
        Book::new(&run.flows).err(),
        hosts::check(run).err(),
    ];
    found.into_iter().flatten().collect()
}

/// What the simulator would not do, either.
fn senseless(problem: &RunError) -> Refused {
    let flow = match problem {
        RunError::NoRoute { flow, .. }
        | RunError::Profile { flow, .. }
        | RunError::Flow { flow, .. } => Some(*flow),
        RunError::Queue { .. } | RunError::Link { .. } | RunError::Measure(_) => None,
    };
    Refused {
        flow,
        message: problem.to_string(),
        help: "the simulator refuses it, too".to_string(),
    }
}
