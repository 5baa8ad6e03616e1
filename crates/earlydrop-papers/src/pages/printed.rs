//! A printed table beside ours, number by number.

use crate::claims::{Test, Told, Verdict, is_same};
use earlydrop_lab::statistics::Mean;
use earlydrop_lab::store::StoreError;

use super::places::{place, point};
use super::study::Experiment;
use super::written::{At, Column, Panel};

/// A printed table beside ours.
#[derive(Clone, Debug, PartialEq)]
pub struct Printed {
    /// What stands above it.
    pub title: String,
    /// The columns: what stands above several, and above each.
    pub columns: Vec<(String, String)>,
    /// The rows: a name, and a number for each column.
    pub rows: Vec<(String, Vec<Number>)>,
}

/// A printed number beside ours.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// As printed.
    pub printed: String,
    /// Ours, in the printed unit.
    pub ours: Option<Mean>,
    /// The claim that it is about, with its verdict.
    pub claim: Option<(String, Verdict)>,
}

impl Number {
    /// By how much ours is off, as a share of what is printed.
    pub fn deviation(&self) -> Option<f64> {
        let printed = self.printed.parse::<f64>().ok()?;
        Some(self.ours?.mean / printed - 1.0)
    }

    /// Ours with its interval: "77.3 ± 0.2".
    pub fn ours(&self) -> String {
        let ours = self.ours.as_ref().map(|mean| mean.with_interval(1.0));
        ours.unwrap_or("not measured".to_string())
    }
}

impl Printed {
    /// Ours from an experiment, verdicts from what was told.
    pub(super) fn of(
        panel: &Panel,
        experiment: &Experiment,
        (rows, columns): (&[(String, At)], &[Column]),
        told: &[Told<'_>],
    ) -> Result<Printed, StoreError> {
        let mut found = Vec::new();
        for (index, (name, at)) in rows.iter().enumerate() {
            let mut numbers = Vec::new();
            for column in columns {
                numbers.push(Number {
                    printed: column.printed[index].clone(),
                    ours: ours(panel, experiment, at, column)?,
                    claim: claim(panel, at, column, told),
                });
            }
            found.push((name.clone(), numbers));
        }
        let heading = |column: &Column| (column.under.clone(), column.name.clone());
        Ok(Printed {
            title: panel.title.clone(),
            columns: columns.iter().map(heading).collect(),
            rows: found,
        })
    }

    /// Whether a claim is one of its numbers.
    pub fn has(&self, claim: &str) -> bool {
        self.numbers()
            .any(|number| number.claim.as_ref().is_some_and(|(id, _)| id == claim))
    }

    /// Its numbers.
    pub fn numbers(&self) -> impl Iterator<Item = &Number> {
        self.rows.iter().flat_map(|(_, numbers)| numbers)
    }
}

fn ours(
    panel: &Panel,
    experiment: &Experiment,
    at: &At,
    column: &Column,
) -> Result<Option<Mean>, StoreError> {
    let place = place(&[at, &panel.at]);
    let measured = experiment.measured(&column.measure.selector)?;
    let per = match place.iter().find(|(field, _)| *field == column.per.name) {
        Some((_, value)) => value.parse::<f64>().unwrap_or(1.0),
        None => 1.0,
    };
    let scale = column.times / per;
    let mean = || {
        let point = point(&experiment.plan, &place)?;
        let scheme = measured.scheme(&column.scheme.name)?;
        Mean::of(&measured.values(scheme, point)?)
    };
    Ok(mean().map(|mean| Mean {
        mean: mean.mean * scale,
        half: mean.half.map(|half| half * scale),
        count: mean.count,
    }))
}

/// The claim that this number is what is printed.
fn claim(panel: &Panel, row: &At, column: &Column, told: &[Told<'_>]) -> Option<(String, Verdict)> {
    let place = place(&[row, &panel.at]);
    let is_there = |at: &[(String, Vec<String>)]| {
        at.iter().all(|(field, values)| {
            let mut said = place.iter().filter(|(known, _)| known == field);
            said.any(|(_, value)| values.iter().any(|one| is_same(one, value)))
        })
    };
    let is_about = |told: &&Told<'_>| {
        let claim = told.claim;
        let Test::Value { scheme, at, .. } = &claim.test else {
            return false;
        };
        claim.experiment == panel.experiment.name
            && claim.metric == column.measure.selector
            && *scheme == column.scheme.name
            && at.len() == row.len()
            && is_there(at)
    };
    let found = told.iter().find(is_about)?;
    Some((found.claim.id.clone(), found.judged.verdict))
}
