//! What a packet costs through the C interface, next to the same queue called from Rust.
//!
//! `cargo bench -p earlydrop-c`

use std::ffi::{CString, c_void};
use std::hint::black_box;
use std::mem::MaybeUninit;
use std::ptr;
use std::time::Instant;

use earlydrop::aqm::DropReason;
use earlydrop::queue::{AnyQueue, QueueDiscipline};
use earlydrop::{BitsPerSec, LinkFacts, Nanos, Spec};
use earlydrop_c::*;

/// Packets of a slice, each with an enqueue and a dequeue.
const PACKETS: u64 = 1 << 10;
/// Slices of a round: Rust's and C's take turns.
const SLICES: usize = 201;
/// Rounds, after one that warms up.
const ROUNDS: usize = 11;
/// 10 Gbit/s of 1,000-byte packets, with 40 of them waiting.
const LINK_BPS: u64 = 10_000_000_000;
const GAP: u64 = 800;
const WAITING: u64 = 40;
const SPECS: [&str; 6] = [
    "red:min=20,max=60",
    "droptail",
    "codel",
    "pie",
    "fq-codel",
    "dualpi2",
];

fn main() {
    println!("An enqueue and a dequeue, ns: the median of {ROUNDS} rounds, each the median of");
    println!("{SLICES} slices in turn. The ratio is the median of the rounds' ratios.");
    println!("| queue | Rust | C | ratio |");
    println!("|---|---|---|---|");
    for spec in SPECS {
        let (mut rust, mut c) = (RustQueue::new(spec), CQueue::new(spec));
        let mut rounds: Vec<(f64, f64)> = (0..=ROUNDS).map(|_| round(&mut rust, &mut c)).collect();
        assert_eq!((rust.sent, rust.dropped), (c.sent, *c.dropped), "{spec}");
        rounds.remove(0);
        let rust = median(rounds.iter().map(|(rust, _)| *rust));
        let c_time = median(rounds.iter().map(|(_, c)| *c));
        let ratio = median(rounds.iter().map(|(rust, c)| c / rust));
        println!("| {spec} | {rust:.2} | {c_time:.2} | {ratio:.3} |");
    }
}

/// The time for a packet in Rust and in C.
fn round(rust: &mut RustQueue, c: &mut CQueue) -> (f64, f64) {
    let (mut by_rust, mut by_c) = (Vec::new(), Vec::new());
    for _ in 0..SLICES {
        by_rust.push(timed(&mut rust.now, |packet, now| {
            pass_rust(
                &mut rust.queue,
                packet,
                now,
                &mut rust.sent,
                &mut rust.dropped,
            );
        }));
        by_c.push(timed(&mut c.now, |packet, now| {
            pass_c(c.queue, (c.enqueue, c.dequeue), packet, now, &mut c.sent);
        }));
    }
    (median(by_rust.into_iter()), median(by_c.into_iter()))
}

fn median(times: impl Iterator<Item = f64>) -> f64 {
    let mut times: Vec<f64> = times.collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The time for each packet of a slice, ns. Its packets come in turn after those of the last one.
#[inline(always)]
fn timed(now: &mut u64, mut pass: impl FnMut(&Packet, u64)) -> f64 {
    let start = Instant::now();
    for handle in 0..PACKETS {
        *now += GAP;
        pass(black_box(&packet(handle)), *now);
    }
    start.elapsed().as_nanos() as f64 / PACKETS as f64
}

fn packet(handle: u64) -> Packet {
    Packet {
        handle,
        flow: handle % 16,
        size: 1000,
        ..Packet::default()
    }
}

struct RustQueue {
    queue: AnyQueue<WaitingPacket>,
    now: u64,
    /// Sent packets with odd handles: what both queues must agree on.
    sent: u64,
    dropped: u64,
}

impl RustQueue {
    fn new(spec: &str) -> RustQueue {
        let spec: Spec = spec.parse().expect("a registered scheme");
        let plan = spec
            .plan(&LinkFacts::at(BitsPerSec(LINK_BPS)))
            .expect("valid parameters");
        let mut queue: AnyQueue<WaitingPacket> = plan.queue(1);
        for handle in 0..WAITING {
            queue.enqueue(Nanos::ZERO, WaitingPacket::from(&packet(handle)));
        }
        RustQueue {
            queue,
            now: 0,
            sent: 0,
            dropped: 0,
        }
    }
}

#[inline(always)]
fn pass_rust(
    queue: &mut AnyQueue<WaitingPacket>,
    packet: &Packet,
    now: u64,
    sent: &mut u64,
    dropped: &mut u64,
) {
    let mut lost = |_: WaitingPacket, _: DropReason| *dropped += 1;
    black_box(queue.enqueue_with(Nanos(now), WaitingPacket::from(packet), &mut lost));
    if let Some(left) = queue.dequeue_with(Nanos(now), &mut lost) {
        let left = Sent::from(left);
        black_box(&left);
        *sent += left.handle & 1;
    }
}

unsafe extern "C" fn count(dropped: *mut c_void, _handle: u64, _verdict: Verdict) {
    // SAFETY: the context is the queue's counter, which lives as long.
    unsafe { *dropped.cast::<u64>() += 1 };
}

type Enqueue = unsafe extern "C" fn(*mut Queue, *const Packet, u64) -> Verdict;
type Dequeue = unsafe extern "C" fn(*mut Queue, u64, *mut Sent) -> bool;

/// The functions behind pointers, as a program calls those of a shared library.
struct CQueue {
    queue: *mut Queue,
    enqueue: Enqueue,
    dequeue: Dequeue,
    now: u64,
    sent: u64,
    dropped: Box<u64>,
}

impl CQueue {
    fn new(spec: &str) -> CQueue {
        let (spec, mut dropped) = (CString::new(spec).expect("no NUL"), Box::new(0));
        let config = Config {
            spec: spec.as_ptr(),
            link_bps: LINK_BPS,
            mean_packet: 0,
            seed: 1,
            on_drop: Some(count),
            context: (&raw mut *dropped).cast(),
        };
        // SAFETY: config lives through the call, and the counter as long as the queue.
        let queue = unsafe { earlydrop_create(&config, ptr::null_mut(), 0) };
        for handle in 0..WAITING {
            // SAFETY: the queue is used here alone.
            unsafe { earlydrop_enqueue(queue, &packet(handle), 0) };
        }
        CQueue {
            queue,
            enqueue: black_box(earlydrop_enqueue as Enqueue),
            dequeue: black_box(earlydrop_dequeue as Dequeue),
            now: 0,
            sent: 0,
            dropped,
        }
    }
}

#[inline(always)]
fn pass_c(
    queue: *mut Queue,
    (enqueue, dequeue): (Enqueue, Dequeue),
    packet: &Packet,
    now: u64,
    number: &mut u64,
) {
    let mut sent = MaybeUninit::<Sent>::uninit();
    // SAFETY: the queue is used here alone.
    unsafe {
        black_box(enqueue(queue, packet, now));
        if dequeue(queue, now, sent.as_mut_ptr()) {
            let left = black_box(&sent).assume_init_ref();
            *number += left.handle & 1;
        }
    }
}
