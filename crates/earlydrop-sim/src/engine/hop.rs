//! The steps of packets' ways.

/// A step of a packet's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hop {
    /// A link without a queue.
    Wire(u32),
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

/// The same in four bytes: the kind in the low three bits, above them the index. There
/// are ten to a flow, and they are read for every packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step(u32);

impl From<Hop> for Step {
    fn from(hop: Hop) -> Step {
        let (kind, index) = match hop {
            Hop::Wire(wire) => (0, wire),
            Hop::Fifo(fifo) => (1, fifo),
            Hop::Port(port) => (2, port),
            Hop::Extras(extras) => (3, extras),
            Hop::Turn => (4, 0),
            Hop::Receiver => (5, 0),
            Hop::Sender => (6, 0),
        };
        Step(index << 3 | kind)
    }
}

impl Step {
    /// The step it stands for.
    #[inline(always)]
    pub(super) fn hop(self) -> Hop {
        let index = self.0 >> 3;
        match self.0 & 7 {
            0 => Hop::Wire(index),
            1 => Hop::Fifo(index),
            2 => Hop::Port(index),
            3 => Hop::Extras(index),
            4 => Hop::Turn,
            5 => Hop::Receiver,
            _ => Hop::Sender,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_comes_out_as_it_went_in() {
        let last = (1 << 29) - 1;
        for hop in [
            Hop::Wire(0),
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
