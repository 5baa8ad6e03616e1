//! Creating and opening a run's folder.
//!
//! ```text
//! NAME/
//!   results.sqlite                    appears whole, with the identity of its run
//!   scenario.toml                     the scenario as run
//!   uplink-0123456789abcdef.trace     each recorded link that it names
//! ```
//!
//! A process may be killed at any time. So recordings and the database are written beside their
//! names and renamed, and a folder with nothing but the beginnings of a run is one to begin with.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, params};

use super::tables::{self, Table, insert, tables_of};
use super::{DATABASE, REPORT, SCENARIO, SERIES, Store, StoreError, database_error, set_about};
use crate::document::{Content, Node, Place};
use crate::escape::visible;
use crate::files::{
    FileError, Overwrite, Signature, check_existing, check_folder, check_regular, create_folder,
    is_temporary, temporary_path, write_whole,
};
use crate::plan::{Hosts, Plan, Recording, Source};
use crate::version::{engine, version};

/// The folder of a run in memory.
const IN_MEMORY: &str = ":memory:";

/// How long a process waits for another that has the run open: a report is read in less.
const PATIENCE: Duration = Duration::from_secs(1);

/// The application ID in the header of a run's database: "eDrp".
const APPLICATION_ID: u32 = u32::from_be_bytes(*b"eDrp");

impl Store {
    /// Creates the run of `plan` in `folder`, or opens it to continue. A folder with anything
    /// else is refused and not changed.
    pub fn create(folder: &Path, source: &Source, plan: &Plan) -> Result<Store, StoreError> {
        Store::create_one_of(folder, (source, plan), &[]).map(|(store, _)| store)
    }

    /// Creates the run of `first` in `folder`, or opens it or one of `others` to continue. Returns
    /// the index in `others` of the run that the folder holds; `None` for the first. The folder is
    /// locked before it is known which one it is, so that no other process can replace it.
    pub(super) fn create_one_of(
        folder: &Path,
        first: (&Source, &Plan),
        others: &[(Source, Plan)],
    ) -> Result<(Store, Option<usize>), StoreError> {
        let (source, plan) = first;
        if !Store::is_run_at(folder, plan)? {
            create_folder(folder)?;
            create_database(folder, source, plan)?;
        }
        let store = Store::connect(folder)?;
        let identity = store.about("identity")?.unwrap_or_default();
        let held = others
            .iter()
            .position(|(_, plan)| plan.identity() == identity);
        let (source, plan) = match held {
            Some(index) => (&others[index].0, &others[index].1),
            None => (source, plan),
        };
        store.check_identity(&identity, plan)?;
        for recording in &plan.recordings {
            keep(folder, recording)?;
        }
        store.plan_seeds(source, plan)?;
        Ok((store, held))
    }

    /// Whether a run is in `folder`, perhaps of another plan than `plan`; `false` where one could be
    /// created. Refuses a folder with anything else.
    pub fn is_run_at(folder: &Path, plan: &Plan) -> Result<bool, StoreError> {
        let refuse = |what: &str| {
            Err(StoreError::Another {
                path: folder.display().to_string(),
                what: what.to_string(),
            })
        };
        check_folder(folder)?;
        for name in [DATABASE, SCENARIO, REPORT] {
            check_regular(&folder.join(name))?;
        }
        for recording in &plan.recordings {
            is_kept(folder, recording)?;
        }
        let path = folder.join(DATABASE);
        if !path.exists() {
            if !folder.exists() || is_beginning(folder, plan)? {
                return Ok(false);
            }
            // Another process may have begun the run meanwhile.
            if !path.exists() {
                return refuse("other files");
            }
        }
        match Header::of(&path)?.is_of_run(folder) {
            true => Ok(true),
            false => refuse("a results.sqlite that earlydrop has not made"),
        }
    }

    /// The run of `plan` in a database in memory, which has no folder and ends with the program.
    pub fn in_memory(source: &Source, plan: &Plan) -> Result<Store, StoreError> {
        let folder = PathBuf::from(IN_MEMORY);
        let filled = Connection::open_in_memory().and_then(|database| {
            fill(&database, source, plan)?;
            Ok(database)
        });
        Ok(Store {
            database: filled.map_err(|error| database_error(&folder, error))?,
            folder,
            is_read_only: true,
        })
    }

    /// A database in memory for some cells of `plan`, which [`add_cells`](Store::add_cells) of the
    /// run that has them all takes. It knows neither the scenario nor its points.
    pub fn for_cells(plan: &Plan) -> Result<Store, StoreError> {
        let folder = PathBuf::from(IN_MEMORY);
        let made = Connection::open_in_memory().and_then(|database| {
            create_tables(&database, plan)?;
            Ok(database)
        });
        Ok(Store {
            database: made.map_err(|error| database_error(&folder, error))?,
            folder,
            is_read_only: true,
        })
    }

    /// Whether it lies in memory.
    pub fn is_in_memory(&self) -> bool {
        self.folder.as_os_str() == IN_MEMORY
    }

    /// Stores the number of seeds of `plan`, in the database and in `scenario.toml`. A file that
    /// the user has changed is not written over: it stays, with the new number of seeds, if it is this
    /// scenario with comments, and is refused otherwise.
    pub fn plan_seeds(&self, source: &Source, plan: &Plan) -> Result<(), StoreError> {
        if self.is_in_memory() {
            let planned = plan.seeds.len().to_string();
            return self.sql(|database| set_about(database, "seeds", &planned));
        }
        let path = self.folder.join(SCENARIO);
        let before = self.about("seeds")?.and_then(|seeds| seeds.parse().ok());
        let own = || {
            let (version, name) = (version(), visible(&source.name));
            format!("{HEADING}{version}, from {name}.\n{}", plan.toml())
        };
        let text = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Some(own()),
            Err(error) => return Err(FileError::new(&path, error).into()),
            Ok(there) => {
                let there = String::from_utf8(there).unwrap_or_else(|_| "binary".to_string());
                match there.is_empty() || is_as_written(&there, plan, before) {
                    true => Some(own()),
                    false => {
                        let path = path.display().to_string();
                        let seeded = with_seeds(&there, plan);
                        let seeded = seeded.ok_or(StoreError::Changed { path })?;
                        (seeded != there).then_some(seeded)
                    }
                }
            }
        };
        let planned = plan.seeds.len().to_string();
        self.sql(|database| set_about(database, "seeds", &planned))?;
        if let Some(text) = text {
            write_whole(&path, &text, &Signature::beginning(HEADING), Overwrite::Any)?;
        }
        Ok(())
    }

    /// Removes `scenario.toml` of this run of `plan`, which another is to replace; refuses to, if a
    /// user has changed it. A run without it is continued with a new one.
    pub(super) fn forget_scenario(&self, plan: &Plan) -> Result<(), StoreError> {
        let path = self.folder.join(SCENARIO);
        match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Ok(text) if is_as_written(&text, plan, Some(plan.seeds.len())) => {}
            Ok(_) | Err(_) => {
                let path = path.display().to_string();
                return Err(StoreError::Changed { path });
            }
        }
        fs::remove_file(&path).map_err(|error| FileError::new(&path, error).into())
    }

    /// The run of `plan` in `folder`, complete or not; `None` where the folder holds no run, or
    /// another run, or a run by another version, or one that another process has open.
    pub fn existing(folder: &Path, plan: &Plan) -> Result<Option<Store>, StoreError> {
        let path = folder.join(DATABASE);
        if !path.is_file() || !Header::of(&path)?.is_of_run(folder) {
            return Ok(None);
        }
        let store = match Store::connect(folder) {
            Err(StoreError::NoRun { .. } | StoreError::Busy { .. }) => return Ok(None),
            opened => opened?,
        };
        let is_it = store.about("identity")?.as_deref() == Some(plan.identity().as_str());
        let by_this = store.about("engine")?.as_deref() == Some(engine().as_str());
        let on_these = store.hosts()? == plan.hosts;
        Ok(Some(store).filter(|_| is_it && by_this && on_these))
    }

    /// Opens the run in `folder` for reading, as it is now: until it is closed, no process runs more
    /// of it. Nothing is written, so the folder may be an archive; but what a killed process has
    /// left in write-ahead mode is merged first.
    pub fn open(folder: &Path) -> Result<Store, StoreError> {
        let path = folder.join(DATABASE);
        let shown = folder.display().to_string();
        if !path.is_file() {
            return Err(match folder.join(SERIES).is_file() {
                true => StoreError::Trace { path: shown },
                false => StoreError::NoRun { path: shown },
            });
        }
        let header = Header::of(&path)?;
        if !header.is_of_run(folder) {
            return Err(StoreError::Foreign { path: shown });
        }
        if !header.is_write_ahead() {
            let store = Store::read_only(folder, false)?;
            // All that is read is of one state: this lock keeps a run from beginning meanwhile.
            store.sql(|database| database.execute_batch("BEGIN; SELECT * FROM about LIMIT 1"))?;
            return Ok(store);
        }
        // Only its lock tells a run in progress from one that was killed.
        match Store::connect(folder) {
            Err(StoreError::Database { error, .. }) if is_read_only(&error) => {
                match has_log(folder) {
                    true => Err(StoreError::Unmerged { path: shown }),
                    false => Store::read_only(folder, true),
                }
            }
            opened => opened,
        }
    }

    /// Whether `folder` has files named as a run's are.
    pub fn is_in(folder: &Path) -> bool {
        folder.join(DATABASE).exists()
    }

    /// Opens a database that is there, for reading and writing by this process only.
    fn connect(folder: &Path) -> Result<Store, StoreError> {
        let path = folder.join(DATABASE);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
        let database = Connection::open_with_flags(&path, flags);
        let store = Store {
            folder: folder.to_path_buf(),
            database: database.map_err(|error| database_error(folder, error))?,
            is_read_only: false,
        };
        // This rolls back a transaction that a killed process had not finished.
        let settings = "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL;
             PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE; COMMIT;";
        store.sql(|database| {
            database.busy_timeout(PATIENCE)?;
            database.execute_batch(settings)
        })?;
        Ok(store)
    }

    /// Opens a database for reading. One in write-ahead mode whose log is empty is taken as
    /// immutable: SQLite would write beside it.
    fn read_only(folder: &Path, is_write_ahead: bool) -> Result<Store, StoreError> {
        let path = folder.join(DATABASE);
        let mut flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
        let database = match is_write_ahead {
            false => Connection::open_with_flags(&path, flags),
            true => {
                flags |= OpenFlags::SQLITE_OPEN_URI;
                let name = format!("file:{}?immutable=1", percent_encoded(&path));
                Connection::open_with_flags(name, flags)
            }
        };
        let store = Store {
            folder: folder.to_path_buf(),
            database: database.map_err(|error| database_error(folder, error))?,
            is_read_only: true,
        };
        store.sql(|database| database.busy_timeout(PATIENCE))?;
        Ok(store)
    }

    fn check_identity(&self, identity: &str, plan: &Plan) -> Result<(), StoreError> {
        let refuse = |what: String| {
            Err(StoreError::Another {
                path: self.folder.display().to_string(),
                what,
            })
        };
        if self.hosts()? != plan.hosts {
            return refuse(match plan.hosts {
                Hosts::Simulated => "a live run, and this is a simulated one".to_string(),
                Hosts::Real => "a simulated run, and this is a live one".to_string(),
            });
        }
        if identity != plan.identity() {
            return refuse("the run of another scenario".to_string());
        }
        match (self.about("engine")?, self.about("version")?) {
            (Some(of), _) if of == engine() => Ok(()),
            (_, Some(by)) => {
                let own = version();
                refuse(format!(
                    "a run by earlydrop {by}, and this is {own}, whose results may differ"
                ))
            }
            // Just created.
            (_, None) => Ok(()),
        }
    }
}

impl Drop for Store {
    /// Merges the write-ahead log, so that the database is one file that can be archived.
    fn drop(&mut self) {
        if !self.is_read_only {
            let _ = self.database.execute_batch("PRAGMA journal_mode = DELETE");
        }
    }
}

/// What the scenario in a run's folder begins with.
const HEADING: &str = "# As run by earlydrop ";

/// Whether the text of a `scenario.toml` is what this run has written, when it had `before` seeds
/// or fewer.
fn is_as_written(text: &str, plan: &Plan, before: Option<usize>) -> bool {
    let body = match text.split_once('\n') {
        Some((heading, body)) if heading.starts_with(HEADING) => body,
        _ => return false,
    };
    let counted = body.strip_prefix("seeds = ");
    let counted = counted.and_then(|rest| rest.split_once('\n'));
    match counted.map(|(count, rest)| (count.parse::<usize>(), rest)) {
        Some((Ok(count), rest)) => Some(count) <= before && rest == plan.document,
        _ => body == plan.document,
    }
}

/// A text that is the scenario of `plan` but for comments, its form and its number of seeds, with
/// that number; `None` where it is another scenario.
fn with_seeds(text: &str, plan: &Plan) -> Option<String> {
    let parts = |text: &str| {
        let mut tree = Node::parse(text).ok()?;
        let seeds = tree.take("seeds");
        Some((seeds, tree.to_document()))
    };
    let (there, document) = parts(text)?;
    let (planned, own) = parts(&plan.toml())?;
    if document != own {
        return None;
    }
    let (there, planned) = (there?, planned?);
    let is_number = |node: &Node| matches!(node.content, Content::Number(_));
    match &there.place {
        _ if there.to_toml() == planned.to_toml() => Some(text.to_string()),
        Place::File(bytes) if is_number(&there) && is_number(&planned) => {
            let (before, after) = (text.get(..bytes.start)?, text.get(bytes.end..)?);
            Some(format!("{before}{}{after}", planned.to_toml()))
        }
        _ => None,
    }
}

/// Whether `folder` is empty, or holds only reports and what a process has left that was killed
/// when it created the run of `plan`.
fn is_beginning(folder: &Path, plan: &Plan) -> Result<bool, StoreError> {
    let failed = |error| FileError::new(folder, error);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        let name = name.to_string_lossy();
        let is_stored = plan.recordings.iter().any(|kept| *kept.stored_name == name);
        let is_report = || {
            let path = folder.join(REPORT);
            name == REPORT && check_existing(&path, &Signature::PAGE, Overwrite::Own).is_ok()
        };
        if !is_temporary(&name) && !is_stored && !is_report() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a recorded link is in `folder`. Refuses a link to other contents, and what is not a
/// file: a copy would be written to what a link leads to.
fn is_kept(folder: &Path, recording: &Recording) -> Result<bool, FileError> {
    let path = folder.join(&recording.stored_name);
    let text = &*recording.text;
    let there = match fs::symlink_metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        there => there.map_err(|error| FileError::new(&path, error))?,
    };
    let is_file = fs::metadata(&path).is_ok_and(|there| there.is_file());
    let is_equal = is_file && fs::read(&path).is_ok_and(|kept| kept == text.as_bytes());
    if there.is_file() || is_equal {
        return Ok(is_equal);
    }
    let path = path.display().to_string();
    Err(FileError::NotRegular { path })
}

/// Keeps a recorded link in `folder`, unless it is there.
fn keep(folder: &Path, recording: &Recording) -> Result<(), FileError> {
    if is_kept(folder, recording)? {
        return Ok(());
    }
    let path = folder.join(&recording.stored_name);
    let text = &*recording.text;
    // The name has a hash of the text: a file of this name is a damaged copy.
    write_whole(&path, text, &Signature::beginning(""), Overwrite::Any)
}

/// Creates the database of the run of `plan`, complete but for its cells, and gives it its name.
fn create_database(folder: &Path, source: &Source, plan: &Plan) -> Result<(), StoreError> {
    let path = folder.join(DATABASE);
    let temporary = temporary_path(&path);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let filled = Connection::open_with_flags(&temporary, flags).and_then(|database| {
        // Nobody else sees this file: it needs no journal, which would be another file.
        database.pragma_update(None, "journal_mode", "OFF")?;
        database.pragma_update(None, "application_id", APPLICATION_ID)?;
        let transaction = database.unchecked_transaction()?;
        fill(&transaction, source, plan)?;
        transaction.commit()
    });
    let named = filled
        .map_err(|error| database_error(folder, error))
        .and_then(|()| {
            // A link does not replace a database that another process has just created.
            let named = match fs::hard_link(&temporary, &path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
                Err(_) => fs::rename(&temporary, &path),
                linked => linked,
            };
            named.map_err(|error| FileError::new(&path, error).into())
        });
    let _ = fs::remove_file(&temporary);
    named
}

/// Creates the tables of a run, and says which run it is.
fn create_tables(database: &Connection, plan: &Plan) -> rusqlite::Result<()> {
    let tables = tables_of(plan.hosts, !plan.bottlenecks().is_empty());
    let mut statements: Vec<String> = tables.iter().map(Table::create).collect();
    statements.push(tables::SAMPLES.to_string());
    database.execute_batch(&statements.concat())?;
    if let Some(name) = plan.hosts.database_name() {
        set_about(database, "hosts", name)?;
    }
    set_about(database, "version", &version())?;
    set_about(database, "engine", &engine())?;
    set_about(database, "identity", &plan.identity())
}

/// Creates the tables of a run, unless they are there, and describes the run in them.
pub(super) fn fill(database: &Connection, source: &Source, plan: &Plan) -> rusqlite::Result<()> {
    create_tables(database, plan)?;
    set_about(database, "scenario", &plan.document)?;
    set_about(database, "source", &source.name)?;
    set_about(database, "seeds", &plan.seeds.len().to_string())?;
    for scheme in &plan.scenario().schemes {
        let spec = scheme.spec.to_string();
        database.execute(&insert("schemes"), params![scheme.label, spec])?;
    }
    for (number, point) in plan.points.iter().enumerate() {
        for (axis, index) in plan.axes.iter().zip(&point.coordinates) {
            let value = axis.text(*index);
            database.execute(&insert("points"), params![number, axis.field, value])?;
        }
    }
    Ok(())
}

/// The first 100 bytes of a database (sqlite.org/fileformat.html, section 1.3).
struct Header([u8; 100]);

impl Header {
    fn of(path: &Path) -> Result<Header, FileError> {
        let mut bytes = [0; 100];
        let read = File::open(path).and_then(|mut file| match file.read_exact(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(()),
            read => read,
        });
        read.map_err(|error| FileError::new(path, error))?;
        Ok(Header(bytes))
    }

    /// Whether it is that of a run, which lies in `folder`.
    fn is_of_run(&self, folder: &Path) -> bool {
        if !self.0.starts_with(b"SQLite format 3\0") {
            return false;
        }
        match self.0.get(68..72) {
            Some(id) if id == APPLICATION_ID.to_be_bytes() => true,
            // Runs of version 0.2.0 and earlier are known by their table `about`.
            Some([0, 0, 0, 0]) => {
                let store = Store::read_only(folder, self.is_write_ahead());
                let identity = store.and_then(|store| store.about("identity"));
                matches!(identity, Ok(Some(_)))
            }
            _ => false,
        }
    }

    fn is_write_ahead(&self) -> bool {
        self.0[18] == 2
    }
}

/// Whether the database in `folder` has a write-ahead log with something in it.
fn has_log(folder: &Path) -> bool {
    let log = fs::metadata(folder.join(format!("{DATABASE}-wal")));
    log.is_ok_and(|log| log.len() > 0)
}

/// A path in a URI.
fn percent_encoded(path: &Path) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
    let bytes = path.as_os_str().as_encoded_bytes().iter();
    let encode = |byte: &u8| match is_plain(*byte) {
        true => char::from(*byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    bytes.map(encode).collect()
}

/// What SQLite reports of a database, or of a folder, that cannot be written.
fn is_read_only(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen))
}
