//! The answer on a screen.

use earlydrop_model::configure::Configuration;

use earlydrop_report::configuration::{self, ConfigurationReport, Crossing};

use crate::draw::{Look, Plot, Style, Table, Text, beside, indented, sparkline};

const WIDEST: usize = 96;
const ROWS: usize = 9;
/// Columns of a small picture in a line.
const SMALL: usize = 24;

pub(super) fn lines(report: &ConfigurationReport, style: &Style) -> Vec<Text> {
    let style = &Style {
        width: style.width.min(WIDEST),
        ..*style
    };
    let found = &report.configuration;
    let mut lines = head(found, style);
    lines.push(Text::default());
    lines.extend(crossing(found, style));
    lines.push(Text::default());
    lines.extend(table(&configuration::methods(found), style));
    let notes = configuration::notes(found);
    if !notes.is_empty() {
        lines.push(Text::default());
    }
    for note in notes {
        let said = |width: usize| Text::from(note).wrapped(width);
        lines.extend(beside(
            &Text::new("!", Look::Emphasis),
            2,
            style.width,
            said,
        ));
    }
    let measured = configuration::prediction_and_simulation(report);
    if !measured.is_empty() {
        lines.push(Text::default());
        lines.extend(table(&measured, style));
    }
    lines
}

/// What is chosen, and what to expect of it.
fn head(found: &Configuration, style: &Style) -> Vec<Text> {
    let width = style.width.saturating_sub(2);
    let mut lines = Text::new(&configuration::title(found), Look::Strong).wrapped(style.width);
    lines.push(Text::default());
    let spec = Text::new(&found.choices[0].advice.spec.to_string(), Look::Code);
    lines.extend(indented(2, spec.wrapped(width)));
    lines.push(Text::default());
    let small = |values: &[f64]| format!("{} ", sparkline(values, SMALL, style.unicode));
    for (name, said) in configuration::statements(found, small) {
        let said = |width: usize| Text::from(said).wrapped(width);
        lines.extend(indented(
            2,
            beside(&Text::new(name, Look::Faint), 10, width, said),
        ));
    }
    lines
}

fn crossing(found: &Configuration, style: &Style) -> Vec<Text> {
    let crossing = Crossing::of(found);
    let scheme = format!("signals of {}", found.choices[0].gateway.scheme());
    let mut plot = Plot::new((0.0, crossing.end), (0.0, crossing.top))
        .labels("average queue, packets", "dropped or marked, % of packets")
        .height(ROWS)
        .line(&scheme, crossing.signals)
        .line(
            "signals at which the flows just fill the link",
            crossing.needs,
        );
    for (at, label) in crossing.marks {
        plot = plot.mark(at, &label);
    }
    plot.lines(style)
}

/// Rows below a row of names.
fn table(rows: &[Vec<String>], style: &Style) -> Vec<Text> {
    let texts = |row: &Vec<String>| row.iter().map(|cell| Text::from(cell.as_str())).collect();
    let mut rows = rows.iter().map(texts);
    let mut table = Table::headed(rows.next().unwrap_or_default());
    rows.for_each(|row| table.row(row));
    table.lines(style.width, style.unicode)
}
