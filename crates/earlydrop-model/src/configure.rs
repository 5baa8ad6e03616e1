//! Which parameters to choose for a load, why, and how far to trust what is expected of them.

use earlydrop::registry::Spec;
use earlydrop::units::Nanos;

use crate::closed_loop::{ClosedLoop, closed_loop};
use crate::fluid::{Change, State, transient};
use crate::stability::{Stability, stability};
use crate::thresholds::{Advice, OpenLoop, every_method, flows_at, most_flows, open_loop};
use crate::validity::{Caveat, caveats};
use crate::{Gateway, Load, ModelError, Prediction, predict, sawtooth};

/// What the configuration is to achieve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// This queueing delay on average.
    Delay(Nanos),
    /// This share of the link's time, with as short a queue as that takes.
    Utilisation(f64),
    /// 5 ms, as adaptive RED of 2001 has it, or what 98% of the link take if that is more.
    Usual,
}

/// What is asked.
#[derive(Clone, Debug)]
pub struct Question {
    /// The load.
    pub load: Load,
    /// The scheme to configure; what it says itself stays.
    pub scheme: Spec,
    /// The buffer in packets; `None`: the larger of what the path holds and four packets a
    /// flow, after Morris.
    pub buffer: Option<f64>,
    /// What to achieve.
    pub goal: Goal,
    /// For the open loop, a loss rate taken as known.
    pub loss: Option<f64>,
}

/// One way to set the parameters, and what comes of it.
#[derive(Clone, Debug)]
pub struct Choice {
    /// What the method says.
    pub advice: Advice,
    /// The queue under these parameters.
    pub gateway: Gateway,
    /// What to expect of it.
    pub expected: Prediction,
    /// The second opinion.
    pub closed: ClosedLoop,
    /// Whether flows and curve come to rest, where there is a curve.
    pub stability: Option<Stability>,
    /// What speaks against the prediction.
    pub caveats: Vec<Caveat>,
}

/// The answer.
#[derive(Clone, Debug)]
pub struct Recommendation {
    /// The load it is for.
    pub load: Load,
    /// The buffer, in packets.
    pub buffer: f64,
    /// The average queue aimed at, in packets.
    pub goal: f64,
    /// Every method, the chosen one first.
    pub choices: Vec<Choice>,
    /// With more flows than this the average lies above the upper threshold: by the fluid
    /// balance, where there is one.
    pub most_flows: Option<f64>,
    /// The same by formula (22) of paper 003.
    pub most_flows_by_22: Option<f64>,
    /// The open loop at the loss rate given.
    pub open_loop: Option<OpenLoop>,
    /// How the chosen parameters move, where a curve over an average tells.
    pub trajectory: Option<Trajectory>,
    /// What else should be known.
    pub warnings: Vec<String>,
}

/// How windows and queue move from their rest, while for a third of the time there are half as
/// many flows again.
#[derive(Clone, Debug)]
pub struct Trajectory {
    /// How long it is.
    pub span: Nanos,
    /// The states, at equal distances.
    pub states: Vec<State>,
}

/// The shortest span of a trajectory.
const LEAST_SPAN: f64 = 60.0;
/// Moments of it.
const STATES: usize = 300;

/// How the choice moves.
fn trajectory(load: &Load, choice: &Choice) -> Option<Trajectory> {
    let expected = &choice.expected;
    let weight = choice.gateway.weight()?;
    // Twenty times as long as the average remembers.
    let memory = 1.0 / (-(-weight).ln_1p() * load.service());
    let span = (20.0 * memory).clamp(LEAST_SPAN, 10.0 * LEAST_SPAN);
    let span = Nanos::from_secs_f64(10.0 * (span / 10.0).ceil());
    let change = |third: u64, flows: f64| Change {
        at: Nanos(span.0 / 3 * third),
        flows,
    };
    let changes = [change(1, 1.5 * load.flows), change(2, load.flows)];
    let states = transient(load, &choice.gateway, expected, &changes, span, STATES)?;
    Some(Trajectory { span, states })
}

/// Delay aimed at where nothing is said: Floyd, Gummadi, Shenker 2001.
const USUAL_DELAY: Nanos = Nanos::from_millis(5);
/// Utilisation that the usual goal keeps.
const USUAL_UTILISATION: f64 = 0.98;
/// Packets of buffer for each flow, below which timeouts are many (Morris 1997).
const BUFFER_OF_A_FLOW: f64 = 4.0;
/// The smallest buffer chosen.
const SMALL_BUFFER: f64 = 50.0;

/// Answers `question`.
pub fn configure(question: &Question) -> Result<Recommendation, ModelError> {
    let load = question.load;
    load.check()?;
    let buffer = buffer_of(question)?;
    let goal = goal_of(&load, question.goal)?;
    let advice = advise(&load, &question.scheme, buffer, goal)?;
    let choices: Result<Vec<Choice>, ModelError> = advice
        .into_iter()
        .map(|advice| consider(&load, advice))
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

fn buffer_of(question: &Question) -> Result<f64, ModelError> {
    let load = &question.load;
    let path = load.rtt.as_secs_f64() * load.service();
    let usual = path
        .max(BUFFER_OF_A_FLOW * load.flows)
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

/// What every method says of a scheme with thresholds; of others, what they aim at.
fn advise(load: &Load, scheme: &Spec, buffer: f64, goal: f64) -> Result<Vec<Advice>, ModelError> {
    if has_thresholds(scheme) {
        return every_method(load, scheme, buffer, goal);
    }
    let settings = scheme.settings(&load.link())?;
    let delay = Nanos::from_secs_f64(goal / load.service());
    let packets = goal.round().max(1.0).to_string();
    let aims = [
        ("target", delay.to_string()),
        ("q_ref", packets.clone()),
        ("threshold", packets),
    ];
    let knows = |name: &str| scheme.descriptor().parameter(name);
    // BLUE's threshold is off unless given, and should stay so.
    let aim = aims
        .into_iter()
        .find(|(name, _)| knows(name).is_some_and(|known| known.default != "auto"));
    let mut notes = Vec::new();
    let mut spec = scheme.clone();
    match aim {
        Some((name, _)) if settings.was_given(name) => {}
        Some((name, value)) => spec = spec.with(name, value)?,
        None => notes.push(format!(
            "{} has no average or delay to aim at: its parameters are left as they are",
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

fn consider(load: &Load, advice: Advice) -> Result<Choice, ModelError> {
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

fn warnings(found: &Recommendation) -> Vec<String> {
    let mut warnings = Vec::new();
    let load = &found.load;
    let path = load.rtt.as_secs_f64() * load.service();
    let for_all = BUFFER_OF_A_FLOW * load.flows;
    if path + found.buffer < for_all {
        warnings.push(format!(
            "path and buffer hold {:.0} packets, fewer than four for each flow: timeouts decide, whatever the scheme",
            path + found.buffer
        ));
    }
    if found.goal > found.buffer / 1.5 {
        warnings.push(format!(
            "the buffer of {:.0} packets is too small for an average of {:.0}: at least {:.0} are needed for max",
            found.buffer,
            found.goal,
            1.5 * found.goal
        ));
    }
    if found
        .most_flows
        .is_some_and(|most| most < 1.25 * load.flows)
    {
        warnings.push("a quarter more flows would keep the average above max".to_string());
    }
    if let Some(open) = found
        .open_loop
        .filter(|open| (0.9..=1.1).contains(&open.load))
    {
        warnings.push(format!(
            "the open loop has rho = {:.3}: a hundredth more or less moves E[Q] by {:.0} packets, so the loss typed in decides the answer",
            open.load,
            open.sensitivity / 100.0
        ));
    }
    let chosen = &found.choices[0];
    if chosen.expected.loss + chosen.expected.marks <= 0.0 {
        warnings.push(format!(
            "the flows cannot fill the link with windows of at most {} packets: nothing is signals",
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
                Ok(found) => {
                    let chosen = &found.choices[0];
                    assert!(chosen.advice.spec.plan(&found.load.link()).is_ok());
                    assert!(chosen.expected.queue > 0.0, "{}", scheme.name);
                }
                Err(ModelError::NoModel { .. }) => {}
                Err(other) => panic!("{}: {other}", scheme.name),
            }
        }
    }

    #[test]
    fn the_goal_is_met_by_what_can_meet_it() {
        for scheme in ["red", "gred", "nlred", "ared", "pie", "pi", "pi2"] {
            let found = configure(&question(scheme)).unwrap();
            let delay = found.choices[0].expected.delay.as_secs_f64();
            assert!((delay / 0.010 - 1.0).abs() < 0.05, "{scheme}: {delay}");
        }
        let mut full = question("red");
        full.load.flows = 4.0;
        full.goal = Goal::Utilisation(0.99);
        let found = configure(&full).unwrap();
        assert!(found.choices[0].expected.utilisation > 0.989);
    }

    #[test]
    fn what_cannot_be_is_refused() {
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
        let found = configure(&small).unwrap();
        assert!(
            found
                .warnings
                .iter()
                .any(|warning| warning.contains("too small"))
        );
        let near = |loss: f64| {
            let mut question = question("red");
            question.loss = Some(loss);
            let found = configure(&question).unwrap();
            let rho = found.open_loop.unwrap().load;
            let warned = found.warnings.iter().any(|warning| warning.contains("rho"));
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
