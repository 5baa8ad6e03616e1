//! A long run allocates nothing for a packet, and a flow takes little memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use earlydrop::registry::{LinkFacts, SCHEMES, Spec};
use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_sim::Run;
use earlydrop_sim::cost::Cost;
use earlydrop_sim::network::{
    Change, Dumbbell, Fabric, FabricLinks, Link, Network, Node, ParkingLot,
};
use earlydrop_sim::spread::Spread;
use earlydrop_sim::tcp::{Algorithm, Profile, Recovery};
use earlydrop_sim::traffic::{Application, Flow, Pattern, Ports};

/// The system's allocator, counting this thread's allocations and the bytes it holds.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    static HELD: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        let held = HELD.with(Cell::get) + layout.size() as i64;
        HELD.with(|cell| cell.set(held));
        PEAK.with(|peak| peak.set(peak.get().max(held)));
        // SAFETY: the caller's promises are the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        HELD.with(|held| held.set(held.get() - layout.size() as i64));
        // SAFETY: the block came from `alloc` above, so from the system.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A run of `flows` bulk transfers over 100 Mbps.
fn run(queue: &str, profile: Profile, flows: u32) -> Run {
    let link = Link::new(BitsPerSec::from_mbps(100), Nanos::from_millis(10));
    let mut dumbbell = Dumbbell::new(link.clone().queue(queue.parse().unwrap()), link);
    let profile = Arc::new(profile);
    let (rate, delay) = (BitsPerSec::from_mbps(1000), Nanos::from_millis(1));
    let ends: Vec<_> = (0..flows).map(|_| dumbbell.pair(rate, delay)).collect();
    let mut run = Run::new(dumbbell.network, Nanos::from_secs(60));
    for (from, to) in ends {
        run.add(Flow::bulk(from, to, &profile).between(Nanos::ZERO, Nanos::from_secs(1)));
    }
    run
}

/// Allocations in the 25 s after a warm-up of 5 s, with hundreds of thousands of packets.
fn allocations(run: &Run) -> u64 {
    let mut simulation = run.start().unwrap();
    simulation.run_until(Nanos::from_secs(5));
    let before = ALLOCATIONS.with(Cell::get);
    simulation.run_until(Nanos::from_secs(30));
    let made = ALLOCATIONS.with(Cell::get) - before;
    let results = simulation.finish();
    assert!(results.totals.delivered.packets > 400_000);
    made
}

/// Collections that grow to their greatest size, such as the event queue or a receiver's
/// out-of-order queue, may do so late: a few times for each flow at most.
#[test]
fn a_steady_run_allocates_nothing_for_a_packet() {
    let mut modern = Profile::modern(Algorithm::Cubic);
    modern.receiver_window = 500;
    let cases = [
        ("droptail:limit=100", Profile::ns2(Recovery::Reno)),
        ("red:min=20,max=60", Profile::ns2(Recovery::NewReno)),
        ("codel", modern),
        ("fq-codel", Profile::modern(Algorithm::Cubic)),
    ];
    for (queue, profile) in cases {
        let flows = 50;
        let mut run = run(queue, profile, flows);
        let nodes = (
            earlydrop_sim::network::Node(2),
            earlydrop_sim::network::Node(3),
        );
        let rate = BitsPerSec::from_mbps(5);
        run.add(Flow::datagrams(
            nodes.0,
            nodes.1,
            Bytes(500),
            rate,
            Pattern::Constant,
        ));
        let made = allocations(&run);
        println!("{queue}: {made} allocations");
        assert!(made <= 10 * u64::from(flows), "{queue}: {made} allocations");
    }
}

#[test]
fn a_step_of_a_steered_run_allocates_nothing() {
    let link = earlydrop_sim::network::LinkId(0);
    let mut run = run("dial:limit=100", Profile::ns2(Recovery::Reno), 50);
    run.network.get_mut(link).steered = true;
    let mut simulation = run.start().unwrap();
    let mut steps = |until: u64| {
        let before = ALLOCATIONS.with(Cell::get);
        while simulation.now() < Nanos::from_secs(until) {
            simulation.run_until(simulation.now() + Nanos::from_millis(10));
            let state = simulation.look(link).unwrap();
            simulation.probes(link, &mut |_, _| {}).unwrap();
            let probability = 0.001 * f64::from(state.packets);
            let setting = earlydrop::steering::Setting::Probability(probability);
            simulation.steer(link, &setting).unwrap();
        }
        ALLOCATIONS.with(Cell::get) - before
    };
    steps(5);
    let made = steps(30);
    assert!(made <= 500, "{made} allocations in 2500 steps");
}

/// Ten thousand flows while they send, with their links. A modern sender also has a scoreboard,
/// RACK's state with the transmit times of 16 segments, and ten packets in flight at once. Most have
/// lost a SYN, which is counted for each.
#[test]
fn a_flow_takes_little_memory() {
    for (profile, most) in [
        (Profile::ns2(Recovery::NewReno), 1024),
        (Profile::modern(Algorithm::Cubic), 1800),
    ] {
        let held = |flows: u32| {
            let run = run("droptail:limit=1000", profile, flows);
            let before = HELD.with(Cell::get);
            let mut simulation = run.start().unwrap();
            simulation.run_until(Nanos::from_secs(3));
            HELD.with(Cell::get) - before
        };
        let each = (held(10_000) - held(100)) / 9900;
        println!("{each} bytes for each flow");
        assert!(each <= most, "{each} bytes for each flow");
    }
}

/// Bytes at most while a run is described and run, and the estimate of it.
fn peak(run: impl Fn() -> Run) -> (Cost, f64) {
    let before = HELD.with(Cell::get);
    PEAK.with(|peak| peak.set(before));
    let run = run();
    run.results().unwrap();
    let peak = PEAK.with(Cell::get) - before;
    (run.cost(), peak as f64)
}

/// The shapes of networks.
const SHAPES: [&str; 4] = ["dumbbell", "parking-lot", "leaf-spine", "fat-tree"];

/// A network of links with this queue, and pairs of hosts.
fn network(shape: &str, queue: &Spec) -> (Network, Vec<(Node, Node)>) {
    let link = Link::new(BitsPerSec::from_mbps(100), Nanos::from_millis(2)).queue(queue.clone());
    let links = FabricLinks {
        to_host: link.clone(),
        between_switches: link.clone(),
        from_host: link.clone(),
    };
    let (rate, delay) = (BitsPerSec::from_mbps(1000), Nanos::from_millis(1));
    let fabric = match shape {
        "dumbbell" => {
            let mut dumbbell = Dumbbell::new(link.clone(), link);
            let pairs = (0..FLOWS).map(|_| dumbbell.pair(rate, delay)).collect();
            return (dumbbell.network, pairs);
        }
        "parking-lot" => {
            let mut lot = ParkingLot::new([link.clone(), link.clone(), link]);
            let pair = |_| [0, 3].map(|router| lot.host(router, rate, delay)).into();
            let pairs = (0..FLOWS).map(pair).collect();
            return (lot.network, pairs);
        }
        "leaf-spine" => Fabric::leaf_spine(4, 2, 4, &links),
        _ => Fabric::fat_tree(4, &links),
    };
    let host = |number: usize| fabric.hosts[number % fabric.hosts.len()];
    let pairs = (0..FLOWS).map(|number| (host(number), host(number + 5)));
    (fabric.network, pairs.collect())
}

const FLOWS: usize = 20;

/// The smallest and the largest estimate, as a share of what was taken, of every scheme in every
/// shape of network with short, long and endless queues, loaded by `traffic`.
fn estimates(traffic: impl Fn(&mut Run, &[(Node, Node)])) -> (f64, f64) {
    let link = LinkFacts::at(BitsPerSec::from_mbps(100));
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    for scheme in SCHEMES {
        for limit in [100, 10_000, 1_000_000] {
            let queue = Spec::of(scheme).with("limit", limit).unwrap();
            // So small a limit may be below a scheme's thresholds.
            if queue.plan(&link).is_err() {
                continue;
            }
            let mut line = queue.to_string();
            for shape in SHAPES {
                let (cost, took) = peak(|| {
                    let (network, pairs) = network(shape, &queue);
                    let mut run = Run::new(network, Nanos::from_millis(100));
                    traffic(&mut run, &pairs);
                    run
                });
                let share = cost.memory() / took;
                (least, most) = (least.min(share), most.max(share));
                line += &format!(" | {:.2} MB {share:.2}", took / 1e6);
            }
            println!("{line}");
        }
    }
    println!("estimate / peak: {least:.2} to {most:.2}");
    (least, most)
}

#[test]
fn the_memory_of_networks_and_schemes_is_estimated() {
    let (least, most) = estimates(|run, pairs| {
        let (from, to) = pairs[0];
        let rate = BitsPerSec::from_mbps(1);
        run.add(Flow::datagrams(
            from,
            to,
            Bytes(500),
            rate,
            Pattern::Constant,
        ));
    });
    assert!(least > 1.0 / 1.5 && most < 1.5, "{least} to {most}");
}

/// How far TCP fills queues is not known before, so what packets take is bounded from above.
#[test]
fn the_memory_of_a_loaded_network_is_not_underestimated() {
    let profile = Arc::new(Profile::modern(Algorithm::Cubic));
    let (least, _) = estimates(|run, pairs| {
        for (from, to) in pairs {
            run.add(Flow::bulk(*from, *to, &profile));
        }
    });
    assert!(least > 1.0 / 1.5, "{least}");
}

/// Packets are not more than links carry, and transfers take round trips: an estimate from above
/// that is far off would refuse what can be run.
#[test]
fn the_memory_of_a_long_buffer_and_of_short_transfers_is_not_far_overestimated() {
    let profile = Arc::new(Profile::modern(Algorithm::Cubic));
    let pages = Application::Web {
        ports: Ports::New,
        size: Spread::constant(Bytes(10_000)),
        pause: Spread::constant(Nanos::from_millis(1)),
    };
    for (what, mbps, queue, application) in [
        ("buffer", 10, "droptail:limit=1000000", Application::Bulk),
        ("pages", 1000, "droptail:limit=1000", pages),
    ] {
        let (cost, took) = peak(|| {
            let link = Link::new(BitsPerSec::from_mbps(mbps), Nanos::from_millis(10));
            let mut dumbbell = Dumbbell::new(link.clone().queue(queue.parse().unwrap()), link);
            let (rate, delay) = (BitsPerSec::from_mbps(2 * mbps), Nanos::from_millis(1));
            let ends: Vec<_> = (0..50).map(|_| dumbbell.pair(rate, delay)).collect();
            let mut run = Run::new(dumbbell.network, Nanos::from_secs(10));
            for (from, to) in ends {
                run.add(Flow::tcp(from, to, &profile, application.clone()));
            }
            run
        });
        let share = cost.memory() / took;
        println!("{what}: {:.2} MB {share:.2} {cost:?}", took / 1e6);
        assert!((1.0..4.0).contains(&share), "{what}: {share}");
    }
}

/// Two thousand flows of one application with their delays, at a buffer that none of them fills.
#[test]
fn the_memory_of_many_flows_with_delays_is_not_underestimated() {
    let profile = Arc::new(Profile::modern(Algorithm::Cubic));
    let size = Spread::constant(Bytes(50_000));
    let pause = Spread::constant(Nanos::from_millis(500));
    for (what, application) in [
        ("transfer", Application::Transfer(Bytes(50_000))),
        (
            "web",
            Application::Web {
                ports: Ports::Same,
                size: size.clone(),
                pause: pause.clone(),
            },
        ),
        (
            "requests",
            Application::Requests {
                request: Bytes(500),
                response: size,
                think: pause,
            },
        ),
    ] {
        let (cost, took) = peak(|| {
            let mut dumbbell = {
                let link = Link::new(BitsPerSec::from_mbps(100), Nanos::from_millis(10));
                let queue = "droptail:limit=100000".parse().unwrap();
                Dumbbell::new(link.clone().queue(queue), link)
            };
            let (rate, delay) = (BitsPerSec::from_mbps(200), Nanos::from_millis(1));
            let ends: Vec<_> = (0..2000).map(|_| dumbbell.pair(rate, delay)).collect();
            let mut run = Run::new(dumbbell.network, Nanos::from_secs(10));
            run.measure.delays = true;
            for (from, to) in ends {
                run.add(Flow::tcp(from, to, &profile, application.clone()));
            }
            run
        });
        let share = cost.memory() / took;
        println!("{what}: {:.2} MB {share:.2} {cost:?}", took / 1e6);
        assert!((1.0..4.0).contains(&share), "{what}: {share}");
    }
}

/// Thousands of flows whose packets are sprayed over all routes, between few hosts and between many.
#[test]
fn the_memory_of_sprayed_routes_is_estimated() {
    let profile = Arc::new(Profile::modern(Algorithm::Reno));
    for (leaves, spines, hosts) in [(2, 16, 2), (8, 2, 32), (8, 16, 32)] {
        let (cost, took) = peak(|| {
            let link = Link::new(BitsPerSec::from_mbps(1000), Nanos::from_micros(1));
            let port = link.clone().queue("droptail:limit=25".parse().unwrap());
            let links = FabricLinks::equal(link, port);
            let mut fabric = Fabric::leaf_spine(leaves, spines, hosts, &links);
            fabric.network.spraying = true;
            let count = fabric.hosts.len();
            let mut run = Run::new(fabric.network, Nanos::from_millis(1));
            for number in 0..4000 {
                let from = number % count;
                let to = (from + 1 + number * 7 % (count - 1)) % count;
                let (from, to) = (fabric.hosts[from], fabric.hosts[to]);
                run.add(Flow::bulk(from, to, &profile));
            }
            run
        });
        let share = cost.memory() / took;
        println!("{leaves} {spines} {hosts}: {:.2} MB {share:.2}", took / 1e6);
        assert!(
            (1.0..2.0).contains(&share),
            "{leaves} {spines} {hosts}: {share}"
        );
    }
}

/// A table of a million flows, which a scheme has from the start, is not built and then copied.
#[test]
fn the_memory_of_a_table_of_flows_is_taken_once() {
    for queue in ["sfred:flows=1048576", "cake:limit=100", "sfb:bins=65536"] {
        let (cost, took) = peak(|| {
            let link = Link::new(BitsPerSec::from_mbps(10), Nanos::from_millis(2));
            let dumbbell = Dumbbell::new(link.clone().queue(queue.parse().unwrap()), link);
            Run::new(dumbbell.network, Nanos::from_millis(100))
        });
        let share = cost.memory() / took;
        assert!(
            share > 1.0 / 1.5 && share < 1.5,
            "{queue}: {share} of {took}"
        );
    }
}

#[test]
fn the_memory_of_links_that_change_or_wait_is_estimated() {
    for (changes, slot) in [(0, None), (4, None), (0, Some(Nanos::from_millis(1)))] {
        let (cost, took) = peak(|| {
            let delay = Nanos::from_millis(2);
            let rate = BitsPerSec::from_mbps(10);
            // A link that changes or waits has a queue even if it is described without.
            let mut link = Link::new(rate, delay);
            link.slot = slot;
            link.changes = (0..changes)
                .map(|at| (Nanos::from_millis(at), Change::Rate(rate)))
                .collect();
            let links = FabricLinks {
                to_host: link.clone(),
                between_switches: link.clone(),
                from_host: Link::new(rate, delay),
            };
            let fabric = Fabric::leaf_spine(4, 2, 512, &links);
            Run::new(fabric.network, Nanos::from_millis(100))
        });
        let share = cost.memory() / took;
        println!("{changes} changes, slots of {slot:?}: {share:.2} of {took}");
        assert!(share > 1.0 / 1.5 && share < 1.5, "{share} of {took}");
    }
}

/// Of a group, the packets of each interval are kept, and not those of each of its flows.
#[test]
fn the_memory_of_series_of_groups_does_not_grow_with_their_flows() {
    let (cost, took) = peak(|| {
        let link = Link::new(BitsPerSec::from_mbps(100), Nanos::from_millis(2));
        let dumbbell = Dumbbell::new(link.clone().queue("red".parse().unwrap()), link);
        let mut run = Run::new(dumbbell.network, Nanos::from_secs(2));
        run.measure.arrivals_every = Some(Nanos::from_millis(1));
        run.measure.departures_every = Some(Nanos::from_millis(1));
        for _ in 0..1000 {
            run.add(Flow::voice(dumbbell.left, dumbbell.right));
        }
        run
    });
    let share = cost.memory() / took;
    println!("{share:.2} of {took}");
    assert!(share > 1.0 / 1.5, "{share} of {took}");
}

/// Connections that a flow opens belong to its group, and are counted with it.
#[test]
fn the_memory_of_series_of_groups_does_not_grow_with_their_connections() {
    let profile = Arc::new(Profile::modern(Algorithm::Reno));
    let (cost, took) = peak(|| {
        let link = Link::new(BitsPerSec::from_mbps(100), Nanos::from_millis(2));
        let dumbbell = Dumbbell::new(link.clone().queue("red".parse().unwrap()), link);
        let mut run = Run::new(dumbbell.network, Nanos::from_secs(4));
        run.measure.arrivals_every = Some(Nanos::from_millis(1));
        run.measure.departures_every = Some(Nanos::from_millis(1));
        let application = Application::Arrivals {
            every: Spread::constant(Nanos::from_millis(1)),
            size: Spread::constant(Bytes(1_000_000)),
            at_most: 1000,
        };
        let (from, to) = (dumbbell.left, dumbbell.right);
        run.add(Flow::tcp(from, to, &profile, application));
        run
    });
    println!("{:.2} MB of {:.2} MB", cost.memory() / 1e6, took / 1e6);
    assert!(took < 1.5 * cost.memory() + 1e6, "{took} of {cost:?}");
}

/// Packets wait in hosts for their processing time, of which the network holds none.
#[test]
fn the_memory_of_packets_in_slow_hosts_is_estimated() {
    let profile = Arc::new(Profile::modern(Algorithm::Cubic));
    for (overhead, is_tcp) in [(1, false), (1_000_000_000, false), (1, true)] {
        let (cost, took) = peak(|| {
            let link = Link::new(BitsPerSec::from_mbps(100), Nanos::from_millis(2));
            let dumbbell = Dumbbell::new(link.clone().queue("codel".parse().unwrap()), link);
            let (from, to) = (dumbbell.left, dumbbell.right);
            let mut run = Run::new(dumbbell.network, Nanos::from_secs(3));
            let rate = BitsPerSec::from_mbps(11);
            // What one flow sends alone over a link is computed ahead, and waits nowhere.
            for _ in 0..2 {
                let flow = match is_tcp {
                    true => Flow::bulk(from, to, &profile),
                    false => Flow::datagrams(from, to, Bytes(100), rate, Pattern::Constant),
                };
                run.add(flow.overhead(Nanos::from_secs(overhead)));
            }
            run
        });
        println!(
            "{overhead} s: {:.2} of {:.2} MB",
            cost.memory() / 1e6,
            took / 1e6
        );
        assert!(took < 1.5 * cost.memory() + 1e6, "{took} of {cost:?}");
        // Windows grow by round trips, which the processing time makes long.
        assert!(cost.memory() < 4.0 * took, "{took} of {cost:?}");
    }
}

/// A queue of a large network knows of losses of the flows that cross it, and not of all flows.
#[test]
fn the_memory_of_loss_events_does_not_grow_with_flows_elsewhere() {
    let (cost, took) = peak(|| {
        let queue: Spec = "droptail:limit=2".parse().unwrap();
        let link = Link::new(BitsPerSec::from_mbps(1), Nanos::from_millis(2)).queue(queue);
        let links = FabricLinks {
            to_host: link.clone(),
            between_switches: link.clone(),
            from_host: link.clone(),
        };
        let fabric = Fabric::leaf_spine(9, 4, 16, &links);
        let mut run = Run::new(fabric.network, Nanos::from_millis(100));
        run.measure.loss_event = Some(Nanos::from_millis(10));
        let host = |number: usize| fabric.hosts[number % fabric.hosts.len()];
        for flow in 0..20_000 {
            run.add(Flow::voice(host(flow), host(flow * 7 + 1)));
        }
        run
    });
    println!("{:.2} MB of {:.2} MB", cost.memory() / 1e6, took / 1e6);
    assert!(took < 1.5 * cost.memory() + 1e6, "{took} of {cost:?}");
}
