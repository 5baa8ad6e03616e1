//! SVG elements as text.

use std::fmt::Write;

/// A picture: the content of an SVG element and its size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawing {
    /// The width, in pixels where it is not scaled.
    pub width: u32,
    /// The height, in pixels where it is not scaled.
    pub height: u32,
    /// What it shows, in a sentence, for screen readers.
    pub description: String,
    /// The elements inside, as SVG.
    pub body: String,
}

/// The style sheet of all drawings. A page includes it once; a file has its own copy.
pub const STYLE: &str = include_str!("../../assets/figure.css");

impl Drawing {
    /// The `<svg>` element for a page that includes [`STYLE`].
    pub fn inline(&self) -> String {
        self.element("", "")
    }

    /// A standalone SVG file with style sheet and background.
    pub fn file(&self) -> String {
        let background = "<rect class=\"ground\" width=\"100%\" height=\"100%\" rx=\"6\"/>";
        let inside = format!("<style>\n{STYLE}</style>\n{background}");
        self.element(" xmlns=\"http://www.w3.org/2000/svg\"", &inside) + "\n"
    }

    fn element(&self, namespace: &str, first: &str) -> String {
        let (width, height) = (self.width, self.height);
        format!(
            "<svg{namespace} class=\"figure\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\">{first}{}</svg>",
            escape(&self.description),
            self.body
        )
    }
}

/// Escapes text for HTML and SVG, in elements and in quoted attributes.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// A coordinate as text, rounded to a tenth of a pixel.
pub(super) fn coordinate(value: f64) -> String {
    let tenths = (value * 10.0).round() / 10.0 + 0.0;
    format!("{tenths}")
}

/// Which part of a text lies at its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// The SVG text of elements, in drawing order.
#[derive(Debug, Default)]
pub(super) struct Elements(pub(super) String);

impl Elements {
    /// Adds a straight line.
    pub(super) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let _ = write!(
            self.0,
            "<path class=\"{class}\" d=\"M{} {}L{} {}\"/>",
            coordinate(from.0),
            coordinate(from.1),
            coordinate(to.0),
            coordinate(to.1)
        );
    }

    /// Adds a path; nothing where it is empty.
    pub(super) fn path(&mut self, class: &str, path: &str) {
        if !path.is_empty() {
            let _ = write!(self.0, "<path class=\"{class}\" d=\"{path}\"/>");
        }
    }

    /// Adds a rectangle between two opposite corners.
    pub(super) fn rectangle(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let (left, right) = (from.0.min(to.0), from.0.max(to.0));
        let (top, bottom) = (from.1.min(to.1), from.1.max(to.1));
        let _ = write!(
            self.0,
            "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
            coordinate(left),
            coordinate(top),
            coordinate(right - left),
            coordinate(bottom - top)
        );
    }

    /// Adds text at a position.
    pub(super) fn text(&mut self, class: &str, at: (f64, f64), anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let _ = write!(
            self.0,
            "<text class=\"{class}\" x=\"{}\" y=\"{}\"{anchor}>{}</text>",
            coordinate(at.0),
            coordinate(at.1),
            escape(text)
        );
    }

    /// Adds what `draw` draws as a group with a tooltip.
    pub(super) fn with_tooltip(&mut self, tooltip: &str, draw: impl FnOnce(&mut Elements)) {
        self.0.push_str("<g>");
        let _ = write!(self.0, "<title>{}</title>", escape(tooltip));
        draw(self);
        self.0.push_str("</g>");
    }

    /// Adds the symbol of the curve with this index, centred at a position.
    pub(super) fn symbol(&mut self, index: usize, at: (f64, f64), size: f64) {
        let corners = SYMBOLS[index % SYMBOLS.len()];
        let corner = |(x, y): &(f64, f64)| {
            format!(
                "{} {}",
                coordinate(at.0 + x * size),
                coordinate(at.1 + y * size)
            )
        };
        let path = match corners.is_empty() {
            true => circle(at, size),
            false => {
                let corners: Vec<String> = corners.iter().map(corner).collect();
                format!("M{}Z", corners.join("L"))
            }
        };
        self.path(&format!("dot c{}", index % COLOURS), &path);
    }
}

/// The number of colours and of symbols; further curves repeat them.
pub(super) const COLOURS: usize = 7;

/// Corners of the symbols in a box from -1 to 1; without corners a circle.
const SYMBOLS: [&[(f64, f64)]; COLOURS] = [
    &[],
    &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
    &[(0.0, -1.1), (1.1, 0.9), (-1.1, 0.9)],
    &[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)],
    &[(0.0, 1.1), (1.1, -0.9), (-1.1, -0.9)],
    &[(-1.2, -0.5), (1.2, -0.5), (1.2, 0.5), (-1.2, 0.5)],
    &[(-0.5, -1.2), (0.5, -1.2), (0.5, 1.2), (-0.5, 1.2)],
];

/// The path of a circle with this radius.
fn circle(at: (f64, f64), size: f64) -> String {
    let (x, y, r) = (coordinate(at.0 - size), coordinate(at.1), coordinate(size));
    let across = coordinate(2.0 * size);
    format!("M{x} {y}a{r} {r} 0 1 0 {across} 0a{r} {r} 0 1 0 -{across} 0Z")
}

/// An upper estimate of a text's width, in pixels, at a font size of 11 pixels.
pub(super) fn width_of(text: &str) -> f64 {
    let of = |letter: char| match letter {
        'i' | 'l' | 'j' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' => 3.2,
        'f' | 't' | 'r' | ' ' | '(' | ')' | '-' | '/' => 4.2,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 9.8,
        letter if letter.is_uppercase() => 7.6,
        _ => 6.4,
    };
    text.chars().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        let mut elements = Elements::default();
        elements.text("name", (1.0, 2.0), Anchor::Start, "a<b & \"c\"");
        elements.with_tooltip("<x>", |_| {});
        assert!(elements.0.contains("a&lt;b &amp; &quot;c&quot;"));
        assert!(elements.0.contains("<title>&lt;x&gt;</title>"));
    }

    #[test]
    fn coordinates_are_short() {
        assert_eq!(coordinate(1.0), "1");
        assert_eq!(coordinate(12.345), "12.3");
        assert_eq!(coordinate(-0.04), "0");
    }

    #[test]
    fn a_file_has_its_background_and_its_colours() {
        let drawing = Drawing {
            width: 10,
            height: 20,
            description: "Nothing \"much\"".to_string(),
            body: "<path/>".to_string(),
        };
        let file = drawing.file();
        assert!(file.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
        assert!(file.contains("prefers-color-scheme: dark") && file.contains("class=\"ground\""));
        assert!(drawing.inline().contains("viewBox=\"0 0 10 20\""));
        assert!(!drawing.inline().contains("<style>"));
    }
}
