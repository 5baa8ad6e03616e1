//! Seeds, and sweeps of fields over lists or ranges of values.

mod range;

use std::collections::{HashMap, HashSet};

use earlydrop::units::{Dimension, Quantity};

use crate::document::{Content, Node, Problem, Relative, control_characters, suggestion, too_long};
use range::{RANGES, is_range, range};

/// A swept field with its values.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The field: "network.rtt".
    pub field: String,
    /// Its name in tables and figures: "round trip"; `None` for that of the field.
    pub title: Option<String>,
    /// Its values, at least one.
    pub values: Vec<Node>,
}

impl Axis {
    /// A field with its values, under its own name.
    pub fn new(field: &str, values: Vec<Node>) -> Axis {
        Axis {
            field: field.to_string(),
            title: None,
            values,
        }
    }

    /// Its name in tables and figures.
    pub fn name(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.field)
    }

    /// Its values as written.
    pub fn texts(&self) -> Vec<String> {
        (0..self.values.len())
            .map(|index| self.text(index))
            .collect()
    }

    /// The value of this index as written.
    pub fn text(&self, index: usize) -> String {
        let value = &self.values[index];
        value.text().unwrap_or_else(|| value.to_toml())
    }

    /// The index of a value, in whichever unit it is written: "50 ms" is "0.05 s".
    pub fn position(&self, value: &str) -> Option<usize> {
        position(self.texts().iter().map(String::as_str), value)
    }

    /// Its values in base units and their dimension, if all are numbers of one dimension.
    pub fn numbers(&self) -> Option<(Vec<f64>, Option<Dimension>)> {
        let quantities: Result<Vec<Quantity>, _> =
            self.texts().iter().map(|text| text.parse()).collect();
        let quantities = quantities.ok()?;
        let dimension = quantities.first()?.dimension;
        let alike = quantities.iter().all(|q| q.dimension == dimension);
        alike.then(|| (quantities.iter().map(|q| q.amount).collect(), dimension))
    }
}

/// The index of the one among `values` that is `value`, in whichever unit both are written.
pub fn position<'a>(mut values: impl Iterator<Item = &'a str>, value: &str) -> Option<usize> {
    let wanted = text_meaning(value);
    values.position(|one| text_meaning(one) == wanted)
}

/// The number of seeds of a scenario that does not give one.
const SEEDS: u64 = 5;
/// More seeds than this are taken for a typing error.
pub(crate) const MAX_SEEDS: u64 = 100_000;
/// More values of a field than this are, too.
const MAX_VALUES: usize = 100_000;

/// Reads `seeds`: a number n for 1 to n, or a list.
pub(crate) fn seeds(node: Option<&Node>, problems: &mut Vec<Problem>) -> Vec<u64> {
    let Some(node) = node else {
        return (1..=SEEDS).collect();
    };
    let number = |node: &Node| node.text().and_then(|text| text.parse::<u64>().ok());
    let fits = |seed: &u64| *seed <= MAX_SEED;
    let read: Option<Vec<u64>> = match &node.content {
        Content::List(items) => items.iter().map(|item| number(item).filter(fits)).collect(),
        _ => number(node)
            .filter(|count| *count <= MAX_SEEDS)
            .map(|count| (1..=count).collect()),
    };
    match read {
        Some(seeds) if is_set(&seeds) => seeds,
        _ => {
            let message = format!("`seeds` = {} is not a valid value", node.to_toml());
            let help = format!(
                "allowed: a number from 1 to {MAX_SEEDS}, or a list of different whole numbers"
            );
            problems.push(Problem::new(&node.place, message, help));
            vec![1]
        }
    }
}

/// The largest seed: SQLite's integers are signed.
pub(crate) const MAX_SEED: u64 = i64::MAX as u64;

/// Adds seeds until there are `count`: the successors of the largest.
pub(crate) fn continue_seeds(seeds: &mut Vec<u64>, count: usize) {
    let known: HashSet<u64> = seeds.iter().copied().collect();
    let largest = seeds.iter().copied().max().unwrap_or(0);
    let new = (largest..=MAX_SEED).skip(1).chain(1..largest);
    let new = new.filter(|seed| !known.contains(seed));
    seeds.extend(new.take(count.saturating_sub(known.len())));
}

/// Whether `seeds` are some, and all different.
fn is_set(seeds: &[u64]) -> bool {
    let mut sorted = seeds.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    !seeds.is_empty() && sorted.len() == seeds.len()
}

/// The axes of a sweep, in the order of the file.
pub(crate) fn axes(sweep: Option<&Node>, problems: &mut Vec<Problem>) -> Vec<Axis> {
    let mut axes = Vec::new();
    if let Some(sweep) = sweep {
        let mut values = sweep.clone();
        let titles = values.take(TITLES);
        collect(&values, "", &mut axes, problems);
        if let Some(titles) = titles {
            name_axes(&titles, "", &mut axes, problems);
        }
    }
    axes
}

/// The table of a sweep with names of its fields: `[sweep.titles]`.
pub(crate) const TITLES: &str = "titles";

/// Gives axes the names in a table, by the paths of their fields.
fn name_axes(titles: &Node, path: &str, axes: &mut [Axis], problems: &mut Vec<Problem>) {
    let wrong = |message: String, help: String| Problem::new(&titles.place, message, help);
    if let Content::Table(entries) = &titles.content {
        for (key, node) in entries {
            let dot = if path.is_empty() { "" } else { "." };
            name_axes(node, &format!("{path}{dot}{}", key.name), axes, problems);
        }
        return;
    }
    let Some(title) = titles.text().filter(|title| !title.trim().is_empty()) else {
        let message = format!("the title of `{path}` = {} is no text", titles.to_toml());
        problems.push(wrong(
            message,
            "allowed: words, as in \"round trip\"".to_string(),
        ));
        return;
    };
    problems.extend(control_characters("the title", &title, &titles.place));
    problems.extend(too_long("the title", &title, &titles.place));
    let fields: Vec<String> = axes.iter().map(|axis| axis.field.clone()).collect();
    match axes.iter_mut().find(|axis| axis.field == path) {
        Some(axis) => axis.title = Some(title),
        None => {
            let known: Vec<&str> = fields.iter().map(String::as_str).collect();
            let message = format!("a title for `{path}`, which is not swept");
            problems.push(wrong(message, suggestion(path, &known, '`')));
        }
    }
}

/// Removes the field of this path from a sweep with its title, in whichever form it was written.
pub(crate) fn remove(sweep: &mut Node, path: &str) {
    if let Some(titles) = sweep.entry(TITLES) {
        remove(titles, path);
    }
    sweep.take(path);
    for (at, _) in path.match_indices('.') {
        if let Some(inner) = sweep.entry(&path[..at]) {
            remove(inner, &path[at + 1..]);
        }
    }
}

/// Fields that cannot be swept: they define the comparison.
pub(crate) const NOT_SWEPT: &[&str] = &["seeds", "schemes", "sweep", "expect", "title", "about"];

fn collect(node: &Node, path: &str, axes: &mut Vec<Axis>, problems: &mut Vec<Problem>) {
    if let Content::Table(entries) = &node.content
        && !is_range(node)
    {
        for (key, node) in entries {
            let dot = if path.is_empty() { "" } else { "." };
            collect(node, &format!("{path}{dot}{}", key.name), axes, problems);
        }
        return;
    }
    let wrong = |message: &str, help: &str| Err((format!("`{path}` {message}"), help.to_string()));
    let values = match &node.content {
        _ if is_not_swept(path) => wrong("cannot be swept", &swept_help(path)),
        _ if axes.iter().any(|axis| axis.field == path) => wrong("is swept twice", "keep one"),
        Content::List(items) if items.is_empty() => {
            wrong("has no values", "allowed: at least one value")
        }
        Content::List(items) if items.len() > MAX_VALUES => {
            wrong("has too many values", &format!("at most {MAX_VALUES}"))
        }
        Content::List(items) => match repeated(items) {
            Some((one, other)) if one == other => {
                wrong(&format!("takes the value {one} twice"), "keep one")
            }
            Some((one, other)) => wrong(
                &format!("takes one value twice: {one} and {other}"),
                "keep one",
            ),
            None => Ok(items.clone()),
        },
        Content::Table(_) => range(node, path),
        _ => wrong(&format!("= {} is a single value", node.to_toml()), RANGES),
    };
    match values {
        Ok(values) => axes.push(Axis::new(path, values)),
        Err((message, help)) => problems.push(Problem::new(&node.place, message, help)),
    }
}

/// Whether a path is one of [`NOT_SWEPT`], or leads into the sweep itself or what is expected.
fn is_not_swept(path: &str) -> bool {
    NOT_SWEPT.contains(&path) || WITHIN.iter().any(|begin| path.starts_with(begin))
}

/// The beginning of a path into the sweep itself.
const WITHIN_SWEEP: &str = "sweep.";

/// The beginnings of paths into the sweep itself and into what is expected.
const WITHIN: [&str; 2] = [WITHIN_SWEEP, "expect."];

/// What can be swept instead of a path.
fn swept_help(path: &str) -> String {
    match path.strip_prefix(WITHIN_SWEEP) {
        Some(field) if !is_not_swept(field) && field != TITLES => {
            format!("a field is named by its own path; nearest: \"{field}\"")
        }
        _ => "allowed: any other field by its path, such as \"network.rtt\"".to_string(),
    }
}

/// A value that is in the list more than once, as it is written each time.
fn repeated(items: &[Node]) -> Option<(String, String)> {
    let mut known: HashMap<String, &Node> = HashMap::new();
    items.iter().find_map(|item| {
        let other = known.insert(meaning(item), item)?;
        Some((other.to_toml(), item.to_toml()))
    })
}

/// A text that is the same for "1 ms" and "0.001 s": an amount in base units.
fn meaning(node: &Node) -> String {
    node.text()
        .map_or_else(|| node.to_toml(), |text| text_meaning(&text))
}

/// [`meaning`], of a value's text.
fn text_meaning(text: &str) -> String {
    if let Ok(relative) = text.parse::<Relative>() {
        return relative.to_string();
    }
    match text.parse::<Quantity>() {
        Ok(quantity) => {
            // A plain number of packets is one of packets, and 1% is 0.01.
            let dimension = quantity
                .dimension
                .filter(|dimension| !matches!(dimension, Dimension::Plain | Dimension::Packets));
            // Conversion leaves an error in the last digits.
            format!("{:.12e} {dimension:?}", quantity.amount)
        }
        Err(_) => match text {
            "on" | "yes" => "true".to_string(),
            "off" | "no" => "false".to_string(),
            _ => text.to_string(),
        },
    }
}

/// The number of points of the sweep; the largest number where they cannot be counted.
pub(crate) fn grid_size(axes: &[Axis]) -> usize {
    let size = |size: usize, axis: &Axis| size.saturating_mul(axis.values.len());
    axes.iter().fold(1, size)
}

/// The points of the sweep: for each axis, the index of its value. The last axis changes fastest.
pub(crate) fn grid(axes: &[Axis]) -> impl Iterator<Item = Vec<usize>> {
    (0..grid_size(axes)).map(move |mut number| {
        let mut point = vec![0; axes.len()];
        for (index, axis) in point.iter_mut().zip(axes).rev() {
            *index = number % axis.values.len();
            number /= axis.values.len();
        }
        point
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<Axis>, Vec<Problem>) {
        let mut problems = Vec::new();
        let axes = axes(Some(&Node::parse(text).unwrap()), &mut problems);
        (axes, problems)
    }

    #[test]
    fn lists_and_ranges_under_dotted_or_quoted_paths() {
        let (axes, problems) = read(
            "\"network.rtt\" = [\"10 ms\", \"50 ms\"]\n\
             flows.bulk.count = { from = 5, to = 20, step = 5 }\n\
             network.rate = { from = \"1 Mbps\", to = \"100 Mbps\", points = 3, scale = \"log\" }",
        );
        assert_eq!(problems, []);
        let read: Vec<(&str, Vec<String>)> = axes
            .iter()
            .map(|axis| (axis.field.as_str(), axis.texts()))
            .collect();
        let texts = |list: &[&str]| list.iter().map(|t| (*t).to_string()).collect::<Vec<_>>();
        assert_eq!(
            read,
            [
                ("network.rtt", texts(&["10 ms", "50 ms"])),
                ("flows.bulk.count", texts(&["5", "10", "15", "20"])),
                ("network.rate", texts(&["1 Mbps", "10 Mbps", "100 Mbps"])),
            ]
        );
        assert_eq!(
            axes[0].numbers(),
            Some((vec![0.01, 0.05], Some(Dimension::Time)))
        );
        let points: Vec<Vec<usize>> = grid(&axes).collect();
        assert_eq!(points.len(), 2 * 4 * 3);
        assert!(points.is_sorted(), "the last axis changes fastest");
        assert_eq!(points[23], [1, 3, 2]);
        for axis in &axes {
            let texts: Vec<String> = (0..axis.values.len()).map(|at| axis.text(at)).collect();
            assert_eq!(texts, axis.texts());
        }
    }

    #[test]
    fn a_field_is_removed_however_it_was_written() {
        for text in [
            "\"network.rtt\" = [\"1 s\"]\nseen.x = [1]",
            "network.rtt = [\"1 s\"]\nseen.x = [1]",
            "network.\"rtt\" = [\"1 s\"]\n\"seen.x\" = [1]",
        ] {
            let mut sweep = Node::parse(text).unwrap();
            remove(&mut sweep, "network.rtt");
            let axes = axes(Some(&sweep), &mut Vec::new());
            let fields: Vec<&str> = axes.iter().map(|axis| axis.field.as_str()).collect();
            assert_eq!(fields, ["seen.x"], "{text}");
        }
    }

    #[test]
    fn a_step_that_is_no_binary_number_still_reaches_the_end() {
        let (axes, _) = read("\"parameters.max_p\" = { from = 0.1, to = 0.5, step = 0.1 }");
        assert_eq!(axes[0].texts(), ["0.1", "0.2", "0.3", "0.4", "0.5"]);
    }

    #[test]
    fn a_range_keeps_small_values_and_has_none_twice() {
        for (range, wanted) in [
            (
                "{ from = 1e-13, to = 1e-11, points = 3, scale = \"log\" }",
                &["0.0000000000001", "0.000000000001", "0.00000000001"][..],
            ),
            (
                "{ from = 1e-10, to = 3e-10, step = 1e-10 }",
                &["0.0000000001", "0.0000000002", "0.0000000003"],
            ),
            (
                "{ from = -0.3, to = 0.3, step = 0.1 }",
                &["-0.3", "-0.2", "-0.1", "0", "0.1", "0.2", "0.3"],
            ),
            (
                "{ from = \"1 bps\", to = \"3 bps\", points = 5 }",
                &["1 bps", "2 bps", "3 bps"],
            ),
            (
                "{ from = \"1 ns\", to = \"2 ns\", step = \"0.25 ns\" }",
                &["1 ns", "2 ns"],
            ),
            ("{ from = 1, to = 2, points = 9 }", &["1", "2"]),
        ] {
            let (axes, problems) = read(&format!("a = {range}"));
            assert_eq!(problems, [], "{range}");
            assert_eq!(axes[0].texts(), wanted, "{range}");
        }
    }

    #[test]
    fn a_range_of_too_many_steps_says_how_many() {
        let (_, problems) = read("a = { from = 0, to = 1000000, step = 1 }");
        let message = problems.first().map(|problem| problem.message.as_str());
        assert_eq!(
            message,
            Some("`a`: too many values: 1000000; at most 100000")
        );
    }

    #[test]
    fn an_axis_has_a_name_of_the_files() {
        for titles in [
            "[titles]\n\"network.rtt\" = \"round trip\"",
            "[titles.network]\nrtt = \"round trip\"",
        ] {
            let (axes, problems) = read(&format!(
                "\"network.rtt\" = [\"1 s\"]\nseen.x = [1]\n{titles}"
            ));
            assert_eq!(problems, []);
            let names: Vec<&str> = axes.iter().map(Axis::name).collect();
            assert_eq!(names, ["round trip", "seen.x"]);
        }
        let (_, problems) = read("\"network.rtt\" = [\"1 s\"]\ntitles.\"network.rt\" = \"x\"");
        assert_eq!(problems.len(), 1);
        assert!(
            problems[0].help.contains("did you mean `network.rtt`?"),
            "{problems:?}"
        );
        let long = "x".repeat(201);
        let (_, problems) = read(&format!("a.b = [1]\ntitles.\"a.b\" = \"{long}\""));
        assert_eq!(problems.len(), 1, "{problems:?}");
        // A field that is no longer swept has no name.
        let mut sweep = Node::parse("a.b = [1]\ntitles.\"a.b\" = \"x\"").unwrap();
        remove(&mut sweep, "a.b");
        let mut problems = Vec::new();
        assert!(axes(Some(&sweep), &mut problems).is_empty());
        assert_eq!(problems, []);
    }

    #[test]
    fn one_value_written_twice_is_refused() {
        for (list, twice) in [
            ("[\"1 ms\", \"0.001 s\"]", true),
            ("[\"1 Mbps\", \"2 Mbps\", \"1000 kbps\"]", true),
            ("[0.01, \"1%\"]", true),
            ("[10, \"10 packets\"]", true),
            ("[\"0.3 s\", \"300 ms\"]", true),
            ("[\"1 BDP\", \"1.0 bdp\"]", true),
            ("[\"on\", true]", true),
            ("[\"1 BDP\", \"1 RTT\", \"1 s\"]", false),
            ("[\"1 s\", \"1 kB\"]", false),
            ("[\"reno\", \"cubic\"]", false),
        ] {
            let (_, problems) = read(&format!("a = {list}"));
            assert_eq!(problems.len(), usize::from(twice), "{list}: {problems:?}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "a = 5",
            "a = []",
            "a = { from = 1, to = 5, step = 0 }",
            "a = { from = 5, to = 1, step = 1 }",
            "a = { from = 1, to = 1e9, step = 1e-3 }",
            "a = { from = \"1 s\", to = \"1 Mbps\", points = 3 }",
            "a = { from = 0, to = 5, points = 3, scale = \"log\" }",
            "a = { from = 1, to = 5, pionts = 3 }",
            "a = { from = 1, to = 5 }",
            "a = { to = 5, points = 3 }",
            "a = { from = 1, to = 5, step = 1, points = 3 }",
            "a = { from = 1, to = 5, points = 2.9 }",
            "a = { from = 1, to = 5, points = 3, scale = \"lgo\" }",
            "a = { from = \"1 s\", to = \"5 s\", step = 1 }",
            "a = { from = \"1 s\", to = \"5 s\", step = \"1 kB\" }",
            "a = [1, 2, 1]",
            "\"a.b\" = [1]\na.b = [2]",
            "schemes = [\"red\"]",
            "seeds = [1, 2]",
            "\"sweep.foo\" = [1, 2]",
            "\"sweep.titles\" = [1, 2]",
            "\"sweep.seeds\" = [1, 2]",
        ] {
            assert_eq!(read(text).1.len(), 1, "{text}");
        }
    }

    #[test]
    fn a_path_into_the_sweep_is_refused_with_the_path_of_the_field() {
        for text in [
            "\"sweep.network.rtt\" = [\"1 ms\", \"2 ms\"]",
            "sweep.network.rtt = [\"1 ms\", \"2 ms\"]",
            "[sweep]\n\"network.rtt\" = [\"1 ms\", \"2 ms\"]",
        ] {
            let (axes, problems) = read(text);
            assert!(axes.is_empty(), "{text}");
            let help = problems.first().map(|problem| problem.help.as_str());
            let nearest = |help: &str| help.ends_with("nearest: \"network.rtt\"");
            assert!(help.is_some_and(nearest), "{text}: {problems:?}");
        }
    }

    #[test]
    fn seeds_continue_after_the_largest() {
        let continued = |mut seeds: Vec<u64>, count| {
            continue_seeds(&mut seeds, count);
            seeds
        };
        assert_eq!(continued(vec![1, 2], 4), [1, 2, 3, 4]);
        assert_eq!(continued(vec![103, 101], 4), [103, 101, 104, 105]);
        assert_eq!(continued(vec![MAX_SEED, 1], 4), [MAX_SEED, 1, 2, 3]);
        assert_eq!(continued(vec![7, 8, 9], 2), [7, 8, 9]);
    }
}
