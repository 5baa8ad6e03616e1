//! FQ-CoDel: a queue for each flow, each under CoDel.
//!
//! # Reference
//! T. Hoeiland-Joergensen, P. McKenney, D. Taht, J. Gettys, E. Dumazet, "The Flow Queue
//! CoDel Packet Scheduler and Active Queue Management Algorithm", RFC 8290, 2018.
//!
//! # Equations
//! - Sub-queue of a flow: `hash(flow, salt) mod queues`.
//! - A sub-queue that joins the lists starts with a credit of one quantum of bytes. Each
//!   round adds a quantum, each packet sent subtracts its size. New sub-queues are served
//!   first.
//! - Over the limit, in packets or bytes, the sub-queue with most bytes loses
//!   min(drop_batch packets, half its bytes) from its head, counted as `forced`.
//! - Each sub-queue runs CoDel on its own: see `codel`.
//!
//! # Our readings
//! - RFC 8290 drops one batch or half the backlog. Here this is repeated until the limit
//!   holds, which differs only for a limit in bytes.
//! - `memory_limit` counts bytes on the wire. Linux's counts buffer memory, about 1.5 to 3
//!   times as much; `memory=truesize` is that of packets the host itself makes.
//! - The sub-queue is the hashed flow key scaled to `queues`, not Jenkins's hash. Other flows
//!   collide, but as many on average.
//! - A packet that is marked on arrival and dropped at once counts as dropped only.
//!
//! # How other tools differ
//! | aspect | Linux | ns-3 | RFC 8290 | here |
//! |---|---|---|---|---|
//! | emptied new sub-queue | to the old list if that holds others: `fq_codel_dequeue` | to the old list | to the old list | to the old list; `emptied=leaves` |
//! | largest sub-queue found by | a search of all | a search of all | a search of all | a search of those in use |
//! | CoDel on an eviction | count grows | nothing | not specified | count grows |
//! | bytes limit | 32 MiB of buffers: `fq_codel_enqueue` | none | none | 32 MiB on the wire; `memory=truesize` |
//! | dropped at a full buffer | one batch | one batch | one batch | batches until it fits; `overflow=batch` |
//! | CoDel's rule of one MTU of backlog | of all sub-queues together: `fq_codel_dequeue` | of the sub-queue | of the sub-queue | of the sub-queue; `backlog=total` |
//! | arrival at an empty root qdisc | not judged, leaves first: `__dev_xmit_skb` | judged | not specified | judged; `bypass=on` |
//! | quantum | device MTU + header | device MTU | 1514 | 1514 |
//! | CoDel's sqrt, clock, comparison | see `codel` | see `codel` | exact | exact |
//!
//! `as=linux` is Linux 6.1's sch_fq_codel.c below another qdisc, to the packet as long as no two
//! flows share a sub-queue: hashes are ours. For a root qdisc add `bypass=on`.

use crate::queue::{Limit, Overflow, Sharing, SharingRules};
use crate::registry::{Descriptor, Kind, LIMIT, Parameter, Plan, Preset, Probe, Range, Settings};
use crate::schemes::codel::{self, Codel};

const RFC: &str = "RFC 8290, section 5.2";

/// The parameters of every fair queue.
pub(crate) const SHARING: &[Parameter] = &[
    LIMIT,
    Parameter::new(
        "queues",
        "sub-queues that flows are hashed into",
        Kind::Count(Range::closed(1.0, 65_536.0), "sub-queues"),
    )
    .fixed()
    .with_default("1024", RFC),
    Parameter::new(
        "quantum",
        "bytes a flow may send in a round",
        Kind::Bytes(Range::closed(64.0, 1_048_576.0)),
    )
    .with_default("1514 bytes", RFC),
    Parameter::new(
        "memory_limit",
        "capacity of all sub-queues together in bytes, in addition to limit",
        Kind::Bytes(Range::POSITIVE),
    )
    .with_default("32 MiB", "Linux sch_fq_codel"),
    Parameter::new(
        "drop_batch",
        "most packets dropped at once from the largest sub-queue when the limit is exceeded",
        Kind::Count(Range::closed(1.0, 65_536.0), "packets"),
    )
    .fixed()
    .with_default("64", "RFC 8290, section 4.1; Linux sch_fq_codel"),
];

/// Where a new sub-queue goes that is found empty.
pub(crate) const EMPTIED: Parameter = Parameter::new(
    "emptied",
    "where a new sub-queue goes when it is found empty",
    Kind::Choice(&[
        ("old", "to the end of the old ones"),
        ("leaves", "out of the lists if there are no old ones"),
    ]),
)
.with_default(
    "old",
    "RFC 8290, section 4.2; leaves: Linux sch_fq_codel.c, fq_codel_dequeue",
);

/// What the limit in bytes counts.
pub(crate) const MEMORY: Parameter = Parameter::new(
    "memory",
    "what memory_limit counts",
    Kind::Choice(&[
        ("wire", "bytes on the wire"),
        (
            "truesize",
            "memory of buffers: 2304 bytes for a packet of 1514",
        ),
    ]),
)
.with_default(
    "wire",
    "truesize: Linux sch_fq_codel.c, fq_codel_enqueue; its size as alloc_skb \
     makes it",
);

/// Rules of Linux's scheduler that RFC 8290 does not have.
const RULES: &[Parameter] = &[
    Parameter::new(
        "backlog",
        "the backlog that mtu is compared with",
        Kind::Choice(&[
            ("own", "of the packet's sub-queue"),
            (
                "total",
                "of all sub-queues; CoDel then goes on when its own has become empty",
            ),
        ]),
    )
    .with_default(
        "own",
        "RFC 8290, section 4.2; total: Linux sch_fq_codel.c, fq_codel_dequeue",
    ),
    EMPTIED,
    Parameter::new(
        "overflow",
        "how much is dropped when the limit is exceeded",
        Kind::Choice(&[
            ("fit", "batches until the limit holds"),
            ("batch", "one batch"),
        ]),
    )
    .with_default(
        "fit",
        "RFC 8290, section 4.1.3; batch: Linux sch_fq_codel.c, fq_codel_enqueue",
    ),
    MEMORY,
    Parameter::new(
        "bypass",
        "a packet that finds nothing queued is not judged and leaves first",
        Kind::Flag,
    )
    .with_default(
        "off",
        "on: Linux's root qdisc, dev.c, __dev_xmit_skb, TCQ_F_CAN_BYPASS",
    ),
];

/// The default limit of every fair queue.
pub(crate) const SHARED_LIMIT: (&str, &str, &str) = ("limit", "10240 packets", RFC);

/// Sub-queues that hold packets.
pub(crate) const ACTIVE: Probe = Probe::new("active", "sub-queues that hold packets");
/// Bytes in the fullest sub-queue.
pub(crate) const FATTEST: Probe = Probe::new("fattest", "bytes in the fullest sub-queue");

/// The scheme.
pub const SCHEME: Descriptor = Descriptor::new(
    "fq-codel",
    "a queue for each flow, served by deficit round robin, each under CoDel",
    "Hoeiland-Joergensen, McKenney, Taht, Gettys, Dumazet, RFC 8290, 2018",
    &[SHARING, RULES, codel::PARAMETERS],
    |settings| {
        Ok(Plan::FairCodel {
            aqm: Codel::from_settings(settings)?,
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
        meaning: "RFC 8290: 10240 packets, 1024 sub-queues, quantum 1514, 5 ms in 100 ms",
        values: &[
            ("limit", "10240 packets"),
            ("queues", "1024"),
            ("quantum", "1514 bytes"),
            ("target", "5 ms"),
            ("interval", "100 ms"),
        ],
    },
    Preset {
        name: "linux",
        meaning: "tc fq_codel on Ethernet: ECN, 32 MiB, an MTU of 1514 with its header",
        values: &[
            ("mtu", "1514 bytes"),
            ("ecn", "on"),
            ("memory_limit", "32 MiB"),
            ("backlog", "total"),
            ("emptied", "leaves"),
            ("overflow", "batch"),
            ("memory", "truesize"),
            codel::AS_LINUX[0],
            codel::AS_LINUX[1],
            codel::AS_LINUX[2],
        ],
    },
    Preset {
        name: "ns3",
        meaning: "ns-3's FqCoDelQueueDisc on links with an MTU of 1500",
        values: &[
            ("quantum", "1500 bytes"),
            ("mtu", "1499 bytes"),
            ("ecn", "on"),
            ("memory_limit", "1 GB"),
            codel::AS_LINUX[0],
            codel::AS_LINUX[1],
            codel::AS_LINUX[2],
        ],
    },
])
.with_probes(&[
    ACTIVE,
    FATTEST,
    Probe::new(
        "sojourn",
        "largest last sojourn time among sub-queues that hold packets, in s",
    ),
    Probe::new("count", "largest of CoDel's counts among them"),
    Probe::new("dropping", "1 while CoDel acts on any of them, 0 otherwise"),
]);

/// Reads the parameters of [`SHARING`].
pub(crate) fn sharing(settings: &Settings) -> Sharing {
    let size = |name| settings.size_or_auto(name).unwrap_or_default();
    let limit = settings.limit();
    Sharing {
        queues: settings.count("queues"),
        quantum: size("quantum").0 as u32,
        limit: Limit {
            bytes: limit.bytes.min(size("memory_limit")),
            ..limit
        },
        drop_batch: settings.count("drop_batch"),
        rules: SharingRules::default(),
    }
}

/// Reads the parameters of [`RULES`].
fn rules(settings: &Settings) -> SharingRules {
    SharingRules {
        total_backlog: settings.choice("backlog") == "total",
        leave_when_alone: settings.choice("emptied") == "leaves",
        overflow: match settings.choice("overflow") {
            "batch" => Overflow::OneBatch,
            _ => Overflow::Batches,
        },
        buffer_memory: settings.choice("memory") == "truesize",
        bypass: settings.flag("bypass"),
        ..SharingRules::RFC_8290
    }
}

#[cfg(test)]
mod tests {
    use crate::aqm::DropReason;
    use crate::packet::Ecn;
    use crate::queue::QueueDiscipline;
    use crate::testing::{TestPacket, mbps, packet, queue};
    use crate::units::Nanos;

    /// A large flow of two packets a ms and a small one of one packet in 10 ms, at 1 packet
    /// a ms: losses of both, and the small flow's longest wait in ms.
    fn contest(spec: &str, ecn: Ecn) -> ([u64; 2], u64, u64) {
        let mut queue = queue(spec, mbps(8));
        let (mut lost, mut longest) = ([0; 2], 0);
        for ms in 0..5000 {
            let now = Nanos::from_millis(ms);
            for _ in 0..2 {
                queue.enqueue(now, TestPacket { ecn, ..packet(0) });
            }
            if ms % 10 == 0 {
                queue.enqueue(now, TestPacket { ecn, ..packet(1) });
            }
            let left = queue.dequeue_with(now, &mut |gone: TestPacket, _| {
                lost[gone.flow as usize] += 1;
            });
            if let Some(left) = left.filter(|left| left.packet.flow == 1) {
                longest = longest.max((now - left.arrived).0 / 1_000_000);
            }
        }
        (lost, longest, queue.counters().marked.packets)
    }

    #[test]
    fn a_small_flow_neither_waits_nor_loses_next_to_a_large_one() {
        let (lost, longest, _) = contest("fq-codel", Ecn::NotCapable);
        assert_eq!(lost[1], 0);
        assert!(lost[0] > 20, "CoDel acts on the fat flow: {lost:?}");
        assert!(longest <= 3, "{longest} ms");
        let (_, longest, _) = contest("codel", Ecn::NotCapable);
        assert!(longest > 100, "in one queue it waits: {longest} ms");
    }

    #[test]
    fn ecn_capable_flows_are_marked() {
        let (lost, _, marked) = contest("fq-codel", Ecn::Ect0);
        assert_eq!(lost, [0, 0]);
        assert!(marked > 20);
    }

    #[test]
    fn memory_bounds_bytes_and_evictions_count_as_signals() {
        let mut queue = queue("fq-codel:memory_limit=10 kB", mbps(8));
        for _ in 0..11 {
            queue.enqueue(Nanos::ZERO, packet(0));
        }
        let forced = queue.counters().dropped_for(DropReason::Forced);
        assert_eq!(forced.packets, 6, "half of 11,000 bytes, to the packet");
        assert_eq!(queue.probe("count"), Some(6.0));
        assert_eq!(queue.probe("active"), Some(1.0));
        assert_eq!(queue.probe("fattest"), Some(5000.0));
    }
}
