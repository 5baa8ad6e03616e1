//! What parameters read and refuse.

use super::*;
use crate::registry::LIMIT;

#[test]
fn a_limit_below_a_second_or_a_byte_a_packet_can_be_given() {
    for (text, allowed) in [
        ("250 ms", true),
        ("0.5 s", true),
        ("1 bytes", true),
        ("1 packets", true),
        ("0.5 packets", false),
        ("0 s", false),
        ("0 bytes", false),
    ] {
        assert_eq!(LIMIT.read("red", text).is_ok(), allowed, "{text}");
    }
}

#[test]
fn open_ranges_are_put_into_words() {
    for (range, allowed) in [
        (Range::FINITE, "a number of any size s"),
        (Range::NOT_NEGATIVE, "a number at least 0 s"),
        (
            Range {
                high: 2.0,
                with_high: true,
                ..Range::FINITE
            },
            "a number at most 2 s",
        ),
    ] {
        let kind = Kind::Number(range, "s");
        assert_eq!(kind.allowed(), allowed);
        assert_eq!(kind.read("-3").is_ok(), range.low < 0.0, "{allowed}");
    }
}

#[test]
fn what_no_bound_is_nearest_to_is_put_right() {
    let refused = |kind: Kind, text: &str| kind.read(text).unwrap_err().unwrap_or_default();
    let time = Kind::Time(Range::POSITIVE);
    assert_eq!(refused(time, "-5 ms"), "5 ms");
    assert_eq!(refused(time, "0 s"), "");
    let rate = Kind::Rate(Range::POSITIVE);
    assert_eq!(refused(rate, "10 MB"), "10 Mbps");
    assert_eq!(refused(rate, "5 ms"), "");
    for (text, nearest) in [("0 packets", "1 packet"), ("-5 packets", "5 packets")] {
        assert_eq!(refused(Kind::Length(Range::POSITIVE), text), nearest);
    }
}

#[test]
fn a_misspelt_unit_is_corrected() {
    for (text, corrected) in [
        ("10 pakets", Some("10 packets")),
        ("10 mss", Some("10 ms")),
        ("10 furlongs", None),
        ("ten packets", None),
    ] {
        let refused = LIMIT.kind.read(text);
        assert_eq!(refused, Err(corrected.map(ToString::to_string)), "{text}");
    }
}

#[test]
fn a_unit_in_another_case_or_a_thousand_times_larger_is_corrected() {
    let kind = Kind::Rate(Range {
        with_high: true,
        high: 2e12,
        ..Range::POSITIVE
    });
    for (text, corrected) in [
        ("10 mbps", "10 Mbps"),
        ("10 MBPS", "10 Mbps"),
        ("1 gbit", "1 Gbit"),
        ("1.6 Tbps", "1600 Gbps"),
        ("2 tbit/s", "2000 Gbit/s"),
        ("3 Tbps", "2000000000000 bps"),
        ("10 Mpbs", "10 Mbps"),
        ("10 Mbs", "10 Mbps"),
    ] {
        assert_eq!(kind.read(text), Err(Some(corrected.to_string())), "{text}");
    }
}
