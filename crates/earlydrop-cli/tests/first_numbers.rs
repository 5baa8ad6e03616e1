//! What `compare`, `run` and `check` say about a link, about changes, and about differences.

use std::fs;

use crate::support::{SMALL, User};

#[test]
fn defaults_follow_the_link_and_the_title_says_so() {
    let user = User::new();
    let options = [
        "compare", "--link", "1Gbps", "--rtt", "20ms", "--flows", "3",
    ];
    let short = [
        "--duration",
        "1s",
        "--seeds",
        "1",
        "--schemes",
        "red,pie",
        "--json",
    ];
    let json = user.runs(&[&options[..], &short].concat()).well().json();
    let title = "3 CUBIC flows, web transfers and voice calls over 1 Gbps, 20 ms";
    assert_eq!(json["title"], title);
    let red = &json["derived"][0]["links"][0]["schemes"][0];
    // 3 BDP, and 0.2 round trips.
    assert_eq!(red["buffer"]["packets"], 5000.0);
    assert!(
        (red["min"]["seconds"].as_f64().unwrap() - 0.004).abs() < 1e-9,
        "{red}"
    );
    assert_eq!(json["derived"][0]["warm_up"], 0.25);
    assert_eq!(json["warnings"], serde_json::json!([]));
}

#[test]
fn a_buffer_below_a_schemes_range_is_a_warning_everywhere() {
    let user = User::new();
    let options = [
        "compare",
        "--link",
        "100Gbps",
        "--rtt",
        "100us",
        "--schemes",
        "pie,codel",
    ];
    let short = [
        "--duration",
        "2ms",
        "--seeds",
        "1",
        "--set",
        "flows.bulk.start=0 s",
        "--out",
        "o",
    ];
    let ran = user.runs(&[&options[..], &short].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let wanted = "less than twice the target of pie (15 ms), codel (5 ms)";
    assert!(ran.err.contains(wanted), "{}", ran.err);
    let page = fs::read_to_string(user.path("o/report.html")).unwrap();
    assert!(page.contains(wanted), "the page");
    let json = user
        .runs(&[&options[..], &short, &["--json"]].concat())
        .json();
    let warnings = json["warnings"].as_array().unwrap();
    let has = |warning: &serde_json::Value| warning.as_str().unwrap().contains(wanted);
    assert!(warnings.iter().any(has), "{json}");
    let checked = user.runs(&["check", "o/scenario.toml"]);
    assert!(checked.err.contains(wanted), "{}", checked.err);
    let traced = user.runs(&["trace", "o/scenario.toml", "--out", "t"]);
    assert!(traced.err.contains(wanted), "{}", traced.err);
    let listed = user.runs(&["trace", "o/scenario.toml", "--list"]);
    assert_eq!(listed.err, "", "a list has no use for it");
    let goal = ["tune", "o/scenario.toml", "--minimise", "delay_mean"];
    let short = ["--budget", "1", "--search-seeds", "1", "--quiet"];
    let tuned = user.runs(&[&goal[..], &short].concat());
    assert!(tuned.err.contains(wanted), "{}", tuned.err);
    assert!(
        checked.out.contains("buffer 2500 packets = 300 µs = 3 BDP"),
        "{}",
        checked.out
    );
}

#[test]
fn one_scheme_of_the_built_in_scenario_needs_no_thresholds() {
    let user = User::new();
    let ran = user
        .runs(&[
            "compare",
            "--schemes",
            "codel",
            "--duration",
            "2s",
            "--seeds",
            "1",
        ])
        .well();
    assert!(!ran.out.contains("min "), "{}", ran.out);
}

#[test]
fn the_title_and_later_reports_follow_the_overrides() {
    let user = User::new();
    user.writes("small.toml", SMALL);
    let ran = user
        .runs(&[
            "run",
            "small.toml",
            "--link",
            "4Mbps",
            "--out",
            "out",
            "--duration",
            "2s",
        ])
        .well();
    assert!(
        ran.out.starts_with("Small, with rate 4 Mbps\n"),
        "{}",
        ran.out
    );
    let about = "Changed from the file: network.rate = 4 Mbps; duration = 2 s";
    assert!(ran.out.contains(about), "{}", ran.out);
    let page = fs::read_to_string(user.path("out/report.html")).unwrap();
    assert!(page.contains(about) && page.contains("<title>Small, with rate 4 Mbps</title>"));
    let report = user.runs(&["report", "out"]).well();
    assert_eq!(report.out, ran.out);
}

#[test]
fn marks_are_explained_where_they_are() {
    let user = User::new();
    user.writes("small.toml", SMALL);
    let ran = user
        .runs(&["run", "small.toml", "--seeds", "3", "--out", "out"])
        .well();
    let mark = |line: &str| ran.out.lines().any(|other| other.starts_with(line));
    assert!(mark("* best mean of the column"), "{}", ran.out);
    assert_eq!(
        ran.out.contains("≈ not"),
        ran.out.matches('≈').count() > 1,
        "{}",
        ran.out
    );
    let json = user
        .runs(&["run", "small.toml", "--seeds", "3", "--json"])
        .well()
        .json();
    for row in json["rows"].as_array().unwrap() {
        for (name, metric) in row["metrics"].as_object().unwrap() {
            let both = metric["best"] == true && metric["similar"] == true;
            assert!(!both, "{name}: {metric}");
        }
    }
    // A single run has no interval, so no difference is significant.
    let one = user.runs(&["run", "small.toml", "--seeds", "1"]).well();
    assert!(
        !one.out.contains('*') && !one.out.contains('≈'),
        "{}",
        one.out
    );
}

#[test]
fn a_baseline_gives_paired_differences() {
    let user = User::new();
    user.writes("small.toml", SMALL);
    let run = [
        "run",
        "small.toml",
        "--seeds",
        "4",
        "--out",
        "out",
        "--baseline",
        "red",
    ];
    let chosen = ["--metrics", "delay_mean,loss"];
    let ran = user.runs(&[&run[..], &chosen].concat()).well();
    let title = "paired differences from red ± 95% intervals, and in % of red";
    assert_eq!(ran.out.matches(title).count(), 2, "{}", ran.out);
    assert!(ran.out.contains("%)"), "{}", ran.out);
    assert!(
        ran.out.contains("for all schemes and metrics of the"),
        "{}",
        ran.out
    );
    let json = user
        .runs(&[&run[..], &chosen, &["--json"]].concat())
        .well()
        .json();
    let mean = |row: usize| {
        json["rows"][row]["metrics"]["delay_mean"]["mean"]
            .as_f64()
            .unwrap()
    };
    let baseline = &json["baseline"];
    assert_eq!(baseline["scheme"], "red");
    let difference = &baseline["rows"][0]["metrics"]["delay_mean"];
    let wanted = mean(1) - mean(0);
    assert!((difference["difference"].as_f64().unwrap() - wanted).abs() < 1e-12);
    assert!(baseline["rows"][0]["metrics"]["utilisation"].is_null());
    let report = user.runs(&["report", "out", "--baseline", "codel"]).well();
    assert!(
        report.out.contains("paired differences from codel"),
        "{}",
        report.out
    );
}

#[test]
fn unknown_metrics_and_baselines_are_refused_before_anything_runs() {
    let user = User::new();
    user.writes("small.toml", SMALL);
    for (options, wanted) in [
        (["--baseline", "rde"], "did you mean \"red\"?"),
        (["--metrics", "los"], "did you mean \"loss\"?"),
        (["--metrics", "bulk.los"], "did you mean \"loss\"?"),
        (["--metrics", "bluk.loss"], "did you mean \"bulk\"?"),
        (["--metrics", "loss,loss"], "listed twice"),
        (["--metrics", ","], "no metric is named"),
    ] {
        let ran = user.runs(&[&["run", "small.toml", "--out", "out"], &options[..]].concat());
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert!(ran.err.contains(wanted), "{}", ran.err);
        assert!(!user.path("out").exists(), "{options:?}");
    }
}

#[test]
fn metrics_are_the_columns_in_their_order() {
    let user = User::new();
    user.writes("small.toml", SMALL);
    user.runs(&["run", "small.toml", "--out", "out"]).well();
    let chosen = [
        "report",
        "out",
        "--metrics",
        "loss, completion_p50,utilisation",
    ];
    let csv = user.runs(&[&chosen[..], &["--as", "csv"]].concat()).well();
    // Nothing was transferred; two schemes at two points. Groups have no utilisation.
    assert_eq!(csv.out.lines().count(), 1 + 2 * 2 * (2 + 1), "{}", csv.out);
    let one = ["run", "small.toml", "--out", "one", "--rtt", "20ms"];
    user.runs(&one).well();
    let chosen = [
        "--metrics",
        "loss,bulk.goodput,utilisation",
        "--as",
        "markdown",
    ];
    let report = user
        .runs(&[&["report", "one"], &chosen[..]].concat())
        .well();
    let header = "| scheme | loss % | bulk goodput Mbps | utilisation % |";
    assert!(report.out.contains(header), "{}", report.out);
}

#[test]
fn chosen_metrics_stand_along_a_sweep() {
    let user = User::new();
    user.writes("small.toml", SMALL);
    user.runs(&["run", "small.toml", "--out", "out"]).well();
    let chosen = ["report", "out", "--metrics", "bulk.goodput,delay_p99"];
    let csv = user.runs(&[&chosen[..], &["--as", "csv"]].concat()).well();
    let header = "scheme,network.rtt,group,metric,mean,";
    assert!(csv.out.starts_with(header), "{}", csv.out);
    let mean = |scheme: &str, rtt: &str| {
        let begin = format!("{scheme},{rtt},bulk,goodput,");
        let mut lines = csv.out.lines().filter_map(|line| line.strip_prefix(&begin));
        let mean = lines
            .next()
            .and_then(|rest| rest.split(',').next())
            .unwrap();
        mean.parse::<f64>().unwrap() / 1e6
    };
    let table = user.runs(&[&chosen[..], &["--as", "markdown"]].concat());
    let table = table.well().out;
    let heading =
        "**Bulk goodput (Mbps), by network.rtt**\n\n| scheme | 20\u{a0}ms | 60\u{a0}ms |\n";
    assert!(table.starts_with(heading), "{table}");
    assert!(
        table.contains("**Queueing delay, 99% (ms), by network.rtt**"),
        "{table}"
    );
    for scheme in ["red", "codel"] {
        let row = table
            .lines()
            .find_map(|line| line.strip_prefix(&format!("| {scheme} | ")));
        let numbers = row.unwrap().split(" | ").map(|cell| {
            let number = cell
                .trim_matches(['*', '|', ' '])
                .split(' ')
                .next()
                .unwrap();
            number.parse::<f64>().unwrap()
        });
        for (number, rtt) in numbers.zip(["20 ms", "60 ms"]) {
            let mean = mean(scheme, rtt);
            assert!(
                (number / mean - 1.0).abs() < 0.05,
                "{scheme}, {rtt}: {number}, {mean}"
            );
        }
    }
    // Differences are those of a point.
    let compared = user
        .runs(&[&chosen[..], &["--baseline", "red"]].concat())
        .well();
    let titles =
        ["20 ms", "60 ms"].map(|rtt| format!("network.rtt = {rtt}: paired differences from red"));
    assert!(
        titles.iter().all(|title| compared.out.contains(title)),
        "{}",
        compared.out
    );
}

#[test]
fn every_bottleneck_has_a_table() {
    let user = User::new();
    let network = "network.shape = \"parking-lot\"\nnetwork.bottlenecks = 3\n";
    let (head, tail) = SMALL.split_once("[network]").unwrap();
    let tail = tail.split_once("[sweep]").unwrap().0;
    user.writes(
        "lot.toml",
        &format!("{head}{network}[network]{tail}").replace(
            "network.shape = \"parking-lot\"\nnetwork.bottlenecks = 3\n[network]",
            "[network]\nshape = \"parking-lot\"\nbottlenecks = 3",
        ),
    );
    let ran = user.runs(&["run", "lot.toml", "--out", "out"]).well();
    let json = user
        .runs(&["run", "lot.toml", "--out", "out", "--json"])
        .well()
        .json();
    let links = json["links"].as_array().unwrap();
    assert_eq!(links.len(), 3 * 2);
    for (number, rows) in links.chunks(2).enumerate() {
        let link = format!("router {number} to router {}", number + 1);
        assert!(ran.out.contains(&format!("\nlink {link}\n")), "{}", ran.out);
        for row in rows {
            assert_eq!(row["link"], link.as_str());
            assert!(
                row["metrics"]["utilisation"]["mean"].as_f64().unwrap() > 0.1,
                "{row}"
            );
        }
    }
    // The first is the watched one, and its figures are those of the summary.
    let first = &links[0]["metrics"]["delay_p99"]["mean"];
    assert_eq!(first, &json["rows"][0]["metrics"]["delay_p99"]["mean"]);
    let exported = user.runs(&["export", "out", "--to", "csv"]).well();
    assert!(exported.out.contains("links.csv"), "{}", exported.out);
    // One bottleneck needs no table of its own.
    user.writes("small.toml", SMALL);
    let one = user.runs(&["run", "small.toml", "--json"]).well().json();
    assert_eq!(one["links"], serde_json::json!([]));
}

#[test]
fn swept_fields_are_called_by_their_titles() {
    let user = User::new();
    let titled = format!("{SMALL}\n[sweep.titles]\n\"network.rtt\" = \"round trip\"\n");
    user.writes("small.toml", &titled);
    let ran = user.runs(&["run", "small.toml", "--out", "out"]).well();
    assert!(ran.out.contains("\nround trip = 60 ms: "), "{}", ran.out);
    let page = fs::read_to_string(user.path("out/report.html")).unwrap();
    assert!(page.contains("\"title\":\"round trip\""));
    let fixed = user.runs(&["run", "small.toml", "--rtt", "5ms"]).well();
    assert!(!fixed.out.contains("round trip"), "{}", fixed.out);
}

#[test]
fn a_commented_scenario_continues_with_more_seeds() {
    let user = User::new();
    user.writes("small.toml", SMALL);
    user.runs(&["run", "small.toml", "--out", "out"]).well();
    let stored = user.path("out/scenario.toml");
    let text = fs::read_to_string(&stored).unwrap();
    let commented = format!(
        "# Mine.\n{}",
        text.replace("seeds = 2", "seeds = 2  # a pair")
    );
    fs::write(&stored, commented).unwrap();
    let more = user.runs(&[
        "run",
        "small.toml",
        "--out",
        "out",
        "--seeds",
        "5",
        "--json",
    ]);
    assert_eq!(more.well().json()["rows"][0]["seeds"], 5);
    let text = fs::read_to_string(&stored).unwrap();
    assert!(
        text.starts_with("# Mine.\n") && text.contains("seeds = 5  # a pair"),
        "{text}"
    );
    // Another scenario stays refused.
    fs::write(&stored, text.replace("3 Mbps", "4 Mbps")).unwrap();
    let other = user.runs(&["run", "small.toml", "--out", "out", "--seeds", "6"]);
    assert_eq!(other.code, Some(2), "{}", other.err);
}
