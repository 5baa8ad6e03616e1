//! Congestion signals: none without congestion, and no drop where a mark is possible, apart from
//! documented exceptions.

use crate::support::ledger::{Audited, Event, Tagged};
use crate::support::{link, plan, presets};
use earlydrop::aqm::DropReason;
use earlydrop::packet::Ecn;
use earlydrop::queue::{Outcome, QueueDiscipline};
use earlydrop::random::Pcg32;
use earlydrop::registry::{LinkFacts, SCHEMES, Spec};
use earlydrop::units::{Bytes, Nanos};

fn packet(id: u64, size: u32, ecn: Ecn) -> Tagged {
    Tagged {
        id,
        flow: id % 40,
        size,
        ecn,
        class: (id % 4) as u8,
        marks: 0,
    }
}

/// Two thousand packets, one a millisecond, with a standing queue of `standing`.
fn trickle(name: &str, standing: u32) -> Audited {
    let spec: Spec = name.parse().unwrap();
    let half_used = LinkFacts {
        mean_packet: Bytes(400),
        ..link()
    };
    let plan = spec.plan(&half_used).unwrap();
    let mut audited = Audited::new(name, &plan, Nanos::ZERO);
    for id in 0..2000 {
        let now = Nanos::from_millis(id);
        audited.offer(now, packet(id, 400, Ecn::NotCapable));
        while audited.queue.packets() > standing {
            audited.take(now);
        }
    }
    audited
}

#[test]
fn no_scheme_signals_at_a_short_steady_queue() {
    for name in presets() {
        // Three milliseconds, three packets, 1200 bytes: below every scheme's first threshold.
        for standing in [0, 1, 3] {
            let counters = trickle(&name, standing).queue.counters().clone();
            assert_eq!(counters.dropped().packets, 0, "{name} at {standing}");
            assert_eq!(counters.marked.packets, 0, "{name} at {standing}");
        }
    }
}

/// Overloads the queue with bursts of packets with the ECN field `ecn`; calls `judge` for
/// each packet dropped as a congestion signal.
fn overload(text: &str, ecn: Ecn, mut judge: impl FnMut(&Audited, DropReason)) -> Audited {
    let mut audited = Audited::new(text, &plan(text), Nanos::ZERO);
    let mut random = Pcg32::new(8, 8);
    let mut checked = 0;
    for id in 0..12_000 {
        let now = Nanos::from_micros(id * 500);
        audited.offer(now, packet(id, 1000, ecn));
        let load = [45, 90, 55, 20][(id / 1500) as usize % 4];
        // Before a departure, which is judged by the state before it.
        judge_new_drops(&audited, &mut checked, &mut judge);
        if random.below(100) < load {
            audited.take(now);
            judge_new_drops(&audited, &mut checked, &mut judge);
        }
    }
    audited
}

fn judge_new_drops(
    audited: &Audited,
    checked: &mut usize,
    judge: &mut impl FnMut(&Audited, DropReason),
) {
    for event in &audited.events[*checked..] {
        if let Event::Lost(_, reason @ (DropReason::Early | DropReason::Dequeue)) = event {
            judge(audited, *reason);
        }
    }
    *checked = audited.events.len();
}

/// Whether the documentation allows `spec` to drop an ECN-capable packet in its present state.
///
/// | scheme | drops what it could mark |
/// |---|---|
/// | RED family, WRED | from the last threshold on (RFC 3168), and above `mark_limit` |
/// | PIE, FQ-PIE | at p >= `mark_limit` (RFC 8033) |
/// | COBALT, CAKE | by BLUE's half, for flows that do not respond to marks |
/// | DualPI2, Dual Curvy RED | while saturated |
/// | any other | never |
fn may_drop(spec: &Spec, audited: &Audited) -> bool {
    let probe = |name| audited.queue.probe(name).unwrap();
    let settings = spec.settings(&link()).unwrap();
    let scheme = spec.descriptor();
    match scheme.name {
        "pie" | "fq-pie" => probe("probability") >= settings.number("mark_limit"),
        "cobalt" | "cake" => probe("p") > 0.0,
        "dualpi2" => probe("p_cl") >= 1.0,
        // It moves with each packet, also with the one that left after the drop.
        "dual-curvy-red" => probe("p_cl") > 0.9,
        "fq-red" => probe("pb") == 1.0,
        _ if scheme.parameter("mark_above_max").is_some() => {
            let above_last = probe("pb") == 1.0 && !settings.flag("mark_above_max");
            above_last || probe("pb") > settings.number("mark_limit")
        }
        _ => false,
    }
}

/// The presets whose scheme marks, the schemes with a quick average, and a constant probability.
fn marking() -> impl Iterator<Item = Spec> {
    let quick = SCHEMES
        .iter()
        .filter(|scheme| scheme.parameter("weight").is_some());
    let quick = quick.map(|scheme| format!("{}:weight=0.02", scheme.name));
    let constant = ["dial:probability=0.02".to_string()];
    let specs = presets().into_iter().chain(quick).chain(constant);
    let specs = specs.map(|text| text.parse::<Spec>().unwrap());
    specs.filter(|spec| {
        let settings = spec.settings(&link()).unwrap();
        let has_flag = spec.descriptor().parameter("ecn").is_some();
        !has_flag || settings.flag("ecn")
    })
}

#[test]
fn ecn_capable_packets_are_marked_not_dropped() {
    for spec in marking() {
        for ecn in [Ecn::Ect0, Ecn::Ect1] {
            let text = spec.to_string();
            let audited = overload(&text, ecn, |audited, reason| {
                assert!(may_drop(&spec, audited), "{text}, {ecn:?}: {reason:?}");
            });
            let marks = audited.queue.counters().marked.packets;
            // Drop-tail sends no signals, nor do DRR and SFQ over it, nor a dial at its default. FRED
            // drops equal flows by
            // their share (`policy`).
            let silent = match spec.descriptor().name {
                "dial" => text == "dial",
                name => ["droptail", "fred", "drr", "sfq"].contains(&name),
            };
            assert!(marks > 0 || silent, "{text}, {ecn:?}");
        }
    }
}

#[test]
fn with_mark_above_max_the_red_family_never_drops_by_its_curve() {
    for scheme in SCHEMES
        .iter()
        .filter(|scheme| scheme.parameter("mark_above_max").is_some())
    {
        let text = format!("{}:mark_above_max=on,weight=0.05", scheme.name);
        overload(&text, Ecn::Ect0, |_, reason| panic!("{text}: {reason:?}"));
    }
}

#[test]
fn without_ecn_nothing_is_marked() {
    for scheme in SCHEMES
        .iter()
        .filter(|scheme| scheme.parameter("ecn").is_some())
    {
        let text = format!("{}:ecn=off", scheme.name);
        let audited = overload(&text, Ecn::Ect0, |_, _| {});
        assert_eq!(audited.queue.counters().marked.packets, 0, "{text}");
        let marked = |event: &Event| matches!(event, Event::Offered(_, Outcome::Marked));
        assert!(!audited.events.iter().any(marked), "{text}");
    }
}
