//! The answer of `earlydrop translate`: a configuration of RED in other tools' syntax, or another
//! scheme in that of Linux.

use earlydrop::registry::Spec;
use earlydrop_model::ModelError;
use earlydrop_model::explain::expect;
use earlydrop_model::spacing::long_run;
use earlydrop_model::tools::{self, Configuration, Otherwise, TOOLS, Tool, Translation};
use serde_json::{Value, json};

use crate::model_json;
use crate::request::{
    LINUX, LoadOptions, OURS, OtherScheme, RequestError, ToolInput, ToolText, tool,
};

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

/// A scheme other than RED, as each of the tools that have it says it.
#[derive(Clone, Debug)]
pub struct SchemeTranslation {
    /// The scheme.
    pub spec: Spec,
    /// Its texts, in the order of the request.
    pub targets: Vec<SchemeText>,
}

/// A scheme in the syntax of one tool.
#[derive(Clone, Debug)]
pub struct SchemeText {
    /// The tool.
    pub tool: &'static Tool,
    /// The text to paste.
    pub text: String,
    /// The scheme that simulates it as the tool runs it.
    pub runs: String,
    /// What the tool does otherwise.
    pub otherwise: Vec<Otherwise>,
}

/// Translates a scheme other than RED, or a line of tc for one; `None` where the text is neither. The
/// tools that have such schemes are Linux and earlydrop.
pub fn translate_scheme(
    options: &TranslateOptions,
) -> Result<Option<SchemeTranslation>, RequestError> {
    let load = options.load.load()?;
    let (text, from) = (&options.configuration, options.from.as_deref());
    let Some(OtherScheme { spec, .. }) = OtherScheme::read(text, from, &load)? else {
        return Ok(None);
    };
    let Some(written) = tools::qdisc_of_scheme(&spec, &load.link())? else {
        return Ok(None);
    };
    let wanted = tools_of(&options.to)?;
    let has_it = |tool: &&'static Tool| [LINUX, OURS].contains(&tool.name);
    let lacks = wanted.iter().find(|tool| !has_it(tool));
    if let (Some(tool), true) = (lacks, options.to != "all") {
        let (tool, scheme) = (tool.name, spec.descriptor().name);
        return Err(RequestError::Option(format!(
            "--to {tool}: {scheme} is not RED with other knobs; allowed: {LINUX}, {OURS}; nearest: --to \
             {LINUX}"
        )));
    }
    let targets = wanted.into_iter().filter(has_it).map(|tool| {
        let (text, runs, otherwise) = match tool.name {
            LINUX => (
                written.line.clone(),
                written.runs.clone(),
                written.otherwise.clone(),
            ),
            _ => (spec.to_string(), spec.to_string(), Vec::new()),
        };
        SchemeText {
            tool,
            text,
            runs,
            otherwise,
        }
    });
    let targets = targets.collect();
    Ok(Some(SchemeTranslation { spec, targets }))
}

/// The translation of a scheme as JSON; keys and their order are stable.
pub fn scheme_json(translated: &SchemeTranslation) -> Value {
    let to = translated.targets.iter().map(|target| {
        let lost = target.otherwise.iter();
        let lost =
            lost.map(|one| json!({ "knob": one.parameter, "from": one.here, "to": one.linux }));
        json!({
            "tool": target.tool.name,
            "text": target.text,
            "runs": target.runs,
            "lost": lost.collect::<Vec<_>>(),
        })
    });
    json!({ "spec": translated.spec.to_string(), "to": to.collect::<Vec<_>>() })
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
