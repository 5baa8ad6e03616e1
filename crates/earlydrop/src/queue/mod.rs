//! Queue disciplines: they own packets, ask a scheme for verdicts, and count.

mod cake;
mod change;
mod dual;
mod fair;
mod pool;
mod ring;
mod shadow;
mod single;

pub use crate::any::AnyQueue;
pub use cake::{
    AckFilter, CakeParams, CakeQueue, Cells, DecayingAqm, Diffserv, Framing, HostGroups, Isolation,
};
pub use change::ChangeError;
pub use dual::{Coupling, Curvy, DualLaw, DualQueue, PiControl};
pub use fair::{
    Classifier, FairQueue, MOST_WEIGHTS, Overflow, Scheduler, Sharing, SharingRules, Weights,
};
pub use single::{Limit, SingleQueue};

pub(crate) use shadow::{Buffer, Shadow};

use crate::aqm::DropReason;
use crate::counters::Counters;
use crate::packet::Packet;
use crate::steering::{Setting, SteerError};
use crate::units::{BitsPerSec, Nanos};

/// The result of an enqueue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The packet joined the queue.
    Queued,
    /// The packet joined the queue with an ECN mark.
    Marked,
    /// The packet was dropped.
    Dropped(DropReason),
}

/// A packet that leaves the queue, and its arrival time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure<P> {
    /// The packet, with an ECN mark if the scheme marked it.
    pub packet: P,
    /// When it was enqueued; the time since is its sojourn time.
    pub arrived: Nanos,
}

/// The receiver of the packets that a queue drops: a closure over `(packet, reason)`, or
/// [`Discard`].
pub trait Losses<P> {
    /// Receives a dropped packet.
    fn lost(&mut self, packet: P, reason: DropReason);
}

impl<P, F: FnMut(P, DropReason)> Losses<P> for F {
    fn lost(&mut self, packet: P, reason: DropReason) {
        self(packet, reason);
    }
}

/// Discards dropped packets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Discard;

impl<P> Losses<P> for Discard {
    fn lost(&mut self, _packet: P, _reason: DropReason) {}
}

impl Counters {
    /// Counts a dropped packet, which goes to `losses`.
    fn lose<P: Packet>(
        &mut self,
        packet: P,
        reason: DropReason,
        losses: &mut impl Losses<P>,
    ) -> Outcome {
        self.drop(reason, packet.size());
        losses.lost(packet, reason);
        Outcome::Dropped(reason)
    }
}

/// A queue in front of a link.
///
/// Time must not run backwards from one call to the next. The queue needs no timer: periodic
/// updates catch up at the next call.
/// [`next_deadline`](QueueDiscipline::next_deadline) is for callers that want the scheme's
/// probes to be current at a given time.
pub trait QueueDiscipline<P: Packet> {
    /// Enqueues `packet`. Dropped packets, this one or others, go to `losses`.
    fn enqueue_with(&mut self, now: Nanos, packet: P, losses: &mut impl Losses<P>) -> Outcome;

    /// Dequeues the next packet to send. Packets dropped on departure go to `losses`.
    ///
    /// Call it when the link is free. A call that finds no packet starts the idle time over
    /// which RED's average decays.
    fn dequeue_with(&mut self, now: Nanos, losses: &mut impl Losses<P>) -> Option<Departure<P>>;

    /// Runs the periodic updates due by `now`. Enqueue and dequeue do so too.
    fn poll(&mut self, now: Nanos);

    /// When the scheme's next periodic update is due; `None` for a scheme without any.
    fn next_deadline(&self) -> Option<Nanos>;

    /// Packets waiting.
    fn packets(&self) -> u32;

    /// Bytes waiting.
    fn bytes(&self) -> u64;

    /// When the packet at the head arrived; `None` where the queue is empty, or has several
    /// sub-queues.
    fn head_arrival(&self) -> Option<Nanos> {
        None
    }

    /// The counters since the queue was built.
    fn counters(&self) -> &Counters;

    /// Informs the scheme that the link now sends at `rate`.
    fn set_link_rate(&mut self, now: Nanos, rate: BitsPerSec);

    /// Sets a parameter of the scheme from outside, from the next packet on. Fails where the
    /// queue has several sub-queues, or a scheme that decides for itself.
    fn steer(&mut self, _now: Nanos, setting: &Setting) -> Result<(), SteerError> {
        Err(SteerError::not_steerable(setting))
    }

    /// Reports each of the scheme's probes by name and value.
    fn probes(&self, show: &mut dyn FnMut(&'static str, f64));

    /// Memory held, in bytes: the value itself and what it allocated when built.
    fn memory(&self) -> usize;

    /// The packet behind `ahead` others, where it can be found at no cost. A hint for
    /// prefetching what belongs to the packet; drops may change the order.
    fn peek(&self, ahead: u32) -> Option<&P> {
        let _ = ahead;
        None
    }

    /// Enqueues `packet` and discards dropped packets.
    fn enqueue(&mut self, now: Nanos, packet: P) -> Outcome {
        self.enqueue_with(now, packet, &mut Discard)
    }

    /// Dequeues the next packet to send and discards dropped packets.
    fn dequeue(&mut self, now: Nanos) -> Option<P> {
        self.dequeue_with(now, &mut Discard)
            .map(|departure| departure.packet)
    }

    /// The value of the probe called `wanted`, if the scheme has it.
    fn probe(&self, wanted: &str) -> Option<f64> {
        let mut result = None;
        self.probes(&mut |name, value| {
            if name == wanted {
                result = Some(value);
            }
        });
        result
    }
}
