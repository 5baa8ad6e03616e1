//! How flows share the buffer and the link, and where Linux departs from RFC 8290.

use crate::queue::Limit;

/// How flows share the buffer and the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sharing {
    /// Sub-queues that flows are hashed into; at least one.
    pub queues: u32,
    /// Bytes a sub-queue may send a turn; above zero.
    pub quantum: u32,
    /// The capacity of all sub-queues together.
    pub limit: Limit,
    /// Most packets dropped from the largest sub-queue at once; at least one.
    pub drop_batch: u32,
    /// Where an implementation departs from RFC 8290; by default nowhere.
    pub rules: SharingRules,
}

/// Rules of Linux's sch_fq_codel that RFC 8290 does not have; all off by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SharingRules {
    /// A departing packet's scheme sees the bytes of all sub-queues together, and is not
    /// notified when its own sub-queue has become empty (`__fq_codel_dequeue`).
    pub total_backlog: bool,
    /// An emptied new sub-queue leaves the lists when no old one is listed
    /// (`__fq_codel_dequeue`).
    pub leave_when_alone: bool,
    /// An arrival drops one batch at most, even if the limit is still exceeded
    /// (`fq_codel_enqueue`).
    pub one_batch: bool,
    /// The limit in bytes counts buffer memory instead of bytes on the wire
    /// (`fq_codel_enqueue`, `truesize`).
    pub buffer_memory: bool,
    /// A packet that finds nothing queued is not judged and leaves first, as from a root qdisc
    /// (`__dev_xmit_skb`, `TCQ_F_CAN_BYPASS`).
    pub bypass: bool,
}

impl SharingRules {
    /// None of them.
    pub const RFC_8290: SharingRules = SharingRules {
        total_backlog: false,
        leave_when_alone: false,
        one_batch: false,
        buffer_memory: false,
        bypass: false,
    };
}

/// Memory of a packet's buffer in Linux: the data with its headroom and trailer, in a slab of
/// a power of two, and the `sk_buff`.
#[cold]
#[inline(never)]
pub(super) fn buffer_memory(size: u32) -> u64 {
    const HEADROOM: u64 = 64;
    const TRAILER: u64 = 320;
    const SK_BUFF: u64 = 256;
    let data = (u64::from(size) + HEADROOM).next_multiple_of(64) + TRAILER;
    data.next_power_of_two() + SK_BUFF
}
