use earlydrop_lab::metrics::METRICS;
use earlydrop_lab::plan::{Source, TraceFiles};
use earlydrop_lab::statistics::Class;

use super::*;

/// The values of a scheme's runs: mean delay in ms, utilisation in %, and loss in %.
type Runs<'a> = &'a [(f64, f64, f64)];

/// A plan of schemes with these labels and flows, swept over as many round trips.
fn plan(labels: &[&str], flows: &str, points: usize, seeds: usize) -> Plan {
    let schemes = labels.iter().enumerate().map(|(index, label)| {
        let spec = if *label == "droptail" {
            "droptail"
        } else {
            "red"
        };
        format!("\"{label}\" = \"{spec}:limit={}\"\n", 100 + index)
    });
    let schemes: String = schemes.collect();
    let rtts: Vec<String> = (1..=points).map(|rtt| format!("\"{rtt} ms\"")).collect();
    let sweep = match points {
        1 => String::new(),
        _ => format!("[sweep]\n\"network.rtt\" = [{}]\n", rtts.join(", ")),
    };
    let text = format!("seeds = {seeds}\n{flows}\n[schemes]\n{schemes}{sweep}");
    let source = Source::new("s.toml", &text, TraceFiles::default()).unwrap();
    source
        .plan()
        .unwrap_or_else(|problems| panic!("{problems}\n{text}"))
}

/// Metrics by name.
type Values<'a> = &'a [(&'a str, f64)];

/// The outcome of a run whose metrics are `link`, and of whose groups these are.
fn outcome(link: Values<'_>, groups: &[(&str, usize, Values<'_>)]) -> Outcome {
    let value = |known: Values<'_>, name: &str| {
        let found = known.iter().find(|(metric, _)| *metric == name);
        found.map(|(_, value)| *value)
    };
    let of_group = |(name, flows, known): &(&str, usize, Values<'_>)| {
        let values = metrics::of_groups().map(|metric| value(known, metric.name));
        (name.to_string(), *flows, values.collect())
    };
    Outcome {
        values: METRICS
            .iter()
            .map(|metric| value(link, metric.name))
            .collect(),
        groups: groups.iter().map(of_group).collect(),
        ..Outcome::default()
    }
}

/// Fabrics are asked what transfers feel, not what one host's port carried.
#[test]
fn a_fabric_is_not_asked_about_one_port() {
    let flows = "network = { shape = \"leaf-spine\" }\n\
        flows.a = { kind = \"arrivals\", sizes = \"rpc\", load = 0.5, at_most = 7 }";
    let plan = plan(&["droptail", "red"], flows, 1, 2);
    let span = plan
        .scenario()
        .duration
        .since(plan.scenario().warm_up)
        .as_secs_f64();
    let summary = summary(&plan, |cell| {
        let worse = cell.scheme as f64;
        let link = [
            ("delay_mean", 0.01),
            ("utilisation", 1.0),
            ("loss", 0.1 + worse),
        ];
        let group = [
            ("slowdown_p50", 2.0 + worse),
            ("slowdown_p99", 9.0 + worse),
            ("started", 30.0 / span),
            ("left_out", 10.0 * worse / span),
        ];
        outcome(&link, &[("a", 1, &group)])
    });
    let answers = answers(&plan, &summary);
    let of = |question: &str| {
        let found = answers
            .iter()
            .find(|answer| answer.question.contains(question));
        found.and_then(|answer| answer.at[0].clone())
    };
    assert_eq!(of("The link"), None);
    assert!(of("All traffic: least loss").is_some());
    assert!(of("a: slowdown, 99%").is_some(), "{answers:?}");
    let left_out = of("left out").unwrap();
    assert_eq!(
        left_out,
        "20 of 80 in all runs under red (25%); their load was not offered"
    );
}

fn summary(plan: &Plan, of: impl Fn(Cell) -> Outcome) -> Summary {
    let cells = (0..plan.cell_count()).filter_map(|number| plan.cell(number));
    let outcomes: Vec<(Cell, Outcome)> = cells.map(|cell| (cell, of(cell))).collect();
    Summary::of(plan, Rows::of_outcomes(plan, &outcomes))
}

/// The answers of schemes with these runs at each point.
fn of_link(points: &[&[(&str, Runs<'_>)]]) -> Vec<Answer> {
    let labels: Vec<&str> = points[0].iter().map(|(label, _)| *label).collect();
    let plan = plan(
        &labels,
        "flows.a.count = 2",
        points.len(),
        points[0][0].1.len(),
    );
    let summary = summary(&plan, |cell| {
        let (delay, busy, loss) = points[cell.point][cell.scheme].1[cell.seed];
        let link = [
            ("delay_mean", delay / 1e3),
            ("utilisation", busy / 1e2),
            ("loss", loss / 1e2),
            ("goodput", busy * 1e5),
        ];
        outcome(&link, &[])
    });
    answers(&plan, &summary)
}

/// The answer at the first point, and that of the sweep.
fn answer(answers: &[Answer], question: &str) -> (String, Option<String>) {
    let found = answers
        .iter()
        .find(|answer| answer.question.starts_with(question));
    let found = found.unwrap_or_else(|| panic!("no {question}"));
    (found.at[0].clone().unwrap(), found.overall.clone())
}

const SLOW: Runs<'_> = &[
    (100.0, 100.0, 0.1),
    (102.0, 100.0, 0.2),
    (104.0, 100.0, 0.3),
];
const FAST: Runs<'_> = &[(10.0, 99.5, 1.0), (11.0, 99.6, 1.1), (12.0, 99.7, 1.2)];
const TIED: Runs<'_> = &[(10.5, 99.5, 2.0), (10.9, 99.5, 2.1), (12.4, 99.5, 2.2)];
const HALF: Runs<'_> = &[(0.5, 50.0, 0.1), (0.4, 51.0, 0.2), (0.6, 49.0, 0.3)];
const IDLE: Runs<'_> = &[(5.0, 90.0, 3.0), (5.5, 90.5, 3.1), (6.0, 91.0, 3.2)];

#[test]
fn a_short_queue_that_leaves_the_link_idle_does_not_win() {
    let answers = of_link(&[&[
        ("droptail", SLOW),
        ("fast", FAST),
        ("tied", TIED),
        ("idle", IDLE),
    ]]);
    let (text, overall) = answer(&answers, "The link: least queueing delay");
    assert_eq!(
        text,
        "fast, 11.0 ± 2.5 ms; worst: droptail, 102.0 ± 5.0 ms. Not significantly different: \
         tied (11.3 ± 2.5 ms). Less delay, but the link is not full: idle, 5.5 ± 1.2 ms with \
         90.5 ± 1.2% utilisation"
    );
    assert_eq!(overall, None);
    let (text, _) = answer(&answers, "The link: least loss");
    assert!(
        text.starts_with("droptail, 0.20 ± 0.25%; worst: idle"),
        "{text}"
    );
    let (text, _) = answer(&answers, "The link: what drop-tail costs");
    assert!(
        text.starts_with("droptail delays packets by 102.0 ± 5.0 ms, 9.3 times as long as fast"),
        "{text}"
    );
}

#[test]
fn equal_schemes_tie_and_a_single_run_proves_nothing() {
    let tie = of_link(&[&[("one", FAST), ("other", FAST)]]);
    let (text, _) = answer(&tie, "The link: least loss");
    assert_eq!(text, "no difference: 1.10 ± 0.25% everywhere");
    let single = of_link(&[&[("one", &FAST[..1]), ("other", &SLOW[..1])]]);
    let (text, _) = answer(&single, "The link: least queueing delay");
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
    let (_, overall) = answer(&of_link(&points), "The link: least queueing delay");
    assert_eq!(
        overall.unwrap(),
        "a at network.rtt = 1 ms to 2 ms; b at 3 ms to 4 ms"
    );
}

#[test]
fn a_sweep_is_not_said_to_have_one_best_where_some_points_have_none() {
    let points: [&[(&str, Runs<'_>)]; 4] = [
        &[("a", FAST), ("b", SLOW)],
        &[("a", HALF), ("b", HALF)],
        &[("a", FAST), ("b", TIED)],
        &[("a", IDLE), ("b", HALF)],
    ];
    let (_, overall) = answer(&of_link(&points), "The link: least queueing delay");
    assert_eq!(
        overall.unwrap(),
        "a at network.rtt = 1 ms; a or b at 3 ms; no significant difference at 1 of 4; \
         no answer at 2 of 4"
    );
    let (_, overall) = answer(&of_link(&[points[0]; 2]), "The link: least queueing delay");
    assert_eq!(overall.unwrap(), "a at every network.rtt");
}

#[test]
fn where_no_scheme_fills_the_link_the_busiest_count() {
    let answers = of_link(&[&[
        ("one", IDLE),
        (
            "other",
            &[(9.0, 40.0, 0.0), (9.5, 41.0, 0.0), (9.7, 41.0, 0.0)],
        ),
    ]]);
    let (text, _) = answer(&answers, "The link: least queueing delay");
    assert!(
        text.starts_with("none fills it; one keeps it busiest, for 90.5 ± 1.2%, with 5.5 ± 1.2 ms"),
        "{text}"
    );
    let (text, _) = answer(
        &of_link(&[&[("one", IDLE), ("other", IDLE)]]),
        "The link: least queueing delay",
    );
    assert!(
        text.contains("(no scheme keeps the link busy for 99%"),
        "{text}"
    );
}

#[test]
fn a_link_that_is_idle_half_of_the_time_is_not_asked_what_its_queue_costs() {
    let answers = of_link(&[&[("droptail", HALF), ("other", HALF)]]);
    let questions: Vec<&str> = answers.iter().map(|one| one.question.as_str()).collect();
    assert_eq!(questions, ["The link: least loss"]);
}

/// A scheme whose mean delay is longer, and whose calls are served better.
#[test]
fn what_a_call_feels_comes_before_the_mean_delay_of_all_packets() {
    let flows = "flows.bulk.count = 10\nflows.calls = { kind = \"voice\", count = 4 }";
    let plan = plan(&["clred", "fq"], flows, 1, 3);
    let summary = summary(&plan, |cell| {
        let noise = 1e-4 * cell.seed as f64;
        let (mean, call) = [(0.011, 0.060), (0.025, 0.026)][cell.scheme];
        let link = [("delay_mean", mean + noise), ("utilisation", 1.0)];
        let calls: Values<'_> = &[("end_to_end_p99", call + noise)];
        outcome(&link, &[("calls", 4, calls)])
    });
    let answers = answers(&plan, &summary);
    let questions: Vec<&str> = answers.iter().map(|one| one.question.as_str()).collect();
    assert_eq!(
        questions,
        [
            "calls: end-to-end delay, 99%",
            "The link: least queueing delay while it is full"
        ]
    );
    let (text, _) = answer(&answers, "calls");
    assert_eq!(text, "fq, 26.10 ± 0.25 ms; worst: clred, 60.10 ± 0.25 ms");
}

/// Of three schemes, the best for calls is bad for bulk, and the best for bulk for calls.
#[test]
fn a_scheme_that_serves_every_group_is_named_and_where_there_is_none_the_nearest() {
    let flows = "flows.bulk.count = 10\nflows.calls = { kind = \"voice\", count = 4 }";
    let plan = plan(&["calls-first", "bulk-first", "both"], flows, 1, 3);
    let serving = |both: (f64, f64)| {
        let summary = summary(&plan, |cell| {
            let noise = 1e-6 * cell.seed as f64;
            let (call, goodput) = [(0.020, 5e6), (0.100, 10e6), both][cell.scheme];
            let calls: Values<'_> = &[("end_to_end_p99", call + noise)];
            let bulk: Values<'_> = &[("goodput", goodput)];
            outcome(&[], &[("calls", 4, calls), ("bulk", 10, bulk)])
        });
        answer(
            &answers(&plan, &summary),
            "Best for every group, or within 5% of it",
        )
        .0
    };
    assert_eq!(
        serving((0.0205, 9.9e6)),
        "both (calls end-to-end delay, 99%: 20.50 ± 0.01 ms; bulk goodput: 9.9 Mbps)"
    );
    assert_eq!(
        serving((0.024, 9.9e6)),
        "none; both is nearest, 20% off the best in calls end-to-end delay, 99% (24.00 ± 0.01 ms; calls-first 20.00 ± 0.01 ms)"
    );
}

/// Two means within 5% of each other say little where single runs differ by 20%, and nothing where
/// there is one run of each.
#[test]
fn fewer_seeds_never_make_a_scheme_the_best_for_every_group() {
    let flows = "flows.bulk.count = 10\nflows.calls = { kind = \"voice\", count = 4 }";
    let with_seeds = |seeds: usize, noise: [f64; 4]| {
        let plan = plan(&["one", "other"], flows, 1, seeds);
        let summary = summary(&plan, |cell| {
            let noise = noise[cell.seed % 4];
            let call = [0.0200, 0.0202 + 0.0202 * noise][cell.scheme];
            let calls: Values<'_> = &[("end_to_end_p99", call)];
            let bulk: Values<'_> = &[("goodput", 1e7)];
            outcome(&[], &[("calls", 4, calls), ("bulk", 10, bulk)])
        });
        answer(&answers(&plan, &summary), "Best for every group").0
    };
    let (calm, noisy) = ([0.0, 0.001, -0.001, 0.0], [0.2, -0.2, 0.1, -0.1]);
    assert_eq!(
        with_seeds(8, calm),
        "one (calls end-to-end delay, 99%: 20 ms; bulk goodput: 10 Mbps) and other (calls end-to-end \
         delay, 99%: 20.20 ± 0.01 ms; bulk goodput: 10 Mbps)"
    );
    let text = with_seeds(8, noisy);
    assert!(text.starts_with("undecided: one (calls"), "{text}");
    assert!(
        text.contains("with these seeds, it may be 13% behind other in calls"),
        "{text}"
    );
    let text = with_seeds(1, calm);
    assert!(text.starts_with("undecided: one"), "{text}");
    assert!(
        text.ends_with("by the means; in a single run each, the difference may be chance"),
        "{text}"
    );
}

/// Serving all but one flow well is not serving every group.
#[test]
fn a_scheme_under_which_somebody_starves_serves_nobody() {
    let flows = "flows.bulk.count = 10\nflows.calls = { kind = \"voice\", count = 4 }";
    let plan = plan(&["cruel", "kind"], flows, 1, 3);
    let summary = summary(&plan, |cell| {
        let (call, least) = [(0.020, 0.1), (0.040, 0.9)][cell.scheme];
        let calls: Values<'_> = &[("end_to_end_p99", call + 1e-6 * cell.seed as f64)];
        let bulk: Values<'_> = &[("goodput", 1e7), ("least_share", least)];
        outcome(&[], &[("calls", 4, calls), ("bulk", 10, bulk)])
    });
    let (text, _) = answer(&answers(&plan, &summary), "Best for every group");
    assert!(
        text.starts_with("none; kind is nearest, 100% off"),
        "{text}"
    );
}

#[test]
fn drop_tail_is_compared_with_what_carries_as_much() {
    let tenth: Runs<'_> = &[(1.0, 90.0, 0.0), (1.1, 90.5, 0.0), (1.2, 91.0, 0.0)];
    let answers = of_link(&[&[("droptail", SLOW), ("fast", FAST), ("idle", tenth)]]);
    let (text, _) = answer(&answers, "The link: what drop-tail costs");
    assert!(
        text.contains("9.3 times as long as fast, the fastest of those that carry 99% as much"),
        "{text}"
    );
    let (text, _) = answer(
        &of_link(&[&[("droptail", SLOW), ("idle", tenth)]]),
        "The link: least queueing delay",
    );
    assert!(
        text.starts_with("only droptail fills it, with 102.0 ± 5.0 ms"),
        "{text}"
    );
}

#[test]
fn who_starves_is_the_first_answer_and_shares_are_ratios() {
    let flows = "flows.classic.count = 1\nflows.l4s.count = 1\nwarm_up = \"10 s\"";
    let flows = format!("{}\n{flows}", "duration = \"40 s\"");
    let plan = plan(&["single", "dual"], &flows, 1, 3);
    let summary = summary(&plan, |cell| {
        let noise = 1e4 * cell.seed as f64;
        let (classic, l4s) = [(4e6, 36e6), (19e6, 21e6)][cell.scheme];
        let classic: Values<'_> = &[("goodput", classic + noise)];
        let l4s: Values<'_> = &[("goodput", l4s - noise)];
        outcome(&[], &[("classic", 1, classic), ("l4s", 1, l4s)])
    });
    let answers = answers(&plan, &summary);
    assert_eq!(answers[0].question, "Who starves");
    let (text, _) = answer(&answers, "Who starves");
    assert!(text.starts_with("classic under single (20.05 ± "), "{text}");
    let (text, _) = answer(&answers, "classic beside l4s");
    assert!(
        text.starts_with(
            "most equal under dual, 0.906 (0.903 to 0.908); least under single, 0.111"
        ),
        "{text}"
    );
}

/// Of pages under one scheme 3% have not ended: what they take longer than is no reason to call it
/// the best.
#[test]
fn a_quantile_that_too_few_have_reached_is_at_least_that() {
    let pages = "flows.pages = { kind = \"pages\", count = 4 }";
    let plan = plan(&["starving", "serving"], pages, 1, 3);
    let summary = |slow: f64, unfinished: f64| {
        summary(&plan, |cell| {
            let noise = 1e-3 * cell.seed as f64;
            let (time, unfinished) = [(slow, unfinished), (1.2, 0.0)][cell.scheme];
            let pages: Values<'_> = &[
                ("completion_p99", time + noise),
                ("completion_known", 1.0 - unfinished),
                ("unfinished", unfinished),
            ];
            outcome(&[], &[("pages", 4, pages)])
        })
    };
    let of = |slow, unfinished, question| {
        answer(&answers(&plan, &summary(slow, unfinished)), question).0
    };
    let time = "pages: completion time, 99%";
    assert_eq!(
        of(1.1, 0.03, time),
        "undecided, too few have ended: starving, ≥ 1.101 ± 0.002 s"
    );
    assert_eq!(
        of(1.9, 0.03, time),
        "serving, 1.201 ± 0.002 s; worst: starving, ≥ 1.901 ± 0.002 s"
    );
    assert_eq!(
        of(1.1, 0.03, "pages: unfinished"),
        "serving, 0%; worst: starving, 3%"
    );
    // With 0.5% going on, 99% are known.
    assert!(of(1.1, 0.005, time).starts_with("starving, 1.101 ± 0.002 s; worst: serving"));
    let ranked = summary(1.1, 0.03);
    let index = metrics::index_of_group("completion_p99").unwrap();
    let entries = ranked.groups.iter().filter_map(|row| row.values[index]);
    let classes: Vec<_> = entries.map(|entry| (entry.standing, entry.class)).collect();
    assert_eq!(classes, [(None, Some(Class::Undecided)); 2]);
}
