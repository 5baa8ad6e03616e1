//! Linux's own qdiscs as a reference: cases, arrivals, replay, fates and figures.
//!
//! `bench/linux/` makes the reference, `bench/reference/README.md` describes its files.
#![allow(dead_code)] // The test and the example use different parts.

pub(crate) mod figures;
pub(crate) mod replay;
// Conformance vectors have the same arrivals and fates.
#[path = "../../../../conformance/tests/kernel/fates.rs"]
mod fates;
#[path = "../../../../conformance/src/kernel/traces.rs"]
pub(crate) mod traces;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use replay::{Fate, LinkModel, Record};
use traces::Arrival;

/// Cases whose qdiscs choose by hashes and slots that are not ours: only figures can agree.
pub(crate) const STATISTICAL: &[&str] = &[
    "choke",
    "choke_many",
    "fqc_def",
    "fqc_mem",
    "sfb",
    "sfb_ecn",
];

/// A qdisc under arrivals.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) name: String,
    /// Ticks a second of the kernel.
    pub(crate) hz: u32,
    pub(crate) trace: String,
    /// The link's rate in bit/s.
    pub(crate) rate: u64,
    /// The rate in bit/s at which the qdisc itself sends, if it shapes.
    pub(crate) shaped: Option<u64>,
    /// The same qdisc here.
    pub(crate) spec: String,
    /// Its line in `cases.txt`.
    pub(crate) line: String,
}

impl Case {
    /// Whether the fate of each packet must be the kernel's.
    pub(crate) fn is_exact(&self) -> bool {
        !STATISTICAL.contains(&self.name.as_str())
    }

    /// Its packets through our queue.
    pub(crate) fn replay(&self, seed: u64, before: u64, trace: &[Arrival]) -> Vec<Record> {
        let link = match self.shaped {
            Some(rate) => LinkModel {
                rate,
                ticks: 1,
                late: 1,
            },
            None => LinkModel {
                rate: self.rate,
                ticks: 100,
                late: 0,
            },
        };
        replay::replay(&self.spec, seed, link, before, trace)
    }
}

/// The folder of the reference.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/reference/linux")
}

/// The text of a file of the reference.
pub(crate) fn read(name: &str) -> String {
    let path = folder().join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Every case of `cases.txt`.
pub(crate) fn cases() -> Vec<Case> {
    let text = read("cases.txt");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let case = |line: &str| {
        let fields: Vec<&str> = line.split('|').collect();
        let [name, hz, trace, _, rate, spec, arguments] = fields[..] else {
            panic!("cases.txt: {line}");
        };
        Case {
            name: name.into(),
            hz: hz.parse().expect("a number of ticks"),
            trace: trace.into(),
            rate: rate.parse().expect("a rate"),
            shaped: shaped(arguments),
            spec: spec.into(),
            line: line.into(),
        }
    };
    lines.map(case).collect()
}

/// The rate after "bandwidth" among the arguments of `tc ... cake`.
fn shaped(arguments: &str) -> Option<u64> {
    let (_, rate) = arguments.strip_prefix("cake ")?.split_once("bandwidth ")?;
    let (mbit, _) = rate.split_once("mbit")?;
    Some(mbit.parse::<u64>().ok()? * 1_000_000)
}

/// Arrivals by name, each made once.
#[derive(Default)]
pub(crate) struct Traces(HashMap<String, Rc<[Arrival]>>);

impl Traces {
    pub(crate) fn get(&mut self, name: &str) -> Rc<[Arrival]> {
        let made = self.0.entry(name.into());
        made.or_insert_with(|| traces::trace(name).into()).clone()
    }
}

/// A kernel run whose fates must be ours: a line of `runs.csv`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KernelRun {
    pub(crate) case: String,
    pub(crate) seed: u64,
    /// How long before the first arrival's time 0 the qdisc's timer was armed, in ns.
    pub(crate) armed: u64,
    pub(crate) dropped: usize,
    pub(crate) marked: usize,
    /// Of the packets' fates, a letter each.
    pub(crate) fates: u64,
    /// Of the times at which they left or were dropped, in ns.
    pub(crate) times: u64,
}

impl KernelRun {
    /// The summary of a run's records.
    pub(crate) fn of(case: &str, seed: u64, armed: u64, records: &[Record]) -> KernelRun {
        let number = |fate| records.iter().filter(|record| record.fate == fate).count();
        let times = records.iter().flat_map(|record| record.left.to_le_bytes());
        KernelRun {
            case: case.into(),
            seed,
            armed,
            dropped: number(Fate::Dropped),
            marked: number(Fate::Marked),
            fates: fnv1a(records.iter().map(|record| record.fate.letter())),
            times: fnv1a(times),
        }
    }

    pub(crate) const HEADER: &str = "case,seed,armed_ns,dropped,marked,fates,times";

    pub(crate) fn line(&self) -> String {
        let KernelRun {
            case,
            seed,
            armed,
            dropped,
            marked,
            fates,
            times,
        } = self;
        format!("{case},{seed},{armed},{dropped},{marked},{fates:016x},{times:016x}")
    }

    fn parse(line: &str) -> Option<KernelRun> {
        let mut fields = line.split(',');
        Some(KernelRun {
            case: fields.next()?.into(),
            seed: fields.next()?.parse().ok()?,
            armed: fields.next()?.parse().ok()?,
            dropped: fields.next()?.parse().ok()?,
            marked: fields.next()?.parse().ok()?,
            fates: u64::from_str_radix(fields.next()?, 16).ok()?,
            times: u64::from_str_radix(fields.next()?, 16).ok()?,
        })
    }
}

/// The kernel runs of `runs.csv`.
pub(crate) fn kernel_runs() -> Vec<KernelRun> {
    let text = read("runs.csv");
    let run = |line| KernelRun::parse(line).unwrap_or_else(|| panic!("runs.csv: {line}"));
    text.lines().skip(1).map(run).collect()
}

/// The FNV-1a hash of 64 bits.
pub(crate) fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Fates as text: runs of equal ones, each a number (none for 1) and a letter.
pub(crate) fn fates_to_text(fates: &[Fate]) -> String {
    let mut text = String::new();
    let mut column = 0;
    for run in fates.chunk_by(|one, next| one == next) {
        let number = if run.len() > 1 {
            run.len().to_string()
        } else {
            String::new()
        };
        if column + number.len() + 1 > 100 {
            text.push('\n');
            column = 0;
        }
        column += number.len() + 1;
        text.push_str(&number);
        text.push(char::from(run[0].letter()));
    }
    text.push('\n');
    text
}

/// Fates from the text of [`fates_to_text`].
pub(crate) fn fates_of_text(text: &str) -> Vec<Fate> {
    let fate = |letter| Fate::from_letter(letter).expect("'.', 'm' or 'd'");
    fates::letters(text).into_iter().map(fate).collect()
}
