//! A run's summary as tables of cells, as Markdown and as CSV.

use earlydrop_lab::escape::{CsvField, CsvWriter, markdown};
use earlydrop_lab::metrics::{LIVE_METRICS, METRICS, Metric};
use earlydrop_lab::plan::Plan;
use earlydrop_lab::summary::{RankedMean, SchemeSummary, Summary};

/// Rows of cells with a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The point of the sweep, or what the table is about; may be empty.
    pub title: String,
    /// The columns' headings, with units.
    pub header: Vec<String>,
    /// The rows, each with a cell for every column.
    pub rows: Vec<Vec<Cell>>,
}

/// One cell of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The text: "12.3 ± 0.4".
    pub text: String,
    /// Whether it is emphasised: the best of its column, or a significant difference.
    pub best: bool,
}

/// The headline metrics of every scheme, one table for each point of the sweep.
pub fn tables(plan: &Plan, summary: &Summary) -> Vec<Table> {
    let points = 0..plan.points.len();
    points.map(|point| table(plan, summary, point)).collect()
}

fn table(plan: &Plan, summary: &Summary, point: usize) -> Table {
    let rows: Vec<&SchemeSummary> = summary
        .rows
        .iter()
        .filter(|row| row.point == point)
        .collect();
    // A column without measurements, or with zeros only, is left out.
    let is_informative = |index: usize| {
        let mut means = rows.iter().filter_map(|row| row.values[index]);
        means.any(|entry| entry.mean.mean != 0.0)
    };
    let columns: Vec<(usize, &Metric)> = METRICS
        .iter()
        .enumerate()
        .filter(|(index, metric)| metric.headline && is_informative(*index))
        .collect();
    let mut header = vec!["scheme".to_string()];
    header.extend(columns.iter().map(|(_, metric)| heading(metric)));
    if rows.iter().any(|row| row.live.is_some()) {
        header.extend(LIVE_METRICS.iter().map(heading));
        header.push("not trustworthy runs".to_string());
    }
    let labels = plan.labels();
    let line = |row: &&SchemeSummary| {
        let mut cells = vec![Cell::plain(marked_label(labels[row.scheme], row))];
        let values = columns
            .iter()
            .map(|(index, metric)| cell(row.values[*index].as_ref(), metric));
        cells.extend(values);
        if let Some(live) = &row.live {
            let values = live.values.iter().zip(LIVE_METRICS);
            cells.extend(values.map(|(entry, metric)| cell(entry.as_ref(), metric)));
            cells.push(Cell::plain(format!("{} of {}", live.doubtful, row.seeds)));
        }
        cells
    };
    Table {
        title: point_label(plan, point),
        header,
        rows: rows.iter().map(line).collect(),
    }
}

/// Follows the label of a scheme of whose live runs some are not trustworthy.
pub const NOT_TRUSTWORTHY_MARK: &str = " !";

/// A scheme's label, marked where some of its live runs are not trustworthy.
fn marked_label(label: &str, row: &SchemeSummary) -> String {
    let live = row.live.as_ref();
    match live.is_some_and(|live| live.doubtful > 0) {
        true => format!("{label}{NOT_TRUSTWORTHY_MARK}"),
        false => label.to_string(),
    }
}

/// The values of the swept fields at a point: "network.rtt = 50 ms"; empty without a sweep.
pub fn point_label(plan: &Plan, point: usize) -> String {
    let coordinates = &plan.points[point].coordinates;
    let values = plan.axes.iter().zip(coordinates).map(|(axis, index)| {
        let value = &axis.texts()[*index];
        format!("{} = {value}", axis.field)
    });
    values.collect::<Vec<_>>().join(", ")
}

/// "queueing delay ms".
fn heading(metric: &Metric) -> String {
    match metric.unit {
        "" => metric.title.to_string(),
        unit => format!("{} {unit}", metric.title),
    }
}

fn cell(entry: Option<&RankedMean>, metric: &Metric) -> Cell {
    match entry {
        None => Cell::plain("-".to_string()),
        Some(entry) => Cell {
            text: entry.mean.with_interval(metric.scale),
            best: entry.best,
        },
    }
}

impl Cell {
    fn plain(text: String) -> Cell {
        Cell { text, best: false }
    }
}

impl Table {
    /// The table in Markdown, emphasised cells in bold.
    pub fn markdown(&self) -> String {
        let mut lines = Vec::new();
        if !self.title.is_empty() {
            lines.push(format!("**{}**\n", markdown::text(&self.title)));
        }
        let header = self.header.iter().map(|name| markdown::text(name));
        lines.push(markdown::row(header).trim_end().to_string());
        let rule = self.header.iter().enumerate();
        let rule = rule.map(|(index, _)| if index == 0 { "---" } else { "--:" });
        lines.push(format!("|{}|", rule.collect::<Vec<_>>().join("|")));
        for row in &self.rows {
            let cells = row.iter().map(|cell| match cell.best {
                true => format!("**{}**", markdown::text(&cell.text)),
                false => markdown::text(&cell.text),
            });
            lines.push(markdown::row(cells).trim_end().to_string());
        }
        lines.join("\n") + "\n"
    }
}

/// The whole summary as CSV in base units: a line for each scheme, point and metric.
pub fn csv(plan: &Plan, summary: &Summary) -> String {
    let fields = plan.axes.iter().map(|axis| CsvField::from(&axis.field));
    let fixed = ["metric", "mean", "half_width_95", "seeds", "best"];
    let header = [CsvField::from("scheme")].into_iter().chain(fields);
    let header = header.chain(fixed.map(CsvField::from));
    let mut lines: Vec<Vec<CsvField<'_>>> = vec![header.collect()];
    for row in &summary.rows {
        let live = row.live.iter().flat_map(|live| &live.values);
        let entries = METRICS.iter().zip(&row.values);
        for (metric, entry) in entries.chain(LIVE_METRICS.iter().zip(live)) {
            let Some(RankedMean { mean, best }) = entry else {
                continue;
            };
            let mut line = vec![CsvField::from(plan.labels()[row.scheme])];
            let coordinates = plan.axes.iter().zip(&plan.points[row.point].coordinates);
            line.extend(coordinates.map(|(axis, index)| axis.texts()[*index].clone().into()));
            line.push(metric.name.into());
            line.push(mean.mean.into());
            line.push(mean.half.map_or(CsvField::Empty, CsvField::from));
            line.push(mean.count.into());
            line.push(best.to_string().into());
            lines.push(line);
        }
    }
    let mut bytes = Vec::new();
    let mut writer = CsvWriter::new(&mut bytes);
    // Writing to memory cannot fail.
    let written = lines.into_iter().try_for_each(|line| writer.line(line));
    drop(written.and_then(|()| writer.finish()));
    String::from_utf8(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_in_markdown() {
        let cell = |text: &str, best| Cell {
            text: text.to_string(),
            best,
        };
        let table = Table {
            title: String::new(),
            header: vec!["scheme".into(), "delay ms".into()],
            rows: vec![
                vec![cell("red", false), cell("9.1 ± 0.2", false)],
                vec![cell("codel", false), cell("5.0 ± 0.1", true)],
            ],
        };
        assert!(table.markdown().contains("| codel | **5.0 ± 0.1** |"));
        let hostile = Table {
            title: "a\n# b".into(),
            rows: vec![vec![cell("x|y\n\n<img src=x> `z", true), cell("1", false)]],
            ..table
        };
        let written = hostile.markdown();
        assert!(written.starts_with("**a # b**\n\n| scheme |"), "{written}");
        assert!(
            written.ends_with("\n| **x\\|y &lt;img src=x> \\`z** | 1 |\n"),
            "{written}"
        );
    }
}
