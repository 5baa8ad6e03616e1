//! Nothing is allocated by the calls for packets, for any scheme.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ffi::{CString, c_void};
use std::ptr;

use earlydrop::random::Pcg32;
use earlydrop::registry::SCHEMES;
use earlydrop_c::*;

/// The system's allocator, which counts the allocations of this thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller upholds the contract, which is that of the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block came from `alloc` above, so from the system.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations() -> u64 {
    ALLOCATIONS.with(Cell::get)
}

unsafe extern "C" fn count(context: *mut c_void, _handle: u64, verdict: Verdict) {
    assert!(verdict >= Verdict::DroppedEarly);
    // SAFETY: the context is the test's counter, which outlives the queue.
    unsafe { *context.cast::<u64>() += 1 };
}

/// Any packet, drawn.
fn packet(random: &mut Pcg32, handle: u64) -> Packet {
    Packet {
        handle,
        flow: u64::from(random.below(500)),
        size: 40 + random.below(1461),
        ecn: random.below(4) as u8,
        traffic_class: random.below(4) as u8,
        ack_flags: random.below(8) as u8,
        ack: random.below(1000),
        source: random.below(20),
        destination: random.below(20),
        ..Packet::default()
    }
}

/// Bursts and calms, with a pause of an hour. Returns the packets sent.
fn drive(queue: *mut Queue) -> u64 {
    let (mut random, mut now, mut sent) = (Pcg32::new(3, 0), 7_000_000_000, 0);
    for step in 0..20_000_u64 {
        now += u64::from(random.below(1_000_000));
        if step == 15_000 {
            now += 3_600_000_000_000;
        }
        if random.chance(0.55) {
            let packet = packet(&mut random, step);
            // SAFETY: the queue is used here alone.
            let verdict = unsafe { earlydrop_enqueue(queue, &packet, now) };
            assert_ne!(verdict, Verdict::Fault);
        } else {
            let mut left = Sent::default();
            // SAFETY: the queue is used here alone.
            sent += u64::from(unsafe { earlydrop_dequeue(queue, now, &mut left) });
        }
    }
    sent
}

#[test]
fn no_scheme_allocates_once_it_is_made() {
    for scheme in SCHEMES {
        let spec = CString::new(scheme.name).unwrap();
        let mut dropped = 0_u64;
        let config = Config {
            spec: spec.as_ptr(),
            link_bps: 10_000_000,
            mean_packet: 0,
            seed: 1,
            on_drop: Some(count),
            context: (&raw mut dropped).cast(),
        };
        // SAFETY: config and what it points to live until the end of the loop.
        let queue = unsafe { earlydrop_create(&config, ptr::null_mut(), 0) };
        let before = allocations();
        let sent = drive(queue);
        assert_eq!(allocations() - before, 0, "{}", scheme.name);
        // SAFETY: the queue is used here alone, and for the last time.
        let (counters, waiting) = unsafe { (earlydrop_count(queue), earlydrop_packets(queue)) };
        let back = sent + dropped + u64::from(waiting);
        assert_eq!(counters.arrived.packets, back, "{}", scheme.name);
        // SAFETY: as above.
        unsafe { earlydrop_destroy(queue) };
    }
}
