//! SFB's parameters, with the origin of each default.

use super::{LINUX, MOST_LEVELS, ORIGIN};
use crate::registry::{ECN, Extent, Kind, LIMIT, Parameter, Range};

pub(super) const PARAMETERS: &[Parameter] = &[
    LIMIT,
    ECN,
    Parameter::new(
        "levels",
        "rows of bins, each with its own hash",
        Kind::Count(Range::closed(1.0, MOST_LEVELS as f64), "rows"),
    )
    .with_default("2", ORIGIN),
    Parameter::new(
        "bins",
        "bins in a row",
        Kind::Count(Range::closed(1.0, 65_536.0), "bins"),
    )
    .with_default("23", ORIGIN),
    Parameter::new(
        "bin_size",
        "packets a bin may hold before its probability rises; about 1.5 limit/bins",
        Kind::Count(Range::closed(1.0, 4_194_304.0), "packets"),
    )
    .with_default("13", ORIGIN),
    Parameter::new(
        "full_bin",
        "which full bins drop an arrival",
        Kind::Choice(&[
            ("any", "any of its bins above bin_size"),
            ("least", "all of its bins at bin_max"),
        ]),
    )
    .with_default("any", ORIGIN),
    Parameter::new(
        "bin_max",
        "packets that all bins of a flow may hold",
        Kind::Count(Range::closed(1.0, 4_194_304.0), "packets"),
    )
    .with_default("25", LINUX)
    .only_with("full_bin", &["least"]),
    Parameter::new(
        "d1",
        "how much a bin's probability rises at an arrival when it is full",
        Kind::Number(Range::POSITIVE_PROBABILITY, "probability"),
    )
    .with_default("0.005", ORIGIN),
    Parameter::new(
        "d2",
        "how much a bin's probability falls at an arrival when it is empty",
        Kind::Number(Range::POSITIVE_PROBABILITY, "probability"),
    )
    .with_default("0.005", ORIGIN),
    Parameter::new(
        "penalty_rate",
        "packets a second accepted of all unresponsive flows together",
        Kind::Number(Range::NOT_NEGATIVE, "packets/s"),
    )
    .with_default("10", LINUX),
    Parameter::new(
        "penalty_burst",
        "burst of the penalty rate: packets accepted at once",
        Kind::Number(Range::NOT_NEGATIVE, "packets"),
    )
    .with_default("20", LINUX),
    Parameter::new(
        "tokens",
        "how the bucket of the penalty rate is filled",
        Kind::Choice(&[
            ("continuous", "all the time"),
            (
                "empty",
                "only when found empty, with whole tokens for the time since, at most 10 s \
                 of it",
            ),
        ]),
    )
    .with_default(
        "continuous",
        "a token bucket; empty: Linux sch_sfb.c, sfb_rate_limit",
    ),
    Parameter::new(
        "above_half",
        "signals to ECN-capable packets once p_min exceeds 1/2",
        Kind::Choice(&[
            ("mark", "marks"),
            ("drop", "drops with probability 2 p_min - 1, else marks"),
        ]),
    )
    .with_default(
        "mark",
        "Feng, Kandlur, Saha, Shin 2001, section III; drop: Linux sch_sfb.c, \
         sfb_enqueue",
    )
    .only_with("ecn", &["on"]),
    Parameter::new(
        "rehash",
        "time between two changes of the hashes; 0: never",
        Kind::Time(Range::NOT_NEGATIVE),
    )
    .with_extent(Extent::Period)
    .with_default("600 s", LINUX),
    Parameter::new(
        "warmup",
        "how long a new set of bins counts packets before it is used",
        Kind::Time(Range::NOT_NEGATIVE),
    )
    .with_extent(Extent::Period)
    .fixed()
    .with_default("60 s", LINUX),
];
