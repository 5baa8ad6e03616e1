//! Parts that several HTML pages share: verdicts, claims, the footer.

use earlydrop_lab::statistics::Mean;
use earlydrop_report::figure::{self, Effect, ForestRow, escape, inline};

use super::provenance::Provenance;
use super::robustness;
use crate::claims::{ClaimReport, Claimed, Comparison, Evidence, Tally, Verdict, plural};
use crate::multiverse::Robustness;

/// The CSS class of a verdict in pages and pictures; `None` is what is not counted.
pub(super) fn verdict_class(verdict: impl Into<Option<Verdict>>) -> &'static str {
    match verdict.into() {
        Some(Verdict::Holds) => "right",
        Some(Verdict::InPart) => "partly",
        Some(Verdict::Contradicted) => "wrong",
        Some(Verdict::NoDifference) => "equal",
        Some(Verdict::NotShown) | None => "open",
        Some(Verdict::Undecided) => "missing",
    }
}

/// The sign of a verdict, for readers who do not see colours; `None` is what is not counted.
pub(super) fn sign(verdict: impl Into<Option<Verdict>>) -> &'static str {
    match verdict.into() {
        Some(Verdict::Holds) => "●",
        Some(Verdict::InPart) => "◐",
        Some(Verdict::Contradicted) => "✕",
        Some(Verdict::NoDifference) => "=",
        Some(Verdict::NotShown) => "○",
        Some(Verdict::Undecided) => "?",
        None => "·",
    }
}

/// A verdict with its sign and its colour: "◐ holds in part (3 of 9)".
pub(super) fn badge(report: &ClaimReport<'_>) -> String {
    let verdict = report.decided();
    format!(
        "<span class=\"verdict {}\">{} {}</span>",
        verdict_class(verdict),
        sign(verdict),
        report.verdict()
    )
}

/// The CSS class of what a comparison shows.
fn evidence_class(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Supports => "right",
        Evidence::Contradicts => "wrong",
        Evidence::Equal => "equal",
        Evidence::Open => "open",
    }
}

/// Numbers of claims by verdict, as a bar and in words.
pub(super) fn tally(tally: &Tally) -> String {
    let (mut bar, mut words) = (String::new(), String::new());
    for (verdict, count) in tally.by_verdict().filter(|(_, count)| *count > 0) {
        bar.push_str(&format!(
            "<span class=\"{}\" style=\"flex-grow:{count}\"></span>",
            verdict_class(verdict)
        ));
        words.push_str(&format!(
            "<li><span class=\"verdict {}\">{} {count}</span> {}</li>",
            verdict_class(verdict),
            sign(verdict),
            plural(verdict, count)
        ));
    }
    format!("<div class=\"tally\"><div class=\"bar\">{bar}</div><ul>{words}</ul></div>\n")
}

/// A mean as a picture has it.
pub(super) fn drawn(mean: Mean, claimed: Claimed, look: &'static str) -> Effect {
    Effect {
        mean: claimed.drawn(mean.mean),
        half: mean.half.map(|half| claimed.drawn_length(half)),
        look,
    }
}

/// Where a claim says that a mean lies, as a picture has it; everywhere where nothing is measured.
pub(super) fn band(claimed: Option<Claimed>) -> (f64, f64) {
    let everywhere = (f64::NEG_INFINITY, f64::INFINITY);
    claimed.map_or(everywhere, |one| (one.drawn(one.low), one.drawn(one.high)))
}

/// Numbers of claims of a kind, under their sum; empty where there are none.
pub(super) fn headed_tally(counted: &Tally, kind: &str) -> String {
    match counted.total() {
        0 => String::new(),
        count => format!(
            "<p class=\"note kind\">{count} {kind}</p>\n{}",
            tally(counted)
        ),
    }
}

/// A claim's effects as a row of a forest plot.
pub(super) fn effect_row(report: &ClaimReport<'_>) -> ForestRow {
    let judgement = &report.judgement;
    let effect = |(one, evidence): (&Comparison, &Evidence)| {
        Some(drawn(one.mean()?, one.claimed, evidence_class(*evidence)))
    };
    let pairs = judgement.comparisons.iter().zip(&judgement.evidence);
    let look = verdict_class(report.decided());
    let name = format!("{}: {}", report.claim.id, report.verdict());
    ForestRow {
        name: report.claim.id.clone(),
        look,
        overall: (judgement.effect.zip(judgement.claimed))
            .map(|(mean, claimed)| drawn(mean, claimed, look)),
        claimed: band(judgement.claimed),
        single: pairs.filter_map(effect).collect(),
        tooltip: match report.effect().as_str() {
            "" => name,
            effects => format!("{name}, {effects}"),
        },
    }
}

/// A list item with a claim, its verdict, what was measured, its verdicts in other universes, and the
/// claims that stand beside it, folded behind a sign for each.
pub(super) fn claim(
    report: &ClaimReport<'_>,
    universes: Option<&Robustness<'_>>,
    beside: &[&ClaimReport<'_>],
) -> String {
    let id = escape(&report.claim.id);
    let mut item = format!(
        "<li class=\"claim\" id=\"{id}\">\n<p>{} {} <code>{id}</code></p>\n",
        badge(report),
        escape(&report.claim.claim)
    );
    if let Some(missing) = &report.judgement.missing {
        let missing = escape(&missing.to_string());
        item.push_str(&format!("<p class=\"note\">Missing: {missing}.</p>\n"));
    }
    if report.judgement.effect.is_some() {
        item.push_str(&format!(
            "<div class=\"effect\">{}<span>{}</span></div>\n",
            inline(&figure::strip(&effect_row(report), STRIP_WIDTH)),
            report.effect()
        ));
    }
    if let Some(words) = report.what_it_would_take() {
        item.push_str(&format!(
            "<p class=\"note\">{}.</p>\n",
            escape(&capitalized(&words))
        ));
    }
    item.push_str(&universes.map_or(String::new(), robustness::html));
    item.push_str(&comparisons(report));
    item.push_str(&readings(report, beside));
    item.push_str(&origin(report));
    item.push_str("</li>\n");
    item
}

/// Each of these claims that stands beside no other of them, with those that stand beside it.
pub(super) fn with_readings<'r, 'a>(
    reports: &[&'r ClaimReport<'a>],
) -> Vec<(&'r ClaimReport<'a>, Vec<&'r ClaimReport<'a>>)> {
    let has = |id: &str| reports.iter().any(|report| report.claim.id == id);
    let own = reports
        .iter()
        .filter(|report| !has(&report.claim.beside.name));
    own.map(|report| {
        let is_beside = |other: &&&ClaimReport<'_>| other.claim.beside.name == report.claim.id;
        (*report, reports.iter().filter(is_beside).copied().collect())
    })
    .collect()
}

/// The claims that stand beside one, folded behind a sign for each.
fn readings(report: &ClaimReport<'_>, beside: &[&ClaimReport<'_>]) -> String {
    let sign_of = |other: &&ClaimReport<'_>| {
        format!(
            "<span class=\"verdict {}\">{} {}</span>",
            verdict_class(other.decided()),
            sign(other.decided()),
            escape(&reading_name(report, other))
        )
    };
    let signs: Vec<String> = beside.iter().map(sign_of).collect();
    let items: Vec<String> = beside.iter().map(|other| claim(other, None, &[])).collect();
    match beside.is_empty() {
        true => String::new(),
        false => format!(
            "<details class=\"readings\"><summary>Other readings: {}</summary>\n<ol>\n{}</ol></details>\n",
            signs.join(", "),
            items.concat()
        ),
    }
}

/// A claim beside another by the part of its id that is its own: "printed-factor".
pub(super) fn reading_name(report: &ClaimReport<'_>, other: &ClaimReport<'_>) -> String {
    let mut of_claim = report.claim.id.split('.');
    let own = other.claim.id.split('.');
    let own: Vec<&str> = own.filter(|part| of_claim.next() != Some(part)).collect();
    own.join(".")
}

/// The width of a claim's strip, in points: 260 pixels.
pub(super) const STRIP_WIDTH: f64 = 195.0;

/// Folded: which claim is counted in place of this one, the command that runs it alone, the cells that
/// it rests on, and when its rule was set.
fn origin(report: &ClaimReport<'_>) -> String {
    let cells = match report.cells_in_words() {
        none if none.is_empty() => String::new(),
        words => format!(" reruns {}", escape(&words)),
    };
    let beside = match report.claim.beside.name.as_str() {
        "" => String::new(),
        other => format!(
            "Not counted: stands beside <code>{}</code>. ",
            escape(other)
        ),
    };
    format!(
        "<details class=\"origin\"><summary>Run it alone</summary>\n\
         <p class=\"note\">{beside}<code>{}</code>{cells}. Rule {}.</p></details>\n",
        escape(&report.command()),
        escape(&report.claim.rule_set().to_string())
    )
}

/// Words with a capital at their beginning.
fn capitalized(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// Every comparison of a claim, folded behind the number of those that support it: by itself, and
/// when all are read together.
fn comparisons(report: &ClaimReport<'_>) -> String {
    let judgement = &report.judgement;
    if judgement.evidence.len() < 2 {
        return String::new();
    }
    let mut rows = String::new();
    for (one, evidence) in judgement.comparisons.iter().zip(&judgement.evidence) {
        let effect = one.mean();
        let effect = effect.map_or(String::new(), |mean| one.claimed.mean_in_words(mean));
        rows.push_str(&format!(
            "<tr><td>{}</td><td class=\"number\">{effect}</td><td>{}</td><td class=\"{}\">{}</td></tr>\n",
            escape(&one.place),
            report.evidence_words(one.evidence()),
            evidence_class(*evidence),
            report.evidence_words(*evidence),
        ));
    }
    format!(
        "<details><summary>{} of {} comparisons support it</summary>\n\
         <div class=\"scroll\"><table class=\"plain\">\n<thead><tr><th>comparison</th><th>measured</th>\
         <th>by itself</th><th>with all</th></tr></thead>\n{rows}</table></div></details>\n",
        judgement.count(Evidence::Supports),
        judgement.comparisons.len()
    )
}

/// The axis of the strips, which stands above them once.
pub(super) fn strip_axis() -> String {
    format!(
        "<div class=\"effect axis\" aria-hidden=\"true\">{}</div>\n",
        inline(&figure::strip_axis(STRIP_WIDTH))
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
