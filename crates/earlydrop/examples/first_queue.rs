//! A queue made from text, packets through it, and what it dropped.
use earlydrop::{
    AnyQueue, BitsPerSec, Ecn, FlowKey, LinkFacts, Nanos, Packet, QueueDiscipline, Spec,
};

struct Segment {
    flow: u64,
    ecn: Ecn,
}

impl Packet for Segment {
    fn size(&self) -> u32 {
        1500
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

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let spec: Spec = "codel:target=5 ms,limit=100".parse()?;
    let plan = spec.plan(&LinkFacts::at(BitsPerSec::from_mbps(10)))?;
    let mut queue: AnyQueue<Segment> = plan.queue(1); // seeded by 1

    let ecn = Ecn::NotCapable;
    for flow in 0..3 {
        queue.enqueue(Nanos::from_millis(flow), Segment { flow, ecn });
    }
    let first = queue.dequeue(Nanos::from_millis(3)).map(|sent| sent.flow);
    assert_eq!(first, Some(0));
    assert_eq!(queue.counters().dropped().packets, 0);
    Ok(())
}
