//! A run's summary as one JSON document; `docs/reference/results.md` lists its keys.

use std::path::Path;

use serde_json::{Map, Value, json};

use earlydrop::units::Nanos;
use earlydrop_lab::baseline::{Comparison, DifferenceRow, SIGNIFICANT};
use earlydrop_lab::judge::judgements;
use earlydrop_lab::metrics::{self, Better, Felt, LINK_METRICS, LIVE_METRICS, METRICS, Metric};
use earlydrop_lab::plan::{Hosts, Plan};
use earlydrop_lab::scenario::{BesidePreset, QueueLength, SchemeSizes};
use earlydrop_lab::store::{Store, StoreError};
use earlydrop_lab::summary::{GroupSummary, LinkSummary, RankedMean, Summary};

use crate::answers::answers;
use crate::table::{Mark, View};

/// The summary of a stored run as JSON, in base units; `report` is the path of its page, and
/// `view` may have a comparison.
pub fn json(
    plan: &Plan,
    store: &Store,
    summary: &Summary,
    report: &Path,
    view: &View,
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
            "feels": feels(plan, group),
            "scheme": labels[group.scheme],
            "point": point(plan, group.point),
            "metrics": entries(metrics::of_groups(), &group.values),
        })
    });
    let rows = summary.rows.iter().map(|row| scheme(plan, row));
    let mut document = json!({
        "earlydrop": store.about("version")?,
        "title": plan.scenario().title,
        "about": plan.scenario().about,
        "folder": store.folder(),
        "report": report,
        "seeds": seeds,
        "cells": { "planned": plan.cell_count(), "done": summary.cells.len() },
        "metrics": metrics.collect::<Map<String, Value>>(),
        "answers": answers(plan, summary),
        "expectations": judgements(plan, summary),
        "rows": rows.collect::<Vec<Value>>(),
        "groups": groups.collect::<Vec<Value>>(),
        "links": summary.links.iter().map(|row| link(plan, row)).collect::<Vec<Value>>(),
        "derived": derived(plan),
        "warnings": plan.warnings(),
        "marks": { "best": Mark::Best.meaning(), "similar": Mark::Similar.meaning() },
    });
    if let Some(comparison) = &view.comparison {
        document["baseline"] = differences(plan, comparison);
    }
    if is_live {
        document["hosts"] = "real".into();
    }
    Ok(document)
}

/// What a group feels, with the names of the metrics that it is judged by, the first one first.
fn feels(plan: &Plan, group: &GroupSummary) -> Value {
    let scenario = &plan.points[group.point].scenario;
    let felt = Felt::all(scenario).into_iter();
    let felt = felt.into_iter().find(|felt| felt.group == group.name);
    let names: Vec<&str> = metrics::of_groups().map(|metric| metric.name).collect();
    felt.map_or(Value::Null, |felt| {
        let by = felt.metrics.iter().map(|index| names[*index]);
        json!({ "what": felt.feels.name(), "by": by.collect::<Vec<_>>() })
    })
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

/// The means of one bottleneck under one scheme at one point.
fn link(plan: &Plan, row: &LinkSummary) -> Value {
    json!({
        "link": row.link,
        "scheme": plan.labels()[row.scheme],
        "point": point(plan, row.point),
        "metrics": entries(LINK_METRICS.iter(), &row.values),
    })
}

/// The differences from the baseline.
fn differences(plan: &Plan, comparison: &Comparison) -> Value {
    let labels = plan.labels();
    let row = |row: &DifferenceRow| {
        let numbers = comparison.numbers.iter().zip(&row.values);
        let measured = numbers.filter_map(|(number, difference)| {
            let difference = (*difference)?;
            let value = json!({
                "difference": difference.mean.mean,
                "half_width_95": difference.mean.half,
                "share": difference.share,
                "p_value": difference.p_value,
                "significant": difference.significant,
            });
            Some((number.name(), value))
        });
        json!({
            "scheme": labels[row.scheme],
            "point": point(plan, row.point),
            "metrics": measured.collect::<Map<String, Value>>(),
        })
    };
    json!({
        "scheme": labels[comparison.baseline],
        "significant": SIGNIFICANT,
        "rows": comparison.rows.iter().map(row).collect::<Vec<Value>>(),
    })
}

/// Buffers, thresholds and targets at each point and link.
fn derived(plan: &Plan) -> Value {
    let labels = plan.labels();
    let length = |length: &QueueLength| json!({ "packets": length.packets, "seconds": length.seconds, "bdp": length.bdp });
    let beside_preset = |beside: &BesidePreset| {
        json!({
            "parameter": beside.name,
            "value": beside.value,
            "by": beside.by,
            "preset": beside.preset,
            "is_taken": beside.is_taken,
        })
    };
    let scheme = |sizes: &SchemeSizes| {
        let thresholds = sizes.thresholds.as_ref();
        json!({
            "scheme": labels[sizes.scheme],
            "buffer": length(&sizes.buffer),
            "min": thresholds.map(|(min, _)| length(min)),
            "max": thresholds.map(|(_, max)| length(max)),
            "target": sizes.target.map(Nanos::as_secs_f64),
            "beside_preset": sizes.beside_preset.iter().map(beside_preset).collect::<Vec<Value>>(),
        })
    };
    let points = plan.points.iter().enumerate().map(|(index, at)| {
        let scenario = &at.scenario;
        let links = scenario.sizes();
        let links = links.iter().map(|sizes| {
            json!({
                "link": sizes.name,
                "rate": sizes.link.rate.0,
                "mean_packet": sizes.link.mean_packet.0,
                "bdp_packets": sizes.bdp,
                "schemes": sizes.schemes.iter().map(scheme).collect::<Vec<Value>>(),
            })
        });
        json!({
            "point": point(plan, index),
            "rtt": scenario.path.rtt.as_secs_f64(),
            "duration": scenario.duration.as_secs_f64(),
            "warm_up": scenario.warm_up.as_secs_f64(),
            "links": links.collect::<Vec<Value>>(),
        })
    });
    points.collect()
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
        .map(|(axis, index)| (axis.field.clone(), axis.text(*index).into()))
        .collect()
}

/// The means of the metrics that were measured, by name.
fn entries<'a>(
    metrics: impl Iterator<Item = &'a Metric>,
    values: &[Option<RankedMean>],
) -> Map<String, Value> {
    let measured = metrics.zip(values).filter_map(|(metric, entry)| {
        let entry = (*entry)?;
        let value = json!({
            "mean": entry.mean.mean,
            "half_width_95": entry.mean.half,
            "at_least": entry.mean.is_lower_bound,
            "drift": entry.drift,
            "best": entry.is_best(),
            "similar": entry.is_similar(),
        });
        Some((metric.name.to_string(), value))
    });
    measured.collect()
}
