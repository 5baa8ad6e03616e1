//! The chosen parameters ready to paste: as a scenario, or in another tool's syntax.

use earlydrop::registry::nearest;
use earlydrop_lab::verify::{RunLength, scenario};
use earlydrop_model::configure::Recommendation;
use earlydrop_model::explain::{Fit, Outlook, fit};
use earlydrop_model::number::number;
use earlydrop_model::tools::{Knob, Origin, ParseError, TOOLS, Tool, differences, of_spec};

use super::SnippetError;

/// The format that is not a tool's: a scenario for `earlydrop run`.
const SCENARIO: &str = "earlydrop";

/// A configuration in one format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    /// The format's name: "earlydrop", "linux", "cisco".
    pub format: &'static str,
    /// What the text is for, in a few words.
    pub title: &'static str,
    /// The text to paste, with a line end.
    pub text: String,
}

/// The other tools that a configuration of RED can be written for.
fn tools() -> impl Iterator<Item = &'static Tool> {
    TOOLS.iter().copied().filter(|tool| tool.name != SCENARIO)
}

/// Checks that there is a format of this name.
pub fn check_format(format: &str) -> Result<(), SnippetError> {
    let names = || [SCENARIO].into_iter().chain(tools().map(|tool| tool.name));
    if names().any(|name| name == format) {
        return Ok(());
    }
    let near = nearest(format, names()).unwrap_or(SCENARIO);
    let known = names().collect::<Vec<_>>().join(", ");
    Err(SnippetError::UnknownFormat {
        format: format.to_string(),
        known,
        near,
    })
}

/// The chosen parameters in one format; a scenario runs with `seeds` seeds.
pub fn snippet(
    format: &str,
    configuration: &Recommendation,
    seeds: u64,
) -> Result<String, SnippetError> {
    check_format(format)?;
    let Some(tool) = tools().find(|tool| tool.name == format) else {
        return Ok(as_scenario(configuration, seeds));
    };
    let fitted = fitted(tool, configuration).map_err(|refusal| inexpressible(tool, &refusal))?;
    Ok(fitted.translation.text + "\n")
}

fn inexpressible(tool: &Tool, refusal: &ParseError) -> SnippetError {
    SnippetError::Inexpressible {
        format: tool.name.to_string(),
        why: refusal.to_string(),
    }
}

/// What the syntax of `format` costs: the knobs that it cannot express as chosen, and what the model
/// foretells of those that it takes instead. Empty where nothing is lost.
pub fn cost(format: &str, configuration: &Recommendation) -> Result<Vec<String>, SnippetError> {
    let Some(tool) = tools().find(|tool| tool.name == format) else {
        return Ok(Vec::new());
    };
    let fitted = fitted(tool, configuration).map_err(|refusal| inexpressible(tool, &refusal))?;
    let link = configuration.load.link();
    // A weight that is rounded matters less than one that is gone.
    let has_weight = tool.knobs.iter().any(|entry| entry.knob == Knob::Weight);
    let counts = |knob: Knob| match knob {
        Knob::Weight => !has_weight,
        Knob::Min | Knob::Max | Knob::MaxP | Knob::Shape | Knob::Ecn | Knob::Adapt => true,
        _ => false,
    };
    let red = of_spec(&configuration.choices[0].advice.spec, &link);
    let red = red.map_err(|refusal| inexpressible(tool, &refusal))?;
    let changed = differences(&red, &fitted.translation.configuration, &link).into_iter();
    let changed = changed.filter(|one| counts(one.knob));
    let mut lines: Vec<String> = changed
        .map(|one| format!("{} {} becomes {}", one.knob.name(), one.from, one.to))
        .collect();
    if let (false, Some(chosen), Some(pasted)) = (lines.is_empty(), fitted.given, fitted.fitted) {
        lines.push(format!("foretold as chosen: {}", in_words(&chosen)));
        lines.push(format!("foretold as pasted: {}", in_words(&pasted)));
    }
    if let Origin::Implied(why) = fitted.translation.configuration.limit.origin {
        let buffer = number(configuration.buffer);
        lines.push(format!("the buffer, {buffer} packets, is {why}"));
    }
    lines.extend(fitted.warning);
    Ok(lines)
}

/// "5.3 ms, 0.4% lost or marked, utilisation 100%, stable".
fn in_words(outlook: &Outlook) -> String {
    let predicted = &outlook.prediction;
    let signals = predicted.loss + predicted.marks;
    let verdict = outlook
        .stability
        .map(|margins| format!(", {}", margins.verdict().name()));
    format!(
        "{} ms, {}% lost or marked, utilisation {}%{}",
        number(1e3 * predicted.delay.as_secs_f64()),
        number(100.0 * signals),
        number(100.0 * predicted.utilisation),
        verdict.unwrap_or_default(),
    )
}

/// The chosen parameters in every format that can express them.
pub fn snippets(configuration: &Recommendation, seeds: u64) -> Vec<Snippet> {
    let scenario = Snippet {
        format: SCENARIO,
        title: "a scenario for `earlydrop run`",
        text: as_scenario(configuration, seeds),
    };
    let others = tools().filter_map(|tool| {
        Some(Snippet {
            format: tool.name,
            title: tool.title,
            text: fitted(tool, configuration).ok()?.translation.text + "\n",
        })
    });
    [scenario].into_iter().chain(others).collect()
}

/// The chosen parameters in another tool's syntax; refused where they are not of RED.
fn fitted(tool: &'static Tool, configuration: &Recommendation) -> Result<Fit, ParseError> {
    let red = of_spec(
        &configuration.choices[0].advice.spec,
        &configuration.load.link(),
    )?;
    fit(&red, tool, &configuration.load)
}

fn as_scenario(configuration: &Recommendation, seeds: u64) -> String {
    let specs = [configuration.choices[0].advice.spec.clone()];
    let length = RunLength::for_load(&configuration.load, seeds);
    scenario(&configuration.load, &specs, length)
}
