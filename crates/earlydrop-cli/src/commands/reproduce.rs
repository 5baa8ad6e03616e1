//! `earlydrop reproduce`: the papers' experiments run again, and a verdict on each claim.

mod wrong;

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use earlydrop_lab::claims::{
    Claim, Conclusion, Judged, Measured, Runs, Today, Told, Verdict, conclude, counted, ideas_page,
    judge, page,
};
use earlydrop_lab::plan::Plan;
use earlydrop_lab::reproduce::{Pace, Reproduced, asked, papers, today};
use earlydrop_lab::store::Store;
use earlydrop_lab::summary::Summary;
use earlydrop_lab::work;
use serde_json::Value;

use crate::commands::run::write_report;
use crate::commands::threads;
use crate::draw::{Look, Style, Text, indented, write_lines};
use crate::failure::Failure;
use crate::progress::{Bar, stop_flag};

/// Run the papers' experiments again, with a verdict on each claim
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop reproduce                # every paper, quickly
  earlydrop reproduce clred --full   # one paper, with all seeds and points
  earlydrop reproduce 001.F5 --json
  earlydrop reproduce 001 --wrong    # whether its claims can fail
  earlydrop reproduce today          # which of their ideas still earn their place

What was stopped or killed goes on with the same command.")]
pub(crate) struct Reproduce {
    /// A paper (000, clred) or a claim (001.F5); all unless given
    #[arg(value_name = "PAPER|CLAIM")]
    what: Option<String>,
    /// Few seeds and points; this is so unless --full is given
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// Every seed and every point
    #[arg(long)]
    full: bool,
    /// How many threads; as many as there are cores unless given
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// The folder for the results
    #[arg(long, value_name = "DIR", default_value = "runs")]
    out: PathBuf,
    /// Write a page for each paper in Markdown into this folder, too
    #[arg(long, value_name = "DIR")]
    pages: Option<PathBuf>,
    /// Show instead that each claim can fail: run a scheme that is wrong in its place
    #[arg(long, conflicts_with = "pages")]
    wrong: bool,
    /// Write a list of claims as JSON on standard output
    #[arg(long)]
    json: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

pub(crate) fn run(
    arguments: &Reproduce,
    out: &mut dyn Write,
    style: &Style,
) -> Result<(), Failure> {
    let papers = papers()?;
    let what = arguments.what.as_deref().unwrap_or("");
    let today = today()?;
    let chosen = asked(&papers, what, &today);
    if chosen.is_empty() {
        return Err(unknown(what, &papers));
    }
    let stop = stop_flag()?;
    if arguments.wrong {
        return wrong::run(&chosen, arguments, &stop, out, style);
    }
    let mut told = Vec::new();
    for (paper, claims) in &chosen {
        told.extend(reproduce(paper, claims, arguments, &stop)?);
    }
    if let Some(folder) = &arguments.pages {
        let whole = chosen
            .iter()
            .filter(|(paper, _)| paper.claims(what).next().is_some());
        let whole: Vec<&Reproduced> = whole.map(|(paper, _)| *paper).collect();
        write_pages(&told, &whole, &today, arguments, folder)?;
    }
    if arguments.json {
        let list: Vec<Value> = told.iter().map(Told::json).collect();
        let text = serde_json::to_string_pretty(&list).unwrap_or_default();
        writeln!(out, "{text}")?;
    } else {
        let lines: Vec<Text> = told.iter().flat_map(|told| in_words(told, style)).collect();
        write_lines(out, &lines, style)?;
        if chosen
            .iter()
            .any(|(paper, _)| paper.is_today() && paper.is_called(what))
        {
            write_lines(out, &conclusions(&today, &told, style), style)?;
        }
        writeln!(out, "{}", counted(&told))?;
    }
    if stop.load(Ordering::Relaxed) {
        return Err(stopped());
    }
    Ok(())
}

fn stopped() -> Failure {
    let text = "stopped: what is done is kept; the same command goes on";
    Failure::Stopped(text.to_string())
}

/// A page for each paper, and one that leads to them.
fn write_pages(
    told: &[Told<'_>],
    papers: &[&Reproduced],
    today: &Today,
    arguments: &Reproduce,
    folder: &Path,
) -> Result<(), Failure> {
    fs::create_dir_all(folder)?;
    let pace = if arguments.full { "--full" } else { "--quick" };
    let version = earlydrop_lab::store::version();
    let made_by = format!("Made by `earlydrop reproduce {pace} --pages`, version {version}.");
    let mut front = format!(
        "# The papers' claims\n\n{made_by}\n\n{}.\n\n",
        counted(told)
    );
    for paper in papers {
        let of_paper = told.iter().filter(|told| told.paper.folder == paper.folder);
        let of_paper: Vec<Told<'_>> = of_paper.cloned().collect();
        let file = format!("{}.md", paper.folder);
        let before = if paper.is_today() {
            ideas_page(today, told)
        } else {
            String::new()
        };
        fs::write(folder.join(&file), page(&of_paper, &before, &made_by))?;
        let (title, count) = (&paper.paper.title, counted(&of_paper));
        front.push_str(&format!("- [{title}]({file}): {count}.\n"));
    }
    fs::write(folder.join("README.md"), front)?;
    Ok(())
}

fn unknown(what: &str, papers: &[Reproduced]) -> Failure {
    let folders = papers.iter().map(|paper| paper.folder.to_string());
    let claims = papers.iter().flat_map(|paper| &paper.paper.claims);
    let names: Vec<String> = folders
        .chain(claims.map(|claim| claim.id.clone()))
        .collect();
    let nearest = earlydrop::registry::nearest(what, names.iter().map(String::as_str));
    let hint = nearest.map(|nearest| format!("; did you mean {nearest}?"));
    let all: Vec<&str> = papers.iter().map(|paper| paper.folder).collect();
    Failure::Usage(format!(
        "no paper and no claim is called {what}{} (papers: {})",
        hint.unwrap_or_default(),
        all.join(", ")
    ))
}

/// Runs what a paper's claims need, and judges them.
fn reproduce<'a>(
    paper: &'a Reproduced,
    claims: &[&'a Claim],
    arguments: &Reproduce,
    stop: &AtomicBool,
) -> Result<Vec<Told<'a>>, Failure> {
    let pace = if arguments.full {
        Pace::Full
    } else {
        Pace::Quick
    };
    let names: BTreeSet<&str> = claims
        .iter()
        .map(|claim| claim.experiment.as_str())
        .collect();
    let mut told: Vec<Told<'a>> = Vec::new();
    for name in names {
        let of_experiment = claims.iter().filter(|claim| claim.experiment == name);
        let Some(source) = paper.source(name, pace) else {
            // Nothing can be run for these: what they lack is in the claims themselves.
            told.extend(of_experiment.map(|claim| Told {
                paper,
                claim,
                judged: judge(claim, &Measured::nothing()),
                seeds: 0,
            }));
            continue;
        };
        let source = source?;
        let plan = source.plan()?;
        let folder = folder(arguments, paper, name);
        let store = Store::create(&folder, &source, &plan)?;
        run_cells(
            &plan,
            &store,
            arguments,
            stop,
            &format!("{} {name}", paper.paper.number),
        )?;
        if !stop.load(Ordering::Relaxed) {
            write_report(&plan, &store, &Summary::of(&plan, &store)?)?;
        }
        let mut runs = Runs::of(&plan, &store)?;
        for claim in of_experiment {
            let measured = runs.measured(&claim.metric)?;
            told.push(Told {
                paper,
                claim,
                judged: judge(claim, &measured),
                seeds: measured.seeds.len(),
            });
        }
    }
    told.sort_by_key(|told| claims.iter().position(|claim| claim.id == told.claim.id));
    Ok(told)
}

fn folder(arguments: &Reproduce, paper: &Reproduced, experiment: &str) -> PathBuf {
    let pace = if arguments.full { "full" } else { "quick" };
    let papers = arguments.out.join(format!("papers-{pace}"));
    papers.join(Path::new(paper.folder)).join(experiment)
}

fn run_cells(
    plan: &Plan,
    store: &Store,
    arguments: &Reproduce,
    stop: &AtomicBool,
    name: &str,
) -> Result<(), Failure> {
    let threads = threads(arguments.threads);
    let bar = Bar::named(arguments.quiet || arguments.json, name);
    let ran = work::run(plan, store, threads, stop, |progress| bar.show(progress));
    bar.end();
    ran?;
    Ok(())
}

/// What becomes of each idea.
fn conclusions(today: &Today, told: &[Told<'_>], style: &Style) -> Vec<Text> {
    let mut lines = vec![Text::new("The papers' ideas today", Look::Strong)];
    for idea in &today.ideas {
        let concluded = conclude(idea, told);
        let look = match concluded.conclusion {
            Conclusion::Earns => Look::Strong,
            Conclusion::Undecided => Look::Faint,
            _ => Look::Emphasis,
        };
        let mut heading = Text::new(&format!("{:18} ", idea.id), Look::Code);
        heading.push(&concluded.in_short(), look);
        lines.push(heading);
        let width = style.width.saturating_sub(4);
        let what = format!("{} ({})", idea.idea, idea.from);
        lines.extend(indented(4, Text::from(what.as_str()).wrapped(width)));
    }
    lines.push(Text::default());
    lines
}

/// The verdict, the claim, the effect; where it holds in part, where not.
fn in_words(told: &Told<'_>, style: &Style) -> Vec<Text> {
    let Judged {
        verdict, missing, ..
    } = &told.judged;
    let look = match verdict {
        Verdict::Holds => Look::Strong,
        Verdict::Undecided => Look::Faint,
        _ => Look::Emphasis,
    };
    let mut heading = Text::new(&format!("{:18} ", told.claim.id), Look::Code);
    heading.push(&verdict.to_string(), look);
    heading.push(&format!("  {}", told.effect()), Look::Plain);
    let mut lines = vec![heading];
    let width = style.width.saturating_sub(4);
    lines.extend(indented(
        4,
        Text::from(told.claim.claim.as_str()).wrapped(width),
    ));
    if !missing.is_empty() {
        let why = Text::new(&format!("missing: {missing}"), Look::Faint);
        lines.extend(indented(4, why.wrapped(width)));
    }
    if let Some(exceptions) = told.exceptions() {
        let words = format!("not in {exceptions}");
        lines.extend(indented(4, Text::new(&words, Look::Faint).wrapped(width)));
    }
    lines.push(Text::default());
    lines
}
