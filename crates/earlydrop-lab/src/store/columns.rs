//! A run's exported tables in memory, column by column, for programs that hold them as data frames.

use rusqlite::types::Value;

use super::export::{ExportTable, Format, sample_columns, tables};
use super::tables::{Column, ColumnType};
use super::{Store, StoreError};
use crate::outcome::Series;

/// A table of a run: the rows that `earlydrop export` writes.
#[derive(Clone, Debug)]
pub struct ColumnTable {
    /// Its columns with their values, all of the same length.
    pub columns: Vec<(Column, Values)>,
}

/// The values of a column; `None` where something was not measured.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Integers.
    Whole(Vec<Option<i64>>),
    /// Numbers.
    Real(Vec<Option<f64>>),
    /// Text.
    Text(Vec<Option<String>>),
    /// Lists of numbers.
    Reals(Vec<Vec<f64>>),
}

impl Store {
    /// The exported table of this name, such as `cells`, `flows` or `samples`; `None` where the
    /// run has none. The names are those of [`table_names`](Store::table_names).
    pub fn columns_of(&self, name: &str) -> Result<Option<ColumnTable>, StoreError> {
        let (tables, keys) = tables(self, Format::Parquet)?;
        let Some(table) = tables.into_iter().find(|table| table.name == name) else {
            return Ok(None);
        };
        let mut columns = empty_columns(&table);
        let read = table.each_row::<()>(self, &keys, |row| {
            for ((_, values), value) in columns.iter_mut().zip(row) {
                values.push(value);
            }
            Ok(())
        })?;
        debug_assert!(read.is_ok(), "rows are only collected");
        Ok(Some(ColumnTable { columns }))
    }

    /// The names of the exported tables.
    pub fn table_names(&self) -> Result<Vec<&'static str>, StoreError> {
        let (tables, _) = tables(self, Format::Parquet)?;
        Ok(tables.iter().map(|table| table.name).collect())
    }
}

/// Time series as a table with a row for each sample, as the exported `samples` have them.
pub fn sample_table(series: &[Series]) -> ColumnTable {
    let (mut sources, mut names) = (Vec::new(), Vec::new());
    let (mut times, mut values) = (Vec::new(), Vec::new());
    for one in series {
        for (index, value) in one.values.iter().enumerate() {
            sources.push(Some(one.source.clone()));
            names.push(Some(one.name.clone()));
            times.push(Some(one.interval * index as f64));
            values.push(value.is_finite().then_some(*value));
        }
    }
    let columns = [
        Values::Text(sources),
        Values::Text(names),
        Values::Real(times),
        Values::Real(values),
    ];
    ColumnTable {
        columns: sample_columns().into_iter().zip(columns).collect(),
    }
}

fn empty_columns(table: &ExportTable) -> Vec<(Column, Values)> {
    let columns = table.columns.iter();
    columns
        .map(|column| (column.clone(), Values::empty(column.kind)))
        .collect()
}

impl Values {
    /// No values yet, for a column of this type.
    pub(super) fn empty(kind: ColumnType) -> Values {
        match kind {
            ColumnType::Whole => Values::Whole(Vec::new()),
            ColumnType::Real => Values::Real(Vec::new()),
            ColumnType::Text => Values::Text(Vec::new()),
            ColumnType::Reals => Values::Reals(Vec::new()),
        }
    }

    /// Adds a value of the database. One of another type than the column's counts as missing.
    pub(super) fn push(&mut self, value: Value) {
        match self {
            Values::Whole(list) => list.push(match value {
                Value::Integer(whole) => Some(whole),
                _ => None,
            }),
            Values::Real(list) => list.push(match value {
                Value::Real(real) => Some(real),
                Value::Integer(whole) => Some(whole as f64),
                _ => None,
            }),
            Values::Text(list) => list.push(match value {
                Value::Text(text) => Some(text),
                _ => None,
            }),
            Values::Reals(list) => list.push(match value {
                Value::Text(text) => serde_json::from_str(&text).unwrap_or_default(),
                _ => Vec::new(),
            }),
        }
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        match self {
            Values::Whole(list) => list.len(),
            Values::Real(list) => list.len(),
            Values::Text(list) => list.len(),
            Values::Reals(list) => list.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
