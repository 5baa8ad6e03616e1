//! How fast segments are delivered (draft-cheng-iccrg-delivery-rate-estimation).
//!
//! Each segment remembers how many had been delivered when it was sent, and when. Once
//! it is delivered itself, the difference, over the longer of the time in which those
//! segments were sent and the time in which they were acknowledged, is a sample:
//! ```text
//! interval = max(sent - first sent, now - delivered when sent)
//! ```

use earlydrop::units::Nanos;

use super::control::Delivery;

/// What a segment remembers.
#[derive(Clone, Copy, Debug, Default)]
struct Record {
    sent: Nanos,
    /// When the segment was sent that the sample's sending interval starts with.
    first_sent: Nanos,
    delivered_at: Nanos,
    delivered: u64,
    application_limited: bool,
    /// Whether it was delivered.
    done: bool,
}

/// The sample an acknowledgment makes, as far as its segments were looked at.
#[derive(Clone, Copy, Debug)]
struct Sample {
    delivered: u64,
    delivered_at: Nanos,
    sending: Nanos,
    sent: Nanos,
    application_limited: bool,
}

/// The records of the segments on their way, and what was delivered.
#[derive(Clone, Debug)]
pub(super) struct Deliveries {
    /// By number, modulo its length, a power of two.
    records: Vec<Record>,
    delivered: u64,
    delivered_at: Nanos,
    first_sent: Nanos,
    /// The application had nothing to send before so many were delivered.
    limited_until: u64,
    sample: Option<Sample>,
}

/// Records to begin with.
const FIRST_RECORDS: usize = 32;

impl Deliveries {
    pub(super) fn new(now: Nanos) -> Deliveries {
        Deliveries {
            records: vec![Record::default(); FIRST_RECORDS],
            ..Deliveries::empty(now)
        }
    }

    fn empty(now: Nanos) -> Deliveries {
        Deliveries {
            records: Vec::new(),
            delivered: 0,
            delivered_at: now,
            first_sent: now,
            limited_until: 0,
            sample: None,
        }
    }

    /// A new connection.
    pub(super) fn restart(&mut self, now: Nanos) {
        *self = Deliveries {
            records: core::mem::take(&mut self.records),
            ..Deliveries::empty(now)
        };
    }

    fn at(&mut self, number: u32) -> &mut Record {
        let mask = self.records.len() - 1;
        &mut self.records[number as usize & mask]
    }

    /// Makes room for numbers from `acknowledged` to `number`.
    fn reserve(&mut self, acknowledged: u32, number: u32) {
        let span = (number - acknowledged) as usize;
        if span < self.records.len() {
            return;
        }
        let length = (span + 1).next_power_of_two();
        let mut records = vec![Record::default(); length];
        for number in acknowledged..number {
            records[number as usize & (length - 1)] = *self.at(number);
        }
        self.records = records;
    }

    /// `number` is sent, `in_flight` others being on their way.
    pub(super) fn on_sent(&mut self, acknowledged: u32, number: u32, in_flight: u32, now: Nanos) {
        if in_flight == 0 {
            self.first_sent = now;
            self.delivered_at = now;
        }
        self.reserve(acknowledged, number);
        let record = Record {
            sent: now,
            first_sent: self.first_sent,
            delivered_at: self.delivered_at,
            delivered: self.delivered,
            application_limited: self.delivered < self.limited_until,
            done: false,
        };
        *self.at(number) = record;
    }

    /// The application has nothing to send, and `in_flight` segments are on their way.
    pub(super) fn on_application_limited(&mut self, in_flight: u32) {
        self.limited_until = self.delivered + u64::from(in_flight.max(1));
    }

    /// `number` was delivered.
    pub(super) fn on_delivered(&mut self, number: u32, now: Nanos) {
        let record = self.at(number);
        if record.done {
            return;
        }
        record.done = true;
        let record = *record;
        self.delivered += 1;
        self.delivered_at = now;
        let newer = match &self.sample {
            None => true,
            Some(sample) => (record.delivered, record.sent) > (sample.delivered, sample.sent),
        };
        if newer {
            self.first_sent = record.sent;
            self.sample = Some(Sample {
                delivered: record.delivered,
                delivered_at: record.delivered_at,
                sending: record.sent.since(record.first_sent),
                sent: record.sent,
                application_limited: record.application_limited,
            });
        }
    }

    /// The sample of the segments delivered since the last call.
    pub(super) fn take(&mut self, lost: u32) -> Option<Delivery> {
        let sample = self.sample.take()?;
        Some(Delivery {
            delivered: self.delivered,
            delivered_when_sent: sample.delivered,
            interval: sample
                .sending
                .max(self.delivered_at.since(sample.delivered_at)),
            application_limited: sample.application_limited,
            lost,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steady_flow_is_measured_at_its_rate() {
        // A segment each ms, each delivered 10 ms after it was sent.
        let ms = Nanos::from_millis;
        let mut deliveries = Deliveries::new(ms(0));
        let mut sample = None;
        for now in 0..100 {
            if now >= 10 {
                deliveries.on_delivered(now - 10, ms(now.into()));
                sample = deliveries.take(0);
            }
            let acknowledged = now.saturating_sub(9);
            deliveries.on_sent(acknowledged, now, now - acknowledged, ms(now.into()));
        }
        let sample = sample.unwrap();
        assert_eq!(sample.delivered - sample.delivered_when_sent, 10);
        assert_eq!(sample.interval, ms(10));
        assert!(!sample.application_limited);
    }

    #[test]
    fn a_flow_without_data_says_so_until_it_is_delivered() {
        let ms = Nanos::from_millis;
        let mut deliveries = Deliveries::new(ms(0));
        deliveries.on_sent(0, 0, 0, ms(0));
        deliveries.on_application_limited(1);
        deliveries.on_sent(0, 1, 1, ms(1));
        for number in 0..2 {
            deliveries.on_delivered(number, ms(10));
        }
        assert!(deliveries.take(0).unwrap().application_limited);
        deliveries.on_sent(2, 2, 0, ms(20));
        deliveries.on_delivered(2, ms(30));
        assert!(!deliveries.take(0).unwrap().application_limited);
        assert!(deliveries.take(0).is_none());
    }
}
