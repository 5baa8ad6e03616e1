//! A snapshot of whole runs: any change of behaviour shows as a difference of numbers.
//!
//! `INSTA_UPDATE=always cargo test -p earlydrop-sim --test it snapshot` accepts new numbers.

use std::fmt::Write;
use std::sync::Arc;

use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_sim::Run;
use earlydrop_sim::network::{Dumbbell, Link, Node};
use earlydrop_sim::spread::{Law, Spread};
use earlydrop_sim::tcp::{Algorithm, EcnMode, Profile, Recovery};
use earlydrop_sim::traffic::{Application, Flow};

/// Twenty hosts on each side of 10 Mbps, with round trips of 40 to 78 ms.
fn dumbbell_with(queue: &str) -> (Dumbbell, Hosts) {
    let link = Link::new(BitsPerSec::from_mbps(10), Nanos::from_millis(15));
    let link = link.queue(queue.parse().unwrap());
    let mut dumbbell = Dumbbell::new(link.clone(), link);
    let rate = BitsPerSec::from_mbps(100);
    let hosts = (0..20).map(|host| {
        let delay = Nanos::from_micros(2500 + 500 * host);
        dumbbell.pair(rate, delay)
    });
    let hosts = hosts.collect();
    (dumbbell, hosts)
}

fn bulk(profile: Profile) -> impl Fn(&mut Run, &Hosts) {
    let profile = Arc::new(profile);
    move |run, hosts| {
        for (from, to) in hosts {
            let flow = Flow::bulk(*from, *to, &profile);
            run.add(flow.between(Nanos::ZERO, Nanos::from_secs(1)));
        }
    }
}

/// Adds flows between hosts to a run.
type Traffic = dyn Fn(&mut Run, &Hosts);

type Hosts = Vec<(Node, Node)>;

/// Bulk flows, calls, short transfers and requests, a fifth of them in the reverse direction.
fn mixed(run: &mut Run, hosts: &Hosts) {
    let profile = Arc::new(Profile::modern(Algorithm::Cubic));
    for (index, (from, to)) in hosts.iter().enumerate() {
        let (from, to) = match index % 5 {
            4 => (*to, *from),
            _ => (*from, *to),
        };
        run.add(match index % 4 {
            0 => Flow::bulk(from, to, &profile),
            1 => Flow::voice(from, to),
            2 => {
                let arrivals = Application::Arrivals {
                    every: Spread::new(Nanos::from_millis(200), Law::Exponential),
                    size: Spread::new(Bytes(20_000), Law::Pareto { shape: 1.3 }),
                    at_most: 50,
                };
                Flow::tcp(from, to, &profile, arrivals)
            }
            _ => {
                let requests = Application::Requests {
                    request: Bytes(300),
                    response: Spread::new(Bytes(10_000), Law::Exponential),
                    think: Spread::new(Nanos::from_millis(300), Law::Exponential),
                };
                Flow::tcp(from, to, &profile, requests)
            }
        });
    }
}

fn with_ecn(profile: Profile) -> Profile {
    Profile {
        ecn: EcnMode::Classic,
        ..profile
    }
}

#[test]
fn whole_runs() {
    let ns2 = |recovery| bulk(Profile::ns2(recovery));
    let modern = |algorithm| bulk(Profile::modern(algorithm));
    let red = "red:min=10,max=30";
    let runs: [(&str, &str, &Traffic); 17] = [
        ("droptail:limit=50", "ns-2 Reno", &ns2(Recovery::Reno)),
        ("droptail:limit=50", "ns-2 NewReno", &ns2(Recovery::NewReno)),
        ("droptail:limit=50", "Cubic", &modern(Algorithm::Cubic)),
        ("droptail:limit=50", "BBR", &modern(Algorithm::Bbr)),
        ("droptail:limit=50", "BBRv3", &modern(Algorithm::Bbr3)),
        (red, "ns-2 Tahoe", &ns2(Recovery::Tahoe)),
        (red, "ns-2 SACK", &ns2(Recovery::Sack)),
        (
            red,
            "NewReno with ECN",
            &bulk(with_ecn(Profile::ns2(Recovery::NewReno))),
        ),
        (
            "nlred:min=10,max=30",
            "ns-2 NewReno",
            &ns2(Recovery::NewReno),
        ),
        (
            "ared",
            "Cubic with ECN",
            &bulk(with_ecn(Profile::modern(Algorithm::Cubic))),
        ),
        ("pie", "Reno", &modern(Algorithm::Reno)),
        ("codel", "Cubic", &modern(Algorithm::Cubic)),
        ("step", "DCTCP", &modern(Algorithm::Dctcp)),
        ("dualpi2", "scalable", &modern(Algorithm::Scalable)),
        ("droptail:limit=50", "mixed", &mixed),
        (red, "mixed", &mixed),
        ("fq-codel", "mixed", &mixed),
    ];
    let mut table = String::new();
    writeln!(
        table,
        "{:20} {:16} {:>6} {:>6} {:>7} {:>6} {:>6} {:>5} {:>6} {:>7} {:>7}",
        "queue",
        "traffic",
        "used %",
        "queue",
        "longest",
        "loss %",
        "mark %",
        "RTOs",
        "Jain",
        "done",
        "events"
    )
    .unwrap();
    for (queue, name, traffic) in runs {
        let (dumbbell, hosts) = dumbbell_with(queue);
        let bottleneck = dumbbell.bottleneck;
        let mut run = Run::new(dumbbell.network, Nanos::from_secs(20));
        run.measure.warm_up = Nanos::from_secs(5);
        traffic(&mut run, &hosts);
        let results = run.results().unwrap();
        let measured = results.queue(bottleneck).unwrap();
        let together = results.together();
        writeln!(
            table,
            "{queue:20} {name:16} {:6.2} {:6.2} {:7} {:6.3} {:6.3} {:5} {:6.4} {:7} {:7}",
            100.0 * measured.utilisation,
            measured.mean_packets,
            measured.longest,
            100.0 * together.loss,
            100.0 * together.marked,
            together.timeouts,
            together.jain,
            results.totals.completed,
            results.totals.events,
        )
        .unwrap();
    }
    insta::assert_snapshot!(table);
}
