//! Random runs: any network, queue, traffic and link changes.
//!
//! Times and rates are arbitrary numbers of nanoseconds and bits per second, so that two packets
//! hardly ever arrive at one place in the same nanosecond.
//!
//! Everything that a [`Run`] describes is generated. Enums are built by [`variants!`], whose
//! `match` does not compile without each variant; structs by literals with all fields, and
//! [`Coverage`] destructures them, so that a new field does not compile until it is counted. The
//! property tests fail if something counted never occurs.

use std::collections::BTreeMap;
use std::fmt::Debug;

use earlydrop::registry::LinkFacts;
use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_sim::Run;
use earlydrop_sim::measure::{Measure, Queues};
use earlydrop_sim::network::{
    Change, Classes, Dumbbell, Fabric, FabricLinks, Link, Network, Node, ParkingLot, Pfc,
    SharedBuffer,
};
use earlydrop_sim::traffic::FlowId;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// How often each variant and each setting has occurred.
#[derive(Debug, Default)]
pub(crate) struct Coverage(pub(crate) BTreeMap<String, u32>);

impl Coverage {
    /// Counts `name` if it `occurs`, and lists it in any case.
    pub(crate) fn count(&mut self, name: &str, occurs: bool) {
        *self.0.entry(name.to_string()).or_default() += u32::from(occurs);
    }

    /// Counts a setting that must occur both on and off.
    pub(crate) fn switch(&mut self, name: &str, on: bool) {
        self.count(name, on);
        self.count(&format!("no {name}"), !on);
    }

    /// Counts a number that must occur with its usual value and with others.
    pub(crate) fn varies<T: PartialEq + Debug>(&mut self, name: &str, value: T, usual: T) {
        self.count(&format!("{name} {usual:?}"), value == usual);
        self.count(&format!("{name} other than {usual:?}"), value != usual);
    }
}

/// Defines a strategy with a weight and a generator for each variant, and a function that counts
/// them. A variant without a line does not compile.
macro_rules! variants {
    ($strategy:ident, $count:ident, $type:ty: $($weight:literal $pattern:pat => $generator:expr,)*) => {
        fn $strategy() -> impl Strategy<Value = $type> {
            proptest::strategy::Union::new_weighted(vec![
                $(($weight, Strategy::boxed($generator)),)*
            ])
        }

        fn $count(value: &$type, seen: &mut Coverage) {
            match value {
                $($pattern => {})*
            }
            $(seen.count(stringify!($pattern), matches!(value, $pattern));)*
        }
    };
}

#[path = "random_links.rs"]
mod random_links;
#[path = "random_profiles.rs"]
mod random_profiles;
#[path = "random_traffic.rs"]
mod random_traffic;

use random_links::{count_link, link};
use random_traffic::{count_flow, flow};

/// A test runner with a fixed seed, so that a failure can be repeated. `EARLYDROP_CASES` and
/// `EARLYDROP_SEED` change cases and seed.
pub(crate) fn runner(cases: u32) -> TestRunner {
    let number = |name: &str| std::env::var(name).ok()?.parse::<u32>().ok();
    let config = Config {
        cases: number("EARLYDROP_CASES").unwrap_or(cases),
        failure_persistence: None,
        max_shrink_iters: 500,
        ..Config::default()
    };
    let mut seed = [7; 32];
    seed[..4].copy_from_slice(&number("EARLYDROP_SEED").unwrap_or(7).to_le_bytes());
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed))
}

/// A run of at most some ten thousand packets.
pub(crate) fn runs() -> impl Strategy<Value = Run> {
    (network(), vec(flow(), 1..7), duration_seed_warm_up()).prop_map(
        |((network, hosts), flows, (millis, seed, warm_up))| {
            let duration = Nanos(millis * 1_000_000 + 77);
            let measure = Measure {
                warm_up: Nanos(warm_up * duration.0 / 10),
                drain: Nanos(duration.0 / 3),
                ..Measure::default()
            };
            let build = |(index, flow): (usize, &random_traffic::FlowCase)| {
                flow.build(index, &hosts, duration)
            };
            Run {
                flows: flows.iter().enumerate().map(build).collect(),
                network,
                measure,
                duration,
                seed,
            }
        },
    )
}

/// Counts all that `run` describes.
pub(crate) fn count_run(run: &Run, seen: &mut Coverage) {
    let Run {
        network,
        flows,
        measure: _, // Set by the tests.
        duration: _,
        seed: _,
    } = run;
    let (multipath, spraying, reroute_after, shared_buffers, pauses) = network.options();
    seen.switch("multipath", multipath);
    seen.switch("spraying", spraying);
    seen.switch("reroutes", reroute_after.is_some());
    seen.switch("shared buffer", !shared_buffers.is_empty());
    for (_, SharedBuffer { size, alpha }) in shared_buffers {
        seen.count("small shared buffer", size.0 < 20_000);
        seen.count("alpha below 1", *alpha < 1.0);
        seen.count("alpha of 1 and more", *alpha >= 1.0);
    }
    seen.switch("pauses", !pauses.is_empty());
    for (_, Pfc { xoff, xon, classes }) in pauses {
        seen.switch("pauses by class", classes.is_some());
        seen.count("small XOFF", xoff.0 < 5000);
        seen.switch("XON below XOFF", xon < xoff);
    }
    for (_, _, _, link) in network.links() {
        count_link(link, seen);
    }
    for flow in flows {
        count_flow(flow, seen);
    }
}

/// Duration in ms, seed, and warm-up in tenths of the duration.
fn duration_seed_warm_up() -> impl Strategy<Value = (u64, u64, u64)> {
    (
        300..3000_u64,
        any::<u64>(),
        prop_oneof![Just(0_u64), 0..6_u64],
    )
}
/// What is built of some links: a line for each constructor of a topology.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Dumbbell,
    ParkingLot,
    LeafSpine,
    FatTree,
    Graph,
}

fn shape() -> impl Strategy<Value = Shape> {
    prop_oneof![
        8 => Just(Shape::Dumbbell),
        4 => Just(Shape::ParkingLot),
        1 => Just(Shape::LeafSpine),
        1 => Just(Shape::FatTree),
        4 => Just(Shape::Graph),
    ]
}

/// A network, and the nodes that may send and receive.
fn network() -> impl Strategy<Value = (Network, Vec<Node>)> {
    let rarely = || proptest::bool::weighted(0.1);
    (
        (shape(), 2..5_usize, vec((0..8_u32, 0..8_u32), 0..4)),
        vec(link(), 3..6),
        vec(access(), 2..7),
        (rarely(), rarely()),
        (
            proptest::option::weighted(0.12, (any::<u32>(), shared_buffer())),
            proptest::option::weighted(0.6, pfc()),
            proptest::option::weighted(0.5, 0..300_000_000_u64),
        ),
    )
        .prop_map(
            |(
                (shape, length, shortcuts),
                links,
                access,
                (multipath, spraying),
                (shared, pfc, after),
            )| {
                let (mut network, hosts) = match shape {
                    Shape::Dumbbell => dumbbell(&links, &access),
                    Shape::ParkingLot => parking_lot(&links[..length.min(links.len())], &access),
                    Shape::LeafSpine => fabric(&links, |links| Fabric::leaf_spine(2, 3, 2, links)),
                    Shape::FatTree => fabric(&links, |links| Fabric::fat_tree(4, links)),
                    Shape::Graph => graph(&links, &access, &shortcuts),
                };
                network.multipath |= multipath;
                network.spraying |= spraying;
                network.reroute_after = after.map(Nanos);
                if let Some((node, buffer)) = shared {
                    let from = network.links().nth(node as usize % network.links().len());
                    let node = from.map(|(_, from, ..)| from);
                    network.share_buffer(node.unwrap(), buffer);
                }
                if let (Shape::LeafSpine | Shape::FatTree, Some(limits)) = (shape, pfc) {
                    let switch = network.links().map(|(_, from, ..)| from);
                    let switch = switch.filter(|node| !hosts.contains(node)).max();
                    pause(&mut network, switch.unwrap(), limits);
                }
                (network, hosts)
            },
        )
}

fn shared_buffer() -> impl Strategy<Value = SharedBuffer> {
    let alpha = prop_oneof![Just(0.25), Just(0.5), Just(1.0), Just(8.0)];
    let size = prop_oneof![1 => 1500..20_000_u64, 2 => 20_000..300_000_u64];
    (size, alpha).prop_map(|(size, alpha)| SharedBuffer {
        size: Bytes(size),
        alpha,
    })
}

/// A queue for each class, of which two go before the others.
const BY_CLASS: &str = "drr:by=class,queues=8,strict=2,weights=3 1 2,inner=red";

fn pfc() -> impl Strategy<Value = Pfc> {
    let xoff = prop_oneof![1500..5000_u64, 5000..50_000_u64];
    let classes = prop_oneof![
        Just(None),
        prop::collection::vec(0..8_u8, 1..8).prop_map(|classes| Classes::new(&classes)),
    ];
    (xoff, prop_oneof![Just(1), Just(2)], classes).prop_map(|(xoff, part, classes)| Pfc {
        xoff: Bytes(xoff),
        xon: Bytes(xoff / part),
        classes,
    })
}

/// Lets a switch pause the links that lead to it, which then have queues and do not change; by class,
/// the queues tell classes apart.
fn pause(network: &mut Network, switch: Node, limits: Pfc) {
    let links = network.links();
    let of_switch = links.filter(|(_, from, to, _)| *from == switch || *to == switch);
    for id in of_switch.map(|(id, ..)| id).collect::<Vec<_>>() {
        let link = network.get_mut(id);
        link.changes.clear();
        link.trace = None;
        if limits.classes.is_some() {
            link.by_class = link.is_nic;
            link.queue = (!link.is_nic).then(|| BY_CLASS.parse().unwrap());
        } else if link.queue.is_none() && !link.is_nic {
            link.queue = Some("droptail".parse().unwrap());
        }
    }
    network.pause(switch, limits);
}

/// Switches whose links differ a little in their delays, as routes of equal lengths would bring
/// packets to one place in the same nanosecond.
fn fabric(links: &[Link], new: impl Fn(&FabricLinks) -> Fabric) -> (Network, Vec<Node>) {
    let mut from_host = links[0].clone();
    if from_host.rate.0.is_multiple_of(2) && !from_host.steered {
        from_host = from_host.network_card();
        let is_of_queue = |change: &Change| matches!(change, Change::Scheme(_));
        from_host.changes.retain(|(_, change)| !is_of_queue(change));
    }
    let links = FabricLinks {
        from_host,
        to_host: links[1].clone(),
        between_switches: links[2].clone(),
    };
    let Fabric {
        mut network, hosts, ..
    } = new(&links);
    let ids: Vec<_> = network.links().map(|(id, ..)| id).collect();
    for id in ids {
        network.get_mut(id).delay += Nanos(u64::from(id.0) * 1717);
    }
    (network, hosts)
}

fn access() -> impl Strategy<Value = (BitsPerSec, Nanos)> {
    let delay = prop_oneof![4 => 1..8_000_000_u64, 1 => Just(0)];
    (3_000_000..200_000_000_u64, delay).prop_map(|(rate, delay)| (BitsPerSec(rate), Nanos(delay)))
}

fn dumbbell(links: &[Link], access: &[(BitsPerSec, Nanos)]) -> (Network, Vec<Node>) {
    let mut dumbbell = Dumbbell::new(links[0].clone(), links[1].clone());
    let host = |(index, (rate, delay)): (usize, &(BitsPerSec, Nanos))| match index % 2 {
        0 => dumbbell.left_host(*rate, *delay),
        _ => dumbbell.right_host(*rate, *delay),
    };
    let hosts = access.iter().enumerate().map(host).collect();
    (dumbbell.network, hosts)
}

fn parking_lot(links: &[Link], access: &[(BitsPerSec, Nanos)]) -> (Network, Vec<Node>) {
    let mut lot = ParkingLot::new(links.iter().cloned());
    let routers = lot.routers.len();
    let host = |(index, (rate, delay)): (usize, &(BitsPerSec, Nanos))| {
        // The first two at the ends of the row.
        let router = [0, routers - 1, index % routers][index.min(2)];
        lot.host(router, *rate, *delay)
    };
    let hosts = access.iter().enumerate().map(host).collect();
    (lot.network, hosts)
}

/// Routers in a row with some more links among them. Hosts are routers too, and some have links of
/// their own.
fn graph(
    links: &[Link],
    access: &[(BitsPerSec, Nanos)],
    shortcuts: &[(u32, u32)],
) -> (Network, Vec<Node>) {
    let mut network = Network::new();
    let mut nodes = vec![network.node("0")];
    for (index, link) in links.iter().enumerate() {
        let node = network.node(format!("{}", index + 1));
        network.duplex(nodes[index], node, link.clone());
        nodes.push(node);
    }
    for (index, (a, b)) in shortcuts.iter().enumerate() {
        let count = nodes.len() as u32;
        if a % count != b % count {
            let mut link = links[index % links.len()].clone();
            link.delay += Nanos(1 + index as u64);
            network.link(Node(a % count), Node(b % count), link);
        }
    }
    for (index, (rate, delay)) in access.iter().enumerate().skip(2) {
        let host = network.node(format!("host {index}"));
        network.duplex(nodes[index % 4], host, Link::new(*rate, *delay));
        nodes.push(host);
    }
    (network, nodes)
}

/// The facts about a link that its queue's scheme needs.
pub(crate) fn facts(link: &Link) -> LinkFacts {
    LinkFacts {
        rate: link.mean_rate(),
        mean_packet: link.mean_packet,
    }
}

/// `run` with every measurement switched on.
pub(crate) fn measured_more(run: &Run) -> Run {
    let mut run = run.clone();
    let every = Nanos(7_654_321);
    let links = || run.network.links().map(|(id, ..)| id);
    run.measure = Measure {
        warm_up: run.measure.warm_up,
        drain: run.measure.drain,
        delays: true,
        round_trips: true,
        sojourn: Some(Queues::All),
        sample_every: Some(every),
        sampled: Queues::All,
        arrivals_every: Some(every),
        departures_every: Some(every),
        windows: (0..run.flows.len() as u32).map(FlowId).collect(),
        loss_event: None,
        captures: links().collect(),
        packets: Vec::new(),
    };
    run
}
