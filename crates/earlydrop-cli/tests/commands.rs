//! Every command on valid input, as a new user tries it.

use std::fs;

use crate::support::pages::{check_page, page};
use crate::support::{SMALL, User, database, numbers};

#[test]
fn compare_without_arguments_runs_the_built_in_scenario() {
    let user = User::new();
    let ran = user
        .runs(&["compare", "--seeds", "2", "--duration", "8s"])
        .well();
    for line in [
        "20 CUBIC flows, web transfers and voice calls over 20 Mbps, 50 ms",
        "means of 2 runs ± 95% intervals, measured from 2 s to 8 s",
        "buffer 250 packets = 150 ms = 3 BDP",
        "min 16.7 packets = 10 ms, max 50 packets = 30 ms",
    ] {
        assert!(ran.out.contains(line), "{line} in\n{}", ran.out);
    }
    for scheme in ["droptail", "red", "nlred", "clred", "fq-codel", "dualpi2"] {
        assert!(
            ran.out.lines().any(|line| line.starts_with(scheme)),
            "{scheme}"
        );
    }
    let page = fs::read_to_string(ran.report(&user)).unwrap();
    assert!(page.starts_with("<!doctype html>") || page.starts_with("<!DOCTYPE html>"));
}

#[test]
fn a_preset_is_itself_in_the_built_in_scenario() {
    let user = User::new();
    let compare = |scheme: &str| {
        let short = ["--duration", "1s", "--seeds", "1", "--quiet"];
        let arguments = [&["compare", "--schemes", scheme], &short[..]].concat();
        user.runs(&arguments).well().out
    };
    for (scheme, line) in [
        (
            "nlred:as=paper",
            "min 10 packets = 6 ms, max 30 packets = 18 ms",
        ),
        ("nlred:as=paper", "buffer 120 packets = 72 ms"),
        // 30 and 90 kB.
        (
            "red:as=linux",
            "min 20 packets = 12 ms, max 60 packets = 36 ms",
        ),
        (
            "codel:as=paper",
            "codel with as=paper: limit 250 packets (network.buffer)",
        ),
    ] {
        let out = compare(scheme);
        assert!(out.contains(line), "{line} in\n{out}");
    }
}

#[test]
fn the_command_line_changes_the_scenario() {
    let user = User::new();
    let changes = [
        "compare",
        "--schemes",
        "red:min=5,max=15,pie",
        "--link",
        "5Mbps",
        "--rtt",
        "30ms",
        "--flows",
        "3",
        "--tcp",
        "reno",
        "--ecn",
        "on",
        "--buffer",
        "60 packets",
        "--seeds",
        "3",
        "--duration",
        "4s",
        "--warm-up",
        "1s",
        "--set",
        "flows.web.every=2s",
        "--json",
    ];
    let json = user.runs(&changes).well().json();
    assert_eq!(json["cells"]["planned"], 6);
    assert_eq!(json["rows"][0]["scheme"], "red");
    assert_eq!(json["rows"][0]["seeds"], 3);
    let marked = &json["rows"][0]["metrics"]["marked"]["mean"];
    assert!(
        marked.as_f64().unwrap() > 0.0,
        "ECN was asked for: {marked}"
    );
    let folder = json["folder"].as_str().unwrap();
    let scenario = fs::read_to_string(user.path(folder).join("scenario.toml")).unwrap();
    for line in [
        "rate = \"5Mbps\"",
        "rtt = \"30ms\"",
        "count = 3",
        "control = \"reno\"",
    ] {
        assert!(scenario.contains(line), "{line} in\n{scenario}");
    }
}

#[test]
fn a_stored_scenario_reproduces_its_numbers() {
    let user = User::new();
    user.writes("small.toml", SMALL);
    user.runs(&["run", "small.toml", "--out", "one", "--threads", "2"])
        .well();
    user.runs(&["run", "one/scenario.toml", "--out", "two", "--threads", "1"])
        .well();
    let values = |folder: &str| {
        let database = database(&user.path(folder));
        [
            "utilisation",
            "delay_mean",
            "delay_p99",
            "jitter",
            "loss",
            "goodput",
        ]
        .map(|metric| {
            numbers(
                &database,
                &format!("SELECT {metric} FROM cells ORDER BY scheme, point, seed"),
            )
        })
    };
    assert_eq!(values("one"), values("two"));
    assert_eq!(values("one")[0].len(), 8);
}

#[test]
fn report_rewrites_tables_and_page_without_simulating() {
    let user = User::new();
    user.writes("small.toml", SMALL);
    let ran = user.runs(&["run", "small.toml", "--out", "out"]).well();
    let page = fs::read(user.path("out/report.html")).unwrap();
    fs::remove_file(user.path("out/report.html")).unwrap();
    let again = user.runs(&["report", "out"]).well();
    assert_eq!(again.out, ran.out);
    assert_eq!(fs::read(user.path("out/report.html")).unwrap(), page);
    let markdown = user.runs(&["report", "out", "--as", "markdown"]).well();
    assert!(
        markdown
            .out
            .contains("**network.rtt = 60 ms: what each group of flows feels**"),
        "{}",
        markdown.out
    );
    let csv = user.runs(&["report", "out", "--as", "csv"]).well();
    assert!(csv.out.starts_with(
        "scheme,network.rtt,group,metric,mean,half_width_95,seeds,at_least,best,similar"
    ));
    for line in ["\ncodel,20 ms,,delay_mean,", "\ncodel,20 ms,bulk,goodput,"] {
        assert!(csv.out.contains(line), "{}", csv.out);
    }
}

#[test]
fn export_writes_csv_json_and_parquet() {
    let user = User::new();
    user.writes("small.toml", SMALL);
    user.runs(&["run", "small.toml", "--out", "out"]).well();
    let wanted = numbers(
        &database(&user.path("out")),
        "SELECT delay_mean FROM cells ORDER BY cell",
    );
    user.runs(&["export", "out", "--to", "csv"]).well();
    let csv = fs::read_to_string(user.path("out/csv/cells.csv")).unwrap();
    let mut lines = csv.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let column = header
        .iter()
        .position(|name| *name == "delay_mean")
        .unwrap();
    let of_line = |line: &str| line.split(',').nth(column).unwrap().parse::<f64>().unwrap();
    assert_eq!(lines.map(of_line).collect::<Vec<f64>>(), wanted);

    user.runs(&["export", "out", "--to", "json", "--out", "data"])
        .well();
    let json = fs::read_to_string(user.path("data/results.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let cells = json["cells"].as_array().unwrap().iter();
    let exported: Vec<f64> = cells
        .map(|cell| cell["delay_mean"].as_f64().unwrap())
        .collect();
    assert_eq!(exported, wanted);

    let written = user.runs(&["export", "out", "--to", "parquet"]).well();
    assert!(
        written.out.contains("out/parquet/cells.parquet"),
        "{}",
        written.out
    );
    let parquet = fs::read(user.path("out/parquet/series.parquet")).unwrap();
    assert_eq!(
        (&parquet[..4], &parquet[parquet.len() - 4..]),
        (&b"PAR1"[..], &b"PAR1"[..])
    );
}

#[test]
fn export_writes_files_for_flent_of_runs_with_departures() {
    let user = User::new();
    user.writes("small.toml", SMALL);
    user.runs(&["run", "small.toml", "--out", "plain"]).well();
    let refused = user.runs(&["export", "plain", "--to", "flent"]);
    assert_ne!(refused.code, Some(0));
    let message = &refused.err;
    assert!(message.contains("measure.departures = true"), "{message}");
    let departures = ["--set", "measure.departures=true", "--out", "out"];
    let run = [&["run", "small.toml"][..], &departures].concat();
    user.runs(&run).well();
    let written = user.runs(&["export", "out", "--to", "flent"]).well().out;
    // Its own files are written over.
    let again = user.runs(&["export", "out", "--to", "flent"]).well().out;
    assert_eq!(written, again);
    let first = written.lines().next().unwrap();
    assert!(first.starts_with("out/flent/tcp_nup-"), "{first}");
    assert!(first.ends_with("seed_1.flent.gz"), "{first}");
    let bytes = fs::read(user.path(first)).unwrap();
    // gzip with DEFLATE (RFC 1952), and a comment that says who made it.
    assert!(bytes.starts_with(b"\x1f\x8b\x08\x10"));
    assert_eq!(&bytes[10..20], b"earlydrop\0");
}

#[test]
fn seeds_are_added_until_intervals_are_narrow() {
    let user = User::new();
    user.writes("small.toml", SMALL);
    let until = [
        "run",
        "small.toml",
        "--until",
        "25%:delay_mean",
        "--json",
        "--out",
        "out",
    ];
    let json = user.runs(&until).well().json();
    for row in json["rows"].as_array().unwrap() {
        let delay = &row["metrics"]["delay_mean"];
        let (mean, half) = (delay["mean"].as_f64(), delay["half_width_95"].as_f64());
        assert!(half.unwrap() / mean.unwrap() <= 0.25, "{row}");
    }
    assert!(
        json["seeds"].as_array().unwrap().len() > 2,
        "two are hardly enough"
    );
}

#[test]
fn check_counts_the_runs() {
    let user = User::new();
    user.writes("small.toml", SMALL);
    let ran = user.runs(&["check", "small.toml"]).well();
    assert!(
        ran.out.contains("2 schemes x 2 points x 2 seeds = 8 runs"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("about"), "{}", ran.out);
    assert!(
        !user.path("runs").exists(),
        "checking leaves nothing behind"
    );
}

#[test]
fn trace_shows_one_run_in_detail() {
    let user = User::new();
    user.writes("small.toml", SMALL);
    let list = user.runs(&["trace", "small.toml", "--list"]).well();
    assert!(
        list.out.contains("7  codel, network.rtt = 60 ms, seed 2"),
        "{}",
        list.out
    );
    let trace = [
        "trace",
        "small.toml",
        "--cell",
        "2",
        "--sample",
        "50ms",
        "--out",
        "out",
    ];
    let ran = user
        .runs(&[&trace[..], &["--pcap", "link.pcapng"]].concat())
        .well();
    assert!(
        ran.out.contains("red, network.rtt = 60 ms, seed 1"),
        "{}",
        ran.out
    );
    let series = fs::read_to_string(user.path("out/series.csv")).unwrap();
    for name in ["queue", "average", "drops", "window"] {
        assert!(series.contains(&format!(",{name},")), "{name}");
    }
    // From 0 to 3 s in steps of 50 ms.
    let queue = series.lines().filter(|line| line.contains(",queue,"));
    assert_eq!(
        queue.filter(|line| line.contains("left to right")).count(),
        61
    );
    let pcap = fs::read(user.path("link.pcapng")).unwrap();
    assert_eq!(pcap[..4], [0x0a, 0x0d, 0x0d, 0x0a]);
}

#[test]
fn completions_manual_pages_and_schema_are_printed() {
    let user = User::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(
            user.runs(&["completions", shell])
                .well()
                .out
                .contains("earlydrop")
        );
    }
    assert!(user.runs(&["man"]).well().out.contains(".TH earlydrop"));
    user.runs(&["man", "--out", "pages"]).well();
    assert!(user.path("pages/earlydrop-compare.1").is_file());
    let schema = user.runs(&["schema"]).well().json();
    assert_eq!(
        schema["$schema"],
        "https://json-schema.org/draft/2020-12/schema"
    );
    // The same as a file, which editors find.
    check_page(
        &page("docs/reference/scenario.schema.json"),
        &user.runs(&["schema"]).well().out,
        "commands",
    );
    for command in [
        "compare", "run", "report", "export", "schemes", "check", "trace",
    ] {
        let help = user.runs(&[command, "--help"]).well();
        assert!(help.out.contains("Example"), "{command}: {}", help.out);
    }
}

#[cfg(unix)]
#[test]
fn a_configuration_is_read_from_whatever_can_be_read() {
    let user = User::new();
    let red = "tc qdisc add dev eth0 root red limit 400000 min 30000 max 90000 avpkt 1000 \
               burst 55 probability 0.02\n";
    user.writes("red.tc", red);
    let of_file = user.runs(&["explain", "red.tc"]).well();
    let lines = "mkfifo pipe && (cat red.tc > pipe &) && earlydrop explain pipe";
    let of_pipe = user.types(lines).well();
    assert_eq!(of_pipe.out.lines().count(), of_file.out.lines().count());
    for folder in [".", "/"] {
        let ran = user.runs(&["explain", folder]);
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert!(ran.err.contains("is a folder"), "{}", ran.err);
    }
}

#[test]
fn a_negative_value_is_refused_for_its_range() {
    let user = User::new();
    for (option, value, wanted) in [
        ("--warm-up", "-1s", "a time"),
        ("--link", "-5Mbps", "a rate"),
        ("--rtt", "-.5ms", "a time"),
        ("--seeds", "-3", "a number from 1"),
    ] {
        let ran = user.runs(&["compare", option, value]);
        assert_eq!(ran.code, Some(2), "{option}: {}", ran.err);
        let is_named = ran.err.contains(value) && ran.err.contains(wanted);
        assert!(is_named, "{option}: {}", ran.err);
        assert!(!ran.err.contains("unexpected argument"), "{}", ran.err);
    }
}

#[test]
fn nothing_sent_has_no_fairness() {
    let user = User::new();
    let text = "duration = \"1 s\"\nwarm_up = \"0 s\"\nseeds = 2\nschemes = [\"red\"]\n\
                [flows.late]\ncount = 2\nstart = \"999 ms\"\n";
    user.writes("late.toml", text);
    let shown = user.runs(&["run", "late.toml", "--out", "run"]).well().out;
    let nothing = "every value is zero, or was not measured";
    assert!(shown.contains(nothing), "{shown}");
    let asked = ["run", "late.toml", "--out", "run", "--metrics", "fairness"];
    let shown = user.runs(&asked).well().out;
    let row = shown.lines().find(|line| line.starts_with("red "));
    assert!(row.is_some_and(|row| row.ends_with('-')), "{shown}");
    let json = user
        .runs(&["run", "late.toml", "--out", "run", "--json"])
        .well();
    let row = &json.json()["rows"][0]["metrics"];
    assert!(row.is_object() && row["fairness"].is_null(), "{row}");
}

#[test]
fn every_file_states_this_version() {
    let version = env!("CARGO_PKG_VERSION");
    let (minor, _) = version.rsplit_once('.').unwrap();
    for (file, line) in [
        ("CITATION.cff", format!("\nversion: {version}\n")),
        (
            "CHANGELOG.md",
            format!(
                "versions follow [Semantic Versioning](https://semver.org/).\n\n## [{version}] - "
            ),
        ),
        ("python/Cargo.toml", format!("\nversion = \"{version}\"\n")),
        (
            "web/package/package.json",
            format!("\n  \"version\": \"{version}\",\n"),
        ),
        (
            "docs/how-to/embed.md",
            format!("\nfind_package(earlydrop {minor} REQUIRED)\n"),
        ),
        (
            "crates/earlydrop-c/examples/CMakeLists.txt",
            format!("\nfind_package(earlydrop {minor} REQUIRED)\n"),
        ),
        ("docs/how-to/upgrade.md", format!("# Upgrade to {minor}\n")),
    ] {
        let text = fs::read_to_string(page(file)).unwrap();
        assert!(text.contains(&line), "{file} does not say {line:?}");
    }
}
