//! Parameters for a link and its flows that were simulated before they are recommended.
//!
//! ```text
//! Question --propose (the model)--> parameters for a target --measure_each (the simulator)--> Trial
//!              ^                                                                  |
//!              +------- another target, where the simulation misses the goal -----+
//! ```
//! What is sought is the target queue, of which every parameter follows by the model. A goal of a
//! delay moves it until the simulated delay is near; a goal of a full link takes the shortest target
//! that the model calls stable, and longer ones until the simulated link is full.

mod search;

use std::sync::atomic::AtomicBool;

use earlydrop::registry::Spec;
use earlydrop_model::configure::{Goal, Question, Recommendation, TARGETED, configure, recommend};
use earlydrop_model::methods::METHODS;
use earlydrop_model::stability::Verdict;
use earlydrop_model::thresholds::BALANCE;
use earlydrop_model::{Load, ModelError};

use search::Search;
pub use search::unconfigured;

use crate::statistics::Mean;
use crate::verify::{Measurement, RunLength, VerifyError};

/// The utilisation of a full link.
const FULL: f64 = 0.98;
/// Where drop-tail leaves the link idle as well, it is as full as it can be within this of drop-tail.
const BELOW_DROP_TAIL: f64 = 0.01;
/// Less than drop-tail's utilisation minus this is said of a delay that was asked for.
const MUCH_BELOW: f64 = 0.05;
/// So much loss is said, and so much more than drop-tail's is avoided: a window is four packets at 6%.
const MUCH_LOST: f64 = 0.1;
const MUCH_MORE_LOST: f64 = 0.02;
/// A simulated delay meets the goal within this.
pub const MET: f64 = 0.25;
/// Links with utilisations this near are as full.
const ALIKE: f64 = 0.002;
/// RED whose queue is no shorter than this share of drop-tail's gains nothing.
const GAIN: f64 = 0.9;
/// Packets that one thread simulates in a second, at least, on a machine of 2020 or later.
const SPEED: f64 = 2e6;
/// Seconds that a flow takes of a run beside the packets that the link carries: its hosts and its
/// connection, and its timeouts where the link holds less than a packet of it.
const SECONDS_OF_FLOW: f64 = 5e-5;
/// The schemes that are simulated beside RED: what an operator may have today.
pub const OTHERS: [&str; 5] = ["fq-codel", "cake", "pie", "codel", "dualpi2"];

/// Why there is no advice.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AdviceError {
    /// The model refuses the question.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A simulation failed or was stopped.
    #[error(transparent)]
    Simulation(#[from] VerifyError),
}

/// The answer to a question.
#[derive(Clone, Debug)]
pub struct Advised {
    /// The model's answer for the recommended target; what is recommended comes first.
    pub recommendation: Recommendation,
    /// What was simulated.
    pub simulated: Simulated,
}

impl Advised {
    /// The question for parameters that drop above max, where those that mark there by the model's choice
    /// miss a delay.
    fn dropping_above_max(&self, question: &Question) -> Result<Option<Question>, ModelError> {
        const NAME: &str = "mark_above_max";
        let link = question.load.link();
        let spec = &self.simulated.trials[self.simulated.chosen].spec;
        let is_chosen = spec.descriptor().parameter(NAME).is_some()
            && spec.settings(&link)?.is_set(NAME)
            && !question.scheme.settings(&link)?.is_set(NAME);
        if !is_chosen || self.simulated.off() <= MET {
            return Ok(None);
        }
        Ok(Some(Question {
            scheme: question.scheme.clone().with(NAME, "off")?,
            ..question.clone()
        }))
    }
}

/// What the simulations say.
#[derive(Clone, Debug)]
pub struct Simulated {
    /// The length of each run.
    pub length: RunLength,
    /// Every proposal, in the order in which they were simulated.
    pub trials: Vec<Trial>,
    /// The index of the recommended one.
    pub chosen: usize,
    /// Drop-tail with the buffer of the recommended parameters.
    pub drop_tail: Measurement,
    /// The utilisation that counts as full here.
    pub full: f64,
    /// What the recommended parameters miss.
    pub misses: Vec<Miss>,
    /// The shortest proposal with a full link, stable if there is one, where the recommended one is not
    /// stable or leaves the link idle: the index of its trial.
    pub rather: Option<usize>,
    /// What a buffer of the default size would give, where the given one was in the way.
    pub with_room: Option<Trial>,
    /// The recommended parameters beside calls, and other schemes with the same buffer and without a
    /// choice of parameters; empty where only the goal was asked for.
    pub beside_a_call: Vec<(Spec, Measurement)>,
    /// The recommended parameters where the flows have ECN; `None` where they have it anyway.
    pub with_ecn: Option<Measurement>,
    /// The parameters of every method, in the order of the recommendation's choices, each run once;
    /// empty where they were not asked for.
    pub methods: Vec<Measurement>,
}

/// One proposal and its simulation.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The average queue that it was proposed for, in packets.
    pub target: f64,
    /// The parameters.
    pub spec: Spec,
    /// The model's verdict on its loop; `None` if it has none.
    pub verdict: Option<Verdict>,
    /// What was simulated.
    pub measured: Measurement,
}

/// Whether so much is lost, and so much more than by another, that it is no choice beside it.
pub fn is_lossy(measured: &Measurement, beside: &Measurement) -> bool {
    let lost = measured.loss.mean;
    lost > MUCH_LOST && lost > beside.loss.mean + MUCH_MORE_LOST
}

/// What the recommended parameters miss in the simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Miss {
    /// The delay: wanted and simulated, in seconds.
    Delay(f64, f64),
    /// The lower end of the utilisation's interval: wanted, and what was simulated.
    Utilisation(f64, Mean),
    /// The utilisation is far below drop-tail's.
    Idle(f64, f64),
    /// So many packets are lost that every flow is in timeouts most of the time: lost here, and by
    /// drop-tail.
    Lossy(f64, f64),
    /// Drop-tail with the same buffer has a link as full and a queue hardly longer: its delay and that
    /// of the recommended parameters, in seconds.
    NoGain(f64, f64),
    /// The loop is not stable by the model.
    Unstable(Verdict),
}

impl Simulated {
    /// How far the simulated delay is from one that was asked for, as a share of it; 0 where it is met.
    fn off(&self) -> f64 {
        let off = self.misses.iter().map(|miss| match miss {
            Miss::Delay(wanted, got) => (got / wanted - 1.0).abs(),
            _ => 0.0,
        });
        off.fold(0.0, f64::max)
    }
}

impl Trial {
    /// Whether the model expects no oscillation.
    pub fn is_stable(&self) -> bool {
        self.verdict
            .is_none_or(|verdict| verdict == Verdict::Stable)
    }

    /// Whether the simulated link is busy for this share of the time, with 95% confidence.
    fn fills(&self, share: f64) -> bool {
        low(&self.measured.utilisation) >= share
    }
}

impl Miss {
    /// Whether a longer queue may help.
    pub fn is_of_length(&self) -> bool {
        matches!(
            self,
            Miss::Delay(..) | Miss::Utilisation(..) | Miss::Idle(..)
        )
    }
}

/// What a target is lengthened for.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    /// The utilisation.
    share: f64,
    /// Drop-tail, compared with which not much more is to be lost; `None` where that is not asked.
    spares: Option<Measurement>,
}

impl Wanted {
    fn is_met(&self, trial: &Trial) -> bool {
        let is_lossy = self
            .spares
            .is_some_and(|drop_tail| is_lossy(&trial.measured, &drop_tail));
        trial.fills(self.share) && !is_lossy
    }
}

/// The lower end of the interval of a mean; the mean where it has none.
fn low(mean: &Mean) -> f64 {
    mean.mean - mean.half.unwrap_or(0.0)
}

/// How much is simulated.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// The length of each run.
    pub length: RunLength,
    /// The number of threads.
    pub threads: usize,
    /// Whether other schemes are simulated beside the recommended one.
    pub with_others: bool,
    /// Whether the parameters of every other method are simulated.
    pub with_methods: bool,
}

impl Effort {
    /// About how long a question takes, in seconds: four proposals and what stands beside them, at two
    /// million packets and 20,000 flows a second on each thread.
    pub fn estimate(&self, load: &Load) -> f64 {
        let others = u64::from(self.with_others) * (OTHERS.len() as u64 + 2);
        let methods = u64::from(self.with_methods) * METHODS.len() as u64;
        let runs = self.length.seeds * (5 + others) + methods;
        let packets = self.length.duration.as_secs_f64() * load.service();
        let of_run = packets / SPEED + load.flows * SECONDS_OF_FLOW;
        let threads = self.threads.clamp(1, 4) as f64;
        of_run * runs as f64 / threads
    }
}

/// Answers a question by the model, and simulates the answer. `progress` is told what is being
/// simulated.
pub fn advise(
    question: &Question,
    effort: Effort,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(&str),
) -> Result<Advised, AdviceError> {
    let advised = answer(question, effort, stop, progress)?;
    let Some(dropping) = advised.dropping_above_max(question)? else {
        return Ok(advised);
    };
    // Flows of which each keeps a packet in the queue hold it longer than was asked for, if none is
    // dropped above max.
    let other = answer(&dropping, effort, stop, progress)?;
    Ok(match other.simulated.off() < advised.simulated.off() {
        true => other,
        false => advised,
    })
}

/// Simulates what the model proposes until the goal is met, and what stands beside it.
fn answer(
    question: &Question,
    effort: Effort,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(&str),
) -> Result<Advised, AdviceError> {
    let proposal = configure(question)?;
    let mut search = Search {
        question,
        effort,
        stop,
        progress,
        trials: Vec::new(),
    };
    let buffer = proposal.buffer;
    let mut drop_tail = search.drop_tail(buffer)?;
    let full = FULL.min(drop_tail.utilisation.mean - BELOW_DROP_TAIL);
    let (chosen, rather) = searched(&mut search, &proposal, full, drop_tail)?;
    let trial = search.trials[chosen].clone();
    let recommendation = match is_free(&proposal) {
        true => recommend(question, trial.target)?,
        false => proposal,
    };
    if recommendation.buffer != buffer {
        drop_tail = search.drop_tail(recommendation.buffer)?;
    }
    let misses = misses(question.goal, full, &trial, &drop_tail);
    let with_room = match misses.iter().any(Miss::is_of_length) {
        true => search.with_room(&trial)?,
        false => None,
    };
    let spec = trial.spec;
    let (beside_a_call, with_ecn) = match effort.with_others {
        true => (
            search.beside_a_call(&spec, recommendation.buffer)?,
            search.with_ecn(&spec)?,
        ),
        false => (Vec::new(), None),
    };
    let methods = match effort.with_methods {
        true => search.methods(&recommendation.choices)?,
        false => Vec::new(),
    };
    let simulated = Simulated {
        length: effort.length,
        trials: search.trials,
        chosen,
        drop_tail,
        full,
        misses,
        rather,
        with_room,
        beside_a_call,
        with_ecn,
        methods,
    };
    Ok(Advised {
        recommendation,
        simulated,
    })
}

/// Whether the proposal may be corrected: its parameters are the model's own choice.
fn is_free(proposal: &Recommendation) -> bool {
    [BALANCE, TARGETED].contains(&proposal.choices[0].advice.method)
}

/// The index of the trial to recommend, and of one that stands [beside it](Simulated::rather); `full` is
/// the utilisation that counts as full.
fn searched(
    search: &mut Search<'_>,
    proposal: &Recommendation,
    full: f64,
    drop_tail: Measurement,
) -> Result<(usize, Option<usize>), AdviceError> {
    let first = &proposal.choices[0];
    if !is_free(proposal) {
        let verdict = first.stability.map(|margins| margins.verdict());
        let spec = first.advice.spec.clone();
        return Ok((search.try_spec(proposal.goal, spec, verdict)?, None));
    }
    let usual = Wanted {
        share: full,
        spares: Some(drop_tail),
    };
    match search.question.goal {
        Goal::Delay(_) => {
            let chosen = search.delay(proposal.goal)?;
            let trial = &search.trials[chosen];
            let rather = match trial.is_stable() && trial.fills(full) {
                true => None,
                false => search.rather(chosen, usual)?,
            };
            Ok((chosen, rather))
        }
        Goal::Utilisation(share) => {
            let asked = Wanted {
                share,
                spares: None,
            };
            Ok((search.least(proposal.goal, asked)?, None))
        }
        _ => Ok((search.least(proposal.goal, usual)?, None)),
    }
}

/// What a trial misses of the goal; `full` is the utilisation that counts as full.
fn misses(goal: Goal, full: f64, trial: &Trial, drop_tail: &Measurement) -> Vec<Miss> {
    let measured = &trial.measured;
    let used = measured.utilisation.mean;
    let mut misses = Vec::new();
    if let Goal::Delay(delay) = goal {
        let (wanted, got) = (delay.as_secs_f64(), measured.delay.mean);
        if (got / wanted - 1.0).abs() > MET {
            misses.push(Miss::Delay(wanted, got));
        }
    }
    let share = match goal {
        Goal::Delay(_) => None,
        Goal::Utilisation(share) => Some(share),
        _ => Some(full),
    };
    if let Some(share) = share.filter(|share| !trial.fills(*share)) {
        misses.push(Miss::Utilisation(share, measured.utilisation));
    }
    let by_drop_tail = drop_tail.utilisation.mean;
    if used < by_drop_tail - MUCH_BELOW {
        misses.push(Miss::Idle(by_drop_tail, used));
    }
    let (waits, there) = (measured.delay.mean, drop_tail.delay.mean);
    if waits > GAIN * there && used < by_drop_tail + ALIKE {
        misses.push(Miss::NoGain(there, waits));
    }
    if measured.loss.mean > MUCH_LOST {
        misses.push(Miss::Lossy(measured.loss.mean, drop_tail.loss.mean));
    }
    if let Some(verdict) = trial.verdict.filter(|verdict| *verdict != Verdict::Stable) {
        misses.push(Miss::Unstable(verdict));
    }
    misses
}

#[cfg(test)]
#[path = "advice_tests.rs"]
mod tests;
