//! `earlydrop trace`: one cell in detail.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use earlydrop_lab::escape::{CommandLine, CsvField, CsvWriter};
use earlydrop_lab::files::{FileError, NewFile, Overwrite, Signature, create_folder};
use earlydrop_lab::outcome::Series;
use earlydrop_lab::plan::{Cell, Plan, Source};
use earlydrop_lab::store::{PacketFormat, REPORT, SERIES, Store, write_packets};
use earlydrop_lab::trace::{CellTrace, Packets, trace};
use earlydrop_report::run_report;

use crate::draw::{Look, Plot, Style, Text, painted};
use crate::failure::Failure;
use crate::notices::Notices;
use crate::output::Output;
use crate::outputs::{Overwriting, check_distinct, check_inputs};
use crate::progress::stop_flag;
use crate::scenario::{Overrides, inputs, is_standard_input, source};

/// Simulate one run and show queue, average, probability, drops and cwnd over time
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop trace scenarios/home-uplink.toml --cell 3
  earlydrop trace --schemes ared --sample 10ms
  earlydrop trace scenarios/satellite.toml --cell 0 --pcap bottleneck.pcapng
  earlydrop trace --schemes red --packets red.parquet

Numbers of runs are in a report's tables, and printed by `earlydrop trace SCENARIO --list`.")]
pub(crate) struct Trace {
    /// The scenario file, or - for standard input [default: the built-in scenario of `compare`]
    scenario: Option<PathBuf>,
    /// The run's number in the plan
    #[arg(long, value_name = "N", default_value_t = 0)]
    cell: usize,
    /// List the runs with their numbers
    #[arg(long)]
    list: bool,
    /// The time between samples: 10ms [default: 600 samples in a run]
    #[arg(long, value_name = "TIME")]
    sample: Option<String>,
    /// Record the measured link's packets into this pcapng file, as headers of TCP or UDP over
    /// IPv4. A packet smaller than its headers is recorded with their size: a datagram of 1 byte
    /// with 28
    #[arg(long, value_name = "FILE")]
    pcap: Option<PathBuf>,
    /// Record every arrival, drop and departure at the measured link's queue, with its length and
    /// the scheme's state after it, into this file: .csv or .parquet
    #[arg(long, value_name = "FILE")]
    packets: Option<PathBuf>,
    /// The folder for report.html and series.csv [default: traces/NAME-...]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    overwriting: Overwriting,
    #[command(flatten)]
    overrides: Overrides,
}

pub(crate) fn run(arguments: &Trace, out: &mut Output<'_>, style: &Style) -> Result<(), Failure> {
    let mut source = source(arguments.scenario.as_ref(), &arguments.overrides)?;
    if let Some(sample) = &arguments.sample {
        source.set("measure.sample", sample, &format!("--sample {sample}"));
    }
    let plan = source.plan()?;
    if arguments.list {
        return list(&plan, out);
    }
    let cell = plan.cell(arguments.cell).ok_or_else(|| {
        let last = plan.cell_count() - 1;
        let text = format!("--cell {}: allowed: 0 to {last}", arguments.cell);
        Failure::Usage(text)
    })?;
    Notices { quiet: false }.scenario(&plan);
    let folder = folder(&source, &plan, arguments);
    let inputs = inputs(arguments.scenario.as_ref(), &plan);
    let files = Files::create(&folder, &inputs, arguments)?;
    let stop = stop_flag()?;
    let stopped = || stop.load(Ordering::Relaxed);
    let packets = Packets {
        captures: arguments.pcap.is_some(),
        log: arguments.packets.is_some(),
    };
    let traced = trace(&plan, cell, packets, &stopped);
    let traced = traced.map_err(|problem| source.problems(vec![problem]))?;
    let traced =
        traced.ok_or_else(|| Failure::Interrupted("stopped: nothing was written".to_string()))?;
    let page = run_report::render(&run_report::of_trace(
        &plan,
        cell,
        &traced,
        &source.name,
        &arguments.command(&folder),
    ));
    let paths = files.write(&page, &traced, &source)?;
    out.lines(&plots(&plan, cell, &traced, style), style)?;
    for path in paths {
        writeln!(out, "{}", path.display())?;
    }
    Ok(())
}

impl Trace {
    /// The command that traces this run again. What was read from standard input is read from its
    /// copy in `folder`.
    fn command(&self, folder: &Path) -> CommandLine {
        let command = CommandLine::new("trace");
        let command = match &self.scenario {
            Some(path) if is_standard_input(path) => command.path(&folder.join(SCENARIO)),
            Some(path) => command.path(path),
            None => command,
        };
        self.overrides
            .added_to(command)
            .option("--cell", self.cell.to_string())
            .given("--sample", self.sample.as_ref())
            .given("--pcap", self.pcap.as_ref())
            .given("--packets", self.packets.as_ref())
            .given("--out", self.out.as_ref())
    }
}

/// Prints every run with its number.
fn list(plan: &Plan, out: &mut Output<'_>) -> Result<(), Failure> {
    for cell in plan.cells() {
        writeln!(out, "{:6}  {}", plan.number(cell), cell_label(plan, cell))?;
    }
    Ok(())
}

/// "nlred, network.rtt = 50 ms, seed 3".
fn cell_label(plan: &Plan, cell: Cell) -> String {
    let label = plan.labels()[cell.scheme].to_string();
    let point = plan.point_label(cell.point);
    let seed = format!("seed {}", plan.seeds[cell.seed]);
    let parts = [label, point, seed];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(", ")
}

fn folder(source: &Source, plan: &Plan, arguments: &Trace) -> PathBuf {
    let name = format!("{}-cell-{}", plan.folder_name(&source.name), arguments.cell);
    let default = || Path::new("traces").join(name);
    arguments.out.clone().unwrap_or_else(default)
}

/// The files to write, opened before the simulation: what cannot be written fails at once.
struct Files {
    page: (PathBuf, NewFile),
    series: (PathBuf, NewFile),
    pcap: Option<(PathBuf, NewFile)>,
    /// A copy of the scenario, if that came from standard input.
    scenario: Option<(PathBuf, NewFile)>,
    packets: Option<(PathBuf, NewFile, PacketFormat)>,
}

/// The format of a file of packets, by its name's end.
fn packet_format(path: &Path) -> Result<PacketFormat, Failure> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("csv") => Ok(PacketFormat::Csv),
        Some("parquet") => Ok(PacketFormat::Parquet),
        _ => Err(Failure::Usage(format!(
            "--packets {}: allowed: a file that ends in .csv or .parquet",
            path.display()
        ))),
    }
}

/// The name of the scenario's copy.
const SCENARIO: &str = "scenario.toml";
/// The first line of the scenario's copy.
const COPY: &str = "# Read from standard input by earlydrop trace.\n";

impl Files {
    /// Begins all files, none of which is one of the inputs.
    fn create(folder: &Path, inputs: &[PathBuf], arguments: &Trace) -> Result<Files, Failure> {
        let overwrite = arguments.overwriting.files();
        let packets = arguments.packets.as_deref();
        let format = packets.map(packet_format).transpose()?;
        if Store::is_in(folder) && overwrite == Overwrite::Own {
            return Err(Failure::Usage(format!(
                "--out {}: a run lies there, whose report would be written over; choose another \
                 folder, or write over it with --force",
                folder.display()
            )));
        }
        create_folder(folder)?;
        let page = folder.join(REPORT);
        let series = folder.join(SERIES);
        let pcap = arguments.pcap.as_deref();
        let outputs = [
            ("the report", Some(&*page)),
            ("the series", Some(&*series)),
            ("--pcap", pcap),
            ("--packets", packets),
        ];
        check_distinct(&outputs)?;
        check_inputs(inputs, &outputs)?;
        let create = |path: &Path, signature: &Signature| {
            let file = NewFile::create(path, signature, overwrite)?;
            Ok::<_, FileError>((path.to_path_buf(), file))
        };
        let from_standard_input = arguments.scenario.as_deref().is_some_and(is_standard_input);
        let copy = from_standard_input.then(|| folder.join(SCENARIO));
        Ok(Files {
            scenario: copy
                .map(|path| create(&path, &Signature::beginning(COPY)))
                .transpose()?,
            page: create(&page, &Signature::PAGE)?,
            series: create(&series, &Signature::header(&SERIES_COLUMNS.join(",")))?,
            pcap: pcap
                .map(|path| create(path, &Signature::pcapng()))
                .transpose()?,
            packets: packets
                .zip(format)
                .map(|(path, format)| {
                    let (path, file) = create(path, &format.signature())?;
                    Ok::<_, FileError>((path, file, format))
                })
                .transpose()?,
        })
    }

    /// Writes the report page, the series and the captured packets; returns their paths.
    fn write(
        self,
        page: &str,
        trace: &CellTrace,
        source: &Source,
    ) -> Result<Vec<PathBuf>, FileError> {
        let mut paths = vec![self.page.0, self.series.0.clone()];
        self.page.1.complete_with(page.as_bytes())?;
        let (path, mut file) = self.series;
        let written = write_series(&trace.outcome.series, &mut file);
        written.map_err(|error| FileError::new(&path, error))?;
        file.complete()?;
        if let Some((path, mut file)) = self.pcap {
            let written = trace.write_pcapng(&mut file);
            written.map_err(|error| FileError::new(&path, error))?;
            file.complete()?;
            paths.push(path);
        }
        if let Some((path, file)) = self.scenario {
            file.complete_with(format!("{COPY}{}", source.text).as_bytes())?;
            paths.push(path);
        }
        if let (Some((path, mut file, format)), [log, ..]) = (self.packets, &*trace.packets) {
            let written = write_packets(log, &trace.groups, format, &mut file);
            written.map_err(|error| FileError::new(&path, error))?;
            file.complete()?;
            paths.push(path);
        }
        Ok(paths)
    }
}

/// The first line of the series.
const SERIES_COLUMNS: [&str; 4] = ["time", "source", "name", "value"];

/// Writes a line for each sample: time in seconds, source, name, value.
fn write_series(series: &[Series], out: impl Write) -> io::Result<()> {
    let mut writer = CsvWriter::new(out);
    writer.line(SERIES_COLUMNS)?;
    for one in series {
        for (index, value) in one.values.iter().enumerate() {
            let time = one.interval * index as f64;
            writer.line([
                CsvField::Number(format!("{time:.9}")),
                CsvField::from(&one.source),
                CsvField::from(&one.name),
                CsvField::from(*value),
            ])?;
        }
    }
    writer.finish()
}

/// What the command prints of a traced run, in lines of at most `width` columns.
pub(crate) fn text(plan: &Plan, cell: Cell, trace: &CellTrace, width: usize) -> String {
    let style = Style::plain(width);
    painted(&plots(plan, cell, trace, &style), &style)
}

/// Plots of the measured link over time: lengths in packets, probabilities, drops and marks; and of the
/// windows of the flows that are followed.
fn plots(plan: &Plan, cell: Cell, trace: &CellTrace, style: &Style) -> Vec<Text> {
    let mut lines = vec![
        Text::new(&cell_label(plan, cell), Look::Strong),
        Text::default(),
    ];
    let of_link: Vec<&Series> = trace
        .outcome
        .series
        .iter()
        .filter(|series| series.source == trace.link)
        .collect();
    let meaning = |series: &Series| run_report::series_meaning(&series.name, plan, cell.scheme);
    let is_count = |series: &Series| ["drops", "marks"].contains(&series.name.as_str());
    let is_length = |series: &Series| !is_count(series) && meaning(series).contains("in packets");
    let is_probability = |series: &Series| meaning(series).contains("probability");
    let select = |is_wanted: &dyn Fn(&Series) -> bool| -> Vec<&Series> {
        let wanted = of_link.iter().copied();
        wanted.filter(|series| is_wanted(series)).collect()
    };
    let all = trace.outcome.series.iter();
    let windows = all.filter(|series| series.name == "window").collect();
    for (label, series) in [
        ("packets", select(&is_length)),
        ("probability", select(&is_probability)),
        ("packets per interval", select(&is_count)),
        (CWND, windows),
    ] {
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

/// The label of the flows' windows, whose lines are the flows.
const CWND: &str = "cwnd, segments";

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
        let name = match label {
            CWND => &one.source,
            _ => &one.name,
        };
        plot = plot.line(name, points.collect());
    }
    plot
}
