//! The files in `conformance/vectors`: made by the catalogue, passed by earlydrop, and of use.

mod kernel {
    pub(crate) mod fates;
}

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use kernel::fates::letters;

use earlydrop_conformance::catalogue::{self, SCHEMES};
use earlydrop_conformance::fault::{FAULTS, fault_named};
use earlydrop_conformance::judge::judge;
use earlydrop_conformance::own::OwnQueue;
use earlydrop_conformance::vector::{Ecn, Fate, Step, Vector, read, write};

fn file_of(scheme: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
    folder.join(format!("{scheme}.jsonl"))
}

fn text_of(scheme: &str) -> String {
    fs::read_to_string(file_of(scheme)).unwrap()
}

fn every_vector() -> Vec<Vector> {
    let of_scheme = |scheme: &&str| read(&text_of(scheme)).unwrap();
    SCHEMES.iter().flat_map(of_scheme).collect()
}

/// With `EARLYDROP_WRITE_PAGES` the files are written anew.
#[test]
fn files_are_what_the_catalogue_records() {
    for scheme in SCHEMES {
        let text = write(&catalogue::vectors(scheme).unwrap());
        if std::env::var_os("EARLYDROP_WRITE_PAGES").is_some() {
            fs::write(file_of(scheme), text).unwrap();
            continue;
        }
        assert!(
            text_of(scheme) == text,
            "{scheme}.jsonl: EARLYDROP_WRITE_PAGES=1 cargo test -p earlydrop-conformance writes it \
             anew"
        );
    }
}

#[test]
fn earlydrop_passes_its_vectors() {
    for vector in every_vector() {
        let mut queue = OwnQueue::of(&vector.header).unwrap();
        judge(&vector, &mut queue).unwrap_or_else(|difference| panic!("{difference}"));
    }
}

#[test]
fn there_are_enough_and_they_are_small() {
    let vectors = every_vector();
    assert!(vectors.len() >= 100, "{} vectors", vectors.len());
    let names: BTreeSet<&String> = vectors.iter().map(|one| &one.header.vector).collect();
    assert_eq!(names.len(), vectors.len(), "a name is there twice");
    let bytes: usize = SCHEMES.iter().map(|one| text_of(one).len()).sum();
    assert!(bytes <= 2_000_000, "{bytes} bytes");
}

#[test]
fn every_fault_is_exposed_and_every_vector_exposes_one() {
    let vectors = every_vector();
    for vector in &vectors {
        let header = &vector.header;
        assert!(!header.exposes.is_empty(), "{}", header.vector);
        for fault in &header.exposes {
            assert!(fault_named(fault).is_some(), "{}: {fault}", header.vector);
        }
    }
    for fault in FAULTS {
        let mut exposing = vectors.iter().flat_map(|one| &one.header.exposes);
        assert!(exposing.any(|id| id == fault.id), "{}", fault.id);
    }
}

/// A vector in which every packet passes as it is would judge little, but for those that are about
/// it.
#[test]
fn something_happens_in_each() {
    const CALM: &[&str] = &[
        "red/average",
        "red/idle",
        "ared/falls",
        "codel/below-target",
        "codel/dips",
        "codel/one-mtu",
    ];
    let mut otherwise = Vec::new();
    for vector in every_vector() {
        let name = vector.header.vector.as_str();
        if vector.drops_or_marks() == CALM.contains(&name) {
            otherwise.push(name.to_string());
        }
    }
    assert!(otherwise.is_empty(), "{otherwise:?}");
}

#[test]
fn what_is_read_is_what_was_written() {
    for scheme in SCHEMES {
        let text = text_of(scheme);
        assert!(write(&read(&text).unwrap()) == text, "{scheme}");
    }
    let droptail = text_of("droptail");
    let first = droptail.lines().next().unwrap();
    let error = |text: &str| read(text).unwrap_err().to_string();
    assert!(
        error(first).starts_with("line 1: droptail/packets has"),
        "{}",
        error(first)
    );
    let other = first.replace("\"format\":1", "\"format\":2");
    let problem = "line 1: droptail/packets has format 2; this reader has 1";
    assert_eq!(error(&other), problem);
}

/// What became of a packet, by a letter: `.` passed, `m` marked, `d` dropped; nothing while it waits.
fn fate_in(vector: &Vector, id: u32) -> Option<char> {
    let dropped = |step: &Step| {
        let arrived = step.enqueue.is_some_and(|packet| packet.id == id);
        step.lost.contains(&id) || (arrived && step.fate == Some(Fate::Dropped))
    };
    let sent = |step: &Step| step.sent.filter(|sent| sent.id == id);
    vector.steps.iter().find_map(|step| match sent(step) {
        Some(sent) if sent.ecn == Ecn::Ce => Some('m'),
        Some(_) => Some('.'),
        None => dropped(step).then_some('d'),
    })
}

/// What a kernel's own qdisc did with each packet, a letter each.
fn kernels_fates(case: &str) -> Vec<u8> {
    let path = format!("../bench/reference/linux/fates/{case}.txt");
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path));
    letters(&text.unwrap())
}

#[test]
fn where_linux_is_meant_the_fates_are_the_kernels() {
    let vectors = every_vector();
    let mut cases = 0;
    for vector in &vectors {
        let Some(case) = &vector.header.kernel else {
            continue;
        };
        cases += 1;
        let (mut ours, mut theirs) = (String::new(), String::new());
        for (id, kernels) in (0..450).zip(kernels_fates(case)) {
            if let Some(fate) = fate_in(vector, id) {
                ours.push(fate);
                theirs.push(char::from(kernels));
            }
        }
        assert!(ours.len() > 200, "{case}: {} fates", ours.len());
        assert_eq!(ours, theirs, "{}", vector.header.vector);
        assert!(ours.contains(['d', 'm']), "{case}: {ours}");
    }
    assert_eq!(cases, 3);
}
