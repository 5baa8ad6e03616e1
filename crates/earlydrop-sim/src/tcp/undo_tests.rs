//! Spurious reductions that are undone, with acknowledgments made by hand.

use earlydrop::units::Nanos;

use super::testing::{Steps, rack_profile};
use super::{Algorithm, Profile, RttSampling};

const fn ms(millis: u64) -> Nanos {
    Nanos::from_millis(millis)
}

/// Ten segments are sent at 0 ms; 0 is late, taken for lost and retransmitted at 103 ms.
fn with_late_segment(profile: Profile) -> Steps {
    let (mut steps, _) = Steps::new(profile, 10, u32::MAX);
    steps.ack(101, 1, 0, &[(1, 2)]);
    steps.ack(102, 2, 0, &[(1, 3)]);
    let sent = steps.ack(103, 3, 0, &[(1, 4)]);
    assert_eq!(sent.split(' ').next(), Some("0*"));
    assert!(steps.sender.cwnd() < 8.0);
    steps
}

fn without_undo() -> Profile {
    Profile {
        undo: false,
        ..rack_profile()
    }
}

#[test]
fn a_timestamp_before_the_retransmission_undoes_the_reduction() {
    for (profile, cwnd) in [(rack_profile(), 11.0), (without_undo(), 5.0)] {
        let mut steps = with_late_segment(profile);
        // The original of 0 arrives: slow start goes on, by the one segment that is new.
        steps.ack_echoing(104, ms(0), 4, &[]);
        assert_eq!(steps.sender.cwnd(), cwnd);
        assert_eq!(steps.sender.ssthresh() == 1000.0, cwnd > 5.0);
    }
}

#[test]
fn the_acknowledgment_of_the_retransmission_undoes_nothing() {
    let mut steps = with_late_segment(rack_profile());
    steps.ack(203, 0, 4, &[]);
    assert_eq!(steps.sender.cwnd(), 5.0);
    // Nor does one sent in the same tick as the retransmission.
    let mut steps = with_late_segment(rack_profile());
    steps.ack_echoing(203, Nanos(103_000_001), 4, &[]);
    assert_eq!(steps.sender.cwnd(), 5.0);
}

#[test]
fn dsacks_of_all_retransmissions_undo_the_reduction() {
    for sampling in [RttSampling::Every, RttSampling::OneAtATime] {
        let mut profile = rack_profile();
        profile.rtt_sampling = sampling;
        let mut steps = with_late_segment(profile);
        // What fills the hole does not say whether it is the original; its duplicate does.
        steps.ack(203, 0, 4, &[]);
        assert_eq!(steps.sender.cwnd(), 5.0);
        steps.ack(204, 0, 4, &[(0, 1)]);
        assert_eq!(steps.sender.cwnd(), 10.0, "{sampling:?}");
    }
}

#[test]
fn a_dsack_of_one_retransmission_of_two_undoes_nothing() {
    let (mut steps, _) = Steps::new(rack_profile(), 10, u32::MAX);
    steps.ack(101, 2, 0, &[(2, 3)]);
    steps.ack(102, 3, 0, &[(2, 4)]);
    steps.ack(103, 4, 0, &[(2, 5)]);
    for to in 6..=10 {
        steps.ack(103 + u64::from(to), to - 1, 0, &[(2, to)]);
    }
    assert_eq!(steps.sender.counts().retransmissions, 2);
    let reduced = steps.sender.cwnd();
    steps.ack(203, 0, 1, &[(2, 10)]);
    steps.ack(210, 1, 10, &[]);
    steps.ack(211, 0, 10, &[(0, 1)]);
    assert_eq!(steps.sender.cwnd(), reduced);
    steps.ack(212, 1, 10, &[(1, 2)]);
    assert!(steps.sender.cwnd() > reduced);
}

#[test]
fn a_hole_that_a_retransmission_may_still_fill_is_waited_for() {
    // 0 and 1 are late, and were both retransmitted when 0 arrives.
    let (mut steps, _) = Steps::new(rack_profile(), 10, u32::MAX);
    for to in 3..=10 {
        steps.ack(100 + u64::from(to), to - 1, 0, &[(2, to)]);
    }
    assert_eq!(steps.sender.counts().retransmissions, 2);
    let reduced = steps.sender.cwnd();
    let sent = steps.ack_echoing(111, ms(0), 1, &[(2, 10)]);
    assert_eq!(steps.sender.cwnd(), reduced);
    assert!(!sent.contains('*'), "{sent}");
    steps.ack_echoing(112, ms(0), 10, &[]);
    assert!(steps.sender.cwnd() >= 10.0);
}

#[test]
fn after_an_undo_the_next_loss_reduces_again() {
    let mut steps = with_late_segment(rack_profile());
    steps.ack_echoing(104, ms(0), 4, &[]);
    assert_eq!(steps.sender.counts().recoveries, 1);
    // 4 is lost. Reordering was seen, so it takes a quarter of a round trip.
    for number in 5..10 {
        steps.ack(105, number, 4, &[(5, number + 1)]);
    }
    let (_, sent) = steps.timer();
    assert_eq!(sent.split(' ').next(), Some("4*"));
    assert_eq!(steps.sender.counts().recoveries, 2);
    assert!(steps.sender.cwnd() < 8.0);
}

#[test]
fn cubic_goes_on_along_its_curve_after_an_undo() {
    let cwnds = |undo: bool| {
        let mut profile = rack_profile();
        profile.control = Algorithm::Cubic;
        profile.undo = undo;
        profile.initial_ssthresh = Some(10);
        let mut steps = with_late_segment(profile);
        steps.ack_echoing(104, ms(0), 4, &[]);
        steps.sender.cwnd()
    };
    assert!(cwnds(true) >= 10.0 && cwnds(false) == 7.0);
}
