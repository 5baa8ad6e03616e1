//! The fields of `network`: topologies, links, and what changes about links.

use earlydrop::registry::{Kind, Range};

use super::kinds::{NAME, RATE, SHARE, SIZE, SPAN, TIME, one};
use crate::document::{Field, Section, Shape};

/// The fields that bottlenecks and the links of a graph have in common, after `more`.
macro_rules! link_fields {
    ($($more:expr),* $(,)?) => {
        &[
            $($more,)*
            one(
                "packet",
                Kind::OrAuto(&SIZE),
                "auto",
                "a typical packet size, for schemes that measure in packet times; auto: the largest segment of the flows",
            ),
            one("loss", SHARE, "0", "the share of packets lost at random after the queue"),
            Field::new("reorder", Shape::Table(&REORDER), "", "packets that later ones overtake"),
            one(
                "trace",
                Kind::Text("a file's name beside the scenario"),
                "",
                "a recorded link instead of a constant rate: Mahimahi's opportunities, or lines of `time,rate` below that heading; a rate (bit/s, or \"10 Mbps\") holds from its time (s, or \"5 ms\") to the next line's, and the last line's time ends the trace, which then repeats",
            ),
            one(
                "delay_trace",
                Kind::Text("a file's name beside the scenario"),
                "",
                "a recorded propagation delay instead of a constant one: lines of `time,delay` below that heading, which repeat as those of `trace`; it holds for packets that leave the transmitter from its time on, and none overtakes an earlier one. The base round-trip time has the smallest delay",
            ),
            Field::new(
                "aggregation",
                Shape::Table(&AGGREGATION),
                "",
                "packets that are sent back to back in a transmit opportunity, as by Wi-Fi",
            ),
            one(
                "slot",
                Kind::OrAuto(&SPAN),
                "auto",
                "opportunities to send begin at multiples of this time only, each for all that waits then, as on an uplink with a scheduler (LTE, DOCSIS); auto: at any time",
            )
            .written_like("1 ms"),
            Field::new(
                "changes",
                Shape::List(&CHANGE),
                "",
                "changes of the link during the run",
            ),
        ]
    };
}

pub(in crate::scenario) const SHAPE: Kind = Kind::Choice(&[
    (
        "dumbbell",
        "two routers with a bottleneck between them, and hosts on both sides",
    ),
    (
        "parking-lot",
        "routers in a row with a bottleneck between each two",
    ),
    (
        "leaf-spine",
        "`leaves` switches with `hosts` each, joined by `spines` switches; flows are spread over them by a hash (ECMP)",
    ),
    (
        "fat-tree",
        "switches with `ports` ports in pods below a core, each flow over one of the shortest routes by a hash (ECMP)",
    ),
    ("graph", "the links listed in `links`"),
]);

/// The shapes of data centres.
const FABRICS: &[&str] = &["leaf-spine", "fat-tree"];

/// The shapes with switches of several ports.
const SWITCHED: &[&str] = &["leaf-spine", "fat-tree", "graph"];

/// The topology.
pub(super) static NETWORK: Section = Section {
    name: "network",
    meaning: "The topology: a dumbbell (rate, rtt, buffer), a parking lot, a leaf-spine or fat tree, or any graph.",
    fields: link_fields![
        one("shape", SHAPE, "dumbbell", "the kind of topology"),
        one("rate", RATE, "10 Mbps", "the bottleneck's rate; in a leaf-spine or a fat tree, that of hosts' links")
            .when("shape", &["dumbbell", "parking-lot", "leaf-spine", "fat-tree"]),
        one(
            "uplink",
            Kind::OrAuto(&RATE),
            "auto",
            "the rate of links between switches; auto: that of hosts' links",
        )
        .when("shape", FABRICS),
        one(
            "host_queue",
            Kind::Text("\"nic\", \"scheme\", \"none\", or a scheme such as \"red:min=10,max=30\""),
            "nic",
            "the queue of each host's own link: \"nic\" for a network card that loses nothing and in which two segments of each sender wait at most (TCP small queues), so that senders share the link equally; \"scheme\" for the compared scheme, as in ns-2's scripts; one scheme for all runs; or \"none\" for an unlimited queue",
        )
        .when("shape", FABRICS),
        one(
            "leaves",
            Kind::Count(Range::closed(1.0, 1024.0), "switches"),
            "9",
            "the number of switches with hosts",
        )
        .when("shape", &["leaf-spine"]),
        one(
            "spines",
            Kind::Count(Range::closed(1.0, 1024.0), "switches"),
            "4",
            "the number of switches between them",
        )
        .when("shape", &["leaf-spine"]),
        one(
            "hosts",
            Kind::Count(Range::closed(1.0, 1024.0), "hosts"),
            "16",
            "the number of hosts at each leaf",
        )
        .when("shape", &["leaf-spine"]),
        one(
            "ports",
            Kind::Count(Range::closed(2.0, 64.0), "ports"),
            "4",
            "the number k of ports of each switch, even: k^3/4 hosts",
        )
        .when("shape", &["fat-tree"]),
        one(
            "rtt",
            SPAN,
            "50 ms",
            "the base round-trip time (without queueing) of every flow, unless its group sets another",
        )
        .when("shape", &["dumbbell", "parking-lot"]),
        one(
            "delay",
            Kind::OrAuto(&TIME),
            "auto",
            "the one-way propagation delay of a bottleneck; auto: a quarter of the shortest round-trip time, divided by the number of bottlenecks; of each link of a leaf-spine or a fat tree, 1 us",
        )
        .written_like("5 ms")
        .when("shape", &["dumbbell", "parking-lot", "leaf-spine", "fat-tree"]),
        Field::new(
            "buffer",
            Shape::Length(Kind::OrAuto(&Kind::Length(Range::POSITIVE))),
            "",
            "the buffer: every scheme's `limit`, also in place of a preset's; auto: 3 BDP, or four packets a flow or 50 packets where that is more, for schemes whose preset has no limit; left out: each scheme's default",
        ),
        one(
            "shared_buffer",
            Kind::OrAuto(&Kind::Bytes(Range::closed(1.0, 1e12))),
            "auto",
            "the packet buffer that all ports of a switch share, with dynamic thresholds (Choudhury and Hahne 1998), before each port's scheme; of a graph, the links with a queue of each node with several; every scheme's `limit` where there is no `buffer`; auto: none",
        )
        .written_like("9 MB")
        .when("shape", SWITCHED),
        one(
            "alpha",
            Kind::Number(
                Range {
                    with_low: false,
                    ..Range::closed(0.0, 1024.0)
                },
                "factor",
            ),
            "1",
            "the dynamic threshold's factor: a port drops what arrives while its queue, or that of the packet's class where each has one, is at least alpha times the free part of `shared_buffer`",
        )
        .when("shape", SWITCHED),
        one(
            "pause",
            Kind::OrAuto(&Kind::Bytes(Range::closed(1.0, 1e12))),
            "auto",
            "priority flow control (PFC, IEEE 802.1Qbb) at every switch: XOFF, the bytes that came over a link and wait, above which that link is paused; what still comes needs room in `buffer`; auto: none",
        )
        .written_like("100 kB")
        .when("shape", FABRICS),
        one(
            "resume",
            Kind::OrAuto(&Kind::Bytes(Range::closed(0.0, 1e12))),
            "auto",
            "XON: at so many bytes a paused link goes on; auto: half of `pause`",
        )
        .written_like("50 kB")
        .when("shape", FABRICS),
        one(
            "pause_classes",
            Kind::Text("traffic classes 0 to 7 between spaces, such as 3 or 3 4, or all"),
            "all",
            "the traffic classes that are counted and paused each alone, while others are not paused; every port's queue must tell classes apart, as `drr:by=class,queues=8` does; all: a pause stops all of a link",
        )
        .when("shape", FABRICS),
        one(
            "ecmp",
            Kind::Choice(&[
                ("flow", "each connection takes one, by a hash as of its ports"),
                ("packet", "each packet takes one at random (packet spraying)"),
            ]),
            "flow",
            "what is spread over the shortest routes between two hosts",
        )
        .with_hints(&[("spray", "packet"), ("spraying", "packet"), ("hash", "flow")])
        .when("shape", FABRICS),
        Field::new(
            "cables",
            Shape::List(&CABLE),
            "",
            "cables of a leaf-spine or a fat tree that differ from the others",
        )
        .when("shape", FABRICS),
        one(
            "reroute",
            Kind::OrNever(&TIME),
            "1 ms",
            "the time after which switches leave out of the shortest routes what is cut, and take it again once it is mended; packets keep the route that held when they were sent",
        )
        .when("shape", FABRICS),
        one(
            "bottlenecks",
            Kind::Count(Range::closed(1.0, 16.0), "links"),
            "2",
            "the number of bottlenecks in a row",
        )
        .when("shape", &["parking-lot"]),
        one(
            "access",
            Kind::OrAuto(&RATE),
            "auto",
            "the rate of each host's own link; auto: ten times the bottleneck's, 1 Gbps in a graph",
        ),
        Field::new(
            "reverse",
            Shape::Table(&REVERSE),
            "",
            "the bottleneck in the reverse direction, where it differs",
        )
        .when("shape", &["dumbbell", "parking-lot"]),
        Field::new("links", Shape::List(&LINK), "", "the links of a graph")
            .when("shape", &["graph"]),
        one(
            "watch",
            Kind::Text("a link's name, as \"left to right\""),
            "",
            "the link whose queue is in the summary; empty: the first link with a compared scheme",
        ),
    ],
};

/// The reverse direction of bottlenecks.
static REVERSE: Section = Section {
    name: "reverse",
    meaning: "The bottleneck in the reverse direction, which acknowledgments take. Its propagation delay is that of the forward direction.",
    fields: link_fields![
        one(
            "rate",
            Kind::OrAuto(&RATE),
            "auto",
            "its rate; auto: the forward rate",
        ),
        one(
            "queue",
            QUEUE,
            "droptail",
            "its queue: \"scheme\" for the compared scheme, one scheme for all runs, or \"none\" for an unlimited queue",
        ),
    ],
};

const QUEUE: Kind = Kind::Text("\"scheme\", \"none\", or a scheme such as \"red:min=10,max=30\"");

/// A link of a graph.
static LINK: Section = Section {
    name: "link",
    meaning: "A link of a graph. A node exists once a link names it.",
    fields: link_fields![
        one("from", NAME, "", "the node it begins at"),
        one("to", NAME, "", "the node it ends at"),
        one("rate", RATE, "10 Mbps", "its rate"),
        one("delay", TIME, "0 s", "its propagation delay").written_like("5 ms"),
        one(
            "queue",
            QUEUE,
            "scheme",
            "its queue: \"scheme\" for the compared scheme, one scheme for all runs, or \"none\" for an unlimited queue",
        ),
        one(
            "both",
            Kind::Flag,
            "on",
            "whether there is an equal link in the other direction; its queue is drop-tail where this one has the compared scheme",
        ),
    ],
};

/// A cable of a fabric.
static CABLE: Section = Section {
    name: "cable",
    meaning: "A cable of a leaf-spine or a fat tree, in both directions. While it is cut, what would arrive over it is lost.",
    fields: &[
        one(
            "link",
            NAME,
            "",
            "its link in one direction, as \"leaf 0 to spine 1\"",
        ),
        one(
            "rate",
            Kind::OrAuto(&RATE),
            "auto",
            "its rate; auto: that of the others",
        )
        .written_like("10 Gbps"),
        one(
            "cut",
            Kind::OrAuto(&TIME),
            "auto",
            "the time at which it is cut; auto: it is not",
        )
        .written_like("5 ms"),
        one(
            "mended",
            Kind::OrNever(&TIME),
            "never",
            "the time at which it is mended",
        )
        .written_like("10 ms"),
    ],
};

/// Aggregation.
static AGGREGATION: Section = Section {
    name: "aggregation",
    meaning: "Packets that are sent back to back in a transmit opportunity. What waits when it begins is taken from the queue then, while one of the largest packets so far would still fit; what arrives later waits for the next. An A-MPDU of IEEE 802.11n has 64 frames and 65,535 bytes at most; a PPDU of 802.11ac takes 5.484 ms at most.",
    fields: &[
        one(
            "packets",
            Kind::OrAuto(&Kind::Count(Range::closed(1.0, 1e6), "packets")),
            "auto",
            "the largest number of packets; auto: no limit",
        ),
        one(
            "bytes",
            Kind::OrAuto(&Kind::Bytes(Range::closed(1.0, 1e12))),
            "auto",
            "the largest number of bytes; auto: no limit",
        )
        .written_like("65535 bytes"),
        one(
            "airtime",
            Kind::OrAuto(&SPAN),
            "auto",
            "the longest transmission time of its packets together; auto: no limit",
        )
        .written_like("5.484 ms"),
        one(
            "overhead",
            TIME,
            "0 s",
            "the time before the first packet of each opportunity: contention, preamble, block acknowledgment",
        )
        .written_like("100 us"),
    ],
};

/// Reordering.
static REORDER: Section = Section {
    name: "reorder",
    meaning: "Reordering: packets that are delayed after the queue, so that later ones overtake them.",
    fields: &[
        one("share", SHARE, "0", "the share of packets delayed"),
        one(
            "delay",
            TIME,
            "0 s",
            "the maximum of their extra delay, which is uniform from zero",
        )
        .written_like("5 ms"),
    ],
};

const UP_OR_DOWN: Kind = Kind::OrAuto(&Kind::Choice(&[
    ("up", "it transmits again"),
    ("down", "it transmits nothing"),
]));

/// A change of a link.
static CHANGE: Section = Section {
    name: "change",
    meaning: "A change of a link during the run.",
    fields: &[
        one("at", TIME, "0 s", "the time of the change"),
        one("rate", Kind::OrAuto(&RATE), "auto", "its rate from then on"),
        one(
            "delay",
            Kind::OrAuto(&TIME),
            "auto",
            "its propagation delay from then on",
        )
        .written_like("5 ms"),
        one("state", UP_OR_DOWN, "auto", "it goes down or up"),
    ],
};
