//! Hints to the processor and the kernel about memory: prefetch, huge pages.
//!
//! Nothing but time depends on them. With thousands of flows, most of a packet's time is spent
//! waiting for memory.

/// How much of a value is prefetched, in bytes: what every packet needs of its flow.
const BYTES: usize = 320;

/// Bytes in a cache line.
const LINE: usize = 64;

/// Prefetches the beginning of `value` into the caches, without waiting for it.
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..size_of::<T>().min(BYTES)).step_by(LINE) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let begin = std::ptr::from_ref(value).cast::<i8>();
        // SAFETY: a prefetch is a hint that changes nothing and never faults; besides, the
        // address lies within `value`.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(begin.wrapping_add(line)) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (value, BYTES, LINE);
}

/// Asks the kernel to back `memory` with huge pages of 2 MB. With pages of 4 KB, address
/// translation takes most of the wait for a flow.
#[allow(unsafe_code)]
pub(crate) fn use_huge_pages<T>(memory: &Vec<T>) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 2 << 20;
        let begins = memory.as_ptr().cast::<u8>().cast_mut();
        let before = begins.addr().next_multiple_of(PAGE) - begins.addr();
        let pages = (memory.capacity() * size_of::<T>()).saturating_sub(before) / PAGE;
        if pages > 0 {
            let first = begins.wrapping_add(before).cast();
            // SAFETY: the pages lie within the allocation of `memory`, and MADV_HUGEPAGE leaves
            // their contents as they are: madvise(2). A kernel without it returns an error.
            unsafe { libc::madvise(first, pages * PAGE, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}
