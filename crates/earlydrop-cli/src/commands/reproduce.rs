//! `earlydrop reproduce`: runs the papers' experiments, and prints a verdict on each claim.

mod infer;
mod wrong;

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use clap::builder::NonEmptyStringValueParser;
use earlydrop_lab::escape::CommandLine;
use earlydrop_papers::Error;
use earlydrop_papers::catalogue::{Catalogue, Pace};
use earlydrop_papers::claims::{ClaimReport, Conclusion, Counts, Idea, Verdict, conclude};
use earlydrop_papers::multiverse::Robustness;
use earlydrop_papers::pages::Provenance;
use earlydrop_papers::reproduce::{self, Event, Reproduction, RunOptions};
use serde_json::Value;

use crate::commands::threads;
use crate::draw::{Look, Style, Text, indented};
use crate::failure::Failure;
use crate::output::Output;
use crate::outputs::Overwriting;
use crate::progress::{Bar, stop_flag};

/// The folder for the results, unless another is given.
const OUT: &str = "runs";

/// Run the papers' experiments again, with a verdict on each claim
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop reproduce                  # every paper, quickly
  earlydrop reproduce clred --full     # one paper, with all seeds and points
  earlydrop reproduce clred.F5 --json  # the claims about one figure
  earlydrop reproduce clred --wrong    # whether its claims can fail
  earlydrop reproduce rared --multiverse 64  # whether they survive other choices
  earlydrop reproduce red-config --full --infer 256  # what its authors probably ran
  earlydrop reproduce today            # which of the papers' ideas are worth using today
  earlydrop reproduce curves           # which drop curve is worth having

An experiment that was stopped continues with the same command.")]
pub(crate) struct Reproduce {
    /// A paper (sfred-nlred, clred, restraint, red-config, rared, today, curves) or a claim
    /// (clred.F5); all unless given
    #[arg(value_name = "PAPER|CLAIM", value_parser = NonEmptyStringValueParser::new())]
    what: Option<String>,
    /// Few seeds and points; the default without --full
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// Every seed and every point
    #[arg(long)]
    full: bool,
    /// The number of threads; as many as there are cores unless given
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// The folder for the results
    #[arg(long, value_name = "DIR", default_value = OUT)]
    out: PathBuf,
    /// Write a page for each paper in Markdown into this folder, too
    #[arg(long, value_name = "DIR")]
    pages: Option<PathBuf>,
    #[command(flatten)]
    overwriting: Overwriting,
    /// Show instead that each claim can fail: run a wrong scheme in place of the right one
    #[arg(long, conflicts_with = "pages")]
    wrong: bool,
    /// Run each experiment in so many universes, too: with other plausible values of what the paper
    /// does not print, to see which verdicts depend on them
    #[arg(long, value_name = "UNIVERSES", conflicts_with = "wrong",
          value_parser = clap::value_parser!(u16).range(2..=4096))]
    multiverse: Option<u16>,
    /// Infer instead what the authors ran: draw so many universes, and see which give what is
    /// printed
    #[arg(long, value_name = "UNIVERSES", conflicts_with_all = ["wrong", "multiverse", "json"],
          value_parser = clap::value_parser!(u16).range(20..=4096))]
    infer: Option<u16>,
    /// Write a list of claims as JSON on standard output
    #[arg(long)]
    json: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

pub(crate) fn run(
    arguments: &Reproduce,
    out: &mut Output<'_>,
    style: &Style,
) -> Result<(), Failure> {
    let catalogue = Catalogue::read()?;
    let what = arguments.what.as_deref().unwrap_or("");
    let selection = catalogue.select(what).map_err(Error::from)?;
    let stop = stop_flag()?;
    let options = RunOptions {
        pace: arguments.pace(),
        out: &arguments.out,
        threads: threads(arguments.threads),
        stop: &stop,
        universes: arguments.multiverse.map(usize::from),
    };
    let mut bar = ExperimentBar::new(arguments);
    if arguments.wrong {
        let trials = reproduce::try_claims(&selection, &options, |event| bar.show(event))?;
        if stop.load(Ordering::Relaxed) {
            return Err(stopped());
        }
        return wrong::print(&trials, arguments.json, out, style);
    }
    if let Some(universes) = arguments.infer {
        let universes = usize::from(universes);
        let banks = reproduce::infer(&selection, universes, &options, |event| bar.show(event))?;
        if stop.load(Ordering::Relaxed) {
            return Err(stopped());
        }
        return infer::print(&banks, arguments, out);
    }
    let reproduction = reproduce::run(&catalogue, &selection, &options, |event| bar.show(event))?;
    // Claims without their runs are not results.
    if stop.load(Ordering::Relaxed) {
        return Err(stopped());
    }
    let reports = reproduction.selected_reports();
    if arguments.json {
        print_json(reproduction.json(), out)?;
    } else {
        let of_papers = selection.has_ideas.then_some(&catalogue.ideas.ideas);
        let of_papers = of_papers.map(|ideas| (OF_PAPERS, ideas.as_slice()));
        let own = selection.with_own_ideas();
        let own = own.map(|entry| (OF_CURVES, entry.ideas.as_slice()));
        let ideas: Vec<(&str, &[Idea])> = of_papers.into_iter().chain(own).collect();
        if arguments.pace() == Pace::Quick {
            writeln!(out, "{QUICK}\n")?;
        }
        print_reports(&reports, &ideas, &reproduction, out, style)?;
        writeln!(out, "{}", summary(&reports, arguments))?;
    }
    write_pages(&reproduction, &options, arguments, out)
}

impl Reproduce {
    /// The command that makes the pages again: those in Markdown in the folder `pages`, or those in
    /// HTML next to the results.
    fn command(&self, pages: Option<&PathBuf>) -> CommandLine {
        let command = CommandLine::new("reproduce");
        let command = match &self.what {
            Some(what) => command.word(what),
            None => command,
        };
        let command = command.word(if self.full { "--full" } else { "--quick" });
        let command = command.given(
            "--multiverse",
            self.multiverse.map(|count| count.to_string()).as_ref(),
        );
        let command = command.given(
            "--infer",
            self.infer.map(|count| count.to_string()).as_ref(),
        );
        match pages {
            // Pages in a repository do not depend on where the results were.
            Some(_) => command.given("--pages", pages),
            None if self.out.as_os_str() == OUT => command,
            None => command.option("--out", &self.out),
        }
    }

    /// The command that runs the same with all seeds and points.
    fn full_command(&self) -> CommandLine {
        let full = Reproduce {
            full: true,
            ..self.clone()
        };
        full.command(None)
    }

    fn pace(&self) -> Pace {
        match self.full {
            true => Pace::Full,
            false => Pace::Quick,
        }
    }
}

/// The progress bar of the experiment that is run.
struct ExperimentBar {
    is_quiet: bool,
    bar: Option<Bar>,
}

impl ExperimentBar {
    fn new(arguments: &Reproduce) -> ExperimentBar {
        ExperimentBar {
            is_quiet: arguments.quiet || arguments.json,
            bar: None,
        }
    }

    fn show(&mut self, event: Event<'_>) {
        match (event, &self.bar) {
            (Event::Begin { paper, experiment }, _) => {
                let name = format!("{paper} {experiment}");
                self.bar = Some(Bar::named(self.is_quiet, &name));
            }
            (Event::Progress(progress), Some(bar)) => bar.show(progress),
            (Event::End, Some(bar)) => bar.end(),
            _ => {}
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        match error {
            Error::UnknownName(error) => Failure::Usage(error.to_string()),
            Error::Document(problems) => problems.into(),
            Error::Store(error) => error.into(),
            Error::Run(error) => error.into(),
            Error::File(error) => error.into(),
            other => Failure::Runtime(other.to_string()),
        }
    }
}

fn stopped() -> Failure {
    let text = "stopped: finished runs are kept; the same command continues";
    Failure::Interrupted(text.to_string())
}

fn print_json(list: Vec<Value>, out: &mut Output<'_>) -> Result<(), Failure> {
    out.json(&list)?;
    Ok(())
}

/// Writes the HTML pages and, with `--pages`, those in Markdown; prints where they are.
fn write_pages(
    reproduction: &Reproduction<'_>,
    options: &RunOptions<'_>,
    arguments: &Reproduce,
    out: &mut Output<'_>,
) -> Result<(), Failure> {
    let provenance = |pages: Option<&PathBuf>| Provenance {
        command: arguments.command(pages).to_string(),
        version: earlydrop_lab::version(),
        is_quick: !arguments.full,
    };
    let (reports, front) = reproduction.write_html(options, &provenance(None))?;
    let mut lines: Vec<String> = reports
        .iter()
        .map(|path| format!("report: {}", path.display()))
        .collect();
    lines.push(format!("all claims: {}", front.display()));
    if let Some(folder) = &arguments.pages {
        let overwrite = arguments.overwriting.files();
        let provenance = provenance(Some(folder));
        let front = reproduction.write_markdown(folder, overwrite, &provenance)?;
        lines.push(format!("pages: {}", front.display()));
    }
    if !arguments.json {
        lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    }
    Ok(())
}

/// What a quick run prints first.
const QUICK: &str =
    "Quick: 3 seeds, and of long sweeps a few points: a first look, and no verdict.";

/// The numbers of verdicts. A quick run has none; it says what it would take to have them.
fn summary(reports: &[ClaimReport<'_>], arguments: &Reproduce) -> String {
    match arguments.pace() {
        Pace::Full => Counts::of(reports).to_string(),
        Pace::Quick => {
            let claims = match reports.len() {
                1 => "1 claim was tried".to_string(),
                many => format!("{many} claims were tried"),
            };
            let full = arguments.full_command();
            format!("Quick: {claims}, too briefly to be counted. To decide: {full}")
        }
    }
}

/// Prints the claims under the names of their papers, and the ideas where they are asked for.
fn print_reports(
    reports: &[ClaimReport<'_>],
    ideas: &[(&str, &[Idea])],
    reproduction: &Reproduction<'_>,
    out: &mut Output<'_>,
    style: &Style,
) -> Result<(), Failure> {
    for of_paper in reports.chunk_by(|one, next| one.paper.key == next.paper.key) {
        let mut lines = vec![Text::new(&of_paper[0].paper.name, Look::Strong)];
        for report in of_paper {
            let universes = reproduction.robustness_of(report.claim);
            lines.extend(claim_lines(report, universes, style));
        }
        out.lines(&lines, style)?;
    }
    for (heading, ideas) in ideas {
        out.lines(&idea_lines(heading, ideas, reports, style), style)?;
    }
    Ok(())
}

/// The heading of the conclusions about the papers' ideas.
const OF_PAPERS: &str = "Which of the papers' ideas are worth using today";
/// The heading of the conclusions about drop curves.
const OF_CURVES: &str = "Which drop curve is worth having";

/// The conclusion about each idea.
fn idea_lines(
    heading: &str,
    ideas: &[Idea],
    reports: &[ClaimReport<'_>],
    style: &Style,
) -> Vec<Text> {
    let mut lines = vec![Text::new(heading, Look::Strong)];
    for idea in ideas {
        let report = conclude(idea, reports);
        let look = match report.conclusion {
            Conclusion::WorthUsing => Look::Strong,
            Conclusion::Undecided => Look::Faint,
            _ => Look::Emphasis,
        };
        let mut heading = Text::new(&format!("{:18} ", idea.id), Look::Code);
        heading.push(&report.summary(), look);
        lines.push(heading);
        let width = style.width.saturating_sub(4);
        let what = format!("{} ({})", idea.idea, idea.from);
        lines.extend(indented(4, Text::from(what.as_str()).wrapped(width)));
    }
    lines.push(Text::default());
    lines
}

/// A claim with its verdict and its effect, what is missing or does not support it, and what it
/// would take to decide it.
fn claim_lines(
    report: &ClaimReport<'_>,
    universes: Option<&Robustness<'_>>,
    style: &Style,
) -> Vec<Text> {
    let look = match report.decided() {
        None => Look::Plain,
        Some(Verdict::Holds) => Look::Strong,
        Some(Verdict::Undecided) => Look::Faint,
        Some(_) => Look::Emphasis,
    };
    let mut heading = Text::new(&format!("{:18} ", report.claim.id), Look::Code);
    heading.push(&report.verdict(), look);
    heading.push(&format!("  {}", report.effect()), Look::Plain);
    if !report.claim.beside.name.is_empty() {
        heading.push(
            &format!("  (beside {})", report.claim.beside.name),
            Look::Faint,
        );
    }
    let mut lines = vec![heading];
    let width = style.width.saturating_sub(4);
    let claim = Text::from(report.claim.claim.as_str());
    lines.extend(indented(4, claim.wrapped(width)));
    if let Some(missing) = &report.judgement.missing {
        let missing = Text::new(&format!("missing: {missing}"), Look::Faint);
        lines.extend(indented(4, missing.wrapped(width)));
    }
    let robust = universes.map(|one| format!("universes: {}", one.verdicts()));
    let depends = universes.and_then(Robustness::depends_on);
    let depends = depends.map(|most| format!("depends most on {most}"));
    let notes = [
        report.exceptions(),
        report.what_it_would_take(),
        robust,
        depends,
    ];
    for words in notes.into_iter().flatten() {
        lines.extend(indented(4, Text::new(&words, Look::Faint).wrapped(width)));
    }
    lines.push(Text::default());
    lines
}
