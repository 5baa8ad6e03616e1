//! What Prague is for: a fair share with CUBIC over DualPI2 (RFC 9332), a queue of about a
//! millisecond, rates that do not depend on round trips below 25 ms, and AccECN (RFC 9768).

use std::sync::Arc;

use earlydrop::units::{BitsPerSec, Nanos};
use earlydrop_sim::Run;
use earlydrop_sim::network::{Dumbbell, Link};
use earlydrop_sim::results::Results;
use earlydrop_sim::tcp::{Algorithm, EcnFeedback, EcnMode, HyStartKind, Profile};
use earlydrop_sim::traffic::Flow;

/// A sender by this algorithm with ECN, and the round trip of an empty path in milliseconds.
type Sender = (Profile, u64);

fn with_ecn(algorithm: Algorithm, feedback: Option<EcnFeedback>) -> Profile {
    let mut profile = Profile::modern(algorithm);
    if profile.ecn == EcnMode::Off {
        profile.ecn = EcnMode::Classic;
    }
    profile.ecn_feedback = feedback.or(profile.ecn_feedback);
    profile
}

fn prague() -> Profile {
    Profile::modern(Algorithm::Prague)
}

/// Endless transfers of `senders` over one link for 90 s, the first 30 s of which are not measured.
fn results(queue: &str, mbps: u64, senders: &[Sender]) -> Results {
    let link = Link::new(BitsPerSec::from_mbps(mbps), Nanos::from_micros(500));
    let there = link.clone().queue(queue.parse().unwrap());
    let mut dumbbell = Dumbbell::new(there, link);
    let hosts: Vec<_> = senders
        .iter()
        .map(|(_, rtt)| {
            // A round trip crosses the middle link twice and two access links twice.
            let access = Nanos::from_micros((1000 * rtt - 1000) / 4);
            dumbbell.pair(BitsPerSec::from_mbps(10_000), access)
        })
        .collect();
    let mut run = Run::new(dumbbell.network, Nanos::from_secs(90)).seed(11);
    run.measure.warm_up = Nanos::from_secs(30);
    run.measure.delays = true;
    for (index, ((from, to), (profile, _))) in hosts.into_iter().zip(senders).enumerate() {
        let start = Nanos::from_millis(300 * index as u64);
        run.add(Flow::bulk(from, to, &Arc::new(*profile)).at(start));
    }
    run.results().unwrap()
}

/// The goodput of the first flow divided by that of the second.
fn ratio(results: &Results) -> f64 {
    results.flows[0].goodput / results.flows[1].goodput
}

/// DualPI2 with the floor of RFC 9332, which is its default: the step marks only with a packet
/// behind in the queue.
const DUALPI2: &str = "dualpi2";

#[test]
fn prague_and_cubic_share_dualpi2_at_many_rates_and_round_trips() {
    for mbps in [4, 10, 20, 40, 120] {
        for rtt in [5, 10, 20, 50, 100] {
            let cubic = with_ecn(Algorithm::Cubic, None);
            let results = results(DUALPI2, mbps, &[(prague(), rtt), (cubic, rtt)]);
            let ratio = ratio(&results);
            println!("{mbps} Mbps, {rtt} ms: Prague / CUBIC {ratio:.2}");
            assert!(
                (0.5..2.0).contains(&ratio),
                "{mbps} Mbps, {rtt} ms: {ratio}"
            );
        }
    }
}

#[test]
fn without_a_floor_a_step_shorter_than_a_packet_starves_prague() {
    // 1 ms is less than the 1.2 ms of a packet at 10 Mbps: whatever waits behind one is marked.
    let cubic = with_ecn(Algorithm::Cubic, None);
    let ratio = ratio(&results(
        "dualpi2:step_packets=0",
        10,
        &[(prague(), 50), (cubic, 50)],
    ));
    println!("10 Mbps, 50 ms, no floor: Prague / CUBIC {ratio:.2}");
    assert!(ratio < 0.3, "{ratio}");
}

#[test]
fn below_25_ms_the_rate_does_not_depend_on_the_round_trip() {
    // The rate of a flow with 5 ms over that of one with a longer round trip, beside CUBIC, so that
    // marks come by chance and not in bursts.
    let of = |profile: Profile, rtt: u64| {
        let cubic = with_ecn(Algorithm::Cubic, None);
        let senders = [(profile, 5), (profile, rtt), (cubic, 20)];
        let ratio = ratio(&results(DUALPI2, 60, &senders));
        println!("{:?}, 5 and {rtt} ms: {ratio:.2}", profile.control);
        ratio
    };
    let scalable = Profile::modern(Algorithm::Scalable);
    // Prague: as 25 to 25 ms, and as 25 to 50; without RTT independence, as 5 to 20 and to 50, with
    // a queue of about 1 ms.
    assert!((0.8..1.25).contains(&of(prague(), 20)));
    assert!((1.6..2.5).contains(&of(prague(), 50)));
    assert!(of(scalable, 20) > 2.5);
    assert!(of(scalable, 50) > 5.0);
}

#[test]
fn prague_waits_for_a_millisecond_where_cubic_waits_for_fifteen() {
    let cubic = with_ecn(Algorithm::Cubic, None);
    let results = results(DUALPI2, 40, &[(prague(), 20), (cubic, 20)]);
    // 10 ms of propagation and 0.3 ms of transmission.
    let waits = [0, 1].map(|flow: usize| {
        let delays = results.flows[flow].delays.as_ref().unwrap();
        1e3 * delays.mean() - 10.3
    });
    println!("queue delay: {waits:.2?} ms");
    assert!(waits[0] < 1.5 && waits[1] > 10.0, "{waits:?}");
}

#[test]
fn feedback_by_echo_by_ace_and_with_the_option_share_alike() {
    let shares = [EcnFeedback::Dctcp, EcnFeedback::AccEcn, EcnFeedback::Ace].map(|feedback| {
        let cubic = with_ecn(Algorithm::Cubic, None);
        let prague = with_ecn(Algorithm::Prague, Some(feedback));
        let ratio = ratio(&results(DUALPI2, 40, &[(prague, 20), (cubic, 20)]));
        println!("{feedback:?}: Prague / CUBIC {ratio:.2}");
        ratio
    });
    // No acknowledgment is lost here, so ACE never wraps and the option adds nothing.
    assert_eq!(shares[1], shares[2]);
    assert!((shares[0] / shares[1] - 1.0).abs() < 0.15, "{shares:?}");
}

#[test]
fn cubic_and_reno_answer_accecn_as_the_classic_echo() {
    for algorithm in [Algorithm::Reno, Algorithm::Cubic] {
        for queue in ["pie:ecn=on", "codel:ecn=on", "red:min=5,max=15,ecn=on"] {
            let counted = (with_ecn(algorithm, Some(EcnFeedback::AccEcn)), 40);
            let echoed = (with_ecn(algorithm, None), 40);
            let senders = [counted, echoed, echoed, counted, echoed, counted];
            let results = results(queue, 30, &senders);
            let of = |flows: [usize; 3]| -> f64 {
                flows.iter().map(|flow| results.flows[*flow].goodput).sum()
            };
            let ratio = of([0, 3, 5]) / of([1, 2, 4]);
            println!("{algorithm:?}, {queue}: AccECN / classic {ratio:.2}");
            assert!(
                (0.7..1.4).contains(&ratio),
                "{algorithm:?}, {queue}: {ratio}"
            );
        }
    }
}

/// Prague's rate over CUBIC's at 40 ms, without the fallback and with it.
fn with_fallback(queue: &str, mbps: u64) -> (f64, f64) {
    let of = |classic_ecn_fallback| {
        let prague = Profile {
            classic_ecn_fallback,
            ..prague()
        };
        let mut cubic = with_ecn(Algorithm::Cubic, None);
        // What the detector makes of a queue depends on how CUBIC starts: with HyStart++ it takes
        // DualPI2 at 20 Mbps for classic, too (0.16), and CUBIC's share of RED is smaller (1.7).
        cubic.hystart = HyStartKind::Off;
        ratio(&results(queue, mbps, &[(prague, 40), (cubic, 40)]))
    };
    let (without, with) = (of(false), of(true));
    println!("{queue}, {mbps} Mbps: Prague / CUBIC {without:.2}, with the fallback {with:.2}");
    (without, with)
}

#[test]
fn on_a_classic_queue_the_fallback_gives_cubic_its_share() {
    for (queue, mbps) in [
        ("pie:ecn=on", 20),
        ("pie:ecn=on", 100),
        ("codel:ecn=on", 20),
        ("codel:ecn=on", 100),
        ("red:min=20,max=60,ecn=on", 20),
    ] {
        let (without, with) = with_fallback(queue, mbps);
        assert!(without > 5.0, "{without}");
        assert!((0.6..1.6).contains(&with), "{with}");
    }
    // Prague holds this short queue so still that its delay varies by less than V0.
    let (without, with) = with_fallback("red:min=20,max=60,ecn=on", 100);
    assert_eq!(without, with);
}

#[test]
fn the_fallback_takes_dualpi2_for_classic_at_low_rates_only() {
    for mbps in [20, 40, 120] {
        let (without, with) = with_fallback(DUALPI2, mbps);
        assert!((with / without - 1.0).abs() < 0.1, "{with} {without}");
    }
    // Briscoe & Ahmed find it, too: "not at low link rates and large RTTs".
    let (_, with) = with_fallback(DUALPI2, 10);
    assert!(with < 0.5, "{with}");
}
