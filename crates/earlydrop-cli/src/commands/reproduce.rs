//! `earlydrop reproduce`: the papers' experiments run again, and a verdict on each claim.

mod wrong;

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use earlydrop_lab::files::write_whole;
use earlydrop_lab::plan::Plan;
use earlydrop_lab::store::{self, Store};
use earlydrop_lab::summary::Summary;
use earlydrop_papers::catalogue::{Pace, Reproduced, asked, papers, today};
use earlydrop_papers::claims::{
    Claim, Concluded, Conclusion, Judged, Today, Told, Verdict, conclude, counted, ideas_page,
};
use earlydrop_papers::pages::{
    Experiment, Experiments, Made, PICTURES, Study, front, markdown, markdown_front, page,
};
use earlydrop_report::run_report::write_report;
use serde_json::Value;

use crate::commands::threads;
use crate::draw::{Look, Style, Text, indented, write_lines};
use crate::failure::Failure;
use crate::progress::{Bar, stop_flag};

/// Run the papers' experiments again, with a verdict on each claim
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop reproduce                # every paper, quickly
  earlydrop reproduce clred --full   # one paper, with all seeds and points
  earlydrop reproduce clred.F5 --json
  earlydrop reproduce clred --wrong    # whether its claims can fail
  earlydrop reproduce today          # which of their ideas still earn their place

What was stopped or killed goes on with the same command.")]
pub(crate) struct Reproduce {
    /// A paper (clred) or a claim (clred.F5); all unless given
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
    let mut found = Vec::new();
    for paper in &papers {
        let of_paper = chosen.iter().find(|(one, _)| one.key == paper.key);
        let claims = of_paper.map_or(&[][..], |(_, claims)| claims.as_slice());
        let is_whole = paper.is_called(what);
        found.push(experiments(paper, claims, is_whole, arguments, &stop)?);
    }
    let mut studies = Vec::new();
    for (paper, experiments) in papers.iter().zip(&found) {
        studies.push(Study::of(paper, experiments)?);
    }
    let wanted: BTreeSet<&str> = chosen
        .iter()
        .flat_map(|(_, claims)| claims.iter().map(|claim| claim.id.as_str()))
        .collect();
    let told = studies.iter().flat_map(|study| &study.told);
    let told: Vec<Told<'_>> = told
        .filter(|told| wanted.contains(told.claim.id.as_str()))
        .cloned()
        .collect();
    if arguments.json {
        let list: Vec<Value> = told.iter().map(Told::json).collect();
        let text = serde_json::to_string_pretty(&list).unwrap_or_default();
        writeln!(out, "{text}")?;
    } else {
        let lines: Vec<Text> = told.iter().flat_map(|told| in_words(told, style)).collect();
        write_lines(out, &lines, style)?;
        if papers
            .iter()
            .any(|paper| paper.is_today() && paper.is_called(what))
        {
            write_lines(out, &conclusions(&today, &told, style), style)?;
        }
        writeln!(out, "{}", counted(&told))?;
    }
    if stop.load(Ordering::Relaxed) {
        return Err(stopped());
    }
    let is_asked = |study: &&Study<'_>| study.paper.claims(what).next().is_some();
    let chosen: Vec<&Study<'_>> = studies.iter().filter(is_asked).collect();
    let ideas = ideas_page(&today, &told);
    // What earlier runs found counts, too.
    let all: Vec<Told<'_>> = studies
        .iter()
        .flat_map(|study| study.told.clone())
        .collect();
    let concluded = today.ideas.iter().map(|idea| conclude(idea, &all));
    let concluded: Vec<Concluded<'_>> = concluded.collect();
    let pages = write_pages(&studies, &chosen, (&ideas, &concluded), arguments)?;
    if !arguments.json {
        pages.iter().try_for_each(|page| writeln!(out, "{page}"))?;
    }
    Ok(())
}

fn stopped() -> Failure {
    let text = "stopped: what is done is kept; the same command goes on";
    Failure::Stopped(text.to_string())
}

/// Writes the page of each chosen paper and the front page and, where asked for, the same in
/// Markdown; answers what to tell of it.
fn write_pages(
    studies: &[Study<'_>],
    chosen: &[&Study<'_>],
    (ideas, concluded): (&str, &[Concluded<'_>]),
    arguments: &Reproduce,
) -> Result<Vec<String>, Failure> {
    let pace = if arguments.full { "--full" } else { "--quick" };
    let made = |more: &str| Made {
        command: format!("earlydrop reproduce {pace}{more}"),
        version: earlydrop_lab::version(),
        is_quick: !arguments.full,
    };
    let folder = folder(arguments);
    let mut lines = Vec::new();
    for study in chosen {
        let path = folder.join(study.paper.key).join("report.html");
        write_whole(&path, &page(study, &made("")))?;
        lines.push(format!("report: {}", path.display()));
    }
    let path = folder.join("index.html");
    write_whole(&path, &front(studies, concluded, &made("")))?;
    lines.push(format!("all claims: {}", path.display()));
    if let Some(folder) = &arguments.pages {
        let made = made(" --pages");
        fs::create_dir_all(folder.join(PICTURES))?;
        for study in chosen {
            let before = if study.paper.is_today() { ideas } else { "" };
            let page = markdown(study, before, &made);
            write_whole(&folder.join(format!("{}.md", study.paper.key)), &page.text)?;
            for (name, picture) in &page.pictures {
                write_whole(&folder.join(PICTURES).join(name), picture)?;
            }
        }
        let path = folder.join("README.md");
        write_whole(&path, &markdown_front(chosen, &made))?;
        lines.push(format!("pages: {}", path.display()));
    }
    Ok(lines)
}

fn unknown(what: &str, papers: &[Reproduced]) -> Failure {
    let folders = papers.iter().map(|paper| paper.key.to_string());
    let claims = papers.iter().flat_map(|paper| &paper.paper.claims);
    let names: Vec<String> = folders
        .chain(claims.map(|claim| claim.id.clone()))
        .collect();
    let nearest = earlydrop::registry::nearest(what, names.iter().map(String::as_str));
    let hint = nearest.map(|nearest| format!("; did you mean {nearest}?"));
    let all: Vec<&str> = papers.iter().map(|paper| paper.key).collect();
    Failure::Usage(format!(
        "no paper and no claim is called {what}{} (papers: {})",
        hint.unwrap_or_default(),
        all.join(", ")
    ))
}

/// A paper's experiments: those that the chosen claims need, run now, and those that were
/// run before.
fn experiments(
    paper: &Reproduced,
    claims: &[&Claim],
    is_whole: bool,
    arguments: &Reproduce,
    stop: &AtomicBool,
) -> Result<Experiments, Failure> {
    let pace = if arguments.full {
        Pace::Full
    } else {
        Pace::Quick
    };
    let wanted: BTreeSet<&str> = match is_whole {
        true => paper.experiments(),
        false => claims
            .iter()
            .map(|claim| claim.experiment.as_str())
            .collect(),
    };
    let mut found = Experiments::new();
    for name in paper.experiments() {
        let Some(source) = paper.source(name, pace) else {
            continue;
        };
        let source = source?;
        let plan = source.plan()?;
        let folder = folder(arguments).join(paper.key).join(name);
        let store = match wanted.contains(name) {
            true => {
                let store = Store::create(&folder, &source, &plan)?;
                let title = format!("{} {name}", paper.paper.key);
                run_cells(&plan, &store, arguments, stop, &title)?;
                if !stop.load(Ordering::Relaxed) {
                    write_report(&plan, &store, &Summary::of_store(&plan, &store)?)?;
                }
                store
            }
            false => match Store::existing(&folder, &plan)? {
                Some(store) if store.done()?.len() >= plan.cell_count() => store,
                _ => continue,
            },
        };
        found.insert(name.to_string(), Experiment::new(plan, store));
    }
    Ok(found)
}

/// The folder of all results at this pace.
fn folder(arguments: &Reproduce) -> PathBuf {
    let pace = if arguments.full { "full" } else { "quick" };
    arguments.out.join(format!("papers-{pace}"))
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
    let ran = store::run(plan, store, threads, stop, |progress| bar.show(progress));
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
