//! The reference engine: an event for every hop, and no shortcuts. It specifies what the engine
//! computes.
//!
//! Here the model is at its plainest. A packet that is sent becomes an event before each link and
//! each end. A link with a queue is a port whose departures are computed when they begin. A timer
//! and a packet meet at an end in the order of their times. Everything else in
//! [`engine`](super) must give the same results with fewer events:
//!
//! | shortcut of the engine | here |
//! |---|---|
//! | wires and access links are arithmetic (`forward.rs`) | an event before each |
//! | drop-tail queues are arithmetic (`fifo.rs`) | ports |
//! | departures from a port are computed within a propagation delay (`port.rs`) | as they begin: no slack |
//! | ends act ahead of time, a passive receiver any time ahead (`flow.rs`) | at their events |
//! | flows take the fast path (`fast_path.rs`) | none is eligible |
//!
//! `shortcuts_change_nothing` in `tests/properties.rs` compares the two on random runs.

use earlydrop::units::Nanos;

use super::flow::Ends;
use super::route::{self, Stage};
use super::simulation::Simulation;

impl Simulation {
    /// Turns a simulation that has not started into the reference engine for the same run, with an
    /// event for every hop, departure and arrival.
    ///
    /// It is slower, and its results are equal except for the
    /// [totals](crate::results::Totals), unless two packets arrive at one place in the same
    /// nanosecond.
    #[doc(hidden)]
    pub fn reference_engine(mut self) -> Simulation {
        self.flows.may_be_fast = false;
        let first_fifo = self.links.ports.len() as u32;
        let fifos = std::mem::take(&mut self.links.fifos);
        self.links
            .ports
            .extend(fifos.iter().map(|fifo| fifo.as_port()));
        for port in &mut self.links.ports {
            port.slack = Nanos::ZERO;
        }
        self.add_events(first_fifo);
        for flow in &mut self.flows.flows {
            if let Ends::Spawner(spawner) = &mut flow.ends {
                spawner.template.state.passive = false;
            }
            flow.state.passive = false;
        }
        self
    }

    /// Puts an event before every link and end; drop-tail queues are ports from `first_fifo` on.
    fn add_events(&mut self, first_fifo: u32) {
        // Where in the new row of stages each hop begins.
        let mut begins = Vec::with_capacity(self.routes.hops.len());
        let mut stages = Vec::with_capacity(4 * self.routes.hops.len());
        for hop in &self.routes.hops {
            begins.push(stages.len());
            for stage in hop.stages() {
                if !matches!(stage, Stage::Event | Stage::Impairments(_)) {
                    stages.push(Stage::Event);
                }
                stages.push(match stage {
                    Stage::Fifo(fifo) => Stage::Port(first_fifo + fifo),
                    other => other,
                });
            }
        }
        let (hops, hop_of) = route::join(&stages);
        self.routes
            .replace(hops, |old| hop_of[begins[old as usize]]);
    }
}
