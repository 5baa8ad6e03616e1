//! Every choice in every part of the RED family combines with every other.

use std::collections::BTreeSet;

use crate::support::ledger::{Audited, Tagged};
use crate::support::plan;
use earlydrop::aqm::DropReason;
use earlydrop::packet::Ecn;
use earlydrop::queue::QueueDiscipline;
use earlydrop::random::Pcg32;
use earlydrop::registry::find;
use earlydrop::units::Nanos;

/// The choices of a parameter of RED.
fn choices(parameter: &str) -> Vec<&'static str> {
    let parameter = find("red").unwrap().parameter(parameter).unwrap();
    let choices = parameter.kind.choices().expect(parameter.name);
    choices.iter().map(|(name, _)| *name).collect()
}

/// Every curve by every spacing, adaptation and policy.
fn compositions() -> Vec<String> {
    let mut texts = vec!["red:limit=40,weight=0.1".to_string()];
    for part in ["curve", "spacing", "adapt", "policy"] {
        let named = |text: &String, choice| format!("{text},{part}={choice}");
        let with_each = |text: &String| -> Vec<String> {
            let all = choices(part).into_iter();
            all.map(|choice| named(text, choice)).collect()
        };
        texts = texts.iter().flat_map(with_each).collect();
    }
    texts
}

/// A second of overload by a few flows, then a calm, then another second.
fn overload_twice(name: &str, extra: &str) -> Audited {
    let text = format!("{name}{extra}");
    let mut audited = Audited::new(&text, &plan(&text), Nanos::ZERO);
    let mut random = Pcg32::new(4, 4);
    let mut now = Nanos::ZERO;
    for id in 0..400 {
        now += Nanos(u64::from(random.below(1_000_000)));
        if id == 200 {
            now += Nanos::from_secs(3);
        }
        let packet = Tagged {
            id,
            flow: u64::from(random.below(6).min(random.below(6))),
            size: 40 + random.below(1461),
            ecn: Ecn::from_bits(random.below(4) as u8),
            class: 0,
            marks: 0,
        };
        audited.offer(now, packet);
        if random.below(10) < 5 {
            audited.take(now);
        }
        if id % 20 == 0 {
            audited.check_probes_and_memory();
        }
    }
    audited
}

fn signals(audited: &Audited) -> u64 {
    let counters = audited.queue.counters();
    let reasons = [DropReason::Early, DropReason::Policy];
    let dropped = reasons.map(|reason| counters.dropped_for(reason).packets);
    counters.marked.packets + dropped.iter().sum::<u64>()
}

#[test]
fn every_combination_signals_congestion() {
    let all = compositions();
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    assert!(all.len() >= 8 * 4 * 5 * 5, "{}", all.len());
    for name in all {
        let audited = overload_twice(&name, "");
        assert!(signals(&audited) > 0, "{name} sends no congestion signal");
    }
}

#[test]
fn byte_mode_and_cautious_combine_with_everything() {
    for name in compositions() {
        let audited = overload_twice(
            &name,
            ",unit=bytes,by_size=on,cautious=on,segments=5000: 0 0.00001; 15000: 1",
        );
        assert!(signals(&audited) > 0, "{name} sends no congestion signal");
        overload_twice(&name, ",weight_time=0.1 s,gentle_slope=initial,idle=linux");
    }
}

#[test]
fn a_curve_by_its_points_gives_the_verdicts_of_its_segments() {
    for (points, segments) in [
        ("2:0 10:0.25 10:1", "2: 0 0.03125; 10: 1"),
        (
            "2:0 6:0.125 22:1",
            "2: 0 0.03125; 6: 0.125 0.0546875; 22: 1",
        ),
        ("0:0.25 8:0.5", "0: 0.25 0.03125; 8: 0.5"),
    ] {
        for parts in ["", ",spacing=geometric", ",adapt=ared,policy=choke"] {
            let red = |curve: String| overload_twice("red:weight=0.1,", &format!("{curve}{parts}"));
            let by_points = red(format!("curve={points}"));
            let by_segments = red(format!("curve=numbers,segments={segments}"));
            assert_eq!(by_points.events, by_segments.events, "{points}{parts}");
            assert!(signals(&by_points) > 0, "{points}{parts}");
            let also = red(format!("curve=numbers,segments={points}"));
            assert_eq!(also.events, by_segments.events, "{points}{parts}");
        }
    }
}

#[test]
fn the_composition_of_the_front_page_is_built() {
    let audited = overload_twice("clred:adapt=ared,policy=sfred,weight=0.1", "");
    assert!(signals(&audited) > 0);
}
