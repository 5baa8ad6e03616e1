//! The thresholds and targets of schemes, which time series are compared with.

use earlydrop::registry::{Length, LinkFacts, Settings, Spec, Value};

use super::data::Threshold;

/// The parameters that are values of the queue, of its average or of its delay.
const NAMES: &[&str] = &["min", "max", "threshold", "q_ref", "target", "step"];

/// The thresholds of a scheme at a link. Automatic ones of RED are those of its drop curve.
pub(super) fn thresholds(spec: &Spec, link: &LinkFacts) -> Vec<Threshold> {
    let (Ok(settings), Ok(plan)) = (spec.settings(link), spec.plan(link)) else {
        return Vec::new();
    };
    let shape = plan.curve().map(|curve| curve.shape());
    let mut found: Vec<Threshold> = Vec::new();
    for (parameter, value) in settings.iter().filter(|(p, _)| settings.matters(p)) {
        if !NAMES.contains(&parameter.name) {
            continue;
        }
        let value = match (value, parameter.name) {
            (Value::Auto, "min") => shape.map(|shape| (shape.min, "packets")),
            (Value::Auto, "max") => shape.map(|shape| (shape.max, "packets")),
            (value, _) => in_base_unit(value, &settings),
        };
        found.extend(value.map(|(value, unit)| Threshold {
            name: parameter.name,
            value,
            unit,
        }));
    }
    found
}

/// A length in packets, a time in seconds; `None` for other values.
fn in_base_unit(value: &Value, settings: &Settings) -> Option<(f64, &'static str)> {
    match value {
        Value::Length(Length::Packets(packets)) => Some((*packets, "packets")),
        Value::Length(length) => {
            let LinkFacts { rate, mean_packet } = settings.link();
            Some((length.in_packets(mean_packet, rate.0 as f64), "packets"))
        }
        Value::Time(time) => Some((time.as_secs_f64(), "s")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use earlydrop::units::{BitsPerSec, Bytes};

    use super::*;

    fn of(spec: &str) -> Vec<(&'static str, f64, &'static str)> {
        let link = LinkFacts {
            rate: BitsPerSec::from_mbps(8),
            mean_packet: Bytes(1000),
        };
        let spec: Spec = spec.parse().unwrap();
        let found = thresholds(&spec, &link).into_iter();
        found.map(|one| (one.name, one.value, one.unit)).collect()
    }

    #[test]
    fn thresholds_are_in_packets_or_seconds() {
        let both = |min, max| vec![("min", min, "packets"), ("max", max, "packets")];
        assert_eq!(of("red:min=7,max=30"), both(7.0, 30.0));
        // 8 Mbps send a packet of 1000 bytes each millisecond.
        assert_eq!(of("red:min=12ms"), both(12.0, 36.0));
        assert_eq!(of("codel:target=5ms"), [("target", 5e-3, "s")]);
        assert_eq!(of("droptail"), []);
    }

    #[test]
    fn automatic_thresholds_are_those_of_the_curve() {
        let found = of("red:min=auto,target_delay=40ms");
        assert_eq!(found.len(), 2);
        assert!((found[0].1 - 20.0).abs() < 1.0, "{found:?}");
        assert_eq!(found[1].1, 3.0 * found[0].1);
    }
}
