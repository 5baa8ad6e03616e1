//! Any text for any parameter gives a useful error or a queue that works.

use crate::support::ledger::{Audited, Tagged};
use crate::support::link;
use crate::support::traffic::fixed_runner;
use earlydrop::packet::Ecn;
use earlydrop::registry::{Descriptor, Kind, Parameter, Plan, SCHEMES, Spec};
use earlydrop::units::{BitsPerSec, Nanos};
use proptest::prelude::*;
use proptest::sample::select;

/// Usual numbers, edge cases, and extreme ones.
fn numbers() -> impl Strategy<Value = String> {
    const EDGES: &[&str] = &[
        "0",
        "1",
        "-1",
        "0.5",
        "1.0000001",
        "2",
        "3",
        "7",
        "64",
        "1e-9",
        "1e-300",
        "5e-324",
        "1e9",
        "1e18",
        "1e30",
        "1e300",
        "1.7976931348623157e308",
        "4294967295",
        "4294967296",
        "18446744073709551615",
        "99999999999999999999",
        "NaN",
        "inf",
        "1e999",
        ".",
        "1e",
        "-0",
    ];
    let plain = any::<f64>().prop_map(|number| number.to_string());
    prop_oneof![
        6 => select(EDGES).prop_map(String::from),
        3 => (0.0..50.0_f64).prop_map(|number| number.to_string()),
        3 => (0..300_u32).prop_map(|number| number.to_string()),
        1 => plain,
    ]
}

fn quantities() -> impl Strategy<Value = String> {
    const UNITS: &[&str] = &[
        "", "", " packets", " bytes", " s", " ms", "us", "ns", " MB", "%", " Mbps", " GB", " x",
    ];
    (numbers(), select(UNITS)).prop_map(|(number, unit)| format!("{number}{unit}"))
}

/// Values for a text parameter.
fn phrases() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        numbers(),
        select(&["/", ":", ";", " ", "red", "pie"][..]).prop_map(String::from)
    ];
    prop::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.concat())
}

fn values(parameter: &Parameter) -> BoxedStrategy<String> {
    let words = match parameter.kind {
        _ if parameter.kind.choices().is_some() => {
            let choices = parameter.kind.choices().unwrap().iter();
            choices.map(|(name, _)| *name).collect()
        }
        Kind::Flag => vec!["on", "off"],
        _ => vec!["auto", "never", "on", "", "ünïcode", "-", "9 9"],
    };
    let words = select(words).prop_map(String::from);
    match parameter.kind {
        Kind::OrPoints(_) => prop_oneof![9 => words, 1 => phrases()].boxed(),
        Kind::Choice(_) | Kind::Flag => prop_oneof![9 => words, 1 => quantities()].boxed(),
        Kind::Text(_) => phrases().boxed(),
        _ => prop_oneof![9 => quantities(), 1 => words].boxed(),
    }
}

/// Up to four parameters of `scheme` with any values.
fn specs(scheme: &'static Descriptor) -> impl Strategy<Value = Vec<(&'static str, String)>> {
    let parameters: Vec<_> = scheme.parameters().collect();
    let given = select(parameters).prop_flat_map(|one| (Just(one.name), values(one)));
    let given = given.boxed();
    // With more parameters one of them is refused most of the time.
    prop_oneof![3 => prop::collection::vec(given.clone(), 1), 1 => prop::collection::vec(given, 2..5)]
}

/// Whether the queue is quick to build.
fn is_small(plan: &Plan) -> bool {
    let queues = match plan {
        Plan::Fair { sharing, .. } | Plan::FairCodel { sharing, .. } => sharing.queues,
        _ => 1,
    };
    plan.limit().packets <= 20_000 && queues <= 2048
}

/// Drives a queue with some hundred packets, a calm of 1 s, an empty queue and changes of rate.
fn works(text: &str, plan: &Plan) {
    let mut audited = Audited::new(text, plan, Nanos::ZERO);
    for id in 0..240 {
        let calm = if id > 160 { 1_000_000_000 } else { 0 };
        let now = Nanos(id * 200_000 + calm);
        while id % 100 == 99 && audited.take(now).is_some() {}
        let packet = Tagged {
            id,
            flow: id % 7,
            size: [40, 1500, 1000][(id % 3) as usize],
            ecn: Ecn::from_bits((id / 2 % 4) as u8),
            class: (id % 5) as u8,
            marks: 0,
        };
        audited.offer(now, packet);
        if id % 3 == 0 || id > 150 {
            audited.take(now);
        }
        if id % 40 == 20 {
            audited.set_rate(now, BitsPerSec(id * 100_000));
            audited.check_probes_and_memory();
        }
    }
    audited.check_probes_and_memory();
}

/// The first failure of `scheme`, if any.
fn failure(scheme: &'static Descriptor) -> Option<String> {
    let result = fixed_runner(400).run(&specs(scheme), |given| {
        let spec = given
            .iter()
            .try_fold(Spec::of(scheme), |spec, (name, value)| {
                spec.with(name, value)
            });
        match spec.and_then(|spec| Ok((spec.to_string(), spec.plan(&link())?))) {
            Err(error) => {
                // Errors in inner parameters name the inner scheme.
                let named = error.to_string().contains(scheme.name);
                let at_fault = named && error.parameter().is_some();
                prop_assert!(at_fault || scheme.nests, "{error}");
                prop_assert!(!error.to_string().is_empty());
            }
            Ok((text, plan)) if is_small(&plan) => works(&text, &plan),
            Ok(_) => {}
        }
        Ok(())
    });
    result
        .err()
        .map(|failure| format!("{}: {failure}", scheme.name))
}

#[test]
fn any_text_gives_an_error_or_a_queue_that_works() {
    let failures: Vec<_> = SCHEMES.iter().copied().filter_map(failure).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn any_line_of_text_parses_or_is_refused() {
    let lines = prop_oneof![
        any::<String>(),
        phrases().prop_map(|text| format!("red:{text}"))
    ];
    let result = fixed_runner(2000).run(&lines, |line| {
        if let Err(error) = line.parse::<Spec>() {
            prop_assert!(!error.to_string().is_empty());
        }
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn past_failures_work() {
    for text in [
        // Rounded to a period of zero: a division by zero.
        "blue:freeze_time=1e-300 s",
        // Twice this overflowed.
        "pie:mean_packet=1e30 bytes",
    ] {
        let spec: Spec = text.parse().unwrap();
        works(text, &spec.plan(&link()).unwrap());
    }
}
