//! Reproduces the analysis of Chandrayana, Sikdar and Kalyanaraman, "Scalable Configuration of RED
//! Queue Parameters", and prints the tables of `docs/explanation/the-model.md` as Markdown.
//!
//! ```text
//! cargo run --release -p earlydrop-model --example red_config
//! ```

use std::error::Error;

use earlydrop_model::ModelError;
use earlydrop_model::batch::Batch;
use earlydrop_model::closed_loop::sensitivity;
use earlydrop_model::queue::{Acceptance, BatchQueue, Solver};
use earlydrop_model::solve::falling_root;
use earlydrop_model::tcp::square_root_bound;
use earlydrop_model::thresholds::morris;

/// One of the paper's two settings, with its printed mean queue and Morris's printed thresholds.
struct Setting {
    flows: f64,
    rtt: f64,
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
        mean: 4.0,
        largest: 8,
        buffer: 200,
        queue: 79.54,
        morris: (20.0, 60.0),
    },
    Setting {
        flows: 150.0,
        rtt: 0.2,
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

fn main() -> Result<(), Box<dyn Error>> {
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
    Ok(())
}
