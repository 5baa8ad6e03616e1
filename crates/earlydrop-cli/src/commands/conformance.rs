//! `earlydrop conformance`: judges queues written in any language by vectors.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use earlydrop::registry::nearest;
use earlydrop_conformance::catalogue::{self, SCHEMES};
use earlydrop_conformance::fault::FAULTS;
use earlydrop_conformance::library::Library;
use earlydrop_conformance::program::Program;
use earlydrop_conformance::report::Report;
use earlydrop_conformance::vector::{Vector, write};
use serde_json::json;

use crate::failure::Failure;
use crate::output::Output;

/// Judge a queue written in any language by conformance vectors, and name its faults
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop conformance
  earlydrop conformance --scheme codel -- python3 my_codel.py
  earlydrop conformance --scheme codel --library ./my_codel.so
  earlydrop conformance --out vectors

The program answers each line of JSON on its standard input with a line on its standard output, the
library exports a table of functions: docs/how-to/conformance.md. Exit code 1: at least one vector was not passed.")]
pub(crate) struct Conformance {
    /// Only the vectors of these schemes
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    scheme: Vec<String>,
    /// Write the vectors into this folder, a file for each scheme
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    out: Option<PathBuf>,
    /// A shared library whose queue is judged, by the table of functions of earlydrop_conformance.h
    #[arg(long, value_name = "PATH", conflicts_with_all = ["command", "out"])]
    library: Option<PathBuf>,
    /// How many seconds an answer of the program is waited for
    #[arg(long, value_name = "SECONDS", default_value_t = 60,
          value_parser = clap::value_parser!(u64).range(1..))]
    patience: u64,
    /// Write one JSON document on standard output instead of text
    #[arg(long)]
    json: bool,
    /// The program and its arguments; without it the vectors are listed
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

pub(crate) fn run(arguments: &Conformance, out: &mut Output<'_>) -> Result<(), Failure> {
    let vectors = arguments.vectors()?;
    if let Some(folder) = &arguments.out {
        return write_files(arguments, folder, out);
    }
    let report = match (&arguments.library, arguments.command.as_slice()) {
        (Some(library), _) => judge_library(library, &vectors)?,
        (None, []) => return list(&vectors, arguments.json, out),
        (None, command) => {
            judge_program(command, Duration::from_secs(arguments.patience), &vectors)?
        }
    };
    show(&report, arguments.json, out)
}

impl Conformance {
    fn schemes(&self) -> Result<Vec<&'static str>, Failure> {
        if self.scheme.is_empty() {
            return Ok(SCHEMES.to_vec());
        }
        let known = |name: &String| {
            let found = SCHEMES.iter().find(|scheme| *scheme == name).copied();
            found.ok_or_else(|| {
                let hint = nearest(name, SCHEMES.iter().copied());
                let hint = hint.map_or(String::new(), |near| format!("; did you mean {near}?"));
                let all = SCHEMES.join(", ");
                Failure::Usage(format!(
                    "--scheme {name}: there are no vectors of it{hint}; allowed are {all}"
                ))
            })
        };
        self.scheme.iter().map(known).collect()
    }

    fn vectors(&self) -> Result<Vec<Vector>, Failure> {
        let mut vectors = Vec::new();
        for scheme in self.schemes()? {
            vectors.extend(catalogue::vectors(scheme)?);
        }
        Ok(vectors)
    }
}

fn write_files(
    arguments: &Conformance,
    folder: &PathBuf,
    out: &mut Output<'_>,
) -> Result<(), Failure> {
    let failed = |path: &PathBuf, error: std::io::Error| {
        Failure::Runtime(format!("{} was not written: {error}", path.display()))
    };
    if folder.exists() && !folder.is_dir() {
        let name = folder.display();
        return Err(Failure::Usage(format!(
            "--out {name} is a file: choose a folder, which may be new"
        )));
    }
    fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    let schemes = arguments.schemes()?;
    let path_of = |scheme: &str| folder.join(format!("{scheme}.jsonl"));
    if let Some(path) = schemes
        .iter()
        .map(|scheme| path_of(scheme))
        .find(|path| path.exists())
    {
        let path = path.display();
        return Err(Failure::Usage(format!(
            "{path} is there already; nothing was written: choose another folder with --out"
        )));
    }
    for scheme in schemes {
        let path = path_of(scheme);
        let text = write(&catalogue::vectors(scheme)?);
        fs::write(&path, text).map_err(|error| failed(&path, error))?;
        writeln!(out, "{}", path.display())?;
    }
    Ok(())
}

fn list(vectors: &[Vector], as_json: bool, out: &mut Output<'_>) -> Result<(), Failure> {
    if as_json {
        let headers: Vec<_> = vectors.iter().map(|vector| &vector.header).collect();
        return Ok(out.json(&headers)?);
    }
    for vector in vectors {
        let header = &vector.header;
        writeln!(out, "{}: {}", header.vector, header.about)?;
        writeln!(out, "    exposes {}", header.exposes.join(", "))?;
    }
    let exposed = |id: &str| {
        let mut all = vectors.iter().flat_map(|vector| &vector.header.exposes);
        all.any(|known| known == id)
    };
    writeln!(out, "\nFaults:")?;
    for fault in FAULTS.iter().filter(|fault| exposed(fault.id)) {
        let seen = match fault.seen {
            "" => String::new(),
            seen => format!(" Seen in: {seen}."),
        };
        writeln!(out, "  {}: {}.{seen}", fault.id, fault.what)?;
    }
    Ok(writeln!(out, "{} vectors", vectors.len())?)
}

fn judge_program(
    command: &[String],
    patience: Duration,
    vectors: &[Vector],
) -> Result<Report, Failure> {
    let started = Program::start(command, patience);
    let mut program = started
        .map_err(|error| Failure::Usage(format!("{} does not start: {error}", command[0])))?;
    let mut report = Report::default();
    for vector in vectors {
        match program.begin(&vector.header).map_err(Failure::Runtime)? {
            true => report
                .judge(vector, &mut program)
                .map_err(Failure::Runtime)?,
            false => report.skip(vector),
        }
    }
    Ok(report)
}

fn judge_library(path: &Path, vectors: &[Vector]) -> Result<Report, Failure> {
    let library = Library::open(path);
    let library = library.map_err(|problem| Failure::Usage(format!("--library {problem}")))?;
    let mut report = Report::default();
    for vector in vectors {
        match library.queue(&vector.header) {
            Some(mut queue) => report.judge(vector, &mut queue).map_err(Failure::Runtime)?,
            None => report.skip(vector),
        }
    }
    Ok(report)
}

fn show(report: &Report, as_json: bool, out: &mut Output<'_>) -> Result<(), Failure> {
    match as_json {
        true => {
            out.json(&document(report))?;
        }
        false => write!(out, "{report}")?,
    }
    let problem = match report.differences().next() {
        Some(_) => "the queue leaves the vectors",
        None if report.is_clean() => return Ok(()),
        None => "the queue has taken no vector, so nothing was judged",
    };
    Err(Failure::Runtime(problem.to_string()))
}

fn document(report: &Report) -> serde_json::Value {
    let differences = report.differences().map(|one| {
        json!({
            "vector": one.vector, "step": one.step, "t": one.t,
            "expected": one.expected, "found": one.found, "exposes": one.exposes,
        })
    });
    let suspects = report.suspects().into_iter();
    let suspects = suspects.map(|(fault, failed, all)| {
        json!({ "fault": fault.id, "what": fault.what, "failed": failed, "vectors": all })
    });
    json!({
        "differences": differences.collect::<Vec<_>>(),
        "suspects": suspects.collect::<Vec<_>>(),
        "skipped": report.skipped,
    })
}
