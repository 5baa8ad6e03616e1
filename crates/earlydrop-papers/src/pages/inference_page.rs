//! The page about what the authors of a paper probably ran, in Markdown.

use earlydrop_lab::escape::markdown::row;
use earlydrop_lab::number::number;
use earlydrop_report::figure::{Marginal, posterior, themed_file};

use super::markdown::{Markdown, PICTURES, made_by};
use super::provenance::Provenance;
use crate::catalogue::PaperEntry;
use crate::claims::Paper;
use crate::inference::{Answer, Bank, Check, Identified, Posterior};
use crate::multiverse::Choice;

/// The file of the page about a paper.
pub fn inference_file(paper: &str) -> String {
    format!("inferred-{paper}.md")
}

/// The sentence of a paper's own page that leads to it.
pub fn inference_link(paper: &str) -> String {
    let file = inference_file(paper);
    format!("\nWhich of these values the authors probably ran is [inferred]({file}).\n")
}

/// The paragraph of the front page that leads to those of these papers; empty without one.
pub fn inference_links<'a>(papers: impl Iterator<Item = &'a Paper>) -> String {
    let links: Vec<String> = papers
        .map(|paper| format!("[{}]({})", paper.name, inference_file(&paper.key)))
        .collect();
    match links.is_empty() {
        true => String::new(),
        false => format!(
            "\nWhat the authors probably ran, of what they do not print: {}.\n",
            links.join("; ")
        ),
    }
}

/// The page of a bank of universes, with its picture.
pub fn inference_page(
    entry: &PaperEntry,
    bank: &Bank,
    check: &Check,
    provenance: &Provenance,
) -> Markdown {
    let posterior_of = Posterior::of(bank, &bank.printed(), None);
    let picture = format!("{}.inferred.svg", entry.paper.key);
    // "Ku et al., RARED"
    let name = entry.paper.name.as_str();
    let (authors, work) = name.split_once(", ").unwrap_or((name, name));
    let mut text = format!(
        "# What {authors} probably ran\n\n\
         {work}: {} universes were drawn, each value of each [choice](../reference/claims.md#choices) as likely \
         as the others, and run. The {} nearest to what the paper prints are a sample of what it may \
         have run (approximate Bayesian computation). Nearness is over all \
         printed numbers, in standard deviations of a single run and of the tolerance, and over all \
         sentences.\n\n{}\n\n",
        bank.universes.len(),
        posterior_of.accepted.len(),
        made_by(provenance)
    );
    text.push_str(&best(bank));
    text.push_str(&format!(
        "\n![What part of the posterior each value has]({PICTURES}/{picture})\n\n"
    ));
    text.push_str(&choices(bank, &posterior_of, check));
    text.push_str(&given_by_accepted(bank, &posterior_of));
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

/// A choice in words; with its id where another one is of the same thing in other experiments.
fn name(bank: &Bank, choice: &Choice) -> String {
    let alike = bank.choices.iter().filter(|one| one.what == choice.what);
    match alike.count() {
        1 => choice.what.clone(),
        _ => format!("{} ({})", choice.what, choice.id),
    }
}

fn marginals(bank: &Bank, posterior: &Posterior) -> Vec<Marginal> {
    let pairs = bank.choices.iter().zip(&posterior.marginals);
    let marginal = |(choice, parts): (&Choice, &Vec<f64>)| Marginal {
        name: name(bank, choice),
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
            let items = bank.items.iter().enumerate();
            let of_kind = items.filter(|(_, item)| item.printed.is_some() == is_number);
            let of_kind: Vec<usize> = of_kind.map(|(at, _)| at).collect();
            let count = of_kind.iter().filter(|at| bank.gives(universe, **at));
            (
                format!("{} of {}", count.count(), of_kind.len()),
                of_kind.len(),
            )
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
        .map(|(choice, value)| format!("{}: {}", name(bank, choice), choice.values[*value].name))
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
            name(bank, choice),
            choice.values[0].name.clone(),
            identified,
            format!("{} of {}", check.found[index], check.truths),
        ]));
    }
    table
}

/// What hangs on the choices: given by some universes and not by others, and in how many of the accepted
/// ones.
fn given_by_accepted(bank: &Bank, posterior: &Posterior) -> String {
    let everywhere = bank.universes.len();
    let mut rows = Vec::new();
    for (at, item) in bank.items.iter().enumerate() {
        let of_all = (0..everywhere).filter(|one| bank.gives(*one, at)).count();
        let accepted = posterior.accepted.iter();
        let of_accepted = accepted.filter(|one| bank.gives(**one, at)).count();
        if (1..everywhere).contains(&of_all) {
            rows.push(row([
                item.id.clone(),
                format!("{of_accepted} of {}", posterior.accepted.len()),
                format!("{of_all} of {everywhere}"),
            ]));
        }
    }
    match rows.is_empty() {
        true => String::new(),
        false => format!(
            "\n## What hangs on the choices\n\nOf what is printed, this is given by some universes and \
             not by others.\n\n| printed | nearest universes | all |\n|---|--:|--:|\n{}",
            rows.concat()
        ),
    }
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
