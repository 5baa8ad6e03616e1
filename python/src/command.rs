//! The `earlydrop` command, which the wheel carries.

use std::ffi::OsString;

use pyo3::prelude::*;

use crate::errors::{as_keywords, keyword};

/// Runs a command line, the program's name first, and returns its exit code. It writes to the
/// process's own standard output, not to `sys.stdout`.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| earlydrop_cli::run(words))
}

/// The options of a command as keyword arguments, each with its help.
#[pyfunction]
pub(crate) fn options_of(command: &str) -> Vec<(String, String)> {
    let options = earlydrop_cli::options_of(command).into_iter();
    let named = |(name, help): (String, String)| (keyword(&name), as_keywords(&help));
    options.map(named).collect()
}
