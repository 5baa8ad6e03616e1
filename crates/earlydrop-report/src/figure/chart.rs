//! Curves over two axes, with reference lines.

use earlydrop_lab::number::number;

use super::axis::{Axis, Frame, WIDTH, draw_x_axis, draw_y_axis, extent, write_heading};
use super::curve::{Curve, Line, draw_curve};
use super::label_layout;
use super::svg::{Anchor, Drawing, Elements, width_of};

/// A dashed horizontal line at a value to compare with.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// The name, written at the line's right end.
    pub name: String,
    /// The position on the y axis.
    pub value: f64,
}

/// A dashed vertical line at a value of the x axis: a threshold, an operating point.
#[derive(Clone, Debug, PartialEq)]
pub struct VerticalLine {
    /// The name, written above the line.
    pub name: String,
    /// The position on the x axis.
    pub at: f64,
}

/// A chart of curves over two axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// The title; may be empty.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The curves; later ones are drawn over earlier ones.
    pub curves: Vec<Curve>,
    /// Horizontal lines at values to compare with.
    pub levels: Vec<Level>,
    /// Vertical lines at values of the x axis to point out.
    pub vertical_lines: Vec<VerticalLine>,
}

const HEIGHT: f64 = 262.0;
/// The height of a row of names above the frame.
const NAME_ROW: f64 = 12.0;
/// The largest number of rows for the names of vertical lines.
const NAME_ROWS: usize = 3;
/// The width of the sample of a curve's line before its name.
const SWATCH: f64 = 16.0;

impl Chart {
    /// The smallest and the largest value on the y axis, intervals and levels included.
    pub fn extent(&self) -> Option<(f64, f64)> {
        let curves = self.curves.iter().flat_map(Curve::ys);
        let levels = self.levels.iter().map(|level| level.value);
        let values = curves.chain(levels);
        // A logarithmic axis has no place for zero and below.
        extent(values.filter(|value| !self.y.log || *value > 0.0))
    }

    /// The chart as a picture, the same byte for byte for equal charts.
    pub fn draw(&self) -> Drawing {
        let mut elements = Elements::default();
        let frame = self.frame();
        write_heading(&mut elements, &self.title, &self.y_label(&frame));
        draw_y_axis(&mut elements, &frame, &self.y.tick_labels(&frame.y, 5));
        draw_x_axis(&mut elements, &frame, &self.x);
        for curve in &self.curves {
            draw_curve(&mut elements, &frame, curve);
        }
        for level in &self.levels {
            let y = frame.y_of(level.value);
            elements.line("level", (frame.left, y), (frame.right, y));
        }
        draw_vertical_lines(&mut elements, &frame, &self.vertical_lines);
        self.write_names(&mut elements, &frame);
        Drawing {
            width: WIDTH as u32,
            height: HEIGHT as u32,
            description: self.description(),
            body: elements.0,
        }
    }

    /// What the chart shows, in one sentence, for screen readers.
    fn description(&self) -> String {
        let names: Vec<&str> = self
            .curves
            .iter()
            .map(|curve| curve.name.as_str())
            .collect();
        let title = match self.title.as_str() {
            "" => String::new(),
            title => format!("{title}: "),
        };
        format!(
            "{title}{} over {} for {}",
            self.y.label,
            self.x.label,
            names.join(", ")
        )
    }

    /// The y axis's label; says so where a linear axis starts above zero.
    fn y_label(&self, frame: &Frame) -> String {
        let (low, _) = frame.y.ends();
        match low > 0.0 && !self.y.log {
            true => format!("{} (from {})", self.y.label, number(low)),
            false => self.y.label.clone(),
        }
    }

    /// The plot area: what titles, tick labels and curves' names leave free.
    fn frame(&self) -> Frame {
        let xs = extent(self.curves.iter().flat_map(Curve::xs));
        let x = self.x.scale(xs);
        let mut y_axis = self.y.clone();
        let ys = self.extent();
        // The axis starts at zero unless the data would then fill less than 40% of it.
        if let (Some((low, high)), None, false) = (ys, y_axis.low, y_axis.log)
            && low > 0.0
            && low < 0.6 * high
        {
            y_axis.low = Some(0.0);
        }
        let y = y_axis.scale(ys).rounded(5);
        let widest =
            |texts: &mut dyn Iterator<Item = &str>| texts.map(width_of).fold(0.0, f64::max);
        let ticks = y_axis.tick_labels(&y, 5);
        let left = 8.0 + widest(&mut ticks.iter().map(|(_, text)| text.as_str()));
        let curves = self.curves.iter().map(|curve| curve.name.as_str());
        let mut names = curves.chain(self.levels.iter().map(|level| level.name.as_str()));
        let room = widest(&mut names) + SWATCH + 14.0;
        let heading = if self.title.is_empty() { 26.0 } else { 44.0 };
        Frame {
            left,
            right: WIDTH - room,
            top: heading + NAME_ROW * self.vertical_lines.len().min(NAME_ROWS) as f64,
            bottom: HEIGHT - 36.0,
            x,
            y,
        }
    }

    /// Writes the names of curves and levels to the right of the frame.
    fn write_names(&self, elements: &mut Elements, frame: &Frame) {
        let ends = self.curves.iter().map(Curve::label_y);
        let levels = self.levels.iter().map(|level| level.value);
        let wanted: Vec<f64> = ends.chain(levels).map(|value| frame.y_of(value)).collect();
        let rows = label_layout::spread(&wanted, frame.top + 2.0, frame.bottom - 2.0);
        let left = frame.right + 7.0;
        for (index, (y, wanted)) in rows.iter().zip(&wanted).enumerate() {
            if (y - wanted).abs() > 3.0 {
                elements.line("lead", (frame.right + 1.0, *wanted), (left - 1.0, *y));
            }
            let end = (left + SWATCH - 4.0, *y);
            let name = match self.curves.get(index) {
                Some(curve) => {
                    elements.line(&curve.class("line"), (left, *y), end);
                    if matches!(curve.line, Line::Points(_)) {
                        elements.symbol(curve.look, (left + 6.0, *y), 3.0);
                    }
                    &curve.name
                }
                None => {
                    elements.line("level", (left, *y), end);
                    &self.levels[index - self.curves.len()].name
                }
            };
            elements.text("name", (left + SWATCH, y + 3.8), Anchor::Start, name);
        }
    }
}

/// Draws vertical lines, their names above the frame in alternating rows.
fn draw_vertical_lines(elements: &mut Elements, frame: &Frame, lines: &[VerticalLine]) {
    for (index, line) in lines.iter().enumerate() {
        let Some(share) = frame.x.share(line.at) else {
            continue;
        };
        let x = frame.left + share * (frame.right - frame.left);
        elements.line("level", (x, frame.top), (x, frame.bottom));
        let above = frame.top - 3.0 - NAME_ROW * (index % NAME_ROWS) as f64;
        let half = 0.5 * width_of(&line.name);
        let middle = x.clamp(frame.left + half, (WIDTH - half).max(frame.left + half));
        elements.text("tick", (middle, above), Anchor::Middle, &line.name);
    }
}

#[cfg(test)]
mod tests {
    use super::super::curve::Point;
    use super::*;

    fn chart() -> Chart {
        let point = |x: f64, y: f64, half| Point {
            x,
            y,
            half,
            tooltip: format!("at {x}: {y}"),
        };
        Chart {
            x: Axis {
                label: "flows".to_string(),
                ..Axis::default()
            },
            y: Axis {
                label: "delay, ms".to_string(),
                ..Axis::default()
            },
            curves: vec![Curve {
                name: "RED".to_string(),
                look: 0,
                tooltip: String::new(),
                is_faint: false,
                line: Line::Points(vec![
                    point(0.0, 0.0, None),
                    point(50.0, 5.0, Some(1.0)),
                    point(100.0, 10.0, Some(0.5)),
                ]),
            }],
            ..Chart::default()
        }
    }

    /// The corners of the first path of a class, in pixels.
    fn corners(body: &str, class: &str) -> Vec<(f64, f64)> {
        let (_, rest) = body
            .split_once(&format!("class=\"{class}\" d=\"M"))
            .unwrap();
        let (path, _) = rest.split_once('"').unwrap();
        let corner = |text: &str| {
            let (x, y) = text.split_once(' ').unwrap();
            (x.parse().unwrap(), y.parse().unwrap())
        };
        path.trim_end_matches('Z').split('L').map(corner).collect()
    }

    #[test]
    fn values_lie_between_their_ticks() {
        let chart = chart();
        let (body, frame) = (chart.draw().body, chart.frame());
        let line = corners(&body, "line c0");
        assert_eq!(line.len(), 3);
        // Coordinates are written to a tenth of a pixel.
        let near = |one: f64, other: f64| assert!((one - other).abs() < 0.06, "{one} {other}");
        near(line[1].0, (frame.left + frame.right) / 2.0);
        near(line[1].1, (frame.y_of(0.0) + frame.y_of(10.0)) / 2.0);
        // The interval 5 ± 1.
        let band = corners(&body, "band c0");
        near(band[1].1, frame.y_of(6.0));
        near(band[4].1, frame.y_of(4.0));
        for tooltip in ["at 0: 0", "at 50: 5", "at 100: 10"] {
            let title = format!("<title>{tooltip}</title>");
            assert!(body.contains(&title), "{tooltip}");
        }
    }

    #[test]
    fn a_y_axis_that_starts_above_zero_says_so() {
        let mut chart = chart();
        let Line::Points(points) = &mut chart.curves[0].line else {
            unreachable!("it is made of points");
        };
        points.iter_mut().for_each(|point| point.y += 90.0);
        assert!(chart.draw().body.contains("delay, ms (from 90)"));
        chart.y.low = Some(0.0);
        assert!(!chart.draw().body.contains("(from"));
    }

    #[test]
    fn requested_bounds_cut_nothing_off() {
        let mut chart = chart();
        (chart.y.low, chart.y.high) = (Some(0.0), Some(2.0));
        let (_, high) = chart.frame().y.ends();
        assert!(high >= 10.5, "{high}");
    }

    #[test]
    fn empty_charts_and_zeros_on_log_axes_are_drawn() {
        let empty = Chart::default().draw();
        assert!(!empty.body.contains("NaN") && !empty.body.contains("inf"));
        let mut log = chart();
        log.y.log = true;
        log.x.log = true;
        let body = log.draw().body;
        assert!(!body.contains("NaN") && !body.contains("inf"), "{body}");
    }
}
