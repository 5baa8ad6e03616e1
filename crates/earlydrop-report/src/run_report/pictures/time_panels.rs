//! The panels of time series, which a reader of a page puts together: one scheme or two, a link or
//! all, and the lines of each. So each line has the axes that fit it, and a panel those of its widest
//! line. A picture on paper has the same.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::extent;
use super::page::short_axis;
use crate::figure::{PlotAxis, ticks};
use crate::run_report::data::{Data, Series};
use crate::run_report::panels::{Panel, panels};

/// A panel of one scheme's run.
#[derive(Serialize)]
pub(super) struct TimePanel<'a> {
    pub(super) scheme: usize,
    pub(super) point: usize,
    /// The index of the panel's kind.
    pub(super) panel: usize,
    /// The link; `None` for the hosts' cwnd, and where one link only was sampled.
    pub(super) link: Option<&'a str>,
    pub(super) lines: Vec<TimeLine>,
    /// Thresholds with their names.
    levels: Vec<(String, f64)>,
}

/// A line of a panel.
#[derive(Serialize)]
pub(super) struct TimeLine {
    /// The index of the series.
    pub(super) series: usize,
    name: String,
    pub(super) look: usize,
    weight: f64,
    /// The largest value, where the axis of the measured part cuts it off.
    #[serde(skip_serializing_if = "Option::is_none")]
    most: Option<f64>,
    pub(super) axes: LineAxes,
}

/// The y axes that fit a line, by the names of a reader's choice.
#[derive(Serialize)]
pub(super) struct LineAxes {
    /// Fits the measured part: slow start before it would flatten the rest.
    #[serde(serialize_with = "short")]
    pub(super) clip: PlotAxis,
    #[serde(serialize_with = "short")]
    whole: PlotAxis,
    /// Logarithmic where the line is a curve with values above zero.
    #[serde(serialize_with = "short")]
    log: PlotAxis,
}

fn short<S: Serializer>(axis: &PlotAxis, serializer: S) -> Result<S::Ok, S::Error> {
    short_axis(axis, 4).serialize(serializer)
}

/// The panels of the runs whose series are wanted, from top to bottom.
pub(super) fn time_panels(data: &Data, is_wanted: impl Fn(&Series) -> bool) -> Vec<TimePanel<'_>> {
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
    let is_drawn = |series: &Series| !series.values.is_empty() && is_wanted(series);
    for (index, (series, place)) in all.filter(|(_, (series, _))| is_drawn(series)) {
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
            let (most, axes) = axes(data, kind, series, &levels);
            TimeLine {
                series: *index,
                name,
                look: places[*index].look,
                weight: weight(series, own.len()),
                most,
                axes,
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

/// The width of a line: a queue, which changes fast, does not hide its average.
pub(super) fn weight(series: &Series, lines: usize) -> f64 {
    match series.name == "queue" && lines > 1 {
        true => 0.55,
        false => 0.9,
    }
}

/// The y axis of a panel. Ticks of counts and states are whole numbers.
pub(super) fn panel_axis(panel: &Panel, (low, high): (f64, f64), is_log: bool) -> PlotAxis {
    let high = if high > low { high } else { 1.0 };
    PlotAxis {
        label: panel.title.clone(),
        range: (low, high),
        is_log,
        ticks: match panel.steps {
            Some(_) => ticks(low, high, (high - low).ceil().clamp(1.0, 4.0) as usize),
            None => Vec::new(),
        },
        ..PlotAxis::default()
    }
}

/// The largest value of a line where an axis cuts it off, and its axes. Thresholds near the line have
/// their room.
fn axes(
    data: &Data,
    panel: &Panel,
    series: &Series,
    levels: &[(String, f64)],
) -> (Option<f64>, LineAxes) {
    let values = |from: f64| {
        let samples = series.values.iter().enumerate();
        let late = samples.filter(move |(at, _)| *at as f64 * series.interval >= from);
        late.map(|(_, value)| value * panel.scale)
            .collect::<Vec<f64>>()
    };
    let [begin, end] = data.measured;
    let all = values(0.0);
    let (low, highest) = extent(&all).unwrap_or((0.0, 1.0));
    let measured = extent(&values(if begin > 0.0 { begin } else { end / 10.0 }));
    let measured = measured.map_or(highest, |(_, high)| high);
    let near = levels.iter().map(|(_, value)| *value);
    let high = near
        .filter(|value| *value <= 1.6 * measured)
        .fold(measured, f64::max);
    let is_cut = high > 0.0 && highest > 1.25 * high;
    let axis = |high: f64| panel_axis(panel, (low.min(0.0), high), false);
    let whole = axis(highest.max(high));
    let positive: Vec<f64> = all.into_iter().filter(|value| *value > 0.0).collect();
    let axes = LineAxes {
        clip: if is_cut {
            axis(1.08 * high)
        } else {
            whole.clone()
        },
        log: match (panel.steps, extent(&positive)) {
            (None, Some((low, high))) => panel_axis(panel, (low.max(high / 1e5), high), true),
            _ => whole.clone(),
        },
        whole,
    };
    (is_cut.then_some(highest), axes)
}

/// The thresholds that belong to a panel, with their values in its unit.
pub(super) fn levels(data: &Data, panel: &Panel, schemes: &[usize]) -> Vec<(String, f64)> {
    let unit = match panel.title.as_str() {
        "Packets" => "packets",
        "Time (ms)" => "s",
        _ => return Vec::new(),
    };
    let mut found: Vec<(String, f64)> = Vec::new();
    for scheme in schemes.iter().filter_map(|index| data.schemes.get(*index)) {
        let own = scheme.thresholds.iter();
        for threshold in own.filter(|threshold| threshold.unit == unit) {
            let name = match schemes.len() {
                1 => threshold.name.to_string(),
                _ => format!("{} of {}", threshold.name, scheme.label),
            };
            let value = threshold.value * panel.scale;
            match found.iter_mut().find(|(_, other)| *other == value) {
                Some((names, _)) => *names = format!("{names}, {name}"),
                None => found.push((name, value)),
            }
        }
    }
    found
}
