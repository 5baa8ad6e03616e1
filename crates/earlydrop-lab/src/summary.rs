//! What a run's cells come to: means with intervals, and what paired intervals call best.

use std::collections::HashMap;

use crate::metrics::{self, Better, LIVE_METRICS, METRICS, Metric};
use crate::plan::Plan;
use crate::rows::{self, CellRow, LiveRow, Rows};
use crate::statistics::{self, Mean};
#[cfg(feature = "store")]
use crate::store::{Store, StoreError};

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
    /// How exactly its runs were done, where the hosts were real ones.
    pub live: Option<Exactness>,
}

/// How exactly one scheme's runs at one point were done on real hosts.
#[derive(Clone, Debug)]
pub struct Exactness {
    /// How many of its runs cannot be believed.
    pub doubtful: usize,
    /// One for each of [`LIVE_METRICS`].
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
    /// The summary of what `store` holds of `plan`.
    #[cfg(feature = "store")]
    pub fn of_store(plan: &Plan, store: &Store) -> Result<Summary, StoreError> {
        Ok(Summary::of(plan, store.all_rows()?))
    }

    /// The summary of the rows of a plan's cells.
    pub fn of(plan: &Plan, measured: Rows) -> Summary {
        let live = measured.live.iter().map(|row| (row.cell, row)).collect();
        let runs = by_place(plan, &measured.cells);
        let mut rows = Vec::new();
        let mut groups = Vec::new();
        for (point, runs) in runs.iter().enumerate() {
            rows.extend(at_point(point, runs, &live));
            groups.extend(groups_at_point(plan, point, runs, &measured.groups));
        }
        Summary {
            rows,
            groups,
            cells: measured.cells,
        }
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

/// The runs of a scheme at a point, in the order of the seeds.
type Runs<'a> = Vec<&'a CellRow>;

/// How exactly each cell was done, by its number.
type Live<'a> = HashMap<usize, &'a LiveRow>;

/// The runs of each scheme at each point.
fn by_place<'a>(plan: &Plan, cells: &'a [CellRow]) -> Vec<Vec<Runs<'a>>> {
    let labels = plan.labels();
    let mut places = vec![vec![Runs::new(); labels.len()]; plan.points.len()];
    let order: HashMap<u64, usize> = (plan.seeds.iter().enumerate())
        .map(|(index, seed)| (*seed, index))
        .collect();
    for cell in cells.iter().filter(|cell| order.contains_key(&cell.seed)) {
        let scheme = labels.iter().position(|label| *label == cell.scheme);
        if let (Some(scheme), Some(schemes)) = (scheme, places.get_mut(cell.point)) {
            schemes[scheme].push(cell);
        }
    }
    for runs in places.iter_mut().flatten() {
        runs.sort_by_key(|run| order[&run.seed]);
    }
    places
}

fn seeds_of(runs: &Runs<'_>) -> Vec<u64> {
    runs.iter().map(|run| run.seed).collect()
}

/// The rows of every scheme at a point.
fn at_point(point: usize, schemes: &[Runs<'_>], live: &Live<'_>) -> Vec<Row> {
    let done: Vec<Vec<u64>> = schemes.iter().map(seeds_of).collect();
    let column = |(index, metric): (usize, &Metric)| {
        let values = |runs: &Runs<'_>| runs.iter().map(|run| run.values[index]).collect();
        let contenders: Vec<Values> = schemes.iter().map(values).collect();
        entries(metric, &contenders, &done)
    };
    let columns: Vec<Vec<Option<Entry>>> = METRICS.iter().enumerate().map(column).collect();
    let present = schemes
        .iter()
        .enumerate()
        .filter(|(_, runs)| !runs.is_empty());
    present
        .map(|(scheme, runs)| Row {
            scheme,
            point,
            seeds: runs.len(),
            values: columns.iter().map(|column| column[scheme]).collect(),
            live: exactness(runs, live),
        })
        .collect()
}

/// How exactly runs were done; `None` where the hosts were the simulator's.
fn exactness(runs: &Runs<'_>, live: &Live<'_>) -> Option<Exactness> {
    let done: Vec<&LiveRow> = runs
        .iter()
        .filter_map(|run| live.get(&run.cell).copied())
        .collect();
    let values = |index: usize| {
        let values: Option<Vec<f64>> = done.iter().map(|row| row.values[index]).collect();
        let mean = Mean::of(&values?)?;
        Some(Entry { mean, best: false })
    };
    (!done.is_empty()).then(|| Exactness {
        doubtful: done.iter().filter(|row| !row.trustworthy).count(),
        values: (0..LIVE_METRICS.len()).map(values).collect(),
    })
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

/// The rows of every group of flows at a point. `stored` is in the order of the cells.
fn groups_at_point(
    plan: &Plan,
    point: usize,
    schemes: &[Runs<'_>],
    stored: &[rows::GroupRow],
) -> Vec<GroupRow> {
    let of_run = |run: &CellRow, name: &str| {
        let at = stored.partition_point(|row| row.cell < run.cell);
        let mut of_cell = stored[at..].iter().take_while(|row| row.cell == run.cell);
        of_cell.find(|row| row.name == name)
    };
    let mut rows = Vec::new();
    for group in &plan.scenario().groups {
        let found = |runs: &Runs<'_>| -> (Vec<u64>, Vec<&rows::GroupRow>) {
            let found = runs.iter();
            found
                .filter_map(|run| Some((run.seed, of_run(run, &group.name)?)))
                .unzip()
        };
        let (done, runs): (Vec<_>, Vec<_>) = schemes.iter().map(found).unzip();
        let column = |(index, metric): (usize, &Metric)| {
            let of = |runs: &Vec<&rows::GroupRow>| -> Values {
                runs.iter().map(|run| run.values[index]).collect()
            };
            let contenders: Vec<Values> = runs.iter().map(of).collect();
            entries(metric, &contenders, &done)
        };
        let columns: Vec<Vec<Option<Entry>>> =
            metrics::of_groups().enumerate().map(column).collect();
        for (scheme, runs) in runs.iter().enumerate() {
            rows.extend(runs.first().map(|first| GroupRow {
                scheme,
                point,
                name: group.name.to_string(),
                flows: first.flows,
                values: columns.iter().map(|column| column[scheme]).collect(),
            }));
        }
    }
    rows
}
