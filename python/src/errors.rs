//! Errors as Python's exceptions, which `earlydrop/errors.py` defines.

use earlydrop_lab::document::{Place, Problems};
use earlydrop_lab::files::FileError;
use earlydrop_lab::plan::SourceError;
use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::scheme::cause_of;

/// The exception of errors in a scenario: its text has a line for each, with file, line, value,
/// what is allowed and the nearest fix.
pub(crate) fn scenario_error(problems: Problems) -> PyErr {
    let cause = cause_of(&problems.to_string());
    Python::attach(|py| {
        let made = || -> PyResult<Bound<'_, PyAny>> {
            let mut list = Vec::new();
            for problem in &problems.list {
                let entry = PyDict::new(py);
                entry.set_item("message", as_keywords(&problem.message))?;
                entry.set_item("help", as_keywords(&problem.help))?;
                match &problem.place {
                    Place::File(bytes) => {
                        let (line, column) = problems.position(bytes.start);
                        entry.set_item("file", &problems.name)?;
                        entry.set_item("line", line)?;
                        entry.set_item("column", column)?;
                    }
                    Place::Argument(argument) => entry.set_item("argument", &**argument)?,
                }
                list.push(entry);
            }
            let class = py.import("earlydrop.errors")?.getattr("ScenarioError")?;
            class.call1((as_keywords(&problems.to_string()), list))
        };
        let error = made().map_or_else(|error| error, PyErr::from_value);
        error.set_cause(py, cause);
        error
    })
}

pub(crate) fn source_error(error: SourceError) -> PyErr {
    match error {
        SourceError::Wrong(problems) => scenario_error(problems),
        SourceError::Unreadable(FileError::System { path, error }) => match error.raw_os_error() {
            // Python makes a FileNotFoundError of it, and the like.
            Some(number) => Python::attach(|py| {
                let strerror = py
                    .import("os")
                    .and_then(|os| os.call_method1("strerror", (number,)));
                let text = strerror.map(|text| text.to_string()).unwrap_or_default();
                PyOSError::new_err((number, text, path))
            }),
            None => PyOSError::new_err(format!("{path}: {error}")),
        },
        other => PyOSError::new_err(other.to_string()),
    }
}

/// A message with the command's options as keyword arguments: `--warm-up 5` as `warm_up=5`.
pub(crate) fn as_keywords(text: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut option: Option<String> = None;
    for word in text
        .replace(", or write over it with --force", "")
        .split(' ')
    {
        let name = word.strip_prefix("--").filter(|name| {
            let first = name.chars().next();
            first.is_some_and(|letter| letter.is_ascii_lowercase())
        });
        match (name, option.take(), words.last_mut()) {
            (None, Some(option), Some(last)) => *last = keyword_with(&option, word),
            (None, ..) => words.push(word.to_string()),
            (Some(name), ..) => {
                // `--scheme:` and a name at the end have no value.
                let bare = name.trim_end_matches([':', ',', ';', '.', ')', ']', '`']);
                // These are followed by an error in words.
                let has_words = ["minimise", "maximise", "over", "subject-to"].contains(&bare);
                let is_bare = bare == "out" || bare == "fresh";
                if bare == name && !has_words && !is_bare {
                    option = Some(keyword(bare));
                }
                let end = if has_words { ":" } else { &name[bare.len()..] };
                let equals = if is_bare { "=" } else { "" };
                words.push(format!("{}{equals}{end}", keyword(bare)));
            }
        }
    }
    words.join(" ")
}

/// The keyword argument of an option.
pub(crate) fn keyword(option: &str) -> String {
    match option {
        "as" | "from" => "tool".to_string(),
        "out" => "folder".to_string(),
        "lambda" | "class" => format!("{option}_"),
        other => other.replace('-', "_"),
    }
}

/// A keyword argument with its value.
fn keyword_with(keyword: &str, value: &str) -> String {
    match (keyword, value.split_once('=')) {
        ("set", Some((path, value))) => format!("set={{\"{path}\": \"{value}\"}}"),
        ("limits", _) => format!("limits=\"{value}\""),
        _ => format!("{keyword}={value}"),
    }
}

/// The exception of a run that failed, or of a run's folder that cannot be used.
pub(crate) fn run_error(error: impl std::fmt::Display) -> PyErr {
    raise("RunError", &as_keywords(&error.to_string()))
}

/// The exception of a wrong argument.
pub(crate) fn value_error(error: impl std::fmt::Display) -> PyErr {
    raise("ArgumentError", &error.to_string())
}

/// An exception of `earlydrop.errors` by its name.
fn raise(class: &str, text: &str) -> PyErr {
    Python::attach(|py| {
        let class = py.import("earlydrop.errors").and_then(|m| m.getattr(class));
        match class.and_then(|class| class.call1((text,))) {
            Ok(error) => PyErr::from_value(error),
            Err(_) => PyRuntimeError::new_err(text.to_string()),
        }
    })
}
