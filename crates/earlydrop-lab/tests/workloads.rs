//! Workloads of data centres: sizes, loads, lists and hosts as a scenario names them.

use std::collections::BTreeMap;

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

#[test]
fn a_load_on_a_dumbbell_is_a_share_of_its_bottleneck() {
    let text = "duration = \"50 s\"\nwarm_up = \"0 s\"\nseeds = 1\nschemes = [\"droptail\"]\n\
                network = { rate = \"10 Mbps\", rtt = \"10 ms\" }\n\
                [flows.a]\nkind = \"arrivals\"\ncount = 5\nsizes = \"sizes.txt\"\nload = 0.6\n";
    // 3500 transfers: their sum deviates by 2%.
    let utilisation = outcome(text).value("utilisation").unwrap();
    assert!((0.55..0.65).contains(&utilisation), "{utilisation}");
}

#[test]
fn a_list_names_hosts_by_number_or_name() {
    let flows = "[flows.a]\nkind = \"list\"\nlist = \"flows.csv\"\n";
    let measured = outcome(&format!("duration = \"10 ms\"\n{FABRIC}{flows}"));
    assert_eq!(measured.sizes.len(), 2);
    assert!(measured.value("slowdown_p999").unwrap() < 1.3);
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
        ("kind = \"list\"", "without a file"),
        ("kind = \"list\"\nlist = \"nobody.csv\"", "8"),
        (
            "kind = \"list\"\nlist = \"none.csv\"",
            "not among those in memory",
        ),
        ("to = \"host 9\"", "host 9"),
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
