//! Counters, samples, lateness, and the rule that says when timing can be trusted.

use std::collections::BTreeMap;

use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use hdrhistogram::Histogram;
use serde::Serialize;

use crate::direction::Direction;
use crate::plan::{Bottleneck, MTU};

/// Packets of one direction, by what became of them.
///
/// At any time `arrived = dropped + queued + departed` and
/// `departed = lost + travelling + delivered + refused`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Counts {
    /// Packets that arrived at the queue.
    pub arrived: u64,
    /// Packets dropped by the scheme or by a full buffer.
    pub dropped: u64,
    /// Packets waiting in the queue.
    pub queued: u64,
    /// Packets sent by the transmitter.
    pub departed: u64,
    /// Departed packets that the scheme marked (ECN).
    pub marked: u64,
    /// Packets lost at random on the wire.
    pub lost: u64,
    /// Packets in flight on the wire.
    pub travelling: u64,
    /// Reads from the device; a GSO packet of many segments is one read.
    pub taken: u64,
    /// Packets written to the device at the other end.
    pub delivered: u64,
    /// Bytes of the delivered packets.
    pub delivered_bytes: u64,
    /// Writes to that device; segments merged again are one write.
    pub handed: u64,
    /// Packets that the device at the other end refused.
    pub refused: u64,
    /// Reads that were no IPv4 or IPv6 packet; dropped before the queue.
    pub malformed: u64,
    /// Packets dropped before the queue because no buffer was free.
    pub unbuffered: u64,
    /// Packets longer than the [`MTU`]; dropped before the queue.
    pub oversized: u64,
    /// Arrived packets that bypassed the queue: ARP, other non-IP frames, and IPv6 neighbour
    /// discovery.
    pub passed: u64,
}

/// Counters of the device reads and writes of one direction.
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
            travelling: direction.on_wire() as u64,
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

/// State of one direction at one time.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Sample {
    /// Time since the session began, in seconds.
    pub time: f64,
    /// "up" or "down".
    pub direction: &'static str,
    /// Bytes waiting in the queue.
    pub queued_bytes: u64,
    /// Counters since the session began.
    #[serde(flatten)]
    pub counts: Counts,
    /// The scheme's probes, by name.
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

/// Packets of a device, as counted by the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DeviceCounts {
    /// Packets sent by the kernel and read by the emulator: equals `taken`.
    pub sent: u64,
    /// Packets sent by the kernel and dropped because they were read too late.
    pub unread: u64,
    /// Packets written by the emulator and received by the kernel: equals `handed`, which it is
    /// taken from if the interface has vanished.
    pub received: u64,
}

/// Lateness: the time from when a packet was due until it was written, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Lateness {
    /// Number of packets measured.
    pub packets: u64,
    /// Median, in seconds.
    pub p50: f64,
    /// 90th percentile, in seconds.
    pub p90: f64,
    /// 99th percentile, in seconds.
    pub p99: f64,
    /// 99.9th percentile, in seconds.
    pub p999: f64,
    /// Maximum, in seconds.
    pub max: f64,
}

/// Histogram of the lateness of packets.
#[derive(Clone, Debug)]
pub(crate) struct LatenessHistogram(Histogram<u64>);

impl LatenessHistogram {
    /// A histogram from 1 ns to 100 s with a resolution of 1%; longer times count as 100 s.
    pub(crate) fn new() -> LatenessHistogram {
        let histogram = Histogram::new_with_bounds(1, 100_000_000_000, 2);
        LatenessHistogram(histogram.expect("bounds that are in order"))
    }

    pub(crate) fn record(&mut self, late: Nanos) {
        self.0.saturating_record(late.0);
    }

    /// Quantile of lateness, in seconds.
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

/// Timing is trustworthy while the 99th percentile of lateness is at most this share of the
/// transmission time of a full packet. Queues are counted in packets: half a packet more
/// would be rounded to the next number.
pub const LATENESS_SHARE: f64 = 0.5;

/// Largest 99th percentile of lateness of a trustworthy session over this bottleneck.
pub fn lateness_limit(bottleneck: &Bottleneck) -> Nanos {
    lateness_limit_at([&bottleneck.up, &bottleneck.down].map(|direction| direction.rate.mean()))
}

/// Largest 99th percentile of lateness at these two directions' mean rates.
pub(crate) fn lateness_limit_at(rates: [BitsPerSec; 2]) -> Nanos {
    let fastest = rates.into_iter().max().unwrap_or(BitsPerSec(0));
    let packet = fastest.transmission_time(Bytes(u64::from(MTU)));
    Nanos::from_secs_f64(packet.as_secs_f64() * LATENESS_SHARE)
}

/// Counters and lateness of a whole session.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// Duration, in seconds.
    pub duration: f64,
    /// Counters from the near end to the far end.
    pub up: Counts,
    /// Counters from the far end to the near end.
    pub down: Counts,
    /// The kernel's counters of the near end's device.
    pub near: DeviceCounts,
    /// The kernel's counters of the far end's device.
    pub far: DeviceCounts,
    /// Lateness of packets.
    pub lateness: Lateness,
    /// Largest 99th percentile of lateness of a trustworthy session, in seconds.
    pub tolerated: f64,
    /// Whether the 99th percentile of lateness is at most `tolerated`.
    pub trustworthy: bool,
    /// CPU time of the emulator as a share of one core.
    pub cpu: f64,
}
