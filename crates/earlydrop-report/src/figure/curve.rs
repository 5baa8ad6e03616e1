//! Curves of a chart: measured points, paths and traces.

use super::axis::{Frame, ends};
use super::downsample;
use super::svg::{COLOURS, Elements, coordinate};

/// A measured value with its confidence interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The position on the x axis.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// Half the width of the interval; `None` with a single run.
    pub half: Option<f64>,
    /// The tooltip: "RED, 10 transfers: 9.53 ± 0.01 Mbps".
    pub tooltip: String,
}

impl Point {
    /// The ends of the interval, cut off at 0: measured quantities are not negative.
    fn ends(&self) -> [f64; 2] {
        ends(self.y, self.half)
    }
}

/// The data of a curve.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Line {
    /// Measured points, drawn with symbols and a band of intervals.
    Points(Vec<Point>),
    /// A line through these points (x, y).
    Path(Vec<(f64, f64)>),
    /// Samples at equal distances.
    Trace {
        /// The first sample's x.
        start: f64,
        /// The distance between samples along x.
        interval: f64,
        /// The samples; a value that is not finite leaves a gap.
        values: Vec<f64>,
    },
}

/// One curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The name, written at the curve's right end.
    pub name: String,
    /// The index of its colour and symbol.
    pub look: usize,
    /// The tooltip of a path or trace; points have their own.
    pub tooltip: String,
    /// Whether a trace is drawn half transparent, behind the others.
    pub is_faint: bool,
    /// The data.
    pub line: Line,
}

impl Curve {
    /// The x values that the x axis must cover.
    pub(super) fn xs(&self) -> Vec<f64> {
        match &self.line {
            Line::Points(points) => points.iter().map(|point| point.x).collect(),
            Line::Path(points) => points.iter().map(|(x, _)| *x).collect(),
            Line::Trace {
                start,
                interval,
                values,
            } => vec![*start, start + interval * values.len().max(1) as f64],
        }
    }

    /// The y values that the y axis must cover, ends of intervals included.
    pub(super) fn ys(&self) -> Vec<f64> {
        match &self.line {
            Line::Points(points) => points.iter().flat_map(Point::ends),
            Line::Path(points) => return points.iter().map(|(_, y)| *y).collect(),
            Line::Trace { values, .. } => return values.clone(),
        }
        .collect()
    }

    /// The y value at which the name is written: the last one, or the mean of a trace.
    pub(super) fn label_y(&self) -> f64 {
        let mean = |values: &[f64]| {
            let finite = values.iter().filter(|value| value.is_finite());
            let (sum, count) = finite.fold((0.0, 0.0), |(s, n), value| (s + value, n + 1.0));
            sum / f64::max(count, 1.0)
        };
        match &self.line {
            Line::Points(points) => points.last().map_or(0.0, |point| point.y),
            Line::Path(points) => points.last().map_or(0.0, |(_, y)| *y),
            Line::Trace { values, .. } => mean(values),
        }
    }

    /// The CSS classes of an element of this kind in the curve's colour.
    pub(super) fn class(&self, kind: &str) -> String {
        format!("{kind} c{}", self.look % COLOURS)
    }
}

/// Draws a curve inside the frame.
pub(super) fn draw_curve(elements: &mut Elements, frame: &Frame, curve: &Curve) {
    match &curve.line {
        Line::Points(points) => draw_points(elements, frame, curve, points),
        Line::Path(points) => elements.with_tooltip(&curve.tooltip, |group| {
            group.path(&curve.class("line"), &path(frame, points.iter().copied()));
        }),
        Line::Trace {
            start,
            interval,
            values,
        } => elements.with_tooltip(&curve.tooltip, |group| {
            let left = frame.x_of(*start);
            let step = frame.x_of(start + interval) - left;
            let path = downsample::path(values, (left, step), |value| frame.y_of(value));
            let kind = if curve.is_faint {
                "trace under"
            } else {
                "trace"
            };
            group.path(&curve.class(kind), &path);
        }),
    }
}

fn draw_points(elements: &mut Elements, frame: &Frame, curve: &Curve, points: &[Point]) {
    let visible: Vec<&Point> = points
        .iter()
        .filter(|point| frame.has(point.x, point.y))
        .collect();
    let edge = |end: usize| {
        visible
            .iter()
            .map(move |point| (point.x, point.ends()[end]))
    };
    let outline = edge(1).chain(edge(0).rev());
    elements.path(&curve.class("band"), &(path(frame, outline) + "Z"));
    let line = path(frame, visible.iter().map(|point| (point.x, point.y)));
    elements.path(&curve.class("line"), &line);
    for point in visible {
        elements.with_tooltip(&point.tooltip, |group| {
            let (x, y) = (frame.x_of(point.x), frame.y_of(point.y));
            if point.half.is_some() {
                let [low, high] = point.ends().map(|end| (x, frame.y_of(end)));
                group.line(&curve.class("whisker"), low, high);
            }
            group.symbol(curve.look, (x, y), 2.6);
        });
    }
}

/// The SVG path through points in the axes' units; empty without points.
fn path(frame: &Frame, points: impl Iterator<Item = (f64, f64)>) -> String {
    let corner = |(x, y)| {
        format!(
            "{} {}",
            coordinate(frame.x_of(x)),
            coordinate(frame.y_of(y))
        )
    };
    let corners: Vec<String> = points.map(corner).collect();
    match corners.is_empty() {
        true => String::new(),
        false => format!("M{}", corners.join("L")),
    }
}
