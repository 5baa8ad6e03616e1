//! FQ-RED: a queue for each flow, each under RED or any other scheme for one queue.
//!
//! # Reference
//! No paper: the scheduler of RFC 8290 (see `fq-codel`) over the scheme named by `inner`. It
//! separates the effect of flow isolation from that of CoDel.
//!
//! # Equations
//! The scheduler's are those of `fq-codel`; each flow's are those of the inner scheme.
//!
//! # Our readings
//! - `inner.*` are the inner scheme's parameters: `inner.min=5` for RED's `min`.
//! - `drr` and `sfq` are the same queue with other defaults: `fq-red:scheduler=deficit,by=flow` is
//!   `drr:inner=red`.
//! - A sub-queue has no buffer of its own: `limit` and `memory_limit` bound all sub-queues
//!   together. The inner `limit` bounds nothing, but the inner scheme's thresholds are
//!   checked against it.
//! - The inner scheme gets the full link rate, as no flow's share is known. What it computes
//!   from the rate (automatic thresholds, weights, idle decay) is that of a flow alone on
//!   the link.
//! - All sub-queues draw from one stream of random numbers.
//! - Schemes that distinguish flows (CHOKe and others) see a single flow each, apart from
//!   hash collisions. That is allowed, but of little use.
//!
//! # How other tools differ
//! | aspect | Linux, `red` in the classes of `drr` | ns-3 | here |
//! |---|---|---|---|
//! | sub-queues | one class each, by filters | hashed; CoDel, COBALT or PIE inside only | hashed |
//! | new flows first | no | yes | yes |
//! | RED's limit | each class its own | none | shared |

use crate::registry::{Descriptor, Preset, Probe};
use crate::schemes::flow_queues::{INNER, TURNS, plan};
use crate::schemes::fq_codel::{ACTIVE, FATTEST, SHARED_LIMIT, SHARING};

/// The scheme.
pub const SCHEME: Descriptor = Descriptor::new(
    "fq-red",
    "a queue for each flow, served by deficit round robin, each under RED or another scheme",
    "the scheduler of RFC 8290, 2018, over the inner scheme",
    &[SHARING, TURNS, INNER],
    plan,
)
.with_defaults(&[SHARED_LIMIT])
.with_presets(&[Preset {
    name: "paper",
    meaning: "RFC 8290's scheduler: 10240 packets, 1024 sub-queues, quantum 1514",
    values: &[
        ("limit", "10240 packets"),
        ("queues", "1024"),
        ("quantum", "1514 bytes"),
    ],
}])
.with_probes(&[
    ACTIVE,
    FATTEST,
    Probe::new(
        "average",
        "with RED inside, the largest average among sub-queues that hold packets",
    ),
    Probe::new(
        "pb",
        "with RED inside, the largest initial probability among them",
    ),
    Probe::new(
        "pa",
        "with RED inside, the largest actual probability among them",
    ),
    Probe::new("max_p", "with RED inside, the largest max_p among them"),
    Probe::new("count", "with RED inside, the largest count among them"),
    Probe::new(
        "flows",
        "with RED inside, the most flows in the policy's table of one of them",
    ),
])
.that_nests();

#[cfg(test)]
mod tests {
    use crate::aqm::DropReason;
    use crate::queue::QueueDiscipline;
    use crate::registry::{ConfigError, LinkFacts, Spec};
    use crate::testing::{mbps, packet, queue};
    use crate::units::Nanos;
    use alloc::string::ToString;

    fn refusal(text: &str) -> ConfigError {
        let spec: Spec = text.parse().unwrap();
        spec.plan(&LinkFacts::at(mbps(10))).unwrap_err()
    }

    #[test]
    fn red_inside_drops_only_from_the_large_flow() {
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
            assert!(spec.plan(&LinkFacts::at(mbps(10))).is_ok(), "{inner}");
        }
    }

    #[test]
    fn a_scheme_of_several_queues_is_refused_with_the_allowed_ones() {
        for inner in ["fq-codel", "fq-red", "dualpi2", "drr"] {
            let error = refusal(&alloc::format!("fq-red:inner={inner}"));
            assert_eq!(error.parameter(), Some("inner"));
            let text = error.to_string();
            assert!(
                text.contains("droptail, red,") && text.contains("codel"),
                "{text}"
            );
            assert!(
                ![", fq-", ", dualpi2", ", drr", ", sfq"]
                    .iter()
                    .any(|several| text.contains(several)),
                "{text}"
            );
        }
    }

    #[test]
    fn errors_in_inner_parameters_name_the_inner_scheme() {
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
