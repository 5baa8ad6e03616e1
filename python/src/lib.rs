//! The Python module `earlydrop._lib`: the crates' values and functions for Python.
//!
//! Thin: what a Rust program would want, too, is in the crates; what only Python needs (keyword
//! arguments, data frames' names, notebooks) is in the package's Python files.

#![deny(unsafe_code)]

mod background;
mod command;
mod environment;
mod errors;
mod judging;
mod model;
mod picture;
mod python_aqm;
mod queue;
mod run;
mod scenario;
mod scheme;
mod table;
mod trace;
mod tuning;
mod units;

use pyo3::prelude::*;

/// What is exported to Python; `earlydrop/_lib.pyi` has the types.
#[pymodule]
mod _lib {
    use earlydrop_lab::number;
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::command::{command, options_of};
    #[pymodule_export]
    use super::environment::Environment;
    #[pymodule_export]
    use super::judging::Answer;
    #[pymodule_export]
    use super::judging::PacketView;
    #[pymodule_export]
    use super::judging::QueueView;
    #[pymodule_export]
    use super::judging::Random;
    #[pymodule_export]
    use super::model::{
        configure, explain, falsify, planned_runs, queue, reproduce_claims, scheme_of_qdisc,
        schemes, tc_of_scheme, translate,
    };
    #[pymodule_export]
    use super::queue::Departed;
    #[pymodule_export]
    use super::queue::Queue;
    #[pymodule_export]
    use super::run::{Run, all_metrics};
    #[pymodule_export]
    use super::scenario::{Scenario, parameter_text};
    #[pymodule_export]
    use super::scheme::SchemeClass;
    #[pymodule_export]
    use super::table::Table;
    #[pymodule_export]
    use super::trace::Trace;
    #[pymodule_export]
    use super::tuning::{Search, run_candidates, search};
    #[pymodule_export]
    use super::units::time_text;

    /// The style sheet of tables in notebooks, for an element of class `earlydrop`.
    #[pyfunction]
    fn notebook_style() -> String {
        earlydrop_report::notebook::style()
    }

    /// Whether text names a built-in scheme by this name.
    #[pyfunction]
    fn is_built_in(name: &str) -> bool {
        earlydrop::registry::find(name).is_some()
    }

    /// A number or an estimate as the command prints it, with its unit; `digits` are those of a
    /// number without an interval.
    #[pyfunction]
    #[pyo3(signature = (value, half=None, unit="", digits=3))]
    fn number_text(value: f64, half: Option<f64>, unit: &str, digits: usize) -> String {
        let text = match half {
            Some(_) => number::estimate(value, half),
            None => number::to_digits(value, digits),
        };
        number::with_unit(text, unit)
    }

    /// The version of the package, and the commit it was built from, where that is known.
    #[pyfunction]
    fn version() -> (&'static str, Option<String>) {
        let whole = earlydrop_lab::version();
        let commit = whole.split_once(" (").map(|(_, commit)| commit);
        let commit = commit.map(|commit| commit.trim_end_matches(')').to_string());
        (env!("CARGO_PKG_VERSION"), commit)
    }

    /// What decides results: hashes of the sources of schemes, simulator and laboratory.
    #[pyfunction]
    fn engine() -> String {
        earlydrop_lab::engine()
    }
}
