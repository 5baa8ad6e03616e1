//! Summaries: means over seeds with intervals, and the best schemes by paired intervals.

use std::collections::{HashMap, HashSet};

use crate::metrics::{self, Better, LINK_METRICS, LIVE_METRICS, METRICS, Metric};
use crate::plan::Plan;
use crate::rows::{self, CellRow, LiveRow, Rows};
use crate::settled::{self, Moving};
use crate::statistics::{self, Class, Mean, Standing};

/// A mean over seeds, and how it compares with the best of all schemes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankedMean {
    /// The mean over the completed seeds.
    pub mean: Mean,
    /// How it compares with the best mean, by differences paired by seed and corrected for the
    /// number of schemes; `None` where that cannot be said, or where neither more nor less is
    /// better. One that is printed as the best is, is best, too.
    pub standing: Option<Standing>,
    /// What can be said of it beside the best; `None` where neither more nor less is better.
    pub class: Option<Class>,
    /// How what it depends on still moved, as a share from the first half of the time measured to
    /// the second; `None` where it had settled, or where the seeds do not tell.
    pub drift: Option<f64>,
}

impl RankedMean {
    /// A mean that is compared with no other.
    pub fn alone(mean: Mean) -> RankedMean {
        RankedMean {
            mean,
            standing: None,
            class: None,
            drift: None,
        }
    }

    /// Whether it is the best mean, or equals it to the digits that its interval allows.
    pub fn is_best(&self) -> bool {
        self.standing == Some(Standing::Best)
    }

    /// Whether it is not the best mean, and not significantly different from it.
    pub fn is_similar(&self) -> bool {
        self.standing == Some(Standing::Similar)
    }
}

/// One link under one scheme at one point, in scenarios with several bottlenecks.
#[derive(Clone, Debug)]
pub struct LinkSummary {
    /// The scheme's index.
    pub scheme: usize,
    /// The point's index.
    pub point: usize,
    /// The link's name: "router 0 to router 1".
    pub link: String,
    /// One for each of [`LINK_METRICS`].
    pub values: Vec<Option<RankedMean>>,
}

/// One scheme at one point.
#[derive(Clone, Debug)]
pub struct SchemeSummary {
    /// The scheme's index.
    pub scheme: usize,
    /// The point's index.
    pub point: usize,
    /// The number of completed seeds.
    pub seeds: usize,
    /// One for each of [`METRICS`]; `None` where it was not measured in every run.
    pub values: Vec<Option<RankedMean>>,
    /// The timing of its runs; `None` for simulated ones.
    pub live: Option<LiveSummary>,
}

/// The timing of one scheme's runs at one point on real hosts.
#[derive(Clone, Debug)]
pub struct LiveSummary {
    /// The number of runs whose figures cannot be trusted.
    pub doubtful: usize,
    /// One for each of [`LIVE_METRICS`].
    pub values: Vec<Option<RankedMean>>,
}

/// One group of flows under one scheme at one point.
#[derive(Clone, Debug)]
pub struct GroupSummary {
    /// The scheme's index.
    pub scheme: usize,
    /// The point's index.
    pub point: usize,
    /// The group's name.
    pub name: String,
    /// Its number of flows.
    pub flows: usize,
    /// One for each metric of flows.
    pub values: Vec<Option<RankedMean>>,
}

/// The completed cells of a plan, summarised.
#[derive(Clone, Debug)]
pub struct Summary {
    /// One for each scheme at each point with a completed cell, point by point.
    pub rows: Vec<SchemeSummary>,
    /// One for each group of flows under each of these, point by point.
    pub groups: Vec<GroupSummary>,
    /// One for each bottleneck under each of these, point by point and link by link; empty where
    /// there is one bottleneck.
    pub links: Vec<LinkSummary>,
    /// What had not settled.
    pub moving: Vec<Moving>,
    /// The completed cells.
    pub cells: Vec<CellRow>,
    /// The groups of flows of these cells.
    pub group_cells: Vec<rows::GroupRow>,
}

/// One value for each seed, in the order of the seeds.
type Values = Vec<Option<f64>>;

impl Summary {
    /// The summary of the rows of a plan's cells.
    pub fn of(plan: &Plan, measured: Rows) -> Summary {
        let live = measured.live.iter().map(|row| (row.cell, row)).collect();
        let runs = by_point(plan, &measured.cells);
        let mut rows = Vec::new();
        let mut groups = Vec::new();
        let mut links = Vec::new();
        let mut all_moving = Vec::new();
        let by_group = measured.groups.iter();
        let by_group = by_group.map(|row| ((row.cell, row.name.as_str()), row));
        let by_group = by_group.collect();
        let names = match measured.links.is_empty() {
            true => Vec::new(),
            false => plan.bottlenecks(),
        };
        for (point, runs) in runs.iter().enumerate() {
            let begin = (rows.len(), groups.len());
            rows.extend(at_point(point, runs, &live));
            groups.extend(groups_at_point(plan, point, runs, &measured.groups));
            let moving = settled::moving(plan, point, runs, &by_group);
            mark_moving(&moving, &mut rows[begin.0..], &mut groups[begin.1..]);
            all_moving.extend(moving);
            links.extend(links_at_point(point, &names, runs, &measured.links));
        }
        Summary {
            rows,
            groups,
            links,
            moving: all_moving,
            cells: measured.cells,
            group_cells: measured.groups,
        }
    }

    /// How wide the widest interval of a metric is, as a share of its mean: infinite where
    /// there is none, and `None` if the metric was not measured.
    pub fn widest(&self, metric: usize) -> Option<f64> {
        let share = |row: &SchemeSummary| {
            let mean = row.values[metric]?.mean;
            Some(match mean.half {
                None => f64::INFINITY,
                // A value that is always the same, zero included, is as narrow as can be.
                Some(0.0) if mean.count >= SAME => 0.0,
                Some(0.0) => f64::INFINITY,
                Some(half) => half / mean.mean.abs(),
            })
        };
        self.rows.iter().filter_map(share).reduce(f64::max)
    }
}

/// Equal values that are not equal by chance: if half of all runs had another value, this many
/// would agree in 2 * 0.5^6 = 3% of all cases. Two runs without a loss say little about losses.
const SAME: usize = 6;

/// The runs of a scheme at a point, in the order of the seeds.
pub(crate) type Runs<'a> = Vec<&'a CellRow>;

/// The timing of each cell, by its number.
type Live<'a> = HashMap<usize, &'a LiveRow>;

/// The runs at each point, for each scheme.
pub(crate) fn by_point<'a>(plan: &Plan, cells: &'a [CellRow]) -> Vec<Vec<Runs<'a>>> {
    let labels = plan.labels();
    let mut points = vec![vec![Runs::new(); labels.len()]; plan.points.len()];
    let numbered = labels.iter().enumerate();
    let schemes: HashMap<&str, usize> = numbered.map(|(index, label)| (*label, index)).collect();
    let order: HashMap<u64, usize> = (plan.seeds.iter().enumerate())
        .map(|(index, seed)| (*seed, index))
        .collect();
    for cell in cells.iter().filter(|cell| order.contains_key(&cell.seed)) {
        let scheme = schemes.get(cell.scheme.as_str());
        if let (Some(scheme), Some(runs)) = (scheme, points.get_mut(cell.point)) {
            runs[*scheme].push(cell);
        }
    }
    for runs in points.iter_mut().flatten() {
        runs.sort_by_key(|run| order[&run.seed]);
    }
    points
}

fn seeds_of(runs: &Runs<'_>) -> Vec<u64> {
    runs.iter().map(|run| run.seed).collect()
}

/// The summaries of every scheme at a point.
fn at_point(point: usize, schemes: &[Runs<'_>], live: &Live<'_>) -> Vec<SchemeSummary> {
    let done: Vec<Vec<u64>> = schemes.iter().map(seeds_of).collect();
    let shared = shared_seeds(&done);
    let column = |(index, metric): (usize, &Metric)| {
        let values = |runs: &Runs<'_>| runs.iter().map(|run| run.values[index]).collect();
        let contenders: Vec<Values> = schemes.iter().map(values).collect();
        let is_bound =
            |run: &&CellRow| metric.is_lower_bound(|name| run.values[metrics::index_of(name)?]);
        let bounds = schemes.iter().map(|runs| runs.iter().any(is_bound));
        let ranked = ranked_means(metric, metric.better, &contenders, &done, &shared);
        with_bounds(ranked, bounds)
    };
    let columns: Vec<Vec<Option<RankedMean>>> = METRICS.iter().enumerate().map(column).collect();
    let present = schemes
        .iter()
        .enumerate()
        .filter(|(_, runs)| !runs.is_empty());
    present
        .map(|(scheme, runs)| SchemeSummary {
            scheme,
            point,
            seeds: runs.len(),
            values: columns.iter().map(|column| column[scheme]).collect(),
            live: live_summary(runs, live),
        })
        .collect()
}

/// The timing of runs; `None` for simulated ones.
fn live_summary(runs: &Runs<'_>, live: &Live<'_>) -> Option<LiveSummary> {
    let done: Vec<&LiveRow> = runs
        .iter()
        .filter_map(|run| live.get(&run.cell).copied())
        .collect();
    let values = |index: usize| {
        let values: Option<Vec<f64>> = done.iter().map(|row| row.values[index]).collect();
        Mean::of(&values?).map(RankedMean::alone)
    };
    (!done.is_empty()).then(|| LiveSummary {
        doubtful: done.iter().filter(|row| !row.trustworthy).count(),
        values: (0..LIVE_METRICS.len()).map(values).collect(),
    })
}

/// The seeds that all contenders have completed, of which pairs are made.
fn shared_seeds(done: &[Vec<u64>]) -> HashSet<u64> {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for seed in done.iter().flatten() {
        *counts.entry(*seed).or_default() += 1;
    }
    let contenders = done.iter().filter(|seeds| !seeds.is_empty()).count();
    let shared = counts.into_iter().filter(|(_, count)| *count == contenders);
    shared.map(|(seed, _)| seed).collect()
}

/// One metric's mean for each contender, of whose values these are `better`, which belong to the seeds in `done`, of which
/// these are `shared`.
fn ranked_means(
    metric: &Metric,
    better: Better,
    contenders: &[Values],
    done: &[Vec<u64>],
    shared: &HashSet<u64>,
) -> Vec<Option<RankedMean>> {
    let complete: Vec<Vec<f64>> = contenders
        .iter()
        .map(|values| values.iter().copied().collect::<Option<Vec<f64>>>())
        .map(Option::unwrap_or_default)
        .collect();
    let paired: Vec<Vec<f64>> = complete
        .iter()
        .zip(done)
        .map(|(values, seeds)| {
            let pairs = values.iter().zip(seeds);
            pairs
                .filter(|(_, seed)| shared.contains(seed))
                .map(|(v, _)| *v)
                .collect()
        })
        .collect();
    let slices: Vec<&[f64]> = paired.iter().map(Vec::as_slice).collect();
    let (standings, classes) = match better {
        Better::Neither => (vec![None; slices.len()], vec![None; slices.len()]),
        better => {
            let less = better == Better::Less;
            (
                statistics::standings(&slices, less),
                statistics::classes(&slices, less),
            )
        }
    };
    let ranked = complete.iter().zip(standings.into_iter().zip(classes));
    let ranked = ranked.map(|(values, (standing, class))| {
        Some(RankedMean {
            mean: Mean::of(values)?,
            standing,
            class,
            drift: None,
        })
    });
    let mut ranked: Vec<Option<RankedMean>> = ranked.collect();
    let best = ranked.iter().flatten().find(|entry| entry.is_best());
    if let Some(best) = best.map(|best| to_interval(best.mean, metric.scale)) {
        let ranked = ranked.iter_mut().flatten();
        for entry in ranked.filter(|entry| to_interval(entry.mean, metric.scale) == best) {
            entry.standing = Some(Standing::Best);
        }
    }
    ranked
}

/// Marks the figures of a point that depend on what still moved: nothing is decided by them.
fn mark_moving(moving: &[Moving], rows: &mut [SchemeSummary], groups: &mut [GroupSummary]) {
    let mark = |entry: &mut Option<RankedMean>, scheme, group: Option<&str>, metric: &Metric| {
        let mut own = moving.iter().filter(|one| one.scheme == scheme);
        if let (Some(entry), Some(moving)) = (entry, own.find(|one| one.concerns(group, metric))) {
            entry.drift = Some(moving.by.mean);
            entry.class = entry.class.map(|_| Class::Undecided);
        }
    };
    for row in rows {
        for (metric, entry) in METRICS.iter().zip(&mut row.values) {
            mark(entry, row.scheme, None, metric);
        }
    }
    for row in groups {
        for (metric, entry) in metrics::of_groups().zip(&mut row.values) {
            mark(entry, row.scheme, Some(&row.name), metric);
        }
    }
}

/// Marks the means of contenders that have a lower bound among their values. Against a bound only
/// one thing can be said: a contender is behind if even the least that it can be is.
fn with_bounds(
    mut ranked: Vec<Option<RankedMean>>,
    bounds: impl Iterator<Item = bool>,
) -> Vec<Option<RankedMean>> {
    for (entry, is_lower_bound) in ranked.iter_mut().zip(bounds) {
        if let Some(entry) = entry {
            entry.mean.is_lower_bound = is_lower_bound;
        }
    }
    let mut entries = ranked.iter().flatten();
    let best_is_bound = entries.any(|entry| entry.is_best() && entry.mean.is_lower_bound);
    for entry in ranked.iter_mut().flatten() {
        let is_behind = entry.standing == Some(Standing::Worse);
        if best_is_bound || (entry.mean.is_lower_bound && !is_behind) {
            entry.standing = None;
            entry.class = entry.class.map(|_| Class::Undecided);
        }
    }
    ranked
}

/// A mean in the unit of display, rounded to the second digit of its interval, but at most to its
/// fourth and six decimals; to its third without an interval. Means that are equal by it share a
/// standing.
fn to_interval(mean: Mean, scale: f64) -> f64 {
    let value = mean.mean * scale;
    let half = mean.half.map(|half| half * scale);
    let digit = |number: f64| number.abs().log10().floor() as i32;
    let (finest, most) = match half.filter(|half| *half > 0.0 && half.is_finite()) {
        _ if value == 0.0 || !value.is_finite() => return value,
        Some(half) => ((digit(half) - 1).max(digit(value) - 3), 6),
        None => (digit(value) - 2, 9),
    };
    let steps = 10_f64.powi((-finest).clamp(0, most));
    (value * steps).round_ties_even() / steps
}

/// The summaries of every bottleneck at a point. `measured` is in the order of the cells.
fn links_at_point(
    point: usize,
    names: &[String],
    schemes: &[Runs<'_>],
    measured: &[rows::LinkRow],
) -> Vec<LinkSummary> {
    let mut all = Vec::new();
    for name in names {
        let rows_of = |runs: &Runs<'_>| -> (Vec<u64>, Vec<&rows::LinkRow>) {
            let row = |run: &&CellRow| {
                let wanted = (run.cell, name.as_str());
                let at = measured.partition_point(|row| (row.cell, row.link.as_str()) < wanted);
                let row = measured.get(at)?;
                (row.cell == run.cell && row.link == *name).then_some((run.seed, row))
            };
            runs.iter().filter_map(row).unzip()
        };
        let (done, runs): (Vec<_>, Vec<_>) = schemes.iter().map(rows_of).unzip();
        let shared = shared_seeds(&done);
        let column = |(index, metric): (usize, &Metric)| {
            let of = |runs: &Vec<&rows::LinkRow>| -> Values {
                runs.iter().map(|run| run.values[index]).collect()
            };
            let contenders: Vec<Values> = runs.iter().map(of).collect();
            ranked_means(metric, metric.better, &contenders, &done, &shared)
        };
        let columns: Vec<_> = LINK_METRICS.iter().enumerate().map(column).collect();
        let present = (0..schemes.len()).filter(|scheme| !runs[*scheme].is_empty());
        all.extend(present.map(|scheme| LinkSummary {
            scheme,
            point,
            link: name.clone(),
            values: columns.iter().map(|column| column[scheme]).collect(),
        }));
    }
    all
}

/// The summaries of every group of flows at a point. `measured` is in the order of the cells,
/// and of the names in each.
fn groups_at_point(
    plan: &Plan,
    point: usize,
    schemes: &[Runs<'_>],
    measured: &[rows::GroupRow],
) -> Vec<GroupSummary> {
    let of_run = |run: &CellRow, name: &str| {
        let wanted = (run.cell, name);
        let at = measured.partition_point(|row| (row.cell, row.name.as_str()) < wanted);
        let row = measured.get(at)?;
        (row.cell == run.cell && row.name == name).then_some(row)
    };
    let mut rows = Vec::new();
    for group in &plan.scenario().groups {
        let rows_of = |runs: &Runs<'_>| -> (Vec<u64>, Vec<&rows::GroupRow>) {
            let runs = runs.iter();
            runs.filter_map(|run| Some((run.seed, of_run(run, &group.name)?)))
                .unzip()
        };
        let (done, runs): (Vec<_>, Vec<_>) = schemes.iter().map(rows_of).unzip();
        let shared = shared_seeds(&done);
        let column = |(index, metric): (usize, &Metric)| {
            let of = |runs: &Vec<&rows::GroupRow>| -> Values {
                runs.iter().map(|run| run.values[index]).collect()
            };
            let contenders: Vec<Values> = runs.iter().map(of).collect();
            let is_bound = |run: &&rows::GroupRow| {
                metric.is_lower_bound(|name| run.values[metrics::index_of_group(name)?])
            };
            let bounds = runs.iter().map(|runs| runs.iter().any(is_bound));
            let better = metrics::better(metric, group, plan.scenario());
            let ranked = ranked_means(metric, better, &contenders, &done, &shared);
            with_bounds(ranked, bounds)
        };
        let columns: Vec<Vec<Option<RankedMean>>> =
            metrics::of_groups().enumerate().map(column).collect();
        for (scheme, runs) in runs.iter().enumerate() {
            rows.extend(runs.first().map(|first| GroupSummary {
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
