//! The page of a suite: what was found in words, the standings, and a table for each point.

use earlydrop_lab::suite::{Measure, Suite, Value};

use super::{PartResult, findings, overall, tally};
use crate::figure::escape;
use crate::page_shell;
use crate::table::{Mark, point_label};

/// The whole page.
pub fn page(suite: &Suite, results: &[PartResult]) -> String {
    let contents: String = results.iter().map(contents_line).collect();
    let parts: String = results.iter().map(part).collect();
    let body = format!(
        "<header id=\"head\">\n<p class=\"kicker\">earlydrop suite {}</p>\n<h1>{}</h1>\n\
         <p class=\"about\">After {}.</p>\n{}</header>\n<main>\n\
         <section id=\"standings\"><h2>How often is each scheme among the best?</h2>\n{}\
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

/// A row for each scheme: in how many comparisons it is best or similar to the best.
fn standings(results: &[PartResult]) -> String {
    let rows: String = tally(results)
        .iter()
        .map(|row| {
            format!(
                "<tr><th scope=\"row\">{}</th><td>{} of {}</td><td>{:.0}%</td></tr>\n",
                escape(&row.scheme),
                row.best_or_similar,
                row.comparisons,
                100.0 * row.best_or_similar as f64 / row.comparisons.max(1) as f64
            )
        })
        .collect();
    format!(
        "<p><strong>{}</strong> A comparison is a measure at a point of a sweep. Counted is where a scheme has the \
         best mean or is not significantly different from it (paired by seed, 95% for all schemes \
         together by Holm's procedure). The count weighs all measures alike: read the parts \
         that are about your question.</p>\n<div class=\"scroll\"><table>\n<thead><tr>\
         <th scope=\"col\">scheme</th><th scope=\"col\">among the best</th>\
         <th scope=\"col\">share</th></tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n",
        escape(&overall(results))
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
    let head: String = columns
        .iter()
        .map(|(measure, _)| format!("<th scope=\"col\">{}</th>", escape(&heading(measure))))
        .collect();
    let line = |(scheme, label): (usize, &&str)| {
        let cells: String = columns
            .iter()
            .map(|(measure, values)| {
                let value = values
                    .iter()
                    .find(|v| (v.scheme, v.point) == (scheme, point));
                cell(measure, value)
            })
            .collect();
        format!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", escape(label))
    };
    let labels = result.plan.labels();
    let rows: String = labels.iter().enumerate().map(line).collect();
    let title = match point_label(&result.plan, point) {
        title if title.is_empty() => title,
        title => format!("<caption>{}</caption>", escape(&title)),
    };
    format!(
        "<div class=\"scroll\"><table>{title}<thead><tr><th scope=\"col\">scheme</th>{head}</tr>\
         </thead>\n<tbody>\n{rows}</tbody></table></div>\n"
    )
}

fn cell(measure: &Measure, value: Option<&Value>) -> String {
    let Some(value) = value else {
        return "<td>-</td>".to_string();
    };
    let number = value.ranked.mean.with_interval(measure.unit().1);
    let mark = match (value.ranked.is_best(), value.ranked.is_similar()) {
        (true, _) => Mark::Best,
        (_, true) => Mark::Similar,
        _ => Mark::None,
    };
    format!("<td>{number}{}</td>", mark.sign(true))
}
