//! `earlydrop report`: tables and figures again, from what a run's folder holds.

use std::io::Write;
use std::path::PathBuf;

use clap::ValueEnum;
use earlydrop_lab::store::Store;
use earlydrop_lab::summary::Summary;
use earlydrop_report::run_report::write_report;
use earlydrop_report::table as lab_table;

use crate::draw::Style;
use crate::failure::Failure;
use crate::table;

/// Make tables and figures of a run again, without simulating
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop report runs/satellite-1a2b3c4d
  earlydrop report runs/satellite-1a2b3c4d --as markdown > table.md")]
pub(crate) struct Report {
    /// The run's folder
    run: PathBuf,
    /// How the table is written on standard output
    #[arg(long = "as", value_enum, default_value_t = Form::Text)]
    form: Form,
}

/// How a table is written.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    /// In columns
    Text,
    /// In Markdown, the best in bold
    Markdown,
    /// As comma-separated values: every metric, in base units
    Csv,
}

pub(crate) fn run(arguments: &Report, out: &mut dyn Write, style: &Style) -> Result<(), Failure> {
    let store = Store::open(&arguments.run)?;
    let plan = store.source()?.plan()?.on(store.hosts()?);
    let summary = Summary::of_store(&plan, &store)?;
    let page = write_report(&plan, &store, &summary)?;
    match arguments.form {
        Form::Text => {
            table::print(&plan, &summary, out, style)?;
            writeln!(out, "report: {}", page.display())?;
        }
        Form::Markdown => {
            for table in lab_table::tables(&plan, &summary) {
                writeln!(out, "{}", table.markdown())?;
            }
        }
        Form::Csv => write!(out, "{}", lab_table::csv(&plan, &summary))?,
    }
    Ok(())
}
