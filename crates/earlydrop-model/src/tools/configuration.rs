//! A configuration of the RED family, whichever tool it was written for.

use std::ops::Range;

use earlydrop::red::{Idle, Spacing};
use earlydrop::registry::{Length, Link};
use earlydrop::units::{BitsPerSec, Bytes};

use super::Tool;

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// It stands in these bytes of the text.
    Given(Range<usize>),
    /// The tool has it so, or it was worked out; said in words.
    Implied(&'static str),
}

/// A value, and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct WithOrigin<T> {
    /// The value.
    pub value: T,
    /// Where it comes from.
    pub origin: Origin,
}

impl<T> WithOrigin<T> {
    /// The value of the token at `span` where there is one, else the tool's.
    pub(super) fn given_or(
        given: Option<(T, Range<usize>)>,
        default: T,
        why: &'static str,
    ) -> WithOrigin<T> {
        match given {
            Some((value, span)) => WithOrigin::given(value, span),
            None => WithOrigin::implied(default, why),
        }
    }

    /// What stands in the text.
    pub fn given(value: T, span: Range<usize>) -> WithOrigin<T> {
        WithOrigin {
            value,
            origin: Origin::Given(span),
        }
    }

    /// What the tool takes unless configured otherwise, or what follows from the rest.
    pub fn implied(value: T, why: &'static str) -> WithOrigin<T> {
        WithOrigin {
            value,
            origin: Origin::Implied(why),
        }
    }

    /// Whether it stands in the text.
    pub fn is_given(&self) -> bool {
        matches!(self.origin, Origin::Given(_))
    }
}

/// How the probability goes from min to where everything is dropped.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A line from 0 at min to max_p at max, then everything.
    Straight,
    /// The same, then a line to 1 at twice max.
    Gentle,
    /// A parabola to 1.5 max_p at max, then everything (NLRED).
    Nonlinear,
    /// Points (queue, probability); between them a line, or a step where `stepped`.
    Points {
        /// The points, both numbers of each larger than those before.
        points: Vec<(f64, f64)>,
        /// Whether the probability stays until the next point.
        stepped: bool,
    },
}

/// What is done with ECN-capable packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Marking {
    /// They are marked where others are dropped.
    pub on: bool,
    /// Above max, too.
    pub above_max: bool,
    /// But not once the probability exceeds this.
    pub up_to: f64,
    /// Others are not dropped early, either.
    pub spares_others: bool,
}

impl Marking {
    /// No marks.
    pub const OFF: Marking = Marking {
        on: false,
        above_max: false,
        up_to: 1.0,
        spares_others: false,
    };
}

/// What moves max_p over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adapt {
    /// Nothing.
    No,
    /// Floyd's adaptive RED.
    Floyd,
    /// Feng's self-configuring RED.
    Feng,
}

/// Thresholds and probability of one class of traffic; lengths in the unit of the whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// What the tool calls it; empty where there is one.
    pub name: String,
    /// Nothing is dropped early while the average is below.
    pub min: WithOrigin<f64>,
    /// The upper threshold.
    pub max: WithOrigin<f64>,
    /// The probability at max.
    pub max_p: WithOrigin<f64>,
    /// The way from the one to the other.
    pub shape: WithOrigin<Shape>,
}

/// A configuration of the RED family.
#[derive(Clone, Debug, PartialEq)]
pub struct Configuration {
    /// Whose knobs these are.
    pub tool: &'static Tool,
    /// At least one.
    pub classes: Vec<Class>,
    /// Whether the average and the thresholds are in bytes rather than packets.
    pub in_bytes: bool,
    /// Where that is said.
    pub unit_origin: Origin,
    /// The buffer, where it is given.
    pub limit: WithOrigin<Option<Length>>,
    /// The weight of a new sample in the average.
    pub weight: WithOrigin<f64>,
    /// The typical packet, where it is given.
    pub mean_packet: WithOrigin<Option<Bytes>>,
    /// How drops are spaced.
    pub spacing: WithOrigin<Spacing>,
    /// How the average decays while nothing waits.
    pub idle: WithOrigin<Idle>,
    /// What is done with ECN-capable packets.
    pub ecn: WithOrigin<Marking>,
    /// What moves max_p.
    pub adapt: WithOrigin<Adapt>,
    /// Whether larger packets are likelier to be dropped.
    pub by_size: WithOrigin<bool>,
    /// Whether the first packet above min is spared, and a queue of one.
    pub cautious: WithOrigin<bool>,
    /// The link's rate, where it is given.
    pub rate: WithOrigin<Option<BitsPerSec>>,
    /// For Linux, the burst that the weight was worked out from, in packets.
    pub burst: Option<WithOrigin<f64>>,
}

impl Configuration {
    /// What is so in `tool` unless it says otherwise: no thresholds, in packets, the
    /// queue as it is, no marks.
    pub(super) fn of(tool: &'static Tool) -> Configuration {
        const NO_KNOB: &str = "it has no such knob";
        Configuration {
            tool,
            classes: Vec::new(),
            in_bytes: false,
            unit_origin: Origin::Implied("its only unit"),
            limit: WithOrigin::implied(None, "not given here"),
            weight: WithOrigin::implied(1.0, "no average: the queue as it is"),
            mean_packet: WithOrigin::implied(None, NO_KNOB),
            spacing: WithOrigin::implied(tool.spacing, tool.spacing_source),
            idle: WithOrigin::implied(Idle::Exact, NO_KNOB),
            ecn: WithOrigin::implied(Marking::OFF, "off unless asked for"),
            adapt: WithOrigin::implied(Adapt::No, NO_KNOB),
            by_size: WithOrigin::implied(false, NO_KNOB),
            cautious: WithOrigin::implied(false, NO_KNOB),
            rate: WithOrigin::implied(None, NO_KNOB),
            burst: None,
        }
    }

    /// The packet that lengths are converted by: the one given, else the link's.
    pub fn packet(&self, link: &Link) -> f64 {
        link.mean_packet.0 as f64
    }

    /// A length of a class in packets.
    pub fn in_packets(&self, length: f64, link: &Link) -> f64 {
        match self.in_bytes {
            true => length / self.packet(link),
            false => length,
        }
    }

    /// A length of a class in bytes.
    pub fn to_bytes(&self, length: f64, link: &Link) -> f64 {
        match self.in_bytes {
            true => length,
            false => length * self.packet(link),
        }
    }

    /// The buffer in the unit of the thresholds, where it is given.
    pub fn limit_in_unit(&self, link: &Link) -> Option<f64> {
        let limit = self.limit.value?;
        Some(match self.in_bytes {
            true => limit.in_bytes(link.mean_packet, link.rate.0 as f64),
            false => limit.in_packets(link.mean_packet, link.rate.0 as f64),
        })
    }
}
