//! The answer of a search as sentences, as a page's beginning and as a picture.

use super::*;
use crate::figure::Mark;
use crate::run_report::{Data, render};

fn answer() -> TuneAnswer {
    let tried = |settings: &str, at, is_within_limits| TriedSettings {
        settings: settings.to_string(),
        at,
        is_within_limits,
    };
    let parameter = |found: Option<&str>| SearchedParameter {
        name: "min".to_string(),
        original: "5 packets".to_string(),
        found: found.map(String::from),
        bounds: "1 packets to 80 packets".to_string(),
    };
    let red = TunedScheme {
        label: "red".to_string(),
        looks: (0, 1),
        line: Some("\"red tuned\" = { scheme = \"red\", min = \"2 packets\" }".to_string()),
        original: "20.0 ± 1.0".to_string(),
        tuned: "10.0 ± 0.5".to_string(),
        change: "-50 ± 3%".to_string(),
        limits: vec![("96.0 ± 0.3%".to_string(), true)],
        searched: vec![parameter(Some("2 packets"))],
        before: Some((99.0, 20.0)),
        after: Some((96.0, 10.0)),
        front: vec![(40.0, 2.0), (96.0, 9.0), (99.0, 18.0)],
        count: 4,
        within_limits: 2,
        tried: vec![
            tried("min=2 packets", (96.0, 9.0), true),
            tried("", (99.0, 18.0), true),
            tried("min=1 packets", (40.0, 2.0), false),
            tried("min=70 packets", (99.5, 300.0), true),
        ],
        ..TunedScheme::default()
    };
    let pie = TunedScheme {
        label: "pie</script>".to_string(),
        looks: (2, 2),
        original: "15 ± 1".to_string(),
        tuned: "nothing better".to_string(),
        change: "-".to_string(),
        limits: vec![("90.0 ± 0.3%, not met".to_string(), false)],
        searched: vec![parameter(None)],
        count: 1,
        before: Some((90.0, 15.0)),
        after: Some((90.0, 15.0)),
        ..TunedScheme::default()
    };
    TuneAnswer {
        goal: "least queueing delay, 99%".to_string(),
        limits: vec!["utilisation >= 95%".to_string()],
        minimises: true,
        goal_axis: "queueing delay, 99%, ms".to_string(),
        goal_unit: "ms".to_string(),
        price_axis: "utilisation, %".to_string(),
        price_is_share: true,
        bounds: vec![(95.0, "utilisation >= 95%".to_string())],
        fresh_seeds: 10,
        schemes: vec![red, pie],
    }
}

#[test]
fn the_answer_is_a_sentence() {
    let mut answer = answer();
    assert_eq!(
        answer.question(),
        "least queueing delay, 99%, with utilisation >= 95%"
    );
    assert_eq!(
        answer.sentence(),
        "red with min = 2 packets has 10.0 ± 0.5 ms instead of 20.0 ± 1.0 ms; utilisation >= 95% \
         is met with 96.0 ± 0.3%."
    );
    assert_eq!(
        answer.counts()[0],
        "red: 4 settings tried, 2 within the limits"
    );
    assert_eq!(
        answer.counts()[1].split(',').next(),
        Some("pie</script>: 1 setting tried")
    );
    answer.schemes[0].line = None;
    assert_eq!(
        answer.sentence(),
        "No settings are better than those of red, which has 20.0 ± 1.0 ms; utilisation >= 95% is \
         met with 96.0 ± 0.3%."
    );
    answer.schemes.remove(0);
    assert_eq!(
        answer.sentence(),
        "No settings met every limit with fresh seeds."
    );
    assert!(answer.lines().is_empty());
}

#[test]
fn a_table_shows_the_price_where_nothing_limits_it() {
    let mut answer = answer();
    assert_eq!(
        answer.validated()[0],
        [
            "scheme",
            "original, ms",
            "tuned",
            "change",
            "utilisation >= 95%"
        ]
    );
    answer.limits.clear();
    answer.bounds.clear();
    for scheme in &mut answer.schemes {
        scheme.limits.clear();
        scheme.price = ("99%".to_string(), "96%".to_string());
    }
    let table = answer.validated();
    assert_eq!(table[0][4], "utilisation, %");
    assert_eq!(
        (table[1][4].as_str(), table[2][4].as_str()),
        ("96%, was 99%", "99%")
    );
    assert_eq!(answer.counts()[0], "red: 4 settings tried");
}

#[test]
fn the_page_begins_with_the_search() {
    let page = render(&Data {
        title: "A link".to_string(),
        tuning: Some(answer()),
        ..Data::default()
    });
    let places = [
        "<main id=\"results\"",
        "<section id=\"tuning\">",
        "Tuned for least queueing delay, 99%, with utilisation &gt;= 95%",
        "red with min = 2 packets has 10.0 ± 0.5 ms",
        "<td>-50 ± 3%</td>",
        "&quot;red tuned&quot; = { scheme = &quot;red&quot;",
        "<svg class=\"earlydrop-figure\"",
        "<td>1 packets to 80 packets</td>",
        "<th scope=\"row\">the original</th>",
        "<noscript>",
    ];
    let mut rest = page.as_str();
    for part in places {
        let found = rest.find(part);
        assert!(found.is_some(), "{part} is missing or out of order");
        rest = &rest[found.unwrap_or_default()..];
    }
    assert!(page.contains("pie&lt;/script&gt;"));
    let plain = render(&Data::default());
    assert!(!plain.contains("<section id=\"tuning\">"));
}

#[test]
fn the_picture_is_of_what_is_near_the_limit() {
    let (plot, left_out) = trade_off(&answer());
    // 40% utilisation, and 300 ms.
    assert_eq!(left_out, 2);
    assert!(
        plot.x.range.0 > 80.0 && plot.x.range.1 == 100.0,
        "{:?}",
        plot.x
    );
    let y = plot.panels[0].y.range;
    assert!(y.0 < 9.0 && (20.0..30.0).contains(&y.1), "{y:?}");
    let names: Vec<&str> = plot.legend.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["red", "red tuned", "pie</script>"]);
    let marks = &plot.panels[0].marks;
    assert!(
        marks
            .iter()
            .any(|mark| matches!(mark, Mark::Vertical { at, .. } if *at == 95.0))
    );
    let at = |wanted: &str| {
        let mut found = marks.iter().filter_map(|mark| match mark {
            Mark::Symbols {
                name, points, look, ..
            } if name == wanted => Some((points[0], *look)),
            _ => None,
        });
        found.next()
    };
    assert_eq!(at("red"), Some(((99.0, 20.0), 0)));
    assert_eq!(at("red tuned"), Some(((96.0, 10.0), 1)));
    assert_eq!(at("pie</script> tuned"), None);
    // Without limits it is of the fronts.
    let mut free = answer();
    (free.limits, free.bounds) = (Vec::new(), Vec::new());
    let (plot, left_out) = trade_off(&free);
    assert!(plot.x.range.0 < 40.0, "{:?}", plot.x);
    assert_eq!(left_out, 1);
    // Nothing measured is no picture, and no fault.
    assert_eq!(trade_off(&TuneAnswer::default()).1, 0);
}

#[test]
fn an_answer_is_kept_as_text() {
    let text = serde_json::to_string(&answer()).unwrap();
    assert_eq!(serde_json::from_str::<TuneAnswer>(&text).unwrap(), answer());
}
