//! BBR as Linux computes it: integers, whole segments, and some room beyond the draft's.
//!
//! ```text
//! bandwidth     segments over whole us, in 2^-24 segments a us, rounded down   bbr_update_bw
//! gains         in 1/256, rounded down: 739 in Startup, 88 in Drain            bbr_high_gain
//! pacing rate   99% of gain times bandwidth, in whole bytes of payload a       bbr_pacing_margin_percent
//!               second
//! a burst       the segments of 1/1024 s at the pacing rate; at least 2, and   bbr_tso_segs_goal
//!               1 below 1.2 Mbit/s
//! inflight(c)   c BtlBw RTprop rounded up, and 3 bursts, then rounded up to    bbr_quantization_budget
//!               an even number; 2 segments more in the phase of 5/4
//! in the net    in flight when the next segment may leave: less what BtlBw     bbr_packets_in_net_at_edt
//!               delivers until then, and a burst more with a gain above 1
//! aggregation   cwnd is larger by the most that was acknowledged beyond        bbr_update_ack_aggregation
//!               BtlBw in the last 5 to 10 rounds, once the pipe was full; at
//!               most what BtlBw delivers in 100 ms
//! at the start  RTprop is the SYN's round trip, and the pacing rate g times    bbr_init
//!               the initial cwnd over it
//! ```
//! Linux 6.1's `tcp_bbr.c`. Its long-term bandwidth, for policers, is left out.

use earlydrop::units::Nanos;

/// Units of bandwidth in a segment a us.
const BANDWIDTH_UNIT: u64 = 1 << 24;
/// Bytes of the largest burst.
const MOST_IN_BURST: u64 = 65_215;
/// Bytes a second below which a burst is one segment: 1.2 Mbit/s.
const SLOW: u64 = 150_000;
/// Rounds for which one of the two maxima of aggregation counts.
const AGGREGATION_ROUNDS: u32 = 5;
/// us in which BtlBw delivers the most that aggregation adds.
const MOST_AGGREGATED: u64 = 100_000;
/// Segments from which on an epoch of aggregation starts over.
const MOST_IN_EPOCH: u64 = 1 << 20;

/// Whole us.
fn micros(time: Nanos) -> u64 {
    time.0 / 1000
}

/// A gain in 1/256.
fn in_256ths(gain: f64) -> u64 {
    (gain * 256.0) as u64
}

/// The bandwidth of `segments` over `interval`, segments a second.
pub(super) fn bandwidth(segments: u64, interval: Nanos) -> f64 {
    let units = segments * BANDWIDTH_UNIT / micros(interval).max(1);
    (units * 1_000_000) as f64 / BANDWIDTH_UNIT as f64
}

/// A bandwidth in units.
fn units(bandwidth: f64) -> u64 {
    libm::round(bandwidth * BANDWIDTH_UNIT as f64 / 1e6) as u64
}

/// Segments that `bandwidth` delivers in `us`, rounded down.
fn delivered_in(bandwidth: f64, us: u64) -> u64 {
    (u128::from(units(bandwidth)) * u128::from(us) / u128::from(BANDWIDTH_UNIT)) as u64
}

/// The pacing rate, segments a second, of segments of `payload` bytes.
pub(super) fn pacing_rate(bandwidth: f64, gain: f64, payload: u32) -> f64 {
    let bytes = u128::from(units(bandwidth)) * u128::from(payload);
    let bytes = ((bytes * u128::from(in_256ths(gain))) >> 8) * 990_000 / u128::from(BANDWIDTH_UNIT);
    bytes as f64 / f64::from(payload)
}

/// `gain` times the bandwidth-delay product, whole segments.
pub(super) fn bdp(bandwidth: f64, min_rtt: Nanos, gain: f64) -> u64 {
    let product = u128::from(units(bandwidth)) * u128::from(micros(min_rtt));
    let product = (product * u128::from(in_256ths(gain))) >> 8;
    product.div_ceil(u128::from(BANDWIDTH_UNIT)) as u64
}

/// Segments of a burst at `pacing_rate` segments a second.
fn burst(pacing_rate: f64, payload: u32) -> u64 {
    let bytes = libm::round(pacing_rate * f64::from(payload)) as u64;
    let segments = (bytes >> 10).min(MOST_IN_BURST) / u64::from(payload.max(1));
    let least = if bytes < SLOW { 1 } else { 2 };
    segments.clamp(least, 127)
}

/// An acknowledgment, for a recovery that begins or ends with it: Linux's state changes before `cwnd`
/// is set, the simulator's afterwards.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastAck {
    pub(super) at: Nanos,
    /// `cwnd` before it.
    pub(super) cwnd: f64,
    /// Segments in flight after it.
    pub(super) in_flight: f64,
    /// Segments that it delivered.
    pub(super) segments: f64,
}

/// What BBR of Linux keeps beside the draft's state.
#[derive(Clone, Debug)]
pub(super) struct LinuxBbr {
    pub(super) payload: u32,
    /// What is in flight at the beginning of ProbeBW, which Linux shows as `ssthresh`.
    pub(super) ssthresh: f64,
    /// The last acknowledgment.
    pub(super) last: Option<LastAck>,
    aggregation: Aggregation,
}

impl LinuxBbr {
    pub(super) fn new(payload: u32) -> LinuxBbr {
        LinuxBbr {
            payload,
            ssthresh: f64::INFINITY,
            last: None,
            aggregation: Aggregation::default(),
        }
    }

    /// The acknowledgment that arrived now.
    pub(super) fn ack_of(&self, now: Nanos) -> Option<LastAck> {
        self.last.filter(|last| last.at == now)
    }

    /// `segments`, and the room for bursts at `pacing_rate`; `probing`: in the phase of 5/4.
    pub(super) fn with_bursts(&self, segments: u64, pacing_rate: f64, probing: bool) -> f64 {
        let room = segments + 3 * burst(pacing_rate, self.payload);
        let probe = if probing { 2 } else { 0 };
        (room.next_multiple_of(2) + probe) as f64
    }

    /// What of `in_flight` will be in flight in `wait`, when the next segment leaves with `gain`.
    pub(super) fn in_the_net(
        &self,
        in_flight: f64,
        wait: Nanos,
        (bandwidth, pacing_rate, gain): (f64, f64, f64),
    ) -> f64 {
        let more = match gain > 1.0 {
            true => burst(pacing_rate, self.payload),
            false => 0,
        };
        let delivered = delivered_in(bandwidth, micros(wait));
        (in_flight as u64 + more).saturating_sub(delivered) as f64
    }

    /// Counts an acknowledgment's `segments` for aggregation.
    pub(super) fn aggregate(
        &mut self,
        now: Nanos,
        (segments, cwnd): (u64, f64),
        bandwidth: f64,
        round_start: bool,
    ) {
        let cwnd = cwnd as u64;
        self.aggregation
            .count(micros(now), (segments, cwnd), bandwidth, round_start);
    }

    /// Segments by which `cwnd` is larger for aggregation.
    pub(super) fn aggregated(&self, bandwidth: f64) -> u64 {
        let [one, other] = self.aggregation.extra;
        one.max(other).min(delivered_in(bandwidth, MOST_AGGREGATED))
    }

    /// An epoch of aggregation begins now.
    pub(super) fn begin(&mut self, now: Nanos) {
        self.aggregation.began = micros(now);
    }
}

/// The most that was acknowledged beyond what BtlBw delivers.
#[derive(Clone, Copy, Debug, Default)]
struct Aggregation {
    /// When the epoch began, us.
    began: u64,
    /// Segments acknowledged in it.
    acked: u64,
    /// The maxima of these rounds, and of those before.
    extra: [u64; 2],
    newest: usize,
    rounds: u32,
}

impl Aggregation {
    fn count(&mut self, now: u64, (segments, cwnd): (u64, u64), bandwidth: f64, round_start: bool) {
        if round_start {
            self.rounds += 1;
            if self.rounds >= AGGREGATION_ROUNDS {
                self.rounds = 0;
                self.newest = 1 - self.newest;
                self.extra[self.newest] = 0;
            }
        }
        let mut expected = delivered_in(bandwidth, now.saturating_sub(self.began));
        if self.acked <= expected || self.acked + segments >= MOST_IN_EPOCH {
            (self.acked, self.began, expected) = (0, now, 0);
        }
        self.acked += segments;
        let extra = self.acked.saturating_sub(expected).min(cwnd);
        self.extra[self.newest] = self.extra[self.newest].max(extra);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rate_is_that_of_the_syn_s_round_trip() {
        // 10 segments in 100.004 ms, 739/256 times, 99%: 413,638 bytes a second in Linux's log.
        let rate = pacing_rate(bandwidth(10, Nanos(100_004_803)), 739.0 / 256.0, 1448);
        assert_eq!(libm::round(rate * 1448.0), 413_638.0);
    }

    #[test]
    fn inflight_is_even_and_has_room_for_three_bursts() {
        let linux = LinuxBbr::new(1448);
        let rate = bandwidth(33, Nanos::from_millis(40));
        // 33 segments a 40 ms are 1.19 MB/s; a burst has 2.
        assert_eq!(bdp(rate, Nanos::from_millis(40), 1.0), 33);
        assert_eq!(linux.with_bursts(33, rate, false), 40.0);
        assert_eq!(linux.with_bursts(33, rate, true), 42.0);
        // Below 1.2 Mbit/s it has one.
        assert_eq!(linux.with_bursts(33, 100.0, false), 36.0);
        // 2 of them are delivered in 3 ms, and a burst comes with a gain above 1.
        let net = |gain| linux.in_the_net(40.0, Nanos::from_millis(3), (rate, rate, gain));
        assert_eq!([net(1.0), net(1.25)], [38.0, 40.0]);
    }

    #[test]
    fn aggregation_is_what_came_beyond_the_bandwidth() {
        let mut linux = LinuxBbr::new(1448);
        let rate = bandwidth(1000, Nanos::from_secs(1));
        linux.begin(Nanos::ZERO);
        // 30 segments at once after 20 ms: the epoch starts over, and 30 are beyond it.
        linux.aggregate(Nanos::from_millis(20), (30, 100.0), rate, true);
        assert_eq!(linux.aggregated(rate), 30);
        // Ten rounds later they count no more.
        for round in 1..=10 {
            linux.aggregate(Nanos::from_millis(20 + 100 * round), (1, 100.0), rate, true);
        }
        assert_eq!(linux.aggregated(rate), 1);
    }
}
