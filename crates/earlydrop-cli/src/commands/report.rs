//! `earlydrop report`: tables and report page of a stored run.

use std::io::Write;
use std::path::PathBuf;

use clap::ValueEnum;
use earlydrop_lab::files::{FileError, check_regular};
use earlydrop_lab::plan::Plan;
use earlydrop_lab::store::{REPORT, Store, StoreError};
use earlydrop_lab::summary::Summary;
use earlydrop_report::run_report::write_report_to;
use earlydrop_report::{latex, table};

use crate::commands::run_options::ViewOptions;
use crate::draw::Style;
use crate::failure::Failure;
use crate::output::{Output, error};
use crate::outputs::{Overwriting, check_inputs};
use crate::summary_table;

/// Print a stored run's tables and rewrite its report page, without simulating
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop report runs/satellite-1a2b3c4d
  earlydrop report runs/satellite-1a2b3c4d --as markdown > table.md
  earlydrop report runs/satellite-1a2b3c4d --as latex > table.tex")]
pub(crate) struct Report {
    /// The run's folder
    run: PathBuf,
    /// The format of the tables on standard output
    #[arg(long = "as", value_enum, default_value_t = Format::Text)]
    format: Format,
    /// The file for the report page [default: report.html in the run's folder]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    view: ViewOptions,
    #[command(flatten)]
    overwriting: Overwriting,
}

/// The format of a table.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// Aligned columns
    Text,
    /// Markdown, the best in bold
    Markdown,
    /// Comma-separated values: every metric, in base units
    Csv,
    /// LaTeX with the rules of the package booktabs, the best in bold
    Latex,
}

/// How many runs are there, where some are missing. Fails where all are.
fn unfinished(plan: &Plan, store: &Store) -> Result<Option<String>, Failure> {
    let (there, planned) = (store.done()?.len(), plan.cell_count());
    match there {
        0 => Err(Failure::Usage(format!(
            "{} has none of its {planned} runs yet: `earlydrop {}` with its scenario makes them",
            store.folder().display(),
            plan.hosts.command(),
        ))),
        there if there < planned => Ok(Some(format!(
            "unfinished: {there} of {planned} runs are there"
        ))),
        _ => Ok(None),
    }
}

pub(crate) fn run(arguments: &Report, out: &mut Output<'_>, style: &Style) -> Result<(), Failure> {
    let store = Store::open(&arguments.run)?;
    let plan = store.source()?.plan()?.on(store.hosts()?);
    let unfinished = unfinished(&plan, &store)?;
    let summary = Summary::of_store(&plan, &store)?;
    let view = arguments.view.check(&plan)?.view(&plan, &summary);
    let page = match &arguments.out {
        Some(page) => page.clone(),
        None => {
            let page = store.folder().join(REPORT);
            check_regular(&page)?;
            page
        }
    };
    check_inputs(&store.files(&plan), &[("--out", Some(&page))])?;
    let overwrite = arguments.overwriting.files();
    let written = write_report_to(&page, overwrite, &plan, &store, &summary, &view);
    match (&unfinished, arguments.format) {
        (Some(text), Format::Text) => writeln!(out, "{text}")?,
        (Some(text), Format::Markdown) => writeln!(out, "*{text}*\n")?,
        (Some(text), Format::Csv | Format::Latex) => error(text),
        (None, _) => {}
    }
    match arguments.format {
        Format::Text => {
            summary_table::print(&plan, &summary, &view, out, style)?;
            if written.is_ok() {
                writeln!(out, "report: {}", page.display())?;
            }
        }
        Format::Markdown => {
            for table in table::all_tables(&plan, &summary, &view) {
                writeln!(out, "{}", table.markdown())?;
            }
        }
        Format::Latex => {
            for table in table::all_tables(&plan, &summary, &view) {
                writeln!(out, "{}", latex::tabular(&table))?;
            }
        }
        Format::Csv => write!(
            out,
            "{}",
            table::csv(&plan, &summary, view.metrics.as_deref())
        )?,
    }
    // The folder may be an archive that cannot be written: its tables are printed all the same.
    written.map_err(|error| match error {
        StoreError::File(FileError::System { .. }) if arguments.out.is_none() => {
            Failure::Runtime(format!("{error}; --out FILE writes the page elsewhere"))
        }
        other => other.into(),
    })
}
