//! Cables of fabrics that differ from the others, by the fields of a scenario.

use earlydrop_lab::outcome::Outcome;
use earlydrop_lab::plan::{Source, TraceFiles};
use earlydrop_lab::run::outcomes;

/// Two leaves, two spines and a connection across.
fn fabric(network: &str) -> String {
    format!(
        "duration = \"40 ms\"\nwarm_up = \"0 s\"\nseeds = 1\nschemes = [\"droptail\"]\n\
         tcp = {{ control = \"dctcp\", least_timeout = \"1 ms\" }}\n\
         [network]\nshape = \"leaf-spine\"\nleaves = 2\nspines = 2\nhosts = 2\nrate = \"1 Gbps\"\n\
         buffer = \"100 packets\"\n{network}\n\
         [flows.a]\nfrom = \"host 0\"\nto = \"host 2\"\nstart = \"0 s\"\n\
         [flows.b]\nfrom = \"host 1\"\nto = \"host 3\"\nstart = \"0 s\"\n"
    )
}

fn outcome(network: &str) -> Outcome {
    let source = Source::new("fabric.toml", &fabric(network), TraceFiles::default());
    let plan = source.and_then(|source| source.plan());
    let plan = plan.unwrap_or_else(|problems| panic!("{problems:?}"));
    let mut ended: Vec<_> = outcomes(&plan).collect::<Result<_, _>>().unwrap();
    ended.remove(0).1
}

fn problem(network: &str) -> String {
    let source = Source::new("fabric.toml", &fabric(network), TraceFiles::default());
    let problems = source.and_then(|source| source.plan()).map(|_| ());
    format!("{:?}", problems.unwrap_err())
}

#[test]
fn flows_outlive_a_cut_cable_if_switches_take_another_route() {
    let goodput = |network: &str| outcome(network).value("goodput").unwrap();
    let mut suffered = 0;
    for spine in 0..2 {
        let cut = |reroute: &str| {
            format!(
                "cables = [{{ link = \"leaf 0 to spine {spine}\", cut = \"10 ms\" }}]\n\
                 reroute = \"{reroute}\""
            )
        };
        let (rerouted, never) = (goodput(&cut("100 us")), goodput(&cut("never")));
        // Over the other spine both share at least 1 Gbps.
        assert!(rerouted > 0.9e9, "{rerouted}");
        suffered += u32::from(never < 0.8 * rerouted);
        let mended = cut("never").replace("10 ms\"", "10 ms\", mended = \"11 ms\"");
        assert!(goodput(&mended) > 0.9 * rerouted, "{rerouted}");
    }
    assert!(suffered > 0);
}

#[test]
fn a_slow_cable_is_slow_both_ways() {
    let cables = "cables = [{ link = \"leaf 0 to spine 0\", rate = \"100 Mbps\" }, \
                  { link = \"spine 1 to leaf 0\", rate = \"100 Mbps\" }]";
    let goodput = outcome(cables).value("goodput").unwrap();
    assert!(goodput < 0.2e9, "{goodput}");
}

#[test]
fn wrong_cables_are_refused() {
    for (cables, said) in [
        (
            "{ link = \"leaf 0 to spine 7\", cut = \"1 ms\" }",
            "leaf 0 to spine 1",
        ),
        (
            "{ link = \"leaf 0 to spine 1\", mended = \"1 ms\" }",
            "not cut",
        ),
        (
            "{ link = \"leaf 0 to spine 1\", cut = \"5 ms\", mended = \"1 ms\" }",
            "a later time, or never",
        ),
        ("{ link = \"leaf 0 to spine 1\" }", "differs in nothing"),
        (
            "{ link = \"leaf 0 to spine 1\", rate = \"1 Gbps\" }, \
             { link = \"spine 1 to leaf 0\", rate = \"2 Gbps\" }",
            "one rate of each cable",
        ),
        (
            "{ link = \"leaf 0 to spine 1\", cut = \"1 ms\" }, \
             { link = \"leaf 0 to spine 1\", cut = \"2 ms\", mended = \"3 ms\" }",
            "cuts of one cable that follow each other",
        ),
    ] {
        let found = problem(&format!("cables = [{cables}]"));
        assert!(found.contains(said), "{said} in {found}");
    }
    let late = "cables = [{ link = \"leaf 0 to spine 1\", cut = \"1 s\" }]";
    let source = Source::new("fabric.toml", &fabric(late), TraceFiles::default()).unwrap();
    let warnings = source.plan().unwrap().warnings();
    assert!(
        format!("{warnings:?}").contains("has no effect"),
        "{warnings:?}"
    );
}

/// Transfers that begin when a cable of another rate is gone have the other route, in their records
/// as on the wire, and no ideal time: it was not the same before.
#[test]
fn transfers_after_a_cut_have_the_route_that_they_take() {
    let records = |rate: &str| {
        let text = format!(
            "duration = \"40 ms\"\nwarm_up = \"0 s\"\nseeds = 1\nschemes = [\"droptail\"]\n\
             tcp = {{ control = \"dctcp\", delayed_acks = 0 }}\nmeasure.records = true\n\
             [network]\nshape = \"leaf-spine\"\nleaves = 2\nspines = 2\nhosts = 2\n\
             rate = \"10 Gbps\"\nreroute = \"0 s\"\n\
             [[network.cables]]\nlink = \"leaf 0 to spine 1\"\ncut = \"10 ms\"\n{rate}\
             [flows.a]\nkind = \"arrivals\"\nsize = \"20 kB\"\nload = 0.02\n\
             from = \"host 0\"\nto = \"host 2\"\nstart = \"11 ms\"\n"
        );
        let source = Source::new("cut.toml", &text, TraceFiles::default());
        let plan = source.and_then(|source| source.plan()).unwrap();
        let mut ended: Vec<_> = outcomes(&plan).collect::<Result<_, _>>().unwrap();
        ended.remove(0).1.records
    };
    for rate in ["", "rate = \"100 Mbps\"\n"] {
        let records = records(rate);
        assert!(records.len() > 20, "{}", records.len());
        let (mut known, mut unknown) = (0, 0);
        for one in &records {
            assert_eq!(one.path, "leaf 0 > spine 0 > leaf 1");
            match one.slowdown {
                Some(slowdown) => known += u32::from(slowdown >= 1.0),
                None => unknown += 1,
            }
        }
        assert_eq!(known + unknown, records.len() as u32, "{records:?}");
        assert_eq!(unknown > 0, !rate.is_empty());
    }
}
