//! `earlydrop tune`: searches schemes' parameters by simulation, and validates the best with fresh
//! seeds.

mod terminal;

use std::io::Write;
use std::path::PathBuf;

use earlydrop_lab::run::Progress;
use earlydrop_report::tuning::{self, ResultsPlace, Stage, TuneRequest};

use crate::commands::threads;
use crate::draw::Style;
use crate::failure::Failure;
use crate::notices::Notices;
use crate::output::Output;
use crate::progress::{Bar, stop_flag};
use crate::scenario::{Overrides, source};

/// Search the parameters of a scenario's schemes by simulation
#[derive(clap::Args, Clone, Debug)]
#[command(group(clap::ArgGroup::new("goal").required(true).args(["minimise", "maximise"])))]
#[command(after_help = "Examples:
  earlydrop tune scenarios/home-uplink.toml --minimise delay_p99 --subject-to 'utilisation>=95%'
  earlydrop tune scenario.toml --schemes red,pie --maximise goodput --subject-to 'delay_p99<=20ms'
  earlydrop tune scenario.toml --schemes red --minimise delay_p99 --over min=2..40,max=10..120

Settings of each scheme are simulated with the same seeds and improved by differential evolution.
The best settings and the original scheme are then compared with seeds that the search has not used.
Without --over a parameter is searched between the bounds of its meaning, which are printed first.")]
pub(crate) struct Tune {
    /// The scenario file, or - for standard input
    scenario: PathBuf,
    /// The metric to minimise
    #[arg(long, value_name = "METRIC", alias = "minimize")]
    minimise: Option<String>,
    /// The metric to maximise
    #[arg(long, value_name = "METRIC", alias = "maximize")]
    maximise: Option<String>,
    /// A constraint: 'utilisation>=95%', 'loss<=1%'; may be given more than once
    #[arg(long, value_name = "LIMIT", value_delimiter = ',')]
    subject_to: Vec<String>,
    /// The parameters to search, optionally with bounds: min=2..40,max_p [default: all numeric
    /// parameters of the scheme, between the bounds of their meaning]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    over: Vec<String>,
    /// The effort for each scheme: as many runs as this number of settings takes with all seeds
    #[arg(long, value_name = "COUNT", default_value = "200", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    budget: u32,
    /// The number of the scenario's seeds for each setting
    #[arg(long, value_name = "COUNT", default_value = "3", value_parser = clap::value_parser!(u16).range(1..=1000))]
    search_seeds: u16,
    #[command(flatten)]
    overrides: Overrides,
    /// The number of threads [default: the number of cores]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// The folder for the results of the validation [default: runs/tune-NAME-...]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write one JSON document on standard output instead of tables
    #[arg(long)]
    json: bool,
    /// Print no progress
    #[arg(long, short)]
    quiet: bool,
}

pub(crate) fn run(arguments: &Tune, out: &mut Output<'_>, style: &Style) -> Result<(), Failure> {
    let source = source(Some(&arguments.scenario), &arguments.overrides)?;
    let request = arguments.request();
    request.options()?;
    // Planned before Ctrl-C is caught: until then it ends the program at once.
    let plan = source.plan()?;
    let notices = Notices {
        quiet: arguments.quiet,
    };
    notices.scenario(&plan);
    for line in tuning::searched(&source, &request)? {
        notices.info(&line);
    }
    let stop = stop_flag()?;
    let mut bars = Bars::new(arguments.quiet || arguments.json);
    let tuned = tuning::tune(&source, &request, &stop, |stage, done| {
        bars.show(stage, done)
    });
    bars.end();
    let report = tuned?;
    if arguments.json {
        out.json(&report.json())?;
    } else {
        let lines = terminal::Report {
            answer: &report.answer,
            style,
        };
        out.lines(&lines.lines(), style)?;
        if let Some(page) = &report.page {
            writeln!(out, "report: {}", page.display())?;
        }
    }
    if report.meets_limits() {
        return Ok(());
    }
    let text = "no setting met every constraint with fresh seeds";
    Err(Failure::Runtime(text.to_string()))
}

impl Tune {
    fn request(&self) -> TuneRequest {
        TuneRequest {
            minimise: self.minimise.clone(),
            maximise: self.maximise.clone(),
            subject_to: self.subject_to.clone(),
            over: self.over.clone(),
            budget: self.budget as usize,
            seeds: usize::from(self.search_seeds),
            threads: threads(self.threads),
            place: self
                .out
                .clone()
                .map_or(ResultsPlace::Runs, ResultsPlace::Folder),
        }
    }
}

/// The progress bar of the search, then that of the validation.
struct Bars {
    is_quiet: bool,
    current: Option<(Stage, Bar)>,
}

impl Bars {
    fn new(is_quiet: bool) -> Bars {
        let bar = Bar::counting(is_quiet, "tuning", "runs");
        Bars {
            is_quiet,
            current: Some((Stage::Searching, bar)),
        }
    }

    fn show(&mut self, stage: Stage, done: Progress) {
        if self.current.as_ref().is_some_and(|(now, _)| *now != stage) {
            self.end();
        }
        let (_, bar) = self
            .current
            .get_or_insert_with(|| (stage, Bar::named(self.is_quiet, "validating")));
        bar.show(done);
    }

    fn end(&mut self) {
        if let Some((_, bar)) = self.current.take() {
            bar.end();
        }
    }
}
