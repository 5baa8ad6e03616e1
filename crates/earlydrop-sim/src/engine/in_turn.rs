//! The engine without its shortcuts, to prove that they change nothing.

use earlydrop::units::Nanos;

use super::Simulation;
use super::flow::Ends;
use super::hop::{Hop, Step};

impl Simulation {
    /// The same run with an event for every hop, every departure and every arrival. To be
    /// asked for before it starts.
    ///
    /// Slower, and equal in all that is measured but the [totals](crate::results::Totals),
    /// unless two packets come to one place in the same nanosecond.
    #[doc(hidden)]
    pub fn in_turn(mut self) -> Simulation {
        let first = self.ports.len() as u32;
        let fifos = std::mem::take(&mut self.fifos);
        self.ports.extend(fifos.iter().map(|fifo| fifo.as_port()));
        for port in &mut self.ports {
            port.slack = Nanos::ZERO;
        }
        // Where each step has moved to.
        let mut moved = Vec::with_capacity(self.hops.len());
        let mut hops = Vec::with_capacity(2 * self.hops.len());
        for step in &self.hops {
            let hop = step.hop();
            moved.push(hops.len() as u32);
            if !matches!(hop, Hop::Turn | Hop::Extras(_)) {
                hops.push(Step::from(Hop::Turn));
            }
            hops.push(Step::from(match hop {
                Hop::Fifo(fifo) => Hop::Port(first + fifo),
                other => other,
            }));
        }
        self.hops = hops;
        for route in &mut self.routes {
            *route = moved[*route as usize];
        }
        for flow in &mut self.flows {
            if let Ends::Spawner(spawner) = &mut flow.ends {
                act_in_turn(&mut spawner.template.ends);
            }
            act_in_turn(&mut flow.ends);
        }
        self
    }
}

fn act_in_turn(ends: &mut Ends) {
    if let Ends::Tcp(connection) = ends {
        connection.passive = false;
    }
}
