//! Schemes as JSON for other programs; keys and their order are stable.

use earlydrop::registry::{ConfigError, Link, Parameter, Settings, Spec};
use serde::Serialize;

use super::{ConfiguredScheme, curve, parameters};

/// The number of steps of a sampled curve.
const STEPS: u32 = 100;

/// A scheme with the parameters given.
#[derive(Debug, Serialize)]
pub(super) struct Described {
    name: &'static str,
    summary: &'static str,
    source: &'static str,
    parameters: Vec<DescribedParameter>,
    probes: Vec<Named>,
    presets: Vec<DescribedPreset>,
    #[serde(skip_serializing_if = "Option::is_none")]
    curve: Option<DescribedCurve>,
}

#[derive(Debug, Serialize)]
struct DescribedParameter {
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
struct DescribedPreset {
    name: &'static str,
    meaning: &'static str,
    values: serde_json::Map<String, serde_json::Value>,
}

/// The drop curve; the initial one where it adapts.
#[derive(Debug, Serialize)]
struct DescribedCurve {
    /// The unit of the average: "packets" or "bytes".
    unit: &'static str,
    /// Pairs of average and probability; a jump has two points at the same average.
    points: Vec<(f64, f64)>,
}

/// Everything about a scheme on this link.
pub(super) fn describe(spec: &Spec, link: &Link) -> Result<Described, ConfigError> {
    let configured = ConfiguredScheme::new(spec.clone(), link)?;
    let scheme = configured.scheme();
    let values = configured.settings.iter();
    let curve = configured.plan.curve().map(|curve| DescribedCurve {
        unit: curve::unit(&configured.settings),
        points: curve.outline(curve.extent(), STEPS),
    });
    let probes = scheme.probes.iter().map(|probe| Named {
        name: probe.name,
        meaning: probe.meaning,
    });
    let presets = scheme.presets.iter().map(|preset| DescribedPreset {
        name: preset.name,
        meaning: preset.meaning,
        values: preset
            .values
            .iter()
            .map(|(name, value)| (name.to_string(), (*value).into()))
            .collect(),
    });
    Ok(Described {
        name: scheme.name,
        summary: scheme.summary,
        source: scheme.source,
        parameters: values
            .map(|(parameter, _)| describe_parameter(&configured.settings, spec, parameter))
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
) -> DescribedParameter {
    let (default, origin) = spec.descriptor().default_of(parameter);
    let named = |(name, meaning): &(&'static str, &'static str)| Named { name, meaning };
    DescribedParameter {
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
        when: parameters::condition(parameter),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use earlydrop::registry::SCHEMES;
    use earlydrop::units::BitsPerSec;

    fn json(spec: &str) -> serde_json::Value {
        let link = Link::at(BitsPerSec::from_mbps(10));
        serde_json::to_value(describe(&spec.parse().unwrap(), &link).unwrap()).unwrap()
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
