//! The `earlydrop` command, which the wheel carries.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs a command line, the program's name first, and returns its exit code. It writes to the
/// process's own standard output, not to `sys.stdout`.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| earlydrop_cli::run(words))
}
