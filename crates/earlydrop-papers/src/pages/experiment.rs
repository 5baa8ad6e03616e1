//! An experiment with its stored runs.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use earlydrop_lab::plan::Plan;
use earlydrop_lab::store::{Store, StoreError};

use crate::claims::{Measurements, Runs, Selector};

/// An experiment with its stored runs.
pub struct Experiment {
    /// The plan.
    pub plan: Plan,
    /// The store with the plan's runs.
    pub store: Store,
    /// Measurements by selector, each read once.
    measurements: RefCell<BTreeMap<String, Rc<Measurements>>>,
}

impl Experiment {
    /// An experiment whose cells are all in `store`.
    pub fn new(plan: Plan, store: Store) -> Experiment {
        Experiment {
            plan,
            store,
            measurements: RefCell::default(),
        }
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
