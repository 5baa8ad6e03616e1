use super::checks::burst_until;
use super::*;
use crate::explain::explain;
use crate::tools::read;

fn names(text: &str, load: &Load) -> Vec<&'static str> {
    let configuration = read(text, None, &load.link()).unwrap();
    let findings = explain(&configuration, text, load).unwrap().findings;
    findings.iter().map(|finding| finding.rule.name).collect()
}

fn load() -> Load {
    Load {
        rate: earlydrop::units::BitsPerSec::from_mbps(10),
        packet: earlydrop::units::Bytes(1000),
        ..Load::default()
    }
}

/// For each rule, a configuration and a load that violate it.
#[test]
fn every_rule_has_a_configuration_that_violates_it() {
    let tc = |rest: &str| format!("tc qdisc add dev e root red avpkt 1000 {rest}");
    let usual = "limit 400000 min 30000 max 90000 burst 55";
    let fast = Load {
        rate: earlydrop::units::BitsPerSec::from_mbps(10_000),
        ..load()
    };
    for (rule, text, load) in [
        (
            "average-at-max",
            tc("limit 400000 min 10000 max 15000 burst 15 probability 0.001"),
            load(),
        ),
        ("never-adapts", tc(&format!("{usual} adaptive")), load()),
        ("idle-forgotten-late", tc(usual), load()),
        (
            "burst-reaches-min",
            "red:min=5,max=15,weight=0.5".into(),
            load(),
        ),
        (
            "average-trails",
            "red:min=5,max=15,weight=0.00001".into(),
            load(),
        ),
        (
            "average-follows",
            "red:min=5,max=15,weight=0.5".into(),
            load(),
        ),
        ("max-near-min", "red:min=10,max=15".into(), load()),
        ("min-small", "red:min=2,max=15".into(), load()),
        (
            "limit-near-max",
            "red:min=10,max=30,limit=40".into(),
            load(),
        ),
        ("queue-long", "red:min=200,max=300".into(), load()),
        ("rate-other", tc(usual), fast),
        ("packet-other", "Queue/RED set thresh_ 5".into(), load()),
        (
            "idle-table-empty",
            tc(&format!("{usual} bandwidth 10gbit")),
            fast,
        ),
        (
            "probability-one",
            tc(&format!("{usual} probability 1")),
            load(),
        ),
        (
            "gentle-adapted",
            "ns3::RedQueueDisc::AdaptMaxP=true".into(),
            load(),
        ),
        (
            "average-limited",
            tc("limit 400000000 min 10000000 max 30000000 burst 10050 bandwidth 8gbit"),
            Load {
                flows: 2.0,
                ..fast
            },
        ),
        ("not-gentle", "red".into(), load()),
        ("probability-elsewhere", tc(usual), load()),
        (
            "ecn-dropped-above",
            "ns3::RedQueueDisc::UseEcn=true".into(),
            load(),
        ),
        ("ecn-never-dropped", tc(&format!("{usual} ecn")), load()),
        (
            "router-or-switch",
            "drop-profiles x interpolate fill-level 20 fill-level 60 drop-probability 0 drop-probability 5".into(),
            load(),
        ),
        (
            "spacing-unknown",
            "random-detect dscp af11 32 96 10".into(),
            load(),
        ),
        (
            "buffer-not-given",
            "fill-level 50 drop-probability 10".into(),
            load(),
        ),
    ] {
        let findings = names(&text, &load);
        assert!(findings.contains(&rule), "{rule} of {findings:?}: {text}");
    }
    let untested = RULES.len();
    assert_eq!(untested, 23, "a new rule needs its text above");
}

#[test]
fn a_sound_configuration_has_no_serious_finding() {
    let text = "gred:min=20,max=60,max_p=0.1,weight=0.005,spacing=geometric,limit=250,ecn=off";
    let findings = names(text, &load());
    assert_eq!(findings, ["probability-elsewhere"]);
}

#[test]
fn the_burst_bound_is_that_of_floyd_and_jacobson() {
    // Bursts that raise the average to min = 5 at weights of 0.001 and 0.002, by equation (3).
    let burst = burst_until(5.0, 0.001).floor();
    assert!((90.0..110.0).contains(&burst), "{burst}");
    assert!(
        (burst_until(5.0, 0.002) - 70.0).abs() < 2.0,
        "{}",
        burst_until(5.0, 0.002)
    );
}
