//! Files that are written completely or not at all.

use std::fs;
use std::io;
use std::path::Path;

/// A file that could not be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {error}")]
pub struct FileError {
    /// The file's path.
    pub path: String,
    /// Why it could not be read or written.
    pub error: io::Error,
}

impl FileError {
    /// The error of reading or writing the file at `path`.
    pub fn new(path: &Path, error: io::Error) -> FileError {
        let path = path.display().to_string();
        FileError { path, error }
    }
}

/// Writes `text` to a temporary file in the same folder and renames it to `path`, so that no
/// reader sees half a file.
pub fn write_whole(path: &Path, text: &str) -> Result<(), FileError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let new = path.with_file_name(format!(".{name}.new"));
    let result = fs::write(&new, text).and_then(|()| fs::rename(&new, path));
    result.map_err(|error| FileError::new(path, error))
}
