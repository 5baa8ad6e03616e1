//! Fair timing: all contenders in turn, round after round, so that a machine
//! that speeds up or slows down does so for all of them alike.

mod dpdk;
pub mod dumbbell;
mod traffic;

pub use dpdk::DpdkRed;
pub use traffic::{Handle, Standing, arrivals, queue_lengths};

use std::time::Instant;

/// Something to time: runs once over `packets` packets.
pub struct Contender<'a> {
    /// What the table calls it.
    pub name: String,
    /// The work.
    pub run: Box<dyn FnMut() + 'a>,
}

impl<'a> Contender<'a> {
    /// A contender called `name` that does `run`.
    pub fn new(name: impl Into<String>, run: impl FnMut() + 'a) -> Contender<'a> {
        Contender {
            name: name.into(),
            run: Box::new(run),
        }
    }
}

/// Nanoseconds a packet: the smallest, the middle and the largest of the rounds.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// The fastest round.
    pub min: f64,
    /// The middle round.
    pub median: f64,
    /// The slowest round.
    pub max: f64,
}

/// Times the contenders in turn for `rounds` rounds after one to warm up, each
/// run being over `packets` packets.
pub fn race(contenders: &mut [Contender<'_>], packets: usize, rounds: usize) -> Vec<Timing> {
    let mut seen = vec![Vec::new(); contenders.len()];
    for round in 0..=rounds {
        for (contender, seen) in contenders.iter_mut().zip(&mut seen) {
            let start = Instant::now();
            (contender.run)();
            if round > 0 {
                seen.push(start.elapsed().as_nanos() as f64 / packets as f64);
            }
        }
    }
    seen.into_iter().map(Timing::of).collect()
}

impl Timing {
    fn of(mut seen: Vec<f64>) -> Timing {
        seen.sort_by(f64::total_cmp);
        Timing {
            min: seen[0],
            median: seen[seen.len() / 2],
            max: seen[seen.len() - 1],
        }
    }
}
