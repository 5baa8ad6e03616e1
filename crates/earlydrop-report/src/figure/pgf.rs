//! A picture for LaTeX: commands of the package `pgf`, text in the document's font.
//!
//! `\usepackage{pgf}` and `\input{scatter.pgf}` are all that a document needs; pgfplots is not used.

use std::fmt::Write;

use super::scene::{Item, Path, Rgb, Scene, Text, short};

/// The first line of every file.
pub const HEAD: &str = "%% Made by earlydrop. In the preamble: \\usepackage{pgf}. \
                        Where the figure stands: \\input{FILE}.\n";

/// The commands of a picture.
pub(super) fn file(scene: &Scene) -> Vec<u8> {
    let mut out = String::from(HEAD);
    let (width, height) = (point(scene.width), point(scene.height));
    for line in scene
        .description
        .lines()
        .filter(|_| !scene.title.is_empty())
    {
        let _ = writeln!(out, "%% {}: {line}", scene.title.replace(['\n', '\r'], " "));
    }
    let _ = write!(
        out,
        "\\begingroup\n\\makeatletter\n\\begin{{pgfpicture}}\n\
         \\pgfpathrectangle{{\\pgfpointorigin}}{{\\pgfqpoint{{{width}}}{{{height}}}}}\n\
         \\pgfusepath{{use as bounding box}}\n\\pgfsetroundjoin\n"
    );
    for item in &scene.items {
        // Writing to a string cannot fail.
        let _ = command(&mut out, item, scene.height);
    }
    out.push_str("\\end{pgfpicture}\n\\makeatother\n\\endgroup\n");
    out.into_bytes()
}

/// A place; PGF's y axis points up.
fn point_at((x, y): (f64, f64), height: f64) -> String {
    format!("\\pgfqpoint{{{}}}{{{}}}", point(x), point(height - y))
}

fn command(out: &mut String, item: &Item, height: f64) -> std::fmt::Result {
    let at = |x: f64, y: f64| point_at((x, y), height);
    match item {
        Item::Path(drawn) => path(out, drawn, height),
        Item::Text(written) => text(out, written, height),
        Item::Clip([left, top, right, bottom]) => writeln!(
            out,
            "\\begin{{pgfscope}}\\pgfpathrectangle{{{}}}{{\\pgfqpoint{{{}}}{{{}}}}}\\pgfusepath{{clip}}",
            at(*left, *bottom),
            point(right - left),
            point(bottom - top)
        ),
        Item::EndClip => writeln!(out, "\\end{{pgfscope}}"),
    }
}

fn path(out: &mut String, drawn: &Path, height: f64) -> std::fmt::Result {
    let at = |x: f64, y: f64| point_at((x, y), height);
    let Path {
        points,
        is_closed,
        stroke,
        fill,
        ..
    } = drawn;
    if let Some((colour, opacity)) = fill {
        writeln!(
            out,
            "\\definecolor{{fill}}{{RGB}}{{{}}}\\pgfsetfillcolor{{fill}}\\pgfsetfillopacity{{{opacity}}}",
            rgb(*colour)
        )?;
    }
    if let Some(stroke) = stroke {
        let dashes: String = stroke
            .dashes
            .iter()
            .map(|d| format!("{{{}}}", point(*d)))
            .collect();
        writeln!(
            out,
            "\\definecolor{{line}}{{RGB}}{{{}}}\\pgfsetstrokecolor{{line}}\\pgfsetlinewidth{{{}}}\\pgfsetdash{{{dashes}}}{{0pt}}",
            rgb(stroke.colour),
            point(stroke.width)
        )?;
    }
    for (index, (x, y)) in points.iter().enumerate() {
        let verb = if index == 0 { "move" } else { "line" };
        writeln!(out, "\\pgfpath{verb}to{{{}}}", at(*x, *y))?;
    }
    if *is_closed {
        writeln!(out, "\\pgfpathclose")?;
    }
    let paint = match (fill.is_some(), stroke.is_some()) {
        (true, true) => "fill,stroke",
        (true, false) => "fill",
        _ => "stroke",
    };
    writeln!(out, "\\pgfusepath{{{paint}}}")
}

fn text(out: &mut String, written: &Text, height: f64) -> std::fmt::Result {
    let side = match written.anchor {
        0.0 => "left,",
        0.5 => "",
        _ => "right,",
    };
    let turn = if written.is_upward { ",rotate=90" } else { "" };
    writeln!(
        out,
        "\\definecolor{{ink}}{{RGB}}{{{}}}\\pgftext[{side}base,at={}{turn}]{{\\color{{ink}}\\fontsize{{{}}}{{{}}}\\selectfont {}}}",
        rgb(written.colour),
        point_at(written.at, height),
        short(written.size),
        short(1.2 * written.size),
        tex(&written.text)
    )
}

/// A length in TeX's unit for 1/72 inch.
fn point(length: f64) -> String {
    format!("{}bp", short(length))
}

/// "28,34,43".
fn rgb(colour: Rgb) -> String {
    colour.map(|part| part.to_string()).join(",")
}

/// Text that TeX prints as it is.
pub fn tex(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', letter]),
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' => out.push_str("\\ensuremath{<}"),
            '>' => out.push_str("\\ensuremath{>}"),
            '|' => out.push_str("\\ensuremath{|}"),
            '±' => out.push_str("\\ensuremath{\\pm}"),
            '×' => out.push_str("\\ensuremath{\\times}"),
            '−' => out.push_str("\\ensuremath{-}"),
            '²' => out.push_str("\\ensuremath{^2}"),
            'µ' => out.push_str("\\ensuremath{\\mu}"),
            '\n' | '\r' => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}
