//! `earlydrop bridge` as its users run it: between two veth pairs whose other ends are hosts in
//! network namespaces of the test.
//!
//! The tests need root, `ip`, `ethtool`, `unshare` and `nsenter`; without them they are skipped.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Output};

use crate::support::{Ran, User};
use crate::testbed::{FAR, NEAR, Testbed};
use crate::traffic::{adds_up, fills_the_link, marks_arrive, number, one_by_one, summary, until};
use serde_json::Value;

/// Packets of a direction in a sample: read, and delivered.
struct Sampled {
    taken: u64,
    delivered: u64,
}

/// The last whole sample of each direction: up, down.
fn last_samples(stats: &Path) -> [Sampled; 2] {
    let text = fs::read_to_string(stats).unwrap();
    ["up", "down"].map(|direction| {
        let samples = text.lines().rev().flat_map(serde_json::from_str::<Value>);
        let mut samples = samples.filter(|sample| sample["direction"] == direction);
        let sample = samples.next().unwrap();
        let count = |name: &str| sample[name].as_u64().unwrap();
        Sampled {
            taken: count("taken"),
            delivered: count("delivered"),
        }
    })
}

/// What a bridge prints on standard error, line by line.
type Lines = std::io::Lines<BufReader<ChildStderr>>;

fn lines(child: &mut Child) -> Lines {
    BufReader::new(child.stderr.take().unwrap()).lines()
}

/// Waits until a bridge prints these words.
fn until_said(lines: &mut Lines, words: &str) {
    let mut seen = Vec::new();
    for line in lines {
        let line = line.unwrap();
        if line.contains(words) {
            return;
        }
        seen.push(line);
    }
    panic!("{words} in {seen:?}");
}

fn signal(child: &Child, name: &str) {
    let line = format!("kill -{name} {}", child.id());
    let sent = Command::new("sh").args(["-c", &line]).status();
    assert!(sent.unwrap().success());
}

/// Interrupts a bridge and returns its result.
fn interrupt(child: Child) -> Ran {
    signal(&child, "INT");
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran
}

macro_rules! or_skip {
    () => {
        match Testbed::new() {
            Some(testbed) => testbed,
            None => return,
        }
    };
}

const RED: [&str; 4] = ["--delay", "10ms", "--queue", "red:min=10,max=30"];

#[test]
fn hosts_fill_the_link_are_marked_and_count_the_same() {
    let testbed = or_skip!();
    let user = User::new();
    testbed.enable_ecn();
    for host in [&testbed.near, &testbed.far] {
        host.sh("sysctl -qw net.ipv6.conf.host.disable_ipv6=1 || true");
    }
    let hosts = || [&testbed.near, &testbed.far].map(|host| host.counted("host"));
    let [[near_received, near_sent], [far_received, far_sent]] = hosts();
    let bridge = testbed.start(&user, &RED);
    let ran = testbed.transfer(FAR[0]);
    // The last acknowledgments may still be in flight.
    until(
        || {
            let [near, far] = hosts();
            let [up, down] = last_samples(&user.path("stats.jsonl"));
            (up.taken, up.delivered) == (near[1] - near_sent, far[0] - far_received)
                && (down.taken, down.delivered) == (far[1] - far_sent, near[0] - near_received)
        },
        "every packet is counted at both sides",
    );
    let before = hosts();
    let ended = interrupt(bridge);
    let after = hosts();
    assert!(number(&ran, "round trip") >= 0.02, "{ran:?}");
    let summary = summary(&user.path("stats.jsonl"));
    fills_the_link(&ran, &summary);
    marks_arrive(&ran, &summary);
    adds_up(&summary);
    one_by_one(&summary);
    // The hosts count the same packets as the bridge; what they send while it ends, it may see or
    // not. They leave checksums to their veth device; the bridge completes them, else no packet
    // would have been accepted.
    let same = |counted: &Value, host: usize, way: usize, first: u64| {
        let [before, after] = [before, after].map(|hosts| hosts[host][way] - first);
        let counted = counted.as_u64().unwrap();
        assert!(
            (before..=after).contains(&counted),
            "{counted} of {before} to {after}: {summary}"
        );
    };
    let [up, down] = [&summary["up"], &summary["down"]];
    same(&summary["near"]["sent"], 0, 1, near_sent);
    same(&summary["far"]["sent"], 1, 1, far_sent);
    same(&up["delivered"], 1, 0, far_received);
    same(&down["delivered"], 0, 0, near_received);
    // ARP requests bypass the scheme.
    assert!(up["passed"].as_u64() > Some(0), "{summary}");
    for said in [
        "between eth1 and eth2",
        "both directions: 10 Mbps, 10 ms, red:",
        "is a veth",
    ] {
        assert!(ended.err.contains(said), "{said} in {ended:?}");
    }
}

#[test]
fn packets_of_ipv6_cross_and_frames_are_recorded() {
    let testbed = or_skip!();
    let user = User::new();
    if !Path::new("/proc/net/if_inet6").exists() {
        println!("skipped: packets_of_ipv6_cross: this kernel has no IPv6");
        return;
    }
    for (host, [_, address]) in [(&testbed.near, NEAR), (&testbed.far, FAR)] {
        host.sh(&format!("ip address add {address}/64 dev host nodad"));
    }
    let both = [&RED[..], &["--pcap", "packets.pcapng"]].concat();
    let bridge = testbed.start(&user, &both);
    let ran = testbed.transfer(FAR[1]);
    interrupt(bridge);
    let summary = summary(&user.path("stats.jsonl"));
    fills_the_link(&ran, &summary);
    adds_up(&summary);
    one_by_one(&summary);
    assert!(summary["up"]["dropped"].as_u64() > Some(0), "{summary}");
    assert_eq!(summary["up"]["marked"], 0, "nobody asked for marks");
    // From the near host's interface, a packet of IPv6.
    let recorded = fs::read(user.path("packets.pcapng")).unwrap();
    let begins = [&testbed.near.hardware_address("host")[..], &[0x86, 0xdd]].concat();
    let frames = recorded
        .windows(begins.len())
        .filter(|bytes| *bytes == begins);
    let departed = summary["up"]["departed"].as_u64().unwrap();
    assert!(frames.count() as u64 >= departed, "{summary}");
}

#[test]
fn merged_packets_are_dropped_with_advice() {
    let testbed = or_skip!();
    let user = User::new();
    testbed.near.sh("ethtool -K host tso on gso on");
    testbed.gateway.sh("ethtool -K eth1 gro on");
    let bridge = testbed.start(&user, &["--queue", "droptail:limit=1000"]);
    testbed.transfer(FAR[0]);
    let ended = interrupt(bridge);
    let summary = summary(&user.path("stats.jsonl"));
    assert!(summary["up"]["oversized"].as_u64() > Some(0), "{summary}");
    adds_up(&summary);
    one_by_one(&summary);
    for said in [
        "tso off gso off gro off",
        "eth1 merges received packets (gro)",
    ] {
        assert!(ended.err.contains(said), "{said} in {ended:?}");
    }
}

/// The promiscuity count of an interface.
fn promiscuity(testbed: &Testbed, interface: &str) -> u32 {
    let text = testbed
        .gateway
        .sh(&format!("ip -details link show {interface}"));
    let mut words = text
        .split_whitespace()
        .skip_while(|word| *word != "promiscuity");
    words.nth(1).unwrap().parse().unwrap()
}

#[test]
fn it_runs_without_privileges_and_leaves_nothing_however_it_ends() {
    let testbed = or_skip!();
    let counts = || ["eth1", "eth2"].map(|interface| promiscuity(&testbed, interface));
    for name in ["KILL", "TERM", "INT"] {
        let user = User::new();
        assert_eq!(counts(), [0, 0]);
        let child = testbed.start(&user, &[]);
        assert_eq!(counts(), [1, 1]);
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        for set in ["CapPrm", "CapEff", "CapAmb"] {
            assert!(
                status.contains(&format!("{set}:\t0000000000000000")),
                "{status}"
            );
        }
        signal(&child, name);
        let ended = Ran::of(child.wait_with_output().unwrap());
        assert_eq!(
            ended.code,
            if name == "KILL" { None } else { Some(0) },
            "{ended:?}"
        );
        until(|| counts() == [0, 0], "no longer in promiscuous mode");
        if name != "KILL" {
            assert!(ended.err.contains("packets delivered ("), "{ended:?}");
            summary(&user.path("stats.jsonl"))["duration"]
                .as_f64()
                .unwrap();
        }
    }
}

#[test]
fn it_ends_after_its_time() {
    let testbed = or_skip!();
    let user = User::new();
    let output: Output = testbed.bridge(&user, &["--for", "300ms"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn it_ends_with_its_summary_when_an_interface_vanishes() {
    let testbed = or_skip!();
    let user = User::new();
    let child = testbed.start(&user, &[]);
    testbed.gateway.sh("ip link delete eth2");
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(1), "{ran:?}");
    for said in ["error: eth2 has vanished", "packets delivered ("] {
        assert!(ran.err.contains(said), "{said} in {ran:?}");
    }
    let summary = summary(&user.path("stats.jsonl"));
    adds_up(&summary);
}

#[test]
fn it_goes_on_when_an_interface_comes_up_again() {
    let testbed = or_skip!();
    let user = User::new();
    let mut child = testbed.start(&user, &RED);
    let mut said = lines(&mut child);
    for round in 0..2 {
        testbed.gateway.sh("ip link set eth2 down");
        until_said(&mut said, "eth2 is down");
        testbed.gateway.sh("ip link set eth2 up");
        until_said(&mut said, "eth2 is up again");
        if round == 0 {
            // Both at once.
            testbed
                .gateway
                .sh("ip link set eth1 down; ip link set eth2 down; ip link set eth1 up");
            until_said(&mut said, "eth1 is up again");
            testbed.gateway.sh("ip link set eth2 up");
            until_said(&mut said, "eth2 is up again");
        }
    }
    testbed.transfer(FAR[0]);
    signal(&child, "INT");
    until_said(&mut said, "packets delivered (");
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let summary = summary(&user.path("stats.jsonl"));
    assert!(
        summary["up"]["delivered"].as_u64() > Some(1000),
        "{summary}"
    );
}

#[test]
fn an_interface_belongs_to_one_bridge() {
    let testbed = or_skip!();
    let user = User::new();
    testbed
        .gateway
        .sh("ip link add eth3 type veth peer name other; ip link set eth3 up");
    let mut first = testbed.start(&user, &[]);
    let process = format!("process {}", first.id());
    for (from, to) in [("eth1", "eth2"), ("eth2", "eth1"), ("eth3", "eth1")] {
        let ran = between(&testbed, from, to);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        for said in ["belongs to another bridge", &process, "kill -INT"] {
            assert!(ran.err.contains(said), "{said} in {ran:?}");
        }
    }
    // The claim ends with its process, however that ends.
    first.kill().unwrap();
    first.wait().unwrap();
    let ran = between(&testbed, "eth1", "eth2");
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn outputs_must_differ_and_are_opened_before_anything_is_overwritten() {
    let testbed = or_skip!();
    let user = User::new();
    user.writes("old", "kept");
    std::os::unix::fs::symlink("old", user.path("link")).unwrap();
    for other in ["old", "./old", "link"] {
        let both = ["--stats", "old", "--pcap", other];
        let said = ["--stats old", &format!("--pcap {other}"), "the same file"];
        refused(&testbed, &user, &both, &said);
    }
    let nowhere = ["--force", "--stats", "old", "--pcap", "nowhere/packets"];
    refused(&testbed, &user, &nowhere, &["nowhere/packets: "]);
    assert_eq!(fs::read_to_string(user.path("old")).unwrap(), "kept");
}

/// Checks that a bridge at the gateway is refused with these words.
fn refused(testbed: &Testbed, user: &User, arguments: &[&str], said: &[&str]) {
    let mut command = testbed.bridge(user, arguments);
    let ran = Ran::of(command.output().unwrap());
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{ran:?}");
    for words in said {
        assert!(ran.err.contains(words), "{words} in\n{}", ran.err);
    }
}

/// Runs a bridge between two interfaces of the gateway for a moment.
fn between(testbed: &Testbed, from: &str, to: &str) -> Ran {
    let program = assert_cmd::cargo::cargo_bin!("earlydrop");
    let arguments = [
        "bridge",
        "--between",
        from,
        to,
        "--rate",
        "1Mbps",
        "--for",
        "10ms",
    ];
    let mut command = testbed
        .gateway
        .command(program.to_str().unwrap(), &arguments);
    Ran::of(command.output().unwrap())
}

#[test]
fn unsuitable_interfaces_are_refused() {
    let testbed = or_skip!();
    let user = User::new();
    for (from, to, said) in [
        (
            "eth1",
            "eth3",
            &["no interface eth3", "did you mean eth"][..],
        ),
        (
            "nonsense",
            "eth2",
            &["no interface nonsense", "known: lo, eth1, eth2"],
        ),
        ("eth1", "eth1", &["eth1 is given twice"]),
        ("lo", "eth2", &["lo is no Ethernet interface"]),
    ] {
        let ran = between(&testbed, from, to);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{ran:?}");
        for words in said {
            assert!(ran.err.contains(words), "{words} in\n{}", ran.err);
        }
    }
    refused(
        &testbed,
        &user,
        &["--for", "60"],
        &["--for 60", "nearest: --for 60s"],
    );
    testbed.gateway.sh("ip link set eth2 down");
    refused(
        &testbed,
        &user,
        &[],
        &["eth2 is down", "ip link set eth2 up"],
    );
    testbed
        .gateway
        .sh("ip link set eth2 up; ip link add one type veth peer name other");
    testbed
        .gateway
        .sh("ip link set one up; ip link set other up");
    let joined = between(&testbed, "one", "other");
    assert!(joined.err.contains("are connected already"), "{joined:?}");
    testbed.gateway.sh("ip address add 10.8.0.1/24 dev eth1");
    let warned = between(&testbed, "eth1", "eth2");
    assert_eq!(warned.code, Some(0), "{warned:?}");
    assert!(
        warned.err.contains("eth1 has the address 10.8.0.1"),
        "{warned:?}"
    );
    // Some kernels have no bridges.
    let made = "ip link add br0 type bridge && ip link set eth2 master br0 && echo made || true";
    if testbed.gateway.sh(made).contains("made") {
        refused(
            &testbed,
            &user,
            &[],
            &["eth2 belongs to br0", "ip link set eth2 nomaster"],
        );
    }
}

#[test]
fn the_default_route_is_used_only_with_the_flag_given_twice() {
    let testbed = or_skip!();
    let user = User::new();
    let flag = ["--even-default-route", "eth1"];
    let briefly = ["--for", "10ms"];
    let run = |flags: &[&str]| {
        let mut command = testbed.bridge(&user, &[flags, &briefly].concat());
        Ran::of(command.output().unwrap()).code
    };
    testbed.gateway.sh("ip address add 10.8.0.1/24 dev eth1");
    for (made, undone) in [
        ("ip route add default dev eth1", "ip route delete default"),
        (
            "ip route add 0.0.0.0/0 table 77 dev eth1",
            "ip route flush table 77",
        ),
        (
            "ip route add default nexthop dev eth2 nexthop dev eth1",
            "ip route delete default",
        ),
        (
            "echo 0 > /proc/sys/net/ipv6/conf/eth1/disable_ipv6
             ip -6 route add default dev eth1",
            "ip -6 route delete default",
        ),
    ] {
        assert_eq!(run(&[]), Some(0), "nothing leads out before {made}");
        testbed.gateway.sh(made);
        let said = [
            "eth1 carries the default route",
            "--even-default-route eth1 --even-default-route eth1",
        ];
        refused(&testbed, &user, &briefly, &said);
        assert_eq!(run(&flag), Some(2), "once is not enough: {made}");
        if !made.contains("nexthop") {
            assert_eq!(run(&[flag, flag].concat()), Some(0), "{made}");
        }
        let another = ["--even-default-route", "eth2"];
        assert_eq!(run(&[another, another].concat()), Some(2), "{made}");
        testbed.gateway.sh(undone);
    }
}

#[test]
fn a_missing_capability_is_named() {
    let testbed = or_skip!();
    let program = assert_cmd::cargo::cargo_bin!("earlydrop");
    let line = format!(
        "setpriv --bounding-set=-net_raw {} bridge --between eth1 eth2 --rate 1Mbps",
        program.display()
    );
    let ran = Ran::of(
        testbed
            .gateway
            .command("sh", &["-c", &line])
            .output()
            .unwrap(),
    );
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("CAP_NET_RAW"), "{ran:?}");
}
