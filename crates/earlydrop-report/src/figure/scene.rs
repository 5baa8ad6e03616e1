//! A picture as lines, areas and text at places in points, before it becomes a file.

/// A colour: red, green and blue, from 0 to 255.
pub type Rgb = [u8; 3];

/// The ink of text and of axes, and of grid lines.
pub(super) const INK: Rgb = [0x1c, 0x22, 0x2b];
pub(super) const FAINT: Rgb = [0x44, 0x4c, 0x57];
pub(super) const GRID: Rgb = [0xe4, 0xe7, 0xea];

/// The paper.
pub(super) const WHITE: Rgb = [255; 3];

/// A picture: its size and its parts, y pointing down, all lengths in points (1/72 inch).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// The width.
    pub width: f64,
    /// The height.
    pub height: f64,
    /// The name of the picture.
    pub title: String,
    /// What it shows, in sentences.
    pub description: String,
    /// The font size.
    pub font: f64,
    /// What is drawn, in order.
    pub items: Vec<Item>,
}

/// A part of a picture.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A line or an outline.
    Path(Path),
    /// Text on one line.
    Text(Text),
    /// What follows is cut off outside of this rectangle: left, top, right, bottom.
    Clip([f64; 4]),
    /// The end of the last [`Clip`](Item::Clip).
    EndClip,
}

/// A line or an outline.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Path {
    /// The corners.
    pub points: Vec<(f64, f64)>,
    /// Whether the last is joined with the first.
    pub is_closed: bool,
    /// The line; `None` for none.
    pub stroke: Option<Stroke>,
    /// Colour and opacity of the inside; `None` for none.
    pub fill: Option<(Rgb, f64)>,
    /// What a page shows of it under the pointer; may be empty.
    pub tip: String,
}

/// Text on one line.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// Where `anchor` lies, on the base line.
    pub at: (f64, f64),
    /// Which part of the text is there: 0 its start, 0.5 its middle, 1 its end.
    pub anchor: f64,
    /// The font size.
    pub size: f64,
    /// Whether it runs upwards.
    pub is_upward: bool,
    /// The colour.
    pub colour: Rgb,
    /// The text.
    pub text: String,
}

/// How a line is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Stroke {
    /// The colour.
    pub colour: Rgb,
    /// The width.
    pub width: f64,
    /// Lengths of dashes and gaps; empty for a solid line.
    pub dashes: Vec<f64>,
}

impl Stroke {
    pub(super) fn solid(colour: Rgb, width: f64) -> Stroke {
        Stroke {
            colour,
            width,
            dashes: Vec::new(),
        }
    }
}

impl Scene {
    pub(super) fn line(&mut self, points: Vec<(f64, f64)>, stroke: Stroke) {
        self.tipped_line(points, stroke, "");
    }

    pub(super) fn tipped_line(&mut self, points: Vec<(f64, f64)>, stroke: Stroke, tip: &str) {
        if points.len() > 1 {
            self.items.push(Item::Path(Path {
                points,
                stroke: Some(stroke),
                tip: tip.to_string(),
                ..Path::default()
            }));
        }
    }

    pub(super) fn area(&mut self, points: Vec<(f64, f64)>, colour: Rgb, opacity: f64) {
        self.tipped_area(points, (colour, opacity), None, "");
    }

    pub(super) fn tipped_area(
        &mut self,
        points: Vec<(f64, f64)>,
        fill: (Rgb, f64),
        stroke: Option<Stroke>,
        tip: &str,
    ) {
        if points.len() > 2 {
            self.items.push(Item::Path(Path {
                points,
                is_closed: true,
                stroke,
                fill: Some(fill),
                tip: tip.to_string(),
            }));
        }
    }

    pub(super) fn text(&mut self, at: (f64, f64), anchor: f64, size: f64, text: &str) {
        self.items.push(Item::Text(Text {
            at,
            anchor,
            size,
            is_upward: false,
            colour: INK,
            text: text.to_string(),
        }));
    }

    pub(super) fn upward(&mut self, at: (f64, f64), size: f64, text: &str) {
        self.items.push(Item::Text(Text {
            at,
            anchor: 0.5,
            size,
            is_upward: true,
            colour: INK,
            text: text.to_string(),
        }));
    }
}

/// The corners of a rectangle.
pub(super) fn rectangle([left, top, right, bottom]: [f64; 4]) -> Vec<(f64, f64)> {
    vec![(left, top), (right, top), (right, bottom), (left, bottom)]
}

/// A length as text, to a hundredth of a point.
pub(super) fn short(length: f64) -> String {
    format!("{}", (length * 100.0).round() / 100.0 + 0.0)
}

/// The widths of Helvetica's letters from space to `~`, in thousandths of the font size.
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// The width of a text in Helvetica; of letters beyond ASCII an estimate.
pub(super) fn width_of(text: &str, size: f64) -> f64 {
    let width = |letter: char| match (letter as u32).checked_sub(0x20) {
        Some(index) if index < 95 => f64::from(WIDTHS[index as usize]),
        _ if ['±', '×'].contains(&letter) => 584.0,
        _ => 556.0,
    };
    text.chars().map(width).sum::<f64>() * size / 1000.0
}
