//! The steps of packets' ways.

use crate::packet::Packet;

/// A step of a packet's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Hop {
    /// A link without a queue.
    Wire(u32),
    /// The same between a flow's sender and the network, with nobody else's packets on
    /// it: the index of its make. When it is free is kept with the flow.
    Own(u32),
    /// A link with a drop-tail queue: arithmetic too.
    Fifo(u32),
    /// A link with any other queue.
    Port(u32),
    /// What there is about the link just crossed beside its rate and delay.
    Extras(u32),
    /// Streams meet here: a packet waits until its time has come.
    Turn,
    /// Its receiver.
    Receiver,
    /// Its sender: the end of an acknowledgment's way.
    Sender,
}

/// Two steps in eight bytes, for most others are a wire: that, if there is one, and what
/// is at its end. Six are read for every packet.
///
/// A bit for each kind, or none, and above them the index: one question after the other,
/// the most frequent first, is answered sooner than a jump by number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leg {
    wire: u32,
    end: u32,
}

/// The first half of a [`Leg`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wire {
    None,
    Shared(u32),
    Own(u32),
}

/// Kinds of wires.
const SHARED: u32 = 1;
const OWN: u32 = 2;
const WIRE_KINDS: u32 = 2;

/// Kinds of what is at the end; none of them for extras, or nothing.
const TURN: u32 = 1;
const PORT: u32 = 2;
const RECEIVER: u32 = 4;
const FIFO: u32 = 8;
const SENDER: u32 = 16;
const EXTRAS: u32 = 32;
const END_KINDS: u32 = 6;

impl Leg {
    /// This step alone.
    fn of(hop: Hop) -> Leg {
        let mut leg = Leg { wire: 0, end: 0 };
        match hop {
            Hop::Wire(wire) => leg.wire = wire << WIRE_KINDS | SHARED,
            Hop::Own(make) => leg.wire = make << WIRE_KINDS | OWN,
            Hop::Turn => leg.end = TURN,
            Hop::Port(port) => leg.end = port << END_KINDS | PORT,
            Hop::Receiver => leg.end = RECEIVER,
            Hop::Fifo(fifo) => leg.end = fifo << END_KINDS | FIFO,
            Hop::Sender => leg.end = SENDER,
            Hop::Extras(extras) => leg.end = extras << END_KINDS | EXTRAS,
        }
        leg
    }

    /// The wire it begins with.
    #[inline(always)]
    pub(super) fn wire(self) -> Wire {
        if self.wire & SHARED != 0 {
            Wire::Shared(self.wire >> WIRE_KINDS)
        } else if self.wire & OWN != 0 {
            Wire::Own(self.wire >> WIRE_KINDS)
        } else {
            Wire::None
        }
    }

    /// The port that it is, where no wire leads to it.
    #[inline(always)]
    pub(super) fn port_alone(self) -> Option<u32> {
        let alone = self.wire == 0 && self.end & PORT != 0;
        alone.then_some(self.end >> END_KINDS)
    }

    /// The make of the wire that it is, where that is a flow's own and ends where a packet
    /// waits for its turn.
    #[inline(always)]
    pub(super) fn own_wire_to_turn(self) -> Option<u32> {
        let is = self.wire & OWN != 0 && self.end == TURN;
        is.then_some(self.wire >> WIRE_KINDS)
    }

    /// What it ends with, if that is more than a wire.
    #[inline(always)]
    pub(super) fn end(self) -> Option<Hop> {
        let index = self.end >> END_KINDS;
        let is = |kind: u32| self.end & kind != 0;
        if is(RECEIVER) {
            Some(Hop::Receiver)
        } else if is(FIFO) {
            Some(Hop::Fifo(index))
        } else if is(SENDER) {
            Some(Hop::Sender)
        } else if is(PORT) {
            Some(Hop::Port(index))
        } else if is(TURN) {
            Some(Hop::Turn)
        } else if is(EXTRAS) {
            Some(Hop::Extras(index))
        } else {
            None
        }
    }

    /// The steps it is made of.
    pub(super) fn hops(self) -> impl Iterator<Item = Hop> {
        let wire = match self.wire() {
            Wire::None => None,
            Wire::Shared(wire) => Some(Hop::Wire(wire)),
            Wire::Own(make) => Some(Hop::Own(make)),
        };
        wire.into_iter().chain(self.end())
    }
}

/// Steps two by two, and for each of them the leg it has become part of.
///
/// Ways may follow one another: the last step of each is no wire.
pub(super) fn pair(hops: &[Hop]) -> (Vec<Leg>, Vec<u32>) {
    let mut legs: Vec<Leg> = Vec::new();
    let mut parts = Vec::with_capacity(hops.len());
    for hop in hops {
        let next = Leg::of(*hop);
        match legs.last_mut() {
            Some(leg) if leg.end == 0 && next.wire == 0 => leg.end = next.end,
            _ => legs.push(next),
        }
        parts.push(legs.len() as u32 - 1);
    }
    (legs, parts)
}

/// At which leg each flow's two ways begin: forward before backward.
#[derive(Clone, Debug, Default)]
pub(super) struct Ways {
    /// Where all flows go the same way, that one pair.
    alike: Option<[u32; 2]>,
    /// Where they do not, all pairs in the order of the flows.
    begins: Vec<u32>,
}

impl Ways {
    /// The ways of flows in order, two for each.
    pub(super) fn new(begins: Vec<u32>) -> Ways {
        match begins[..] {
            [there, back, ..] if begins.chunks(2).all(|pair| pair == [there, back]) => Ways {
                alike: Some([there, back]),
                begins: Vec::new(),
            },
            _ => Ways {
                alike: None,
                begins,
            },
        }
    }

    /// Where the way of `packet` begins.
    #[inline(always)]
    pub(super) fn begin(&self, packet: &Packet) -> usize {
        match self.alike {
            Some(pair) => pair[usize::from(!packet.is_forward())] as usize,
            None => self.begins[packet.lane()] as usize,
        }
    }

    /// Where the way of a flow's data begins.
    #[inline(always)]
    pub(super) fn there(&self, flow: u32) -> usize {
        match self.alike {
            Some([there, _]) => there as usize,
            None => self.begins[2 * flow as usize] as usize,
        }
    }

    /// One more flow, which goes as the one at `index` does.
    pub(super) fn add_like(&mut self, index: u32) {
        if self.alike.is_none() {
            let pair = 2 * index as usize;
            self.begins.extend_from_within(pair..pair + 2);
        }
    }

    /// Moves every beginning.
    pub(super) fn renumber(&mut self, new: impl Fn(u32) -> u32) {
        for begin in self.alike.iter_mut().flatten().chain(&mut self.begins) {
            *begin = new(*begin);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Kind;

    #[test]
    fn steps_come_out_as_they_went_in() {
        let last = (1 << 26) - 1;
        let hops = [
            Hop::Turn,
            Hop::Wire(last),
            Hop::Own(3),
            Hop::Turn,
            Hop::Port(last),
            Hop::Extras(0),
            Hop::Wire(0),
            Hop::Receiver,
            Hop::Fifo(last),
            Hop::Own(0),
            Hop::Sender,
        ];
        let (legs, parts) = pair(&hops);
        assert_eq!(parts, [0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 7]);
        let again: Vec<Hop> = legs.iter().flat_map(|leg| leg.hops()).collect();
        assert_eq!(again, hops);
    }

    #[test]
    fn ways_are_looked_up_by_flow_whether_alike_or_not() {
        let packet = |kind, flow| Packet::new(kind, flow, 1, 40);
        for begins in [vec![3, 5, 3, 5], vec![3, 5, 7, 9]] {
            let mut ways = Ways::new(begins.clone());
            ways.add_like(1);
            for (flow, like) in [(0, 0), (1, 1), (2, 1)] {
                let there = begins[2 * like] as usize;
                let back = begins[2 * like + 1] as usize;
                assert_eq!(ways.there(flow), there);
                assert_eq!(ways.begin(&packet(Kind::Data, flow)), there);
                assert_eq!(ways.begin(&packet(Kind::Ack, flow)), back);
            }
        }
    }
}
