//! An episode: one run of the scenario, in steps.

use earlydrop::packet::FlowKey;
use earlydrop::random::Pcg32;
use earlydrop::registry::{LinkFacts, Plan as SchemePlan, Settings};
use earlydrop::schemes::AnyAqm;
use earlydrop::units::Nanos;
use earlydrop_sim::Simulation;
use earlydrop_sim::measure::Measure;
use earlydrop_sim::network::LinkId;
use earlydrop_sim::steering::LinkState;

use super::action::MOST;
use super::{ActionKind, Autoreset, Options, Slices};
use crate::document::{Place, Problem};
use crate::outcome::Outcome;
use crate::plan::{Cell, Plan};
use crate::scenario::PreparedRun;

/// What is observed besides the action, each with its greatest value.
pub const OBSERVATIONS: [(&str, f64); 7] = [
    ("delay", 10.0),
    ("queue", 1.0),
    ("utilisation", 1.0),
    ("arrivals", 10.0),
    ("drop_rate", 1.0),
    ("mark_rate", 1.0),
    ("average", 1.0),
];

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

/// The scenario at one point of its sweep.
#[derive(Clone, Debug)]
pub(super) struct Setup {
    prepared: PreparedRun,
    link: LinkId,
    /// What the scheme was configured with, in natural units.
    pub(super) configured: [f64; MOST],
    /// The buffer in packets.
    pub(super) buffer: f64,
    /// What a packet counts in the scheme's average: 1, or its bytes.
    unit: f64,
    /// Bytes that the link sends in a second.
    bytes_per_second: f64,
    /// The base round-trip time in seconds.
    rtt: f64,
}

impl Setup {
    pub(super) fn new(plan: &Plan, point: usize, options: &Options) -> Result<Setup, Problem> {
        let cell = Cell {
            seed: 0,
            point,
            scheme: 0,
        };
        let mut prepared = plan.prepare(cell, false)?;
        let link = prepared.watched;
        // Nothing is simulated that nobody steers.
        prepared.run.measure.drain = Nanos::ZERO;
        let scenario = &plan.points[point].scenario;
        if !options.outcomes {
            prepared.run.measure = Measure {
                warm_up: prepared.run.measure.warm_up,
                ..Measure::default()
            };
        }
        let label = &scenario.schemes[0].label;
        prepared.run.network.get_mut(link).steered = true;
        let described = prepared.run.network.get(link).clone();
        let facts = LinkFacts {
            rate: described.mean_rate(),
            mean_packet: described.mean_packet,
        };
        let spec = described.queue.as_ref();
        let planned = spec.and_then(|spec| spec.plan(&facts).ok());
        let is_same = |other: &&earlydrop_sim::network::Link| {
            let text = other.queue.as_ref().map(ToString::to_string);
            text == spec.map(ToString::to_string)
        };
        let links = prepared.run.network.links().map(|(.., link)| link);
        if links.filter(is_same).count() > 1 {
            let message = format!("the scheme `{label}` stands at several links");
            let help = "an environment steers one link: give the others a queue of their own";
            return Err(Problem::new(&scenario.network.place, message, help));
        }
        let Some((SchemePlan::Single { aqm, limit }, spec)) = planned.zip(spec) else {
            return Err(cannot_steer(label, options.action));
        };
        let settings = spec.settings(&facts).ok();
        let configured = settings.and_then(|settings| configured(&aqm, options.action, &settings));
        let Some((unit, configured)) = configured else {
            return Err(cannot_steer(label, options.action));
        };
        let by_bytes = limit.bytes.0 as f64 / facts.mean_packet.0 as f64;
        let setup = Setup {
            link,
            configured,
            buffer: f64::from(limit.packets).min(by_bytes).max(1.0),
            unit,
            bytes_per_second: facts.rate.0 as f64 / 8.0,
            rtt: scenario.path.rtt.as_secs_f64(),
            prepared,
        };
        let mut simulation = setup.prepared.start()?;
        let setting = options.action.setting(&setup.configured, setup.unit);
        let set = simulation.steer(link, &setting);
        set.map_err(|_| cannot_steer(label, options.action))?;
        Ok(setup)
    }
}

/// What a packet counts in the scheme's average, and what the scheme was configured with; `None`
/// where it cannot be steered by `action`.
fn configured(aqm: &AnyAqm, action: ActionKind, settings: &Settings) -> Option<(f64, [f64; MOST])> {
    let red = match (aqm, action) {
        (AnyAqm::Dial(_), ActionKind::Probability) => {
            return Some((1.0, [settings.number("probability"), 0.0, 0.0]));
        }
        (AnyAqm::Red(red), kind) if kind != ActionKind::Probability => red,
        _ => return None,
    };
    let unit = match settings.choice("unit") {
        "bytes" => settings.link().mean_packet.0 as f64,
        _ => 1.0,
    };
    let shape = red.curve().shape();
    let (min, max, max_p) = (shape.min / unit, shape.max / unit, settings.number("max_p"));
    let values = match action {
        ActionKind::MaxP => [max_p, 0.0, 0.0],
        ActionKind::Thresholds => [min, max, 0.0],
        _ => [min, max, max_p],
    };
    Some((unit, values))
}

fn cannot_steer(label: &str, action: ActionKind) -> Problem {
    let message = format!(
        "the scheme `{label}` cannot be steered by {}",
        action.name()
    );
    let help = match action {
        ActionKind::Probability => "allowed: the scheme dial, as in schemes = [\"dial\"]",
        _ => {
            "allowed: a single queue of the RED family whose curve is not given as numbers, as \
              in schemes = [\"red\"]"
        }
    };
    Problem::new(&Place::default(), message, help)
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
    /// The action as set, in natural units.
    values: [f64; MOST],
    /// The average queue in packets.
    average: f64,
    pub(super) over: bool,
    /// The figures of the last episode that ended.
    pub(super) outcome: Option<Box<Outcome>>,
}

/// A stream of random numbers that no simulation uses.
const SEEDS: u64 = 0x656e_7669_726f_6e6d;

impl Episode {
    pub(super) fn new(world: &World, seed: u64) -> Result<Episode, Problem> {
        let prepared = world.setups[0].prepared.clone();
        let mut episode = Episode {
            simulation: prepared.start()?,
            prepared,
            point: 0,
            seed,
            random: Pcg32::new(seed, SEEDS),
            values: [0.0; MOST],
            average: 0.0,
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
        if point != self.point {
            self.prepared.clone_from(&world.setups[point].prepared);
            self.point = point;
        }
        self.prepared.run.seed = self.seed;
        // Every point was started once, and a seed does not decide whether a run is valid.
        if let Ok(simulation) = self.prepared.start() {
            self.simulation = simulation;
        }
        self.values = world.setups[point].configured;
        self.average = 0.0;
        self.over = false;
    }

    /// Sets an action and runs one step.
    pub(super) fn step(&mut self, world: &World, action: &[f64], outputs: &mut Slices<'_>) {
        let options = &world.options;
        outputs.rewards[0] = 0.0;
        outputs.parts.fill(0.0);
        outputs.truncated[0] = false;
        if self.over && options.autoreset == Autoreset::NextStep {
            self.reset(world, None);
            return self.observe_beginning(world, outputs.observations);
        }
        let setup = &world.setups[self.point];
        self.values = options.action.natural(options.scale, action, setup.buffer);
        let setting = options.action.setting(&self.values, setup.unit);
        let before = self.simulation.now();
        // Refused in `Setup::new`, or never.
        let _ = self.simulation.steer(setup.link, &setting);
        self.simulation.run_until(before + options.step);
        let Ok(state) = self.simulation.look(setup.link) else {
            return;
        };
        self.follow_average(setup, &state);
        let measured = measured(setup, &state, state.at.since(before), self.average);
        let [delay, _, utilisation, _, loss, ..] = measured;
        let weights = &options.reward;
        outputs.parts.copy_from_slice(&[utilisation, delay, loss]);
        outputs.rewards[0] =
            weights.throughput * utilisation - weights.delay * delay - weights.loss * loss;
        self.write(world, &measured, outputs.observations);
        if state.at >= self.prepared.run.duration {
            self.end(world, outputs);
        }
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

    /// Brings the average up to date: the scheme's own, or one of the queue.
    fn follow_average(&mut self, setup: &Setup, state: &LinkState) {
        let mut own = None;
        let shown = self.simulation.probes(setup.link, &mut |name, value| {
            if name == "average" {
                own = Some(value / setup.unit);
            }
        });
        let followed = self.average + WEIGHT * (f64::from(state.packets) - self.average);
        self.average = own.filter(|_| shown.is_ok()).unwrap_or(followed);
    }

    /// Observes the beginning of the episode: nothing has arrived.
    pub(super) fn observe_beginning(&self, world: &World, observed: &mut [f32]) {
        self.write(world, &[0.0; OBSERVATIONS.len()], observed);
    }

    fn write(&self, world: &World, measured: &[f64], observed: &mut [f32]) {
        let buffer = world.setups[self.point].buffer;
        let set = world.options.action.normalised(&self.values, buffer);
        let values = measured.iter().chain(&set);
        for (place, value) in observed.iter_mut().zip(values) {
            *place = *value as f32;
        }
    }
}

/// The observations of [`OBSERVATIONS`] after a step that took `span`.
fn measured(
    setup: &Setup,
    state: &LinkState,
    span: Nanos,
    average: f64,
) -> [f64; OBSERVATIONS.len()] {
    let counters = &state.counters;
    let waited = state.mean_sojourn.or(state.head_sojourn);
    let delay = waited.map_or(0.0, Nanos::as_secs_f64) / setup.rtt;
    let sendable = setup.bytes_per_second * span.as_secs_f64();
    let arrived = counters.arrived.packets.max(1) as f64;
    let values = [
        delay,
        f64::from(state.packets) / setup.buffer,
        state.utilisation,
        counters.arrived.bytes as f64 / sendable,
        counters.dropped().packets as f64 / arrived,
        counters.marked.packets as f64 / arrived,
        average / setup.buffer,
    ];
    std::array::from_fn(|place| values[place].clamp(0.0, OBSERVATIONS[place].1))
}
