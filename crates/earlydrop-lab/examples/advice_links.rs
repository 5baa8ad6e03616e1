//! Asks for advice on links drawn at random, and prints how often what is advised meets its goal in
//! simulations with other seeds: the tables of `docs/explanation/advice.md`.
//!
//! ```text
//! cargo run --release -p earlydrop-lab --example advice_links -- [LINKS [SEED]]
//! ```
//! A line for each link goes to standard error as soon as it is known.

#[path = "random_links/mod.rs"]
mod random_links;

use std::error::Error;
use std::sync::atomic::AtomicBool;

use earlydrop_lab::advice::{Advised, Effort, MET, Miss, advise};
use earlydrop_lab::verify::{Measurement, RunLength, measure};
use earlydrop_model::configure::Goal;
use earlydrop_model::{Control, Load};

use random_links::{RandomLinks, SEEDS};

/// What is lacking of a utilisation in other runs and counts as nothing.
const SLACK: f64 = 0.005;

fn describe(load: &Load, goal: Goal) -> String {
    let goal = match goal {
        Goal::Delay(delay) => format!("delay {:.2} ms", 1e3 * delay.as_secs_f64()),
        Goal::Utilisation(share) => format!("utilisation {share}"),
        _ => "usual".to_string(),
    };
    format!(
        "{} {} {} {:?}{}; {goal}",
        load.rate,
        load.rtt,
        load.flows,
        load.tcp.control,
        if load.tcp.ecn { " ECN" } else { "" }
    )
}

fn told(advised: &Advised, validation: &Measurement) -> String {
    let simulated = &advised.simulated;
    let trial = &simulated.trials[simulated.chosen];
    let figures = |measured: &Measurement| {
        format!(
            "{:.2} ms {:.1}% lost {:.2}% marked {:.2}%",
            1e3 * measured.delay.mean,
            100.0 * measured.utilisation.mean,
            100.0 * measured.loss.mean,
            100.0 * measured.marks.mean
        )
    };
    let misses = simulated.misses.iter().map(|miss| match miss {
        Miss::Delay(wanted, got) => format!("delay {:.2}", got / wanted),
        Miss::Utilisation(wanted, got) => {
            format!("utilisation {:.3} of {wanted:.3}", got.mean)
        }
        Miss::Idle(drop_tail, got) => format!("idle {got:.3}, drop-tail {drop_tail:.3}"),
        Miss::Lossy(got, drop_tail) => format!("lossy {got:.3}, drop-tail {drop_tail:.3}"),
        Miss::NoGain(there, here) => format!("no gain {here:.4}, drop-tail {there:.4}"),
        Miss::Unstable(verdict) => verdict.name().to_string(),
    });
    format!(
        "{} trials; {}; {}; again {}; droptail {}; misses: {}{}",
        simulated.trials.len(),
        trial.spec,
        figures(&trial.measured),
        figures(validation),
        figures(&simulated.drop_tail),
        misses.collect::<Vec<_>>().join(", "),
        simulated.rather.map_or(String::new(), |rather| format!(
            "; rather {}",
            figures(&simulated.trials[rather].measured)
        ))
    )
}

/// How advice for one kind of goal went.
#[derive(Default)]
struct Tally {
    links: u32,
    met: u32,
    /// Not met with other seeds, and a miss was named.
    said: u32,
    unstable: u32,
}

impl Tally {
    fn count(&mut self, goal: Goal, advised: &Advised, again: &Measurement) {
        let simulated = &advised.simulated;
        let is_met = match goal {
            Goal::Delay(delay) => (again.delay.mean / delay.as_secs_f64() - 1.0).abs() <= MET,
            Goal::Utilisation(share) => again.utilisation.mean >= share - SLACK,
            _ => again.utilisation.mean >= simulated.full - SLACK,
        };
        self.links += 1;
        self.met += u32::from(is_met);
        self.said += u32::from(!is_met && !simulated.misses.is_empty());
        let is_unstable = |miss: &Miss| matches!(miss, Miss::Unstable(_));
        self.unstable += u32::from(simulated.misses.iter().any(is_unstable));
    }

    fn row(&self, name: &str) -> String {
        let Tally {
            links,
            met,
            said,
            unstable,
        } = self;
        let unsaid = links - met - said;
        format!("| {name} | {links} | {met} | {said} | {unsaid} | {unstable} |")
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let number = |nth: usize, otherwise: u64| {
        std::env::args()
            .nth(nth)
            .map_or(Ok(otherwise), |text| text.parse())
    };
    let (links, seed) = (number(1, 200)?, number(2, 1)?);
    let stop = AtomicBool::new(false);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut tallies: [Tally; 3] = Default::default();
    let mut of_senders: Vec<Tally> = Control::ALL.iter().map(|_| Tally::default()).collect();
    for question in RandomLinks::with_dctcp(seed).take(links as usize) {
        let (load, goal) = (question.load, question.goal);
        let length = RunLength::brief(&question, SEEDS);
        let effort = Effort {
            length,
            threads,
            with_others: false,
            with_methods: false,
        };
        let began = std::time::Instant::now();
        let advised = advise(&question, effort, &stop, &mut |_| {});
        let advised = match advised {
            Ok(advised) => advised,
            Err(error) => {
                eprintln!("{}: {error}", describe(&load, goal));
                continue;
            }
        };
        let took = began.elapsed().as_secs_f64();
        let spec = &advised.recommendation.choices[0].advice.spec;
        let others = RunLength {
            first_seed: 101,
            ..length
        };
        let again = measure(&load, spec, others, threads, &stop)?;
        let kind = match goal {
            Goal::Delay(_) => 2,
            Goal::Utilisation(_) => 1,
            _ => 0,
        };
        tallies[kind].count(goal, &advised, &again);
        for (control, tally) in Control::ALL.iter().zip(&mut of_senders) {
            if *control == load.tcp.control {
                tally.count(goal, &advised, &again);
            }
        }
        eprintln!(
            "{:.1} s {}: {}",
            took,
            describe(&load, goal),
            told(&advised, &again)
        );
    }
    println!("| goal | links | met | not met, and said | not met, unsaid | unstable, and said |");
    println!("|---|--:|--:|--:|--:|--:|");
    let names = ["none (stable, full)", "utilisation=98%", "delay"];
    for (name, tally) in names.iter().zip(&tallies) {
        println!("{}", tally.row(name));
    }
    for (control, tally) in Control::ALL.iter().zip(&of_senders) {
        println!("{}", tally.row(control.title()));
    }
    Ok(())
}
