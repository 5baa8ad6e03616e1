//! Compares two configurations knob by knob, and renders knob values for reports.

use earlydrop::registry::LinkFacts;

use super::spec::{idle_name, spacing_name};
use super::token::digits;
use super::{Adapt, Class, Configuration, Knob, Shape};

/// A knob that differs between two configurations.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The knob.
    pub knob: Knob,
    /// The value in the first configuration.
    pub from: String,
    /// The value in the second configuration.
    pub to: String,
}

/// The relative difference below which values count as equal.
const TOLERANCE: f64 = 1e-3;

/// Lists the knobs whose values differ by more than a thousandth; lengths are compared in packets.
pub fn differences(from: &Configuration, to: &Configuration, link: &LinkFacts) -> Vec<Difference> {
    let differs = |knob: &&Knob| {
        let (a, b) = (numbers(from, **knob, link), numbers(to, **knob, link));
        match (a.is_empty(), b.is_empty()) {
            (false, false) => {
                let near = |(a, b): (&f64, &f64)| (a - b).abs() <= TOLERANCE * a.abs().max(b.abs());
                !a.iter().zip(&b).all(near)
            }
            _ => describe(from, **knob, link) != describe(to, **knob, link),
        }
    };
    let difference = |knob: &Knob| Difference {
        knob: *knob,
        from: describe(from, *knob, link),
        to: describe(to, *knob, link),
    };
    Knob::ALL.iter().filter(differs).map(difference).collect()
}

/// The numeric values of a knob, one per class if the knob belongs to classes.
fn numbers(configuration: &Configuration, knob: Knob, link: &LinkFacts) -> Vec<f64> {
    let each = |of: &dyn Fn(&Class) -> f64| configuration.classes.iter().map(of).collect();
    match knob {
        Knob::Min => each(&|class| configuration.in_packets(class.min.value, link)),
        Knob::Max => each(&|class| configuration.in_packets(class.max.value, link)),
        Knob::MaxP => each(&|class| class.max_p.value),
        Knob::Weight => vec![configuration.weight.value],
        Knob::Limit => {
            let limit = configuration.limit_in_unit(link);
            limit
                .map(|limit| configuration.in_packets(limit, link))
                .into_iter()
                .collect()
        }
        Knob::Packet => {
            vec![
                configuration
                    .mean_packet
                    .value
                    .unwrap_or(link.mean_packet)
                    .0 as f64,
            ]
        }
        Knob::Rate => vec![configuration.rate.value.unwrap_or(link.rate).0 as f64],
        _ => Vec::new(),
    }
}

/// Renders the value of a knob with its unit.
pub(crate) fn describe(configuration: &Configuration, knob: Knob, link: &LinkFacts) -> String {
    let classes = &configuration.classes;
    let each = |of: &dyn Fn(&Class) -> String| {
        let mut all: Vec<String> = classes.iter().map(of).collect();
        all.dedup();
        all.join(", ")
    };
    let length = |length: f64| match configuration.in_bytes {
        true => format!("{} bytes", digits(length, 6)),
        false => format!("{} packets", digits(length, 4)),
    };
    let on = |flag: bool| if flag { "on" } else { "off" }.to_string();
    match knob {
        Knob::Classes => match classes.len() {
            1 => "one".to_string(),
            _ => each(&|class| class.name.clone()),
        },
        Knob::Min => each(&|class| length(class.min.value)),
        Knob::Max => each(&|class| length(class.max.value)),
        Knob::MaxP => each(&|class| digits(class.max_p.value, 4)),
        Knob::Shape => each(&|class| shape(&class.shape.value).to_string()),
        Knob::Limit => configuration
            .limit_in_unit(link)
            .map_or("not given".to_string(), length),
        Knob::Weight => weight(configuration.weight.value),
        Knob::Unit => if configuration.in_bytes {
            "bytes"
        } else {
            "packets"
        }
        .to_string(),
        Knob::Packet => match configuration.mean_packet.value {
            Some(packet) => format!("{} bytes", packet.0),
            None => format!("not given ({} bytes)", link.mean_packet.0),
        },
        Knob::BySize => on(configuration.by_size.value),
        Knob::Spacing => spacing_name(configuration.spacing.value).to_string(),
        Knob::Cautious => on(configuration.cautious.value),
        Knob::Idle => idle_name(configuration.idle.value).to_string(),
        Knob::Ecn => marking(configuration),
        Knob::Adapt => match configuration.adapt.value {
            Adapt::No => "no",
            Adapt::Floyd => "Floyd's ARED",
            Adapt::Feng => "Feng's",
        }
        .to_string(),
        Knob::Rate => match configuration.rate.value {
            Some(rate) => rate.to_string(),
            None => "not given".to_string(),
        },
    }
}

fn shape(shape: &Shape) -> &'static str {
    match shape {
        Shape::Straight => "a line",
        Shape::Gentle => "gentle",
        Shape::Nonlinear => "nonlinear",
        Shape::Points { stepped: true, .. } => "steps",
        Shape::Points { stepped: false, .. } => "points",
    }
}

/// Renders the weight, as a power of two if it is one.
fn weight(weight: f64) -> String {
    let exponent = -weight.log2();
    match weight {
        1.0 => "1 (no average)".to_string(),
        _ if exponent.fract() == 0.0 => format!("2^-{exponent}"),
        _ => digits(weight, 4),
    }
}

fn marking(configuration: &Configuration) -> String {
    let marking = configuration.ecn.value;
    if !marking.on {
        return "off".to_string();
    }
    let above = if marking.above_max {
        "also above max"
    } else {
        "dropped above max"
    };
    let limit = match marking.up_to < 1.0 {
        true => format!(", dropped above probability {}", digits(marking.up_to, 4)),
        false => String::new(),
    };
    let others = if marking.spares_others {
        ", packets without ECN not dropped early"
    } else {
        ""
    };
    let own: Vec<String> = configuration.ect.iter().map(curve).collect();
    let own = match own.is_empty() {
        true => String::new(),
        false => format!(", with thresholds of their own: {}", own.join("; ")),
    };
    format!("marked, {above}{limit}{others}{own}")
}

/// "262144 to 524288, 0.05".
fn curve(class: &Class) -> String {
    let [min, max, max_p] = [&class.min, &class.max, &class.max_p].map(|one| digits(one.value, 6));
    format!("{min} to {max}, {max_p}")
}
