//! Random links: any queue, and anything that can happen to a link.

use std::sync::Arc;

use earlydrop::registry::{SCHEMES, Spec};
use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_sim::network::{Aggregation, Change, Cut, DelayTrace, Link, Reorder, Trace};
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;

use super::{Coverage, facts};

/// What decides when a link sends. A trace excludes opportunities.
#[derive(Clone, Debug)]
enum Sending {
    AtItsRate,
    Follows(Trace),
    InOpportunities(Option<Aggregation>, Option<Nanos>),
}

variants! { sending, count_sending, Sending:
    15 Sending::AtItsRate => Just(Sending::AtItsRate),
    3 Sending::Follows(_) => prop_oneof![opportunity_trace(), rate_trace()].prop_map(Sending::Follows),
    2 Sending::InOpportunities(Some(_), None) => aggregation().prop_map(|a| Sending::InOpportunities(Some(a), None)),
    1 Sending::InOpportunities(None, _) => slot().prop_map(|s| Sending::InOpportunities(None, Some(s))),
    1 Sending::InOpportunities(Some(_), Some(_)) => (aggregation(), slot()).prop_map(|(a, s)| Sending::InOpportunities(Some(a), Some(s))),
}

fn opportunity_trace() -> impl Strategy<Value = Trace> {
    vec(0..6_u32, 3..40).prop_map(|steps| {
        let mut at = 1;
        let lines = steps.iter().map(|step| {
            at += step;
            format!("{at}\n")
        });
        lines.collect::<String>().parse().unwrap()
    })
}

/// Lines of a time and a value, the last without, under a heading.
fn lines(quantity: &str, pieces: &[(u64, u64)], value: impl Fn(u64) -> String) -> String {
    let mut text = format!("time,{quantity}\n");
    let mut at = 0;
    for (span, amount) in pieces {
        text += &format!("{at} ns,{}\n", value(*amount));
        at += span;
    }
    text + &format!("{at} ns,\n")
}

/// Rates from 1 to 20 Mbps, and an outage now and then.
fn rate_trace() -> impl Strategy<Value = Trace> {
    let rate = prop_oneof![4 => 1_000_000..20_000_000_u64, 1 => Just(0)];
    vec((5_000_000..300_000_000_u64, rate), 1..6).prop_map(|mut pieces| {
        pieces[0].1 = pieces[0].1.max(1_000_000);
        let text = lines("rate", &pieces, |rate| rate.to_string());
        text.parse().unwrap()
    })
}

fn delay_trace() -> impl Strategy<Value = DelayTrace> {
    vec((5_000_000..300_000_000_u64, 1..30_000_000_u64), 1..6).prop_map(|pieces| {
        let text = lines("delay", &pieces, |delay| format!("{delay} ns"));
        text.parse().unwrap()
    })
}

fn aggregation() -> impl Strategy<Value = Aggregation> {
    (
        prop_oneof![Just(u32::MAX), 1..20_u32],
        prop_oneof![Just(u64::MAX), 1..20_000_u64],
        prop_oneof![Just(Nanos::NEVER), (1..6_000_000_u64).prop_map(Nanos)],
        prop_oneof![Just(0), 1..1_000_000_u64],
    )
        .prop_map(|(packets, bytes, airtime, overhead)| Aggregation {
            packets,
            bytes,
            airtime,
            overhead: Nanos(overhead),
        })
}

fn slot() -> impl Strategy<Value = Nanos> {
    (100_000..5_000_000_u64).prop_map(Nanos)
}

/// Some time in which nothing crosses a link.
fn cut() -> impl Strategy<Value = Cut> {
    let until = prop_oneof![
        1 => Just(Nanos::NEVER),
        3 => (0..2_000_000_000_u64).prop_map(Nanos),
    ];
    (0..2_000_000_000_u64, until).prop_map(|(from, until)| Cut {
        from: Nanos(from),
        until,
    })
}

/// A change of a link, or a limit for another plan of its scheme.
#[derive(Clone, Debug)]
enum Changing {
    To(Change),
    Limit(u32),
}

variants! { change, count_change, Changing:
    1 Changing::To(Change::Rate(_)) => (500_000..30_000_000_u64).prop_map(|rate| Changing::To(Change::Rate(BitsPerSec(rate)))),
    1 Changing::To(Change::Delay(_)) => (1..40_000_000_u64).prop_map(|delay| Changing::To(Change::Delay(Nanos(delay)))),
    1 Changing::To(Change::Down) => Just(Changing::To(Change::Down)),
    2 Changing::To(Change::Up) => Just(Changing::To(Change::Up)),
    1 Changing::To(Change::Scheme(_)) | Changing::Limit(_) => (5..150_u32).prop_map(Changing::Limit),
}

/// A link of 1 to 20 Mbps with any queue or none.
pub(crate) fn link() -> impl Strategy<Value = Link> {
    let share = || prop_oneof![3 => Just(0.0), 1 => 0.0..0.05_f64];
    let change = || (0..3_000_000_000_u64, change());
    (
        (1_000_000..20_000_000_u64, 1..30_000_000_u64),
        (queue(), prop_oneof![2 => Just(1000), 1 => 300..1500_u64]),
        (share(), share(), 1..9_000_000_u64),
        prop_oneof![3 => vec(change(), 0..1), 1 => vec(change(), 1..5)],
        sending(),
        weighted(0.08, delay_trace()),
        weighted(0.15, cut()),
    )
        .prop_map(
            |(
                (rate, delay),
                (queue, mean_packet),
                (loss, held, hold),
                changes,
                sending,
                delays,
                cut,
            )| {
                let (trace, aggregation, slot) = match sending {
                    Sending::AtItsRate => (None, None, None),
                    Sending::Follows(trace) => (Some(trace), None, None),
                    Sending::InOpportunities(aggregation, slot) => (None, aggregation, slot),
                };
                let mut link = Link {
                    rate: BitsPerSec(rate),
                    delay: delays.as_ref().map_or(Nanos(delay), DelayTrace::least),
                    queue,
                    mean_packet: Bytes(mean_packet),
                    loss,
                    reorder: (held > 0.0).then_some(Reorder {
                        share: 10.0 * held,
                        delay: Nanos(hold),
                    }),
                    changes: Vec::new(),
                    cuts: cut.into_iter().collect(),
                    trace,
                    delay_trace: delays,
                    aggregation,
                    slot,
                    steered: rate % 16 == 0,
                    is_nic: false,
                    by_class: false,
                };
                // Some schemes refuse a limit below their thresholds.
                let facts = facts(&link);
                let refused = |spec: &Spec| spec.plan(&facts).is_err();
                if let Some(spec) = link.queue.as_mut().filter(|spec| refused(spec)) {
                    *spec = Spec::of(spec.descriptor());
                }
                let changes = changes.into_iter().map(|(at, change)| (Nanos(at), change));
                link.changes = changes
                    .filter_map(|(at, change)| Some((at, possible(change, &link)?)))
                    .collect();
                link
            },
        )
}

/// The change, if this link can take it.
fn possible(change: Changing, link: &Link) -> Option<Change> {
    match change {
        Changing::To(Change::Delay(_)) if link.delay_trace.is_some() => None,
        Changing::To(change) => Some(change),
        Changing::Limit(limit) => {
            let spec = Spec::of(link.queue.as_ref()?.descriptor());
            let spec = spec.with("limit", format!("{limit} packets")).ok()?;
            let plan = spec.plan(&facts(link)).ok()?;
            Some(Change::Scheme(Arc::new(plan)))
        }
    }
}

/// None, drop-tail, or any registered scheme.
fn queue() -> impl Strategy<Value = Option<Spec>> {
    let scheme = (0..SCHEMES.len(), 5..150_u32).prop_map(|(index, limit)| {
        let spec = Spec::of(SCHEMES[index]);
        let limited = spec.clone().with("limit", format!("{limit} packets"));
        Some(limited.unwrap_or(spec))
    });
    let droptail = (1..60_u32).prop_map(|limit| {
        let spec = Spec::new("droptail").unwrap();
        Some(spec.with("limit", format!("{limit} packets")).unwrap())
    });
    prop_oneof![2 => Just(None), 2 => droptail, 6 => scheme]
}

pub(crate) fn count_link(link: &Link, seen: &mut Coverage) {
    let Link {
        rate: _,
        delay: _,
        queue,
        mean_packet,
        loss,
        reorder,
        changes,
        cuts,
        trace,
        delay_trace,
        aggregation,
        slot,
        steered,
        is_nic,
        by_class,
    } = link;
    seen.switch("cut", !cuts.is_empty());
    seen.count(
        "never mended",
        cuts.iter().any(|cut| cut.until == Nanos::NEVER),
    );
    seen.switch("queue", queue.is_some());
    seen.switch("network card", *is_nic);
    seen.switch("network card by class", *by_class);
    for scheme in SCHEMES {
        let is_it = |spec: &Spec| spec.descriptor().name == scheme.name;
        seen.count(scheme.name, queue.as_ref().is_some_and(is_it));
    }
    seen.varies("mean packet", *mean_packet, Bytes(1000));
    seen.switch("random loss", *loss > 0.0);
    seen.switch("reordering", reorder.is_some());
    if let Some(Reorder { share, delay }) = reorder {
        seen.count("reordering of some", *share > 0.0 && *delay > Nanos::ZERO);
    }
    for (_, change) in changes {
        count_change(&Changing::To(change.clone()), seen);
    }
    let sending = match trace {
        Some(trace) => Sending::Follows(trace.clone()),
        None if aggregation.is_some() || slot.is_some() => {
            Sending::InOpportunities(*aggregation, *slot)
        }
        None => Sending::AtItsRate,
    };
    count_sending(&sending, seen);
    seen.switch("delay trace", delay_trace.is_some());
    if let Some(Aggregation {
        packets,
        bytes,
        airtime,
        overhead,
    }) = aggregation
    {
        seen.switch("limit of packets", *packets < u32::MAX);
        seen.switch("limit of bytes", *bytes < u64::MAX);
        seen.switch("limit of airtime", *airtime < Nanos::NEVER);
        seen.switch("overhead of opportunities", *overhead > Nanos::ZERO);
    }
    seen.switch("steered", *steered);
}
