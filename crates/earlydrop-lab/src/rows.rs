//! Rows: the metrics of cells, from outcomes in memory or from a database. A
//! [`Summary`](crate::summary::Summary) is computed from them.

use crate::metrics::LIVE_METRICS;
use crate::outcome::Outcome;
use crate::plan::{Cell, Plan};

/// The metrics of a completed cell.
#[derive(Clone, Debug, PartialEq)]
pub struct CellRow {
    /// Its number in the plan.
    pub cell: usize,
    /// Its scheme's label.
    pub scheme: String,
    /// The index of its point.
    pub point: usize,
    /// Its seed.
    pub seed: u64,
    /// One value for each of [`METRICS`](crate::metrics::METRICS), in base units.
    pub values: Vec<Option<f64>>,
}

/// The metrics of a group of flows of a completed cell.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupRow {
    /// The cell's number.
    pub cell: usize,
    /// The group's name.
    pub name: String,
    /// Its number of flows.
    pub flows: usize,
    /// One value for each metric of flows ([`of_groups`](crate::metrics::of_groups)).
    pub values: Vec<Option<f64>>,
}

/// The metrics of a bottleneck of a completed cell, in plans with several.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkRow {
    /// The cell's number.
    pub cell: usize,
    /// The link's name.
    pub link: String,
    /// One value for each of [`LINK_METRICS`](crate::metrics::LINK_METRICS).
    pub values: Vec<Option<f64>>,
}

/// The timing of a completed cell on real hosts.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveRow {
    /// The cell's number.
    pub cell: usize,
    /// Whether its figures can be trusted.
    pub trustworthy: bool,
    /// One value for each of [`LIVE_METRICS`].
    pub values: Vec<Option<f64>>,
}

/// The rows of all completed cells, each list in the order of the plan, groups of a cell in
/// the order of their names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// A row for each cell.
    pub cells: Vec<CellRow>,
    /// A row for each group of flows of each cell.
    pub groups: Vec<GroupRow>,
    /// A row for each bottleneck of each cell, in the order of their names; empty where there is
    /// one bottleneck.
    pub links: Vec<LinkRow>,
    /// A row for each cell on real hosts; empty for simulated ones.
    pub live: Vec<LiveRow>,
}

impl Rows {
    /// The rows of outcomes in memory, in whatever order they come. They equal those that a
    /// store returns of the same outcomes, to the last bit.
    pub fn of_outcomes(plan: &Plan, outcomes: &[(Cell, Outcome)]) -> Rows {
        Rows::of_each(plan, outcomes.iter().map(|(cell, one)| (*cell, one)))
    }

    /// The same of any of them.
    pub fn of_each<'a>(
        plan: &Plan,
        outcomes: impl IntoIterator<Item = (Cell, &'a Outcome)>,
    ) -> Rows {
        let mut numbered: Vec<(usize, (Cell, &Outcome))> = outcomes
            .into_iter()
            .map(|done| (plan.number(done.0), done))
            .collect();
        numbered.sort_by_key(|(number, _)| *number);
        let labels = plan.labels();
        let mut rows = Rows::default();
        for (number, (cell, outcome)) in numbered {
            rows.cells.push(CellRow {
                cell: number,
                scheme: labels[cell.scheme].to_string(),
                point: cell.point,
                seed: plan.seeds[cell.seed],
                values: finite(&outcome.values),
            });
            rows.groups.extend(group_rows(number, outcome));
            let links = outcome.links.iter().map(|(link, values)| LinkRow {
                cell: number,
                link: link.clone(),
                values: finite(values),
            });
            let from = rows.links.len();
            rows.links.extend(links);
            rows.links[from..].sort_by(|a, b| a.link.cmp(&b.link));
            rows.live.extend(live_row(number, outcome));
        }
        rows
    }
}

fn group_rows(cell: usize, outcome: &Outcome) -> Vec<GroupRow> {
    let groups = outcome.groups.iter();
    let mut rows: Vec<GroupRow> = groups
        .map(|(name, flows, values)| GroupRow {
            cell,
            name: name.clone(),
            flows: *flows,
            values: finite(values),
        })
        .collect();
    rows.sort_by(|a, b| a.name.cmp(&b.name));
    rows
}

fn live_row(cell: usize, outcome: &Outcome) -> Option<LiveRow> {
    let live = outcome.live.as_ref()?;
    let values: Vec<_> = LIVE_METRICS.iter().map(|m| m.of_live(live)).collect();
    Some(LiveRow {
        cell,
        trustworthy: live.trustworthy,
        values: finite(&values),
    })
}

/// Values that are not finite are missing, as in a database.
fn finite(values: &[Option<f64>]) -> Vec<Option<f64>> {
    let finite = |value: &Option<f64>| value.filter(|value| value.is_finite());
    values.iter().map(finite).collect()
}
