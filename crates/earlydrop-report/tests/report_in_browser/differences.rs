//! Differences from a baseline: the table and the forest plot.

use earlydrop_lab::number;
use earlydrop_report::run_report::Data;
use earlydrop_report::run_report::data::{Baseline, Difference, DifferenceSummary};

use super::browser::{browser, open};
use super::{check, expect, metric};
use crate::support::{Sample, sample};

/// Differences of each scheme but the first from it, in milliseconds: mean, half of the interval,
/// whether it is significant.
fn compared(means: &[(f64, f64, bool)]) -> Data {
    let mut data = sample(&Sample {
        schemes: means.len() + 1,
        seeds: 4,
        sweep: false,
        samples: 0,
        missing: 0,
    });
    let row = |(index, (mean, half, significant)): (usize, &(f64, f64, bool))| {
        let difference = Difference {
            text: number::difference(*mean, Some(*half)),
            share_text: Some(format!("{}%", number::to_digits(100.0 * mean / 40.0, 2))),
            mean: mean * 1e-3,
            half: Some(half * 1e-3),
            share: Some(mean / 40.0),
            significant: *significant,
        };
        DifferenceSummary {
            scheme: index + 1,
            point: 0,
            values: vec![None, Some(difference)],
        }
    };
    data.baseline = Some(Baseline {
        scheme: 0,
        significance: "significant",
        metrics: ["utilisation", "delay_p99"]
            .map(|name| metric(&data, name))
            .to_vec(),
        rows: means.iter().enumerate().map(row).collect(),
    });
    data
}

#[test]
fn differences_from_the_baseline_are_drawn_and_listed() {
    let Some(browser) = browser() else { return };
    let data = compared(&[(2.5, 0.5, true), (-3.0, 4.0, false), (-8.0, 1.0, true)]);
    let opened = open(&browser, &data, "difference=delay_p99");
    let label = |scheme: usize| data.schemes[scheme].label.clone();
    let title = format!("Differences from {}", label(0));
    assert!(opened.dom.contains(&title), "{title}");
    let interval = |scheme: usize| format!("{}, interval", label(scheme));
    let expected = [
        expect(label(1), vec![[2.5, 0.0]]),
        expect(interval(1), vec![[2.0, 0.0], [3.0, 0.0]]),
        expect(label(2), vec![[-3.0, 1.0]]),
        expect(interval(2), vec![[-7.0, 1.0], [1.0, 1.0]]),
        expect(label(3), vec![[-8.0, 2.0]]),
    ];
    check(&opened, "baseline", &expected, 6);
    let table = opened.drawn("differences");
    // Utilisation was measured by none: it has no column.
    assert_eq!(table["columns"], serde_json::json!(["delay_p99"]));
    let rows = [
        (label(1), "+2.50", true),
        (label(2), "-3.0", false),
        (label(3), "-8.0", true),
    ];
    for ((name, cell, significant), row) in rows.iter().zip(table["rows"].as_array().unwrap()) {
        assert_eq!(row["name"], name.as_str());
        assert_eq!(row["cells"][0], *cell);
        assert_eq!(row["significant"][0], *significant);
    }
    for text in ["6.2%, worse", "-7.5%<", "-20%, better"] {
        assert!(opened.dom.contains(text), "{text}");
    }
}

#[test]
fn a_difference_far_from_all_others_is_written_at_the_end_of_the_axis() {
    let Some(browser) = browser() else { return };
    let means = [
        (120.0, 1.0, true),
        (2.0, 0.1, true),
        (-4.0, 0.1, true),
        (1.0, 0.1, true),
        (3.0, 0.1, true),
        (-2.0, 0.1, true),
    ];
    let data = compared(&means);
    let opened = open(&browser, &data, "difference=delay_p99");
    assert!(opened.dom.contains(">+120.0 \u{b1} 1.0 \u{2192}</text>"));
    let drawn = opened.drawn("baseline");
    let far = &drawn["series"][0];
    assert_eq!(far["name"], data.schemes[1].label.as_str());
    assert!(far["x"].as_f64().unwrap() < 6.0, "{far}");
    // Without it the axis has no end before the others.
    let hide = format!("difference=delay_p99&hide={}", data.schemes[1].label);
    let opened = open(&browser, &data, &hide);
    let plot = opened
        .dom
        .split("data-figure=\"differences\"")
        .next()
        .unwrap();
    assert!(!plot.contains("\u{2192}</text>"));
    assert_eq!(opened.drawn("baseline")["series"][1]["x"], 2.0);
}

#[test]
fn without_a_baseline_there_is_no_section() {
    let Some(browser) = browser() else { return };
    let mut data = compared(&[(2.5, 0.5, true)]);
    data.baseline = None;
    let opened = open(&browser, &data, "");
    assert!(!opened.dom.contains("id=\"baseline\""));
}
