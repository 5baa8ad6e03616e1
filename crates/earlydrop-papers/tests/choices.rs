//! What the papers do not print is declared as data: each value fits the experiments it is for.

use earlydrop_lab::document::Problems;
use earlydrop_lab::plan::{Plan, Source};
use earlydrop_lab::run::outcomes;
use earlydrop_papers::catalogue::{Catalogue, Pace, PaperEntry};
use earlydrop_papers::claims::{Standing, Test};
use earlydrop_papers::multiverse::ChoiceValue;

fn source(entry: &PaperEntry, experiment: &str) -> Source {
    let source = entry.source(experiment, Pace::Quick);
    let source = source.unwrap_or_else(|| panic!("{}: no {experiment}", entry.paper.key));
    source.unwrap()
}

fn plan_with(source: &Source, value: &ChoiceValue) -> Result<Plan, Problems> {
    let mut source = source.clone();
    value.apply(&mut source);
    source.plan()
}

/// What a plan runs, without the places at which its values are written.
fn scenario(plan: &Plan) -> String {
    let text = format!("{:?}", plan.scenario());
    let mut parts = text.split("File(").flat_map(|part| part.split("Argument("));
    let first = parts.next().unwrap_or_default().to_string();
    let others = parts.filter_map(|part| part.split_once(')'));
    first + &others.map(|(_, rest)| rest).collect::<String>()
}

/// Whether two plans have the same first run. A value that only writes down a default does.
fn runs_alike(one: &Plan, other: &Plan) -> bool {
    let [one, other] = [one, other].map(|plan| outcomes(plan).next().unwrap().unwrap());
    format!("{:?}", one.1.values) == format!("{:?}", other.1.values)
}

#[test]
fn ours_is_what_the_scenario_has_and_every_other_value_changes_it() {
    let catalogue = Catalogue::read().unwrap();
    for entry in &catalogue.papers {
        for choice in &entry.choices.choices {
            for experiment in &choice.experiments {
                let source = source(entry, experiment);
                let base = source.plan().unwrap();
                let as_run = scenario(&base);
                for (index, value) in choice.values.iter().enumerate() {
                    let what = format!("{experiment}: {} = {}", choice.id, value.name);
                    let plan = plan_with(&source, value).unwrap_or_else(|p| panic!("{what}: {p}"));
                    let is_same = scenario(&plan) == as_run;
                    match index {
                        0 => assert!(is_same || runs_alike(&plan, &base), "{what}"),
                        _ => assert!(!is_same, "{what}"),
                    }
                }
            }
        }
    }
}

/// Every claim that is counted and that runs decide is judged in other universes.
#[test]
fn every_claim_that_counts_has_choices() {
    let catalogue = Catalogue::read().unwrap();
    for entry in catalogue.papers.iter().filter(|entry| !entry.is_ours()) {
        for claim in &entry.paper.claims {
            let is_run = !matches!(claim.test, Test::Undecidable { .. });
            if claim.standing() == Standing::Paper && is_run {
                let count = entry.choices.of(&claim.experiment).len();
                assert!(count >= 3, "{}: {count} choices", claim.id);
            }
        }
    }
}
