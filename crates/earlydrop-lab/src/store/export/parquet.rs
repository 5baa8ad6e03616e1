//! Tables as Apache Parquet files.

use std::fs::File;
use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::{KeyValue, ParquetMetaDataReader};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use rusqlite::types::Value;

use super::super::tables::{Column, ColumnType};
use crate::version::version;

/// The beginning of the name of the program that wrote a Parquet file, in its metadata.
const CREATED_BY: &str = "earlydrop ";

/// The rows that a file holds together; so many are in memory at once.
const GROUP_ROWS: usize = 1 << 16;

/// Whether `file` is a Parquet file that earlydrop has made.
pub(in super::super) fn is_own(file: &File) -> bool {
    let metadata = ParquetMetaDataReader::new().parse_and_finish(file);
    metadata.is_ok_and(|metadata| {
        let by = metadata.file_metadata().created_by();
        by.is_some_and(|by| by.starts_with(CREATED_BY))
    })
}

/// A table being written. Its metadata have the definition of each column: `meaning.COLUMN`.
pub(crate) struct TableWriter<W: Write + Send> {
    kinds: Vec<ColumnType>,
    rows: Vec<Vec<Value>>,
    file: SerializedFileWriter<W>,
}

impl<W: Write + Send> TableWriter<W> {
    /// Begins a table.
    pub(crate) fn new(
        name: &str,
        columns: &[Column],
        out: W,
    ) -> Result<TableWriter<W>, ParquetError> {
        let fields: Result<Vec<_>, ParquetError> = columns.iter().map(field).collect();
        let schema = Type::group_type_builder(name)
            .with_fields(fields?)
            .build()?;
        let meanings = columns.iter().map(|column| {
            KeyValue::new(format!("meaning.{}", column.name), column.meaning.clone())
        });
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(format!("{CREATED_BY}{}", version()))
            .set_key_value_metadata(Some(meanings.collect()))
            .build();
        Ok(TableWriter {
            kinds: columns.iter().map(|column| column.kind).collect(),
            rows: Vec::new(),
            file: SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties))?,
        })
    }

    /// Adds a row, a value for each column.
    pub(crate) fn row(&mut self, row: Vec<Value>) -> Result<(), ParquetError> {
        self.rows.push(row);
        match self.rows.len() < GROUP_ROWS {
            true => Ok(()),
            false => self.write_group(),
        }
    }

    /// Writes what is left, and the file's end.
    pub(crate) fn finish(mut self) -> Result<(), ParquetError> {
        self.write_group()?;
        self.file.close()?;
        Ok(())
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let rows = std::mem::take(&mut self.rows);
        let mut group = self.file.next_row_group()?;
        for (index, kind) in self.kinds.iter().enumerate() {
            let values: Vec<&Value> = rows.iter().map(|row| &row[index]).collect();
            if let Some(mut out) = group.next_column()? {
                write_column(*kind, &values, &mut out)?;
                out.close()?;
            }
        }
        group.close()?;
        Ok(())
    }
}

/// A column as a Parquet field: only numbers that may be missing are optional.
fn field(column: &Column) -> Result<Arc<Type>, ParquetError> {
    let primitive = |name: &str, physical, logical, repetition| {
        Type::primitive_type_builder(name, physical)
            .with_logical_type(logical)
            .with_repetition(repetition)
            .build()
            .map(Arc::new)
    };
    let (name, text) = (&column.name, Some(LogicalType::String));
    match column.kind {
        ColumnType::Whole => primitive(name, Physical::INT64, None, Repetition::REQUIRED),
        ColumnType::Real => primitive(name, Physical::DOUBLE, None, Repetition::OPTIONAL),
        ColumnType::Text => primitive(name, Physical::BYTE_ARRAY, text, Repetition::REQUIRED),
        ColumnType::Reals => {
            // The three levels that the format prescribes for lists.
            let element = primitive("element", Physical::DOUBLE, None, Repetition::OPTIONAL)?;
            let list = Type::group_type_builder("list")
                .with_fields(vec![element])
                .with_repetition(Repetition::REPEATED)
                .build()?;
            let group = Type::group_type_builder(name)
                .with_fields(vec![Arc::new(list)])
                .with_logical_type(Some(LogicalType::List))
                .with_converted_type(ConvertedType::LIST)
                .with_repetition(Repetition::REQUIRED)
                .build()?;
            Ok(Arc::new(group))
        }
    }
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
            let values: Vec<Option<f64>> = values.map(|value| number(value)).collect();
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
        ColumnType::Reals => {
            let lists = values.map(|value| list(value));
            let (mut real, mut definitions, mut repetitions) = (Vec::new(), Vec::new(), Vec::new());
            for list in lists {
                if list.is_empty() {
                    definitions.push(0);
                    repetitions.push(0);
                }
                for (index, element) in list.into_iter().enumerate() {
                    definitions.push(if element.is_some() { 2 } else { 1 });
                    repetitions.push(i16::from(index > 0));
                    real.extend(element);
                }
            }
            let out = out.typed::<DoubleType>();
            out.write_batch(&real, Some(&definitions), Some(&repetitions))?;
        }
    }
    Ok(())
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Real(real) => Some(*real),
        Value::Integer(whole) => Some(*whole as f64),
        _ => None,
    }
}

/// The numbers of a list that the database holds as JSON.
fn list(value: &Value) -> Vec<Option<f64>> {
    match value {
        Value::Text(text) => serde_json::from_str(text).unwrap_or_default(),
        _ => Vec::new(),
    }
}
