//! What a run in progress has recorded so far, for whoever watches it.
//!
//! A port computes its departures when the next packet arrives, or within a propagation delay. So
//! what happened at a queue by some time is known once the simulation is that
//! [delay](Simulation::recording_delay) further, or at its end.

use earlydrop::queue::QueueDiscipline;
use earlydrop::red::Curve;
use earlydrop::units::Nanos;

use super::Simulation;
use super::port::Port;
use crate::measure::Samples;
use crate::network::LinkId;
use crate::packet_log::PacketRecord;
use crate::traffic::FlowId;

impl Simulation {
    /// The time at which the run ends.
    pub fn end(&self) -> Nanos {
        self.end
    }

    /// How much later than it happens something at this link's queue may be recorded.
    pub fn recording_delay(&self, link: LinkId) -> Nanos {
        self.port(link).map_or(Nanos::ZERO, |port| port.slack)
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
        let port = self.ports.iter_mut().find(|port| port.number == link.0);
        if let Some(log) = port.and_then(|port| port.log.as_mut()) {
            log.take_until(until, take);
        }
    }

    /// The names of the scheme's probes at a link whose queue is not a plain drop-tail one.
    pub fn probe_names(&self, link: LinkId) -> Vec<&'static str> {
        let mut names = Vec::new();
        if let Some(port) = self.port(link) {
            port.link.queue().probes(&mut |name, _| names.push(name));
        }
        names
    }

    /// The samples of a link's queue so far. Later ones may be there already.
    pub fn samples(&mut self, link: LinkId) -> Option<&Samples> {
        self.settle_at_end(link);
        self.port(link)?.meter.samples_so_far()
    }

    /// The `cwnd` of each sampled flow so far, in segments at each interval from time zero on.
    pub fn windows(&self) -> impl Iterator<Item = (FlowId, &[f64])> {
        let sampled = self.cwnd_samples.iter().flat_map(|samples| &samples.flows);
        sampled.map(|(flow, cwnd)| (FlowId(*flow), cwnd.as_slice()))
    }

    /// The drop curve at a link, if its scheme is a single queue of the RED family.
    pub fn curve(&self, link: LinkId) -> Option<&Curve> {
        self.port(link)?.link.queue().curve()
    }

    /// At the end of the run, computes the departures that nobody waits for any more.
    fn settle_at_end(&mut self, link: LinkId) {
        let index = self.ports.iter().position(|port| port.number == link.0);
        if let Some(index) = index.filter(|_| self.now == self.end) {
            self.drain(index as u32, self.end);
            self.ports[index].observe(self.end);
        }
    }

    fn port(&self, link: LinkId) -> Option<&Port> {
        self.ports.iter().find(|port| port.number == link.0)
    }
}
