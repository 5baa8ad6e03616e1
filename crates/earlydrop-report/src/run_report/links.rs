//! The queues of every link, for networks with several bottlenecks.

use std::collections::{BTreeMap, BTreeSet};

use earlydrop_lab::outcome::QueueOutcome;
use earlydrop_lab::plan::Plan;
use earlydrop_lab::statistics::Mean;
use earlydrop_lab::store::QueueRow;
use earlydrop_lab::summary::Summary;

use super::data::{Estimate, LinkSummary, Metric};
use super::gather::scheme_and_point;

/// A metric of a queue: its description, and its value.
type LinkMetric = (Metric, fn(&QueueRow) -> Option<f64>);

const SHARE: (&str, f64) = ("%", 100.0);
const PACKETS: (&str, f64) = ("packets", 1.0);

#[rustfmt::skip]
fn link_metrics() -> Vec<LinkMetric> {
    vec![
        (metric("utilisation", "utilisation", SHARE, "more", "the share of the time that the link was sending"),
            |queue| Some(queue.utilisation)),
        (metric("delay_mean", "queueing delay", ("ms", 1e3), "less", "the mean time of a packet in the link's queue"),
            |queue| queue.mean_sojourn),
        (metric("queue_mean", "queue", PACKETS, "less", "the mean length of the link's queue over time"),
            |queue| Some(queue.mean_packets)),
        (metric("queue_longest", "longest queue", PACKETS, "less", "the maximum length of the link's queue"),
            |queue| Some(queue.longest)),
        (metric("queue_loss", "dropped", SHARE, "less", "packets dropped by the link's queue over packets that arrived at it"),
            |queue| queue.share_of_arrived(queue.dropped)),
        (metric("queue_marked", "marked", SHARE, "", "packets marked by the link's queue over packets that arrived at it"),
            |queue| queue.share_of_arrived(queue.marked)),
    ]
}

fn metric(
    name: &'static str,
    title: &'static str,
    (unit, scale): (&'static str, f64),
    better: &'static str,
    meaning: &'static str,
) -> Metric {
    Metric {
        name,
        title,
        unit,
        scale,
        better,
        meaning,
        headline: true,
    }
}

/// The metrics of links.
pub(super) fn metrics() -> Vec<Metric> {
    link_metrics()
        .into_iter()
        .map(|(metric, _)| metric)
        .collect()
}

/// The share of the time for which a congested link is at least busy.
const BUSY: f64 = 0.5;

/// The links where packets wait: those that were busy, dropped or marked in any run, and the
/// measured one. The way back of acknowledgments is none.
pub(super) fn congested(rows: &[QueueRow]) -> BTreeSet<&str> {
    let is_congested = |row: &&QueueRow| {
        row.watched || row.utilisation >= BUSY || row.dropped > 0.0 || row.marked > 0.0
    };
    let links = rows.iter().filter(is_congested);
    links.map(|row| row.link.as_str()).collect()
}

/// Whether packets wait at the link of a run's queue.
pub(super) fn is_congested(queue: &QueueOutcome) -> bool {
    let dropped: u64 = queue.dropped.iter().sum();
    queue.watched || queue.utilisation >= BUSY || dropped + queue.marked > 0
}

/// The means of each congested link's queue, in the order of points, links and schemes; empty where
/// there is only one.
pub(super) fn summaries(plan: &Plan, rows: &[QueueRow], summary: &Summary) -> Vec<LinkSummary> {
    let names = congested(rows);
    if names.len() < 2 {
        return Vec::new();
    }
    // By point, link and scheme; in the order of cells, and so of seeds.
    let mut groups: BTreeMap<(usize, &str, usize), Vec<&QueueRow>> = BTreeMap::new();
    for row in rows.iter().filter(|row| names.contains(row.link.as_str())) {
        if let Some((scheme, point)) = scheme_and_point(plan, summary, row.cell) {
            let key = (point, row.link.as_str(), scheme);
            groups.entry(key).or_default().push(row);
        }
    }
    let metrics = link_metrics();
    let summaries = groups.into_iter().map(|((point, link, scheme), rows)| {
        let estimate = |(_, of): &LinkMetric| {
            let values: Option<Vec<f64>> = rows.iter().map(|row| of(row)).collect();
            let Mean { mean, half, .. } = Mean::of(&values?)?;
            let best = false;
            Some(Estimate { mean, half, best })
        };
        LinkSummary {
            scheme,
            point,
            link: link.to_string(),
            watched: rows.iter().any(|row| row.watched),
            values: metrics.iter().map(estimate).collect(),
        }
    });
    summaries.collect()
}
