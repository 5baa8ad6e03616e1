//! `earlydrop suite`: a published list of scenarios as one command.

use std::io::Write;
use std::path::{Path, PathBuf};

use earlydrop_lab::files::{
    FileError, Overwrite, Signature, check_existing, create_folder, write_whole,
};
use earlydrop_lab::plan::Source;
use earlydrop_lab::store::{self, Store};
use earlydrop_lab::suite::{Measure, Part, SUITES, Suite};
use earlydrop_lab::summary::Summary;
use earlydrop_report::derived;
use earlydrop_report::key::terms;
use earlydrop_report::run_report::write_report;
use earlydrop_report::suite::{
    PartResult, Question, STANDINGS, STANDINGS_MEAN, counted, findings, in_short, json, overall,
    page, questions, tally,
};

use crate::commands::run_options::check_finished;
use crate::commands::threads;
use crate::draw::{Look, Style, Table, Text, indented};
use crate::failure::Failure;
use crate::notices::Notices;
use crate::output::Output;
use crate::progress::{Bar, stop_flag};

/// Characterise schemes on a published list of scenarios, with a page of what was found
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop suite
  earlydrop suite rfc7928
  earlydrop suite rfc7928 --schemes droptail,nlred:min=10,max=30,pie,codel
  earlydrop suite rfc7928 --only burst-absorption,ecn --seeds 10
  earlydrop suite datacentre --json | jq '.standings'

Without a name it lists the suites and their parts. Finished runs are kept when the command is
stopped or killed; the same command resumes.")]
pub(crate) struct SuiteCommand {
    /// The suite: rfc7928, l4s, datacentre
    suite: Option<String>,
    /// Compare these schemes in place of the suite's own: "red,nlred:min=10,max=30,codel"
    #[arg(long, value_name = "LIST")]
    schemes: Option<String>,
    /// Run these parts only: burst-absorption,ecn
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    only: Vec<String>,
    /// The number of seeds that each scheme runs with
    #[arg(long, value_name = "COUNT")]
    seeds: Option<String>,
    /// The number of threads [default: the number of cores]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// The folder for the results [default: runs/suite-NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write one JSON document on standard output instead of text
    #[arg(long)]
    json: bool,
    /// Print no progress
    #[arg(long, short)]
    quiet: bool,
}

/// `earlydrop suite`.
pub(crate) fn run(
    arguments: &SuiteCommand,
    out: &mut Output<'_>,
    style: &Style,
) -> Result<(), Failure> {
    let Some(name) = &arguments.suite else {
        return Ok(out.lines(&listed(style), style)?);
    };
    let suite = Suite::find(name).map_err(Failure::Usage)?;
    let parts = suite.chosen(&arguments.only);
    let parts = parts.map_err(|error| Failure::Usage(format!("--only: {error}")))?;
    // All parts are planned before the first is run: a wrong scheme is known at once.
    let sources = parts.iter().map(|part| arguments.source(suite, part));
    let sources: Vec<Source> = sources.collect::<Result<_, _>>()?;
    let plans = sources.iter().map(Source::plan);
    let plans: Vec<_> = plans.collect::<Result<_, _>>()?;
    for plan in &plans {
        Notices {
            quiet: arguments.quiet,
        }
        .scenario(plan);
    }
    let folder = arguments.out.clone();
    let folder = folder.unwrap_or_else(|| Path::new("runs").join(format!("suite-{}", suite.name)));
    create_folder(&folder)?;
    let path = folder.join("index.html");
    check_existing(&path, &Signature::PAGE, Overwrite::Own).map_err(FileError::in_folder)?;
    let stop = stop_flag()?;
    let mut results = Vec::new();
    for ((part, source), plan) in parts.iter().zip(&sources).zip(plans) {
        let store = Store::create(&folder.join(part.name), source, &plan)?;
        let bar = Bar::named(arguments.quiet || arguments.json, part.name);
        let show = |report: store::Report<'_>| bar.show(report.progress);
        let ran = store::run(&plan, &store, threads(arguments.threads), &stop, show);
        bar.end();
        check_finished(ran?, &store)?;
        let rows = store.all_rows()?;
        let summary = Summary::of(&plan, rows.clone());
        write_report(&plan, &store, &summary)?;
        results.push(PartResult {
            part,
            plan,
            rows,
            summary,
            report: format!("{}/report.html", part.name),
        });
        if !arguments.json {
            out.lines(&part_lines(&results[results.len() - 1], style), style)?;
        }
    }
    let text = page(suite, &results);
    let written = write_whole(&path, &text, &Signature::PAGE, Overwrite::Own);
    written.map_err(FileError::in_folder)?;
    if arguments.json {
        out.json(&json(suite, &results))?;
    } else {
        out.lines(&answers(&results, style), style)?;
        out.lines(&standings(&results, style), style)?;
        writeln!(out, "report: {}", path.display())?;
    }
    Ok(())
}

impl SuiteCommand {
    /// A part's scenario with the schemes and seeds that the command line names.
    fn source(&self, suite: &Suite, part: &Part) -> Result<Source, Failure> {
        let mut source = part.source()?;
        match &self.schemes {
            Some(list) => source.change_schemes(list, &format!("--schemes {list}")),
            None if suite.schemes.is_empty() => {}
            None => source.change_schemes(suite.schemes, &format!("--schemes {}", suite.schemes)),
        }
        if let Some(seeds) = &self.seeds {
            source.change("seeds", seeds, &format!("--seeds {seeds}"));
        }
        Ok(source)
    }
}

/// The suites and their parts.
fn listed(style: &Style) -> Vec<Text> {
    let mut lines = Vec::new();
    for suite in SUITES {
        lines.push(Text::new(suite.name, Look::Strong));
        let about = format!("{}. After {}.", suite.title, suite.source);
        let room = style.width.saturating_sub(2);
        lines.extend(indented(2, Text::new(&about, Look::Plain).wrapped(room)));
        let mut table = Table::headed(["part", "section", "question"].map(Text::from).to_vec());
        for part in suite.parts {
            table.row(
                [part.name, part.section, part.question]
                    .map(Text::from)
                    .to_vec(),
            );
        }
        lines.extend(indented(2, table.lines(room, style.unicode)));
        let left_out = suite
            .left_out
            .iter()
            .map(|text| format!("not in it: {text}"));
        let left_out: Vec<Text> = left_out.map(|text| Text::new(&text, Look::Faint)).collect();
        lines.extend(indented(2, left_out));
        lines.push(Text::default());
    }
    lines
}

/// A part's question, and what was found.
fn part_lines(result: &PartResult, style: &Style) -> Vec<Text> {
    let part = result.part;
    let heading = match part.section {
        "" => part.name.to_string(),
        section => format!("{} ({section})", part.name),
    };
    let mut lines = vec![Text::new(&heading, Look::Strong)];
    let room = style.width.saturating_sub(2);
    lines.extend(indented(
        2,
        Text::new(part.question, Look::Faint).wrapped(room),
    ));
    let titles: Vec<String> = part.measures.iter().map(Measure::title).collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let sizes = derived::sentences(&result.plan).into_iter();
    for note in sizes.chain(terms(&result.plan, &titles)) {
        lines.extend(indented(2, Text::new(&note, Look::Faint).wrapped(room)));
    }
    for question in questions(result) {
        let mut line = Text::new(&format!("{} ", question.asked), Look::Strong);
        line.push(&question.answer, Look::Plain);
        lines.extend(indented(2, line.wrapped(room)));
    }
    for sentence in findings(result) {
        lines.extend(indented(2, Text::new(&sentence, Look::Plain).wrapped(room)));
    }
    lines.push(Text::default());
    lines
}

/// How often each scheme answers yes, no, and neither.
fn answers(results: &[PartResult], style: &Style) -> Vec<Text> {
    let asked: Vec<Question> = results.iter().flat_map(questions).collect();
    let header = ["scheme", "yes", "no", "undecided"];
    let mut table = Table::headed(header.map(Text::from).to_vec());
    for row in counted(&asked) {
        let counts = [row.yes, row.no, row.undecided].map(|count| Text::from(count.to_string()));
        let name = Text::from(row.scheme);
        table.row([name].into_iter().chain(counts).collect());
    }
    let mut lines = Text::new(&in_short(&asked), Look::Strong).wrapped(style.width);
    lines.extend(table.lines(style.width, style.unicode));
    lines.push(Text::default());
    lines
}

/// How often each scheme is ahead, equal, behind and undecided.
fn standings(results: &[PartResult], style: &Style) -> Vec<Text> {
    let mut table = Table::headed(STANDINGS.map(Text::from).to_vec());
    for row in tally(results) {
        let counts = [row.best, row.equal, row.behind, row.undecided];
        let counts = counts.map(|count| Text::from(count.to_string()));
        let name = Text::from(row.scheme);
        table.row([name].into_iter().chain(counts).collect());
    }
    let mut lines = Text::new(&overall(results), Look::Strong).wrapped(style.width);
    lines.extend(table.lines(style.width, style.unicode));
    lines.extend(Text::new(STANDINGS_MEAN, Look::Faint).wrapped(style.width));
    lines
}
