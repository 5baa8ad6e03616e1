use super::*;
use crate::figure::{Format, Item, Key, Mark, Path, Scene, Size, file, scene};
use crate::run_report::data::{
    Axis, Cell, Estimate, Scheme, SchemeSummary, Series, SizeSummary, Threshold,
};

fn metric(name: &'static str, unit: &'static str, scale: f64) -> Metric {
    Metric {
        name: name.into(),
        title: name.into(),
        group: None,
        unit,
        scale,
        better: "less",
        meaning: "",
        headline: true,
    }
}

/// Two schemes, two seeds, three points of a sweep, and a time series of each scheme.
fn data() -> Data {
    let scheme = |label: &str| Scheme {
        label: label.to_string(),
        look: crate::figure::scheme_looks(&[label])[0],
        spec: label.to_string(),
        summary: "",
        source: "",
        parameters: Vec::new(),
        curve: Vec::new(),
        thresholds: vec![Threshold {
            name: "min",
            value: 5.0,
            unit: "packets",
        }],
    };
    let mut data = Data {
        link: "uplink".to_string(),
        measured: [1.0, 4.0],
        metrics: vec![
            metric("delay_mean", "ms", 1e3),
            metric("utilisation", "%", 100.0),
        ],
        schemes: vec![scheme("red"), scheme("pie_100%")],
        axes: vec![Axis {
            field: "network.rtt".to_string(),
            title: "network.rtt".to_string(),
            values: ["10 ms", "50 ms", "100 ms"].map(String::from).to_vec(),
            numbers: Some(vec![0.01, 0.05, 0.1]),
            unit: "s",
        }],
        points: vec![vec![0], vec![1], vec![2]],
        ..Data::default()
    };
    for point in 0..3 {
        for scheme in 0..2 {
            let delay = 0.01 * (1 + point + 3 * scheme) as f64;
            let values = |seed: f64| vec![Some(delay + 0.001 * seed), Some(0.9 + 0.01 * seed)];
            for (seed, offset) in [(1, -1.0), (2, 1.0)] {
                let values = values(offset);
                data.cells.push(Cell {
                    cell: data.cells.len(),
                    scheme,
                    point,
                    seed,
                    values,
                });
            }
            let estimate = |mean| {
                Some(Estimate {
                    text: String::new(),
                    mean,
                    half: Some(0.002),
                    best: false,
                    similar: false,
                    moving: false,
                })
            };
            let values = vec![estimate(delay), estimate(0.9)];
            data.summary.push(SchemeSummary {
                scheme,
                point,
                seeds: 2,
                values,
            });
        }
    }
    for scheme in 0..2 {
        data.series.push(Series {
            scheme,
            point: 0,
            seed: 1,
            source: "uplink".to_string(),
            name: "queue".to_string(),
            meaning: "in packets".to_string(),
            interval: 0.5,
            values: vec![0.0, 90.0, 9.0, 8.0, 7.0, 9.0, 8.0, 7.0, 8.0],
        });
    }
    data
}

fn plotted(what: What, choices: &Choices) -> Plot {
    picture(&data(), what, choices).unwrap()
}

fn points(plot: &Plot, wanted: &str) -> Vec<(f64, f64)> {
    let marks = plot.panels.iter().flat_map(|panel| &panel.marks);
    let mut found = marks.filter_map(|mark| match mark {
        Mark::Line { name, points, .. } | Mark::Symbols { name, points, .. } => {
            (name == wanted).then(|| points.clone())
        }
        _ => None,
    });
    found
        .next()
        .unwrap_or_else(|| panic!("no {wanted} in {plot:?}"))
}

fn drawn(plot: &Plot) -> Scene {
    scene(
        plot,
        &Size {
            width: 252.0,
            height: None,
            font: 8.0,
        },
    )
}

fn assert_near(points: &[(f64, f64)], expected: &[(f64, f64)]) {
    assert_eq!(points.len(), expected.len(), "{points:?}");
    for (one, other) in points.iter().zip(expected) {
        let off = (one.0 - other.0).abs() + (one.1 - other.1).abs();
        assert!(off < 1e-9, "{one:?} is not {other:?}");
    }
}

#[test]
fn pictures_show_the_numbers_of_the_data() {
    let scatter = plotted(What::Scatter, &Choices::default());
    assert_near(&points(&scatter, "red"), &[(10.0, 90.0)]);
    assert_near(&points(&scatter, "red, runs"), &[(9.0, 89.0), (11.0, 91.0)]);
    let sweep = plotted(What::Sweep, &Choices::default());
    let expected = [(0.01, 40.0), (0.05, 50.0), (0.1, 60.0)];
    assert_near(&points(&sweep, "pie_100%"), &expected);
    assert_eq!(sweep.x.ticks[1], (0.05, "50 ms".to_string()));
    assert!(sweep.x.is_log, "10, 50 and 100 ms are a geometric series");
    let at = vec![("network.rtt".to_string(), "100ms".to_string())];
    let choices = Choices {
        at,
        ..Choices::default()
    };
    assert_near(
        &points(&plotted(What::Scatter, &choices), "red"),
        &[(30.0, 90.0)],
    );
    let time = plotted(What::Time, &Choices::default());
    assert_eq!(points(&time, "queue")[1], (0.5, 90.0));
}

/// Slowdowns of two groups under both schemes at the first point: k times 2 for transfers up to 10^k
/// bytes.
fn data_with_transfers() -> Data {
    let mut data = data();
    let estimate = |mean| {
        Some(Estimate {
            text: String::new(),
            mean,
            half: Some(0.5),
            best: false,
            similar: false,
            moving: false,
        })
    };
    for (scheme, group, transfers) in [(0, "few", 5), (0, "search", 90), (1, "search", 90)] {
        for up_to in [1e3, 1e5, 1e15] {
            let slowdown = 2.0 * f64::log10(up_to);
            data.sizes.push(SizeSummary {
                scheme,
                point: 0,
                group: group.to_string(),
                up_to,
                transfers,
                is_bound: false,
                slowdown: vec![estimate(1.0), None, estimate(slowdown), None],
            });
        }
    }
    data
}

#[test]
fn slowdowns_by_size_are_of_the_group_with_the_most_transfers() {
    let data = data_with_transfers();
    let plot = picture(&data, What::Sizes, &Choices::default()).unwrap();
    let expected = [(3.0, 6.0), (5.0, 10.0), (8.0, 30.0)];
    assert_near(&points(&plot, "red"), &expected);
    assert_near(&points(&plot, "pie_100%"), &expected);
    let ticks: Vec<&str> = plot.x.ticks.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(ticks, ["1 kB", "100 kB", "more"]);
    assert_eq!(plot.panels[0].y.label, "Slowdown, 99% of search");
    let of = |metric: &str| {
        let metrics = vec![metric.to_string()];
        let choices = Choices {
            metrics,
            ..Choices::default()
        };
        picture(&data, What::Sizes, &choices)
    };
    let median = of("few.slowdown_p50").unwrap();
    assert_eq!(median.legend.len(), 1);
    assert_near(&points(&median, "red")[..1], &[(3.0, 1.0)]);
    let refused = |metric| of(metric).unwrap_err().to_string();
    assert!(refused("slowdown_p90").starts_with("metric `slowdown_p90`: allowed: slowdown_p"));
    assert!(refused("sarch.slowdown_p99").contains("allowed: search, few"));
    assert_eq!(
        refused("slowdown_p95"),
        "the run holds no transfers of search with a slowdown, at network.rtt = 10 ms"
    );
}

#[test]
fn slow_start_does_not_flatten_the_rest() {
    let time = plotted(What::Time, &Choices::default());
    let (_, top) = time.panels[0].y.range;
    assert!(top > 9.0 && top < 12.0, "{top}: slow start reaches 90");
    let levels = time.panels[0].marks.iter();
    let mut levels = levels.filter(|mark| matches!(mark, Mark::Level { .. }));
    let min = Mark::Level {
        at: 5.0,
        name: "min".to_string(),
    };
    assert_eq!(levels.next(), Some(&min));
}

#[test]
fn two_schemes_are_laid_over_each_other_in_the_same_colour() {
    let schemes = vec!["red".to_string(), "pie_100%".to_string()];
    let time = plotted(
        What::Time,
        &Choices {
            schemes,
            ..Choices::default()
        },
    );
    let keys: Vec<Key> = time.legend.iter().map(|(_, key)| *key).collect();
    assert_eq!(keys.len(), 2);
    assert_eq!(keys[0].look, keys[1].look);
    assert_ne!(keys[0].dashes, keys[1].dashes);
}

#[test]
fn marks_lie_where_their_values_are() {
    let sweep = plotted(What::Sweep, &Choices::default());
    let picture = drawn(&sweep);
    let paths = picture.items.iter().filter_map(|item| match item {
        Item::Path(Path {
            points,
            stroke: Some(_),
            is_closed: false,
            ..
        }) => Some(points),
        _ => None,
    });
    // The curve of three points is the only path of three corners but the axes.
    let lines: Vec<_> = paths.filter(|points| points.len() == 3).collect();
    let red = lines[0];
    // 10, 20 and 30 ms are equally far apart; on a logarithmic axis 10 to 50 ms is farther than 50
    // to 100 ms.
    assert!(
        ((red[0].1 - red[1].1) - (red[1].1 - red[2].1)).abs() < 1e-6,
        "{red:?}"
    );
    assert!(red[1].0 - red[0].0 > 2.0 * (red[2].0 - red[1].0), "{red:?}");
    assert!(
        red.iter()
            .all(|(x, y)| (0.0..=252.0).contains(x) && *y > 0.0 && *y < picture.height)
    );
}

#[test]
fn unknown_names_are_refused_with_those_that_are_known() {
    let refuse = |what, choices: Choices| picture(&data(), what, &choices).unwrap_err().to_string();
    let schemes = vec!["rde".to_string()];
    let error = refuse(
        What::Scatter,
        Choices {
            schemes,
            ..Choices::default()
        },
    );
    assert_eq!(error, "scheme `rde`: allowed: red, pie_100%");
    let metrics = vec!["delay".to_string()];
    let error = refuse(
        What::Sweep,
        Choices {
            metrics,
            ..Choices::default()
        },
    );
    assert!(
        error.starts_with("metric `delay`: allowed: delay_mean"),
        "{error}"
    );
    let at = vec![("network.rtt".to_string(), "7 ms".to_string())];
    let error = refuse(
        What::Scatter,
        Choices {
            at,
            ..Choices::default()
        },
    );
    assert_eq!(error, "value `7 ms`: allowed: 10 ms, 50 ms, 100 ms");
}

#[test]
fn svg_is_well_formed_and_its_text_is_text() {
    let title = "50% <b> & more".to_string();
    let plot = plotted(
        What::Scatter,
        &Choices {
            title,
            ..Choices::default()
        },
    );
    let svg = String::from_utf8(file(&drawn(&plot), Format::Svg)).unwrap();
    assert!(
        svg.starts_with(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"figure\" width=\"252pt\""
        )
    );
    assert!(svg.contains("<title id=\"title\">50% &lt;b&gt; &amp; more</title>"));
    assert!(svg.contains(">Delay_mean (ms)</text>") && svg.contains(">pie_100%</text>"));
    // Elements are closed in the order in which they were opened.
    let mut open: Vec<&str> = Vec::new();
    for tag in svg.split('<').skip(1) {
        let name = tag.split([' ', '>', '/']).next().unwrap();
        match (
            tag.strip_prefix('/'),
            tag.split_once('>').unwrap().0.ends_with('/'),
        ) {
            (Some(end), _) => assert_eq!(open.pop(), end.split('>').next()),
            (None, true) => {}
            (None, false) => open.push(name),
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn a_pdfs_table_of_objects_points_at_them() {
    let plot = plotted(What::Sweep, &Choices::default());
    let pdf = file(&drawn(&plot), Format::Pdf);
    let find = |text: &str| {
        let mut places = pdf.windows(text.len());
        places
            .rposition(|place| place == text.as_bytes())
            .unwrap_or_else(|| panic!("no {text}"))
    };
    // The number that follows a text, and its end.
    let number = |text: &str| -> usize {
        let digits = pdf[find(text) + text.len()..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit());
        String::from_utf8(digits.copied().collect())
            .unwrap()
            .parse()
            .unwrap()
    };
    let table = number("startxref\n");
    let head = "xref\n0 7\n";
    assert!(pdf[table..].starts_with(head.as_bytes()));
    // Each entry has 20 bytes; the first is of no object.
    let entries = pdf[table + head.len()..].chunks(20).skip(1).take(6);
    for (index, entry) in entries.enumerate() {
        let offset: usize = std::str::from_utf8(&entry[..10]).unwrap().parse().unwrap();
        assert!(pdf[offset..].starts_with(format!("{} 0 obj\n", index + 1).as_bytes()));
        assert!(entry.ends_with(b" n \n"));
    }
    let begin = find(" >>\nstream\n") + " >>\nstream\n".len();
    assert!(pdf[begin + number("/Length ")..].starts_with(b"\nendstream"));
    let text: String = pdf.iter().map(|byte| char::from(*byte)).collect();
    assert!(text.contains("(Delay_mean \\(ms\\)) Tj") && text.contains("(pie_100%) Tj"));
}

#[test]
fn pgf_escapes_what_tex_would_take_for_commands() {
    let plot = plotted(What::Scatter, &Choices::default());
    let pgf = String::from_utf8(file(&drawn(&plot), Format::Pgf)).unwrap();
    assert!(pgf.contains("pie\\_100\\%}") && pgf.contains("Delay\\_mean (ms)}"));
    for (begin, end) in [
        ("\\begin{pgfpicture}", "\\end{pgfpicture}"),
        ("\\begin{pgfscope}", "\\end{pgfscope}"),
    ] {
        assert_eq!(pgf.matches(begin).count(), pgf.matches(end).count());
    }
    let unescaped = pgf.replace("\\{", "").replace("\\}", "");
    assert_eq!(
        unescaped.matches('{').count(),
        unescaped.matches('}').count()
    );
}

/// The marks of a page's picture with the places that are left of them, as pairs.
fn lines(picture: &serde_json::Value) -> Vec<(String, Vec<(f64, f64)>)> {
    let marks = picture["panels"][0]["marks"].as_array().unwrap().iter();
    let lines = marks.filter(|mark| mark["kind"] == "line");
    lines
        .map(|mark| {
            let points = serde_json::from_value(mark["points"].clone()).unwrap();
            (mark["name"].as_str().unwrap().to_string(), points)
        })
        .collect()
}

#[test]
fn a_page_has_the_lines_and_axes_of_paper_for_each_metric_and_distribution() {
    let mut data = data();
    data.distributions = vec![crate::run_report::data::Distribution {
        scheme: 1,
        point: 2,
        what: "time in the queue",
        quantiles: vec![[0.5, 0.01], [0.9, 0.3], [1.0, 0.4]],
    }];
    let pages = serde_json::to_value(PagePictures(&data)).unwrap();
    let sweeps = pages["sweeps"].as_array().unwrap();
    assert_eq!(sweeps.len(), data.metrics.len());
    let paper = plotted(What::Sweep, &Choices::default());
    let page = &sweeps[0]["picture"];
    assert_eq!(
        sweeps[0]["points"],
        serde_json::json!([[0, 0.01], [1, 0.05], [2, 0.1]])
    );
    for (name, found) in lines(page) {
        assert_near(&points(&paper, &name), &found);
    }
    assert_eq!(lines(page).len(), 2);
    assert_eq!(page["x"]["label"], paper.x.label.as_str());
    assert_eq!(page["x"]["is_log"], true);
    assert_eq!(page["x"]["ticks"][1], serde_json::json!([0.05, "50 ms"]));
    assert_eq!(page["legend"][1]["look"], data.schemes[1].look);

    let distributions = pages["distributions"].as_array().unwrap();
    assert_eq!(distributions.len(), 1);
    assert_eq!(distributions[0]["point"], 2);
    let tail = &distributions[0]["tail"];
    assert_eq!(tail["panels"][0]["y"]["is_log"], true);
    assert_eq!(tail["x"]["label"], "Time in the queue (ms)");
    let expected = [(10.0, 0.5), (300.0, 0.1)];
    assert_near(&expected, &lines(tail)[0].1);
    assert_eq!(
        distributions[0]["whole"]["panels"][0]["y"]["ends"],
        serde_json::json!([0.0, 1.0])
    );
}

#[test]
fn values_that_are_names_stand_apart_from_the_ends_of_a_pages_axis() {
    let mut data = data();
    data.axes[0].numbers = None;
    let sweep = picture(&data, What::Sweep, &Choices::default()).unwrap();
    assert_eq!(sweep.x.range, (0.0, 2.0));
    let pages = serde_json::to_value(PagePictures(&data)).unwrap();
    assert_eq!(
        pages["sweeps"][0]["picture"]["x"]["ends"],
        serde_json::json!([-0.5, 2.5])
    );
    assert_eq!(sweep.x.ticks[2], (2.0, "100 ms".to_string()));
}

#[test]
fn axes_of_rows_have_zero_and_leave_out_what_is_far_from_all_others() {
    use crate::run_report::data::{Baseline, Difference, DifferenceSummary};
    let mut data = data();
    let row = |(scheme, mean): (usize, f64)| DifferenceSummary {
        scheme,
        point: 0,
        values: vec![Some(Difference {
            text: String::new(),
            share_text: None,
            mean,
            half: Some(0.001),
            share: None,
            significant: true,
        })],
    };
    let means = [0.12, 0.002, -0.004, 0.001, 0.003, -0.002];
    let baseline = Baseline {
        scheme: 0,
        significance: "",
        metrics: vec![0],
        rows: means.into_iter().enumerate().map(row).collect(),
    };
    data.baseline = Some(baseline);
    let pages = serde_json::to_value(PagePictures(&data)).unwrap();
    let axis = &pages["points"][0]["differences"][0];
    assert_eq!(axis["label"], "Difference in delay_mean (ms)");
    assert_eq!(axis["ends"], serde_json::json!([-7.5, 5.0]));
    assert_eq!(axis["ticks"][1], serde_json::json!([0.0, "0"]));
    let flows = &pages["points"][0]["flows"][2];
    assert_eq!(flows["label"], "Loss (%)");
    assert_eq!(flows["ends"][0], 0.0);
}

#[test]
fn drop_curves_are_drawn_below_their_step_to_1_as_well() {
    let mut data = data();
    data.schemes[1].curve = vec![
        [0.0, 0.0],
        [5.0, 0.0],
        [15.0, 0.1],
        [15.0, 1.0],
        [20.0, 1.0],
    ];
    let pages = serde_json::to_value(PagePictures(&data)).unwrap();
    let ends = |index: usize| pages["curves"][index]["panels"][0]["y"]["ends"].clone();
    assert_eq!(ends(0), serde_json::json!([0.0, 1.0]));
    assert_eq!(ends(1), serde_json::json!([0.0, 0.125]));
    assert_eq!(lines(&pages["curves"][1])[0].1.len(), 5);
    // A curve without a step has one picture.
    data.schemes[1].curve.truncate(3);
    let pages = serde_json::to_value(PagePictures(&data)).unwrap();
    assert!(pages["curves"][1].is_null());
}

#[test]
fn a_scatter_names_the_metric_that_was_not_measured() {
    let refused = |data: &Data| {
        let metrics = ["slowdown", "utilisation"].map(String::from).to_vec();
        let choices = Choices {
            metrics,
            ..Choices::default()
        };
        picture(data, What::Scatter, &choices)
            .unwrap_err()
            .to_string()
    };
    let mut data = data();
    data.metrics[0] = Metric {
        meaning: "the time over that in an empty network",
        ..metric("slowdown", "", 1.0)
    };
    data.summary.iter_mut().for_each(|row| row.values[0] = None);
    assert_eq!(
        refused(&data),
        "the run holds no values of slowdown (the time over that in an empty network), at \
         network.rtt = 10 ms; it holds utilisation"
    );
    data.summary.iter_mut().for_each(|row| row.values[1] = None);
    let both = refused(&data);
    assert!(both.contains("no values of slowdown (the time"), "{both}");
    assert!(both.contains("and no values of utilisation ()"), "{both}");
}
