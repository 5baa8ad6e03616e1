//! Plans: from a scenario file to its cells, schemes x points of the sweep x seeds.
//!
//! A [`Source`] is a scenario file with the changes of the command line; [`Source::plan`]
//! checks it at every point of its sweep. (`earlydrop::registry::Plan` is another thing: the
//! checked parameters of one scheme.)

mod changes;
mod lengths;
mod options;
mod recording;
mod source;
mod warnings;

use std::path::Path;
use std::sync::Arc;

pub use changes::CHANGED;
pub use options::ShortName;
pub use recording::{Contents, Recording, TraceFiles};
#[cfg(feature = "files")]
pub use source::SourceError;
pub use source::{Source, Variant};

pub use crate::scheme_list::split_schemes;

use crate::budget::{Budget, Limits, ReportSize};
use crate::document::{Content, Node, Problem};
use crate::expect::{self, Expectation};
use crate::metrics::{self, LINK_METRICS, METRICS, Number};
use crate::scenario::{self, PreparedRun, Scenario, SeriesScope, Surroundings, words};
use crate::sweep::{self, Axis, continue_seeds};
use crate::version::engine;
use recording::Recordings;

/// The cells of a scenario: every scheme with every seed at every point of the sweep.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The scenario as run, with the changes of the command line, in TOML; without the number
    /// of seeds, which may grow, and with the stored names of its recordings.
    pub document: String,
    /// Bytes of memory of the document, in all forms that it takes until it is a plan.
    document_bytes: f64,
    /// The recorded links that it names.
    pub recordings: Vec<Recording>,
    /// The swept fields.
    pub axes: Vec<Axis>,
    /// The points of the sweep, at least one.
    pub points: Vec<Point>,
    /// What its runs are to show.
    pub expectations: Vec<Expectation>,
    /// The seeds that each scheme runs with at each point.
    pub seeds: Vec<u64>,
    /// The hosts that send and receive.
    pub hosts: Hosts,
    /// The largest budget.
    pub(crate) limits: Limits,
    /// What surrounds the work of each thread that runs its cells.
    #[cfg_attr(not(feature = "threads"), allow(dead_code))]
    pub(crate) thread_scope: ThreadScope,
}

/// Calls the work of a thread, once, between what the program needs before and after it: an
/// interpreter for schemes of its own, for example.
pub type ThreadScope = fn(&mut (dyn FnMut() + Send));

/// A thread scope that does nothing else.
pub(crate) const NO_SCOPE: ThreadScope = |work| work();

/// The hosts that send and receive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hosts {
    /// The simulator's.
    #[default]
    Simulated,
    /// Real ones, in real time.
    Real,
}

impl Hosts {
    /// Their name in a run's database; `None` for simulated ones.
    #[cfg(feature = "store")]
    pub(crate) fn database_name(self) -> Option<&'static str> {
        match self {
            Hosts::Simulated => None,
            Hosts::Real => Some("real"),
        }
    }

    /// The command that runs a scenario on them.
    pub fn command(self) -> &'static str {
        match self {
            Hosts::Simulated => "run",
            Hosts::Real => "live",
        }
    }
}

/// A point of the sweep.
#[derive(Clone, Debug)]
pub struct Point {
    /// For each axis, the index of its value.
    pub coordinates: Vec<usize>,
    /// The scenario there.
    pub scenario: Arc<Scenario>,
}

/// One run of a plan, by the indices of its seed, its point and its scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell {
    /// The index of its seed.
    pub seed: usize,
    /// The index of its point.
    pub point: usize,
    /// The index of its scheme.
    pub scheme: usize,
}

/// The number of points of which a report shows time series and single flows; of more its page would
/// become too large (`earlydrop trace` shows them).
pub const DETAILED_POINTS: usize = 4;

/// More cells than this are taken for a typing error.
const MAX_CELLS: usize = 1_000_000;

impl Plan {
    fn new(source: &Source) -> Result<Plan, Vec<Problem>> {
        let mut problems = source.problems.clone();
        let mut tree = source.tree.clone();
        let seed_field = tree.take("seeds");
        let mut seeds = sweep::seeds(seed_field.as_ref(), &mut problems);
        continue_seeds(&mut seeds, source.seeds);
        source.complete_changes(&mut tree);
        let listed = seed_field.filter(|node| matches!(node.content, Content::List(_)));
        let mut as_run = tree.clone();
        let expected = tree.take("expect");
        let axes = sweep::axes(tree.take("sweep").as_ref(), &mut problems);
        for axis in &axes {
            if let Some(first) = axis.values.first() {
                problems.extend(source.check_path(&axis.field, &first.place).err());
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        check_size(&axes, seeds.len()).map_err(|problem| vec![problem])?;
        let document = Budget {
            document: memory_of_document(&tree),
            ..Budget::default()
        };
        let checked = document.check(&source.limits);
        checked.map_err(|problem| vec![problem])?;
        let recordings = Recordings::new(&source.traces);
        let mut points = points(source, &recordings, &tree, &axes, seeds.len())?;
        name_first(&mut points);
        if let Some(problem) = recordings.repeated_in(&axes) {
            return Err(vec![problem]);
        }
        let expected = expect::read(expected.as_ref(), &points[0].scenario, &axes, &mut problems);
        if !problems.is_empty() {
            return Err(problems);
        }
        recordings.rename_in(&mut as_run);
        let document = match &listed {
            // Other seeds than the listed ones would be another scenario.
            Some(list) => format!("seeds = {}\n{}", list.to_toml(), as_run.to_document()),
            None => as_run.to_document(),
        };
        let plan = Plan {
            document,
            document_bytes: memory_of_document(&tree),
            recordings: recordings.into_list(),
            points,
            axes,
            expectations: expected,
            seeds,
            hosts: Hosts::Simulated,
            limits: source.limits,
            thread_scope: source.thread_scope,
        };
        let checked = plan.budget().check(&plan.limits);
        checked.map_err(|problem| vec![problem])?;
        Ok(plan)
    }

    /// What its cells take, estimated.
    pub fn budget(&self) -> Budget {
        let mut budget = Budget {
            points: memory_of(self.points.len(), &self.points[0]),
            files: self.recordings.iter().map(Recording::bytes).sum(),
            document: self.document_bytes,
            report: report_size(self.scenario(), self.points.len(), self.seeds.len()).bytes(),
            ..Budget::default()
        };
        let seeds_with_series = match self.scenario().measure.series {
            SeriesScope::FirstSeed => 1,
            SeriesScope::AllSeeds => self.seeds.len(),
            SeriesScope::None => 0,
        };
        for point in &self.points {
            let scenario = &point.scenario;
            let flows = scenario.flow_count();
            for (series, seeds) in [
                (true, seeds_with_series),
                (false, self.seeds.len().saturating_sub(seeds_with_series)),
            ] {
                let cell = Budget::of_cell(&scenario.cost, flows, series);
                budget.add(cell, (seeds * scenario.schemes.len()) as f64);
            }
        }
        budget
    }

    /// The values of the swept fields at a point: "network.rtt = 50 ms"; empty without a sweep.
    pub fn point_label(&self, point: usize) -> String {
        let coordinates = &self.points[point].coordinates;
        let values = self.axes.iter().zip(coordinates);
        let values = values.map(|(axis, index)| format!("{} = {}", axis.name(), axis.text(*index)));
        values.collect::<Vec<_>>().join(", ")
    }

    /// Changes the hosts.
    pub fn on(self, hosts: Hosts) -> Plan {
        Plan { hosts, ..self }
    }

    /// The scenario as run, with its seeds, in TOML.
    pub fn toml(&self) -> String {
        if self.document.starts_with("seeds = [") {
            return self.document.clone();
        }
        format!("seeds = {}\n{}", self.seeds.len(), self.document)
    }

    /// The scenario at the first point. What cannot be swept is the same at all points.
    pub fn scenario(&self) -> &Scenario {
        &self.points[0].scenario
    }

    /// The labels of the compared schemes.
    pub fn labels(&self) -> Vec<&str> {
        let schemes = &self.scenario().schemes;
        schemes.iter().map(|scheme| scheme.label.as_str()).collect()
    }

    /// The numbers of a list, "loss,call.end_to_end_p99": metrics of the link and all flows, or of a
    /// group.
    pub fn numbers(&self, list: &str) -> Result<Vec<Number>, String> {
        let groups = self.scenario().groups.iter();
        let names: Vec<&str> = groups.map(|group| &*group.name).collect();
        metrics::parse_numbers(list, &names)
    }

    /// The number of cells.
    pub fn cell_count(&self) -> usize {
        self.seeds.len() * self.points.len() * self.scenario().schemes.len()
    }

    /// A cell by its number, from 0. Schemes change fastest and seeds slowest, so that a run
    /// that is stopped early has compared everything with fewer seeds.
    pub fn cell(&self, number: usize) -> Option<Cell> {
        let (schemes, points) = (self.scenario().schemes.len(), self.points.len());
        (number < self.cell_count()).then(|| Cell {
            scheme: number % schemes,
            point: number / schemes % points,
            seed: number / schemes / points,
        })
    }

    /// A cell's number.
    pub fn number(&self, cell: Cell) -> usize {
        let (schemes, points) = (self.scenario().schemes.len(), self.points.len());
        (cell.seed * points + cell.point) * schemes + cell.scheme
    }

    /// Every cell in order.
    pub fn cells(&self) -> impl Iterator<Item = Cell> {
        (0..self.cell_count()).filter_map(|number| self.cell(number))
    }

    /// Whether a cell's samples over time are stored.
    pub fn keeps_series(&self, cell: Cell) -> bool {
        match self.scenario().measure.series {
            SeriesScope::FirstSeed => cell.seed == 0,
            SeriesScope::AllSeeds => true,
            SeriesScope::None => false,
        }
    }

    /// The simulator's run of a cell, with samples over time if `series`.
    pub fn prepare(&self, cell: Cell, series: bool) -> Result<PreparedRun, Problem> {
        let scenario = &self.points[cell.point].scenario;
        let scheme = &scenario.schemes[cell.scheme];
        scenario.run(scheme, self.seeds[cell.seed], series)
    }

    /// The names of the bottlenecks of a run in the order of the route, or of the file; empty where
    /// there is only one.
    pub fn bottlenecks(&self) -> Vec<String> {
        let prepared = self.cell(0).and_then(|cell| self.prepare(cell, false).ok());
        prepared.map_or(Vec::new(), |prepared| {
            let network = &prepared.run.network;
            let links = prepared.bottlenecks.iter();
            links.map(|link| network.link_name(*link)).collect()
        })
    }

    /// A hash of the scenario and its recordings, except the number of seeds, in 16 digits.
    /// Schemes of a program's own count by their names and parameters.
    pub fn identity(&self) -> String {
        format!("{:016x}", fnv1a(self.document.as_bytes()))
    }

    /// A name for the folder of its results, which depends on the scenario, the hosts and
    /// what decides them.
    pub fn folder_name(&self, source_name: &str) -> String {
        let stem = Path::new(source_name).file_stem();
        let stem = stem.map_or("run".into(), |stem| stem.to_string_lossy().into_owned());
        let plain = |letter: char| match letter {
            letter if letter.is_ascii_alphanumeric() || "-_".contains(letter) => letter,
            _ => '-',
        };
        let stem: String = stem.chars().map(plain).take(60).collect();
        let hash = fnv1a(format!("{}\n{}", engine(), self.document).as_bytes());
        let live = match self.hosts {
            Hosts::Simulated => "",
            Hosts::Real => "-live",
        };
        format!("{stem}{live}-{:08x}", hash >> 32)
    }
}

/// Gives the first point a title and a description of all points, where the file has none.
fn name_first(points: &mut [Point]) {
    let all: Vec<&Scenario> = points.iter().map(|point| &*point.scenario).collect();
    let (title, about) = (words::title(&all), words::about(&all));
    if let Some(first) = points
        .first_mut()
        .map(|point| Arc::make_mut(&mut point.scenario))
    {
        let fill = |text: &mut String, made: String| {
            if text.is_empty() {
                *text = made;
            }
        };
        fill(&mut first.title, title);
        fill(&mut first.about, about);
    }
}

/// Refuses more cells than anybody wants to run.
fn check_size(axes: &[Axis], seeds: usize) -> Result<(), Problem> {
    let count = sweep::grid_size(axes).saturating_mul(seeds);
    if count <= MAX_CELLS {
        return Ok(());
    }
    let message = match count {
        usize::MAX => "a sweep of more runs than can be counted".to_string(),
        _ => format!("{count} runs of each scheme"),
    };
    let place = axes.first().map(|axis| axis.values[0].place.clone());
    let help = format!("at most {MAX_CELLS}: sweep over fewer values or seeds");
    Err(Problem::new(&place.unwrap_or_default(), message, help))
}

/// The scenario at each point of the sweep.
fn points(
    source: &Source,
    recordings: &Recordings<'_>,
    tree: &Node,
    axes: &[Axis],
    seeds: usize,
) -> Result<Vec<Point>, Vec<Problem>> {
    let around = Surroundings {
        registry: source.registry(),
        files: recordings,
        limits: source.limits,
    };
    let mut points = Vec::new();
    for coordinates in sweep::grid(axes) {
        let mut tree = tree.clone();
        for (axis, index) in axes.iter().zip(&coordinates) {
            let path: Vec<&str> = axis.field.split('.').collect();
            tree.put(&path, axis.values[*index].clone());
        }
        let scenario = Arc::new(scenario::read(&tree, &around)?);
        let point = Point {
            coordinates,
            scenario,
        };
        if points.is_empty() {
            // Before there are thousands.
            let size = sweep::grid_size(axes);
            let budget = Budget {
                points: memory_of(size, &point),
                report: report_size(&point.scenario, size, seeds).bytes(),
                files: recordings.bytes(),
                document: memory_of_document(&tree),
                ..Budget::default()
            };
            budget
                .check(&source.limits)
                .map_err(|problem| vec![problem])?;
        }
        points.push(point);
    }
    Ok(points)
}

/// What decides how large the report is of a plan with this scenario at its first point.
fn report_size(scenario: &Scenario, points: usize, seeds: usize) -> ReportSize {
    let means = points * scenario.schemes.len();
    // A single one has no rows of its own.
    let links = match scenario.network.scheme_links(scenario.packet()).len() {
        0 | 1 => 0,
        several => several,
    };
    ReportSize {
        means,
        cells: means * seeds,
        values: METRICS.len()
            + scenario.groups.len() * metrics::of_groups().count()
            + links * LINK_METRICS.len(),
        detailed: points.min(DETAILED_POINTS) * scenario.schemes.len(),
        flows: scenario.flow_count(),
        samples: match scenario.measure.series {
            SeriesScope::None => 0.0,
            _ => scenario.cost.samples,
        },
    }
}

/// Bytes of memory of so many points like this one: they differ in values, not in their number.
fn memory_of(points: usize, point: &Point) -> f64 {
    let coordinates = size_of_val(&*point.coordinates);
    (points * (size_of::<Point>() + coordinates + point.scenario.bytes())) as f64
}

/// Bytes of memory of a document until it is a plan: as parsed by TOML, as the tree of the source, of
/// the plan, as run and of a point, each with its text, and the entries of its tables.
fn memory_of_document(tree: &Node) -> f64 {
    const FORMS: usize = 7;
    (FORMS * tree.bytes()) as f64
}

/// FNV-1a, 64 bits (Fowler, Noll, Vo).
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod path_tests;
#[cfg(test)]
mod preset_tests;
#[cfg(test)]
mod tests;
