//! RARED: rate-aware RED.
//!
//! # Reference
//! C.-F. Ku, R.-I. Chang, J.-M. Ho, S.-J. Chen, "Improving End-to-End Performance of
//! RED", technical report TR-IIS-05-016, 2005 (paper 004), section 3.
//!
//! # Equations
//! At each arrival `slope = (avg - avg')/(t - t')`, in packets a second, primes
//! being the arrival before. Where slope > slope_th = 20 the input rate is climbing:
//! `Pb = max_p_r (avg - min)/(max - min)`, max_p_r = 0.8. Elsewhere the base scheme.
//!
//! # Our readings
//! - The figure with the algorithm is lost. The text says that with short delays
//!   RARED equals ARED, so the base is ARED (`base=red` for plain RED).
//! - Below min nothing is dropped; spacing and the region above max are the base's.
//! - Arrivals at one instant have an infinite slope where the average rises.
//! - Over another curve the climbing case takes that curve at strength max_p_r.
//!
//! # How other tools differ
//! None of ns-2, ns-3, Linux and DPDK has it.

use crate::red::Adaptation;
use crate::red::parameters::scheme;
use crate::registry::{ConfigError, Descriptor, Kind, Parameter, Preset, Range, Settings};
use crate::schemes::ared::{AUTOMATIC, Floyd};
use crate::units::Nanos;

const RARED: Option<(&str, &[&str])> = Some(("adapt", &["rared"]));

pub(crate) const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "slope",
        meaning: "slope_th: the average climbing faster than this counts as a climbing rate",
        kind: Kind::Number(Range::NOT_NEGATIVE, "packets/s"),
        default: "20",
        origin: "paper 004, section 4",
        when: RARED,
    },
    Parameter {
        name: "rared_max_p",
        meaning: "max_p_r: max_p while the rate is climbing",
        kind: Kind::Number(Range::POSITIVE_PROBABILITY, "probability"),
        default: "0.8",
        origin: "paper 004, section 4",
        when: RARED,
    },
    Parameter {
        name: "base",
        meaning: "the scheme while the rate is not climbing",
        kind: Kind::Choice(&[
            ("ared", "Floyd's adaptation of max_p"),
            ("red", "max_p as configured"),
        ]),
        default: "ared",
        origin: "our reading of paper 004, section 5",
        when: RARED,
    },
];

/// The scheme.
pub const SCHEME: Descriptor = scheme(
    "rared",
    "rate-aware RED: a max_p of 0.8 while the average climbs fast, ARED otherwise",
    "Ku, Chang, Ho, Chen 2005 (paper 004)",
    &[
        ("adapt", "rared", "paper 004, section 3"),
        AUTOMATIC[0],
        AUTOMATIC[1],
        AUTOMATIC[2],
        AUTOMATIC[3],
    ],
    &[Preset {
        name: "paper",
        meaning: "paper 004, section 4: slope 20, max_p_r 0.8, weight 0.0019, buffer 30, over ARED; spacing as ns-2, which it ran",
        values: &[
            ("slope", "20"),
            ("rared_max_p", "0.8"),
            ("weight", "0.0019"),
            ("limit", "30 packets"),
            ("base", "ared"),
            ("spacing", "wait"),
        ],
    }],
);

/// The rate rule over its base.
pub(crate) fn adaptation(s: &Settings) -> Result<Adaptation, ConfigError> {
    let base = match s.choice("base") {
        "red" => None,
        _ => Some(Floyd::from_settings(s)?),
    };
    let in_bytes = s.choice("unit") == "bytes";
    let unit = if in_bytes { s.link().mean_packet.0 } else { 1 };
    let slope = s.number("slope") * unit as f64;
    Ok(Adaptation::Rate(
        RateRule::new(slope, s.number("rared_max_p")),
        base,
    ))
}

/// Whether the average is climbing, arrival by arrival.
#[derive(Clone, Debug)]
pub struct RateRule {
    /// Threshold in the average's unit per nanosecond.
    slope: f64,
    max_p: f64,
    last_avg: f64,
    last_time: Nanos,
}

impl RateRule {
    /// Climbing above `slope` packets (or bytes) a second calls for `max_p`.
    pub fn new(slope: f64, max_p: f64) -> RateRule {
        RateRule {
            slope: slope * 1e-9,
            max_p,
            last_avg: 0.0,
            last_time: Nanos::ZERO,
        }
    }

    /// The average is now `avg`; returns max_p_r while it climbs.
    #[inline]
    pub fn on_average(&mut self, now: Nanos, avg: f64) -> Option<f64> {
        // Below 2^63 ns, three centuries, so that the conversion of a signed number does.
        let time = now.since(self.last_time).0 as i64 as f64;
        let climbs = avg - self.last_avg > self.slope * time;
        self.last_avg = avg;
        self.last_time = now;
        climbs.then_some(self.max_p)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn climbs_when_the_average_rises_by_more_than_20_a_second() {
        let mut rule = RateRule::new(20.0, 0.8);
        let at = Nanos::from_millis;
        assert_eq!(rule.on_average(at(1000), 6.0), None, "6 packets in 1 s");
        assert_eq!(rule.on_average(at(1001), 6.019), None, "19 packets/s");
        assert_eq!(rule.on_average(at(1002), 6.040), Some(0.8), "21 packets/s");
        assert_eq!(
            rule.on_average(at(1002), 6.041),
            Some(0.8),
            "at one instant"
        );
        assert_eq!(rule.on_average(at(1002), 6.041), None, "no change");
        assert_eq!(rule.on_average(at(1003), 5.9), None, "falling");
    }
}
