//! The front page in HTML: every claim of every paper.

use earlydrop_lab::statistics::CONFIDENCE;
use earlydrop_report::figure::{self, escape, inline};
use earlydrop_report::page_shell;

use super::html::{
    STRIP_WIDTH, badge, effect_row, footer, headed_tally, strip_axis, verdict_class,
};
use super::page::counts;
use super::provenance::Provenance;
use super::study::Study;
use crate::claims::{ClaimReport, Conclusion, Counts, IdeaReport, Standing, Verdict};

const SCRIPT: &str = include_str!("../../assets/front.js");

/// The page that links to the papers' pages, which stand in folders next to it, with the
/// conclusions about their ideas.
pub fn front(studies: &[Study<'_>], ideas: &[IdeaReport<'_>], provenance: &Provenance) -> String {
    let run: Vec<&Study<'_>> = studies
        .iter()
        .filter(|study| !study.experiments.is_empty())
        .collect();
    let papers = studies.iter().map(|study| paper(study, provenance));
    let papers: Vec<String> = papers.collect();
    let rows: Vec<String> = run.iter().flat_map(|study| claims(study)).collect();
    let claims: usize = studies.iter().map(|study| study.reports.len()).sum();
    let counts = Counts::of(studies.iter().flat_map(|study| &study.reports));
    let verdicts = match provenance.is_quick {
        true => String::new(),
        false => counted(&counts),
    };
    let body = format!(
        "<header id=\"head\">\n<p class=\"kicker\">earlydrop reproduce</p>\n\
         <h1>The papers, run again</h1>\n\
         <p class=\"about\">What papers on early dropping claim, put to the test: {} sentences and {} \
         printed numbers, each with the scenario that the paper describes, several seeds and {}% intervals. \
         Each square is a claim; it leads to the figure that it is about.</p>\n{verdicts}\
         {}</header>\n<main>\n{}<section id=\"papers\">\n{}</section>\n\
         <section id=\"claims\"><h2>Every claim</h2>\n{}\
         <p class=\"note\" id=\"shown\" role=\"status\">{claims} of {claims} claims</p>\n{}\
         <ol class=\"all\">\n{}</ol>\n</section>\n</main>\n{}",
        counts.sentences.total(),
        counts.numbers.total(),
        100.0 * CONFIDENCE,
        quick_note(provenance),
        idea_list(ideas),
        papers.concat(),
        filters(studies, provenance),
        strip_axis(),
        rows.concat(),
        footer(provenance)
    );
    page_shell("The papers, run again", &body, SCRIPT)
}

/// The verdicts on sentences, on printed numbers and on our hypotheses, and what stands beside them.
fn counted(counts: &Counts) -> String {
    let mut text = headed_tally(&counts.sentences, "sentences");
    text.push_str(&headed_tally(&counts.numbers, "printed numbers"));
    text.push_str(&headed_tally(
        &counts.ours,
        "of our hypotheses: about what the papers leave open, the effect of each reading, and the \
         worth of their ideas today",
    ));
    if counts.beside > 0 {
        text.push_str(&format!(
            "<p class=\"note kind\">{} more claims stand beside those of the papers, under other \
             values that a paper does not print or in readings that we reject, and are not \
             counted.</p>\n",
            counts.beside
        ));
    }
    text
}

/// The ideas with a conclusion.
fn idea_list(ideas: &[IdeaReport<'_>]) -> String {
    let decided = |report: &&IdeaReport<'_>| report.conclusion != Conclusion::Undecided;
    let item = |report: &IdeaReport<'_>| {
        let class = verdict_class(match report.conclusion {
            Conclusion::WorthUsing => Verdict::Holds,
            Conclusion::WorthUsingInSome => Verdict::InPart,
            Conclusion::NotWorthUsing => Verdict::Contradicted,
            Conclusion::Undecided => Verdict::Undecided,
        });
        format!(
            "<li><strong class=\"verdict {class}\">{}</strong> {}. <span class=\"note\">{}</span></li>\n",
            escape(&report.summary()),
            escape(&report.idea.idea),
            escape(&report.idea.from)
        )
    };
    let items: Vec<String> = ideas.iter().filter(decided).map(item).collect();
    if items.is_empty() {
        return String::new();
    }
    format!(
        "<section id=\"ideas\"><h2>Which of their ideas are worth using today</h2>\n\
         <p class=\"note\">An idea is worth using in a setting where it is better than what it is \
         built on, at no cost, and no worse than what an operator has without it. The rules were \
         set before any run. The numbers are settings, supported of tested; the claims behind \
         them have <a href=\"today/report.html\">their own page</a>.</p>\n\
         <ul class=\"ideas\">\n{}</ul></section>\n",
        items.concat()
    )
}

/// A note on quick runs.
fn quick_note(provenance: &Provenance) -> &'static str {
    match provenance.is_quick {
        true => {
            "<p class=\"note\"><strong>A quick run</strong>: three seeds and few points decide \
             little, so no verdict is given or counted. Each claim has what a first look says and \
             the number of seeds behind it. <code>earlydrop reproduce --full</code> runs \
             everything.</p>\n"
        }
        false => "",
    }
}

/// A paper with a square for each claim.
fn paper(study: &Study<'_>, provenance: &Provenance) -> String {
    let paper = &study.paper.paper;
    let key = escape(&paper.key);
    if study.experiments.is_empty() {
        return format!(
            "<article class=\"paper\"><h2>{}</h2>\n<p class=\"none\">Not run yet: \
             <code>earlydrop reproduce {key}</code></p></article>\n",
            escape(&paper.name)
        );
    }
    let square = |report: &ClaimReport<'_>| {
        let verdict = report.decided();
        let words = format!(
            "{}: {}. {}",
            report.claim.id,
            report.verdict(),
            report.claim.claim
        );
        format!(
            "<a class=\"{}\" href=\"{key}/report.html#{}\" title=\"{}\"><span class=\"unseen\">{}</span></a>",
            verdict_class(verdict),
            escape(&report.claim.id),
            escape(&words),
            escape(&report.claim.id)
        )
    };
    let of = |standing: Standing| -> Vec<&ClaimReport<'_>> {
        let reports = study.reports.iter();
        let of_standing = reports.filter(|report| report.claim.standing() == standing);
        of_standing.collect()
    };
    let (numbers, statements): (Vec<_>, Vec<_>) = of(Standing::Paper)
        .into_iter()
        .partition(|report| report.claim.printed);
    let squares = |what: &str, reports: &[&ClaimReport<'_>]| {
        let squares: Vec<String> = reports.iter().map(|report| square(report)).collect();
        match squares.is_empty() {
            true => String::new(),
            false => format!(
                "<p class=\"note kind\">{} {what}</p><div class=\"squares\">{}</div>\n",
                squares.len(),
                squares.concat()
            ),
        }
    };
    format!(
        "<article class=\"paper\">\n<h2><a href=\"{key}/report.html\">{}</a></h2>\n\
         <p class=\"run\">{}</p>\n<p>{}</p>\n{}{}{}{}{}</article>\n",
        escape(&paper.name),
        escape(&paper.title),
        escape(&study.paper.figures.proposes),
        squares("sentences", &statements),
        squares("printed numbers", &numbers),
        squares("beside them, not counted", &of(Standing::Beside)),
        squares("of our hypotheses", &of(Standing::Ours)),
        counts(study, provenance)
    )
}

fn filters(studies: &[Study<'_>], provenance: &Provenance) -> String {
    let option = |value: &str, name: &str| {
        format!(
            "<option value=\"{}\">{}</option>",
            escape(value),
            escape(name)
        )
    };
    let papers = studies.iter().map(|study| {
        let paper = &study.paper.paper;
        option(&paper.key, &paper.name)
    });
    let verdicts = match provenance.is_quick {
        true => String::new(),
        false => Verdict::ALL
            .map(|verdict| option(verdict_class(verdict), &verdict.to_string()))
            .concat(),
    };
    format!(
        "<form class=\"choices\" id=\"filter\">\n\
         <label class=\"choice\"><span>Paper</span><select name=\"paper\"><option value=\"\">all</option>{}</select></label>\n\
         <label class=\"choice\"><span>Verdict</span><select name=\"verdict\"><option value=\"\">all</option>{}</select></label>\n\
         <label class=\"choice\"><span>Text</span><input name=\"text\" type=\"search\" placeholder=\"delay, NLRED, F19\"></label>\n\
         </form>\n",
        papers.collect::<Vec<String>>().concat(),
        verdicts
    )
}

fn claims(study: &Study<'_>) -> Vec<String> {
    let key = escape(&study.paper.paper.key);
    let item = |report: &ClaimReport<'_>| {
        let verdict = report.decided();
        let id = escape(&report.claim.id);
        let figure = study.figure_of(&report.claim.id);
        let figure = figure.map_or("text", |figure| figure.number.as_str());
        let strip = match report.judgement.effect {
            Some(_) => inline(&figure::strip(&effect_row(report), STRIP_WIDTH)),
            None => String::new(),
        };
        format!(
            "<li class=\"claim\" data-paper=\"{}\" data-verdict=\"{}\">\n\
             <p>{} {} <a href=\"{key}/report.html#{id}\"><code>{id}</code></a> <span class=\"note\">{}</span></p>\n\
             <div class=\"effect\">{strip}<span>{}</span></div>\n</li>\n",
            escape(&study.paper.paper.key),
            verdict_class(verdict),
            badge(report),
            escape(&report.claim.claim),
            escape(figure),
            report.effect()
        )
    };
    study.reports.iter().map(item).collect()
}
