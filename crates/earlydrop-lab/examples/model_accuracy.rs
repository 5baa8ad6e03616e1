//! Compares the model with the simulator over a grid of settings and prints its deviations as
//! Markdown: the tables of `docs/explanation/the-model.md`.
//!
//! ```text
//! cargo run --release -p earlydrop-lab --example model_accuracy [-- every]
//! ```
//!
//! With `every`, each setting has a row.

use std::error::Error;
use std::sync::atomic::AtomicBool;

use earlydrop::registry::Spec;
use earlydrop::units::{BitsPerSec, Nanos};
use earlydrop_lab::verify::{Measurement, RunLength, measure};
use earlydrop_model::closed_loop::closed_loop;
use earlydrop_model::validity::{CAVEATS, Caveat, caveats};
use earlydrop_model::{Control, Gateway, Load, Prediction, Tcp, fluid_balance};

const SCHEMES: [&str; 6] = [
    "droptail:limit=60 ms",
    "red:min=10 ms,max=30 ms,limit=60 ms",
    "gred:min=10 ms,max=30 ms,limit=90 ms",
    "ared:min=10 ms,max=30 ms,limit=90 ms",
    "pie",
    "codel",
];
const SEEDS: u64 = 3;

/// A prediction is called near where it is within these, which were fixed before any was
/// looked at: shares of what is measured for the delay and for how often flows receive
/// congestion signals, points for the utilisation.
const NEAR: f64 = 0.25;
const NEAR_UTILISATION: f64 = 0.02;

struct Setting {
    load: Load,
    spec: Spec,
}

struct Comparison {
    setting: Setting,
    measured: Measurement,
    fluid: Prediction,
    closed: Prediction,
    caveats: Vec<Caveat>,
}

/// The deviation of a prediction: delay, signals, utilisation.
#[derive(Clone, Copy)]
struct Deviation([f64; 3]);

impl Deviation {
    fn of(predicted: &Prediction, measured: &Measurement) -> Deviation {
        let share = |predicted: f64, measured: f64| predicted / measured.max(1e-6) - 1.0;
        let signals = measured.loss.mean + measured.marks.mean;
        Deviation([
            share(predicted.delay.as_secs_f64(), measured.delay.mean),
            share(predicted.loss + predicted.marks, signals),
            predicted.utilisation - measured.utilisation.mean,
        ])
    }

    fn is_near(&self) -> bool {
        let [delay, signals, utilisation] = self.0.map(f64::abs);
        delay <= NEAR && signals <= NEAR && utilisation <= NEAR_UTILISATION
    }
}

/// Every link with every number and kind of flows.
fn loads() -> Vec<Load> {
    let links = [(10, 20), (10, 100), (100, 20), (100, 100)];
    let kinds = [Control::Reno, Control::Cubic].map(|control| [(control, false), (control, true)]);
    let mut loads = Vec::new();
    for (mbps, rtt) in links {
        for flows in [5.0, 25.0, 125.0] {
            loads.extend(kinds.as_flattened().iter().map(|(control, ecn)| Load {
                rate: BitsPerSec::from_mbps(mbps),
                rtt: Nanos::from_millis(rtt),
                flows,
                tcp: Tcp {
                    control: *control,
                    ecn: *ecn,
                    ..Tcp::default()
                },
                ..Load::default()
            }));
        }
    }
    loads
}

/// Every scheme under every load; drop-tail, which marks nothing, only without ECN.
fn settings() -> Result<Vec<Setting>, Box<dyn Error>> {
    let mut settings = Vec::new();
    for load in loads() {
        for scheme in SCHEMES {
            if !(load.tcp.ecn && scheme.starts_with("droptail")) {
                let spec = scheme.parse()?;
                settings.push(Setting { load, spec });
            }
        }
    }
    Ok(settings)
}

fn compare(setting: Setting) -> Result<Comparison, Box<dyn Error>> {
    let Setting { load, spec } = &setting;
    let gateway = Gateway::of(spec, load)?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let length = RunLength::for_load(load, SEEDS);
    let fluid = fluid_balance(load, &gateway)?;
    Ok(Comparison {
        measured: measure(load, spec, length, threads, &AtomicBool::new(false))?,
        caveats: caveats(load, &gateway, &fluid),
        fluid,
        closed: closed_loop(load, &gateway)?.expected,
        setting,
    })
}

/// The 10th, 50th and 90th percentile.
fn quantiles(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1) as f64;
    [0.1, 0.5, 0.9].map(|share| {
        values
            .get((share * last).round() as usize)
            .copied()
            .unwrap_or(f64::NAN)
    })
}

/// A row with the distribution of deviations over some of the settings.
fn row(
    name: &str,
    found: &[&Comparison],
    predicted: impl Fn(&Comparison) -> &Prediction,
) -> String {
    let offs: Vec<Deviation> = found
        .iter()
        .map(|found| Deviation::of(predicted(found), &found.measured))
        .collect();
    let near = offs.iter().filter(|off| off.is_near()).count();
    let column = |index: usize| {
        let [low, middle, high] = quantiles(offs.iter().map(|off| 100.0 * off.0[index]).collect());
        format!("{middle:+.1} ({low:+.1} to {high:+.1})")
    };
    let [delay, signals, utilisation] = [0, 1, 2].map(column);
    let all = offs.len();
    format!("| {name} | {all} | {delay} | {signals} | {utilisation} | {near} |")
}

/// Settings with something in common.
struct Group {
    name: String,
    holds: Box<dyn Fn(&Comparison) -> bool>,
}

impl Group {
    fn new(name: impl Into<String>, holds: impl Fn(&Comparison) -> bool + 'static) -> Group {
        Group {
            name: name.into(),
            holds: Box::new(holds),
        }
    }
}

fn groups() -> Vec<Group> {
    let mut groups = vec![
        Group::new("all", |_| true),
        Group::new("no caveat", |found| found.caveats.is_empty()),
    ];
    for caveat in CAVEATS.iter().copied() {
        let name = format!("caveat: {}", caveat.name());
        groups.push(Group::new(name, move |found| {
            found.caveats.contains(&caveat)
        }));
    }
    for scheme in SCHEMES {
        let name = scheme.split(':').next().unwrap_or(scheme);
        groups.push(Group::new(name, move |found| {
            found.setting.spec.descriptor().name == name
        }));
    }
    for (name, ecn) in [("drops", false), ("marks", true)] {
        groups.push(Group::new(name, move |found| {
            found.setting.load.tcp.ecn == ecn
        }));
    }
    for (name, control) in [("reno", Control::Reno), ("cubic", Control::Cubic)] {
        groups.push(Group::new(name, move |found| {
            found.setting.load.tcp.control == control
        }));
    }
    groups
}

fn print_distribution(method: &str, found: &[Comparison], of: fn(&Comparison) -> &Prediction) {
    println!("{method}:\n");
    println!("| settings | count | delay, % | signals, % | utilisation, points | near |");
    println!("|---|---|---|---|---|---|");
    for group in groups() {
        let some: Vec<&Comparison> = found.iter().filter(|found| (group.holds)(found)).collect();
        if !some.is_empty() {
            println!("{}", row(&group.name, &some, of));
        }
    }
    println!();
}

fn print_every(found: &[Comparison]) {
    println!(
        "| link | rtt | flows | tcp | scheme | ecn | delay: measured | fluid | closed | signals | fluid | closed | utilisation | fluid | closed |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for found in found {
        let Setting { load, spec } = &found.setting;
        let signals = |p: &Prediction| 100.0 * (p.loss + p.marks);
        let ms = |p: &Prediction| 1e3 * p.delay.as_secs_f64();
        let measured = &found.measured;
        let caveats: Vec<&str> = found.caveats.iter().map(|caveat| caveat.name()).collect();
        let caveats = caveats.join(", ");
        println!(
            "| {} | {} | {} | {:?} | {} | {} | {:.2} ms | {:.2} | {:.2} | {:.3}% | {:.3} | {:.3} | {:.2}% | {:.2} | {:.2} | {} |",
            load.rate,
            load.rtt,
            load.flows,
            load.tcp.control,
            spec.descriptor().name,
            if load.tcp.ecn { "on" } else { "off" },
            1e3 * measured.delay.mean,
            ms(&found.fluid),
            ms(&found.closed),
            100.0 * (measured.loss.mean + measured.marks.mean),
            signals(&found.fluid),
            signals(&found.closed),
            100.0 * measured.utilisation.mean,
            100.0 * found.fluid.utilisation,
            100.0 * found.closed.utilisation,
            caveats,
        );
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let found: Vec<Comparison> = settings()?
        .into_iter()
        .map(compare)
        .collect::<Result<_, _>>()?;
    print_distribution("The balance", &found, |found| &found.fluid);
    print_distribution("The closed loop", &found, |found| &found.closed);
    if std::env::args().any(|word| word == "every") {
        print_every(&found);
    }
    Ok(())
}
