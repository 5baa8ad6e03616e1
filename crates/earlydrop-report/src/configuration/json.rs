//! The answer as JSON.

use earlydrop_lab::statistics::Mean;
use earlydrop_lab::verify::Measurement;
use earlydrop_model::Prediction;
use earlydrop_model::configure::Choice;
use earlydrop_model::validity::Caveat;
use serde_json::{Value, json};

use super::{ConfigurationReport, paste};

/// Pieces of a distribution.
const PIECES: u64 = 100;

/// The report as JSON: the keys keep their names and their order.
pub fn document(report: &ConfigurationReport) -> Value {
    let found = &report.configuration;
    let load = &found.load;
    let forms = paste::all(found, report.seeds).into_iter();
    let forms: serde_json::Map<String, Value> = forms
        .map(|(name, _, text)| (name.to_string(), Value::String(text)))
        .collect();
    json!({
        "load": {
            "rate": load.rate.0,
            "packet": load.packet.0,
            "rtt": load.rtt.as_secs_f64(),
            "flows": load.flows,
            "tcp": format!("{:?}", load.tcp.control).to_lowercase(),
            "ecn": load.tcp.ecn,
            "packets_per_second": load.service(),
        },
        "scheme": report.question.scheme.to_string(),
        "buffer": found.buffer,
        "goal": { "queue": found.goal, "delay": found.goal / load.service() },
        "chosen": found.choices[0].advice.spec.to_string(),
        "choices": found.choices.iter().map(choice).collect::<Vec<_>>(),
        "most_flows": found.most_flows,
        "most_flows_by_22": found.most_flows_by_22,
        "open_loop": found.open_loop.map(|open| json!({
            "lambda": open.batches,
            "gamma": open.timeout_share,
            "window": open.window,
            "rho": open.load,
            "mean_queue": open.queue,
            "sensitivity": open.sensitivity,
        })),
        "warnings": found.warnings,
        "measured": report.measured.map(|measured| of_measured(&measured, report.seeds)),
        "paste": forms,
    })
}

fn choice(choice: &Choice) -> Value {
    let doubt = |doubt: &Caveat| json!({ "name": doubt.name(), "meaning": doubt.meaning() });
    let piece = |piece: &earlydrop_model::queue::Bin| json!({ "from": piece.from, "to": piece.to, "probability": piece.probability });
    let finite = |number: f64| number.is_finite().then_some(number);
    json!({
        "method": choice.advice.method,
        "source": choice.advice.source,
        "spec": choice.advice.spec.to_string(),
        "thresholds": choice.advice.thresholds.map(|t| json!({
            "min": t.min, "max": t.max, "max_p": t.max_p, "weight": t.weight,
        })),
        "notes": choice.advice.notes,
        "expected": prediction(&choice.expected),
        "closed_loop": {
            "expected": prediction(&choice.closed.expected),
            "rho": choice.closed.load,
            "sensitivity": choice.closed.sensitivity,
            "distribution": choice.closed.histogram(PIECES).iter().map(piece).collect::<Vec<_>>(),
        },
        "stability": choice.stability.map(|found| json!({
            "verdict": found.verdict().name(),
            "gain": finite(found.gain),
            "phase_margin": finite(found.phase_margin),
            "gain_margin": finite(found.gain_margin),
            "period": finite(found.period),
        })),
        "doubts": choice.caveats.iter().map(doubt).collect::<Vec<_>>(),
    })
}

fn prediction(expected: &Prediction) -> Value {
    json!({
        "queue": expected.queue,
        "delay": expected.delay.as_secs_f64(),
        "loss": expected.loss,
        "marks": expected.marks,
        "utilisation": expected.utilisation,
        "window": expected.window,
        "timeouts": expected.timeout_share,
        "rtt": expected.rtt.as_secs_f64(),
    })
}

fn of_measured(measured: &Measurement, seeds: u64) -> Value {
    let mean = |mean: Mean| json!({ "mean": mean.mean, "half": mean.half });
    json!({
        "seeds": seeds,
        "queue": mean(measured.queue),
        "delay": mean(measured.delay),
        "loss": mean(measured.loss),
        "marks": mean(measured.marks),
        "utilisation": mean(measured.utilisation),
    })
}
