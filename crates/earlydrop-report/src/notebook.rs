//! Results as HTML that a notebook shows in a cell: a part of a page, in the notebook's light or
//! dark colours, that needs no script.

use std::fmt::Write;

use earlydrop_lab::plan::{CHANGED, Cell, Plan};
use earlydrop_lab::store::{Store, StoreError};
use earlydrop_lab::summary::Summary;
use earlydrop_lab::trace::CellTrace;

use crate::derived;
use crate::figure::{Plot, Size, escape, inline, scene, variables};
use crate::key::key;
use crate::run_report::pictures::{Choices, What, picture};
use crate::run_report::{Data, gather, of_trace};
use crate::table::{self, NOT_TRUSTWORTHY, View};

const RULES: &str = include_str!("../assets/notebook.css");

/// What dark notebooks and pages have: JupyterLab, Visual Studio Code, Colab, Sphinx.
const DARK_PAGES: &str = "body[data-jp-theme-light=false] .earlydrop,\
    body.vscode-dark .earlydrop,body.vscode-high-contrast:not(.vscode-high-contrast-light) .earlydrop,\
    html[theme=dark] .earlydrop,html[data-theme=dark] .earlydrop,body[data-theme=dark] .earlydrop";
/// Pages that say nothing of their colours have those that the reader prefers.
const OTHER_PAGES: &str = "html:not([theme],[data-theme]) \
    body:not([data-jp-theme-light],[data-vscode-theme-kind],[data-theme],.vscode-light) .earlydrop";

/// The size of a picture in a cell: half of a usual notebook's width.
const SIZE: Size = Size {
    width: 330.0,
    height: None,
    font: 9.0,
};
/// With more points than these, the tables of a sweep are folded.
const OPEN_TABLES: usize = 2;

/// The style sheet of [`result`], [`trace`] and of tables in an element of class `earlydrop`.
pub fn style() -> String {
    let [light, dark] = [false, true].map(variables);
    format!(
        ".earlydrop{{{light}}}\n@media (prefers-color-scheme: dark){{{OTHER_PAGES}{{{dark}}}}}\n\
         {DARK_PAGES}{{{dark}}}\n{RULES}"
    )
}

/// A run's results: its title, what was changed, pictures, tables with the meaning of their marks,
/// and warnings.
pub fn result(plan: &Plan, store: &Store, summary: &Summary) -> Result<String, StoreError> {
    let (view, scenario) = (View::default(), plan.scenario());
    let mut out = begin(&scenario.title);
    if scenario.about.starts_with(CHANGED) {
        paragraph(&mut out, "", &scenario.about);
    }
    let (done, planned) = (summary.cells.len(), plan.cell_count());
    if done < planned {
        let text = format!("{done} of {planned} runs are finished.");
        paragraph(&mut out, "warning", &text);
    }
    if done > 0 {
        paragraph(&mut out, "note", &table::measured(plan, summary));
        for line in derived::of_all_points(plan).unwrap_or_default() {
            paragraph(&mut out, "note", &line);
        }
        let data = gather(plan, store, summary, &view)?;
        out.push_str(&tables(plan, summary, &view, || pictures(&data)));
    }
    for warning in plan.warnings() {
        paragraph(&mut out, "warning", &warning);
    }
    out.push_str("</div>");
    Ok(out)
}

/// A traced run: its title, and its time series.
pub fn trace(plan: &Plan, cell: Cell, trace: &CellTrace, source: &str) -> String {
    let command = earlydrop_lab::escape::CommandLine::new("trace");
    let data = of_trace(plan, cell, trace, source, &command);
    let mut out = begin(&data.title);
    if let Ok(plot) = picture(&data, What::Time, &Choices::default()) {
        out.push_str(&drawn(&[plot]));
    }
    out.push_str("</div>");
    out
}

fn begin(title: &str) -> String {
    let title = escape(title);
    format!(
        "<div class=\"earlydrop\"><style>{}</style><p class=\"name\">{title}</p>",
        style()
    )
}

fn paragraph(out: &mut String, class: &str, text: &str) {
    // Writing to a string cannot fail.
    let _ = write!(out, "<p class=\"{class}\">{}</p>", escape(text));
}

/// The table of a run without a sweep before its pictures; of a sweep, the pictures say more than
/// a table for each point.
fn tables(
    plan: &Plan,
    summary: &Summary,
    view: &View,
    pictures: impl FnOnce() -> String,
) -> String {
    let all = table::all_tables(plan, summary, view);
    let mut meanings = key(plan, &all, view, true);
    if table::has_doubtful_runs(summary) {
        meanings.push(NOT_TRUSTWORTHY.to_string());
    }
    let mut tables: String = all.iter().map(|table| table.html("")).collect();
    tables.push_str("<div class=\"marks\">");
    for meaning in &meanings {
        paragraph(&mut tables, "", meaning);
    }
    tables.push_str("</div>");
    let points = plan.points.len();
    if points == 1 {
        return tables + &pictures();
    }
    let open = if points <= OPEN_TABLES { " open" } else { "" };
    format!(
        "{}<details{open}><summary>Tables of the {points} points</summary>{tables}</details>",
        pictures()
    )
}

/// Delay and utilisation: along a sweep, or against each other; of a single run, or of a single
/// scheme, also its time series.
fn pictures(data: &Data) -> String {
    let of_metric = |metric: &str| Choices {
        metrics: vec![metric.to_string()],
        ..Choices::default()
    };
    let page = Choices::default;
    let mut wanted = Vec::new();
    if data.axes.iter().any(|axis| axis.values.len() > 1) {
        wanted.push((What::Sweep, of_metric("delay_mean")));
        wanted.push((What::Sweep, of_metric("utilisation")));
    } else {
        if data.schemes.len() > 1 {
            wanted.push((What::Scatter, page()));
        }
        if data.schemes.len() == 1 || data.seeds.len() == 1 {
            wanted.push((What::Time, page()));
        }
    }
    let plots = wanted.iter();
    let plots = plots.filter_map(|(what, choices)| picture(data, *what, choices).ok());
    drawn(&plots.collect::<Vec<_>>())
}

fn drawn(plots: &[Plot]) -> String {
    if plots.is_empty() {
        return String::new();
    }
    let one = |plot: &Plot| inline(&scene(plot, &SIZE));
    let elements: String = plots.iter().map(one).collect();
    format!("<div class=\"pictures\">{elements}</div>")
}
