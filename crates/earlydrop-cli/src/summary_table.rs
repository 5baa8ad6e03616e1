//! A run's summary tables, laid out for a terminal.

use std::io;

use earlydrop_lab::plan::{Hosts, Plan};
use earlydrop_lab::summary::Summary;
use earlydrop_report::table::{Cell, Table, tables};

use crate::draw::{Look, Style, Text};
use crate::output::Output;

/// Prints every table, followed by the meaning of its marks.
pub(crate) fn print(
    plan: &Plan,
    summary: &Summary,
    out: &mut Output<'_>,
    style: &Style,
) -> io::Result<()> {
    let scenario = plan.scenario();
    let seeds = summary.rows.iter().map(|row| row.seeds).max().unwrap_or(0);
    let runs = match seeds {
        1 => "one run each".to_string(),
        seeds => format!("means of {seeds} runs ± 95% intervals"),
    };
    let measured = format!("{} to {}", scenario.warm_up, scenario.duration);
    let mut lines = vec![Text::new(&scenario.title, Look::Strong)];
    let hosts = match plan.hosts {
        Hosts::Simulated => "",
        Hosts::Real => "live, on real hosts with the kernel's TCP: ",
    };
    lines.push(Text::new(
        &format!("{hosts}{runs}, measured from {measured}"),
        Look::Faint,
    ));
    let mut any_best = false;
    for table in tables(plan, summary) {
        lines.push(Text::default());
        if !table.title.is_empty() {
            lines.push(Text::new(&table.title, Look::Strong));
        }
        any_best |= table.rows.iter().flatten().any(|cell| cell.best);
        lines.extend(lay_out(&table, style.width));
    }
    lines.push(Text::default());
    if any_best {
        let meaning = "* best, or not significantly different from the best (paired 95% intervals)";
        lines.push(Text::new(meaning, Look::Faint));
    }
    let live = summary.rows.iter().filter_map(|row| row.live.as_ref());
    if live.map(|live| live.doubtful).sum::<usize>() > 0 {
        lines.extend(Text::new(NOT_TRUSTWORTHY, Look::Faint).wrapped(style.width));
    }
    out.lines(&lines, style)
}

/// The meaning of the mark after a scheme's name.
pub(crate) const NOT_TRUSTWORTHY: &str = "! not trustworthy: in some runs more than 1% of packets \
    were late by more than half a packet's transmission time, or were lost outside the queue";

/// A table in blocks of columns that fit the width, each block with the schemes' names.
pub(crate) fn lay_out(table: &Table, width: usize) -> Vec<Text> {
    let columns: Vec<Column> = (0..table.header.len())
        .map(|index| Column::of(table, index))
        .collect();
    let Some((names, columns)) = columns.split_first() else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    let mut rest = columns;
    while !rest.is_empty() {
        let mut room = width.saturating_sub(names.width);
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
    fn of(table: &Table, index: usize) -> Column {
        let heading: Vec<String> = table.header[index].split(' ').map(String::from).collect();
        let cells: Vec<(String, Look)> = table
            .rows
            .iter()
            .map(|row| cell_text(&row[index]))
            .collect();
        let texts = cells.iter().map(|(text, _)| text);
        let width = |text: &String| text.chars().count();
        // One more column for the star of the best; headings are aligned with the numbers.
        let words = heading.iter().map(|word| width(word) + 1);
        Column {
            width: texts.map(width).chain(words).max().unwrap_or(0),
            heading,
            cells,
        }
    }
}

/// The cell's text, followed by a star or a space.
fn cell_text(cell: &Cell) -> (String, Look) {
    match cell.best {
        true => (format!("{}*", cell.text), Look::Strong),
        false => (format!("{} ", cell.text), Look::Plain),
    }
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
        let cell = |text: &str, best| Cell {
            text: text.to_string(),
            best,
        };
        Table {
            title: String::new(),
            header: ["scheme", "queueing delay ms", "loss %"]
                .map(String::from)
                .into(),
            rows: vec![
                vec![
                    cell("red", false),
                    cell("9.1 ± 0.2", false),
                    cell("2.0", false),
                ],
                vec![
                    cell("codel", false),
                    cell("5.0 ± 0.1", true),
                    cell("1.0", false),
                ],
            ],
        }
    }

    fn plain(width: usize) -> String {
        let style = Style {
            colour: false,
            unicode: true,
            width,
        };
        let mut out = Vec::new();
        Output::new(&mut out)
            .lines(&lay_out(&table(), width), &style)
            .unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn columns_stand_side_by_side_where_there_is_room() {
        let wanted = "         queueing
            delay  loss
scheme         ms     %
red     9.1 ± 0.2   2.0
codel   5.0 ± 0.1*  1.0
";
        assert_eq!(plain(80), wanted);
    }

    #[test]
    fn a_narrow_terminal_gets_several_blocks() {
        let narrow = plain(20);
        assert_eq!(narrow.matches("scheme").count(), 2, "{narrow}");
        assert!(narrow.lines().all(|line| line.chars().count() <= 20));
    }
}
