//! What the pages of papers have in common.

use crate::claims::{Comparison, Told, Verdict};
use earlydrop_report::figure::{self, Effect, Row, escape};

/// Every verdict, the best first.
pub(super) const VERDICTS: [Verdict; 4] = [
    Verdict::Holds,
    Verdict::InPart,
    Verdict::DoesNotHold,
    Verdict::Undecided,
];

/// How a verdict looks: its class in pages and pictures.
pub(super) fn look(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "right",
        Verdict::InPart => "partly",
        Verdict::DoesNotHold => "wrong",
        Verdict::Undecided => "open",
    }
}

/// A sign for a verdict, for who does not see colours.
pub(super) fn sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "●",
        Verdict::InPart => "◐",
        Verdict::DoesNotHold => "○",
        Verdict::Undecided => "?",
    }
}

/// "● holds", in its colour.
pub(super) fn badge(verdict: Verdict) -> String {
    format!(
        "<span class=\"verdict {}\">{} {verdict}</span>",
        look(verdict),
        sign(verdict)
    )
}

/// How many claims have which verdict, as a bar and in words.
pub(super) fn tally<'a>(told: impl Iterator<Item = &'a Told<'a>>) -> String {
    let found: Vec<Verdict> = told.map(|told| told.judged.verdict).collect();
    let count = |wanted| found.iter().filter(|verdict| **verdict == wanted).count();
    let parts = VERDICTS.map(|verdict| (verdict, count(verdict)));
    let (mut bar, mut words) = (String::new(), String::new());
    for (verdict, count) in parts.iter().filter(|(_, count)| *count > 0) {
        bar.push_str(&format!(
            "<span class=\"{}\" style=\"flex-grow:{count}\"></span>",
            look(*verdict)
        ));
        words.push_str(&format!(
            "<li><span class=\"verdict {}\">{} {count}</span> {}</li>",
            look(*verdict),
            sign(*verdict),
            plural(*verdict, *count)
        ));
    }
    format!("<div class=\"tally\"><div class=\"bar\">{bar}</div><ul>{words}</ul></div>\n")
}

fn plural(verdict: Verdict, count: usize) -> &'static str {
    match (verdict, count) {
        (Verdict::Holds, 1) => "holds",
        (Verdict::Holds, _) => "hold",
        (Verdict::InPart, 1) => "holds in part",
        (Verdict::InPart, _) => "hold in part",
        (Verdict::DoesNotHold, 1) => "does not hold",
        (Verdict::DoesNotHold, _) => "do not hold",
        (Verdict::Undecided, _) => "cannot be decided",
    }
}

/// A claim's effects, to be drawn.
pub(super) fn row(told: &Told<'_>) -> Row {
    let effect = |one: &Comparison| {
        let mean = one.mean()?;
        Some(Effect {
            mean: mean.mean,
            half: mean.half,
            is_right: one.is_borne_out(),
        })
    };
    let effects = told.effect();
    Row {
        name: told.claim.id.clone(),
        look: look(told.judged.verdict),
        overall: told.judged.effect.map(|mean| Effect {
            mean: mean.mean,
            half: mean.half,
            is_right: mean.excludes_zero() && mean.mean > 0.0,
        }),
        single: told.judged.comparisons.iter().filter_map(effect).collect(),
        words: match effects.as_str() {
            "" => format!("{}: {}", told.claim.id, told.judged.verdict),
            effects => format!("{}: {}, {effects}", told.claim.id, told.judged.verdict),
        },
    }
}

/// A claim with its verdict and its effect.
pub(super) fn claim(told: &Told<'_>) -> String {
    let verdict = told.judged.verdict;
    let id = escape(&told.claim.id);
    let mut item = format!(
        "<li class=\"claim\" id=\"{id}\">\n<p>{} {} <code>{id}</code></p>\n",
        badge(verdict),
        escape(&told.claim.claim)
    );
    if !told.judged.missing.is_empty() {
        let missing = escape(&told.judged.missing);
        item.push_str(&format!("<p class=\"note\">Missing: {missing}.</p>\n"));
    }
    if told.judged.effect.is_some() {
        item.push_str(&format!(
            "<div class=\"effect\">{}<span>{}</span></div>\n",
            figure::strip(&row(told), STRIP).inline(),
            told.effect()
        ));
    }
    item.push_str(&comparisons(told));
    item.push_str("</li>\n");
    item
}

/// How wide a claim's strip is.
pub(super) const STRIP: u32 = 260;

/// Every comparison of a claim, behind a line that says how many bear it out.
fn comparisons(told: &Told<'_>) -> String {
    let all = &told.judged.comparisons;
    if all.len() < 2 {
        return String::new();
    }
    let right = all.iter().filter(|one| one.is_borne_out()).count();
    let mut rows = String::new();
    for one in all {
        let verdict = match one.is_borne_out() {
            true => Verdict::Holds,
            false => Verdict::DoesNotHold,
        };
        let effect = one.mean().map_or(String::new(), |mean| {
            let half = mean
                .half
                .map_or(String::new(), |half| format!(" ± {:.1}", 100.0 * half));
            format!("{:+.1}{half}%", 100.0 * mean.mean)
        });
        rows.push_str(&format!(
            "<tr><td class=\"{}\">{}</td><td>{}</td><td class=\"number\">{effect}</td></tr>\n",
            look(verdict),
            sign(verdict),
            escape(&one.place),
        ));
    }
    format!(
        "<details><summary>{right} of {} comparisons bear it out</summary>\n\
         <div class=\"scroll\"><table class=\"plain\">\n{rows}</table></div></details>\n",
        all.len()
    )
}

/// How the strips are read; stands above them once.
pub(super) fn axis() -> String {
    format!(
        "<div class=\"effect axis\" aria-hidden=\"true\">{}</div>\n",
        figure::strip_axis(STRIP).inline()
    )
}
