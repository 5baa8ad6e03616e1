//! Export of a run's tables as CSV, JSON and Parquet.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaDataReader;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use rusqlite::types::Value;
use serde_json::{Map, Value as Json};

use super::{Column, ColumnType, Store, StoreError, Table};
use crate::escape::{CsvField, CsvWriter};
use crate::files::{FileError, NewFile, Overwrite, Signature, create_folder};
use crate::version::version;

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
}

/// Writes every table of `store` to files in `folder` and returns their paths. Files that are
/// there are replaced as `overwrite` says; all are opened before the first is written.
pub fn export(
    store: &Store,
    format: Format,
    folder: &Path,
    overwrite: Overwrite,
) -> Result<Vec<PathBuf>, ExportError> {
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
    let mut files = Vec::new();
    for table in store.tables()? {
        let (extension, signature) = match format {
            Format::Parquet => ("parquet", Signature::found_by(is_own_parquet)),
            Format::Csv | Format::Json => ("csv", csv_signature(&table)),
        };
        let path = folder.join(format!("{}.{extension}", table.name));
        files.push((table, NewFile::create(&path, &signature, overwrite)?));
        paths.push(path);
    }
    for ((table, mut file), path) in files.into_iter().zip(&paths) {
        let rows = store.table(&table)?;
        let result = match format {
            Format::Parquet => parquet(&table, &rows, &mut file),
            Format::Csv | Format::Json => csv(&table, &rows, &mut file),
        };
        result.map_err(|error| FileError::new(path, error))?;
        file.complete()?;
    }
    Ok(paths)
}

/// What a table has as CSV. Anybody's table may have a key and a value; a run's has its identity.
fn csv_signature(table: &Table) -> Signature {
    let names: Vec<&str> = table.columns.iter().map(|c| c.name.as_str()).collect();
    let header = names.join(",");
    match table.name {
        "about" => Signature::header_and_row(&header, "identity,"),
        _ => Signature::header(&header),
    }
}

/// The beginning of the name of the program that wrote a Parquet file, in its metadata.
const CREATED_BY: &str = "earlydrop ";

/// Whether `file` is a Parquet file that earlydrop has made.
fn is_own_parquet(file: &File) -> bool {
    let metadata = ParquetMetaDataReader::new().parse_and_finish(file);
    metadata.is_ok_and(|metadata| {
        let by = metadata.file_metadata().created_by();
        by.is_some_and(|by| by.starts_with(CREATED_BY))
    })
}

impl Store {
    /// Every row of a table, its columns in order.
    fn table(&self, table: &Table) -> Result<Vec<Vec<Value>>, StoreError> {
        let select = format!("SELECT * FROM \"{}\"", table.name);
        let columns = table.columns.len();
        self.rows(&select, |row| {
            (0..columns).map(|column| row.get(column)).collect()
        })
    }
}

/// Every table as a list of rows by column.
fn json(store: &Store) -> Result<Json, StoreError> {
    let mut document = Map::new();
    document.insert("earlydrop".to_string(), version().into());
    for table in store.tables()? {
        let rows = store.table(&table)?;
        let rows = rows.into_iter().map(|row| {
            let names = table.columns.iter().map(|column| column.name.clone());
            Json::Object(names.zip(row.into_iter().map(to_json)).collect())
        });
        document.insert(table.name.to_string(), Json::Array(rows.collect()));
    }
    Ok(Json::Object(document))
}

fn to_json(value: Value) -> Json {
    match value {
        Value::Integer(whole) => whole.into(),
        Value::Real(real) => real.into(),
        Value::Text(text) => text.into(),
        Value::Null | Value::Blob(_) => Json::Null,
    }
}

fn csv(table: &Table, rows: &[Vec<Value>], out: impl Write) -> io::Result<()> {
    let mut writer = CsvWriter::new(out);
    writer.line(table.columns.iter().map(|column| &column.name))?;
    for row in rows {
        writer.line(row.iter().map(|value| match value {
            Value::Integer(whole) => CsvField::Number(whole.to_string()),
            Value::Real(real) => CsvField::from(*real),
            Value::Text(text) => CsvField::from(text),
            Value::Null | Value::Blob(_) => CsvField::Empty,
        }))?;
    }
    writer.finish()
}

fn parquet(table: &Table, rows: &[Vec<Value>], out: impl Write + Send) -> io::Result<()> {
    write_parquet(table, rows, out).map_err(io::Error::other)
}

fn write_parquet(
    table: &Table,
    rows: &[Vec<Value>],
    file: impl Write + Send,
) -> Result<(), ParquetError> {
    let fields: Result<Vec<_>, ParquetError> = table.columns.iter().map(field).collect();
    let schema = Type::group_type_builder(table.name)
        .with_fields(fields?)
        .build()?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(format!("{CREATED_BY}{}", version()))
        .build();
    let mut writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    for (index, column) in table.columns.iter().enumerate() {
        let values: Vec<&Value> = rows.iter().map(|row| &row[index]).collect();
        if let Some(mut out) = group.next_column()? {
            write_column(column.kind, &values, &mut out)?;
            out.close()?;
        }
    }
    group.close()?;
    writer.close()?;
    Ok(())
}

/// A column as a Parquet field: only numbers that may be missing are optional.
fn field(column: &Column) -> Result<Arc<Type>, ParquetError> {
    let (physical, logical, repetition) = match column.kind {
        ColumnType::Whole => (Physical::INT64, None, Repetition::REQUIRED),
        ColumnType::Real => (Physical::DOUBLE, None, Repetition::OPTIONAL),
        ColumnType::Text => (
            Physical::BYTE_ARRAY,
            Some(LogicalType::String),
            Repetition::REQUIRED,
        ),
    };
    let field = Type::primitive_type_builder(&column.name, physical)
        .with_logical_type(logical)
        .with_repetition(repetition)
        .build()?;
    Ok(Arc::new(field))
}

fn write_column(
    kind: ColumnType,
    values: &[&Value],
    out: &mut SerializedColumnWriter<'_>,
) -> Result<(), ParquetError> {
    let values = values.iter();
    match kind {
        ColumnType::Whole => {
            let whole = values.map(|value| match value {
                Value::Integer(whole) => *whole,
                _ => 0,
            });
            let whole: Vec<i64> = whole.collect();
            out.typed::<Int64Type>().write_batch(&whole, None, None)?;
        }
        ColumnType::Real => {
            let present = |value: &Value| match value {
                Value::Real(real) => Some(*real),
                Value::Integer(whole) => Some(*whole as f64),
                _ => None,
            };
            let values: Vec<Option<f64>> = values.map(|value| present(value)).collect();
            let levels: Vec<i16> = values.iter().map(|v| i16::from(v.is_some())).collect();
            let real: Vec<f64> = values.into_iter().flatten().collect();
            let out = out.typed::<DoubleType>();
            out.write_batch(&real, Some(&levels), None)?;
        }
        ColumnType::Text => {
            let text = values.map(|value| match value {
                Value::Text(text) => ByteArray::from(text.as_str()),
                _ => ByteArray::from(""),
            });
            let text: Vec<ByteArray> = text.collect();
            out.typed::<ByteArrayType>()
                .write_batch(&text, None, None)?;
        }
    }
    Ok(())
}
