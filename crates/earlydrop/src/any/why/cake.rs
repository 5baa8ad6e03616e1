//! Why CAKE's queue drops, marks or keeps a packet.

use alloc::format;
use alloc::vec::Vec;

use super::{Enqueued, ExplainedEnqueue, Recording, departures, recording};
use crate::any::AnyAqm;
use crate::explanation::{Explanation, Why, numbers};
use crate::packet::Packet;
use crate::queue::{Buffer, CakeQueue, DecayingAqm, Shadow};
use crate::schemes::cobalt::Cobalt;
use crate::units::Nanos;

const CAKE: &str = "CAKE in Linux; Hoeiland-Joergensen, Taht, Morton 2018";

impl DecayingAqm for Recording {
    fn is_at_rest(&self, now: Nanos) -> bool {
        match &self.aqm {
            AnyAqm::Cobalt(cobalt) => cobalt.is_at_rest(now),
            _ => true,
        }
    }
}

pub(super) fn try_enqueue<P: Packet>(
    queue: &CakeQueue<P, Cobalt>,
    now: Nanos,
    packet: &P,
) -> Option<ExplainedEnqueue> {
    let (notes, recorded) = recording::<Cobalt>();
    let mut enqueued = Enqueued::on(
        &mut queue.shadow(recorded),
        &notes,
        now,
        Shadow::arriving(packet),
    );
    let buffer = queue.buffer(packet.size());
    let why = in_tin(queue, packet, enqueued.why()?);
    let victim = |victim: &Shadow| why_victim(queue, packet, victim, buffer);
    Some(enqueued.explained(why, buffer, victim))
}

/// Why a waiting packet is dropped when `packet` arrives: it is an acknowledgment that this one
/// replaces, or in the longest sub-queue of a full buffer.
fn why_victim<P: Packet>(
    queue: &CakeQueue<P, Cobalt>,
    packet: &P,
    victim: &Shadow,
    buffer: Buffer,
) -> Explanation {
    let mut why = Why::new(CAKE);
    let (place, own) = (queue.place_of(victim), queue.place_of(packet));
    // A filtered acknowledgment leaves though there is room.
    if packet.ack().is_some() && buffer.has_room() {
        let number = victim.ack().map_or(0, |ack| ack.number);
        let arriving = packet.ack().map_or(0, |ack| ack.number);
        why.given("the number it acknowledges", ("old", ""), f64::from(number));
        why.given("that of the arrival", ("new", ""), f64::from(arriving));
        let reason = format!("acknowledgment {number} is replaced by {arriving}");
        why.by("ACK filter", reason);
        return why.decided("dropped");
    }
    let same = (place.tin, place.index) == (own.tin, own.index);
    let more = if same { packet.size() } else { 0 };
    why.given("the tin", ("tin", ""), place.tin as f64);
    why.given(
        "the sub-queue with most bytes",
        ("i", ""),
        f64::from(place.index),
    );
    why.step(
        "the bytes in it, with the packet that arrives",
        ("longest", "bytes"),
        "longest = bytes_i + size",
        numbers!("{} + {}", place.bytes as f64, f64::from(more)),
        (place.bytes + u64::from(more)) as f64,
    );
    let state = buffer.state(&mut why);
    let (tin, index) = (place.tin, place.index);
    let reason = format!("{state}; the longest, {index} of tin {tin}, loses from its head");
    why.by("full buffer: the longest sub-queue", reason);
    why.decided("dropped")
}

pub(super) fn depart<P: Packet>(queue: &CakeQueue<P, Cobalt>, now: Nanos) -> Vec<Explanation> {
    let (notes, recorded) = recording::<Cobalt>();
    departures(&mut queue.shadow(recorded), &notes, now, |_, why| why)
}

/// Puts before the reasons of a sub-queue's scheme which tin and sub-queue it is, and how many
/// flows share its host.
fn in_tin<P: Packet>(queue: &CakeQueue<P, Cobalt>, packet: &P, mut why: Why) -> Why {
    let place = queue.place_of(packet);
    let mut first = Why::new(why.source);
    first.given(
        "the tin of its traffic class",
        ("tin", ""),
        place.tin as f64,
    );
    let says = format!("the flow's sub-queue, of {}", place.queues);
    first.given(says, ("i", ""), f64::from(place.index));
    let says = format!("the packets in sub-queue {} before this call", place.index);
    first.given(says, ("q_i", "packets"), f64::from(place.packets));
    let says = "the bulk flows of its busier host, at least 1, which share a turn";
    first.given(says, ("load", "flows"), f64::from(place.host_load));
    first.steps.append(&mut why.steps);
    why.steps = first.steps;
    why
}
