//! Every choice in every part of the RED family goes with every other.

mod support;

use std::collections::BTreeSet;

use earlydrop::aqm::DropReason;
use earlydrop::packet::Ecn;
use earlydrop::queue::QueueDiscipline;
use earlydrop::random::Pcg32;
use earlydrop::registry::{Kind, find};
use earlydrop::units::Nanos;
use support::ledger::{Audited, Tagged};
use support::plan;

/// The names a parameter of RED chooses from.
fn choices(parameter: &str) -> Vec<&'static str> {
    let parameter = find("red").unwrap().parameter(parameter).unwrap();
    let Kind::Choice(choices) = parameter.kind else {
        panic!("{} is no choice", parameter.name);
    };
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
fn carry(name: &str, extra: &str) -> Audited {
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
    let told = [DropReason::Early, DropReason::Policy];
    let dropped = told.map(|reason| counters.dropped_for(reason).packets);
    counters.marked.packets + dropped.iter().sum::<u64>()
}

#[test]
fn there_is_nothing_that_does_not_go_together() {
    let all = compositions();
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    assert!(all.len() >= 8 * 4 * 5 * 5, "{}", all.len());
    for name in all {
        let audited = carry(&name, "");
        assert!(signals(&audited) > 0, "{name} tells nobody of anything");
    }
}

#[test]
fn bytes_sizes_and_caution_go_with_everything() {
    for name in compositions() {
        let audited = carry(
            &name,
            ",unit=bytes,by_size=on,cautious=on,segments=5000: 0 0.00001; 15000: 1",
        );
        assert!(signals(&audited) > 0, "{name} tells nobody of anything");
        carry(&name, ",weight_time=0.1 s,gentle_slope=initial,idle=linux");
    }
}

#[test]
fn the_composition_of_the_front_page_is_built() {
    let audited = carry("clred:adapt=ared,policy=sfred,weight=0.1", "");
    assert!(signals(&audited) > 0);
}
