//! Real packets across a bottleneck: `earlydrop shell` as its users run it, with traffic
//! between helpers that are tests of this file, too.
//!
//! Where the system makes no namespaces or devices, every test says that it is skipped.
#![cfg(target_os = "linux")]

mod support;

use std::env;
use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use support::{Ran, User};

const PORT: u16 = 5001;
/// How long each flow sends.
const SENDING: Duration = Duration::from_secs(3);
/// Nobody, on every Linux.
const NOBODY: u32 = 65_534;

/// Whether sessions can be had here; says so where not.
fn can_be_had(test: &str, mut command: Command) -> bool {
    let ran = Ran::of(command.output().unwrap());
    let refused = ["makes no network namespace", "TUN devices are needed"];
    let missing = refused.iter().any(|words| ran.err.contains(words));
    if missing {
        println!("skipped: {test}: {}", ran.err.trim());
    }
    !missing
}

fn shell(user: &User, arguments: &[&str]) -> Command {
    user.command(&[&["shell", "--rate", "10Mbps"], arguments].concat())
}

macro_rules! or_skip {
    ($user:expr) => {
        let test = std::thread::current().name().unwrap_or("").to_string();
        if !can_be_had(&test, shell($user, &["-q", "--", "true"])) {
            return;
        }
    };
}

/// How this file's helper of this name is run.
fn helper(name: &str) -> String {
    let program = env::current_exe().unwrap();
    format!("{} --ignored --exact {name} --nocapture", program.display())
}

#[test]
#[ignore = "a helper: what runs at the far end"]
fn takes_what_comes() {
    let listener = TcpListener::bind(("0.0.0.0", PORT)).unwrap();
    loop {
        let (mut stream, _) = listener.accept().unwrap();
        std::thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            let (mut bytes, began) = (0, Instant::now());
            loop {
                match stream.read(&mut buffer).unwrap() {
                    0 => break,
                    more => bytes += more,
                }
            }
            let rate = bytes as f64 * 8.0 / began.elapsed().as_secs_f64();
            writeln!(stream, "{rate}").unwrap();
        });
    }
}

#[test]
#[ignore = "a helper: what runs at the near end"]
fn sends_by_two_flows() {
    let far = env::var("EARLYDROP_FAR").unwrap();
    // The far end may still be starting; once it answers, its round trip can be measured.
    while TcpStream::connect((far.as_str(), PORT)).is_err() {
        sleep(Duration::from_millis(10));
    }
    let asked = Instant::now();
    let first = TcpStream::connect((far.as_str(), PORT)).unwrap();
    println!("\nround trip: {}", asked.elapsed().as_secs_f64());
    let second = TcpStream::connect((far.as_str(), PORT)).unwrap();
    let flows = [first, second].map(|stream| std::thread::spawn(move || send(stream)));
    let rates = flows.map(|flow| flow.join().unwrap());
    println!("\ngoodput: {}", rates.iter().sum::<f64>());
}

/// Sends for a while; answers the rate at which it arrived.
fn send(mut stream: TcpStream) -> f64 {
    let (payload, began) = ([7; 1 << 14], Instant::now());
    while began.elapsed() < SENDING {
        stream.write_all(&payload).unwrap();
    }
    stream.shutdown(Shutdown::Write).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.trim().parse().unwrap()
}

/// The number that a helper printed.
fn number(ran: &Ran, name: &str) -> f64 {
    let mut lines = ran.out.lines();
    let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    value
        .unwrap_or_else(|| panic!("{name} in {ran:?}"))
        .parse()
        .unwrap()
}

/// Two flows of reno from the near end to the far one.
fn transfer(user: &User, arguments: &[&str]) -> (Ran, Value) {
    let (far, near) = (helper("takes_what_comes"), helper("sends_by_two_flows"));
    let own = ["--delay", "10ms", "--tcp", "reno", "--stats", "stats.jsonl"];
    let run = ["--far", &far, "--", "sh", "-c", &near];
    let mut command = shell(user, &[&own[..], arguments, &run[..]].concat());
    let ran = Ran::of(command.output().unwrap());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let lines = fs::read_to_string(user.path("stats.jsonl")).unwrap();
    let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    (ran, last["summary"].clone())
}

/// Every packet is somewhere, and the kernel has counted the same.
fn adds_up(summary: &Value) {
    let count = |place: &Value, name: &str| place[name].as_u64().unwrap();
    for (direction, from, to) in [("up", "near", "far"), ("down", "far", "near")] {
        let (from, to) = (&summary[from], &summary[to]);
        let direction = &summary[direction];
        let sum = |names: &[&str]| names.iter().map(|name| count(direction, name)).sum::<u64>();
        assert_eq!(
            sum(&["arrived"]),
            sum(&["dropped", "queued", "departed"]),
            "{summary}"
        );
        assert_eq!(
            sum(&["departed"]),
            sum(&["lost", "travelling", "delivered", "refused"]),
            "{summary}"
        );
        assert_eq!(count(from, "sent"), sum(&["taken"]), "{summary}");
        assert_eq!(count(to, "received"), sum(&["handed"]), "{summary}");
        let came = sum(&["arrived", "malformed", "unbuffered"]);
        assert!(sum(&["taken"]) <= came, "{summary}");
        assert!(sum(&["handed"]) <= sum(&["delivered"]), "{summary}");
    }
}

/// 1,448 of 1,500 bytes are payload: 9.65 of 10 Mbps at best. Slow start runs into forced
/// drops, from which reno takes a good part of three seconds to recover: at least half.
fn fills_the_link(ran: &Ran) {
    let goodput = number(ran, "goodput");
    assert!((5e6..9.66e6).contains(&goodput), "{goodput} {ran:?}");
}

#[test]
fn tcp_fills_the_link_and_is_marked() {
    let user = User::new();
    or_skip!(&user);
    let queue = ["--queue", "red:min=10,max=30"];
    let (ran, summary) = transfer(&user, &[&queue[..], &["--ecn"]].concat());
    assert!(number(&ran, "round trip") >= 0.02, "{ran:?}");
    fills_the_link(&ran);
    assert!(summary["up"]["marked"].as_u64() > Some(0), "{summary}");
    adds_up(&summary);
    assert!(
        ran.err.contains("both ways: 10 Mbps, 10 ms, red:"),
        "{}",
        ran.err
    );
}

#[test]
fn tcp_that_knows_no_ecn_is_dropped_from() {
    let user = User::new();
    or_skip!(&user);
    let pcap = ["--pcap", "packets.pcapng"];
    let loss = ["--down", "loss=1% queue=codel"];
    let queue = ["--queue", "red:min=10,max=30"];
    let (ran, summary) = transfer(&user, &[&queue[..], &pcap, &loss].concat());
    fills_the_link(&ran);
    assert!(summary["up"]["dropped"].as_u64() > Some(0), "{summary}");
    assert_eq!(summary["up"]["marked"], 0);
    assert!(summary["down"]["lost"].as_u64() > Some(0), "{summary}");
    adds_up(&summary);
    // Where packets are recorded, each comes and goes by itself.
    for direction in ["up", "down"] {
        let counts = &summary[direction];
        assert_eq!(counts["taken"], counts["arrived"], "{summary}");
        assert_eq!(counts["handed"], counts["delivered"], "{summary}");
    }
    // Every packet that left a transmitter is there: at least its bytes.
    let length = fs::metadata(user.path("packets.pcapng")).unwrap().len();
    assert!(length > summary["up"]["delivered_bytes"].as_u64().unwrap());
}

#[test]
fn the_exit_code_is_the_commands() {
    let user = User::new();
    or_skip!(&user);
    // The longest wire that can be asked for is no reason to fail.
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
fn nobody_else_is_needed_and_the_machine_is_not_touched() {
    let user = User::new();
    or_skip!(&user);
    // One device beside the loopback; the processes of the session; no other address.
    let line = "cut -d: -f1 /proc/net/dev | tail -n +3; echo $EARLYDROP_NEAR; ls -d /proc/[0-9]*";
    let ran = Ran::of(
        shell(&user, &["-q", "--", "sh", "-c", line])
            .output()
            .unwrap(),
    );
    let ran = ran.well();
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
    if ran.err.contains("makes no network namespace") {
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

/// A session with a process of its own that has lost its parent.
fn with_an_orphan(user: &User) -> (Child, String) {
    // No other process has this argument.
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
    // A shell's background commands ignore SIGINT, and so does what they start: such as this.
    let mut heeding = Command::new("env");
    heeding.arg("--default-signal=INT");
    heeding.arg(command.get_program()).args(command.get_args());
    let mut child = heeding.stdout(Stdio::piped()).spawn().unwrap();
    let mut said = [0; 7];
    child
        .stdout
        .as_mut()
        .unwrap()
        .read_exact(&mut said)
        .unwrap();
    (child, mark)
}

/// How many processes have this argument.
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
        // Two at the near end, one at the far one.
        until(|| processes(&mark) >= 3, "they run");
        let sent = Command::new("sh")
            .args(["-c", &format!("kill -{signal} {}", child.id())])
            .status();
        assert!(sent.unwrap().success());
        let status = child.wait().unwrap();
        let codes = [("TERM", Some(143)), ("INT", Some(130)), ("KILL", None)];
        assert!(codes.contains(&(signal, status.code())), "{status}");
        // The kernel ends them once their first process has ended: soon, but not at once.
        until(|| processes(&mark) == 0, "none is left");
    }
}

/// Looks again and again; gives up after ten seconds.
fn until(holds: impl Fn() -> bool, what: &str) {
    let mut looks = 0;
    while !holds() {
        looks += 1;
        assert!(looks < 500, "{what}");
        sleep(Duration::from_millis(20));
    }
}

#[test]
fn what_is_wrong_is_refused_before_anything_is_made() {
    let user = User::new();
    user.writes("bad.trace", "5\n4\n");
    for (arguments, said) in [
        (&[][..], &["how fast?", "--rate 20Mbps"][..]),
        (
            &["--rate", "20Mpbs"],
            &["--rate 20Mpbs", "nearest: --rate 20Mbps"],
        ),
        (&["--rate", "0Mbps"], &["--rate 0Mbps", "allowed: "]),
        (
            &["--rate", "5Mbps", "--delay", "5"],
            &["--delay 5", "nearest: --delay 5s"],
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
        (&["--up", "rate=2Mbps"], &["how fast?"]),
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
fn a_control_that_the_kernel_has_not_is_refused_with_those_it_has() {
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
