//! The engine without its shortcuts, to prove that they change nothing.

use earlydrop::queue::{AnyQueue, Limit};
use earlydrop::random::Pcg32;
use earlydrop::schemes::AnyAqm;
use earlydrop::schemes::droptail::DropTail;
use earlydrop::units::Nanos;

use super::flow::Ends;
use super::port::Queue;
use super::{Hop, Simulation};

impl Simulation {
    /// The same run with an event for every hop, every departure and every arrival.
    ///
    /// Slower, and equal in all that is measured but the [totals](crate::results::Totals),
    /// unless two packets come to one place in the same nanosecond.
    #[doc(hidden)]
    pub fn in_turn(mut self) -> Simulation {
        for hop in &mut self.hops {
            *hop = match *hop {
                Hop::Wire(wire) => Hop::WireInTurn(wire),
                Hop::Port(port) => Hop::PortInTurn(port),
                Hop::ReceiverAhead => Hop::Receiver,
                other => other,
            };
        }
        for flow in &mut self.flows {
            if let Ends::Spawner(spawner) = &mut flow.ends {
                receive_in_turn(&mut spawner.template.ends);
            }
            receive_in_turn(&mut flow.ends);
        }
        for port in &mut self.ports {
            port.slack = Nanos::ZERO;
            if let Queue::Fifo(fifo) = &port.queue {
                let (aqm, limit) = (AnyAqm::DropTail(DropTail), Limit::packets(fifo.limit()));
                port.queue = Queue::Any(AnyQueue::single(aqm, limit, Pcg32::new(0, 0)));
            }
        }
        self
    }
}

fn receive_in_turn(ends: &mut Ends) {
    if let Ends::Tcp(connection) = ends {
        connection.receives_ahead = false;
    }
}
