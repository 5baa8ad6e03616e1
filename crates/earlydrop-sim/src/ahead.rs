//! Reading ahead of need.

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
