//! The page about scenario files, from the tables they are checked by.

use std::fmt::Write;

use earlydrop::registry::Kind;
use earlydrop::units::{Dimension, spellings};

use super::{Field, Section, Shape};
use crate::scenario::SCENARIO;

/// Everything a scenario file may say, as Markdown.
///
/// ```
/// let page = earlydrop_lab::document::page();
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

Made from the tables that scenario files are checked by, with `cargo run -p earlydrop-lab --example scenarios_page > docs/reference/scenarios.md`.

A scenario is a file in [TOML](https://toml.io) that says what is simulated and under which queue disciplines: a network, flows, schemes. Each scheme runs with each seed at each point of the sweep; such a run is a cell. All schemes meet the same traffic with the same seed.

The folder [`scenarios/`](../../scenarios) has some to begin with. The smallest one:

```toml
[flows.bulk]
```

One bulk transfer over a dumbbell of 10 Mbps and 50 ms, for 30 s, under ten telling schemes with five seeds each. Most say a little more:

```toml
title = "RED against CoDel, uploads beside a telephone call"
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

What a file leaves out has the default below. What it says wrongly is told with its line, what is allowed, and the nearest that would do; so is what would say nothing, such as `pause` for flows that make none.

## Units

A time, a rate or a size has its unit in the same text: `"50 ms"`. Only zero needs none. Numbers without a dimension are plain: `count = 5`, `loss = 0.01`, or `loss = "1%"`.

| what | units |
|---|---|
"#;

const AFTER_UNITS: &str = r#"
A queue's length, such as `buffer`, is in packets, bytes, or time at the link's rate; a plain number is packets.

`auto` stands for a value that is worked out from others, `never` for a time that does not come. A switch is `true` or `false`, or `"on"` or `"off"`.

## Random quantities

Where a field takes a law, a quantity alone is always the same, and a law in front of it draws around it as the mean:

| written | drawn |
|---|---|
| `"12 kB"` | always 12 kB |
| `"uniform 12 kB"` | evenly from 0 to 24 kB |
| `"exponential 500 ms"` | exponential with a mean of 500 ms |
| `"pareto(1.2) 12 kB"` | Pareto: tail exponent 1.2, from 2 kB on, mean 12 kB |
| `"lomax(1.5) 12 kB"` | Pareto of the second kind, from 0 on (ns-2's `ParetoII`) |
| `"lognormal(1) 12 kB"` | exp of a normal variable with deviation 1, mean 12 kB |

Two times with dots between, `start = "0 s..1 s"`, are drawn between evenly.

Amounts of data are payload. `"10 packets"` is ten full segments of the flow's.

## Schemes

`schemes` lists what is compared. A scheme is text with its parameters behind a colon, or a table; [Schemes](schemes.md) has them all. Two of one kind are told apart by names of your own:

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

`parameters` gives a parameter to every scheme that has it and does not set it itself:

```toml
schemes = ["red", "nlred", "clred", "codel"]

[parameters]
min = 10
max = 30
ecn = false

[flows.bulk]
count = 20
```

The `buffer` of the network does the same for `limit`.

## Sweeps

`sweep` names fields by their paths. Each takes a list of values or a range; every combination is run.

```toml
schemes = ["red", "codel"]

[flows.bulk]

[sweep]
"flows.bulk.count" = [5, 20, 50]
"network.rtt" = { from = "10 ms", to = "160 ms", points = 5, scale = "log" }
"parameters.max_p" = { from = 0.05, to = 0.2, step = 0.05 }
```

`points` counts both ends; `scale = "log"` puts them at equal ratios. In quotes or not, a path means the same: `[sweep.network]` with `rtt = [...]` will do.

## Seeds

A seed decides everything that is drawn: when flows start, sizes and pauses, which packets a scheme drops. `seeds = 5` runs seeds 1 to 5; `seeds = [3, 14]` these two. The same file with the same seed gives the same results on any machine. Intervals in results are over seeds: with one there are none.
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
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(page, "| {what} | {} |", units.join(" "));
    }
}

/// The tables below `section`, each once with every heading it may stand under; those
/// directly below come first.
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
    page.push_str("| field | what it is for | values | default |");
    page.push_str(if with { " with |\n" } else { "\n" });
    page.push_str("|---|---|---|---|");
    page.push_str(if with { "---|\n" } else { "\n" });
    for field in section.fields {
        write_field(page, field, with);
    }
    for field in section.fields {
        if let Shape::One(kind) = &field.shape {
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
    for cell in cells {
        let _ = write!(page, "| {} ", cell.replace('|', "\\|"));
    }
    page.push_str("|\n");
}

fn allowed(field: &Field) -> String {
    let laws = "alone or with a law in front";
    match &field.shape {
        Shape::Spread(kind) => format!("{}, {laws}", kind.allowed()),
        Shape::Amount => format!("an amount of data (\"12 kB\", \"10 packets\"), {laws}"),
        shape => shape.allowed(),
    }
}

/// What the names of a choice stand for.
fn write_choices(page: &mut String, name: &str, kind: &Kind) {
    match kind {
        Kind::Choice(choices) => {
            let _ = write!(page, "\n`{name}`:\n\n");
            for (name, meaning) in *choices {
                let _ = writeln!(page, "- `{name}`: {meaning}");
            }
        }
        Kind::OrAuto(kind) | Kind::OrNever(kind) => write_choices(page, name, kind),
        _ => {}
    }
}
