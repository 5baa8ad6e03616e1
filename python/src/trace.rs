//! One run in depth: its time series, and what happened to each packet at the measured queue.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

use earlydrop_lab::baseline;
use earlydrop_lab::document::suggestion;
use earlydrop_lab::escape::CommandLine;
use earlydrop_lab::files::{FileError, NewFile, Overwrite, Signature};
use earlydrop_lab::metrics::METRICS;
use earlydrop_lab::plan::{Cell, Plan};
use earlydrop_lab::store::{packet_table, sample_table};
use earlydrop_lab::trace::{CellTrace, Packets, trace};
use earlydrop_report::notebook;
use earlydrop_report::run_report::of_trace;
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError};
use pyo3::prelude::*;

use crate::background::run_in_background;
use crate::errors::{scenario_error, value_error};
use crate::picture::Picture;
use crate::scenario::Scenario;
use crate::table::Table;

/// A traced run.
#[pyclass(frozen, module = "earlydrop._lib")]
pub(crate) struct Trace {
    name: String,
    plan: Plan,
    cell: Cell,
    traced: CellTrace,
}

#[pymethods]
impl Trace {
    /// Runs the cell of a scheme, the first by default, with a seed at a point of the sweep, the
    /// first ones by default. With `packets`, what happens to each packet is recorded.
    #[new]
    #[pyo3(signature = (scenario, scheme=None, seed=None, at=Vec::new(), packets=false))]
    fn new(
        py: Python<'_>,
        scenario: &Scenario,
        scheme: Option<&str>,
        seed: Option<u64>,
        at: Vec<(String, String)>,
        packets: bool,
    ) -> PyResult<Trace> {
        let plan = scenario.plan()?;
        let scheme = scheme.map_or(Ok(0), |label| baseline::find(plan, label));
        let cell = Cell {
            scheme: scheme.map_err(value_error)?,
            point: point(plan, &at).map_err(value_error)?,
            seed: seed_index(plan, seed).map_err(value_error)?,
        };
        let wanted = Packets {
            captures: packets,
            log: packets,
        };
        let work = |stop: &AtomicBool, _: Sender<()>| {
            trace(plan, cell, wanted, &|| stop.load(Ordering::Relaxed))
        };
        let source = &scenario.source;
        let raise = |problem| scenario_error(source.problems(vec![problem]));
        let traced = run_in_background(py, work, |_, _| Ok(()), raise)?;
        let stopped = || PyKeyboardInterrupt::new_err("stopped");
        Ok(Trace {
            name: source.name.clone(),
            traced: traced.ok_or_else(stopped)?,
            plan: plan.clone(),
            cell,
        })
    }

    /// The scheme's label, the seed, and the swept fields with their values.
    fn about(&self) -> (String, u64, Vec<(String, String)>) {
        let coordinates = &self.plan.points[self.cell.point].coordinates;
        let axes = self.plan.axes.iter().zip(coordinates);
        let at = axes.map(|(axis, index)| (axis.field.clone(), axis.text(*index)));
        let label = self.plan.labels()[self.cell.scheme].to_string();
        (label, self.plan.seeds[self.cell.seed], at.collect())
    }

    /// The name of the measured link.
    #[getter]
    fn link(&self) -> &str {
        &self.traced.link
    }

    /// The metrics with their values.
    fn metrics(&self) -> Vec<(&'static str, Option<f64>)> {
        let names = METRICS.iter().map(|metric| metric.name);
        names
            .zip(self.traced.outcome.values.iter().copied())
            .collect()
    }

    /// All time series.
    fn samples(&self) -> PyResult<Table> {
        Table::new(sample_table(&self.traced.outcome.series))
    }

    /// What happened to each packet; `None` where it was not recorded.
    fn packets(&self) -> PyResult<Option<Table>> {
        let log = self.traced.packets.first();
        let table =
            log.map(|log| Table::with_flags(packet_table(log, &self.traced.groups), &["marked"]));
        table.transpose()
    }

    /// Writes the packets that left the queue as a pcapng file; false where they were not recorded.
    fn write_pcap(&self, path: PathBuf) -> PyResult<bool> {
        if self.traced.captures.is_empty() {
            return Ok(false);
        }
        let write = || {
            let mut file = NewFile::create(&path, &Signature::pcapng(), Overwrite::Own)?;
            let written = self.traced.write_pcapng(&mut file);
            written.map_err(|error| FileError::new(&path, error))?;
            file.complete()
        };
        write().map_err(|error| PyOSError::new_err(error.to_string()))?;
        Ok(true)
    }

    /// A picture as JSON, for matplotlib to draw.
    fn plot(&self, wanted: Picture) -> PyResult<String> {
        wanted.json(&self.data())
    }

    /// A picture as an SVG file.
    fn svg(&self, wanted: Picture) -> PyResult<String> {
        wanted.svg(&self.data())
    }

    /// The text that `earlydrop trace` prints, in lines of at most `width` columns.
    fn text(&self, width: usize) -> String {
        earlydrop_cli::trace_text(&self.plan, self.cell, &self.traced, width)
    }

    /// What a notebook shows.
    fn html(&self) -> String {
        notebook::trace(&self.plan, self.cell, &self.traced, &self.name)
    }
}

impl Trace {
    fn data(&self) -> earlydrop_report::run_report::Data {
        let command = CommandLine::new("trace");
        of_trace(&self.plan, self.cell, &self.traced, &self.name, &command)
    }
}

/// The index of a seed.
fn seed_index(plan: &Plan, seed: Option<u64>) -> Result<usize, String> {
    let Some(seed) = seed else {
        return Ok(0);
    };
    let found = plan.seeds.iter().position(|one| *one == seed);
    found.ok_or_else(|| {
        let seeds: Vec<String> = plan.seeds.iter().map(u64::to_string).collect();
        format!("seed={seed}: the scenario's seeds: {}", seeds.join(", "))
    })
}

/// The first point at which the swept fields have these values.
fn point(plan: &Plan, at: &[(String, String)]) -> Result<usize, String> {
    let mut wanted = Vec::new();
    for (field, value) in at {
        let axis = plan.axes.iter().position(|axis| axis.field == *field);
        let axis = axis.ok_or_else(|| {
            let fields: Vec<&str> = plan.axes.iter().map(|axis| axis.field.as_str()).collect();
            let hint = suggestion(field, &fields, '"');
            format!("no swept field is called \"{field}\"; {hint}")
        })?;
        let squeezed = |text: &str| text.split_whitespace().collect::<String>();
        let texts = plan.axes[axis].texts();
        let mut values = texts.iter();
        let index = values.position(|one| squeezed(one) == squeezed(value));
        let index = index.ok_or_else(|| format!("{field}={value}: swept: {}", texts.join(", ")))?;
        wanted.push((axis, index));
    }
    let has = |coordinates: &[usize]| wanted.iter().all(|(axis, at)| coordinates[*axis] == *at);
    let found = plan.points.iter().position(|one| has(&one.coordinates));
    found.ok_or_else(|| "no point of the sweep has these values".to_string())
}
