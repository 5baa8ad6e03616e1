//! The answer of `earlydrop explain`: what another tool's configuration of RED means, and its
//! correction.

mod transports;

use std::sync::atomic::AtomicBool;

use earlydrop::registry::{self, Spec};
use earlydrop::units::BitsPerSec;
use earlydrop_lab::escape::CommandLine;
use earlydrop_model::explain::{self, Explanation, Fix, Severity, time_of};
use earlydrop_model::validity::Band;
use earlydrop_model::{Gateway, Load, Prediction, predict};
use serde_json::{Value, json};

use crate::model_json;
use crate::request::{LoadOptions, OtherScheme, RequestError, ToolInput, ToolText, tool};

pub use transports::{ByTransport, hint};

/// The options of `earlydrop explain`.
#[derive(Clone, Debug)]
pub struct ExplainOptions {
    /// The configuration.
    pub configuration: ToolText,
    /// The tool's name, where the syntax is ambiguous.
    pub tool: Option<String>,
    /// Whether the configuration is corrected, too.
    pub fix: bool,
    /// The load under which it is examined.
    pub load: LoadOptions,
}

/// A configuration, what it means under a load and, where asked for, its correction.
#[derive(Clone, Debug)]
pub struct ExplanationReport {
    /// The configuration and the load.
    pub input: ToolInput,
    /// The meaning of each knob, a prediction, and findings.
    pub explanation: Explanation,
    /// The configuration corrected.
    pub fix: Option<Fix>,
    /// What it does to the transports of a data centre, where it marks at a switch there.
    pub transports: Option<ByTransport>,
}

/// Explains a configuration. What a switch's marking does to transports is simulated, which may take
/// a minute: `stop` ends it, and `on_progress` is called with what begins.
pub fn explain(
    options: &ExplainOptions,
    stop: &AtomicBool,
    on_progress: &mut dyn FnMut(&str),
) -> Result<ExplanationReport, RequestError> {
    let named = options.tool.as_deref();
    let named = named.map(|name| tool("--as", name)).transpose()?;
    let input = ToolInput::read(&options.configuration, named, &options.load)?;
    let explanation = explain::explain(&input.configuration, &input.text, &input.load)?;
    let fix = match options.fix {
        true => Some(explain::fix(
            &input.configuration,
            &input.text,
            &input.load,
        )?),
        false => None,
    };
    let transports = match fix {
        Some(_) => None,
        None => transports::simulated(&explanation, stop, on_progress)?,
    };
    Ok(ExplanationReport {
        input,
        explanation,
        fix,
        transports,
    })
}

/// A scheme that is not RED, or the one that simulates a line of tc.
#[derive(Clone, Debug)]
pub struct SchemeReport {
    /// The tool of the text: Linux, or earlydrop.
    pub tool: &'static str,
    /// The scheme, with the parameters that the text sets.
    pub spec: Spec,
    /// The parameters that matter, each with its value and origin.
    pub parameters: Vec<(String, String, String)>,
    /// The load.
    pub load: Load,
    /// The load as a phrase, with the options that would change what is assumed.
    pub load_in_words: String,
    /// The operating point under the load, where the model has one.
    pub prediction: Option<Prediction>,
    /// Why there is no prediction, or what it leaves out.
    pub notes: Vec<String>,
    /// The command that simulates the scheme under the load.
    pub command: String,
}

/// Explains a scheme that is not RED, as such or as a line of tc; `None` where the text is none.
pub fn explain_scheme(options: &ExplainOptions) -> Result<Option<SchemeReport>, RequestError> {
    let mut load = options.load.load()?;
    let (text, tool) = (&options.configuration, options.tool.as_deref());
    let Some(found) = OtherScheme::read(text, tool, &load)? else {
        return Ok(None);
    };
    let OtherScheme { tool, spec, shaped } = found;
    // A shaper is the bottleneck.
    let shaped = shaped.or(bandwidth(&spec, &load)?);
    let shaped = shaped.filter(|_| options.load.link.is_none());
    load.rate = shaped.unwrap_or(load.rate);
    let rate = match (shaped, &options.load.link) {
        (Some(_), _) => " (from the configuration; --link)",
        (None, None) => " (--link)",
        (None, Some(_)) => "",
    };
    let settings = spec.settings(&load.link())?;
    let matters = settings
        .iter()
        .filter(|(parameter, _)| settings.matters(parameter));
    let parameters = matters.map(|(parameter, value)| {
        let origin = settings.origin_of(parameter);
        (parameter.name.to_string(), value.to_string(), origin)
    });
    let predicted = Gateway::of(&spec, &load).and_then(|gateway| {
        let prediction = predict(&load, &gateway)?;
        Ok((prediction, gateway.omissions().to_vec()))
    });
    let (prediction, notes) = match predicted {
        Ok((prediction, omissions)) => (
            Some(prediction),
            omissions.into_iter().map(str::to_string).collect(),
        ),
        Err(error) => (None, vec![error.to_string()]),
    };
    Ok(Some(SchemeReport {
        load_in_words: options.load.in_words(&load, rate),
        tool,
        parameters: parameters.collect(),
        command: command(&spec, &load),
        spec,
        load,
        prediction,
        notes,
    }))
}

/// The rate that a scheme shapes to by itself, where the text has one.
fn bandwidth(spec: &Spec, load: &Load) -> Result<Option<BitsPerSec>, RequestError> {
    const NAME: &str = "bandwidth";
    if spec.given(NAME).is_none() {
        return Ok(None);
    }
    Ok(match spec.settings(&load.link())?.value(NAME) {
        registry::Value::Rate(rate) => Some(*rate),
        _ => None,
    })
}

/// The command that simulates a scheme beside drop-tail under a load.
fn command(spec: &Spec, load: &Load) -> String {
    let joined = |value: String| value.replace(' ', "");
    CommandLine::new("compare")
        .option("--schemes", format!("{spec},droptail"))
        .option("--link", joined(load.rate.to_string()))
        .option("--rtt", joined(load.rtt.to_string()))
        .option("--flows", load.flows.to_string())
        .to_string()
}

/// The report of another discipline as JSON; keys and their order are stable.
pub fn scheme_json(report: &SchemeReport) -> Value {
    let parameters = report
        .parameters
        .iter()
        .map(|(name, value, origin)| json!({ "name": name, "value": value, "origin": origin }));
    json!({
        "tool": report.tool,
        "spec": report.spec.to_string(),
        "load": model_json::load(&report.load),
        "parameters": parameters.collect::<Vec<_>>(),
        "prediction": report.prediction.as_ref().map(model_json::prediction),
        "notes": report.notes,
        "simulate": report.command,
    })
}

/// The report as JSON; keys and their order are stable.
pub fn json(report: &ExplanationReport) -> Value {
    let mut document = document(&report.explanation);
    document["objects"] = json!(report.explanation.configuration.objects);
    document["irrelevant"] = irrelevant(report)
        .map(|(line, text)| json!({ "line": line, "text": text }))
        .collect();
    if let Some(by_transport) = &report.transports {
        document["transports"] = by_transport.json();
    }
    if let Some(fix) = &report.fix {
        document["fix"] = fix_document(fix);
    }
    document
}

/// What the text has beside the configuration: line by line, with the line's number.
pub fn irrelevant(report: &ExplanationReport) -> impl Iterator<Item = (usize, &str)> {
    let text = report.input.text.as_str();
    let places = report.explanation.configuration.irrelevant.iter();
    places.filter_map(move |place| {
        let line = 1 + text.get(..place.start)?.matches('\n').count();
        Some((line, text.get(place.clone())?))
    })
}

/// The explanation as JSON.
fn document(explanation: &Explanation) -> Value {
    let load = &explanation.load;
    let settings = explanation.settings.iter().map(|setting| {
        json!({
            "knob": setting.knob.name(),
            "name": setting.name,
            "written": setting.written,
            "value": setting.value,
            "bytes": setting.bytes,
            "packets": setting.bytes.map(|bytes| bytes / load.packet.0 as f64),
            "seconds": setting.bytes.map(|bytes| time_of(bytes, load).as_secs_f64()),
            "long_run": setting.signal_rate,
            "origin": setting.origin,
            "meaning": setting.knob.meaning(),
        })
    });
    let classes = explanation.configuration.curves();
    let curves = classes
        .iter()
        .zip(&explanation.curves)
        .map(|(class, points)| json!({ "class": class.name, "points": points }));
    let findings = explanation.findings.iter().map(|finding| {
        json!({
            "rule": finding.rule.name,
            "gravity": finding.rule.severity.name(),
            "what": finding.what,
            "change": finding.change,
            "source": finding.rule.source,
        })
    });
    let spec = explanation.configuration.spec(0, &load.link());
    let doubts = explanation
        .caveats
        .iter()
        .map(|caveat| json!({ "name": caveat.name(), "meaning": caveat.meaning() }));
    let band = Band::of(load, &explanation.caveats);
    let measured = band.map(|band| model_json::measured(&band.measured(&explanation.prediction)));
    json!({
        "tool": explanation.configuration.tool.name,
        "spec": spec.map(|spec| spec.to_string()).unwrap_or_default(),
        "load": model_json::load(load),
        "settings": settings.collect::<Vec<_>>(),
        "long_run": curves.collect::<Vec<_>>(),
        "prediction": model_json::prediction(&explanation.prediction),
        "measured": measured,
        "doubts": doubts.collect::<Vec<_>>(),
        "caveats": explanation.omissions,
        "findings": findings.collect::<Vec<_>>(),
    })
}

/// The correction as JSON.
fn fix_document(fix: &Fix) -> Value {
    let changes = fix.changes.iter().map(|change| {
        json!({
            "parameter": change.name,
            "from": change.from,
            "to": change.to,
            "reason": change.reason,
        })
    });
    let left = fix
        .left
        .iter()
        .filter(|one| one.rule.severity < Severity::Notice);
    let left = left.map(|one| json!({ "rule": one.rule.name, "what": one.what }));
    json!({
        "text": fix.text,
        "changes": changes.collect::<Vec<_>>(),
        "left": left.collect::<Vec<_>>(),
        "prediction": model_json::prediction(&fix.prediction),
    })
}
