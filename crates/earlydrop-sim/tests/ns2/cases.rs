//! The cases as runs, with their figures defined as in ns-2's scripts.

use std::sync::Arc;

use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_sim::Run;
use earlydrop_sim::network::{Dumbbell, Link, Node};
use earlydrop_sim::spread::{Law, Spread};
use earlydrop_sim::tcp::{EcnMode, Profile, Recovery};
use earlydrop_sim::traffic::{Application, Flow, Pattern, Ports};

use crate::reference::{Case, Measured, Outcome, loss_percent};

/// Every case of the table that has a run.
pub(crate) fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    all.extend([5, 20, 60, 120].map(gred));
    all.extend([20, 60].map(rem));
    all.extend([10, 50].map(clred_baseline));
    all.extend([(8, 0), (8, 2), (16, 4)].map(|(flows, udp)| restraint_baseline(flows, udp)));
    all.extend([(100, 'P'), (150, 'P'), (150, 'M')].map(|(n, t)| configuration(n, t)));
    all.push(web_and_bulk());
    for (scheme, queue) in [("red", GENTLE_ECN), ("ared", ARED_ECN)] {
        all.extend([1, 10].map(|late| rate_awareness_baseline(scheme, queue, late)));
    }
    all
}

/// ns-2's RED with `gentle_ false`, in packets: all packets have 1000 bytes. `as=ns2` would also
/// count bytes.
const RED: &str = "red:spacing=wait,cautious=on,idle=ns2,ecn=off";

/// Gentle RED that marks, but drops ECN-capable packets too once Pb exceeds 0.1.
const GENTLE_ECN: &str = "gred:spacing=wait,cautious=on,idle=ns2,gentle_slope=initial,\
     ecn=on,mark_limit=0.1,min=5,max=15,max_p=0.1,weight=0.0019,limit=30";

/// Adaptive RED, automatic as in ns-2: the time constant of its weight is ten round trips, each
/// three times the link's delay and transmission time.
const ARED_ECN: &str = "ared:spacing=wait,cautious=on,idle=ns2,gentle_slope=initial,\
     ared_bottom=auto,ecn=on,mark_limit=0.1,weight=auto,weight_time=2.07 s,limit=30";

/// The reverse queue: only acknowledgments cross it, and none is ever lost.
const REVERSE: &str = "droptail:limit=100000";

fn link(rate: BitsPerSec, delay_ms: u64, queue: &str) -> Link {
    let queue = queue.parse().unwrap_or_else(|e| panic!("{queue}: {e}"));
    Link::new(rate, Nanos::from_millis(delay_ms)).queue(queue)
}

fn dumbbell(rate: BitsPerSec, delay_ms: u64, queue: &str) -> Dumbbell {
    Dumbbell::new(link(rate, delay_ms, queue), link(rate, delay_ms, REVERSE))
}

fn mbps(rate: u64) -> BitsPerSec {
    BitsPerSec::from_mbps(rate)
}

const fn ms(millis: u64) -> Nanos {
    Nanos::from_millis(millis)
}

/// ns-2's Reno with this `rwnd`.
fn reno(window: u32) -> Arc<Profile> {
    let mut profile = Profile::ns2(Recovery::Reno);
    profile.receiver_window = window;
    Arc::new(profile)
}

/// An `rwnd` above any path's capacity here.
const UNLIMITED: u32 = 100_000;

/// Bulk flows from as many hosts to one sink, each starting within `spread`.
fn bulk_to_one_sink(
    dumbbell: &mut Dumbbell,
    flows: u32,
    sink_delay: Nanos,
    profile: &Arc<Profile>,
    spread: Nanos,
) -> Vec<Flow> {
    let sink = dumbbell.right_host(mbps(100), sink_delay);
    let hosts: Vec<Node> = (0..flows)
        .map(|_| dumbbell.left_host(mbps(100), ms(1)))
        .collect();
    let flow = |host: Node| Flow::bulk(host, sink, profile).between(Nanos::ZERO, spread);
    hosts.into_iter().map(flow).collect()
}

/// When a case is measured, seconds, and with how many seeds.
struct Timing {
    from: u64,
    to: u64,
    seeds: u64,
}

fn case(
    name: String,
    dumbbell: Dumbbell,
    flows: Vec<Flow>,
    timing: Timing,
    figures: fn(&Outcome) -> Measured,
) -> Case {
    let mut run = Run::new(dumbbell.network, Nanos::from_secs(timing.to));
    run.flows = flows;
    run.measure.warm_up = Nanos::from_secs(timing.from);
    run.measure.sample_every = Some(ms(100));
    Case {
        name,
        seeds: timing.seeds,
        run,
        bottleneck: dumbbell.bottleneck,
        figures,
    }
}

/// The dumbbell of Wang et al. (sfRED, nlRED): 10 Mbps, a round trip of 24 ms, measured in the
/// second half of 200 s.
fn sfred_nlred_baseline(name: String, flows: u32, queue: &str) -> Case {
    let mut dumbbell = dumbbell(mbps(10), 10, queue);
    let senders = bulk_to_one_sink(
        &mut dumbbell,
        flows,
        ms(1),
        &reno(UNLIMITED),
        Nanos::from_secs(1),
    );
    let timing = Timing {
        from: 100,
        to: 200,
        seeds: 10,
    };
    case(name, dumbbell, senders, timing, queue_figures)
}

fn gred(flows: u32) -> Case {
    let queue = format!("{RED},curve=gentle,min=10,max=30,max_p=0.1,weight=0.002,limit=120");
    sfred_nlred_baseline(format!("sfred-nlred.gred.p0.1.N{flows}"), flows, &queue)
}

fn rem(flows: u32) -> Case {
    let queue = "rem:ecn=off,last_place=off,limit=120";
    sfred_nlred_baseline(format!("sfred-nlred.rem.N{flows}"), flows, queue)
}

/// The baseline of Hassan & Oluwatope (CLRED): a sink without delay, measured from the first
/// packet on.
fn clred_baseline(flows: u32) -> Case {
    let queue = format!("{RED},min=10,max=30,max_p=0.1,weight=0.002,limit=100");
    let mut dumbbell = dumbbell(mbps(10), 10, &queue);
    let second = Nanos::from_secs(1);
    let senders = bulk_to_one_sink(&mut dumbbell, flows, Nanos::ZERO, &reno(UNLIMITED), second);
    let timing = Timing {
        from: 0,
        to: 100,
        seeds: 10,
    };
    let name = format!("clred.red.N{flows}");
    case(name, dumbbell, senders, timing, queue_figures)
}

/// The baseline of Li & Lee (RESTRAINT): TCP with `rwnd` 15 and bursts of small datagrams over
/// 1 Mbps.
fn restraint_baseline(flows: u32, udp: u32) -> Case {
    let queue = format!("{RED},min=100,max=200,max_p=0.1,weight=0.002,limit=300");
    let mut dumbbell = dumbbell(mbps(1), 20, &queue);
    let profile = reno(15);
    let mut all = Vec::new();
    for _ in 0..flows {
        let (from, to) = dumbbell.pair(mbps(10), ms(5));
        all.push(Flow::bulk(from, to, &profile).group("tcp"));
    }
    let half_a_second = Spread::new(ms(500), Law::Exponential);
    let bursts = Pattern::OnOff {
        on: half_a_second.clone(),
        off: half_a_second,
    };
    for _ in 0..udp {
        let (from, to) = dumbbell.pair(mbps(10), ms(5));
        let rate = BitsPerSec(250_000);
        all.push(Flow::datagrams(from, to, Bytes(210), rate, bursts.clone()).group("udp"));
    }
    let second = Nanos::from_secs(1);
    let all = all.into_iter().map(|f| f.between(Nanos::ZERO, second));
    let timing = Timing {
        from: 20,
        to: 200,
        seeds: 10,
    };
    let name = format!("restraint.red.N{flows}U{udp}");
    case(name, dumbbell, all.collect(), timing, |outcome| {
        let tcp = &outcome.results.groups()["tcp"];
        Measured::from([
            ("tcp_mbps", tcp.throughput * 1e-6),
            ("tcp_loss_pct", 100.0 * tcp.loss),
            ("meanq", outcome.queue.mean_packets),
        ])
    })
}

/// The second table of Chandrayana et al. (RED configuration): a base round trip of 20 ms, with ns-2 as it
/// was around 2000.
fn configuration(flows: u32, thresholds: char) -> Case {
    let (min, max) = match thresholds {
        'P' => (300, 900),
        _ => (136, 408),
    };
    let queue = format!("{RED},min={min},max={max},max_p=0.1,weight=0.002,limit=1000");
    let mut dumbbell = dumbbell(BitsPerSec(66_667_000), 8, &queue);
    let mut profile = Profile::ns2_old_timers(Recovery::Reno);
    profile.receiver_window = 20;
    let senders = bulk_to_one_sink(&mut dumbbell, flows, ms(1), &Arc::new(profile), ms(100));
    let timing = Timing {
        from: 0,
        to: 12,
        seeds: 10,
    };
    let name = format!("red-config.t2.N{flows}{thresholds}");
    case(name, dumbbell, senders, timing, |outcome| {
        let together = outcome.results.together();
        let packets_per_flow = 8.0 * 1000.0 * together.flows as f64;
        Measured::from([
            ("goodput", together.goodput / packets_per_flow),
            ("loss", loss_percent(outcome.queue)),
            ("timeouts", together.timeouts as f64),
            ("meanq", outcome.queue.mean_packets),
        ])
    })
}

/// The web-like flows of Wang et al. with two bulk flows, one of them with a long delay. The
/// table's settings count the SYN among a transfer's ten packets; ns-2 sends it and ten packets
/// of data.
fn web_and_bulk() -> Case {
    let queue = format!("{RED},min=5,max=15,max_p=0.1,weight=0.002,limit=50");
    let mut dumbbell = dumbbell(BitsPerSec(1_500_000), 10, &queue);
    let sink = dumbbell.right_host(mbps(10), ms(3));
    // Twice the bandwidth-delay product, in whole packets.
    let (near, far) = (reno(17), reno(84));
    let mut flows = Vec::new();
    for (delay, profile) in [(10, &near), (100, &far)] {
        let host = dumbbell.left_host(mbps(10), ms(delay));
        flows.push(Flow::bulk(host, sink, profile).group("ftp"));
    }
    for _ in 0..30 {
        let host = dumbbell.left_host(mbps(10), ms(10));
        let transfers = Application::Web {
            ports: Ports::Same,
            size: Spread::constant(Bytes(10 * 1000)),
            pause: Spread::constant(Nanos::ZERO),
        };
        flows.push(Flow::tcp(host, sink, &near, transfers).group("web"));
    }
    let second = Nanos::from_secs(1);
    let flows = flows.into_iter().map(|f| f.between(Nanos::ZERO, second));
    let timing = Timing {
        from: 0,
        to: 2000,
        seeds: 8,
    };
    let name = "sfred-nlred.web30ftp2.red".to_string();
    case(name, dumbbell, flows.collect(), timing, |outcome| {
        let mut spans: Vec<f64> = (outcome.results.completions.iter())
            .map(|completion| completion.span().as_secs_f64())
            .collect();
        spans.sort_by(f64::total_cmp);
        let quick = spans.partition_point(|span| *span < 2.0);
        let count = spans.len() as f64;
        Measured::from([
            ("mean", spans.iter().sum::<f64>() / count),
            ("median", spans[spans.len() / 2]),
            ("frac2s", quick as f64 / count),
            ("ftp0_mbps", outcome.results.flows[0].goodput * 1e-6),
            ("loss_pct", loss_percent(outcome.queue)),
        ])
    })
}

/// The baseline of Ku et al. (RARED): bulk flows of which most start late and one goes in reverse,
/// web pages, ECN, and the scheme in both directions. The table does not say when sessions
/// start; here they start within the first second.
fn rate_awareness_baseline(scheme: &str, queue: &str, late: u32) -> Case {
    let both_ways = link(mbps(2), 65, queue);
    let mut dumbbell = Dumbbell::new(both_ways.clone(), both_ways);
    let mut profile = Profile::ns2(Recovery::Reno);
    profile.receiver_window = 24;
    profile.ecn = EcnMode::Classic;
    let profile = Arc::new(profile);
    let mut flows = Vec::new();
    let soon = |from: u64| (Nanos::from_secs(from), Nanos::from_secs(from) + ms(100));
    let starts =
        std::iter::repeat_n(soon(0), 2).chain(std::iter::repeat_n(soon(20), late as usize));
    for (from, to) in starts {
        let (left, right) = dumbbell.pair(mbps(10), ms(5));
        flows.push(Flow::bulk(left, right, &profile).between(from, to));
    }
    let (left, right) = dumbbell.pair(mbps(10), ms(5));
    flows.push(Flow::bulk(right, left, &profile).between(soon(0).0, soon(0).1));
    let page = Application::Pages {
        request: Bytes(1000),
        size: Spread::new(Bytes(10 * 1000), Law::Lomax { shape: 1.2 }),
        pause: Spread::new(Nanos::from_secs(1), Law::Exponential),
    };
    for _ in 0..10 {
        let (server, client) = dumbbell.pair(mbps(10), ms(5));
        for _ in 0..2 {
            let session = Flow::tcp(server, client, &profile, page.clone()).group("web");
            flows.push(session.between(Nanos::ZERO, Nanos::from_secs(1)));
        }
    }
    let timing = Timing {
        from: 0,
        to: 40,
        seeds: 20,
    };
    case(
        format!("rared.{scheme}.m{late}"),
        dumbbell,
        flows,
        timing,
        |outcome| {
            let queue = outcome.queue;
            Measured::from([
                ("all_util", queue.utilisation),
                ("all_loss_pct", loss_percent(queue)),
                ("all_qdelay", queue.mean_sojourn.unwrap().as_secs_f64()),
            ])
        },
    )
}

fn queue_figures(outcome: &Outcome) -> Measured {
    let queue = outcome.queue;
    let mut measured = Measured::from([
        ("util", queue.utilisation),
        ("meanq", queue.mean_packets),
        ("loss_pct", loss_percent(queue)),
        ("qdelay", queue.mean_sojourn.unwrap().as_secs_f64()),
    ]);
    let samples = queue.samples.as_ref().expect("they were asked for");
    if let Some(averages) = samples.probe("average") {
        let interval = samples.interval.as_secs_f64();
        let first = (outcome.run.measure.warm_up.as_secs_f64() / interval).round() as usize;
        let measured_part = &averages[first..];
        let mean = measured_part.iter().sum::<f64>() / measured_part.len() as f64;
        measured.insert("meanave", mean);
    }
    measured
}
