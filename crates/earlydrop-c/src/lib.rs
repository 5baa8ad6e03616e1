//! The C interface of earlydrop: `include/earlydrop.h`, a static and a shared library.
//!
//! A queue is made from the line of text that the command uses, and driven with the caller's
//! packets, by handle, and the caller's clock. Every packet comes back exactly once: from
//! [`earlydrop_dequeue`], or by the function that receives drops.
//!
//! - Nothing is allocated by `earlydrop_enqueue` and `earlydrop_dequeue`; `tests/allocation.rs` counts.
//! - No panic crosses the boundary: a queue in which one occurs is stopped, and says why.
//! - The header is made from this code by cbindgen, and a test compares it.
//!
//! The documentation of the functions is the header's, so it is written for callers in C.

mod queue;
mod types;

include!("abi.rs");

use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};

use earlydrop::QueueDiscipline;

pub use queue::Queue;
pub use types::{
    Config, CounterSet, EARLYDROP_ACK, EARLYDROP_ACK_PURE, EARLYDROP_ACK_SACK, OnDrop, Packet,
    Sent, Tally, Verdict, WaitingPacket,
};

/// The version of the library, such as "0.3.0".
// SAFETY: no other symbol of a program has a name that begins with earlydrop_; so for all below.
#[unsafe(no_mangle)]
pub extern "C" fn earlydrop_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// The library's EARLYDROP_ABI_VERSION.
#[unsafe(no_mangle)]
pub extern "C" fn earlydrop_abi_version() -> u32 {
    EARLYDROP_ABI_VERSION
}

/// Makes an empty queue. Returns NULL where the spec or the link is wrong; then error, if it is not
/// NULL, holds why, in at most size bytes with the final NUL.
///
/// # Safety
/// config and its spec can be read, error can be written, and on_drop may be called with context in
/// each call of the queue.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn earlydrop_create(
    config: *const Config,
    error: *mut c_char,
    size: usize,
) -> *mut Queue {
    // SAFETY: the caller's promise: NULL, or a config that can be read.
    let config = unsafe { config.as_ref() };
    let created = catch_unwind(AssertUnwindSafe(|| create(config)));
    let created = created.unwrap_or_else(|_| Err("a defect of earlydrop: it panicked".to_string()));
    match created {
        Ok(queue) => Box::into_raw(Box::new(queue)),
        Err(text) => {
            // SAFETY: the caller's promise of error and size.
            unsafe { write(&text, error, size) };
            std::ptr::null_mut()
        }
    }
}

fn create(config: Option<&Config>) -> Result<Queue, String> {
    let config = config.ok_or("config is NULL")?;
    if config.spec.is_null() {
        return Err("spec is NULL; allowed is a scheme, such as red:min=10,max=30".to_string());
    }
    // SAFETY: the caller's promise: a text that ends with a NUL.
    let spec = unsafe { CStr::from_ptr(config.spec) }.to_string_lossy();
    let plan = queue::plan(&spec, config).map_err(|error| error.to_string())?;
    Ok(Queue::new(plan, config))
}

/// Ends a queue. Packets that wait are not given back: dequeue them before. NULL is allowed.
///
/// # Safety
/// The queue is of earlydrop_create, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn earlydrop_destroy(queue: *mut Queue) {
    if !queue.is_null() {
        // SAFETY: the caller's promise: it is the box of `earlydrop_create`, and the last use.
        let queue = unsafe { Box::from_raw(queue) };
        let _ = catch_unwind(AssertUnwindSafe(|| drop(queue)));
    }
}

/// Enqueues a packet that arrives at now. Dropped packets, this one or others, go to on_drop before
/// the function returns.
///
/// # Safety
/// The queue is of earlydrop_create; the packet can be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn earlydrop_enqueue(
    queue: *mut Queue,
    packet: *const Packet,
    now: u64,
) -> Verdict {
    // SAFETY: the caller's promise: each is NULL, or valid and used by nobody else in this call.
    match unsafe { (queue.as_mut(), packet.as_ref()) } {
        (Some(queue), Some(packet)) => queue.enqueue(packet, now),
        _ => Verdict::Fault,
    }
}

/// Dequeues the next packet to send; false where none waits. Call it when the link is free, also
/// where nothing waits: RED's average decays from then on. Packets that the scheme drops on the way go
/// to on_drop.
///
/// # Safety
/// The queue is of earlydrop_create; sent can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn earlydrop_dequeue(queue: *mut Queue, now: u64, sent: *mut Sent) -> bool {
    // SAFETY: the caller's promise: each is NULL, or valid and used by nobody else in this call. What
    // sent points to need not be initialised.
    match unsafe { (queue.as_mut(), sent.cast::<MaybeUninit<Sent>>().as_mut()) } {
        (Some(queue), Some(sent)) => queue.dequeue(now, sent),
        _ => false,
    }
}

/// When the scheme's next periodic update is due, in ns; UINT64_MAX for a scheme without any. No
/// timer is needed: each call catches up. earlydrop_poll at this time keeps earlydrop_probe current.
///
/// # Safety
/// The queue is of earlydrop_create.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn earlydrop_next_deadline(queue: *const Queue) -> u64 {
    // SAFETY: the caller's promise: NULL, or a queue.
    let queue = unsafe { queue.as_ref() };
    let deadline = read(queue, |queue| queue.core().next_deadline()).flatten();
    deadline.map_or(u64::MAX, |deadline| deadline.0)
}

/// Runs the periodic updates due by now.
///
/// # Safety
/// The queue is of earlydrop_create.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn earlydrop_poll(queue: *mut Queue, now: u64) {
    // SAFETY: the caller's promise: NULL, or a queue that nobody else uses in this call.
    if let Some(queue) = unsafe { queue.as_mut() } {
        queue.poll(now);
    }
}

/// Informs the scheme that the link now sends at another rate, in bit/s.
///
/// # Safety
/// The queue is of earlydrop_create.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn earlydrop_set_link_rate(queue: *mut Queue, bps: u64, now: u64) {
    // SAFETY: the caller's promise: NULL, or a queue that nobody else uses in this call.
    if let Some(queue) = unsafe { queue.as_mut() } {
        queue.set_link_rate(bps, now);
    }
}

/// The packets that wait.
///
/// # Safety
/// The queue is of earlydrop_create.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn earlydrop_packets(queue: *const Queue) -> u32 {
    // SAFETY: the caller's promise: NULL, or a queue.
    let queue = unsafe { queue.as_ref() };
    read(queue, |queue| queue.core().packets()).unwrap_or(0)
}

/// The bytes that wait.
///
/// # Safety
/// The queue is of earlydrop_create.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn earlydrop_bytes(queue: *const Queue) -> u64 {
    // SAFETY: the caller's promise: NULL, or a queue.
    let queue = unsafe { queue.as_ref() };
    read(queue, |queue| queue.core().bytes()).unwrap_or(0)
}

/// The counters since the queue was made; all zero for NULL.
///
/// # Safety
/// The queue is of earlydrop_create.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn earlydrop_count(queue: *const Queue) -> CounterSet {
    // SAFETY: the caller's promise: NULL, or a queue.
    let queue = unsafe { queue.as_ref() };
    read(queue, Queue::counters).unwrap_or_default()
}

/// A quantity that the scheme shows, such as "average" of RED: `earlydrop schemes NAME` lists them.
/// Returns false where the scheme shows none of this name.
///
/// # Safety
/// The queue is of earlydrop_create; name is a text that ends with a NUL; value can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn earlydrop_probe(
    queue: *const Queue,
    name: *const c_char,
    value: *mut f64,
) -> bool {
    if name.is_null() || value.is_null() {
        return false;
    }
    // SAFETY: the caller's promise: NULL, or a queue; a text that ends with a NUL.
    let (queue, name) = unsafe { (queue.as_ref(), CStr::from_ptr(name)) };
    let Some(found) = read(queue, |queue| queue.probe(name.to_bytes())).flatten() else {
        return false;
    };
    // SAFETY: not NULL, so it can be written.
    unsafe { value.write(found) };
    true
}

/// Why earlydrop_enqueue, called next with these arguments, drops, marks or keeps packets: the rule,
/// the numbers that lead to the decision, each with its equation, and the decision; those that it drops
/// first, with an empty line between two. Asking changes nothing; it copies the queue and allocates.
///
/// Writes at most size bytes with the final NUL, and returns the length of the whole text without it.
///
/// # Safety
/// The queue is of earlydrop_create; the packet can be read; text can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn earlydrop_explain_enqueue(
    queue: *const Queue,
    packet: *const Packet,
    now: u64,
    text: *mut c_char,
    size: usize,
) -> usize {
    // SAFETY: the caller's promise: each is NULL, or can be read.
    let (queue, packet) = unsafe { (queue.as_ref(), packet.as_ref()) };
    let answer = packet.and_then(|packet| read(queue, |queue| queue.explain(Some(packet), now)));
    // SAFETY: the caller's promise of text and size.
    unsafe { write(&answer.unwrap_or_default(), text, size) }
}

/// Why earlydrop_dequeue, called next at now, drops, marks or keeps each packet that it takes from the
/// queue, as earlydrop_explain_enqueue says it; empty where none waits.
///
/// # Safety
/// The queue is of earlydrop_create; text can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn earlydrop_explain_dequeue(
    queue: *const Queue,
    now: u64,
    text: *mut c_char,
    size: usize,
) -> usize {
    // SAFETY: the caller's promise: NULL, or a queue.
    let queue = unsafe { queue.as_ref() };
    let answer = read(queue, |queue| queue.explain(None, now));
    // SAFETY: the caller's promise of text and size.
    unsafe { write(&answer.unwrap_or_default(), text, size) }
}

/// What has stopped the queue; NULL where nothing has. Only a defect of the library stops one: its
/// calls then do nothing. The text lives as long as the queue.
///
/// # Safety
/// The queue is of earlydrop_create.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn earlydrop_fault(queue: *const Queue) -> *const c_char {
    // SAFETY: the caller's promise: NULL, or a queue.
    let fault = unsafe { queue.as_ref() }.and_then(Queue::fault);
    fault.map_or(std::ptr::null(), |text| text.as_ptr())
}

/// Asks a queue, without a panic leaving.
fn read<T>(queue: Option<&Queue>, ask: impl FnOnce(&Queue) -> T) -> Option<T> {
    let queue = queue?;
    catch_unwind(AssertUnwindSafe(|| ask(queue))).ok()
}

/// Writes as much of a text as fits with the final NUL, whole characters, and returns its length.
///
/// # Safety
/// `to` is NULL, or `size` bytes of it can be written.
unsafe fn write(text: &str, to: *mut c_char, size: usize) -> usize {
    if !to.is_null() && size > 0 {
        let fits = text.floor_char_boundary(size - 1);
        // SAFETY: `fits` bytes and the NUL are at most `size`, and the text is not the caller's.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr(), to.cast::<u8>(), fits);
            to.add(fits).write(0);
        }
    }
    text.len()
}
