//! The model's loads and predictions as JSON, for `explain` and `translate`.

use earlydrop_model::validity::Measured;
use earlydrop_model::{Load, Prediction};
use serde_json::{Value, json};

/// The link and its flows; units are in the keys.
pub(crate) fn load(load: &Load) -> Value {
    json!({
        "link_bps": load.rate.0,
        "rtt_s": load.rtt.as_secs_f64(),
        "flows": load.flows,
        "packet_bytes": load.packet.0,
        "ecn": load.tcp.ecn,
    })
}

/// The predicted queue, loss and utilisation; units are in the keys.
pub(crate) fn prediction(prediction: &Prediction) -> Value {
    json!({
        "queue_packets": prediction.queue,
        "delay_s": prediction.delay.as_secs_f64(),
        "loss": prediction.loss,
        "marks": prediction.marks,
        "utilisation": prediction.utilisation,
    })
}

/// What 8 of 10 simulations measured where this was predicted; units are in the keys.
pub(crate) fn measured(measured: &Measured) -> Value {
    let pair = |(from, to): (f64, f64)| json!([from, to]);
    json!({
        "delay_s": pair(measured.delay),
        "signals": pair(measured.signals),
        "utilisation": pair(measured.utilisation),
    })
}
