//! Schemes as data: name, source, parameters, presets, probes; and from text to a queue.
//!
//! Text is parsed to a [`Spec`], checked against a [`LinkFacts`] into a [`Plan`], which builds
//! queues. A [`Registry`] is the list of schemes that text can name.
//!
//! ```
//! use earlydrop::registry;
//! for scheme in registry::SCHEMES {
//!     println!("{:10} {}", scheme.name, scheme.summary);
//! }
//! ```

mod error;
mod extent;
mod list;
mod parameter;
mod settings;
mod spec;

pub use error::{ConfigError, nearest};
pub use extent::Extent;
pub use list::{Registry, find};
pub use parameter::{Kind, Length, Parameter, Range, Value};
pub use settings::{LinkFacts, Settings};
pub use spec::Spec;

pub use crate::any::Plan;
pub use crate::schemes::SCHEMES;

use alloc::string::ToString;

use crate::curve::CurveLaw;

/// One scheme as data: everything that help, pages, schemas and error messages say about it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Descriptor {
    /// Its name in scenario files and on the command line.
    pub name: &'static str,
    /// A summary in one sentence.
    pub summary: &'static str,
    /// The paper or RFC that defines it.
    pub source: &'static str,
    /// Its parameters, in groups so that several schemes can share one.
    pub parameters: &'static [&'static [Parameter]],
    /// Defaults that differ from those of the parameters: name, value, origin.
    pub defaults: &'static [(&'static str, &'static str, &'static str)],
    /// Named sets of values, of papers and other tools, for `as = ...`.
    pub presets: &'static [Preset],
    /// State it reports while it runs.
    pub probes: &'static [Probe],
    /// Whether it runs another scheme inside, set by `inner.*`.
    pub nests: bool,
    /// A curve that is not built in, for a scheme of the RED family.
    pub curve: Option<&'static CurveLaw>,
    /// Checks the settings against each other and makes the plan.
    pub plan: fn(&Settings) -> Result<Plan, ConfigError>,
}

/// A named set of values: a paper's, or another tool's defaults.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// `paper`, `ns2`, `ns3`, `linux` or `dpdk`.
    pub name: &'static str,
    /// Which values it has: a paper's experiment, a tool's version and options.
    pub meaning: &'static str,
    /// The parameters it sets, as text.
    pub values: &'static [(&'static str, &'static str)],
}

impl Preset {
    /// The value that it sets for a parameter, as text.
    pub fn value(&self, name: &str) -> Option<&'static str> {
        let mut values = self.values.iter();
        values
            .find(|(known, _)| *known == name)
            .map(|(_, value)| *value)
    }
}

/// A value that a scheme reports while it runs.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// Its name in results.
    pub name: &'static str,
    /// Its meaning, with the unit.
    pub meaning: &'static str,
}

impl Probe {
    /// A probe, for [`Descriptor::with_probes`].
    pub const fn new(name: &'static str, meaning: &'static str) -> Probe {
        Probe { name, meaning }
    }
}

/// Schemes are equal when their names are.
impl PartialEq for Descriptor {
    fn eq(&self, other: &Descriptor) -> bool {
        self.name == other.name
    }
}

impl Descriptor {
    /// A scheme without presets, probes or defaults of its own: a `static` of a program
    /// that brings a scheme. `plan` checks the settings together and makes the plan.
    pub const fn new(
        name: &'static str,
        summary: &'static str,
        source: &'static str,
        parameters: &'static [&'static [Parameter]],
        plan: fn(&Settings) -> Result<Plan, ConfigError>,
    ) -> Descriptor {
        Descriptor {
            name,
            summary,
            source,
            parameters,
            defaults: &[],
            presets: &[],
            probes: &[],
            nests: false,
            curve: None,
            plan,
        }
    }

    /// Sets defaults that differ from those of shared parameters: name, value, origin.
    #[must_use]
    pub const fn with_defaults(
        self,
        defaults: &'static [(&'static str, &'static str, &'static str)],
    ) -> Descriptor {
        Descriptor { defaults, ..self }
    }

    /// Adds presets, for `as=NAME`.
    #[must_use]
    pub const fn with_presets(self, presets: &'static [Preset]) -> Descriptor {
        Descriptor { presets, ..self }
    }

    /// Lists what [`Aqm::probes`](crate::aqm::Aqm::probes) shows, in the same order.
    #[must_use]
    pub const fn with_probes(self, probes: &'static [Probe]) -> Descriptor {
        Descriptor { probes, ..self }
    }

    /// It runs another scheme inside, set by `inner.*`.
    pub(crate) const fn that_nests(self) -> Descriptor {
        Descriptor {
            nests: true,
            ..self
        }
    }

    /// Every parameter, in order.
    pub fn parameters(&self) -> impl Iterator<Item = &'static Parameter> {
        self.parameters.iter().copied().flatten()
    }

    /// The parameter of this name.
    pub fn parameter(&self, name: &str) -> Option<&'static Parameter> {
        self.parameters().find(|parameter| parameter.name == name)
    }

    /// The default of `parameter` in this scheme, and where it comes from.
    pub fn default_of(&self, parameter: &Parameter) -> (&'static str, &'static str) {
        let own = self
            .defaults
            .iter()
            .find(|(name, ..)| *name == parameter.name);
        own.map_or(
            (parameter.default, parameter.origin),
            |(_, value, origin)| (value, origin),
        )
    }

    /// Whether `parameter` has an effect when all others are at this scheme's defaults.
    pub fn uses(&self, parameter: &Parameter) -> bool {
        parameter.when.is_none_or(|(other, values)| {
            self.parameter(other)
                .is_some_and(|other| values.contains(&self.default_of(other).0) && self.uses(other))
        })
    }

    fn preset(&self, name: &str) -> Result<&'static Preset, ConfigError> {
        let names = || self.presets.iter().map(|preset| preset.name);
        let preset = self.presets.iter().find(|preset| preset.name == name);
        preset.ok_or_else(|| ConfigError::Invalid {
            scheme: self.name,
            parameter: "as",
            value: name.to_string(),
            allowed: match self.presets {
                [] => "allowed: this scheme has no presets".to_string(),
                _ => alloc::format!(
                    "one of {}",
                    names().collect::<alloc::vec::Vec<_>>().join(", ")
                ),
            },
            nearest: error::nearest(name, names()).map(ToString::to_string),
        })
    }
}

/// The parameter every scheme has: the buffer's limit.
pub const LIMIT: Parameter = Parameter::new(
    "limit",
    "the buffer's capacity; arrivals at a full buffer are dropped (reason forced)",
    Kind::Length(Range::closed(1.0, settings::MOST_PACKETS as f64)),
)
.with_extent(Extent::Multiple)
.fixed()
.with_default(
    "1000 packets",
    "the transmit queue length of Linux network interfaces",
);

/// Whether ECN-capable packets are marked instead of dropped; shared by most schemes.
pub const ECN: Parameter = Parameter::new(
    "ecn",
    "mark ECN-capable packets instead of dropping them early (RFC 3168)",
    Kind::Flag,
)
.with_default("on", "RFC 7567, section 4.2.1: AQM should support ECN");

/// What happens to packets that cannot be marked, for schemes that can be configured to
/// mark only.
pub const OTHERS: Parameter = Parameter::new(
    "others",
    "what happens to packets that would be marked but cannot be",
    Kind::Choice(&[
        ("drop", "they are dropped early"),
        ("pass", "they pass: only marks signal congestion"),
    ]),
)
.with_default(
    "drop",
    "RFC 3168, section 5: a router that would mark drops what it cannot mark",
);

/// The typical packet size, for schemes that measure in packets.
pub const MEAN_PACKET: Parameter = Parameter::new(
    "mean_packet",
    "typical packet size; auto: that of the link",
    Kind::OrAuto(&Kind::Bytes(Range::POSITIVE)),
)
.with_default("auto", "the scenario");

/// The unit of the queue's length, for schemes that control it.
pub(crate) const UNIT: Parameter = Parameter::new(
    "unit",
    "the unit of the queue's length",
    Kind::Choice(&[
        ("packets", "packets, whatever their size"),
        (
            "bytes",
            "bytes over mean_packet; a packet's probability is scaled by its size over \
             mean_packet",
        ),
    ]),
)
.with_default("packets", "the papers");
