//! Random flows: any traffic at any time.

use std::sync::Arc;

use earlydrop::packet::Ecn;
use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_sim::network::Node;
use earlydrop_sim::replay::PacketTrace;
use earlydrop_sim::spread::{Law, Spread};
use earlydrop_sim::traffic::{
    Application, Flow, Incast, ListedTransfer, Pattern, Ports, Start, Step, Traffic,
};
use proptest::collection::vec;
use proptest::prelude::*;

use super::Coverage;
use super::random_profiles::{count_profile, profile};

/// A flow before its hosts are known: nodes are numbers to be taken modulo the number of hosts.
#[derive(Clone, Debug)]
pub(crate) struct FlowCase {
    ends: (usize, usize),
    traffic: Traffic,
    start: u64,
    between: bool,
    overhead: u64,
    /// Of its packets and of its acknowledgments.
    classes: (u8, Option<u8>),
    steps: Vec<(u64, Step)>,
}

variants! { step, count_step, Step:
    2 Step::Stop => Just(Step::Stop),
    2 Step::Resume => Just(Step::Resume),
    1 Step::Rate(_) => Just(Step::Rate(BitsPerSec(1_234_567))),
}

variants! { traffic, count_traffic, Traffic:
    5 Traffic::Tcp { .. } => tcp(),
    2 Traffic::Datagrams { .. } => datagrams(),
}

pub(crate) fn flow() -> impl Strategy<Value = FlowCase> {
    let overhead = prop_oneof![2 => Just(0_u64), 1 => 1..400_000_u64];
    let step = || (0..3_000_000_000_u64, step());
    let steps = prop_oneof![3 => vec(step(), 0..1), 1 => vec(step(), 1..4)];
    let place = (0..24_usize, 0..24_usize, 0..300_000_000_u64, any::<bool>());
    let ack_class = prop_oneof![3 => Just(None), 1 => (0..8_u8).prop_map(Some)];
    (place, traffic(), overhead, (0..8_u8, ack_class), steps).prop_map(
        |((from, to, start, between), traffic, overhead, classes, steps)| FlowCase {
            ends: (from, to),
            traffic,
            start,
            between,
            overhead,
            classes,
            steps,
        },
    )
}

/// Two different ones of `hosts`.
fn pair(from: usize, to: usize, hosts: &[Node]) -> (Node, Node) {
    let count = hosts.len();
    let from = from % count;
    let to = match to % count {
        to if to == from => (to + 1) % count,
        to => to,
    };
    (hosts[from], hosts[to])
}

impl FlowCase {
    pub(crate) fn build(&self, index: usize, hosts: &[Node], duration: Nanos) -> Flow {
        let (mut from, mut to) = pair(self.ends.0, self.ends.1, hosts);
        let mut traffic = self.traffic.clone();
        let (mut start, mut between) = (self.start.min(duration.0 / 2), self.between);
        let mut overhead = self.overhead;
        if let Traffic::Tcp { application, .. } = &mut traffic {
            match application {
                Application::FlowList { transfers, .. } => {
                    *transfers = with_hosts(transfers, hosts);
                }
                // All servers of a client start together, and requests leave it at one time: host
                // delays keep their packets out of the same nanosecond.
                Application::Incast(Incast { client, .. }) => {
                    (start, between) = (u64::from(*client) * 12_345_677, *client == 1);
                    overhead = overhead.max(100_000 + self.start / 1000);
                    (from, to) = match pair(self.ends.0, *client as usize, hosts) {
                        (from, to) if to == hosts[*client as usize % hosts.len()] => (from, to),
                        (from, other) => (other, from),
                    };
                }
                _ => {}
            }
        }
        Flow {
            group: ["one", "two", "three"][index % 3].into(),
            from,
            to,
            start: match between {
                true => Start::Between(Nanos(start), Nanos(duration.0 / 2 + 1)),
                false => Start::At(Nanos(start)),
            },
            steps: self
                .steps
                .iter()
                .map(|(at, step)| (Nanos(*at), *step))
                .collect(),
            class: self.classes.0,
            ack_class: self.classes.1,
            overhead: Nanos(overhead),
            traffic,
        }
    }
}

/// The list with its transfers between `hosts`.
fn with_hosts(list: &[ListedTransfer], hosts: &[Node]) -> Arc<[ListedTransfer]> {
    let placed = list.iter().map(|transfer| {
        let (from, to) = pair(transfer.from.0 as usize, transfer.to.0 as usize, hosts);
        ListedTransfer {
            start: transfer.start,
            from,
            to,
            size: transfer.size,
        }
    });
    placed.collect()
}

variants! { law, count_law, Law:
    1 Law::Constant => Just(Law::Constant),
    1 Law::Uniform => Just(Law::Uniform),
    1 Law::Exponential => Just(Law::Exponential),
    1 Law::Pareto { .. } => Just(Law::Pareto { shape: 1.5 }),
    1 Law::Lomax { .. } => Just(Law::Lomax { shape: 2.5 }),
    1 Law::LogNormal { .. } => Just(Law::LogNormal { sigma: 0.7 }),
    1 Law::Points(_) => Just(Law::Points("1 0\n10 50\n90 100".parse().unwrap())),
}

fn span(longest: u64) -> impl Strategy<Value = Spread<Nanos>> {
    (1000..longest, law()).prop_map(|(mean, law)| Spread::new(Nanos(mean), law))
}

fn amount(longest: u64) -> impl Strategy<Value = Spread<Bytes>> {
    (1..longest, law()).prop_map(|(mean, law)| Spread::new(Bytes(mean), law))
}

variants! { ecn, count_ecn, Ecn:
    1 Ecn::NotCapable => Just(Ecn::NotCapable),
    1 Ecn::Ect0 => Just(Ecn::Ect0),
    1 Ecn::Ect1 => Just(Ecn::Ect1),
    1 Ecn::Ce => Just(Ecn::Ce),
}

variants! { pattern, count_pattern, Pattern:
    2 Pattern::Constant => Just(Pattern::Constant),
    // Bursts of a thousandth of a datagram at least.
    2 Pattern::OnOff { .. } => (120_000..60_000_000_u64, law(), span(60_000_000)).prop_map(|(on, law, off)| {
        Pattern::OnOff { on: Spread::new(Nanos(on), law), off }
    }),
    1 Pattern::Replay { .. } => (recording(), any::<bool>()).prop_map(|(recording, repeats)| {
        Pattern::Replay { recording, repeats }
    }),
}

/// Some packets, at most one in 0.1 ms.
fn recording() -> impl Strategy<Value = PacketTrace> {
    let field = prop_oneof![Just("off"), Just("ect0"), Just("ect1"), Just("ce")];
    vec((100_000..40_000_000_u64, 40..1500_u32, field), 1..20).prop_map(|packets| {
        let mut at = 0;
        let mut text = "time,size,ecn\n".to_string();
        for (gap, size, ecn) in packets {
            text += &format!("0.{at:09},{size},{ecn}\n");
            at += gap;
        }
        PacketTrace::read(text.as_bytes()).unwrap()
    })
}

fn datagrams() -> impl Strategy<Value = Traffic> {
    (40..1500_u64, 100_000..6_000_000_u64, pattern(), ecn()).prop_map(
        |(size, rate, pattern, ecn)| Traffic::Datagrams {
            size: Bytes(size),
            rate: BitsPerSec(rate),
            pattern,
            ecn,
        },
    )
}

variants! { ports, count_ports, Ports:
    1 Ports::Same => Just(Ports::Same),
    1 Ports::New => Just(Ports::New),
}

variants! { application, count_application, Application:
    5 Application::Bulk => Just(Application::Bulk),
    2 Application::Transfer(_) => (1..300_000_u64).prop_map(|size| Application::Transfer(Bytes(size))),
    2 Application::Web { .. } => (amount(30_000), span(90_000_000), ports()).prop_map(|(size, pause, ports)| {
        Application::Web { ports, size, pause }
    }),
    2 Application::Pages { .. } => (40..1500_u64, amount(30_000), span(90_000_000)).prop_map(|(request, size, pause)| {
        Application::Pages { request: Bytes(request), size, pause }
    }),
    2 Application::Arrivals { .. } => (span(90_000_000), amount(20_000), 1..6_u32).prop_map(|(every, size, at_most)| {
        Application::Arrivals { every, size, at_most }
    }),
    1 Application::FlowList { .. } => flow_list(),
    2 Application::Requests { .. } => (40..1500_u64, amount(30_000), span(90_000_000)).prop_map(|(request, response, think)| {
        Application::Requests { request: Bytes(request), response, think }
    }),
    2 Application::Incast(_) => incast(),
}

fn flow_list() -> impl Strategy<Value = Application> {
    let transfer = (0..1_500_000_000_u64, 0..24_u32, 0..24_u32, 1..60_000_u64);
    let at_most = prop_oneof![Just(u32::MAX), 1..4_u32];
    (vec(transfer, 1..6), at_most).prop_map(|(mut transfers, at_most)| {
        transfers.sort();
        let transfers = transfers
            .into_iter()
            .map(|(start, from, to, size)| ListedTransfer {
                start: Nanos(start),
                from: Node(from),
                to: Node(to),
                size: Bytes(size),
            });
        Application::FlowList {
            transfers: transfers.collect(),
            at_most,
        }
    })
}

fn incast() -> impl Strategy<Value = Application> {
    let rounds = prop_oneof![Just(None), (1..20_u32).prop_map(Some)];
    (
        0..2_u32,
        40..1500_u64,
        amount(30_000),
        span(90_000_000),
        rounds,
    )
        .prop_map(|(client, request, response, think, rounds)| {
            Application::Incast(Incast {
                client,
                request: Bytes(request),
                response,
                think,
                rounds,
            })
        })
}

fn tcp() -> impl Strategy<Value = Traffic> {
    (profile(), application()).prop_map(|(profile, application)| Traffic::Tcp {
        profile: Arc::new(profile),
        application,
    })
}

/// Counts all that a flow describes.
pub(crate) fn count_flow(flow: &Flow, seen: &mut Coverage) {
    let Flow {
        group: _, // A name.
        from: _,
        to: _,
        start,
        steps,
        class,
        ack_class,
        overhead,
        traffic,
    } = flow;
    match start {
        Start::At(_) => seen.count("Start::At", true),
        Start::Between(..) => seen.count("Start::Between", true),
    }
    steps.iter().for_each(|(_, step)| count_step(step, seen));
    seen.varies("class", *class, 0);
    seen.switch("acknowledgments of another class", ack_class.is_some());
    seen.switch("host delay", *overhead > Nanos::ZERO);
    count_traffic(traffic, seen);
    match traffic {
        Traffic::Tcp {
            profile,
            application,
        } => {
            count_profile(profile, seen);
            count_details(application, seen);
        }
        Traffic::Datagrams {
            size: _,
            rate: _,
            pattern,
            ecn,
        } => {
            count_ecn(ecn, seen);
            count_pattern(pattern, seen);
            match pattern {
                Pattern::Constant => {}
                Pattern::OnOff { on, off } => {
                    count_law(&on.law, seen);
                    count_law(&off.law, seen);
                }
                Pattern::Replay { recording, repeats } => {
                    seen.switch("repeated recording", *repeats);
                    let packets = recording.packets().iter();
                    packets.for_each(|packet| count_ecn(&packet.ecn, seen));
                }
            }
        }
    }
}

fn count_details(application: &Application, seen: &mut Coverage) {
    count_application(application, seen);
    match application {
        Application::Bulk | Application::Transfer(_) => {}
        Application::Web { ports, size, pause } => {
            count_ports(ports, seen);
            count_law(&size.law, seen);
            count_law(&pause.law, seen);
        }
        Application::Pages {
            request: _,
            size,
            pause: time,
        }
        | Application::Arrivals {
            every: time,
            size,
            at_most: _,
        }
        | Application::Requests {
            request: _,
            response: size,
            think: time,
        } => {
            count_law(&size.law, seen);
            count_law(&time.law, seen);
        }
        Application::FlowList { transfers, at_most } => {
            seen.count("list of several", transfers.len() > 1);
            seen.count("list with a limit", *at_most < u32::MAX);
        }
        Application::Incast(Incast {
            client,
            request: _,
            response,
            think: _,
            rounds,
        }) => {
            seen.varies("client", *client, 0);
            count_law(&response.law, seen);
            seen.switch("rounds", rounds.is_some());
        }
    }
}
