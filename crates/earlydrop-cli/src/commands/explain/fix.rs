//! `earlydrop explain --fix`: the corrected configuration, and what was changed.

use earlydrop_model::explain::{Explanation, Fix};
use earlydrop_report::request::ToolInput;

use super::in_words;
use crate::draw::{Look, Style, Table, Text, indented};

/// The corrected configuration, the table of changes, the predictions before and after.
pub(super) fn lines(
    input: &ToolInput,
    explanation: &Explanation,
    fix: &Fix,
    style: &Style,
) -> Vec<Text> {
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
