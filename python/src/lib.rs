//! The Python module `earlydrop._lib`: the crates' values and functions for Python.
//!
//! Thin: what a Rust program would want, too, is in the crates; what only Python needs (keyword
//! arguments, data frames' names, notebooks) is in the package's Python files.

#![deny(unsafe_code)]

mod attended;
mod command;
mod environment;
mod errors;
mod model;
mod run;
mod scenario;
mod table;

use pyo3::prelude::*;

/// What is exported to Python; `earlydrop/_lib.pyi` has the types.
#[pymodule]
mod _lib {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::command::command;
    #[pymodule_export]
    use super::environment::Environment;
    #[pymodule_export]
    use super::model::{configure, explain, reproduce, schemes, translate, tune};
    #[pymodule_export]
    use super::run::Run;
    #[pymodule_export]
    use super::scenario::Scenario;
    #[pymodule_export]
    use super::table::Table;

    /// The version of the program, with the commit it was built from.
    #[pyfunction]
    fn version() -> String {
        earlydrop_lab::version()
    }
}
