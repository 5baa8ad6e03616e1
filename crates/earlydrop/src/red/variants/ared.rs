//! ARED: adaptive RED.
//!
//! # Reference
//! S. Floyd, R. Gummadi, S. Shenker, "Adaptive RED: An Algorithm for Increasing the
//! Robustness of RED's Active Queue Management", 2001; a baseline of Ku et al. 2005 (RARED).
//!
//! # Equations
//! Every 0.5 s, the target band being min + 0.4(max-min) to min + 0.6(max-min):
//! - avg above the band and max_p <= 0.5: `max_p += min(0.01, max_p/4)`;
//! - avg below the band and max_p >= 0.01: `max_p *= 0.9`.
//!
//! Automatic: `w = 1 - exp(-1/C)`, `min = max(5, C delay/2)`, `max = 3 min`, C in
//! packets a second. The curve is gentle.
//!
//! # Our readings
//! A timer moves max_p, as in Linux. In ns-2 arrivals do: after a calm of any length the
//! first packet takes one step.
//!
//! # How other tools differ
//! | aspect | ns-2 | ns-3 | Linux | here |
//! |---|---|---|---|---|
//! | when | first arrival after 0.5 s | first arrival after 0.5 s | timer | timer |
//! | lower bound of max_p | min(0.01, 80000/bandwidth) | 8 pkt rtt/bandwidth, units s^2, 100 times too small at 0.1 s | 0.01 | 0.01; `ared_bottom=auto` for ns-2's |
//! | weight | 1 - exp(-1/(10 rtt C)), rtt at least 0.1 s | as ns-2 | from burst | 1 - exp(-1/C); `weight_time` is 10 rtt |
//! | gentle part | slope of the first max_p | slope of the first max_p | none | of the present max_p |
//! | whether it adapts | yes | yes | not with iproute2 6.1, see below | yes |
//!
//! # `tc red adaptive` never adapts
//! iproute2 6.1 sends `adaptive` in `TCA_RED_FLAGS` only. `__red_change` of
//! sch_red.c (6.1; unchanged in 6.12) starts its timer by the older field of `struct tc_red_qopt`,
//! which is then 0. So max_p stays as configured: `adaptive` and plain `red` gave the same fate to
//! each of 50,000 packets. `ared:as=linux` is what the option asks for; what runs is
//! `red:as=linux`.

use crate::aqm::Ticker;
use crate::red::Curve;
use crate::red::parameters::scheme;
use crate::red::presets::{AS_LINUX, AS_NS2, AS_NS3, together};
use crate::registry::{ConfigError, Descriptor, Extent, Kind, Parameter, Preset, Range, Settings};
use crate::units::Nanos;

const ORIGIN: &str = "Floyd, Gummadi, Shenker 2001";

pub(crate) const PARAMETERS: &[Parameter] = &[
    Parameter::new(
        "ared_interval",
        "time between two adaptations of max_p",
        Kind::Time(Range::UPDATE_INTERVAL),
    )
    .with_extent(Extent::Period)
    .with_default("0.5 s", ORIGIN)
    .only_with("adapt", &["ared", "rared"]),
    Parameter::new(
        "ared_alpha",
        "largest step up of max_p; at most a quarter of max_p is taken",
        Kind::Number(Range::POSITIVE_PROBABILITY, "probability"),
    )
    .with_default("0.01", ORIGIN)
    .only_with("adapt", &["ared", "rared"]),
    Parameter::new(
        "ared_beta",
        "the factor on max_p in a step down",
        Kind::Number(
            Range {
                with_high: false,
                ..Range::POSITIVE_PROBABILITY
            },
            "ratio",
        ),
    )
    .with_default("0.9", ORIGIN)
    .only_with("adapt", &["ared", "rared"]),
    Parameter::new(
        "ared_top",
        "no step up once max_p exceeds this",
        Kind::Number(Range::POSITIVE_PROBABILITY, "probability"),
    )
    .with_default("0.5", ORIGIN)
    .only_with("adapt", &["ared", "rared"]),
    Parameter::new(
        "ared_bottom",
        "no step down once max_p is below this; auto: min(0.01, 80000/bandwidth), as ns-2",
        Kind::OrAuto(&Kind::Number(Range::PROBABILITY, "probability")),
    )
    .with_default("0.01", ORIGIN)
    .only_with("adapt", &["ared", "rared"]),
];

/// Defaults of every scheme over Floyd's adaptation.
pub(crate) const AUTOMATIC: [(&str, &str, &str); 4] = [
    ("curve", "gentle", ORIGIN),
    ("min", "auto", ORIGIN),
    ("max", "auto", ORIGIN),
    ("weight", "auto", ORIGIN),
];

/// The scheme.
pub const SCHEME: Descriptor = scheme(
    "ared",
    "adaptive RED: max_p rises by small steps and decays, which keeps the average mid-band",
    "Floyd, Gummadi, Shenker 2001",
    &[
        ("adapt", "ared", ORIGIN),
        AUTOMATIC[0],
        AUTOMATIC[1],
        AUTOMATIC[2],
        AUTOMATIC[3],
    ],
    &[
        Preset {
            name: "paper",
            meaning: "Floyd, Gummadi, Shenker 2001: everything automatic",
            values: &[("min", "auto"), ("max", "auto"), ("weight", "auto")],
        },
        Preset {
            name: "ns2",
            meaning: "ns-2 2.35 with adaptive_",
            values: AS_NS2_ADAPTIVE,
        },
        Preset {
            name: "ns3",
            meaning: "ns-3's RedQueueDisc with ARED; its lower bound of max_p as at 10 Mbps",
            values: AS_NS3_ADAPTIVE,
        },
        Preset {
            name: "linux",
            meaning: "tc red limit 400000 min 30000 max 90000 avpkt 1000 burst 55 ecn adaptive, as in its manual; with iproute2 6.1 the kernel never adapts: red:as=linux is what runs",
            values: AS_LINUX,
        },
    ],
);

const AS_NS2_ADAPTIVE: &[(&str, &str)] =
    &together::<{ AS_NS2.len() + 1 }>(AS_NS2, &[("ared_bottom", "auto")]);

const AS_NS3_ADAPTIVE: &[(&str, &str)] = &together::<{ AS_NS3.len() + 4 }>(
    AS_NS3,
    &[
        ("ared_bottom", "0.00004"),
        ("min", "auto"),
        ("max", "auto"),
        ("weight", "auto"),
    ],
);

/// Floyd's adaptation of max_p: additive increase, multiplicative decrease.
#[derive(Clone, Debug)]
pub struct Floyd {
    pub(crate) ticker: Ticker,
    alpha: f64,
    beta: f64,
    top: f64,
    bottom: f64,
}

impl Floyd {
    pub(crate) fn from_settings(s: &Settings) -> Result<Floyd, ConfigError> {
        let bottom = s.number_or_auto("ared_bottom");
        let bottom = bottom.unwrap_or_else(|| (80_000.0 / s.link().rate.0 as f64).min(0.01));
        let top = s.number("ared_top");
        if bottom > top {
            return Err(s.contradiction(
                "ared_bottom",
                alloc::format!("ared_bottom = {bottom} lies above ared_top = {top}"),
                alloc::format!("nearest: ared_bottom = {top}"),
            ));
        }
        Ok(Floyd {
            ticker: Ticker::every(s.time("ared_interval")),
            alpha: s.number("ared_alpha"),
            beta: s.number("ared_beta"),
            top,
            bottom,
        })
    }

    /// Takes the steps due by `now`; the average has been `avg` since the last call.
    pub(crate) fn catch_up(&mut self, now: Nanos, avg: f64, curve: &mut Curve) {
        let (alpha, beta, top, bottom) = (self.alpha, self.beta, self.top, self.bottom);
        let shape = *curve.shape();
        let band = |share: f64| shape.min + share * (shape.max - shape.min);
        self.ticker.catch_up(now, |_| {
            let max_p = curve.strength();
            if avg > band(0.6) && max_p <= top {
                curve.set_strength((max_p + alpha.min(max_p / 4.0)).min(1.0));
            } else if avg < band(0.4) && max_p >= bottom {
                curve.set_strength(max_p * beta);
            }
            curve.strength() != max_p
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{LinkFacts, Spec};
    use crate::testing::{mbps, red_curve};

    fn floyd(text: &str) -> Floyd {
        let spec: Spec = text.parse().unwrap();
        Floyd::from_settings(&spec.settings(&LinkFacts::at(mbps(10))).unwrap()).unwrap()
    }

    #[test]
    fn follows_the_hand_computed_trajectory() {
        let mut floyd = floyd("ared");
        let mut curve = red_curve(10.0, 30.0, 0.02);
        let half = Nanos::from_millis(500);
        let mut now = Nanos::ZERO;
        let mut max_p = |avg: f64| {
            floyd.catch_up(now, avg, &mut curve);
            now += half;
            curve.strength()
        };
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-15, "{a} {b}");
        close(max_p(25.0), 0.02); // the first call only starts the timer
        close(max_p(25.0), 0.025); // a quarter of max_p
        close(max_p(25.0), 0.031_25);
        close(max_p(20.0), 0.031_25); // in the band, 18 to 22
        close(max_p(22.0), 0.031_25);
        close(max_p(17.9), 0.028_125); // 0.9 times
    }

    #[test]
    fn steps_up_by_at_most_alpha_and_ends_in_bounds() {
        let mut floyd = floyd("ared");
        let mut curve = red_curve(10.0, 30.0, 0.4);
        floyd.catch_up(Nanos::ZERO, 0.0, &mut curve);
        floyd.catch_up(Nanos::from_millis(500), 29.0, &mut curve);
        assert!((curve.strength() - 0.41).abs() < 1e-15);
        floyd.catch_up(Nanos::from_secs(3600), 29.0, &mut curve);
        // Ten steps from 0.41 end at 0.5, or one beyond where rounding left 0.5 short.
        assert!((0.5..0.51 + 1e-12).contains(&curve.strength()));
        floyd.catch_up(Nanos::from_secs(7200), 0.0, &mut curve);
        assert!(curve.strength() < 0.01 && curve.strength() > 0.009 - 1e-12);
    }

    #[test]
    fn everything_automatic_is_worked_out_from_the_link() {
        let spec: Spec = "ared:limit=5000".parse().unwrap();
        let settings = |rate| spec.settings(&LinkFacts::at(mbps(rate))).unwrap();
        let shape = |rate| {
            let red = crate::red::Red::from_settings(&settings(rate)).unwrap();
            (red.curve().shape().min, red.curve().shape().max)
        };
        assert_eq!(shape(2), (5.0, 15.0), "never below 5");
        // 100 Mbps: 12,500 packets a second, 5 ms of them are 62.5.
        let (min, max) = shape(100);
        assert!((min - 31.25).abs() < 1e-9 && (max - 93.75).abs() < 1e-9);
    }
}
