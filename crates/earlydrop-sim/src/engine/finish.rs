//! The end of a run: from meters and counts to [`Results`].

use std::sync::Arc;

use earlydrop::counters::Tally;
use earlydrop::packet::Packet as _;
use earlydrop::queue::QueueDiscipline;
use earlydrop::units::Nanos;

use super::flow::{Ends, Flow};
use super::simulation::Simulation;
use crate::measure::Delays;
use crate::measure::QueueMeter;
use crate::network::LinkId;
use crate::results::{FlowResult, QueueResult, Results};
use crate::tcp::SenderCounts;
use crate::traffic::FlowId;

/// The number of events between two looks at a stop flag: some ten milliseconds of computing.
///
/// Events, because they are what takes time: a second of a link at 100 Gbps has a million times
/// as many as one at 100 kbps.
const EVENTS_BETWEEN_LOOKS: u64 = 1 << 16;

impl Simulation {
    /// Runs to the end and returns the results; `None` once `stop` returns true, which is asked
    /// every few milliseconds.
    pub fn finish_unless(mut self, stop: &impl Fn() -> bool) -> Option<Results> {
        while !stop() {
            if self.run_events(self.scheduler.end, EVENTS_BETWEEN_LOOKS) {
                let mut results = self.results();
                return self.run_on(&mut results, stop).then_some(results);
            }
        }
        None
    }

    /// Ends the run now and returns the results so far. Figures per second count on the whole
    /// run all the same.
    pub fn finish_now(mut self) -> Results {
        self.scheduler.end = self.scheduler.now;
        self.goes_on_for = Nanos::ZERO;
        self.finish()
    }

    /// Runs to the end and returns the results.
    pub fn finish(mut self) -> Results {
        self.run_until(self.scheduler.end);
        let mut results = self.results();
        self.run_on(&mut results, &|| false);
        results
    }

    /// The results at the end of the run, except for transfers that go on.
    fn results(&mut self) -> Results {
        let end = self.scheduler.end;
        for index in 0..self.links.ports.len() as u32 {
            self.drain(index, end);
            self.links.ports[index as usize].finish(end);
        }
        for fifo in &mut self.links.fifos {
            fifo.finish(&self.accounts.groups, end);
        }
        self.count_in_flight();
        self.accounts.count_lost();
        for flow in &self.flows.flows {
            flow.add_counted(&mut self.accounts.totals, &self.flows.profiles);
        }
        let measured = self.accounts.timing.end.since(self.accounts.timing.from);
        let impairments = self.links.impairments.iter_mut();
        let captures = impairments.filter_map(|impairments| impairments.capture.take());
        let captures = captures.map(|capture| capture.until(end)).collect();
        let logs = self
            .links
            .ports
            .iter_mut()
            .filter_map(|port| port.log.take());
        let packets = logs.map(|log| log.until(end)).collect();
        Results {
            measured,
            captures,
            packets,
            queues: self.queue_results(),
            flows: self.flow_results(measured),
            group_delays: std::mem::take(&mut self.accounts.delays).finish(),
            completions: std::mem::take(&mut self.flows.completions),
            rounds: std::mem::take(&mut self.flows.rounds),
            unfinished: Vec::new(),
            unfinished_rounds: Vec::new(),
            windows: match self.flows.cwnd_samples.take() {
                Some(samples) => samples
                    .flows
                    .into_iter()
                    .map(|(flow, cwnd)| (FlowId(flow), cwnd))
                    .collect(),
                None => Vec::new(),
            },
            totals: self.accounts.totals,
        }
    }

    /// Counts the packets in queues, events and held lines.
    fn count_in_flight(&mut self) {
        let mut in_flight = Tally::default();
        let held = self
            .flows
            .flows
            .iter()
            .flat_map(Flow::held_packets)
            .copied();
        for packet in self.scheduler.waiting_packets().chain(held) {
            in_flight.add(packet.size());
        }
        for port in &self.links.ports {
            in_flight.packets += u64::from(port.link.waiting());
            in_flight.bytes += port.link.queue().bytes();
        }
        self.accounts.totals.in_flight = in_flight;
    }

    fn queue_results(&mut self) -> Vec<QueueResult> {
        let (groups, end) = (&self.accounts.groups, self.scheduler.end);
        let result = |number: u32, name: &str, meter: &mut QueueMeter| {
            meter.result(LinkId(number), name, groups, end)
        };
        let mut results = Vec::with_capacity(self.links.ports.len() + self.links.fifos.len());
        for port in &mut self.links.ports {
            let mut result = result(port.number, &port.name, &mut port.meter);
            result.shared_buffer = port.shared.map(|member| member.result(&self.links.buffers));
            let timing = &self.accounts.timing;
            let pausable = port.pausable.as_ref();
            result.pauses = pausable.map(|one| one.result(timing.from, timing.end));
            results.push(result);
        }
        for fifo in &mut self.links.fifos {
            results.push(result(fifo.number, &fifo.name, &mut fifo.meter));
        }
        results.sort_by_key(|result| result.link);
        results
    }

    fn flow_results(&mut self, measured: Nanos) -> Vec<FlowResult> {
        let seconds = measured.as_secs_f64();
        let groups = std::mem::take(&mut self.flows.groups);
        let mut results = Vec::with_capacity(groups.len());
        for (index, group) in groups.iter().enumerate() {
            let mut result = self.flow_result(index, group, seconds);
            if let Ends::Spawner(spawner) = &self.flows.flows[index].ends {
                let connections = spawner.connections.clone();
                result.left_out = spawner.left_out;
                for connection in connections {
                    result.add(self.flow_result(connection as usize, group, seconds));
                }
            }
            results.push(result);
        }
        results
    }

    fn flow_result(&mut self, index: usize, group: &Arc<str>, seconds: f64) -> FlowResult {
        let flow = &mut self.flows.flows[index];
        let meter = &mut flow.meter;
        let (sender, smoothed_rtt) = match &flow.ends {
            Ends::Tcp(connection) => {
                let (sender, profile) = (&connection.sender, flow.profile as usize);
                let counts = sender.counts();
                let recorded = flow.state.has_baseline;
                let baseline = self.accounts.baseline(index, recorded, &counts);
                let smoothed_rtt = sender.srtt(&self.flows.profiles[profile]);
                (counts.since(&baseline), smoothed_rtt)
            }
            _ => (SenderCounts::default(), Nanos::ZERO),
        };
        let beside_data = self.accounts.lost_beside_data(index);
        FlowResult {
            lost: self.accounts.lost_of(index),
            lost_syns: u64::from(beside_data.syns),
            lost_control: u64::from(beside_data.control),
            sender,
            smoothed_rtt,
            ..meter.result(group, seconds)
        }
    }
}

impl FlowResult {
    /// Adds what another connection of the same flow did.
    fn add(&mut self, other: FlowResult) {
        self.received += other.received;
        self.throughput += other.throughput;
        self.goodput += other.goodput;
        for (own, other) in self.goodput_halves.iter_mut().zip(other.goodput_halves) {
            *own += other;
        }
        self.lost += other.lost;
        self.lost_syns += other.lost_syns;
        self.lost_control += other.lost_control;
        self.marked += other.marked;
        self.sender = self.sender.plus(&other.sender);
        self.smoothed_rtt = self.smoothed_rtt.max(other.smoothed_rtt);
        join(&mut self.delays, other.delays);
        join(&mut self.round_trips, other.round_trips);
    }
}

/// Adds the measurements of another connection of the same flow.
fn join(own: &mut Option<Delays>, other: Option<Delays>) {
    match (own.as_mut(), other) {
        (Some(own), Some(other)) => own.add(&other),
        (None, Some(other)) => *own = Some(other),
        (_, None) => {}
    }
}
