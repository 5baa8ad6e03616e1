//! What is counted and measured while packets cross, and how far it can be believed.

use std::collections::BTreeMap;

use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use hdrhistogram::Histogram;
use serde::Serialize;

use crate::direction::Direction;
use crate::plan::{Bottleneck, MTU};

/// What has become of the packets of one direction.
///
/// At every moment `arrived = dropped + queued + departed` and
/// `departed = lost + travelling + delivered + refused`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Offered to the queue.
    pub arrived: u64,
    /// Dropped by the scheme, or because the buffer was full.
    pub dropped: u64,
    /// Waiting in the queue.
    pub queued: u64,
    /// Sent by the transmitter.
    pub departed: u64,
    /// Of those, marked by the scheme.
    pub marked: u64,
    /// Lost at random on the wire.
    pub lost: u64,
    /// On the wire.
    pub travelling: u64,
    /// Reads from the device, most of them of one packet, some of a burst of many.
    pub taken: u64,
    /// Handed to the device at the other end.
    pub delivered: u64,
    /// The bytes of those.
    pub delivered_bytes: u64,
    /// Writes in which they were, most of them of one packet.
    pub handed: u64,
    /// What that device would not take.
    pub refused: u64,
    /// No packets of IPv4 or IPv6; they are dropped before the queue.
    pub malformed: u64,
    /// Dropped before the queue, no buffer being free.
    pub unbuffered: u64,
    /// Longer than the largest packet that crosses; they are dropped before the queue.
    pub oversized: u64,
    /// Of those that arrived, sent past the queue: what is no IP, and what hosts of IPv6 find
    /// each other with.
    pub passed: u64,
}

/// What happens to a packet outside its direction.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DeviceTally {
    pub(crate) taken: u64,
    pub(crate) handed: u64,
    pub(crate) delivered: u64,
    pub(crate) delivered_bytes: u64,
    pub(crate) refused: u64,
    pub(crate) malformed: u64,
    pub(crate) unbuffered: u64,
    pub(crate) oversized: u64,
    pub(crate) passed: u64,
}

impl Counts {
    pub(crate) fn of(direction: &Direction, ends: &DeviceTally) -> Counts {
        let counters = direction.counters();
        Counts {
            arrived: counters.arrived.packets + ends.passed,
            dropped: counters.dropped().packets,
            queued: u64::from(direction.packets()),
            departed: counters.departed.packets + ends.passed,
            marked: counters.marked.packets,
            lost: direction.lost,
            travelling: direction.travelling() as u64,
            taken: ends.taken,
            handed: ends.handed,
            delivered: ends.delivered,
            delivered_bytes: ends.delivered_bytes,
            refused: ends.refused,
            malformed: ends.malformed,
            unbuffered: ends.unbuffered,
            oversized: ends.oversized,
            passed: ends.passed,
        }
    }
}

/// One direction at one moment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sample {
    /// Seconds since the session began.
    pub time: f64,
    /// "up" or "down".
    pub direction: &'static str,
    /// Bytes waiting in the queue.
    pub queued_bytes: u64,
    /// What has been counted so far.
    #[serde(flatten)]
    pub counts: Counts,
    /// What the scheme shows, by name.
    pub probes: BTreeMap<&'static str, f64>,
}

impl Sample {
    pub(crate) fn of(
        name: &'static str,
        direction: &mut Direction,
        ends: &DeviceTally,
        now: Nanos,
    ) -> Sample {
        let mut probes = BTreeMap::new();
        direction.probes(now, &mut |name, value| {
            probes.insert(name, value);
        });
        Sample {
            time: now.as_secs_f64(),
            direction: name,
            queued_bytes: direction.bytes(),
            counts: Counts::of(direction, ends),
            probes,
        }
    }
}

/// A device's packets, as the kernel has counted them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DeviceCounts {
    /// Sent by the kernel and read by the emulator: `taken`.
    pub sent: u64,
    /// Sent by the kernel, and dropped since they were not read in time.
    pub unread: u64,
    /// Written by the emulator and received by the kernel: `handed`.
    pub received: u64,
}

/// How much later packets were delivered than they should have been.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Lateness {
    /// Packets measured.
    pub packets: u64,
    /// Half were no later, in seconds.
    pub p50: f64,
    /// Nine of ten were no later.
    pub p90: f64,
    /// 99 of 100 were no later.
    pub p99: f64,
    /// 999 of 1,000 were no later.
    pub p999: f64,
    /// None was later.
    pub max: f64,
}

/// Counts how late packets are.
#[derive(Clone, Debug)]
pub(crate) struct LatenessHistogram(Histogram<u64>);

impl LatenessHistogram {
    /// From 1 ns to 100 s, to one part in a hundred; what is later counts as 100 s.
    pub(crate) fn new() -> LatenessHistogram {
        let histogram = Histogram::new_with_bounds(1, 100_000_000_000, 2);
        LatenessHistogram(histogram.expect("bounds that are in order"))
    }

    pub(crate) fn record(&mut self, late: Nanos) {
        self.0.saturating_record(late.0);
    }

    /// The time within which this share of packets was late, in seconds.
    pub(crate) fn within(&self, share: f64) -> f64 {
        Nanos(self.0.value_at_quantile(share)).as_secs_f64()
    }

    pub(crate) fn read(&self) -> Lateness {
        let at = |quantile| self.within(quantile);
        Lateness {
            packets: self.0.len(),
            p50: at(0.5),
            p90: at(0.9),
            p99: at(0.99),
            p999: at(0.999),
            max: Nanos(self.0.max()).as_secs_f64(),
        }
    }
}

/// A run can be believed as long as 99 of 100 packets are later by no more than this share
/// of the time that a full packet takes. A queue is counted in packets: with half of one it
/// would be rounded to the next.
pub const LATENESS_SHARE: f64 = 0.5;

/// How late a packet may be in a run that can be believed.
pub fn lateness_limit(bottleneck: &Bottleneck) -> Nanos {
    lateness_limit_at([&bottleneck.up, &bottleneck.down].map(|direction| direction.rate.mean()))
}

/// The same of two directions' rates.
pub(crate) fn lateness_limit_at(rates: [BitsPerSec; 2]) -> Nanos {
    let fastest = rates.into_iter().max().unwrap_or(BitsPerSec(0));
    let packet = fastest.transmission_time(Bytes(u64::from(MTU)));
    Nanos::from_secs_f64(packet.as_secs_f64() * LATENESS_SHARE)
}

/// A whole session.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// How long it was, in seconds.
    pub duration: f64,
    /// From the near end to the far one.
    pub up: Counts,
    /// From the far end to the near one.
    pub down: Counts,
    /// The kernel's count at the near end's device.
    pub near: DeviceCounts,
    /// The kernel's count at the far end's device.
    pub far: DeviceCounts,
    /// How late packets were delivered.
    pub lateness: Lateness,
    /// How late they may be, in seconds.
    pub tolerated: f64,
    /// Whether 99 of 100 were no later than that.
    pub trustworthy: bool,
    /// The share of one core that the emulator took.
    pub cpu: f64,
}
