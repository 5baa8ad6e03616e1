//! Buffers, thresholds and targets as the schemes have them at their links: in packets, as times,
//! and in bandwidth-delay products.

use earlydrop::queue::Limit;
use earlydrop::registry::{Length, LinkFacts, Settings, Spec, Value};
use earlydrop::units::Nanos;
use earlydrop_model::configure::is_codel;

use super::{BesidePreset, Scenario, Scheme};

/// A queue length at a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueueLength {
    /// In packets of the link.
    pub packets: f64,
    /// The time that it takes to send, in seconds.
    pub seconds: f64,
    /// In bandwidth-delay products.
    pub bdp: f64,
}

/// What a scheme has at a link.
#[derive(Clone, Debug, PartialEq)]
pub struct SchemeSizes {
    /// The scheme's index.
    pub scheme: usize,
    /// Its buffer.
    pub buffer: QueueLength,
    /// The buffer in packets of any size and in bytes, as its queue counts them.
    pub limit: Limit,
    /// The thresholds of its average queue; `None` where it has no curve.
    pub thresholds: Option<(QueueLength, QueueLength)>,
    /// The queue above which every packet is signalled; `None` where it has no such step.
    pub step: Option<QueueLength>,
    /// The average from which everything is dropped, where it has a curve that ends.
    pub end: Option<QueueLength>,
    /// The queueing delay that it controls; `None` where it has no such target.
    pub target: Option<Nanos>,
    /// The time in which CoDel's family expects a response.
    pub interval: Option<Nanos>,
    /// What the scenario sets for all schemes, where this one has a preset.
    pub beside_preset: Vec<BesidePreset>,
}

/// What the compared schemes have at a link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSizes {
    /// The link's name: "left to right".
    pub name: String,
    /// The link as the schemes see it.
    pub link: LinkFacts,
    /// The bandwidth-delay product, in packets.
    pub bdp: f64,
    /// One for each scheme.
    pub schemes: Vec<SchemeSizes>,
}

impl Scenario {
    /// What the schemes have at each link that they stand at; equal links are one.
    pub fn sizes(&self) -> Vec<LinkSizes> {
        let packet = self.packet();
        let mut all: Vec<LinkSizes> = Vec::new();
        for (name, link) in self.network.named_scheme_links(packet) {
            if all.iter().any(|known| known.link == link) {
                continue;
            }
            let schemes = self.schemes.iter().enumerate();
            all.push(LinkSizes {
                name,
                bdp: self.path.bdp(&link),
                schemes: schemes
                    .filter_map(|(index, scheme)| self.sizes_of(index, scheme, &link))
                    .collect(),
                link,
            });
        }
        all
    }

    fn sizes_of(&self, index: usize, scheme: &Scheme, link: &LinkFacts) -> Option<SchemeSizes> {
        let spec = self.path.resolve(&scheme.written, link);
        let settings = spec.settings(link).ok()?;
        let plan = spec.plan(link).ok()?;
        let length = |packets: f64| QueueLength {
            packets,
            seconds: packets / link.rate.packets_per_sec(link.mean_packet),
            bdp: packets / self.path.bdp(link),
        };
        // Thresholds of an average in bytes are in bytes; those of another scheme in packets of
        // any size.
        let unit = match choice(&settings, "unit") {
            Some("bytes") => link.mean_packet.0 as f64,
            _ => 1.0,
        };
        let in_curve = |average: f64| length(average / unit);
        let curve = plan.curve();
        Some(SchemeSizes {
            scheme: index,
            buffer: length(limit(&settings, link)),
            limit: settings.limit(),
            thresholds: curve.map(|curve| {
                let shape = curve.shape();
                (in_curve(shape.min), in_curve(shape.max))
            }),
            step: match value(&settings, "threshold") {
                Some(Value::Length(step)) => Some(length(
                    step.in_packets(link.mean_packet, link.rate.0 as f64),
                )),
                _ => None,
            },
            end: curve
                .filter(|curve| curve.last().is_finite())
                .map(|curve| in_curve(curve.last())),
            target: target(&settings),
            interval: time(&settings, "interval").filter(|_| is_codel(&settings)),
            beside_preset: beside_preset(scheme, &spec),
        })
    }
}

/// What the scenario sets for all schemes, as a scheme with a preset has it at a link, where it is
/// `resolved`.
fn beside_preset(scheme: &Scheme, resolved: &Spec) -> Vec<BesidePreset> {
    let mut all = scheme.beside_preset.clone();
    for one in all.iter_mut().filter(|one| one.is_taken) {
        if let Some(value) = resolved.given(&one.name) {
            one.value = value.to_string();
        }
    }
    all
}

/// The limit in packets of the link.
fn limit(settings: &Settings, link: &LinkFacts) -> f64 {
    match value(settings, "limit") {
        Some(Value::Length(Length::Packets(packets))) => packets.floor(),
        Some(Value::Length(length)) => length.in_packets(link.mean_packet, link.rate.0 as f64),
        _ => f64::INFINITY,
    }
}

/// The target delay, or the delay from which everything is marked where that is shorter.
fn target(settings: &Settings) -> Option<Nanos> {
    let target = time(settings, "target")?;
    let marks = time(settings, "ce_threshold").filter(|marks| *marks > Nanos::ZERO);
    Some(marks.map_or(target, |marks| target.min(marks)))
}

fn time(settings: &Settings, name: &str) -> Option<Nanos> {
    match value(settings, name)? {
        Value::Time(time) => Some(*time),
        _ => None,
    }
}

fn choice(settings: &Settings, name: &str) -> Option<&'static str> {
    match value(settings, name)? {
        Value::Choice(choice) => Some(choice),
        _ => None,
    }
}

/// The value of a parameter, where the scheme has it.
fn value<'a>(settings: &'a Settings, name: &str) -> Option<&'a Value> {
    let mut values = settings.iter();
    values
        .find(|(parameter, _)| parameter.name == name)
        .map(|(_, value)| value)
}
