//! The tables of a run's database: what is made, exported and documented.

use earlydrop::aqm::DropReason;

use crate::metrics::{self, LIVE_METRICS, METRICS, Metric};
use crate::plan::Hosts;

/// A table.
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// What a row of it is.
    pub meaning: &'static str,
    /// Its columns.
    pub columns: Vec<Column>,
    /// What is unique about a row.
    key: &'static str,
}

/// A column.
pub struct Column {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: Kind,
    /// What it is, with its unit.
    pub meaning: String,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Whole numbers.
    Whole,
    /// Numbers, or nothing where something was not measured.
    Real,
    /// Words.
    Text,
}

impl Kind {
    fn sql(self) -> &'static str {
        match self {
            Kind::Whole => "INTEGER NOT NULL",
            Kind::Real => "REAL",
            Kind::Text => "TEXT NOT NULL",
        }
    }
}

/// Every table of a run on these hosts, in the order they are exported.
pub(super) fn tables_of(hosts: Hosts) -> Vec<Table> {
    let mut all = tables();
    if hosts == Hosts::Real {
        all.extend(live_tables());
    }
    all
}

/// The tables that only runs on real hosts have.
fn live_tables() -> [Table; 2] {
    let mut columns = vec![cell()];
    columns.extend(LIVE_METRICS.iter().map(of_metric));
    columns.push(real(
        "tolerated",
        "how late 99 of 100 packets may be for the run to be believed [s]",
    ));
    columns.push(whole("trustworthy", "1 for a run that can be believed"));
    let live = table(
        "live",
        "how exactly a run was done; in runs on real hosts only",
        "cell",
        columns,
    );
    let lateness = table(
        "lateness",
        "a quantile of the lateness of packets; in runs on real hosts only",
        "cell, share",
        vec![
            cell(),
            real("share", "a share of the packets"),
            real("seconds", "how late this share was at most"),
        ],
    );
    [live, lateness]
}

fn cell() -> Column {
    whole("cell", "the run: its number in the plan")
}

/// The tables of every run.
fn tables() -> Vec<Table> {
    let mut cells = vec![
        cell(),
        text("scheme", "what it is called in the scenario"),
        whole(
            "point",
            "the point of the sweep; its values are in `points`",
        ),
        whole("seed", "the seed"),
    ];
    cells.extend(METRICS.iter().map(of_metric));
    let mut groups = vec![
        cell(),
        text("name", "the group"),
        whole("flows", "how many flows it has"),
    ];
    groups.extend(metrics::of_groups().map(of_metric));
    vec![
        table(
            "about",
            "something about the run, by its key: scenario, source, version, identity, seeds; hosts = real where they were",
            "key",
            vec![text("key", "what"), text("value", "its value")],
        ),
        table(
            "schemes",
            "a scheme of the comparison",
            "scheme",
            vec![
                text("scheme", "what it is called in the scenario"),
                text(
                    "spec",
                    "the scheme with every parameter given, at the first point",
                ),
            ],
        ),
        table(
            "points",
            "the value of a swept field at a point",
            "point, field",
            vec![
                whole("point", "the point's number"),
                text("field", "the field: \"network.rtt\""),
                text("value", "its value, as written"),
            ],
        ),
        table(
            "cells",
            "a run, with what was measured in base units",
            "cell",
            cells,
        ),
        table("groups", "a group of flows of a run", "cell, name", groups),
        table(
            "flows",
            "a flow of a run",
            "cell, flow",
            flow_columns(cell()),
        ),
        table(
            "queues",
            "a queue of a run",
            "cell, link",
            queue_columns(cell()),
        ),
        table(
            "sojourn",
            "a quantile of the time in the watched queue",
            "cell, share",
            vec![
                cell(),
                real("share", "a share of the packets"),
                real(
                    "seconds",
                    "the time in the queue that this share stays below or at",
                ),
            ],
        ),
        table(
            "transfers",
            "a quantile of the time that a group's transfers take",
            "cell, name, share",
            vec![
                cell(),
                text("name", "the group"),
                real("share", "a share of its transfers, pages or answers"),
                real("seconds", "the time that this share takes at most"),
            ],
        ),
        table(
            "series",
            "something sampled over time; the view `samples` has a row a sample",
            "cell, source, name",
            vec![
                cell(),
                text("source", "the link or the flow"),
                text(
                    "name",
                    "queue, drops, marks (packets an interval), arrivals of a group (bit/s), window (segments), or a probe of the scheme",
                ),
                real(
                    "interval",
                    "seconds from one sample to the next; the first is at time zero",
                ),
                text("list", "the samples, as a JSON list"),
            ],
        ),
    ]
}

fn flow_columns(cell: Column) -> Vec<Column> {
    vec![
        cell,
        whole("flow", "its number in the run, from 0"),
        text("name", "its group"),
        real("throughput", "bits on the wire that arrived, a second"),
        real(
            "goodput",
            "bits of payload that arrived for the first time, a second",
        ),
        whole("received", "packets of data that arrived"),
        whole("lost", "packets of data lost on the way"),
        whole("marked", "packets of data that arrived marked"),
        whole("timeouts", "retransmission timeouts"),
        whole("retransmissions", "segments sent again"),
    ]
}

fn queue_columns(cell: Column) -> Vec<Column> {
    let mut columns = vec![
        cell,
        text("link", "the link it stands before"),
        whole("watched", "1 for the queue of the summary"),
        real("utilisation", "the share of the time the link was sending"),
        real("mean_packets", "its mean length over time, in packets"),
        whole("longest", "the longest it was, in packets"),
        real("mean_sojourn", "the mean time in it, in seconds"),
        whole("arrived", "packets that arrived"),
        whole("departed", "packets handed out"),
        whole("marked", "packets marked"),
    ];
    for reason in DropReason::ALL {
        let name = reason.name();
        columns.push(whole(
            &format!("dropped_{name}"),
            &format!("packets dropped, reason: {name}"),
        ));
    }
    columns
}

fn table(
    name: &'static str,
    meaning: &'static str,
    key: &'static str,
    columns: Vec<Column>,
) -> Table {
    Table {
        name,
        meaning,
        columns,
        key,
    }
}

fn column(name: &str, kind: Kind, meaning: &str) -> Column {
    Column {
        name: name.to_string(),
        kind,
        meaning: meaning.to_string(),
    }
}

fn whole(name: &str, meaning: &str) -> Column {
    column(name, Kind::Whole, meaning)
}

fn real(name: &str, meaning: &str) -> Column {
    column(name, Kind::Real, meaning)
}

fn text(name: &str, meaning: &str) -> Column {
    column(name, Kind::Text, meaning)
}

fn of_metric(metric: &Metric) -> Column {
    let base = metric.base_unit();
    let unit = if base.is_empty() {
        String::new()
    } else {
        format!(" [{base}]")
    };
    real(metric.name, &format!("{}{unit}", metric.meaning))
}

impl Table {
    /// The statement that makes it.
    pub(super) fn create(&self) -> String {
        let columns = self
            .columns
            .iter()
            .map(|column| format!("\"{}\" {}", column.name, column.kind.sql()));
        let columns: Vec<String> = columns.collect();
        format!(
            "CREATE TABLE IF NOT EXISTS \"{}\" ({}, PRIMARY KEY ({})) WITHOUT ROWID;",
            self.name,
            columns.join(", "),
            self.key
        )
    }

    /// The statement that adds a row.
    pub(super) fn insert(&self) -> String {
        let places = vec!["?"; self.columns.len()].join(", ");
        format!("INSERT INTO \"{}\" VALUES ({places})", self.name)
    }
}

/// Samples one by one, from the lists of `series`.
pub(super) const SAMPLES: &str = "CREATE VIEW IF NOT EXISTS samples AS
    SELECT cell, source, name, json_each.key * interval AS time, json_each.value AS value
    FROM series, json_each(series.list);";

/// The page `docs/reference/results.md`.
pub fn page() -> String {
    let mut page = String::from(
        "# Results\n\n\
         Made from the tables themselves by `cargo run -p earlydrop-lab --example results_page > docs/reference/results.md`.\n\n\
         A run is a folder: `results.sqlite`, `scenario.toml` (the scenario as run, command line included), \
         the recorded links it reads, and `report.html`. The database is written cell by cell, each in one \
         transaction: what a killed run had finished is there, whole, and is not run again. \
         `earlydrop export RUN --to csv` (or `parquet`, `json`) writes the same tables.\n\n\
         ```sql\n\
         SELECT scheme, avg(utilisation), 1000 * avg(delay_mean) AS ms FROM cells GROUP BY scheme;\n\
         SELECT time, value FROM samples WHERE cell = 0 AND name = 'queue';\n\
         ```\n",
    );
    for table in tables_of(Hosts::Real) {
        let Table { name, meaning, .. } = &table;
        page.push_str(&format!("\n## {name}\n\nA row is {meaning}.\n\n"));
        page.push_str("| column | what it is |\n|---|---|\n");
        for column in &table.columns {
            page.push_str(&format!("| {} | {} |\n", column.name, column.meaning));
        }
    }
    page.push_str(JSON);
    page
}

/// The document of `earlydrop run --json`, which [`crate::json`] makes.
const JSON: &str = "
## The JSON document

`earlydrop run --json` and `earlydrop compare --json` print one document and nothing else:

| key | what it is |
|---|---|
| earlydrop | the version that ran, with its commit |
| title | the scenario's |
| folder, report | where everything is |
| seeds | those done |
| cells | `planned` and `done` |
| metrics | by name: `title`, `unit` (base units: s, bit/s, share), `better` (less, more, neither), `meaning` |
| rows | one for each scheme at each point: `scheme`, `spec`, `point` (the swept fields' values), `seeds`, and `metrics` by name: `mean`, `half_width_95` (null with a single seed), `best` |
| groups | the same for each group of flows, with `group` and `flows` |

What was not measured is left out. Keys keep their names and their order.
";
