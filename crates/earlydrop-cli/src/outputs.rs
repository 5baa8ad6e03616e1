//! The files that a command writes: no two options may name the same one, and those that
//! earlydrop has not made are written over only if the user says so.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use earlydrop_lab::files::Overwrite;

use crate::failure::Failure;

/// Whether a command writes over files that earlydrop has not made.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub(crate) struct Overwriting {
    /// Write over files that are there already even if earlydrop has not made them
    #[arg(long)]
    force: bool,
}

impl Overwriting {
    /// The files that may be replaced.
    pub(crate) fn files(self) -> Overwrite {
        match self.force {
            true => Overwrite::Any,
            false => Overwrite::Own,
        }
    }
}

/// Refuses two options that name one file, by the same path, another path, or a link. `outputs`
/// are the options that were given, with their files; nothing is opened.
pub(crate) fn check_distinct(outputs: &[(&str, Option<&Path>)]) -> Result<(), Failure> {
    let given: Vec<(&str, &Path)> = outputs
        .iter()
        .filter_map(|(option, path)| Some((*option, (*path)?)))
        .collect();
    for (index, (option, path)) in given.iter().enumerate() {
        let same = given[..index]
            .iter()
            .find(|(_, other)| is_same(path, other));
        if let Some((other, name)) = same {
            return Err(Failure::Usage(format!(
                "{other} {} and {option} {} are the same file; give each its own",
                name.display(),
                path.display()
            )));
        }
    }
    Ok(())
}

/// Refuses outputs that are files which the command reads, also where it may write over files of
/// others: the input would be lost.
pub(crate) fn check_inputs(
    inputs: &[PathBuf],
    outputs: &[(&str, Option<&Path>)],
) -> Result<(), Failure> {
    for (option, path) in outputs {
        if let Some(path) = path.filter(|path| inputs.iter().any(|input| is_same(input, path))) {
            return Err(Failure::Usage(format!(
                "{option} {}: this command reads that file; choose another name",
                path.display()
            )));
        }
    }
    Ok(())
}

/// Whether both paths lead to one file, which may not exist yet. Devices such as `/dev/null` may
/// be written by several.
fn is_same(one: &Path, other: &Path) -> bool {
    match (fs::metadata(one), fs::metadata(other)) {
        (Ok(one), Ok(other)) => one.is_file() && is_same_file(&one, &other),
        (Err(_), Err(_)) => resolved(one, LINKS) == resolved(other, LINKS),
        _ => false,
    }
}

#[cfg(unix)]
fn is_same_file(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same_file(_one: &Metadata, _other: &Metadata) -> bool {
    false
}

/// Symbolic links that are followed to a file that does not exist, as in Linux.
const LINKS: usize = 40;

/// The path of a file that does not exist, in a folder that may, without links.
fn resolved(path: &Path, links: usize) -> PathBuf {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    match fs::read_link(path) {
        Ok(target) if links > 0 => resolved(&folder.join(target), links - 1),
        _ => {
            let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
            folder.join(path.file_name().unwrap_or_default())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn are_distinct(folder: &Path, names: [&str; 2]) -> bool {
        let paths = names.map(|name| folder.join(name));
        check_distinct(&[("--a", Some(&paths[0])), ("--b", Some(&paths[1]))]).is_ok()
    }

    #[test]
    fn one_file_by_two_paths_is_refused_whether_it_exists_or_not() {
        let folder = tempfile::TempDir::new().unwrap();
        let folder = folder.path();
        fs::create_dir(folder.join("sub")).unwrap();
        for exists in [false, true] {
            if exists {
                fs::write(folder.join("x"), "").unwrap();
            }
            for other in ["x", "./x", "sub/../x"] {
                assert!(!are_distinct(folder, ["x", other]), "{other}, {exists}");
            }
            assert!(are_distinct(folder, ["x", "y"]));
            assert!(are_distinct(folder, ["x", "sub/x"]));
        }
        assert!(are_distinct(folder, ["/dev/null", "/dev/null"]));
        let path = folder.join("x");
        assert!(check_distinct(&[("--a", Some(&path)), ("--b", None)]).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn links_to_one_file_are_refused() {
        let folder = tempfile::TempDir::new().unwrap();
        let folder = folder.path();
        std::os::unix::fs::symlink("x", folder.join("link")).unwrap();
        std::os::unix::fs::symlink("circle", folder.join("circle")).unwrap();
        assert!(!are_distinct(folder, ["x", "link"]), "it dangles");
        assert!(are_distinct(folder, ["x", "circle"]));
        fs::write(folder.join("x"), "").unwrap();
        assert!(!are_distinct(folder, ["x", "link"]));
        fs::hard_link(folder.join("x"), folder.join("hard")).unwrap();
        assert!(!are_distinct(folder, ["hard", "link"]));
    }
}
