//! Tables that data frames take without copies: the Arrow PyCapsule interface
//! (<https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>).

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, ListBuilder};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray,
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
}

impl Table {
    pub(crate) fn new(table: ColumnTable) -> PyResult<Table> {
        let fields: Vec<Field> = table
            .columns
            .iter()
            .map(|(column, values)| {
                let meaning = [("meaning".to_string(), column.meaning.clone())];
                let field = Field::new(&column.name, data_type(values), true);
                field.with_metadata(HashMap::from(meaning))
            })
            .collect();
        let columns = table.columns.iter().map(|(_, values)| array(values));
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new(schema, columns.collect()).map_err(run_error)?;
        Ok(Table { table, batch })
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
        Values::Text(_) => DataType::Utf8,
        Values::Reals(_) => DataType::List(item()),
    }
}

fn array(values: &Values) -> ArrayRef {
    match values {
        Values::Whole(list) => Arc::new(Int64Array::from(list.clone())),
        Values::Real(list) => Arc::new(Float64Array::from(list.clone())),
        Values::Text(list) => Arc::new(StringArray::from_iter(list)),
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

    /// A column of numbers as the bytes of 64-bit floating-point numbers, NaN where something was
    /// not measured; `None` for other columns.
    fn floats<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyBytes>>> {
        Ok(match self.values(name)? {
            Values::Real(list) => {
                let bytes = list
                    .iter()
                    .flat_map(|value| value.unwrap_or(f64::NAN).to_ne_bytes());
                Some(PyBytes::new(py, &bytes.collect::<Vec<u8>>()))
            }
            _ => None,
        })
    }

    /// The values of a column.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        match self.values(name)? {
            Values::Whole(list) => PyList::new(py, list),
            Values::Real(list) => PyList::new(py, list),
            Values::Text(list) => PyList::new(py, list),
            Values::Reals(list) => PyList::new(py, list),
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
