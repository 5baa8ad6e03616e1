//! Every scheme explains its verdicts: what an explanation says is what happens next, and its
//! numbers add up.

mod check;
mod evaluate;
mod load;
#[path = "../support/mod.rs"]
mod support;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use earlydrop::queue::{AnyQueue, QueueDiscipline};

use check::{Tally, check_arrival, check_departures};
use load::{Load, Sent};
use support::{plan, presets};

/// Calls of one load.
const ARRIVALS: u32 = 8000;

/// Runs one load over a queue that is asked before its calls and one that never is.
fn run(spec: &str, load: &mut Load, seed: u64) -> Tally {
    let plan = plan(spec);
    let (mut asked, mut silent): (AnyQueue<Sent>, AnyQueue<Sent>) =
        (plan.queue(seed), plan.queue(seed));
    // A copy of a large queue takes long: it is asked less often.
    let every = 1 + asked.memory() as u32 / 40_000;
    let mut tally = Tally::default();
    for call in 0..ARRIVALS {
        let (now, packet) = load.next();
        while let Some(at) = load.departs_by(now, silent.packets()) {
            let lost = match call % every == 0 {
                true => check_departures(spec, &mut asked, at, &mut tally),
                false => check::dequeue(&mut asked, at),
            };
            let expected = check::dequeue(&mut silent, at);
            assert_eq!(lost, expected, "{spec}: asking changes what leaves");
            load.sent(at, &expected);
        }
        let outcome = match call % every == 0 {
            true => check_arrival(spec, &mut asked, now, packet, &mut tally),
            false => asked.enqueue(now, packet),
        };
        assert_eq!(outcome, silent.enqueue(now, packet), "{spec}");
        load.enqueued(packet, outcome);
    }
    assert_eq!(asked.counters(), silent.counters(), "{spec}");
    assert_eq!(
        format!("{asked:?}"),
        format!("{silent:?}"),
        "{spec}: asking leaves the queue as it was"
    );
    tally
}

#[test]
fn an_explanation_is_what_happens_next() {
    let specs = presets();
    let (next, tallies) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some(spec) = specs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut tally = run(spec, &mut Load::steady(7), 11);
                    tally.add(&run(spec, &mut Load::bursts(8), 12));
                    tallies.lock().unwrap().push((spec.clone(), tally));
                }
            });
        }
    });
    let mut tallies = tallies.into_inner().unwrap();
    tallies.sort_by(|one, other| one.0.cmp(&other.0));
    let mut all = Tally::default();
    for (spec, tally) in &tallies {
        println!("{spec:24} {tally:?}");
        all.add(tally);
    }
    println!("{:24} {all:?}", "all");
    assert_eq!(tallies.len(), specs.len());
}
