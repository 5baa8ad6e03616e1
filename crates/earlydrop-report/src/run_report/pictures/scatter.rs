//! The picture of two metrics against each other.

use super::{PictureError, View, axis, both, heading, spans_decades};
use crate::figure::print::{Key, Mark, Plot, PlotPanel};
use crate::run_report::data::Metric;

/// A metric with its index.
type Indexed<'a> = (usize, &'a Metric);

/// A scheme's mean and its single runs, in the metrics' units.
struct Cloud {
    scheme: usize,
    mean: (f64, f64),
    runs: Vec<(f64, f64)>,
}

/// Means, single runs, and the spread of the runs as ellipses.
pub(super) fn scatter(view: &View<'_>) -> Result<Plot, PictureError> {
    let (x, y) = axes(view)?;
    let clouds = clouds(view, x, y);
    if clouds.is_empty() {
        let (x, y, at) = (x.1.title, y.1.title, view.at());
        return Err(PictureError::Missing(format!("no {y} and {x}{at}")));
    }
    let all = |cloud: &Cloud| [&[cloud.mean][..], &cloud.runs].concat();
    let mut points: Vec<(f64, f64)> = clouds.iter().flat_map(all).collect();
    let xs: Vec<f64> = points.iter().map(|(x, _)| *x).collect();
    let is_log = spans_decades(&xs, 10.0);
    let marks = marks(view, &clouds, is_log);
    for mark in &marks {
        if let Mark::Area {
            points: outline, ..
        } = mark
        {
            points.extend(outline);
        }
    }
    let values = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).collect::<Vec<f64>>();
    let mut x_axis = axis(heading(x.1), &values(|point| point.0), is_log);
    let mut y_axis = axis(heading(y.1), &values(|point| point.1), false);
    for (axis, unit) in [(&mut x_axis, x.1.unit), (&mut y_axis, y.1.unit)] {
        // No share is above 100%, even where an ellipse exceeds it.
        if unit == "%" && axis.range.1 > 100.0 {
            axis.range.1 = 100.0;
        }
    }
    let spread = match clouds.iter().any(|cloud| cloud.runs.len() > 1) {
        true => {
            "Large symbols are means over seeds, small ones single runs, ellipses one standard \
             deviation of the runs."
        }
        false => "Each symbol is one run.",
    };
    let entry = |cloud: &Cloud| {
        let key = Key {
            has_line: false,
            ..both(cloud.scheme)
        };
        (view.label(cloud.scheme).to_string(), key)
    };
    Ok(Plot {
        description: format!("{} against {}{}. {spread}", y.1.title, x.1.title, view.at()),
        x: x_axis,
        panels: vec![PlotPanel { y: y_axis, marks }],
        legend: clouds.iter().map(entry).collect(),
        ..Plot::default()
    })
}

/// The metrics of the two axes.
fn axes<'a>(view: &View<'a>) -> Result<(Indexed<'a>, Indexed<'a>), PictureError> {
    match view.choices.metrics.as_slice() {
        [] => Ok((view.metric("delay_mean")?, view.metric("utilisation")?)),
        [x, y] => Ok((view.metric(x)?, view.metric(y)?)),
        given => Err(PictureError::Unfit(format!(
            "metrics {}: a scatter has two metrics, such as delay_p99,utilisation",
            given.join(",")
        ))),
    }
}

fn clouds(view: &View<'_>, x: Indexed<'_>, y: Indexed<'_>) -> Vec<Cloud> {
    let place =
        |values: (Option<f64>, Option<f64>)| Some((values.0? * x.1.scale, values.1? * y.1.scale));
    let rows = view.data.summary.iter();
    let shown = rows.filter(|row| row.point == view.point && view.schemes.contains(&row.scheme));
    let cloud = |row: &crate::run_report::data::SchemeSummary| {
        let mean = |index: usize| row.values[index].as_ref().map(|value| value.mean);
        let cells = view.data.cells.iter();
        let own = cells.filter(|cell| cell.scheme == row.scheme && cell.point == view.point);
        Some(Cloud {
            scheme: row.scheme,
            mean: place((mean(x.0), mean(y.0)))?,
            runs: own
                .filter_map(|cell| place((cell.values[x.0], cell.values[y.0])))
                .collect(),
        })
    };
    shown.filter_map(cloud).collect()
}

/// Spreads and single runs, and over them all means.
fn marks(view: &View<'_>, clouds: &[Cloud], is_log: bool) -> Vec<Mark> {
    let mut marks = Vec::new();
    for Cloud { scheme, mean, runs } in clouds.iter().filter(|cloud| cloud.runs.len() > 1) {
        marks.push(Mark::Area {
            points: ellipse(*mean, runs, is_log),
            look: *scheme,
            opacity: 0.16,
        });
        marks.push(Mark::Symbols {
            name: format!("{}, runs", view.label(*scheme)),
            points: runs.clone(),
            look: *scheme,
            size: 0.45,
            opacity: 0.4,
        });
    }
    marks.extend(clouds.iter().map(|cloud| Mark::Symbols {
        name: view.label(cloud.scheme).to_string(),
        points: vec![cloud.mean],
        look: cloud.scheme,
        size: 1.0,
        opacity: 1.0,
    }));
    marks
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
