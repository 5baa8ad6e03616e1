//! The answer of `earlydrop queue`: the batch-arrival queue M^X/M/1/K, solved exactly.

use earlydrop::registry::{Kind, Range};
use earlydrop_model::ModelError;
use earlydrop_model::batch::{Batch, LARGEST};
use earlydrop_model::closed_loop::sensitivity;
use earlydrop_model::queue::{Acceptance, BatchQueue, Solution, Solver};
use serde_json::{Value, json};

use crate::request::{RequestError, number};

/// Rates of arrivals and of service.
const RATE: Kind = Kind::Number(Range::closed(1e-12, 1e15), "per second");
/// The offered load.
const LOAD: Kind = Kind::Number(Range::closed(1e-9, 1e9), "(load)");
/// K.
const BUFFER: Kind = Kind::Count(Range::closed(1.0, 1e12), "packets");
/// The number of bins of the distribution.
pub const BINS: u64 = 200;
/// The shares of time for which the quantiles are given.
pub const QUANTILES: [f64; 4] = [0.5, 0.9, 0.99, 0.999];

/// The options of `earlydrop queue`; numbers are text.
#[derive(Clone, Debug)]
pub struct QueueOptions {
    /// The arrival rate of batches, per second; 1 unless given.
    pub lambda: Option<String>,
    /// The offered load, packets offered over packets that can be sent, instead of `lambda`.
    pub rho: Option<String>,
    /// The service rate, in packets per second.
    pub mu: String,
    /// The distribution of packets in a batch: "1:0.5,2:0.3", "fixed:4", "geometric:0.75".
    pub batch: String,
    /// K, the largest number of packets, including the one in service.
    pub buffer: String,
    /// What is rejected of a batch that does not fit.
    pub reject: Acceptance,
    /// The solution method.
    pub method: Solver,
    /// Numbers of packets whose probabilities are wanted.
    pub at: Vec<u64>,
}

/// A queue with its solution.
#[derive(Debug)]
pub struct QueueReport {
    /// The queue.
    pub queue: BatchQueue,
    /// The solution method.
    pub method: Solver,
    /// Its solution.
    pub solution: Solution,
    /// dE/drho, in packets per unit of load.
    pub sensitivity: f64,
    /// Numbers of packets whose probabilities are wanted.
    pub at: Vec<u64>,
}

/// Solves the queue that the options describe.
pub fn solve(options: &QueueOptions) -> Result<QueueReport, RequestError> {
    let queue = queue_of(options)?;
    let solution = queue.solve(options.method).map_err(refusal)?;
    let sensitivity = sensitivity(&queue).map_err(refusal)?;
    Ok(QueueReport {
        queue,
        method: options.method,
        solution,
        sensitivity,
        at: options.at.clone(),
    })
}

/// The model's error as one of an option.
fn refusal(error: ModelError) -> RequestError {
    RequestError::Option(match &error {
        ModelError::Outside { .. } => format!("--{error}"),
        _ => error.to_string(),
    })
}

fn queue_of(options: &QueueOptions) -> Result<BatchQueue, RequestError> {
    let arrivals = |text: &String| number("lambda", text, &RATE);
    let load = |text: &String| number("rho", text, &LOAD);
    let load = options.rho.as_ref().map(load).transpose()?;
    let queue = BatchQueue {
        arrivals: options.lambda.as_ref().map_or(Ok(1.0), arrivals)?,
        service: number("mu", &options.mu, &RATE)?,
        batch: batch("batch", &options.batch)?,
        buffer: number("buffer", &options.buffer, &BUFFER)? as u64,
        acceptance: options.reject,
    };
    Ok(match load {
        Some(load) => queue.at_load(load),
        None => queue,
    })
}

/// Parses the distribution of a batch's size, the value of `--OPTION`.
pub(crate) fn batch(option: &str, text: &str) -> Result<Batch, RequestError> {
    let malformed = || {
        RequestError::Option(format!(
            "--{option} {text}: allowed: 1:0.5,2:0.3 (packets:weight), fixed:4, geometric:0.75, normal:4,4,8 (mean, variance, largest); nearest: fixed:1"
        ))
    };
    let numbers = |list: &str| -> Option<Vec<f64>> {
        list.split(',').map(|n| n.trim().parse().ok()).collect()
    };
    let whole = |number: f64| (number >= 0.0 && number.fract() == 0.0).then_some(number as usize);
    let (law, rest) = text.split_once(':').ok_or_else(malformed)?;
    let batch = match (law.trim(), numbers(rest).as_deref()) {
        ("fixed", Some([packets])) => Batch::fixed(whole(*packets).ok_or_else(malformed)?),
        ("geometric", Some([ratio])) => Batch::geometric(*ratio),
        ("normal", Some([mean, variance, largest])) => {
            Batch::normal(*mean, *variance, whole(*largest).ok_or_else(malformed)?)
        }
        _ => weights(text).ok_or_else(malformed)?,
    };
    // The model's errors begin with "batch".
    let named = |message: &str| {
        let rest = message.strip_prefix("batch");
        rest.map_or(message.to_string(), |rest| format!("{option}{rest}"))
    };
    batch.map_err(|error| RequestError::Option(format!("--{}", named(&error.to_string()))))
}

/// Parses `packets:weight,packets:weight`; weights of equal sizes are added.
fn weights(text: &str) -> Option<Result<Batch, ModelError>> {
    let pair = |pair: &str| -> Option<(usize, f64)> {
        let (packets, weight) = pair.split_once(':')?;
        Some((packets.trim().parse().ok()?, weight.trim().parse().ok()?))
    };
    let pairs: Vec<(usize, f64)> = text.split(',').map(pair).collect::<Option<_>>()?;
    let largest = pairs.iter().map(|(packets, _)| *packets).max()?;
    if largest > LARGEST {
        // Names the size, and takes no memory for it.
        return Some(Batch::fixed(largest));
    }
    let mut weights = vec![0.0; largest + 1];
    for (packets, weight) in pairs {
        weights[packets] += weight;
    }
    Some(Batch::weighted(&weights))
}

/// The report as JSON; keys and their order are stable.
pub fn json(report: &QueueReport) -> Value {
    let QueueReport {
        queue, solution, ..
    } = report;
    let quantile = |share: f64| json!({ "share": share, "packets": solution.quantile(share) });
    let at = |n: &u64| json!({ "packets": n, "probability": solution.probability(*n) });
    let bin = |bin: &earlydrop_model::queue::Bin| json!({ "from": bin.from, "to": bin.to, "probability": bin.probability });
    json!({
        "lambda": queue.arrivals,
        "mu": queue.service,
        "batch": {
            "none": queue.batch.none(),
            "mean": queue.batch.mean(),
            "largest": queue.batch.largest(),
        },
        "buffer": queue.buffer,
        "reject": if queue.acceptance == Acceptance::Whole { "whole" } else { "partial" },
        "method": if report.method == Solver::DominantRoot { "paper" } else { "exact" },
        "rho": solution.load(),
        "mean_queue": solution.mean(),
        "empty": solution.empty(),
        "full": solution.full(),
        "loss": solution.loss(),
        "utilisation": 1.0 - solution.empty(),
        "sensitivity": report.sensitivity,
        "quantiles": QUANTILES.map(quantile),
        "at": report.at.iter().map(at).collect::<Vec<_>>(),
        "distribution": report.solution.histogram(BINS).iter().map(bin).collect::<Vec<_>>(),
    })
}
