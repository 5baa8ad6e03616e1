//! A queue in use changes to another plan. `invariants` has changes to the plan in use, after
//! which every verdict is the same.

use crate::support::ledger::{Audited, Tagged};
use crate::support::{link, plan, presets};
use earlydrop::aqm::{Aqm, Backlog, DropReason, Verdict};
use earlydrop::packet::{Ecn, PacketInfo};
use earlydrop::queue::{ChangeError, Limit, Outcome, QueueDiscipline};
use earlydrop::random::Pcg32;
use earlydrop::registry::{Descriptor, Kind, Parameter, Plan, SCHEMES, Spec};
use earlydrop::units::Nanos;

/// Traffic that fills a queue and empties it, packet by packet.
struct Traffic {
    audited: Audited,
    random: Pcg32,
    now: Nanos,
    id: u64,
}

impl Traffic {
    fn under(name: &str, plan: &Plan) -> Traffic {
        Traffic {
            audited: Audited::new(name, plan, Nanos::from_secs(5)),
            random: Pcg32::new(8, 1),
            now: Nanos::ZERO,
            id: 0,
        }
    }

    /// `packets` arrivals in a millisecond or less each; a packet leaves with probability `busy`.
    fn run(&mut self, packets: u32, busy: f64) {
        for _ in 0..packets {
            self.now += Nanos(u64::from(self.random.below(1_000_000)));
            let packet = Tagged {
                id: self.id,
                flow: u64::from(self.random.below(12).min(self.random.below(12))),
                size: 40 + self.random.below(1461),
                ecn: Ecn::from_bits(self.random.below(4) as u8),
                class: self.random.below(5) as u8,
                marks: 0,
            };
            self.id += 1;
            self.audited.offer(self.now, packet);
            if self.random.chance(busy) {
                self.audited.take(self.now);
            }
        }
        self.audited.check_probes_and_memory();
    }

    fn empty(&mut self) {
        while self.audited.queue.packets() > 0 {
            self.now += Nanos(500_000);
            self.audited.take(self.now);
        }
        self.audited.take(self.now);
        self.audited.check_probes_and_memory();
    }
}

/// Values to try for a parameter; some are not allowed.
fn values(parameter: &Parameter) -> Vec<&'static str> {
    if let Some(choices) = parameter.kind.choices() {
        return choices.iter().map(|(name, _)| *name).collect();
    }
    match parameter.kind {
        Kind::Flag => vec!["on", "off"],
        Kind::Text(_) => vec!["2: 0 0.05; 12: 1", "2/9/0.5; 1/5/0.9", "3/8/0.2"],
        _ => vec![
            "0",
            "0.001",
            "0.3",
            "1",
            "2",
            "17",
            "120",
            "0.4 ms",
            "30 ms",
            "3 s",
            "900 bytes",
            "40 kB",
            "auto",
            "never",
        ],
    }
}

/// Every plan of `scheme` in which one parameter has another value.
fn variations(scheme: &'static Descriptor) -> Vec<(String, Plan)> {
    let mut plans = Vec::new();
    for parameter in scheme.parameters() {
        for value in values(parameter) {
            let spec = Spec::of(scheme).with(parameter.name, value).unwrap();
            if let Ok(plan) = spec.plan(&link()) {
                plans.push((spec.to_string(), plan));
            }
        }
    }
    plans
}

#[test]
fn every_value_of_every_parameter_is_taken_or_refused_while_packets_wait() {
    for scheme in SCHEMES {
        let start = Spec::of(scheme).plan(&link()).unwrap();
        let (mut taken, mut refused) = (0, 0);
        for (name, other) in variations(scheme) {
            if other.limit().packets > 20_000 {
                continue;
            }
            let mut traffic = Traffic::under(&name, &start);
            traffic.run(90, 0.4);
            match traffic.audited.change(traffic.now, &other) {
                Ok(()) => taken += 1,
                Err(error) => {
                    assert!(name.contains(":queues="), "{name}: {error}");
                    assert!(error.to_string().contains("allowed: 1024"), "{error}");
                    refused += 1;
                }
            }
            traffic.run(90, 0.5);
            traffic.empty();
            traffic.run(60, 0.2);
            traffic.audited.change(traffic.now, &start).unwrap();
            traffic.run(60, 0.6);
            traffic.empty();
        }
        let fair = matches!(start, Plan::Fair { .. } | Plan::FairCodel { .. });
        assert_eq!(refused > 0, fair, "{}", scheme.name);
        assert!(taken > 0 || scheme.parameters().count() == 0);
    }
}

#[test]
fn every_scheme_and_preset_becomes_every_other_of_its_kind_of_queue() {
    let all: Vec<(String, Plan)> = presets()
        .into_iter()
        .map(|name| (name.clone(), plan(&name)))
        .collect();
    let kind = |plan: &Plan| match plan {
        Plan::Single { .. } => "one queue",
        Plan::Fair { .. } | Plan::FairCodel { .. } => "a queue for each flow",
        Plan::Cake { .. } => "tins of queues for each flow",
        Plan::Dual { .. } => "two coupled queues",
    };
    for (name, start) in &all {
        for (to, other) in &all {
            let mut traffic = Traffic::under(&format!("{name} to {to}"), start);
            traffic.run(60, 0.3);
            let changed = traffic.audited.change(traffic.now, other);
            let (now, wanted) = (kind(start), kind(other));
            let refused = (now != wanted).then_some(ChangeError::OtherQueue { now, wanted });
            if let Err(error @ ChangeError::SubQueues { .. }) = changed {
                assert_eq!(now, wanted, "{error}");
            } else {
                assert_eq!(changed.err(), refused, "{name} to {to}");
            }
            traffic.run(60, 0.6);
            traffic.empty();
        }
    }
}

#[test]
fn a_refusal_says_what_is_allowed() {
    let mut traffic = Traffic::under("red", &plan("red"));
    let refused = |traffic: &mut Traffic, to| {
        let error = traffic.audited.change(Nanos::ZERO, &plan(to));
        error.unwrap_err().to_string()
    };
    assert_eq!(
        refused(&mut traffic, "fq-red"),
        "one queue in use cannot become a queue for each flow; allowed: every scheme for one queue"
    );
    let mut traffic = Traffic::under("fq-codel", &plan("fq-codel"));
    assert_eq!(
        refused(&mut traffic, "fq-codel:queues=512"),
        "queues = 512: the number of sub-queues in use cannot change; allowed: 1024"
    );
}

/// The probe of `plan`'s queue after a long overload, before and after a change to `other`.
fn probe_across(probe: &str, start: &str, other: &str) -> (f64, f64) {
    let mut traffic = Traffic::under(start, &plan(start));
    traffic.run(2000, 0.45);
    let before = traffic.audited.queue.probe(probe).unwrap();
    traffic.audited.change(traffic.now, &plan(other)).unwrap();
    (before, traffic.audited.queue.probe(probe).unwrap())
}

#[test]
fn the_state_goes_on_under_other_parameters() {
    for (probe, start, other) in [
        ("average", "red:weight=0.01", "red:weight=0.02,max_p=0.5"),
        ("average", "red:weight=0.01", "nlred:min=9,policy=choke"),
        ("average", "wred", "wred:average=per-class"),
        ("max_p", "ared", "ared:ared_alpha=0.02,min=4"),
        ("max_p", "feng", "feng:feng_alpha=2"),
        ("flows", "sfred", "sfred:flows=40,horizon=1 s"),
        ("flows", "lru-red", "lru-red:lru_flows=64"),
        ("flows", "fred", "fred:minq=9"),
        ("price", "rem", "rem:gamma=0.01"),
        (
            "probability",
            "blue:freeze_time=1 ms,limit=20",
            "blue:d1=0.1,limit=20",
        ),
        (
            "mean_probability",
            "sfb:bin_size=3",
            "sfb:bin_size=3,d1=0.1",
        ),
        ("hits", "sred", "sred:zombies=500"),
        ("probability", "pi:a=0.001,b=0.0009", "pi:q_ref=20"),
        ("probability", "pie", "pie:target=40 ms"),
        ("base", "pi2", "pi2:alpha=0.6"),
        ("p", "dualpi2", "dualpi2:target=30 ms"),
        ("count", "codel", "codel:target=9 ms"),
        ("count", "cobalt", "cobalt:interval=80 ms"),
        ("count", "fq-codel", "fq-codel:quantum=300"),
        (
            "average",
            "fq-red:inner.weight=0.05",
            "fq-red:inner.weight=0.1,limit=900",
        ),
    ] {
        let (before, after) = probe_across(probe, start, other);
        assert!(before > 0.0, "{start}: {probe}");
        assert_eq!(before, after, "{start} to {other}: {probe}");
    }
}

#[test]
fn an_average_in_bytes_goes_on_in_packets() {
    let (packets, bytes) = probe_across("average", "red:weight=0.1", "red:weight=0.1,unit=bytes");
    assert!(
        (bytes / (1000.0 * packets) - 1.0).abs() < 1e-6,
        "{packets}, {bytes}"
    );
}

#[test]
fn a_configured_max_p_takes_the_place_of_an_adapted_one() {
    let (adapted, configured) = probe_across("max_p", "ared", "ared:max_p=0.25");
    assert!(adapted > 0.1, "{adapted}");
    assert_eq!(configured, 0.25);
}

#[test]
fn a_scheme_of_another_kind_starts_afresh() {
    let (before, after) = probe_across("count", "codel", "cobalt");
    assert!(before > 0.0);
    assert_eq!(after, 0.0);
}

#[test]
fn packets_above_a_smaller_limit_stay_until_they_leave() {
    for (start, smaller) in [
        ("droptail:limit=50", "droptail:limit=10"),
        (
            "fq-red:inner=droptail,limit=50",
            "fq-red:inner=droptail,limit=10",
        ),
        ("fq-codel:limit=50", "fq-codel:limit=10"),
        ("dualpi2:limit=50", "dualpi2:limit=10"),
    ] {
        let mut traffic = Traffic::under(start, &plan(start));
        traffic.run(60, 0.0);
        let full = traffic.audited.queue.packets();
        assert!(full > 25, "{start}: {full}");
        traffic.audited.change(traffic.now, &plan(smaller)).unwrap();
        assert_eq!(traffic.audited.queue.packets(), full, "{start}");
        traffic.run(1, 0.0);
        let after = traffic.audited.queue.packets();
        assert!(after <= full && after > 25, "{start}: {full} to {after}");
        traffic.empty();
        traffic.run(60, 0.0);
        assert_eq!(traffic.audited.queue.packets(), 10, "{start}");
    }
}

#[test]
fn a_larger_limit_has_room_at_once() {
    for (start, larger) in [
        ("droptail:limit=10", "droptail:limit=50"),
        ("choke:limit=10,min=2,max=8,weight=0.5", "droptail:limit=50"),
        (
            "fq-red:inner=droptail,limit=10",
            "fq-red:inner=droptail,limit=50",
        ),
        ("fq-codel:limit=10", "fq-codel:limit=50,backlog=total"),
        ("dualpi2:limit=10", "dualpi2:limit=50"),
    ] {
        let mut traffic = Traffic::under(start, &plan(start));
        traffic.run(30, 0.3);
        traffic.audited.change(traffic.now, &plan(larger)).unwrap();
        traffic.run(90, 0.0);
        // An arrival at a full fair queue makes room for several.
        let packets = traffic.audited.queue.packets();
        assert!(packets > 40, "{start}: {packets}");
        traffic.empty();
    }
}

/// Linux's fq_codel lets a packet bypass the sub-queues; it leaves first, whatever comes after.
#[test]
fn a_packet_that_has_bypassed_the_sub_queues_is_not_left_behind() {
    for to in ["fq-codel", "fq-codel:bypass=off", "fq-red"] {
        let start = plan("fq-codel:bypass=on");
        let mut traffic = Traffic::under(to, &start);
        traffic.run(3, 0.0);
        traffic.audited.change(traffic.now, &plan(to)).unwrap();
        assert_eq!(traffic.audited.queue.packets(), 3);
        traffic.empty();
        assert_eq!(traffic.audited.queue.counters().departed.packets, 3, "{to}");
    }
}

/// Drops every packet from the `nth` on.
#[derive(Clone, Debug)]
struct DropFrom {
    nth: u32,
    seen: u32,
}

impl Aqm for DropFrom {
    fn on_arrival<Q: Backlog>(
        &mut self,
        _now: Nanos,
        _packet: &PacketInfo,
        _queue: &Q,
        _random: &mut Pcg32,
    ) -> Verdict {
        self.seen += 1;
        match self.seen >= self.nth {
            true => Verdict::Drop(DropReason::Early),
            false => Verdict::Keep,
        }
    }

    fn continue_from(
        &mut self,
        _now: Nanos,
        old: Self,
        _waiting: &mut dyn Iterator<Item = PacketInfo>,
    ) {
        self.seen = old.seen;
    }
}

#[test]
fn a_scheme_of_ones_own_goes_on_in_its_box() {
    let own = |nth| Plan::custom(DropFrom { nth, seen: 0 }, Limit::packets(100));
    let mut traffic = Traffic::under("own", &own(100));
    traffic.run(9, 0.0);
    traffic.audited.change(traffic.now, &own(11)).unwrap();
    traffic.run(1, 0.0);
    assert_eq!(traffic.audited.queue.packets(), 10);
    let packet = Tagged {
        id: 999,
        flow: 1,
        size: 100,
        ecn: Ecn::NotCapable,
        class: 0,
        marks: 0,
    };
    let now = traffic.now;
    assert_eq!(
        traffic.audited.offer(now, packet),
        Outcome::Dropped(DropReason::Early)
    );
}
