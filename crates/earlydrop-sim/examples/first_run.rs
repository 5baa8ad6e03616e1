//! Fifty CUBIC flows over a dumbbell with RED: prints mean queue and utilisation.

use earlydrop_sim::Run;
use earlydrop_sim::network::{Dumbbell, Link};
use earlydrop_sim::tcp::{Algorithm, Profile};
use earlydrop_sim::traffic::Flow;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let link = Link::new("10 Mbps".parse()?, "10 ms".parse()?);
    let mut dumbbell = Dumbbell::new(link.clone().queue("red:min=10,max=30".parse()?), link);
    let sender = Profile::modern(Algorithm::Cubic).into();
    let mut flows = Vec::new();
    for _ in 0..50 {
        let (from, to) = dumbbell.pair("100 Mbps".parse()?, "5 ms".parse()?);
        flows.push(Flow::bulk(from, to, &sender).between("0 s".parse()?, "1 s".parse()?));
    }
    let mut run = Run::new(dumbbell.network, "20 s".parse()?);
    run.flows = flows;
    let queue = &run.results()?.queues[0];
    println!("{:.1} packets in the queue on average", queue.mean_packets);
    println!("{:.1}% of the link used", 100.0 * queue.utilisation);
    Ok(())
}
