//! Cost of a simulated packet by number of flows and threads, memory of a flow, and time of a
//! typical cell.
//!
//! `cargo bench -p earlydrop-bench --bench simulator`. For other simulators see
//! `bench/peers/run.sh`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use earlydrop::random::Pcg32;
use earlydrop::units::Nanos;
use earlydrop_bench::dumbbell::Race;
use earlydrop_sim::{Run, Simulation, run};

/// The system's allocator, counting the bytes held.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator unchanged; counting touches no memory of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promises are the system allocator's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promises are the system allocator's.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const ROUNDS: usize = 11;
/// Random numbers to draw for a calculation that takes about as long as the cells.
const NUMBERS: u64 = 144_000_000;

fn main() {
    many_flows();
    different_delays();
    memory();
    threads();
    cell();
}

/// Minimum, median and maximum.
fn spread(mut times: Vec<f64>) -> [f64; 3] {
    times.sort_by(f64::total_cmp);
    [times[0], times[times.len() / 2], times[times.len() - 1]]
}

/// A simulation after two seconds, when every flow has started.
fn started(race: &Race) -> (Simulation, Run) {
    let (run, _) = race.run(Nanos::from_secs(100_000), 1);
    let mut simulation = run.start().expect("a run");
    simulation.run_until(Nanos::from_secs(2));
    (simulation, run)
}

/// Nanoseconds a packet of each race, with its name: prints a table, returns the medians.
fn race_packets(races: &[(&str, Race)]) -> Vec<f64> {
    println!("| flows | ns a packet: min | median | max |");
    println!("|---|---|---|---|");
    let start = |(_, race): &(&str, Race)| started(race).0;
    let mut simulations: Vec<Simulation> = races.iter().map(start).collect();
    let mut times = vec![Vec::new(); races.len()];
    for _ in 0..ROUNDS {
        for (index, simulation) in simulations.iter_mut().enumerate() {
            // The same number of packets for each: the bottleneck sends 62.5 a second per flow.
            let span = Nanos(2_000_000_000 * 10_000 / u64::from(races[index].1.flows));
            let until = simulation.now() + span;
            let began = Instant::now();
            simulation.run_until(until);
            times[index].push(began.elapsed().as_nanos() as f64 / 1_250_000.0);
        }
    }
    let print = |((name, _), times): (&(&str, Race), Vec<f64>)| {
        let [min, median, max] = spread(times);
        println!("| {name} | {min:.0} | {median:.0} | {max:.0} |");
        median
    };
    races.iter().zip(times).map(print).collect()
}

fn many_flows() {
    println!("Case b for more flows, bottleneck and buffer in proportion, {ROUNDS} rounds in turn");
    let races = [
        ("100", 100),
        ("1000", 1000),
        ("10000", 10_000),
        ("100000", 100_000),
    ];
    let medians = race_packets(&races.map(|(name, flows)| (name, Race::of_flows(flows))));
    println!(
        "100,000 over 100 flows, medians: {:.2}",
        medians[3] / medians[0]
    );
}

/// Round trips of 22 to 26 ms, no two alike, beside 24 ms for each.
fn different_delays() {
    println!("\nThe same with equal delays, and with all different ones, {ROUNDS} rounds in turn");
    for flows in [200, 100_000] {
        let equal = Race::of_flows(flows);
        let near = [500, 1500].map(Nanos::from_micros);
        let different = Race { near, ..equal };
        let names = [format!("{flows}, equal"), format!("{flows}, different")];
        let medians = race_packets(&[(&names[0], equal), (&names[1], different)]);
        println!(
            "different over equal, medians: {:.2}",
            medians[1] / medians[0]
        );
    }
}

fn memory() {
    let flows = 10_000;
    let before = HELD.load(Ordering::Relaxed);
    let (simulation, run) = started(&Race::of_flows(flows));
    drop(run);
    let held = HELD.load(Ordering::Relaxed) - before;
    println!(
        "\n{} bytes a flow with {flows} flows started, their links, packets and the queue included",
        held / flows as usize
    );
    drop(simulation);
}

/// Speed-up by a second thread, compared with that of arithmetic alone, which needs no memory and
/// shows what the machine can give.
fn threads() {
    let (base, _) = Race::of_flows(50).run(Nanos::from_secs(15), 1);
    let cells: Vec<Run> = (1..=96).map(|seed| base.clone().seed(seed)).collect();
    let simulate = |threads: usize| {
        assert!(run::all(&cells, threads).iter().all(Result::is_ok));
    };
    let mut times = [const { Vec::new() }; 4];
    for _ in 0..ROUNDS {
        times[0].push(time(|| simulate(1)));
        times[1].push(time(|| simulate(2)));
        times[2].push(time(|| calculate(1)));
        times[3].push(time(|| calculate(2)));
    }
    let [one, two, machine_one, machine_two] = times.map(spread);
    println!(
        "\n96 cells on 2 threads are {:.2} times as fast as on one by medians, {:.2} times by the smallest of {ROUNDS} rounds",
        one[1] / two[1],
        one[0] / two[0],
    );
    println!(
        "arithmetic alone: {:.2} and {:.2} times",
        machine_one[1] / machine_two[1],
        machine_one[0] / machine_two[0],
    );
}

fn time(work: impl FnOnce()) -> f64 {
    let began = Instant::now();
    work();
    began.elapsed().as_secs_f64()
}

/// A calculation shared by `threads` threads.
fn calculate(threads: u64) {
    let share = move || {
        let mut random = Pcg32::new(1, 1);
        let numbers = NUMBERS / threads;
        black_box((0..numbers).fold(0, |sum, _| sum ^ random.next_u32()));
    };
    let others: Vec<_> = (1..threads).map(|_| std::thread::spawn(share)).collect();
    share();
    for other in others {
        other.join().expect("a calculation");
    }
}

fn cell() {
    let mut race = Race::named("a").expect("case a");
    race.flows = 20;
    let (run, _) = race.run(Nanos::from_secs(10), 1);
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let began = Instant::now();
        run.results().expect("a run");
        times.push(began.elapsed().as_secs_f64() * 1e3);
    }
    let [min, median, max] = spread(times);
    println!(
        "\n10 Mbps for 10 s, 20 flows, from description to results: {median:.2} ms (min {min:.2}, max {max:.2})"
    );
}
