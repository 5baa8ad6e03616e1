//! Reproduces the analysis of Chandrayana, Sikdar and Kalyanaraman, "Scalable Configuration of RED
//! Queue Parameters", and prints the tables of `docs/explanation/the-model.md` as Markdown.
//!
//! ```text
//! cargo run --release -p earlydrop-model --example red_config
//! ```

use std::error::Error;

use earlydrop::registry::Spec;
use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_model::batch::Batch;
use earlydrop_model::closed_loop::{ClosedLoop, closed_loop, sensitivity};
use earlydrop_model::methods::morris;
use earlydrop_model::open_loop::{OpenLoop, OpenLoopInput, open_loop};
use earlydrop_model::queue::{Acceptance, BatchQueue, Solver};
use earlydrop_model::solve::{falling_root, falling_root_of_powers};
use earlydrop_model::tcp::square_root_bound;
use earlydrop_model::{Gateway, Load, ModelError, Tcp};

/// One of the paper's two settings, with its printed mean queue and Morris's printed thresholds.
struct Setting {
    flows: f64,
    rtt: f64,
    /// The link rate in packets per second: the sum of the printed goodputs.
    service: f64,
    /// The loss in the tables, with the proposed thresholds.
    loss: f64,
    mean: f64,
    largest: usize,
    buffer: u64,
    queue: f64,
    morris: (f64, f64),
}

const SETTINGS: [Setting; 2] = [
    Setting {
        flows: 48.0,
        rtt: 0.052,
        service: 2500.0,
        loss: 0.0572,
        mean: 4.0,
        largest: 8,
        buffer: 200,
        queue: 79.54,
        morris: (20.0, 60.0),
    },
    Setting {
        flows: 150.0,
        rtt: 0.2,
        service: 8333.0,
        loss: 0.0339,
        mean: 4.4,
        largest: 9,
        buffer: 1000,
        queue: 592.01,
        morris: (136.0, 408.0),
    },
];

/// Tables 1 and 2: round-trip time in seconds, flows, goodput per flow in packets per second with the
/// proposed thresholds, and loss.
const ROWS: [(f64, f64, f64, f64); 6] = [
    (0.052, 32.0, 77.71, 0.0517),
    (0.052, 48.0, 51.90, 0.0572),
    (0.052, 64.0, 39.10, 0.0611),
    (0.2, 100.0, 82.73, 0.0229),
    (0.2, 150.0, 55.31, 0.0339),
    (0.2, 200.0, 41.58, 0.0434),
];

impl Setting {
    /// Reno flows with packets of 1000 bytes.
    fn traffic(&self) -> Load {
        Load {
            rate: BitsPerSec((8000.0 * self.service) as u64),
            packet: Bytes(1000),
            rtt: Nanos::from_secs_f64(self.rtt),
            flows: self.flows,
            tcp: Tcp::default(),
        }
    }

    fn queue(&self) -> Result<BatchQueue, ModelError> {
        Ok(BatchQueue {
            arrivals: 1.0,
            service: 1.0,
            batch: Batch::normal(self.mean, 4.0, self.largest)?,
            buffer: self.buffer,
            acceptance: Acceptance::Partial,
        })
    }

    /// The load that gives the printed mean queue.
    fn load(&self, solver: Solver) -> Result<f64, ModelError> {
        let queue = self.queue()?;
        let mean = |rho: f64| queue.at_load(rho).solve(solver).map_or(0.0, |s| s.mean());
        Ok(falling_root(0.5, 1.5, |rho| self.queue - mean(rho)))
    }
}

/// An input of the closed loop.
struct Input {
    /// The name with the unit.
    name: &'static str,
    /// The value in the setting.
    of: fn(&Setting) -> f64,
    /// The load and the buffer with another value.
    with: fn(&Setting, f64) -> (Load, f64),
    /// The range that is searched.
    range: (f64, f64),
}

const INPUTS: [Input; 6] = [
    Input {
        name: "link rate, packets/s",
        of: |setting| setting.service,
        with: |setting, rate| {
            let rate = BitsPerSec((8000.0 * rate) as u64);
            let load = setting.traffic();
            (Load { rate, ..load }, setting.buffer as f64)
        },
        range: (100.0, 1e5),
    },
    Input {
        name: "RTT, ms",
        of: |setting| 1e3 * setting.rtt,
        with: |setting, rtt| {
            let rtt = Nanos::from_secs_f64(1e-3 * rtt);
            let load = setting.traffic();
            (Load { rtt, ..load }, setting.buffer as f64)
        },
        range: (1.0, 1e4),
    },
    Input {
        name: "flows",
        of: |setting| setting.flows,
        with: |setting, flows| {
            let load = setting.traffic();
            (Load { flows, ..load }, setting.buffer as f64)
        },
        range: (1.0, 1e4),
    },
    Input {
        name: "T_O, ms",
        of: |setting| 1e3 * setting.traffic().tcp.rto(setting.rtt),
        with: |setting, timeout| {
            let mut load = setting.traffic();
            load.tcp.timeout = Some(Nanos::from_secs_f64(1e-3 * timeout));
            (load, setting.buffer as f64)
        },
        range: (1.0, 1e4),
    },
    Input {
        name: "buffer, packets",
        of: |setting| setting.buffer as f64,
        with: |setting, buffer| (setting.traffic(), buffer.round()),
        range: (10.0, 1e5),
    },
    Input {
        name: "W_max, packets",
        of: |setting| setting.traffic().tcp.max_window,
        with: |setting, window| {
            let mut load = setting.traffic();
            load.tcp.max_window = window;
            (load, setting.buffer as f64)
        },
        range: (1.0, 65_535.0),
    },
];

/// The mean queue without early drops, by the closed loop.
fn closed(load: &Load, buffer: f64) -> Result<ClosedLoop, ModelError> {
    let droptail = Spec::new("droptail")?.with("limit", buffer)?;
    closed_loop(load, &Gateway::of(&droptail, load)?)
}

/// The value of an input with which the closed loop gives the printed mean queue; `None` if none
/// does.
fn fitting(input: &Input, setting: &Setting) -> Option<f64> {
    let excess = |value: f64| {
        let (load, buffer) = (input.with)(setting, value);
        closed(&load, buffer).map_or(f64::NAN, |solved| solved.expected.queue - setting.queue)
    };
    let (low, high) = input.range;
    let value = match excess(low) > excess(high) {
        true => falling_root_of_powers(low, high, excess),
        false => falling_root_of_powers(low, high, |value| -excess(value)),
    };
    // Whole packets of buffer do not give it exactly.
    (excess(value).abs() < 1.0).then_some(value)
}

fn main() -> Result<(), Box<dyn Error>> {
    loads()?;
    open_loops()?;
    closed_loops()?;
    thresholds();
    goodputs();
    Ok(())
}

/// The open loop, formulas (19) to (27), with the printed windows and the loss of the tables.
fn open_loops() -> Result<(), Box<dyn Error>> {
    println!(
        "\n| flows | printed E[Q] | RTT | T_O | gamma | rho | E[Q] | 1% more load adds | flows by (22) |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for setting in &SETTINGS {
        let solve = |rtt: f64, timeout: f64| -> Result<OpenLoop, ModelError> {
            let mut load = setting.traffic();
            load.rtt = Nanos::from_secs_f64(rtt);
            load.tcp.timeout = Some(Nanos::from_secs_f64(timeout * rtt));
            let windows = Some(setting.queue()?.batch);
            let loss = setting.loss;
            open_loop(
                &load,
                &OpenLoopInput { loss, windows },
                setting.buffer as f64,
            )
        };
        let excess = |rtt: f64, timeout: f64| {
            solve(rtt, timeout).map_or(f64::NAN, |solved| solved.queue - setting.queue)
        };
        // T_O = 4 RTT is TFRC's (RFC 5348, section 3.1). A T_O of 0 has no effect.
        let timeout = falling_root(0.0, 100.0, |timeout| excess(setting.rtt, timeout));
        let rtt = falling_root(0.001, 1.0, |rtt| excess(rtt, 4.0));
        let mut rows = vec![(setting.rtt, 0.0), (setting.rtt, 4.0), (rtt, 4.0)];
        if timeout > 0.0 {
            rows.push((setting.rtt, timeout));
        }
        for (rtt, timeout) in rows {
            let solved = solve(rtt, timeout)?;
            let flows = solved.most_flows(1.5 * setting.queue);
            println!(
                "| {} | {} | {:.1} ms | {timeout:.3} RTT | {:.1}% | {:.4} | {:.2} | {:+.1} | {} |",
                setting.flows,
                setting.queue,
                1e3 * rtt,
                100.0 * solved.timeout_share,
                solved.load,
                solved.queue,
                solved.sensitivity / 100.0,
                flows.map_or("-".to_string(), |flows| format!("{flows:.1}")),
            );
        }
    }
    Ok(())
}

/// The closed loop, and the value of each input alone that gives the printed mean queue.
fn closed_loops() -> Result<(), Box<dyn Error>> {
    println!(
        "\n| flows | printed E[Q] | E[Q] | thresholds | rho | loss | window | RTT and queue |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for setting in &SETTINGS {
        let solved = closed(&setting.traffic(), setting.buffer as f64)?;
        let expected = solved.expected;
        println!(
            "| {} | {} | {:.1} | {:.0} and {:.0} | {:.3} | {:.2}% | {:.1} packets | {:.0} ms |",
            setting.flows,
            setting.queue,
            expected.queue,
            expected.queue / 2.0,
            1.5 * expected.queue,
            solved.load,
            100.0 * expected.loss,
            expected.window,
            1e3 * expected.rtt.as_secs_f64(),
        );
    }
    println!("\n| input | 48 flows | gives 79.54 | 150 flows | gives 592.01 |");
    println!("|---|---|---|---|---|");
    for input in &INPUTS {
        let [first, second] = SETTINGS.each_ref().map(|setting| {
            let fitted = fitting(input, setting);
            let fitted = fitted.map_or("none".to_string(), |value| format!("{value:.1}"));
            format!("{:.0} | {fitted}", (input.of)(setting))
        });
        println!("| {} | {first} | {second} |", input.name);
    }
    Ok(())
}

/// The loads that give the printed mean queues.
fn loads() -> Result<(), Box<dyn Error>> {
    println!(
        "| flows | printed E[Q] | rho, exact | rho, dominant root | dE/drho | p(0), dominant root / exact |"
    );
    println!("|---|---|---|---|---|---|");
    for setting in &SETTINGS {
        let (exact, paper) = (
            setting.load(Solver::Exact)?,
            setting.load(Solver::DominantRoot)?,
        );
        let solved = setting.queue()?.at_load(exact);
        let empty = |solver| Ok::<f64, ModelError>(solved.solve(solver)?.empty());
        println!(
            "| {} | {} | {exact:.6} | {paper:.6} | {:.0} | {:.2} |",
            setting.flows,
            setting.queue,
            sensitivity(&solved)?,
            empty(Solver::DominantRoot)? / empty(Solver::Exact)?,
        );
    }
    Ok(())
}

/// Morris's thresholds at the loss rate that gives the printed ones, and at his bound.
fn thresholds() {
    println!("\n| flows | printed | Morris at a loss of 7.47% | at Morris's bound of 3% |");
    println!("|---|---|---|---|");
    for setting in &SETTINGS {
        let at = |loss: f64| {
            let thresholds = morris(loss, setting.rtt, setting.flows);
            format!("{:.1} and {:.1}", thresholds.min, thresholds.max)
        };
        let (min, max) = setting.morris;
        println!(
            "| {} | {min} and {max} | {} | {} |",
            setting.flows,
            at(0.0747),
            at(0.03)
        );
    }
}

/// The round-trip times that the printed goodputs allow.
fn goodputs() {
    println!(
        "\n| printed RTT | flows | printed goodput | loss | sqrt(1.5/p)/RTT | RTT at which both are equal |"
    );
    println!("|---|---|---|---|---|---|");
    for (rtt, flows, goodput, loss) in ROWS {
        let bound = square_root_bound(loss, 1.0, rtt);
        println!(
            "| {:.0} ms | {flows} | {goodput} packets/s | {:.2}% | {bound:.1} packets/s | {:.0} ms |",
            1e3 * rtt,
            100.0 * loss,
            1e3 * rtt * bound / goodput,
        );
    }
}
