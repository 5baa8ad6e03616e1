//! Files: read within a limit, written whole, and never over what earlydrop has not made.
//!
//! [`NewFile`] is written beside its target and renamed when it is complete. So a reader sees the
//! old file or the new one, and a process that is killed leaves no half of a file. A file that
//! is there already is replaced only if it carries the [`Signature`] of files of its kind, or if
//! the caller says [`Overwrite::Any`].

mod signature;

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

pub use signature::Signature;

/// Why a file could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The operating system reports an error.
    #[error("{path}: {error}")]
    System {
        /// The file's path.
        path: String,
        /// The error.
        error: io::Error,
    },
    /// It is not a file but a device, a pipe or a folder.
    #[error("{path} is not a regular file")]
    NotRegular {
        /// The file's path.
        path: String,
    },
    /// A folder is needed where something else is.
    #[error("{path} is not a folder: choose another name, or move it away")]
    NotAFolder {
        /// The path.
        path: String,
    },
    /// It is longer than any file of its kind.
    #[error("{path} has more than {limit} bytes: at most that many are read")]
    TooLong {
        /// The file's path.
        path: String,
        /// The largest number of bytes.
        limit: u64,
    },
    /// There is a file that earlydrop has not made.
    #[error(
        "{path} is there already, and earlydrop has not made it; nothing was written over: \
         choose another name, or write over it with --force"
    )]
    Foreign {
        /// The file's path.
        path: String,
    },
    /// There is a file that earlydrop has not made, in a folder that it writes into.
    #[error(
        "{path} is there already, and earlydrop has not made it; nothing was written over: \
         choose another folder, or move it away"
    )]
    ForeignInFolder {
        /// The file's path.
        path: String,
    },
}

impl FileError {
    /// This error of a file in a folder whose command has no `--force`.
    pub fn in_folder(self) -> FileError {
        match self {
            FileError::Foreign { path } => FileError::ForeignInFolder { path },
            other => other,
        }
    }

    /// The error that the operating system reports about the file at `path`.
    pub fn new(path: &Path, error: io::Error) -> FileError {
        let path = path.display().to_string();
        FileError::System { path, error }
    }
}

/// Reads a text of at most `limit` bytes.
pub fn read_text(path: &Path, limit: u64) -> Result<String, FileError> {
    let failed = |error| FileError::new(path, error);
    let file = File::open(path).map_err(failed)?;
    let mut text = String::new();
    file.take(limit + 1)
        .read_to_string(&mut text)
        .map_err(failed)?;
    if text.len() as u64 > limit {
        let path = path.display().to_string();
        return Err(FileError::TooLong { path, limit });
    }
    Ok(text)
}

/// [`read_text`] of a regular file: a pipe could wait for ever, a device never end. So could a
/// file of `/proc`, whose length is zero.
pub fn read_regular(path: &Path, limit: u64) -> Result<String, FileError> {
    let metadata = fs::metadata(path).map_err(|error| FileError::new(path, error))?;
    if !metadata.is_file() {
        let path = path.display().to_string();
        return Err(FileError::NotRegular { path });
    }
    match metadata.len() {
        0 => Ok(String::new()),
        _ => read_text(path, limit),
    }
}

/// The bytes of a regular file of at most `limit` bytes, which need be no text.
pub fn read_regular_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    let failed = |error| FileError::new(path, error);
    let metadata = fs::metadata(path).map_err(failed)?;
    let shown = || path.display().to_string();
    if !metadata.is_file() {
        return Err(FileError::NotRegular { path: shown() });
    }
    if metadata.len() > limit {
        return Err(FileError::TooLong {
            path: shown(),
            limit,
        });
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(failed)?;
    // A file of `/proc` has no length, and may have no end.
    file.take(metadata.len())
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    Ok(bytes)
}

/// Refuses what is at `path` and not a regular file, before it is opened: a pipe could wait for
/// ever. Nothing, and a link to nothing, are fit.
pub fn check_regular(path: &Path) -> Result<(), FileError> {
    match fs::metadata(path) {
        Ok(there) if !there.is_file() => {
            let path = path.display().to_string();
            Err(FileError::NotRegular { path })
        }
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(FileError::new(path, error)),
        _ => Ok(()),
    }
}

/// Which existing files may be replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overwrite {
    /// Those that earlydrop has made.
    #[default]
    Own,
    /// Any: the user said so.
    Any,
}

/// A file being written, which appears under its name once it is [complete](NewFile::complete).
#[derive(Debug)]
pub struct NewFile {
    path: PathBuf,
    /// The file written meanwhile, in the same folder; `None` for a device or a pipe, which is
    /// written directly.
    temporary: Option<PathBuf>,
    out: BufWriter<File>,
}

impl NewFile {
    /// Begins a file. Fails now if it could not be put at `path` later.
    pub fn create(
        path: &Path,
        signature: &Signature,
        overwrite: Overwrite,
    ) -> Result<NewFile, FileError> {
        let failed = |error| FileError::new(path, error);
        let target = target(path).map_err(failed)?;
        let existing = check_existing(path, signature, overwrite)?;
        if existing.as_ref().is_some_and(|file| !file.is_file()) {
            let file = fs::OpenOptions::new().write(true).open(&target);
            return Ok(NewFile {
                path: target,
                temporary: None,
                out: BufWriter::new(file.map_err(failed)?),
            });
        }
        let temporary = temporary_path(&target);
        let file = File::create_new(&temporary).map_err(failed)?;
        if let Some(existing) = existing {
            let permitted = file.set_permissions(existing.permissions());
            permitted.map_err(failed)?;
        }
        Ok(NewFile {
            path: target,
            temporary: Some(temporary),
            out: BufWriter::new(file),
        })
    }

    /// Writes all the contents, and puts the file under its name.
    pub fn complete_with(mut self, contents: &[u8]) -> Result<(), FileError> {
        let written = self.write_all(contents);
        written.map_err(|error| FileError::new(&self.path, error))?;
        self.complete()
    }

    /// Puts the file under its name.
    pub fn complete(mut self) -> Result<(), FileError> {
        let mut done = self.out.flush();
        if let (Ok(()), Some(temporary)) = (&done, &self.temporary) {
            done = fs::rename(temporary, &self.path);
        }
        if done.is_ok() {
            self.temporary = None;
        }
        done.map_err(|error| FileError::new(&self.path, error))
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for NewFile {
    /// Removes a file that was not completed.
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Checks whether a file may be put at `path`, and returns the metadata of what is there.
pub fn check_existing(
    path: &Path,
    signature: &Signature,
    overwrite: Overwrite,
) -> Result<Option<fs::Metadata>, FileError> {
    let failed = |error| FileError::new(path, error);
    let existing = match fs::metadata(path) {
        Ok(existing) => existing,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let may_be_replaced = overwrite == Overwrite::Any || !existing.is_file();
    if may_be_replaced || signature.is_in(path).map_err(failed)? {
        return Ok(Some(existing));
    }
    let path = path.display().to_string();
    Err(FileError::Foreign { path })
}

/// Writes `text` to the file at `path`: wholly, or not at all.
pub fn write_whole(
    path: &Path,
    text: &str,
    signature: &Signature,
    overwrite: Overwrite,
) -> Result<(), FileError> {
    NewFile::create(path, signature, overwrite)?.complete_with(text.as_bytes())
}

/// Creates a folder and those that it lies in, unless they are there.
pub fn create_folder(folder: &Path) -> Result<(), FileError> {
    check_folder(folder)?;
    fs::create_dir_all(folder).map_err(|error| FileError::new(folder, error))
}

/// Refuses a path that cannot be a folder because it, or what it lies in, is something else.
pub fn check_folder(folder: &Path) -> Result<(), FileError> {
    // A link to nothing is there, too.
    let mut paths = folder.ancestors();
    let there = paths.find(|path| path.symlink_metadata().is_ok());
    match there.filter(|path| !path.is_dir()) {
        Some(path) => {
            let path = path.display().to_string();
            Err(FileError::NotAFolder { path })
        }
        None => Ok(()),
    }
}

/// The file that a path names. A symbolic link stays, and what it leads to is replaced.
fn target(path: &Path) -> io::Result<PathBuf> {
    if let Ok(existing) = fs::canonicalize(path) {
        return Ok(existing);
    }
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let folder = fs::canonicalize(folder.unwrap_or(Path::new(".")))?;
    let name = path.file_name();
    let name = name.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no file name"))?;
    Ok(folder.join(name))
}

/// The end of the names of temporary files.
const TEMPORARY: &str = ".new";

/// A name beside `target` that nobody else uses: ".report.html.PID-COUNT.new". Those of processes
/// that were killed are removed.
pub(crate) fn temporary_path(target: &Path) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let begin = format!(".{name}.");
    remove_abandoned(target, &begin);
    target.with_file_name(format!("{begin}{}-{count}{TEMPORARY}", std::process::id()))
}

/// Whether `name` is one of the [temporary files](temporary_path).
#[cfg(feature = "store")]
pub(crate) fn is_temporary(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(TEMPORARY)
}

/// Removes temporary files for `target` whose process is no more, as Linux shows it.
fn remove_abandoned(target: &Path, begin: &str) {
    let folder = target.parent().filter(|folder| *folder != Path::new(""));
    let entries = fs::read_dir(folder.unwrap_or(Path::new(".")));
    if !Path::new("/proc/self").exists() {
        return;
    }
    for entry in entries.into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let middle = name.strip_prefix(begin);
        let middle = middle.and_then(|rest| rest.strip_suffix(TEMPORARY));
        if let Some((process, _)) = middle.and_then(|middle| middle.split_once('-'))
            && process.parse::<u32>().is_ok()
            && !Path::new("/proc").join(process).exists()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINE: Signature = Signature::beginning("mine");

    fn write(path: &Path, text: &str) -> Result<(), FileError> {
        write_whole(path, text, &MINE, Overwrite::Own)
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<String> = entries
            .map(|entry| name(entry).to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn only_files_with_the_signature_or_empty_ones_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page");
        write(&path, "mine 1").unwrap();
        write(&path, "mine 2").unwrap();
        fs::write(&path, format!("mine{}", "x".repeat(1 << 20))).unwrap();
        write(&path, "mine 3").unwrap();
        fs::write(&path, "").unwrap();
        write(&path, "mine 4").unwrap();
        fs::write(&path, "a letter").unwrap();
        assert!(matches!(
            write(&path, "mine 5"),
            Err(FileError::Foreign { .. })
        ));
        assert_eq!(fs::read_to_string(&path).unwrap(), "a letter");
        write_whole(&path, "mine 6", &MINE, Overwrite::Any).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine 6");
        assert_eq!(names(folder.path()), ["page"]);
    }

    #[test]
    fn a_file_appears_when_it_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page");
        write(&path, "mine, old").unwrap();
        let mut file = NewFile::create(&path, &MINE, Overwrite::Own).unwrap();
        file.write_all(b"mine, new").unwrap();
        file.flush().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine, old");
        drop(file);
        assert_eq!(names(folder.path()), ["page"]);
        let file = NewFile::create(&path, &MINE, Overwrite::Own).unwrap();
        file.complete_with(b"mine, new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine, new");
    }

    #[test]
    fn what_a_killed_process_has_left_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        // No process has this number: Linux counts to 4194304.
        let abandoned = folder.path().join(".page.4200000-0.new");
        let others = [".page.notes.new", ".other.4200000-0.new"];
        fs::write(&abandoned, "half").unwrap();
        for name in others {
            fs::write(folder.path().join(name), "whole").unwrap();
        }
        write(&folder.path().join("page"), "mine").unwrap();
        let left = names(folder.path());
        match Path::new("/proc/self").exists() {
            true => assert_eq!(left, [others[1], others[0], "page"]),
            false => assert_eq!(left.len(), 4),
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_and_devices_are_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("page"), folder.path().join("link"));
        write(&path, "mine").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write(&link, "mine, new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine, new");
        write(Path::new("/dev/null"), "nothing").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[test]
    fn a_file_that_cannot_be_written_fails_with_its_own_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nowhere/page");
        let error = NewFile::create(&path, &MINE, Overwrite::Own).unwrap_err();
        let shown = path.display().to_string();
        assert!(error.to_string().starts_with(&shown), "{error}");
    }

    #[test]
    fn a_file_where_a_folder_is_needed_is_named() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("letter");
        fs::write(&file, "dear editor").unwrap();
        let shown = file.display().to_string();
        for folder in [file.clone(), file.join("sub/folder")] {
            let refused = create_folder(&folder).unwrap_err();
            assert!(
                matches!(&refused, FileError::NotAFolder { path } if *path == shown),
                "{refused}"
            );
        }
        create_folder(&home.path().join("sub/folder")).unwrap();
        create_folder(&home.path().join("sub/folder")).unwrap();
    }

    #[test]
    fn no_more_is_read_than_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        fs::write(&path, "12345").unwrap();
        assert_eq!(read_text(&path, 5).unwrap(), "12345");
        assert!(matches!(
            read_text(&path, 4),
            Err(FileError::TooLong { .. })
        ));
        assert!(matches!(
            read_regular(folder.path(), 5),
            Err(FileError::NotRegular { .. })
        ));
        assert_eq!(read_regular(&path, 5).unwrap(), "12345");
        // As the kernel's log is, which waits for the next message.
        let process = Path::new("/proc/self/status");
        if process.exists() {
            assert_eq!(read_regular(process, 5).unwrap(), "");
        }
    }
}
