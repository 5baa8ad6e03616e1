use super::*;
use crate::run_report::data::{Axis, Cell, Scheme, SchemeSummary};

/// The values of a scheme's runs: mean delay in ms, utilisation in %, and loss in %.
type Runs<'a> = &'a [(f64, f64, f64)];

fn metric(name: &'static str, unit: &'static str, scale: f64) -> Metric {
    Metric {
        name,
        title: name,
        unit,
        scale,
        better: "less",
        meaning: "",
        headline: true,
    }
}

/// The data of schemes with these runs at each point.
fn data(points: &[&[(&str, Runs<'_>)]]) -> Data {
    let scheme = |label: &str| Scheme {
        label: label.to_string(),
        spec: format!("{label}:limit=9"),
        summary: "",
        source: "",
        parameters: Vec::new(),
        curve: Vec::new(),
        thresholds: Vec::new(),
    };
    let mut data = Data {
        metrics: vec![
            metric("delay_mean", "ms", 1e3),
            metric("utilisation", "%", 100.0),
            metric("loss", "%", 100.0),
            metric("goodput", "Mbps", 1e-6),
        ],
        schemes: points[0].iter().map(|(label, _)| scheme(label)).collect(),
        points: (0..points.len()).map(|point| vec![point]).collect(),
        ..Data::default()
    };
    if points.len() > 1 {
        data.axes.push(Axis {
            field: "rtt".to_string(),
            title: "rtt".to_string(),
            values: (1..=points.len()).map(|rtt| format!("{rtt} ms")).collect(),
            numbers: None,
            unit: "s",
        });
    }
    for (point, schemes) in points.iter().enumerate() {
        for (scheme, (_, runs)) in schemes.iter().enumerate() {
            for (seed, (delay, busy, loss)) in runs.iter().enumerate() {
                let goodput = busy * 1e5;
                data.cells.push(Cell {
                    cell: data.cells.len(),
                    scheme,
                    point,
                    seed: seed as u64,
                    values: vec![
                        Some(delay / 1e3),
                        Some(busy / 1e2),
                        Some(loss / 1e2),
                        Some(goodput),
                    ],
                });
            }
            data.summary.push(SchemeSummary {
                scheme,
                point,
                seeds: runs.len(),
                values: Vec::new(),
            });
        }
    }
    data
}

/// The answer at the first point, and that of the sweep.
fn answer(data: &Data, question: &str) -> (String, Option<String>) {
    let answers = answers(data);
    let found = answers
        .into_iter()
        .find(|answer| answer.question.starts_with(question));
    let found = found.unwrap_or_else(|| panic!("no {question}"));
    (found.at[0].clone().unwrap(), found.overall)
}

const SLOW: Runs<'_> = &[
    (100.0, 100.0, 0.1),
    (102.0, 100.0, 0.2),
    (104.0, 100.0, 0.3),
];
const FAST: Runs<'_> = &[(10.0, 99.5, 1.0), (11.0, 99.6, 1.1), (12.0, 99.7, 1.2)];
const TIED: Runs<'_> = &[(10.5, 99.5, 2.0), (10.9, 99.5, 2.1), (12.4, 99.5, 2.2)];
const IDLE: Runs<'_> = &[(5.0, 90.0, 3.0), (5.5, 90.5, 3.1), (6.0, 91.0, 3.2)];

#[test]
fn a_short_queue_that_leaves_the_link_idle_does_not_win() {
    let data = data(&[&[
        ("droptail", SLOW),
        ("fast", FAST),
        ("tied", TIED),
        ("idle", IDLE),
    ]]);
    let (text, overall) = answer(&data, "Least queueing delay");
    assert_eq!(
        text,
        "fast, 11.0 ± 2.5 ms. Not significantly different: tied (11.3 ± 2.5 ms). Less delay, \
         but an idle link: idle, 5.5 ± 1.2 ms with 90.5 ± 1.2% utilisation"
    );
    assert_eq!(overall, None);
    assert_eq!(answer(&data, "Least loss").0, "droptail, 0.20 ± 0.25%");
    let (text, _) = answer(&data, "What drop-tail costs");
    assert!(
        text.starts_with("droptail delays packets by 102.0 ± 5.0 ms, 9.3 times as long as fast"),
        "{text}"
    );
}

#[test]
fn equal_schemes_tie_and_a_single_run_proves_nothing() {
    let tie = data(&[&[("one", FAST), ("other", FAST)]]);
    let (text, _) = answer(&tie, "Least loss");
    assert_eq!(text, "no difference: 1.10 ± 0.25% everywhere");
    let single = data(&[&[("one", &FAST[..1]), ("other", &SLOW[..1])]]);
    let (text, _) = answer(&single, "Least queueing delay");
    assert!(
        text.ends_with("in a single run each: the difference may be chance"),
        "{text}"
    );
}

#[test]
fn a_sweep_says_where_the_best_changes_and_no_oftener_than_the_ties_demand() {
    let points: [&[(&str, Runs<'_>)]; 4] = [
        &[("a", FAST), ("b", SLOW), ("c", SLOW)],
        &[("a", TIED), ("b", FAST), ("c", SLOW)],
        &[("a", SLOW), ("b", FAST), ("c", SLOW)],
        &[("a", SLOW), ("b", TIED), ("c", SLOW)],
    ];
    let (_, overall) = answer(&data(&points), "Least queueing delay");
    assert_eq!(
        overall.unwrap(),
        "a at rtt = 1 ms to 2 ms; b at 3 ms to 4 ms"
    );
}

#[test]
fn where_no_scheme_fills_the_link_the_busiest_count() {
    let data = data(&[&[
        ("one", IDLE),
        ("other", &[(9.0, 40.0, 0.0), (9.5, 41.0, 0.0)]),
    ]]);
    let (text, _) = answer(&data, "Least queueing delay");
    assert!(
        text.starts_with("one, ") && text.contains("no scheme keeps the link busy for 99%"),
        "{text}"
    );
}
