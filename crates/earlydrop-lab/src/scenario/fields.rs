//! Everything a scenario file may say. What is checked, the schema and the page
//! `docs/reference/scenarios.md` are all made from these tables.

use earlydrop::registry::{Kind, Range};

use super::tcp::TCP;
use crate::document::{Field, Section, Shape};

pub(super) const fn one(
    name: &'static str,
    kind: Kind,
    default: &'static str,
    meaning: &'static str,
) -> Field {
    Field::new(name, Shape::One(kind), default, meaning)
}

pub(super) const TIME: Kind = Kind::Time(Range::NOT_NEGATIVE);
const SPAN: Kind = Kind::Time(Range::POSITIVE);
const RATE: Kind = Kind::Rate(Range::closed(1.0, 1e12));
pub(super) const SIZE: Kind = Kind::Bytes(Range::closed(1.0, 65_535.0));
pub(super) const FLAG: Kind = Kind::OrAuto(&Kind::Flag);
const SHARE: Kind = Kind::Number(Range::PROBABILITY, "probability");
/// So many flows a run can have, all groups together: a gigabyte of them.
pub(super) const MOST_FLOWS: u64 = 200_000;
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
            Kind::OrAuto(&TIME),
            "auto",
            "how much of its beginning is left out of every figure; auto: a fifth",
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
            Kind::Count(Range::closed(1.0, 16.0), "links"),
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
    meaning: "The bottleneck from right to left; it travels as long as the other.",
    fields: link_fields![
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
            Kind::Count(Range::closed(0.0, MOST_FLOWS as f64), "flows"),
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
            "arrivals",
            Kind::Flag,
            "off",
            "what of each group of flows comes to a queue, as samples",
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
        one(
            "deadline",
            SPAN,
            "1 s",
            "a transfer, a page or an answer that takes less is in time",
        ),
    ],
};
