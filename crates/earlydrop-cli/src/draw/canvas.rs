//! A canvas of dots, two by four in each character, and the axes that map values to dots.

use earlydrop_report::figure;

use super::text::Look;

/// The range of values along one axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    low: f64,
    high: f64,
}

impl From<(f64, f64)> for Axis {
    fn from((low, high): (f64, f64)) -> Axis {
        // Ticks of a subnormal span would have a step of zero.
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
    /// The index of the dot, of `dots` along the axis, at which `value` lies.
    fn dot(&self, value: f64, dots: usize) -> Option<usize> {
        let share = (value - self.low) / (self.high - self.low);
        let last = dots.saturating_sub(1) as f64;
        (0.0..=1.0)
            .contains(&share)
            .then(|| (share * last).round() as usize)
    }

    /// The index of the character, of `cells` with `dots` dots each, in which `value` lies.
    pub(super) fn cell(&self, value: f64, cells: usize, dots: usize) -> Option<usize> {
        self.dot(value, cells * dots).map(|dot| dot / dots)
    }

    /// About `wanted` ticks with their texts.
    pub(super) fn ticks(&self, wanted: usize) -> Vec<(f64, String)> {
        figure::ticks(self.low, self.high, wanted)
    }
}

/// A grid of characters with two by four dots each.
pub(super) struct Canvas {
    columns: usize,
    rows: usize,
    /// The dots of each character, as bits of its braille pattern.
    dots: Vec<u8>,
    /// The series that first drew in each character, which decides its colour.
    owner: Vec<usize>,
}

/// The bit of each dot of a braille pattern, by row and column (Unicode, chapter 21).
const BRAILLE: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];

impl Canvas {
    /// An empty canvas.
    pub(super) fn new(columns: usize, rows: usize) -> Canvas {
        Canvas {
            columns,
            rows,
            dots: vec![0; columns * rows],
            owner: vec![0; columns * rows],
        }
    }

    /// Draws the points of the series with this index, with lines between them if `connected`.
    pub(super) fn draw(
        &mut self,
        index: usize,
        (points, connected): (&[(f64, f64)], bool),
        x: &Axis,
        y: &Axis,
    ) {
        let (width, height) = (2 * self.columns, 4 * self.rows);
        let mut previous = None;
        for (at, value) in points {
            let value = match connected && value.is_finite() {
                true => value.clamp(y.low, y.high),
                false => *value,
            };
            let dot = x.dot(*at, width).zip(y.dot(value, height));
            let (Some(from), Some(to)) = (previous.filter(|_| connected).or(dot), dot) else {
                previous = None;
                continue;
            };
            self.connect(index, from, to);
            previous = Some(to);
        }
    }

    /// Draws a straight line between two dots.
    fn connect(&mut self, index: usize, from: (usize, usize), to: (usize, usize)) {
        let steps = from.0.abs_diff(to.0).max(from.1.abs_diff(to.1));
        for step in 0..=steps {
            let share = step as f64 / steps.max(1) as f64;
            let between =
                |a: usize, b: usize| (a as f64 + (b as f64 - a as f64) * share).round() as usize;
            self.set(index, between(from.0, to.0), between(from.1, to.1));
        }
    }

    /// Sets the dot in column `x`, `y` rows above the lowest.
    fn set(&mut self, index: usize, x: usize, y: usize) {
        let from_above = 4 * self.rows - 1 - y;
        let cell = from_above / 4 * self.columns + x / 2;
        if self.dots[cell] == 0 {
            self.owner[cell] = index;
        }
        self.dots[cell] |= BRAILLE[from_above % 4][x % 2];
    }

    /// The character of a cell with its colour; `None` where the cell is empty.
    pub(super) fn glyph(&self, column: usize, row: usize, unicode: bool) -> Option<(String, Look)> {
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

/// The ASCII character of a series.
pub(super) fn star(series: usize) -> &'static str {
    ["*", "o", "x", "#", "@", "%"][series % 6]
}
