//! The dumbbells that simulators are raced on.

use std::sync::Arc;

use earlydrop::units::{BitsPerSec, Nanos};
use earlydrop_sim::Run;
use earlydrop_sim::network::{Dumbbell, Link, LinkId};
use earlydrop_sim::tcp::{Algorithm, Profile, Recovery};
use earlydrop_sim::traffic::Flow;

/// Reno flows from as many hosts to one sink, all over one bottleneck with RED.
#[derive(Clone, Copy, Debug)]
pub struct Race {
    /// Flows.
    pub flows: u32,
    /// Rate of the bottleneck; 10 ms long.
    pub rate: BitsPerSec,
    /// Rate of every other link; 1 ms long.
    pub access: BitsPerSec,
    /// RED's lower threshold in packets; the upper is three times that.
    pub min: u32,
    /// The buffer in packets.
    pub buffer: u32,
    /// What senders and receivers do.
    pub profile: Profile,
}

/// ns-2's Reno, its window as large as it likes.
const RENO: Profile = {
    let mut profile = Profile::ns2(Recovery::Reno);
    profile.receiver_window = 10_000;
    profile
};

impl Race {
    /// The case of a name: `a`, 100 flows over 10 Mbps, RED 10/30, buffer 120; `b`, 200
    /// flows over 100 Mbps, RED 100/300, buffer 1000; `c`, the same with CUBIC, selective
    /// and delayed acknowledgments and packets of 1,500 bytes, which peers have no script
    /// for.
    pub fn named(name: &str) -> Option<Race> {
        let mbps = BitsPerSec::from_mbps;
        match name {
            "a" => Some(Race {
                flows: 100,
                rate: mbps(10),
                access: mbps(100),
                min: 10,
                buffer: 120,
                profile: RENO,
            }),
            "b" | "c" => Some(Race {
                flows: 200,
                rate: mbps(100),
                access: mbps(1000),
                min: 100,
                buffer: 1000,
                profile: match name {
                    "b" => RENO,
                    _ => Profile::modern(Algorithm::Cubic),
                },
            }),
            _ => None,
        }
    }

    /// Case b for any number of flows: bottleneck, thresholds and buffer in proportion,
    /// so that each flow sends as much a second.
    pub fn of_flows(flows: u32) -> Race {
        Race {
            flows,
            rate: BitsPerSec(u64::from(flows) * 500_000),
            access: BitsPerSec(1_000_000_000.max(u64::from(flows) * 5_000_000)),
            min: flows / 2,
            buffer: 5 * flows,
            profile: RENO,
        }
    }

    /// The run, and its bottleneck. RED as ns-2 has it by default, in packets.
    pub fn run(&self, duration: Nanos, seed: u64) -> (Run, LinkId) {
        let red = format!(
            "red:curve=gentle,spacing=wait,cautious=on,idle=ns2,min={},max={},max_p=0.1,weight=0.002,limit={}",
            self.min,
            3 * self.min,
            self.buffer
        );
        let link = |queue: &str| {
            let link = Link::new(self.rate, Nanos::from_millis(10));
            link.queue(queue.parse().expect("a queue"))
        };
        let mut bell = Dumbbell::new(link(&red), link("droptail:limit=1000"));
        let near = Nanos::from_millis(1);
        let profile = Arc::new(self.profile);
        let sink = bell.right_host(self.access, near);
        let flow = |bell: &mut Dumbbell| {
            let host = bell.left_host(self.access, near);
            Flow::bulk(host, sink, &profile).between(Nanos::ZERO, Nanos::from_secs(1))
        };
        let flows = (0..self.flows).map(|_| flow(&mut bell)).collect();
        let bottleneck = bell.bottleneck;
        let mut run = Run::new(bell.network, duration).seed(seed);
        run.flows = flows;
        (run, bottleneck)
    }
}
