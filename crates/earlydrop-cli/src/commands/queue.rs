//! `earlydrop queue`: the bare queue of batches, M^x/M/1/K.

use std::io::Write;

use earlydrop_model::ModelError;
use earlydrop_model::batch::Batch;
use earlydrop_model::closed_loop::sensitivity;
use earlydrop_model::queue::{Acceptance, BatchQueue, Solution, Solver};
use serde_json::json;

use crate::draw::{Plot, Style, Table, Text, number, write_lines};
use crate::failure::Failure;

/// How long a queue is that batches of packets come to, exactly, without simulating it
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop queue --lambda 0.5 --mu 1 --batch 1:0.5,2:0.3,3:0.2 --buffer 10
  earlydrop queue --rho 0.98 --batch normal:4,4,8 --buffer 200 --at 0,100,200
  earlydrop queue --rho 1.1 --batch geometric:0.75 --buffer 1000000 --json

Batches come at random moments, packets are sent one by one, each in a time that is
exponential with mean 1/mu. Chandrayana et al. takes a router without early drops to be such a queue.")]
pub(crate) struct Queue {
    /// Batches a second
    #[arg(
        long,
        value_name = "RATE",
        required_unless_present = "rho",
        allow_negative_numbers = true
    )]
    lambda: Option<f64>,
    /// Packets offered over packets that can be sent, instead of --lambda
    #[arg(
        long,
        value_name = "LOAD",
        conflicts_with = "lambda",
        allow_negative_numbers = true
    )]
    rho: Option<f64>,
    /// Packets that can be sent in a second
    #[arg(
        long,
        value_name = "RATE",
        default_value_t = 1.0,
        allow_negative_numbers = true
    )]
    mu: f64,
    /// Packets in a batch: 1:0.5,2:0.3 (a weight each), fixed:4, geometric:RATIO, or
    /// normal:MEAN,VARIANCE,LARGEST
    #[arg(long, value_name = "LAW", default_value = "fixed:1")]
    batch: String,
    /// K: the most packets there, the one being sent counted
    #[arg(long, value_name = "PACKETS")]
    buffer: u64,
    /// What is lost of a batch that does not fit
    #[arg(long, value_name = "WHAT", default_value = "partial")]
    reject: Reject,
    /// How it is solved: exactly, or by the paper's dominant root alone
    #[arg(long, value_name = "WAY", default_value = "exact")]
    method: Way,
    /// Show how likely so many packets are there: 0,10,20
    #[arg(long, value_name = "PACKETS", value_delimiter = ',')]
    at: Vec<u64>,
    /// Write one JSON document on standard output instead
    #[arg(long)]
    json: bool,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq)]
enum Reject {
    /// What finds no room
    Partial,
    /// All of it
    Whole,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq)]
enum Way {
    /// Exactly
    Exact,
    /// By Chandrayana et al.'s dominant root
    Paper,
}

/// Into how many pieces the distribution is parted for a picture.
const PIECES: u64 = 200;
const WIDEST: usize = 90;

pub(crate) fn run(arguments: &Queue, out: &mut dyn Write, style: &Style) -> Result<(), Failure> {
    let queue = queue_of(arguments)?;
    let method = match arguments.method {
        Way::Exact => Solver::Exact,
        Way::Paper => Solver::DominantRoot,
    };
    let solution = queue.solve(method).map_err(usage)?;
    let sensitivity = sensitivity(&queue).map_err(usage)?;
    if arguments.json {
        let document = as_json(arguments, &queue, &solution, sensitivity);
        let text = serde_json::to_string_pretty(&document).unwrap_or_default();
        return Ok(writeln!(out, "{text}")?);
    }
    let lines = told(arguments, &queue, &solution, sensitivity, style);
    Ok(write_lines(out, &lines, style)?)
}

/// The error of an argument, with the way it is written in front.
fn usage(error: ModelError) -> Failure {
    Failure::Usage(match &error {
        ModelError::Outside { .. } => format!("--{error}"),
        _ => error.to_string(),
    })
}

fn queue_of(arguments: &Queue) -> Result<BatchQueue, Failure> {
    let queue = BatchQueue {
        arrivals: arguments.lambda.unwrap_or(1.0),
        service: arguments.mu,
        batch: batch(&arguments.batch)?,
        buffer: arguments.buffer,
        acceptance: match arguments.reject {
            Reject::Partial => Acceptance::Partial,
            Reject::Whole => Acceptance::Whole,
        },
    };
    match arguments.rho {
        Some(load) if !(1e-9..=1e9).contains(&load) => Err(Failure::Usage(format!(
            "--rho {load}: allowed: from 1e-9 to 1e9; nearest: {}",
            load.clamp(1e-9, 1e9)
        ))),
        Some(load) => Ok(queue.at_load(load)),
        None => Ok(queue),
    }
}

/// Reads a law of batches.
fn batch(text: &str) -> Result<Batch, Failure> {
    let malformed = || {
        Failure::Usage(format!(
            "--batch {text}: allowed: 1:0.5,2:0.3 (packets:weight), fixed:4, geometric:0.75, normal:4,4,8 (mean, variance, largest); nearest: fixed:1"
        ))
    };
    let numbers = |list: &str| -> Option<Vec<f64>> {
        list.split(',').map(|n| n.trim().parse().ok()).collect()
    };
    let whole = |number: f64| (number >= 0.0 && number.fract() == 0.0).then_some(number as usize);
    let (law, rest) = text.split_once(':').ok_or_else(malformed)?;
    let read = match (law.trim(), numbers(rest).as_deref()) {
        ("fixed", Some([packets])) => Batch::fixed(whole(*packets).ok_or_else(malformed)?),
        ("geometric", Some([ratio])) => Batch::geometric(*ratio),
        ("normal", Some([mean, variance, largest])) => {
            Batch::normal(*mean, *variance, whole(*largest).ok_or_else(malformed)?)
        }
        _ => Batch::weighted(&weights(text).ok_or_else(malformed)?),
    };
    read.map_err(usage)
}

/// Reads `packets:weight,packets:weight`; a number of packets may come twice.
fn weights(text: &str) -> Option<Vec<f64>> {
    let mut weights = Vec::new();
    for pair in text.split(',') {
        let (packets, weight) = pair.split_once(':')?;
        let packets: usize = packets.trim().parse().ok()?;
        // One more than allowed, so that the law itself refuses it.
        let packets = packets.min(earlydrop_model::batch::LARGEST + 1);
        if weights.len() <= packets {
            weights.resize(packets + 1, 0.0);
        }
        weights[packets] += weight.trim().parse::<f64>().ok()?;
    }
    Some(weights)
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
    let piece = |piece: &earlydrop_model::queue::Bin| json!({ "from": piece.from, "to": piece.to, "probability": piece.probability });
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
        "method": if arguments.method == Way::Paper { "paper" } else { "exact" },
        "rho": solution.load(),
        "mean_queue": solution.mean(),
        "empty": solution.empty(),
        "full": solution.full(),
        "loss": solution.loss(),
        "utilisation": 1.0 - solution.empty(),
        "sensitivity": sensitivity,
        "quantiles": QUANTILES.map(quantile),
        "at": arguments.at.iter().map(at).collect::<Vec<_>>(),
        "distribution": solution.histogram(PIECES).iter().map(piece).collect::<Vec<_>>(),
    })
}

fn told(
    arguments: &Queue,
    queue: &BatchQueue,
    solution: &Solution,
    sensitivity: f64,
    style: &Style,
) -> Vec<Text> {
    let percent = |share: f64| format!("{}%", number(100.0 * share));
    let mut table = Table::default();
    let mut row = |name: &str, value: String, said: &str| {
        table.row(
            [name.to_string(), value, said.to_string()]
                .map(Text::from)
                .to_vec(),
        );
    };
    row(
        "rho",
        number(solution.load()),
        "packets offered over packets that can be sent",
    );
    row(
        "E[Q]",
        format!("{:.6}", solution.mean()),
        "packets there on average",
    );
    row(
        "p(0)",
        percent(solution.empty()),
        "of the time nothing is there",
    );
    row(
        "P(full)",
        percent(solution.full()),
        "of the time the buffer is full",
    );
    row(
        "packet loss",
        percent(solution.loss()),
        "of the packets: a batch can be lost in part",
    );
    let quantiles: Vec<String> = QUANTILES
        .iter()
        .map(|share| solution.quantile(*share).to_string())
        .collect();
    row(
        "quantiles",
        quantiles.join(", "),
        "packets at most 50, 90, 99, 99.9% of the time",
    );
    row(
        "dE/drho",
        number(sensitivity),
        "packets more a unit of load",
    );
    for n in &arguments.at {
        row(&format!("p({n})"), percent(solution.probability(*n)), "");
    }
    let mut lines = table.lines(style.width, style.unicode);
    lines.push(Text::default());
    lines.extend(picture(queue, solution, style));
    lines
}

/// The distribution, as far as it is worth looking at.
fn picture(queue: &BatchQueue, solution: &Solution, style: &Style) -> Vec<Text> {
    let pieces = solution.histogram(PIECES);
    let density = |piece: &earlydrop_model::queue::Bin| {
        let states = (piece.to - piece.from + 1) as f64;
        let middle = 0.5 * (piece.from + piece.to) as f64;
        (middle, 100.0 * piece.probability / states)
    };
    let points: Vec<(f64, f64)> = pieces.iter().map(density).collect();
    let highest = points.iter().map(|(_, y)| *y).fold(0.0, f64::max);
    let end = queue.buffer as f64;
    let narrowed = Style {
        width: style.width.min(WIDEST),
        ..*style
    };
    Plot::new((0.0, end), (0.0, 1.05 * highest))
        .labels("packets there", "probability of each, %")
        .line("p(n)", points)
        .mark(
            solution.mean(),
            &format!("E[Q] {}", number(solution.mean())),
        )
        .lines(&narrowed)
}
