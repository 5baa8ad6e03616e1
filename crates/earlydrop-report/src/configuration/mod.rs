//! The answer of `earlydrop configure` as text, JSON, an HTML page, and in other tools' syntax.
//!
//! ```text
//! ConfigureOptions --answer--> ConfigurationReport, in steps:
//! Question --earlydrop_lab::advice--> Recommendation, Simulated -> ConfigurationReport
//!                                                    -> title, statements, ... (text)
//!                                                    -> outcome, trials (simulated)
//!                                                    -> json, page
//!                                     Recommendation -> snippet, snippets
//! ```
//!
//! The text comes as labelled sentences, rows of cells and points of a chart, so that a terminal and
//! a page can each lay it out.

mod card;
pub mod fabric;
mod fabric_text;
mod json;
mod page;
mod question;
mod simulated;
mod snippet;
mod text;

use earlydrop_lab::advice::Simulated;
use earlydrop_lab::escape::CommandLine;
use earlydrop_lab::verify::Measurement;
use earlydrop_model::configure::{Question, Recommendation};

use crate::request::RequestError;

pub use json::json;
pub use page::page;
pub use question::{ConfigureOptions, PATIENCE, answer};
pub use simulated::{doubts, outcome, trials};
pub use snippet::{Snippet, check_format, cost, snippet, snippets};
pub use text::{
    OperatingPoint, band_text, methods, notes, prediction_and_simulation, statements, title,
};

/// A recommended configuration, the question it answers and what simulations say of it.
#[derive(Clone, Debug)]
pub struct ConfigurationReport {
    /// The answer: every method's parameters, the chosen one first.
    pub configuration: Recommendation,
    /// The question.
    pub question: Question,
    /// The command that asks it again.
    pub command: CommandLine,
    /// What the simulations say, or why there are none.
    pub simulated: Result<Simulated, Unsimulated>,
    /// The number of seeds of each simulation, or of a scenario written for one.
    pub seeds: u64,
}

/// Why nothing was simulated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unsimulated {
    /// It was asked for the model alone.
    AsAsked,
    /// It would take longer than was allowed.
    TakesLong {
        /// About how long, in seconds.
        seconds: f64,
    },
}

impl ConfigurationReport {
    /// What was simulated with the recommended parameters.
    pub fn measured(&self) -> Option<&Measurement> {
        let simulated = self.simulated.as_ref().ok()?;
        Some(&simulated.trials[simulated.chosen].measured)
    }
}

/// Why a configuration cannot be written in a format.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SnippetError {
    /// There is no format of this name.
    #[error("--paste {format}: allowed: {known}; nearest: {near}")]
    UnknownFormat {
        /// The name given.
        format: String,
        /// All names.
        known: String,
        /// The most similar name.
        near: &'static str,
    },
    /// The tool cannot express the configuration.
    #[error("--paste {format}: {why}")]
    Inexpressible {
        /// The format.
        format: String,
        /// The reason.
        why: String,
    },
}

impl From<SnippetError> for RequestError {
    fn from(error: SnippetError) -> RequestError {
        RequestError::Option(error.to_string())
    }
}
