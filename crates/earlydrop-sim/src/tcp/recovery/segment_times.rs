//! The segments that an acknowledgment reports for the first time, as runs of numbers: what RACK and
//! delivery rates learn of them, and which times of transmission measure round trips, as Linux.

use earlydrop::units::Nanos;

use super::rack::{AckTime, Rack};
use crate::tcp::rate_sample::RateSampler;

/// When the first and the last of the segments were sent that an ACK reports for the first time,
/// of those that were sent once.
#[derive(Clone, Copy, Debug)]
pub(super) struct SegmentTimes {
    pub(super) first: Option<Nanos>,
    pub(super) newest: Option<Nanos>,
}

/// Takes the segments that an ACK reports for the first time.
pub(super) struct Delivery<'a> {
    rack: Option<&'a mut Rack>,
    rate: Option<&'a mut RateSampler>,
    pub(super) time: AckTime,
    /// When they were delivered, as rates are measured.
    stamp: Nanos,
    acked: Span,
    sacked: Span,
    /// Whether something acknowledged cumulatively was retransmitted.
    retransmitted: bool,
}

/// The first and the last of some times of transmission.
#[derive(Clone, Copy, Debug, Default)]
struct Span(Option<(Nanos, Nanos)>);

impl Span {
    #[inline]
    fn join(&mut self, (first, last): (Nanos, Nanos)) {
        let (before, after) = self.0.unwrap_or((first, last));
        self.0 = Some((before.min(first), after.max(last)));
    }
}

impl<'a> Delivery<'a> {
    pub(super) fn new(
        rack: &'a mut Option<Rack>,
        rate: &'a mut Option<RateSampler>,
        time: AckTime,
        stamp: Nanos,
    ) -> Delivery<'a> {
        Delivery {
            rack: rack.as_mut(),
            rate: rate.as_mut(),
            time,
            stamp,
            acked: Span::default(),
            sacked: Span::default(),
            retransmitted: false,
        }
    }

    /// Begins with an ACK up to `next`; `known`: SACK blocks reported something below it before.
    #[inline]
    pub(super) fn begin(&mut self, snd_una: u32, next: u32, known: bool) {
        if let Some(rack) = &mut self.rack {
            rack.begin_ack(snd_una);
            self.retransmitted = known && rack.times.any_retransmission(snd_una, next);
        }
    }

    /// Takes `from..to`, which is acknowledged cumulatively.
    #[inline]
    pub(super) fn ack(&mut self, from: u32, to: u32) {
        let mut span = self.acked;
        self.retransmitted |= self.take(from, to, &mut span);
        self.acked = span;
    }

    /// Takes `from..to`, which a SACK block reports.
    #[inline]
    pub(super) fn sack(&mut self, from: u32, to: u32) {
        let mut span = self.sacked;
        self.take(from, to, &mut span);
        self.sacked = span;
    }

    /// Takes `from..to`, and adds to `span` when those were sent that were sent once; returns
    /// whether others were retransmitted. Segments sent once were sent in the order of their
    /// numbers, so of a run of these only the first and the last matter.
    #[inline]
    fn take(&mut self, from: u32, to: u32, span: &mut Span) -> bool {
        if let Some(rack) = &mut self.rack
            && !rack.times.any_retransmission(from, to)
        {
            span.join(rack.on_originals_delivered(from, to, &self.time));
            if let Some(rate) = &mut self.rate {
                rate.on_delivered(to - from, to - 1, self.stamp);
            }
            return false;
        }
        self.take_one_by_one(from, to, span)
    }

    #[inline(never)]
    fn take_one_by_one(&mut self, from: u32, to: u32, span: &mut Span) -> bool {
        for number in from..to {
            if let Some(rack) = &mut self.rack {
                if rack.times.is_retransmission(number) {
                    rack.on_retransmission_delivered(number, &self.time);
                } else {
                    span.join(rack.on_originals_delivered(number, number + 1, &self.time));
                }
            }
            if let Some(rate) = &mut self.rate {
                rate.on_delivered(1, number, self.stamp);
            }
        }
        true
    }

    /// The times that measure round trips (Linux: `tcp_clean_rtx_queue`): of what is acknowledged
    /// cumulatively, if nothing of it was retransmitted; SACK blocks measure the newest, and the
    /// first where there is no other. None without transmit times.
    #[inline]
    pub(super) fn times(&self) -> SegmentTimes {
        let acked = self.acked.0.filter(|_| !self.retransmitted);
        let newest = self.sacked.0.or(acked);
        let first = acked.or(self.sacked.0);
        SegmentTimes {
            first: first.map(|(first, _)| first),
            newest: newest.map(|(_, last)| last),
        }
    }
}
