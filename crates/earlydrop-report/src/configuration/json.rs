//! The recommended configuration as JSON.

use earlydrop::registry::Spec;
use earlydrop::units::Nanos;
use earlydrop_lab::advice::{Miss, Simulated, Trial};
use earlydrop_lab::statistics::Mean;
use earlydrop_lab::verify::Measurement;
use earlydrop_model::configure::Choice;
use earlydrop_model::stability::Verdict;
use earlydrop_model::validity::{Band, Caveat};
use earlydrop_model::{Load, Prediction};
use serde_json::{Value, json};

use super::{ConfigurationReport, snippet};
use crate::model_json;

/// The number of bins of a distribution.
const BINS: u64 = 100;

/// The report as JSON; keys and their order are stable.
pub fn json(report: &ConfigurationReport) -> Value {
    let recommendation = &report.configuration;
    let load = &recommendation.load;
    let snippets = snippet::snippets(recommendation, report.seeds).into_iter();
    let snippets: serde_json::Map<String, Value> = snippets
        .map(|snippet| (snippet.format.to_string(), Value::String(snippet.text)))
        .collect();
    json!({
        "load": {
            "rate": load.rate.0,
            "packet": load.packet.0,
            "rtt": load.rtt.as_secs_f64(),
            "flows": load.flows,
            "tcp": format!("{:?}", load.tcp.control).to_lowercase(),
            "timeout": load.tcp.timeout.map(Nanos::as_secs_f64),
            "ecn": load.tcp.ecn,
            "packets_per_second": load.service(),
        },
        "scheme": report.question.scheme.to_string(),
        "buffer": recommendation.buffer,
        "goal": { "queue": recommendation.goal, "delay": recommendation.goal / load.service() },
        "chosen": recommendation.choices[0].advice.spec.to_string(),
        "choices": choices(report),
        "most_flows": recommendation.most_flows,
        "most_flows_by_22": recommendation.most_flows_by_22,
        "open_loop": recommendation.open_loop.as_ref().map(|open| json!({
            "lambda": open.batches,
            "gamma": open.timeout_share,
            "window": open.window,
            "rho": open.load,
            "mean_queue": open.queue,
            "sensitivity": open.sensitivity,
        })),
        "warnings": recommendation.warnings,
        "measured": report.measured().map(|measured| measurement(measured, report.seeds)),
        "simulated": report.simulated.as_ref().ok().map(|simulated| simulations(simulated, report.seeds)),
        "paste": snippets,
    })
}

/// Every method, with what was simulated of it.
fn choices(report: &ConfigurationReport) -> Vec<Value> {
    let simulated = report.simulated.as_ref().ok();
    let measured = |index: usize| simulated?.methods.get(index);
    let all = report.configuration.choices.iter().enumerate();
    all.map(|(index, one)| {
        let mut value = choice(&report.configuration.load, one);
        let text = |one: &Measurement| measurement(one, one.delay.count as u64);
        value["measured"] = measured(index).map_or(Value::Null, text);
        value
    })
    .collect()
}

fn choice(load: &Load, choice: &Choice) -> Value {
    let band = Band::of(load, &choice.caveats);
    let band = band.map(|band| model_json::measured(&band.measured(&choice.expected)));
    let caveat = |caveat: &Caveat| json!({ "name": caveat.name(), "meaning": caveat.meaning() });
    let bin = |bin: &earlydrop_model::queue::Bin| json!({ "from": bin.from, "to": bin.to, "probability": bin.probability });
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
            "distribution": choice.closed.histogram(BINS).iter().map(bin).collect::<Vec<_>>(),
        },
        "stability": choice.stability.map(|stability| json!({
            "verdict": stability.verdict().name(),
            "gain": finite(stability.gain),
            "phase_margin": finite(stability.phase_margin),
            "gain_margin": finite(stability.gain_margin),
            "period": finite(stability.period),
        })),
        "band": band,
        "doubts": choice.caveats.iter().map(caveat).collect::<Vec<_>>(),
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

/// What was simulated beside the chosen parameters, and what these miss.
fn simulations(simulated: &Simulated, seeds: u64) -> Value {
    let trial = |trial: &Trial| {
        json!({
            "target": trial.target,
            "spec": trial.spec.to_string(),
            "stability": trial.verdict.map(Verdict::name),
            "measured": measurement(&trial.measured, seeds),
        })
    };
    let miss = |miss: &Miss| match miss {
        Miss::Delay(wanted, got) => json!({ "what": "delay", "wanted": wanted, "got": got }),
        Miss::Utilisation(wanted, got) => {
            json!({ "what": "utilisation", "wanted": wanted, "got": got.mean, "half": got.half })
        }
        Miss::Idle(wanted, got) => json!({ "what": "idle", "wanted": wanted, "got": got }),
        Miss::Lossy(got, wanted) => json!({ "what": "loss", "wanted": wanted, "got": got }),
        Miss::NoGain(drop_tail, got) => {
            json!({ "what": "no gain", "wanted": drop_tail, "got": got })
        }
        Miss::Unstable(verdict) => json!({ "what": "stability", "got": verdict.name() }),
    };
    let other = |(spec, measured): &(Spec, Measurement)| json!({ "spec": spec.to_string(), "measured": measurement(measured, seeds) });
    json!({
        "chosen": simulated.chosen,
        "rather": simulated.rather,
        "misses": simulated.misses.iter().map(miss).collect::<Vec<_>>(),
        "trials": simulated.trials.iter().map(trial).collect::<Vec<_>>(),
        "with_room": simulated.with_room.as_ref().map(trial),
        "droptail": measurement(&simulated.drop_tail, seeds),
        "beside_a_call": simulated.beside_a_call.iter().map(other).collect::<Vec<_>>(),
        "with_ecn": simulated.with_ecn.map(|measured| measurement(&measured, seeds)),
    })
}

fn measurement(measured: &Measurement, seeds: u64) -> Value {
    let mean = |mean: Mean| json!({ "mean": mean.mean, "half": mean.half });
    json!({
        "seeds": seeds,
        "queue": mean(measured.queue),
        "delay": mean(measured.delay),
        "loss": mean(measured.loss),
        "marks": mean(measured.marks),
        "utilisation": mean(measured.utilisation),
        "call": measured.call.map(mean),
    })
}
