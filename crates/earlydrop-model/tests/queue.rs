//! The batch queue with random batches, loads and buffers. Small queues are compared with the
//! recurrence; large ones are checked for invariants.

use earlydrop_model::batch::Batch;
use earlydrop_model::queue::{Acceptance, BatchQueue, Solver, by_recurrence};
use proptest::prelude::*;

fn batches() -> impl Strategy<Value = Batch> {
    let weights = prop::collection::vec(0.0..1.0_f64, 2..40);
    let sparse = prop::collection::vec(prop_oneof![3 => Just(0.0), 1 => 0.01..1.0_f64], 2..40);
    prop_oneof![weights, sparse].prop_filter_map("no packets", |w| Batch::weighted(&w).ok())
}

fn acceptances() -> impl Strategy<Value = Acceptance> {
    prop_oneof![Just(Acceptance::Partial), Just(Acceptance::Whole)]
}

fn queues(buffers: impl Strategy<Value = u64>) -> impl Strategy<Value = BatchQueue> {
    let loads = prop_oneof![0.01..3.0_f64, 0.95..1.05_f64, Just(1.0)];
    (batches(), loads, buffers, acceptances()).prop_map(|(batch, load, buffer, acceptance)| {
        let queue = BatchQueue {
            arrivals: 1.0,
            service: 1.0,
            batch,
            buffer,
            acceptance,
        };
        queue.at_load(load)
    })
}

fn mean(queue: &BatchQueue) -> f64 {
    queue.solve(Solver::Exact).unwrap().mean()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn equals_the_recurrence(queue in queues(1..400_u64)) {
        let reference = by_recurrence(&queue);
        let solved = queue.solve(Solver::Exact).unwrap();
        let mut mean = 0.0;
        for (n, p) in (0_u64..).zip(&reference) {
            let exact = solved.probability(n);
            prop_assert!((exact - p).abs() <= 1e-10 * p + 1e-300, "p({n}) = {exact}, {p}");
            mean += n as f64 * p;
        }
        prop_assert!((solved.mean() - mean).abs() <= 1e-10 * mean);
    }

    #[test]
    fn invariants_hold_at_any_size(queue in queues(1..1_000_000_u64)) {
        for solver in [Solver::Exact, Solver::DominantRoot] {
            let solved = queue.solve(solver).unwrap();
            let numbers = [solved.mean(), solved.empty(), solved.full(), solved.loss()];
            prop_assert!(numbers.iter().all(|number| number.is_finite() && *number >= 0.0));
            prop_assert!(solved.mean() <= queue.buffer as f64 * (1.0 + 1e-12));
            let mass: f64 = solved.histogram(50).iter().map(|bin| bin.probability).sum();
            prop_assert!((mass - 1.0).abs() < 1e-9, "mass {mass}");
            let (median, most) = (solved.quantile(0.5), solved.quantile(0.999));
            prop_assert!(median <= most && most <= queue.buffer);
            prop_assert!(solved.at_most(median) >= 0.5);
        }
        let solved = queue.solve(Solver::Exact).unwrap();
        let sent = 1.0 - solved.empty();
        let accepted = queue.load() * (1.0 - solved.loss());
        prop_assert!((sent - accepted).abs() < 1e-8, "sent {sent}, accepted {accepted}");
    }

    #[test]
    fn more_arrivals_give_a_longer_queue(queue in queues(1..1_000_000_u64), more in 1.0001..1.5_f64) {
        let longer = queue.at_load(queue.load() * more);
        prop_assert!(mean(&longer) >= mean(&queue) * (1.0 - 1e-12));
    }
}
