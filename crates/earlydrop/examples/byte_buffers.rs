//! A queue over plain byte buffers and the caller's clock.
use earlydrop::{packet::*, queue::*, registry::*, units::*};

struct Frame(Box<[u8]>); // an IPv4 packet; the queue moves the pointer, never the bytes

#[rustfmt::skip]
impl Packet for Frame {
    fn size(&self) -> u32 { self.0.len() as u32 }
    fn flow(&self) -> FlowKey { FlowKey::of_bytes(&self.0[12..24]) } // addresses and ports
    fn ecn(&self) -> Ecn { Ecn::from_bits(self.0[1]) }
    fn mark(&mut self) { self.0[1] |= 3 } // a router mends the header's checksum here
}

fn main() -> Result<(), ConfigError> {
    let link = LinkFacts::at(BitsPerSec::from_mbps(20));
    let spec: Spec = "nlred:min=10,max=30".parse()?;
    let mut queue: AnyQueue<Frame> = spec.plan(&link)?.queue(1);
    let clock = std::time::Instant::now();
    let now = || Nanos(clock.elapsed().as_nanos() as u64);
    queue.enqueue(now(), Frame([0x45; 1500].into()));
    while let Some(frame) = queue.dequeue(now()) {
        println!("send {} bytes", frame.size());
    }
    Ok(())
}
