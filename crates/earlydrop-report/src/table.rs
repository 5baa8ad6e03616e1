//! A run's summary as tables of cells, as Markdown and as CSV.

mod chosen;
mod csv;

use crate::figure::escape;
use earlydrop_lab::baseline::{Comparison, Difference, DifferenceRow, headline_metrics};
use earlydrop_lab::escape::markdown;
use earlydrop_lab::metrics::{
    self, FEW_UNFINISHED, Felt, LINK_METRICS, LIVE_METRICS, METRICS, Metric, Number,
};
use earlydrop_lab::number;
use earlydrop_lab::plan::{Hosts, Plan};
use earlydrop_lab::scenario::Scenario;
use earlydrop_lab::statistics::{Mean, Standing};
use earlydrop_lab::summary::{GroupSummary, LinkSummary, RankedMean, SchemeSummary, Summary};

use crate::words::capital;

pub use chosen::along_sweep;
pub use csv::csv;

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
    /// Its mark.
    pub mark: Mark,
}

/// What a cell stands out for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// Nothing.
    #[default]
    None,
    /// The best mean of its column.
    Best,
    /// Not significantly different from the best mean.
    Similar,
    /// A significant difference.
    Significant,
    /// What it depends on still moved.
    Moving,
}

impl Mark {
    /// Its sign after a value, or none.
    pub fn sign(self, unicode: bool) -> &'static str {
        match (self, unicode) {
            (Mark::None, _) => "",
            (Mark::Best, _) => "*",
            (Mark::Similar, true) => "≈",
            (Mark::Similar, false) => "~",
            (Mark::Significant, true) => "†",
            (Mark::Significant, false) => "#",
            (Mark::Moving, true) => "↕",
            (Mark::Moving, false) => "!",
        }
    }

    /// Its meaning, in a line under a table.
    pub fn meaning(self) -> &'static str {
        match self {
            Mark::None => "",
            Mark::Best => "best mean of the column",
            Mark::Similar => {
                "not significantly different from the best mean (paired by seed; 95% for all \
                 schemes of the column together, by Holm's procedure)"
            }
            Mark::Significant => "significant difference",
            Mark::Moving => {
                "had not settled: the two halves of the time measured differ by a tenth or more"
            }
        }
    }
}

/// What a reader of results wants to see.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// The numbers of tables in their order; `None` for what groups feel and the headline metrics.
    pub metrics: Option<Vec<Number>>,
    /// The schemes compared with one of them.
    pub comparison: Option<Comparison>,
}

/// The name of the table of groups, and of the one about the link.
const FELT: &str = "what each group of flows feels";
const LINK: &str = "the link, all traffic together";

/// What each group of flows feels at a point, under every scheme; `None` where nothing was measured.
fn felt_table(plan: &Plan, summary: &Summary, point: usize) -> Option<Table> {
    let scenario = &plan.points[point].scenario;
    let of_groups: Vec<&Metric> = metrics::of_groups().collect();
    let here = |row: &&GroupSummary| row.point == point;
    let mut columns: Vec<(String, Vec<(usize, Cell)>)> = Vec::new();
    for felt in Felt::all(scenario) {
        for index in felt.metrics {
            let metric = of_groups[index];
            let rows = summary.groups.iter().filter(here);
            let rows: Vec<&GroupSummary> = rows.filter(|row| row.name == felt.group).collect();
            // A column without measurements is left out, and so is one of a few transfers.
            let is_few = |mean: f64| metric.name == "unfinished" && mean < FEW_UNFINISHED;
            let is_shown = |mean: Mean| !is_few(mean.mean);
            let mut measured = rows.iter().filter_map(|row| Some(row.values[index]?.mean));
            if measured.any(is_shown) {
                let of_scheme =
                    |row: &&GroupSummary| (row.scheme, cell(row.values[index].as_ref(), metric));
                let heading = format!("{} {}", felt.group, heading(metric));
                columns.push((heading, rows.iter().map(of_scheme).collect()));
            }
        }
    }
    let labels = plan.labels();
    let schemes = summary.rows.iter().filter(|row| row.point == point);
    let row = |row: &SchemeSummary| {
        let cells = columns.iter().map(|(_, cells)| {
            let own = cells.iter().find(|(scheme, _)| *scheme == row.scheme);
            own.map_or(Cell::plain("-".to_string()), |(_, cell)| cell.clone())
        });
        let name = Cell::plain(labels[row.scheme].to_string());
        [name].into_iter().chain(cells).collect()
    };
    let rows = schemes.map(row).collect();
    let names = columns.iter().map(|(heading, _)| heading.clone());
    (!columns.is_empty()).then(|| Table {
        title: titled(plan, point, FELT),
        header: ["scheme".to_string()].into_iter().chain(names).collect(),
        rows,
    })
}

/// Of a fabric, one port is watched: "all flows together, and the port leaf 0 to host 0".
fn one_port(scenario: &Scenario) -> String {
    let port = scenario.watched().unwrap_or_default();
    format!("all flows together, and the port {port}")
}

/// "network.rtt = 50 ms: the link, all traffic together".
fn titled(plan: &Plan, point: usize, what: &str) -> String {
    match plan.point_label(point).as_str() {
        "" => capital(what),
        label => format!("{label}: {what}"),
    }
}

/// The tables of a point: what each group feels, the link, each of several bottlenecks, and
/// differences from a baseline. Where a reader has chosen metrics, these alone come first, or stand
/// [along the sweep](along_sweep).
pub fn point_tables(plan: &Plan, summary: &Summary, view: &View, point: usize) -> Vec<Table> {
    let mut tables = Vec::new();
    let is_along = chosen::is_along_sweep(plan, summary, view);
    match view.metrics.as_deref() {
        Some(_) if is_along => {}
        Some(numbers) => tables.push(table(plan, summary, Some(numbers), point)),
        None => {
            tables.extend(felt_table(plan, summary, point));
            let mut link = table(plan, summary, None, point);
            let scenario = &plan.points[point].scenario;
            link.title = match scenario.network.is_fabric() {
                true => titled(plan, point, &one_port(scenario)),
                false => titled(plan, point, LINK),
            };
            tables.push(link);
        }
    }
    tables.extend(link_tables(plan, summary, point));
    let comparison = view.comparison.as_ref();
    tables.extend(comparison.map(|comparison| difference_table(plan, comparison, point)));
    for table in tables.iter_mut().filter(|_| is_along) {
        table.title = titled(plan, point, &table.title);
    }
    tables
}

/// The headline metrics of every scheme, or these numbers in their order, one table for each point of
/// the sweep.
pub fn tables(plan: &Plan, summary: &Summary, chosen: Option<&[Number]>) -> Vec<Table> {
    let points = 0..plan.points.len();
    points
        .map(|point| table(plan, summary, chosen, point))
        .collect()
}

/// The metrics of each bottleneck at a point, where there are several.
pub fn link_tables(plan: &Plan, summary: &Summary, point: usize) -> Vec<Table> {
    let rows = summary.links.iter().filter(|row| row.point == point);
    let rows: Vec<&LinkSummary> = rows.collect();
    let values: Vec<&[_]> = rows.iter().map(|row| row.values.as_slice()).collect();
    let columns = informative(LINK_METRICS.iter().enumerate(), &values, |one| one.mean);
    let labels = plan.labels();
    let links = rows.chunk_by(|one, other| one.link == other.link);
    let of_link = |rows: &[&LinkSummary]| {
        let lines = rows
            .iter()
            .map(|row| (labels[row.scheme].to_string(), row.values.as_slice()));
        let title = format!("link {}", rows[0].link);
        of_columns(title, &columns, lines, cell)
    };
    links.map(of_link).collect()
}

/// The differences of all schemes from the baseline at a point, in the metrics' units and in
/// percent of the baseline's mean.
pub fn difference_table(plan: &Plan, comparison: &Comparison, point: usize) -> Table {
    let rows = comparison.rows.iter().filter(|row| row.point == point);
    let rows: Vec<&DifferenceRow> = rows.collect();
    let values: Vec<&[_]> = rows.iter().map(|row| row.values.as_slice()).collect();
    let numbers = comparison.numbers.iter().enumerate();
    let metrics = numbers.filter_map(|(index, number)| Some((index, number.metric()?)));
    let columns = informative(metrics, &values, |one| one.mean);
    let labels = plan.labels();
    let title = format!(
        "paired differences from {0} ± 95% intervals, and in % of {0}",
        labels[comparison.baseline]
    );
    let lines = rows
        .iter()
        .map(|row| (labels[row.scheme].to_string(), row.values.as_slice()));
    let mut table = of_columns(title, &columns, lines, difference_cell);
    name_groups(&mut table, &columns, &comparison.numbers);
    table
}

/// Puts the name of its group before the heading of each column, which is one of these numbers.
fn name_groups(table: &mut Table, columns: &[Column<'_>], numbers: &[Number]) {
    for (heading, (index, _)) in table.header.iter_mut().skip(1).zip(columns) {
        *heading = with_group(&numbers[*index], heading);
    }
}

/// "call end-to-end delay, 99%".
fn with_group(number: &Number, text: &str) -> String {
    match number {
        Number::OfGroup(_, group) => format!("{group} {text}"),
        Number::OfLink(_) | Number::Ratio(..) => text.to_string(),
    }
}

/// A column: its index among the values of a row, and its metric.
type Column<'a> = (usize, &'a Metric);

/// The columns in which some row has a value other than zero.
fn informative<'a, V>(
    columns: impl Iterator<Item = Column<'a>>,
    rows: &[&[Option<V>]],
    mean: impl Fn(&V) -> Mean,
) -> Vec<Column<'a>> {
    let happened = |value: &Option<V>| value.as_ref().is_some_and(|value| mean(value).mean != 0.0);
    columns
        .filter(|(index, _)| rows.iter().any(|row| happened(&row[*index])))
        .collect()
}

/// A table of these columns; a row has a name and its values.
fn of_columns<'a, V: 'a>(
    title: String,
    columns: &[Column<'_>],
    rows: impl Iterator<Item = (String, &'a [Option<V>])>,
    cell: fn(Option<&V>, &Metric) -> Cell,
) -> Table {
    let line = |(name, values): (String, &[Option<V>])| {
        let cells = columns
            .iter()
            .map(|(index, metric)| cell(values[*index].as_ref(), metric));
        [Cell::plain(name)].into_iter().chain(cells).collect()
    };
    let names = columns.iter().map(|(_, metric)| heading(metric));
    Table {
        title,
        header: ["scheme".to_string()].into_iter().chain(names).collect(),
        rows: rows.map(line).collect(),
    }
}

/// "-12.3 ± 0.4 (-55%)".
fn difference_cell(difference: Option<&Difference>, metric: &Metric) -> Cell {
    let Some(difference) = difference else {
        return Cell::plain("-".to_string());
    };
    let number = difference.mean.difference(metric.scale);
    let share = match difference.share {
        Some(share) if difference.mean.mean != 0.0 => format!(" ({})", share_text(share)),
        _ => String::new(),
    };
    Cell::difference(format!("{number}{share}"), difference.significant)
}

/// A difference as a share of the baseline's mean, in two digits: "+3282%".
pub(crate) fn share_text(share: f64) -> String {
    let sign = if share > 0.0 { "+" } else { "" };
    format!("{sign}{}%", number::to_digits(100.0 * share, 2))
}

fn table(plan: &Plan, summary: &Summary, chosen: Option<&[Number]>, point: usize) -> Table {
    let rows = summary.rows.iter().filter(|row| row.point == point);
    let rows: Vec<&SchemeSummary> = rows.collect();
    let mut table = match chosen {
        Some(numbers) => chosen::at_point(plan, summary, numbers, point),
        None => headline_table(plan, &rows, point),
    };
    if rows.iter().any(|row| row.live.is_some()) {
        table.header.extend(LIVE_METRICS.iter().map(heading));
        table.header.push("not trustworthy runs".to_string());
    }
    for (cells, row) in table.rows.iter_mut().zip(rows) {
        if let Some(live) = &row.live {
            let values = live.values.iter().zip(LIVE_METRICS);
            cells.extend(values.map(|(entry, metric)| cell(entry.as_ref(), metric)));
            cells.push(Cell::plain(format!("{} of {}", live.doubtful, row.seeds)));
        }
    }
    table
}

/// The headline metrics of these rows, which are of one point; those without measurements, or with
/// zeros only, are left out.
fn headline_table(plan: &Plan, rows: &[&SchemeSummary], point: usize) -> Table {
    let values: Vec<&[_]> = rows.iter().map(|row| row.values.as_slice()).collect();
    let metrics = headline_metrics().into_iter();
    let columns = informative(
        metrics.map(|index| (index, &METRICS[index])),
        &values,
        |one| one.mean,
    );
    let labels = plan.labels();
    let lines = rows
        .iter()
        .map(|row| (marked_label(labels[row.scheme], row), row.values.as_slice()));
    of_columns(plan.point_label(point), &columns, lines, cell)
}

/// All tables: along the sweep, and in the order of the points.
pub fn all_tables(plan: &Plan, summary: &Summary, view: &View) -> Vec<Table> {
    let points = 0..plan.points.len();
    let mut tables = along_sweep(plan, summary, view);
    tables.extend(points.flat_map(|point| point_tables(plan, summary, view, point)));
    tables
}

/// How many runs the means are of, and what was measured: "means of 5 runs ± 95% intervals,
/// measured from 10 s to 60 s".
pub fn measured(plan: &Plan, summary: &Summary) -> String {
    let scenario = plan.scenario();
    let seeds = summary.rows.iter().map(|row| row.seeds).max().unwrap_or(0);
    let runs = match seeds {
        1 => "one run each".to_string(),
        seeds => format!("means of {seeds} runs ± 95% intervals"),
    };
    let hosts = match plan.hosts {
        Hosts::Simulated => "",
        Hosts::Real => "live, on real hosts with the kernel's TCP: ",
    };
    let (from, to) = (scenario.warm_up, scenario.duration);
    format!("{hosts}{runs}, measured from {from} to {to}")
}

/// Whether some of the live runs are not trustworthy.
pub fn has_doubtful_runs(summary: &Summary) -> bool {
    let live = summary.rows.iter().filter_map(|row| row.live.as_ref());
    live.map(|live| live.doubtful).sum::<usize>() > 0
}

/// The meaning of the mark after a scheme's name.
pub const NOT_TRUSTWORTHY: &str = "! not trustworthy: in some runs more than 1% of packets \
    were late by more than half a packet's transmission time, or were lost outside the queue";

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
            mark: match entry.standing {
                _ if entry.drift.is_some() => Mark::Moving,
                Some(Standing::Best) => Mark::Best,
                Some(Standing::Similar) => Mark::Similar,
                Some(Standing::Worse) | None => Mark::None,
            },
        },
    }
}

impl Cell {
    /// A cell without a mark.
    pub(crate) fn plain(text: String) -> Cell {
        let mark = Mark::None;
        Cell { text, mark }
    }

    /// A cell that is marked where it has a significant difference.
    pub(crate) fn difference(text: String, is_significant: bool) -> Cell {
        let mark = match is_significant {
            true => Mark::Significant,
            false => Mark::None,
        };
        Cell { text, mark }
    }
}

impl Table {
    /// The marks in it, each once, in the order of [`Mark`].
    pub fn marks(&self) -> Vec<Mark> {
        let has = |mark: &Mark| self.rows.iter().flatten().any(|cell| cell.mark == *mark);
        let marks = [Mark::Best, Mark::Similar, Mark::Significant, Mark::Moving];
        marks.into_iter().filter(has).collect()
    }

    /// The table in HTML: the best means and significant differences are of class `best`, and a mark's
    /// sign stands after its value.
    pub(crate) fn html(&self, class: &str) -> String {
        let caption = match self.title.as_str() {
            "" => String::new(),
            title => format!("<caption>{}</caption>", escape(title)),
        };
        let head = self
            .header
            .iter()
            .map(|name| format!("<th scope=\"col\">{}</th>", escape(name)));
        let head: String = head.collect();
        let cell = |(index, cell): (usize, &Cell)| {
            let (text, sign) = (escape(&cell.text), cell.mark.sign(true));
            match (index, cell.mark) {
                (0, _) => format!("<th scope=\"row\">{text}</th>"),
                (_, Mark::None) => format!("<td>{text}</td>"),
                (_, Mark::Similar) => format!("<td>{text}<span class=\"sign\">{sign}</span></td>"),
                _ => format!("<td class=\"best\">{text}<span class=\"sign\">{sign}</span></td>"),
            }
        };
        let row = |row: &Vec<Cell>| {
            let cells: String = row.iter().enumerate().map(cell).collect();
            format!("<tr>{cells}</tr>\n")
        };
        let rows: String = self.rows.iter().map(row).collect();
        let class = match class {
            "" => String::new(),
            class => format!(" class=\"{class}\""),
        };
        format!(
            "<div class=\"scroll\"><table{class}>{caption}<thead><tr>{head}</tr></thead>\n\
             <tbody>\n{rows}</tbody></table></div>\n"
        )
    }

    /// The table in Markdown: the best means and significant differences in bold, values that are
    /// not significantly different from the best with their sign.
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
            let cells = row
                .iter()
                .map(|cell| match (cell.mark, markdown::text(&cell.text)) {
                    (Mark::Best | Mark::Significant, text) => format!("**{text}**"),
                    (mark, text) => format!("{text}{}", mark.sign(true)),
                });
            lines.push(markdown::row(cells).trim_end().to_string());
        }
        lines.join("\n") + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        let cell = Cell {
            text: "<b>".to_string(),
            mark: Mark::Best,
        };
        let table = Table {
            title: "a & b".to_string(),
            header: vec!["<i>".to_string(), String::new()],
            rows: vec![vec![Cell::plain("<u>".to_string()), cell]],
        };
        let html = table.html("plain");
        let raw = ["<b>", "<i>", "<u>"];
        assert!(!raw.iter().any(|tag| html.contains(tag)), "{html}");
        assert!(html.contains("<td class=\"best\">&lt;b&gt;<span class=\"sign\">*</span></td>"));
        assert!(html.contains("<caption>a &amp; b</caption>"));
    }

    #[test]
    fn a_table_in_markdown() {
        let cell = |text: &str, is_best| Cell {
            text: text.to_string(),
            mark: if is_best { Mark::Best } else { Mark::Similar },
        };
        let table = Table {
            title: String::new(),
            header: vec!["scheme".into(), "delay ms".into()],
            rows: vec![
                vec![Cell::plain("red".into()), cell("9.1 ± 0.2", false)],
                vec![Cell::plain("codel".into()), cell("5.0 ± 0.1", true)],
            ],
        };
        assert!(table.markdown().contains("| codel | **5.0 ± 0.1** |"));
        assert!(table.markdown().contains("| red | 9.1 ± 0.2≈ |"));
        let hostile = Table {
            title: "a\n# b".into(),
            rows: vec![vec![
                cell("x|y\n\n<img src=x> `z", true),
                Cell::plain("1".into()),
            ]],
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
