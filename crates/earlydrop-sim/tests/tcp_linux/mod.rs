//! Linux's own TCP as a reference: scripts, the far end, logs, and what differs.
//!
//! `bench/linux/` makes the reference, `bench/reference/README.md` describes its files.
#![allow(dead_code)] // The test and the example use different parts.

pub(crate) mod compare;
pub(crate) mod log;
pub(crate) mod peer;
pub(crate) mod play;
pub(crate) mod script;
pub(crate) mod trace;

use std::fs;
use std::path::{Path, PathBuf};

use compare::Differences;
use play::Writes;
use script::Script;
use trace::Trace;

/// A script with a control and data to send.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) name: String,
    script: String,
    control: String,
    writes: Writes,
    seconds: u64,
    /// Seconds on the kernel's clock at the case's time 0.
    origin: u64,
}

/// The folder of the reference.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/reference/linux/tcp")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Seconds on the kernel's clock at the first case's time 0. A case begins at a multiple of
/// [`ORIGIN_GRAIN`] that is at least as many seconds away (`path.c`).
const FIRST_ORIGIN: u64 = 2 * ORIGIN_GRAIN;
const ORIGIN_GRAIN: u64 = 16;
/// Ticks on the simulator's clock at time 0 (`rto.rs`).
const TICKS_AT_START: i64 = 32;
/// Ticks between two buckets of the timer wheel's last level.
const WHEEL_TICKS: i64 = 1 << 24;
/// So many times the timer wheel has turned before. BBR draws its first phase by the time at which it
/// starts: after this many turns the simulator draws the phase that the kernel drew, the first with a
/// gain of 1 (`bbr_reset_probe_bw_mode`).
const TURNS: u64 = 24;

/// All cases, in the order of `cases.txt`, which is that of the boot.
pub(crate) fn cases() -> Vec<Case> {
    let text = read(&folder().join("cases.txt"));
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let case = |line: &str| {
        let fields: Vec<&str> = line.split('|').collect();
        Some(Case {
            name: fields.first()?.to_string(),
            script: fields.get(1)?.to_string(),
            control: fields.get(2)?.to_string(),
            writes: Writes::read(fields.get(3)?)?,
            seconds: fields.get(4)?.parse().ok()?,
            origin: 0,
        })
    };
    let mut origin = FIRST_ORIGIN;
    lines
        .map(|line| {
            let mut case = case(line).unwrap_or_else(|| panic!("not a case: {line}"));
            case.origin = origin;
            origin = case.next_origin();
            case
        })
        .collect()
}

impl Case {
    /// The origin of the case after this one, which ends `seconds` after its last write (`send.c`).
    fn next_origin(&self) -> u64 {
        let end = self.origin + self.writes.last_at() / 1_000_000_000 + self.seconds;
        (end / ORIGIN_GRAIN + 2) * ORIGIN_GRAIN
    }

    /// When it is played, ns: timers expire at the ticks at which they do in the kernel, whose count
    /// began 300 s below 0. The simulator's is [`TICKS_AT_START`] at 0, and its timer wheel repeats
    /// itself after [`WHEEL_TICKS`].
    fn start(&self) -> u64 {
        let ticks = 1000 * self.origin as i64 - 300_000;
        let turned = (ticks - TICKS_AT_START).rem_euclid(WHEEL_TICKS) as u64;
        (turned + TURNS * WHEEL_TICKS as u64) * 1_000_000
    }

    /// What the simulator's sender does.
    pub(crate) fn play(&self) -> Trace {
        let script = Script::read(&read(&folder().join("scripts").join(&self.script)));
        let script = script.unwrap_or_else(|error| panic!("{}: {error}", self.script));
        let profile = play::profile(&self.control, &script).expect("a known control");
        profile.validate().expect("a consistent profile");
        let (from, until) = (self.start(), self.seconds * 1_000_000_000);
        let records = play::play(&script, &profile, &self.writes, from..from + until);
        Trace::of(&records).since(from)
    }

    /// The control of `cwnd`, as `cases.txt` names it.
    pub(crate) fn control(&self) -> &str {
        &self.control
    }

    /// Where the kernel's trace of it is stored.
    pub(crate) fn stored(&self) -> PathBuf {
        folder().join("traces").join(format!("{}.txt", self.name))
    }

    /// How far the simulator's sender is from the kernel's.
    pub(crate) fn differences(&self) -> Differences {
        let kernel = Trace::read(&read(&self.stored()));
        let kernel = kernel.unwrap_or_else(|| panic!("{}: not a trace", self.name));
        compare::compare(&kernel, &self.play())
    }
}
