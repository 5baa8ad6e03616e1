//! `earlydrop tune`: a scheme's parameters, searched by simulation and checked.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use earlydrop_lab::metrics::{METRICS, Metric};
use earlydrop_lab::plan::{Plan, Source};
use earlydrop_lab::run::Progress;
use earlydrop_lab::statistics::Mean;
use earlydrop_lab::store::{self, Store};
use earlydrop_lab::summary::Summary;
use earlydrop_lab::tune::{
    self, Goal, Limit, SearchParameter, SearchResult, TuneError, TuneOptions, Validation, line,
    pareto_front,
};
use earlydrop_report::run_report::write_report;
use serde_json::json;

use crate::commands::threads;
use crate::draw::{Look, Plot, Style, Table, Text, indented, write_lines};
use crate::failure::Failure;
use crate::progress::{Bar, stop_flag};
use crate::scenario::{Changes, source};

/// Search the parameters of a scenario's schemes by simulation
#[derive(clap::Args, Clone, Debug)]
#[command(group(clap::ArgGroup::new("goal").required(true).args(["minimise", "maximise"])))]
#[command(after_help = "Examples:
  earlydrop tune scenarios/home-uplink.toml --minimise delay_p99 --subject-to 'utilisation>=95%'
  earlydrop tune scenario.toml --schemes red,pie --maximise goodput --subject-to 'delay_p99<=20ms'
  earlydrop tune scenario.toml --schemes red --minimise delay_p99 --over min=2..40,max=10..120

Each scheme's settings are tried with the same seeds, by differential evolution; the best is
run again beside the scheme as it was, with seeds the search has not seen.")]
pub(crate) struct Tune {
    /// The scenario
    scenario: PathBuf,
    /// The metric that is to be small
    #[arg(long, value_name = "METRIC", alias = "minimize")]
    minimise: Option<String>,
    /// The metric that is to be large
    #[arg(long, value_name = "METRIC", alias = "maximize")]
    maximise: Option<String>,
    /// What must be kept meanwhile: 'utilisation>=95%', 'loss<=1%'; may be given more than once
    #[arg(long, value_name = "LIMIT", value_delimiter = ',')]
    subject_to: Vec<String>,
    /// Which parameters, maybe between which bounds: min=2..40,max_p; all of the scheme's own
    /// numbers unless given
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    over: Vec<String>,
    /// How many settings of each scheme are tried
    #[arg(long, value_name = "COUNT", default_value = "200", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    budget: u32,
    /// With how many of the scenario's seeds each is tried
    #[arg(long, value_name = "COUNT", default_value = "3", value_parser = clap::value_parser!(u16).range(1..=1000))]
    search_seeds: u16,
    #[command(flatten)]
    changes: Changes,
    /// How many threads; as many as there are cores unless given
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// The folder for the check's results; runs/tune-NAME-... unless given
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write one JSON document on standard output instead of tables
    #[arg(long)]
    json: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

pub(crate) fn run(arguments: &Tune, out: &mut dyn Write, style: &Style) -> Result<(), Failure> {
    let source = source(Some(&arguments.scenario), &arguments.changes)?;
    let tuning = tuning(arguments)?;
    let stop = stop_flag()?;
    let found = search(&source, &tuning, arguments, &stop)?;
    if stop.load(Ordering::Relaxed) {
        let text = "stopped: what was tried is not kept; the same command begins anew";
        return Err(Failure::Stopped(text.to_string()));
    }
    let check = tune::validation_scenario(&source, &tuning.goal, &found)?;
    let plan = check.plan()?;
    let (checked, page) = run_check(&check, &plan, &tuning, &found, arguments, &stop)?;
    if arguments.json {
        let mut document = tune::json(&tuning.goal, &found, &checked);
        document["report"] = json!(page.display().to_string());
        let text = serde_json::to_string_pretty(&document).unwrap_or_default();
        writeln!(out, "{text}")?;
    } else {
        let told = Told {
            goal: &tuning.goal,
            found: &found,
            checked: &checked,
            source: &source,
            style,
        };
        write_lines(out, &told.lines(plan.seeds.len()), style)?;
        writeln!(out, "report: {}", page.display())?;
    }
    if checked.iter().any(Validation::keeps_limits) {
        return Ok(());
    }
    let text = "nothing that was tried keeps every limit with fresh seeds";
    Err(Failure::Doing(text.to_string()))
}

fn tuning(arguments: &Tune) -> Result<TuneOptions, Failure> {
    let usage =
        |error: &dyn std::fmt::Display, option: &str| Failure::Usage(format!("--{option} {error}"));
    let goal = match (&arguments.minimise, &arguments.maximise) {
        (Some(metric), _) => Goal::new(metric, true).map_err(|error| usage(&error, "minimise")),
        (None, Some(metric)) => Goal::new(metric, false).map_err(|error| usage(&error, "maximise")),
        (None, None) => Err(Failure::Usage(
            "--minimise or --maximise says what for".into(),
        )),
    };
    let mut goal = goal?;
    for limit in &arguments.subject_to {
        let limit = Limit::parse(limit).map_err(|error| usage(&error, "subject-to"))?;
        goal.limits.push(limit);
    }
    let over = arguments
        .over
        .iter()
        .map(|text| text.parse::<SearchParameter>());
    let over: Result<Vec<SearchParameter>, _> = over.collect();
    Ok(TuneOptions {
        goal,
        parameters: over.map_err(|error| usage(&error, "over"))?,
        budget: arguments.budget as usize,
        seeds: usize::from(arguments.search_seeds),
        threads: threads(arguments.threads),
    })
}

fn search(
    source: &Source,
    tuning: &TuneOptions,
    arguments: &Tune,
    stop: &AtomicBool,
) -> Result<Vec<SearchResult>, Failure> {
    let schemes = source.plan()?.scenario().schemes.len();
    let bar = Bar::of(arguments.quiet || arguments.json, "tuning", "settings");
    let mut labels: Vec<String> = Vec::new();
    let found = tune::tune(source, tuning, stop, |found| {
        if labels.last() != Some(&found.label) {
            labels.push(found.label.clone());
        }
        bar.show(Progress {
            before: 0,
            done: (labels.len() - 1) * tuning.budget + found.candidates.len().min(tuning.budget),
            planned: schemes * tuning.budget,
        });
    });
    bar.end();
    found.map_err(|error| match error {
        TuneError::Scenario(problems) => problems.into(),
        TuneError::Cell(problem) => Failure::Doing(problem.to_string()),
        TuneError::Space(error) => Failure::Usage(format!("--over {error}")),
        other => Failure::Usage(other.to_string()),
    })
}

/// Runs the check, as any run; answers its report.
fn run_check(
    check: &Source,
    plan: &Plan,
    tuning: &TuneOptions,
    found: &[SearchResult],
    arguments: &Tune,
    stop: &AtomicBool,
) -> Result<(Vec<Validation>, PathBuf), Failure> {
    let folder = arguments.out.clone().unwrap_or_else(|| {
        let stem = arguments.scenario.file_stem().unwrap_or_default();
        let name = format!("tune-{}", stem.to_string_lossy());
        Path::new("runs").join(plan.folder_name(&name))
    });
    let store = Store::create(&folder, check, plan)?;
    let bar = Bar::named(arguments.quiet || arguments.json, "checking");
    let ran = store::run(plan, &store, tuning.threads, stop, |done| bar.show(done));
    bar.end();
    ran?;
    let summary = Summary::of_store(plan, &store)?;
    let page = write_report(plan, &store, &summary)?;
    if stop.load(Ordering::Relaxed) {
        return Err(Failure::Stopped("stopped while checking".to_string()));
    }
    let checked = tune::validate(&tuning.goal, found, plan, &summary.cells);
    Ok((checked, page))
}

/// What is said of it all.
struct Told<'a> {
    goal: &'a Goal,
    found: &'a [SearchResult],
    checked: &'a [Validation],
    source: &'a Source,
    style: &'a Style,
}

impl Told<'_> {
    fn lines(&self, seeds: usize) -> Vec<Text> {
        let mut lines = self.table(seeds);
        lines.push(Text::default());
        lines.extend(self.front());
        lines.push(Text::default());
        lines.extend(self.settings());
        lines
    }

    /// Before and after with fresh seeds, the best that keeps the limits first.
    fn table(&self, seeds: usize) -> Vec<Text> {
        let metric = &METRICS[self.goal.metric];
        let verb = if self.goal.minimise { "least" } else { "most" };
        let heading = format!("{verb} {}, checked with {seeds} fresh seeds", metric.title);
        let mut header = vec!["scheme".to_string()];
        header.extend([
            with_unit("as it was", metric),
            "tuned".to_string(),
            "change".to_string(),
        ]);
        header.extend(self.goal.limits.iter().map(ToString::to_string));
        let header = header.iter().map(|text| Text::new(text, Look::Strong));
        let mut table = Table::headed(header.collect());
        for (_, checked) in self.in_order() {
            table.row(self.row(checked));
        }
        let mut lines = vec![Text::new(&heading, Look::Strong), Text::default()];
        lines.extend(table.lines(self.style.width, self.style.unicode));
        lines
    }

    fn in_order(&self) -> Vec<(&SearchResult, &Validation)> {
        let sign = if self.goal.minimise { 1.0 } else { -1.0 };
        let mut pairs: Vec<_> = self.found.iter().zip(self.checked).collect();
        let key = |checked: &Validation| {
            let value = checked
                .after
                .map_or(f64::INFINITY, |after| sign * after.mean);
            (!checked.keeps_limits(), value)
        };
        pairs.sort_by(|(_, a), (_, b)| {
            let (a, b) = (key(a), key(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        pairs
    }

    fn row(&self, checked: &Validation) -> Vec<Text> {
        let scale = METRICS[self.goal.metric].scale;
        let shown = |mean: &Option<Mean>| mean.map_or("-".into(), |m| m.with_interval(scale));
        let after = match checked.variant {
            Some(_) => shown(&checked.after),
            None => "nothing better".to_string(),
        };
        let change = match (checked.change, checked.before) {
            (Some(change), Some(before)) if before.mean != 0.0 => {
                let share = |value: f64| 100.0 * value / before.mean.abs();
                let half = change
                    .half
                    .map_or(String::new(), |half| format!(" ± {:.1}", share(half)));
                format!("{:+.1}{half}%", share(change.mean))
            }
            _ => "-".to_string(),
        };
        let mut row = vec![
            Text::new(&checked.label, Look::Code),
            Text::new(&shown(&checked.before), Look::Plain),
            Text::new(&after, Look::Plain),
            Text::new(&change, Look::Plain),
        ];
        for (kept, limit) in checked.limits.iter().zip(&self.goal.limits) {
            let (word, look) = match (kept.met, kept.significant) {
                (true, true) => ("", Look::Plain),
                (true, false) => (", just", Look::Plain),
                (false, _) => (", not kept", Look::Emphasis),
            };
            row.push(Text::new(&format!("{}{word}", kept.text(limit)), look));
        }
        row
    }

    /// What the goal costs of what it is weighed against.
    fn front(&self) -> Vec<Text> {
        let (goal, price) = (&METRICS[self.goal.metric], &METRICS[self.goal.price()]);
        let fronts: Vec<(String, Vec<(f64, f64)>)> = self
            .found
            .iter()
            .map(|found| {
                let pairs = pareto_front(self.goal, found).into_iter();
                let shown = pairs.map(|(x, y)| (x * price.scale, y * goal.scale));
                (found.label.clone(), shown.collect())
            })
            .collect();
        let all = || fronts.iter().flat_map(|(_, points)| points.iter().copied());
        let range = |of: fn((f64, f64)) -> f64, most: f64| {
            let low = all().map(of).fold(f64::INFINITY, f64::min);
            let high = all().map(of).fold(f64::NEG_INFINITY, f64::max).min(most);
            let margin = 0.03 * (high - low).max(high.abs() * 0.01);
            (low - margin, high + margin)
        };
        // What is far worse than the schemes as they were hides what matters.
        let before = self.checked.iter().filter_map(|checked| checked.before);
        let worst = before
            .map(|before| before.mean * goal.scale)
            .fold(f64::NEG_INFINITY, f64::max);
        let most = if self.goal.minimise {
            1.2 * worst
        } else {
            f64::INFINITY
        };
        let mut plot = Plot::new(range(|p| p.0, f64::INFINITY), range(|p| p.1, most))
            .title("settings that no other beats in both, as the search saw them")
            .labels(&with_unit(price.title, price), &with_unit(goal.title, goal))
            .height(14);
        for (name, points) in fronts {
            plot = plot.line(&name, points);
        }
        plot.lines(self.style)
    }

    /// Lines to paste into a scenario.
    fn settings(&self) -> Vec<Text> {
        let variants = self.in_order().into_iter();
        let variants = variants.filter_map(|(_, checked)| checked.variant.as_ref());
        let lines: Vec<Text> = variants
            .map(|variant| Text::new(&line(self.source, variant), Look::Code))
            .collect();
        if lines.is_empty() {
            return lines;
        }
        let mut told = vec![Text::new("[schemes]", Look::Code)];
        told.extend(lines);
        told.push(Text::default());
        indented(2, told)
    }
}

/// A heading with the unit that a metric is shown in: "queueing delay, ms".
fn with_unit(heading: &str, metric: &Metric) -> String {
    match metric.unit {
        "" => heading.to_string(),
        unit => format!("{heading}, {unit}"),
    }
}
