//! The chosen parameters ready to paste: as a scenario, or in another tool's syntax.

use earlydrop::registry::{Spec, nearest};
use earlydrop::units::BitsPerSec;
use earlydrop_lab::verify::{RunLength, scenario};
use earlydrop_model::configure::Recommendation;
use earlydrop_model::explain::{Fit, Outlook, fit};
use earlydrop_model::number::number;
use earlydrop_model::tools::{
    Knob, Origin, ParseError, QdiscText, TOOLS, Tool, differences, of_spec, qdisc_of_scheme,
};

use super::SnippetError;
use crate::request::LINUX;
use crate::words::listed;

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
    if let Some(written) = other_qdisc(tool, configuration) {
        return Ok(written.line + "\n");
    }
    let fitted = fitted(tool, configuration).map_err(|refusal| inexpressible(tool, &refusal))?;
    Ok(fitted.translation.text + "\n")
}

/// The line of tc for a chosen scheme that is not RED.
fn other_qdisc(tool: &Tool, configuration: &Recommendation) -> Option<QdiscText> {
    let (spec, link) = (
        &configuration.choices[0].advice.spec,
        configuration.load.link(),
    );
    let is_other = tool.name == LINUX && of_spec(spec, &link).is_err();
    is_other.then(|| qdisc_of_scheme(spec, &link).ok()?)?
}

/// How a line of tc holds the queue where the bottleneck is behind a faster device.
pub(super) fn shaping(spec: &Spec, rate: BitsPerSec) -> String {
    match spec.descriptor().name {
        "cake" => format!(
            "cake shapes to {rate}; where that is a modem's rate, the queue is in the modem: give cake a \
             few percent less, and the link's overhead (pppoe-ptm, docsis)"
        ),
        name => format!(
            "{name} does not shape: where eth0 is faster than {rate}, as before a modem, the queue is \
             elsewhere. To have it here: tc qdisc add dev eth0 root handle 1: htb default 1; tc class \
             add dev eth0 parent 1: classid 1:1 htb rate {}bit; and parent 1:1 in place of root",
            rate.0
        ),
    }
}

fn inexpressible(tool: &Tool, refusal: &ParseError) -> SnippetError {
    SnippetError::Inexpressible {
        format: tool.name.to_string(),
        why: refusal.to_string(),
    }
}

/// What the syntax of `format` costs and asks for: the knobs that it cannot express as chosen, and what the model
/// predicts of those that it takes instead. Of Linux also how to shape. Empty where nothing is lost.
pub fn cost(format: &str, configuration: &Recommendation) -> Result<Vec<String>, SnippetError> {
    let Some(tool) = tools().find(|tool| tool.name == format) else {
        return Ok(Vec::new());
    };
    let link = configuration.load.link();
    let chosen = &configuration.choices[0].advice.spec;
    let shaping = (tool.name == LINUX).then(|| shaping(chosen, link.rate));
    if let Some(written) = other_qdisc(tool, configuration) {
        let names = written.otherwise.iter().map(|one| one.parameter);
        let names: Vec<&str> = names.collect();
        let otherwise = (!names.is_empty()).then(|| {
            let scheme = chosen.descriptor().name;
            format!(
                "{scheme} differs there in {}; as Linux runs it, it is {}",
                listed(names, "and"),
                written.runs
            )
        });
        return Ok(otherwise.into_iter().chain(shaping).collect());
    }
    let fitted = fitted(tool, configuration).map_err(|refusal| inexpressible(tool, &refusal))?;
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
        lines.push(format!("predicted as chosen: {}", in_words(&chosen)));
        lines.push(format!("predicted as pasted: {}", in_words(&pasted)));
    }
    if let Origin::Implied(why) = fitted.translation.configuration.limit.origin {
        let buffer = number(configuration.buffer);
        lines.push(format!("the buffer, {buffer} packets, is {why}"));
    }
    lines.extend(fitted.warning);
    lines.extend(shaping);
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
            text: match other_qdisc(tool, configuration) {
                Some(written) => written.line + "\n",
                None => fitted(tool, configuration).ok()?.translation.text + "\n",
            },
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
