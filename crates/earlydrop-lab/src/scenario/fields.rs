//! Everything a scenario file may say. What is checked, the schema and the page
//! `docs/scenarios.md` are all made from these tables.

use earlydrop::registry::{Kind, Range};

use crate::document::{Field, Section, Shape};

const fn one(
    name: &'static str,
    kind: Kind,
    default: &'static str,
    meaning: &'static str,
) -> Field {
    Field::new(name, Shape::One(kind), default, meaning)
}

const TIME: Kind = Kind::Time(Range::NOT_NEGATIVE);
const SPAN: Kind = Kind::Time(Range::POSITIVE);
const RATE: Kind = Kind::Rate(Range::closed(1.0, 1e12));
const SIZE: Kind = Kind::Bytes(Range::closed(1.0, 65_535.0));
const SHARE: Kind = Kind::Number(Range::PROBABILITY, "probability");
/// What is left out, or how something is written.
const NAME: Kind = Kind::Text("a name");

/// The whole file.
pub static SCENARIO: Section = Section {
    name: "scenario",
    meaning: "the whole file",
    fields: &[
        one("title", Kind::Text("words"), "", "what it is called"),
        one(
            "about",
            Kind::Text("words"),
            "",
            "what it is about, and what to expect",
        ),
        one("duration", SPAN, "30 s", "how long each run lasts"),
        one(
            "warm_up",
            TIME,
            "5 s",
            "how much of its beginning is left out of every figure",
        ),
        Field::new(
            "seeds",
            Shape::Open("how many seeds, from 1 on, or a list of them"),
            "5",
            "with how many seeds each scheme runs; the same for all",
        ),
        Field::new(
            "schemes",
            Shape::Open(
                "a list of schemes (\"red:min=10,max=30\"), or a table of them by names of your own",
            ),
            "",
            "what is compared: the queue disciplines at the bottleneck",
        ),
        Field::new(
            "parameters",
            Shape::Open("parameters of schemes by name"),
            "",
            "given to every scheme that has them and does not set them itself",
        ),
        Field::new(
            "network",
            Shape::Table(&NETWORK),
            "",
            "links, and the hosts' ways to them",
        ),
        Field::new(
            "tcp",
            Shape::Either(&TCP, "control"),
            "",
            "how every TCP flow behaves, unless its group says otherwise",
        ),
        Field::new(
            "flows",
            Shape::Named(&FLOWS),
            "",
            "groups of flows, by name",
        ),
        Field::new("measure", Shape::Table(&MEASURE), "", "what is measured"),
        Field::new(
            "sweep",
            Shape::Open(
                "fields by their paths (\"network.rtt\"), each with a list of values or { from, to, step }",
            ),
            "",
            "what is varied: every combination is run",
        ),
    ],
};

/// Fields of a link that both a dumbbell's bottleneck and a graph's links have.
macro_rules! link_fields {
    ($($more:expr),* $(,)?) => {
        &[
            $($more,)*
            one(
                "packet",
                Kind::OrAuto(&SIZE),
                "auto",
                "a typical packet, for schemes that measure in packet times; auto: the largest segment of the flows",
            ),
            one("loss", SHARE, "0", "the share of packets lost at random once sent"),
            Field::new("reorder", Shape::Table(&REORDER), "", "packets that fall behind others"),
            one(
                "trace",
                Kind::Text("a file's name beside the scenario"),
                "",
                "a recorded link in Mahimahi's format, in place of a rate",
            ),
            Field::new(
                "changes",
                Shape::List(&CHANGE),
                "",
                "what changes about it while the run goes on",
            ),
        ]
    };
}

const SHAPE: Kind = Kind::Choice(&[
    (
        "dumbbell",
        "two routers with a bottleneck between them, hosts on both sides",
    ),
    (
        "parking-lot",
        "routers in a row with a bottleneck between each two",
    ),
    ("graph", "the links listed in `links`"),
]);

/// The network.
static NETWORK: Section = Section {
    name: "network",
    meaning: "A dumbbell by three lines (rate, rtt, buffer), or any graph.",
    fields: link_fields![
        one("shape", SHAPE, "dumbbell", "what it looks like"),
        one("rate", RATE, "10 Mbps", "the bottleneck's rate")
            .when("shape", &["dumbbell", "parking-lot"]),
        one(
            "rtt",
            SPAN,
            "50 ms",
            "the round trip of every flow without queues, unless its group says otherwise",
        )
        .when("shape", &["dumbbell", "parking-lot"]),
        one(
            "delay",
            Kind::OrAuto(&TIME),
            "auto",
            "how long a packet travels on a bottleneck, one way; auto: a quarter of the shortest round trip",
        )
        .when("shape", &["dumbbell", "parking-lot"]),
        one(
            "buffer",
            Kind::OrAuto(&Kind::Length(Range::POSITIVE)),
            "auto",
            "every scheme's `limit`; auto: each scheme's own default",
        ),
        one(
            "bottlenecks",
            Kind::Count(Range::closed(1.0, 100.0), "links"),
            "2",
            "how many bottlenecks stand in the row",
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
            "the way back of acknowledgments, where it differs",
        )
        .when("shape", &["dumbbell", "parking-lot"]),
        Field::new("links", Shape::List(&LINK), "", "the links of a graph")
            .when("shape", &["graph"]),
        one(
            "watch",
            Kind::Text("a link by its name, \"left to right\""),
            "",
            "the link whose queue is in the summary; empty: the first with a scheme",
        ),
    ],
};

/// The way back of a dumbbell.
static REVERSE: Section = Section {
    name: "reverse",
    meaning: "The bottleneck from right to left.",
    fields: &[
        one(
            "rate",
            Kind::OrAuto(&RATE),
            "auto",
            "its rate; auto: as forward",
        ),
        one(
            "queue",
            QUEUE,
            "droptail",
            "what waits before it: \"scheme\" for the scheme compared, a scheme of its own, or \"none\" for no limit",
        ),
        one(
            "loss",
            SHARE,
            "0",
            "the share of packets lost at random once sent",
        ),
    ],
};

const QUEUE: Kind = Kind::Text("\"scheme\", \"none\", or a scheme such as \"red:min=10,max=30\"");

/// A link of a graph.
static LINK: Section = Section {
    name: "link",
    meaning: "A link of a graph. Nodes are there by being named.",
    fields: link_fields![
        one("from", NAME, "", "the node it begins at"),
        one("to", NAME, "", "the node it leads to"),
        one("rate", RATE, "10 Mbps", "how fast it sends"),
        one("delay", TIME, "0 s", "how long a packet travels on it"),
        one(
            "queue",
            QUEUE,
            "scheme",
            "what waits before it: \"scheme\" for the scheme compared, a scheme of its own, or \"none\" for no limit",
        ),
        one(
            "both",
            Kind::Flag,
            "on",
            "whether there is the same link back; its queue is drop-tail if this one's is the scheme",
        ),
    ],
};

/// Packets that fall behind.
static REORDER: Section = Section {
    name: "reorder",
    meaning: "Packets that are held back once sent, so that later ones overtake them.",
    fields: &[
        one("share", SHARE, "0", "the share of packets held back"),
        one(
            "delay",
            TIME,
            "0 s",
            "by how much, drawn evenly from zero to this",
        ),
    ],
};

const UP_OR_DOWN: Kind = Kind::OrAuto(&Kind::Choice(&[
    ("up", "it sends again"),
    ("down", "it sends nothing more"),
]));

/// Something that changes about a link.
static CHANGE: Section = Section {
    name: "change",
    meaning: "Something about a link that changes at a time.",
    fields: &[
        one("at", TIME, "0 s", "when"),
        one(
            "rate",
            Kind::OrAuto(&RATE),
            "auto",
            "it sends at this rate from now on",
        ),
        one(
            "delay",
            Kind::OrAuto(&TIME),
            "auto",
            "a packet sent from now on travels this long",
        ),
        one("state", UP_OR_DOWN, "auto", "it goes down, or up"),
    ],
};

const KINDS: Kind = Kind::Choice(&[
    ("bulk", "as much data as will go, over TCP"),
    ("transfer", "`size` of data, once"),
    (
        "web",
        "transfers of `size` one after the other with `pause` between, each over a new connection",
    ),
    (
        "pages",
        "`request` asked for and `size` answered over new connections, as ns-2's WebTraf",
    ),
    (
        "arrivals",
        "transfers of `size` that begin `every` so often, however many go on",
    ),
    (
        "requests",
        "`request` asked, `size` answered, over one connection, `pause` between",
    ),
    ("cbr", "datagrams of `packet` at a constant `rate`"),
    (
        "on-off",
        "datagrams at `rate` in bursts of `on` with silence of `off` between",
    ),
    (
        "voice",
        "telephone calls: G.711 at 80 kbps, talk spurts and pauses of ITU-T P.59",
    ),
]);

/// A group of flows.
static FLOWS: Section = Section {
    name: "flows",
    meaning: "A group of flows of one kind.",
    fields: &[
        one(
            "count",
            Kind::Count(Range::closed(0.0, 1e6), "flows"),
            "1",
            "how many",
        ),
        one("kind", KINDS, "bulk", "what they send"),
        one(
            "from",
            NAME,
            "",
            "where they begin: left or right, router 0 ..., or a node; empty: the left",
        ),
        one(
            "to",
            NAME,
            "",
            "where they lead; empty: the right, or the last router",
        ),
        one(
            "rtt",
            Kind::OrAuto(&SPAN),
            "auto",
            "the round trip without queues; auto: the network's",
        ),
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
            "when they start, each at a time drawn between the two",
        ),
        one(
            "stop",
            Kind::OrNever(&SPAN),
            "never",
            "when they offer nothing more",
        ),
        Field::new("steps", Shape::List(&STEP), "", "what else happens to them"),
        Field::new(
            "tcp",
            Shape::Either(&TCP, "control"),
            "",
            "how they behave where the file's `tcp` does not fit",
        )
        .when("kind", TCP_KINDS),
        Field::new(
            "size",
            Shape::Amount,
            "100 kB",
            "payload of each transfer, page or answer; a packet is a full segment",
        )
        .when(
            "kind",
            &["transfer", "web", "pages", "arrivals", "requests"],
        ),
        Field::new(
            "pause",
            Shape::Spread(TIME),
            "0 s",
            "from the end of one transfer, page or answer to the next",
        )
        .when("kind", &["web", "pages", "requests"]),
        Field::new(
            "every",
            Shape::Spread(SPAN),
            "exponential 1 s",
            "from one beginning to the next",
        )
        .when("kind", &["arrivals"]),
        one(
            "at_most",
            Kind::Count(Range::closed(1.0, 1e6), "transfers"),
            "1000",
            "so many at once; what begins beyond is left out and counted",
        )
        .when("kind", &["arrivals"]),
        one("request", SIZE, "400 bytes", "what is asked with")
            .when("kind", &["pages", "requests"]),
        one("rate", RATE, "1 Mbps", "how fast they send while they send")
            .when("kind", &["cbr", "on-off"]),
        one("packet", SIZE, "1000 bytes", "the size of each datagram")
            .when("kind", &["cbr", "on-off"]),
        Field::new(
            "on",
            Shape::Spread(SPAN),
            "exponential 500 ms",
            "how long a burst lasts",
        )
        .when("kind", &["on-off"]),
        Field::new(
            "off",
            Shape::Spread(TIME),
            "exponential 500 ms",
            "how long the silence after it lasts",
        )
        .when("kind", &["on-off"]),
        one("ecn", ECN_FIELD, "off", "the ECN field of their datagrams")
            .when("kind", &["cbr", "on-off", "voice"]),
        one(
            "class",
            Kind::Count(Range::closed(0.0, 7.0), ""),
            "0",
            "the class of their packets, for schemes with a profile for each",
        ),
        one(
            "overhead",
            Kind::OrAuto(&TIME),
            "auto",
            "a random delay of up to this before each packet, so that flows do not fall into step; auto: a packet's time on the bottleneck",
        ),
    ],
};

/// The kinds that send over TCP.
const TCP_KINDS: &[&str] = &["bulk", "transfer", "web", "pages", "arrivals", "requests"];

const ECN_FIELD: Kind = Kind::Choice(&[
    ("off", "not ECN-capable"),
    ("ect0", "ECT(0), as classic senders"),
    ("ect1", "ECT(1), as L4S senders"),
]);

/// Something that happens to a group of flows.
static STEP: Section = Section {
    name: "step",
    meaning: "Something that happens to a group of flows at a time.",
    fields: &[
        one("at", TIME, "0 s", "when"),
        one(
            "do",
            Kind::OrAuto(&Kind::Choice(&[
                ("stop", "they offer nothing more"),
                ("resume", "they go on"),
            ])),
            "auto",
            "they stop, or go on",
        ),
        one(
            "rate",
            Kind::OrAuto(&RATE),
            "auto",
            "datagrams are sent at this rate from now on",
        ),
    ],
};

const PROFILES: Kind = Kind::Choice(&[
    (
        "modern",
        "a sender of today: 1500 bytes, initial window 10, selective acknowledgments",
    ),
    (
        "ns2",
        "ns-2.35 as it comes: 1000 bytes, a window of 20 packets, ticks of 10 ms",
    ),
    (
        "ns2-old-timers",
        "ns-2 around the year 2000: ticks of 100 ms, initial window 1",
    ),
]);

const CONTROLS: Kind = Kind::OrAuto(&Kind::Choice(&[
    (
        "reno",
        "additive increase, multiplicative decrease (RFC 5681)",
    ),
    ("cubic", "growth by a cubic function of time (RFC 9438)"),
    (
        "dctcp",
        "cuts by the part of segments that is marked (RFC 8257)",
    ),
    ("scalable", "the same for the low-latency queue of RFC 9332"),
    (
        "bbr",
        "a model of the path's rate and round trip (version 1)",
    ),
]));

const fn from_profile(name: &'static str, kind: Kind, meaning: &'static str) -> Field {
    one(name, kind, "auto", meaning)
}

const SEGMENTS: Kind = Kind::OrAuto(&Kind::Count(Range::closed(1.0, 16_777_216.0), "segments"));
const FLAG: Kind = Kind::OrAuto(&Kind::Flag);
const TIMEOUT: Kind = Kind::OrAuto(&TIME);

/// How TCP behaves. Everything "auto" is as the profile has it.
pub(super) static TCP: Section = Section {
    name: "tcp",
    meaning: "How TCP senders and receivers behave. `auto` is what the profile has; `tcp = \"cubic\"` is short for `tcp = { control = \"cubic\" }`.",
    fields: &[
        one(
            "profile",
            PROFILES,
            "modern",
            "whose rules everything else starts from",
        ),
        from_profile(
            "control",
            CONTROLS,
            "how much may be on its way; auto: cubic, with ns-2's profiles reno",
        ),
        from_profile(
            "recovery",
            Kind::OrAuto(&Kind::Choice(&[
                ("tahoe", "fast retransmit, then slow start"),
                (
                    "reno",
                    "fast recovery, left at the first new data acknowledged (RFC 5681)",
                ),
                (
                    "newreno",
                    "fast recovery for all losses of a window (RFC 6582)",
                ),
                ("sack", "selective acknowledgments (RFC 6675)"),
            ])),
            "how lost segments are found; auto: sack, with ns-2's profiles reno",
        ),
        from_profile(
            "ecn",
            Kind::OrAuto(&Kind::Choice(&[
                ("off", "segments are not ECN-capable"),
                (
                    "on",
                    "ECT(0), echoed until the window is reduced (RFC 3168)",
                ),
                ("dctcp", "ECT(0), the echo tells of each segment (RFC 8257)"),
                ("l4s", "ECT(1), with the same echo (RFC 9331)"),
            ])),
            "what is done about marks; auto: on for what lives by marks, else off",
        ),
        from_profile(
            "segment",
            Kind::OrAuto(&SIZE),
            "bytes on the wire of a full segment",
        ),
        from_profile(
            "header",
            Kind::OrAuto(&Kind::Bytes(Range::closed(0.0, 1000.0))),
            "how many of them are headers",
        ),
        from_profile(
            "ack",
            Kind::OrAuto(&SIZE),
            "bytes on the wire of an acknowledgment",
        ),
        from_profile(
            "initial_window",
            SEGMENTS,
            "segments sent before anything is acknowledged",
        ),
        from_profile(
            "receiver_window",
            SEGMENTS,
            "segments the receiver lets be on their way",
        ),
        from_profile(
            "initial_threshold",
            Kind::OrNever(&Kind::OrAuto(&Kind::Count(
                Range::closed(1.0, 16_777_216.0),
                "segments",
            ))),
            "the window at which the first slow start ends; never: at a loss",
        ),
        from_profile(
            "delayed_acks",
            Kind::OrAuto(&Kind::Count(Range::closed(0.0, 1000.0), "segments")),
            "segments acknowledged together; 0: each by itself",
        ),
        from_profile(
            "ack_delay",
            TIMEOUT,
            "how long the first of them waits at most",
        ),
        from_profile(
            "first_timeout",
            TIMEOUT,
            "the retransmission timer before anything is measured",
        ),
        from_profile(
            "least_timeout",
            TIMEOUT,
            "the shortest retransmission timer",
        ),
        from_profile(
            "largest_timeout",
            TIMEOUT,
            "the longest retransmission timer",
        ),
        from_profile(
            "tick",
            Kind::OrAuto(&Kind::Time(Range::closed(1e-9, 1.0))),
            "how fine the clock is that measures round trips",
        ),
        from_profile(
            "round_trips",
            Kind::OrAuto(&Kind::Choice(&[
                (
                    "one-at-a-time",
                    "one segment at a time, none while a retransmission is about",
                ),
                (
                    "every",
                    "every segment, by the time its acknowledgment echoes (RFC 7323)",
                ),
            ])),
            "which round trips are measured",
        ),
        from_profile(
            "duplicates",
            Kind::OrAuto(&Kind::Count(Range::closed(1.0, 1000.0), "acknowledgments")),
            "duplicate acknowledgments that tell of a loss",
        ),
        from_profile(
            "limited_transmit",
            FLAG,
            "whether the first two duplicates let a new segment be sent each (RFC 3042)",
        ),
        from_profile(
            "lost_retransmissions",
            FLAG,
            "whether selective acknowledgments also tell of retransmissions that were lost",
        ),
        from_profile(
            "slow_start_restart",
            FLAG,
            "whether a window not used for a timeout is closed",
        ),
        from_profile(
            "whole_cuts",
            FLAG,
            "whether ns-2's rules cut a window to half of its whole segments",
        ),
        from_profile(
            "ecn_on_retransmissions",
            FLAG,
            "whether retransmissions are ECN-capable, too",
        ),
        from_profile(
            "growth",
            Kind::OrAuto(&Kind::Choice(&[
                (
                    "segments",
                    "by the segments acknowledged (RFC 3465 with RFC 5681)",
                ),
                ("counted", "by whole segments, as ns-3's TcpLinuxReno"),
            ])),
            "how Reno's window grows",
        ),
        from_profile(
            "reduction",
            Kind::OrAuto(&Kind::Choice(&[
                (
                    "at-once",
                    "nothing new is sent until so much has left the network",
                ),
                (
                    "proportional",
                    "over a round trip, as segments are delivered (RFC 9937)",
                ),
            ])),
            "how a window that is cut comes into force",
        ),
        from_profile(
            "handshake",
            FLAG,
            "whether a connection begins with a request",
        ),
        from_profile(
            "max_burst",
            Kind::OrNever(&SEGMENTS),
            "at most so many segments at once; never: as the window allows",
        ),
    ],
};

/// What is measured.
static MEASURE: Section = Section {
    name: "measure",
    meaning: "What is measured beside what every run counts.",
    fields: &[
        one(
            "delays",
            FLAG,
            "auto",
            "each flow's packet delays, for jitter and delay from end to end; auto: up to 1000 flows",
        ),
        one(
            "round_trips",
            Kind::Flag,
            "off",
            "each TCP flow's round trips, as its sender measures them",
        ),
        one(
            "sojourn",
            Kind::Flag,
            "on",
            "the percentiles of the time in the queue",
        ),
        one(
            "sample",
            Kind::OrAuto(&SPAN),
            "auto",
            "from one sample of queues and probes to the next; auto: 600 in a run",
        ),
        one(
            "series",
            Kind::Choice(&[
                ("first", "of the first seed's runs"),
                ("all", "of all runs"),
                ("none", "of none"),
            ]),
            "first",
            "which runs keep their samples",
        ),
        one(
            "windows",
            Kind::Count(Range::closed(0.0, 1000.0), "flows"),
            "4",
            "of how many TCP flows of each group the window is sampled",
        ),
        one(
            "loss_event",
            Kind::OrAuto(&SPAN),
            "auto",
            "the time within which losses of several flows are one event; auto: the network's round trip",
        ),
    ],
};
