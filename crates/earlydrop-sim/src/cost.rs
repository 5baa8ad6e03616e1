//! What a run costs: memory and events, estimated from its description before it starts.

mod cards;
mod flight;
mod network;
mod timers;
mod transfers;

use std::collections::BTreeSet;
use std::mem::size_of;

pub use network::{bytes_of_links, bytes_of_queue};
pub use transfers::Crowd;

use earlydrop::units::Nanos;

use crate::capture::Recorded;
use crate::measure::{Details, Queues};
use crate::network::Link;
use crate::packet_log::PacketRecord;
use crate::results::Completion;
use crate::run::Run;
use crate::traffic::Traffic;

/// The probes that a scheme has at most, roughly.
const PROBES: usize = 10;

/// An estimate of what a run takes: events to within a small factor, and memory from above. It
/// tells a run from one that would never end or never fit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cost {
    /// Packets sent.
    pub packets: f64,
    /// Events of the engine.
    pub events: f64,
    /// Of these, events of packets that network cards send in vain: they begin where enough cards have
    /// started, and so not with the run.
    pub events_in_vain: f64,
    /// Values sampled over time.
    pub samples: f64,
    /// Bytes for samples over time.
    pub sample_bytes: f64,
    /// Bytes for captured packets.
    pub capture_bytes: f64,
    /// Bytes for flows, all connections that they open and all transfers that end, with the
    /// statistics of their delays.
    pub flow_bytes: f64,
    /// Bytes for packets on their way and in queues: at most so many.
    pub flight_bytes: f64,
    /// Bytes for packets that wait in hosts for their processing time: at most so many.
    pub processing_bytes: f64,
    /// Bytes for nodes and links, for what is measured at them, and for distributions of delays.
    pub network_bytes: f64,
    /// Bytes for queues and their schemes, without packets.
    pub queue_bytes: f64,
    /// Arrivals of which some cannot begin.
    pub crowd: Option<Crowd>,
}

/// Series of a queue: packets, bytes, drops, marks, and a scheme's probes.
const SERIES_OF_QUEUE: f64 = 8.0;
/// Bytes of a sample: in the run, in its results, and as text.
const BYTES_OF_SAMPLE: f64 = 32.0;
/// Bytes of a run itself: its events, its random streams and its results.
const BYTES_OF_RUN: f64 = 16_384.0;
/// Bytes of a flow's state.
const BYTES_OF_FLOW: f64 = 2048.0;
/// Bytes of a connection that has ended, whose ports are not used again.
const BYTES_OF_ENDED_CONNECTION: f64 = 1280.0;
/// Bytes of a transfer that has ended, in a list that doubles when it is full.
const BYTES_OF_TRANSFER: f64 = 3.0 * size_of::<Completion>() as f64;
/// Bytes of a distribution of a group's delays.
const BYTES_OF_DISTRIBUTION: f64 = 20_480.0;
/// Bytes of a packet on its way: an event or a place in a queue takes 32, in a list that doubles
/// when it is full, and while it does the old one is still there.
const BYTES_OF_PACKET: f64 = 96.0;
/// Bytes of a packet in processing: an event at a random time. It takes 33, in a list that doubles
/// when it is full, and while it does, or the calendar's days change their length, the old one is
/// still there: 33 to 132.
const BYTES_IN_PROCESSING: f64 = 96.0;
/// Events of a packet and its acknowledgment.
const EVENTS_OF_PACKET: f64 = 2.0;

impl Cost {
    /// The bytes of memory.
    pub fn memory(&self) -> f64 {
        let of_traffic = self.flow_bytes + self.flight_bytes + self.processing_bytes;
        self.sample_bytes + self.capture_bytes + of_traffic + self.network_bytes + self.queue_bytes
    }
}

impl Run {
    /// What it costs, estimated from its description.
    ///
    /// TCP is taken to fill the links that have a queue; datagrams are sent at their rates.
    pub fn cost(&self) -> Cost {
        let seconds = self.lasts().as_secs_f64();
        let tcp = self.tcp_packets_per_second();
        let datagrams: f64 = self.flows.iter().map(flight::datagrams_per_second).sum();
        let flight = flight::estimate(self, tcp);
        let in_vain = flight.lost_by_cards + flight.repeats.per_second;
        let packets = (tcp + in_vain + datagrams) * seconds + flight.first_windows;
        let measure = &self.measure;
        let samples = self.series_per_sample() * self.samples(measure.sample_every)
            + self.series_of_groups() * self.samples(measure.arrivals_every)
            + self.series_of_groups() * self.samples(measure.departures_every);
        let of_delays = match measure.delays || measure.round_trips {
            true => size_of::<Details>() as f64,
            false => 0.0,
        };
        let of_flow = BYTES_OF_FLOW + of_delays;
        // Until the end, each link that is captured sees every packet at most twice: data and
        // acknowledgment.
        let recorded = packets * self.duration.as_secs_f64() / seconds.max(1e-9);
        let captured = 2.0 * recorded * measure.captures.len() as f64;
        // In each direction, a packet is enqueued and departs.
        let logged = 4.0 * recorded * measure.packets.len() as f64;
        Cost {
            packets,
            // What waits in its host has had the event of its timer.
            events: packets * EVENTS_OF_PACKET - flight.repeats.waiting + flight.starts + samples,
            events_in_vain: flight.lost_by_cards * seconds * EVENTS_OF_PACKET,
            samples,
            sample_bytes: samples * BYTES_OF_SAMPLE,
            capture_bytes: captured * size_of::<Recorded>() as f64
                + logged * (size_of::<PacketRecord>() + PROBES * size_of::<f64>()) as f64,
            flow_bytes: flight.connections * of_flow
                + transfers::over_new_connections(self, &flight, tcp * seconds)
                    * BYTES_OF_ENDED_CONNECTION
                + transfers::of_all(self, &flight, tcp * self.duration.as_secs_f64())
                    * BYTES_OF_TRANSFER,
            flight_bytes: flight.packets * BYTES_OF_PACKET,
            processing_bytes: flight.in_processing * BYTES_IN_PROCESSING,
            network_bytes: BYTES_OF_RUN
                + self.bytes_of_group_delays()
                + network::bytes_of_links(self.network.links().len())
                + network::bytes_of_changes(&self.network)
                + network::bytes_of_sprayed_routes(&self.network, &self.flows)
                + self.bytes_of_sojourns(),
            queue_bytes: network::bytes_of_queues(&self.network),
            crowd: transfers::crowd(self, &flight),
        }
    }

    /// Bytes of the distributions of the delays of groups.
    fn bytes_of_group_delays(&self) -> f64 {
        let groups: BTreeSet<&str> = self.flows.iter().map(|flow| &*flow.group).collect();
        match self.measure.delays {
            true => BYTES_OF_DISTRIBUTION * groups.len() as f64,
            false => 0.0,
        }
    }

    /// How long it is simulated at most: transfers may go on after the end.
    fn lasts(&self) -> Nanos {
        match self.flows.iter().any(|flow| flow.traffic.has_transfers()) {
            true => self.duration + self.measure.drain,
            false => self.duration,
        }
    }

    /// The links with a queue in front of them.
    fn queued_links(&self) -> impl Iterator<Item = &Link> {
        let links = self.network.links().map(|(_, _, _, link)| link);
        links.filter(|link| link.has_queue())
    }

    /// The packets that TCP flows send a second where they fill every queued link.
    fn tcp_packets_per_second(&self) -> f64 {
        let segments = self.flows.iter().filter_map(|flow| match &flow.traffic {
            Traffic::Tcp { profile, .. } => Some(f64::from(profile.segment_size)),
            Traffic::Datagrams { .. } => None,
        });
        let Some(smallest) = segments.reduce(f64::min) else {
            return 0.0;
        };
        let bits = |link: &Link| link.mean_rate().0 as f64;
        let queued: f64 = self.queued_links().map(bits).sum();
        let all = self.network.links().map(|(_, _, _, link)| bits(link));
        let bits = if queued > 0.0 { queued } else { all.sum() };
        bits / (8.0 * smallest.max(1.0))
    }

    /// The number of samples at this interval.
    fn samples(&self, interval: Option<Nanos>) -> f64 {
        interval.map_or(0.0, |every| self.duration.0 as f64 / every.0.max(1) as f64)
    }

    /// Bytes of the distributions of sojourn times, at most. Three significant digits take 1,024
    /// counters for each power of two above 2^11 ns, and no packet waits longer than the run.
    fn bytes_of_sojourns(&self) -> f64 {
        let queues = match &self.measure.sojourn {
            None => 0,
            Some(Queues::All) => self.queued_links().count(),
            Some(Queues::Of(links)) => links.len(),
        };
        let powers = (self.duration.0.max(1) as f64).log2() - 11.0;
        let counters = 1024.0 * (powers.ceil().max(0.0) + 2.0);
        queues as f64 * counters * size_of::<u64>() as f64
    }

    /// The number of queues that are sampled.
    fn sampled_queues(&self) -> f64 {
        match &self.measure.sampled {
            Queues::All => self.queued_links().count() as f64,
            Queues::Of(links) => links.len() as f64,
        }
    }

    /// The values that one sample has.
    fn series_per_sample(&self) -> f64 {
        let queues = self.sampled_queues();
        queues * SERIES_OF_QUEUE + self.measure.windows.len() as f64
    }

    /// The series of arrivals, or of departures: two of each group at each queue, of packets and of
    /// bytes.
    fn series_of_groups(&self) -> f64 {
        let mut groups: Vec<&str> = self.flows.iter().map(|flow| &*flow.group).collect();
        groups.sort_unstable();
        groups.dedup();
        2.0 * self.sampled_queues() * groups.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use earlydrop::units::{BitsPerSec, Bytes};

    use super::*;
    use crate::network::Dumbbell;
    use crate::spread::{Law, Spread};
    use crate::tcp::{Algorithm, Profile};
    use crate::traffic::{Application, Flow, Pattern};

    fn busy() -> Run {
        let link = Link::new(BitsPerSec::from_mbps(20), Nanos::from_millis(20));
        let queue = "droptail".parse().unwrap();
        let mut dumbbell = Dumbbell::new(link.clone().queue(queue), link);
        let profile = Arc::new(Profile::modern(Algorithm::Reno));
        let mut flows = Vec::new();
        for _ in 0..20 {
            let (from, to) = dumbbell.pair(BitsPerSec::from_mbps(100), Nanos::from_millis(1));
            flows.push(Flow::bulk(from, to, &profile));
        }
        let mut run = Run::new(dumbbell.network, Nanos::from_secs(10));
        run.flows = flows;
        run
    }

    #[test]
    fn events_are_estimated_within_a_factor_of_three() {
        let run = busy();
        let events = run.results().unwrap().totals.events as f64;
        let ratio = run.cost().events / events;
        assert!((1.0 / 3.0..3.0).contains(&ratio), "{ratio}");
    }

    #[test]
    fn memory_follows_what_is_asked_for() {
        let mut run = busy();
        let plain = run.cost();
        run.measure.sample_every = Some(Nanos::from_micros(10));
        let sampled = run.cost();
        assert!(sampled.sample_bytes > 1e6 && plain.sample_bytes == 0.0);
        run.duration = Nanos::from_secs(1000);
        assert!(run.cost().sample_bytes > 99.0 * sampled.sample_bytes);
        assert_eq!(run.cost().flow_bytes, plain.flow_bytes);
    }

    #[test]
    fn events_of_more_flows_than_a_link_can_serve_are_estimated_as_well() {
        let mut run = busy();
        run.duration = Nanos::from_secs(2);
        let flow = run.flows[0].clone();
        run.flows = vec![flow; 5000];
        let events = run.results().unwrap().totals.events as f64;
        let ratio = run.cost().events / events;
        assert!((1.0 / 4.0..4.0).contains(&ratio), "{ratio}");
    }

    /// Ten sources of datagrams over links without a queue, each with this delay.
    fn datagrams(access: Link) -> Run {
        let queue = "droptail".parse().unwrap();
        let link = Link::new(BitsPerSec::from_mbps(100), Nanos::ZERO);
        let mut dumbbell = Dumbbell::new(link.clone().queue(queue), link);
        let mut flows = Vec::new();
        for _ in 0..10 {
            let (from, to) = dumbbell.pair(access.rate, access.delay);
            let rate = BitsPerSec::from_mbps(1);
            flows.push(Flow::datagrams(
                from,
                to,
                Bytes(125),
                rate,
                Pattern::Constant,
            ));
        }
        let mut run = Run::new(dumbbell.network, Nanos::from_secs(10));
        run.flows = flows;
        run
    }

    #[test]
    fn packets_on_wires_and_in_hosts_are_within_the_estimate() {
        let (fast, slow) = (BitsPerSec::from_mbps(100), BitsPerSec(100_000));
        for access in [
            Link::new(fast, Nanos::from_secs(100)),
            Link::new(fast, Nanos::from_secs(1)),
            Link::new(slow, Nanos::from_millis(1)),
        ] {
            let run = datagrams(access.clone());
            let packets = run.cost().flight_bytes / BYTES_OF_PACKET;
            let in_flight = run.results().unwrap().totals.in_flight.packets as f64;
            assert!(in_flight >= 10_000.0, "{access:?}: {in_flight}");
            assert!(
                (in_flight..2.5 * in_flight).contains(&packets),
                "{access:?}: {packets}"
            );
        }
    }

    #[test]
    fn packets_in_processing_are_within_the_estimate() {
        let fast = Link::new(BitsPerSec::from_mbps(100), Nanos::from_millis(1));
        for overhead in [Nanos::from_secs(1), Nanos::from_secs(1_000_000_000)] {
            let mut run = datagrams(fast.clone());
            for flow in &mut run.flows {
                flow.overhead = overhead;
            }
            let cost = run.cost();
            let on_links = cost.flight_bytes / BYTES_OF_PACKET;
            let packets = cost.processing_bytes / BYTES_IN_PROCESSING + on_links;
            let waiting = run.results().unwrap().totals.in_flight.packets as f64;
            assert!(waiting >= 5000.0, "{overhead}: {waiting}");
            assert!(
                (waiting..2.5 * waiting).contains(&packets),
                "{overhead}: {packets} of {waiting}"
            );
            assert!(on_links < 0.1 * packets, "{cost:?}");
        }
    }

    #[test]
    fn transfers_in_progress_are_within_the_estimate() {
        let profile = Arc::new(Profile::modern(Algorithm::Reno));
        for (law, at_most) in [
            (Law::Constant, 1_000_000),
            (Law::Constant, 3000),
            (Law::Exponential, 1_000_000),
            (Law::LogNormal { sigma: 2.0 }, 1_000_000),
        ] {
            let mut run = busy();
            let (from, to) = (run.flows[0].from, run.flows[0].to);
            let application = Application::Arrivals {
                every: Spread::new(Nanos::from_millis(1), law.clone()),
                size: Spread::constant(Bytes(1_000_000)),
                at_most,
            };
            run.flows = vec![Flow::tcp(from, to, &profile, application)];
            let cost = run.cost();
            let connections = cost.flow_bytes / BYTES_OF_FLOW;
            let results = run.results().unwrap();
            let totals = &results.totals;
            let at_once = (totals.transfers - totals.completed) as f64;
            assert!(at_once > 2000.0, "{law:?}: {at_once}");
            assert!(
                (at_once..4.0 * at_once + 2.0).contains(&connections),
                "{law:?}: {connections}"
            );
            assert!(cost.flight_bytes / BYTES_OF_PACKET > totals.in_flight.packets as f64);
        }
    }
}
