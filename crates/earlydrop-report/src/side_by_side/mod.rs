//! One plan on the simulator's hosts and on real ones, side by side: each number's mean
//! with its interval both ways, by how much they differ, and whether they are told apart.

mod page;
mod render;

pub use page::page;
pub use render::{json, markdown, tables};

use std::collections::BTreeMap;

use earlydrop_lab::metrics::{self, METRICS};
use earlydrop_lab::plan::Plan;
use earlydrop_lab::statistics::{self, Mean};
use earlydrop_lab::store::{Store, StoreError};

/// Something that is compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    /// Its name in tables.
    pub name: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// The unit it is shown in.
    pub unit: &'static str,
    /// What a value is multiplied with to be in that unit.
    pub scale: f64,
    /// What it is, in a sentence.
    pub meaning: &'static str,
}

impl Quantity {
    /// "queueing delay ms".
    pub fn heading(&self) -> String {
        format!("{} {}", self.title, self.unit).trim().to_string()
    }
}

/// The metrics that are compared, by name.
const COMPARED: [&str; 5] = [
    "utilisation",
    "goodput",
    "delay_mean",
    "delay_p99",
    "fairness",
];

/// What a queue tells TCP, by dropping or by marking.
const SIGNALS: Quantity = Quantity {
    name: "signals",
    title: "dropped or marked",
    unit: "%",
    scale: 100.0,
    meaning: "packets that the watched queue dropped or marked over those that arrived at it",
};

/// Everything that is compared, in order.
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

/// One number of one scheme at one point, both ways.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// In the simulator; `None` where it was not measured.
    pub simulated: Option<Mean>,
    /// On real hosts.
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

    /// Whether the two are told apart.
    pub fn is_apart(&self) -> bool {
        let difference = self.difference.as_ref();
        difference.is_some_and(Mean::excludes_zero)
    }
}

/// One scheme at one point.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The scheme's index.
    pub scheme: usize,
    /// The point's index.
    pub point: usize,
    /// How many live runs there are.
    pub live_runs: usize,
    /// How many of them cannot be believed.
    pub doubtful: usize,
    /// One for each of [`quantities`].
    pub pairs: Vec<Pair>,
}

/// Something for each point and scheme.
type ByPlace<T> = BTreeMap<(usize, usize), T>;

/// One list of values for each quantity.
type Values = ByPlace<Vec<Vec<f64>>>;

/// Every scheme at every point, as far as it was run both ways with the plan's seeds.
pub fn compare(plan: &Plan, simulated: &Store, live: &Store) -> Result<Vec<Row>, StoreError> {
    let (simulated, measured) = (values(plan, simulated)?, values(plan, live)?);
    let doubtful = doubtful(plan, live)?;
    let row = |((point, scheme), live): (&(usize, usize), &Vec<Vec<f64>>)| {
        let simulated = simulated.get(&(*point, *scheme))?;
        let pairs = simulated.iter().zip(live);
        let (live_runs, doubtful) = doubtful.get(&(*point, *scheme)).copied()?;
        Some(Row {
            scheme: *scheme,
            point: *point,
            live_runs,
            doubtful,
            pairs: pairs.map(|(one, other)| Pair::of(one, other)).collect(),
        })
    };
    Ok(measured.iter().filter_map(row).collect())
}

/// Every run's place, point before scheme, by its number.
fn places(plan: &Plan, store: &Store) -> Result<BTreeMap<usize, (usize, usize)>, StoreError> {
    let labels = plan.labels();
    let cells = store.cells()?.into_iter();
    let place = cells
        .filter(|cell| plan.seeds.contains(&cell.seed))
        .filter_map(|cell| {
            let scheme = labels.iter().position(|label| *label == cell.scheme)?;
            Some((cell.cell, (cell.point, scheme)))
        });
    Ok(place.collect())
}

/// What was measured; a number that some run lacks has no values.
fn values(plan: &Plan, store: &Store) -> Result<Values, StoreError> {
    let places = places(plan, store)?;
    let signals = store.signals()?;
    let mut found: ByPlace<Vec<Vec<Option<f64>>>> = BTreeMap::new();
    for cell in store.cells()? {
        let Some(place) = places.get(&cell.cell) else {
            continue;
        };
        let lists = found
            .entry(*place)
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
    let lists = found.into_iter();
    Ok(lists
        .map(|(place, lists)| (place, lists.into_iter().map(complete).collect()))
        .collect())
}

/// How many live runs there are at each place, and how many cannot be believed.
fn doubtful(plan: &Plan, live: &Store) -> Result<ByPlace<(usize, usize)>, StoreError> {
    let places = places(plan, live)?;
    let mut found: ByPlace<(usize, usize)> = BTreeMap::new();
    for row in live.live()? {
        if let Some(place) = places.get(&row.cell) {
            let (runs, doubtful) = found.entry(*place).or_default();
            *runs += 1;
            *doubtful += usize::from(!row.trustworthy);
        }
    }
    Ok(found)
}

/// How many of all numbers are told apart, and how many there are.
pub fn apart(rows: &[Row]) -> (usize, usize) {
    let pairs = || rows.iter().flat_map(|row| &row.pairs);
    let told = pairs().filter(|pair| pair.is_apart()).count();
    let decided = pairs().filter(|pair| pair.difference.is_some_and(|d| d.half.is_some()));
    (told, decided.count())
}

/// What the numbers are, and how to read them, in a few sentences.
pub fn reading(rows: &[Row]) -> String {
    let (told, of) = apart(rows);
    let doubtful: usize = rows.iter().map(|row| row.doubtful).sum();
    let runs: usize = rows.iter().map(|row| row.live_runs).sum();
    let mut text = format!(
        "Means with 95% intervals; the difference is live less simulated, with Welch's interval. \
         {told} of {of} differences are told apart from zero; where nothing differed, about one \
         in twenty would be."
    );
    if doubtful > 0 {
        text.push_str(&format!(
            " {doubtful} of {runs} live runs are not trustworthy; their rows are marked !."
        ));
    }
    text
}
