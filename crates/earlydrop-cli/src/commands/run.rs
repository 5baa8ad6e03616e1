//! `earlydrop run`: every cell of a scenario, a table, a report.

use std::io::Write;
use std::path::PathBuf;

use crate::commands::run_options::{RunOptions, run_source};
use crate::draw::Style;
use crate::failure::Failure;
use crate::scenario::{Changes, source};

/// Run every cell of a scenario: schemes x points of its sweep x seeds
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop run scenarios/satellite.toml
  earlydrop run scenario.toml --threads 1 --out runs/mine
  earlydrop run scenario.toml --json | jq '.rows[] | {scheme, delay: .metrics.delay_mean.mean}'

What a run that was stopped or killed had finished is kept: the same command goes on.")]
pub(crate) struct Run {
    /// The scenario
    scenario: PathBuf,
    #[command(flatten)]
    changes: Changes,
    #[command(flatten)]
    options: RunOptions,
}

/// `earlydrop run`.
pub(crate) fn run(arguments: &Run, out: &mut dyn Write, style: &Style) -> Result<(), Failure> {
    let source = source(Some(&arguments.scenario), &arguments.changes)?;
    run_source(&source, &arguments.options, out, style)
}
