//! FQ-RED: a queue for each flow, each under RED or any other scheme for one queue.
//!
//! # Reference
//! No paper: the scheduler of RFC 8290 (see `fq-codel`) over the scheme named by
//! `inner`, to tell what isolation does from what CoDel does.
//!
//! # Equations
//! Those of `fq-codel` for the scheduler, those of the inner scheme for each flow.
//!
//! # Our readings
//! - `inner.*` are the inner scheme's parameters: `inner.min=5` for RED's `min`.
//! - A sub-queue has no buffer of its own: `limit` and `memory_limit` bound all of
//!   them together, and the inner `limit` bounds nothing. The inner scheme's
//!   thresholds are still checked against it.
//! - The inner scheme is told of the link's whole rate, as no flow's share is known:
//!   what it works out from the rate (automatic thresholds, weights, the idle decay)
//!   is that of a flow alone on the link.
//! - All sub-queues draw from one stream of random numbers.
//! - Schemes that tell flows apart (CHOKe and its like) see one flow each, but for
//!   collisions: allowed, and of little use.
//!
//! # How other tools differ
//! | aspect | Linux, `red` in the classes of `drr` | ns-3 | here |
//! |---|---|---|---|
//! | sub-queues | one class each, by filters | hashed; CoDel, COBALT or PIE inside only | hashed |
//! | new flows first | no | yes | yes |
//! | RED's limit | each class its own | none | shared |

use alloc::format;
use alloc::vec::Vec;

use crate::registry::{
    ConfigError, Descriptor, Kind, Parameter, Plan, Preset, Probe, Settings, Spec,
};
use crate::schemes::AnyAqm;
use crate::schemes::fq_codel::{ACTIVE, FATTEST, SHARED_LIMIT, SHARING, sharing};

const INNER: &[Parameter] = &[Parameter {
    name: "inner",
    meaning: "the scheme each sub-queue is under; inner.* are its parameters",
    kind: Kind::Text("the name of a scheme for one queue"),
    default: "red",
    origin: "the oldest scheme there is to compare with",
    when: None,
}];

/// The scheme.
pub const SCHEME: Descriptor = Descriptor {
    name: "fq-red",
    summary: "a queue for each flow, served in turns of equal bytes, each under RED or another scheme",
    source: "the scheduler of RFC 8290, 2018, over the inner scheme",
    parameters: &[SHARING, INNER],
    defaults: &[SHARED_LIMIT],
    presets: &[Preset {
        name: "paper",
        meaning: "RFC 8290's scheduler: 10240 packets, 1024 sub-queues, quantum 1514",
        values: &[
            ("limit", "10240 packets"),
            ("queues", "1024"),
            ("quantum", "1514 bytes"),
        ],
    }],
    probes: &[
        ACTIVE,
        FATTEST,
        Probe {
            name: "average",
            meaning: "with RED inside, the largest average among sub-queues that hold packets",
        },
        Probe {
            name: "pb",
            meaning: "with RED inside, the largest initial probability among them",
        },
        Probe {
            name: "pa",
            meaning: "with RED inside, the largest actual probability among them",
        },
        Probe {
            name: "max_p",
            meaning: "with RED inside, the largest max_p among them",
        },
        Probe {
            name: "count",
            meaning: "with RED inside, the largest count among them",
        },
        Probe {
            name: "flows",
            meaning: "with RED inside, the most flows a policy knows in one of them",
        },
    ],
    nests: true,
    curve: None,
    plan: |settings| {
        Ok(Plan::Fair {
            aqm: inner(settings)?,
            sharing: sharing(settings),
        })
    },
};

/// The inner scheme in its initial state, refused when it has several queues itself.
fn inner(settings: &Settings) -> Result<AnyAqm, ConfigError> {
    let spec = settings.inner("inner")?;
    let name = spec.descriptor().name;
    if name != SCHEME.name
        && let Plan::Single { aqm, .. } = spec.plan(&settings.link())?
    {
        return Ok(aqm);
    }
    let link = settings.link();
    let registry = settings.registry();
    let others = registry.iter().filter(|scheme| scheme.name != SCHEME.name);
    let single = others.filter(|scheme| {
        let plan = Spec::of(scheme).plan(&link);
        matches!(plan, Ok(Plan::Single { .. }))
    });
    let names: Vec<_> = single.map(|scheme| scheme.name).collect();
    Err(settings.contradiction(
        "inner",
        format!("inner = {name} has several queues itself, and a sub-queue is one"),
        format!("allowed: {}", names.join(", ")),
    ))
}

#[cfg(test)]
mod tests {
    use crate::aqm::DropReason;
    use crate::queue::QueueDiscipline;
    use crate::registry::{ConfigError, Link, Spec};
    use crate::testing::{mbps, packet, queue};
    use crate::units::Nanos;
    use alloc::string::ToString;

    fn refusal(text: &str) -> ConfigError {
        let spec: Spec = text.parse().unwrap();
        spec.plan(&Link::at(mbps(10))).unwrap_err()
    }

    #[test]
    fn red_inside_drops_the_fat_flow_only() {
        let mut queue = queue(
            "fq-red:inner.min=5,inner.max=15,inner.weight=1,inner.max_p=0.5",
            mbps(10),
        );
        for ms in 0..400 {
            let now = Nanos::from_millis(ms);
            for _ in 0..3 {
                queue.enqueue(now, packet(0));
            }
            if ms % 2 == 0 {
                let before = queue.counters().dropped().packets;
                queue.enqueue(now, packet(1));
                assert_eq!(queue.counters().dropped().packets, before);
            }
            queue.dequeue(now);
            queue.dequeue(now);
        }
        let early = queue.counters().dropped_for(DropReason::Early);
        assert!(early.packets > 100);
        assert!(queue.probe("average").unwrap() >= 5.0);
    }

    #[test]
    fn any_scheme_for_one_queue_may_be_inside() {
        for inner in ["droptail", "choke", "ared", "codel", "cobalt"] {
            let spec: Spec = alloc::format!("fq-red:inner={inner}").parse().unwrap();
            assert!(spec.plan(&Link::at(mbps(10))).is_ok(), "{inner}");
        }
    }

    #[test]
    fn a_scheme_of_several_queues_is_refused_with_what_would_do() {
        for inner in ["fq-codel", "fq-red", "dualpi2"] {
            let error = refusal(&alloc::format!("fq-red:inner={inner}"));
            assert_eq!(error.parameter(), Some("inner"));
            let text = error.to_string();
            assert!(
                text.contains("droptail, red,") && text.contains("codel"),
                "{text}"
            );
            assert!(
                !text.contains(", fq-") && !text.contains(", dualpi2"),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_wrong_inside_is_said_of_the_inner_scheme() {
        assert!(matches!(
            refusal("fq-red:inner=redd"),
            ConfigError::UnknownScheme {
                nearest: Some("red"),
                ..
            }
        ));
        assert!(matches!(
            refusal("fq-red:inner.nim=5"),
            ConfigError::UnknownParameter { scheme: "red", .. }
        ));
    }
}
