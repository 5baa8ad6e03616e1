//! How a command ends when it does not end well.

use std::fmt;
use std::io;
use std::process::ExitCode;

use earlydrop::registry::ConfigError;
use earlydrop_lab::document::Problems;
use earlydrop_lab::files::FileError;
use earlydrop_lab::plan::SourceError;
use earlydrop_lab::store::{ExportError, RunError, StoreError};
use earlydrop_model::ModelError;
use earlydrop_report::configuration::PasteError;

use crate::diagnostics;
use crate::draw::Style;

/// Why a command could not do what it was asked.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The scenario is not as it must be.
    Scenario(Problems),
    /// What was asked for does not make sense: exit code 2.
    Usage(String),
    /// It went wrong while it was done: exit code 1.
    Doing(String),
    /// Somebody pressed Ctrl-C; what was done is kept.
    Stopped(String),
    /// Whoever reads the output has gone.
    NoReader,
}

impl Failure {
    /// Says it on standard error, and gives the code to exit with.
    pub(crate) fn report(&self, style: &Style) -> ExitCode {
        let (text, code) = match self {
            Failure::Scenario(problems) => (diagnostics::render(problems, style), 2),
            Failure::Usage(text) => (format!("error: {text}"), 2),
            Failure::Doing(text) => (format!("error: {text}"), 1),
            Failure::Stopped(text) => (text.clone(), 1),
            Failure::NoReader => return ExitCode::SUCCESS,
        };
        anstream::eprintln!("{text}");
        ExitCode::from(code)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Scenario(problems) => problems.fmt(f),
            Failure::Usage(text) | Failure::Doing(text) | Failure::Stopped(text) => {
                f.write_str(text)
            }
            Failure::NoReader => f.write_str("nobody reads the output"),
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
        match error {
            SourceError::Wrong(problems) => Failure::Scenario(problems),
            unreadable => Failure::Usage(unreadable.to_string()),
        }
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
        match error {
            StoreError::NoRun { .. } | StoreError::Another { .. } => {
                Failure::Usage(error.to_string())
            }
            _ => Failure::Doing(error.to_string()),
        }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Failure {
        Failure::Doing(error.to_string())
    }
}

impl From<PasteError> for Failure {
    fn from(error: PasteError) -> Failure {
        Failure::Usage(error.to_string())
    }
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Failure {
        match error {
            ExportError::Store(error) => error.into(),
            file => Failure::Doing(file.to_string()),
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Failure {
        match error {
            RunError::Store(error) => error.into(),
            cell => Failure::Doing(cell.to_string()),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::NoReader,
            _ => Failure::Doing(error.to_string()),
        }
    }
}
