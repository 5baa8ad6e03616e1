//! The times of transmission that an acknowledgment measures round trips by, as Linux.

use earlydrop::units::Nanos;

use super::sack::SackState;
use crate::tcp::segment::Ack;
use crate::tcp::sequence::SequenceSpace;

/// When the first and the last of the segments were sent that an ACK reports for the first time,
/// of those that were sent once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SegmentTimes {
    pub(super) first: Option<Nanos>,
    pub(super) newest: Option<Nanos>,
}

/// The times that `ack` measures round trips by, before the scoreboard takes note of it (Linux:
/// `tcp_clean_rtx_queue`): of what is acknowledged cumulatively, if nothing of it was
/// retransmitted; SACK blocks measure the newest, and the first where there is no other. None
/// without transmit times.
pub(super) fn segment_times(sack: &SackState, ack: &Ack, seq: SequenceSpace) -> SegmentTimes {
    let mut found = SegmentTimes::default();
    let Some(rack) = &sack.rack else {
        return found;
    };
    let holes = |from: u32, to: u32| {
        let next = move |number: &u32| sack.board.hole(number + 1, to);
        core::iter::successors(sack.board.hole(from, to), next)
    };
    let mut numbers = seq.snd_una..ack.next;
    if !numbers.any(|number| rack.times.is_retransmission(number)) {
        let sent = |number| rack.times.sent_at(number);
        found.first = holes(seq.snd_una, ack.next).next().map(sent);
        found.newest = holes(seq.snd_una, ack.next).last().map(sent);
    }
    let blocks = ack.sacked.iter().filter(|block| block.from > ack.next);
    let reported = blocks
        .filter(|block| block.from < block.to && block.to <= seq.snd_max)
        .flat_map(|block| holes(block.from, block.to))
        .filter(|number| !rack.times.is_retransmission(*number))
        .map(|number| rack.times.sent_at(number));
    let (first, newest) = reported.fold((Nanos::NEVER, None), |(first, newest), sent| {
        (first.min(sent), newest.max(Some(sent)))
    });
    if newest.is_some() {
        found.newest = newest;
        found.first = found.first.or(Some(first));
    }
    found
}
