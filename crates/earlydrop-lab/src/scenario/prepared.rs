//! What a scenario makes of a cell: a run of the simulator, and how its outcome is judged.

use std::sync::Arc;

use earlydrop::units::Nanos;
use earlydrop_sim::network::LinkId;
use earlydrop_sim::{Run, Simulation};

use crate::document::{Place, Problem};

/// A run of the simulator, with the watched link and the criteria for its evaluation.
#[derive(Clone, Debug)]
pub struct PreparedRun {
    /// The run.
    pub run: Run,
    /// The link whose queue is in the summary.
    pub watched: LinkId,
    /// The links with the compared scheme and those of a graph with one of their own, in the order
    /// of the file; empty where there is only one.
    pub bottlenecks: Vec<LinkId>,
    /// By what its flows are judged.
    pub criteria: Criteria,
    /// Transfers are recorded one by one if there are at most so many.
    pub most_records: usize,
}

/// By what flows are judged.
#[derive(Clone, Debug, Default)]
pub struct Criteria {
    /// Transfers that take less are in time.
    pub deadline: Nanos,
    /// Packets of those that feel lateness are late if they take longer.
    pub playout: Nanos,
    /// The middle of the time measured: what begins before it is compared with the rest.
    pub middle: Nanos,
    /// The groups whose flows feel their rate, so that it is fair or not.
    pub elastic: Vec<Arc<str>>,
}

impl Criteria {
    /// Whether the flows of a group want as much of the link as they can get.
    pub fn is_elastic(&self, group: &str) -> bool {
        self.elastic.iter().any(|name| **name == *group)
    }
}

impl PreparedRun {
    /// Checks the run and builds its simulation, at time zero.
    pub fn start(&self) -> Result<Simulation, Problem> {
        let started = self.run.start();
        started.map_err(|error| Problem::new(&Place::default(), error.to_string(), ""))
    }
}
