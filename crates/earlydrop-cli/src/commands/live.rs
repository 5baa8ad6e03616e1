//! `earlydrop live`: a scenario's cells on real hosts, in real time; and
//! `earlydrop compare --live`: both ways, side by side.

mod both;

pub(super) use both::simulate_and_measure;

use std::env;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use earlydrop_lab::live::{self, Kernel};
use earlydrop_lab::plan::{Hosts, Plan, Source};
use earlydrop_lab::run::Progress;
use earlydrop_lab::store::Store;
use earlydrop_live::run::prepare;
use earlydrop_live::session::Privilege;

use crate::commands::run_options::{OutputOptions, all_done};
use crate::draw::Style;
use crate::failure::Failure;
use crate::progress::{Bar, in_words, stop_flag};
use crate::scenario::{Changes, source};

/// Run a scenario on real hosts: the same file, real packets, the kernel's TCP, real time
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop live scenarios/live/first.toml
  earlydrop live scenarios/live/grid.toml --schemes red,codel --seeds 5
  earlydrop live scenario.toml --json | jq '.rows[] | {scheme, late: .live.lateness_p99.mean}'

Hosts are in network namespaces that vanish with the run; the machine's own network is not
touched. Root is not needed where users may make namespaces. Nothing else should be at work on
the machine: every run says how late its packets were, and whether it can be believed.

What real hosts cannot do is told before anything runs. Runs are one after the other; what a
command that was stopped had finished is kept, and the same command goes on.")]
pub(crate) struct Live {
    /// The scenario
    scenario: PathBuf,
    #[command(flatten)]
    changes: Changes,
    #[command(flatten)]
    results: OutputOptions,
}

/// `earlydrop live`.
pub(crate) fn run(arguments: &Live, out: &mut dyn Write, style: &Style) -> Result<(), Failure> {
    let results = &arguments.results;
    let teller = Teller {
        quiet: results.quiet,
    };
    let source = source(Some(&arguments.scenario), &arguments.changes)?;
    let (source, plan) = planned(source, &teller)?;
    let folder = results.folder(&source, &plan);
    begin(&teller, &[&folder])?;
    let store = Store::create(&folder, &source, &plan)?;
    let stop = stop_flag()?;
    let progress = run_cells(&plan, &store, results, &teller, &stop)?;
    results.show(&plan, &store, out, style)?;
    all_done(progress, &store)
}

/// Says things on standard error.
struct Teller {
    quiet: bool,
}

impl Teller {
    fn say(&self, text: &str) {
        if !self.quiet {
            anstream::eprintln!("earlydrop: {text}");
        }
    }
}

/// What is to be run, with fewer seeds than simulated where nobody says how many; refused
/// where real hosts cannot do it.
fn planned(mut source: Source, teller: &Teller) -> Result<(Source, Plan), Failure> {
    if !source.has_seeds() {
        let seeds = live::SEEDS.to_string();
        source.set("seeds", &seeds, "the seeds of live runs");
        teller.say(&format!(
            "{seeds} seeds, as neither the scenario nor --seeds says how many"
        ));
    }
    let plan = source.plan()?.on(Hosts::Real);
    live::check(&plan, &source, &Kernel)?;
    Ok((source, plan))
}

/// Gets the right to make hosts, for results in these folders. The process must have one
/// thread: nothing that starts one may come before.
fn begin(teller: &Teller, folders: &[&Path]) -> Result<(), Failure> {
    // Root gives up its rights over what belongs to others; under sudo it becomes another.
    if env::var_os("SUDO_UID").is_none() {
        folders.iter().try_for_each(fs::create_dir_all)?;
    }
    let right = match prepare() {
        Ok(Privilege::Root) => "as root",
        Ok(Privilege::UserNamespace) => "in a user namespace",
        Err(error) => {
            // Those with something in them stay.
            folders
                .iter()
                .for_each(|folder| drop(fs::remove_dir(folder)));
            return Err(error.into());
        }
    };
    teller.say(&format!("hosts are network namespaces, made {right}"));
    Ok(())
}

/// Runs what is not done yet.
fn run_cells(
    plan: &Plan,
    store: &Store,
    results: &OutputOptions,
    teller: &Teller,
    stop: &AtomicBool,
) -> Result<Progress, Failure> {
    let left = live::remaining(plan, store)?;
    let left: Vec<Duration> = left
        .iter()
        .map(|span| Duration::from_nanos(span.0))
        .collect();
    if let Some(each) = left.first() {
        let runs = match left.len() {
            1 => "1 run".to_string(),
            count => format!("{count} runs"),
        };
        let of = match left.iter().all(|span| span == each) {
            true => format!(" of {}", in_words(*each)),
            false => String::new(),
        };
        let before = match plan.cell_count() - left.len() {
            0 => String::new(),
            done => format!("; {done} are done"),
        };
        let all = in_words(left.iter().sum());
        teller.say(&format!("{runs}{of} on real hosts: {all}{before}"));
    }
    let bar = Bar::in_real_time(results.quiet || results.json, left);
    let progress = live::run(plan, store, &Kernel, stop, |done| bar.show(done));
    bar.end();
    Ok(progress?)
}
