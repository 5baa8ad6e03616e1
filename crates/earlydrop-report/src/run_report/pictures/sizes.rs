//! The picture of slowdowns by the size of transfers.

use super::sweep::{Curve, marks};
use super::{PictureError, View, axis, extent, spans_decades, unknown};
use crate::figure::{Key, Plot, PlotPanel};
use crate::run_report::data::SizeSummary;

/// The quantiles of slowdowns: the name, and the title.
pub(super) const QUANTILES: [(&str, &str); 4] = [
    ("slowdown_p50", "slowdown, median"),
    ("slowdown_p95", "slowdown, 95%"),
    ("slowdown_p99", "slowdown, 99%"),
    ("slowdown_p999", "slowdown, 99.9%"),
];
/// The quantile that is shown unless another is asked for.
pub(super) const USUAL: usize = 2;

/// Slowdowns by size, with bands of 95% intervals.
pub(super) fn sizes(view: &View<'_>) -> Result<Plot, PictureError> {
    let groups = groups(view);
    let (group, quantile) = wanted(view, &groups)?;
    laid_out(view, &group, quantile).ok_or_else(|| {
        PictureError::Missing(format!(
            "no transfers of {group} with a slowdown{}",
            view.at()
        ))
    })
}

/// The groups that have transfers of several sizes with a slowdown at the point shown; that with the
/// most first.
pub(super) fn groups(view: &View<'_>) -> Vec<String> {
    let here = || view.data.sizes.iter().filter(|one| one.point == view.point);
    let has_slowdown = |one: &&SizeSummary| one.slowdown.iter().any(Option::is_some);
    let mut names: Vec<String> = here()
        .filter(has_slowdown)
        .map(|one| one.group.clone())
        .collect();
    names.sort();
    names.dedup();
    names.retain(|name| {
        let mut own = here().filter(|one| one.group == *name);
        let first = own.next().map(|one| one.up_to);
        own.any(|one| Some(one.up_to) != first)
    });
    let transfers = |name: &String| {
        let own = here().filter(|one| one.group == *name);
        own.map(|one| one.transfers).sum::<u64>()
    };
    names.sort_by_key(|name| std::cmp::Reverse(transfers(name)));
    names
}

/// The group and the quantile asked for: "slowdown_p50" of the first group, or of one of its own as
/// "search.slowdown_p50".
fn wanted(view: &View<'_>, groups: &[String]) -> Result<(String, usize), PictureError> {
    let missing = || PictureError::Missing("no transfers of several sizes".to_string());
    let first = groups.first().ok_or_else(missing)?;
    let given = match view.choices.metrics.as_slice() {
        [] => return Ok((first.clone(), USUAL)),
        [given] => given,
        several => {
            let text = format!("metrics {}: this picture shows one", several.join(","));
            return Err(PictureError::Unfit(text));
        }
    };
    let (group, name) = given.rsplit_once('.').unwrap_or((first, given));
    let known = QUANTILES.iter().map(|(name, _)| *name);
    let quantile = known.clone().position(|known| known == name);
    let quantile = quantile.ok_or_else(|| unknown("metric", name, known.collect()))?;
    match groups.iter().any(|known| known == group) {
        true => Ok((group.to_string(), quantile)),
        false => {
            let known = groups.iter().map(String::as_str).collect();
            Err(unknown("group of transfers", group, known))
        }
    }
}

/// The picture of a group's quantile; `None` where it was not measured.
pub(super) fn laid_out(view: &View<'_>, group: &str, quantile: usize) -> Option<Plot> {
    let is_shown = |one: &&SizeSummary| one.point == view.point && one.group == group;
    let rows: Vec<&SizeSummary> = view.data.sizes.iter().filter(is_shown).collect();
    let curves: Vec<Curve> = view
        .schemes
        .iter()
        .map(|scheme| curve(&rows, *scheme, quantile))
        .filter(|curve| !curve.points.is_empty())
        .collect();
    let all = || curves.iter().flat_map(|curve| &curve.points);
    let means: Vec<f64> = all().map(|(_, mean, _)| *mean).collect();
    let (least, _) = extent(&means)?;
    let is_log = spans_decades(&means, 10.0);
    // No slowdown is below 1.
    let floor = least.min(1.0);
    let ends = all().flat_map(|(_, mean, half)| {
        let half = half.unwrap_or(0.0);
        [(mean - half).max(floor), mean + half]
    });
    let (_, title) = QUANTILES[quantile];
    let label = format!("{} of {group}", crate::words::capital(title));
    let mut y = axis(label, &ends.collect::<Vec<f64>>(), is_log);
    y.start_at_zero();
    let mut xs: Vec<f64> = all().map(|(x, ..)| *x).collect();
    xs.sort_by(f64::total_cmp);
    xs.dedup();
    let mut x = axis("Transfers up to".to_string(), &xs, false);
    x.range = (xs[0] - 0.5, xs[xs.len() - 1] + 0.5);
    (x.is_exact, x.ticks) = (true, xs.iter().map(|x| (*x, size(*x))).collect());
    let bound = match rows.iter().any(|row| row.is_bound) {
        true => " Where transfers had not ended, the greatest values are lower bounds.",
        false => "",
    };
    Some(Plot {
        description: format!(
            "The {title} of transfers of {group}, by size{}. Each line is a scheme, its band the \
             95% interval of the mean over seeds.{bound}",
            view.at()
        ),
        x,
        legend: curves
            .iter()
            .map(|curve| {
                let key = Key::both(view.look(curve.scheme));
                (view.label(curve.scheme).to_string(), key)
            })
            .collect(),
        panels: vec![PlotPanel {
            y,
            marks: marks(view, &curves, floor),
        }],
        ..Plot::default()
    })
}

fn curve(rows: &[&SizeSummary], scheme: usize, quantile: usize) -> Curve {
    let own = rows.iter().filter(|row| row.scheme == scheme);
    let points = own.filter_map(|row| {
        let value = row.slowdown[quantile].as_ref()?;
        Some((place(row.up_to), value.mean, value.half))
    });
    Curve {
        scheme,
        points: points.collect(),
    }
}

/// The place of a bin on the x axis: its largest size's power of ten. The last has no largest size.
fn place(up_to: f64) -> f64 {
    up_to.log10().round().min(LAST)
}

const LAST: f64 = 8.0;

/// "100 kB" at 5; "more" at the end.
fn size(place: f64) -> String {
    let (number, unit) = match place as i32 {
        ..3 => (place, "B"),
        3..6 => (place - 3.0, "kB"),
        6..8 => (place - 6.0, "MB"),
        _ => return "more".to_string(),
    };
    format!("{} {unit}", 10f64.powf(number))
}
