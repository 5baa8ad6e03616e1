//! Invariants of every scheme, with every preset and in random compositions, under random
//! traffic. `support::ledger` checks them at every call.

use crate::support::ledger::{Audited, Event};
use crate::support::traffic::{Act, Aside, Driver, Kind, fixed_runner, traffic};
use crate::support::{plan, presets};
use earlydrop::units::Nanos;
use proptest::prelude::*;

/// A clock days after its origin, at no round number.
const LATER: Nanos = Nanos(500_000_123_456_789);

fn events(name: &str, acts: &[Act], offset: Nanos, aside: Aside) -> Vec<Event> {
    let audited = Audited::new(name, &plan(name), offset);
    let mut driver = Driver::new(audited, aside);
    driver.run(acts);
    driver.audited.events
}

/// Runs `acts` unchanged and in variations that must not make a difference.
fn check(name: &str, acts: &[Act]) {
    let variations = [
        (Nanos::ZERO, Aside::Clone, "by clones"),
        (Nanos::ZERO, Aside::Poll, "polled in between"),
        (LATER, Aside::Nothing, "on a later clock"),
    ];
    compare(name, acts, &variations);
    // A plan is made for a link, so the link stays the same.
    let is_of_traffic = |act: &&Act| !matches!(act, Act::Rate { .. });
    let acts: Vec<Act> = acts.iter().filter(is_of_traffic).copied().collect();
    let change = (LATER, Aside::Change, "changed to what it is");
    compare(name, &acts, &[change]);
}

fn compare(name: &str, acts: &[Act], variations: &[(Nanos, Aside, &str)]) {
    let plain = events(name, acts, Nanos::ZERO, Aside::Nothing);
    for &(offset, aside, variation) in variations {
        let other = events(name, acts, offset, aside);
        let differs = plain.iter().zip(&other).position(|(a, b)| a != b);
        let differs = differs.map(|at| (at, plain[at], other[at]));
        assert_eq!(differs, None, "{name} {variation}");
        assert_eq!(plain.len(), other.len(), "{name} {variation}");
    }
}

/// Checks each of `names` under the same random traffic; reports all that fail.
fn check_all(names: Vec<String>, cases: u32) {
    let fails = |name: &String| {
        let result = fixed_runner(cases).run(&traffic(), |acts| {
            check(name, &acts);
            Ok(())
        });
        result.err().map(|failure| format!("{name}: {failure}"))
    };
    let failures: Vec<_> = names.iter().filter_map(fails).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_scheme_by_every_preset_keeps_the_invariants() {
    check_all(presets(), 24);
}

/// Small buffers and short averages, so that short traffic reaches every branch.
#[test]
fn small_buffers_keep_the_invariants() {
    let names = [
        "droptail:limit=9000 bytes",
        "red:weight=0.5,limit=15,min=2,max=10",
        "red:weight=1,limit=20,min=1,max=2,mark_above_max=on",
        "sfred:weight=0.2,limit=20,flows=3,horizon=50 ms",
        "lru-red:weight=0.2,limit=20",
        "fred:weight=0.2,limit=20",
        "choke:weight=0.2,limit=20,min=2,max=10",
        "wred:weight=0.3,profiles=2/9/0.5; 1/5/0.9,limit=12",
        "wred:weight=0.3,average=per-class,limit=64",
        "rem:limit=30,gamma=0.5",
        "rem:limit=30,gamma=0.5,inw=0.3,interval=20 ms,q_ref=2",
        "blue:limit=10,freeze_time=1 ms,threshold=8",
        "sfb:limit=30,bin_size=3,rehash=1 s,warmup=0.5 s",
        "sred:limit=12,zombies=4",
        "pi:limit=60,a=0.01,b=0.009",
        "pie:limit=40,delay=rate,dq_threshold=3000,derandomise=on",
        "pie:limit=200,burst=0 s,decay=half",
        "pi2:limit=100,floor=0",
        "dualpi2:limit=20,ramp=1 ms",
        "dualpi2:limit=20 ms,spread=chance,drop_on_overload=off",
        "dual-curvy-red:limit=20,scale=10 ms",
        "codel:target=1 ms,interval=5 ms,limit=30",
        "cobalt:target=1 ms,interval=5 ms,limit=10",
        "fq-codel:limit=12,queues=3,target=1 ms,interval=5 ms",
        "fq-codel:limit=40,queues=2,mtu=0,target=0.1 ms,interval=10 ms",
        "fq-codel:memory_limit=20 kB,queues=4,drop_batch=2",
        "fq-red:limit=40,queues=3,inner.weight=0.5",
        "fq-red:limit=20,inner=cobalt,queues=4",
        "fq-red:limit=40,inner=choke,inner.weight=0.5,inner.min=2",
        "fq-red:limit=60,inner=pie,queues=2",
        "fq-pie:limit=20,queues=4,overflow=arrival,timers=together",
        "fq-pie:as=linux,limit=60,queues=2,burst=0 s",
        "drr:limit=12,queues=3,quantum=100 bytes",
        "drr:limit=30,by=class,queues=3,weights=3 1,inner=codel,inner.target=1 ms",
        "drr:memory_limit=20 kB,inner=blue",
        "sfq:limit=9,queues=4,perturb=0.1 s",
        "sfq:limit=20,scheduler=packets,overflow=arrival,inner=cobalt",
        "cake:queues=8,limit=12,target=1 ms,interval=5 ms",
        "cake:queues=8,ways=1,memory_limit=20 kB,isolation=hosts,diffserv=diffserv8",
        "cake:queues=16,unlimited=on,overhead=-20,framing=atm,quantum=100 bytes,sources=3 1",
        "step:threshold=2 ms,limit=9",
        "dial:probability=0.2,spacing=wait,limit=20",
    ];
    check_all(names.map(String::from).into(), 30);
}

/// RED with a random choice in each part.
fn compositions() -> impl Strategy<Value = String> {
    let one = |names: &'static [&'static str]| prop::sample::select(names);
    let laws = (
        one(&[
            "red",
            "gentle",
            "dsred",
            "nlred",
            "nlred-gentle",
            "mred",
            "clred",
            "numbers",
        ]),
        one(&["geometric", "uniform", "pseudocode", "uniform2", "wait"]),
        one(&["none", "feng", "ared", "restraint", "rared"]),
        one(&["none", "choke", "sfred", "lru", "fred"]),
        one(&["exact", "floor", "ns2", "linux", "none"]),
        one(&["0.002", "0.1", "1", "auto"]),
    );
    let thresholds = one(&[
        "min=2,max=9,unit=packets",
        "min=5,max=auto,unit=bytes",
        "min=auto,max=auto,unit=packets",
        "min=auto,max=20 ms,unit=bytes",
        "min=0,max=4000 bytes,unit=bytes",
    ]);
    let flags = prop::collection::vec(one(&["on", "off"]), 4);
    let slope = one(&["live", "initial"]);
    (laws, thresholds, flags, slope).prop_map(|(laws, thresholds, flags, slope)| {
        let (curve, spacing, adapt, policy, idle, weight) = laws;
        let [by_size, cautious, ecn, above] = [0, 1, 2, 3].map(|index| flags[index]);
        format!(
            "red:limit=25,curve={curve},spacing={spacing},adapt={adapt},policy={policy},\
             idle={idle},weight={weight},{thresholds},by_size={by_size},cautious={cautious},\
             ecn={ecn},mark_above_max={above},gentle_slope={slope},horizon=1 s,\
             segments=2: 0 0.01; 9: 0.1 0.02; 20: 1"
        )
    })
}

#[test]
fn random_compositions_keep_the_invariants() {
    let result = fixed_runner(500).run(&(compositions(), traffic()), |(name, acts)| {
        check(&name, &acts);
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn years_of_calm_or_of_a_link_that_is_down_cost_no_more_than_a_moment() {
    let ten_years = 315_360_000_000_000_000;
    for name in presets() {
        for waiting in [0, 1, 9] {
            let mut driver = Driver::new(Audited::new(&name, &plan(&name), LATER), Aside::Nothing);
            let kind = Kind {
                seed: 1,
                flows: 2,
                largest: 1500,
                ecn: 1,
            };
            driver.stand(waiting, kind, ten_years);
        }
    }
}
