//! What a scenario sets for all schemes: `parameters`, and the buffer as their `limit`.
//!
//! A parameter has the value that the scheme gives itself; else that of the preset that the scheme
//! names; else the scenario's; else the scheme's default. A buffer with a length is a property of
//! the link, so it outranks presets; an automatic one, or that of a shared buffer, does not.

use earlydrop::registry::{ConfigError, LinkFacts, Settings, Spec};
use earlydrop::units::{BitsPerSec, Nanos};

use super::path::Path;
use crate::document::Place;

/// The buffer of a network, every scheme's `limit`.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// The length as written.
    pub(super) length: String,
    /// Whether it was written as a length, rather than computed.
    pub(super) is_given: bool,
    pub(super) place: Place,
}

/// A parameter that the scenario sets for all schemes.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    pub(super) name: String,
    pub(super) value: String,
    pub(super) place: Place,
    by: Setter,
}

/// What sets a parameter for all schemes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Setter {
    Parameters,
    /// A buffer with a length.
    Buffer,
    /// A buffer that is computed.
    AutomaticBuffer,
}

/// What a parameter of the scenario does in a scheme.
enum Effect {
    /// The scheme has no such parameter, or it has no effect there.
    None,
    /// The scheme sets it itself.
    Own,
    /// The scheme's preset sets it.
    Preset,
    /// The scheme takes the scenario's value.
    Taken,
}

/// A parameter that a scenario sets for all schemes, of a scheme with a preset.
#[derive(Clone, Debug, PartialEq)]
pub struct BesidePreset {
    /// The parameter's name.
    pub name: String,
    /// The scenario's value; at a link, in packets and seconds where the scheme takes it.
    pub value: String,
    /// What sets it: "parameters" or "network.buffer".
    pub by: &'static str,
    /// The preset's value; `None` where the preset leaves the parameter open.
    pub preset: Option<&'static str>,
    /// Whether the scheme takes the scenario's value instead of the preset's or its default.
    pub is_taken: bool,
}

/// A scheme with what the scenario sets for all.
pub(super) struct Completed {
    pub(super) spec: Spec,
    /// For each parameter of the scenario, whether the scheme has it.
    pub(super) used: Vec<bool>,
    /// The places of those that the scheme takes.
    pub(super) places: Vec<(String, Place)>,
    /// Whether its `limit` is the network's buffer.
    pub(super) limit_is_buffer: bool,
    pub(super) beside_preset: Vec<BesidePreset>,
}

/// A link and a path to see which parameters of a scheme have an effect.
const ANY_LINK: LinkFacts = LinkFacts::at(BitsPerSec::from_mbps(10));
const ANY_PATH: Path = Path {
    rtt: Nanos::from_millis(50),
    flows: 1,
};

/// Completes a scheme, whose own parameters are `own`, by what the scenario sets for all.
pub(super) fn complete(own: &Spec, shared: &[Shared]) -> Completed {
    let mut completed = Completed {
        spec: own.clone(),
        used: Vec::new(),
        places: Vec::new(),
        limit_is_buffer: false,
        beside_preset: Vec::new(),
    };
    for parameter in shared {
        let effect = parameter.apply(own, &mut completed.spec);
        completed.used.push(!matches!(effect, Effect::None));
        let is_taken = matches!(effect, Effect::Taken);
        if is_taken {
            completed.limit_is_buffer |= !matches!(parameter.by, Setter::Parameters);
            let place = parameter.place.clone();
            completed.places.push((parameter.name.clone(), place));
        }
        let is_kept = matches!(effect, Effect::Preset) && parameter.value != "auto";
        if is_kept || is_taken && parameter.has_preset(&completed.spec) {
            completed.beside_preset.push(BesidePreset {
                name: parameter.name.clone(),
                value: parameter.value.clone(),
                by: parameter.field(),
                preset: completed.spec.of_preset(&parameter.name),
                is_taken,
            });
        }
    }
    completed
}

impl Shared {
    /// A parameter of the table `parameters`.
    pub(super) fn parameter((name, value, place): (String, String, Place)) -> Shared {
        Shared {
            name,
            value,
            place,
            by: Setter::Parameters,
        }
    }

    /// The buffer, as a `limit`.
    pub(super) fn limit(buffer: &Buffer) -> Shared {
        Shared {
            name: "limit".to_string(),
            value: buffer.length.clone(),
            place: buffer.place.clone(),
            by: match buffer.is_given {
                true => Setter::Buffer,
                false => Setter::AutomaticBuffer,
            },
        }
    }

    /// The field of the scenario that sets it.
    fn field(&self) -> &'static str {
        match self.by {
            Setter::Parameters => "parameters",
            Setter::Buffer | Setter::AutomaticBuffer => "network.buffer",
        }
    }

    /// Sets it in `spec`, a scheme whose own parameters are `own`, where it applies there.
    fn apply(&self, own: &Spec, spec: &mut Spec) -> Effect {
        let name = self.name.as_str();
        // The buffer is no second limit beside that of `parameters`.
        if spec.given(name).is_some() {
            return Effect::Own;
        }
        let preset = match self.by {
            // A preset among the parameters is as general as these are.
            Setter::Parameters => own.of_preset(name),
            Setter::AutomaticBuffer => spec.of_preset(name),
            Setter::Buffer => None,
        };
        if preset.is_some() {
            return Effect::Preset;
        }
        match spec.clone().with(name, &self.value) {
            Ok(with) if has_effect(name, spec) => {
                *spec = with;
                Effect::Taken
            }
            _ => Effect::None,
        }
    }

    /// Whether a preset decides about parameters of its kind.
    fn has_preset(&self, spec: &Spec) -> bool {
        let name = match self.name.starts_with("inner.") {
            true => "inner.as",
            false => "as",
        };
        self.name != name && spec.given(name).is_some()
    }
}

/// A scheme's parameters at any link: which of them have an effect depends on none.
fn settings(spec: &Spec) -> Result<Settings, ConfigError> {
    ANY_PATH.resolve(spec, &ANY_LINK).settings(&ANY_LINK)
}

/// The parameters that were given and have no effect, each with what it would take.
pub(super) fn without_effect(spec: &Spec) -> Vec<String> {
    let Ok(settings) = settings(spec) else {
        return Vec::new();
    };
    let given = settings.iter().map(|(parameter, _)| parameter);
    let given = given.filter(|parameter| settings.was_given(parameter.name));
    let all = given.filter_map(|parameter| {
        let (other, values) = settings.undone_by(parameter)?;
        Some(format!(
            "`{}` has no effect with {} = {}: it belongs to {} = {}",
            parameter.name,
            other.name,
            settings.value(other.name),
            other.name,
            values.join(" or "),
        ))
    });
    all.collect()
}

/// Whether a parameter has an effect with a scheme's other parameters at their values.
fn has_effect(name: &str, spec: &Spec) -> bool {
    match (settings(spec), spec.descriptor().parameter(name)) {
        (Ok(settings), Some(parameter)) => settings.matters(parameter),
        _ => true,
    }
}
