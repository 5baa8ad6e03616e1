//! Compares the reader and writer of `tc red` with the installed `tc`: what it sends to the kernel,
//! what it rejects, and what it shows if the kernel has the qdisc.
//!
//! A test prints that it is skipped if `tc`, `unshare` or `strace` is missing, if it may not create a
//! network namespace, or if the kernel has no red.

use std::process::{Command, Output};

use earlydrop::registry::LinkFacts;
use earlydrop::units::{BitsPerSec, Bytes};
use earlydrop_model::explain::fit;
use earlydrop_model::tools::{Configuration, WithOrigin, find, read, tc, word_for_word};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Runs a shell script in a new network namespace.
fn in_namespace(script: &str) -> Option<Output> {
    let script = format!("ip link set lo up 2>/dev/null\n{script}");
    let output = Command::new("unshare")
        .args(["-rn", "sh", "-c", &script])
        .output();
    output.ok()
}

fn can(script: &str) -> bool {
    in_namespace(script).is_some_and(|output| output.status.success())
}

fn skipped(test: &str, why: &str) {
    eprintln!("skipped: {test}: {why}");
}

/// The netlink message of tc: the members of `struct tc_red_qopt`, and max_P in units of 2^-32.
#[derive(Debug, PartialEq)]
struct Message {
    limit: u32,
    min: u32,
    max: u32,
    wlog: u32,
    plog: u32,
    scell_log: u32,
    max_p: u32,
}

/// The message that `command` sends, or the output of tc if it sends none.
fn message(command: &str) -> Result<Message, String> {
    let (message, printed) = sent(command);
    message.ok_or(printed)
}

/// The message that `command` sends, if it sends one, and the output of tc.
fn sent(command: &str) -> (Option<Message>, String) {
    let command = command.replace("dev eth0", "dev lo");
    let script = format!("strace -e trace=sendmsg -xx -s 2000 {command} 2>&1");
    let output = in_namespace(&script).expect("a namespace, as before");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let bytes = printed
        .split_once("TCA_OPTIONS}, \"")
        .and_then(|(_, rest)| rest.split_once('"'))
        .map(|(bytes, _)| bytes.split("\\x").skip(1));
    let Some(bytes) = bytes else {
        return (None, printed);
    };
    let bytes: Vec<u8> = bytes
        .map(|digits| u8::from_str_radix(digits, 16).unwrap())
        .collect();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    // The first attribute is the struct; the third, after a table of 256 bytes, is max_P.
    let message = Message {
        limit: word(4),
        min: word(8),
        max: word(12),
        wlog: bytes[16].into(),
        plog: bytes[17].into(),
        scell_log: bytes[18].into(),
        max_p: word(4 + 16 + 4 + 256 + 4),
    };
    (Some(message), printed)
}

/// The message that tc should send for a configuration.
fn expected(parsed: &Configuration) -> Message {
    let class = &parsed.classes[0];
    let wlog = -parsed.weight.value.log2() as u32;
    let (min, max) = (class.min.value as u32, class.max.value as u32);
    let avpkt = parsed.mean_packet.value.unwrap().0 as u32;
    let rate = parsed.rate.value.unwrap_or(BitsPerSec::from_mbps(10));
    Message {
        limit: parsed.limit_in_unit(&link()).unwrap() as u32,
        min,
        max,
        wlog,
        plog: tc::plog(min, max, class.max_p.value).unwrap(),
        scell_log: tc::scell_log(wlog, avpkt, rate.0 / 8),
        max_p: (class.max_p.value * 2_f64.powi(32)) as u32,
    }
}

fn link() -> LinkFacts {
    LinkFacts::at(BitsPerSec::from_mbps(10))
}

fn strace_shows(test: &str) -> bool {
    let usual = "tc qdisc add dev lo root red limit 400000 avpkt 1000";
    if !can("command -v tc && strace -e trace=none true") {
        skipped(
            test,
            "tc, unshare and strace are needed, and the right to use them",
        );
        return false;
    }
    let shown = message(usual).is_ok();
    if !shown {
        skipped(test, "this strace does not show what tc sends");
    }
    shown
}

#[test]
fn tc_sends_the_expected_message() {
    if !strace_shows("tc_sends_the_expected_message") {
        return;
    }
    for options in [
        "limit 400000 min 30000 max 90000 avpkt 1000 burst 55 probability 0.02 ecn",
        "limit 400000 avpkt 1000",
        "limit 400k min 30k avpkt 1500 adaptive",
        "limit 1m max 300k avpkt 1500 burst 0x80 bandwidth 100mbit",
        "limit 60mb min 1.3mb max 3.9mb avpkt 9000 burst 400 bandwidth 10gbit",
        "limit 400000 min 30000 max 30000 avpkt 1000 burst 31 bandwidth 1gbit",
        "limit 100kbit min 500 max 2000 avpkt 64 burst 20 bandwidth 56kbit",
        "limit 400000 min 30000 max 90000 avpkt 1000 burst 55 bandwidth 100",
    ] {
        let text = format!("tc qdisc add dev eth0 root red {options}");
        let parsed = read(&text, None, &link()).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(message(&text), Ok(expected(&parsed)), "{text}");
    }
}

#[test]
fn tc_rejects_what_the_reader_rejects() {
    if !strace_shows("tc_rejects_what_the_reader_rejects") {
        return;
    }
    for options in [
        "min 30000 max 90000 avpkt 1000",
        "limit 400000 min 30000 max 90000",
        "limit 400000 min 30000 max 20000 avpkt 1000 burst 55",
        "limit 400000 min 30000 max 90000 avpkt 1000 burst 5",
        "limit 400000 min 30000 max 90000 avpkt 1000 burst 5.5",
        "limit 400000 min 30000 max 90000 avpkt 1000 burst 550000",
        "limit 400000 min 30000 max 90000 avpkt 1000 probability 0",
        "limit 400000 min 1000 max 3000 avpkt 1500 burst 50",
        "limit 5gb min 30000 max 90000 avpkt 1000",
        "limit -5 min 30000 max 90000 avpkt 1000",
        "limit 400000 min 30000 max 90000 avpkt 1000 brust 55",
    ] {
        let text = format!("tc qdisc add dev eth0 root red {options}");
        assert!(message(&text).is_err(), "{text}");
        assert!(read(&text, None, &link()).is_err(), "{text}");
    }
    // tc suggests the same least burst.
    let small = "tc qdisc add dev lo root red limit 400000 min 30000 max 90000 avpkt 1000 burst 5";
    assert!(message(small).unwrap_err().contains("Try burst 31"));
    let error = read(small, None, &link()).unwrap_err();
    assert!(error.help.contains("burst 31"), "{error}");
}

/// Commands written for 40 random configurations of another tool, with a fixed seed.
fn commands() -> Vec<String> {
    let numbers = (
        1.0..300.0_f64,
        1.2..5.0_f64,
        0.001..1.0_f64,
        1..13_i32,
        1..10_000_u64,
    );
    let seed = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), seed);
    let mut draw = || {
        let (min, ratio, max_p, exponent, mbps) = numbers.new_tree(&mut runner).unwrap().current();
        let link = LinkFacts {
            rate: BitsPerSec::from_mbps(mbps),
            mean_packet: Bytes(1500),
        };
        let text = format!(
            "red:min={min},max={},limit=2000,max_p={max_p}",
            min * ratio + 1.0
        );
        let mut wanted = read(&text, None, &link).unwrap();
        wanted.weight = WithOrigin::implied(2_f64.powi(-exponent), "drawn");
        let written = word_for_word(&wanted, find("linux").unwrap(), &link).unwrap();
        written.text
    };
    (0..40).map(|_| draw()).collect()
}

#[test]
fn tc_accepts_what_the_writer_writes() {
    if !strace_shows("tc_accepts_what_the_writer_writes") {
        return;
    }
    for text in commands() {
        let parsed = read(&text, None, &link()).unwrap();
        assert_eq!(message(&text), Ok(expected(&parsed)), "{text}");
    }
}

/// The lines for the links of [`paste`](super::paste), with whether tc is to warn of each.
fn pasted() -> Vec<(String, bool)> {
    let linux = find("linux").unwrap();
    let fitted = super::paste::cases().into_iter().map(|case| {
        let fit = fit(&case.red, linux, &case.load).unwrap();
        (fit.translation.text, fit.warning.is_some())
    });
    fitted.collect()
}

/// Each line is sent to the kernel as it is read, and none is warned of that was not said to be.
#[test]
fn tc_accepts_what_is_pasted() {
    if !strace_shows("tc_accepts_what_is_pasted") {
        return;
    }
    let lines = pasted();
    let (mut refused, mut warned) = (Vec::new(), 0);
    for (text, is_loud) in &lines {
        let (sent, printed) = sent(text);
        let parsed = read(text, None, &link()).unwrap();
        if sent != Some(expected(&parsed)) {
            refused.push(format!("{text}\n{printed}"));
        }
        let warns = printed.contains("WARNING");
        assert_eq!(warns, *is_loud, "{text}\n{printed}");
        warned += usize::from(warns);
    }
    println!(
        "{} lines, {} refused, {warned} with a warning",
        lines.len(),
        refused.len()
    );
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

/// The output of `tc qdisc show` is read as the same configuration as the command.
#[test]
fn the_output_of_tc_is_read_as_its_command() {
    const TEST: &str = "the_output_of_tc_is_read_as_its_command";
    let usual = "tc qdisc add dev lo root red limit 400000 avpkt 1000 2>/dev/null";
    if !can(usual) {
        return skipped(TEST, "no tc, no namespace, or a kernel without red");
    }
    let mut commands = commands();
    commands.extend(pasted().into_iter().map(|(text, _)| text));
    commands.push(
        "tc qdisc add dev eth0 root red limit 400000 min 30000 max 90000 avpkt 1000 burst 55 \
         probability 0.02 ecn harddrop adaptive"
            .to_string(),
    );
    for text in commands {
        let given = read(&text, None, &link()).unwrap();
        let command = text.replace("dev eth0", "dev lo");
        for show in ["tc -s -d qdisc show dev lo", "tc -j -d qdisc show dev lo"] {
            let output = in_namespace(&format!("{command} 2>/dev/null && {show}")).unwrap();
            let shown = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(output.status.success(), "{text}: {shown}");
            let parsed = read(&shown, None, &link());
            let parsed = parsed.unwrap_or_else(|error| panic!("{shown}: {error}"));
            let words = |c: &Configuration| (c.weight.value, c.ecn.value, c.adapt.value);
            assert_eq!(words(&parsed), words(&given), "{text}\n{shown}");
            let lengths = |c: &Configuration| {
                let limit = c.limit_in_unit(&link()).unwrap();
                [limit, c.classes[0].min.value, c.classes[0].max.value]
            };
            // As text, tc rounds to whole Kb and Mb; as JSON it does not.
            let slack = if show.contains("-j") { 0.0 } else { 1e-3 };
            for (shown_as, given_as) in lengths(&parsed).into_iter().zip(lengths(&given)) {
                let off = (shown_as / given_as - 1.0).abs();
                assert!(off <= slack, "{shown_as} for {given_as}: {text}\n{shown}");
            }
            // tc prints six digits.
            let (shown_p, given_p) = (parsed.classes[0].max_p.value, given.classes[0].max_p.value);
            assert!((shown_p / given_p - 1.0).abs() < 1e-5, "{text}\n{shown}");
        }
    }
}
