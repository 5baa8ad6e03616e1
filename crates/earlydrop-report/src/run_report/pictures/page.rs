//! The pictures of a report page, laid out for each choice that a reader has.
//!
//! The page's scripts draw them: axes, marks and looks are decided here, as for paper.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::rows::{FLOW_MEASURES, difference_axis, flow_axis};
use super::time_panels::time_panels;
use super::{Choices, View, curves, distribution, scatter, sizes, sweep};
use crate::figure::{Mark, Plot, PlotAxis, axis_parts, looks, parts};
use crate::run_report::data::{Data, Distribution};

/// What the page's scripts draw. A sweep has thousands of pictures, so each is laid out when it is
/// written, and forgotten then.
pub(in crate::run_report) struct PagePictures<'a>(pub(in crate::run_report) &'a Data);

impl Serialize for PagePictures<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let data = self.0;
        let (top, slope) = curves::tops(data);
        let curves = |top| curves::curves(data, top).map_or(Value::Null, |plot| on_page(&plot));
        let points = || (0..data.points.len()).map(|point| point_axes(data, point));
        let mut fields = serializer.serialize_struct("PagePictures", 9)?;
        // Colours, dashes and symbols by the index of a scheme or a quantity.
        fields.serialize_field("looks", &looks())?;
        fields.serialize_field("distributions", &Each(|| distributions(data)))?;
        fields.serialize_field("sweeps", &Each(|| sweeps(data)))?;
        fields.serialize_field("sizes", &Each(|| size_pictures(data)))?;
        fields.serialize_field("size_quantiles", &sizes::QUANTILES)?;
        // The axes of every point.
        fields.serialize_field("points", &Each(points))?;
        fields.serialize_field("time", &time_panels(data, |_| true))?;
        // The drop curves, and their part below the step to 1; `null` without curves.
        let curves = [curves(top), slope.map_or(Value::Null, curves)];
        fields.serialize_field("curves", &curves)?;
        // Name, unit and the factor to it of each quantity of single flows.
        let measures = FLOW_MEASURES.map(|(name, unit, scale, _)| (name, unit, scale));
        fields.serialize_field("flow_measures", &measures)?;
        fields.end()
    }
}

/// A list of which each item is made when it is written.
struct Each<F>(F);

impl<I: IntoIterator<Item: Serialize>, F: Fn() -> I> Serialize for Each<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0())
    }
}

/// The axes of the pictures of one point, for each quantity that a reader can choose.
#[derive(Serialize)]
struct PointAxes {
    /// The x and the y axis of each metric of a scatter; `null` where it was not measured.
    scatter: Vec<[Value; 2]>,
    /// The axis of each quantity of single flows.
    flows: Vec<Value>,
    /// The axis of each metric that is compared with a baseline.
    differences: Vec<Value>,
}

/// The pictures of one quantity at one point of the sweep.
#[derive(Serialize)]
struct DistributionPictures {
    point: usize,
    what: &'static str,
    tail: Value,
    whole: Value,
}

/// The picture of a quantile of a group's slowdowns by size.
#[derive(Serialize)]
struct SizePicture {
    point: usize,
    group: String,
    quantile: usize,
    picture: Value,
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

fn point_axes(data: &Data, point: usize) -> PointAxes {
    let choices = Choices::default();
    let view = view(data, point, &choices);
    let scatter = |metric| {
        [(true, 6), (false, 4)].map(|(is_x, wanted)| {
            let axis = scatter::metric_axis(&view, metric, is_x);
            axis.map_or(Value::Null, |axis| short_axis(&axis, wanted))
        })
    };
    let baseline = data.baseline.iter();
    let columns = baseline
        .flat_map(|baseline| (0..baseline.metrics.len()).map(move |column| (baseline, column)));
    let flows = FLOW_MEASURES.iter();
    PointAxes {
        scatter: data.metrics.iter().enumerate().map(scatter).collect(),
        flows: flows
            .map(|measure| short_axis(&flow_axis(&view, measure), 6))
            .collect(),
        differences: columns
            .map(|(baseline, column)| short_axis(&difference_axis(&view, baseline, column), 6))
            .collect(),
    }
}

/// An axis with its numbers as short as those of a picture.
pub(super) fn short_axis(axis: &PlotAxis, wanted: usize) -> Value {
    let mut axis = axis_parts(axis, wanted);
    shorten(&mut axis);
    axis
}

fn distributions(data: &Data) -> impl Iterator<Item = DistributionPictures> {
    let all = || data.distributions.iter();
    let mut kinds: Vec<(usize, &'static str)> = all().map(|one| (one.point, one.what)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds.into_iter().filter_map(move |(point, what)| {
        let is_own = |one: &&Distribution| (one.point, one.what) == (point, what);
        let own = all().filter(is_own);
        let own: Vec<&Distribution> = own.filter(|one| !one.quantiles.is_empty()).collect();
        let choices = Choices::default();
        let view = view(data, point, &choices);
        let picture = |is_tail| on_page(&distribution::laid_out(&view, &own, is_tail));
        (!own.is_empty()).then(|| DistributionPictures {
            point,
            what,
            tail: picture(true),
            whole: picture(false),
        })
    })
}

/// The pictures of slowdowns by size, of each point, group and quantile.
fn size_pictures(data: &Data) -> impl Iterator<Item = SizePicture> {
    (0..data.points.len()).flat_map(move |point| {
        let choices = Choices::default();
        let groups = sizes::groups(&view(data, point, &choices));
        let kinds = groups
            .into_iter()
            .flat_map(|group| (0..sizes::QUANTILES.len()).map(move |one| (group.clone(), one)));
        kinds.filter_map(move |(group, quantile)| {
            let choices = Choices::default();
            let plot = sizes::laid_out(&view(data, point, &choices), &group, quantile)?;
            Some(SizePicture {
                point,
                group,
                quantile,
                picture: on_page(&plot),
            })
        })
    })
}

fn sweeps(data: &Data) -> impl Iterator<Item = SweepPicture> {
    let axes = (0..data.axes.len()).filter(|axis| data.axes[*axis].values.len() > 1);
    let rows = axes.flat_map(|axis| firsts(data, axis).map(move |first| (axis, first)));
    rows.flat_map(move |(axis, first)| {
        let metrics = 0..data.metrics.len();
        metrics.filter_map(move |metric| sweep_picture(data, axis, first, metric))
    })
}

/// The picture of a metric along a swept field, from the point `first` on.
fn sweep_picture(data: &Data, axis: usize, first: usize, metric: usize) -> Option<SweepPicture> {
    let choices = Choices::default();
    let view = view(data, first, &choices);
    let mut plot = sweep::laid_out(&view, axis, (metric, &data.metrics[metric]))?;
    if data.axes[axis].numbers.is_none() {
        // Values that are names stand apart from the ends of the axis. Paper has no room.
        plot.x.range = (plot.x.range.0 - 0.5, plot.x.range.1 + 0.5);
    }
    let mut points = json!(sweep::points_along(&view, axis));
    shorten(&mut points);
    Some(SweepPicture {
        axis,
        metric,
        points,
        picture: on_page(&plot),
    })
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
    let mut picture = parts(&plot, 6, 4);
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
