//! The reference page about scenario files, made from the tables of fields.

use std::fmt::Write;

use earlydrop::registry::Kind;
use earlydrop::units::{Dimension, spellings};

use super::SCENARIO;
use crate::document::{Field, Section, Shape, allowed as allowed_values};
use crate::escape::markdown;

/// Every field of a scenario file, as Markdown: the page `docs/reference/scenarios.md`.
///
/// ```
/// let page = earlydrop_lab::scenario::page();
/// assert!(page.starts_with("# Scenarios"));
/// ```
pub fn page() -> String {
    let mut page = INTRODUCTION.to_string();
    units(&mut page);
    page.push_str(AFTER_UNITS);
    let mut sections = vec![(Vec::new(), &SCENARIO)];
    collect(&SCENARIO, "", &mut sections);
    for (headings, section) in sections {
        write_section(&mut page, &headings, section);
    }
    page
}

const INTRODUCTION: &str = r#"# Scenarios

Made from the tables of fields that scenario files are checked with, by `cargo run -p earlydrop-lab --example scenarios_page > docs/reference/scenarios.md`.

A scenario is a file in [TOML](https://toml.io) that describes a simulation: a topology, flows, and the queue disciplines (schemes) to compare. Each scheme runs with each seed at each point of the sweep; such a run is a cell. With the same seed, all schemes see the same traffic.

The folder [`scenarios/`](../../scenarios) has examples. The smallest scenario:

```toml
[flows.bulk]
```

One bulk transfer over a dumbbell of 10 Mbps and 50 ms, for 30 s, under ten schemes with five seeds each. Most scenarios set a few fields more:

```toml
title = "RED and CoDel: uploads and a telephone call"
duration = "40 s"
schemes = ["red:min=10,max=30", "codel"]

[network]
rate = "20 Mbps"
rtt = "40 ms"
buffer = "200 packets"

[flows.upload]
count = 5

[flows.call]
kind = "voice"
```

A field that is left out has the default below. An invalid value is reported with its line, the allowed values and the nearest valid one. So is a field that would have no effect, such as `pause` for flows without pauses.

## In an editor

`earlydrop schema > scenario.schema.json` writes the JSON Schema of scenarios. Editors with Taplo (Even Better TOML in VS Code, and others) complete and check a file by it whose first line is

```toml
#:schema ./scenario.schema.json
[flows.bulk]
```

The path is relative to the file. For files within this repository nothing is needed: `.taplo.toml` names the schema.

## Units

A time, a rate or a size is text with a unit: `"50 ms"`. Only zero needs no unit. Numbers without a dimension are plain: `count = 5`, `loss = 0.01`, or `loss = "1%"`.

| what | units |
|---|---|
"#;

const AFTER_UNITS: &str = r#"
A queue's length, such as `buffer`, is in packets, bytes, or time at the link's rate; a plain number is packets. Lengths may also be relative to the path: `"0.5 BDP"` is half the link's rate times the base round-trip time, in packets. So may times of schemes: `target = "0.4 RTT"`. Both are resolved for each queue at its own link, at each point of a sweep. The round-trip time is `network.rtt`; in a graph, the longest of any group of flows. The resolved values are printed with the results.

`auto` stands for a value that is computed from others, `never` for a time that never comes. A switch is `true` or `false`, or `"on"` or `"off"`.

## Random quantities

Some fields take a distribution. A quantity alone is constant; with a distribution in front, the quantity is its mean:

| value | distribution |
|---|---|
| `"12 kB"` | constant |
| `"uniform 12 kB"` | uniform from 0 to 24 kB |
| `"exponential 500 ms"` | exponential with a mean of 500 ms |
| `"pareto(1.2) 12 kB"` | Pareto with shape 1.2, minimum 2 kB, mean 12 kB |
| `"lomax(1.5) 12 kB"` | Lomax (Pareto II, ns-2's `ParetoII`) with shape 1.5, minimum 0 |
| `"lognormal(1) 12 kB"` | log-normal: sigma 1, mean 12 kB |

Two times with dots in between, `start = "0 s..1 s"`, stand for a uniform distribution between them.

Amounts of data are payload. `"10 packets"` is ten full segments of the flow's.

## Schemes

`schemes` lists the schemes to compare. A scheme is text with parameters after a colon, or a table; [Schemes](schemes.md) lists all schemes and parameters. To compare one scheme with several settings, name them:

```toml
[flows.bulk]
count = 20

[schemes]
classic = "red:min=10,max=30,max_p=0.1"
codel = {}

[schemes.gentle]
scheme = "gred"
min = 10
max = "45 kB"
```

`changes` gives a scheme other parameters during the run. It goes on with its average or its probability, and waiting packets stay:

```toml
[flows.bulk]
count = 20

[schemes.red]
min = 10
max = 30
changes = [{ at = "10 s", max_p = 0.02 }, { at = "20 s", max_p = 0.5 }]
```

`parameters` sets a parameter of every scheme that has it and does not set it itself:

```toml
schemes = ["red", "nlred", "clred", "codel"]

[parameters]
min = 10
max = 30
ecn = false

[flows.bulk]
count = 20
```

The `buffer` of the network sets `limit` in the same way. `buffer = "auto"` follows the path, and so can thresholds:

```toml
schemes = ["red", "codel"]

[parameters]
min = "auto"
target_delay = "0.4 RTT"

[network]
rate = "1 Gbps"
rtt = "20 ms"
buffer = "auto"

[flows.bulk]
count = 20
```

## Sweeps

`sweep` names fields by their paths, each with a list of values or a range. Every combination is run.

```toml
schemes = ["red", "codel"]

[flows.bulk]

[sweep]
"flows.bulk.count" = [5, 20, 50]
"network.rtt" = { from = "10 ms", to = "160 ms", points = 5, scale = "log" }
"parameters.max_p" = { from = 0.05, to = 0.2, step = 0.05 }
```

A swept field is called by its path in tables and figures, or by a title:

```toml
schemes = ["droptail", "codel"]

[flows.bulk]

[sweep]
"network.rtt" = ["10 ms", "100 ms"]
"network.buffer" = ["0.5 BDP", "1 BDP", "2 BDP"]

[sweep.titles]
"network.rtt" = "round trip"
"network.buffer" = "buffer"
```

`points` includes both ends; `scale = "log"` spaces them at equal ratios. Quotes around a path are optional: `[sweep.network]` with `rtt = [...]` is the same field.

## Seeds

A seed decides every random draw: the start of flows, sizes and pauses, and the packets that a scheme drops. `seeds = 5` runs seeds 1 to 5; `seeds = [3, 14]` runs these two. The same file with the same seed gives the same results on any machine. Confidence intervals are over seeds; a single seed has none.
"#;

fn units(page: &mut String) {
    for (what, dimension) in [
        ("time", Dimension::Time),
        ("rate", Dimension::Rate),
        ("size, amount of data", Dimension::Data),
        ("packets", Dimension::Packets),
        ("plain", Dimension::Plain),
    ] {
        let units: Vec<String> = spellings(dimension)
            .map(|unit| format!("`{unit}`"))
            .collect();
        // Writing to a `String` cannot fail, here and below.
        let _ = writeln!(page, "| {what} | {} |", units.join(" "));
    }
}

/// The tables below `section`, each once with all its headings, in breadth-first order.
fn collect(
    section: &'static Section,
    path: &str,
    sections: &mut Vec<(Vec<String>, &'static Section)>,
) {
    let mut below = Vec::new();
    for field in section.fields {
        let (inner, heading) = match &field.shape {
            Shape::Table(inner) | Shape::Either(inner, _) => {
                (*inner, format!("[{path}{}]", field.name))
            }
            Shape::Named(inner) => (*inner, format!("[{path}{}.NAME]", field.name)),
            Shape::List(inner) => (*inner, format!("[[{path}{}]]", field.name)),
            _ => continue,
        };
        below.push((inner, format!("{}.", heading.trim_matches(['[', ']']))));
        let known = sections
            .iter_mut()
            .find(|(_, known)| known.name == inner.name);
        match known {
            Some((headings, _)) => headings.push(heading),
            None => sections.push((vec![heading], inner)),
        }
    }
    for (inner, path) in below {
        collect(inner, &path, sections);
    }
}

fn write_section(page: &mut String, headings: &[String], section: &Section) {
    match headings {
        [] => page.push_str("\n## The file\n\n"),
        [first, others @ ..] => {
            let _ = write!(page, "\n## `{first}`\n\n{}", section.meaning);
            let also: Vec<String> = others.iter().map(|other| format!("`{other}`")).collect();
            let also = match also.is_empty() {
                true => String::new(),
                false => format!(" Also: {}.", also.join(", ")),
            };
            let _ = write!(page, "{also}\n\n");
        }
    }
    let with = section.fields.iter().any(|field| field.when.is_some());
    page.push_str("| field | meaning | values | default |");
    page.push_str(if with { " only with |\n" } else { "\n" });
    page.push_str("|---|---|---|---|");
    page.push_str(if with { "---|\n" } else { "\n" });
    for field in section.fields {
        write_field(page, field, with);
    }
    for field in section.fields {
        if let Shape::One(kind) | Shape::Length(kind) = &field.shape {
            write_choices(page, field.name, kind);
        }
    }
}

fn write_field(page: &mut String, field: &Field, with_column: bool) {
    let Field { name, meaning, .. } = field;
    let default = match field.default {
        "" => String::new(),
        default => format!("`{default}`"),
    };
    let with = match field.when {
        Some((other, values)) => format!("`{other}` = {}", values.join(", ")),
        None => String::new(),
    };
    let mut cells = vec![
        format!("`{name}`"),
        (*meaning).to_string(),
        allowed(field),
        default,
    ];
    if with_column {
        cells.push(with);
    }
    page.push_str(&markdown::row(cells));
}

fn allowed(field: &Field) -> String {
    let laws = "alone or with a distribution in front";
    match &field.shape {
        Shape::Spread(kind) => format!("{}, {laws}", allowed_values(kind)),
        Shape::Amount => format!("an amount of data (\"12 kB\", \"10 packets\"), {laws}"),
        shape => shape.allowed(),
    }
}

/// The meanings of the names of a choice.
fn write_choices(page: &mut String, name: &str, kind: &Kind) {
    match kind {
        Kind::Choice(choices) => {
            let _ = write!(page, "\n`{name}`:\n\n");
            for (name, meaning) in *choices {
                let _ = writeln!(page, "- `{name}`: {meaning}");
            }
        }
        Kind::OrAuto(kind) | Kind::OrNever(kind) | Kind::OrPoints(kind) => {
            write_choices(page, name, kind)
        }
        _ => {}
    }
}
