//! `earlydrop reproduce --wrong`: whether each claim can fail.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use earlydrop_papers::catalogue::{Pace, Reproduced};
use earlydrop_papers::claims::{Claim, Shown, Trial, trials};
use serde_json::Value;

use super::{Reproduce, run_cells, stopped};
use crate::draw::{Look, Style, Text, indented, write_lines};
use crate::failure::Failure;

pub(super) fn run(
    papers: &[(&Reproduced, Vec<&Claim>)],
    arguments: &Reproduce,
    stop: &AtomicBool,
    out: &mut dyn Write,
    style: &Style,
) -> Result<(), Failure> {
    let mut tried = Vec::new();
    for (paper, claims) in papers {
        tried.extend(of_paper(paper, claims, arguments, stop)?);
    }
    if stop.load(Ordering::Relaxed) {
        return Err(stopped());
    }
    if arguments.json {
        let list: Vec<Value> = tried.iter().map(Trial::json).collect();
        let text = serde_json::to_string_pretty(&list).unwrap_or_default();
        writeln!(out, "{text}")?;
        return Ok(());
    }
    let lines: Vec<Text> = tried
        .iter()
        .flat_map(|trial| in_words(trial, style))
        .collect();
    write_lines(out, &lines, style)?;
    writeln!(out, "{}", counted(&tried))?;
    Ok(())
}

/// The claims of a paper in their order, tried.
fn of_paper<'a>(
    paper: &'a Reproduced,
    claims: &[&'a Claim],
    arguments: &Reproduce,
    stop: &AtomicBool,
) -> Result<Vec<Trial<'a>>, Failure> {
    let (pace, pace_name) = match arguments.full {
        true => (Pace::Full, "full"),
        false => (Pace::Quick, "quick"),
    };
    let experiments: BTreeSet<&str> = claims.iter().map(|c| c.experiment.as_str()).collect();
    let mut tried = Vec::new();
    for name in experiments {
        let papers = arguments.out.join(format!("papers-{pace_name}-wrong"));
        let folder = papers.join(Path::new(paper.key)).join(name);
        let shown = format!("{} {name}", paper.paper.key);
        tried.extend(trials(paper, name, pace, &folder, |plan, store| {
            run_cells(plan, store, arguments, stop, &shown)
        })?);
    }
    let place = |trial: &Trial<'_>| claims.iter().position(|claim| claim.id == trial.claim.id);
    tried.retain(|trial| place(trial).is_some());
    tried.sort_by_key(place);
    Ok(tried)
}

/// The verdict, the claim, and what shows that it could be another.
fn in_words(trial: &Trial<'_>, style: &Style) -> Vec<Text> {
    let mut heading = Text::new(&format!("{:18} ", trial.claim.id), Look::Code);
    heading.push(&format!("{}; ", trial.judged.verdict), Look::Plain);
    let look = match trial.shown {
        Shown::Fails(_) | Shown::CouldHold(_) => Look::Strong,
        _ => Look::Emphasis,
    };
    heading.push(&trial.in_words(), look);
    let mut lines = heading.wrapped(style.width);
    let width = style.width.saturating_sub(4);
    let claim = Text::from(trial.claim.claim.as_str());
    lines.extend(indented(4, claim.wrapped(width)));
    lines.push(Text::default());
    lines
}

/// "265 claims: 110 fail with a wrong scheme, ...".
fn counted(tried: &[Trial<'_>]) -> String {
    let count = |is: fn(&Shown) -> bool| tried.iter().filter(|trial| is(&trial.shown)).count();
    format!(
        "{} claims: {} fail with a wrong scheme, {} do not hold and could, {} take more seeds \
         to tell, {} cannot be shown to fail",
        tried.len(),
        count(|shown| matches!(shown, Shown::Fails(_))),
        count(|shown| matches!(shown, Shown::CouldHold(_))),
        count(|shown| matches!(shown, Shown::TooFewSeeds(_))),
        count(|shown| matches!(shown, Shown::Not(_))),
    )
}
