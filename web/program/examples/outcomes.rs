//! Outcomes of native runs, to compare with those of the program in WebAssembly: one JSON line a
//! cell, with what was opened and its metrics. All shipped scenarios and 50 random ones.
//!
//! `cargo run --release -p earlydrop-web --example outcomes | node web/tests/same-numbers.mjs`

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use earlydrop::random::Pcg32;
use earlydrop::registry::SCHEMES;
use earlydrop::units::Nanos;
use earlydrop_lab::plan::{Source, TraceFiles};
use earlydrop_web::outcome_of;
use serde_json::{Value, json};

/// Schemes of each shipped scenario that are run.
const SCHEMES_EACH: usize = 3;
const RANDOM: u32 = 50;

fn main() -> Result<(), Box<dyn Error>> {
    for file in shipped()? {
        for opening in openings(&file)? {
            print(&opening)?;
        }
    }
    let mut random = Pcg32::new(20_261_123, 0);
    for _ in 0..RANDOM {
        print(&json!({ "scenario": scenario(&mut random), "seed": random.below(1000) }))?;
    }
    Ok(())
}

fn print(opening: &Value) -> Result<(), String> {
    let outcome = outcome_of(&opening.to_string())?;
    println!("{}", json!({ "opening": opening, "outcome": outcome }));
    Ok(())
}

/// The scenario files of the repository.
fn shipped() -> Result<Vec<PathBuf>, std::io::Error> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// A shortened run of the first schemes of a file, at the last point of its sweep.
fn openings(file: &Path) -> Result<Vec<Value>, Box<dyn Error>> {
    let folder = file.parent().unwrap_or(Path::new(""));
    let text = fs::read_to_string(file)?;
    let source = Source::new("scenario", &text, TraceFiles::Folder(folder.to_path_buf()))?;
    let plan = source.plan()?;
    let recordings = plan.recordings.iter();
    let recordings: serde_json::Map<String, Value> = recordings
        .map(|one| (one.stored_name.clone(), json!(one.text.to_string())))
        .collect();
    let duration = Nanos(plan.scenario().duration.0 / 8).to_string();
    let schemes = 0..plan.labels().len().min(SCHEMES_EACH);
    let opening = |scheme| {
        json!({
            "scenario": plan.toml(),
            "scheme": scheme,
            "seed": 7,
            "point": plan.points.len() - 1,
            "set": [["duration", duration]],
            "recordings": recordings,
        })
    };
    Ok(schemes.map(opening).collect())
}

/// A random dumbbell under a random scheme.
fn scenario(random: &mut Pcg32) -> String {
    let mut pick = |list: &[&str]| list[random.below(list.len() as u32) as usize].to_string();
    let scheme = {
        let names: Vec<&str> = SCHEMES.iter().map(|scheme| scheme.name).collect();
        pick(&names)
    };
    let rate = pick(&["2 Mbps", "10 Mbps", "33 Mbps", "100 Mbps"]);
    let rtt = pick(&["10 ms", "37 ms", "120 ms"]);
    let control = pick(&["reno", "cubic", "dctcp", "scalable", "bbr"]);
    let second = pick(&[
        "kind = 'cbr'",
        "kind = 'arrivals'",
        "kind = 'on-off'",
        "kind = 'voice'",
    ]);
    let loss = pick(&["0", "0.001", "1%"]);
    let flows = 1 + random.below(30);
    format!(
        "duration = '6 s'\nschemes = ['{scheme}']\n\
         network = {{ rate = '{rate}', rtt = '{rtt}', loss = '{loss}' }}\n\
         [flows.bulk]\ncount = {flows}\ntcp = '{control}'\n[flows.other]\n{second}\n"
    )
}
