//! Lists of schemes as text, and schemes as data for other programs: parameters, presets, probes and
//! drop curves.

use earlydrop::registry::{ConfigError, LinkFacts, Parameter, SCHEMES, Settings, Spec, Value};
use serde::Serialize;

/// The number of steps of a sampled curve.
const STEPS: u32 = 100;

/// Splits a list such as "red:min=5,max=15,codel" into its schemes: a piece "name=value" belongs to
/// the scheme before it.
pub fn split_schemes(text: &str) -> Vec<String> {
    let mut schemes: Vec<String> = Vec::new();
    for piece in text
        .split(',')
        .map(str::trim)
        .filter(|piece| !piece.is_empty())
    {
        // "red:min=5" is a scheme, "segments=5: 0.1" a parameter.
        let is_parameter = piece
            .split_once('=')
            .is_some_and(|(name, _)| !name.contains(':'));
        match schemes.last_mut() {
            Some(scheme) if is_parameter => {
                scheme.push(if scheme.contains(':') { ',' } else { ':' });
                scheme.push_str(piece);
            }
            _ => schemes.push(piece.to_string()),
        }
    }
    schemes
}

/// A scheme with the parameters given, for other programs: keys and their order are stable.
#[derive(Debug, Serialize)]
pub struct SchemeDescription {
    name: &'static str,
    summary: &'static str,
    source: &'static str,
    parameters: Vec<ParameterDescription>,
    probes: Vec<Named>,
    presets: Vec<PresetDescription>,
    #[serde(skip_serializing_if = "Option::is_none")]
    curve: Option<CurveDescription>,
}

#[derive(Debug, Serialize)]
struct ParameterDescription {
    name: &'static str,
    unit: &'static str,
    range: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    choices: Option<Vec<Named>>,
    default: &'static str,
    origin: &'static str,
    meaning: &'static str,
    /// The current value: the default where none was given.
    value: String,
    /// The condition under which it has an effect: "curve=numbers".
    #[serde(skip_serializing_if = "Option::is_none")]
    when: Option<String>,
}

/// A name with its meaning: a choice, or a probe.
#[derive(Debug, Serialize)]
struct Named {
    name: &'static str,
    meaning: &'static str,
}

#[derive(Debug, Serialize)]
struct PresetDescription {
    name: &'static str,
    meaning: &'static str,
    values: serde_json::Map<String, serde_json::Value>,
}

/// The drop curve; the initial one where it adapts.
#[derive(Debug, Serialize)]
struct CurveDescription {
    /// The unit of the average: "packets" or "bytes".
    unit: &'static str,
    /// Pairs of average and probability; a jump has two points at the same average.
    points: Vec<(f64, f64)>,
}

/// All built-in schemes with their defaults, on this link.
pub fn describe_all(link: &LinkFacts) -> Result<Vec<SchemeDescription>, ConfigError> {
    let specs = SCHEMES.iter().map(|scheme| Spec::of(scheme));
    specs.map(|spec| describe(&spec, link)).collect()
}

/// Everything about a scheme on this link.
pub fn describe(spec: &Spec, link: &LinkFacts) -> Result<SchemeDescription, ConfigError> {
    let scheme = spec.descriptor();
    let settings = spec.settings(link)?;
    let plan = spec.plan(link)?;
    let curve = plan.curve().map(|curve| CurveDescription {
        unit: curve_unit(&settings),
        points: curve.outline(curve.extent(), STEPS),
    });
    let probes = scheme.probes.iter().map(|probe| Named {
        name: probe.name,
        meaning: probe.meaning,
    });
    let presets = scheme.presets.iter().map(|preset| PresetDescription {
        name: preset.name,
        meaning: preset.meaning,
        values: preset
            .values
            .iter()
            .map(|(name, value)| (name.to_string(), (*value).into()))
            .collect(),
    });
    Ok(SchemeDescription {
        name: scheme.name,
        summary: scheme.summary,
        source: scheme.source,
        parameters: settings
            .iter()
            .map(|(parameter, _)| describe_parameter(&settings, spec, parameter))
            .collect(),
        probes: probes.collect(),
        presets: presets.collect(),
        curve,
    })
}

fn describe_parameter(
    settings: &Settings,
    spec: &Spec,
    parameter: &'static Parameter,
) -> ParameterDescription {
    let (default, origin) = spec.descriptor().default_of(parameter);
    let named = |(name, meaning): &(&'static str, &'static str)| Named { name, meaning };
    ParameterDescription {
        name: parameter.name,
        unit: parameter.kind.unit(),
        range: parameter.kind.allowed(),
        choices: parameter
            .kind
            .choices()
            .map(|choices| choices.iter().map(named).collect()),
        default,
        origin,
        meaning: parameter.meaning,
        value: settings.value(parameter.name).to_string(),
        when: condition(parameter),
    }
}

/// The unit of the curve's average: "packets" or "bytes".
pub fn curve_unit(settings: &Settings) -> &'static str {
    let unit = settings
        .iter()
        .find(|(parameter, _)| parameter.name == "unit");
    match unit {
        Some((_, Value::Choice(unit))) => unit,
        _ => "packets",
    }
}

/// The condition under which a parameter has an effect: "adapt=ared or rared".
pub fn condition(parameter: &Parameter) -> Option<String> {
    let (other, values) = parameter.when?;
    Some(format!("{other}={}", values.join(" or ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use earlydrop::registry::SCHEMES;
    use earlydrop::units::BitsPerSec;

    fn json(spec: &str) -> serde_json::Value {
        let link = LinkFacts::at(BitsPerSec::from_mbps(10));
        serde_json::to_value(describe(&spec.parse().unwrap(), &link).unwrap()).unwrap()
    }

    #[test]
    fn a_list_is_split_where_a_scheme_begins() {
        let curve = "red:curve=numbers,segments=5: 0 0.01; 15: 1,weight=0.01";
        let split = split_schemes(&format!("{curve}, codel,pie:target=5ms,limit=100"));
        assert_eq!(split, [curve, "codel", "pie:target=5ms,limit=100"]);
    }

    #[test]
    fn every_scheme_with_a_curve_has_its_points() {
        for scheme in SCHEMES {
            let json = json(scheme.name);
            let family = scheme.parameter("curve").is_some();
            assert_eq!(
                json["curve"]["points"].is_array(),
                family,
                "{}",
                scheme.name
            );
        }
    }

    #[test]
    fn values_are_those_given_and_defaults_the_schemes_own() {
        let json = json("gred:max_p=0.5");
        let parameter = |name: &str| {
            let all = json["parameters"].as_array().unwrap().iter();
            all.clone().find(|one| one["name"] == name).unwrap().clone()
        };
        assert_eq!(parameter("max_p")["value"], "0.5");
        assert_eq!(parameter("max_p")["default"], "0.1");
        assert_eq!(parameter("max_p")["range"], "a probability in (0, 1]");
        assert_eq!(parameter("curve")["default"], "gentle");
        assert_eq!(parameter("curve")["choices"][0]["name"], "red");
        assert_eq!(parameter("segments")["when"], "curve=numbers");
    }
}
