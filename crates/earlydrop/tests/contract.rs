//! The contract of a queue with its scheme: each packet is reported exactly once.

use std::cell::Cell;
use std::rc::Rc;

use earlydrop::aqm::{Aqm, Backlog, DropReason, Verdict};
use earlydrop::packet::{Ecn, FlowKey, Packet, PacketInfo};
use earlydrop::queue::{FairQueue, Limit, QueueDiscipline, Sharing, SharingRules, SingleQueue};
use earlydrop::random::Pcg32;
use earlydrop::units::Nanos;

#[derive(Clone, Copy)]
struct Plain {
    flow: u64,
    ecn: Ecn,
}

impl Packet for Plain {
    fn size(&self) -> u32 {
        1000
    }
    fn flow(&self) -> FlowKey {
        FlowKey(self.flow)
    }
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    fn mark(&mut self) {
        self.ecn = Ecn::Ce;
    }
}

/// Gives random verdicts, and counts the queue from what the queue reports; copies share the
/// count.
#[derive(Clone, Default)]
struct RecordingAqm {
    waiting: Rc<Cell<u32>>,
    /// A packet was kept on arrival, and its acceptance or refusal is not yet reported.
    pending: bool,
}

impl RecordingAqm {
    fn change_by(&mut self, change: i32) {
        let waiting = self.waiting.get().checked_add_signed(change);
        self.waiting
            .set(waiting.expect("no more packets leave than arrived"));
    }

    fn judge(&self, packet: &PacketInfo, reason: DropReason, random: &mut Pcg32) -> Verdict {
        match random.below(6) {
            0 => Verdict::Drop(reason),
            1 if packet.ecn.is_capable() => Verdict::Mark,
            _ => Verdict::Keep,
        }
    }
}

impl Aqm for RecordingAqm {
    fn on_arrival<Q: Backlog>(
        &mut self,
        _now: Nanos,
        packet: &PacketInfo,
        queue: &Q,
        random: &mut Pcg32,
    ) -> Verdict {
        assert!(!self.pending, "the last packet was never reported");
        if random.below(5) == 0
            && let Some((slot, _)) = queue.draw(random)
        {
            return Verdict::DropBoth(slot, DropReason::Policy);
        }
        let verdict = self.judge(packet, DropReason::Early, random);
        self.pending = !matches!(verdict, Verdict::Drop(_));
        verdict
    }

    fn on_accepted(&mut self, _now: Nanos, _packet: &PacketInfo) {
        assert!(std::mem::take(&mut self.pending));
        self.change_by(1);
    }

    fn on_refused(&mut self, _now: Nanos, _packet: &PacketInfo) {
        assert!(std::mem::take(&mut self.pending));
    }

    fn on_departure<Q: Backlog>(
        &mut self,
        _now: Nanos,
        packet: &PacketInfo,
        _queue: &Q,
        random: &mut Pcg32,
    ) -> Verdict {
        self.change_by(-1);
        self.judge(packet, DropReason::Dequeue, random)
    }

    fn on_evicted(&mut self, _now: Nanos, _packet: &PacketInfo) {
        self.change_by(-1);
    }
}

/// Overloads the queue; after every call the scheme's count is the queue's length.
fn exercise(mut queue: impl QueueDiscipline<Plain>, waiting: &Cell<u32>) {
    let mut random = Pcg32::new(5, 6);
    for step in 0..20_000 {
        let now = Nanos(step * 1000);
        if random.below(5) < 3 {
            let ecn = Ecn::from_bits(random.below(4) as u8);
            let flow = u64::from(random.below(7));
            queue.enqueue(now, Plain { flow, ecn });
        } else {
            queue.dequeue(now);
        }
        assert_eq!(waiting.get(), queue.packets(), "step {step}");
    }
    let dropped = |reason| queue.counters().dropped_for(reason).packets;
    let reasons = DropReason::ALL.map(dropped);
    assert!(reasons.iter().all(|packets| *packets > 100), "{reasons:?}");
}

#[test]
fn a_single_queue_reports_every_packet_once() {
    let aqm = RecordingAqm::default();
    let waiting = aqm.waiting.clone();
    let limit = Limit::packets(8);
    exercise(SingleQueue::new(aqm, limit, Pcg32::new(1, 0)), &waiting);
}

#[test]
fn a_fair_queue_reports_every_packet_once() {
    let aqm = RecordingAqm::default();
    let waiting = aqm.waiting.clone();
    let sharing = Sharing {
        queues: 4,
        quantum: 1514,
        limit: Limit::packets(8),
        drop_batch: 2,
        rules: SharingRules::default(),
    };
    exercise(FairQueue::new(&aqm, sharing, Pcg32::new(1, 0)), &waiting);
}
