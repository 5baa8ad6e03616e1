//! Grouped bar charts whose bars start at zero.

use super::axis::{Axis, Frame, WIDTH, draw_y_axis, ends, extent, write_heading};
use super::chart::Level;
use super::scale::Scale;
use super::svg::{Anchor, COLOURS, Drawing, Elements, width_of};

/// One bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// The height; `None` where nothing was measured.
    pub value: Option<f64>,
    /// Half the width of the interval; `None` with a single run.
    pub half: Option<f64>,
    /// The tooltip.
    pub tooltip: String,
}

/// A bar chart: in each group, one bar of every row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bars {
    /// The title; may be empty.
    pub title: String,
    /// The vertical axis.
    pub y: Axis,
    /// The groups' names, below the bars.
    pub groups: Vec<String>,
    /// The rows: a name for the legend, and a bar for each group.
    pub rows: Vec<(String, Vec<Bar>)>,
    /// Horizontal lines at values to compare with.
    pub levels: Vec<Level>,
}

const HEIGHT: f64 = 262.0;

impl Bars {
    /// The smallest and the largest value; zero, intervals and levels included.
    pub fn extent(&self) -> Option<(f64, f64)> {
        let bars = self.rows.iter().flat_map(|(_, bars)| bars);
        let ends = bars.filter_map(|bar| Some(ends(bar.value?, bar.half)));
        let levels = self.levels.iter().map(|level| level.value);
        extent(ends.flatten().chain(levels).chain([0.0]))
    }

    /// The chart as a picture, the same byte for byte for equal charts.
    pub fn draw(&self) -> Drawing {
        let mut elements = Elements::default();
        write_heading(&mut elements, &self.title, &self.y.label);
        let lines = self.write_legend(&mut elements);
        let frame = self.frame(lines);
        draw_y_axis(&mut elements, &frame, &self.y.tick_labels(&frame.y, 5));
        elements.line(
            "axis",
            (frame.left, frame.y_of(0.0)),
            (frame.right, frame.y_of(0.0)),
        );
        for (index, name) in self.groups.iter().enumerate() {
            self.draw_group(&mut elements, &frame, index);
            let middle = frame.x_of(index as f64 + 0.5);
            elements.text("tick", (middle, frame.bottom + 15.0), Anchor::Middle, name);
        }
        for level in &self.levels {
            let y = frame.y_of(level.value);
            elements.line("level", (frame.left, y), (frame.right, y));
            let at = (frame.right - 2.0, y - 3.5);
            elements.text("name", at, Anchor::End, &level.name);
        }
        let names: Vec<&str> = self.rows.iter().map(|(name, _)| name.as_str()).collect();
        Drawing {
            width: WIDTH as u32,
            height: HEIGHT as u32,
            description: format!(
                "{}: {} of {} for {}",
                self.title,
                self.y.label,
                self.groups.join(", "),
                names.join(", ")
            ),
            body: elements.0,
        }
    }

    /// Writes the legend of the rows; returns how many lines it takes.
    fn write_legend(&self, elements: &mut Elements) -> usize {
        let top = if self.title.is_empty() { 31.0 } else { 49.0 };
        let (mut x, mut line) = (4.0, 0);
        for (index, (name, _)) in self.rows.iter().enumerate() {
            let width = width_of(name) + 26.0;
            if x + width > WIDTH && x > 4.0 {
                (x, line) = (4.0, line + 1);
            }
            let y = top + 14.0 * line as f64;
            let class = format!("bar c{}", index % COLOURS);
            elements.rectangle(&class, (x, y - 8.0), (x + 10.0, y + 1.0));
            elements.text("name", (x + 14.0, y), Anchor::Start, name);
            x += width;
        }
        line + 1
    }

    /// The plot area below a legend of `legend_lines` lines.
    fn frame(&self, legend_lines: usize) -> Frame {
        let y = self.y.scale(self.extent()).rounded(5);
        let ticks = self.y.tick_labels(&y, 5);
        let widest = ticks.iter().map(|(_, text)| width_of(text));
        let top = if self.title.is_empty() { 26.0 } else { 44.0 };
        Frame {
            left: 8.0 + widest.fold(0.0, f64::max),
            right: WIDTH - 6.0,
            top: top + 14.0 * legend_lines as f64,
            bottom: HEIGHT - 22.0,
            x: Scale::linear(0.0, self.groups.len().max(1) as f64),
            y,
        }
    }

    /// Draws the bars of one group, centred in its share of the width.
    fn draw_group(&self, elements: &mut Elements, frame: &Frame, group: usize) {
        let count = self.rows.len().max(1) as f64;
        let room = frame.x_of(1.0) - frame.x_of(0.0);
        let width = (room * 0.8 / count).min(34.0);
        let left = frame.x_of(group as f64 + 0.5) - width * count / 2.0;
        for (index, (_, bars)) in self.rows.iter().enumerate() {
            let Some((bar, value)) = bars.get(group).and_then(|bar| Some((bar, bar.value?))) else {
                continue;
            };
            let x = left + width * index as f64;
            elements.with_tooltip(&bar.tooltip, |drawing| {
                let class = format!("bar c{}", index % COLOURS);
                let (from, to) = (frame.y_of(0.0), frame.y_of(value));
                drawing.rectangle(&class, (x + 1.0, from), (x + width - 1.0, to));
                if bar.half.is_some() {
                    let middle = x + width / 2.0;
                    let [low, high] = ends(value, bar.half).map(|end| (middle, frame.y_of(end)));
                    drawing.line("bar whisker", low, high);
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_and_intervals_are_cut_off_at_zero() {
        let bar = |value: f64, half: f64| Bar {
            value: Some(value),
            half: Some(half),
            tooltip: format!("{value}"),
        };
        let bars = Bars {
            groups: vec!["near".to_string(), "far".to_string()],
            rows: vec![("RED".to_string(), vec![bar(8.0, 1.0), bar(2.0, 5.0)])],
            ..Bars::default()
        };
        assert_eq!(bars.extent(), Some((0.0, 9.0)));
        let frame = bars.frame(1);
        assert_eq!(frame.y.ends().0, 0.0);
        let body = bars.draw().body;
        // Four times the value, four times the height.
        let heights: Vec<f64> = body
            .split("<rect class=\"bar c0\"")
            .skip(2)
            .filter_map(|rest| {
                rest.split_once("height=\"")?
                    .1
                    .split('"')
                    .next()?
                    .parse()
                    .ok()
            })
            .collect();
        assert!((heights[0] - 4.0 * heights[1]).abs() < 0.5, "{heights:?}");
    }
}
