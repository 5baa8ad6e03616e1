//! The search for a target whose simulation meets the goal, and what is simulated beside it.

use std::sync::atomic::AtomicBool;

use earlydrop::registry::{Kind, Spec};
use earlydrop::units::Nanos;
use earlydrop_model::configure::{Choice, Goal, Question, SMALL_BUFFER, least_stable, propose};
use earlydrop_model::number::to_digits;
use earlydrop_model::stability::Verdict;
use earlydrop_model::{Load, ModelError, PACKETS_PER_FLOW};

use super::{ALIKE, AdviceError, Effort, OTHERS, Trial, Wanted};
use crate::verify::{Beside, Measurement, RunLength, measure_each};

/// A simulated delay this near to the goal needs no other trial.
const NEAR: f64 = 0.08;
/// The longest target, in round trips: a longer one delays more than the buffers that it is to replace.
const LONGEST: f64 = 3.0;
/// The least factor from one target to the next longer one.
const STEP: f64 = 2.5;
/// The most trials of one question.
pub(super) const TRIALS: usize = 7;
/// The other schemes' defaults are for the round trips of the Internet. On paths below this one, their
/// times shrink with the round trip.
const SHORT: Nanos = Nanos::from_millis(10);
/// The round trip below which they stay as they are.
const SHORTEST: Nanos = Nanos::from_micros(100);
/// On paths above this one their times grow with the round trip: CoDel's interval is to be as long as
/// one (RFC 8289, 4.3), and others' defaults are chosen for round trips up to it.
const LONG: Nanos = Nanos::from_millis(100);

/// The trials of one question.
pub(super) struct Search<'a> {
    pub(super) question: &'a Question,
    pub(super) effort: Effort,
    pub(super) stop: &'a AtomicBool,
    pub(super) progress: &'a mut dyn FnMut(&str),
    pub(super) trials: Vec<Trial>,
}

impl Search<'_> {
    fn measure(
        &self,
        load: &Load,
        beside: Beside,
        specs: &[Spec],
    ) -> Result<Vec<Measurement>, AdviceError> {
        let Effort {
            length, threads, ..
        } = self.effort;
        Ok(measure_each(
            load, beside, specs, length, threads, self.stop,
        )?)
    }

    /// Simulates the question's load alone.
    fn measure_one(&self, spec: Spec) -> Result<Measurement, AdviceError> {
        Ok(self.measure(&self.question.load, Beside::Nothing, &[spec])?[0])
    }

    pub(super) fn drop_tail(&mut self, buffer: f64) -> Result<Measurement, AdviceError> {
        (self.progress)("droptail");
        self.measure_one(with_buffer("droptail", buffer)?)
    }

    pub(super) fn beside_a_call(
        &mut self,
        own: &Spec,
        buffer: f64,
    ) -> Result<Vec<(Spec, Measurement)>, AdviceError> {
        (self.progress)(&OTHERS.join(", "));
        let load = &self.question.load;
        let others = OTHERS.map(|name| unconfigured(name, buffer, load));
        let specs = [Ok(own.clone())].into_iter().chain(others);
        let specs: Vec<Spec> = specs.collect::<Result<_, _>>()?;
        let measured = self.measure(load, Beside::Calls, &specs)?;
        Ok(specs.into_iter().zip(measured).collect())
    }

    /// The same parameters where the flows have ECN, if they have not.
    pub(super) fn with_ecn(&mut self, own: &Spec) -> Result<Option<Measurement>, AdviceError> {
        let mut load = self.question.load;
        if load.tcp.ecn {
            return Ok(None);
        }
        load.tcp.ecn = true;
        (self.progress)("ECN");
        let specs = std::slice::from_ref(own);
        Ok(self.measure(&load, Beside::Nothing, specs)?.pop())
    }

    /// What the parameters of each method give: of those that were not tried before with the first seed
    /// alone, which is enough to compare.
    pub(super) fn methods(&mut self, choices: &[Choice]) -> Result<Vec<Measurement>, AdviceError> {
        let trials = self.trials.iter();
        let mut known: Vec<(Spec, Measurement)> = trials
            .map(|trial| (trial.spec.clone(), trial.measured))
            .collect();
        let mut specs: Vec<Spec> = Vec::new();
        for Choice { advice, .. } in choices {
            let is_known = known.iter().any(|(spec, _)| *spec == advice.spec);
            if !is_known && !specs.contains(&advice.spec) {
                specs.push(advice.spec.clone());
            }
        }
        if !specs.is_empty() {
            (self.progress)("other methods");
            let Effort {
                length, threads, ..
            } = self.effort;
            let once = RunLength { seeds: 1, ..length };
            let load = &self.question.load;
            let measured = measure_each(load, Beside::Nothing, &specs, once, threads, self.stop)?;
            known.extend(specs.into_iter().zip(measured));
        }
        let of_method = |choice: &Choice| {
            let mut known = known.iter();
            let own = known.find(|(spec, _)| *spec == choice.advice.spec)?;
            Some(own.1)
        };
        Ok(choices
            .iter()
            .map(of_method)
            .collect::<Option<_>>()
            .unwrap_or_default())
    }

    /// Simulates what was proposed for a target, and gives the index of its trial.
    pub(super) fn try_spec(
        &mut self,
        target: f64,
        spec: Spec,
        verdict: Option<Verdict>,
    ) -> Result<usize, AdviceError> {
        let known = self.trials.iter().position(|trial| trial.spec == spec);
        if let Some(known) = known {
            return Ok(known);
        }
        (self.progress)(&spec.to_string());
        let measured = self.measure_one(spec.clone())?;
        self.trials.push(Trial {
            target,
            spec,
            verdict,
            measured,
        });
        Ok(self.trials.len() - 1)
    }

    fn try_target(&mut self, target: f64) -> Result<usize, AdviceError> {
        let (spec, verdict) = propose(self.question, target)?;
        self.try_spec(target, spec, verdict)
    }

    /// The longest target that is tried, in packets: three times a round trip, four packets for each flow,
    /// or 50, whichever is most; below the buffer where one is given.
    fn longest(&self) -> f64 {
        self.within_buffer(self.unlimited())
    }

    /// The longest target if any buffer may be had.
    fn unlimited(&self) -> f64 {
        let load = &self.question.load;
        let all = PACKETS_PER_FLOW * load.flows;
        LONGEST * load.bdp().max(all).max(SMALL_BUFFER)
    }

    /// A target whose `max` is no longer than the buffer that is given.
    fn within_buffer(&self, target: f64) -> f64 {
        let buffer = self.question.buffer;
        buffer.map_or(target, |buffer| target.min(buffer / 1.5))
    }

    /// What a buffer of the default size gives for the target that the given one does not let be tried,
    /// where that is more.
    pub(super) fn with_room(&mut self, chosen: &Trial) -> Result<Option<Trial>, AdviceError> {
        let roomy = Question {
            buffer: None,
            ..self.question.clone()
        };
        let target = match roomy.goal {
            Goal::Delay(delay) => delay.as_secs_f64() * roomy.load.service(),
            _ => self.unlimited(),
        };
        let (spec, verdict) = propose(&roomy, target)?;
        if target <= self.within_buffer(target) || spec == chosen.spec {
            return Ok(None);
        }
        (self.progress)(&spec.to_string());
        let trial = Trial {
            target,
            verdict,
            measured: self.measure_one(spec.clone())?,
            spec,
        };
        let used = |trial: &Trial| trial.measured.utilisation.mean;
        let waits = |trial: &Trial| trial.measured.delay.mean;
        let is_more = used(&trial) > used(chosen) + ALIKE || waits(&trial) > waits(chosen);
        Ok(is_more.then_some(trial))
    }

    /// The trial whose simulated delay is nearest to that of a queue of `goal` packets, by the secant of
    /// logarithms.
    pub(super) fn delay(&mut self, goal: f64) -> Result<usize, AdviceError> {
        let delay = goal / self.question.load.service();
        let off = |trial: &Trial| (trial.measured.delay.mean.max(1e-9) / delay).ln();
        let longest = self.within_buffer(self.longest().max(LONGEST * goal));
        let mut target = goal.min(longest);
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
            target = next.exp().clamp(1.0_f64.min(longest), longest);
        }
        let nearest = seen.into_iter().min_by(|one, other| {
            let [one, other] = [one, other].map(|index| off(&self.trials[*index]).abs());
            one.total_cmp(&other)
        });
        Ok(nearest.unwrap_or(0))
    }

    /// The shortest stable target from `from` on that is what is wanted; where there is none, the trial
    /// with the highest utilisation, and of equal ones the shortest.
    pub(super) fn least(&mut self, from: f64, wanted: Wanted) -> Result<usize, AdviceError> {
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

    /// The shortest stable trial that is what is wanted, other than the chosen one, of all that were
    /// tried and of longer ones than the chosen one's; one that is not stable if there is no other and
    /// the chosen one is not what is wanted.
    pub(super) fn rather(
        &mut self,
        chosen: usize,
        wanted: Wanted,
    ) -> Result<Option<usize>, AdviceError> {
        self.full(self.trials[chosen].target, wanted)?;
        let trials = self.trials.iter().enumerate();
        let is_met = wanted.is_met(&self.trials[chosen]);
        let able = trials.filter(|(index, trial)| {
            *index != chosen && wanted.is_met(trial) && (trial.is_stable() || !is_met)
        });
        let first = able.min_by(|(_, one), (_, other)| {
            let by_length = one.target.total_cmp(&other.target);
            other.is_stable().cmp(&one.is_stable()).then(by_length)
        });
        Ok(first.map(|(index, _)| index))
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
        // As many steps as there may be reach the longest.
        let step = STEP.max((longest / target).powf(1.0 / (TRIALS - 1) as f64));
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
            target = (step * target).min(longest);
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

/// A scheme with this buffer, in packets, where it has one. CAKE keeps its own: tc gives it memory by its
/// rate, and no length in packets.
fn with_buffer(name: &str, buffer: f64) -> Result<Spec, ModelError> {
    let spec = Spec::new(name)?;
    let has_buffer = name != "cake" && spec.descriptor().parameter("limit").is_some();
    Ok(match has_buffer {
        true => spec.with("limit", buffer.round())?,
        false => spec,
    })
}

/// A scheme for which nothing is chosen: with this buffer, in packets, where it has one, and with its times
/// in proportion to round trips below 10 ms and above 100 ms.
pub fn unconfigured(name: &str, buffer: f64, load: &Load) -> Result<Spec, ModelError> {
    for_round_trips(with_buffer(name, buffer)?, load)
}

/// The scheme with its times in proportion to the round trip, and its gains in inverse proportion, where
/// that is short or long: for a path of 1 ms CoDel has an interval of 10 ms and a target of 500 us, for one
/// of 600 ms 600 ms and 30 ms (RFC 8289 has 100 ms and 5 ms); PIE a target of 1.5 ms and of 90 ms.
pub(super) fn for_round_trips(spec: Spec, load: &Load) -> Result<Spec, ModelError> {
    let usual = load.rtt.clamp(SHORT, LONG);
    let share = load.rtt.max(SHORTEST).as_secs_f64() / usual.as_secs_f64();
    if share == 1.0 {
        return Ok(spec);
    }
    let settings = spec.settings(&load.link())?;
    let mut scaled = spec.clone();
    for parameter in spec.descriptor().parameters() {
        let name = parameter.name;
        let value = match parameter.kind {
            Kind::Time(_) => match settings.time(name).as_secs_f64() * share {
                0.0 => continue,
                time => Nanos::from_secs_f64(time).to_string(),
            },
            Kind::Number(_, "Hz") => to_digits(settings.number(name) / share, 4),
            _ => continue,
        };
        scaled = scaled.with(name, value)?;
    }
    Ok(scaled)
}
