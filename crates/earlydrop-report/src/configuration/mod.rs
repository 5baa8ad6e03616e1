//! The answer of `earlydrop configure`: in words, as JSON, as one page, and ready to paste.
//!
//! ```text
//! Question --earlydrop_model::configure--> Recommendation --+
//!                    simulated (optional) --> Measurement ----+--> ConfigurationReport
//!                                                                --> text, json, page, paste
//! ```

mod json;
mod page;
mod paste;
mod text;

use earlydrop_lab::verify::Measurement;
use earlydrop_model::configure::{Question, Recommendation};

pub use json::document;
pub use page::page;
pub use paste::{all as all_forms, check as check_form, one as one_form};
pub use text::{Crossing, methods, notes, prediction_and_simulation, statements, title};

/// A configuration with the question it answers and, where it was simulated, what was measured.
#[derive(Clone, Debug)]
pub struct ConfigurationReport {
    /// The answer: every method's parameters, the chosen one first.
    pub configuration: Recommendation,
    /// The question.
    pub question: Question,
    /// What the simulator measured under the chosen parameters.
    pub measured: Option<Measurement>,
    /// With how many seeds it is, or would be, simulated.
    pub seeds: u64,
}

/// Why a configuration cannot be pasted in a form.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PasteError {
    /// There is no such form.
    #[error("--paste {form}: allowed: {known}; nearest: {near}")]
    Unknown {
        /// The name given.
        form: String,
        /// All names.
        known: String,
        /// The nearest of them.
        near: &'static str,
    },
    /// The other tool cannot be configured so.
    #[error("--paste {form}: {why}")]
    Refused {
        /// The form.
        form: String,
        /// Why.
        why: String,
    },
}
