//! A path between two hosts for tests: a rate, a delay and a short buffer, without a scheme. It
//! records every packet that enters it.

use std::cell::Cell;
use std::collections::VecDeque;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_sim::Run;
use earlydrop_sim::network::{Dumbbell, Link, Node};
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;

use super::addresses::AddressPlan;
use super::hosts::Hosts;
use super::traffic::{TrafficGenerator, TrafficReport};
use crate::LiveError;
use crate::device::{Arrival, Device};
use crate::timing::Clock;

/// A packet that was sent.
#[derive(Clone, Debug)]
pub(super) struct Packet {
    pub(super) at: Nanos,
    pub(super) from_near: bool,
    /// Length, in bytes.
    pub(super) size: usize,
    /// First bytes.
    pub(super) head: Vec<u8>,
}

pub(super) const FIN: u8 = 1;
pub(super) const SYN: u8 = 2;
const ICMP: u8 = 1;
const TCP: u8 = 6;
const UDP: u8 = 17;

impl Packet {
    pub(super) fn traffic_class(&self) -> u8 {
        self.head[1]
    }

    pub(super) fn is_tcp(&self) -> bool {
        self.head[9] == TCP
    }

    pub(super) fn flags(&self) -> u8 {
        self.head[33]
    }

    /// Length of the IP and TCP headers, in bytes.
    pub(super) fn headers(&self) -> usize {
        20 + usize::from(self.head[32] >> 4) * 4
    }

    /// Length of the payload, in bytes.
    pub(super) fn data(&self) -> usize {
        self.size - self.headers()
    }

    /// Sequence number and acknowledgment number.
    pub(super) fn numbers(&self) -> [u32; 2] {
        let number = |at: usize| u32::from_be_bytes(self.head[at..at + 4].try_into().unwrap());
        [number(24), number(28)]
    }

    /// Kinds of the TCP options, RFC 9293, section 3.1.
    pub(super) fn options(&self) -> Vec<u8> {
        let (mut options, mut kinds) = (&self.head[40..self.headers()], Vec::new());
        while let [kind, rest @ ..] = options {
            kinds.push(*kind);
            options = match (kind, rest) {
                (0 | 1, _) => rest,
                (_, [length, ..]) => &options[usize::from(*length)..],
                _ => &[],
            };
        }
        kinds
    }

    pub(super) fn source_port(&self) -> u16 {
        u16::from_be_bytes([self.head[20], self.head[21]])
    }
}

/// A path with the same properties in both directions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    pub(super) rate: BitsPerSec,
    pub(super) delay: Nanos,
    /// Longest wait of a packet; one that would wait longer is dropped.
    pub(super) buffer: Nanos,
    /// Number of data packets from the near end to drop, from the first on.
    pub(super) drops: usize,
}

impl Default for Path {
    fn default() -> Path {
        Path {
            rate: BitsPerSec(20_000_000),
            delay: Nanos::from_millis(5),
            buffer: Nanos::from_millis(30),
            drops: 0,
        }
    }
}

/// A run without flows, and its two hosts.
pub(super) fn run_for(duration: Nanos) -> (Run, Node, Node) {
    let bottleneck = Link::new(BitsPerSec(20_000_000), Nanos::from_millis(5));
    let bottleneck = bottleneck.queue("red".parse().expect("a scheme"));
    let mut dumbbell = Dumbbell::new(bottleneck.clone(), bottleneck);
    let (near, far) = dumbbell.pair(BitsPerSec(1_000_000_000), Nanos::ZERO);
    (Run::new(dumbbell.network, duration), near, far)
}

/// Whether an error means that this system has no real hosts.
pub(super) fn missing(problem: &LiveError) -> bool {
    match problem {
        LiveError::NoTun { .. } | LiveError::Namespaces { .. } => true,
        LiveError::System { action, .. } => *action == "making a network namespace",
        _ => false,
    }
}

/// Both hosts of a run, with their devices; `None`, with a report, if this system has none.
pub(super) fn hosts(run: &Run) -> Option<(Hosts, [Device; 2], AddressPlan)> {
    super::hosts::check(run).expect("hosts can do it");
    let addresses = AddressPlan::new(&run.flows).expect("addresses");
    match Hosts::new(run, &addresses) {
        Ok((hosts, devices)) => Some((hosts, devices, addresses)),
        Err(problem) if missing(&problem) => {
            let test = thread::current().name().unwrap_or("").to_string();
            println!("skipped: {test}: {problem}");
            None
        }
        Err(problem) => panic!("{problem}"),
    }
}

/// Runs flows that start at the near end over this path; returns the traffic's report and all
/// packets.
pub(super) fn run_over(run: &Run, path: Path) -> Option<(TrafficReport, Vec<Packet>)> {
    let (hosts, devices, addresses) = hosts(run)?;
    let traffic =
        TrafficGenerator::new(run, hosts, &addresses, &vec![true; run.flows.len()]).unwrap();
    let (clock, over) = (Clock::start(), AtomicBool::new(false));
    let never = AtomicBool::new(false);
    let work = || traffic.run(clock, &never).unwrap();
    Some(with_carrier(&devices, path, clock, &over, work))
}

/// Times that a test is repeated while its threads have to wait for a core.
const ATTEMPTS: usize = 40;

/// Time that the threads of a test may wait for a core without being disturbed.
const UNDISTURBED: Nanos = Nanos::from_millis(20);

thread_local! {
    /// Time that the threads of this test have waited for a core, in nanoseconds.
    static WAITED: Cell<u64> = const { Cell::new(0) };
}

/// Runs a test in real time. Where it fails, but its threads had to wait for a core, it says
/// nothing about real hosts and is repeated.
pub(super) fn in_real_time(test: impl Fn()) {
    for attempt in 1..=ATTEMPTS {
        WAITED.set(0);
        let Err(panic) = catch_unwind(AssertUnwindSafe(&test)) else {
            return;
        };
        let waited = Nanos(WAITED.get());
        if waited <= UNDISTURBED || attempt == ATTEMPTS {
            resume_unwind(panic);
        }
        println!("repeated: its threads have waited {waited} for a core");
    }
}

/// Time that this thread was runnable but did not run: the second number of `schedstat`,
/// proc(5). A kernel without it counts as busy.
fn waited_so_far() -> u64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let mut numbers = text.split_whitespace().map(str::parse);
    numbers.nth(1).and_then(Result::ok).unwrap_or(u64::MAX / 4)
}

/// Runs `work`, which enters namespaces, while packets are carried between the devices; returns
/// its result and the packets.
pub(super) fn with_carrier<T: Send>(
    devices: &[Device; 2],
    path: Path,
    clock: Clock,
    over: &AtomicBool,
    work: impl FnOnce() -> T + Send,
) -> (T, Vec<Packet>) {
    thread::scope(|scope| {
        let carrier = scope.spawn(|| (carry(devices, path, clock, over), waited_so_far()));
        let done = scope.spawn(|| (work(), waited_so_far())).join();
        over.store(true, Ordering::Relaxed);
        let (packets, carrier_waited) = carrier.join().unwrap();
        WAITED.set(WAITED.get().saturating_add(carrier_waited));
        let (done, waited) = done.unwrap();
        WAITED.set(WAITED.get().saturating_add(waited));
        (done, packets)
    })
}

fn carry(devices: &[Device; 2], path: Path, clock: Clock, over: &AtomicBool) -> Vec<Packet> {
    let mut seen = Vec::new();
    let mut free_at = [Nanos::ZERO; 2];
    let mut wires: [VecDeque<(Nanos, Vec<u8>)>; 2] = Default::default();
    let mut buffer = [0; 2048];
    let mut sent = 0;
    while !over.load(Ordering::Relaxed) {
        for end in [0, 1] {
            while let Some(arrival) = devices[end].read(&mut buffer).unwrap() {
                let Arrival::Packet(_, header) = arrival else {
                    panic!("{arrival:?}");
                };
                let size = header.length as usize;
                // Hosts send nothing else, except an ICMP error when a datagram arrives after its
                // socket has closed.
                assert!(buffer[0] >> 4 == 4 && [TCP, UDP, ICMP].contains(&buffer[9]));
                if buffer[9] == ICMP {
                    continue;
                }
                let at = clock.now();
                let packet = Packet {
                    at,
                    from_near: end == 0,
                    size,
                    head: buffer[..size.min(60)].to_vec(),
                };
                let has_data = packet.from_near && packet.is_tcp() && packet.data() > 0;
                let is_lost = has_data && sent < path.drops;
                sent += usize::from(has_data);
                seen.push(packet);
                let begins = free_at[end].max(at);
                if is_lost || begins.since(at) > path.buffer {
                    continue;
                }
                free_at[end] = begins + path.rate.transmission_time(Bytes(size as u64));
                let arrives = free_at[end] + path.delay;
                wires[end].push_back((arrives, buffer[..size].to_vec()));
            }
            let now = clock.now();
            while let Some((_, packet)) = wires[end].pop_front_if(|(due, _)| *due <= now) {
                devices[1 - end].write(&packet);
            }
        }
        let due = wires.iter().filter_map(|wire| Some(wire.front()?.0)).min();
        let now = clock.now();
        let due = due.unwrap_or(Nanos::NEVER).min(now + Nanos::from_millis(5));
        let sleep = TimeSpec::new(0, due.since(now).0 as i64);
        let [near, far] = devices;
        let mut fds = [near, far].map(|device| PollFd::new(device.fd(), PollFlags::POLLIN));
        ppoll(&mut fds, Some(sleep), None).unwrap();
    }
    seen
}
