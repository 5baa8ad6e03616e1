//! The engine without its shortcuts, to prove that they change nothing.

use earlydrop::units::Nanos;

use super::Simulation;
use super::flow::Ends;
use super::hop::{self, Hop};

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
        // Where in the new row of steps each leg begins.
        let mut begins = Vec::with_capacity(self.legs.len());
        let mut hops = Vec::with_capacity(4 * self.legs.len());
        for leg in &self.legs {
            begins.push(hops.len());
            for hop in leg.hops() {
                if !matches!(hop, Hop::Turn | Hop::Extras(_)) {
                    hops.push(Hop::Turn);
                }
                hops.push(match hop {
                    Hop::Fifo(fifo) => Hop::Port(first + fifo),
                    other => other,
                });
            }
        }
        let (legs, parts) = hop::pair(&hops);
        self.legs = legs;
        self.ways.renumber(|old| parts[begins[old as usize]]);
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
        (connection.passive, connection.in_turn) = (false, true);
    }
}
