//! The pictures of a report page, laid out for each choice that a reader has.
//!
//! The page's scripts draw them: axes, marks and looks are decided here, as for paper.

use serde::Serialize;
use serde_json::{Value, json};

use super::{Choices, View, distribution, sweep};
use crate::figure::print::{Mark, Plot, looks, parts};
use crate::run_report::data::{Data, Distribution};

/// What the page's scripts draw.
#[derive(Serialize)]
pub(in crate::run_report) struct PagePictures {
    /// Colours, dashes and symbols by the index of a scheme or a quantity.
    looks: Value,
    distributions: Vec<DistributionPictures>,
    sweeps: Vec<SweepPicture>,
}

/// The pictures of one quantity at one point of the sweep.
#[derive(Serialize)]
struct DistributionPictures {
    point: usize,
    what: &'static str,
    tail: Value,
    whole: Value,
}

/// The picture of a metric along a swept field, the other fields fixed.
#[derive(Serialize)]
struct SweepPicture {
    axis: usize,
    metric: usize,
    /// The points along the field, each with its place on the x axis.
    points: Value,
    picture: Value,
}

/// The pictures of a page with this data.
pub(in crate::run_report) fn page_pictures(data: &Data) -> PagePictures {
    PagePictures {
        looks: looks(),
        distributions: distributions(data),
        sweeps: sweeps(data),
    }
}

fn distributions(data: &Data) -> Vec<DistributionPictures> {
    let choices = Choices::default();
    let all = || data.distributions.iter();
    let mut kinds: Vec<(usize, &'static str)> = all().map(|one| (one.point, one.what)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let pictures = |(point, what): (usize, &'static str)| {
        let is_own = |one: &&Distribution| (one.point, one.what) == (point, what);
        let own: Vec<&Distribution> = all()
            .filter(is_own)
            .filter(|one| !one.quantiles.is_empty())
            .collect();
        let view = view(data, point, &choices);
        let picture = |is_tail| on_page(&distribution::laid_out(&view, &own, is_tail));
        (!own.is_empty()).then(|| DistributionPictures {
            point,
            what,
            tail: picture(true),
            whole: picture(false),
        })
    };
    kinds.into_iter().filter_map(pictures).collect()
}

fn sweeps(data: &Data) -> Vec<SweepPicture> {
    let choices = Choices::default();
    let axes = (0..data.axes.len()).filter(|axis| data.axes[*axis].values.len() > 1);
    let mut pictures = Vec::new();
    for (axis, first) in axes.flat_map(|axis| firsts(data, axis).map(move |first| (axis, first))) {
        let view = view(data, first, &choices);
        let mut points = json!(sweep::points_along(&view, axis));
        shorten(&mut points);
        for (metric, known) in data.metrics.iter().enumerate() {
            let Some(mut plot) = sweep::laid_out(&view, axis, (metric, known)) else {
                continue;
            };
            if data.axes[axis].numbers.is_none() {
                // Values that are names stand apart from the ends of the axis. Paper has no room.
                plot.x.range = (plot.x.range.0 - 0.5, plot.x.range.1 + 0.5);
            }
            pictures.push(SweepPicture {
                axis,
                metric,
                points: points.clone(),
                picture: on_page(&plot),
            });
        }
    }
    pictures
}

/// The first point of each row of points that differ along this axis only.
fn firsts(data: &Data, axis: usize) -> impl Iterator<Item = usize> {
    let others = move |point: usize| {
        let mut place = data.points[point].clone();
        place[axis] = 0;
        place
    };
    let is_first = move |point: &usize| (0..*point).all(|one| others(one) != others(*point));
    (0..data.points.len()).filter(is_first)
}

fn view<'a>(data: &'a Data, point: usize, choices: &'a Choices) -> View<'a> {
    View {
        data,
        schemes: (0..data.schemes.len()).collect(),
        point,
        choices,
    }
}

/// What a page's script does not read: looks are known by their index, and a line with symbols is
/// one mark.
const NOT_READ: [&str; 5] = ["title", "colour", "dashes", "outline", "width"];

/// The picture as JSON, its numbers with five significant digits, as all data of a page.
fn on_page(plot: &Plot) -> Value {
    let is_read = |mark: &Mark| !matches!(mark, Mark::Symbols { .. });
    let mut plot = plot.clone();
    for panel in &mut plot.panels {
        panel.marks.retain(is_read);
    }
    let mut picture = parts(&plot, 6, 5);
    shorten(&mut picture);
    picture
}

fn shorten(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(shorten),
        Value::Object(fields) => {
            fields.retain(|name, _| !NOT_READ.contains(&name.as_str()));
            fields.values_mut().for_each(shorten);
        }
        Value::Number(number) => {
            let long = number.as_f64().filter(|_| number.is_f64());
            if let Some(short) = long.and_then(|long| format!("{long:.4e}").parse::<f64>().ok()) {
                *value = short.into();
            }
        }
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}
