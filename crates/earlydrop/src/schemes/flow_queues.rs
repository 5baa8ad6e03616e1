//! Parameters of queues per flow or class over any scheme: whose turn it is, and which sub-queue a
//! packet goes to. `fq-red`, `drr` and `sfq` have the same ones, with other defaults.

use alloc::format;
use alloc::vec::Vec;

use crate::queue::{Classifier, Overflow, Scheduler, Sharing, SharingRules, Weights};
use crate::registry::{ConfigError, Extent, Kind, Parameter, Plan, Range, Settings, Spec};
use crate::schemes::AnyAqm;
use crate::schemes::fq_codel::sharing;
use crate::units::Nanos;

const DRR: &str = "Shreedhar and Varghese 1995";
const SFQ: &str = "McKenney 1990";

/// The scheme of each sub-queue.
pub(crate) const INNER: &[Parameter] = &[Parameter::new(
    "inner",
    "the scheme of each sub-queue; inner.* are its parameters",
    Kind::Text("the name of a scheme for one queue"),
)
.with_default("red", "the oldest AQM scheme")];

/// Turns, classification, weights and overflow.
pub(crate) const TURNS: &[Parameter] = &[
    Parameter::new(
        "scheduler",
        "whose turn it is among sub-queues that hold packets",
        Kind::Choice(&[
            (
                "new-first",
                "new ones first; then in turn, a quantum each, which the last packet may \
                 overdraw",
            ),
            (
                "deficit",
                "in turn; each sends the packets that its deficit covers",
            ),
            (
                "credit",
                "in turn, a quantum each, which the last packet may overdraw",
            ),
            ("packets", "in turn, as many packets each as its weight"),
        ]),
    )
    .with_default("new-first", "RFC 8290, section 4.2"),
    Parameter::new(
        "by",
        "which sub-queue a packet goes to",
        Kind::Choice(&[
            ("hash", "that of its flow's hash"),
            ("flow", "that of its flow's number, modulo queues"),
            ("class", "that of its traffic class, modulo queues"),
        ]),
    )
    .with_default("hash", "RFC 8290, section 4.1.1"),
    Parameter::new(
        "weights",
        "quanta a turn of sub-queues 0, 1, ..., such as 4 2 1; 1 for the rest",
        Kind::Text(WEIGHTS),
    )
    .with_default("equal", DRR)
    .only_with("by", &["flow", "class"]),
    Parameter::new(
        "strict",
        "sub-queues, those with the highest numbers (by class: from 7 down), that go before all others, the highest first",
        Kind::Count(Range::closed(0.0, 32.0), "sub-queues"),
    )
    .with_default("0", DRR)
    .only_with("by", &["flow", "class"]),
    Parameter::new(
        "perturb",
        "time after which flows are hashed anew; 0: never",
        Kind::Time(Range::NOT_NEGATIVE),
    )
    .with_extent(Extent::Period)
    .with_default("0 s", "Linux sch_sfq")
    .only_with("by", &["hash"]),
    Parameter::new(
        "longest",
        "the unit in which the longest sub-queue is found when the limit is exceeded",
        Kind::Choice(&[("bytes", "bytes"), ("packets", "packets")]),
    )
    .with_default("bytes", "RFC 8290, section 4.1.3")
    .only_with("overflow", &["fit", "tail"]),
    Parameter::new(
        "overflow",
        "what is dropped when the limit is exceeded",
        OVERFLOW,
    )
    .with_default("fit", "RFC 8290, section 4.1.3"),
];

/// What may be dropped when the limit is exceeded.
pub(crate) const OVERFLOW: Kind = Kind::Choice(&[
    (
        "fit",
        "from the head of the longest sub-queue, in batches, until the limit holds",
    ),
    (
        "tail",
        "from the tail of the longest sub-queue until the limit holds",
    ),
    ("arrival", "the packet that arrives"),
]);

const WEIGHTS: &str = "whole numbers from 1 to 65535, at most 32, or equal";

/// A parameter of `drr` and `sfq` whose default is not that of `fq-red`: name, value, origin.
pub(crate) type Default = (&'static str, &'static str, &'static str);

/// What `drr` has otherwise.
pub(crate) const AS_DRR: &[Default] = &[
    (
        "limit",
        "1000 packets",
        "Linux's pfifo in each class of sch_drr",
    ),
    ("scheduler", "deficit", DRR),
    ("by", "flow", "Linux sch_drr: one queue a class"),
    (
        "overflow",
        "tail",
        "Shreedhar and Varghese 1995, section 3, buffer stealing",
    ),
    ("inner", "droptail", DRR),
];

/// What `sfq` has otherwise.
pub(crate) const AS_SFQ: &[Default] = &[
    ("limit", "127 packets", "Linux sch_sfq"),
    (
        "scheduler",
        "credit",
        "Linux sch_sfq; packets: McKenney 1990",
    ),
    ("longest", "packets", "Linux sch_sfq"),
    ("overflow", "tail", SFQ),
    ("inner", "droptail", SFQ),
];

/// The plan of a queue per flow or class over the inner scheme.
pub(crate) fn plan(settings: &Settings) -> Result<Plan, ConfigError> {
    Ok(Plan::Fair {
        aqm: inner(settings)?,
        sharing: Sharing {
            rules: turns(settings)?,
            ..sharing(settings)
        },
    })
}

/// Reads the parameters of [`TURNS`].
fn turns(settings: &Settings) -> Result<SharingRules, ConfigError> {
    let classifier = match settings.choice("by") {
        "flow" => Classifier::Flow,
        "class" => Classifier::Class,
        _ => Classifier::Hash,
    };
    let text = settings.text("weights");
    let weights = weights_of(text).ok_or_else(|| settings.unreadable("weights"))?;
    let hashes = classifier == Classifier::Hash;
    let strict = settings.count("strict");
    if strict > 0 && settings.choice("scheduler") == "new-first" {
        return Err(settings.contradiction(
            "strict",
            format!("strict = {strict}, but scheduler = new-first has an order of its own"),
            "nearest: scheduler = deficit",
        ));
    }
    Ok(SharingRules {
        scheduler: match settings.choice("scheduler") {
            "deficit" => Scheduler::Deficit,
            "credit" => Scheduler::Credit,
            "packets" => Scheduler::Packets,
            _ => Scheduler::NewFirst,
        },
        classifier,
        weights: if hashes { Weights::EQUAL } else { weights },
        strict: if hashes { 0 } else { strict },
        perturb: if hashes {
            settings.time("perturb")
        } else {
            Nanos::ZERO
        },
        longest_in_packets: settings.choice("longest") == "packets",
        overflow: overflow(settings),
        ..SharingRules::RFC_8290
    })
}

/// Reads a parameter of the kind [`OVERFLOW`].
pub(crate) fn overflow(settings: &Settings) -> Overflow {
    match settings.choice("overflow") {
        "tail" => Overflow::Tail,
        "arrival" => Overflow::Arrival,
        _ => Overflow::Batches,
    }
}

/// Weights as numbers between spaces.
fn weights_of(text: &str) -> Option<Weights> {
    if text == "equal" {
        return Some(Weights::EQUAL);
    }
    let numbers: Result<Vec<u16>, _> = text.split_whitespace().map(str::parse).collect();
    Weights::new(&numbers.ok().filter(|numbers| !numbers.is_empty())?)
}

/// The inner scheme in its initial state; an error if it has several queues itself.
fn inner(settings: &Settings) -> Result<AnyAqm, ConfigError> {
    let spec = settings.inner("inner")?;
    let name = spec.descriptor().name;
    if !spec.descriptor().nests
        && let Plan::Single { aqm, .. } = spec.plan(&settings.link())?
    {
        return Ok(aqm);
    }
    let link = settings.link();
    let registry = settings.registry();
    let others = registry.iter().filter(|scheme| !scheme.nests);
    let single = others.filter(|scheme| {
        let plan = Spec::of(scheme).plan(&link);
        matches!(plan, Ok(Plan::Single { .. }))
    });
    let names: Vec<_> = single.map(|scheme| scheme.name).collect();
    Err(settings.contradiction(
        "inner",
        format!("inner = {name} has several queues itself, but a sub-queue is a single queue"),
        format!("allowed: {}", names.join(", ")),
    ))
}
