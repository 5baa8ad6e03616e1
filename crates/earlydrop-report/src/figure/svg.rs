//! SVG as text.

use std::fmt::Write;

/// A picture: what stands in an SVG element of this size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawing {
    /// Its width, in pixels where it is not scaled.
    pub width: u32,
    /// Its height.
    pub height: u32,
    /// What it shows, in a sentence, for who cannot see it.
    pub about: String,
    /// What is in it.
    pub body: String,
}

/// How everything in a drawing looks. A page holds it once; a file of its own, too.
pub const STYLE: &str = include_str!("../../assets/figure.css");

impl Drawing {
    /// As an element of a page that has [`STYLE`].
    pub fn inline(&self) -> String {
        self.element("", "")
    }

    /// As a file of its own, on a ground of its own: readable wherever it is shown.
    pub fn file(&self) -> String {
        let ground = "<rect class=\"ground\" width=\"100%\" height=\"100%\" rx=\"6\"/>";
        let inside = format!("<style>\n{STYLE}</style>\n{ground}");
        self.element(" xmlns=\"http://www.w3.org/2000/svg\"", &inside) + "\n"
    }

    fn element(&self, namespace: &str, first: &str) -> String {
        let (width, height) = (self.width, self.height);
        format!(
            "<svg{namespace} class=\"figure\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\">{first}{}</svg>",
            escape(&self.about),
            self.body
        )
    }
}

/// `text` so that HTML and SVG show it as it is.
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

/// A place in a drawing: a tenth of a pixel is as fine as anything is drawn.
pub(super) fn place(value: f64) -> String {
    let tenths = (value * 10.0).round() / 10.0 + 0.0;
    format!("{tenths}")
}

/// Where text stands against its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Elements one after another.
#[derive(Debug, Default)]
pub(super) struct Elements(pub(super) String);

impl Elements {
    /// A straight line.
    pub(super) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let _ = write!(
            self.0,
            "<path class=\"{class}\" d=\"M{} {}L{} {}\"/>",
            place(from.0),
            place(from.1),
            place(to.0),
            place(to.1)
        );
    }

    /// A path.
    pub(super) fn path(&mut self, class: &str, path: &str) {
        if !path.is_empty() {
            let _ = write!(self.0, "<path class=\"{class}\" d=\"{path}\"/>");
        }
    }

    /// A rectangle from one corner to the other.
    pub(super) fn rectangle(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let (left, right) = (from.0.min(to.0), from.0.max(to.0));
        let (top, bottom) = (from.1.min(to.1), from.1.max(to.1));
        let _ = write!(
            self.0,
            "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
            place(left),
            place(top),
            place(right - left),
            place(bottom - top)
        );
    }

    /// Words.
    pub(super) fn text(&mut self, class: &str, at: (f64, f64), anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let _ = write!(
            self.0,
            "<text class=\"{class}\" x=\"{}\" y=\"{}\"{anchor}>{}</text>",
            place(at.0),
            place(at.1),
            escape(text)
        );
    }

    /// What is drawn by `inside`, with words for whoever rests a pointer on it.
    pub(super) fn titled(&mut self, title: &str, inside: impl FnOnce(&mut Elements)) {
        self.0.push_str("<g>");
        let _ = write!(self.0, "<title>{}</title>", escape(title));
        inside(self);
        self.0.push_str("</g>");
    }

    /// A symbol around a place; each curve has its own.
    pub(super) fn symbol(&mut self, index: usize, at: (f64, f64), size: f64) {
        let corners = SYMBOLS[index % SYMBOLS.len()];
        let corner =
            |(x, y): &(f64, f64)| format!("{} {}", place(at.0 + x * size), place(at.1 + y * size));
        let path = match corners.is_empty() {
            true => round(at, size),
            false => {
                let corners: Vec<String> = corners.iter().map(corner).collect();
                format!("M{}Z", corners.join("L"))
            }
        };
        self.path(&format!("dot c{}", index % COLOURS), &path);
    }
}

/// So many colours there are.
pub(super) const COLOURS: usize = 7;

/// Corners of symbols in a box from -1 to 1; none: round.
const SYMBOLS: [&[(f64, f64)]; COLOURS] = [
    &[],
    &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
    &[(0.0, -1.1), (1.1, 0.9), (-1.1, 0.9)],
    &[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)],
    &[(0.0, 1.1), (1.1, -0.9), (-1.1, -0.9)],
    &[(-1.2, -0.5), (1.2, -0.5), (1.2, 0.5), (-1.2, 0.5)],
    &[(-0.5, -1.2), (0.5, -1.2), (0.5, 1.2), (-0.5, 1.2)],
];

fn round(at: (f64, f64), size: f64) -> String {
    let (x, y, r) = (place(at.0 - size), place(at.1), place(size));
    let across = place(2.0 * size);
    format!("M{x} {y}a{r} {r} 0 1 0 {across} 0a{r} {r} 0 1 0 -{across} 0Z")
}

/// About how wide text is, in pixels at 11 pixels a letter's height: no font is known here,
/// so this is rather too much than too little.
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
        elements.titled("<x>", |_| {});
        assert!(elements.0.contains("a&lt;b &amp; &quot;c&quot;"));
        assert!(elements.0.contains("<title>&lt;x&gt;</title>"));
    }

    #[test]
    fn places_are_short() {
        assert_eq!(place(1.0), "1");
        assert_eq!(place(12.345), "12.3");
        assert_eq!(place(-0.04), "0");
    }

    #[test]
    fn a_file_has_its_ground_and_its_colours() {
        let drawing = Drawing {
            width: 10,
            height: 20,
            about: "Nothing \"much\"".to_string(),
            body: "<path/>".to_string(),
        };
        let file = drawing.file();
        assert!(file.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
        assert!(file.contains("prefers-color-scheme: dark") && file.contains("class=\"ground\""));
        assert!(drawing.inline().contains("viewBox=\"0 0 10 20\""));
        assert!(!drawing.inline().contains("<style>"));
    }
}
