//! The dumbbell that peers run, in our simulator: one line of JSON.
//!
//! `cargo run --release -p earlydrop-bench --example dumbbell -- a 100 1`: case, simulated
//! seconds, seed. Case a: 100 flows over 10 Mbps, RED 10/30, buffer 120; case b: 200
//! flows over 100 Mbps, RED 100/300, buffer 1000.

use std::sync::Arc;
use std::time::Instant;

use earlydrop::units::{BitsPerSec, Nanos};
use earlydrop_sim::Run;
use earlydrop_sim::network::{Dumbbell, Link};
use earlydrop_sim::tcp::{Profile, Recovery};
use earlydrop_sim::traffic::Flow;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument =
        |index: usize, default: &str| arguments.get(index).cloned().unwrap_or(default.to_string());
    let case = argument(0, "a");
    let seconds: u64 = argument(1, "100").parse().expect("simulated seconds");
    let seed: u64 = argument(2, "1").parse().expect("a seed");
    let (flows, rate, access, red, limit) = match case.as_str() {
        "a" => (100, 10, 100, "10,max=30", 120),
        "b" => (200, 100, 1000, "100,max=300", 1000),
        other => panic!("case {other}: a or b"),
    };
    let flows: u32 = argument(3, &flows.to_string()).parse().expect("flows");
    let spec = format!("red:spacing=wait,min={red},max_p=0.1,weight=0.002,limit={limit}");
    let delay = Nanos::from_millis(10);
    let link = |queue: &str| {
        let link = Link::new(BitsPerSec::from_mbps(rate), delay);
        link.queue(queue.parse().expect("a queue"))
    };
    let mut bell = Dumbbell::new(link(&spec), link("droptail:limit=1000"));
    let (access, near) = (BitsPerSec::from_mbps(access), Nanos::from_millis(1));
    let mut profile = Profile::ns2(Recovery::Reno);
    profile.receiver_window = 10_000;
    let profile = Arc::new(profile);
    let sink = bell.right_host(access, near);
    let hosts: Vec<_> = (0..flows).map(|_| bell.left_host(access, near)).collect();
    let bottleneck = bell.bottleneck;
    let mut run = Run::new(bell.network, Nanos::from_secs(seconds)).seed(seed);
    for host in hosts {
        let start = (Nanos::ZERO, Nanos::from_secs(1));
        run.add(Flow::bulk(host, sink, &profile).between(start.0, start.1));
    }
    let mut simulation = run.start().unwrap_or_else(|error| panic!("{error}"));
    let began = Instant::now();
    simulation.run_until(run.duration);
    let wall = began.elapsed().as_secs_f64();
    let results = simulation.finish();
    let queue = results
        .queue(bottleneck)
        .expect("the bottleneck has a queue");
    let packets = queue.counters.departed.packets;
    let lost = queue.counters.dropped().packets as f64 / queue.counters.arrived.packets as f64;
    println!(
        "{{\"tool\":\"earlydrop\",\"version\":\"{}\",\"case\":\"{case}\",\"seconds\":{seconds},\"packets\":{packets},\"wall\":{wall:.6},\"rate\":{:.0},\"mean_queue\":{:.3},\"loss_percent\":{:.3},\"events\":{}}}",
        env!("CARGO_PKG_VERSION"),
        packets as f64 / wall,
        queue.mean_packets,
        100.0 * lost,
        results.totals.events,
    );
    eprintln!("{:?} {:?}", results.together(), results.totals);
}
