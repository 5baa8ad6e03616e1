//! Chooses the parameters of a scheme for a load, and predicts the operating point of every method's
//! choice.
//!
//! ```
//! use earlydrop::units::Nanos;
//! use earlydrop_model::Load;
//! use earlydrop_model::configure::{Goal, Question, configure};
//!
//! let answer = configure(&Question {
//!     load: Load::default(),
//!     scheme: "red".parse()?,
//!     buffer: None,
//!     goal: Goal::Delay(Nanos::from_millis(10)),
//!     method: None,
//!     open_loop: None,
//! })?;
//! let chosen = &answer.choices[0];
//! assert_eq!(chosen.advice.method, "balance");
//! assert!((chosen.expected.delay.as_secs_f64() - 0.010).abs() < 0.0005);
//! # Ok::<(), earlydrop_model::ModelError>(())
//! ```

use earlydrop::registry::{Settings, Spec, nearest};
use earlydrop::units::Nanos;

use crate::closed_loop::{ClosedLoop, closed_loop};
use crate::fluid::{Change, State, transient};
use crate::methods::{Facts, TARGET_DELAY, every_method};
use crate::open_loop::{OpenLoop, OpenLoopInput, open_loop};
use crate::response::packets_of;
use crate::stability::{Stability, Verdict, stability};
use crate::thresholds::{
    Advice, GIVEN, LEAST_MIN, balance, flows_at, given_band, most_flows, significant,
};
use crate::validity::{Caveat, caveats};
use crate::{Gateway, Load, ModelError, PACKETS_PER_FLOW, Prediction, predict, sawtooth};

/// The objective of the configuration.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Goal {
    /// A mean queueing delay.
    Delay(Nanos),
    /// A utilisation between 0 and 1, with the shortest queue that gives it.
    Utilisation(f64),
    /// A delay of 5 ms, as in adaptive RED (2001), or of a round trip if that is less, or more if a
    /// utilisation of 98% needs more; at least ten packets, so that `min` is at least five (Floyd
    /// 1997). If the scheme sets thresholds: midway between them.
    Usual,
}

/// The input of [`configure`].
#[derive(Clone, Debug)]
pub struct Question {
    /// The load to configure for.
    pub load: Load,
    /// The scheme to configure. Parameters that it sets, itself or by a preset, are kept. If it
    /// sets `min` or `max`, these are the recommendation, and other methods replace them. What a
    /// preset has as "auto" is chosen.
    pub scheme: Spec,
    /// The buffer in packets, which replaces the limit of a preset. `None` selects the scheme's
    /// `limit` if it or its preset sets one, else the bandwidth-delay product, or four packets per flow if that is more (Morris 1997), or three times
    /// the average queue of the objective.
    pub buffer: Option<f64>,
    /// The objective.
    pub goal: Goal,
    /// The method to recommend, by name. `None`: the given thresholds if there are any, else the
    /// objective's.
    pub method: Option<String>,
    /// A known loss rate and distribution of windows, for the open loop of Chandrayana, Sikdar and
    /// Kalyanaraman. The method `paper` then uses its mean queue.
    pub open_loop: Option<OpenLoopInput>,
}

/// One method's parameters, with the predicted operating point.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The method's parameters.
    pub advice: Advice,
    /// The steady-state model with these parameters.
    pub gateway: Gateway,
    /// The predicted operating point, by the fluid balance.
    pub expected: Prediction,
    /// The operating point by the closed loop, for comparison and for the queue's distribution.
    pub closed: ClosedLoop,
    /// The stability of the control loop; `None` if the scheme has no curve.
    pub stability: Option<Stability>,
    /// Reasons to distrust the prediction.
    pub caveats: Vec<Caveat>,
}

/// The output of [`configure`].
#[derive(Clone, Debug)]
pub struct Recommendation {
    /// The load.
    pub load: Load,
    /// The buffer, in packets.
    pub buffer: f64,
    /// The average queue that meets the objective, in packets.
    pub goal: f64,
    /// The result of every method; the recommended one is first.
    pub choices: Vec<Choice>,
    /// The largest number of flows with an average below the upper threshold, by the fluid balance;
    /// `None` if the scheme has no thresholds.
    pub most_flows: Option<f64>,
    /// The number of flows with which the mean queue reaches the upper threshold without early drops,
    /// by formula (22) of Chandrayana, Sikdar and Kalyanaraman; `None` if there is none.
    pub most_flows_by_22: Option<f64>,
    /// The open loop at the given loss rate.
    pub open_loop: Option<OpenLoop>,
    /// The transient of the recommended parameters; `None` if the scheme has no curve over an
    /// average.
    pub trajectory: Option<Trajectory>,
    /// Warnings about the load, the buffer and the scheme.
    pub warnings: Vec<String>,
}

/// A transient from the operating point, with 50% more flows in the middle third of the time.
#[derive(Clone, Debug)]
pub struct Trajectory {
    /// The duration.
    pub span: Nanos,
    /// The states, at equal distances in time.
    pub states: Vec<State>,
}

/// The shortest duration of a trajectory, in seconds.
const LEAST_SPAN: f64 = 60.0;
/// The number of states of a trajectory.
const STATES: usize = 300;

/// Integrates the transient of a choice.
fn trajectory(load: &Load, choice: &Choice) -> Option<Trajectory> {
    let expected = &choice.expected;
    let weight = choice.gateway.weight()?;
    // Twenty time constants of the average.
    let time_constant = 1.0 / (-(-weight).ln_1p() * load.service());
    let span = (20.0 * time_constant).clamp(LEAST_SPAN, 10.0 * LEAST_SPAN);
    let span = Nanos::from_secs_f64(10.0 * (span / 10.0).ceil());
    let change = |third: u64, flows: f64| Change {
        at: Nanos(span.0 / 3 * third),
        flows,
    };
    let changes = [change(1, 1.5 * load.flows), change(2, load.flows)];
    let states = transient(load, &choice.gateway, expected, &changes, span, STATES)?;
    Some(Trajectory { span, states })
}

/// The utilisation that the usual goal preserves.
const USUAL_UTILISATION: f64 = 0.98;
/// The buffer over the average queue: twice max, which is one and a half times the average. With less,
/// a burst overflows it before the average reacts.
const BUFFER_OVER_GOAL: f64 = 3.0;
/// The smallest default buffer, in packets.
pub const SMALL_BUFFER: f64 = 50.0;

/// Recommends parameters: applies every method to the load and predicts each operating point.
pub fn configure(question: &Question) -> Result<Recommendation, ModelError> {
    question.load.check()?;
    recommend(question, goal_of(question)?)
}

/// What [`configure`] recommends for an average queue of `goal` packets, whatever the question's goal.
pub fn recommend(question: &Question, goal: f64) -> Result<Recommendation, ModelError> {
    let load = question.load;
    let buffer = buffer_of(question, goal)?;
    let known = question.open_loop.as_ref();
    let open_loop = known.map(|known| open_loop(&load, known, buffer));
    let open_loop = open_loop.transpose()?;
    let facts = Facts {
        load: &load,
        scheme: &question.scheme,
        buffer,
        delay: match question.goal {
            Goal::Delay(delay) => Some(delay),
            _ => None,
        },
        open_loop: open_loop.as_ref(),
    };
    let mut advice = match has_thresholds(&question.scheme) {
        true => every_method(&facts, goal)?,
        false => vec![targeted(&load, &question.scheme, buffer, goal)?],
    };
    if let Some(method) = &question.method {
        choose(&mut advice, method)?;
    }
    let choices: Result<Vec<Choice>, ModelError> = advice
        .into_iter()
        .map(|advice| evaluate(&load, advice))
        .collect();
    let choices = choices?;
    let first = &choices[0];
    let upper = first.advice.thresholds.map(|thresholds| thresholds.max);
    let mut configuration = Recommendation {
        load,
        buffer,
        goal,
        most_flows: upper.map(|max| flows_at(&load, &first.gateway, max)),
        most_flows_by_22: match (upper, &open_loop) {
            (Some(max), Some(open)) => open.most_flows(max),
            (Some(max), None) => most_flows(&load, buffer, max)?,
            (None, _) => None,
        },
        open_loop,
        trajectory: trajectory(&load, first),
        warnings: Vec::new(),
        choices,
    };
    configuration.warnings = warnings(&configuration);
    Ok(configuration)
}

/// The parameters alone that the model itself chooses for an average queue of `target` packets, and
/// the verdict on their loop; `None` if the scheme has no loop to judge.
pub fn propose(question: &Question, target: f64) -> Result<(Spec, Option<Verdict>), ModelError> {
    let load = &question.load;
    let buffer = buffer_of(question, target)?;
    let Advice { spec, .. } = match has_thresholds(&question.scheme) {
        true => balance(load, &question.scheme, buffer, target)?,
        false => targeted(load, &question.scheme, buffer, target)?,
    };
    let gateway = Gateway::of(&spec, load)?;
    let margins = stability(load, &gateway, &predict(load, &gateway)?);
    Ok((spec, margins.map(|margins| margins.verdict())))
}

/// The shortest average queue of at least `from` packets, and at most `to`, with which the proposed
/// parameters are stable; `from` where the scheme has no loop to judge, `None` if there is none.
pub fn least_stable(question: &Question, from: f64, to: f64) -> Result<Option<f64>, ModelError> {
    let is_stable = |target: f64| {
        let (_, verdict) = propose(question, target)?;
        Ok::<bool, ModelError>(verdict.is_none_or(|verdict| verdict == Verdict::Stable))
    };
    let (mut low, mut high) = (from, from);
    while !is_stable(high)? {
        if high >= to {
            return Ok(None);
        }
        (low, high) = (high, (1.5 * high).min(to));
    }
    // To 5% of the queue.
    while high > 1.05 * low {
        let middle = (low * high).sqrt();
        match is_stable(middle)? {
            true => high = middle,
            false => low = middle,
        }
    }
    Ok(Some(high))
}

/// Puts the advice of a method in front.
fn choose(advice: &mut [Advice], method: &str) -> Result<(), ModelError> {
    let names: Vec<&str> = advice.iter().map(|advice| advice.method).collect();
    let refused = |allowed: String, near: &str| {
        Err(ModelError::Method {
            method: method.to_string(),
            allowed,
            nearest: near.to_string(),
        })
    };
    let Some(index) = names.iter().position(|name| *name == method) else {
        let near = nearest(method, names.iter().copied()).unwrap_or(names[0]);
        return refused(names.join(", "), near);
    };
    if names[0] == GIVEN && index > 0 {
        let allowed = format!("{GIVEN}, because the scheme sets min or max");
        return refused(allowed, GIVEN);
    }
    advice[..=index].rotate_right(1);
    Ok(())
}

/// The buffer in packets: the limit that the scheme gives, the given one, the limit of the
/// scheme's preset, or the default. `goal` is the average queue.
fn buffer_of(question: &Question, goal: f64) -> Result<f64, ModelError> {
    let load = &question.load;
    let settings = question.scheme.settings(&load.link())?;
    if settings.was_given("limit") {
        let limit = packets_of(settings.limit(), load);
        return match question.buffer {
            Some(buffer) if buffer.floor() != limit => Err(ModelError::outside(
                "buffer",
                format!("{buffer} packets"),
                "the limit that the scheme sets",
                format!("{limit} packets"),
            )),
            _ => Ok(limit),
        };
    }
    if question.buffer.is_none() && settings.is_set("limit") {
        return Ok(packets_of(settings.limit(), load));
    }
    let usual = load
        .bdp()
        .max(PACKETS_PER_FLOW * load.flows)
        .max(BUFFER_OVER_GOAL * goal)
        .max(SMALL_BUFFER)
        .ceil();
    match question.buffer {
        Some(buffer) if !(1.0..=4_194_304.0).contains(&buffer) => Err(ModelError::outside(
            "buffer",
            format!("{buffer} packets"),
            "1 to 4194304 packets",
            format!("{} packets", buffer.clamp(1.0, 4_194_304.0)),
        )),
        given => Ok(given.unwrap_or(usual).floor().min(4_194_304.0)),
    }
}

/// The average queue that meets the objective, in packets.
fn goal_of(question: &Question) -> Result<f64, ModelError> {
    let load = &question.load;
    let of_delay = |delay: Nanos| delay.as_secs_f64() * load.service();
    match question.goal {
        Goal::Delay(Nanos::ZERO) => {
            Err(ModelError::outside("goal delay", "0 s", "above 0", "1 ms"))
        }
        Goal::Delay(delay) => Ok(of_delay(delay)),
        Goal::Utilisation(share) if !(share > 0.0 && share < 1.0) => {
            let nearest = if share <= 0.0 { "50%" } else { "99.9%" };
            let value = format!("{}%", 100.0 * share);
            let allowed = "above 0 and below 100%";
            Err(ModelError::outside(
                "goal utilisation",
                value,
                allowed,
                nearest,
            ))
        }
        Goal::Utilisation(share) => Ok(sawtooth::queue_for(load, share).max(1.0)),
        Goal::Usual => {
            if has_thresholds(&question.scheme)
                && let Some((min, max)) = given_band(&question.scheme, load)?
            {
                return Ok(0.5 * (min + max));
            }
            let full = sawtooth::queue_for(load, USUAL_UTILISATION);
            let usual = TARGET_DELAY.min(load.rtt);
            Ok(of_delay(usual).max(full).max(2.0 * LEAST_MIN))
        }
    }
}

fn has_thresholds(scheme: &Spec) -> bool {
    let knows = |name: &str| scheme.descriptor().parameter(name).is_some();
    knows("min") && knows("max")
}

/// The method's name of a scheme that has a target of its own.
pub const TARGETED: &str = "goal";

/// Whether a scheme's `interval` is CoDel's, a round-trip time; others have a clock of that name.
pub fn is_codel(settings: &Settings) -> bool {
    ["codel", "fq-codel", "cobalt"].contains(&settings.scheme())
}

/// The objective as a scheme's own target.
fn targeted(load: &Load, scheme: &Spec, buffer: f64, goal: f64) -> Result<Advice, ModelError> {
    let settings = scheme.settings(&load.link())?;
    // Four digits, as somebody would set it.
    let delay = Nanos::from_secs_f64(significant(goal / load.service(), 4));
    let packets = goal.round().max(1.0).to_string();
    let targets = [
        ("target", delay.to_string()),
        ("q_ref", packets.clone()),
        ("threshold", packets),
    ];
    let knows = |name: &str| scheme.descriptor().parameter(name);
    // A parameter that defaults to auto, such as BLUE's threshold, is left unset.
    let target = targets
        .into_iter()
        .find(|(name, _)| knows(name).is_some_and(|known| known.default != "auto"));
    let mut notes = Vec::new();
    let mut spec = scheme.clone();
    match target {
        Some((name, _)) if settings.is_set(name) => {}
        Some((name, value)) => spec = spec.with(name, value)?,
        None => notes.push(format!(
            "{} has no target delay or queue: its parameters are unchanged",
            settings.scheme()
        )),
    }
    // CoDel's interval is of the order of the longest round trip (RFC 8289, 4.3), and above its target.
    let has_interval = is_codel(&settings) || settings.scheme() == "cake";
    if has_interval && !settings.is_set("interval") {
        let interval = settings.time("interval").max(load.rtt).max(delay);
        if interval > settings.time("interval") {
            spec = spec.with("interval", interval)?;
        }
    }
    let has_limit = settings.is_set("limit") && packets_of(settings.limit(), load) == buffer;
    if knows("limit").is_some() && !has_limit {
        spec = spec.with("limit", buffer)?;
    }
    Ok(Advice {
        method: TARGETED,
        source: "the scheme's own target",
        thresholds: None,
        spec,
        notes,
    })
}

/// Predicts the operating point of one method's parameters.
fn evaluate(load: &Load, advice: Advice) -> Result<Choice, ModelError> {
    let gateway = Gateway::of(&advice.spec, load)?;
    let expected = predict(load, &gateway)?;
    Ok(Choice {
        closed: closed_loop(load, &gateway)?,
        stability: stability(load, &gateway, &expected),
        caveats: caveats(load, &gateway, &expected),
        expected,
        gateway,
        advice,
    })
}

/// Warnings about the load, the buffer and the chosen scheme.
fn warnings(answer: &Recommendation) -> Vec<String> {
    let mut warnings = Vec::new();
    let load = &answer.load;
    if load.has_small_windows(answer.buffer) {
        warnings.push(format!(
            "path and buffer hold {:.0} packets, fewer than four per flow: timeouts dominate with any scheme",
            load.bdp() + answer.buffer
        ));
    }
    let is_given = answer.choices[0].advice.method == GIVEN;
    if answer.goal > answer.buffer / 1.5 && !is_given {
        warnings.push(format!(
            "the buffer of {:.0} packets is too small for an average of {:.0}: max needs at least {:.0}",
            answer.buffer,
            answer.goal,
            1.5 * answer.goal
        ));
    }
    if answer
        .most_flows
        .is_some_and(|most| most < 1.25 * load.flows)
    {
        warnings.push("with 25% more flows the average would stay above max".to_string());
    }
    warnings.extend(answer.open_loop.as_ref().and_then(near_one));
    let chosen = &answer.choices[0];
    if chosen.expected.loss + chosen.expected.marks <= 0.0 {
        warnings.push(format!(
            "the flows cannot fill the link with windows of at most {} packets: there are no signals",
            load.tcp.max_window
        ));
    }
    warnings.extend(
        chosen
            .gateway
            .omissions()
            .iter()
            .map(|caveat| format!("{}: {caveat}", chosen.gateway.scheme())),
    );
    warnings
}

/// The warning about an open loop with a load near one.
fn near_one(open: &OpenLoop) -> Option<String> {
    let is_near = (0.9..=1.1).contains(&open.load);
    is_near.then(|| {
        format!(
            "the open loop has rho = {:.3}: a change of 1% moves E[Q] by {:.0} packets, so the result depends on the given loss rate",
            open.load,
            open.sensitivity / 100.0
        )
    })
}

#[cfg(test)]
#[path = "configure_tests.rs"]
mod tests;
