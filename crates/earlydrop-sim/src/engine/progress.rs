//! What a run in progress has recorded so far, for whoever watches it.
//!
//! A port computes its departures when the next packet arrives, or within a propagation delay. So
//! what happened at a queue by some time is known once the simulation is that
//! [delay](Simulation::recording_delay) further, or at its end.

use earlydrop::Explanation;
use earlydrop::queue::QueueDiscipline;
use earlydrop::red::Curve;
use earlydrop::units::Nanos;

use super::Simulation;
use super::port::Port;
use crate::measure::Samples;
use crate::network::LinkId;
use crate::packet_log::{PacketLog, PacketRecord, Question};
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
        let log = self.port(link).and_then(|port| port.log.as_ref());
        log.map_or(0, |log| log.made())
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

    fn log(&mut self, link: LinkId) -> Option<&mut PacketLog> {
        let port = self.ports.iter_mut().find(|port| port.number == link.0);
        port?.log.as_deref_mut()
    }

    fn port(&self, link: LinkId) -> Option<&Port> {
        self.ports.iter().find(|port| port.number == link.0)
    }
}
