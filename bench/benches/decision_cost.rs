//! Cost of a verdict of every scheme, compared with DPDK's RED; memory of a queue and of a
//! remembered flow.
//!
//! `cargo bench -p earlydrop-bench --bench decision_cost`

use std::hint::black_box;

use earlydrop::aqm::{Aqm, Verdict};
use earlydrop::packet::PacketInfo;
use earlydrop::queue::{AnyQueue, QueueDiscipline};
use earlydrop::random::Pcg32;
use earlydrop::registry::{LinkFacts, Plan, SCHEMES, Spec};
use earlydrop::schemes::AnyAqm;
use earlydrop::units::{BitsPerSec, Nanos};
use earlydrop_bench::{
    Contender, DpdkRed, Handle, Standing, Timing, arrivals, queue_lengths, race,
};

const PACKETS: usize = 1 << 18;
const ROUNDS: usize = 21;
/// 10 Gbit/s of 1,000-byte packets.
const LINK: LinkFacts = LinkFacts::at(BitsPerSec(10_000_000_000));
const GAP: Nanos = Nanos(800);

fn main() {
    against_dpdk();
    every_scheme();
    list_sizes();
}

fn plan(spec: &str) -> Plan {
    let spec: Spec = spec.parse().expect("a registered scheme");
    spec.plan(&LINK).expect("valid parameters")
}

fn aqm(spec: &str) -> AnyAqm {
    match plan(spec) {
        Plan::Single { aqm, .. } => aqm,
        _ => panic!("{spec} is not one queue"),
    }
}

/// RED with the weight and thresholds given to DPDK's.
const AS_DPDK: &str = "red:min=32,max=128,weight=0.001953125,ecn=off,limit=1000";
/// DPDK's spacing law, which draws for each packet; and one that draws once a gap, as DPDK does,
/// at half of max_p, as its gaps are half as long.
const SPACINGS: [(&str, f64); 2] = [("uniform2", 0.1), ("drawn", 0.05)];

/// RED's verdict alone (average, curve, spacing, random number) at the same
/// thresholds, weight and queue lengths as DPDK's.
fn against_dpdk() {
    println!("RED's verdict and DPDK's rte_red_enqueue, ns a packet, {ROUNDS} rounds in turn");
    println!("| average | scheme | min | median | max | dropped |");
    println!("|---|---|---|---|---|---|");
    for (place, middle) in [("below min", 16), ("in the band", 64), ("above max", 200)] {
        let lengths = queue_lengths(middle, PACKETS);
        let mut dropped = [0; 3];
        let [each_drops, once_drops, their_drops] = &mut dropped;
        let mut contenders = Vec::new();
        for ((spacing, max_p), drops) in SPACINGS.into_iter().zip([each_drops, once_drops]) {
            let mut ours = aqm(&format!("{AS_DPDK},spacing={spacing},max_p={max_p}"));
            let mut random = Pcg32::new(1, 0);
            let lengths = &lengths;
            contenders.push(Contender::new(
                format!("red, spacing {spacing}"),
                move || {
                    *drops += verdicts(&mut ours, lengths, &mut random);
                },
            ));
        }
        if let Some(mut theirs) = DpdkRed::start(9, 32, 128, 10) {
            let lengths = &lengths;
            contenders.push(Contender::new("rte_red", move || {
                *their_drops += theirs.run(lengths);
            }));
        }
        let timings = race(&mut contenders, PACKETS, ROUNDS);
        let names: Vec<_> = contenders.iter().map(|one| one.name.clone()).collect();
        drop(contenders);
        for ((name, timing), dropped) in names.iter().zip(&timings).zip(dropped) {
            let share = dropped as f64 / ((ROUNDS + 1) * PACKETS) as f64;
            println!(
                "| {place} | {name} | {} | {:.2}% |",
                row(timing),
                100.0 * share
            );
        }
        match timings[..] {
            [each, once, theirs] => {
                for ((name, _), ours) in SPACINGS.iter().zip([each, once]) {
                    let ratio = ours.median / theirs.median;
                    println!("| {place} | red, spacing {name} / rte_red | | {ratio:.2} | | |");
                }
            }
            _ => println!(
                "| {place} | rte_red | skipped: DPDK (libdpdk-dev) is not installed | | | |"
            ),
        }
    }
    println!();
}

fn row(timing: &Timing) -> String {
    format!(
        "{:.2} | {:.2} | {:.2}",
        timing.min, timing.median, timing.max
    )
}

fn verdicts(aqm: &mut AnyAqm, lengths: &[u32], random: &mut Pcg32) -> u64 {
    let AnyAqm::Red(red) = aqm else {
        panic!("not of the RED family")
    };
    let packet = arrivals(1, GAP, 1)[0];
    let mut dropped = 0;
    for length in lengths {
        let queue = Standing {
            packets: *length,
            head: Nanos::ZERO,
            flow: packet.flow,
        };
        let verdict = red.on_arrival(Nanos::ZERO, &packet, &queue, random);
        dropped += u64::from(verdict != Verdict::Keep);
    }
    dropped
}

/// All calls of a scheme for a packet: arrival, acceptance, departure.
fn whole_life(aqm: &mut AnyAqm, lengths: &[u32], packets: &[PacketInfo], random: &mut Pcg32) {
    let mut before = packets[0].flow;
    for (length, packet) in lengths.iter().zip(packets) {
        let now = packet.arrived;
        let waited = Nanos(u64::from(*length) * GAP.0);
        let queue = Standing {
            packets: *length,
            head: now - waited,
            flow: before,
        };
        before = packet.flow;
        aqm.poll(now, &queue);
        let verdict = aqm.on_arrival(now, packet, &queue, random);
        if matches!(verdict, Verdict::Keep | Verdict::Mark) {
            aqm.on_accepted(now, packet);
            black_box(aqm.on_departure(now + waited, packet, &queue, random));
        }
    }
}

/// All schemes, with RED's thresholds where they have thresholds, so that all of the family are
/// between them.
fn specs() -> Vec<String> {
    let spec = |name: &str, has_thresholds: bool| {
        let thresholds = if has_thresholds {
            ":min=32,max=128"
        } else {
            ""
        };
        format!("{name}{thresholds}")
    };
    SCHEMES
        .iter()
        .map(|scheme| spec(scheme.name, scheme.parameter("min").is_some()))
        .collect()
}

/// Enqueues and dequeues packets at a queue of about 64 packets.
fn through_queue(queue: &mut AnyQueue<Handle>, packets: &[PacketInfo], clock: &mut Nanos) {
    for packet in packets {
        *clock += GAP;
        let handle = Handle {
            flow: packet.flow.0,
            size: packet.size,
        };
        queue.enqueue(*clock, handle);
        if queue.packets() > 64 {
            black_box(queue.dequeue(*clock));
        }
    }
}

fn every_scheme() {
    let lengths = queue_lengths(40, PACKETS);
    let packets = arrivals(64, GAP, PACKETS);
    let specs = specs();
    let single: Vec<_> = specs
        .iter()
        .filter(|spec| matches!(plan(spec), Plan::Single { .. }))
        .collect();
    let mut deciding: Vec<_> = single
        .iter()
        .map(|spec| {
            let (mut aqm, mut random) = (aqm(spec), Pcg32::new(1, 0));
            let (lengths, packets) = (&lengths, &packets);
            Contender::new(spec.split(':').next().unwrap_or(spec), move || {
                whole_life(&mut aqm, lengths, packets, &mut random);
            })
        })
        .collect();
    let decision = race(&mut deciding, PACKETS, ROUNDS);
    let mut queueing: Vec<_> = specs
        .iter()
        .map(|spec| {
            let mut queue = plan(spec).queue(1);
            let mut clock = Nanos::ZERO;
            let packets = &packets;
            Contender::new(spec.clone(), move || {
                through_queue(&mut queue, packets, &mut clock);
            })
        })
        .collect();
    let whole = race(&mut queueing, PACKETS, ROUNDS);
    print_schemes(&specs, &deciding, &decision, &whole);
}

fn print_schemes(
    specs: &[String],
    deciding: &[Contender<'_>],
    decision: &[Timing],
    whole: &[Timing],
) {
    println!(
        "Every scheme, ns a packet (median of {ROUNDS} rounds in turn), queue about 64 packets, 64 flows"
    );
    println!(
        "decision: all calls a packet causes; red = 1; through a queue: enqueue and dequeue of a 16-byte handle"
    );
    println!(
        "| scheme | decision min | median | max | times red | through a queue | bytes a queue |"
    );
    println!("|---|---|---|---|---|---|---|");
    let red = deciding.iter().position(|one| one.name == "red");
    let red = red.map_or(f64::NAN, |index| decision[index].median);
    for (spec, whole) in specs.iter().zip(whole) {
        let name = spec.split(':').next().unwrap_or(spec);
        let decided = deciding.iter().position(|one| one.name == name);
        let cost = decided.map_or("several queues: see right | | | ".to_string(), |index| {
            let timing = &decision[index];
            format!("{} | {:.2}", row(timing), timing.median / red)
        });
        let memory = plan(spec).queue::<Handle>(1).memory();
        println!("| {name} | {cost} | {:.1} | {memory} |", whole.median);
    }
    println!();
}

/// A flow table without a policy: buckets point to entries of 56 bytes, and entries to their
/// neighbours in order of recency.
struct Table {
    buckets: Vec<u32>,
    entries: Vec<[u64; 7]>,
}

impl Table {
    fn of_bytes(bytes: usize) -> Table {
        let flows = (bytes / 60).max(3) as u32;
        let mut random = Pcg32::new(31, 0);
        let mut any = |_| random.below(flows);
        let buckets: Vec<u32> = (0..flows).map(&mut any).collect();
        let link = |any: &mut dyn FnMut(u32) -> u32| u64::from(any(0));
        let entries = (0..flows)
            .map(|_| [0, link(&mut any), link(&mut any), 0, 0, 0, 0])
            .collect();
        Table { buckets, entries }
    }

    /// Makes the memory accesses of finding a flow and moving it to the front. With `waiting` those
    /// of one packet end before those of the next begin.
    fn touch(&mut self, packets: &[PacketInfo], waiting: bool) {
        let flows = self.buckets.len() as u64;
        let (mut newest, mut salt) = (0, 1);
        for packet in packets {
            let bucket = packet.flow.hash(salt) % flows;
            let entry = self.buckets[bucket as usize] as usize;
            let [_, newer, older, ..] = self.entries[entry];
            self.entries[newer as usize][3] += 1;
            self.entries[older as usize][3] += 1;
            self.entries[newest][3] += 1;
            self.entries[entry][0] += 1;
            self.entries[entry][6] += 1;
            newest = entry;
            if waiting {
                // Always 0, which the processor learns only by reading it.
                salt = 1 + self.entries[older as usize][5];
            }
        }
    }
}

/// Policies that remember flows, with lists of 64 and of 65,536, compared with as many random
/// accesses to as much memory.
fn list_sizes() {
    const LISTS: [u32; 2] = [64, 65_536];
    let lengths = queue_lengths(40, PACKETS);
    let few = arrivals(64, GAP, PACKETS);
    let many = arrivals(65_536, GAP, PACKETS);
    let spec = |name: &str, list: u32| {
        let parameter = if name == "sfred" {
            "flows"
        } else {
            "lru_flows"
        };
        format!("{name}:min=32,max=128,{parameter}={list}")
    };
    let heap = |spec: &str| aqm(spec).heap_bytes();
    let mut rows = Vec::new();
    let mut contenders = Vec::new();
    for name in ["sfred", "lru-red"] {
        for list in LISTS {
            let spec = spec(name, list);
            for (flows, packets) in [(64, &few), (65_536, &many)] {
                let (mut aqm, mut random) = (aqm(&spec), Pcg32::new(1, 0));
                let lengths = &lengths;
                rows.push(format!("{name} | {list} | {flows} | {}", aqm.heap_bytes()));
                contenders.push(Contender::new(name, move || {
                    whole_life(&mut aqm, lengths, packets, &mut random);
                }));
            }
            for (how, waiting) in [("overlapping", false), ("one by one", true)] {
                let mut table = Table::of_bytes(heap(&spec));
                rows.push(format!(
                    "its memory accesses alone, {how} | {list} | 65536 | {}",
                    table.entries.len() * 60
                ));
                let many = &many;
                contenders.push(Contender::new("touch", move || table.touch(many, waiting)));
            }
        }
    }
    let timings = race(&mut contenders, PACKETS, ROUNDS);
    println!(
        "Policies that remember flows, ns a packet: the cost of a longer list is that of cache misses"
    );
    println!("| scheme | list | flows in the traffic | heap bytes | min | median | max |");
    println!("|---|---|---|---|---|---|---|");
    for (what, timing) in rows.iter().zip(&timings) {
        println!("| {what} | {} |", row(timing));
    }
    println!();
    println!("| bytes a remembered flow | |\n|---|---|");
    for name in ["sfred", "lru-red"] {
        let [small, large] = LISTS.map(|list| heap(&spec(name, list)));
        let flow = (large - small) as f64 / f64::from(LISTS[1] - LISTS[0]);
        println!("| {name} | {flow:.1} |");
    }
    let [small, large] =
        [1000, 65_000].map(|limit| aqm(&format!("fred:min=32,max=128,limit={limit}")).heap_bytes());
    println!(
        "| fred (a packet of buffer) | {:.1} |",
        (large - small) as f64 / 64_000.0
    );
    let [small, large] = [1024, 65_536].map(|queues| {
        plan(&format!("fq-codel:queues={queues}"))
            .queue::<Handle>(1)
            .memory()
    });
    println!(
        "| fq-codel (a sub-queue) | {:.1} |",
        (large - small) as f64 / 64_512.0
    );
}
