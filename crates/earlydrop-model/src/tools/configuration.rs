//! A RED configuration, in one form for all tools.

use std::ops::Range;

use earlydrop::red::{Idle, Spacing};
use earlydrop::registry::{Length, LinkFacts};
use earlydrop::units::{BitsPerSec, Bytes};

use super::{Context, Tool};

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// It is in the text, at this byte range.
    Given(Range<usize>),
    /// It is a default of the tool or derived from other values, for this reason.
    Implied(&'static str),
}

/// A value together with its origin.
#[derive(Clone, Debug, PartialEq)]
pub struct WithOrigin<T> {
    /// The value.
    pub value: T,
    /// Where it comes from.
    pub origin: Origin,
}

impl<T> WithOrigin<T> {
    /// The given value and span, or `default` for the reason `why`.
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

    /// A value from the text.
    pub fn given(value: T, span: Range<usize>) -> WithOrigin<T> {
        WithOrigin {
            value,
            origin: Origin::Given(span),
        }
    }

    /// A default of the tool, or a value derived from others, for the reason `why`.
    pub fn implied(value: T, why: &'static str) -> WithOrigin<T> {
        WithOrigin {
            value,
            origin: Origin::Implied(why),
        }
    }

    /// Whether the value is from the text.
    pub fn is_given(&self) -> bool {
        matches!(self.origin, Origin::Given(_))
    }
}

/// The shape of the drop probability above min.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Shape {
    /// A line from 0 at min to max_p at max; 1 above.
    Straight,
    /// A line from 0 at min to max_p at max, then a line to 1 at twice max.
    Gentle,
    /// A parabola from 0 at min to 1.5 max_p at max; 1 above (NLRED).
    Nonlinear,
    /// Points (queue, probability), joined by lines or, if `stepped`, by steps.
    Points {
        /// The points, in increasing order of both coordinates.
        points: Vec<(f64, f64)>,
        /// Whether the probability is constant up to the next point.
        stepped: bool,
    },
}

/// How ECN-capable packets are treated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Marking {
    /// Whether they are marked where other packets are dropped early.
    pub on: bool,
    /// Whether they are also marked above max.
    pub above_max: bool,
    /// Above this probability they are dropped.
    pub up_to: f64,
    /// Whether packets without ECN are exempt from early drops.
    pub spares_others: bool,
}

impl Marking {
    /// No marking.
    pub const OFF: Marking = Marking {
        on: false,
        above_max: false,
        up_to: 1.0,
        spares_others: false,
    };
}

/// The algorithm that adapts max_p at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Adapt {
    /// None: max_p is constant.
    No,
    /// Floyd's adaptive RED.
    Floyd,
    /// Feng's self-configuring RED.
    Feng,
}

/// The thresholds of one traffic class, in the unit of [`Configuration::in_bytes`].
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// The tool's name for the class; empty if there is only one.
    pub name: String,
    /// The lower threshold: no early drops while the average is below.
    pub min: WithOrigin<f64>,
    /// The upper threshold.
    pub max: WithOrigin<f64>,
    /// The drop probability at max.
    pub max_p: WithOrigin<f64>,
    /// The shape of the drop probability.
    pub shape: WithOrigin<Shape>,
}

/// A RED configuration, in one form for all tools.
#[derive(Clone, Debug, PartialEq)]
pub struct Configuration {
    /// The tool it was written for.
    pub tool: &'static Tool,
    /// The traffic classes, at least one.
    pub classes: Vec<Class>,
    /// The thresholds of ECN-capable packets, one entry for each class; empty if they have those of
    /// other packets.
    pub ect: Vec<Class>,
    /// Whether the average and the thresholds are in bytes rather than packets.
    pub in_bytes: bool,
    /// The origin of `in_bytes`.
    pub unit_origin: Origin,
    /// The buffer size, if given.
    pub limit: WithOrigin<Option<Length>>,
    /// The weight of a new sample in the average.
    pub weight: WithOrigin<f64>,
    /// The mean packet size, if given.
    pub mean_packet: WithOrigin<Option<Bytes>>,
    /// The law of gaps between drops.
    pub spacing: WithOrigin<Spacing>,
    /// How the average decays while the queue is empty.
    pub idle: WithOrigin<Idle>,
    /// How ECN-capable packets are treated.
    pub ecn: WithOrigin<Marking>,
    /// The algorithm that adapts max_p.
    pub adapt: WithOrigin<Adapt>,
    /// Whether the drop probability grows with packet size.
    pub by_size: WithOrigin<bool>,
    /// Whether the first packet above min, and any in a queue of one packet, is kept.
    pub cautious: WithOrigin<bool>,
    /// The link rate, if given.
    pub rate: WithOrigin<Option<BitsPerSec>>,
    /// The burst from which tc derives the weight, in packets; Linux only.
    pub burst: Option<WithOrigin<f64>>,
    /// The share of the link's rate that the class has, if the text gives one.
    pub share: Option<WithOrigin<f64>>,
    /// The names of the objects in the text, of which this is one.
    pub objects: Vec<String>,
    /// What was known beside the text.
    pub context: Context,
    /// The places of what the text has beside RED.
    pub irrelevant: Vec<Range<usize>>,
}

impl Configuration {
    /// The defaults that most tools share: no classes, lengths in packets, no averaging, no ECN.
    pub(super) fn of(tool: &'static Tool) -> Configuration {
        const NO_KNOB: &str = "the tool has no such knob";
        Configuration {
            tool,
            classes: Vec::new(),
            ect: Vec::new(),
            in_bytes: false,
            unit_origin: Origin::Implied("the tool's only unit"),
            limit: WithOrigin::implied(None, "not given here"),
            weight: WithOrigin::implied(1.0, "no average: the current queue length"),
            mean_packet: WithOrigin::implied(None, NO_KNOB),
            spacing: WithOrigin::implied(tool.spacing, tool.spacing_source),
            idle: WithOrigin::implied(Idle::Exact, NO_KNOB),
            ecn: WithOrigin::implied(Marking::OFF, "off by default"),
            adapt: WithOrigin::implied(Adapt::No, NO_KNOB),
            by_size: WithOrigin::implied(false, NO_KNOB),
            cautious: WithOrigin::implied(false, NO_KNOB),
            rate: WithOrigin::implied(None, NO_KNOB),
            burst: None,
            share: None,
            objects: Vec::new(),
            context: Context::default(),
            irrelevant: Vec::new(),
        }
    }

    /// The packet size that converts packets to bytes: the mean packet of `link`, in bytes.
    pub fn packet(&self, link: &LinkFacts) -> f64 {
        link.mean_packet.0 as f64
    }

    /// Converts a length from the unit of the thresholds to packets.
    pub fn in_packets(&self, length: f64, link: &LinkFacts) -> f64 {
        match self.in_bytes {
            true => length / self.packet(link),
            false => length,
        }
    }

    /// Converts a length from the unit of the thresholds to bytes.
    pub fn to_bytes(&self, length: f64, link: &LinkFacts) -> f64 {
        match self.in_bytes {
            true => length,
            false => length * self.packet(link),
        }
    }

    /// The classes, and behind them those of ECN-capable packets that have thresholds of their own.
    pub fn curves(&self) -> Vec<Class> {
        let capable = self.ect.iter().map(|class| Class {
            name: match class.name.as_str() {
                "" => "ECN-capable".to_string(),
                name => format!("{name}, ECN-capable"),
            },
            ..class.clone()
        });
        self.classes.iter().cloned().chain(capable).collect()
    }

    /// Sets the buffer that the text does not give.
    pub(crate) fn assume_buffer(&mut self, buffer: Length, why: &'static str) {
        self.limit = WithOrigin::implied(Some(buffer), why);
    }

    /// The buffer size in the unit of the thresholds, if given.
    pub fn limit_in_unit(&self, link: &LinkFacts) -> Option<f64> {
        let limit = self.limit.value?;
        Some(match self.in_bytes {
            true => limit.in_bytes(link.mean_packet, link.rate.0 as f64),
            false => limit.in_packets(link.mean_packet, link.rate.0 as f64),
        })
    }
}

/// A single unnamed class if all classes have the same thresholds; the classes otherwise.
pub(super) fn merge_equal_classes(mut classes: Vec<Class>) -> Vec<Class> {
    if are_equal(&classes) {
        keep_first(&mut classes);
    }
    classes
}

/// Whether all classes have the same thresholds and max_p.
pub(super) fn are_equal(classes: &[Class]) -> bool {
    let same = |a: &Class, b: &Class| {
        a.min.value == b.min.value && a.max.value == b.max.value && a.max_p.value == b.max_p.value
    };
    classes.windows(2).all(|pair| same(&pair[0], &pair[1]))
}

/// Leaves the first class, without its name.
pub(super) fn keep_first(classes: &mut Vec<Class>) {
    classes.truncate(1);
    if let Some(class) = classes.first_mut() {
        class.name.clear();
    }
}

/// Rounds thresholds to whole packets, with max at most `most` and min at least one below max.
pub(super) fn whole_thresholds(min: f64, max: f64, most: f64) -> (f64, f64) {
    let max = max.round().clamp(1.0, most);
    (min.round().clamp(0.0, max - 1.0), max)
}
