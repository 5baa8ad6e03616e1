//! A picture as SVG: text stays text, the size is stated, no style sheet is needed.

use std::fmt::Write;

use super::super::svg::escape;
use super::marks::series_of;
use super::scene::{FAINT, GRID, INK, Item, Path, Rgb, Scene, Text, WHITE, short};

/// How colours and identifiers are written.
struct Dialect<'a> {
    colour: fn(Rgb) -> String,
    /// Begins the names of cut-off rectangles.
    prefix: &'a str,
}

/// The SVG file of a picture.
pub(super) fn file(scene: &Scene) -> Vec<u8> {
    let (width, height) = (short(scene.width), short(scene.height));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"figure\" width=\"{width}pt\" \
         height=\"{height}pt\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-labelledby=\"title description\" font-family=\"Helvetica, Arial, sans-serif\">\n\
         <title id=\"title\">{}</title>\n<desc id=\"description\">{}</desc>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n",
        escape(&scene.title),
        escape(&scene.description),
    );
    let dialect = Dialect {
        colour: hex,
        prefix: "",
    };
    elements(&mut out, scene, &dialect);
    out.push_str("</svg>\n");
    out.into_bytes()
}

/// The `<svg>` element for a page that sets the colours as CSS variables: `--c0` to `--c6`, `--ink`,
/// `--axis`, `--grid` and `--ground`; without them they are those of the file. It is as wide as the
/// picture where there is room. `prefix` begins the identifiers in it: unique on the page.
pub fn inline(scene: &Scene, prefix: &str) -> String {
    let (width, height) = (short(scene.width), short(scene.height));
    let mut out = format!(
        "<svg class=\"earlydrop-figure\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-label=\"{}\" font-family=\"Helvetica, Arial, sans-serif\" \
         style=\"width:{width}pt;max-width:100%;height:auto\">\n",
        escape(&scene.description),
    );
    let dialect = Dialect {
        colour: variable,
        prefix,
    };
    elements(&mut out, scene, &dialect);
    out.push_str("</svg>\n");
    out
}

fn elements(out: &mut String, scene: &Scene, dialect: &Dialect<'_>) {
    let mut clips = 0;
    for item in &scene.items {
        // Writing to a string cannot fail.
        let _ = element(out, item, &mut clips, dialect);
    }
}

fn element(
    out: &mut String,
    item: &Item,
    clips: &mut usize,
    dialect: &Dialect<'_>,
) -> std::fmt::Result {
    let prefix = dialect.prefix;
    match item {
        Item::Path(drawn) => path(out, drawn, dialect.colour),
        Item::Text(written) => text(out, written, dialect.colour),
        Item::Clip([left, top, right, bottom]) => {
            *clips += 1;
            writeln!(
                out,
                "<clipPath id=\"{prefix}clip{clips}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\
                 </clipPath><g clip-path=\"url(#{prefix}clip{clips})\">",
                short(*left),
                short(*top),
                short(right - left),
                short(bottom - top)
            )
        }
        Item::EndClip => writeln!(out, "</g>"),
    }
}

fn path(out: &mut String, drawn: &Path, colour_of: fn(Rgb) -> String) -> std::fmt::Result {
    let Path {
        points,
        is_closed,
        stroke,
        fill,
    } = drawn;
    let corners = points
        .iter()
        .map(|(x, y)| format!("{} {}", short(*x), short(*y)));
    let path = corners.collect::<Vec<_>>().join("L");
    let end = if *is_closed { "Z" } else { "" };
    write!(out, "<path d=\"M{path}{end}\"")?;
    match fill {
        None => write!(out, " fill=\"none\"")?,
        Some((colour, 1.0)) => write!(out, " fill=\"{}\"", colour_of(*colour))?,
        Some((colour, opacity)) => write!(
            out,
            " fill=\"{}\" fill-opacity=\"{opacity}\"",
            colour_of(*colour)
        )?,
    }
    if let Some(stroke) = stroke {
        let width = short(stroke.width);
        write!(
            out,
            " stroke=\"{}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"",
            colour_of(stroke.colour)
        )?;
        if !stroke.dashes.is_empty() {
            let dashes: Vec<String> = stroke.dashes.iter().map(|d| short(*d)).collect();
            write!(out, " stroke-dasharray=\"{}\"", dashes.join(" "))?;
        }
    }
    writeln!(out, "/>")
}

fn text(out: &mut String, written: &Text, colour_of: fn(Rgb) -> String) -> std::fmt::Result {
    let (x, y) = (short(written.at.0), short(written.at.1));
    let anchor = match written.anchor {
        0.0 => "",
        0.5 => " text-anchor=\"middle\"",
        _ => " text-anchor=\"end\"",
    };
    let turn = match written.is_upward {
        true => format!(" transform=\"rotate(-90 {x} {y})\""),
        false => String::new(),
    };
    writeln!(
        out,
        "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\" fill=\"{}\"{anchor}{turn}>{}</text>",
        short(written.size),
        colour_of(written.colour),
        escape(&written.text)
    )
}

/// "#1c222b".
pub(super) fn hex([red, green, blue]: Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// "var(--c0,#2a3fb5)".
fn variable(colour: Rgb) -> String {
    let name = match colour {
        INK => "ink".to_string(),
        FAINT => "axis".to_string(),
        GRID => "grid".to_string(),
        WHITE => "ground".to_string(),
        other => match series_of(other) {
            Some(index) => format!("c{index}"),
            None => return hex(other),
        },
    };
    format!("var(--{name},{})", hex(colour))
}

#[cfg(test)]
mod tests {
    use super::super::marks::colour;
    use super::super::{Mark, Plot, PlotPanel, Size, scene};
    use super::*;

    #[test]
    fn colours_of_an_element_in_a_page_are_the_pages() {
        let area = Mark::Area {
            points: vec![(0.0, 0.0), (1.0, 1.0), (1.0, 0.0)],
            look: 2,
            opacity: 1.0,
        };
        let plot = Plot {
            panels: vec![PlotPanel {
                marks: vec![area],
                ..PlotPanel::default()
            }],
            ..Plot::default()
        };
        let size = Size {
            width: 252.0,
            height: None,
            font: 8.0,
        };
        let drawn = scene(&plot, &size);
        let element = inline(&drawn, "one-");
        let of_series = format!("fill=\"var(--c2,{})\"", hex(colour(2)));
        assert!(element.contains(&of_series), "{element}");
        assert!(element.contains("url(#one-clip1)"));
        // Every colour is one that a dark page can replace.
        assert_eq!(
            element.matches('#').count(),
            element.matches(",#").count() + 1
        );
        assert!(!String::from_utf8_lossy(&file(&drawn)).contains("var("));
    }
}
