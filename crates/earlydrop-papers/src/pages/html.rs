//! Parts that several HTML pages share: verdicts, claims, the footer.

use earlydrop_report::figure::{self, Effect, ForestRow, escape};

use super::provenance::Provenance;
use crate::claims::{ClaimReport, Comparison, Verdict};

/// The CSS class of a verdict in pages and pictures.
pub(super) fn verdict_class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "right",
        Verdict::InPart => "partly",
        Verdict::DoesNotHold => "wrong",
        Verdict::Undecided => "open",
    }
}

/// The sign of a verdict, for readers who do not see colours.
pub(super) fn sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "●",
        Verdict::InPart => "◐",
        Verdict::DoesNotHold => "○",
        Verdict::Undecided => "?",
    }
}

/// A verdict with its sign and its colour: "● holds".
pub(super) fn badge(verdict: Verdict) -> String {
    format!(
        "<span class=\"verdict {}\">{} {verdict}</span>",
        verdict_class(verdict),
        sign(verdict)
    )
}

/// The number of claims by verdict, as a bar and in words.
pub(super) fn tally<'a>(reports: impl Iterator<Item = &'a ClaimReport<'a>>) -> String {
    let verdicts: Vec<Verdict> = reports.map(|report| report.judgement.verdict).collect();
    let count = |wanted| {
        verdicts
            .iter()
            .filter(|verdict| **verdict == wanted)
            .count()
    };
    let parts = Verdict::ALL.map(|verdict| (verdict, count(verdict)));
    let (mut bar, mut words) = (String::new(), String::new());
    for (verdict, count) in parts.iter().filter(|(_, count)| *count > 0) {
        bar.push_str(&format!(
            "<span class=\"{}\" style=\"flex-grow:{count}\"></span>",
            verdict_class(*verdict)
        ));
        words.push_str(&format!(
            "<li><span class=\"verdict {}\">{} {count}</span> {}</li>",
            verdict_class(*verdict),
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

/// A claim's effects as a row of a forest plot.
pub(super) fn effect_row(report: &ClaimReport<'_>) -> ForestRow {
    let effect = |one: &Comparison| {
        let mean = one.mean()?;
        Some(Effect {
            mean: mean.mean,
            half: mean.half,
            is_right: one.supports_claim(),
        })
    };
    let effects = report.effect();
    ForestRow {
        name: report.claim.id.clone(),
        look: verdict_class(report.judgement.verdict),
        overall: report.judgement.effect.map(|mean| Effect {
            mean: mean.mean,
            half: mean.half,
            is_right: mean.excludes_zero() && mean.mean > 0.0,
        }),
        single: report
            .judgement
            .comparisons
            .iter()
            .filter_map(effect)
            .collect(),
        tooltip: match effects.as_str() {
            "" => format!("{}: {}", report.claim.id, report.judgement.verdict),
            effects => format!(
                "{}: {}, {effects}",
                report.claim.id, report.judgement.verdict
            ),
        },
    }
}

/// A list item with a claim, its verdict and its effect.
pub(super) fn claim(report: &ClaimReport<'_>) -> String {
    let verdict = report.judgement.verdict;
    let id = escape(&report.claim.id);
    let mut item = format!(
        "<li class=\"claim\" id=\"{id}\">\n<p>{} {} <code>{id}</code></p>\n",
        badge(verdict),
        escape(&report.claim.claim)
    );
    if let Some(missing) = &report.judgement.missing {
        let missing = escape(&missing.to_string());
        item.push_str(&format!("<p class=\"note\">Missing: {missing}.</p>\n"));
    }
    if report.judgement.effect.is_some() {
        item.push_str(&format!(
            "<div class=\"effect\">{}<span>{}</span></div>\n",
            figure::strip(&effect_row(report), STRIP_WIDTH).inline(),
            report.effect()
        ));
    }
    item.push_str(&comparisons(report));
    item.push_str("</li>\n");
    item
}

/// The width of a claim's strip in pixels.
pub(super) const STRIP_WIDTH: u32 = 260;

/// Every comparison of a claim, folded behind the number of those that support it.
fn comparisons(report: &ClaimReport<'_>) -> String {
    let all = &report.judgement.comparisons;
    if all.len() < 2 {
        return String::new();
    }
    let right = all.iter().filter(|one| one.supports_claim()).count();
    let mut rows = String::new();
    for one in all {
        let verdict = match one.supports_claim() {
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
            verdict_class(verdict),
            sign(verdict),
            escape(&one.place),
        ));
    }
    format!(
        "<details><summary>{right} of {} comparisons support it</summary>\n\
         <div class=\"scroll\"><table class=\"plain\">\n{rows}</table></div></details>\n",
        all.len()
    )
}

/// The axis of the strips, which stands above them once.
pub(super) fn strip_axis() -> String {
    format!(
        "<div class=\"effect axis\" aria-hidden=\"true\">{}</div>\n",
        figure::strip_axis(STRIP_WIDTH).inline()
    )
}

/// The footer: the command and the version that made the page.
pub(super) fn footer(provenance: &Provenance) -> String {
    format!(
        "<footer><p class=\"note\">Made by <code>{}</code>, earlydrop {}.</p></footer>\n",
        escape(&provenance.command),
        escape(&provenance.version)
    )
}
