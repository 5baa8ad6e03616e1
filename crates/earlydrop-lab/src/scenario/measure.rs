//! Measurement options, from the table `measure`.

use std::collections::HashMap;

use earlydrop::units::Nanos;
use earlydrop_sim::Run;
use earlydrop_sim::measure::{Measure, Queues};
use earlydrop_sim::network::LinkId;
use earlydrop_sim::traffic::{FlowId, Traffic};

use super::{Context, Scenario};
use crate::document::{Entries, Problem};

/// The measurements and samples of a run.
#[derive(Clone, Debug)]
pub struct MeasureOptions {
    delays: bool,
    round_trips: bool,
    sojourn: bool,
    /// The time between two samples.
    pub sample: Nanos,
    /// The runs whose samples are stored.
    pub series: SeriesScope,
    queues: SampledQueues,
    /// Whether each transfer is recorded; `None`: in fabrics, if there are not too many.
    records: Option<bool>,
    arrivals: bool,
    departures: bool,
    /// The number of TCP flows of each group whose cwnd is sampled.
    windows: u32,
    /// Losses within this time are one loss event.
    loss_event: Nanos,
    /// How long a run with transfers goes on after its end, at most, until they have ended.
    drain: Nanos,
    /// With an automatic duration, the one that is not exceeded; `None`: 16 times the first.
    pub(crate) longest: Option<Nanos>,
    /// With an automatic duration, the largest half-width of intervals, as a share of the mean.
    pub(crate) interval: f64,
    /// Transfers that take less are in time.
    pub(super) deadline: Nanos,
    /// Packets of those that feel lateness are late if they take longer.
    pub(super) playout: Nanos,
}

/// The runs whose samples are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SeriesScope {
    /// Those of the first seed.
    FirstSeed,
    /// All.
    AllSeeds,
    /// None.
    None,
}

/// The queues that are sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SampledQueues {
    Auto,
    All,
    /// The watched one, and those of bottlenecks.
    Watched,
}

/// In a network of more queues, only those that a run's page shows are sampled by default: a fat
/// tree has tens of thousands.
const MOST_SAMPLED_QUEUES: usize = 64;
/// Up to this many flows, packet delays are measured by default: with more, each packet would wait
/// for one more part of its flow to come into the caches.
const MAX_FLOWS_WITH_DELAYS: u64 = 1000;
/// Up to this many transfers of a run are recorded by default.
const MOST_RECORDS: usize = 100_000;
/// More samples than this take gigabytes.
const MAX_SAMPLES: u64 = 1_000_000;

/// Reads `measure` of a scenario with `flows` flows whose base round-trip time is `rtt`.
pub(super) fn read(
    entries: &Entries,
    flows: u64,
    rtt: Nanos,
    context: &Context<'_>,
    problems: &mut Vec<Problem>,
) -> MeasureOptions {
    let duration = context.duration;
    let delays = entries.flag_or_auto("delays");
    let sample = entries.time_or_auto("sample");
    let sample = sample.unwrap_or(Nanos((duration.0 / 600).max(1)));
    if sample > duration || duration.0 / sample.0.max(1) > MAX_SAMPLES {
        let least = Nanos(duration.0 / MAX_SAMPLES);
        let message = format!("samples every {sample} of a run of {duration}");
        let help = format!("allowed: from {least} to {duration}");
        problems.push(Problem::new(entries.place_of("sample"), message, help));
    }
    MeasureOptions {
        delays: delays.unwrap_or(flows <= MAX_FLOWS_WITH_DELAYS),
        round_trips: entries.flag("round_trips"),
        sojourn: entries.flag("sojourn"),
        sample,
        series: match entries.choice("series") {
            "all" => SeriesScope::AllSeeds,
            "none" => SeriesScope::None,
            _ => SeriesScope::FirstSeed,
        },
        queues: match entries.choice("queues") {
            "all" => SampledQueues::All,
            "watched" => SampledQueues::Watched,
            _ => SampledQueues::Auto,
        },
        records: entries.flag_or_auto("records"),
        arrivals: entries.flag("arrivals"),
        departures: entries.flag("departures"),
        windows: entries.count("windows"),
        loss_event: entries.time_or_auto("loss_event").unwrap_or(rtt),
        drain: entries.time_or_auto("drain").unwrap_or(duration),
        longest: entries.time_or_auto("longest"),
        interval: entries.number("interval"),
        deadline: entries.time("deadline"),
        playout: entries.time("playout"),
    }
}

impl MeasureOptions {
    /// Transfers of a run are recorded if there are at most so many.
    pub(super) fn most_records(&self, is_fabric: bool) -> usize {
        match self.records {
            Some(true) => usize::MAX,
            None if is_fabric => MOST_RECORDS,
            Some(false) | None => 0,
        }
    }

    /// The simulator's options for `run` of `scenario`, with samples over time if `series`.
    ///
    /// `shown` are the watched link and the bottlenecks: of their queues, every figure is stored.
    pub(super) fn for_run(
        &self,
        scenario: &Scenario,
        run: &Run,
        shown: Vec<LinkId>,
        series: bool,
    ) -> Measure {
        let all = match self.queues {
            SampledQueues::Auto => {
                let links = run.network.links().map(|(_, _, _, link)| link);
                links.filter(|link| link.queue.is_some()).count() <= MOST_SAMPLED_QUEUES
            }
            SampledQueues::All => true,
            SampledQueues::Watched => false,
        };
        Measure {
            warm_up: scenario.warm_up,
            drain: self.drain,
            delays: self.delays,
            round_trips: self.round_trips,
            sojourn: self.sojourn.then(|| Queues::Of(shown.clone())),
            sample_every: series.then_some(self.sample),
            sampled: match all {
                true => Queues::All,
                false => Queues::Of(shown),
            },
            arrivals_every: (series && self.arrivals).then_some(self.sample),
            departures_every: (series && self.departures).then_some(self.sample),
            windows: match series {
                true => self.sampled_flows(scenario, run),
                false => Vec::new(),
            },
            loss_event: Some(self.loss_event),
            captures: Vec::new(),
            packets: Vec::new(),
        }
    }

    /// The flows whose cwnd is sampled: the first TCP flows of each group.
    fn sampled_flows(&self, scenario: &Scenario, run: &Run) -> Vec<FlowId> {
        let mut left: HashMap<&str, u32> = HashMap::new();
        for group in &scenario.groups {
            left.insert(&group.name, self.windows);
        }
        let mut flows = Vec::new();
        for (index, flow) in run.flows.iter().enumerate() {
            if matches!(flow.traffic, Traffic::Tcp { .. })
                && let Some(left) = left.get_mut(&*flow.group).filter(|left| **left > 0)
            {
                *left -= 1;
                flows.push(FlowId(index as u32));
            }
        }
        flows
    }
}
