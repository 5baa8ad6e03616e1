//! What a run in progress has recorded so far, and how its links are steered.
//!
//! A port computes its departures when the next packet arrives, or within a propagation delay. So
//! what happened at a queue by some time is known once the simulation is that
//! [delay](Simulation::recording_delay) further, or at its end.

use earlydrop::Explanation;
use earlydrop::queue::QueueDiscipline;
use earlydrop::red::Curve;
use earlydrop::steering::Setting;
use earlydrop::units::Nanos;

use super::port::Port;
use super::simulation::Simulation;
use crate::measure::{MeasuredQueue, Samples};
use crate::network::LinkId;
use crate::packet_log::{PacketLog, PacketRecord, Question};
use crate::steering::{LinkState, SteerError};
use crate::traffic::FlowId;

impl Simulation {
    /// The time at which the run ends.
    pub fn end(&self) -> Nanos {
        self.scheduler.end
    }

    /// How much later than it happens something at this link's queue may be recorded.
    pub fn recording_delay(&self, link: LinkId) -> Nanos {
        self.links.port(link).map_or(Nanos::ZERO, |port| port.slack)
    }

    /// Gives `take` what has happened up to `until` to each packet at a link whose
    /// [packets are recorded](crate::measure::Measure::packets), with the scheme's probes after
    /// it, and forgets it.
    pub fn take_packets(
        &mut self,
        link: LinkId,
        until: Nanos,
        take: impl FnMut(&PacketRecord, &[f64]),
    ) {
        self.settle_at_end(link);
        if let Some(log) = self.log(link) {
            log.take_until(until, take);
        }
    }

    /// Asks, before the run reaches it, why something will happen at a link whose
    /// [packets are recorded](crate::measure::Measure::packets). Returns whether they are.
    ///
    /// A link has one question at a time. Asking changes nothing that happens.
    pub fn ask(&mut self, link: LinkId, question: Question) -> bool {
        let log = self.log(link);
        log.map(|log| log.ask(question)).is_some()
    }

    /// The answer to the question [asked](Simulation::ask) of a link, once the record is made.
    ///
    /// A packet that another one's arrival, or a dequeue, drops is explained by that call. `None`
    /// for schemes of the program's own.
    pub fn answer(&mut self, link: LinkId) -> Option<&Explanation> {
        self.settle_at_end(link);
        self.log(link)?.answer()
    }

    /// The number of records made at a link whose
    /// [packets are recorded](crate::measure::Measure::packets), from the start of the run on.
    pub fn recorded(&self, link: LinkId) -> u64 {
        let log = self.links.port(link).and_then(|port| port.log.as_ref());
        log.map_or(0, |log| log.made())
    }

    /// The names of the scheme's probes at a link whose queue is not a plain drop-tail one.
    pub fn probe_names(&self, link: LinkId) -> Vec<&'static str> {
        let mut names = Vec::new();
        if let Some(port) = self.links.port(link) {
            port.link.queue().probes(&mut |name, _| names.push(name));
        }
        names
    }

    /// The samples of a link's queue so far. Later ones may be there already.
    pub fn samples(&mut self, link: LinkId) -> Option<&Samples> {
        self.settle_at_end(link);
        self.links.port(link)?.meter.samples_so_far()
    }

    /// The `cwnd` of each sampled flow so far, in segments at each interval from time zero on.
    pub fn windows(&self) -> impl Iterator<Item = (FlowId, &[f64])> {
        let sampled = self
            .flows
            .cwnd_samples
            .iter()
            .flat_map(|samples| &samples.flows);
        sampled.map(|(flow, cwnd)| (FlowId(*flow), cwnd.as_slice()))
    }

    /// The drop curve at a link, if its scheme is a single queue of the RED family.
    pub fn curve(&self, link: LinkId) -> Option<&Curve> {
        self.links.port(link)?.link.queue().curve()
    }

    /// The state of a steered link now, and what happened since the last look. It changes nothing.
    pub fn look(&mut self, link: LinkId) -> Result<LinkState, SteerError> {
        let now = self.scheduler.now;
        let port = self.port_at_present(link)?;
        port.look(now)
            .ok_or(SteerError::NotDeclared { link: link.0 })
    }

    /// Reports each probe of the scheme at a steered link by name and value.
    pub fn probes(
        &mut self,
        link: LinkId,
        show: &mut dyn FnMut(&'static str, f64),
    ) -> Result<(), SteerError> {
        let now = self.scheduler.now;
        let port = self.port_at_present(link)?;
        MeasuredQueue::poll(&mut port.link, now);
        port.link.probes(show);
        Ok(())
    }

    /// Sets a parameter of the scheme at a steered link, for packets that arrive after
    /// [`now`](Simulation::now).
    pub fn steer(&mut self, link: LinkId, setting: &Setting) -> Result<(), SteerError> {
        let now = self.scheduler.now;
        let port = self.port_at_present(link)?;
        let set = port.link.queue_mut().steer(now, setting);
        set.map_err(|problem| SteerError::Refused {
            link: port.name.clone(),
            problem,
        })
    }

    /// The port of a steered link, from whose queue everything is taken that has left by now.
    fn port_at_present(&mut self, link: LinkId) -> Result<&mut Port, SteerError> {
        let port = self.links.port_mut(link);
        let port = port.filter(|port| port.steering.is_some());
        let port = port.ok_or(SteerError::NotDeclared { link: link.0 })?;
        port.settle(&mut self.accounts, self.scheduler.now);
        Ok(port)
    }

    /// At the end of the run, computes the departures that nobody waits for any more.
    fn settle_at_end(&mut self, link: LinkId) {
        let end = self.scheduler.end;
        let index = self
            .links
            .ports
            .iter()
            .position(|port| port.number == link.0);
        if let Some(index) = index.filter(|_| self.scheduler.now == end) {
            self.drain(index as u32, end);
            self.links.ports[index].observe(end);
        }
    }

    fn log(&mut self, link: LinkId) -> Option<&mut PacketLog> {
        self.links.port_mut(link)?.log.as_deref_mut()
    }
}
