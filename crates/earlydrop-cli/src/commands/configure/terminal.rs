//! The recommended configuration in a terminal.

use earlydrop_model::configure::Recommendation;
use earlydrop_report::configuration::{self, ConfigurationReport, OperatingPoint};

use crate::draw::{Look, Plot, Style, Table, Text, definition, indented, sparkline};

/// The largest width, in columns.
pub(super) const WIDTH: usize = 96;
/// The height of the plot, in rows.
const PLOT_ROWS: usize = 9;
/// The width of a sparkline, in columns.
const SPARKLINE: usize = 24;
/// The column of sentences after their labels.
pub(super) const SENTENCES: usize = 11;

/// The report as lines of text.
pub(super) fn lines(report: &ConfigurationReport, style: &Style) -> Vec<Text> {
    let style = &Style {
        width: style.width.min(WIDTH),
        ..*style
    };
    let recommendation = &report.configuration;
    let mut lines = head(report, style);
    lines.push(Text::default());
    lines.extend(operating_point(recommendation, style));
    lines.push(Text::default());
    lines.extend(table(&configuration::methods(report), style));
    let notes = configuration::notes(recommendation);
    if !notes.is_empty() {
        lines.push(Text::default());
    }
    for note in notes {
        let bullet = Text::new("!", Look::Emphasis);
        let text = |width: usize| Text::from(note).wrapped(width);
        lines.extend(definition(&bullet, 2, style.width, text));
    }
    for rows in [
        configuration::prediction_and_simulation(report),
        configuration::trials(report),
    ] {
        if !rows.is_empty() {
            lines.push(Text::default());
            lines.extend(table(&rows, style));
        }
    }
    lines
}

/// The question, the chosen parameters and the prediction.
fn head(report: &ConfigurationReport, style: &Style) -> Vec<Text> {
    let recommendation = &report.configuration;
    let width = style.width.saturating_sub(2);
    let mut lines =
        Text::new(&configuration::title(recommendation), Look::Strong).wrapped(style.width);
    lines.push(Text::default());
    let spec = Text::new(
        &recommendation.choices[0].advice.spec.to_string(),
        Look::Code,
    );
    lines.extend(indented(2, spec.wrapped(width)));
    lines.push(Text::default());
    let sparkline = |values: &[f64]| format!("{} ", sparkline(values, SPARKLINE, style.unicode));
    let predicted = configuration::statements(report, sparkline);
    for (label, sentence) in configuration::outcome(report).into_iter().chain(predicted) {
        let label = Text::new(label, Look::Faint);
        let text = |width: usize| Text::from(sentence).wrapped(width);
        lines.extend(indented(2, definition(&label, SENTENCES, width, text)));
    }
    lines
}

/// A plot of the scheme's signals and those that the flows need, over the average queue.
fn operating_point(recommendation: &Recommendation, style: &Style) -> Vec<Text> {
    let point = OperatingPoint::of(recommendation);
    let scheme = format!("signals of {}", recommendation.choices[0].gateway.scheme());
    let mut plot = Plot::new((0.0, point.end), (0.0, point.top))
        .labels("average queue, packets", "dropped or marked, % of packets")
        .height(PLOT_ROWS)
        .line(&scheme, point.signals)
        .line(
            "signals at which the flows just fill the link",
            point.required,
        );
    for (at, label) in point.marks {
        plot = plot.mark(at, &label);
    }
    plot.lines(style)
}

/// A table whose first row is its header.
pub(super) fn table(rows: &[Vec<String>], style: &Style) -> Vec<Text> {
    let texts = |row: &Vec<String>| row.iter().map(|cell| Text::from(cell.as_str())).collect();
    let mut rows = rows.iter().map(texts);
    let mut table = Table::headed(rows.next().unwrap_or_default());
    rows.for_each(|row| table.row(row));
    table.lines(style.width, style.unicode)
}
