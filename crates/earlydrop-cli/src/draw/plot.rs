//! Lines and points between two axes, and curves small enough for a line of text.
//!
//! A character of braille holds 2 by 4 dots, so that a plot has twice the columns and
//! four times the rows of its text. Without Unicode a character is one star.

use earlydrop_report::figure;

use super::Style;
use super::text::{Look, Text};

/// A picture of several series over the same two axes.
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
    /// An empty picture. A range that is not one, from small to large and finite,
    /// becomes 0 to 1.
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

    /// What stands above it.
    pub(crate) fn title(mut self, title: &str) -> Plot {
        self.title = title.to_string();
        self
    }

    /// What the axes count, each with its unit.
    pub(crate) fn labels(mut self, x: &str, y: &str) -> Plot {
        (self.x_label, self.y_label) = (x.to_string(), y.to_string());
        self
    }

    /// How many rows of text the picture takes between its axes.
    pub(crate) fn height(mut self, rows: usize) -> Plot {
        self.height = rows.clamp(2, 200);
        self
    }

    /// Adds a line through these points. It breaks where one is not finite or lies
    /// outside the x-range, and runs along the edge where y leaves its range.
    pub(crate) fn line(mut self, name: &str, points: Vec<(f64, f64)>) -> Plot {
        self.series.push(Series {
            name: name.to_string(),
            points,
            connected: true,
        });
        self
    }

    /// Adds single points; those outside are left out.
    pub(crate) fn points(mut self, name: &str, points: Vec<(f64, f64)>) -> Plot {
        self.series.push(Series {
            name: name.to_string(),
            points,
            connected: false,
        });
        self
    }

    /// Adds a dotted upright at `x`, its label above.
    pub(crate) fn mark(mut self, x: f64, label: &str) -> Plot {
        self.marks.push((x, label.to_string()));
        self
    }

    /// The picture in the columns of `style`.
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
        let inside = |x: &f64| self.x.cell(*x, columns, 2);
        let marks = self.marks.iter();
        let labels = marks.filter_map(|(x, label)| Some((inside(x)?, label.clone())));
        let mut rows = labels_in_rows(&labels.collect::<Vec<_>>(), columns, 3);
        rows.reverse();
        above.extend(rows.iter().map(|row| at_column(gutter, row, Look::Plain)));
        above.extend(self.body(&y_ticks, gutter, columns, style.unicode));
        above.extend(self.foot(gutter, columns, style.unicode));
        above.iter().map(|line| line.cut(style.width)).collect()
    }

    /// The rows between the axes, each with its number where it has one.
    fn body(
        &self,
        y_ticks: &[(f64, String)],
        gutter: usize,
        columns: usize,
        unicode: bool,
    ) -> Vec<Text> {
        let mut canvas = Canvas::new(columns, self.height);
        for (index, series) in self.series.iter().enumerate() {
            canvas.draw(index, series, &self.x, &self.y);
        }
        let uprights: Vec<usize> = self
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
                    let upright = if unicode { "┊" } else { ":" };
                    match uprights.contains(&column) {
                        true => (upright.to_string(), Look::Faint),
                        false => (" ".to_string(), Look::Plain),
                    }
                });
                line.push(&glyph, look);
            }
            line
        };
        numbers.iter().enumerate().map(row).collect()
    }

    /// The x-axis with its numbers, what it counts, and which series is which.
    fn foot(&self, gutter: usize, columns: usize, unicode: bool) -> Vec<Text> {
        let ticks = self.x.ticks(columns.div_ceil(9));
        let places: Vec<(usize, String)> = ticks
            .into_iter()
            .filter_map(|(value, label)| Some((self.x.cell(value, columns, 2)?, label)))
            .collect();
        let (corner, dash, tick) = if unicode {
            ("└", "─", "┬")
        } else {
            ("+", "-", "+")
        };
        let ticked = |column| places.iter().any(|(place, _)| *place == column);
        let axis: String = (0..columns)
            .map(|column| if ticked(column) { tick } else { dash })
            .collect();
        let mut lines = vec![at_column(
            gutter - 1,
            &format!("{corner}{axis}"),
            Look::Faint,
        )];
        let numbers = labels_in_rows(&places, columns, 1);
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

/// A range of numbers along one side.
#[derive(Clone, Copy, Debug)]
struct Axis {
    low: f64,
    high: f64,
}

impl From<(f64, f64)> for Axis {
    fn from((low, high): (f64, f64)) -> Axis {
        // Subnormal spans would make steps of zero.
        let span = high - low;
        match span.is_finite() && span >= f64::MIN_POSITIVE * 1e6 {
            true => Axis { low, high },
            false => Axis {
                low: 0.0,
                high: 1.0,
            },
        }
    }
}

impl Axis {
    /// Which of `places` equal places `value` falls into.
    fn place(&self, value: f64, places: usize) -> Option<usize> {
        let share = (value - self.low) / (self.high - self.low);
        let last = places.saturating_sub(1) as f64;
        (0.0..=1.0)
            .contains(&share)
            .then(|| (share * last).round() as usize)
    }

    /// Which of `cells` characters of `dots` dots each `value` is drawn in.
    fn cell(&self, value: f64, cells: usize, dots: usize) -> Option<usize> {
        self.place(value, cells * dots).map(|dot| dot / dots)
    }

    /// Numbers to write along it, about `wanted` and steps of 1, 2 or 5 apart.
    fn ticks(&self, wanted: usize) -> Vec<(f64, String)> {
        figure::ticks(self.low, self.high, wanted)
    }
}

/// Dots, of which each character holds two by four.
struct Canvas {
    columns: usize,
    rows: usize,
    dots: Vec<u8>,
    owner: Vec<usize>,
}

/// The bit of each dot of a braille character, by row and column (Unicode, chapter 21).
const BRAILLE: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];

impl Canvas {
    fn new(columns: usize, rows: usize) -> Canvas {
        Canvas {
            columns,
            rows,
            dots: vec![0; columns * rows],
            owner: vec![0; columns * rows],
        }
    }

    fn draw(&mut self, index: usize, series: &Series, x: &Axis, y: &Axis) {
        let (width, height) = (2 * self.columns, 4 * self.rows);
        let mut before = None;
        for (at, value) in &series.points {
            let value = match series.connected && value.is_finite() {
                true => value.clamp(y.low, y.high),
                false => *value,
            };
            let dot = x.place(*at, width).zip(y.place(value, height));
            let (Some(from), Some(to)) = (before.filter(|_| series.connected).or(dot), dot) else {
                before = None;
                continue;
            };
            self.connect(index, from, to);
            before = Some(to);
        }
    }

    fn connect(&mut self, index: usize, from: (usize, usize), to: (usize, usize)) {
        let steps = from.0.abs_diff(to.0).max(from.1.abs_diff(to.1));
        for step in 0..=steps {
            let share = step as f64 / steps.max(1) as f64;
            let between =
                |a: usize, b: usize| (a as f64 + (b as f64 - a as f64) * share).round() as usize;
            self.set(index, between(from.0, to.0), between(from.1, to.1));
        }
    }

    /// Sets the dot in column `x`, `y` rows above the lowest; what was drawn first
    /// keeps its colour.
    fn set(&mut self, index: usize, x: usize, y: usize) {
        let from_above = 4 * self.rows - 1 - y;
        let cell = from_above / 4 * self.columns + x / 2;
        if self.dots[cell] == 0 {
            self.owner[cell] = index;
        }
        self.dots[cell] |= BRAILLE[from_above % 4][x % 2];
    }

    fn glyph(&self, column: usize, row: usize, unicode: bool) -> Option<(String, Look)> {
        let cell = row * self.columns + column;
        let (dots, owner) = (self.dots[cell], self.owner[cell]);
        let braille = || char::from_u32(0x2800 + u32::from(dots)).unwrap_or(' ');
        let glyph = match unicode {
            true => braille().to_string(),
            false => star(owner).to_string(),
        };
        (dots != 0).then_some((glyph, Look::Series(owner)))
    }
}

/// What a series is drawn with where there is no braille.
fn star(series: usize) -> &'static str {
    ["*", "o", "x", "#", "@", "%"][series % 6]
}

fn at_column(column: usize, text: &str, look: Look) -> Text {
    let mut line = Text::default();
    line.pad(column);
    line.then(text, look)
}

/// Labels centred on their columns, each in the first of at most `rows` rows where it
/// touches no other; those without room are left out.
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

/// The values as blocks, from the smallest to the largest of them, in `width`
/// characters; where there are more values than characters, each shows its largest.
/// What is not finite is left blank.
pub(crate) fn sparkline(values: &[f64], width: usize, unicode: bool) -> String {
    let levels: Vec<char> = match unicode {
        true => "▁▂▃▄▅▆▇█".chars().collect(),
        false => "_.-=+*%#".chars().collect(),
    };
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    let low = finite().fold(f64::INFINITY, f64::min);
    let high = finite().fold(f64::NEG_INFINITY, f64::max);
    let width = width.min(values.len());
    let glyph = |column: usize| {
        let from = column * values.len() / width;
        let to = (column + 1) * values.len() / width;
        let finite = values[from..to].iter().filter(|value| value.is_finite());
        let largest = finite.copied().reduce(f64::max);
        largest.map_or(' ', |value| {
            // Halved, so that no span of finite values overflows.
            let share = (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
            let level = (share * (levels.len() - 1) as f64).round();
            levels[if level.is_finite() { level as usize } else { 0 }]
        })
    };
    (0..width).map(glyph).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use figure::number;

    fn shown(plot: &Plot, width: usize, unicode: bool) -> Vec<String> {
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
            shown(&plot, 9, false),
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
            shown(&plot, 9, true)[..4],
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
        assert_eq!(shown(&plot, 9, false)[1], "0 +***  *");
    }

    #[test]
    fn marks_stand_in_the_column_of_their_value() {
        let plot = Plot::new((0.0, 3.0), (0.0, 1.0)).height(2).mark(2.0, "max");
        let rows = shown(&plot, 9, false);
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
    fn numbers_have_three_figures() {
        for (value, text) in [
            (0.0, "0"),
            (0.025, "0.025"),
            (15.0, "15"),
            (0.123456, "0.123"),
            (12345.6, "12346"),
            (1e-9, "1.00e-9"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn sparklines_span_their_values() {
        assert_eq!(sparkline(&[0.0, 0.5, 1.0], 3, true), "▁▅█");
        assert_eq!(sparkline(&[0.0, 0.5, 1.0], 3, false), "_+#");
        assert_eq!(sparkline(&[0.0, 1.0, 0.0, 0.0], 2, true), "█▁");
        assert_eq!(sparkline(&[2.0, f64::NAN], 9, true), "▁ ");
        assert_eq!(sparkline(&[f64::MIN, f64::MAX], 2, true), "▁█");
        assert_eq!(sparkline(&[], 9, true), "");
        assert_eq!(sparkline(&[1.0], 0, true), "");
    }

    #[test]
    fn nothing_makes_it_panic_or_run_over() {
        let odd = [
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
        for low in odd {
            for high in odd {
                let points: Vec<(f64, f64)> = odd.iter().map(|y| (*y, *y)).collect();
                let plot = Plot::new((low, high), (high, low))
                    .title("a title that is longer than twenty columns")
                    .labels("average queue in packets", "probability")
                    .line("a line", points.clone())
                    .points("points", points)
                    .line("none", Vec::new())
                    .mark(low, "low")
                    .mark(0.5, "a label that is too long for it");
                for (width, unicode) in [(20, true), (20, false), (80, true)] {
                    for line in shown(&plot, width, unicode) {
                        assert!(line.chars().count() <= width, "{line}");
                        assert_eq!(line, line.trim_end());
                    }
                }
            }
        }
    }
}
