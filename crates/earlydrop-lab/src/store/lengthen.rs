//! Runs whose duration is "auto": each longer one takes the place of the one before.

use std::path::Path;

use super::folder::create_database;
use super::{DATABASE, Store, StoreError};
use crate::files::FileError;
use crate::plan::{Plan, Source};

impl Store {
    /// Creates the run of `source` in `folder`, or opens it to continue. Of a source whose duration is
    /// "auto" it is the longest of its [lengths](Source::lengths) that the folder holds, or the
    /// first. Returns the source with its duration, and its plan.
    pub fn create_auto(
        folder: &Path,
        source: &Source,
        plan: Plan,
    ) -> Result<(Store, Source, Plan), StoreError> {
        let lengths = match source.is_auto() {
            true => source.lengths().unwrap_or_default(),
            false => vec![source.clone()],
        };
        for longer in lengths.iter().skip(1) {
            let Ok(planned) = longer.plan() else { continue };
            if Store::existing(folder, &planned)?.is_some() {
                let store = Store::create(folder, longer, &planned)?;
                return Ok((store, longer.clone(), planned));
            }
        }
        let first = lengths.first().unwrap_or(source);
        Ok((Store::create(folder, first, &plan)?, first.clone(), plan))
    }

    /// The run of `longer` in the place of this one of `plan`, which is lost.
    pub fn replaced(
        self,
        plan: &Plan,
        (source, longer): (&Source, &Plan),
    ) -> Result<Store, StoreError> {
        if self.is_in_memory() {
            return Store::in_memory(source, longer);
        }
        let folder = self.folder.clone();
        self.forget_scenario(plan)?;
        drop(self);
        let path = folder.join(DATABASE);
        std::fs::remove_file(&path).map_err(|error| FileError::new(&path, error))?;
        create_database(&folder, source, longer)?;
        Store::create(&folder, source, longer)
    }
}
