//! Every field of a scenario file. The reader checks files with these tables; the JSON Schema and
//! the page about scenarios are made from them.

mod expect;
mod flows;
mod kinds;
mod measure;
pub(super) mod network;
mod tcp;

use earlydrop::registry::Kind;

use crate::document::{Field, SENTENCES, Section, Shape};
pub(crate) use expect::EXPECT;
use flows::FLOWS;
pub(crate) use kinds::LONGEST_SECONDS;
use kinds::{SPAN, TIME, one};
use measure::MEASURE;
use network::NETWORK;
use tcp::TCP;

/// The largest number of flows of a run, all groups together: they take about a gigabyte.
pub(super) const MAX_FLOWS: u64 = 200_000;

/// The whole file.
pub static SCENARIO: Section = Section {
    name: "scenario",
    meaning: "the whole file",
    fields: &[
        one("title", Kind::Text("words"), "", "its title, for reports"),
        one(
            "about",
            Kind::Text(SENTENCES),
            "",
            "what it shows, and what to expect",
        ),
        one(
            "duration",
            Kind::OrAuto(&SPAN),
            "30 s",
            "the duration of each run; auto: twice as long again and again, from some hundred round-trip times on, until what is measured has settled and its intervals are narrow (`measure.interval`), or it is `measure.longest`",
        ),
        one(
            "warm_up",
            Kind::OrAuto(&TIME),
            "auto",
            "the part of each run, from its beginning, that is left out of every figure; auto: a fifth",
        ),
        Field::new(
            "seeds",
            Shape::Open("a number of seeds (1, 2, ...), or a list of them"),
            "5",
            "the seeds that each scheme runs with",
        ),
        Field::new(
            "schemes",
            Shape::Open(
                "a list of schemes (\"red:min=10,max=30\"), or a table of them by names of your own",
            ),
            "",
            "the queue disciplines that are compared at the bottleneck",
        ),
        Field::new(
            "parameters",
            Shape::Open("parameters of schemes, by name"),
            "",
            "parameters for every scheme that has them and does not set them, itself or by its preset (`as`)",
        ),
        Field::new(
            "network",
            Shape::Table(&NETWORK),
            "",
            "the topology: links, queues, and the links of hosts",
        ),
        Field::new(
            "tcp",
            Shape::Either(&TCP, "control"),
            "",
            "the TCP of every flow, unless its group sets another",
        ),
        Field::new(
            "flows",
            Shape::Named(&FLOWS),
            "",
            "groups of flows, by name",
        ),
        Field::new(
            "measure",
            Shape::Table(&MEASURE),
            "",
            "what is measured, and how often it is sampled",
        ),
        Field::new(
            "sweep",
            Shape::Open(
                "fields by their paths (\"network.rtt\"), each with a list of values or { from, to, step }",
            ),
            "",
            "fields that take several values; every combination is run",
        ),
        Field::new(
            "expect",
            Shape::List(&EXPECT),
            "",
            "what the runs are to show, which they are judged by",
        ),
    ],
};
