//! What a page shows first, and what time series are drawn with.

use earlydrop_report::run_report::data::Threshold;

use super::browser::{Opened, browser, open};
use crate::support::{Sample, sample};

/// The place of a figure in the page.
fn place(opened: &Opened, figure: &str) -> usize {
    let mark = format!("data-figure=\"{figure}\"");
    opened
        .dom
        .find(&mark)
        .unwrap_or_else(|| panic!("no {figure}"))
}

#[test]
fn answers_and_the_scatter_come_first() {
    let Some(browser) = browser() else { return };
    let data = sample(&Sample {
        schemes: 4,
        seeds: 3,
        sweep: true,
        samples: 30,
        missing: 0,
    });
    let opened = open(&browser, &data, "point=2");
    let drawn = opened.drawn("answers");
    for (text, answer) in drawn.as_array().unwrap().iter().zip(&data.answers) {
        let (text, at) = (text.as_str().unwrap(), answer.at[2].as_ref().unwrap());
        assert!(text.starts_with(at.as_str()), "{text} is not {at}");
        if let Some(overall) = &answer.overall {
            assert!(text.contains(overall.as_str()), "{text} lacks {overall}");
        }
    }
    let order = [
        "answers", "scatter", "groups", "summary", "sweep", "overtime",
    ];
    assert!(order.map(|figure| place(&opened, figure)).is_sorted());
    // The first point has time series, too.
    assert_every_picture_is_named(&open(&browser, &data, ""));
}

/// Each picture has a name, and a description that is in the page.
fn assert_every_picture_is_named(opened: &Opened) {
    // The scripts, which draw pictures for files, follow the footer.
    let (shown, _) = opened.dom.split_once("<footer").unwrap();
    let pictures: Vec<&str> = shown.split("role=\"img\"").skip(1).collect();
    assert!(pictures.len() >= 5);
    for picture in pictures {
        let tag = picture.split('>').next().unwrap();
        let value = |name: &str| {
            let (_, rest) = tag
                .split_once(&format!("{name}=\""))
                .unwrap_or_else(|| panic!("{tag} has no {name}"));
            rest.split('"').next().unwrap().to_string()
        };
        assert!(!value("aria-label").is_empty());
        let described = format!("id=\"{}\"", value("aria-describedby"));
        let (_, rest) = opened.dom.split_once(&described).unwrap();
        assert!(!rest.starts_with("></"), "{described} is empty");
    }
}

#[test]
fn a_trace_opens_with_its_time_series_and_draws_its_thresholds() {
    let Some(browser) = browser() else { return };
    let mut data = sample(&Sample {
        schemes: 2,
        seeds: 1,
        sweep: false,
        samples: 60,
        missing: 0,
    });
    data.is_trace = true;
    let red = data
        .schemes
        .iter()
        .position(|scheme| scheme.label == "red")
        .unwrap();
    data.schemes[red].thresholds.push(Threshold {
        name: "min",
        value: 20.0,
        unit: "packets",
    });
    let opened = open(&browser, &data, "scheme=red");
    let order = ["overtime", "answers", "summary", "scatter"];
    assert!(order.map(|figure| place(&opened, figure)).is_sorted());
    assert!(
        opened.dom.contains(">min</text>"),
        "the threshold has its name"
    );
    assert!(!opened.dom.to_lowercase().contains(">other<"));
}

#[test]
fn two_schemes_are_laid_over_each_other() {
    let Some(browser) = browser() else { return };
    let data = sample(&Sample {
        schemes: 4,
        seeds: 2,
        sweep: false,
        samples: 50,
        missing: 0,
    });
    let other = data
        .schemes
        .iter()
        .find(|scheme| scheme.label != "red")
        .unwrap();
    let opened = open(
        &browser,
        &data,
        &format!("scheme=red&beside={}", other.label),
    );
    let drawn = opened.drawn("overtime");
    let names: Vec<&str> = drawn["series"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    for name in [
        "Packets: queue".to_string(),
        format!("Packets: queue of {}", other.label),
    ] {
        assert!(names.contains(&name.as_str()), "{name} in {names:?}");
    }
}
