//! Scripted losses, with the expected segments computed by hand.

use earlydrop::units::Nanos;

use super::testing::{Link, Script};
use super::{Algorithm, LossDetection, Profile, Recovery, Reduction};

fn standard(recovery: Recovery) -> Profile {
    Profile {
        recovery,
        loss_detection: LossDetection::DupAck,
        delayed_acks: None,
        initial_ssthresh: Some(1000),
        ..Profile::modern(Algorithm::Reno)
    }
}

fn expect(trace: &str, expected: &[&str]) {
    let lines: Vec<&str> = trace.lines().collect();
    assert_eq!(lines, expected, "\n{trace}");
}

#[test]
fn the_third_dupack_retransmits_the_segment() {
    // RFC 5681, section 3.2: 10 in flight, so ssthresh = 5 and cwnd = 5, inflated by 3.
    let mut script = Script::with_window(standard(Recovery::NewReno), 10);
    let sent: Vec<String> = (0..3).map(|_| script.ack(0)).collect();
    assert_eq!(sent, ["10", "11", "0*"]);
    assert_eq!(script.sender.ssthresh(), 5.0);
    // 12 outstanding: duplicates 4 to 7 inflate to 12; the 8th lets one go.
    let sent: Vec<String> = (0..6).map(|_| script.ack(0)).collect();
    assert_eq!(sent, ["", "", "", "", "12", "13"]);
    // All 12 of the window arrive: cwnd = ssthresh = 5, of which 12 and 13 are in flight.
    assert_eq!(script.ack(12), "14 15 16");
    assert_eq!(script.sender.cwnd(), 5.0);
}

#[test]
fn limited_transmit_can_be_switched_off() {
    let mut profile = standard(Recovery::NewReno);
    profile.limited_transmit = false;
    let mut script = Script::with_window(profile, 10);
    let sent: Vec<String> = (0..4).map(|_| script.ack(0)).collect();
    assert_eq!(sent, ["", "", "0*", ""]);
}

#[test]
fn an_application_without_data_limits_limited_transmit() {
    let mut profile = standard(Recovery::NewReno);
    profile.handshake = super::Handshake::None;
    let mut link = Link::new(profile, 6, &[(1, 1)]);
    expect(link.run(250), &["0: 0 1x 2 3 4 5", "100: 1*"]);
    assert_eq!(link.sender.snd_una(), 6);
}

#[test]
fn a_partial_ack_retransmits_the_next_hole_in_newreno() {
    let mut script = Script::with_window(standard(Recovery::NewReno), 10);
    for _ in 0..3 {
        script.ack(0);
    }
    // Up to 4 arrived: 4 is retransmitted, the window 8 - 4 + 1 = 5 ends at 9.
    assert_eq!(script.ack(4), "4*");
    assert_eq!(script.sender.in_flight(), 8);
    // Duplicates inflate to 9, which allows one beyond 12.
    let sent: Vec<String> = (0..4).map(|_| script.ack(4)).collect();
    assert_eq!(sent, ["", "", "", "12"]);
    assert_eq!(script.ack(12), "13 14 15 16");
    assert_eq!(script.sender.counts().recoveries, 1);
}

/// Trace and counts of a recovery algorithm when segments 8 and 10 are lost, in a window of 8
/// (numbers 7 to 14) that is sent at 300 ms.
fn two_losses(recovery: Recovery) -> (String, super::SenderCounts) {
    let mut profile = Profile::ns2(recovery);
    profile.handshake = super::Handshake::None;
    profile.initial_window = 1;
    let mut link = Link::new(profile, 40, &[(8, 1), (10, 1)]);
    let trace = link.run(900).to_string();
    (trace, link.sender.counts())
}

/// The first four lines of `two_losses`, which all algorithms share.
const START: [&str; 4] = [
    "0: 0",
    "100: 1 2",
    "200: 3 4 5 6",
    "300: 7 8x 9 10x 11 12 13 14",
];

fn expect_after_start(trace: &str, after: &[&str]) {
    let expected: Vec<&str> = START.iter().chain(after).copied().collect();
    expect(trace, &expected);
}

#[test]
fn tahoe_repairs_two_losses_by_slow_start() {
    let (trace, counts) = two_losses(Recovery::Tahoe);
    // 7 is acknowledged: cwnd = 9. Of five duplicates of 8 two let 17 and 18 go; the third sets
    // ssthresh = 4, cwnd = 1 and retransmits 8. Then 8 and 9 arrive: cwnd = 2, 10 and 11 again;
    // for 10 three more, and one for the duplicate that 11 makes; cwnd = 4 to 4.71 after.
    let after = [
        "400: 15 16 17 18 8*",
        "500: 10* 11*",
        "600: 19 20 21 22",
        "700: 23 24 25 26",
        "800: 27 28 29 30 31",
        "900: 32 33 34 35 36 37",
    ];
    expect_after_start(&trace, &after);
    assert_eq!((counts.timeouts, counts.recoveries), (0, 1));
}

#[test]
fn reno_repairs_two_losses_by_a_timeout() {
    let (trace, counts) = two_losses(Recovery::Reno);
    // cwnd = 4.5; nine duplicates inflate it to 13, so 19 and 20 go. 10 is acknowledged,
    // cwnd = 4.72 and 11 outstanding; only 19 and 20 make duplicates. RTO after four
    // round trips of 10 ticks: (80 + 8 * 9) / 8 = 19 ticks, so 200 ms.
    let after = [
        "400: 15 16 17 18 8*",
        "500: 19 20",
        "700: 10*",
        "800: 21 22",
        "900: 23 24",
    ];
    expect_after_start(&trace, &after);
    assert_eq!((counts.timeouts, counts.recoveries), (1, 1));
}

#[test]
fn newreno_repairs_two_losses_in_two_rtt_sampling() {
    let (trace, counts) = two_losses(Recovery::NewReno);
    // As Reno until 10 is acknowledged: 9 - 2 + 1 = 8 inflated, so 10 + 4 + 8 = 22 is
    // the end. Two more duplicates, then all up to 20 arrived, cwnd = 4.72, and so on.
    let after = [
        "400: 15 16 17 18 8*",
        "500: 19 20 10* 21",
        "600: 22 23 24 25",
        "700: 26 27 28 29 30",
        "800: 31 32 33 34 35 36",
        "900: 37 38 39",
    ];
    expect_after_start(&trace, &after);
    assert_eq!((counts.timeouts, counts.recoveries), (0, 1));
}

#[test]
fn sack_repairs_two_losses_in_one_round_trip() {
    let (trace, counts) = two_losses(Recovery::Sack);
    // pipe = 11 - 3 = 8, 6 after five duplicates, 3 after three more: 10 again, then 19
    // for the fourth; 10 is acknowledged: 2 less, so 20 and 21.
    let after = [
        "400: 15 16 17 18 8*",
        "500: 10* 19 20 21",
        "600: 22 23 24 25 26",
        "700: 27 28 29 30 31 32",
        "800: 33 34 35 36 37 38",
        "900: 39",
    ];
    expect_after_start(&trace, &after);
    assert_eq!((counts.timeouts, counts.recoveries), (0, 1));
}

#[test]
fn rto_doubles_with_each_timeout_and_ssthresh_is_halved_once() {
    let mut script = Script::with_window(standard(Recovery::NewReno), 10);
    let first = script.sender.deadline();
    assert_eq!(first, Nanos::from_secs(1));
    assert_eq!(script.wait(), "0*");
    assert_eq!(script.sender.deadline(), first + Nanos::from_secs(2));
    assert_eq!(script.sender.ssthresh(), 5.0);
    assert_eq!(script.wait(), "0*");
    assert_eq!(script.sender.deadline(), first + Nanos::from_secs(6));
    assert_eq!(script.sender.ssthresh(), 5.0);
    // 60 s is the most.
    for _ in 0..6 {
        assert_eq!(script.wait(), "0*");
    }
    assert_eq!(script.sender.rto(), Nanos::from_secs(60));
    // Slow start retransmits what was sent before.
    assert_eq!(script.ack(1), "1* 2*");
    assert_eq!(script.ack(2), "3* 4*");
    // All others had arrived: new data follows.
    assert_eq!(script.ack(10), "10 11 12 13 14");
}

#[test]
fn dupacks_of_what_was_sent_before_a_timeout_show_no_loss() {
    let mut script = Script::with_window(standard(Recovery::NewReno), 10);
    script.wait();
    let sent: Vec<String> = (0..4).map(|_| script.ack(0)).collect();
    assert!(sent.iter().all(|sent| !sent.contains("0*")), "{sent:?}");
    assert_eq!(script.sender.counts().recoveries, 0);
}

#[test]
fn holes_are_filled_in_order_and_as_the_pipe_empties() {
    // RFC 6675 with 10 in flight, 0 and 2 lost.
    let mut script = Script::with_window(standard(Recovery::Sack), 10);
    assert_eq!(script.sack(0, &[(1, 2)]), "10");
    assert_eq!(script.sack(0, &[(3, 4), (1, 2)]), "11");
    // Third: FlightSize 10, cwnd = 5; 0 and no other is lost (1 beyond 2 arrived but 3 are
    // needed); pipe = 2, 5..11, and the retransmitted 0 = 9.
    assert_eq!(script.sack(0, &[(3, 5), (1, 2)]), "0*");
    assert_eq!(script.sender.in_flight(), 9);
    // 5 arrives: 2 is lost too, so the pipe is 6..11 and 0: 7.
    assert_eq!(script.sack(0, &[(3, 6), (1, 2)]), "");
    assert_eq!(script.sender.in_flight(), 7);
    assert_eq!(script.sack(0, &[(3, 7), (1, 2)]), "");
    assert_eq!(script.sack(0, &[(3, 8), (1, 2)]), "");
    // The pipe is 4: room for the hole.
    assert_eq!(script.sack(0, &[(3, 9), (1, 2)]), "2*");
    assert_eq!(script.sack(0, &[(3, 10), (1, 2)]), "12");
    assert_eq!(script.sack(2, &[(3, 10)]), "13");
    // 2 arrived: 10..13 are in flight, and recovery ends with 12.
    assert_eq!(script.ack(10), "14");
    assert_eq!(script.ack(12), "15 16");
    assert_eq!(script.sender.cwnd(), 5.0);
    assert_eq!(script.sender.counts().recoveries, 1);
}

#[test]
fn a_lost_retransmission_waits_for_the_timer_in_rfc_6675() {
    let mut profile = standard(Recovery::Sack);
    profile.lost_retransmissions = false;
    let mut script = Script::with_window(profile, 10);
    for to in 2..11 {
        script.sack(0, &[(1, to)]);
    }
    // Everything but 0 and its retransmission arrived.
    assert!(script.sender.in_flight() <= 5);
    assert_eq!(script.wait(), "0*");
    // What was reported received is not retransmitted; the rest is.
    let sent = script.ack(10);
    assert!(sent.starts_with("10*"), "{sent}");
}

#[test]
fn a_lost_retransmission_is_detected_by_segments_sent_after_it() {
    let mut profile = standard(Recovery::Sack);
    profile.handshake = super::Handshake::None;
    let mut link = Link::new(profile, 60, &[(0, 1), (0, 2), (2, 1), (0, 3)]);
    // At 100 ms 1 and 3 to 9 are reported: cwnd = 5, and after 0 the pipe is 9, and 4 when
    // there is room for 2 and for 12. 0 was sent before 12, so it is lost again once 12
    // to 14 arrived; sent then before 18, it is lost again once 18 to 20 arrived.
    let expected = [
        "0: 0x 1 2x 3 4 5 6 7 8 9",
        "100: 10 11 0*x 2* 12",
        "200: 13 14 15 16",
        "300: 17 0*x 18 19 20",
        "400: 21 22 23 0* 24",
        "500: 25 26 27 28 29",
    ];
    expect(link.run(550), &expected);
    assert_eq!(link.sender.counts().recoveries, 1);
}

#[test]
fn the_rescue_retransmission_repairs_a_lost_tail() {
    let mut profile = standard(Recovery::Sack);
    profile.handshake = super::Handshake::None;
    // 9 is the last of the data: 2 is known lost, 9 is not.
    let mut link = Link::new(profile, 10, &[(2, 1), (9, 1)]);
    expect(link.run(350), &["0: 0 1 2x 3 4 5 6 7 8 9x", "100: 2* 9*"]);
    assert_eq!(link.sender.snd_una(), 10);
    assert_eq!(link.sender.counts().timeouts, 0);
}

fn ns2(recovery: Recovery) -> Profile {
    Profile {
        receiver_window: 100,
        ..Profile::ns2(recovery)
    }
}

#[test]
fn ns2_halves_cwnd_and_a_partial_ack_takes_from_it_what_was_not_inflated() {
    let mut script = Script::with_window(ns2(Recovery::NewReno), 10);
    assert_eq!(script.ack(1), "10 11");
    // cwnd is 11. With snd_una at iss + 1 ns-2 detects a loss whatever `recover` is.
    let sent: Vec<String> = (0..3).map(|_| script.ack(1)).collect();
    assert_eq!(sent, ["12", "13", "1*"]);
    assert_eq!(script.sender.cwnd(), 5.5);
    assert_eq!(script.sender.ssthresh(), 5.0);
    // Up to 7 arrived with only 3 duplicates: 5.5 - (6 - 3), inflated by 1.
    assert_eq!(script.ack(7), "7*");
    assert_eq!(script.sender.cwnd(), 2.5);
    // 14 of 14 arrived: slow start from 2.5 to ssthresh = 5, with this acknowledgment.
    assert_eq!(script.ack(14), "14 15 16");
    assert_eq!(script.sender.cwnd(), 3.5);
}

#[test]
fn ns2_newreno_answers_a_dupack_with_two_segments_at_most() {
    let mut script = Script::with_window(ns2(Recovery::NewReno), 10);
    script.ack(1);
    for _ in 0..3 {
        script.ack(1);
    }
    // 6 more duplicates: 1 + 5 + 9 = 15 is the end, 14 the next number.
    let sent: Vec<String> = (0..6).map(|_| script.ack(1)).collect();
    assert_eq!(sent.join(","), ",,,,,14");
    // Inflation stays 9 - 1 + 1 = 9: 2 + 5 + 9 = 16 is the end.
    assert_eq!(script.ack(2), "2* 15");
    // More data than two segments for a duplicate, once the application has it.
    let mut script = Script::with_window(ns2(Recovery::NewReno), 10);
    script.ack(1);
    script.sender.withdraw();
    for _ in 0..12 {
        script.ack(1);
    }
    script.sender.supply(u32::MAX);
    assert_eq!(script.ack(1), "12 13");
    assert_eq!(script.ack(1), "14 15");
}

#[test]
fn ns2_detects_no_loss_in_a_window_that_was_reduced_already() {
    // The "bugfix": after the timeout, duplicates of what was sent before it.
    let mut script = Script::with_window(ns2(Recovery::Reno), 10);
    script.ack(1);
    script.ack(2);
    assert_eq!(script.wait(), "2*");
    assert_eq!(script.ack(3), "3* 4*");
    let sent: Vec<String> = (0..5).map(|_| script.ack(3)).collect();
    assert!(sent.iter().all(|sent| !sent.starts_with("3*")), "{sent:?}");
    assert_eq!(script.sender.counts().recoveries, 0);
}

#[test]
fn ns2_repairs_after_a_timeout_once_new_data_was_acknowledged() {
    let mut script = Script::with_window(ns2(Recovery::Sack), 4);
    script.ack(1);
    script.wait();
    // After the timeout SACK blocks are ignored.
    assert_eq!(script.sack(1, &[(3, 4)]), "");
    for next in 6..17 {
        script.ack(next);
    }
    let recoveries = script.sender.counts().recoveries;
    for to in 18..21 {
        script.sack(16, &[(17, to)]);
    }
    assert_eq!(script.sender.counts().recoveries, recoveries + 1);
}

#[test]
fn a_second_timeout_reduces_ssthresh_to_two_in_ns2() {
    let mut script = Script::with_window(ns2(Recovery::Reno), 20);
    script.wait();
    assert_eq!(script.sender.ssthresh(), 10.0);
    script.wait();
    assert_eq!(script.sender.ssthresh(), 2.0);
}

#[test]
fn max_burst_limits_what_one_ack_sends() {
    let mut profile = standard(Recovery::NewReno);
    profile.max_burst = Some(3);
    let mut script = Script::with_window(profile, 3);
    script.sender.supply(u32::MAX);
    script.ack(1);
    script.ack(2);
    for _ in 0..3 {
        script.ack(2);
    }
    // Everything arrives at once.
    let sent = script.ack(script.sender.snd_una() + 6);
    assert!(sent.split(' ').count() <= 3, "{sent}");
}

#[test]
fn a_sender_that_paces_waits_for_its_deadline() {
    let mut profile = Profile::modern(Algorithm::Bbr);
    profile.delayed_acks = None;
    let mut script = Script::with_window(profile, 10);
    // The first segment went at once, the others by the guessed rate: 2.89 cwnd a millisecond.
    let mut times = Vec::new();
    while script.sender.in_flight() < 10 {
        assert_eq!(script.poll(), "");
        let due = script.sender.deadline();
        assert!(due > script.now);
        times.push((due - script.now).0);
        let sent = script.wait();
        assert_eq!(sent.split(' ').count(), 1, "{sent}");
    }
    assert_eq!(times.len(), 9);
    assert!(
        times.iter().all(|gap| (34_000..35_300).contains(gap)),
        "{times:?}"
    );
}

#[test]
fn prr_spreads_the_reduction_for_a_loss_over_a_round_trip() {
    let mut profile = standard(Recovery::Sack);
    profile.reduction = Reduction::Proportional;
    let mut script = Script::with_window(profile, 10);
    assert_eq!(script.sack(0, &[(1, 2)]), "10");
    assert_eq!(script.sack(0, &[(1, 3)]), "11");
    assert_eq!(script.sack(0, &[(1, 4)]), "0*");
    let sent: Vec<String> = (5..13).map(|to| script.sack(0, &[(1, to)])).collect();
    // The third of 10 in flight showed the loss; half of what is delivered is sent.
    assert_eq!(sent.join(","), ",12,,13,,,14,15");
    assert_eq!(script.ack(12), "16");
    assert_eq!((script.sender.in_flight(), script.sender.cwnd()), (5, 5.0));
}
