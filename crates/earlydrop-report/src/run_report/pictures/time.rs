//! The picture of time series: panels of one scheme's run, or of two laid over each other.

use super::{PictureError, View, extent, listed};
use crate::figure::print::{Key, Mark, Plot, PlotAxis, PlotPanel, SECOND};
use crate::run_report::data::Series;
use crate::run_report::panels::{Panel, panels};

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
    let data = view.data;
    let schemes = schemes(view)?;
    let (kinds, places) = panels(data);
    let wanted = |series: &Series| match view.choices.metrics.as_slice() {
        [] => true,
        names => names.contains(&series.name),
    };
    let known = || data.series.iter().map(|series| series.name.as_str());
    for name in &view.choices.metrics {
        if !known().any(|other| other == name) {
            let mut names: Vec<&str> = known().collect();
            names.sort_unstable();
            names.dedup();
            return Err(super::unknown("series", name, names.into_iter()));
        }
    }
    let link_sampled = data.series.iter().any(|series| series.source == data.link);
    let drawn: Vec<Drawn<'_>> = data
        .series
        .iter()
        .zip(&places)
        .filter(|(series, _)| series.point == view.point && wanted(series))
        .filter(|(series, _)| {
            series.name == "window" || series.source == data.link || !link_sampled
        })
        .filter_map(|(series, place)| {
            let nth = schemes.iter().position(|scheme| *scheme == series.scheme)?;
            Some(Drawn {
                series,
                panel: place.panel,
                look: place.look,
                is_second: nth == 1,
            })
        })
        .collect();
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
        let own: Vec<&Drawn<'_>> = drawn.iter().filter(|one| one.panel == index).collect();
        // A panel of zeros, such as marks without ECN, says nothing.
        let happened = |one: &&Drawn<'_>| one.series.values.iter().any(|v| *v != 0.0);
        if own.iter().any(|one| happened(one)) {
            titles.push(panel.title.clone());
            plot.panels
                .push(draw(view, panel, &own, &schemes, &mut plot.legend));
        }
    }
    let span =
        |one: &Drawn<'_>| one.series.interval * one.series.values.len().saturating_sub(1) as f64;
    let end = drawn.iter().map(span).fold(0.0, f64::max);
    plot.x = PlotAxis {
        label: "Time (s)".to_string(),
        range: (0.0, end),
        is_exact: true,
        ..PlotAxis::default()
    };
    let names: Vec<String> = schemes
        .iter()
        .map(|scheme| view.label(*scheme).to_string())
        .collect();
    let how = match names.as_slice() {
        [one] => one.clone(),
        names => format!("{} (solid) and {} (dashed)", names[0], names[1]),
    };
    plot.description = format!(
        "{how} over time{}. From the top: {}.",
        view.at(),
        listed(&titles)
    );
    Ok(plot)
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

/// A panel with its lines and thresholds; adds its lines to the legend.
fn draw(
    view: &View<'_>,
    panel: &Panel,
    own: &[&Drawn<'_>],
    schemes: &[usize],
    legend: &mut Vec<(String, Key)>,
) -> PlotPanel {
    let scale = panel.scale;
    let mut marks = Vec::new();
    let mut windows = 0;
    for one in own {
        let Drawn {
            series,
            look,
            is_second,
            ..
        } = one;
        let dashes = match (is_second, series.name.as_str()) {
            (true, _) => Some(SECOND),
            (false, "window") => {
                windows += 1;
                [
                    None,
                    Some(&[4.0, 2.0][..]),
                    Some(&[1.0, 2.0]),
                    Some(&[6.0, 2.0, 1.0, 2.0]),
                ][(windows - 1) % 4]
            }
            _ => None,
        };
        let key = Key {
            look: *look,
            has_line: true,
            has_symbol: false,
            dashes,
        };
        let mut name = match series.name.as_str() {
            "window" => format!("cwnd, {}", series.source),
            name => name.to_string(),
        };
        if schemes.len() > 1 {
            name = format!("{name}, {}", view.label(series.scheme));
        }
        if !legend.iter().any(|(other, _)| *other == name) {
            legend.push((name.clone(), key));
        }
        let weight = if series.name == "queue" && own.len() > 1 {
            0.55
        } else {
            0.9
        };
        marks.push(Mark::Line {
            name,
            points: steps(series, panel),
            key,
            weight,
        });
    }
    let begin = view.data.measured[0];
    let after = |from: f64| -> Vec<f64> {
        let values = own.iter().flat_map(|one| {
            let samples = one.series.values.iter().enumerate();
            let late = samples.filter(move |(at, _)| *at as f64 * one.series.interval >= from);
            late.map(move |(_, value)| value * scale)
        });
        values.collect()
    };
    let from = if begin > 0.0 {
        begin
    } else {
        view.data.measured[1] / 10.0
    };
    let whole = extent(&after(0.0)).map_or(1.0, |(_, high)| high);
    let measured = extent(&after(from)).map_or(whole, |(_, high)| high);
    let levels = levels(view, panel, schemes);
    let near = levels
        .iter()
        .map(|(_, value)| *value)
        .filter(|value| *value <= 1.6 * measured);
    let high = near.fold(measured, f64::max);
    let top = if high > 0.0 && whole > 1.25 * high {
        1.08 * high
    } else {
        whole.max(high)
    };
    marks.extend(
        levels
            .into_iter()
            .map(|(name, at)| Mark::Level { at, name }),
    );
    if begin > 0.0 {
        marks.push(Mark::Vertical { at: begin });
    }
    PlotPanel {
        y: PlotAxis {
            label: panel.title.clone(),
            range: (0.0, if top > 0.0 { top } else { 1.0 }),
            ..PlotAxis::default()
        },
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

/// The thresholds that belong to a panel, with their values in its unit.
fn levels(view: &View<'_>, panel: &Panel, schemes: &[usize]) -> Vec<(String, f64)> {
    let unit = match panel.title.as_str() {
        "Packets" => "packets",
        "Time (ms)" => "s",
        _ => return Vec::new(),
    };
    let mut found: Vec<(String, f64)> = Vec::new();
    for scheme in schemes {
        let own = view.data.schemes[*scheme].thresholds.iter();
        for threshold in own.filter(|threshold| threshold.unit == unit) {
            let name = match schemes.len() {
                1 => threshold.name.to_string(),
                _ => format!("{} of {}", threshold.name, view.label(*scheme)),
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
