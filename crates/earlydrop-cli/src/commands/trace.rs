//! `earlydrop trace`: one cell in depth.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use earlydrop::units::Nanos;
use earlydrop_lab::outcome::Series;
use earlydrop_lab::plan::{Cell, Plan, Source};
use earlydrop_lab::trace::{CellTrace, TraceOptions, trace};
use earlydrop_report::run_report;
use earlydrop_report::table::title;
use earlydrop_sim::capture;

use crate::draw::{Look, Plot, Style, Text, write_lines};
use crate::failure::Failure;
use crate::scenario::{Changes, source};

/// Look at one run in depth: queue, average, probability, drops and windows over time
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop trace scenarios/home-uplink.toml --cell 3
  earlydrop trace --schemes ared --sample 10ms
  earlydrop trace scenarios/satellite.toml --cell 0 --pcap bottleneck.pcapng

A report names the number of every run; so does `earlydrop trace SCENARIO --list`.")]
pub(crate) struct Trace {
    /// The scenario; without one, the one that `compare` has built in
    scenario: Option<PathBuf>,
    /// The run's number in the plan
    #[arg(long, value_name = "N", default_value_t = 0)]
    cell: usize,
    /// List the runs with their numbers instead
    #[arg(long)]
    list: bool,
    /// From one sample to the next: 10ms; 600 in a run unless given
    #[arg(long, value_name = "TIME")]
    sample: Option<String>,
    /// Record the watched link's packets in this pcapng file
    #[arg(long, value_name = "FILE")]
    pcap: Option<PathBuf>,
    /// The folder for report.html and series.csv; traces/NAME-... unless given
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    changes: Changes,
}

pub(crate) fn run(arguments: &Trace, out: &mut dyn Write, style: &Style) -> Result<(), Failure> {
    let source = source(arguments.scenario.as_ref(), &arguments.changes)?;
    let plan = source.plan()?;
    if arguments.list {
        return list(&plan, out);
    }
    let cell = plan.cell(arguments.cell).ok_or_else(|| {
        let last = plan.cell_count() - 1;
        let text = format!("--cell {}: allowed: 0 to {last}", arguments.cell);
        Failure::Usage(text)
    })?;
    let looked = TraceOptions {
        sample: arguments.sample.as_deref().map(interval).transpose()?,
        capture: arguments.pcap.is_some(),
    };
    let seen = trace(&plan, cell, looked).map_err(|problem| Failure::Doing(problem.to_string()))?;
    let folder = folder(&source, &plan, arguments);
    let written = write_files(&source, &plan, cell, &seen, &folder, arguments);
    let written =
        written.map_err(|error| Failure::Doing(format!("{}: {error}", folder.display())))?;
    write_lines(out, &picture(&plan, cell, &seen, style), style)?;
    for path in written {
        writeln!(out, "{}", path.display())?;
    }
    Ok(())
}

/// Every run with its number.
fn list(plan: &Plan, out: &mut dyn Write) -> Result<(), Failure> {
    for cell in plan.cells() {
        writeln!(out, "{:6}  {}", plan.number(cell), name_of(plan, cell))?;
    }
    Ok(())
}

/// "nlred, network.rtt = 50 ms, seed 3".
fn name_of(plan: &Plan, cell: Cell) -> String {
    let label = plan.labels()[cell.scheme].to_string();
    let point = title(plan, cell.point);
    let seed = format!("seed {}", plan.seeds[cell.seed]);
    let parts = [label, point, seed];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(", ")
}

fn interval(text: &str) -> Result<Nanos, Failure> {
    let interval = text.parse::<Nanos>().ok().filter(|time| time.0 > 0);
    interval.ok_or_else(|| {
        Failure::Usage(format!(
            "--sample {text}: allowed: a time above 0, as in 10ms"
        ))
    })
}

fn folder(source: &Source, plan: &Plan, arguments: &Trace) -> PathBuf {
    let name = format!("{}-cell-{}", plan.folder_name(&source.name), arguments.cell);
    let own = || Path::new("traces").join(name);
    arguments.out.clone().unwrap_or_else(own)
}

fn write_files(
    source: &Source,
    plan: &Plan,
    cell: Cell,
    seen: &CellTrace,
    folder: &Path,
    arguments: &Trace,
) -> io::Result<Vec<PathBuf>> {
    fs::create_dir_all(folder)?;
    let page = folder.join("report.html");
    let data = run_report::of_trace(plan, cell, seen, &source.name);
    fs::write(&page, run_report::render(&data))?;
    let table = folder.join("series.csv");
    write_series(&seen.outcome.series, BufWriter::new(File::create(&table)?))?;
    let mut written = vec![page, table];
    if let Some(path) = &arguments.pcap {
        let mut file = BufWriter::new(File::create(path)?);
        capture::write_pcapng(&seen.captures, &mut file)?;
        file.flush()?;
        written.push(path.clone());
    }
    Ok(written)
}

/// One line a sample: time, source, name, value.
fn write_series(series: &[Series], mut out: impl Write) -> io::Result<()> {
    writeln!(out, "time,source,name,value")?;
    for one in series {
        for (index, value) in one.values.iter().enumerate() {
            let time = one.interval * index as f64;
            writeln!(out, "{time:.9},{},{},{value}", one.source, one.name)?;
        }
    }
    out.flush()
}

/// The queue with its average, and every probability, over time.
fn picture(plan: &Plan, cell: Cell, seen: &CellTrace, style: &Style) -> Vec<Text> {
    let mut lines = vec![
        Text::new(&name_of(plan, cell), Look::Strong),
        Text::default(),
    ];
    let here: Vec<&Series> = seen
        .outcome
        .series
        .iter()
        .filter(|s| s.source == seen.link)
        .collect();
    let unit = |series: &Series| run_report::series_meaning(&series.name, plan, cell.scheme);
    let in_packets = |series: &&&Series| {
        let counted = !["drops", "marks"].contains(&series.name.as_str());
        counted && unit(series).contains("in packets")
    };
    let likely = |series: &&&Series| unit(series).contains("probability");
    let groups: [(&str, Vec<&Series>); 3] = [
        ("packets", here.iter().filter(in_packets).copied().collect()),
        ("probability", here.iter().filter(likely).copied().collect()),
        (
            "packets an interval",
            here.iter()
                .filter(|s| ["drops", "marks"].contains(&s.name.as_str()))
                .copied()
                .collect(),
        ),
    ];
    for (label, series) in groups {
        let any = series
            .iter()
            .flat_map(|one| &one.values)
            .any(|value| *value != 0.0);
        if any {
            lines.extend(plot(label, &series).lines(style));
            lines.push(Text::default());
        }
    }
    lines
}

fn plot(label: &str, series: &[&Series]) -> Plot {
    let values = || series.iter().flat_map(|one| one.values.iter().copied());
    let highest = values()
        .filter(|value| value.is_finite())
        .fold(0.0, f64::max);
    let span = |one: &&Series| one.interval * one.values.len().saturating_sub(1) as f64;
    let end = series.iter().map(span).fold(0.0, f64::max);
    let mut plot = Plot::new((0.0, end), (0.0, highest))
        .labels("time, s", label)
        .height(9);
    for one in series {
        let points = one.values.iter().enumerate();
        let points = points.map(|(index, value)| (one.interval * index as f64, *value));
        plot = plot.line(&one.name, points.collect());
    }
    plot
}
