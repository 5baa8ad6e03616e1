//! The exported tables: those of the database, each row with the keys of its run.
//!
//! A table about cells begins with `cell`, `scheme`, `point`, `seed` and the swept fields, so that
//! none has to be joined with another. A swept field whose values are numbers is a number, in base
//! units, and its column's name ends in the unit: `network_rtt_s`.

use std::collections::HashMap;

use earlydrop::units::{Dimension, Quantity};
use rusqlite::types::Value;

use super::super::read::finite;
use super::super::tables::{Column, ColumnType, Table};
use super::super::{Store, StoreError};
use super::Format;

/// An exported table.
pub(in super::super) struct ExportTable {
    /// Its name, and that of its file.
    pub(in super::super) name: &'static str,
    pub(in super::super) columns: Vec<Column>,
    /// The number of columns that every row of a cell shares: 0 for tables that are not of cells.
    keys: usize,
    /// The statement that selects its rows. Of a table of cells, the first column is the cell.
    select: String,
}

/// The keys of a run's cells: the first columns of each table of cells.
pub(in super::super) struct Keys {
    columns: Vec<Column>,
    of_cell: HashMap<i64, Vec<Value>>,
    /// The values of swept fields: point, field, number and unit.
    numbers: HashMap<(i64, String), (f64, &'static str)>,
    /// The swept fields.
    pub(in super::super) fields: Vec<Field>,
}

/// The columns of `cells` that are keys: cell, scheme, point and seed.
const CELL_KEYS: usize = 4;

/// The tables of a run in a format, and the keys of its cells.
pub(in super::super) fn tables(
    store: &Store,
    format: Format,
) -> Result<(Vec<ExportTable>, Keys), StoreError> {
    let keys = Keys::of(store)?;
    let mut exported = Vec::new();
    for table in store.tables()? {
        match (table.name, format) {
            ("series", Format::Csv) => exported.push(samples(&keys)),
            ("series", Format::Parquet) => {
                exported.push(samples(&keys));
                exported.push(of(table, &keys));
            }
            _ => exported.push(of(table, &keys)),
        }
    }
    Ok((exported, keys))
}

/// A table of the database, with the keys in front where it is about cells.
fn of(table: Table, keys: &Keys) -> ExportTable {
    let name = table.name;
    let select = format!("SELECT * FROM \"{name}\"");
    let is_of_cells = table
        .columns
        .first()
        .is_some_and(|column| column.name == "cell");
    let mut columns = table.columns;
    if name == "points" {
        columns.push(Column::new(
            "number",
            ColumnType::Real,
            "the value as a number in its unit; empty where the field's values are not all numbers",
        ));
        columns.push(Column::new(
            "unit",
            ColumnType::Text,
            "s, bytes, bit/s, packets, or nothing",
        ));
    }
    if name == "series"
        && let Some(list) = columns.last_mut()
    {
        *list = Column::new("values", ColumnType::Reals, "the samples");
    }
    let own = match (is_of_cells, name) {
        (false, _) => 0,
        (true, "cells") => CELL_KEYS,
        (true, _) => 1,
    };
    let keys = if is_of_cells {
        keys.columns.as_slice()
    } else {
        &[]
    };
    ExportTable {
        name,
        keys: keys.len(),
        columns: keys
            .iter()
            .cloned()
            .chain(columns.into_iter().skip(own))
            .collect(),
        select,
    }
}

/// The columns of samples after the keys of their run.
pub(in super::super) fn sample_columns() -> [Column; 4] {
    [
        Column::new("source", ColumnType::Text, "the link or the flow"),
        Column::new("name", ColumnType::Text, "the quantity, as in `series`"),
        Column::new("time", ColumnType::Real, "seconds since the start"),
        Column::new("value", ColumnType::Real, "the value"),
    ]
}

/// The table of samples: a row for each value of each time series.
fn samples(keys: &Keys) -> ExportTable {
    let own = sample_columns();
    ExportTable {
        name: "samples",
        keys: keys.columns.len(),
        columns: keys.columns.iter().cloned().chain(own).collect(),
        select: "SELECT cell, source, name, time, value FROM samples".to_string(),
    }
}

impl ExportTable {
    /// Whether it is about cells, so that its first columns are their keys.
    pub(super) fn is_of_cells(&self) -> bool {
        self.keys > 0
    }

    /// Calls `write` with each row, its columns in order. The rows are not held in memory: a run
    /// may have millions of samples.
    pub(in super::super) fn each_row<E>(
        &self,
        store: &Store,
        keys: &Keys,
        mut write: impl FnMut(Vec<Value>) -> Result<(), E>,
    ) -> Result<Result<(), E>, StoreError> {
        store.sql(|database| {
            let mut statement = database.prepare(&self.select)?;
            let count = statement.column_count();
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                finite(row)?;
                let values: Result<Vec<Value>, _> = (0..count).map(|at| row.get(at)).collect();
                let values = self.complete(values?, keys);
                if values.len() != self.columns.len() {
                    return Err(self.orphan());
                }
                if let Err(error) = write(values) {
                    return Ok(Err(error));
                }
            }
            Ok(Ok(()))
        })
    }

    /// The error of a row in a damaged database.
    fn orphan(&self) -> rusqlite::Error {
        let text = format!("a row of {} belongs to nothing in the run", self.name);
        rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Integer, text.into())
    }

    /// A row of the database with the keys of its cell, or what else the export adds.
    fn complete(&self, mut row: Vec<Value>, keys: &Keys) -> Vec<Value> {
        if self.keys > 0 {
            let own = if self.name == "cells" { CELL_KEYS } else { 1 };
            let cell = match row.first() {
                Some(Value::Integer(cell)) => *cell,
                _ => return row,
            };
            let of_cell = keys.of_cell.get(&cell).cloned().unwrap_or_default();
            row.splice(..own, of_cell);
        }
        if self.name == "points"
            && let [Value::Integer(point), Value::Text(field), ..] = row.as_slice()
        {
            let number = keys.numbers.get(&(*point, field.clone()));
            row.push(number.map_or(Value::Null, |(number, _)| Value::Real(*number)));
            let unit = number.map_or("", |(_, unit)| unit);
            row.push(Value::Text(unit.to_string()));
        }
        row
    }
}

impl Keys {
    pub(in super::super) fn of(store: &Store) -> Result<Keys, StoreError> {
        let points: Vec<(i64, String, String)> = store.rows(
            "SELECT point, field, value FROM points ORDER BY field, point",
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )?;
        let mut fields: Vec<Field> = points
            .chunk_by(|one, other| one.1 == other.1)
            .map(Field::of)
            .collect();
        let cells = store
            .tables()?
            .into_iter()
            .find(|table| table.name == "cells");
        let cells = cells.map_or(Vec::new(), |table| table.columns);
        let mut columns: Vec<Column> = cells.iter().take(CELL_KEYS).cloned().collect();
        for field in &mut fields {
            let column = &mut field.column;
            // A field may be called as a column of a table is, such as `seeds`.
            if cells.iter().any(|other| other.name == column.name) {
                column.name = format!("swept_{}", column.name);
            }
            columns.push(column.clone());
        }
        let rows: Vec<Vec<Value>> = store
            .rows("SELECT cell, scheme, point, seed FROM cells", |row| {
                (0..CELL_KEYS).map(|at| row.get(at)).collect()
            })?;
        let with_fields = rows.into_iter().filter_map(|mut row| {
            let (Value::Integer(cell), Value::Integer(point)) = (&row[0], &row[2]) else {
                return None;
            };
            let (cell, point) = (*cell, *point);
            row.extend(fields.iter().map(|field| field.at(point)));
            Some((cell, row))
        });
        Ok(Keys {
            columns,
            of_cell: with_fields.collect(),
            numbers: fields.iter().flat_map(Field::numbers).collect(),
            fields,
        })
    }
}

impl Keys {
    /// The keys of a cell with their names: cell, scheme, point, seed, and the swept fields.
    pub(super) fn of_run(&self, cell: i64) -> Vec<(String, Value)> {
        let names = self.columns.iter().map(|column| column.name.clone());
        let values = self.of_cell.get(&cell).cloned().unwrap_or_default();
        names.zip(values).collect()
    }
}

/// A swept field: its column, and its value at each point.
pub(in super::super) struct Field {
    name: String,
    pub(in super::super) column: Column,
    /// The base unit, where the values are numbers.
    unit: Option<&'static str>,
    values: HashMap<i64, Value>,
}

impl Field {
    /// The field of these rows: point, field and value as written.
    fn of(rows: &[(i64, String, String)]) -> Field {
        let field = &rows[0].1;
        let name = field.replace(['.', '-'], "_");
        let read: Result<Vec<Quantity>, _> = rows.iter().map(|(.., text)| text.parse()).collect();
        let read = read
            .ok()
            .filter(|all: &Vec<Quantity>| all.iter().all(|one| one.dimension == all[0].dimension));
        let (unit, column, values) = match read {
            Some(read) => {
                let (unit, suffix) = unit(read[0].dimension);
                let meaning = match unit {
                    "" => format!("the swept field {field}"),
                    unit => format!("the swept field {field} [{unit}]"),
                };
                let column = Column::new(&format!("{name}{suffix}"), ColumnType::Real, &meaning);
                let pairs = rows.iter().zip(&read);
                let pairs = pairs.map(|((point, ..), one)| (*point, Value::Real(one.amount)));
                (Some(unit), column, pairs.collect())
            }
            None => {
                let meaning = format!("the swept field {field}, as written");
                let column = Column::new(&name, ColumnType::Text, &meaning);
                let pairs = rows.iter();
                let pairs = pairs.map(|(point, _, text)| (*point, Value::Text(text.clone())));
                (None, column, pairs.collect())
            }
        };
        Field {
            name: field.clone(),
            column,
            unit,
            values,
        }
    }

    /// Its value at a point.
    pub(in super::super) fn at(&self, point: i64) -> Value {
        self.values.get(&point).cloned().unwrap_or(Value::Null)
    }

    /// Its numbers: point and name, number and unit; none where it has other values.
    fn numbers(&self) -> impl Iterator<Item = ((i64, String), (f64, &'static str))> {
        self.values
            .iter()
            .filter_map(|(point, value)| match (value, self.unit) {
                (Value::Real(number), Some(unit)) => {
                    Some(((*point, self.name.clone()), (*number, unit)))
                }
                _ => None,
            })
    }
}

/// A dimension's base unit, and the end of a column's name.
fn unit(dimension: Option<Dimension>) -> (&'static str, &'static str) {
    match dimension {
        Some(Dimension::Time) => ("s", "_s"),
        Some(Dimension::Data) => ("bytes", "_bytes"),
        Some(Dimension::Rate) => ("bit/s", "_bps"),
        Some(Dimension::Packets) => ("packets", "_packets"),
        Some(Dimension::Plain) | None => ("", ""),
    }
}
