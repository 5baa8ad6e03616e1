//! Simulated and live runs of one plan, side by side: the mean of each quantity with its 95%
//! interval, simulated and live, their difference, and whether that is significant.
//!
//! ```text
//! simulated Store + live Store --compare--> [Comparison] --> tables, markdown, json, page
//! ```

mod page;
mod render;

pub use page::page;
pub use render::{json, markdown, tables};

use std::collections::BTreeMap;

use earlydrop_lab::metrics::{self, METRICS};
use earlydrop_lab::plan::Plan;
use earlydrop_lab::statistics::{self, Mean};
use earlydrop_lab::store::{Store, StoreError};

/// A quantity that is compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    /// The name in files: "delay_mean".
    pub name: &'static str,
    /// The heading without unit.
    pub title: &'static str,
    /// The unit of display.
    pub unit: &'static str,
    /// The factor from base units to the unit of display.
    pub scale: f64,
    /// The definition, in a sentence.
    pub meaning: &'static str,
}

impl Quantity {
    /// The heading with unit: "queueing delay ms".
    pub fn heading(&self) -> String {
        format!("{} {}", self.title, self.unit).trim().to_string()
    }
}

/// The names of the metrics that are compared.
const COMPARED: [&str; 5] = [
    "utilisation",
    "goodput",
    "delay_mean",
    "delay_p99",
    "fairness",
];

/// The queue's congestion signals: drops and ECN marks.
const SIGNALS: Quantity = Quantity {
    name: "signals",
    title: "dropped or marked",
    unit: "%",
    scale: 100.0,
    meaning: "packets that the watched queue dropped or marked over those that arrived at it",
};

/// The quantities that are compared, in order.
pub fn quantities() -> Vec<Quantity> {
    let known = COMPARED.iter().filter_map(|name| {
        let metric = &METRICS[metrics::index_of(name)?];
        Some(Quantity {
            name: metric.name,
            title: metric.title,
            unit: metric.unit,
            scale: metric.scale,
            meaning: metric.meaning,
        })
    });
    known.chain([SIGNALS]).collect()
}

/// One quantity of one scheme at one point, simulated and live.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The simulated mean; `None` where it was not measured.
    pub simulated: Option<Mean>,
    /// The mean of the runs on real hosts; `None` where it was not measured.
    pub live: Option<Mean>,
    /// The live mean less the simulated one, with Welch's interval.
    pub difference: Option<Mean>,
}

impl Pair {
    fn of(simulated: &[f64], live: &[f64]) -> Pair {
        Pair {
            simulated: Mean::of(simulated),
            live: Mean::of(live),
            difference: statistics::welch(live, simulated),
        }
    }

    /// Whether the difference is significant: its 95% interval does not contain zero.
    pub fn is_significant(&self) -> bool {
        let difference = self.difference.as_ref();
        difference.is_some_and(Mean::excludes_zero)
    }
}

/// Simulated and live runs of one scheme at one point.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The scheme's index.
    pub scheme: usize,
    /// The point's index.
    pub point: usize,
    /// The number of live runs.
    pub live_runs: usize,
    /// The number of live runs that are not trustworthy.
    pub doubtful: usize,
    /// One for each of [`quantities`].
    pub pairs: Vec<Pair>,
}

/// A map from point and scheme, by their indices.
type ByPointAndScheme<T> = BTreeMap<(usize, usize), T>;

/// For each quantity the values over runs.
type Values = ByPointAndScheme<Vec<Vec<f64>>>;

/// Compares every scheme at every point that has both simulated and live runs with the plan's seeds.
pub fn compare(
    plan: &Plan,
    simulated: &Store,
    live: &Store,
) -> Result<Vec<Comparison>, StoreError> {
    let (simulated, measured) = (values(plan, simulated)?, values(plan, live)?);
    let doubtful = doubtful(plan, live)?;
    let row = |((point, scheme), live): (&(usize, usize), &Vec<Vec<f64>>)| {
        let simulated = simulated.get(&(*point, *scheme))?;
        let pairs = simulated.iter().zip(live);
        let (live_runs, doubtful) = doubtful.get(&(*point, *scheme)).copied()?;
        Some(Comparison {
            scheme: *scheme,
            point: *point,
            live_runs,
            doubtful,
            pairs: pairs.map(|(one, other)| Pair::of(one, other)).collect(),
        })
    };
    Ok(measured.iter().filter_map(row).collect())
}

/// The point and the scheme of every cell, by the cell's number.
fn points_and_schemes(
    plan: &Plan,
    store: &Store,
) -> Result<BTreeMap<usize, (usize, usize)>, StoreError> {
    let labels = plan.labels();
    let cells = store.cells()?.into_iter();
    let indices = cells
        .filter(|cell| plan.seeds.contains(&cell.seed))
        .filter_map(|cell| {
            let scheme = labels.iter().position(|label| *label == cell.scheme)?;
            Some((cell.cell, (cell.point, scheme)))
        });
    Ok(indices.collect())
}

/// The values of each quantity over runs; empty where one run did not measure it.
fn values(plan: &Plan, store: &Store) -> Result<Values, StoreError> {
    let indices = points_and_schemes(plan, store)?;
    let signals = store.signals()?;
    let mut measured: ByPointAndScheme<Vec<Vec<Option<f64>>>> = BTreeMap::new();
    for cell in store.cells()? {
        let Some(index) = indices.get(&cell.cell) else {
            continue;
        };
        let lists = measured
            .entry(*index)
            .or_insert_with(|| vec![Vec::new(); quantities().len()]);
        let known = COMPARED.map(|name| cell.values[metrics::index_of(name)?]);
        let all = known.into_iter().chain([signals.get(&cell.cell).copied()]);
        lists
            .iter_mut()
            .zip(all)
            .for_each(|(list, value)| list.push(value));
    }
    let complete = |list: Vec<Option<f64>>| {
        let list: Option<Vec<f64>> = list.into_iter().collect();
        list.unwrap_or_default()
    };
    let lists = measured.into_iter();
    Ok(lists
        .map(|(index, lists)| (index, lists.into_iter().map(complete).collect()))
        .collect())
}

/// The number of live runs and, of these, of runs that are not trustworthy.
fn doubtful(plan: &Plan, live: &Store) -> Result<ByPointAndScheme<(usize, usize)>, StoreError> {
    let indices = points_and_schemes(plan, live)?;
    let mut counts: ByPointAndScheme<(usize, usize)> = BTreeMap::new();
    for row in live.live()? {
        if let Some(index) = indices.get(&row.cell) {
            let (runs, doubtful) = counts.entry(*index).or_default();
            *runs += 1;
            *doubtful += usize::from(!row.trustworthy);
        }
    }
    Ok(counts)
}

/// The number of significant differences, and of all differences that have an interval.
pub fn count_significant(rows: &[Comparison]) -> (usize, usize) {
    let pairs = || rows.iter().flat_map(|row| &row.pairs);
    let significant = pairs().filter(|pair| pair.is_significant()).count();
    let decided = pairs().filter(|pair| pair.difference.is_some_and(|d| d.half.is_some()));
    (significant, decided.count())
}

/// How the numbers were obtained and how to read them, in a few sentences.
pub fn legend(rows: &[Comparison]) -> String {
    let (significant, of) = count_significant(rows);
    let doubtful: usize = rows.iter().map(|row| row.doubtful).sum();
    let runs: usize = rows.iter().map(|row| row.live_runs).sum();
    let mut text = format!(
        "Means with 95% intervals; the difference is live less simulated, with Welch's interval. \
         {significant} of {of} differences are significant; without any true difference about one \
         in twenty would be."
    );
    if doubtful > 0 {
        text.push_str(&format!(
            " {doubtful} of {runs} live runs are not trustworthy; their rows are marked !."
        ));
    }
    text
}
