//! Environments for learning: simulations that are steered from Python, on numpy's own memory.

use std::sync::{Mutex, MutexGuard, PoisonError};

use earlydrop::registry::{Kind, Range, Value, nearest};
use earlydrop::units::Nanos;
use earlydrop_lab::document::{Problems, parse_one};
use earlydrop_lab::environment::{
    self, ActionKind, ActionScale, Autoreset, EnvironmentError, Options, PARTS, RewardWeights,
    Slices,
};
use earlydrop_lab::metrics::METRICS;
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyReadwriteArray1, PyReadwriteArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{run_error, scenario_error, value_error};
use crate::scenario::Scenario;

/// Simulations of one scenario, each with queues that agents steer. Arrays have a row for each
/// agent: simulation by simulation, and port by port.
#[pyclass(frozen, module = "earlydrop._lib")]
pub(crate) struct Environment {
    // One call at a time: threads of Python may share it.
    native: Mutex<environment::Environment>,
}

impl Environment {
    fn lock(&self) -> MutexGuard<'_, environment::Environment> {
        self.native.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The simulated time of a step.
const STEP: Kind = Kind::Time(Range::POSITIVE);

/// The value of a word among those that are allowed.
fn choice<T: Copy>(what: &str, word: &str, known: &[(&'static str, T)]) -> PyResult<T> {
    let found = known.iter().find(|(name, _)| *name == word);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let nearest = nearest(word, names.iter().copied());
        let nearest = nearest.map_or(String::new(), |name| format!("; did you mean {name:?}?"));
        value_error(format!(
            "{what}={word:?}; allowed: {}{nearest}",
            names.join(", ")
        ))
    })
}

fn failed(error: EnvironmentError) -> PyErr {
    match error {
        EnvironmentError::Thread => run_error(error),
        other => value_error(other),
    }
}

/// The values of an array that numpy keeps in one piece.
macro_rules! values {
    ($array:expr, $name:literal) => {
        $array.map_err(|_| value_error(concat!($name, ": the array is not contiguous")))
    };
}

#[pymethods]
impl Environment {
    /// `count` simulations of the scenario's first scheme. `reward` has the weights of throughput,
    /// delay and loss.
    #[new]
    #[pyo3(signature = (scenario, count, action, scale, step, reward, autoreset, threads, outcomes))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        scenario: &Scenario,
        count: usize,
        action: &str,
        scale: &str,
        step: &str,
        reward: (f64, f64, f64),
        autoreset: &str,
        threads: usize,
        outcomes: bool,
    ) -> PyResult<Environment> {
        let step = match parse_one(&STEP, step) {
            Ok(Value::Time(step)) => step,
            Ok(_) => Nanos::ZERO,
            Err(nearest) => {
                let nearest = nearest.map_or(String::new(), |text| format!("; nearest: {text}"));
                let allowed = STEP.allowed();
                let text = format!("step={step}: allowed: {allowed}{nearest}");
                return Err(value_error(text));
            }
        };
        let options = Options {
            action: action.parse::<ActionKind>().map_err(value_error)?,
            scale: choice(
                "scale",
                scale,
                &[
                    ("natural", ActionScale::Natural),
                    ("unit", ActionScale::Unit),
                ],
            )?,
            step,
            reward: RewardWeights {
                throughput: reward.0,
                delay: reward.1,
                loss: reward.2,
            },
            autoreset: choice(
                "autoreset_mode",
                autoreset,
                &[
                    ("NextStep", Autoreset::NextStep),
                    ("SameStep", Autoreset::SameStep),
                    ("Disabled", Autoreset::Disabled),
                ],
            )?,
            threads,
            outcomes,
        };
        let plan = scenario.plan()?;
        let native = environment::Environment::new(plan, count, options).map_err(|problem| {
            let (name, text) = (scenario.source.name.clone(), scenario.source.text.clone());
            let list = vec![problem];
            scenario_error(Problems { name, text, list })
        })?;
        Ok(Environment {
            native: Mutex::new(native),
        })
    }

    /// The names of the parts of a reward.
    #[staticmethod]
    fn parts() -> Vec<&'static str> {
        PARTS.to_vec()
    }

    /// The names of the links that are steered in each simulation, each by an agent.
    fn ports(&self) -> Vec<String> {
        let native = self.lock();
        native.ports().into_iter().map(String::from).collect()
    }

    /// The least and the greatest value of each number of an action.
    fn action_bounds(&self) -> Vec<(f64, f64)> {
        self.lock().action_bounds()
    }

    /// The name, the least and the greatest value of each number of an observation.
    fn observation(&self) -> Vec<(&'static str, f64, f64)> {
        let native = self.lock();
        let names = native.observation_names().into_iter();
        let named = names.zip(native.observation_bounds());
        named.map(|(name, (low, high))| (name, low, high)).collect()
    }

    /// For each agent, the action in natural units that sets what its scheme was configured with.
    fn configured(&self) -> Vec<f64> {
        self.lock().configured()
    }

    /// For each environment, the seed of its episode.
    fn seeds(&self) -> Vec<u64> {
        self.lock().seeds()
    }

    /// For each environment, the point of the sweep that its episode is at.
    fn points(&self) -> Vec<usize> {
        self.lock().points()
    }

    /// The figures of the last episode of an environment that ended, by metric.
    fn outcome<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Option<Bound<'py, PyDict>>> {
        let native = self.lock();
        let Some(outcome) = native.outcome(index) else {
            return Ok(None);
        };
        let figures = PyDict::new(py);
        for metric in METRICS {
            figures.set_item(metric.name, outcome.value(metric.name))?;
        }
        Ok(Some(figures))
    }

    /// Begins episodes: in all environments, or in those of `mask`.
    #[pyo3(signature = (observations, seeds=None, mask=None))]
    fn reset(
        &self,
        py: Python<'_>,
        mut observations: PyReadwriteArray2<'_, f32>,
        seeds: Option<PyReadonlyArray1<'_, u64>>,
        mask: Option<PyReadonlyArray1<'_, bool>>,
    ) -> PyResult<()> {
        let seeds = seeds
            .as_ref()
            .map(|seeds| values!(seeds.as_slice(), "seeds"));
        let mask = mask.as_ref().map(|mask| values!(mask.as_slice(), "mask"));
        let (seeds, mask) = (seeds.transpose()?, mask.transpose()?);
        let observations = values!(observations.as_slice_mut(), "observations")?;
        py.detach(|| self.lock().reset(seeds, mask, observations))
            .map_err(failed)
    }

    /// Sets all actions and runs all simulations one step further, without the interpreter. Returns
    /// whether any episode has ended.
    #[allow(clippy::too_many_arguments)]
    fn step(
        &self,
        py: Python<'_>,
        actions: PyReadonlyArray2<'_, f64>,
        mut observations: PyReadwriteArray2<'_, f32>,
        mut final_observations: PyReadwriteArray2<'_, f32>,
        mut rewards: PyReadwriteArray1<'_, f64>,
        mut parts: PyReadwriteArray2<'_, f64>,
        mut truncated: PyReadwriteArray1<'_, bool>,
    ) -> PyResult<bool> {
        let actions = values!(actions.as_slice(), "actions")?;
        let mut slices = Slices {
            observations: values!(observations.as_slice_mut(), "observations")?,
            final_observations: values!(final_observations.as_slice_mut(), "final_observations")?,
            rewards: values!(rewards.as_slice_mut(), "rewards")?,
            parts: values!(parts.as_slice_mut(), "parts")?,
            truncated: values!(truncated.as_slice_mut(), "truncated")?,
        };
        py.detach(|| self.lock().step(actions, &mut slices))
            .map_err(failed)?;
        Ok(slices.truncated.contains(&true))
    }
}
