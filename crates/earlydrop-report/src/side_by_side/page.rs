//! The comparison of simulated and live runs as a self-contained HTML page.

use crate::figure::{Bar, Plot, PlotAxis, Size, bars, escape, inline, scene};
use crate::page_shell::page_shell;
use crate::table::Table;
use earlydrop_lab::plan::Plan;
use earlydrop_lab::statistics::Mean;
use earlydrop_lab::version;

use super::render::{estimate_text, scheme_label};
use super::{Comparison, Quantity, legend, tables};

/// The comparison as an HTML page; `reports` are links to the simulated and the live runs' reports.
pub fn page(plan: &Plan, rows: &[Comparison], reports: [&str; 2]) -> String {
    let title = match plan.scenario().title.as_str() {
        "" => "Simulated and live",
        title => title,
    };
    let mut body = head(title, rows, reports);
    body.push_str("<main>\n");
    for (point, (title, tables)) in tables(plan, rows).into_iter().enumerate() {
        let of_point: Vec<&Comparison> = rows.iter().filter(|row| row.point == point).collect();
        let title = match title.as_str() {
            "" => "Every scheme",
            title => title,
        };
        body.push_str(&format!(
            "<section id=\"point-{point}\">\n<h2>{}</h2>\n",
            escape(title)
        ));
        for (index, (quantity, table)) in tables.iter().enumerate() {
            body.push_str(&panel(plan, &of_point, index, quantity, table));
        }
        body.push_str("</section>\n");
    }
    body.push_str("</main>\n");
    body.push_str(&format!(
        "<footer id=\"foot\"><p class=\"note\">Made by earlydrop {}.</p></footer>\n",
        escape(&version())
    ));
    page_shell(&format!("{title}, simulated and live"), &body, "")
}

fn head(title: &str, rows: &[Comparison], [simulated, live]: [&str; 2]) -> String {
    let doubtful: usize = rows.iter().map(|row| row.doubtful).sum();
    let class = if doubtful > 0 { "warning" } else { "note" };
    format!(
        "<header id=\"head\">\n<p class=\"kicker\">earlydrop compare --live</p>\n<h1>{}</h1>\n\
         <p class=\"about\">The same runs in the simulator, and on real hosts with the kernel's \
         TCP. Full reports: <a href=\"{}\">simulated</a>, <a href=\"{}\">live</a>.</p>\n\
         <p class=\"{class}\">{}</p>\n</header>\n",
        escape(title),
        escape(simulated),
        escape(live),
        escape(&legend(rows))
    )
}

/// One quantity at one point: bars and the table of numbers.
fn panel(
    plan: &Plan,
    rows: &[&Comparison],
    index: usize,
    quantity: &Quantity,
    table: &Table,
) -> String {
    format!(
        "<h3>{}</h3>\n<p class=\"caption\">{}.</p>\n<div class=\"figure-and-claims single\">\n\
         <figure>{}</figure>\n{}</div>\n",
        escape(&quantity.heading()),
        escape(quantity.meaning),
        inline(&scene(&picture(plan, rows, index, quantity), &Size::PAGE)),
        table.html("printed")
    )
}

fn picture(plan: &Plan, rows: &[&Comparison], index: usize, quantity: &Quantity) -> Plot {
    let bar = |what: &str, row: &Comparison, mean: Option<Mean>| Bar {
        value: mean.map(|mean| mean.mean * quantity.scale),
        half: mean
            .and_then(|mean| mean.half)
            .map(|half| half * quantity.scale),
        tip: format!(
            "{}, {what}: {} {}",
            scheme_label(plan, row),
            estimate_text(mean, quantity),
            quantity.unit
        ),
    };
    let simulated = rows
        .iter()
        .map(|row| bar("simulated", row, row.pairs[index].simulated));
    let live = rows
        .iter()
        .map(|row| bar("live", row, row.pairs[index].live));
    let groups: Vec<String> = rows.iter().map(|row| scheme_label(plan, row)).collect();
    let rows = [
        ("simulated".to_string(), 0, simulated.collect()),
        ("live".to_string(), 1, live.collect()),
    ];
    bars(
        "",
        PlotAxis::fitting(&quantity.heading(), None, None),
        &groups,
        &rows,
    )
}
