//! The values of a table, each parsed and checked against its field.

use earlydrop::registry::{Kind, Value};
use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_sim::spread::Law;

use super::problem::{control_characters, suggestion, unfit_name};
use super::relative::Relative;
use super::section::{
    Nearest, SENTENCES, parse_between, parse_one_like, parse_spread, parse_spread_like,
};
use super::{Content, Field, Key, Node, Place, Problem, Section, Shape};

/// The values of a table by their fields.
#[derive(Clone, Debug)]
pub struct Entries {
    section: &'static Section,
    place: Place,
    given: Vec<(&'static Field, Item, Place)>,
}

/// The value given for a field.
#[derive(Clone, Debug)]
pub enum Item {
    /// A single value.
    One(Value),
    /// The bounds of a uniform distribution.
    Between(Value, Value),
    /// A mean and its distribution.
    Spread(Value, Law),
    /// A table.
    Table(Entries),
    /// Tables by name.
    Named(Vec<(Key, Entries)>),
    /// Tables in order.
    List(Vec<Entries>),
    /// A queue length, in an absolute unit or in BDP or RTT, as text.
    Length(String),
    /// A value that a reader of its own checks.
    Open(Node),
}

/// A value with its place: where it was written, or the table where it is the default.
#[derive(Clone, Debug)]
pub struct Placed<T> {
    /// The value.
    pub value: T,
    /// Its place.
    pub place: Place,
}

impl Entries {
    /// Reads `node` as a table of `section`. Adds errors to `problems` and reads the rest.
    pub fn read(node: &Node, section: &'static Section, problems: &mut Vec<Problem>) -> Entries {
        let mut entries = Entries {
            section,
            place: node.place.clone(),
            given: Vec::new(),
        };
        let Content::Table(given) = &node.content else {
            let message = format!("`{}` is {}, not a table", section.name, node.kind());
            problems.push(Problem::new(&node.place, message, ""));
            return entries;
        };
        for (key, node) in given {
            let Some(field) = section.field(&key.name) else {
                problems.push(unknown(section, key));
                continue;
            };
            if let Some(item) = read_item(field, node, problems) {
                entries.given.push((field, item, node.place.clone()));
            }
        }
        entries.check_relevance(problems);
        entries
    }

    /// An empty table.
    pub fn empty(section: &'static Section, place: &Place) -> Entries {
        Entries {
            section,
            place: place.clone(),
            given: Vec::new(),
        }
    }

    /// Reports fields that have no effect with the other values as they are.
    fn check_relevance(&self, problems: &mut Vec<Problem>) {
        for (field, _, place) in &self.given {
            let Some((other, values)) = field.when else {
                continue;
            };
            let value = self.value(other).to_string();
            if !values.contains(&value.as_str()) {
                let message = format!("`{}` has no effect with {other} = \"{value}\"", field.name);
                let help = format!("it belongs to {other} = {}", values.join(" or "));
                problems.push(Problem::new(place, message, help));
            }
        }
    }

    /// Where the table was written.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Where `name` was written, else where the table was.
    pub fn place_of(&self, name: &str) -> &Place {
        self.find(name).map_or(&self.place, |(_, place)| place)
    }

    /// Whether `name` was given.
    pub fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    fn find(&self, name: &str) -> Option<(&Item, &Place)> {
        let given = self.given.iter().find(|(field, ..)| field.name == name);
        given.map(|(_, item, place)| (item, place))
    }

    /// Panics where the section has no such field: a mistake in its reader, which any test
    /// finds that reads a document.
    fn field(&self, name: &str) -> &'static Field {
        let field = self.section.field(name);
        field.unwrap_or_else(|| panic!("{} has no field {name}", self.section.name))
    }

    /// The value given for `name`, else its default.
    pub fn value(&self, name: &str) -> Value {
        let field = self.field(name);
        match self.find(name) {
            Some((Item::One(value), _)) => value.clone(),
            Some((other, _)) => unreachable!("{name} is {other:?}"),
            None => match &field.shape {
                Shape::One(kind) => read_default(field, kind),
                other => unreachable!("{name} is {other:?}"),
            },
        }
    }

    /// A time; `None` for "auto".
    pub fn time_or_auto(&self, name: &str) -> Option<Nanos> {
        match self.value(name) {
            Value::Time(time) => Some(time),
            Value::Auto => None,
            other => unreachable!("{name} is {other:?}"),
        }
    }

    /// A time.
    pub fn time(&self, name: &str) -> Nanos {
        self.time_or_auto(name).unwrap_or(Nanos::ZERO)
    }

    /// A rate; `None` for "auto".
    pub fn rate_or_auto(&self, name: &str) -> Option<BitsPerSec> {
        match self.value(name) {
            Value::Rate(rate) => Some(rate),
            Value::Auto => None,
            other => unreachable!("{name} is {other:?}"),
        }
    }

    /// A time; `None` for "never".
    pub fn time_or_never(&self, name: &str) -> Option<Nanos> {
        self.time_or_auto(name).filter(|time| *time != Nanos::NEVER)
    }

    /// A size; `None` for "auto".
    pub fn size_or_auto(&self, name: &str) -> Option<Bytes> {
        match self.value(name) {
            Value::Bytes(size) => Some(size),
            Value::Auto => None,
            other => unreachable!("{name} is {other:?}"),
        }
    }

    /// A number; `None` for "auto".
    pub fn number_or_auto(&self, name: &str) -> Option<f64> {
        match self.value(name) {
            Value::Number(number) => Some(number),
            Value::Auto => None,
            other => unreachable!("{name} is {other:?}"),
        }
    }

    /// A number.
    pub fn number(&self, name: &str) -> f64 {
        self.number_or_auto(name).unwrap_or(f64::NAN)
    }

    /// A whole number; `None` for "auto".
    pub fn count_or_auto(&self, name: &str) -> Option<u32> {
        self.number_or_auto(name).map(|number| number as u32)
    }

    /// A whole number.
    pub fn count(&self, name: &str) -> u32 {
        self.number(name) as u32
    }

    /// On or off; `None` for "auto".
    pub fn flag_or_auto(&self, name: &str) -> Option<bool> {
        match self.value(name) {
            Value::Flag(flag) => Some(flag),
            Value::Auto => None,
            other => unreachable!("{name} is {other:?}"),
        }
    }

    /// On or off.
    pub fn flag(&self, name: &str) -> bool {
        self.flag_or_auto(name).unwrap_or(false)
    }

    /// The name chosen; "auto" where that was.
    pub fn choice(&self, name: &str) -> &'static str {
        match self.value(name) {
            Value::Choice(choice) => choice,
            Value::Auto => "auto",
            other => unreachable!("{name} is {other:?}"),
        }
    }

    /// Text; empty where none was given.
    pub fn text(&self, name: &str) -> String {
        match self.value(name) {
            Value::Text(text) => text,
            other => unreachable!("{name} is {other:?}"),
        }
    }

    /// Two times, the bounds of a uniform distribution.
    pub fn between(&self, name: &str) -> (Nanos, Nanos) {
        let field = self.field(name);
        let (from, to) = match self.find(name) {
            Some((Item::Between(from, to), _)) => (from.clone(), to.clone()),
            _ => match &field.shape {
                Shape::Between(kind) => parse_between(kind, field.default)
                    .unwrap_or_else(|_| panic!("the default of {name}")),
                other => unreachable!("{name} is {other:?}"),
            },
        };
        match (from, to) {
            (Value::Time(from), Value::Time(to)) => (from, to),
            other => unreachable!("{name} is {other:?}"),
        }
    }

    /// A queue length as text; `None` where none was given.
    pub fn length(&self, name: &str) -> Option<&str> {
        match self.find(name) {
            Some((Item::Length(text), _)) => Some(text),
            _ => None,
        }
    }

    /// A mean and its distribution, with its place.
    pub fn spread(&self, name: &str) -> Placed<(Value, Law)> {
        let field = self.field(name);
        let value = match self.find(name) {
            Some((Item::Spread(mean, law), _)) => (mean.clone(), law.clone()),
            _ => parse_spread(kind_of_spread(&field.shape), field.default)
                .unwrap_or_else(|_| panic!("the default of {name}")),
        };
        let place = self.place_of(name).clone();
        Placed { value, place }
    }

    /// The table of this name, empty where none was given.
    pub fn table(&self, name: &str) -> Entries {
        match (self.find(name), &self.field(name).shape) {
            (Some((Item::Table(entries), _)), _) => entries.clone(),
            (_, Shape::Table(section) | Shape::Either(section, _)) => {
                Entries::empty(section, &self.place)
            }
            (_, other) => unreachable!("{name} is {other:?}"),
        }
    }

    /// The tables by name.
    pub fn named(&self, name: &str) -> &[(Key, Entries)] {
        match self.find(name) {
            Some((Item::Named(tables), _)) => tables,
            _ => &[],
        }
    }

    /// The tables in order.
    pub fn list(&self, name: &str) -> &[Entries] {
        match self.find(name) {
            Some((Item::List(tables), _)) => tables,
            _ => &[],
        }
    }

    /// The value that a reader of its own checks.
    pub fn open(&self, name: &str) -> Option<&Node> {
        match self.find(name) {
            Some((Item::Open(node), _)) => Some(node),
            _ => None,
        }
    }

    /// This table with the values of `defaults`, a table of the same section, for fields that
    /// it does not set.
    pub fn over(&self, defaults: &Entries) -> Entries {
        let mut merged = self.clone();
        for entry in &defaults.given {
            if !self.has(entry.0.name) {
                merged.given.push(entry.clone());
            }
        }
        merged
    }

    /// This table without these fields.
    pub fn without(&self, names: &[&str]) -> Entries {
        let mut rest = self.clone();
        rest.given.retain(|entry| !names.contains(&entry.0.name));
        rest
    }
}

fn read_default(field: &Field, kind: &Kind) -> Value {
    let value = kind.read(field.default);
    value.unwrap_or_else(|_| panic!("the default of {}", field.name))
}

fn kind_of_spread(shape: &Shape) -> Option<&Kind> {
    match shape {
        Shape::Spread(kind) => Some(kind),
        _ => None,
    }
}

fn unknown(section: &Section, key: &Key) -> Problem {
    let known: Vec<&str> = section.fields.iter().map(|field| field.name).collect();
    let message = format!("`{}` has no field `{}`", section.name, key.name);
    let help = suggestion(&key.name, &known, '`');
    Problem::new(&key.place, message, help)
}

fn read_item(field: &'static Field, node: &Node, problems: &mut Vec<Problem>) -> Option<Item> {
    if let (Shape::One(Kind::Text(syntax)), Some(text)) = (&field.shape, node.text()) {
        let text = match *syntax {
            SENTENCES => text.replace(['\n', '\r', '\t'], " "),
            _ => text,
        };
        let what = format!("`{}`", field.name);
        problems.extend(control_characters(&what, &text, &node.place));
    }
    match &field.shape {
        Shape::Table(section) => Some(Item::Table(Entries::read(node, section, problems))),
        Shape::Either(section, short) => {
            let table = match node.text() {
                Some(_) => as_table(node, short),
                None => node.clone(),
            };
            Some(Item::Table(Entries::read(&table, section, problems)))
        }
        Shape::Named(section) => read_named(field, section, node, problems),
        Shape::List(section) => read_list(field, section, node, problems),
        Shape::Open(_) => Some(Item::Open(node.clone())),
        Shape::One(_) | Shape::Length(_) | Shape::Between(_) | Shape::Spread(_) | Shape::Amount => {
            let read = match node.text() {
                Some(text) => read_text(field, &text),
                None => Err(None),
            };
            read.map_err(|nearest| problems.push(invalid(field, node, nearest)))
                .ok()
        }
    }
}

/// `tcp = "cubic"` as `tcp = { control = "cubic" }`.
fn as_table(node: &Node, field: &str) -> Node {
    let key = Key {
        name: field.to_string(),
        place: node.place.clone(),
    };
    Node {
        content: Content::Table(vec![(key, node.clone())]),
        place: node.place.clone(),
    }
}

fn read_text(field: &Field, text: &str) -> Result<Item, Nearest> {
    match &field.shape {
        Shape::Between(kind) => {
            let (from, to) = parse_between(kind, text)?;
            Ok(Item::Between(from, to))
        }
        Shape::Spread(kind) => parse_spread_like(Some(kind), text, field.example())
            .map(|(mean, law)| Item::Spread(mean, law)),
        Shape::Amount => {
            parse_spread_like(None, text, "").map(|(mean, law)| Item::Spread(mean, law))
        }
        Shape::One(kind) => parse_one_like(kind, text, field.example()).map(Item::One),
        Shape::Length(kind) => match text.parse::<Relative>() {
            Ok(relative) => Ok(Item::Length(relative.to_string())),
            Err(()) => parse_one_like(kind, text, field.example())
                .map(|value| Item::Length(value.to_string())),
        },
        _ => Err(None),
    }
}

fn read_named(
    field: &'static Field,
    section: &'static Section,
    node: &Node,
    problems: &mut Vec<Problem>,
) -> Option<Item> {
    let Content::Table(tables) = &node.content else {
        problems.push(invalid(field, node, None));
        return None;
    };
    let mut read = |(key, node): &(Key, Node)| {
        problems.extend(unfit_name(&key.name, &key.place));
        let entries = Entries::read(node, section, problems);
        (key.clone(), entries)
    };
    Some(Item::Named(tables.iter().map(&mut read).collect()))
}

fn read_list(
    field: &'static Field,
    section: &'static Section,
    node: &Node,
    problems: &mut Vec<Problem>,
) -> Option<Item> {
    let Content::List(items) = &node.content else {
        problems.push(invalid(field, node, None));
        return None;
    };
    let read = |node| Entries::read(node, section, problems);
    Some(Item::List(items.iter().map(read).collect()))
}

fn invalid(field: &Field, node: &Node, nearest: Nearest) -> Problem {
    let Field { name, shape, .. } = field;
    let word = node.text().unwrap_or_default().to_lowercase();
    let mut hints = field.hints.iter().filter(|(other, _)| *other == word);
    let nearest = nearest.or_else(|| hints.next().map(|(_, value)| (*value).to_string()));
    let message = match node.text() {
        Some(_) => format!("`{name}` = {} is not a valid value", node.to_toml()),
        None => format!("`{name}` is {}", node.kind()),
    };
    let allowed = format!("allowed: {}", shape.allowed());
    let help = match nearest {
        Some(nearest) => format!("{allowed}; nearest: {name} = \"{nearest}\""),
        None => allowed,
    };
    Problem::new(&node.place, message, help)
}
