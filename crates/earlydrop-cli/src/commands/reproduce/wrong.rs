//! `earlydrop reproduce --wrong`: prints whether each claim can fail.

use std::io::Write;

use earlydrop_papers::falsification::{Trial, TrialOutcome};

use super::print_json;
use crate::draw::{Look, Style, Text, indented};
use crate::failure::Failure;
use crate::output::Output;

/// Prints the trials, as text or as JSON.
pub(super) fn print(
    trials: &[Trial<'_>],
    as_json: bool,
    out: &mut Output<'_>,
    style: &Style,
) -> Result<(), Failure> {
    if as_json {
        return print_json(trials.iter().map(Trial::json).collect(), out);
    }
    let lines = trials.iter().flat_map(|trial| trial_lines(trial, style));
    out.lines(&lines.collect::<Vec<Text>>(), style)?;
    writeln!(out, "{}", count_outcomes(trials))?;
    Ok(())
}

/// A claim with its verdict and the outcome of its trial.
fn trial_lines(trial: &Trial<'_>, style: &Style) -> Vec<Text> {
    let mut heading = Text::new(&format!("{:18} ", trial.claim.id), Look::Code);
    heading.push(&format!("{}; ", trial.judgement.verdict), Look::Plain);
    let look = match trial.outcome {
        TrialOutcome::FailsWithWrong(_) | TrialOutcome::CouldHold(_) => Look::Strong,
        _ => Look::Emphasis,
    };
    heading.push(&trial.summary(), look);
    let mut lines = heading.wrapped(style.width);
    let width = style.width.saturating_sub(4);
    let claim = Text::from(trial.claim.claim.as_str());
    lines.extend(indented(4, claim.wrapped(width)));
    lines.push(Text::default());
    lines
}

/// "265 claims: 110 fail with a wrong scheme, ...".
fn count_outcomes(trials: &[Trial<'_>]) -> String {
    let count = |is: fn(&TrialOutcome) -> bool| {
        let outcomes = trials.iter().map(|trial| &trial.outcome);
        outcomes.filter(|outcome| is(outcome)).count()
    };
    format!(
        "{} claims: {} fail with a wrong scheme, {} are not shown and could hold, {} need more seeds, \
         {} cannot be shown to fail",
        trials.len(),
        count(|outcome| matches!(outcome, TrialOutcome::FailsWithWrong(_))),
        count(|outcome| matches!(outcome, TrialOutcome::CouldHold(_))),
        count(|outcome| matches!(outcome, TrialOutcome::TooFewSeeds(_))),
        count(|outcome| matches!(outcome, TrialOutcome::NotShown(_))),
    )
}
