//! The answer of `earlydrop translate`: a configuration of RED in other tools' syntax.

use earlydrop_model::ModelError;
use earlydrop_model::explain::expect;
use earlydrop_model::spacing::long_run;
use earlydrop_model::tools::{self, Configuration, TOOLS, Tool, Translation};
use serde_json::{Value, json};

use crate::model_json;
use crate::request::{LoadOptions, RequestError, ToolInput, ToolText, tool};

/// The options of `earlydrop translate`.
#[derive(Clone, Debug)]
pub struct TranslateOptions {
    /// The configuration.
    pub configuration: ToolText,
    /// The tool of the configuration, where the syntax is ambiguous.
    pub from: Option<String>,
    /// The tools to translate to: a comma-separated list, or "all".
    pub to: String,
    /// The load under which the effect is predicted.
    pub load: LoadOptions,
}

/// A configuration and its translations.
#[derive(Clone, Debug)]
pub struct TranslationReport {
    /// The configuration and the load.
    pub input: ToolInput,
    /// The translations, in the order of the request.
    pub targets: Vec<Target>,
}

/// The translations for one tool.
#[derive(Clone, Debug)]
pub struct Target {
    /// The tool.
    pub tool: &'static Tool,
    /// The translation with max_p adapted, so that the tool signals as often.
    pub proposed: Translation,
    /// The translation with the numbers copied.
    pub copied: Translation,
}

/// Translates a configuration.
pub fn translate(options: &TranslateOptions) -> Result<TranslationReport, RequestError> {
    let from = options.from.as_deref();
    let from = from.map(|name| tool("--from", name)).transpose()?;
    let wanted = tools_of(&options.to)?;
    let input = ToolInput::read(&options.configuration, from, &options.load)?;
    let (configuration, link) = (&input.configuration, input.load.link());
    let mut targets = Vec::new();
    for tool in wanted {
        let refuse = |refusal| RequestError::Option(format!("--to {}: {refusal}", tool.name));
        targets.push(Target {
            tool,
            proposed: tools::translate(configuration, tool, &link).map_err(refuse)?,
            copied: tools::word_for_word(configuration, tool, &link).map_err(refuse)?,
        });
    }
    Ok(TranslationReport { input, targets })
}

/// The tools of a comma-separated list, or of "all".
pub fn tools_of(list: &str) -> Result<Vec<&'static Tool>, RequestError> {
    if list == "all" {
        return Ok(TOOLS.to_vec());
    }
    let names = list.split(',').map(str::trim);
    names.map(|name| tool("--to", name)).collect()
}

/// The long-run share of packets dropped or marked just below max.
pub fn signals_at_max(configuration: &Configuration) -> f64 {
    long_run(
        configuration.spacing.value,
        configuration.classes[0].max_p.value,
    )
}

/// The report as JSON; keys and their order are stable.
pub fn json(report: &TranslationReport) -> Result<Value, RequestError> {
    let (configuration, load) = (&report.input.configuration, &report.input.load);
    let effect = |configuration: &Configuration| -> Result<Value, ModelError> {
        let predicted = expect(configuration, load)?;
        Ok(json!({
            "max_p": configuration.classes[0].max_p.value,
            "signals_at_max": signals_at_max(configuration),
            "prediction": model_json::prediction(&predicted),
        }))
    };
    let translation = |written: &Translation| -> Result<Value, ModelError> {
        let lost = written.lost.iter().map(|lost| {
            json!({ "knob": lost.knob.name(), "from": lost.from, "to": lost.to, "why": lost.why })
        });
        Ok(json!({
            "text": written.text,
            "notes": written.notes,
            "lost": lost.collect::<Vec<_>>(),
            "comes_to": effect(&written.configuration)?,
        }))
    };
    let mut to = Vec::new();
    for target in &report.targets {
        to.push(json!({
            "tool": target.tool.name,
            "proposed": translation(&target.proposed)?,
            "word_for_word": translation(&target.copied)?,
        }));
    }
    Ok(json!({
        "from": configuration.tool.name,
        "load": model_json::load(load),
        "comes_to": effect(configuration)?,
        "to": to,
    }))
}
