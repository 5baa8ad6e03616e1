//! Scenario files, and the changes of the command line.

#[cfg(feature = "files")]
use std::path::Path;

use earlydrop::registry::Registry;
use earlydrop::units::Nanos;

use super::changes::Changes;
use super::{NO_SCOPE, Plan, ThreadScope, TraceFiles};
use crate::budget::Limits;
use crate::document::{Content, MAX_DEPTH, Node, Place, Problem, Problems, suggestion};
#[cfg(feature = "files")]
use crate::files::{FileError, read_text};
use crate::scenario::{self, SCENARIO};
use crate::scheme_list::split_schemes;
use crate::sweep::{self, Axis};

/// A scenario file with the changes of the command line.
///
/// It may name the built-in schemes, or those of [`with_registry`](Source::with_registry).
#[derive(Clone, Debug)]
pub struct Source {
    /// The file's name, or another name for messages.
    pub name: String,
    /// Its text, as written.
    pub text: String,
    pub(super) traces: TraceFiles,
    registry: Registry,
    pub(super) thread_scope: ThreadScope,
    pub(super) limits: Limits,
    /// The smallest number of seeds.
    pub(super) seeds: usize,
    pub(super) tree: Node,
    /// The errors in arguments so far.
    pub(super) problems: Vec<Problem>,
    /// The fields that the command line has changed: paths and values.
    changes: Changes,
}

/// A scheme of a scenario under another name, with some parameters changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Its name.
    pub label: String,
    /// The name of the scheme in the scenario.
    pub of: String,
    /// The changed parameters: name and value.
    pub settings: Vec<(String, String)>,
}

/// The largest size of a scenario file, in bytes.
#[cfg(feature = "files")]
const MAX_BYTES: u64 = 1 << 24;

/// Why a scenario file could not be opened.
#[cfg(feature = "files")]
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// It cannot be read.
    #[error(transparent)]
    Unreadable(#[from] FileError),
    /// It is not a scenario.
    #[error("{0}")]
    Wrong(#[from] Problems),
}

impl Source {
    /// Opens a scenario file. Recorded links are found relative to its folder.
    #[cfg(feature = "files")]
    pub fn open(path: &Path) -> Result<Source, SourceError> {
        let name = path.display().to_string();
        let text = read_text(path, MAX_BYTES)?;
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        Ok(Source::new(&name, &text, folder)?)
    }

    /// A scenario from its text. `name` is its name in messages.
    pub fn new(name: &str, text: &str, traces: impl Into<TraceFiles>) -> Result<Source, Problems> {
        let wrong = |list| Problems {
            name: name.to_string(),
            text: text.to_string(),
            list,
        };
        let tree = Node::parse(text).map_err(wrong)?;
        Source::of(name, text, tree, traces.into())
    }

    /// A scenario from a document that a program has made.
    pub fn of_tree(
        name: &str,
        tree: Node,
        traces: impl Into<TraceFiles>,
    ) -> Result<Source, Problems> {
        let text = tree.to_document();
        Source::of(name, &text, tree, traces.into())
    }

    fn of(name: &str, text: &str, mut tree: Node, traces: TraceFiles) -> Result<Source, Problems> {
        let mut problems = Vec::new();
        let schemes = scenario::normalised(tree.at(&["schemes"]), &mut problems);
        if !problems.is_empty() {
            return Err(Problems {
                name: name.to_string(),
                text: text.to_string(),
                list: problems,
            });
        }
        // In its place: the scenario as run must read as the same document.
        tree.put(&["schemes"], schemes);
        expand_tcp(&mut tree);
        Ok(Source {
            name: name.to_string(),
            text: text.to_string(),
            traces,
            registry: Registry::built_in(),
            limits: Limits::default(),
            thread_scope: NO_SCOPE,
            seeds: 0,
            tree,
            problems,
            changes: Changes::default(),
        })
    }

    /// Sets the schemes that the scenario may name, such as the built-in ones with a scheme of
    /// a program's own. The example `own_scheme` shows it.
    #[must_use]
    pub fn with_registry(mut self, registry: Registry) -> Source {
        self.registry = registry;
        self
    }

    /// Sets the largest budget of its plans.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Source {
        self.limits = limits;
        self
    }

    /// Surrounds the work of each thread that runs cells of its plans.
    #[must_use]
    pub fn with_thread_scope(mut self, thread_scope: ThreadScope) -> Source {
        self.thread_scope = thread_scope;
        self
    }

    /// The schemes that the scenario may name.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Sets the number of seeds that a run has reached; a list is continued.
    #[cfg(feature = "store")]
    pub(crate) fn with_seeds(mut self, count: usize) -> Source {
        match self.tree.at(&["seeds"]) {
            Some(_) => self.seeds = count.min(sweep::MAX_SEEDS as usize),
            None => self.set("seeds", &count.to_string(), "its seeds"),
        }
        self
    }

    /// Sets a field by its path: "network.rtt". Messages name `argument`. The field is no
    /// longer swept.
    pub fn set(&mut self, path: &str, value: &str, argument: &str) {
        let node = Node::argument(value, argument);
        match self.check_path(path, &node.place) {
            Ok(()) => {
                self.tree.put(&path.split('.').collect::<Vec<_>>(), node);
                if let Some(sweep) = self.tree.entry("sweep") {
                    sweep::remove(sweep, path);
                }
            }
            Err(problem) => self.problems.push(problem),
        }
    }

    /// Sets a field as [`set`](Source::set) does, for the user's command line: the title and the
    /// description name the change, and the warm-up keeps its share of the duration unless it is
    /// set, too.
    pub fn change(&mut self, path: &str, value: &str, argument: &str) {
        self.give_once(path, argument);
        let before = self.tree.at(&path.split('.').collect::<Vec<_>>()).cloned();
        if path == "duration" && !self.changes.has("warm_up") {
            self.scale_warm_up(value);
        }
        self.set(path, value, argument);
        self.changes.add(path, value, before.as_ref());
    }

    /// Replaces the compared schemes as [`set_schemes`](Source::set_schemes) does, for the user's
    /// command line: the description names them.
    pub fn change_schemes(&mut self, text: &str, argument: &str) {
        self.give_once("schemes", argument);
        self.set_schemes(text, argument);
        self.changes.add("schemes", text, None);
    }

    /// Sets a field of TCP as [`set_tcp`](Source::set_tcp) does, for the user's command line: the
    /// title and the description name the change.
    pub fn change_tcp(&mut self, field: &str, value: &str, argument: &str) {
        let path = ["tcp", field];
        self.give_once(&path.join("."), argument);
        let before = self.tree.at(&path).cloned();
        self.set_tcp(field, value, argument);
        self.changes.add(&path.join("."), value, before.as_ref());
    }

    /// Refuses a field that two arguments give, such as `--seeds 5 --set seeds=3`.
    fn give_once(&mut self, path: &str, argument: &str) {
        if let Err(other) = self.changes.give(path, argument) {
            let place = Place::Argument(argument.into());
            let message = format!("`{path}` is given twice: {other} and {argument}");
            self.problems
                .push(Problem::new(&place, message, "keep one"));
        }
    }

    /// Scales a written warm-up to another duration.
    fn scale_warm_up(&mut self, duration: &str) {
        let written = |field: &str| self.tree.at(&[field]).and_then(Node::text);
        let time = |text: String| text.parse::<Nanos>().ok();
        let default = SCENARIO.field("duration").map_or("", |field| field.default);
        let before = written("duration").unwrap_or(default.to_string());
        if let (Some(warm_up), Some(before), Some(after)) = (
            written("warm_up").and_then(time),
            time(before),
            time(duration.to_string()),
        ) && before > Nanos::ZERO
        {
            let scaled = u128::from(warm_up.0) * u128::from(after.0) / u128::from(before.0);
            let scaled = Nanos(u64::try_from(scaled).unwrap_or(u64::MAX));
            let node = Node {
                content: Content::Text(scaled.to_string()),
                place: Place::Argument(format!("--duration {duration}").into()),
            };
            self.tree.put(&["warm_up"], node);
        }
    }

    /// Completes the command line's changes in `tree`: its title and description name them, and
    /// parameters that have no effect with the schemes that are left are removed.
    pub(super) fn complete_changes(&self, tree: &mut Node) {
        if self.changes.is_empty() {
            return;
        }
        self.changes.describe(tree);
        for name in scenario::unused_parameters(tree, &self.registry) {
            if let Some(parameters) = tree.entry("parameters") {
                sweep::remove(parameters, &name);
            }
        }
    }

    /// Sets a field of TCP for every group, including those with a `tcp` table of their own.
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

    /// The swept fields.
    pub fn axes(&self) -> Vec<Axis> {
        sweep::axes(self.tree.at(&["sweep"]), &mut Vec::new())
    }

    /// Sweeps a field over these values.
    pub fn sweep(&mut self, axis: Axis) {
        let place = Place::default();
        let content = Content::List(axis.values);
        if let Some(sweep) = self.tree.entry("sweep") {
            sweep::remove(sweep, &axis.field);
            sweep.put(&[&axis.field], Node { content, place });
            if let Some(title) = axis.title {
                let title = Node::argument(&format!("{title:?}"), "the title");
                sweep.put(&[sweep::TITLES, &axis.field], title);
            }
        }
    }

    /// The scenario with the changes of the command line.
    pub fn tree(&self) -> &Node {
        &self.tree
    }

    /// Replaces the compared schemes: "red,nlred:min=10,max=30,codel". A piece with `=` after a
    /// comma is a parameter of the scheme before it. A scheme of the file keeps its parameters.
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
        // A scheme of the file keeps its parameters.
        if let Content::List(items) = &schemes.content {
            for (label, node) in items.iter().filter_map(named) {
                table.put(&[&label], node);
            }
        }
        self.tree.put(&["schemes"], table);
    }

    /// Adds a scheme to the comparison under a name: "red:min=10,max=30".
    pub fn add_scheme(&mut self, name: &str, text: &str) {
        let node = Node::argument(text, text);
        let table = scenario::normalised(Some(&node), &mut self.problems);
        if let Content::Table(entries) = table.content {
            let added = entries.into_iter().map(|(_, scheme)| scheme);
            added.for_each(|scheme| self.tree.put(&["schemes", name], scheme));
        }
    }

    /// Replaces the compared schemes by variants of them.
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

    /// Checks that a path leads to a field that can be set.
    pub(super) fn check_path(&self, path: &str, place: &Place) -> Result<(), Problem> {
        let steps: Vec<&str> = path.split('.').collect();
        if steps.len() > MAX_DEPTH {
            let message = format!("a path of {} names leads to no field", steps.len());
            let help = format!("allowed: at most {MAX_DEPTH}, as in network.rtt");
            return Err(Problem::new(place, message, help));
        }
        let fields = || SCENARIO.fields.iter().map(|field| field.name);
        let unknown = |what: &str, wanted: &str, known: Vec<&str>| {
            let message = format!("`{path}`: no {what} is called `{wanted}`");
            let help = suggestion(wanted, &known, '`');
            Problem::new(place, message, help)
        };
        if !fields().any(|field| field == steps[0]) {
            return Err(unknown("field of a scenario", steps[0], fields().collect()));
        }
        self.check_number(&steps, place)?;
        let named = ["flows", "schemes"].contains(&steps[0]);
        if named && steps.len() < 3 {
            let message = format!("`{path}` is not a single value");
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

    /// Checks the number in a path such as `network.links.0.rate` against the links that there are.
    fn check_number(&self, steps: &[&str], place: &Place) -> Result<(), Problem> {
        let ["network", "links", number, rest @ ..] = steps else {
            return Ok(());
        };
        let path = steps.join(".");
        let links = match self
            .tree
            .at(&["network", "links"])
            .map(|node| &node.content)
        {
            Some(Content::List(links)) => links.as_slice(),
            _ => {
                let shape = self.tree.at(&["network", "shape"]).and_then(Node::text);
                let shape = shape.unwrap_or("dumbbell".to_string());
                let message = format!("`{path}`: a network of shape {shape} has no `links`");
                let field = rest.first().unwrap_or(&"rate");
                let nearest = format!("network.{field}");
                let help =
                    format!("the bottleneck's field is `{nearest}`, as in --set {nearest}=...");
                return Err(Problem::new(place, message, help));
            }
        };
        if number
            .parse()
            .is_ok_and(|number: usize| number < links.len())
        {
            return Ok(());
        }
        let name = |(index, link): (usize, &Node)| {
            let end = |end| link.at(&[end]).and_then(Node::text).unwrap_or_default();
            format!("{index} ({} to {})", end("from"), end("to"))
        };
        let known: Vec<String> = links.iter().enumerate().map(name).collect();
        let message = format!("`{path}`: no link has the number `{number}`");
        let help = format!("known: {}", known.join(", "));
        Err(Problem::new(place, message, help))
    }

    /// Checks the scenario at every point of its sweep and returns its cells.
    /// One whose duration is "auto" has the first of its [lengths](Source::lengths).
    pub fn plan(&self) -> Result<Plan, Problems> {
        if self.is_auto()
            && self.problems.is_empty()
            && let Some(first) = self.lengths()?.first()
        {
            return first.plan();
        }
        Plan::new(self).map_err(|list| self.problems(list))
    }

    /// Sorts problems: those of arguments, then those of the file in its order.
    pub fn problems(&self, mut list: Vec<Problem>) -> Problems {
        list.sort_by_key(|problem| match &problem.place {
            Place::Argument(_) => None,
            Place::File(bytes) => Some(bytes.start),
        });
        let (name, text) = (self.name.clone(), self.text.clone());
        Problems { name, text, list }
    }

    /// Whether it sets `seeds`.
    pub fn has_seeds(&self) -> bool {
        self.tree.at(&["seeds"]).is_some()
    }
}

/// Replaces `tcp = "cubic"` by a table, so that other fields can be set.
fn expand_tcp(tree: &mut Node) {
    let Content::Table(entries) = &mut tree.content else {
        return;
    };
    for (key, node) in entries {
        let control = node.clone();
        match (key.name.as_str(), &control.content) {
            ("tcp", Content::Text(_)) => node.put(&["control"], control),
            ("flows", Content::Table(_)) => {
                if let Content::Table(groups) = &mut node.content {
                    groups.iter_mut().for_each(|(_, group)| expand_tcp(group));
                }
            }
            _ => {}
        }
    }
}
