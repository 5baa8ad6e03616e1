//! A picture as SVG: text stays text, the size is stated, no style sheet is needed.

use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::marks::{variable_of, variables};
use super::scene::{Item, Path, Rgb, Scene, Text, short};

/// What all elements inherit.
const ROOT: &str =
    "font-family=\"Helvetica, Arial, sans-serif\" fill=\"none\" stroke-linejoin=\"round\"";

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

/// The SVG file of a picture.
pub(super) fn file(scene: &Scene) -> Vec<u8> {
    let (width, height) = (short(scene.width), short(scene.height));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"figure\" width=\"{width}pt\" \
         height=\"{height}pt\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-labelledby=\"title description\" {ROOT}>\n\
         <title id=\"title\">{}</title>\n<desc id=\"description\">{}</desc>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n",
        escape(&scene.title),
        escape(&scene.description),
    );
    out.push_str(&elements(scene, hex, ""));
    out.push_str("</svg>\n");
    out.into_bytes()
}

/// The SVG file of a picture for pages in light and in dark colours, with what is shown under the
/// pointer.
pub fn themed_file(scene: &Scene) -> String {
    let (width, height) = (short(scene.width), short(scene.height));
    let colour = |colour| match variable_of(colour) {
        Some(name) => format!("var(--{name})"),
        None => hex(colour),
    };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"figure\" width=\"{width}pt\" \
         height=\"{height}pt\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\" \
         {ROOT}>\n<style>.figure{{{}}}\n\
         @media (prefers-color-scheme:dark){{.figure{{{}}}}}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"4\" fill=\"var(--ground)\"/>\n{}</svg>\n",
        escape(&scene.description),
        variables(false),
        variables(true),
        elements(scene, colour, "")
    )
}

/// The `<svg>` element for a page that sets the colours as CSS variables: `--c0` to `--c6`, `--ink`,
/// `--axis`, `--grid` and `--ground`; without them they are those of the file. It is as wide as the
/// picture where there is room.
pub fn inline(scene: &Scene) -> String {
    let (width, height) = (short(scene.width), short(scene.height));
    let mut out = format!(
        "<svg class=\"earlydrop-figure\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-label=\"{}\" {ROOT} \
         style=\"width:{width}pt;max-width:100%;height:auto\">\n",
        escape(&scene.description),
    );
    // Names on the page: equal pictures may share them.
    let mut hasher = DefaultHasher::new();
    elements(scene, hex, "").hash(&mut hasher);
    let prefix = format!("earlydrop-{:x}-", hasher.finish());
    out.push_str(&elements(scene, variable, &prefix));
    out.push_str("</svg>\n");
    out
}

/// What is inside; `prefix` begins the names of cut-off rectangles.
fn elements(scene: &Scene, colour: fn(Rgb) -> String, prefix: &str) -> String {
    let (mut out, mut clips) = (String::new(), 0);
    for item in &scene.items {
        // Writing to a string cannot fail.
        let _ = element(&mut out, item, &mut clips, (colour, prefix));
    }
    out
}

fn element(
    out: &mut String,
    item: &Item,
    clips: &mut usize,
    (colour, prefix): (fn(Rgb) -> String, &str),
) -> std::fmt::Result {
    match item {
        Item::Path(drawn) => path(out, drawn, colour),
        Item::Text(written) => text(out, written, colour),
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
        tip,
    } = drawn;
    let corners = points
        .iter()
        .map(|(x, y)| format!("{} {}", short(*x), short(*y)));
    let path = corners.collect::<Vec<_>>().join("L");
    let end = if *is_closed { "Z" } else { "" };
    write!(out, "<path d=\"M{path}{end}\"")?;
    match fill {
        None => {}
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
            " stroke=\"{}\" stroke-width=\"{width}\"",
            colour_of(stroke.colour)
        )?;
        if !stroke.dashes.is_empty() {
            let dashes: Vec<String> = stroke.dashes.iter().map(|d| short(*d)).collect();
            write!(out, " stroke-dasharray=\"{}\"", dashes.join(" "))?;
        }
    }
    match tip.as_str() {
        "" => writeln!(out, "/>"),
        tip => writeln!(out, "><title>{}</title></path>", escape(tip)),
    }
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
    match variable_of(colour) {
        Some(name) => format!("var(--{name},{})", hex(colour)),
        None => hex(colour),
    }
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
            tip: "a<b & \"c\"".to_string(),
        };
        let plot = Plot {
            panels: vec![PlotPanel {
                marks: vec![area],
                ..PlotPanel::default()
            }],
            ..Plot::default()
        };
        let drawn = scene(&plot, &Size::PAGE);
        let element = inline(&drawn);
        let of_series = format!("fill=\"var(--c2,{})\"", hex(colour(2)));
        assert!(element.contains(&of_series), "{element}");
        let name = element
            .split("<clipPath id=\"")
            .nth(1)
            .unwrap()
            .split('"')
            .next()
            .unwrap();
        assert!(name.starts_with("earlydrop-") && element.contains(&format!("url(#{name})")));
        // Every colour is one that a dark page can replace.
        assert_eq!(
            element.matches('#').count(),
            element.matches(",#").count() + 1
        );
        assert!(!String::from_utf8_lossy(&file(&drawn)).contains("var("));
        let title = "<title>a&lt;b &amp; &quot;c&quot;</title>";
        assert!(element.contains(title), "{element}");
        // A file for pages has the colours of both.
        let themed = themed_file(&drawn);
        assert!(themed.starts_with("<svg xmlns=") && themed.contains("fill=\"var(--c2)\""));
        assert!(themed.contains("prefers-color-scheme:dark") && themed.contains(title));
    }
}
