//! The fields of a group of flows.

use earlydrop::registry::{Kind, Range};

use super::super::feels::FEELS;
use super::MAX_FLOWS;
use super::kinds::{NAME, RATE, SIZE, SPAN, TIME, one};
use super::tcp::TCP;
use crate::document::{Field, Section, Shape};

const KINDS: Kind = Kind::Choice(&[
    ("bulk", "an unlimited amount of data, over TCP"),
    ("transfer", "one transfer of `size`, over TCP"),
    (
        "web",
        "transfers of `size` one after the other with `pause` in between, each over a new TCP connection",
    ),
    (
        "pages",
        "requests of `request` with answers of `size`, each over a new TCP connection, `pause` in between, as ns-2's WebTraf",
    ),
    (
        "arrivals",
        "transfers of `size` that begin `every` so often, or as often as a `load` takes, however many are in progress (open loop)",
    ),
    (
        "list",
        "the transfers of a file: `start,src,dst,size` on each line",
    ),
    (
        "requests",
        "requests of `request` with answers of `size`, over one TCP connection, `pause` in between",
    ),
    (
        "incast",
        "clients that each request an answer of `size` of `servers` at the same time, and again `pause` after all have answered (a barrier)",
    ),
    ("cbr", "datagrams of `packet` at a constant `rate`"),
    (
        "on-off",
        "datagrams at `rate` in bursts of `on` with silence of `off` in between",
    ),
    (
        "replay",
        "the packets of a capture, `packets`, at their times with their sizes, without any feedback",
    ),
    (
        "voice",
        "telephone calls: G.711 at 80 kbps, talk spurts and pauses of ITU-T P.59",
    ),
]);

/// A group of flows.
pub(super) static FLOWS: Section = Section {
    name: "flows",
    meaning: "A group of flows of one kind.",
    fields: &[
        one(
            "count",
            Kind::Count(Range::closed(0.0, MAX_FLOWS as f64), "flows"),
            "1",
            "the number of flows",
        ),
        one("kind", KINDS, "bulk", "the application that sends").with_hints(&[
            ("udp", "cbr"),
            ("datagrams", "cbr"),
            ("constant", "cbr"),
            ("iperf", "bulk"),
            ("tcp", "bulk"),
            ("ftp", "bulk"),
            ("long", "bulk"),
            ("http", "web"),
            ("fan-in", "incast"),
            ("barrier", "incast"),
            ("voip", "voice"),
            ("pcap", "replay"),
            ("recording", "replay"),
            ("capture", "replay"),
        ]),
        one(
            "feels",
            Kind::Choice(FEELS),
            "auto",
            "by what the group is judged, in answers and in tables",
        ),
        one(
            "from",
            NAME,
            "",
            "the end they start from: left or right, router 0 ..., a node, or \"hosts\" for a random host of a leaf-spine or fat tree; empty: the left, router 0, or any host",
        ),
        one(
            "to",
            NAME,
            "",
            "the end they lead to; empty: the right, the last router, or any other host",
        ),
        one(
            "rtt",
            Kind::OrAuto(&SPAN),
            "auto",
            "the base round-trip time (without queueing); auto: the network's",
        )
        .written_like("50 ms"),
        one(
            "access",
            Kind::OrAuto(&RATE),
            "auto",
            "the rate of each host's own link; auto: the network's",
        ),
        Field::new(
            "start",
            Shape::Between(TIME),
            "0 s..1 s",
            "the start of each flow, drawn uniformly between the two times; by default, of arrivals within the mean time between their transfers, if that is less than 1 s",
        ),
        one(
            "stop",
            Kind::OrNever(&SPAN),
            "never",
            "the time from which they send no new data",
        ),
        Field::new("steps", Shape::List(&STEP), "", "further changes during the run"),
        Field::new(
            "tcp",
            Shape::Either(&TCP, "control"),
            "",
            "their TCP, where it differs from the file's `tcp`",
        )
        .when("kind", TCP_KINDS),
        Field::new(
            "size",
            Shape::Amount,
            "100 kB",
            "the payload of each transfer, page or answer; a packet is a full segment; at most 2^31 segments, to which drawn sizes are cut",
        )
        .when(
            "kind",
            &["transfer", "web", "pages", "arrivals", "requests", "incast"],
        ),
        one(
            "sizes",
            Kind::Text("a distribution's name, or a file's name beside the scenario"),
            "",
            "a measured distribution of sizes, in place of `size`: websearch, data-mining, hadoop, rpc, or a file with a size in bytes and the percentage of flows that are not larger on each line",
        )
        .when("kind", &["web", "pages", "arrivals", "requests", "incast"]),
        one(
            "servers",
            Kind::Count(Range::closed(1.0, 65_536.0), "servers"),
            "8",
            "the number of servers of each client (`to`), each on a host of its own in a leaf-spine or a fat tree",
        )
        .when("kind", &["incast"]),
        one(
            "rounds",
            Kind::OrAuto(&Kind::Count(Range::closed(1.0, 1e9), "rounds")),
            "auto",
            "how often each client asks its servers; auto: until the end",
        )
        .when("kind", &["incast"]),
        one(
            "load",
            Kind::Number(Range::closed(0.0, 10.0), "share"),
            "0",
            "the offered load, in place of `every`: a share of the first bottleneck's rate, or between hosts of all hosts' links; starts are then Poisson",
        )
        .when("kind", &["arrivals"]),
        one(
            "list",
            Kind::Text("a file's name beside the scenario"),
            "",
            "the file with the transfers: start in seconds, the numbers or names of the two hosts, payload in bytes",
        )
        .when("kind", &["list"]),
        Field::new(
            "pause",
            Shape::Spread(TIME),
            "0 s",
            "the time from the end of one transfer, page or answer to the beginning of the next; of an incast, from the last answer",
        )
        .when("kind", &["web", "pages", "requests", "incast"]),
        one(
            "ports",
            Kind::Choice(&[
                (
                    "same",
                    "those of the sender's last transfer: all its transfers are one flow to a scheme, as with ns-2's agents",
                ),
                ("new", "unused ones: each transfer is a new flow to a scheme, as between real hosts"),
            ]),
            "same",
            "the ports of a transfer, by which schemes tell flows apart; real hosts always use new ones",
        )
        .when("kind", &["web"]),
        Field::new(
            "every",
            Shape::Spread(SPAN),
            "exponential 1 s",
            "the time between the beginnings of two transfers",
        )
        .when("kind", &["arrivals"]),
        one(
            "at_most",
            Kind::OrAuto(&Kind::Count(Range::closed(1.0, 1e6), "transfers")),
            "auto",
            "the largest number of transfers in progress, of each of `count`; one that would begin beyond it is skipped and counted; auto: 1000, between random hosts of a fabric any number",
        )
        .when("kind", &["arrivals"]),
        one("request", SIZE, "400 bytes", "the size of a request")
            .when("kind", &["pages", "requests", "incast"]),
        one("rate", RATE, "1 Mbps", "their rate while they send")
            .when("kind", &["cbr", "on-off"]),
        one(
            "packets",
            Kind::Text("a file's name beside the scenario"),
            "",
            "the capture that is replayed: pcap, pcapng, or lines of `time,size,ecn` below that heading (seconds, bytes from the IP header on, and off, ect0, ect1 or ce). Of a capture, the IP packets in Ethernet, 802.11 (radiotap, too), Linux cooked, raw IP and loopback frames are read; other frames, and those cut off within their headers, are left out, with a warning that counts them. A run keeps the lines: no addresses and no payloads",
        )
        .when("kind", &["replay"]),
        one(
            "repeat",
            Kind::Flag,
            "off",
            "whether the capture begins again when it ends, a mean interval after its last packet",
        )
        .when("kind", &["replay"]),
        one("packet", SIZE, "1000 bytes", "the size of each datagram")
            .when("kind", &["cbr", "on-off"]),
        Field::new(
            "on",
            Shape::Spread(SPAN),
            "exponential 500 ms",
            "the duration of a burst",
        )
        .when("kind", &["on-off"]),
        Field::new(
            "off",
            Shape::Spread(TIME),
            "exponential 500 ms",
            "the duration of the silence after it",
        )
        .when("kind", &["on-off"]),
        one("ecn", ECN_FIELD, "off", "the ECN field of their datagrams")
            .when("kind", &["cbr", "on-off", "voice"]),
        one(
            "class",
            Kind::Count(Range::closed(0.0, 7.0), ""),
            "0",
            "the traffic class of their packets, for schemes with a profile or a queue per class",
        ),
        one(
            "ack_class",
            Kind::OrAuto(&Kind::Count(Range::closed(0.0, 7.0), "")),
            "auto",
            "the traffic class of their acknowledgments, RDMA's congestion notifications among them; auto: `class`",
        )
        .when("kind", TCP_KINDS),
        one(
            "overhead",
            Kind::OrAuto(&TIME),
            "auto",
            "the maximum of a random delay before each packet, which prevents phase effects; auto: a packet's transmission time on the bottleneck",
        )
        .written_like("1 ms"),
    ],
};

/// The kinds of flows that send over TCP.
const TCP_KINDS: &[&str] = &[
    "bulk", "transfer", "web", "pages", "arrivals", "requests", "incast", "list",
];

const ECN_FIELD: Kind = Kind::Choice(&[
    ("off", "not ECN-capable"),
    ("ect0", "ECT(0), as classic senders"),
    ("ect1", "ECT(1), as L4S senders"),
]);

/// A change of a group of flows.
static STEP: Section = Section {
    name: "step",
    meaning: "A change of a group of flows during the run.",
    fields: &[
        one("at", TIME, "0 s", "the time of the change"),
        one(
            "do",
            Kind::OrAuto(&Kind::Choice(&[
                ("stop", "they send no new data"),
                ("resume", "they send again"),
            ])),
            "auto",
            "they stop or resume",
        ),
        one(
            "rate",
            Kind::OrAuto(&RATE),
            "auto",
            "the rate of their datagrams from then on",
        ),
        one(
            "flows",
            Kind::OrAuto(&Kind::Count(Range::closed(1.0, MAX_FLOWS as f64), "flows")),
            "auto",
            "how many of the group's flows change: its last ones; auto: all",
        ),
    ],
};
