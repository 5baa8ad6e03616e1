//! The report page in a real browser: each figure draws the numbers of the data, no text of the
//! data becomes markup, and no script fails.
//!
//! Without Chromium the tests are skipped, unless `EARLYDROP_NEEDS_BROWSER` is set.

mod browser;
mod differences;
mod first_screen;
mod paper;

use crate::support::{Sample, sample};
use browser::{Opened, browser, open};
use earlydrop_report::run_report::Data;
use earlydrop_report::run_report::data::{
    Distribution, Estimate, LATENESS, LiveRuns, TimingSummary,
};
use serde_json::Value;

/// The relative tolerance of sums: the page carries five digits of numbers that it only draws.
const TOLERANCE: f64 = 1e-4;

/// Results over 4 x 3 points with time series, none missing.
const SWEPT: Sample = Sample {
    schemes: 6,
    seeds: 4,
    sweep: true,
    samples: 120,
    missing: 0,
};

/// A series that a figure must have drawn.
struct Expected {
    name: String,
    points: Vec<[f64; 2]>,
}

fn expect(name: impl Into<String>, points: Vec<[f64; 2]>) -> Expected {
    Expected {
        name: name.into(),
        points,
    }
}

/// Checks the series of a figure, and that it has at least `least` shapes.
fn check(opened: &Opened, figure: &str, expected: &[Expected], least: usize) {
    let drawn = opened.drawn(figure);
    let series = drawn["series"].as_array().unwrap();
    for Expected { name, points } in expected {
        let actual = series
            .iter()
            .find(|one| one["name"] == name.as_str())
            .unwrap_or_else(|| panic!("{figure} did not draw {name}: {drawn}"));
        assert_eq!(actual["points"], points.len(), "{figure}, {name}");
        for (axis, key) in ["x", "y"].iter().enumerate() {
            let sum: f64 = points.iter().map(|point| point[axis]).sum();
            let size: f64 = points.iter().map(|point| point[axis].abs()).sum();
            let drawn_sum = actual[key].as_f64().unwrap();
            assert!(
                (drawn_sum - sum).abs() <= TOLERANCE * size.max(1e-9),
                "{figure}, {name}: {key} sums to {drawn_sum}, not {sum}"
            );
        }
    }
    let shapes = drawn["shapes"].as_u64().unwrap() as usize;
    assert!(shapes >= least, "{figure} has only {shapes} shapes");
}

fn metric(data: &Data, name: &str) -> usize {
    data.metrics
        .iter()
        .position(|metric| metric.name == name)
        .unwrap()
}

fn estimate(data: &Data, scheme: usize, point: usize, metric: usize) -> Estimate {
    data.summary
        .iter()
        .find(|entry| entry.scheme == scheme && entry.point == point)
        .unwrap()
        .values[metric]
        .clone()
        .unwrap()
}

/// The labels of the schemes, except the hidden one, with their indices.
fn labels<'a>(data: &'a Data, hidden: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
    data.schemes
        .iter()
        .map(|scheme| scheme.label.as_str())
        .enumerate()
        .filter(move |&(_, label)| label != hidden)
}

fn check_scatter(opened: &Opened, data: &Data, point: usize, hidden: &str) {
    let [x, y] = ["delay_mean", "utilisation"].map(|name| metric(data, name));
    let scale = |metric: usize| data.metrics[metric].scale;
    let mut expected = Vec::new();
    for (scheme, label) in labels(data, hidden) {
        let mean = [x, y].map(|metric| estimate(data, scheme, point, metric).mean * scale(metric));
        expected.push(expect(label, vec![mean]));
        let runs = data
            .cells
            .iter()
            .filter(|cell| cell.scheme == scheme && cell.point == point)
            .map(|cell| [x, y].map(|metric| cell.values[metric].unwrap() * scale(metric)))
            .collect();
        expected.push(expect(format!("{label}, runs"), runs));
    }
    let least = expected.iter().map(|series| series.points.len()).sum();
    check(opened, "scatter", &expected, least);
}

/// Checks the sweep along the first axis, with the second as at `point`.
fn check_sweep(opened: &Opened, data: &Data, point: usize, hidden: &str) {
    let shown = metric(data, "delay_mean");
    let numbers = data.axes[0].numbers.as_ref().unwrap();
    let mut expected = Vec::new();
    for (scheme, label) in labels(data, hidden) {
        let points = (0..data.points.len())
            .filter(|&other| data.points[other][1] == data.points[point][1])
            .map(|other| {
                let mean = estimate(data, scheme, other, shown).mean;
                [
                    numbers[data.points[other][0]],
                    mean * data.metrics[shown].scale,
                ]
            })
            .collect();
        expected.push(expect(label, points));
    }
    let least = expected.iter().map(|series| series.points.len()).sum();
    check(opened, "sweep", &expected, least);
}

fn check_overtime(opened: &Opened, data: &Data, scheme: &str, names: &[(&str, &str, f64)]) {
    let scheme = data
        .schemes
        .iter()
        .position(|other| other.label == scheme)
        .unwrap();
    let mut expected = Vec::new();
    let all: Vec<_> = data
        .series
        .iter()
        .filter(|series| series.scheme == scheme && series.point == 0)
        .collect();
    for &(drawn, name, scale) in names {
        let series = all
            .iter()
            .find(|series| series.name == name || format!("window of {}", series.source) == name)
            .unwrap();
        let points = series
            .values
            .iter()
            .enumerate()
            .map(|(index, value)| [index as f64 * series.interval, value * scale])
            .collect();
        expected.push(expect(drawn, points));
    }
    check(opened, "overtime", &expected, all.len());
    let drawn = opened.drawn("overtime")["series"].as_array().unwrap().len();
    assert_eq!(drawn, all.len(), "every series of the scheme is drawn");
}

fn check_flows(opened: &Opened, data: &Data, point: usize, hidden: &str) {
    let rows: Vec<usize> = labels(data, hidden).map(|(scheme, _)| scheme).collect();
    let mut expected = Vec::new();
    for group in ["bulk", "web"] {
        let points = data
            .flows
            .iter()
            .filter(|flow| flow.point == point && flow.group == group)
            .filter_map(|flow| {
                let row = rows.iter().position(|&scheme| scheme == flow.scheme)?;
                Some([flow.throughput * 1e-6, row as f64])
            })
            .collect();
        expected.push(expect(group, points));
    }
    let least = expected.iter().map(|series| series.points.len()).sum();
    check(opened, "flows", &expected, least);
}

fn check_distributions(opened: &Opened, data: &Data, point: usize, hidden: &str) {
    check_tails(
        opened,
        data,
        ("distributions", "time in the queue"),
        point,
        hidden,
    );
}

/// Checks the tails of distributions in a figure.
fn check_tails(opened: &Opened, data: &Data, of: (&str, &str), point: usize, hidden: &str) {
    let mut expected = Vec::new();
    for (scheme, label) in labels(data, hidden) {
        let points = data
            .distributions
            .iter()
            .filter(|one| one.what == of.1 && one.scheme == scheme && one.point == point)
            .flat_map(|one| &one.quantiles)
            .filter(|[share, _]| *share < 1.0)
            .map(|[share, time]| [time * 1e3, 1.0 - share])
            .collect();
        expected.push(expect(label, points));
    }
    let least = expected.iter().map(|series| series.points.len()).sum();
    check(opened, of.0, &expected, least);
}

fn check_curves(opened: &Opened, data: &Data, hidden: &str) {
    let expected: Vec<Expected> = labels(data, hidden)
        .filter(|&(scheme, _)| !data.schemes[scheme].curve.is_empty())
        .map(|(scheme, label)| expect(label, data.schemes[scheme].curve.clone()))
        .collect();
    assert!(!expected.is_empty());
    check(opened, "curves", &expected, expected.len());
}

/// Whether a cell's text is the mean as Rust wrote it, without its interval.
fn agrees(text: &str, value: Option<&Estimate>) -> bool {
    match value {
        Some(value) => value.text.split(" \u{b1} ").next() == Some(text),
        None => text == "\u{2013}",
    }
}

fn check_summary(opened: &Opened, data: &Data, point: usize, order: &[usize]) {
    let drawn = opened.drawn("summary");
    let rows = drawn["rows"].as_array().unwrap();
    let shown: Vec<usize> = (0..data.metrics.len())
        .filter(|&metric| data.metrics[metric].headline)
        .collect();
    assert_eq!(rows.len(), order.len());
    for (row, &scheme) in rows.iter().zip(order) {
        assert_eq!(row["name"], data.schemes[scheme].label);
        for (column, &metric) in shown.iter().enumerate() {
            let value = estimate(data, scheme, point, metric);
            let text = row["cells"][column].as_str().unwrap();
            assert!(agrees(text, Some(&value)), "{text} is not {value:?}");
            assert_eq!(row["best"][column], value.best);
        }
    }
}

fn check_groups(opened: &Opened, data: &Data, point: usize) {
    let drawn = opened.drawn("groups");
    let rows = drawn["rows"].as_array().unwrap();
    let mut expected = Vec::new();
    for group in ["bulk", "web"] {
        expected.extend(
            data.groups
                .iter()
                .filter(|entry| entry.point == point && entry.group == group),
        );
    }
    assert_eq!(rows.len(), expected.len());
    for (row, entry) in rows.iter().zip(expected) {
        assert_eq!(row["name"], data.schemes[entry.scheme].label);
        for column in 0..2 {
            let text = row["cells"][column].as_str().unwrap();
            assert!(agrees(text, entry.values[column].as_ref()), "{text}");
        }
    }
}

#[test]
fn each_figure_draws_the_numbers_of_the_data() {
    let Some(browser) = browser() else { return };
    let data = sample(&SWEPT);
    let opened = open(&browser, &data, "scheme=red");
    let order: Vec<usize> = (0..data.schemes.len()).collect();
    check_summary(&opened, &data, 0, &order);
    check_scatter(&opened, &data, 0, "");
    check_sweep(&opened, &data, 0, "");
    check_overtime(
        &opened,
        &data,
        "red",
        &[
            ("Packets: queue", "queue", 1.0),
            ("Packets: average", "average", 1.0),
            ("Probability: pb", "pb", 1.0),
            ("Packets per interval: drops", "drops", 1.0),
            (
                "cwnd (segments): flow 2 of bulk",
                "window of flow 2 of bulk",
                1.0,
            ),
        ],
    );
    check_flows(&opened, &data, 0, "");
    check_distributions(&opened, &data, 0, "");
    check_curves(&opened, &data, "");
    check_groups(&opened, &data, 0);
}

#[test]
fn choices_in_the_address_are_followed() {
    let Some(browser) = browser() else { return };
    let data = sample(&Sample {
        samples: 60,
        ..SWEPT
    });
    let choices = "point=7&theme=dark&hide=nlred&sort=delay_mean&order=down";
    let opened = open(&browser, &data, choices);
    assert_eq!(opened.attribute("<html", "data-theme"), "dark");
    let sorted = metric(&data, "delay_mean");
    let mut order: Vec<usize> = (0..data.schemes.len()).collect();
    order.sort_by(|&a, &b| {
        let key = |scheme| estimate(&data, scheme, 7, sorted).mean;
        key(b).total_cmp(&key(a))
    });
    check_summary(&opened, &data, 7, &order);
    check_scatter(&opened, &data, 7, "nlred");
    check_sweep(&opened, &data, 7, "nlred");
    check_flows(&opened, &data, 7, "nlred");
    check_distributions(&opened, &data, 7, "nlred");
    check_curves(&opened, &data, "nlred");
    check_groups(&opened, &data, 7);
    let hidden = opened.drawn("sweep")["series"].as_array().unwrap().clone();
    assert!(hidden.iter().all(|series| series["name"] != "nlred"));
    // That point has no time series, and the page says so.
    assert_eq!(opened.drawn("overtime")["series"], Value::Array(Vec::new()));
    assert!(opened.dom.contains("There is no time series of"));
}

#[test]
fn a_probes_unit_decides_its_panel_and_scale() {
    let Some(browser) = browser() else { return };
    let data = sample(&Sample {
        schemes: 41,
        seeds: 2,
        sweep: false,
        samples: 40,
        missing: 0,
    });
    let opened = open(&browser, &data, "scheme=dualpi2");
    check_overtime(
        &opened,
        &data,
        "dualpi2",
        &[
            ("Packets: l_packets", "l_packets", 1.0),
            ("Probability: p_cl", "p_cl", 1.0),
            ("Time (ms): delay", "delay", 1e3),
            ("kB: credit", "credit", 1e-3),
        ],
    );
    let opened = open(&browser, &data, "scheme=codel");
    check_overtime(
        &opened,
        &data,
        "codel",
        &[
            ("Time (ms): sojourn", "sojourn", 1e3),
            ("State: dropping", "dropping", 1.0),
            ("Count: count", "count", 1.0),
        ],
    );
}

#[test]
fn hostile_text_stays_text() {
    let Some(browser) = browser() else { return };
    const HOSTILE: &str =
        "</script><img src=x onerror=\"document.documentElement.dataset.hostile='yes'\">";
    let mut data = sample(&Sample {
        schemes: 3,
        seeds: 2,
        sweep: true,
        samples: 20,
        missing: 1,
    });
    for text in [
        &mut data.title,
        &mut data.about,
        &mut data.version,
        &mut data.command,
        &mut data.scenario,
        &mut data.link,
        &mut data.axes[0].field,
    ] {
        *text = HOSTILE.to_owned();
    }
    data.axes[0].title = HOSTILE.to_owned();
    data.axes[0].values[0] = HOSTILE.to_owned();
    for (index, scheme) in data.schemes.iter_mut().enumerate() {
        scheme.label = format!("{HOSTILE}{index}");
        scheme.spec = HOSTILE.to_owned();
        for parameter in &mut scheme.parameters {
            parameter.value = HOSTILE.to_owned();
        }
    }
    for flow in &mut data.flows {
        flow.group = format!("{HOSTILE}{}", flow.group);
    }
    for group in &mut data.groups {
        group.group = format!("{HOSTILE}{}", group.group);
    }
    for series in &mut data.series {
        series.source = HOSTILE.to_owned();
    }
    let opened = open(&browser, &data, "");
    assert!(
        opened
            .dom
            .contains("<h1>&lt;/script&gt;&lt;img src=x onerror=")
    );
    assert!(!opened.dom.contains("data-hostile"));
    let name = format!("{HOSTILE}1");
    assert_eq!(opened.drawn("summary")["rows"][1]["name"], name);
}

#[test]
fn a_page_without_results_says_so_and_does_not_fail() {
    let Some(browser) = browser() else { return };
    let bare = Data {
        title: "Nothing yet".to_owned(),
        points: vec![Vec::new()],
        ..Data::default()
    };
    let opened = open(&browser, &bare, "");
    assert!(opened.dom.contains("No run is done yet"));
    assert!(!opened.dom.contains("<figure"));
    // One scheme, one seed, no time series.
    let least = sample(&Sample {
        schemes: 1,
        seeds: 1,
        sweep: false,
        samples: 0,
        missing: 0,
    });
    let opened = open(&browser, &least, "");
    assert_eq!(
        opened.drawn("scatter")["series"].as_array().unwrap().len(),
        1
    );
    assert!(opened.dom.contains("There are no time series"));
}

#[test]
fn a_live_report_shows_lateness_and_marks_runs_that_are_not_trustworthy() {
    let Some(browser) = browser() else { return };
    let mut data = sample(&Sample {
        schemes: 2,
        seeds: 3,
        sweep: false,
        samples: 0,
        missing: 0,
    });
    assert!(
        !open(&browser, &data, "")
            .dom
            .contains("data-figure=\"live\"")
    );
    let (mut rows, metrics) = (Vec::new(), data.metrics.drain(5..6).collect());
    for cell in &mut data.cells {
        cell.values.remove(5);
    }
    for summary in &mut data.summary {
        let values = vec![summary.values.remove(5)];
        let (scheme, point) = (summary.scheme, summary.point);
        rows.push(TimingSummary {
            scheme,
            point,
            runs: 3,
            doubtful: scheme,
            values,
        });
        data.distributions.push(Distribution {
            scheme,
            point,
            what: LATENESS,
            quantiles: vec![[0.5, 1e-6], [0.9, 2e-4], [0.99, 3e-3], [1.0, 0.02]],
        });
    }
    data.live = Some(LiveRuns { metrics, rows });
    let opened = open(&browser, &data, "");
    check_tails(&opened, &data, ("lateness", LATENESS), 0, "");
    check_distributions(&opened, &data, 0, "");
    assert_eq!(opened.drawn("live")["rows"].as_array().unwrap().len(), 2);
    assert!(opened.dom.contains("1 run of 6 is not trustworthy"));
    // In the summary, and in the table of timing quality.
    let marked = opened.dom.matches("not trustworthy: 1 of 3 runs").count();
    assert_eq!(marked, 2);
}
