//! earlydrop's own queues under test: what vectors are recorded from, and the same with a rule
//! changed.

use earlydrop::packet::{self, FlowKey};
use earlydrop::queue::{Departure, Outcome};
use earlydrop::random::Pcg32;
use earlydrop::registry::ConfigError;
use earlydrop::units::{BitsPerSec, Bytes};
use earlydrop::{AnyQueue, LinkFacts, Nanos, QueueDiscipline, Spec};

use crate::judge::{Call, Queue};
use crate::vector::{Ecn, Fate, Header, Packet, Sent};

/// A queue of the crate `earlydrop`.
#[derive(Debug)]
pub struct OwnQueue {
    queue: AnyQueue<Waiting>,
}

/// A packet as the queue holds it.
#[derive(Clone, Copy, Debug)]
struct Waiting(Packet);

impl packet::Packet for Waiting {
    fn size(&self) -> u32 {
        self.0.size
    }
    fn flow(&self) -> FlowKey {
        FlowKey(u64::from(self.0.flow))
    }
    fn ecn(&self) -> packet::Ecn {
        match self.0.ecn {
            Ecn::Not => packet::Ecn::NotCapable,
            Ecn::Ect0 => packet::Ecn::Ect0,
            Ecn::Ect1 => packet::Ecn::Ect1,
            Ecn::Ce => packet::Ecn::Ce,
        }
    }
    fn mark(&mut self) {
        self.0.ecn = Ecn::Ce;
    }
}

/// The link of a vector.
pub fn link(bps: u64, mean_packet_bytes: u64) -> LinkFacts {
    let mut link = LinkFacts::at(BitsPerSec(bps));
    link.mean_packet = Bytes(mean_packet_bytes);
    link
}

impl OwnQueue {
    /// The queue that the header describes.
    pub fn of(header: &Header) -> Result<OwnQueue, ConfigError> {
        OwnQueue::with_rules(header, &header.spec)
    }

    /// A queue with the header's link and seed, and other rules: `spec` is earlydrop's text.
    pub fn with_rules(header: &Header, spec: &str) -> Result<OwnQueue, ConfigError> {
        let spec: Spec = spec.parse()?;
        let plan = spec.plan(&link(header.link_bps, header.mean_packet_bytes))?;
        let queue = plan.queue(header.seed);
        Ok(OwnQueue { queue })
    }

    /// Runs the periodic updates due by `now`.
    pub fn poll(&mut self, now: u64) {
        self.queue.poll(Nanos(now));
    }

    /// Every quantity that the scheme shows.
    pub fn quantities(&self) -> Vec<(&'static str, f64)> {
        let mut all = Vec::new();
        self.queue
            .probes(&mut |name, value| all.push((name, value)));
        all
    }

    /// A packet arrives: its fate, the others that were lost, and what was drawn.
    pub fn arrive(&mut self, now: u64, packet: Packet) -> (Fate, Vec<u32>, Vec<u32>) {
        let (before, mut lost) = (self.queue.random().clone(), Vec::new());
        let mut note = |gone: Waiting, _| {
            if gone.0.id != packet.id {
                lost.push(gone.0.id);
            }
        };
        let fate = match self
            .queue
            .enqueue_with(Nanos(now), Waiting(packet), &mut note)
        {
            Outcome::Queued => Fate::Queued,
            Outcome::Marked => Fate::Marked,
            Outcome::Dropped(_) => Fate::Dropped,
        };
        (fate, lost, draws_between(before, self.queue.random()))
    }

    /// The next packet leaves: which, those lost, and what was drawn.
    pub fn leave(&mut self, now: u64) -> (Option<Sent>, Vec<u32>, Vec<u32>) {
        let (before, mut lost) = (self.queue.random().clone(), Vec::new());
        let mut note = |gone: Waiting, _| lost.push(gone.0.id);
        let left = self.queue.dequeue_with(Nanos(now), &mut note);
        let sent = left.map(|Departure { packet, .. }| Sent {
            id: packet.0.id,
            ecn: packet.0.ecn,
        });
        (sent, lost, draws_between(before, self.queue.random()))
    }
}

/// The numbers drawn from a generator until it was `after`.
fn draws_between(mut before: Pcg32, after: &Pcg32) -> Vec<u32> {
    let mut draws = Vec::new();
    while before != *after {
        draws.push(before.next_u32());
    }
    draws
}

/// A queue draws from its own generator, with the header's seed; a call says how often.
impl Queue for OwnQueue {
    fn enqueue(&mut self, now: u64, packet: Packet, call: &mut Call<'_>) -> Fate {
        let (fate, lost, draws) = self.arrive(now, packet);
        call.lost = lost;
        call.drawn = number_drawn(&draws, call);
        fate
    }

    fn dequeue(&mut self, now: u64, call: &mut Call<'_>) -> Option<Sent> {
        let (sent, lost, draws) = self.leave(now);
        call.lost = lost;
        call.drawn = number_drawn(&draws, call);
        sent
    }

    fn state(&self, name: &str) -> Option<f64> {
        let of_name = |(known, value): (&str, f64)| (known == name).then_some(value);
        self.quantities().into_iter().find_map(of_name)
    }
}

/// How many numbers were drawn; one too many where they are not those of the vector.
fn number_drawn(draws: &[u32], call: &Call<'_>) -> usize {
    match draws == call.draws() {
        true => draws.len(),
        false => draws.len().max(call.draws().len() + 1),
    }
}
