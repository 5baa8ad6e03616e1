//! What marking at one queue does to each transport of a data centre, simulated: hosts at a switch, each
//! with one long flow to the same host. Their network cards hold senders back, as Linux's do: with a
//! host's queue without limit, windows grow for as long as a flow is alone.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use earlydrop::registry::Spec;
use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_sim::tcp::control::dcqcn::Card;

use super::Transport;
use super::judged::mean_of;
use super::network::senders;
use crate::outcome::Outcome;
use crate::plan::Source;
use crate::run::all_outcomes;
use crate::statistics::Mean;
use crate::verify::VerifyError;

/// One queue of a switch and the flows that share it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OneQueue {
    /// The rate of its link and of every host's.
    pub rate: BitsPerSec,
    /// The round trip without queueing.
    pub rtt: Nanos,
    /// The largest packet.
    pub packet: Bytes,
    /// The number of long flows, at most [`MOST_FLOWS`].
    pub flows: u64,
    /// The buffer.
    pub buffer: Bytes,
}

/// What was simulated of a transport, over seeds.
#[derive(Clone, Debug)]
pub struct Served {
    /// The senders.
    pub transport: Transport,
    /// The mean queueing delay, in seconds.
    pub delay: Mean,
    /// The queueing delay that 99% of packets do not exceed, in seconds.
    pub delay_p99: Mean,
    /// The share of packets marked.
    pub marks: Mean,
    /// The share of packets lost.
    pub loss: Mean,
    /// The share of the time that the link is in use.
    pub utilisation: Mean,
    /// Jain's index of the flows' goodputs.
    pub fairness: Mean,
}

/// The seeds of each simulation.
pub const SEEDS: u64 = 3;
/// A run at most: DCQCN raises a rate by 5 Mbps in 55 us, so that flows need tens of ms to be equal.
const LONGEST: Nanos = Nanos(60_000_000);
/// The packets of a run at most, unless it had fewer round trips than [`ROUND_TRIPS`].
const PACKETS: f64 = 7e5;
const ROUND_TRIPS: u64 = 100;
/// Links from a host over the switch to another, there and back.
const LINKS: u64 = 4;
/// The flows of a run at most. Few switches have more ports, and a run of more takes minutes.
pub const MOST_FLOWS: u64 = 128;

impl OneQueue {
    /// How long a run is; the last two thirds are measured.
    pub fn duration(&self) -> Nanos {
        let affordable = PACKETS / self.rate.packets_per_sec(self.packet);
        let affordable = Nanos((affordable * 1e9) as u64);
        let least = Nanos(self.rtt.0.saturating_mul(ROUND_TRIPS));
        affordable.min(LONGEST).max(least)
    }

    /// The text of a scenario with these senders.
    fn scenario(&self, marking: &Spec, transport: Transport) -> String {
        let duration = self.duration();
        let warm_up = Nanos(duration.0 / 3);
        let mut text = format!(
            r#"title = "{title} at one queue"
about = "Long flows of different hosts to one"
duration = "{duration}"
warm_up = "{warm_up}"
seeds = {SEEDS}

[network]
shape = "leaf-spine"
leaves = 1
spines = 1
hosts = {hosts}
rate = "{rate}"
delay = "{delay}"
buffer = "{buffer} bytes"

[tcp]
{tcp}
segment = "{packet} bytes"

[schemes]
marking = "{marking}"
"#,
            title = transport.title(),
            hosts = self.flows + 1,
            rate = self.rate,
            delay = Nanos(self.rtt.0 / LINKS),
            buffer = self.buffer.0,
            tcp = senders(transport, Card::default()),
            packet = self.packet.0,
        );
        for host in 1..=self.flows {
            text += &format!(
                "\n[flows.of-{host}]\nfrom = \"host {host}\"\nto = \"host 0\"\nstart = \"0 s..{warm_up}\"\n"
            );
        }
        text
    }

    /// Simulates the queue with a transport; `None` where nothing was measured. It is a
    /// [`VerifyError::Scenario`] where a run would take more memory than is allowed.
    pub fn served(
        &self,
        marking: &Spec,
        transport: Transport,
        threads: usize,
        stop: &AtomicBool,
    ) -> Result<Option<Served>, VerifyError> {
        let text = self.scenario(marking, transport);
        let source = Source::new("queue.toml", &text, PathBuf::new());
        let plan = source.and_then(|source| source.plan())?;
        let outcomes = all_outcomes(&plan, threads, stop)?;
        let outcomes = outcomes.ok_or(VerifyError::Stopped)?;
        let outcomes: Vec<&Outcome> = outcomes.iter().map(|(_, one)| one).collect();
        Ok(Served::of(transport, &outcomes))
    }
}

impl Served {
    /// Of one outcome for each seed; `None` where a metric is missing.
    fn of(transport: Transport, runs: &[&Outcome]) -> Option<Served> {
        Some(Served {
            transport,
            delay: mean_of(runs, "delay_mean")?,
            delay_p99: mean_of(runs, "delay_p99")?,
            marks: mean_of(runs, "marked")?,
            loss: mean_of(runs, "loss")?,
            utilisation: mean_of(runs, "utilisation")?,
            fairness: mean_of(runs, "jain")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rule of the DCTCP paper, and none: with drop-tail all fill the buffer.
    #[test]
    fn marks_keep_the_queue_short_for_those_who_heed_them() {
        let queue = OneQueue {
            rate: BitsPerSec(10_000_000_000),
            rtt: Nanos(100_000),
            packet: Bytes(1500),
            flows: 2,
            buffer: Bytes(1_000_000),
        };
        let served = |spec: &str| {
            let stop = AtomicBool::new(false);
            let spec = spec.parse().unwrap();
            let of = |transport| queue.served(&spec, transport, 1, &stop).unwrap();
            Transport::ALL
                .into_iter()
                .filter_map(of)
                .collect::<Vec<_>>()
        };
        let step = served("red:min=65,max=66,max_p=1,weight=1,ecn=true,mark_above_max=true");
        let none = served("droptail");
        let names =
            |list: &[Served]| -> Vec<Transport> { list.iter().map(|one| one.transport).collect() };
        assert_eq!(names(&step), Transport::ALL);
        for (with, without) in step.iter().zip(&none) {
            let (short, long) = (with.delay.mean, without.delay.mean);
            assert!(short < long, "{:?}: {short} {long}", with.transport);
            assert!(with.marks.mean > 0.0 && without.marks.mean == 0.0);
        }
    }
}
