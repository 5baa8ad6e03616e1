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

use std::sync::atomic::AtomicBool;

use earlydrop::registry::Spec;
use earlydrop::units::Nanos;
use earlydrop_model::configure::{Choice, Goal, Question, Recommendation, TARGETED, configure};
use earlydrop_model::configure::{least_stable, propose};
use earlydrop_model::stability::Verdict;
use earlydrop_model::thresholds::BALANCE;
use earlydrop_model::{Load, ModelError};

use crate::statistics::Mean;
use crate::verify::{Measurement, RunLength, VerifyError, measure_beside_a_call, measure_each};

/// The utilisation of a full link.
pub const FULL: f64 = 0.98;
/// Where drop-tail leaves the link idle as well, it is as full as it can be within this of drop-tail.
const BELOW_DROP_TAIL: f64 = 0.01;
/// Less than drop-tail's utilisation minus this is said of a delay that was asked for.
pub const MUCH_BELOW: f64 = 0.05;
/// So much loss, and so much more than drop-tail's, is said: a window is four packets at 6%.
const MUCH_LOST: f64 = 0.1;
const MUCH_MORE_LOST: f64 = 0.02;
/// A simulated delay this near to the goal needs no other trial.
const NEAR: f64 = 0.08;
/// A simulated delay meets the goal within this.
pub const MET: f64 = 0.25;
/// The factor from one target to the next longer one.
const STEP: f64 = 2.5;
/// Links with utilisations this near are as full.
const ALIKE: f64 = 0.002;
/// The most trials of one question.
const TRIALS: usize = 7;
/// The longest target, in round trips and in packets: longer ones delay more than the buffers that
/// they are to replace.
const LONGEST: (f64, f64) = (3.0, 50.0);
/// Packets that one thread simulates in a second, at least, on a machine of 2020 or later.
const SPEED: f64 = 2e6;
/// The schemes that are simulated beside RED: what an operator may have today.
const OTHERS: [&str; 5] = ["fq-codel", "cake", "pie", "codel", "dualpi2"];

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

/// What the simulations say.
#[derive(Clone, Debug)]
pub struct Simulated {
    /// The length of each run.
    pub length: RunLength,
    /// Every proposal, in the order in which they were simulated.
    pub trials: Vec<Trial>,
    /// The index of the recommended one.
    pub chosen: usize,
    /// Drop-tail with the same buffer.
    pub drop_tail: Measurement,
    /// The utilisation that counts as full here.
    pub full: f64,
    /// What the recommended parameters miss.
    pub misses: Vec<Miss>,
    /// The shortest stable proposal with a full link, where the recommended one is not stable or
    /// leaves the link idle: the index of its trial.
    pub rather: Option<usize>,
    /// The recommended parameters beside a call, and other schemes with the same buffer and without a
    /// choice of parameters; empty where only the goal was asked for.
    pub beside_a_call: Vec<(Spec, Measurement)>,
    /// The recommended parameters where the flows have ECN; `None` where they have it anyway.
    pub with_ecn: Option<Measurement>,
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

/// What the recommended parameters miss in the simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Miss {
    /// The delay: wanted and simulated, in seconds.
    Delay(f64, f64),
    /// The utilisation: wanted and simulated.
    Utilisation(f64, f64),
    /// The utilisation is far below drop-tail's.
    Idle(f64, f64),
    /// So many packets are lost that every flow is in timeouts most of the time, and more than by
    /// drop-tail: lost here, and there.
    Lossy(f64, f64),
    /// The loop is not stable by the model.
    Unstable(Verdict),
}

impl Trial {
    /// Whether the model expects no oscillation.
    fn is_stable(&self) -> bool {
        self.verdict
            .is_none_or(|verdict| verdict == Verdict::Stable)
    }

    /// Whether the simulated link is busy for this share of the time, with 95% confidence.
    fn fills(&self, share: f64) -> bool {
        low(&self.measured.utilisation) >= share
    }

    /// Whether it loses so much, and so much more than drop-tail, that it is said.
    fn is_lossy(&self, drop_tail: &Measurement) -> bool {
        let lost = self.measured.loss.mean;
        lost > MUCH_LOST && lost > drop_tail.loss.mean + MUCH_MORE_LOST
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
            .is_some_and(|drop_tail| trial.is_lossy(&drop_tail));
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
}

impl Effort {
    /// About how long a question takes, in seconds: four proposals and what stands beside them, at two
    /// million packets a second on each thread.
    pub fn estimate(&self, load: &Load) -> f64 {
        let runs = 5 + if self.with_others {
            OTHERS.len() + 2
        } else {
            0
        };
        let packets = self.length.duration.as_secs_f64() * load.service();
        let threads = self.threads.clamp(1, 4) as f64;
        packets * self.length.seeds as f64 * runs as f64 / (SPEED * threads)
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
    let proposal = configure(question)?;
    let mut search = Search {
        question,
        effort,
        stop,
        progress,
        trials: Vec::new(),
    };
    let first = &proposal.choices[0];
    let buffer = proposal.buffer;
    let drop_tail = search.drop_tail(buffer)?;
    let full = FULL.min(drop_tail.utilisation.mean - BELOW_DROP_TAIL);
    let usual = Wanted {
        share: full,
        spares: Some(drop_tail),
    };
    let is_free = [BALANCE, TARGETED].contains(&first.advice.method);
    let (chosen, rather) = match question.goal {
        _ if !is_free => (search.try_choice(proposal.goal, first)?, None),
        Goal::Delay(delay) => {
            let chosen = search.delay(delay.as_secs_f64())?;
            let trial = &search.trials[chosen];
            let rather = match trial.is_stable() && trial.fills(full) {
                true => None,
                false => search.full(trial.target, usual)?,
            };
            (chosen, rather)
        }
        Goal::Utilisation(share) => {
            let wanted = Wanted {
                share,
                spares: None,
            };
            (search.least(proposal.goal, wanted)?, None)
        }
        _ => (search.least(proposal.goal, usual)?, None),
    };
    let wanted = match question.goal {
        Goal::Delay(_) => None,
        Goal::Utilisation(share) => Some(share),
        _ => Some(full),
    };
    let trial = &search.trials[chosen];
    let misses = misses(question.goal, wanted, trial, &drop_tail);
    let recommendation = match is_free {
        true => configure(&Question {
            goal: Goal::Delay(delay_of(&question.load, trial.target)),
            ..question.clone()
        })?,
        false => proposal,
    };
    let spec = trial.spec.clone();
    let (beside_a_call, with_ecn) = match effort.with_others {
        true => (
            search.beside_a_call(&spec, recommendation.buffer)?,
            search.with_ecn(&spec)?,
        ),
        false => (Vec::new(), None),
    };
    let simulated = Simulated {
        length: effort.length,
        trials: search.trials,
        chosen,
        drop_tail,
        full,
        misses,
        rather,
        beside_a_call,
        with_ecn,
    };
    Ok(Advised {
        recommendation,
        simulated,
    })
}

fn delay_of(load: &Load, packets: f64) -> Nanos {
    Nanos::from_secs_f64(packets / load.service())
}

fn misses(goal: Goal, wanted: Option<f64>, trial: &Trial, drop_tail: &Measurement) -> Vec<Miss> {
    let measured = &trial.measured;
    let used = measured.utilisation.mean;
    let mut misses = Vec::new();
    if let Goal::Delay(delay) = goal {
        let (wanted, got) = (delay.as_secs_f64(), measured.delay.mean);
        if (got / wanted - 1.0).abs() > MET {
            misses.push(Miss::Delay(wanted, got));
        }
    }
    if let Some(wanted) = wanted.filter(|wanted| !trial.fills(*wanted)) {
        misses.push(Miss::Utilisation(wanted, used));
    }
    if used < drop_tail.utilisation.mean - MUCH_BELOW {
        misses.push(Miss::Idle(drop_tail.utilisation.mean, used));
    }
    if trial.is_lossy(drop_tail) {
        misses.push(Miss::Lossy(measured.loss.mean, drop_tail.loss.mean));
    }
    if let Some(verdict) = trial.verdict.filter(|verdict| *verdict != Verdict::Stable) {
        misses.push(Miss::Unstable(verdict));
    }
    misses
}

/// The trials of one question.
struct Search<'a> {
    question: &'a Question,
    effort: Effort,
    stop: &'a AtomicBool,
    progress: &'a mut dyn FnMut(&str),
    trials: Vec<Trial>,
}

impl Search<'_> {
    fn measure(&mut self, specs: &[Spec]) -> Result<Vec<Measurement>, AdviceError> {
        let Effort {
            length, threads, ..
        } = self.effort;
        let load = &self.question.load;
        Ok(measure_each(load, specs, length, threads, self.stop)?)
    }

    fn drop_tail(&mut self, buffer: f64) -> Result<Measurement, AdviceError> {
        (self.progress)("droptail");
        let spec = with_buffer("droptail", buffer)?;
        Ok(self.measure(&[spec])?[0])
    }

    fn beside_a_call(
        &mut self,
        own: &Spec,
        buffer: f64,
    ) -> Result<Vec<(Spec, Measurement)>, AdviceError> {
        (self.progress)(&OTHERS.join(", "));
        let others = OTHERS.map(|name| with_buffer(name, buffer));
        let specs = [Ok(own.clone())].into_iter().chain(others);
        let specs: Vec<Spec> = specs.collect::<Result<_, _>>()?;
        let Effort {
            length, threads, ..
        } = self.effort;
        let load = &self.question.load;
        let measured = measure_beside_a_call(load, &specs, length, threads, self.stop)?;
        Ok(specs.into_iter().zip(measured).collect())
    }

    /// The same parameters where the flows have ECN, if they have not.
    fn with_ecn(&mut self, own: &Spec) -> Result<Option<Measurement>, AdviceError> {
        let mut load = self.question.load;
        if load.tcp.ecn {
            return Ok(None);
        }
        load.tcp.ecn = true;
        (self.progress)("ECN");
        let Effort {
            length, threads, ..
        } = self.effort;
        let specs = std::slice::from_ref(own);
        Ok(measure_each(&load, specs, length, threads, self.stop)?.pop())
    }

    /// Simulates a choice, and gives the index of its trial.
    fn try_choice(&mut self, target: f64, choice: &Choice) -> Result<usize, AdviceError> {
        let spec = choice.advice.spec.clone();
        let known = self.trials.iter().position(|trial| trial.spec == spec);
        if let Some(known) = known {
            return Ok(known);
        }
        (self.progress)(&spec.to_string());
        let measured = self.measure(std::slice::from_ref(&spec))?[0];
        self.trials.push(Trial {
            target,
            spec,
            verdict: choice.stability.map(|margins| margins.verdict()),
            measured,
        });
        Ok(self.trials.len() - 1)
    }

    fn try_target(&mut self, target: f64) -> Result<usize, AdviceError> {
        let choice = propose(self.question, target)?;
        self.try_choice(target, &choice)
    }

    /// The longest target that is tried, in packets: below the buffer where one is given.
    fn longest(&self) -> f64 {
        let load = &self.question.load;
        let path = load.rtt.as_secs_f64() * load.service();
        let longest = LONGEST.0 * path + LONGEST.1;
        let buffer = self.question.buffer;
        buffer.map_or(longest, |buffer| longest.min(buffer / 1.5))
    }

    /// The trial whose simulated delay is nearest to `delay` seconds, by the secant of logarithms.
    fn delay(&mut self, delay: f64) -> Result<usize, AdviceError> {
        let goal = delay * self.question.load.service();
        let off = |trial: &Trial| (trial.measured.delay.mean.max(1e-9) / delay).ln();
        let mut target = goal;
        let mut seen: Vec<usize> = Vec::new();
        while seen.len() < TRIALS {
            let index = self.try_target(target)?;
            if seen.contains(&index) {
                break;
            }
            seen.push(index);
            let last = off(&self.trials[index]);
            if last.abs() <= NEAR.ln_1p() {
                break;
            }
            // Between the nearest trials on either side, or beyond the only side there is.
            let places = seen.iter().map(|index| {
                let trial = &self.trials[*index];
                (trial.target.ln(), off(trial))
            });
            let places: Vec<(f64, f64)> = places.collect();
            let below = places.iter().filter(|place| place.1 < 0.0);
            let below = below.max_by(|a, b| a.1.total_cmp(&b.1));
            let above = places.iter().filter(|place| place.1 >= 0.0);
            let above = above.min_by(|a, b| a.1.total_cmp(&b.1));
            let next = match (below, above) {
                (Some(below), Some(above)) if (above.0 - below.0).abs() > 1e-9 => {
                    below.0 - below.1 * (above.0 - below.0) / (above.1 - below.1)
                }
                _ => target.ln() - last.clamp(-1.5, 1.5),
            };
            target = next.exp().clamp(1.0, self.longest().max(goal));
        }
        let nearest = seen.into_iter().min_by(|one, other| {
            let [one, other] = [one, other].map(|index| off(&self.trials[*index]).abs());
            one.total_cmp(&other)
        });
        Ok(nearest.unwrap_or(0))
    }

    /// The shortest stable target from `from` on that is what is wanted; where there is none, the trial
    /// with the highest utilisation, and of equal ones the shortest.
    fn least(&mut self, from: f64, wanted: Wanted) -> Result<usize, AdviceError> {
        if let Some(found) = self.full(from, wanted)? {
            return Ok(found);
        }
        let used = |trial: &Trial| trial.measured.utilisation.mean;
        let most = self.trials.iter().map(used).fold(0.0, f64::max);
        let enough = most.min(wanted.share) - ALIKE;
        let shortest = (0..self.trials.len())
            .filter(|index| used(&self.trials[*index]) >= enough)
            .min_by(|one, other| {
                let [one, other] = [one, other].map(|index| self.trials[*index].target);
                one.total_cmp(&other)
            });
        Ok(shortest.unwrap_or(0))
    }

    /// The shortest target from `from` on that the model calls stable, or any where it calls none so,
    /// and that is what is wanted in the simulation; `None` if none is.
    fn full(&mut self, from: f64, wanted: Wanted) -> Result<Option<usize>, AdviceError> {
        let longest = self.longest();
        let from = from.min(longest);
        let stable = least_stable(self.question, from, longest)?;
        let mut target = stable.unwrap_or(from);
        let mut missed = None;
        let mut trials = 0;
        let mut found = loop {
            let index = self.try_target(target)?;
            trials += 1;
            if wanted.is_met(&self.trials[index]) {
                break index;
            }
            if target >= longest || trials >= TRIALS {
                return Ok(None);
            }
            missed = Some(target);
            target = (STEP * target).min(longest);
        };
        // Between a target that misses it and one that does not, to a quarter.
        while let Some(low) = missed.filter(|low| self.trials[found].target > 1.25 * low) {
            let known = self.trials.len();
            let index = self.try_target((low * self.trials[found].target).sqrt())?;
            // Where thresholds are of a few packets, nothing may lie between.
            if index < known {
                break;
            }
            let trial = &self.trials[index];
            match wanted.is_met(trial) && (trial.is_stable() || stable.is_none()) {
                true => found = index,
                false => missed = Some(trial.target),
            }
        }
        Ok(Some(found))
    }
}

/// A scheme with this buffer, in packets, where it has one.
fn with_buffer(name: &str, buffer: f64) -> Result<Spec, ModelError> {
    let spec = Spec::new(name)?;
    Ok(match spec.descriptor().parameter("limit") {
        Some(_) => spec.with("limit", buffer.round())?,
        None => spec,
    })
}

#[cfg(test)]
#[path = "advice_tests.rs"]
mod tests;
