//! The cases as runs, with their figures defined as in `bench/peers/reference_ns3.cc`.

use std::sync::Arc;

use earlydrop::units::{BitsPerSec, Nanos};
use earlydrop_sim::Run;
use earlydrop_sim::network::{Link, LinkId, Network, Node};
use earlydrop_sim::tcp::{
    Algorithm, EcnMode, Growth, HyStartKind, LossDetection, Profile, Reduction,
};
use earlydrop_sim::traffic::Flow;

use crate::reference::{Case, Measured, Outcome, loss_percent};

/// Seeds of each case: as many as ns-3's.
const SEEDS: u64 = 5;

/// Beginning and end of the measured time.
const FROM: Nanos = Nanos::from_secs(20);
const TO: Nanos = Nanos::from_secs(100);

/// A data segment, bytes on the wire: 1448 of payload, 32 of TCP with timestamps, 20 of IP, 2 of
/// PPP.
const SEGMENT: u32 = 1502;
/// An acknowledgment or a SYN, bytes on the wire.
const HEADER: u32 = 54;

/// `rwnd`, 1 MiB, segments.
const WINDOW: u32 = (1 << 20) / 1448;

/// ns-3's RED in packets of 1500 bytes.
const RED: &str = "spacing=wait,cautious=on,idle=ns2,gentle_slope=initial,\
     mean_packet=1500 bytes,max_p=0.1,limit=120";

/// The scheme of a queue discipline of the table, without ECN.
fn queue(discipline: &str) -> String {
    match discipline {
        "droptail" => "droptail:limit=120".to_string(),
        "red" => format!("gred:min=10,max=30,weight=0.002,{RED}"),
        "ared" => format!("ared:ared_bottom=0.008,{RED}"),
        "codel" => "codel:mtu=1499 bytes,limit=1000".to_string(),
        "pie" => "pie:mean_packet=1500 bytes,limit=1000".to_string(),
        // One packet a round, as with ns-3's quantum of 1500, which does not see PPP.
        "fqcodel" => "fq-codel:as=ns3,quantum=1502 bytes".to_string(),
        other => panic!("no queue discipline {other}"),
    }
}

/// A version of ns-3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    /// 3.48, unmodified.
    AsItIs,
    /// 3.48 with `bench/peers/ns3-mended.patch`.
    Mended,
}

/// The profile of a TCP of the table.
fn profile(version: Version, tcp: &str, ecn: bool) -> Profile {
    let mut profile = Profile::modern(match tcp {
        "linuxreno" => Algorithm::Reno,
        "cubic" => Algorithm::Cubic,
        other => panic!("no TCP {other}"),
    });
    profile.segment_size = SEGMENT;
    profile.header_size = HEADER;
    profile.ack_size = HEADER;
    profile.receiver_window = WINDOW;
    profile.loss_detection = LossDetection::DupAck;
    profile.lost_retransmissions = false;
    profile.reduction = Reduction::Proportional;
    profile.hystart = HyStartKind::Off;
    if version == Version::AsItIs && tcp == "linuxreno" {
        profile.growth = Growth::CountedAsNs3;
    }
    if ecn {
        profile.ecn = EcnMode::Classic;
    }
    profile
}

/// Every case of the table that has a run.
pub(crate) fn cases(version: Version) -> Vec<Case> {
    let mut all = Vec::new();
    let sizes: &[u32] = match version {
        Version::AsItIs => &[20, 5],
        Version::Mended => &[5],
    };
    for &flows in sizes {
        for tcp in ["linuxreno", "cubic"] {
            let case = |discipline, ecn| case(version, tcp, discipline, ecn, flows);
            all.push(case("droptail", false));
            for discipline in ["red", "ared", "codel", "pie", "fqcodel"] {
                for ecn in [false, true] {
                    all.push(case(discipline, ecn));
                }
            }
        }
    }
    all
}

/// A dumbbell whose bottleneck is two links in a row. ns-3's device holds the packet being sent and
/// one that waits, which the queue discipline does not see. Here the first link has the queue and
/// no delay, and the packet that it sends is the one that waits.
struct DeviceDumbbell {
    network: Network,
    left: Node,
    right: Node,
    bottleneck: LinkId,
}

impl DeviceDumbbell {
    fn new(queue: &str) -> DeviceDumbbell {
        let mut network = Network::new();
        let (left, right) = (network.node("left"), network.node("right"));
        let device = network.node("device");
        let rate = BitsPerSec::from_mbps(10);
        let queue = queue.parse().unwrap_or_else(|e| panic!("{queue}: {e}"));
        let waiting = Link::new(rate, Nanos::ZERO).queue(queue);
        let wire = Link::new(rate, Nanos::from_millis(20));
        let bottleneck = network.link(left, device, waiting);
        network.link(device, right, wire.clone());
        network.link(right, left, wire);
        DeviceDumbbell {
            network,
            left,
            right,
            bottleneck,
        }
    }

    fn host(&mut self, router: Node) -> Node {
        let host = self.network.node(format!("host {}", self.network.nodes()));
        let access = Link::new(BitsPerSec::from_mbps(100), Nanos::from_millis(1));
        self.network.duplex(host, router, access);
        host
    }
}

fn case(version: Version, tcp: &str, discipline: &str, ecn: bool, flows: u32) -> Case {
    let setting = match (discipline, ecn) {
        ("droptail", _) => "",
        (_, true) => ",ecn=on",
        (_, false) => ",ecn=off",
    };
    let mut dumbbell = DeviceDumbbell::new(&format!("{}{setting}", queue(discipline)));
    let profile = Arc::new(profile(version, tcp, ecn));
    let mut senders = Vec::new();
    for _ in 0..flows {
        let (from, to) = (dumbbell.host(dumbbell.left), dumbbell.host(dumbbell.right));
        let flow = Flow::bulk(from, to, &profile).between(Nanos::ZERO, Nanos::from_secs(1));
        senders.push(flow);
    }
    let mut run = Run::new(dumbbell.network, TO);
    run.flows = senders;
    run.measure.warm_up = FROM;
    run.measure.sojourn = Some(earlydrop_sim::measure::Queues::All);
    let marking = if ecn { "ecn" } else { "noecn" };
    Case {
        name: format!("{tcp}.{discipline}.{marking}.N{flows}"),
        seeds: SEEDS,
        run,
        bottleneck: dumbbell.bottleneck,
        figures,
    }
}

fn figures(outcome: &Outcome) -> Measured {
    let queue = outcome.queue;
    let together = outcome.results.together();
    let counters = &queue.counters;
    let sojourn = queue.sojourn.as_ref().expect("it was asked for");
    let flows = outcome.results.flows.iter();
    let sum = |what: fn(&earlydrop_sim::tcp::SenderCounts) -> u32| {
        let counts = flows.clone().map(|flow| f64::from(what(&flow.sender)));
        counts.sum::<f64>()
    };
    let marked = counters.marked.packets as f64 / counters.arrived.packets as f64;
    Measured::from([
        ("util", queue.utilisation),
        ("meanq", queue.mean_packets),
        ("sojourn", queue.mean_sojourn.unwrap().as_secs_f64()),
        ("sojourn_p99", sojourn.quantile(0.99).as_secs_f64()),
        ("loss_pct", loss_percent(queue)),
        ("mark_pct", 100.0 * marked),
        (
            "goodput_mbps",
            together.goodput * 1e-6 / together.flows as f64,
        ),
        ("jain", together.jain),
        ("timeouts", together.timeouts as f64),
        ("recoveries", sum(|counts| counts.recoveries)),
        ("ecn_cuts", sum(|counts| counts.marks)),
    ])
}
