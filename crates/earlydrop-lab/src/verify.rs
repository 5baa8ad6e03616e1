//! Simulation of a [`Load`], for comparison with the predictions of [`earlydrop_model`].
//!
//! [`scenario`] writes it as a scenario file; [`measure`] simulates it.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use earlydrop::registry::Spec;
use earlydrop::units::Nanos;
use earlydrop_model::Load;
use earlydrop_model::configure::{Goal, Question};

use crate::document::{Problem, Problems};
use crate::metrics;
use crate::outcome::Outcome;
use crate::plan::Source;
use crate::run::all_outcomes;
use crate::statistics::Mean;

/// The duration and the number of runs.
#[derive(Clone, Copy, Debug)]
pub struct RunLength {
    /// The duration of each run.
    pub duration: Nanos,
    /// The part at its beginning that is left out of every figure.
    pub warm_up: Nanos,
    /// The number of seeds.
    pub seeds: u64,
    /// The first one: 1, or another for runs that share nothing with the first ones.
    pub first_seed: u64,
}

impl RunLength {
    /// Long enough for the slowest oscillations of `load`: 300 round trips, at least 30 s,
    /// after a warm-up of half that time.
    pub fn for_load(load: &Load, seeds: u64) -> RunLength {
        let measured = Nanos(load.rtt.0.saturating_mul(300)).max(Nanos::from_secs(30));
        RunLength::measuring(measured, seeds)
    }

    /// As short as a search for an answer may be: 100 round trips, with the delay that is asked for, at
    /// least 15 s, but on fast links not more than two million packets where 60 round trips have fewer;
    /// after a warm-up of half that time.
    pub fn brief(question: &Question, seeds: u64) -> RunLength {
        const ENOUGH: f64 = 2e6;
        let load = &question.load;
        let wait = match question.goal {
            Goal::Delay(delay) => delay,
            _ => Nanos::ZERO,
        };
        let round_trips = |count: u64| Nanos((load.rtt + wait).0.saturating_mul(count));
        let enough = Nanos::from_secs_f64(ENOUGH / load.service());
        let usual = round_trips(100).max(Nanos::from_secs(15));
        RunLength::measuring(usual.min(enough).max(round_trips(60)), seeds)
    }

    /// What is measured, after a warm-up of half that time.
    fn measuring(measured: Nanos, seeds: u64) -> RunLength {
        let warm_up = Nanos(measured.0 / 2);
        RunLength {
            duration: measured + warm_up,
            warm_up,
            seeds,
            first_seed: 1,
        }
    }
}

/// The results of simulating a load, as means over the seeds.
#[derive(Clone, Copy, Debug)]
pub struct Measurement {
    /// The queue length, in packets.
    pub queue: Mean,
    /// The queueing delay, in seconds.
    pub delay: Mean,
    /// The share of data packets lost.
    pub loss: Mean,
    /// The share of data packets marked.
    pub marks: Mean,
    /// The share of time the link was sending.
    pub utilisation: Mean,
    /// What 99% of calls' packets take at most from end to end, in seconds; `None` where no call was
    /// simulated beside the load.
    pub call: Option<Mean>,
}

/// The text of a scenario file that simulates `load` under each of `schemes`.
pub fn scenario(load: &Load, schemes: &[Spec], length: RunLength) -> String {
    let control = load.tcp.control.name();
    // auto: DCTCP's marks are echoed packet by packet.
    let ecn = match load.tcp.ecn {
        true if load.tcp.control.needs_ecn() => "auto",
        true => "on",
        false => "off",
    };
    let receiver_window = load.tcp.max_window.clamp(1.0, 65_535.0).round();
    let schemes: Vec<String> = schemes.iter().map(|spec| format!("\"{spec}\"")).collect();
    format!(
        r#"title = "{flows} flows on {rate}"
about = "Long transfers that are alike, as the model takes them to be"
duration = "{duration}"
warm_up = "{warm_up}"
seeds = {seeds}
schemes = [{schemes}]

[network]
rate = "{rate}"
rtt = "{rtt}"

[tcp]
control = "{control}"
ecn = "{ecn}"
segment = "{packet} bytes"
receiver_window = {receiver_window}
least_timeout = "{timeout}"

[flows.tcp]
count = {flows}
start = "0 s..{rtt}"
"#,
        flows = load.flows.round().max(1.0),
        rate = load.rate,
        duration = length.duration,
        warm_up = length.warm_up,
        seeds = match length.first_seed {
            1 => length.seeds.to_string(),
            first => format!("{:?}", Vec::from_iter(first..first + length.seeds)),
        },
        schemes = schemes.join(", "),
        rtt = load.rtt,
        packet = load.packet.0,
        timeout = load.tcp.min_rto,
    )
}

/// Why a simulation ended without a measurement.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The scenario is invalid.
    #[error(transparent)]
    Scenario(#[from] Problems),
    /// A cell cannot be run.
    #[error(transparent)]
    Cell(#[from] Problem),
    /// It was cancelled.
    #[error("stopped")]
    Stopped,
}

/// The least rate, in bits per second, of a link on which a call leaves the load nearly as it is: its
/// 80 kbps are a 25th of it.
const LEAST_WITH_CALL: u64 = 2_000_000;
/// No more calls than this. One call alone tells of a queue for each flow only whether this call shares
/// its queue with a transfer: with 150 flows over 1,024 queues, one call of seven does.
const MOST_CALLS: u64 = 8;

/// Calls beside the load, as many as take no more than a 25th of the link; nothing where one is too many.
fn calls(load: &Load) -> String {
    match (load.rate.0 / LEAST_WITH_CALL).min(MOST_CALLS) {
        0 => String::new(),
        count => format!("\n[flows.call]\nkind = \"voice\"\ncount = {count}\n"),
    }
}

/// What is simulated beside a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// Nothing.
    Nothing,
    /// Calls, unless the link is so slow that a call would be a load of its own.
    Calls,
}

/// Simulates each of `specs` under `load` on this many threads.
pub fn measure_each(
    load: &Load,
    beside: Beside,
    specs: &[Spec],
    length: RunLength,
    threads: usize,
    stop: &AtomicBool,
) -> Result<Vec<Measurement>, VerifyError> {
    let mut text = scenario(load, specs, length);
    if beside == Beside::Calls {
        text += &calls(load);
    }
    let plan = Source::new("verify.toml", &text, PathBuf::new())?.plan()?;
    let outcomes = all_outcomes(&plan, threads, stop)?.ok_or(VerifyError::Stopped)?;
    let waits = metrics::index_of_group("end_to_end_p99");
    let of_call = |run: &Outcome| {
        let mut groups = run.groups.iter();
        let (.., values) = groups.find(|(name, ..)| name == "call")?;
        values[waits?]
    };
    let of_scheme = |scheme: usize| {
        let over_runs = |value: &dyn Fn(&Outcome) -> Option<f64>| {
            let own = outcomes.iter().filter(|(cell, _)| cell.scheme == scheme);
            Mean::of(&own.filter_map(|(_, run)| value(run)).collect::<Vec<f64>>())
        };
        let mean = |name: &str| {
            let index = metrics::index_of(name);
            over_runs(&|run| run.values[index?]).ok_or(VerifyError::Stopped)
        };
        Ok(Measurement {
            queue: mean("queue_mean")?,
            delay: mean("delay_mean")?,
            loss: mean("loss")?,
            marks: mean("marked")?,
            utilisation: mean("utilisation")?,
            call: over_runs(&of_call),
        })
    };
    (0..specs.len()).map(of_scheme).collect()
}

/// Simulates `spec` under `load` on this many threads.
pub fn measure(
    load: &Load,
    spec: &Spec,
    length: RunLength,
    threads: usize,
    stop: &AtomicBool,
) -> Result<Measurement, VerifyError> {
    let specs = std::slice::from_ref(spec);
    let measured = measure_each(load, Beside::Nothing, specs, length, threads, stop)?;
    measured.into_iter().next().ok_or(VerifyError::Stopped)
}

#[cfg(test)]
mod tests {
    use earlydrop_model::validity::{Band, Caveat, caveats};
    use earlydrop_model::{Gateway, predict};

    use super::*;

    #[test]
    fn the_scenario_of_a_load_is_valid() {
        let mut load = Load::default();
        load.tcp.ecn = true;
        let specs = ["red:min=20,max=60", "pie"].map(|text| text.parse().unwrap());
        let text = scenario(&load, &specs, RunLength::for_load(&load, 2));
        let source = Source::new("load.toml", &text, PathBuf::new()).unwrap();
        let plan = source.plan().unwrap();
        assert_eq!(plan.cell_count(), 4);
        assert_eq!(plan.labels(), ["red", "pie"]);
        assert_eq!(plan.scenario().packet(), load.packet);
        assert_eq!(plan.scenario().network.rtt, load.rtt);
    }

    #[test]
    fn measures_the_simulated_queue() {
        let load = Load::default();
        let length = RunLength {
            duration: Nanos::from_secs(4),
            warm_up: Nanos::from_secs(2),
            seeds: 2,
            first_seed: 1,
        };
        let spec = "red:min=20,max=60".parse().unwrap();
        let measured = measure(&load, &spec, length, 1, &AtomicBool::new(false)).unwrap();
        assert!(
            measured.utilisation.mean > 0.5 && measured.queue.mean > 1.0,
            "{measured:?}"
        );
        assert!(
            measured.loss.mean > 0.0 && measured.marks.mean == 0.0,
            "{measured:?}"
        );
        assert_eq!(measured.queue.count, 2);
    }

    /// Windows of DCTCP over a dial that marks at random, on a link that they do not fill.
    #[test]
    fn dctcp_keeps_the_windows_that_the_model_balances() {
        let mut load = Load {
            rate: "10 Gbps".parse().unwrap(),
            rtt: Nanos::from_millis(20),
            flows: 10.0,
            ..Load::default()
        };
        (load.tcp.control, load.tcp.ecn) = (earlydrop_model::Control::Dctcp, true);
        let length = RunLength {
            duration: Nanos::from_secs(12),
            warm_up: Nanos::from_secs(4),
            seeds: 1,
            first_seed: 1,
        };
        for marks in [0.02, 0.1, 0.3] {
            let spec = format!("dial:probability={marks},ecn=on").parse().unwrap();
            let measured = measure(&load, &spec, length, 1, &AtomicBool::new(false)).unwrap();
            let window = measured.utilisation.mean * load.bdp() / load.flows;
            let signals = earlydrop_model::SignalRate { loss: 0.0, marks };
            let expected = load.tcp.steady(signals, load.rtt.as_secs_f64()).window;
            assert!((window / expected - 1.0).abs() < 0.1, "{marks}: {window}");
        }
    }

    /// Few flows on a fast link: the model knows that its queue is an upper bound, and says so.
    #[test]
    fn the_printed_range_has_the_simulated_delay_of_a_queue_that_is_mostly_empty() {
        let load = Load {
            flows: 2.0,
            rate: "100 Mbps".parse().unwrap(),
            ..Load::default()
        };
        let spec: Spec = "red:min=10,max=30".parse().unwrap();
        let gateway = Gateway::of(&spec, &load).unwrap();
        let prediction = predict(&load, &gateway).unwrap();
        let caveats = caveats(&load, &gateway, &prediction);
        assert!(caveats.contains(&Caveat::MostlyEmpty), "{caveats:?}");
        let length = RunLength {
            duration: Nanos::from_secs(60),
            warm_up: Nanos::from_secs(20),
            seeds: 2,
            first_seed: 1,
        };
        let measured = measure(&load, &spec, length, 1, &AtomicBool::new(false)).unwrap();
        let delay = measured.delay.mean;
        let band = Band::of(&load, &caveats).unwrap();
        let (low, high) = band.measured(&prediction).delay;
        assert!(low <= delay && delay <= high, "{delay} in {low} to {high}");
        assert!(
            delay < 0.9 * prediction.delay.as_secs_f64(),
            "{delay}: {prediction:?}"
        );
    }
}
