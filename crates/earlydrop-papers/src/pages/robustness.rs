//! What pages say about other universes: verdicts, choices and specification curves.

use earlydrop_lab::escape::markdown::row;
use earlydrop_report::figure::{
    Scene, Specification, SpecificationCurve, escape, inline, specification_curve,
};

use super::html::{band, drawn, verdict_class};
use super::study::Study;
use crate::multiverse::{Choice, Robustness};

/// The specification curve of a claim; `None` where it has no effect in any universe.
fn curve(robustness: &Robustness<'_>) -> Option<Scene> {
    let order: Vec<&Choice> = robustness
        .influences()
        .iter()
        .map(|(one, _)| *one)
        .collect();
    let place = |choice: &Choice| {
        robustness
            .choices
            .iter()
            .position(|one| one.id == choice.id)
    };
    let places: Vec<usize> = order.iter().filter_map(|choice| place(choice)).collect();
    let universes = robustness.universes.iter().filter_map(|one| {
        let (effect, claimed) = one.effect.zip(one.claimed)?;
        Some(Specification {
            values: places.iter().map(|place| one.universe.0[*place]).collect(),
            effect: drawn(effect, claimed, verdict_class(one.verdict)),
            is_ours: one.universe.0.iter().all(|value| *value == 0),
        })
    });
    let universes: Vec<Specification> = universes.collect();
    let names = order.iter().map(|choice| {
        let values = choice.values.iter().map(|value| value.name.clone());
        (choice.what.clone(), values.collect())
    });
    let curve = SpecificationCurve {
        choices: names.collect(),
        claimed: band(robustness.universes.iter().find_map(|one| one.claimed)),
        universes,
    };
    (!curve.universes.is_empty()).then(|| specification_curve(&curve))
}

/// A claim's verdicts in all universes and the choice that they depend on most, in HTML, with its
/// specification curve folded behind them.
pub(super) fn html(robustness: &Robustness<'_>) -> String {
    let depends = robustness.depends_on();
    let depends = depends.map_or("whatever is chosen".to_string(), |most| {
        format!("depends most on {most}")
    });
    let words = format!("Other universes: {}; {depends}.", robustness.verdicts());
    match curve(robustness) {
        None => format!("<p class=\"note\">{}</p>\n", escape(&words)),
        Some(drawing) => format!(
            "<details class=\"universes\"><summary>{}</summary>\n<div class=\"scroll\">{}</div></details>\n",
            escape(&words),
            inline(&drawing)
        ),
    }
}

/// The part of a paper's page in Markdown about other universes: what was chosen, by name; empty where
/// none were run. Reasons are in the paper's `choices.toml`, verdicts in `claims.csv`, and the
/// specification curves, 50 KB each, in the report of the command that it names.
pub(super) fn markdown(study: &Study<'_>) -> String {
    if study.robustness.is_empty() {
        return String::new();
    }
    let key = &study.paper.paper.key;
    let text = format!(
        "\n## What the paper does not print\n\n\
         *Universes* are ours, each choice alone moved to each of its other values, and combinations \
         between; reasons are in \
         [choices.toml](../../crates/earlydrop-papers/papers/{key}/choices.toml). \
         `earlydrop reproduce ID --full --multiverse 64` draws a claim's specification curve.\n\n\
         | not printed | ours | also plausible |\n|---|---|---|\n"
    );
    // Experiments that share little have a choice each of the same thing.
    let mut rows: Vec<String> = Vec::new();
    for choice in &study.paper.choices.choices {
        let mut names = choice.values.iter().map(|value| value.name.clone());
        let ours = names.next().unwrap_or_default();
        let others: Vec<String> = names.collect();
        let row = row([choice.what.clone(), ours, others.join("; ")]);
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    text + &rows.concat()
}
