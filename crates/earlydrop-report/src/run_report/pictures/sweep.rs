//! The picture of a metric along a swept field.

use super::{PictureError, View, axis, extent, heading, spans_decades};
use crate::figure::{Key, Mark, Plot, PlotPanel};
use crate::run_report::data::Metric;
use crate::words::capital;

/// A scheme's means along an axis: x, the mean, and half its interval.
pub(super) struct Curve {
    pub(super) scheme: usize,
    pub(super) points: Vec<(f64, f64, Option<f64>)>,
}

/// A metric along the first swept field, with bands of 95% intervals.
pub(super) fn sweep(view: &View<'_>) -> Result<Plot, PictureError> {
    let data = view.data;
    let along = data.axes.iter().position(|axis| axis.values.len() > 1);
    let along = along.ok_or_else(|| {
        PictureError::Unfit("sweep: the run sweeps no field; choose another picture".into())
    })?;
    let metric = metric(view)?;
    laid_out(view, along, metric).ok_or_else(|| {
        let text = format!("no {} along {}", metric.1.title, data.axes[along].title);
        PictureError::Missing(text)
    })
}

/// The picture of a metric along this axis; `None` where it was not measured.
pub(super) fn laid_out(
    view: &View<'_>,
    along: usize,
    (index, metric): (usize, &Metric),
) -> Option<Plot> {
    let data = view.data;
    let swept = &data.axes[along];
    let curves = curves(view, along, (index, metric));
    let all = || curves.iter().flat_map(|curve| &curve.points);
    let means: Vec<f64> = all().map(|(_, mean, _)| *mean).collect();
    if means.is_empty() {
        return None;
    }
    let is_log = spans_decades(&means, 10.0);
    let floor = match is_log {
        true => extent(&means).map_or(0.0, |(low, _)| low / 2.0),
        false => f64::NEG_INFINITY,
    };
    let ends = all().flat_map(|(_, mean, half)| {
        let half = half.unwrap_or(0.0);
        [(mean - half).max(floor), mean + half]
    });
    let mut y = axis(heading(metric), &ends.collect::<Vec<f64>>(), is_log);
    y.start_at_zero();
    let mut ticks: Vec<(f64, String)> = (0..swept.values.len())
        .map(|at| (place(view, along, at), swept.values[at].clone()))
        .filter(|(x, _)| all().any(|(other, ..)| other == x))
        .collect();
    ticks.sort_by(|one, other| one.0.total_cmp(&other.0));
    let xs: Vec<f64> = ticks.iter().map(|(x, _)| *x).collect();
    let mut x = axis(
        swept.title.clone(),
        &xs,
        swept.numbers.is_some() && is_geometric(&xs),
    );
    (x.is_exact, x.ticks) = (true, ticks);
    let others = if data.axes.len() > 1 {
        view.at()
    } else {
        String::new()
    };
    let band = match all().any(|(.., half)| half.is_some()) {
        true => ", its band the 95% interval of the mean over seeds",
        false => "",
    };
    let names = curves.iter().map(|curve| curve.scheme);
    Some(Plot {
        description: format!(
            "{} as {} changes{others}. Each line is a scheme{band}.",
            capital(&metric.title),
            swept.title
        ),
        x,
        legend: names
            .map(|scheme| (view.label(scheme).to_string(), Key::both(view.look(scheme))))
            .collect(),
        panels: vec![PlotPanel {
            y,
            marks: marks(view, &curves, floor),
        }],
        ..Plot::default()
    })
}

/// The metric of the y axis.
fn metric<'a>(view: &View<'a>) -> Result<(usize, &'a Metric), PictureError> {
    match view.choices.metrics.as_slice() {
        [] => match view.data.scatter {
            Some([index, _]) => Ok((index, &view.data.metrics[index])),
            None => view.metric("delay_mean"),
        },
        [one] => view.metric(one),
        given => Err(PictureError::Unfit(format!(
            "metrics {}: a sweep shows one metric",
            given.join(",")
        ))),
    }
}

/// The place of a value of the field on the x axis.
fn place(view: &View<'_>, along: usize, at: usize) -> f64 {
    let numbers = view.data.axes[along].numbers.as_ref();
    numbers.map_or(at as f64, |numbers| numbers[at])
}

/// Whether a point differs from the one shown along this axis only.
fn is_along(view: &View<'_>, along: usize, point: usize) -> bool {
    let (place, here) = (&view.data.points[point], &view.data.points[view.point]);
    (0..place.len()).all(|axis| axis == along || place[axis] == here[axis])
}

/// The points that differ from the one shown along this axis only, each with its place on the x
/// axis.
pub(super) fn points_along(view: &View<'_>, along: usize) -> Vec<(usize, f64)> {
    let points = (0..view.data.points.len()).filter(|point| is_along(view, along, *point));
    points
        .map(|point| (point, place(view, along, view.data.points[point][along])))
        .collect()
}

/// Each scheme's means at the points that differ along one axis only.
fn curves(view: &View<'_>, along: usize, (index, metric): (usize, &Metric)) -> Vec<Curve> {
    let data = view.data;
    let curve = |scheme: &usize| {
        let rows = data
            .summary
            .iter()
            .filter(|row| row.scheme == *scheme && is_along(view, along, row.point));
        let mut points: Vec<(f64, f64, Option<f64>)> = rows
            .filter_map(|row| {
                let value = row.values[index].as_ref()?;
                let x = place(view, along, data.points[row.point][along]);
                let half = value.half.map(|half| half * metric.scale);
                Some((x, value.mean * metric.scale, half))
            })
            .collect();
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        Curve {
            scheme: *scheme,
            points,
        }
    };
    view.schemes.iter().map(curve).collect()
}

/// Bands of intervals, and over them lines and symbols. No band goes below `floor`.
pub(super) fn marks(view: &View<'_>, curves: &[Curve], floor: f64) -> Vec<Mark> {
    let band = |curve: &Curve| {
        let ends: Vec<(f64, f64, f64)> = curve
            .points
            .iter()
            .filter_map(|(x, mean, half)| Some((*x, (mean - (*half)?).max(floor), mean + (*half)?)))
            .collect();
        Mark::band(&ends, view.look(curve.scheme))
    };
    let line = |Curve { scheme, points }: &Curve| {
        let points: Vec<(f64, f64)> = points.iter().map(|(x, mean, _)| (*x, *mean)).collect();
        let name = view.label(*scheme);
        [
            Mark::line(name, points.clone(), Key::both(view.look(*scheme))),
            Mark::Symbols {
                name: format!("{name}, points"),
                points,
                look: view.look(*scheme),
                size: 0.75,
                opacity: 1.0,
                tip: String::new(),
            },
        ]
    };
    curves
        .iter()
        .map(band)
        .chain(curves.iter().flat_map(line))
        .collect()
}

/// Whether numbers form a roughly geometric series over a factor of 8 or more.
fn is_geometric(numbers: &[f64]) -> bool {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    let (Some(first), Some(last)) = (sorted.first(), sorted.last()) else {
        return false;
    };
    if sorted.len() < 3 || *first <= 0.0 || last / first < 8.0 {
        return false;
    }
    let factors: Vec<f64> = sorted.windows(2).map(|pair| pair[1] / pair[0]).collect();
    extent(&factors).is_some_and(|(low, high)| high / low < 2.6)
}
