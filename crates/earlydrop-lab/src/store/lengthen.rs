//! Runs whose duration is "auto": each longer one takes the place of the one before.

use std::path::Path;

use super::folder::fill;
use super::{Store, StoreError};
use crate::plan::{Plan, Source};

impl Store {
    /// Creates the run of `source` in `folder`, or opens it to continue. Of a source whose duration is
    /// "auto" it is the one of its [lengths](Source::lengths) that the folder holds, or the
    /// first. Returns the source with its duration, and its plan.
    pub fn create_auto(
        folder: &Path,
        source: &Source,
        plan: Plan,
    ) -> Result<(Store, Source, Plan), StoreError> {
        let lengths = match source.is_auto() {
            true => source.lengths().unwrap_or_default(),
            false => Vec::new(),
        };
        let mut lengths = lengths.into_iter();
        let first = lengths.next().unwrap_or_else(|| source.clone());
        let planned = |longer: Source| {
            let plan = longer.plan().ok()?;
            Some((longer, plan))
        };
        let mut longer: Vec<(Source, Plan)> = lengths.filter_map(planned).collect();
        let (store, held) = Store::create_one_of(folder, (&first, &plan), &longer)?;
        let (source, plan) = match held {
            Some(index) => longer.swap_remove(index),
            None => (first, plan),
        };
        Ok((store, source, plan))
    }

    /// Begins the run of `longer` in the place of this one of `plan`, whose cells are lost. It is one
    /// transaction in the same file, under the same lock: who is killed leaves one run or
    /// the other, and who reads sees one or the other.
    pub fn restart(
        &self,
        plan: &Plan,
        (source, longer): (&Source, &Plan),
    ) -> Result<(), StoreError> {
        if !self.is_in_memory() {
            self.forget_scenario(plan)?;
        }
        let tables = self.tables()?;
        self.sql(|database| {
            let transaction = database.unchecked_transaction()?;
            for table in &tables {
                transaction.execute(&format!("DELETE FROM \"{}\"", table.name), [])?;
            }
            fill(&transaction, source, longer)?;
            transaction.commit()
        })?;
        self.plan_seeds(source, longer)
    }
}
