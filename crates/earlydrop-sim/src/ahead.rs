//! Hints to the machine about memory: what will be needed soon, and what is large.

/// What is asked for: what every packet needs of its flow.
const BYTES: usize = 320;

/// Bytes in a line of the caches.
const LINE: usize = 64;

/// Has the caches fetch what `value` begins with. Nothing waits for it, and nothing but time
/// depends on it.
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) fn fetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..size_of::<T>().min(BYTES)).step_by(LINE) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let begin = std::ptr::from_ref(value).cast::<i8>();
        // SAFETY: a prefetch is a hint that changes nothing and faults nowhere; the address
        // lies within `value` besides.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(begin.wrapping_add(line)) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (value, BYTES, LINE);
}

/// Asks the system to lay a large piece of memory in pages of 2 MB: for flows in pages of
/// 4 KB, most of the wait is for where the next page lies. Nothing but time depends on it.
#[allow(unsafe_code)]
pub(crate) fn in_large_pages<T>(memory: &Vec<T>) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 2 << 20;
        let begins = memory.as_ptr().cast::<u8>().cast_mut();
        let before = begins.addr().next_multiple_of(PAGE) - begins.addr();
        let pages = (memory.capacity() * size_of::<T>()).saturating_sub(before) / PAGE;
        if pages > 0 {
            let first = begins.wrapping_add(before).cast();
            // SAFETY: the pages lie within what `memory` has allocated, and MADV_HUGEPAGE
            // leaves what they hold as it is: madvise(2). A kernel without it refuses.
            unsafe { libc::madvise(first, pages * PAGE, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}
