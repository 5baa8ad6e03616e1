//! Benchmarks of earlydrop, and the support they share.
//!
//! | run | measures |
//! |---|---|
//! | `cargo bench -p earlydrop-bench --bench decision_cost` | a verdict of every scheme, next to DPDK's RED; memory of queues and flow tables |
//! | `cargo bench -p earlydrop-bench --bench simulator` | a simulated packet, by number of flows and threads; memory of a flow |
//! | `cargo bench -p earlydrop-bench --bench event_queue` | an event, in the simulator's event queue and in heaps |
//! | `cargo bench -p earlydrop-bench --bench batch_queue` | a solution of the batch queue |
//! | `bench/peers/run.sh` | packets a second, next to ns-2 and ns-3 |
//! | `bench/live/run.sh` | real packets through the emulator, next to Mahimahi |
//!
//! Timing is fair: [`race`] runs all contenders in turn, round after round, so that a machine
//! that slows down does so for all of them alike.

mod dpdk;
pub mod dumbbell;
mod traffic;

pub use dpdk::DpdkRed;
pub use traffic::{Handle, Standing, arrivals, queue_lengths};

use std::time::Instant;

/// Work to be timed.
pub struct Contender<'a> {
    /// Its name in tables.
    pub name: String,
    /// The work.
    pub run: Box<dyn FnMut() + 'a>,
}

impl<'a> Contender<'a> {
    /// A contender called `name` that executes `run`.
    pub fn new(name: impl Into<String>, run: impl FnMut() + 'a) -> Contender<'a> {
        Contender {
            name: name.into(),
            run: Box::new(run),
        }
    }
}

/// Time per packet over the rounds, nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// Fastest round.
    pub min: f64,
    /// Median round.
    pub median: f64,
    /// Slowest round.
    pub max: f64,
}

/// Times the contenders in turn for `rounds` rounds after a warm-up round, each run being over
/// `packets` packets.
pub fn race(contenders: &mut [Contender<'_>], packets: usize, rounds: usize) -> Vec<Timing> {
    let mut times = vec![Vec::new(); contenders.len()];
    for round in 0..=rounds {
        for (contender, times) in contenders.iter_mut().zip(&mut times) {
            let start = Instant::now();
            (contender.run)();
            if round > 0 {
                times.push(start.elapsed().as_nanos() as f64 / packets as f64);
            }
        }
    }
    times.into_iter().map(Timing::of).collect()
}

impl Timing {
    fn of(mut times: Vec<f64>) -> Timing {
        times.sort_by(f64::total_cmp);
        Timing {
            min: times[0],
            median: times[times.len() / 2],
            max: times[times.len() - 1],
        }
    }
}
