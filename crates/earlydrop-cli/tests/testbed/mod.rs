//! Two hosts and a gateway between them, in network namespaces of the test.

use std::fs;
use std::process::{Child, Command, Stdio};

use crate::support::{Ran, User, skipped};
use crate::traffic::{helper, until};

/// A network namespace, kept by a sleeping process in it that dies with the test.
pub(crate) struct Namespace(Child);

impl Namespace {
    pub(crate) fn new() -> Namespace {
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
    pub(crate) fn name(&self) -> String {
        self.0.id().to_string()
    }

    /// A command inside the namespace.
    pub(crate) fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new("nsenter");
        command.arg(format!("--net=/proc/{}/ns/net", self.0.id()));
        command.arg("--").arg(program).args(arguments);
        command
    }

    /// Runs a line for `sh` inside the namespace, which must succeed; returns its output.
    pub(crate) fn sh(&self, line: &str) -> String {
        let ran = Ran::of(self.command("sh", &["-ec", line]).output().unwrap());
        assert_eq!(ran.code, Some(0), "{line}: {ran:?}");
        ran.out
    }

    pub(crate) fn hardware_address(&self, interface: &str) -> Vec<u8> {
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
    pub(crate) fn counted(&self, interface: &str) -> [u64; 2] {
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
pub(crate) struct Testbed {
    pub(crate) near: Namespace,
    pub(crate) gateway: Namespace,
    pub(crate) far: Namespace,
}

/// An address of each host, of IPv4 and of IPv6.
pub(crate) const NEAR: [&str; 2] = ["10.9.0.1", "fd09::1"];
pub(crate) const FAR: [&str; 2] = ["10.9.0.2", "fd09::2"];

impl Testbed {
    /// A testbed; `None`, with a note, where the machine lacks something.
    pub(crate) fn new() -> Option<Testbed> {
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
                 ethtool -K host tso off gso off gro off
                 echo 3600 > /proc/sys/net/ipv4/neigh/host/delay_first_probe_time",
                testbed.gateway.name(),
                addresses[0]
            ));
            testbed.gateway.sh(&format!("ip link set {interface} up"));
        }
        Some(testbed)
    }

    /// Turns on ECN at both hosts.
    pub(crate) fn enable_ecn(&self) {
        for host in [&self.near, &self.far] {
            host.sh("echo 1 > /proc/sys/net/ipv4/tcp_ecn");
        }
    }

    /// The command in the gateway's namespace.
    pub(crate) fn bridge(&self, user: &User, arguments: &[&str]) -> Command {
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
    pub(crate) fn start(&self, user: &User, arguments: &[&str]) -> Child {
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
    pub(crate) fn transfer(&self, to: &str) -> Ran {
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
