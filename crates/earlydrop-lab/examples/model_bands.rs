//! How far predictions are off in settings drawn at random: the bands of [`earlydrop_model::validity`],
//! and how many other settings lie within them. Prints the table of `docs/explanation/the-model.md`.
//!
//! ```text
//! cargo run --release -p earlydrop-lab --example model_bands -- [SETTINGS [SEED]]
//! ```
//! As many settings are drawn for the bands as for the check.

use std::error::Error;
use std::sync::atomic::AtomicBool;

use earlydrop::random::Pcg32;
use earlydrop::registry::Spec;
use earlydrop::units::{BitsPerSec, Nanos};
use earlydrop_lab::verify::{Measurement, RunLength, measure};
use earlydrop_model::configure::{Goal, Question, propose};
use earlydrop_model::validity::{Group, REGION, caveats};
use earlydrop_model::{Control, Gateway, Load, Prediction, Tcp, predict};

/// The share of settings within all three ranges.
const WITHIN: f64 = 0.8;
const SEEDS: u64 = 2;

/// Each quantity uniform in its logarithm.
fn between(random: &mut Pcg32, (low, high): (f64, f64)) -> f64 {
    low * (high / low).powf(random.uniform())
}

fn load(random: &mut Pcg32) -> Load {
    Load {
        rate: BitsPerSec(between(random, REGION.rate) as u64),
        rtt: Nanos::from_secs_f64(between(random, REGION.rtt)),
        flows: between(random, REGION.flows).round(),
        tcp: Tcp {
            control: match random.chance(0.5) {
                true => Control::Reno,
                false => Control::Cubic,
            },
            ecn: random.chance(0.5),
            ..Tcp::default()
        },
        ..Load::default()
    }
}

/// One of seven schemes with thresholds or a target of 3 to 20 ms; RED's also as the model proposes them.
fn scheme(random: &mut Pcg32, load: &Load) -> Result<Spec, Box<dyn Error>> {
    let time = between(random, (0.003, 0.02));
    let max_p = between(random, (0.02, 0.5));
    let ms = |times: f64| format!("{:.3} ms", 1e3 * times * time);
    let thresholds = |limit: f64| format!("min={},max={},limit={}", ms(1.0), ms(3.0), ms(limit));
    let text = match random.below(7) {
        0 => format!("droptail:limit={}", ms(6.0)),
        1 => format!("red:{},max_p={max_p:.4}", thresholds(6.0)),
        2 => format!("gred:{},max_p={max_p:.4}", thresholds(9.0)),
        3 => format!("ared:{}", thresholds(9.0)),
        4 => format!("pie:target={}", ms(1.0)),
        5 => format!("codel:target={}", ms(1.0)),
        _ => {
            let question = Question {
                load: *load,
                scheme: "red".parse()?,
                buffer: None,
                goal: Goal::Usual,
                method: None,
                open_loop: None,
            };
            return Ok(propose(&question, 2.0 * time * load.service())?.0);
        }
    };
    Ok(text.parse()?)
}

/// What was measured by what was predicted: the ratios of delay and signals, and the difference of the
/// utilisation.
struct Setting {
    group: Group,
    off: [f64; 3],
}

fn simulate(random: &mut Pcg32) -> Result<Setting, Box<dyn Error>> {
    let load = load(random);
    let spec = scheme(random, &load)?;
    let gateway = Gateway::of(&spec, &load)?;
    let predicted: Prediction = predict(&load, &gateway)?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let length = RunLength::for_load(&load, SEEDS);
    let measured: Measurement = measure(&load, &spec, length, threads, &AtomicBool::new(false))?;
    let off = [
        measured.delay.mean / predicted.delay.as_secs_f64(),
        (measured.loss.mean + measured.marks.mean) / (predicted.loss + predicted.marks),
        measured.utilisation.mean - predicted.utilisation,
    ];
    let group = Group::of(&caveats(&load, &gateway, &predicted));
    eprintln!(
        "{} {} {} {:?} ecn={} {spec}; {}; {:.3} {:.3} {:.4}",
        load.rate,
        load.rtt,
        load.flows,
        load.tcp.control,
        load.tcp.ecn,
        group.name(),
        off[0],
        off[1],
        off[2]
    );
    Ok(Setting { group, off })
}

type Ranges = [(f64, f64); 3];

fn is_within(off: &[f64; 3], ranges: &Ranges) -> bool {
    off.iter()
        .zip(ranges)
        .all(|(off, (low, high))| (low..=high).contains(&off))
}

/// The narrowest ranges, from the same quantile on either side of each quantity, that hold the wanted share
/// of the settings in all three; rounded as they are printed.
fn ranges(settings: &[&Setting]) -> Ranges {
    let sorted = |which: usize| {
        let mut values: Vec<f64> = settings.iter().map(|setting| setting.off[which]).collect();
        values.sort_by(f64::total_cmp);
        values
    };
    let values = [0, 1, 2].map(sorted);
    let scales = [100.0, 100.0, 1000.0];
    let at = |left_out: usize| {
        [0, 1, 2].map(|which| {
            let (values, scale): (&Vec<f64>, f64) = (&values[which], scales[which]);
            let (low, high) = (values[left_out], values[values.len() - 1 - left_out]);
            ((low * scale).floor() / scale, (high * scale).ceil() / scale)
        })
    };
    let covers = |left_out: &usize| {
        let within = settings
            .iter()
            .filter(|one| is_within(&one.off, &at(*left_out)));
        within.count() as f64 >= WITHIN * settings.len() as f64
    };
    at((0..settings.len().div_ceil(2))
        .take_while(covers)
        .last()
        .unwrap_or(0))
}

fn main() -> Result<(), Box<dyn Error>> {
    let number = |nth: usize, otherwise: u64| {
        let given = std::env::args().nth(nth);
        given.map_or(Ok(otherwise), |text| text.parse())
    };
    let (count, seed) = (number(1, 1500)?, number(2, 1)?);
    let draw = |stream: u64| -> Result<Vec<Setting>, Box<dyn Error>> {
        let mut random = Pcg32::new(seed, stream);
        (0..count).map(|_| simulate(&mut random)).collect()
    };
    let (known, others) = (draw(1)?, draw(2)?);
    println!(
        "| group | settings | delay, simulated / predicted | signals, simulated / predicted | utilisation, simulated - predicted | others | of them within all three |"
    );
    println!("|---|--:|---|---|---|--:|--:|");
    for group in Group::ALL {
        let of = |all: &'_ [Setting]| -> Vec<usize> {
            (0..all.len())
                .filter(|index| all[*index].group == *group)
                .collect()
        };
        let own: Vec<&Setting> = of(&known).into_iter().map(|index| &known[index]).collect();
        if own.is_empty() {
            continue;
        }
        let ranges = ranges(&own);
        let check: Vec<&Setting> = of(&others)
            .into_iter()
            .map(|index| &others[index])
            .collect();
        let within = check
            .iter()
            .filter(|one| is_within(&one.off, &ranges))
            .count();
        let [delay, signals, used] = ranges;
        println!(
            "| {} | {} | {:.2} to {:.2} | {:.2} to {:.2} | {:+.3} to {:+.3} | {} | {:.0}% |",
            group.name(),
            own.len(),
            delay.0,
            delay.1,
            signals.0,
            signals.1,
            used.0,
            used.1,
            check.len(),
            100.0 * within as f64 / check.len().max(1) as f64
        );
    }
    Ok(())
}
