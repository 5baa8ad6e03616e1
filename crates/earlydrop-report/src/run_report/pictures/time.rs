//! The picture of time series: panels of one scheme's run, or of two laid over each other.

use super::{PictureError, View, extent, listed};
use crate::figure::print::{Key, Mark, Plot, PlotAxis, PlotPanel, SECOND};
use crate::figure::ticks;
use crate::run_report::data::{Data, Series};
use crate::run_report::panels::{Panel, panels};

/// Panels that a picture has only where its series are named.
const DETAILS: [&str; 3] = ["State", "Count", "kB"];

/// A series that is drawn.
struct Drawn<'a> {
    series: &'a Series,
    panel: usize,
    look: usize,
    /// Whether it is of the second scheme.
    is_second: bool,
}

/// The panels of the page, as many as the run has, with axes that fit the measured part.
pub(super) fn time(view: &View<'_>) -> Result<Plot, PictureError> {
    let schemes = schemes(view)?;
    check_names(view)?;
    let (kinds, drawn) = drawn(view, &schemes);
    if drawn.is_empty() {
        return Err(PictureError::Missing(format!(
            "no time series of {}{}; `measure.sample` in the scenario sets samples",
            view.label(schemes[0]),
            view.at()
        )));
    }
    let mut plot = Plot::default();
    let mut titles = Vec::new();
    for (index, panel) in kinds.iter().enumerate() {
        // A line of zeros, such as marks without ECN, says nothing.
        let happened = |one: &Drawn<'_>| one.series.values.iter().any(|v| *v != 0.0);
        let own = drawn
            .iter()
            .filter(|one| one.panel == index && happened(one));
        let own: Vec<&Drawn<'_>> = own.collect();
        let is_wanted =
            !view.choices.metrics.is_empty() || !DETAILS.contains(&panel.title.as_str());
        if is_wanted && !own.is_empty() {
            titles.push(panel.title.clone());
            plot.panels.push(draw(view, panel, &own, &schemes));
            for (name, key, _) in lines(view, &own, schemes.len() > 1) {
                if !plot.legend.iter().any(|(other, _)| *other == name) {
                    plot.legend.push((name, key));
                }
            }
        }
    }
    let span =
        |one: &Drawn<'_>| one.series.interval * one.series.values.len().saturating_sub(1) as f64;
    plot.x = PlotAxis {
        label: "Time (s)".to_string(),
        range: (0.0, drawn.iter().map(span).fold(0.0, f64::max)),
        is_exact: true,
        ..PlotAxis::default()
    };
    let how = match schemes.as_slice() {
        [one, other] => format!(
            "{} (solid) and {} (dashed)",
            view.label(*one),
            view.label(*other)
        ),
        one => view.label(one[0]).to_string(),
    };
    let (at, titles) = (view.at(), listed(&titles));
    plot.description = format!("{how} over time{at}. From the top: {titles}.");
    Ok(plot)
}

/// Checks that the series that are named exist.
fn check_names(view: &View<'_>) -> Result<(), PictureError> {
    let mut known: Vec<&str> = view
        .data
        .series
        .iter()
        .map(|series| series.name.as_str())
        .collect();
    known.sort_unstable();
    known.dedup();
    let mut names = view.choices.metrics.iter();
    match names.find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err(super::unknown("series", name, known)),
        None => Ok(()),
    }
}

/// The panels of the data, and the series of these schemes that are drawn: of the measured link,
/// where it has any.
fn drawn<'a>(view: &View<'a>, schemes: &[usize]) -> (Vec<Panel>, Vec<Drawn<'a>>) {
    let data = view.data;
    let (kinds, places) = panels(data);
    let names = &view.choices.metrics;
    let is_sampled = data.series.iter().any(|series| series.source == data.link);
    let is_shown = |series: &Series| {
        let is_here = series.name == "window" || series.source == data.link || !is_sampled;
        let is_named = names.is_empty() || names.contains(&series.name);
        is_here && is_named && series.point == view.point
    };
    let all = data.series.iter().zip(&places);
    let drawn = all
        .filter(|(series, _)| is_shown(series))
        .filter_map(|(series, place)| {
            let nth = schemes.iter().position(|scheme| *scheme == series.scheme)?;
            Some(Drawn {
                series,
                panel: place.panel,
                look: place.look,
                is_second: nth == 1,
            })
        });
    (kinds, drawn.collect())
}

/// The one or two schemes: those chosen, or the first with an average.
fn schemes(view: &View<'_>) -> Result<Vec<usize>, PictureError> {
    match (view.choices.schemes.is_empty(), view.schemes.as_slice()) {
        (false, [_] | [_, _]) => Ok(view.schemes.clone()),
        (false, _) => Err(PictureError::Unfit(format!(
            "--schemes {}: a picture over time shows one scheme or two",
            view.choices.schemes.join(",")
        ))),
        (true, all) => {
            let series = || {
                view.data
                    .series
                    .iter()
                    .filter(|series| !series.values.is_empty())
            };
            let has_average = |scheme: &&usize| {
                series().any(|series| series.scheme == **scheme && series.name == "average")
            };
            let has_any = |scheme: &&usize| series().any(|series| series.scheme == **scheme);
            let first = all
                .iter()
                .find(has_average)
                .or_else(|| all.iter().find(has_any));
            let none = || {
                PictureError::Missing(
                    "no time series; `measure.sample` in the scenario sets samples".into(),
                )
            };
            first.map(|scheme| vec![*scheme]).ok_or_else(none)
        }
    }
}

/// Dashes of the congestion windows of several flows.
const WINDOWS: [&[f64]; 4] = [&[], &[4.0, 2.0], &[1.0, 2.0], &[6.0, 2.0, 1.0, 2.0]];

/// The name, the mark and the series of each line. With two schemes, names say whose a line is.
fn lines<'a>(view: &View<'_>, own: &[&Drawn<'a>], are_two: bool) -> Vec<(String, Key, &'a Series)> {
    let mut windows = 0;
    let line = |one: &&Drawn<'a>| {
        let series = one.series;
        let is_window = series.name == "window";
        let dashes = match (one.is_second, is_window) {
            (true, _) => Some(SECOND),
            (false, true) => {
                windows += 1;
                Some(WINDOWS[(windows - 1) % WINDOWS.len()])
            }
            (false, false) => None,
        };
        // The legend has one entry for all windows: their flows are many, and alike.
        let name = if is_window { "cwnd" } else { &series.name }.to_string();
        let name = match are_two {
            true => format!("{name}, {}", view.label(series.scheme)),
            false => name,
        };
        let key = Key {
            look: one.look,
            has_line: true,
            has_symbol: false,
            dashes,
        };
        (name, key, series)
    };
    own.iter().map(line).collect()
}

/// The width of a line: the queue, which changes fast, does not hide its average.
pub(super) fn weight(series: &Series, lines: usize) -> f64 {
    match series.name == "queue" && lines > 1 {
        true => 0.55,
        false => 0.9,
    }
}

/// A panel with its lines and thresholds.
fn draw(view: &View<'_>, panel: &Panel, own: &[&Drawn<'_>], schemes: &[usize]) -> PlotPanel {
    let levels = levels(view.data, panel, schemes);
    let rooms = own
        .iter()
        .map(|one| room(view.data, panel, one.series, &levels).measured);
    let (low, high) = rooms.fold((0.0, 0.0), |(low, high): (f64, f64), room| {
        (low.min(room.0), high.max(room.1))
    });
    let lines = lines(view, own, schemes.len() > 1).into_iter();
    let mut marks: Vec<Mark> = lines
        .map(|(name, key, series)| Mark::Line {
            name,
            points: steps(series, panel),
            key,
            weight: weight(series, own.len()),
        })
        .collect();
    marks.extend(
        levels
            .into_iter()
            .map(|(name, at)| Mark::Level { at, name }),
    );
    let begin = view.data.measured[0];
    if begin > 0.0 {
        marks.push(Mark::Vertical { at: begin });
    }
    PlotPanel {
        y: panel_axis(panel, (low, high), false),
        marks,
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

/// What y axes need for a line, in its panel's unit. An axis of several lines has room for each.
pub(super) struct Room {
    /// All values; from zero where none is below.
    pub(super) whole: (f64, f64),
    /// The measured part: slow start before it would flatten the rest.
    pub(super) measured: (f64, f64),
    /// The values above zero, at most five powers of ten below the largest; `None` without any.
    pub(super) positive: Option<(f64, f64)>,
}

/// The room of a line with the thresholds of its panel. Those near the line have theirs.
pub(super) fn room(data: &Data, panel: &Panel, series: &Series, levels: &[(String, f64)]) -> Room {
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
    let near = levels
        .iter()
        .map(|(_, value)| *value)
        .filter(|value| *value <= 1.6 * measured);
    let high = near.fold(measured, f64::max);
    let top = match high > 0.0 && highest > 1.25 * high {
        true => 1.08 * high,
        false => highest.max(high),
    };
    let positive: Vec<f64> = all.into_iter().filter(|value| *value > 0.0).collect();
    Room {
        whole: (low.min(0.0), highest.max(high)),
        measured: (low.min(0.0), top),
        positive: extent(&positive).map(|(low, high)| (low.max(high / 1e5), high)),
    }
}

/// The samples of a series in its panel's unit, as steps where the panel wants them.
fn steps(series: &Series, panel: &Panel) -> Vec<(f64, f64)> {
    let sample = |at: usize| (at as f64 * series.interval, series.values[at] * panel.scale);
    let mut points = Vec::new();
    for at in 0..series.values.len() {
        let (time, value) = sample(at);
        match panel.steps {
            // A count covers the time before its sample.
            Some("start") if at > 0 => points.push((sample(at - 1).0, value)),
            Some("end") if at > 0 => points.push((time, sample(at - 1).1)),
            _ => {}
        }
        points.push((time, value));
    }
    points
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
