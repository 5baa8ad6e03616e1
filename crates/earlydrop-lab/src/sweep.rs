//! What is varied: seeds, and fields over lists or ranges of values.

use earlydrop::units::{BitsPerSec, Bytes, Dimension, Nanos, Quantity};

use crate::document::{Content, Node, Problem};

/// A field with the values it takes.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The field: "network.rtt".
    pub field: String,
    /// Its values, at least one.
    pub values: Vec<Node>,
}

impl Axis {
    /// Its values as written.
    pub fn texts(&self) -> Vec<String> {
        let text = |node: &Node| node.text().unwrap_or_else(|| node.to_toml());
        self.values.iter().map(text).collect()
    }

    /// Its values in base units, where all are numbers of one dimension, and which.
    pub fn numbers(&self) -> Option<(Vec<f64>, Option<Dimension>)> {
        let quantities: Result<Vec<Quantity>, _> =
            self.texts().iter().map(|text| text.parse()).collect();
        let quantities = quantities.ok()?;
        let dimension = quantities.first()?.dimension;
        let alike = quantities.iter().all(|q| q.dimension == dimension);
        alike.then(|| (quantities.iter().map(|q| q.amount).collect(), dimension))
    }
}

/// So many seeds where a file says nothing.
const SEEDS: u64 = 5;
/// More seeds than this are a slip of the pen.
const MOST_SEEDS: u64 = 100_000;
/// More values than this on an axis, too.
const MOST_VALUES: usize = 100_000;

/// The seeds: a number of them, from 1 on, or a list.
pub(crate) fn seeds(node: Option<&Node>, problems: &mut Vec<Problem>) -> Vec<u64> {
    let Some(node) = node else {
        return (1..=SEEDS).collect();
    };
    let number = |node: &Node| node.text().and_then(|text| text.parse::<u64>().ok());
    // SQLite's numbers are signed.
    let fits = |seed: &u64| *seed <= i64::MAX as u64;
    let read: Option<Vec<u64>> = match &node.content {
        Content::List(items) => items.iter().map(|item| number(item).filter(fits)).collect(),
        _ => number(node)
            .filter(|count| *count <= MOST_SEEDS)
            .map(|count| (1..=count).collect()),
    };
    match read {
        Some(seeds) if is_set(&seeds) => seeds,
        _ => {
            let message = format!("`seeds` = {} will not do", node.to_toml());
            let help = format!(
                "allowed: how many, from 1 to {MOST_SEEDS}, or a list of different whole numbers"
            );
            problems.push(Problem::new(&node.place, message, help));
            vec![1]
        }
    }
}

/// Not empty, and none twice.
fn is_set(seeds: &[u64]) -> bool {
    let mut sorted = seeds.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    !seeds.is_empty() && sorted.len() == seeds.len()
}

/// The axes of a sweep, in the order they are written.
pub(crate) fn axes(sweep: Option<&Node>, problems: &mut Vec<Problem>) -> Vec<Axis> {
    let mut axes = Vec::new();
    if let Some(sweep) = sweep {
        collect(sweep, "", &mut axes, problems);
    }
    axes
}

/// Leaves the field of this path out of a sweep, however it was written.
pub(crate) fn leave_out(sweep: &mut Node, path: &str) {
    sweep.take(path);
    for (at, _) in path.match_indices('.') {
        if let Some(inner) = sweep.entry(&path[..at]) {
            leave_out(inner, &path[at + 1..]);
        }
    }
}

/// Fields whose values are not swept: they are the comparison itself.
const NOT_SWEPT: &[&str] = &["seeds", "schemes", "sweep", "title", "about"];

fn collect(node: &Node, path: &str, axes: &mut Vec<Axis>, problems: &mut Vec<Problem>) {
    if NOT_SWEPT.contains(&path) {
        let message = format!("`{path}` cannot be swept");
        let help = "allowed: any other field by its path, such as \"network.rtt\"";
        problems.push(Problem::new(&node.place, message, help));
        return;
    }
    let values = match &node.content {
        Content::List(items) if items.len() > MOST_VALUES => Err((
            format!("`{path}` has {} values", items.len()),
            format!("at most {MOST_VALUES}"),
        )),
        Content::List(items) => Ok(items.clone()),
        Content::Table(entries) if !node.at(&["from"]).is_some_and(is_value) => {
            for (key, node) in entries {
                let dot = if path.is_empty() { "" } else { "." };
                collect(node, &format!("{path}{dot}{}", key.name), axes, problems);
            }
            return;
        }
        Content::Table(_) => range(node, path),
        _ => Err((
            format!("`{path}` = {} is a single value", node.to_toml()),
            "allowed: a list of values, or { from, to, step }, or { from, to, points }".to_string(),
        )),
    };
    match values {
        Ok(values) if !values.is_empty() => axes.push(Axis {
            field: path.to_string(),
            values,
        }),
        Ok(_) => {
            let message = format!("`{path}` has no values to take");
            problems.push(Problem::new(
                &node.place,
                message,
                "allowed: one value at least",
            ));
        }
        Err((message, help)) => problems.push(Problem::new(&node.place, message, help)),
    }
}

fn is_value(node: &Node) -> bool {
    node.text().is_some()
}

/// What is wrong, and what is allowed.
type Wrong = (String, String);

/// { from, to, step }, or { from, to, points, scale = "log" }.
fn range(node: &Node, path: &str) -> Result<Vec<Node>, Wrong> {
    let wrong = |what: &str, help: &str| (format!("`{path}`: {what}"), help.to_string());
    let Content::Table(entries) = &node.content else {
        return Err(wrong("no range", ""));
    };
    let known = ["from", "to", "step", "points", "scale"];
    if let Some((key, _)) = entries
        .iter()
        .find(|(key, _)| !known.contains(&key.name.as_str()))
    {
        let what = format!("a range has no `{}`", key.name);
        return Err(wrong(&what, "known: from, to, step, points, scale"));
    }
    let quantity = |name: &str| -> Result<Quantity, Wrong> {
        let text = node.at(&[name]).and_then(Node::text);
        let text = text.ok_or_else(|| wrong(&format!("a range without `{name}`"), ""))?;
        let read = text.parse::<Quantity>();
        read.map_err(|error| wrong(&format!("{name} = \"{text}\" {error}"), ""))
    };
    let (from, to) = (quantity("from")?, quantity("to")?);
    if from.dimension != to.dimension {
        let help = "give both the same unit";
        return Err(wrong("`from` and `to` are of different kinds", help));
    }
    let amounts = match node.at(&["step"]) {
        Some(_) => steps(from.amount, to.amount, quantity("step")?.amount),
        None => {
            let log = node.at(&["scale"]).and_then(Node::text).as_deref() == Some("log");
            points(from.amount, to.amount, quantity("points")?.amount, log)
        }
    };
    let amounts = amounts.map_err(|what| wrong(&what, "allowed: at most 100000 values"))?;
    let value = |amount| Node {
        content: written(amount, from.dimension),
        place: node.place.clone(),
    };
    Ok(amounts.into_iter().map(value).collect())
}

fn steps(from: f64, to: f64, step: f64) -> Result<Vec<f64>, String> {
    let count = (to - from) / step;
    if step == 0.0 || !(0.0..MOST_VALUES as f64).contains(&count) {
        return Err(format!("steps of {step} do not lead from {from} to {to}"));
    }
    // A step may not divide the span exactly in binary: a billionth of one is forgiven.
    let count = (count + 1e-9).floor() as usize;
    Ok((0..=count)
        .map(|index| from + step * index as f64)
        .collect())
}

fn points(from: f64, to: f64, count: f64, log: bool) -> Result<Vec<f64>, String> {
    if !(2.0..=MOST_VALUES as f64).contains(&count) {
        return Err(format!("{count} points from {from} to {to}"));
    }
    if log && (from <= 0.0 || to <= 0.0) {
        return Err("a logarithmic scale needs values above zero".to_string());
    }
    let last = count.floor() - 1.0;
    let share = |index: usize| index as f64 / last;
    let at = |index: usize| match log {
        true => from * (to / from).powf(share(index)),
        false => from + (to - from) * share(index),
    };
    Ok((0..=last as usize).map(at).collect())
}

/// An amount with its unit, as one would write it.
fn written(amount: f64, dimension: Option<Dimension>) -> Content {
    let rounded = (amount * 1e9).round() / 1e9;
    let text = match dimension {
        Some(Dimension::Time) => Nanos::from_secs_f64(amount).to_string(),
        Some(Dimension::Data) => Bytes(amount.round() as u64).to_string(),
        Some(Dimension::Rate) => BitsPerSec(amount.round() as u64).to_string(),
        Some(Dimension::Packets) => format!("{rounded} packets"),
        Some(Dimension::Plain) | None => return Content::Number(rounded.to_string()),
    };
    Content::Text(text)
}

/// Every combination of the axes' values; one, of nothing, without axes. The last axis
/// changes fastest.
pub(crate) fn grid(axes: &[Axis]) -> Vec<Vec<usize>> {
    let mut points = vec![Vec::new()];
    for axis in axes {
        points = points
            .into_iter()
            .flat_map(|point: Vec<usize>| {
                (0..axis.values.len()).map(move |index| {
                    let mut point = point.clone();
                    point.push(index);
                    point
                })
            })
            .collect();
    }
    points
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
        let found: Vec<(&str, Vec<String>)> = axes
            .iter()
            .map(|axis| (axis.field.as_str(), axis.texts()))
            .collect();
        let texts = |list: &[&str]| list.iter().map(|t| (*t).to_string()).collect::<Vec<_>>();
        assert_eq!(
            found,
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
        assert_eq!(grid(&axes).len(), 2 * 4 * 3);
    }

    #[test]
    fn a_field_is_left_out_however_it_was_written() {
        for text in [
            "\"network.rtt\" = [\"1 s\"]\nseen.x = [1]",
            "network.rtt = [\"1 s\"]\nseen.x = [1]",
            "network.\"rtt\" = [\"1 s\"]\n\"seen.x\" = [1]",
        ] {
            let mut sweep = Node::parse(text).unwrap();
            leave_out(&mut sweep, "network.rtt");
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
            "seeds = [1, 2]",
        ] {
            assert_eq!(read(text).1.len(), 1, "{text}");
        }
    }
}
