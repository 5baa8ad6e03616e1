//! What a configuration means on a link: its knobs in packets, bytes and time, how often it
//! tells of congestion in the long run, what flows make of it, and what is wrong with it.

mod rules;

use earlydrop::registry::Link;
use earlydrop::units::Nanos;

use crate::dialects::{Configuration, Knob, Origin, told};
use crate::spacing::long_run;
use crate::{Gateway, Load, ModelError, Prediction, predict};

pub use rules::{Finding, Gravity, RULES, Rule};

/// A knob as it stands.
#[derive(Clone, Debug)]
pub struct Setting {
    /// What the tool calls it, with the class where there are several.
    pub name: String,
    /// Which it is.
    pub knob: Knob,
    /// Its value in the tool's terms.
    pub value: String,
    /// For a length, in bytes.
    pub bytes: Option<f64>,
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
    pub caveats: Vec<&'static str>,
    /// What is wrong or worth knowing, the worst first.
    pub findings: Vec<Finding>,
}

/// What flows and link make of the first class of a configuration.
pub fn expect(configuration: &Configuration, load: &Load) -> Result<Prediction, ModelError> {
    let spec = configuration.spec(0, &load.link())?;
    predict(load, &Gateway::of(&spec, load)?)
}

/// Explains a configuration under a load.
pub fn explain(configuration: &Configuration, load: &Load) -> Result<Explanation, ModelError> {
    let link = load.link();
    let spec = configuration.spec(0, &link)?;
    let gateway = Gateway::of(&spec, load)?;
    let prediction = predict(load, &gateway)?;
    let curves = (0..configuration.classes.len())
        .map(|class| long_run_curve(configuration, class, &link))
        .collect::<Result<Vec<_>, ModelError>>()?;
    let findings = rules::look(configuration, load, &prediction);
    Ok(Explanation {
        settings: settings(configuration, &link),
        curves,
        prediction,
        caveats: gateway.caveats().to_vec(),
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

fn settings(configuration: &Configuration, link: &Link) -> Vec<Setting> {
    let mut rows = Vec::new();
    for called in configuration.dialect.knobs {
        let row = |name: String, value: String, bytes: Option<f64>, origin: &Origin| Setting {
            name,
            knob: called.knob,
            value,
            bytes,
            origin: match origin {
                Origin::Given(_) => "given".to_string(),
                Origin::Tool(why) => (*why).to_string(),
            },
        };
        let each = matches!(called.knob, Knob::Min | Knob::Max | Knob::MaxP);
        for class in configuration.classes.iter().filter(|_| each) {
            let (known, length) = match called.knob {
                Knob::Min => (&class.min, true),
                Knob::Max => (&class.max, true),
                _ => (&class.max_p, false),
            };
            let name = match class.name.as_str() {
                "" => called.name.to_string(),
                class => format!("{} ({class})", called.name),
            };
            let alone = Configuration {
                classes: vec![class.clone()],
                ..configuration.clone()
            };
            let bytes = length.then(|| configuration.to_bytes(known.value, link));
            rows.push(row(
                name,
                told(&alone, called.knob, link),
                bytes,
                &known.origin,
            ));
        }
        if each || called.knob == Knob::Classes && configuration.classes.len() == 1 {
            continue;
        }
        let bytes = (called.knob == Knob::Limit).then(|| {
            let limit = configuration.limit_in_unit(link);
            limit.map(|limit| configuration.to_bytes(limit, link))
        });
        let mut value = told(configuration, called.knob, link);
        if let (Knob::Weight, Some(burst)) = (called.knob, &configuration.burst) {
            value = format!("{} packets: {value}", burst.value);
        }
        let origin = origin(configuration, called.knob);
        rows.push(row(called.name.to_string(), value, bytes.flatten(), origin));
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
        Knob::Limit | Knob::Unit => &configuration.limit.origin,
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
