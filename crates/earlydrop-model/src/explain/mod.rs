//! What a configuration means on a link: its knobs in packets, bytes and time, how often it
//! tells of congestion in the long run, what flows make of it, and what is wrong with it.

mod rules;

use earlydrop::registry::Link;
use earlydrop::units::Nanos;

use crate::spacing::long_run;
use crate::tools::{Class, Configuration, Knob, KnobName, Origin, describe};
use crate::{Gateway, Load, ModelError, Prediction, predict};

pub use rules::{Finding, RULES, Rule, Severity};

/// A knob as it stands.
#[derive(Clone, Debug)]
pub struct Setting {
    /// What the tool calls it, with the class where there are several.
    pub name: String,
    /// Which it is.
    pub knob: Knob,
    /// As it stands in the text.
    pub written: Option<String>,
    /// Its value, in words that are the same for every tool.
    pub value: String,
    /// For a length, in bytes.
    pub bytes: Option<f64>,
    /// For a probability, the share of packets told of congestion at it in the long run.
    pub told: Option<f64>,
    /// "given", or where the value is from.
    pub origin: String,
}

/// What a configuration means under a load.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// What was read.
    pub configuration: Configuration,
    /// What it is explained for.
    pub load: Load,
    /// Every knob the tool has.
    pub settings: Vec<Setting>,
    /// For each class: averages in packets, and how often packets are told in the long run.
    pub curves: Vec<Vec<(f64, f64)>>,
    /// What the flows make of the first class.
    pub prediction: Prediction,
    /// What is left out of the prediction.
    pub omissions: Vec<&'static str>,
    /// What is wrong or worth knowing, the worst first.
    pub findings: Vec<Finding>,
}

/// What flows and link make of the first class of a configuration.
pub fn expect(configuration: &Configuration, load: &Load) -> Result<Prediction, ModelError> {
    let spec = configuration.spec(0, &load.link())?;
    predict(load, &Gateway::of(&spec, load)?)
}

/// Explains a configuration, read from `text`, under a load.
pub fn explain(
    configuration: &Configuration,
    text: &str,
    load: &Load,
) -> Result<Explanation, ModelError> {
    let link = load.link();
    let spec = configuration.spec(0, &link)?;
    let gateway = Gateway::of(&spec, load)?;
    let prediction = predict(load, &gateway)?;
    let curves = (0..configuration.classes.len())
        .map(|class| long_run_curve(configuration, class, &link))
        .collect::<Result<Vec<_>, ModelError>>()?;
    let findings = rules::check(configuration, load, &prediction);
    Ok(Explanation {
        settings: settings(configuration, text, &link),
        curves,
        prediction,
        omissions: gateway.omissions().to_vec(),
        findings,
        configuration: configuration.clone(),
        load: *load,
    })
}

/// Averages in packets with the share of packets told of congestion at each.
fn long_run_curve(
    configuration: &Configuration,
    class: usize,
    link: &Link,
) -> Result<Vec<(f64, f64)>, ModelError> {
    const STEPS: u32 = 400;
    let Some(curve) = configuration.curve(class, link)? else {
        return Ok(Vec::new());
    };
    let told = |(at, p): &(f64, f64)| {
        let often = long_run(configuration.spacing.value, *p);
        (configuration.in_packets(*at, link), often)
    };
    Ok(curve
        .outline(curve.extent(), STEPS)
        .iter()
        .map(told)
        .collect())
}

fn settings(configuration: &Configuration, text: &str, link: &Link) -> Vec<Setting> {
    let setting = |entry: &KnobName, class: &Class, many: bool| {
        let alone = Configuration {
            classes: vec![class.clone()],
            ..configuration.clone()
        };
        let name = match class.name.as_str() {
            class if many => format!("{} ({class})", entry.name),
            _ => entry.name.to_string(),
        };
        let length = match entry.knob {
            Knob::Min => Some(class.min.value),
            Knob::Max => Some(class.max.value),
            Knob::Limit => configuration.limit_in_unit(link),
            _ => None,
        };
        let often = || long_run(configuration.spacing.value, class.max_p.value);
        let origin = origin(&alone, entry.knob);
        Setting {
            name,
            knob: entry.knob,
            written: match origin {
                Origin::Given(span) => text.get(span.clone()).map(str::to_string),
                Origin::Implied(_) => None,
            },
            value: describe(&alone, entry.knob, link),
            bytes: length.map(|length| configuration.to_bytes(length, link)),
            told: (entry.knob == Knob::MaxP).then(often),
            origin: match origin {
                Origin::Given(_) => "given".to_string(),
                Origin::Implied(why) => (*why).to_string(),
            },
        }
    };
    let mut rows = Vec::new();
    for entry in configuration.tool.knobs {
        let each = matches!(entry.knob, Knob::Min | Knob::Max | Knob::MaxP);
        let many = each && configuration.classes.len() > 1;
        let classes = if many { configuration.classes.len() } else { 1 };
        // Classes name themselves in the rows of their thresholds.
        if entry.knob != Knob::Classes {
            let classes = configuration.classes.iter().take(classes);
            rows.extend(classes.map(|class| setting(entry, class, many)));
        }
    }
    rows
}

fn origin(configuration: &Configuration, knob: Knob) -> &Origin {
    let first = &configuration.classes[0];
    match knob {
        Knob::Weight => match &configuration.burst {
            Some(burst) => &burst.origin,
            None => &configuration.weight.origin,
        },
        Knob::Limit => &configuration.limit.origin,
        Knob::Unit => &configuration.unit_origin,
        Knob::Packet => &configuration.mean_packet.origin,
        Knob::BySize => &configuration.by_size.origin,
        Knob::Spacing => &configuration.spacing.origin,
        Knob::Cautious => &configuration.cautious.origin,
        Knob::Idle => &configuration.idle.origin,
        Knob::Ecn => &configuration.ecn.origin,
        Knob::Adapt => &configuration.adapt.origin,
        Knob::Rate => &configuration.rate.origin,
        Knob::Shape => &first.shape.origin,
        Knob::Min | Knob::Classes => &first.min.origin,
        Knob::Max => &first.max.origin,
        Knob::MaxP => &first.max_p.origin,
    }
}

/// How long `bytes` take to be sent.
pub fn time_of(bytes: f64, load: &Load) -> Nanos {
    Nanos::from_secs_f64(bytes * 8.0 / load.rate.0 as f64)
}
