//! The page of a suite: what was found in words, the standings, and a table for each point.

use earlydrop_lab::suite::{Measure, Suite, Value};

use super::{PartResult, STANDINGS, STANDINGS_MEAN, findings, overall, tally};
use crate::figure::escape;
use crate::page_shell;
use crate::table::{Cell, Mark, Table, point_label};

/// The whole page.
pub fn page(suite: &Suite, results: &[PartResult]) -> String {
    let contents: String = results.iter().map(contents_line).collect();
    let parts: String = results.iter().map(part).collect();
    let body = format!(
        "<header id=\"head\">\n<p class=\"kicker\">earlydrop suite {}</p>\n<h1>{}</h1>\n\
         <p class=\"about\">After {}.</p>\n{}</header>\n<main>\n\
         <section id=\"standings\"><h2>How does each scheme stand?</h2>\n{}\
         <ul class=\"contents\">{contents}</ul></section>\n{parts}</main>\n",
        escape(suite.name),
        escape(suite.title),
        escape(suite.source),
        left_out(suite),
        standings(results),
    );
    page_shell(suite.title, &body, "")
}

fn left_out(suite: &Suite) -> String {
    match suite.left_out {
        [] => String::new(),
        list => format!(
            "<p class=\"note\">Not in this suite: {}.</p>\n",
            escape(&list.join("; ").replace('`', ""))
        ),
    }
}

fn contents_line(result: &PartResult) -> String {
    let part = result.part;
    let section = match part.section {
        "" => String::new(),
        section => format!("{section} "),
    };
    format!(
        "<li>{}<a href=\"#{}\">{}</a></li>",
        escape(&section),
        escape(part.name),
        escape(&result.plan.scenario().title)
    )
}

/// A row for each scheme: in how many comparisons it is ahead, equal, behind and undecided.
fn standings(results: &[PartResult]) -> String {
    let rows = tally(results).into_iter().map(|row| {
        let counts = [row.best, row.equal, row.behind, row.undecided];
        let counts = counts.map(|count| count.to_string());
        let cells = [row.scheme].into_iter().chain(counts);
        cells.map(Cell::plain).collect()
    });
    let table = Table {
        title: String::new(),
        header: STANDINGS.map(String::from).to_vec(),
        rows: rows.collect(),
    };
    format!(
        "<p><strong>{}</strong> {STANDINGS_MEAN} The count weighs all measures alike: read the parts \
         that are about your question.</p>\n{}",
        escape(&overall(results)),
        table.html("")
    )
}

fn part(result: &PartResult) -> String {
    let part = result.part;
    let section = match part.section {
        "" => String::new(),
        section => format!("<p class=\"kicker\">Section {}</p>\n", escape(section)),
    };
    let sentences: String = findings(result)
        .iter()
        .map(|sentence| format!("<li>{}</li>\n", escape(sentence)))
        .collect();
    let columns: Vec<(&Measure, Vec<Value>)> = part
        .measures
        .iter()
        .map(|measure| {
            (
                measure,
                measure.values(&result.plan, &result.rows, &result.summary),
            )
        })
        .collect();
    let tables: String = (0..result.plan.points.len())
        .map(|point| table(result, &columns, point))
        .collect();
    let tables = match result.plan.points.len() {
        1 => tables,
        points => {
            format!("<details><summary>Tables of {points} points</summary>{tables}</details>")
        }
    };
    format!(
        "<section id=\"{}\">\n{section}<h2>{}</h2>\n<p><strong>{}</strong></p>\n<ul>\n\
         {sentences}</ul>\n{tables}\n<p class=\"note\"><a href=\"{}\">Report of these runs</a></p>\n\
         </section>\n",
        escape(part.name),
        escape(&result.plan.scenario().title),
        escape(part.question),
        escape(&result.report),
    )
}

fn table(result: &PartResult, columns: &[(&Measure, Vec<Value>)], point: usize) -> String {
    let heading = |measure: &Measure| match measure.unit().0 {
        "" => measure.title(),
        unit => format!("{} {unit}", measure.title()),
    };
    let names = columns.iter().map(|(measure, _)| heading(measure));
    let row = |(scheme, label): (usize, &&str)| {
        let cells = columns.iter().map(|(measure, values)| {
            let mut values = values.iter();
            cell(
                measure,
                values.find(|one| (one.scheme, one.point) == (scheme, point)),
            )
        });
        [Cell::plain(label.to_string())]
            .into_iter()
            .chain(cells)
            .collect()
    };
    let table = Table {
        title: point_label(&result.plan, point),
        header: ["scheme".to_string()].into_iter().chain(names).collect(),
        rows: result.plan.labels().iter().enumerate().map(row).collect(),
    };
    table.html("")
}

fn cell(measure: &Measure, value: Option<&Value>) -> Cell {
    let Some(Value { ranked, .. }) = value else {
        return Cell::plain("-".to_string());
    };
    Cell {
        text: ranked.mean.with_interval(measure.unit().1),
        mark: match (ranked.is_best(), ranked.is_similar()) {
            (true, _) => Mark::Best,
            (_, true) => Mark::Similar,
            _ => Mark::None,
        },
    }
}
