//! A paper's page in HTML: its figures drawn again, each with its claims and their verdicts.

use earlydrop_lab::number::change;
use earlydrop_report::figure::{escape, inline};
use earlydrop_report::page_shell;

use super::html::{
    badge, claim, footer, headed_tally, sign, strip_axis, verdict_class, with_readings,
};
use super::laboratory;
use super::panel_content::{FigureContent, PanelContent};
use super::printed_table::{Number, PrintedTable};
use super::provenance::Provenance;
use super::study::Study;
use crate::claims::{ClaimReport, Counts, Part, Sentence, Verdict};
use crate::figures::FigureSpec;

/// A paper's page: one HTML file that opens without a network. It links to the experiments'
/// reports in the folders next to it, and to the front page one folder up.
pub fn page(study: &Study<'_>, provenance: &Provenance) -> String {
    let paper = &study.paper.paper;
    let mut body = head(study, provenance);
    body.push_str("<main>\n");
    for content in &study.figures {
        body.push_str(&figure(study, content));
    }
    let loose = study.without_figure();
    if !loose.is_empty() {
        body.push_str("<section id=\"text\"><h2>Claims of no figure</h2>\n");
        body.push_str(&claims(study, &loose));
        body.push_str("</section>\n");
    }
    body.push_str(&sentences(study));
    body.push_str(&experiments(study));
    for (name, toml) in &study.scenarios {
        body.push_str(&laboratory::scenario(name, toml));
    }
    body.push_str("</main>\n");
    body.push_str(&footer(provenance));
    page_shell(&paper.title, &body, laboratory::SCRIPT)
}

fn head(study: &Study<'_>, provenance: &Provenance) -> String {
    let paper = &study.paper.paper;
    let quick = match provenance.is_quick {
        true => {
            "<p class=\"note\"><strong>A quick run</strong>: three seeds and few points decide \
                 little, so no verdict is given or counted. Each claim has what a first look says \
                 and the number of seeds behind it. <code>earlydrop reproduce --full</code> runs everything.</p>\n"
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
    for content in &study.figures {
        let figure = content.figure;
        if figure.left_out.is_empty() {
            contents.push_str(&format!(
                "<li><a href=\"#{}\">{}</a> {}</li>\n",
                escape(&figure.id),
                escape(&figure.number),
                signs(study, content)
            ));
        }
    }
    format!(
        "<header id=\"head\">\n<p class=\"kicker\"><a href=\"../index.html\">The papers</a> · {}</p>\n\
         <h1>{}</h1>\n<p class=\"run\">{}, {}</p>\n<p class=\"about\">{}</p>\n{}{quick}{not_run}\
         <nav aria-label=\"Figures\"><ul class=\"contents\">\n{contents}</ul></nav>\n\
         <p class=\"note\">{READING}</p>\n</header>\n",
        escape(&paper.name),
        escape(&paper.title),
        escape(&paper.authors),
        escape(&paper.year),
        escape(&study.paper.figures.proposes),
        counts(study, provenance),
    )
}

/// The numbers of claims by verdict. A quick run has none: it decides little.
pub(super) fn counts(study: &Study<'_>, provenance: &Provenance) -> String {
    if provenance.is_quick {
        return String::new();
    }
    let counts = Counts::of(&study.reports);
    let beside = match counts.beside {
        0 => String::new(),
        count => format!(
            "<p class=\"note kind\">{count} more stand beside them, under other values that the \
             paper does not print or in readings that we reject, and are not counted.</p>\n"
        ),
    };
    format!(
        "{}{}{beside}{}",
        headed_tally(&counts.sentences, "sentences"),
        headed_tally(&counts.numbers, "printed numbers"),
        headed_tally(&counts.ours, "of our hypotheses")
    )
}

const READING: &str = "Bands and vertical bars are 95% intervals over the seeds. Each \
    figure has its claims, with what was measured; what is claimed is shaded. A small dot is one \
    comparison, filled where it supports the claim, red where it contradicts it; the diamond is all of \
    them together with their interval. A claim holds where every comparison supports it, in part where \
    some do after a correction for their number (Holm); it makes no difference where each shows that, \
    is contradicted where the opposite is shown, and not shown where neither is.";

/// A sign for each claim of a figure, with a link to it, and the share of printed numbers whose
/// claims hold.
fn signs(study: &Study<'_>, content: &FigureContent<'_>) -> String {
    let reports = study.of_figure(content.figure).into_iter();
    let (numbers, claims): (Vec<&ClaimReport<'_>>, Vec<&ClaimReport<'_>>) =
        reports.partition(|report| content.has_in_table(&report.claim.id));
    let sign = |report: &&ClaimReport<'_>| {
        let (id, verdict) = (escape(&report.claim.id), report.decided());
        format!(
            "<a class=\"{}\" href=\"#{id}\" title=\"{id}: {}\">{}</a>",
            verdict_class(verdict),
            escape(&report.verdict()),
            sign(verdict)
        )
    };
    let signs: Vec<String> = claims.iter().map(sign).collect();
    let right = numbers
        .iter()
        .filter(|report| report.decided() == Some(Verdict::Holds))
        .count();
    let is_decided = numbers.iter().all(|report| report.decided().is_some());
    let numbers = match numbers.len() {
        0 => String::new(),
        all if !is_decided => format!("<span class=\"note\"> {all} numbers</span>"),
        all => format!("<span class=\"note\"> {right} of {all} numbers</span>"),
    };
    format!("<span class=\"signs\">{}</span>{numbers}", signs.concat())
}

fn figure(study: &Study<'_>, content: &FigureContent<'_>) -> String {
    let figure = content.figure;
    if !figure.left_out.is_empty() {
        return left_out(figure);
    }
    // Claims about a table's numbers stand in the table.
    let reports = study.of_figure(figure).into_iter();
    let listed: Vec<&ClaimReport<'_>> = reports
        .filter(|report| !content.has_in_table(&report.claim.id))
        .collect();
    let shape = match content.panels.as_slice() {
        [PanelContent::Table(_), ..] => "tables",
        [_] => "single short",
        [_, _] => "several short",
        _ => "several",
    };
    let mut panels = Vec::new();
    for (index, content_of_panel) in content.panels.iter().enumerate() {
        let along = match figure.panels.get(index) {
            Some(spec) if !spec.x.label.is_empty() => spec.x.label.as_str(),
            Some(spec) => spec.x.field.name.as_str(),
            None => "",
        };
        let rows = content.points.get(index).map_or(&[][..], Vec::as_slice);
        panels.push(panel(content_of_panel, &laboratory::links(rows, along)));
    }
    format!(
        "<section id=\"{}\">\n<h2>{}{}</h2>\n<p class=\"caption\">{}</p>\n\
         <div class=\"figure-and-claims {shape}\">\n<div class=\"panels\">\n{}</div>\n{}</div>\n{}</section>\n",
        escape(&figure.id),
        escape(&figure.number),
        signs(study, content),
        escape(&figure.caption),
        panels.concat(),
        claims(study, &listed),
        origin(study, content)
    )
}

/// A figure that is not drawn, with the reason.
fn left_out(figure: &FigureSpec) -> String {
    format!(
        "<p class=\"left-out\" id=\"{}\"><strong>{}.</strong> {} <span>{}</span></p>\n",
        escape(&figure.id),
        escape(&figure.number),
        escape(&figure.caption),
        escape(&figure.left_out)
    )
}

/// What the paper does not print, with links to the experiments.
fn origin(study: &Study<'_>, content: &FigureContent<'_>) -> String {
    let not_printed = match content.figure.not_printed.as_str() {
        "" => String::new(),
        words => format!("<strong>Not printed:</strong> {} ", escape(words)),
    };
    let of = |name: &&str| {
        let name = escape(name);
        match study.experiments.contains(&name) {
            true => format!(
                "<a href=\"{name}/report.html\">{name}</a> (<a href=\"#experiment-{name}\">scenario</a>)"
            ),
            false => format!("{name}, which was not run"),
        }
    };
    let links: Vec<String> = content.experiments.iter().map(of).collect();
    let links = match links.is_empty() {
        true => String::new(),
        false => format!("<strong>All results:</strong> {}.", links.join(", ")),
    };
    format!("<p class=\"note\">{not_printed}{links}</p>\n")
}

/// The list of claims, with the axis of their strips.
fn claims(study: &Study<'_>, reports: &[&ClaimReport<'_>]) -> String {
    if reports.is_empty() {
        return String::new();
    }
    let item = |(report, beside): (&ClaimReport<'_>, Vec<&ClaimReport<'_>>)| {
        claim(report, study.robustness_of(report.claim), &beside)
    };
    let items: Vec<String> = with_readings(reports).into_iter().map(item).collect();
    let axis = match reports
        .iter()
        .any(|report| report.judgement.effect.is_some())
    {
        true => strip_axis(),
        false => String::new(),
    };
    format!(
        "<div class=\"claims\">{axis}<ol>\n{}</ol></div>\n",
        items.concat()
    )
}

/// A panel; `links` stand below a picture.
fn panel(content: &PanelContent, links: &str) -> String {
    match content {
        PanelContent::Picture(drawing) => {
            format!("<figure>{}{links}</figure>\n", inline(drawing))
        }
        PanelContent::Table(printed) => table(printed),
        PanelContent::Missing(why) => format!("<p class=\"none\">{}.</p>\n", escape(why)),
    }
}

/// A table of printed numbers, with ours and its deviation below each.
fn table(printed: &PrintedTable) -> String {
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
         </table></div>\n<p class=\"note\">In each cell: as printed, ours with its interval, by how much ours is off; {}.</p>\n",
        escape(&printed.title),
        rows.concat(),
        printed.score()
    )
}

fn number(number: &Number) -> String {
    let off = number.deviation();
    let off = off.map_or(String::new(), |off| change(off, None));
    let (anchor, verdict) = match &number.claim {
        Some((id, verdict)) => (
            format!(" id=\"{}\" title=\"{}\"", escape(id), escape(id)),
            format!(
                "<span class=\"{}\">{} {off}</span>",
                verdict_class(*verdict),
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

/// The paper's abstract and conclusions, sentence by sentence, with the verdicts on the claims that
/// judge each.
fn sentences(study: &Study<'_>) -> String {
    let section = |part: Part| {
        let of_part = study.paper.sentences.iter();
        let rows: Vec<String> = of_part
            .filter(|sentence| sentence.part == part)
            .map(|sentence| sentence_row(study, sentence))
            .collect();
        match rows.is_empty() {
            true => String::new(),
            false => format!(
                "<section id=\"{part}\"><h2>The {part}, sentence by sentence</h2>\n\
                 <p class=\"caption\">Sentences are in our words.</p>\n<div class=\"scroll\">\
                 <table class=\"plain\">\n{}</table></div></section>\n",
                rows.concat()
            ),
        }
    };
    Part::ALL.map(section).concat()
}

fn sentence_row(study: &Study<'_>, sentence: &Sentence) -> String {
    let judging = study.judging(sentence).into_iter();
    let verdicts = judging.map(|report| {
        let (id, badge) = (escape(&report.claim.id), badge(report));
        format!("<a href=\"#{id}\"><code>{id}</code></a> {badge}")
    });
    let words = match sentence.note.as_str() {
        "" => verdicts.collect::<Vec<String>>().join("<br>"),
        note => escape(note),
    };
    let says = escape(&sentence.says);
    format!("<tr><td>{says}</td><td>{words}</td></tr>\n")
}

/// The scenario file of each experiment, whose comments say how unprinted values were chosen.
fn experiments(study: &Study<'_>) -> String {
    let item = |name: &String| {
        let text = study.paper.text(name).unwrap_or_default();
        let name = escape(name);
        format!(
            "<details id=\"experiment-{name}\"><summary>{name}</summary>\n\
             <p><a href=\"{name}/report.html\">All results</a></p>\n\
             <pre>{}</pre></details>\n",
            escape(text)
        )
    };
    let all: Vec<String> = study.experiments.iter().map(item).collect();
    format!(
        "<section id=\"experiments\"><h2>The experiments' scenario files</h2>\n\
         <p class=\"caption\">For each value that the paper does not print, a comment says how it was chosen.</p>\n\
         {}</section>\n",
        all.concat()
    )
}
