//! A run's summary as one JSON document; `docs/reference/results.md` lists its keys.

use std::path::Path;

use serde_json::{Map, Value, json};

use earlydrop_lab::metrics::{self, Better, LIVE_METRICS, METRICS, Metric};
use earlydrop_lab::plan::{Hosts, Plan};
use earlydrop_lab::store::{Store, StoreError};
use earlydrop_lab::summary::{RankedMean, Summary};

/// The summary of a stored run as JSON, in base units; `report` is the path of its page.
pub fn json(
    plan: &Plan,
    store: &Store,
    summary: &Summary,
    report: &Path,
) -> Result<Value, StoreError> {
    let mut seeds: Vec<u64> = summary.cells.iter().map(|cell| cell.seed).collect();
    seeds.sort_unstable();
    seeds.dedup();
    let is_live = store.hosts()? == Hosts::Real;
    let live = if is_live { LIVE_METRICS } else { &[] };
    let metrics = METRICS.iter().chain(live);
    let metrics = metrics.map(|metric| (metric.name.to_string(), describe(metric)));
    let labels = plan.labels();
    let groups = summary.groups.iter().map(|group| {
        json!({
            "group": group.name,
            "flows": group.flows,
            "scheme": labels[group.scheme],
            "point": point(plan, group.point),
            "metrics": entries(metrics::of_groups(), &group.values),
        })
    });
    let rows = summary.rows.iter().map(|row| scheme(plan, row));
    let mut document = json!({
        "earlydrop": store.about("version")?,
        "title": plan.scenario().title,
        "folder": store.folder(),
        "report": report,
        "seeds": seeds,
        "cells": { "planned": plan.cell_count(), "done": summary.cells.len() },
        "metrics": metrics.collect::<Map<String, Value>>(),
        "rows": rows.collect::<Vec<Value>>(),
        "groups": groups.collect::<Vec<Value>>(),
    });
    if is_live {
        document["hosts"] = "real".into();
    }
    Ok(document)
}

/// The means of one scheme at one point.
fn scheme(plan: &Plan, row: &earlydrop_lab::summary::SchemeSummary) -> Value {
    let scheme = &plan.scenario().schemes[row.scheme];
    let mut document = json!({
        "scheme": plan.labels()[row.scheme],
        "spec": scheme.spec.to_string(),
        "point": point(plan, row.point),
        "seeds": row.seeds,
        "metrics": entries(METRICS.iter(), &row.values),
    });
    if let Some(live) = &row.live {
        document["live"] = entries(LIVE_METRICS.iter(), &live.values).into();
        document["not_trustworthy"] = live.doubtful.into();
    }
    document
}

/// What a metric is, by the keys of its name.
fn describe(metric: &Metric) -> Value {
    json!({
        "title": metric.title,
        "unit": metric.base_unit(),
        "better": match metric.better {
            Better::Less => "less",
            Better::More => "more",
            Better::Neither => "neither",
        },
        "meaning": metric.meaning,
    })
}

/// The values of the swept fields at a point of the sweep, by field.
fn point(plan: &Plan, point: usize) -> Map<String, Value> {
    let coordinates = plan.axes.iter().zip(&plan.points[point].coordinates);
    coordinates
        .map(|(axis, index)| (axis.field.clone(), axis.texts()[*index].clone().into()))
        .collect()
}

/// The means of the metrics that were measured, by name.
fn entries<'a>(
    metrics: impl Iterator<Item = &'a Metric>,
    values: &[Option<RankedMean>],
) -> Map<String, Value> {
    let measured = metrics.zip(values).filter_map(|(metric, entry)| {
        let RankedMean { mean, best } = (*entry)?;
        let value = json!({ "mean": mean.mean, "half_width_95": mean.half, "best": best });
        Some((metric.name.to_string(), value))
    });
    measured.collect()
}
