//! Asks a queue before a call, makes the call, and compares.

use earlydrop::explanation::Explanation;
use earlydrop::queue::{AnyQueue, Outcome, QueueDiscipline};
use earlydrop::units::Nanos;

use crate::evaluate::evaluate;
use crate::load::{Dequeued, Sent};

/// What was checked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    arrivals: u64,
    departures: u64,
    /// Decided by a random number and a probability.
    pub(crate) by_chance: u64,
    dropped: u64,
    marked: u64,
    full: u64,
    steps: u64,
}

impl Tally {
    /// Drops and marks.
    pub(crate) fn signals(&self) -> u64 {
        self.dropped + self.marked
    }

    /// Arrivals that were explained.
    pub(crate) fn arrivals(&self) -> u64 {
        self.arrivals
    }

    pub(crate) fn add(&mut self, other: &Tally) {
        self.arrivals += other.arrivals;
        self.departures += other.departures;
        self.by_chance += other.by_chance;
        self.dropped += other.dropped;
        self.marked += other.marked;
        self.full += other.full;
        self.steps += other.steps;
    }
}

/// Asks why the next packet will be kept, marked or dropped, and enqueues it.
pub(crate) fn check_arrival(
    spec: &str,
    queue: &mut AnyQueue<Sent>,
    now: Nanos,
    packet: Sent,
    tally: &mut Tally,
) -> Outcome {
    let why = queue.explain_arrival(now, &packet);
    let all = queue.explain_enqueue(now, &packet);
    let mut lost = Vec::new();
    let outcome = queue.enqueue_with(now, packet, &mut |packet: Sent, _| lost.push(packet.id));
    let why = why.unwrap_or_else(|| panic!("{spec} does not explain itself"));
    let fate = match outcome {
        Outcome::Queued => "kept",
        Outcome::Marked => "marked",
        Outcome::Dropped(_) => "dropped",
    };
    tally.arrivals += 1;
    check(spec, &why, fate, tally);
    check_probes(spec, queue, &why);
    let kept = usize::from(fate != "dropped");
    assert_eq!(all.len(), lost.len() + kept, "{spec}: {all:?}");
    for (why, lost) in all.iter().zip(&lost) {
        if *lost != packet.id {
            check(spec, why, "dropped", tally);
        }
    }
    let own = lost.iter().position(|id| *id == packet.id);
    assert_eq!(all[own.unwrap_or(lost.len())], why, "{spec}");
    outcome
}

/// Asks what a dequeue will do, and dequeues.
pub(crate) fn check_departures(
    spec: &str,
    queue: &mut AnyQueue<Sent>,
    now: Nanos,
    tally: &mut Tally,
) -> Dequeued {
    let all = queue.explain_dequeue(now);
    let first = queue.explain_departure(now);
    assert_eq!(first.as_ref(), all.first(), "{spec}");
    let dequeued = dequeue(queue, now);
    let marked = dequeued.left.map(|packet| packet.is_marked);
    let known = dequeued.lost.len() + usize::from(dequeued.left.is_some());
    assert_eq!(all.len(), known, "{spec}: {all:?} {dequeued:?}");
    for (number, why) in all.iter().enumerate() {
        tally.departures += 1;
        let fate = match marked {
            _ if number < dequeued.lost.len() => "dropped",
            // One that was marked on arrival is kept.
            Some(true) if why.decision.ends_with("marked") => "marked",
            _ => "kept",
        };
        check(spec, why, fate, tally);
    }
    dequeued
}

pub(crate) fn dequeue(queue: &mut AnyQueue<Sent>, now: Nanos) -> Dequeued {
    let mut lost = Vec::new();
    let left = queue.dequeue_with(now, &mut |packet: Sent, _| lost.push(packet));
    Dequeued {
        lost,
        left: left.map(|departure| departure.packet),
    }
}

fn check(spec: &str, why: &Explanation, fate: &str, tally: &mut Tally) {
    let Explanation {
        rule,
        source,
        chance,
        random,
        decision,
        ..
    } = why;
    assert!(
        decision.ends_with(&format!(": {fate}")),
        "{spec}: {fate}, but {why:#?}"
    );
    assert!(!rule.is_empty() && !source.is_empty(), "{spec}: {why:?}");
    if let (Some(random), Some(chance)) = (random, chance) {
        let passes = decision.contains("packets that cannot be marked pass");
        let signalled = fate != "kept" || passes;
        assert_eq!(random < chance, signalled, "{spec}: {why:#?}");
        assert!((0.0..1.0).contains(random) && (0.0..=1.0).contains(chance));
        tally.by_chance += 1;
    }
    for step in &why.steps {
        let value = evaluate(&step.numbers).unwrap_or_else(|e| panic!("{spec}: {e}: {step:?}"));
        let error = (value - step.value).abs();
        assert!(
            error <= 1e-9 || error <= 1e-6 * step.value.abs(),
            "{spec}: {value} {step:#?} of {why:#?}"
        );
        assert!(!step.says.is_empty() && !step.symbol.is_empty());
        assert!(step.equation.starts_with(&step.symbol), "{spec}: {step:?}");
        tally.steps += 1;
    }
    check_comparisons(spec, decision);
    tally.dropped += u64::from(fate == "dropped");
    tally.marked += u64::from(fate == "marked");
    tally.full += u64::from(rule.starts_with("full buffer"));
}

/// Every "a < b" of a decision holds.
fn check_comparisons(spec: &str, decision: &str) {
    let words: Vec<&str> = decision.split([' ', ':', ';', ',']).collect();
    for around in words.windows(3) {
        let holds = match around[1] {
            "<" => |a, b| a < b,
            "<=" => |a, b| a <= b,
            ">" => |a, b| a > b,
            ">=" => |a: f64, b: f64| a >= b,
            _ => continue,
        };
        if let (Ok(a), Ok(b)) = (around[0].parse(), around[2].parse()) {
            assert!(holds(a, b), "{spec}: {decision}");
        }
    }
}

/// Probes of the scheme after the verdict agree with the steps of their symbols.
fn check_probes(spec: &str, queue: &AnyQueue<Sent>, why: &Explanation) {
    // A full buffer changes BLUE's probability, and FRED's average moves after the verdict.
    let full = why.rule == "full buffer";
    let follows = spec.starts_with("fred") || spec.contains("policy=fred");
    // Probes of several queues are the largest of theirs.
    let several = ["fq-", "drr", "sfq", "cake"];
    let several = several.iter().any(|name| spec.starts_with(name));
    if full || follows || several || spec.starts_with("sfb") {
        return;
    }
    for (probe, symbol) in [
        ("average", "avg"),
        ("probability", "p"),
        ("price", "price"),
        ("base", "p'"),
        ("hits", "P"),
    ] {
        let mut values = why.steps.iter().filter(|step| step.symbol == symbol);
        let Some(probe) = queue.probe(probe) else {
            continue;
        };
        // WRED shows the largest average of its classes.
        let known = values.clone().count() == 0 || spec.starts_with("wred");
        assert!(
            known || values.any(|step| step.value.min(1e9) == probe || probe == 1.0),
            "{spec}: {symbol} is {probe}, but {why:#?}"
        );
    }
}
