//! Notices on standard error; standard output is for results.

use earlydrop_lab::plan::Plan;

use crate::output;

/// More warnings than these fill the screen.
const MAX_SHOWN: usize = 20;

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

    /// Prints the warnings about a scenario's settings.
    pub(crate) fn scenario(self, plan: &Plan) {
        let warnings = plan.warnings();
        for warning in warnings.iter().take(MAX_SHOWN) {
            self.warn(&format!("warning: {warning}"));
        }
        if warnings.len() > MAX_SHOWN {
            let more = warnings.len() - MAX_SHOWN;
            self.warn(&format!("and {more} more warnings, which `--json` lists"));
        }
    }

    /// Prints a warning, which a quiet command prints, too.
    pub(crate) fn warn(self, text: &str) {
        output::error(&format!("earlydrop: {text}"));
    }
}
