//! `earlydrop bridge` as its users run it: between two veth pairs whose other ends are hosts in
//! network namespaces of the test.
//!
//! The tests need root, `ip`, `ethtool`, `unshare` and `nsenter`; without them they are skipped.
#![cfg(target_os = "linux")]

mod support;
mod traffic;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use support::{Ran, User, skipped};
use traffic::{adds_up, fills_the_link, helper, marks_arrive, number, one_by_one, summary, until};

/// A network namespace, kept by a sleeping process in it that dies with the test.
struct Namespace(Child);

impl Namespace {
    fn new() -> Namespace {
        let mut sleeper = Command::new("setpriv");
        sleeper.args(["--pdeathsig", "KILL", "unshare", "--net", "sleep", "600"]);
        let namespace = Namespace(sleeper.stdin(Stdio::null()).spawn().unwrap());
        let link_of = |process: &str| fs::read_link(format!("/proc/{process}/ns/net")).unwrap();
        until(
            || link_of(&namespace.name()) != link_of("self"),
            "a namespace of its own",
        );
        namespace
    }

    /// The name that `ip` accepts: the id of its process.
    fn name(&self) -> String {
        self.0.id().to_string()
    }

    /// A command inside the namespace.
    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new("nsenter");
        command.arg(format!("--net=/proc/{}/ns/net", self.0.id()));
        command.arg("--").arg(program).args(arguments);
        command
    }

    /// Runs a line for `sh` inside the namespace, which must succeed; returns its output.
    fn sh(&self, line: &str) -> String {
        let ran = Ran::of(self.command("sh", &["-ec", line]).output().unwrap());
        assert_eq!(ran.code, Some(0), "{line}: {ran:?}");
        ran.out
    }

    fn hardware_address(&self, interface: &str) -> Vec<u8> {
        let text = self.sh(&format!("ip link show {interface}"));
        let mut words = text
            .split_whitespace()
            .skip_while(|word| *word != "link/ether");
        let address = words.nth(1).unwrap().split(':');
        address
            .map(|byte| u8::from_str_radix(byte, 16).unwrap())
            .collect()
    }

    /// Packets that an interface has received and sent.
    fn counted(&self, interface: &str) -> [u64; 2] {
        let text = self.sh("cat /proc/net/dev");
        let mut lines = text.lines().filter_map(|line| line.trim().split_once(':'));
        let (_, numbers) = lines.find(|(name, _)| *name == interface).unwrap();
        let numbers: Vec<u64> = numbers.split_whitespace().flat_map(str::parse).collect();
        [numbers[1], numbers[9]]
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Two hosts, and a gateway between them that has one interface to each.
struct Testbed {
    near: Namespace,
    gateway: Namespace,
    far: Namespace,
}

/// An address of each host, of IPv4 and of IPv6.
const NEAR: [&str; 2] = ["10.9.0.1", "fd09::1"];
const FAR: [&str; 2] = ["10.9.0.2", "fd09::2"];

impl Testbed {
    /// A testbed; `None`, with a note, where the machine lacks something.
    fn new() -> Option<Testbed> {
        let test = std::thread::current().name().unwrap_or("").to_string();
        let works = |program: &str, argument: &str| {
            let mut command = Command::new(program);
            let ran = command
                .arg(argument)
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            ran.status().is_ok_and(|status| status.success())
        };
        for (program, argument) in [
            ("ip", "-V"),
            ("ethtool", "--version"),
            ("nsenter", "-V"),
            ("setpriv", "-V"),
        ] {
            if !works(program, argument) {
                // Skipped even with EARLYDROP_NEEDS_NAMESPACES, which is about the kernel.
                println!("skipped: {test}: no {program}");
                return None;
            }
        }
        let unshared = Command::new("unshare").args(["--net", "true"]).output();
        if !unshared.is_ok_and(|output| output.status.success()) {
            skipped(&test, "no network namespaces without root");
            return None;
        }
        let [near, gateway, far] = [(); 3].map(|()| Namespace::new());
        let testbed = Testbed { near, gateway, far };
        // The gateway sends no packets itself, so that every packet is accounted for.
        testbed
            .gateway
            .sh("sysctl -qw net.ipv6.conf.all.disable_ipv6=1 || true");
        for (host, interface, end) in [(&testbed.near, "eth1", 0), (&testbed.far, "eth2", 1)] {
            let addresses = [NEAR, FAR][end];
            host.sh(&format!(
                "ip link add host type veth peer name {interface} netns {}
                 echo 0 > /proc/sys/net/ipv6/conf/host/accept_dad || true
                 echo reno > /proc/sys/net/ipv4/tcp_congestion_control
                 ip address add {}/24 dev host
                 ip link set host up
                 ethtool -K host tso off gso off gro off",
                testbed.gateway.name(),
                addresses[0]
            ));
            testbed.gateway.sh(&format!("ip link set {interface} up"));
        }
        Some(testbed)
    }

    /// Turns on ECN at both hosts.
    fn enable_ecn(&self) {
        for host in [&self.near, &self.far] {
            host.sh("echo 1 > /proc/sys/net/ipv4/tcp_ecn");
        }
    }

    /// The command in the gateway's namespace.
    fn bridge(&self, user: &User, arguments: &[&str]) -> Command {
        let base = ["bridge", "--between", "eth1", "eth2", "--rate", "10Mbps"];
        let inner = user.command(&[&base[..], arguments].concat());
        let arguments: Vec<&str> = inner.get_args().flat_map(|text| text.to_str()).collect();
        let mut command = self
            .gateway
            .command(inner.get_program().to_str().unwrap(), &arguments);
        command.current_dir(user.path("."));
        command
    }

    /// Starts a bridge and waits for its first sample.
    fn start(&self, user: &User, arguments: &[&str]) -> Child {
        let mut command = self.bridge(user, &[arguments, &["--stats", "stats.jsonl"]].concat());
        // A shell's background commands ignore SIGINT, and so do their children.
        let mut interruptible = Command::new("env");
        interruptible
            .arg("--default-signal=INT")
            .arg(command.get_program());
        interruptible
            .args(command.get_args())
            .current_dir(user.path("."));
        command = interruptible;
        let child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stats = user.path("stats.jsonl");
        let begun = || fs::metadata(&stats).is_ok_and(|file| file.len() > 0);
        until(begun, "the first sample");
        child
    }

    /// Two flows from the near host to this address of the far one.
    fn transfer(&self, to: &str) -> Ran {
        let server = helper("serves");
        let mut server = self.far.command("sh", &["-c", &format!("exec {server}")]);
        let mut server = server.stdout(Stdio::null()).spawn().unwrap();
        let client = format!("EARLYDROP_FAR={to} {}", helper("sends_two_flows"));
        let ran = Ran::of(self.near.command("sh", &["-c", &client]).output().unwrap());
        server.kill().unwrap();
        server.wait().unwrap();
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran
    }
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
    let quiet = || {
        let before = hosts();
        sleep(Duration::from_millis(300));
        before == hosts()
    };
    until(quiet, "idle hosts");
    let ended = interrupt(bridge);
    assert!(number(&ran, "round trip") >= 0.02, "{ran:?}");
    fills_the_link(&ran);
    let summary = summary(&user.path("stats.jsonl"));
    marks_arrive(&ran, &summary);
    adds_up(&summary);
    one_by_one(&summary);
    // The hosts count the same packets as the bridge. The hosts leave checksums to their veth device;
    // the bridge completes them, else no packet would have been accepted.
    let [near, far] = hosts();
    let [up, down] = [&summary["up"], &summary["down"]];
    assert_eq!(summary["near"]["sent"], near[1] - near_sent, "{summary}");
    assert_eq!(summary["far"]["sent"], far[1] - far_sent, "{summary}");
    assert_eq!(up["delivered"], far[0] - far_received, "{summary}");
    assert_eq!(down["delivered"], near[0] - near_received, "{summary}");
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
    fills_the_link(&ran);
    let summary = summary(&user.path("stats.jsonl"));
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
fn it_ends_after_its_time_and_when_an_interface_is_deleted() {
    let testbed = or_skip!();
    let user = User::new();
    let output: Output = testbed.bridge(&user, &["--for", "300ms"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let child = testbed.start(&user, &[]);
    testbed.gateway.sh("ip link delete eth2");
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("eth2"), "{ran:?}");
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
