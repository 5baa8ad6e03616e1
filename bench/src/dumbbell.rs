//! The dumbbells on which simulators are raced (`bench/peers/run.sh`).

use std::sync::Arc;

use earlydrop::units::{BitsPerSec, Nanos};
use earlydrop_sim::Run;
use earlydrop_sim::network::{Dumbbell, Link, LinkId};
use earlydrop_sim::tcp::{Algorithm, Profile, Recovery};
use earlydrop_sim::traffic::Flow;

/// A dumbbell as scenarios have it: each bulk flow goes from a host of its own to a host of its own,
/// over one bottleneck with RED. `bench/peers/case-a.toml` and `case-b.toml` are the same cases.
#[derive(Clone, Copy, Debug)]
pub struct Race {
    /// Number of flows.
    pub flows: u32,
    /// Rate of the bottleneck, whose delay is 10 ms.
    pub rate: BitsPerSec,
    /// Rate of the access links.
    pub access: BitsPerSec,
    /// Delay of the first flow's access links and of the last one's; the others' lie evenly between.
    pub near: [Nanos; 2],
    /// RED's minimum threshold, packets. The maximum is three times that.
    pub min: u32,
    /// The buffer, packets.
    pub buffer: u32,
    /// The TCP profile.
    pub profile: Profile,
}

/// ns-2's Reno with an unlimited `rwnd`.
const RENO: Profile = {
    let mut profile = Profile::ns2(Recovery::Reno);
    profile.receiver_window = 10_000;
    profile
};

/// Delay of all access links.
const NEAR: [Nanos; 2] = [Nanos::from_millis(1); 2];

impl Race {
    /// The case of a name: `a`, 100 flows over 10 Mbps, RED 10/30, buffer 120; `b`, 200
    /// flows over 100 Mbps, RED 100/300, buffer 1000; `c`, case b with CUBIC, SACK, delayed
    /// acknowledgments and packets of 1,500 bytes, for which peers have no script.
    pub fn named(name: &str) -> Option<Race> {
        let mbps = BitsPerSec::from_mbps;
        match name {
            "a" => Some(Race {
                flows: 100,
                rate: mbps(10),
                access: mbps(100),
                near: NEAR,
                min: 10,
                buffer: 120,
                profile: RENO,
            }),
            "b" | "c" => Some(Race {
                flows: 200,
                rate: mbps(100),
                access: mbps(1000),
                near: NEAR,
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

    /// Case b for any number of flows. Bottleneck, thresholds and buffer are in proportion, so that
    /// each flow has the same rate.
    pub fn of_flows(flows: u32) -> Race {
        Race {
            flows,
            rate: BitsPerSec(u64::from(flows) * 500_000),
            access: BitsPerSec(1_000_000_000.max(u64::from(flows) * 5_000_000)),
            near: NEAR,
            min: flows / 2,
            buffer: 5 * flows,
            profile: RENO,
        }
    }

    /// The run and its bottleneck, with ns-2's default RED in packets.
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
        let mut dumbbell = Dumbbell::new(link(&red), link("droptail:limit=1000"));
        let profile = Arc::new(self.profile);
        let [first, last] = self.near.map(|delay| delay.0);
        let flow = |dumbbell: &mut Dumbbell, index: u32| {
            let share = u64::from(index) * (last - first) / u64::from(self.flows);
            let near = Nanos(first + share);
            let from = dumbbell.left_host(self.access, near);
            let to = dumbbell.right_host(self.access, near);
            Flow::bulk(from, to, &profile).between(Nanos::ZERO, Nanos::from_secs(1))
        };
        let flows = (0..self.flows)
            .map(|index| flow(&mut dumbbell, index))
            .collect();
        let bottleneck = dumbbell.bottleneck;
        let mut run = Run::new(dumbbell.network, duration).seed(seed);
        run.flows = flows;
        (run, bottleneck)
    }
}
