//! Checks the invariants of fuzzing with the fuzzers' seeds and a few mutations of each, the same
//! in every run, for Miri: `sanitized TARGET ...`
//!
//! Miri takes about a thousand times as long as a processor, so there is no search.

use std::fs;
use std::path::Path;

use earlydrop_lab::plan::{Source, TraceFiles};

/// Scenarios longer than this many bytes are left out: Miri takes seconds for each.
const LONGEST_SCENARIO: usize = 400;

fn main() {
    for target in std::env::args().skip(1) {
        let (mutations, longest) = match &*target {
            "recording" => (1, usize::MAX),
            "scenario" => (1, LONGEST_SCENARIO),
            _ => (10, usize::MAX),
        };
        let mut inputs = 0;
        for seed in seeds(&target) {
            if seed.len() <= longest {
                check(&target, &seed);
                (0..mutations).for_each(|number| check(&target, &mutated(&seed, number)));
                inputs += 1 + mutations;
            }
        }
        println!("{target}: {inputs} inputs");
    }
}

/// The seeds of a fuzzer, in the order of their names.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../seeds");
    let entries = fs::read_dir(folder.join(target)).expect("a target's seeds");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("a seed").path()).collect();
    files.sort();
    let read = files
        .into_iter()
        .map(|file| fs::read(file).expect("a seed"));
    read.collect()
}

fn check(target: &str, bytes: &[u8]) {
    match target {
        "packet" => earlydrop_live::fuzzing::packet(bytes),
        "burst" => earlydrop_live::fuzzing::burst(bytes),
        "netlink" => earlydrop_live::fuzzing::netlink(bytes),
        "recording" => earlydrop_sim::fuzzing::recording(bytes),
        "capture" => earlydrop_sim::fuzzing::capture(bytes),
        // Only the text is read: a plan takes minutes.
        "scenario" => {
            let text = String::from_utf8_lossy(bytes);
            let _ = Source::new("seed.toml", &text, TraceFiles::default());
        }
        other => panic!("no target {other}"),
    }
}

/// The seed with up to nine bytes replaced, and every second time cut off (SplitMix64).
fn mutated(seed: &[u8], number: u64) -> Vec<u8> {
    let mut state = number;
    let mut draw = |below: usize| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % below.max(1) as u64) as usize
    };
    let mut bytes = seed.to_vec();
    if number % 2 == 1 {
        bytes.truncate(draw(seed.len()));
    }
    for _ in 0..=draw(9) {
        let at = draw(bytes.len());
        if let Some(byte) = bytes.get_mut(at) {
            *byte = draw(256) as u8;
        }
    }
    bytes
}
