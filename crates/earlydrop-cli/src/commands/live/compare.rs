//! `earlydrop compare --live`: a scenario in the simulator and on real hosts, side by side.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use earlydrop_lab::files::write_whole;
use earlydrop_lab::plan::{Hosts, Plan, Source};
use earlydrop_lab::store::Store;
use earlydrop_lab::summary::Summary;
use earlydrop_report::run_report::write_report;
use earlydrop_report::side_by_side::{self, Row};

use super::{Teller, begin, planned, run_cells};
use crate::commands::run_options::{self, RunOptions, all_done};
use crate::draw::{Look, Style, Text, write_lines};
use crate::failure::Failure;
use crate::progress::stop_flag;
use crate::table::{NOT_TRUSTWORTHY, laid_out};

/// The page's name, in the folder of the live runs.
const PAGE: &str = "side-by-side.html";

/// Both ways, with the same seeds; then what differs.
pub(in crate::commands) fn simulate_and_measure(
    source: Source,
    options: &RunOptions,
    markdown: Option<&Path>,
    out: &mut dyn Write,
    style: &Style,
) -> Result<(), Failure> {
    let teller = Teller {
        quiet: options.output.quiet,
    };
    let (source, live_plan) = planned(source, &teller)?;
    let plan = live_plan.clone().on(Hosts::Simulated);
    let folders = [
        folder(&source, &plan, options, "simulated"),
        folder(&source, &live_plan, options, "live"),
    ];
    begin(&teller, &[&folders[0], &folders[1]])?;
    let simulated = Store::create(&folders[0], &source, &plan)?;
    let live = Store::create(&folders[1], &source, &live_plan)?;
    if let Some(path) = markdown.filter(|path| !path.exists()) {
        // It is too late for that when everything has run.
        write_whole(path, "Not done yet.\n")?;
    }
    let stop = stop_flag()?;
    let (plan, progress) = run_options::run_cells(&source, plan, &simulated, options, None, &stop)?;
    all_done(progress, &simulated)?;
    let progress = run_cells(&live_plan, &live, &options.output, &teller, &stop)?;
    let both = Both {
        plan: &plan,
        live_plan: &live_plan,
        simulated: &simulated,
        live: &live,
    };
    both.show(options, markdown, out, style)?;
    all_done(progress, &live)
}

/// The run's folder: beside the other's, or within the folder that was given.
fn folder(source: &Source, plan: &Plan, options: &RunOptions, name: &str) -> PathBuf {
    match &options.output.out {
        Some(out) => out.join(name),
        None => options.output.folder(source, plan),
    }
}

/// What was run both ways.
struct Both<'a> {
    plan: &'a Plan,
    live_plan: &'a Plan,
    simulated: &'a Store,
    live: &'a Store,
}

impl Both<'_> {
    /// Writes both reports and the page, and shows the comparison.
    fn show(
        &self,
        options: &RunOptions,
        markdown: Option<&Path>,
        out: &mut dyn Write,
        style: &Style,
    ) -> Result<(), Failure> {
        let rows = side_by_side::compare(self.plan, self.simulated, self.live)?;
        let summary = Summary::of_store(self.plan, self.simulated)?;
        let simulated = write_report(self.plan, self.simulated, &summary)?;
        let summary = Summary::of_store(self.live_plan, self.live)?;
        let live = write_report(self.live_plan, self.live, &summary)?;
        let page = self.write_page(&rows)?;
        if let Some(path) = markdown {
            write_whole(path, &side_by_side::markdown(self.plan, &rows))?;
        }
        if options.output.json {
            let document = side_by_side::json(self.plan, &rows, [&simulated, &live], &page);
            let text = serde_json::to_string_pretty(&document).unwrap_or_default();
            return Ok(writeln!(out, "{text}")?);
        }
        print(self.plan, &rows, out, style)?;
        writeln!(out, "simulated: {}", simulated.display())?;
        writeln!(out, "live: {}", live.display())?;
        Ok(writeln!(out, "side by side: {}", page.display())?)
    }

    fn write_page(&self, rows: &[Row]) -> Result<PathBuf, Failure> {
        // Both folders stand side by side.
        let beside = self.simulated.folder().file_name().unwrap_or_default();
        let simulated = format!("../{}/report.html", beside.to_string_lossy());
        let page = side_by_side::page(self.plan, rows, [&simulated, "report.html"]);
        let path = self.live.folder().join(PAGE);
        write_whole(&path, &page)?;
        Ok(path)
    }
}

/// The tables, point by point.
fn print(plan: &Plan, rows: &[Row], out: &mut dyn Write, style: &Style) -> io::Result<()> {
    let scenario = plan.scenario();
    let mut lines = vec![Text::new(&scenario.title, Look::Strong)];
    lines.extend(Text::new(&side_by_side::reading(rows), Look::Faint).wrapped(style.width));
    for (title, tables) in side_by_side::tables(plan, rows) {
        if !title.is_empty() {
            lines.push(Text::default());
            lines.push(Text::new(&title, Look::Strong));
        }
        for (_, table) in tables {
            lines.push(Text::default());
            lines.push(Text::new(&table.title, Look::Plain));
            lines.extend(laid_out(&table, style.width));
        }
    }
    lines.push(Text::default());
    let any = |is: fn(&Row) -> bool| rows.iter().any(is);
    if any(|row| row.pairs.iter().any(|pair| pair.is_apart())) {
        lines.push(Text::new("* told apart", Look::Faint));
    }
    if any(|row| row.doubtful > 0) {
        lines.extend(Text::new(NOT_TRUSTWORTHY, Look::Faint).wrapped(style.width));
    }
    write_lines(out, &lines, style)
}
