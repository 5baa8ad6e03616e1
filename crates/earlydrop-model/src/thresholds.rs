//! Where to put RED's thresholds, by every method that has been published.

use earlydrop::red::Average;
use earlydrop::registry::{ConfigError, Link, Spec};

use crate::batch::Batch;
use crate::closed_loop::{closed_loop, sensitivity};
use crate::queue::{Acceptance, BatchQueue, Solver};
use crate::solve::falling_root_of_powers;
use crate::stability::{Verdict, stability};
use crate::{Gateway, Load, ModelError, SignalRate, fluid_balance};

/// Thresholds and what goes with them, in packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// Nothing is dropped early below.
    pub min: f64,
    /// The upper threshold.
    pub max: f64,
    /// The probability at the upper threshold; `None` where an adaptation finds it.
    pub max_p: Option<f64>,
    /// The weight of a new sample in the average.
    pub weight: f64,
}

impl Thresholds {
    /// As one would write them: whole packets, and three digits.
    fn rounded(&self) -> Thresholds {
        Thresholds {
            min: packets(self.min),
            max: packets(self.max),
            max_p: self.max_p.map(three_digits),
            weight: three_digits(self.weight),
        }
    }
}

/// What one method says.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// The method's name.
    pub method: &'static str,
    /// Who published it.
    pub source: &'static str,
    /// The scheme with these thresholds.
    pub spec: Spec,
    /// What it says; `None` where the scheme has no thresholds.
    pub thresholds: Option<Thresholds>,
    /// What had to be changed, or should be known.
    pub notes: Vec<String>,
}

/// Paper 003: "between 0.05 and 0.1"; Floyd's of 1997.
const MAX_P: f64 = 0.1;
/// Floyd's, 1997.
const WEIGHT: f64 = 0.002;
/// Floyd's least `min`, in packets.
const LEAST_MIN: f64 = 5.0;

/// The open loop of paper 003: a loss rate typed in by hand decides everything.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpenLoop {
    /// lambda, formula (23): batches a second.
    pub batches: f64,
    /// gamma, formula (27): the share of time in timeouts.
    pub timeout_share: f64,
    /// `E[W]`: packets in a batch.
    pub window: f64,
    /// rho.
    pub load: f64,
    /// `E[Q]`, formula (19), solved exactly.
    pub queue: f64,
    /// dE/drho, in packets.
    pub sensitivity: f64,
}

/// The open loop at a loss rate of `p`, with the windows of `batch`, or a normal law around
/// `E[W]` with the deviation that the paper's has.
pub fn open_loop(
    load: &Load,
    p: f64,
    batch: Option<Batch>,
    buffer: f64,
) -> Result<OpenLoop, ModelError> {
    load.check()?;
    if !(p > 0.0 && p < 1.0) {
        let nearest = if p <= 0.0 { 0.001 } else { 0.999 };
        return Err(ModelError::outside(
            "loss",
            p,
            "above 0 and below 1",
            nearest,
        ));
    }
    let rtt = load.rtt.as_secs_f64();
    let signals = SignalRate {
        loss: p,
        marks: 0.0,
    };
    let timeout_share = load.tcp.steady(signals, rtt).timeout_share;
    let window = load.tcp.unconstrained_peak(p).min(load.tcp.max_window);
    let batch = match batch {
        Some(batch) => batch,
        None => Batch::normal(window, window, (2.0 * window).ceil() as usize)?,
    };
    let queue = BatchQueue {
        arrivals: (1.0 - timeout_share) * load.flows / rtt,
        service: load.service(),
        batch,
        buffer: buffer.max(1.0) as u64,
        acceptance: Acceptance::Partial,
    };
    Ok(OpenLoop {
        batches: queue.arrivals,
        timeout_share,
        window,
        load: queue.load(),
        queue: queue.solve(Solver::Exact)?.mean(),
        sensitivity: sensitivity(&queue)?,
    })
}

/// Formula (21): half of `E[Q]`, and one and a half of it, both within the buffer.
pub fn around(queue: f64, buffer: f64) -> (Thresholds, Vec<String>) {
    let queue = queue.max(1.0);
    let (min, max) = (queue / 2.0, 1.5 * queue);
    let mut notes = Vec::new();
    if max > buffer {
        notes.push(format!(
            "3 E[Q]/2 = {max:.0} lies above the buffer of {buffer:.0}, as it does once E[Q] > 2K/3: max is the buffer"
        ));
    }
    let thresholds = Thresholds {
        min: min.min(buffer / 2.0),
        max: max.min(buffer),
        max_p: Some(MAX_P),
        weight: WEIGHT,
    };
    (thresholds, notes)
}

/// Morris's packets in flight for each flow, formulas (1) and (2), at a loss rate of `l` and
/// a round trip of `r` seconds. A timeout takes one second.
pub fn packets_in_flight(l: f64, r: f64) -> f64 {
    let window = 0.87 / l.sqrt();
    let timeouts = l * (1.0 - (1.0 - l).powi(13));
    let timeout_share = 1.0 / (1.0 + r / (window * timeouts));
    (1.0 - timeout_share) * window
}

/// Morris's thresholds, formulas (3) and (4), for a loss rate of at most `l`.
pub fn morris(l: f64, r: f64, flows: f64) -> Thresholds {
    let max = 1.5 * flows * packets_in_flight(l, r);
    Thresholds {
        min: max / 3.0,
        max,
        max_p: Some(0.75 * l),
        weight: WEIGHT,
    }
}

/// Morris's own ceiling on the loss rate.
pub const MORRIS_LOSS: f64 = 0.03;

/// Floyd's of 1997: 5 and 15 packets, whatever the link.
pub fn floyd_1997() -> Thresholds {
    Thresholds {
        min: LEAST_MIN,
        max: 3.0 * LEAST_MIN,
        max_p: Some(MAX_P),
        weight: WEIGHT,
    }
}

/// Floyd, Gummadi and Shenker's of 2001, for a queueing delay of `delay` seconds.
pub fn floyd_2001(load: &Load, delay: f64) -> Thresholds {
    let min = (load.service() * delay / 2.0).max(LEAST_MIN);
    Thresholds {
        min,
        max: 3.0 * min,
        max_p: None,
        weight: Average::automatic_weight(load.service(), 1.0),
    }
}

/// `scheme` with these thresholds and this buffer, numbers rounded as one would write them;
/// what `scheme` says itself, and what does not matter to it, is left as it is.
pub fn with_thresholds(
    scheme: &Spec,
    t: &Thresholds,
    buffer: f64,
    link: &Link,
) -> Result<Spec, ConfigError> {
    let settings = scheme.settings(link)?;
    let t = t.rounded();
    let knows = |name: &str| scheme.descriptor().parameter(name).is_some();
    // What counts bytes takes a packet of a length for its own mean packet.
    let in_bytes = knows("unit") && settings.choice("unit") == "bytes";
    let length = |packets: f64| match in_bytes {
        true => format!("{} bytes", (packets * link.mean_packet.0 as f64).round()),
        false => packets.to_string(),
    };
    let number = |value: f64| value.to_string();
    let values = [
        ("min", Some(length(t.min))),
        ("max", Some(length(t.max))),
        ("max_p", t.max_p.map(number)),
        ("weight", Some(number(t.weight))),
        ("limit", Some(length(buffer.round()))),
    ];
    let mut spec = scheme.clone();
    for (name, value) in values {
        let parameter = scheme.descriptor().parameter(name);
        let open = |parameter| settings.matters(parameter) && !settings.was_given(name);
        if let (Some(value), Some(_)) = (value, parameter.filter(|parameter| open(parameter))) {
            spec = spec.with(name, value)?;
        }
    }
    Ok(spec)
}

/// Whole packets, below ten with a decimal.
fn packets(length: f64) -> f64 {
    match length < 10.0 {
        true => (length * 10.0).round().max(1.0) / 10.0,
        false => length.round(),
    }
}

fn three_digits(value: f64) -> f64 {
    let scale = 10_f64.powi(2 - value.abs().log10().floor() as i32);
    let rounded = (value * scale).round() / scale;
    if rounded.is_finite() { rounded } else { value }
}

/// Every method's thresholds for `scheme` under `load`, aiming at an average of `goal` packets.
pub fn every_method(
    load: &Load,
    scheme: &Spec,
    buffer: f64,
    goal: f64,
) -> Result<Vec<Advice>, ModelError> {
    let droptail = Gateway::of(&Spec::new("droptail")?.with("limit", buffer.round())?, load)?;
    let expected = closed_loop(load, &droptail)?;
    let (paper, mut paper_notes) = around(expected.expected.queue, buffer);
    paper_notes.push(format!(
        "E[Q] = {:.1} packets at rho = {:.3}; a hundredth more load would be {:+.1} packets",
        expected.expected.queue,
        expected.load,
        expected.sensitivity / 100.0
    ));
    let rtt = load.rtt.as_secs_f64();
    let automatic: Spec = Spec::new("ared")?;
    let delay = goal / load.service();
    let mut advice = vec![balanced(load, scheme, buffer, goal)?];
    for (method, source, scheme, thresholds, notes) in [
        (
            "paper",
            "Chandrayana, Sikdar, Kalyanaraman",
            scheme,
            paper,
            paper_notes,
        ),
        (
            "morris",
            "Morris 2000, loss at most 3%",
            scheme,
            morris(MORRIS_LOSS, rtt, load.flows),
            Vec::new(),
        ),
        ("floyd-1997", "Floyd 1997", scheme, floyd_1997(), Vec::new()),
        (
            "floyd-2001",
            "Floyd, Gummadi, Shenker 2001",
            &automatic,
            floyd_2001(load, delay),
            Vec::new(),
        ),
    ] {
        advice.push(within_buffer(
            method,
            source,
            scheme,
            thresholds,
            notes,
            (buffer, &load.link()),
        )?);
    }
    Ok(advice)
}

/// What a method says, made to fit the buffer.
fn within_buffer(
    method: &'static str,
    source: &'static str,
    scheme: &Spec,
    mut thresholds: Thresholds,
    mut notes: Vec<String>,
    (buffer, link): (f64, &Link),
) -> Result<Advice, ModelError> {
    if thresholds.max > buffer {
        notes.push(format!(
            "max = {:.0} lies above the buffer: it is {buffer:.0} here",
            thresholds.max
        ));
        thresholds.max = buffer;
        thresholds.min = thresholds.min.min(buffer / 3.0);
    }
    thresholds.max = thresholds.max.max(1.0);
    thresholds.min = thresholds.min.min(0.9 * thresholds.max);
    let thresholds = thresholds.rounded();
    Ok(Advice {
        method,
        source,
        spec: with_thresholds(scheme, &thresholds, buffer, link)?,
        thresholds: Some(thresholds),
        notes,
    })
}

/// Thresholds around the goal, `max_p` such that flows and curve come to rest there, and the
/// fastest average with which they do so stably.
fn balanced(load: &Load, scheme: &Spec, buffer: f64, goal: f64) -> Result<Advice, ModelError> {
    let (mut thresholds, mut notes) = around(goal.max(2.0).min(buffer / 1.5), buffer);
    thresholds.max_p = None;
    thresholds.weight = Average::automatic_weight(load.service(), 10.0 * load.rtt.as_secs_f64());
    let max_p = |max_p: f64| -> Result<f64, ModelError> {
        let t = Thresholds {
            max_p: Some(max_p),
            ..thresholds
        };
        let gateway = Gateway::of(&with_thresholds(scheme, &t, buffer, &load.link())?, load)?;
        Ok(fluid_balance(load, &gateway)?.queue)
    };
    let (mild, hard) = (max_p(1e-5)?, max_p(1.0)?);
    if mild != hard {
        let queue = |p: f64| max_p(p).unwrap_or(goal);
        let found = match mild > hard {
            true => falling_root_of_powers(1e-5, 1.0, |p| queue(p) - goal),
            false => falling_root_of_powers(1e-5, 1.0, |p| goal - queue(p)),
        };
        let (longest, shortest) = (mild.max(hard), mild.min(hard));
        if shortest > 1.01 * goal {
            notes.push("no max_p holds the goal: too many flows for so short a queue".to_string());
        }
        thresholds.max_p = match longest < 0.99 * goal {
            true => {
                notes.push("no max_p lets the queue be so long: more is signals without it than the flows need".to_string());
                Some(MAX_P)
            }
            false => Some(found),
        };
    }
    let (weight, verdict) = fastest_stable(load, scheme, thresholds, buffer)?;
    thresholds.weight = weight;
    if verdict.is_some_and(|verdict| verdict != Verdict::Stable) {
        notes.push("no average is slow enough for a loop of this gain to be stable".to_string());
    }
    within_buffer(
        "balance",
        "this model",
        scheme,
        thresholds,
        notes,
        (buffer, &load.link()),
    )
}

/// The largest weight with which the loop is stable; where none is, that of ten round trips.
fn fastest_stable(
    load: &Load,
    scheme: &Spec,
    thresholds: Thresholds,
    buffer: f64,
) -> Result<(f64, Option<Verdict>), ModelError> {
    // Two weights to a factor of ten; the slowest forgets over a million packets.
    let weights = (0..=12).map(|half| 10_f64.powf(-f64::from(half) / 2.0));
    let mut last = None;
    for weight in weights.filter(|weight| *weight <= 0.1) {
        let t = Thresholds {
            weight,
            ..thresholds
        };
        let gateway = Gateway::of(&with_thresholds(scheme, &t, buffer, &load.link())?, load)?;
        let operating_point = fluid_balance(load, &gateway)?;
        last = stability(load, &gateway, &operating_point).map(|found| found.verdict());
        if last == Some(Verdict::Stable) {
            return Ok((weight, last));
        }
    }
    Ok((thresholds.weight, last))
}

/// For how many flows an upper threshold of `max` packets is right, by formula (22): more than
/// so many keep a queue without early drops above it on average. `None` where none do.
pub fn most_flows(load: &Load, buffer: f64, max: f64) -> Result<Option<f64>, ModelError> {
    let droptail = Gateway::of(&Spec::new("droptail")?.with("limit", buffer.round())?, load)?;
    let queue = |flows: f64| {
        let load = Load { flows, ..*load };
        closed_loop(&load, &droptail).map_or(0.0, |found| found.expected.queue)
    };
    let many = 1e4 * load.flows.max(1.0);
    if queue(many) <= max {
        return Ok(None);
    }
    Ok(Some(falling_root_of_powers(1e-3, many, |flows| {
        max - queue(flows)
    })))
}

/// For how many flows the average comes to rest below `queue` packets, by the fluid balance:
/// `N = mu/(B(p) (1-p))` with p what the scheme tells just below it.
pub fn flows_at(load: &Load, gateway: &Gateway, queue: f64) -> f64 {
    let below = queue * (1.0 - 1e-9);
    let signals = gateway.split(
        gateway.signal_probability(below, load.flows),
        below,
        load.flows,
    );
    let flow = load.tcp.steady(signals, load.round_trip(below));
    load.service() / (flow.rate * (1.0 - signals.loss))
}

#[cfg(test)]
#[path = "thresholds_tests.rs"]
mod tests;
