//! A paper's page: its figures drawn again, and beside each what it claims and what runs say.

use crate::claims::{Told, Verdict};
use earlydrop_report::figure::escape;

use earlydrop_report::page_shell;

use super::html::{axis, claim, look, sign, tally};
use super::printed::{Number, Printed};
use super::study::{Drawn, DrawnFigure, Study};
use super::written::Figure;

/// How the page is made, for its foot.
#[derive(Clone, Debug)]
pub struct Made {
    /// The command that makes it again.
    pub command: String,
    /// The version that did.
    pub version: String,
    /// Whether only few seeds and points were run.
    pub is_quick: bool,
}

/// A paper's page, one file that opens without a network. It links to the experiments'
/// own reports, in folders beside it, and to the front page one folder up.
pub fn page(study: &Study<'_>, made: &Made) -> String {
    let paper = &study.paper.paper;
    let mut body = head(study, made);
    body.push_str("<main>\n");
    for drawn in &study.figures {
        body.push_str(&figure(study, drawn));
    }
    let loose = study.of_text();
    if !loose.is_empty() {
        body.push_str("<section id=\"text\"><h2>Claims of no figure</h2>\n");
        body.push_str(&claims(&loose));
        body.push_str("</section>\n");
    }
    body.push_str(&experiments(study));
    body.push_str("</main>\n");
    body.push_str(&foot(made));
    page_shell(&paper.title, &body, "")
}

fn head(study: &Study<'_>, made: &Made) -> String {
    let paper = &study.paper.paper;
    let quick = match made.is_quick {
        true => {
            "<p class=\"note\">A quick run: few seeds and few points, so that intervals are \
                 wide. <code>earlydrop reproduce --full</code> runs everything.</p>\n"
        }
        false => "",
    };
    let not_run = match study.not_run() {
        0 => String::new(),
        count => format!(
            "<p class=\"note\">{count} more figures were not run: \
             <code>earlydrop reproduce {}</code> runs them.</p>\n",
            escape(&paper.key)
        ),
    };
    let mut contents = String::new();
    for drawn in &study.figures {
        let figure = drawn.figure;
        if figure.left_out.is_empty() {
            contents.push_str(&format!(
                "<li><a href=\"#{}\">{}</a> {}</li>\n",
                escape(&figure.id),
                escape(&figure.number),
                signs(study, drawn)
            ));
        }
    }
    format!(
        "<header id=\"head\">\n<p class=\"kicker\"><a href=\"../index.html\">The papers</a> · {}</p>\n\
         <h1>{}</h1>\n<p class=\"run\">{}, {}</p>\n<p class=\"about\">{}</p>\n{}{quick}{not_run}\
         <nav aria-label=\"Figures\"><ul class=\"contents\">\n{contents}</ul></nav>\n\
         <p class=\"note\">{READING}</p>\n</header>\n",
        escape(study.paper.key),
        escape(&paper.title),
        escape(&paper.authors),
        escape(&paper.year),
        escape(&study.paper.figures.proposes),
        tally(study.told.iter()),
    )
}

const READING: &str = "Bands and upright bars are 95% intervals over the seeds. Beside each \
    figure: its claims. Right of zero the paper is right. A small dot is one comparison, filled \
    where its interval bears the claim out; the diamond is all of them together with their \
    interval. A claim holds where every comparison bears it out.";

/// A sign for each claim of a figure, leading to it; of printed numbers, how many come out.
fn signs(study: &Study<'_>, drawn: &DrawnFigure<'_>) -> String {
    let told = study.of_figure(drawn.figure).into_iter();
    let (numbers, claims): (Vec<&Told<'_>>, Vec<&Told<'_>>) =
        told.partition(|told| drawn.has(&told.claim.id));
    let sign = |told: &&Told<'_>| {
        let verdict = told.judged.verdict;
        let id = escape(&told.claim.id);
        format!(
            "<a class=\"{}\" href=\"#{id}\" title=\"{id}: {verdict}\">{}</a>",
            look(verdict),
            sign(verdict)
        )
    };
    let signs: Vec<String> = claims.iter().map(sign).collect();
    let right = numbers
        .iter()
        .filter(|told| told.judged.verdict == Verdict::Holds)
        .count();
    let numbers = match numbers.len() {
        0 => String::new(),
        all => format!("<span class=\"note\"> {right} of {all} numbers</span>"),
    };
    format!("<span class=\"signs\">{}</span>{numbers}", signs.concat())
}

fn figure(study: &Study<'_>, drawn: &DrawnFigure<'_>) -> String {
    let figure = drawn.figure;
    if !figure.left_out.is_empty() {
        return left_out(figure);
    }
    let told = study.of_figure(figure);
    // What stands in a table need not stand beside it.
    let in_table = |told: &&Told<'_>| drawn.has(&told.claim.id);
    let beside: Vec<&Told<'_>> = told
        .iter()
        .copied()
        .filter(|told| !in_table(told))
        .collect();
    let shape = match drawn.panels.as_slice() {
        [Drawn::Table(_), ..] => "tables",
        [_] => "single short",
        [_, _] => "several short",
        _ => "several",
    };
    let panels: Vec<String> = drawn.panels.iter().map(panel).collect();
    format!(
        "<section id=\"{}\">\n<h2>{}{}</h2>\n<p class=\"caption\">{}</p>\n\
         <div class=\"figure-and-claims {shape}\">\n<div class=\"panels\">\n{}</div>\n{}</div>\n{}</section>\n",
        escape(&figure.id),
        escape(&figure.number),
        signs(study, drawn),
        escape(&figure.caption),
        panels.concat(),
        claims(&beside),
        origin(study, drawn)
    )
}

fn left_out(figure: &Figure) -> String {
    format!(
        "<p class=\"left-out\" id=\"{}\"><strong>{}.</strong> {} <span>{}</span></p>\n",
        escape(&figure.id),
        escape(&figure.number),
        escape(&figure.caption),
        escape(&figure.left_out)
    )
}

/// What the paper does not say, and where to see more.
fn origin(study: &Study<'_>, drawn: &DrawnFigure<'_>) -> String {
    let not_printed = match drawn.figure.not_printed.as_str() {
        "" => String::new(),
        words => format!("<strong>Not printed:</strong> {} ", escape(words)),
    };
    let of = |name: &&str| {
        let name = escape(name);
        match study.experiments.contains(&name) {
            true => format!(
                "<a href=\"{name}/report.html\">{name}</a> (<a href=\"#experiment-{name}\">as written</a>)"
            ),
            false => format!("{name}, which was not run"),
        }
    };
    let links: Vec<String> = drawn.experiments.iter().map(of).collect();
    let links = match links.is_empty() {
        true => String::new(),
        false => format!("<strong>All results:</strong> {}.", links.join(", ")),
    };
    format!("<p class=\"note\">{not_printed}{links}</p>\n")
}

fn claims(told: &[&Told<'_>]) -> String {
    if told.is_empty() {
        return String::new();
    }
    let items: Vec<String> = told.iter().map(|told| claim(told)).collect();
    let axis = match told.iter().any(|told| told.judged.effect.is_some()) {
        true => axis(),
        false => String::new(),
    };
    format!(
        "<div class=\"claims\">{axis}<ol>\n{}</ol></div>\n",
        items.concat()
    )
}

fn panel(drawn: &Drawn) -> String {
    match drawn {
        Drawn::Picture(drawing) => format!("<figure>{}</figure>\n", drawing.inline()),
        Drawn::Table(printed) => table(printed),
        Drawn::Missing(why) => format!("<p class=\"none\">{}.</p>\n", escape(why)),
    }
}

/// The printed numbers, and below each ours with its deviation.
fn table(printed: &Printed) -> String {
    let mut over = String::new();
    let mut names = String::new();
    let mut columns = printed.columns.as_slice();
    while let Some((under, _)) = columns.first() {
        let count = columns
            .iter()
            .take_while(|(other, _)| other == under)
            .count();
        over.push_str(&format!("<th colspan=\"{count}\">{}</th>", escape(under)));
        for (_, name) in &columns[..count] {
            names.push_str(&format!("<th>{}</th>", escape(name)));
        }
        columns = &columns[count..];
    }
    let rows = printed.rows.iter().map(|(name, numbers)| {
        let cells: Vec<String> = numbers.iter().map(number).collect();
        format!("<tr><th>{}</th>{}</tr>\n", escape(name), cells.concat())
    });
    let rows: Vec<String> = rows.collect();
    format!(
        "<h3>{}</h3>\n<div class=\"scroll\"><table class=\"printed\">\n<thead>\n\
         <tr><th></th>{over}</tr>\n<tr><th></th>{names}</tr>\n</thead>\n<tbody>\n{}</tbody>\n\
         </table></div>\n<p class=\"note\">In each cell: as printed, ours with its interval, by how much ours is off.</p>\n",
        escape(&printed.title),
        rows.concat()
    )
}

fn number(number: &Number) -> String {
    let off = number.deviation();
    let off = off.map_or(String::new(), |off| format!("{:+.1}%", 100.0 * off));
    let (anchor, verdict) = match &number.claim {
        Some((id, verdict)) => (
            format!(" id=\"{}\" title=\"{}\"", escape(id), escape(id)),
            format!(
                "<span class=\"{}\">{} {off}</span>",
                look(*verdict),
                sign(*verdict)
            ),
        ),
        None => (String::new(), format!("<span>{off}</span>")),
    };
    format!(
        "<td{anchor}><b>{}</b><br>{}<br>{verdict}</td>",
        escape(&number.printed),
        number.ours()
    )
}

/// Each experiment as it is written, with what was not printed and how it was chosen.
fn experiments(study: &Study<'_>) -> String {
    let one = |name: &String| {
        let text = study.paper.text(name).unwrap_or_default();
        let name = escape(name);
        format!(
            "<details id=\"experiment-{name}\"><summary>{name}</summary>\n\
             <p><a href=\"{name}/report.html\">Everything that was measured</a></p>\n\
             <pre>{}</pre></details>\n",
            escape(text)
        )
    };
    let all: Vec<String> = study.experiments.iter().map(one).collect();
    format!(
        "<section id=\"experiments\"><h2>The experiments as they are written</h2>\n\
         <p class=\"caption\">Each value that the paper does not print has a comment that says how it was chosen.</p>\n\
         {}</section>\n",
        all.concat()
    )
}

/// What made a page.
pub(super) fn foot(made: &Made) -> String {
    format!(
        "<footer><p class=\"note\">Made by <code>{}</code>, earlydrop {}.</p></footer>\n",
        escape(&made.command),
        escape(&made.version)
    )
}
