//! The parameters of the RED family, and how a [`Red`] is built from them.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;

use super::average::FastPath;
use super::variants::{CURVES, ared, dsred, feng, fred, lru_red, rared, red, restraint, sfred};
use super::{
    Action, Adaptation, Average, Curve, CurveLaw, Gap, Idle, Policy, Red, RedConfig, Shape,
    Spacing, Strength, area,
};
use crate::curve::{NUMBERS, ONE, parse_pieces};
use crate::registry::{
    ConfigError, Descriptor, ECN, Extent, Kind, LIMIT, Length, MEAN_PACKET, OTHERS, Parameter,
    Plan, Preset, Probe, Range, Settings,
};

/// A scheme of the family: the parameters below, with the scheme's own defaults.
pub(crate) const fn scheme(
    name: &'static str,
    summary: &'static str,
    source: &'static str,
    defaults: &'static [(&'static str, &'static str, &'static str)],
    presets: &'static [Preset],
) -> Descriptor {
    Descriptor::new(name, summary, source, FAMILY, |s| {
        Ok(Plan::single(Red::from_settings(s)?, s.limit()))
    })
    .with_defaults(defaults)
    .with_presets(presets)
    .with_probes(PROBES)
}

/// RED with a curve of the caller's own, and every other parameter of the family.
///
/// Add it to a [`Registry`](crate::registry::Registry) to name it in text, or use it with
/// [`Spec::of`](crate::registry::Spec::of).
pub const fn with_curve(
    name: &'static str,
    summary: &'static str,
    source: &'static str,
    curve: &'static CurveLaw,
) -> Descriptor {
    Descriptor {
        curve: Some(curve),
        ..scheme(name, summary, source, &[], &[])
    }
}

/// Every parameter of the family, part by part.
pub(crate) const FAMILY: &[&[Parameter]] = &[
    &[LIMIT, ECN],
    CURVE,
    area::PARAMETERS,
    dsred::PARAMETERS,
    AVERAGE,
    SPACING,
    ADAPTATION,
    feng::PARAMETERS,
    ared::PARAMETERS,
    restraint::PARAMETERS,
    rared::PARAMETERS,
    POLICY,
    sfred::PARAMETERS,
    lru_red::PARAMETERS,
    fred::PARAMETERS,
    ACTION,
];

const PROBES: &[Probe] = &[
    Probe::new(
        "average",
        "the average queue, in packets (bytes with unit=bytes)",
    ),
    Probe::new("pb", "initial probability Pb: the curve at the average"),
    Probe::new(
        "pa",
        "actual probability Pa of the next packet, by the spacing",
    ),
    Probe::new(
        "max_p",
        "the present max_p; an adaptation may have moved it",
    ),
    Probe::new("count", "packets passed since the last drop or mark"),
    Probe::new(
        "flows",
        "flows in the policy's table; 0 for a policy without one",
    ),
];

/// The curves whose strength is made of `max_p`, by name, and curves by numbers.
const MAX_P_CURVES: &[&str] = {
    const LISTED: &([&str; CURVES.len() + 1], usize) = &{
        let (mut names, mut used) = ([NUMBERS; CURVES.len() + 1], 0);
        let mut index = 0;
        while index < CURVES.len() {
            if !matches!(CURVES[index].strength, Strength::OneMinusGamma) {
                names[used] = CURVES[index].name;
                used += 1;
            }
            index += 1;
        }
        (names, used + 1)
    };
    LISTED.0.split_at(LISTED.1).0
};

const CURVE_NAMES: &[(&str, &str); CURVES.len() + 1] = &{
    let mut names = [(NUMBERS, "given by 'segments'"); CURVES.len() + 1];
    let mut index = 0;
    while index < CURVES.len() {
        names[index] = (CURVES[index].name, CURVES[index].equation);
        index += 1;
    }
    names
};

const FLOYD_1997: &str = "Floyd, \"RED: Discussions of Setting Parameters\", 1997";

pub(crate) const CURVE: &[Parameter] = &[
    Parameter::new(
        "curve",
        "the initial probability as a function of the average: a name, or points that \
         straight lines connect, as in '5:0 15:0.05 30:1'",
        Kind::OrPoints(&Kind::Choice(CURVE_NAMES)),
    )
    .with_default("red", "Floyd and Jacobson 1993"),
    Parameter::new(
        "min",
        "first threshold: no early drop while the average is below it; auto: \
         C target_delay/2 and at least 5 packets, or max/3 where max is given",
        Kind::OrAuto(&Kind::Length(Range::NOT_NEGATIVE)),
    )
    .with_default("5 packets", FLOYD_1997),
    Parameter::new(
        "max",
        "upper threshold; auto: 3 min",
        Kind::OrAuto(&Kind::Length(Range::POSITIVE)),
    )
    .with_default("auto", FLOYD_1997),
    Parameter::new(
        "target_delay",
        "the queueing delay that automatic thresholds aim at",
        Kind::Time(Range::POSITIVE),
    )
    .with_default("5 ms", "Floyd, Gummadi, Shenker 2001")
    .only_with("min", &["auto"]),
    Parameter::new(
        "max_p",
        "initial probability at max (NLRED reaches 1.5 times it, RED-QL and IRED reach it \
         before; CLRED and FXRED have one minus it at the midpoint)",
        Kind::Number(Range::POSITIVE_PROBABILITY, "probability"),
    )
    .with_default("0.1", FLOYD_1997)
    .only_with("curve", MAX_P_CURVES),
    Parameter::new(
        "gentle_slope",
        "whether the part above max starts at the present max_p, or keeps the slope of the \
         initial max_p as in ns-2 and ns-3",
        Kind::Choice(&[
            ("live", "continuous at max for the present max_p"),
            ("initial", "fixed by the configured max_p"),
        ]),
    )
    .with_default("live", "Floyd's gentle RED is continuous at max")
    .only_with("curve", &["gentle", "mred", "nlred-gentle"]),
    Parameter::new(
        "segments",
        "a curve given as numbers: start: c0 c1 c2 c3; next start: ...; coefficients of \
         (avg - start)^k, the last piece one number",
        Kind::Text(
            "pieces as in '10: 0 0.01; 20: 0.1 0.02; 30: 1', or points as in \
             '10:0 20:0.1 30:1', each within [0, 1]",
        ),
    )
    .with_default("5: 0 0.01; 15: 1", "RED at its defaults")
    .only_with("curve", &["numbers"]),
];

pub(crate) const AVERAGE: &[Parameter] = &[
    Parameter::new(
        "weight",
        "weight of a new sample in the average; auto: 1 - exp(-1/(C weight_time))",
        Kind::OrAuto(&Kind::Number(Range::POSITIVE_PROBABILITY, "ratio")),
    )
    .with_extent(Extent::Weight)
    .with_default("0.002", "Floyd and Jacobson 1993"),
    Parameter::new(
        "weight_time",
        "the time constant of an average with automatic weight",
        Kind::Time(Range::POSITIVE),
    )
    .with_extent(Extent::Period)
    .with_default(
        "1 s",
        "Floyd, Gummadi, Shenker 2001: ten round trips of 100 ms",
    )
    .only_with("weight", &["auto"]),
    Parameter::new(
        "unit",
        "the unit of the average and the thresholds",
        Kind::Choice(&[("packets", "packets"), ("bytes", "bytes")]),
    )
    .with_default("packets", "the five papers this project reproduces"),
    MEAN_PACKET,
    Parameter::new(
        "idle",
        "how the average decays while the queue is empty",
        Kind::Choice(Idle::CHOICES),
    )
    .with_default("exact", "Floyd and Jacobson 1993"),
    Parameter::new(
        "idle_packet",
        "the packet size whose transmission time measures idle time; auto: mean_packet",
        Kind::OrAuto(&Kind::Bytes(Range::POSITIVE)),
    )
    .with_default("auto", "Floyd and Jacobson 1993"),
];

pub(crate) const SPACING: &[Parameter] = &[
    Parameter::new(
        "spacing",
        "the law of the gaps between drops: the actual probability Pa from the initial Pb",
        Kind::Choice(Spacing::CHOICES),
    )
    .with_default(
        "uniform",
        "Floyd and Jacobson 1993, method 2; equation 3 of Hassan and Oluwatope 2014 is the same",
    ),
    Parameter::new(
        "by_size",
        "scale a packet's probability by its size over mean_packet (byte mode)",
        Kind::Flag,
    )
    .with_default(
        "off",
        "RFC 7567, section 4.4: AQM should not depend on packet size",
    ),
    Parameter::new(
        "cautious",
        "no early drop of the first packet above min, nor while at most one packet is queued",
        Kind::Flag,
    )
    .with_default("off", "the papers have no such rule; ns-2 and ns-3 do"),
    Parameter::new(
        "entry",
        "the first packet whose average lies between min and max",
        Kind::Choice(&[
            ("judged", "has the probability of any other"),
            (
                "free",
                "passes, also after drops above max; a full buffer starts no gap",
            ),
        ]),
    )
    .with_default("judged", "free: Linux net/red.h, red_action")
    .only_with("spacing", &["drawn"]),
    Parameter::new(
        "arithmetic",
        "how finely average and probability are kept",
        Kind::Choice(&[
            ("fine", "2^-30 packets or 2^-24 bytes"),
            (
                "linux",
                "whole multiples of the weight, a power of two; Pb in 2^-32 for each \
                 packet or byte",
            ),
        ]),
    )
    .with_default(
        "fine",
        "linux: net/red.h, red_calc_qavg_no_idle_time and red_set_parms",
    ),
];

const ADAPTATION: &[Parameter] = &[Parameter::new(
    "adapt",
    "the rule that moves max_p over time",
    Kind::Choice(&[
        ("none", "max_p is constant"),
        (
            "feng",
            "self-configuring RED: divided by 3 below min, doubled above max",
        ),
        (
            "ared",
            "adaptive RED: up and down every half second towards a target band",
        ),
        (
            "restraint",
            "raised while average and arrivals both climb (Li and Lee)",
        ),
        (
            "rared",
            "a high max_p while the average climbs fast (Ku et al. 2005)",
        ),
    ]),
)
.with_default("none", "Floyd and Jacobson 1993")];

const POLICY: &[Parameter] = &[Parameter::new(
    "policy",
    "how some flows are treated differently",
    Kind::Choice(&[
        ("none", "all flows are treated alike"),
        (
            "choke",
            "compare with a random packet in the queue; on a match drop both",
        ),
        (
            "sfred",
            "list recent flows: drop unresponsive ones, slow fast ones, spare new ones \
             (Wang et al. 2008)",
        ),
        (
            "lru",
            "raise max_p for flows with so many packets that they stay in a small cache",
        ),
        (
            "fred",
            "hold each flow to its share of the buffer, spare flows below it",
        ),
    ]),
)
.with_default("none", "Floyd and Jacobson 1993")];

pub(crate) const ACTION: &[Parameter] = &[
    Parameter::new(
        "mark_above_max",
        "mark ECN-capable packets even where the curve drops everything",
        Kind::Flag,
    )
    .with_default(
        "off",
        "RFC 3168, section 7: drop when the average exceeds the upper threshold",
    )
    .only_with("ecn", &["on"]),
    Parameter::new(
        "mark_limit",
        "drop ECN-capable packets too once the initial probability exceeds this",
        Kind::Number(Range::PROBABILITY, "probability"),
    )
    .fixed()
    .with_default("1", "no such limit; ns-2 has one at 0.1")
    .only_with("ecn", &["on"]),
    OTHERS.only_with("ecn", &["on"]),
];

impl RedConfig {
    pub(crate) fn from_settings(s: &Settings) -> RedConfig {
        let both_automatic = s.length_or_auto("min").is_none() && s.length_or_auto("max").is_none();
        let target_delay = both_automatic.then(|| s.time("target_delay").as_secs_f64());
        RedConfig::with_target(s, target_delay)
    }

    /// From the parameters of average and spacing; automatic thresholds aim at
    /// `target_delay`.
    pub(crate) fn with_target(s: &Settings, target_delay: Option<f64>) -> RedConfig {
        let mean_packet = s.link().mean_packet;
        RedConfig {
            in_bytes: s.choice("unit") == "bytes",
            by_size: s.flag("by_size"),
            mean_packet,
            idle_packet: s.size_or_auto("idle_packet").unwrap_or(mean_packet),
            weight: s
                .number_or_auto("weight")
                .ok_or_else(|| s.time("weight_time").as_secs_f64()),
            target_delay,
            cautious: s.flag("cautious"),
            as_linux: s.choice("arithmetic") == "linux",
        }
    }

    pub(crate) fn average(&self, s: &Settings) -> Average {
        let rate = s.link().rate;
        let idle = Idle::named(s.choice("idle"));
        let weight = self.weight_at(rate);
        let average = Average::new(weight, idle, self.packet_time(rate), self.in_bytes);
        if self.as_linux {
            average.in_steps_of_weight()
        } else {
            average
        }
    }

    /// The gap law; `curve` is the one that its Pb comes from.
    pub(crate) fn gap(&self, s: &Settings, curve: &Curve) -> Gap {
        let gap = Gap::new(Spacing::named(s.choice("spacing")), self.count_unit());
        if s.choice("entry") == "judged" {
            return gap;
        }
        let slope = if self.as_linux { slope_of(curve) } else { 0.0 };
        gap.with_linux_entry(slope as u64)
    }

    /// A queue length in the average's unit.
    pub(crate) fn length(&self, s: &Settings, length: Length) -> f64 {
        let rate = s.link().rate.0 as f64;
        if self.in_bytes {
            length.in_bytes(self.mean_packet, rate)
        } else {
            length.in_packets(self.mean_packet, rate)
        }
    }

    /// The thresholds, given or automatic, checked against each other and the buffer.
    fn thresholds(&self, s: &Settings) -> Result<(f64, f64), ConfigError> {
        let given = |name| Some(self.length(s, s.length_or_auto(name)?));
        let (min, max) = match (given("min"), given("max")) {
            (Some(min), Some(max)) => (min, max),
            (Some(min), None) => (min, 3.0 * min),
            (None, Some(max)) => (max / 3.0, max),
            (None, None) => self
                .automatic_thresholds(s.link().rate)
                .unwrap_or((0.0, 0.0)),
        };
        self.check_thresholds(s, min, max)?;
        Ok((min, max))
    }

    /// Refuses thresholds that are not in order or that the buffer never reaches.
    pub(crate) fn check_thresholds(
        &self,
        s: &Settings,
        min: f64,
        max: f64,
    ) -> Result<(), ConfigError> {
        let unit = if self.in_bytes { "bytes" } else { "packets" };
        if min >= max {
            let problem = format!("min = {min} {unit} is not below max = {max} {unit}");
            // Other tools have the single threshold of DCTCP as a RED with min = max.
            let step = match min == max {
                true => format!("; a single threshold is step:threshold={min} {unit}"),
                false => String::new(),
            };
            let fix = match min > 0.0 {
                true => format!(
                    "nearest: max = {} {unit} (three times min){step}",
                    3.0 * min
                ),
                false => "raise max above 0".into(),
            };
            return Err(s.contradiction("min", problem, fix));
        }
        let limit = s.length_or_auto("limit").map(|limit| self.length(s, limit));
        match limit {
            Some(limit) if max > limit => Err(s.contradiction(
                "max",
                format!("max = {max} {unit} lies above the buffer, limit = {limit} {unit}"),
                format!("nearest: limit = {max} {unit}, or max = {limit} {unit}"),
            )),
            _ => Ok(()),
        }
    }
}

impl Red {
    /// Builds the combination of parts that the settings describe.
    pub(crate) fn from_settings(s: &Settings) -> Result<Red, ConfigError> {
        let config = RedConfig::from_settings(s);
        let (law, mut curve) = curve(s, &config)?;
        area::apply(s, &mut curve)?;
        let average = config.average(s);
        curve.count_in_steps(average.one());
        if config.as_linux && law.is_some_and(|law| law.name == red::CURVE.name) {
            round_slope(&mut curve);
        }
        let gap = config.gap(s, &curve);
        let adaptation = adaptation(s, &curve)?;
        let policy = policy(s, &config);
        let fast_eligible = matches!(policy, Policy::None)
            && !adaptation.needs_arrivals()
            && !(config.in_bytes || config.by_size || config.as_linux || average.idles_as_linux());
        Ok(Red {
            fast_eligible,
            fast: FastPath::CLOSED,
            fast_cautious: FastPath::CLOSED,
            band: average.band_of(&curve),
            average,
            adaptation,
            policy,
            curve,
            gap,
            action: Action::from_settings(s),
            config,
            law,
            in_band: false,
        })
    }
}

/// By how much Pb rises a packet or byte, in steps of 2^-32.
pub(super) fn slope_of(curve: &Curve) -> f64 {
    let shape = curve.shape();
    libm::floor(curve.strength() * ONE as f64 / (shape.max - shape.min))
}

/// Rounds the slope of a straight curve down to whole steps of 2^-32 a packet or byte, as Linux's
/// `red_set_parms`, but not to 0.
pub(crate) fn round_slope(curve: &mut Curve) {
    // A little more, so that no multiple of it falls short of a whole number.
    let slope = slope_of(curve).max(1.0) + 1e-6;
    let shape = *curve.shape();
    curve.set_strength((slope * (shape.max - shape.min) / ONE as f64).min(1.0));
}

impl Action {
    pub(crate) fn from_settings(s: &Settings) -> Action {
        Action::new(
            s.flag("ecn"),
            s.flag("mark_above_max"),
            s.number("mark_limit"),
        )
        .passing_others(s.choice("others") == "pass")
    }
}

/// The curve given as numbers; its thresholds are the first start and the last one.
fn curve_of_numbers(s: &Settings, config: &RedConfig) -> Result<Curve, ConfigError> {
    let pieces = parse_pieces(s.text("segments")).ok_or_else(|| s.unreadable("segments"))?;
    let (all, last) = (pieces.as_slice(), pieces.last());
    let min = all.first().map_or(last, |piece| piece.start);
    let end = all.last().map_or(last, |piece| piece.start);
    let max = if last.is_finite() { last } else { end };
    config.check_thresholds(s, min.min(max * 0.999), max)?;
    let shape = Shape {
        min,
        max,
        strength: 1.0,
        frozen_above_max: false,
    };
    Ok(Curve::from_pieces(&pieces, shape))
}

fn curve(
    s: &Settings,
    config: &RedConfig,
) -> Result<(Option<&'static CurveLaw>, Curve), ConfigError> {
    let name = s.choice("curve");
    let registered = || CURVES.iter().copied().find(|law| law.name == name);
    let Some(law) = s.own_curve().or_else(registered) else {
        return Ok((None, curve_of_numbers(s, config)?));
    };
    let (min, max) = config.thresholds(s)?;
    let strength = match dsred::strength(s) {
        Some(strength) => strength?,
        None => law.flip(s.number("max_p")),
    };
    let shape = Shape {
        min,
        max,
        strength,
        frozen_above_max: s.choice("gentle_slope") == "initial",
    };
    Ok((Some(law), Curve::new(law, shape)))
}

fn adaptation(s: &Settings, curve: &Curve) -> Result<Adaptation, ConfigError> {
    Ok(match s.choice("adapt") {
        "feng" => Adaptation::Feng(feng::Feng::from_settings(s)),
        "ared" => Adaptation::Floyd(ared::Floyd::from_settings(s)?),
        "restraint" => {
            Adaptation::Restraint(restraint::Restraint::from_settings(s, curve.strength()))
        }
        "rared" => rared::adaptation(s)?,
        _ => Adaptation::None,
    })
}

fn policy(s: &Settings, config: &RedConfig) -> Policy {
    match s.choice("policy") {
        "choke" => Policy::Choke,
        "sfred" => Policy::Sfred(Box::new(sfred::Sfred::from_settings(s, config))),
        "lru" => Policy::Lru(Box::new(lru_red::LruRed::from_settings(s))),
        "fred" => Policy::Fred(Box::new(fred::Fred::from_settings(s, config))),
        _ => Policy::None,
    }
}
