//! A picture as SVG: text stays text, the size is stated, no style sheet is needed.

use std::fmt::Write;

use super::super::svg::escape;
use super::scene::{Item, Path, Rgb, Scene, Text, short};

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
    let mut clips = 0;
    for item in &scene.items {
        // Writing to a string cannot fail.
        let _ = element(&mut out, item, &mut clips);
    }
    out.push_str("</svg>\n");
    out.into_bytes()
}

fn element(out: &mut String, item: &Item, clips: &mut usize) -> std::fmt::Result {
    match item {
        Item::Path(drawn) => path(out, drawn),
        Item::Text(written) => text(out, written),
        Item::Clip([left, top, right, bottom]) => {
            *clips += 1;
            writeln!(
                out,
                "<clipPath id=\"clip{clips}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\
                 </clipPath><g clip-path=\"url(#clip{clips})\">",
                short(*left),
                short(*top),
                short(right - left),
                short(bottom - top)
            )
        }
        Item::EndClip => writeln!(out, "</g>"),
    }
}

fn path(out: &mut String, drawn: &Path) -> std::fmt::Result {
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
        Some((colour, 1.0)) => write!(out, " fill=\"{}\"", hex(*colour))?,
        Some((colour, opacity)) => {
            write!(out, " fill=\"{}\" fill-opacity=\"{opacity}\"", hex(*colour))?
        }
    }
    if let Some(stroke) = stroke {
        let width = short(stroke.width);
        write!(
            out,
            " stroke=\"{}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"",
            hex(stroke.colour)
        )?;
        if !stroke.dashes.is_empty() {
            let dashes: Vec<String> = stroke.dashes.iter().map(|d| short(*d)).collect();
            write!(out, " stroke-dasharray=\"{}\"", dashes.join(" "))?;
        }
    }
    writeln!(out, "/>")
}

fn text(out: &mut String, written: &Text) -> std::fmt::Result {
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
        hex(written.colour),
        escape(&written.text)
    )
}

/// "#1c222b".
fn hex([red, green, blue]: Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
