//! A run's folder: what a scenario names is read and never written, what others have made stays,
//! and a process that is killed leaves something to continue.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use earlydrop_lab::files::{FileError, Overwrite};
use earlydrop_lab::plan::{Plan, Source};
use earlydrop_lab::store::{self, Format, Store, StoreError, export};
use rusqlite::Connection;
use tempfile::TempDir;

/// 12 Mbps and 6 Mbps: a packet of 1500 bytes every millisecond, and every second one.
const FAST: &str = "1\n";
const SLOW: &str = "2\n";

/// A scenario on a recorded link.
fn scenario(trace: &str) -> String {
    format!(
        "duration = \"2 s\"\nwarm_up = \"1 s\"\nseeds = 1\nschemes = [\"droptail\"]\n\
         [network]\ntrace = \"{trace}\"\nrtt = \"10 ms\"\n[flows.a]\nstart = \"0 s\"\n"
    )
}

struct User {
    home: TempDir,
}

impl User {
    fn new() -> User {
        User {
            home: TempDir::new().unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn writes(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// A scenario in the folder `lab`, on this recording.
    fn opens(&self, trace: &str) -> (Source, Plan) {
        let file = self.writes("lab/s.toml", &scenario(trace));
        let source = Source::open(&file).unwrap();
        let plan = source.plan().unwrap();
        (source, plan)
    }

    /// Runs it in the folder `run` and returns the goodput.
    fn runs(&self, trace: &str) -> Result<f64, StoreError> {
        let (source, plan) = self.opens(trace);
        let store = Store::create(&self.path("run"), &source, &plan)?;
        store::run(&plan, &store, 1, &AtomicBool::new(false), |_| {}).unwrap();
        let goodput = earlydrop_lab::metrics::index_of("goodput").unwrap();
        Ok(store.cells().unwrap()[0].values[goodput].unwrap())
    }
}

/// Every file below a folder with its contents.
fn everything(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => all.extend(everything(&path)),
            false => drop(all.insert(path.clone(), fs::read(&path).unwrap())),
        }
    }
    all
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
    let mut names: Vec<String> = entries
        .map(|entry| name(entry).to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_recording_is_read_where_it_lies_and_kept_under_a_plain_name() {
    let user = User::new();
    let absolute = user.writes("traces/w.trace", FAST);
    let beside = user.writes("notes.txt", SLOW);
    let relative = user.writes("lab/sub/up.trace", FAST);
    for trace in [absolute.to_str().unwrap(), "../notes.txt", "sub/up.trace"] {
        let before = [&absolute, &beside, &relative].map(|path| fs::read(path).unwrap());
        user.runs(trace).unwrap();
        let after = [&absolute, &beside, &relative].map(|path| fs::read(path).unwrap());
        assert_eq!(before, after, "{trace}");
        let kept = names(&user.path("run"));
        let plain = ["results.sqlite", "scenario.toml"];
        assert_eq!(
            kept.iter()
                .filter(|name| !plain.contains(&name.as_str()))
                .count(),
            1
        );
        assert_eq!(kept.len(), 3, "{kept:?}");
        fs::remove_dir_all(user.path("run")).unwrap();
    }
    // In a folder where nothing but the recording lies, too.
    assert_eq!(names(&user.path("traces")), ["w.trace"]);
}

#[test]
fn the_contents_of_a_recording_are_part_of_a_runs_identity() {
    let user = User::new();
    user.writes("lab/w.trace", FAST);
    let fast = user.runs("w.trace").unwrap();
    user.writes("lab/w.trace", SLOW);
    let refused = user.runs("w.trace").unwrap_err();
    assert!(matches!(refused, StoreError::Another { .. }), "{refused}");
    fs::remove_dir_all(user.path("run")).unwrap();
    let slow = user.runs("w.trace").unwrap();
    assert!(fast > 1.8 * slow, "{fast} {slow}");
    // Where a recording lies is not.
    let identity = user.opens("w.trace").1.identity();
    let elsewhere = user.writes("elsewhere/w.trace", SLOW);
    assert_eq!(
        user.opens(elsewhere.to_str().unwrap()).1.identity(),
        identity
    );
}

#[test]
fn a_run_can_be_run_again_from_its_folder() {
    let user = User::new();
    user.writes("lab/w.trace", FAST);
    user.runs("w.trace").unwrap();
    let identity = user.opens("w.trace").1.identity();
    fs::remove_file(user.path("lab/w.trace")).unwrap();
    let again = Source::open(&user.path("run/scenario.toml")).unwrap();
    assert_eq!(again.plan().unwrap().identity(), identity);
    let stored = Store::open(&user.path("run")).unwrap().source().unwrap();
    assert_eq!(stored.plan().unwrap().identity(), identity);
}

#[test]
fn swept_recordings_are_kept() {
    let user = User::new();
    user.writes("lab/a.trace", FAST);
    user.writes("lab/b.trace", SLOW);
    let text = scenario("a.trace") + "[sweep]\n\"network.trace\" = [\"a.trace\", \"b.trace\"]\n";
    let source = Source::new("s.toml", &text, user.path("lab")).unwrap();
    let plan = source.plan().unwrap();
    drop(Store::create(&user.path("run"), &source, &plan).unwrap());
    let again = Source::open(&user.path("run/scenario.toml")).unwrap();
    assert_eq!(again.plan().unwrap().identity(), plan.identity());
    assert_eq!(again.plan().unwrap().recordings.len(), 2);
}

#[test]
fn a_damaged_or_missing_copy_of_a_recording_is_mended() {
    let user = User::new();
    user.writes("lab/w.trace", FAST);
    user.runs("w.trace").unwrap();
    let kept = &user.opens("w.trace").1.recordings[0].stored_name;
    let kept = user.path("run").join(kept);
    for damage in ["", "1\n2\n3\n"] {
        fs::write(&kept, damage).unwrap();
        user.runs("w.trace").unwrap();
        assert_eq!(fs::read_to_string(&kept).unwrap(), FAST);
    }
    fs::remove_file(&kept).unwrap();
    user.runs("w.trace").unwrap();
    assert_eq!(fs::read_to_string(&kept).unwrap(), FAST);
}

#[test]
fn a_recording_is_a_regular_file() {
    let user = User::new();
    for trace in ["/dev/zero", "/dev", "nowhere.trace"] {
        let source = Source::new("s.toml", &scenario(trace), user.path("")).unwrap();
        let problem = source.plan().unwrap_err().to_string();
        assert!(problem.contains(trace), "{problem}");
        assert!(problem.starts_with("s.toml:6"), "{problem}");
    }
}

#[test]
fn a_folder_with_only_the_beginnings_of_the_run_is_one_to_begin_with() {
    let user = User::new();
    user.writes("lab/w.trace", FAST);
    let (_, plan) = user.opens("w.trace");
    let copy = &plan.recordings[0].stored_name;
    user.writes(&format!("run/{copy}"), "half of");
    user.writes("run/.results.sqlite.4000000-0.new", "half of");
    user.runs("w.trace").unwrap();
    assert!(!user.path("run/.results.sqlite.4000000-0.new").exists());
    // Anything else is somebody's.
    fs::remove_dir_all(user.path("run")).unwrap();
    user.writes("run/w.trace", FAST);
    let before = everything(&user.path("run"));
    let refused = user.runs("w.trace").unwrap_err();
    assert!(matches!(refused, StoreError::Another { .. }), "{refused}");
    assert_eq!(everything(&user.path("run")), before);
}

#[test]
fn a_database_of_another_program_is_not_touched() {
    let user = User::new();
    user.writes("lab/w.trace", FAST);
    for contents in ["empty", "text", "plain", "write-ahead"] {
        let _ = fs::remove_dir_all(user.path("run"));
        let path = user.writes("run/results.sqlite", "");
        match contents {
            "empty" => {}
            "text" => fs::write(&path, "my results").unwrap(),
            _ => {
                let database = Connection::open(&path).unwrap();
                let mode = if contents == "plain" { "DELETE" } else { "WAL" };
                database.pragma_update(None, "journal_mode", mode).unwrap();
                database
                    .execute_batch(
                        "CREATE TABLE about (key, value); INSERT INTO about VALUES (1, 2)",
                    )
                    .unwrap();
            }
        }
        let before = everything(&user.path("run"));
        let (source, plan) = user.opens("w.trace");
        let refused = Store::create(&user.path("run"), &source, &plan).err();
        assert!(
            matches!(refused, Some(StoreError::Another { .. })),
            "{contents}"
        );
        let refused = Store::open(&user.path("run")).err();
        assert!(
            matches!(refused, Some(StoreError::Foreign { .. })),
            "{contents}"
        );
        assert!(Store::existing(&user.path("run"), &plan).unwrap().is_none());
        assert_eq!(everything(&user.path("run")), before, "{contents}");
    }
}

#[test]
fn reading_a_run_writes_nothing() {
    let user = User::new();
    user.writes("lab/w.trace", FAST);
    user.runs("w.trace").unwrap();
    let before = everything(&user.path("run"));
    let read = || {
        let store = Store::open(&user.path("run")).unwrap();
        assert_eq!(store.cells().unwrap().len(), 1);
        assert_eq!(names(&user.path("run")).len(), before.len());
    };
    read();
    assert_eq!(everything(&user.path("run")), before);
}

#[test]
fn a_run_in_progress_is_told_from_a_killed_one_by_its_lock() {
    let user = User::new();
    user.writes("lab/w.trace", FAST);
    user.runs("w.trace").unwrap();
    // A process that has begun, or was killed, has its database in write-ahead mode, and
    // perhaps nothing in the log.
    let path = user.path("run/results.sqlite");
    let running = Connection::open(&path).unwrap();
    let settings = "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL;";
    running.execute_batch(settings).unwrap();
    let refused = Store::open(&user.path("run")).err();
    assert!(matches!(refused, Some(StoreError::Busy { .. })));
    drop(running);
    let killed = fs::read(&path).unwrap();
    assert_eq!(
        killed[18], 2,
        "write-ahead mode: sqlite.org/fileformat.html, 1.3"
    );
    let cells = |folder: &str| {
        Store::open(&user.path(folder))
            .unwrap()
            .cells()
            .unwrap()
            .len()
    };
    assert_eq!(cells("run"), 1);
    // It is merged once, and then only read.
    let merged = everything(&user.path("run"));
    assert_eq!(cells("run"), 1);
    assert_eq!(everything(&user.path("run")), merged);
    // Who reads, reads one state: no run begins meanwhile.
    let reader = Store::open(&user.path("run")).unwrap();
    let (source, plan) = user.opens("w.trace");
    let refused = Store::create(&user.path("run"), &source, &plan).err();
    assert!(matches!(refused, Some(StoreError::Busy { .. })));
    drop(reader);
    Store::create(&user.path("run"), &source, &plan).unwrap();
}

/// A short scenario whose duration is "auto", on a recorded link.
fn automatic(user: &User) -> Source {
    user.writes("lab/w.trace", FAST);
    let text = scenario("w.trace").replace("\"2 s\"\nwarm_up = \"1 s\"", "\"auto\"");
    Source::new("auto.toml", &text, user.path("lab")).unwrap()
}

#[test]
fn a_longer_run_begins_in_the_same_file_under_the_same_lock() {
    use std::os::unix::fs::MetadataExt;
    let user = User::new();
    let folder = user.path("run");
    let source = automatic(&user);
    let inode = || fs::metadata(folder.join("results.sqlite")).unwrap().ino();
    let first = source.plan().unwrap();
    let (store, _, plan) = Store::create_auto(&folder, &source, first).unwrap();
    store::run(&plan, &store, 1, &AtomicBool::new(false), |_| {}).unwrap();
    let begun = inode();
    let longer = source.lengths().unwrap().remove(1);
    let planned = longer.plan().unwrap();
    store.restart(&plan, (&longer, &planned)).unwrap();
    // Another process does not come between, and no row of the shorter run is left.
    let refused = Store::open(&folder).err();
    assert!(matches!(refused, Some(StoreError::Busy { .. })));
    drop(store);
    assert_eq!(inode(), begun);
    let fresh = user.path("fresh");
    drop(Store::create(&fresh, &longer, &planned).unwrap());
    let rows = |folder: &Path| {
        let store = Store::open(folder).unwrap();
        let database = Connection::open(folder.join("results.sqlite")).unwrap();
        let count = |table: &str| -> i64 {
            let select = format!("SELECT count(*) FROM {table}");
            database.query_row(&select, [], |row| row.get(0)).unwrap()
        };
        let names = store.table_names().unwrap();
        let counts: Vec<i64> = names.iter().map(|name| count(name)).collect();
        (
            counts,
            store.about("identity").unwrap(),
            store.about("seeds").unwrap(),
        )
    };
    assert_eq!(rows(&folder), rows(&fresh));
    let written = |folder: &Path| fs::read_to_string(folder.join("scenario.toml")).unwrap();
    assert_eq!(written(&folder), written(&fresh));
}

/// Whenever a process is killed that makes a run longer, the same call goes on.
#[test]
fn a_run_that_was_killed_while_it_was_made_longer_goes_on() {
    let user = User::new();
    let source = automatic(&user);
    let longer = source.lengths().unwrap().remove(1);
    let reached = |folder: &Path| {
        let made = Store::create_auto(folder, &source, source.plan().unwrap());
        made.unwrap().2.scenario().duration
    };
    let durations =
        [source.plan().unwrap(), longer.plan().unwrap()].map(|plan| plan.scenario().duration);
    for (killed, duration) in [("before", durations[0]), ("after", durations[1])] {
        let folder = user.path(killed);
        let (store, _, plan) =
            Store::create_auto(&folder, &source, source.plan().unwrap()).unwrap();
        if killed == "after" {
            store
                .restart(&plan, (&longer, &longer.plan().unwrap()))
                .unwrap();
        }
        drop(store);
        // Between the removal of the old scenario and the new one, on either side of the commit.
        fs::remove_file(folder.join("scenario.toml")).unwrap();
        assert_eq!(reached(&folder), duration, "{killed}");
        assert!(folder.join("scenario.toml").exists());
    }
    // A report of ours is no reason to refuse a folder whose database is missing; a letter is.
    let folder = user.path("before");
    let page = "<!DOCTYPE html><head><meta name=\"generator\" content=\"earlydrop 1\"></head>";
    fs::remove_file(folder.join("results.sqlite")).unwrap();
    fs::remove_file(folder.join("scenario.toml")).unwrap();
    fs::write(folder.join("report.html"), page).unwrap();
    assert_eq!(reached(&folder), durations[0]);
    fs::remove_file(folder.join("results.sqlite")).unwrap();
    fs::remove_file(folder.join("scenario.toml")).unwrap();
    fs::write(folder.join("report.html"), "dear editor").unwrap();
    let refused = Store::create_auto(&folder, &source, source.plan().unwrap()).err();
    assert!(matches!(refused, Some(StoreError::Another { .. })));
}

#[test]
fn export_writes_over_its_own_files_only() {
    let user = User::new();
    user.writes("lab/w.trace", FAST);
    user.runs("w.trace").unwrap();
    let store = Store::open(&user.path("run")).unwrap();
    for (format, name) in [
        (Format::Csv, "cells.csv"),
        (Format::Parquet, "cells.parquet"),
        (Format::Json, "results.json"),
    ] {
        let folder = user.path("tables");
        export(&store, format, &folder, Overwrite::Own).unwrap();
        let first = everything(&folder);
        export(&store, format, &folder, Overwrite::Own).unwrap();
        assert_eq!(everything(&folder), first);
        user.writes(&format!("tables/{name}"), "year,cells\n2026,12\n");
        let before = everything(&folder);
        let refused = export(&store, format, &folder, Overwrite::Own).unwrap_err();
        let foreign = store::ExportError::File(FileError::Foreign {
            path: folder.join(name).display().to_string(),
        });
        assert_eq!(refused.to_string(), foreign.to_string());
        assert_eq!(everything(&folder), before, "nothing is written");
        export(&store, format, &folder, Overwrite::Any).unwrap();
        assert_eq!(everything(&folder), first);
        fs::remove_dir_all(&folder).unwrap();
    }
}

#[test]
fn a_row_that_belongs_to_nothing_is_not_exported() {
    let user = User::new();
    user.writes("lab/w.trace", FAST);
    user.runs("w.trace").unwrap();
    let database = Connection::open(user.path("run/results.sqlite")).unwrap();
    let damage = "PRAGMA foreign_keys = OFF; UPDATE flows SET cell = 4711";
    database.execute_batch(damage).unwrap();
    drop(database);
    let store = Store::open(&user.path("run")).unwrap();
    for format in [Format::Csv, Format::Parquet, Format::Json] {
        let refused = export(&store, format, &user.path("tables"), Overwrite::Own);
        let problem = refused.unwrap_err().to_string();
        let wanted = "a row of flows belongs to nothing in the run";
        assert!(problem.contains(wanted), "{problem}");
    }
}

#[test]
fn a_number_that_is_not_finite_is_refused_wherever_it_stands() {
    let user = User::new();
    user.writes("lab/w.trace", FAST);
    user.runs("w.trace").unwrap();
    for (table, column, format) in [
        ("cells", "utilisation", Format::Csv),
        ("groups", "goodput", Format::Parquet),
        ("queues", "mean_packets", Format::Json),
    ] {
        let database = Connection::open(user.path("run/results.sqlite")).unwrap();
        let kept = format!("CREATE TABLE kept AS SELECT {column} FROM {table}");
        database.execute_batch(&kept).unwrap();
        let damage = format!("UPDATE {table} SET {column} = -9e999");
        database.execute_batch(&damage).unwrap();
        drop(database);
        let store = Store::open(&user.path("run")).unwrap();
        let wanted = format!("{column} is -inf: no run has stored it");
        let refused = export(&store, format, &user.path("tables"), Overwrite::Own);
        let problem = refused.unwrap_err().to_string();
        assert!(problem.contains(&wanted), "{problem}");
        if table != "queues" {
            let problem = store.all_rows().unwrap_err().to_string();
            assert!(problem.contains(&wanted), "{problem}");
        }
        drop(store);
        let database = Connection::open(user.path("run/results.sqlite")).unwrap();
        let repair =
            format!("UPDATE {table} SET {column} = (SELECT {column} FROM kept); DROP TABLE kept");
        database.execute_batch(&repair).unwrap();
    }
}

#[test]
fn a_damaged_scenario_in_the_database_is_named() {
    let user = User::new();
    user.writes("lab/w.trace", FAST);
    user.runs("w.trace").unwrap();
    let database = Connection::open(user.path("run/results.sqlite")).unwrap();
    let damage = "UPDATE about SET value = 'durations = \"2 s\"' WHERE key = 'scenario'";
    database.execute_batch(damage).unwrap();
    drop(database);
    let store = Store::open(&user.path("run")).unwrap();
    let unreadable = |problem: String| {
        assert!(problem.contains("durations"), "{problem}");
        assert!(!problem.contains("there is no"), "{problem}");
    };
    match store.source() {
        Err(error) => unreadable(error.to_string()),
        Ok(source) => unreadable(source.plan().unwrap_err().to_string()),
    }
    let damage = "UPDATE about SET value = 'duration = [' WHERE key = 'scenario'";
    drop(store);
    let database = Connection::open(user.path("run/results.sqlite")).unwrap();
    database.execute_batch(damage).unwrap();
    drop(database);
    let store = Store::open(&user.path("run")).unwrap();
    let error = store.source().unwrap_err().to_string();
    assert!(
        error.contains("damaged") && error.contains("run"),
        "{error}"
    );
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_a_copy_is_not_followed() {
    let user = User::new();
    user.writes("lab/link.trace", FAST);
    let (_, plan) = user.opens("link.trace");
    let letter = user.writes("letter", "dear editor");
    fs::create_dir(user.path("run")).unwrap();
    let copy = user.path("run").join(&plan.recordings[0].stored_name);
    std::os::unix::fs::symlink(&letter, &copy).unwrap();
    let refused = user.runs("link.trace").unwrap_err().to_string();
    assert!(refused.contains("is not a regular file"), "{refused}");
    assert_eq!(fs::read_to_string(&letter).unwrap(), "dear editor");
    assert!(!user.path("run/results.sqlite").exists());
    // A link to an equal recording is as good as a copy.
    fs::write(&letter, FAST).unwrap();
    user.runs("link.trace").unwrap();
}

/// A pipe that nobody writes into waits for ever when it is opened.
#[cfg(unix)]
#[test]
fn pipes_in_a_folder_are_refused_before_they_are_opened() {
    let stored = {
        let user = User::new();
        user.writes("lab/link.trace", FAST);
        user.opens("link.trace").1.recordings[0].stored_name.clone()
    };
    for name in ["results.sqlite", "scenario.toml", "report.html", &stored] {
        let user = User::new();
        user.writes("lab/link.trace", FAST);
        fs::create_dir(user.path("run")).unwrap();
        let pipe = user.path("run").join(name);
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let refused = user.runs("link.trace").unwrap_err().to_string();
        assert!(
            refused.contains(name) && refused.contains("is not a regular file"),
            "{refused}"
        );
        let (_, plan) = user.opens("link.trace");
        assert!(Store::open(&user.path("run")).is_err());
        assert!(matches!(
            Store::existing(&user.path("run"), &plan),
            Ok(None)
        ));
    }
}

#[test]
fn a_run_by_another_version_names_the_way_out() {
    let user = User::new();
    user.writes("lab/link.trace", FAST);
    user.runs("link.trace").unwrap();
    let make = |key: &str| {
        let database = Connection::open(user.path("run/results.sqlite")).unwrap();
        let other = "UPDATE about SET value = '0.0.1' WHERE key = ?";
        assert_eq!(database.execute(other, [key]).unwrap(), 1);
    };
    // Another version whose results are the same: one run.
    make("version");
    user.runs("link.trace").unwrap();
    make("engine");
    let refused = user.runs("link.trace").unwrap_err().to_string();
    assert!(refused.contains("a run by earlydrop 0.0.1"), "{refused}");
    assert!(refused.contains("--out"), "{refused}");
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing_is_no_folder() {
    let user = User::new();
    user.writes("lab/w.trace", FAST);
    std::os::unix::fs::symlink(user.path("nowhere"), user.path("run")).unwrap();
    let refused = user.runs("w.trace").unwrap_err().to_string();
    assert!(refused.contains("is not a folder"), "{refused}");
}
