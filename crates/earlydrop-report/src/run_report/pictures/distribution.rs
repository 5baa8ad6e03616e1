//! The pictures of how long packets wait: the share up to a time, or above it.

use super::{PictureError, View, axis, extent, spans_decades};
use crate::figure::{Key, Mark, Plot, PlotAxis, PlotPanel};
use crate::run_report::data::{Distribution, LATENESS};
use crate::words::{capital, listed};

/// The share of packets that wait longer than a time if `is_tail`, at most that time otherwise.
pub(super) fn distribution(view: &View<'_>, is_tail: bool) -> Result<Plot, PictureError> {
    Ok(laid_out(view, &distributions(view)?, is_tail))
}

/// The picture of these distributions, at least one.
pub(super) fn laid_out(view: &View<'_>, own: &[&Distribution], is_tail: bool) -> Plot {
    let times: Vec<f64> = own
        .iter()
        .flat_map(|one| one.quantiles.iter().map(|[_, time]| time * 1e3))
        .filter(|time| *time > 0.0)
        .collect();
    let is_log = spans_decades(&times, 20.0);
    let (mut marks, mut legend, mut least_share) = (Vec::new(), Vec::new(), 1.0_f64);
    for one in own {
        let points = points(one, is_tail, is_log);
        least_share = points
            .iter()
            .fold(least_share, |least, (_, share)| least.min(*share));
        let name = view.label(one.scheme).to_string();
        let key = Key::line(view.look(one.scheme));
        marks.push(Mark::line(&name, points, key));
        legend.push((name, key));
    }
    let (least, most) = extent(&times).unwrap_or((1.0, 10.0));
    // Nearly empty queues would take most of a logarithmic axis.
    let from = if is_log {
        least.max(most / 1000.0)
    } else {
        0.0
    };
    let (label, range) = match is_tail {
        true => ("Share of packets above", (least_share, 1.0)),
        false => ("Share of packets at most", (0.0, 1.0)),
    };
    let y = PlotAxis {
        label: label.to_string(),
        range,
        is_log: is_tail,
        is_exact: true,
        ..PlotAxis::default()
    };
    let names: Vec<String> = legend.iter().map(|(name, _)| name.clone()).collect();
    let (what, names, at) = (own[0].what, listed(&names, "and"), view.at());
    Plot {
        description: format!("The {what} of all packets in all runs of {names}{at}."),
        x: PlotAxis {
            is_exact: is_log,
            ..axis(format!("{} (ms)", capital(what)), &[from, most], is_log)
        },
        panels: vec![PlotPanel { y, marks }],
        legend,
        ..Plot::default()
    }
}

/// The distributions that are shown, at least one.
fn distributions<'a>(view: &View<'a>) -> Result<Vec<&'a Distribution>, PictureError> {
    if let [given, ..] = view.choices.metrics.as_slice() {
        return Err(PictureError::Unfit(format!(
            "--metric {given}: this picture shows the time in the queue and no other metric"
        )));
    }
    let entries = view.data.distributions.iter();
    let own: Vec<&Distribution> = entries
        .filter(|one| one.point == view.point && one.what != LATENESS)
        .filter(|one| view.schemes.contains(&one.scheme) && !one.quantiles.is_empty())
        .collect();
    match own.is_empty() {
        true => Err(PictureError::Missing(format!(
            "no distribution of delays{}",
            view.at()
        ))),
        false => Ok(own),
    }
}

/// Times in ms with their shares. The delay of an empty queue is 0, which a logarithmic axis cannot
/// show.
fn points(one: &Distribution, is_tail: bool, is_log: bool) -> Vec<(f64, f64)> {
    let point = |[share, time]: &[f64; 2]| (time * 1e3, if is_tail { 1.0 - share } else { *share });
    let points = one.quantiles.iter().map(point);
    points
        .filter(|(time, share)| (!is_log || *time > 0.0) && (!is_tail || *share > 1e-12))
        .collect()
}
