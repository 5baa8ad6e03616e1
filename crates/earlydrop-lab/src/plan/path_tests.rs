//! Plans that follow the path: relative lengths, titles, warm-ups and warnings.

use super::*;

fn source(text: &str) -> Source {
    Source::new("test.toml", text, TraceFiles::default()).unwrap()
}

fn specs(plan: &Plan, point: usize) -> Vec<String> {
    let schemes = plan.points[point].scenario.schemes.iter();
    schemes.map(|scheme| scheme.spec.to_string()).collect()
}

#[test]
fn relative_lengths_are_resolved_at_each_point() {
    let text = "schemes = [\"red:min=0.1 BDP,max=0.3 BDP\"]\n[flows.a]\n[sweep]\n\
                \"network.rate\" = [\"12 Mbps\", \"120 Mbps\"]\n\
                \"network.buffer\" = [\"0.5 BDP\", \"2 BDP\"]\n";
    let plan = source(text).plan().unwrap();
    // 50 and 500 packets of 1,500 bytes in 50 ms.
    for (point, wanted) in [
        "red:min=5 packets,max=15 packets,limit=25 packets",
        "red:min=5 packets,max=15 packets,limit=100 packets",
        "red:min=50 packets,max=150 packets,limit=250 packets",
        "red:min=50 packets,max=150 packets,limit=1000 packets",
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(specs(&plan, point), [wanted]);
        // What runs is what is shown.
        let cell = plan.cells().find(|cell| cell.point == point).unwrap();
        let prepared = plan.prepare(cell, false).unwrap();
        let queue = prepared.run.network.get(prepared.watched).queue.clone();
        assert_eq!(queue.unwrap().to_string(), wanted);
    }
    assert_eq!(plan.axes[1].texts(), ["0.5 BDP", "2 BDP"]);
    // As stored, it is the same plan.
    let again = source(&plan.document).plan().unwrap();
    assert_eq!(again.identity(), plan.identity());
    assert_eq!(specs(&again, 3), specs(&plan, 3));
}

#[test]
fn each_link_of_a_graph_has_its_own_bandwidth_delay_product() {
    let text = "
        schemes = [\"codel:limit=1 BDP\"]
        network.shape = \"graph\"
        network.links = [
            { from = \"a\", to = \"b\", rate = \"12 Mbps\", delay = \"20 ms\" },
            { from = \"b\", to = \"c\", rate = \"24 Mbps\", delay = \"30 ms\" },
            { from = \"c\", to = \"d\", queue = \"pie:limit=auto\", rate = \"120 Mbps\" },
        ]
        flows.short = { from = \"a\", to = \"b\" }
        flows.long = { from = \"a\", to = \"d\", count = 2 }
    ";
    let plan = source(text).plan().unwrap();
    assert_eq!(
        plan.scenario().path.rtt,
        earlydrop::units::Nanos::from_millis(100)
    );
    let prepared = plan.prepare(plan.cell(0).unwrap(), false).unwrap();
    let network = &prepared.run.network;
    let queues = network.links().filter_map(|(id, ..)| {
        let queue = network.get(id).queue.as_ref()?;
        Some((network.link_name(id), queue.to_string()))
    });
    let queues: Vec<(String, String)> = queues.collect();
    for (link, queue) in [
        ("a to b", "codel:limit=100 packets"),
        ("b to c", "codel:limit=200 packets"),
        ("c to d", "pie:limit=3000 packets"),
    ] {
        let wanted = (link.to_string(), queue.to_string());
        assert!(queues.contains(&wanted), "{wanted:?} in {queues:?}");
    }
    assert_eq!(plan.bottlenecks(), ["a to b", "b to c", "c to d"]);
}

#[test]
fn a_written_auto_buffer_differs_from_none() {
    let limit = |line: &str| {
        let text = format!("schemes = [\"droptail\"]\n{line}\n[flows.a]\ncount = 20\n");
        specs(&source(&text).plan().unwrap(), 0)
    };
    assert_eq!(limit(""), ["droptail"]);
    assert_eq!(
        limit("network.buffer = \"auto\""),
        ["droptail:limit=125 packets"]
    );
    assert_eq!(
        limit("network.buffer = \"1 RTT\""),
        ["droptail:limit=50 ms"]
    );
}

const TITLED: &str = "title = \"A link\"\nduration = \"40 s\"\nwarm_up = \"10 s\"\n\
    schemes = [\"red\", \"codel\"]\n[parameters]\nmin = 10\n[flows.bulk]\ncount = 2\n";

#[test]
fn a_title_is_made_from_what_runs() {
    let title = |text: &str| source(text).plan().unwrap().scenario().title.clone();
    let flows = "[flows.bulk]\ncount = 20\ntcp = \"cubic\"\n[flows.calls]\nkind = \"voice\"\n\
                 [flows.web]\nkind = \"arrivals\"\n";
    assert_eq!(
        title(&format!("network.rate = \"1 Gbps\"\n{flows}")),
        "20 CUBIC flows, voice calls and web transfers over 1 Gbps, 50 ms"
    );
    assert_eq!(
        title(
            "[flows.a]\n[sweep]\n\"flows.a.count\" = [1, 5]\n\"network.rtt\" = [\"1 s\", \"10 ms\"]\n\
             \"flows.a.tcp.control\" = [\"reno\", \"bbr\"]\n"
        ),
        "1 to 5 Reno/BBR flows over 10 Mbps, 10 ms to 1 s"
    );
    assert_eq!(title(TITLED), "A link");
    // It is not part of what identifies a run.
    let plan = source("[flows.a]\n").plan().unwrap();
    assert!(!plan.document.contains("title"), "{}", plan.document);
}

#[test]
fn a_change_is_named_in_the_title_and_survives_in_the_stored_scenario() {
    let mut changed = source(TITLED);
    changed.change("network.rate", "5Mbps", "--link 5Mbps");
    changed.change("seeds", "3", "--seeds 3");
    let plan = changed.plan().unwrap();
    assert_eq!(plan.scenario().title, "A link, with rate 5 Mbps");
    assert_eq!(
        plan.scenario().about,
        "Changed from the file: network.rate = 5 Mbps"
    );
    let stored = source(&plan.document).plan().unwrap();
    assert_eq!(stored.scenario().title, plan.scenario().title);
    assert_eq!(stored.identity(), plan.identity());
    // What a program sets, and a value that is that of the file, are no changes.
    let mut same = source(TITLED);
    let before = same.plan().unwrap().identity();
    same.change("duration", "40s", "--duration 40s");
    assert_eq!(same.plan().unwrap().scenario().title, "A link");
    let mut set = source(TITLED);
    set.set("network.rate", "5Mbps", "a program");
    assert_eq!(set.plan().unwrap().scenario().title, "A link");
    assert_eq!(source(TITLED).plan().unwrap().identity(), before);
}

#[test]
fn the_warm_up_follows_a_changed_duration() {
    let measured = |changes: &[(&str, &str)]| {
        let mut source = source(TITLED);
        for (path, value) in changes {
            source.change(path, value, "an option");
        }
        let plan = source.plan().unwrap();
        let scenario = plan.scenario();
        (scenario.warm_up.to_string(), scenario.duration.to_string())
    };
    let of = |warm_up: &str, duration: &str| (warm_up.to_string(), duration.to_string());
    assert_eq!(measured(&[("duration", "10s")]), of("2.5 s", "10 s"));
    assert_eq!(measured(&[("duration", "400 s")]), of("100 s", "400 s"));
    for changes in [
        [("duration", "10s"), ("warm_up", "1s")],
        [("warm_up", "1s"), ("duration", "10s")],
    ] {
        assert_eq!(measured(&changes), of("1 s", "10 s"));
    }
}

#[test]
fn a_field_that_two_arguments_give_is_refused() {
    let mut twice = source(TITLED);
    twice.change("seeds", "5", "--seeds 5");
    twice.change("seeds", "3", "--set seeds=3");
    let error = twice.plan().unwrap_err().to_string();
    let words = "`seeds` is given twice: --seeds 5 and --set seeds=3";
    assert!(error.contains(words), "{error}");
    let mut tcp = source(TITLED);
    tcp.change_tcp("control", "cubic", "--tcp cubic");
    tcp.change("tcp.control", "reno", "--set tcp.control=reno");
    assert!(tcp.plan().is_err());
    let mut same = source(TITLED);
    same.change("seeds", "5", "--set seeds=5");
    same.change("seeds", "5", "--set seeds=5");
    same.plan().unwrap();
}

#[test]
fn parameters_that_other_schemes_leave_unused_are_no_error() {
    let mut changed = source(TITLED);
    changed.change_schemes("codel", "--schemes codel");
    let plan = changed.plan().unwrap();
    assert_eq!(plan.labels(), ["codel"]);
    assert_eq!(
        source(&plan.document).plan().unwrap().identity(),
        plan.identity()
    );
    // A file's own mistake is one.
    let file = TITLED.replace("\"red\", ", "");
    let error = source(&file).plan().unwrap_err().to_string();
    assert!(
        error.contains("no compared scheme has a parameter `min`"),
        "{error}"
    );
}

#[test]
fn the_number_of_a_link_is_checked() {
    let refused = |text: &str, path: &str| {
        let mut source = source(text);
        source.change(path, "5 Mbps", "--set");
        source.plan().unwrap_err().to_string()
    };
    let error = refused(TITLED, "network.links.0.rate");
    assert!(
        error.contains("a network of shape dumbbell has no `links`"),
        "{error}"
    );
    assert!(error.contains("--set network.rate=..."), "{error}");
    let graph = "network.shape = \"graph\"\nflows.x = { from = \"a\", to = \"b\" }\n\
                 [[network.links]]\nfrom = \"a\"\nto = \"b\"\n";
    for number in ["1", "a", "-1"] {
        let error = refused(graph, &format!("network.links.{number}.rate"));
        assert!(error.contains("known: 0 (a to b)"), "{error}");
    }
    let mut source = source(graph);
    source.change("network.links.0.rate", "5 Mbps", "--set");
    source.plan().unwrap();
}

#[test]
fn a_buffer_of_more_packets_than_a_queue_holds_is_refused_in_every_form() {
    for buffer in [
        "8333333",
        "8333333 packets",
        "100 ms",
        "12.5 GB",
        "1 BDP",
        "auto",
    ] {
        let text = format!(
            "schemes = [\"droptail\"]\n[flows.a]\n\
             [network]\nrate = \"1000 Gbps\"\nrtt = \"100 ms\"\nbuffer = \"{buffer}\"\n"
        );
        let refused = source(&text).plan().unwrap_err().to_string();
        assert!(
            refused.contains("nearest: network.buffer = \"4194304 packets\""),
            "{buffer}: {refused}"
        );
    }
}

#[test]
fn of_a_graph_that_leads_one_way_the_missing_way_is_named() {
    let text = "schemes = [\"droptail\"]\nflows.c = { kind = \"cbr\", from = \"a\", to = \"b\" }\n\
        network = { shape = \"graph\", links = [{ from = \"a\", to = \"b\", both = false }] }\n";
    let problems = source(text).plan().unwrap_err().to_string();
    assert!(
        problems.contains("no route leads from b to a"),
        "{problems}"
    );
    assert!(
        problems.contains("a flow needs a route each way"),
        "{problems}"
    );
}

/// One group that reads a field of the file's `tcp` is enough, and one point of a sweep.
#[test]
fn a_field_of_tcp_that_some_senders_read_is_no_mistake() {
    let text =
        "schemes = [\"droptail\"]\ntcp = { control = \"reno\", hystart = \"off\" }\n[flows.bulk]\n";
    let of = |more: &str| source(&format!("{text}{more}")).plan().unwrap().warnings();
    assert_eq!(of("").len(), 1);
    assert_eq!(of("[flows.other]\ntcp = { control = \"cubic\" }").len(), 0);
    assert_eq!(
        of("[sweep]\n\"tcp.control\" = [\"reno\", \"cubic\"]").len(),
        0
    );
}

/// A sweep may change what decides whether a parameter has an effect.
#[test]
fn a_parameter_without_effect_at_some_points_is_no_mistake() {
    let text =
        "schemes.one = { scheme = \"drr\", strict = 1, by = \"hash\" }\n[flows.bulk]\n[sweep]\n";
    let of = |sweep: &str| source(&format!("{text}{sweep}")).plan().unwrap().warnings();
    assert_eq!(of("\"schemes.one.by\" = [\"hash\", \"class\"]").len(), 0);
    let everywhere = of("\"network.rtt\" = [\"50 ms\", \"60 ms\"]");
    assert_eq!(everywhere.len(), 1, "{everywhere:?}");
    assert!(everywhere[0].contains("one: `strict` has no effect with by = hash"));
}

#[test]
fn warnings_name_the_rule_and_the_nearest_setting() {
    let of = |text: &str| source(text).plan().unwrap().warnings();
    let flows = "[flows.bulk]\ncount = 20\n";
    for (text, wanted) in [
        // A number of milliseconds where seconds are meant.
        (
            "duration = \"60 s\"\nschemes = [\"droptail\"]\nnetwork = { rtt = \"50 s\" }",
            &[
                "the run of 60 s is 1.2 round trips of 50 s",
                "nearest: duration = \"5000 s\"",
            ][..],
        ),
        (
            "schemes = [\"pie\", \"droptail\"]\nnetwork = { rate = \"1 Gbps\", buffer = \"250 packets\" }",
            &[
                "250 packets (3 ms) at 1 Gbps",
                "twice the target of pie (15 ms)",
                "\"2500 packets\" (30 ms)",
            ][..],
        ),
        (
            "schemes = [\"red:min=15,max=50\"]\nnetwork = { rate = \"1 Gbps\", rtt = \"20 ms\" }",
            &[
                "max = 50 packets (0.6 ms) of red",
                "with 20 flows about 373 packets fill it",
                "`earlydrop configure --link 1Gbps --rtt 20ms --flows 20`",
            ],
        ),
        (
            "schemes = [\"gred:min=15,max=50\"]\nnetwork = { buffer = \"60 packets\" }",
            &[
                "the buffer of 60 packets (72 ms) is full before",
                "gred (100 packets (120 ms))",
            ],
        ),
        (
            "schemes = [\"codel\"]\nnetwork = { rate = \"2 Mbps\" }",
            &[
                "the target of codel (5 ms) is below the 6 ms",
                "a target of 9 ms",
            ],
        ),
        (
            "schemes = [\"codel\"]\nnetwork = { rtt = \"200 ms\" }",
            &[
                "the interval of codel (100 ms) is below the round-trip time of 200 ms",
                "interval = \"200 ms\" with target = \"10 ms\"",
            ],
        ),
        (
            "schemes = [\"droptail\"]\nnetwork = { rtt = \"1 ms\", buffer = \"30 packets\" }",
            &[
                "fewer than 4 packets for each of 20 flows",
                "network.buffer = \"80 packets\"",
            ],
        ),
        (
            "schemes = [\"droptail\"]\nnetwork = { rtt = \"1 ms\", buffer = \"1 MB\" }\n\
             flows.tiny = { kind = \"cbr\", packet = \"20 bytes\", rate = \"1 Mbps\" }",
            &["droptail (1 MB) holds at most 25000 packets, so fewer of 20 bytes"],
        ),
        (
            "schemes = [\"sfq:strict=1,scheduler=packets\"]",
            &["sfq: `strict` has no effect with by = hash: it belongs to by = flow or class"],
        ),
        (
            "schemes = [\"fq-red:by=class,perturb=1 s\"]",
            &["`perturb` has no effect with by = class: it belongs to by = hash"],
        ),
        (
            "schemes = [\"codel\"]\nnetwork = { changes = [{ at = \"1 s\", rate = \"5 Mbps\" }] }\n\
             flows.w = { kind = \"web\" }",
            &["transfers over the link \"forward\" have no slowdown: it changes its rate"],
        ),
        (
            "schemes = [\"red\"]\nnetwork = { rtt = \"1 ms\" }",
            &["less than a packet for each of 20 flows"],
        ),
        (
            "schemes = [\"dualpi2\"]\nflows.probe.tcp = { control = \"bbr3\", ecn = \"l4s\" }",
            &["flows `probe`: BBRv3 is no L4S sender (RFC 9331, 4.3)"],
        ),
        (
            "schemes = [\"droptail\"]\nnetwork = { rate = \"1 Gbps\", rtt = \"20 ms\" }\n\
             flows.rpc = { kind = \"arrivals\", load = 0.4, size = \"1 kB\" }",
            &[
                "flows `rpc`: 45788 transfers begin a second and take 40 ms at least",
                "so 1832 would be in progress; with at_most = 1000 at least 45% of them are skipped",
                "nearest: at_most = 3664",
            ],
        ),
        (
            "duration = \"10 s\"\nschemes = [\"droptail\"]\nflows.late = { start = \"20 s\" }",
            &["flows `late`: a start at 20 s has no effect: the run ends at 10 s"],
        ),
        (
            "schemes = [\"droptail\"]\ntcp = { control = \"reno\", hystart = \"plusplus\" }",
            &["flows `bulk`: `tcp.hystart` has no effect: it belongs to control = \"cubic\""],
        ),
        (
            "schemes = [\"droptail\"]\ntcp.ack_delay = \"0.5 s\"",
            &["flows `bulk`: ACKs may wait for half a second or longer"],
        ),
        (
            "schemes = [\"droptail\"]\n[tcp]\nfirst_timeout = \"1 ms\"\nleast_timeout = \"1 ms\"\n\
             largest_timeout = \"1 ms\"",
            &[
                "flows `bulk`",
                "the largest timeout is below the round-trip time",
            ],
        ),
        (
            "schemes = [\"droptail\"]\ntcp = { ack_delay = \"1 s\", delayed_acks = 0 }",
            &[
                "flows `bulk`: `tcp.ack_delay` has no effect: it belongs to delayed_acks = 2 or more",
            ],
        ),
        (
            "schemes = [\"droptail\"]\nflows.slow.tcp = { hystart = \"linux\" }",
            &[
                "flows `slow`: `tcp.hystart` has no effect: it belongs to control = \"cubic\", \"linux\" with growth = \"linux\"",
            ],
        ),
    ] {
        let warnings = of(&format!("{text}\n{flows}"));
        let has_all = |warning: &&String| wanted.iter().all(|part| warning.contains(part));
        assert_eq!(
            warnings.iter().filter(has_all).count(),
            1,
            "{text}: {warnings:?}"
        );
    }
    let fine = "schemes = [\"droptail\", \"red:min=10,max=30\", \"pie\", \"codel\"]";
    assert_eq!(of(&format!("{fine}\n{flows}")), [] as [&str; 0]);
    // At several points it is printed once.
    let swept = "schemes = [\"codel\"]\n[flows.a]\n[sweep]\n\"network.rate\" = [\"1 Mbps\", \"2 Mbps\", \"1.5 Mbps\"]";
    let warnings = of(swept);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(
        warnings[0].ends_with("(so at 2 more points of the sweep)"),
        "{warnings:?}"
    );
}
