//! Files that are written whole or not at all.

use std::fs;
use std::io;
use std::path::Path;

/// A file that could not be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {error}")]
pub struct FileError {
    /// The file.
    pub path: String,
    /// Why.
    pub error: io::Error,
}

impl FileError {
    /// The error of a file.
    pub fn new(path: &Path, error: io::Error) -> FileError {
        let path = path.display().to_string();
        FileError { path, error }
    }
}

/// Writes `text` to `path` by way of a file beside it that is renamed when it is complete, so
/// that no reader ever sees half a file.
pub fn write_whole(path: &Path, text: &str) -> Result<(), FileError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let new = path.with_file_name(format!(".{name}.new"));
    let written = fs::write(&new, text).and_then(|()| fs::rename(&new, path));
    written.map_err(|error| FileError::new(path, error))
}
