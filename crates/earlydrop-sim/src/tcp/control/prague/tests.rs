//! Prague step by step, against the equations of the draft.

use super::super::testing::{self, congestion, sample};
use super::*;
use proptest::prelude::*;

const fn ms(millis: u64) -> Nanos {
    Nanos::from_millis(millis)
}

/// In congestion avoidance with this `cwnd`.
fn new(cwnd: f64, parameters: Parameters) -> Prague {
    Prague::new(cwnd, Some(cwnd), parameters)
}

/// RTT independence from this round on.
fn after_rounds(after_rounds: u32) -> Parameters {
    Parameters {
        rtt_independence: Some(RttIndependence {
            target: ms(25),
            after_rounds,
        }),
        ..Parameters::default()
    }
}

/// `marked` of `segments` acknowledged marked at `now`, with `in_flight` and this round trip.
fn of(now: Nanos, segments: u32, marked: u32, in_flight: u32, rtt: Nanos) -> AckSample {
    AckSample {
        marked,
        ..sample(now, segments, in_flight, rtt)
    }
}

fn mark(prague: &mut Prague, now: Nanos) {
    prague.on_congestion(&congestion(now, Signal::Mark, 10));
}

#[test]
fn alpha_is_one_until_the_first_mark_and_moves_by_a_sixteenth_a_round() {
    let mut prague = new(10.0, Parameters::default());
    // The first acknowledgment begins a window.
    prague.on_ack(&of(ms(0), 0, 0, 10, ms(50)));
    let mut now = ms(0);
    let mut round = |prague: &mut Prague, marked: u32| {
        now += ms(50);
        // Ten in flight, twice five acknowledged.
        prague.on_ack(&of(now, 5, marked.min(5), 15, ms(50)));
        prague.on_ack(&of(now, 5, marked.saturating_sub(5), 15, ms(50)));
        prague.alpha()
    };
    round(&mut prague, 0);
    assert_eq!(round(&mut prague, 0), 1.0);
    // 1 + (0.2 - 1) / 16, then 0.95 + (0 - 0.95) / 16.
    assert_eq!(round(&mut prague, 2), 0.95);
    assert_eq!(round(&mut prague, 0), 0.890_625);
    // 0.890625 + (1 - 0.890625) / 16.
    let expected = 0.890_625 + 0.109_375 / 16.0;
    assert!((round(&mut prague, 10) - expected).abs() < 1e-12);
}

#[test]
fn a_mark_ends_slow_start_and_halves_cwnd() {
    let mut prague = Prague::new(10.0, None, Parameters::default());
    prague.on_ack(&of(ms(50), 2, 0, 10, ms(50)));
    assert_eq!((prague.cwnd(), prague.ssthresh()), (12.0, f64::INFINITY));
    // Slow start paces at twice cwnd / R.
    assert_eq!(prague.pacing_rate(), Some(2.0 * 12.0 / 0.05));
    mark(&mut prague, ms(51));
    assert_eq!((prague.cwnd(), prague.ssthresh()), (6.0, 6.0));
    assert_eq!(prague.pacing_rate(), Some(6.0 / 0.05));
}

#[test]
fn unmarked_segments_grow_cwnd_in_the_round_of_a_reduction_too() {
    let mut prague = new(100.0, Parameters::default());
    prague.marks.alpha = 0.25;
    mark(&mut prague, ms(0));
    assert_eq!(prague.cwnd(), 87.5);
    prague.on_ack(&of(ms(1), 2, 2, 88, ms(50)));
    assert_eq!(prague.cwnd(), 87.5);
    prague.on_ack(&of(ms(2), 2, 1, 88, ms(50)));
    assert_eq!(prague.cwnd(), 87.5 + 1.0 / 87.5);
}

#[test]
fn a_loss_after_a_mark_halves_the_cwnd_before_the_mark() {
    let mut prague = new(100.0, Parameters::default());
    prague.on_ack(&of(ms(1), 0, 0, 100, ms(50)));
    prague.marks.alpha = 0.25;
    mark(&mut prague, ms(10));
    assert_eq!(prague.cwnd(), 87.5);
    prague.on_congestion(&congestion(ms(59), Signal::Loss, 80));
    assert_eq!((prague.cwnd(), prague.ssthresh()), (50.0, 50.0));
    // A round trip after a mark a loss stands alone.
    mark(&mut prague, ms(100));
    assert_eq!(prague.cwnd(), 43.75);
    prague.on_congestion(&congestion(ms(150), Signal::Loss, 40));
    assert_eq!(prague.cwnd(), 21.875);
    prague.on_timeout(ms(200), 20, false);
    assert_eq!((prague.cwnd(), prague.ssthresh()), (1.0, 10.9375));
}

#[test]
fn below_25_ms_growth_is_squared_and_reductions_wait() {
    let mut prague = new(10.0, after_rounds(2));
    let rtt = ms(5);
    let mut now = ms(0);
    for _ in 0..2 {
        now += rtt;
        prague.on_ack(&of(now, 10, 0, 20, rtt));
    }
    // The second round ends with the second acknowledgment: 1/25 a window from it on.
    let before = prague.cwnd();
    prague.on_ack(&of(now, 1, 0, 20, rtt));
    let added = (prague.cwnd() - before) * before;
    assert!((added - 0.04).abs() < 1e-12, "{added}");
    prague.marks.alpha = 0.5;
    mark(&mut prague, ms(100));
    let reduced = prague.cwnd();
    mark(&mut prague, ms(106));
    mark(&mut prague, ms(124));
    assert_eq!(prague.cwnd(), reduced);
    mark(&mut prague, ms(125));
    assert_eq!(prague.cwnd(), 0.75 * reduced);
}

#[test]
fn before_d_rounds_and_above_25_ms_nothing_is_scaled() {
    for (parameters, rtt) in [(after_rounds(3), ms(5)), (after_rounds(0), ms(30))] {
        let mut prague = new(10.0, parameters);
        prague.on_ack(&of(rtt, 1, 0, 11, rtt));
        let before = prague.cwnd();
        prague.on_ack(&of(rtt, 1, 0, 11, rtt));
        assert_eq!(prague.cwnd(), before + 1.0 / before);
        mark(&mut prague, ms(100));
        mark(&mut prague, ms(106));
        assert_eq!(prague.cwnd(), 0.25 * (before + 1.0 / before));
    }
}

/// Mean `cwnd` where each 50th segment is marked, a round trip being `rtt`.
fn mean_cwnd(rtt: Nanos) -> f64 {
    let mut prague = new(20.0, after_rounds(0));
    let (mut now, mut since, mut total) = (0.0, 0.0, 0.0);
    let segments = 400_000;
    for segment in 0..segments {
        now += rtt.as_secs_f64() / prague.cwnd();
        let marked = u32::from(segment % 50 == 49);
        let at = Nanos::from_secs_f64(now);
        prague.on_ack(&of(at, 1, marked, prague.cwnd() as u32 + 1, rtt));
        since += 1.0;
        if marked == 1 && since >= prague.cwnd() {
            mark(&mut prague, at);
            since = 0.0;
        }
        if segment >= segments / 2 {
            total += prague.cwnd();
        }
    }
    total / f64::from(segments / 2)
}

#[test]
fn flows_below_25_ms_have_the_same_rate_at_the_same_marking() {
    let rates = [5, 10, 25].map(|millis| mean_cwnd(ms(millis)) / ms(millis).as_secs_f64());
    for rate in rates {
        // 2 (1 - p) / (p T) = 3920 segments a second, and a round's wait for a mark.
        assert!((0.8..1.4).contains(&(rate / 3920.0)), "{rates:?}");
    }
    assert!((rates[0] / rates[2] - 1.0).abs() < 0.25, "{rates:?}");
    // From 25 ms on it is cwnd that is the same.
    let ratio = mean_cwnd(ms(50)) / mean_cwnd(ms(100));
    assert!((ratio - 1.0).abs() < 0.02, "{ratio}");
}

#[test]
fn on_a_classic_queue_the_fallback_reduces_as_cubic() {
    let parameters = Parameters {
        classic_ecn_fallback: true,
        ..Parameters::default()
    };
    let fallen_back = |rtts: [Nanos; 2]| {
        let mut prague = new(16.0, parameters);
        mark(&mut prague, ms(0));
        let mut now = ms(0);
        for index in 0..20_000 {
            now += ms(1);
            prague.on_ack(&AckSample {
                srtt: ms(25),
                cwnd_limited: false,
                ..of(now, 1, 0, 16, rtts[index % 2])
            });
        }
        let before = prague.cwnd();
        mark(&mut prague, now);
        (prague.classic_ecn(), prague.cwnd() / before)
    };
    // alpha has fallen to 0, so the queue's kind decides.
    let (classic, factor) = fallen_back([ms(20), ms(30)]);
    assert_eq!(classic, Some(1.0));
    assert!((factor - (1.0 - 0.625 / 2.0)).abs() < 1e-6, "{factor}");
    let (l4s, factor) = fallen_back([ms(20), ms(20) + Nanos::from_micros(500)]);
    assert_eq!(l4s, Some(0.0));
    assert!(factor > 0.99, "{factor}");
    assert_eq!(new(10.0, Parameters::default()).classic_ecn(), None);
}

proptest! {
    #[test]
    fn stays_sane(events in testing::events(), initial in 1.0..100.0_f64, fallback: bool) {
        let mut prague = Prague::new(initial, None, Parameters {
            classic_ecn_fallback: fallback,
            ..after_rounds(3)
        });
        testing::stays_sane(&mut prague, events);
        prop_assert!((0.0..=1.0).contains(&prague.alpha()));
    }
}
