//! Invariants of stored runs for arbitrary bytes in place of the database, checked by tests with
//! mutated databases and by the fuzzers in `fuzz/`.

use std::error::Error;
use std::fs;
use std::path::Path;

use earlydrop_lab::files::Overwrite;
use earlydrop_lab::store::{Format, Store, export};
use earlydrop_lab::summary::Summary;

use crate::run_report::{json, write_report};
use crate::table;
use crate::table::View;

/// A folder with these bytes as its database is refused with an error, or read: exported,
/// summarised and reported. The folder is used for nothing else.
pub fn database(bytes: &[u8], folder: &Path) {
    for name in ["results.sqlite-wal", "results.sqlite-shm"] {
        let _ = fs::remove_file(folder.join(name));
    }
    fs::write(folder.join("results.sqlite"), bytes).expect("the folder can be written");
    let Ok(store) = Store::open(folder) else {
        return;
    };
    for format in [Format::Csv, Format::Parquet, Format::Json] {
        if let Err(error) = export(&store, format, &folder.join("export"), Overwrite::Own) {
            assert!(!error.to_string().is_empty());
        }
    }
    if let Err(error) = report(&store) {
        assert!(!error.to_string().is_empty());
    }
}

fn report(store: &Store) -> Result<(), Box<dyn Error>> {
    let plan = store.source()?.plan()?.on(store.hosts()?);
    let summary = Summary::of_store(&plan, store)?;
    let page = write_report(&plan, store, &summary)?;
    json(&plan, store, &summary, &page, &View::default())?;
    for table in table::tables(&plan, &summary, None) {
        assert!(!table.markdown().is_empty());
    }
    assert!(!table::csv(&plan, &summary, None).is_empty());
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use earlydrop_lab::plan::{Source, TraceFiles};
    use earlydrop_lab::store::run;

    use super::*;

    const SMALL: &str = "\
duration = \"2 s\"
warm_up = \"1 s\"
seeds = 1
schemes = [\"red:min=5,max=15\"]
network = { rate = \"1 Mbps\", rtt = \"20 ms\" }
flows.bulk = {}
";

    /// The database of a small run.
    fn whole(folder: &Path) -> Vec<u8> {
        let source = Source::new("small.toml", SMALL, TraceFiles::default()).unwrap();
        let plan = source.plan().unwrap();
        let store = Store::create(folder, &source, &plan).unwrap();
        run(&plan, &store, 1, &AtomicBool::new(false), |_| {}).unwrap();
        drop(store);
        fs::read(folder.join("results.sqlite")).unwrap()
    }

    /// Numbers from 0 to `most`, the same in every run (SplitMix64).
    fn numbers() -> impl FnMut(usize) -> usize {
        let mut state = 1_u64;
        move |most| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((mixed ^ (mixed >> 31)) % (most as u64 + 1)) as usize
        }
    }

    #[test]
    fn mutated_databases_are_refused_or_read() {
        let folder = tempfile::TempDir::new().unwrap();
        let whole = whole(folder.path());
        assert!(Store::open(folder.path()).is_ok_and(|store| report(&store).is_ok()));
        let mut number = numbers();
        for round in 0..150 {
            let mut bytes = whole.clone();
            for _ in 0..=number(8) {
                let at = number(bytes.len() - 1);
                bytes[at] = number(255) as u8;
            }
            if round % 10 == 0 {
                bytes.truncate(number(bytes.len()));
            }
            database(&bytes, folder.path());
        }
        database(&whole, folder.path());
        assert!(folder.path().join("export/results.json").exists());
    }
}
