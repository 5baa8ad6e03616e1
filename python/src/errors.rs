//! Errors as Python's exceptions, which `earlydrop/errors.py` defines.

use earlydrop_lab::document::{Place, Problems};
use earlydrop_lab::plan::SourceError;
use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::scheme::cause_of;

/// The exception of errors in a scenario: its text has a line for each, with file, line, value,
/// what is allowed and the nearest fix.
pub(crate) fn scenario_error(problems: Problems) -> PyErr {
    let cause = cause_of(&problems.to_string());
    Python::attach(|py| {
        let made = || -> PyResult<Bound<'_, PyAny>> {
            let mut list = Vec::new();
            for problem in &problems.list {
                let entry = PyDict::new(py);
                entry.set_item("message", &problem.message)?;
                entry.set_item("help", &problem.help)?;
                match &problem.place {
                    Place::File(bytes) => {
                        let (line, column) = problems.position(bytes.start);
                        entry.set_item("file", &problems.name)?;
                        entry.set_item("line", line)?;
                        entry.set_item("column", column)?;
                    }
                    Place::Argument(argument) => entry.set_item("argument", &**argument)?,
                }
                list.push(entry);
            }
            let class = py.import("earlydrop.errors")?.getattr("ScenarioError")?;
            class.call1((problems.to_string(), list))
        };
        let error = made().map_or_else(|error| error, PyErr::from_value);
        error.set_cause(py, cause);
        error
    })
}

pub(crate) fn source_error(error: SourceError) -> PyErr {
    match error {
        SourceError::Wrong(problems) => scenario_error(problems),
        other => PyOSError::new_err(other.to_string()),
    }
}

/// The exception of a run that failed, or of a run's folder that cannot be used.
pub(crate) fn run_error(error: impl std::fmt::Display) -> PyErr {
    raise("RunError", &error.to_string())
}

/// The exception of a wrong argument.
pub(crate) fn value_error(error: impl std::fmt::Display) -> PyErr {
    raise("ArgumentError", &error.to_string())
}

/// An exception of `earlydrop.errors` by its name.
fn raise(class: &str, text: &str) -> PyErr {
    Python::attach(|py| {
        let class = py.import("earlydrop.errors").and_then(|m| m.getattr(class));
        match class.and_then(|class| class.call1((text,))) {
            Ok(error) => PyErr::from_value(error),
            Err(_) => PyRuntimeError::new_err(text.to_string()),
        }
    })
}
