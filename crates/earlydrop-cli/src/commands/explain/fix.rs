//! `earlydrop explain --fix`: the corrected configuration, and what was changed.

use std::io::Write;

use earlydrop_model::explain::{Explanation, Fix, Severity, fix};
use serde_json::json;

use super::{document, in_words, model_json};
use crate::draw::{Look, Style, Table, Text, indented};
use crate::failure::Failure;
use crate::output::Output;
use crate::tool_input::ToolInput;

/// Prints the corrected configuration and the table of changes, or both as JSON.
pub(super) fn run(
    input: &ToolInput,
    explanation: &Explanation,
    as_json: bool,
    out: &mut Output<'_>,
    style: &Style,
) -> Result<(), Failure> {
    let fix = fix(&input.configuration, &input.text, &input.load)?;
    if as_json {
        let mut document = document(explanation);
        document["fix"] = as_document(&fix);
        let text = serde_json::to_string_pretty(&document).unwrap_or_default();
        return Ok(writeln!(out, "{text}")?);
    }
    Ok(out.lines(&lines(input, explanation, &fix, style), style)?)
}

fn lines(input: &ToolInput, explanation: &Explanation, fix: &Fix, style: &Style) -> Vec<Text> {
    let width = style.width.saturating_sub(2);
    let sentence = |text: &str| indented(2, Text::from(text).wrapped(width));
    // Lines to paste are never wrapped.
    let code = fix.text.lines().map(|line| Text::new(line, Look::Code));
    let mut lines: Vec<Text> = code.collect();
    lines.push(Text::default());
    if fix.changes.is_empty() {
        lines.extend(sentence(
            "Nothing is changed: no finding is wrong or risky.",
        ));
    } else {
        lines.extend(table(fix, style));
    }
    lines.push(Text::default());
    lines.push(Text::new("Prediction", Look::Strong));
    lines.extend(sentence(&format!("For {}.", input.load_in_words)));
    if input.load_in_words.contains("(--") || input.load_in_words.contains("; --") {
        let words = "What is followed by an option is assumed: give yours, as the correction depends on it.";
        lines.extend(sentence(words));
    }
    lines.extend(sentence(&format!(
        "Before: {}.",
        in_words(&explanation.prediction)
    )));
    if !fix.changes.is_empty() {
        lines.extend(sentence(&format!("After: {}.", in_words(&fix.prediction))));
    }
    if !fix.left.is_empty() {
        lines.push(Text::default());
        let title = "Left, as no knob of this tool mends it";
        lines.push(Text::new(title, Look::Strong));
    }
    for finding in &fix.left {
        lines.extend(sentence(&format!(
            "{}: {}.",
            finding.rule.name, finding.what
        )));
    }
    lines
}

fn table(fix: &Fix, style: &Style) -> Vec<Text> {
    let header = ["parameter", "from", "to", "reason"];
    let mut table = Table::headed(header.map(Text::from).to_vec());
    for change in &fix.changes {
        table.row(vec![
            Text::new(&change.name, Look::Code),
            Text::from(change.from.as_str()),
            Text::new(&change.to, Look::Code),
            Text::from(change.reason.as_str()),
        ]);
    }
    table.lines(style.width, style.unicode)
}

fn as_document(fix: &Fix) -> serde_json::Value {
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
