//! Plans: every combination once, changes by arguments, and errors.

use std::path::PathBuf;

use super::*;
use crate::document::Problems;

const SMALL: &str = "
    duration = \"2 s\"
    warm_up = \"0 s\"
    seeds = 2
    schemes = [\"red:min=10,max=30\", \"codel\"]
    [flows.bulk]
    count = 3
    [sweep]
    \"network.rtt\" = [\"20 ms\", \"40 ms\", \"80 ms\"]
";

fn plan(text: &str) -> Result<Plan, Problems> {
    Source::new("test.toml", text, PathBuf::new())?.plan()
}

#[test]
fn a_plan_has_every_combination_once() {
    let plan = plan(SMALL).unwrap();
    assert_eq!(plan.cell_count(), 2 * 3 * 2);
    let cells: std::collections::BTreeSet<Cell> = plan.cells().collect();
    assert_eq!(cells.len(), 12);
    for (number, cell) in plan.cells().enumerate() {
        assert_eq!(plan.number(cell), number);
    }
    assert_eq!(plan.labels(), ["red", "codel"]);
}

#[test]
fn a_sweep_of_more_points_than_numbers_is_refused() {
    let axis = |n| format!("\"flows.f{n}.count\" = [1, 2]\n");
    let sweep: String = (0..70).map(axis).collect();
    let groups: String = (0..70).map(|n| format!("[flows.f{n}]\n")).collect();
    let error = plan(&format!("[sweep]\n{sweep}{groups}")).unwrap_err();
    let error = error.to_string();
    assert!(error.contains("more runs than can be counted"), "{error}");
}

#[test]
fn points_are_counted_before_they_are_made() {
    // The last rate is refused where it is read.
    let rates: Vec<String> = (1..100).map(|n| format!("\"{n} Mbps\"")).collect();
    let text = format!(
        "schemes = [\"droptail\"]\n[flows.a]\n[sweep]\n\
         \"network.rtt\" = {{ from = \"1 ms\", to = \"100 ms\", points = 100 }}\n\
         \"network.rate\" = [{}, \"fast\"]\n",
        rates.join(", ")
    );
    let source = Source::new("s.toml", &text, TraceFiles::default()).unwrap();
    let limits = "memory=1MB".parse().unwrap();
    let refused = source.clone().with_limits(limits).plan().unwrap_err();
    let refused = refused.to_string();
    assert!(refused.contains("points of the sweep"), "{refused}");
    assert!(refused.contains("--limits memory=1GB"), "{refused}");
    // So is their report, of a hundred runs each.
    let seeded = Source::new(
        "s.toml",
        &format!("seeds = 100\n{text}"),
        TraceFiles::default(),
    );
    let limits = "memory=2GB".parse().unwrap();
    let refused = seeded.unwrap().with_limits(limits).plan().unwrap_err();
    let refused = refused.to_string();
    assert!(refused.contains("their report"), "{refused}");
    let read = source.plan().unwrap_err().to_string();
    assert!(read.contains("fast"), "{read}");
    // A plan's budget has all of its points.
    let budget = |text: &str| plan(text).unwrap().budget().points;
    let one = budget("schemes = [\"red\"]\n[flows.a]\n");
    let three = budget(SMALL);
    assert!(one > 0.0 && three > 2.0 * one, "{one} {three}");
}

#[test]
fn the_links_of_a_graph_have_names_of_their_own() {
    let check = |first: &str, second: &str| {
        plan(&format!(
            "schemes = [\"red\"]\nnetwork.shape = \"graph\"\n[[network.links]]\n{first}\n\
             [[network.links]]\n{second}\n[flows.x]\nfrom = \"a\"\nto = \"b\"\n"
        ))
    };
    let there = "from = \"a\"\nto = \"b\"";
    let back = "from = \"b\"\nto = \"a\"";
    let one_way = |link: &str| format!("{link}\nboth = false");
    for (first, second, line, message) in [
        (there, there, 6, "a second link from \"a\" to \"b\""),
        (there, back, 6, "a second link from \"b\" to \"a\""),
        (
            &one_way(there),
            back,
            7,
            "a second link from \"a\" to \"b\"",
        ),
        (
            "from = \"a\"\nto = \"b to c\"",
            "from = \"a to b\"\nto = \"c\"",
            6,
            "are both called \"a to b to c\"",
        ),
    ] {
        let error = check(first, second).unwrap_err().to_string();
        assert!(error.starts_with(&format!("test.toml:{line}:")), "{error}");
        assert!(error.contains(message), "{error}");
    }
    check(&one_way(there), &one_way(back)).unwrap();
}

#[test]
fn a_recording_is_swept_once_whatever_its_name_is() {
    let files = |second: &str| {
        let files = [("a/up.trace", "5\n"), ("b/up.trace", second)];
        let owned = files.map(|(name, text)| (name.to_string(), text.to_string()));
        TraceFiles::Memory(owned.into())
    };
    let text = "schemes = [\"red\"]\n[flows.a]\n[sweep]\n\
                \"network.trace\" = [\"a/up.trace\", \"b/up.trace\"]\n";
    let plan = |second| Source::new("s.toml", text, files(second))?.plan();
    let error = plan("5\n").unwrap_err().to_string();
    assert!(error.starts_with("s.toml:4:"), "{error}");
    for part in [
        "`network.trace`",
        "\"a/up.trace\"",
        "\"b/up.trace\"",
        "keep one",
    ] {
        assert!(error.contains(part), "{error}");
    }
    // Other contents make another recording, and what is stored reads as the same plan.
    let first = plan("6\n").unwrap();
    let stored = first.recordings.iter();
    let stored = stored.map(|r| (r.stored_name.clone(), r.text.to_string()));
    let stored = TraceFiles::Memory(stored.collect());
    let again = Source::new("scenario.toml", &first.document, stored).unwrap();
    assert_eq!(again.plan().unwrap().identity(), first.identity());
}

#[test]
fn arguments_change_the_scenario_and_its_identity() {
    let mut source = Source::new("test.toml", SMALL, PathBuf::new()).unwrap();
    let before = source.plan().unwrap().identity();
    source.set("seeds", "7", "--seeds 7");
    let more_seeds = source.plan().unwrap();
    assert_eq!((more_seeds.seeds.len(), more_seeds.identity()), (7, before));
    source.set("flows.bulk.count", "9", "--flows 9");
    let other = source.plan().unwrap();
    assert_eq!(other.scenario().groups[0].count, 9);
    assert_ne!(other.identity(), more_seeds.identity());
    source.set("network.rtt", "30ms", "--rtt 30ms");
    assert_eq!(source.plan().unwrap().points.len(), 1, "no sweep any more");
    source.set_schemes("red,pie,nlred:min=5,max=15", "--schemes ...");
    let schemes = source.plan().unwrap();
    assert_eq!(schemes.labels(), ["red", "pie", "nlred"]);
    // Of several with one name, each says its parameters; without any it is the name.
    let several = "schemes = [\"red:max_p=0.02\", \"codel:target=2ms\", \"red\", \"red:max_p=0.5\"]\n[flows.a]";
    let several = plan(several).unwrap();
    let wanted = ["red:max_p=0.02", "codel", "red", "red:max_p=0.5"];
    assert_eq!(several.labels(), wanted);
    // The file's own red keeps its parameters.
    let red = &schemes.scenario().schemes[0];
    assert_eq!(red.spec.to_string(), "red:min=10,max=30");
}

#[test]
fn a_graph_watches_its_first_link_under_the_scheme() {
    let text = "
        network.shape = \"graph\"
        network.links = [
            { from = \"a\", to = \"b\", queue = \"droptail:limit=50\" },
            { from = \"b\", to = \"c\" },
        ]
        flows.all = { from = \"a\", to = \"c\" }
    ";
    let plan = plan(text).unwrap();
    let prepared = plan.prepare(plan.cell(0).unwrap(), false).unwrap();
    let name = prepared.run.network.link_name(prepared.watched);
    assert_eq!(name, "b to c");
}

#[test]
fn the_reverse_link_has_the_fields_of_a_link() {
    let text = "
        network.reverse = { rate = \"1 Mbps\", reorder = { share = \"1%\", delay = \"2 ms\" } }
        tcp = { profile = \"ns2\", rules = \"standard\" }
        [flows.a]
    ";
    let plan = plan(text).unwrap();
    let run = plan.prepare(plan.cell(0).unwrap(), false).unwrap().run;
    let forward = run.network.get(earlydrop_sim::network::LinkId(0));
    let reverse = run.network.get(earlydrop_sim::network::LinkId(1));
    assert_eq!((reverse.rate.0, forward.rate.0), (1_000_000, 10_000_000));
    assert_eq!(
        (reverse.delay, reverse.mean_packet),
        (forward.delay, forward.mean_packet)
    );
    assert!(reverse.reorder.is_some() && forward.reorder.is_none());
}

#[test]
fn shared_parameters_skip_schemes_without_them() {
    let plan =
        plan("schemes = [\"red\", \"dsred\", \"codel\"]\nparameters.max_p = 0.2\n[flows.a]\n");
    let plan = plan.unwrap();
    let specs: Vec<String> = plan
        .scenario()
        .schemes
        .iter()
        .map(|s| s.spec.to_string())
        .collect();
    assert_eq!(specs, ["red:max_p=0.2", "dsred", "codel"]);
}

#[test]
fn errors_name_the_place_and_the_nearest_valid_value() {
    let cases = [
        ("durations = \"3 s\"", "did you mean `duration`?"),
        ("duration = 3", "nearest: duration = \"3 s\""),
        ("warm_up = \"40 s\"", "`warm_up` = \"40 s\" leaves nothing"),
        ("network.rate = \"10 Mpbs\"", "nearest: rate = \"10 Mbps\""),
        (
            "network.buffer = \"20 packets\"",
            "max = 30 packets lies above the buffer",
        ),
        ("schemes = [\"redd\"]", "did you mean 'red'?"),
        (
            "schemes = \"red:max=20,min=5,codel\"",
            "nearest: schemes = [\"red:max=20,min=5\", \"codel\"]",
        ),
        ("schemes = [\"red:min=5,gentle\"]", "\"gentle\" in"),
        ("schemes = [\"red:mni=3\"]", "did you mean 'min'?"),
        ("seeds = 0", "`seeds` = 0"),
        (
            "flows.a.start = \"5 s..1 s\"",
            "nearest: start = \"1 s..5 s\"",
        ),
        ("network.buffer = \"0 BDP\"", "or a length in BDP or RTT"),
        ("schemes = [\"red:min=0 BDP\"]", "0 BDP"),
        (
            "network.rate = \"5 Tbps\"",
            "a rate from 1 bps to 2000 Gbps",
        ),
        ("[schemes]\nred = {}\n\"red \" = {}", "nearest: \"red\""),
        (
            "sweep.\"network.rtt\" = [\"1 ms\", \"0.001 s\"]",
            "takes one value twice",
        ),
        ("flows.a.on = \"1 s\"", "it belongs to kind = on-off"),
        (
            "flows.a.rtt = \"1 ms\"\nnetwork.delay = \"5 ms\"",
            "nearest: rtt = \"10 ms\"",
        ),
        ("network.trace = \"\"", "`trace` = \"\" names no file"),
        ("flows.a.to = \"rigth\"", "did you mean \"right\"?"),
        ("flows.a.tcp = \"cubik\"", "nearest: control = \"cubic\""),
        (
            "tcp = { recovery = \"newreno\", loss_detection = \"rack\" }",
            "RACK-TLP needs `recovery = \"sack\"`",
        ),
        (
            "flows.a.tcp = { profile = \"ns2\", loss_detection = \"rack\" }",
            "choose \"dupack\"",
        ),
        (
            "sweep.\"network.rat\" = [\"1 Mbps\"]",
            "did you mean `rate`?",
        ),
        (
            "sweep.\"flows.b.count\" = [1]",
            "no group of flows is called `b`",
        ),
        ("sweep.\"flows.a.count\" = []", "no values"),
        (
            "parameters.mni = 5",
            "no compared scheme has a parameter `mni`",
        ),
    ];
    for (line, wanted) in cases {
        let schemes = if line.contains("schemes") {
            ""
        } else {
            "schemes = [\"red:min=10,max=30\"]\n"
        };
        let text = format!("{schemes}{line}\n[flows.a]\n");
        // A group that is written in the line is there already.
        let text = match line.starts_with("flows.a") {
            true => text.replace("[flows.a]\n", ""),
            false => text,
        };
        let error = plan(&text).unwrap_err().to_string();
        assert!(error.contains(wanted), "{line}\n  error: {error}");
        assert!(error.starts_with("test.toml:"), "{error}");
    }
}

#[test]
fn names_are_at_most_as_long_as_tables_allow() {
    let named = |length: usize| {
        let name = "x".repeat(length);
        let schemes = format!("[schemes.{name}]\nscheme = \"red\"\n[flows.{name}]\n");
        plan(&schemes).map_err(|problems| problems.to_string())
    };
    assert!(named(200).is_ok());
    for length in [201, 65_535, 100_000] {
        let error = named(length).unwrap_err();
        let wanted = format!("the name has {length} characters");
        assert!(error.contains(&wanted), "{error}");
        assert!(error.contains("allowed: at most 200"), "{error}");
    }
}

#[test]
fn characters_of_no_width_are_refused_in_names() {
    for letter in ["\\u200B", "\\u2060", "\\uFEFF"] {
        for text in [
            format!("[schemes.\"red{letter}\"]\nscheme = \"red\"\n[flows.a]\n"),
            format!("schemes = [\"red\"]\n[flows.\"a{letter}\"]\n"),
        ] {
            let error = plan(&text).unwrap_err().to_string();
            assert!(error.contains("has control characters"), "{text}: {error}");
        }
    }
}

#[test]
fn segments_that_are_all_header_are_refused_under_every_application() {
    for kind in ["bulk", "transfer", "requests", "web", "pages", "arrivals"] {
        for (tcp, nearest) in [
            ("segment = \"40 bytes\"", "nearest: segment = \"41 bytes\""),
            ("segment = \"1 bytes\"", "nearest: segment = \"41 bytes\""),
            (
                "segment = \"500 bytes\"\nheader = \"500 bytes\"",
                "nearest: segment = \"501 bytes\"",
            ),
        ] {
            let tcp = format!("[tcp]\nheader = \"40 bytes\"\n{tcp}\n");
            let tcp = match tcp.matches("header").count() {
                2 => tcp.replacen("header = \"40 bytes\"\n", "", 1),
                _ => tcp,
            };
            let text = format!("schemes = [\"red\"]\n{tcp}[flows.a]\nkind = \"{kind}\"\n");
            let error = plan(&text).unwrap_err().to_string();
            assert!(error.contains(nearest), "{kind} {tcp}: {error}");
        }
    }
}

#[test]
fn each_field_of_the_retransmission_timer_sets_its_own_parameter() {
    use earlydrop_sim::traffic::Traffic;

    let (head, tables) = SMALL.split_once("[flows.bulk]").unwrap();
    let tcp = "[tcp]\nfirst_timeout = \"3 s\"\nleast_timeout = \"10 ms\"\nlargest_timeout = \"7 s\"\ntick = \"2 ms\"\n";
    let plan = plan(&format!("{head}{tcp}[flows.bulk]{tables}")).unwrap();
    let prepared = plan.prepare(plan.cell(0).unwrap(), false).unwrap();
    let Traffic::Tcp { profile, .. } = &prepared.run.flows[0].traffic else {
        panic!("TCP");
    };
    let timer = &profile.timer;
    let in_ms = [timer.initial, timer.minimum, timer.maximum, timer.tick].map(|t| t.0 / 1_000_000);
    assert_eq!(in_ms, [3000, 10, 7000, 2]);
}
