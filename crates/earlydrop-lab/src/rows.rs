//! What cells measured, as rows: from outcomes in memory, or from a store.

use crate::metrics::LIVE_METRICS;
use crate::outcome::Outcome;
use crate::plan::{Cell, Plan};

/// A cell that is done.
#[derive(Clone, Debug)]
pub struct CellRow {
    /// Its number in the plan.
    pub cell: usize,
    /// Its scheme's label.
    pub scheme: String,
    /// Its point.
    pub point: usize,
    /// Its seed.
    pub seed: u64,
    /// One value for each of [`METRICS`](crate::metrics::METRICS).
    pub values: Vec<Option<f64>>,
}

/// A group of flows of a cell.
#[derive(Clone, Debug)]
pub struct GroupRow {
    /// The cell's number.
    pub cell: usize,
    /// The group.
    pub name: String,
    /// How many flows it has.
    pub flows: usize,
    /// One value for each metric of flows.
    pub values: Vec<Option<f64>>,
}

/// How well a cell on real hosts kept time.
#[derive(Clone, Debug)]
pub struct LiveRow {
    /// The cell's number.
    pub cell: usize,
    /// Whether its figures can be trusted.
    pub trustworthy: bool,
    /// One value for each of [`LIVE_METRICS`].
    pub values: Vec<Option<f64>>,
}

/// The rows of all cells that are done, each list in the order of the plan.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// A row for each cell.
    pub cells: Vec<CellRow>,
    /// A row for each group of flows of each cell.
    pub groups: Vec<GroupRow>,
    /// A row for each cell on real hosts; none for simulated ones.
    pub live: Vec<LiveRow>,
}

impl Rows {
    /// The rows of outcomes in memory.
    pub fn of_outcomes(plan: &Plan, outcomes: &[(Cell, Outcome)]) -> Rows {
        let labels = plan.labels();
        let mut in_order: Vec<&(Cell, Outcome)> = outcomes.iter().collect();
        in_order.sort_by_key(|(cell, _)| plan.number(*cell));
        let mut rows = Rows::default();
        for (cell, outcome) in in_order {
            let number = plan.number(*cell);
            rows.cells.push(CellRow {
                cell: number,
                scheme: labels[cell.scheme].to_string(),
                point: cell.point,
                seed: plan.seeds[cell.seed],
                values: outcome.values.clone(),
            });
            let groups = outcome.groups.iter();
            let mut groups: Vec<GroupRow> = groups
                .map(|(name, flows, values)| GroupRow {
                    cell: number,
                    name: name.clone(),
                    flows: *flows,
                    values: values.clone(),
                })
                .collect();
            groups.sort_by(|a, b| a.name.cmp(&b.name));
            rows.groups.extend(groups);
            rows.live.extend(outcome.live.as_ref().map(|live| LiveRow {
                cell: number,
                trustworthy: live.trustworthy,
                values: LIVE_METRICS.iter().map(|m| m.of_live(live)).collect(),
            }));
        }
        rows
    }
}
