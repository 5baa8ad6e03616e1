//! Traffic of real TCP between helpers, which are tests of whichever file takes them in, and
//! what must hold of what was counted meanwhile.

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
/// How long each flow sends.
const SENDING: Duration = Duration::from_secs(3);

/// How this file's helper of this name is run.
pub(crate) fn helper(name: &str) -> String {
    let program = env::current_exe().unwrap();
    format!(
        "{} --ignored --exact traffic::{name} --nocapture",
        program.display()
    )
}

#[test]
#[ignore = "a helper: what runs at the far end"]
fn takes_what_comes() {
    // Machines without IPv6 have the other only.
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

/// Packets marked with CE that the kernel has received here: of IPv4 the column `InCEPkts` of
/// its table `IpExt`, of IPv6 a line.
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
    let answers = flows.map(|flow| flow.join().unwrap());
    let marks = answers.iter().map(|(_, marks)| *marks).max().unwrap();
    let goodput: f64 = answers.iter().map(|(rate, _)| *rate).sum();
    println!("\ngoodput: {goodput}\nmarks received: {marks}");
}

/// What is sent at a place in the stream: the same only after 251 bytes.
fn byte_at(place: usize) -> u8 {
    (place % 251) as u8
}

/// Sends for a while; answers the rate at which it arrived, and how many marks had.
fn send(mut stream: TcpStream) -> (f64, u64) {
    let payload: Vec<u8> = (0..251 * 64).map(byte_at).collect();
    let began = Instant::now();
    while began.elapsed() < SENDING {
        stream.write_all(&payload).unwrap();
    }
    stream.shutdown(Shutdown::Write).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (rate, marks) = answer.trim().split_once(' ').unwrap();
    (rate.parse().unwrap(), marks.parse().unwrap())
}

/// The number that a helper printed.
pub(crate) fn number(ran: &Ran, name: &str) -> f64 {
    let mut lines = ran.out.lines();
    let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    value
        .unwrap_or_else(|| panic!("{name} in {ran:?}"))
        .parse()
        .unwrap()
}

/// The last line of a file of statistics.
pub(crate) fn summary(file: &Path) -> Value {
    let lines = fs::read_to_string(file).unwrap();
    let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    last["summary"].clone()
}

/// Every packet is somewhere, and the kernel has counted the same.
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
        // A burst is read and written as one.
        assert!(sum(&["taken"]) <= sum(&CAME), "{summary}");
        assert!(sum(&["handed"]) <= sum(&["delivered"]), "{summary}");
    }
}

/// Every packet has come and gone by itself. So what one kernel has sent and the other has
/// not received is what was dropped.
pub(crate) fn one_by_one(summary: &Value) {
    for direction in ["up", "down"] {
        let sum = |names: &[&str]| sum(&summary[direction], names);
        assert_eq!(sum(&["taken"]), sum(&CAME), "{summary}");
        assert_eq!(sum(&["handed"]), sum(&["delivered"]), "{summary}");
    }
}

/// What becomes of a packet at first.
const CAME: [&str; 4] = ["arrived", "malformed", "unbuffered", "oversized"];

fn sum(place: &Value, names: &[&str]) -> u64 {
    let count = |name: &&str| place[*name].as_u64().unwrap();
    names.iter().map(count).sum()
}

/// What was marked is what the far kernel has received as marked.
pub(crate) fn marks_arrive(ran: &Ran, summary: &Value) {
    let marked = summary["up"]["marked"].as_u64().unwrap();
    assert!(marked > 0, "{summary}");
    assert_eq!(number(ran, "marks received"), marked as f64, "{summary}");
}

/// 1,448 of 1,500 bytes are payload: 9.65 of 10 Mbps at best. Slow start runs into forced
/// drops, from which reno takes a good part of three seconds to recover: at least half.
pub(crate) fn fills_the_link(ran: &Ran) {
    let goodput = number(ran, "goodput");
    assert!((5e6..9.66e6).contains(&goodput), "{goodput} {ran:?}");
}

/// Looks again and again; gives up after ten seconds.
pub(crate) fn until(holds: impl Fn() -> bool, what: &str) {
    let mut looks = 0;
    while !holds() {
        looks += 1;
        assert!(looks < 500, "{what}");
        sleep(Duration::from_millis(20));
    }
}
