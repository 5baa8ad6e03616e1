//! CAKE: tins by traffic class, an even share for each host and flow, COBALT for each flow.
//!
//! # Reference
//! T. Hoeiland-Joergensen, D. Taht, J. Morton, "Piece of CAKE: A Comprehensive Queue Management
//! Solution for Home Gateways", IEEE LANMAN 2018. J. Palmei et al., "Design and Evaluation of
//! COBALT Queue Discipline", IEEE LANMAN 2019: see `cobalt`. What the papers leave open is that of
//! Linux's sch_cake.c.
//!
//! # Equations
//! Tins, R being the bandwidth:
//! - A packet's DSCP gives its tin. `diffserv3`: best effort, bulk (1/16 of R), voice (1/4).
//!   `diffserv4`: best effort, bulk (1/16), video (1/2), voice (1/4). `diffserv8` and `precedence`:
//!   eight tins, each with 7/8 of the rate of the one below it.
//! - A packet of size s takes `s / rate` of its tin's time. The highest tin is served that is not
//!   ahead of its time, else the one whose time comes first. So a tin that keeps to its rate is
//!   served before those below it, and one that does not has no priority.
//! - Unlimited: deficit round robin of tins, with the same shares as weights.
//!
//! Sub-queues of a tin:
//! - A flow's hash names a set of 8 sub-queues. It has the one it had, else an idle one of the set,
//!   else it shares one: collisions need more than 8 flows in a set.
//! - A sub-queue's turn is `quantum / max(1, bulk flows of its source host, bulk flows of its
//!   destination host)` bytes, rounded at random. Quantum is `R / 4096` for a second's bytes,
//!   within 300 and 1514. New sub-queues are served first, as in `fq-codel`.
//! - A packet of size s costs `s + overhead`, at least `mpu`; on ATM in cells of 53 bytes with 48
//!   of the packet, on PTM a byte more for each 64.
//!
//! COBALT of each sub-queue: see `cobalt`. Its target is at least 1.5 packet times of the tin, and
//! its interval longer by as much.
//!
//! ACK filter: an acknowledgment that joins a sub-queue drops the older of two pure ones of its
//! flow that acknowledge less; `aggressive` also a single one right before it.
//!
//! # Our readings
//! - **The link is the shaper.** A queue is asked for a packet when the link is free and has to
//!   give one, so it cannot wait. Give the link the rate that CAKE's `bandwidth` would be;
//!   `bandwidth` here sets tins, quanta and targets only. `overhead`, `mpu` and `framing` count in
//!   the shares of flows, hosts and tins; the link itself sends a packet's size.
//! - A packet's class is its IP precedence, in the simulator and of real packets: class c is the
//!   DSCP 8c, so class 1 is bulk and 6 and 7 are voice. `class=dscp` reads it as a whole DSCP.
//! - Hosts are those that a packet names. In the simulator each flow has hosts of its own, numbered
//!   as the flow; `sources` and `destinations` put flows on one host: `sources=100 1` are 100 flows
//!   of one host and one of another.
//! - `overhead=N` adds N to a size that has an Ethernet header already; it is `tc cake overhead`
//!   with 14 more.
//! - An acknowledgment with SACK blocks is never dropped by the filter; Linux compares blocks.
//! - A flow that shares a queue after a collision loses its reservation and may get another queue
//!   while packets of it wait, so they may leave out of order, as in Linux.
//! - Filtered acknowledgments count as `policy`, drops at a full buffer as `forced`, COBALT's as
//!   `dequeue`.
//! - `memory_limit=auto` is four times what R sends in an interval, within 4 MiB and `limit` packets
//!   of `mtu`. It is computed once.
//! - Left out: `nat`, `wash`, `fwmark`, `split-gso`, `ingress` and `autorate-ingress`.
//!
//! # How other tools differ
//! | aspect | Linux 6.1 | here |
//! |---|---|---|
//! | shaper | of its own | the link |
//! | limit | memory of buffers | bytes on the wire; `memory=truesize`; and packets |
//! | largest sub-queue found by | a heap | a search of those in use |
//! | 1/sqrt(count), the first signal | see `cobalt` | exact, an interval later; `sqrt=cake` |
//! | hash | of addresses and ports | of the flow's number, of its hosts' |
//!
//! `as=linux` is Linux 6.1's sch_cake.c to the packet, shaped or unlimited, as long as hashes do not
//! collide and the buffer is not full: shaped, this queue sits before a link of the shaper's rate.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::queue::{AckFilter, CakeParams, Cells, Diffserv, Framing, HostGroups, Isolation, Limit};
use crate::registry::{
    ConfigError, Descriptor, Kind, LIMIT, Parameter, Plan, Preset, Probe, Range, Settings,
};
use crate::schemes::cobalt::{self, Cobalt};
use crate::schemes::fq_codel::{ACTIVE, FATTEST, MEMORY};
use crate::units::{BitsPerSec, Bytes};

const LINUX: &str = "Linux sch_cake";
const GROUPS: &str = "own, or whole numbers of flows, at most 64, such as 100 1";

const PARAMETERS: &[Parameter] = &[
    LIMIT,
    Parameter::new(
        "memory_limit",
        "capacity of all sub-queues together in bytes, in addition to limit; auto: four \
         times what bandwidth sends in an interval",
        Kind::OrAuto(&Kind::Bytes(Range::POSITIVE)),
    )
    .with_default("auto", LINUX),
    MEMORY,
    Parameter::new(
        "bandwidth",
        "the rate that tins, quanta and targets follow; auto: that of the link",
        Kind::OrAuto(&Kind::Rate(Range::POSITIVE)),
    )
    .with_default("auto", "the scenario")
    .only_with("unlimited", &["off"]),
    Parameter::new(
        "unlimited",
        "tins take turns, and quanta and targets follow no rate",
        Kind::Flag,
    )
    .with_default("off", "on: Linux sch_cake without a bandwidth"),
    Parameter::new(
        "diffserv",
        "the tins of traffic classes",
        Kind::Choice(&[
            ("besteffort", "one tin"),
            ("precedence", "a tin for each of eight precedences"),
            ("diffserv3", "best effort, bulk, voice"),
            ("diffserv4", "best effort, bulk, video, voice"),
            (
                "diffserv8",
                "eight, from background traffic to network control",
            ),
        ]),
    )
    .with_default("diffserv3", LINUX),
    Parameter::new(
        "class",
        "what a packet's class is",
        Kind::Choice(&[
            ("precedence", "its IP precedence, an eighth of the DSCP"),
            ("dscp", "its DSCP"),
        ]),
    )
    .with_default("precedence", "RFC 2474, section 4.2.2: the class selectors"),
    Parameter::new(
        "isolation",
        "what has a queue of its own and an even share",
        Kind::Choice(&[
            ("flowblind", "nothing: one queue"),
            ("srchost", "each source host"),
            ("dsthost", "each destination host"),
            ("hosts", "each pair of hosts"),
            ("flows", "each flow"),
            ("dual-srchost", "each source host, and in it each flow"),
            ("dual-dsthost", "each destination host, and in it each flow"),
            (
                "triple-isolate",
                "each source and destination host, and in them each flow",
            ),
        ]),
    )
    .with_default("triple-isolate", LINUX),
    Parameter::new(
        "sources",
        "flows of source hosts 0, 1, ..., by the numbers that packets name; own: as these say",
        Kind::Text(GROUPS),
    )
    .with_default("own", "the scenario")
    .only_with(
        "isolation",
        &["srchost", "hosts", "dual-srchost", "triple-isolate"],
    ),
    Parameter::new(
        "destinations",
        "flows of destination hosts 0, 1, ..., as for sources",
        Kind::Text(GROUPS),
    )
    .with_default("own", "the scenario")
    .only_with(
        "isolation",
        &["dsthost", "hosts", "dual-dsthost", "triple-isolate"],
    ),
    Parameter::new(
        "queues",
        "sub-queues of each tin, rounded up to a multiple of ways",
        Kind::Count(Range::closed(1.0, 65_536.0), "sub-queues"),
    )
    .fixed()
    .with_default("1024", LINUX),
    Parameter::new(
        "ways",
        "sub-queues that a flow may have, a set of the hash; 1: a plain hash",
        Kind::Count(Range::closed(1.0, 64.0), "sub-queues"),
    )
    .fixed()
    .with_default("8", LINUX),
    Parameter::new(
        "quantum",
        "bytes of a turn of a flow alone on its hosts; auto: by the tin's rate",
        Kind::OrAuto(&Kind::Bytes(Range::closed(64.0, 65_535.0))),
    )
    .with_default("auto", LINUX),
    Parameter::new(
        "overhead",
        "bytes added to each packet in the shares of flows, hosts and tins",
        Kind::Number(Range::closed(-64.0, 256.0), "bytes"),
    )
    .with_default("0", LINUX),
    Parameter::new(
        "mpu",
        "the least size of a packet with its overhead",
        Kind::Bytes(Range::closed(0.0, 256.0)),
    )
    .with_default("0 bytes", LINUX),
    Parameter::new(
        "framing",
        "how the link cuts packets",
        Kind::Choice(&[
            ("none", "not at all"),
            ("atm", "into cells of 53 bytes with 48 of the packet"),
            ("ptm", "a byte more for each 64"),
        ]),
    )
    .with_default("none", LINUX),
    Parameter::new(
        "ack_filter",
        "which acknowledgments are dropped that a later one replaces",
        Kind::Choice(&[
            ("off", "none"),
            ("on", "the older of two"),
            ("aggressive", "also a single one right before it"),
        ]),
    )
    .with_default("off", LINUX),
];

/// The scheme.
pub const SCHEME: Descriptor = Descriptor::new(
    "cake",
    "tins by traffic class, an even share for each host and flow, COBALT for each flow",
    "Hoeiland-Joergensen, Taht, Morton, \"Piece of CAKE\", IEEE LANMAN 2018",
    &[PARAMETERS, cobalt::PARAMETERS],
    |settings| {
        Ok(Plan::Cake {
            aqm: Cobalt::from_settings(settings)?.in_tins(),
            params: params(settings)?,
        })
    },
)
.with_defaults(&[("limit", "10240 packets", LINUX)])
.with_presets(&[
        Preset {
            name: "paper",
            meaning: "Hoeiland-Joergensen et al. 2018: four tins, isolation of hosts and flows, 5 ms in 100 ms",
            values: &[("diffserv", "diffserv4"), ("isolation", "triple-isolate")],
        },
        Preset {
            name: "linux",
            meaning: "tc cake bandwidth RATE on Ethernet, RATE being the link's; memory of buffers",
            values: &[
                ("memory", "truesize"),
                ("mtu", "1514 bytes"),
                ("sqrt", "cake"),
            ],
        },
    ])
.with_probes(&[
        ACTIVE,
        FATTEST,
        Probe::new("bulk", "sub-queues that have used up a turn"),
        Probe::new(
            "filtered",
            "acknowledgments dropped by the ACK filter so far",
        ),
        Probe::new(
            "sojourn",
            "largest last sojourn time among sub-queues that hold packets, in s",
        ),
        Probe::new("count", "largest of CoDel's counts among them"),
        Probe::new("dropping", "1 while CoDel acts on any of them, 0 otherwise"),
        Probe::new("p", "largest of BLUE's drop probabilities among them"),
    ]);

fn params(settings: &Settings) -> Result<CakeParams, ConfigError> {
    let given = match settings.value("bandwidth") {
        crate::registry::Value::Rate(rate) => Some(*rate),
        _ => None,
    };
    let rate = given.unwrap_or(settings.link().rate);
    let rate = (!settings.flag("unlimited")).then_some(rate);
    let ways = settings.count("ways");
    let size = |name| settings.size_or_auto(name).map(|size| size.0);
    Ok(CakeParams {
        limit: limit(settings, rate),
        buffer_memory: settings.choice("memory") == "truesize",
        queues: settings.count("queues").next_multiple_of(ways),
        ways,
        diffserv: diffserv(settings),
        class_is_precedence: settings.choice("class") == "precedence",
        isolation: isolation(settings.choice("isolation")),
        hosts: HostGroups {
            sources: groups(settings, "sources")?,
            destinations: groups(settings, "destinations")?,
        },
        framing: Framing {
            overhead: settings.number("overhead") as i32,
            least: size("mpu").unwrap_or(0) as u32,
            cells: match settings.choice("framing") {
                "atm" => Cells::Atm,
                "ptm" => Cells::Ptm,
                _ => Cells::None,
            },
        },
        ack_filter: match settings.choice("ack_filter") {
            "on" => AckFilter::On,
            "aggressive" => AckFilter::Aggressive,
            _ => AckFilter::Off,
        },
        rate,
        follows_link: given.is_none(),
        quantum: size("quantum").map(|size| size as u32),
    })
}

/// The limits in packets and bytes (`cake_reconfigure`).
fn limit(settings: &Settings, rate: Option<BitsPerSec>) -> Limit {
    const LEAST: u64 = 4 << 20;
    let limit = settings.limit();
    let mtu = settings.size_or_auto("mtu").unwrap_or_default().0;
    let interval = settings.time("interval").as_secs_f64();
    let by_rate = rate.map_or(u64::MAX, |rate| {
        let bytes = 4.0 * rate.0 as f64 / 8.0 * interval;
        (bytes as u64).max(LEAST)
    });
    let auto = by_rate.min(u64::from(limit.packets).saturating_mul(mtu));
    let bytes = settings
        .size_or_auto("memory_limit")
        .map_or(auto, |size| size.0);
    Limit {
        bytes: limit.bytes.min(Bytes(bytes)),
        ..limit
    }
}

fn diffserv(settings: &Settings) -> Diffserv {
    match settings.choice("diffserv") {
        "besteffort" => Diffserv::BestEffort,
        "precedence" => Diffserv::Precedence,
        "diffserv4" => Diffserv::Four,
        "diffserv8" => Diffserv::Eight,
        _ => Diffserv::Three,
    }
}

fn isolation(name: &str) -> Isolation {
    let is_one_of = |names: &[&str]| names.contains(&name);
    Isolation {
        flows: is_one_of(&["flows", "dual-srchost", "dual-dsthost", "triple-isolate"]),
        sources: is_one_of(&["srchost", "hosts", "dual-srchost", "triple-isolate"]),
        destinations: is_one_of(&["dsthost", "hosts", "dual-dsthost", "triple-isolate"]),
    }
}

/// The numbers after the last of each group of hosts.
fn groups(settings: &Settings, name: &str) -> Result<Box<[u64]>, ConfigError> {
    let text = settings.text(name);
    if text == "own" {
        return Ok(Box::default());
    }
    let sizes: Result<Vec<u32>, _> = text.split_whitespace().map(str::parse).collect();
    let sizes = sizes.ok().filter(|sizes| (1..=64).contains(&sizes.len()));
    let sizes = sizes.filter(|sizes| sizes.iter().all(|size| *size > 0));
    let mut end = 0;
    let mut ends = |size: u32| {
        end += u64::from(size);
        end
    };
    match sizes {
        Some(sizes) => Ok(sizes.into_iter().map(&mut ends).collect()),
        None => Err(settings.unreadable(name)),
    }
}

#[cfg(test)]
#[path = "cake_tests.rs"]
mod tests;
