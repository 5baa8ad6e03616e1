//! Links that are looked at and steered between events.
//!
//! A look must know what has left the queue by now, which its port may compute later. Taking it to
//! its next hop now would schedule its events in another order among those of the same time. So a
//! look only takes packets out of the queue, and the port forwards them when it would have without
//! the look.

use std::collections::VecDeque;

use earlydrop::queue::QueueDiscipline;
use earlydrop::steering::Setting;
use earlydrop::units::Nanos;

use super::Simulation;
use super::port::Port;
use crate::measure::{MeasuredQueue, QueueProgress};
use crate::network::LinkId;
use crate::packet::Packet;
use crate::steering::{LinkState, SteerError};

/// What a port needs whose link is steered.
#[derive(Clone, Debug, Default)]
pub(super) struct Steering {
    /// Packets that left the queue by the last look and are yet to be forwarded, each with its
    /// time of arrival at the next hop.
    sent: VecDeque<(Packet, Nanos)>,
    /// What the queue had done by the last look.
    last: QueueProgress,
}

impl Simulation {
    /// The state of a steered link now, and what happened since the last look. It changes nothing.
    pub fn look(&mut self, link: LinkId) -> Result<LinkState, SteerError> {
        let now = self.now;
        let port = self.port_at_present(link)?;
        let queue = port.link.queue();
        let progress = port.meter.progress(now, &port.link);
        let state = |last: &QueueProgress| LinkState {
            at: now,
            packets: port.link.waiting(),
            bytes: queue.bytes(),
            head_sojourn: queue.head_arrival().map(|arrived| now.since(arrived)),
            counters: progress.counters_since(last),
            mean_sojourn: progress.mean_sojourn_since(last),
            utilisation: progress.utilisation_since(last),
        };
        let Some(steering) = &mut port.steering else {
            return Err(SteerError::NotDeclared { link: link.0 });
        };
        let state = state(&steering.last);
        steering.last = progress;
        Ok(state)
    }

    /// Reports each probe of the scheme at a steered link by name and value.
    pub fn probes(
        &mut self,
        link: LinkId,
        show: &mut dyn FnMut(&'static str, f64),
    ) -> Result<(), SteerError> {
        let now = self.now;
        let port = self.port_at_present(link)?;
        MeasuredQueue::poll(&mut port.link, now);
        port.link.probes(show);
        Ok(())
    }

    /// Sets a parameter of the scheme at a steered link, for packets that arrive after
    /// [`now`](Simulation::now).
    pub fn steer(&mut self, link: LinkId, setting: &Setting) -> Result<(), SteerError> {
        let now = self.now;
        let port = self.port_at_present(link)?;
        let set = port.link.queue_mut().steer(now, setting);
        set.map_err(|problem| SteerError::Refused {
            link: port.name.clone(),
            problem,
        })
    }

    /// The port of a steered link, from whose queue everything is taken that has left by now.
    fn port_at_present(&mut self, link: LinkId) -> Result<&mut Port, SteerError> {
        let mut ports = self.ports.iter_mut();
        let port = ports.find(|port| port.number == link.0 && port.steering.is_some());
        let port = port.ok_or(SteerError::NotDeclared { link: link.0 })?;
        while let Some(sent) = port.transmit_next(&mut self.accounts, self.now) {
            if let Some(steering) = &mut port.steering {
                steering.sent.push_back((sent.packet, sent.arrives));
            }
        }
        port.observe(self.now);
        Ok(port)
    }

    /// Takes to its next hop what left a steered port before a look.
    #[inline(never)]
    pub(super) fn forward_sent(&mut self, index: u32) {
        let steering = |simulation: &mut Simulation| {
            let port = &mut simulation.ports[index as usize];
            port.steering.as_mut()?.sent.pop_front()
        };
        while let Some((packet, arrives)) = steering(self) {
            self.forward_departure(packet, arrives);
        }
    }
}
