//! `earlydrop queue`: the batch-arrival queue M^X/M/1/K, solved exactly.

use earlydrop_model::queue::{Acceptance, BatchQueue, Solution, Solver};
use earlydrop_report::batch_queue::{self, BINS, QUANTILES, QueueOptions, QueueReport};

use crate::draw::{Plot, Style, Table, Text, number};
use crate::failure::Failure;
use crate::output::Output;

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

/// The largest width of the plot, in columns.
const PLOT_WIDTH: usize = 90;

pub(crate) fn run(arguments: &Queue, out: &mut Output<'_>, style: &Style) -> Result<(), Failure> {
    let report = batch_queue::solve(&arguments.options())?;
    if arguments.json {
        let document = batch_queue::json(&report);
        return Ok(out.json(&document)?);
    }
    let mut lines = table(&report, style);
    lines.push(Text::default());
    lines.extend(plot(&report.queue, &report.solution, style));
    Ok(out.lines(&lines, style)?)
}

impl Queue {
    fn options(&self) -> QueueOptions {
        QueueOptions {
            lambda: self.lambda.clone(),
            rho: self.rho.clone(),
            mu: self.mu.clone(),
            batch: self.batch.clone(),
            buffer: self.buffer.clone(),
            reject: match self.reject {
                Reject::Partial => Acceptance::Partial,
                Reject::Whole => Acceptance::Whole,
            },
            method: match self.method {
                MethodName::Exact => Solver::Exact,
                MethodName::Paper => Solver::DominantRoot,
            },
            at: self.at.clone(),
        }
    }
}

/// A table of the queue's figures, with their meaning.
fn table(report: &QueueReport, style: &Style) -> Vec<Text> {
    let solution = &report.solution;
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
            match report.queue.acceptance {
                Acceptance::Partial => "of packets; of a batch only a part may be lost",
                Acceptance::Whole => "of packets; a batch that does not fit is lost whole",
            },
        ),
        (
            "quantiles",
            quantiles.join(", "),
            "packets at most 50, 90, 99, 99.9% of the time",
        ),
        (
            "dE/drho",
            number(report.sensitivity),
            "packets per unit of load",
        ),
    ];
    let mut table = Table::default();
    for (name, value, meaning) in rows {
        table.row(vec![
            Text::from(name),
            Text::from(value),
            Text::from(meaning),
        ]);
    }
    for n in &report.at {
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
