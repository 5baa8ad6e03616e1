//! WRED's classes, averages and gaps, and what its profiles refuse.

use super::*;
use crate::aqm::{DropReason, Slot};
use crate::packet::{Ecn, FlowKey};
use crate::registry::{LinkFacts, Spec};
use crate::testing::mbps;

fn wred(text: &str) -> Wred {
    let spec: Spec = text.parse().unwrap();
    Wred::from_settings(&spec.settings(&LinkFacts::at(mbps(10))).unwrap()).unwrap()
}

fn info(class: u8) -> PacketInfo {
    PacketInfo {
        size: 1000,
        flow: FlowKey(1),
        ecn: Ecn::NotCapable,
        class,
        arrived: Nanos::ZERO,
    }
}

/// A queue of so many packets of 1,000 bytes.
struct Waiting(u32);

impl Backlog for Waiting {
    fn packets(&self) -> u32 {
        self.0
    }
    fn bytes(&self) -> u64 {
        1000 * u64::from(self.0)
    }
    fn head_arrival(&self) -> Option<Nanos> {
        None
    }
    fn draw(&self, _: &mut Pcg32) -> Option<(Slot, FlowKey)> {
        None
    }
}

#[test]
fn each_class_has_its_own_curve_and_the_rest_use_the_last() {
    let wred = wred("wred");
    let pb = |class: u8, avg: f64| {
        let profile = &wred.profiles[wred.class_of(&info(class))];
        profile.curve.probability(avg)
    };
    for (class, avg, expected) in [
        (0, 47.9, 0.0),
        (0, 56.0, 0.05), // .1 (56-48)/16
        (1, 52.0, 0.05), // .1 (52-40)/24
        (2, 48.0, 0.05), // .1 (48-32)/32
        (2, 64.0, 1.0),
        (9, 48.0, 0.05),
    ] {
        assert!((pb(class, avg) - expected).abs() < 1e-12, "{class} {avg}");
    }
}

#[test]
fn one_average_is_fed_by_every_class() {
    let mut wred = wred("wred:weight=0.5");
    let mut random = Pcg32::new(1, 0);
    for class in [0, 1, 2] {
        wred.on_arrival(Nanos::ZERO, &info(class), &Waiting(80), &mut random);
    }
    assert_eq!(wred.averages[0].value(), 70.0); // 40, 60, 70
    assert_eq!(wred.averages.len(), 1);
}

#[test]
fn averages_per_class_cover_the_packets_of_the_class() {
    let mut wred = wred("wred:weight=1,average=per-class,profiles=0/2/1; 0/4/1,limit=9");
    let mut random = Pcg32::new(1, 0);
    let mut offer = |wred: &mut Wred, class: u8| {
        let verdict = wred.on_arrival(Nanos::ZERO, &info(class), &Waiting(90), &mut random);
        wred.on_accepted(Nanos::ZERO, &info(class));
        verdict
    };
    assert_eq!(
        offer(&mut wred, 0),
        Verdict::Keep,
        "nothing of class 0 waits"
    );
    offer(&mut wred, 0);
    assert_eq!(offer(&mut wred, 0), Verdict::Drop(DropReason::Early));
    assert_eq!(wred.averages[0].value(), 2.0);
    assert_eq!(offer(&mut wred, 1), Verdict::Keep, "nor of class 1");
    assert_eq!(wred.averages[1].value(), 0.0);
    wred.on_evicted(Nanos::ZERO, &info(1));
    assert_eq!(wred.profiles[1].waiting, 0);
    assert_eq!(wred.profiles[0].waiting, 3);
}

#[test]
fn a_class_spaces_its_own_drops() {
    // Pb = 0.1 at 5 for both classes: uniform gaps of 1 to 10 in each.
    let mut wred = wred("wred:weight=1,profiles=0/10/0.2; 0/10/0.2");
    let mut random = Pcg32::new(1, 0);
    let mut since_drop = [0, 0];
    for arrival in 0..10_000 {
        let class = arrival % 2;
        since_drop[class] += 1;
        let info = info(class as u8);
        if wred.on_arrival(Nanos::ZERO, &info, &Waiting(5), &mut random) != Verdict::Keep {
            since_drop[class] = 0;
        }
        assert!(since_drop[class] <= 10);
    }
}

#[test]
fn gentle_rises_on_above_max() {
    let wred = wred("wred:gentle=on");
    let pb = |avg: f64| wred.profiles[0].curve.probability(avg);
    assert!((pb(96.0) - 0.55).abs() < 1e-12); // .1 + .9/2
    assert_eq!(pb(128.0), 1.0);
}

#[test]
fn contradictory_profiles_are_refused() {
    for text in [
        "10",
        "10/30",
        "10/30/0",
        "10/30/2",
        "x/30/0.1",
        "10/30/0.1/4",
        "",
    ] {
        assert!(parse(text).is_none(), "{text}");
    }
    for text in [
        "wred:profiles=10/30",
        "wred:profiles=30/10/0.1",
        "wred:profiles=10/30/0.1; 10/50/0.1,limit=40",
    ] {
        let spec: Spec = text.parse().unwrap();
        let error = spec.plan(&LinkFacts::at(mbps(10))).unwrap_err();
        assert_eq!(error.parameter(), Some("profiles"), "{text}");
    }
}

#[test]
fn ecn_capable_packets_have_thresholds_of_their_own() {
    let text = "wred:weight=1,profiles=10/20/0.5; 5/20/0.5,ect_profiles=2/4/1; 3/6/1,\
                mark_above_max=on";
    let mut wred = wred(text);
    let mut random = Pcg32::new(1, 0);
    let mut offer = |ecn: Ecn, class: u8, waiting: u32| {
        let info = PacketInfo { ecn, ..info(class) };
        wred.on_arrival(Nanos::ZERO, &info, &Waiting(waiting), &mut random)
    };
    for (ecn, class, waiting, expected) in [
        (Ecn::NotCapable, 0, 9, Verdict::Keep),
        (Ecn::Ect0, 0, 1, Verdict::Keep),
        (Ecn::Ect0, 0, 9, Verdict::Mark),
        (Ecn::Ect1, 0, 4, Verdict::Mark),
        (Ecn::Ce, 1, 6, Verdict::Mark),
        (Ecn::NotCapable, 1, 20, Verdict::Drop(DropReason::Early)),
    ] {
        assert_eq!(
            offer(ecn, class, waiting),
            expected,
            "{ecn:?} {class} {waiting}"
        );
    }
    assert_eq!(wred.averages.len(), 1);
    assert_eq!(wred.ect_curve(1).shape().max, 6.0);
}

#[test]
fn without_thresholds_of_their_own_ecn_capable_packets_share_a_profile() {
    for text in ["wred", "wred:ecn=off,ect_profiles=2/4/1; 2/4/1; 2/4/1"] {
        let wred = wred(text);
        assert_eq!(wred.profiles.len(), 3, "{text}");
        assert_eq!(wred.ect_curve(2).shape().max, wred.curve(2).shape().max);
    }
}

#[test]
fn as_many_classes_have_thresholds_for_ecn_capable_packets() {
    let spec: Spec = "wred:ect_profiles=2/4/1".parse().unwrap();
    let error = spec.plan(&LinkFacts::at(mbps(10))).unwrap_err();
    assert_eq!(error.parameter(), Some("ect_profiles"));
}
