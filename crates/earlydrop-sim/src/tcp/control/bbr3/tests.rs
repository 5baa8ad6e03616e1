use super::super::RateSample;
use super::model::Sample;
use super::*;
use crate::tcp::control::testing::{self, Pipe, congestion, sample};
use proptest::prelude::*;

const MS: u64 = 1_000_000;

fn new(seed: u64) -> Pipe<Bbr3> {
    Pipe::new(Bbr3::new(10.0, seed, Parameters::default()))
}

/// Runs until `secs`; each state with the time in seconds at which it was entered.
fn run(pipe: &mut Pipe<Bbr3>, secs: f64) -> Vec<(State, f64)> {
    let mut states = Vec::new();
    while (pipe.now as f64) < secs * 1e9 {
        let before = pipe.control.state();
        pipe.step();
        if pipe.control.state() != before {
            states.push((pipe.control.state(), pipe.now as f64 * 1e-9));
        }
    }
    states
}

/// An acknowledgment of one segment at `now` ms that was sent with `tx_in_flight` in flight, when
/// `earlier` of `delivered` had been delivered.
fn ack(now: u64, (delivered, earlier): (u64, u64), tx_in_flight: u32, lost: u32) -> AckSample {
    AckSample {
        rate_sample: Some(RateSample {
            delivered,
            delivered_when_sent: earlier,
            interval: Nanos(40 * MS),
            application_limited: false,
            lost: 0,
            tx_in_flight,
            lost_since_sent: lost,
        }),
        ..sample(Nanos(now * MS), 1, tx_in_flight, Nanos(40 * MS))
    }
}

fn lost(tx_in_flight: u32, lost_since_sent: u32) -> LostSegment {
    LostSegment {
        now: Nanos(3000 * MS),
        tx_in_flight,
        lost_since_sent,
        application_limited: false,
    }
}

#[test]
fn startup_ends_with_the_bandwidth_and_drain_empties_the_queue() {
    let mut pipe = new(1);
    let states = run(&mut pipe, 1.5);
    assert_eq!(states[0].0, State::Drain, "{states:?}");
    // DOWN, which finds its queue drained by the same acknowledgment.
    assert_eq!(states[1].0, State::Cruise, "{states:?}");
    assert!(states[1].1 < 1.0, "{states:?}");
    assert!((pipe.control.max_bw() / 1000.0 - 1.0).abs() < 0.01);
    assert_eq!(pipe.control.min_rtt(), Some(Nanos(40 * MS)));
    // Nothing was lost: no bounds.
    assert!(pipe.control.inflight_longterm().is_infinite());
}

#[test]
fn probes_in_a_cycle_of_down_cruise_refill_up() {
    let mut pipe = new(1);
    run(&mut pipe, 1.5);
    let states = run(&mut pipe, 9.0);
    let names: Vec<State> = states.iter().map(|(state, _)| *state).collect();
    let cycle = [State::Refill, State::Up, State::Down, State::Cruise];
    assert!(names.windows(4).any(|row| row == cycle), "{states:?}");
    // A probe each 2 to 3 s, or each 40 rounds of 40 ms, the bdp.
    let probes: Vec<f64> = states
        .iter()
        .filter(|(state, _)| *state == State::Refill)
        .map(|(_, at)| *at)
        .collect();
    for gap in probes.windows(2).map(|pair| pair[1] - pair[0]) {
        assert!((1.5..3.3).contains(&gap), "{probes:?}");
    }
    assert!((pipe.control.max_bw() / 1000.0 - 1.0).abs() < 0.02);
}

#[test]
fn cruises_with_an_empty_queue_at_the_link_rate() {
    let mut pipe = new(1);
    run(&mut pipe, 1.5);
    let (from, began) = (pipe.delivered, pipe.now);
    let (mut rtts, mut steps) = (0, 0);
    while pipe.now < 6000 * MS {
        pipe.step();
        (rtts, steps) = (rtts + pipe.rtt / MS, steps + 1);
    }
    let share = (pipe.delivered - from) as f64 / ((pipe.now - began) / MS) as f64;
    assert!(share > 0.95, "{share}");
    let mean = rtts as f64 / f64::from(steps);
    assert!((40.0..44.0).contains(&mean), "{mean}");
}

#[test]
fn probe_rtt_halves_what_is_in_flight_every_five_seconds() {
    let mut pipe = new(1);
    run(&mut pipe, 3.0);
    // From now on nothing is as short as before.
    pipe.delay += MS;
    let states = run(&mut pipe, 9.5);
    let entered = states
        .iter()
        .position(|(state, _)| *state == State::ProbeRtt);
    let entered = entered.unwrap();
    let (at, left) = (states[entered].1, states[entered + 1]);
    assert!((5.0..8.2).contains(&at), "{states:?}");
    assert_eq!(left.0, State::Cruise);
    assert!((0.2..0.4).contains(&(left.1 - at)), "{states:?}");
}

#[test]
fn the_filter_of_max_bw_forgets_after_two_cycles() {
    let mut bbr = Bbr3::new(10.0, 1, Parameters::default());
    bbr.on_ack(&ack(40, (40, 0), 40, 0));
    assert_eq!(bbr.max_bw(), 1000.0);
    bbr.model.advance_max_bw_filter();
    bbr.on_ack(&ack(80, (60, 40), 40, 0));
    assert_eq!(bbr.max_bw(), 1000.0);
    bbr.model.advance_max_bw_filter();
    assert_eq!(bbr.max_bw(), 500.0);
    // Without a sample nothing is forgotten.
    bbr.model.advance_max_bw_filter();
    assert_eq!(bbr.max_bw(), 500.0);
}

/// A controller in UP with max_bw = 1000/s, min_rtt = 40 ms and a bdp of 40 segments.
fn probing_up() -> Bbr3 {
    let mut bbr = Bbr3::new(80.0, 1, Parameters::default());
    bbr.on_ack(&ack(40, (40, 0), 40, 0));
    bbr.full_bw_reached = true;
    bbr.on_ack(&ack(41, (41, 1), 40, 0));
    bbr.start_refill();
    bbr.start_up(&Sample::default());
    bbr
}

#[test]
fn losses_of_two_per_cent_in_up_set_the_long_term_volume() {
    let mut bbr = probing_up();
    // 1 of 50 is not more than 2 %.
    bbr.on_loss(&lost(50, 1));
    assert_eq!(bbr.state(), State::Up);
    // 2 of 60: the threshold was crossed at 59 + (0.02 * 59 - 1) / 0.98.
    bbr.on_loss(&lost(60, 2));
    assert_eq!(bbr.state(), State::Down);
    let at_loss = 59.0 + 0.18 / 0.98;
    assert!((bbr.inflight_longterm() - at_loss).abs() < 1e-9);
    // Once a probe.
    bbr.on_loss(&lost(30, 20));
    assert!((bbr.inflight_longterm() - at_loss).abs() < 1e-9);
}

#[test]
fn the_long_term_volume_falls_to_beta_at_most() {
    let mut bbr = probing_up();
    // BBRTargetInflight is the bdp, 40.
    bbr.on_loss(&lost(10, 9));
    assert_eq!(bbr.inflight_longterm(), 28.0);
    // Headroom of 15 % in CRUISE: 23.8.
    bbr.state = State::Cruise;
    bbr.cwnd = 80.0;
    bbr.set_cwnd(1);
    assert!((bbr.cwnd() - 23.8).abs() < 1e-9);
}

#[test]
fn up_raises_the_long_term_volume_faster_in_each_round() {
    let mut bbr = probing_up();
    bbr.model.inflight_longterm = 40.0;
    bbr.cwnd = 40.0;
    bbr.bw_probe_up_rounds = 0;
    bbr.raise_inflight_longterm_slope();
    let mut volumes = Vec::new();
    for round in 0..4_u64 {
        for segment in 0..40 {
            let delivered = 41 + 40 * round + segment;
            bbr.model.round_start = segment == 39;
            let ack = ack(100, (delivered, 0), 40, 0);
            bbr.probe_inflight_longterm_upward(&ack);
            bbr.cwnd = bbr.model.inflight_longterm;
        }
        volumes.push(bbr.inflight_longterm());
    }
    // By about 1, 2, 4 and 8.
    let growth: Vec<f64> = volumes.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(volumes[0], 41.0);
    assert!((1.0..=2.0).contains(&growth[0]), "{volumes:?}");
    assert!((3.0..=4.0).contains(&growth[1]), "{volumes:?}");
    assert!((6.0..=8.0).contains(&growth[2]), "{volumes:?}");
}

#[test]
fn losses_while_cruising_lower_the_short_term_bounds_once_a_round() {
    let mut bbr = probing_up();
    bbr.state = State::Cruise;
    bbr.ack_phase = AckPhase::Init;
    bbr.bw_probe_samples = false;
    bbr.model.reset_congestion_signals();
    bbr.cwnd = 80.0;
    bbr.on_loss(&lost(40, 1));
    // The round of the loss ends with a segment sent after it. 20 were delivered in 40 ms.
    bbr.on_ack(&ack(100, (61, 41), 40, 1));
    assert_eq!(bbr.model.bw_shortterm, 700.0);
    assert_eq!(bbr.model.inflight_shortterm, 56.0);
    assert!((bbr.pacing_rate().unwrap() - 0.99 * 700.0).abs() < 1e-6);
    // No further loss, no further cut; REFILL forgets it.
    bbr.on_ack(&ack(140, (81, 61), 40, 1));
    assert_eq!(bbr.model.bw_shortterm, 700.0);
    bbr.start_refill();
    assert!(bbr.model.bw_shortterm.is_infinite());
}

#[test]
fn startup_ends_by_losses_in_six_events_of_a_round_of_recovery() {
    let mut bbr = Bbr3::new(10.0, 1, Parameters::default());
    bbr.on_ack(&ack(40, (40, 0), 40, 0));
    bbr.on_congestion(&congestion(Nanos(41 * MS), Signal::Loss, 40));
    for event in 0..6 {
        let mut early = ack(50 + event, (41 + event, 1), 40, 2);
        early.rate_sample.as_mut().unwrap().lost = 1;
        bbr.on_loss(&lost(40, 2));
        bbr.on_ack(&early);
        assert_eq!(bbr.state(), State::Startup);
    }
    // The round ends: 3 of 60 were lost.
    bbr.on_ack(&ack(90, (86, 46), 60, 3));
    assert_ne!(bbr.state(), State::Startup);
    // max(bdp, delivered in the round).
    assert_eq!(bbr.inflight_longterm(), 45.0);
}

#[test]
fn marks_are_answered_by_their_share_on_short_paths_and_as_losses_elsewhere() {
    let cut = |rtt: u64| {
        let mut bbr = probing_up();
        bbr.model.min_rtt = Nanos(rtt * MS);
        bbr.state = State::Cruise;
        bbr.ack_phase = AckPhase::Init;
        bbr.bw_probe_samples = false;
        bbr.model.reset_congestion_signals();
        bbr.cwnd = 90.0;
        let marked = AckSample {
            marked: 1,
            ..ack(60, (60, 42), 40, 0)
        };
        bbr.on_ack(&marked);
        bbr.on_congestion(&congestion(Nanos(60 * MS), Signal::Mark, 40));
        bbr.cwnd = 90.0;
        bbr.on_ack(&ack(100, (100, 60), 40, 0));
        (bbr.model.bw_shortterm, bbr.model.inflight_shortterm)
    };
    // 4 ms: only the volume, by alpha / 3, with alpha near 1. 40 ms: beta, for both.
    let (bw, volume) = cut(4);
    assert!(bw.is_infinite());
    assert!((60.0..66.0).contains(&volume), "{volume}");
    assert!((cut(40).1 - 63.0).abs() < 1e-9);
    assert!(cut(40).0 <= 1000.0);
}

#[test]
fn a_timeout_and_a_recovery_restore_cwnd() {
    let mut bbr = probing_up();
    let full = bbr.cwnd();
    bbr.on_congestion(&congestion(Nanos(3000 * MS), Signal::Loss, 40));
    assert_eq!(bbr.cwnd(), full);
    bbr.on_timeout(Nanos(3000 * MS), 40, false);
    assert_eq!(bbr.cwnd(), 1.0);
    // OnEnterRTO: C.inflight + 1.
    bbr.leave_after_timeout(3.0);
    assert_eq!(bbr.cwnd(), 3.0);
    bbr.on_recovery_end(Nanos(3100 * MS));
    assert_eq!(bbr.cwnd(), full);
}

#[test]
fn drain_ends_after_three_rounds() {
    let mut bbr = Bbr3::new(10.0, 1, Parameters::default());
    bbr.on_ack(&ack(40, (40, 0), 40, 0));
    bbr.full_bw_reached = true;
    // 100 stay in flight, and the bdp is 40.
    let mut rounds = Vec::new();
    for round in 1..=6 {
        let delivered = 40 + 40 * round;
        bbr.on_ack(&ack(40 + 40 * round, (delivered, delivered - 40), 100, 0));
        rounds.push(bbr.state());
    }
    let drain = rounds.iter().filter(|state| **state == State::Drain);
    assert_eq!((drain.count(), rounds[4]), (4, State::Down), "{rounds:?}");
}

/// The first acknowledgment of the next round, whose segment was sent with 40 in flight.
fn next_round(bbr: &mut Bbr3, now: u64, in_flight: u32) {
    let delivered = bbr.model.delivered;
    bbr.on_ack(&AckSample {
        in_flight,
        ..ack(now, (delivered + 40, delivered), 40, 0)
    });
}

#[test]
fn after_a_probe_with_losses_the_next_one_ends_where_they_began() {
    let mut bbr = probing_up();
    bbr.on_loss(&lost(60, 2));
    assert!(bbr.prev_probe_too_high);
    let longterm = bbr.inflight_longterm();
    bbr.start_refill();
    bbr.start_up(&Sample::default());
    // Deceleration: longterm is in flight.
    next_round(&mut bbr, 100, longterm as u32 + 2);
    assert_eq!(bbr.state(), State::Down);
    assert!(bbr.prev_probe_precautionary && !bbr.prev_probe_too_high);
    // Acceleration: a round without losses, and it probes again at once.
    next_round(&mut bbr, 140, 40);
    assert_eq!(bbr.state(), State::Refill);
    assert!(!bbr.prev_probe_precautionary);
}

#[test]
fn an_undo_restores_the_bounds_and_the_probe() {
    let mut bbr = probing_up();
    let cwnd = bbr.cwnd();
    bbr.on_loss(&lost(50, 1));
    bbr.on_loss(&lost(60, 2));
    assert_eq!(bbr.state(), State::Down);
    bbr.on_congestion(&congestion(Nanos(3000 * MS), Signal::Loss, 40));
    bbr.cwnd = 10.0;
    let before = Windows {
        cwnd,
        ssthresh: f64::INFINITY,
    };
    bbr.undo(&before);
    assert_eq!((bbr.state(), bbr.cwnd()), (State::Refill, cwnd));
    assert!(bbr.inflight_longterm().is_infinite());
    assert!(!bbr.model.loss_in_round);
    // Once.
    bbr.start_down(Nanos(3100 * MS));
    bbr.undo(&before);
    assert_eq!(bbr.state(), State::Down);
}

/// "the congestion controller response MUST treat any CE marks as congestion", whatever the phase and
/// the feedback.
#[test]
fn marks_are_a_congestion_signal_in_every_phase() {
    let phases = [
        State::Startup,
        State::Drain,
        State::Down,
        State::Cruise,
        State::Refill,
        State::Up,
        State::ProbeRtt,
    ];
    for state in phases {
        for (counted, rtt) in [(true, 40), (true, 4), (false, 40)] {
            let mut bbr = probing_up();
            bbr.model.min_rtt = Nanos(rtt * MS);
            bbr.model.reset_congestion_signals();
            bbr.state = state;
            bbr.full_bw_reached = state != State::Startup;
            bbr.bw_probe_samples = state == State::Up;
            bbr.ack_phase = AckPhase::Init;
            let mut bounded = false;
            // All of three rounds are marked.
            for round in 1..=3 {
                let delivered = bbr.model.delivered;
                let marked = AckSample {
                    marked: u32::from(counted),
                    ..ack(40 + 40 * round, (delivered + 40, delivered), 100, 0)
                };
                bbr.on_ack(&marked);
                bbr.on_congestion(&congestion(Nanos(50 * MS), Signal::Mark, 100));
                let bound = bbr.model.inflight_shortterm.min(bbr.inflight_longterm());
                bounded |= bound.is_finite();
            }
            assert!(bounded, "{state:?}, counted {counted}, {rtt} ms");
        }
    }
}

proptest! {
    #[test]
    fn any_events_leave_it_sane(events in testing::events(), seed in any::<u64>()) {
        testing::stays_sane(&mut Bbr3::new(10.0, seed, Parameters::default()), events);
    }
}
