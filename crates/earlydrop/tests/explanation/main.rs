//! Every scheme explains its verdicts: what an explanation says is what happens next, and its
//! numbers add up.

mod check;
mod evaluate;
mod load;
#[path = "../support/mod.rs"]
mod support;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use earlydrop::queue::{AnyQueue, QueueDiscipline};
use earlydrop::units::{BitsPerSec, Nanos};

use check::{Tally, check_arrival, check_departures};
use load::{Load, Sent};
use support::{plan, presets};

/// Calls of one load.
const ARRIVALS: u32 = 6000;

/// Combinations that no preset has.
const MORE: &[&str] = &[
    "red:spacing=geometric",
    "red:spacing=pseudocode",
    "red:spacing=uniform2,by_size=on",
    "red:spacing=wait,by_size=on,cautious=on",
    "red:spacing=drawn",
    "red:spacing=drawn,entry=free,ecn=on",
    "red:by_size=on,mark_limit=0.05",
    "red:unit=bytes,min=4000 bytes,max=20 kB,idle=floor",
    "red:curve=numbers,segments=5: 0 0.01 0.0002; 20: 0.4 0.001; 40: 1",
    "red:curve=5:0 10:0.2 10:0.05 30:1,idle=none",
    "red:weight=1,min=2,max=6",
    "red:arithmetic=linux,weight=0.0625,idle=linux,mark_above_max=on",
    "red:as=dell,min=5 kB,max=40 kB,limit=100 kB",
    "red:as=juniper,max=40 kB,limit=60 kB",
    "gred:adapt=ared,gentle_slope=initial",
    "clred:adapt=ared,policy=sfred",
    "dsred:adapt=feng,policy=lru,limit=60",
    "nlred:adapt=restraint,policy=fred,limit=60",
    "mred:adapt=rared,policy=choke,slope=auto",
    "rared:base=red,policy=sfred",
    "sfred:totals=all,fast_scaling=as-printed,unit=bytes,min=5 kB,max=15 kB,k=5 kB",
    "lru-red:lru_scaling=count,lru_threshold=20,curve=numbers",
    "fred:unit=bytes,min=10 kB,max=20 kB,fred_above_max=drop,limit=60 packets",
    "wred:gentle=on,by_size=on,cautious=on",
    "wred:average=per-class,spacing=wait",
    "rem:signal=departure,unit=bytes,inw=0.3,limit=60",
    "rem:gamma=0.05,others=pass,limit=60",
    "blue:threshold=10 packets,d1=0.05",
    "blue:limit=20,d1=0.1,freeze_time=10 ms",
    "sfb:limit=60,bins=4,bin_size=10,penalty_rate=200,rehash=1 s,warmup=0.5 s,d1=0.05",
    "sfb:as=linux,limit=80 packets,d1=0.05,d2=0.001",
    "sred:zombies=50,limit=60",
    "sred:limit=60 kB,full=off,zombies=20,flows=8",
    "pi:unit=bytes,q_ref=10 packets,limit=60,a=0.002,b=0.0019",
    "pie:delay=rate,decay=half,cap=off",
    "pie:derandomise=on,limit=60",
    "pie:as=linux,delay=timestamps,ecn=on",
    "pie:burst=0 s,high_delay=20 ms",
    "pi2:scalable=none,limit=60",
    "dualpi2:drop_on_overload=off",
    "dualpi2:limit=40,alpha=1,beta=10",
    "dualpi2:as=paper,spread=chance,alpha=2",
    "dual-curvy-red:scale=40 ms",
    "dual-curvy-red:scale=100 ms,curviness=2,spread=even,drop_on_overload=off,limit=60",
    "codel:ce_threshold=1 ms",
    "codel:as=linux,ecn=on,limit=60",
    "codel:clock=1024ns,sqrt=newton,interval=20 ms",
    "cobalt:limit=30,increment=0.05",
    "fq-codel:limit=30,queues=8,drop_batch=3",
    "fq-codel:as=linux,limit=50,bypass=on,queues=16,memory_limit=60 kB",
    "fq-red:inner=pie,queues=4,limit=200",
    "fq-red:inner=choke,inner.min=2,inner.max=9,queues=4,limit=80,memory_limit=40 kB",
    "fq-red:inner=cobalt,queues=4,limit=50",
    "fq-red:inner=red,by=class,weights=3 2,queues=4,limit=60,overflow=arrival",
    "fq-pie:queues=4,limit=40,derandomise=on",
    "fq-pie:as=linux,limit=40,queues=8,ecn=on",
    "drr:limit=30,quantum=300 bytes",
    "drr:by=class,queues=4,weights=1 4,inner=codel,limit=60",
    "drr:inner=pie,limit=40,longest=packets,memory_limit=30 kB",
    "sfq:limit=30",
    "sfq:inner=red,inner.min=2,inner.max=9,limit=60,perturb=1 s,queues=4,scheduler=packets",
    "cake:queues=16,limit=40",
    "cake:queues=8,ways=2,limit=60,diffserv=diffserv4,isolation=dual-srchost,sources=6 2",
    "cake:as=linux,queues=16,unlimited=on,diffserv=besteffort,isolation=flowblind,limit=50",
    "step:threshold=5 ms,others=pass",
    "droptail:limit=20 kB",
    "dial:probability=0.05",
    "dial:probability=0.2,spacing=uniform",
    "dial:probability=0.1,spacing=wait,ecn=off",
];

/// Changes the link's rate after a third of the calls, and the scheme's parameters to its defaults
/// after two thirds, where they can be changed.
fn change(call: u32, spec: &str, now: Nanos, queues: [&mut AnyQueue<Sent>; 2]) {
    let name = spec.split(':').next().unwrap_or(spec);
    for queue in queues {
        if call == ARRIVALS / 3 {
            queue.set_link_rate(now, BitsPerSec::from_mbps(5));
        }
        if call == 2 * ARRIVALS / 3 {
            let _ = queue.change(now, &plan(name));
        }
    }
}

/// Runs one load over a queue that is asked before its calls and one that never is.
fn run(spec: &str, load: &mut Load, seed: u64) -> Tally {
    let plan = plan(spec);
    let (mut asked, mut silent): (AnyQueue<Sent>, AnyQueue<Sent>) =
        (plan.queue(seed), plan.queue(seed));
    // A copy of a large queue takes long: it is asked less often.
    let every = 1 + asked.memory() as u32 / 40_000;
    let mut tally = Tally::default();
    for call in 0..ARRIVALS {
        let (now, packet) = load.next();
        if load.is_bursty() {
            change(call, spec, now, [&mut asked, &mut silent]);
        }
        while let Some(at) = load.departs_by(now, silent.packets()) {
            let lost = match call % every == 0 {
                true => check_departures(spec, &mut asked, at, &mut tally),
                false => check::dequeue(&mut asked, at),
            };
            let expected = check::dequeue(&mut silent, at);
            assert_eq!(lost, expected, "{spec}: asking changes what leaves");
            load.sent(at, &expected);
        }
        let outcome = match call % every == 0 {
            true => check_arrival(spec, &mut asked, now, packet, &mut tally),
            false => asked.enqueue(now, packet),
        };
        assert_eq!(outcome, silent.enqueue(now, packet), "{spec}");
        load.enqueued(packet, outcome);
    }
    assert_eq!(asked.counters(), silent.counters(), "{spec}");
    assert_eq!(
        format!("{asked:?}"),
        format!("{silent:?}"),
        "{spec}: asking leaves the queue as it was"
    );
    tally
}

#[test]
fn an_explanation_is_what_happens_next() {
    let mut specs = presets();
    specs.extend(MORE.iter().map(|spec| spec.to_string()));
    let (next, tallies) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some(spec) = specs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut tally = run(spec, &mut Load::steady(7), 11);
                    tally.add(&run(spec, &mut Load::bursts(8), 12));
                    tallies.lock().unwrap().push((spec.clone(), tally));
                }
            });
        }
    });
    let mut tallies = tallies.into_inner().unwrap();
    tallies.sort_by(|one, other| one.0.cmp(&other.0));
    let mut all = Tally::default();
    for (spec, tally) in &tallies {
        println!("{spec:24} {tally:?}");
    }
    for (spec, tally) in &tallies {
        // CAKE's thousands of sub-queues and a switch's megabytes are asked seldom; with few, they are
        // among `MORE`.
        let enough = if tally.arrivals() < 500 { 3 } else { 10 };
        let (signals, arrivals) = (tally.signals(), tally.arrivals());
        assert!(
            signals >= enough,
            "{spec} drops and marks {signals} of {arrivals} asked"
        );
        all.add(tally);
    }
    println!("{:24} {all:?}", "all");
    assert_eq!(tallies.len(), specs.len());
    assert!(
        all.by_chance > 200_000,
        "decided by chance: {}",
        all.by_chance
    );
}
