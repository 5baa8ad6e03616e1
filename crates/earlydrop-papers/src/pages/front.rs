//! The front page: every claim of every paper.

use crate::claims::{Concluded, Conclusion, Test, Told, Verdict};
use earlydrop_lab::statistics::CONFIDENCE;
use earlydrop_report::figure::{self, escape};

use earlydrop_report::page_shell;

use super::html::{STRIP, VERDICTS, axis, badge, look, row, tally};
use super::page::{Made, foot};
use super::study::Study;

const SCRIPT: &str = include_str!("../../assets/front.js");

/// The page that leads to the papers' pages, which stand in folders beside it, with what
/// becomes of their ideas.
pub fn front(studies: &[Study<'_>], ideas: &[Concluded<'_>], made: &Made) -> String {
    let told = || studies.iter().flat_map(|study| &study.told);
    let (questions, theirs): (Vec<_>, Vec<_>) = told().partition(|told| told.claim.is_question());
    let run: Vec<&Study<'_>> = studies
        .iter()
        .filter(|study| !study.experiments.is_empty())
        .collect();
    let papers: Vec<String> = studies.iter().map(paper).collect();
    let rows: Vec<String> = run.iter().flat_map(|study| claims(study)).collect();
    let claims = questions.len() + theirs.len();
    let body = format!(
        "<header id=\"head\">\n<p class=\"kicker\">earlydrop reproduce</p>\n\
         <h1>The papers, run again</h1>\n\
         <p class=\"about\">What papers on early dropping claim, put to the test: {} claims, each \
         with the scenario that the paper describes, several seeds and {}% intervals. \
         Each square is a claim; it leads to the figure that it is about.</p>\n{}\
         {}{}</header>\n<main>\n{}<section id=\"papers\">\n{}</section>\n\
         <section id=\"claims\"><h2>Every claim</h2>\n{}\
         <p class=\"note\" id=\"shown\" role=\"status\">{claims} of {claims} claims</p>\n{}\
         <ol class=\"all\">\n{}</ol>\n</section>\n</main>\n{}",
        theirs.len(),
        100.0 * CONFIDENCE,
        tally(theirs.into_iter()),
        of_ours(&questions),
        quick(made),
        of_ideas(ideas),
        papers.concat(),
        filters(studies),
        axis(),
        rows.concat(),
        foot(made)
    );
    page_shell("The papers, run again", &body, SCRIPT)
}

/// How the questions that are ours came out.
fn of_ours(questions: &[&Told<'_>]) -> String {
    if questions.is_empty() {
        return String::new();
    }
    format!(
        "<p class=\"note kind\">And {} questions of ours: what the papers left open, what each \
         reading of them does, and what their ideas are worth today.</p>\n{}",
        questions.len(),
        tally(questions.iter().copied())
    )
}

/// Which of the papers' ideas still earn their place.
fn of_ideas(ideas: &[Concluded<'_>]) -> String {
    let decided = |concluded: &&Concluded<'_>| concluded.conclusion != Conclusion::Undecided;
    let item = |concluded: &Concluded<'_>| {
        let look = match concluded.conclusion {
            Conclusion::Earns => look(Verdict::Holds),
            Conclusion::InSome => look(Verdict::InPart),
            Conclusion::DoesNot => look(Verdict::DoesNotHold),
            Conclusion::Undecided => look(Verdict::Undecided),
        };
        format!(
            "<li><strong class=\"verdict {look}\">{}</strong> {}. <span class=\"note\">{}</span></li>\n",
            escape(&concluded.in_short()),
            escape(&concluded.idea.idea),
            escape(&concluded.idea.from)
        )
    };
    let items: Vec<String> = ideas.iter().filter(decided).map(item).collect();
    if items.is_empty() {
        return String::new();
    }
    format!(
        "<section id=\"ideas\"><h2>Which of their ideas still earn their place</h2>\n\
         <p class=\"note\">Worked out from verdicts, by rules set before anything was run: an idea \
         earns its place in a setting where it is better than what it is built on, at no cost, and \
         no worse than what an operator has without it. Settings that it does in, of those asked \
         about; what each rests on is on <a href=\"today/report.html\">a page of its own</a>.</p>\n\
         <ul class=\"ideas\">\n{}</ul></section>\n",
        items.concat()
    )
}

fn quick(made: &Made) -> &'static str {
    match made.is_quick {
        true => {
            "<p class=\"note\">A quick run: few seeds and few points, so that intervals are wide \
             and fewer claims can be borne out. <code>earlydrop reproduce --full</code> runs \
             everything.</p>\n"
        }
        false => "",
    }
}

/// A paper with a square for each claim.
fn paper(study: &Study<'_>) -> String {
    let paper = &study.paper.paper;
    let folder = escape(study.paper.key);
    if study.experiments.is_empty() {
        return format!(
            "<article class=\"paper\"><h2>{}</h2>\n<p class=\"none\">Not run yet: \
             <code>earlydrop reproduce {}</code></p></article>\n",
            escape(&paper.title),
            escape(&paper.key)
        );
    }
    let square = |told: &Told<'_>| {
        let verdict = told.judged.verdict;
        let words = format!("{}: {verdict}. {}", told.claim.id, told.claim.claim);
        format!(
            "<a class=\"{}\" href=\"{folder}/report.html#{}\" title=\"{}\"><span class=\"unseen\">{}</span></a>",
            look(verdict),
            escape(&told.claim.id),
            escape(&words),
            escape(&told.claim.id)
        )
    };
    let told = study.told.iter();
    let (questions, theirs): (Vec<_>, Vec<_>) = told.partition(|told| told.claim.is_question());
    let (numbers, statements): (Vec<_>, Vec<_>) = theirs
        .into_iter()
        .partition(|told| matches!(told.claim.test, Test::Value { .. }));
    let squares = |what: &str, told: &[&Told<'_>]| {
        let squares: Vec<String> = told.iter().map(|told| square(told)).collect();
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
        "<article class=\"paper\">\n<h2><a href=\"{folder}/report.html\">{}</a></h2>\n\
         <p>{}</p>\n{}{}{}{}</article>\n",
        escape(&paper.title),
        escape(&study.paper.figures.proposes),
        squares("statements", &statements),
        squares("printed numbers", &numbers),
        squares("questions of ours", &questions),
        tally(study.told.iter())
    )
}

fn filters(studies: &[Study<'_>]) -> String {
    let option = |value: &str, name: &str| {
        format!(
            "<option value=\"{}\">{}</option>",
            escape(value),
            escape(name)
        )
    };
    let papers = studies.iter().map(|study| {
        let paper = &study.paper.paper;
        option(&paper.key, study.paper.key)
    });
    let verdicts = VERDICTS.map(|verdict| option(look(verdict), &verdict.to_string()));
    format!(
        "<form class=\"choices\" id=\"filter\">\n\
         <label class=\"choice\"><span>Paper</span><select name=\"paper\"><option value=\"\">all</option>{}</select></label>\n\
         <label class=\"choice\"><span>Verdict</span><select name=\"verdict\"><option value=\"\">all</option>{}</select></label>\n\
         <label class=\"choice\"><span>Text</span><input name=\"text\" type=\"search\" placeholder=\"delay, NLRED, F19\"></label>\n\
         </form>\n",
        papers.collect::<Vec<String>>().concat(),
        verdicts.concat()
    )
}

fn claims(study: &Study<'_>) -> Vec<String> {
    let folder = escape(study.paper.key);
    let one = |told: &Told<'_>| {
        let verdict = told.judged.verdict;
        let id = escape(&told.claim.id);
        let figure = study.figure_of(&told.claim.id);
        let figure = figure.map_or("text", |figure| figure.number.as_str());
        let strip = match told.judged.effect {
            Some(_) => figure::strip(&row(told), STRIP).inline(),
            None => String::new(),
        };
        format!(
            "<li class=\"claim\" data-paper=\"{}\" data-verdict=\"{}\">\n\
             <p>{} {} <a href=\"{folder}/report.html#{id}\"><code>{id}</code></a> <span class=\"note\">{}</span></p>\n\
             <div class=\"effect\">{strip}<span>{}</span></div>\n</li>\n",
            escape(&study.paper.paper.key),
            look(verdict),
            badge(verdict),
            escape(&told.claim.claim),
            escape(figure),
            told.effect()
        )
    };
    study.told.iter().map(one).collect()
}
