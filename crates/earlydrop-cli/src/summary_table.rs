//! A run's summary tables, laid out for a terminal.

use std::io;

use earlydrop_lab::plan::{CHANGED, Plan};
use earlydrop_lab::summary::Summary;
use earlydrop_report::answers::answers;
use earlydrop_report::derived;
use earlydrop_report::key::key;
use earlydrop_report::table::{
    Cell, Mark, NOT_TRUSTWORTHY, Table, View, all_tables, along_sweep, has_doubtful_runs, measured,
    point_tables,
};

use crate::draw::{Look, Style, Text};
use crate::output::Output;

/// Prints the scenario, what was derived from it, and every table with the meaning of its marks.
pub(crate) fn print(
    plan: &Plan,
    summary: &Summary,
    view: &View,
    out: &mut Output<'_>,
    style: &Style,
) -> io::Result<()> {
    out.lines(&lines(plan, summary, view, style), style)
}

/// The lines of [`print`].
pub(crate) fn lines(plan: &Plan, summary: &Summary, view: &View, style: &Style) -> Vec<Text> {
    let mut lines = header(plan, summary, style);
    lines.extend(answer_lines(plan, summary, style));
    let is_alike = derived::of_all_points(plan).is_some();
    for table in along_sweep(plan, summary, view) {
        lines.extend([Text::default(), Text::new(&table.title, Look::Strong)]);
        lines.extend(lay_out(&table, style));
    }
    for point in 0..plan.points.len() {
        for (index, table) in point_tables(plan, summary, view, point).iter().enumerate() {
            lines.push(Text::default());
            if !table.title.is_empty() {
                lines.push(Text::new(&table.title, Look::Strong));
            }
            if index == 0 && !is_alike {
                let derived = derived::at_point(plan, point);
                lines.extend(derived.iter().flat_map(|line| faint(line, style)));
            }
            lines.extend(lay_out(table, style));
        }
    }
    lines.push(Text::default());
    let key = key(plan, &all_tables(plan, summary, view), view, style.unicode);
    lines.extend(key.iter().flat_map(|line| faint(line, style)));
    if has_doubtful_runs(summary) {
        lines.extend(faint(NOT_TRUSTWORTHY, style));
    }
    lines
}

/// The title, the size of the run, and what holds at every point of the sweep.
fn header(plan: &Plan, summary: &Summary, style: &Style) -> Vec<Text> {
    let scenario = plan.scenario();
    let mut lines = vec![Text::new(&scenario.title, Look::Strong)];
    // What a file says of itself stands in the file; what was changed is seen nowhere else.
    if scenario.about.starts_with(CHANGED) {
        lines.extend(Text::new(&scenario.about, Look::Plain).wrapped(style.width));
    }
    lines.extend(faint(&measured(plan, summary), style));
    let derived = derived::of_all_points(plan).unwrap_or_default();
    lines.extend(derived.iter().flat_map(|line| faint(line, style)));
    lines
}

/// What the runs answer: at the only point, or over a sweep.
fn answer_lines(plan: &Plan, summary: &Summary, style: &Style) -> Vec<Text> {
    let mut lines = vec![Text::default()];
    for answer in answers(plan, summary) {
        let text = match plan.points.len() {
            1 => answer.at.into_iter().next().flatten(),
            _ => answer.overall,
        };
        let Some(text) = text else { continue };
        let mut line = Text::new(&format!("{}: ", answer.question), Look::Strong);
        line.push(&text, Look::Plain);
        lines.extend(line.wrapped(style.width));
    }
    match lines.len() {
        1 => Vec::new(),
        _ => lines,
    }
}

fn faint(text: &str, style: &Style) -> Vec<Text> {
    Text::new(text, Look::Faint).wrapped(style.width)
}

/// A table in blocks of columns that fit the width, each block with the schemes' names.
pub(crate) fn lay_out(table: &Table, style: &Style) -> Vec<Text> {
    let columns: Vec<Column> = (0..table.header.len())
        .map(|index| Column::of(table, index, style.unicode))
        .collect();
    let Some((names, columns)) = columns.split_first() else {
        return Vec::new();
    };
    if columns.is_empty() {
        let nothing = "every value is zero, or was not measured";
        return vec![Text::new(nothing, Look::Faint)];
    }
    let mut lines = Vec::new();
    let mut rest = columns;
    while !rest.is_empty() {
        let mut room = style.width.saturating_sub(names.width);
        let fitting = rest.iter().take_while(|column| {
            let fits = column.width < room;
            room = room.saturating_sub(column.width + 1);
            fits
        });
        let count = fitting.count().max(1);
        if !lines.is_empty() {
            lines.push(Text::default());
        }
        lines.extend(block(names, &rest[..count]));
        rest = &rest[count..];
    }
    lines
}

/// A column: its heading, one word per line, and its cells.
struct Column {
    heading: Vec<String>,
    cells: Vec<(String, Look)>,
    width: usize,
}

impl Column {
    fn of(table: &Table, index: usize, unicode: bool) -> Column {
        let words = table.header[index].split(' ');
        let heading: Vec<String> = words.map(|word| word.replace('\u{a0}', " ")).collect();
        let cells: Vec<(String, Look)> = table
            .rows
            .iter()
            .map(|row| cell_text(&row[index], unicode))
            .collect();
        let texts = cells.iter().map(|(text, _)| text);
        let width = |text: &String| text.chars().count();
        // One more column for the mark; headings are aligned with the numbers.
        let words = heading.iter().map(|word| width(word) + 1);
        Column {
            width: texts.map(width).chain(words).max().unwrap_or(0),
            heading,
            cells,
        }
    }
}

/// The cell's text, followed by its mark or a space.
fn cell_text(cell: &Cell, unicode: bool) -> (String, Look) {
    let (sign, look) = match cell.mark {
        Mark::None => (" ", Look::Plain),
        Mark::Similar | Mark::Moving => (cell.mark.sign(unicode), Look::Plain),
        Mark::Best | Mark::Significant => (cell.mark.sign(unicode), Look::Strong),
    };
    (format!("{}{sign}", cell.text), look)
}

/// The schemes' names with some of the columns.
fn block(names: &Column, columns: &[Column]) -> Vec<Text> {
    let all = || columns.iter().chain([names]);
    let tallest = all().map(|column| column.heading.len()).max().unwrap_or(0);
    let line = |first: (&str, Look), rest: Vec<(&str, Look)>| {
        let mut text = Text::new(&format!("{:<1$}", first.0, names.width), first.1);
        for ((cell, look), column) in rest.into_iter().zip(columns) {
            text.push(&format!(" {cell:>0$}", column.width), look);
        }
        text
    };
    let mut lines = Vec::new();
    for height in (0..tallest).rev() {
        let word = |column: &Column| {
            let index = column.heading.len().checked_sub(height + 1);
            index.map_or(String::new(), |index| format!("{} ", column.heading[index]))
        };
        let words: Vec<String> = columns.iter().map(word).collect();
        let words = words.iter().map(|word| (word.as_str(), Look::Faint));
        lines.push(line((&word(names), Look::Faint), words.collect()));
    }
    for (row, (name, look)) in names.cells.iter().enumerate() {
        let cells = columns.iter().map(|column| &column.cells[row]);
        let cells = cells.map(|(text, look)| (text.as_str(), *look));
        lines.push(line((name, *look), cells.collect()));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let cell = |text: &str, mark| Cell {
            text: text.to_string(),
            mark,
        };
        Table {
            title: String::new(),
            header: ["scheme", "queueing delay ms", "loss %"]
                .map(String::from)
                .into(),
            rows: vec![
                vec![
                    cell("red", Mark::None),
                    cell("9.1 ± 0.2", Mark::None),
                    cell("2.0", Mark::Similar),
                ],
                vec![
                    cell("codel", Mark::None),
                    cell("5.0 ± 0.1", Mark::Best),
                    cell("1.0", Mark::None),
                ],
            ],
        }
    }

    fn plain(width: usize) -> String {
        drawn(width, true)
    }

    fn drawn(width: usize, unicode: bool) -> String {
        let style = Style {
            colour: false,
            unicode,
            width,
        };
        let mut out = Vec::new();
        Output::new(&mut out)
            .lines(&lay_out(&table(), &style), &style)
            .unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn columns_stand_side_by_side_where_there_is_room() {
        let wanted = "         queueing
            delay  loss
scheme         ms     %
red     9.1 ± 0.2   2.0≈
codel   5.0 ± 0.1*  1.0
";
        assert_eq!(plain(80), wanted);
        assert_eq!(drawn(80, false), wanted.replace('≈', "~"));
    }

    #[test]
    fn a_narrow_terminal_gets_several_blocks() {
        let narrow = plain(20);
        assert_eq!(narrow.matches("scheme").count(), 2, "{narrow}");
        assert!(narrow.lines().all(|line| line.chars().count() <= 20));
    }
}
