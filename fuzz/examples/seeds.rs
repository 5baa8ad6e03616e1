//! Makes the seeds and the dictionaries of the fuzzers from the shipped scenarios, the tools and
//! the descriptions of fields: `cargo run --example seeds`, in the folder `fuzz`.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use earlydrop::registry::{LinkFacts, SCHEMES};
use earlydrop::units::{BitsPerSec, Dimension, spellings};
use earlydrop_lab::plan::{Source, TraceFiles};
use earlydrop_lab::scenario::schema;
use earlydrop_lab::store::{self, Store};
use earlydrop_model::tools::{TOOLS, find, read, translate};
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (seeds, dictionaries) = (fuzz.join("seeds"), fuzz.join("dictionaries"));
    for target in ["scenario", "dialects", "database"] {
        fs::create_dir_all(seeds.join(target))?;
    }
    fs::create_dir_all(&dictionaries)?;
    scenarios(&fuzz.join("../scenarios"), &seeds.join("scenario"))?;
    dialects(&seeds.join("dialects"))?;
    examples(
        &fuzz.join("../crates/earlydrop-model/tests/dialects"),
        &seeds.join("dialects"),
    )?;
    database(&seeds.join("database"))?;
    fs::write(dictionaries.join("scenario.dict"), scenario_words())?;
    fs::write(dictionaries.join("dialects.dict"), dialect_words())?;
    Ok(())
}

/// Arguments of the command line, as `earlydrop_lab::fuzzing::scenario` reads them.
const ARGUMENTS: &str = "\
#--set network.rtt=30 ms
#--set flows.a.count=3
#--set flows.a.tcp.control=cubic
#--set schemes.red.max=20
schemes = [\"red:min=5,max=15\"]
flows.a.start = 0
sweep.\"network.rate\" = [\"1 Mbps\", \"2 Mbps\"]
";

/// The shipped scenarios without comments: mutations of a comment find nothing.
fn scenarios(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    fs::write(to.join("arguments"), ARGUMENTS)?;
    for folder in [from.to_path_buf(), from.join("live")] {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let (Some(name), true) = (
                path.file_stem(),
                path.extension().is_some_and(|ending| ending == "toml"),
            ) else {
                continue;
            };
            let text = fs::read_to_string(&path)?;
            let lines = text
                .lines()
                .map(|line| line.split("  #").next().unwrap_or(line));
            let lines = lines.filter(|line| !line.starts_with('#') && !line.trim().is_empty());
            let lines: Vec<&str> = lines.collect();
            fs::write(to.join(name), lines.join("\n"))?;
        }
    }
    Ok(())
}

/// Four configurations of RED in every tool's language.
fn dialects(to: &Path) -> Result<(), Box<dyn Error>> {
    let link = LinkFacts::at(BitsPerSec::from_mbps(10));
    for (name, spec) in [
        ("packets", "red:min=5,max=15,limit=50 packets"),
        (
            "bytes",
            "red:min=30000 bytes,max=90000 bytes,unit=bytes,limit=400000 bytes,ecn=on",
        ),
        ("gentle", "gred:min=10,max=30,adapt=ared,limit=100 packets"),
        (
            "nonlinear",
            "nlred:min=10,max=30,weight=0.01,limit=100 packets",
        ),
    ] {
        let native = read(spec, find("earlydrop"), &link)?;
        for tool in TOOLS {
            let written = translate(&native, tool, &link)?;
            fs::write(to.join(format!("{}-{name}", tool.name)), written.text)?;
        }
    }
    Ok(())
}

/// The tables' examples of dialects that no tool here writes: routers that are only read, and tc's
/// disciplines other than red.
fn examples(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    let written: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let table = fs::read_to_string(&path)?;
        let name = path.file_stem().and_then(|name| name.to_str());
        for (number, part) in table.split("\n## ").skip(1).enumerate() {
            let heading = part.split_whitespace().next().unwrap_or_default();
            let text = part.split_once('\n').map(|(_, rest)| rest);
            let text = text.and_then(|rest| rest.split_once("\n=> "));
            if let (Some(name), Some((text, _)), false) = (name, text, written.contains(&heading)) {
                fs::write(to.join(format!("{name}-{number}")), text)?;
            }
        }
    }
    Ok(())
}

/// The database of a small run, in pages of 512 bytes.
fn database(to: &Path) -> Result<(), Box<dyn Error>> {
    const SMALL: &str = "\
duration = \"2 s\"\nwarm_up = \"1 s\"\nseeds = 1\nschemes = [\"red:min=5,max=15\"]
network = { rate = \"1 Mbps\", rtt = \"20 ms\" }\nmeasure.sample = \"500 ms\"
flows.bulk = {}\nflows.web = { kind = \"web\" }\n";
    let folder = tempfile::TempDir::new()?;
    let source = Source::new("small.toml", SMALL, TraceFiles::default())?;
    let plan = source.plan()?;
    let stored = Store::create(folder.path(), &source, &plan)?;
    store::run(&plan, &stored, 1, &AtomicBool::new(false), |_| {})?;
    drop(stored);
    let path = folder.path().join("results.sqlite");
    let database = rusqlite::Connection::open(&path)?;
    database.execute_batch(
        "PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM; PRAGMA journal_mode = WAL;",
    )?;
    drop(database);
    fs::copy(&path, to.join("small"))?;
    Ok(())
}

/// The fields of scenarios, the values that they may have, schemes, parameters and units.
fn scenario_words() -> String {
    let mut words = BTreeSet::new();
    collect(&schema(), &mut words);
    words.extend(scheme_words());
    for dimension in [
        Dimension::Time,
        Dimension::Data,
        Dimension::Rate,
        Dimension::Packets,
        Dimension::Plain,
    ] {
        words.extend(spellings(dimension).map(|unit| format!(" {unit}")));
    }
    words.extend(["#--set ", "\n[flows.a]\n", "[sweep]\n", "inf", "nan"].map(str::to_string));
    dictionary(&words)
}

/// The schemes and their parameters.
fn scheme_words() -> impl Iterator<Item = String> {
    SCHEMES.iter().flat_map(|scheme| {
        let parameters = scheme
            .parameters()
            .map(|parameter| parameter.name.to_string());
        parameters
            .chain([scheme.name.to_string()])
            .collect::<Vec<_>>()
    })
}

/// The names of properties and the listed values of a JSON schema.
fn collect(schema: &Value, words: &mut BTreeSet<String>) {
    match schema {
        Value::Object(entries) => {
            for (key, value) in entries {
                if let ("properties", Value::Object(properties)) = (key.as_str(), value) {
                    words.extend(properties.keys().cloned());
                }
                if let ("enum", Value::Array(values)) = (key.as_str(), value) {
                    words.extend(values.iter().filter_map(Value::as_str).map(str::to_string));
                }
                collect(value, words);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, words)),
        _ => {}
    }
}

/// What each tool calls its knobs, and the words of texts that it writes.
fn dialect_words() -> String {
    let mut words = BTreeSet::new();
    words.extend(scheme_words());
    for tool in TOOLS {
        let names = tool
            .knobs
            .iter()
            .flat_map(|knob| knob.name.split([' ', ',', '/']));
        words.extend(names.map(str::to_string));
    }
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds/dialects");
    for entry in fs::read_dir(seeds).into_iter().flatten().flatten() {
        let text = fs::read_to_string(entry.path()).unwrap_or_default();
        words.extend(text.split_whitespace().map(str::to_string));
    }
    dictionary(&words)
}

/// The words in libFuzzer's format, which takes at most 64 bytes a word.
fn dictionary(words: &BTreeSet<String>) -> String {
    let mut text = String::new();
    for word in words.iter().filter(|word| (2..=64).contains(&word.len())) {
        text.push('"');
        for byte in word.bytes() {
            match byte {
                b'"' | b'\\' => text.extend(['\\', byte as char]),
                b' '..=b'~' => text.push(byte as char),
                _ => text.push_str(&format!("\\x{byte:02X}")),
            }
        }
        text.push_str("\"\n");
    }
    text
}
