//! Cost of solving the batch queue: by the solver, whose cost does not depend on the buffer, and
//! by the recurrence, whose cost does.
//!
//! `cargo bench -p earlydrop-bench --bench batch_queue`

use std::hint::black_box;

use earlydrop_bench::{Contender, race};
use earlydrop_model::batch::Batch;
use earlydrop_model::queue::{Acceptance, BatchQueue, Solver, by_recurrence};

const ROUNDS: usize = 21;

/// The batches of Chandrayana et al. (RED configuration): normally distributed with mean and
/// variance 4, up to 8 packets.
fn queue(load: f64, buffer: u64) -> BatchQueue {
    let batch = Batch::normal(4.0, 4.0, 8).expect("a law");
    let queue = BatchQueue {
        arrivals: 1.0,
        service: 1.0,
        batch,
        buffer,
        acceptance: Acceptance::Partial,
    };
    queue.at_load(load)
}

fn main() {
    println!("The steady state of the batch queue, microseconds, {ROUNDS} rounds in turn");
    println!("| K | rho | method | min | median | max |");
    println!("|---|---|---|---|---|---|");
    for buffer in [100, 10_000, 1_000_000] {
        for load in [0.01, 0.9, 1.0, 3.0] {
            let queue = queue(load, buffer);
            let mut contenders = [
                Contender::new("solver", || {
                    black_box(queue.solve(Solver::Exact).expect("a queue").mean());
                }),
                Contender::new("recurrence", || {
                    black_box(by_recurrence(&queue));
                }),
            ];
            let timings = race(&mut contenders, 1000, ROUNDS);
            for (contender, timing) in contenders.iter().zip(timings) {
                println!(
                    "| {buffer} | {load} | {} | {:.1} | {:.1} | {:.1} |",
                    contender.name, timing.min, timing.median, timing.max
                );
            }
        }
    }
}
