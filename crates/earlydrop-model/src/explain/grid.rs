//! The best configuration that a tool's syntax can express: rounding each value alone can miss the
//! delay that all of them gave, as where a probability of 0.01% becomes 1%.

use super::expect;
use crate::tools::{Configuration, ParseError, Tool, Translation, translate};
use crate::{Load, Prediction};

/// Relative errors of the delay below this are left.
const CLOSE: f64 = 0.02;

/// Translates a configuration so that the predicted delay is as near to its own as the tool's syntax
/// allows: thresholds move where the tool cannot express max_p, or max_p where it cannot express the
/// thresholds.
pub fn fit(
    configuration: &Configuration,
    tool: &'static Tool,
    load: &Load,
) -> Result<Translation, ParseError> {
    let link = load.link();
    let plain = translate(configuration, tool, &link)?;
    let Ok(wanted) = expect(configuration, load) else {
        return Ok(plain);
    };
    let error = |written: &Translation| {
        let got = expect(&written.configuration, load);
        got.map_or(f64::INFINITY, |got| distance(&wanted, &got))
    };
    let mut best = (error(&plain), plain);
    if best.0 <= CLOSE {
        return Ok(best.1);
    }
    for of_min in [1.0, 0.8, 0.6, 0.4, 0.2] {
        for step in -4..=16 {
            let of_max = f64::from(step).exp2().sqrt();
            let moved = moved(configuration, of_min, of_max);
            let Some(written) = moved.and_then(|moved| translate(&moved, tool, &link).ok()) else {
                continue;
            };
            let its = error(&written);
            if its < best.0 - 1e-3 {
                best = (its, written);
            }
        }
    }
    Ok(best.1)
}

/// The error of the delay, as a factor, and of the utilisation.
fn distance(wanted: &Prediction, got: &Prediction) -> f64 {
    let ratio = got.delay.as_secs_f64().max(1e-9) / wanted.delay.as_secs_f64().max(1e-9);
    ratio.ln().abs() + 10.0 * (wanted.utilisation - got.utilisation).max(0.0)
}

/// The configuration with other thresholds; `None` where max would not be above min.
fn moved(configuration: &Configuration, of_min: f64, of_max: f64) -> Option<Configuration> {
    let mut moved = configuration.clone();
    for class in &mut moved.classes {
        class.min.value *= of_min;
        class.max.value *= of_max;
        if class.max.value <= class.min.value {
            return None;
        }
    }
    Some(moved)
}
