//! Reads the crate's TOML files into structs that derive [`Deserialize`].
//!
//! A [`Node`] is deserialised, which keeps numbers as they are written: a printed "0.50" stays one
//! where text is asked for. An enum is a table whose `kind` names the variant, or a text. Errors
//! have a place in the file.

use std::fmt;
use std::marker::PhantomData;

use earlydrop_lab::document::{
    Content, Key, Node, Place, Problem, Problems, control_characters, suggestion,
};
use serde::de::value::{
    BorrowedStrDeserializer, MapAccessDeserializer, MapDeserializer, SeqDeserializer,
};
use serde::de::{
    self, Deserialize, DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer,
    MapAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_spanned::Spanned;
use serde_spanned::de::{SpannedDeserializer, is_spanned};

/// A name that refers to something, with the place in the file that says so.
#[derive(Clone, Debug, Default, PartialEq, serde::Deserialize)]
#[serde(from = "Spanned<String>")]
pub struct NameRef {
    /// The name.
    pub name: String,
    /// The place in the file.
    pub place: Place,
}

impl From<Spanned<String>> for NameRef {
    fn from(text: Spanned<String>) -> NameRef {
        NameRef {
            place: Place::File(text.span()),
            name: text.into_inner(),
        }
    }
}

impl NameRef {
    /// Gives a name that is empty, as it was not given, a place.
    pub(crate) fn place_at(&mut self, place: &Place) {
        if self.name.is_empty() {
            self.place = place.clone();
        }
    }
}

/// A file's name in messages, and its text.
#[derive(Clone, Copy)]
pub(crate) struct TomlFile<'a> {
    pub(crate) name: &'a str,
    pub(crate) text: &'a str,
}

impl TomlFile<'_> {
    /// The file as a tree; the problems are syntax errors.
    pub(crate) fn tree(self) -> Result<Node, Problems> {
        Node::parse(self.text).map_err(|list| self.problems(list))
    }

    /// Reads the whole file. Unknown and missing keys and wrong values are problems.
    pub(crate) fn read<T: DeserializeOwned>(self) -> Result<T, Problems> {
        self.read_tree(&self.tree()?)
    }

    /// Reads the file from a tree that was made of it.
    pub(crate) fn read_tree<T: DeserializeOwned>(self, tree: &Node) -> Result<T, Problems> {
        let what = self.name.rsplit('/').next().unwrap_or_default();
        let value = Value::new(what, tree);
        T::deserialize(value).map_err(|fault| self.problems(vec![fault.problem()]))
    }

    /// Fails with these problems, if there are any.
    pub(crate) fn refuse(self, list: Vec<Problem>) -> Result<(), Problems> {
        match list.is_empty() {
            true => Ok(()),
            false => Err(self.problems(list)),
        }
    }

    fn problems(self, list: Vec<Problem>) -> Problems {
        Problems {
            name: self.name.to_string(),
            text: self.text.to_string(),
            list,
        }
    }
}

/// The items of a list of the file; none where there is no such list.
pub(crate) fn items<'a>(tree: &'a mut Node, name: &str) -> &'a mut [Node] {
    match tree.entry(name).map(|node| &mut node.content) {
        Some(Content::List(items)) => items,
        _ => &mut [],
    }
}

/// The problem of a key that is none of `known`.
pub(crate) fn unknown_key(what: &str, key: &Key, known: &[&str]) -> Problem {
    let message = format!("`{what}` has no field `{}`", key.name);
    Problem::new(&key.place, message, suggestion(&key.name, known, '`'))
}

/// A table with names of the file's own, in its order.
pub(crate) fn pairs<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<(String, T)>, D::Error> {
    struct Pairs<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for Pairs<T> {
        type Value = Vec<(String, T)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a table")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut pairs = Vec::new();
            while let Some(pair) = map.next_entry()? {
                pairs.push(pair);
            }
            Ok(pairs)
        }
    }
    deserializer.deserialize_map(Pairs(PhantomData))
}

/// A number above zero.
pub(crate) fn positive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let number = f64::deserialize(deserializer)?;
    match number > 0.0 {
        true => Ok(number),
        false => Err(de::Error::custom(format!(
            "{number} is not a valid factor; allowed: a number above 0"
        ))),
    }
}

/// A value with the name of the field that it is given for.
#[derive(Clone, Copy)]
struct Value<'de> {
    what: &'de str,
    node: &'de Node,
    /// Whether it is what a variant holds: its `kind` was read.
    is_variant: bool,
}

impl<'de> Value<'de> {
    fn new(what: &'de str, node: &'de Node) -> Value<'de> {
        Value {
            what,
            node,
            is_variant: false,
        }
    }

    /// The error of a value of the wrong type.
    fn wrong(&self, allowed: &str) -> Fault {
        let message = match self.node.text() {
            Some(text) => format!("`{}` = {text} is not a valid value", self.what),
            None => format!("`{}` is {}", self.what, self.node.kind()),
        };
        Fault::new(message, format!("allowed: {allowed}")).at(&self.node.place)
    }
}

impl<'de> IntoDeserializer<'de, Fault> for Value<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Value<'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match &self.node.content {
            Content::List(_) => self.deserialize_seq(visitor),
            Content::Table(_) => self.deserialize_map(visitor),
            _ => self.deserialize_string(visitor),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let text = self.node.text().ok_or_else(|| self.wrong("text"))?;
        let what = format!("`{}`", self.what);
        if let Some(problem) = control_characters(&what, &text, &self.node.place) {
            return Err(Fault::new(problem.message, problem.help).at(&problem.place));
        }
        let read = visitor.visit_string(text);
        read.map_err(|fault: Fault| fault.at(&self.node.place))
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let number = self.node.text().and_then(|text| text.parse::<f64>().ok());
        match number.filter(|number| number.is_finite()) {
            Some(number) => visitor.visit_f64(number),
            None => Err(self.wrong("a number")),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.node.content {
            Content::Flag(flag) => visitor.visit_bool(flag),
            _ => Err(self.wrong("true or false")),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_some(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let Content::List(items) = &self.node.content else {
            return Err(self.wrong("a list"));
        };
        let items = items.iter().map(|node| Value::new(self.what, node));
        visitor.visit_seq(SeqDeserializer::new(items))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let Content::Table(entries) = &self.node.content else {
            return Err(self.wrong("a table"));
        };
        let table = Table {
            of: self,
            entries: entries.iter(),
            next: None,
        };
        let read = visitor.visit_map(table);
        read.map_err(|fault: Fault| fault.of_table(self.what).at(&self.node.place))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match &self.node.place {
            Place::File(bytes) if is_spanned(name) => {
                visitor.visit_map(SpannedDeserializer::new(self, bytes.clone()))
            }
            _ => self.deserialize_map(visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let is_table = matches!(self.node.content, Content::Table(_));
        let kind = match is_table {
            true => self.node.at(&["kind"]),
            false => Some(self.node),
        };
        let missing = || <Fault as de::Error>::missing_field("kind").at(&self.node.place);
        let kind = Value::new("kind", kind.ok_or_else(missing)?);
        let text = kind.node.text().ok_or_else(|| kind.wrong("text"))?;
        let Some(variant) = variants.iter().find(|variant| **variant == text) else {
            let message = format!("no {name} is called \"{text}\"");
            let help = suggestion(&text, variants, '"');
            return Err(Fault::new(message, help).at(&kind.node.place));
        };
        if !is_table {
            return visitor.visit_enum(BorrowedStrDeserializer::new(variant));
        }
        let fields = Value {
            what: variant,
            node: self.node,
            is_variant: true,
        };
        let variant = std::iter::once((*variant, fields));
        visitor.visit_enum(MapAccessDeserializer::new(MapDeserializer::new(variant)))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 char str bytes byte_buf unit unit_struct
        tuple tuple_struct identifier ignored_any
    }
}

/// The entries of a table that are left to read.
struct Table<'de> {
    of: Value<'de>,
    entries: std::slice::Iter<'de, (Key, Node)>,
    next: Option<Value<'de>>,
}

impl Table<'_> {
    /// Help for an unknown key: those of `known` that are not given, by the file or by its kind.
    fn suggest(&self, name: &str, known: &[&str]) -> String {
        let is_given = |name: &&&str| self.of.node.at(&[**name]).is_some();
        let others: Vec<&str> = known.iter().filter(|one| !is_given(one)).copied().collect();
        suggestion(name, &others, '`')
    }
}

impl<'de> MapAccess<'de> for Table<'de> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Fault> {
        let is_read = |key: &Key| self.of.is_variant && key.name == "kind";
        let Some((key, node)) = self.entries.find(|(key, _)| !is_read(key)) else {
            return Ok(None);
        };
        self.next = Some(Value::new(&key.name, node));
        let read = seed.deserialize(BorrowedStrDeserializer::new(&key.name));
        let read = read.map_err(|fault: Fault| Fault {
            help: self.suggest(&key.name, fault.known),
            ..fault.at(&key.place)
        });
        read.map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Fault> {
        let value = self.next.take();
        let value = value.ok_or_else(|| Fault::new("a value without a key", ""))?;
        let read = seed.deserialize(value);
        read.map_err(|fault| fault.at(&value.node.place))
    }
}

/// An error of a value; its place is known to the innermost value that is read.
#[derive(Debug)]
struct Fault {
    place: Option<Place>,
    message: String,
    help: String,
    /// Whether the message lacks the table that it is about.
    needs_table: bool,
    /// The fields that the table takes, where one is unknown.
    known: &'static [&'static str],
}

impl Fault {
    fn new(message: impl Into<String>, help: impl Into<String>) -> Fault {
        Fault {
            place: None,
            message: message.into(),
            help: help.into(),
            needs_table: false,
            known: &[],
        }
    }

    /// An error about a field that a table does not take.
    fn of_field(field: &str, known: &'static [&'static str]) -> Fault {
        Fault {
            needs_table: true,
            known,
            ..Fault::new(format!("has no field `{field}`"), "")
        }
    }

    /// Gives it a place, unless it has one.
    fn at(mut self, place: &Place) -> Fault {
        self.place.get_or_insert_with(|| place.clone());
        self
    }

    /// Names the table, where the message lacks it.
    fn of_table(mut self, what: &str) -> Fault {
        if std::mem::take(&mut self.needs_table) {
            self.message = format!("`{what}` {}", self.message);
        }
        self
    }

    fn problem(self) -> Problem {
        Problem::new(&self.place.unwrap_or_default(), self.message, self.help)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.message, self.help)
    }
}

impl std::error::Error for Fault {}

impl de::Error for Fault {
    fn custom<T: fmt::Display>(message: T) -> Fault {
        Fault::new(message.to_string(), "")
    }

    fn unknown_field(field: &str, known: &'static [&'static str]) -> Fault {
        Fault::of_field(field, known)
    }

    /// TOML has no key twice: what is given was set already.
    fn duplicate_field(field: &'static str) -> Fault {
        Fault::of_field(field, &[])
    }

    fn missing_field(field: &'static str) -> Fault {
        Fault::new(format!("`{field}` is missing"), "")
    }
}
