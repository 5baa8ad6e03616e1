//! A port that an agent steers: what it was configured with, and what is observed of it.

use earlydrop::registry::{LinkFacts, Plan as SchemePlan, Settings};
use earlydrop::schemes::AnyAqm;
use earlydrop::steering::Setting;
use earlydrop::units::Nanos;
use earlydrop_sim::network::{Link, LinkId};
use earlydrop_sim::steering::LinkState;

use super::ActionKind;
use super::action::MOST;
use crate::document::{Place, Problem};
use crate::scenario::PreparedRun;

/// What is observed besides the action, each with its greatest value.
pub const OBSERVATIONS: [(&str, f64); 7] = [
    ("delay", 10.0),
    ("queue", 1.0),
    ("utilisation", 1.0),
    ("arrivals", 10.0),
    ("drop_rate", 1.0),
    ("mark_rate", 1.0),
    ("average", 1.0),
];

/// A link whose queue is steered.
#[derive(Clone, Debug)]
pub(super) struct Port {
    pub(super) link: LinkId,
    /// Its name in the network.
    pub(super) name: String,
    /// What the scheme was configured with, in natural units.
    pub(super) configured: [f64; MOST],
    /// The buffer in packets.
    pub(super) buffer: f64,
    /// What a packet counts in the scheme's average: 1, or its bytes.
    pub(super) unit: f64,
    /// Bytes that the link sends in a second.
    bytes_per_second: f64,
}

impl Port {
    /// The ports where the scheme of the watched link stands, that one first.
    pub(super) fn all(
        prepared: &PreparedRun,
        label: &str,
        action: ActionKind,
    ) -> Result<Vec<Port>, Problem> {
        let network = &prepared.run.network;
        let queue_of = |link: &Link| link.queue.as_ref().map(ToString::to_string);
        let steered = queue_of(network.get(prepared.watched));
        let same = network
            .links()
            .filter(|(.., link)| queue_of(link) == steered);
        let mut links: Vec<LinkId> = same.map(|(id, ..)| id).collect();
        links.sort_unstable_by_key(|link| (*link != prepared.watched, *link));
        let of_link = |link: LinkId| {
            let name = network.link_name(link);
            Port::new(link, name, network.get(link), action)
                .ok_or_else(|| cannot_steer(label, action))
        };
        links.into_iter().map(of_link).collect()
    }

    /// `None` where the queue cannot be steered by `action`.
    fn new(id: LinkId, name: String, link: &Link, action: ActionKind) -> Option<Port> {
        let facts = LinkFacts {
            rate: link.mean_rate(),
            mean_packet: link.mean_packet,
        };
        let spec = link.queue.as_ref()?;
        let SchemePlan::Single { aqm, limit } = spec.plan(&facts).ok()? else {
            return None;
        };
        let (unit, configured) = configured(&aqm, action, &spec.settings(&facts).ok()?)?;
        let by_bytes = limit.bytes.0 as f64 / facts.mean_packet.0 as f64;
        Some(Port {
            link: id,
            name,
            configured,
            buffer: f64::from(limit.packets).min(by_bytes).max(1.0),
            unit,
            bytes_per_second: facts.rate.0 as f64 / 8.0,
        })
    }

    /// The setting of its scheme by an action in natural units.
    pub(super) fn setting(&self, action: ActionKind, values: &[f64; MOST]) -> Setting {
        action.setting(values, self.unit)
    }

    /// What is observed of it after a step that took `span`: [`OBSERVATIONS`]. `rtt` is the base
    /// round-trip time in seconds.
    pub(super) fn measured(
        &self,
        state: &LinkState,
        span: Nanos,
        average: f64,
        rtt: f64,
    ) -> [f64; OBSERVATIONS.len()] {
        let counters = &state.counters;
        let waited = state.mean_sojourn.or(state.head_sojourn);
        let delay = waited.map_or(0.0, Nanos::as_secs_f64) / rtt;
        let sendable = self.bytes_per_second * span.as_secs_f64();
        let arrived = counters.arrived.packets.max(1) as f64;
        let values = [
            delay,
            f64::from(state.packets) / self.buffer,
            state.utilisation,
            counters.arrived.bytes as f64 / sendable,
            counters.dropped().packets as f64 / arrived,
            counters.marked.packets as f64 / arrived,
            average / self.buffer,
        ];
        std::array::from_fn(|place| values[place].clamp(0.0, OBSERVATIONS[place].1))
    }
}

/// What a packet counts in the scheme's average, and what the scheme was configured with; `None`
/// where it cannot be steered by `action`.
fn configured(aqm: &AnyAqm, action: ActionKind, settings: &Settings) -> Option<(f64, [f64; MOST])> {
    let red = match (aqm, action) {
        (AnyAqm::Dial(_), ActionKind::Probability) => {
            return Some((1.0, [settings.number("probability"), 0.0, 0.0]));
        }
        (AnyAqm::Red(red), kind) if kind != ActionKind::Probability => red,
        _ => return None,
    };
    let unit = match settings.choice("unit") {
        "bytes" => settings.link().mean_packet.0 as f64,
        _ => 1.0,
    };
    let shape = red.curve().shape();
    let (min, max, max_p) = (shape.min / unit, shape.max / unit, settings.number("max_p"));
    let values = match action {
        ActionKind::MaxP => [max_p, 0.0, 0.0],
        ActionKind::Thresholds => [min, max, 0.0],
        _ => [min, max, max_p],
    };
    Some((unit, values))
}

/// Why no action of this kind can be set.
pub(super) fn cannot_steer(label: &str, action: ActionKind) -> Problem {
    let message = format!(
        "the scheme `{label}` cannot be steered by {}",
        action.name()
    );
    let help = match action {
        ActionKind::Probability => "allowed: the scheme dial, as in schemes = [\"dial\"]",
        _ => {
            "allowed: a single queue of the RED family whose curve is not given as numbers, as \
              in schemes = [\"red\"]"
        }
    };
    Problem::new(&Place::default(), message, help)
}
