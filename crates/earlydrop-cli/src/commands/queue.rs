//! `earlydrop queue`: the batch-arrival queue M^X/M/1/K, solved exactly.

use std::io::Write;

use earlydrop::registry::{Kind, Range};
use earlydrop_model::ModelError;
use earlydrop_model::batch::{Batch, LARGEST};
use earlydrop_model::closed_loop::sensitivity;
use earlydrop_model::queue::{Acceptance, BatchQueue, Solution, Solver};
use serde_json::json;

use crate::draw::{Plot, Style, Table, Text, number};
use crate::failure::Failure;
use crate::output::Output;
use crate::values;

/// Solve a queue with batch arrivals (M^X/M/1/K): length, loss and quantiles, exactly
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop queue --lambda 0.5 --mu 1 --batch 1:0.5,2:0.3,3:0.2 --buffer 10
  earlydrop queue --rho 0.98 --batch normal:4,4,8 --buffer 200 --at 0,100,200
  earlydrop queue --rho 1.1 --batch geometric:0.75 --buffer 1000000 --json

Batches arrive as a Poisson process; packets are sent one by one, with exponential service times of
mean 1/mu. Chandrayana et al. model a router without early drops as such a queue.")]
pub(crate) struct Queue {
    /// The arrival rate of batches, per second
    #[arg(
        long,
        value_name = "RATE",
        required_unless_present = "rho",
        allow_negative_numbers = true
    )]
    lambda: Option<String>,
    /// The offered load, packets offered over packets that can be sent, instead of --lambda
    #[arg(
        long,
        value_name = "LOAD",
        conflicts_with = "lambda",
        allow_negative_numbers = true
    )]
    rho: Option<String>,
    /// The service rate, in packets per second
    #[arg(
        long,
        value_name = "RATE",
        default_value = "1",
        allow_negative_numbers = true
    )]
    mu: String,
    /// The distribution of packets in a batch: 1:0.5,2:0.3 (packets:weight), fixed:4,
    /// geometric:RATIO, or normal:MEAN,VARIANCE,LARGEST
    #[arg(long, value_name = "LAW", default_value = "fixed:1")]
    batch: String,
    /// K, the largest number of packets, including the one in service
    #[arg(long, value_name = "PACKETS", allow_negative_numbers = true)]
    buffer: String,
    /// What is rejected of a batch that does not fit
    #[arg(long, value_name = "WHAT", default_value = "partial")]
    reject: Reject,
    /// The solution method: exact, or the paper's dominant root alone
    #[arg(long, value_name = "METHOD", default_value = "exact")]
    method: MethodName,
    /// Print the probabilities of these numbers of packets: 0,10,20
    #[arg(long, value_name = "PACKETS", value_delimiter = ',')]
    at: Vec<u64>,
    /// Write one JSON document on standard output instead of text
    #[arg(long)]
    json: bool,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq)]
enum Reject {
    /// The packets that do not fit
    Partial,
    /// The whole batch
    Whole,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq)]
enum MethodName {
    /// Exact
    Exact,
    /// Chandrayana et al.'s dominant root
    Paper,
}

/// Rates of arrivals and of service.
const RATE: Kind = Kind::Number(Range::closed(1e-12, 1e15), "per second");
/// The offered load.
const LOAD: Kind = Kind::Number(Range::closed(1e-9, 1e9), "(load)");
/// K.
const BUFFER: Kind = Kind::Count(Range::closed(1.0, 1e12), "packets");
/// The number of bins of the distribution.
const BINS: u64 = 200;
/// The largest width of the plot, in columns.
const PLOT_WIDTH: usize = 90;

pub(crate) fn run(arguments: &Queue, out: &mut Output<'_>, style: &Style) -> Result<(), Failure> {
    let queue = queue_of(arguments)?;
    let method = match arguments.method {
        MethodName::Exact => Solver::Exact,
        MethodName::Paper => Solver::DominantRoot,
    };
    let solution = queue.solve(method).map_err(usage)?;
    let sensitivity = sensitivity(&queue).map_err(usage)?;
    if arguments.json {
        let document = as_json(arguments, &queue, &solution, sensitivity);
        let text = serde_json::to_string_pretty(&document).unwrap_or_default();
        return Ok(writeln!(out, "{text}")?);
    }
    let mut lines = table(arguments, &solution, sensitivity, style);
    lines.push(Text::default());
    lines.extend(plot(&queue, &solution, style));
    Ok(out.lines(&lines, style)?)
}

/// The model's error as one of an argument.
fn usage(error: ModelError) -> Failure {
    Failure::Usage(match &error {
        ModelError::Outside { .. } => format!("--{error}"),
        _ => error.to_string(),
    })
}

fn queue_of(arguments: &Queue) -> Result<BatchQueue, Failure> {
    let arrivals = |text: &String| values::number("lambda", text, &RATE);
    let load = |text: &String| values::number("rho", text, &LOAD);
    let load = arguments.rho.as_ref().map(load).transpose()?;
    let queue = BatchQueue {
        arrivals: arguments.lambda.as_ref().map_or(Ok(1.0), arrivals)?,
        service: values::number("mu", &arguments.mu, &RATE)?,
        batch: batch("batch", &arguments.batch)?,
        buffer: values::number("buffer", &arguments.buffer, &BUFFER)? as u64,
        acceptance: match arguments.reject {
            Reject::Partial => Acceptance::Partial,
            Reject::Whole => Acceptance::Whole,
        },
    };
    Ok(match load {
        Some(load) => queue.at_load(load),
        None => queue,
    })
}

/// Parses the distribution of a batch's size, the value of `--OPTION`.
pub(crate) fn batch(option: &str, text: &str) -> Result<Batch, Failure> {
    let malformed = || {
        Failure::Usage(format!(
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
    batch.map_err(|error| Failure::Usage(format!("--{}", named(&error.to_string()))))
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

const QUANTILES: [f64; 4] = [0.5, 0.9, 0.99, 0.999];

fn as_json(
    arguments: &Queue,
    queue: &BatchQueue,
    solution: &Solution,
    sensitivity: f64,
) -> serde_json::Value {
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
        "reject": if arguments.reject == Reject::Whole { "whole" } else { "partial" },
        "method": if arguments.method == MethodName::Paper { "paper" } else { "exact" },
        "rho": solution.load(),
        "mean_queue": solution.mean(),
        "empty": solution.empty(),
        "full": solution.full(),
        "loss": solution.loss(),
        "utilisation": 1.0 - solution.empty(),
        "sensitivity": sensitivity,
        "quantiles": QUANTILES.map(quantile),
        "at": arguments.at.iter().map(at).collect::<Vec<_>>(),
        "distribution": solution.histogram(BINS).iter().map(bin).collect::<Vec<_>>(),
    })
}

/// A table of the queue's figures, with their meaning.
fn table(arguments: &Queue, solution: &Solution, sensitivity: f64, style: &Style) -> Vec<Text> {
    let percent = |share: f64| format!("{}%", number(100.0 * share));
    let quantiles = QUANTILES.map(|share| solution.quantile(share).to_string());
    let rows = [
        (
            "rho",
            number(solution.load()),
            "packets offered over packets that can be sent",
        ),
        (
            "E[Q]",
            format!("{:.6}", solution.mean()),
            "mean number of packets",
        ),
        (
            "p(0)",
            percent(solution.empty()),
            "of the time the queue is empty",
        ),
        (
            "P(full)",
            percent(solution.full()),
            "of the time the buffer is full",
        ),
        (
            "packet loss",
            percent(solution.loss()),
            "of packets; of a batch only a part may be lost",
        ),
        (
            "quantiles",
            quantiles.join(", "),
            "packets at most 50, 90, 99, 99.9% of the time",
        ),
        ("dE/drho", number(sensitivity), "packets per unit of load"),
    ];
    let mut table = Table::default();
    for (name, value, meaning) in rows {
        table.row(vec![
            Text::from(name),
            Text::from(value),
            Text::from(meaning),
        ]);
    }
    for n in &arguments.at {
        let (name, value) = (format!("p({n})"), percent(solution.probability(*n)));
        table.row(vec![Text::from(name), Text::from(value), Text::default()]);
    }
    table.lines(style.width, style.unicode)
}

/// A plot of the distribution of the number of packets.
fn plot(queue: &BatchQueue, solution: &Solution, style: &Style) -> Vec<Text> {
    let bins = solution.histogram(BINS);
    let density = |bin: &earlydrop_model::queue::Bin| {
        let states = (bin.to - bin.from + 1) as f64;
        let middle = 0.5 * (bin.from + bin.to) as f64;
        (middle, 100.0 * bin.probability / states)
    };
    let points: Vec<(f64, f64)> = bins.iter().map(density).collect();
    let highest = points.iter().map(|(_, y)| *y).fold(0.0, f64::max);
    let end = queue.buffer as f64;
    let narrowed = Style {
        width: style.width.min(PLOT_WIDTH),
        ..*style
    };
    Plot::new((0.0, end), (0.0, 1.05 * highest))
        .labels("packets in the queue", "probability of each, %")
        .line("p(n)", points)
        .mark(
            solution.mean(),
            &format!("E[Q] {}", number(solution.mean())),
        )
        .lines(&narrowed)
}
