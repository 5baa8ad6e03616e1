//! The JSON Schema of a scenario file, so that an editor can complete and check one.
//!
//! Made from the same tables as the checks. It is a little more generous than they are:
//! a quantity's unit is checked by a pattern, which knows no range.

use std::collections::BTreeMap;

use earlydrop::registry::{Descriptor, Kind, Parameter, Range, SCHEMES};
use earlydrop::units::{Dimension, spellings};
use serde_json::{Map, Value, json};

use super::{Content, Field, Node, Section, Shape};
use crate::scenario::SCENARIO;

/// The JSON Schema (draft 2020-12) of a scenario file.
///
/// ```
/// let schema = earlydrop_lab::document::schema();
/// assert_eq!(schema["additionalProperties"], false);
/// ```
pub fn schema() -> Value {
    let mut writer = Writer::default();
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

impl Node {
    /// The same in JSON, as the schema sees it. What JSON cannot say (`nan`, a date) is
    /// text.
    pub fn to_json(&self) -> Value {
        match &self.content {
            Content::Text(text) | Content::Date(text) => text.clone().into(),
            Content::Number(text) => {
                let plain = text.replace('_', "");
                let whole = plain.parse::<i64>().map(Value::from).ok();
                whole
                    .or_else(|| {
                        plain
                            .parse::<f64>()
                            .ok()
                            .filter(|n| n.is_finite())
                            .map(Value::from)
                    })
                    .unwrap_or_else(|| text.clone().into())
            }
            Content::Flag(flag) => (*flag).into(),
            Content::List(items) => items.iter().map(Node::to_json).collect(),
            Content::Table(entries) => {
                let entry = |(key, node): &(super::Key, Node)| (key.name.clone(), node.to_json());
                Value::Object(entries.iter().map(entry).collect())
            }
        }
    }
}

/// A number as it may be written before a unit.
const NUMBER: &str = r"[+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?";
/// Nothing, which needs no unit.
const ZERO: &str = r"[-+]?(0+\.?0*|\.0+)([eE][-+]?[0-9]+)?";

/// Whether a number of something measured may stand without its unit.
#[derive(Clone, Copy, PartialEq)]
enum Bare {
    /// As parameters of schemes, which have a base unit.
    Allowed,
    /// As a scenario's fields: only zero.
    OnlyZero,
}

#[derive(Default)]
struct Writer {
    definitions: Map<String, Value>,
}

impl Writer {
    fn define(&mut self, name: String, schema: Value) -> Value {
        let reference = reference(&name);
        self.definitions.insert(name, schema);
        reference
    }

    /// A reference to a section's definition, which is made the first time.
    fn refer(&mut self, section: &'static Section) -> Value {
        if !self.definitions.contains_key(section.name) {
            // Whoever refers to it meanwhile finds that it is there.
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
            Shape::One(kind) => any_of(alternatives(kind, Bare::OnlyZero)),
            Shape::Between(kind) => between(kind),
            Shape::Spread(kind) => spread(dimensions(kind), kind_allows_zero(kind)),
            Shape::Amount => spread(&[Dimension::Data, Dimension::Packets], false),
            Shape::Table(section) => self.refer(section),
            Shape::Either(section, short) => {
                let mut either = match section.field(short).map(|field| &field.shape) {
                    Some(Shape::One(kind)) => alternatives(kind, Bare::OnlyZero),
                    _ => vec![json!({ "type": "string" })],
                };
                either.push(self.refer(section));
                any_of(either)
            }
            Shape::Named(section) => {
                json!({ "type": "object", "additionalProperties": self.refer(section) })
            }
            Shape::List(section) => json!({ "type": "array", "items": self.refer(section) }),
            Shape::Open(_) => open(field.name),
        };
        if let Value::Object(schema) = &mut schema {
            schema.insert("description".into(), describe(field).into());
            if let Some(default) = default(field) {
                schema.insert("default".into(), default);
            }
        }
        schema
    }

    /// Each scheme's table, and what a scheme may be written as.
    fn add_schemes(&mut self) {
        let mut rules = Vec::new();
        let mut shared: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
        for scheme in SCHEMES {
            let table = self.scheme_table(scheme, &mut shared);
            let table = self.define(format!("scheme-{}", scheme.name), table);
            let is_it = json!({
                "properties": { "scheme": { "const": scheme.name } },
                "required": ["scheme"],
            });
            rules.push(json!({ "if": is_it, "then": table }));
        }
        let names: Vec<Value> = SCHEMES.iter().copied().map(named_scheme).collect();
        let table = json!({
            "type": "object",
            "properties": { "scheme": { "oneOf": names } },
            "allOf": rules,
        });
        let table = self.define("scheme-table".into(), table);
        let names: Vec<&str> = SCHEMES.iter().map(|scheme| scheme.name).collect();
        let text = json!({
            "type": "string",
            "pattern": format!(r"^\s*({})\s*(:.*)?$", names.join("|")),
            "description": "NAME, or NAME:PARAMETER=VALUE,PARAMETER=VALUE",
        });
        let text = self.define("scheme-text".into(), text);
        let listed = json!({ "anyOf": [text, table] });
        self.define("scheme-listed".into(), listed);
        let mut parameters = Map::new();
        for (name, schemas) in shared {
            parameters.insert(name.into(), any_of(schemas));
        }
        let presets = SCHEMES.iter().flat_map(|scheme| scheme.presets);
        let presets: std::collections::BTreeSet<&str> = presets.map(|preset| preset.name).collect();
        parameters.insert("as".into(), json!({ "enum": presets }));
        let table = json!({
            "type": "object",
            "properties": with_inner(parameters),
            "patternProperties": { r"^inner\.": single() },
            "additionalProperties": false,
        });
        self.define("parameters".into(), table);
    }

    /// What may stand in the table of `scheme`; each parameter is also added to `shared`.
    fn scheme_table(
        &mut self,
        scheme: &'static Descriptor,
        shared: &mut BTreeMap<&'static str, Vec<Value>>,
    ) -> Value {
        let mut properties = Map::new();
        properties.insert("scheme".into(), named_scheme(scheme));
        let named = json!({ "description": "what it is called here", "type": "string" });
        properties.insert("name".into(), named);
        if !scheme.presets.is_empty() {
            let preset =
                |preset: &earlydrop::registry::Preset| named_value(preset.name, preset.meaning);
            let presets: Vec<Value> = scheme.presets.iter().map(preset).collect();
            properties.insert("as".into(), json!({ "oneOf": presets }));
        }
        for parameter in scheme.parameters() {
            let (name, defined) = self.parameter(scheme, parameter);
            let known = shared.entry(parameter.name).or_default();
            if !known.contains(&defined) {
                known.push(defined);
            }
            let default = scheme.default_of(parameter).0;
            let schema = json!({ "$ref": format!("#/$defs/{name}"), "default": default });
            properties.insert(parameter.name.into(), schema);
        }
        let mut schema = Map::new();
        schema.insert("title".into(), scheme.name.into());
        schema.insert("description".into(), scheme.summary.into());
        schema.insert("type".into(), "object".into());
        if scheme.nests {
            properties = with_inner(properties);
            schema.insert("patternProperties".into(), json!({ r"^inner\.": single() }));
        }
        schema.insert("properties".into(), properties.into());
        schema.insert("additionalProperties".into(), false.into());
        schema.into()
    }

    /// The definition of a parameter; schemes that have the same one share it.
    fn parameter(&mut self, scheme: &Descriptor, parameter: &Parameter) -> (String, Value) {
        let mut schema = any_of(alternatives(&parameter.kind, Bare::Allowed));
        let with = parameter.when.map_or(String::new(), |(other, values)| {
            format!(" Only with {other} = {}.", values.join(" or "))
        });
        let allowed = parameter.kind.allowed();
        schema["description"] = format!("{}. Allowed: {allowed}.{with}", parameter.meaning).into();
        let short = format!("parameter-{}", parameter.name);
        let name = match self.definitions.get(&short) {
            Some(known) if *known != schema => format!("{short}-{}", scheme.name),
            _ => short,
        };
        let reference = self.define(name.clone(), schema);
        (name, reference)
    }

    /// What a sweep may be: paths in quotes, or tables in tables.
    fn add_sweep(&mut self) {
        let quantity = json!({ "type": ["number", "string"] });
        let range = json!({
            "description": "from one value to another, by steps or by so many points",
            "type": "object",
            "properties": {
                "from": quantity,
                "to": quantity,
                "step": quantity,
                "points": { "type": ["number", "string"], "description": "how many values, both ends included" },
                "scale": { "enum": ["linear", "log"], "description": "how the points lie", "default": "linear" },
            },
            "required": ["from", "to"],
            "anyOf": [{ "required": ["step"] }, { "required": ["points"] }],
            "additionalProperties": false,
        });
        let range = self.define("range".into(), range);
        let values = json!({ "type": "array", "minItems": 1 });
        let nested = json!({
            "type": "object",
            "additionalProperties": { "$ref": "#/$defs/sweep-any" },
            "not": { "required": ["from", "to"] },
        });
        self.define(
            "sweep-any".into(),
            json!({ "anyOf": [values, range, nested] }),
        );
        let mut properties = Map::new();
        swept_fields(&SCENARIO, "#", "", &mut properties);
        let paths = format!("^({})$", paths(&SCENARIO));
        let sweep = json!({
            "type": "object",
            "properties": properties,
            "patternProperties": { paths: { "$ref": "#/$defs/sweep-any" } },
            "additionalProperties": false,
        });
        self.define("sweep".into(), sweep);
    }
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// Fields that say nothing with others as they are: they may not be there.
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

/// A default as TOML would have it: a number without quotes.
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

/// The fields whose reader is elsewhere: what it takes.
fn open(name: &str) -> Value {
    match name {
        "seeds" => json!({
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
        }),
        "schemes" => {
            let listed = reference("scheme-listed");
            let text = reference("scheme-text");
            // In a table of schemes a table's own name is the scheme's, unless it says so.
            let own_name = |scheme: &&Descriptor| {
                let table = json!({
                    "if": { "required": ["scheme"] },
                    "then": reference("scheme-table"),
                    "else": reference(&format!("scheme-{}", scheme.name)),
                });
                (scheme.name.to_string(), json!({ "anyOf": [text, table] }))
            };
            let properties: Map<String, Value> = SCHEMES.iter().map(own_name).collect();
            let named = json!({
                "anyOf": [text, { "allOf": [reference("scheme-table"), { "required": ["scheme"] }] }],
            });
            json!({
                "anyOf": [
                    text,
                    { "type": "array", "minItems": 1, "items": listed },
                    {
                        "type": "object",
                        "minProperties": 1,
                        "properties": properties,
                        "additionalProperties": named,
                    },
                ],
            })
        }
        "parameters" => reference("parameters"),
        "sweep" => reference("sweep"),
        // A test sees to it that there is no other.
        _ => json!({}),
    }
}

fn named_scheme(scheme: &Descriptor) -> Value {
    named_value(scheme.name, scheme.summary)
}

fn named_value(name: &str, meaning: &str) -> Value {
    json!({ "const": name, "description": meaning })
}

/// Any single value.
fn single() -> Value {
    json!({ "type": ["string", "number", "boolean"] })
}

/// The same with parameters of the scheme inside, which its own reader checks.
fn with_inner(mut properties: Map<String, Value>) -> Map<String, Value> {
    let inner = json!({ "type": "object", "description": "parameters of the scheme inside" });
    if let Some(known) = properties.remove("inner") {
        properties.insert("inner".into(), json!({ "anyOf": [known, inner] }));
    } else {
        properties.insert("inner".into(), inner);
    }
    properties
}

/// One alternative is itself.
fn any_of(mut alternatives: Vec<Value>) -> Value {
    match alternatives.len() {
        1 => alternatives.remove(0),
        _ => json!({ "anyOf": alternatives }),
    }
}

/// Each way in which a value of `kind` may be written.
fn alternatives(kind: &Kind, bare: Bare) -> Vec<Value> {
    match kind {
        Kind::Time(range) | Kind::Rate(range) | Kind::Bytes(range) => {
            let zero = bare == Bare::OnlyZero;
            let number = match (zero, kind_allows_zero(kind)) {
                (true, true) => Some(json!({ "const": 0 })),
                (true, false) => None,
                (false, _) => Some(numbers("number", range)),
            };
            let text = match (zero, kind_allows_zero(kind)) {
                (true, true) => quantity_or_zero(dimensions(kind)),
                (true, false) => quantity(dimensions(kind)),
                (false, _) => format!("{}|{NUMBER}", quantity_or_zero(dimensions(kind))),
            };
            [text_of(&text)].into_iter().chain(number).collect()
        }
        Kind::Length(range) => {
            let text = format!("{}|{NUMBER}", quantity_or_zero(dimensions(kind)));
            vec![text_of(&text), numbers("number", range)]
        }
        Kind::Number(range, _) | Kind::Count(range, _) => {
            let kind = if matches!(kind, Kind::Count(..)) {
                "integer"
            } else {
                "number"
            };
            let sign = if range.low < 0.0 { "-?" } else { "" };
            let text = format!(r"{sign}{NUMBER}\s*%?|{ZERO}\s*%?");
            vec![numbers(kind, range), text_of(&text)]
        }
        Kind::Flag => vec![
            json!({ "type": "boolean" }),
            json!({ "enum": ["on", "off", "yes", "no", "true", "false"] }),
        ],
        Kind::Choice(choices) => {
            let names = choices
                .iter()
                .map(|(name, meaning)| named_value(name, meaning));
            vec![json!({ "oneOf": names.collect::<Vec<_>>() })]
        }
        Kind::Text(_) => vec![single()],
        Kind::OrAuto(kind) => or_word("auto", "as the description says", kind, bare),
        Kind::OrNever(kind) => or_word("never", "at no time", kind, bare),
    }
}

fn or_word(word: &str, meaning: &str, kind: &Kind, bare: Bare) -> Vec<Value> {
    let mut all = alternatives(kind, bare);
    all.push(named_value(word, meaning));
    all
}

fn numbers(kind: &str, range: &Range) -> Value {
    let mut schema = json!({ "type": kind });
    let mut bound = |name: &str, exclusive: &str, value: f64, included: bool| {
        if value.is_finite() {
            let name = if included { name } else { exclusive };
            // Whole bounds read better without a point.
            let whole = value.fract() == 0.0 && value.abs() < 9e15;
            schema[name] = if whole {
                (value as i64).into()
            } else {
                value.into()
            };
        }
    };
    bound("minimum", "exclusiveMinimum", range.low, range.with_low);
    bound("maximum", "exclusiveMaximum", range.high, range.with_high);
    schema
}

fn text_of(pattern: &str) -> Value {
    json!({ "type": "string", "pattern": format!(r"^\s*({pattern})\s*$") })
}

fn dimensions(kind: &Kind) -> &'static [Dimension] {
    match kind {
        Kind::Time(_) => &[Dimension::Time],
        Kind::Rate(_) => &[Dimension::Rate],
        Kind::Bytes(_) => &[Dimension::Data],
        Kind::Length(_) => &[Dimension::Packets, Dimension::Data, Dimension::Time],
        Kind::OrAuto(kind) | Kind::OrNever(kind) => dimensions(kind),
        _ => &[],
    }
}

fn kind_allows_zero(kind: &Kind) -> bool {
    match kind {
        Kind::Time(range) | Kind::Rate(range) | Kind::Bytes(range) | Kind::Length(range) => {
            range.low < 0.0 || (range.low == 0.0 && range.with_low)
        }
        Kind::OrAuto(kind) | Kind::OrNever(kind) => kind_allows_zero(kind),
        _ => false,
    }
}

/// A number with one of the units of these dimensions.
fn quantity(dimensions: &[Dimension]) -> String {
    let units: Vec<&str> = dimensions.iter().copied().flat_map(spellings).collect();
    format!(r"{NUMBER}\s*({})", units.join("|"))
}

/// The same, or nothing, whose unit and sign say nothing.
fn quantity_or_zero(dimensions: &[Dimension]) -> String {
    let units: Vec<&str> = dimensions.iter().copied().flat_map(spellings).collect();
    let quantity = quantity(dimensions);
    format!(r"{quantity}|{ZERO}\s*({})?", units.join("|"))
}

fn between(kind: &Kind) -> Value {
    let zero = kind_allows_zero(kind);
    let one = match zero {
        true => format!("({})", quantity_or_zero(dimensions(kind))),
        false => format!("({})", quantity(dimensions(kind))),
    };
    let text = text_of(&format!(r"{one}(\s*\.\.\s*{one})?"));
    match zero {
        true => json!({ "anyOf": [text, { "const": 0 }] }),
        false => text,
    }
}

/// A quantity with a law in front.
fn spread(dimensions: &[Dimension], zero: bool) -> Value {
    let law = r"((constant|uniform|exponential)\s+|(pareto|lomax|lognormal)\([^)]*\)\s*)?";
    let text = match zero {
        true => format!("{law}({})", quantity_or_zero(dimensions)),
        false => format!("{law}({})", quantity(dimensions)),
    };
    match zero {
        true => json!({ "anyOf": [text_of(&text), { "const": 0 }] }),
        false => text_of(&text),
    }
}

/// Fields of a scenario that are not swept.
const NOT_SWEPT: &[&str] = &["title", "about", "seeds", "schemes", "sweep"];

/// The fields below `section` by their paths, each as a list of its values or a range, for
/// what needs no name of the file's own.
fn swept_fields(section: &Section, at: &str, path: &str, properties: &mut Map<String, Value>) {
    for field in section.fields {
        let name = format!("{path}{}", field.name);
        let pointer = format!("{at}/properties/{}", field.name);
        match &field.shape {
            _ if NOT_SWEPT.contains(&name.as_str()) => {}
            Shape::Table(inner) | Shape::Either(inner, _) => {
                let at = format!("#/$defs/{}", inner.name);
                swept_fields(inner, &at, &format!("{name}."), properties);
            }
            Shape::One(_) | Shape::Between(_) | Shape::Spread(_) | Shape::Amount => {
                let values =
                    json!({ "type": "array", "minItems": 1, "items": { "$ref": pointer } });
                let swept = json!({
                    "description": field.meaning,
                    "anyOf": [values, reference("range")],
                });
                properties.insert(name, swept);
            }
            Shape::Named(_) | Shape::List(_) | Shape::Open(_) => {}
        }
    }
}

/// A pattern of the paths to what is below `section`, and of their beginnings.
fn paths(section: &Section) -> String {
    let swept = section.fields.iter().filter(|field| {
        section.name != SCENARIO.name || field.name == "schemes" || !NOT_SWEPT.contains(&field.name)
    });
    let path = |field: &Field| match &field.shape {
        Shape::Table(inner) | Shape::Either(inner, _) => {
            format!(r"{}(\.({}))?", field.name, paths(inner))
        }
        Shape::Named(inner) => format!(r"{}(\.[^.]+(\.({}))?)?", field.name, paths(inner)),
        Shape::List(inner) => format!(r"{}(\.[0-9]+(\.({}))?)?", field.name, paths(inner)),
        Shape::Open(_) => format!(r"{}(\..+)?", field.name),
        _ => field.name.to_string(),
    };
    swept.map(path).collect::<Vec<_>>().join("|")
}
