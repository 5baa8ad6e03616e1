//! How TCP behaves: what a file can say of it, and the profile that makes.

use earlydrop::registry::{Kind, Range, Value};
use earlydrop::units::Nanos;
use earlydrop_sim::tcp::{
    Algorithm, DelayedAcks, EcnMode, Growth, Handshake, Profile, Recovery, Reduction, RenoEstimate,
    RttSampling, Rules,
};

use super::fields::{FLAG, SIZE, TIME, one};
use crate::document::{Entries, Field, Problem, Section};

const PROFILES: Kind = Kind::Choice(&[
    (
        "modern",
        "a sender of today: 1500 bytes, initial window 10, selective acknowledgments",
    ),
    (
        "linux",
        "the same as Linux does it: whole segments, proportional cuts, CUBIC's slow estimate of Reno",
    ),
    (
        "ns2",
        "ns-2.35 as it comes: 1000 bytes, a window of 20 packets, ticks of 10 ms",
    ),
    (
        "ns2-old-timers",
        "ns-2 around the year 2000: ticks of 100 ms, initial window 1",
    ),
]);

const CONTROLS: Kind = Kind::OrAuto(&Kind::Choice(&[
    (
        "reno",
        "additive increase, multiplicative decrease (RFC 5681)",
    ),
    ("cubic", "growth by a cubic function of time (RFC 9438)"),
    (
        "dctcp",
        "cuts by the part of segments that is marked (RFC 8257)",
    ),
    ("scalable", "the same for the low-latency queue of RFC 9332"),
    (
        "bbr",
        "a model of the path's rate and round trip (version 1)",
    ),
]));

const fn from_profile(name: &'static str, kind: Kind, meaning: &'static str) -> Field {
    one(name, kind, "auto", meaning)
}

const SEGMENTS: Kind = Kind::OrAuto(&Kind::Count(Range::closed(1.0, 16_777_216.0), "segments"));
const TIMEOUT: Kind = Kind::OrAuto(&TIME);

/// How TCP behaves. Everything "auto" is as the profile has it.
pub(super) static TCP: Section = Section {
    name: "tcp",
    meaning: "How TCP senders and receivers behave. `auto` is what the profile has; `tcp = \"cubic\"` is short for `tcp = { control = \"cubic\" }`.",
    fields: &[
        one(
            "profile",
            PROFILES,
            "modern",
            "whose rules everything else starts from",
        ),
        from_profile(
            "control",
            CONTROLS,
            "how much may be on its way; auto: cubic, with ns-2's profiles reno",
        ),
        from_profile(
            "recovery",
            Kind::OrAuto(&Kind::Choice(&[
                ("tahoe", "fast retransmit, then slow start"),
                (
                    "reno",
                    "fast recovery, left at the first new data acknowledged (RFC 5681)",
                ),
                (
                    "newreno",
                    "fast recovery for all losses of a window (RFC 6582)",
                ),
                ("sack", "selective acknowledgments (RFC 6675)"),
            ])),
            "how lost segments are found; auto: sack, with ns-2's profiles reno",
        ),
        from_profile(
            "ecn",
            Kind::OrAuto(&Kind::Choice(&[
                ("off", "segments are not ECN-capable"),
                (
                    "on",
                    "ECT(0), echoed until the window is reduced (RFC 3168)",
                ),
                ("dctcp", "ECT(0), the echo tells of each segment (RFC 8257)"),
                ("l4s", "ECT(1), with the same echo (RFC 9331)"),
            ])),
            "what is done about marks; auto: on for what lives by marks, else off",
        ),
        from_profile(
            "rules",
            Kind::OrAuto(&Kind::Choice(&[
                ("standard", "the RFCs: what is in flight is cut"),
                (
                    "ns2",
                    "ns-2's one-way agents: the window itself is cut, used or not",
                ),
            ])),
            "whose word counts where ns-2 and the RFCs differ",
        ),
        from_profile(
            "segment",
            Kind::OrAuto(&SIZE),
            "bytes on the wire of a full segment",
        ),
        from_profile(
            "header",
            Kind::OrAuto(&Kind::Bytes(Range::closed(0.0, 1000.0))),
            "how many of them are headers",
        ),
        from_profile(
            "ack",
            Kind::OrAuto(&SIZE),
            "bytes on the wire of an acknowledgment",
        ),
        from_profile(
            "initial_window",
            SEGMENTS,
            "segments sent before anything is acknowledged",
        ),
        from_profile(
            "receiver_window",
            SEGMENTS,
            "segments the receiver lets be on their way",
        ),
        from_profile(
            "initial_threshold",
            Kind::OrNever(&Kind::OrAuto(&Kind::Count(
                Range::closed(1.0, 16_777_216.0),
                "segments",
            ))),
            "the window at which the first slow start ends; never: at a loss",
        ),
        from_profile(
            "delayed_acks",
            Kind::OrAuto(&Kind::Count(Range::closed(0.0, 1000.0), "segments")),
            "segments acknowledged together; 0: each by itself",
        ),
        from_profile(
            "ack_delay",
            TIMEOUT,
            "how long the first of them waits at most",
        ),
        from_profile(
            "first_timeout",
            TIMEOUT,
            "the retransmission timer before anything is measured",
        ),
        from_profile(
            "least_timeout",
            TIMEOUT,
            "the shortest retransmission timer",
        ),
        from_profile(
            "largest_timeout",
            TIMEOUT,
            "the longest retransmission timer",
        ),
        from_profile(
            "tick",
            Kind::OrAuto(&Kind::Time(Range::closed(1e-9, 1.0))),
            "how fine the clock is that measures round trips",
        ),
        from_profile(
            "round_trips",
            Kind::OrAuto(&Kind::Choice(&[
                (
                    "one-at-a-time",
                    "one segment at a time, none while a retransmission is about",
                ),
                (
                    "every",
                    "every segment, by the time its acknowledgment echoes (RFC 7323)",
                ),
            ])),
            "which round trips are measured",
        ),
        from_profile(
            "duplicates",
            Kind::OrAuto(&Kind::Count(Range::closed(1.0, 1000.0), "acknowledgments")),
            "duplicate acknowledgments that tell of a loss",
        ),
        from_profile(
            "limited_transmit",
            FLAG,
            "whether the first two duplicates let a new segment be sent each (RFC 3042)",
        ),
        from_profile(
            "lost_retransmissions",
            FLAG,
            "whether selective acknowledgments also tell of retransmissions that were lost",
        ),
        from_profile(
            "slow_start_restart",
            FLAG,
            "whether a window not used for a timeout is closed",
        ),
        from_profile(
            "whole_cuts",
            FLAG,
            "whether Reno's and CUBIC's cuts leave whole segments, rounded down",
        ),
        from_profile(
            "ecn_on_retransmissions",
            FLAG,
            "whether retransmissions are ECN-capable, too",
        ),
        from_profile(
            "growth",
            Kind::OrAuto(&Kind::Choice(&[
                (
                    "segments",
                    "by the segments acknowledged (RFC 3465 with RFC 5681)",
                ),
                ("counted", "by whole segments, as ns-3's TcpLinuxReno"),
                (
                    "linux",
                    "Reno's and CUBIC's by whole segments, for a count that a cut clears",
                ),
            ])),
            "how Reno's window grows, and with linux also CUBIC's",
        ),
        from_profile(
            "reno_estimate",
            Kind::OrAuto(&Kind::Choice(&[
                (
                    "rising",
                    "as Reno's, once it has reached the window before the cut (RFC 9438)",
                ),
                ("steady", "as slowly as before (RFC 8312, Linux)"),
            ])),
            "how CUBIC's estimate of Reno's window grows",
        ),
        from_profile(
            "least_after_mark",
            SEGMENTS,
            "the least window that a mark leaves to CUBIC: 1, in Linux 2",
        ),
        from_profile(
            "quick_acks",
            FLAG,
            "whether some acknowledgments are not held back, as in Linux: the first 16, and 2 after a mark",
        ),
        from_profile(
            "reduction",
            Kind::OrAuto(&Kind::Choice(&[
                (
                    "at-once",
                    "nothing new is sent until so much has left the network",
                ),
                (
                    "proportional",
                    "over a round trip, as segments are delivered (RFC 9937)",
                ),
            ])),
            "how a window that is cut comes into force",
        ),
        from_profile(
            "handshake",
            FLAG,
            "whether a connection begins with a request",
        ),
        from_profile(
            "max_burst",
            Kind::OrNever(&SEGMENTS),
            "at most so many segments at once; never: as the window allows",
        ),
    ],
};

/// The profile that `tcp` describes.
pub(super) fn read(tcp: &Entries, problems: &mut Vec<Problem>) -> Profile {
    let mut profile = base(tcp);
    set_sizes(&mut profile, tcp);
    set_timer(&mut profile, tcp);
    set_rules(&mut profile, tcp);
    if let Err(error) = profile.validate() {
        let message = format!("these rules of TCP do not go together: {error}");
        problems.push(Problem::new(tcp.place(), message, ""));
    }
    profile
}

fn base(tcp: &Entries) -> Profile {
    let control = match tcp.choice("control") {
        "reno" => Some(Algorithm::Reno),
        "cubic" => Some(Algorithm::Cubic),
        "dctcp" => Some(Algorithm::Dctcp),
        "scalable" => Some(Algorithm::Scalable),
        "bbr" => Some(Algorithm::Bbr),
        _ => None,
    };
    let recovery = match tcp.choice("recovery") {
        "tahoe" => Some(Recovery::Tahoe),
        "reno" => Some(Recovery::Reno),
        "newreno" => Some(Recovery::NewReno),
        "sack" => Some(Recovery::Sack),
        _ => None,
    };
    let of_the_marks = |algorithm| Profile::modern(algorithm).ecn;
    let old = recovery.unwrap_or(Recovery::Reno);
    let mut profile = match tcp.choice("profile") {
        "ns2" => Profile::ns2(old),
        "ns2-old-timers" => Profile::ns2_old_timers(old),
        "linux" => Profile::linux(control.unwrap_or(Algorithm::Cubic)),
        _ => Profile::modern(control.unwrap_or(Algorithm::Cubic)),
    };
    if let Some(control) = control {
        profile.control = control;
        profile.ecn = of_the_marks(control);
    }
    profile.recovery = recovery.unwrap_or(profile.recovery);
    if profile.recovery != Recovery::Sack {
        // What is proportional goes by selective acknowledgments here; Linux's does without.
        profile.reduction = Reduction::AtOnce;
    }
    profile.ecn = match tcp.choice("ecn") {
        "off" => EcnMode::Off,
        "on" => EcnMode::Classic,
        "dctcp" => EcnMode::Dctcp,
        "l4s" => EcnMode::L4s,
        _ => profile.ecn,
    };
    profile
}

fn set_sizes(profile: &mut Profile, tcp: &Entries) {
    let size = |name| tcp.size_or_auto(name).map(|size| size.0 as u32);
    set(&mut profile.segment_size, size("segment"));
    set(&mut profile.header_size, size("header"));
    set(&mut profile.ack_size, size("ack"));
    set(
        &mut profile.initial_window,
        tcp.count_or_auto("initial_window"),
    );
    set(
        &mut profile.receiver_window,
        tcp.count_or_auto("receiver_window"),
    );
    set_or_never(&mut profile.initial_ssthresh, tcp, "initial_threshold");
    set_or_never(&mut profile.max_burst, tcp, "max_burst");
}

fn set_timer(profile: &mut Profile, tcp: &Entries) {
    set(
        &mut profile.timer.initial,
        tcp.time_or_auto("first_timeout"),
    );
    set(
        &mut profile.timer.minimum,
        tcp.time_or_auto("least_timeout"),
    );
    set(
        &mut profile.timer.maximum,
        tcp.time_or_auto("largest_timeout"),
    );
    set(&mut profile.timer.tick, tcp.time_or_auto("tick"));
    let held_back = profile.delayed_acks.unwrap_or(DelayedAcks {
        every: 1,
        timeout: Nanos::from_millis(40),
    });
    let every = tcp.count_or_auto("delayed_acks").unwrap_or(held_back.every);
    let timeout = tcp.time_or_auto("ack_delay").unwrap_or(held_back.timeout);
    profile.delayed_acks = (every > 1).then_some(DelayedAcks { every, timeout });
}

fn set_rules(profile: &mut Profile, tcp: &Entries) {
    for (rule, name) in [
        (&mut profile.limited_transmit, "limited_transmit"),
        (&mut profile.lost_retransmissions, "lost_retransmissions"),
        (&mut profile.slow_start_restart, "slow_start_restart"),
        (&mut profile.whole_cuts, "whole_cuts"),
        (&mut profile.quick_acks, "quick_acks"),
        (
            &mut profile.ecn_on_retransmissions,
            "ecn_on_retransmissions",
        ),
    ] {
        set(rule, tcp.flag_or_auto(name));
    }
    set(
        &mut profile.dupack_threshold,
        tcp.count_or_auto("duplicates"),
    );
    profile.rules = match tcp.choice("rules") {
        "standard" => Rules::Standard,
        "ns2" => Rules::Ns2,
        _ => profile.rules,
    };
    profile.rtt_sampling = match tcp.choice("round_trips") {
        "one-at-a-time" => RttSampling::OneAtATime,
        "every" => RttSampling::Every,
        _ => profile.rtt_sampling,
    };
    profile.growth = match tcp.choice("growth") {
        "segments" => Growth::Segments,
        "counted" => Growth::CountedAsNs3,
        "linux" => Growth::CountedAsLinux,
        _ => profile.growth,
    };
    profile.reno_estimate = match tcp.choice("reno_estimate") {
        "rising" => RenoEstimate::Rising,
        "steady" => RenoEstimate::Steady,
        _ => profile.reno_estimate,
    };
    set(
        &mut profile.least_after_mark,
        tcp.count_or_auto("least_after_mark"),
    );
    profile.reduction = match tcp.choice("reduction") {
        "at-once" => Reduction::AtOnce,
        "proportional" => Reduction::Proportional,
        _ => profile.reduction,
    };
    profile.handshake = match tcp.flag_or_auto("handshake") {
        Some(true) => Handshake::ThreeWay,
        Some(false) => Handshake::None,
        None => profile.handshake,
    };
}

fn set<T>(rule: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *rule = given;
    }
}

fn set_or_never(rule: &mut Option<u32>, tcp: &Entries, name: &str) {
    match tcp.value(name) {
        Value::Number(number) => *rule = Some(number as u32),
        Value::Time(_) => *rule = None,
        _ => {}
    }
}
