//! An experiment with its stored runs.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use earlydrop_lab::plan::Plan;
use earlydrop_lab::store::{Store, StoreError};

use super::moments::Moments;
use crate::claims::{Measurements, Runs, Selector};

/// An experiment with its stored runs.
pub struct Experiment {
    /// The plan.
    pub plan: Plan,
    /// The store with the plan's runs.
    pub store: Store,
    /// Measurements by selector, each read once.
    measurements: RefCell<BTreeMap<String, Rc<Measurements>>>,
    moments: OnceCell<Moments>,
}

impl Experiment {
    /// An experiment whose cells are all in `store`.
    pub fn new(plan: Plan, store: Store) -> Experiment {
        Experiment {
            plan,
            store,
            measurements: RefCell::default(),
            moments: OnceCell::new(),
        }
    }

    /// When the queues differ most, of runs that are read once.
    pub(super) fn moments(&self) -> Result<&Moments, StoreError> {
        if let Some(known) = self.moments.get() {
            return Ok(known);
        }
        let read = Moments::of(&self.plan, &self.store)?;
        Ok(self.moments.get_or_init(|| read))
    }

    /// One number of every run, which is read once.
    pub fn measurements(&self, selector: &Selector) -> Result<Rc<Measurements>, StoreError> {
        let key = format!("{selector:?}");
        if let Some(known) = self.measurements.borrow().get(&key) {
            return Ok(known.clone());
        }
        let mut runs = Runs::of(&self.plan, &self.store)?;
        let measured = Rc::new(runs.measurements(selector)?);
        self.measurements.borrow_mut().insert(key, measured.clone());
        Ok(measured)
    }
}

/// The experiments of a paper that were run, by name.
pub type Experiments = BTreeMap<String, Experiment>;
