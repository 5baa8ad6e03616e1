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
//!     loss: None,
//! })?;
//! let chosen = &answer.choices[0];
//! assert_eq!(chosen.advice.method, "balance");
//! assert!((chosen.expected.delay.as_secs_f64() - 0.010).abs() < 0.0005);
//! # Ok::<(), earlydrop_model::ModelError>(())
//! ```

use earlydrop::registry::Spec;
use earlydrop::units::Nanos;

use crate::closed_loop::{ClosedLoop, closed_loop};
use crate::fluid::{Change, State, transient};
use crate::stability::{Stability, stability};
use crate::thresholds::{Advice, OpenLoop, every_method, flows_at, most_flows, open_loop};
use crate::validity::{Caveat, caveats};
use crate::{Gateway, Load, ModelError, Prediction, predict, sawtooth};

/// The objective of the configuration.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Goal {
    /// A mean queueing delay.
    Delay(Nanos),
    /// A utilisation between 0 and 1, with the shortest queue that gives it.
    Utilisation(f64),
    /// A delay of 5 ms, as in adaptive RED (2001), or more if a utilisation of 98% needs more.
    Usual,
}

/// The input of [`configure`].
#[derive(Clone, Debug)]
pub struct Question {
    /// The load to configure for.
    pub load: Load,
    /// The scheme to configure. Parameters that it sets are kept.
    pub scheme: Spec,
    /// The buffer in packets. `None` selects the bandwidth-delay product, or four packets per flow
    /// if that is more (Morris 1997).
    pub buffer: Option<f64>,
    /// The objective.
    pub goal: Goal,
    /// A known loss rate, for the open loop of Chandrayana, Sikdar and Kalyanaraman.
    pub loss: Option<f64>,
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
    /// The largest number of flows by formula (22) of Chandrayana, Sikdar and Kalyanaraman, which
    /// assumes no early drops; `None` if there is no limit.
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

/// The delay of the usual goal (Floyd, Gummadi, Shenker 2001).
const USUAL_DELAY: Nanos = Nanos::from_millis(5);
/// The utilisation that the usual goal preserves.
const USUAL_UTILISATION: f64 = 0.98;
/// Packets in flight and in the buffer per flow, below which timeouts are frequent (Morris 1997).
const BUFFER_PER_FLOW: f64 = 4.0;
/// The smallest default buffer, in packets.
const SMALL_BUFFER: f64 = 50.0;

/// Recommends parameters: applies every method to the load and predicts each operating point.
pub fn configure(question: &Question) -> Result<Recommendation, ModelError> {
    let load = question.load;
    load.check()?;
    let buffer = buffer_of(question)?;
    let goal = goal_of(&load, question.goal)?;
    let advice = advise(&load, &question.scheme, buffer, goal)?;
    let choices: Result<Vec<Choice>, ModelError> = advice
        .into_iter()
        .map(|advice| evaluate(&load, advice))
        .collect();
    let choices = choices?;
    let open_loop = match question.loss {
        Some(loss) => Some(open_loop(&load, loss, None, buffer)?),
        None => None,
    };
    let first = &choices[0];
    let upper = first.advice.thresholds.map(|thresholds| thresholds.max);
    let mut configuration = Recommendation {
        load,
        buffer,
        goal,
        most_flows: upper.map(|max| flows_at(&load, &first.gateway, max)),
        most_flows_by_22: match upper {
            Some(max) => most_flows(&load, buffer, max)?,
            None => None,
        },
        open_loop,
        trajectory: trajectory(&load, first),
        warnings: Vec::new(),
        choices,
    };
    configuration.warnings = warnings(&configuration);
    Ok(configuration)
}

/// The given buffer or the default, in packets.
fn buffer_of(question: &Question) -> Result<f64, ModelError> {
    let load = &question.load;
    let path = load.rtt.as_secs_f64() * load.service();
    let usual = path
        .max(BUFFER_PER_FLOW * load.flows)
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
fn goal_of(load: &Load, goal: Goal) -> Result<f64, ModelError> {
    let of_delay = |delay: Nanos| delay.as_secs_f64() * load.service();
    match goal {
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
            let full = sawtooth::queue_for(load, USUAL_UTILISATION);
            Ok(of_delay(USUAL_DELAY).max(full))
        }
    }
}

fn has_thresholds(scheme: &Spec) -> bool {
    let knows = |name: &str| scheme.descriptor().parameter(name).is_some();
    knows("min") && knows("max")
}

/// The parameters of every method for a scheme with thresholds. Other schemes get the objective as
/// their target.
fn advise(load: &Load, scheme: &Spec, buffer: f64, goal: f64) -> Result<Vec<Advice>, ModelError> {
    if has_thresholds(scheme) {
        return every_method(load, scheme, buffer, goal);
    }
    let settings = scheme.settings(&load.link())?;
    let delay = Nanos::from_secs_f64(goal / load.service());
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
        Some((name, _)) if settings.was_given(name) => {}
        Some((name, value)) => spec = spec.with(name, value)?,
        None => notes.push(format!(
            "{} has no target delay or queue: its parameters are unchanged",
            settings.scheme()
        )),
    }
    if knows("limit").is_some() && !settings.was_given("limit") {
        spec = spec.with("limit", buffer)?;
    }
    Ok(vec![Advice {
        method: "goal",
        source: "the scheme's own target",
        thresholds: None,
        spec,
        notes,
    }])
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
    let path = load.rtt.as_secs_f64() * load.service();
    let for_all = BUFFER_PER_FLOW * load.flows;
    if path + answer.buffer < for_all {
        warnings.push(format!(
            "path and buffer hold {:.0} packets, fewer than four per flow: timeouts dominate with any scheme",
            path + answer.buffer
        ));
    }
    if answer.goal > answer.buffer / 1.5 {
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
    if let Some(open) = answer
        .open_loop
        .filter(|open| (0.9..=1.1).contains(&open.load))
    {
        warnings.push(format!(
            "the open loop has rho = {:.3}: a change of 1% moves E[Q] by {:.0} packets, so the result depends on the given loss rate",
            open.load,
            open.sensitivity / 100.0
        ));
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use earlydrop::registry::SCHEMES;
    use earlydrop::units::BitsPerSec;

    fn question(scheme: &str) -> Question {
        Question {
            load: Load {
                rate: BitsPerSec::from_mbps(100),
                rtt: Nanos::from_millis(50),
                flows: 50.0,
                ..Load::default()
            },
            scheme: scheme.parse().unwrap(),
            buffer: None,
            goal: Goal::Delay(Nanos::from_millis(10)),
            loss: None,
        }
    }

    #[test]
    fn every_scheme_is_configured_or_has_no_model() {
        for scheme in SCHEMES {
            match configure(&question(scheme.name)) {
                Ok(answer) => {
                    let chosen = &answer.choices[0];
                    assert!(chosen.advice.spec.plan(&answer.load.link()).is_ok());
                    assert!(chosen.expected.queue > 0.0, "{}", scheme.name);
                }
                Err(ModelError::NoModel { .. }) => {}
                Err(other) => panic!("{}: {other}", scheme.name),
            }
        }
    }

    #[test]
    fn schemes_with_a_target_meet_the_goal() {
        for scheme in ["red", "gred", "nlred", "ared", "pie", "pi", "pi2"] {
            let answer = configure(&question(scheme)).unwrap();
            let delay = answer.choices[0].expected.delay.as_secs_f64();
            assert!((delay / 0.010 - 1.0).abs() < 0.05, "{scheme}: {delay}");
        }
        let mut full = question("red");
        full.load.flows = 4.0;
        full.goal = Goal::Utilisation(0.99);
        let answer = configure(&full).unwrap();
        assert!(answer.choices[0].expected.utilisation > 0.989);
    }

    #[test]
    fn invalid_questions_are_refused() {
        let mut none = question("red");
        none.goal = Goal::Utilisation(1.0);
        assert!(configure(&none).unwrap_err().to_string().contains("99.9%"));
        none.goal = Goal::Delay(Nanos::ZERO);
        assert!(configure(&none).is_err());
        let mut small = question("red");
        small.buffer = Some(0.0);
        assert!(
            configure(&small)
                .unwrap_err()
                .to_string()
                .contains("1 packets")
        );
        let mut few = question("red");
        few.load.flows = 0.0;
        assert!(configure(&few).is_err());
    }

    #[test]
    fn warns_of_small_buffers_and_of_a_load_near_one() {
        let mut small = question("red");
        small.buffer = Some(60.0);
        small.loss = Some(0.005);
        let answer = configure(&small).unwrap();
        assert!(
            answer
                .warnings
                .iter()
                .any(|warning| warning.contains("too small"))
        );
        let near = |loss: f64| {
            let mut question = question("red");
            question.loss = Some(loss);
            let answer = configure(&question).unwrap();
            let rho = answer.open_loop.unwrap().load;
            let warned = answer
                .warnings
                .iter()
                .any(|warning| warning.contains("rho"));
            assert_eq!(warned, (0.9..=1.1).contains(&rho), "{rho}");
            warned
        };
        assert!(
            [0.05, 0.03, 0.025, 0.02, 0.015, 0.01]
                .map(near)
                .contains(&true)
        );
    }
}
