//! An episode: one run of the scenario, in steps.

use std::sync::Arc;

use earlydrop::packet::FlowKey;
use earlydrop::random::Pcg32;
use earlydrop::units::Nanos;
use earlydrop_sim::Simulation;
use earlydrop_sim::measure::Measure;
use earlydrop_sim::steering::LinkState;

use super::action::MOST;
use super::port::{OBSERVATIONS, Port, cannot_steer};
use super::{Autoreset, Options, Slices};
use crate::document::Problem;
use crate::outcome::Outcome;
use crate::plan::Plan;
use crate::scenario::{PreparedRun, Scenario};

/// The parts of a reward.
pub const PARTS: [&str; 3] = ["throughput", "delay", "loss"];

/// The weight of a step in the average of schemes that have none.
const WEIGHT: f64 = 1.0 / 8.0;

/// The scenario at each point of its sweep, and what agents set and get.
#[derive(Debug)]
pub(super) struct World {
    pub(super) setups: Vec<Setup>,
    pub(super) options: Options,
}

/// How many numbers there are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Agents of a simulation, one for each port.
    pub(super) ports: usize,
    /// Numbers in an agent's action.
    pub(super) action: usize,
    /// Numbers in an agent's observation.
    pub(super) observation: usize,
}

impl World {
    pub(super) fn sizes(&self) -> Sizes {
        let action = self.options.action.names().len();
        Sizes {
            ports: self.setups[0].ports.len(),
            action,
            observation: OBSERVATIONS.len() + action,
        }
    }
}

/// The scenario at one point of its sweep.
#[derive(Clone, Debug)]
pub(super) struct Setup {
    scenario: Arc<Scenario>,
    /// Whether everything that the scenario measures is measured.
    outcomes: bool,
    /// The ports that are steered, the watched one first.
    pub(super) ports: Vec<Port>,
    /// The base round-trip time in seconds.
    rtt: f64,
}

impl Setup {
    pub(super) fn new(plan: &Plan, point: usize, options: &Options) -> Result<Setup, Problem> {
        let scenario = &plan.points[point].scenario;
        let label = &scenario.schemes[0].label;
        let mut setup = Setup {
            outcomes: options.outcomes,
            ports: Vec::new(),
            rtt: scenario.path.rtt.as_secs_f64(),
            scenario: scenario.clone(),
        };
        let mut prepared = setup.prepare(0)?;
        setup.ports = Port::all(&prepared, label, options.action)?;
        setup.mark_steered(&mut prepared);
        let mut simulation = prepared.start()?;
        for port in &setup.ports {
            let set = simulation.steer(port.link, &port.setting(options.action, &port.configured));
            set.map_err(|_| cannot_steer(label, options.action))?;
        }
        Ok(setup)
    }

    /// The run with this seed, which decides about arrivals and hosts, too. Nothing is simulated
    /// that nobody steers.
    fn prepare(&self, seed: u64) -> Result<PreparedRun, Problem> {
        let mut prepared = self.scenario.run(&self.scenario.schemes[0], seed, false)?;
        let measure = &mut prepared.run.measure;
        measure.drain = Nanos::ZERO;
        if !self.outcomes {
            *measure = Measure {
                warm_up: measure.warm_up,
                ..Measure::default()
            };
        }
        self.mark_steered(&mut prepared);
        Ok(prepared)
    }

    fn mark_steered(&self, prepared: &mut PreparedRun) {
        for port in &self.ports {
            prepared.run.network.get_mut(port.link).steered = true;
        }
    }
}

/// One simulation, and where its episode stands.
#[derive(Debug)]
pub(super) struct Episode {
    simulation: Simulation,
    /// The run of the episode, with its seed.
    prepared: PreparedRun,
    pub(super) point: usize,
    pub(super) seed: u64,
    /// Draws the seeds of later episodes.
    random: Pcg32,
    /// The action of each port as set, in natural units.
    values: Vec<[f64; MOST]>,
    /// The average queue of each port in packets.
    averages: Vec<f64>,
    pub(super) over: bool,
    /// The figures of the last episode that ended.
    pub(super) outcome: Option<Box<Outcome>>,
}

/// A stream of random numbers that no simulation uses.
const SEEDS: u64 = 0x656e_7669_726f_6e6d;

impl Episode {
    pub(super) fn new(world: &World, seed: u64) -> Result<Episode, Problem> {
        let prepared = world.setups[0].prepare(seed)?;
        let mut episode = Episode {
            simulation: prepared.start()?,
            prepared,
            point: 0,
            seed,
            random: Pcg32::new(seed, SEEDS),
            values: Vec::new(),
            averages: Vec::new(),
            over: false,
            outcome: None,
        };
        episode.reset(world, Some(seed));
        Ok(episode)
    }

    /// Begins an episode with `seed`, or with the next seed that the last one leads to.
    pub(super) fn reset(&mut self, world: &World, seed: Option<u64>) {
        if let Some(seed) = seed {
            self.random = Pcg32::new(seed, SEEDS);
        }
        self.seed = seed.unwrap_or_else(|| u64::from(self.random.next_u32()));
        let points = world.setups.len() as u64;
        let point = (FlowKey(self.seed).hash(SEEDS) % points) as usize;
        self.point = point;
        // Every point was started once, and a seed does not decide whether a run is valid.
        if let Ok(prepared) = world.setups[point].prepare(self.seed)
            && let Ok(simulation) = prepared.start()
        {
            (self.prepared, self.simulation) = (prepared, simulation);
        }
        let ports = &world.setups[point].ports;
        self.values.clear();
        self.values.extend(ports.iter().map(|port| port.configured));
        self.averages.clear();
        self.averages.resize(ports.len(), 0.0);
        self.over = false;
    }

    /// Sets the action of each port and runs one step.
    pub(super) fn step(&mut self, world: &World, actions: &[f64], outputs: &mut Slices<'_>) {
        let options = &world.options;
        outputs.rewards.fill(0.0);
        outputs.parts.fill(0.0);
        outputs.truncated[0] = false;
        if self.over && options.autoreset == Autoreset::NextStep {
            self.reset(world, None);
            return self.observe_beginning(world, outputs.observations);
        }
        let setup = &world.setups[self.point];
        let numbers = world.sizes().action;
        let of_ports = self.values.iter_mut().zip(actions.chunks_exact(numbers));
        for ((values, action), port) in of_ports.zip(&setup.ports) {
            *values = options.action.natural(options.scale, action, port.buffer);
            // Refused in `Setup::new`, or never.
            let _ = self
                .simulation
                .steer(port.link, &port.setting(options.action, values));
        }
        let before = self.simulation.now();
        self.simulation.run_until(before + options.step);
        let span = self.simulation.now().since(before);
        for index in 0..setup.ports.len() {
            self.look(world, index, span, outputs);
        }
        if self.simulation.now() >= self.prepared.run.duration {
            self.end(world, outputs);
        }
    }

    /// Observes a port after a step that took `span`, and what its agent gets for it.
    fn look(&mut self, world: &World, index: usize, span: Nanos, outputs: &mut Slices<'_>) {
        let setup = &world.setups[self.point];
        let port = &setup.ports[index];
        let Ok(state) = self.simulation.look(port.link) else {
            return;
        };
        self.follow_average(port, index, &state);
        let measured = port.measured(&state, span, self.averages[index], setup.rtt);
        let [delay, _, utilisation, _, loss, ..] = measured;
        let weights = &world.options.reward;
        let parts = index * PARTS.len()..(index + 1) * PARTS.len();
        outputs.parts[parts].copy_from_slice(&[utilisation, delay, loss]);
        outputs.rewards[index] =
            weights.throughput * utilisation - weights.delay * delay - weights.loss * loss;
        self.write(world, index, &measured, outputs.observations);
    }

    /// The episode has reached the end of its run.
    fn end(&mut self, world: &World, outputs: &mut Slices<'_>) {
        self.over = true;
        outputs.truncated[0] = true;
        if world.options.outcomes {
            let results = self.simulation.clone().finish();
            self.outcome = Some(Box::new(Outcome::of(&results, &self.prepared)));
        }
        if world.options.autoreset == Autoreset::SameStep {
            outputs
                .final_observations
                .copy_from_slice(outputs.observations);
            self.reset(world, None);
            self.observe_beginning(world, outputs.observations);
        }
    }

    /// Brings a port's average up to date: the scheme's own, or one of the queue.
    fn follow_average(&mut self, port: &Port, index: usize, state: &LinkState) {
        let mut own = None;
        let shown = self.simulation.probes(port.link, &mut |name, value| {
            if name == "average" {
                own = Some(value / port.unit);
            }
        });
        let average = &mut self.averages[index];
        let followed = *average + WEIGHT * (f64::from(state.packets) - *average);
        *average = own.filter(|_| shown.is_ok()).unwrap_or(followed);
    }

    /// Observes the beginning of the episode: nothing has arrived.
    pub(super) fn observe_beginning(&self, world: &World, observed: &mut [f32]) {
        for index in 0..self.values.len() {
            self.write(world, index, &[0.0; OBSERVATIONS.len()], observed);
        }
    }

    /// Writes what a port's agent observes.
    fn write(&self, world: &World, index: usize, measured: &[f64], observed: &mut [f32]) {
        let buffer = world.setups[self.point].ports[index].buffer;
        let set = world.options.action.normalised(&self.values[index], buffer);
        let size = world.sizes().observation;
        let values = measured.iter().chain(&set);
        let own = &mut observed[index * size..(index + 1) * size];
        for (place, value) in own.iter_mut().zip(values) {
            *place = *value as f32;
        }
    }
}
