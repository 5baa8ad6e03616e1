//! Random runs: any network, queue, traffic and link changes.
//!
//! Times and rates are arbitrary numbers of nanoseconds and bits per second, so that two packets
//! hardly ever arrive at one place in the same nanosecond.

use std::sync::Arc;

use earlydrop::packet::Ecn;
use earlydrop::registry::{Link as LinkFacts, SCHEMES, Spec};
use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_sim::Run;
use earlydrop_sim::network::{Change, Dumbbell, Link, Network, Node, ParkingLot};
use earlydrop_sim::spread::{Law, Spread};
use earlydrop_sim::tcp::{
    Algorithm, DelayedAcks, EcnFeedback, EcnMode, Growth, Handshake, LossDetection, Profile,
    Recovery, Reduction, RttSampling, Rules,
};
use earlydrop_sim::traffic::{Application, Flow, FlowId, Pattern, Ports, Step, Traffic};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

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
    let links = vec(link(), 3..6);
    let shape = (0..4_u8, 2..5_usize, vec((0..8_u32, 0..8_u32), 0..4));
    (
        shape,
        links,
        vec(access(), 2..7),
        vec(flow(), 1..7),
        duration_seed_warm_up(),
    )
        .prop_map(
            |((shape, length, shortcuts), links, access, flows, (millis, seed, warm_up))| {
                let built = match shape {
                    0 | 1 => dumbbell(&links, &access),
                    2 => parking_lot(&links[..length.min(links.len())], &access),
                    _ => graph(&links, &access, &shortcuts),
                };
                let (network, hosts) = built;
                let duration = Nanos(millis * 1_000_000 + 77);
                let mut run = Run::new(network, duration).seed(seed);
                run.measure.warm_up = Nanos(warm_up * duration.0 / 10);
                for (index, flow) in flows.iter().enumerate() {
                    run.add(flow.build(index, &hosts, duration));
                }
                run
            },
        )
}

/// Duration in ms, seed, and warm-up in tenths of the duration.
fn duration_seed_warm_up() -> impl Strategy<Value = (u64, u64, u64)> {
    (
        300..3000_u64,
        any::<u64>(),
        prop_oneof![Just(0_u64), 0..6_u64],
    )
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

/// A link of 1 to 20 Mbps with any queue or none, and anything that can happen to it.
fn link() -> impl Strategy<Value = Link> {
    let rate = 1_000_000..20_000_000_u64;
    let delay = 1..30_000_000_u64;
    let share = || prop_oneof![3 => Just(0.0), 1 => 0.0..0.05_f64];
    let changes = prop_oneof![3 => vec(change(), 0..1), 1 => vec(change(), 1..5)];
    let trace = prop_oneof![5 => vec(1..9_u32, 0..1), 1 => vec(0..6_u32, 3..40)];
    (
        rate,
        delay,
        queue(),
        share(),
        (share(), 1..9_000_000_u64),
        changes,
        trace,
    )
        .prop_map(
            |(rate, delay, queue, loss, (reorder, hold), changes, trace)| {
                let mut link = Link::new(BitsPerSec(rate), Nanos(delay)).losing(loss);
                link.queue = queue;
                if reorder > 0.0 {
                    link = link.reordering(10.0 * reorder, Nanos(hold));
                }
                link.changes = changes;
                if trace.len() > 2 {
                    let mut at = 1;
                    let lines = trace.iter().map(|step| {
                        at += step;
                        format!("{at}\n")
                    });
                    link.trace = Some(lines.collect::<String>().parse().unwrap());
                }
                // Some schemes refuse a limit below their thresholds.
                let facts = facts(&link);
                let refused = |spec: &Spec| spec.plan(&facts).is_err();
                if let Some(spec) = link.queue.as_mut().filter(|spec| refused(spec)) {
                    *spec = Spec::of(spec.descriptor());
                }
                link
            },
        )
}

/// The facts about a link that its queue's scheme needs.
pub(crate) fn facts(link: &Link) -> LinkFacts {
    LinkFacts {
        rate: link.mean_rate(),
        mean_packet: link.mean_packet,
    }
}

fn change() -> impl Strategy<Value = (Nanos, Change)> {
    let what = prop_oneof![
        (500_000..30_000_000_u64).prop_map(|rate| Change::Rate(BitsPerSec(rate))),
        (1..40_000_000_u64).prop_map(|delay| Change::Delay(Nanos(delay))),
        Just(Change::Down),
        Just(Change::Up),
        Just(Change::Up),
    ];
    (0..3_000_000_000_u64, what).prop_map(|(at, what)| (Nanos(at), what))
}

/// None, drop-tail, or any registered scheme.
fn queue() -> impl Strategy<Value = Option<Spec>> {
    let scheme = (0..SCHEMES.len(), 5..150_u32).prop_map(|(index, limit)| {
        let spec = Spec::of(SCHEMES[index]);
        let limited = spec.clone().with("limit", format!("{limit} packets"));
        Some(limited.unwrap_or(spec))
    });
    let droptail = (1..60_u32).prop_map(|limit| {
        let spec = Spec::new("droptail").unwrap();
        Some(spec.with("limit", format!("{limit} packets")).unwrap())
    });
    prop_oneof![2 => Just(None), 2 => droptail, 6 => scheme]
}

/// A flow before its hosts are known.
#[derive(Clone, Debug)]
struct FlowCase {
    ends: (usize, usize),
    traffic: Traffic,
    start: u64,
    between: bool,
    overhead: u64,
    class: u8,
    steps: Vec<(u64, u8)>,
}

fn flow() -> impl Strategy<Value = FlowCase> {
    let traffic = prop_oneof![5 => tcp().boxed(), 2 => datagrams().boxed()];
    let overhead = prop_oneof![2 => Just(0_u64), 1 => 1..400_000_u64];
    let steps = prop_oneof![3 => vec((0..3_000_000_000_u64, 0..5_u8), 0..1), 1 => vec((0..3_000_000_000_u64, 0..5_u8), 1..4)];
    let place = (0..24_usize, 0..24_usize, 0..300_000_000_u64, any::<bool>());
    (place, traffic, overhead, 0..8_u8, steps).prop_map(
        |((from, to, start, between), traffic, overhead, class, steps)| FlowCase {
            ends: (from, to),
            traffic,
            start,
            between,
            overhead,
            class,
            steps,
        },
    )
}

impl FlowCase {
    fn build(&self, index: usize, hosts: &[Node], duration: Nanos) -> Flow {
        let count = hosts.len();
        let from = self.ends.0 % count;
        let to = match self.ends.1 % count {
            to if to == from => (to + 1) % count,
            to => to,
        };
        let mut flow = Flow::new(hosts[from], hosts[to], self.traffic.clone());
        let start = Nanos(self.start.min(duration.0 / 2));
        flow = match self.between {
            true => flow.between(start, Nanos(duration.0 / 2 + 1)),
            false => flow.at(start),
        };
        flow = flow.overhead(Nanos(self.overhead)).class(self.class);
        flow = flow.group(["one", "two", "three"][index % 3]);
        for (at, what) in &self.steps {
            let step = match what {
                0 | 1 => Step::Stop,
                2 | 3 => Step::Resume,
                _ => Step::Rate(BitsPerSec(1_234_567)),
            };
            flow = flow.then(Nanos(*at), step);
        }
        flow
    }
}

fn law() -> impl Strategy<Value = Law> {
    prop_oneof![
        Just(Law::Constant),
        Just(Law::Uniform),
        Just(Law::Exponential),
        Just(Law::Pareto { shape: 1.5 }),
        Just(Law::Lomax { shape: 2.5 }),
        Just(Law::LogNormal { sigma: 0.7 }),
    ]
}

fn span(longest: u64) -> impl Strategy<Value = Spread<Nanos>> {
    (1000..longest, law()).prop_map(|(mean, law)| Spread::new(Nanos(mean), law))
}

fn amount(longest: u64) -> impl Strategy<Value = Spread<Bytes>> {
    (1..longest, law()).prop_map(|(mean, law)| Spread::new(Bytes(mean), law))
}

fn datagrams() -> impl Strategy<Value = Traffic> {
    let pattern = prop_oneof![
        Just(Pattern::Constant),
        // Bursts of a thousandth of a datagram at least.
        (120_000..60_000_000_u64, law(), span(60_000_000)).prop_map(|(on, law, off)| {
            let on = Spread::new(Nanos(on), law);
            Pattern::OnOff { on, off }
        }),
    ];
    let ecn = prop_oneof![Just(Ecn::NotCapable), Just(Ecn::Ect0), Just(Ecn::Ect1)];
    (40..1500_u64, 100_000..6_000_000_u64, pattern, ecn).prop_map(|(size, rate, pattern, ecn)| {
        Traffic::Datagrams {
            size: Bytes(size),
            rate: BitsPerSec(rate),
            pattern,
            ecn,
        }
    })
}

fn tcp() -> impl Strategy<Value = Traffic> {
    let application = prop_oneof![
        3 => Just(Application::Bulk),
        1 => (1..300_000_u64).prop_map(|size| Application::Transfer(Bytes(size))),
        1 => (amount(30_000), span(90_000_000), any::<bool>()).prop_map(|(size, pause, new)| {
            let ports = if new { Ports::New } else { Ports::Same };
            Application::Web { ports, size, pause }
        }),
        1 => (40..1500_u64, amount(30_000), span(90_000_000)).prop_map(
            |(request, size, pause)| Application::Pages {
                request: Bytes(request),
                size,
                pause,
            }
        ),
        1 => (span(90_000_000), amount(20_000), 1..6_u32).prop_map(|(every, size, at_most)| {
            Application::Arrivals { every, size, at_most }
        }),
        1 => (40..1500_u64, amount(30_000), span(90_000_000)).prop_map(
            |(request, response, think)| Application::Requests {
                request: Bytes(request),
                response,
                think,
            }
        ),
    ];
    (profile(), application).prop_map(|(profile, application)| Traffic::Tcp {
        profile: Arc::new(profile),
        application,
    })
}

fn profile() -> impl Strategy<Value = Profile> {
    let recovery = prop_oneof![
        Just(Recovery::Tahoe),
        Just(Recovery::Reno),
        Just(Recovery::NewReno),
        Just(Recovery::Sack),
    ];
    let control = prop_oneof![
        Just(Algorithm::Reno),
        Just(Algorithm::Cubic),
        Just(Algorithm::Dctcp),
        Just(Algorithm::Prague),
        Just(Algorithm::Scalable),
        Just(Algorithm::Bbr),
        Just(Algorithm::Bbr3),
    ];
    let ecn = prop_oneof![
        Just(None),
        Just(Some(EcnMode::Classic)),
        Just(Some(EcnMode::Dctcp)),
    ];
    let feedback = prop_oneof![
        4 => Just(None),
        1 => Just(Some(EcnFeedback::AccEcn)),
        1 => Just(Some(EcnFeedback::Ace)),
    ];
    let ecn = (ecn, feedback);
    let switches = (any::<bool>(), any::<bool>(), any::<bool>());
    let window = prop_oneof![1..40_u32, Just(1000)];
    (
        0..3_u8,
        recovery,
        control,
        ecn,
        switches,
        window,
        300..1500_u32,
    )
        .prop_map(
            |(
                base,
                recovery,
                control,
                (ecn, feedback),
                (delayed, handshake, timed),
                window,
                size,
            )| {
                let mut profile = match base {
                    0 => Profile::ns2(recovery),
                    1 => Profile::ns2_old_timers(recovery),
                    _ => Profile::modern(control),
                };
                profile.segment_size = size;
                profile.receiver_window = window;
                profile.delayed_acks = delayed.then_some(DelayedAcks {
                    every: 2,
                    timeout: Nanos(39_999_973),
                });
                if control != Algorithm::Scalable || profile.rules == Rules::Ns2 {
                    profile.ecn = ecn.unwrap_or(profile.ecn);
                }
                if profile.rules == Rules::Standard && profile.recovery == Recovery::Sack {
                    profile.ecn_feedback = feedback.or(profile.ecn_feedback);
                    profile.classic_ecn_fallback = delayed;
                }
                // Half of the senders detect losses by time.
                if size % 2 == 0 {
                    profile.loss_detection = LossDetection::DupAck;
                }
                if handshake {
                    profile.handshake = Handshake::None;
                }
                if profile.rules == Rules::Standard && control == Algorithm::Reno {
                    profile.recovery = recovery;
                    if recovery != Recovery::Sack {
                        profile.ecn_feedback = None;
                    }
                    profile.rtt_sampling = match timed {
                        true => RttSampling::OneAtATime,
                        false => RttSampling::Every,
                    };
                }
                if profile.rules == Rules::Standard && profile.recovery == Recovery::Sack && timed {
                    profile.reduction = Reduction::Proportional;
                    profile.growth = Growth::CountedAsNs3;
                }
                profile
            },
        )
}

/// `run` with every measurement switched on.
pub(crate) fn measured_more(run: &Run) -> Run {
    let mut run = run.clone();
    let measure = &mut run.measure;
    measure.delays = true;
    measure.round_trips = true;
    measure.sojourn = Some(earlydrop_sim::measure::Queues::All);
    measure.sample_every = Some(Nanos(7_654_321));
    measure.arrivals_every = Some(Nanos(7_654_321));
    measure.departures_every = Some(Nanos(7_654_321));
    measure.windows = (0..run.flows.len() as u32).map(FlowId).collect();
    measure.captures = run.network.links().map(|(id, ..)| id).collect();
    run
}
