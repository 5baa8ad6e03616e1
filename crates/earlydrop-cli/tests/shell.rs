//! `earlydrop shell` as its users run it: real packets across a bottleneck.
//!
//! Where namespaces or devices cannot be created, the tests are skipped, unless
//! `EARLYDROP_NEEDS_NAMESPACES` is set.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::support::{Ran, User, skipped};
use crate::traffic::{
    adds_up, fills_the_link, helper, marks_arrive, number, one_by_one, summary, until,
};
use serde_json::Value;

/// The user id of `nobody`.
const NOBODY: u32 = 65_534;

/// Whether sessions can be created here; prints a note where not.
fn is_possible(test: &str, mut command: Command) -> bool {
    let ran = Ran::of(command.output().unwrap());
    let refused = ["create no network namespace", "TUN devices are needed"];
    let missing = refused.iter().any(|words| ran.err.contains(words));
    if missing {
        skipped(test, ran.err.trim());
    }
    !missing
}

fn shell(user: &User, arguments: &[&str]) -> Command {
    user.command(&[&["shell", "--rate", "10Mbps"], arguments].concat())
}

macro_rules! or_skip {
    ($user:expr) => {
        let test = std::thread::current().name().unwrap_or("").to_string();
        if !is_possible(&test, shell($user, &["-q", "--", "true"])) {
            return;
        }
    };
}

/// Transfers with two Reno flows from the near end to an address of the far end.
fn transfer_to(far: &str, user: &User, arguments: &[&str]) -> (Ran, Value) {
    let (server, client) = (helper("serves"), helper("sends_two_flows"));
    let client = format!("EARLYDROP_FAR={far} {client}");
    let own = ["--delay", "10ms", "--tcp", "reno", "--stats", "stats.jsonl"];
    let run = ["--far", &server, "--", "sh", "-c", &client];
    let mut command = shell(user, &[&own[..], arguments, &run[..]].concat());
    let ran = Ran::of(command.output().unwrap());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    (ran, summary(&user.path("stats.jsonl")))
}

fn transfer(user: &User, arguments: &[&str]) -> (Ran, Value) {
    transfer_to("$EARLYDROP_FAR", user, arguments)
}

#[test]
fn tcp_fills_the_link_and_is_marked() {
    let user = User::new();
    or_skip!(&user);
    let queue = ["--queue", "red:min=10,max=30"];
    let (ran, summary) = transfer(&user, &[&queue[..], &["--ecn"]].concat());
    assert!(number(&ran, "round trip") >= 0.02, "{ran:?}");
    fills_the_link(&ran, &summary);
    marks_arrive(&ran, &summary);
    adds_up(&summary);
    assert!(
        ran.err.contains("both directions: 10 Mbps, 10 ms, red:"),
        "{}",
        ran.err
    );
}

#[test]
fn packets_of_ipv6_cross_and_are_marked_and_both_queues_are_printed() {
    let user = User::new();
    or_skip!(&user);
    if !Path::new("/proc/net/if_inet6").exists() {
        println!("skipped: packets_of_ipv6_cross: this kernel has no IPv6");
        return;
    }
    let queue = ["--queue", "red:min=10,max=30", "--ecn", "--watch"];
    let (ran, summary) = transfer_to("fd77::2", &user, &queue);
    fills_the_link(&ran, &summary);
    marks_arrive(&ran, &summary);
    adds_up(&summary);
    // At most once a second for each direction.
    for direction in ["up", "down"] {
        let line = format!(" s  {direction:4} queue ");
        let lines: Vec<&str> = ran
            .err
            .lines()
            .filter(|text| text.contains(&line))
            .collect();
        let seconds = |text: &&str| {
            let number = text.split_whitespace().nth(1).unwrap();
            number.parse::<f64>().unwrap()
        };
        let times: Vec<f64> = lines.iter().map(seconds).collect();
        assert!(
            !times.is_empty() && times.is_sorted_by(|a, b| a < b),
            "{ran:?}"
        );
        let has = |what| lines.iter().all(|text| text.contains(what));
        assert!(
            has(", average ") && has(", dropped ") && has(", marked "),
            "{ran:?}"
        );
    }
}

/// A field of a process's status: "CapEff", "NoNewPrivs".
fn status(process: u32, field: &str) -> String {
    let text = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = lines.find(|(name, _)| *name == field).unwrap();
    value.trim().to_string()
}

#[test]
fn the_emulator_has_no_capabilities_and_the_command_keeps_those_of_its_caller() {
    let user = User::new();
    or_skip!(&user);
    const SETS: [&str; 5] = ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"];
    let show = "grep ^Cap /proc/self/status; echo; read wait";
    let mut command = shell(&user, &["-q", "--", "sh", "-c", show]);
    let mut emulator = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(emulator.stdout.take().unwrap()).lines();
    let capabilities: Vec<String> = output
        .by_ref()
        .map(|line| line.unwrap())
        .take_while(|line| !line.is_empty())
        .collect();
    // The emulator drops its capabilities before it starts the command.
    for set in ["CapInh", "CapPrm", "CapEff", "CapAmb"] {
        let held = u64::from_str_radix(&status(emulator.id(), set), 16).unwrap();
        assert_eq!(held, 0, "{set}");
    }
    assert_eq!(status(emulator.id(), "NoNewPrivs"), "1");
    drop(emulator.stdin.take());
    emulator.wait().unwrap();
    let own = SETS.map(|set| format!("{set}:\t{}", status(std::process::id(), set)));
    assert_eq!(capabilities, own, "the command has this process's");
}

#[test]
fn packets_of_tcp_without_ecn_are_dropped() {
    let user = User::new();
    or_skip!(&user);
    let pcap = ["--pcap", "packets.pcapng"];
    let loss = ["--down", "loss=1% queue=codel"];
    let queue = ["--queue", "red:min=10,max=30"];
    let (ran, summary) = transfer(&user, &[&queue[..], &pcap, &loss].concat());
    fills_the_link(&ran, &summary);
    assert!(summary["up"]["dropped"].as_u64() > Some(0), "{summary}");
    assert_eq!(summary["up"]["marked"], 0);
    assert!(summary["down"]["lost"].as_u64() > Some(0), "{summary}");
    adds_up(&summary);
    // With --pcap, offloads are off.
    one_by_one(&summary);
    // The file has every packet sent: at least that many bytes.
    let length = fs::metadata(user.path("packets.pcapng")).unwrap().len();
    assert!(length > summary["up"]["delivered_bytes"].as_u64().unwrap());
}

#[test]
fn the_exit_code_is_the_commands() {
    let user = User::new();
    or_skip!(&user);
    // The longest delay and the highest rate allowed.
    let long = ["--delay", "10s", "--up", "rate=100Gbps"];
    for (line, code) in [("exit 7", 7), ("kill -TERM $$", 143)] {
        let arguments = [&long[..], &["--", "sh", "-c", line]].concat();
        let ran = Ran::of(shell(&user, &arguments).output().unwrap());
        assert_eq!(ran.code, Some(code), "{ran:?}");
    }
    let ran = Ran::of(shell(&user, &["--", "no-such-command"]).output().unwrap());
    assert_eq!(ran.code, Some(127), "{ran:?}");
    assert!(ran.err.contains("error: no-such-command: "), "{ran:?}");
}

#[test]
fn the_session_is_isolated_and_the_machine_is_not_changed() {
    let user = User::new();
    or_skip!(&user);
    // The loopback and one device; the session's address; its own process ids.
    let line = "cut -d: -f1 /proc/net/dev | tail -n +3; echo $EARLYDROP_NEAR; ls -d /proc/[0-9]*";
    let ran = Ran::of(
        shell(&user, &["-q", "--", "sh", "-c", line])
            .output()
            .unwrap(),
    );
    // On a busy machine there may be a warning about timing on standard error.
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let lines: Vec<&str> = ran.out.lines().map(str::trim).collect();
    assert!(
        lines.contains(&"lo") && lines.contains(&"earlydrop"),
        "{lines:?}"
    );
    assert!(lines.contains(&"10.77.0.1"), "{lines:?}");
    assert!(lines.contains(&"/proc/1"), "{lines:?}");
    let devices = fs::read_to_string("/proc/net/dev").unwrap();
    assert!(!devices.contains("earlydrop"), "{devices}");
}

#[test]
fn root_is_not_needed_and_is_given_up() {
    let user = User::new();
    or_skip!(&user);
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        println!("skipped: root_is_not_needed_and_is_given_up: only root can be somebody else");
        return;
    }
    let everybody = fs::Permissions::from_mode(0o777);
    fs::set_permissions(user.path("."), everybody).unwrap();
    let given_up = ["--stats", "own.jsonl", "--", "id", "-u"];
    let mut command = shell(&user, &given_up);
    let caller = NOBODY.to_string();
    command.env("SUDO_UID", &caller).env("SUDO_GID", &caller);
    let ran = Ran::of(command.output().unwrap());
    assert_eq!(ran.out.trim(), caller, "{ran:?}");
    assert_eq!(fs::metadata(user.path("own.jsonl")).unwrap().uid(), NOBODY);

    // Most machines let everybody open it; some let root alone.
    let tun = fs::metadata("/dev/net/tun").unwrap();
    if tun.mode() & 0o006 != 0o006 {
        println!("skipped: root_is_not_needed_and_is_given_up: only root may open /dev/net/tun");
        return;
    }
    let as_nobody = |arguments: &[&str]| {
        let mut command = shell(&user, arguments);
        command.uid(NOBODY).gid(NOBODY);
        command
    };
    let Ok(output) = as_nobody(&["--", "id", "-u"]).output() else {
        println!("skipped: root_is_not_needed_and_is_given_up: nobody cannot run the command");
        return;
    };
    let ran = Ran::of(output);
    if ran.err.contains("create no network namespace") {
        println!("skipped: root_is_not_needed_and_is_given_up: {}", ran.err);
        return;
    }
    assert_eq!(
        (ran.code, ran.out.trim()),
        (Some(0), caller.as_str()),
        "{ran:?}"
    );
    assert!(ran.err.contains("without root"), "{ran:?}");
}

/// Starts a session with an orphaned process; also returns an argument that only its processes have.
fn with_an_orphan(user: &User) -> (Child, String) {
    let mark = format!(
        "{}.{}",
        90_000 + std::process::id(),
        user.path("").display().to_string().len()
    );
    let line = format!("(sleep {mark} &); echo started; sleep {mark}");
    let command = shell(
        user,
        &[
            "-q",
            "--far",
            &format!("sleep {mark}"),
            "--",
            "sh",
            "-c",
            &line,
        ],
    );
    // A shell's background commands ignore SIGINT, and so do their children.
    let mut interruptible = Command::new("env");
    interruptible.arg("--default-signal=INT");
    interruptible
        .arg(command.get_program())
        .args(command.get_args());
    let mut child = interruptible.stdout(Stdio::piped()).spawn().unwrap();
    let mut output = [0; 7];
    child
        .stdout
        .as_mut()
        .unwrap()
        .read_exact(&mut output)
        .unwrap();
    (child, mark)
}

/// The number of processes with this argument.
fn processes(argument: &str) -> usize {
    let all = fs::read_dir("/proc").unwrap().flatten();
    let has = |line: Vec<u8>| {
        line.split(|byte| *byte == 0)
            .any(|one| one == argument.as_bytes())
    };
    all.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok())
        .filter(|line| has(line.clone()))
        .count()
}

#[test]
fn nothing_is_left_behind_however_it_ends() {
    let user = User::new();
    or_skip!(&user);
    for signal in ["KILL", "TERM", "INT"] {
        let (mut child, mark) = with_an_orphan(&user);
        // Two at the near end, one at the far end.
        until(|| processes(&mark) >= 3, "they run");
        let sent = Command::new("sh")
            .args(["-c", &format!("kill -{signal} {}", child.id())])
            .status();
        assert!(sent.unwrap().success());
        let status = child.wait().unwrap();
        let codes = [("TERM", Some(143)), ("INT", Some(130)), ("KILL", None)];
        assert!(codes.contains(&(signal, status.code())), "{status}");
        // The kernel kills them soon after the namespace's first process has ended.
        until(|| processes(&mark) == 0, "none is left");
    }
}

#[test]
fn wrong_arguments_are_refused_before_anything_is_created() {
    let user = User::new();
    user.writes("bad.trace", "5\n4\n");
    for (arguments, said) in [
        (&[][..], &["no rate", "--rate 20Mbps"][..]),
        (
            &["--rate", "20Mpbs"],
            &["--rate 20Mpbs", "nearest: --rate 20Mbps"],
        ),
        (&["--rate", "0Mbps"], &["--rate 0Mbps", "allowed: "]),
        (
            &["--rate", "5Mbps", "--delay", "5"],
            &["--delay 5", "nearest: --delay 5ms"],
        ),
        (
            &["--rate", "5Mbps", "--loss", "150%"],
            &["--loss 150%", "allowed: "],
        ),
        (
            &["--rate", "5Mbps", "--queue", "rde"],
            &["--queue rde", "did you mean 'red'?"],
        ),
        (
            &["--rate", "5Mbps", "--queue", "red:min=30,max=10"],
            &["--queue red:min=30,max=10", "red: "],
        ),
        (
            &["--rate", "5Mbps", "--up", "rat=2Mbps"],
            &["--up \"rat=2Mbps\"", "did you mean \"rate\"?"],
        ),
        (
            &["--rate", "5Mbps", "--up", "2Mbps"],
            &["--up \"2Mbps\"", "rate=5Mbps delay=10ms"],
        ),
        (
            &["--up", "rate=2 Mpbs"],
            &["--up \"rate=2 Mpbs\"", "nearest: --up \"rate=2Mbps\""],
        ),
        (&["--up", "rate=2Mbps"], &["no rate"]),
        (
            &["--rate", "5Mbps", "--down", "loss=1 loss=2"],
            &["\"loss\" is given twice"],
        ),
        (
            &["--trace", "bad.trace"],
            &["--trace bad.trace", "line 2", "earlier"],
        ),
        (&["--trace", "none.trace"], &["--trace none.trace"]),
        (
            &["--rate", "5Mbps", "--trace", "bad.trace"],
            &["leave one of them out"],
        ),
    ] {
        let all = [
            &["shell"],
            arguments,
            &["--stats", "stats.jsonl", "--", "true"],
        ]
        .concat();
        let ran = user.runs(&all);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{ran:?}");
        for words in said {
            assert!(ran.err.contains(words), "{words} in\n{}", ran.err);
        }
        assert!(!user.path("stats.jsonl").exists());
    }
}

#[test]
fn an_unknown_congestion_control_is_refused_with_the_known_ones() {
    let user = User::new();
    or_skip!(&user);
    let ran = Ran::of(
        shell(&user, &["--tcp", "tahoe", "--", "true"])
            .output()
            .unwrap(),
    );
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(
        ran.err.contains("tahoe") && ran.err.contains("reno"),
        "{ran:?}"
    );
}
