//! Pictures that compare schemes: scatter, sweep, and distributions of delays.

use super::{PictureError, View, axis, both, extent, heading, listed, spans_decades};
use crate::figure::print::{Key, Mark, Plot, PlotAxis, PlotPanel};
use crate::run_report::data::LATENESS;

/// Two metrics against each other: means, single runs, and the spread of the runs as ellipses.
pub(super) fn scatter(view: &View<'_>) -> Result<Plot, PictureError> {
    let names: Vec<&str> = match view.choices.metrics.as_slice() {
        [] => vec!["delay_mean", "utilisation"],
        [x, y] => vec![x, y],
        given => {
            return Err(PictureError::Unfit(format!(
                "--metric {}: a scatter has two metrics, as in --metric delay_p99,utilisation",
                given.join(",")
            )));
        }
    };
    let (x, y) = (view.metric(names[0])?, view.metric(names[1])?);
    let mut drawn = Vec::new();
    for row in view
        .data
        .summary
        .iter()
        .filter(|row| row.point == view.point)
    {
        if !view.schemes.contains(&row.scheme) {
            continue;
        }
        let (Some(one), Some(other)) = (row.values[x.0], row.values[y.0]) else {
            continue;
        };
        let cells = view.data.cells.iter();
        let own = cells.filter(|cell| cell.scheme == row.scheme && cell.point == view.point);
        let runs: Vec<(f64, f64)> = own
            .filter_map(|cell| Some((cell.values[x.0]? * x.1.scale, cell.values[y.0]? * y.1.scale)))
            .collect();
        drawn.push((
            row.scheme,
            (one.mean * x.1.scale, other.mean * y.1.scale),
            runs,
        ));
    }
    if drawn.is_empty() {
        let (x, y) = (x.1.title, y.1.title);
        return Err(PictureError::Missing(format!(
            "no {y} and {x}{}",
            view.at()
        )));
    }
    let points = || {
        drawn
            .iter()
            .flat_map(|(_, mean, runs)| [*mean].into_iter().chain(runs.iter().copied()))
    };
    let xs: Vec<f64> = points().map(|(x, _)| x).collect();
    let is_log = spans_decades(&xs, 10.0);
    let mut marks = Vec::new();
    let (mut outlines, mut legend) = (Vec::new(), Vec::new());
    for (scheme, mean, runs) in &drawn {
        let name = view.label(*scheme).to_string();
        if runs.len() > 1 {
            let outline = ellipse(*mean, runs, is_log);
            outlines.extend(outline.iter().copied());
            marks.push(Mark::Area {
                points: outline,
                look: *scheme,
                opacity: 0.16,
            });
            marks.push(Mark::Symbols {
                name: format!("{name}, runs"),
                points: runs.clone(),
                look: *scheme,
                size: 0.45,
                opacity: 0.4,
            });
        }
        legend.push((
            name.clone(),
            Key {
                has_line: false,
                ..both(*scheme)
            },
        ));
    }
    // Means lie over all spreads.
    for (scheme, mean, _) in &drawn {
        let name = view.label(*scheme).to_string();
        marks.push(Mark::Symbols {
            name,
            points: vec![*mean],
            look: *scheme,
            size: 1.0,
            opacity: 1.0,
        });
    }
    let every = |of: fn(&(f64, f64)) -> f64| -> Vec<f64> {
        points()
            .collect::<Vec<_>>()
            .iter()
            .chain(&outlines)
            .map(of)
            .collect()
    };
    let mut x_axis = axis(heading(x.1), &every(|p| p.0), is_log);
    let mut y_axis = axis(heading(y.1), &every(|p| p.1), false);
    for (axis, unit) in [(&mut x_axis, x.1.unit), (&mut y_axis, y.1.unit)] {
        // No share is above 100%, even where an ellipse exceeds it.
        if unit == "%" && axis.range.1 > 100.0 {
            axis.range.1 = 100.0;
        }
    }
    let spread = match drawn.iter().any(|(_, _, runs)| runs.len() > 1) {
        true => {
            "Large symbols are means over seeds, small ones single runs, ellipses one standard deviation of the runs."
        }
        false => "Each symbol is one run.",
    };
    Ok(Plot {
        description: format!("{} against {}{}. {spread}", y.1.title, x.1.title, view.at()),
        x: x_axis,
        panels: vec![PlotPanel { y: y_axis, marks }],
        legend,
        ..Plot::default()
    })
}

/// The corners of the ellipse of one standard deviation of the runs around their mean; on a
/// logarithmic axis a step s becomes a factor e^(s / mean).
fn ellipse(mean: (f64, f64), runs: &[(f64, f64)], is_log: bool) -> Vec<(f64, f64)> {
    let count = runs.len() as f64;
    let sum = runs
        .iter()
        .fold((0.0, 0.0), |sum, run| (sum.0 + run.0, sum.1 + run.1));
    let centre = (sum.0 / count, sum.1 / count);
    let covariance = |of: fn((f64, f64)) -> f64| {
        let parts = runs
            .iter()
            .map(|run| of((run.0 - centre.0, run.1 - centre.1)));
        parts.sum::<f64>() / (count - 1.0)
    };
    let (xx, xy, yy) = (
        covariance(|d| d.0 * d.0),
        covariance(|d| d.0 * d.1),
        covariance(|d| d.1 * d.1),
    );
    if xx + yy <= 0.0 {
        return Vec::new();
    }
    let (middle, part) = ((xx + yy) / 2.0, ((xx - yy) / 2.0).hypot(xy));
    let (long, short) = ((middle + part).sqrt(), (middle - part).max(0.0).sqrt());
    let angle = 0.5 * (2.0 * xy).atan2(xx - yy);
    let corner = |step: u32| {
        let turn = std::f64::consts::TAU * f64::from(step) / 60.0;
        let (a, b) = (long * turn.cos(), short * turn.sin());
        let x = a * angle.cos() - b * angle.sin();
        let y = a * angle.sin() + b * angle.cos();
        let x = match is_log {
            true => mean.0 * (x / mean.0).exp(),
            false => mean.0 + x,
        };
        (x, mean.1 + y)
    };
    (0..60).map(corner).collect()
}

/// A metric along the first swept field, with bands of 95% intervals.
pub(super) fn sweep(view: &View<'_>) -> Result<Plot, PictureError> {
    let data = view.data;
    let along = data.axes.iter().position(|axis| axis.values.len() > 1);
    let along = along.ok_or_else(|| {
        PictureError::Unfit("--what sweep: the run sweeps no field; choose another picture".into())
    })?;
    let name = match view.choices.metrics.as_slice() {
        [] => "delay_mean",
        [one] => one,
        given => {
            return Err(PictureError::Unfit(format!(
                "--metric {}: a sweep shows one metric",
                given.join(",")
            )));
        }
    };
    let (index, metric) = view.metric(name)?;
    let swept = &data.axes[along];
    let here = &data.points[view.point];
    let numbers = swept.numbers.as_ref();
    let x_of = |at: usize| numbers.map_or(at as f64, |numbers| numbers[at]);
    let (mut lines, mut means, mut ends, mut ats) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for scheme in &view.schemes {
        let mut points: Vec<(f64, f64, Option<f64>)> = Vec::new();
        for row in data.summary.iter().filter(|row| row.scheme == *scheme) {
            let place = &data.points[row.point];
            let differs = (0..place.len()).any(|axis| axis != along && place[axis] != here[axis]);
            if let (false, Some(value)) = (differs, row.values[index]) {
                let mean = value.mean * metric.scale;
                points.push((
                    x_of(place[along]),
                    mean,
                    value.half.map(|half| half * metric.scale),
                ));
                ats.push(place[along]);
            }
        }
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        means.extend(points.iter().map(|point| point.1));
        lines.push((*scheme, points));
    }
    if means.is_empty() {
        return Err(PictureError::Missing(format!(
            "no {} along {}",
            metric.title, swept.field
        )));
    }
    let is_log = spans_decades(&means, 10.0);
    let floor = match is_log {
        true => extent(&means).map_or(0.0, |(low, _)| low / 2.0),
        false => f64::NEG_INFINITY,
    };
    let (mut bands, mut curves, mut legend) = (Vec::new(), Vec::new(), Vec::new());
    for (scheme, points) in lines {
        let band: Vec<(f64, f64, f64)> = points
            .iter()
            .filter_map(|(x, mean, half)| Some((*x, (mean - (*half)?).max(floor), mean + (*half)?)))
            .collect();
        ends.extend(band.iter().flat_map(|(_, low, high)| [*low, *high]));
        let low = band.iter().map(|(x, low, _)| (*x, *low));
        let high = band.iter().rev().map(|(x, _, high)| (*x, *high));
        bands.push(Mark::Area {
            points: low.chain(high).collect(),
            look: scheme,
            opacity: 0.13,
        });
        let points: Vec<(f64, f64)> = points.into_iter().map(|(x, mean, _)| (x, mean)).collect();
        let name = view.label(scheme).to_string();
        curves.push(Mark::Line {
            name: name.clone(),
            points: points.clone(),
            key: both(scheme),
            weight: 1.0,
        });
        curves.push(Mark::Symbols {
            name: format!("{name}, points"),
            points,
            look: scheme,
            size: 0.75,
            opacity: 1.0,
        });
        legend.push((name, both(scheme)));
    }
    ats.sort_unstable();
    ats.dedup();
    let xs: Vec<f64> = ats.iter().map(|at| x_of(*at)).collect();
    let ticks = ats.iter().map(|at| (x_of(*at), swept.values[*at].clone()));
    let mut x = axis(
        swept.field.clone(),
        &xs,
        numbers.is_some() && is_geometric(&xs),
    );
    x.is_exact = true;
    x.ticks = ticks.collect();
    let values: Vec<f64> = means.iter().chain(&ends).copied().collect();
    bands.extend(curves);
    let others = match data.axes.len() {
        1 => String::new(),
        _ => view.at(),
    };
    Ok(Plot {
        description: format!(
            "{} as {} changes{others}. Each line is a scheme, its band the 95% interval of the mean over seeds.",
            metric.title, swept.field
        ),
        x,
        panels: vec![PlotPanel {
            y: axis(heading(metric), &values, is_log),
            marks: bands,
        }],
        legend,
        ..Plot::default()
    })
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

/// The distribution of the time in the queue: the share of packets above a time if `is_tail`, at
/// most that time otherwise.
pub(super) fn distribution(view: &View<'_>, is_tail: bool) -> Result<Plot, PictureError> {
    if let [given, ..] = view.choices.metrics.as_slice() {
        return Err(PictureError::Unfit(format!(
            "--metric {given}: this picture shows the time in the queue and no other metric"
        )));
    }
    let entries = view.data.distributions.iter();
    let own: Vec<_> = entries
        .filter(|one| one.point == view.point && one.what != LATENESS)
        .filter(|one| view.schemes.contains(&one.scheme) && !one.quantiles.is_empty())
        .collect();
    let Some(what) = own.first().map(|one| one.what) else {
        return Err(PictureError::Missing(format!(
            "no distribution of delays{}",
            view.at()
        )));
    };
    let times: Vec<f64> = own
        .iter()
        .flat_map(|one| one.quantiles.iter().map(|[_, time]| time * 1e3))
        .filter(|time| *time > 0.0)
        .collect();
    let is_log = spans_decades(&times, 20.0);
    let (mut marks, mut legend, mut shares) = (Vec::new(), Vec::new(), Vec::new());
    for one in own {
        let points = one
            .quantiles
            .iter()
            .map(|[share, time]| (time * 1e3, if is_tail { 1.0 - share } else { *share }));
        // The delay of an empty queue is 0, which a logarithmic axis cannot show.
        let points: Vec<(f64, f64)> = points
            .filter(|(time, share)| (!is_log || *time > 0.0) && (!is_tail || *share > 1e-12))
            .collect();
        shares.extend(points.iter().map(|(_, share)| *share));
        let name = view.label(one.scheme).to_string();
        let key = Key {
            has_symbol: false,
            ..both(one.scheme)
        };
        marks.push(Mark::Line {
            name: name.clone(),
            points,
            key,
            weight: 1.0,
        });
        legend.push((name, key));
    }
    let (least, most) = extent(&times).unwrap_or((1.0, 10.0));
    // Nearly empty queues would take most of a logarithmic axis.
    let from = if is_log {
        least.max(most / 1000.0)
    } else {
        0.0
    };
    let least_share = extent(&shares).map_or(1e-4, |(low, _)| low);
    let (label, range) = match is_tail {
        true => ("Share of packets above", (least_share, 1.0)),
        false => ("Share of packets at most", (0.0, 1.0)),
    };
    let y = PlotAxis {
        label: label.into(),
        range,
        is_log: is_tail,
        is_exact: true,
        ..PlotAxis::default()
    };
    let names: Vec<String> = legend.iter().map(|(name, _)| name.clone()).collect();
    Ok(Plot {
        description: format!(
            "The {what} of all packets in all runs of {}{}.",
            listed(&names),
            view.at()
        ),
        x: PlotAxis {
            is_exact: is_log,
            ..axis("Time in the queue (ms)".into(), &[from, most], is_log)
        },
        panels: vec![PlotPanel { y, marks }],
        legend,
        ..Plot::default()
    })
}
