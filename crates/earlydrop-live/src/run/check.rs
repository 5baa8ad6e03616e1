//! What a run asks for that real hosts cannot do.

use earlydrop_sim::network::LinkId;
use earlydrop_sim::{Run, RunError};

use super::book::Book;
use super::layout::Layout;
use super::{Refused, hosts};

/// Checks everything about a run whose results are about `watched`.
pub(crate) fn checked(run: &Run, watched: LinkId) -> Result<(Layout, Book), Refused> {
    run.start().map_err(|problem| senseless(&problem))?;
    if !run.measure.captures.is_empty() {
        return Err(Refused {
            flow: None,
            message: "live records no packets of a run".to_string(),
            help: "`earlydrop shell --pcap FILE` writes those of a session".to_string(),
        });
    }
    let layout = Layout::new(run, watched)?;
    let book = Book::new(&run.flows)?;
    hosts::check(run)?;
    Ok((layout, book))
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
