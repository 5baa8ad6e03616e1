//! FQ-PIE: a queue for each flow, each under PIE.
//!
//! # Reference
//! G. Ramakrishnan, M. Bhasi, V. Saicharan, L. Monis, S. Patil, M. Tahiliani, "FQ-PIE Queue
//! Discipline in the Linux Kernel: Design, Implementation and Challenges", IEEE LCN Symposium on
//! Emerging Topics in Networking, 2019. The scheduler is that of RFC 8290, see `fq-codel`; the
//! scheme of each flow that of RFC 8033, see `pie`.
//!
//! # Equations
//! - The scheduler's are those of `fq-codel`: new sub-queues first, then a quantum each in turn.
//! - Each sub-queue runs PIE on its own queue: its probability follows the delay of its flow, and
//!   no other flow is signalled for it.
//!
//! # Our readings
//! - The link is shared by flows. A host with more flows gets more of it; see `cake` for hosts.
//! - PIE gets the full link rate, as no flow's share is known; it uses it with `delay=rate` only.
//! - A sub-queue's updates start with its first packet; Linux's fall together (`timers`).
//! - Over the limit the longest sub-queue loses from its head, as in `fq-codel`; Linux drops the
//!   packet that arrives.
//!
//! # How other tools differ
//! | aspect | Linux 6.1 sch_fq_pie | ns-3 | here |
//! |---|---|---|---|
//! | over the limit | the arrival: `fq_pie_qdisc_enqueue` | a batch of the longest | batches of the longest; `overflow=arrival` |
//! | memory_limit | counted, nothing is dropped: `fq_pie_qdisc_enqueue` | none | enforced |
//! | updates | of all sub-queues at once: `fq_pie_timer` | each its own | each its own; `timers=together` |
//! | emptied new sub-queue | to the old list if that holds others: `fq_pie_qdisc_dequeue` | to the old list | to the old list; `emptied=leaves` |
//! | at a full buffer | PIE is not asked | asked | asked; with `overflow=arrival` not |
//! | PIE | see `pie` | see `pie` | RFC 8033 |
//!
//! `as=linux` is Linux 6.1's sch_fq_pie.c at 1000 Hz, to the packet as long as no two flows share
//! a sub-queue: hashes are ours.

use crate::queue::{Overflow, Sharing, SharingRules};
use crate::registry::{Descriptor, Kind, Parameter, Plan, Preset, Probe, Settings};
use crate::schemes::flow_queues::{OVERFLOW, overflow};
use crate::schemes::fq_codel::{ACTIVE, EMPTIED, FATTEST, MEMORY, SHARED_LIMIT, SHARING, sharing};
use crate::schemes::pie::{self, Pie};

/// Rules of Linux's scheduler that RFC 8290 does not have.
const RULES: &[Parameter] = &[
    EMPTIED,
    Parameter::new(
        "overflow",
        "what is dropped when the limit is exceeded",
        OVERFLOW,
    )
    .with_default(
        "fit",
        "RFC 8290, section 4.1.3; arrival: Linux sch_fq_pie.c, fq_pie_qdisc_enqueue",
    ),
    MEMORY,
    Parameter::new(
        "timers",
        "when the first update of a sub-queue falls",
        Kind::Choice(&[
            ("own", "an interval after its first packet"),
            ("together", "an interval after the first packet of all"),
        ]),
    )
    .with_default("own", "together: Linux sch_fq_pie.c, fq_pie_timer"),
];

/// The scheme.
pub const SCHEME: Descriptor = Descriptor::new(
    "fq-pie",
    "a queue for each flow, served by deficit round robin, each under PIE",
    "Ramakrishnan et al., \"FQ-PIE Queue Discipline in the Linux Kernel\", LCN 2019",
    &[SHARING, RULES, pie::PARAMETERS],
    |settings| {
        Ok(Plan::Fair {
            aqm: Pie::from_settings(settings)?.into(),
            sharing: Sharing {
                rules: rules(settings),
                ..sharing(settings)
            },
        })
    },
)
.with_defaults(&[SHARED_LIMIT])
.with_presets(&[
        Preset {
            name: "paper",
            meaning: "Ramakrishnan et al. 2019: 10240 packets, 1024 sub-queues, 15 ms",
            values: &[
                ("limit", "10240 packets"),
                ("queues", "1024"),
                ("target", "15 ms"),
                ("interval", "15 ms"),
            ],
        },
        Preset {
            name: "linux",
            meaning: "tc fq_pie on Ethernet at 1000 Hz, whose updates are a tick late (at 250 Hz interval=20 ms); no ECN unless asked for",
            values: &[
                ("emptied", "leaves"),
                ("overflow", "arrival"),
                ("memory_limit", "1 GB"),
                ("timers", "together"),
                ("derandomise", "on"),
                ("long_gap", "kept"),
                ("high_delay", "250 ms"),
                ("delay", "departed"),
                ("decay", "linux"),
                ("wraps_at", "256"),
                ("spared", "below"),
                ("burst_falls", "departures"),
                ("interval", "16 ms"),
                ("mean_packet", "1514 bytes"),
                ("ecn", "off"),
            ],
        },
        Preset {
            name: "ns3",
            meaning: "ns-3's FqPieQueueDisc on links with an MTU of 1500, no ECN unless asked for",
            values: &[
                ("quantum", "1500 bytes"),
                ("mean_packet", "1000 bytes"),
                ("memory_limit", "1 GB"),
                ("ecn", "off"),
            ],
        },
    ])
.with_probes(&[
        ACTIVE,
        FATTEST,
        Probe::new(
            "probability",
            "largest p among sub-queues that hold packets",
        ),
        Probe::new(
            "qdelay",
            "largest queueing delay at the last update among them, in seconds",
        ),
        Probe::new(
            "burst",
            "largest burst allowance left among them, in seconds",
        ),
    ]);

/// Reads the parameters of [`RULES`].
fn rules(settings: &Settings) -> SharingRules {
    SharingRules {
        leave_when_alone: settings.choice("emptied") == "leaves",
        overflow: match overflow(settings) {
            Overflow::Arrival => Overflow::Unjudged,
            other => other,
        },
        buffer_memory: settings.choice("memory") == "truesize",
        one_timer: settings.choice("timers") == "together",
        ..SharingRules::RFC_8290
    }
}

#[cfg(test)]
mod tests {
    use crate::queue::QueueDiscipline;
    use crate::testing::{mbps, packet, queue};
    use crate::units::Nanos;

    /// At 1 packet a ms, two packets of flow 0 a ms and one of flow 1 in 10 ms: drops of both.
    fn contest(spec: &str) -> [u64; 2] {
        let mut queue = queue(spec, mbps(8));
        let mut lost = [0; 2];
        for ms in 0..20_000 {
            let now = Nanos::from_millis(ms);
            let mut losses = |gone: crate::testing::TestPacket, _| lost[gone.flow as usize] += 1;
            for _ in 0..2 {
                queue.enqueue_with(now, packet(0), &mut losses);
            }
            if ms % 10 == 0 {
                queue.enqueue_with(now, packet(1), &mut losses);
            }
            queue.dequeue_with(now, &mut losses);
        }
        lost
    }

    #[test]
    fn the_flow_that_causes_the_delay_is_signalled_alone() {
        for spec in ["fq-pie", "fq-pie:as=linux"] {
            let lost = contest(spec);
            assert_eq!(lost[1], 0, "{spec}");
            assert!(lost[0] > 15_000, "{spec}: {lost:?}");
        }
        let lost = contest("pie");
        assert!(lost[1] > 500, "in one queue both are: {lost:?}");
    }

    #[test]
    fn linux_drops_the_arrival_at_the_limit() {
        let mut queue = queue("fq-pie:as=linux,limit=3", mbps(8));
        for _ in 0..3 {
            queue.enqueue(Nanos::ZERO, packet(0));
        }
        let mut lost = None;
        queue.enqueue_with(
            Nanos::ZERO,
            packet(1),
            &mut |gone: crate::testing::TestPacket, _| {
                lost = Some(gone.flow);
            },
        );
        assert_eq!((lost, queue.packets()), (Some(1), 3));
    }

    /// Updates every 100 ms of all sub-queues at once: flow 1 comes at 90 ms.
    #[test]
    fn timers_run_together_or_each_on_its_own() {
        for (timers, wanted) in [("together", true), ("own", false)] {
            let spec = alloc::format!("fq-pie:timers={timers},interval=100 ms,burst=0 s");
            let mut queue = queue(&spec, mbps(8));
            queue.enqueue(Nanos::ZERO, packet(0));
            queue.dequeue(Nanos::ZERO);
            for _ in 0..50 {
                queue.enqueue(Nanos::from_millis(40), packet(1));
            }
            queue.poll(Nanos::from_millis(101));
            let delay = queue.probe("qdelay").unwrap();
            assert_eq!(delay > 0.0, wanted, "{timers}: {delay}");
        }
    }
}
