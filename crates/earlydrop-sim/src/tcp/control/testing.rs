//! What the tests of several controllers need.

use super::{Acked, Congestion, Control, Delivery, Signal};
use earlydrop::units::Nanos;
use proptest::prelude::*;
use std::collections::VecDeque;

/// `segments` acknowledged at `now`, out of `in_flight`, after a round trip of `rtt`.
pub(super) fn acked(now: Nanos, segments: u32, in_flight: u32, rtt: Nanos) -> Acked {
    Acked {
        now,
        segments,
        marked: 0,
        in_flight,
        rtt: Some(rtt),
        smoothed_rtt: rtt,
        window_limited: true,
        recovering: false,
        delivery: None,
    }
}

/// Congestion told at `now`, with `in_flight` segments on their way.
pub(super) fn congestion(now: Nanos, signal: Signal, in_flight: u32) -> Congestion {
    Congestion {
        now,
        signal,
        in_flight,
        smoothed_rtt: Nanos::from_millis(100),
    }
}

/// Something told to a controller.
#[derive(Clone, Debug)]
pub(super) enum Event {
    Acked(Acked),
    Congestion(Congestion),
    Recovered,
    Timeout(u32, bool),
    Restart(f64),
}

fn acks() -> impl Strategy<Value = Acked> {
    let counts = (0_u32..200, 0_u32..300, 0_u32..100_000);
    let times = (
        prop::option::of(0_u64..3_000_000_000),
        0_u64..3_000_000_000,
        prop_oneof![Just(0_u64), 0_u64..3_000_000_000],
    );
    let delivery = prop::option::of((0_u64..100_000, 0_u64..100_000, 0_u32..50, any::<bool>()));
    (counts, times, any::<bool>(), any::<bool>(), delivery).prop_map(
        |(counts, times, window_limited, recovering, delivery)| Acked {
            now: Nanos::ZERO,
            segments: counts.0,
            marked: counts.1,
            in_flight: counts.2,
            rtt: times.0.map(Nanos),
            smoothed_rtt: Nanos(times.1),
            window_limited,
            recovering,
            delivery: delivery.map(|(delivered, earlier, lost, application_limited)| Delivery {
                delivered,
                delivered_when_sent: earlier,
                interval: Nanos(times.2),
                application_limited,
                lost,
            }),
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
        8 => acks().prop_map(Event::Acked),
        2 => signals.prop_map(|(signal, in_flight)| {
            Event::Congestion(congestion(Nanos::ZERO, signal, in_flight))
        }),
        1 => Just(Event::Recovered),
        1 => (0_u32..1000, any::<bool>()).prop_map(|(flight, again)| Event::Timeout(flight, again)),
        1 => (1.0..20.0_f64).prop_map(Event::Restart),
    ];
    let gap = prop_oneof![Just(0_u64), 0_u64..10_000_000, 0_u64..20_000_000_000];
    prop::collection::vec((gap.prop_map(Nanos), event), 1..300)
}

/// Tells `control` the `events`, and checks after each what holds for every controller.
pub(super) fn stays_sane(control: &mut impl Control, events: Vec<(Nanos, Event)>) {
    let mut now = Nanos::ZERO;
    for (gap, event) in events {
        now += gap;
        match &event {
            Event::Acked(acked) => control.on_acked(&Acked { now, ..*acked }),
            Event::Congestion(congestion) => {
                control.on_congestion(&Congestion { now, ..*congestion })
            }
            Event::Recovered => control.on_recovered(now),
            Event::Timeout(in_flight, again) => control.on_timeout(now, *in_flight, *again),
            Event::Restart(window) => control.on_restart(now, *window),
        }
        let window = control.window();
        assert!(
            window.is_finite() && window >= 1.0,
            "{window} after {event:?}"
        );
        assert!(control.threshold() >= 2.0, "after {event:?}");
        if let Some(rate) = control.pacing_rate() {
            assert!(rate.is_finite() && rate > 0.0, "{rate}/s after {event:?}");
        }
    }
}

const MS: u64 = 1_000_000;

/// A segment on its way: when it was sent and will be acknowledged, and what the sender
/// knew of deliveries then.
struct Flight {
    sent: u64,
    back: u64,
    delivered: u64,
    delivered_at: u64,
    first_sent: u64,
}

/// An ideal path: one segment a millisecond, a queue without end, and 39 ms of way:
/// 40 segments fill it, and its empty round trip takes 40 ms.
pub(super) struct Pipe<C> {
    pub(super) control: C,
    /// Now and the way there and back, nanoseconds.
    pub(super) now: u64,
    pub(super) way: u64,
    next_send: u64,
    link_free: u64,
    pub(super) delivered: u64,
    delivered_at: u64,
    first_sent: u64,
    flights: VecDeque<Flight>,
    /// The last round trip, nanoseconds.
    pub(super) rtt: u64,
}

impl<C: Control> Pipe<C> {
    pub(super) fn new(control: C) -> Pipe<C> {
        Pipe {
            control,
            now: 0,
            way: 39 * MS,
            next_send: 0,
            link_free: 0,
            delivered: 0,
            delivered_at: 0,
            first_sent: 0,
            flights: VecDeque::new(),
            rtt: 0,
        }
    }

    /// Sends a segment or takes an acknowledgment, whichever is earlier.
    pub(super) fn step(&mut self) {
        let may_send = self.flights.len() < self.control.window() as usize;
        let back = self.flights.front().map_or(u64::MAX, |flight| flight.back);
        if may_send && self.next_send.max(self.now) <= back {
            self.now = self.next_send.max(self.now);
            if self.flights.is_empty() {
                (self.first_sent, self.delivered_at) = (self.now, self.now);
            }
            self.link_free = self.link_free.max(self.now) + MS;
            self.flights.push_back(Flight {
                sent: self.now,
                back: self.link_free + self.way,
                delivered: self.delivered,
                delivered_at: self.delivered_at,
                first_sent: self.first_sent,
            });
            self.next_send = self.now + (1e9 / self.control.pacing_rate().unwrap()) as u64;
        } else {
            self.take(back);
        }
    }

    fn take(&mut self, back: u64) {
        self.now = back;
        let in_flight = self.flights.len() as u32;
        let flight = self.flights.pop_front().unwrap();
        self.delivered += 1;
        self.delivered_at = self.now;
        self.first_sent = flight.sent;
        self.rtt = self.now - flight.sent;
        let interval = (flight.sent - flight.first_sent).max(self.now - flight.delivered_at);
        self.control.on_acked(&Acked {
            delivery: Some(Delivery {
                delivered: self.delivered,
                delivered_when_sent: flight.delivered,
                interval: Nanos(interval),
                application_limited: false,
                lost: 0,
            }),
            ..acked(Nanos(self.now), 1, in_flight, Nanos(self.rtt))
        });
    }
}
