//! CUBIC against its RFC.

use super::super::testing::{self, congestion, sample};
use super::*;
use proptest::prelude::*;

const RTT: Nanos = Nanos::from_millis(100);

fn at(secs: f64) -> Nanos {
    Nanos::from_secs_f64(secs)
}

/// CUBIC just after a loss reduced its `cwnd` from `window`.
fn reduced_from(window: f64, parameters: Parameters) -> Cubic {
    let mut cubic = Cubic::new(window, Some(window), parameters);
    cubic.on_congestion(&congestion(Nanos::ZERO, Signal::Loss, window as u32));
    cubic
}

fn one(secs: f64) -> AckSample {
    sample(at(secs), 1, 100, RTT)
}

fn near(value: f64, expected: f64, within: f64) {
    assert!(
        (value - expected).abs() <= within,
        "{value}, not {expected}"
    );
}

#[test]
fn k_is_the_time_until_cwnd_is_w_max_again() {
    // 0.3 of 1000 segments at 0.4 a second cubed: cbrt(750) = 9.0856 s.
    let mut cubic = reduced_from(1000.0, Parameters::default());
    assert_eq!((cubic.cwnd(), cubic.ssthresh()), (700.0, 700.0));
    cubic.on_ack(&one(5.0));
    let epoch = cubic.curve.epoch.unwrap();
    assert_eq!((epoch.began, epoch.origin), (at(5.0), 1000.0));
    near(epoch.k, 9.085_603, 1e-6);
}

#[test]
fn the_curve_passes_the_points_of_quic_s_test_vectors() {
    // s2n-quic and neqo: W_max = 2304 segments, so K = 12 s.
    let mut cubic = reduced_from(2304.0, Parameters::default());
    cubic.on_ack(&one(0.0));
    let epoch = cubic.curve.epoch.unwrap();
    for (t, w_cubic) in [(0.0, 1612.8), (10.0, 2300.8), (15.0, 2314.8)] {
        near(
            cubic.above_origin(t - epoch.k) + epoch.origin,
            w_cubic,
            1e-9,
        );
    }
    // Reno's estimate after 20 round trips from 70 segments: 70 + 20 alpha.
    near(70.0 + 20.0 * cubic.alpha_at(70.0), 80.588, 1e-3);
}

#[test]
fn a_segment_adds_its_share_of_the_way_to_the_target() {
    let mut cubic = reduced_from(
        1000.0,
        Parameters {
            reno_friendly: false,
            ..Parameters::default()
        },
    );
    // t = 0: W(0.1) = 1000 - 0.4 * 8.985603^3 = 709.7971.
    cubic.on_ack(&one(0.0));
    near(cubic.cwnd(), 700.0 + 9.797_1 / 700.0, 1e-6);
    // t = 8.985603, a round trip before K: the target is W_max itself.
    let cwnd = cubic.cwnd();
    cubic.on_ack(&one(8.985_603));
    near(cubic.cwnd(), cwnd + (1000.0 - cwnd) / cwnd, 1e-6);
    // Five seconds past K: 1000 + 0.4 * 5^3 = 1050, just below 1.5 cwnd.
    let cwnd = cubic.cwnd();
    cubic.on_ack(&one(13.985_603));
    near(cubic.cwnd(), cwnd + (1050.0 - cwnd) / cwnd, 1e-5);
    // Far later, half a segment for each.
    let cwnd = cubic.cwnd();
    cubic.on_ack(&one(1000.0));
    near(cubic.cwnd(), cwnd + 0.5, 1e-9);
}

/// One acknowledgment for each segment of `cwnd`, evenly over each round trip.
fn rounds(cubic: &mut Cubic, from: f64, rounds: u32) -> f64 {
    let mut now = from;
    for _ in 0..rounds {
        let segments = cubic.cwnd() as u32;
        for _ in 0..segments {
            now += 0.1 / f64::from(segments);
            cubic.on_ack(&one(now));
        }
    }
    now
}

#[test]
fn follows_its_curve() {
    let mut cubic = reduced_from(1000.0, Parameters::default());
    cubic.on_ack(&one(0.0));
    let now = rounds(&mut cubic, 0.0, 50);
    // W(5) = 1000 - 0.4 * 4.085603^3 = 972.72; cwnd is at most a step ahead.
    near(now, 5.0, 1e-6);
    near(cubic.cwnd(), 972.72, 3.0);
    let now = rounds(&mut cubic, now, 70);
    // W(12) = 1000 + 0.4 * 2.914397^3 = 1009.90.
    near(now, 12.0, 1e-6);
    near(cubic.cwnd(), 1009.90, 1.5);
}

#[test]
fn grows_as_reno_would_where_that_is_faster() {
    // Reduced from 20 to 14: K = cbrt(15) = 2.47 s, W(1) = 20 - 0.4 * 1.47^3 = 18.73.
    // With round trips of 10 ms W_est is ahead at once.
    let mut cubic = reduced_from(20.0, Parameters::default());
    let short = |now: f64| sample(at(now), 1, 14, Nanos::from_millis(10));
    // alpha = 3 * 0.3 / 1.7 = 0.529412 segments a round trip.
    let mut expected = 14.0;
    for segment in 0..140 {
        expected += 0.529_411_764_705_882_3 / cubic.cwnd();
        cubic.on_ack(&short(f64::from(segment) * 0.01 / 14.0));
    }
    // Ten windows of 14 and a little more: the closed form is sqrt(w^2 + 2 alpha n).
    near(
        expected,
        libm::sqrt(14.0 * 14.0 + 2.0 * 0.529_412 * 140.0),
        0.05,
    );
    near(cubic.curve.epoch.unwrap().w_est, expected, 1e-9);
    near(cubic.cwnd(), expected, 0.05);
}

#[test]
fn grows_a_segment_a_round_trip_beyond_cwnd_prior() {
    let mut cubic = reduced_from(20.0, Parameters::default());
    let short = |now: f64| sample(at(now), 1, 20, Nanos::from_millis(1));
    cubic.on_ack(&short(0.0));
    cubic.curve.epoch = Some(Epoch {
        w_est: 20.0,
        ..cubic.curve.epoch.unwrap()
    });
    cubic.cwnd = 20.0;
    cubic.on_ack(&short(0.001));
    near(cubic.cwnd(), 20.0 + 1.0 / 20.0, 1e-12);
}

#[test]
fn fast_convergence_lowers_w_max_where_the_last_one_was_not_reached() {
    let mut cubic = reduced_from(1000.0, Parameters::default());
    cubic.on_congestion(&congestion(at(1.0), Signal::Loss, 700));
    // 700 is below 1000: W_max = 700 * 1.7 / 2; above it: cwnd itself.
    near(cubic.curve.w_max, 595.0, 1e-9);
    near(cubic.cwnd(), 490.0, 1e-9);
    cubic.cwnd = 600.0;
    cubic.on_congestion(&congestion(at(2.0), Signal::Loss, 600));
    near(cubic.curve.w_max, 600.0, 1e-9);
    let steady = Parameters {
        fast_convergence: false,
        ..Parameters::default()
    };
    let mut cubic = reduced_from(1000.0, steady);
    cubic.on_congestion(&congestion(at(1.0), Signal::Loss, 700));
    near(cubic.curve.w_max, 700.0, 1e-9);
}

#[test]
fn starts_anew_after_a_timeout() {
    let mut cubic = reduced_from(100.0, Parameters::default());
    cubic.on_timeout(at(1.0), 70, false);
    assert_eq!((cubic.cwnd(), cubic.ssthresh()), (1.0, 49.0));
    cubic.on_timeout(at(2.0), 1, true);
    assert_eq!((cubic.cwnd(), cubic.ssthresh()), (1.0, 49.0));
    (0..24).for_each(|_| cubic.on_ack(&sample(at(3.0), 2, 48, RTT)));
    assert_eq!(cubic.cwnd(), 49.0);
    cubic.on_ack(&one(3.1));
    let epoch = cubic.curve.epoch.unwrap();
    assert_eq!((epoch.k, epoch.origin), (0.0, 49.0));
}

#[test]
fn what_an_acknowledgment_has_left_at_ssthresh_counts_for_congestion_avoidance() {
    let mut cubic = Cubic::new(9.0, Some(10.0), Parameters::default());
    cubic.on_ack(&sample(at(1.0), 3, 9, RTT));
    // Two of the three count. K = 0, W_max = 10, W(0) = 10 < W_est = 10 + 1 / 10,
    // with no reduction yet.
    near(cubic.cwnd(), 10.1, 1e-12);
}

#[test]
fn time_during_which_cwnd_is_unused_does_not_count() {
    let mut cubic = reduced_from(1000.0, Parameters::default());
    let mut idle = reduced_from(1000.0, Parameters::default());
    cubic.on_ack(&one(0.0));
    idle.on_ack(&one(0.0));
    cubic.on_ack(&one(2.0));
    idle.on_ack(&AckSample {
        cwnd_limited: false,
        ..one(1.0)
    });
    idle.on_ack(&AckSample {
        cwnd_limited: false,
        ..one(50.0)
    });
    idle.on_ack(&one(61.0));
    idle.on_ack(&one(62.0));
    assert_eq!(idle.curve.epoch.unwrap().began, at(60.0));
    cubic.on_ack(&AckSample {
        recovering: true,
        ..one(3.0)
    });
    assert_eq!(cubic.curve.epoch.unwrap().began, at(0.0));
}

#[test]
fn cwnd_is_at_least_two_after_a_loss_and_one_after_a_mark() {
    for (signal, least) in [(Signal::Loss, 2.0), (Signal::Mark, 1.0)] {
        let mut cubic = Cubic::new(3.0, None, Parameters::default());
        (0..9).for_each(|_| cubic.on_congestion(&congestion(at(1.0), signal, 1)));
        assert_eq!((cubic.cwnd(), cubic.ssthresh()), (least, 2.0));
    }
}

#[test]
fn hystart_ends_slow_start_without_loss() {
    let with_hystart = Parameters {
        hystart: Some(Default::default()),
        ..Parameters::default()
    };
    let mut cubic = Cubic::new(10.0, None, with_hystart);
    for ms in 0..800 {
        let rtt = Nanos::from_millis(20 + ms / 10);
        cubic.on_ack(&sample(Nanos::from_millis(ms), 1, cubic.cwnd() as u32, rtt));
    }
    assert!(cubic.ssthresh() < 300.0, "{cubic:?}");
    assert!(cubic.curve.cwnd_prior >= cubic.ssthresh() && cubic.hystart.is_none());
}

/// Tables 1 and 2 of the RFC: the mean `cwnd` with a loss every 1 / p segments.
#[test]
fn mean_cwnd_is_that_of_the_rfcs_tables() {
    let mean = |rtt: f64, every: u32| {
        let mut cubic = Cubic::new(10.0, Some(10.0), Parameters::default());
        let (mut now, mut from) = (0.0, 0.0);
        // The curve is flat at its end, so that the equilibrium needs hundreds of losses.
        for segment in 1..=400 * every {
            now += rtt / cubic.cwnd();
            cubic.on_ack(&sample(at(now), 1, 10, at(rtt)));
            if segment % every == 0 {
                cubic.on_congestion(&congestion(at(now), Signal::Loss, 10));
            }
            if segment == 200 * every {
                from = now;
            }
        }
        f64::from(200 * every) * rtt / (now - from)
    };
    // 1.054 (0.1 / p)^(3/4) for the first, Reno's 1.2 / sqrt(p) for the others.
    for (rtt, every, table) in [
        (0.1, 10_000, 187.0),
        (0.1, 100, 12.0),
        (0.01, 10_000, 120.0),
    ] {
        let cwnd = mean(rtt, every);
        assert!((cwnd / table - 1.0).abs() < 0.04, "{cwnd}, not {table}");
    }
}

proptest! {
    #[test]
    fn stays_sane(
        events in testing::events(),
        initial in 1.0..100.0_f64,
        with_hystart in any::<bool>(),
        linux in any::<bool>(),
    ) {
        let hystart = with_hystart.then(hystart::Parameters::default);
        let parameters = Parameters {
            hystart,
            alpha_rises: !linux,
            linux_growth: linux,
            whole_cuts: linux,
            ..Parameters::default()
        };
        testing::stays_sane(&mut Cubic::new(initial, None, parameters), events);
    }
}
