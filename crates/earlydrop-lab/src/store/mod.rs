//! Runs in folders: a SQLite database of the outcomes, and the scenario as run.
//!
//! [`run`] runs a plan's cells and saves each as it ends, in one transaction; a run that was
//! interrupted continues with the missing cells. [`export`] writes the tables as CSV, JSON or
//! Parquet, and the time series for flent. [`page`] describes the tables.

mod columns;
mod copy;
mod export;
mod folder;
mod lengthen;
mod packets;
mod read;
mod run;
mod summaries;
mod tables;
mod write;

pub use columns::{ColumnTable, Values, sample_table};
pub use export::{ExportError, FlentFile, Format, export, flent_files};
pub use packets::{PacketFormat, packet_table, write_packets};
pub use read::{FlowRow, PortRow, Quantiles, QueueRow, SizeRow};
pub use run::{Report, RunError, missing_cells, run, run_cells, run_until};
pub use tables::{Column, ColumnType, Table, page};

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use earlydrop::registry::Registry;
use rusqlite::{Connection, ErrorCode};

use crate::budget::Limits;
use crate::document::Problems;
use crate::files::FileError;
use crate::plan::{Hosts, Plan, Source};
use tables::{LINKS, tables_of};

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
    /// The folder holds a trace.
    #[error("{path} holds a trace, which is one run in {SERIES} and {REPORT}, not results of many")]
    Trace {
        /// The folder's path.
        path: String,
    },
    /// The folder's database is not one of a run.
    #[error("{path} holds no run: earlydrop has not made its {DATABASE}")]
    Foreign {
        /// The folder's path.
        path: String,
    },
    /// The folder cannot be written, and its write-ahead log is not empty.
    #[error(
        "{path} cannot be written, and a run that was killed has left results there that are not \
         merged yet: copy the folder to where it can be written"
    )]
    Unmerged {
        /// The folder's path.
        path: String,
    },
    /// The stored scenario is not one.
    #[error("{path}: the scenario in its {DATABASE} is damaged: {problems}")]
    Damaged {
        /// The folder's path.
        path: String,
        /// What is wrong with it.
        problems: Box<Problems>,
    },
    /// Another process has the run open.
    #[error("{path} is in use: another process has its {DATABASE} open")]
    Busy {
        /// The folder's path.
        path: String,
    },
    /// The scenario in the folder is another than that of its run.
    #[error(
        "{path} was changed since the run wrote it, and is not written over; move it to another \
         folder, and the run continues"
    )]
    Changed {
        /// The file's path.
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

/// The name of the report page in a run's folder.
pub const REPORT: &str = "report.html";

/// The name of the time series in the folder of a trace.
pub const SERIES: &str = "series.csv";

/// A run's folder, open for reading, or for reading and writing by this process only.
pub struct Store {
    folder: PathBuf,
    database: Connection,
    is_read_only: bool,
}

/// A cell by its scheme's label, its point and its seed.
pub type CellKey = (String, usize, u64);

impl Store {
    /// Calls `act` with the database and converts its error.
    fn sql<T>(
        &self,
        act: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        act(&self.database).map_err(|error| database_error(&self.folder, error))
    }

    /// The run's folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The files of the run of `plan` that reading it needs.
    pub fn files(&self, plan: &Plan) -> Vec<PathBuf> {
        let log = format!("{DATABASE}-wal");
        let stored = plan.recordings.iter().map(|kept| &*kept.stored_name);
        let names = [DATABASE, &log, SCENARIO].into_iter().chain(stored);
        names.map(|name| self.folder.join(name)).collect()
    }

    /// The scenario as run, with its seeds, under the built-in schemes.
    pub fn source(&self) -> Result<Source, StoreError> {
        self.source_with(Registry::built_in())
    }

    /// The scenario as run, with its seeds, under the schemes of `registry`. Its plans have no
    /// budget: what was run may be read.
    pub fn source_with(&self, registry: Registry) -> Result<Source, StoreError> {
        let about = |key| self.about(key).map(Option::unwrap_or_default);
        let (name, scenario) = (about("source")?, about("scenario")?);
        let source = Source::new(&name, &scenario, self.folder.clone());
        let source = source.map_err(|problems| damaged(self, problems));
        let mut source = source?.with_registry(registry);
        // A run by an earlier version that was killed at its beginning has none yet.
        if let Ok(seeds) = about("seeds")?.parse() {
            source = source.with_seeds(seeds);
        }
        Ok(source.with_limits(Limits::NONE))
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
        Ok(tables_of(self.hosts()?, self.has_links()?))
    }

    /// Whether it has figures of several bottlenecks.
    pub(super) fn has_links(&self) -> Result<bool, StoreError> {
        let select = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?";
        self.sql(|database| database.query_row(select, [LINKS], |row| row.get(0)))
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

    /// Sets a value of the table `about`, which a page of the run shows.
    pub fn set_about(&self, key: &str, value: &str) -> Result<(), StoreError> {
        self.sql(|database| set_about(database, key, value))
    }

    /// The completed cells.
    pub fn done(&self) -> Result<HashSet<CellKey>, StoreError> {
        let rows = self.rows("SELECT scheme, point, seed FROM cells", |row| {
            Ok((row.get(0)?, row.get(1)?, row.get::<_, i64>(2)? as u64))
        });
        Ok(rows?.into_iter().collect())
    }
}

/// The error of a stored scenario with these problems.
fn damaged(store: &Store, problems: Problems) -> StoreError {
    StoreError::Damaged {
        path: store.folder.display().to_string(),
        problems: Box::new(problems),
    }
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
