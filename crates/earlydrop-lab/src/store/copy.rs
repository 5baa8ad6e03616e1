//! Cells copied from one run's database to another: from memory into a folder, and from the process
//! that ran them to the one that keeps them.

use std::collections::HashSet;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::tables::insert;
use super::{Store, StoreError, database_error};
use crate::plan::{Plan, Source};
use crate::version::engine;

impl Store {
    /// Keeps the run in `folder`, which may hold cells of it already, and returns the run there.
    pub fn keep_in(
        &self,
        folder: &Path,
        source: &Source,
        plan: &Plan,
    ) -> Result<Store, StoreError> {
        let kept = Store::create(folder, source, plan)?;
        kept.add_cells_of(self)?;
        Ok(kept)
    }

    /// The whole database as bytes, which [`add_cells`](Store::add_cells) reads.
    pub fn to_bytes(&mut self) -> Result<Vec<u8>, StoreError> {
        let bytes = self.database.serialize("main").map(|data| data.to_vec());
        bytes.map_err(|error| database_error(&self.folder, error))
    }

    /// Adds the cells of another database of the same run; those that are there already stay as
    /// they are. Returns the number of cells added.
    pub fn add_cells(&self, bytes: &[u8]) -> Result<usize, StoreError> {
        let folder = PathBuf::from("the cells to be added");
        let opened = Connection::open_in_memory().and_then(|mut database| {
            database.deserialize_read_exact("main", Cursor::new(bytes), bytes.len(), true)?;
            Ok(database)
        });
        let added = Store {
            database: opened.map_err(|error| database_error(&folder, error))?,
            folder,
            is_read_only: true,
        };
        self.add_cells_of(&added)
    }

    fn add_cells_of(&self, other: &Store) -> Result<usize, StoreError> {
        let identity = other.about("identity")?;
        if identity != self.about("identity")? || other.about("engine")? != Some(engine()) {
            return Err(StoreError::Another {
                path: other.folder.display().to_string(),
                what: "another run, or one by another version".to_string(),
            });
        }
        let cells: Vec<i64> = other.rows("SELECT cell FROM cells", |row| row.get(0))?;
        let mut new = HashSet::new();
        for cell in cells {
            let select = "SELECT count(*) FROM cells WHERE cell = ?";
            let count: i64 =
                self.sql(|database| database.query_row(select, [cell], |r| r.get(0)))?;
            new.extend((count == 0).then_some(cell));
        }
        let tables = other.cell_tables()?;
        self.sql(|database| {
            let transaction = database.unchecked_transaction()?;
            for table in &tables {
                copy_rows(&other.database, &transaction, table, &new)?;
            }
            transaction.commit()
        })?;
        Ok(new.len())
    }

    /// The names of the tables whose rows belong to cells.
    fn cell_tables(&self) -> Result<Vec<&'static str>, StoreError> {
        let tables = self.tables()?.into_iter();
        let of_cells =
            tables.filter(|table| table.columns.first().is_some_and(|c| c.name == "cell"));
        Ok(of_cells.map(|table| table.name).collect())
    }
}

/// Copies the rows of these cells in a table from one database to another.
fn copy_rows(
    from: &Connection,
    to: &Connection,
    table: &str,
    cells: &HashSet<i64>,
) -> rusqlite::Result<()> {
    let mut select = from.prepare(&format!("SELECT * FROM \"{table}\""))?;
    let mut insert = to.prepare(&insert(table))?;
    let count = select.column_count();
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        if !cells.contains(&row.get(0)?) {
            continue;
        }
        let values: Vec<Value> = (0..count).map(|at| row.get(at)).collect::<Result<_, _>>()?;
        insert.execute(params_from_iter(values))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::plan::TraceFiles;
    use crate::run::Progress;
    use crate::store::{missing_cells, run, run_cells};

    fn source(seeds: usize) -> Source {
        let text = format!(
            "duration = \"1 s\"\nseeds = {seeds}\nschemes = [\"red\", \"codel\"]\n[flows.bulk]\n"
        );
        Source::new("small.toml", &text, TraceFiles::default()).unwrap()
    }

    fn ran(source: &Source) -> (Plan, Store) {
        let plan = source.plan().unwrap();
        let store = Store::in_memory(source, &plan).unwrap();
        run(&plan, &store, 1, &AtomicBool::new(false), |_| {}).unwrap();
        (plan, store)
    }

    /// These cells as another process runs them.
    fn some_cells(plan: &Plan, numbers: std::ops::Range<usize>) -> Vec<u8> {
        let mut store = Store::for_cells(plan).unwrap();
        let cells: Vec<_> = numbers.filter_map(|number| plan.cell(number)).collect();
        let progress = Progress::of(cells.len());
        let stop = AtomicBool::new(false);
        run_cells(plan, &store, (cells, progress), 1, &stop, |_| {}).unwrap();
        store.to_bytes().unwrap()
    }

    fn rows(store: &Store, table: &str) -> String {
        format!("{:?}", store.columns_of(table).unwrap())
    }

    #[test]
    fn a_run_in_memory_is_kept_in_a_folder() {
        let source = source(2);
        let (plan, memory) = ran(&source);
        let folder = tempfile::tempdir().unwrap();
        for _ in 0..2 {
            let kept = memory.keep_in(folder.path(), &source, &plan).unwrap();
            assert_eq!(missing_cells(&plan, &kept).unwrap().0, []);
            for table in memory.table_names().unwrap() {
                assert_eq!(rows(&kept, table), rows(&memory, table), "{table}");
            }
        }
        assert!(folder.path().join("scenario.toml").exists());
    }

    #[test]
    fn cells_of_another_process_are_added_once() {
        let (plan, whole) = ran(&source(3));
        let bytes = some_cells(&plan, 0..2);
        let store = Store::in_memory(&source(3), &plan).unwrap();
        assert_eq!(store.add_cells(&bytes).unwrap(), 2);
        assert_eq!(store.add_cells(&bytes).unwrap(), 0);
        assert_eq!(store.add_cells(&some_cells(&plan, 1..6)).unwrap(), 4);
        for table in whole.table_names().unwrap() {
            assert_eq!(rows(&store, table), rows(&whole, table), "{table}");
        }
    }

    #[test]
    fn cells_of_another_scenario_are_refused() {
        let mut other = source(1);
        other.set("duration", "2 s", "--duration");
        let bytes = some_cells(&other.plan().unwrap(), 0..2);
        let (plan, store) = ran(&source(1));
        let error = store.add_cells(&bytes).unwrap_err().to_string();
        assert!(error.contains("another run"), "{error}");
        assert!(store.add_cells(b"no database").is_err());
        assert_eq!(store.done().unwrap().len(), plan.cell_count());
    }
}
