//! A run's report page in a real browser: its figures draw the values of the run's database. (Figures
//! of made-up data are tested in `earlydrop-report`.)
//!
//! Without Chromium the tests are skipped, unless `EARLYDROP_NEEDS_BROWSER` is set.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{SMALL, User, database, numbers};
use earlydrop_lab::statistics::Mean;
use rusqlite::Connection;
use serde_json::Value;

const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// The page's DOM after its scripts have run; `None` without a browser.
fn opened(page: &Path, choices: &str) -> Option<String> {
    let runs = |name: &&str| {
        let mut version = Command::new(name);
        version
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        version.status().is_ok_and(|status| status.success())
    };
    let Some(browser) = BROWSERS.iter().find(|name| runs(name)) else {
        assert!(
            env::var_os("EARLYDROP_NEEDS_BROWSER").is_none(),
            "no Chromium"
        );
        println!("skipped: no chromium");
        return None;
    };
    let profile = tempfile::TempDir::new().unwrap();
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
        ])
        .args([
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
        ])
        .args([
            "--disable-component-update",
            "--disable-sync",
            "--virtual-time-budget=5000",
        ])
        .args(["--window-size=1280,2000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}#{choices}", page.display()))
        .stderr(Stdio::null())
        .output()
        .unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    // What a script has put into the page without looking.
    assert!(!shown.contains("[object HTML"), "{}", page.display());
    Some(shown)
}

/// The summary of what a figure has drawn, which the figure leaves in its element.
fn drawn(dom: &str, figure: &str) -> Value {
    let (_, rest) = dom
        .split_once(&format!("data-figure=\"{figure}\""))
        .unwrap();
    let (_, rest) = rest.split_once("data-drawn=\"").unwrap();
    let (json, _) = rest.split_once('"').unwrap();
    let json = json
        .replace("&quot;", "\"")
        .replace("&lt;", "<")
        .replace("&gt;", ">");
    serde_json::from_str(&json.replace("&amp;", "&")).unwrap()
}

/// Checks the number of points of a drawn series and their sums.
fn check(figure: &Value, name: &str, x: &[f64], y: &[f64]) {
    let series = figure["series"].as_array().unwrap().iter();
    let actual = series.clone().find(|one| one["name"] == name);
    let actual = actual.unwrap_or_else(|| panic!("no {name} in {figure}"));
    assert_eq!(actual["points"], y.len(), "{name}");
    for (key, values) in [("x", x), ("y", y)] {
        let sum: f64 = values.iter().sum();
        let drawn = actual[key].as_f64().unwrap();
        // The page carries five digits of numbers that it only draws.
        let error = (drawn - sum).abs();
        assert!(
            error <= 1e-4 * sum.abs().max(1e-9),
            "{name}: {key} {drawn}, not {sum}"
        );
    }
}

/// A stored time series of a cell: times and values.
fn stored(database: &Connection, cell: u32, name: &str) -> (Vec<f64>, Vec<f64>) {
    let of = |column: &str| {
        let source = "source = 'left to right'";
        let rows = format!("FROM samples WHERE cell = {cell} AND name = '{name}' AND {source}");
        numbers(database, &format!("SELECT {column} {rows} ORDER BY time"))
    };
    (of("time"), of("value"))
}

/// The claims that the front page of papers shows with these choices.
fn visible_claims(page: &Path, choices: &str) -> Option<Vec<String>> {
    let dom = opened(page, choices)?;
    let claims = dom.split("<li class=\"claim\"").skip(1);
    let visible = claims.filter(|claim| !claim.split('>').next().unwrap().contains("hidden"));
    let id = |claim: &str| {
        let (_, rest) = claim.split_once("report.html#").unwrap();
        rest.split('"').next().unwrap().to_string()
    };
    let visible: Vec<String> = visible.map(id).collect();
    let count = format!("{} of ", visible.len());
    assert!(dom.contains(&format!("role=\"status\">{count}")), "{count}");
    Some(visible)
}

#[test]
fn the_front_page_of_papers_filters_claims() {
    let user = User::new();
    // A quick run has no verdicts to choose from.
    user.runs(&["reproduce", "clred.F6.b", "--full", "--quiet"])
        .well();
    let page = user.path("runs/papers-full/index.html");
    let Some(all) = visible_claims(&page, "") else {
        return;
    };
    let printed = "clred.F6.b.printed".to_string();
    assert!(all.contains(&"clred.F6.b".to_string()) && all.contains(&printed));
    let of_paper = visible_claims(&page, "paper=clred").unwrap();
    assert_eq!(of_paper, all);
    let by_words = visible_claims(&page, "paper=clred&text=F6.B.PRINTED+queue").unwrap();
    assert!(by_words.contains(&printed) && by_words.len() < all.len());
    let verdicts = ["right", "partly", "wrong", "open", "missing"];
    let by_verdict = verdicts.map(|verdict| {
        let choices = format!("paper=clred&verdict={verdict}");
        visible_claims(&page, &choices).unwrap().len()
    });
    assert_eq!(
        by_verdict.iter().sum::<usize>(),
        all.len(),
        "{by_verdict:?}"
    );
    assert!(
        visible_claims(&page, "text=nothing+has+this")
            .unwrap()
            .is_empty()
    );
}

#[test]
fn each_figure_draws_the_values_of_the_database() {
    let user = User::new();
    let text = SMALL.replace("seeds = 2", "seeds = 4");
    user.writes("small.toml", &text);
    let ran = user.runs(&["run", "small.toml", "--out", "out"]).well();
    let Some(dom) = opened(&ran.report(&user), "point=1&scheme=red") else {
        return;
    };
    assert!(dom.contains("data-errors=\"\""), "no script may fail");
    let database = database(&user.path("out"));
    let values = |column: &str, scheme: &str| {
        let rows = format!("FROM cells WHERE scheme = '{scheme}' AND point = 1 ORDER BY seed");
        numbers(&database, &format!("SELECT {column} {rows}"))
    };
    let mean = |values: &[f64]| vec![values.iter().sum::<f64>() / values.len() as f64];
    let scatter = drawn(&dom, "scatter");
    for scheme in ["red", "codel"] {
        let delay = values("1000 * delay_mean", scheme);
        let utilisation = values("100 * utilisation", scheme);
        assert_eq!(delay.len(), 4);
        check(&scatter, &format!("{scheme}, runs"), &delay, &utilisation);
        check(&scatter, scheme, &mean(&delay), &mean(&utilisation));
    }
    // The table has the text that was made for it.
    let table = drawn(&dom, "summary");
    let column = |name: &str| {
        let columns = table["columns"].as_array().unwrap();
        columns.iter().position(|column| column == name).unwrap()
    };
    for (row, scheme) in ["red", "codel"].into_iter().enumerate() {
        let mean = Mean::of(&values("delay_mean", scheme)).unwrap().alone(1e3);
        assert_eq!(table["rows"][row]["name"], scheme);
        assert_eq!(table["rows"][row]["cells"][column("delay_mean")], mean);
    }
    // Cells are numbered seed by seed, point by point: 2 is red at the second point.
    let overtime = drawn(&dom, "overtime");
    for name in ["queue", "average"] {
        let (times, values) = stored(&database, 2, name);
        check(&overtime, &format!("Packets: {name}"), &times, &values);
    }
    let (times, drops) = stored(&database, 2, "drops");
    check(&overtime, "Packets per interval: drops", &times, &drops);
    let flows = drawn(&dom, "flows");
    let select = "SELECT flows.throughput * 1e-6 FROM flows JOIN cells USING (cell)
         WHERE point = 1 AND seed = 1 ORDER BY cell, flow";
    let throughput = numbers(&database, select);
    // Rows are the schemes in order: four flows of the first, four of the second.
    let rows = [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    check(&flows, "bulk", &throughput, &rows);
}

const FABRIC: &str = r#"
duration = "30 ms"
warm_up = "5 ms"
seeds = 2
tcp = "dcqcn"
[network]
shape = "leaf-spine"
leaves = 2
spines = 1
hosts = 2
rate = "10 Gbps"
uplink = "10 Gbps"
buffer = "2 MB"
pause = "100 kB"
[flows.search]
kind = "arrivals"
sizes = "rpc"
load = 0.4
[flows.query]
kind = "incast"
servers = 3
size = "300 kB"
start = "0 s"
to = "host 0"
[schemes]
droptail = {}
red = "red:as=hpcc"
"#;

#[test]
fn a_fabric_shows_its_ports_and_slowdowns_by_size() {
    let user = User::new();
    user.writes("fabric.toml", FABRIC);
    user.runs(&["run", "fabric.toml", "--out", "out"]).well();
    let page = user.path("out/report.html");
    let Some(dom) = opened(&page, "port=paused&sized=search&slowdown=slowdown_p50") else {
        return;
    };
    // 2 x (2 + 1) ports of leaves, 2 of the spine, 4 network cards; under two schemes.
    let ports = drawn(&dom, "ports");
    assert_eq!(ports["metric"], "paused");
    assert_eq!(ports["ports"], 24);
    assert!(dom.contains("host 2 to leaf 1: "), "{dom}");
    // The picture has the means of the database, at the power of ten of each bin's end.
    let database = database(&user.path("out"));
    let bins = |column: &str| {
        let select = format!(
            "SELECT {column} FROM sizes JOIN cells USING (cell)
             WHERE scheme = 'red' AND name = 'search' GROUP BY up_to ORDER BY up_to"
        );
        numbers(&database, &select)
    };
    let places: Vec<f64> = bins("up_to").iter().map(|up_to| up_to.log10()).collect();
    assert!(places.len() >= 3 && places.iter().all(|place| *place < 8.0));
    check(
        &drawn(&dom, "sizes"),
        "red",
        &places,
        &bins("avg(sizes.slowdown_p50)"),
    );
}
