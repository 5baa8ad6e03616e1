use super::super::RateSample;
use super::*;
use crate::tcp::control::testing::{self, Pipe, congestion, sample};
use proptest::prelude::*;

const MS: u64 = 1_000_000;

fn new(seed: u64) -> Pipe<Bbr> {
    Pipe::new(Bbr::new(10.0, seed, Parameters::default()))
}

/// Runs until `secs`; each state with the time it was entered.
fn run(pipe: &mut Pipe<Bbr>, secs: f64) -> Vec<(State, f64)> {
    let mut states = Vec::new();
    while (pipe.now as f64) < secs * 1e9 {
        let before = pipe.control.state();
        pipe.step();
        if before == State::ProbeRtt && pipe.control.state() == before {
            assert_eq!(pipe.control.cwnd(), 4.0);
        }
        if pipe.control.state() != before {
            states.push((pipe.control.state(), pipe.now as f64 * 1e-9));
        }
    }
    states
}

#[test]
fn finds_the_bandwidth_drains_and_cycles() {
    let mut pipe = new(1);
    let states = run(&mut pipe, 3.0);
    let [(State::Drain, full), (State::ProbeBw, drained)] = states[..] else {
        panic!("{states:?}");
    };
    // From 10 to 40 segments takes 2 round trips, 3 more say that the pipe is full,
    // each up to three times as long by the queue; Drain's gain empties it in about
    // (c - 1) / (1 - 1 / c) such.
    assert!((0.2..0.8).contains(&full), "{states:?}");
    assert!((0.05..0.4).contains(&(drained - full)), "{states:?}");
    assert!((pipe.control.bandwidth() / 1000.0 - 1.0).abs() < 0.01);
    assert_eq!(pipe.control.min_rtt(), Some(Nanos(40 * MS)));
    let steady = pipe.control.pacing_rate().unwrap() / pipe.control.pacing_gain;
    assert!((steady / 1000.0 - 1.0).abs() < 0.01, "{steady}");
    // 2 * 40 + 3.
    assert!(
        (pipe.control.cwnd() - 83.0).abs() < 1.0,
        "{}",
        pipe.control.cwnd()
    );
}

#[test]
fn keeps_the_link_busy_and_the_queue_short() {
    let mut pipe = new(1);
    run(&mut pipe, 2.0);
    let (from, mut longest, mut gains) = (pipe.delivered, 0, Vec::new());
    while pipe.now < 2000 * MS + 8 * 60 * MS {
        pipe.step();
        longest = longest.max(pipe.rtt);
        if gains.last() != Some(&pipe.control.pacing_gain) {
            gains.push(pipe.control.pacing_gain);
        }
    }
    let share = (pipe.delivered - from) as f64 / 480.0;
    assert!(share > 0.98, "{share}");
    // A quarter of the pipe queues in the phase of 5/4, and some while it lasts.
    assert!((48..60).contains(&(longest / MS)), "{longest}");
    let cycle = [1.25, 0.75, 1.0];
    assert!(gains.windows(3).any(|gains| gains == cycle), "{gains:?}");
}

#[test]
fn probes_for_min_rtt_when_it_is_ten_seconds_old() {
    let mut pipe = new(1);
    run(&mut pipe, 5.0);
    // From now on nothing is as short as before.
    pipe.delay += MS;
    let last = pipe.control.model.min_rtt_at().unwrap().as_secs_f64();
    let states = run(&mut pipe, 16.0);
    let [(State::ProbeRtt, entered), (State::ProbeBw, left)] = states[..] else {
        panic!("{states:?}");
    };
    // What is in flight when the path changes may still renew it.
    assert!((10.0..10.1).contains(&(entered - last)), "{states:?}");
    // The 83 segments at most in flight must go, 200 ms and a round trip pass.
    assert!((0.2..0.34).contains(&(left - entered)), "{states:?}");
    assert_eq!(pipe.control.min_rtt(), Some(Nanos(41 * MS)));
    assert!((pipe.control.bandwidth() / 1000.0 - 1.0).abs() < 0.01);
    assert!(pipe.control.cwnd() > 80.0);
}

#[test]
fn a_seed_gives_its_phases_and_never_three_quarters() {
    let mut seen = [0; 8];
    for seed in 0..200 {
        let first = |seed| {
            let mut bbr = Bbr::new(10.0, seed, Parameters::default());
            bbr.enter_probe_bw(Nanos::ZERO);
            bbr.phase
        };
        assert_eq!(first(seed), first(seed));
        seen[first(seed)] += 1;
    }
    assert_eq!(seen[1], 0);
    // 200 draws of 7: a phase is missed with probability 7 (6/7)^200 < 1e-12.
    assert!(
        seen.iter().filter(|count| **count > 0).count() == 7,
        "{seen:?}"
    );
}

#[test]
fn conserves_packets_for_a_round_of_recovery() {
    let mut pipe = new(1);
    run(&mut pipe, 2.0);
    let (now, full) = (Nanos(pipe.now), pipe.control.cwnd());
    pipe.control
        .on_congestion(&congestion(now, Signal::Loss, 30));
    assert_eq!(pipe.control.cwnd(), 31.0);
    let lossy = |pipe: &Pipe<Bbr>, sent_at, lost| AckSample {
        recovering: true,
        rate_sample: Some(RateSample {
            delivered: pipe.delivered + 2,
            delivered_when_sent: sent_at,
            interval: Nanos(41 * MS),
            application_limited: false,
            lost,
            tx_in_flight: 40,
            lost_since_sent: 0,
        }),
        ..sample(now, 2, 30, Nanos(41 * MS))
    };
    // 31 less 5 lost; 30 were in flight, of which 2 arrived and 5 were lost.
    let early = lossy(&pipe, pipe.delivered - 30, 5);
    pipe.control.on_ack(&early);
    assert_eq!(pipe.control.cwnd(), 26.0);
    // Sent after the loss was detected: the round is over, and cwnd grows again.
    let later = lossy(&pipe, pipe.delivered, 0);
    pipe.control.on_ack(&later);
    assert_eq!(pipe.control.cwnd(), 28.0);
    pipe.control.on_recovery_end(now);
    assert_eq!(pipe.control.cwnd(), full);
    pipe.control.on_timeout(now, 30, false);
    assert_eq!(pipe.control.cwnd(), 1.0);
    pipe.control
        .on_congestion(&congestion(now, Signal::Mark, 30));
    assert_eq!(pipe.control.cwnd(), 1.0);
}

#[test]
fn paces_by_the_first_round_trip_until_there_is_a_rate_sample() {
    let mut bbr = Bbr::new(10.0, 1, Parameters::default());
    assert!((bbr.pacing_rate().unwrap() - 28_853.9).abs() < 0.1);
    bbr.on_ack(&sample(Nanos(40 * MS), 1, 10, Nanos(40 * MS)));
    assert!((bbr.pacing_rate().unwrap() - 721.3).abs() < 0.1);
}

/// A sender of Linux, with 10 segments at first and a round trip of 40 ms by the SYN.
fn linux() -> Bbr {
    let parameters = Parameters {
        high_gain: LINUX_HIGH_GAIN,
        linux_payload: Some(1448),
        ..Parameters::default()
    };
    let mut bbr = Bbr::new(10.0, 1, parameters);
    bbr.on_handshake(Nanos(40 * MS), Nanos(40 * MS));
    bbr
}

#[test]
fn in_linux_the_syn_measures_the_first_round_trip() {
    let bbr = linux();
    assert_eq!(bbr.min_rtt(), Some(Nanos(40 * MS)));
    // 10 segments in 40 ms, 739/256 times, 99%.
    assert!((bbr.pacing_rate().unwrap() - 714.4).abs() < 0.5);
    assert_eq!(bbr.ssthresh(), f64::INFINITY);
}

#[test]
fn in_linux_a_loss_that_no_acknowledgment_shows_leaves_what_is_in_flight() {
    let mut bbr = linux();
    bbr.on_congestion(&congestion(Nanos(60 * MS), Signal::Loss, 8));
    assert_eq!(bbr.cwnd(), 9.0);
    bbr.on_recovery_end(Nanos(90 * MS));
    assert_eq!(bbr.cwnd(), 10.0);
}

#[test]
fn in_linux_recovery_begins_and_ends_before_its_acknowledgment_counts() {
    let mut bbr = linux();
    let at = Nanos(80 * MS);
    bbr.on_ack(&sample(at, 2, 10, Nanos(40 * MS)));
    assert_eq!(bbr.cwnd(), 12.0);
    // 8 are in flight after that acknowledgment, which delivered 2.
    bbr.on_congestion(&congestion(at, Signal::Loss, 8));
    assert_eq!(bbr.cwnd(), 10.0);
    // As many are sent as are delivered.
    bbr.on_ack(&AckSample {
        recovering: true,
        ..sample(at, 1, 10, Nanos(40 * MS))
    });
    assert_eq!(bbr.cwnd(), 10.0);
    // The 10 before the loss, and the one that is acknowledged now.
    bbr.on_recovery_end(at);
    assert_eq!(bbr.cwnd(), 11.0);
}

/// One segment acknowledged at `now` ms, as the `total`-th, with a sample of `rate` a
/// second over 50 ms.
fn delivered(now: u64, total: u64, rate: u64, in_flight: u32) -> AckSample {
    AckSample {
        rate_sample: Some(RateSample {
            delivered: total,
            delivered_when_sent: total - rate / 20,
            interval: Nanos::from_millis(50),
            application_limited: false,
            lost: 0,
            tx_in_flight: 40,
            lost_since_sent: 0,
        }),
        ..sample(Nanos(now * MS), 1, in_flight, Nanos(40 * MS))
    }
}

/// In `phase` of ProbeBW at 1000 segments a second and 40 ms since 100 ms.
fn cycling(phase: usize) -> Bbr {
    let mut bbr = Bbr::new(10.0, 1, Parameters::default());
    for round in 1..=4 {
        assert_eq!(bbr.state(), State::Startup);
        bbr.on_ack(&delivered(20 * round, 50 * round, 1000, 100));
    }
    assert_eq!(bbr.state(), State::Drain);
    bbr.on_ack(&delivered(100, 250, 1000, 44));
    assert_eq!(bbr.state(), State::ProbeBw);
    bbr.enter_phase(phase, Nanos(100 * MS));
    bbr
}

#[test]
fn a_phase_lasts_min_rtt_and_the_first_until_in_flight_shows_it() {
    // 5/4 of 40 segments and 3 more are 53; the next phase is 3/4.
    for (phase, at, in_flight, lost, next) in [
        (0, 140, 53, 0, 0),
        (0, 141, 52, 0, 0),
        (0, 141, 53, 0, 1),
        (0, 141, 20, 1, 1),
        (1, 110, 44, 0, 1),
        (1, 110, 43, 0, 2),
        (1, 141, 60, 0, 2),
        (7, 140, 43, 0, 7),
        (7, 141, 43, 0, 0),
    ] {
        let mut bbr = cycling(phase);
        let mut ack = delivered(at, 300, 1000, in_flight);
        ack.rate_sample.as_mut().unwrap().lost = lost;
        bbr.on_ack(&ack);
        assert_eq!(bbr.phase, next, "{phase} at {at} ms with {in_flight}");
    }
}

#[test]
fn startup_does_not_slow_down() {
    let mut bbr = Bbr::new(10.0, 1, Parameters::default());
    bbr.on_ack(&delivered(40, 10, 100, 10));
    assert!((bbr.pacing_rate().unwrap() - 721.3).abs() < 0.1);
    bbr.on_ack(&delivered(80, 60, 1000, 10));
    assert!((bbr.pacing_rate().unwrap() - 2885.4).abs() < 0.1);
}

#[test]
fn idle_time_renews_min_rtt_without_probe_rtt() {
    let mut bbr = cycling(0);
    bbr.set_pacing_rate(1.25);
    bbr.on_restart(Nanos(11_000 * MS), 10.0);
    assert_eq!(bbr.pacing_rate(), Some(1000.0));
    assert!(bbr.cwnd() > 10.0);
    let late = delivered(11_040, 300, 1000, 10);
    let mut busy = cycling(0);
    bbr.on_ack(&late);
    busy.on_ack(&late);
    let states = (bbr.state(), busy.state());
    assert_eq!(states, (State::ProbeBw, State::ProbeRtt));
}

/// A run until the end of ProbeRTT, on a path that grew by a millisecond after five seconds;
/// with how long ProbeRTT lasted, seconds.
fn probe_for(probe_rtt_duration: Nanos) -> (Pipe<Bbr>, f64) {
    let parameters = Parameters {
        probe_rtt_duration,
        ..Parameters::default()
    };
    let mut pipe = Pipe::new(Bbr::new(10.0, 1, parameters));
    run(&mut pipe, 5.0);
    pipe.delay += MS;
    let mut entered = 0;
    while entered == 0 || pipe.control.state() == State::ProbeRtt {
        pipe.step();
        if entered == 0 && pipe.control.state() == State::ProbeRtt {
            entered = pipe.now;
        }
    }
    let lasted = (pipe.now - entered) as f64 * 1e-9;
    (pipe, lasted)
}

#[test]
fn probe_rtt_does_not_count_as_a_slow_path() {
    // A second is 24 rounds at 4 segments each, and the bandwidth is that of 10.
    let (pipe, _) = probe_for(Nanos::from_secs(1));
    assert!((pipe.control.bandwidth() / 1000.0 - 1.0).abs() < 0.01);
}

#[test]
fn probe_rtt_lasts_a_round_at_least() {
    let (_, lasted) = probe_for(Nanos(1));
    // At most 83 segments in flight but 4 go in 79 ms; a round trip takes 41 ms.
    assert!((0.041 + 0.030..0.125).contains(&lasted), "{lasted}");
}

#[test]
fn a_recovery_that_did_not_begin_restores_nothing() {
    let mut bbr = cycling(0);
    bbr.on_congestion(&congestion(Nanos(110 * MS), Signal::Loss, 30));
    bbr.on_recovery_end(Nanos(150 * MS));
    bbr.cwnd = 20.0;
    bbr.on_recovery_end(Nanos(190 * MS));
    assert_eq!(bbr.cwnd(), 20.0);
}

#[test]
fn does_not_grow_without_rate_samples() {
    let mut bbr = Bbr::new(10.0, 1, Parameters::default());
    for ms in 0..1000 {
        bbr.on_ack(&sample(Nanos(ms * MS), 1, 10, Nanos(40 * MS)));
    }
    assert_eq!((bbr.state(), bbr.cwnd()), (State::Startup, 19.0));
}

proptest! {
    #[test]
    fn stays_sane(
        events in testing::events(),
        initial in 1.0..100.0_f64,
        seed: u64,
        linux in any::<bool>(),
    ) {
        let parameters = Parameters {
            linux_payload: linux.then_some(1448),
            ..Parameters::default()
        };
        let mut bbr = Bbr::new(initial, seed, parameters);
        testing::stays_sane(&mut bbr, events);
    }
}
