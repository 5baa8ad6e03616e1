//! `earlydrop explain` and `earlydrop translate` as a user runs them, and the page that shows their
//! output.

use std::fs;

use crate::support::pages::{Entry, check_page, console, page, with_blocks};
use crate::support::{Ran, User};

const LINUX: &str = "tc qdisc add dev eth0 root red limit 400000 min 30000 max 90000 avpkt 1000 \
                     burst 55 probability 0.02 ecn";

#[test]
fn the_example_of_tcs_manual_is_explained() {
    let user = User::new();
    let ran = user.runs(&["explain", LINUX]).well();
    for said in [
        "Linux, tc red",
        "30 packets, 30 kB, 24 ms",
        "2^-5: averages over",
        "one packet in 25.5",
        "How often packets are dropped or marked in the long run",
        "20 flows",
        "average queue",
        "2.92 times less often on ns-2 and ns-3",
        "Change: harddrop",
    ] {
        let flat = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(said), "{said}\n{}", ran.out);
    }
    assert!(ran.out.lines().all(|line| line.chars().count() <= 100));
}

/// A switch's marking is what DCQCN, DCTCP and CUBIC meet, so that is what is said of it.
#[test]
fn a_switchs_marking_is_simulated_with_each_transport() {
    let user = User::new();
    let profile = r#"{"WRED_PROFILE": {"AZURE_LOSSLESS": {"ecn": "ecn_all", "wred_green_enable": "true",
        "green_min_threshold": "65000", "green_max_threshold": "260000", "green_drop_probability": "5"}}}"#;
    user.writes("config_db.json", profile);
    let far = user.runs(&["explain", "config_db.json"]).well().out;
    assert!(far.contains("--link 100Gbps --rtt 10us"), "{far}");
    let link = ["--link", "10Gbps", "--rtt", "50us", "--flows", "4"];
    let near = [&["explain", "config_db.json"], &link[..]].concat();
    let text = user.runs(&near).well().out;
    assert!(
        text.contains("By senders") && !text.contains("--link 100Gbps"),
        "{text}"
    );
    let document = user.runs(&[&near[..], &["--json"]].concat()).well().json();
    let served = document["transports"]["by_transport"].as_array().unwrap();
    let names: Vec<&str> = served
        .iter()
        .map(|one| one["senders"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["dcqcn", "dctcp", "cubic"]);
    for one in served {
        // Marks begin at 65 kB, 52 us: DCTCP and DCQCN keep the queue about there.
        let delay = one["delay"]["mean"].as_f64().unwrap();
        assert!((20e-6..220e-6).contains(&delay), "{one}");
        assert!(one["marked"]["mean"].as_f64().unwrap() > 0.0, "{one}");
        assert_eq!(one["loss"]["mean"], 0.0, "{one}");
    }
}

#[test]
fn text_file_and_standard_input_are_explained_alike() {
    let user = User::new();
    user.writes("red.txt", LINUX);
    let text = user.runs(&["explain", LINUX, "--json"]).well().json();
    let file = user.runs(&["explain", "red.txt", "--json"]).well().json();
    assert_eq!(text, file);
    let piped = user.pipes(LINUX, &["explain", "-", "--json"]).well().json();
    assert_eq!(text, piped);
}

#[test]
fn json_has_settings_prediction_and_findings() {
    let user = User::new();
    let explained = user
        .runs(&["explain", LINUX, "--json", "--flows", "40"])
        .well()
        .json();
    assert_eq!(explained["tool"], "linux");
    assert_eq!(explained["load"]["flows"], 40.0);
    assert_eq!(explained["load"]["link_bps"], 10_000_000);
    let settings = explained["settings"].as_array().unwrap();
    let min = settings
        .iter()
        .find(|setting| setting["knob"] == "min")
        .unwrap();
    assert_eq!(
        (&min["bytes"], &min["packets"]),
        (&30_000.0.into(), &30.0.into())
    );
    assert_eq!(min["written"], "30000");
    let queue = explained["prediction"]["queue_packets"].as_f64().unwrap();
    assert!((30.0..=90.0).contains(&queue), "{queue}");
    for finding in explained["findings"].as_array().unwrap() {
        for key in ["rule", "gravity", "what", "source"] {
            assert!(
                !finding[key].as_str().unwrap().is_empty(),
                "{key} of {finding}"
            );
        }
    }
    // The spec is one of a scheme.
    let spec = explained["spec"].as_str().unwrap();
    assert!(
        user.runs(&["schemes", spec])
            .well()
            .out
            .contains("Drop curve")
    );
}

#[test]
fn more_flows_make_a_longer_queue_and_a_larger_max_p_a_shorter_one() {
    let user = User::new();
    let queue = |text: &str, flows: &str| {
        let explained = user
            .runs(&["explain", text, "--flows", flows, "--json"])
            .well()
            .json();
        explained["prediction"]["queue_packets"].as_f64().unwrap()
    };
    let (few, many) = (queue(LINUX, "5"), queue(LINUX, "20"));
    assert!(few < many, "{few} {many}");
    let steeper = queue(&LINUX.replace("0.02", "0.1"), "20");
    assert!(steeper < many, "{steeper} {many}");
}

#[test]
fn a_translation_names_what_is_not_carried_over_and_its_effect() {
    let user = User::new();
    let ns3 = "ns3::RedQueueDisc::MinTh=30 ns3::RedQueueDisc::MaxTh=90 \
               ns3::RedQueueDisc::MaxSize=300p ns3::RedQueueDisc::Gentle=false";
    let arguments = [
        "translate",
        "--from",
        "ns3",
        "--to",
        "linux,cisco",
        ns3,
        "--packet",
        "1000B",
    ];
    let ran = user
        .runs(&[&arguments[..], &["--link", "10Mbps"]].concat())
        .well();
    for said in [
        "tc qdisc add dev eth0 root red limit 300000 min 30000 max 90000",
        "random-detect dscp default 30 90 75",
        "not carried over",
        "Copied word for word, linux signals 2.92 times as often",
    ] {
        assert!(ran.out.contains(said), "{said}\n{}", ran.out);
    }
    let translated = user
        .runs(&[&arguments[..], &["--link", "10Mbps", "--json"]].concat())
        .well()
        .json();
    let linux = &translated["to"][0];
    let at_max = |effect: &serde_json::Value| effect["signals_at_max"].as_f64().unwrap();
    let (here, there) = (
        at_max(&translated["comes_to"]),
        at_max(&linux["proposed"]["comes_to"]),
    );
    assert!((here / there - 1.0).abs() < 0.001, "{here} {there}");
    let copied = at_max(&linux["word_for_word"]["comes_to"]) / here;
    assert!((2.9..3.0).contains(&copied), "{copied}");
    let queue = |variant: &str| {
        let prediction = &linux[variant]["comes_to"]["prediction"];
        prediction["queue_packets"].as_f64().unwrap()
    };
    assert!(
        queue("word_for_word") < queue("proposed"),
        "more signals make a shorter queue"
    );
}

#[test]
fn a_word_for_word_translation_keeps_the_number() {
    let user = User::new();
    let arguments = ["translate", "--to", "ns3", "--word-for-word", LINUX];
    let ran = user.runs(&arguments).well();
    assert!(
        ran.out.contains("\"LInterm\", DoubleValue(50)"),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("\"Wait\", BooleanValue(true)"),
        "{}",
        ran.out
    );
}

#[test]
fn snippets_of_configure_are_read_back() {
    let user = User::new();
    let load = ["--link", "100Mbps", "--rtt", "50ms", "--flows", "150"];
    let paste = |form: &str| user.runs(&[&["configure"], &load[..], &["--paste", form]].concat());
    for form in ["linux", "ns2", "ns3", "cisco", "junos"] {
        let ran = paste(form);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let costs = ["cisco", "junos"].contains(&form);
        assert_eq!(
            ran.err.contains("predicted as pasted"),
            costs,
            "{}",
            ran.err
        );
        let text = ran.out;
        let explained = user.runs(&[&["explain", &text, "--json"], &load[..]].concat());
        assert_eq!(explained.well().json()["tool"], form);
    }
    let known = "linux, ns2, ns3, dpdk, cisco, iosxr, nxos, eos, junos, sonic, inet";
    refused(paste("linx"), &[known, "nearest: linux"]);
}

fn refused(ran: Ran, said: &[&str]) {
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert_eq!(ran.out, "", "nothing goes to standard output");
    for words in said {
        assert!(ran.err.contains(words), "{words} in\n{}", ran.err);
    }
}

#[test]
fn errors_are_reported_with_their_place_and_the_nearest() {
    let user = User::new();
    let small = LINUX.replace("burst 55", "burst 5");
    refused(
        user.runs(&["explain", &small]),
        &["the argument:1:82", "nearest: burst 31"],
    );
    let over = LINUX.replace("0.02", "1.5");
    refused(
        user.runs(&["explain", &over]),
        &["outside 0 to 1", "nearest: probability 1"],
    );
    user.writes(
        "red.tcl",
        "Queue/RED set thresh_ 5\nQueue/RED set tresh_ 5\n",
    );
    refused(
        user.runs(&["translate", "--to", "linux", "red.tcl"]),
        &["red.tcl:2:15", "did you mean thresh_?"],
    );
    for (arguments, said) in [
        (&["explain", "hello"][..], "choose one with --as"),
        (&["explain", "missing.toml"], "there is no such file"),
        (&["explain", "--as", "linx", "x"], "did you mean 'linux'?"),
        (&["translate", "--to", "ns4", LINUX], "did you mean 'ns2'?"),
        (&["explain", LINUX, "--link", "fast"], "--link"),
        (
            &["explain", LINUX, "--flows", "0"],
            "--flows 0: allowed: a whole number in [1, 1000000] flows; nearest: --flows 1",
        ),
        (
            &["translate", "--to", "linux", "cobalt"],
            "earlydrop schemes cobalt",
        ),
    ] {
        refused(user.runs(arguments), &[said]);
    }
}

#[test]
fn words_that_mean_nothing_are_errors_and_other_statements_are_listed() {
    let user = User::new();
    for (text, said) in [
        (
            "{\"WRED_PROFILE\":{\"A\":{\"green_min_treshold\":\"9\",\"green_max_threshold\":\"90\"}}}",
            "did you mean 'green_min_threshold'?",
        ),
        ("tc 0 wred wieght = 9", "did you mean 'weight'?"),
        (
            "**.red.mnth = 5\n**.red.maxth = 30",
            "did you mean 'minth'?",
        ),
        ("random-detect 20 ms 40 packets", "nearest: 40 ms"),
        (
            "bandwidth percent 30\nrandom-detect 20 40",
            "--link 100Mbps",
        ),
    ] {
        refused(user.runs(&["explain", text]), &[said]);
    }
    let shown = "policy-map P\n class A\n  bandwidth percent 25\n  random-detect precedence 1 20 40\n \
                 class B\n  random-detect precedence 2 30 60\n  set dscp af11\n";
    refused(
        user.runs(&["explain", shown]),
        &["2 classes: A, B", "--class 'B'"],
    );
    let chosen = [
        "explain", shown, "--class", "A", "--link", "8Mbps", "--json",
    ];
    let chosen = user.runs(&chosen).well().json();
    assert_eq!(chosen["load"]["link_bps"], 2_000_000);
    assert_eq!(chosen["irrelevant"][0]["line"], 7);
    assert_eq!(chosen["objects"], serde_json::json!(["A", "B"]));
}

#[test]
fn other_disciplines_of_linux_are_explained_as_schemes() {
    let user = User::new();
    let codel = user
        .runs(&["explain", "tc qdisc add dev eth0 root fq_codel target 4ms"])
        .well();
    for said in [
        "fq-codel:as=linux",
        "target",
        "4 ms",
        "simulate it: earlydrop compare --schemes",
    ] {
        assert!(codel.out.contains(said), "{said}\n{}", codel.out);
    }
    let pie = [
        "explain",
        "tc qdisc add dev eth0 root pie target 20ms",
        "--json",
    ];
    let pie = user.runs(&pie).well().json();
    let delay = pie["prediction"]["delay_s"].as_f64().unwrap();
    assert!((0.015..0.025).contains(&delay), "{delay}");
    for kind in ["cake", "dualpi2", "sfb", "choke", "fq_pie"] {
        let line = format!("tc qdisc add dev eth0 root {kind}");
        let ran = user.runs(&["explain", &line, "--json"]).well().json();
        assert!(
            ran["simulate"]
                .as_str()
                .unwrap()
                .starts_with("earlydrop compare")
        );
    }
    let own = user
        .runs(&["explain", "pie:target=20ms", "--json"])
        .well()
        .json();
    assert_eq!(
        (&own["tool"], &own["spec"]),
        (&"earlydrop".into(), &"pie:target=20ms".into())
    );
    assert!(own["prediction"]["delay_s"].as_f64().unwrap() > 0.015);
    refused(
        user.runs(&["explain", "pie:tarqet=20ms"]),
        &["did you mean 'target'?"],
    );
    let typo = "tc qdisc add dev eth0 root cake bandwith 9mbit";
    refused(
        user.runs(&["explain", typo]),
        &["did you mean 'bandwidth'?"],
    );
}

/// A shaper is the bottleneck: what it is told is the link's rate, unless another is given.
#[test]
fn a_line_that_shapes_says_how_fast_the_link_is() {
    let user = User::new();
    let line = "tc qdisc add dev eth0 root cake bandwidth 50mbit";
    let link = |more: &[&str]| {
        let command = [&["explain", line, "--json"], more].concat();
        user.runs(&command).well().json()["load"]["link_bps"].clone()
    };
    assert_eq!(link(&[]), 50_000_000);
    assert_eq!(link(&["--link", "40Mbps"]), 40_000_000);
    let told = user.runs(&["explain", line, "--flows", "1"]).well().out;
    let load = "1 CUBIC flow on 50 Mbps (from the configuration; --link), RTT 50 ms (--rtt):";
    assert!(told.contains(load), "{told}");
}

#[test]
fn schemes_that_linux_has_are_lines_of_tc() {
    let user = User::new();
    let translated = |text: &str, to: &str| user.runs(&["translate", "--to", to, text]);
    let codel = translated("fq-codel:limit=84,target=2ms", "linux")
        .well()
        .out;
    for said in [
        "\ntc qdisc add dev eth0 root fq_codel limit 84 target 2000us\n",
        "not carried over",
        "as Linux runs it: fq-codel:as=linux,bypass=on,limit=84,target=2000us",
    ] {
        assert!(codel.contains(said), "{said}\n{codel}");
    }
    let back = translated("tc qdisc add dev eth0 root pie target 20ms", "all").well();
    assert!(
        back.out.contains("\npie:as=linux,target=20000us\n"),
        "{}",
        back.out
    );
    refused(
        translated("pie", "ns3"),
        &[
            "--to ns3",
            "allowed: linux, earlydrop",
            "nearest: --to linux",
        ],
    );
    refused(translated("cobalt", "linux"), &["cobalt is not RED"]);
}

/// What serves a call better can be had as it was simulated, and what does not shape says so.
#[test]
fn what_configure_names_for_linux_is_what_it_simulated() {
    let user = User::new();
    let link = [
        "configure",
        "--link",
        "20Mbps",
        "--rtt",
        "50ms",
        "--flows",
        "20",
    ];
    let told = user.runs(&link).well().out;
    let line = told
        .lines()
        .find_map(|line| line.trim().strip_prefix("in Linux"))
        .unwrap();
    let read = user.runs(&["explain", line.trim(), "--json"]).well().json();
    let (scheme, settings) = read["spec"].as_str().unwrap().split_once(':').unwrap();
    let better = told.split_once("if you have it, ").unwrap().1;
    let named = better.split_once(", which").unwrap().0;
    assert!(named.starts_with(scheme), "{named} {scheme}");
    for setting in named.split([':', ',']).skip(1) {
        assert!(settings.contains(setting), "{setting} {settings}");
    }
    let pie = [&link[..], &["--scheme", "pie", "--paste", "linux"]].concat();
    let pasted = user.runs(&pie);
    assert!(
        pasted
            .out
            .starts_with("tc qdisc add dev eth0 root pie limit "),
        "{}",
        pasted.out
    );
    for said in [
        "pie does not shape",
        "htb rate 20000000bit",
        "as Linux runs it",
    ] {
        assert!(pasted.err.contains(said), "{}", pasted.err);
    }
}

/// The page with the current output below every command.
fn rewritten(page: &str) -> String {
    let output = |entry: &Entry| {
        let line = format!("exec 2>&1\n{}", entry.command);
        User::new().types(&line).out
    };
    let fresh = with_blocks(page, |block| {
        (block.language == "console").then(|| console(&block.text, output))
    });
    let table = earlydrop_model::tools::knob_table();
    let (before, rest) = fresh
        .split_once("## Names, units and defaults\n\n")
        .unwrap();
    let (_, after) = rest.split_once("\n\nEach parser and writer").unwrap();
    format!("{before}## Names, units and defaults\n\n{table}\nEach parser and writer{after}")
}

#[test]
fn the_page_shows_what_the_commands_print() {
    let path = page("docs/reference/other-tools.md");
    let text = fs::read_to_string(&path).unwrap();
    check_page(&path, &rewritten(&text), "other_tools");
}
