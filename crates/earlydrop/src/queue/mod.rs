//! Queue disciplines: they own packets, ask a scheme, and count.

mod dual;
mod fair;
mod pool;
mod ring;
mod single;

pub use crate::any::AnyQueue;
pub use dual::{Coupling, DualQueue};
pub use fair::{FairQueue, Sharing};
pub use single::{Limit, SingleQueue};

use crate::aqm::DropReason;
use crate::counters::Counters;
use crate::packet::Packet;
use crate::units::{BitsPerSec, Nanos};

/// What became of a packet offered to a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It waits in the queue.
    Queued,
    /// It waits in the queue, marked.
    Marked,
    /// It was dropped.
    Dropped(DropReason),
}

/// A packet handed out, and when it had arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure<P> {
    /// The packet, marked where the scheme said so.
    pub packet: P,
    /// When it was offered to the queue; the difference to now is its sojourn time.
    pub arrived: Nanos,
}

/// Who receives the packets a queue drops.
///
/// A closure over `(packet, reason)` is one; so is [`Discard`].
pub trait Losses<P> {
    /// Receives a dropped packet.
    fn lost(&mut self, packet: P, reason: DropReason);
}

impl<P, F: FnMut(P, DropReason)> Losses<P> for F {
    fn lost(&mut self, packet: P, reason: DropReason) {
        self(packet, reason);
    }
}

/// Lets dropped packets go.
#[derive(Clone, Copy, Debug, Default)]
pub struct Discard;

impl<P> Losses<P> for Discard {
    fn lost(&mut self, _packet: P, _reason: DropReason) {}
}

/// A queue in front of a link.
///
/// Times must not run backwards from one call to the next. Nothing happens
/// between calls and no call is owed: what is periodic catches up by itself
/// with the next one. [`next_deadline`](QueueDiscipline::next_deadline) is for
/// callers that want the scheme's probes to be current at a given time.
pub trait QueueDiscipline<P: Packet> {
    /// Offers `packet`; what is dropped, this packet or another, goes to `losses`.
    fn enqueue_with(&mut self, now: Nanos, packet: P, losses: &mut impl Losses<P>) -> Outcome;

    /// Takes the next packet to send; what is dropped on the way goes to `losses`.
    ///
    /// Call it when the link has become free. A call that finds nothing starts
    /// the idle time that RED's average decays over.
    fn dequeue_with(&mut self, now: Nanos, losses: &mut impl Losses<P>) -> Option<Departure<P>>;

    /// Runs what is due by `now`. Enqueue and dequeue do this by themselves.
    fn poll(&mut self, now: Nanos);

    /// When the scheme next updates itself; `None` when it never does so by time alone.
    fn next_deadline(&self) -> Option<Nanos>;

    /// Packets waiting.
    fn packets(&self) -> u32;

    /// Bytes waiting.
    fn bytes(&self) -> u64;

    /// Everything counted so far.
    fn counters(&self) -> &Counters;

    /// Tells the scheme that the link now sends at `rate`.
    fn set_link_rate(&mut self, now: Nanos, rate: BitsPerSec);

    /// Shows each of the scheme's probes by name.
    fn probes(&self, show: &mut dyn FnMut(&'static str, f64));

    /// Memory held, in bytes: the value itself and what it allocated when built.
    fn memory(&self) -> usize;

    /// The packet that waits behind `ahead` others, where that is easily told. It is for
    /// those who look up something for each packet and can begin early; whether it will be
    /// that packet's turn nobody knows.
    fn peek(&self, ahead: u32) -> Option<&P> {
        let _ = ahead;
        None
    }

    /// Offers `packet` and lets go of what is dropped.
    fn enqueue(&mut self, now: Nanos, packet: P) -> Outcome {
        self.enqueue_with(now, packet, &mut Discard)
    }

    /// Takes the next packet to send and lets go of what is dropped.
    fn dequeue(&mut self, now: Nanos) -> Option<P> {
        self.dequeue_with(now, &mut Discard)
            .map(|departure| departure.packet)
    }

    /// One probe's value, where the scheme has it.
    fn probe(&self, wanted: &str) -> Option<f64> {
        let mut found = None;
        self.probes(&mut |name, value| {
            if name == wanted {
                found = Some(value);
            }
        });
        found
    }
}
