//! The picture of drop curves: the probability over the average queue.

use super::extent;
use crate::figure::{Key, Mark, Plot, PlotAxis, PlotPanel, Scale};
use crate::run_report::data::{Data, Scheme};

/// The curves up to a probability; `None` without curves.
pub(super) fn curves(data: &Data, top: f64) -> Option<Plot> {
    let own = data.schemes.iter();
    let own: Vec<&Scheme> = own.filter(|one| one.curve.len() > 1).collect();
    let queues = own.iter().flat_map(|one| &one.curve).map(|[x, _]| *x);
    let (_, longest) = extent(&queues.collect::<Vec<f64>>())?;
    let line = |scheme: &&Scheme| {
        let points = scheme.curve.iter().map(|[x, y]| (*x, *y)).collect();
        Mark::line(&scheme.label, points, Key::both(scheme.look))
    };
    let entry = |scheme: &&Scheme| (scheme.label.clone(), Key::both(scheme.look));
    // The ends stay where a reader hides a curve.
    let axis = |label: &str, high| PlotAxis {
        label: label.to_string(),
        range: Scale::linear(0.0, high).rounded(4).ends(),
        is_exact: true,
        ..PlotAxis::default()
    };
    Some(Plot {
        description: "The initial drop probability of each scheme over the average queue, before \
                      drops are spaced, with the parameters of this run."
            .to_string(),
        x: axis("Average queue (packets)", longest),
        panels: vec![PlotPanel {
            y: axis("Initial drop probability", top),
            marks: own.iter().map(line).collect(),
        }],
        legend: own.iter().map(entry).collect(),
        ..Plot::default()
    })
}

/// The largest probability, and the one below the step to it where all curves jump there from less
/// than 0.6 of it. Most curves rise slowly before that jump; on an axis up to 1 the rise would be
/// invisible.
pub(super) fn tops(data: &Data) -> (f64, Option<f64>) {
    let curves = data.schemes.iter().filter(|scheme| scheme.curve.len() > 1);
    let all: Vec<f64> = curves
        .flat_map(|scheme| scheme.curve.iter().map(|[_, y]| *y))
        .collect();
    let below: Vec<f64> = all.iter().copied().filter(|y| *y < 0.999).collect();
    let high = |values: &[f64]| extent(values).map_or(0.0, |(_, high)| high);
    let (top, slope) = (high(&all), high(&below));
    (
        top,
        (slope > 0.0 && slope < 0.6 * top).then_some(1.1 * slope),
    )
}
