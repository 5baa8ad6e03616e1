//! `earlydrop export`: writes a run's tables for other programs.

use std::io::Write;
use std::path::PathBuf;

use clap::ValueEnum;
use earlydrop_lab::store::{Format, Store, export};

use crate::failure::Failure;
use crate::output::Output;
use crate::outputs::Overwriting;

/// Write a run's tables as CSV, Parquet or JSON, or its time series for flent
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop export runs/satellite-1a2b3c4d --to csv
  earlydrop export runs/satellite-1a2b3c4d --to parquet --out data
  earlydrop export runs/satellite-1a2b3c4d --to json
  earlydrop run satellite.toml --set measure.departures=true --out run
  earlydrop export run --to flent")]
pub(crate) struct Export {
    /// The run's folder
    run: PathBuf,
    /// The format
    #[arg(long, value_enum)]
    to: To,
    /// The folder for the files [default: a folder in the run's, named after the format]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    overwriting: Overwriting,
}

/// A format.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum To {
    /// A file of comma-separated values for each table; text that a spreadsheet would run as a
    /// formula has an apostrophe in front
    Csv,
    /// An Apache Parquet file for each table
    Parquet,
    /// One JSON document, each table a list of rows
    Json,
    /// A data file of flent (https://flent.org) for each run with samples; needs
    /// measure.departures = true
    Flent,
}

pub(crate) fn run(arguments: &Export, out: &mut Output<'_>) -> Result<(), Failure> {
    let store = Store::open(&arguments.run)?;
    let (format, name) = match arguments.to {
        To::Csv => (Format::Csv, "csv"),
        To::Parquet => (Format::Parquet, "parquet"),
        To::Json => (Format::Json, "json"),
        To::Flent => (Format::Flent, "flent"),
    };
    let default = || arguments.run.join(name);
    let folder = arguments.out.clone().unwrap_or_else(default);
    let overwrite = arguments.overwriting.files();
    for path in export(&store, format, &folder, overwrite)? {
        writeln!(out, "{}", path.display())?;
    }
    Ok(())
}
