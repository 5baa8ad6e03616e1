//! The whole datapath between two devices that are connected to this test instead of a kernel.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::{IoSlice, IoSliceMut};
use std::os::fd::{AsFd, OwnedFd};

use earlydrop::units::{BitsPerSec, Nanos};
use etherparse::PacketBuilder;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socketpair};
use nix::sys::uio::{readv, writev};

use crate::device::{Device, Tun};
use crate::emulator::Emulator;
use crate::gso::VNET_HEADER;
use crate::plan::{Bottleneck, Direction, Rate};
use crate::timing::Clock;

/// The system's allocator, counting the allocations of each thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

#[allow(unsafe_code, reason = "GlobalAlloc is an unsafe trait")]
// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // Fails while the thread ends.
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promises are the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block came from `alloc` above, so from the system.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// An emulator, and the other ends of its devices.
struct Testbed {
    emulator: Emulator,
    clock: Clock,
    near: OwnedFd,
    far: OwnedFd,
    /// Never readable.
    control: (OwnedFd, OwnedFd),
    buffer: Vec<u8>,
    vnet: [u8; VNET_HEADER],
}

fn pair() -> (OwnedFd, OwnedFd) {
    let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
    socketpair(AddressFamily::Unix, SockType::SeqPacket, None, flags).unwrap()
}

impl Testbed {
    fn new(queue: &str) -> Testbed {
        let direction = Direction {
            rate: Rate::Constant(BitsPerSec::from_mbps(100_000)),
            delay: Nanos::ZERO,
            loss: 0.0,
            queue: queue.parse().unwrap(),
        };
        let plan = Bottleneck {
            up: direction.clone(),
            down: direction,
            seed: 1,
        };
        let ((near, near_device), (far, far_device)) = (pair(), pair());
        let clock = Clock::start();
        let devices = [near_device, far_device].map(|socket| Device::Tun(Tun::over(socket)));
        Testbed {
            emulator: Emulator::new(&plan, devices, clock).unwrap(),
            clock,
            near,
            far,
            control: pair(),
            buffer: vec![0; 1 << 17],
            vnet: [0; VNET_HEADER],
        }
    }

    /// Sends a packet from the near end.
    fn send(&self, vnet: &[u8; VNET_HEADER], packet: &[u8]) {
        let parts = [&vnet[..], packet].map(IoSlice::new);
        writev(&self.near, &parts).unwrap();
    }

    fn poll(&mut self) {
        let control = self.control.0.as_fd();
        let now = self.clock.now();
        let capture = &mut |_, _, _: &[u8]| {};
        self.emulator.poll(now, control, capture).unwrap();
    }

    /// The next packet at the far end, without its virtio header.
    fn receive(&mut self) -> Option<&[u8]> {
        let (vnet, buffer) = (&mut self.vnet[..], &mut self.buffer[..]);
        let mut parts = [vnet, buffer].map(IoSliceMut::new);
        let length = readv(&self.far, &mut parts).ok()?;
        Some(&self.buffer[..length - VNET_HEADER])
    }

    fn departed(&self) -> u64 {
        self.emulator.counts()[0].departed
    }
}

/// A TCP packet with so much payload, and its virtio header. With `gso_size` it is a GSO packet
/// with a partial checksum.
fn packet(
    flow: u16,
    first: u8,
    payload: usize,
    gso_size: Option<u16>,
) -> ([u8; VNET_HEADER], Vec<u8>) {
    let payload: Vec<u8> = (0..payload)
        .map(|n| first.wrapping_add((n / 5) as u8))
        .collect();
    let builder = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).tcp(flow, 8, 1, 1000);
    let builder = builder
        .options_raw(&[1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2])
        .unwrap();
    let mut bytes = Vec::new();
    builder.write(&mut bytes, &payload).unwrap();
    let mut vnet = [0; VNET_HEADER];
    if let Some(gso_size) = gso_size {
        (vnet[0], vnet[1]) = (1, 1);
        vnet[2..4].copy_from_slice(&52_u16.to_ne_bytes());
        vnet[4..6].copy_from_slice(&gso_size.to_ne_bytes());
        vnet[6..8].copy_from_slice(&20_u16.to_ne_bytes());
        vnet[8..].copy_from_slice(&16_u16.to_ne_bytes());
    }
    (vnet, bytes)
}

#[test]
fn packets_of_any_shape_arrive_unchanged() {
    let mut testbed = Testbed::new("droptail:limit=5000");
    // GSO packets as expected, other sizes, short ones, single packets, and back.
    let shapes = [
        (60_000, Some(1448)),
        (60_000, Some(1448)),
        (100, None),
        (1448, None),
        (9_000, Some(536)),
        (1448, None),
        (9_000, Some(536)),
        (9_001, Some(536)),
        (500, None),
        (30_000, Some(1448)),
        (1449, Some(1448)),
        (60_000, Some(100)),
        (65_000, Some(1448)),
    ];
    for (number, (payload, gso_size)) in shapes.into_iter().enumerate() {
        let (vnet, bytes) = packet(7, number as u8, payload, gso_size);
        testbed.send(&vnet, &bytes);
        let mut received: Vec<u8> = Vec::new();
        let mut packets = 0;
        for _ in 0..10_000 {
            testbed.poll();
            while let Some(packet) = testbed.receive() {
                received.extend(&packet[52..]);
                packets += 1;
            }
            if received.len() >= payload {
                break;
            }
        }
        assert!(
            received == bytes[52..],
            "{number}: {payload} bytes, segments of {gso_size:?}"
        );
        let segments = gso_size.map_or(1, |size| payload.div_ceil(usize::from(size)));
        assert!(packets <= segments, "{packets} of {segments}");
        assert!(
            packets < segments || segments <= 2,
            "{number}: no segments were merged"
        );
    }
    let [up, down] = testbed.emulator.counts();
    let segments = shapes.map(|(payload, gso_size)| match gso_size {
        Some(size) => payload.div_ceil(usize::from(size)) as u64,
        None => 1,
    });
    assert_eq!(up.arrived, segments.iter().sum::<u64>());
    assert_eq!((up.taken, up.delivered), (shapes.len() as u64, up.arrived));
    assert_eq!((up.malformed, up.unbuffered, down.arrived), (0, 0, 0));
}

#[test]
fn malformed_packets_are_counted_and_dropped() {
    let mut testbed = Testbed::new("droptail");
    let (vnet, bytes) = packet(7, 0, 10_000, Some(1448));
    // A truncated GSO packet, one without a partial checksum, no IP, a single byte.
    testbed.send(&vnet, &bytes[..40]);
    let mut little = vnet;
    little[0] = 0;
    testbed.send(&little, &bytes);
    testbed.send(&[0; VNET_HEADER], &[0x15; 100]);
    testbed.send(&[0; VNET_HEADER], &[0; 1]);
    // And a packet longer than the MTU.
    testbed.send(&[0; VNET_HEADER], &bytes);
    for _ in 0..10 {
        testbed.poll();
    }
    assert_eq!(testbed.emulator.counts()[0].malformed, 5);
    assert!(testbed.receive().is_none());
}

#[test]
fn nothing_is_allocated_for_a_packet() {
    const PACKETS: u64 = 100_000;
    for queue in [
        "droptail:limit=1000",
        "red:min=20,max=60,limit=1000",
        "codel:limit=1000",
        "fq-codel:limit=1000",
    ] {
        let mut testbed = Testbed::new(queue);
        let sent = [
            packet(7, 0, 60_000, Some(1448)),
            packet(8, 0, 1000, None),
            packet(9, 0, 9_000, Some(536)),
        ];
        let mut until = |packets: u64| {
            while testbed.departed() < packets {
                for (vnet, bytes) in &sent {
                    testbed.send(vnet, bytes);
                }
                for _ in 0..3 {
                    testbed.poll();
                    while testbed.receive().is_some() {}
                }
            }
        };
        until(1000);
        let before = ALLOCATIONS.get();
        until(1000 + PACKETS);
        let made = ALLOCATIONS.get() - before;
        assert_eq!(made, 0, "{queue}: allocations for {PACKETS} packets");
    }
}
