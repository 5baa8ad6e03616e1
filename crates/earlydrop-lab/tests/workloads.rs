//! Workloads of data centres: sizes, loads, lists and hosts as a scenario names them.

use std::collections::BTreeMap;

use earlydrop_lab::metrics::of_groups;
use earlydrop_lab::outcome::Outcome;
use earlydrop_lab::plan::{Plan, Source, TraceFiles};
use earlydrop_lab::run::outcomes;

const FABRIC: &str = "warm_up = \"0 s\"\nseeds = 1\nschemes = [\"droptail:limit=2000\"]\n\
    tcp = { delayed_acks = 0 }\n\
    network = { shape = \"leaf-spine\", leaves = 2, spines = 2, hosts = 4, rate = \"1 Gbps\" }\n";

fn plan(text: &str) -> Result<Plan, String> {
    let files = [
        ("sizes.txt", "1000 0\n20000 100\n"),
        ("falling.txt", "1000 50\n900 100\n"),
        (
            "flows.csv",
            "start,src,dst,size\n0.001,0,5,30000\n0.002,host 7,host 1,1000\n",
        ),
        ("nobody.csv", "0.001,0,8,30000\n"),
        ("late.csv", "0.001,0,5,30000\n99,0,5,30000\n"),
        ("never.csv", "99,0,5,30000\n"),
    ];
    let files: BTreeMap<_, _> = files.map(|(name, text)| (name.into(), text.into())).into();
    let source = Source::new("workload.toml", text, TraceFiles::Memory(files));
    let plan = source.and_then(|source| source.plan());
    plan.map_err(|problems| problems.to_string())
}

fn outcome(text: &str) -> Outcome {
    let plan = plan(text).unwrap_or_else(|problem| panic!("{problem}"));
    let mut ended: Vec<_> = outcomes(&plan).collect::<Result<_, _>>().unwrap();
    assert_eq!(ended.len(), 1);
    ended.remove(0).1
}

/// A slow bottleneck.
const SLOW: &str = "rate = \"10 Mbps\", rtt = \"10 ms\"";

/// A scenario with one group of flows, `a`, over a dumbbell.
fn over_dumbbell(duration: &str, network: &str, flows: &str) -> String {
    format!(
        "duration = \"{duration}\"\nwarm_up = \"0 s\"\nseeds = 1\nschemes = [\"droptail\"]\n\
         network = {{ {network} }}\n[flows.a]\n{flows}"
    )
}

/// 10,000 transfers of 1 to 20 kB: their sum deviates by half a percent.
#[test]
fn the_load_offered_is_the_load_measured() {
    let flows = "[flows.a]\nkind = \"arrivals\"\nsizes = \"sizes.txt\"\nload = 0.5\n";
    let measured = outcome(&format!("duration = \"220 ms\"\n{FABRIC}{flows}"));
    // Of 4 Gbps 10,500 bytes are payload of some 8 segments with 52 bytes of headers, and a SYN.
    let share = 10_500.0 / (10_500.0 + 7.75 * 52.0 + 40.0);
    let goodput = measured.value("goodput").unwrap();
    assert!(
        (goodput / 4e9 / share - 1.0).abs() < 0.02,
        "{goodput} {share}"
    );
    let (group, bin) = &measured.sizes[0];
    assert_eq!(group, "a");
    assert!(bin.slowdown[0] >= 1.0 && bin.slowdown[3] >= bin.slowdown[0]);
}

/// Some 1,200 transfers of 1 to 20 kB in 200 ms: their sum deviates by 4%. Sources that began all over
/// the first second would offer a tenth.
#[test]
fn a_load_on_a_dumbbell_is_offered_from_the_beginning_on() {
    let text = over_dumbbell(
        "200 ms",
        "rate = \"1 Gbps\", rtt = \"1 ms\"",
        "kind = \"arrivals\"\ncount = 20\nsizes = \"sizes.txt\"\nload = 0.5\n",
    );
    let offered = outcome(&text).value("offered").unwrap();
    assert!((offered / 0.48e9 - 1.0).abs() < 0.2, "{offered}");
}

#[test]
fn what_stops_before_its_latest_start_sends_nothing_after_it() {
    let text = over_dumbbell("10 s", SLOW, "count = 20\nstop = \"0.1 s\"\n");
    let text = text.replace("warm_up = \"0 s\"", "warm_up = \"5 s\"");
    assert_eq!(outcome(&text).value("utilisation"), Some(0.0));
}

#[test]
fn a_load_on_a_dumbbell_is_a_share_of_its_bottleneck() {
    let flows = "kind = \"arrivals\"\ncount = 5\nsizes = \"sizes.txt\"\nload = 0.6\n";
    // 3500 transfers: their sum deviates by 2%.
    let utilisation = outcome(&over_dumbbell("50 s", SLOW, flows)).value("utilisation");
    let utilisation = utilisation.unwrap();
    assert!((0.55..0.65).contains(&utilisation), "{utilisation}");
}

#[test]
fn a_list_names_hosts_by_number_or_name() {
    let flows = "[flows.a]\nkind = \"list\"\nlist = \"flows.csv\"\n";
    let measured = outcome(&format!("duration = \"10 ms\"\n{FABRIC}{flows}"));
    assert_eq!(measured.sizes.len(), 2);
    assert!(measured.value("slowdown_p999").unwrap() < 1.3);
}

/// Of nothing there is no fairness, of the whole and of a group.
#[test]
fn what_was_not_sent_was_not_shared() {
    let text = "duration = \"1 s\"\nwarm_up = \"0 s\"\nseeds = 1\nschemes = [\"droptail\"]\n\
                network = { rate = \"10 Mbps\", rtt = \"10 ms\" }\n\
                [flows.late]\ncount = 2\nstart = \"999 ms\"\n";
    let of_group = |outcome: &Outcome| {
        let index = of_groups().position(|metric| metric.name == "fairness");
        let (_, _, values) = outcome
            .groups
            .iter()
            .find(|group| group.0 == "late")
            .unwrap();
        values[index.unwrap()]
    };
    let nothing = outcome(text);
    assert_eq!(
        (nothing.value("fairness"), of_group(&nothing)),
        (None, None)
    );
    let both = outcome(&format!("{text}[flows.early]\nstart = \"0 s\"\n"));
    assert!((both.value("fairness").unwrap() - 1.0 / 3.0).abs() < 1e-12);
    assert_eq!(of_group(&both), None);
}

/// Senders at random, one receiver: its link is the load's.
#[test]
fn one_end_may_be_a_host_of_its_own() {
    let flows =
        "[flows.a]\nkind = \"arrivals\"\nsizes = \"sizes.txt\"\nload = 0.5\nto = \"host 0\"\n";
    let measured = outcome(&format!("duration = \"800 ms\"\n{FABRIC}{flows}"));
    let utilisation = measured.value("utilisation").unwrap();
    assert!((0.47..0.53).contains(&utilisation), "{utilisation}");
}

#[test]
fn what_is_wrong_is_refused_with_the_nearest() {
    for (flows, found) in [
        (
            "kind = \"arrivals\"\nsizes = \"webserch\"",
            "did you mean \"websearch\"?",
        ),
        (
            "kind = \"arrivals\"\nsizes = \"falling.txt\"",
            "line 2: \"900 100\"",
        ),
        (
            "kind = \"arrivals\"\nsizes = \"rpc\"\nsize = \"1 kB\"",
            "both one size and",
        ),
        (
            "kind = \"arrivals\"\nload = 0.5\nevery = \"1 s\"",
            "both a load and",
        ),
        ("kind = \"arrivals\"\nload = 0", "`load` = 0 offers nothing"),
        ("kind = \"list\"", "without a file"),
        (
            "kind = \"list\"\nlist = \"flows.csv\"\ncount = 3",
            "`count` of flows of kind = \"list\"",
        ),
        (
            "kind = \"list\"\nlist = \"nobody.csv\"",
            "\"8\", line 1 of its list",
        ),
        (
            "kind = \"list\"\nlist = \"never.csv\"",
            "\"never.csv\", line 1: a start at 99 s",
        ),
        (
            "kind = \"list\"\nlist = \"none.csv\"",
            "not among those in memory",
        ),
        (
            "to = \"host 9\"",
            "nearest: \"host 7\" (known: \"host 0\" to \"host 7\")",
        ),
        ("to = \"hots 3\"", "nearest: \"host 3\""),
        ("from = \"server\"", "nearest: \"host 0\""),
    ] {
        let text = format!("duration = \"10 ms\"\n{FABRIC}[flows.a]\n{flows}\n");
        let problem = plan(&text).err().unwrap_or_else(|| panic!("{flows}"));
        assert!(problem.contains(found), "{flows}: {problem}");
    }
    let odd = FABRIC.replace(
        "leaf-spine\", leaves = 2, spines = 2, hosts = 4",
        "fat-tree\", ports = 3",
    );
    let problem = plan(&format!("duration = \"1 s\"\n{odd}[flows.a]\n")).unwrap_err();
    assert!(problem.contains("nearest: ports = 4"), "{problem}");
}

#[test]
fn arrivals_between_hosts_are_at_most_so_many_at_once() {
    let flows = "[flows.a]\nkind = \"arrivals\"\nsize = \"1 MB\"\nload = 0.9\n";
    let of = |limit: &str| {
        let text = format!("duration = \"200 ms\"\n{FABRIC}{flows}{limit}");
        let measured = outcome(&text);
        let value = |name| measured.value(name).unwrap();
        (value("started"), value("left_out"))
    };
    let (all, none) = of("");
    assert_eq!(none, 0.0);
    let (some, others) = of("at_most = 3\n");
    assert!(
        some < 0.9 * all && others > 0.1 * all,
        "{some} {others} {all}"
    );
    assert!((some + others - all).abs() < 1e-6 * all);
}

#[test]
fn transfers_are_recorded_one_by_one() {
    let list = "duration = \"10 ms\"\n[flows.a]\nkind = \"list\"\nlist = \"flows.csv\"\n";
    let text = |more: &str| format!("{FABRIC}{more}{list}");
    let measured = outcome(&text(""));
    let [first, second] = &measured.records[..] else {
        panic!("{:?}", measured.records);
    };
    assert_eq!((first.flow, first.number, &*first.group), (0, 0, "a"));
    assert_eq!((&*first.source, &*first.destination), ("host 0", "host 5"));
    assert_eq!((first.size, first.start), (30_000, 0.001));
    assert!(first.path.starts_with("leaf 0 > spine ") && first.path.ends_with(" > leaf 1"));
    assert!((1.0..1.01).contains(&first.slowdown.unwrap()) && first.finished);
    assert_eq!((first.retransmissions, first.timeouts), (0, 0));
    let ratio = first.completion / first.ideal.unwrap();
    assert_eq!(first.slowdown, Some(ratio));
    assert_eq!(
        (&*second.source, &*second.destination),
        ("host 7", "host 1")
    );
    // A run may have none; nor does one between two hosts by default.
    let off = outcome(&text("measure = { records = \"off\" }\n"));
    assert!(off.records.is_empty());
    let dumbbell = "seeds = 1\nduration = \"2 s\"\nschemes = [\"droptail\"]\n";
    let web = "flows.w = { kind = \"web\" }\n";
    assert!(outcome(&format!("{dumbbell}{web}")).records.is_empty());
    let on = outcome(&format!(
        "{dumbbell}{web}measure = {{ records = \"on\", drain = \"0 s\" }}\n"
    ));
    let ended = on.records.iter().filter(|record| record.finished).count();
    assert!(ended > 0 && ended < on.records.len());
    assert!(
        on.records
            .iter()
            .all(|record| record.path == "left > right")
    );
    let unfinished = (on.records.len() - ended) as f64 / on.records.len() as f64;
    assert_eq!(on.value("unfinished"), Some(unfinished));
}

#[test]
fn what_the_network_cannot_carry_is_warned_of() {
    let warnings = |network: &str, flows: &str| {
        let fabric = FABRIC.replace("rate = \"1 Gbps\"", network);
        let text = format!("duration = \"10 ms\"\n{fabric}[flows.a]\n{flows}\n");
        plan(&text)
            .unwrap_or_else(|problem| panic!("{problem}"))
            .warnings()
    };
    let arrivals = |load: f64| format!("kind = \"arrivals\"\nsizes = \"rpc\"\nload = {load}");
    // Four hosts of 1 Gbps at each of two leaves, 4 of 7 others at the other one: 2.29 Gbps at a
    // load of 1, over two uplinks of 1 Gbps.
    let even = "rate = \"1 Gbps\", uplink = \"1 Gbps\"";
    assert_eq!(warnings(even, &arrivals(0.8)), [] as [&str; 0]);
    let [warning] = &warnings(even, &arrivals(1.5))[..] else {
        panic!()
    };
    assert!(
        warning.contains("offers 171% of what links between switches carry"),
        "{warning}"
    );
    assert!(warning.contains("nearest: load = 0.87"), "{warning}");
    let wide = "rate = \"1 Gbps\", uplink = \"10 Gbps\"";
    let [warning] = &warnings(wide, &arrivals(1.2))[..] else {
        panic!()
    };
    assert!(
        warning.contains("offers 120% of what hosts' links carry"),
        "{warning}"
    );
    let [warning] = &warnings(wide, "kind = \"list\"\nlist = \"late.csv\"")[..] else {
        panic!()
    };
    assert!(
        warning.contains("line 2: a start at 99 s has no effect"),
        "{warning}"
    );
    assert!(warning.contains("1 of 2 transfers"), "{warning}");
}

/// A client and seven servers at the hosts of two leaves; each answer is 20 segments of 1448 bytes.
fn incast(network: &str, flows: &str) -> Outcome {
    let fabric = FABRIC.replace("hosts = 4", &format!("hosts = 4, {network}"));
    let flows = format!(
        "[flows.q]\nkind = \"incast\"\nservers = 7\nsize = \"28960 bytes\"\nstart = \"0 s\"\n{flows}"
    );
    outcome(&format!("duration = \"100 ms\"\n{fabric}{flows}"))
}

#[test]
fn an_incast_has_rounds_and_answers() {
    let measured = incast(
        "shared_buffer = \"9 MB\"",
        "to = \"host 0\"\npause = \"1 ms\"\nrounds = 10\n",
    );
    assert_eq!(measured.value("rounds"), Some(100.0));
    assert_eq!(measured.value("transfers"), Some(700.0));
    // 140 segments of 1500 bytes take 1.68 ms at 1 Gbps. The first answer begins after a round
    // trip of some 40 us; the windows of ten segments of all servers fill the client's link.
    let median = measured.value("round_p50").unwrap();
    assert!((1.68e-3..1.85e-3).contains(&median), "{median}");
    let slowdown = measured.value("round_slowdown_p50").unwrap();
    assert!((1.0..1.08).contains(&slowdown), "{slowdown}");
    assert!(measured.value("slowdown_p50").unwrap() > slowdown);
    assert_eq!(measured.value("buffer_refused"), Some(0.0));
    let peak = measured.value("buffer_peak").unwrap();
    assert!((60.0 * 1500.0..140.0 * 1500.0).contains(&peak), "{peak}");
}

/// With one congested port and alpha = 1, it gets half of the buffer.
#[test]
fn a_shared_buffer_is_all_that_limits_a_port() {
    let measured = incast("shared_buffer = \"60 kB\"", "to = \"host 0\"\n");
    let peak = measured.value("buffer_peak").unwrap();
    assert!((28_500.0..32_000.0).contains(&peak), "{peak}");
    assert!(measured.value("buffer_refused").unwrap() > 0.0);
    let more = incast("shared_buffer = \"60 kB\", alpha = 3", "to = \"host 0\"\n");
    let peak = more.value("buffer_peak").unwrap();
    assert!((43_500.0..47_000.0).contains(&peak), "{peak}");
}

#[test]
fn packets_may_be_spread_instead_of_flows() {
    let flows = "from = \"host 7\"\nto = \"host 0\"\nsize = \"1 MB\"\nkind = \"transfer\"\nstart = \"0 s\"\n";
    let utilisations = ["flow", "packet"].map(|ecmp| {
        ["leaf 1 to spine 0", "leaf 1 to spine 1"].map(|watch| {
            let network = format!("hosts = 4, ecmp = \"{ecmp}\", watch = \"{watch}\"");
            let fabric = FABRIC.replace("hosts = 4", &network);
            let measured = outcome(&format!("duration = \"30 ms\"\n{fabric}[flows.a]\n{flows}"));
            measured.value("utilisation").unwrap()
        })
    });
    let [by_flow, by_packet] = utilisations;
    assert!(by_flow.contains(&0.0), "{by_flow:?}");
    let all: f64 = by_flow.iter().sum();
    // 346 of 691 segments over each, with a deviation of 13.
    for share in by_packet {
        assert!((share / all - 0.5).abs() < 0.08, "{by_packet:?} {all}");
    }
}

#[test]
fn what_a_switch_cannot_do_is_refused_with_the_nearest() {
    for (network, flows, found) in [
        ("alpha = 2", "", "`alpha` without a shared buffer"),
        ("shared_buffer = \"1 MB\", alpha = 0", "", "alpha"),
        ("shared_buffer = \"60 packets\"", "", "shared_buffer"),
        ("ecmp = \"spray\"", "", "nearest: ecmp = \"packet\""),
        ("", "kind = \"incast\"\n", "nearest: servers = 7"),
        ("", "kind = \"incast\"\nservers = 7\nrounds = 0\n", "rounds"),
        ("", "kind = \"bulk\"\nservers = 7\n", "servers"),
    ] {
        let fabric = FABRIC.replace("hosts = 4", &format!("hosts = 4, {network}"));
        let fabric = fabric.replace(",  }", " }").replace(", , ", ", ");
        let flows = format!("[flows.a]\n{flows}").replace("incast\"\n\n", "incast\"\n");
        let problem = plan(&format!("duration = \"10 ms\"\n{fabric}{flows}")).err();
        let problem = problem.unwrap_or_else(|| panic!("{network} {flows}"));
        assert!(problem.contains(found), "{network} {flows}: {problem}");
    }
    let dumbbell = "network = { shared_buffer = \"1 MB\" }\n[flows.a]\nstart = \"0 s\"\n";
    let problem = plan(&format!("duration = \"1 s\"\n{dumbbell}")).unwrap_err();
    assert!(problem.contains("leaf-spine"), "{problem}");
}

/// WRED: two classes in one queue, each with its own Kmin, Kmax and Pmax. The first is never
/// marked below 100 packets; the second from 5 packets on.
#[test]
fn each_class_has_its_own_thresholds_in_one_queue() {
    let scheme = "wred:profiles=100/200/0.1; 5/60/0.5,weight=1,ecn=on,limit=1000";
    let text = format!(
        "duration = \"100 ms\"\nwarm_up = \"0 s\"\nseeds = 1\nschemes = [\"{scheme}\"]\n\
         network = {{ shape = \"leaf-spine\", leaves = 1, spines = 1, hosts = 4, rate = \"1 Gbps\" }}\n\
         tcp = {{ control = \"dctcp\" }}\n\
         [flows.low]\nfrom = \"host 1\"\nto = \"host 0\"\nclass = 1\nstart = \"0 s\"\n\
         [flows.high]\nfrom = \"host 2\"\nto = \"host 0\"\nclass = 0\nstart = \"0 s\"\n"
    );
    let measured = outcome(&text);
    let marked = |group: &str| {
        let flow = measured.flows.iter().find(|flow| flow.group == group);
        let flow = flow.unwrap();
        flow.marked as f64 / flow.received as f64
    };
    assert!(marked("low") > 0.01, "{}", marked("low"));
    assert!(marked("high") < 0.1 * marked("low"), "{}", marked("high"));
}

/// Transfers of a megabyte every second, over a link that takes 0.9 s for each.
#[test]
fn transfers_that_go_on_at_the_end_are_followed() {
    let of = |drain: &str| {
        let text = format!(
            "duration = \"10 s\"\nwarm_up = \"2 s\"\nseeds = 1\nschemes = [\"droptail\"]\n\
             measure.drain = \"{drain}\"\n\
             network = {{ rate = \"10 Mbps\", rtt = \"10 ms\" }}\n\
             [flows.a]\nkind = \"arrivals\"\nsize = \"1 MB\"\nload = 0.9\n"
        );
        outcome(&text)
    };
    let (cut, followed) = (of("0 s"), of("100 s"));
    let value = |outcome: &Outcome, name| outcome.value(name).unwrap();
    assert_eq!(value(&cut, "started"), value(&followed, "started"));
    assert_eq!(value(&followed, "unfinished"), 0.0);
    assert_eq!(value(&followed, "completion_known"), 1.0);
    let unfinished = value(&cut, "unfinished");
    assert!(unfinished > 0.05, "{unfinished}");
    assert!(value(&cut, "completion_known") < 0.99);
    assert!(value(&cut, "completion_p99") < value(&followed, "completion_p99"));
    // All else is measured until the end.
    assert_eq!(value(&cut, "goodput"), value(&followed, "goodput"));
    assert_eq!(value(&cut, "queue_mean"), value(&followed, "queue_mean"));
}

/// A short last segment overtakes the one before over another path: nothing is faster than the time
/// in an empty network.
#[test]
fn no_transfer_over_sprayed_paths_is_faster_than_its_ideal() {
    for (segment, size, delay) in [
        ("9000 bytes", "14000 B", "0 s"),
        ("1500 bytes", "2300 B", "1 us"),
        ("1500 bytes", "9000 B", "1 us"),
    ] {
        let text = format!(
            "duration = \"100 ms\"\nwarm_up = \"0 s\"\nseeds = 1\nschemes = [\"droptail\"]\n\
             tcp = {{ control = \"cubic\", segment = \"{segment}\", delayed_acks = 0 }}\n\
             measure.records = true\n\
             [network]\nshape = \"fat-tree\"\nrate = \"1 Gbps\"\nports = 4\n\
             delay = \"{delay}\"\necmp = \"packet\"\n\
             [flows.a]\nkind = \"arrivals\"\nsize = \"{size}\"\nload = 0.02\n\
             from = \"host 0\"\nto = \"host 15\"\nstart = \"0 s\"\noverhead = \"0 s\"\n"
        );
        let measured = outcome(&text);
        let slowdowns = measured.records.iter().filter_map(|one| one.slowdown);
        let least = slowdowns.fold(f64::INFINITY, f64::min);
        // And it is a time that some transfer nearly takes.
        assert!((1.0..1.1).contains(&least), "{least}, {text}");
    }
}

/// Without a handshake the second segment of a connection may be the first to arrive.
#[test]
fn transfers_without_a_handshake_end_though_packets_overtake() {
    let text = "duration = \"10 s\"\nwarm_up = \"0 s\"\nseeds = 1\nschemes = [\"droptail\"]\n\
         tcp = { control = \"cubic\", handshake = false, loss_detection = \"dupack\" }\n\
         [network]\nrate = \"10 Mbps\"\nrtt = \"20 ms\"\n\
         reorder = { share = 0.5, delay = \"10 ms\" }\n\
         [flows.a]\nkind = \"arrivals\"\nsize = \"2000 B\"\nevery = \"100 ms\"\nstart = \"0 s\"\n";
    let measured = outcome(text);
    let value = |name| measured.value(name).unwrap();
    assert!(value("started") > 5.0, "{}", value("started"));
    assert_eq!((value("unfinished"), value("timeouts")), (0.0, 0.0));
}
