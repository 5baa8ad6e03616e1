//! RACK-TLP against the steps of RFC 8985, with acknowledgments made by hand.

use earlydrop::units::Nanos;

use super::testing::{Link, Steps, rack_profile as profile};
use super::{Algorithm, Arrival, Profile, Receiver, Sender};

const fn ms(millis: u64) -> Nanos {
    Nanos::from_millis(millis)
}

/// A timer may be 16 ns late.
fn assert_near(deadline: Nanos, due: Nanos) {
    assert!(
        due <= deadline && deadline.since(due) < Nanos(16),
        "{deadline} {due}"
    );
}

#[test]
fn a_hole_is_lost_once_the_reordering_window_has_passed() {
    // Step 4: min_RTT / 4 = 25 ms, as nothing was reordered and less than 3 segments are
    // reported. Step 5: 0 + 100 + 25 = 125 ms.
    let (mut steps, _) = Steps::new(profile(), 10, u32::MAX);
    assert_eq!(steps.ack(100, 1, 0, &[(1, 2)]), "10");
    assert_eq!(steps.ack(101, 2, 0, &[(1, 3)]), "11");
    // RACK.rtt is 101 ms now.
    assert_eq!(steps.timer(), (126, "0*".to_string()));
    assert_eq!(steps.sender.cwnd(), 5.0);
    assert_eq!(steps.sender.counts().recoveries, 1);
}

#[test]
fn three_segments_beyond_a_hole_show_its_loss_at_once_unless_reordering_was_seen() {
    let (mut steps, _) = Steps::new(profile(), 10, u32::MAX);
    steps.ack(100, 1, 0, &[(1, 2)]);
    steps.ack(100, 2, 0, &[(1, 3)]);
    assert_eq!(steps.ack(100, 3, 0, &[(1, 4)]), "0*");
    // Now 0 arrives late: below RACK.fack, and never retransmitted (step 3).
    let (mut steps, _) = Steps::new(profile(), 10, u32::MAX);
    steps.ack(100, 1, 0, &[(1, 2)]);
    steps.ack(101, 0, 2, &[]);
    for to in 4..8 {
        let sent = steps.ack(102, to - 1, 2, &[(3, to)]);
        assert!(!sent.contains('*'), "{sent}");
    }
    // 2 was sent at 0 ms: 102 + 100 / 4.
    let (at, sent) = steps.timer();
    assert_eq!(at, 127);
    assert_eq!(sent.split(' ').next(), Some("2*"));
}

#[test]
fn reordering_within_the_window_retransmits_nothing_once_it_was_seen() {
    // A round trip is 100 ms; every seventh segment takes 20 ms more.
    let profile = profile();
    let (mut sender, mut receiver) = (Sender::new(&profile, ms(0)), Receiver::new(0));
    sender.supply(u32::MAX);
    let mut in_flight = std::collections::BTreeMap::new();
    let (mut now, mut late) = (ms(0), Vec::new());
    while now < ms(3000) {
        // A segment a millisecond.
        if let Some(segment) = sender.poll_transmit(&profile, now) {
            let slow = segment.number % 7 == 3 && !segment.retransmission;
            let arrives = now + ms(if slow { 120 } else { 100 });
            in_flight.insert((arrives, segment.number), (segment, now));
            if segment.retransmission {
                late.push(now);
            }
        }
        now += ms(1);
        sender.on_timer(&profile, now);
        while let Some(first) = in_flight.first_entry()
            && first.key().0 <= now
        {
            let (segment, sent) = first.remove();
            let reply = receiver.on_segment(&profile, &Arrival::of(&segment, sent), now);
            sender.on_ack(&profile, &reply.unwrap().as_ack(), now);
        }
    }
    assert!(receiver.received() > 150);
    // At first three segments that overtake one show a loss. What was retransmitted for that is
    // no evidence of reordering; the next late segment is.
    assert!(late.iter().all(|at| *at < ms(500)), "{late:?}");
}

#[test]
fn a_dsack_widens_the_window_once_a_round_trip() {
    let (mut steps, _) = Steps::new(profile(), 10, u32::MAX);
    // Reordering was seen, and SRTT is 100 ms.
    steps.ack(100, 1, 0, &[(1, 2)]);
    steps.ack(100, 0, 2, &[]);
    // Two DSACKs in one round trip count once: 2 * 100 / 4.
    steps.ack(100, 2, 3, &[(0, 1)]);
    steps.ack(100, 3, 4, &[(1, 2)]);
    steps.ack(100, 5, 4, &[(5, 6)]);
    assert_eq!(steps.sender.deadline(), ms(150));
}

#[test]
fn the_window_is_at_most_srtt() {
    let mut patient = profile();
    patient.timer.minimum = Nanos::from_secs(1);
    let (mut steps, _) = Steps::new(patient, 40, u32::MAX);
    steps.ack(100, 1, 0, &[(1, 2)]);
    steps.ack(100, 0, 2, &[]);
    for round in 0..6 {
        // A DSACK for each round: all that was sent before is acknowledged.
        let next = steps.sent.last().unwrap().0 + 1;
        steps.ack(200 + 100 * round, next - 1, next, &[(0, 1)]);
    }
    let next = steps.sender.snd_una();
    steps.ack(800, next + 1, next, &[(next + 1, next + 2)]);
    // 7 * 100 / 4 is above SRTT.
    assert_near(
        steps.sender.deadline(),
        ms(800) + steps.sender.srtt(&steps.profile),
    );
}

#[test]
fn sixteen_recoveries_without_a_dsack_take_the_window_back() {
    let (mut steps, _) = Steps::new(profile(), 40, u32::MAX);
    steps.ack(100, 1, 0, &[(1, 2)]);
    steps.ack(100, 0, 2, &[]);
    steps.ack(100, 2, 3, &[(0, 1)]);
    let mut now = 200;
    let mut windows = Vec::new();
    for _ in 0..17 {
        let hole = steps.sender.snd_una();
        steps.ack(now, hole + 1, hole, &[(hole + 1, hole + 2)]);
        windows.push((steps.sender.deadline().0 - now * 1_000_000) / 1_000_000);
        steps.timer();
        now += 150;
        let next = steps
            .sent
            .iter()
            .map(|(number, _)| number + 1)
            .max()
            .unwrap();
        // By the retransmission: the original would show that the recovery was spurious.
        steps.ack(now, hole, next, &[]);
        now += 100;
    }
    assert!(
        windows[..16].iter().all(|window| *window == 50),
        "{windows:?}"
    );
    assert_eq!(windows[16], 25);
}

#[test]
fn an_acknowledgment_of_an_earlier_transmission_is_no_evidence() {
    // 0 and 1 are lost; 0 is retransmitted at 100 ms. An acknowledgment of it that echoes 0 ms is
    // one of the original (step 2), so nothing sent after 0 ms is judged by it.
    let profile = Profile {
        undo: false,
        ..profile()
    };
    let (mut steps, _) = Steps::new(profile, 10, u32::MAX);
    for to in 3..6 {
        steps.ack(100, to - 1, 0, &[(2, to)]);
    }
    assert_eq!(steps.sender.counts().retransmissions, 1);
    steps.ack_echoing(250, ms(0), 1, &[(2, 5)]);
    // 5 to 9, and 10 and 11 by limited transmit; 1 is lost.
    assert_eq!(steps.sender.in_flight(), 7);
    // Had it echoed 100 ms, 5 to 9 would be lost, too.
    let (mut steps, _) = Steps::new(profile, 10, u32::MAX);
    for to in 3..6 {
        steps.ack(100, to - 1, 0, &[(2, to)]);
    }
    let sent = steps.ack(250, 0, 1, &[(2, 5)]);
    assert_eq!(sent, "1* 5* 6*");
}

#[test]
fn a_lost_retransmission_is_detected_by_one_segment_sent_after_it() {
    let (mut steps, _) = Steps::new(profile(), 10, u32::MAX);
    steps.ack(100, 1, 0, &[(1, 2)]);
    steps.ack(100, 2, 0, &[(1, 3)]);
    assert_eq!(steps.ack(100, 3, 0, &[(1, 4)]), "0*");
    for to in 5..11 {
        steps.ack(105, to - 1, 0, &[(1, to)]);
    }
    // 12 was sent at 105 ms, after 0: with reo_wnd 0 in recovery 0 is lost again.
    let sent = steps.ack(205, 12, 0, &[(12, 13), (1, 10)]);
    assert!(sent.starts_with("0*"), "{sent}");
    assert_eq!(steps.sender.counts().recoveries, 1);
}

#[test]
fn pto_is_two_srtt_and_an_ack_delay_for_one_segment() {
    // 1 s without a measurement, but before RTO; the last segment is the probe.
    let (mut steps, _) = Steps::new(profile(), 3, 3);
    assert_eq!(steps.timer(), (999, "2*".to_string()));
    // The retransmission timer follows, RTO after the probe.
    assert_eq!(steps.timer(), (1999, "0*".to_string()));
    assert_eq!(steps.sender.counts().timeouts, 1);

    let (mut steps, _) = Steps::new(profile(), 4, 8);
    steps.profile.timer.minimum = Nanos::from_secs(1);
    assert_eq!(steps.ack(100, 0, 1, &[]), "4 5");
    assert_eq!(steps.sender.deadline().0 / 1_000_000, 300);
    steps.ack(110, 5, 6, &[]);
    steps.ack(200, 6, 7, &[]);
    // SRTT is 101.25 and then 100.08 ms; 200 ms more as only 7 is in flight.
    let srtt = steps.sender.srtt(&steps.profile);
    let due = ms(200) + srtt + srtt + ms(200);
    assert_near(steps.sender.deadline(), due);
}

#[test]
fn a_probe_repairs_a_lost_tail_without_a_timeout() {
    let mut link = Link::new(profile(), 13, &[(11, 1), (12, 1)]);
    // 1 to 9 are acknowledged at 100 ms, 10 at 200 ms. SRTT is 100 ms, so PTO expires 200 ms
    // later; the probe's SACK shows that 11 is lost.
    let trace = link.run(900).to_string();
    let expected = [
        "0: 0 1 2 3 4 5 6 7 8 9",
        "100: 10 11x 12x",
        "400: 12*",
        "500:",
    ];
    let lines: Vec<&str> = trace.lines().collect();
    assert_eq!(lines[..3], expected[..3], "{trace}");
    assert!(trace.contains("11*"), "{trace}");
    assert_eq!(link.sender.snd_una(), 13);
    let counts = link.sender.counts();
    assert_eq!((counts.timeouts, counts.recoveries), (0, 1));
}

#[test]
fn new_data_is_preferred_as_a_probe() {
    let mut without = profile();
    without.limited_transmit = false;
    let (mut steps, _) = Steps::new(without, 2, u32::MAX);
    // cwnd does not allow 2, the probe goes anyway; its acknowledgment ends the probe.
    let (_, sent) = steps.timer();
    assert_eq!(sent, "2");
    assert_eq!(steps.ack(1100, 2, 3, &[]).split(' ').next(), Some("3"));
    assert_eq!(steps.sender.counts().retransmissions, 0);
    // PTO runs again.
    assert!(steps.sender.deadline() < ms(1100) + steps.sender.rto());
}

#[test]
fn a_loss_that_the_probe_repaired_reduces_cwnd_once_more_is_acknowledged() {
    let (mut steps, _) = Steps::new(profile(), 10, 10);
    let cwnd = |steps: &Steps| steps.sender.cwnd();
    steps.ack(100, 8, 9, &[]);
    let before = cwnd(&steps);
    assert_eq!(steps.timer().1, "9*");
    let end = steps.sender.deadline().0 / 1_000_000 - 50;
    steps.ack(end, 9, 10, &[]);
    // TLP.end_seq is acknowledged: repaired, or the original was late.
    assert!(cwnd(&steps) >= before);
    steps.sender.supply(12);
    steps.poll(ms(end + 1));
    steps.ack(end + 101, 10, 11, &[]);
    assert_eq!((cwnd(&steps), steps.sender.counts().recoveries), (2.0, 1));
}

#[test]
fn a_dsack_of_the_probe_shows_that_nothing_was_lost() {
    let (mut steps, _) = Steps::new(profile(), 10, 10);
    steps.ack(100, 8, 9, &[]);
    assert_eq!(steps.timer().1, "9*");
    let end = steps.sender.deadline().0 / 1_000_000 - 50;
    steps.ack_echoing(end, ms(0), 10, &[]);
    steps.ack(end + 1, 9, 10, &[(9, 10)]);
    steps.sender.supply(12);
    steps.poll(ms(end + 1));
    steps.ack(end + 101, 10, 11, &[]);
    assert_eq!(steps.sender.counts().recoveries, 0);
    assert!(steps.sender.cwnd() > 10.0);
}

#[test]
fn a_timeout_marks_the_first_segment_and_what_is_overdue() {
    // 6.3: 3 was sent long before, 4 to 6 one round trip before the timer expires.
    let mut script = profile();
    script.timer.minimum = ms(200);
    let (mut steps, _) = Steps::new(script, 4, 4);
    steps.ack(100, 2, 3, &[]);
    // The probe is lost, too.
    let (probed, sent) = steps.timer();
    assert_eq!(sent, "3*");
    steps.sender.supply(7);
    let later = steps.sender.deadline() - ms(30);
    assert!(later > ms(probed));
    assert_eq!(steps.poll(later), "4 5 6");
    let (_, sent) = steps.timer();
    assert_eq!(sent, "3*");
    // 4 to 6 are still in flight.
    assert_eq!(steps.sender.in_flight(), 4);
    assert_eq!(steps.sender.counts().timeouts, 1);
}

#[test]
fn the_receiver_reports_what_arrived_twice() {
    let profile = profile();
    let mut receiver = Receiver::new(0);
    let mut blocks = |number| {
        let arrival = Arrival {
            number,
            ecn: earlydrop::packet::Ecn::NotCapable,
            cwr: false,
            retransmission: false,
            sent: ms(0),
        };
        let reply = receiver.on_segment(&profile, &arrival, ms(0)).unwrap();
        let blocks = reply.sacked().iter().map(|block| (block.from, block.to));
        (reply.next, blocks.collect::<Vec<_>>())
    };
    assert_eq!(blocks(0), (1, vec![]));
    assert_eq!(blocks(0), (1, vec![(0, 1)]));
    assert_eq!(blocks(2), (1, vec![(2, 3)]));
    assert_eq!(blocks(2), (1, vec![(2, 3), (2, 3)]));
    for number in [4, 6, 8] {
        blocks(number);
    }
    assert_eq!(blocks(0), (1, vec![(0, 1), (8, 9), (6, 7)]));
}

/// A BBR sender with round trips of 10 us whose PTO expires while pacing holds back what is sent
/// next: the SYN is acknowledged, and 1 and 2, all of its data, are in flight. Returns a time
/// within the pacing gap, and when 2 was sent.
///
/// Before BBR has measured a rate it paces the initial `cwnd` of 2 over 1 ms / 2.885.
fn probe_held_by_pacing() -> (Steps, Nanos, Nanos) {
    let us = Nanos::from_micros;
    let profile = Profile {
        delayed_acks: None,
        ..Profile::modern(Algorithm::Bbr)
    };
    let (mut steps, syn) = Steps::new(profile, 2, 3);
    assert_eq!(syn, "0");
    assert_eq!(steps.ack_at(us(10), ms(0), 1, &[]), "");
    assert_eq!(steps.timer().1, "1");
    assert_eq!(steps.timer().1, "2");
    let (_, sent) = steps.sent[2];
    assert_near(steps.sender.deadline(), sent + us(20));
    assert_eq!(steps.timer().1, "");
    (steps, sent + us(30), sent)
}

#[test]
fn a_probe_held_by_pacing_is_not_sent_once_its_segment_is_acknowledged() {
    let (mut steps, now, sent) = probe_held_by_pacing();
    assert_eq!(steps.ack_at(now, sent, 3, &[]), "");
    while steps.sender.deadline() != Nanos::NEVER {
        assert_eq!(steps.timer().1, "");
    }
    let counts = steps.sender.counts();
    assert_eq!((counts.retransmissions, counts.recoveries), (0, 0));
}

#[test]
fn a_probe_held_by_pacing_is_sent_when_its_segment_is_still_in_flight() {
    let (mut steps, now, _) = probe_held_by_pacing();
    let (_, sent) = steps.sent[1];
    assert_eq!(steps.ack_at(now, sent, 2, &[]), "");
    assert_eq!(steps.timer().1, "2*");
}

#[test]
fn a_recovery_replaces_a_probe_held_by_pacing() {
    // 2, which the probe would repeat, arrived more than a round trip after 1 was sent.
    let (mut steps, now, sent) = probe_held_by_pacing();
    assert_eq!(steps.ack_at(now, sent, 1, &[(2, 3)]), "");
    assert_eq!(steps.timer().1, "1*");
    let counts = steps.sender.counts();
    assert_eq!((counts.retransmissions, counts.recoveries), (1, 1));
}
