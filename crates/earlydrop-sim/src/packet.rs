//! A packet of the simulator: 24 bytes, moved by value.

use earlydrop::packet::{Ecn, FlowKey};
use earlydrop::units::Nanos;

use crate::tcp::Range;

/// What a packet is to the endpoint that receives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A TCP segment with data.
    Data,
    /// The segment that opens a connection.
    Syn,
    /// An acknowledgment.
    Ack,
    /// A UDP packet.
    Datagram,
    /// A client's request, sent the way acknowledgments go.
    Request,
}

/// A packet on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packet {
    /// When it was sent; in an acknowledgment, when the segment that caused it was. With
    /// a note, the note's place, and the note holds the time.
    stamp: u64,
    /// Its flow's index.
    pub(crate) flow: u32,
    /// A segment's or datagram's number; in an acknowledgment the next one expected.
    pub(crate) number: u32,
    /// The hop it takes next: an index into the table of all routes.
    pub(crate) next: u32,
    size: u16,
    pub(crate) kind: Kind,
    flags: u8,
}

// Bits of `flags`: two for ECN, then these, then three for the class.
const RETRANSMISSION: u8 = 1 << 2;
/// In a segment CWR, in an acknowledgment ECE.
const ECHO: u8 = 1 << 3;
const NOTE: u8 = 1 << 4;
const CLASS_SHIFT: u8 = 5;

impl Packet {
    /// A packet of `size` bytes that takes the hop `next` first.
    #[inline]
    pub(crate) fn new(kind: Kind, flow: u32, number: u32, size: u32, next: u32) -> Packet {
        debug_assert!(size <= u32::from(u16::MAX));
        Packet {
            stamp: 0,
            flow,
            number,
            next,
            size: size as u16,
            kind,
            flags: 0,
        }
    }

    #[inline]
    pub(crate) fn stamped(mut self, at: Nanos) -> Packet {
        self.stamp = at.0;
        self
    }

    #[inline]
    pub(crate) fn with_ecn(mut self, ecn: Ecn) -> Packet {
        self.flags = (self.flags & !3) | ecn as u8;
        self
    }

    #[inline]
    pub(crate) fn with_class(mut self, class: u8) -> Packet {
        self.flags |= class << CLASS_SHIFT;
        self
    }

    #[inline]
    pub(crate) fn retransmitted(mut self, yes: bool) -> Packet {
        self.flags |= RETRANSMISSION * u8::from(yes);
        self
    }

    #[inline]
    pub(crate) fn echoing(mut self, yes: bool) -> Packet {
        self.flags |= ECHO * u8::from(yes);
        self
    }

    #[inline]
    pub(crate) fn with_note(mut self, place: u32) -> Packet {
        self.flags |= NOTE;
        self.stamp = u64::from(place);
        self
    }

    /// The same with the time its note holds, and without the note.
    pub(crate) fn without_note(mut self, note: &Note) -> Packet {
        self.flags &= !NOTE;
        self.stamped(note.stamp)
    }

    /// The place of its note, when it has one.
    #[inline]
    pub(crate) fn note(&self) -> Option<u32> {
        (self.flags & NOTE != 0).then_some(self.stamp as u32)
    }

    /// When it was sent; in an acknowledgment without a note, the time it echoes.
    #[inline]
    pub(crate) fn stamp(&self) -> Nanos {
        Nanos(self.stamp)
    }

    /// Whether it was sent before; in an acknowledgment, whether what caused it was.
    #[inline]
    pub(crate) fn is_retransmission(&self) -> bool {
        self.flags & RETRANSMISSION != 0
    }

    /// CWR of a segment, ECE of an acknowledgment.
    #[inline]
    pub(crate) fn echo(&self) -> bool {
        self.flags & ECHO != 0
    }

    /// Whether it goes from sender to receiver.
    pub(crate) fn is_forward(&self) -> bool {
        !matches!(self.kind, Kind::Ack | Kind::Request)
    }
}

impl earlydrop::packet::Packet for Packet {
    #[inline]
    fn size(&self) -> u32 {
        u32::from(self.size)
    }

    /// Both directions of a conversation are flows of their own.
    #[inline]
    fn flow(&self) -> FlowKey {
        FlowKey(u64::from(self.flow) << 1 | u64::from(!self.is_forward()))
    }

    #[inline]
    fn ecn(&self) -> Ecn {
        Ecn::from_bits(self.flags)
    }

    #[inline]
    fn mark(&mut self) {
        self.flags |= 3;
    }

    #[inline]
    fn class(&self) -> u8 {
        self.flags >> CLASS_SHIFT
    }
}

/// What an acknowledgment says beyond its number: the holes behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Note {
    /// The time the acknowledgment echoes.
    pub(crate) stamp: Nanos,
    /// The segments received out of order, most recent first.
    pub(crate) ranges: [Range; 3],
    /// How many of them count.
    pub(crate) filled: u8,
}

/// The notes of all acknowledgments on their way; places are used again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    notes: Vec<Note>,
    free: Vec<u32>,
}

impl Notes {
    /// Keeps `note` and says where.
    pub(crate) fn keep(&mut self, note: Note) -> u32 {
        if let Some(place) = self.free.pop() {
            self.notes[place as usize] = note;
            return place;
        }
        self.notes.push(note);
        (self.notes.len() - 1) as u32
    }

    /// Takes the note at `place`, which may then be used again.
    pub(crate) fn take(&mut self, place: u32) -> Note {
        self.free.push(place);
        self.notes[place as usize]
    }

    /// The note at `place`.
    pub(crate) fn at(&self, place: u32) -> &Note {
        &self.notes[place as usize]
    }

    /// Notes kept and not yet taken.
    pub(crate) fn kept(&self) -> usize {
        self.notes.len() - self.free.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use earlydrop::packet::Packet as _;

    #[test]
    fn a_packet_is_small_and_leaves_room_for_an_event() {
        assert_eq!(size_of::<Packet>(), 24);
        assert_eq!(size_of::<Option<Packet>>(), 24);
    }

    #[test]
    fn what_is_packed_comes_out_again() {
        let mut packet = Packet::new(Kind::Data, 7, 9, 1500, 3)
            .stamped(Nanos(11))
            .with_ecn(Ecn::Ect0)
            .with_class(5)
            .retransmitted(true)
            .echoing(true);
        assert_eq!((packet.ecn(), packet.class()), (Ecn::Ect0, 5));
        assert!(packet.is_retransmission() && packet.echo() && packet.note().is_none());
        packet.mark();
        assert_eq!((packet.ecn(), packet.class()), (Ecn::Ce, 5));
        assert_eq!((packet.size(), packet.stamp()), (1500, Nanos(11)));
        let noted = Packet::new(Kind::Ack, 7, 9, 40, 3).with_note(8);
        assert_eq!(noted.note(), Some(8));
        assert_ne!(noted.flow(), packet.flow());
    }
}
