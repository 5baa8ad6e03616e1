//! The tree of a document's values, and paths into it.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Place, Problem};

/// The largest number of names in a path, as many as the TOML parser allows. What walks a tree calls
/// itself for every level, so that the depth of a tree must have a bound.
pub const MAX_DEPTH: usize = 80;

/// A value with the place where it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The value.
    pub content: Content,
    /// Where it was written.
    pub place: Place,
}

/// A value of a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Text, or a number with a unit.
    Text(String),
    /// A number, as it was written.
    Number(String),
    /// True or false.
    Flag(bool),
    /// A date or a time of day, which no field takes.
    Date(String),
    /// Values in order.
    List(Vec<Node>),
    /// Values by name, in order.
    Table(Vec<(Key, Node)>),
}

/// A name in a table with the place where it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// The name.
    pub name: String,
    /// Where it was written.
    pub place: Place,
}

impl Node {
    /// Parses TOML; the problems are syntax errors.
    pub fn parse(text: &str) -> Result<Node, Vec<Problem>> {
        let (table, errors) = DeTable::parse_recoverable(text);
        if errors.is_empty() {
            let place = Place::File(0..text.len());
            return Ok(Node {
                content: from_table(table.into_inner()),
                place,
            });
        }
        let problem = |error: &toml::de::Error| {
            let place = Place::File(error.span().unwrap_or_default());
            Problem::new(&place, error.message(), "")
        };
        Err(errors.iter().map(problem).collect())
    }

    /// A value of the command line: a number if it parses as one, a list in brackets as in
    /// TOML, else text.
    pub fn argument(text: &str, argument: &str) -> Node {
        let place = Place::Argument(argument.into());
        let quoted = |text: &str| Node {
            content: Content::Text(text.to_string()),
            place: place.clone(),
        };
        let document = format!("value = {text}");
        let Ok(Node {
            content: Content::Table(mut entries),
            ..
        }) = Node::parse(&document)
        else {
            return quoted(text);
        };
        match entries.pop() {
            Some((_, node)) if entries.is_empty() => node.placed(&place),
            _ => quoted(text),
        }
    }

    /// Bytes of memory that it takes with everything in it, about.
    pub(crate) fn bytes(&self) -> usize {
        /// What an allocation takes beside its contents: counts or the allocator's header.
        const ALLOCATION: usize = 16;
        let inside = match &self.content {
            Content::Text(text) | Content::Number(text) | Content::Date(text) => text.len(),
            Content::Flag(_) => return size_of_val(self),
            Content::List(items) => items.iter().map(Node::bytes).sum(),
            Content::Table(entries) => {
                let of_key = |key: &Key| size_of_val(key) + ALLOCATION + key.name.len();
                let entries = entries.iter();
                entries.map(|(key, node)| of_key(key) + node.bytes()).sum()
            }
        };
        size_of_val(self) + ALLOCATION + inside
    }

    /// An empty table that was not written anywhere.
    pub fn table() -> Node {
        Node {
            content: Content::Table(Vec::new()),
            place: Place::default(),
        }
    }

    /// Moves it, with everything in it, to `place`.
    fn placed(mut self, place: &Place) -> Node {
        self.place = place.clone();
        match &mut self.content {
            Content::List(items) => {
                for item in items {
                    *item = item.clone().placed(place);
                }
            }
            Content::Table(entries) => {
                for (key, node) in entries {
                    key.place = place.clone();
                    *node = node.clone().placed(place);
                }
            }
            _ => {}
        }
        self
    }

    /// The value at a path of names, where there is one.
    pub fn at(&self, path: &[&str]) -> Option<&Node> {
        let Some((first, rest)) = path.split_first() else {
            return Some(self);
        };
        let node = match &self.content {
            Content::Table(entries) => {
                let mut entries = entries.iter();
                entries.find(|(key, _)| key.name == *first).map(|e| &e.1)?
            }
            Content::List(items) => items.get(first.parse::<usize>().ok()?)?,
            _ => return None,
        };
        node.at(rest)
    }

    /// Puts `value` at a path of names and creates missing tables. A value on the path that is
    /// neither table nor list is replaced by a table; items of a list are numbered from 0. A path
    /// of more than [`MAX_DEPTH`] names changes nothing.
    pub fn put(&mut self, path: &[&str], value: Node) {
        if path.len() <= MAX_DEPTH {
            self.put_at(path, value);
        }
    }

    fn put_at(&mut self, path: &[&str], value: Node) {
        let Some((first, rest)) = path.split_first() else {
            *self = value;
            return;
        };
        if let Content::List(items) = &mut self.content
            && let Some(item) = first
                .parse()
                .ok()
                .and_then(|index: usize| items.get_mut(index))
        {
            return item.put_at(rest, value);
        }
        if !matches!(self.content, Content::Table(_)) {
            self.content = Content::Table(Vec::new());
            self.place = value.place.clone();
        }
        let Content::Table(entries) = &mut self.content else {
            return;
        };
        let known = entries.iter().position(|(key, _)| key.name == *first);
        let index = known.unwrap_or_else(|| {
            let place = value.place.clone();
            let key = Key {
                name: (*first).to_string(),
                place: place.clone(),
            };
            let content = Content::Table(Vec::new());
            entries.push((key, Node { content, place }));
            entries.len() - 1
        });
        entries[index].1.put_at(rest, value);
    }

    /// The entry of this name of a table, mutable.
    pub fn entry(&mut self, name: &str) -> Option<&mut Node> {
        let Content::Table(entries) = &mut self.content else {
            return None;
        };
        let mut entries = entries.iter_mut();
        let entry = entries.find(|(key, _)| key.name == name);
        entry.map(|(_, node)| node)
    }

    /// Removes and returns the entry of this name.
    pub fn take(&mut self, name: &str) -> Option<Node> {
        let Content::Table(entries) = &mut self.content else {
            return None;
        };
        let index = entries.iter().position(|(key, _)| key.name == name)?;
        Some(entries.remove(index).1)
    }

    /// Its type, for messages: "a list".
    pub fn kind(&self) -> &'static str {
        match self.content {
            Content::Text(_) => "text",
            Content::Number(_) => "a number",
            Content::Flag(_) => "true or false",
            Content::Date(_) => "a date",
            Content::List(_) => "a list",
            Content::Table(_) => "a table",
        }
    }

    /// A single value as text, without quotes; `None` for lists and tables.
    pub fn text(&self) -> Option<String> {
        match &self.content {
            Content::Text(text) | Content::Number(text) | Content::Date(text) => Some(text.clone()),
            Content::Flag(flag) => Some(flag.to_string()),
            Content::List(_) | Content::Table(_) => None,
        }
    }

    /// In TOML, on one line. Parsing it gives an equal tree but for places.
    pub fn to_toml(&self) -> String {
        match &self.content {
            Content::Text(text) => quote(text),
            Content::Number(text) | Content::Date(text) => text.clone(),
            Content::Flag(flag) => flag.to_string(),
            Content::List(items) => {
                let items: Vec<String> = items.iter().map(Node::to_toml).collect();
                format!("[{}]", items.join(", "))
            }
            Content::Table(entries) => {
                let entry = |(key, node): &(Key, Node)| {
                    format!("{} = {}", quote_key(&key.name), node.to_toml())
                };
                let entries: Vec<String> = entries.iter().map(entry).collect();
                format!("{{ {} }}", entries.join(", "))
            }
        }
    }

    /// In TOML with a heading for each table.
    pub fn to_document(&self) -> String {
        let mut text = String::new();
        self.write_table(&mut text, "");
        text
    }

    /// In JSON, as a JSON Schema sees it. What JSON cannot express (`nan`, a date) is text.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.content {
            Content::Text(text) | Content::Date(text) => text.clone().into(),
            Content::Number(text) => {
                let plain = text.replace('_', "");
                let whole = plain.parse::<i64>().map(serde_json::Value::from).ok();
                whole
                    .or_else(|| {
                        plain
                            .parse::<f64>()
                            .ok()
                            .filter(|n| n.is_finite())
                            .map(serde_json::Value::from)
                    })
                    .unwrap_or_else(|| text.clone().into())
            }
            Content::Flag(flag) => (*flag).into(),
            Content::List(items) => items.iter().map(Node::to_json).collect(),
            Content::Table(entries) => {
                let entry = |(key, node): &(Key, Node)| (key.name.clone(), node.to_json());
                serde_json::Value::Object(entries.iter().map(entry).collect())
            }
        }
    }

    fn write_table(&self, text: &mut String, path: &str) {
        let Content::Table(entries) = &self.content else {
            return;
        };
        let is_table = |node: &Node| matches!(node.content, Content::Table(_));
        for (key, node) in entries.iter().filter(|(_, node)| !is_table(node)) {
            text.push_str(&format!("{} = {}\n", quote_key(&key.name), node.to_toml()));
        }
        for (key, node) in entries.iter().filter(|(_, node)| is_table(node)) {
            let dot = if path.is_empty() { "" } else { "." };
            let path = format!("{path}{dot}{}", quote_key(&key.name));
            text.push_str(&format!("\n[{path}]\n"));
            node.write_table(text, &path);
        }
    }
}

/// A basic string: quotes, backslashes and control characters escaped.
fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            control if control.is_control() => {
                quoted.push_str(&format!("\\u{:04X}", control as u32));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

fn quote_key(name: &str) -> String {
    let bare = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    if !name.is_empty() && name.chars().all(bare) {
        name.to_string()
    } else {
        quote(name)
    }
}

fn from_table(table: DeTable<'_>) -> Content {
    let entry = |(key, value): (Spanned<_>, _)| {
        let place = Place::File(key.span());
        let name = std::borrow::Cow::into_owned(key.into_inner());
        (Key { name, place }, from_value(value))
    };
    Content::Table(table.into_iter().map(entry).collect())
}

fn from_value(value: Spanned<DeValue<'_>>) -> Node {
    let place = Place::File(value.span());
    let content = match value.into_inner() {
        DeValue::String(text) => Content::Text(text.into_owned()),
        DeValue::Integer(number) => match i128::from_str_radix(number.as_str(), number.radix()) {
            Ok(whole) => Content::Number(whole.to_string()),
            Err(_) => Content::Number(number.as_str().to_string()),
        },
        DeValue::Float(number) => Content::Number(number.as_str().to_string()),
        DeValue::Boolean(flag) => Content::Flag(flag),
        DeValue::Datetime(date) => Content::Date(date.to_string()),
        DeValue::Array(items) => Content::List(items.into_iter().map(from_value).collect()),
        DeValue::Table(table) => from_table(table),
    };
    Node { content, place }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Node {
        Node::parse(text).unwrap()
    }

    /// Without places, which depend on how a value was written.
    fn bare(node: Node) -> Node {
        node.placed(&Place::default())
    }

    #[test]
    fn places_are_those_of_the_values() {
        let text = "[network]\nrate = \"10 Mbps\"\n";
        let rate = parse(text).at(&["network", "rate"]).unwrap().clone();
        let Place::File(bytes) = rate.place else {
            panic!("{:?}", rate.place);
        };
        assert_eq!(&text[bytes], "\"10 Mbps\"");
    }

    #[test]
    fn a_written_tree_parses_back() {
        let text = "a = 0x10\nb = [1.5, \"q\\\"\\n\"]\ng = [{ h = 1 }]\n[c.d]\n\"e f\" = true\n";
        let tree = parse(text);
        assert_eq!(tree.at(&["a"]).unwrap().text().unwrap(), "16");
        assert_eq!(bare(parse(&tree.to_document())), bare(tree.clone()));
        let inline = format!("all = {}", tree.to_toml());
        assert_eq!(bare(parse(&inline).take("all").unwrap()), bare(tree));
    }

    #[test]
    fn values_are_put_where_they_belong() {
        let mut tree = parse("[network]\nrate = \"10 Mbps\"\n");
        tree.put(
            &["network", "rate"],
            Node::argument("5Mbps", "--link 5Mbps"),
        );
        tree.put(
            &["flows", "bulk", "count"],
            Node::argument("7", "--flows 7"),
        );
        let text = "flows.bulk.count = 7\nnetwork.rate = \"5Mbps\"";
        let wanted = |path: &[&str]| parse(text).at(path).unwrap().content.clone();
        for path in [&["network", "rate"][..], &["flows", "bulk", "count"]] {
            assert_eq!(tree.at(path).unwrap().content, wanted(path));
        }
        let mut links = parse("links = [{ rate = \"1 Mbps\" }, { rate = \"2 Mbps\" }]");
        let path = &["links", "1", "rate"];
        links.put(path, Node::argument("3 Mbps", "--set"));
        assert_eq!(links.at(path).unwrap().text().unwrap(), "3 Mbps");
    }

    #[test]
    fn a_tree_has_a_depth() {
        let mut tree = parse("a = 1");
        tree.put(&["b"; MAX_DEPTH], Node::argument("2", "--set"));
        assert_eq!(tree.at(&["b"; MAX_DEPTH]).unwrap().text().unwrap(), "2");
        let before = tree.clone();
        tree.put(&["b"; 100_000], Node::argument("3", "--set"));
        assert!(tree == before);
    }

    #[test]
    fn arguments_are_numbers_lists_or_text() {
        let content = |text: &str| Node::argument(text, "--set").content;
        assert_eq!(content("5"), Content::Number("5".into()));
        assert_eq!(content("5 ms"), Content::Text("5 ms".into()));
        assert_eq!(content("true"), Content::Flag(true));
        assert!(matches!(content("[1, 2]"), Content::List(items) if items.len() == 2));
        assert_eq!(content("1\nb = 2"), Content::Text("1\nb = 2".into()));
    }

    #[test]
    fn every_syntax_error_is_reported() {
        let problems = Node::parse("a = \nb = 1\nc = [1,\n").unwrap_err();
        assert!(problems.len() >= 2, "{problems:?}");
    }
}
