//! From a scenario file to cells: schemes x points of the sweep x seeds.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use earlydrop_sim::network::Trace;

use crate::document::{Content, Node, Place, Problem, Problems, suggestion};
use crate::scenario::{self, Keep, Prepared, SCENARIO, Scenario};
use crate::store::version;
use crate::sweep::{self, Axis};

/// A scenario file, with what the command line changes about it.
#[derive(Clone, Debug)]
pub struct Source {
    /// The file's name, or what stands for it.
    pub name: String,
    /// Its text, as written.
    pub text: String,
    /// Where it lies, for the recorded links it names.
    folder: PathBuf,
    tree: Node,
    /// What is wrong with the arguments so far.
    problems: Vec<Problem>,
}

/// A scheme under a name of its own, with some parameters otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// What it is called.
    pub label: String,
    /// The scheme of the scenario that it is of.
    pub of: String,
    /// The parameters that are otherwise.
    pub settings: Vec<(String, String)>,
}

/// Why a file could not be read as a scenario.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// It cannot be read at all.
    #[error("{path}: {error}")]
    Unreadable {
        /// The file.
        path: String,
        /// Why.
        error: std::io::Error,
    },
    /// It is not as it must be.
    #[error("{0}")]
    Wrong(#[from] Problems),
}

impl Source {
    /// The scenario of this file.
    pub fn open(path: &Path) -> Result<Source, SourceError> {
        let name = path.display().to_string();
        let text = fs::read_to_string(path).map_err(|error| SourceError::Unreadable {
            path: name.clone(),
            error,
        })?;
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        Ok(Source::new(&name, &text, folder)?)
    }

    /// The scenario of this text. Recorded links are looked for in `folder`.
    pub fn new(name: &str, text: &str, folder: PathBuf) -> Result<Source, Problems> {
        let wrong = |list| Problems {
            name: name.to_string(),
            text: text.to_string(),
            list,
        };
        let mut tree = Node::parse(text).map_err(wrong)?;
        let mut problems = Vec::new();
        let schemes = scenario::normalised(tree.take("schemes").as_ref(), &mut problems);
        if !problems.is_empty() {
            return Err(wrong(problems));
        }
        tree.put(&["schemes"], schemes);
        spell_out_tcp(&mut tree);
        Ok(Source {
            name: name.to_string(),
            text: text.to_string(),
            folder,
            tree,
            problems,
        })
    }

    /// Sets a field by its path: "network.rtt". The argument is what a message names. A
    /// field that is set is not swept any more.
    pub fn set(&mut self, path: &str, value: &str, argument: &str) {
        let node = Node::argument(value, argument);
        match self.checked_path(path, &node.place) {
            Ok(()) => {
                self.tree.put(&path.split('.').collect::<Vec<_>>(), node);
                if let Some(sweep) = self.tree.entry("sweep") {
                    sweep::leave_out(sweep, path);
                }
            }
            Err(problem) => self.problems.push(problem),
        }
    }

    /// Sets a field of TCP for every group, those that have rules of their own included.
    pub fn set_tcp(&mut self, field: &str, value: &str, argument: &str) {
        let groups = match self.tree.at(&["flows"]).map(|flows| &flows.content) {
            Some(Content::Table(groups)) => groups.as_slice(),
            _ => &[],
        };
        let own = groups
            .iter()
            .filter(|(_, group)| group.at(&["tcp"]).is_some());
        let own = own.map(|(key, _)| format!("flows.{}.tcp.{field}", key.name));
        let paths: Vec<String> = own.chain([format!("tcp.{field}")]).collect();
        for path in paths {
            self.set(&path, value, argument);
        }
    }

    /// The fields that are swept.
    pub fn axes(&self) -> Vec<Axis> {
        sweep::axes(self.tree.at(&["sweep"]), &mut Vec::new())
    }

    /// Sweeps a field over these values instead.
    pub fn sweep(&mut self, axis: Axis) {
        let place = Place::default();
        let content = Content::List(axis.values);
        if let Some(sweep) = self.tree.entry("sweep") {
            sweep::leave_out(sweep, &axis.field);
            sweep.put(&[&axis.field], Node { content, place });
        }
    }

    /// Everything it says, the command line included.
    pub fn tree(&self) -> &Node {
        &self.tree
    }

    /// Compares these schemes instead: "red,nlred:min=10,max=30,codel". What follows a comma
    /// is a parameter of the scheme before it, where it sets something.
    pub fn set_schemes(&mut self, text: &str, argument: &str) {
        let place = Place::Argument(argument.into());
        let item = |text: String| Node {
            content: Content::Text(text),
            place: place.clone(),
        };
        let schemes = Node {
            content: Content::List(split_schemes(text).into_iter().map(item).collect()),
            place: place.clone(),
        };
        let known = self.tree.at(&["schemes"]).cloned();
        let named = |node: &Node| {
            let label = node.text()?;
            known.as_ref()?.at(&[&label]).cloned().map(|n| (label, n))
        };
        let mut table = scenario::normalised(Some(&schemes), &mut self.problems);
        // A scheme of the file keeps what the file says of it.
        if let Content::List(items) = &schemes.content {
            for (label, node) in items.iter().filter_map(named) {
                table.put(&[&label], node);
            }
        }
        self.tree.put(&["schemes"], table);
    }

    /// Compares one more scheme under a name of its own: "red:min=10,max=30".
    pub fn add_scheme(&mut self, name: &str, text: &str) {
        let node = Node::argument(text, text);
        let table = scenario::normalised(Some(&node), &mut self.problems);
        if let Content::Table(entries) = table.content {
            let added = entries.into_iter().map(|(_, scheme)| scheme);
            added.for_each(|scheme| self.tree.put(&["schemes", name], scheme));
        }
    }

    /// Compares variants of its schemes instead.
    pub fn set_variants(&mut self, variants: &[Variant]) {
        let known = self.tree.take("schemes");
        let mut table = Node::table();
        for variant in variants {
            let of = known.as_ref().and_then(|known| known.at(&[&variant.of]));
            let mut node = of.cloned().unwrap_or_else(Node::table);
            if node.at(&["scheme"]).is_none() {
                node.put(&["scheme"], Node::argument(&variant.of, &variant.label));
            }
            for (name, value) in &variant.settings {
                node.put(&[name], Node::argument(value, &variant.label));
            }
            table.put(&[&variant.label], node);
        }
        self.tree.put(&["schemes"], table);
    }

    /// Whether a path leads to something that can be set.
    fn checked_path(&self, path: &str, place: &Place) -> Result<(), Problem> {
        let steps: Vec<&str> = path.split('.').collect();
        let fields = || SCENARIO.fields.iter().map(|field| field.name);
        let unknown = |what: &str, wanted: &str, known: Vec<&str>| {
            let message = format!("`{path}`: no {what} is called `{wanted}`");
            let help = suggestion(wanted, &known, '`');
            Problem::new(place, message, help)
        };
        if !fields().any(|field| field == steps[0]) {
            return Err(unknown("field of a scenario", steps[0], fields().collect()));
        }
        let named = ["flows", "schemes"].contains(&steps[0]);
        if named && steps.len() < 3 {
            let message = format!("`{path}` is no single value");
            let help = format!("allowed: {}.NAME.FIELD", steps[0]);
            return Err(Problem::new(place, message, help));
        }
        if named && self.tree.at(&steps[..2]).is_none() {
            let table = self.tree.at(&steps[..1]).map(|node| &node.content);
            let known = match table {
                Some(Content::Table(entries)) => {
                    entries.iter().map(|(key, _)| key.name.as_str()).collect()
                }
                _ => Vec::new(),
            };
            let what = if steps[0] == "flows" {
                "group of flows"
            } else {
                "scheme"
            };
            return Err(unknown(what, steps[1], known));
        }
        Ok(())
    }

    /// The recorded link of a file beside the scenario.
    fn trace(&self, name: &str) -> Result<Trace, String> {
        let path = self.folder.join(name);
        let text = fs::read_to_string(&path)
            .map_err(|error| format!("the trace \"{}\": {error}", path.display()))?;
        let trace = text.parse::<Trace>();
        trace.map_err(|error| format!("\"{}\": {error}", path.display()))
    }

    /// The names of the recorded links it reads.
    pub fn trace_files(&self) -> Vec<(String, PathBuf)> {
        let mut names = Vec::new();
        collect_traces(&self.tree, &mut names);
        names
            .into_iter()
            .map(|name| (name.clone(), self.folder.join(name)))
            .collect()
    }

    /// Everything that is to be run.
    pub fn plan(&self) -> Result<Plan, Problems> {
        Plan::new(self).map_err(|list| self.problems(list))
    }

    /// What is wrong with it: in the order of the file, after what is wrong with arguments.
    pub(crate) fn problems(&self, mut list: Vec<Problem>) -> Problems {
        list.sort_by_key(|problem| match &problem.place {
            Place::Argument(_) => None,
            Place::File(bytes) => Some(bytes.start),
        });
        let (name, text) = (self.name.clone(), self.text.clone());
        Problems { name, text, list }
    }

    /// Whether it says with how many seeds it is run.
    pub fn has_seeds(&self) -> bool {
        self.tree.at(&["seeds"]).is_some()
    }
}

/// `tcp = "cubic"` as a table, so that other rules can be set beside it.
fn spell_out_tcp(tree: &mut Node) {
    let Content::Table(entries) = &mut tree.content else {
        return;
    };
    for (key, node) in entries {
        let control = node.clone();
        match (key.name.as_str(), &control.content) {
            ("tcp", Content::Text(_)) => node.put(&["control"], control),
            ("flows", Content::Table(_)) => {
                if let Content::Table(groups) = &mut node.content {
                    groups
                        .iter_mut()
                        .for_each(|(_, group)| spell_out_tcp(group));
                }
            }
            _ => {}
        }
    }
}

/// Schemes between commas; a piece "name=value" goes on with the scheme before it.
fn split_schemes(text: &str) -> Vec<String> {
    let mut schemes: Vec<String> = Vec::new();
    for piece in text
        .split(',')
        .map(str::trim)
        .filter(|piece| !piece.is_empty())
    {
        let is_parameter = piece.contains('=') && !piece.contains(':');
        match schemes.last_mut() {
            Some(scheme) if is_parameter => {
                scheme.push(if scheme.contains(':') { ',' } else { ':' });
                scheme.push_str(piece);
            }
            _ => schemes.push(piece.to_string()),
        }
    }
    schemes
}

fn collect_traces(node: &Node, names: &mut Vec<String>) {
    match &node.content {
        Content::Table(entries) => {
            for (key, node) in entries {
                match (&node.content, key.name.as_str()) {
                    (Content::Text(name), "trace") => names.push(name.clone()),
                    _ => collect_traces(node, names),
                }
            }
        }
        Content::List(items) => items.iter().for_each(|item| collect_traces(item, names)),
        _ => {}
    }
}

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
    pub(crate) fn command(self) -> &'static str {
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
#[path = "plan_tests.rs"]
mod tests;
