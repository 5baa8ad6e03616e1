//! Runs sfRED with a flow list of given length and traffic of as many flows, to count
//! instructions:
//! `valgrind --tool=callgrind target/release/examples/flow_list 65536 2000000`

use earlydrop::aqm::{Aqm, Verdict};
use earlydrop::random::Pcg32;
use earlydrop::registry::{LinkFacts, Plan, Spec};
use earlydrop::units::{BitsPerSec, Nanos};
use earlydrop_bench::{Standing, arrivals};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = || arguments.next().and_then(|text| text.parse::<u32>().ok());
    let (Some(list), Some(packets)) = (number(), number()) else {
        eprintln!("usage: flow_list LIST PACKETS");
        std::process::exit(2);
    };
    let spec: Spec = format!("sfred:min=32,max=128,flows={list}")
        .parse()
        .expect("a registered scheme");
    let Ok(Plan::Single { mut aqm, .. }) = spec.plan(&LinkFacts::at(BitsPerSec(10_000_000_000)))
    else {
        panic!("SFRED is one queue");
    };
    let mut random = Pcg32::new(1, 0);
    let mut kept = 0_u64;
    for packet in arrivals(list, Nanos(800), packets as usize) {
        let queue = Standing {
            packets: 40,
            head: packet.arrived,
            flow: packet.flow,
        };
        let verdict = aqm.on_arrival(packet.arrived, &packet, &queue, &mut random);
        kept += u64::from(verdict == Verdict::Keep);
    }
    println!("{kept} of {packets} kept");
}
