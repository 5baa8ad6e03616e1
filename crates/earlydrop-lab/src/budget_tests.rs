use super::*;
use crate::plan::{Plan, Source, TraceFiles};

fn plan(change: &str, limits: Limits) -> Result<Plan, String> {
    let text =
        format!("seeds = 2\nschemes = [\"red\", \"codel\"]\n{change}\n[flows.a]\ncount = 10\n");
    let source = Source::new("s.toml", &text, TraceFiles::default()).unwrap();
    let plan = source.with_limits(limits).plan();
    plan.map_err(|problems| problems.to_string())
}

#[test]
fn what_nobody_means_is_refused_with_its_number_and_its_field() {
    for (change, number, field) in [
        (
            "duration = \"1e9 s\"\nflows.b.count = 1000",
            "events",
            "`duration`",
        ),
        (
            "measure = { windows = 1000, sample = \"50 us\" }\nnetwork.rate = \"1 Mbps\"",
            "GB of memory",
            "`measure.sample`",
        ),
    ] {
        let text = change.replace("windows = 1000", "windows = 1000, series = \"all\"");
        let text = match change.contains("windows") {
            true => format!("{text}\nflows.b.count = 1000"),
            false => text,
        };
        let refused = plan(&text, Limits::default()).unwrap_err();
        assert!(
            refused.contains(number) && refused.contains(field),
            "{refused}"
        );
        assert!(refused.contains("--limits"), "{refused}");
    }
}

/// The scenarios of which a machine without memory has died, within a small limit.
#[test]
fn networks_and_queues_are_refused_before_they_are_built() {
    let small = Limits {
        memory: 50e6,
        ..Limits::default()
    };
    for (network, schemes, part) in [
        (
            "shape = \"fat-tree\"\nports = 16",
            "cake",
            "most of it is queues",
        ),
        (
            "shape = \"fat-tree\"\nports = 16",
            "fq-codel",
            "most of it is queues",
        ),
        (
            "shape = \"fat-tree\"\nports = 64",
            "droptail",
            "most of it is nodes and links",
        ),
        (
            "shape = \"leaf-spine\"\nleaves = 1024\nspines = 1024\nhosts = 1024",
            "droptail",
            "most of it is nodes and links",
        ),
    ] {
        let text = format!("schemes = [\"red\", \"{schemes}\"]\nduration = \"1 s\"");
        let text = format!("{text}\n[network]\n{network}\n[flows.a]\nstart = \"0 s\"\n");
        let source = Source::new("s.toml", &text, TraceFiles::default()).unwrap();
        let refused = source.with_limits(small).plan().unwrap_err().to_string();
        assert!(refused.contains(part), "{refused}");
        assert!(refused.contains("of memory, above 50 MB"), "{refused}");
    }
}

#[test]
fn packets_in_slow_hosts_are_refused_with_their_field() {
    let small = Limits {
        memory: 10e6,
        ..Limits::default()
    };
    let flow = "flows.b = { kind = \"cbr\", rate = \"10 Mbps\", packet = \"100 bytes\"";
    plan(&format!("{flow} }}"), small).unwrap();
    let refused = plan(&format!("{flow}, overhead = \"1e9 s\" }}"), small).unwrap_err();
    let part = "most of it is packets in slow hosts: a smaller `overhead`";
    assert!(refused.contains(part), "{refused}");
}

#[test]
fn a_long_buffer_takes_no_memory_before_packets_wait() {
    let network = "[network]\nshape = \"parking-lot\"\nbottlenecks = 16";
    let change = |buffer: &str| format!("{network}\nbuffer = \"{buffer} packets\"");
    let of = |buffer| plan(&change(buffer), Limits::default()).unwrap();
    let [short, long] = ["100", "1e6"].map(|buffer| of(buffer).scenario().cost.queue_bytes);
    assert_eq!(short, long);
}

#[test]
fn a_limit_that_is_raised_as_the_message_says_is_enough() {
    let small = Limits {
        memory: 1e3,
        ..Limits::default()
    };
    let refused = plan("", small).unwrap_err();
    let raised = refused.split("--limits ").nth(1).unwrap();
    let raised: Limits = raised.split_whitespace().next().unwrap().parse().unwrap();
    plan("", raised).unwrap();
}

#[test]
fn the_limits_that_a_budget_needs_are_enough_for_it() {
    for amount in [1.0e13, 1.24e13, 9.9e13, 3.0e14] {
        let budget = Budget {
            events: amount,
            disk: 1.0 + amount / 100.0,
            ..Budget::default()
        };
        let needed: Limits = budget.needed_limits().unwrap().parse().unwrap();
        budget.check(&needed).unwrap();
        // What one limit refuses names the others that are needed.
        let only_disk = Limits {
            disk: f64::INFINITY,
            ..Limits::default()
        };
        let refused = budget.check(&only_disk).unwrap_err().to_string();
        let (_, nearest) = refused.split_once("--limits ").unwrap();
        budget.check(&nearest.parse().unwrap()).unwrap();
    }
    assert_eq!(Budget::default().needed_limits(), None);
}

#[test]
fn every_shipped_default_is_far_below_the_limits() {
    let budget = plan("", Limits::default()).unwrap().budget();
    let limits = Limits::default();
    assert!(budget.memory < limits.memory / 10.0, "{budget:?}");
    assert!(budget.events < limits.events / 1000.0, "{budget:?}");
    assert!(budget.disk < limits.disk / 100.0, "{budget:?}");
}

#[test]
fn limits_are_read_with_their_units() {
    let limits: Limits = "memory=16GB, disk=1e12".parse().unwrap();
    let wanted = Limits {
        memory: 16e9,
        disk: 1e12,
        ..Limits::default()
    };
    assert_eq!(limits, wanted);
    for wrong in [
        "",
        "memory",
        "memory=",
        "memory=-1",
        "memory=nan",
        "memory=8Gbps",
        "disk=50%",
        "events=1e12MB",
        "disc=1GB",
    ] {
        assert!(wrong.parse::<Limits>().is_err(), "{wrong}");
    }
    let hint = "memroy=1GB".parse::<Limits>().unwrap_err().to_string();
    assert!(hint.contains("did you mean memory?"), "{hint}");
}

/// What stands in files and in long lists, and what a report shows, is refused with its field.
#[test]
fn files_lists_and_reports_are_refused_with_their_field() {
    let small = Limits {
        memory: 5e6,
        ..Limits::default()
    };
    let lines = |count: usize, line: &dyn Fn(usize) -> String| -> Vec<String> {
        (0..count).map(line).collect()
    };
    let times = lines(2000, &|n| format!("\"{} us\"", 10_000 + n)).join(", ");
    let changes = lines(2000, &|n| {
        format!("{{ at = \"{n} us\", rate = \"9 Mbps\" }}")
    })
    .join(", ");
    let trace = lines(500_000, &|n| n.to_string()).join("\n");
    for (field, knob) in [
        ("network.trace = \"f\"".to_string(), "`trace`"),
        (format!("network.changes = [{changes}]"), "`changes`"),
        (
            format!("measure.series = \"none\"\nsweep.\"network.rtt\" = [{times}]"),
            "results and their report",
        ),
    ] {
        let text = format!("duration = \"1 s\"\nschemes = [\"red\"]\nflows.a.count = 1\n{field}\n");
        let files = TraceFiles::Memory([("f".to_string(), trace.clone())].into());
        let source = Source::new("s.toml", &text, files).unwrap();
        let refused = source.with_limits(small).plan().unwrap_err().to_string();
        assert!(refused.contains("most of it is"), "{refused}");
        assert!(refused.contains(knob), "{refused}");
    }
}
