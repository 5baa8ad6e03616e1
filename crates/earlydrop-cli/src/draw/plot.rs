//! Plots of lines and points over two axes.
//!
//! A braille character has 2 by 4 dots, so that a plot has twice as many columns and four times as
//! many rows as its text. Without Unicode a character is one star.

use super::Style;
use super::canvas::{Axis, Canvas, star};
use super::text::{Look, Text};

/// A plot of several series over the same two axes.
#[derive(Clone, Debug)]
pub(crate) struct Plot {
    title: String,
    x_label: String,
    y_label: String,
    x: Axis,
    y: Axis,
    height: usize,
    series: Vec<Series>,
    marks: Vec<(f64, String)>,
}

#[derive(Clone, Debug)]
struct Series {
    name: String,
    points: Vec<(f64, f64)>,
    connected: bool,
}

impl Plot {
    /// An empty plot. A range that is empty or not finite becomes 0 to 1.
    pub(crate) fn new(x: (f64, f64), y: (f64, f64)) -> Plot {
        Plot {
            title: String::new(),
            x_label: String::new(),
            y_label: String::new(),
            x: Axis::from(x),
            y: Axis::from(y),
            height: 12,
            series: Vec::new(),
            marks: Vec::new(),
        }
    }

    /// Sets the title.
    pub(crate) fn title(mut self, title: &str) -> Plot {
        self.title = title.to_string();
        self
    }

    /// Sets the labels of the axes, with units.
    pub(crate) fn labels(mut self, x: &str, y: &str) -> Plot {
        (self.x_label, self.y_label) = (x.to_string(), y.to_string());
        self
    }

    /// Sets the number of rows between the axes.
    pub(crate) fn height(mut self, rows: usize) -> Plot {
        self.height = rows.clamp(2, 200);
        self
    }

    /// Adds a line through points. It has a gap where a point is not finite or outside the x range,
    /// and follows the edge where y is outside its range.
    pub(crate) fn line(mut self, name: &str, points: Vec<(f64, f64)>) -> Plot {
        self.series.push(Series {
            name: name.to_string(),
            points,
            connected: true,
        });
        self
    }

    /// Adds single points; those outside the ranges are left out.
    pub(crate) fn points(mut self, name: &str, points: Vec<(f64, f64)>) -> Plot {
        self.series.push(Series {
            name: name.to_string(),
            points,
            connected: false,
        });
        self
    }

    /// Adds a dotted vertical line at `x`, with its label above.
    pub(crate) fn mark(mut self, x: f64, label: &str) -> Plot {
        self.marks.push((x, label.to_string()));
        self
    }

    /// The plot as lines of the width of `style`.
    pub(crate) fn lines(&self, style: &Style) -> Vec<Text> {
        let y_ticks = self.y.ticks(self.height.div_ceil(3));
        let gutter = y_ticks.iter().map(|(_, label)| label.len()).max();
        let gutter = gutter.unwrap_or(0) + 2;
        let columns = style.width.saturating_sub(gutter).max(4);
        let mut above = Vec::new();
        if !self.title.is_empty() {
            above.extend(Text::new(&self.title, Look::Strong).wrapped(style.width));
        }
        if !self.y_label.is_empty() {
            above.push(Text::new(&self.y_label, Look::Faint));
        }
        let column = |x: &f64| self.x.cell(*x, columns, 2);
        let marks = self.marks.iter();
        let labels = marks.filter_map(|(x, label)| Some((column(x)?, label.clone())));
        let mut rows = labels_in_rows(&labels.collect::<Vec<_>>(), columns, 3);
        rows.reverse();
        above.extend(rows.iter().map(|row| at_column(gutter, row, Look::Plain)));
        above.extend(self.body(&y_ticks, gutter, columns, style.unicode));
        above.extend(self.foot(gutter, columns, style.unicode));
        above.iter().map(|line| line.cut(style.width)).collect()
    }

    /// The rows between the axes, with the y axis and its numbers.
    fn body(
        &self,
        y_ticks: &[(f64, String)],
        gutter: usize,
        columns: usize,
        unicode: bool,
    ) -> Vec<Text> {
        let mut canvas = Canvas::new(columns, self.height);
        for (index, series) in self.series.iter().enumerate() {
            canvas.draw(index, (&series.points, series.connected), &self.x, &self.y);
        }
        let vertical_lines: Vec<usize> = self
            .marks
            .iter()
            .filter_map(|(x, _)| self.x.cell(*x, columns, 2))
            .collect();
        let mut numbers = vec![""; self.height];
        for (value, label) in y_ticks {
            if let Some(from_below) = self.y.cell(*value, self.height, 4) {
                numbers[self.height - 1 - from_below] = label;
            }
        }
        let row = |(row, number): (usize, &&str)| {
            let axis = match (unicode, number.is_empty()) {
                (true, true) => '│',
                (true, false) => '┤',
                (false, true) => '|',
                (false, false) => '+',
            };
            let number = format!("{number:>width$} {axis}", width = gutter - 2);
            let mut line = Text::new(&number, Look::Faint);
            for column in 0..columns {
                let (glyph, look) = canvas.glyph(column, row, unicode).unwrap_or_else(|| {
                    let dotted = if unicode { "┊" } else { ":" };
                    match vertical_lines.contains(&column) {
                        true => (dotted.to_string(), Look::Faint),
                        false => (" ".to_string(), Look::Plain),
                    }
                });
                line.push(&glyph, look);
            }
            line
        };
        numbers.iter().enumerate().map(row).collect()
    }

    /// The x axis with its numbers and label, and the legend.
    fn foot(&self, gutter: usize, columns: usize, unicode: bool) -> Vec<Text> {
        let ticks = self.x.ticks(columns.div_ceil(9));
        let labels: Vec<(usize, String)> = ticks
            .into_iter()
            .filter_map(|(value, label)| Some((self.x.cell(value, columns, 2)?, label)))
            .collect();
        let (corner, dash, tick) = if unicode {
            ("└", "─", "┬")
        } else {
            ("+", "-", "+")
        };
        let ticked = |column| labels.iter().any(|(at, _)| *at == column);
        let axis: String = (0..columns)
            .map(|column| if ticked(column) { tick } else { dash })
            .collect();
        let mut lines = vec![at_column(
            gutter - 1,
            &format!("{corner}{axis}"),
            Look::Faint,
        )];
        let numbers = labels_in_rows(&labels, columns, 1);
        lines.extend(
            numbers
                .iter()
                .map(|row| at_column(gutter, row, Look::Faint)),
        );
        if !self.x_label.is_empty() {
            let start = columns.saturating_sub(self.x_label.chars().count()) / 2;
            lines.push(at_column(gutter + start, &self.x_label, Look::Faint));
        }
        if self.series.len() > 1 {
            lines.extend(self.legend(gutter, unicode));
        }
        lines
    }

    /// A line for each series: a sample and the name.
    fn legend(&self, gutter: usize, unicode: bool) -> Vec<Text> {
        let entry = |(index, series): (usize, &Series)| {
            let sample = match (unicode, series.connected) {
                (true, true) => "⠒⠒".to_string(),
                (true, false) => "⠂⠂".to_string(),
                (false, _) => star(index).repeat(2),
            };
            at_column(gutter, &sample, Look::Series(index))
                .then(&format!(" {}", series.name), Look::Plain)
        };
        self.series.iter().enumerate().map(entry).collect()
    }
}

/// Text that starts at a column.
fn at_column(column: usize, text: &str, look: Look) -> Text {
    let mut line = Text::default();
    line.pad(column);
    line.then(text, look)
}

/// Labels centred on their columns, each in the first of at most `rows` rows where it touches no
/// other; labels without room are left out.
fn labels_in_rows(labels: &[(usize, String)], columns: usize, rows: usize) -> Vec<String> {
    let mut placed: Vec<String> = Vec::new();
    for (column, label) in labels {
        let width = label.chars().count();
        if width == 0 || width > columns {
            continue;
        }
        let start = column.saturating_sub(width / 2).min(columns - width);
        let free = |row: &String| {
            let used = row.chars().count();
            used == 0 || used < start
        };
        let index = placed.iter().position(free).unwrap_or(placed.len());
        if index == rows {
            continue;
        }
        if index == placed.len() {
            placed.push(String::new());
        }
        let row = &mut placed[index];
        let used = row.chars().count();
        row.push_str(&" ".repeat(start - used));
        row.push_str(label);
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn painted(plot: &Plot, width: usize, unicode: bool) -> Vec<String> {
        let style = Style {
            colour: false,
            unicode,
            width,
        };
        let lines = plot.lines(&style);
        lines.iter().map(|line| line.paint(&style)).collect()
    }

    #[test]
    fn a_diagonal_goes_from_corner_to_corner() {
        let plot = Plot::new((0.0, 1.0), (0.0, 1.0))
            .height(4)
            .line("x", vec![(0.0, 0.0), (1.0, 1.0)]);
        // "1.0 |" leaves four columns, 8 by 16 dots: two rows up for each step right.
        let rows = |glyph: &str| ["   ", "  ", " ", ""].map(|before| format!("{before}{glyph}"));
        let [top, second, third, bottom] = rows("*");
        assert_eq!(
            painted(&plot, 9, false),
            [
                format!("1.0 +{top}"),
                format!("0.5 +{second}"),
                format!("    |{third}"),
                format!("0.0 +{bottom}"),
                "    ++--+".into(),
                "     0  1".into(),
            ]
        );
        // Dots 7 and 3 on the left, 5 and 4 on the right: 0x44 and 0x18.
        let [top, second, third, bottom] = rows("\u{285c}");
        assert_eq!(
            painted(&plot, 9, true)[..4],
            [
                format!("1.0 ┤{top}"),
                format!("0.5 ┤{second}"),
                format!("    │{third}"),
                format!("0.0 ┤{bottom}"),
            ]
        );
    }

    #[test]
    fn a_gap_in_the_numbers_is_a_gap_in_the_line() {
        let line = vec![(0.0, 0.0), (1.0, 0.0), (2.0, f64::NAN), (3.0, 0.0)];
        let plot = Plot::new((0.0, 3.0), (0.0, 1.0)).height(2).line("x", line);
        assert_eq!(painted(&plot, 9, false)[1], "0 +***  *");
    }

    #[test]
    fn marks_stand_in_the_column_of_their_value() {
        let plot = Plot::new((0.0, 3.0), (0.0, 1.0)).height(2).mark(2.0, "max");
        let rows = painted(&plot, 9, false);
        assert_eq!(rows[0], "     max");
        assert_eq!(rows[1], "1 +   :");
    }

    #[test]
    fn ticks_are_round_numbers() {
        let labels = |low, high, wanted| -> Vec<String> {
            let ticks = Axis::from((low, high)).ticks(wanted);
            ticks.into_iter().map(|(_, label)| label).collect()
        };
        assert_eq!(labels(0.0, 1.0, 4), ["0.0", "0.5", "1.0"]);
        assert_eq!(labels(0.0, 18.0, 4), ["0", "5", "10", "15"]);
        assert_eq!(labels(-1.0, 1.0, 2), ["-1", "0", "1"]);
        assert_eq!(labels(0.0, 3e9, 3), ["0.0e0", "1.0e9", "2.0e9", "3.0e9"]);
    }

    #[test]
    fn labels_that_would_touch_go_to_another_row() {
        let labels = [
            (2, "min".to_string()),
            (5, "max".into()),
            (20, "all".into()),
        ];
        assert_eq!(
            labels_in_rows(&labels, 24, 2),
            [" min               all", "    max"]
        );
        assert_eq!(labels_in_rows(&labels, 24, 1), [" min               all"]);
    }

    #[test]
    fn extreme_values_neither_panic_nor_exceed_the_width() {
        let extremes = [
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::MAX,
            f64::MIN,
            0.0,
            f64::MIN_POSITIVE,
            -1.0,
            1e300,
        ];
        for low in extremes {
            for high in extremes {
                let points: Vec<(f64, f64)> = extremes.iter().map(|y| (*y, *y)).collect();
                let plot = Plot::new((low, high), (high, low))
                    .title("a title that is longer than twenty columns")
                    .labels("average queue in packets", "probability")
                    .line("a line", points.clone())
                    .points("points", points)
                    .line("none", Vec::new())
                    .mark(low, "low")
                    .mark(0.5, "a label that is too long for it");
                for (width, unicode) in [(20, true), (20, false), (80, true)] {
                    for line in painted(&plot, width, unicode) {
                        assert!(line.chars().count() <= width, "{line}");
                        assert_eq!(line, line.trim_end());
                    }
                }
            }
        }
    }
}
