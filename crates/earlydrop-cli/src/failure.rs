//! Why a command fails, and its exit code.

use std::fmt;
use std::io;

use earlydrop::registry::ConfigError;
use earlydrop_lab::document::Problems;
use earlydrop_lab::files::FileError;
use earlydrop_lab::plan::SourceError;
use earlydrop_lab::store::{ExportError, RunError, StoreError};
use earlydrop_model::ModelError;
use earlydrop_report::configuration::SnippetError;
use earlydrop_report::request::RequestError;

use crate::diagnostics;
use crate::draw::Style;
use crate::interruption;
use crate::output;

/// The reason why a command fails.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The scenario or another input text is invalid: exit code 2.
    Scenario(Problems),
    /// An argument is invalid: exit code 2.
    Usage(String),
    /// An error while the command ran: exit code 1.
    Runtime(String),
    /// A signal stopped it, such as Ctrl-C's: 128 and the signal's number, as of a command that the
    /// signal ends. Finished runs are kept.
    Interrupted(String),
    /// The reader of standard output has closed it: exit code 0.
    BrokenPipe,
}

impl Failure {
    /// Prints the failure on standard error and returns the exit code.
    pub(crate) fn report(&self, style: &Style) -> u8 {
        let (text, code) = match self {
            Failure::Scenario(problems) => {
                // Escapes the texts in it, and adds styles.
                output::error_lines(&diagnostics::render(problems, style));
                return 2;
            }
            Failure::Usage(text) => (format!("error: {text}"), 2),
            Failure::Runtime(text) => (format!("error: {text}"), 1),
            Failure::Interrupted(text) => (text.clone(), interruption::exit_code()),
            Failure::BrokenPipe => return 0,
        };
        output::error(&text);
        code
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Scenario(problems) => problems.fmt(f),
            Failure::Usage(text) | Failure::Runtime(text) | Failure::Interrupted(text) => {
                f.write_str(text)
            }
            Failure::BrokenPipe => f.write_str("standard output is closed"),
        }
    }
}

impl From<RequestError> for Failure {
    fn from(error: RequestError) -> Failure {
        match error {
            RequestError::Input(problems) => Failure::Scenario(problems),
            RequestError::Option(text) => Failure::Usage(text),
            RequestError::Stopped(text) => Failure::Interrupted(text),
            RequestError::Run(text) => Failure::Runtime(text),
            other => Failure::Runtime(other.to_string()),
        }
    }
}

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Failure {
        Failure::Scenario(problems)
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Failure {
        RequestError::from(error).into()
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Failure {
        Failure::Usage(error.to_string())
    }
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Failure {
        Failure::Usage(error.to_string())
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        RequestError::from(error).into()
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Failure {
        RequestError::from(error).into()
    }
}

impl From<SnippetError> for Failure {
    fn from(error: SnippetError) -> Failure {
        Failure::Usage(error.to_string())
    }
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Failure {
        match error {
            ExportError::Store(error) => error.into(),
            ExportError::File(error) => error.into(),
            other => Failure::Runtime(other.to_string()),
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Failure {
        RequestError::from(error).into()
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
            _ => Failure::Runtime(error.to_string()),
        }
    }
}
