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
}

/// The folder of the reference.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/reference/linux/tcp")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All cases, in the order of `cases.txt`.
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
        })
    };
    lines
        .map(|line| case(line).unwrap_or_else(|| panic!("not a case: {line}")))
        .collect()
}

impl Case {
    /// What the simulator's sender does.
    pub(crate) fn play(&self) -> Trace {
        let script = Script::read(&read(&folder().join("scripts").join(&self.script)));
        let script = script.unwrap_or_else(|error| panic!("{}: {error}", self.script));
        let profile = play::profile(&self.control, &script).expect("a known control");
        profile.validate().expect("a consistent profile");
        let until = self.seconds * 1_000_000_000;
        Trace::of(&play::play(&script, &profile, &self.writes, until))
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
