//! Tables that data frames take without copies: the Arrow PyCapsule interface
//! (<https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>).

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, ListBuilder};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int64Array, RecordBatch,
    RecordBatchIterator,
};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{DataType, Field, Schema};
use earlydrop_lab::store::{Column, ColumnTable, ColumnType, Values};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyList, PyString};

use crate::errors::{run_error, value_error};

/// A table in memory: named columns of one length.
#[pyclass(frozen, module = "earlydrop._lib")]
pub(crate) struct Table {
    table: ColumnTable,
    batch: RecordBatch,
    /// The columns whose integers are flags.
    flags: Vec<String>,
}

/// A column for another process: its name, its meaning, whether its integers are flags, and its
/// values.
type ColumnState = (String, String, bool, ColumnValues);

/// Values of a column for another process; one of a kind is there.
type ColumnValues = (
    Option<Vec<Option<i64>>>,
    Option<Vec<Option<f64>>>,
    Option<Vec<Option<String>>>,
    Option<Vec<Vec<f64>>>,
);

impl Table {
    pub(crate) fn new(table: ColumnTable) -> PyResult<Table> {
        Table::with_flags(table, &[])
    }

    /// A table in which the integers of these columns are flags.
    pub(crate) fn with_flags(table: ColumnTable, flags: &[&str]) -> PyResult<Table> {
        let is_flag = |column: &Column| flags.contains(&column.name.as_str());
        let fields: Vec<Field> = table
            .columns
            .iter()
            .map(|(column, values)| {
                let meaning = [("meaning".to_string(), column.meaning.clone())];
                let kind = match is_flag(column) {
                    true => DataType::Boolean,
                    false => data_type(values),
                };
                let field = Field::new(&column.name, kind, true);
                field.with_metadata(HashMap::from(meaning))
            })
            .collect();
        let columns = table.columns.iter();
        let columns = columns.map(|(column, values)| match values {
            Values::Whole(list) if is_flag(column) => {
                let flags = list.iter().map(|whole| whole.map(|whole| whole != 0));
                Arc::new(BooleanArray::from_iter(flags)) as ArrayRef
            }
            _ => array(values),
        });
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new(schema, columns.collect()).map_err(run_error)?;
        let flags = flags.iter().map(|name| (*name).to_string()).collect();
        Ok(Table {
            table,
            batch,
            flags,
        })
    }

    fn is_flag(&self, name: &str) -> bool {
        self.flags.iter().any(|flag| flag == name)
    }

    fn values(&self, name: &str) -> PyResult<&Values> {
        let found = self
            .table
            .columns
            .iter()
            .find(|(column, _)| column.name == name);
        found.map(|(_, values)| values).ok_or_else(|| {
            let known: Vec<&str> = self
                .table
                .columns
                .iter()
                .map(|(c, _)| c.name.as_str())
                .collect();
            value_error(format!(
                "no column is called \"{name}\"; {}",
                earlydrop_lab::document::suggestion(name, &known, '"')
            ))
        })
    }
}

fn item() -> Arc<Field> {
    Arc::new(Field::new("item", DataType::Float64, true))
}

fn data_type(values: &Values) -> DataType {
    match values {
        Values::Whole(_) => DataType::Int64,
        Values::Real(_) => DataType::Float64,
        // Names of schemes and series are few, and repeated in each row.
        Values::Text(_) => DataType::Dictionary(DataType::Int32.into(), DataType::Utf8.into()),
        Values::Reals(_) => DataType::List(item()),
    }
}

fn array(values: &Values) -> ArrayRef {
    match values {
        Values::Whole(list) => Arc::new(Int64Array::from(list.clone())),
        Values::Real(list) => Arc::new(Float64Array::from(list.clone())),
        Values::Text(list) => {
            let texts = list.iter().map(Option::as_deref);
            Arc::new(DictionaryArray::<Int32Type>::from_iter(texts))
        }
        Values::Reals(lists) => {
            let mut builder = ListBuilder::new(Float64Builder::new()).with_field(item());
            for list in lists {
                builder.values().append_slice(list);
                builder.append(true);
            }
            Arc::new(builder.finish())
        }
    }
}

#[pymethods]
impl Table {
    /// A table of columns by name and meaning; of text where the first value that is there is text,
    /// otherwise of numbers.
    #[staticmethod]
    fn of(columns: Vec<(String, String, Bound<'_, PyList>)>) -> PyResult<Table> {
        let column = |(name, meaning, list): (String, String, Bound<'_, PyList>)| {
            let first = list.iter().find(|value| !value.is_none());
            let (kind, values) = match first {
                Some(value) if value.is_instance_of::<PyString>() => {
                    (ColumnType::Text, Values::Text(list.extract()?))
                }
                _ => (ColumnType::Real, Values::Real(list.extract()?)),
            };
            Ok((Column::new(&name, kind, &meaning), values))
        };
        let columns = columns.into_iter().map(column);
        Table::new(ColumnTable {
            columns: columns.collect::<PyResult<_>>()?,
        })
    }

    /// The columns for another process, which [`restored`](Table::restored) reads.
    fn state(&self) -> Vec<ColumnState> {
        let column = |(column, values): &(Column, Values)| {
            let values = match values.clone() {
                Values::Whole(list) => (Some(list), None, None, None),
                Values::Real(list) => (None, Some(list), None, None),
                Values::Text(list) => (None, None, Some(list), None),
                Values::Reals(lists) => (None, None, None, Some(lists)),
            };
            let is_flag = self.is_flag(&column.name);
            (column.name.clone(), column.meaning.clone(), is_flag, values)
        };
        self.table.columns.iter().map(column).collect()
    }

    /// The table of another process.
    #[staticmethod]
    fn restored(state: Vec<ColumnState>) -> PyResult<Table> {
        let flags: Vec<String> = state
            .iter()
            .filter(|(_, _, is_flag, _)| *is_flag)
            .map(|(name, ..)| name.clone())
            .collect();
        let column = |(name, meaning, _, values): ColumnState| {
            let (kind, values) = match values {
                (Some(list), ..) => (ColumnType::Whole, Values::Whole(list)),
                (_, _, Some(list), _) => (ColumnType::Text, Values::Text(list)),
                (.., Some(lists)) => (ColumnType::Reals, Values::Reals(lists)),
                (_, list, ..) => (ColumnType::Real, Values::Real(list.unwrap_or_default())),
            };
            (Column::new(&name, kind, &meaning), values)
        };
        let columns = state.into_iter().map(column).collect();
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        Table::with_flags(ColumnTable { columns }, &flags)
    }

    /// The columns' names.
    #[getter]
    fn names(&self) -> Vec<&str> {
        let columns = self.table.columns.iter();
        columns.map(|(column, _)| column.name.as_str()).collect()
    }

    /// The meaning of each column, with its unit.
    #[getter]
    fn meanings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let meanings = PyDict::new(py);
        for (column, _) in &self.table.columns {
            meanings.set_item(&column.name, &column.meaning)?;
        }
        Ok(meanings)
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// A column of numbers as numpy's type and the bytes of its array: "f8" with NaN where something
    /// was not measured, "i8" for integers that are all there, "?" for flags; `None` for other
    /// columns.
    fn numbers<'py>(
        &self,
        py: Python<'py>,
        name: &str,
    ) -> PyResult<Option<(&'static str, Bound<'py, PyBytes>)>> {
        let bytes = |numbers: &mut dyn Iterator<Item = [u8; 8]>| {
            PyBytes::new(py, &numbers.flatten().collect::<Vec<u8>>())
        };
        Ok(match self.values(name)? {
            Values::Real(list) => {
                let mut reals = list.iter().map(|one| one.unwrap_or(f64::NAN).to_ne_bytes());
                Some(("f8", bytes(&mut reals)))
            }
            Values::Whole(list) if self.is_flag(name) => {
                let flags = list
                    .iter()
                    .map(|one| u8::from(one.is_some_and(|one| one != 0)));
                Some(("?", PyBytes::new(py, &flags.collect::<Vec<u8>>())))
            }
            Values::Whole(list) if list.contains(&None) => {
                let real = |one: &Option<i64>| one.map_or(f64::NAN, |whole| whole as f64);
                let mut reals = list.iter().map(|one| real(one).to_ne_bytes());
                Some(("f8", bytes(&mut reals)))
            }
            Values::Whole(list) => {
                let mut wholes = list.iter().flatten().map(|whole| whole.to_ne_bytes());
                Some(("i8", bytes(&mut wholes)))
            }
            Values::Text(_) | Values::Reals(_) => None,
        })
    }

    /// The values of a column, or those of `count` rows from `first` on.
    #[pyo3(signature = (name, first=0, count=usize::MAX))]
    fn column<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        first: usize,
        count: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let end = first.saturating_add(count).min(self.batch.num_rows());
        let rows = first.min(end)..end;
        match self.values(name)? {
            Values::Whole(list) if self.is_flag(name) => {
                let flags = list[rows].iter().map(|whole| whole.map(|whole| whole != 0));
                PyList::new(py, flags.collect::<Vec<Option<bool>>>())
            }
            Values::Whole(list) => PyList::new(py, &list[rows]),
            Values::Real(list) => PyList::new(py, &list[rows]),
            Values::Text(list) => PyList::new(py, &list[rows]),
            Values::Reals(list) => PyList::new(py, &list[rows]),
        }
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(&*self.batch.schema()).map_err(run_error)?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface lets a producer ignore what it cannot cast to.
        let _ = requested_schema;
        let batches = [Ok(self.batch.clone())];
        let reader = RecordBatchIterator::new(batches, self.batch.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}
