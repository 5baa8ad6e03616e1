//! Schemes compared with one of them, the baseline: differences paired by seed, with intervals.

use std::collections::HashMap;

use crate::document::suggestion;
use crate::metrics::METRICS;
use crate::plan::Plan;
use crate::rows::CellRow;
use crate::statistics::{Mean, differences, holm, p_value};
use crate::summary::{Runs, Summary, by_point};

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
    /// One for each metric of the comparison; `None` where it was not measured with the same seeds.
    pub values: Vec<Option<Difference>>,
}

/// All schemes of a plan compared with one of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The index of the baseline.
    pub baseline: usize,
    /// The compared metrics, by their indices in [`METRICS`].
    pub metrics: Vec<usize>,
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
    /// The metrics of `metrics`, compared with the scheme of index `baseline`.
    pub fn of(plan: &Plan, summary: &Summary, baseline: usize, metrics: &[usize]) -> Comparison {
        let mut rows = Vec::new();
        for (point, schemes) in by_point(plan, &summary.cells).iter().enumerate() {
            rows.extend(at_point(point, schemes, baseline, metrics));
        }
        Comparison {
            baseline,
            metrics: metrics.to_vec(),
            rows,
        }
    }
}

fn at_point(
    point: usize,
    schemes: &[Runs<'_>],
    baseline: usize,
    metrics: &[usize],
) -> Vec<DifferenceRow> {
    let others = schemes.iter().enumerate();
    let others = others.filter(|(scheme, runs)| *scheme != baseline && !runs.is_empty());
    let row = |(scheme, runs): (usize, &Runs<'_>)| DifferenceRow {
        scheme,
        point,
        values: metrics
            .iter()
            .map(|metric| difference(runs, &schemes[baseline], *metric))
            .collect(),
    };
    let mut rows: Vec<DifferenceRow> = others.map(row).collect();
    let mut tested: Vec<&mut Difference> = rows
        .iter_mut()
        .flat_map(|row| row.values.iter_mut().flatten())
        .filter(|difference| difference.p_value.is_some())
        .collect();
    let p_values: Vec<f64> = tested
        .iter()
        .filter_map(|difference| difference.p_value)
        .collect();
    for (difference, significant) in tested.iter_mut().zip(holm(&p_values)) {
        difference.significant = significant;
    }
    rows
}

/// The difference of a metric between two schemes' runs with the same seeds.
fn difference(runs: &Runs<'_>, baseline: &Runs<'_>, metric: usize) -> Option<Difference> {
    let by_seed: HashMap<u64, &CellRow> = baseline.iter().map(|run| (run.seed, *run)).collect();
    let pair = |run: &&CellRow| {
        let other = by_seed.get(&run.seed)?;
        Some((run.values[metric]?, other.values[metric]?))
    };
    let (own, others): (Vec<f64>, Vec<f64>) = runs.iter().filter_map(pair).unzip();
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

/// The metrics that a comparison has unless others are chosen: those of the summary's table.
pub fn headline_metrics() -> Vec<usize> {
    let headline = METRICS
        .iter()
        .enumerate()
        .filter(|(_, metric)| metric.headline);
    headline.map(|(index, _)| index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Source, TraceFiles};
    use crate::rows::Rows;

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
        let comparison = Comparison::of(&plan, &summary, 0, &[0, 1]);
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
        let comparison = Comparison::of(&plan, &summary, 0, &[0]);
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
