//! The picture of time series: panels of one scheme's run, or of two laid over each other.

use super::time_panels::{TimeLine, TimePanel, levels, panel_axis, time_panels, weight};
use super::{PictureError, View};
use crate::figure::{Key, Mark, Plot, PlotAxis, PlotPanel, SECOND};
use crate::run_report::data::Series;
use crate::run_report::panels::{Panel, panels};
use crate::words::listed;

/// Panels that a picture has only where its series are named.
const DETAILS: [&str; 3] = ["State", "Count", "kB"];

/// The panels of the page, as many as the run has, with axes that fit the measured part.
pub(super) fn time(view: &View<'_>) -> Result<Plot, PictureError> {
    let schemes = schemes(view)?;
    check_names(view)?;
    let (kinds, _) = panels(view.data);
    let drawn = drawn(view, &schemes);
    let all = || drawn.iter().map(|(_, line)| &view.data.series[line.series]);
    if drawn.is_empty() {
        return Err(PictureError::Missing(format!(
            "no time series of {}{}; `measure.sample` in the scenario sets samples",
            view.label(schemes[0]),
            view.at()
        )));
    }
    let span = |series: &Series| series.interval * series.values.len().saturating_sub(1) as f64;
    let mut plot = Plot {
        x: PlotAxis {
            label: "Time (s)".to_string(),
            range: (0.0, all().map(span).fold(0.0, f64::max)),
            is_exact: true,
            ..PlotAxis::default()
        },
        ..Plot::default()
    };
    let mut titles = Vec::new();
    for (index, panel) in kinds.iter().enumerate() {
        // A line of zeros, such as marks without ECN, says nothing.
        let happened = |line: &TimeLine| {
            view.data.series[line.series]
                .values
                .iter()
                .any(|v| *v != 0.0)
        };
        let own = drawn
            .iter()
            .filter(|(place, line)| *place == index && happened(line));
        let own: Vec<&TimeLine> = own.map(|(_, line)| line).collect();
        let is_wanted =
            !view.choices.metrics.is_empty() || !DETAILS.contains(&panel.title.as_str());
        if is_wanted && !own.is_empty() {
            titles.push(panel.title.clone());
            let lines = lines(view, &own, &schemes);
            for (name, key) in &lines {
                if !plot.legend.iter().any(|(other, _)| other == name) {
                    plot.legend.push((name.clone(), *key));
                }
            }
            plot.panels.push(draw(view, panel, &own, lines, &schemes));
        }
    }
    let how = match schemes.as_slice() {
        [one, other] => format!(
            "{} (solid) and {} (dashed)",
            view.label(*one),
            view.label(*other)
        ),
        one => view.label(one[0]).to_string(),
    };
    let (at, titles) = (view.at(), listed(&titles, "and"));
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

/// The lines of these schemes that are drawn, each with the index of its panel, in the order of the
/// data: of the measured link, where it has any.
fn drawn(view: &View<'_>, schemes: &[usize]) -> Vec<(usize, TimeLine)> {
    let data = view.data;
    let is_of_run =
        |series: &Series| series.point == view.point && schemes.contains(&series.scheme);
    let is_sampled =
        (data.series.iter()).any(|series| series.source == data.link && !series.values.is_empty());
    let is_here =
        |panel: &TimePanel<'_>| panel.link.is_none_or(|link| link == data.link) || !is_sampled;
    let names = &view.choices.metrics;
    let is_named =
        |line: &TimeLine| names.is_empty() || names.contains(&data.series[line.series].name);
    let panels = time_panels(data, is_of_run);
    let own = panels.into_iter().filter(is_here).flat_map(|one| {
        let lines = one.lines.into_iter().filter(is_named);
        lines.map(move |line| (one.panel, line))
    });
    let mut own: Vec<_> = own.collect();
    own.sort_by_key(|(_, line)| line.series);
    own
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

/// The name and the mark of each line. With two schemes, names say whose a line is.
fn lines(view: &View<'_>, own: &[&TimeLine], schemes: &[usize]) -> Vec<(String, Key)> {
    let mut windows = 0;
    let line = |one: &&TimeLine| {
        let series = &view.data.series[one.series];
        let is_window = series.name == "window";
        let is_second = schemes.get(1) == Some(&series.scheme);
        let dashes = match (is_second, is_window) {
            (true, _) => Some(SECOND),
            (false, true) => {
                windows += 1;
                Some(WINDOWS[(windows - 1) % WINDOWS.len()])
            }
            (false, false) => None,
        };
        // The legend has one entry for all windows: their flows are many, and alike.
        let name = if is_window { "cwnd" } else { &series.name }.to_string();
        let name = match schemes.len() > 1 {
            true => format!("{name}, {}", view.label(series.scheme)),
            false => name,
        };
        let key = Key {
            dashes,
            ..Key::line(one.look)
        };
        (name, key)
    };
    own.iter().map(line).collect()
}

/// A panel with its lines and thresholds.
fn draw(
    view: &View<'_>,
    panel: &Panel,
    own: &[&TimeLine],
    lines: Vec<(String, Key)>,
    schemes: &[usize],
) -> PlotPanel {
    let line = |(one, (name, key)): (&&TimeLine, (String, Key))| Mark::Line {
        name,
        points: steps(&view.data.series[one.series], panel),
        key,
        weight: weight(&view.data.series[one.series], own.len()),
        tip: String::new(),
    };
    let levels = levels(view.data, panel, schemes).into_iter();
    let mut marks: Vec<Mark> = own.iter().zip(lines).map(line).collect();
    marks.extend(levels.map(|(name, at)| Mark::Level { at, name }));
    let begin = view.data.measured[0];
    if begin > 0.0 {
        let name = String::new();
        marks.push(Mark::Vertical { at: begin, name });
    }
    let ranges = own.iter().map(|one| one.axes.clip.range);
    let range = ranges.fold((0.0, 0.0), |all: (f64, f64), one| {
        (all.0.min(one.0), all.1.max(one.1))
    });
    PlotPanel {
        y: panel_axis(panel, range, false),
        marks,
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
