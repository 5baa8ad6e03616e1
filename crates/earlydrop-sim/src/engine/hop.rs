//! The steps of packets' ways.

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

/// The same in four bytes: a bit for each kind, or none, above them the index. Ten are
/// read for every packet.
///
/// Bits, because one question after the other, the most frequent first, is answered
/// sooner than a jump by number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step(u32);

const WIRE: u32 = 1;
const TURN: u32 = 2;
const PORT: u32 = 4;
const RECEIVER: u32 = 8;
const FIFO: u32 = 16;
const SENDER: u32 = 32;
const OWN: u32 = 64;
const EXTRAS: u32 = 0;
const KINDS: u32 = 7;

impl From<Hop> for Step {
    fn from(hop: Hop) -> Step {
        let (kind, index) = match hop {
            Hop::Wire(wire) => (WIRE, wire),
            Hop::Own(make) => (OWN, make),
            Hop::Turn => (TURN, 0),
            Hop::Port(port) => (PORT, port),
            Hop::Receiver => (RECEIVER, 0),
            Hop::Fifo(fifo) => (FIFO, fifo),
            Hop::Sender => (SENDER, 0),
            Hop::Extras(extras) => (EXTRAS, extras),
        };
        Step(index << KINDS | kind)
    }
}

impl Step {
    /// The step it stands for.
    #[inline(always)]
    pub(super) fn hop(self) -> Hop {
        let index = self.0 >> KINDS;
        let is = |kind: u32| self.0 & kind != 0;
        if is(WIRE) {
            Hop::Wire(index)
        } else if is(OWN) {
            Hop::Own(index)
        } else if is(TURN) {
            Hop::Turn
        } else if is(PORT) {
            Hop::Port(index)
        } else if is(RECEIVER) {
            Hop::Receiver
        } else if is(FIFO) {
            Hop::Fifo(index)
        } else if is(SENDER) {
            Hop::Sender
        } else {
            Hop::Extras(index)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_comes_out_as_it_went_in() {
        let last = (1 << 25) - 1;
        for hop in [
            Hop::Wire(0),
            Hop::Own(3),
            Hop::Wire(last),
            Hop::Fifo(1),
            Hop::Port(last),
            Hop::Extras(7),
            Hop::Turn,
            Hop::Receiver,
            Hop::Sender,
        ] {
            assert_eq!(Step::from(hop).hop(), hop);
        }
    }
}
