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

/// The part of a paper's page in Markdown about other universes; empty where none were run. It
/// names the command that draws the specification curves: 50 KB each, they are not kept with the
/// pages.
pub(super) fn markdown(study: &Study<'_>) -> String {
    if study.robustness.is_empty() {
        return String::new();
    }
    let mut text = "\n## What survives other choices\n\n\
        The paper does not print the quantities below. Each of its claims was judged in *universes*: \
        ours, each choice alone moved to each of its other values, and combinations that fill the \
        space between. Support is the share of a claim's comparisons that support it less the share \
        of those that contradict it. A choice's part of the variance is of support over all \
        universes; *alone* is the largest change of support when nothing else is moved. \
        `earlydrop reproduce ID --full --multiverse 64` draws the specification curve of a claim, \
        its effect in every universe over the values chosen there, in the report that it names.\n\n\
        | not printed | ours | also plausible |\n|---|---|---|\n"
        .to_string();
    for choice in &study.paper.choices.choices {
        let value =
            |value: &crate::multiverse::ChoiceValue| format!("{} ({})", value.name, value.because);
        let (ours, others) = choice.values.split_at(1.min(choice.values.len()));
        let words = |values: &[crate::multiverse::ChoiceValue]| {
            let words: Vec<String> = values.iter().map(value).collect();
            words.join("; ")
        };
        text.push_str(&row([choice.what.clone(), words(ours), words(others)]));
    }
    text.push_str("\n| claim | in all universes | depends most on |\n|---|---|---|\n");
    for one in &study.robustness {
        let depends = one
            .depends_on()
            .unwrap_or_else(|| "nothing that was moved".to_string());
        text.push_str(&row([one.claim.id.clone(), one.verdicts(), depends]));
    }
    text
}
