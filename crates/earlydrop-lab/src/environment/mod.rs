//! Environments for learning: many simulations of a scenario, each with a queue that an agent
//! steers.
//!
//! Any scenario with a scheme that can be [steered](earlydrop::steering) is an environment. An
//! *episode* is one run of it, in steps of simulated time: the agent's *action* sets a parameter
//! of the scheme, and then it *observes* the queue and gets a *reward*. An agent that always sets
//! what the scheme was configured with gets the scheme's own run, bit for bit.
//!
//! Where the scheme stands at several links, as at the ports of a fabric's switches, each *port*
//! has an agent of its own: with its own action, observation and reward, all in the same step.
//!
//! ```
//! use earlydrop_lab::environment::{ActionKind, Environment, Options, Outputs};
//! use earlydrop_lab::plan::{Source, TraceFiles};
//!
//! let text = "duration = \"1 s\"\nschemes = [\"dial\"]\n[flows.bulk]\ncount = 3";
//! let plan = Source::new("small.toml", text, TraceFiles::default())?.plan()?;
//! let options = Options::new(ActionKind::Probability);
//! let mut environment = Environment::new(&plan, 2, options)?;
//! let mut outputs = Outputs::of(&environment);
//! environment.reset(Some(&[1, 2]), None, &mut outputs.observations)?;
//! for _ in 0..100 {
//!     environment.step(&[0.0, 0.02], &mut outputs.slices())?;
//! }
//! assert_eq!(outputs.truncated, [true, true]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Observations
//!
//! | name | what it is | from | to |
//! |---|---|---|---|
//! | `delay` | the mean time that packets waited which left in the step, in base round-trip times | 0 | 10 |
//! | `queue` | packets waiting, as a share of the buffer | 0 | 1 |
//! | `utilisation` | the share of the step in which the link was sending | 0 | 1 |
//! | `arrivals` | bytes that arrived in the step, over those that the link can send in it | 0 | 10 |
//! | `drop_rate` | packets dropped in the step, over those that arrived | 0 | 1 |
//! | `mark_rate` | packets marked in the step, over those that arrived | 0 | 1 |
//! | `average` | the scheme's average queue as a share of the buffer; the mean of the queues at the ends of steps with a weight of 1/8, where the scheme has none | 0 | 1 |
//! | the action | as set: probabilities, and thresholds as shares of the buffer | 0 | 1 |
//!
//! # Rewards
//!
//! A reward is a sum of parts, each with its [weight](RewardWeights): `throughput`, the
//! utilisation, less `delay` and `loss`, which are the first and the fifth observation.

mod action;
mod episode;
mod port;
mod signal;
mod workers;

use std::sync::Arc;

use earlydrop::units::Nanos;

pub use action::{ActionKind, ActionScale};
pub use episode::PARTS;
pub use port::OBSERVATIONS;

use crate::document::{Place, Problem};
use crate::outcome::Outcome;
use crate::plan::Plan;
use episode::{Setup, Sizes, World};
use workers::Workers;

/// What an agent sets and gets, and when episodes begin.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// What an action sets.
    pub action: ActionKind,
    /// How numbers of an action are read.
    pub scale: ActionScale,
    /// The simulated time of a step.
    pub step: Nanos,
    /// The weights of the parts of a reward.
    pub reward: RewardWeights,
    /// What happens when an episode ends.
    pub autoreset: Autoreset,
    /// Threads that simulate.
    pub threads: usize,
    /// Whether everything that the scenario measures is measured, for
    /// [`Environment::outcome`]. It takes memory and some time. An episode has no `drain`: what a
    /// transfer still needs at its end is not simulated.
    pub outcomes: bool,
}

impl Options {
    /// Steps of 10 ms on one thread, actions in natural units, an equal weight of all parts.
    pub fn new(action: ActionKind) -> Options {
        Options {
            action,
            scale: ActionScale::Natural,
            step: Nanos::from_millis(10),
            reward: RewardWeights::default(),
            autoreset: Autoreset::NextStep,
            threads: 1,
            outcomes: false,
        }
    }
}

/// The weights of the parts of a reward:
/// `throughput * utilisation - delay * delay - loss * drop_rate`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RewardWeights {
    /// The weight of the link's utilisation, 0 to 1.
    pub throughput: f64,
    /// The weight of the mean queueing delay in base round-trip times.
    pub delay: f64,
    /// The weight of the share of arriving packets that were dropped.
    pub loss: f64,
}

impl Default for RewardWeights {
    fn default() -> RewardWeights {
        RewardWeights {
            throughput: 1.0,
            delay: 1.0,
            loss: 1.0,
        }
    }
}

/// What happens when an episode ends, in the words of Gymnasium 1.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Autoreset {
    /// The step after the last begins the next episode; its action is not used.
    NextStep,
    /// The last step begins the next episode; what it observed is the final observation.
    SameStep,
    /// The caller resets.
    Disabled,
}

/// Why a step or a reset was not done. Nothing has changed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EnvironmentError {
    /// A slice has the wrong length.
    #[error("{count} {what}; allowed: {allowed}")]
    Length {
        /// What it holds.
        what: &'static str,
        /// Its length.
        count: usize,
        /// The right length.
        allowed: usize,
    },
    /// A number of an action is not a number.
    #[error("the action of environment {index} is not a number; allowed: {allowed}")]
    NotANumber {
        /// The environment, from 0.
        index: usize,
        /// The range of the numbers, in words.
        allowed: &'static str,
    },
    /// An episode has ended, and nothing resets it.
    #[error("the episode of environment {index} has ended; reset it before the next step")]
    Ended {
        /// The environment, from 0.
        index: usize,
    },
    /// A thread has failed.
    #[error("a thread of the environment has failed")]
    Thread,
}

/// Where a step writes: see [`Outputs::slices`].
#[derive(Debug)]
pub struct Slices<'a> {
    /// Observations of each agent: simulation by simulation, and port by port.
    pub observations: &'a mut [f32],
    /// The last observations of episodes that ended in this step; written with
    /// [`Autoreset::SameStep`] only.
    pub final_observations: &'a mut [f32],
    /// The reward of each agent.
    pub rewards: &'a mut [f64],
    /// The parts of the rewards before they are weighted: [`PARTS`].
    pub parts: &'a mut [f64],
    /// Whether the episode of a simulation ended in this step.
    pub truncated: &'a mut [bool],
}

/// Memory for what a step writes.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    /// As in [`Slices`].
    pub observations: Vec<f32>,
    /// As in [`Slices`].
    pub final_observations: Vec<f32>,
    /// As in [`Slices`].
    pub rewards: Vec<f64>,
    /// As in [`Slices`].
    pub parts: Vec<f64>,
    /// As in [`Slices`].
    pub truncated: Vec<bool>,
}

impl Outputs {
    /// Memory for one step of `environment`.
    pub fn of(environment: &Environment) -> Outputs {
        Outputs::sized(environment.count(), environment.world.sizes())
    }

    fn sized(count: usize, sizes: Sizes) -> Outputs {
        let agents = count * sizes.ports;
        Outputs {
            observations: vec![0.0; agents * sizes.observation],
            final_observations: vec![0.0; agents * sizes.observation],
            rewards: vec![0.0; agents],
            parts: vec![0.0; agents * PARTS.len()],
            truncated: vec![false; count],
        }
    }

    /// Where a step writes.
    pub fn slices(&mut self) -> Slices<'_> {
        Slices {
            observations: &mut self.observations,
            final_observations: &mut self.final_observations,
            rewards: &mut self.rewards,
            parts: &mut self.parts,
            truncated: &mut self.truncated,
        }
    }
}

/// Simulations of one scenario, each with ports that agents steer. At the points of a scenario's
/// sweep, each episode is at one of them, drawn by its seed.
#[derive(Debug)]
pub struct Environment {
    world: Arc<World>,
    count: usize,
    workers: Workers,
}

impl Environment {
    /// `count` simulations of the first scheme of `plan`, at time zero with the seeds 0, 1, ...
    pub fn new(plan: &Plan, count: usize, options: Options) -> Result<Environment, Problem> {
        let refused = |message: String, help: &str| {
            let place = Place::default();
            Err(Problem::new(&place, message, help))
        };
        if count == 0 {
            return refused("0 environments".to_string(), "allowed: at least 1");
        }
        if options.step == Nanos::ZERO {
            return refused("a step of no time".to_string(), "allowed: at least 1 ns");
        }
        let points = 0..plan.points.len();
        let setups = points.map(|point| Setup::new(plan, point, &options));
        let setups = setups.collect::<Result<Vec<_>, Problem>>()?;
        let ports = |setup: &Setup| setup.ports.len();
        if let Some(other) = setups.iter().find(|one| ports(one) != ports(&setups[0])) {
            let (one, other) = (ports(&setups[0]), ports(other));
            return refused(
                format!("the scheme stands at {one} ports, and at {other} in another point"),
                "a sweep of an environment keeps the shape of its network",
            );
        }
        let world = Arc::new(World { setups, options });
        let workers = Workers::new(&world, count)?;
        Ok(Environment {
            world,
            count,
            workers,
        })
    }

    /// The number of simulations.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The names of the links that are steered in each simulation, each by an agent.
    pub fn ports(&self) -> Vec<&str> {
        let ports = &self.world.setups[0].ports;
        ports.iter().map(|port| port.name.as_str()).collect()
    }

    /// What an agent sets and gets.
    pub fn options(&self) -> &Options {
        &self.world.options
    }

    /// The numbers in an action.
    pub fn action_size(&self) -> usize {
        self.world.sizes().action
    }

    /// The least and the greatest value of each number of an action, at any point of the sweep and
    /// at any port.
    pub fn action_bounds(&self) -> Vec<(f64, f64)> {
        let Options { action, scale, .. } = self.world.options;
        let ports = self.world.setups.iter().flat_map(|setup| &setup.ports);
        let buffers = ports.map(|port| port.buffer);
        action.bounds(scale, buffers.fold(0.0, f64::max))
    }

    /// The numbers in an observation.
    pub fn observation_size(&self) -> usize {
        self.world.sizes().observation
    }

    /// The least and the greatest value of each number of an observation.
    pub fn observation_bounds(&self) -> Vec<(f64, f64)> {
        let measured = OBSERVATIONS.iter().map(|(_, most)| (0.0, *most));
        let set = (0..self.action_size()).map(|_| (0.0, 1.0));
        measured.chain(set).collect()
    }

    /// The names of the numbers in an observation.
    pub fn observation_names(&self) -> Vec<&'static str> {
        let measured = OBSERVATIONS.iter().map(|(name, _)| *name);
        let set = self.world.options.action.names().iter().copied();
        measured.chain(set).collect()
    }

    /// For each agent, the action in natural units that sets what its scheme was configured with.
    pub fn configured(&self) -> Vec<f64> {
        let size = self.action_size();
        let episodes = self.workers.episodes();
        let values = episodes.flat_map(|episode| {
            let ports = self.world.setups[episode.point].ports.iter();
            ports
                .flat_map(move |port| &port.configured[..size])
                .copied()
        });
        values.collect()
    }

    /// For each environment, the seed of its episode: the seed of the scenario's run.
    pub fn seeds(&self) -> Vec<u64> {
        let episodes = self.workers.episodes();
        episodes.map(|episode| episode.seed).collect()
    }

    /// For each environment, the point of the sweep that its episode is at.
    pub fn points(&self) -> Vec<usize> {
        let episodes = self.workers.episodes();
        episodes.map(|episode| episode.point).collect()
    }

    /// The figures of the last episode of an environment that ended, if [`Options::outcomes`] asks
    /// for them: those of the scenario's run with its seed.
    pub fn outcome(&self, index: usize) -> Option<&Outcome> {
        self.workers.episodes().nth(index)?.outcome.as_deref()
    }

    /// Begins an episode in each environment, or in those of `mask`, with these seeds; without
    /// seeds, each with the next that its last seed leads to.
    pub fn reset(
        &mut self,
        seeds: Option<&[u64]>,
        mask: Option<&[bool]>,
        observations: &mut [f32],
    ) -> Result<(), EnvironmentError> {
        let Sizes {
            ports, observation, ..
        } = self.world.sizes();
        let size = ports * observation;
        check("seeds", seeds.map_or(self.count, <[u64]>::len), self.count)?;
        check("flags", mask.map_or(self.count, <[bool]>::len), self.count)?;
        check("numbers", observations.len(), self.count * size)?;
        let world = &*self.world;
        let observed = observations.chunks_exact_mut(size);
        for (index, (episode, observed)) in self.workers.episodes_mut().zip(observed).enumerate() {
            if mask.is_none_or(|mask| mask[index]) {
                episode.reset(world, seeds.map(|seeds| seeds[index]));
                episode.observe_beginning(world, observed);
            }
        }
        Ok(())
    }

    /// Sets the actions of all agents and runs all simulations one step further.
    pub fn step(
        &mut self,
        actions: &[f64],
        outputs: &mut Slices<'_>,
    ) -> Result<(), EnvironmentError> {
        let Sizes {
            ports,
            action,
            observation,
        } = self.world.sizes();
        let (count, agents) = (self.count, self.count * ports);
        check("actions", actions.len(), agents * action)?;
        check("numbers", outputs.observations.len(), agents * observation)?;
        let finals = outputs.final_observations.len();
        check("numbers", finals, agents * observation)?;
        check("rewards", outputs.rewards.len(), agents)?;
        check("parts", outputs.parts.len(), agents * PARTS.len())?;
        check("flags", outputs.truncated.len(), count)?;
        if let Some(place) = actions.iter().position(|number| number.is_nan()) {
            return Err(EnvironmentError::NotANumber {
                index: place / (ports * action),
                allowed: self.world.options.action.allowed(self.world.options.scale),
            });
        }
        if self.world.options.autoreset == Autoreset::Disabled
            && let Some(index) = self.workers.episodes().position(|episode| episode.over)
        {
            return Err(EnvironmentError::Ended { index });
        }
        self.workers.step(actions, outputs)
    }
}

fn check(what: &'static str, count: usize, allowed: usize) -> Result<(), EnvironmentError> {
    if count == allowed {
        return Ok(());
    }
    Err(EnvironmentError::Length {
        what,
        count,
        allowed,
    })
}

#[cfg(test)]
mod tests;
