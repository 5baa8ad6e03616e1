//! Export of a run's tables as CSV, JSON and Parquet, each row with the keys of its run; and of
//! its time series as data files of flent.

mod flent;
pub(super) mod parquet;
mod tidy;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use rusqlite::types::Value;
use serde_json::{Map, Value as Json};

use super::{ColumnType, DATABASE, Store, StoreError, damaged};
use crate::escape::{CsvField, CsvWriter};
use crate::files::{FileError, NewFile, Overwrite, Signature, create_folder};
use crate::version::version;
pub use flent::{FlentFile, flent_files};
use parquet::TableWriter;
pub(super) use tidy::{ExportTable, Keys, sample_columns, tables};

/// A format of exported tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Comma-separated values, one file per table.
    Csv,
    /// Apache Parquet, one file per table.
    Parquet,
    /// One JSON document with a list of rows per table.
    Json,
    /// A data file of flent (<https://flent.org>) for each run whose samples are stored.
    Flent,
}

/// Why an export failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The run cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The format needs what the run has not sampled.
    #[error("{what}, which this run does not have: run it with {field}")]
    NotSampled {
        /// What the format needs.
        what: &'static str,
        /// The field of a scenario that samples it.
        field: &'static str,
    },
}

/// Writes every table of `store` to files in `folder` and returns their paths. Files that are
/// there are replaced as `overwrite` says; all are opened before the first is written.
pub fn export(
    store: &Store,
    format: Format,
    folder: &Path,
    overwrite: Overwrite,
) -> Result<Vec<PathBuf>, ExportError> {
    if format == Format::Flent {
        return export_flent(store, folder, overwrite);
    }
    create_folder(folder)?;
    let mut paths = Vec::new();
    if format == Format::Json {
        let path = folder.join("results.json");
        let mut file = NewFile::create(&path, &Signature::JSON, overwrite)?;
        let document = json(store)?;
        let text = serde_json::to_string_pretty(&document).unwrap_or_default();
        writeln!(file, "{text}").map_err(|error| FileError::new(&path, error))?;
        file.complete()?;
        return Ok(vec![path]);
    }
    let (tables, keys) = tables(store, format)?;
    let mut files = Vec::new();
    for table in tables {
        let (extension, signature) = match format {
            Format::Parquet => ("parquet", Signature::found_by(parquet::is_own)),
            Format::Csv | Format::Json | Format::Flent => ("csv", csv_signature(&table)),
        };
        let path = folder.join(format!("{}.{extension}", table.name));
        files.push((table, NewFile::create(&path, &signature, overwrite)?));
        paths.push(path);
    }
    for ((table, mut file), path) in files.into_iter().zip(&paths) {
        let result = match format {
            Format::Parquet => write_parquet(store, &table, &keys, &mut file),
            Format::Csv | Format::Json | Format::Flent => {
                write_csv(store, &table, &keys, &mut file)
            }
        };
        result?.map_err(|error| FileError::new(path, error))?;
        file.complete()?;
    }
    Ok(paths)
}

/// Writes a data file of flent for each run with samples, dated by the time at which the run's
/// database was written last.
fn export_flent(
    store: &Store,
    folder: &Path,
    overwrite: Overwrite,
) -> Result<Vec<PathBuf>, ExportError> {
    let source = store.source()?;
    let plan = source.plan().map_err(|problems| damaged(store, problems))?;
    let plan = plan.on(store.hosts()?);
    let database = std::fs::metadata(store.folder().join(DATABASE));
    let written = database.and_then(|database| database.modified());
    let files = flent_files(&plan, store, written.unwrap_or(UNIX_EPOCH))?;
    create_folder(folder)?;
    let mut opened = Vec::new();
    for file in files {
        let path = folder.join(&file.name);
        let new = NewFile::create(&path, &flent::signature(), overwrite)?;
        opened.push((file, new, path));
    }
    let mut paths = Vec::new();
    for (file, new, path) in opened {
        new.complete_with(&file.to_bytes())?;
        paths.push(path);
    }
    Ok(paths)
}

/// What a table has as CSV. Anybody's table may have a key and a value; a run's has its identity.
/// The columns of cells depend on what is swept; their first four do not.
fn csv_signature(table: &ExportTable) -> Signature {
    let names: Vec<&str> = table.columns.iter().map(|c| c.name.as_str()).collect();
    let header = names.join(",");
    match table.name {
        "about" => Signature::header_and_row(&header, "identity,"),
        _ if table.is_of_cells() => Signature::beginning("cell,scheme,point,seed,"),
        _ => Signature::header(&header),
    }
}

/// Every table as a list of rows by column; the samples are lists in `series`.
fn json(store: &Store) -> Result<Json, StoreError> {
    let mut document = Map::new();
    document.insert("earlydrop".to_string(), version().into());
    let (tables, keys) = tables(store, Format::Json)?;
    for table in tables {
        let mut rows = Vec::new();
        let written = table.each_row::<()>(store, &keys, |row| {
            let fields = table.columns.iter().zip(row);
            let fields =
                fields.map(|(column, value)| (column.name.clone(), to_json(column.kind, value)));
            rows.push(Json::Object(fields.collect()));
            Ok(())
        })?;
        debug_assert!(written.is_ok(), "rows are only collected");
        document.insert(table.name.to_string(), Json::Array(rows));
    }
    Ok(Json::Object(document))
}

fn to_json(kind: ColumnType, value: Value) -> Json {
    match value {
        Value::Integer(whole) => whole.into(),
        Value::Real(real) => real.into(),
        Value::Text(text) if kind == ColumnType::Reals => {
            serde_json::from_str(&text).unwrap_or_default()
        }
        Value::Text(text) => text.into(),
        Value::Null | Value::Blob(_) => Json::Null,
    }
}

fn write_csv(
    store: &Store,
    table: &ExportTable,
    keys: &Keys,
    out: impl Write,
) -> Result<io::Result<()>, StoreError> {
    let mut writer = CsvWriter::new(out);
    if let Err(error) = writer.line(table.columns.iter().map(|column| &column.name)) {
        return Ok(Err(error));
    }
    let written = table.each_row(store, keys, |row| {
        writer.line(row.iter().map(|value| match value {
            Value::Integer(whole) => CsvField::Number(whole.to_string()),
            Value::Real(real) => CsvField::from(*real),
            Value::Text(text) => CsvField::from(text),
            Value::Null | Value::Blob(_) => CsvField::Empty,
        }))
    })?;
    Ok(written.and_then(|()| writer.finish()))
}

fn write_parquet(
    store: &Store,
    table: &ExportTable,
    keys: &Keys,
    out: impl Write + Send,
) -> Result<io::Result<()>, StoreError> {
    let mut writer = match TableWriter::new(table.name, &table.columns, out) {
        Ok(writer) => writer,
        Err(error) => return Ok(Err(io::Error::other(error))),
    };
    let written = table.each_row(store, keys, |row| writer.row(row))?;
    let written = written.and_then(|()| writer.finish());
    Ok(written.map_err(io::Error::other))
}
