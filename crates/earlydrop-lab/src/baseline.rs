//! Schemes compared with one of them, the baseline: differences paired by seed, with intervals.

use std::collections::HashMap;

use crate::document::suggestion;
use crate::metrics::{Felt, METRICS, Number};
use crate::plan::Plan;
use crate::statistics::{Mean, differences, holm, p_value};
use crate::summary::Summary;
use crate::values::Runs;

/// The difference of a scheme's metric from the baseline's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The mean of the differences within seeds, in base units, with its 95% interval.
    pub mean: Mean,
    /// It as a share of the baseline's mean; `None` where that is zero.
    pub share: Option<f64>,
    /// The p-value of the paired t test by itself; `None` with a single seed.
    pub p_value: Option<f64>,
    /// Whether it is significant at 95% for all differences of the table together, by Holm's
    /// procedure.
    pub significant: bool,
}

/// The differences of one scheme from the baseline at one point.
#[derive(Clone, Debug, PartialEq)]
pub struct DifferenceRow {
    /// The scheme's index.
    pub scheme: usize,
    /// The point's index.
    pub point: usize,
    /// One for each number of the comparison; `None` where it was not measured with the same seeds.
    pub values: Vec<Option<Difference>>,
}

/// All schemes of a plan compared with one of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The index of the baseline.
    pub baseline: usize,
    /// The compared numbers.
    pub numbers: Vec<Number>,
    /// One for each other scheme at each point, point by point.
    pub rows: Vec<DifferenceRow>,
}

/// What `significant` means, for the reader of a table.
pub const SIGNIFICANT: &str = "significant at 95% for all schemes and metrics of the table \
    together (differences paired by seed, Holm's procedure)";

/// The index of the scheme with this label. The error names the nearest.
pub fn find(plan: &Plan, label: &str) -> Result<usize, String> {
    let labels = plan.labels();
    let index = labels.iter().position(|known| *known == label.trim());
    index.ok_or_else(|| {
        let help = suggestion(label, &labels, '"');
        format!("no compared scheme is called \"{label}\"; {help}")
    })
}

impl Comparison {
    /// These numbers, compared with those of the scheme of index `baseline`.
    pub fn of(plan: &Plan, summary: &Summary, baseline: usize, numbers: Vec<Number>) -> Comparison {
        let runs = Runs::of(&summary.cells, &summary.group_cells);
        let labels = plan.labels();
        let mut rows = Vec::new();
        for point in 0..plan.points.len() {
            let others = labels.iter().enumerate();
            let others =
                others.filter(|(scheme, label)| *scheme != baseline && runs.has_any(label, point));
            let row = |(scheme, label): (usize, &&str)| {
                let of_number = |number| {
                    let values = |label: &str| runs.values(number, label, point);
                    difference(&values(label), &values(labels[baseline]))
                };
                DifferenceRow {
                    scheme,
                    point,
                    values: numbers.iter().map(of_number).collect(),
                }
            };
            let mut at_point: Vec<DifferenceRow> = others.map(row).collect();
            correct(&mut at_point);
            rows.extend(at_point);
        }
        Comparison {
            baseline,
            numbers,
            rows,
        }
    }
}

/// Says which differences of a point are significant together.
fn correct(rows: &mut [DifferenceRow]) {
    let differences = rows
        .iter_mut()
        .flat_map(|row| row.values.iter_mut().flatten());
    let mut tested: Vec<&mut Difference> = differences
        .filter(|difference| difference.p_value.is_some())
        .collect();
    let p_values: Vec<f64> = tested
        .iter()
        .filter_map(|difference| difference.p_value)
        .collect();
    for (difference, significant) in tested.iter_mut().zip(holm(&p_values)) {
        difference.significant = significant;
    }
}

/// The difference between two schemes' values of the same seeds.
fn difference(own: &[(u64, f64)], baseline: &[(u64, f64)]) -> Option<Difference> {
    let by_seed: HashMap<u64, f64> = baseline.iter().copied().collect();
    let pairs = own
        .iter()
        .filter_map(|(seed, own)| Some((*own, *by_seed.get(seed)?)));
    let (own, others): (Vec<f64>, Vec<f64>) = pairs.unzip();
    let differences = differences(&own, &others)?;
    let mean = Mean::of(&differences)?;
    let reference = Mean::of(&others)?.mean;
    Some(Difference {
        mean,
        share: (reference != 0.0).then(|| mean.mean / reference.abs()),
        p_value: p_value(&differences),
        significant: false,
    })
}

/// The numbers that a comparison has unless others are chosen: what each group of flows feels, then
/// the headline metrics of the link.
pub fn headline_numbers(plan: &Plan) -> Vec<Number> {
    let felt = Felt::all(plan.scenario()).into_iter().flat_map(|felt| {
        let of_group = move |index| Number::OfGroup(index, felt.group.clone());
        felt.metrics.into_iter().map(of_group)
    });
    felt.chain(numbers_of(&headline_metrics())).collect()
}

/// The metrics of the table about the link.
pub fn headline_metrics() -> Vec<usize> {
    let headline = METRICS
        .iter()
        .enumerate()
        .filter(|(_, metric)| metric.headline);
    headline.map(|(index, _)| index).collect()
}

/// These metrics of the link and all flows.
fn numbers_of(metrics: &[usize]) -> Vec<Number> {
    metrics.iter().map(|index| Number::OfLink(*index)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Source, TraceFiles};
    use crate::rows::{CellRow, Rows};

    fn plan() -> Plan {
        let text = "seeds = 4\nschemes = [\"red\", \"codel\", \"pie\"]\n[flows.a]\n";
        let source = Source::new("s.toml", text, TraceFiles::default()).unwrap();
        source.plan().unwrap()
    }

    /// The summary of values of the first metric by scheme and seed.
    fn summary(plan: &Plan, values: [[f64; 4]; 3]) -> Summary {
        let rows = plan.cells().map(|cell| {
            let mut of_metrics = vec![None; METRICS.len()];
            of_metrics[0] = Some(values[cell.scheme][cell.seed]);
            CellRow {
                cell: plan.number(cell),
                scheme: plan.labels()[cell.scheme].to_string(),
                point: 0,
                seed: plan.seeds[cell.seed],
                values: of_metrics,
            }
        });
        let rows = Rows {
            cells: rows.collect(),
            ..Rows::default()
        };
        Summary::of(plan, rows)
    }

    #[test]
    fn differences_are_paired_by_seed() {
        let plan = plan();
        let red = [10.0, 20.0, 30.0, 40.0];
        let codel = [9.0, 18.9, 29.1, 39.0];
        let summary = summary(&plan, [red, codel, red]);
        let comparison = Comparison::of(&plan, &summary, 0, numbers_of(&[0, 1]));
        assert_eq!(comparison.rows.len(), 2);
        let codel = comparison.rows[0].values[0].unwrap();
        assert!((codel.mean.mean + 1.0).abs() < 1e-12);
        assert!((codel.share.unwrap() + 0.04).abs() < 1e-12);
        assert!(codel.significant);
        let pie = comparison.rows[1].values[0].unwrap();
        assert_eq!((pie.mean.mean, pie.significant), (0.0, false));
        // The second metric was not measured.
        assert_eq!(comparison.rows[0].values[1], None);
    }

    #[test]
    fn significance_is_corrected_for_the_number_of_differences() {
        let plan = plan();
        let red = [10.0, 20.0, 30.0, 40.0];
        // By itself 0.027 for each: two of them together are not significant at 5%.
        let other = [11.0, 21.0, 30.5, 43.0].map(|value| value - 0.35);
        let summary = summary(&plan, [red, other, other]);
        let comparison = Comparison::of(&plan, &summary, 0, numbers_of(&[0]));
        for row in &comparison.rows {
            let difference = row.values[0].unwrap();
            let p_value = difference.p_value.unwrap();
            assert!(p_value > 0.025, "{p_value}");
            assert!(!difference.significant, "{difference:?}");
        }
    }

    #[test]
    fn an_unknown_baseline_is_refused_with_the_nearest() {
        let error = find(&plan(), "cdel").unwrap_err();
        assert!(error.contains("did you mean \"codel\"?"), "{error}");
        assert_eq!(find(&plan(), " pie"), Ok(2));
    }
}
