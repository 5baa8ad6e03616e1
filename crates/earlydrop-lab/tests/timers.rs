//! Timers and intervals of zero or next to it: refused with the nearest value, or simulated with
//! time going on.

use earlydrop_lab::plan::{Plan, Source, TraceFiles};
use earlydrop_lab::run::outcomes;

const NETWORK: &str = "duration = \"2 s\"\nseeds = 1\nschemes = [\"droptail:limit=5\"]\n\
                       network = { rate = \"5 Mbps\", rtt = \"40 ms\" }\n[flows.a]\n";

fn plan(flows: &str) -> Result<Plan, String> {
    let text = format!("{NETWORK}{flows}");
    let source = Source::new("timers.toml", &text, TraceFiles::default());
    source
        .and_then(|source| source.plan())
        .map_err(|problems| problems.to_string())
}

/// Would not return if a timer expired again and again at one moment.
#[test]
fn the_shortest_timers_let_time_go_on() {
    for flows in [
        "tcp = { least_timeout = \"0 s\" }\ncount = 5",
        "tcp = { least_timeout = \"0 s\", tick = \"1 ns\", first_timeout = \"1 us\" }\ncount = 5",
        "tcp = { profile = \"ns2\", least_timeout = \"0 s\", tick = \"1 ns\", first_timeout = \"1 us\" }",
        "tcp = { ack_delay = \"0 s\", delayed_acks = 5 }\ncount = 5",
        "kind = \"web\"\nsize = \"1 bytes\"\npause = \"0 s\"",
        "kind = \"requests\"\nsize = \"1 bytes\"\npause = \"0 s\"",
        "kind = \"on-off\"\non = \"8 us\"\noff = \"0 s\"",
        "access = \"2000 Gbps\"\ntcp = { segment = \"60 bytes\" }",
    ] {
        let plan = plan(flows).unwrap_or_else(|problem| panic!("{flows}: {problem}"));
        let ended: Result<Vec<_>, _> = outcomes(&plan).collect();
        assert_eq!(ended.unwrap().len(), 1, "{flows}");
    }
}

#[test]
fn timers_and_bursts_too_short_are_refused_with_the_nearest() {
    for (flows, found, nearest) in [
        (
            "tcp = { first_timeout = \"0 s\" }",
            "first_timeout",
            "nearest: first_timeout = \"0.000001 s\"",
        ),
        (
            "tcp = { largest_timeout = \"0 s\" }",
            "largest_timeout",
            "nearest: largest_timeout = \"0.000001 s\"",
        ),
        (
            "tcp = { largest_timeout = \"1 us\", first_timeout = \"1 us\", least_timeout = \"0 s\" }",
            "these values of `tcp` contradict each other",
            "the timer's maximum is below its tick or a microsecond",
        ),
        (
            "kind = \"on-off\"\non = \"7 us\"",
            "bursts of 7 us of datagrams that follow each other every 8 ms at 1 Mbps",
            "nearest: on = \"8 us\"",
        ),
        (
            "kind = \"on-off\"\non = \"8 us\"\nsteps = [{ at = \"1 s\", rate = \"100 kbps\" }]",
            "every 80 ms at 100 kbps",
            "nearest: on = \"80 us\"",
        ),
        (
            "kind = \"on-off\"\non = \"lognormal(10) 8 us\"\noff = \"0 s\"",
            "bursts of lognormal(10) 8 us of datagrams",
            "nearest: on = \"lognormal(10) ",
        ),
    ] {
        let problem = plan(flows).map(|_| ()).unwrap_err();
        assert!(problem.contains(found), "{flows}: {problem}");
        assert!(problem.contains(nearest), "{flows}: {problem}");
        assert!(problem.contains("timers.toml:"), "{flows}: {problem}");
    }
}

#[test]
fn a_delay_without_its_unit_is_suggested_in_milliseconds_and_a_duration_in_seconds() {
    for (flows, nearest) in [
        ("rtt = 50", "nearest: rtt = \"50 ms\""),
        ("rtt = \"50\"", "nearest: rtt = \"50 ms\""),
        ("tcp = { ack_delay = 40 }", "nearest: ack_delay = \"40 ms\""),
        ("overhead = 1", "nearest: overhead = \"1 ms\""),
        ("stop = 10", "nearest: stop = \"10 s\""),
        ("kind = \"on-off\"\non = 500", "nearest: on = \"500 ms\""),
        (
            "kind = \"arrivals\"\nsize = \"12 kB\"\nevery = \"exponential 2\"",
            "nearest: every = \"exponential 2 s\"",
        ),
        ("[measure]\nsample = 20", "nearest: sample = \"20 ms\""),
    ] {
        let problem = plan(flows).map(|_| ()).unwrap_err();
        assert!(problem.contains(nearest), "{flows}: {problem}");
    }
}
