//! How flows share the buffer and the link: the rules of RFC 8290, and others.

use crate::queue::Limit;
use crate::units::Nanos;

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
    /// Where the queue departs from RFC 8290; by default nowhere.
    pub rules: SharingRules,
}

/// The number of traffic classes: 0 to 7, as those of IEEE 802.1Q and the class selectors of RFC 2474.
pub(crate) const CLASSES: u32 = 8;

impl Sharing {
    /// Whether the sub-queue of a class can be [paused](super::FairQueue::pause_class): each class has
    /// one of its own, and they take turns.
    pub fn can_pause_classes(&self) -> bool {
        let rules = &self.rules;
        rules.classifier == Classifier::Class
            && rules.scheduler != Scheduler::NewFirst
            && self.queues >= CLASSES
    }
}

/// Whose turn it is among sub-queues that hold packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheduler {
    /// RFC 8290: new sub-queues first, then round robin; each sends while it has credit, which
    /// the last packet may overdraw.
    #[default]
    NewFirst,
    /// Deficit round robin (Shreedhar and Varghese 1995): a sub-queue sends what its deficit
    /// covers.
    Deficit,
    /// Round robin by bytes: a sub-queue sends while it has credit, which the last packet may
    /// overdraw (Linux's sch_sfq).
    Credit,
    /// Round robin by packets: as many a turn as its weight (McKenney 1990).
    Packets,
}

/// Which sub-queue a packet goes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Classifier {
    /// The one of its flow's salted hash.
    #[default]
    Hash,
    /// The one of its flow's key, modulo their number.
    Flow,
    /// The one of its traffic class, modulo their number.
    Class,
}

/// What is dropped when the limit is exceeded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overflow {
    /// Batches from the head of the longest sub-queue until the limit holds.
    #[default]
    Batches,
    /// One batch from the head of the longest sub-queue (`fq_codel_enqueue`).
    OneBatch,
    /// Packets from the tail of the longest sub-queue until the limit holds.
    Tail,
    /// The packet that arrives; its scheme has been asked.
    Arrival,
    /// The packet that arrives; its scheme is not asked (`fq_pie_qdisc_enqueue`).
    Unjudged,
}

/// Sub-queues that may have a weight other than 1: those with the lowest indices.
pub const MOST_WEIGHTS: usize = 32;

/// Weights of sub-queues: a turn is worth as many quanta. 1 unless set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weights([u16; MOST_WEIGHTS]);

impl Weights {
    /// A weight of 1 for each.
    pub const EQUAL: Weights = Weights([1; MOST_WEIGHTS]);

    /// The weights of the first sub-queues; 1 for the rest. `None` for a weight of 0 and for more
    /// than [`MOST_WEIGHTS`].
    pub fn new(weights: &[u16]) -> Option<Weights> {
        let mut all = Weights::EQUAL;
        all.0.get_mut(..weights.len())?.copy_from_slice(weights);
        all.0.iter().all(|weight| *weight > 0).then_some(all)
    }

    /// The weight of a sub-queue.
    pub fn of(&self, index: u32) -> u16 {
        self.0.get(index as usize).copied().unwrap_or(1)
    }
}

impl Default for Weights {
    fn default() -> Weights {
        Weights::EQUAL
    }
}

/// Rules that RFC 8290 does not have: other schedulers, and what Linux does otherwise. All are
/// off by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SharingRules {
    /// Whose turn it is.
    pub scheduler: Scheduler,
    /// Which sub-queue a packet goes to.
    pub classifier: Classifier,
    /// Quanta that a sub-queue gets a turn.
    pub weights: Weights,
    /// Sub-queues with the highest indices that are served before all others, the highest first;
    /// by class, the highest classes. Under any scheduler but [`Scheduler::NewFirst`].
    pub strict: u32,
    /// How often flows are hashed anew; zero for never. Packets move to their new sub-queues, whose
    /// schemes start afresh.
    pub perturb: Nanos,
    /// The longest sub-queue is the one with most packets, not bytes.
    pub longest_in_packets: bool,
    /// What is dropped when the limit is exceeded.
    pub overflow: Overflow,
    /// Periodic updates of all sub-queues fall together, from the first call on
    /// (`fq_pie_timer`).
    pub one_timer: bool,
    /// A departing packet's scheme sees the bytes of all sub-queues together, and is not
    /// notified when its own sub-queue has become empty (`__fq_codel_dequeue`).
    pub total_backlog: bool,
    /// An emptied new sub-queue leaves the lists when no old one is listed
    /// (`__fq_codel_dequeue`).
    pub leave_when_alone: bool,
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
        scheduler: Scheduler::NewFirst,
        classifier: Classifier::Hash,
        weights: Weights::EQUAL,
        strict: 0,
        perturb: Nanos::ZERO,
        longest_in_packets: false,
        overflow: Overflow::Batches,
        one_timer: false,
        total_backlog: false,
        leave_when_alone: false,
        buffer_memory: false,
        bypass: false,
    };
}

/// Memory of a packet's buffer in Linux: the data with its headroom and trailer, in a slab of
/// a power of two, and the `sk_buff`.
#[cold]
#[inline(never)]
pub(crate) fn buffer_memory(size: u32) -> u64 {
    const HEADROOM: u64 = 64;
    const TRAILER: u64 = 320;
    const SK_BUFF: u64 = 256;
    let data = (u64::from(size) + HEADROOM).next_multiple_of(64) + TRAILER;
    data.next_power_of_two() + SK_BUFF
}
