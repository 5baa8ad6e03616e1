//! The page about what the authors of a paper probably ran, in Markdown.

use earlydrop_lab::escape::markdown::row;
use earlydrop_lab::number::number;
use earlydrop_report::figure::{Marginal, posterior, themed_file};

use super::markdown::{Markdown, PICTURES, made_by};
use super::provenance::Provenance;
use crate::catalogue::PaperEntry;
use crate::inference::{Answer, Bank, Check, Identified, Posterior};

/// The page of a bank of universes, with its picture.
pub fn inference_page(
    entry: &PaperEntry,
    bank: &Bank,
    check: &Check,
    provenance: &Provenance,
) -> Markdown {
    let posterior_of = Posterior::of(bank, &bank.printed(), None);
    let picture = format!("{}.inferred.svg", entry.paper.key);
    let mut text = format!(
        "# What {} probably ran\n\n\
         {} universes were drawn, each value of each [choice](../reference/claims.md#choices) as likely \
         as the others, and run. The {} nearest to what the paper prints are a sample of what it may \
         have run (approximate Bayesian computation, [protocol](protocol.md)). Nearness is over all \
         printed numbers, in standard deviations of a single run and of the tolerance, and over all \
         sentences.\n\n{}\n\n",
        entry.paper.name,
        bank.universes.len(),
        posterior_of.accepted.len(),
        made_by(provenance)
    );
    text.push_str(&best(bank));
    text.push_str(&format!(
        "\n![What part of the posterior each value has]({PICTURES}/{picture})\n\n"
    ));
    text.push_str(&choices(bank, &posterior_of, check));
    text.push_str(&given_by_none(bank));
    text.push_str(&format!(
        "\n## Whether it can be trusted\n\nSingle runs of {} of the universes were taken for the \
         authors', and each was inferred from the others. Sets of values that claim {:.0}% have the \
         true one in {:.0}%. In the table *found* is in how many of them the most probable value is \
         the true one.\n",
        check.truths,
        100.0 * check.claimed,
        100.0 * check.coverage()
    ));
    let scene = posterior(&marginals(bank, &posterior_of));
    Markdown {
        text,
        pictures: vec![(picture, themed_file(&scene))],
    }
}

fn marginals(bank: &Bank, posterior: &Posterior) -> Vec<Marginal> {
    let pairs = bank.choices.iter().zip(&posterior.marginals);
    let marginal = |(choice, parts): (&crate::multiverse::Choice, &Vec<f64>)| Marginal {
        name: choice.what.clone(),
        values: (choice.values.iter().zip(parts))
            .map(|(value, part)| (value.name.clone(), *part))
            .collect(),
    };
    pairs.map(marginal).collect()
}

/// How much of what is printed ours gives, and the universe that gives most.
fn best(bank: &Bank) -> String {
    let counted = |universe: usize| {
        let given = |is_number: bool| {
            let of_kind = bank.items.iter().zip(&bank.universes[universe].answers);
            let of_kind = of_kind.filter(|(item, _)| item.printed.is_some() == is_number);
            let given: Vec<bool> = of_kind
                .map(|(item, answer)| item.is_given(answer))
                .collect();
            let count = given.iter().filter(|one| **one).count();
            (format!("{count} of {}", given.len()), given.len())
        };
        match (given(true), given(false)) {
            ((_, 0), (sentences, _)) => format!("{sentences} sentences"),
            ((numbers, _), (sentences, _)) => {
                format!("{numbers} printed numbers and {sentences} sentences")
            }
        }
    };
    let Some(most) = bank.best() else {
        return "Nothing was run.\n".to_string();
    };
    let changed = bank.choices.iter().zip(&bank.universes[most].values);
    let changed: Vec<String> = changed
        .filter(|(_, value)| **value > 0)
        .map(|(choice, value)| format!("{}: {}", choice.what, choice.values[*value].name))
        .collect();
    let differs = match changed.is_empty() {
        true => "It is ours".to_string(),
        false => format!("It differs from ours in {}", changed.join("; ")),
    };
    format!(
        "Our values give {}. The universe that gives most gives {}. {differs}.\n",
        counted(0),
        counted(most)
    )
}

fn choices(bank: &Bank, posterior: &Posterior, check: &Check) -> String {
    let mut table =
        "| not printed | ours | identified as | found |\n|---|---|---|--:|\n".to_string();
    for (index, choice) in bank.choices.iter().enumerate() {
        let left = posterior.left(bank, index);
        let identified = match posterior.identified(index) {
            Identified::Value(_) => format!("**{left}**"),
            Identified::InPart(bits) => format!("{left} ({bits:.1} bits)"),
            Identified::Not => "not identified".to_string(),
        };
        table.push_str(&row([
            choice.what.clone(),
            choice.values[0].name.clone(),
            identified,
            format!("{} of {}", check.found[index], check.truths),
        ]));
    }
    table
}

/// What no universe gives, with the printed number and the nearest of ours.
fn given_by_none(bank: &Bank) -> String {
    let none = bank.given_by_none();
    if none.is_empty() {
        return "\nEverything that is printed is given by some universe.\n".to_string();
    }
    let nearest = |id: &str, printed: f64| {
        let index = bank.items.iter().position(|item| item.id == id)?;
        let answers = bank.universes.iter().map(|one| &one.answers[index]);
        let means = answers.filter_map(Answer::mean);
        means.min_by(|a, b| (a - printed).abs().total_cmp(&(b - printed).abs()))
    };
    let words = none.iter().map(|item| match item.printed {
        Some(printed) => match nearest(&item.id, printed) {
            Some(ours) => format!(
                "{} ({} printed, {} nearest)",
                item.id,
                number(printed),
                number(ours)
            ),
            None => item.id.clone(),
        },
        None => item.id.clone(),
    });
    let words: Vec<String> = words.collect();
    format!(
        "\n## What no universe gives\n\nOf {} printed numbers and sentences, {}: {}.\n",
        bank.items.len(),
        none.len(),
        words.join("; ")
    )
}
