//! A printed table with our numbers.

use earlydrop_lab::statistics::Mean;
use earlydrop_lab::store::StoreError;

use super::coordinates::{point, values};
use super::experiment::Experiment;
use crate::claims::{ClaimReport, Test, Verdict, is_same_value};
use crate::figures::{ColumnSpec, Coordinates, PanelSpec, RowSpec};

/// A printed table with our numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct PrintedTable {
    /// The title.
    pub title: String,
    /// The columns: the heading above several, and that of each.
    pub columns: Vec<(String, String)>,
    /// The rows: a name, and a number for each column.
    pub rows: Vec<(String, Vec<Number>)>,
}

/// A printed number with ours.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// The number as printed.
    pub printed: String,
    /// Ours, in the printed unit.
    pub ours: Option<Mean>,
    /// The id of the claim about it, with the verdict if that is counted.
    pub claim: Option<(String, Option<Verdict>)>,
}

impl Number {
    /// The deviation of ours, as a share of the printed number.
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

impl Number {
    /// Ours without its interval, with as many digits as its interval allows: "77.3".
    pub fn mean(&self) -> String {
        let ours = self.ours();
        let mean = ours.split_once(" ±").map(|(mean, _)| mean.to_string());
        mean.unwrap_or(ours)
    }
}

impl PrintedTable {
    /// The table of a panel, with our numbers from an experiment.
    pub(super) fn of(
        panel: &PanelSpec,
        experiment: &Experiment,
        reports: &[ClaimReport<'_>],
    ) -> Result<PrintedTable, StoreError> {
        let mut numbered = Vec::new();
        for (index, RowSpec { name, at }) in panel.rows.iter().enumerate() {
            let mut numbers = Vec::new();
            for column in &panel.columns {
                numbers.push(Number {
                    printed: column.printed[index].clone(),
                    ours: ours(panel, experiment, at, column)?,
                    claim: claim(panel, at, column, reports),
                });
            }
            numbered.push((name.clone(), numbers));
        }
        let heading = |column: &ColumnSpec| (column.under.clone(), column.name.clone());
        Ok(PrintedTable {
            title: panel.title.clone(),
            columns: panel.columns.iter().map(heading).collect(),
            rows: numbered,
        })
    }

    /// Whether a claim is about one of the numbers.
    pub fn has(&self, claim: &str) -> bool {
        self.numbers()
            .any(|number| number.claim.as_ref().is_some_and(|(id, _)| id == claim))
    }

    /// How many of its numbers hold: "2 of 24 hold".
    pub fn score(&self) -> String {
        let holds = |number: &&Number| {
            let claim = number.claim.as_ref();
            claim.is_some_and(|(_, verdict)| *verdict == Some(Verdict::Holds))
        };
        let held = self.numbers().filter(holds).count();
        format!("{held} of {} hold", self.numbers().count())
    }

    /// All numbers, row by row.
    pub fn numbers(&self) -> impl Iterator<Item = &Number> {
        self.rows.iter().flat_map(|(_, numbers)| numbers)
    }
}

/// Our number in the unit of the print; `None` where it was not measured.
fn ours(
    panel: &PanelSpec,
    experiment: &Experiment,
    at: &Coordinates,
    column: &ColumnSpec,
) -> Result<Option<Mean>, StoreError> {
    let values = values(&[at, &panel.at]);
    let measured = experiment.measurements(&column.measure.selector)?;
    let per = match values.iter().find(|(field, _)| *field == column.per.name) {
        Some((_, value)) => value.parse::<f64>().unwrap_or(1.0),
        None => 1.0,
    };
    let scale = column.times / per;
    let mean = || {
        let point = point(&experiment.plan, &values)?;
        let scheme = measured.scheme(&column.scheme.name)?;
        Mean::of(&measured.values(scheme, point)?)
    };
    Ok(mean().map(|mean| Mean {
        mean: mean.mean * scale,
        half: mean.half.map(|half| half * scale),
        ..mean
    }))
}

/// The claim about the number of a row and a column, with its verdict.
fn claim(
    panel: &PanelSpec,
    row: &Coordinates,
    column: &ColumnSpec,
    reports: &[ClaimReport<'_>],
) -> Option<(String, Option<Verdict>)> {
    let here = values(&[row, &panel.at]);
    let is_here = |at: &[(String, Vec<String>)]| {
        at.iter().all(|(field, wanted)| {
            let mut values = here.iter().filter(|(known, _)| known == field);
            values.any(|(_, value)| wanted.iter().any(|one| is_same_value(one, value)))
        })
    };
    let is_about = |report: &&ClaimReport<'_>| {
        let claim = report.claim;
        let Test::Value { scheme, at, .. } = &claim.test else {
            return false;
        };
        claim.experiment == panel.experiment.name
            && claim.metric == column.measure.selector
            && *scheme == column.scheme.name
            && at.len() == row.len()
            && is_here(at)
    };
    let report = reports.iter().find(is_about)?;
    Some((report.claim.id.clone(), report.decided()))
}
