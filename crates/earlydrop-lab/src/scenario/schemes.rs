//! The compared schemes, each by a name of the file's own.

use std::cell::Cell;

use earlydrop::registry::{self, ConfigError, LinkFacts, Plan, Registry, Spec};
use earlydrop::units::Nanos;

use super::ALLOCATION;
use super::path::Path;
use super::shared::{self, BesidePreset, Buffer, Shared};
use crate::document::{Content, Key, Node, Place, Problem, unfit_name};
use crate::scheme_list::split_schemes;

/// A compared scheme.
#[derive(Clone, Debug)]
pub struct Scheme {
    /// Its name in the scenario.
    pub label: String,
    /// The scheme with every parameter given, at the first link that it stands at.
    pub spec: Spec,
    /// The scheme as written: lengths and times may be relative to the path.
    pub(super) written: Spec,
    /// Where it was written.
    pub place: Place,
    /// Where each of its parameters was given.
    places: Vec<(String, Place)>,
    /// Its `limit` is the network's buffer.
    limit_is_buffer: bool,
    /// What the scenario sets for all schemes, where this one has a preset.
    pub(super) beside_preset: Vec<BesidePreset>,
    /// Its parameters from certain times on, in order of time.
    pub(super) changes: Vec<SchemeChange>,
}

/// Parameters of a scheme from a time on.
#[derive(Clone, Debug)]
pub(super) struct SchemeChange {
    pub(super) at: Nanos,
    /// Names, values and places.
    settings: Vec<(String, String, Place)>,
    /// The scheme from then on, as written, with what the scenario sets for all.
    pub(super) spec: Spec,
    pub(super) place: Place,
}

impl Scheme {
    /// Its parameters that have no effect, each in a sentence.
    pub fn without_effect(&self) -> Vec<String> {
        shared::without_effect(&self.written)
    }
}

impl SchemeChange {
    /// A scheme's own parameters, with these.
    fn apply(&self, own: &Spec) -> Result<Spec, Problem> {
        let mut spec = own.clone();
        for (name, value, place) in &self.settings {
            let is_new = Cell::new(true);
            let replaced = spec.replaced(|known, _| {
                let is_it = known == name;
                is_new.set(is_new.get() && !is_it);
                is_it.then(|| value.clone())
            });
            spec = match is_new.get() {
                true => replaced.with(name, value),
                false => Ok(replaced),
            }
            .map_err(|error| from_config(&error, place))?;
        }
        Ok(spec)
    }

    /// The place of a parameter, or of all.
    pub(super) fn place_of(&self, name: Option<&str>) -> &Place {
        let mut settings = self.settings.iter();
        let setting = settings.find(|(known, ..)| Some(known.as_str()) == name);
        setting.map_or(&self.place, |(.., place)| place)
    }
}

impl Scheme {
    /// Bytes of memory that it takes, about.
    pub(super) fn bytes(&self) -> usize {
        // A parameter is its name and its value in the scheme, and its name and its place here.
        let parameter = 3 * size_of::<String>() + size_of::<Place>() + 4 * ALLOCATION;
        let label = self.label.len() + ALLOCATION;
        let changes = self
            .changes
            .iter()
            .map(|change| change.settings.len() * 2 * parameter);
        let own = self.places.len() + self.beside_preset.len();
        size_of_val(self) + label + own * parameter + changes.sum::<usize>()
    }
}

/// The compared schemes of a scenario that names none.
const DEFAULT_SCHEMES: &[&str] = &[
    "droptail", "red", "nlred", "clred", "ared", "rared", "sfred", "pie", "codel", "fq-codel",
];

/// `schemes` as a table of tables by label, in whichever form it was written.
pub(crate) fn normalised(schemes: Option<&Node>, problems: &mut Vec<Problem>) -> Node {
    let default = Node {
        content: Content::List(DEFAULT_SCHEMES.iter().map(unwritten).collect()),
        place: Place::default(),
    };
    let schemes = schemes.unwrap_or(&default);
    let content = match &schemes.content {
        Content::Text(_) => vec![(None, schemes.clone())],
        Content::List(items) => items.iter().map(|item| (None, item.clone())).collect(),
        Content::Table(entries) => entries
            .iter()
            .map(|(key, node)| (Some(key.clone()), node.clone()))
            .collect(),
        _ => Vec::new(),
    };
    if content.is_empty() {
        let message = "`schemes` names no scheme";
        let help = "allowed: a list such as [\"red:min=10,max=30\", \"codel\"], or a table of them";
        problems.push(Problem::new(&schemes.place, message, help));
    }
    let mut table: Vec<(Key, Node)> = Vec::new();
    let texts = content.iter().filter(|(key, _)| key.is_none());
    let names: Vec<String> = texts
        .filter_map(|(_, node)| Some(named(&node.text()?).to_string()))
        .collect();
    for (key, node) in content {
        if let Some(mut entry) = as_table(&node, problems) {
            let key = key.unwrap_or_else(|| Key {
                name: label_of(&mut entry, &node, &names),
                place: node.place.clone(),
            });
            problems.extend(unfit_name(&key.name, &key.place));
            match repetition(&key, &entry, &node, &table) {
                Some(problem) => problems.push(problem),
                None => table.push((key, entry)),
            }
        }
    }
    Node {
        content: Content::Table(table),
        place: schemes.place.clone(),
    }
}

/// The problem of a scheme that `table` holds already, or of a label that another has.
fn repetition(key: &Key, entry: &Node, node: &Node, table: &[(Key, Node)]) -> Option<Problem> {
    let is_text = node.text().is_some();
    let is_same = |other: &Node| is_text && other.to_toml() == entry.to_toml();
    if table.iter().any(|(_, other)| is_same(other)) {
        let message = format!("{} is listed twice among the schemes", node.to_toml());
        return Some(Problem::new(&node.place, message, "keep one"));
    }
    if table.iter().any(|(known, _)| known.name == key.name) {
        let message = format!("`{}` is listed twice among the schemes", key.name);
        let help = "keep one, or give it a name";
        return Some(Problem::new(&key.place, message, help));
    }
    None
}

/// A scheme of the default list.
fn unwritten(name: &&str) -> Node {
    Node {
        content: Content::Text((*name).to_string()),
        place: Place::default(),
    }
}

/// The name in "red:min=10".
fn named(text: &str) -> &str {
    text.split(':').next().unwrap_or_default().trim()
}

/// The scheme's name, or its whole text where that names several: `names` has those of all texts.
fn label_of(entry: &mut Node, node: &Node, names: &[String]) -> String {
    let given = entry.take("name").or(entry.at(&["scheme"]).cloned());
    let short = given.and_then(|given| given.text()).unwrap_or_default();
    let several = names.iter().filter(|name| **name == short).count() > 1;
    match node.text() {
        Some(text) if several => text,
        _ => short,
    }
}

/// The problem of a text that is a list of schemes, as on the command line.
fn several_in_one(text: &str, place: &Place) -> Option<Problem> {
    let several = split_schemes(text);
    let is_scheme = |one: &String| registry::find(named(one)).is_some();
    if several.len() < 2 || !several.iter().all(is_scheme) {
        return None;
    }
    let quoted: Vec<String> = several.iter().map(|one| format!("\"{one}\"")).collect();
    let message = format!("\"{text}\" is several schemes in one text");
    let help = format!("nearest: schemes = [{}]", quoted.join(", "));
    Some(Problem::new(place, message, help))
}

/// `"red:min=10"` as `{ scheme = "red", min = "10" }`.
fn as_table(node: &Node, problems: &mut Vec<Problem>) -> Option<Node> {
    let text = match &node.content {
        Content::Table(_) => return Some(node.clone()),
        Content::Text(text) => text,
        _ => {
            let message = format!("a scheme is {}", node.kind());
            let help = "allowed: text such as \"red:min=10,max=30\", or a table";
            problems.push(Problem::new(&node.place, message, help));
            return None;
        }
    };
    if let Some(problem) = several_in_one(text, &node.place) {
        problems.push(problem);
        return None;
    }
    let (name, parameters) = text.split_once(':').unwrap_or((text, ""));
    let mut pairs = vec![("scheme", name_of(name.trim()))];
    for piece in parameters
        .split(',')
        .filter(|piece| !piece.trim().is_empty())
    {
        match piece.split_once('=') {
            Some((name, value)) => pairs.push((name.trim(), value.trim())),
            None => {
                let message = format!("\"{}\" in \"{text}\" sets nothing", piece.trim());
                let help = "allowed: name:parameter=value,parameter=value";
                problems.push(Problem::new(&node.place, message, help));
                return None;
            }
        }
    }
    let entry = |(name, value): (&str, &str)| {
        let place = node.place.clone();
        let content = Content::Text(value.to_string());
        let key = Key {
            name: name.to_string(),
            place: place.clone(),
        };
        (key, Node { content, place })
    };
    Some(Node {
        content: Content::Table(pairs.into_iter().map(entry).collect()),
        place: node.place.clone(),
    })
}

/// The built-in scheme's own name: "fq-codel" for "fq_codel". Other names are left as they are.
fn name_of(name: &str) -> &str {
    registry::find(name).map_or(name, |scheme| scheme.name)
}

/// Reads the schemes of a normalised table, with the parameters that all of them share and
/// the buffer's limit.
pub(super) fn read(
    schemes: &Node,
    shared: Option<&Node>,
    buffer: Option<&Buffer>,
    registry: &Registry,
    problems: &mut Vec<Problem>,
) -> Vec<Scheme> {
    let Content::Table(entries) = &schemes.content else {
        return Vec::new();
    };
    let parameters = shared.map(|shared| parameters_of(shared, problems));
    let parameters = parameters.unwrap_or_default().into_iter();
    let mut shared: Vec<Shared> = parameters.map(Shared::parameter).collect();
    let of_parameters = shared.len();
    shared.extend(buffer.map(Shared::limit));
    let mut used = vec![false; shared.len()];
    let mut list = Vec::new();
    for (key, node) in entries {
        if let Some(mut scheme) = read_scheme(key, node, registry, problems) {
            let by_this = scheme.complete(&shared, problems).into_iter();
            used.iter_mut()
                .zip(by_this)
                .for_each(|(used, by)| *used |= by);
            list.push(scheme);
        }
    }
    for (Shared { name, place, .. }, used) in shared[..of_parameters].iter().zip(used) {
        if !used && !list.is_empty() {
            let message = format!("no compared scheme has a parameter `{name}` to set");
            let help = "`earlydrop schemes NAME` lists a scheme's parameters";
            problems.push(Problem::new(place, message, help));
        }
    }
    list
}

/// The parameters that all schemes share, that some scheme of `registry` has, and that have no
/// effect on the compared ones.
pub(crate) fn unused_parameters(tree: &Node, registry: &Registry) -> Vec<String> {
    let mut problems = Vec::new();
    let (Some(schemes), Some(shared)) = (tree.at(&["schemes"]), tree.at(&["parameters"])) else {
        return Vec::new();
    };
    let compared = read(schemes, None, None, registry, &mut problems);
    let parameters = parameters_of(shared, &mut problems).into_iter();
    let shared: Vec<Shared> = parameters.map(Shared::parameter).collect();
    let mut used = vec![false; shared.len()];
    for scheme in &compared {
        let by_this = shared::complete(&scheme.written, &shared).used;
        used.iter_mut()
            .zip(by_this)
            .for_each(|(used, by)| *used |= by);
    }
    let unused = shared.into_iter().zip(used).filter(|(shared, used)| {
        let own = shared.name.strip_prefix("inner.").unwrap_or(&shared.name);
        let mut known = registry.iter();
        !used && known.any(|scheme| scheme.parameter(own).is_some())
    });
    unused.map(|(shared, _)| shared.name).collect()
}

/// The name, value and place of each parameter in a table.
fn parameters_of(table: &Node, problems: &mut Vec<Problem>) -> Vec<(String, String, Place)> {
    let Content::Table(entries) = &table.content else {
        let message = format!("`parameters` is {}, not a table", table.kind());
        problems.push(Problem::new(&table.place, message, ""));
        return Vec::new();
    };
    let mut list = Vec::new();
    for (key, node) in entries {
        match (&node.content, node.text()) {
            // Of a nested scheme: `inner.min = 5` is a table in TOML.
            (Content::Table(_), _) if key.name == "inner" => {
                let inner = parameters_of(node, problems).into_iter();
                list.extend(
                    inner
                        .map(|(name, value, place)| (format!("{}.{name}", key.name), value, place)),
                );
            }
            (_, Some(value)) => list.push((key.name.clone(), value, node.place.clone())),
            _ => {
                let message = format!("`{}` is {}", key.name, node.kind());
                problems.push(Problem::new(
                    &node.place,
                    message,
                    "allowed: a single value",
                ));
            }
        }
    }
    list
}

fn read_scheme(
    key: &Key,
    node: &Node,
    registry: &Registry,
    problems: &mut Vec<Problem>,
) -> Option<Scheme> {
    let mut node = as_table(node, problems)?;
    let changes = node.take("changes");
    let parameters = parameters_of(&node, problems);
    let named = parameters.iter().find(|(name, ..)| name == "scheme");
    let (name, place) = match named {
        Some((_, name, place)) => (name.as_str(), place),
        None => (key.name.as_str(), &key.place),
    };
    let mut spec = match registry.spec(name) {
        Ok(spec) => spec,
        Err(error) => {
            problems.push(from_config(&error, place));
            return None;
        }
    };
    let mut places = Vec::new();
    for (name, value, place) in &parameters {
        if name == "scheme" {
            continue;
        }
        match spec.clone().with(name, value) {
            Ok(with) => {
                spec = with;
                places.push((name.clone(), place.clone()));
            }
            Err(error) => problems.push(from_config(&error, place)),
        }
    }
    let changes = changes.map(|list| read_changes(&list, &spec, problems));
    Some(Scheme {
        label: key.name.clone(),
        written: spec.clone(),
        spec,
        place: node.place.clone(),
        places,
        limit_is_buffer: false,
        beside_preset: Vec::new(),
        changes: changes.unwrap_or_default(),
    })
}

/// Reads `changes` of a scheme: tables with a time `at` and parameters.
fn read_changes(list: &Node, spec: &Spec, problems: &mut Vec<Problem>) -> Vec<SchemeChange> {
    const ALLOWED: &str = "allowed: a list of tables such as { at = \"10 s\", max_p = 0.2 }";
    let Content::List(items) = &list.content else {
        let message = format!("`changes` is {}", list.kind());
        problems.push(Problem::new(&list.place, message, ALLOWED));
        return Vec::new();
    };
    let mut changes = Vec::new();
    for item in items {
        let mut table = item.clone();
        let at = table.take("at");
        let time = at.as_ref().and_then(|at| at.text()?.parse::<Nanos>().ok());
        let settings = match &table.content {
            Content::Table(_) => parameters_of(&table, problems),
            _ => Vec::new(),
        };
        match time {
            Some(at) if !settings.is_empty() => changes.push(SchemeChange {
                at,
                settings,
                spec: spec.clone(),
                place: item.place.clone(),
            }),
            Some(_) => {
                let message = "a change of a scheme without parameters";
                problems.push(Problem::new(&item.place, message, ALLOWED));
            }
            None => {
                let place = at.as_ref().map_or(&item.place, |at| &at.place);
                let message = "a change of a scheme needs a time `at`";
                problems.push(Problem::new(place, message, ALLOWED));
            }
        }
    }
    changes.sort_by_key(|change| change.at);
    changes
}

impl Scheme {
    /// Completes it, and each of its changes, by what the scenario sets for all schemes; returns
    /// for each of these whether the scheme has it.
    fn complete(&mut self, shared: &[Shared], problems: &mut Vec<Problem>) -> Vec<bool> {
        let mut own = self.written.clone();
        let completed = shared::complete(&own, shared);
        self.written = completed.spec;
        self.places.extend(completed.places);
        self.limit_is_buffer = completed.limit_is_buffer;
        self.beside_preset = completed.beside_preset;
        for change in &mut self.changes {
            match change.apply(&own) {
                Ok(changed) => own = changed,
                Err(problem) => problems.push(problem),
            }
            change.spec = shared::complete(&own, shared).spec;
        }
        completed.used
    }

    /// Resolves what depends on the path, at the first link that it stands at.
    pub(super) fn resolve(&mut self, path: &Path, link: Option<&LinkFacts>) {
        self.spec = match link {
            Some(link) => path.resolve(&self.written, link),
            None => self.written.clone(),
        };
    }

    /// Checks it as the queue of a link; with `by_class`, of one whose classes are paused.
    pub(super) fn check(
        &self,
        path: &Path,
        link: &LinkFacts,
        by_class: bool,
        problems: &mut Vec<Problem>,
    ) {
        let plan = path.resolve(&self.written, link).plan(link);
        if by_class && plan.as_ref().is_ok_and(|plan| !plan.can_pause_classes()) {
            let name = self.written.descriptor().name;
            let message = format!(
                "`pause_classes` needs a queue for each of 8 classes, served in turn, which {name} \
                 here does not have"
            );
            let help = match &plan {
                Ok(Plan::Single { .. }) => format!(
                    "nearest: \"drr:by=class,queues=8,inner={name}\", with {name}'s parameters as \
                     inner.*"
                ),
                _ => "nearest: \"drr:by=class,queues=8\"".to_string(),
            };
            problems.push(Problem::new(&self.place, message, help));
        }
        if let Err(error) = plan {
            let place = error.parameter().and_then(|name| {
                let mut places = self.places.iter();
                places
                    .find(|(known, _)| known == name)
                    .map(|(_, place)| place)
            });
            // A default threshold may lie above a limit that was written.
            let limit = || self.places.iter().find(|(known, _)| known == "limit");
            let place = place.or_else(|| limit().map(|(_, place)| place));
            let mut problem = from_config(&error, place.unwrap_or(&self.place));
            // What is to be changed is named as whoever reads the scenario finds it there.
            if let Some((before, length)) = problem.help.split_once("nearest: limit = ")
                && self.limit_is_buffer
                && !length.contains(',')
            {
                problem.help = format!("{before}nearest: network.buffer = \"{length}\"");
            }
            problems.push(problem);
        }
    }
}

/// A problem with the registry's message and its suggestion.
pub(super) fn from_config(error: &ConfigError, place: &Place) -> Problem {
    let text = error.to_string();
    let (message, help) = match error {
        // The value and what is allowed may have semicolons themselves.
        ConfigError::Invalid { .. } => match text.rfind("; nearest: ") {
            Some(at) => (&text[..at], &text[at + 2..]),
            None => (text.as_str(), ""),
        },
        _ => text.split_once("; ").unwrap_or((&text, "")),
    };
    Problem::new(place, message, help)
}
