//! The panels of time series on a report page. A reader puts them together: one scheme or two, a
//! link or all, and the lines of each. So each line has the axes that fit it, and a panel those of
//! its widest line.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

use super::page::short_axis;
use super::time::{Room, levels, panel_axis, room, weight};
use crate::run_report::data::{Data, Series};
use crate::run_report::panels::{Panel, panels};

/// A panel of one scheme's run.
#[derive(Serialize)]
pub(super) struct TimePanel<'a> {
    scheme: usize,
    point: usize,
    /// The index of the panel's kind.
    panel: usize,
    /// The link; `None` for the hosts' cwnd, and where one link only was sampled.
    link: Option<&'a str>,
    lines: Vec<TimeLine>,
    /// Thresholds with their names.
    levels: Vec<(String, f64)>,
}

/// A line of a panel.
#[derive(Serialize)]
struct TimeLine {
    /// The index of the series.
    series: usize,
    name: String,
    look: usize,
    weight: f64,
    /// The largest value, where the axis of the measured part cuts it off.
    #[serde(skip_serializing_if = "Option::is_none")]
    most: Option<f64>,
    /// The y axes by what they fit.
    axes: Value,
}

/// The panels of all runs, from top to bottom.
pub(super) fn time_panels(data: &Data) -> Vec<TimePanel<'_>> {
    let (kinds, places) = panels(data);
    let is_window = |series: &Series| series.name == "window";
    let mut links: Vec<&str> = Vec::new();
    for series in data.series.iter().filter(|series| !is_window(series)) {
        if !links.contains(&series.source.as_str()) {
            links.push(&series.source);
        }
    }
    let mut groups: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    let all = data.series.iter().zip(&places).enumerate();
    for (index, (series, place)) in all.filter(|(_, (series, _))| !series.values.is_empty()) {
        let link = links.iter().position(|link| *link == series.source);
        let link = link.filter(|_| links.len() > 1 && !is_window(series));
        let key = (series.point, series.scheme, place.panel, link);
        groups.entry(key).or_default().push(index);
    }
    let panel = |((point, scheme, panel, link), own): (
        (usize, usize, usize, Option<usize>),
        Vec<usize>,
    )| {
        let kind = &kinds[panel];
        let levels = levels(data, kind, &[scheme]);
        let names = names(data, &own);
        let lines = own.iter().zip(names).map(|(index, name)| {
            let series = &data.series[*index];
            let room = room(data, kind, series, &levels);
            TimeLine {
                series: *index,
                name,
                look: places[*index].look,
                weight: weight(series, own.len()),
                most: (room.measured.1 < room.whole.1).then_some(room.whole.1),
                axes: axes(kind, &room),
            }
        });
        TimePanel {
            scheme,
            point,
            panel,
            link: link.map(|link| links[link]),
            lines: lines.collect(),
            levels,
        }
    };
    groups.into_iter().map(panel).collect()
}

/// The lines' names: that of the series, its source, or both, whichever distinguishes them.
fn names(data: &Data, own: &[usize]) -> Vec<String> {
    let all = || own.iter().map(|index| &data.series[*index]);
    let differ = |of: fn(&Series) -> &str| {
        let mut texts = all().map(of);
        let first = texts.next();
        texts.any(|text| Some(text) != first)
    };
    let (names, sources) = (differ(|one| &one.name), differ(|one| &one.source));
    let name = |series: &Series| match (names, sources && !series.source.is_empty()) {
        (true, true) => format!("{}, {}", series.name, series.source),
        (false, true) => series.source.clone(),
        (_, false) => series.name.clone(),
    };
    all().map(name).collect()
}

/// The axes that a reader can choose, by the names of the choice.
fn axes(panel: &Panel, room: &Room) -> Value {
    let axis = |range, is_log| short_axis(&panel_axis(panel, range, is_log), 4);
    let log = room.positive.filter(|_| panel.steps.is_none());
    json!({
        "clip": axis(room.measured, false),
        "whole": axis(room.whole, false),
        "log": axis(log.unwrap_or(room.whole), log.is_some()),
    })
}
