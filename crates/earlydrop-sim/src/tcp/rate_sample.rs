//! Delivery-rate samples (draft-cheng-iccrg-delivery-rate-estimation, section 3).
//!
//! Each segment's record says how many segments had been delivered when it was sent, and when.
//! Once it is delivered itself, the difference is what was delivered meanwhile. It is divided
//! by the longer of the time in which those segments were sent and the time in which they were
//! acknowledged:
//! ```text
//! delivery_rate = (C.delivered - P.delivered) / max(send_elapsed, ack_elapsed)
//! send_elapsed  = P.sent_time - P.first_sent_time
//! ack_elapsed   = C.delivered_time - P.delivered_time
//! ```
//!
//! # Validated against
//! Linux 6.1, by BBR, whose every transmission depends on them: Linux `bbr`: 2 of 2 scripts.

use earlydrop::units::Nanos;

use super::control::{LostSegment, RateSample};
use super::sequence::distance;

/// The state of the connection when a segment was sent.
#[derive(Clone, Copy, Debug, Default)]
struct Record {
    /// P.sent_time.
    sent: Nanos,
    /// P.first_sent_time: when the segment was sent that begins the sending interval.
    first_sent: Nanos,
    /// P.delivered_time.
    delivered_at: Nanos,
    /// P.delivered.
    delivered: u64,
    /// P.tx_in_flight: segments in flight, itself included.
    tx_in_flight: u32,
    /// P.lost: `C.lost` when it was sent.
    lost: u32,
    application_limited: bool,
}

/// The record of the newest segment that the ACK being processed covers.
#[derive(Clone, Copy, Debug)]
struct Newest {
    delivered: u64,
    delivered_at: Nanos,
    send_elapsed: Nanos,
    sent: Nanos,
    tx_in_flight: u32,
    lost: u32,
    application_limited: bool,
}

/// Records of the segments in flight, from which samples of the delivery rate are made.
#[derive(Clone, Debug)]
pub(super) struct RateSampler {
    /// By number modulo the length, which is a power of two.
    records: Vec<Record>,
    /// C.delivered.
    delivered: u64,
    /// C.delivered_time.
    delivered_at: Nanos,
    first_sent: Nanos,
    /// C.lost: segments detected as lost.
    lost: u32,
    /// Segments are application-limited until so many were delivered (C.app_limited).
    limited_until: u64,
    newest: Option<Newest>,
}

/// Records allocated at first.
const FIRST_RECORDS: usize = 32;

impl RateSampler {
    pub(super) fn new(now: Nanos) -> RateSampler {
        RateSampler {
            records: vec![Record::default(); FIRST_RECORDS],
            ..RateSampler::empty(now)
        }
    }

    fn empty(now: Nanos) -> RateSampler {
        RateSampler {
            records: Vec::new(),
            delivered: 0,
            delivered_at: now,
            first_sent: now,
            lost: 0,
            limited_until: 0,
            newest: None,
        }
    }

    /// Forgets everything for a new connection, and keeps the memory.
    pub(super) fn restart(&mut self, now: Nanos) {
        *self = RateSampler {
            records: core::mem::take(&mut self.records),
            ..RateSampler::empty(now)
        };
    }

    fn at(&mut self, number: u32) -> &mut Record {
        let mask = self.records.len() - 1;
        &mut self.records[number as usize & mask]
    }

    /// Makes room for records of numbers from `snd_una` to `number`.
    fn reserve(&mut self, snd_una: u32, number: u32) {
        let span = distance(snd_una, number) as usize;
        if span < self.records.len() {
            return;
        }
        let length = (span + 1).next_power_of_two();
        let mut records = vec![Record::default(); length];
        for number in snd_una..number {
            records[number as usize & (length - 1)] = *self.at(number);
        }
        self.records = records;
    }

    /// Records that `number` is sent, with `in_flight` others in flight.
    pub(super) fn on_sent(&mut self, snd_una: u32, number: u32, in_flight: u32, now: Nanos) {
        if in_flight == 0 {
            self.first_sent = now;
            self.delivered_at = now;
        }
        self.reserve(snd_una, number);
        let record = Record {
            sent: now,
            first_sent: self.first_sent,
            delivered_at: self.delivered_at,
            delivered: self.delivered,
            tx_in_flight: in_flight + 1,
            lost: self.lost,
            application_limited: self.delivered < self.limited_until,
        };
        *self.at(number) = record;
    }

    /// The application has nothing to send, with `in_flight` segments in flight.
    pub(super) fn on_application_limited(&mut self, in_flight: u32) {
        self.limited_until = self.delivered + u64::from(in_flight.max(1));
    }

    /// Takes note that `count` segments were delivered, none of them before, with `number` the last of
    /// them to be sent.
    pub(super) fn on_delivered(&mut self, count: u32, number: u32, now: Nanos) {
        let record = *self.at(number);
        self.delivered += u64::from(count);
        self.delivered_at = now;
        let newer = match &self.newest {
            None => true,
            Some(newest) => (record.delivered, record.sent) > (newest.delivered, newest.sent),
        };
        if newer {
            self.first_sent = record.sent;
            self.newest = Some(Newest {
                delivered: record.delivered,
                delivered_at: record.delivered_at,
                send_elapsed: record.sent.since(record.first_sent),
                sent: record.sent,
                tx_in_flight: record.tx_in_flight,
                lost: record.lost,
                application_limited: record.application_limited,
            });
        }
    }

    /// The sample of the segments delivered since the last call, with `lost` losses detected by
    /// the same acknowledgment.
    pub(super) fn take(&mut self, lost: u32) -> Option<RateSample> {
        let newest = self.newest.take()?;
        let ack_elapsed = self.delivered_at.since(newest.delivered_at);
        Some(RateSample {
            delivered: self.delivered,
            delivered_when_sent: newest.delivered,
            interval: newest.send_elapsed.max(ack_elapsed),
            application_limited: newest.application_limited,
            lost,
            tx_in_flight: newest.tx_in_flight,
            lost_since_sent: self.lost.wrapping_sub(newest.lost),
        })
    }

    /// Counts `number` as lost; returns what the controller gets to know of it.
    pub(super) fn on_lost(&mut self, number: u32, now: Nanos) -> LostSegment {
        self.lost = self.lost.wrapping_add(1);
        let lost = self.lost;
        let record = self.at(number);
        LostSegment {
            now,
            tx_in_flight: record.tx_in_flight,
            lost_since_sent: lost.wrapping_sub(record.lost),
            application_limited: record.application_limited,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steady_flow_is_measured_at_its_rate() {
        // A segment each ms, each delivered 10 ms after it was sent.
        let ms = Nanos::from_millis;
        let mut sampler = RateSampler::new(ms(0));
        let mut sample = None;
        for now in 0..100 {
            if now >= 10 {
                sampler.on_delivered(1, now - 10, ms(now.into()));
                sample = sampler.take(0);
            }
            let acknowledged = now.saturating_sub(9);
            sampler.on_sent(acknowledged, now, now - acknowledged, ms(now.into()));
        }
        let sample = sample.unwrap();
        assert_eq!(sample.delivered - sample.delivered_when_sent, 10);
        assert_eq!(sample.interval, ms(10));
        assert!(!sample.application_limited);
    }

    #[test]
    fn samples_are_application_limited_until_what_was_in_flight_is_delivered() {
        let ms = Nanos::from_millis;
        let mut sampler = RateSampler::new(ms(0));
        sampler.on_sent(0, 0, 0, ms(0));
        sampler.on_application_limited(1);
        sampler.on_sent(0, 1, 1, ms(1));
        for number in 0..2 {
            sampler.on_delivered(1, number, ms(10));
        }
        assert!(sampler.take(0).unwrap().application_limited);
        sampler.on_sent(2, 2, 0, ms(20));
        sampler.on_delivered(1, 2, ms(30));
        assert!(!sampler.take(0).unwrap().application_limited);
        assert!(sampler.take(0).is_none());
    }
}
