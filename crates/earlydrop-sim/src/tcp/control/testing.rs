//! Support for the controllers' tests: samples, random events, and an ideal path.

use super::events::{AckSample, CongestionEvent, Control, LostSegment, RateSample, Signal};
use earlydrop::units::Nanos;
use proptest::prelude::*;
use std::collections::VecDeque;

/// `segments` acknowledged at `now`, out of `in_flight`, after a round trip of `rtt`.
pub(super) fn sample(now: Nanos, segments: u32, in_flight: u32, rtt: Nanos) -> AckSample {
    AckSample {
        now,
        segments,
        marked: 0,
        in_flight,
        snd_una: 0,
        snd_max: 0,
        rtt: Some(rtt),
        newest_rtt: Some(rtt),
        srtt: rtt,
        pacing_wait: Nanos::ZERO,
        cwnd_limited: true,
        recovering: false,
        rate_sample: None,
    }
}

/// Congestion signalled at `now`, with `in_flight` segments in flight.
pub(super) fn congestion(now: Nanos, signal: Signal, in_flight: u32) -> CongestionEvent {
    CongestionEvent {
        now,
        signal,
        in_flight,
        srtt: Nanos::from_millis(100),
    }
}

/// An event that a controller gets.
#[derive(Clone, Debug)]
pub(super) enum Event {
    Ack(AckSample),
    Lost(LostSegment),
    Congestion(CongestionEvent),
    RecoveryEnd,
    Timeout(u32, bool),
    Restart(f64),
}

fn acks() -> impl Strategy<Value = AckSample> {
    let counts = (0_u32..200, 0_u32..300, 0_u32..100_000);
    let times = (
        prop::option::of(0_u64..3_000_000_000),
        0_u64..3_000_000_000,
        prop_oneof![Just(0_u64), 0_u64..3_000_000_000],
    );
    let rates = prop::option::of((0_u64..100_000, 0_u64..100_000, 0_u32..50, any::<bool>()));
    (counts, times, any::<bool>(), any::<bool>(), rates).prop_map(
        |(counts, times, cwnd_limited, recovering, rate)| AckSample {
            now: Nanos::ZERO,
            segments: counts.0,
            marked: counts.1,
            in_flight: counts.2,
            snd_una: 0,
            snd_max: 0,
            rtt: times.0.map(Nanos),
            newest_rtt: times.0.map(Nanos),
            srtt: Nanos(times.1),
            pacing_wait: Nanos::ZERO,
            cwnd_limited,
            recovering,
            rate_sample: rate.map(
                |(delivered, earlier, lost, application_limited)| RateSample {
                    delivered,
                    delivered_when_sent: earlier,
                    interval: Nanos(times.2),
                    application_limited,
                    lost,
                    tx_in_flight: counts.2,
                    lost_since_sent: lost,
                },
            ),
        },
    )
}

/// Events in any order, sensible or not, each with the time since the one before it.
pub(super) fn events() -> impl Strategy<Value = Vec<(Nanos, Event)>> {
    let signals = (
        prop_oneof![Just(Signal::Loss), Just(Signal::Mark)],
        0_u32..100_000,
    );
    let event = prop_oneof![
        8 => acks().prop_map(Event::Ack),
        2 => signals.prop_map(|(signal, in_flight)| {
            Event::Congestion(congestion(Nanos::ZERO, signal, in_flight))
        }),
        2 => (0_u32..1000, 0_u32..1000, any::<bool>()).prop_map(|(flight, lost, limited)| {
            Event::Lost(LostSegment {
                now: Nanos::ZERO,
                tx_in_flight: flight,
                lost_since_sent: lost,
                application_limited: limited,
            })
        }),
        1 => Just(Event::RecoveryEnd),
        1 => (0_u32..1000, any::<bool>()).prop_map(|(flight, again)| Event::Timeout(flight, again)),
        1 => (1.0..20.0_f64).prop_map(Event::Restart),
    ];
    let gap = prop_oneof![Just(0_u64), 0_u64..10_000_000, 0_u64..20_000_000_000];
    prop::collection::vec((gap.prop_map(Nanos), event), 1..300)
}

/// Passes the `events` to `control`, and checks after each what holds for every controller.
pub(super) fn stays_sane(control: &mut impl Control, events: Vec<(Nanos, Event)>) {
    let mut now = Nanos::ZERO;
    for (gap, event) in events {
        now += gap;
        match &event {
            Event::Ack(ack) => control.on_ack(&AckSample { now, ..*ack }),
            Event::Lost(lost) => control.on_loss(&LostSegment { now, ..*lost }),
            Event::Congestion(congestion) => {
                control.on_congestion(&CongestionEvent { now, ..*congestion })
            }
            Event::RecoveryEnd => control.on_recovery_end(now),
            Event::Timeout(in_flight, again) => control.on_timeout(now, *in_flight, *again),
            Event::Restart(window) => control.on_restart(now, *window),
        }
        let cwnd = control.cwnd();
        assert!(cwnd.is_finite() && cwnd >= 1.0, "{cwnd} after {event:?}");
        assert!(control.ssthresh() >= 2.0, "after {event:?}");
        if let Some(rate) = control.pacing_rate() {
            assert!(rate.is_finite() && rate > 0.0, "{rate}/s after {event:?}");
        }
    }
}

const MS: u64 = 1_000_000;

/// A segment in flight: when it was sent and will be acknowledged, and the state of deliveries
/// when it was sent.
struct InFlight {
    sent: u64,
    acked_at: u64,
    delivered: u64,
    delivered_at: u64,
    first_sent: u64,
    tx_in_flight: u32,
}

/// An ideal path: one segment a millisecond, an unlimited queue, and 39 ms of propagation
/// delay. Its bandwidth-delay product is 40 segments, its least round trip 40 ms.
pub(super) struct Pipe<C> {
    pub(super) control: C,
    /// Now, nanoseconds.
    pub(super) now: u64,
    /// Propagation delay there and back, nanoseconds.
    pub(super) delay: u64,
    next_send: u64,
    link_free: u64,
    pub(super) delivered: u64,
    delivered_at: u64,
    first_sent: u64,
    flights: VecDeque<InFlight>,
    /// The last round trip, nanoseconds.
    pub(super) rtt: u64,
}

impl<C: Control> Pipe<C> {
    pub(super) fn new(control: C) -> Pipe<C> {
        Pipe {
            control,
            now: 0,
            delay: 39 * MS,
            next_send: 0,
            link_free: 0,
            delivered: 0,
            delivered_at: 0,
            first_sent: 0,
            flights: VecDeque::new(),
            rtt: 0,
        }
    }

    /// Sends a segment or processes an ACK, whichever is earlier.
    pub(super) fn step(&mut self) {
        let may_send = self.flights.len() < self.control.cwnd() as usize;
        let acked_at = self
            .flights
            .front()
            .map_or(u64::MAX, |flight| flight.acked_at);
        if may_send && self.next_send.max(self.now) <= acked_at {
            self.now = self.next_send.max(self.now);
            if self.flights.is_empty() {
                (self.first_sent, self.delivered_at) = (self.now, self.now);
            }
            self.link_free = self.link_free.max(self.now) + MS;
            self.flights.push_back(InFlight {
                sent: self.now,
                acked_at: self.link_free + self.delay,
                delivered: self.delivered,
                delivered_at: self.delivered_at,
                first_sent: self.first_sent,
                tx_in_flight: self.flights.len() as u32 + 1,
            });
            self.next_send = self.now + (1e9 / self.control.pacing_rate().unwrap()) as u64;
        } else {
            self.take_ack(acked_at);
        }
    }

    fn take_ack(&mut self, acked_at: u64) {
        self.now = acked_at;
        let in_flight = self.flights.len() as u32;
        let flight = self.flights.pop_front().unwrap();
        self.delivered += 1;
        self.delivered_at = self.now;
        self.first_sent = flight.sent;
        self.rtt = self.now - flight.sent;
        let interval = (flight.sent - flight.first_sent).max(self.now - flight.delivered_at);
        self.control.on_ack(&AckSample {
            rate_sample: Some(RateSample {
                delivered: self.delivered,
                delivered_when_sent: flight.delivered,
                interval: Nanos(interval),
                application_limited: false,
                lost: 0,
                tx_in_flight: flight.tx_in_flight,
                lost_since_sent: 0,
            }),
            ..sample(Nanos(self.now), 1, in_flight, Nanos(self.rtt))
        });
    }
}
