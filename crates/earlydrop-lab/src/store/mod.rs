//! Runs in folders: a SQLite database of the outcomes, and the scenario as run.
//!
//! [`run`] runs a plan's cells and saves each as it ends, in one transaction; a run that was
//! interrupted continues with the missing cells. [`export`] writes the tables as CSV, JSON or
//! Parquet. [`page`] describes the tables.

mod export;
mod read;
mod run;
mod tables;
mod write;

pub use export::{ExportError, Format, export};
pub use read::{FlowRow, Quantiles};
pub use run::{RunError, missing_cells, run, run_until};
pub use tables::{Column, ColumnType, Table, page};

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use earlydrop::registry::Registry;
use rusqlite::{Connection, ErrorCode, OpenFlags, params};

use crate::escape::visible;
use crate::files::FileError;
use crate::plan::{Hosts, Plan, Source};
use crate::version::version;
use tables::{insert, tables_of};

/// What can go wrong with a run's folder.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The database reports an error.
    #[error("{path}: {error}")]
    Database {
        /// The database's path.
        path: String,
        /// The error.
        error: rusqlite::Error,
    },
    /// The folder holds no run.
    #[error("{path} holds no run: there is no {DATABASE}")]
    NoRun {
        /// The folder's path.
        path: String,
    },
    /// Another process has the run open.
    #[error("{path} is in use: another process has this run open")]
    Busy {
        /// The folder's path.
        path: String,
    },
    /// The folder holds something else.
    #[error("{path} holds {what}; nothing was written: choose another folder with --out")]
    Another {
        /// The folder's path.
        path: String,
        /// A description of its contents.
        what: String,
    },
}

/// The name of the database in a run's folder.
const DATABASE: &str = "results.sqlite";

/// The name of the scenario in a run's folder.
const SCENARIO: &str = "scenario.toml";

/// A run's folder, open for reading and writing by this process only.
pub struct Store {
    folder: PathBuf,
    database: Connection,
}

/// A cell by its scheme's label, its point and its seed.
pub type CellKey = (String, usize, u64);

impl Store {
    /// Creates the run of `plan` in `folder`, or opens it to continue. A folder with anything
    /// else is refused and not changed.
    pub fn create(folder: &Path, source: &Source, plan: &Plan) -> Result<Store, StoreError> {
        let path = folder.join(DATABASE);
        if !path.exists() && folder.exists() && !is_empty(folder)? {
            return Err(StoreError::Another {
                path: folder.display().to_string(),
                what: "other files".to_string(),
            });
        }
        fs::create_dir_all(folder).map_err(|error| file_error(folder, error))?;
        let store = Store::connect(folder, OpenFlags::default())?;
        match store.about("identity")? {
            None => {
                store.create_tables(plan.hosts)?;
                store.describe(source, plan)?;
                store.copy_traces(source)?;
            }
            Some(identity) => store.check_identity(&identity, plan)?,
        }
        store.plan_seeds(source, plan)?;
        Ok(store)
    }

    /// Stores the number of seeds of `plan`, in the database and in `scenario.toml`.
    pub fn plan_seeds(&self, source: &Source, plan: &Plan) -> Result<(), StoreError> {
        let planned = plan.seeds.len().to_string();
        self.sql(|database| set_about(database, "seeds", &planned))?;
        let path = self.folder.join(SCENARIO);
        let heading = format!(
            "# As run by earlydrop {}, from {}.\n",
            version(),
            visible(&source.name)
        );
        let result = fs::write(&path, heading + &plan.toml());
        result.map_err(|error| file_error(&path, error))
    }

    /// The run of `plan` in `folder`, complete or not; `None` where the folder holds no run, or
    /// another run, or a run by another version, or one that another process has open.
    pub fn existing(folder: &Path, plan: &Plan) -> Result<Option<Store>, StoreError> {
        if !folder.join(DATABASE).is_file() {
            return Ok(None);
        }
        let store = match Store::open(folder) {
            Err(StoreError::NoRun { .. } | StoreError::Busy { .. }) => return Ok(None),
            opened => opened?,
        };
        let is_it = store.about("identity")?.as_deref() == Some(plan.identity().as_str());
        let by_this = store.about("version")?.as_deref() == Some(version().as_str());
        let on_these = store.hosts()? == plan.hosts;
        Ok(Some(store).filter(|_| is_it && by_this && on_these))
    }

    /// Opens the run in `folder`.
    pub fn open(folder: &Path) -> Result<Store, StoreError> {
        if !folder.join(DATABASE).is_file() {
            let path = folder.display().to_string();
            return Err(StoreError::NoRun { path });
        }
        let store = Store::connect(folder, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        match store.about("identity")? {
            Some(_) => Ok(store),
            None => Err(StoreError::NoRun {
                path: folder.display().to_string(),
            }),
        }
    }

    fn connect(folder: &Path, flags: OpenFlags) -> Result<Store, StoreError> {
        let path = folder.join(DATABASE);
        let database = Connection::open_with_flags(&path, flags);
        let database = database.map_err(|error| database_error(folder, error))?;
        let store = Store {
            folder: folder.to_path_buf(),
            database,
        };
        // This rolls back a transaction that a killed process had not finished.
        let settings = "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL;
             PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE; COMMIT;";
        store.sql(|database| {
            database.busy_timeout(Duration::from_millis(200))?;
            database.execute_batch(settings)
        })?;
        Ok(store)
    }

    fn create_tables(&self, hosts: Hosts) -> Result<(), StoreError> {
        let tables = tables_of(hosts);
        let mut statements: Vec<String> = tables.iter().map(Table::create).collect();
        statements.push(tables::SAMPLES.to_string());
        self.sql(|database| database.execute_batch(&statements.concat()))
    }

    /// Calls `act` with the database and converts its error.
    fn sql<T>(
        &self,
        act: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        act(&self.database).map_err(|error| database_error(&self.folder, error))
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
        match self.about("version")? {
            Some(by) if by != version() => {
                let own = version();
                refuse(format!("a run by version {by}, and this is {own}"))
            }
            _ => Ok(()),
        }
    }

    /// Stores what identifies the run.
    fn describe(&self, source: &Source, plan: &Plan) -> Result<(), StoreError> {
        self.sql(|database| {
            let transaction = database.unchecked_transaction()?;
            if let Some(name) = plan.hosts.database_name() {
                set_about(&transaction, "hosts", name)?;
            }
            for (key, value) in [
                ("scenario", plan.document.as_str()),
                ("source", &source.name),
                ("version", &version()),
                // Last: without it, a folder holds no run.
                ("identity", &plan.identity()),
            ] {
                set_about(&transaction, key, value)?;
            }
            for scheme in &plan.scenario().schemes {
                let spec = scheme.spec.to_string();
                transaction.execute(&insert("schemes"), params![scheme.label, spec])?;
            }
            for (number, point) in plan.points.iter().enumerate() {
                for (axis, index) in plan.axes.iter().zip(&point.coordinates) {
                    let value = axis.texts().swap_remove(*index);
                    transaction.execute(&insert("points"), params![number, axis.field, value])?;
                }
            }
            transaction.commit()
        })
    }

    /// Copies the recorded links of the scenario, so that the folder can be run again.
    fn copy_traces(&self, source: &Source) -> Result<(), StoreError> {
        for (name, text) in source.traces()? {
            let to = self.folder.join(name);
            if let Some(parent) = to.parent() {
                fs::create_dir_all(parent).map_err(|error| file_error(parent, error))?;
            }
            fs::write(&to, text).map_err(|error| file_error(&to, error))?;
        }
        Ok(())
    }

    /// The run's folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The scenario as run, with its seeds, under the built-in schemes.
    pub fn source(&self) -> Result<Source, StoreError> {
        self.source_with(Registry::built_in())
    }

    /// The scenario as run, with its seeds, under the schemes of `registry`.
    pub fn source_with(&self, registry: Registry) -> Result<Source, StoreError> {
        let about = |key| self.about(key).map(Option::unwrap_or_default);
        let (scenario, seeds) = (about("scenario")?, about("seeds")?);
        let seeds = match scenario.starts_with("seeds = [") {
            true => String::new(),
            false => format!("seeds = {seeds}\n"),
        };
        let name = about("source")?;
        let source = Source::new(&name, &format!("{seeds}{scenario}"), self.folder.clone());
        let source = source.map_err(|_| StoreError::NoRun {
            path: self.folder.display().to_string(),
        });
        Ok(source?.with_registry(registry))
    }

    /// The hosts that ran it.
    pub fn hosts(&self) -> Result<Hosts, StoreError> {
        let name = self.about("hosts")?;
        Ok(match name.as_deref() == Hosts::Real.database_name() {
            true => Hosts::Real,
            false => Hosts::Simulated,
        })
    }

    /// Its tables.
    pub fn tables(&self) -> Result<Vec<Table>, StoreError> {
        Ok(tables_of(self.hosts()?))
    }

    /// A value of the table `about`; `None` where there is none of this key.
    pub fn about(&self, key: &str) -> Result<Option<String>, StoreError> {
        let select = "SELECT value FROM about WHERE key = ?";
        match self.database.query_row(select, [key], |row| row.get(0)) {
            Ok(value) => Ok(Some(value)),
            Err(rusqlite::Error::QueryReturnedNoRows) => Ok(None),
            Err(rusqlite::Error::SqliteFailure(_, Some(message)))
                if message.contains("no such table") =>
            {
                Ok(None)
            }
            Err(error) => Err(database_error(&self.folder, error)),
        }
    }

    /// The completed cells.
    pub fn done(&self) -> Result<HashSet<CellKey>, StoreError> {
        let rows = self.rows("SELECT scheme, point, seed FROM cells", |row| {
            Ok((row.get(0)?, row.get(1)?, row.get::<_, i64>(2)? as u64))
        });
        Ok(rows?.into_iter().collect())
    }
}

fn is_empty(folder: &Path) -> Result<bool, StoreError> {
    let mut entries = fs::read_dir(folder).map_err(|error| file_error(folder, error))?;
    Ok(entries.next().is_none())
}

fn file_error(path: &Path, error: std::io::Error) -> StoreError {
    FileError::new(path, error).into()
}

fn database_error(folder: &Path, error: rusqlite::Error) -> StoreError {
    let path = folder.display().to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy { path },
        _ => {
            let path = folder.join(DATABASE).display().to_string();
            StoreError::Database { path, error }
        }
    }
}

fn set_about(database: &Connection, key: &str, value: &str) -> rusqlite::Result<()> {
    let insert = "INSERT OR REPLACE INTO about VALUES (?, ?)";
    database.execute(insert, [key, value]).map(|_| ())
}
