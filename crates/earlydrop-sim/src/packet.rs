//! A packet of the simulator: 16 bytes, moved by value in two registers.
//!
//! A packet is copied a dozen times on its way, and what was just written in small pieces
//! is slow to be read again as a whole; so it is two words, and its fields are bits:
//! ```text
//! who:  1 | stamp, high 6 | hop 6 | class 3 | note 1 | echo 1 | again 1 | ECN 2 | kind 3 | size 16 | flow 24
//! what: number 32 | stamp, low 32
//! ```

use std::num::NonZeroU64;

use earlydrop::packet::{Ecn, FlowKey};
use earlydrop::units::Nanos;

use crate::tcp::SackBlock;

/// What a packet is to the endpoint that receives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A TCP segment with data.
    Data = 0,
    /// The segment that opens a connection.
    Syn = 1,
    /// A UDP packet.
    Datagram = 2,
    /// An acknowledgment; from here on packets go backward.
    Ack = 4,
    /// A client's request, sent the way acknowledgments go.
    Request = 5,
}

/// A packet on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packet {
    /// Never zero, so that an absent packet needs no room of its own.
    who: NonZeroU64,
    what: u64,
}

/// Where each field begins in `who`.
mod at {
    use std::num::NonZeroU64;

    pub(super) const SIZE: u32 = 24;
    pub(super) const KIND: u32 = 40;
    pub(super) const BACKWARD: u32 = KIND + 2;
    pub(super) const ECN: u32 = 43;
    pub(super) const AGAIN: u32 = 45;
    pub(super) const ECHO: u32 = 46;
    pub(super) const NOTE: u32 = 47;
    pub(super) const CLASS: u32 = 48;
    pub(super) const HOP: u32 = 51;
    pub(super) const STAMP: u32 = 57;
    /// Set in every packet.
    pub(super) const ALWAYS: NonZeroU64 = NonZeroU64::new(1 << 63).unwrap();
}

/// All of a packet but its number and time, for what is sent again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form(NonZeroU64);

impl Form {
    /// The form of this packet, which was not [stamped](Packet::stamped).
    pub(crate) fn of(packet: Packet) -> Form {
        Form(packet.who)
    }

    /// The same of another flow.
    pub(crate) fn of_flow(self, flow: u32) -> Form {
        let others = self.0.get() & !(MOST_FLOWS as u64 - 1);
        Form(at::ALWAYS | others | u64::from(flow))
    }

    /// A packet of this form.
    #[inline(always)]
    pub(crate) fn packet(self, number: u32, sent: Nanos) -> Packet {
        let packet = Packet {
            who: self.0,
            what: u64::from(number) << 32,
        };
        packet.stamped(sent)
    }
}

/// The kind of what is no packet.
const OTHER: u64 = 7;
/// Flows there can be at most: 24 bits.
pub(crate) const MOST_FLOWS: usize = 1 << 24;
/// Legs a way can have at most: 6 bits.
const MOST_HOPS: usize = 63;
/// Links a way can have at most: a packet may wait for its turn before each, and have
/// something special happen after.
pub(crate) const MOST_LINKS: usize = (MOST_HOPS - 2) / 3;
/// Bits of a stamp: a packet's age is exact up to 2^38 ns, 274 s.
const STAMP_BITS: u32 = 38;

impl Packet {
    /// A packet of `size` bytes at the beginning of its way.
    #[inline]
    pub(crate) fn new(kind: Kind, flow: u32, number: u32, size: u32) -> Packet {
        debug_assert!((flow as usize) < MOST_FLOWS && size <= u32::from(u16::MAX));
        let fields = u64::from(flow) | u64::from(size) << at::SIZE | (kind as u64) << at::KIND;
        Packet {
            who: at::ALWAYS | fields,
            what: u64::from(number) << 32,
        }
    }

    /// Not a packet but something else of two words, told apart by a kind of its own.
    #[inline]
    pub(crate) fn other(code: u16, index: u32) -> Packet {
        Packet {
            who: at::ALWAYS | OTHER << at::KIND | u64::from(code),
            what: u64::from(index),
        }
    }

    /// Whether [`Packet::other`] made it.
    #[inline(always)]
    pub(crate) fn is_other(&self) -> bool {
        self.who.get() >> at::KIND & 7 == OTHER
    }

    /// What [`Packet::other`] was made of, when it was.
    #[inline]
    pub(crate) fn as_other(&self) -> Option<(u16, u32)> {
        self.is_other()
            .then_some((self.who.get() as u16, self.what as u32))
    }

    #[inline]
    fn bit(&self, place: u32) -> bool {
        self.who.get() >> place & 1 != 0
    }

    #[inline]
    fn with(self, bits: u64) -> Packet {
        Packet {
            who: self.who | bits,
            ..self
        }
    }

    /// Sent at `at`; for an acknowledgment, when what caused it was.
    #[inline]
    pub(crate) fn stamped(self, at: Nanos) -> Packet {
        let high = at.0 >> 32 & ((1 << (STAMP_BITS - 32)) - 1);
        let stamped = self.with(high << at::STAMP);
        Packet {
            what: stamped.what | (at.0 & 0xffff_ffff),
            ..stamped
        }
    }

    /// With this ECN field.
    #[inline]
    pub(crate) fn with_ecn(self, ecn: Ecn) -> Packet {
        self.with((ecn as u64) << at::ECN)
    }

    /// Of this class, 0 to 7.
    #[inline]
    pub(crate) fn with_class(self, class: u8) -> Packet {
        self.with(u64::from(class & 7) << at::CLASS)
    }

    /// Sent before; for an acknowledgment, caused by what was.
    #[inline]
    pub(crate) fn retransmitted(self, yes: bool) -> Packet {
        self.with(u64::from(yes) << at::AGAIN)
    }

    /// With CWR, or for an acknowledgment with ECE.
    #[inline]
    pub(crate) fn echoing(self, yes: bool) -> Packet {
        self.with(u64::from(yes) << at::ECHO)
    }

    /// With its note at `place`. The note holds the stamp.
    #[inline]
    pub(crate) fn with_note(self, place: u32) -> Packet {
        let noted = self.with(1 << at::NOTE);
        Packet {
            what: noted.what & !0xffff_ffff | u64::from(place),
            ..noted
        }
    }

    /// The acknowledgment of `size` bytes that a segment causes: of the same flow and
    /// class, echoing its time, and whether it was sent before.
    #[inline]
    pub(crate) fn answer(self, next: u32, size: u32) -> Packet {
        const KEPT: u64 = 0x00ff_ffff | 1 << at::AGAIN | 7 << at::CLASS | 0x3f << at::STAMP;
        let fields = (self.who.get() & KEPT) | u64::from(size) << at::SIZE;
        Packet {
            who: at::ALWAYS | fields | (Kind::Ack as u64) << at::KIND,
            what: self.what & 0xffff_ffff | u64::from(next) << 32,
        }
    }

    /// Its flow's index.
    #[inline]
    pub(crate) fn flow_index(&self) -> u32 {
        self.who.get() as u32 & (MOST_FLOWS as u32 - 1)
    }

    /// Twice its flow's index, and one more when it goes backward.
    #[inline]
    pub(crate) fn lane(&self) -> usize {
        self.flow_index() as usize * 2 + usize::from(self.bit(at::BACKWARD))
    }

    /// A segment's or datagram's number; in an acknowledgment the next one expected.
    #[inline]
    pub(crate) fn number(&self) -> u32 {
        (self.what >> 32) as u32
    }

    /// What it is.
    #[inline]
    pub(crate) fn kind(&self) -> Kind {
        match self.who.get() >> at::KIND & 7 {
            0 => Kind::Data,
            1 => Kind::Syn,
            2 => Kind::Datagram,
            4 => Kind::Ack,
            _ => Kind::Request,
        }
    }

    /// The leg of its way that is next.
    #[inline]
    pub(crate) fn hop(&self) -> usize {
        (self.who.get() >> at::HOP) as usize & MOST_HOPS
    }

    /// The same before this leg of its way.
    #[inline]
    pub(crate) fn at_hop(self, hop: usize) -> Packet {
        debug_assert!(hop <= MOST_HOPS);
        let others = self.who.get() & !((MOST_HOPS as u64) << at::HOP);
        Packet {
            who: at::ALWAYS | others | (hop as u64) << at::HOP,
            ..self
        }
    }

    /// The same before the leg after that.
    #[inline]
    pub(crate) fn at_next_hop(self) -> Packet {
        debug_assert!(self.hop() < MOST_HOPS);
        Packet {
            who: at::ALWAYS | (self.who.get() + (1 << at::HOP)),
            ..self
        }
    }

    /// Whether it is a segment of data that may not be marked.
    #[inline]
    pub(crate) fn is_plain_segment(&self) -> bool {
        const ASKED: u64 = 7 << at::KIND | 3 << at::ECN;
        self.who.get() & ASKED == (Kind::Data as u64) << at::KIND
    }

    /// Whether it is a segment of data that was not marked, and says nothing of the window.
    #[inline]
    pub(crate) fn is_usual_segment(&self) -> bool {
        const ASKED: u64 = 7 << at::KIND | 1 << at::ECHO;
        let usual = self.who.get() & ASKED == (Kind::Data as u64) << at::KIND;
        usual && self.who.get() & 3 << at::ECN != 3 << at::ECN
    }

    /// Whether it is an acknowledgment that says nothing beyond its number and time.
    #[inline]
    pub(crate) fn is_plain_ack(&self) -> bool {
        const ASKED: u64 = 7 << at::KIND | 1 << at::NOTE | 1 << at::ECHO;
        self.who.get() & ASKED == (Kind::Ack as u64) << at::KIND
    }

    /// The same with the time its note holds, and without the note.
    pub(crate) fn without_note(self, note: &Note) -> Packet {
        let unnoted = self.who.get() & !(1 << at::NOTE);
        let unstamped = unnoted & !(((1 << (STAMP_BITS - 32)) - 1) << at::STAMP);
        let packet = Packet {
            who: at::ALWAYS | unstamped,
            what: self.what & !0xffff_ffff,
        };
        packet.stamped(note.stamp)
    }

    /// The place of its note, when it has one.
    #[inline]
    pub(crate) fn note(&self) -> Option<u32> {
        self.bit(at::NOTE).then_some(self.what as u32)
    }

    /// When it was sent, or for an acknowledgment without a note, when what caused it
    /// was. It is `now`, or later than the packet's events so far.
    #[inline]
    pub(crate) fn stamp(&self, now: Nanos) -> Nanos {
        let high = self.who.get() >> at::STAMP & ((1 << (STAMP_BITS - 32)) - 1);
        let stamp = high << 32 | (self.what & 0xffff_ffff);
        let age = now.0.wrapping_sub(stamp) & ((1 << STAMP_BITS) - 1);
        now - Nanos(age)
    }

    /// Whether it was sent before; in an acknowledgment, whether what caused it was.
    #[inline]
    pub(crate) fn is_retransmission(&self) -> bool {
        self.bit(at::AGAIN)
    }

    /// CWR of a segment, ECE of an acknowledgment.
    #[inline]
    pub(crate) fn echo(&self) -> bool {
        self.bit(at::ECHO)
    }

    /// Whether it goes from sender to receiver.
    #[inline]
    pub(crate) fn is_forward(&self) -> bool {
        !self.bit(at::BACKWARD)
    }
}

impl earlydrop::packet::Packet for Packet {
    #[inline]
    fn size(&self) -> u32 {
        (self.who.get() >> at::SIZE) as u32 & 0xffff
    }

    /// Both directions of a conversation are flows of their own.
    #[inline]
    fn flow(&self) -> FlowKey {
        FlowKey(self.lane() as u64)
    }

    #[inline]
    fn ecn(&self) -> Ecn {
        Ecn::from_bits((self.who.get() >> at::ECN) as u8)
    }

    #[inline]
    fn mark(&mut self) {
        *self = self.with(3 << at::ECN);
    }

    #[inline]
    fn class(&self) -> u8 {
        (self.who.get() >> at::CLASS) as u8 & 7
    }
}

/// What an acknowledgment says beyond its number: the holes behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Note {
    /// The time the acknowledgment echoes.
    pub(crate) stamp: Nanos,
    /// The segments received out of order, most recent first.
    pub(crate) blocks: [SackBlock; 3],
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use earlydrop::packet::Packet as _;

    #[test]
    fn a_packet_is_two_words_present_or_not() {
        assert_eq!(size_of::<Packet>(), 16);
        assert_eq!(size_of::<Option<Packet>>(), 16);
    }

    #[test]
    fn what_is_packed_comes_out_again() {
        let sent = Nanos(0x3_1234_5678_9abc);
        let flow = MOST_FLOWS as u32 - 1;
        let mut packet = Packet::new(Kind::Data, flow, u32::MAX, 65_535)
            .stamped(sent)
            .with_ecn(Ecn::Ect0)
            .with_class(5)
            .retransmitted(true)
            .echoing(true);
        assert_eq!((packet.ecn(), packet.class()), (Ecn::Ect0, 5));
        assert!(packet.is_retransmission() && packet.echo() && packet.is_forward());
        packet.mark();
        packet = packet.at_hop(63).at_hop(62);
        assert_eq!(
            (packet.ecn(), packet.class(), packet.hop()),
            (Ecn::Ce, 5, 62)
        );
        assert_eq!((packet.flow_index(), packet.number()), (flow, u32::MAX));
        assert_eq!((packet.size(), packet.kind()), (65_535, Kind::Data));
        assert_eq!(packet.note(), None);
        for age in [0, 1, (1 << STAMP_BITS) - 1] {
            assert_eq!(packet.stamp(sent + Nanos(age)), sent);
        }
    }

    #[test]
    fn acknowledgments_go_backward_and_carry_notes() {
        let ack = Packet::new(Kind::Ack, 7, 9, 40).stamped(Nanos(u64::MAX));
        assert_eq!((ack.note(), ack.kind(), ack.lane()), (None, Kind::Ack, 15));
        let noted = ack.with_note(8);
        assert_eq!((noted.note(), noted.number()), (Some(8), 9));
        let segment = Packet::new(Kind::Data, 7, 9, 1000).stamped(Nanos(5));
        let marked = segment
            .with_ecn(Ecn::Ce)
            .with_class(3)
            .echoing(true)
            .at_hop(5);
        let plain = Packet::new(Kind::Ack, 7, 10, 40)
            .stamped(Nanos(5))
            .with_class(3);
        assert_eq!(marked.answer(10, 40), plain);
        let data = Packet::new(Kind::Datagram, 7, 9, 40);
        assert!(data.is_forward() && !ack.is_forward());
        assert_ne!(data.flow(), ack.flow());
    }

    #[test]
    fn a_form_makes_packets_that_differ_in_number_and_time_only() {
        let segment = |flow, number, at| {
            Packet::new(Kind::Data, flow, number, 1000)
                .with_class(2)
                .stamped(at)
        };
        let form = Form::of(Packet::new(Kind::Data, 7, 0, 1000).with_class(2));
        let at = Nanos(0x3_1234_5678_9abc);
        assert_eq!(form.packet(u32::MAX, at), segment(7, u32::MAX, at));
        assert_eq!(form.of_flow(9).packet(3, at), segment(9, 3, at));
        assert_eq!(form.packet(3, at).at_next_hop().hop(), 1);
        assert!(form.packet(3, at).is_plain_segment());
        assert!(!form.packet(3, at).with_ecn(Ecn::Ect0).is_plain_segment());
        let ack = form.packet(3, at).answer(4, 40);
        assert!(ack.is_plain_ack() && !ack.is_plain_segment());
        assert!(!ack.echoing(true).is_plain_ack() && !ack.with_note(1).is_plain_ack());
    }
}
