//! From a configuration to the scheme earlydrop runs, and the registry's names for spacing laws
//! and idle decay.

use std::slice::from_ref;

use earlydrop::red::{Curve, Idle, Spacing};
use earlydrop::registry::{ConfigError, Length, LinkFacts, Spec};
use earlydrop::units::Bytes;

use super::configuration::{Adapt, Class, Configuration, Shape};

/// `RTE_RED_S` of DPDK: the bytes in one unit of its idle time.
const DPDK_UNIT: u64 = 1 << 22;

impl Configuration {
    /// The scheme that does what this configuration does for packets of class number `class`.
    pub fn spec(&self, class: usize, link: &LinkFacts) -> Result<Spec, ConfigError> {
        spec(self, class, link)
    }

    /// The curve of entry number `index` of [`Configuration::curves`], if there is one.
    pub fn curve(&self, index: usize, link: &LinkFacts) -> Result<Option<Curve>, ConfigError> {
        let alone = Configuration {
            classes: self.curves(),
            ect: Vec::new(),
            ..self.clone()
        };
        Ok(alone.spec(index, link)?.plan(link)?.curve().cloned())
    }
}

const SPACINGS: [(Spacing, &str); 6] = [
    (Spacing::Uniform, "uniform"),
    (Spacing::Pseudocode, "pseudocode"),
    (Spacing::Uniform2, "uniform2"),
    (Spacing::Drawn, "drawn"),
    (Spacing::Wait, "wait"),
    (Spacing::Geometric, "geometric"),
];

/// The value of the parameter `spacing` for this law.
pub(super) fn spacing_name(spacing: Spacing) -> &'static str {
    let entry = SPACINGS.iter().find(|(known, _)| *known == spacing);
    entry.map_or("uniform", |(_, name)| name)
}

/// The law named by the parameter `spacing`.
pub(super) fn spacing_named(name: &str) -> Spacing {
    let entry = SPACINGS.iter().find(|(_, known)| *known == name);
    entry.map_or(Spacing::Uniform, |(spacing, _)| *spacing)
}

const IDLES: [(Idle, &str); 5] = [
    (Idle::Exact, "exact"),
    (Idle::Floor, "floor"),
    (Idle::FloorPlusOne, "ns2"),
    (Idle::Halving, "linux"),
    (Idle::None, "none"),
];

/// The value of the parameter `idle` for this decay.
pub(super) fn idle_name(idle: Idle) -> &'static str {
    let entry = IDLES.iter().find(|(known, _)| *known == idle);
    entry.map_or("exact", |(_, name)| name)
}

/// The decay named by the parameter `idle`.
pub(super) fn idle_named(name: &str) -> Idle {
    let entry = IDLES.iter().find(|(_, known)| *known == name);
    entry.map_or(Idle::Exact, |(idle, _)| *idle)
}

/// A droptail where `class` does not exist; RED with the right curve otherwise.
pub(super) fn spec(
    configuration: &Configuration,
    class: usize,
    link: &LinkFacts,
) -> Result<Spec, ConfigError> {
    let index = class;
    let Some(class) = configuration.classes.get(index) else {
        return Spec::new("droptail");
    };
    if let Some(capable) = configuration.ect.get(index) {
        return wred(configuration, from_ref(class), from_ref(capable), link);
    }
    let (min, max) = thresholds(class);
    let name = match class.shape.value {
        Shape::Straight | Shape::Points { .. } => "red",
        Shape::Gentle => "gred",
        Shape::Nonlinear => "nlred",
    };
    let unit = if configuration.in_bytes {
        "bytes"
    } else {
        "packets"
    };
    let mut spec = Spec::new(name)?;
    if let Shape::Points { points, stepped } = &class.shape.value {
        spec = spec
            .with("curve", "numbers")?
            .with("segments", segments(points, *stepped))?;
    } else {
        spec = spec.with("min", format!("{min} {unit}"))?;
        spec = spec.with("max", format!("{max} {unit}"))?;
        spec = spec.with("max_p", class.max_p.value)?;
    }
    let frozen = matches!(configuration.spacing.value, Spacing::Wait);
    if class.shape.value == Shape::Gentle && frozen && configuration.adapt.value != Adapt::No {
        spec = spec.with("gentle_slope", "initial")?;
    }
    spec = with_common(spec, configuration, link)?;
    match configuration.adapt.value {
        Adapt::No => Ok(spec),
        Adapt::Floyd => spec.with("adapt", "ared"),
        Adapt::Feng => spec.with("adapt", "feng"),
    }
}

/// WRED with these classes; `ect` are those of ECN-capable packets, or none.
pub(super) fn wred(
    configuration: &Configuration,
    classes: &[Class],
    ect: &[Class],
    link: &LinkFacts,
) -> Result<Spec, ConfigError> {
    let profiles = |classes: &[Class]| {
        let profile = |class: &Class| {
            let (min, max) = thresholds(class);
            format!("{min}/{max}/{}", class.max_p.value)
        };
        classes.iter().map(profile).collect::<Vec<_>>().join("; ")
    };
    let mut spec = Spec::new("wred")?.with("profiles", profiles(classes))?;
    if !ect.is_empty() {
        spec = spec.with("ect_profiles", profiles(ect))?;
    }
    if classes
        .iter()
        .all(|class| class.shape.value == Shape::Gentle)
    {
        spec = spec.with("gentle", "on")?;
    }
    with_common(spec, configuration, link)
}

/// min and max; a max that equals min is raised by a millionth, because the registry requires
/// max above min.
pub(super) fn thresholds(class: &Class) -> (f64, f64) {
    let min = class.min.value;
    let max = class.max.value;
    (
        min,
        if max > min {
            max
        } else {
            (min * (1.0 + 1e-6)).max(1e-6)
        },
    )
}

/// Sets the parameters that RED and WRED share. Values equal to the default are omitted.
pub(super) fn with_common(
    mut spec: Spec,
    configuration: &Configuration,
    link: &LinkFacts,
) -> Result<Spec, ConfigError> {
    let marking = configuration.ecn.value;
    let on = |flag: bool| if flag { "on" } else { "off" }.to_string();
    let idle = configuration.idle.value;
    let as_linux = idle == Idle::Halving && configuration.spacing.value == Spacing::Drawn;
    let limit = limit(configuration, link);
    let packet = configuration.mean_packet.value;
    let parameters = [
        (
            "weight",
            (configuration.weight.value != 0.002).then(|| configuration.weight.value.to_string()),
        ),
        ("unit", configuration.in_bytes.then(|| "bytes".to_string())),
        (
            "mean_packet",
            packet.map(|Bytes(size)| format!("{size} bytes")),
        ),
        (
            "spacing",
            (configuration.spacing.value != Spacing::Uniform)
                .then(|| spacing_name(configuration.spacing.value).to_string()),
        ),
        ("by_size", configuration.by_size.value.then(|| on(true))),
        ("cautious", configuration.cautious.value.then(|| on(true))),
        (
            "idle",
            (idle != Idle::Exact).then(|| idle_name(idle).to_string()),
        ),
        // Linux's own arithmetic, which no other tool has.
        ("entry", as_linux.then(|| "free".to_string())),
        ("arithmetic", as_linux.then(|| "linux".to_string())),
        (
            "idle_packet",
            (idle == Idle::Floor).then(|| format!("{DPDK_UNIT} bytes")),
        ),
        ("limit", limit),
        ("ecn", (!marking.on).then(|| on(false))),
        (
            "mark_above_max",
            (marking.on && marking.above_max).then(|| on(true)),
        ),
        (
            "mark_limit",
            (marking.on && marking.up_to < 1.0).then(|| marking.up_to.to_string()),
        ),
    ];
    for (name, value) in parameters {
        if let Some(value) = value {
            spec = spec.with(name, value)?;
        }
    }
    Ok(spec)
}

/// The buffer if the text gives one. Otherwise four times max if that exceeds the registry's
/// default of 1000 packets, and `None` if the default is large enough.
fn limit(configuration: &Configuration, link: &LinkFacts) -> Option<String> {
    let most = configuration.classes.iter().chain(&configuration.ect);
    let most = 4.0 * most.map(|class| thresholds(class).1).fold(0.0, f64::max);
    let unit = if configuration.in_bytes {
        "bytes"
    } else {
        "packets"
    };
    match configuration.limit.value {
        Some(limit) => Some(limit_text(limit)),
        None if configuration.in_packets(most, link) > 1000.0 => Some(format!("{most} {unit}")),
        None => None,
    }
}

fn limit_text(limit: Length) -> String {
    match limit {
        Length::Packets(packets) => format!("{packets} packets"),
        Length::Bytes(bytes) => format!("{bytes} bytes"),
        Length::Seconds(seconds) => format!("{seconds} s"),
    }
}

/// A curve by numbers has at most this many segments, apart from the one where it drops everything.
const MOST_SEGMENTS: usize = 8;

/// Points as the value of the parameter `segments`: as many as it takes, evenly picked.
fn segments(points: &[(f64, f64)], stepped: bool) -> String {
    let zeros = points.iter().take_while(|(_, p)| *p == 0.0).count();
    let rising = &points[if stepped { zeros } else { zeros.max(1) - 1 }.min(points.len())..];
    let drops_all = rising.last().is_some_and(|(_, p)| *p >= 1.0);
    let most = MOST_SEGMENTS + usize::from(drops_all);
    let every = |index: usize| index * (rising.len() - 1) / (most - 1);
    let chosen: Vec<(f64, f64)> = match rising.len() > most {
        true => (0..most).map(|index| rising[every(index)]).collect(),
        false => rising.to_vec(),
    };
    let mut segments = Vec::new();
    for (index, (x, p)) in chosen.iter().enumerate() {
        let slope = match chosen.get(index + 1) {
            Some((next, q)) if !stepped => (q - p) / (next - x),
            _ => 0.0,
        };
        segments.push(match slope == 0.0 {
            true => format!("{x}: {p}"),
            false => format!("{x}: {p} {slope}"),
        });
    }
    segments.join("; ")
}
