//! One run, one folder: a database of what was found, and the scenario as run.

mod export;
mod read;
mod run;
mod tables;

pub use export::{ExportError, Format, export};
pub use read::{FlowRow, Quantiles};

pub use run::{RunError, missing_cells, run, run_until};
use tables::tables_of;
pub use tables::{Column, Kind, Table, page};

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, params, params_from_iter, types};

use crate::files::FileError;
use crate::metrics::LIVE_METRICS;
use crate::outcome::{Live, Outcome};
use crate::plan::{Cell, Hosts, Plan, Source};
use crate::version::version;

/// What can go wrong with a run's folder.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The database does not do as asked.
    #[error("{path}: {error}")]
    Database {
        /// The database.
        path: String,
        /// Why.
        error: rusqlite::Error,
    },
    /// There is no run.
    #[error("{path} holds no run: there is no {DATABASE}")]
    NoRun {
        /// The folder.
        path: String,
    },
    /// Somebody else is writing to it.
    #[error("{path} is in use: another earlydrop is at work on this run")]
    Busy {
        /// The folder.
        path: String,
    },
    /// It holds another run.
    #[error("{path} holds {what}; nothing was written: choose another folder with --out")]
    Another {
        /// The folder.
        path: String,
        /// What is different about it.
        what: String,
    },
}

/// The database's name in a run's folder.
const DATABASE: &str = "results.sqlite";

/// The scenario's name in a run's folder.
const SCENARIO: &str = "scenario.toml";

/// A run's folder.
pub struct Store {
    folder: PathBuf,
    database: Connection,
}

/// A cell by what it is: its scheme's label, its point, its seed.
pub type CellKey = (String, usize, u64);

impl Store {
    /// The run of `plan` in `folder`, begun or gone on with. Another run's folder is
    /// refused and left as it is.
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
                store.make_tables(plan.hosts)?;
                store.describe(source, plan)?;
                store.copy_traces(source)?;
            }
            Some(identity) => store.check_identity(&identity, plan)?,
        }
        store.plan_seeds(source, plan)?;
        Ok(store)
    }

    /// Notes with how many seeds the scenario is run, there and in `scenario.toml`.
    pub fn plan_seeds(&self, source: &Source, plan: &Plan) -> Result<(), StoreError> {
        let planned = plan.seeds.len().to_string();
        self.sql(|database| set_about(database, "seeds", &planned))?;
        let path = self.folder.join(SCENARIO);
        let heading = format!(
            "# As run by earlydrop {}, from {}.\n",
            version(),
            source.name
        );
        let written = fs::write(&path, heading + &plan.toml());
        written.map_err(|error| file_error(&path, error))
    }

    /// The run of `plan` in `folder` as far as it is done; `None` where there is none, or
    /// another, one by another version, or one that somebody is writing to.
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

    /// The run in `folder`.
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
        // A transaction that a killed process had not finished is undone at this point.
        let settings = "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL;
             PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE; COMMIT;";
        store.sql(|database| {
            database.busy_timeout(Duration::from_millis(200))?;
            database.execute_batch(settings)
        })?;
        Ok(store)
    }

    fn make_tables(&self, hosts: Hosts) -> Result<(), StoreError> {
        let tables = tables_of(hosts);
        let mut statements: Vec<String> = tables.iter().map(Table::create).collect();
        statements.push(tables::SAMPLES.to_string());
        self.sql(|database| database.execute_batch(&statements.concat()))
    }

    /// Does something with the database.
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

    /// Writes what the run is.
    fn describe(&self, source: &Source, plan: &Plan) -> Result<(), StoreError> {
        self.sql(|database| {
            let transaction = database.unchecked_transaction()?;
            if let Some(word) = plan.hosts.word() {
                set_about(&transaction, "hosts", word)?;
            }
            for (key, value) in [
                ("scenario", plan.document.as_str()),
                ("source", &source.name),
                ("version", &version()),
                // Last: a run without it was never begun.
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

    /// The recorded links it reads, so that the folder can be run again as it is.
    fn copy_traces(&self, source: &Source) -> Result<(), StoreError> {
        for (name, text) in source.traces() {
            let to = self.folder.join(name);
            if let Some(parent) = to.parent() {
                fs::create_dir_all(parent).map_err(|error| file_error(parent, error))?;
            }
            fs::write(&to, text).map_err(|error| file_error(&to, error))?;
        }
        Ok(())
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The scenario it holds, as run, with the seeds asked for.
    pub fn source(&self) -> Result<Source, StoreError> {
        let about = |key| self.about(key).map(Option::unwrap_or_default);
        let (scenario, seeds) = (about("scenario")?, about("seeds")?);
        let seeds = match scenario.starts_with("seeds = [") {
            true => String::new(),
            false => format!("seeds = {seeds}\n"),
        };
        let name = about("source")?;
        let source = Source::new(&name, &format!("{seeds}{scenario}"), self.folder.clone());
        source.map_err(|_| StoreError::NoRun {
            path: self.folder.display().to_string(),
        })
    }

    /// Which hosts sent.
    pub fn hosts(&self) -> Result<Hosts, StoreError> {
        let word = self.about("hosts")?;
        Ok(match word == Hosts::Real.word().map(String::from) {
            true => Hosts::Real,
            false => Hosts::Simulated,
        })
    }

    /// The tables that it has.
    pub fn tables(&self) -> Result<Vec<Table>, StoreError> {
        Ok(tables_of(self.hosts()?))
    }

    /// A word about the run.
    pub fn about(&self, key: &str) -> Result<Option<String>, StoreError> {
        let select = "SELECT value FROM about WHERE key = ?";
        let found = self.database.query_row(select, [key], |row| row.get(0));
        match found {
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

    /// The cells that are done.
    pub fn done(&self) -> Result<HashSet<CellKey>, StoreError> {
        let rows = self.rows("SELECT scheme, point, seed FROM cells", |row| {
            Ok((row.get(0)?, row.get(1)?, row.get::<_, i64>(2)? as u64))
        });
        Ok(rows?.into_iter().collect())
    }

    /// Keeps what a cell found: all of it, or nothing if the process ends meanwhile.
    pub fn save(&self, plan: &Plan, cell: Cell, outcome: &Outcome) -> Result<(), StoreError> {
        self.sql(|database| {
            let transaction = database.unchecked_transaction()?;
            save_cell(&transaction, plan, cell, outcome)?;
            save_parts(&transaction, plan.number(cell), outcome)?;
            transaction.commit()
        })
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

/// The statement that adds a row to this table.
fn insert(name: &str) -> String {
    let mut all = tables_of(Hosts::Real).into_iter();
    let found = all.find(|table| table.name == name);
    found.map(|table| table.insert()).unwrap_or_default()
}

fn save_cell(
    transaction: &Transaction<'_>,
    plan: &Plan,
    cell: Cell,
    outcome: &Outcome,
) -> rusqlite::Result<()> {
    let scheme = plan.labels()[cell.scheme].to_string();
    let mut row: Vec<types::Value> = vec![
        whole(plan.number(cell) as u64),
        scheme.into(),
        whole(cell.point as u64),
        whole(plan.seeds[cell.seed]),
    ];
    row.extend(outcome.values.iter().map(|value| real(*value)));
    transaction.execute(&insert("cells"), params_from_iter(row))?;
    Ok(())
}

fn save_parts(
    transaction: &Transaction<'_>,
    number: usize,
    outcome: &Outcome,
) -> rusqlite::Result<()> {
    let add = |table: &str, rows: Vec<Vec<types::Value>>| -> rusqlite::Result<()> {
        let mut statement = transaction.prepare(&insert(table))?;
        for mut row in rows {
            row.insert(0, whole(number as u64));
            statement.execute(params_from_iter(row))?;
        }
        Ok(())
    };
    let groups = outcome.groups.iter().map(|(name, flows, values)| {
        let mut row = vec![name.clone().into(), whole(*flows as u64)];
        row.extend(values.iter().map(|value| real(*value)));
        row
    });
    add("groups", groups.collect())?;
    let flows = outcome.flows.iter().enumerate();
    add(
        "flows",
        flows.map(|(index, flow)| flow_row(index, flow)).collect(),
    )?;
    add("queues", outcome.queues.iter().map(queue_row).collect())?;
    add("sojourn", quantile_rows(&outcome.sojourn))?;
    if let Some(live) = &outcome.live {
        add("live", vec![live_row(live)])?;
        add("lateness", quantile_rows(&live.lateness))?;
    }
    let transfers = outcome.transfers.iter().map(|(group, share, seconds)| {
        vec![group.clone().into(), (*share).into(), (*seconds).into()]
    });
    add("transfers", transfers.collect())?;
    let series = outcome.series.iter().map(|series| {
        let finite = series
            .values
            .iter()
            .map(|value| value.is_finite().then_some(*value));
        let list = serde_json::to_string(&finite.collect::<Vec<_>>()).unwrap_or_default();
        let (source, name) = (series.source.clone(), series.name.clone());
        vec![
            source.into(),
            name.into(),
            series.interval.into(),
            list.into(),
        ]
    });
    add("series", series.collect())
}

/// Shares, and the seconds that belong to them.
fn quantile_rows(quantiles: &[(f64, f64)]) -> Vec<Vec<types::Value>> {
    let row = |(share, seconds): &(f64, f64)| vec![(*share).into(), (*seconds).into()];
    quantiles.iter().map(row).collect()
}

fn live_row(live: &Live) -> Vec<types::Value> {
    let measured = LIVE_METRICS.iter().map(|metric| real(metric.of_live(live)));
    let rule = [live.tolerated.into(), whole(u64::from(live.trustworthy))];
    measured.chain(rule).collect()
}

fn flow_row(index: usize, flow: &crate::outcome::Flow) -> Vec<types::Value> {
    vec![
        whole(index as u64),
        flow.group.clone().into(),
        flow.throughput.into(),
        flow.goodput.into(),
        whole(flow.received),
        whole(flow.lost),
        whole(flow.marked),
        whole(flow.timeouts),
        whole(flow.retransmissions),
    ]
}

fn queue_row(queue: &crate::outcome::Queue) -> Vec<types::Value> {
    let mut row = vec![
        queue.link.clone().into(),
        whole(u64::from(queue.watched)),
        queue.utilisation.into(),
        queue.mean_packets.into(),
        whole(u64::from(queue.longest)),
        queue.mean_sojourn.into(),
        whole(queue.arrived),
        whole(queue.departed),
        whole(queue.marked),
    ];
    row.extend(queue.dropped.iter().map(|dropped| whole(*dropped)));
    row
}

/// SQLite's whole numbers are signed; none here is beyond their half.
fn whole(number: u64) -> types::Value {
    types::Value::Integer(number as i64)
}

/// What is no number is nothing.
fn real(value: Option<f64>) -> types::Value {
    match value.filter(|value| value.is_finite()) {
        Some(value) => types::Value::Real(value),
        None => types::Value::Null,
    }
}
