//! A picture in the units of its data: panels over a common x axis.

use earlydrop_lab::number::number;

use super::scale::{Scale, extent, start};

/// A picture in the units of its data.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plot {
    /// The title above it; may be empty.
    pub title: String,
    /// What it shows, in sentences.
    pub description: String,
    /// The x axis, which all panels share.
    pub x: PlotAxis,
    /// The panels from top to bottom.
    pub panels: Vec<PlotPanel>,
    /// The legend: a name, and its mark.
    pub legend: Vec<(String, Key)>,
    /// Whether the legend's names stand at the right ends of the first panel's lines, and not below.
    pub has_names_at_ends: bool,
}

impl Plot {
    /// Describes what it shows: "Delays: queueing delay, ms over flows for RED, CoDel".
    pub fn describe(&mut self) {
        let names: Vec<&str> = self.legend.iter().map(|(name, _)| name.as_str()).collect();
        let title = match self.title.as_str() {
            "" => String::new(),
            title => format!("{title}: "),
        };
        let y = self.panels.first().map_or("", |panel| &panel.y.label);
        let over = match self.x.label.as_str() {
            "" => String::new(),
            label => format!(" over {label}"),
        };
        self.description = format!("{title}{y}{over} for {}", names.join(", "));
    }

    /// Widens the axes to all that is drawn.
    pub fn fit(&mut self) {
        for panel in &mut self.panels {
            for (x, y) in panel.marks.iter().flat_map(Mark::places) {
                self.x.widen(x);
                panel.y.widen(y);
            }
        }
    }
}

/// One panel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlotPanel {
    /// The y axis.
    pub y: PlotAxis,
    /// What is drawn, in order.
    pub marks: Vec<Mark>,
}

/// An axis: its label, and its range.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlotAxis {
    /// The quantity with its unit.
    pub label: String,
    /// The smallest and the largest value.
    pub range: (f64, f64),
    /// Whether it is logarithmic.
    pub is_log: bool,
    /// Whether the range ends at it exactly, and not at a round number.
    pub is_exact: bool,
    /// Whether it starts there whatever a reader of a page hides.
    pub keeps_start: bool,
    /// Ticks with their text; empty: round numbers.
    pub ticks: Vec<(f64, String)>,
}

impl PlotAxis {
    /// An axis that has these ends on it, if they are given, and [fits](Plot::fit) what is drawn.
    pub fn fitting(label: &str, low: Option<f64>, high: Option<f64>) -> PlotAxis {
        PlotAxis {
            label: label.to_string(),
            range: (
                low.unwrap_or(f64::INFINITY),
                high.unwrap_or(f64::NEG_INFINITY),
            ),
            ..PlotAxis::default()
        }
    }

    fn widen(&mut self, value: f64) {
        // A logarithmic axis has no place for zero and below.
        if value.is_finite() && (!self.is_log || value > 0.0) {
            self.range = (self.range.0.min(value), self.range.1.max(value));
        }
    }

    /// Starts a linear axis at zero unless the values would then fill less than 40% of it. The label
    /// says where it starts instead.
    pub fn start_at_zero(&mut self) {
        let (low, high) = self.range;
        if self.is_log || !low.is_finite() {
            return;
        }
        self.keeps_start = true;
        self.range.0 = start(low, high);
        if self.range.0 > 0.0 {
            let start = number(self.scale().ends().0);
            self.label = format!("{} (from {start})", self.label);
        }
    }

    pub(super) fn scale(&self) -> Scale {
        let (low, high) = self.range;
        match (self.is_log, self.is_exact) {
            (true, _) => Scale::log(low, high),
            (false, true) => Scale::linear(low, high),
            (false, false) => Scale::linear(low, high).rounded(4),
        }
    }

    /// The ticks along the axis's scale; about `wanted` unless they are given.
    pub(super) fn ticks(&self, wanted: usize) -> Vec<(f64, String)> {
        match self.ticks.is_empty() {
            true => self.scale().ticks(wanted),
            false => self.ticks.clone(),
        }
    }
}

/// The mark of a legend's entry: a line, a symbol, both, or a filled box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// The index of colour, dashes and symbol.
    pub look: usize,
    /// Whether it shows a line.
    pub has_line: bool,
    /// Whether it shows a symbol.
    pub has_symbol: bool,
    /// The dashes, where they are not those of `look`.
    pub dashes: Option<&'static [f64]>,
}

impl Key {
    /// A filled box.
    pub fn area(look: usize) -> Key {
        Key {
            look,
            has_line: false,
            has_symbol: false,
            dashes: None,
        }
    }

    /// A line.
    pub fn line(look: usize) -> Key {
        Key {
            has_line: true,
            ..Key::area(look)
        }
    }

    /// A symbol.
    pub fn symbol(look: usize) -> Key {
        Key {
            has_symbol: true,
            ..Key::area(look)
        }
    }

    /// A line with symbols.
    pub fn both(look: usize) -> Key {
        Key {
            has_symbol: true,
            ..Key::line(look)
        }
    }
}

/// Something drawn in a panel, at places in the units of the axes. On a page its `tip` is shown under
/// the pointer; it may be empty.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// A line; places that are not finite leave a gap.
    Line {
        /// The name in the legend.
        name: String,
        /// The places.
        points: Vec<(f64, f64)>,
        /// Its colour and dashes.
        key: Key,
        /// The width, of a line of usual width.
        weight: f64,
        /// What a page shows of it.
        tip: String,
    },
    /// Symbols.
    Symbols {
        /// The name in the legend.
        name: String,
        /// The places.
        points: Vec<(f64, f64)>,
        /// The index of colour and symbol.
        look: usize,
        /// The size, of a symbol of usual size.
        size: f64,
        /// The opacity.
        opacity: f64,
        /// What a page shows of it.
        tip: String,
    },
    /// A filled outline.
    Area {
        /// The corners.
        points: Vec<(f64, f64)>,
        /// The index of the colour.
        look: usize,
        /// The opacity.
        opacity: f64,
        /// What a page shows of it.
        tip: String,
    },
    /// A dashed horizontal line with a name.
    Level {
        /// The place on the y axis.
        at: f64,
        /// The name.
        name: String,
    },
    /// A dashed vertical line.
    Vertical {
        /// The place on the x axis.
        at: f64,
        /// The name above it; may be empty.
        name: String,
    },
}

impl Mark {
    /// A line of usual width.
    pub fn line(name: &str, points: Vec<(f64, f64)>, key: Key) -> Mark {
        Mark::Line {
            name: name.to_string(),
            points,
            key,
            weight: 1.0,
            tip: String::new(),
        }
    }

    /// The band between the ends of intervals: x, the low and the high end of each.
    pub fn band(ends: &[(f64, f64, f64)], look: usize) -> Mark {
        let low = ends.iter().map(|(x, low, _)| (*x, *low));
        let high = ends.iter().rev().map(|(x, _, high)| (*x, *high));
        Mark::Area {
            points: low.chain(high).collect(),
            look,
            opacity: 0.13,
            tip: String::new(),
        }
    }

    /// The places that the axes must cover; what a mark has no place along is not a number.
    fn places(&self) -> Vec<(f64, f64)> {
        match self {
            Mark::Line { points, .. }
            | Mark::Symbols { points, .. }
            | Mark::Area { points, .. } => points.clone(),
            Mark::Level { at, .. } => vec![(f64::NAN, *at)],
            Mark::Vertical { .. } => Vec::new(),
        }
    }

    /// Where the line of this name ends along y: the mean of the last tenth of its places.
    pub(super) fn end_of(&self, wanted: &str) -> Option<f64> {
        match self {
            Mark::Line { name, points, .. } if name == wanted => {
                let ys: Vec<f64> = points
                    .iter()
                    .map(|(_, y)| *y)
                    .filter(|y| y.is_finite())
                    .collect();
                let last = &ys[ys.len() - ys.len().div_ceil(10)..];
                extent(last.iter().copied()).map(|_| last.iter().sum::<f64>() / last.len() as f64)
            }
            _ => None,
        }
    }
}

/// The size of a printed picture, in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// The width.
    pub width: f64,
    /// The height; `None` for one that suits the width.
    pub height: Option<f64>,
    /// The font size.
    pub font: f64,
}

impl Size {
    /// On pages: 370 pixels, a telephone's width, with letters of 11 pixels.
    pub const PAGE: Size = Size {
        width: 277.5,
        height: Some(196.5),
        font: 8.25,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_starts_at_zero_or_says_where() {
        let mut axis = PlotAxis::fitting("delay, ms", None, None);
        axis.widen(90.0);
        axis.widen(100.0);
        let mut high = axis.clone();
        high.start_at_zero();
        assert_eq!(high.label, "delay, ms (from 90)");
        axis.widen(50.0);
        axis.start_at_zero();
        assert_eq!((axis.range.0, axis.label.as_str()), (0.0, "delay, ms"));
    }

    #[test]
    fn wanted_ends_cut_nothing_off() {
        let mut plot = Plot {
            panels: vec![PlotPanel {
                y: PlotAxis::fitting("", Some(0.0), Some(2.0)),
                marks: vec![Mark::line("", vec![(1.0, 10.5)], Key::line(0))],
            }],
            ..Plot::default()
        };
        plot.fit();
        assert_eq!(plot.panels[0].y.range, (0.0, 10.5));
    }
}
