//! A packet of the simulator: 16 bytes, moved by value in two registers.
//!
//! A packet is copied a dozen times along its route. Memory just written in small pieces is slow
//! to read back as a whole, so a packet is two words, and its fields are bits:
//! ```text
//! head: 1 | stamp, high 6 | hop 6 | class 3 | note 1 | echo 1 | retransmission 1 | ECN 2 | kind 3 | size 16 | flow 24
//! tail: number 32 | stamp, low 32
//! ```

use std::num::NonZeroU64;

use earlydrop::packet::{Ack, Ecn, FlowKey, Hosts};
use earlydrop::units::Nanos;

use crate::tcp::{AccEcn, SackBlock};

/// The kind of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A TCP segment with data.
    Data = 0,
    /// A TCP SYN.
    Syn = 1,
    /// A UDP datagram.
    Datagram = 2,
    /// An acknowledgment. Kinds from here on go backward.
    Ack = 4,
    /// A client's request, which takes the route of acknowledgments.
    Request = 5,
}

/// A packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packet {
    /// Never zero, so that `Option<Packet>` takes no more room.
    head: NonZeroU64,
    tail: u64,
}

/// The first bit of each field in `head`.
mod at {
    use std::num::NonZeroU64;

    pub(super) const SIZE: u32 = 24;
    pub(super) const KIND: u32 = 40;
    pub(super) const BACKWARD: u32 = KIND + 2;
    pub(super) const ECN: u32 = 43;
    pub(super) const RETRANSMISSION: u32 = 45;
    pub(super) const ECHO: u32 = 46;
    pub(super) const NOTE: u32 = 47;
    pub(super) const CLASS: u32 = 48;
    pub(super) const HOP: u32 = 51;
    pub(super) const STAMP: u32 = 57;
    /// Set in every packet.
    pub(super) const ALWAYS: NonZeroU64 = NonZeroU64::new(1 << 63).unwrap();
}

/// A template of packets that differ only in number and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Template(NonZeroU64);

impl Template {
    /// The template of `packet`, which was not [stamped](Packet::stamped).
    pub(crate) fn of(packet: Packet) -> Template {
        Template(packet.head)
    }

    /// The template for another flow.
    pub(crate) fn of_flow(self, flow: u32) -> Template {
        let others = self.0.get() & !(MAX_FLOWS as u64 - 1);
        Template(at::ALWAYS | others | u64::from(flow))
    }

    /// The class of its packets.
    pub(crate) fn class(self) -> u8 {
        (self.0.get() >> at::CLASS & 7) as u8
    }

    /// A packet made from the template.
    #[inline(always)]
    pub(crate) fn packet(self, number: u32, sent: Nanos) -> Packet {
        let packet = Packet {
            head: self.0,
            tail: u64::from(number) << 32,
        };
        packet.stamped(sent)
    }
}

/// The kind of a value that is no packet.
const OTHER: u64 = 7;
/// Greatest number of flows: 24 bits.
pub(crate) const MAX_FLOWS: usize = 1 << 24;
/// Greatest number of hops of a route: 6 bits.
const MAX_HOPS: usize = 63;
/// Greatest number of links of a route: each may take three hops.
pub(crate) const MAX_LINKS: usize = (MAX_HOPS - 2) / 3;
/// Bits of a stamp: ages are exact up to 2^38 ns, 274 s.
const STAMP_BITS: u32 = 38;
/// Those in `head`, before they are moved to their place.
const STAMP_HIGH: u64 = (1 << (STAMP_BITS - 32)) - 1;
/// In a run so long a stamp is the time itself.
pub(crate) const LONGEST_STAMP: Nanos = Nanos((1 << STAMP_BITS) - 1);

impl Packet {
    /// A packet of `size` bytes at the beginning of its route.
    #[inline]
    pub(crate) fn new(kind: Kind, flow: u32, number: u32, size: u32) -> Packet {
        debug_assert!((flow as usize) < MAX_FLOWS && size <= u32::from(u16::MAX));
        let fields = u64::from(flow) | u64::from(size) << at::SIZE | (kind as u64) << at::KIND;
        Packet {
            head: at::ALWAYS | fields,
            tail: u64::from(number) << 32,
        }
    }

    /// Another value of the size of a packet, marked by a kind of its own.
    #[inline]
    pub(crate) fn other(code: u16, index: u32) -> Packet {
        Packet {
            head: at::ALWAYS | OTHER << at::KIND | u64::from(code),
            tail: u64::from(index),
        }
    }

    /// Whether [`Packet::other`] made this.
    #[inline(always)]
    pub(crate) fn is_other(&self) -> bool {
        self.head.get() >> at::KIND & 7 == OTHER
    }

    /// The arguments of [`Packet::other`], if that made this.
    #[inline]
    pub(crate) fn as_other(&self) -> Option<(u16, u32)> {
        self.is_other()
            .then_some((self.head.get() as u16, self.tail as u32))
    }

    #[inline]
    fn bit(&self, place: u32) -> bool {
        self.head.get() >> place & 1 != 0
    }

    #[inline]
    fn with(self, bits: u64) -> Packet {
        Packet {
            head: self.head | bits,
            ..self
        }
    }

    /// Sets the time at which the packet was sent; for an acknowledgment, the time it echoes.
    #[inline]
    pub(crate) fn stamped(self, at: Nanos) -> Packet {
        let high = at.0 >> 32 & STAMP_HIGH;
        let stamped = self.with(high << at::STAMP);
        Packet {
            tail: stamped.tail | (at.0 & 0xffff_ffff),
            ..stamped
        }
    }

    /// Sets the ECN field.
    #[inline]
    pub(crate) fn with_ecn(self, ecn: Ecn) -> Packet {
        self.with((ecn as u64) << at::ECN)
    }

    /// Sets the class, 0 to 7.
    #[inline]
    pub(crate) fn with_class(self, class: u8) -> Packet {
        self.with(u64::from(class & 7) << at::CLASS)
    }

    /// Sets whether it is a retransmission; for an acknowledgment, whether one caused it.
    #[inline]
    pub(crate) fn retransmitted(self, yes: bool) -> Packet {
        self.with(u64::from(yes) << at::RETRANSMISSION)
    }

    /// Sets CWR; for an acknowledgment, ECE.
    #[inline]
    pub(crate) fn echoing(self, yes: bool) -> Packet {
        self.with(u64::from(yes) << at::ECHO)
    }

    /// Sets the place of its note, which replaces the stamp.
    #[inline]
    pub(crate) fn with_note(self, place: u32) -> Packet {
        let noted = self.with(1 << at::NOTE);
        Packet {
            tail: noted.tail & !0xffff_ffff | u64::from(place),
            ..noted
        }
    }

    /// Sets the period in which a packet with a note was sent, between two changes of routes. It takes
    /// the place of the stamp's high bits, which such a packet does not need.
    pub(crate) fn in_period(self, period: u8) -> Packet {
        let others = self.head.get() & !(STAMP_HIGH << at::STAMP);
        Packet {
            head: at::ALWAYS | others | (u64::from(period) & STAMP_HIGH) << at::STAMP,
            ..self
        }
    }

    /// The [period](Packet::in_period) in which it was sent; of a packet without a note, the time,
    /// modulo 2^38 ns.
    pub(crate) fn sent_in(&self) -> Result<usize, Nanos> {
        match self.note() {
            Some(_) => Ok((self.stamp_bits() >> 32) as usize),
            None => Err(Nanos(self.stamp_bits())),
        }
    }

    /// The bits of its stamp; with a note, the lower 32 are the note's place.
    #[inline]
    fn stamp_bits(&self) -> u64 {
        let high = self.head.get() >> at::STAMP & STAMP_HIGH;
        high << 32 | (self.tail & 0xffff_ffff)
    }

    /// The acknowledgment of this segment, up to `next` and of `size` bytes: of the segment's flow,
    /// of class 0, echoing its time and whether it is a retransmission.
    #[inline]
    pub(crate) fn acknowledge(self, next: u32, size: u32) -> Packet {
        const COPIED: u64 = 0x00ff_ffff | 1 << at::RETRANSMISSION | 0x3f << at::STAMP;
        let fields = (self.head.get() & COPIED) | u64::from(size) << at::SIZE;
        Packet {
            head: at::ALWAYS | fields | (Kind::Ack as u64) << at::KIND,
            tail: self.tail & 0xffff_ffff | u64::from(next) << 32,
        }
    }

    /// The index of its flow.
    #[inline]
    pub(crate) fn flow_index(&self) -> u32 {
        self.head.get() as u32 & (MAX_FLOWS as u32 - 1)
    }

    /// Twice the index of its flow, plus one when it goes backward.
    #[inline]
    pub(crate) fn lane(&self) -> usize {
        self.flow_index() as usize * 2 + usize::from(self.bit(at::BACKWARD))
    }

    /// A segment's or datagram's number; in an acknowledgment the next one expected.
    #[inline]
    pub(crate) fn number(&self) -> u32 {
        (self.tail >> 32) as u32
    }

    /// What distinguishes it from other packets of its flow and direction on its whole route: its
    /// number, and the time at which it was sent or the place of its note.
    #[inline]
    pub(crate) fn identity(&self) -> u64 {
        self.tail
    }

    /// Its kind.
    #[inline]
    pub(crate) fn kind(&self) -> Kind {
        match self.head.get() >> at::KIND & 7 {
            0 => Kind::Data,
            1 => Kind::Syn,
            2 => Kind::Datagram,
            4 => Kind::Ack,
            _ => Kind::Request,
        }
    }

    /// The next hop of its route.
    #[inline]
    pub(crate) fn hop(&self) -> usize {
        (self.head.get() >> at::HOP) as usize & MAX_HOPS
    }

    /// Sets the next hop of its route.
    #[inline]
    pub(crate) fn at_hop(self, hop: usize) -> Packet {
        debug_assert!(hop <= MAX_HOPS);
        let others = self.head.get() & !((MAX_HOPS as u64) << at::HOP);
        Packet {
            head: at::ALWAYS | others | (hop as u64) << at::HOP,
            ..self
        }
    }

    /// Advances to the hop after the next.
    #[inline]
    pub(crate) fn at_next_hop(self) -> Packet {
        debug_assert!(self.hop() < MAX_HOPS);
        Packet {
            head: at::ALWAYS | (self.head.get() + (1 << at::HOP)),
            ..self
        }
    }

    /// Whether it is a segment of data that is not ECN-capable.
    #[inline]
    pub(crate) fn is_not_ect_segment(&self) -> bool {
        const FIELDS: u64 = 7 << at::KIND | 3 << at::ECN;
        self.head.get() & FIELDS == (Kind::Data as u64) << at::KIND
    }

    /// Whether it is a segment of data without a mark and without CWR.
    #[inline]
    pub(crate) fn is_unmarked_segment(&self) -> bool {
        const FIELDS: u64 = 7 << at::KIND | 1 << at::ECHO;
        let without_cwr = self.head.get() & FIELDS == (Kind::Data as u64) << at::KIND;
        without_cwr && self.head.get() & 3 << at::ECN != 3 << at::ECN
    }

    /// Whether it is an acknowledgment without ECE and SACK blocks.
    #[inline]
    pub(crate) fn is_bare_ack(&self) -> bool {
        const FIELDS: u64 = 7 << at::KIND | 1 << at::NOTE | 1 << at::ECHO;
        self.head.get() & FIELDS == (Kind::Ack as u64) << at::KIND
    }

    /// The packet without its note, with the time that the note holds.
    pub(crate) fn without_note(self, note: &Note) -> Packet {
        let unnoted = self.head.get() & !(1 << at::NOTE);
        let unstamped = unnoted & !(STAMP_HIGH << at::STAMP);
        let packet = Packet {
            head: at::ALWAYS | unstamped,
            tail: self.tail & !0xffff_ffff,
        };
        packet.stamped(note.stamp)
    }

    /// The place of its note, if it has one.
    #[inline]
    pub(crate) fn note(&self) -> Option<u32> {
        self.bit(at::NOTE).then_some(self.tail as u32)
    }

    /// The time at which it was sent; for an acknowledgment without a note, the time it echoes.
    /// `now` is at or after the packet's last event.
    #[inline]
    pub(crate) fn stamp(&self, now: Nanos) -> Nanos {
        let age = now.0.wrapping_sub(self.stamp_bits()) & ((1 << STAMP_BITS) - 1);
        now - Nanos(age)
    }

    /// Whether it is a retransmission; in an acknowledgment, whether one caused it.
    #[inline]
    pub(crate) fn is_retransmission(&self) -> bool {
        self.bit(at::RETRANSMISSION)
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
        (self.head.get() >> at::SIZE) as u32 & 0xffff
    }

    /// Both directions of a conversation are flows of their own.
    #[inline]
    fn flow(&self) -> FlowKey {
        FlowKey(self.lane() as u64)
    }

    #[inline]
    fn ecn(&self) -> Ecn {
        Ecn::from_bits((self.head.get() >> at::ECN) as u8)
    }

    #[inline]
    fn mark(&mut self) {
        *self = self.with(3 << at::ECN);
    }

    #[inline]
    fn class(&self) -> u8 {
        (self.head.get() >> at::CLASS) as u8 & 7
    }

    /// Each flow has two hosts of its own, both numbered as the flow.
    fn hosts(&self) -> Hosts {
        let flow = u64::from(self.flow_index());
        Hosts {
            source: flow,
            destination: flow,
        }
    }

    fn ack(&self) -> Option<Ack> {
        (self.kind() == Kind::Ack).then(|| Ack {
            number: self.number(),
            is_pure: true,
            // AccECN's fields count as SACK blocks do: neither may be left out by a filter.
            has_sack: self.note().is_some(),
            echo: u8::from(self.echo()),
        })
    }
}

/// The options of an acknowledgment: SACK blocks, timestamp, and AccECN's fields.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Note {
    /// The time the acknowledgment echoes.
    pub(crate) stamp: Nanos,
    /// SACK blocks, the most recent first.
    pub(crate) blocks: [SackBlock; 3],
    /// How many of `blocks` are filled.
    pub(crate) filled: u8,
    /// AccECN's fields, where the connection uses them.
    pub(crate) accecn: Option<AccEcn>,
}

impl Note {
    /// A note without SACK blocks.
    #[inline]
    pub(crate) fn of_marks(stamp: Nanos, accecn: Option<AccEcn>) -> Note {
        Note {
            stamp,
            blocks: [SackBlock::default(); 3],
            filled: 0,
            accecn,
        }
    }
}

/// The notes of all acknowledgments in flight. Places are reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    notes: Vec<Note>,
    free: Vec<u32>,
}

impl Notes {
    /// Stores `note`; returns its place.
    pub(crate) fn keep(&mut self, note: Note) -> u32 {
        if let Some(place) = self.free.pop() {
            self.notes[place as usize] = note;
            return place;
        }
        self.notes.push(note);
        (self.notes.len() - 1) as u32
    }

    /// Removes the note at `place`, which may then be reused.
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
    fn a_note_is_five_words() {
        assert_eq!(size_of::<Note>(), 40);
    }

    #[test]
    fn fields_survive_packing() {
        let sent = Nanos(0x3_1234_5678_9abc);
        let flow = MAX_FLOWS as u32 - 1;
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
    fn acks_go_backward_and_carry_notes() {
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
        let expected = Packet::new(Kind::Ack, 7, 10, 40).stamped(Nanos(5));
        assert_eq!(marked.acknowledge(10, 40), expected);
        let data = Packet::new(Kind::Datagram, 7, 9, 40);
        assert!(data.is_forward() && !ack.is_forward());
        assert_ne!(data.flow(), ack.flow());
    }

    #[test]
    fn a_template_makes_packets_that_differ_in_number_and_time_only() {
        let segment = |flow, number, at| {
            Packet::new(Kind::Data, flow, number, 1000)
                .with_class(2)
                .stamped(at)
        };
        let template = Template::of(Packet::new(Kind::Data, 7, 0, 1000).with_class(2));
        let at = Nanos(0x3_1234_5678_9abc);
        assert_eq!(template.packet(u32::MAX, at), segment(7, u32::MAX, at));
        assert_eq!(template.of_flow(9).packet(3, at), segment(9, 3, at));
        assert_eq!(template.packet(3, at).at_next_hop().hop(), 1);
        assert!(template.packet(3, at).is_not_ect_segment());
        assert!(
            !template
                .packet(3, at)
                .with_ecn(Ecn::Ect0)
                .is_not_ect_segment()
        );
        let ack = template.packet(3, at).acknowledge(4, 40);
        assert!(ack.is_bare_ack() && !ack.is_not_ect_segment());
        assert!(!ack.echoing(true).is_bare_ack() && !ack.with_note(1).is_bare_ack());
    }
}
