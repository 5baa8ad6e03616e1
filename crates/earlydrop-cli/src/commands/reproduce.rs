//! `earlydrop reproduce`: the papers' experiments run again, and a verdict on each claim.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use earlydrop_lab::claims::{Claim, Judged, Measured, Verdict, judge};
use earlydrop_lab::plan::Plan;
use earlydrop_lab::reproduce::{Pace, Reproduced, papers};
use earlydrop_lab::store::Store;
use earlydrop_lab::summary::Summary;
use earlydrop_lab::work;
use serde_json::{Value, json};

use crate::commands::run::write_report;
use crate::draw::{Look, Style, Text, indented, write_lines};
use crate::failure::Failure;
use crate::progress::{Bar, stop_flag};

/// Run the papers' experiments again, with a verdict on each claim
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop reproduce                # every paper, quickly
  earlydrop reproduce clred --full   # one paper, with all seeds and points
  earlydrop reproduce 001.F5 --json

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
    /// Write a list of claims as JSON on standard output
    #[arg(long)]
    json: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

/// A claim of a paper, with what the runs say of it.
struct Told<'a> {
    paper: &'a Reproduced,
    claim: &'a Claim,
    judged: Judged,
    seeds: usize,
}

pub(crate) fn run(
    arguments: &Reproduce,
    out: &mut dyn Write,
    style: &Style,
) -> Result<(), Failure> {
    let papers = papers()?;
    let what = arguments.what.as_deref().unwrap_or("");
    let chosen: Vec<(&Reproduced, Vec<&Claim>)> = papers
        .iter()
        .map(|paper| (paper, paper.claims(what).collect::<Vec<_>>()))
        .filter(|(_, claims)| !claims.is_empty())
        .collect();
    if chosen.is_empty() {
        return Err(unknown(what, &papers));
    }
    let stop = stop_flag()?;
    let mut told = Vec::new();
    for (paper, claims) in &chosen {
        told.extend(reproduce(paper, claims, arguments, &stop)?);
    }
    if arguments.json {
        let list: Vec<Value> = told.iter().map(as_json).collect();
        let text = serde_json::to_string_pretty(&list).unwrap_or_default();
        writeln!(out, "{text}")?;
    } else {
        let lines: Vec<Text> = told.iter().flat_map(|told| in_words(told, style)).collect();
        write_lines(out, &lines, style)?;
        writeln!(out, "{}", counted(&told))?;
    }
    if stop.load(Ordering::Relaxed) {
        let text = "stopped: what is done is kept; the same command goes on";
        return Err(Failure::Stopped(text.to_string()));
    }
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
        for claim in of_experiment {
            let measured = Measured::of(&plan, &store, &claim.metric)?;
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
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let threads = arguments.threads.map_or(cores, usize::from);
    let bar = Bar::named(arguments.quiet || arguments.json, name);
    let ran = work::run(plan, store, threads, stop, |progress| bar.show(progress));
    bar.end();
    ran?;
    Ok(())
}

/// The interval of the effect: low and high.
fn interval(judged: &Judged) -> Option<(f64, f64)> {
    let effect = judged.effect?;
    let half = effect.half?;
    Some((effect.mean - half, effect.mean + half))
}

fn as_json(told: &Told<'_>) -> Value {
    let Told {
        paper,
        claim,
        judged,
        seeds,
    } = told;
    let comparisons = judged.comparisons.iter().map(|one| {
        let mean = one.mean();
        json!({
            "place": one.place,
            "effect": mean.map(|mean| mean.mean),
            "half_width_95": mean.and_then(|mean| mean.half),
            "borne_out": one.is_borne_out(),
        })
    });
    json!({
        "id": claim.id,
        "paper": paper.paper.number,
        "figure": claim.figure,
        "claim": claim.claim,
        "metric": claim.metric.to_string(),
        "verdict": judged.verdict.to_string(),
        "effect": judged.effect.map(|effect| effect.mean),
        "interval": interval(judged).map(|(low, high)| [low, high]),
        "seeds": seeds,
        "missing": judged.missing,
        "comparisons": comparisons.collect::<Vec<Value>>(),
    })
}

/// The verdict, the claim, the effect; where it holds in part, where not.
fn in_words(told: &Told<'_>, style: &Style) -> Vec<Text> {
    let Judged {
        verdict,
        effect,
        comparisons,
        missing,
    } = &told.judged;
    let look = match verdict {
        Verdict::Holds => Look::Strong,
        Verdict::Undecided => Look::Faint,
        _ => Look::Emphasis,
    };
    let mut heading = Text::new(&format!("{:18} ", told.claim.id), Look::Code);
    heading.push(&verdict.to_string(), look);
    if let (Some(effect), Some((low, high))) = (effect, interval(&told.judged)) {
        let percent = |share: f64| format!("{:+.1}%", 100.0 * share);
        let (mean, low, high) = (percent(effect.mean), percent(low), percent(high));
        heading.push(&format!("  {mean} ({low} to {high})"), Look::Plain);
    }
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
    if *verdict == Verdict::InPart {
        let not: Vec<&str> = comparisons
            .iter()
            .filter(|one| !one.is_borne_out())
            .map(|one| one.place.as_str())
            .collect();
        let (count, all) = (not.len(), comparisons.len());
        let words = format!("not in {count} of {all}: {}", not.join("; "));
        lines.extend(indented(4, Text::new(&words, Look::Faint).wrapped(width)));
    }
    lines.push(Text::default());
    lines
}

/// "12 claims: 5 hold, 3 in part, ...".
fn counted(told: &[Told<'_>]) -> String {
    let count = |verdict: Verdict| told.iter().filter(|t| t.judged.verdict == verdict).count();
    format!(
        "{} claims: {} hold, {} in part, {} do not, {} cannot be decided",
        told.len(),
        count(Verdict::Holds),
        count(Verdict::InPart),
        count(Verdict::DoesNotHold),
        count(Verdict::Undecided)
    )
}
