//! RARED: rate-aware RED.
//!
//! # Reference
//! C.-F. Ku, R.-I. Chang, J.-M. Ho, S.-J. Chen, "Improving End-to-End Performance of
//! RED", technical report TR-IIS-05-016, Academia Sinica, 2005, section 3.
//!
//! # Equations
//! At each arrival `slope = (avg - avg')/(t - t')`, in packets a second, where primes
//! denote the arrival before. While slope > slope_th = 20 the input rate is climbing and
//! `Pb = max_p_r (avg - min)/(max - min)`, max_p_r = 0.8. Otherwise the base scheme
//! decides.
//!
//! # Our readings
//! - The figure with the algorithm is missing from our copy. The text says that with short
//!   delays RARED equals ARED, so the base is ARED (`base=red` for RED).
//! - Below min nothing is dropped; spacing and the region above max are the base's.
//! - Arrivals at one instant have an infinite slope where the average rises.
//! - With another curve, the climbing case is that curve at strength max_p_r.
//!
//! # What is ours
//! The paper leaves a self-tuning threshold to future work. `slope=auto` is ours:
//! `slope_th = (max - min)/I`, in packets a second, with I the interval of ARED's
//! adaptation, 0.5 s. The average then counts as climbing when it would cross the whole
//! band before ARED's next step; ARED handles a slower climb. With the automatic thresholds
//! of a slow link, 5 and 15, this is the paper's 20. The thresholds grow with the link's
//! rate, and slope_th with them. It depends on the link, not on the traffic.
//!
//! # How other tools differ
//! None of ns-2, ns-3, Linux and DPDK has it.

use super::ared::{AUTOMATIC, Floyd};
use crate::explanation::{Why, numbers};
use crate::red::Adaptation;
use crate::red::parameters::scheme;
use crate::registry::{ConfigError, Descriptor, Kind, Parameter, Preset, Range, Settings};
use crate::trace::Trace;
use crate::units::Nanos;

pub(crate) const PARAMETERS: &[Parameter] = &[
    Parameter::new(
        "slope",
        "slope_th: the average climbing faster than this counts as a climbing rate; auto: \
         (max - min)/ared_interval, which is ours",
        Kind::OrAuto(&Kind::Number(Range::NOT_NEGATIVE, "packets/s")),
    )
    .with_default("20", "Ku et al. 2005, section 4")
    .only_with("adapt", &["rared"]),
    Parameter::new(
        "rared_max_p",
        "max_p_r: max_p while the rate is climbing",
        Kind::Number(Range::POSITIVE_PROBABILITY, "probability"),
    )
    .with_default("0.8", "Ku et al. 2005, section 4")
    .only_with("adapt", &["rared"]),
    Parameter::new(
        "base",
        "the scheme while the rate is not climbing",
        Kind::Choice(&[
            ("ared", "Floyd's adaptation of max_p"),
            ("red", "max_p as configured"),
        ]),
    )
    .with_default("ared", "our reading of Ku et al. 2005, section 5")
    .only_with("adapt", &["rared"]),
];

/// The scheme.
pub const SCHEME: Descriptor = scheme(
    "rared",
    "rate-aware RED: a max_p of 0.8 while the average climbs fast, ARED otherwise",
    "Ku, Chang, Ho, Chen 2005, section 3",
    &[
        ("adapt", "rared", "Ku et al. 2005, section 3"),
        AUTOMATIC[0],
        AUTOMATIC[1],
        AUTOMATIC[2],
        AUTOMATIC[3],
    ],
    &[Preset {
        name: "paper",
        meaning: "Ku et al. 2005, section 4: slope 20, max_p_r 0.8, weight 0.0019, buffer 30, over ARED; the spacing of ns-2, which they used",
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
    let max_p = s.number("rared_max_p");
    let rule = match s.number_or_auto("slope") {
        Some(slope) => RateRule::new(slope * unit as f64, max_p),
        None => RateRule::across_band_in(s.time("ared_interval"), max_p),
    };
    Ok(Adaptation::Rate(rule, base))
}

/// Whether the average is climbing, arrival by arrival.
#[derive(Clone, Debug)]
pub struct RateRule {
    /// The constant part of the threshold, in the average's unit per nanosecond.
    slope: f64,
    /// The part proportional to the band: bands per nanosecond.
    bands: f64,
    max_p: f64,
    last_avg: f64,
    last_time: Nanos,
}

impl RateRule {
    /// Climbing above `slope` packets (or bytes) a second calls for `max_p`.
    pub fn new(slope: f64, max_p: f64) -> RateRule {
        RateRule {
            slope: slope * 1e-9,
            bands: 0.0,
            max_p,
            last_avg: 0.0,
            last_time: Nanos::ZERO,
        }
    }

    /// Climbing so fast that `interval` would take it across the band between the
    /// thresholds calls for `max_p`.
    pub fn across_band_in(interval: Nanos, max_p: f64) -> RateRule {
        RateRule {
            bands: 1.0 / interval.0 as f64,
            ..RateRule::new(0.0, max_p)
        }
    }

    /// Goes on with the state of `old`.
    pub(crate) fn continue_from(&mut self, old: &RateRule) {
        (self.last_avg, self.last_time) = (old.last_avg, old.last_time);
    }

    /// Returns max_p_r while the average climbs; it is now `avg`, with thresholds `band`
    /// apart.
    #[inline]
    pub(crate) fn on_average(
        &mut self,
        now: Nanos,
        avg: f64,
        band: f64,
        trace: &mut impl Trace,
    ) -> Option<f64> {
        // Below 2^63 ns (292 years), so converting a signed number is exact and faster.
        let time = now.since(self.last_time).0 as i64 as f64;
        let slope = self.slope + self.bands * band;
        let climbs = avg - self.last_avg > slope * time;
        trace.note(|why| self.show_rise(why, now, avg, slope));
        self.last_avg = avg;
        self.last_time = now;
        if climbs {
            let says = "rise > bound: max_p while the rate is climbing";
            trace.given(says, ("max_p", ""), self.max_p);
        }
        climbs.then_some(self.max_p)
    }

    /// Shows how far the average has risen, and how far is climbing, at `slope` a nanosecond.
    fn show_rise(&self, why: &mut Why, now: Nanos, avg: f64, slope: f64) {
        let (time, slope) = (now.since(self.last_time).as_secs_f64(), slope * 1e9);
        why.step(
            "how much the average has risen since the last arrival",
            ("rise", why.unit),
            "rise = avg - avg'",
            numbers!("{} - {}", avg, self.last_avg),
            avg - self.last_avg,
        );
        why.step(
            "a rise above this in that time counts as climbing",
            ("bound", why.unit),
            "bound = slope_th (t - t')",
            numbers!("{} * {}", slope, time),
            slope * time,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{LinkFacts, Spec};
    use crate::testing::mbps;

    #[test]
    fn climbs_when_the_average_rises_by_more_than_20_a_second() {
        let mut rule = RateRule::new(20.0, 0.8);
        let mut at = |ms, avg, band| rule.on_average(Nanos::from_millis(ms), avg, band, &mut ());
        assert_eq!(at(1000, 6.0, 10.0), None, "6 packets in 1 s");
        assert_eq!(at(1001, 6.019, 10.0), None, "19 packets/s");
        assert_eq!(at(1002, 6.040, 10.0), Some(0.8), "21 packets/s");
        assert_eq!(at(1002, 6.041, 10.0), Some(0.8), "at one instant");
        assert_eq!(at(1002, 6.041, 10.0), None, "no change");
        assert_eq!(at(1003, 5.9, 10.0), None, "falling");
    }

    #[test]
    fn slope_auto_asks_whether_the_average_would_cross_the_band_in_an_interval() {
        let mut rule = RateRule::across_band_in(Nanos::from_millis(500), 0.8);
        let mut at = |ms, avg, band| rule.on_average(Nanos::from_millis(ms), avg, band, &mut ());
        assert_eq!(at(1000, 6.0, 10.0), None);
        assert_eq!(at(1001, 6.019, 10.0), None, "19 packets/s");
        assert_eq!(at(1002, 6.040, 10.0), Some(0.8), "21");
        assert_eq!(at(1003, 6.061, 62.5), None, "21 of 125");
        assert_eq!(at(1004, 6.190, 62.5), Some(0.8), "129");
    }

    /// Whether an average that rises by 30 packets a second counts as climbing.
    fn climbs(text: &str, rate: u64) -> bool {
        let spec: Spec = text.parse().unwrap();
        let settings = spec.settings(&LinkFacts::at(mbps(rate))).unwrap();
        let Adaptation::Rate(mut rule, _) = adaptation(&settings).unwrap() else {
            panic!("{text} has no rate rule");
        };
        let shape = *crate::red::Red::from_settings(&settings)
            .unwrap()
            .curve()
            .shape();
        let mut at = |millis, avg| {
            rule.on_average(
                Nanos::from_millis(millis),
                avg,
                shape.max - shape.min,
                &mut (),
            )
        };
        at(1000, 6.0);
        at(1001, 6.03).is_some()
    }

    #[test]
    fn the_automatic_threshold_is_the_papers_on_a_slow_link_and_grows_with_the_rate() {
        // 5 and 15 packets at 2 Mbps: 20 a second. 31.25 and 93.75 at 100 Mbps: 125.
        for (text, rate, wanted) in [
            ("rared:slope=20,limit=5000", 100, true),
            ("rared:slope=auto,limit=5000", 2, true),
            ("rared:slope=auto,limit=5000", 100, false),
            ("rared:slope=auto,ared_interval=4 s,limit=5000", 100, true),
        ] {
            assert_eq!(climbs(text, rate), wanted, "{text} at {rate} Mbps");
        }
    }
}
