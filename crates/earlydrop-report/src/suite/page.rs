//! The page of a suite: what was found in words, the standings, and a table for each point.

use earlydrop_lab::judge::Verdict;
use earlydrop_lab::suite::{Measure, Suite, Value};

use super::{
    PartResult, Question, STANDINGS, STANDINGS_MEAN, counted, findings, in_short, overall,
    questions, tally,
};
use crate::derived;
use crate::figure::{escape, inline};
use crate::page_shell;
use crate::table::{Cell, Mark, Table};
use crate::words::capital;

/// The whole page.
pub fn page(suite: &Suite, results: &[PartResult]) -> String {
    let asked: Vec<Vec<Question>> = results.iter().map(questions).collect();
    let parts = results.iter().zip(&asked);
    let parts: String = parts.map(|(result, asked)| part(result, asked)).collect();
    let body = format!(
        "<header id=\"head\">\n<p class=\"kicker\">earlydrop suite {}</p>\n<h1>{}</h1>\n\
         <p class=\"about\">After {}.</p>\n{}</header>\n<main>\n\
         <section id=\"answers\"><h2>What does each scheme answer?</h2>\n{}</section>\n{parts}\
         <section id=\"standings\"><h2>How does each scheme compare?</h2>\n{}</section>\n</main>\n",
        escape(suite.name),
        escape(suite.title),
        escape(suite.source),
        left_out(suite),
        all_answers(results, &asked),
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

/// A part's section and title, which leads to it.
fn link(result: &PartResult) -> String {
    let part = result.part;
    let section = match part.section {
        "" => String::new(),
        section => format!("{section} "),
    };
    format!(
        "{}<a href=\"#{}\">{}</a>",
        escape(&section),
        escape(part.name),
        escape(&result.plan.scenario().title)
    )
}

/// A row for each question below its part, a column for each scheme.
fn all_answers(results: &[PartResult], asked: &[Vec<Question>]) -> String {
    let all: Vec<Question> = asked.iter().flatten().cloned().collect();
    let schemes: Vec<String> = counted(&all).into_iter().map(|one| one.scheme).collect();
    let head = |scheme: &String| format!("<th scope=\"col\">{}</th>", escape(scheme));
    let heads: String = schemes.iter().map(head).collect();
    let row = |question: &Question| {
        let answer = |scheme: &String| {
            let mut answers = question.schemes.iter();
            match answers.find(|(label, _)| label == scheme).map(|one| one.1) {
                Some(Verdict::Holds) => "<td class=\"yes\">yes</td>",
                Some(Verdict::Contradicted) => "<td class=\"no\">no</td>",
                Some(Verdict::Undecided) => "<td>undecided</td>",
                Some(Verdict::Unjudged) | None => "<td>-</td>",
            }
        };
        let cells: String = schemes.iter().map(answer).collect();
        let asked = escape(&question.asked);
        format!("<tr><th scope=\"row\">{asked}</th>{cells}</tr>\n")
    };
    let part = |(result, asked): (&PartResult, &Vec<Question>)| {
        let rows: String = asked.iter().map(row).collect();
        format!(
            "<tbody>\n<tr><th scope=\"rowgroup\" colspan=\"{}\">{}</th></tr>\n{rows}</tbody>\n",
            1 + schemes.len(),
            link(result)
        )
    };
    let parts: String = results.iter().zip(asked).map(part).collect();
    format!(
        "<p><strong>{}</strong> Yes: the 95% interval lies on the side that is asked for at every \
         point. No: one shows the contrary, after a correction for their number. Undecided: these \
         runs do not tell. Questions are not equally important to you: read the parts that are \
         about yours.</p>\n\
         <div class=\"scroll\"><table class=\"answers\"><thead><tr><th scope=\"col\">question</th>\
         {heads}</tr></thead>\n{parts}</table></div>\n",
        escape(&in_short(&all)),
    )
}

/// A question with its answers and their picture.
fn question(question: &Question) -> String {
    let picture = question.picture.as_ref();
    let picture = picture.map(|scene| format!("<figure>{}</figure>\n", inline(scene)));
    format!(
        "<h3>{}</h3>\n<p>{}</p>\n{}",
        escape(&question.asked),
        escape(&question.answer),
        picture.unwrap_or_default()
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
        "<p><strong>{}</strong> {STANDINGS_MEAN} The count weighs all measures alike.</p>\n{}",
        escape(&overall(results)),
        table.html("")
    )
}

fn part(result: &PartResult, asked: &[Question]) -> String {
    let part = result.part;
    let section = match part.section {
        "" => String::new(),
        section => format!("<p class=\"kicker\">Section {}</p>\n", escape(section)),
    };
    let answered: String = asked.iter().map(question).collect();
    let sizes = derived::sentences(&result.plan);
    let sizes: String = sizes
        .iter()
        .map(|one| format!("<li>{}</li>\n", escape(one)))
        .collect();
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
        "<section id=\"{}\">\n{section}<h2>{}</h2>\n<p><strong>{}</strong></p>\n\
         <details class=\"sizes\" open><summary>Buffers, thresholds and targets</summary>\n\
         <ul>\n{sizes}</ul></details>\n\
         {answered}<ul>\n{sentences}</ul>\n{tables}\n{}<p class=\"note\"><a href=\"{}\">Report of these runs</a></p>\n\
         </section>\n",
        escape(part.name),
        escape(&result.plan.scenario().title),
        escape(part.question),
        definitions(part.measures),
        escape(&result.report),
    )
}

/// What each measure is.
fn definitions(measures: &[Measure]) -> String {
    let with_meaning = measures.iter().filter(|one| !one.meaning().is_empty());
    let item = |one: &Measure| {
        let (title, meaning) = (capital(&one.title()), one.meaning());
        format!(
            "<dt>{}</dt><dd>{}.</dd>\n",
            escape(&title),
            escape(&capital(meaning))
        )
    };
    let items: String = with_meaning.map(item).collect();
    format!("<details><summary>Definitions</summary><dl>\n{items}</dl></details>\n")
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
        title: result.plan.point_label(point),
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
