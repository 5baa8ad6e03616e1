//! `earlydrop compare --live`: a scenario in the simulator and on real hosts, side by side.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use earlydrop_lab::files::{NewFile, Overwrite, Signature, write_whole};
use earlydrop_lab::plan::{Hosts, Plan, Source};
use earlydrop_lab::store::Store;
use earlydrop_lab::summary::Summary;
use earlydrop_report::run_report::write_report;
use earlydrop_report::side_by_side::{self, Comparison};
use earlydrop_report::table::{Mark, NOT_TRUSTWORTHY};

use super::{live_plan, prepare_host, run_cells};
use crate::commands::run_options::{self, RunOptions, check_finished};
use crate::draw::{Look, Style, Text};
use crate::failure::Failure;
use crate::notices::Notices;
use crate::output::Output;
use crate::progress::stop_flag;
use crate::summary_table::lay_out;

/// The page's file name, in the folder of the live runs.
const PAGE: &str = "side-by-side.html";

/// Runs a scenario simulated and live with the same seeds, and prints the comparison.
pub(in crate::commands) fn simulate_and_measure(
    source: Source,
    options: &RunOptions,
    markdown: Option<&Path>,
    overwrite: Overwrite,
    out: &mut Output<'_>,
    style: &Style,
) -> Result<(), Failure> {
    let notices = Notices {
        quiet: options.output.quiet,
    };
    let (source, live_plan) = live_plan(source, notices)?;
    let plan = live_plan.clone().on(Hosts::Simulated);
    let folders = [
        folder(&source, &plan, options, "simulated"),
        folder(&source, &live_plan, options, "live"),
    ];
    prepare_host(notices, &[&folders[0], &folders[1]])?;
    let simulated = Store::create(&folders[0], &source, &plan)?;
    let live = Store::create(&folders[1], &source, &live_plan)?;
    // Fails now, rather than after all runs, where the file cannot be written.
    let open = |path| NewFile::create(path, &Signature::MARKDOWN, overwrite);
    let markdown = markdown.map(open).transpose()?;
    let stop = stop_flag()?;
    let (plan, progress, _) =
        run_options::run_cells(&source, plan, &simulated, options, None, &stop)?;
    check_finished(progress, &simulated)?;
    let progress = run_cells(&live_plan, &live, &options.output, notices, &stop)?;
    let comparison = LiveComparison {
        plan: &plan,
        live_plan: &live_plan,
        simulated: &simulated,
        live: &live,
    };
    comparison.print(options, markdown, out, style)?;
    check_finished(progress, &live)
}

/// The folder of the simulated or the live runs; inside the folder given, if any.
fn folder(source: &Source, plan: &Plan, options: &RunOptions, name: &str) -> PathBuf {
    match &options.output.out {
        Some(out) => out.join(name),
        None => options.output.folder(source, plan),
    }
}

/// Simulated and live runs of one scenario.
struct LiveComparison<'a> {
    plan: &'a Plan,
    live_plan: &'a Plan,
    simulated: &'a Store,
    live: &'a Store,
}

impl LiveComparison<'_> {
    /// Writes both reports and the comparison page, and prints the comparison.
    fn print(
        &self,
        options: &RunOptions,
        markdown: Option<NewFile>,
        out: &mut Output<'_>,
        style: &Style,
    ) -> Result<(), Failure> {
        let rows = side_by_side::compare(self.plan, self.simulated, self.live)?;
        let summary = Summary::of_store(self.plan, self.simulated)?;
        let simulated = write_report(self.plan, self.simulated, &summary)?;
        let summary = Summary::of_store(self.live_plan, self.live)?;
        let live = write_report(self.live_plan, self.live, &summary)?;
        let page = self.write_page(&rows)?;
        if let Some(file) = markdown {
            let text = side_by_side::markdown(self.plan, &rows);
            file.complete_with(text.as_bytes())?;
        }
        if options.output.json {
            let document = side_by_side::json(self.plan, &rows, [&simulated, &live], &page);
            return Ok(out.json(&document)?);
        }
        print_tables(self.plan, &rows, out, style)?;
        writeln!(out, "simulated: {}", simulated.display())?;
        writeln!(out, "live: {}", live.display())?;
        Ok(writeln!(out, "side by side: {}", page.display())?)
    }

    fn write_page(&self, rows: &[Comparison]) -> Result<PathBuf, Failure> {
        // Both folders have the same parent.
        let folder = self.simulated.folder().file_name().unwrap_or_default();
        let simulated = format!("../{}/report.html", folder.to_string_lossy());
        let page = side_by_side::page(self.plan, rows, [&simulated, "report.html"]);
        let path = self.live.folder().join(PAGE);
        write_whole(&path, &page, &Signature::PAGE, Overwrite::Own)?;
        Ok(path)
    }
}

/// Prints the tables, point by point.
fn print_tables(
    plan: &Plan,
    rows: &[Comparison],
    out: &mut Output<'_>,
    style: &Style,
) -> io::Result<()> {
    let scenario = plan.scenario();
    let mut lines = vec![Text::new(&scenario.title, Look::Strong)];
    lines.extend(Text::new(&side_by_side::legend(rows), Look::Faint).wrapped(style.width));
    for (title, tables) in side_by_side::tables(plan, rows) {
        if !title.is_empty() {
            lines.push(Text::default());
            lines.push(Text::new(&title, Look::Strong));
        }
        for (_, table) in tables {
            lines.push(Text::default());
            lines.push(Text::new(&table.title, Look::Plain));
            lines.extend(lay_out(&table, style));
        }
    }
    lines.push(Text::default());
    let any = |is: fn(&Comparison) -> bool| rows.iter().any(is);
    if any(|row| row.pairs.iter().any(|pair| pair.is_significant())) {
        let mark = Mark::Significant;
        let line = format!("{} {}", mark.sign(style.unicode), mark.meaning());
        lines.push(Text::new(&line, Look::Faint));
    }
    if any(|row| row.doubtful > 0) {
        lines.extend(Text::new(NOT_TRUSTWORTHY, Look::Faint).wrapped(style.width));
    }
    out.lines(&lines, style)
}
