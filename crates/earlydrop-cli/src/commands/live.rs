//! `earlydrop live`: a scenario's cells on real hosts, in real time.

mod compare;

pub(super) use compare::simulate_and_measure;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use earlydrop_lab::live::{self, Kernel};
use earlydrop_lab::plan::{Hosts, Plan, Source};
use earlydrop_lab::run::Progress;
use earlydrop_lab::store::Store;
use earlydrop_live::run::prepare;
use earlydrop_live::session::Privilege;

use crate::commands::run_options::{OutputOptions, check_finished};
use crate::draw::Style;
use crate::failure::Failure;
use crate::notices::Notices;
use crate::output::Output;
use crate::progress::{Bar, duration_in_words, stop_flag};
use crate::scenario::{Overrides, source};

/// Run a scenario on real hosts: real packets and the kernel's TCP, in real time
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop live scenarios/live/first.toml
  earlydrop live scenarios/live/grid.toml --schemes red,codel --seeds 5
  earlydrop live scenario.toml --json | jq '.rows[] | {scheme, late: .live.lateness_p99.mean}'

Hosts are network namespaces that are removed after the run; the machine's own network is not
changed. Root is needed only where users may not create namespaces. Keep the machine otherwise
idle: each run reports how late its packets were and whether its timing is trustworthy.

Features that real hosts do not support are reported before anything runs. Cells run one after
the other. Finished cells are kept when the command is stopped; the same command resumes.")]
pub(crate) struct Live {
    /// The scenario file
    scenario: PathBuf,
    #[command(flatten)]
    overrides: Overrides,
    #[command(flatten)]
    output: OutputOptions,
}

/// `earlydrop live`.
pub(crate) fn run(arguments: &Live, out: &mut Output<'_>, style: &Style) -> Result<(), Failure> {
    let output = &arguments.output;
    let notices = Notices {
        quiet: output.quiet,
    };
    let source = source(Some(&arguments.scenario), &arguments.overrides)?;
    let (source, plan) = live_plan(source, notices)?;
    let folder = output.folder(&source, &plan);
    prepare_host(notices, &[&folder])?;
    let store = Store::create(&folder, &source, &plan);
    let store = store.map_err(|error| output.refused(error))?;
    let stop = stop_flag()?;
    let progress = run_cells(&plan, &store, output, notices, &stop)?;
    output.print(&plan, &store, out, style)?;
    check_finished(progress, &store)
}

/// The plan for real hosts, with a smaller default number of seeds than simulated plans.
///
/// Fails where the scenario needs a feature that real hosts do not support.
fn live_plan(mut source: Source, notices: Notices) -> Result<(Source, Plan), Failure> {
    if !source.has_seeds() {
        let seeds = live::SEEDS.to_string();
        source.set("seeds", &seeds, "the seeds of live runs");
        notices.info(&format!(
            "{seeds} seeds by default; set others with --seeds or in the scenario"
        ));
    }
    let plan = source.plan()?.on(Hosts::Real);
    live::check(&plan, &source, &Kernel)?;
    notices.scenario(&plan);
    Ok((source, plan))
}

/// Acquires the privilege to create namespaces, and creates the results' folders.
///
/// The process must still have a single thread.
fn prepare_host(notices: Notices, folders: &[&Path]) -> Result<(), Failure> {
    // `prepare` drops root's privileges, so folders are created first. Under sudo it becomes the
    // calling user, who then creates them.
    if env::var_os("SUDO_UID").is_none() {
        folders.iter().try_for_each(fs::create_dir_all)?;
    }
    let privilege = match prepare() {
        Ok(Privilege::Root) => "as root",
        Ok(Privilege::UserNamespace) => "in a user namespace",
        Err(error) => {
            // Only removes folders that are empty.
            folders
                .iter()
                .for_each(|folder| drop(fs::remove_dir(folder)));
            return Err(error.into());
        }
    };
    notices.info(&format!(
        "hosts are network namespaces, created {privilege}"
    ));
    Ok(())
}

/// Runs the cells that are not done, one after the other.
fn run_cells(
    plan: &Plan,
    store: &Store,
    output: &OutputOptions,
    notices: Notices,
    stop: &AtomicBool,
) -> Result<Progress, Failure> {
    let left = live::remaining(plan, store)?;
    let left: Vec<Duration> = left
        .iter()
        .map(|span| Duration::from_nanos(span.0))
        .collect();
    if !left.is_empty() {
        notices.info(&time_needed(&left, plan.cell_count() - left.len()));
    }
    let bar = Bar::in_real_time(output.quiet || output.json, left);
    let progress = live::run(plan, store, &Kernel, stop, |progress| bar.show(progress));
    bar.end();
    Ok(progress?)
}

/// "12 runs of 60 s on real hosts: 12 min; 4 are done".
fn time_needed(left: &[Duration], done: usize) -> String {
    let runs = match left.len() {
        1 => "1 run".to_string(),
        count => format!("{count} runs"),
    };
    let each = match left {
        [first, rest @ ..] if rest.iter().all(|span| span == first) => {
            format!(" of {}", duration_in_words(*first))
        }
        _ => String::new(),
    };
    let done = match done {
        0 => String::new(),
        done => format!("; {done} are done"),
    };
    let total = duration_in_words(left.iter().sum());
    format!("{runs}{each} on real hosts: {total}{done}")
}
