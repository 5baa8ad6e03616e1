//! From a scenario file to cells: schemes x points of the sweep x seeds.

mod source;

use std::path::Path;
use std::sync::Arc;

#[cfg(feature = "files")]
pub use source::SourceError;
pub use source::{Source, TraceFiles, Variant};

use crate::document::{Content, Problem};
use crate::scenario::{self, Keep, Prepared, Scenario};
use crate::sweep::{self, Axis};
use crate::version::version;

/// Everything that is to be run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The scenario as run, command line included, in TOML; without the number of seeds,
    /// of which more can be added.
    pub document: String,
    /// What is swept.
    pub axes: Vec<Axis>,
    /// The points of the sweep, at least one.
    pub points: Vec<Point>,
    /// The seeds each scheme runs with at each point.
    pub seeds: Vec<u64>,
    /// Which hosts send.
    pub hosts: Hosts,
}

/// Which hosts send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hosts {
    /// The simulator's.
    #[default]
    Simulated,
    /// Real ones, in real time.
    Real,
}

impl Hosts {
    /// What a run's database calls them; simulated ones need no word.
    pub(crate) fn word(self) -> Option<&'static str> {
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
    /// For each axis the index of its value.
    pub coordinates: Vec<usize>,
    /// The scenario there.
    pub scenario: Arc<Scenario>,
}

/// One run of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell {
    /// The index of its seed.
    pub seed: usize,
    /// The index of its point.
    pub point: usize,
    /// The index of its scheme.
    pub scheme: usize,
}

/// More cells than this are a slip of the pen.
const MOST_CELLS: usize = 1_000_000;

impl Plan {
    fn new(source: &Source) -> Result<Plan, Vec<Problem>> {
        let mut problems = source.problems.clone();
        let mut tree = source.tree.clone();
        let given = tree.take("seeds");
        let seeds = sweep::seeds(given.as_ref(), &mut problems);
        let listed = given.filter(|given| matches!(given.content, Content::List(_)));
        let document = match &listed {
            // More of these would be others: they are part of what the scenario is.
            Some(list) => format!("seeds = {}\n{}", list.to_toml(), tree.to_document()),
            None => tree.to_document(),
        };
        let axes = sweep::axes(tree.take("sweep").as_ref(), &mut problems);
        for axis in &axes {
            if let Some(first) = axis.values.first() {
                problems.extend(source.checked_path(&axis.field, &first.place).err());
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let count = axes.iter().fold(seeds.len(), |cells, axis| {
            cells.saturating_mul(axis.values.len())
        });
        if count > MOST_CELLS {
            let message = format!("{count} runs of each scheme");
            let place = axes.first().map(|axis| axis.values[0].place.clone());
            let help = format!("at most {MOST_CELLS}: sweep over fewer values or seeds");
            return Err(vec![Problem::new(
                &place.unwrap_or_default(),
                message,
                help,
            )]);
        }
        let mut points = Vec::new();
        for coordinates in sweep::grid(&axes) {
            let mut tree = tree.clone();
            for (axis, index) in axes.iter().zip(&coordinates) {
                let path: Vec<&str> = axis.field.split('.').collect();
                tree.put(&path, axis.values[*index].clone());
            }
            let scenario = scenario::read(&tree, &|name| source.trace(name))?;
            points.push(Point {
                coordinates,
                scenario: Arc::new(scenario),
            });
        }
        Ok(Plan {
            document,
            axes,
            points,
            seeds,
            hosts: Hosts::Simulated,
        })
    }

    /// The same on these hosts.
    pub fn on(self, hosts: Hosts) -> Plan {
        Plan { hosts, ..self }
    }

    /// The scenario as run with its seeds, in TOML.
    pub fn toml(&self) -> String {
        if self.document.starts_with("seeds = [") {
            return self.document.clone();
        }
        format!("seeds = {}\n{}", self.seeds.len(), self.document)
    }

    /// The scenario at the first point, which has what all have in common.
    pub fn scenario(&self) -> &Scenario {
        &self.points[0].scenario
    }

    /// The names of what is compared.
    pub fn labels(&self) -> Vec<&str> {
        let schemes = &self.scenario().schemes;
        schemes.iter().map(|scheme| scheme.label.as_str()).collect()
    }

    /// How many cells there are.
    pub fn cell_count(&self) -> usize {
        self.seeds.len() * self.points.len() * self.scenario().schemes.len()
    }

    /// A cell by its number: schemes change fastest, seeds slowest, so that what is
    /// stopped early has compared everything with fewer seeds.
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

    /// Whether a cell's samples are kept.
    pub fn keeps_series(&self, cell: Cell) -> bool {
        match self.scenario().measure.series {
            Keep::First => cell.seed == 0,
            Keep::All => true,
            Keep::None => false,
        }
    }

    /// The simulator's run of a cell.
    pub fn prepare(&self, cell: Cell, series: bool) -> Result<Prepared, Problem> {
        let scenario = &self.points[cell.point].scenario;
        let scheme = &scenario.schemes[cell.scheme];
        scenario.run(scheme, self.seeds[cell.seed], series)
    }

    /// What tells this scenario from others: all but how many seeds, in 16 digits.
    pub fn identity(&self) -> String {
        format!("{:016x}", fnv1a(self.document.as_bytes()))
    }

    /// A name for the folder of its results: another for another scenario, for other hosts,
    /// and for another version of the program.
    pub fn folder_name(&self, source_name: &str) -> String {
        let stem = Path::new(source_name).file_stem();
        let stem = stem.map_or("run".into(), |stem| stem.to_string_lossy().into_owned());
        let plain = |letter: char| match letter {
            letter if letter.is_ascii_alphanumeric() || "-_".contains(letter) => letter,
            _ => '-',
        };
        let stem: String = stem.chars().map(plain).take(60).collect();
        let hash = fnv1a(format!("{}\n{}", version(), self.document).as_bytes());
        let live = match self.hosts {
            Hosts::Simulated => "",
            Hosts::Real => "-live",
        };
        format!("{stem}{live}-{:08x}", hash >> 32)
    }
}

/// FNV-1a, 64 bits (Fowler, Noll, Vo).
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests;
