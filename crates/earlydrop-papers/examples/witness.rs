//! What ns-2 says of the papers' claims: its runs, judged by the same tests.
//!
//! ```text
//! bench/peers/witness.sh >bench/reference/witness-ns2.csv
//! earlydrop reproduce --full --json >claims.json
//! cargo run -p earlydrop-papers --example witness -- bench/reference/witness-ns2.csv claims.json \
//!     >docs/papers/witness.md
//! ```

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;

use earlydrop_papers::catalogue::{Catalogue, PaperEntry};
use earlydrop_papers::claims::{Claim, Measurements, RunOf, Standing, judge};
use serde_json::Value;

/// A run of ns-2 and one metric of it.
struct Line {
    experiment: String,
    run: RunOf,
    metric: String,
}

fn read(text: &str) -> Result<Vec<Line>, Box<dyn Error>> {
    let lines = text.lines().skip(1);
    let line = |line: &str| -> Result<Line, Box<dyn Error>> {
        let fields: Vec<&str> = line.split(',').collect();
        let [experiment, scheme, at, seed, metric, value] = fields[..] else {
            return Err(format!("no run: {line}").into());
        };
        let at = at.split(';').filter_map(|one| one.split_once('='));
        Ok(Line {
            experiment: experiment.to_string(),
            metric: metric.to_string(),
            run: RunOf {
                scheme: scheme.to_string(),
                at: at
                    .map(|(field, value)| (field.to_string(), value.to_string()))
                    .collect(),
                seed: seed.parse()?,
                value: value.parse()?,
            },
        })
    };
    lines.map(line).collect()
}

/// A claim's verdict and what was measured, by claim, as `reproduce --json` prints them.
fn ours(text: &str) -> Result<BTreeMap<String, (String, f64)>, Box<dyn Error>> {
    let list: Vec<Value> = serde_json::from_str(text)?;
    let of_claim = |claim: &Value| {
        let text = |key: &str| claim[key].as_str().map(ToString::to_string);
        Some((text("id")?, (text("verdict")?, claim["effect"].as_f64()?)))
    };
    Ok(list.iter().filter_map(of_claim).collect())
}

/// The claims of a paper that ns-2 ran all of.
fn witnessed<'a>(
    entry: &'a PaperEntry,
    lines: &'a [Line],
) -> impl Iterator<Item = (&'a Claim, Measurements)> {
    let key = &entry.paper.key;
    entry.paper.claims.iter().filter_map(move |claim| {
        let (experiment, metric) = (format!("{key}/{}", claim.experiment), claim.metric.name());
        let of_claim = lines
            .iter()
            .filter(|line| line.experiment == experiment && Some(&line.metric) == metric.as_ref());
        let runs: Vec<&RunOf> = of_claim.map(|line| &line.run).collect();
        (!runs.is_empty()).then(|| (claim, Measurements::of_runs(runs)))
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [runs, claims] = &arguments[..] else {
        return Err("usage: witness RUNS.csv CLAIMS.json".into());
    };
    let (lines, ours) = (
        read(&fs::read_to_string(runs)?)?,
        ours(&fs::read_to_string(claims)?)?,
    );
    let mut rows = Vec::new();
    let (mut same, mut contradicted) = (0, 0);
    for entry in &Catalogue::read()?.papers {
        for (claim, measured) in witnessed(entry, &lines) {
            let judgement = judge(claim, &measured);
            let (Some((verdict, off)), Some(effect)) = (ours.get(&claim.id), judgement.effect)
            else {
                continue;
            };
            let theirs = judgement.verdict.to_string();
            let is_contradicted = verdict == "contradicted" && claim.standing() != Standing::Ours;
            contradicted += usize::from(is_contradicted);
            same += usize::from(is_contradicted && theirs == *verdict);
            rows.push(format!(
                "| {}: {} | {verdict}, {} | {theirs}, {} |",
                claim.id,
                claim.claim,
                share(*off),
                share(effect.mean)
            ));
        }
    }
    println!("# A second witness\n");
    println!(
        "Claims whose experiments ns-2 2.35 can run, since it has the schemes: the same networks, ten \
         seeds, the same tests (`bench/peers/witness.sh`). Of the {contradicted} claims among them that \
         are contradicted in earlydrop, {same} are contradicted in ns-2. *Off* is the measured mean: of \
         a printed number the share by which the simulator's is above it, of a comparison the difference \
         in the claim's direction. Made by `cargo run -p earlydrop-papers --example witness`.\n"
    );
    println!(
        "| claim | earlydrop | ns-2 |\n|---|---|---|\n{}",
        rows.join("\n")
    );
    Ok(())
}

fn share(number: f64) -> String {
    format!("{:+.1}%", 100.0 * number)
}
