//! A sender's cwnd, round trips, idleness and connections.

use earlydrop::packet::Ecn;
use earlydrop::units::Nanos;

use super::testing::{Link, Script};
use super::{
    Ack, Algorithm, EcnMode, Handshake, LossDetection, Profile, Receiver, Recovery, Reduction,
    RttSampling, Sender,
};

const fn ms(millis: u64) -> Nanos {
    Nanos::from_millis(millis)
}

#[test]
fn a_sender_is_small() {
    assert!(size_of::<Sender>() <= 200, "{}", size_of::<Sender>());
    assert!(size_of::<Receiver>() <= 96, "{}", size_of::<Receiver>());
}

#[test]
fn karns_rule_measures_no_retransmission() {
    // 0 is timed, lost, retransmitted. Its acknowledgment measures nothing, and RTO stays doubled
    // until 1 is acknowledged.
    let mut profile = Profile::ns2(Recovery::Reno);
    profile.handshake = Handshake::None;
    profile.initial_window = 1;
    let mut link = Link::new(profile, 3, &[(0, 1)]);
    link.run(3050);
    assert_eq!(link.sender.rto(), Nanos::from_secs(6));
    link.run(3100);
    assert_eq!(link.sender.rto(), Nanos::from_secs(6));
    assert_eq!(link.sender.srtt(&profile), Nanos::ZERO);
    link.run(3200);
    assert_eq!(link.sender.srtt(&profile), ms(100));
    assert_eq!(link.sender.rto(), ms(300));
}

#[test]
fn a_timestamp_measures_a_retransmission() {
    let mut profile = Profile::modern(Algorithm::Reno);
    profile.handshake = Handshake::None;
    assert_eq!(profile.rtt_sampling, RttSampling::Every);
    let mut link = Link::new(profile, 1, &[(0, 1)]);
    link.run(5000);
    assert_eq!(link.sender.srtt(&profile), ms(100));
}

#[test]
fn a_syn_is_sent_alone() {
    let mut profile = Profile::modern(Algorithm::Reno);
    profile.delayed_acks = None;
    let mut link = Link::new(profile, 12, &[]);
    assert_eq!(link.run(150), "0: 0\n100: 1 2 3 4 5 6 7 8 9 10\n");
    let mut script = Script::new(Profile::ns2(Recovery::Reno));
    let syn = script.poll_all();
    assert_eq!((syn.len(), syn[0].size), (1, 40));
    assert!(syn[0].syn);
    assert_eq!(script.ack(1), "1 2");
}

#[test]
fn a_lost_syn_leaves_a_cwnd_of_one() {
    let mut script = Script::new(Profile::modern(Algorithm::Reno));
    script.poll();
    assert_eq!(script.wait(), "0*");
    assert_eq!(script.ack(1), "1");
    // ns-2 begins further connections so, too.
    for (profile, again) in [
        (Profile::modern(Algorithm::Reno), "2 3 4 5 6 7 8 9 10 11"),
        (Profile::ns2(Recovery::Reno), "2"),
    ] {
        let mut script = Script::new(profile);
        script.sender = Sender::new(&profile, script.now);
        script.sender.supply(1);
        script.poll();
        script.wait();
        assert_eq!(script.ack(1), "");
        script.sender.restart(&profile, script.now);
        script.sender.supply(u32::MAX);
        assert_eq!(script.poll(), "1");
        assert_eq!(script.ack(2), again);
    }
}

#[test]
fn a_new_connection_continues_the_numbering() {
    let profile = Profile::ns2(Recovery::NewReno);
    let mut link = Link::new(profile, 5, &[]);
    link.run(400);
    assert_eq!(link.sender.snd_una(), 5);
    link.sender.restart(&profile, link.now);
    link.receiver.restart(5);
    link.sender.supply(9);
    link.trace.clear();
    assert_eq!(link.run(900), "300: 5\n400: 6 7\n500: 8\n");
    assert_eq!(link.receiver.received(), 9);
}

#[test]
fn slow_start_doubles_cwnd_and_congestion_avoidance_adds_one_a_round_trip() {
    let mut profile = Profile::modern(Algorithm::Reno);
    profile.delayed_acks = None;
    profile.initial_window = 2;
    profile.initial_ssthresh = Some(8);
    let mut link = Link::new(profile, u32::MAX, &[]);
    let cwnds: Vec<u32> = (1..8)
        .map(|round| {
            link.run(100 * round);
            link.sender.cwnd() as u32
        })
        .collect();
    assert_eq!(cwnds, [2, 4, 8, 8, 9, 10, 11]);
}

#[test]
fn cwnd_does_not_grow_unused() {
    let mut profile = Profile::modern(Algorithm::Reno);
    profile.delayed_acks = None;
    profile.handshake = Handshake::None;
    profile.receiver_window = 20;
    let mut link = Link::new(profile, u32::MAX, &[]);
    link.run(2000);
    // In slow start up to twice what is in flight, as Linux.
    assert_eq!(link.sender.cwnd(), 40.0);
    assert_eq!(link.sender.in_flight(), 20);
    // Nor for want of data.
    let mut link = Link::new(profile, 4, &[]);
    link.run(2000);
    assert_eq!(link.sender.cwnd(), 10.0);
}

#[test]
fn syns_are_ecn_capable_where_the_queue_would_drop_them() {
    let codepoints = |algorithm| {
        let profile = Profile::modern(algorithm);
        let mut sender = Sender::new(&profile, Nanos::ZERO);
        sender.supply(2);
        let syn = sender.poll_transmit(&profile, Nanos::ZERO).unwrap();
        (syn.ecn, profile.control_codepoint())
    };
    let reno = (Ecn::NotCapable, Ecn::NotCapable);
    assert_eq!(codepoints(Algorithm::Reno), reno);
    assert_eq!(codepoints(Algorithm::Dctcp), (Ecn::Ect0, Ecn::Ect0));
    assert_eq!(codepoints(Algorithm::Prague), (Ecn::Ect1, Ecn::Ect1));
}

/// cwnd was full before a burst of acknowledgments; pacing has not filled it again between them.
#[test]
fn each_acknowledgment_of_a_burst_grows_cwnd_whether_paced_or_not() {
    for algorithm in [Algorithm::Dctcp, Algorithm::Scalable] {
        let mut profile = Profile::modern(algorithm);
        profile.initial_ssthresh = Some(10);
        let mut script = Script::with_window(profile, 10);
        while script.sender.in_flight() < 10 {
            script.wait();
        }
        for next in 1..=10 {
            script.ack(next);
        }
        let cwnd = script.sender.cwnd();
        assert!((10.9..11.0).contains(&cwnd), "{algorithm:?}: {cwnd}");
    }
}

#[test]
fn idleness_reduces_cwnd_to_the_initial_window() {
    let mut profile = Profile::modern(Algorithm::Reno);
    profile.delayed_acks = None;
    // 10 + 20 + 40 segments, of which the last 40 filled cwnd and leave one of 80.
    for (restarts, after) in [(true, 10), (false, 80)] {
        profile.slow_start_restart = restarts;
        let mut link = Link::new(profile, 1 + 70, &[]);
        link.run(400);
        assert_eq!(link.sender.snd_una(), 71);
        assert_eq!(link.sender.deadline(), Nanos::NEVER);
        link.sender.supply(1000);
        link.now = ms(1000);
        link.trace.clear();
        let sent = link.run(1050).split_whitespace().count() - 1;
        assert_eq!(sent, after);
    }
}

#[test]
fn ns2_sets_an_idle_cwnd_to_one_when_its_timer_expires() {
    let profile = Profile::ns2(Recovery::Reno);
    let mut link = Link::new(profile, 1 + 14, &[]);
    link.run(450);
    assert_eq!(link.sender.snd_una(), 15);
    assert_eq!(link.sender.cwnd(), 16.0);
    // 400 + 200 ms, as after the four round trips of the two losses.
    assert!(link.sender.deadline() <= ms(700));
    link.run(1000);
    assert_eq!(link.sender.cwnd(), 1.0);
    assert_eq!(link.sender.ssthresh(), 20.0);
    assert_eq!(link.sender.deadline(), Nanos::NEVER);
    assert_eq!(link.sender.counts().timeouts, 0);
}

#[test]
fn ns2_grows_an_unused_cwnd_and_halves_the_smaller_of_cwnd_and_rwnd() {
    let mut profile = Profile::ns2(Recovery::Reno);
    profile.receiver_window = 10;
    let mut script = Script::with_window(profile, 10);
    for next in 1..=40 {
        script.ack(next);
    }
    assert!(script.sender.cwnd() > 12.0);
    assert_eq!(script.sender.in_flight(), 10);
    for _ in 0..3 {
        script.ack(40);
    }
    assert_eq!(script.sender.cwnd(), 5.0);
}

#[test]
fn ns2_of_2000_reduces_cwnd_to_whole_segments() {
    // 11 and a fraction: half of it is 5 and more, or 5.
    for (whole_cuts, left) in [(false, 5.5..6.0), (true, 5.0..5.1)] {
        let mut profile = Profile::ns2(Recovery::Reno);
        profile.whole_cuts = whole_cuts;
        profile.initial_ssthresh = Some(1);
        let mut script = Script::with_window(profile, 11);
        script.ack(1);
        script.ack(2);
        assert!((11.1..11.9).contains(&script.sender.cwnd()));
        for _ in 0..3 {
            script.ack(2);
        }
        let cwnd = script.sender.cwnd();
        assert!(left.contains(&cwnd), "{whole_cuts}: {cwnd}");
    }
}

#[test]
fn linux_grows_and_reduces_cwnd_by_whole_segments() {
    let mut profile = Profile::linux(Algorithm::Reno);
    profile.reduction = Reduction::AtOnce;
    profile.initial_ssthresh = Some(7);
    let mut script = Script::with_window(profile, 7);
    script.ack(6);
    assert_eq!(script.sender.cwnd(), 7.0);
    script.ack(9);
    assert_eq!(script.sender.cwnd(), 8.0);
    script.ack(16);
    assert_eq!(script.sender.cwnd(), 9.0);
    for _ in 0..3 {
        script.sack(16, &[(17, 20)]);
    }
    assert_eq!(script.sender.cwnd(), 4.0);
}

#[test]
fn syns_and_retransmissions_are_not_ecn_capable() {
    for (mode, field) in [
        (EcnMode::Classic, Ecn::Ect0),
        (EcnMode::Dctcp, Ecn::Ect0),
        (EcnMode::L4s, Ecn::Ect1),
        (EcnMode::Off, Ecn::NotCapable),
    ] {
        let mut profile = Profile::modern(Algorithm::Reno);
        profile.ecn = mode;
        profile.loss_detection = LossDetection::DupAck; // No probe before the timeout.
        let mut script = Script::new(profile);
        assert_eq!(script.poll_all()[0].ecn, Ecn::NotCapable);
        script.now += ms(1);
        let ack = Ack {
            next: 1,
            echo: ms(0),
            echo_retransmitted: false,
            ece: false,
            sacked: &[],
            accecn: None,
        };
        script.sender.on_ack(&profile, &ack, script.now);
        assert!(script.poll_all().iter().all(|data| data.ecn == field));
        script.now = script.sender.deadline();
        script.sender.on_timer(&profile, script.now);
        assert_eq!(script.poll_all()[0].ecn, Ecn::NotCapable);
    }
}

#[test]
fn a_call_before_the_deadline_does_nothing() {
    let mut profile = Profile::modern(Algorithm::Reno);
    profile.loss_detection = LossDetection::DupAck;
    let mut script = Script::with_window(profile, 2);
    let deadline = script.sender.deadline();
    script.sender.on_timer(&script.profile, deadline - Nanos(1));
    assert_eq!(script.poll(), "");
    assert_eq!(script.wait(), "0*");
}

#[test]
fn inconsistent_profiles_are_refused() {
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
