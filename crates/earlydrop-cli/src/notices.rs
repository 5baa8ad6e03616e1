//! Notices on standard error; standard output is for results.

use crate::output;

/// Prints notices of a command unless it is to be quiet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Notices {
    pub(crate) quiet: bool,
}

impl Notices {
    /// Prints a notice that a quiet command leaves out.
    pub(crate) fn info(self, text: &str) {
        if !self.quiet {
            output::error(&format!("earlydrop: {text}"));
        }
    }

    /// Prints a warning, which a quiet command prints, too.
    pub(crate) fn warn(self, text: &str) {
        output::error(&format!("earlydrop: {text}"));
    }
}
