//! The tables of a run's database. They are created, exported and documented from these
//! descriptions.

use earlydrop::aqm::DropReason;

use crate::metrics::{self, LINK_METRICS, LIVE_METRICS, METRICS, Metric};
use crate::plan::Hosts;

/// A table.
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// The meaning of a row.
    pub meaning: &'static str,
    /// Its columns.
    pub columns: Vec<Column>,
    /// The columns of its primary key.
    key: &'static str,
}

/// A column.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The type of its values.
    pub kind: ColumnType,
    /// The meaning of its values, with their unit.
    pub meaning: String,
}

/// The type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// Integers.
    Whole,
    /// Numbers; NULL where something was not measured.
    Real,
    /// Text.
    Text,
    /// Lists of numbers; in exported tables only.
    Reals,
}

impl ColumnType {
    fn sql(self) -> &'static str {
        match self {
            ColumnType::Whole => "INTEGER NOT NULL",
            ColumnType::Real => "REAL",
            ColumnType::Text | ColumnType::Reals => "TEXT NOT NULL",
        }
    }
}

/// The table that only runs with several bottlenecks have.
fn links_table() -> Table {
    let mut columns = vec![cell(), text("link", "the link")];
    columns.extend(LINK_METRICS.iter().map(of_metric));
    table(
        LINKS,
        "a bottleneck of a cell, with its metrics in base units; in runs with several bottlenecks only",
        "cell, link",
        columns,
    )
}

/// The name of the table of bottlenecks.
pub(super) const LINKS: &str = "links";

/// The tables of a run on these hosts, in the order of exports; with `links`, that of a run with
/// several bottlenecks.
pub(super) fn tables_of(hosts: Hosts, links: bool) -> Vec<Table> {
    let mut all = tables();
    all.extend(links.then(links_table));
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
        "the largest 99th percentile of the lateness of a trustworthy run [s]",
    ));
    columns.push(whole(
        "trustworthy",
        "1 for a run whose figures can be trusted",
    ));
    let live = table(
        "live",
        "the timing of a cell; in runs on real hosts only",
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
            real("seconds", "the lateness that this share does not exceed"),
        ],
    );
    [live, lateness]
}

fn cell() -> Column {
    whole("cell", "the cell: its number in the plan")
}

/// The tables of every run.
fn tables() -> Vec<Table> {
    let mut tables = Vec::from(plan_tables());
    tables.extend(result_tables());
    tables.extend(sample_tables());
    tables
}

/// The tables that describe a run.
fn plan_tables() -> [Table; 3] {
    [
        table(
            "about",
            "a property of the run, by its key: scenario, source, version, identity, seeds; hosts = real for a run on real hosts; tuning, what `earlydrop tune` found, as JSON",
            "key",
            vec![text("key", "the key"), text("value", "its value")],
        ),
        table(
            "schemes",
            "a compared scheme",
            "scheme",
            vec![
                text("scheme", "its name in the scenario"),
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
    ]
}

/// The tables of figures: of a cell, and of its groups, flows and queues.
fn result_tables() -> [Table; 4] {
    let mut cells = vec![
        cell(),
        text("scheme", "the scheme's name in the scenario"),
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
        whole("flows", "its number of flows"),
    ];
    groups.extend(metrics::of_groups().map(of_metric));
    [
        table(
            "cells",
            "a cell, with its metrics in base units",
            "cell",
            cells,
        ),
        table("groups", "a group of flows of a cell", "cell, name", groups),
        table(
            "flows",
            "a flow of a cell; none where a cell has more than 2000",
            "cell, flow",
            flow_columns(cell()),
        ),
        table(
            "queues",
            "a queue of a cell",
            "cell, link",
            queue_columns(cell()),
        ),
    ]
}

/// The tables of quantiles and of samples over time.
fn sample_tables() -> [Table; 5] {
    [
        records_table(),
        table(
            "sojourn",
            "a quantile of the time in the watched queue",
            "cell, share",
            vec![
                cell(),
                real("share", "a share of the packets"),
                real("seconds", "the time that this share does not exceed"),
            ],
        ),
        table(
            "transfers",
            "a quantile of the completion times of a group's transfers",
            "cell, name, share",
            vec![
                cell(),
                text("name", "the group"),
                real("share", "a share of its transfers, pages or answers"),
                real("seconds", "the time that this share does not exceed"),
            ],
        ),
        table(
            "sizes",
            "completion times and slowdowns of a group's transfers of about one size",
            "cell, name, up_to",
            vec![
                cell(),
                text("name", "the group"),
                real(
                    "up_to",
                    "the largest size, in bytes; the bin below ends where this begins",
                ),
                whole("transfers", "how many ended"),
                whole(
                    "unfinished",
                    "how many began in the time measured and had not ended",
                ),
                real(
                    "known",
                    "the share up to which the quantiles that follow are known: beyond, they are at least that",
                ),
                real(
                    "completion_p50",
                    "the completion time in seconds that half of them do not exceed",
                ),
                real(
                    "completion_p95",
                    "the completion time in seconds that 95% of them do not exceed",
                ),
                real(
                    "completion_p99",
                    "the completion time in seconds that 99% of them do not exceed",
                ),
                real(
                    "completion_p999",
                    "the completion time in seconds that 99.9% of them do not exceed",
                ),
                real(
                    "slowdown_p50",
                    "the slowdown that half of them do not exceed",
                ),
                real(
                    "slowdown_p95",
                    "the slowdown that 95% of them do not exceed",
                ),
                real(
                    "slowdown_p99",
                    "the slowdown that 99% of them do not exceed",
                ),
                real(
                    "slowdown_p999",
                    "the slowdown that 99.9% of them do not exceed",
                ),
            ],
        ),
        table(
            "series",
            "a quantity sampled over time; the view `samples` has a row per sample",
            "cell, source, name",
            vec![
                cell(),
                text("source", "the link or the flow"),
                text(
                    "name",
                    "queue, drops, marks (packets per interval), arrivals and departures of a group (bit/s), packet arrivals and packet departures of a group (packets/s), window (cwnd in segments), or a probe of the scheme",
                ),
                real(
                    "interval",
                    "seconds between two samples; the first is at time zero",
                ),
                text("list", "the samples, as a JSON list"),
            ],
        ),
    ]
}

/// The table of transfers one by one.
fn records_table() -> Table {
    table(
        "records",
        "a transfer that began in the time measured, in a leaf-spine or a fat tree, and where `measure.records` is on",
        "cell, flow, number",
        vec![
            cell(),
            whole("flow", "the index of its flow in the cell, from 0"),
            whole(
                "number",
                "its number in its flow, from 0; of a flow list, its place there",
            ),
            text("name", "its group"),
            real(
                "start",
                "when it began, in seconds; a response when it was first requested",
            ),
            text("source", "the host that sends"),
            text("destination", "the host that receives"),
            text(
                "path",
                "the nodes between them, as \"leaf 0 > spine 1 > leaf 2\"; empty where packets are sprayed",
            ),
            whole("size", "its payload, in bytes"),
            real(
                "completion",
                "the completion time in seconds; of one that did not finish, how long it had gone on",
            ),
            real(
                "ideal",
                "the least completion time in an empty network, in seconds",
            ),
            real(
                "slowdown",
                "the completion time over the least one; of one that did not finish, a lower bound",
            ),
            whole("retransmissions", "segments retransmitted"),
            whole("timeouts", "retransmission timeouts"),
            whole("finished", "1 if it ended"),
        ],
    )
}

fn flow_columns(cell: Column) -> Vec<Column> {
    vec![
        cell,
        whole("flow", "its index in the cell, from 0"),
        text("name", "its group"),
        real("throughput", "bits on the wire that arrived, per second"),
        real(
            "goodput",
            "bits of payload that arrived for the first time, per second",
        ),
        whole("received", "data packets received"),
        whole("lost", "data packets lost"),
        whole("marked", "data packets received with a congestion mark"),
        whole("timeouts", "retransmission timeouts"),
        whole("retransmissions", "segments retransmitted"),
    ]
}

fn queue_columns(cell: Column) -> Vec<Column> {
    let mut columns = vec![
        cell,
        text("link", "the link that it feeds"),
        whole("watched", "1 for the watched queue"),
        real(
            "utilisation",
            "the share of the time the link was sending; of a recorded link, of what it could send",
        ),
        real("mean_packets", "its mean length over time, in packets"),
        whole("longest", "its maximum length, in packets"),
        real(
            "mean_sojourn",
            "the mean time in it, in seconds; empty where no packet departed",
        ),
        whole("arrived", "packets that arrived"),
        whole("departed", "packets that departed"),
        whole("marked", "packets marked"),
    ];
    for reason in DropReason::ALL {
        let name = reason.name();
        columns.push(whole(
            &format!("dropped_{name}"),
            &format!("packets dropped, reason: {name}"),
        ));
    }
    columns.push(real(
        "pauses",
        "how often the switch at the link's end has paused it; empty without flow control",
    ));
    columns.push(real(
        "paused",
        "how long it, or a class of it, was paused in all, in seconds",
    ));
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

impl Column {
    /// A column.
    pub fn new(name: &str, kind: ColumnType, meaning: &str) -> Column {
        Column {
            name: name.to_string(),
            kind,
            meaning: meaning.to_string(),
        }
    }
}

fn whole(name: &str, meaning: &str) -> Column {
    Column::new(name, ColumnType::Whole, meaning)
}

fn real(name: &str, meaning: &str) -> Column {
    Column::new(name, ColumnType::Real, meaning)
}

fn text(name: &str, meaning: &str) -> Column {
    Column::new(name, ColumnType::Text, meaning)
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
    /// The statement that creates it.
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

/// The statement that adds a row to the table of this name.
pub(super) fn insert(name: &str) -> String {
    let mut all = tables_of(Hosts::Real, true).into_iter();
    let table = all.find(|table| table.name == name);
    table.map(|table| table.insert()).unwrap_or_default()
}

/// A view with a row for each sample in the lists of `series`.
pub(super) const SAMPLES: &str = "CREATE VIEW IF NOT EXISTS samples AS
    SELECT cell, source, name, json_each.key * interval AS time, json_each.value AS value
    FROM series, json_each(series.list);";

/// The page `docs/reference/results.md`.
pub fn page() -> String {
    let mut page = String::from(
        "# Results\n\n\
         Made from the descriptions of the tables by `cargo run -p earlydrop-lab --example results_page > docs/reference/results.md`.\n\n\
         A run is a folder: `results.sqlite`, `scenario.toml` (the scenario as run, command line included), \
         the recorded links it reads, and `report.html`. Comments that are added to `scenario.toml` stay; \
         the number of seeds is kept up to date, and \
         other changes are refused when the run continues. Each cell is written in one transaction: a run that was \
         killed holds its completed cells, and continues with the others. \
         `earlydrop export RUN --to csv` (or `parquet`, `json`) writes these tables for other programs \
         ([how to analyse a run](../how-to/analyse.md)).\n\n\
         ```sql\n\
         SELECT scheme, avg(utilisation), 1000 * avg(delay_mean) AS ms FROM cells GROUP BY scheme;\n\
         SELECT time, value FROM samples WHERE cell = 0 AND name = 'queue';\n\
         ```\n",
    );
    for table in tables_of(Hosts::Real, true) {
        let Table { name, meaning, .. } = &table;
        page.push_str(&format!("\n## {name}\n\nA row is {meaning}.\n\n"));
        page.push_str("| column | meaning |\n|---|---|\n");
        for column in &table.columns {
            page.push_str(&format!("| {} | {} |\n", column.name, column.meaning));
        }
    }
    page.push_str(EXPORT);
    page.push_str(JSON);
    page
}

/// What the exported tables have in addition.
const EXPORT: &str = "
## Exported tables

`earlydrop export` writes a file for each table. In every table with `cell`, the first columns are the keys of the run, so that no table has to be joined with another:

| column | meaning |
|---|---|
| cell, scheme, point, seed | the cell, as in `cells` |
| one for each swept field | its value. Numbers are numbers in base units, and the column's name ends in the unit: `network_rtt_s`, `network_rate_bps`, `network_buffer_packets`, `flows_bulk_count`. Other values are text: `flows_bulk_tcp_control` |

`points` also has `number` and `unit`. Time series are:

| table | in | meaning |
|---|---|---|
| samples | CSV, Parquet | a row for each value: the keys, `source`, `name`, `time` (in s) and `value` |
| series | Parquet, JSON | a row for each series: the keys, `source`, `name`, `interval` (in s) and `values`, a list |

The metadata of a Parquet file has the definition of each column, `meaning.COLUMN`.
";

/// The document of `earlydrop run --json`, which the crate earlydrop-report makes.
const JSON: &str = "
## The JSON document

`earlydrop run --json` and `earlydrop compare --json` print one document and nothing else:

| key | meaning |
|---|---|
| earlydrop | the version that ran, with its commit |
| title, about | the scenario's title and description, or those made from what runs |
| folder, report | paths of the run's folder and of its report |
| seeds | the completed seeds |
| cells | the number of cells, `planned` and `done` |
| metrics | by name: `title`, `unit` (base units: s, bit/s, share), `better` (less, more, neither), `meaning` |
| rows | one row for each scheme at each point: `scheme`, `spec`, `point` (the swept fields' values), `seeds`, and `metrics` by name: `mean`, `half_width_95` (null with a single seed), `at_least` (a lower bound: too few transfers have ended), `drift` (how it still moved from the first half of the time measured to the second, or null), `best` (the best mean), `similar` (not significantly different from it) |
| answers | what the runs answer, as on the page: `question`, `at` (a sentence for each point, or null), and over a sweep `overall` |
| expectations | what the scenario expects (`[[expect]]`): `says`, `verdict` (holds, contradicted, undecided, unjudged), `shown` of `comparisons`, and `worst`, the comparison that is furthest from showing it |
| groups | one row for each group of flows of each scheme at each point, also with `group`, `flows`, and `feels`: `what` it feels, and the metrics that it is judged `by`, the first one first |
| links | in scenarios with several bottlenecks, one row for each link under each scheme at each point |
| derived | at each point, for each link: `bdp_packets`, and for each scheme `buffer`, `min` and `max` (`packets`, `seconds`, `bdp`) and `target` in seconds |
| warnings | what a reader should know about the settings, in sentences |
| marks | the meaning of `best` and `similar` |
| baseline | with `--baseline`: `scheme`, `significant` (its meaning), and `rows` with each metric's `difference`, `half_width_95`, `share` of the baseline's mean, `p_value`, `significant` |

Metrics that were not measured are left out. Keys keep their names and their order.

## Numbers in text

These documents, tables and databases have full precision. Tables in a terminal, pages, pictures, Python and the laboratory show a number by one rule (`earlydrop_model::number`, whose page has its reasons and further cases):

| what | rule | example |
|---|---|---|
| a mean with its interval | two significant digits of the interval, and the mean to the same place, but at most four digits of the mean and all before the point | 334.2 and 107.3: `330 ± 110`; 12345.6 and 3.2: `12346 ± 3` |
| a number | three significant digits and all before the point, no zeros at the end | 12345.6: `12346`; 9.50: `9.5` |
| a large or small number | an exponent from ten million on and below a millionth | `1.5e7`, `(1.20 ± 0.34)e-8` |
| not measured | a hyphen | `-` |
";
