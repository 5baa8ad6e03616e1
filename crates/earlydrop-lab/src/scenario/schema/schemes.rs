//! The schemas of schemes and their parameters.

use std::collections::{BTreeMap, BTreeSet};

use earlydrop::registry::{Descriptor, Parameter, Preset};
use serde_json::{Map, Value, json};

use super::values::{Units, alternatives, any_of, named_value, relative, single_value};
use super::{Writer, reference};
use crate::scenario::path::relative_units;

impl Writer {
    /// Defines the table of each scheme, the forms that a scheme may take, and the table
    /// `parameters`.
    pub(super) fn add_schemes(&mut self) {
        let mut rules = Vec::new();
        let mut shared: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
        for scheme in self.schemes.clone() {
            let table = self.scheme_table(scheme, &mut shared);
            let table = self.define(format!("scheme-{}", scheme.name), table);
            let is_it = json!({
                "properties": { "scheme": { "const": scheme.name } },
                "required": ["scheme"],
            });
            rules.push(json!({ "if": is_it, "then": table }));
        }
        let names: Vec<Value> = self.schemes.iter().copied().map(named_scheme).collect();
        let table = json!({
            "type": "object",
            "properties": { "scheme": { "oneOf": names } },
            "allOf": rules,
        });
        let table = self.define("scheme-table".into(), table);
        let names: Vec<&str> = self.schemes.iter().map(|scheme| scheme.name).collect();
        let text = json!({
            "type": "string",
            "pattern": format!(r"^\s*({})\s*(:.*)?$", names.join("|")),
            "description": "NAME, or NAME:PARAMETER=VALUE,PARAMETER=VALUE",
        });
        let text = self.define("scheme-text".into(), text);
        let listed = json!({ "anyOf": [text, table] });
        self.define("scheme-listed".into(), listed);
        self.add_parameters(shared);
    }

    /// Defines the table `parameters`: every parameter of any scheme, and presets.
    fn add_parameters(&mut self, shared: BTreeMap<&str, Vec<Value>>) {
        let mut parameters = Map::new();
        for (name, schemas) in shared {
            parameters.insert(name.into(), any_of(schemas));
        }
        let presets = self.schemes.iter().flat_map(|scheme| scheme.presets);
        let presets: BTreeSet<&str> = presets.map(|preset| preset.name).collect();
        parameters.insert("as".into(), json!({ "enum": presets }));
        let table = json!({
            "type": "object",
            "properties": with_inner(parameters),
            "patternProperties": { r"^inner\.": single_value() },
            "additionalProperties": false,
        });
        self.define("parameters".into(), table);
    }

    /// The schema of the table of `scheme`. Adds the schema of each parameter to `shared`.
    fn scheme_table(
        &mut self,
        scheme: &'static Descriptor,
        shared: &mut BTreeMap<&'static str, Vec<Value>>,
    ) -> Value {
        let mut properties = Map::new();
        properties.insert("scheme".into(), named_scheme(scheme));
        let named = json!({ "description": "its name in the scenario", "type": "string" });
        properties.insert("name".into(), named);
        if !scheme.presets.is_empty() {
            let preset = |preset: &Preset| named_value(preset.name, preset.meaning);
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
        let mut change = properties.clone();
        change.retain(|name, _| !["scheme", "name"].contains(&name.as_str()));
        change.insert(
            "at".into(),
            json!({ "description": "the time of the change", "type": "string" }),
        );
        let changes = json!({
            "description": "its parameters from certain times on",
            "type": "array",
            "items": { "type": "object", "properties": change, "required": ["at"] },
        });
        properties.insert("changes".into(), changes);
        let mut schema = Map::new();
        schema.insert("title".into(), scheme.name.into());
        schema.insert("description".into(), scheme.summary.into());
        schema.insert("type".into(), "object".into());
        if scheme.nests {
            properties = with_inner(properties);
            schema.insert(
                "patternProperties".into(),
                json!({ r"^inner\.": single_value() }),
            );
        }
        schema.insert("properties".into(), properties.into());
        schema.insert("additionalProperties".into(), false.into());
        schema.into()
    }

    /// The name and a reference of the definition of a parameter. Schemes whose parameters
    /// have the same definition share it.
    fn parameter(&mut self, scheme: &Descriptor, parameter: &Parameter) -> (String, Value) {
        let mut forms = alternatives(&parameter.kind, Units::Optional);
        let units = relative_units(parameter);
        if !units.is_empty() {
            forms.push(relative(units));
        }
        if parameter.name == "limit" {
            forms.push(named_value("auto", "as the network's buffer = auto"));
        }
        let mut schema = any_of(forms);
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
}

/// The schemas of `schemes`: text, a list, or a table by name.
pub(super) fn schemes_schema(known: &[&'static Descriptor]) -> Value {
    let listed = reference("scheme-listed");
    let text = reference("scheme-text");
    // Below `schemes`, a table's name is the name of its scheme unless it sets `scheme`.
    let own_name = |scheme: &&'static Descriptor| {
        let table = json!({
            "if": { "required": ["scheme"] },
            "then": reference("scheme-table"),
            "else": reference(&format!("scheme-{}", scheme.name)),
        });
        (scheme.name.to_string(), json!({ "anyOf": [text, table] }))
    };
    let properties: Map<String, Value> = known.iter().map(own_name).collect();
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

fn named_scheme(scheme: &Descriptor) -> Value {
    named_value(scheme.name, scheme.summary)
}

/// Adds the parameters of a nested scheme, which its own reader checks.
fn with_inner(mut properties: Map<String, Value>) -> Map<String, Value> {
    let inner = json!({ "type": "object", "description": "parameters of the scheme inside" });
    if let Some(known) = properties.remove("inner") {
        properties.insert("inner".into(), json!({ "anyOf": [known, inner] }));
    } else {
        properties.insert("inner".into(), inner);
    }
    properties
}
