//! Explains a RED configuration on a link: every knob in packets, bytes and time, the long-run
//! signal rate at each average queue, the predicted operating point, and known mistakes.

mod fix;
mod grid;
mod rules;

use earlydrop::registry::LinkFacts;
use earlydrop::units::Nanos;

use crate::spacing::long_run;
use crate::tools::{Class, Configuration, Knob, KnobName, Origin, describe};
use crate::validity::{Caveat, caveats};
use crate::{Gateway, Load, ModelError, Prediction, predict};

pub use fix::{Change, Fix, fix};
pub use grid::{Fit, Outlook, fit};
pub use rules::{Finding, RULES, Rule, Severity};

/// The value of one knob.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The tool's name for the knob, followed by the class if there are several.
    pub name: String,
    /// The knob.
    pub knob: Knob,
    /// The value as the text has it; `None` if the text does not set the knob.
    pub written: Option<String>,
    /// The value in units that do not depend on the tool.
    pub value: String,
    /// The value in bytes, if it is a length.
    pub bytes: Option<f64>,
    /// The long-run share of packets that carry a congestion signal, if the knob is max_p.
    pub signal_rate: Option<f64>,
    /// "given", or the reason for the default.
    pub origin: String,
}

/// A configuration explained under a load.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The configuration.
    pub configuration: Configuration,
    /// The load.
    pub load: Load,
    /// One entry for each knob of the tool and, for thresholds, each class.
    pub settings: Vec<Setting>,
    /// For each entry of [`Configuration::curves`], points of the average queue in packets and the
    /// long-run share of signals.
    pub curves: Vec<Vec<(f64, f64)>>,
    /// The operating point predicted for the first class.
    pub prediction: Prediction,
    /// Conditions under which the prediction is inaccurate.
    pub caveats: Vec<Caveat>,
    /// Behaviour of the scheme that the prediction leaves out.
    pub omissions: Vec<&'static str>,
    /// What the rules found, the most severe first.
    pub findings: Vec<Finding>,
}

/// Predicts the operating point of the first class of a configuration.
pub fn expect(configuration: &Configuration, load: &Load) -> Result<Prediction, ModelError> {
    let spec = configuration.spec(0, &load.link())?;
    predict(load, &Gateway::of(&spec, load)?)
}

/// Explains a configuration that was read from `text`, under a load.
pub fn explain(
    configuration: &Configuration,
    text: &str,
    load: &Load,
) -> Result<Explanation, ModelError> {
    let link = load.link();
    let spec = configuration.spec(0, &link)?;
    let gateway = Gateway::of(&spec, load)?;
    let prediction = predict(load, &gateway)?;
    let curves = (0..configuration.curves().len())
        .map(|class| long_run_curve(configuration, class, &link))
        .collect::<Result<Vec<_>, ModelError>>()?;
    let findings = rules::check(configuration, load, &prediction);
    Ok(Explanation {
        settings: settings(configuration, text, &link),
        curves,
        caveats: caveats(load, &gateway, &prediction),
        prediction,
        omissions: gateway.omissions().to_vec(),
        findings,
        configuration: configuration.clone(),
        load: *load,
    })
}

/// Points of the average queue in packets and the long-run share of signals.
fn long_run_curve(
    configuration: &Configuration,
    class: usize,
    link: &LinkFacts,
) -> Result<Vec<(f64, f64)>, ModelError> {
    const STEPS: u32 = 400;
    let Some(curve) = configuration.curve(class, link)? else {
        return Ok(Vec::new());
    };
    let point = |(at, p): &(f64, f64)| {
        let share = long_run(configuration.spacing.value, *p);
        (configuration.in_packets(*at, link), share)
    };
    Ok(curve
        .outline(curve.extent(), STEPS)
        .iter()
        .map(point)
        .collect())
}

fn settings(configuration: &Configuration, text: &str, link: &LinkFacts) -> Vec<Setting> {
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
        let signal_rate = || long_run(configuration.spacing.value, class.max_p.value);
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
            signal_rate: (entry.knob == Knob::MaxP).then(signal_rate),
            origin: match origin {
                Origin::Given(_) => "given".to_string(),
                Origin::Implied(why) => (*why).to_string(),
            },
        }
    };
    let mut rows = Vec::new();
    let all = configuration.curves();
    for entry in configuration.tool.knobs {
        let each = matches!(entry.knob, Knob::Min | Knob::Max | Knob::MaxP);
        let many = each && all.len() > 1;
        let classes = if many { all.len() } else { 1 };
        // The rows of the thresholds already name the classes.
        if entry.knob != Knob::Classes {
            let classes = all.iter().take(classes);
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

/// The transmission time of `bytes` on the link of `load`.
pub fn time_of(bytes: f64, load: &Load) -> Nanos {
    Nanos::from_secs_f64(bytes * 8.0 / load.rate.0 as f64)
}
