//! Acknowledgments, delayed or not, their SACK blocks, and ECE.

use earlydrop::packet::Ecn;
use earlydrop::units::Nanos;

use super::{Algorithm, Arrival, DelayedAcks, EcnFeedback, EcnMode, Profile, Receiver};

const fn ms(millis: u64) -> Nanos {
    Nanos::from_millis(millis)
}

#[test]
fn linux_sends_quick_acks_at_first_and_after_a_mark() {
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
    // A mark, and the segment after it; another mark before CWR counts for nothing.
    assert!(at_once(18, Ecn::Ce, false) && at_once(19, Ecn::Ect0, false));
    assert!(!at_once(20, Ecn::Ce, false) && at_once(21, Ecn::Ect0, false));
    assert!(at_once(22, Ecn::Ect0, true));
    assert!(!at_once(23, Ecn::Ect0, false) && at_once(24, Ecn::Ect0, false));
    // What is not ECN-capable was retransmitted.
    assert!(at_once(25, Ecn::NotCapable, false) && at_once(26, Ecn::Ect0, false));
    assert!(!at_once(27, Ecn::Ect0, false));
}

#[test]
fn acks_are_delayed_except_for_segments_out_of_order() {
    let mut profile = Profile::modern(Algorithm::Reno);
    profile.delayed_acks = Some(DelayedAcks {
        every: 2,
        timeout: ms(40),
    });
    let mut receiver = Receiver::new(0);
    let mut ack_of = |number: u32, now: u64| {
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
    assert_eq!(ack_of(0, 0), Some((1, ms(0), 0)));
    assert_eq!(ack_of(1, 10), None);
    assert_eq!(ack_of(2, 11), Some((3, ms(10), 0)));
    // Out of order, and filling the hole: at once.
    assert_eq!(ack_of(4, 12), Some((3, ms(12), 1)));
    assert_eq!(ack_of(6, 13), Some((3, ms(13), 2)));
    assert_eq!(ack_of(3, 14), Some((5, ms(14), 1)));
    assert_eq!(ack_of(5, 15), Some((7, ms(15), 0)));
    // Again: reported by a DSACK.
    assert_eq!(ack_of(5, 16), Some((7, ms(16), 1)));
    assert_eq!(ack_of(7, 20), None);
    assert_eq!(receiver.deadline(), ms(60));
    assert!(receiver.on_timer(&profile, ms(59)).is_none());
    assert_eq!(receiver.on_timer(&profile, ms(60)).unwrap().next, 8);
    assert_eq!((receiver.received(), receiver.duplicates()), (8, 1));
}

#[test]
fn sack_blocks_are_reported_the_most_recent_first() {
    let profile = Profile::modern(Algorithm::Reno);
    let mut receiver = Receiver::new(0);
    let mut blocks = Vec::new();
    for number in [2, 4, 6, 8, 5, 3] {
        let arrival = Arrival {
            number,
            ecn: Ecn::NotCapable,
            cwr: false,
            retransmission: false,
            sent: ms(0),
        };
        let reply = receiver.on_segment(&profile, &arrival, ms(0)).unwrap();
        let sacked = reply.sacked().iter().map(|block| (block.from, block.to));
        blocks = sacked.collect();
    }
    assert_eq!(blocks, [(2, 7), (8, 9)]);
}

/// The acknowledgments of segments in a row, every second acknowledged, `E` being ECE. `m` is a
/// marked segment, `w` one with CWR.
fn acks_of(ecn: EcnMode, segments: &str) -> String {
    let mut profile = Profile::modern(Algorithm::Reno);
    profile.ecn = ecn;
    let mut receiver = Receiver::new(0);
    let mut acks = String::new();
    for (number, kind) in segments.chars().enumerate() {
        let arrival = Arrival {
            number: number as u32,
            ecn: if kind == 'm' { Ecn::Ce } else { Ecn::Ect0 },
            cwr: kind == 'w',
            retransmission: false,
            sent: ms(0),
        };
        if let Some(reply) = receiver.on_segment(&profile, &arrival, ms(0)) {
            acks += &format!("{}{} ", reply.next, if reply.ece { "E" } else { "" });
        }
    }
    if let Some(reply) = receiver.on_timer(&profile, ms(40)) {
        acks += &format!("{}{}", reply.next, if reply.ece { "E" } else { "" });
    }
    acks.trim_end().to_string()
}

#[test]
fn ece_is_set_from_a_mark_until_cwr() {
    assert_eq!(acks_of(EcnMode::Classic, "..m....w."), "1 3E 5E 7E 9");
    assert_eq!(acks_of(EcnMode::Classic, "m..."), "1E 3E 4E");
    assert_eq!(acks_of(EcnMode::Off, "mmm"), "1 3");
}

#[test]
fn with_dctcp_ece_reports_of_each_segment_whether_it_was_marked() {
    // The change at the third segment acknowledges the second at once.
    assert_eq!(acks_of(EcnMode::Dctcp, "..mm...m"), "1 2 4E 6 7 8E");
    assert_eq!(acks_of(EcnMode::Dctcp, ".....m.."), "1 3 5 6E 8");
}

/// The acknowledgments of segments in a row with AccECN, every `every`th acknowledged: the number,
/// ACE, and in brackets ECEB in segments. `m` is a marked segment.
fn accecn_acks_of(every: u32, segments: &str) -> String {
    let mut profile = Profile::modern(Algorithm::Prague);
    profile.delayed_acks = Some(DelayedAcks {
        every,
        timeout: ms(40),
    });
    let mut receiver = Receiver::new(0);
    let mut acks = Vec::new();
    for (number, kind) in segments.chars().enumerate() {
        let arrival = Arrival {
            number: number as u32,
            ecn: if kind == 'm' { Ecn::Ce } else { Ecn::Ect1 },
            cwr: false,
            retransmission: false,
            sent: ms(0),
        };
        acks.extend(receiver.on_segment(&profile, &arrival, ms(0)));
    }
    acks.extend(receiver.on_timer(&profile, ms(40)));
    let words = acks.iter().map(|reply| {
        let fields = reply.accecn.unwrap();
        let ce = fields.ce_bytes().unwrap() / profile.payload();
        assert!(!reply.ece);
        format!("{}:{}({ce})", reply.next, fields.ace())
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn with_accecn_each_ack_carries_the_counters() {
    assert_eq!(accecn_acks_of(2, "....."), "1:5(0) 3:5(0) 5:5(0)");
    // The counters stay and wrap: ACE modulo 8 from 5 on, ECEB modulo 2^24.
    assert_eq!(
        accecn_acks_of(2, ".mmmm.."),
        "1:5(0) 2:6(1) 4:0(3) 6:1(4) 7:1(4)"
    );
}

#[test]
fn marks_cause_acks_by_change_and_by_increment() {
    // One acknowledgment for ten segments, except: the first marked after one that is not, and
    // from there on each second marked (RFC 9768, 3.2.2.5.1, n = 2).
    assert_eq!(
        accecn_acks_of(10, "...mmmmm....m......"),
        "1:5(0) 4:6(1) 6:0(3) 8:2(5) 13:3(6) 19:3(6)"
    );
    // A segment that is not marked causes none, also after one that is.
    assert_eq!(accecn_acks_of(10, ".m....."), "1:5(0) 2:6(1) 7:6(1)");
}

#[test]
fn ace_alone_has_no_option_and_a_connection_begins_anew() {
    let mut profile = Profile::modern(Algorithm::Cubic);
    profile.ecn = EcnMode::Classic;
    profile.ecn_feedback = Some(EcnFeedback::Ace);
    let mut receiver = Receiver::new(0);
    let fields = |receiver: &mut Receiver, number| {
        let arrival = Arrival {
            number,
            ecn: Ecn::Ce,
            cwr: false,
            retransmission: false,
            sent: ms(0),
        };
        let reply = receiver.on_segment(&profile, &arrival, ms(0)).unwrap();
        let fields = reply.accecn.unwrap();
        (fields.ace(), fields.ce_bytes())
    };
    assert_eq!(fields(&mut receiver, 0), (6, None));
    receiver.restart(1);
    assert_eq!(fields(&mut receiver, 1), (6, None));
}

#[test]
fn a_marked_segment_that_go_back_n_discards_is_notified_as_well() {
    let profile = Profile::roce();
    let mut receiver = Receiver::new(0);
    // Segment 1 is lost. Notifications are at least 50 us apart.
    let arrivals = [(0, 0), (2, 10), (3, 20), (4, 30), (5, 79), (6, 80)];
    let replies = arrivals.map(|(number, micros)| {
        let arrival = Arrival {
            number,
            ecn: if number > 3 { Ecn::Ce } else { Ecn::Ect0 },
            cwr: false,
            retransmission: false,
            sent: ms(0),
        };
        let reply = receiver.on_segment(&profile, &arrival, Nanos::from_micros(micros));
        reply.map(|reply| (reply.next, reply.ece))
    });
    let (first, negative) = (Some((1, false)), Some((1, false)));
    let notified = Some((1, true));
    let expected = [first, negative, None, notified, None, notified];
    assert_eq!(replies, expected);
}
