//! What the model predicts, held against the simulator: the scenario of a load, and what is
//! measured of it.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use earlydrop::registry::Spec;
use earlydrop::units::Nanos;
use earlydrop_model::{Control, Load};

use crate::document::{Problem, Problems};
use crate::metrics;
use crate::plan::Source;
use crate::run::all_outcomes;
use crate::statistics::Mean;

/// How long a check runs, and how often.
#[derive(Clone, Copy, Debug)]
pub struct Length {
    /// How long each run lasts.
    pub duration: Nanos,
    /// How much of its beginning is left out.
    pub warm_up: Nanos,
    /// With how many seeds.
    pub seeds: u64,
}

impl Length {
    /// Long enough for the slowest cycles of `load`: 300 round trips, at least 30 s, after a
    /// warm-up of half as long.
    pub fn for_load(load: &Load, seeds: u64) -> Length {
        let measured = Nanos(load.rtt.0.saturating_mul(300)).max(Nanos::from_secs(30));
        Length {
            duration: measured + Nanos(measured.0 / 2),
            warm_up: Nanos(measured.0 / 2),
            seeds,
        }
    }
}

/// What is measured of a queue and its flows, as means over the seeds.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// The mean queue, in packets.
    pub queue: Mean,
    /// The mean time a packet waits, in seconds.
    pub delay: Mean,
    /// The share of packets lost.
    pub loss: Mean,
    /// The share of packets marked.
    pub marks: Mean,
    /// The share of time the link was sending.
    pub utilisation: Mean,
}

/// The scenario of `load` under each of `schemes`, as a file.
pub fn scenario(load: &Load, schemes: &[Spec], length: Length) -> String {
    let control = match load.tcp.control {
        Control::Reno => "reno",
        Control::Cubic => "cubic",
    };
    let ecn = if load.tcp.ecn { "on" } else { "off" };
    let window = load.tcp.max_window.clamp(1.0, 65_535.0).round();
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
receiver_window = {window}
least_timeout = "{timeout}"

[flows.tcp]
count = {flows}
start = "0 s..{rtt}"
"#,
        flows = load.flows.round().max(1.0),
        rate = load.rate,
        duration = length.duration,
        warm_up = length.warm_up,
        seeds = length.seeds,
        schemes = schemes.join(", "),
        rtt = load.rtt,
        packet = load.packet.0,
        timeout = load.tcp.min_rto,
    )
}

/// Why there is nothing measured.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The scenario is not as it must be.
    #[error(transparent)]
    Scenario(#[from] Problems),
    /// A cell cannot be run.
    #[error("{0}")]
    Cell(Problem),
    /// It was stopped.
    #[error("stopped")]
    Stopped,
}

/// Simulates `spec` under `load` and measures.
pub fn measure(
    load: &Load,
    spec: &Spec,
    length: Length,
    threads: usize,
    stop: &AtomicBool,
) -> Result<Measured, VerifyError> {
    let text = scenario(load, std::slice::from_ref(spec), length);
    let plan = Source::new("verify.toml", &text, PathBuf::new())?.plan()?;
    let outcomes = all_outcomes(&plan, threads, stop)
        .map_err(VerifyError::Cell)?
        .ok_or(VerifyError::Stopped)?;
    let mean = |name: &str| {
        let index = metrics::index_of(name);
        let values = outcomes.iter().filter_map(|run| run.values[index?]);
        Mean::of(&values.collect::<Vec<f64>>()).ok_or(VerifyError::Stopped)
    };
    Ok(Measured {
        queue: mean("queue_mean")?,
        delay: mean("delay_mean")?,
        loss: mean("loss")?,
        marks: mean("marked")?,
        utilisation: mean("utilisation")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scenario_of_a_load_is_one() {
        let mut load = Load::default();
        load.tcp.ecn = true;
        let specs = ["red:min=20,max=60", "pie"].map(|text| text.parse().unwrap());
        let text = scenario(&load, &specs, Length::for_load(&load, 2));
        let source = Source::new("load.toml", &text, PathBuf::new()).unwrap();
        let plan = source.plan().unwrap();
        assert_eq!(plan.cell_count(), 4);
        assert_eq!(plan.labels(), ["red", "pie"]);
        assert_eq!(plan.scenario().packet(), load.packet);
        assert_eq!(plan.scenario().network.rtt, load.rtt);
    }

    #[test]
    fn measures_what_the_scenario_comes_to() {
        let load = Load::default();
        let length = Length {
            duration: Nanos::from_secs(4),
            warm_up: Nanos::from_secs(2),
            seeds: 2,
        };
        let spec = "red:min=20,max=60".parse().unwrap();
        let found = measure(&load, &spec, length, 1, &AtomicBool::new(false)).unwrap();
        assert!(
            found.utilisation.mean > 0.5 && found.queue.mean > 1.0,
            "{found:?}"
        );
        assert!(
            found.loss.mean > 0.0 && found.marks.mean == 0.0,
            "{found:?}"
        );
        assert_eq!(found.queue.count, 2);
    }
}
