//! Simulates what every method of choosing RED's parameters says of links drawn at random, and prints
//! the tables of `docs/papers/configuration-methods.md`.
//!
//! ```text
//! cargo run --release -p earlydrop-lab --example configuration_methods -- [LINKS [SEED]]
//! ```
//! Links are those of the example `advice_links` with the same seed; the goal is the default one for
//! all. Each queue of a link has the same buffer, and is simulated with a seed that no method has seen.
//! A link's rows are written to `bench/reference/configuration-methods.csv` as soon as all of them are
//! known; a run that was stopped continues after the last whole link.

mod links;
#[path = "../random_links/mod.rs"]
mod random_links;
mod tables;

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use earlydrop::registry::Spec;
use earlydrop_lab::advice::{Effort, advise, unconfigured};
use earlydrop_lab::metrics::index_of;
use earlydrop_lab::plan::Source;
use earlydrop_lab::run::all_outcomes;
use earlydrop_lab::verify::{RunLength, scenario};
use earlydrop_model::Load;
use earlydrop_model::configure::{Choice, Goal, Question, configure};
use earlydrop_model::number::number;
use earlydrop_model::stability::Stability;
use earlydrop_model::thresholds::Thresholds;

use random_links::{RandomLinks, SEEDS};
use tables::tables;

/// Where the rows are kept, below the crate.
const FILE: &str = "../../bench/reference/configuration-methods.csv";

/// What `configure` recommends after its simulations.
const CONFIGURE: &str = "configure";
/// Queues for which nothing is chosen.
const REFERENCES: [&str; 4] = ["droptail", "codel", "pie", "fq-codel"];

/// The figures of a row: the metric, the factor from its unit to the column's, and the column.
const FIGURES: [(&str, f64, &str); 9] = [
    ("utilisation", 100.0, "utilisation %"),
    ("delay_mean", 1e3, "delay ms"),
    ("delay_p95", 1e3, "95% of delays ms"),
    ("loss", 100.0, "lost %"),
    ("marked", 100.0, "marked %"),
    ("timeouts", 1.0, "timeouts /s"),
    ("fairness", 1.0, "fairness"),
    ("queue_mean", 1.0, "queue packets"),
    ("queue_forced", 100.0, "buffer full %"),
];
/// The columns before them.
const COLUMNS: &str = "link,rate Mbps,rtt ms,flows,tcp,ecn,buffer packets,measured s,flows simulated,\
    method,min,max,max_p,weight,loop";

/// The seed of the run that counts; `configure` searches with seeds from 1 on. One run of each of many
/// links says more of shares of links than more runs of fewer.
const SEED: u64 = 101;

/// Methods that are also simulated with more flows than they were told of.
const WITH_MORE: [&str; 5] = [CONFIGURE, "paper", "morris", "floyd-2001", "droptail"];
/// How many times as many.
const MORE: f64 = 4.0 / 3.0;

/// A queue to simulate on a link.
struct Queue {
    method: &'static str,
    spec: Spec,
    thresholds: Option<Thresholds>,
    stability: Option<Stability>,
}

impl Queue {
    fn of(method: &'static str, choice: &Choice) -> Queue {
        Queue {
            method,
            spec: choice.advice.spec.clone(),
            thresholds: choice.advice.thresholds,
            stability: choice.stability,
        }
    }
}

/// What `configure` recommends after its simulations, what each method says, and the queues that need
/// no choice.
fn queues(question: &Question, stop: &AtomicBool) -> Result<Vec<Queue>, Box<dyn Error>> {
    let effort = Effort {
        length: RunLength::brief(question, SEEDS),
        threads: 1,
        with_others: false,
        with_methods: false,
    };
    let advised = advise(question, effort, stop, &mut |_| {})?.recommendation;
    let mut queues = vec![Queue::of(CONFIGURE, &advised.choices[0])];
    let alone = configure(question)?;
    let methods = alone.choices.iter();
    queues.extend(methods.map(|choice| Queue::of(choice.advice.method, choice)));
    for method in REFERENCES {
        queues.push(Queue {
            method,
            spec: unconfigured(method, alone.buffer, &question.load)?,
            thresholds: None,
            stability: None,
        });
    }
    Ok(queues)
}

/// The figures of each queue under a load; nothing for one that was not measured, as the fairness of one
/// flow.
fn simulate(
    question: &Question,
    load: &Load,
    queues: &[&Queue],
    stop: &AtomicBool,
) -> Result<Vec<Vec<Option<f64>>>, Box<dyn Error>> {
    let mut specs: Vec<Spec> = Vec::new();
    for queue in queues {
        if !specs.contains(&queue.spec) {
            specs.push(queue.spec.clone());
        }
    }
    let length = RunLength {
        first_seed: SEED,
        seeds: 1,
        ..RunLength::brief(question, SEEDS)
    };
    let text = scenario(load, &specs, length);
    let plan = Source::new("methods.toml", &text, PathBuf::new())?.plan()?;
    let runs = all_outcomes(&plan, 1, stop)?.ok_or("stopped")?;
    let of_queue = |queue: &&Queue| {
        let own = runs
            .iter()
            .find(|(cell, _)| specs[cell.scheme] == queue.spec);
        let figure = |(metric, scale, _): &(&str, f64, &str)| {
            Some(scale * own?.1.values[index_of(metric)?]?)
        };
        FIGURES.iter().map(figure).collect()
    };
    Ok(queues.iter().map(of_queue).collect())
}

/// The columns that say which link it is.
fn describe(question: &Question, buffer: f64) -> String {
    let load = &question.load;
    let length = RunLength::brief(question, SEEDS);
    let measured = length.duration.as_secs_f64() - length.warm_up.as_secs_f64();
    format!(
        "{},{},{},{},{},{buffer},{}",
        number(load.rate.0 as f64 / 1e6),
        number(1e3 * load.rtt.as_secs_f64()),
        load.flows,
        format!("{:?}", load.tcp.control).to_lowercase(),
        if load.tcp.ecn { "on" } else { "off" },
        number(measured),
    )
}

/// The rows of a link, each with its line end.
fn rows(link: usize, question: &Question, stop: &AtomicBool) -> Result<String, Box<dyn Error>> {
    let buffer = configure(question)?.buffer;
    let question = Question {
        buffer: Some(buffer),
        ..question.clone()
    };
    let queues = queues(&question, stop)?;
    let load = question.load;
    let mut cases = vec![(load, queues.iter().collect::<Vec<_>>())];
    let more = Load {
        flows: (MORE * load.flows).round(),
        ..load
    };
    if more.flows > load.flows {
        let queues = queues.iter();
        let some = queues.filter(|queue| WITH_MORE.contains(&queue.method));
        cases.push((more, some.collect()));
    }
    let mut text = String::new();
    for (load, queues) in cases {
        let figures = simulate(&question, &load, &queues, stop)?;
        let about = format!("{link},{},{}", describe(&question, buffer), load.flows);
        for (queue, figures) in queues.iter().zip(figures) {
            writeln!(text, "{about},{}", row(queue, &figures))?;
        }
    }
    Ok(text)
}

/// The columns of a queue and its figures.
fn row(queue: &Queue, figures: &[Option<f64>]) -> String {
    let text = |value: &Option<f64>| value.map_or(String::new(), number);
    let t = queue.thresholds;
    let parameters = [
        t.map(|t| t.min),
        t.map(|t| t.max),
        t.and_then(|t| t.max_p),
        t.map(|t| t.weight),
    ];
    let stability = queue
        .stability
        .map_or("", |margins| margins.verdict().name());
    let [parameters, figures] = [&parameters[..], figures]
        .map(|values| values.iter().map(text).collect::<Vec<_>>().join(","));
    format!("{},{parameters},{stability},{figures}", queue.method)
}

/// Whether the file has a link; fails if what it has under this number is another link.
fn is_known(text: &str, link: usize, question: &Question) -> Result<bool, Box<dyn Error>> {
    let number = format!("{link},");
    let Some(row) = text.lines().find(|line| line.starts_with(&number)) else {
        return Ok(false);
    };
    let own = describe(question, configure(question)?.buffer);
    match row[number.len()..].starts_with(&format!("{own},")) {
        true => Ok(true),
        false => Err(format!("link {link} of {FILE} is of another seed; remove the file").into()),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let argument = |nth: usize, otherwise: u64| {
        let text = std::env::args().nth(nth);
        text.map_or(Ok(otherwise), |text| text.parse())
    };
    let (links, seed) = (argument(1, 200)? as usize, argument(2, 5)?);
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(FILE);
    let stop = AtomicBool::new(false);
    let mut text = fs::read_to_string(&path).unwrap_or_default();
    if text.is_empty() {
        let figures = FIGURES.map(|(_, _, column)| column).join(",");
        text = format!("{COLUMNS},{figures}\n");
        fs::write(&path, &text)?;
    }
    for (index, question) in RandomLinks::new(seed).take(links).enumerate() {
        let question = Question {
            goal: Goal::Usual,
            ..question
        };
        let link = index + 1;
        if is_known(&text, link, &question)? {
            continue;
        }
        let began = Instant::now();
        let rows = rows(link, &question, &stop)?;
        // In one call, so that a link is there as a whole or not at all.
        let mut file = fs::File::options().append(true).open(&path)?;
        file.write_all(rows.as_bytes())?;
        text += &rows;
        eprintln!("{link}: {:.1} s", began.elapsed().as_secs_f64());
    }
    for (heading, table) in tables(&text) {
        println!("{heading}\n\n{table}");
    }
    Ok(())
}
