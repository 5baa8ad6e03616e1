//! Windows, timers, idleness and connections.

use earlydrop::packet::Ecn;
use earlydrop::units::Nanos;

use super::testing::{Bench, Link};
use super::timer::Estimator;
use super::{
    Ack, Algorithm, Arrival, DelayedAcks, EcnMode, Handshake, Profile, Receiver, Recovery,
    Reduction, RoundTrips, Rules, Sender, TimerRules,
};

const fn ms(millis: u64) -> Nanos {
    Nanos::from_millis(millis)
}

#[test]
fn a_sender_is_small() {
    assert!(size_of::<Sender>() <= 192, "{}", size_of::<Sender>());
    assert!(size_of::<Receiver>() <= 96, "{}", size_of::<Receiver>());
}

#[test]
fn timeouts_follow_rfc_6298() {
    let rules = TimerRules {
        initial: ms(1000),
        minimum: ms(200),
        maximum: Nanos::from_secs(60),
        tick: ms(1),
    };
    let style = Rules::Standard;
    let mut timer = Estimator::new(&rules, style, ms(0));
    assert_eq!(timer.timeout(), ms(1000));
    timer.measure(&rules, style, ms(200), ms(200));
    // 200 + 4 * 100.
    assert_eq!(timer.timeout(), ms(600));
    timer.measure(&rules, style, ms(280), ms(500));
    // RTTVAR = 75 + 20, SRTT = 175 + 35.
    assert_eq!(timer.timeout(), ms(210 + 4 * 95));
    timer.back_off(&rules, style);
    assert_eq!(timer.timeout(), ms(1180));
    timer.measure(&rules, style, ms(210), ms(900));
    assert_eq!(timer.timeout(), ms(210 + 285));
    // A round trip that hardly varies: the tick and the minimum count.
    for _ in 0..100 {
        timer.measure(&rules, style, ms(400), ms(900));
    }
    let timeout = timer.timeout();
    assert!(ms(400) < timeout && timeout <= ms(402), "{timeout}");
    for _ in 0..100 {
        timer.measure(&rules, style, ms(10), ms(900));
    }
    assert_eq!(timer.timeout(), ms(200));
}

#[test]
fn timeouts_in_ticks_are_those_of_ns2() {
    let profile = Profile::ns2_old_timers(Recovery::Reno);
    let rules = profile.timer;
    let style = Rules::Ns2;
    let mut timer = Estimator::new(&rules, style, ms(0));
    assert_eq!(timer.timeout(), Nanos::from_secs(6));
    // 300 ms are 3 ticks: 3 + 4 * 1.5.
    timer.measure(&rules, style, ms(300), ms(300));
    assert_eq!(timer.timeout(), ms(900));
    // The deviation is now 0: 6 - 1 = 5 quarters, 3 + 5.
    timer.measure(&rules, style, ms(300), ms(600));
    assert_eq!(timer.timeout(), ms(800));
    for _ in 0..20 {
        timer.measure(&rules, style, ms(300), ms(900));
    }
    // RTTVAR stops at 3 quarters of a tick: less than one has no effect.
    assert_eq!(timer.timeout(), ms(600));
    for (doublings, timeout) in [(1, 1200), (2, 2400), (3, 4800), (4, 9600)] {
        timer.back_off(&rules, style);
        assert_eq!(timer.backoff(), 1 << doublings);
        assert_eq!(timer.timeout(), ms(timeout));
    }
    // Beyond 8 it forgot the round trip.
    assert_eq!(timer.smoothed(&rules, style), Nanos::ZERO);
}

#[test]
fn three_ticks_are_the_least_timeout_in_ns2() {
    let profile = Profile::ns2_old_timers(Recovery::Reno);
    let mut timer = Estimator::new(&profile.timer, Rules::Ns2, ms(0));
    for _ in 0..20 {
        timer.measure(&profile.timer, Rules::Ns2, ms(1), ms(900));
    }
    // One tick is the least round trip, and half of it the least deviation: the bound of
    // two ticks has nothing to do.
    assert_eq!(timer.timeout(), ms(300));
}

#[test]
fn a_segment_sent_again_is_not_timed() {
    // Karn: 0 is timed, lost, sent again; its acknowledgment measures nothing, and the
    // timeout stays doubled until 1 is acknowledged.
    let mut profile = Profile::ns2(Recovery::Reno);
    profile.handshake = Handshake::None;
    profile.initial_window = 1;
    let mut link = Link::new(profile, 3, &[(0, 1)]);
    link.run(3050);
    assert_eq!(link.sender.timeout(), Nanos::from_secs(6));
    link.run(3100);
    assert_eq!(link.sender.timeout(), Nanos::from_secs(6));
    assert_eq!(link.sender.smoothed_rtt(&profile), Nanos::ZERO);
    link.run(3200);
    assert_eq!(link.sender.smoothed_rtt(&profile), ms(100));
    assert_eq!(link.sender.timeout(), ms(300));
}

#[test]
fn an_echoed_time_measures_a_segment_sent_again() {
    let mut profile = Profile::modern(Algorithm::Reno);
    profile.handshake = Handshake::None;
    assert_eq!(profile.round_trips, RoundTrips::Every);
    let mut link = Link::new(profile, 1, &[(0, 1)]);
    link.run(5000);
    assert_eq!(link.sender.smoothed_rtt(&profile), ms(100));
}

#[test]
fn a_connection_request_goes_alone() {
    let mut profile = Profile::modern(Algorithm::Reno);
    profile.delayed_acks = None;
    let mut link = Link::new(profile, 12, &[]);
    assert_eq!(link.run(150), "0: 0\n100: 1 2 3 4 5 6 7 8 9 10\n");
    let mut bench = Bench::new(Profile::ns2(Recovery::Reno));
    let request = bench.poll_all();
    assert_eq!((request.len(), request[0].size), (1, 40));
    assert!(request[0].syn);
    assert_eq!(bench.ack(1), "1 2");
}

#[test]
fn a_lost_request_leaves_a_window_of_one() {
    let mut bench = Bench::new(Profile::modern(Algorithm::Reno));
    bench.poll();
    assert_eq!(bench.wait(), "0*");
    assert_eq!(bench.ack(1), "1");
    // ns-2 begins its further connections so, too.
    for (profile, again) in [
        (Profile::modern(Algorithm::Reno), "2 3 4 5 6 7 8 9 10 11"),
        (Profile::ns2(Recovery::Reno), "2"),
    ] {
        let mut bench = Bench::new(profile);
        bench.sender = Sender::new(&profile, bench.now);
        bench.sender.supply(1);
        bench.poll();
        bench.wait();
        assert_eq!(bench.ack(1), "");
        bench.sender.restart(&profile, bench.now);
        bench.sender.supply(u32::MAX);
        assert_eq!(bench.poll(), "1");
        assert_eq!(bench.ack(2), again);
    }
}

#[test]
fn a_new_connection_goes_on_with_the_numbers() {
    let profile = Profile::ns2(Recovery::NewReno);
    let mut link = Link::new(profile, 5, &[]);
    link.run(400);
    assert_eq!(link.sender.acknowledged(), 5);
    link.sender.restart(&profile, link.now);
    link.receiver.restart(5);
    link.sender.supply(9);
    link.trace.clear();
    assert_eq!(link.run(900), "300: 5\n400: 6 7\n500: 8\n");
    assert_eq!(link.receiver.received(), 9);
}

#[test]
fn slow_start_doubles_and_then_a_window_grows_by_one_a_round_trip() {
    let mut profile = Profile::modern(Algorithm::Reno);
    profile.delayed_acks = None;
    profile.initial_window = 2;
    profile.initial_threshold = Some(8);
    let mut link = Link::new(profile, u32::MAX, &[]);
    let windows: Vec<u32> = (1..8)
        .map(|round| {
            link.run(100 * round);
            link.sender.window() as u32
        })
        .collect();
    assert_eq!(windows, [2, 4, 8, 8, 9, 10, 11]);
}

#[test]
fn a_window_that_is_not_used_does_not_grow() {
    let mut profile = Profile::modern(Algorithm::Reno);
    profile.delayed_acks = None;
    profile.handshake = Handshake::None;
    profile.receiver_window = 20;
    let mut link = Link::new(profile, u32::MAX, &[]);
    link.run(2000);
    assert_eq!(link.sender.window(), 21.0);
    assert_eq!(link.sender.in_flight(), 20);
    // Nor for want of data.
    let mut link = Link::new(profile, 4, &[]);
    link.run(2000);
    assert_eq!(link.sender.window(), 10.0);
}

#[test]
fn an_idle_window_is_closed_to_the_initial_one() {
    let mut profile = Profile::modern(Algorithm::Reno);
    profile.delayed_acks = None;
    // 10 + 20 + 40 segments leave a window of 40, and of 41 after one more
    // acknowledgment: the next finds less than that on its way.
    for (restarts, after) in [(true, 10), (false, 41)] {
        profile.slow_start_restart = restarts;
        let mut link = Link::new(profile, 1 + 70, &[]);
        link.run(400);
        assert_eq!(link.sender.acknowledged(), 71);
        assert_eq!(link.sender.deadline(), Nanos::NEVER);
        link.sender.supply(1000);
        link.now = ms(1000);
        link.trace.clear();
        let sent = link.run(1050).split_whitespace().count() - 1;
        assert_eq!(sent, after);
    }
}

#[test]
fn ns2_closes_an_idle_window_when_its_timer_runs_out() {
    let profile = Profile::ns2(Recovery::Reno);
    let mut link = Link::new(profile, 1 + 14, &[]);
    link.run(450);
    assert_eq!(link.sender.acknowledged(), 15);
    let window = link.sender.window();
    assert_eq!(window, 16.0);
    // 400 + 200 ms, as after the four round trips of the two losses.
    assert!(link.sender.deadline() <= ms(700));
    link.run(1000);
    assert_eq!(link.sender.window(), 1.0);
    assert_eq!(link.sender.threshold(), 20.0);
    assert_eq!(link.sender.deadline(), Nanos::NEVER);
    assert_eq!(link.sender.counts().timeouts, 0);
}

#[test]
fn ns2_grows_whether_used_or_not_and_cuts_what_the_receiver_lets_be_used() {
    let mut profile = Profile::ns2(Recovery::Reno);
    profile.receiver_window = 10;
    let mut bench = Bench::with_window(profile, 10);
    for next in 1..=40 {
        bench.ack(next);
    }
    assert!(bench.sender.window() > 12.0);
    assert_eq!(bench.sender.in_flight(), 10);
    for _ in 0..3 {
        bench.ack(40);
    }
    assert_eq!(bench.sender.window(), 5.0);
}

#[test]
fn ns2_of_old_cuts_a_window_to_whole_segments() {
    // 11 and a fraction: half of it is 5 and more, or 5.
    for (whole_cuts, left) in [(false, 5.5..6.0), (true, 5.0..5.1)] {
        let mut profile = Profile::ns2(Recovery::Reno);
        profile.whole_cuts = whole_cuts;
        profile.initial_threshold = Some(1);
        let mut bench = Bench::with_window(profile, 11);
        bench.ack(1);
        bench.ack(2);
        assert!((11.1..11.9).contains(&bench.sender.window()));
        for _ in 0..3 {
            bench.ack(2);
        }
        let window = bench.sender.window();
        assert!(left.contains(&window), "{whole_cuts}: {window}");
    }
}

#[test]
fn linux_grows_and_is_cut_by_whole_segments() {
    let mut profile = Profile::linux(Algorithm::Reno);
    profile.reduction = Reduction::AtOnce;
    profile.initial_threshold = Some(7);
    let mut bench = Bench::with_window(profile, 7);
    bench.ack(6);
    assert_eq!(bench.sender.window(), 7.0);
    bench.ack(9);
    assert_eq!(bench.sender.window(), 8.0);
    bench.ack(16);
    assert_eq!(bench.sender.window(), 9.0);
    for _ in 0..3 {
        bench.sack(16, &[(17, 20)]);
    }
    assert_eq!(bench.sender.window(), 4.0);
}

#[test]
fn linux_acknowledges_at_once_at_first_and_after_a_mark() {
    let mut profile = Profile::linux(Algorithm::Reno);
    profile.ecn = EcnMode::Classic;
    let mut receiver = Receiver::new(0);
    let mut at_once = |number, ecn, cwr| {
        let arrival = Arrival {
            number,
            ecn,
            cwr,
            retransmission: false,
            sent: Nanos::ZERO,
        };
        receiver
            .on_segment(&profile, &arrival, Nanos::ZERO)
            .is_some()
    };
    assert!((0..16).all(|number| at_once(number, Ecn::Ect0, false)));
    assert!(!at_once(16, Ecn::Ect0, false) && at_once(17, Ecn::Ect0, false));
    // A mark, and the segment after it; another mark before the window is reduced is no news.
    assert!(at_once(18, Ecn::Ce, false) && at_once(19, Ecn::Ect0, false));
    assert!(!at_once(20, Ecn::Ce, false) && at_once(21, Ecn::Ect0, false));
    assert!(at_once(22, Ecn::Ect0, true));
    assert!(!at_once(23, Ecn::Ect0, false) && at_once(24, Ecn::Ect0, false));
    // What cannot be marked was sent again.
    assert!(at_once(25, Ecn::NotCapable, false) && at_once(26, Ecn::Ect0, false));
    assert!(!at_once(27, Ecn::Ect0, false));
}

#[test]
fn acknowledgments_are_held_back_but_for_what_is_out_of_turn() {
    let mut profile = Profile::modern(Algorithm::Reno);
    profile.delayed_acks = Some(DelayedAcks {
        every: 2,
        timeout: ms(40),
    });
    let mut receiver = Receiver::new(0);
    let mut said = |number: u32, now: u64| {
        let arrival = Arrival {
            number,
            ecn: Ecn::NotCapable,
            cwr: false,
            retransmission: false,
            sent: ms(now),
        };
        let reply = receiver.on_segment(&profile, &arrival, ms(now));
        reply.map(|reply| (reply.next, reply.echo, reply.sacked().len()))
    };
    // The first of a connection at once, then every second.
    assert_eq!(said(0, 0), Some((1, ms(0), 0)));
    assert_eq!(said(1, 10), None);
    assert_eq!(said(2, 11), Some((3, ms(10), 0)));
    // Out of turn, and filling the hole: at once.
    assert_eq!(said(4, 12), Some((3, ms(12), 1)));
    assert_eq!(said(6, 13), Some((3, ms(13), 2)));
    assert_eq!(said(3, 14), Some((5, ms(14), 1)));
    assert_eq!(said(5, 15), Some((7, ms(15), 0)));
    assert_eq!(said(5, 16), Some((7, ms(16), 0)));
    assert_eq!(said(7, 20), None);
    assert_eq!(receiver.deadline(), ms(60));
    assert!(receiver.on_timer(&profile, ms(59)).is_none());
    assert_eq!(receiver.on_timer(&profile, ms(60)).unwrap().next, 8);
    assert_eq!((receiver.received(), receiver.duplicates()), (8, 1));
}

#[test]
fn ranges_are_reported_the_most_recent_first() {
    let profile = Profile::modern(Algorithm::Reno);
    let mut receiver = Receiver::new(0);
    let mut ranges = Vec::new();
    for number in [2, 4, 6, 8, 5, 3] {
        let arrival = Arrival {
            number,
            ecn: Ecn::NotCapable,
            cwr: false,
            retransmission: false,
            sent: ms(0),
        };
        let reply = receiver.on_segment(&profile, &arrival, ms(0)).unwrap();
        let sacked = reply.sacked().iter().map(|range| (range.from, range.to));
        ranges = sacked.collect();
    }
    assert_eq!(ranges, [(2, 7), (8, 9)]);
}

/// What a receiver echoes of marks on segments in a row, acknowledging every second.
fn echoes(ecn: EcnMode, segments: &str) -> String {
    let mut profile = Profile::modern(Algorithm::Reno);
    profile.ecn = ecn;
    let mut receiver = Receiver::new(0);
    let mut said = String::new();
    for (number, kind) in segments.chars().enumerate() {
        let arrival = Arrival {
            number: number as u32,
            ecn: if kind == 'm' { Ecn::Ce } else { Ecn::Ect0 },
            cwr: kind == 'w',
            retransmission: false,
            sent: ms(0),
        };
        if let Some(reply) = receiver.on_segment(&profile, &arrival, ms(0)) {
            said += &format!("{}{} ", reply.next, if reply.ece { "E" } else { "" });
        }
    }
    if let Some(reply) = receiver.on_timer(&profile, ms(40)) {
        said += &format!("{}{}", reply.next, if reply.ece { "E" } else { "" });
    }
    said.trim_end().to_string()
}

#[test]
fn a_mark_is_echoed_until_the_window_is_reduced() {
    assert_eq!(echoes(EcnMode::Classic, "..m....w."), "1 3E 5E 7E 9");
    assert_eq!(echoes(EcnMode::Classic, "m..."), "1E 3E 4E");
    assert_eq!(echoes(EcnMode::Off, "mmm"), "1 3");
}

#[test]
fn with_dctcp_the_echo_says_of_each_segment_whether_it_was_marked() {
    // The change at the third segment acknowledges the second at once.
    assert_eq!(echoes(EcnMode::Dctcp, "..mm...m"), "1 2 4E 6 7 8E");
    assert_eq!(echoes(EcnMode::Dctcp, ".....m.."), "1 3 5 6E 8");
}

#[test]
fn requests_and_segments_sent_again_are_not_ecn_capable() {
    for (mode, field) in [
        (EcnMode::Classic, Ecn::Ect0),
        (EcnMode::Dctcp, Ecn::Ect0),
        (EcnMode::L4s, Ecn::Ect1),
        (EcnMode::Off, Ecn::NotCapable),
    ] {
        let mut profile = Profile::modern(Algorithm::Reno);
        profile.ecn = mode;
        let mut bench = Bench::new(profile);
        assert_eq!(bench.poll_all()[0].ecn, Ecn::NotCapable);
        bench.now += ms(1);
        let ack = Ack {
            next: 1,
            echo: ms(0),
            echo_retransmitted: false,
            ece: false,
            sacked: &[],
        };
        bench.sender.on_ack(&profile, &ack, bench.now);
        assert!(bench.poll_all().iter().all(|data| data.ecn == field));
        bench.now = bench.sender.deadline();
        bench.sender.on_timer(&profile, bench.now);
        assert_eq!(bench.poll_all()[0].ecn, Ecn::NotCapable);
    }
}

#[test]
fn a_marked_segment_reduces_the_window_end_to_end() {
    let mut profile = Profile::ns2(Recovery::NewReno);
    profile.ecn = EcnMode::Classic;
    let mut link = Link::new(profile, 200, &[]);
    link.marks = vec![5, 6, 40];
    link.run(5000);
    assert_eq!(link.sender.acknowledged(), 200);
    let counts = link.sender.counts();
    assert_eq!((counts.marks, counts.retransmissions), (2, 0));
}

#[test]
fn a_call_before_the_deadline_does_nothing() {
    let mut bench = Bench::with_window(Profile::modern(Algorithm::Reno), 2);
    let deadline = bench.sender.deadline();
    bench.sender.on_timer(&bench.profile, deadline - Nanos(1));
    assert_eq!(bench.poll(), "");
    assert_eq!(bench.wait(), "0*");
}

#[test]
fn profiles_that_make_no_sense_are_refused() {
    for profile in [
        Profile::ns2(Recovery::Sack),
        Profile::ns2_old_timers(Recovery::Tahoe),
        Profile::modern(Algorithm::Reno),
    ] {
        assert_eq!(profile.validate(), Ok(()));
        let windowless = Profile {
            initial_window: 0,
            ..profile
        };
        assert!(windowless.validate().is_err());
    }
}
