//! Shapes and readers that the crate's TOML files share.

use earlydrop::registry::{Kind, Range};
use earlydrop_lab::document::{
    Content, Entries, Field, Key, Node, Place, Problem, Problems, Section, Shape,
};

/// Free text.
pub(crate) const WORDS: Shape = Shape::One(Kind::Text("words"));
/// A name of something: a scheme, an experiment, a swept field.
pub(crate) const NAME: Shape = Shape::One(Kind::Text("a name"));
/// A list of names or numbers.
pub(crate) const LIST: Shape = Shape::Open("a list");
/// Values of swept fields by the fields' names.
pub(crate) const PLACES: Shape = Shape::Open("a table of swept fields with a value each");
/// Any finite number; "auto" where none is given.
pub(crate) const NUMBER: Shape = Shape::One(Kind::OrAuto(&Kind::Number(
    Range::closed(-1e15, 1e15),
    "a number",
)));

/// A field of a section.
pub(crate) const fn field(
    name: &'static str,
    shape: Shape,
    default: &'static str,
    meaning: &'static str,
) -> Field {
    Field::new(name, shape, default, meaning)
}

/// A name that refers to something, with the place in the file that says so.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NameRef {
    /// The name.
    pub name: String,
    /// The place in the file.
    pub place: Place,
}

/// Reads a whole file as a table of `section`. Every problem is returned, with its place;
/// unknown keys are problems.
pub(crate) fn read_file<T>(
    name: &str,
    text: &str,
    section: &'static Section,
    read: impl FnOnce(&Entries, &mut Vec<Problem>) -> T,
) -> Result<T, Problems> {
    let refuse = |list| Problems {
        name: name.to_string(),
        text: text.to_string(),
        list,
    };
    let tree = Node::parse(text).map_err(refuse)?;
    let mut problems = Vec::new();
    let entries = Entries::read(&tree, section, &mut problems);
    let content = read(&entries, &mut problems);
    match problems.is_empty() {
        true => Ok(content),
        false => Err(refuse(problems)),
    }
}

/// Adds a problem for each of `names` that is not given.
pub(crate) fn require(entries: &Entries, names: &[&str], problems: &mut Vec<Problem>) {
    for name in names {
        if !entries.has(name) {
            let message = format!("`{name}` is missing");
            problems.push(Problem::new(entries.place(), message, ""));
        }
    }
}

/// The name given for a field, with its place.
pub(crate) fn name_ref(entries: &Entries, name: &str) -> NameRef {
    NameRef {
        name: entries.text(name),
        place: entries.place_of(name).clone(),
    }
}

/// The names of a list, each with its place; a problem where it is no list.
pub(crate) fn name_refs(
    entries: &Entries,
    name: &str,
    problems: &mut Vec<Problem>,
) -> Vec<NameRef> {
    let Some(node) = entries.open(name) else {
        return Vec::new();
    };
    let Content::List(items) = &node.content else {
        let message = format!("`{name}` is {}", node.kind());
        problems.push(Problem::new(&node.place, message, "allowed: a list"));
        return Vec::new();
    };
    let name_ref = |node: &Node| {
        Some(NameRef {
            name: node.text()?,
            place: node.place.clone(),
        })
    };
    items.iter().filter_map(name_ref).collect()
}

/// The texts of a list; a problem where it is no list.
pub(crate) fn texts(entries: &Entries, name: &str, problems: &mut Vec<Problem>) -> Vec<String> {
    let names = name_refs(entries, name, problems).into_iter();
    names.map(|name_ref| name_ref.name).collect()
}

/// The entries of an open table; a problem, with `example`, where it is no table.
pub(crate) fn open_table<'a>(
    entries: &'a Entries,
    name: &str,
    example: &str,
    problems: &mut Vec<Problem>,
) -> &'a [(Key, Node)] {
    let Some(node) = entries.open(name) else {
        return &[];
    };
    let Content::Table(given) = &node.content else {
        let message = format!("`{name}` is {}", node.kind());
        let help = format!("allowed: a table, as in {example}");
        problems.push(Problem::new(&node.place, message, help));
        return &[];
    };
    given
}
