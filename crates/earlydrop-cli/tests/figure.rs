//! `earlydrop figure`, `report --as latex`, tidy exports and records of packets, as a user types them.

use std::collections::HashMap;
use std::fs;

use earlydrop_lab::metrics::{METRICS, index_of};
use earlydrop_lab::number;

use crate::support::{SMALL, User, database, numbers};

fn user_with_run() -> User {
    let user = User::new();
    user.writes("small.toml", SMALL);
    user.runs(&["run", "small.toml", "--out", "out"]).well();
    user
}

/// The rows of a CSV file by column. No field of these files has a comma.
fn rows(text: &str) -> Vec<HashMap<String, String>> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!(fields.len(), header.len(), "{line}");
        let pairs = header.iter().zip(fields);
        pairs
            .map(|(name, field)| (name.to_string(), field.to_string()))
            .collect()
    };
    lines.map(row).collect()
}

#[test]
fn every_kind_of_picture_is_written_in_every_format() {
    let user = user_with_run();
    for what in ["scatter", "sweep", "time", "cdf", "tail"] {
        let formats = ["figure", "out", "--what", what, "--format", "svg,pdf,pgf"];
        let ran = user.runs(&formats).well();
        let paths: Vec<&str> = ran.out.lines().collect();
        let expected = ["svg", "pdf", "pgf"].map(|end| format!("out/figures/{what}.{end}"));
        assert_eq!(paths, expected);
        let begins = ["<svg xmlns=", "%PDF-1.4\n", "%% Made by earlydrop"];
        for (path, begin) in expected.iter().zip(begins) {
            let bytes = fs::read(user.path(path)).unwrap();
            assert!(bytes.starts_with(begin.as_bytes()), "{path}");
            assert!(bytes.len() > 1000, "{path}");
        }
        // Its own files are replaced.
        user.runs(&formats).well();
    }
    let svg = fs::read_to_string(user.path("out/figures/scatter.svg")).unwrap();
    assert!(
        svg.contains(">codel</text>") && svg.contains("width=\"252pt\""),
        "{svg}"
    );
}

#[test]
fn slowdowns_by_size_are_in_the_report_and_in_a_picture() {
    let user = User::new();
    let transfers = SMALL.replace(
        "[flows.",
        "[flows.search]\nkind = \"arrivals\"\nsizes = \"rpc\"\nload = 0.3\n\n[flows.",
    );
    user.writes("transfers.toml", &transfers);
    user.runs(&["run", "transfers.toml", "--out", "out"]).well();
    let page = fs::read_to_string(user.path("out/report.html")).unwrap();
    assert!(page.contains("\"group\":\"search\",\"up_to\":1000.0"));
    user.runs(&["figure", "out", "--what", "sizes", "--out", "sizes.svg"])
        .well();
    let svg = fs::read_to_string(user.path("sizes.svg")).unwrap();
    for text in [
        ">Slowdown, 99% of search</text>",
        ">1 kB</text>",
        ">red</text>",
    ] {
        assert!(svg.contains(text), "{text}: {svg}");
    }
}

#[test]
fn sizes_and_texts_are_those_that_are_given() {
    let user = user_with_run();
    user.runs(&[
        "figure",
        "out",
        "--out",
        "my.svg",
        "--width",
        "84mm",
        "--height",
        "2in",
        "--font",
        "10pt",
        "--title",
        "A & B",
        "--x-label",
        "wait",
        "--y-label",
        "busy",
        "--schemes",
        "codel",
    ])
    .well();
    let svg = fs::read_to_string(user.path("my.svg")).unwrap();
    assert!(svg.contains("width=\"238.11pt\" height=\"144pt\""), "{svg}");
    for text in [
        ">A &amp; B</text>",
        ">wait</text>",
        ">busy</text>",
        "font-size=\"10\"",
    ] {
        assert!(svg.contains(text), "{text}");
    }
    assert!(!svg.contains(">red</text>"));
}

#[test]
fn what_cannot_be_drawn_is_refused_and_nothing_is_written() {
    let user = user_with_run();
    user.writes("mine.svg", "<svg>mine</svg>");
    for (arguments, words) in [
        (
            &["--schemes", "rde"][..],
            "scheme `rde`: allowed: red, codel",
        ),
        (&["--metric", "delay"], "a scatter has two metrics"),
        (
            &["--what", "sweep", "--metric", "delay"],
            "metric `delay`: allowed: ",
        ),
        (
            &["--width", "3"],
            "allowed: ieee, ieee2, acm, acm2, or a number above 0 with in, mm, cm or pt",
        ),
        (
            &["--font", "900pt"],
            "--font 900.00pt: allowed: 2pt to 72pt",
        ),
        (&["--at", "network.rtt"], "allowed: FIELD=VALUE"),
        (&["--at", "network.rtt=1h"], "value `1h`: allowed: "),
        (
            &["--out", "a.svg", "--format", "pdf"],
            "the file's ending is not --format pdf",
        ),
        (&["--out", "mine.svg"], "mine.svg"),
        (&["--what", "sizes"], "no transfers of several sizes"),
        (
            &["--what", "time", "--schemes", "red,codel,red"],
            "one scheme or two",
        ),
    ] {
        let ran = user.runs(&[&["figure", "out"], arguments].concat());
        assert_eq!(ran.code, Some(2), "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains(words), "{arguments:?}: {}", ran.err);
        assert!(!user.path("out/figures").exists() && !user.path("a.svg").exists());
    }
    assert_eq!(
        fs::read_to_string(user.path("mine.svg")).unwrap(),
        "<svg>mine</svg>"
    );
}

#[test]
fn latex_tables_have_the_numbers_of_the_text() {
    let user = user_with_run();
    let latex = user.runs(&["report", "out", "--as", "latex"]).well().out;
    // At each of two points one of groups and one of the link.
    assert_eq!(latex.matches("\\toprule").count(), 4, "{latex}");
    let markdown = user.runs(&["report", "out", "--as", "markdown"]).well().out;
    let line = markdown
        .lines()
        .find(|line| line.starts_with("| codel |"))
        .unwrap();
    for cell in line.split('|').skip(2) {
        let cell = cell.trim().trim_matches('*');
        let number = cell.replace('±', "\\pm").replace('≈', "^{\\approx}");
        assert!(latex.contains(&number), "{number} in {latex}");
    }
}

/// Terminal, Markdown, LaTeX and the report's page show each mean of a run by the one rule.
#[test]
fn a_result_has_the_same_text_everywhere() {
    let user = user_with_run();
    let metrics = ["delay_mean", "utilisation", "loss"];
    let chosen = ["report", "out", "--metrics", "delay_mean,utilisation,loss"];
    let shown = |more: &[&str]| user.runs(&[&chosen[..], more].concat()).well().out;
    let terminal = shown(&[]);
    let markdown = shown(&["--as", "markdown"]);
    let latex = shown(&["--as", "latex"]);
    let page = fs::read_to_string(user.path("out/report.html")).unwrap();
    let json = user
        .runs(&["run", "small.toml", "--out", "out", "--json"])
        .well()
        .json();
    let rows = json["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 4);
    for (row, name) in rows.iter().flat_map(|row| metrics.map(|name| (row, name))) {
        let scale = METRICS[index_of(name).unwrap()].scale;
        let value = |key: &str| row["metrics"][name][key].as_f64();
        let half = value("half_width_95").map(|half| scale * half);
        let text = number::estimate(scale * value("mean").unwrap(), half);
        assert!(
            half.is_none() || text.contains('±') || half == Some(0.0),
            "{text}"
        );
        assert!(terminal.contains(&text), "{text} in {terminal}");
        assert!(markdown.contains(&text), "{text} in {markdown}");
        assert!(
            latex.contains(&text.replace('±', "\\pm")),
            "{text} in {latex}"
        );
        assert!(
            page.contains(&format!("{{\"text\":\"{text}\"")),
            "{text} in the page"
        );
    }
}

#[test]
fn exported_rows_have_the_keys_of_their_run_and_typed_points() {
    let user = user_with_run();
    user.runs(&["export", "out", "--to", "csv"]).well();
    let read =
        |name: &str| rows(&fs::read_to_string(user.path(&format!("out/csv/{name}.csv"))).unwrap());
    let store = database(&user.path("out"));
    for table in ["cells", "flows", "queues", "groups", "sojourn", "samples"] {
        let count = numbers(&store, &format!("SELECT count(*) FROM {table}"))[0];
        let exported = read(table);
        assert_eq!(exported.len() as f64, count, "{table}");
        for row in &exported {
            let rtt: f64 = row["network_rtt_s"].parse().unwrap();
            let written = match row["point"].as_str() {
                "0" => 0.02,
                _ => 0.06,
            };
            assert!((rtt - written).abs() < 1e-12, "{table}: {row:?}");
            assert!(
                ["red", "codel"].contains(&row["scheme"].as_str()),
                "{row:?}"
            );
        }
    }
    // The samples are those of the database, each once.
    let select = "SELECT sum(value) FROM samples WHERE name = 'queue' AND cell = 1";
    let own = read("samples")
        .into_iter()
        .filter(|row| row["name"] == "queue" && row["cell"] == "1");
    let sum: f64 = own.map(|row| row["value"].parse::<f64>().unwrap()).sum();
    assert!((sum - numbers(&store, select)[0]).abs() < 1e-9);
    assert!(
        !user.path("out/csv/series.csv").exists(),
        "CSV has no lists"
    );
}

#[test]
fn packets_are_recorded_with_the_state_of_the_queue() {
    let user = User::new();
    user.writes("small.toml", SMALL);
    let trace = [
        "trace",
        "small.toml",
        "--cell",
        "0",
        "--out",
        "t",
        "--packets",
    ];
    user.runs(&[&trace[..], &["packets.csv"]].concat()).well();
    let packets = rows(&fs::read_to_string(user.path("packets.csv")).unwrap());
    let mut waiting = 0i64;
    for row in &packets {
        match row["event"].as_str() {
            "enqueued" => waiting += 1,
            "departed" => waiting -= 1,
            other => assert_eq!(other, "dropped", "RED drops on arrival only"),
        }
        assert_eq!(row["queue"].parse::<i64>().unwrap(), waiting, "{row:?}");
        assert!(row["average"].parse::<f64>().unwrap() >= 0.0);
        assert_eq!(row["reason"].is_empty(), row["event"] != "dropped");
        assert_eq!(row["group"], "bulk");
    }
    assert!(packets.len() > 500);
    user.runs(&[&trace[..], &["packets.parquet"]].concat())
        .well();
    let parquet = fs::read(user.path("packets.parquet")).unwrap();
    assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"));
    let ran = user.runs(&[&trace[..], &["packets.txt"]].concat());
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.err
            .contains("--packets packets.txt: allowed: a file that ends in .csv or .parquet")
    );
}
