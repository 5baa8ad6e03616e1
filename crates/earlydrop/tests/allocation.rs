//! Nothing is allocated once a queue is built, and payloads are never copied.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use earlydrop::packet::{Ecn, FlowKey, Packet};
use earlydrop::queue::{AnyQueue, QueueDiscipline};
use earlydrop::random::Pcg32;
use earlydrop::registry::{LinkFacts, SCHEMES, Spec};
use earlydrop::units::{BitsPerSec, Nanos};

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

/// A packet that is only a flow's number.
#[derive(Clone, Copy)]
struct Handle(u64);

impl Packet for Handle {
    fn size(&self) -> u32 {
        40 + (self.0 % 1461) as u32
    }
    fn flow(&self) -> FlowKey {
        FlowKey(self.0 % 500)
    }
    fn ecn(&self) -> Ecn {
        Ecn::from_bits((self.0 % 4) as u8)
    }
    fn mark(&mut self) {}
}

/// Bursts and calms, one of them of an hour, and changes of the link's rate.
fn drive(queue: &mut AnyQueue<Handle>) {
    let mut random = Pcg32::new(3, 0);
    let mut now = Nanos::from_secs(7);
    for step in 0..20_000_u64 {
        now += Nanos(u64::from(random.below(1_000_000)));
        if step % 5000 == 4999 {
            now += Nanos::from_secs(3600);
            queue.set_link_rate(now, BitsPerSec(1 + u64::from(random.next_u32())));
        }
        if random.chance(0.55) {
            queue.enqueue(now, Handle(u64::from(random.next_u32())));
        } else {
            queue.dequeue(now);
        }
    }
}

#[test]
fn no_scheme_allocates_once_it_is_built() {
    for scheme in SCHEMES {
        let plan = Spec::of(scheme)
            .plan(&LinkFacts::at(BitsPerSec::from_mbps(10)))
            .unwrap();
        let mut queue = plan.queue(1);
        let before = allocations();
        drive(&mut queue);
        let made = allocations() - before;
        assert_eq!(made, 0, "{}", scheme.name);
    }
}

/// A packet with a payload of its own.
struct Frame(Box<[u8; 1500]>);

impl Packet for Frame {
    fn size(&self) -> u32 {
        self.0.len() as u32
    }
    fn flow(&self) -> FlowKey {
        FlowKey::of_bytes(&self.0[12..24])
    }
    fn ecn(&self) -> Ecn {
        Ecn::from_bits(self.0[1])
    }
    fn mark(&mut self) {
        self.0[1] |= 3;
    }
}

#[test]
fn a_payload_is_never_moved() {
    for scheme in SCHEMES {
        let plan = Spec::of(scheme)
            .plan(&LinkFacts::at(BitsPerSec::from_mbps(10)))
            .unwrap();
        let mut queue: AnyQueue<Frame> = plan.queue(1);
        let frame = Frame(Box::new([0x45; 1500]));
        let address = frame.0.as_ptr();
        queue.enqueue(Nanos::ZERO, frame);
        let frame = queue.dequeue(Nanos::from_micros(1)).unwrap();
        assert_eq!(frame.0.as_ptr(), address, "{}", scheme.name);
    }
}
