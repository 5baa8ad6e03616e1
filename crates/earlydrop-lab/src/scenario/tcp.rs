//! TCP profiles from the values of `tcp`.

use earlydrop::registry::Value;
use earlydrop::units::Nanos;
use earlydrop_sim::tcp::control::dcqcn::{Card, Parameters, Step};
use earlydrop_sim::tcp::{
    Algorithm, CONTROLLERS, DelayedAcks, EcnFeedback, EcnMode, Growth, Handshake, HyStartKind,
    LossDetection, Profile, ProfileError, Recovery, Reduction, RenoEstimate, RttSampling, Rules,
};

use crate::document::{Entries, Problem};

/// A group's `tcp` over the file's. A group of TCP flows beside network cards does without what the
/// file says of cards.
pub(super) fn of_group(group: &Entries, file: &Entries) -> Entries {
    let is_tcp = group.has("control") && group.choice("control") != "dcqcn";
    match is_tcp {
        true => group.over(&file.without(&CARD_FIELDS)),
        false => group.over(file),
    }
}

/// A field that only some senders read.
#[derive(Debug)]
pub(crate) struct ReadBySome {
    pub(crate) name: &'static str,
    /// Whether senders and receivers of this profile read it.
    is_by: fn(&Profile) -> bool,
    /// Those that do, in words.
    pub(crate) belongs_to: &'static str,
}

const HAS_ECN: fn(&Profile) -> bool = |profile| profile.ecn != EcnMode::Off;
const DELAYS_ACKS: fn(&Profile) -> bool = |profile| profile.delayed_acks.is_some();

static READ_BY_SOME: [ReadBySome; 9] = [
    ReadBySome {
        name: "hystart",
        is_by: |profile| {
            let is_linux = profile.growth == Growth::CountedAsLinux;
            let has_it = match profile.hystart {
                HyStartKind::Off => true,
                HyStartKind::PlusPlus => !is_linux,
                HyStartKind::Linux => is_linux,
            };
            profile.control == Algorithm::Cubic && has_it
        },
        belongs_to: "control = \"cubic\", \"linux\" with growth = \"linux\" and \"plusplus\" without",
    },
    ReadBySome {
        name: "reno_estimate",
        is_by: |profile| profile.control == Algorithm::Cubic,
        belongs_to: "control = \"cubic\"",
    },
    ReadBySome {
        name: "least_after_mark",
        is_by: |profile| profile.control == Algorithm::Cubic,
        belongs_to: "control = \"cubic\"",
    },
    ReadBySome {
        name: "whole_cuts",
        is_by: |profile| matches!(profile.control, Algorithm::Reno | Algorithm::Cubic),
        belongs_to: "control = \"reno\" or \"cubic\"",
    },
    ReadBySome {
        name: "classic_ecn_fallback",
        is_by: |profile| profile.control == Algorithm::Prague,
        belongs_to: "control = \"prague\"",
    },
    ReadBySome {
        name: "ecn_feedback",
        is_by: HAS_ECN,
        belongs_to: "senders with ECN: ecn = \"on\"",
    },
    ReadBySome {
        name: "ecn_on_control",
        is_by: HAS_ECN,
        belongs_to: "senders with ECN: ecn = \"on\"",
    },
    ReadBySome {
        name: "ack_delay",
        is_by: DELAYS_ACKS,
        belongs_to: "delayed_acks = 2 or more",
    },
    ReadBySome {
        name: "quick_acks",
        is_by: DELAYS_ACKS,
        belongs_to: "delayed_acks = 2 or more",
    },
];

/// A field of a group's `tcp`, or of the file's for it, that only some senders read.
#[derive(Clone, Debug)]
pub(crate) struct FieldOfSome {
    pub(crate) field: &'static ReadBySome,
    /// Whether the group's own `tcp` has it.
    pub(crate) is_own: bool,
    /// Whether the group's senders read it.
    pub(crate) is_read: bool,
}

/// The fields among those given for a group that only some senders read.
pub(super) fn fields_of_some(
    group: &Entries,
    file: &Entries,
    profile: &Profile,
) -> Vec<FieldOfSome> {
    let given = READ_BY_SOME
        .iter()
        .filter(|field| group.has(field.name) || file.has(field.name));
    let fields = given.map(|field| FieldOfSome {
        field,
        is_own: group.has(field.name),
        is_read: (field.is_by)(profile),
    });
    fields.collect()
}

/// The profile that `tcp` describes.
pub(super) fn read(tcp: &Entries, problems: &mut Vec<Problem>) -> Profile {
    let mut profile = base(tcp);
    set_sizes(&mut profile, tcp);
    set_timer(&mut profile, tcp);
    set_flags(&mut profile, tcp);
    set_variants(&mut profile, tcp);
    set_card(&mut profile.card, tcp);
    if let Some(given) = CARD_FIELDS.iter().find(|name| tcp.has(name))
        && profile.control != Algorithm::Dcqcn
    {
        let control = profile.control.controller().name;
        let message = format!("`{given}` is a network card's, and the flows' control is {control}");
        let help = "leave it out, or choose `control = \"dcqcn\"`";
        problems.push(Problem::new(tcp.place_of(given), message, help));
    }
    if tcp.choice("loss_detection") == "rack"
        && (profile.recovery != Recovery::Sack || profile.rules != Rules::Standard)
    {
        let message = "RACK-TLP needs `recovery = \"sack\"` and `rules = \"standard\"`".to_string();
        let help = "leave `loss_detection` out, or choose \"dupack\"";
        problems.push(Problem::new(tcp.place_of("loss_detection"), message, help));
    }
    if profile.segment_size <= profile.header_size {
        let usual = base(tcp);
        let (segment, header) = (profile.segment_size, profile.header_size);
        let message = format!("segments of {segment} bytes with headers of {header} carry no data");
        let nearest = match tcp.has("segment") {
            true => format!("segment = \"{} bytes\"", header + 1),
            false => format!("header = \"{} bytes\"", segment - 1),
        };
        let place = match tcp.has("segment") {
            true => tcp.place_of("segment"),
            false => tcp.place_of("header"),
        };
        problems.push(Problem::new(place, message, format!("nearest: {nearest}")));
        // What is read next divides by the data of a segment.
        (profile.segment_size, profile.header_size) = (usual.segment_size, usual.header_size);
    }
    if let Err(error) = profile.validate() {
        let message = format!("these values of `tcp` contradict each other: {error}");
        problems.push(Problem::new(tcp.place(), message, nearest(error)));
    }
    profile
}

/// The values nearest to ones that contradict each other.
fn nearest(error: ProfileError) -> &'static str {
    match error {
        ProfileError::RateUnmeasured
        | ProfileError::NothingDelivered
        | ProfileError::NothingCounted => {
            "nearest: recovery = \"sack\" and rules = \"standard\", or neither of the two"
        }
        ProfileError::MarksNotCounted => "nearest: ecn_feedback = \"accecn\"",
        ProfileError::GoBackNDelayed => {
            "nearest: delayed_acks = 1 and rules = \"standard\" beside it"
        }
        ProfileError::TimerBounds | ProfileError::MaximumBelowTick => {
            "nearest: leave `largest_timeout` out"
        }
        _ => "",
    }
}

/// The named profile with its algorithm, loss recovery and ECN.
fn base(tcp: &Entries) -> Profile {
    let name = tcp.choice("control");
    let controller = CONTROLLERS.iter().find(|known| known.name == name);
    let control = controller.map(|known| known.algorithm);
    let recovery = match tcp.choice("recovery") {
        "tahoe" => Some(Recovery::Tahoe),
        "reno" => Some(Recovery::Reno),
        "newreno" => Some(Recovery::NewReno),
        "sack" => Some(Recovery::Sack),
        "go-back-n" => Some(Recovery::GoBackN),
        _ => None,
    };
    let of_ns2 = recovery.unwrap_or(Recovery::Reno);
    let mut profile = match tcp.choice("profile") {
        "ns2" => Profile::ns2(of_ns2),
        "ns2-old-timers" => Profile::ns2_old_timers(of_ns2),
        "linux" => Profile::linux(control.unwrap_or(Algorithm::Cubic)),
        "roce" => Profile::roce(),
        // Network cards of RDMA are no TCP senders.
        _ if control == Some(Algorithm::Dcqcn) && !tcp.has("profile") => Profile::roce(),
        _ => Profile::modern(control.unwrap_or(Algorithm::Cubic)),
    };
    if let Some(control) = control {
        profile.control = control;
        let usual = Profile::modern(control);
        (profile.ecn, profile.ecn_feedback) = (usual.ecn, usual.ecn_feedback);
    }
    profile.recovery = recovery.unwrap_or(profile.recovery);
    if profile.recovery != Recovery::Sack {
        // Proportional reduction needs SACK here; Linux's does without.
        profile.reduction = Reduction::AtOnce;
    }
    profile.ecn = match tcp.choice("ecn") {
        "off" => EcnMode::Off,
        "on" => EcnMode::Classic,
        "dctcp" => EcnMode::Dctcp,
        "l4s" => EcnMode::L4s,
        _ => profile.ecn,
    };
    profile.ecn_feedback = match tcp.choice("ecn_feedback") {
        "classic" => Some(EcnFeedback::Classic),
        "dctcp" => Some(EcnFeedback::Dctcp),
        "cnp" => Some(EcnFeedback::Cnp),
        "accecn" => Some(EcnFeedback::AccEcn),
        "ace" => Some(EcnFeedback::Ace),
        _ => profile.ecn_feedback,
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

fn set_flags(profile: &mut Profile, tcp: &Entries) {
    for (flag, name) in [
        (&mut profile.limited_transmit, "limited_transmit"),
        (&mut profile.lost_retransmissions, "lost_retransmissions"),
        (&mut profile.slow_start_restart, "slow_start_restart"),
        (&mut profile.whole_cuts, "whole_cuts"),
        (&mut profile.quick_acks, "quick_acks"),
        (&mut profile.undo, "undo"),
        (&mut profile.classic_ecn_fallback, "classic_ecn_fallback"),
        (
            &mut profile.ecn_on_retransmissions,
            "ecn_on_retransmissions",
        ),
        (&mut profile.ecn_on_control, "ecn_on_control"),
    ] {
        set(flag, tcp.flag_or_auto(name));
    }
    set(
        &mut profile.dupack_threshold,
        tcp.count_or_auto("duplicates"),
    );
    set(
        &mut profile.least_after_mark,
        tcp.count_or_auto("least_after_mark"),
    );
}

/// The fields that only network cards of RDMA have.
const CARD_FIELDS: [&str; 11] = [
    "card",
    "notify_every",
    "cut_every",
    "alpha_gain",
    "alpha_every",
    "raise_every",
    "raise_after",
    "fast_recovery",
    "additive_increase",
    "hyper_increase",
    "least_rate",
];

fn set_card(card: &mut Parameters, tcp: &Entries) {
    if let Some(known) = Card::named(tcp.choice("card")) {
        *card = known.parameters();
    }
    for (time, name) in [
        (&mut card.notify_every, "notify_every"),
        (&mut card.cut_every, "cut_every"),
        (&mut card.decay_every, "alpha_every"),
        (&mut card.raise_every, "raise_every"),
    ] {
        set(time, tcp.time_or_auto(name));
    }
    set(&mut card.gain, tcp.number_or_auto("alpha_gain"));
    set(&mut card.fast_recovery, tcp.count_or_auto("fast_recovery"));
    match tcp.value("raise_after") {
        Value::Bytes(bytes) => card.raise_after = Some(bytes.0),
        Value::Time(_) => card.raise_after = None,
        _ => {}
    }
    let step = |name| tcp.rate_or_auto(name).map(Step::fixed);
    set(&mut card.additive, step("additive_increase"));
    set(&mut card.hyper, step("hyper_increase"));
    set(&mut card.least, tcp.rate_or_auto("least_rate"));
}

fn set_variants(profile: &mut Profile, tcp: &Entries) {
    profile.rules = match tcp.choice("rules") {
        "standard" => Rules::Standard,
        "ns2" => Rules::Ns2,
        _ => profile.rules,
    };
    profile.loss_detection = match tcp.choice("loss_detection") {
        "dupack" => LossDetection::DupAck,
        "rack" => LossDetection::Rack,
        _ => profile.loss_detection,
    };
    profile.rtt_sampling = match tcp.choice("round_trips") {
        "one-at-a-time" => RttSampling::OneAtATime,
        "every" => RttSampling::Every,
        "by-segment" => RttSampling::BySegment,
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
    profile.hystart = match tcp.choice("hystart") {
        "off" => HyStartKind::Off,
        "plusplus" => HyStartKind::PlusPlus,
        "linux" => HyStartKind::Linux,
        _ => profile.hystart,
    };
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

/// Sets a value of a profile unless it is "auto".
fn set<T>(value: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *value = given;
    }
}

/// Sets a value of a profile unless it is "auto"; "never" is `None`.
fn set_or_never(value: &mut Option<u32>, tcp: &Entries, name: &str) {
    match tcp.value(name) {
        Value::Number(number) => *value = Some(number as u32),
        Value::Time(_) => *value = None,
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Problems;
    use crate::plan::{Source, TraceFiles};
    use earlydrop::units::BitsPerSec;
    use earlydrop_sim::traffic::Traffic;

    /// The card of the first flow of a scenario with this line.
    fn card(tcp: &str) -> Result<Parameters, Problems> {
        let text = format!("schemes = [\"red\"]\nflows.one.count = 1\n{tcp}\n");
        let plan = Source::new("s.toml", &text, TraceFiles::default())?.plan()?;
        match &plan.scenario().groups[0].traffic {
            Traffic::Tcp { profile, .. } => Ok(profile.card),
            other => unreachable!("{other:?}"),
        }
    }

    #[test]
    fn a_network_card_is_one_that_is_known_but_for_what_is_given() {
        let known = card("tcp = { control = \"dcqcn\", card = \"hpcc\" }").unwrap();
        assert_eq!(known, Card::Hpcc.parameters());
        assert_eq!(card("tcp = \"dcqcn\"").unwrap(), Card::Zhu.parameters());
        let given = card(
            "tcp = { control = \"dcqcn\", card = \"hpcc\", raise_every = \"55 us\", raise_after = \"150 kB\", \
             alpha_gain = 0.0625, fast_recovery = 5, additive_increase = \"40 Mbps\", cut_every = \"0 s\" }",
        );
        let given = given.unwrap();
        assert_eq!(
            given,
            Parameters {
                raise_every: Nanos::from_micros(55),
                raise_after: Some(150_000),
                gain: 0.0625,
                fast_recovery: 5,
                additive: Step::fixed(BitsPerSec::from_mbps(40)),
                cut_every: Nanos::ZERO,
                ..known
            }
        );
        let never = card("tcp = { control = \"dcqcn\", raise_after = \"never\" }").unwrap();
        assert_eq!(never.raise_after, None);
    }

    #[test]
    fn what_only_cards_have_is_refused_for_tcp() {
        let error = card("tcp = { control = \"cubic\", raise_every = \"55 us\" }").unwrap_err();
        let error = format!("{error:?}");
        assert!(
            error.contains("`raise_every` is a network card's"),
            "{error}"
        );
    }
}
