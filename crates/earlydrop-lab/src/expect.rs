//! Expectations of a scenario, `[[expect]]`: what its runs are to show. [`judge`](crate::judge)
//! says whether they do.

use std::collections::HashSet;

use earlydrop::units::Quantity;

use crate::document::{Content, Entries, Node, Problem, suggestion};
use crate::metrics::{self, Metric, Number};
use crate::scenario::Scenario;
use crate::scenario::fields::EXPECT;
use crate::sweep::Axis;

/// What a scenario's runs are to show.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// It in a sentence, or the question.
    pub says: String,
    /// Whether it is a question, which each scheme by itself is answered.
    pub asks: bool,
    /// The number that is compared.
    pub number: Number,
    /// The labels of the schemes that it is about; none: all.
    pub schemes: Vec<String>,
    /// How their number compares.
    pub relation: Relation,
    /// With what.
    pub than: Than,
    /// The factor of what they are compared with.
    pub times: f64,
    /// The share by which equal numbers may differ.
    pub within: f64,
    /// For each axis of the sweep, the indices of its values that it is about.
    pub at: Vec<Vec<usize>>,
    /// Why it says nothing of these runs: a scheme or a point that it names is not among them.
    pub missing: Option<String>,
}

/// How numbers compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// They are smaller.
    Less,
    /// They are larger.
    More,
    /// They are the same.
    Equal,
}

/// With what numbers are compared.
#[derive(Clone, Debug, PartialEq)]
pub enum Than {
    /// The same number of all other schemes.
    Others,
    /// That of these schemes, by their labels.
    Schemes(Vec<String>),
    /// A value in base units, as it is written.
    Value(f64, String),
}

/// Reads the expectations of a scenario that is swept over these axes. The command line may have
/// put other schemes and values in place of the file's, so that those named need not be there.
pub(crate) fn read(
    list: Option<&Node>,
    scenario: &Scenario,
    axes: &[Axis],
    problems: &mut Vec<Problem>,
) -> Vec<Expectation> {
    let Some(list) = list else {
        return Vec::new();
    };
    let Content::List(tables) = &list.content else {
        let message = format!("`expect` is a {}", list.kind());
        let help = "allowed: a list of tables, each under [[expect]]";
        problems.push(Problem::new(&list.place, message, help));
        return Vec::new();
    };
    let mut all = Vec::new();
    for table in tables {
        let before = problems.len();
        let entries = Entries::read(table, &EXPECT, problems);
        if problems.len() == before {
            let entries = &entries;
            match (Reader { entries, scenario }).expectation(axes) {
                Ok(expectation) => all.push(expectation),
                Err(problem) => problems.push(problem),
            }
        }
    }
    all
}

/// A table of `[[expect]]` with what its names refer to.
struct Reader<'a> {
    entries: &'a Entries,
    scenario: &'a Scenario,
}

impl Reader<'_> {
    fn expectation(&self, axes: &[Axis]) -> Result<Expectation, Problem> {
        let entries = self.entries;
        let number = self.number()?;
        let than = self.than(number.metric())?;
        let schemes = match entries.open("of") {
            Some(list) => some_texts("of", list, "leave it out: it is about all schemes")?,
            None => Vec::new(),
        };
        let (at, no_point) = match points(entries.open("at"), axes) {
            Ok(at) => (at, None),
            Err(missing) => (Vec::new(), Some(missing)),
        };
        let named = match &than {
            Than::Schemes(others) => schemes.iter().chain(others),
            Than::Others | Than::Value(..) => schemes.iter().chain(&[]),
        };
        let no_scheme = named.cloned().find_map(|label| self.no_scheme(&label));
        let no_other = match than {
            Than::Others => self.no_other(&schemes),
            Than::Schemes(_) | Than::Value(..) => None,
        };
        let (says, asks) = (entries.text("says"), entries.text("asks"));
        if says.is_empty() == asks.is_empty() {
            let message = "an expectation with both or neither of `says` and `asks`";
            let help = "allowed: a sentence about all schemes, or a question that each is answered";
            return Err(Problem::new(entries.place(), message, help));
        }
        self.check_sides(&schemes, &than)?;
        Ok(Expectation {
            asks: says.is_empty(),
            says: if says.is_empty() { asks } else { says },
            missing: no_scheme.or(no_other).or(no_point),
            schemes,
            at,
            relation: match entries.choice("is") {
                "more" => Relation::More,
                "equal" => Relation::Equal,
                _ => Relation::Less,
            },
            than,
            number,
            times: entries.number("times"),
            within: entries.number("within"),
        })
    }

    fn number(&self) -> Result<Number, Problem> {
        let entries = self.entries;
        let (group, beside) = (entries.text("group"), entries.text("beside"));
        let groups = self.scenario.groups.iter();
        let known: Vec<&str> = groups.map(|group| &*group.name).collect();
        let problem = |field, (message, help): (String, String)| {
            Problem::new(entries.place_of(field), message, help)
        };
        for (field, name) in [("group", &group), ("beside", &beside)] {
            if !name.is_empty() {
                metrics::check_group(name, &known).map_err(|unknown| problem(field, unknown))?;
            }
        }
        let name = entries.text("metric");
        if !beside.is_empty() {
            return match (group.as_str(), name.as_str()) {
                ("", _) => {
                    let help = "allowed: with `group`, whose flows are compared with those beside";
                    let message = "`beside` without `group`";
                    Err(Problem::new(entries.place_of("beside"), message, help))
                }
                (_, "" | "goodput") => Ok(Number::Ratio(group, beside)),
                _ => {
                    let message = format!("`beside` with `metric` = \"{name}\"");
                    let help = "allowed: \"goodput\", or no metric";
                    Err(Problem::new(entries.place_of("metric"), message, help))
                }
            };
        }
        Number::named(&group, &name).map_err(|unknown| problem("metric", unknown))
    }

    fn than(&self, metric: Option<&Metric>) -> Result<Than, Problem> {
        let Some(node) = self.entries.open("than") else {
            return Ok(Than::Others);
        };
        if let Content::List(_) = node.content {
            let help = "leave it out: they are compared with all schemes that are not in `of`";
            return some_texts("than", node, help).map(Than::Schemes);
        }
        let text = node.text().unwrap_or_else(|| node.to_toml());
        if self.no_scheme(&text).is_none() {
            return Ok(Than::Schemes(vec![text]));
        }
        let unit = metric.map_or("", Metric::base_unit);
        let value = text.parse::<Quantity>().ok().and_then(|quantity| {
            let given = crate::document::base_unit(quantity.dimension);
            // "1%" is a plain number, and so is a share.
            let is_plain = given.is_empty() && matches!(unit, "" | "share" | "packets" | "/s");
            (is_plain || given == unit).then_some(quantity.amount)
        });
        let allowed = match unit {
            "" => "a number".to_string(),
            unit => format!("an amount in {unit}"),
        };
        let Some(value) = value else {
            let message = format!("`than` = \"{text}\" is neither schemes nor {allowed}");
            let help = format!("allowed: a list of schemes' labels, or {allowed}");
            return Err(Problem::new(&node.place, message, help));
        };
        if unit == "share"
            && let Some(nearest) = metrics::nearest_share(value, text.contains('%'))
        {
            let message = format!("`than` = \"{text}\", where the number is a share");
            let help = format!("allowed: 0% to 100%; nearest: \"{nearest}\"");
            return Err(Problem::new(&node.place, message, help));
        }
        Ok(Than::Value(value, text))
    }

    /// Refuses what compares nothing, whatever schemes there are.
    fn check_sides(&self, schemes: &[String], than: &Than) -> Result<(), Problem> {
        let (at, message, help) = match than {
            Than::Others if schemes.is_empty() => (
                "metric",
                "an expectation of all schemes, beside none".to_string(),
                "allowed: `of`, the schemes that are compared with all others, or `than`, with what",
            ),
            Than::Schemes(others) if matches!(schemes, [one] if others.iter().all(|other| other == one)) => {
                (
                    "than",
                    format!("\"{}\" is compared with itself", schemes[0]),
                    "allowed: another scheme; without `than`, all others",
                )
            }
            _ => return Ok(()),
        };
        let place = match self.entries.has(at) {
            true => self.entries.place_of(at),
            false => self.entries.place(),
        };
        Err(Problem::new(place, message, help))
    }

    /// That these are all schemes, if they are.
    fn no_other(&self, named: &[String]) -> Option<String> {
        let mut all = self.scenario.schemes.iter();
        let is_named = all.all(|scheme| named.iter().any(|name| **name == *scheme.label));
        is_named.then(|| "`of` has every scheme here, so there is no other".to_string())
    }

    /// That no scheme has this label, if none has.
    fn no_scheme(&self, label: &str) -> Option<String> {
        let schemes = self.scenario.schemes.iter();
        let known: Vec<&str> = schemes.map(|scheme| &*scheme.label).collect();
        (!known.contains(&label)).then(|| {
            let help = suggestion(label, &known, '"');
            format!("no scheme is called \"{label}\" here; {help}")
        })
    }
}

/// The texts of a list, each once, or of a single value.
fn texts(node: &Node) -> Vec<String> {
    let text = |node: &Node| node.text().unwrap_or_else(|| node.to_toml());
    let Content::List(items) = &node.content else {
        return vec![text(node)];
    };
    let mut known = HashSet::new();
    let texts = items.iter().map(text);
    texts.filter(|text| known.insert(text.clone())).collect()
}

/// The texts of `field`, at least one.
fn some_texts(field: &str, node: &Node, help: &str) -> Result<Vec<String>, Problem> {
    let texts = texts(node);
    match texts.is_empty() {
        true => Err(Problem::new(
            &node.place,
            format!("`{field}` is an empty list"),
            format!("nearest: {help}"),
        )),
        false => Ok(texts),
    }
}

/// For each axis, the indices of its values that are named; all where none is. The error says what
/// is not among them.
fn points(at: Option<&Node>, axes: &[Axis]) -> Result<Vec<Vec<usize>>, String> {
    let all = axes.iter().map(|axis| (0..axis.values.len()).collect());
    let mut chosen: Vec<Vec<usize>> = all.collect();
    let mut fields = Vec::new();
    if let Some(at) = at {
        flatten(at, "", &mut fields);
    }
    for (field, node) in fields {
        let known: Vec<&str> = axes.iter().map(|axis| axis.field.as_str()).collect();
        let Some(axis) = known.iter().position(|known| *known == field) else {
            let help = suggestion(&field, &known, '`');
            return Err(format!("`{field}` is not swept here; {help}"));
        };
        let values = axes[axis].texts();
        let index = |text: String| {
            axes[axis].position(&text).ok_or_else(|| {
                let values: Vec<&str> = values.iter().map(String::as_str).collect();
                let help = suggestion(&text, &values, '"');
                format!("`{field}` does not take the value {text} here; {help}")
            })
        };
        let named = texts(node);
        if named.is_empty() {
            return Err(format!(
                "`at` has an empty list of `{field}`; leave it out for all values"
            ));
        }
        chosen[axis] = named.into_iter().map(index).collect::<Result<_, _>>()?;
    }
    Ok(chosen)
}

/// The paths of fields in a table of tables, with their values.
fn flatten<'a>(node: &'a Node, path: &str, fields: &mut Vec<(String, &'a Node)>) {
    match &node.content {
        Content::Table(entries) => {
            for (key, node) in entries {
                let dot = if path.is_empty() { "" } else { "." };
                flatten(node, &format!("{path}{dot}{}", key.name), fields);
            }
        }
        _ => fields.push((path.to_string(), node)),
    }
}
