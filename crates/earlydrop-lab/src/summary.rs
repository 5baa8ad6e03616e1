//! What a run's cells come to: means with intervals, and what paired intervals call best.

use crate::metrics::{self, Better, METRICS, Metric};
use crate::plan::Plan;
use crate::statistics::{self, Mean};
use crate::store::{CellRow, Store, StoreError};

/// A mean, and whether it is best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// The mean over the seeds done.
    pub mean: Mean,
    /// Whether it is best, or not told apart from the best, while others are.
    pub best: bool,
}

/// One scheme at one point.
#[derive(Clone, Debug)]
pub struct Row {
    /// The scheme's index.
    pub scheme: usize,
    /// The point's index.
    pub point: usize,
    /// How many seeds are done.
    pub seeds: usize,
    /// One for each of [`METRICS`]; `None` where it was not measured in every run.
    pub values: Vec<Option<Entry>>,
}

/// One group of flows under one scheme at one point.
#[derive(Clone, Debug)]
pub struct GroupRow {
    /// The scheme's index.
    pub scheme: usize,
    /// The point's index.
    pub point: usize,
    /// The group.
    pub name: String,
    /// How many flows it has.
    pub flows: usize,
    /// One for each metric of flows.
    pub values: Vec<Option<Entry>>,
}

/// What a run's cells come to.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Schemes at points, point by point.
    pub rows: Vec<Row>,
    /// Groups of flows, point by point.
    pub groups: Vec<GroupRow>,
    /// Every cell that is done.
    pub cells: Vec<CellRow>,
}

/// Values by seed: the same seeds for every contender, in the same order.
type Values = Vec<Option<f64>>;

impl Summary {
    /// Of what `store` holds of `plan`.
    pub fn of(plan: &Plan, store: &Store) -> Result<Summary, StoreError> {
        let cells = store.cells()?;
        let mut rows = Vec::new();
        for point in 0..plan.points.len() {
            rows.extend(at_point(plan, &cells, point));
        }
        let groups = groups(plan, store, &cells)?;
        Ok(Summary {
            rows,
            groups,
            cells,
        })
    }

    /// The row of a scheme at a point.
    pub fn row(&self, scheme: usize, point: usize) -> Option<&Row> {
        let mut rows = self.rows.iter();
        rows.find(|row| row.scheme == scheme && row.point == point)
    }

    /// How wide the widest interval of a metric is, as a share of its mean; infinite
    /// where there is none.
    pub fn widest(&self, metric: usize) -> f64 {
        let share = |row: &Row| {
            let mean = row.values[metric]?.mean;
            let half = mean.half.unwrap_or(f64::INFINITY);
            // A value that is always the same, zero included, is as narrow as can be.
            Some(if half == 0.0 {
                0.0
            } else {
                half / mean.mean.abs()
            })
        };
        self.rows.iter().filter_map(share).fold(0.0, f64::max)
    }
}

/// The rows of every scheme at a point.
fn at_point(plan: &Plan, cells: &[CellRow], point: usize) -> Vec<Row> {
    let labels = plan.labels();
    let of_scheme = |label: &&str| -> Vec<&CellRow> {
        let here = |cell: &&CellRow| cell.point == point && cell.scheme == **label;
        plan.seeds
            .iter()
            .filter_map(|seed| cells.iter().filter(here).find(|cell| cell.seed == *seed))
            .collect()
    };
    let runs: Vec<Vec<&CellRow>> = labels.iter().map(of_scheme).collect();
    let done: Vec<Vec<u64>> = runs
        .iter()
        .map(|runs| runs.iter().map(|run| run.seed).collect())
        .collect();
    let contenders = |metric: usize| -> Vec<Values> {
        let values = |runs: &Vec<&CellRow>| runs.iter().map(|run| run.values[metric]).collect();
        runs.iter().map(values).collect()
    };
    let columns = METRICS
        .iter()
        .enumerate()
        .map(|(index, metric)| entries(metric, &contenders(index), &done));
    let columns: Vec<Vec<Option<Entry>>> = columns.collect();
    runs.iter()
        .enumerate()
        .filter(|(_, runs)| !runs.is_empty())
        .map(|(scheme, runs)| Row {
            scheme,
            point,
            seeds: runs.len(),
            values: columns.iter().map(|column| column[scheme]).collect(),
        })
        .collect()
}

/// One metric's entry for each contender, whose values are by the seeds in `done`.
fn entries(metric: &Metric, contenders: &[Values], done: &[Vec<u64>]) -> Vec<Option<Entry>> {
    let complete: Vec<Vec<f64>> = contenders
        .iter()
        .map(|values| values.iter().copied().collect::<Option<Vec<f64>>>())
        .map(Option::unwrap_or_default)
        .collect();
    // Only the seeds that all have run make pairs.
    let shared = |seed: &u64| {
        done.iter()
            .all(|seeds| seeds.is_empty() || seeds.contains(seed))
    };
    let paired: Vec<Vec<f64>> = complete
        .iter()
        .zip(done)
        .map(|(values, seeds)| {
            let pairs = values.iter().zip(seeds);
            pairs
                .filter(|(_, seed)| shared(seed))
                .map(|(v, _)| *v)
                .collect()
        })
        .collect();
    let slices: Vec<&[f64]> = paired.iter().map(Vec::as_slice).collect();
    let best = match metric.better {
        Better::Neither => Vec::new(),
        better => statistics::best(&slices, better == Better::Less),
    };
    complete
        .iter()
        .enumerate()
        .map(|(index, values)| {
            let mean = Mean::of(values)?;
            let best = best.contains(&index);
            Some(Entry { mean, best })
        })
        .collect()
}

fn groups(plan: &Plan, store: &Store, cells: &[CellRow]) -> Result<Vec<GroupRow>, StoreError> {
    let stored = store.groups()?;
    let metrics: Vec<&Metric> = metrics::of_groups().collect();
    let scenario_groups = &plan.scenario().groups;
    let mut rows = Vec::new();
    for point in 0..plan.points.len() {
        for group in scenario_groups {
            let of_scheme = |label: &&str| -> (Vec<u64>, Vec<&crate::store::GroupRow>) {
                let runs = cells
                    .iter()
                    .filter(|cell| cell.point == point && cell.scheme == **label);
                let found = runs.filter_map(|cell| {
                    let at = stored.partition_point(|row| row.cell < cell.cell);
                    let mut of_cell = stored[at..].iter().take_while(|row| row.cell == cell.cell);
                    let row = of_cell.find(|row| row.name == *group.name)?;
                    Some((cell.seed, row))
                });
                found.unzip()
            };
            let (done, runs): (Vec<_>, Vec<_>) = plan.labels().iter().map(of_scheme).unzip();
            let columns: Vec<Vec<Option<Entry>>> = (metrics.iter().enumerate())
                .map(|(index, metric)| {
                    let values = |runs: &Vec<&crate::store::GroupRow>| {
                        runs.iter().map(|run| run.values[index]).collect()
                    };
                    let contenders: Vec<Values> = runs.iter().map(values).collect();
                    entries(metric, &contenders, &done)
                })
                .collect();
            for (scheme, runs) in runs.iter().enumerate() {
                if let Some(first) = runs.first() {
                    rows.push(GroupRow {
                        scheme,
                        point,
                        name: group.name.to_string(),
                        flows: first.flows,
                        values: columns.iter().map(|column| column[scheme]).collect(),
                    });
                }
            }
        }
    }
    Ok(rows)
}
