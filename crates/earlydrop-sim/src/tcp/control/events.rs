//! What loss recovery reports to a congestion controller, and what it asks of one: [`Control`].

use earlydrop::units::{BitsPerSec, Nanos};

use crate::tcp::settings::{Growth, HyStartKind, RenoEstimate, Rules};

/// What of a [`Profile`](crate::tcp::Profile) a controller goes by.
#[derive(Clone, Copy, Debug)]
pub struct ControlSettings {
    /// `cwnd` at the start of a connection, segments (RFC 5681, 3.1, IW).
    pub initial_window: u32,
    /// `ssthresh` at the start, segments; `None`: slow start ends at the first congestion.
    pub initial_ssthresh: Option<u32>,
    /// `rwnd`, segments.
    pub receiver_window: u32,
    /// Whether the RFCs or ns-2 decide where they differ.
    pub rules: Rules,
    /// How Reno's `cwnd` grows, and CUBIC's as Linux's.
    pub growth: Growth,
    /// How CUBIC's estimate of Reno's `cwnd` grows.
    pub reno_estimate: RenoEstimate,
    /// Whether Reno's and CUBIC's reductions leave whole segments.
    pub whole_cuts: bool,
    /// The least `cwnd`, segments, that a mark leaves to CUBIC.
    pub least_after_mark: u32,
    /// Whether Prague falls back to CUBIC's response in a classic ECN queue.
    pub classic_ecn_fallback: bool,
    /// How CUBIC ends slow start before a loss.
    pub hystart: HyStartKind,
    /// Bytes of payload in a segment.
    pub payload: u32,
    /// Bytes on the wire of a segment.
    pub segment_size: u32,
    /// The rate of the host's link.
    pub line_rate: BitsPerSec,
    /// The network card's parameters.
    pub card: super::dcqcn::Parameters,
}

/// An acknowledgment of new data, cumulative or selective; compare Linux's `ack_sample`.
#[derive(Clone, Copy, Debug)]
pub struct AckSample {
    /// Now.
    pub now: Nanos,
    /// Segments newly acknowledged.
    pub segments: u32,
    /// How many of them arrived marked, for controllers that count marks (DCTCP). With RFC
    /// 3168's echo it is 0, and a mark is a [`CongestionEvent`].
    pub marked: u32,
    /// Segments in flight before this acknowledgment.
    pub in_flight: u32,
    /// The first segment that is not acknowledged cumulatively, after this acknowledgment
    /// (RFC 9293, SND.UNA).
    pub snd_una: u32,
    /// The segment after the last one sent for the first time.
    pub snd_max: u32,
    /// The round-trip time this acknowledgment measured, where it measured one.
    pub rtt: Option<Nanos>,
    /// The round-trip time of the segment sent last of those newly acknowledged, if none of them was
    /// retransmitted: without the delay of a delayed acknowledgment, which [`rtt`](Self::rtt) has.
    /// draft-ietf-ccwg-bbr, RS.rtt: "The RTT sample calculated based on the most recently-sent
    /// packet of the packets that have just been ACKed."
    pub newest_rtt: Option<Nanos>,
    /// The smoothed round-trip time (RFC 6298, SRTT); zero before the first measurement.
    pub srtt: Nanos,
    /// How long pacing makes the next segment wait.
    pub pacing_wait: Nanos,
    /// Whether `cwnd` limited the sender at some time within the last round trip, and not a lack of
    /// data or `rwnd`. A `cwnd` that was not used does not grow (the aim of RFC 7661).
    pub cwnd_limited: bool,
    /// Whether a loss is being repaired, or `cwnd` is being reduced for a mark: it does not grow
    /// meanwhile.
    pub recovering: bool,
    /// The delivery rate, for controllers that [want it](Control::wants_rate_sample).
    pub rate_sample: Option<RateSample>,
}

/// A sample of the delivery rate (draft-cheng-iccrg-delivery-rate-estimation).
#[derive(Clone, Copy, Debug)]
pub struct RateSample {
    /// Segments delivered on this connection so far.
    pub delivered: u64,
    /// `delivered` when the newest segment acknowledged here was sent.
    pub delivered_when_sent: u64,
    /// The time over which `delivered - delivered_when_sent` segments were delivered:
    /// the longer of the sending and the acknowledging interval.
    pub interval: Nanos,
    /// Whether the application had nothing to send when that segment was sent.
    pub application_limited: bool,
    /// Segments newly detected as lost by this acknowledgment.
    pub lost: u32,
    /// Segments in flight when that segment was sent, itself included (P.tx_in_flight).
    pub tx_in_flight: u32,
    /// Segments detected as lost since that segment was sent (RS.lost).
    pub lost_since_sent: u32,
}

/// A segment detected as lost, for controllers that [want samples](Control::wants_rate_sample).
#[derive(Clone, Copy, Debug)]
pub struct LostSegment {
    /// Now.
    pub now: Nanos,
    /// Segments in flight when it was sent, itself included (P.tx_in_flight).
    pub tx_in_flight: u32,
    /// Segments detected as lost since it was sent, itself included (C.lost - P.lost).
    pub lost_since_sent: u32,
    /// Whether the application had nothing more to send when it was sent.
    pub application_limited: bool,
}

/// How congestion was signalled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// A segment was lost, and is retransmitted without waiting for the timer.
    Loss,
    /// An acknowledgment echoed a congestion mark (ECE).
    Mark,
}

/// A congestion signal, reported once for each window of data.
#[derive(Clone, Copy, Debug)]
pub struct CongestionEvent {
    /// Now.
    pub now: Nanos,
    /// Whether it is a loss or a mark.
    pub signal: Signal,
    /// Segments in flight.
    pub in_flight: u32,
    /// The smoothed round-trip time.
    pub srtt: Nanos,
}

/// `cwnd` and `ssthresh`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Windows {
    /// The congestion window, segments.
    pub cwnd: f64,
    /// The slow-start threshold, segments; infinite before the first congestion.
    pub ssthresh: f64,
}

/// A congestion controller.
pub trait Control {
    /// The congestion window, segments: how many may be in flight. At least 1.
    fn cwnd(&self) -> f64;
    /// The slow-start threshold, segments; infinite before the first congestion.
    fn ssthresh(&self) -> f64;
    /// The SYN is acknowledged, after a round trip of `rtt`.
    fn on_handshake(&mut self, _now: Nanos, _rtt: Nanos) {}
    /// New data was acknowledged.
    fn on_ack(&mut self, ack: &AckSample);
    /// A segment was detected as lost, before the acknowledgment that showed it is reported.
    fn on_loss(&mut self, _lost: &LostSegment) {}
    /// Congestion was signalled, once for each window of data: at the start of a fast recovery,
    /// or by the first mark after the last reduction was acknowledged.
    fn on_congestion(&mut self, congestion: &CongestionEvent);
    /// A repair ends, of a fast recovery or with SACK of a timeout: everything sent before it began was
    /// acknowledged.
    fn on_recovery_end(&mut self, _now: Nanos) {}
    /// The retransmission timer expired (`again`: for the same segment as before).
    fn on_timeout(&mut self, now: Nanos, in_flight: u32, again: bool);
    /// The timer has left `cwnd` segments, where that is not 1.
    fn leave_after_timeout(&mut self, _cwnd: f64) {}
    /// The last reduction for a loss was spurious: `cwnd` and `ssthresh` become what they were `before`
    /// it, where that is more.
    fn undo(&mut self, before: &Windows);
    /// Sending restarts after an idle time of more than RTO: `cwnd` is `initial_window` at most
    /// (RFC 5681, 4.1).
    fn on_restart(&mut self, now: Nanos, initial_window: f64);
    /// Sending starts with nothing in flight; the last segment was sent at `last`.
    fn on_transmit_start(&mut self, _now: Nanos, _last: Nanos) {}
    /// Whether it is to be notified of a loss in the round trip in which a mark has reduced `cwnd`.
    fn reduces_for_loss_after_mark(&self) -> bool {
        false
    }
    /// Brings what depends on time alone up to `now`, before a segment is paced.
    fn advance(&mut self, _now: Nanos) {}
    /// A segment that was paced is sent.
    fn on_sent(&mut self) {}
    /// Whether the controller ever paces.
    fn paces(&self) -> bool {
        false
    }
    /// The pacing rate, segments a second, of a controller that paces.
    fn pacing_rate(&self) -> Option<f64> {
        None
    }
    /// Whether [`AckSample::rate_sample`] is to be filled, which costs a record for each segment.
    fn wants_rate_sample(&self) -> bool {
        false
    }
}
