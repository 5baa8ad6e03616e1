//! Axes of a chart: the request for one, the plot area, ticks and labels.

use earlydrop_lab::number::number;

use super::scale::Scale;
use super::svg::{Anchor, Elements, width_of};

/// What an axis must show; the default fits the values that are drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// The quantity with its unit: "queueing delay, ms".
    pub label: String,
    /// The axis starts at this value or below it.
    pub low: Option<f64>,
    /// The axis ends at this value or above it.
    pub high: Option<f64>,
    /// Whether the axis is logarithmic.
    pub log: bool,
    /// The values with a tick; empty: round numbers are chosen.
    pub ticks: Vec<f64>,
}

/// The width of a chart, in pixels: a telephone's.
pub(super) const WIDTH: f64 = 370.0;

/// The plot area, in pixels of the drawing, with the scales of its two axes.
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
    pub(super) x: Scale,
    pub(super) y: Scale,
}

impl Frame {
    /// The pixel column of a value on the x axis.
    pub(super) fn x_of(&self, value: f64) -> f64 {
        let share = self.x.share(value).unwrap_or(0.0);
        self.left + share * (self.right - self.left)
    }

    /// The pixel row of a value on the y axis.
    pub(super) fn y_of(&self, value: f64) -> f64 {
        let share = self.y.share(value).unwrap_or(0.0);
        self.bottom - share * (self.bottom - self.top)
    }

    /// Whether both values can be placed on their axes.
    pub(super) fn has(&self, x: f64, y: f64) -> bool {
        self.x.share(x).is_some() && self.y.share(y).is_some()
    }
}

/// The ends of a confidence interval; the lower end of a value that is not negative is at least 0.
pub(super) fn ends(value: f64, half: Option<f64>) -> [f64; 2] {
    let half = half.unwrap_or(0.0);
    let floor = if value >= 0.0 { 0.0 } else { f64::MIN };
    [(value - half).max(floor), value + half]
}

/// The smallest and the largest finite value.
pub(crate) fn extent(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let finite = values.filter(|value| value.is_finite());
    finite.fold(None, |range, value| match range {
        None => Some((value, value)),
        Some((low, high)) => Some((value.min(low), value.max(high))),
    })
}

impl Axis {
    /// The scale that covers the range of the data and the requested bounds.
    pub(super) fn scale(&self, data: Option<(f64, f64)>) -> Scale {
        let (mut low, mut high) = data.unwrap_or((0.0, 1.0));
        low = self.low.map_or(low, |bound| bound.min(low));
        high = self.high.map_or(high, |bound| bound.max(high));
        match self.log {
            true => Scale::log(low, high),
            false => Scale::linear(low, high),
        }
    }

    /// Ticks along `scale`, each with its text; about `wanted` of them unless given.
    pub(super) fn tick_labels(&self, scale: &Scale, wanted: usize) -> Vec<(f64, String)> {
        if self.ticks.is_empty() {
            return scale.ticks(wanted);
        }
        let text = |value: &f64| (*value, number(*value));
        self.ticks.iter().map(text).collect()
    }
}

/// Writes the chart's title and, below it, the y axis's label.
pub(super) fn write_heading(elements: &mut Elements, title: &str, label: &str) {
    let mut y = 14.0;
    if !title.is_empty() {
        elements.text("title", (4.0, y), Anchor::Start, title);
        y += 18.0;
    }
    elements.text("label", (4.0, y), Anchor::Start, label);
}

/// Draws the x axis below the frame, with ticks and the axis's label.
pub(super) fn draw_x_axis(elements: &mut Elements, frame: &Frame, axis: &Axis) {
    let foot = frame.bottom;
    elements.line("axis", (frame.left, foot), (frame.right, foot));
    let wanted = if frame.right - frame.left > 220.0 {
        6
    } else {
        4
    };
    let mut free = f64::MIN;
    for (value, text) in axis.tick_labels(&frame.x, wanted) {
        let x = frame.x_of(value);
        elements.line("axis", (x, foot), (x, foot + 4.0));
        let half = width_of(&text) / 2.0;
        // A number that would touch the previous one is left out; its tick stays.
        if x - half > free {
            elements.text("tick", (x, foot + 15.0), Anchor::Middle, &text);
            free = x + half + 3.0;
        }
    }
    let middle = (frame.left + frame.right) / 2.0;
    elements.text("label", (middle, foot + 30.0), Anchor::Middle, &axis.label);
}

/// Draws the y axis: a grid line and a number for each tick.
pub(super) fn draw_y_axis(elements: &mut Elements, frame: &Frame, ticks: &[(f64, String)]) {
    for (value, text) in ticks {
        let y = frame.y_of(*value);
        let class = if *value == 0.0 { "axis" } else { "grid" };
        elements.line(class, (frame.left, y), (frame.right, y));
        elements.text("tick", (frame.left - 4.0, y + 3.8), Anchor::End, text);
    }
}
