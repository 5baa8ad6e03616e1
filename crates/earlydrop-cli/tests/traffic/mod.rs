//! Real TCP traffic between two helper processes, and checks of the packet counts.
//!
//! The helpers are ignored tests of the file that includes this module, which runs itself with
//! their names.

use std::env;
use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::Ran;

const PORT: u16 = 5001;
/// Bytes that each of the two flows sends: more than three seconds' worth of the link.
const SENT: usize = 2_000_000;
/// The rate of the link that both cross, in bits per second.
const RATE: f64 = 10e6;

/// The command line that runs a helper of this file.
pub(crate) fn helper(name: &str) -> String {
    let program = env::current_exe().unwrap();
    format!(
        "{} --ignored --exact traffic::{name} --nocapture",
        program.display()
    )
}

#[test]
#[ignore = "a helper: the server at the far end"]
fn serves() {
    // Machines without IPv6 have IPv4 only.
    let listener = TcpListener::bind(("::", PORT));
    let listener = listener
        .or_else(|_| TcpListener::bind(("0.0.0.0", PORT)))
        .unwrap();
    loop {
        let (mut stream, _) = listener.accept().unwrap();
        std::thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            let (mut bytes, began) = (0, Instant::now());
            loop {
                let more = stream.read(&mut buffer).unwrap();
                if more == 0 {
                    break;
                }
                let as_sent = |(at, byte): (usize, &u8)| *byte == byte_at(bytes + at);
                assert!(buffer[..more].iter().enumerate().all(as_sent));
                bytes += more;
            }
            let rate = bytes as f64 * 8.0 / began.elapsed().as_secs_f64();
            writeln!(stream, "{rate} {}", marks_received()).unwrap();
        });
    }
}

/// The number of packets with CE that the kernel has received: `InCEPkts` of table `IpExt` for IPv4,
/// `Ip6InCEPkts` for IPv6.
fn marks_received() -> u64 {
    let text = fs::read_to_string("/proc/self/net/netstat").unwrap();
    let mut rows = text.lines().filter(|line| line.starts_with("IpExt:"));
    let (names, values) = (rows.next().unwrap(), rows.next().unwrap());
    let mut columns = names.split(' ').zip(values.split(' '));
    let (_, v4) = columns.find(|(name, _)| *name == "InCEPkts").unwrap();
    let text = fs::read_to_string("/proc/self/net/snmp6").unwrap_or_default();
    let mut lines = text.lines();
    let v6 = lines.find_map(|line| line.strip_prefix("Ip6InCEPkts"));
    [v4, v6.unwrap_or("0")]
        .map(|count| count.trim().parse::<u64>().unwrap())
        .iter()
        .sum()
}

#[test]
#[ignore = "a helper: the client at the near end"]
fn sends_two_flows() {
    let far = env::var("EARLYDROP_FAR").unwrap();
    // Waits until the server runs, so that the RTT of a connection can be measured.
    while TcpStream::connect((far.as_str(), PORT)).is_err() {
        sleep(Duration::from_millis(10));
    }
    let asked = Instant::now();
    let first = TcpStream::connect((far.as_str(), PORT)).unwrap();
    println!("\nround trip: {}", asked.elapsed().as_secs_f64());
    let second = TcpStream::connect((far.as_str(), PORT)).unwrap();
    let flows = [first, second].map(|stream| std::thread::spawn(move || send(stream)));
    let answers = flows.map(|flow| flow.join().unwrap());
    let marks = answers.iter().map(|(_, marks)| *marks).max().unwrap();
    let goodput: f64 = answers.iter().map(|(rate, _)| *rate).sum();
    println!("\ngoodput: {goodput}\nmarks received: {marks}");
}

/// The byte at a position of the stream; repeats after 251 bytes.
fn byte_at(place: usize) -> u8 {
    (place % 251) as u8
}

/// Sends [`SENT`] bytes; returns the goodput in bits per second and the number of marks received.
fn send(mut stream: TcpStream) -> (f64, u64) {
    let payload: Vec<u8> = (0..SENT).map(byte_at).collect();
    stream.write_all(&payload).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (rate, marks) = answer.trim().split_once(' ').unwrap();
    (rate.parse().unwrap(), marks.parse().unwrap())
}

/// The number that a helper printed after a name.
pub(crate) fn number(ran: &Ran, name: &str) -> f64 {
    let mut lines = ran.out.lines();
    let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    value
        .unwrap_or_else(|| panic!("{name} in {ran:?}"))
        .parse()
        .unwrap()
}

/// The summary in the last line of a file of statistics.
pub(crate) fn summary(file: &Path) -> Value {
    let lines = fs::read_to_string(file).unwrap();
    let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    last["summary"].clone()
}

/// Checks that the counts add up, and that they agree with the kernel's.
pub(crate) fn adds_up(summary: &Value) {
    for (direction, from, to) in [("up", "near", "far"), ("down", "far", "near")] {
        let (from, to) = (&summary[from], &summary[to]);
        let sum = |names: &[&str]| sum(&summary[direction], names);
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
        assert_eq!(from["sent"], sum(&["taken"]), "{summary}");
        assert_eq!(to["received"], sum(&["handed"]), "{summary}");
        // The kernel counts a merged burst as one packet.
        assert!(sum(&["taken"]) <= sum(&ENTERED), "{summary}");
        assert!(sum(&["handed"]) <= sum(&["delivered"]), "{summary}");
    }
}

/// Checks that no packets were merged: packets sent and not received are exactly those dropped.
pub(crate) fn one_by_one(summary: &Value) {
    for direction in ["up", "down"] {
        let sum = |names: &[&str]| sum(&summary[direction], names);
        assert_eq!(sum(&["taken"]), sum(&ENTERED), "{summary}");
        assert_eq!(sum(&["handed"]), sum(&["delivered"]), "{summary}");
    }
}

/// The counts that partition the packets that entered the bottleneck.
const ENTERED: [&str; 4] = ["arrived", "malformed", "unbuffered", "oversized"];

fn sum(place: &Value, names: &[&str]) -> u64 {
    let count = |name: &&str| place[*name].as_u64().unwrap();
    names.iter().map(count).sum()
}

/// Checks that the far kernel has received exactly the packets that were marked.
pub(crate) fn marks_arrive(ran: &Ran, summary: &Value) {
    let marked = summary["up"]["marked"].as_u64().unwrap();
    assert!(marked > 0, "{summary}");
    assert_eq!(number(ran, "marks received"), marked as f64, "{summary}");
}

/// Checks that packets left at the link's rate: never faster, and not much slower, unless the
/// bottleneck says itself that the machine was too busy.
///
/// After the drops at the end of slow start, Reno needs much of the time to recover: at least half.
pub(crate) fn fills_the_link(ran: &Ran, summary: &Value) {
    let number_of = |name: &str| summary["up"][name].as_f64().unwrap();
    let duration = summary["duration"].as_f64().unwrap();
    let least = number_of("delivered_bytes") * 8.0 / RATE;
    assert!(duration >= least, "{duration} s for {least} s: {summary}");
    assert!(
        number_of("delivered_bytes") >= 2.0 * SENT as f64,
        "{summary}"
    );
    if summary["trustworthy"] == true {
        let goodput = number(ran, "goodput");
        assert!(goodput >= RATE / 2.0, "{goodput} {ran:?}");
    }
}

/// Waits until a condition holds; fails after two minutes.
pub(crate) fn until(holds: impl Fn() -> bool, what: &str) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(120), "{what}");
        sleep(Duration::from_millis(20));
    }
}
