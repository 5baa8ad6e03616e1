//! `earlydrop configure` as a user runs it.

use std::fs;

use earlydrop_model::methods::METHODS;

use crate::support::User;

const LINK: [&str; 7] = [
    "configure",
    "--link",
    "100Mbps",
    "--rtt",
    "50ms",
    "--flows",
    "150",
];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&LINK[..], more].concat()
}

#[test]
fn it_prints_parameters_prediction_and_validity() {
    let user = User::new();
    let shown = user.runs(&LINK).well().out;
    let spec = shown
        .lines()
        .find(|line| line.trim().starts_with("red:min="))
        .unwrap();
    for words in [
        "150 CUBIC flows on 100 Mbps over 50 ms",
        "expect",
        "validity",
        "stability",
        "loop",
        "capacity",
        "signals of red",
        "the flows just fill the link",
        "balance",
    ] {
        assert!(shown.contains(words), "{words} in\n{shown}");
    }
    let help = user.runs(&["configure", "--help"]).well().out;
    for method in METHODS {
        let row = format!("\n{} ", method.name);
        assert!(shown.contains(&row), "{row} in\n{shown}");
        assert!(help.contains(method.name), "{} in\n{help}", method.name);
    }
    assert!(shown.lines().all(|line| line.chars().count() <= 100));
    // The chosen spec is accepted as it is.
    let checked = user.runs(&["schemes", spec.trim(), "--link", "100Mbps"]);
    assert_eq!(checked.code, Some(0), "{}", checked.err);
}

#[test]
fn json_is_complete_and_the_snippet_is_a_scenario() {
    let user = User::new();
    let found = user
        .runs(&with(&[
            "--goal",
            "delay=8ms",
            "--json",
            "--loss",
            "4%",
            "--no-simulation",
        ]))
        .well()
        .json();
    let chosen = &found["choices"][0];
    let delay = chosen["expected"]["delay"].as_f64().unwrap();
    assert!((delay / 0.008 - 1.0).abs() < 0.05, "{delay}");
    assert_eq!(
        found["choices"].as_array().unwrap().len(),
        1 + METHODS.len()
    );
    assert!(found["open_loop"]["rho"].as_f64().unwrap() > 0.0);
    assert_eq!(chosen["stability"]["verdict"], "stable");
    let text = user
        .runs(&with(&[
            "--goal",
            "delay=8ms",
            "--paste",
            "earlydrop",
            "--no-simulation",
        ]))
        .well()
        .out;
    assert_eq!(found["paste"]["earlydrop"], text.as_str());
    user.writes("chosen.toml", &text);
    user.runs(&["check", "chosen.toml"]).well();
}

#[test]
fn the_page_is_self_contained() {
    let user = User::new();
    let shown = user
        .runs(&with(&["--html", "page.html", "--ecn", "on"]))
        .well()
        .out;
    assert!(shown.contains("page: page.html"));
    let page = fs::read_to_string(user.path("page.html")).unwrap();
    assert_eq!(page.matches("<svg").count(), 4);
    for words in [
        "<title>150 CUBIC flows with ECN",
        "floyd-2001",
        "To paste",
        "marked",
    ] {
        assert!(page.contains(words), "{words}");
    }
    assert!(!page.contains("<script") && !page.contains("http://") && !page.contains("https://"));
    assert!(!page.contains("NaN") && !page.contains("inf\""));
}

/// The first setting of Chandrayana et al.
const PAPER: [&str; 13] = [
    "configure",
    "--link",
    "20Mbps",
    "--rtt",
    "52ms",
    "--flows",
    "48",
    "--packet",
    "1000 bytes",
    "--tcp",
    "reno",
    "--buffer",
    "200 packets",
];

fn paper<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&PAPER[..], more].concat()
}

#[test]
fn given_thresholds_are_drawn_and_judged() {
    let user = User::new();
    let given = ["--scheme", "red:min=40,max=120,max_p=0.1,weight=0.002"];
    let shown = user.runs(&paper(&given)).well().out;
    for words in ["min 40", "max 120", "target 32 ms (80 packets)"] {
        assert!(shown.contains(words), "{words} in\n{shown}");
    }
    assert!(!shown.contains("up to 0 flows"), "{shown}");
    let row = |method: &str| {
        let mut lines = shown.lines().filter(|line| line.starts_with(method));
        let words = lines.next().unwrap().split_whitespace();
        words.map(String::from).collect::<Vec<_>>()
    };
    assert_eq!(row("given")[1..5], ["40", "120", "0.1", "0.002"]);
    assert_eq!(row("paper")[1..5], ["60", "180", "0.1", "0.002"]);
    // DSRED has no max_p, and so none that adapts.
    let dsred = user
        .runs(&paper(&["--scheme", "dsred:min=40,max=120"]))
        .well()
        .out;
    let line = dsred
        .lines()
        .find(|line| line.starts_with("given"))
        .unwrap();
    assert!(line.starts_with("given       40   120  -  "), "{line}");
    // Each row's figures are those of its own thresholds.
    assert_ne!(row("given")[5..7], row("paper")[5..7]);
    let found = user
        .runs(&paper(&[&given[..], &["--json"]].concat()))
        .well()
        .json();
    for choice in found["choices"].as_array().unwrap() {
        let min = choice["thresholds"]["min"].as_f64().unwrap();
        let spec = choice["spec"].as_str().unwrap();
        let is_in_bytes = spec.contains(" bytes");
        let text = format!("min={min},");
        assert!(is_in_bytes || spec.contains(&text), "{text} in {spec}");
    }
    // Every method is simulated: the shorter its thresholds, the shorter its queue.
    let delay = |method: &str| {
        let mut choices = found["choices"].as_array().unwrap().iter();
        let choice = choices.find(|choice| choice["method"] == method).unwrap();
        choice["measured"]["delay"]["mean"].as_f64().unwrap()
    };
    assert_eq!(
        found["measured"]["delay"]["mean"].as_f64(),
        Some(delay("given"))
    );
    assert!(delay("floyd-1997") < delay("given") && delay("given") < delay("paper"));
    assert!(shown.contains("\nsimulated   min "), "{shown}");
    let model = user.runs(&paper(&["--no-simulation"])).well().out;
    assert!(model.contains("\npredicted   min "), "{model}");
}

#[test]
fn the_method_of_the_paper_can_be_pasted_with_its_inputs() {
    let user = User::new();
    let pasted = |more: &[&str]| {
        let method = ["--method", "paper", "--paste", "earlydrop"];
        user.runs(&paper(&[&method[..], more].concat())).well().out
    };
    assert!(pasted(&[]).contains("red:min=60,max=180,max_p=0.1,weight=0.002"));
    // g(x) and the loss are printed; T_O is about four RTTs.
    let inputs = [
        "--loss",
        "5.72%",
        "--windows",
        "normal:4,4,8",
        "--timeout",
        "210.4ms",
    ];
    assert!(pasted(&inputs).contains("red:min=40,max=119,max_p=0.1,weight=0.002"));
    let found = user
        .runs(&paper(&[&inputs[..], &["--json"]].concat()))
        .well()
        .json();
    let mean = found["open_loop"]["mean_queue"].as_f64().unwrap();
    assert!((mean / 79.54 - 1.0).abs() < 0.01, "{mean}");
    assert_eq!(found["load"]["timeout"], 0.2104);
    let shown = user.runs(&paper(&inputs)).well().out;
    assert!(shown.contains("windows of 4 packets"), "{shown}");
}

#[test]
fn advice_is_simulated_before_it_is_given() {
    let user = User::new();
    let small = [
        "configure",
        "--link",
        "5Mbps",
        "--rtt",
        "20ms",
        "--flows",
        "4",
        "--scheme",
        "pie",
        "--seeds",
        "2",
    ];
    let shown = user.runs(&small).well().out;
    assert!(
        shown.contains("simulated, 2 seeds") && shown.contains('±'),
        "{shown}"
    );
    let found = user.runs(&[&small[..], &["--json"]].concat()).well().json();
    assert_eq!(found["simulated"]["misses"], serde_json::json!([]));
    assert!(shown.contains("Drop-tail with"), "{shown}");
    let measured = &found["measured"]["delay"];
    assert!(measured["mean"].as_f64().unwrap() > 0.0);
    assert!(measured["half"].as_f64().unwrap() > 0.0);
}

#[test]
fn schemes_without_thresholds_get_a_target() {
    let user = User::new();
    for (scheme, said) in [
        ("pie", "pie:target=10 ms"),
        ("codel", "codel:target=10 ms"),
        ("pi", "pi:q_ref=83"),
        ("droptail", "droptail:limit="),
    ] {
        let shown = user
            .runs(&with(&[
                "--scheme",
                scheme,
                "--goal",
                "delay=10ms",
                "--no-simulation",
            ]))
            .well()
            .out;
        assert!(shown.contains(said), "{said} in\n{shown}");
    }
}

#[test]
fn a_loop_that_no_gain_makes_oscillate_has_no_gain_margin() {
    let user = User::new();
    let ran = user.runs(&[
        "configure",
        "--link",
        "1Gbps",
        "--rtt",
        "50ms",
        "--flows",
        "1000000",
        "--ecn",
        "on",
        "--no-simulation",
    ]);
    let ran = ran.well();
    assert!(
        ran.out.contains("no gain makes it oscillate"),
        "{}",
        ran.out
    );
    assert!(!ran.out.contains("inf"), "{}", ran.out);
}

#[test]
fn wrong_arguments_are_refused_with_a_suggestion() {
    let user = User::new();
    for (arguments, said) in [
        (
            &["--goal", "fast"][..],
            &["--goal fast", "delay=10ms", "nearest: delay=5ms"][..],
        ),
        (
            &["--goal", "delay=10mss"],
            &["--goal delay=10mss", "nearest: --goal delay=10ms"],
        ),
        (
            &["--goal", "utilisation=100%"],
            &[
                "--goal utilisation=100%",
                "nearest: --goal utilisation=0.9999",
            ],
        ),
        (
            &["--scheme", "rde"],
            &["--scheme rde", "did you mean 'red'?"],
        ),
        (&["--scheme", "red:min=50,max=20"], &["--scheme", "nearest"]),
        (&["--scheme", "blue"], &["no model of blue", "nearest"]),
        (
            &["--buffer", "0 packets"],
            &["--buffer \"0 packets\": allowed"],
        ),
        (
            &["--packet", "10 bytes"],
            &["--packet \"10 bytes\"", "nearest: --packet 100bytes"],
        ),
        (&["--tcp", "bbr"], &["--tcp bbr", "reno, cubic, dctcp"]),
        (
            &["--tcp", "dctcp", "--ecn", "off"],
            &["--ecn off: DCTCP without ECN is Reno", "nearest: --ecn on"],
        ),
        (&["--ecn", "offf"], &["--ecn offf", "nearest: off"]),
        (&["--loss", "0"], &["--loss 0", "allowed"]),
        (&["--loss", "100%"], &["--loss = 1", "nearest"]),
        (
            &["--paste", "earlydrp"],
            &["--paste earlydrp", "nearest: earlydrop"],
        ),
        (&["--seeds", "0"], &["--seeds"]),
        (
            &["--method", "papr"],
            &["--method papr: allowed: balance, paper", "nearest: paper"],
        ),
        (
            &["--method", "paper", "--scheme", "red:min=40,max=120"],
            &["--method paper: allowed: given", "nearest: given"],
        ),
        (
            &["--loss", "2%", "--windows", "normal:4,0,8"],
            &["--windows = mean 4, variance 0", "nearest: variance 1"],
        ),
        (
            &["--loss", "2%", "--windows", "four"],
            &["--windows four: allowed", "nearest: fixed:1"],
        ),
        (&["--windows", "fixed:4"], &["--loss <SHARE>"]),
        (
            &["--timeout", "200"],
            &["--timeout 200", "nearest: --timeout 200ms"],
        ),
        (
            &["--scheme", "red:limit=100", "--buffer", "200 packets"],
            &["--buffer = 200 packets", "nearest: 100 packets"],
        ),
    ] {
        let ran = user.runs(&with(arguments));
        assert_eq!(
            (ran.code, ran.out.as_str()),
            (Some(2), ""),
            "{arguments:?} {ran:?}"
        );
        for words in said {
            assert!(ran.err.contains(words), "{words} in {}", ran.err);
        }
    }
    for (link, rtt, flows, said) in [
        ("100Mpbs", "50ms", "150", "nearest: --link 100Mbps"),
        (
            "100Mbps",
            "50",
            "150",
            "--rtt 50: the number needs a unit; allowed: a time",
        ),
        ("20", "50ms", "150", "nearest: --link 20Mbps"),
        ("100Mbps", "50ms", "nan", "--flows nan: allowed"),
        ("100Mbps", "50ms", "0", "--flows 0"),
        ("100Mbps", "50ms", "1.5", "nearest: --flows 2"),
    ] {
        let ran = user.runs(&["configure", "--link", link, "--rtt", rtt, "--flows", flows]);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.err.contains(said), "{said} in {}", ran.err);
    }
}

const FABRIC: [&str; 6] = [
    "configure",
    "--fabric",
    "--link",
    "100Gbps",
    "--rtt",
    "10us",
];

fn fabric<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&FABRIC[..], more].concat()
}

#[test]
fn a_fabric_has_published_rules_and_pauses() {
    let user = User::new();
    let rules = fabric(&["--no-simulation"]);
    let shown = user.runs(&rules).well().out;
    for words in [
        "Marking for DCQCN senders (zhu) on links of 100 Gbps over 10 us",
        "SIGCOMM 2010",
        "headroom",
        "not done, as asked: nothing is recommended",
        "\"WRED_PROFILE\"",
        "random-detect ecn",
        "drop-profiles",
    ] {
        assert!(shown.contains(words), "{words} in\n{shown}");
    }
    assert!(!shown.contains("weight -0"), "{shown}");
    let found = user.runs(&[&rules[..], &["--json"]].concat()).well().json();
    let names: Vec<&str> = found["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["rule"].as_str().unwrap())
        .collect();
    let published = ["dctcp", "bdp", "dcqcn", "hpcc", "sonic", "dell", "juniper"];
    assert_eq!(names, [&published[..], &["model"]].concat());
    assert_eq!(found["candidates"][2]["kmax"], 500_000.0);
    // What the lines cannot say is on standard error.
    let sonic = user.runs(&[&rules[..], &["--paste", "sonic"]].concat());
    assert_eq!(sonic.code, Some(0), "{}", sonic.err);
    let text = sonic.out;
    assert!(
        text.contains("\"green_min_threshold\": \"12500\""),
        "{text}"
    );
    // The scenario runs.
    let text = user
        .runs(&[&rules[..], &["--paste", "earlydrop"]].concat())
        .well()
        .out;
    user.writes("fabric.toml", &text);
    let briefly = [
        "run",
        "fabric.toml",
        "--duration",
        "300us",
        "--seeds",
        "1",
        "--quiet",
    ];
    // Its incast begins after this end, of which a warning tells.
    let ran = user.runs(&briefly);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn a_fabric_is_simulated_before_thresholds_are_recommended() {
    let user = User::new();
    let small = [
        "--transport",
        "dctcp",
        "--seeds",
        "1",
        "--patience",
        "6s",
        "--json",
    ];
    let found = user.runs(&fabric(&small)).well().json();
    let candidates = found["candidates"].as_array().unwrap();
    assert_eq!(candidates.len(), 11);
    for one in candidates {
        let slowdown = one["measured"]["small_slowdown_p99"]["mean"]
            .as_f64()
            .unwrap();
        assert!(slowdown >= 1.0, "{one}");
    }
    assert!(found["recommended"].is_string(), "{found}");
    assert!(found["pauses"].is_null(), "{found}");
}

#[test]
fn a_network_card_is_simulated_as_its_driver_is_told() {
    let user = User::new();
    let card = ["--card", "connectx", "--no-simulation", "--paste"];
    let of = |format: &str| {
        user.runs(&fabric(&[&card[..], &[format]].concat()))
            .well()
            .out
    };
    assert!(of("earlydrop").contains("card = \"connectx\""));
    let lines = of("mlx5");
    assert!(
        lines.contains("echo 300 > $d/roce_rp/rpg_time_reset"),
        "{lines}"
    );
    let tcp = fabric(&["--transport", "dctcp", "--no-simulation", "--paste", "mlx5"]);
    let refused = user.runs(&tcp);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(
        refused.err.contains("only network cards of RDMA"),
        "{refused:?}"
    );
}

#[test]
fn wrong_options_of_a_fabric_are_named() {
    let user = User::new();
    for (arguments, said) in [
        (&["--flows", "3"][..], "--flows"),
        (&["--goal", "delay=1ms"], "--goal"),
        (&["--transport", "dcqn"], "nearest: --transport dcqcn"),
        (&["--card", "hpc"], "nearest: --card hpcc"),
        (
            &["--card", "hpcc", "--transport", "dctcp"],
            "--card hpcc: allowed with --transport dcqcn only",
        ),
        (&["--ports", "1"], "--ports 1: allowed: "),
        (&["--buffer", "32"], "--buffer 32: the number needs a unit"),
        (&["--cable", "long"], "--cable long: "),
        (
            &["--paste", "cisco"],
            "--paste cisco: allowed: sonic, junos, eos, mlx5, earlydrop",
        ),
    ] {
        let ran = user.runs(&fabric(arguments));
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{ran:?}");
        assert!(ran.err.contains(said), "{said} in {}", ran.err);
    }
    let without = user.runs(&["configure", "--link", "100Gbps", "--rtt", "10us"]);
    assert_eq!(without.code, Some(2), "{without:?}");
    let alone = user.runs(&with(&["--ports", "32"]));
    assert_eq!(alone.code, Some(2), "{alone:?}");
}
