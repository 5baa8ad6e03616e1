//! The best configuration that a tool's syntax can express: rounding each value alone can miss the
//! delay that all of them gave, as where a probability of 0.01% becomes 1%.

use crate::stability::{Stability, Verdict, stability};
use crate::tools::{
    Class, Configuration, ParseError, Shape, Tool, Translation, translate, warning,
};
use crate::{Gateway, Load, ModelError, Prediction, averaging, predict};

/// Where a queue settles, and whether it stays there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outlook {
    /// The operating point.
    pub prediction: Prediction,
    /// The stability of the loop; `None` if the scheme has no curve over an average.
    pub stability: Option<Stability>,
}

impl Outlook {
    /// The outlook of the first class of a configuration.
    pub fn of(configuration: &Configuration, load: &Load) -> Result<Outlook, ModelError> {
        let spec = configuration.spec(0, &load.link())?;
        let gateway = Gateway::of(&spec, load)?;
        let prediction = predict(load, &gateway)?;
        Ok(Outlook {
            stability: stability(load, &gateway, &prediction),
            prediction,
        })
    }

    /// Whether the queue stays there.
    pub fn is_stable(&self) -> bool {
        let verdict = self.stability.map(|margins| margins.verdict());
        verdict.is_none_or(|verdict| verdict == Verdict::Stable)
    }
}

/// A configuration in a tool's syntax, with what it costs.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The text, and what the tool reads from it. Where the tool configures its buffer elsewhere, the
    /// buffer is that of the given configuration.
    pub translation: Translation,
    /// What the model foretells of the given configuration; `None` if it has no model.
    pub given: Option<Outlook>,
    /// What the model foretells of the text.
    pub fitted: Option<Outlook>,
    /// What the tool prints about the text, though it accepts it.
    pub warning: Option<String>,
}

/// Errors below this are left: 2% of the delay.
const CLOSE: f64 = 0.02;
/// A percent less of the link used, or more of the packets lost, counts as a delay that is off by 10%.
const WASTED: f64 = 10.0;
/// A queue that is no longer stable counts as a delay that is off by a factor of e^0.5.
const UNSTABLE: f64 = 0.5;
/// Of two such queues, the one with half the gain counts as closer by 7%.
const STEEPER: f64 = 0.1;
/// A tool's warning counts as a delay that is off by 5%.
const WARNED: f64 = 0.05;
/// The least distance of a value beyond a tool's range, as the logarithm of a factor.
const BEYOND: f64 = 0.5;
/// A change that improves less is not made.
const LEAST_GAIN: f64 = 1e-3;
/// The first factor on a parameter, and the least.
const STEPS: (f64, f64) = (8.0, 1.01);

/// Writes a configuration for `tool` so that delay, loss, utilisation and stability are as near to its
/// own as the tool's grid allows, with max within the buffer.
pub fn fit(
    configuration: &Configuration,
    tool: &'static Tool,
    load: &Load,
) -> Result<Fit, ParseError> {
    let given = Outlook::of(configuration, load).ok();
    let search = Search { tool, load, given };
    let mut best = search.candidate(configuration.clone())?;
    if given.is_none() || best.cost() <= CLOSE {
        return Ok(best.fit);
    }
    let starts = [
        search.candidate(configuration.clone()).ok(),
        search.without_warning(&best),
        search.always_signalling(configuration),
        search.straight(configuration),
    ];
    for start in starts.into_iter().flatten() {
        let found = search.descend(start);
        if found.cost() < best.cost() - LEAST_GAIN {
            best = found;
        }
        if best.cost() <= CLOSE {
            break;
        }
    }
    Ok(best.fit)
}

/// A parameter of a class.
type Parameter = fn(&mut Class) -> &mut f64;

const MOVES: [Parameter; 3] = [
    |class| &mut class.min.value,
    |class| &mut class.max.value,
    |class| &mut class.max_p.value,
];

/// What is sought.
struct Search<'a> {
    tool: &'static Tool,
    load: &'a Load,
    given: Option<Outlook>,
}

/// A configuration, and the nearest that the tool's syntax can express.
struct Candidate {
    wanted: Configuration,
    fit: Fit,
    error: f64,
}

impl Candidate {
    /// The error, and what the tool's warning counts as. No threshold moves for its sake.
    fn cost(&self) -> f64 {
        self.error
            + if self.fit.warning.is_some() {
                WARNED
            } else {
                0.0
            }
    }
}

impl Search<'_> {
    fn candidate(&self, mut wanted: Configuration) -> Result<Candidate, ParseError> {
        let mut translation = translate(&wanted, self.tool, &self.load.link())?;
        let (read, link) = (&mut translation.configuration, self.load.link());
        for (class, its) in wanted.classes.iter_mut().zip(&read.classes) {
            let length = |length: f64| match wanted.in_bytes {
                true => read.to_bytes(length, &link),
                false => read.in_packets(length, &link),
            };
            within_reach(&mut class.min.value, length(its.min.value));
            within_reach(&mut class.max.value, length(its.max.value));
        }
        if let (None, Some(buffer)) = (read.limit.value, wanted.limit.value) {
            read.assume_buffer(buffer, "configured elsewhere");
        }
        let fit = Fit {
            given: self.given,
            fitted: Outlook::of(read, self.load).ok(),
            warning: warning(read),
            translation,
        };
        Ok(Candidate {
            error: error(&fit),
            wanted,
            fit,
        })
    }

    /// A compass search (Hooke and Jeeves 1961): of `min`, `max` and `max_p` the one is changed by a
    /// factor that brings the queue nearest. Where none does, the factor becomes its root.
    fn descend(&self, start: Candidate) -> Candidate {
        let mut best = start;
        let (mut step, finest) = STEPS;
        while best.error > CLOSE && step > finest {
            let near = MOVES.iter().flat_map(|of| [(of, step), (of, 1.0 / step)]);
            let near = near.filter_map(|(of, factor)| {
                let moved = moved(&best.wanted, *of, factor, self.load)?;
                self.candidate(moved).ok()
            });
            match near.min_by(|a, b| a.error.total_cmp(&b.error)) {
                Some(nearer) if nearer.error < best.error - LEAST_GAIN => best = nearer,
                _ => step = step.sqrt(),
            }
        }
        best
    }

    /// The candidate that signals to every packet at max: for flows that are marked at most packets, where
    /// the tool drops above max.
    fn always_signalling(&self, configuration: &Configuration) -> Option<Candidate> {
        self.given.filter(|given| given.prediction.marks > 0.5)?;
        let mut wanted = configuration.clone();
        let classes = wanted.classes.iter_mut();
        classes.for_each(|class| class.max_p.value = 1.0);
        self.candidate(wanted).ok()
    }

    /// The candidate whose curve is a line, where the given one is none.
    fn straight(&self, configuration: &Configuration) -> Option<Candidate> {
        let is_line = |class: &Class| class.shape.value == Shape::Straight;
        if configuration.classes.iter().all(is_line) {
            return None;
        }
        let mut wanted = configuration.clone();
        let classes = wanted.classes.iter_mut();
        classes.for_each(|class| class.shape.value = Shape::Straight);
        self.candidate(wanted).ok()
    }

    /// The candidate with the least faster average of at least one round trip about which the tool is
    /// silent.
    fn without_warning(&self, loud: &Candidate) -> Option<Candidate> {
        loud.fit.warning.as_ref()?;
        let mut wanted = loud.wanted.clone();
        loop {
            wanted.weight.value *= 2.0;
            if averaging::time_constant(wanted.weight.value, self.load) < averaging::SHORTEST {
                return None;
            }
            let faster = self.candidate(wanted.clone()).ok()?;
            if faster.fit.warning.is_none() {
                return Some(faster);
            }
        }
    }
}

/// Sets a threshold to what was written instead where the tool's range ends, so that the next moves
/// begin there; not where it is rounded.
fn within_reach(wanted: &mut f64, written: f64) {
    if written > 0.0 && (*wanted / written).ln().abs() > BEYOND {
        *wanted = written;
    }
}

/// How far a text is from what was given: the error of the delay as the logarithm of a factor, and
/// what is worse in utilisation, loss and stability.
fn error(fit: &Fit) -> f64 {
    let (Some(given), Some(fitted)) = (fit.given, fit.fitted) else {
        return f64::INFINITY;
    };
    let seconds = |outlook: Outlook| outlook.prediction.delay.as_secs_f64().max(1e-9);
    let idle = given.prediction.utilisation - fitted.prediction.utilisation;
    let lost = fitted.prediction.loss - given.prediction.loss;
    let mut error = (seconds(fitted) / seconds(given)).ln().abs();
    error += WASTED * (idle.max(0.0) + lost.max(0.0));
    if let (true, false, Some(margins)) = (given.is_stable(), fitted.is_stable(), fitted.stability)
    {
        error += UNSTABLE + STEEPER * (2.0 / margins.gain_margin).ln().max(0.0);
    }
    error
}

/// The configuration with another value of a parameter of each class. `None` where it would not be
/// one: max above min and within the buffer, and a probability of at most 1.
fn moved(
    configuration: &Configuration,
    of: Parameter,
    factor: f64,
    load: &Load,
) -> Option<Configuration> {
    let mut moved = configuration.clone();
    let buffer = configuration.limit_in_unit(&load.link());
    for class in &mut moved.classes {
        *of(class) *= factor;
        if let Some(buffer) = buffer {
            class.max.value = class.max.value.min(buffer);
        }
        class.max_p.value = class.max_p.value.min(1.0);
        if class.max.value <= class.min.value {
            return None;
        }
    }
    Some(moved)
}
