//! What to change so that a rule finds nothing any more: the values that its finding asks for.

use earlydrop::registry::Length;

use super::checks::{
    INITIAL_WINDOW, LIMIT_OVER_MAX, MAX_OVER_MIN, MOST_MAX_P, half_round_trip, max_p_for_load,
    rate_to_give,
};
use super::{Finding, RULES, Severity, Subject};
use crate::thresholds::LEAST_MIN;
use crate::tools::{Class, Configuration, Shape};
use crate::{Load, Prediction};

/// The rules in the order in which their findings are mended: each value before those that depend on
/// it. The thresholds come before the weight that they allow, and max_p comes last.
const ORDER: &[&str] = &[
    "packet-other",
    "rate-other",
    "idle-table-empty",
    "gentle-adapted",
    "queue-long",
    "min-small",
    "max-near-min",
    "average-trails",
    "average-follows",
    "burst-reaches-min",
    "average-at-max",
    "limit-near-max",
    "probability-one",
];

/// The rules that are mended by another min.
pub(in crate::explain) const MOVE_MIN: &[&str] = &["queue-long", "min-small", "burst-reaches-min"];

/// The first finding that can be mended, and what `accept` makes of the configuration without it, by
/// the rule's name; `accept` returns `None` where the tool's text has it no better than before.
pub(in crate::explain) fn remedy<T>(
    configuration: &Configuration,
    load: &Load,
    prediction: &Prediction,
    accept: impl Fn(&str, Configuration) -> Option<T>,
) -> Option<(T, Finding)> {
    let subject = Subject::of(configuration, load, prediction);
    let mended = |name: &&str| {
        let rule = RULES.iter().find(|rule| rule.name == *name)?;
        let finding = rule.finding(&subject)?;
        let changed = changed(rule.name, &subject)?;
        Some((accept(rule.name, changed)?, finding))
    };
    ORDER.iter().find_map(mended)
}

/// Whether a finding is one to mend.
pub(in crate::explain) fn is_serious(finding: &Finding) -> bool {
    finding.rule.severity < Severity::Notice
}

/// The configuration with the values that the rule asks for.
fn changed(rule: &str, s: &Subject) -> Option<Configuration> {
    let mut c = s.configuration.clone();
    match rule {
        "packet-other" => c.mean_packet.value = Some(s.load.packet),
        "rate-other" | "idle-table-empty" => c.rate.value = Some(rate_to_give(s)),
        "gentle-adapted" => c
            .classes
            .iter_mut()
            .for_each(|class| class.shape.value = Shape::Straight),
        "queue-long" => scale(&mut c, half_round_trip(s) / s.min),
        "min-small" => set_thresholds(&mut c, s, LEAST_MIN, s.max.max(LEAST_MIN + 1.0)),
        "max-near-min" => set_thresholds(&mut c, s, s.min, MAX_OVER_MIN * s.min),
        "average-trails" | "average-follows" => {
            let slowest = s.slowest().map_or(0.0, |n| (-f64::from(n)).exp2());
            c.weight.value = s.usual_weight().max(slowest);
        }
        // One more than is needed, for tools that round thresholds.
        "burst-reaches-min" => scale(&mut c, (INITIAL_WINDOW + 1.0) / s.min),
        "average-at-max" => serve_load(&mut c, s)?,
        "limit-near-max" => {
            let limit = LIMIT_OVER_MAX * c.classes[0].max.value;
            c.limit.value = Some(length(&c, limit));
        }
        "probability-one" => c.classes[0].max_p.value = 0.999_999,
        _ => return None,
    }
    keep_within_buffer(&mut c, s);
    Some(c)
}

/// A length in the unit of the thresholds.
fn length(c: &Configuration, length: f64) -> Length {
    match c.in_bytes {
        true => Length::Bytes(length),
        false => Length::Packets(length),
    }
}

/// A max_p that the load needs, or longer thresholds where none is enough; `None` where these would
/// exceed a round trip.
fn serve_load(c: &mut Configuration, s: &Subject) -> Option<()> {
    const STEP: f64 = 1.25;
    let needed = max_p_for_load(s);
    if needed < MOST_MAX_P {
        for class in &mut c.classes {
            // Those of other classes keep their proportion.
            class.max_p.value = match s.max_p > 0.0 {
                true => (class.max_p.value * needed / s.max_p).min(1.0),
                false => needed,
            };
        }
        return Some(());
    }
    (STEP * s.min < s.load.bdp()).then(|| scale(c, STEP))
}

/// Makes room for max, where there was room before.
fn keep_within_buffer(c: &mut Configuration, s: &Subject) {
    let max = c.classes.iter().map(|class| class.max.value);
    let max = max.fold(0.0, f64::max);
    let limit = c.limit_in_unit(&s.load.link());
    if limit.is_some_and(|limit| limit < max) {
        c.limit.value = Some(length(c, LIMIT_OVER_MAX * max));
    }
}

/// Multiplies the thresholds of every class.
fn scale(c: &mut Configuration, ratio: f64) {
    for class in &mut c.classes {
        move_to(class, class.min.value * ratio, class.max.value * ratio);
    }
}

/// Sets the thresholds of the first class, in packets, and moves those of others in proportion.
fn set_thresholds(c: &mut Configuration, s: &Subject, min: f64, max: f64) {
    let unit = match c.in_bytes {
        true => s.load.packet.0 as f64,
        false => 1.0,
    };
    let first = c.classes[0].clone();
    let (min, max) = (min * unit, max * unit);
    for class in &mut c.classes {
        let of = |value: f64, old: f64, new: f64| match old > 0.0 {
            true => value * new / old,
            false => new,
        };
        let (low, high) = (
            of(class.min.value, first.min.value, min),
            of(class.max.value, first.max.value, max),
        );
        move_to(class, low, high);
    }
}

/// Gives a class these thresholds; the points of a curve move with them.
fn move_to(class: &mut Class, min: f64, max: f64) {
    let (from, to) = (class.min.value, class.max.value);
    let moved = |at: f64| match at {
        at if at <= from => at * if from > 0.0 { min / from } else { 1.0 },
        at if at >= to => at * max / to,
        at => min + (at - from) * (max - min) / (to - from),
    };
    if let Shape::Points { points, .. } = &mut class.shape.value {
        points.iter_mut().for_each(|(at, _)| *at = moved(*at));
    }
    (class.min.value, class.max.value) = (min, max);
}
