//! The schema of `sweep`: paths of fields with lists or ranges of values.

use serde_json::{Map, Value, json};

use super::{Writer, reference};
use crate::document::{Field, Section, Shape};
use crate::scenario::SCENARIO;
use crate::sweep::{NOT_SWEPT, TITLES};

impl Writer {
    /// Defines `sweep`: paths in quotes, or nested tables.
    pub(super) fn add_sweep(&mut self) {
        let quantity = json!({ "type": ["number", "string"] });
        let range = json!({
            "description": "values from one to another, by steps or by number",
            "type": "object",
            "properties": {
                "from": quantity,
                "to": quantity,
                "step": quantity,
                "points": { "type": ["number", "string"], "description": "how many values, both ends included" },
                "scale": { "enum": ["linear", "log"], "description": "how values are spaced", "default": "linear" },
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
        let titles = json!({
            "description": "names of swept fields for tables and figures, by their paths",
            "type": "object",
            "additionalProperties": { "type": ["string", "object"] },
        });
        properties.insert(TITLES.into(), titles);
        let sweep = json!({
            "type": "object",
            "properties": properties,
            "patternProperties": { paths: { "$ref": "#/$defs/sweep-any" } },
            "additionalProperties": false,
        });
        self.define("sweep".into(), sweep);
    }
}

/// The fields below `section` by their paths, each as a list of its values or a range. Fields
/// below a name of the file's own are left to [`paths`].
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
            Shape::One(_)
            | Shape::Length(_)
            | Shape::Between(_)
            | Shape::Spread(_)
            | Shape::Amount => {
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

/// A pattern of the paths to the fields below `section`, and of the beginnings of paths.
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
