//! Requests as users write them: options as text, read and refused with one wording.
//!
//! The command and the bindings of other languages ask the same functions, so that they answer and
//! refuse alike: [`configuration::answer`](crate::configuration::answer),
//! [`explanation::explain`](crate::explanation::explain),
//! [`translation::translate`](crate::translation::translate),
//! [`batch_queue::solve`](crate::batch_queue::solve) and [`tuning::tune`](crate::tuning::tune).
//! Options are named in messages as on the command line: `--rtt 50ms`.

mod load;
mod other_scheme;
mod values;

use earlydrop::registry::ConfigError;
use earlydrop_lab::document::Problems;
use earlydrop_lab::files::FileError;
use earlydrop_lab::plan::SourceError;
use earlydrop_lab::store::{RunError, StoreError};
use earlydrop_model::ModelError;

pub use load::{LoadOptions, ToolInput, ToolText, tool};
pub(crate) use load::{control, ecn_of, flows_in_words};
pub(crate) use other_scheme::{LINUX, OURS, OtherScheme};
pub use values::{flows, link, number, packet, read, read_as, time, wrong_kind};

/// Why a request has no answer. The texts name the option, what is allowed, and the nearest fix.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The scenario or another input text is invalid.
    #[error(transparent)]
    Input(#[from] Problems),
    /// An option is invalid.
    #[error("{0}")]
    Option(String),
    /// An error while it was computed.
    #[error("{0}")]
    Run(String),
    /// The caller stopped it.
    #[error("{0}")]
    Stopped(String),
}

impl From<ConfigError> for RequestError {
    fn from(error: ConfigError) -> RequestError {
        RequestError::Option(error.to_string())
    }
}

impl From<ModelError> for RequestError {
    fn from(error: ModelError) -> RequestError {
        RequestError::Option(error.to_string())
    }
}

impl From<SourceError> for RequestError {
    fn from(error: SourceError) -> RequestError {
        match error {
            SourceError::Wrong(problems) => RequestError::Input(problems),
            unreadable => RequestError::Option(unreadable.to_string()),
        }
    }
}

impl From<FileError> for RequestError {
    fn from(error: FileError) -> RequestError {
        match error {
            FileError::System { .. } => RequestError::Run(error.to_string()),
            _ => RequestError::Option(error.to_string()),
        }
    }
}

impl From<StoreError> for RequestError {
    fn from(error: StoreError) -> RequestError {
        match error {
            StoreError::NoRun { .. }
            | StoreError::Trace { .. }
            | StoreError::Another { .. }
            | StoreError::Changed { .. }
            | StoreError::Foreign { .. } => RequestError::Option(error.to_string()),
            StoreError::File(error) => error.into(),
            _ => RequestError::Run(error.to_string()),
        }
    }
}

impl From<RunError> for RequestError {
    fn from(error: RunError) -> RequestError {
        match error {
            RunError::Store(error) => error.into(),
            cell => RequestError::Run(cell.to_string()),
        }
    }
}
