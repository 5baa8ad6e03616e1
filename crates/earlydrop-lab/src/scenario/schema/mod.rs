//! The JSON Schema of a scenario file, so that an editor can complete and check one.
//!
//! It is made from the tables of fields ([`SCENARIO`](super::SCENARIO)) that the reader checks a
//! file with. It accepts a little more than the reader: a pattern checks a quantity's unit but
//! not its range.

mod schemes;
mod sweep;
mod values;

use earlydrop::registry::{Descriptor, Kind, Registry};
use earlydrop::units::Dimension;
use serde_json::{Map, Value, json};

use super::SCENARIO;
use crate::document::{Field, Section, Shape};
use schemes::schemes_schema;
use values::{
    Units, alternatives, any_of, between, dimensions, kind_allows_zero, relative, spread,
};

/// The JSON Schema (draft 2020-12) of a scenario file with the built-in schemes.
///
/// ```
/// let schema = earlydrop_lab::scenario::schema();
/// assert_eq!(schema["additionalProperties"], false);
/// ```
pub fn schema() -> Value {
    schema_of(&Registry::built_in())
}

/// The JSON Schema of a scenario file whose schemes are those of `registry`.
pub fn schema_of(registry: &Registry) -> Value {
    let mut writer = Writer {
        schemes: registry.iter().collect(),
        definitions: Map::new(),
    };
    writer.add_schemes();
    let mut root = writer.section(&SCENARIO);
    writer.add_sweep();
    root.insert("$defs".into(), Value::Object(writer.definitions));
    let mut schema = Map::new();
    let draft = "https://json-schema.org/draft/2020-12/schema";
    schema.insert("$schema".into(), draft.into());
    schema.append(&mut root);
    Value::Object(schema)
}

/// A schema under construction.
struct Writer {
    /// The schemes that a scenario may name.
    schemes: Vec<&'static Descriptor>,
    /// The schema's `$defs`.
    definitions: Map<String, Value>,
}

impl Writer {
    /// Adds a definition and returns a reference to it.
    fn define(&mut self, name: String, schema: Value) -> Value {
        let reference = reference(&name);
        self.definitions.insert(name, schema);
        reference
    }

    /// A reference to the definition of a section, which is added at the first use.
    fn refer(&mut self, section: &'static Section) -> Value {
        if !self.definitions.contains_key(section.name) {
            // A section inside that refers back to this one finds it defined.
            self.definitions.insert(section.name.into(), Value::Null);
            let schema = self.section(section);
            self.definitions.insert(section.name.into(), schema.into());
        }
        reference(section.name)
    }

    fn section(&mut self, section: &'static Section) -> Map<String, Value> {
        let mut properties = Map::new();
        for field in section.fields {
            properties.insert(field.name.into(), self.field(field));
        }
        let mut schema = Map::new();
        schema.insert("title".into(), section.name.into());
        schema.insert("description".into(), section.meaning.into());
        schema.insert("type".into(), "object".into());
        schema.insert("properties".into(), properties.into());
        schema.insert("additionalProperties".into(), false.into());
        let rules = relevance(section);
        if !rules.is_empty() {
            schema.insert("allOf".into(), rules.into());
        }
        schema
    }

    fn field(&mut self, field: &'static Field) -> Value {
        let mut schema = match &field.shape {
            Shape::One(kind) => any_of(alternatives(kind, Units::Required)),
            Shape::Length(kind) => {
                let mut forms = alternatives(kind, Units::Required);
                forms.push(relative(&["BDP", "RTT"]));
                any_of(forms)
            }
            Shape::Between(kind) => between(kind),
            Shape::Spread(kind) => spread(dimensions(kind), kind_allows_zero(kind)),
            Shape::Amount => spread(&[Dimension::Data, Dimension::Packets], false),
            Shape::Table(section) => self.refer(section),
            Shape::Either(section, short) => {
                let mut either = match section.field(short).map(|field| &field.shape) {
                    Some(Shape::One(kind)) => alternatives(kind, Units::Required),
                    _ => vec![json!({ "type": "string" })],
                };
                either.push(self.refer(section));
                any_of(either)
            }
            Shape::Named(section) => {
                json!({ "type": "object", "additionalProperties": self.refer(section) })
            }
            Shape::List(section) => json!({ "type": "array", "items": self.refer(section) }),
            Shape::Open(_) => open(field.name, &self.schemes),
        };
        if let Value::Object(schema) = &mut schema {
            schema.insert("description".into(), describe(field).into());
            if let Some(default) = default(field) {
                schema.insert("default".into(), default);
            }
        }
        schema
    }
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// For each field that depends on another: it is forbidden where it would have no effect.
fn relevance(section: &Section) -> Vec<Value> {
    let rule = |field: &Field| {
        let (other, values) = field.when?;
        let mut is_so = json!({ "properties": { other: { "enum": values } } });
        let default = section.field(other)?.default;
        if !values.contains(&default) {
            is_so["required"] = json!([other]);
        }
        Some(json!({ "if": is_so, "else": { "properties": { field.name: false } } }))
    };
    section.fields.iter().filter_map(rule).collect()
}

fn describe(field: &Field) -> String {
    let Field { meaning, shape, .. } = field;
    let with = field.when.map_or(String::new(), |(other, values)| {
        format!(" Only with {other} = {}.", values.join(" or "))
    });
    format!("{meaning}. Allowed: {}.{with}", shape.allowed())
}

/// A default as it would stand in TOML: a number without quotes.
fn default(field: &Field) -> Option<Value> {
    if field.default.is_empty() {
        return None;
    }
    let number = || field.default.parse::<f64>().ok();
    Some(match &field.shape {
        Shape::One(Kind::Flag) => (field.default == "on").into(),
        Shape::One(Kind::Count(..)) | Shape::Open(_) => match field.default.parse::<i64>() {
            Ok(whole) => whole.into(),
            Err(_) => field.default.into(),
        },
        Shape::One(Kind::Number(..)) => number().map_or(field.default.into(), Value::from),
        _ => field.default.into(),
    })
}

/// The schema of a field that a reader of its own checks.
fn open(name: &str, known: &[&'static Descriptor]) -> Value {
    match name {
        "seeds" => seeds_schema(),
        "schemes" => schemes_schema(known),
        "parameters" => reference("parameters"),
        "sweep" => reference("sweep"),
        // Of an expectation.
        "of" => labels_schema(),
        "than" => json!({ "anyOf": [labels_schema(), { "type": ["string", "number"] }] }),
        "at" => json!({ "type": "object" }),
        // A test checks that there is no other.
        _ => json!({}),
    }
}

/// A list of schemes' labels.
fn labels_schema() -> Value {
    json!({ "type": "array", "items": { "type": "string" } })
}

/// A number of seeds, or a list of them.
fn seeds_schema() -> Value {
    json!({
        "anyOf": [
            { "type": "integer", "minimum": 1, "maximum": 100_000 },
            { "type": "string", "pattern": "^[+]?[0-9]+$" },
            {
                "type": "array",
                "minItems": 1,
                "uniqueItems": true,
                "items": { "anyOf": [
                    { "type": "integer", "minimum": 0 },
                    { "type": "string", "pattern": "^[+]?[0-9]+$" },
                ] },
            },
        ],
    })
}
