//! Runs the dumbbell of `bench/peers/run.sh` in earlydrop; prints one line of JSON.
//!
//! ```text
//! cargo run --release -p earlydrop-bench --example dumbbell -- [CASE [SECONDS [SEED]]]
//! ```
//! CASE is a, b, c, or a number of flows for case b. The wall clock leaves out the set-up, as the
//! peers' does.

use std::time::Instant;

use earlydrop::units::Nanos;
use earlydrop_bench::dumbbell::Race;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |index: usize, default: &str| {
        let given = arguments.get(index).map(String::as_str);
        given.unwrap_or(default).to_string()
    };
    let case = argument(0, "a");
    let race = Race::named(&case).or_else(|| case.parse().ok().map(Race::of_flows));
    let race = race.unwrap_or_else(|| panic!("case {case}: a, b, c, or how many flows"));
    let seconds: u64 = argument(1, "100").parse().expect("simulated seconds");
    let seed: u64 = argument(2, "1").parse().expect("a seed");
    let (run, bottleneck) = race.run(Nanos::from_secs(seconds), seed);
    let mut simulation = run.start().unwrap_or_else(|error| panic!("{error}"));
    let began = Instant::now();
    simulation.run_until(run.duration);
    let wall = began.elapsed().as_secs_f64();
    let results = simulation.finish();
    let queue = results.queue(bottleneck).expect("the bottleneck's queue");
    let packets = queue.counters.departed.packets;
    let arrived = queue.counters.arrived.packets as f64;
    let loss = 100.0 * queue.counters.dropped().packets as f64 / arrived;
    println!(
        "{{\"tool\":\"earlydrop\",\"version\":\"{}\",\"case\":\"{case}\",\"simulated_s\":{seconds},\
         \"forwarded\":{packets},\"wall_s\":{wall:.6},\"packets_per_s\":{:.0},\
         \"mean_queue\":{:.2},\"loss_percent\":{loss:.3},\"events\":{}}}",
        env!("CARGO_PKG_VERSION"),
        packets as f64 / wall,
        queue.mean_packets,
        results.totals.events,
    );
}
