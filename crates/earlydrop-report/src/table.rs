//! The summary as a table of cells; as Markdown, and as CSV.

use earlydrop_lab::metrics::{LIVE_METRICS, METRICS, Metric};
use earlydrop_lab::plan::Plan;
use earlydrop_lab::summary::{RankedMean, SchemeSummary, Summary};

/// Rows of cells under a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// What stands above: the point of the sweep, empty without one.
    pub title: String,
    /// The columns' names, with units.
    pub header: Vec<String>,
    /// The cells.
    pub rows: Vec<Vec<Cell>>,
}

/// A cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// What it says: "12.3 ± 0.4".
    pub text: String,
    /// Whether it is best by paired intervals.
    pub best: bool,
}

/// The headline metrics of every scheme, a table for each point.
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
    // What nobody measured, or is zero everywhere, only takes room.
    let says_something = |index: usize| {
        let mut means = rows.iter().filter_map(|row| row.values[index]);
        means.any(|entry| entry.mean.mean != 0.0)
    };
    let columns: Vec<(usize, &Metric)> = METRICS
        .iter()
        .enumerate()
        .filter(|(index, metric)| metric.headline && says_something(*index))
        .collect();
    let mut header = vec!["scheme".to_string()];
    header.extend(columns.iter().map(|(_, metric)| heading(metric)));
    if rows.iter().any(|row| row.live.is_some()) {
        header.extend(LIVE_METRICS.iter().map(heading));
        header.push("not trustworthy runs".to_string());
    }
    let labels = plan.labels();
    let line = |row: &&SchemeSummary| {
        let mut cells = vec![Cell::plain(named(labels[row.scheme], row))];
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
        title: title(plan, point),
        header,
        rows: rows.iter().map(line).collect(),
    }
}

/// What stands behind the name of a scheme of whose runs some cannot be believed.
pub const DOUBTFUL: &str = " !";

/// A row's name, with a mark where some of its runs cannot be believed.
fn named(label: &str, row: &SchemeSummary) -> String {
    let live = row.live.as_ref();
    match live.is_some_and(|live| live.doubtful > 0) {
        true => format!("{label}{DOUBTFUL}"),
        false => label.to_string(),
    }
}

/// The values of the axes at a point: "network.rtt = 50 ms".
pub fn title(plan: &Plan, point: usize) -> String {
    let coordinates = &plan.points[point].coordinates;
    let values = plan.axes.iter().zip(coordinates).map(|(axis, index)| {
        let value = &axis.texts()[*index];
        format!("{} = {value}", axis.field)
    });
    values.collect::<Vec<_>>().join(", ")
}

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
    /// In Markdown; the best are bold.
    pub fn markdown(&self) -> String {
        let mut lines = Vec::new();
        if !self.title.is_empty() {
            lines.push(format!("**{}**\n", self.title));
        }
        lines.push(format!("| {} |", self.header.join(" | ")));
        let rule = self.header.iter().enumerate();
        let rule = rule.map(|(index, _)| if index == 0 { "---" } else { "--:" });
        lines.push(format!("|{}|", rule.collect::<Vec<_>>().join("|")));
        for row in &self.rows {
            let cells = row.iter().map(|cell| match cell.best {
                true => format!("**{}**", cell.text),
                false => cell.text.replace('|', "\\|"),
            });
            lines.push(format!("| {} |", cells.collect::<Vec<_>>().join(" | ")));
        }
        lines.join("\n") + "\n"
    }
}

/// The whole summary as CSV: one line a scheme, a point and a metric, in base units.
pub fn csv(plan: &Plan, summary: &Summary) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let fields = plan.axes.iter().map(|axis| axis.field.clone());
    let fixed = ["metric", "mean", "half_width_95", "seeds", "best"];
    let header = ["scheme".to_string()].into_iter().chain(fields);
    let mut lines = vec![header.chain(fixed.map(String::from)).collect::<Vec<_>>()];
    for row in &summary.rows {
        let live = row.live.iter().flat_map(|live| &live.values);
        let entries = METRICS.iter().zip(&row.values);
        for (metric, entry) in entries.chain(LIVE_METRICS.iter().zip(live)) {
            let Some(RankedMean { mean, best }) = entry else {
                continue;
            };
            let mut line = vec![plan.labels()[row.scheme].to_string()];
            let coordinates = plan.axes.iter().zip(&plan.points[row.point].coordinates);
            line.extend(coordinates.map(|(axis, index)| axis.texts()[*index].clone()));
            line.push(metric.name.to_string());
            line.push(mean.mean.to_string());
            line.push(mean.half.map(|half| half.to_string()).unwrap_or_default());
            line.push(mean.count.to_string());
            line.push(best.to_string());
            lines.push(line);
        }
    }
    let written = lines.iter().try_for_each(|line| writer.write_record(line));
    let bytes = written.ok().and_then(|()| writer.into_inner().ok());
    String::from_utf8(bytes.unwrap_or_default()).unwrap_or_default()
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
    }
}
