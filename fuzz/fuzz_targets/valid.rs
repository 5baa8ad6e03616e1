//! Runs valid scenarios made of bytes chosen by libFuzzer: `earlydrop_lab::fuzzing::valid_scenario`,
//! with an allocator that counts.
#![no_main]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The system's allocator, with the bytes that are held now and were at most.
struct Counting;

static HELD: AtomicU64 = AtomicU64::new(0);
static PEAK: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is passed on as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size() as u64, Relaxed) + layout.size() as u64;
        PEAK.fetch_max(held, Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size() as u64, Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most bytes that were held during `run` beyond those before it.
fn peak_of(run: &mut dyn FnMut()) -> Option<u64> {
    let before = HELD.load(Relaxed);
    PEAK.store(before, Relaxed);
    run();
    Some(PEAK.load(Relaxed) - before)
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    earlydrop_lab::fuzzing::valid_scenario(bytes, peak_of);
});
