//! RED's thresholds: around a queue, by this model's choice, and as a scheme's parameters.

use earlydrop::registry::{Settings, Spec};

use crate::closed_loop::{ClosedLoop, closed_loop};
use crate::response::packets_of;
use crate::solve::falling_root_of_powers;
use crate::stability::{Verdict, stability};
use crate::{Control, Gateway, Load, ModelError, averaging, fluid_balance};

/// RED's thresholds in packets, with max_p and the weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// The lower threshold.
    pub min: f64,
    /// The upper threshold.
    pub max: f64,
    /// The drop probability at the upper threshold; `None` if an adaptation sets it, or if the scheme
    /// has none.
    pub max_p: Option<f64>,
    /// The weight of a new sample in the average.
    pub weight: f64,
}

impl Thresholds {
    /// The thresholds that `spec` runs with, in packets of the load.
    pub fn of(spec: &Spec, load: &Load) -> Result<Thresholds, ModelError> {
        let settings = spec.settings(&load.link())?;
        let gateway = Gateway::of(spec, load)?;
        Ok(Thresholds {
            min: in_packets(&settings, "min", load),
            max: in_packets(&settings, "max", load),
            max_p: gateway.max_p(&settings),
            weight: gateway.weight().unwrap_or(WEIGHT),
        })
    }

    /// Rounds lengths to packets, and other numbers to three digits.
    fn rounded(&self) -> Thresholds {
        Thresholds {
            min: packets(self.min),
            max: packets(self.max),
            max_p: self.max_p.map(|max_p| significant(max_p, 3)),
            weight: significant(self.weight, 3),
        }
    }
}

/// The parameters that one method recommends.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// The method's name on the command line and in JSON.
    pub method: &'static str,
    /// The publication.
    pub source: &'static str,
    /// The scheme with these thresholds.
    pub spec: Spec,
    /// The thresholds of `spec`; `None` if the scheme has none.
    pub thresholds: Option<Thresholds>,
    /// Adjustments and remarks.
    pub notes: Vec<String>,
}

/// Floyd 1997; Chandrayana, Sikdar and Kalyanaraman: "between 0.05 and 0.1".
pub(crate) const MAX_P: f64 = 0.1;
/// Floyd 1997.
pub(crate) const WEIGHT: f64 = 0.002;
/// Floyd's smallest `min`, in packets.
pub(crate) const LEAST_MIN: f64 = 5.0;

/// Formula (21): thresholds at half and one and a half times `queue`, limited to the buffer.
pub fn around(queue: f64, buffer: f64) -> (Thresholds, Vec<String>) {
    let queue = queue.max(1.0);
    let (min, max) = (queue / 2.0, 1.5 * queue);
    let mut notes = Vec::new();
    if max > buffer {
        notes.push(format!(
            "3 E[Q]/2 = {max:.0} exceeds the buffer of {buffer:.0}, as it does for E[Q] > 2K/3: max is the buffer"
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

/// Sets the rounded thresholds and the buffer in `scheme`. Parameters that `scheme` gives, or that
/// have no effect in it, are unchanged; those of its preset, too, except thresholds and a limit
/// that are others.
pub fn with_thresholds(
    scheme: &Spec,
    t: &Thresholds,
    buffer: f64,
    load: &Load,
) -> Result<Spec, ModelError> {
    let settings = scheme.settings(&load.link())?;
    let knows = |name: &str| scheme.descriptor().parameter(name).is_some();
    // A scheme that counts bytes would convert packets with its own mean packet size.
    let in_bytes = knows("unit") && settings.choice("unit") == "bytes";
    let length = |packets: f64| match in_bytes {
        true => format!("{} bytes", (packets * load.packet.0 as f64).round()),
        false => packets.to_string(),
    };
    let number = |value: f64| value.to_string();
    let is_of_preset = |name: &str, wanted: f64| {
        settings.is_set(name) && (in_packets(&settings, name, load) - wanted).abs() < 1e-9
    };
    let has_limit = settings.is_set("limit") && packets_of(settings.limit(), load) == buffer;
    let rounded = t.rounded();
    let values = [
        ("min", Some(length(rounded.min)), is_of_preset("min", t.min)),
        ("max", Some(length(rounded.max)), is_of_preset("max", t.max)),
        ("max_p", rounded.max_p.map(number), settings.is_set("max_p")),
        (
            "weight",
            Some(number(rounded.weight)),
            settings.is_set("weight"),
        ),
        ("limit", Some(length(buffer.round())), has_limit),
    ];
    let mut spec = scheme.clone();
    for (name, value, is_set) in values {
        let parameter = scheme.descriptor().parameter(name);
        let matters = parameter.is_some_and(|parameter| settings.matters(parameter));
        if let Some(value) = value
            && matters
            && !is_set
            && !settings.was_given(name)
        {
            spec = spec.with(name, value)?;
        }
    }
    Ok(spec)
}

/// Rounds to whole packets, or to one decimal below ten.
fn packets(length: f64) -> f64 {
    match length < 10.0 {
        true => (length * 10.0).round().max(1.0) / 10.0,
        false => length.round(),
    }
}

/// Rounds to so many significant digits.
pub(crate) fn significant(value: f64, digits: i32) -> f64 {
    let scale = 10_f64.powi(digits - 1 - value.abs().log10().floor() as i32);
    let rounded = (value * scale).round() / scale;
    if rounded.is_finite() { rounded } else { value }
}

/// A length of a scheme's settings, in packets of the load.
fn in_packets(settings: &Settings, name: &str, load: &Load) -> f64 {
    let in_bytes = settings.iter().any(|(known, _)| known.name == "unit")
        && settings.choice("unit") == "bytes";
    match in_bytes {
        true => settings.bytes(name) / load.packet.0 as f64,
        false => settings.packets(name),
    }
}

/// The thresholds that `scheme` sets itself or by its preset, in packets of the load. If it sets one of them, the other
/// follows from max = 3 min (Floyd 1997).
pub(crate) fn given_band(scheme: &Spec, load: &Load) -> Result<Option<(f64, f64)>, ModelError> {
    let settings = scheme.settings(&load.link())?;
    let given = |name| {
        let is_set = settings.is_set(name);
        is_set.then(|| in_packets(&settings, name, load))
    };
    Ok(match (given("min"), given("max")) {
        (Some(min), Some(max)) => Some((min, max)),
        (Some(min), None) => Some((min, 3.0 * min)),
        (None, Some(max)) => Some((max / 3.0, max)),
        (None, None) => None,
    })
}

/// The thresholds that one method proposes, before they are limited to the buffer.
pub(crate) struct Proposal<'a> {
    pub(crate) method: &'static str,
    pub(crate) source: &'static str,
    pub(crate) scheme: &'a Spec,
    pub(crate) thresholds: Thresholds,
    pub(crate) notes: Vec<String>,
}

/// The method's name of thresholds that the scheme sets itself.
pub const GIVEN: &str = "given";

/// The method's name of thresholds that this model chooses.
pub const BALANCE: &str = "balance";

/// Thresholds for an average queue of `goal` packets by this model alone; parameters that `scheme`
/// sets are kept, but for `min` and `max`.
pub(crate) fn balance(
    load: &Load,
    scheme: &Spec,
    buffer: f64,
    goal: f64,
) -> Result<Advice, ModelError> {
    let free = marking(&scheme.without("min").without("max"), load, goal)?;
    balanced(load, &free, buffer, goal)?.within_buffer(buffer, load)
}

/// The scheme with marks above `max` as well, where flows with ECN have windows so small that the
/// average is there, or are DCTCP, for which the queue itself is compared with `max`: it would drop
/// what they are ready to be marked for. Unless the scheme says otherwise.
fn marking(scheme: &Spec, load: &Load, goal: f64) -> Result<Spec, ModelError> {
    const NAME: &str = "mark_above_max";
    let knows = scheme.descriptor().parameter(NAME).is_some();
    let is_above_max = load.has_small_windows(goal) || load.tcp.control == Control::Dctcp;
    let is_dropped_above_max = load.tcp.ecn && is_above_max;
    if !is_dropped_above_max || !knows || scheme.settings(&load.link())?.is_set(NAME) {
        return Ok(scheme.clone());
    }
    Ok(scheme.clone().with(NAME, "on")?)
}

/// The closed loop of the flows with a buffer that drops only when it is full.
pub(crate) fn without_early_drops(load: &Load, buffer: f64) -> Result<ClosedLoop, ModelError> {
    let droptail = Spec::new("droptail")?.with("limit", buffer.round())?;
    closed_loop(load, &Gateway::of(&droptail, load)?)
}

/// Thresholds around the goal, the `max_p` that puts the operating point there, and the largest
/// weight with which it is stable.
fn balanced<'a>(
    load: &Load,
    scheme: &'a Spec,
    buffer: f64,
    goal: f64,
) -> Result<Proposal<'a>, ModelError> {
    let (thresholds, notes) = around(goal.max(2.0).min(buffer / 1.5), buffer);
    Proposal {
        method: BALANCE,
        source: "this model",
        scheme,
        thresholds,
        notes,
    }
    .completed(load, buffer, goal)
}

/// The thresholds that the scheme sets, if it sets any; the `max_p` and the weight are those of
/// [`balanced`] unless the scheme sets them, too.
pub(crate) fn given(
    load: &Load,
    scheme: &Spec,
    buffer: f64,
    goal: f64,
) -> Result<Option<Advice>, ModelError> {
    let Some((min, max)) = given_band(scheme, load)? else {
        return Ok(None);
    };
    let proposal = Proposal {
        method: GIVEN,
        source: "the given parameters",
        scheme,
        thresholds: Thresholds {
            min,
            max,
            max_p: Some(MAX_P),
            weight: WEIGHT,
        },
        notes: Vec::new(),
    };
    let completed = proposal.completed(load, buffer, goal)?;
    completed.within_buffer(buffer, load).map(Some)
}

impl Proposal<'_> {
    /// Limits the thresholds to the buffer and applies them to the scheme.
    pub(crate) fn within_buffer(self, buffer: f64, load: &Load) -> Result<Advice, ModelError> {
        let (mut thresholds, mut notes) = (self.thresholds, self.notes);
        // The scheme itself refuses given thresholds beyond its buffer.
        if self.method != GIVEN {
            if thresholds.max > buffer {
                notes.push(format!(
                    "max = {:.0} exceeds the buffer and is reduced to {buffer:.0}",
                    thresholds.max
                ));
                thresholds.max = buffer;
                thresholds.min = thresholds.min.min(buffer / 3.0);
            }
            thresholds.max = thresholds.max.max(1.0);
            thresholds.min = thresholds.min.min(0.9 * thresholds.max);
        }
        let spec = with_thresholds(self.scheme, &thresholds, buffer, load)?;
        Ok(Advice {
            method: self.method,
            source: self.source,
            thresholds: Some(Thresholds::of(&spec, load)?),
            spec,
            notes,
        })
    }

    /// Chooses the `max_p` that puts the operating point at `goal` packets, and the weight of an
    /// average of about ten round trips.
    fn completed(mut self, load: &Load, buffer: f64, goal: f64) -> Result<Self, ModelError> {
        let (scheme, thresholds) = (self.scheme, &mut self.thresholds);
        thresholds.max_p = None;
        thresholds.weight = averaging::candidates(load)[0];
        thresholds.max_p = max_p_for(load, scheme, *thresholds, buffer, goal, &mut self.notes)?;
        if scheme.settings(&load.link())?.is_set("weight") {
            return Ok(self);
        }
        let (weight, verdict) = stable_weight(load, scheme, *thresholds, buffer)?;
        thresholds.weight = weight;
        if verdict.is_some_and(|verdict| verdict != Verdict::Stable) {
            let note = "no average of at most 20 round trips stabilises a loop of this gain";
            self.notes.push(note.to_string());
        }
        Ok(self)
    }
}

/// The `max_p` that puts the operating point at `goal` packets; `None` if it has no effect. Adds a
/// note if no value reaches the goal.
fn max_p_for(
    load: &Load,
    scheme: &Spec,
    thresholds: Thresholds,
    buffer: f64,
    goal: f64,
    notes: &mut Vec<String>,
) -> Result<Option<f64>, ModelError> {
    let queue_at = |max_p: f64| -> Result<f64, ModelError> {
        let t = Thresholds {
            max_p: Some(max_p),
            ..thresholds
        };
        let gateway = Gateway::of(&with_thresholds(scheme, &t, buffer, load)?, load)?;
        Ok(fluid_balance(load, &gateway)?.queue)
    };
    let (mild, hard) = (queue_at(1e-5)?, queue_at(1.0)?);
    if mild == hard {
        return Ok(None);
    }
    let queue = |p: f64| queue_at(p).unwrap_or(goal);
    let max_p = match mild > hard {
        true => falling_root_of_powers(1e-5, 1.0, |p| queue(p) - goal),
        false => falling_root_of_powers(1e-5, 1.0, |p| goal - queue(p)),
    };
    let (longest, shortest) = (mild.max(hard), mild.min(hard));
    if shortest > 1.01 * goal {
        notes.push("no max_p reaches the goal: too many flows for so short a queue".to_string());
    }
    if longest < 0.99 * goal {
        notes.push(
            "no max_p allows so long a queue: there are enough signals without it".to_string(),
        );
        return Ok(Some(MAX_P));
    }
    Ok(Some(max_p))
}

/// The weight of ten round trips, or a slower one where only that is stable.
fn stable_weight(
    load: &Load,
    scheme: &Spec,
    thresholds: Thresholds,
    buffer: f64,
) -> Result<(f64, Option<Verdict>), ModelError> {
    let verdict_of = |weight: f64| {
        let t = Thresholds {
            weight,
            ..thresholds
        };
        let gateway = Gateway::of(&with_thresholds(scheme, &t, buffer, load)?, load)?;
        let operating_point = fluid_balance(load, &gateway)?;
        let margins = stability(load, &gateway, &operating_point);
        Ok::<_, ModelError>(margins.map(|margins| margins.verdict()))
    };
    let [usual, slow] = averaging::candidates(load);
    let verdict = verdict_of(usual)?;
    match verdict {
        None | Some(Verdict::Stable) => Ok((usual, verdict)),
        _ => match verdict_of(slow)? {
            Some(Verdict::Stable) => Ok((slow, Some(Verdict::Stable))),
            _ => Ok((usual, verdict)),
        },
    }
}

/// The number of flows with which the mean queue without early drops is `max` packets, by formula
/// (22), `lambda = F(max, g)`, and formula (23). Windows g and timeouts are those of the closed loop
/// with the flows of `load`. `None` if no number of flows gives it.
pub fn most_flows(load: &Load, buffer: f64, max: f64) -> Result<Option<f64>, ModelError> {
    let closed = without_early_drops(load, buffer)?;
    let rho = closed.load_for_mean(max);
    Ok(rho.map(|rho| load.flows * rho / closed.load))
}

/// The largest number of flows whose operating point is below `queue` packets, by the fluid balance:
/// `N = mu/(B(p) (1-p))` with p the signal probability just below `queue`.
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
