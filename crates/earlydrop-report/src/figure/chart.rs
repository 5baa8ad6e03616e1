//! Curves over an axis.

use super::names;
use super::scale::Scale;
use super::svg::{Anchor, COLOURS, Drawing, Elements, place, width_of};
use super::thin;

/// An axis as it is asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What lies along it, with its unit.
    pub label: String,
    /// It reaches down to this at least.
    pub low: Option<f64>,
    /// It reaches up to this at least.
    pub high: Option<f64>,
    /// Whether equal factors are equally long.
    pub log: bool,
    /// The numbers to write; chosen where there are none.
    pub ticks: Vec<f64>,
}

/// One measured value.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Where it lies.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// Half the width of its interval.
    pub half: Option<f64>,
    /// In words: "RED, 10 transfers: 9.53 ± 0.01 Mbps".
    pub words: String,
}

impl Point {
    /// The ends of its interval. What was measured is never below zero, so that an interval
    /// that would be ends there.
    fn ends(&self) -> [f64; 2] {
        ends(self.y, self.half)
    }
}

/// The ends of an interval around a value; of one above zero they are, too.
pub(super) fn ends(value: f64, half: Option<f64>) -> [f64; 2] {
    let half = half.unwrap_or(0.0);
    let floor = if value >= 0.0 { 0.0 } else { f64::MIN };
    [(value - half).max(floor), value + half]
}

/// What a curve is made of.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    /// Values with intervals, joined by lines.
    Points(Vec<Point>),
    /// A line through these places.
    Path(Vec<(f64, f64)>),
    /// Samples from `start` on, so far apart.
    Trace {
        /// Where the first lies.
        start: f64,
        /// How far the next is.
        interval: f64,
        /// The samples; what is no number leaves a gap.
        values: Vec<f64>,
    },
}

/// One curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name, written at its end.
    pub name: String,
    /// Which colour, dash and symbol it has.
    pub look: usize,
    /// In words, for who rests a pointer on it.
    pub words: String,
    /// Whether it stands behind the others.
    pub is_faint: bool,
    /// What it is made of.
    pub line: Line,
}

/// A value to compare with.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// Its name.
    pub name: String,
    /// Where it lies on the upright axis.
    pub value: f64,
}

/// A value of the axis along the foot to point out: a threshold, an operating point.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Its name, written above it.
    pub name: String,
    /// Where it lies along the foot.
    pub at: f64,
}

/// A chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// What stands above it; may be empty.
    pub title: String,
    /// The axis along the foot.
    pub x: Axis,
    /// The upright axis.
    pub y: Axis,
    /// What is drawn, in order.
    pub curves: Vec<Curve>,
    /// Values to compare with.
    pub levels: Vec<Level>,
    /// Values along the foot to point out.
    pub marks: Vec<Mark>,
}

/// How wide and how high a chart is: a telephone's width.
pub(super) const WIDTH: f64 = 370.0;
const HEIGHT: f64 = 262.0;
/// A row of marks' names, and how many rows there are at most.
const MARK_ROW: f64 = 12.0;
const MARK_ROWS: usize = 3;
/// From names of curves to their swatches' beginnings.
const SWATCH: f64 = 16.0;

/// The part of a drawing that is inside the axes, and the axes.
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
    pub(super) x: Scale,
    pub(super) y: Scale,
}

impl Frame {
    pub(super) fn x_of(&self, value: f64) -> f64 {
        let share = self.x.share(value).unwrap_or(0.0);
        self.left + share * (self.right - self.left)
    }

    pub(super) fn y_of(&self, value: f64) -> f64 {
        let share = self.y.share(value).unwrap_or(0.0);
        self.bottom - share * (self.bottom - self.top)
    }

    fn has(&self, x: f64, y: f64) -> bool {
        self.x.share(x).is_some() && self.y.share(y).is_some()
    }
}

/// The smallest and the largest of some numbers.
pub(super) fn extent(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let finite = values.filter(|value| value.is_finite());
    finite.fold(None, |found, value| match found {
        None => Some((value, value)),
        Some((low, high)) => Some((value.min(low), value.max(high))),
    })
}

impl Axis {
    /// The scale that holds what is drawn and what is asked for.
    pub(super) fn scale(&self, drawn: Option<(f64, f64)>) -> Scale {
        let (mut low, mut high) = drawn.unwrap_or((0.0, 1.0));
        low = self.low.map_or(low, |asked| asked.min(low));
        high = self.high.map_or(high, |asked| asked.max(high));
        match self.log {
            true => Scale::log(low, high),
            false => Scale::linear(low, high),
        }
    }

    /// The numbers to write along `scale`.
    pub(super) fn written(&self, scale: &Scale, wanted: usize) -> Vec<(f64, String)> {
        if self.ticks.is_empty() {
            return scale.ticks(wanted);
        }
        let text = |value: &f64| (*value, super::number(*value));
        self.ticks.iter().map(text).collect()
    }
}

impl Curve {
    fn xs(&self) -> Vec<f64> {
        match &self.line {
            Line::Points(points) => points.iter().map(|point| point.x).collect(),
            Line::Path(places) => places.iter().map(|(x, _)| *x).collect(),
            Line::Trace {
                start,
                interval,
                values,
            } => vec![*start, start + interval * values.len().max(1) as f64],
        }
    }

    fn ys(&self) -> Vec<f64> {
        match &self.line {
            Line::Points(points) => points.iter().flat_map(Point::ends),
            Line::Path(places) => return places.iter().map(|(_, y)| *y).collect(),
            Line::Trace { values, .. } => return values.clone(),
        }
        .collect()
    }

    /// The height of its name: that of its last value; of samples, their mean.
    fn end(&self) -> f64 {
        let mean = |values: &[f64]| {
            let finite = values.iter().filter(|value| value.is_finite());
            let (sum, count) = finite.fold((0.0, 0.0), |(s, n), value| (s + value, n + 1.0));
            sum / f64::max(count, 1.0)
        };
        match &self.line {
            Line::Points(points) => points.last().map_or(0.0, |point| point.y),
            Line::Path(places) => places.last().map_or(0.0, |(_, y)| *y),
            Line::Trace { values, .. } => mean(values),
        }
    }

    /// The classes of its colour and of its dash.
    fn look(&self, kind: &str) -> String {
        format!("{kind} c{}", self.look % COLOURS)
    }
}

impl Chart {
    /// The smallest and the largest value on the upright axis, intervals and levels
    /// included.
    pub fn extent(&self) -> Option<(f64, f64)> {
        let curves = self.curves.iter().flat_map(Curve::ys);
        let levels = self.levels.iter().map(|level| level.value);
        let shown = curves.chain(levels);
        // What a logarithmic axis cannot show does not stretch it.
        extent(shown.filter(|value| !self.y.log || *value > 0.0))
    }

    /// Draws it.
    pub fn draw(&self) -> Drawing {
        let mut elements = Elements::default();
        let frame = self.frame();
        heading(&mut elements, &self.title, &self.y_label(&frame));
        axes(&mut elements, &frame, self);
        self.curves
            .iter()
            .for_each(|curve| draw(&mut elements, &frame, curve));
        for level in &self.levels {
            let y = frame.y_of(level.value);
            elements.line("level", (frame.left, y), (frame.right, y));
        }
        draw_marks(&mut elements, &frame, &self.marks);
        self.write_names(&mut elements, &frame);
        Drawing {
            width: WIDTH as u32,
            height: HEIGHT as u32,
            about: self.about(),
            body: elements.0,
        }
    }

    fn about(&self) -> String {
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

    /// What the upright axis is, and whether it begins elsewhere than at zero.
    fn y_label(&self, frame: &Frame) -> String {
        let (low, _) = frame.y.ends();
        match low > 0.0 && !self.y.log {
            true => format!("{} (from {})", self.y.label, super::number(low)),
            false => self.y.label.clone(),
        }
    }

    fn frame(&self) -> Frame {
        let xs = extent(self.curves.iter().flat_map(Curve::xs));
        let x = self.x.scale(xs);
        let mut y_axis = self.y.clone();
        let ys = self.extent();
        // Zero belongs to the picture unless it would leave little of it.
        if let (Some((low, high)), None, false) = (ys, y_axis.low, y_axis.log)
            && low > 0.0
            && low < 0.6 * high
        {
            y_axis.low = Some(0.0);
        }
        let y = y_axis.scale(ys).rounded(5);
        let widest =
            |texts: &mut dyn Iterator<Item = &str>| texts.map(width_of).fold(0.0, f64::max);
        let written = y_axis.written(&y, 5);
        let left = 8.0 + widest(&mut written.iter().map(|(_, text)| text.as_str()));
        let curves = self.curves.iter().map(|curve| curve.name.as_str());
        let mut named = curves.chain(self.levels.iter().map(|level| level.name.as_str()));
        let room = widest(&mut named) + SWATCH + 14.0;
        let heading = if self.title.is_empty() { 26.0 } else { 44.0 };
        Frame {
            left,
            right: WIDTH - room,
            top: heading + MARK_ROW * self.marks.len().min(MARK_ROWS) as f64,
            bottom: HEIGHT - 36.0,
            x,
            y,
        }
    }

    fn write_names(&self, elements: &mut Elements, frame: &Frame) {
        let ends = self.curves.iter().map(Curve::end);
        let levels = self.levels.iter().map(|level| level.value);
        let wanted: Vec<f64> = ends.chain(levels).map(|value| frame.y_of(value)).collect();
        let places = names::spread(&wanted, frame.top + 2.0, frame.bottom - 2.0);
        let left = frame.right + 7.0;
        for (index, (y, wanted)) in places.iter().zip(&wanted).enumerate() {
            if (y - wanted).abs() > 3.0 {
                elements.line("lead", (frame.right + 1.0, *wanted), (left - 1.0, *y));
            }
            let end = (left + SWATCH - 4.0, *y);
            let name = match self.curves.get(index) {
                Some(curve) => {
                    elements.line(&curve.look("line"), (left, *y), end);
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

/// Marks: an upright line each, its name above the frame, in rows so that neighbours do not
/// touch.
fn draw_marks(elements: &mut Elements, frame: &Frame, marks: &[Mark]) {
    for (index, mark) in marks.iter().enumerate() {
        let Some(share) = frame.x.share(mark.at) else {
            continue;
        };
        let x = frame.left + share * (frame.right - frame.left);
        elements.line("level", (x, frame.top), (x, frame.bottom));
        let above = frame.top - 3.0 - MARK_ROW * (index % MARK_ROWS) as f64;
        let half = 0.5 * width_of(&mark.name);
        let middle = x.clamp(frame.left + half, (WIDTH - half).max(frame.left + half));
        elements.text("tick", (middle, above), Anchor::Middle, &mark.name);
    }
}

/// The title, and what the upright axis is.
pub(super) fn heading(elements: &mut Elements, title: &str, label: &str) {
    let mut y = 14.0;
    if !title.is_empty() {
        elements.text("title", (4.0, y), Anchor::Start, title);
        y += 18.0;
    }
    elements.text("label", (4.0, y), Anchor::Start, label);
}

fn axes(elements: &mut Elements, frame: &Frame, chart: &Chart) {
    upright(elements, frame, &chart.y.written(&frame.y, 5));
    let foot = frame.bottom;
    elements.line("axis", (frame.left, foot), (frame.right, foot));
    let wanted = if frame.right - frame.left > 220.0 {
        6
    } else {
        4
    };
    let mut free = f64::MIN;
    for (value, text) in chart.x.written(&frame.x, wanted) {
        let x = frame.x_of(value);
        elements.line("axis", (x, foot), (x, foot + 4.0));
        let half = width_of(&text) / 2.0;
        // A number that would touch the one before is left out; its mark stays.
        if x - half > free {
            elements.text("tick", (x, foot + 15.0), Anchor::Middle, &text);
            free = x + half + 3.0;
        }
    }
    let middle = (frame.left + frame.right) / 2.0;
    elements.text(
        "label",
        (middle, foot + 30.0),
        Anchor::Middle,
        &chart.x.label,
    );
}

/// The upright axis with its numbers and a faint line at each.
pub(super) fn upright(elements: &mut Elements, frame: &Frame, ticks: &[(f64, String)]) {
    for (value, text) in ticks {
        let y = frame.y_of(*value);
        let class = if *value == 0.0 { "axis" } else { "grid" };
        elements.line(class, (frame.left, y), (frame.right, y));
        elements.text("tick", (frame.left - 4.0, y + 3.8), Anchor::End, text);
    }
}

fn draw(elements: &mut Elements, frame: &Frame, curve: &Curve) {
    match &curve.line {
        Line::Points(points) => draw_points(elements, frame, curve, points),
        Line::Path(places) => elements.titled(&curve.words, |inside| {
            inside.path(&curve.look("line"), &joined(frame, places.iter().copied()));
        }),
        Line::Trace {
            start,
            interval,
            values,
        } => elements.titled(&curve.words, |inside| {
            let left = frame.x_of(*start);
            let step = frame.x_of(start + interval) - left;
            let path = thin::path(values, (left, step), |value| frame.y_of(value));
            let kind = if curve.is_faint {
                "trace under"
            } else {
                "trace"
            };
            inside.path(&curve.look(kind), &path);
        }),
    }
}

fn draw_points(elements: &mut Elements, frame: &Frame, curve: &Curve, points: &[Point]) {
    let shown: Vec<&Point> = points
        .iter()
        .filter(|point| frame.has(point.x, point.y))
        .collect();
    let edge = |end: usize| shown.iter().map(move |point| (point.x, point.ends()[end]));
    let around = edge(1).chain(edge(0).rev());
    elements.path(&curve.look("band"), &(joined(frame, around) + "Z"));
    let line = joined(frame, shown.iter().map(|point| (point.x, point.y)));
    elements.path(&curve.look("line"), &line);
    for point in shown {
        elements.titled(&point.words, |inside| {
            let (x, y) = (frame.x_of(point.x), frame.y_of(point.y));
            if point.half.is_some() {
                let [low, high] = point.ends().map(|end| (x, frame.y_of(end)));
                inside.line(&curve.look("whisker"), low, high);
            }
            inside.symbol(curve.look, (x, y), 2.6);
        });
    }
}

fn joined(frame: &Frame, places: impl Iterator<Item = (f64, f64)>) -> String {
    let corner = |(x, y)| format!("{} {}", place(frame.x_of(x)), place(frame.y_of(y)));
    let corners: Vec<String> = places.map(corner).collect();
    match corners.is_empty() {
        true => String::new(),
        false => format!("M{}", corners.join("L")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> Chart {
        let point = |x: f64, y: f64, half| Point {
            x,
            y,
            half,
            words: format!("at {x}: {y}"),
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
                words: String::new(),
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

    /// The places of the corners of the first path of a class.
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
        // Half way along both axes, to a tenth of a pixel.
        let near = |one: f64, other: f64| assert!((one - other).abs() < 0.06, "{one} {other}");
        near(line[1].0, (frame.left + frame.right) / 2.0);
        near(line[1].1, (frame.y_of(0.0) + frame.y_of(10.0)) / 2.0);
        // Intervals: 5 ± 1 reaches from 4 to 6.
        let band = corners(&body, "band c0");
        near(band[1].1, frame.y_of(6.0));
        near(band[4].1, frame.y_of(4.0));
        for words in ["at 0: 0", "at 50: 5", "at 100: 10"] {
            assert!(body.contains(&format!("<title>{words}</title>")), "{words}");
        }
    }

    #[test]
    fn an_axis_that_does_not_begin_at_zero_says_so() {
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
    fn nothing_is_cut_off_by_what_is_asked_for() {
        let mut chart = chart();
        (chart.y.low, chart.y.high) = (Some(0.0), Some(2.0));
        let (_, high) = chart.frame().y.ends();
        assert!(high >= 10.5, "{high}");
    }

    #[test]
    fn an_empty_chart_is_drawn_all_the_same() {
        let empty = Chart::default().draw();
        assert!(!empty.body.contains("NaN") && !empty.body.contains("inf"));
        let mut odd = chart();
        odd.y.log = true;
        odd.x.log = true;
        let body = odd.draw().body;
        assert!(!body.contains("NaN") && !body.contains("inf"), "{body}");
    }
}
