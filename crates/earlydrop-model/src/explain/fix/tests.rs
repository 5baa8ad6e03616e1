use earlydrop::units::{BitsPerSec, Bytes, Nanos};

use super::*;
use crate::explain::Severity;
use crate::tools::{TOOLS, Tool, read, translate};

fn load(mbps: u64, rtt: u64, flows: f64) -> Load {
    Load {
        rate: BitsPerSec::from_mbps(mbps),
        rtt: Nanos::from_millis(rtt),
        flows,
        packet: Bytes(1500),
        ..Load::default()
    }
}

fn loads() -> [Load; 5] {
    [
        load(10, 50, 20.0),
        load(20, 100, 5.0),
        load(100, 50, 150.0),
        load(1000, 20, 400.0),
        load(1000, 50, 20.0),
    ]
}

/// Configurations with something wrong, in the notation that says most.
const BAD: &[&str] = &[
    "red:min=2,max=15",
    "red:min=10,max=15,max_p=0.001",
    "red:min=10,max=30,limit=32,weight=0.5",
    "red:min=500,max=600,limit=2000,weight=0.00001",
    "gred:min=8,max=12,max_p=0.9,weight=0.9",
];

fn serious(text: &str, tool: &str, load: &Load) -> Vec<String> {
    let tool = crate::tools::find(tool);
    let configuration = read(text, tool, &load.link()).unwrap();
    let findings = explain(&configuration, text, load).unwrap().findings;
    let serious = findings
        .iter()
        .filter(|one| one.rule.severity < Severity::Notice);
    serious
        .map(|one| format!("{}: {}", one.rule.name, one.what))
        .collect()
}

#[test]
fn what_is_fixed_has_no_serious_finding_in_any_dialect() {
    let mut mended = 0;
    for load in loads() {
        let link = load.link();
        for (tool, bad) in TOOLS
            .iter()
            .flat_map(|tool| BAD.iter().map(move |bad| (tool, bad)))
        {
            let native = read(bad, None, &link).unwrap();
            let text = translate(&native, tool, &link).unwrap().text;
            let given = read(&text, Some(tool), &link).unwrap();
            let fix = fix(&given, &text, &load).unwrap();
            let at = format!(
                "{} of {bad} under {load:?}:\n{text}\n->\n{}",
                tool.name, fix.text
            );
            let left = serious(&fix.text, tool.name, &load);
            assert!(left.is_empty() && fix.left.is_empty(), "{left:?} in {at}");
            let before = serious(&text, tool.name, &load);
            assert_eq!(
                before.is_empty(),
                fix.changes.is_empty(),
                "{before:?}, {:?} in {at}",
                fix.changes
            );
            mended += usize::from(!before.is_empty());
            let reread = read(&fix.text, Some(tool), &link).unwrap();
            assert_eq!(differences(&reread, &fix.configuration, &link), [], "{at}");
        }
    }
    assert!(mended > 150, "{mended}");
}

#[test]
fn what_is_sound_is_left_as_it_is() {
    let load = load(10, 50, 20.0);
    let text = "  red:min=20,max=60,max_p=0.1,weight=0.002,limit=250,ecn=off # mine";
    let text = text.split(" #").next().unwrap();
    let given = read(text, None, &load.link()).unwrap();
    let fix = fix(&given, text, &load).unwrap();
    assert_eq!((fix.text.as_str(), fix.changes.len()), (text, 0));
}

#[test]
fn a_command_keeps_its_words_and_its_device() {
    let load = load(100, 50, 100.0);
    let text = "tc qdisc replace dev wan0 parent 1:10 handle 10: red limit 60k min 30k max 40k \
                avpkt 1500 burst 25 ecn";
    let given = read(text, None, &load.link()).unwrap();
    let fix = fix(&given, text, &load).unwrap();
    let begin = "tc qdisc replace dev wan0 parent 1:10 handle 10: red limit ";
    assert!(fix.text.starts_with(begin), "{}", fix.text);
    assert!(
        fix.text.contains(" min 30k max ") && fix.text.contains(" ecn "),
        "{}",
        fix.text
    );
    assert!(fix.text.contains(" bandwidth 100000000bit"), "{}", fix.text);
    let change = |name: &str| fix.changes.iter().find(|one| one.name == name).unwrap();
    assert_eq!(
        (change("max").from.as_str(), change("max").to.as_str()),
        ("40k", "92160")
    );
    assert!(
        change("bandwidth").from.contains("not given"),
        "{:?}",
        change("bandwidth")
    );
    assert!(
        change("max").reason.contains("times min"),
        "{:?}",
        change("max")
    );
}

#[test]
fn the_output_of_tc_becomes_a_command_for_its_device() {
    let load = load(100, 50, 100.0);
    let text = "qdisc red 8001: dev wan0 parent 1:10 refcnt 2 limit 60000b min 30000b max 40000b \
                ewma 3 probability 0.02 Scell_log 10";
    let given = read(text, None, &load.link()).unwrap();
    let fix = fix(&given, text, &load).unwrap();
    let begin = "tc qdisc replace dev wan0 parent 1:10 handle 8001: red limit ";
    assert!(fix.text.starts_with(begin), "{}", fix.text);
    assert!(serious(&fix.text, "linux", &load).is_empty());
}

#[test]
fn classes_keep_their_order() {
    let load = load(100, 50, 150.0);
    let text = "random-detect dscp af11 3 4 10\nrandom-detect dscp af12 2 4 10\n";
    let given = read(text, None, &load.link()).unwrap();
    let fix = fix(&given, text, &load).unwrap();
    let [high, low] = fix.configuration.classes.as_slice() else {
        panic!("{}", fix.text);
    };
    assert!(
        high.min.value > low.min.value && high.min.value >= 5.0,
        "{}",
        fix.text
    );
    assert!(high.max.value >= 2.0 * high.min.value, "{}", fix.text);
}

/// What `configure` recommends is what `explain` asks for.
#[test]
fn configure_and_explain_are_of_one_opinion() {
    use crate::configure::{Goal, Question, configure};
    let mut checked = 0;
    for mbps in [5, 20, 100, 1000, 10_000] {
        for rtt in [10, 50, 100] {
            for flows in [5.0, 20.0, 200.0] {
                let load = load(mbps, rtt, flows);
                let answer = configure(&Question {
                    load,
                    scheme: "red".parse().unwrap(),
                    buffer: None,
                    goal: Goal::Usual,
                    method: None,
                    open_loop: None,
                })
                .unwrap();
                // Where no RED can serve so many flows, both say so.
                if !answer.choices[0].advice.notes.is_empty() || !answer.warnings.is_empty() {
                    continue;
                }
                let link = load.link();
                let spec = &answer.choices[0].advice.spec;
                let native = crate::tools::of_spec(spec, &link).unwrap();
                // Without an average, `min` is a limit on bursts.
                let averages =
                    |tool: &&&Tool| tool.knobs.iter().any(|entry| entry.knob == Knob::Weight);
                for tool in TOOLS.iter().filter(averages) {
                    // tc takes no max_p as small as few flows on a fast link need.
                    let Ok(translation) = translate(&native, tool, &link) else {
                        continue;
                    };
                    // DPDK takes no threshold above 1023 packets.
                    let is_threshold = |knob| matches!(knob, Knob::Min | Knob::Max);
                    if translation.lost.iter().any(|lost| is_threshold(lost.knob)) {
                        continue;
                    }
                    // NX-OS and EOS average over at most 2^15 packets, IOS XR over 2^9.
                    let written = &translation.configuration.weight;
                    if written.value > 1.5 * native.weight.value {
                        continue;
                    }
                    let text = translation.text;
                    let found = serious(&text, tool.name, &load);
                    assert!(
                        found.is_empty(),
                        "{load:?} {spec} for {}: {found:?}\n{text}",
                        tool.name
                    );
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 100, "{checked}");
}

#[test]
fn whole_fill_levels_are_corrected_at_once() {
    let tool = crate::tools::find("junos");
    for levels in ["10 90 100", "20 30 100", "5 95 100"] {
        for (rate, rtt) in [
            (1_000_000, 10_000),
            (100_000_000, 10_000),
            (100_000_000, 20_000_000),
        ] {
            let load = Load {
                rate: BitsPerSec(rate),
                rtt: Nanos(rtt),
                flows: 1.0,
                ..Load::default()
            };
            let text = format!(
                "class-of-service {{ drop-profiles {{ d {{ interpolate {{ fill-level [ {levels} ]; \
                 drop-probability [ 0 10 100 ]; }} }} }} }}"
            );
            let once = |text: &str| {
                let configuration = read(text, tool, &load.link()).unwrap();
                fix(&configuration, text, &load).unwrap().text
            };
            let first = once(&text);
            assert_eq!(once(&first), first, "{levels} at {rate} and {rtt}");
        }
    }
}

#[test]
fn a_routers_other_statements_are_kept() {
    let text = "policy-map WAN\n class VOICE\n  priority percent 10\n class BULK\n  \
                random-detect dscp-based\n  random-detect dscp af11 32 40 10\n class class-default\n  \
                fair-queue\ninterface Gi0/1\n service-policy output WAN";
    let load = load(1000, 50, 150.0);
    let read = read(text, crate::tools::find("cisco"), &load.link());
    let fix = fix(&read.unwrap(), text, &load).unwrap();
    assert!(!fix.changes.is_empty());
    let kept = text.lines().filter(|line| !line.contains("af11"));
    for line in kept {
        let is_kept = fix.text.lines().any(|one| one == line);
        assert!(is_kept, "{line}: {}", fix.text);
    }
    // The weight, which was IOS's default, has a statement in the same class.
    let lines: Vec<&str> = fix.text.lines().collect();
    let at = |part: &str| lines.iter().position(|line| line.contains(part));
    let weight = at("  random-detect exponential-weighting-constant");
    let after = at("dscp af11 32 96 10").map(|line| line + 1);
    assert_eq!(weight, after, "{}", fix.text);
}
