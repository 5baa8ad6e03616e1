//! The picture of two metrics against each other.

use super::{PictureError, View, axis, extent, heading, spans_decades};
use crate::figure::{Key, Mark, Plot, PlotAxis, PlotPanel};
use crate::run_report::data::{Metric, SchemeSummary};

/// A metric with its index.
pub(super) type Indexed<'a> = (usize, &'a Metric);

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
        return Err(PictureError::Missing(missing(view, x, y)));
    }
    let [x_axis, y_axis] = [(x, true), (y, false)]
        .map(|(metric, is_x)| metric_axis(view, metric, is_x).unwrap_or_default());
    let marks = marks(view, &clouds, x_axis.is_log);
    let spread = match clouds.iter().any(|cloud| cloud.runs.len() > 1) {
        true => {
            "Large symbols are means over seeds, small ones single runs, ellipses one standard \
             deviation of the runs."
        }
        false => "Each symbol is one run.",
    };
    let entry = |cloud: &Cloud| {
        let name = view.label(cloud.scheme).to_string();
        (name, Key::symbol(view.look(cloud.scheme)))
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
        [] => match view.data.scatter {
            Some(axes) => Ok(axes.map(|index| (index, &view.data.metrics[index])).into()),
            None => Ok((view.metric("delay_mean")?, view.metric("utilisation")?)),
        },
        [x, y] => Ok((view.metric(x)?, view.metric(y)?)),
        given => Err(PictureError::Unfit(format!(
            "metrics {}: a scatter has two metrics, such as delay_p99,utilisation",
            given.join(",")
        ))),
    }
}

/// What is not there for a scatter without a symbol: a metric that was not measured, with its
/// meaning, or a scheme that has both.
fn missing(view: &View<'_>, x: Indexed<'_>, y: Indexed<'_>) -> String {
    let of = |(_, metric): Indexed<'_>| format!("values of {} ({})", metric.name, metric.meaning);
    let is_measured = |metric| metric_axis(view, metric, true).is_some();
    let (no_x, no_y) = (of(x), of(y));
    let at = view.at();
    match (is_measured(x), is_measured(y)) {
        (true, true) => format!("no scheme with both {} and {}{at}", x.1.name, y.1.name),
        (true, false) => format!("no {no_y}{at}; it holds {}", x.1.name),
        (false, true) => format!("no {no_x}{at}; it holds {}", y.1.name),
        (false, false) => format!("no {no_x} and no {no_y}{at}"),
    }
}

fn clouds(view: &View<'_>, x: Indexed<'_>, y: Indexed<'_>) -> Vec<Cloud> {
    let place =
        |values: (Option<f64>, Option<f64>)| Some((values.0? * x.1.scale, values.1? * y.1.scale));
    let rows = view.data.summary.iter();
    let shown = rows.filter(|row| row.point == view.point && view.schemes.contains(&row.scheme));
    let cloud = |row: &SchemeSummary| {
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
            look: view.look(*scheme),
            opacity: 0.16,
            tip: String::new(),
        });
        marks.push(Mark::Symbols {
            name: format!("{}, runs", view.label(*scheme)),
            points: runs.clone(),
            look: view.look(*scheme),
            size: 0.45,
            opacity: 0.4,
            tip: String::new(),
        });
    }
    marks.extend(clouds.iter().map(|cloud| Mark::Symbols {
        name: view.label(cloud.scheme).to_string(),
        points: vec![cloud.mean],
        look: view.look(cloud.scheme),
        size: 1.0,
        opacity: 1.0,
        tip: String::new(),
    }));
    marks
}

/// The axis of a metric, with room for means, runs and their spread: the same whatever is on the
/// other axis. Only the x axis may be logarithmic. `None` where the metric was not measured.
pub(super) fn metric_axis(
    view: &View<'_>,
    (index, metric): Indexed<'_>,
    is_x: bool,
) -> Option<PlotAxis> {
    let rows = view.data.summary.iter();
    let shown = rows.filter(|row| row.point == view.point && view.schemes.contains(&row.scheme));
    let sample = |row: &SchemeSummary| {
        let cells = view.data.cells.iter();
        let own = cells.filter(|cell| cell.scheme == row.scheme && cell.point == view.point);
        let runs = own.filter_map(|cell| Some(cell.values[index]? * metric.scale));
        let mean = row.values[index].as_ref()?.mean * metric.scale;
        Some((mean, runs.collect::<Vec<f64>>()))
    };
    let samples: Vec<(f64, Vec<f64>)> = shown.filter_map(sample).collect();
    let all = samples.iter();
    let mut values: Vec<f64> = all
        .flat_map(|(mean, runs)| [&[*mean][..], runs].concat())
        .collect();
    extent(&values)?;
    let is_log = is_x && spans_decades(&values, 10.0);
    for (mean, runs) in samples.iter().filter(|(_, runs)| runs.len() > 1) {
        let half = covariance(runs, runs).sqrt();
        values.extend([-half, half].map(|step| away(*mean, step, is_log)));
    }
    let mut axis = axis(heading(metric), &values, is_log);
    // No share is above 100%, even where an ellipse exceeds it.
    if metric.unit == "%" && axis.range.1 > 100.0 {
        axis.range.1 = 100.0;
    }
    Some(axis)
}

/// The place a step away from a mean; on a logarithmic axis a step s becomes a factor e^(s / mean).
fn away(mean: f64, step: f64, is_log: bool) -> f64 {
    match is_log {
        true => mean * (step / mean).exp(),
        false => mean + step,
    }
}

fn covariance(one: &[f64], other: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (here, there) = (mean(one), mean(other));
    let products = one.iter().zip(other).map(|(a, b)| (a - here) * (b - there));
    products.sum::<f64>() / (one.len() as f64 - 1.0)
}

/// The corners of the ellipse of one standard deviation of the runs around their mean. Two
/// oscillations trace it, whose phases differ by the angle that has the correlation as its cosine.
fn ellipse(mean: (f64, f64), runs: &[(f64, f64)], is_log: bool) -> Vec<(f64, f64)> {
    let (xs, ys): (Vec<f64>, Vec<f64>) = runs.iter().copied().unzip();
    let (wide, high) = (covariance(&xs, &xs).sqrt(), covariance(&ys, &ys).sqrt());
    if wide + high <= 0.0 {
        return Vec::new();
    }
    let product = (wide * high).max(f64::MIN_POSITIVE);
    let lag = (covariance(&xs, &ys) / product).clamp(-1.0, 1.0).acos();
    let corner = |step: u32| {
        let turn = std::f64::consts::TAU * f64::from(step) / 60.0;
        (
            away(mean.0, wide * turn.cos(), is_log),
            mean.1 + high * (turn - lag).cos(),
        )
    };
    (0..60).map(corner).collect()
}
