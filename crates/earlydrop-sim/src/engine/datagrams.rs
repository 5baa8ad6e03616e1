//! Datagram flows: UDP without feedback.

use earlydrop::packet::Packet as _;
use earlydrop::units::Nanos;

use super::Simulation;
use super::flow::{Datagrams, Ends};
use crate::packet::{Kind, Packet};
use crate::traffic::Step;

impl Datagrams {
    /// Applies a start, a stop or a change of rate.
    pub(super) fn apply(&mut self, step: Step, now: Nanos) {
        match step {
            Step::Stop => {}
            Step::Rate(rate) => self.schedule.set_rate(rate),
            Step::Resume => self.schedule.resume(now),
        }
    }
}

impl Simulation {
    /// A datagram flow was woken: sends the datagram that is due, if there is one.
    pub(super) fn on_datagram_due(&mut self, index: u32) {
        let now = self.now;
        let flow = &mut self.flows[index as usize];
        let Ends::Datagrams(source) = &mut flow.ends else {
            return;
        };
        if !flow.state.open || source.schedule.due() > now {
            return;
        }
        let recorded = source.schedule.recorded();
        let (size, ecn) = recorded.map_or((source.size, source.ecn), |one| (one.size, one.ecn));
        let packet = Packet::new(Kind::Datagram, index, source.number, size)
            .stamped(now)
            .with_ecn(ecn)
            .with_class(flow.class);
        source.number = source.number.wrapping_add(1);
        source.schedule.advance();
        let at = flow.leaves_host_at(now);
        self.accounts.totals.sent.add(packet.size());
        self.forward(packet, at);
    }
}
