//! What the options of tc's disciplines set: the parameters of the schemes that simulate them.
//!
//! Options and their units are those of iproute2's `tc/q_*.c`; what a line leaves out is the
//! kernel's default, the preset `as=linux`.

/// A discipline of tc.
pub(super) struct Discipline {
    pub(super) kind: &'static str,
    /// The scheme, with its preset.
    pub(super) scheme: &'static str,
    /// What is set at the root of a device, where a packet that finds nothing queued passes by the
    /// discipline.
    pub(super) at_root: Option<&'static str>,
    /// Its options, in tables that disciplines may share.
    pub(super) options: &'static [&'static [QdiscOption]],
}

/// An option of a discipline.
pub(super) struct QdiscOption {
    pub(super) word: &'static str,
    pub(super) is: Is,
}

/// What an option sets.
pub(super) enum Is {
    /// A parameter to a number, in the kernel's unit divided by this.
    Number(&'static str, f64),
    /// A parameter to bytes that are added to each packet or, below 0, left out.
    Overhead(&'static str),
    /// A parameter to a number of packets; tc prints `1000p`.
    Packets(&'static str),
    /// A parameter to a size in bytes.
    Size(&'static str),
    /// A parameter to a time; tc takes a number without a unit for microseconds.
    Time(&'static str),
    /// A setting, by a word without a value.
    Flag(&'static str),
    /// A parameter to a share that tc takes in percent.
    Percent(&'static str),
    /// A parameter to a rate.
    Rate(&'static str),
    /// A parameter to a time in milliseconds, without a unit.
    Millis(&'static str),
    /// A parameter to a time in seconds, without a unit.
    Seconds(&'static str),
    /// A parameter of the RED of each flow, to a size in bytes.
    Inner(&'static str),
    /// The weight of RED, by the packets of a burst.
    Burst,
    /// CAKE's interval; its target is a twentieth.
    RoundTrip,
    /// What every Linux does, or what changes no packet's fate.
    Usual,
    /// The same with a value.
    UsualValue,
    /// What no scheme here does.
    Missing(&'static str),
}

pub(super) const fn option(word: &'static str, is: Is) -> QdiscOption {
    QdiscOption { word, is }
}

pub(super) static DISCIPLINES: &[Discipline] = &[
    Discipline {
        kind: "codel",
        scheme: "codel:as=linux",
        at_root: None,
        options: &[CODEL],
    },
    Discipline {
        kind: "fq_codel",
        scheme: "fq-codel:as=linux",
        at_root: Some("bypass=on"),
        options: &[
            CODEL,
            FLOW_QUEUES,
            &[
                option("drop_batch", Is::Number("drop_batch", 1.0)),
                option(
                    "ce_threshold_selector",
                    Is::Missing("marks by DSCP are not simulated"),
                ),
            ],
        ],
    },
    Discipline {
        kind: "pie",
        scheme: "pie:as=linux",
        at_root: None,
        options: &[PIE],
    },
    Discipline {
        kind: "fq_pie",
        scheme: "fq-pie:as=linux",
        at_root: None,
        options: &[
            PIE,
            FLOW_QUEUES,
            &[option("ecn_prob", Is::Percent("mark_limit"))],
        ],
    },
    Discipline {
        kind: "cake",
        scheme: "cake:as=linux",
        at_root: None,
        options: &[CAKE],
    },
    Discipline {
        kind: "dualpi2",
        scheme: "dualpi2:as=linux",
        at_root: None,
        options: &[DUALPI2],
    },
    Discipline {
        kind: "sfb",
        scheme: "sfb:as=linux",
        at_root: None,
        options: &[SFB],
    },
    Discipline {
        kind: "choke",
        scheme: "choke:as=linux",
        at_root: None,
        options: &[CHOKE],
    },
    Discipline {
        kind: "sfq",
        scheme: "sfq:as=linux",
        at_root: None,
        options: &[SFQ],
    },
    Discipline {
        kind: "pfifo",
        scheme: "droptail",
        at_root: None,
        options: &[&[option("limit", Is::Packets("limit"))]],
    },
    Discipline {
        kind: "bfifo",
        scheme: "droptail",
        at_root: None,
        options: &[&[option("limit", Is::Size("limit"))]],
    },
];

const CODEL: &[QdiscOption] = &[
    option("limit", Is::Packets("limit")),
    option("target", Is::Time("target")),
    option("interval", Is::Time("interval")),
    option("ce_threshold", Is::Time("ce_threshold")),
    option("ecn", Is::Flag("ecn=on")),
    option("noecn", Is::Flag("ecn=off")),
];

/// Of fq_codel and fq_pie.
const FLOW_QUEUES: &[QdiscOption] = &[
    option("flows", Is::Number("queues", 1.0)),
    option("quantum", Is::Size("quantum")),
    option("memory_limit", Is::Size("memory_limit")),
];

const PIE: &[QdiscOption] = &[
    option("limit", Is::Packets("limit")),
    option("target", Is::Time("target")),
    option("tupdate", Is::Time("interval")),
    // tc's alpha and beta are in sixteenths of a hertz.
    option("alpha", Is::Number("alpha", 16.0)),
    option("beta", Is::Number("beta", 16.0)),
    option("ecn", Is::Flag("ecn=on")),
    option("noecn", Is::Flag("ecn=off")),
    option("dq_rate_estimator", Is::Flag("delay=rate")),
    option("no_dq_rate_estimator", Is::Usual),
    option("nobytemode", Is::Usual),
    option(
        "bytemode",
        Is::Missing("probabilities by packet size are not simulated in PIE"),
    ),
];

const CAKE: &[QdiscOption] = &[
    option("bandwidth", Is::Rate("bandwidth")),
    option("unlimited", Is::Flag("unlimited=on")),
    option("rtt", Is::RoundTrip),
    option("datacentre", Is::Flag("interval=100us,target=5us")),
    option("lan", Is::Flag("interval=1ms,target=50us")),
    option("metro", Is::Flag("interval=10ms,target=500us")),
    option("regional", Is::Flag("interval=30ms,target=1.5ms")),
    option("internet", Is::Usual),
    option("oceanic", Is::Flag("interval=300ms,target=15ms")),
    option("satellite", Is::Flag("interval=1s,target=50ms")),
    option("besteffort", Is::Flag("diffserv=besteffort")),
    option("precedence", Is::Flag("diffserv=precedence")),
    option("diffserv3", Is::Flag("diffserv=diffserv3")),
    option("diffserv4", Is::Flag("diffserv=diffserv4")),
    option("diffserv8", Is::Flag("diffserv=diffserv8")),
    option("flowblind", Is::Flag("isolation=flowblind")),
    option("srchost", Is::Flag("isolation=srchost")),
    option("dsthost", Is::Flag("isolation=dsthost")),
    option("hosts", Is::Flag("isolation=hosts")),
    option("flows", Is::Flag("isolation=flows")),
    option("dual-srchost", Is::Flag("isolation=dual-srchost")),
    option("dual-dsthost", Is::Flag("isolation=dual-dsthost")),
    option("triple-isolate", Is::Flag("isolation=triple-isolate")),
    option("ack-filter", Is::Flag("ack_filter=on")),
    option("ack-filter-aggressive", Is::Flag("ack_filter=aggressive")),
    option("no-ack-filter", Is::Usual),
    option("memlimit", Is::Size("memory_limit")),
    option("overhead", Is::Overhead("overhead")),
    option("mpu", Is::Size("mpu")),
    option("atm", Is::Flag("framing=atm")),
    option("ptm", Is::Flag("framing=ptm")),
    option("noatm", Is::Flag("framing=none")),
    // What packets carry on each kind of link, and how it cuts them (tc-cake(8)).
    option("conservative", Is::Flag("overhead=48,framing=atm")),
    option("ipoa-vcmux", Is::Flag("overhead=8,framing=atm")),
    option("ipoa-llcsnap", Is::Flag("overhead=16,framing=atm")),
    option("bridged-vcmux", Is::Flag("overhead=24,framing=atm")),
    option("bridged-llcsnap", Is::Flag("overhead=32,framing=atm")),
    option("pppoa-vcmux", Is::Flag("overhead=10,framing=atm")),
    option("pppoa-llc", Is::Flag("overhead=14,framing=atm")),
    option("pppoe-vcmux", Is::Flag("overhead=32,framing=atm")),
    option("pppoe-llcsnap", Is::Flag("overhead=40,framing=atm")),
    option("pppoe-ptm", Is::Flag("overhead=30,framing=ptm")),
    option("bridged-ptm", Is::Flag("overhead=22,framing=ptm")),
    option("docsis", Is::Flag("overhead=18,mpu=64 bytes,framing=none")),
    option(
        "ethernet",
        Is::Flag("overhead=38,mpu=84 bytes,framing=none"),
    ),
    option(
        "ether-vlan",
        Is::Missing(
            "a tag's 4 bytes are not added to what stands beside it: count them in overhead",
        ),
    ),
    option("raw", Is::Usual),
    option("nat", Is::Usual),
    option("nonat", Is::Usual),
    option("wash", Is::Usual),
    option("nowash", Is::Usual),
    option("split-gso", Is::Usual),
    option("no-split-gso", Is::Usual),
    option("egress", Is::Usual),
    option("fwmark", Is::UsualValue),
    option(
        "ingress",
        Is::Missing("a shaper behind the bottleneck is not simulated"),
    ),
    option(
        "autorate-ingress",
        Is::Missing("the rate of arrivals is not estimated"),
    ),
];

const DUALPI2: &[QdiscOption] = &[
    option("limit", Is::Packets("limit")),
    option("target", Is::Time("target")),
    option("tupdate", Is::Time("update")),
    option("alpha", Is::Number("alpha", 1.0)),
    option("beta", Is::Number("beta", 1.0)),
    option("coupling_factor", Is::Number("k", 1.0)),
    option("step_thresh", Is::Time("step")),
    option("classic_protection", Is::Percent("c_share")),
    option("drop_on_overload", Is::Flag("drop_on_overload=on")),
    option("overflow", Is::Flag("drop_on_overload=off")),
    option("drop_dequeue", Is::Usual),
    option("l4s_ect", Is::Usual),
    option("split_gso", Is::Usual),
    option("no_split_gso", Is::Usual),
    option("memlimit", Is::UsualValue),
    option(
        "drop_enqueue",
        Is::Missing("signals are given on departure"),
    ),
    option(
        "any_ect",
        Is::Missing("only ECT(1) and CE go to the low-latency queue"),
    ),
];

const SFB: &[QdiscOption] = &[
    option("limit", Is::Packets("limit")),
    option("max", Is::Packets("bin_max")),
    option("target", Is::Packets("bin_size")),
    option("increment", Is::Number("d1", 1.0)),
    option("decrement", Is::Number("d2", 1.0)),
    option("penalty_rate", Is::Number("penalty_rate", 1.0)),
    option("penalty_burst", Is::Packets("penalty_burst")),
    option("rehash", Is::Millis("rehash")),
    option("db", Is::Millis("warmup")),
];

/// The weight is derived from burst, min and avpkt.
const CHOKE: &[QdiscOption] = &[
    option("limit", Is::Packets("limit")),
    option("min", Is::Packets("min")),
    option("max", Is::Packets("max")),
    option("probability", Is::Number("max_p", 1.0)),
    option("bandwidth", Is::UsualValue),
    option("ecn", Is::Flag("ecn=on")),
    option("avpkt", Is::UsualValue),
    option("burst", Is::Burst),
];

/// RED of each flow, if `redflowlimit` is given.
const SFQ: &[QdiscOption] = &[
    option("limit", Is::Packets("limit")),
    option("perturb", Is::Seconds("perturb")),
    option("quantum", Is::Size("quantum")),
    option("divisor", Is::Number("queues", 1.0)),
    option("flows", Is::UsualValue),
    option("depth", Is::UsualValue),
    option(
        "headdrop",
        Is::Missing("a full flow loses the arriving packet or one of the longest, not its head"),
    ),
    option("redflowlimit", Is::Inner("limit")),
    option("min", Is::Inner("min")),
    option("max", Is::Inner("max")),
    option("avpkt", Is::Inner("mean_packet")),
    option("probability", Is::Number("inner.max_p", 1.0)),
    option("burst", Is::Burst),
    option("ecn", Is::Flag("inner.ecn=on")),
    option("harddrop", Is::Flag("inner.mark_above_max=off")),
];
