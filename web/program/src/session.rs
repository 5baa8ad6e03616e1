//! A cell that is watched, and the rows gathered of it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use earlydrop::aqm::DropReason;
use earlydrop::units::Nanos;
use earlydrop_lab::budget::Limits;
use earlydrop_lab::plan::{Cell, Plan, Source, TraceFiles};
use earlydrop_lab::scenario::Scenario;
use earlydrop_lab::watch::{Detail, Watch};
use earlydrop_sim::packet_log::{PacketEvent, PacketRecord};
use serde::Deserialize;

use crate::answers;

/// Which cell is opened, and how closely it is watched.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Opening {
    /// The scenario, in TOML.
    scenario: String,
    /// The name of the file that messages give.
    #[serde(default = "file_name")]
    file: String,
    /// The index or the label of the scheme.
    #[serde(default)]
    scheme: SchemeName,
    /// The seed; the scenario's first one where there is none.
    seed: Option<u64>,
    /// The index of the point of a sweep.
    #[serde(default)]
    point: usize,
    /// Fields of the scenario with other values: paths and values.
    #[serde(default)]
    set: Vec<(String, String)>,
    /// The recorded links that the scenario names, with their contents.
    #[serde(default)]
    recordings: BTreeMap<String, String>,
    /// The number of flows whose `cwnd` is sampled.
    #[serde(default = "most_windows")]
    cwnd_flows: usize,
    /// The time between two samples, in nanoseconds.
    sample_ns: Option<f64>,
    /// The name of the link whose queue is watched; the scenario's one where there is none.
    link: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum SchemeName {
    Index(usize),
    Label(String),
}

impl fmt::Display for SchemeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SchemeName::Index(index) => write!(f, "with the index {index}"),
            SchemeName::Label(label) => write!(f, "'{label}'"),
        }
    }
}

impl Default for SchemeName {
    fn default() -> SchemeName {
        SchemeName::Index(0)
    }
}

fn file_name() -> String {
    "scenario".to_string()
}

fn most_windows() -> usize {
    Detail::default().windows
}

impl Opening {
    /// Reads a JSON argument.
    pub(crate) fn read(argument: &[u8]) -> Result<Opening, String> {
        serde_json::from_slice(argument).map_err(|error| answers::problem(&error.to_string()))
    }

    /// Reads a JSON argument that also names a record of the packets' table.
    pub(crate) fn read_with_record(argument: &[u8]) -> Result<(Opening, u64), String> {
        let problem = |message: &str| answers::problem(message);
        let read: Result<serde_json::Value, _> = serde_json::from_slice(argument);
        let mut fields = read.map_err(|error| problem(&error.to_string()))?;
        let record = fields
            .as_object_mut()
            .and_then(|fields| fields.remove("record"));
        let record = record.and_then(|record| record.as_u64());
        let record = record.ok_or_else(|| problem("`record` is the number of a row"))?;
        let opening: Result<Opening, _> = serde_json::from_value(fields);
        let opening = opening.map_err(|error| problem(&error.to_string()))?;
        Ok((opening, record))
    }

    /// Why a record of the cell's packets came about; otherwise the problems.
    pub(crate) fn explain(&self, record: u64) -> Result<String, String> {
        let (plan, cell) = self.cell()?;
        let explained = Watch::explain(&plan, cell, self.detail(), record);
        match explained.map_err(|problem| answers::problem(&problem.to_string()))? {
            Some(explanation) => Ok(answers::explanation(&explanation)),
            None => {
                let message = format!("no packet has the number {record} here");
                Err(answers::problem(&message))
            }
        }
    }

    fn detail(&self) -> Detail {
        let sample_every = self.sample_ns.map(|span| Nanos(span.max(1.0) as u64));
        Detail {
            sample_every: sample_every.or(Detail::default().sample_every),
            windows: self.cwnd_flows,
            link: self.link.clone(),
        }
    }

    /// The cell at its beginning, with its description; otherwise the problems.
    pub(crate) fn open(&self) -> Result<(Session, String), String> {
        let (plan, cell) = self.cell()?;
        let opened = Watch::open(&plan, cell, self.detail());
        let watch = opened.map_err(|problem| answers::problem(&problem.to_string()))?;
        let description = answers::description(&plan, cell, &watch);
        let session = Session {
            watch,
            scenario: plan.points[cell.point].scenario.clone(),
            reached: Nanos::ZERO,
            tables: Default::default(),
        };
        Ok((session, description))
    }

    fn cell(&self) -> Result<(Plan, Cell), String> {
        let traces = TraceFiles::Memory(self.recordings.clone());
        let source = Source::new(&self.file, &self.scenario, traces);
        let source = source.map_err(|problems| answers::problems(&problems))?;
        let mut source = source.with_limits(Limits::PAGE);
        for (path, value) in &self.set {
            source.change(path, value, path);
        }
        if let Some(seed) = self.seed {
            source.set("seeds", &format!("[{seed}]"), "seed");
        }
        let plan = source
            .plan()
            .map_err(|problems| answers::problems(&problems))?;
        let labels = plan.labels();
        let scheme = match &self.scheme {
            SchemeName::Index(index) => Some(*index).filter(|index| *index < labels.len()),
            SchemeName::Label(label) => labels.iter().position(|known| known == label),
        };
        let Some(scheme) = scheme else {
            let known = labels.join(", ");
            let scheme = &self.scheme;
            let message = format!("the scenario has no scheme {scheme}; known: {known}");
            return Err(answers::problem(&message));
        };
        let points = plan.points.len();
        if self.point >= points {
            let message = format!("point {} of {points}", self.point);
            return Err(answers::problem(&message));
        }
        let cell = Cell {
            seed: 0,
            point: self.point,
            scheme,
        };
        Ok((plan, cell))
    }
}

/// A cell in progress.
pub(crate) struct Session {
    watch: Watch,
    scenario: Arc<Scenario>,
    /// The time up to which it is simulated.
    reached: Nanos,
    /// Rows since the last [`clear`](Session::clear): packets, samples, cwnd.
    tables: [Vec<f64>; 3],
}

impl Session {
    pub(crate) fn advance(&mut self, until: f64, events: u64) -> f64 {
        let reached = self.watch.advance(Nanos(until.max(0.0) as u64), events);
        self.reached = reached;
        let [packets, samples, windows] = &mut self.tables;
        self.watch.take_packets(|record, probes| {
            packets.extend(packet_row(record));
            packets.extend(probes);
        });
        self.watch.take_samples(|at, values, probes| {
            samples.push(at.0 as f64);
            samples.extend(values);
            samples.extend(probes);
        });
        self.watch.take_windows(|at, cwnd| {
            windows.push(at.0 as f64);
            windows.extend(cwnd);
        });
        reached.0 as f64
    }

    pub(crate) fn rows(&self, table: usize) -> &[f64] {
        self.tables.get(table).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn clear(&mut self) {
        self.tables.iter_mut().for_each(Vec::clear);
    }

    pub(crate) fn curve(&self) -> String {
        answers::curve(&self.watch, self.reached)
    }

    pub(crate) fn outcome(self) -> String {
        answers::outcome(&self.watch.outcome(), &self.scenario)
    }
}

/// The kinds of packets, by the numbers that rows have.
pub(crate) const KINDS: [&str; 5] = ["data", "ack", "syn", "datagram", "request"];

/// The time, the event (0 enqueued, 1 departed, 2 and on dropped, by reason), the flow, the kind,
/// the number, the size, whether it is marked, and the queue afterwards.
fn packet_row(record: &PacketRecord) -> [f64; 8] {
    let event = match record.event {
        PacketEvent::Enqueued => 0,
        PacketEvent::Departed => 1,
        PacketEvent::Dropped(reason) => {
            2 + DropReason::ALL
                .iter()
                .position(|known| *known == reason)
                .unwrap_or(0)
        }
    };
    let kind = KINDS.iter().position(|kind| *kind == record.kind);
    [
        record.at.0 as f64,
        event as f64,
        f64::from(record.flow.0),
        kind.unwrap_or(0) as f64,
        f64::from(record.number),
        f64::from(record.size),
        f64::from(u8::from(record.is_marked)),
        f64::from(record.queue),
    ]
}
