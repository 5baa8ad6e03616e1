//! Writes RED for NX-OS and EOS: thresholds and averages of one queue. Their buffers are shared by the
//! ports and configured elsewhere.

use earlydrop::registry::LinkFacts;

use crate::tools::{Configuration, Marking};

/// The largest exponent of a weight: `weight 0` to `weight 15`.
const MOST_WEIGHT: f64 = 15.0;

/// The values of a line.
struct Values {
    min: f64,
    max: f64,
    /// max_p in percent.
    percent: f64,
    exponent: f64,
    ecn: Marking,
}

impl Values {
    /// The first class's values, with thresholds in whole numbers of `unit` bytes up to `most`.
    fn of(configuration: &Configuration, link: &LinkFacts, unit: f64, most: f64) -> Option<Values> {
        let class = configuration.classes.first()?;
        let whole = |length: f64| (configuration.to_bytes(length, link) / unit).round();
        let max = whole(class.max.value).clamp(1.0, most);
        Some(Values {
            min: whole(class.min.value).clamp(1.0, max),
            max,
            percent: (100.0 * class.max_p.value).round().clamp(1.0, 100.0),
            exponent: (-configuration.weight.value.log2())
                .round()
                .clamp(0.0, MOST_WEIGHT)
                .abs(),
            ecn: configuration.ecn.value,
        })
    }
}

/// NX-OS: whole kilobytes, up to 4 GB.
pub(super) fn nxos(configuration: &Configuration, link: &LinkFacts) -> String {
    let Some(values) = Values::of(configuration, link, 1e3, 4e6) else {
        return String::new();
    };
    let ecn = if values.ecn.on { " ecn" } else { "" };
    format!(
        "policy-map type queuing EARLYDROP\n  class type queuing c-out-8q-q-default\n    \
         random-detect minimum-threshold {} kbytes maximum-threshold {} kbytes drop-probability {} \
         weight {}{ecn}",
        values.min, values.max, values.percent, values.exponent,
    )
}

/// EOS: whole bytes, up to 256 MB; one statement for marks, another for drops.
pub(super) fn eos(configuration: &Configuration, link: &LinkFacts) -> String {
    let Some(values) = Values::of(configuration, link, 1.0, 256e6) else {
        return String::new();
    };
    let (action, probability) = match values.ecn.on {
        true => ("ecn", "max-mark-probability"),
        false => ("drop", "drop-probability"),
    };
    format!(
        "qos profile EARLYDROP\n   tx-queue 0\n      random-detect {action} minimum-threshold {} \
         bytes maximum-threshold {} bytes {probability} {} weight {}",
        values.min, values.max, values.percent, values.exponent,
    )
}
