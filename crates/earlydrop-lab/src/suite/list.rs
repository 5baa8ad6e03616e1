//! The suites themselves. Their scenarios stand in `suites/`, a folder for each.

use super::Measure::{Of, OfGroup, PerFlowRatio};
use super::{Part, Suite};

/// A part whose scenario is `suites/SUITE/NAME.toml`.
macro_rules! part {
    ($suite:literal, $name:literal, $section:literal, $question:literal, $measures:expr) => {
        Part {
            name: $name,
            section: $section,
            question: $question,
            measures: $measures,
            text: include_str!(concat!("../../suites/", $suite, "/", $name, ".toml")),
            recording: None,
        }
    };
}

/// Every suite that the command knows.
pub static SUITES: &[Suite] = &[
    Suite {
        name: "rfc7928",
        title: "Characterisation guidelines for active queue management",
        source: "N. Kuhn, P. Natarajan, N. Khademi, D. Ros: RFC 7928, July 2016",
        schemes: "droptail,red,ared,pie,codel,fq-codel",
        left_out: &[
            "5.4, less-than-best-effort senders: no LEDBAT here",
            "11, implementation cost: `cargo bench -p earlydrop-bench` measures it",
            "12, control knobs: `earlydrop schemes NAME` lists them with their origins",
        ],
        parts: RFC_7928,
    },
    Suite {
        name: "l4s",
        title: "L4S senders beside classic ones",
        source: "the grid of De Schepper, Bondarenko, Tsang, Briscoe: PI2, CoNEXT 2016, and \
                 Albisser et al.: DUALPI2, Netdev 0x13, 2019; requirements of RFC 9332",
        schemes: "",
        left_out: &[],
        parts: L4S,
    },
    Suite {
        name: "datacentre",
        title: "Flow completion times in a data centre",
        source: "workload of Alizadeh et al.: DCTCP, SIGCOMM 2010; slowdown as in Alizadeh et \
                 al.: pFabric, SIGCOMM 2013; incast of Phanishayee et al.: FAST 2008",
        schemes: "",
        left_out: &["data mining, whose largest flows take seconds of simulated time"],
        parts: DATACENTRE,
    },
];

const RFC_7928: &[Part] = &[
    part!(
        "rfc7928",
        "ecn",
        "4.5",
        "Does marking keep the delay that dropping keeps, without the losses?",
        &[
            Of("delay_mean"),
            Of("loss"),
            OfGroup("completion_p99", "web")
        ]
    ),
    part!(
        "rfc7928",
        "tcp-friendly",
        "5.1",
        "Is the link full and the queue short with two Reno transfers, whatever their initial \
         window?",
        &[Of("goodput"), Of("delay_mean"), Of("fairness")]
    ),
    part!(
        "rfc7928",
        "aggressive",
        "5.2",
        "What does Reno keep beside senders that give way less?",
        &[
            Of("delay_mean"),
            Of("loss"),
            PerFlowRatio("aggressive", "reno")
        ]
    ),
    part!(
        "rfc7928",
        "unresponsive",
        "5.3",
        "What do ten transfers keep beside datagrams that do not respond?",
        &[
            Of("delay_mean"),
            OfGroup("goodput", "tcp"),
            OfGroup("loss", "tcp")
        ]
    ),
    part!(
        "rfc7928",
        "rtt-fairness",
        "6",
        "Does the shorter round trip win, and by how much?",
        &[
            Of("delay_mean"),
            Of("fairness"),
            PerFlowRatio("other", "fixed")
        ]
    ),
    part!(
        "rfc7928",
        "burst-absorption",
        "7",
        "Do bursts pass that the queue could hold?",
        &[
            OfGroup("loss", "video"),
            OfGroup("completion_p99", "web"),
            Of("delay_mean"),
            Of("utilisation"),
        ]
    ),
    part!(
        "rfc7928",
        "congestion",
        "8.2.2 to 8.2.4",
        "Are delay, loss and goodput stable from mild to heavy congestion?",
        &[Of("goodput"), Of("delay_mean"), Of("delay_p99"), Of("loss")]
    ),
    part!(
        "rfc7928",
        "varying-congestion",
        "8.2.5",
        "Does the queue come back to what it was when transfers come and go?",
        &[Of("goodput"), Of("delay_mean"), Of("delay_p99"), Of("loss")]
    ),
    part!(
        "rfc7928",
        "varying-capacity",
        "8.2.6, first experiment",
        "What does a tenfold change of the capacity cost?",
        &[
            Of("utilisation"),
            Of("delay_mean"),
            Of("delay_p99"),
            Of("loss")
        ]
    ),
    Part {
        name: "recorded-link",
        section: "8.2.6, second experiment",
        question: "Does the scheme follow a capacity that changes all the time?",
        measures: &[
            Of("utilisation"),
            Of("delay_mean"),
            Of("delay_p99"),
            Of("loss"),
        ],
        text: include_str!("../../suites/rfc7928/recorded-link.toml"),
        recording: Some((
            "traces/wave.trace",
            include_str!("../../suites/rfc7928/traces/wave.trace"),
        )),
    },
    part!(
        "rfc7928",
        "traffic-mix",
        "9",
        "Who is served how in a mix of traffic in both directions?",
        &[
            OfGroup("goodput", "down"),
            OfGroup("goodput", "up"),
            OfGroup("completion_p50", "pages"),
            OfGroup("completion_p99", "short"),
            OfGroup("end_to_end_p99", "call"),
            OfGroup("loss", "call"),
        ]
    ),
    part!(
        "rfc7928",
        "two-in-a-row",
        "10",
        "What is left for a scheme at the provider when the home's router has PIE?",
        &[
            Of("delay_mean"),
            Of("delay_p99"),
            OfGroup("goodput", "home")
        ]
    ),
];

const L4S: &[Part] = &[
    part!(
        "l4s",
        "coexistence",
        "",
        "Does a classic flow keep its share beside an L4S flow, over rate and round trip?",
        &[
            PerFlowRatio("l4s", "classic"),
            OfGroup("end_to_end_p99", "l4s"),
            OfGroup("end_to_end_p99", "classic"),
            Of("utilisation"),
        ]
    ),
    part!(
        "l4s",
        "several-flows",
        "",
        "Does it with several flows of each kind?",
        &[
            PerFlowRatio("l4s", "classic"),
            OfGroup("end_to_end_p99", "l4s"),
            OfGroup("end_to_end_p99", "classic"),
            Of("utilisation"),
        ]
    ),
];

const DATACENTRE: &[Part] = &[
    part!(
        "datacentre",
        "web-search",
        "",
        "What does the load cost small and large transfers?",
        &[
            Of("slowdown_p50"),
            Of("slowdown_p99"),
            Of("slowdown_p999"),
            Of("timeouts"),
        ]
    ),
    part!(
        "datacentre",
        "incast",
        "",
        "How long does a client wait for all its servers, when all answer at once?",
        &[
            Of("round_slowdown_p50"),
            Of("round_slowdown_p99"),
            Of("loss"),
            Of("timeouts"),
        ]
    ),
];
