//! The ports of a fabric: which were hot, under which scheme.

use std::collections::{HashMap, HashSet};

use earlydrop_lab::plan::{DETAILED_POINTS, Plan};
use earlydrop_lab::store::{PortRow, Store, StoreError};

use super::data::{Metric, Port};
use super::gather::scheme_index;

/// A page shows so many ports, those with the longest queues: a fat tree has thousands.
const MOST: usize = 400;

/// The quantities of ports, in the order of their values.
pub(super) fn metrics() -> Vec<Metric> {
    let metric = |name: &'static str, title: &'static str, (unit, scale), meaning| Metric {
        name: name.into(),
        title: title.into(),
        group: None,
        unit,
        scale,
        better: "",
        meaning,
        headline: true,
    };
    let share = ("%", 100.0);
    vec![
        metric(
            "utilisation",
            "utilisation",
            share,
            "the share of the time that the link was sending",
        ),
        metric(
            "mean_packets",
            "queue",
            ("packets", 1.0),
            "the mean number of packets that waited",
        ),
        metric("marked", "marked", share, "the share of packets marked"),
        metric("dropped", "dropped", share, "the share of packets dropped"),
        metric(
            "paused",
            "paused",
            share,
            "the share of the time that the switch at the link's end paused it",
        ),
    ]
}

/// The ports of a fabric; none for other networks.
pub(super) fn of_fabric(plan: &Plan, store: &Store) -> Result<Vec<Port>, StoreError> {
    let scenario = plan.scenario();
    if !scenario.network.is_fabric() {
        return Ok(Vec::new());
    }
    let rows = store.ports(DETAILED_POINTS)?;
    let hottest = hottest(&rows);
    let measured = scenario.duration.since(scenario.warm_up).as_secs_f64();
    let shown = rows
        .iter()
        .filter(|row| hottest.contains(row.link.as_str()));
    let ports = shown.filter_map(|row| {
        let (from, to) = row.link.split_once(" to ")?;
        let [utilisation, packets, marked, dropped, paused] = row.values;
        let paused = paused.map(|seconds| seconds / measured);
        Some(Port {
            scheme: scheme_index(plan, &row.scheme),
            point: row.point,
            from: from.to_string(),
            to: to.to_string(),
            values: vec![utilisation, packets, marked, dropped, paused],
        })
    });
    Ok(ports.collect())
}

/// The links with the longest mean queues under any scheme.
fn hottest(rows: &[PortRow]) -> HashSet<&str> {
    let mut longest: HashMap<&str, f64> = HashMap::new();
    for row in rows {
        let [_, packets, ..] = row.values;
        let known = longest.entry(&row.link).or_default();
        *known = known.max(packets.unwrap_or(0.0));
    }
    let mut links: Vec<(&str, f64)> = longest.into_iter().collect();
    links.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(other.0)));
    links.into_iter().take(MOST).map(|(link, _)| link).collect()
}
