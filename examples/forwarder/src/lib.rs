//! A user-space forwarder: one direction of a link, with a queue, a transmitter and a wire.
//! `examples/download.rs` puts it between two hosts.

use std::{collections::VecDeque, error::Error};

use earlydrop::packet::{Ecn, FlowKey, Packet};
use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop::{AnyQueue, LinkFacts, QueueDiscipline, Spec};
use smoltcp::wire::Ipv4Packet;

/// An IPv4 packet without options.
struct Datagram(Vec<u8>);

#[rustfmt::skip]
impl Packet for Datagram {
    fn size(&self) -> u32 { self.0.len() as u32 }
    fn flow(&self) -> FlowKey { FlowKey::of_bytes(&self.0[12..24]) } // addresses and ports
    fn ecn(&self) -> Ecn { Ecn::from_bits(self.0[1]) }
    fn mark(&mut self) {
        let mut header = Ipv4Packet::new_unchecked(&mut self.0);
        header.set_ecn(Ecn::Ce as u8);
        header.fill_checksum();
    }
}

/// One direction of a link.
pub struct Forwarder {
    rate: BitsPerSec,
    delay: Nanos,
    queue: AnyQueue<Datagram>,
    /// When the packet that is being transmitted has been.
    idle_at: Nanos,
    /// Packets transmitted, each with the time of its arrival.
    wire: VecDeque<(Nanos, Vec<u8>)>,
}

impl Forwarder {
    /// An idle link with an empty queue of this scheme.
    pub fn new(spec: &str, rate: BitsPerSec, delay: Nanos) -> Result<Forwarder, Box<dyn Error>> {
        let plan = spec.parse::<Spec>()?.plan(&LinkFacts::at(rate))?;
        Ok(Forwarder {
            rate,
            delay,
            queue: plan.queue(1),
            idle_at: Nanos(0),
            wire: VecDeque::new(),
        })
    }

    /// Takes a packet from the sender. It may be dropped, now or later.
    pub fn receive(&mut self, now: Nanos, packet: Vec<u8>) {
        self.queue.enqueue(now, Datagram(packet));
    }

    /// Transmits the next packet if it is time, and returns one that has arrived.
    pub fn poll(&mut self, now: Nanos) -> Option<Vec<u8>> {
        if self.idle_at <= now
            && let Some(packet) = self.queue.dequeue(now)
        {
            self.idle_at = now + self.rate.transmission_time(Bytes(u64::from(packet.size())));
            self.wire.push_back((self.idle_at + self.delay, packet.0));
        }
        let (_, packet) = self.wire.pop_front_if(|(arrival, _)| *arrival <= now)?;
        Some(packet)
    }

    /// When `poll` has something to do.
    pub fn next_event(&self) -> Option<Nanos> {
        let departure = (self.queue.packets() > 0).then_some(self.idle_at);
        let arrival = self.wire.front().map(|(arrival, _)| *arrival);
        [departure, arrival].into_iter().flatten().min()
    }
}
