//! What sender and receiver exchange: segments, and ACKs with SACK blocks.

use earlydrop::packet::Ecn;
use earlydrop::units::Nanos;

use super::accecn::AccEcn;
use super::profile::Profile;
use super::sequence::distance;
use super::settings::EcnFeedback;

/// A contiguous block of sequence numbers, as a SACK option reports it (RFC 2018).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlock {
    /// The first number of the block (left edge).
    pub from: u32,
    /// The number after the last of the block (right edge).
    pub to: u32,
}

impl SackBlock {
    /// How many segments it reports.
    pub(super) fn length(&self) -> u32 {
        distance(self.from, self.to)
    }
}

/// A segment to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Sequence number, in segments.
    pub number: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// Whether this number was sent before.
    pub retransmission: bool,
    /// The ECN field of its IP header.
    pub ecn: Ecn,
    /// The CWR flag, "congestion window reduced" (RFC 3168).
    pub cwr: bool,
    /// Whether it is the SYN, which carries no data.
    pub syn: bool,
}

/// An acknowledgment as the sender receives it.
#[derive(Clone, Copy, Debug)]
pub struct Ack<'a> {
    /// The next number the receiver expects: it has everything before.
    pub next: u32,
    /// When the segment was sent whose timestamp this echoes (TSecr, RFC 7323).
    pub echo: Nanos,
    /// Whether that segment was a retransmission.
    pub echo_retransmitted: bool,
    /// The ECE flag, "ECN echo" (RFC 3168).
    pub ece: bool,
    /// Blocks received beyond `next`, the most recent first (RFC 2018).
    pub sacked: &'a [SackBlock],
    /// The AccECN fields, of a connection that uses them in place of ECE (RFC 9768).
    pub accecn: Option<AccEcn>,
}

impl Ack<'_> {
    /// How many of the `segments` that it acknowledges arrived marked, where ECE reports each
    /// segment (RFC 8257, 3.2). With RFC 3168's ECE it is 0.
    #[inline]
    pub(super) fn marked_segments(&self, profile: &Profile, segments: u32) -> u32 {
        if self.ece && profile.feedback() == Some(EcnFeedback::Dctcp) {
            segments
        } else {
            0
        }
    }

    /// Its DSACK block: a first block of what it acknowledges cumulatively or by another block
    /// (RFC 2883, section 4).
    pub(super) fn dsack(&self) -> Option<SackBlock> {
        let (first, others) = self.sacked.split_first()?;
        let within = |block: &SackBlock| block.from <= first.from && first.to <= block.to;
        (first.to <= self.next || others.iter().any(within)).then_some(*first)
    }
}
