//! Slowdowns of transfers by size, over the runs of all seeds.

use earlydrop_lab::metrics::{SizeBin, is_beyond};
use earlydrop_lab::plan::Plan;
use earlydrop_lab::statistics::Mean;
use earlydrop_lab::store::{SizeRow, Store, StoreError};

use super::data::{Estimate, SizeSummary};
use super::gather::scheme_index;

/// The means over seeds of each scheme, point, group and size.
pub(super) fn sizes(plan: &Plan, store: &Store) -> Result<Vec<SizeSummary>, StoreError> {
    let rows = store.sizes()?;
    let key = |row: &SizeRow| (row.scheme.clone(), row.point, row.group.clone(), row.up_to);
    let alike = rows.chunk_by(|one, other| key(one) == key(other));
    let mut all: Vec<SizeSummary> = alike.map(|rows| summary(plan, rows)).collect();
    all.sort_by_key(|one| (one.point, one.scheme));
    Ok(all)
}

/// The mean over the runs that `rows` are of, at least one.
fn summary(plan: &Plan, rows: &[SizeRow]) -> SizeSummary {
    let of = |share: usize| {
        let values = rows.iter().filter_map(|row| row.slowdown[share]);
        let mean = Mean::of(&values.collect::<Vec<f64>>())?;
        let mean = Mean {
            is_lower_bound: rows.iter().any(|row| is_bound(row, share)),
            ..mean
        };
        Some(Estimate {
            text: mean.with_interval(1.0),
            mean: mean.mean,
            half: mean.half,
            best: false,
            similar: false,
            moving: false,
        })
    };
    let shares = 0..SizeBin::SHARES.len();
    SizeSummary {
        scheme: scheme_index(plan, &rows[0].scheme),
        point: rows[0].point,
        group: rows[0].group.clone(),
        up_to: rows[0].up_to,
        transfers: rows.iter().map(|row| row.transfers).sum(),
        is_bound: rows.iter().any(|row| is_bound(row, shares.end - 1)),
        slowdown: shares.map(of).collect(),
    }
}

/// Whether the quantile at this share is a lower bound.
fn is_bound(row: &SizeRow, share: usize) -> bool {
    is_beyond(SizeBin::SHARES[share], row.known)
}
