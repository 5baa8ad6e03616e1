//! `earlydrop run`: runs every cell of a scenario, prints tables and writes a report.

use std::path::PathBuf;

use crate::commands::run_options::{RunOptions, run_source};
use crate::draw::Style;
use crate::failure::Failure;
use crate::output::Output;
use crate::scenario::{Overrides, source};

/// Run every cell of a scenario: schemes x points of its sweep x seeds
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop run scenarios/satellite.toml
  earlydrop run scenario.toml --threads 1 --out runs/mine
  earlydrop run scenario.toml --json | jq '.rows[] | {scheme, delay: .metrics.delay_mean.mean}'

Finished cells are kept when the command is stopped or killed; the same command resumes.")]
pub(crate) struct Run {
    /// The scenario file, or - for standard input
    scenario: PathBuf,
    #[command(flatten)]
    overrides: Overrides,
    #[command(flatten)]
    options: RunOptions,
}

/// `earlydrop run`.
pub(crate) fn run(arguments: &Run, out: &mut Output<'_>, style: &Style) -> Result<(), Failure> {
    let source = source(Some(&arguments.scenario), &arguments.overrides)?;
    run_source(&source, &arguments.options, out, style)
}
