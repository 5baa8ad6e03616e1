//! One cell while it runs: what happens at one of its queues, piece by piece.
//!
//! ```text
//! Plan, cell --open--> Watch --advance--> packets, samples, cwnd up to a time --outcome--> Outcome
//! ```
//!
//! Watching changes nothing: the outcome of a watched cell is that of any run of it. There is no
//! way back; a cell is opened again and run to an earlier time.
//!
//! ```
//! use earlydrop_lab::plan::{Source, TraceFiles};
//! use earlydrop_lab::watch::{Detail, Watch};
//! use earlydrop::units::Nanos;
//!
//! let text = "duration = '4 s'\nschemes = ['red:min=5,max=15']\nflows.bulk.count = 3";
//! let plan = Source::new("small.toml", text, TraceFiles::default())?.plan()?;
//! let mut watch = Watch::open(&plan, plan.cell(0).unwrap(), Detail::default())?;
//! let reached = watch.advance(Nanos::from_secs(2), u64::MAX);
//! let mut drops = 0;
//! watch.take_packets(|packet, _probes| drops += u64::from(packet.event.name() == "dropped"));
//! println!("{drops} packets were dropped by {reached}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use earlydrop::Explanation;
use earlydrop::units::Nanos;
use earlydrop_sim::Simulation;
use earlydrop_sim::measure::Queues;
use earlydrop_sim::network::{Change, LinkId};
use earlydrop_sim::packet_log::{PacketRecord, Question};
use earlydrop_sim::traffic::{FlowId, Traffic};

use crate::document::{Place, Problem};
use crate::outcome::Outcome;
use crate::plan::{Cell, Plan};
use crate::scenario::{PreparedRun, queue_called};

/// How closely a cell is watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detail {
    /// The time between two samples of the queue, its probes and `cwnd`; `None`: the scenario's.
    pub sample_every: Option<Nanos>,
    /// The number of flows whose `cwnd` is sampled, the first ones over TCP.
    pub windows: usize,
    /// The name of the link whose queue is watched, such as `router 1 to router 2`; `None`: that of
    /// the scenario. The figures of the queue in the outcome are those of this one.
    pub link: Option<String>,
}

impl Default for Detail {
    /// Samples every 10 ms, `cwnd` of 100 flows, and the scenario's queue.
    fn default() -> Detail {
        Detail {
            sample_every: Some(Nanos::from_millis(10)),
            windows: 100,
            link: None,
        }
    }
}

/// So many events are run before it is looked whether a question is answered: some milliseconds.
const EVENTS_AT_ONCE: u64 = 4096;

/// A cell in progress.
#[derive(Clone, Debug)]
pub struct Watch {
    prepared: PreparedRun,
    simulation: Simulation,
    /// How much later than it happens anything at the watched queue is recorded.
    delay: Nanos,
    /// The time up to which everything is recorded.
    reached: Nanos,
    /// Samples that were taken from here already: of the queue, and of `cwnd`.
    taken: (usize, usize),
}

impl Watch {
    /// Prepares a cell of `plan` and stands at its beginning.
    pub fn open(plan: &Plan, cell: Cell, detail: Detail) -> Result<Watch, Problem> {
        let mut prepared = plan.prepare(cell, true)?;
        if let Some(name) = detail.link {
            let name = (name, Place::default());
            prepared.watched = queue_called(&prepared.run.network, &name)?;
        }
        let (run, watched) = (&mut prepared.run, prepared.watched);
        run.measure.packets.push(watched);
        for queues in run
            .measure
            .sojourn
            .iter_mut()
            .chain([&mut run.measure.sampled])
        {
            if let Queues::Of(links) = queues
                && !links.contains(&watched)
            {
                links.push(watched);
            }
        }
        run.measure.sample_every = detail.sample_every.or(run.measure.sample_every);
        let over_tcp = run
            .flows
            .iter()
            .enumerate()
            .filter(|(_, flow)| matches!(flow.traffic, Traffic::Tcp { .. }));
        let over_tcp = over_tcp.map(|(index, _)| FlowId(index as u32));
        run.measure.windows = over_tcp.take(detail.windows).collect();
        let simulation = prepared.start()?;
        let changes = &prepared.run.network.get(watched).changes;
        let later = changes.iter().filter_map(|(_, change)| match change {
            Change::Delay(delay) => Some(*delay),
            _ => None,
        });
        let delay = later.fold(simulation.recording_delay(watched), Nanos::max);
        Ok(Watch {
            prepared,
            simulation,
            delay,
            reached: Nanos::ZERO,
            taken: (0, 0),
        })
    }

    /// Why something has happened at the watched queue of a cell: `record` is the number of the
    /// records of [`take_packets`](Watch::take_packets) before it, from the start on.
    ///
    /// The cell is run again up to there. `None` where it has fewer records, and for schemes of the
    /// program's own.
    pub fn explain(
        plan: &Plan,
        cell: Cell,
        detail: Detail,
        record: u64,
    ) -> Result<Option<Explanation>, Problem> {
        let mut watch = Watch::open(plan, cell, detail)?;
        let (link, simulation) = (watch.link(), &mut watch.simulation);
        simulation.ask(link, Question { record });
        while simulation.recorded(link) <= record && simulation.now() < simulation.end() {
            simulation.run_events(simulation.end(), EVENTS_AT_ONCE);
            let now = simulation.now();
            simulation.take_packets(link, now, |_, _| ());
        }
        Ok(simulation.answer(link).cloned())
    }

    /// The run, with the network and the flows.
    pub fn prepared(&self) -> &PreparedRun {
        &self.prepared
    }

    /// The simulation, to look at.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// The link whose queue is watched.
    pub fn link(&self) -> LinkId {
        self.prepared.watched
    }

    /// Runs at most so many events on the way to `until`, and returns the time up to which
    /// everything is recorded now.
    pub fn advance(&mut self, until: Nanos, events: u64) -> Nanos {
        let end = self.simulation.end();
        let goal = Nanos(until.0.saturating_add(self.delay.0)).min(end);
        self.simulation.run_events(goal, events);
        let now = self.simulation.now();
        let recorded = if now == end {
            end
        } else {
            now.since(self.delay)
        };
        self.reached = self.reached.max(recorded.min(until));
        self.reached
    }

    /// Gives `take` what has happened to each packet at the queue since the last call, with the
    /// scheme's probes after it.
    pub fn take_packets(&mut self, take: impl FnMut(&PacketRecord, &[f64])) {
        let link = self.link();
        self.simulation.take_packets(link, self.reached, take);
    }

    /// Gives `take` the samples of the queue since the last call, row by row: the time, packets,
    /// bytes, packets dropped and marked since time zero, the scheme's probes.
    pub fn take_samples(
        &mut self,
        mut take: impl FnMut(Nanos, [f64; 4], &mut dyn Iterator<Item = f64>),
    ) {
        let (link, from, reached) = (self.link(), self.taken.0, self.reached);
        let Some(samples) = self.simulation.samples(link) else {
            return;
        };
        let rows = samples_by(reached, samples.interval).min(samples.packets.len());
        for row in from..rows {
            let values = [
                f64::from(samples.packets[row]),
                samples.bytes[row] as f64,
                samples.dropped[row] as f64,
                samples.marked[row] as f64,
            ];
            let mut probes = samples.probes.iter().map(|(_, values)| values[row]);
            take(Nanos(samples.interval.0 * row as u64), values, &mut probes);
        }
        self.taken.0 = rows.max(from);
    }

    /// The flows whose `cwnd` is sampled.
    pub fn windows(&self) -> Vec<FlowId> {
        self.prepared.run.measure.windows.clone()
    }

    /// Gives `take` the samples of `cwnd` since the last call: the time, and a value in segments
    /// for each of [`windows`](Watch::windows); NaN for one that opens connections of its own.
    pub fn take_windows(&mut self, mut take: impl FnMut(Nanos, &mut dyn Iterator<Item = f64>)) {
        let Some(interval) = self.prepared.run.measure.sample_every else {
            return;
        };
        let sampled: Vec<&[f64]> = self.simulation.windows().map(|(_, cwnd)| cwnd).collect();
        let complete = sampled.iter().map(|cwnd| cwnd.len()).max().unwrap_or(0);
        let rows = samples_by(self.reached, interval).min(complete);
        for row in self.taken.1..rows {
            let value = |cwnd: &&[f64]| cwnd.get(row).copied().unwrap_or(f64::NAN);
            let mut values = sampled.iter().map(value);
            take(Nanos(interval.0 * row as u64), &mut values);
        }
        self.taken.1 = rows.max(self.taken.1);
    }

    /// The outcome of the whole cell; what is left of it is run before.
    pub fn outcome(self) -> Outcome {
        Outcome::of(&self.simulation.finish(), &self.prepared)
    }
}

/// The number of samples taken from time zero to `at`.
fn samples_by(at: Nanos, interval: Nanos) -> usize {
    (at.0 / interval.0.max(1) + 1) as usize
}
