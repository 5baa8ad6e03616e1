//! The page draws what `earlydrop figure` draws from the same data: labels, ticks and series.

use earlydrop_report::figure::{Size, json};
use earlydrop_report::run_report::Data;
use earlydrop_report::run_report::pictures::{Choices, What, picture};
use serde_json::Value;

use super::browser::{browser, open};
use super::{SWEPT, check, expect};
use crate::support::sample;

fn on_paper(data: &Data, what: What, schemes: &[&str]) -> Value {
    let choices = Choices {
        schemes: schemes.iter().map(ToString::to_string).collect(),
        ..Choices::default()
    };
    let size = Size {
        width: 252.0,
        height: None,
        font: 8.0,
    };
    json(&picture(data, what, &choices).unwrap(), &size)
}

/// Checks that one of the figure's axes has this axis's label, ends and ticks. The page may add to a
/// label where better values lie.
fn assert_has_axis(drawn: &Value, axis: &Value) {
    let label = axis["label"].as_str().unwrap();
    let axes = drawn["axes"].as_array().unwrap().iter();
    let is_own = |name: &str| name.split("   ").any(|part| part == label);
    let mut own = axes.filter(|one| is_own(one["name"].as_str().unwrap()));
    let own = own
        .next()
        .unwrap_or_else(|| panic!("no {label} in {drawn}"));
    let near = |one: &Value, other: &Value| {
        let (one, other) = (one.as_f64().unwrap(), other.as_f64().unwrap());
        assert!(
            (one - other).abs() <= 1e-4 * other.abs(),
            "{own} is not {axis}"
        );
    };
    for end in 0..2 {
        near(&own["ends"][end], &axis["ends"][end]);
    }
    let ticks = [own, axis].map(|one| one["ticks"].as_array().unwrap());
    assert_eq!(ticks[0].len(), ticks[1].len(), "{own} is not {axis}");
    for (one, other) in ticks[0].iter().zip(ticks[1]) {
        near(&one[0], &other[0]);
        assert_eq!(one[1], other[1], "{label}");
    }
}

#[test]
fn labels_ticks_and_series_are_those_of_paper() {
    let Some(browser) = browser() else { return };
    let data = sample(&SWEPT);
    let opened = open(&browser, &data, "scheme=red&spread=tail");
    for (figure, what) in [
        ("scatter", What::Scatter),
        ("sweep", What::Sweep),
        ("distributions", What::Tail),
        ("overtime", What::Time),
    ] {
        let schemes: &[&str] = if what == What::Time { &["red"] } else { &[] };
        let paper = on_paper(&data, what, schemes);
        let drawn = opened.drawn(figure);
        if what != What::Time {
            // A reader zooms the axis of time.
            assert_has_axis(&drawn, &paper["x"]);
        }
        for panel in paper["panels"].as_array().unwrap() {
            assert_has_axis(&drawn, &panel["y"]);
            let title = panel["y"]["label"].as_str().unwrap();
            // Paper has a corner for each step, and one name for all cwnd.
            let is_other = ["Packets per interval", "cwnd (segments)"].contains(&title);
            let marks = panel["marks"].as_array().unwrap().iter();
            let lines = marks.filter(|mark| !is_other && mark["name"].is_string());
            let lines =
                lines.filter(|mark| ["line", "symbols"].map(Value::from).contains(&mark["kind"]));
            for mark in lines {
                let name = mark["name"].as_str().unwrap();
                let name = match what {
                    What::Time => format!("{title}: {name}"),
                    _ => name.trim_end_matches(", points").to_string(),
                };
                let points = serde_json::from_value(mark["points"].clone()).unwrap();
                check(&opened, figure, &[expect(name, points)], 1);
            }
        }
    }
}
